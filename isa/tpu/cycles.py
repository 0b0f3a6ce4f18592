"""The cycle classes of BDC: what an instruction of each has to do, in cycles besides the start in a device file.

Facts of sophgo/tpu-mlir python/debugger/target_1688/opdef.py. Shapes are padded to the hardware: rows are tensors and
groups of lanes, a beat is what a lane computes in a cycle.
"""

from __future__ import annotations

from collections.abc import Mapping

_ROWS = "{shape}.n * -(-{shape}.c // lanes)"
_BEATS = "-(-({shape}.h * {shape}.w * {size}) // eu_bytes)"
_CUBE = "-(-{m} // lanes) * -(-{n} // {parallel}) * -(-{k} // 4)"
#: The channels of an operand that the array of the cube takes at a time: a block of input channels in weights.
IN_CUBE = "(1 if sizeof_{operand} == 4 else lanes // sizeof_{operand})"
_ONE_LANE = "-(-({elements} * {size}) // eu_bytes)"

#: Engine -> its work, a template of an expression: ``shape`` is that of the result, ``size`` the bytes of an element,
#: ``parallel`` the channels that the array of the cube takes at a time (about, where it occurs).
CLASSES: Mapping[str, str] = {
    "bdc_ar": f"{_ROWS} * {_BEATS}",  # arithmetic, copies, casts, comparisons
    "bdc_select": f"{_ROWS} * {_BEATS}",  # comparison and selection in one
    "bdc_lin": f"{_ROWS} * {{shape}}.h * -(-({{shape}}.w * {{size}}) // eu_bytes)",  # multiply-add, sums of squares
    "bdc_pool": f"{_ROWS} * {_BEATS} * (2 * {{kernel}} - 1)",  # of kernels of so many elements
    "bdc_depthwise": f"{_ROWS} * {_BEATS} * (2 * {{kernel}} - 1)",
    "bdc_taylor": f"{_ROWS} * {_BEATS} * (2 * {{terms}} - 1)",
    "bdc_rsqrt": f"30 * {_ROWS} * {_BEATS}",
    "bdc_requant": f"{_ROWS} * {_BEATS}",  # from one scale to another, and back
    "bdc_conv": f"{_ROWS} * -(-({{shape}}.h * {{shape}}.w) // 4) * -(-{{channels}} // {{parallel}}) * {{kernel}}",
    "bdc_conv_float": f"{_ROWS} * {_BEATS} * {{channels}} * {{kernel}}",
    "bdc_mm": "{m} * -(-{columns} // lanes) * -(-({width} * {size}) // eu_bytes) * {k}",  # of the vector unit
    "bdc_mm2_nn": _CUBE,  # of the cube, by which factors are transposed
    "bdc_mm2_nt": _CUBE,
    "bdc_mm2_tt": _CUBE,
    "bdc_gather": "{each}",  # within lanes: elements of a lane
    "bdc_gather_lines": "-(-{elements} // (lanes * lanes))",
    "bdc_transpose": _ONE_LANE,  # of channels and columns
    "bdc_lane_copy": _ONE_LANE,
    "bdc_lane_broadcast": "-(-({elements} * {size}) // (eu_bytes * lanes))",
}


def work(engine: str, **names: str) -> str:
    """The expression of the work of an instruction of a class, with its own names for what the template names."""
    return CLASSES[engine].format(**names)
