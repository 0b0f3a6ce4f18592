"""Random messages between engines and cores, against all that comes before each command, worked out the slow way."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from mlusim.simulator import Device, launch

_ROW = (1, 1, 1, 64)
#: A command: what, its engine, and the places that it writes and reads, or the number of a message; or a poll.
Step = tuple[Any, ...]


def drawn(chance: random.Random) -> list[list[Step]]:
    """The commands of each core: every number is sent, and awaited, at most once."""
    cores: list[list[Step]] = [[] for _ in range(chance.choice((1, 2, 3)))]
    for _ in range(chance.randrange(4, 10) * len(cores)):
        what = chance.choice(("work", "work", "work", "poll"))
        engine = chance.choice(("gdma", "sdma", "hau"))
        step = ("poll",) if what == "poll" else ("work", engine, *chance.sample(range(4), 2))
        chance.choice(cores).append(step)
    for number in range(chance.randrange(4)):
        for verb in ("send", "wait"):
            if chance.random() < 0.95:
                steps = chance.choice(cores)
                steps.insert(chance.randrange(len(steps) + 1), (verb, chance.choice(("gdma", "sdma", "hau")), number))
    return [[*steps, ("poll",)] for steps in cores]


def found(device: Device, cores: list[list[Step]]) -> set[str]:
    """The rules that a launch breaks."""

    def kernel(unit: Any, given: Any) -> None:
        for what, *rest in cores[unit.tpu_core_index()]:
            if what == "poll":
                unit.tpu_poll()
            elif what != "work":
                getattr(unit, f"tpu_{rest[0]}_{what}_msg")(rest[1], 1)
            elif rest[0] == "hau":
                unit.tpu_hau_sort(given + 64 * rest[1], given + 64 * rest[2], 64, 64, False, unit.DT_FP32)
            else:
                copy = getattr(unit, f"tpu_{rest[0]}_cpy_S2S")
                copy(given + 64 * rest[1], given + 64 * rest[2], _ROW, None, None, unit.DT_FP32)

    args = [np.arange(256, dtype=np.float32)]
    run = launch(kernel, (len(cores), 1, 1), args=args, device=device, on_finding="collect")
    return {finding.rule for finding in run.findings} & {"order", "race", "barrier"}


def expected(cores: list[list[Step]]) -> set[str]:
    """The same from a graph of what comes before what; a circle, or a message that is never sent, is a barrier."""
    before: dict[tuple[int, int], set[tuple[int, int]]] = {}
    sends, waits = {}, {}
    for core, steps in enumerate(cores):
        polled: set[tuple[int, int]] = set()
        last: dict[str, tuple[int, int]] = {}
        for at, (what, *rest) in enumerate(steps):
            node = core, at
            ahead = last.values() if what == "poll" else [last[rest[0]]] if rest[0] in last else []
            before[node] = {*polled, *ahead}
            if what == "poll":
                polled = {node}
            else:
                last[rest[0]] = node
            if what in ("send", "wait"):
                (sends if what == "send" else waits)[rest[1]] = node
    for number, node in waits.items():
        if number not in sends:
            return {"barrier"}
        before[node].add(sends[number])
    known: dict[tuple[int, int], set[tuple[int, int]]] = {}
    for node in before:
        reached, ahead = set(), list(before[node])
        while ahead:
            if (one := ahead.pop()) not in reached:
                reached.add(one)
                ahead += before[one]
        if node in reached:
            return {"barrier"}
        known[node] = reached
    work = [(node, cores[node[0]][node[1]]) for node in before if cores[node[0]][node[1]][0] == "work"]
    return {
        "order" if one[0] == other[0] else "race"
        for number, (one, (_, _, to, of)) in enumerate(work)
        for other, (_, _, target, source) in work[:number]
        if not (other in known[one] or one in known[other]) and (to in (target, source) or target == of)
    }


def test_what_messages_order() -> None:
    tried: dict[str, int] = {}
    device = Device.load("bm1690")
    for seed in range(30):
        cores = drawn(random.Random(seed))
        rules, wanted = found(device, cores), expected(cores)
        assert wanted <= rules if "barrier" in wanted else wanted == rules, f"seed {seed}: {rules}, {wanted}"
        tried[",".join(sorted(wanted))] = tried.get(",".join(sorted(wanted)), 0) + 1
    assert {"", "barrier", "order", "race"} <= {rule for key in tried for rule in key.split(",")}
