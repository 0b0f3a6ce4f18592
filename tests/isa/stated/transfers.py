"""Copies, fills and gathers of TPU-KERNEL's GDMA. Source: tpu_api.md, sections 5, 6.9 and 6.10."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.isa.stated.products import dealt, sizes
from tests.isa.stated.words import EVERY, FLOATS, WHOLE, Row

_STRIDED = "shape &dst &src #T"
_MOVED: dict[str, Any] = {"facts": {"moves": "src_addr"}}
_MARKS = {"S": "/", "L": ":"}
_ALIGNED = {"S": "/", "L": "="}


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
        channels = ("argument: reverse_axis == 1",) if way[0] == "L" else ()
        yield row(f"{engine}_reverse_{way}", f"dst{dst}T src{src}T shape &dst &src reverse_axis #T",
                  limits=("argument!: 0 <= reverse_axis <= 3", *channels),
                  call={"reverse_axis": 1}, **_MOVED)  # fmt: skip
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


def _counted(engine: str, *ways: str) -> Iterator[Row]:
    facts: dict[str, Any] = {"wider": "BITS", "facts": {"counts": "found"}}
    work, local = "n * c * h * w * sizeof_src", " mask_in_lmem" * (engine == "gdma")
    for way in ways:
        yield row(f"{engine}_nonzero_{way}", f"dst/int32(1,1,1,found) src{_ALIGNED[way[0]]}T shape #T base_idx", work,
                  **facts)  # fmt: skip
        yield row(f"{engine}_mask_select_{way}", f"dst/T(1,1,1,found) src{_ALIGNED[way[0]]}T mask/B{local} shape #T #B",
                  work, types={"T": EVERY, "B": WHOLE}, **facts)  # fmt: skip


def _reduced() -> Iterator[Row]:
    yield row("gdma_cpy_reduce_L12L2", "+dst/T src:T shape &dst &src #T reduce_psum_op reduce_opcode",
              types={"T": f"{FLOATS} int32 uint32"}, facts={"adds": "reduce_psum_op"},
              limits=("argument!: 0 <= reduce_psum_op <= 1", "argument!: 0 <= reduce_opcode <= 4",
                      "argument: reduce_opcode != 1 or dtype not in (8, 9)"),
              call={"reduce_psum_op": 1, "reduce_opcode": 4})  # fmt: skip


TRANSFERS = (
    *_gdma(),
    *system("gdma"),
    *_counted("gdma", "S2S", "L2S"),
    *_counted("sdma", "S2S"),
    *_reduced(),
    *ways("sdma", "S2S"),
    *system("sdma"),
)
