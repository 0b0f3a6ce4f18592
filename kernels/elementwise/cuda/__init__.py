"""Binary elementwise operators as a GPU runs them: CUDA kernels with the policies of policies.cuh.

    run = cuda.add(Device.load("cuda-sm80"), a, b)
    run.output, run.findings, run.time_us, run.plan.policy

NumPy's broadcasting and promotion; ndarrays of any strides. The policy follows from layout and types: vectorized where
all is contiguous and of one type, else element by element with strides, with casts, or with both.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from mlusim.simulator import Device

from .launching import Result, run_plan
from .plan import POLICIES, GridPlan, make_plan, vector_width

__all__ = [
    "OPERATORS", "POLICIES", "GridPlan", "Result", "add", "div", "make_plan", "maximum", "minimum", "mul", "sub",
    "vector_width",
]  # fmt: skip


def _binary(
    name: str, device: Device, a: Any, b: Any, *, dtype: Any = None, policy: str | None = None,
    on_finding: str = "raise",
) -> Result:  # fmt: skip
    """``name`` of two arrays (or numbers), element by element.

    ``dtype`` is that of the result, by default what NumPy's promotion gives. ``policy`` takes one of POLICIES instead
    of the planned one; ValueError where it does not apply. Raises as `Program.launch` does.
    """
    left, right = np.asarray(a), np.asarray(b)
    return run_plan(device, make_plan(name, left, right, dtype, policy), left, right, on_finding)


OPERATORS: dict[str, Callable[..., Result]] = {
    name: functools.partial(_binary, name) for name in ("add", "sub", "mul", "div", "maximum", "minimum")
}
add, sub, mul, div, maximum, minimum = OPERATORS.values()
