"""Facts of BANG: the device library's functions of vectors.

Source: bang_isa.md (c), "`__cn_*` device math library", and the prototypes of the published libdevice.h: the count
first, then the result. What it does not have (hypot, mod_scalar_u64, cast) is seen in kernels only.
"""

from __future__ import annotations

from tests.isa.facts.bang_vector import FUNCTION
from tests.isa.facts.fact import Fact, Within

_KINDS = {"f32": "float", "s32": "int32", "u32": "uint32", "u64": "uint64"}
_SIZES = {"u64": 8}
_TWO = "n, out {dst} dst[n], in {src} src0[n], in {src} src1[n]"
_VALUE = "n, out {dst} dst[n], in {src} src0[n], src1"
_REVERSED = "n, out {dst} dst[n], src0, in {src} src1[n]"
_ONE = "n, out {dst} dst[n], in {src} src[n]"
#: What no single step of the vector unit computes.
_FUNCTIONS = (
    "vector_div_f32_rn vector_mod_f32 vector_pow_f32 vector_hypot_f32 vector_div_s32 vector_mod_s32 vector_div_u32"
    " vector_mod_u32 vector_div_scalar_f32_rn vector_div_scalar_s32 vector_mod_scalar_s32 vector_div_scalar_u32"
    " vector_mod_scalar_u32 vector_mod_scalar_u64 scalar_div_vector_f32_rn scalar_div_vector_s32"
    " scalar_div_vector_u32 vector_sqrt_f32 vector_rsqrt_f32 vector_rcp_f32_rn vector_exp_f32 vector_log_f32"
    " vector_erf_f32 vector_sin_f32 vector_cos_f32 vector_tan_f32 vector_asin_f32 vector_acos_f32 vector_atan_f32"
    " vector_sinh_f32 vector_cosh_f32 vector_tanh_f32"
)


def _rows(names: str, form: str, kind: str, dst: str = "", inferred: bool = False) -> tuple[Fact, ...]:
    """A row for each of the names, which end in the type."""
    arguments = form.format(src=_KINDS[kind], dst=dst or _KINDS[kind])
    return tuple(
        Fact(
            f"__cn_{name}", arguments, limits=(Within("n", 1),), work=f"n * {_SIZES.get(kind, 4)}", inferred=inferred,
            engine=FUNCTION if name in _FUNCTIONS.split() else "", call={"src0": 1, "src1": 1},
        )
        for name in names.split()
    )  # fmt: skip


def _named(names: str, pattern: str) -> str:
    return " ".join(pattern.format(name) for name in names.split())


_COMPARISONS = "eq ne lt le gt ge"
_OF_FLOATS = (
    "abs sign ceil floor trunc round sqrt rsqrt rcp exp log erf sin cos tan asin acos atan sinh cosh tanh negate"
)
ROWS = (
    *_rows(_named("add sub mul div", "vector_{}_f32_rn"), _TWO, "f32"),
    *_rows(_named("max min mod pow", "vector_{}_f32"), _TWO, "f32"),
    *_rows("vector_hypot_f32", _TWO, "f32", inferred=True),
    *_rows(_named("add sub mul div max min mod", "vector_{}_s32"), _TWO, "s32"),
    *_rows(_named("add sub mul div max min mod and or xor", "vector_{}_u32"), _TWO, "u32"),
    *_rows(_named("add sub mul div", "vector_{}_scalar_f32_rn"), _VALUE, "f32"),
    *_rows(_named("max min", "vector_{}_scalar_f32"), _VALUE, "f32"),
    *_rows(_named("add sub mul div max min mod", "vector_{}_scalar_s32"), _VALUE, "s32"),
    *_rows(_named("add sub mul div max min mod and", "vector_{}_scalar_u32"), _VALUE, "u32"),
    *_rows("vector_mod_scalar_u64", _VALUE, "u64", inferred=True),
    *_rows(_named("sub div", "scalar_{}_vector_f32_rn"), _REVERSED, "f32"),
    *_rows(_named("sub div", "scalar_{}_vector_s32"), _REVERSED, "s32"),
    *_rows(_named("sub div", "scalar_{}_vector_u32"), _REVERSED, "u32"),
    *(
        row
        for kind in ("f32", "s32", "u32")
        for form, scalar in ((_TWO, ""), (_VALUE, "scalar_"))
        for row in _rows(_named(_COMPARISONS, f"vector_{{}}_{scalar}{kind}"), form, kind, dst="bool")
    ),
    *_rows(
        _named(_OF_FLOATS, "vector_{}_f32").replace("rcp_f32", "rcp_f32_rn"), _ONE, "f32"
    ),
    *_rows("vector_negate_s32", _ONE, "s32"),
    *_rows("vector_not_u32", _ONE, "u32"),
    *_rows("vector_cast_f32_to_s32", _ONE, "f32", dst="int32", inferred=True),
)  # fmt: skip
