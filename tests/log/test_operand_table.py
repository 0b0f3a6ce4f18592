"""The operand table of a log: instructions of any number of operands, their lanes, and the columns that follow."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from mlusim.simulator import Device, Log, Region
from mlusim.simulator.log import Location, Op, Recorder, region_key

SHAPE = Device.load("bm1690").shape
SPACES = list(SHAPE.spaces)
#: Operands of the instructions that are recorded, in order.
COUNTS = (0, 1, 4, 5, 8, 9, 3, 13, 0, 5)


def written(count: int) -> tuple[bool, ...]:
    return tuple(number % 3 == 0 for number in range(count))


def owner(number: int) -> int:
    """An owner of the operand's space."""
    return number % SHAPE.owners(SHAPE.spaces[SPACES[number % len(SPACES)]].scope)


def operand(record: int, number: int) -> tuple[int, int, int, int]:
    """Key, bytes, first lane, lanes."""
    space = SPACES[number % len(SPACES)]
    lanes = number % 2 * (number + 1)
    return region_key(SPACES.index(space), owner(number), 100 * record + number), 10 + number, lanes // 2, lanes


def recorded(times: int = 1) -> Log:
    recorder = Recorder()
    for _ in range(times):
        for record, count in enumerate(COUNTS):
            names = tuple(f"x{number}" for number in range(count))
            op = recorder.op(Op(f"op{count}", "float", names, written(count), "bdc_ar"))
            operands = [operand(record, number) for number in range(count)]
            recorder.write(op, recorder.pipe("bdc"), record % 4, 1, record, 7 + record, 1000 + record, operands)
    assert len(recorder) == times * len(COUNTS)
    log = recorder.finish(lambda pcs: [Location("kernel.c", pc) for pc in pcs], SHAPE, "bm1690", {"kernel": "k"})
    assert len(recorder) == 0
    return log


@pytest.fixture(scope="module")
def log() -> Log:
    return recorded()


def test_every_record_has_its_own_operands(log: Log) -> None:
    assert len(log) == len(COUNTS)
    for record, count in enumerate(COUNTS):
        found = list(log.regions(record))
        assert [(name, writes) for name, writes, _ in found] == [
            (f"x{number}", writes) for number, writes in enumerate(written(count))
        ]
        for number, (*_, region) in enumerate(found):
            _, size, lane, lanes = operand(record, number)
            offset = 100 * record + number
            assert region == Region(SPACES[number % len(SPACES)], owner(number), offset, size, lane, lanes)
        row = log.records[record]
        assert (row["task"], row["work"], row["flags"]) == (record, 1000 + record, record % 4)
        assert log.location(record) == Location("kernel.c", 7 + record)


def test_columns_of_the_operand_table(log: Log) -> None:
    rows = [(record, number) for record, count in enumerate(COUNTS) for number in range(count)]
    assert log.operand_counts.tolist() == list(COUNTS)
    assert log.owners.tolist() == [record for record, _ in rows]
    assert log.operand_written.tolist() == [number % 3 == 0 for _, number in rows]
    assert log.operand_spaces.tolist() == [number % len(SPACES) for _, number in rows]
    sizes = [(10 + number) * max(number % 2 * (number + 1), 1) for _, number in rows]
    assert log.operand_bytes.tolist() == sizes
    sums = [sum(size for (one, _), size in zip(rows, sizes, strict=True) if one == r) for r in range(len(COUNTS))]
    assert log.per_record(log.operand_bytes).tolist() == sums


def test_a_saved_log_is_the_same(log: Log, tmp_path: Path) -> None:
    log.save(tmp_path / "log.npz")
    found = Log.load(tmp_path / "log.npz")
    assert found == log
    assert [list(found.regions(i)) for i in range(len(found))] == [list(log.regions(i)) for i in range(len(log))]
    assert found.operand_written.tolist() == log.operand_written.tolist()


def test_many_records_make_the_buffer_grow(log: Log) -> None:
    times = 300  # beyond 2184 records, and 3276 operands
    many = recorded(times)
    assert many.operand_counts.tolist() == list(COUNTS) * times
    assert (many.operands.reshape(times, -1) == log.operands).all()
    assert (many.records["work"].reshape(times, -1) == log.records["work"]).all()


def test_an_operand_of_one_record_changes_the_log(log: Log) -> None:
    other = recorded()
    assert log == other
    assert log.same_work(other)
    other.operands["lanes"][-1] += 1
    assert log != other
    assert not log.same_work(other)


def test_a_log_without_records() -> None:
    empty = Log.empty(SHAPE, "bm1690", {})
    assert empty.owners.tolist() == empty.operand_written.tolist() == empty.operand_bytes.tolist() == []
    assert empty.per_record(np.zeros(0)).tolist() == []
