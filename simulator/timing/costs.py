"""What every record of a log costs at the rates of a device, before any waiting."""

from __future__ import annotations

import ctypes
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..chip.rates import EngineRates, Rates
from ..log import Log, Op
from ..structures import address, header
from .built import library

#: Records that are looked at together: bounds the memory that this takes beside the results.
_CHUNK = 1 << 16
_GENERAL = ("tensor", "compute")  # stand for tensor_* and compute_* where a device file has no closer figure
_SCALAR = "scalar"  # how the engines of the scalar unit begin
_NO_ENGINE = "", EngineRates(0, 1, 1)
#: Numbers of a device by their paths, of which a time is a product or a quotient.
Numbers = tuple[str, ...]
#: The rates of an engine and its name in the device file.
_Named = tuple[str, EngineRates]

_HEADER = header("passes/timing/costs.h")
_PRICE, _DRAW = _HEADER.dtype("mlusim_price"), _HEADER.dtype("mlusim_draw")
#: What the time of an engine consists of, in order: the numbers that each rests on, beside the clock.
_TERMS = {
    "STARTUP": ("startup_cycles",), "DEPENDENT": ("dependent_cycles",), "PARTS": ("part_cycles",),
    "WORK": ("per_cycle", "efficiency"),
}  # fmt: skip
_RESTS_ON = [_TERMS[term.name] for term in _HEADER.enumeration("mlusim_term", "MLUSIM_")]


class _Costs(ctypes.Structure):
    _fields_ = _HEADER.fields("mlusim_costs")


def chunks(count: int) -> Iterator[slice]:
    """So many records, a few at a time: what is made of them in between stays in the nearest caches."""
    return (slice(begin, begin + _CHUNK) for begin in range(0, count, _CHUNK))


@dataclass(frozen=True)
class Costs:
    """What every record costs by itself; arrays have the shape [records] or [channels, records].

    A record lasts as long as its engine takes or, where that is longer, as long as a channel takes to move its bytes;
    then comes the latency of each channel that it reads or writes. A block of threads has many transactions under way:
    of each channel only its last record's latency is waited for.
    """

    alone: np.ndarray  # microseconds without latency, if nothing else uses its channels
    latency: np.ndarray  # microseconds
    moved: np.ndarray  # bytes on each channel, in the order of ``rates.channels``
    shares: dict[str, float]  # kind of number -> share of all durations that rests on it, 0..1
    not_modelled: tuple[str, ...]  # instructions whose engine has no cost

    @classmethod
    def of(cls, log: Log, rates: Rates) -> Costs:
        """The costs of a log; BuildError without a C++ compiler."""
        return cls.weighed(log, rates)[0]

    @classmethod
    def weighed(
        cls, log: Log, rates: Rates, weight: np.ndarray | None = None, waits: np.ndarray | None = None
    ) -> tuple[Costs, dict[Numbers, float]]:
        """The costs of a log, and the durations of its records by the numbers that they are computed from.

        A record's time without latency counts ``weight`` times, its latency ``waits`` times, float64 [records], and
        once where they are None. BuildError without a C++ compiler.
        """
        engines = [_engine(rates, op.engine) for op in log.ops]
        count, channels = len(log), len(rates.channels)
        found = {"alone": np.zeros(count), "latency": np.zeros(count), "moved": np.zeros((channels, count))}
        sums = _Sums(np.zeros((len(engines), len(_RESTS_ON))), np.zeros(channels), np.zeros((channels, 2)))
        weights = {name: column for name, column in (("weight", weight), ("waits", waits)) if column is not None}
        columns = {**found, **sums._asdict(), **weights, **_tables(log, rates, engines)}
        given = _Costs(
            count=count, cores=log.shape.owners("core"), pipes=len(log.pipes), channels=channels,
            granule=rates.granule, cycle_us=1.0 / rates.clock_mhz, last=log.kind.transactions,
            **{name: address(column) for name, column in columns.items()},
        )  # fmt: skip
        if library().mlusim_find_costs(ctypes.byref(given)):
            raise MemoryError(f"not enough memory to time {count} records")
        times = sums.by_numbers(rates, engines)
        missing = {op.name for op, engine in zip(log.ops, engines, strict=True) if op.engine and engine is _NO_ENGINE}
        return cls(**found, shares=_shares(rates, times), not_modelled=tuple(sorted(missing))), times


class _Sums(NamedTuple):
    """The durations of records, microseconds, added up by what they rest on."""

    terms: np.ndarray  # [instructions, terms], where the engine decides
    drawn: np.ndarray  # [channels], where a channel does
    waited: np.ndarray  # [channels, 2], how often the latency of a read, and of a write, is waited for

    def by_numbers(self, rates: Rates, engines: Sequence[_Named]) -> dict[Numbers, float]:
        """Microseconds by the numbers of the device that they are computed from."""
        times = defaultdict[Numbers, float](float)
        for (name, _), terms in zip(engines, self.terms.tolist(), strict=True):
            for fields, us in zip(_RESTS_ON, terms, strict=True):
                times[("clock.core_mhz", *(f"engines.{name}.{field}" for field in fields))] += us
        for (name, channel), us, waited in zip(rates.channels.items(), self.drawn, self.waited, strict=True):
            numbers = bandwidth(name) if channel.core_rate >= channel.rate else (f"channels.{name}.core_gb_per_s",)
            times[numbers] += float(us)
            for (field, latency_us), often in zip(channel.latencies, waited.tolist(), strict=True):
                times[(f"channels.{name}.{field}",)] += often * latency_us
        return times


def _tables(log: Log, rates: Rates, engines: Sequence[_Named]) -> dict[str, np.ndarray]:
    """The rows of a log, and what is said of its instructions, of the channels and of the spaces."""
    channels, cycle_us = rates.channels.values(), 1.0 / rates.clock_mhz
    prices = [_price(op, engine, rates.granule, cycle_us) for op, (_, engine) in zip(log.ops, engines, strict=True)]
    return {
        "records": np.ascontiguousarray(log.records), "operands": np.ascontiguousarray(log.operands),
        "prices": np.array(prices, _PRICE),
        "places": np.cumsum([0, *(len(op.operands) for op in log.ops)], dtype=np.int64),
        "writes": np.array([written for op in log.ops for written in op.writes], np.uint8),
        "draws": np.array([(c.core_rate, *(us for _, us in c.latencies)) for c in channels], _DRAW),
        "on": np.array([[space in c.spaces for c in channels] for space in log.shape.spaces], np.uint8),
    }  # fmt: skip


def _price(op: Op, engine: EngineRates, granule: int, cycle_us: float) -> tuple[float, ...]:
    # The work of a barrier, or of a message, is its number.
    paid = not (op.barrier or op.message or engine is _NO_ENGINE[1])
    # Accesses of a scalar unit lie within granules of the memory, transactions of thread blocks fill their own.
    within = op.granule > 1 and op.engine.startswith(_SCALAR)
    return (
        engine.startup_cycles * cycle_us, engine.dependent_cycles * cycle_us, engine.part_cycles,
        engine.quantum, engine.rate, paid,
        granule if within else op.granule, op.granule > 1, within, within and any(op.writes),
    )  # fmt: skip


def _shares(rates: Rates, times: Mapping[Numbers, float]) -> dict[str, float]:
    """The share of some times that rests on each kind of number, 0..1."""
    shares, total = defaultdict[str, float](float), sum(times.values())
    for numbers, us in times.items() if total else ():
        shares[rates.weakest(*numbers)] += float(us / total)
    return dict(shares)


def bandwidth(name: str) -> Numbers:
    """The numbers that the bandwidth of a channel for all users together is made of."""
    return f"channels.{name}.gb_per_s", f"channels.{name}.efficiency"


def _engine(rates: Rates, name: str) -> _Named:
    """The engine of a name with its name in the device file; the general tensor engine where there is no closer one."""
    general = name.partition("_")[0]
    wanted = name if name in rates.engines or general not in _GENERAL else general
    return (wanted, rates.engines[wanted]) if wanted in rates.engines else _NO_ENGINE


def contended(log: Log, rates: Rates, costs: Costs) -> Iterator[tuple[int, str, dict[int, set[int]]]]:
    """The channels on which a pipe can get less than alone: number, scope, and the cores that share one by its unit."""
    shape, pipes = log.shape, max(len(log.pipes), 1)
    present = np.zeros((len(rates.channels), shape.owners("core") * pipes), bool)
    for part in chunks(len(log)):
        users = log.records["core"][part].astype(np.int64) * pipes + log.records["pipe"][part]
        for used, moved in zip(present, costs.moved[:, part], strict=True):
            used[users[moved > 0]] = True
    for number, channel in enumerate(rates.channels.values()):
        units: dict[int, list[int]] = defaultdict(list)
        for user in np.flatnonzero(present[number]).tolist():
            core = user // pipes
            units[unit_of(shape.cores, shape.cores_per_cluster, channel.scope, core)].append(core)
        shared = {
            unit: set(cores)
            for unit, cores in units.items()
            if len(cores) * channel.core_rate > channel.rate * (1 + 1e-12) and len(cores) > 1
        }
        if shared:
            yield number, channel.scope, shared


def unit_of(cores: int, per_cluster: int, scope: str, core: int) -> int:
    """The number of the unit of a scope that a core belongs to; memory cores are numbered after the cores."""
    cluster = core // per_cluster if core < cores else core - cores
    return {"device": 0, "cluster": cluster, "core": core}[scope]
