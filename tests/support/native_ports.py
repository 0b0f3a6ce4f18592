"""A plugin of pytest: kernels in Python issue natively whatever has a native port.

    python -m pytest -p tests.support.native_ports tests/isa

Facts, references and misuse call instructions from kernels in Python, and so the ports in Python. With this they go
the way of compiled kernels: one call is a kernel of its own. At the end a line says how many were carried out natively.
"""

from __future__ import annotations

import ctypes
import struct
import tempfile
from collections import Counter
from functools import cache, partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from mlusim.isa import wires
from mlusim.simulator.core.execution import Launch
from mlusim.simulator.core.issue import NativePort
from mlusim.simulator.core.machine import Machine
from mlusim.simulator.engines.python.lines import Lines
from mlusim.simulator.engines.python.runner import PythonRunner
from mlusim.simulator.engines.tasks import abi
from mlusim.simulator.engines.tasks.core import NativeCore
from mlusim.simulator.engines.tasks.native import argument_places
from mlusim.simulator.engines.tasks.runner import NativeRunner
from mlusim.simulator.engines.tasks.starts import NativeLaunch
from mlusim.simulator.native.build import tasks_runtime
from mlusim.simulator.native.compiler import Compiler

#: Whole numbers and doubles that go in registers, and words of the stack, as many as a call may pass.
_WHOLE, _DOUBLES, _WORDS = 6, 8, 32
_FIRST_WORD = _WHOLE + _DOUBLES
#: The number of a call stands above its program counter.
_NUMBER_SHIFT = 48
_MOST_PC = (1 << _NUMBER_SHIFT) - 1
_STUB = """extern "C" void mlusim_issue(void);
extern "C" void call(void** given) {{
  const long* n = (const long*)given[0];
  const double* d = (const double*)(n + {whole});
  ((void (*)({types}))mlusim_issue)({numbers});
}}
"""
#: Which way the instructions have gone that have a native port.
taken: Counter[str] = Counter()


@cache
def _built() -> tuple[Path, ctypes.CDLL]:
    """The runtime, and a kernel that makes the call that an array holds."""
    compiler, folder = Compiler(), Path(tempfile.mkdtemp())
    runtime = tasks_runtime(compiler)
    ctypes.CDLL(str(runtime), mode=ctypes.RTLD_GLOBAL)
    types = ["long"] * _WHOLE + ["double"] * _DOUBLES + ["long"] * _WORDS
    numbers = [f"n[{at}]" for at in range(_WHOLE)] + [f"d[{at}]" for at in range(_DOUBLES)]
    numbers += [f"n[{_FIRST_WORD + at}]" for at in range(_WORDS)]
    source, made = folder / "call.cpp", folder / "call.so"
    source.write_text(_STUB.format(whole=_WHOLE, types=", ".join(types), numbers=", ".join(numbers)))
    compiler.run(["-O1", "-shared", "-fPIC", "-o", str(made), str(source)])
    return runtime, ctypes.CDLL(str(made))


def _counter(pc: int) -> int:
    """A program counter as kernels in Python have it, below 0, of what a call has left of it."""
    return pc - _MOST_PC - 1 if pc > _MOST_PC >> 1 else pc


class _Door:
    """The native ports of one machine."""

    def __init__(self, machine: Machine) -> None:
        path, self._library = _built()
        self._machine, self._runner = machine, NativeRunner(machine, path)
        self._image: Any = SimpleNamespace(order=np.zeros(0, np.int64))
        self._runner._launch = NativeLaunch(
            self._image, ctypes.c_void_p(), (ctypes.c_void_p * 0)(), first=None, part=0, time_limit=0.0
        )

    def port(self, number: int) -> Any:
        """What a kernel in Python calls for an overload."""
        machine, runner = self._machine, self._runner
        in_python = Machine.port(machine, number)
        if not any(isinstance(port, NativePort) for port in machine.native_ports(number).values()):
            return in_python
        overload = machine.dialect.overloads[number]

        def left(pc: int, *numbers: Any) -> Any:
            taken["by Python"] += 1
            taken["natively"] -= 1
            return in_python(_counter(pc), *numbers)

        runner._ports[number] = abi.port_type(overload)(left)
        runner._port_table[number] = runner._port(number)
        runner._native.add(number)
        # As C++ passes floating-point numbers: rounded to the type of the parameter.
        parameters = {p.name: p for p in overload.parameters}
        rounded = [
            overload.element(parameters[wire.name]).dtype.type if wire.is_float else None for wire in wires(overload)
        ]
        # Behind the number of the call.
        return partial(self._issue, number, list(zip(rounded, argument_places(overload), strict=True)))

    def _issue(self, number: int, places: list[tuple[type[np.generic] | None, int]], pc: int, *numbers: Any) -> int:
        machine, runner = self._machine, self._runner
        given = (ctypes.c_int64 * (_FIRST_WORD + _WORDS))(pc & _MOST_PC | number << _NUMBER_SHIFT)
        for value, (rounded, place) in zip(numbers, places, strict=True):
            given[1 + place] = struct.unpack("<q", struct.pack("<d", float(rounded(value))))[0] if rounded else value
        task, layout = machine.current.running, machine.layout
        core = NativeCore(
            self._image, layout.placement("core", task.core), layout.placement("cluster", task.cluster),
            machine.dialect.register_bytes, runner.scalar.ops,
        )  # fmt: skip
        core.begin(task, False)
        core.note_pending(len(task.pending))
        runner._running, runner._current.value, runner._common = core, core.address, runner._common_ranges([])
        runner._set_ranges()
        runner._native_table.value, runner._table.value = runner._native.address, ctypes.addressof(runner._port_table)
        runner._count.value, runner._seen.value, runner._strict.value = len(runner._port_table), 0, 0
        runner._native_on.value, runner._native_late.value, runner._timed.value = 1, 1, 0
        rows = runner._common.rows
        runner.runtime.mlusim_set_stack()
        runner.runtime.mlusim_connect(
            ctypes.byref(runner._callbacks), ctypes.c_uint64(rows.ctypes.data), ctypes.c_uint64(len(rows)),
            machine.recorder.pipe("scalar"), runner.scalar.compute, runner.number,
        )  # fmt: skip
        machine.execution.deferrals.on_change = core.note_pending
        taken["natively"] += 1
        runner.runtime.mlusim_run_task(self._library.call, (ctypes.c_void_p * 1)(ctypes.addressof(given)))
        runner._note_first_writes()
        machine.execution.deferrals.on_change = lambda count: None
        return 0


@pytest.fixture(autouse=True)
def natively(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let kernels in Python take the native ports."""
    run, place = PythonRunner.run, Lines.place

    def patched(self: PythonRunner, launch: Launch, progress: Any = None) -> Any:
        machine: Any = self._machine
        if machine.dialect.queues or machine.dialect.name != "bang":
            return run(self, launch, progress)
        machine.port = _Door(machine).port
        try:
            return run(self, launch, progress)
        finally:
            del machine.port

    monkeypatch.setattr(PythonRunner, "run", patched)
    monkeypatch.setattr(Lines, "place", lambda self, number: place(self, _counter(number)))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say how many instructions went which way."""
    terminalreporter.write_line(f"{taken['natively']} instructions natively, {taken['by Python']} left to Python")
