"""Devices: what a kernel can observe of a chip (`Shape`) and what it cannot (`Rates`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .device_file import Kind, Quantity, Scope, changed, read_device_file, require_known

if TYPE_CHECKING:
    from .global_memory import DeviceArray, GlobalMemory
    from .machine import Machine

_BUILT_IN = Path(__file__).parent / "devices"


@dataclass(frozen=True)
class Space:
    """A memory space: bytes that each owner has, the part the vendor's compiler keeps, and who the owners are."""

    name: str
    bytes: int
    reserved: int
    scope: Scope

    @property
    def budget(self) -> int:
        """Bytes that the variables of a kernel may take: all of them.

        The reserved part is a convention of kernels, not a limit: public ones that the vendor's compiler takes use it.
        """
        return self.bytes


@dataclass(frozen=True)
class Shape:
    """What a kernel can observe of a device: a kernel runs alike on two devices of equal shape.

    ``lanes``, ``banks`` and ``eu_bytes`` (bytes a lane computes in a cycle) are None where a core has no lanes.
    """

    isa: str
    arch: int
    clusters: int
    cores_per_cluster: int
    memory_cores_per_cluster: int
    spaces: dict[str, Space]
    lanes: int | None = None
    banks: int | None = None
    eu_bytes: int | None = None

    @property
    def cores(self) -> int:
        """Cores of the device, memory cores not counted."""
        return self.clusters * self.cores_per_cluster

    def to_dict(self) -> dict[str, Any]:
        """The shape as plain JSON data; `from_dict` takes it back."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Shape:
        """The shape that `to_dict` wrote."""
        return cls(**{**data, "spaces": {name: Space(**space) for name, space in data["spaces"].items()}})


@dataclass(frozen=True)
class Engine:
    """Cost of an instruction: ``startup_cycles + ceil(work / quantum) * quantum / per_cycle`` cycles.

    Work is in the engine's own unit: bytes; accesses (``scalar_*``); fp32 multiply-adds (``tensor``).
    """

    startup_cycles: float
    per_cycle: float
    quantum: float


@dataclass(frozen=True)
class Channel:
    """Bandwidth (1e9 bytes a second) that all users of ``spaces`` within one unit of ``scope`` share."""

    gb_per_s: float
    latency_ns: float
    scope: Scope
    spaces: tuple[str, ...]


@dataclass(frozen=True)
class Rates:
    """What a kernel cannot observe: clock, costs, bandwidths; ``facts`` holds the same numbers with their sources."""

    clock_mhz: float
    engines: dict[str, Engine]
    channels: dict[str, Channel]
    launch_overhead_us: float
    facts: dict[str, Quantity]

    def kind(self, path: str) -> Kind:
        """How the number at ``path``, say ``"engines.compute.per_cycle"``, is known; ValueError if there is none."""
        require_known(path, self.facts)
        return self.facts[path].kind

    def replace(self, changes: Mapping[str, float]) -> Rates:
        """New rates with some numbers changed, say ``{"channels.dram.gb_per_s": 600}``.

        Changed numbers count as assumed. ValueError for an unknown name and for a value that is not finite
        or not above zero; costs (``startup_cycles``, ``latency_ns``, ``overhead_us``) may be zero.
        """
        wiring = {name: (channel.scope, channel.spaces) for name, channel in self.channels.items()}
        return _build_rates(changed(self.facts, changes), wiring)


class Device:
    """A chip to simulate: its shape, its rates and the source of every number.

    >>> Device.load("mlu370-x4").shape.cores
    32
    """

    def __init__(self, name: str, title: str, shape: Shape, rates: Rates, facts: Mapping[str, Quantity]) -> None:
        self.name = name
        self.title = title
        self.shape = shape
        self.rates = rates
        self.facts = dict(facts)

    def __repr__(self) -> str:
        return f"<Device {self.name}: {self.shape.cores} cores, {self.isa} arch {self.shape.arch}>"

    @property
    def isa(self) -> str:
        """Name of the instruction set."""
        return self.shape.isa

    @cached_property
    def memory(self) -> GlobalMemory:
        """The device's off-chip memory; untouched parts cost nothing."""
        from .global_memory import GlobalMemory

        return GlobalMemory(self.shape)

    @cached_property
    def machine(self) -> Machine:
        """The machine on which kernels of this device run in this process."""
        from .machine import Machine

        return Machine(self.shape, self.name, {self.memory.memory.name: self.memory.memory})

    def array(self, array: np.ndarray) -> DeviceArray:
        """Copy an array to device memory, where it stays until the result is dropped.

        MemoryError when it does not fit; TypeError for an array of Python objects.
        """
        from .global_memory import DeviceArray

        return DeviceArray(self.memory, array)

    @classmethod
    def names(cls) -> list[str]:
        """Names of the built-in devices, sorted."""
        return sorted(path.stem for path in _BUILT_IN.glob("*.toml"))

    @classmethod
    def load(cls, name: str | Path) -> Device:
        """A built-in device by name (in any case), or the device that a .toml file describes.

        ValueError for an unknown name, a file that cannot be read, and a file that does not describe a device.
        """
        if Path(name).suffix == ".toml":
            return cls._read(Path(name))
        wanted, names = str(name).lower(), cls.names()
        if wanted in names:
            return cls._read(_BUILT_IN / f"{wanted}.toml")
        near = get_close_matches(wanted, names, n=1)
        hint = f" (did you mean {near[0]!r}?)" if near else ""
        raise ValueError(
            f"unknown device {str(name)!r}{hint}; the built-in devices are {', '.join(names)}; "
            "a device of your own is passed as the path of its .toml file"
        )

    def replace(self, changes: Mapping[str, float]) -> Device:
        """A device with some numbers of its shape or rates changed, say ``{"shape.spaces.nram.bytes": 2**20}``.

        The rules are those of `Rates.replace`; numbers of the shape must be whole, and a space must stay
        larger than its reserved part.
        """
        facts = changed(self.facts, changes)
        scopes = {name: space.scope for name, space in self.shape.spaces.items()}
        of_rates = {path: value for path, value in changes.items() if path in self.rates.facts}
        shape = _build_shape(self.isa, scopes, facts)
        return Device(self.name, self.title, shape, self.rates.replace(of_rates), facts)

    @classmethod
    def _read(cls, path: Path) -> Device:
        file = read_device_file(path)
        facts = file.facts()
        scopes = {name: space.scope for name, space in file.shape.spaces.items()}
        wiring = {name: (channel.scope, channel.spaces) for name, channel in file.channels.items()}
        try:
            shape = _build_shape(file.isa, scopes, facts)
        except ValueError as error:
            raise ValueError(f"device file {path}: {error}") from None
        of_rates = {path: fact for path, fact in facts.items() if not path.startswith("shape.")}
        return cls(file.name, file.title, shape, _build_rates(of_rates, wiring), facts)


def _build_shape(isa: str, scopes: Mapping[str, Scope], facts: Mapping[str, Quantity]) -> Shape:
    numbers = {path: int(fact.value) for path, fact in facts.items() if path.startswith("shape.")}
    spaces = {}
    for name, scope in scopes.items():
        path = f"shape.spaces.{name}"
        size, reserved = numbers.pop(f"{path}.bytes"), numbers.pop(f"{path}.reserved", 0)
        if reserved >= size:
            raise ValueError(f"{path}.bytes must be above {path}.reserved, {reserved}, and is {size}")
        spaces[name] = Space(name, size, reserved, scope)
    return Shape(isa=isa, spaces=spaces, **{path.removeprefix("shape."): number for path, number in numbers.items()})


def _build_rates(facts: dict[str, Quantity], wiring: Mapping[str, tuple[Scope, tuple[str, ...]]]) -> Rates:
    """Rates from their numbers and, for each channel, its scope and spaces."""

    def number(path: str) -> float:
        return float(facts[path].value)

    names = dict.fromkeys(path.split(".")[1] for path in facts if path.startswith("engines."))
    engines = {
        name: Engine(*(number(f"engines.{name}.{field}") for field in ("startup_cycles", "per_cycle", "quantum")))
        for name in names
    }
    channels = {
        name: Channel(number(f"channels.{name}.gb_per_s"), number(f"channels.{name}.latency_ns"), scope, spaces)
        for name, (scope, spaces) in wiring.items()
    }
    return Rates(number("clock.core_mhz"), engines, channels, number("launch.overhead_us"), facts)
