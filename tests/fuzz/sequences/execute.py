"""Programs as kernels, in C and in Python, through the public API."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from mlusim.simulator import Device, KernelError, launch, load

from . import program as p

SOURCE = Path(__file__).with_name("kernel.mlu")


@dataclass
class Result:
    """What came out of a launch."""

    broken: str  # the rule of the error, or nothing
    host: np.ndarray
    warned: set[str]


class Executor:
    """Runs programs on one device."""

    def __init__(self, name: str, checks: str = "all") -> None:
        self.name, self.device = name, Device.load(name).checked(checks)

    @cached_property
    def without_logs(self) -> Executor:
        """The same without the checks of logs, which leave out warnings that follow from others."""
        return Executor(self.name, "fast")

    @property
    def old(self) -> bool:
        """Whether its vectors begin at multiples of 64 bytes and are multiples of 128 long."""
        return self.device.shape.arch < 300

    @property
    def grain(self) -> int:
        """What most operands of its programs begin at and are long."""
        return 128 if self.old else 1

    @cached_property
    def built(self) -> Any:
        """The kernel in C."""
        return load([SOURCE], device=self.device)

    def run(self, way: str, program: p.Program, host: np.ndarray) -> Result:
        """Run by the kernel in "C" or in "Python"."""
        return (self.in_c if way == "C" else self.in_python)(program, host)

    def in_c(self, program: p.Program, host: np.ndarray) -> Result:
        """Run by the kernel that reads the program as numbers."""
        numbers = np.array([s.numbers() for s in program.steps], np.int64)
        return self._run(
            host,
            program,
            lambda arrays: self.built.launch("sequence", (1, 1, 1), "block", [*arrays, numbers, len(numbers)]),
        )

    def in_python(self, program: p.Program, host: np.ndarray) -> Result:
        """Run by a kernel in Python."""
        return self._run(
            host,
            program,
            lambda arrays: launch(sequence, (1, 1, 1), "block", [*arrays, program.steps], device=self.device),
        )

    @staticmethod
    def _run(host: np.ndarray, program: p.Program, start: Any) -> Result:
        mine = host.copy()
        sizes = [size for _, size in p.ARRAYS[: p.ARGUMENTS]]
        arrays = [mine[first : first + size] for first, size in zip(program.places, sizes, strict=True)]
        try:
            run = start(arrays)
        except KernelError as error:
            return Result(error.finding.rule, mine, set())
        return Result("", mine, {f.instruction for f in run.findings if f.rule == "uninitialized"})


def sequence(mlu: Any, x: Any, y: Any, z: Any, steps: tuple[p.Step, ...]) -> None:
    """The kernel of `kernel.mlu` once more."""
    bytes = [pointer.cast("int8") for pointer in (x, y, z)]
    bytes += [getattr(mlu, space)("int8", size) for space, size in p.ARRAYS[p.ARGUMENTS :]]
    for step in steps:
        dst, a, b = (bytes[array] + offset for array, offset in (step.dst, step.a, step.b))
        if step.kind in p.COPIES:
            name = "__memcpy_async" if step.kind in (p.COPY_ASYNC, p.COPY_2D_ASYNC) else "__memcpy"
            getattr(mlu, name)(dst, a, step.count, *step.more)
        elif step.kind == p.WAIT:
            getattr(mlu, p.WAITS[step.variant][0])()
        elif step.kind in (p.STORE, p.MOVE):
            typed = p.TYPES[step.type][0]
            value = a.cast(typed)[0] if step.kind == p.MOVE else step.more[0]
            dst.cast(typed)[0] = value
        else:
            vector(mlu, step, dst, a, b)


def vector(mlu: Any, step: p.Step, dst: Any, a: Any, b: Any) -> None:
    """A vector instruction of the kernel."""
    typed = p.TYPES[step.type][0]
    if step.kind == p.WIDEN:
        mlu.__getattr__("__bang_half2float")(dst.cast("float"), a.cast("half"), step.count)
    elif step.kind == p.BINARY:
        getattr(mlu, p.BINARIES[step.variant])(dst.cast(typed), a.cast(typed), b.cast(typed), step.count)
    elif step.kind == p.UNARY:
        getattr(mlu, p.UNARIES[step.variant])(dst.cast(typed), a.cast(typed), step.count)
    elif step.kind == p.SCALAR:
        name = "__bang_mul_scalar" if step.variant else "__bang_add_scalar"
        getattr(mlu, name)(dst.cast(typed), a.cast(typed), step.more[0], step.count)
    else:
        mlu.__bang_write_value(dst.cast(typed), step.count, step.more[0])
