"""Pooling, convolutions and products of TPU-KERNEL. Source: tpu_api.md, sections 3, 6.6, 7 and 11."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.isa.stated.words import FLOATS, NARROW, WHOLE, Row

_T = {"T": FLOATS}
_COMPACT = "^(1,1,1,1)"
#: What a cube and convolutions take and give; floats of 8 bits also become 16 and 32 bits wide.
_PAIRS = ("half/half", "float/half", "bfloat16/bfloat16", "float/bfloat16",
          *(f"{out}/{narrow}" for narrow in NARROW.split() for out in (*NARROW.split(), "half", "float")))  # fmt: skip
_BLOCK = "max(1,lanes//sizeof_src*(sizeof_src<4))"

# --- windows ---------------------------------------------------------------------------------------------------------


def geometry(kernel: str, largest: int, dilated: bool = True) -> tuple[str, ...]:
    """The limits of windows; ``kernel`` is what the size of one is called in front of its axis."""
    steps = ("stride", "dilation") if dilated else ("stride",)
    return tuple(
        limit
        for axis, sides in (("h", ("top", "bottom")), ("w", ("left", "right")))
        for limit in (
            f"length: 1 <= {kernel}{axis} <= 65535",
            *(f"argument!: not padding or 0 <= padding.{side} <= 15" for side in sides),
            *(f"argument!: not {step} or 1 <= {step}.{axis} <= 15" for step in steps),
            f"length: padded_{axis} <= {largest}",
            f"length: padded_{axis} >= reach_{axis}",
        )
    )


_LIMITS = geometry("kernel.", 65535)
_WINDOWS: dict[str, Any] = {
    "limits": _LIMITS,
    "call": {"kernel": (2, 3), "padding": (1, 0, 2, 1), "stride": (2, 1), "dilation": (1, 2),
             "input_shape": (2, 3, 5, 8), "output_c": 5},
    "bases": (
        {"padding": None, "stride": None, "dilation": None}, {"input_shape_h": 65534}, {"input_shape_w": 65532},
        {"kernel_h": 1, "padding": None}, {"input_shape_c": 70}, {"output_c": 70}, {"has_bias": 0, "result_add": 0},
        {"input_shape_h": 1, "kernel_h": 1},
    ),
}  # fmt: skip
_STEPS = "kernel padding stride dilation"
OUT = "n * ceil({c}, lanes) * ceil(oh * ow * {size}, eu_bytes)"


def _windows() -> Iterator[Row]:
    for name, last in (("fp_avg_pool2d", "scale"), ("fp_max_pool2d", "pad_val")):
        yield Row(
            f"tpu_bdc_{name}", f"dst=T(n,c,oh,ow) src=T(n,c,h,w) input_shape {_STEPS} #T {last}~T", _T, "bdc_pool",
            f"{OUT.format(c='c', size='sizeof_dst')} * (2 * kh * kw - 1)", **_WINDOWS,
        )  # fmt: skip
    yield Row(
        "tpu_bdc_int8_avg_pool2d", f"dst=D(n,c,oh,ow) src=S(n,c,h,w) input_shape {_STEPS} #D #S scale rshift",
        {"D": WHOLE, "S": "int8 uint8"}, "bdc_pool",
        f"{OUT.format(c='c', size='max(sizeof_dst, sizeof_src)')} * (2 * kh * kw - 1)",
        **{**_WINDOWS, "limits": (*_LIMITS, "argument: rshift <= 31")},
    )  # fmt: skip
    taps = f"ceil(c,{_BLOCK})*{_BLOCK}*kh*kw"
    yield Row(
        "tpu_bdc_fp_conv2d",
        f"+dst=D(n,output_c,oh,ow) src:S(n,c,h,w) weight;S(1,output_c,1,{taps})^({taps},{taps},{taps},1)"
        f" bias;float(1,output_c*has_bias,1,1){_COMPACT} input_shape &src output_c {_STEPS} #D #S has_bias result_add",
        (*_PAIRS, "float/float"), "bdc_conv",
        f"{OUT.format(c='output_c', size='sizeof_dst')} * c * kh * kw if sizeof_src == 4 else"
        f" n * ceil(output_c, lanes) * ceil(oh * ow, 4) * ceil(c, {_BLOCK}) * kh * kw",
        apart="src", overlap="none", facts={"adds": "result_add"},
        **{**_WINDOWS, "limits": (
            *_LIMITS, "length: 1 <= output_c <= 65535", "lane: sizeof_src == 4 or lane_src == 0",
            "alignment: weight % (4 if sizeof_src == 4 else eu_bytes) == 0", "alignment: not has_bias or bias % 4 == 0",
        )},
    )  # fmt: skip
    yield Row(
        "tpu_bdc_fp_depthwise2d",
        f"dst=T(n,c,oh,ow) src=T(n,c,h,w) weight;T(1,c,kh,kw)^(1,kh*kw,kw,1) bias;T(1,c*has_bias,1,1){_COMPACT}"
        f" input_shape {_STEPS} #T has_bias", _T, "bdc_depthwise",
        f"{OUT.format(c='c', size='sizeof_dst')} * (2 * kh * kw - 1)", overlap="none",
        **{**_WINDOWS, "limits": (*_LIMITS, "alignment: weight % sizeof_weight == 0",
                                  "alignment: not has_bias or bias % sizeof_bias == 0")},
    )  # fmt: skip


# --- matrices --------------------------------------------------------------------------------------------------------


def sizes(*names: str) -> tuple[str, ...]:
    return tuple(f"length: 1 <= {name} <= 65535" for name in names)


def dealt(rows: str, columns: str, each: str) -> str:
    """The shape of a matrix whose columns are dealt to channels; a fifth number is the width of the last one."""
    return f"({rows},ceil({columns},max({each},1)),1,max({each},1),({columns}-1)%max({each},1)+1)"


#: Arguments of a legal product, and changes that make others.
MATRIX: dict[str, Any] = {
    "call": {"left_rows": 6, "left_cols": 12, "right_cols": 8, "right_rows": 7, "left_cols_per_channel": 5,
             "right_cols_per_channel": 3, "lshift": 0, "rshift": 0, "result_add": 0, "result_relu": 0, "bias_dtype": 9,
             "has_bias": 1},
    "overlap": "none",
    "bases": ({"left_rows": 70, "left_cols": 77, "right_cols": 131, "right_rows": 131}, {"has_bias": 0},
              {"result_relu": 1}, {"left_cols_per_channel": 7, "right_cols_per_channel": 8},
        {"left_cols_per_channel": 1, "right_cols_per_channel": 1}),
}  # fmt: skip


def _cubes() -> Iterator[Row]:
    for op, m, k, right, n, kind in (
        ("fp_mm", "left_rows", "left_cols", "left_cols,1,right_cols", "right_cols", "nn"),
        ("fp_mm_R_trans", "left_rows", "left_cols", "right_rows,1,left_cols", "right_rows", "nt"),
        ("fp_mm_all_trans", "left_cols", "left_rows", "right_rows,1,left_rows", "right_rows", "tt"),
    ):
        adds = kind != "nt"
        yield Row(
            f"tpu_bdc_{op}",
            f"{'+' * adds}dst=D(1,{m},1,{n}) left=S(1,left_rows,1,left_cols) right=S(1,{right}) left_rows left_cols {n}"
            f" #D #S{' result_add' * adds}",
            _PAIRS if adds else (*_PAIRS, "float/float"), f"bdc_mm2_{kind}",
            f"ceil({m}, lanes) * ceil({n}, {_BLOCK.replace('src', 'left')}) * ceil({k}, 4)",
            (*sizes("left_rows", "left_cols", n), *(f"lane: lane_{x} == 0" for x in ("dst", "left", "right"))),
            apart="dst left right", facts={"adds": "result_add"} if adds else {}, **MATRIX,
        )  # fmt: skip


#: Of a bias beside the factors; a value in its place is a 32-bit float.
_BIASED = tuple(
    f"{pair}/{bias}" for pair in (*_PAIRS, "float/float")
    for bias in {"half": ("half", "float"), "bfloat16": ("bfloat16", "float"), "float": ("float",)}.get(
        pair.partition("/")[2], ("half", "float"))
)  # fmt: skip


def _biased() -> Iterator[Row]:
    for op, m, k, right, n, kind, adds in (
        ("fp_mm", "left_rows", "left_cols", "left_cols,1,right_cols", "right_cols", "nn", "result_add"),
        ("fp_mm_R_trans", "left_rows", "left_cols", "right_rows,1,left_cols", "right_rows", "nt", "add_result"),
        ("fp_mm_all_trans", "left_cols", "left_rows", "right_rows,1,left_rows", "right_rows", "tt", "result_add"),
    ):
        row = kind != "tt"
        yield Row(
            f"tpu_bdc_{op}_with_bias",
            f"+dst=D(1,{m},1,{n}) left=S(1,left_rows,1,left_cols) right=S(1,{right}) left_rows left_cols {n} #D #S #B"
            f" {adds} bias_is_const bias?B{f'(1,min({m},lanes),1,{n})' if row else f'(1,{n},1,1)'} do_relu",
            _BIASED, f"bdc_mm2_{kind}",
            f"ceil({m}, lanes) * ceil({n}, {_BLOCK.replace('src', 'left')}) * ceil({k}, 4)",
            (*sizes("left_rows", "left_cols", n), *(f"lane: lane_{x} == 0" for x in ("dst", "left", "right")),
             "lane: not placed_bias or lane_bias == 0",
             *(("alignment: not placed_bias or bias % eu_bytes == 0",) if row else ()),
             "dtype: placed_bias or bias_dtype == 5", "argument!: placed_bias == (not bias_is_const)"),
            apart="dst left right bias", facts={"adds": adds},
            **{**MATRIX, "call": {**MATRIX["call"], "bias_is_const": 0, "do_relu": 0, "add_result": 0}},
        )  # fmt: skip


def product(name: str, bias: str, turned: bool = False, bytes_: bool = False, **facts: Any) -> Row:
    """A product of dealt matrices; the left one may be stored transposed, and all but the bias be of bytes."""
    numbers = ("left_rows", "left_cols", "right_cols", "left_cols_per_channel", "right_cols_per_channel")
    m, k = ("left_cols", "left_rows") if turned else ("left_rows", "left_cols")
    kinds = "DAB" if bytes_ else ("float",) * 3
    columns = "right_cols", "right_cols_per_channel"
    words = (
        f"{'' if bytes_ else '+'}dst={kinds[0]}{dealt(m, *columns)}"
        f" left={kinds[1]}{dealt('left_rows', 'left_cols', 'left_cols_per_channel')}"
        f" right={kinds[2]}{dealt(k, *columns)}"
        f" bias={'int32' if bytes_ else 'float'}{dealt(f'1*{bias}', *columns)} {' '.join(numbers)}"
        + (f" #D #A #B bias_dtype lshift rshift {bias} result_add result_relu" if bytes_ else f" {bias} result_add")
    )
    signed = "max(left_dtype % 2, right_dtype % 2, bias_dtype % 2 if has_bias else 0)"
    limits = (
        "dtype!: not has_bias or bias_dtype in (8, 9)",
        f"dtype: output_dtype % 2 == (0 if result_relu else {signed})",
        *(f"argument: {name} == 0" for name in ("lshift", "rshift", "result_add")),
    )
    stated: dict[str, Any] = {
        "types": {"D": WHOLE, "A": "int8 uint8", "B": "int8 uint8"} if bytes_ else {}, "engine": "bdc_mm",
        "work": f"{m} * ceil(ceil(right_cols, right_cols_per_channel), lanes)"
        f" * ceil(right_cols_per_channel * sizeof_dst, eu_bytes) * {k}",
        "limits": (*sizes(*numbers), *(limits if bytes_ else ())), "apart": "left",
        "facts": {} if bytes_ else {"adds": "result_add"},
    }  # fmt: skip
    return Row(name, words, **{**MATRIX, **stated, **facts})


PRODUCTS = (
    *_windows(),
    *_cubes(),
    *_biased(),
    *(
        product(f"tpu_bdc_{kind}_mm{'_L_trans' * turned}", "has_bias", turned, kind == "int8")
        for kind in ("fp32", "int8")
        for turned in (False, True)
    ),
)
