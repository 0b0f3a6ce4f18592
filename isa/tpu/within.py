"""BDC by index within the lanes: elements and lines that each channel gathers, scatters or picks of its own.

Facts of the vendor's checkers (atomic_sg.c, atomic_sgl.c). Two units do it: one with an index for every channel, which
lies beside the data, and one with an index that all channels share, an element in each lane.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..declare import Instruction
from ..instruction import Wider
from ..results import ValueOutOfRange
from ..rules import Require
from .commands import EVERY, bdc
from .cycles import work
from .indexed import unnamed
from .matrix import within

_NARROW = "uint8 uint16"
#: Elements from one row to the next where every row begins at a multiple of what a lane computes in a cycle.
_LINE = "-(-{width} * sizeof_param_addr // eu_bytes) * eu_bytes // sizeof_param_addr"
_OF_LANE = "shape.n * -(-shape.c // lanes) * {each}"


def _inside(index: np.ndarray, below: int, what: str) -> np.ndarray:
    """Indices as numbers that NumPy takes; the first that is too large is the kernel's fault."""
    if len(wrong := np.flatnonzero(index >= below)):
        at = int(wrong[0])
        raise ValueOutOfRange("index_addr", at, int(index.flat[at]), f"below {what}, {below}")
    return index.astype(np.int64)


def _free(index: np.ndarray) -> np.ndarray:
    """Where an index has all bits: nothing is gathered there."""
    return np.asarray(index == np.iinfo(index.dtype).max)


# --- an index of each channel ----------------------------------------------------------------------------------------

_OWN = (
    "void tpu_bdc_{{op}}({inout}tensor<T> output_addr[{shape}], const tensor<T> param_addr[{param}],"
    " const tensor<B> index_addr[{index}],{fill} dim4 *shape, int32 param_{axis}, data_type dtype,"
    " data_type index_dtype, bool is_param_repeated{last})"
)
_FILL = {"fill": " scalar<T> C,", "last": ", bool fill_const"}
_REPEATED = "is_param_repeated: one line of each lane for all its channels"


def _own(op: str, axis: str, scatters: bool, member: tuple[Any, str], **parts: str) -> tuple[Instruction, ...]:
    """An instruction whose index lies beside the data; along ``axis``, w or h."""
    count, exception = f"param_{axis}", "fill" in parts
    long = {"w": count, "h": "shape.w"}[axis]
    lines = "line" if axis == "w" else f"{count} * line"
    named = count if scatters else f"shape.{axis}"
    rows = "-(-(lane_output_addr + shape.c) // lanes) * shape.h * line, shape.h * line, line, 1"
    each = _OF_LANE.format(each=named)
    elements = "shape.n * shape.c * {} * shape.w".format(named if axis == "h" else "1")
    gathers = "bdc_gather" if axis == "w" else "bdc_gather_lines"
    return bdc(
        _OWN.format(
            inout="inout " if scatters or exception else "",
            shape="shape" if axis == "w" else f"shape @ ({rows})",
            param=f"(1, shape.c, 1, {count}) @ (0, 0 if is_param_repeated else line, line, 1)" if axis == "w" else
            f"(1, shape.c, {count}, shape.w) @ (0, 0 if is_param_repeated else {lines}, line, 1)",
            index=f"(shape.n, shape.c, 1, {named})" if axis == "w" else f"(shape.n, shape.c, {named}, 1)",
            axis=axis,
            **{"fill": "", "last": "", **parts},
        ),
        {op: (member[0], f"{member[1]}; {_REPEATED}")},
        types={"T": EVERY, "B": _NARROW},
        let={"line": _LINE.format(width=long)},
        engine=gathers,
        work=work("bdc_gather", each=each) if axis == "w" else work("bdc_gather_lines", elements=elements),
        overlap="none",
        wider=Wider.BITS,
        rules=(
            *((Require("shape.h == 1", rule="length"),) if axis == "w" else ()),
            *within(count),
            Require("param_addr % eu_bytes == 0", rule="alignment"),
            *((Require("output_addr % eu_bytes == 0", rule="alignment"),) if axis == "h" else ()),
        ),
        **({"measured": {"kept": _KEPT[axis]}, "adds": "kept"} if scatters else {}),
        **({"measured": {"kept": _left_out}, "adds": "kept and not fill_const"} if exception else {}),
    )  # fmt: skip


def _left_out(index_addr: np.ndarray) -> bool:
    return bool(_free(index_addr).any())


_KEPT = {
    "w": lambda index_addr, shape: unnamed(index_addr, 3, shape.w),
    "h": lambda index_addr, shape: unnamed(index_addr, 2, shape.h),
}


def _taken(param: np.ndarray, index: np.ndarray, axis: int) -> np.ndarray:
    """Elements or lines of every channel, those of the first image for all images."""
    shape = (len(index), *param.shape[1:])
    return np.take_along_axis(np.broadcast_to(param, shape), index, axis)


def _gathered(axis: int, name: str) -> Any:
    def gather(param_addr: np.ndarray, index_addr: np.ndarray) -> np.ndarray:
        return _taken(param_addr, _inside(index_addr, param_addr.shape[axis], name), axis)

    return gather


def _or_not(gather: Any, rows: bool = True) -> Any:
    """The same where some indices name nothing: C or what was there; ``rows``: the free ones lie as the output does."""

    def gather_or_not(
        output_addr: np.ndarray, param_addr: np.ndarray, index_addr: np.ndarray, C: Any,  # noqa: N803
        fill_const: bool,
    ) -> np.ndarray:  # fmt: skip
        free = _free(index_addr)
        found = gather(param_addr, np.where(free, 0, index_addr).astype(index_addr.dtype))
        return np.where(free if rows else free.reshape(-1), C if fill_const else output_addr, found)

    return gather_or_not


def _scattered(axis: int, name: str) -> Any:
    def scatter(output_addr: np.ndarray, param_addr: np.ndarray, index_addr: np.ndarray) -> np.ndarray:
        found = output_addr.copy()
        index = _inside(index_addr, found.shape[axis], name)
        np.put_along_axis(found, index, np.broadcast_to(param_addr, (len(index), *param_addr.shape[1:])), axis)
        return found

    return scatter


_ELSE = "where an index has all bits, C if fill_const, else what was there"
_LAST = "of equal indices the last one wins (inferred)"
_COLUMNS = "output[n, c, 0, w] = param[0, c, 0, index[n, c, 0, w]]"
_LINES = "output[n, c, h] = param[0, c, index[n, c, h]]; lines are aligned"
of_channels = (
    *(
        _own(f"{prefix}_w_gather", "w", False, (_gathered(3, "param_w"), _COLUMNS))
        + _own(f"{prefix}_w_gather_exception", "w", False, (_or_not(_gathered(3, "param_w")),
               f"{_COLUMNS}, and {_ELSE}"), **_FILL)
        for prefix in ("batch_bcast", "4bank")
    ),
    _own("batch_bcast_w_scatter", "w", True,
         (_scattered(3, "shape.w"), f"output[n, c, 0, index[n, c, 0, w]] = param[0, c, 0, w]; {_LAST}")),
    _own("batch_bcast_h_gather", "h", False, (_gathered(2, "param_h"), _LINES)),
    _own("batch_bcast_h_gather_exception", "h", False, (_or_not(_gathered(2, "param_h")), f"{_LINES}, and {_ELSE}"),
         **_FILL),
    _own("batch_bcast_h_scatter", "h", True,
         (_scattered(2, "shape.h"), f"output[n, c, index[n, c, h]] = param[0, c, h]; lines are aligned; {_LAST}")),
)  # fmt: skip


def _selected(output_addr: np.ndarray, param_addr: np.ndarray, mask_addr: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    chosen, made = mask_addr != 0, output_addr.copy()
    counts = chosen.sum(3, dtype=np.uint16)[..., None]
    values = np.broadcast_to(param_addr, chosen.shape)
    made[np.arange(chosen.shape[3]) < counts] = values[chosen]
    return made, counts


mask_select = bdc(
    "void tpu_bdc_{op}(inout tensor<T> output_addr[shape],"
    " tensor<uint16> count_addr[(shape.n, shape.c, 1, 1) @ (-(-(lane_output_addr + shape.c) // lanes), 1, 1, 1)],"
    " const tensor<T> param_addr[(1, shape.c, 1, shape.w) @ (0, 0 if is_param_repeated else line, line, 1)],"
    " const tensor<B> mask_addr[shape], dim4 *shape, data_type dtype, data_type mask_dtype, bool is_param_repeated)",
    {
        "batch_bcast_w_mask_select": (
            _selected,
            "The elements of param[0, c, 0] whose mask[n, c, 0] is not 0, from the first column of output[n, c, 0] on,"
            f" and their number in count[n, c], compact; what lies behind them stays (inferred); {_REPEATED}",
        )
    },
    types={"T": EVERY, "B": "uint8 uint16 uint32"},
    let={"line": _LINE.format(width="shape.w")},
    engine="bdc_gather",
    work=work("bdc_gather", each=_OF_LANE.format(each="shape.w")),
    overlap="none",
    wider=Wider.BITS,
    adds="False",
    rules=(
        Require("shape.h == 1", rule="length"),
        *(Require(f"{operand} % eu_bytes == 0", rule="alignment") for operand in ("count_addr", "param_addr")),
    ),
)

# --- an index of all channels ----------------------------------------------------------------------------------------


def _shared(op: str, index: str, kind: str, member: tuple[Any, str], **parts: str) -> tuple[Instruction, ...]:
    """An instruction whose index lies across lanes from the first one on, an element in each; ``kind`` is its type."""
    scatters = "scatter" in op
    source = "shape.n, shape.c, param_h, param_w" if "param_h" in parts["sizes"] else "shape.n, shape.c, 1, param_w"
    typed = kind == "B"
    flat = (
        Require("shape.h == 1", rule="length") if not op.startswith("hw_s") else Require("param_h == 1", rule="length")
    )
    return bdc(
        f"void tpu_bdc_{{op}}({'inout ' if scatters or 'fill' in parts else ''}tensor<T> output_addr[shape],"
        f" const tensor<T> param_addr[({source})],"
        f" const tensor<{kind}> index_addr[(1, {index}, 1, 1) @ (1, 1, 1, 1)],{parts.get('fill', '')} dim4 *shape,"
        f" {parts['sizes']}, data_type dtype{', data_type index_dtype' if typed else ''}{parts.get('last', '')})",
        {op: member},
        types={"T": EVERY, "B": _NARROW} if typed else {"T": EVERY},
        engine="bdc_gather",
        work=work("bdc_gather", each=_OF_LANE.format(each=index)),
        overlap="none",
        elsewhere=("index_addr",),
        wider=Wider.BITS,
        rules=(
            flat,
            *within(*(size.split()[1] for size in parts["sizes"].split(", "))),
            Require("lane_index_addr == 0", rule="lane"),
            Require("index_addr % eu_bytes == 0", rule="alignment"),
        ),
        **({"measured": {"kept": _not_all_named}, "adds": "kept"} if scatters else {}),
        **({"measured": {"kept": _left_out}, "adds": "kept and not fill_const"} if "fill" in parts else {}),
    )  # fmt: skip


def _places(index: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Positions in a channel: of pairs, the row is in the low half and the column in the high one (inferred)."""
    flat = index.reshape(-1)
    if flat.dtype.itemsize < 4:
        return _inside(flat, shape[3], "the columns of the other side")
    rows, columns = flat & 0xFFFF, flat >> 16
    return np.asarray(_inside(rows, shape[2], "its rows") * shape[3] + _inside(columns, shape[3], "its columns"))


def _flat(tensor: np.ndarray) -> np.ndarray:
    return tensor.reshape(*tensor.shape[:2], -1)


def _by_all(param_addr: np.ndarray, index_addr: np.ndarray) -> np.ndarray:
    return np.asarray(_flat(param_addr)[:, :, None, _places(index_addr, param_addr.shape)])


def _to_all(output_addr: np.ndarray, param_addr: np.ndarray, index_addr: np.ndarray) -> np.ndarray:
    found = output_addr.copy()
    _flat(found)[:, :, _places(index_addr, found.shape)] = _flat(param_addr)
    return found


def _not_all_named(index_addr: np.ndarray, shape: Any) -> bool:
    flat = index_addr.reshape(-1)
    return bool(len(np.unique(flat)) < shape.h * shape.w)


_W, _HW = {"sizes": "int32 param_w"}, {"sizes": "int32 param_h, int32 param_w"}
_ONE = "output[n, c, 0, w] = param[n, c, 0, index[w]]"
_PAIR = "output[n, c, 0, w] = param[n, c, row, column], index[w] being row + 65536 * column (inferred)"
_ALL_OR_NOT = _or_not(_by_all, rows=False)
of_all_channels = (
    _shared("w_gather", "shape.w", "B", (_by_all, _ONE), **_W),
    _shared("w_gather_exception", "shape.w", "B", (_ALL_OR_NOT, f"{_ONE}, and {_ELSE}"), **_W, **_FILL),
    _shared("w_scatter", "param_w", "B", (_to_all, f"output[n, c, 0, index[w]] = param[n, c, 0, w]; {_LAST}"), **_W),
    _shared("hw_gather", "shape.w", "uint32", (_by_all, _PAIR), **_HW),
    _shared("hw_gather_exception", "shape.w", "uint32", (_ALL_OR_NOT, f"{_PAIR}, and {_ELSE}"), **_HW, **_FILL),
    _shared("hw_scatter", "param_w", "uint32",
            (_to_all, f"output[n, c, row, column] = param[n, c, 0, w], as index[w] says; {_LAST}"), **_HW),
)  # fmt: skip
