"""All rows of the table, by dialect."""

from __future__ import annotations

import bang_convert
import bang_copy
import bang_core
import bang_fill
import bang_fusion
import bang_layout
import bang_library
import bang_pooling
import bang_reduce
import bang_select
import bang_tensor
import bang_vector
import tpu_control
import tpu_tensor

FACTS = {
    "bang": (
        *bang_vector.ROWS, *bang_fusion.ROWS, *bang_library.ROWS, *bang_convert.ROWS, *bang_fill.ROWS, *bang_copy.ROWS,
        *bang_reduce.ROWS, *bang_select.ROWS, *bang_layout.ROWS, *bang_pooling.ROWS, *bang_tensor.ROWS,
        *bang_core.ROWS,
    ),
    "tpu": (*tpu_control.ROWS, *tpu_tensor.ROWS),
}  # fmt: skip
ALL = tuple(fact for rows in FACTS.values() for fact in rows)
