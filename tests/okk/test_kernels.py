"""Kernels in OKK C: unions, structures, helpers, and a pipeline whose commands can be left out one by one."""

from __future__ import annotations

import ctypes
import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from mlusim.simulator import Device, Finding, Program, load

from tests.okk.lanes import ceiling
from tests.support.paths import KERNELS_C
from tests.support.sources import line_of

SOURCE = KERNELS_C / "okk.c"
U64, INT = ctypes.c_uint64, ctypes.c_int


@cache
def chip() -> Device:
    return Device.load("bm1684")


@cache
def program() -> Program:
    return load([SOURCE], device=chip())


def launched(kernel: str, *fields: Any) -> list[Finding]:
    """Launch with a packed structure of 64-bit addresses (arrays) and ints, and what was found but for banks."""
    kinds = [U64 if hasattr(field, "address") else INT for field in fields]
    names = [f"f{number}" for number in range(len(fields))]
    structure = type("Arguments", (ctypes.Structure,), {"_pack_": 1, "_fields_": list(zip(names, kinds, strict=True))})
    values = [getattr(field, "address", field) for field in fields]
    found = program().launch(kernel, (1, 1, 1), args=structure(*values), on_finding="collect").findings
    return [f for f in found if f.rule != "bank"]


def softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def softmax_of(rows: int, columns: int, drop: int = -1) -> tuple[list[Finding], np.ndarray, np.ndarray]:
    x = np.random.default_rng(rows).uniform(-5, 5, (rows, columns)).astype(np.float32)
    given, out = chip().array(x), chip().array(np.zeros_like(x))
    found = launched("softmax_rows", out, given, rows, columns, drop)
    return found, out.numpy(), softmax(x)


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (64, 33), (200, 100), (70, 2047), (449, 7)])
def test_softmax(rows: int, columns: int) -> None:
    found, out, wanted = softmax_of(rows, columns)
    assert found == []
    np.testing.assert_allclose(out, wanted, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize(("drop", "rules"), [(0, {"section"}), (1, {"section"}), (2, {"unwaited"})])
def test_softmax_without_one_of_its_commands(drop: int, rules: set[str]) -> None:
    """A wait that is left out, since it stands in a section, is no second finding."""
    found, _, _ = softmax_of(300, 50, drop)
    assert {f.rule for f in found} == rules
    if rules == {"unwaited"}:  # one call waits for all engines
        assert len(found) == 1


def test_matmul() -> None:
    m, k, n = 37, 130, 300
    chance = np.random.default_rng(3)
    left, right, bias = (chance.standard_normal(s).astype(np.float32) for s in ((m, k), (k, n), (1, n)))
    held = [chip().array(a) for a in (np.zeros((m, n), np.float32), left, right, bias)]
    assert launched("matmul", *held, m, k, n, 3, 5) == []
    np.testing.assert_allclose(held[0].numpy(), left.astype(np.float64) @ right + bias, rtol=1e-6, atol=1e-5)


def test_conv() -> None:
    n, c, h, w, oc, kernel = 2, 5, 7, 6, 70, 3
    chance = np.random.default_rng(4)
    x = chance.integers(-4, 5, (n, c, h, w)).astype(np.float32)
    weights = chance.integers(-4, 5, (oc, c, kernel, kernel)).astype(np.float32)
    pairs = np.zeros((3, oc, kernel, kernel, 2), np.float32)
    for i in range(c):
        pairs[i // 2, ..., i % 2] = weights[:, i]
    padded = np.zeros((n, c, h + 1, w + 3))
    padded[:, :, 1:, 2:-1] = x
    wanted = np.zeros((n, oc, (h + 1 - kernel) // 2 + 1, w + 3 - kernel + 1))
    for y, row in enumerate(range(0, h + 2 - kernel, 2)):
        for at in range(wanted.shape[3]):
            part = padded[:, :, row : row + kernel, at : at + kernel]
            wanted[:, :, y, at] = np.tensordot(part, weights, ((1, 2, 3), (1, 2, 3)))
    held = [chip().array(a) for a in (np.zeros(wanted.shape, np.float32), x, pairs)]
    assert launched("conv", *held, n, c, h, w, oc, kernel) == []
    assert (held[0].numpy() == wanted).all()


def test_unions() -> None:
    x = np.array([1, -1, 2, 0, -0.0, 5, 2, np.nan, -3, 4, 2, 7], np.float32)
    out = chip().array(np.zeros(228, np.uint8))
    assert launched("unions", out, chip().array(x)) == []
    found = out.numpy().tobytes()
    selected, equal, shifted, filled = (np.frombuffer(found[at : at + 48], np.float32) for at in (0, 48, 96, 144))
    third = np.float32(1 / 3)
    assert np.array_equal(selected, np.where(x > 0, x, np.float32(0.25)))
    assert np.array_equal(equal, np.where(x == 2, third, np.float32(0)))
    assert set(shifted.view(np.uint32).tolist()) == {0x80000000 >> 7}
    assert np.array_equal(filled, np.full(12, third))
    assert found[192:216] == np.full(12, -2, np.int16).tobytes()
    assert found[216:] == bytes([200] * 12)


def test_memory_of_the_second_level() -> None:
    """It lies at an address of 32 bits, and ends."""
    out = chip().array(np.zeros(420, np.int32))
    none = type("Address", (), {"address": 0})()
    assert launched("second_level", out, none) == []
    assert out.numpy().tolist() == [5] * 420
    behind = type("Address", (), {"address": 1})()
    (finding,) = launched("second_level", out, behind)
    assert (finding.rule, finding.instruction) == ("bounds", "okk_gdma_32bit_cpy_L2S")
    assert finding.location.line == line_of(SOURCE, r"okk_gdma_32bit_cpy_L2S\(end")


@pytest.mark.parametrize(("shape", "start"), [((2, 3, 4, 5), 0), ((1, 64, 7, 9), 3), ((5, 130, 1, 33), 60)])
def test_layouts(shape: tuple[int, int, int, int], start: int) -> None:
    out = chip().array(np.zeros(30, np.int32))
    assert launched("layouts", out, *shape, start) == []
    _, c, h, w = shape
    rows = math.ceil((start + c) / 64)
    wanted = []
    for multiple in (32, 64, 128, 1):
        channel = ceiling(h * w, multiple)
        wanted += [rows * channel, channel, w, 1]
    wanted += [c * h * w, h * w, w, 1, rows, start, 64, 32, 524288, 8, 2482176, 390144, 0, 1]
    assert out.numpy().tolist() == wanted


def test_what_is_not_modelled_is_a_finding() -> None:
    finding, empty = launched("packed", 0)
    assert empty.rule == "empty"
    assert (finding.rule, finding.instruction) == ("not-modelled", "okk_bdc_fixed_point_packed_add")
    assert finding.location.line == line_of(SOURCE, "okk_bdc_fixed_point_packed_add")


def test_the_processor_does_not_reach_other_memories() -> None:
    out = chip().array(np.ones(1, np.float32))
    (finding,) = launched("reach", out)
    assert (finding.rule, finding.severity) == ("bounds", "error")
    assert out.numpy().tolist() == [1]
