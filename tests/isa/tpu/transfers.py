"""What GDMA's functions do, stated again in plain Python. Source: tpu_api.md, sections 6.9 and 6.10."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from math import prod
from typing import Any

from tests.isa.lane_cases import CODES, Case, Outside
from tests.isa.references.lanes import Four, Tensor, system_put
from tests.isa.references.numbers import encode, is_floating, size_of
from tests.isa.references.values import mixed
from tests.isa.tpu.bench import ALIGNED, STRIDED, Bench, Index, dim4
from tests.isa.tpu.rows import EVERY


def _side(bench: Bench, where: str, shape: Four) -> tuple[Tensor, bool, Any]:
    """An operand, whether it lies outside, and what is passed for it."""
    if where == "L":
        tensor = bench.inside(shape, bench.chance.choice((ALIGNED, STRIDED, "dense")))
        return tensor, False, tensor.address
    _, c, h, w = shape
    channel = h * (2 * w + 1)
    tensor = bench.beyond(shape, bench.chance.choice((None, (c * channel, channel, 2 * w + 1, 2))))
    return tensor, True, Outside(tensor.address)


def _way(
    name: str,
    way: str,
    source: Callable[[Four], Four],
    index: Callable[[Index, Four], Index],
    most: int = 130,
    shapes: int = 1,
    engine: str = "gdma",
) -> Callable[[Bench, Four], Case]:
    def make(bench: Bench, shape: Four) -> Case:
        shape = (shape[0], min(shape[1], most), shape[2], shape[3])  # what it comes from has to fit a lane
        dst, outside, to = _side(bench, way[-1], shape)
        src, beyond, of = _side(bench, way[0], source(shape))
        given = bench.values(src, beyond)
        passed = [dim4(shape), *([dim4(src.shape)] if shapes > 1 else [])]
        return bench.case(
            f"{engine}_{name}_{way}", dst, outside, lambda i: given[index(i, shape)],
            [to, of, *passed, dim4(dst.stride), dim4(src.stride), CODES[bench.kind]],
        )  # fmt: skip

    return make


def _flat(shape: Four) -> Four:
    n, c, h, w = shape
    return (1, h, n * c, w)


def _of_flat(index: Index, shape: Four) -> Index:
    n, c, h, w = index
    at = ((n * shape[1] + c) * shape[2] + h) * shape[3] + w
    rows = shape[0] * shape[1]
    return (0, at // (rows * shape[3]), at // shape[3] % rows, at % shape[3])


def fill(where: str, name: str, engine: str = "gdma") -> Callable[[Bench, Four], Case]:
    def make(bench: Bench, shape: Four) -> Case:
        dst, outside, to = _side(bench, where, shape)
        value = encode(bench.kind, [mixed(bench.kind, 1, bench.chance.random())[0]])
        return bench.case(
            f"{engine}_{name}", dst, outside, lambda i: value,
            [to, int.from_bytes(value, "little"), dim4(shape), dim4(dst.stride), CODES[bench.kind]],
        )  # fmt: skip

    return make


def system_set(bench: Bench, shape: Four, engine: str = "gdma") -> Case:
    dst = bench.beyond((1, 1, 1, bench.chance.randrange(1, 200)))
    value = encode(bench.kind, [mixed(bench.kind, 1, bench.chance.random())[0]])
    return bench.case(
        f"{engine}_system_set", dst, True, lambda i: value,
        [Outside(dst.address), int.from_bytes(value, "little"), dst.shape[3], CODES[bench.kind]],
    )  # fmt: skip


def system_cpy(bench: Bench, shape: Four, engine: str = "gdma") -> Case:
    count = bench.chance.randrange(1, 200)
    dst, src = (bench.beyond((1, 1, 1, count)) for _ in range(2))
    given = bench.values(src, True)
    return bench.case(
        f"{engine}_system_cpy", dst, True, lambda i: given[i],
        [Outside(dst.address), Outside(src.address), count, CODES[bench.kind]],
    )  # fmt: skip


def channel_bcast(bench: Bench, shape: Four) -> Case:
    n, c, h, w = shape
    shape = (n, min(c, bench.lanes - bench.start), h, w)
    dst, _, to = _side(bench, "L", shape)
    src, _, of = _side(bench, "S", (n, 1, h, w))
    given = bench.values(src, True)
    return bench.case(
        "gdma_channel_bcast_S2L", dst, False, lambda i: given[i[0], 0, i[2], i[3]],
        [to, of, dim4(shape), dim4(dst.stride), dim4(src.stride), CODES[bench.kind]],
    )  # fmt: skip


def _matrix(bench: Bench) -> tuple[int, int, int, int]:
    rows, cols = bench.chance.randrange(1, 5), bench.chance.choice((1, 7, 64, 131))
    per = bench.chance.choice((1, 2, 3, cols, cols + 5))
    return rows, cols, per, cols + bench.chance.randrange(3)


def _dealt(bench: Bench, rows: int, cols: int, per: int) -> tuple[Tensor, Callable[[int, int], tuple[int, int]]]:
    """A matrix across lanes, and the lane and byte of an element."""
    whole = bench.inside((rows, -(-cols // per), 1, per))
    return whole, lambda r, k: bench.local.place(whole, (r, k // per, 0, k % per))


def matrix_in(bench: Bench, shape: Four) -> Case:
    rows, cols, per, step = _matrix(bench)
    size = size_of(bench.kind)
    whole, place = _dealt(bench, rows, cols, per)
    src = bench.beyond((1, 1, rows, cols), (0, 0, step, 1))
    case = bench.case(
        "gdma_matrix_S2L", replace(whole, shape=(0, 0, 0, 0)), False, lambda i: b"",
        [whole.address, Outside(src.address), rows, cols, per, step, CODES[bench.kind]],
    )  # fmt: skip
    for (_, _, row, column), raw in bench.values(src, True).items():
        lane, byte = place(row, column)
        bench.local.held[lane][byte : byte + size] = raw
    return case


def matrix_out(bench: Bench, shape: Four) -> Case:
    rows, cols, per, step = _matrix(bench)
    size = size_of(bench.kind)
    whole, place = _dealt(bench, rows, cols, per)
    dst = bench.beyond((1, 1, rows, cols), (0, 0, step, 1))

    def value(index: Index) -> bytes:
        lane, byte = place(index[2], index[3])
        return bytes(bench.local.held[lane][byte : byte + size])

    return bench.case(
        "gdma_matrix_L2S", dst, True, value,
        [Outside(dst.address), whole.address, rows, cols, per, step, CODES[bench.kind]],
    )  # fmt: skip


def _indices(bench: Bench, shape: Four, below: int, anywhere: bool) -> tuple[dict[Index, int], list[Any]]:
    """An index for each line, some of them too large, in system or local memory; the arguments for it."""
    local = anywhere and bench.chance.random() < 0.5
    tensor = bench.inside(shape, kind="uint32") if local else bench.beyond(shape, kind="uint32")
    found = {index: bench.chance.randrange(below + 2) for index in tensor.indices()}
    raw = [encode("uint32", [value]) for value in found.values()]
    if local:
        bench.local.put(tensor, raw)
    else:
        system_put(bench.system, tensor, raw)
    return found, [tensor.address if local else Outside(tensor.address), *([int(local)] if anywhere else [])]


def gather(way: str, engine: str = "gdma") -> Callable[[Bench, Four], Case]:
    def make(bench: Bench, shape: Four) -> Case:
        _, c, h, w = shape
        high = bench.chance.randrange(1, 5)
        dst, outside, to = _side(bench, way[-1], (1, c, h, w))
        src, beyond, of = _side(bench, way[0], (1, c, high, w))
        index, passed = _indices(bench, (1, c, h, 1), high, engine == "gdma")
        given, other = bench.values(src, beyond), encode(bench.kind, [mixed(bench.kind, 1, bench.chance.random())[0]])

        def value(at: Index) -> bytes:
            line = index[0, at[1], at[2], 0]
            return given[0, at[1], line, at[3]] if line < high else other

        return bench.case(
            f"{engine}_h_gather_{way}", dst, outside, value,
            [to, of, *passed, int.from_bytes(other, "little"), dim4(dst.shape), high, dim4(dst.stride),
             dim4(src.stride), dim4(None), CODES[bench.kind]],
        )  # fmt: skip

    return make


def scatter(way: str, engine: str = "gdma") -> Callable[[Bench, Four], Case]:
    """No two lines go to one place."""

    def make(bench: Bench, shape: Four) -> Case:
        _, c, h, w = shape
        high = bench.chance.randrange(1, h + 1)
        dst, outside, to = _side(bench, way[-1], (1, c, h, w))
        src, beyond, of = _side(bench, way[0], (1, c, high, w))
        inside = engine == "gdma"
        lines = (bench.inside if inside else bench.beyond)((1, c, high, 1), kind="uint32")
        index = {
            (channel, line): to_line
            for channel in range(c)
            for line, to_line in enumerate(bench.chance.sample(range(h), high))
        }
        raw = [encode("uint32", [index[i[1], i[2]]]) for i in lines.indices()]
        bench.local.put(lines, raw) if inside else system_put(bench.system, lines, raw)
        given, old = bench.values(src, beyond), bench.values(dst, outside)
        new = {(0, channel, to_line, k): given[0, channel, line, k] for (channel, line), to_line in index.items()
               for k in range(w)}  # fmt: skip
        return bench.case(
            f"{engine}_h_scatter_{way}", dst, outside, lambda i: new.get(i, old[i]),
            [to, of, *([lines.address, 1] if inside else [Outside(lines.address)]), dim4(dst.shape), high,
             dim4(dst.stride), dim4(src.stride), dim4(None), CODES[bench.kind]],
        )  # fmt: skip

    return make


def _zeros(bench: Bench, tensor: Tensor, outside: bool) -> dict[Index, bytes]:
    """Some elements of a tensor become 0, or -0, which is 0; empty bytes stand for them."""
    zeros = [encode(tensor.kind, [zero]) for zero in ((0.0, -0.0) if is_floating(tensor.kind) else (0,))]
    held = bench.values(tensor, outside)
    given = [bench.chance.choice((raw, *zeros)) for raw in held.values()]
    system_put(bench.system, tensor, given) if outside else bench.local.put(tensor, given)
    return {at: b"" if raw in zeros else raw for at, raw in zip(held, given, strict=True)}


def _source(bench: Bench, where: str, shape: Four, kind: str = "") -> tuple[Tensor, Any]:
    """An operand without strides, and what is passed for it."""
    tensor = bench.inside(shape, kind=kind) if where == "L" else bench.beyond(shape, kind=kind)
    return tensor, tensor.address if where == "L" else Outside(tensor.address)


def nonzero(way: str, engine: str = "gdma") -> Callable[[Bench, Four], Case]:
    def make(bench: Bench, shape: Four) -> Case:
        (src, of), room = _source(bench, way[0], shape), bench.beyond((1, 1, 1, prod(shape)), kind="int32")
        base = bench.chance.choice((0, 5, 1 << 20))
        found = [at + base for at, raw in enumerate(_zeros(bench, src, way[0] == "S").values()) if raw]
        return bench.case(
            f"{engine}_nonzero_{way}", replace(room, shape=(1, 1, 1, len(found))), True,
            lambda i: encode("int32", [found[i[3]]]),
            [Outside(room.address), of, dim4(shape), CODES[bench.kind], base],
        )  # fmt: skip

    return make


def mask_select(way: str, engine: str = "gdma") -> Callable[[Bench, Four], Case]:
    def make(bench: Bench, shape: Four) -> Case:
        (src, of), room = _source(bench, way[0], shape), bench.beyond((1, 1, 1, prod(shape)))
        kind, local = (
            bench.chance.choice(("uint8", "int16", "uint32")),
            engine == "gdma" and bench.chance.random() < 0.5,
        )
        mask, by = _source(bench, "L" if local else "S", shape, kind)
        given = bench.values(src, way[0] == "S")
        found = [given[at] for at, raw in _zeros(bench, mask, not local).items() if raw]
        return bench.case(
            f"{engine}_mask_select_{way}", replace(room, shape=(1, 1, 1, len(found))), True, lambda i: found[i[3]],
            [Outside(room.address), of, by, *([int(local)] if engine == "gdma" else []), dim4(shape),
             CODES[bench.kind], CODES[kind]],
        )  # fmt: skip

    return make


def reverse(way: str, engine: str = "gdma") -> Callable[[Bench, Four], Case]:
    """From local memory only channels."""

    def make(bench: Bench, shape: Four) -> Case:
        axis, shape = 1 if way[0] == "L" else bench.chance.randrange(4), (1, min(shape[1], 70), *shape[2:])
        dst, outside, to = _side(bench, way[-1], shape)
        src, beyond, of = _side(bench, way[0], shape)
        given = bench.values(src, beyond)

        def value(i: Index) -> bytes:
            n, c, h, w = (shape[k] - 1 - i[k] if k == axis else i[k] for k in range(4))
            return given[n, c, h, w]

        return bench.case(
            f"{engine}_reverse_{way}", dst, outside, value,
            [to, of, dim4(shape), dim4(dst.stride), dim4(src.stride), axis, CODES[bench.kind]],
        )  # fmt: skip

    return make


def reduce(bench: Bench, shape: Four) -> Case:
    """Small whole numbers, so that a result is exact in every type."""
    shape = (1, min(shape[1], 70), *shape[2:])
    psum, opcode = bench.chance.randrange(2), bench.chance.choice((0, 2, 3, 4))
    (dst, outside, to), (src, _, of) = _side(bench, "S", shape), _side(bench, "L", shape)
    drawn = [[bench.chance.randrange(9) for _ in range(prod(shape))] for _ in range(2)]
    pairs = dict(zip(dst.indices(), zip(*drawn, strict=True), strict=True))
    system_put(bench.system, dst, [encode(bench.kind, [value]) for value in drawn[0]])
    bench.local.write(src, drawn[1])
    value = {0: lambda a, b: b, 2: max, 3: min, 4: lambda a, b: a + b}[opcode if psum else 0]
    return bench.case(
        "gdma_cpy_reduce_L12L2", dst, outside, lambda i: encode(bench.kind, [value(*pairs[i])]),
        [to, of, dim4(shape), dim4(dst.stride), dim4(src.stride), CODES[bench.kind], psum, opcode],
    )  # fmt: skip


#: What the source's shape is of the result's, and its index of the result's.
_TURNS: Mapping[str, tuple[Callable[[Four], Four], Callable[[Index, Four], Index]]] = {
    "cw": (lambda s: (s[0], s[3], s[2], s[1]), lambda i, s: (i[0], i[3], i[2], i[1])),
    "nc": (lambda s: (s[1], s[0], s[2], s[3]), lambda i, s: (i[1], i[0], i[2], i[3])),
}
_PICKED = ("nonzero", nonzero), ("mask_select", mask_select)
_COPIES = ("S2L", "L2S", "S2S", "L2L")
#: Name -> how a call is made, and the types to draw from.
MOVES: Mapping[str, tuple[Callable[[Bench, Four], Case], tuple[str, ...]]] = {
    **{f"gdma_cpy_{way}": (_way("cpy", way, lambda s: s, lambda i, s: i), EVERY) for way in _COPIES},
    **{
        f"gdma_cpy_cw_trans_{way}": (
            _way("cpy_cw_trans", way, *_TURNS["cw"], 40),
            EVERY,
        )
        for way in _COPIES
    },
    **{
        f"gdma_cpy_nc_trans_{way}": (
            _way("cpy_nc_trans", way, *_TURNS["nc"], 9),
            EVERY,
        )
        for way in _COPIES
    },
    **{
        f"gdma_general_cpy_{way}": (_way("general_cpy", way, _flat, _of_flat, 9, 2), EVERY)
        for way in ("S2L", "L2S", "L2L")
    },
    "gdma_set_C_local": (fill("L", "set_C_local"), EVERY),
    "gdma_set_C_system": (fill("S", "set_C_system"), EVERY),
    "gdma_system_set": (system_set, EVERY),
    "gdma_channel_bcast_S2L": (channel_bcast, EVERY),
    "gdma_matrix_S2L": (matrix_in, EVERY),
    "gdma_matrix_L2S": (matrix_out, EVERY),
    **{f"gdma_h_gather_{way}": (gather(way), EVERY) for way in _COPIES},
    **{f"gdma_h_scatter_{way}": (scatter(way), EVERY) for way in _COPIES},
    "gdma_system_cpy": (system_cpy, EVERY),
    **{f"gdma_{op}_{way}": (make(way), EVERY) for op, make in _PICKED for way in ("S2S", "L2S")},
    **{f"sdma_{op}_S2S": (make("S2S", "sdma"), EVERY) for op, make in (*_PICKED, ("reverse", reverse))},
    **{f"gdma_reverse_{way}": (reverse(way), EVERY) for way in _COPIES},
    "gdma_cpy_reduce_L12L2": (reduce, ("float", "half", "bfloat16", "int32", "uint32")),
    "sdma_cpy_S2S": (_way("cpy", "S2S", lambda s: s, lambda i, s: i, engine="sdma"), EVERY),
    "sdma_cpy_cw_trans_S2S": (_way("cpy_cw_trans", "S2S", *_TURNS["cw"], 40, engine="sdma"), EVERY),
    "sdma_cpy_nc_trans_S2S": (_way("cpy_nc_trans", "S2S", *_TURNS["nc"], 9, engine="sdma"), EVERY),
    "sdma_set_C_system": (fill("S", "set_C_system", "sdma"), EVERY),
    "sdma_system_set": (partial(system_set, engine="sdma"), EVERY),
    "sdma_system_cpy": (partial(system_cpy, engine="sdma"), EVERY),
    "sdma_h_gather_S2S": (gather("S2S", "sdma"), EVERY),
    "sdma_h_scatter_S2S": (scatter("S2S", "sdma"), EVERY),
}
