"""The lines of a port that write its record."""

from __future__ import annotations

from collections.abc import Sequence

from ....isa import Barrier
from ...log import CROSSED
from ...log.recorder import HELD, ROW, operand_packer
from .effects import EffectWriter
from .operands import Operand


def write_record(effect: EffectWriter, planned: bool) -> None:
    """The record of a call and its operands; ``planned`` where a plan has its work and its gaps."""
    source, entry, operands = effect.port, effect.entry, effect.operands
    work = "_number" if isinstance(entry.effect, Barrier) else source.expression(entry.work_expression)
    crossed = " or ".join(f"{o.footprint}.crossed" for o in operands if o.footprint)
    flags, free = effect.flags(), gaps(operands)
    if planned:  # and tensors, which are never crossed
        work, free = "_work", "_gaps"
    elif crossed:
        flags = f"({flags}) | ({CROSSED} if {crossed} else 0)"
    source.line("_at = _records.at")
    source.line("if _at >= _records.limit: _at = _rec.grow()")
    source.line(f"_pack(_records.pages, _at, {flags}, _cur.core, _cur.task, _sites[_pc], {work}, {free})")
    source.line(f"_records.at = _at + {ROW}")
    if not operands:
        return
    lanes = any(operand.parameter.is_tensor for operand in operands)
    if planned:
        rows = [f"*{operand.view()}.row" for operand in operands]
    else:
        rows = [operand.record() + f", {operand.lanes}" * lanes for operand in operands]
    pack = source.bind("_pack_operands", operand_packer(len(rows), lanes))
    source.line(f"_at = _operands.at; _end = _at + {HELD * len(rows)}")
    source.line("if _end > _operands.limit: _operands.grow(_end)")
    source.line(f"{pack}(_operands.pages, _at, {', '.join(rows)})")
    source.line("_operands.at = _end")
    for number, operand in enumerate(operands):
        if operand.footprint:
            source.line(f"_runs = {operand.view()}.runs()")
            source.line(f"if _runs: _rec.pieces.append((_at, {number}, *_runs))")


def gaps(operands: Sequence[Operand]) -> str:
    """Expression: the gaps of the record."""
    footprints = [operand.footprint for operand in operands if operand.footprint]
    return f"max({''.join(f'{footprint}.gaps, ' for footprint in footprints)}0)" if footprints else "0"
