"""Handles of arrays that two programs share.

A handle is the process that has the memory, and a descriptor there of a file that says where in the memory the array
lies. What either program writes, the other reads: they share the pages. Neither is told which bytes the other has
written, nor when: a shared array counts as written.
"""

from __future__ import annotations

import os
import struct

from ...core.memory.global_memory import GlobalMemory

_NAME = "mlusim-shared-array"
#: The descriptor of a memory, where an array begins in it, its bytes.
_CONTENT = struct.Struct("<QQQ")


def handle_of(memory: GlobalMemory, offset: int, size: int) -> tuple[int, int]:
    """A handle of bytes of a memory of this process, and the descriptor that keeps it good."""
    made = os.memfd_create(_NAME)
    os.write(made, _CONTENT.pack(memory.fd, offset, size))
    return os.getpid() << 32 | made, made


def opened(handle: int) -> tuple[int, int, int]:
    """A descriptor of the memory that a handle is of, where its array begins there, and its bytes.

    ValueError for what is no handle, OSError where it cannot be looked at.
    """
    process, number = divmod(handle, 1 << 32)
    folder = f"/proc/{process}/fd"
    try:
        if not os.readlink(f"{folder}/{number}").startswith(f"/memfd:{_NAME}"):
            raise ValueError(f"{handle:#x} is no handle of an array")
        with open(f"{folder}/{number}", "rb") as file:
            memory, offset, size = _CONTENT.unpack(file.read())
        return os.open(f"{folder}/{memory}", os.O_RDWR | os.O_CLOEXEC), offset, size
    except FileNotFoundError:
        raise ValueError("no array has this handle any more: it has been freed, or its program has ended") from None
    except struct.error:
        raise ValueError(f"{handle:#x} is no handle of an array") from None
