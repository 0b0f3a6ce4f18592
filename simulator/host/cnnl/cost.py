"""How long a function of the operator library is taken to last: this is not public, so it is assumed."""

from __future__ import annotations

import math

from ...chip import Shape
from ...chip.rates import Rates
from .operation import Operation

#: Multiply-adds of a product run on the tensor engine of all cores.
_ENGINE = "tensor"


def assumed_us(operation: Operation, rates: Rates, shape: Shape) -> float:
    """Microseconds: bytes at the rate of device memory, or multiply-adds at that of all cores if that is longer."""
    space = next(name for name, space in shape.spaces.items() if space.scope == "device")
    bytes = sum(tensor.bytes for tensor in operation.tensors.values())
    return rates.launch_overhead_us + max(
        bytes / rates.channel_of(space).rate, _multiply_adds(operation) / _rate(rates, shape)
    )


def _multiply_adds(operation: Operation) -> float:
    if "transposed" not in operation.given:
        return 0.0
    a, output = operation.tensors["a"], operation.tensors["output"]
    inner = a.dims[-2] if operation.given["transposed"][0] else a.dims[-1]
    return math.prod(output.dims) * inner


def _rate(rates: Rates, shape: Shape) -> float:
    """Multiply-adds in a microsecond."""
    engine = rates.engines.get(_ENGINE)
    return engine.rate * rates.clock_mhz * shape.cores if engine else math.inf
