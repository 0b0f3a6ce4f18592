"""Transactions of warps by source line: what coalescing makes of the loads and stores of a kernel of thread blocks."""

from __future__ import annotations

from dataclasses import dataclass

from ..simulator.chip.launch_kinds import TRANSACTIONS
from ..simulator.log import REQUEST, Log


@dataclass(frozen=True)
class LineTransactions:
    """Transactions of a line, counted by their size, the bytes that they move and those that the threads asked for.

    More is asked for than moved where threads of a warp read the same bytes.
    """

    file: str
    line: int
    access: str  # space and direction, such as "global.load"
    counts: tuple[int, int, int]  # of 32, 64 and 128 bytes
    moved: int
    requested: int


def transactions(log: Log) -> tuple[LineTransactions, ...]:
    """The transactions of each line, in order of the source; none of a kernel without threads."""
    if not log.kind.transactions or not len(log):
        return ()
    found: dict[tuple[int, str], list[int]] = {}
    keys = log.records["loc"].astype("int64") * len(log.ops) + log.records["op"]
    order = keys.argsort(kind="stable")
    starts = [0, *((keys[order][1:] != keys[order][:-1]).nonzero()[0] + 1).tolist()]
    for begin, end in zip(starts, [*starts[1:], len(order)], strict=True):
        part = order[begin:end]
        op, line = log.op(int(part[0])), int(log.records["loc"][part[0]])
        work = int(log.records["work"][part].sum())
        if op.name == REQUEST:
            found.setdefault((line, op.dtypes), [0, 0, 0, 0])[3] += work
        elif op.granule in TRANSACTIONS:
            found.setdefault((line, op.name), [0, 0, 0, 0])[TRANSACTIONS.index(op.granule)] += work
    made = []
    for (line, access), (*counts, requested) in sorted(found.items()):
        moved = sum(count * width for count, width in zip(counts, TRANSACTIONS, strict=True))
        where = log.locations[line]
        made.append(
            LineTransactions(where.file, where.line, access, (counts[0], counts[1], counts[2]), moved, requested)
        )
    return tuple(made)
