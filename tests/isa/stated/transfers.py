"""Copies, fills and gathers of TPU-KERNEL's GDMA. Source: tpu_api.md, sections 5, 6.9 and 6.10."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.isa.stated.products import dealt, sizes
from tests.isa.stated.words import EVERY, Row

_STRIDED = "shape &dst &src #T"
_MOVED: dict[str, Any] = {"facts": {"moves": "src_addr"}}
_MARKS = {"S": "/", "L": ":"}


def row(name: str, words: str, work: str = "n * c * h * w * sizeof_dst", **more: Any) -> Row:
    """A command whose work is bytes."""
    return Row(f"tpu_{name}", words, **{"types": {"T": EVERY}, "work": work, "overlap": "any", **more})


def ways(engine: str, *names: str) -> Iterator[Row]:
    """Commands between memories, in all directions (``S2L`` and so on)."""
    for way in names:
        dst, src = _MARKS[way[2]], _MARKS[way[0]]
        yield row(f"{engine}_cpy_{way}", f"dst{dst}T src{src}T {_STRIDED}", facts={"provenance": "documented"})
        for turn, shape in (("cw", "(n,w,h,c)"), ("nc", "(c,n,h,w)")):
            words = f"dst{dst}T(n,c,h,w) src{src}T{shape} dst_{_STRIDED}"
            yield row(f"{engine}_cpy_{turn}_trans_{way}", words, **_MOVED)
        for name, inout, lines, scalar in (("gather", "", "h", "C~T "), ("scatter", "+", "param_h", "")):
            yield row(
                f"{engine}_h_{name}_{way}",
                f"{inout}out{dst}T src{src}T(1,c,param_h,w) index/uint32(1,c,{lines},1)"
                f"{' index_is_local' if engine == 'gdma' else ''} {scalar}shape"
                " param_h &out &src &index #T",
                "c * h * w * sizeof_out", limits=("length: shape.n == 1", "length: 1 <= param_h <= 65535"),
                call={"shape": (1, 3, 4, 5), "param_h": 7}, facts={"adds": "kept" * bool(inout)},
            )  # fmt: skip


def _gdma() -> Iterator[Row]:
    yield from ways("gdma", "S2L", "L2S", "S2S", "L2L")
    for way in ("S2L", "L2S", "L2L"):
        yield row(
            f"gdma_general_cpy_{way}",
            f"dst{_MARKS[way[2]]}T(n,c,h,w) src{_MARKS[way[0]]}T(*src_shape,) dst_shape src_{_STRIDED}",
            limits=("length!: n * c * h * w == src_shape.n * src_shape.c * src_shape.h * src_shape.w",), **_MOVED,
        )  # fmt: skip
    yield row("gdma_set_C_local", "dst:T C~T shape &dst #T")
    yield row("gdma_channel_bcast_S2L", f"dst:T src/T(n,1,h,w) {_STRIDED}", limits=("lane: lane_dst + c <= lanes",),
              bases=({"shape_c": 61}, {"shape_c": 29}), **_MOVED)  # fmt: skip
    lanes, system = dealt("rows", "cols", "cols_per_channel"), "(1,1,rows,cols)^(0,0,row_stride,1)"
    matrix = {"call": {"rows": 4, "cols": 12, "cols_per_channel": 5, "row_stride": 16}, **_MOVED,
              "bases": ({"rows": 1}, {"cols": 11, "cols_per_channel": 3}, {"row_stride": 1 << 20})}  # fmt: skip
    last, within = "rows cols cols_per_channel row_stride #T", sizes("rows", "cols", "cols_per_channel")
    yield row("gdma_matrix_S2L", f"dst=T{lanes} src/T{system} {last}", "rows * cols * sizeof_dst",
              limits=(*within, "argument: row_stride >= 0"), **matrix)  # fmt: skip
    yield row("gdma_matrix_L2S", f"dst/T{system} src=T{lanes} {last}", "rows * cols * sizeof_dst",
              limits=(*within, "argument: rows == 1 or row_stride >= cols"), **matrix)  # fmt: skip


def system(engine: str) -> Iterator[Row]:
    """What is done to system memory alone."""
    yield row(f"{engine}_set_C_system", "dst/T C~T shape &dst #T")
    yield row(f"{engine}_system_set", "dst/T(1,1,1,count) C~T count #T", "count * sizeof_dst",
              limits=("length: count > 0",), call={"count": 9})  # fmt: skip
    yield row(f"{engine}_system_cpy", "dst/T(1,1,1,count) src/T(1,1,1,count) count #T", "count * sizeof_dst",
              limits=("length: count > 0",), call={"count": 9})  # fmt: skip


def _nonzero() -> Iterator[Row]:
    yield row("gdma_nonzero_S2S", "dst/int32(1,1,1,found) src/T shape #T base_idx", "n * c * h * w * sizeof_src",
              wider="BITS", facts={"counts": "found"})  # fmt: skip


TRANSFERS = (*_gdma(), *system("gdma"), *_nonzero(), *ways("sdma", "S2S"), *system("sdma"))
