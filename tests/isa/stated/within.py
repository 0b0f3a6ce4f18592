"""Gathers and scatters within lanes. Source: tpu_api.md, sections 7 and 11; the vendor's checkers of these commands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.isa.stated.words import EVERY, Row

_NARROW = "uint8 uint16"
_COMPACT = "^(1,1,1,1)"
_ONCE = "(1-is_param_repeated)*"
_EXCEPTION = {"adds": "kept and not fill_const"}
_CALL: dict[str, Any] = {"shape": (2, 3, 1, 5), "param_w": 7, "param_h": 6, "is_param_repeated": 0, "fill_const": 0}


def _line(width: str) -> str:
    return f"ceil({width}*sizeof_param,eu_bytes)*eu_bytes//sizeof_param"


def _columns(op: str, index: str, adds: str = "") -> Row:
    fill = op.endswith("exception")
    line = _line("param_w")
    return Row(
        f"tpu_bdc_{op}",
        f"{'+' * bool(adds)}dst=T param;T(1,c,1,param_w)^(0,{_ONCE}({line}),{line},1) index=B(n,c,1,{index})"
        f"{' C~T' * fill} shape param_w #T #B is_param_repeated{' fill_const' * fill}",
        {"T": EVERY, "B": _NARROW}, "bdc_gather", f"n * ceil(c, lanes) * {index}",
        ("length: shape.h == 1", "length: 1 <= param_w <= 65535", "alignment: param % eu_bytes == 0"),
        overlap="none", wider="BITS", facts={"adds": adds}, call=_CALL, bases=({"is_param_repeated": 1},),
    )  # fmt: skip


def _lines(op: str, index: str, adds: str = "") -> Row:
    fill = op.endswith("exception")
    line = _line("w")
    return Row(
        f"tpu_bdc_{op}",
        f"{'+' * bool(adds)}dst;T(n,c,h,w)^(ceil(lane_dst+c,lanes)*h*({line}),h*({line}),{line},1)"
        f" param;T(1,c,param_h,w)^(0,{_ONCE}param_h*({line}),{line},1) index=B(n,c,{index},1)"
        f"{' C~T' * fill} shape param_h #T #B is_param_repeated{' fill_const' * fill}",
        {"T": EVERY, "B": _NARROW}, "bdc_gather_lines", f"ceil(n * c * {index} * w, lanes * lanes)",
        ("length: 1 <= param_h <= 65535", "alignment: param % eu_bytes == 0", "alignment: dst % eu_bytes == 0"),
        overlap="none", wider="BITS", facts={"adds": adds}, call={**_CALL, "shape": (2, 3, 4, 5)},
        bases=({"is_param_repeated": 1}, {"shape_c": 70}),
    )  # fmt: skip


def _shared(op: str, index: str, adds: str = "", pairs: bool = False) -> Row:
    fill, scatters = op.endswith("exception"), "scatter" in op
    one = "param_h == 1" if pairs and scatters else "shape.h == 1"
    sizes = ("param_h", "param_w") if pairs else ("param_w",)
    return Row(
        f"tpu_bdc_{op}",
        f"{'+' * bool(adds)}dst=T param=T(n,c,{'param_h' if pairs else 1},param_w)"
        f" index;{'uint32' if pairs else 'B'}(1,{index},1,1){_COMPACT}{' C~T' * fill} shape {' '.join(sizes)} #T"
        f"{'' if pairs else ' #B'}{' fill_const' * fill}",
        {"T": EVERY, **({} if pairs else {"B": _NARROW})}, "bdc_gather", f"n * ceil(c, lanes) * {index}",
        (f"length: {one}", *(f"length: 1 <= {size} <= 65535" for size in sizes), "lane: lane_index == 0",
         "alignment: index % eu_bytes == 0"),
        apart="index", overlap="none", wider="BITS", facts={"adds": adds},
        call={**_CALL, "param_h": 1 if scatters else 6}, bases=({"param_w": 200},),
    )  # fmt: skip


def _rows() -> Iterator[Row]:
    yield _columns("batch_bcast_w_gather", "w")
    yield _columns("batch_bcast_w_gather_exception", "w", **_EXCEPTION)
    yield _columns("4bank_w_gather", "w")
    yield _columns("4bank_w_gather_exception", "w", **_EXCEPTION)
    yield _columns("batch_bcast_w_scatter", "param_w", "kept")
    yield _lines("batch_bcast_h_gather", "h")
    yield _lines("batch_bcast_h_gather_exception", "h", **_EXCEPTION)
    yield _lines("batch_bcast_h_scatter", "param_h", "kept")
    yield _shared("w_gather", "w")
    yield _shared("w_gather_exception", "w", **_EXCEPTION)
    yield _shared("w_scatter", "param_w", "kept")
    yield _shared("hw_gather", "w", pairs=True)
    yield _shared("hw_gather_exception", "w", **_EXCEPTION, pairs=True)
    yield _shared("hw_scatter", "param_w", "kept", pairs=True)
    line = _line("w")
    yield Row(
        "tpu_bdc_batch_bcast_w_mask_select",
        "+dst=T count;uint16(n,c,1,1)^(ceil(lane_dst+c,lanes),1,1,1)"
        f" param;T(1,c,1,w)^(0,{_ONCE}({line}),{line},1) mask=B shape #T #B is_param_repeated",
        {"T": EVERY, "B": "uint8 uint16 uint32"}, "bdc_gather", "n * ceil(c, lanes) * w",
        ("length: shape.h == 1", "alignment: count % eu_bytes == 0", "alignment: param % eu_bytes == 0"),
        overlap="none", wider="BITS", facts={"adds": "False"}, call=_CALL, bases=({"is_param_repeated": 1},),
    )  # fmt: skip


WITHIN = tuple(_rows())
