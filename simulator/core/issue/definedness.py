"""Which bytes of an output are initialized: copies, lane-wise instructions and those that move elements pass it on.

They report nothing: padding that is computed on and never used is no fault. What looks at values reports: reductions,
products, masks and offsets, positions that a table lacks, scalar loads, and stores to memory that the host can see.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np

from ....isa import Copy, Instruction, Partial
from ..memory import Allocation
from .check import Check
from .effects import EffectWriter, copy_segments
from .inputs import Inputs
from .operands import Flat, Lanes, Operand, Strided
from .source import PortSource


def passes_on(entry: Instruction) -> bool:
    """Whether bytes of the output are initialized where those that they come from are."""
    return entry.lane_wise or isinstance(entry.effect, Copy) or bool(entry.moves)


def carried(entry: Instruction) -> frozenset[str]:
    """The operands whose uninitialized bytes go on to the output; those of the others are reported."""
    if entry.looks_up:
        return frozenset({entry.looks_up})
    if not passes_on(entry):
        return frozenset()
    return frozenset({entry.moves} if entry.moves else {p.name for p in entry.inputs})


def pass_on(port: PortSource, effect: EffectWriter, operands: Sequence[Operand], checks: Sequence[Check]) -> None:
    """Add the lines of a port that do so; ``operands`` have been found."""
    moves, names = port.entry.moves, carried(port.entry)
    read = [operand for operand in operands if operand.name in names]
    (target,) = effect.written
    memories = port.execution.map.memories.values()
    port.bind("_VISIBLE", frozenset(memory.name for memory in memories if memory.space.scope == "device"))
    if moves:
        port.line("_moved = None")
    with port.block(f"if {' or '.join(f'({operand.may_be_uninitialized()})' for operand in read)}:"):
        port.line("_stale = ()")
        for operand in read:
            with port.block(f"if {operand.may_be_uninitialized()}:"):
                port.line(operand.fill_poison())
                port.line(f"if {operand.uninitialized()}: _stale += ({operand.flags()},)")
        with port.block(f"if _stale and {target.entry()}.space in _VISIBLE:"):
            with ExitStack() as where:
                if moves:  # maybe nothing of what is missing
                    _follow(port, effect, read[0])
                    where.enter_context(port.block("if not _moved.all():"))
                for operand in read:
                    for check in checks:
                        check.before_read(port, operand)
                port.line("pass")
            if moves:
                port.line("_moved = None")
            port.line("_stale = ()")
        with port.block("if _stale:"):
            if moves:
                _follow(port, effect, read[0])
            else:
                _pass(port, read, target)
        if not moves:
            with port.block("else:"):
                port.line("pass")
                target.written()
    if not moves:
        with port.block("else:"):
            target.written()
    elif not getattr(port.entry.effect, "partial", False):
        target.written()


def look_up(port: PortSource, operands: Sequence[Operand], checks: Sequence[Check]) -> None:
    """Add the lines of what takes elements of a table: an uninitialized position that it has makes such an element.

    So it is with masks that are made of padding: whatever lies there, a comparison gives 0 or 1. Memory as it is found
    holds no position of any table, and is reported.
    """
    positions = next(operand for operand in operands if operand.name == port.entry.looks_up)
    table = next(operand for operand in operands if operand.reads and operand is not positions)
    for name, value in (("_lanes", lanes), ("_outside", outside)):
        port.bind(name, value)
    port.line("_moved = None")
    with port.block(f"if {positions.may_be_uninitialized()}:"):
        port.line(positions.fill_poison())
        with port.block(f"if {positions.uninitialized()}:"):
            port.line(f"_moved = _lanes(({positions.flags()},))")
            with port.block(f"if _outside({positions.contents()}, {table.contents()}, _moved):"):
                for check in checks:
                    check.before_read(port, positions)
                port.line("_moved = None")


def take_back(port: PortSource, effect: EffectWriter) -> None:
    """Add the lines behind the effect of what moves or looks up elements: where uninitialized ones have come to."""
    if port.entry.moves or port.entry.looks_up:
        (target,) = effect.written
        port.bind("_define", define)
        with port.block("if _moved is not None:"):
            port.line(f"_flags = {target.flags()}")
            moved = "_moved.reshape(_flags.shape)" if port.entry.moves else "_moved"
            port.line(target.define(f"_flags & {moved}"))


def _follow(port: PortSource, effect: EffectWriter, source: Operand) -> None:
    """Find out by the instruction's own function which bytes of the output come from initialized ones."""
    semantics = port.entry.semantics
    assert semantics is not None
    for name, value in (("_marks", marks), ("_alike", alike), ("_body", semantics)):
        port.bind(name, value)
    port.bind(f"_d_{source.name}", source.element.dtype)
    port.line(f"_marked, _clear = _marks(_stale[0], _d_{source.name})")
    marked, clear = (
        Inputs(port, effect.operands, lambda operand: name if operand is source else operand.contents()).of(semantics)  # noqa: B023
        for name in ("_marked", "_clear")
    )
    port.line(f"_moved = _alike(_body({marked}), _body({clear}))")


def _pass(port: PortSource, read: Sequence[Operand], target: Operand) -> None:
    port.bind("_define", define)
    if port.entry.semantics in (np.bitwise_and, np.bitwise_or) and len(read) == 2:
        masks = port.bind("_masked", masked), port.bind("_mask", port.entry.semantics)
        sources = ", ".join(f"({operand.contents()}, {operand.flags()})" for operand in read)
        port.line(target.define(f"{masks[0]}({masks[1]}, {sources})"))
    elif port.entry.lane_wise:
        port.bind("_lanes", packed_lanes if port.entry.packs_bits else lanes)
        port.line(target.define("_lanes(_stale)"))
    elif isinstance(target, Lanes):
        port.line(target.define("_stale[0]"))
    else:
        assert isinstance(target, Flat)
        port.bind("_pass_bytes", pass_bytes)
        apart = f"({target.apart_from(read[0])}) and {target.unfolded()}" if isinstance(target, Strided) else "True"
        place = f"_a_{target.name}, {target.low}, {target.end}, {target.flags()}"
        port.line(f"_pass_bytes({place}, _stale[0], {apart})")


def lanes(sources: Sequence[np.ndarray]) -> np.ndarray:
    """For elements whether all bytes of all their inputs are initialized, shape [..., 1]; inputs broadcast."""
    found, *others = (np.logical_and.reduce(flags, axis=-1, keepdims=True) for flags in sources)
    for other in others:
        found = found & other
    return np.asarray(found)


def outside(positions: np.ndarray, table: np.ndarray, initialized: np.ndarray) -> bool:
    """Whether some of the positions that are not ``initialized``, [..., 1], are none of a table."""
    found = positions.view(f"u{positions.itemsize}")[~initialized[..., 0]] < len(table)  # negative ones are very large
    return not found.all()


def masked(bits: np.ufunc, *sources: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """For bytes of and, or of bits whether they are the same whatever the uninitialized bytes of the inputs are."""
    given = [(np.ascontiguousarray(values).view(np.uint8).reshape(flags.shape), flags) for values, flags in sources]
    low, high = (bits(*(np.where(flags, values, np.uint8(fill)) for values, flags in given)) for fill in (0, 255))
    return np.asarray(low == high)


def packed_lanes(sources: Sequence[np.ndarray]) -> np.ndarray:
    """The same of bytes that hold a bit for each of eight elements, shape [bytes, 1].

    A byte in which padding follows elements that are there counts as initialized: who uses the padding is not seen.
    """
    found = lanes(sources)
    bits = np.pad(found, ((0, -len(found) % 8), (0, 0)), mode="edge").reshape(-1, 8)
    return np.asarray(bits[:, :1] & (bits[:, :-1] >= bits[:, 1:]).all(axis=1, keepdims=True))


def define(entry: Allocation, low: int, end: int, flags: np.ndarray, initialized: np.ndarray) -> None:
    """The bytes of an output in [low, end) are initialized or not; ``flags`` is a view of what is kept of them."""
    flags[...] = initialized
    entry.uninitialized.changed(low, end)


def pass_bytes(entry: Allocation, low: int, end: int, target: np.ndarray, source: np.ndarray, apart: bool) -> None:
    """A byte is initialized where the one that it is a copy of is."""
    copy_segments(target, source.copy() if apart else source, apart)
    entry.uninitialized.changed(low, end)


def marks(flags: np.ndarray, dtype: np.dtype) -> tuple[np.ndarray, np.ndarray]:
    """Elements whose uninitialized bytes have all bits set, and those without any; flags have [..., bytes of one]."""
    marked = np.where(flags, np.uint8(0), np.uint8(255)).view(dtype)[..., 0]
    return marked, np.zeros_like(marked)


def alike(marked: Any, clear: Any) -> np.ndarray:
    """For every byte of an output whether it comes from no mark: it is the same with the marks and without them."""
    one, other = (np.ascontiguousarray(_values(result)).view(np.uint8) for result in (marked, clear))
    return np.equal(one, other)


def _values(result: Any) -> np.ndarray:
    """The new contents in what a function of an instruction returns."""
    values = result[0] if isinstance(result, tuple) else result
    return np.asarray(values.values if isinstance(values, Partial) else values)
