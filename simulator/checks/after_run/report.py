"""The findings of what the pass over a log has found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product

import numpy as np

from ....isa import DIALECTS, Barrier, Section
from ...findings import ERROR, Finding, merged, rules
from ...flow import Found, Kind, causes_of
from ...log import Log, Op, Region, region_of
from .given import Given
from .left_out import left_out

#: Rules after which a launch has not come to its end, whether findings are collected or not.
_ENDING = (
    rules.ASSERT, rules.BARRIER, rules.CRASH, rules.FORBIDDEN, rules.NOT_MODELLED, rules.STACK, rules.TIME,
)  # fmt: skip
#: The two instructions of a cause.
_ENDS = ("earlier", "later")
#: A scalar access that may not happen ends its task: what the task would have waited for afterwards is not known.
_FAULTS, _SCALAR = (rules.BOUNDS, rules.SPACE), "scalar."

#: The advice on tiles that is looked for.
_ADVICE = (Kind.PARTIAL, Kind.LEFTOVER, Kind.SHIFTED, Kind.UNTAKEN, Kind.OVERRUN)
#: What is said of tiles: the rule, what is wrong, and what to do.
_TILES = {
    Kind.PARTIAL: (
        rules.PARTIAL,
        "{name} uses a tile of which {other} has changed a part; {bytes} bytes of it are as they were",
        "give {other} the count of the tile",
    ),
    Kind.LEFTOVER: (
        rules.LEFTOVER,
        "{name} takes {bytes} bytes that were made of what {other} has left of an older tile",
        "see whether both have the address and the count of the tile",
    ),
    Kind.SHIFTED: (
        rules.SHIFTED,
        "{name} takes {bytes} bytes before the tile that {other} has made, left of what lay there",
        "see whether both have the address of the tile",
    ),
    Kind.UNTAKEN: (
        rules.SHIFTED,
        "{name} takes what {other} has made but for {bytes} bytes at one end, which nobody takes",
        "see whether both have the address and the count of the tile",
    ),
    Kind.OVERRUN: (
        rules.OVERRUN,
        "{name} takes a tile of which {other} has overwritten the first {bytes} bytes with the end of a result that "
        "begins before it",
        "give {other} the count of its tile",
    ),
    Kind.OVERREAD: (
        rules.OVERRUN,
        "{name} takes a tile and, behind it, {bytes} bytes of what {other} has made",
        "give {name} the count of its tile",
    ),
}  # fmt: skip


def examine(
    log: Log, findings: Sequence[Finding], on_finding: str, given: Callable[[], Iterable[Given]] = tuple
) -> list[Finding]:
    """What the order of a launch's accesses breaks (hazards, races, copies that nobody waits for), and lost work.

    ``findings`` are what the launch itself has reported; the arrays that were ``given`` are asked for where it has
    come to its end. Kernels that run as blocks of threads have checks of their own.
    """
    faults = [
        pair for f in findings if f.rule in _FAULTS and f.instruction.startswith(_SCALAR)
        for pair in product(f.cores or (f.core,), f.tasks or (f.task,))
    ]  # fmt: skip
    found = _found(log, came_to_end(findings, on_finding), faults)
    broken = any(f.severity == ERROR for f in findings)  # an instruction that was left out has written nothing
    lost = [] if broken or not len(log) else left_out(log, given())
    return merged([*(_Report(log, found).findings() if found else ()), *lost])


def came_to_end(findings: Iterable[Finding], on_finding: str) -> bool:
    """Whether a launch has come to its end, by what it has reported itself."""
    return not any(f.severity == ERROR and (on_finding == "raise" or f.rule in _ENDING) for f in findings)


def advise(log: Log) -> list[Finding]:
    """What a launch could do without: waits that wait for nothing."""
    found = _found(log, True)
    return [] if found is None else list(_Report(log, found).redundant())


def _found(log: Log, whole: bool, faults: Sequence[tuple[int, int]] = ()) -> Found | None:
    return causes_of(log, whole, faults, _ADVICE) if len(log) and not log.kind.transactions else None


class _Report:
    def __init__(self, log: Log, found: Found) -> None:
        self.log, self.found, self.dialect = log, found, DIALECTS[log.shape.isa]
        self.kernel = str(log.launch.get("kernel", ""))

    def findings(self) -> Iterator[Finding]:
        """One for each cause."""
        causes = self.found.causes
        used = {self._place(int(cause["earlier"])) for cause in causes if cause["kind"] == Kind.HAZARD}
        left = {self._place(int(cause[end])) for cause in causes if cause["kind"] == Kind.LEFTOVER for end in _ENDS}
        over = {self._place(int(cause["earlier"])) for cause in causes if cause["kind"] == Kind.OVERRUN}
        for cause in causes:
            kind = Kind(int(cause["kind"]))
            if kind == Kind.UNWAITED and self._place(int(cause["later"])) in used:
                continue  # the wait that is missing there is missing here
            if kind == Kind.PARTIAL and self._place(int(cause["earlier"])) in left | over:
                continue  # what is made of the rest is said where it is stored, or where the next tile is taken
            if kind == Kind.OVERREAD and self._place(int(cause["later"])) in over:
                continue  # what it makes of that is said where the next tile is taken
            if kind in (Kind.SHIFTED, Kind.UNTAKEN) and any(self._place(int(cause[end])) in left for end in _ENDS):
                continue  # as is what lies beside a tile
            yield self._SAID[kind](self, cause)

    def _op(self, record: int) -> Op:
        return self.log.ops[int(self.log.records["op"][record])]

    def _place(self, record: int) -> tuple[int, int]:
        return int(self.log.records["op"][record]), int(self.log.records["loc"][record])

    def _pipe(self, record: int) -> str:
        return self.log.pipes[int(self.log.records["pipe"][record])]

    def _wait_for(self, pipe: str) -> str:
        wait = self.dialect.wait_for(pipe)
        return f"{wait}()" if wait else ""

    def _made(self, rule: str, message: str, cause: np.void, **more: object) -> Finding:
        """The finding of a cause; both instructions are named by what the first time says."""
        later, records = int(cause["later"]), self.log.records
        seen = cause["laters"][: int(cause["shown"])]
        both = np.concatenate([seen, cause["earliers"][: len(seen)]])
        region = more.pop("region", None)
        return Finding(
            rule, message, instruction=self._op(later).name, kernel=self.kernel, core=int(records["core"][later]),
            task=int(records["task"][later]), location=self.log.location(later), count=int(cause["count"]),
            cores=tuple(sorted(set(records["core"][both].tolist()))),
            tasks=tuple(sorted(set(records["task"][both].tolist()))), region=region, **more,  # type: ignore[arg-type]
        )  # fmt: skip

    def _region(self, cause: np.void) -> Region:
        return region_of(int(cause["key"]), int(cause["bytes"]), tuple(self.log.shape.spaces))

    def _operand(self, cause: np.void) -> str:
        return self._op(int(cause["later"])).operands[int(cause["operand"])]

    def _between(self, rule: str, message: str, cause: np.void, advice: str) -> Finding:
        """The finding of a cause in which two instructions use the same bytes."""
        return self._made(
            rule,
            message,
            cause,
            related=self.log.location(int(cause["earlier"])),
            operand=self._operand(cause),
            region=self._region(cause),
            suggestion=advice,
        )

    def _hazard(self, cause: np.void) -> Finding:
        earlier = int(cause["earlier"])
        name, pipe = self._op(int(cause["later"])).name, self._pipe(earlier)
        wait = self._wait_for(pipe)
        if {pipe, self._pipe(int(cause["later"]))} <= set(self.dialect.queues):  # side by side in a section
            ends = (e for e in self.dialect.instructions if isinstance(e.effect, Section) and not e.effect.opens)
            wait = f"{next(ends).name}()"
        return self._between(
            rules.ORDER,
            f"{name} uses memory that {self._op(earlier).name} is still working on; nothing waits for the {pipe} pipe",
            cause,
            f"call {wait} between them" if wait else "",
        )

    def _race(self, cause: np.void) -> Finding:
        later, earlier = int(cause["later"]), int(cause["earlier"])
        records = self.log.records
        name, other = self._op(later).name, self._op(earlier).name
        who, whom = int(records["task"][later]), int(records["task"][earlier])
        region, task = self._region(cause), f"task {whom}"
        if who == whom:
            task = f"core {int(records['core'][earlier])}"  # a memory core runs the task beside the others
        barrier = self._barrier(later, earlier)
        advice = "give each task bytes of its own, or use atomic instructions"
        return self._between(
            rules.RACE,
            f"{name} of task {who} and {other} of {task} use the same bytes of {region.space} in no order; one writes",
            cause,
            f"call {barrier} between them, or {advice}" if barrier else advice,
        )

    def _barrier(self, later: int, earlier: int) -> str:
        """A barrier at which both cores meet; "" where there is none: tasks that may run one after the other."""
        records, shape = self.log.records, self.log.shape
        tasks = self.log.kind.together(shape)
        if tasks and records["task"][later] // tasks != records["task"][earlier] // tasks:
            return ""
        cores = [int(records["core"][record]) for record in (later, earlier)]
        clusters = {c // shape.cores_per_cluster if c < shape.cores else c - shape.cores for c in cores}
        effects = {e.name: e.effect for e in self.dialect.instructions if isinstance(e.effect, Barrier)}
        wanted = "" if max(cores) >= shape.cores else "ipu"
        for reach in ["cluster", "union"] if len(clusters) == 1 else ["union"]:
            for members in ("", wanted):
                for name, effect in effects.items():
                    if effect.reach == reach and effect.members == members:
                        return f"{name}()"
        return ""

    def _unwaited(self, cause: np.void) -> Finding:
        later = int(cause["later"])
        name, pipe = self._op(later).name, self._pipe(later)
        wait = self._wait_for(pipe)
        return self._made(
            rules.UNWAITED,
            f"the task ends while {name} may still be at work; nothing waits for the {pipe} pipe",
            cause,
            suggestion=f"call {wait} behind it" if wait else "",
            provenance="inferred",
        )

    def _unused(self, cause: np.void) -> Finding:
        what = "nobody reads what {other} has written"
        if cause["later"] != cause["earlier"]:
            what = "{name} overwrites what {other} has written, and nobody has read it"
        return self._about(cause, rules.UNUSED, what, "see whether both mean this buffer; leave out what nobody needs")

    def _tile(self, cause: np.void) -> Finding:
        return self._about(cause, *_TILES[Kind(int(cause["kind"]))])

    def _about(self, cause: np.void, rule: str, message: str, advice: str) -> Finding:
        """The finding of a cause in words that name its later instruction, its earlier one, and its bytes."""
        name, other = (self._op(int(cause[end])).name for end in ("later", "earlier"))
        words = {"name": name, "other": other, "bytes": int(cause["bytes"])}
        return self._between(rule, message.format(**words), cause, advice.format(**words))

    _SAID = {
        Kind.HAZARD: _hazard, Kind.RACE: _race, Kind.UNWAITED: _unwaited, Kind.UNUSED: _unused,
        **dict.fromkeys(_TILES, _tile),
    }  # fmt: skip

    def redundant(self) -> Iterator[Finding]:
        """Waits at a line that changed nothing whenever it was executed, but what a kernel has to begin with."""
        log, redundant = self.log, self.found.redundant
        if not redundant.any():
            return
        waits = np.array([bool(op.waits and not op.operands and not op.barrier) for op in log.ops])
        records = np.flatnonzero(waits[log.records["op"]])
        places = log.records["loc"][records].astype(np.int64) << 16 | log.records["op"][records]
        for place in np.unique(places[redundant[records] > 0]).tolist():
            mine = records[places == place]
            if not redundant[mine].all() or log.records["first"][mine[0]] == 0 or not log.location(int(mine[0])).line:
                continue
            first = int(mine[0])
            nothing = bool((redundant[mine] == 1).all())
            name = self._op(first).name
            what = "nothing is at work that it waits for" if nothing else "the next instruction waits for the same"
            where = log.records[mine]
            yield Finding(
                rules.REDUNDANT_SYNC, f"{name} changes nothing: {what}", instruction=name, kernel=self.kernel,
                core=int(where["core"][0]), task=int(where["task"][0]), location=log.location(first), count=len(mine),
                cores=tuple(np.unique(where["core"]).tolist()), tasks=tuple(np.unique(where["task"]).tolist()),
                suggestion="leave it out",
            )  # fmt: skip
