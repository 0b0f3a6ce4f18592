"""The table of mistakes: each row is a kernel of mistakes.mlu, the rule that it breaks, and how it is launched.

To add one, write its kernel with ``MISTAKE(broken, right)`` or ``NEEDED(statement)``, and a row here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

N, TASKS = 256, 4
#: Elements of the arrays that most kernels work on, and of those with a tail.
WHOLE, WITH_TAIL = N * TASKS, 2 * N + 100
UNION: Mapping[str, Any] = {"dim": (TASKS, 1, 1), "type": "union1"}


@dataclass(frozen=True)
class Mistake:
    """A kernel that breaks a rule, or another one of ``also`` first, and does not without its mistake."""

    kernel: str
    rule: str
    output: int = N  # elements of y that the kernel writes
    numbers: tuple[int, ...] = ()  # arguments behind x and y
    launch: Mapping[str, Any] = field(default_factory=dict)
    device: str = "mlu370-x4"
    watched: str = ""  # a check that is off unless asked for
    dtype: type = np.float32

    def arguments(self) -> list[Any]:
        """Fresh arguments of a launch."""
        size = max(WHOLE, *self.numbers) if self.numbers else WHOLE
        x = np.random.default_rng(3).uniform(1, 2, size).astype(np.float32)
        return [x, np.zeros(self.output, self.dtype), *self.numbers]


MEMORY = [
    Mistake("vector_past_the_end", "bounds"),
    Mistake("copy_past_the_array", "bounds"),
    Mistake("scalar_past_the_end", "bounds"),
    Mistake("null_pointer", "bounds"),
    Mistake("vector_on_device_memory", "space"),
    Mistake("pong_past_the_end", "bounds"),
    Mistake("one_segment_too_many", "bounds"),
    Mistake("before_the_beginning", "bounds"),
    Mistake("write_past_the_output", "bounds", WHOLE),
]
UNINITIALIZED = [
    Mistake("never_loaded", "uninitialized"),
    Mistake("half_of_it_loaded", "uninitialized", 1),
    Mistake("scalar_of_nothing", "uninitialized"),
]
LAYOUT = [
    Mistake("in_place_overlap", "overlap"),
    Mistake("misaligned", "alignment", N // 2, device="mlu270"),
    Mistake("odd_length", "length", 100, device="mlu270"),
    Mistake("no_elements", "length", numbers=(N,)),
    Mistake("instruction_of_another_chip", "arch"),
    Mistake("index_out_of_range", "value", 64, dtype=np.int32),
    Mistake("taken_an_element_late", "uninitialized"),
    Mistake("count_reaches_the_next_tile", "overrun"),
]
ORDER = [
    Mistake("compute_not_waited_for", "order"),
    Mistake("load_not_waited_for", "order"),
    Mistake("loaded_over_what_is_read", "order"),
    Mistake("computed_over_what_is_sent", "order", 2 * N),
    Mistake("move_not_waited_for", "order"),
    Mistake("waits_for_the_wrong_pipe", "order"),
    Mistake("scalar_store_over_what_is_sent", "order", 2 * N),
    Mistake("ping_pong_swapped", "order", WHOLE),
    Mistake("buffers_that_overlap", "order"),
    Mistake("never_waited_for", "unwaited"),
]
CORES = [
    Mistake("one_output_for_all", "race", WHOLE, launch=UNION),
    Mistake("counter", "race", 1, launch=UNION, dtype=np.int32),
    Mistake("tiles_that_overlap_by_one", "race", WHOLE, launch=UNION),
    Mistake("reads_its_neighbours_output", "race", WHOLE, launch=UNION),
    Mistake("shared_before_the_barrier", "race", WHOLE, launch=UNION),
    Mistake("shared_again_before_the_barrier", "race", WHOLE, launch=UNION),
    Mistake("barrier_that_one_skips", "barrier", WHOLE, launch=UNION),
    Mistake("shared_memory_of_a_block_task", "space"),
    Mistake("store_of_the_memory_core", "memory-core", 1, launch=UNION),
]
VALUES = [
    Mistake("output_never_written", "unwritten", 2 * N),
    Mistake("tail_too_short", "unwritten", WITH_TAIL, (WITH_TAIL,)),
    Mistake("tail_dropped", "unwritten", WITH_TAIL, (WITH_TAIL,)),
    Mistake("one_core_skipped", "unwritten", WHOLE, launch=UNION),
    Mistake("saturated", "conversion", watched="Values", dtype=np.int16),
    Mistake("divided_by_zero", "division", device="mlu590", watched="Values"),
    Mistake("overflow_of_half", "number", watched="Values", dtype=np.float16),
    Mistake("cancellation", "precision", watched="Precision"),
]
MISTAKES = [*MEMORY, *UNINITIALIZED, *LAYOUT, *ORDER, *CORES, *VALUES]
