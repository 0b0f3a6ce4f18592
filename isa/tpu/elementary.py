"""BDC's elementary functions, and the tables they read. Correctly rounded here (inferred); the chip sums series."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..erf import error_function
from ..instruction import Instruction
from ..rounding import Rounding, narrow
from ..rules import Archs, Require
from .bdc import UNARY, quotient_of
from .commands import FLOATS, bdc
from .cycles import work
from .tables import EXP_TABLE, PLACES, TABLES, image, placed

_LOADED = "broadcast to all lanes"


def _places(table: str, size: str = "4") -> str:
    """Elements of a table in a lane: those of 16 bits have fewer, and so has exp for functions of any type (inferred).

    From BM1690 on nothing reads the table of powers.
    """
    if table == "exp_coeff" and size != "4":
        return str(PLACES)
    if table == "exp_table":
        return f"{len(EXP_TABLE)} * max(0, min(1, 1690 - arch))"
    full = len(TABLES[table])
    return str(full) if size == "4" or full <= PLACES else f"({full} if {size} == 4 else {PLACES})"


# --- tables ----------------------------------------------------------------------------------------------------------


def _load(table: str) -> tuple[Instruction, ...]:
    operand = "table_addr" if table == "exp_table" else "coeff_addr"
    values = TABLES[table]
    return bdc(
        f"void tpu_bdc_{{op}}(tensor<float> {operand}[(1, lanes, 1, {len(values)})])",
        {f"load_fp32_{table}": (lambda: values, f"The table {table} of static memory, {_LOADED}")},
        engine="bdc_lane_broadcast",
        work=work("bdc_lane_broadcast", elements=f"count_{operand}", size="4"),
        rules=(Require(f"lane_{operand} == 0", rule="lane"),),
    )


def _load_typed(table: str) -> tuple[Instruction, ...]:
    return bdc(
        f"void tpu_bdc_{{op}}(tensor<T> coeff_addr[(1, lanes, 1, {_places(table, 'sizeof_coeff_addr')})],"
        " data_type dtype)",
        {
            f"load_fp_{table}": (
                lambda type_coeff_addr: placed(table, type_coeff_addr),
                f"The table {table} of static memory, {_LOADED}",
            )
        },
        types=FLOATS,
        engine="bdc_lane_broadcast",
        work=work("bdc_lane_broadcast", elements="count_coeff_addr", size="sizeof_coeff_addr"),
        rules=(Require("lane_coeff_addr == 0", rule="lane"),),
    )


loads = tuple(map(_load, TABLES))
typed_loads = tuple(map(_load_typed, ("exp_coeff", "log_coeff", "erf_coeff")))


def _static(src_addr: int, len: int, dtype: np.dtype) -> np.ndarray:
    return np.frombuffer(image(), dtype, len, src_addr)


_IN_STATIC = (
    Require("src_addr % sizeof_dst_addr == 0", rule="alignment"),
    Require(f"0 <= src_addr and src_addr + len * sizeof_dst_addr <= {len(image())}", rule="argument", needed=True),
    Require("len > 0", rule="length"),
)
broadcast_from_static = bdc(
    "void tpu_bdc_{op}(tensor<T> dst_addr[(1, npu_num, 1, len)], uint32 src_addr, int32 npu_num, int32 len,"
    " data_type dtype)",
    {
        "npu_bcast_from_static": (
            lambda src_addr, len, type_dst_addr: _static(src_addr, len, type_dst_addr),
            "len elements of static memory in each of npu_num lanes",
        )
    },
    types=f"{FLOATS} int8 uint8 int16 uint16 int32 uint32",
    engine="bdc_lane_broadcast",
    work=work("bdc_lane_broadcast", elements="count_dst_addr", size="sizeof_dst_addr"),
    rules=(
        *_IN_STATIC,
        Require("npu_num > 0", rule="length"),
        Require("lane_dst_addr + npu_num <= lanes", rule="lane"),
    ),
)
distribution_from_static = bdc(
    "void tpu_bdc_{op}(tensor<T> dst_addr[(1, len, 1, 1) @ (1, 1, 1, 1)], uint32 src_addr, int32 len, data_type dtype)",
    {
        "npu_distribute_from_static": (
            lambda src_addr, len, type_dst_addr: _static(src_addr, len, type_dst_addr).reshape(1, -1, 1, 1),
            "len elements of static memory, one for each channel, in the compact layout",
        )
    },
    types=f"{FLOATS} int8 uint8 int16 uint16 int32 uint32",
    work="-(-len // lanes)",
    rules=(*_IN_STATIC, Require("dst_addr % sizeof_dst_addr == 0", rule="alignment")),
)

# --- functions -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Function:
    """An elementary function: what it reads besides its source, and what it is in float64."""

    name: str
    works: int
    tables: Mapping[str, str]  # parameter -> table
    function: Callable[..., Any]
    doc: str
    typed: bool = False  # for every type of float, as the last argument says
    further: str = ""  # a value in front of the shape
    last: str = ""  # and one behind it
    two: bool = False  # of two tensors

    @property
    def prototype(self) -> str:
        """Its prototype, in the vendor's order."""
        kind, size = ("T", "sizeof_dst_addr") if self.typed else ("float", "4")
        sources = ("src0_addr", "src1_addr") if self.two else ("src_addr",)
        numbers = [""] if self.works == 1 else [str(n) for n in range(self.works)]
        operands = [
            *(f"const tensor<{kind}> {source}[shape]" for source in sources),
            *(f"work tensor<{kind}> work{number}_addr[shape]" for number in numbers if self.works),
            *(f"const tensor<{kind}> {p}_addr[(1, lanes, 1, {_places(t, size)})]" for p, t in self.tables.items()),
        ]
        tail = [self.further, "dim4 *shape", "data_type dtype" if self.typed else "", self.last]
        return f"void tpu_bdc_{{op}}(tensor<{kind}> dst_addr[shape], {', '.join([*operands, *filter(None, tail)])})"


_EXP = {"coeff": "exp_coeff", "table": "exp_table"}
_TYPED_EXP = {"coeff": "exp_coeff"}
_POW = {"exp_coeff": "exp_coeff", "log_coeff": "log_coeff", "exp_table": "exp_table"}
_ERF = {"exp_coeff": "exp_coeff", "erf_coeff": "erf_coeff", "exp_table": "exp_table"}
_TYPED_ERF = {"exp_coeff": "exp_coeff", "erf_coeff": "erf_coeff"}
_LOG = {"coeff": "log_coeff"}


def _erfc(x: np.ndarray) -> Any:
    return np.frompyfunc(math.erfc, 1, 1)(x).astype(np.float64)


def _sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def _gelu(x: Any) -> Any:
    return x * 0.5 * (1 + error_function(x / math.sqrt(2)))


def _softplus(x: Any, beta: float) -> Any:
    return np.logaddexp(0, beta * x) / beta


def _power(x: Any, y: Any) -> Any:
    return np.exp(y * np.log(x))


_STEPS = "int32 num_iter"  # of Newton's method, which changes nothing here
_FUNCTIONS = (
    _Function("fp32_exp", 2, _EXP, np.exp, "e ** src"),
    _Function("fp_exp", 2, _TYPED_EXP, np.exp, "e ** src", typed=True),
    _Function("fp32_expm1", 2, _EXP, np.expm1, "e ** src - 1"),
    _Function("fp_expm1", 2, _TYPED_EXP, np.expm1, "e ** src - 1", typed=True),
    _Function("fp32_log", 1, _LOG, np.log, "ln src"),
    _Function("fp_log", 1, _LOG, np.log, "ln src", typed=True),
    _Function("fp32_log1p", 1, _LOG, np.log1p, "ln (1 + src)"),
    _Function("fp32_logx", 1, _LOG, lambda a, x: np.log(a) / np.log(x), "ln src / ln x", last="float x"),
    _Function("fp32_erf", 3, _ERF, error_function, "the error function of src"),
    _Function("fp_erf", 3, _TYPED_ERF, error_function, "the error function of src", typed=True),
    _Function("fp32_erfc", 3, _ERF, _erfc, "1 - the error function of src"),
    _Function("fp_erfc", 3, _TYPED_ERF, _erfc, "1 - the error function of src", typed=True),
    _Function("fp32_arcsin", 1, {"coeff": "arcsin_coeff"}, np.arcsin, "arcsin src"),
    _Function("fp32_arccos", 1, {"coeff": "arcsin_coeff"}, np.arccos, "arccos src"),
    _Function("fp32_sin", 1, {"coeff": "sin_coeff"}, np.sin, "sin src"),
    _Function("fp32_cos", 1, {"coeff": "cos_coeff"}, np.cos, "cos src"),
    _Function("fp32_tan", 1, {"coeff": "tan_coeff"}, np.tan, "tan src"),
    _Function("fp32_sigmoid", 2, _EXP, _sigmoid, "1 / (1 + e ** -src)"),
    _Function("fp32_silu", 2, _EXP, lambda x: x * _sigmoid(x), "src / (1 + e ** -src)"),
    _Function("fp32_tanh", 2, _EXP, np.tanh, "tanh src"),
    _Function("fp32_gelu", 4, _ERF, _gelu, "src / 2 * (1 + erf (src / sqrt 2))"),
    _Function("fp32_softplus", 2, _POW, _softplus, "ln (1 + e ** (beta * src)) / beta", last="float beta"),
    _Function("fp32_pow", 2, _POW, _power, "e ** (src1 * ln src0): NaN where src0 is negative", two=True),
    _Function("fp32_pow_C", 2, _POW, _power, "e ** (C * ln src): NaN where src is negative", further="float C"),
    _Function(
        "fp32_C_pow", 2, {"exp_coeff": "exp_coeff", "exp_table": "exp_table"},
        lambda y, c: _power(np.float64(c), y), "e ** (src * ln C)", further="float C",
    ),
    _Function("fp32_sqrt", 0, {}, np.sqrt, "the square root of src"),
    _Function("fp_sqrt", 0, {}, np.sqrt, "the square root of src", typed=True),
    _Function("fp32_rsqrt", 0, {}, lambda x: 1 / np.sqrt(x), "1 / the square root of src"),
    _Function("fp_rsqrt", 0, {}, lambda x: 1 / np.sqrt(x), "1 / the square root of src", typed=True),
    _Function("fp32_tunable_sqrt", 0, {}, np.sqrt, "the square root of src", last=_STEPS),
    _Function("fp32_tunable_rsqrt", 0, {}, lambda x: 1 / np.sqrt(x), "1 / the square root of src", last=_STEPS),
)  # fmt: skip


def _exact(function: Callable[..., Any], source: np.ndarray, *others: Any) -> np.ndarray:
    """A function in float64, rounded once."""
    with np.errstate(all="ignore"):
        wide = function(source.astype(np.float64), *(np.asarray(other, np.float64) for other in others))
    return narrow(wide, source.dtype, Rounding.NEAREST_EVEN)


#: By what a function takes besides its source.
_SEMANTICS: dict[str, Callable[[Callable[..., Any]], Callable[..., Any]]] = {
    "": lambda f: lambda src_addr: _exact(f, src_addr),
    _STEPS: lambda f: lambda src_addr: _exact(f, src_addr),
    "src1_addr": lambda f: lambda src0_addr, src1_addr: _exact(f, src0_addr, src1_addr),
    "float C": lambda f: lambda src_addr, C: _exact(f, src_addr, C),  # noqa: N803 - the vendor's name
    "float x": lambda f: lambda src_addr, x: _exact(f, src_addr, x),
    "float beta": lambda f: lambda src_addr, beta: _exact(f, src_addr, beta),
}


def _declared(one: _Function) -> tuple[Instruction, ...]:
    terms = sum(
        len(TABLES[table]) if not one.typed else PLACES for table in one.tables.values() if table != "exp_table"
    )
    size = {"shape": "shape", "size": "sizeof_dst_addr"}
    tables = [f"{parameter}_addr" for parameter in one.tables]
    rules = [Require(f"lane_{p} == 0", rule="lane") for p in tables if "table" not in p]
    rules += [Require(f"lane_{p} == 0", Archs("<1690"), rule="lane") for p in tables if "table" in p]
    engine = "bdc_taylor" if terms else "bdc_rsqrt"
    return bdc(
        one.prototype,
        {
            one.name: (
                _SEMANTICS["src1_addr" if one.two else one.further or one.last](one.function),
                f"dst = {one.doc}, correctly rounded",
            )
        },
        types=FLOATS if one.typed else "",
        engine=engine,
        work=work(engine, **size, **({"terms": str(terms)} if terms else {})),
        elsewhere=tables,
        rules=(*rules, *([Require("0 <= num_iter <= 4")] if one.last == _STEPS else [])),
    )


functions = tuple(map(_declared, _FUNCTIONS))

reciprocals = bdc(
    UNARY.replace("<T>", "<float>").replace(", data_type dtype", ""),
    {"fp32_reciprocal": (lambda src_addr: quotient_of(np.float32(1), src_addr), "dst = 1 / src, correctly rounded")},
    divisor="src_addr",
)
tunable_reciprocals = bdc(
    UNARY.replace("<T>", "<float>").replace("data_type dtype", _STEPS),
    {
        "fp32_tunable_reciprocal": (
            lambda src_addr: quotient_of(np.float32(1), src_addr),
            "dst = 1 / src, correctly rounded",
        )
    },
    divisor="src_addr",
    rules=(Require("0 <= num_iter <= 4"),),
)
squares = bdc(
    UNARY, {"fp_square": (np.square, "dst = src * src, one rounding to nearest even")}, types=FLOATS,
)  # fmt: skip
series = bdc(
    "void tpu_bdc_{op}(tensor<T> dst_addr[shape], const tensor<T> src_addr[shape],"
    " const tensor<T> coeff_addr[(1, lanes, 1, num)], dim4 *shape, int32 num, data_type dtype)",
    {
        "fp_taylor": (
            lambda src_addr, coeff_addr: _series(src_addr, coeff_addr[0, 0, 0]),
            "dst = the sum of coeff[k] * src ** k, rounded at each step (inferred)",
        )
    },
    types=FLOATS,
    engine="bdc_taylor",
    work=work("bdc_taylor", shape="shape", size="sizeof_dst_addr", terms="num"),
    elsewhere=("coeff_addr",),
    rules=(Require("num >= 2", rule="length"), Require("lane_coeff_addr == 0", rule="lane")),
)


def _series(values: np.ndarray, coefficients: np.ndarray) -> np.ndarray:
    total = np.full_like(values, coefficients[-1])
    for coefficient in coefficients[-2::-1]:
        total = total * values + coefficient
    return total
