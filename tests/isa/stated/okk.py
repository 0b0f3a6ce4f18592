"""Functions of OKK on tensors. Source: tpu_api.md, sections 3, 8 and 11; the vendor's manual."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from tests.isa.stated.products import MATRIX, dealt, geometry, product
from tests.isa.stated.words import Row

_AR = "n * ceil(c, lanes) * ceil(h * w * 4, eu_bytes)"
_SIZES = (65535, 4095, 65535, 65535)
_COMPACT = "^(1,1,1,1)"
_TWO, _ONE = "shape &dst &src0 &src1", "shape &dst &src"
_VALUE: dict[str, Any] = {"types": {"T": "uint32"}}
_TERMS = {"limits": ("argument!: 1 <= num_series <= 64",), "call": {"num_series": 5}, "bases": ({"num_series": 9},)}
#: A lane takes the points of a window one after the other.
_POINTS = "n * ceil({c}, lanes) * oh * ow * kh * kw"


def _bdc(name: str, words: str, engine: str = "bdc_ar", work: str = _AR, **facts: Any) -> Row:
    return Row(f"okk_bdc_{name}", words, **{"engine": engine, "work": work, "sizes": _SIZES, **facts})


def _elements_of_bdc() -> Iterator[Row]:
    for op in ("add", "sub", "mul", "div", "max", "min"):
        yield _bdc(op, f"dst:float src0:float src1:float {_TWO}")
        yield _bdc(f"{op}_C", f"dst:float src:float C {_ONE}")
    yield _bdc("C_sub", f"dst:float src:float C {_ONE}")
    yield _bdc("C_div", f"dst:float src:float C {_ONE}")
    yield _bdc("mac", f"+dst:float src0:float src1:float {_TWO}")
    yield _bdc("mac_C", f"+dst:float src:float C {_ONE}")
    for op in ("neg", "relu", "reciprocal"):
        yield _bdc(op, f"dst:float src:float {_ONE}")
    yield _bdc("32bit_cpy", f"dst:uint32 src:uint32 {_ONE}")
    yield _bdc("32bit_set_C", "dst:T C~T shape &dst", **_VALUE)
    for op in ("and", "or", "xor"):
        yield _bdc(f"32bit_{op}", f"dst:uint32 src0:uint32 src1:uint32 {_TWO}")
        yield _bdc(f"32bit_{op}_C", f"dst:T src:T C~T {_ONE}", **_VALUE)
    for kind, word in (("arithmetic", "int32"), ("logical", "uint32")):
        yield _bdc(f"32bit_{kind}_shift", f"dst:{word} src0:{word} src1:int32 {_TWO}", wider="BITS")
        yield _bdc(f"32bit_{kind}_shift_C", f"dst:{word} src:{word} C {_ONE}", wider="BITS",
                   limits=("argument!: -32 <= C <= 32",))  # fmt: skip
        yield _bdc(f"32bit_C_{kind}_shift", f"dst:{word} src:int32 C {_ONE}", wider="BITS")
    chosen: dict[str, Any] = {**_VALUE, "engine": "bdc_select"}
    yield _bdc("greater_select_value", f"dst:T src0:float src1:float v~T {_TWO}", **chosen)
    yield _bdc("greater_C_select_value", f"dst:T src:float C v~T {_ONE}", **chosen)
    yield _bdc("C_greater_select_value", f"dst:T src:float C v~T {_ONE}", **chosen)
    yield _bdc("equal_select_value", f"dst:T src0:T src1:T v~T {_TWO}", **chosen)
    yield _bdc("equal_C_select_value", f"dst:T src:T C v~T {_ONE}", **chosen)
    for op, word in (("greater", "float"), ("equal", "uint32")):
        words = f"dst=uint32 src0?{word} src1?{word} then?uint32 other?uint32 shape"
        yield _bdc(f"{op}_select", words, "bdc_select")
    vector = f"float(1,c,1,1){_COMPACT}"
    whole = ("alignment: of % 4 == 0",)
    yield _bdc("bias", f"dst:float src:float of;{vector} {_ONE}", limits=whole)
    yield _bdc("scale", f"dst:float src:float of;{vector} {_ONE}", limits=whole)
    yield _bdc("scale_bias", f"dst:float src:float of;{vector} by;{vector} {_ONE}",
               limits=(*whole, "alignment: by % 4 == 0"))  # fmt: skip
    for op in ("rsqrt", "sqrt"):
        yield _bdc(op, "dst=float src=float shape", "bdc_rsqrt", f"30 * {_AR}")
    tuned = f"{_AR} * (2 * num_series - 1)"
    yield _bdc("taylor_exp", "dst=float src=float shape num_series", "bdc_taylor", tuned, **_TERMS)
    for op in ("exp", "sigmoid", "tanh"):
        yield _bdc(op, "dst=float src=float work*float shape", "bdc_taylor", f"{_AR} * 63")
        words = "dst=float src=float work*float shape num_series"
        yield _bdc(f"{op}_tunable", words, "bdc_taylor", tuned, **_TERMS)
    for op, to, of in (
        ("lookup_exp", "float", "int32"),
        ("lookup_int32_to_fp32", "float", "int32"),
        ("fp32_to_int32", "int32", "float"),
    ):
        yield _bdc(op, f"dst={to} src={of} shape", wider="BITS")


def _windows() -> Iterator[Row]:
    bases = ({"padding": None, "stride": None, "dilation": None}, {"input_shape_c": 70}, {"output_c": 70},
             {"using_bias": 0, "result_add": 0}, {"input_shape_h": 2046}, {"input_shape_w": 2044},
             {"kernel_h": 1, "kernel_w": 1, "padding": None})  # fmt: skip
    call = {"kernel_h": 2, "kernel_w": 3, "padding": (1, 0, 2, 1), "stride": (2, 1), "dilation": (1, 2),
            "input_shape": (2, 3, 5, 8), "output_c": 5, "kernel_stride": (12, 6, 3, 1)}  # fmt: skip
    facts = {"call": call, "bases": bases, "overlap": "none", "sizes": (65535, 4095, 2047, 2047)}
    bias = "float(1,{c}*using_bias,1,1)" + _COMPACT
    compact = ("alignment: weight % 4 == 0", "alignment: not using_bias or bias % 4 == 0")
    yield _bdc(
        "conv2d",
        "+dst=float(n,output_c,oh,ow) src:float(n,c,h,w) weight;float2((c+1)//2,output_c,kh,kw)^kernel_stride"
        f" bias;{bias.format(c='output_c')} input_shape output_c kernel_h kernel_w &src kernel_stride using_bias"
        " result_add padding stride dilation",
        "bdc_conv_float", f"{_POINTS.format(c='output_c')} * ceil(c, 16)", apart="src",
        limits=(*geometry("kernel_", 2047), *compact), **{**facts, "facts": {"adds": "result_add"}},
    )  # fmt: skip
    yield _bdc(
        "depthwise2d",
        f"dst=float(n,c,oh,ow) src=float(n,c,h,w) weight;float(1,c,kh,kw)^(1,kh*kw,kw,1) bias;{bias.format(c='c')}"
        " input_shape kernel_h kernel_w using_bias padding stride dilation",
        "bdc_depthwise", _POINTS.format(c="c"),
        limits=(*geometry("kernel_", 2047), *compact), **facts,
    )  # fmt: skip
    for op in ("avg", "max"):
        yield _bdc(
            f"{op}_pool2d", "dst=float(n,c,oh,ow) src=float(n,c,h,w) input_shape kernel_h kernel_w padding stride",
            "bdc_pool", _POINTS.format(c="c"),
            limits=geometry("kernel_", 2047, False), **facts,
        )  # fmt: skip


def _columns(columns: str, each: str, most: str) -> tuple[str, ...]:
    return (
        f"length: {columns} >= 1", f"length: {each} >= 1", f"argument: {columns} < 1 or {each} <= {most}",
        f"length: {columns} <= 4095 * max({each}, 1)",
    )  # fmt: skip


_KINDS = {32: "uint32 int32 float", 16: "uint16 int16 half bfloat16", 8: "uint8 int8"}
_MARKS = {"S": "/", "L": ":"}


def _gdma() -> Iterator[Row]:
    facts: dict[str, Any] = {"overlap": "any", "sizes": _SIZES}
    for bits, kinds in _KINDS.items():
        for way in ("S2L", "L2S", "L2L", "S2S"):
            local = [name for name, where in (("dst", way[2]), ("src", way[0])) if where == "L" and bits > 8]
            yield Row(
                f"okk_gdma_{bits}bit_cpy_{way}", f"dst{_MARKS[way[2]]}T src{_MARKS[way[0]]}T {_ONE}", {"T": kinds},
                work="n * c * h * w * sizeof_dst",
                limits=(*_once(way[2]), *_rows("dst", "src"), *_elements(bits, local)),
                engine="gdma_load" if way[0] == "S" else "", **facts,
            )  # fmt: skip
        for mark, where in (("/", "system"), (":", "local")):
            yield Row(
                f"okk_gdma_{bits}bit_set_C_{where}", f"dst{mark}T C~T shape &dst", {"T": kinds}, wider="BITS",
                work="n * c * h * w * sizeof_dst",
                limits=(*_rows("dst"), *_elements(bits, ["dst"] * (mark == ":" and bits > 8))), **facts,
            )  # fmt: skip
    lanes, system = dealt("rows", "cols", "cols_per_channel"), "(1,1,rows,cols)^(0,0,row_stride,1)"
    limits = ("length: 1 <= rows <= 65535", *_columns("cols", "cols_per_channel", "cols"))
    facts |= {"types": {"T": _KINDS[32]}, "wider": "BITS", "facts": {"moves": "src_addr"},
              "call": {"rows": 4, "cols": 12, "cols_per_channel": 5, "row_stride": 16},
              "work": "rows * cols * sizeof_dst",
              "bases": ({"rows": 1}, {"cols": 11, "cols_per_channel": 3},
                        {"cols_per_channel": 1, "row_stride": 1 << 30})}  # fmt: skip
    last = "rows cols cols_per_channel row_stride"
    yield Row("okk_gdma_32bit_matrix_S2L", f"dst=T{lanes} src/T{system} {last}", limits=limits, engine="gdma_load",
              **facts)  # fmt: skip
    yield Row("okk_gdma_32bit_matrix_L2S", f"dst/T{system} src=T{lanes} {last}",
              limits=(*limits, "argument: rows == 1 or row_stride >= cols"), **facts)  # fmt: skip


def _once(target: str) -> Iterator[str]:
    """No two elements lie in one place; a lane may have one channel alone."""
    for axis in "nch":
        one = "lane_dst + c <= lanes" if axis == "c" and target == "L" else f"{axis} == 1"
        yield f"argument: dst_stride is None or dst_stride.{axis} > 0 or {one}"


def _rows(*operands: str) -> Iterator[str]:
    for name in operands:
        yield f"argument: {name}_stride is None or {name}_stride.w == 1 or w == 1"


def _elements(bits: int, local: list[str]) -> Iterator[str]:
    for name in local:
        yield f"alignment~: {name} % {bits // 8} == 0"


_MATMUL = (
    "length: 1 <= left_rows <= 65535",
    *_columns("left_cols", "left_cols_per_channel", "min(128, left_cols)"),
    *_columns("right_cols", "right_cols_per_channel", "min(128, right_cols)"),
)
_BASES = (*MATRIX["bases"], {"left_cols": 6000, "left_cols_per_channel": 77, "right_cols": 9000,
                             "right_cols_per_channel": 90})  # fmt: skip
OKK = (
    *_elements_of_bdc(),
    *_windows(),
    *_gdma(),
    replace(product("okk_bdc_matmul", "using_bias", limits=_MATMUL), bases=_BASES),
)
