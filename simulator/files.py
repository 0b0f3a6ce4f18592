"""Files appear whole or not at all, and nothing but a regular file is ever replaced."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


@contextmanager
def write_atomically(path: Path) -> Iterator[BinaryIO]:
    """A file to write that takes the place of ``path`` when the block ends; after an error nothing has changed.

    A regular file keeps its mode, and its owner where that is allowed; of a symbolic link the target is replaced.
    Streams and character devices get what was written in one piece. Raises OSError, naming ``path``, when it
    cannot be written, also for what `refused` refuses.
    """
    problem = _refusal(path)
    if problem is not None:
        raise type(problem)(f"cannot write {path}: {problem}")
    try:
        mode = _mode(path)
        if mode is not None and not stat.S_ISREG(mode):
            import shutil  # few outputs are streams
            import tempfile

            with tempfile.TemporaryFile() as gathered:
                with os.fdopen(os.dup(gathered.fileno()), "wb") as file:
                    yield file
                gathered.seek(0)
                with open(path, "wb", buffering=0) as stream:
                    shutil.copyfileobj(gathered, stream)
        else:
            with _replacement(Path(os.path.realpath(path))) as file:
                yield file
    except OSError as error:
        named = type(error)(f"cannot write {path}: {error.strerror or error}")
        named.errno = error.errno
        raise named from error


def open_regular(path: Path) -> BinaryIO:
    """A regular file to read; ValueError for anything else at ``path``, a pipe without a writer among them."""
    if "\0" in str(path):
        raise ValueError("a path has no null characters")
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise ValueError("it is no ordinary file")
    return os.fdopen(handle, "rb")


def refused(path: Path) -> str:
    """Why ``path`` cannot be written, with the way out; "" when it can. Nothing is changed."""
    problem = _refusal(path)
    return str(problem) if problem is not None else ""


def _refusal(path: Path) -> OSError | None:
    try:
        mode = _mode(path)
        if mode is None:
            path = Path(os.path.realpath(path))  # of a link to nowhere, the file that it names
        elif stat.S_ISDIR(mode):
            return IsADirectoryError("it is a folder; pass the name of a file")
        elif stat.S_ISBLK(mode) or stat.S_ISSOCK(mode):
            return OSError(f"it is a {'disk' if stat.S_ISBLK(mode) else 'socket'}; pass the name of a file")
        elif not os.access(path, os.W_OK):
            return PermissionError("it is write-protected; change its mode, or pass another name")
        if mode is None or stat.S_ISREG(mode):
            folder = Path(os.path.realpath(path)).parent
            if not folder.is_dir():
                return FileNotFoundError(f"the folder {folder} does not exist; make it first")
            if not os.access(folder, os.W_OK | os.X_OK):
                return PermissionError(f"the folder {folder} cannot be written")
        return None
    except (OSError, ValueError) as error:  # a null character in a path is a ValueError
        return OSError(f"{getattr(error, 'strerror', None) or error}; pass another name")


def same_file(one: Path, other: Path) -> bool:
    """Whether two paths lead to one file, existing or not, links included."""
    try:
        return os.path.samestat(os.stat(one), os.stat(other))
    except (OSError, ValueError):
        return os.path.realpath(one) == os.path.realpath(other)


def _mode(path: Path) -> int | None:
    """The mode of what a path leads to, None when there is nothing."""
    try:
        return os.stat(path).st_mode
    except FileNotFoundError:
        return None


@contextmanager
def _replacement(path: Path) -> Iterator[BinaryIO]:
    """A file that replaces a regular file, or nothing. While it has no name, also a kill leaves nothing behind."""
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        name, handle = _unnamed(folder)
        try:
            with os.fdopen(os.dup(handle), "wb") as file:
                yield file
            _keep_mode(path, handle)
            if not name:
                name = _new_name()
                # A folder's descriptor makes this `linkat`, which follows the link that /proc has for a file.
                os.link(f"/proc/self/fd/{handle}", name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=True)
            os.replace(name, path.name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            with suppress(OSError):
                if name:
                    os.unlink(name, dir_fd=folder)
            raise
        finally:
            os.close(handle)
    finally:
        os.close(folder)


def _unnamed(folder: int) -> tuple[str, int]:
    """A new file in a folder: its name, "" where the file system has files without one, and its descriptor."""
    with suppress(OSError, AttributeError):
        return "", os.open(f"/proc/self/fd/{folder}", os.O_TMPFILE | os.O_WRONLY, 0o666)
    name = _new_name()
    return name, os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666, dir_fd=folder)


def _new_name() -> str:
    return f".mlusim-{os.urandom(8).hex()}.part"


def _keep_mode(path: Path, handle: int) -> None:
    """Give a file the owner and mode of the one that it replaces; a group that it cannot have gets no access."""
    try:
        old = os.stat(path)
    except FileNotFoundError:
        return
    mode = stat.S_IMODE(old.st_mode)
    for owner in (old.st_uid, -1):
        with suppress(PermissionError):
            os.fchown(handle, owner, old.st_gid)
            break
    else:
        mode &= ~(stat.S_IRWXG | stat.S_ISUID | stat.S_ISGID)
    os.fchmod(handle, mode)
