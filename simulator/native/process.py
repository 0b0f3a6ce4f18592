"""A run of the compiler: within limits, and ended with the process that asked for it."""

from __future__ import annotations

import os
import re
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from .landlock import keep_from_reading

#: Runs a command in the limits of its first two words (KiB of memory, blocks of 512 bytes of a file). What it reads
#: from is the lifeline: its end says that the parent is gone, also when that was killed, and ends all processes.
_KEEPER = """
exec 3<&0 </dev/null
ulimit -c 0; ulimit -v "$1"; ulimit -f "$2"
shift 2
{ read end <&3; kill -9 0; } >/dev/null 2>&1 &
"$@" 3<&-
code=$?
kill $!
wait
exit $code
"""
_FILE_BLOCKS = (4 << 30) // 512
#: Bytes of messages that are kept; compilers can write without end.
_MESSAGES = 1 << 18
#: What a compiler says of itself: what is said of a place in a source, and the source's line below it, are not of this.
_OUT_OF_MEMORY = re.compile(
    r"^(?!.*:\d+:)(?! *\d* \|).*"
    r"(?:out of memory|memory exhausted|Cannot allocate memory|instance of 'std::bad_alloc'|MemoryError)",
    re.M,
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


@dataclass(frozen=True)
class Limits:
    """What one run of the compiler may take: seconds, GB of memory, MB of preprocessed text."""

    seconds: float = 300.0
    memory_gb: float = 4.0
    text_mb: float = 32.0

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> Limits:
        """The usual ones, or those that variables of the environment set; ValueError for what is no number above 0."""
        found = {}
        for field, variable in _VARIABLES.items():
            text = environment.get(variable)
            if text:
                try:
                    value = float(text)
                except ValueError:
                    value = 0.0
                if not 0 < value <= 1e6:
                    raise ValueError(f"{variable} is {text!r}; set it to a number above 0, at most 1e6")
                found[field] = value
        return cls(**found)


_VARIABLES = {
    "seconds": "MLUSIM_COMPILE_SECONDS", "memory_gb": "MLUSIM_COMPILE_GB", "text_mb": "MLUSIM_COMPILE_MB",
}  # fmt: skip


class LimitReached(Exception):  # noqa: N818 - the message is what matters
    """The compiler was ended, or gave up, at a limit."""


@dataclass(frozen=True)
class CommandResult:
    """The end of a run: exit code (128 and more: a signal), what it wrote, and its messages, without control codes."""

    returncode: int
    output: bytes
    messages: str

    @property
    def text(self) -> str:
        """The output as the text of a source, whatever its encoding."""
        return self.output.decode(errors="surrogateescape")


def run_limited(
    command: Sequence[str], environment: Mapping[str, str], limits: Limits, readable: Sequence[Path] | None = None
) -> CommandResult:
    """Run a command to its end; LimitReached when it takes more than it may.

    It reads no file that is not below ``readable``, if that is given; PermissionError where it cannot be kept from
    others. It and its children are killed when this call is interrupted, and when this process dies.
    """
    kilobytes = int(limits.memory_gb * 1e6)
    words = ["/bin/sh", "-c", _KEEPER, "mlusim", str(kilobytes), str(_FILE_BLOCKS), *command]
    process = _started(words, environment, readable)
    try:
        output, messages = _gather(process, limits)
        code = process.wait()
    finally:
        if process.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()
    if code and _OUT_OF_MEMORY.search(messages):
        raise LimitReached(_sentence("memory_gb", f"the {limits.memory_gb:g} GB of memory that it may use"))
    if code and (code == 128 + signal.SIGXFSZ or "File size limit exceeded" in messages):
        raise LimitReached("the compiler was ended when it wrote a file of more than 4 GB; declare smaller variables")
    return CommandResult(code, output, messages)


def _started(
    words: Sequence[str], environment: Mapping[str, str], readable: Sequence[Path] | None
) -> subprocess.Popen[bytes]:
    def start() -> subprocess.Popen[bytes]:
        if readable is not None and (reason := keep_from_reading(readable)):
            raise PermissionError(f"the compiler cannot be kept from the user's files: {reason}")
        return subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment,
            start_new_session=True,
        )  # fmt: skip

    if readable is None:
        return start()
    from concurrent.futures import ThreadPoolExecutor  # few compilers are confined

    with ThreadPoolExecutor(1) as thread:  # what keeps it from files, keeps it for as long as it lives
        return thread.submit(start).result()


def _gather(process: subprocess.Popen[bytes], limits: Limits) -> tuple[bytes, str]:
    """What a process writes to its two pipes until it closes them."""
    assert process.stdout is not None
    assert process.stderr is not None
    end = time.monotonic() + limits.seconds
    output, messages, room, lost = bytearray(), bytearray(), int(limits.text_mb * 1e6), 0
    with selectors.DefaultSelector() as waiting:
        waiting.register(process.stdout, selectors.EVENT_READ, output)
        waiting.register(process.stderr, selectors.EVENT_READ, messages)
        while waiting.get_map():
            ready = waiting.select(max(end - time.monotonic(), 0))
            if time.monotonic() >= end:
                raise LimitReached(_sentence("seconds", f"the {limits.seconds:g} seconds that it may take"))
            for key, _ in ready:
                part = os.read(key.fd, 1 << 18)
                if not part:
                    waiting.unregister(key.fileobj)
                elif key.data is messages:
                    kept = part[: _MESSAGES - len(messages)]
                    messages += kept
                    lost += len(part) - len(kept)
                else:
                    output += part
                    if len(output) > room:
                        raise LimitReached(_sentence("text_mb", f"the {limits.text_mb:g} MB of preprocessed text"))
    text = messages.decode(errors="backslashreplace")
    text = _CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", text)
    return bytes(output), text + (f"\n... and {lost} bytes more of messages" if lost else "")


def _sentence(field: str, limit: str) -> str:
    return f"the compiler was ended at {limit}; {_VARIABLES[field]} sets the limit"
