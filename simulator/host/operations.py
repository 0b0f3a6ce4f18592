"""Functions of the operator library that a host program calls, carried out on device memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..device import Device
from ..library.cost import assumed_us
from ..library.functions import call
from ..library.operation import Operation, Tensor
from ..log import NOWHERE
from ..memory import Allocation
from ..memory.mapping import host_bytes
from .queues import Ranges, Work, merged
from .report import Place

#: Tells of uninitialized bytes that are read: of what, at which address, how many.
Check = Callable[[Allocation, int, int, Place], None]


def carry_out(text: bytes, device: Device, queue: int, ordinal: int, place: Place, check: Check) -> tuple[Work, float]:
    """Do what a call says; the work that it is in its queue, and how long it is taken to last (microseconds).

    ValueError for arguments that do not fit, NotModelled for what is not modelled.
    """
    operation = Operation.parse(text)
    for tensor in operation.inputs:
        if (entry := device.memory.memory.find(tensor.address)) is not None:
            check(entry, tensor.address, tensor.extent, place)
    call(operation, operation.views(host_bytes))
    for tensor in operation.outputs:
        if (entry := device.memory.memory.find(tensor.address)) is not None:
            entry.uninitialized.remove(tensor.address, tensor.address + tensor.extent)
    read, written = (_ranges(tensors, device.memory.address) for tensors in (operation.inputs, operation.outputs))
    work = Work(queue, 0, operation.function, NOWHERE, lambda: (read, written), ordinal)
    return work, assumed_us(operation, device.rates, device.shape)


def _ranges(tensors: Sequence[Tensor], base: int) -> Ranges:
    found = [[tensor.address - base, tensor.address - base + tensor.extent] for tensor in tensors if tensor.extent]
    return merged(np.array(found, np.int64).reshape(-1, 2))
