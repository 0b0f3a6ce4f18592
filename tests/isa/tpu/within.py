"""What BDC's gathers and scatters within lanes do, stated again in plain Python.

Source: tpu_api.md, section 7; the comments of the vendor's checkers (atomic_sg.c, atomic_sgl.c).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from tests.isa.lane_cases import CODES, Case
from tests.isa.references.lanes import Four, Tensor
from tests.isa.references.numbers import encode
from tests.isa.references.values import mixed
from tests.isa.tpu.bench import ALIGNED, Bench, Index, dim4
from tests.isa.tpu.rows import EVERY

Make = Callable[[Bench, Four], Case]
_ALL_BITS = {"uint8": 255, "uint16": 65535, "uint32": 0xFFFFFFFF}


def _shared_by_channels(tensor: Tensor, repeated: bool) -> Tensor:
    """A tensor of which each lane keeps one row of lanes for all."""
    if not repeated:
        return tensor
    _, _, hs, ws = tensor.stride or (0, 0, tensor.shape[3], 1)
    return replace(tensor, stride=(0, 0, hs, ws))


def _drawn(bench: Bench, index: Tensor, below: int, unequal: int = 0, free: bool = False) -> dict[Index, int]:
    """Indices below a number, no two alike along the axis ``unequal``; some of all bits if ``free``."""
    chance, found = bench.chance, {}
    for at in index.indices():
        if unequal and at[unequal] == 0:
            given = iter(chance.sample(range(below), index.shape[unequal]))
        found[at] = next(given) if unequal else chance.randrange(below)
        if free and chance.random() < 0.3:
            found[at] = _ALL_BITS[index.kind]
    bench.local.write(index, list(found.values()))
    return found


def _constant(bench: Bench) -> bytes:
    return encode(bench.kind, [mixed(bench.kind, 1, bench.chance.random())[0]])


def own_gather(op: str, lines: bool) -> Make:
    """An index for each column of a channel, or for each of its lines."""

    def make(bench: Bench, shape: Four) -> Case:
        chance, (n, c, h, w), fill = bench.chance, shape, op.endswith("exception")
        kind, repeated, layout = chance.choice(("uint8", "uint16")), chance.random() < 0.5, "line" if lines else ALIGNED
        h, below = h if lines else 1, chance.randrange(1, 9)
        dst = bench.inside((n, c, h, w), layout)
        param = _shared_by_channels(bench.inside((1, c, below, w) if lines else (1, c, 1, below), layout), repeated)
        index = bench.inside((n, c, h, 1) if lines else (n, c, 1, w), kind=kind)
        given, old = bench.values(param), bench.values(dst)
        at = _drawn(bench, index, below, free=fill)
        constant, filled = _constant(bench), chance.random() < 0.5

        def value(i: Index) -> bytes:
            found = at[(i[0], i[1], i[2], 0) if lines else i]
            if fill and found == _ALL_BITS[kind]:
                return constant if filled else old[i]
            return given[(0, i[1], found, i[3]) if lines else (0, i[1], 0, found)]

        return bench.case(
            f"bdc_{op}", dst, False, value,
            [dst.address, param.address, index.address, *([int.from_bytes(constant, "little")] if fill else []),
             dim4(dst.shape), below, CODES[bench.kind], CODES[kind], int(repeated), *([int(filled)] if fill else [])],
        )  # fmt: skip

    return make


def own_scatter(op: str, lines: bool) -> Make:
    """No two go to one place."""

    def make(bench: Bench, shape: Four) -> Case:
        chance, (n, c, h, w) = bench.chance, shape
        kind, repeated, layout = chance.choice(("uint8", "uint16")), chance.random() < 0.5, "line" if lines else ALIGNED
        to = (n, c, h, w) if lines else (n, c, 1, w)
        count = chance.randrange(1, (h if lines else w) + 1)
        dst = bench.inside(to, layout)
        param = _shared_by_channels(bench.inside((1, c, count, w) if lines else (1, c, 1, count), layout), repeated)
        index = bench.inside((n, c, count, 1) if lines else (n, c, 1, count), kind=kind)
        given, new = bench.values(param), bench.values(dst)
        for i, place in _drawn(bench, index, h if lines else w, unequal=2 if lines else 3).items():
            for column in range(w) if lines else [place]:
                source = (0, i[1], i[2], column) if lines else (0, i[1], 0, i[3])
                new[(i[0], i[1], place, column) if lines else (i[0], i[1], 0, place)] = given[source]
        return bench.case(
            f"bdc_{op}", dst, False, new.__getitem__,
            [dst.address, param.address, index.address, dim4(to), count, CODES[bench.kind], CODES[kind], int(repeated)],
        )  # fmt: skip

    return make


def shared_gather(op: str, pairs: bool) -> Make:
    """One index for all channels, an element in each lane."""

    def make(bench: Bench, shape: Four) -> Case:
        chance, (n, c, _, w), fill = bench.chance, shape, op.endswith("exception")
        kind = "uint32" if pairs else chance.choice(("uint8", "uint16"))
        high, below = chance.randrange(1, 5) if pairs else 1, chance.randrange(1, 9)
        dst, param = bench.inside((n, c, 1, w)), bench.inside((n, c, high, below))
        index = _index(bench, w, kind)
        given, old = bench.values(param), bench.values(dst)
        places = [
            None if fill and chance.random() < 0.3 else (chance.randrange(high), chance.randrange(below))
            for _ in range(w)
        ]
        bench.local.write(
            index, [_ALL_BITS[kind] if p is None else p[0] * pairs + (p[1] << 16 * pairs) for p in places]
        )
        constant, filled = _constant(bench), chance.random() < 0.5

        def value(i: Index) -> bytes:
            place = places[i[3]]
            if place is None:
                return constant if filled else old[i]
            return given[i[0], i[1], place[0], place[1]]

        return bench.case(
            f"bdc_{op}", dst, False, value,
            [dst.address, param.address, index.address, *([int.from_bytes(constant, "little")] if fill else []),
             dim4(dst.shape), *([high] if pairs else []), below, CODES[bench.kind], *([] if pairs else [CODES[kind]]),
             *([int(filled)] if fill else [])],
        )  # fmt: skip

    return make


def shared_scatter(op: str, pairs: bool) -> Make:
    """No two go to one place."""

    def make(bench: Bench, shape: Four) -> Case:
        chance, (n, c, h, w) = bench.chance, shape
        kind, h = ("uint32", h) if pairs else (chance.choice(("uint8", "uint16")), 1)
        count = chance.randrange(1, h * w + 1)
        dst, param = bench.inside((n, c, h, w)), bench.inside((n, c, 1, count))
        index = _index(bench, count, kind)
        places = [divmod(place, w) for place in chance.sample(range(h * w), count)]
        given, new = bench.values(param), bench.values(dst)
        bench.local.write(index, [y * pairs + (x << 16 * pairs) for y, x in places])
        for image, channel, _, k in param.indices():
            new[(image, channel, *places[k])] = given[image, channel, 0, k]
        return bench.case(
            f"bdc_{op}", dst, False, new.__getitem__,
            [dst.address, param.address, index.address, dim4(dst.shape), *([1] if pairs else []), count,
             CODES[bench.kind], *([] if pairs else [CODES[kind]])],
        )  # fmt: skip

    return make


def _index(bench: Bench, count: int, kind: str) -> Tensor:
    aligned = bench.inside((1, count, 1, 1), lane=0, kind=kind)
    return replace(aligned, stride=(1, 1, 1, 1))


def mask_select(bench: Bench, shape: Four) -> Case:
    chance, (n, c, _, w) = bench.chance, shape
    kind, repeated = chance.choice(("uint8", "uint16", "uint32")), chance.random() < 0.5
    dst, param = bench.inside((n, c, 1, w)), _shared_by_channels(bench.inside((1, c, 1, w)), repeated)
    mask, counts = bench.inside((n, c, 1, w), kind=kind), bench.inside((n, c, 1, 1), kind="uint16")
    rows = -(-(bench.start + c) // bench.lanes)
    counts = replace(counts, stride=(rows, 1, 1, 1))
    given, new = bench.values(param), bench.values(dst)
    chosen = {i: chance.choice((0, 0, 1, 200)) for i in mask.indices()}
    bench.local.write(mask, list(chosen.values()))
    found: dict[Index, list[bytes]] = {i: [] for i in counts.indices()}
    for (image, channel, _, column), wanted in chosen.items():
        if wanted:
            found[image, channel, 0, 0].append(given[0, channel, 0, column])
    for (image, channel, _, _), values in found.items():
        new.update({(image, channel, 0, column): value for column, value in enumerate(values)})
    case = bench.case(
        "bdc_batch_bcast_w_mask_select", dst, False, new.__getitem__,
        [dst.address, counts.address, param.address, mask.address, dim4(dst.shape), CODES[bench.kind], CODES[kind],
         int(repeated)],
    )  # fmt: skip
    bench.local.write(counts, [len(values) for values in found.values()])
    return case


MOVES: Mapping[str, tuple[Make, tuple[str, ...]]] = {
    **{
        f"bdc_{op}{exception}": (own_gather(f"{op}{exception}", "_h_" in op), EVERY)
        for op in ("batch_bcast_w_gather", "4bank_w_gather", "batch_bcast_h_gather")
        for exception in ("", "_exception")
    },
    **{f"bdc_batch_bcast_{a}_scatter": (own_scatter(f"batch_bcast_{a}_scatter", a == "h"), EVERY) for a in "wh"},
    **{
        f"bdc_{op}{exception}": (shared_gather(f"{op}{exception}", op == "hw_gather"), EVERY)
        for op in ("w_gather", "hw_gather")
        for exception in ("", "_exception")
    },
    **{f"bdc_{op}": (shared_scatter(op, op == "hw_scatter"), EVERY) for op in ("w_scatter", "hw_scatter")},
    "bdc_batch_bcast_w_mask_select": (mask_select, EVERY),
}
