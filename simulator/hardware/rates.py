"""What a kernel cannot observe of a chip: clock, costs and bandwidths."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .device_file import Kind, Quantity, Scope, changed, require_known


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
    """Bandwidth (1e9 bytes a second) that all users of ``spaces`` within one unit of ``scope`` share.

    ``core_gb_per_s`` is the most that one core can draw of it, None where that is all of it.
    """

    gb_per_s: float
    latency_ns: float
    scope: Scope
    spaces: tuple[str, ...]
    core_gb_per_s: float | None = None


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
        return build_rates(changed(self.facts, changes), wiring)


def build_rates(facts: dict[str, Quantity], wiring: Mapping[str, tuple[Scope, tuple[str, ...]]]) -> Rates:
    """Rates from their numbers and, for each channel, its scope and spaces."""

    def number(path: str) -> float:
        return float(facts[path].value)

    names = dict.fromkeys(path.split(".")[1] for path in facts if path.startswith("engines."))
    engines = {
        name: Engine(*(number(f"engines.{name}.{field}") for field in ("startup_cycles", "per_cycle", "quantum")))
        for name in names
    }
    channels = {}
    for name, (scope, spaces) in wiring.items():
        path = f"channels.{name}"
        cap = number(f"{path}.core_gb_per_s") if f"{path}.core_gb_per_s" in facts else None
        channels[name] = Channel(number(f"{path}.gb_per_s"), number(f"{path}.latency_ns"), scope, spaces, cap)
    return Rates(number("clock.core_mhz"), engines, channels, number("launch.overhead_us"), facts)
