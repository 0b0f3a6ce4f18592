"""Tasks, and threads of a block, share memory with a barrier between, or atomically."""

from dataclasses import replace

from ...log.region import Region
from ..finding import Finding
from ..rule import ADVICE, WARNING, declare_rule

RACE = declare_rule("race", "tasks, and threads of a block, share memory across a barrier, or atomically")


#: What threads of a block do to shared memory.
ACCESSES = ("load", "store")


def of_tasks(
    name: str, task: str, earlier: str, other: str, space: str, barrier: str, shares: bool = False,
    repeats: bool = False,
) -> Finding:  # fmt: skip
    """Instructions of two tasks use the same bytes, one writes; ``barrier``: a call that would part them, if any.

    ``task`` and ``other`` say who they are: tasks, or cores that run one task.
    ``shares``: one line writes them in both, as where the shares of tasks overlap. ``repeats``: both tasks do the same.
    """
    advice = "give each task bytes of its own, or use atomic instructions"
    ways = f"call {barrier} between them, or {advice}" if barrier else advice
    if shares:
        meant = f"call {barrier} between them, or use atomic instructions" if barrier else "use atomic instructions"
        ways = f"check where the share of each task begins and ends: they overlap; if that is intended, {meant}"
    if repeats:
        ways = f"launch one task (--dim 1) if the kernel is written for one core; else {advice}"
    return Finding(
        RACE,
        f"{name} of {task} and {earlier} of {other} use the same bytes of {space} in no order; one writes",
        instruction=name,
        suggestion=ways,
    )


def of_equal_stores(race: Finding, orders: int) -> Finding:
    """A race of stores alone, of a launch that leaves the same in so many other orders of its tasks."""
    said = f"{race.message}; what the launch leaves is the same in {orders} other order{'s' * (orders > 1)}"
    ways = "let one task store, or allow it with the reason that all store the same"
    return replace(race, message=said, suggestion=ways, severity=WARNING)


def of_threads(
    store: bool, who: str, byte: int, name: str, other: str, one_warp: bool, region: Region | None
) -> Finding:
    """A thread accesses a byte of shared memory that another (without ``other``: several) has accessed since."""
    narrow = ", or __syncwarp() if both are in one warp" if one_warp else ""
    accessed = f"{other} has" if other else "several threads have"
    return Finding(
        RACE,
        f"{who} {'stores to' if store else 'loads from'} byte {byte} of {name!r}, which {accessed} accessed since the "
        "last barrier",
        instruction=ACCESSES[store],
        region=region,
        limit="one of the two writes, so the result depends on the order of the threads",
        suggestion=f"call __syncthreads() between them{narrow}, or give each thread its own part",
    )


def of_updates(who: str, byte: int, name: str, other: str, region: Region | None) -> Finding:
    """A thread loads an element of global memory that another has stored, in no order, and stores to it."""
    return Finding(
        RACE,
        f"{who} updates byte {byte} of {name!r}, which {other} has updated, and nothing orders the two",
        instruction="global.store",
        region=region,
        limit="an update is a load and a store: if both threads load before one stores, one update is lost",
        suggestion="use an atomic function, such as atomicAdd(), or give each thread its own element",
    )


def of_global_memory(
    store: bool, who: str, byte: int, name: str, other: str, one_warp: bool | None, region: Region | None
) -> Finding:
    """A thread stores what another has loaded, or loads what it has stored, and nothing orders them.

    ``one_warp``: whether they are in one warp; None where they are in two blocks.
    """
    ways = "store to another array, or split the kernel in two launches: no barrier orders blocks"
    if one_warp is not None:
        narrow = ", or __syncwarp() as both are in one warp" if one_warp else ""
        ways = f"call __syncthreads() between the two{narrow}, or store to another array"
    did = f"stores to byte {byte} of {name!r}, which {other} has loaded" if store else (
        f"loads byte {byte} of {name!r}, which {other} has stored"
    )  # fmt: skip
    return Finding(
        RACE,
        f"{who} {did}, and nothing orders the two",
        instruction=f"global.{ACCESSES[store]}" if one_warp is None else ACCESSES[store],
        region=region,
        limit="on a GPU, the load may come before the store or after it, so it takes the old value or the new one",
        suggestion=ways,
    )


def without_fence(who: str, byte: int, name: str, other: str, gathers: bool, region: Region | None) -> Finding:
    """A thread loads from global memory what another block has stored and then told of, without a fence in between.

    It is the only block to do so, and ``gathers`` what others have made; where several do, some may not need to see it.
    """
    return Finding(
        RACE,
        f"{who} loads byte {byte} of {name!r}, which {other} stored before its last atomic or volatile store, with no "
        "fence in between",
        instruction="global.load",
        region=region,
        limit="without a fence, other blocks may see the second of the two before the first",
        suggestion="call __threadfence() between the two, in the block that stores",
        severity=WARNING if gathers else ADVICE,
    )


def of_blocks(array: str, again: int, blocks: int, whole: bool) -> Finding:
    """So many blocks of threads, of so many that store at all, store only what others store, too.

    ``whole``: all of them do, and nothing is missing: a kernel that is written for one block gives the right results.
    """
    which = f"all {blocks}" if again == blocks else f"{again} of the {blocks}"
    return Finding(
        RACE,
        f"{which} blocks store nothing, in {array} and elsewhere, but what another block stores as well, in no order",
        operand=array,
        suggestion="check how an element follows from the number of a block; launch no blocks that repeat others",
        severity=ADVICE if whole else WARNING,
    )


def of_same_work(array: str, block: int, other: int, times: int) -> Finding:
    """A block touches the very elements that another one touches; ``times`` blocks repeat the work of others."""
    return Finding(
        RACE,
        f"block {block} loads the same elements as block {other}, and updates the same elements of {array}"
        + (f"; {times} blocks repeat others" if times > 1 else ""),
        operand=array,
        suggestion="check how the elements follow from the number of a block: work that is added is added twice",
        severity=WARNING,
    )
