"""Letters that the user's macros define leave our headers alone, and reach the user's source."""

from __future__ import annotations

from string import ascii_uppercase

import numpy as np
import pytest
from mlusim.simulator import load

from tests.support.devices import device

LETTERS = {letter: at for at, letter in enumerate(ascii_uppercase) if letter != "T"}
SUM = "+".join(LETTERS)
BANG = f"""#include <bang.h>
#include <bang_fusor.h>
#include <bang_pipeline.h>
__mlu_entry__ void k(T *x) {{ x[0] = {SUM}; }}
"""
CUDA = f"""#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/scan.h>
__global__ void k(T *x) {{ x[0] = {SUM}; }}
"""


@pytest.mark.parametrize(
    ("name", "text", "chip", "block"),
    [("k.mlu", BANG, "mlu370-x4", {}), ("k.cu", CUDA, "cuda-sm80", {"block": 1})],
)
def test_every_letter_may_be_a_macro(tmp_path, name, text, chip, block):
    (tmp_path / name).write_text(text)
    program = load([tmp_path / name], device=device(chip), define={**LETTERS, "T": "float"})
    x = np.zeros(1, np.float32)
    program.launch("k", args=[x], **block)
    assert x[0] == sum(LETTERS.values())
