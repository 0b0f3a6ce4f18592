"""Kernels with one thing to improve, each with the kernel in which it is done; and well-made ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from mlusim.simulator import Program, Run

#: Numbers of rows and arrays of the launches.
FLOATS = 512 * 8192
WEIGHTS, MATRIX, INDEX = "weights", "matrix", "index"


@dataclass(frozen=True)
class Launch:
    """A kernel of slow.mlu with what follows its output and input among the arguments."""

    kernel: str
    numbers: tuple[Any, ...] = ()
    tasks: int = 32
    type: str | None = None

    def run(self, program: Program) -> Run:
        """Launch it on arrays of zeros."""
        arrays = {
            WEIGHTS: np.ones(8192, np.float32),
            MATRIX: np.ones(256 * 256, np.float32),
            INDEX: np.random.default_rng(1).permutation(32 * 4096).astype(np.int32) % 4096,
        }
        given = [arrays[number] if isinstance(number, str) else number for number in self.numbers]
        if self.kernel not in ("far_scalars", "near_scalars"):
            given = [np.zeros(FLOATS, np.float32), *given]
        return program.launch(
            self.kernel, (self.tasks, 1, 1), self.type, [np.zeros(FLOATS, np.float32), *given], on_finding="collect"
        )


#: What is slow, the kind of the advice that is due, and the same with the advice followed.
SLOW = [
    (Launch("rows_in_turn", (512,)), "short copies", Launch("all_rows", (512,))),
    (Launch("serial", (128,)), "overlap", Launch("pipelined", (128,))),
    (Launch("early_wait", (128,)), "wait", Launch("pipelined", (128,))),
    (Launch("columns", (128, 16)), "strides", Launch("pieces", (128, 16))),
    (Launch("even", (640,), 8), "idle cores", Launch("even", (640,))),
    (Launch("staged", (64,), 4, "union1"), "idle cores", Launch("staged", (64,), 32, "union8")),
    (Launch("triangle", (128,)), "imbalance", Launch("both_ends", (128,))),
    (Launch("even", (1056,), 33), "rounds", Launch("even", (1056,))),
    (Launch("small_steps", (8192,)), "short instructions", Launch("one_step", (8192,))),
    (Launch("scalar_loop", (4096,)), "scalar", Launch("one_step", (4096,))),
    (Launch("far_scalars", (INDEX, 2048)), "far scalars", Launch("near_scalars", (INDEX, 2048))),
    (Launch("again", (WEIGHTS, 256)), "again", Launch("kept", (WEIGHTS, 256))),
    (Launch("uneven_phases", (8,), 32, "union1"), "imbalance", Launch("even_phases", (8,), 32, "union1")),
    (Launch("table_for_each", (16,), 32, "union1"), "shared", Launch("table_for_cluster", (16,), 32, "union1")),
    (Launch("gather_one", (INDEX, 64)), "wait", Launch("gather_all", (INDEX, 64))),
    (Launch("rows_out", (64,)), "short copies", Launch("block_out", (64,))),
    (Launch("row_by_row", (512,)), "short copies", Launch("all_rows", (512,))),
]
#: What has nothing to improve.
WELL_MADE = [
    Launch("long_compute", (100,)),
    Launch("pipelined", (128,)),
    Launch("stream", (512,)),
    Launch("gather", (INDEX, 64)),
    Launch("chain", (4,)),
    Launch("tiny", (), 1),
    Launch("settings", (INDEX, 200)),
    Launch("product", (MATRIX, 100)),
    Launch("even", (640,)),
    Launch("even_phases", (8,), 32, "union1"),
    Launch("even", (2048,), 64),
    Launch("both_ends", (64,)),
    Launch("running_sum", (256,)),
]
