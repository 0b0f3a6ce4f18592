"""Random data of test cases."""

import numpy as np
import pytest
from mlusim.simulator.host.cases import case
from mlusim.simulator.host.cases.textformat import parse

UNIFORM, WIDE = "lower_bound: -9 upper_bound: 9", "lower_bound: -5000000000 upper_bound: 5000000000"


@pytest.mark.parametrize("of", [UNIFORM, WIDE, "distribution: GAUSSIAN mu: 1 sigma: 3", "distribution: BINOMIAL"])
@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.int64, np.complex64])
def test_data_is_the_same_however_it_is_drawn(monkeypatch, of, dtype):
    message = parse(f"seed: 3 {of}")
    whole = case._random(message, 1001, np.dtype(dtype), 2)
    monkeypatch.setattr(case, "_PIECE", 7)
    pieces = case._random(message, 1001, np.dtype(dtype), 2)
    assert whole.tobytes() == pieces.tobytes()
    assert len(np.unique(whole)) > 1
