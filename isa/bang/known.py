"""Names of the ISA that compile and are not modelled yet: a kernel that executes one gets a `NotModelled` finding.

They are those of the vendor's header that public kernels do not use, or hardly.
"""

from __future__ import annotations

from itertools import product

_ROUNDINGS = ["dn", "oz", "rd", "rm", "rn", "tz", "up"]
_TO_INT4 = [f"{kind}2int4" for kind in ["bfloat16", "float", "half", "int16", "int32", "int8"]]
_FROM_INT4 = [f"int42{kind}" for kind in ["bfloat16", "float", "half", "int16", "int32", "int8"]]
_TAYLOR = product("34", ["sin", "cos", "tanh", "sigmoid", "softplus"])
_TILING = product(("tiling_2d", "trans_tiling"), (8, 16, 32, 64, 128, 256))
_DISCRETE = ["add", "and", "cas", "dec", "exch", "inc", "max", "min", "or", "xor"]
_REMOTE = product(("gdram", "nram"), ("", "_tf32"), ("", "_async"))

KNOWN = {
    "__bang_bexpand": "bits made into elements",
    "__bang_breduce": "elements made into bits",
    "__bang_conv_sparse": "convolution with a sparse filter",
    "__bang_fabsmax": "largest absolute value and its index",
    "__bang_fabsmin": "smallest absolute value and its index",
    "__bang_histogram": "histogram of a vector",
    "__bang_integral": "running sums of a vector",
    "__bang_maskmove": "keep what a mask of bits selects",
    "__bang_popcnt": "number of bits that are set in a vector",
    "__bang_rand": "random numbers",
    "__bang_float2half_sr": "conversion with random rounding",
    "__bang_float2tf32_sr": "conversion with random rounding",
    "__bang_tiling_3d_b1024": "reordering of blocks",
    "__memcpy_nram_to_nram": "copy inside of NRAM in strides",
    **{f"__bang_{form}_{mode}": "conversion of int4" for form, mode in product(_TO_INT4 + _FROM_INT4, _ROUNDINGS)},
    **{f"__bang_taylor{order}_{name}": f"{name} by a Taylor series" for order, name in _TAYLOR},
    **{f"__bang_{name}_b{bits}": "reordering of blocks" for name, bits in _TILING},
    **{f"__bang_discrete_atomic_{name}": "atomic step on elements at many addresses" for name in _DISCRETE},
    **{f"__memcpy_{source}_to_remote{kind}{end}": "copy to another chip" for source, kind, end in _REMOTE},
}
