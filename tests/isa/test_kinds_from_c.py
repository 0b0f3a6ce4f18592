"""BANG instructions that return, pool, multiply matrices or update device memory, called from C."""

from __future__ import annotations

import random

import numpy as np
import pytest
from mlusim.simulator import KernelError, Program

from tests.isa.references.numbers import decode, edges, encode, rounded, wrap
from tests.isa.references.pooling import pool
from tests.support.paths import KERNELS_C

CHIP = "mlu590"
SOURCE = KERNELS_C / "new_kinds.mlu"


@pytest.mark.parametrize("least", [1, 90, 200])
def test_a_count_is_a_value_in_c(program: Program, least: int) -> None:
    values = [*edges("float"), *([0.0, 3.5, -0.0] * 40)]
    data, counts = np.array(values, np.float32), np.zeros(3, np.uint32)
    program.launch("counted", args=[data, counts, len(values), least])
    wanted = sum(1 for value in values if value != 0)
    assert 1 < wanted < 90
    assert counts.tolist() == [wanted, wanted, 100 // wanted if least == 1 else 7]
    doubled = [rounded("float", 2 * x) for x in values]
    assert encode("float", data.tolist()) == encode("float", doubled if least == 1 else values)


@pytest.mark.parametrize("size", [(3, 5, 7), (70, 2, 3), (1, 8, 6)], ids=str)
def test_pooling(program: Program, size: tuple[int, int, int]) -> None:
    channel, height, width = size
    chance = random.Random(str(size))
    values = [rounded("half", chance.uniform(-9, 9)) for _ in range(channel * height * width)]
    stepped = pool(values, channel, height, width, (2, 3), (2, 1), max)
    tiles = pool(values, channel, height, width, (2, 3), (2, 3), max)
    outs = [np.full(len(wanted), 77, np.float16) for wanted in (stepped, tiles)]
    program.launch("pooled", args=[*outs, np.array(values, np.float16), channel, height, width])
    assert [out.tolist() for out in outs] == [stepped, tiles]


@pytest.mark.parametrize("size", [(3, 2, 128), (1, 5, 64)], ids=str)
def test_a_matrix_product_with_weights_in_wram(program: Program, size: tuple[int, int, int]) -> None:
    m, k, n = size
    chance = random.Random(str(size))
    left, weights = ([[chance.randrange(-50, 50) for _ in range(k)] for _ in range(rows)] for rows in (m, n))
    out = np.zeros((m, n), np.float32)
    program.launch("multiplied", args=[out, np.float32(left), np.float32(weights), m, k, n])
    assert out.tolist() == [[sum(map(int.__mul__, row, column)) for column in weights] for row in left]


def test_every_task_adds_to_device_memory(program: Program) -> None:
    tasks, n = 5, 33
    chance = random.Random(1)
    data = [[chance.randrange(-32768, 32768) for _ in range(n)] for _ in range(tasks)]
    start = [chance.randrange(-32768, 32768) for _ in range(n)]
    sums, halves = np.array(start, np.int16), np.zeros(n, np.float16)
    run = program.launch("added", (tasks, 1, 1), args=[sums, np.array(data, np.int16), halves, n])
    assert run.findings == []
    added = sum(range(1, tasks + 1))
    assert sums.tolist() == [wrap(x + sum(column) + added, 16, True) for x, *column in zip(start, *data, strict=True)]
    total, tenth = 0.0, decode("half", encode("half", [0.1]))[0]
    for _ in range(tasks):
        total = rounded("half", total + tenth)
    assert halves.tolist() == [total] * n


def test_nothing_is_divided_by_what_is_not_modelled(program: Program) -> None:
    out = np.zeros(3, np.int32)
    run = program.launch("divided", args=[out], on_finding="collect")
    line = next(n for n, text in enumerate(SOURCE.read_text("utf-8").splitlines(), 1) if "__bang_popcnt" in text)
    (finding,) = run.findings
    assert (finding.rule, finding.instruction, finding.location.line) == ("not-modelled", "__bang_popcnt", line)
    assert out.tolist() == [1, 0, 0]
    with pytest.raises(KernelError, match="__bang_popcnt"):
        program.launch("divided", args=[out])
