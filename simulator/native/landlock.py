"""Landlock, by which Linux keeps a thread, and all that it starts, from files. Needs no root; from Linux 5.13."""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterable
from pathlib import Path

_NO_NEW_PRIVILEGES = 38
_CREATE, _ADD, _RESTRICT = 444, 445, 446
_ASK_VERSION, _BENEATH = 1, 1
_READ_FILE = 1 << 2
#: Access rights to files that each version of Landlock knows (the first: 13 of them), and since when it has others.
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 5: 16}
_NET_SINCE, _SCOPE_SINCE = 4, 6


def problem() -> str:
    """Why there is no Landlock, "" if there is."""
    libc = ctypes.CDLL(None, use_errno=True)
    return "" if _version(libc) > 0 else f"this Linux has no Landlock: {os.strerror(ctypes.get_errno())}"


def keep_from_all(readable: Iterable[Path] = ()) -> str:
    """Keep this thread from files but for reading those below ``readable``, from the network and other processes.

    Why that cannot be done, "" when it is done.
    """
    version = _version(ctypes.CDLL(None))
    rights = (1 << max([0, *(count for since, count in _FILE_RIGHTS.items() if since <= version)])) - 1
    return _restrict(rights, 3 * (version >= _NET_SINCE), 3 * (version >= _SCOPE_SINCE), readable)


def keep_from_reading(readable: Iterable[Path]) -> str:
    """Keep this thread from reading files that are not below ``readable``; why that cannot be done, "" when it is."""
    return _restrict(_READ_FILE, 0, 0, readable)


def _version(libc: ctypes.CDLL) -> int:
    return int(libc.syscall(_CREATE, None, 0, _ASK_VERSION))


def _restrict(files: int, network: int, scopes: int, readable: Iterable[Path]) -> str:
    if reason := problem():
        return reason
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    version = _version(libc)
    size = 24 if version >= _SCOPE_SINCE else 16 if version >= _NET_SINCE else 8
    rules = libc.syscall(_CREATE, struct.pack("<QQQ", files, network, scopes), size, 0)
    if rules < 0:
        return f"Landlock is refused: {os.strerror(ctypes.get_errno())}"
    try:
        for path in readable:
            try:
                place = os.open(path, os.O_PATH | os.O_CLOEXEC)
            except OSError:
                continue  # what does not exist is not read
            libc.syscall(_ADD, rules, _BENEATH, struct.pack("<Qi", _READ_FILE, place), 0)
            os.close(place)
        refused = libc.syscall(_RESTRICT, rules, 0)
        return f"Landlock is refused: {os.strerror(ctypes.get_errno())}" if refused else ""
    finally:
        os.close(rules)
