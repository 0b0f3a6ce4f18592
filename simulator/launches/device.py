"""Devices: a chip to simulate, with its memory and the machine that kernels run on."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ...isa import DIALECTS, Dialect, declared_in
from ..checks.at_issue.checking import Checking, CheckMaker
from ..chip.device_file import Once, Quantity, changed, read_device_file
from ..chip.rates import Rates, build_rates
from ..chip.shape import Shape, build_shape
from ..native.cache import BuildCache
from ..text import nearest, quoted
from .state import DeviceState

if TYPE_CHECKING:
    import numpy as np

    from ..core.machine import Machine
    from ..core.memory.global_memory import DeviceArray, GlobalMemory

_BUILT_IN = Path(__file__).parents[1] / "chip" / "chips"

Result = TypeVar("Result")


@dataclass(frozen=True, eq=False)
class Device:
    """A chip to simulate: its shape, its rates and the source of every number, and what its launches are checked for.

    Threads may share one: launches take turns. Each process has memory of its own for it, also a forked child, and one
    that a device is sent to.

    >>> Device.load("mlu370-x4").shape.cores
    32
    """

    name: str
    title: str
    shape: Shape
    rates: Rates
    facts: Mapping[str, Quantity]
    checking: Checking = field(default_factory=Checking)
    #: By process: a forked child leaves its parent's alone.
    _states: dict[int, DeviceState] = field(default_factory=dict, init=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return Device, tuple(getattr(self, one.name) for one in fields(self) if one.init)

    def __repr__(self) -> str:
        return f"<Device {self.name}: {self.shape.cores} cores, {self.isa} arch {self.shape.arch}>"

    @property
    def isa(self) -> str:
        """Name of the instruction set."""
        return self.shape.isa

    @property
    def _state(self) -> DeviceState:
        process = os.getpid()
        found = self._states.get(process)
        return found or self._states.setdefault(process, DeviceState(self.name, self.shape, self.checking))

    @property
    def memory(self) -> GlobalMemory:
        """The device's off-chip memory in this process; untouched parts cost nothing."""
        return self._state.memory

    @property
    def machine(self) -> Machine:
        """The machine on which kernels of this device run in this process."""
        return self._state.machine

    def in_turn(self, launch: Callable[[], Result]) -> Result:
        """Call a function that launches, when no other thread is in one for this device.

        RuntimeError inside a launch of the same device, which could only wait for itself.
        """
        refusal = (
            f"{self.name} is in the middle of a launch, which called this code; launch when it is done, or on a device "
            "of its own"
        )
        return self._state.turn.take(launch, refusal)

    def array(self, array: np.ndarray) -> DeviceArray:
        """Copy an array to device memory, where it stays until the result is dropped.

        MemoryError when it does not fit; TypeError for an array of Python objects.
        """
        from ..core.memory.global_memory import DeviceArray  # what only builds has none

        return DeviceArray(self.memory, array)

    def data_type(self, dtype: np.dtype) -> int:
        """The value of the vendor's ``data_type_t`` that names an element type; ValueError if there is none."""
        from ...isa import DATA_TYPE_ELEMENTS, DATA_TYPES, TYPES  # few are asked for it

        dialect = DIALECTS[self.isa]
        found = next((v for v, name in DATA_TYPE_ELEMENTS.items() if TYPES[name].dtype == dtype), None)
        if found is None or not set(DATA_TYPES) <= set(dialect.constants):
            raise ValueError(f"{dialect.title} has no data_type_t for {dtype}")
        return found

    @classmethod
    def names(cls, isa: str = "") -> list[str]:
        """Names of the built-in devices, or of those of one instruction set, sorted."""
        names = sorted(path.stem for path in _BUILT_IN.glob("*.toml"))
        return [name for name in names if not isa or cls.load(name).isa == isa]

    @classmethod
    def load(cls, name: str | Path) -> Device:
        """A built-in device by name (in any case), or the device that a .toml file describes.

        ValueError for an unknown name, a file that cannot be read, and a file that does not describe a device;
        TypeError for what is no name.
        """
        if not isinstance(name, (str, os.PathLike)) or isinstance(path := os.fspath(name), bytes):
            raise TypeError(f"name is {quoted(name)}; pass the name of a device, or the path of a .toml file")
        if Path(path).suffix == ".toml":
            return cls._read(Path(path))
        wanted, names = path.lower(), cls.names()
        if wanted in names:
            return cls._read(_BUILT_IN / f"{wanted}.toml")
        begun = [name for name in names if wanted and name.startswith(wanted)]
        meant = f" (did you mean {' or '.join(begun)}?)" if begun else nearest(wanted, names)
        raise ValueError(
            f"unknown device {quoted(path)}{meant}; the built-in devices are {', '.join(names)}; "
            "a device of your own is passed as the path of its .toml file"
        )

    @staticmethod
    def file(name: str) -> Path:
        """The device file of a built-in device, or the one that a path names."""
        return Path(name) if Path(name).suffix == ".toml" else _BUILT_IN / f"{name.lower()}.toml"

    def watched(self, *checks: CheckMaker) -> Device:
        """The same device with further checks: classes, or partials of them with options; it has a memory of its own.

        TypeError for what is neither.
        """
        return replace(self, checking=replace(self.checking, further=(*self.checking.further, *checks)))

    def checked(self, level: str) -> Device:
        """The same device with other checks; it has a memory of its own. ValueError for an unknown level.

        ``"all"`` is what a device has from the start: each instruction is tested on its way, and the log of the launch
        for hazards, races, waits and lost work. ``"fast"`` leaves out the second, ``"none"`` both; bounds are tested
        in any case.
        """
        return replace(self, checking=replace(self.checking, level=level))

    def replace(self, changes: Mapping[str, float]) -> Device:
        """A device with some numbers of its shape or rates changed, say ``{"shape.spaces.nram.bytes": 2**20}``.

        The rules are those of `Rates.replace`; numbers of the shape must be whole, and a space must stay
        larger than its reserved part.
        """
        facts = changed(self.facts, changes)
        scopes = {name: space.scope for name, space in self.shape.spaces.items()}
        of_rates = {path: value for path, value in changes.items() if path in self.rates.facts}
        shape = build_shape(self.isa, scopes, facts)
        return replace(self, shape=shape, rates=self.rates.replace(of_rates), facts=facts)

    @classmethod
    def _read(cls, path: Path) -> Device:
        once = BuildCache().once
        file = read_device_file(path, once)
        try:
            if file.isa not in DIALECTS:
                near = nearest(file.isa, DIALECTS)
                raise ValueError(f"isa is {quoted(file.isa)}{near}; the dialects are {', '.join(DIALECTS)}")
            shape = build_shape(file.isa, file.scopes, file.facts)
            _check_once(DIALECTS[file.isa], shape, file.engines, once)
        except ValueError as error:
            raise ValueError(f"device file {path}: {error}") from None
        of_rates = {path: fact for path, fact in file.facts.items() if not path.startswith("shape.")}
        return cls(file.name, file.title, shape, build_rates(of_rates, file.wiring), file.facts)


def _check_once(dialect: Dialect, shape: Shape, engines: Sequence[str], once: Once) -> None:
    """Call `_check_dialect`, unless it is known to raise nothing: it imports all declarations of a dialect."""
    declared = declared_in(dialect)
    known = [declared, Path(__file__).read_text(encoding="utf-8"), repr(shape), *engines]
    if declared:
        once("\0".join(known), lambda: _check_dialect(dialect, shape, engines))
    else:
        _check_dialect(dialect, shape, engines)


def _check_dialect(dialect: Dialect, shape: Shape, engines: Iterable[str]) -> None:
    """ValueError unless the spaces and engines of a device are those of its instruction set."""
    known = dict.fromkeys(name for name, space in dialect.spaces.items() if not space.members)
    for what, given, names in (("space", shape.spaces, known), ("engine", engines, sorted(dialect.engines))):
        for name in given:
            if name not in names:
                listed = ", ".join(names)
                raise ValueError(f"{dialect.name} has no {what} {name}{nearest(name, names)}; it has {listed}")
    if missing := sorted(dialect.needed_spaces - set(shape.spaces)):
        raise ValueError(f"shape.spaces.{missing[0]} is missing, which instructions of {dialect.name} work on")
    if dialect.threads != (shape.threads is not None):
        raise ValueError(f"shape.threads {'is missing' if dialect.threads else 'must not be there'} for {dialect.name}")
    first = next(name for name, space in shape.spaces.items() if space.scope == "device")
    if first != (wanted := next(iter(known))):
        raise ValueError(f"the first space of the scope 'device' must be {wanted}, where arrays lie, and is {first}")
    for name, space in shape.spaces.items():
        facts = dialect.spaces[name]
        own = facts.registers or facts.lanes or facts.offsets or (dialect.threads and name != first)
        if space.scope != "core" and own:
            raise ValueError(f"shape.spaces.{name}.scope is {space.scope!r}; a core of {dialect.name} has its own")
        if facts.lanes and space.bytes % ((shape.lanes or 1) * 4):
            raise ValueError(f"shape.spaces.{name}.bytes is {space.bytes}; each of {shape.lanes} lanes has whole words")
        if facts.registers and space.bytes < dialect.register_bytes:
            raise ValueError(f"shape.spaces.{name}.bytes is {space.bytes}; one register has {dialect.register_bytes}")
