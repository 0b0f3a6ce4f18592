"""What every operator does: check and promote, plan, bring arrays to the device, launch, bring the result back."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from mlusim.simulator import Device

from ..quoting import quoted
from .arrays import Array, Fresh, Placed, check_output, checked_array, is_number, view_of
from .launching import ElementwiseRun, launch
from .metadata import Shape, broadcast_shape, broadcasts_to, dense_strides
from .operators import Operator
from .plan import Plan
from .planner import Chip, OperandView, make_plan
from .quantized import Scales, check_scales, plan_scales
from .types import INT32, TYPES, check_cast, operator_types, scalar_type, widest_scalar

#: The first architecture that has what the kernels use, see device/launch.h.
_FIRST_ARCH = 322


@dataclass(frozen=True)
class Call:
    """A checked call of an operator with its plan."""

    device: Device
    operator: Operator
    inputs: tuple[Array, ...]
    out: Array | None
    out_view: OperandView
    scales: Scales | None
    limits: tuple[float, float]
    plan: Plan

    @classmethod
    def prepare(
        cls,
        operator: Operator,
        device: Device,
        operands: tuple[Any, ...],
        *,
        out: Any = None,
        scales: Any = None,
        variant: str | None = None,
        dtype: np.dtype[Any] | None = None,
        low: Any = None,
        high: Any = None,
        tolerance: float | None = None,
    ) -> Call:
        """Check the arguments and plan; nothing runs. TypeError or ValueError says what is wrong."""
        if not isinstance(device, Device):
            raise TypeError(f"device is {quoted(device)}; pass a Device, say Device.load('mlu370-x4')")
        if device.isa != "bang" or device.shape.arch < _FIRST_ARCH:
            raise ValueError(
                f"device is {device.name}; {operator.name} runs on a Cambricon device of architecture {_FIRST_ARCH} or "
                "newer, such as mlu370-x4 or mlu590"
            )
        inputs = _arrays(operands)
        given = None if scales is None else check_scales(operator, scales)
        types = operator_types(operator, tuple(array.dtype for array in inputs), dtype, given is not None)
        shape = broadcast_shape([array.shape for array in inputs])
        if out is None:
            out_view = _new_output(shape, types.result, variant)
        else:
            check_output(out, list(zip("ab", inputs, strict=False)))
            check_cast(types.result, out.dtype)
            if not broadcasts_to(shape, out.shape):
                raise ValueError(
                    f"out has shape {list(out.shape)} and the result {list(shape)}; pass an out of that shape"
                )
            out_view = view_of(out)
        if operator.name == "clip":
            limits = _clip_limits(low, high, types.result, given is not None)
        else:
            limits = _tolerance(tolerance, types.compute), 0.0
        read = () if operator.name == "zero" else inputs
        plan = make_plan(
            operator,
            Chip.of(device),
            out_view,
            tuple(view_of(array) for array in read),
            types,
            scaled=given is not None,
            variant=variant,
        )
        prepared = None if given is None else plan_scales(operator, given)
        return cls(device, operator, read, out, out_view, prepared, limits, plan)

    def run(self, on_finding: str) -> ElementwiseRun:
        """Launch; the result is in ``output`` and in the caller's ``out``. Raises KernelError as a launch does."""
        shape, dtype = self.out_view.shape, self.out_view.dtype
        if self.plan.slices == 0:
            output = np.empty(shape, dtype) if self.out is None else self.out
            empty = ElementwiseRun.empty(self.device)
            return ElementwiseRun(empty.findings, empty.log, empty.rates, output, plan=self.plan)
        target: Fresh | Placed
        if self.out is None:
            target = Fresh(self.device, shape, self.out_view.strides, dtype, prod(shape) * dtype.itemsize)
        else:
            target = Placed(self.device, self.out)
        placed = [Placed(self.device, array) for array in self.inputs]
        run = launch(
            self.device, self.plan, self.operator.kernel, target.address, tuple([array.address for array in placed]),
            self.scales, self.limits, on_finding,
        )  # fmt: skip
        if isinstance(target, Fresh):
            result: Any = target.numpy()
        else:
            target.copy_back()
            result = self.out
        return ElementwiseRun(
            run.findings, run.log, run.rates, result, suppressed=run.suppressed, variants=run.variants, plan=self.plan
        )


def _arrays(operands: tuple[Any, ...]) -> tuple[Array, ...]:
    """The operands as arrays; a number of Python's takes the type of the array, or of the wider number, beside it."""
    found = [
        None if is_number(value) else checked_array(name, value) for name, value in zip("ab", operands, strict=False)
    ]
    partner = next((array.dtype for array in found if array is not None), None) or widest_scalar(operands)
    return tuple(
        _array_of(value, partner) if array is None else array for value, array in zip(operands, found, strict=True)
    )


def _array_of(value: bool | int | float, partner: np.dtype[Any]) -> np.ndarray:
    dtype = scalar_type(value, partner)
    try:
        with np.errstate(over="ignore"):
            return np.array(value, dtype)
    except OverflowError:
        raise ValueError(f"{value} does not fit in {dtype}; pass an array of a type that holds it") from None


def _new_output(shape: Shape, dtype: np.dtype[Any], variant: str | None) -> OperandView:
    """The layout of an output that is not given: C order; that of NHWC for limit_nhwc."""
    strides = dense_strides(shape, dtype.itemsize)
    if variant == "limit_nhwc" and len(shape) == 4:
        order = (0, 2, 3, 1)
        relaid = dense_strides(tuple(shape[axis] for axis in order), dtype.itemsize)
        strides = tuple(relaid[order.index(axis)] for axis in range(4))
    return OperandView(shape, strides, dtype, 0)


def _is_real(value: Any) -> bool:
    """Whether a value is a number of Python's or NumPy's, ml_dtypes' too, and no bool."""
    if isinstance(value, np.generic):
        return value.dtype.kind in "iuf" or value.dtype in TYPES[:3]
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _tolerance(tolerance: Any, compute: np.dtype[Any]) -> float:
    if tolerance is None:
        return 0.0
    if not _is_real(tolerance):
        raise TypeError(f"tolerance is {quoted(tolerance)}; pass a number above 0, or None to compare exactly")
    if not 0 < tolerance < np.inf:
        raise ValueError(f"tolerance is {quoted(tolerance)}; pass a finite number above 0, or None to compare exactly")
    if compute == INT32:
        raise ValueError("tolerance is for floats; leave it out for int32")
    return float(tolerance)


def _clip_limits(low: Any, high: Any, dtype: np.dtype[Any], scaled: bool) -> tuple[float, float]:
    """The limits as numbers of the type of the result; those that are left out do not limit."""
    whole = dtype.kind == "i" and not scaled
    limits = []
    for name, value in (("low", low), ("high", high)):
        if value is None:
            edges = (np.iinfo(dtype).min, np.iinfo(dtype).max) if whole else (-np.inf, np.inf)
            limits.append(edges[name == "high"])
            continue
        if not _is_real(value):
            raise TypeError(f"{name} is {quoted(value)}; pass a number, or None for no limit")
        if whole and not isinstance(value, (int, np.integer)):
            raise TypeError(f"{name} is {quoted(value)} and the array of {dtype}; pass a whole number")
        if whole and not np.iinfo(dtype).min <= value <= np.iinfo(dtype).max:
            raise ValueError(f"{name} is {value}, which {dtype} does not hold; pass a number that it holds, or None")
        limits.append(int(value) if whole else float(value))
    return limits[0], limits[1]
