"""What a kernel cannot observe of a chip: clock, costs and bandwidths."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from .device_file import Kind, Quantity, Scope, changed, require_known

#: Operations of a multiply-add; bytes of a vector operation on float.
MULTIPLY_ADD, FLOAT = 2, 4


@dataclass(frozen=True)
class EngineRates:
    """Cost of an instruction in cycles: ``startup_cycles``, ``part_cycles`` for each part, and its work at ``rate``.

    One that takes the result of the instruction right before it in the pipe waits ``dependent_cycles`` more. Parts are
    those of a strided copy beyond the first, and the scalar accesses that are waited for. Work is in the
    engine's own unit: bytes; accesses (``scalar_*``); operations (``scalar``); multiply-adds (``tensor*``), counted in
    whole quanta.
    """

    startup_cycles: float
    per_cycle: float
    quantum: float
    part_cycles: float = 0.0
    dependent_cycles: float = 0.0
    efficiency: float = 1.0

    @property
    def rate(self) -> float:
        """Work in a cycle."""
        return self.per_cycle * self.efficiency


@dataclass(frozen=True)
class Channel:
    """Bandwidth (1e9 bytes a second) that all users of ``spaces`` within one unit of ``scope`` share evenly.

    ``core_gb_per_s`` is the most that one core can draw of it, None where that is all of it; ``efficiency`` the share
    of ``gb_per_s`` that all users together reach. A read is waited for ``latency_ns``, a write
    ``write_latency_ns``, None where that is the same.
    """

    gb_per_s: float
    latency_ns: float
    scope: Scope
    spaces: tuple[str, ...]
    core_gb_per_s: float | None = None
    efficiency: float = 1.0
    write_latency_ns: float | None = None

    @property
    def rate(self) -> float:
        """Bytes in a microsecond, all users together."""
        return self.gb_per_s * self.efficiency * 1e3

    @property
    def core_rate(self) -> float:
        """Bytes in a microsecond that one core can draw."""
        return self.rate if self.core_gb_per_s is None else min(self.rate, self.core_gb_per_s * 1e3)

    @property
    def latencies(self) -> tuple[tuple[str, float], tuple[str, float]]:
        """Of a read and of a write: the name of the number, and microseconds."""
        read = "latency_ns", self.latency_ns * 1e-3
        return read, read if self.write_latency_ns is None else ("write_latency_ns", self.write_latency_ns * 1e-3)


@dataclass(frozen=True)
class Bus:
    """The way between host and device memory: 1e9 bytes a second, of which copies reach the share ``efficiency``."""

    gb_per_s: float
    latency_ns: float
    efficiency: float = 1.0

    @property
    def rate(self) -> float:
        """Bytes in a microsecond."""
        return self.gb_per_s * self.efficiency * 1e3


#: Kinds of numbers from the best known to the least: what is computed from several is known as the last of them.
KINDS: tuple[Kind, ...] = ("measured", "documented", "derived", "fitted", "assumed")


@dataclass(frozen=True)
class Rates:
    """What a kernel cannot observe: clock, costs, bandwidths; ``facts`` holds the same numbers with their sources.

    Task n of a launch starts n times ``task_us`` after the first. A launch takes ``launch_overhead_us`` of the device's
    time besides its tasks; a clock of the host sees ``launch_host_us`` more. ``bus`` is None where the device file has
    none: it runs no host code then. ``granule`` are the bytes of one access of the device's memory: less is rounded up,
    and a write of less reads them first.
    """

    clock_mhz: float
    engines: dict[str, EngineRates]
    channels: dict[str, Channel]
    launch_overhead_us: float
    facts: dict[str, Quantity]
    task_us: float = 0.0
    launch_host_us: float = 0.0
    bus: Bus | None = None
    granule: int = 1

    def kind(self, path: str) -> Kind:
        """How the number at ``path``, say ``"engines.compute.per_cycle"``, is known; ValueError if there is none."""
        require_known(path, self.facts)
        return self.facts[path].kind

    def weakest(self, *paths: str) -> Kind:
        """How a product of numbers is known: as the least known of those that the device file has."""
        kinds = [self.facts[path].kind for path in paths if path in self.facts]
        return max(kinds, key=KINDS.index, default="assumed")

    def channel_of(self, space: str) -> Channel:
        """The first channel of a space, which is that of all its users. ValueError when the device file has none."""
        found = next((channel for channel in self.channels.values() if space in channel.spaces), None)
        if found is None:
            raise ValueError(f"no channel of the device file has {space} among its spaces; add one")
        return found

    def operations_per_cycle(self, used: Collection[str], lanes: float = 0.0) -> float:
        """The most operations of a core in a cycle: of the tensor engines that are ``used``, else of the vector unit.

        ``lanes`` is for a core without a vector unit.
        """
        tensor = [MULTIPLY_ADD * engine.per_cycle for name, engine in self.engines.items()
                  if name in used and name.startswith("tensor")]  # fmt: skip
        vector = self.engines["compute"].per_cycle / FLOAT if "compute" in self.engines else lanes
        return max(tensor, default=vector)

    @property
    def device_gb_per_s(self) -> float | None:
        """The bandwidth of the device's memory: that of its slowest channel, None where it has none."""
        return min((channel.gb_per_s for channel in self.channels.values() if channel.scope == "device"), default=None)

    def replace(self, changes: Mapping[str, float]) -> Rates:
        """New rates with some numbers changed, say ``{"channels.dram.gb_per_s": 600}``.

        Changed numbers count as assumed. ValueError for an unknown name and for a value that is not finite
        or not above zero; costs (``startup_cycles``, ``latency_ns``, ``overhead_us``) may be zero.
        """
        wiring = {name: (channel.scope, channel.spaces) for name, channel in self.channels.items()}
        return build_rates(changed(self.facts, changes), wiring)


def build_rates(facts: dict[str, Quantity], wiring: Mapping[str, tuple[Scope, tuple[str, ...]]]) -> Rates:
    """Rates from their numbers and, for each channel, its scope and spaces."""

    def number(path: str, default: float = 0.0) -> float:
        return float(facts[path].value) if path in facts else default

    engines = {
        name: EngineRates(
            number(f"{path}.startup_cycles"), number(f"{path}.per_cycle"), number(f"{path}.quantum"),
            number(f"{path}.part_cycles"), number(f"{path}.dependent_cycles"), number(f"{path}.efficiency", 1.0),
        )
        for name in dict.fromkeys(path.split(".")[1] for path in facts if path.startswith("engines."))
        for path in [f"engines.{name}"]
    }  # fmt: skip
    channels = {}
    for name, (scope, spaces) in wiring.items():
        path = f"channels.{name}"
        cap = number(f"{path}.core_gb_per_s") if f"{path}.core_gb_per_s" in facts else None
        writes = number(f"{path}.write_latency_ns") if f"{path}.write_latency_ns" in facts else None
        efficiency = number(f"{path}.efficiency", 1.0)
        channels[name] = Channel(
            number(f"{path}.gb_per_s"), number(f"{path}.latency_ns"), scope, spaces, cap, efficiency, writes
        )
    overhead, task, host = (number(f"launch.{name}") for name in ("overhead_us", "task_us", "host_us"))
    bus = None
    if "bus.gb_per_s" in facts:
        bus = Bus(number("bus.gb_per_s"), number("bus.latency_ns"), number("bus.efficiency", 1.0))
    granule = next(int(number(path)) for name in wiring if (path := f"channels.{name}.granule") in facts)
    return Rates(number("clock.core_mhz"), engines, channels, overhead, facts, task, host, bus, granule)
