"""Logs written by hand, and rates at which they can be timed on paper."""

from dataclasses import dataclass, replace

import numpy as np
from mlusim.simulator import Device
from mlusim.simulator.chip.rates import Channel, EngineRates
from mlusim.simulator.log import BLOCKING, OPERAND, RECORD, SERIAL, Location, Log, Op, region_key
from mlusim.simulator.timing import Reason, replay

DEVICE = Device.load("mlu370-x4")
SHAPE = DEVICE.shape
MEMORY_CORE = SHAPE.cores  # of cluster 0

# 1 MHz makes a cycle a microsecond; 6.4e-3 GB/s is a granule of 64 bytes in ten microseconds.
RATES = replace(
    DEVICE.rates,
    clock_mhz=1.0,
    launch_overhead_us=100.0,
    task_us=0.0,
    engines={
        "scalar": EngineRates(1, 1, 1),
        "compute": EngineRates(2, 4, 8),
        "io": EngineRates(3, 64, 64),
        "sync": EngineRates(5, 1, 1),
        "scalar_gdram": EngineRates(0, 0.5, 1),
    },
    channels={
        "dram": Channel(6.4e-3, 7000.0, "device", ("gdram",)),
        "cluster_port": Channel(3.2e-3, 0.0, "cluster", ("gdram",)),
    },
)
#: The same without channels.
ALONE = replace(RATES, channels={}, engines={**RATES.engines, "io": EngineRates(3, 2, 1)})
PIPES = ("compute", "io", "scalar", "sync")
OPS = {
    "alloc": Op("alloc", "", ("dst",), (False,), ""),
    "add": Op("add", "", ("dst",), (True,), "compute", queues=("compute", "io")),
    "load": Op("load", "", ("src",), (False,), "io", queues=("compute", "io")),
    "strange": Op("strange", "", (), (), "tensor"),
    "sync_io": Op("sync_io", "", (), (), "sync", waits=("io",)),
    "sync": Op("sync", "", (), (), "sync", waits=("compute", "io")),
    "section": Op("section", "", (), (), "", queues=("compute", "io")),
    "meet": Op("meet", "", (), (), "sync", waits=("compute", "io"), barrier="cluster"),
    "scalar": Op("scalar.load", "", ("src",), (False,), "scalar_gdram", waits=("compute",), granule=64),
}
OPS |= {
    "put": Op("put", "", ("dst",), (True,), "io"),
    "poke": Op("scalar.store", "", ("dst",), (True,), "scalar_gdram", waits=("compute",), granule=64),
}
PIPE_OF = {
    "load": "io",
    "put": "io",
    "poke": "scalar",
    "sync_io": "sync",
    "sync": "sync",
    "meet": "sync",
    "section": "sync",
    "scalar": "scalar",
}
LAUNCH, ISSUE, PIPE, WAIT, BARRIER = Reason


@dataclass(frozen=True)
class Row:
    op: str
    work: int = 0
    core: int = 0
    blocking: bool = False
    serial: bool = False
    task: int | None = None  # the core's number by default
    gaps: int = 0
    bytes: int | None = None  # that a load spans, by default its work

    @property
    def moved(self) -> int:
        """Bytes on the channels, whole granules of 64; a scalar access moves one at most."""
        if self.op == "scalar":
            return min(self.bytes if self.bytes is not None else self.work * 64, self.work * 64)
        span = self.bytes if self.bytes is not None else self.work
        return -(-min(span, self.work) // 64) * 64 if self.op in ("load", "put") else 0


def log_of(*rows: Row) -> Log:
    ops, records = list(OPS), np.zeros(len(rows), RECORD)
    operands: list[tuple[int, int, int, int]] = []
    gdram = list(SHAPE.spaces).index("gdram")
    for record, row in zip(records, rows, strict=True):
        record["op"], record["pipe"] = ops.index(row.op), PIPES.index(PIPE_OF.get(row.op, "compute"))
        record["core"], record["task"] = row.core, row.core if row.task is None else row.task
        record["gaps"] = row.gaps
        record["work"], record["flags"] = row.work, BLOCKING * row.blocking | SERIAL * row.serial
        bytes = row.bytes if row.bytes is not None else row.work if row.op in ("load", "put") else row.moved
        record["first"] = len(operands)
        operands += [(region_key(gdram, 0, 0), bytes, 0, 0)] * len(OPS[row.op].operands)
    return Log(
        records,
        np.array(operands, OPERAND),
        tuple(OPS.values()),
        PIPES,
        (Location("k.mlu", 1),),
        SHAPE,
        "test",
        {"kernel": "k"},
    )


def timed(rates, *rows):
    """(start, end, reason, cause) of every row."""
    line = replay(log_of(*rows), rates)
    columns = (column.tolist() for column in (line.start, line.end, line.reason, line.cause))
    return [(start, end, Reason(reason), cause) for start, end, reason, cause in zip(*columns, strict=True)]
