"""Random programs, and what each command reads and writes: by its definition, float by float."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import numpy as np

#: Floats of system memory, and rows of it that programs use.
SYSTEM, GRAIN = 4096, 64
#: Floats of a lane that programs use, in beats of 16.
ROOM = 256
ENGINES = {"in": "gdma", "out": "gdma", "local": "gdma", "system": "gdma", "fill": "bdc", "add": "bdc", "max": "bdc",
           "copy": "bdc", "scale": "bdc", "sdma": "sdma"}  # fmt: skip
#: What the interpreting kernels call each step, by number.
KINDS = (*ENGINES, "start", "end", "poll")


#: An engine, and what a command of it reads and writes.
Touched = tuple[str, set[int], set[int]]


@dataclass(frozen=True)
class Step:
    """A command of an engine, or of the processor: places are floats of a lane or of system memory."""

    kind: str
    to: int = 0
    of: int = 0
    by: int = 0
    lane: int = 0
    shape: tuple[int, int] = (1, 1)  # channels and columns
    stride: int = 1  # from one column to the next in a lane; with 1 strides are null

    def numbers(self) -> list[int]:
        """As the kernels take it."""
        return [KINDS.index(self.kind), self.to, self.of, self.by, self.lane, *self.shape, self.stride]

    def row(self, beat: int) -> int:
        """Floats from one row of lanes to the next."""
        return -(-self.shape[1] * self.stride // beat) * beat


@dataclass
class Memory:
    """All floats of a core's lanes and of system memory; every command takes effect at once."""

    lanes: int
    beat: int
    local: np.ndarray = field(init=False)
    system: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self.local = np.arange(self.lanes * ROOM, dtype=np.float32).reshape(self.lanes, ROOM) % 7
        self.system = np.arange(SYSTEM, dtype=np.float32) % 5

    def inside(self, place: int, step: Step) -> np.ndarray:
        """Numbers in the flat local memory of the elements [channels, columns] of a tensor."""
        channels, columns = step.shape
        lane = step.lane + np.arange(channels)
        first = lane % self.lanes * ROOM + place + lane // self.lanes * step.row(self.beat)
        return first[:, None] + np.arange(columns) * step.stride

    def beyond(self, place: int, step: Step) -> np.ndarray:
        """Numbers in system memory of a continuous tensor."""
        return place + np.arange(step.shape[0] * step.shape[1]).reshape(step.shape)

    def touched(self, step: Step) -> tuple[set[int], set[int]]:
        """What a command reads and writes; numbers of system memory come behind local ones."""
        behind, inside = self.local.size, lambda place: self.inside(place, step)
        places = {
            "in": lambda: ([self.beyond(step.of, step) + behind], inside(step.to)),
            "out": lambda: ([inside(step.of)], self.beyond(step.to, step) + behind),
            "local": lambda: ([inside(step.of)], inside(step.to)),
            "system": lambda: ([self.beyond(step.of, step) + behind], self.beyond(step.to, step) + behind),
            "fill": lambda: ([], inside(step.to)),
        }
        places["sdma"] = places["system"]
        places["copy"] = places["scale"] = places["local"]
        both = lambda: ([inside(step.of), inside(step.by)], inside(step.to))  # noqa: E731
        read, written = places.get(step.kind, both)()
        return {int(x) for part in read for x in part.flat}, {int(x) for x in written.flat}

    def carry_out(self, step: Step) -> None:
        """The new contents of what a command writes."""
        local, system = self.local.reshape(-1), self.system
        inside, beyond = (lambda place: self.inside(place, step)), (lambda place: self.beyond(place, step))
        if step.kind == "in":
            local[inside(step.to)] = system[beyond(step.of)]
        elif step.kind == "out":
            system[beyond(step.to)] = local[inside(step.of)]
        elif step.kind in ("local", "copy"):
            local[inside(step.to)] = local[inside(step.of)]
        elif step.kind in ("system", "sdma"):
            system[beyond(step.to)] = system[beyond(step.of)]
        elif step.kind == "fill":
            local[inside(step.to)] = 3
        elif step.kind == "add":
            local[inside(step.to)] = local[inside(step.of)] + local[inside(step.by)]
        elif step.kind == "max":
            local[inside(step.to)] = np.maximum(local[inside(step.of)], local[inside(step.by)])
        elif step.kind == "scale":
            local[inside(step.to)] = local[inside(step.of)] * np.float32(0.5)


def draw(chance: random.Random, memory: Memory) -> list[Step]:
    """A program that breaks no rule of a single command; operands of one coincide or lie apart."""
    steps, section = [Step("poll")], False
    careful = chance.random() < 0.5  # has few conflicts
    for _ in range(chance.randrange(6, 22)):
        turn = chance.random()
        if turn < 0.22:
            steps.append(Step("end" if section else "start"))
            section = not section
        elif turn < 0.3 and not section:
            steps.append(Step("poll"))
        else:
            steps.append(_command(chance, memory, careful))
    return [*steps, *([Step("end")] if section else []), Step("poll")]


def _command(chance: random.Random, memory: Memory, careful: bool) -> Step:
    while True:
        kind = chance.choice(list(ENGINES))
        channels, columns = chance.choice((1, 3, memory.lanes, memory.lanes + 6)), chance.choice((1, 5, 16, 20))
        stride = chance.choice((1, 1, 2)) if columns <= memory.beat else 1
        halves = {"gdma": 0, "bdc": 1}.get(ENGINES[kind], 0) if careful and chance.random() < 0.8 else None

        def place(local: bool, halves: int | None = halves, stride: int = stride) -> int:
            if not local:
                return chance.randrange(SYSTEM // GRAIN - 24) * GRAIN
            beats = ROOM // memory.beat // 2
            first = chance.randrange(2 * beats - 5) if halves is None else halves * beats + chance.randrange(beats - 5)
            return first * memory.beat + chance.randrange(stride)  # even columns, or odd ones

        to_local, of_local = kind not in ("out", "system", "sdma"), kind not in ("in", "system", "sdma")
        places = place(to_local), place(of_local), place(True)
        step = Step(kind, *places, chance.choice((0, 3, 60)), (channels, columns), stride)
        if _legal(step, memory):
            return step


def _legal(step: Step, memory: Memory) -> bool:
    """Whether no source of a copy lies on its result, and each of a computation is the result or apart from it."""
    read, written = memory.touched(step)
    if ENGINES[step.kind] != "bdc":
        return not read & written
    sources = {"fill": (), "copy": (step.of,), "scale": (step.of,)}.get(step.kind, (step.of, step.by))
    result = set(memory.inside(step.to, step).flat)
    return all(place == step.to or not result & set(memory.inside(place, step).flat) for place in sources)


def conflict(steps: list[Step], memory: Memory) -> bool:
    """Whether two commands that no rule of order brings into one share a float, and one of them writes it.

    BDC and GDMA in one section, whichever is issued first; SDMA and any other since the last wait.
    """
    section: list[Touched] | None = None
    since: list[Touched] = []
    for step in steps:
        if step.kind in ("start", "end"):
            section = [] if step.kind == "start" else None
        elif step.kind == "poll":
            since = []
        else:
            mine = (ENGINES[step.kind], *memory.touched(step))
            beside = [*(section or []), *(other for other in since if "sdma" in (mine[0], other[0]))]
            if any(mine[0] != other[0] and _meet(mine, other) for other in beside):
                return True
            since.append(mine)
            if section is not None:
                section.append(mine)
    return False


def _meet(one: Touched, other: Touched) -> bool:
    """Whether two commands share a float that one of them writes."""
    (_, read, written), (_, others_read, others_written) = one, other
    return bool(written & (others_read | others_written) or read & others_written)
