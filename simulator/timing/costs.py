"""What every record of a log costs at the rates of a device, before any waiting."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from ..chip.rates import EngineRates, Rates
from ..log import Log
from ..log.region import offset_numbers
from .dependence import dependent

#: Records whose costs are computed at a time: bounds the memory that this takes beside the results.
_CHUNK = 1 << 16
_GENERAL = ("tensor", "compute")  # stand for tensor_* and compute_* where a device file has no closer figure
_SCALAR = "scalar"  # how the engines of the scalar unit begin
#: Numbers of a device by their paths, of which a time is a product or a quotient.
Numbers = tuple[str, ...]


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

    alone: np.ndarray  # microseconds without latency, if nobody else uses its channels
    latency: np.ndarray  # microseconds
    moved: np.ndarray  # bytes on each channel, in the order of ``rates.channels``
    shares: dict[str, float]  # kind of number -> share of all durations that rests on it, 0..1
    not_modelled: tuple[str, ...]  # instructions whose engine has no cost

    @classmethod
    def of(cls, log: Log, rates: Rates) -> Costs:
        """The costs of a log."""
        return cls.weighed(log, rates, *(np.ones(len(log)),) * 2)[0]

    @classmethod
    def weighed(
        cls, log: Log, rates: Rates, weight: np.ndarray, waits: np.ndarray
    ) -> tuple[Costs, dict[Numbers, float]]:
        """The costs of a log, and the durations of its records by the numbers that they are computed from.

        A record's time without latency counts ``weight`` times, its latency ``waits`` times, float64 [records].
        """
        count = len(log)
        alone, latency = np.zeros(count), np.zeros(count)
        moved = np.zeros((len(rates.channels), count))
        table, times = _Table(log, rates), defaultdict[Numbers, float](float)
        for part in chunks(count):
            writes = table.fill(part, alone[part], moved[:, part], weight[part], times)
            if not log.kind.transactions:
                _wait(rates, moved[:, part] > 0, writes, latency[part], waits[part], times)
        if log.kind.transactions:
            last = [_last_of_tasks(log, mine > 0) for mine in moved]
            _wait(rates, last, np.zeros(count, bool), latency, waits, times)
        return cls(alone, latency, moved, _shares(rates, times), table.missing), times


def _shares(rates: Rates, times: Mapping[Numbers, float]) -> dict[str, float]:
    """The share of some times that rests on each kind of number, 0..1."""
    shares, total = defaultdict[str, float](float), sum(times.values())
    for numbers, us in times.items() if total else ():
        shares[rates.weakest(*numbers)] += float(us / total)
    return dict(shares)


def _wait(
    rates: Rates, waits: Iterable[np.ndarray], writes: np.ndarray, latency: np.ndarray, weight: np.ndarray,
    times: dict[Numbers, float],
) -> None:  # fmt: skip
    """Add the latency of each channel to the records that wait for it, bool [channels][records].

    ``writes``, bool [records]: those that write all that they move on a channel.
    """
    for (name, channel), mine in zip(rates.channels.items(), waits, strict=True):
        read, write = channel.latencies
        each = [(read, mine)] if read == write else [(read, mine & ~writes), (write, mine & writes)]
        for (field, latency_us), waiting in each:
            np.add(latency, latency_us, out=latency, where=waiting)
            times[(f"channels.{name}.{field}",)] += float(weight[waiting].sum()) * latency_us


class _Table:
    """The costs of the instructions of a log, looked up by their number."""

    def __init__(self, log: Log, rates: Rates) -> None:
        self.log, self.rates = log, rates
        self.cycle_us = 1.0 / rates.clock_mhz
        engines = [_engine(rates, op.engine) for op in log.ops]
        known = [engine or ("", EngineRates(0, 1, 1)) for engine in engines]
        self.missing = tuple(
            sorted({op.name for op, found in zip(log.ops, engines, strict=True) if op.engine and found is None})
        )
        self.startup = np.array([engine.startup_cycles for _, engine in known])
        self.part = np.array([engine.part_cycles for _, engine in known])
        self.dependent = np.array([engine.dependent_cycles for _, engine in known])
        self.follows = dependent(log, self.dependent > 0)
        self.quantum = np.array([engine.quantum for _, engine in known])
        # The work of a barrier, or of a message, is its number.
        self.cost = np.array(
            [0.0 if op.barrier or op.message or not found else 1.0 for op, found in zip(log.ops, engines, strict=True)]
        )
        self.rate = np.array([engine.rate for _, engine in known])
        self.numbers: list[list[Numbers]] = [
            [("clock.core_mhz", *(f"engines.{name}.{field}" for field in fields)) for name, _ in known]
            for fields in (("startup_cycles",), ("dependent_cycles",), ("part_cycles",), ("per_cycle", "efficiency"))
        ]
        granule = np.array([op.granule for op in log.ops], np.int64)
        self.single = granule > 1  # work counts accesses of their own
        # Accesses of a scalar unit lie within granules of the memory, transactions of thread blocks fill their own.
        self.within = np.array([op.granule > 1 and op.engine.startswith(_SCALAR) for op in log.ops], bool)
        self.posted = self.within & np.array([any(op.writes) for op in log.ops], bool)
        self.most = np.where(self.within, rates.granule, granule)  # bytes that an access moves at most
        counts = np.array([len(op.operands) for op in log.ops], np.int64)
        self.counts, self.flat = counts, np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64)
        self.written = np.array([written for op in log.ops for written in op.writes], bool)

    def fill(
        self, part: slice, alone: np.ndarray, moved: np.ndarray, weight: np.ndarray, times: dict[Numbers, float]
    ) -> np.ndarray:
        """The costs of some records; how long they last, ``weight`` times, is added by the numbers that this rests on.

        Whether they write all that they move on channels, bool [records].
        """
        records = self.log.records[part]
        op = records["op"].astype(np.int64)
        repeats, writes = self._traffic(records, op, moved)
        work = records["work"].astype(np.float64) * repeats
        gaps = records["gaps"].astype(np.float64)
        # A scalar store to a memory on the chip is posted; one to a channel comes twice, as it reads its granule first.
        waited = np.where(self.posted[op] & (repeats == 1.0), 0.0, np.maximum(work - gaps, 0.0))
        startup, dependent, parts, rated = (
            self.startup[op] * self.cycle_us,
            self.dependent[op] * self.follows[part] * self.cycle_us,
            self.part[op] * np.where(self.within[op], waited, gaps) * self.cycle_us,
            np.ceil(work / self.quantum[op]) * self.quantum[op] / self.rate[op] * self.cost[op] * self.cycle_us,
        )
        alone[:] = startup + dependent + parts + rated
        decides = np.full(len(op), -1)  # the channel that lasts longer than the engine
        for number, (channel, bytes_) in enumerate(zip(self.rates.channels.values(), moved, strict=True)):
            time = bytes_ / channel.core_rate
            longer = time > alone
            alone[longer], decides[longer] = time[longer], number
        by_engine = decides < 0
        weight_by_engine = np.where(by_engine, weight, 0.0)
        for time, numbers in zip((startup, dependent, parts, rated), self.numbers, strict=True):
            sums = np.bincount(op, time * weight_by_engine, minlength=len(numbers)).tolist()
            for names, us in zip(numbers, sums, strict=True):
                times[names] += us
        for number, (name, channel) in enumerate(self.rates.channels.items()):
            names = bandwidth(name) if channel.core_rate >= channel.rate else (f"channels.{name}.core_gb_per_s",)
            times[names] += float((alone * weight)[decides == number].sum())
        return writes

    def _traffic(self, records: np.ndarray, op: np.ndarray, moved: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Put the bytes on each channel into ``moved``; how often the work counts, and what writes alone, [records]."""
        log = self.log
        held = self.counts[op]
        repeats, reads = np.ones(len(op)), np.zeros(len(op), bool)
        if not (total := int(held.sum())):
            return repeats, ~reads
        first = int(records["first"][np.argmax(held > 0)])
        rows = log.operands[first : first + total]
        owner = np.repeat(np.arange(len(op)), held)
        of = op[owner]
        written = self.written[self.flat[of] + np.arange(total) - np.repeat(np.cumsum(held) - held, held)]
        spaces = log.operand_spaces[first : first + total]
        parts = records["gaps"][owner].astype(np.int64) + 1
        limit = (records["work"].astype(np.int64) * self.most[op])[owner]
        spans = rows["bytes"].astype(np.int64)
        # Of a strided operand, not the gaps between its parts.
        bytes_ = np.where(limit > 0, np.minimum(spans, limit), spans)
        each = -(-bytes_ // parts)
        granules = -(-(offset_numbers(rows["key"]) % self.rates.granule + each) // self.rates.granule)
        single, within = self.single[of], self.within[of]
        short = written & (each < self.rates.granule) & (bytes_ > 0) & (within | ~single)
        rounded = np.where(single, bytes_, parts * granules * self.rates.granule) * np.where(short, 2, 1)
        names = list(log.shape.spaces)
        for row, channel in zip(moved, self.rates.channels.values(), strict=True):
            used = np.array([space in channel.spaces for space in names])[spaces]
            row[:] = np.bincount(owner[used], rounded[used], minlength=len(op))
            repeats[owner[used & written & within]] = 2.0
            reads[owner[used & ~written]] = True
        return repeats, ~reads


def bandwidth(name: str) -> Numbers:
    """The numbers that the bandwidth of a channel for all users together is made of."""
    return f"channels.{name}.gb_per_s", f"channels.{name}.efficiency"


def _last_of_tasks(log: Log, among: np.ndarray) -> np.ndarray:
    """Whether a record is its task's last among those given, bool [records]."""
    used = np.flatnonzero(among)[::-1]
    _, first = np.unique(log.records["task"][used], return_index=True)
    last = np.zeros(len(log), bool)
    last[used[first]] = True
    return last


def _engine(rates: Rates, name: str) -> tuple[str, EngineRates] | None:
    """The engine of a name with its name in the device file; the general tensor engine where there is no closer one."""
    general = name.partition("_")[0]
    wanted = name if name in rates.engines or general not in _GENERAL else general
    return (wanted, rates.engines[wanted]) if wanted in rates.engines else None


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
