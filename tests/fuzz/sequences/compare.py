"""One program three ways: the interpreter, the kernel in C, the kernel in Python."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .execute import Executor, Result
from .interpret import Interpreter, Outcome
from .program import Program

#: Bytes of host memory behind the arguments.
HOST = 32768


@dataclass
class Compared:
    """Where the three disagree, and whether the program breaks a rule."""

    broken: bool
    texts: list[str]


def differences(executor: Executor, program: Program, seed: int) -> Compared:
    """Run a program on host memory of a seed."""
    rng = np.random.default_rng(seed)
    host = rng.integers(-4, 5, HOST // 4).astype(np.float32).view(np.uint8)
    texts, broken = [], False
    for way in ("C", "Python"):
        outcome = Interpreter(host, program, executor.device.shape.arch, fetched=way == "C").run()
        result = executor.run(way, program, host)
        texts += [f"{way}: {text}" for text in _compare(outcome, result, host, program)]
        if not outcome.broken and result.warned < outcome.warned:
            result = executor.without_logs.run(way, program, host)
        if not outcome.broken and result.warned != outcome.warned:
            texts.append(f"{way}: warns of {sorted(result.warned)} and not of {sorted(outcome.warned)}")
        broken |= bool(outcome.broken)
    return Compared(broken, texts)


def _compare(outcome: Outcome, result: Result, host: np.ndarray, program: Program) -> list[str]:
    last = f"step {outcome.step} of {len(program.steps)}: {program.steps[min(outcome.step, len(program.steps) - 1)]}"
    if outcome.broken or result.broken:
        if result.broken not in outcome.broken:
            return [f"{result.broken or 'no error'} and not one of {sorted(outcome.broken)}; {last}"]
        changed = np.flatnonzero(result.host != host)
        if changed.size:
            return [f"the arguments changed at byte {changed[0]} in spite of an error; {last}"]
        return []
    texts = []
    known = ~outcome.memory.unknown
    wrong = np.flatnonzero((result.host != outcome.memory.data) & known)
    if wrong.size:
        at = int(wrong[0])
        texts.append(f"{wrong.size} bytes differ from byte {at} on: {result.host[at]}, not {outcome.memory.data[at]}")
    return texts
