"""Kernels in Python on the tensors of a TPU, and what is found of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from mlusim.simulator import Device, Finding, Run, launch

LANE = 256 * 1024
#: Shape of all floats that one row of lanes holds 16 of.
ROW = (1, 64, 1, 16)
Body = Callable[[Any, Any, Any], None]


def collect(device: Device, body: Body) -> tuple[list[Finding], np.ndarray, Run]:
    """Run ``body(unit, out, ones)``; findings, what is in ``out`` then, and the run."""
    out, ones = np.full(8192, 5, np.float32), np.ones(16384, np.float32)
    run = launch(body, (1, 1, 1), args=[out, ones], device=device, on_finding="collect")
    found = [finding for finding in run.findings if finding.rule != "unwaited"]  # bodies need not wait at their end
    return found, out, run


def rules(device: Device, body: Body) -> list[tuple[str, str]]:
    """Rule and instruction of every finding, loads over loads and shared banks aside."""
    found = collect(device, body)[0]
    return [(finding.rule, finding.instruction) for finding in found if finding.rule not in ("unused", "bank")]


def load(unit: Any, address: int, source: Any, shape: tuple[int, ...] = ROW, stride: Any = None) -> None:
    unit.tpu_gdma_cpy_S2L(address, source, shape, stride, None, unit.DT_FP32)


def store(unit: Any, target: Any, address: int, shape: tuple[int, ...] = ROW) -> None:
    unit.tpu_gdma_cpy_L2S(target, address, shape, None, None, unit.DT_FP32)


def add(unit: Any, dst: int, src0: int, src1: int, shape: tuple[int, ...] = ROW) -> None:
    unit.tpu_bdc_fp_add(dst, src0, src1, shape, None, None, None, unit.DT_FP32)
