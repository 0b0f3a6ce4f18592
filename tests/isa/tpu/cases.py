"""Calls of the functions of `rows`, with memory as the reference leaves it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from tests.isa.lane_cases import CODES, LAYOUTS, PLAIN, Case, Room, Struct, device, local_memory
from tests.isa.references.lanes import Four, Tensor
from tests.isa.references.numbers import encode, rounded
from tests.isa.references.values import mixed
from tests.isa.tpu.rows import VALUES, Kinds, Row

TENSOR, SCALAR, VECTOR = 0, 1, 2
#: Start lanes and shapes: fewer channels than lanes, as many, more, more than twice as many; one and two images.
STARTS, CHANNELS, SPATIAL = (0, 3, 60), (1, 64, 70, 130), ((1, 3), (2, 2), (1, 1), (2, 3))


def bits(kind: str, value: Any) -> int:
    """A value in a union."""
    return int.from_bytes(encode(kind, [value]), "little")


def places(chip: str, seed: str, count: int) -> Iterator[tuple[random.Random, int, Four]]:
    """So many start lanes and shapes, such that a few calls see all of them."""
    lanes = device(chip).shape.lanes
    chance = random.Random(f"{chip} {seed}")
    first = chance.randrange(12)
    for at in range(first, first + count):
        start, channels, (h, w) = STARTS[at % 3], CHANNELS[at % 4], SPATIAL[(at // 2) % 4]
        yield chance, min(start, lanes - 2), (1 + at % 2, channels, h, w)


def elementwise(chip: str, row: Row, kinds: Kinds, chance: random.Random, start: int, shape: Four) -> Case:
    """A call of an element-wise function."""
    local = local_memory(chip, chance.random())
    room = Room(local, chance, start)
    held: dict[str, Tensor] = {}
    args: list[Any] = []
    elements: dict[str, Any] = {}
    works: list[Tensor] = []
    tables: list[tuple[int, Tensor]] = []
    for word in row.form.split():
        for mark in (":", "=", "*", "@", "?", "~", "&", "#"):
            if mark in word:
                name, _, kind = word.partition(mark)
                break
        else:
            name, mark, kind = word, "", ""
        if mark in (":", "="):
            layouts = ("aligned",) if mark == "=" else PLAIN if name == "dst" else LAYOUTS
            held[name] = _operand(room, chance.choice(layouts), shape, kinds[kind], row.drawn.get(name))
            args.append(held[name].address)
        elif mark == "*":
            works.append(room.tensor("aligned", shape, kinds[kind]))
            args.append(works[-1].address)
        elif mark == "@":
            table = _table(room, kinds.get("T", "float"), kind)
            tables.append((len(args), table))
            args.append(table.address)
        elif mark == "?":
            args.append(_variable(room, chance, shape, kinds[kind], name, held, elements))
        elif mark == "~":
            elements[name] = _scalar(chance, kinds[kind])
            args.append(bits(kinds[kind], elements[name]))
        elif mark == "&":
            args.append(Struct("dim4", held[kind].stride))
        elif mark == "#":
            args.append(CODES[kinds[kind]])
        elif name == "shape":
            args.append(Struct("dim4", shape))
        else:
            elements[name] = chance.choice(list(VALUES[name]))
            args.append(elements[name])
    before = local.image()
    dst = held["dst"]
    sources = {name: local.read(tensor) for name, tensor in held.items() if name != "dst"}
    found = [row.value(kinds, elements_at(sources, elements, at, shape)) for at in range(len(list(dst.indices())))]
    local.write(dst, found)
    system = b""
    for work in works:  # it may not be read before something has been written there
        values = [b"\1" * len(raw) for raw in local.raw(work)]
        local.put(work, values)
        system = max(system, b"".join(values), key=len)
    return Case(f"tpu_bdc_{row.name}", (dst,), before, local, arguments=tuple(args), works=tuple(works), near=row.near,
                system_before=system or bytes(4), system=system or bytes(4))  # fmt: skip


def elements_at(sources: dict[str, list[Any]], constants: dict[str, Any], at: int, shape: Four) -> dict[str, Any]:
    """What the function sees at an element: of a vector, that of its channel."""
    n, c, h, w = shape
    channel = at // (h * w) % c
    found = {name: values[at] for name, values in sources.items() if name in sources and len(values) == n * c * h * w}
    found |= {name: value[channel] if isinstance(value, list) else value for name, value in constants.items()}
    return found


def _operand(room: Room, layout: str, shape: Four, kind: str, drawn: Any) -> Tensor:
    if drawn is None:
        return room.tensor(layout, shape, kind)
    values = [room.chance.choice(list(drawn)) for _ in range(shape[0] * shape[1] * shape[2] * shape[3])]
    return room.tensor(layout, shape, kind, [rounded(kind, value) for value in values])


def _scalar(chance: random.Random, kind: str) -> Any:
    return mixed(kind, 1, chance.random())[0]


def _table(room: Room, kind: str, length: str) -> Tensor:
    """A table in every lane, from lane 0 on."""
    long, _, short = length.partition("/")
    count = int(short if short and kind != "float" else long)
    inner = replace(room, start=0)
    table = inner.tensor("aligned", (1, room.local.lanes, 1, count), kind)
    room.used = inner.used
    return table


def _variable(
    room: Room, chance: random.Random, shape: Four, kind: str, name: str, held: dict[str, Tensor],
    elements: dict[str, Any],
) -> tuple[int, int]:  # fmt: skip
    which = chance.choice((TENSOR, SCALAR, VECTOR))
    if which == SCALAR:
        elements[name] = _scalar(chance, kind)
        return SCALAR, bits(kind, elements[name])
    if which == TENSOR:
        held[name] = room.tensor("aligned", shape, kind)
        return TENSOR, held[name].address
    vector = room.tensor("dense", (1, shape[1], 1, 1), kind)
    vector = replace(vector, stride=(1, 1, 1, 1))
    room.local.write(vector, mixed(kind, shape[1], chance.random()))
    elements[name] = room.local.read(vector)
    room.used = max(room.used, room.local.end(vector))
    return VECTOR, vector.address
