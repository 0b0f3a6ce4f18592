"""Functions of the operator library that a host program calls, carried out on device memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ...core.memory import Allocation
from ...core.memory.mapping import host_bytes
from ...findings import rules
from ...flow import Ranges, merged
from ...launches.device import Device
from ..cnnl.cost import assumed_us
from ..cnnl.functions import call
from ..cnnl.operation import LibraryTensor, NotModelled, Operation
from .messages import Place, Status
from .queues import Queue, Work
from .report import ProgramReport

_ARGUMENT, _UNSUPPORTED = 100006, 100050  # cnrtRet_t
#: Tells of uninitialized bytes that are read: of what, at which address, how many.
Check = Callable[[Allocation, int, int, Place], None]


def carry_out(
    text: bytes, device: Device, queue: Queue, place: Place, check: Check, report: ProgramReport
) -> tuple[Status, Work | None, float]:
    """Do what a call says: its status, the work that it is in its queue, and the microseconds it takes.

    What went wrong is in the report too.
    """
    try:
        operation = Operation.parse(text)
        for tensor in operation.inputs:
            if (entry := device.memory.memory.find(tensor.address)) is not None:
                check(entry, tensor.address, tensor.extent, place)
        call(operation, operation.views(host_bytes))
    except NotModelled as error:
        report.add(rules.not_modelled.refused(str(error)), place)
        return Status(_UNSUPPORTED, str(error)), None, 0.0
    except ValueError as error:
        report.add(rules.declared.refused(str(error)), place)
        return Status(_ARGUMENT, str(error)), None, 0.0
    for tensor in operation.outputs:
        if (entry := device.memory.memory.find(tensor.address)) is not None:
            entry.uninitialized.remove(tensor.address, tensor.address + tensor.extent)
    read, written = (_ranges(tensors, device.memory.address) for tensors in (operation.inputs, operation.outputs))
    line = report.location(place)
    work = Work(queue.number, 0, operation.function, line, lambda: (read, written), queue.device)
    return Status(), work, assumed_us(operation, device.rates, device.shape)


def _ranges(tensors: Sequence[LibraryTensor], base: int) -> Ranges:
    found = [[tensor.address - base, tensor.address - base + tensor.extent] for tensor in tensors if tensor.extent]
    return merged(np.array(found, np.int64).reshape(-1, 2))
