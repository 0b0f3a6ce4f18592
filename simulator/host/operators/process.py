"""The other end of the process that has a library of operators loaded, and the device beside it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import threading
import weakref
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ...engines.worker.start import isolated
from ...frames import BrokenPeer, Buffer, Frame, FrameChannel
from ...launches.device import Device
from ...launches.repeats import Repeats
from ..programs.door import Door
from ..programs.report import ProgramReport
from ..programs.session import Session
from .messages import FROM_SERVER, PROTOCOL, CallFunction, DropMemory, KeepMemory, NumberArgument, ReadMemory

_SERVER = "mlusim.simulator.host.operators.server"
_PATIENCE_S = 5.0


class HostDied(Exception):  # noqa: N818 - says what it is
    """The process of the host code has gone; the text says how."""


class HostProcess:
    """A library of operators in a process of its own; its calls of the runtime are answered by a thread of this one."""

    def __init__(self, library: Path, device: Device) -> None:
        self._door = door = Door()
        self._end, theirs = socket.socketpair()
        self._channel = FrameChannel(self._end, PROTOCOL, FROM_SERVER)
        command = [*isolated(_SERVER), str(theirs.fileno()), str(library)]
        with theirs:
            # What host code prints goes to standard error: standard output is the caller's.
            self._process = subprocess.Popen(
                command, env=door.environment, stdin=subprocess.DEVNULL, stdout=2, pass_fds=[theirs.fileno()]
            )
        self.report = ProgramReport()
        self._session: Session | None = None  # from the first call of the runtime on
        self._devices = [device]
        self._thread = threading.Thread(target=self._serve, args=(door,), daemon=True)
        self._thread.start()
        self._lock = threading.Lock()
        self._owner = os.getpid()
        weakref.finalize(self, _close, self._owner, self._end, self._process, door)

    def call(self, symbol: str, result: str, arguments: Sequence[tuple[str, Any]]) -> Any:
        """Call a function: type codes of the result ("" for none) and of each argument. HostDied if it ends there."""
        passed = tuple([NumberArgument.of(code, value) for code, value in arguments])
        return self._ask(CallFunction(symbol, result, passed)).message.result.value

    def keep(self, data: Buffer) -> int:
        """The address of new host memory with these bytes."""
        return int(self._ask(KeepMemory(), data).message.result.value)

    def read(self, address: int, bytes: int) -> memoryview:
        """Bytes of such memory."""
        return self._ask(ReadMemory(address, bytes)).body

    def drop(self, addresses: Sequence[int]) -> None:
        """Such memory is not needed any more."""
        self._ask(DropMemory(tuple(addresses)))

    def key(self, address: int) -> int:
        """The number in logs of a byte of the device's memory."""
        assert self._session is not None, "there is no address before the first call of the runtime"
        return self._session.key(address)

    def set_launches(self, keep_logs: bool, repeats: Repeats) -> None:
        """Whether launches leave their logs in the report from now on, and what they are compared with.

        That is, if there is a device to launch on.
        """
        if self._session is not None:
            self._session.kernels.keep_logs, self._session.kernels.repeats = keep_logs, repeats

    def close(self) -> None:
        """End the process and wait for what it has left to say."""
        self._end.close()
        try:
            self._process.wait(_PATIENCE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._thread.join(_PATIENCE_S)

    def _ask(self, asked: Any, data: Buffer = b"") -> Frame:
        if os.getpid() != self._owner:
            raise RuntimeError(
                f"these operators belong to process {self._owner}, which this process was forked from; load them here"
            )
        with self._lock:
            try:
                self._channel.send(asked, data)
                answer = self._channel.receive()
            except (OSError, EOFError, BrokenPeer):
                raise HostDied(self._ending()) from None
        if answer.message.problem:
            raise ValueError(answer.message.problem)
        return answer

    def _ending(self) -> str:
        """How the process has ended; what it had to say of it is in the report then."""
        try:
            code = self._process.wait(_PATIENCE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return "closed its connection"
        self._door.close()  # it may never have called the runtime
        self._thread.join(_PATIENCE_S)
        if code < 0:
            return f"ended with {signal.Signals(-code).name}"
        return f"ended with exit code {code}"

    def _serve(self, door: Door) -> None:
        try:
            end = door.accept()
        except OSError:
            return
        with end:
            self._session = session = Session(end, self._devices)
            self.report = session.report
            with suppress(BrokenPeer):  # its process is not what it was
                session.serve()
                session.bye()


def _close(owner: int, end: socket.socket, process: subprocess.Popen[bytes], door: Door) -> None:
    end.close()
    door.close()
    if os.getpid() != owner:
        return
    process.kill()
    process.wait()
