"""Runs a table on both kinds of ports and says where they differ."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from mlusim.isa import Overload
from mlusim.simulator import Device, KernelError, Program, load
from mlusim.simulator.core.machine import Machine
from mlusim.simulator.engines.tasks import runner

from .source import text

#: Types of launches, with how many tasks.
LAUNCHES = (("block", 1), ("block", 3), ("union1", 4))
#: What becomes of findings.
FINDINGS = ("raise", "collect", "collect", "collect", "collect")


class Both:
    """A kernel that can call some overloads, on one device."""

    def __init__(self, device: Device, overloads: Sequence[Overload], folder: Path) -> None:
        self._machines: list[Machine] = []
        path = folder / "calls.mlu"
        path.write_text(text(overloads), encoding="utf-8")
        self.program: Program = load([path], device=device)

    def differences(self, table: np.ndarray, launch: tuple[str, int], on_finding: str, seed: int) -> list[str]:
        """What is not the same, in words."""
        one, other = (self._run(table, launch, on_finding, seed, native) for native in (True, False))
        return [f"{name}: {_first(a, b)}" for (name, a), (_, b) in zip(one, other, strict=True) if not _same(a, b)]

    def _run(
        self, table: np.ndarray, launch: tuple[str, int], on_finding: str, seed: int, native: bool
    ) -> list[tuple[str, Any]]:
        gc.collect()  # so that arrays come to lie where those of the last run lay
        rng = np.random.default_rng(seed)
        arrays = [rng.integers(0, 256, 8192, np.uint8) for _ in range(2)]
        kept, runner.NATIVE_PORTS = runner.NATIVE_PORTS, native
        make = runner.NativeRunner.run

        def noted(runs: runner.NativeRunner, *launch: Any) -> Any:
            self._machines[:] = [runs.machine]
            return make(runs, *launch)

        runner.NativeRunner.run = noted  # type: ignore[method-assign]
        try:
            run = self.program.launch(
                "calls", (launch[1], 1, 1), launch[0], [*arrays, table, len(table)], on_finding=on_finding,
                isolate=False,
            )  # fmt: skip
        except KernelError as error:
            return [("memory", arrays), ("on the chip", self._on_chip()), ("findings", [repr(error.finding)])]
        finally:
            runner.NATIVE_PORTS, runner.NativeRunner.run = kept, make  # type: ignore[method-assign]
        found = [("memory", arrays), ("on the chip", self._on_chip())]
        found.append(("findings", [repr(finding) for finding in run.findings]))
        return found + list(_parts(run.log))

    def _on_chip(self) -> list[np.ndarray]:
        """What the memories of cores and clusters hold, and which of it is uninitialized."""
        found = []
        for memory in self._machines[-1].map.own if self._machines else ():
            for owner in range(min(memory.owners, 4)):
                for entry in memory.allocations(owner):
                    held = entry.view(np.dtype(np.uint8)).copy()
                    holes = [(start - entry.start, end - entry.start) for start, end in entry.uninitialized]
                    for start, end in holes:
                        held[start:end] = 0
                    found += [held, np.array(holes, np.int64)]
        return found


def _parts(log: Any) -> Iterator[tuple[str, Any]]:
    for name in ("records", "operands", "runs", "ops", "pipes", "locations"):
        yield name, getattr(log, name)


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray):
        return one.tobytes() == other.tobytes()
    if isinstance(one, list) and one and isinstance(one[0], np.ndarray):
        return all(map(_same, one, other))
    return bool(one == other)


def _first(one: Any, other: Any) -> str:
    if len(one) != len(other):
        return f"{len(one)} natively, {len(other)} in Python"
    at = next(at for at in range(len(one)) if not _same(np.asarray(one[at]), np.asarray(other[at])))
    return f"at {at}: {one[at]} natively, {other[at]} in Python"[:600]
