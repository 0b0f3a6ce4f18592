"""What a walk needs of a log and its costs: who has which records, who shares which channel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..chip.rates import Rates
from ..log import Log
from .costs import Costs, chunks, contended, unit_of

#: Start, end, reason and cause of every record.
Times = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True)
class WalkPlan:
    """The tables of a walk; those of instructions are by their number in the log."""

    log: Log
    costs: Costs
    issue_us: float
    task_us: float
    mark: list[bool]  # takes no time
    barrier: list[bool]
    waits: list[tuple[int, ...]]  # pipes
    queues: list[tuple[int, ...]]
    members: dict[int, int]  # number of a barrier -> records that meet there
    order: np.ndarray  # the records, those of a core together
    cores: list[tuple[int, np.ndarray, list[int]]]  # number, records in order, servers
    servers: list[tuple[float, float, np.ndarray]]  # rate, rate of one core, bytes of every record
    shared: np.ndarray  # whether a record uses a server

    @classmethod
    def of(cls, log: Log, rates: Rates, costs: Costs) -> WalkPlan:
        """The plan of a log."""
        pipes, shape = log.pipes, log.shape
        barrier = [bool(op.barrier) for op in log.ops]
        meeting = log.records["work"][np.array(barrier)[log.records["op"]]] if any(barrier) else np.zeros(0, np.int64)
        order = np.argsort(log.records["core"], kind="stable")
        counts = np.bincount(log.records["core"])
        numbers = np.flatnonzero(counts)
        ends = counts[numbers].cumsum()
        used: dict[int, list[int]] = {core: [] for core in numbers.tolist()}
        servers: list[tuple[float, float, np.ndarray]] = []
        shared, channels = np.zeros(len(log), bool), list(rates.channels.values())
        for number, scope, units in contended(log, rates, costs):
            moved, channel = costs.moved[number], channels[number]
            for users in units.values():
                for core in users:
                    used[core].append(len(servers))
                servers.append((channel.rate, channel.core_rate, moved))
            shares = np.array(
                [
                    unit_of(shape.cores, shape.cores_per_cluster, scope, core) in units
                    for core in range(shape.owners("core"))
                ]
            )
            for part in chunks(len(log)):
                shared[part] |= (moved[part] > 0) & shares[log.records["core"][part]]
        return cls(
            log,
            costs,
            rates.engines["scalar"].startup_cycles / rates.clock_mhz,
            rates.task_us,
            [not (op.engine or op.waits or op.barrier) for op in log.ops],
            barrier,
            [tuple(pipes.index(pipe) for pipe in op.waits if pipe in pipes) for op in log.ops],
            [tuple(pipes.index(pipe) for pipe in op.queues if pipe in pipes) for op in log.ops],
            dict(zip(*(column.tolist() for column in np.unique(meeting, return_counts=True)), strict=True)),
            order,
            [
                (core, queue, used[core])
                for core, queue in zip(numbers.tolist(), np.split(order, ends[:-1]), strict=False)
            ],
            servers,
            shared,
        )


def stuck(core: int) -> ValueError:
    """The fault of a log whose barriers cannot be met."""
    return ValueError(f"the log cannot be timed: its barriers let core {core} wait for ever")
