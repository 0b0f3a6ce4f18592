"""All rows of the table, by dialect."""

from __future__ import annotations

from tests.isa.facts import (
    bang_convert,
    bang_copy,
    bang_core,
    bang_fill,
    bang_fusion,
    bang_layout,
    bang_library,
    bang_pooling,
    bang_reduce,
    bang_select,
    bang_tensor,
    bang_vector,
    tpu_control,
    tpu_tensor,
)

FACTS = {
    "bang": (
        *bang_vector.ROWS, *bang_fusion.ROWS, *bang_library.ROWS, *bang_convert.ROWS, *bang_fill.ROWS, *bang_copy.ROWS,
        *bang_reduce.ROWS, *bang_select.ROWS, *bang_layout.ROWS, *bang_pooling.ROWS, *bang_tensor.ROWS,
        *bang_core.ROWS,
    ),
    "tpu": (*tpu_control.ROWS, *tpu_tensor.ROWS),
}  # fmt: skip
ALL = tuple(fact for rows in FACTS.values() for fact in rows)
