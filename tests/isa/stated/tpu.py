"""Functions of TPU-KERNEL on tensors. Source: tpu_api.md, sections 3, 5, 6, 7 and 11."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tests.isa.stated.products import PRODUCTS
from tests.isa.stated.transfers import TRANSFERS
from tests.isa.stated.within import WITHIN
from tests.isa.stated.words import EVERY, FLOATS, NARROW, WHOLE, Row
from tests.isa.tpu.rows import ELEMENTARY, ROWS

_DECIDE = {"wider": "DECIDES"}
_BITS = {"wider": "BITS"}
_SIGNED = f"{FLOATS} int8 int16 int32"
_MODE = "argument!: 0 <= mode <= 6"
#: Cycles: rows of lanes, and beats of a row of elements of so many bytes.
_ROWS = "n * ceil(c, lanes)"
_BEATS = "ceil(h * w * {}, eu_bytes)"
_AR = f"{_ROWS} * {_BEATS}"
_SIZE = "sizeof_dst"
_T = {"T": FLOATS}
_STATED: dict[str, Any] = {"facts": {"provenance": "documented"}}
_BY: dict[str, Any] = {"facts": {"divisor": "src1_addr"}, "work": f"5 * {_AR.format(_SIZE)}"}
_NO_WIDER = tuple(f"overlap: dst != {source} or sizeof_dst <= sizeof_{source}" for source in ("src0", "src1"))
_OVER = {"limits": ("overlap: dst != src or sizeof_dst <= sizeof_src",)}
_SHIFT = "argument!: -32 <= shift <= 32"
_INT = {**_BITS, "types": dict.fromkeys("DAB", WHOLE), "work": _AR.format("max(sizeof_dst, sizeof_src0, sizeof_src1)")}
_INT_C = {**_INT, "work": _AR.format("max(sizeof_dst, sizeof_src0)"), "limits": (_MODE, _SHIFT, _NO_WIDER[0])}
_WIDER2 = {"work": _AR.format("max(sizeof_dst, sizeof_src)")}
_SHIFTS = {
    **_BITS, "types": {"D": WHOLE, "S": WHOLE, "B": "int8 int16 int32"},
    "work": _AR.format("max(sizeof_dst, sizeof_src, sizeof_by)"),
    "limits": (_MODE, "argument!: sizeof_by <= sizeof_src", *_OVER["limits"],
               "overlap: dst != by or sizeof_dst <= sizeof_by"),
}  # fmt: skip
_COMPARED = {**_DECIDE, "types": {"D": EVERY, "S": EVERY}}
_BYTES = "int8 uint8 int16 uint16"
_QUANTIZED = {**_BITS, **_WIDER2, "engine": "bdc_requant"}
_TO_NARROW, _TO_WIDE = (
    {"types": {"D": d, "S": s}} for d, s in ((_BYTES, f"{_BYTES} int32"), (f"{_BYTES} int32", _BYTES))
)
_FAR, _FLOAT_MODE = "argument!: -62 <= shift <= 31", "argument!: 0 <= mode <= 4"
_FLOAT_MODES = tuple(_FLOAT_MODE.replace("mode", name) for name in ("dst_mode", "src_mode"))
#: What differs from one rounding of floats, in place of another.
FURTHER: Mapping[str, Mapping[str, Any]] = {
    **{f"fp_{op}{c}": {"types": {"T": f"{FLOATS} {NARROW}"}} for op in ("add", "sub", "mul") for c in ("", "_C")},
    "fp_C_sub": {"types": {"T": f"{FLOATS} {NARROW}"}},
    "fp_div": {"types": _T, **_BY},
    "fp32_div": _BY,
    "fp32_div_C": {**_BY, "facts": {"divisor": "C"}},
    "fp32_C_div": {**_BY, "facts": {"divisor": "src_addr"}},
    "fp32_reciprocal": {"facts": {"divisor": "src_addr"}},
    "fp32_tunable_reciprocal": {"facts": {"divisor": "src_addr"}, "limits": ("argument: 0 <= num_iter <= 4",)},
    **{name: {"types": {"T": EVERY}, **_STATED} for name in ("max", "min")},
    **{name: {"types": {"T": EVERY}} for name in ("max_C", "min_C", "cpy", "set_C")},
    **{name: {"types": {"T": _SIGNED}, **_STATED} for name in ("abs", "neg")},
    "relu": {"types": {"T": _SIGNED}},
    **{
        f"{op}{c}": {"types": {"T": f"{WHOLE} {FLOATS}"}, **_BITS, **_STATED}
        for op in ("and", "or", "xor", "not")
        for c in ("", "_C")
    },
    **{
        f"{op}{c}": {**_COMPARED, "work": _AR.format("max(sizeof_dst, sizeof_src)" if c else
                                                     "max(sizeof_dst, sizeof_src0)")}
        for op in ("equal", "not_equal", "greater", "greater_equal", "less", "less_equal")
        for c in ("", "_C")
    },
    **{
        f"{op}_select": {**_COMPARED, "engine": "bdc_select", "work": _AR.format("max(sizeof_dst, sizeof_src0)")}
        for op in ("equal", "greater", "less")
    },
    **{f"int_{op}": {**_INT, "limits": (_MODE, _SHIFT, *_NO_WIDER)} for op in ("add", "sub", "mul")},
    **{f"int_{op}": _INT_C for op in ("add_C", "sub_C", "mul_C", "C_sub")},
    **{f"{kind}_shift": _SHIFTS for kind in ("arithmetic", "logical")},
    **{
        f"{kind}_shift_C": {**_BITS, **_WIDER2, "types": {"D": WHOLE, "S": WHOLE}, "limits": (_MODE, *_OVER["limits"])}
        for kind in ("arithmetic", "logical")
    },
    "cast": {**_WIDER2, "types": {"D": EVERY, "S": EVERY}, "limits": (_MODE, *_OVER["limits"])},
    "fp_round": {"limits": (_MODE,)},
    **{f"int_{op}": {**_QUANTIZED, **types, "limits": (_MODE, _FAR, *_OVER["limits"])}
       for op, types in (("requant", _TO_NARROW), ("dequant", _TO_WIDE))},
    "fp32_requant": {**_QUANTIZED, **_TO_NARROW, "limits": (*_FLOAT_MODES, *_OVER["limits"])},
    "fp32_dequant": {**_QUANTIZED, "types": {"S": _BYTES}, "limits": (_FLOAT_MODE, *_OVER["limits"])},
}  # fmt: skip
_CALLS = {"mode": 3}


def _of_elements() -> Iterator[Row]:
    for row in ROWS:
        further = {"work": _AR.format(_SIZE), "engine": "bdc_ar", "types": _T if "#T" in row.form else {}}
        words = row.form.replace(":T", ":float").replace("=T", "=float") if "#" not in row.form else row.form
        yield Row(f"tpu_bdc_{row.name}", words, **{**further, "call": _CALLS, **FURTHER.get(row.name, {})})
    for row in ELEMENTARY:
        typed = "#T" in row.form
        tables = [word.partition("@")[2] for word in row.form.split() if "@" in word]
        # A table of powers is none from BM1690 on; 16-bit coefficients are 16.
        terms = sum(int(size.partition("/")[2] or size) for size in tables if size != "192")
        work = f"{_AR} * {2 * terms - 1}" if terms else f"30 * {_AR}"
        words = row.form if typed else row.form.replace("=T", "=float").replace("*T", "*float")
        words = words.replace(" w*", " work*").replace("table@192", "table;float(1,lanes,1,192*(arch<1690))")
        limits = ["alignment: table % eu_bytes == 0", "lane: arch >= 1690 or lane_table == 0"]
        limits = limits if "table" in words else []
        if "tunable" in row.name:
            limits = ["argument: 0 <= num_iter <= 4"]
        yield Row(
            f"tpu_bdc_{row.name}", words, _T if typed else {}, "bdc_taylor" if terms else "bdc_rsqrt",
            work.format(_SIZE), tuple(limits), "table" if "table" in words else "",
        )  # fmt: skip


_ALL = {"T": EVERY}
_BROADCAST = "ceil({elements} * {size}, eu_bytes * lanes)"
_TURNED = {"engine": "bdc_transpose", "types": _ALL, "overlap": "none", "facts": {"moves": "src_addr"},
           "work": "ceil(n * c * h * w * sizeof_dst, eu_bytes)", "apart": "dst src"}  # fmt: skip
_LINE = "ceil(c*sizeof_src,eu_bytes)*eu_bytes//sizeof_src"
_TABLES = {"exp_table": 192, "exp_coeff": 32, "log_coeff": 64, "erf_coeff": 16, "arcsin_coeff": 64, "sin_coeff": 32,
           "cos_coeff": 32, "tan_coeff": 32}  # fmt: skip
#: Bytes of static memory.
_STATIC = "argument!: 0 <= src_addr and src_addr + len * sizeof_dst <= {}"
_COMPACT = "^(1,1,1,1)"


def _moves(static: int) -> tuple[Row, ...]:
    load = {"engine": "bdc_lane_broadcast"}
    return (
        Row("tpu_bdc_npu_bcast", "dst=T src=T(n,1,h,w) shape #T", _ALL, "bdc_lane_broadcast",
            _BROADCAST.format(elements="n * c * h * w", size=_SIZE), ("lane: lane_dst + c <= lanes",), apart="src",
            facts={"moves": "src_addr"}, bases=({"shape_c": 61}, {"shape_c": 29})),
        Row("tpu_bdc_cw_trans",
            f"dst=T src;T(n,w,h,c)^(ceil(w,lanes)*h*({_LINE}),h*({_LINE}),{_LINE},1) shape #T",
            limits=("lane: lane_src == 0", "alignment: src % eu_bytes == 0"), **{**_TURNED, "apart": "src"}),
        Row("tpu_bdc_wc_trans", "dst=T src=T(n,w,h,c) shape #T", limits=("lane: lane_dst == 0",),
            **{**_TURNED, "apart": "dst src"}),
        Row("tpu_bdc_arithmetic_sequence_bcast", "dst=int32(1,npu_num,1,num) npu_num start step num", {}, "bdc_ar",
            "ceil(num * 4, eu_bytes)", ("length: 0 < npu_num", "lane: lane_dst + npu_num <= lanes",
                                        "length: 1 <= num <= 65535"), bases=({"num": 77, "npu_num": 5},)),
        Row("tpu_bdc_arithmetic_sequence_distribute", f"dst;int32(1,num,1,1){_COMPACT} start step num", {}, "bdc_ar",
            "ceil(num, lanes)", ("length: 1 <= num <= 65535", "alignment: dst % 4 == 0"), bases=({"num": 77},)),
        *(Row(f"tpu_bdc_load_fp32_{name}", f"dst=float(1,lanes,1,{size})", {}, **load,
              work=_BROADCAST.format(elements=f"lanes * {size}", size=4), limits=("lane: lane_dst == 0",), apart="dst")
          for name, size in _TABLES.items()),
        *(Row(f"tpu_bdc_load_fp_{name}_coeff", f"dst=T(1,lanes,1,{size}) #T", _T, **load,
              work=_BROADCAST.format(elements=f"lanes * {size}", size=_SIZE), limits=("lane: lane_dst == 0",),
              apart="dst")
          for name, size in (("exp", "16"), ("erf", "16"), ("log", "max(16,64*(sizeof_dst==4))"))),
        Row("tpu_bdc_npu_bcast_from_static", "dst=T(1,npu_num,1,len) src_addr npu_num len #T",
            {"T": f"{FLOATS} {WHOLE}"}, **load, work=_BROADCAST.format(elements="npu_num * len", size=_SIZE),
            limits=("alignment: src_addr % sizeof_dst == 0", _STATIC.format(static), "length: len > 0",
                    "length: npu_num > 0", "lane: lane_dst + npu_num <= lanes"),
            call={"src_addr": 64, "npu_num": 3, "len": 5}, bases=({"src_addr": static - 20}, {"npu_num": 40})),
        Row("tpu_bdc_npu_distribute_from_static", f"dst;T(1,len,1,1){_COMPACT} src_addr len #T",
            {"T": f"{FLOATS} {WHOLE}"}, "bdc_ar", "ceil(len, lanes)",
            ("alignment: src_addr % sizeof_dst == 0", _STATIC.format(static), "length: len > 0",
             "alignment: dst % sizeof_dst == 0"), call={"src_addr": 64, "len": 5},
            bases=({"src_addr": static - 20}, {"len": 77})),
        Row("tpu_bdc_fp_taylor", "dst=T src=T coeff;T(1,lanes,1,num) shape num #T", _T, "bdc_taylor",
            f"{_AR.format(_SIZE)} * (2 * num - 1)",
            ("length: num >= 2", "lane: lane_coeff == 0", "alignment: coeff % eu_bytes == 0"), "coeff",
            call={"num": 3}, bases=({"num": 7},)),
    )  # fmt: skip


def _by_channel(name: str, words: int, last: str, kind: str, limits: tuple[str, ...], further: Any) -> Row:
    beat = "eu_bytes//4"
    target = "=D" if "#D" in last else "=float"
    form = f"dst{target} src=S quant;{kind}(1,c,1,{words})^({beat},{beat},{beat},1) shape {last}"
    return Row(
        f"tpu_bdc_{name}", form, limits=(*limits, *_OVER["limits"], "alignment: quant % 8 == 0"),
        call=_CALLS, **{**_QUANTIZED, **further},
    )  # fmt: skip


_QUANTIZED_BY_CHANNEL = (
    _by_channel("int_pc_requant", 3, "#D #S mode", "int32", (_MODE,), _TO_NARROW),
    _by_channel("int_pc_dequant", 3, "#D #S mode", "int32", (_MODE,), _TO_WIDE),
    _by_channel("fp32_pc_requant", 2, "#D #S dst_mode src_mode", "float", _FLOAT_MODES, _TO_NARROW),
    _by_channel("fp32_pc_dequant", 2, "#S mode", "int32", (_FLOAT_MODE,), {"types": {"S": _BYTES}}),
)

TPU = (
    *_of_elements(),
    *_QUANTIZED_BY_CHANNEL,
    *_moves(4 * (256 + 32 + 64 + 16 + 64 + 32 + 32 + 64 + 32) + 4 * 64),
    *PRODUCTS,
    *TRANSFERS,
    *WITHIN,
)
