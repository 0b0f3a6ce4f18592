"""Runs programs in C and in Python, and compares them with memory that changes step by step."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
from mlusim.simulator import Device, Finding, Program, launch, load

from .program import ROOM, Memory, Step, conflict, draw

#: What says nothing of the order of commands.
_QUIET = ("unread", "unwritten", "unused", "partial", "bank")
_LANE_BYTES = 4096


class Executor:
    """A chip with small lanes, and the kernel in C that carries out the steps of a program."""

    def __init__(self, name: str = "bm1690") -> None:
        lanes = Device.load(name).shape.lanes
        assert lanes
        self.device = Device.load(name).replace({"shape.spaces.local.bytes": lanes * _LANE_BYTES})
        self.lanes, self.beat = lanes, (self.device.shape.eu_bytes or 4) // 4
        self._program: Program = load([Path(__file__).with_name("kernel.c")], device=self.device)

    def differences(self, seed: int) -> tuple[list[str], bool]:
        """What of a program is not as it should be, and whether it has a conflict."""
        memory = Memory(self.lanes, self.beat)
        steps = draw(random.Random(seed), memory)
        expected = conflict(steps, memory)
        start, given = memory.local.copy(), memory.system.copy()
        for step in steps:
            if step.kind not in ("start", "end", "poll"):
                memory.carry_out(step)
        texts = []
        for language, run in (("C", self._in_c), ("Python", self._in_python)):
            system, out = given.copy(), np.zeros_like(start)
            found = {f.rule for f in run(steps, system, start, out) if f.rule not in _QUIET}
            if found - {"order"} or bool(found) != expected:
                texts.append(f"{language}: {sorted(found)}, expected {'a conflict' if expected else 'none'}")
            if not found and not ((system == memory.system).all() and (out == memory.local).all()):
                texts.append(f"{language}: other results than step by step")
        return texts, expected

    def _in_c(self, steps: list[Step], system: Any, start: Any, out: Any) -> list[Finding]:
        numbers = np.array([step.numbers() for step in steps], np.int32)
        args = {"steps": numbers, "system": system, "start": start, "out": out, "count": len(steps), "room": ROOM}
        return self._program.launch("program", (1, 1, 1), args=args, on_finding="collect").findings

    def _in_python(self, steps: list[Step], system: Any, start: Any, out: Any) -> list[Finding]:
        def kernel(tpu: Any, system: Any, start: Any, out: Any) -> None:
            fp32, everything = tpu.DT_FP32, (1, self.lanes, 1, ROOM)
            tpu.tpu_initialize()
            tpu.tpu_gdma_cpy_S2L(0, start, everything, None, None, fp32)
            for step in steps:
                name, *values = self._call(step, system)
                getattr(tpu, name)(*values, *([fp32] if values else []))
            tpu.tpu_gdma_cpy_L2S(out, 0, everything, None, None, fp32)
            tpu.tpu_poll()

        args = [system, start, out]
        return launch(kernel, (1, 1, 1), args=args, device=self.device, on_finding="collect").findings

    def _call(self, step: Step, system: Any) -> list[Any]:
        """The function, and its arguments but for the type."""
        shape, lane = (1, step.shape[0], 1, step.shape[1]), step.lane * _LANE_BYTES
        to, of, by = (lane + 4 * place for place in (step.to, step.of, step.by))
        there, here = system + step.to, system + step.of
        row = step.row(self.beat)
        st = (3 * row, row, row, step.stride) if step.stride > 1 else None
        return {
            "in": ["tpu_gdma_cpy_S2L", to, here, shape, st, None],
            "out": ["tpu_gdma_cpy_L2S", there, of, shape, None, st],
            "local": ["tpu_gdma_cpy_L2L", to, of, shape, st, st],
            "system": ["tpu_gdma_cpy_S2S", there, here, shape, None, None],
            "fill": ["tpu_bdc_set_C", to, 0x40400000, shape, st],
            "add": ["tpu_bdc_fp_add", to, of, by, shape, st, st, st],
            "max": ["tpu_bdc_max", to, of, by, shape, st, st, st],
            "copy": ["tpu_bdc_cpy", to, of, shape, st, st],
            "scale": ["tpu_bdc_fp_mul_C", to, of, 0x3F000000, shape, st, st],
            "sdma": ["tpu_sdma_cpy_S2S", there, here, shape, None, None],
            "start": ["tpu_parallel_start"], "end": ["tpu_parallel_end"], "poll": ["tpu_poll"],
        }[step.kind]  # fmt: skip
