"""Which numbers of a device file a fit may change: where they are without one, what they can be, what notices them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...chip.device_file import Quantity, check_value
from ...chip.rates import Rates, build_rates
from ...log import Log

#: Where a number is that the device file does not have, by the last part of its name.
_CENTRES = {"efficiency": 0.9, "task_us": 0.1, "host_us": 10.0, "part_cycles": 64.0, "dependent_cycles": 16.0}
#: What a number can physically be; a bandwidth at most what the device file says of the channel.
_BOUNDS = {
    "efficiency": (0.05, 1.0), "startup_cycles": (1e-3, 1e5), "part_cycles": (1e-3, 1e5), "latency_ns": (1.0, 1e4),
    "write_latency_ns": (1e-2, 1e4), "dependent_cycles": (1e-2, 1e4), "overhead_us": (1e-2, 1e3),
    "host_us": (1e-2, 1e3), "task_us": (1e-3, 1e2), "per_cycle": (1e-4, 1e5), "core_mhz": (10.0, 1e4),
}  # fmt: skip


def changed_rates(rates: Rates, values: Mapping[str, float | Quantity]) -> Rates:
    """Rates with some numbers set, also such as the device file leaves out; they count as fitted."""
    facts = dict(rates.facts)
    for path, value in values.items():
        new = value if isinstance(value, Quantity) else Quantity(value, "fitted", "a fit")
        check_value(path, new.value)
        facts[path] = new
    wiring = {name: (channel.scope, channel.spaces) for name, channel in rates.channels.items()}
    return build_rates(facts, wiring)


def centre_of(path: str, rates: Rates) -> float:
    """The centre of a number that a user frees: its value; ValueError for one that no device file has."""
    part, _, field = path.rpartition(".")
    siblings = [name for name in rates.facts if name.startswith(f"{part}.")]
    if path not in rates.facts and (field not in _CENTRES or not siblings):
        raise ValueError(f"there is no number {path!r} to fit; `mlusim devices NAME` lists those of a device")
    centre = float(rates.facts[path].value) if path in rates.facts else _CENTRES[field]
    low, high = bounds(path, rates)
    return min(max(centre, low), high)


def bounds(path: str, rates: Rates) -> tuple[float, float]:
    """What a number can physically be; ValueError where none can be fitted."""
    field = path.rpartition(".")[2]
    if field.endswith("gb_per_s") and path in rates.facts:
        most = float(rates.facts[f"{path.rpartition('.')[0]}.gb_per_s"].value)
        return most * 1e-3, most
    if field not in _BOUNDS:
        raise ValueError(f"{path} is no rate that can be fitted")
    return _BOUNDS[field]


def depends_on(log: Log, rates: Rates, path: str) -> bool:
    """Whether the time of a log can depend on a number: it uses that engine or channel, or has several tasks."""
    kind, name, *field = path.split(".")
    if path == "launch.host_us":
        return False
    if field == ["part_cycles"]:
        of = log.which(lambda op: op.engine == name)
        scalar = name in {op.engine for op in log.ops if op.granule > 1}
        return scalar or bool(log.records["gaps"][of].any())
    if kind == "engines":
        return name in {op.engine for op in log.ops} or name in ("scalar", "tensor", "compute")
    if kind == "channels":
        spaces = np.array([space in rates.channels[name].spaces for space in log.shape.spaces])
        return bool(spaces[log.operand_spaces].any())
    return path != "launch.task_us" or len(np.unique(log.records["task"])) > 1
