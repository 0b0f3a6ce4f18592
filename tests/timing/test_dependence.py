"""What an instruction adds that takes the result of the one before it, and latencies by direction."""

from dataclasses import replace

import numpy as np
import pytest
from mlusim.simulator.chip.rates import EngineRates
from mlusim.simulator.log import OPERAND, RECORD, Location, Log, Op, region_key
from mlusim.simulator.timing import replay

from tests.timing.timing_logs import OPS, PIPES, RATES, SHAPE, Row, log_of

SUM = Op("sum", "", ("dst", "src0", "src1"), (True, False, False), "compute")
FILL = Op("fill", "", ("dst",), (True,), "compute")
PRODUCT = Op("product", "", ("dst", "src"), (True, False), "tensor")
NRAM = list(SHAPE.spaces).index("nram")


def log(*rows):
    """A log of (instruction, core, bytes of every operand as (begin, end))."""
    ops, records, operands = [SUM, FILL, PRODUCT], np.zeros(len(rows), RECORD), []
    for record, (op, core, spans) in zip(records, rows, strict=True):
        record["op"], record["pipe"], record["core"] = ops.index(op), PIPES.index("compute"), core
        record["task"], record["work"], record["first"] = core, 8, len(operands)
        operands += [(region_key(NRAM, core, begin), end - begin, 0, 0) for begin, end in spans]
    rows = np.array(operands, OPERAND)
    return Log(records, rows, tuple(ops), PIPES, (Location("k.mlu", 1),), SHAPE, "test", {"kernel": "k"})


A, B, C, D = (0, 64), (64, 128), (128, 192), (192, 256)


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        pytest.param([(SUM, 0, (A, B, C)), (SUM, 0, (D, B, A))], [False, True], id="takes the result"),
        pytest.param([(SUM, 0, (A, B, C)), (SUM, 0, (D, (60, 70), C))], [False, True], id="takes a part of it"),
        pytest.param([(SUM, 0, (A, B, C)), (SUM, 0, (A, B, D))], [False, False], id="writes the same, reads others"),
        pytest.param([(SUM, 0, (A, B, C)), (SUM, 0, (B, C, D))], [False, False], id="writes what was read"),
        pytest.param([(FILL, 0, (A,)), (FILL, 0, (B,)), (SUM, 0, (C, A, A))], [False] * 3, id="not right before"),
        pytest.param([(FILL, 0, (A,)), (FILL, 1, (A,)), (SUM, 0, (C, A, A))], [False, False, True], id="cores mixed"),
        pytest.param([(FILL, 0, (A,)), (SUM, 1, (C, A, A))], [False, False], id="another core's memory"),
        pytest.param([(FILL, 0, (A,)), (PRODUCT, 0, (C, A)), (SUM, 0, (D, A, A))], [False] * 3, id="not asked for"),
        pytest.param([(PRODUCT, 0, (C, A)), (SUM, 0, (D, C, A))], [False, True], id="takes that of another engine"),
    ],
)
def test_who_takes_the_result_of_the_one_before(rows, found):
    engines = {**RATES.engines, "compute": EngineRates(2, 4, 8, dependent_cycles=7), "tensor": EngineRates(2, 4, 8)}
    line = replay(log(*rows), replace(RATES, engines=engines))
    assert (line.end - line.start).tolist() == [11 if takes else 4 for takes in found]


def test_a_dependent_instruction_lasts_longer():
    rows = [(FILL, 0, (A,)), (SUM, 0, (B, A, A)), (SUM, 0, (C, A, A))]
    rates = replace(RATES, engines={**RATES.engines, "compute": EngineRates(2, 4, 8, dependent_cycles=7)})
    line = replay(log(*rows), rates)
    assert (line.end - line.start).tolist() == [4, 11, 4]


def test_functions_are_paid_for_by_the_vector_unit_unless_they_have_an_engine():
    power = replace(FILL, engine="compute_function")
    one = replace(log((FILL, 0, (A,))), ops=(SUM, power, PRODUCT))
    assert replay(one, RATES).end.tolist() == [4]
    slow = replace(RATES, engines={**RATES.engines, "compute_function": EngineRates(2, 1, 8)})
    assert replay(one, slow).end.tolist() == [10]
    assert replay(log((FILL, 0, (A,))), slow).end.tolist() == [4]


def test_a_write_waits_for_a_latency_of_its_own():
    channels = {**RATES.channels, "dram": replace(RATES.channels["dram"], write_latency_ns=1000.0)}
    posted = replace(RATES, channels=channels)
    for row, before, after in ((Row("load", 64), 27, 27), (Row("put", 64), 27, 21)):
        assert replay(log_of(row), RATES).end.tolist() == [before]
        assert replay(log_of(row), posted).end.tolist() == [after]


def test_what_reads_and_writes_waits_for_the_read():
    both = Op("swap", "", ("dst", "src"), (True, False), "io")
    rows = log_of(Row("load", 64))
    rows = replace(rows, ops=(*rows.ops, both), operands=np.repeat(rows.operands, 2))
    rows.records["op"] = len(OPS)
    channels = {**RATES.channels, "dram": replace(RATES.channels["dram"], write_latency_ns=0.0)}
    assert (replay(rows, replace(RATES, channels=channels)).end == replay(rows, RATES).end).all()
