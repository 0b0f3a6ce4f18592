"""The operator library as a host program calls it: each function is carried out in a queue, as a kernel is."""

from __future__ import annotations

from typing import NamedTuple

from .memories import Memories
from .messages import Place, Status, handles
from .report import LibraryCall, ProgramReport
from .waiting import Queues


class CallOperation(NamedTuple):
    """Carry out a function of the operator library; the body says which, in JSON."""

    queue: int
    place: Place


class Operations:
    """Carries out functions now, in their queues for as long as they are assumed to last."""

    def __init__(self, memories: Memories, queues: Queues, report: ProgramReport) -> None:
        self._memories, self._queues, self._report = memories, queues, report

    @handles
    def _call(self, message: CallOperation, body: memoryview) -> Status:
        """Carry out a function, unless its queue has failed."""
        queue, place = self._queues.time.queue(message.queue), message.place
        if queue.failure[0]:
            return Status(*queue.failure)
        from .operations import carry_out  # few programs call the library

        device, check = self._memories.devices[queue.device], self._memories.check_read
        status, work, duration = carry_out(bytes(body), device, queue, place, check, self._report)
        if work is not None:
            cores = device.shape.cores
            self._queues.tell(work, self._queues.time.add(work, duration, cores, cores))
            called = LibraryCall(work.what, queue.number, queue.device, place, work.start, work.end)
            self._report.operations.append(called)
        return status
