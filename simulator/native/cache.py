"""What was built before, by the content of everything that went into it.

A file is used when its seal is right: one that was cut off, changed or written by something else is built again.
"""

from __future__ import annotations

import atexit
import fcntl
import hashlib
import os
import shutil
import stat
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path

from ..findings import BuildError

#: Bytes that a cache may take; the builds used longest ago make room.
LIMIT = 1 << 30
#: Stands before the checksum at the end of a file: a comment of a header, and behind the contents of a library.
_SEAL = b"\n// sealed "
_SEAL_BYTES = len(_SEAL) + 65
_SCRATCH = "building-"
#: A file that says of its key that nothing was wrong.
_CHECKED = "checked"
#: Says by its time when a cache was last looked through, which is done so many seconds later again.
_LOOKED = ".looked-through"
_PAUSE = 10.0
#: Seconds after which another use of a build is noted; after which a file that changes has another time.
_NOTED, _TICK = 60.0, 1.0
#: Seconds for which a build waits for another one of the same, and between two looks at it.
_PATIENCE, _ASKED_AGAIN = 60.0, 0.02
#: Seconds after which the scratch folder of a build is one that was killed.
_FORGOTTEN = 86400.0


class BuildCache:
    """A cache in `$MLUSIM_CACHE`, or mlusim in the user's cache folder.

    A folder that others can write is not used, with a warning: what is in it would run as this user. What cannot be
    kept there is kept in a folder of this process, for as long as it lives.
    """

    def __init__(self) -> None:
        #: Where builds are kept, and why they cannot be: "" if they can.
        self.folder, self.problem = wanted_folder(), ""
        self.problem = _problem(self.folder)
        self._readable = not self.problem
        if self._readable and not os.access(self.folder, os.W_OK | os.X_OK):
            self.problem = "cannot be written"

    def file(self, name: str, key: str, make: Callable[[Path], object]) -> Path:
        """The file ``name`` of the build ``key``; ``make(path)`` builds it when the cache lacks it."""
        found = self.find(name, key)
        if found:
            return found
        with self._turn(_digest(key)):
            return self.find(name, key) or self.put(name, key, make)

    @contextmanager
    def _turn(self, digest: str) -> Iterator[None]:
        """Wait while another process or thread builds the same: it takes no longer, and a processor is left for others.

        For as long as any build takes, then it is built beside. A folder that is locked is removed if nothing was put
        there.
        """
        folder, lock, end = self.folder / digest, None, time.monotonic() + _PATIENCE
        with suppress(OSError):
            if not self.problem:
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            while (lock := _locked(str(folder))) is None and folder.is_dir() and time.monotonic() < end:
                time.sleep(_ASKED_AGAIN)
        try:
            yield
        finally:
            if lock is not None:
                with suppress(OSError):
                    folder.rmdir()
                os.close(lock)

    def find(self, name: str, key: str) -> Path | None:
        """The file ``name`` of the build ``key``, None when the cache lacks it."""
        digest = _digest(key)
        for root in self._roots():
            target = root / digest / name
            with suppress(OSError):
                found = os.stat(target)
                if not _is_whole(target, digest, found):
                    continue
                if time.time() - found.st_mtime > _NOTED:
                    os.utime(target)
                return target
        return None

    def put(self, name: str, key: str, make: Callable[[Path], object]) -> Path:
        """Build the file ``name`` of the build ``key`` with ``make(path)``, in the place of one that is there."""
        root, digest = self._writable(), _digest(key)
        try:
            is_more = not (root / digest / name).exists()
            target = _build(root, digest, name, make)
            if is_more and _is_time(root):
                _make_room(root, target)
            return target
        except OSError as error:
            raise BuildError(
                f"the build cannot be written to {root}: {error.strerror or error}; set MLUSIM_CACHE to another folder"
            ) from error

    def once(self, key: str, check: Callable[[], None]) -> None:
        """Call ``check``, which raises where something is wrong, unless it is known that it raised nothing for ``key``.

        Where nothing can be kept, each time.
        """
        if self.problem:
            check()
        elif self.find(_CHECKED, key) is None:
            check()
            with suppress(BuildError):
                self.put(_CHECKED, key, lambda path: path.write_bytes(b"nothing was wrong"))

    def _roots(self) -> Iterator[Path]:
        if self._readable:
            yield self.folder
        if self.problem:
            yield _private_folder(os.getpid())

    def _writable(self) -> Path:
        if not self.problem:
            return self.folder
        warnings.warn(
            f"the cache {self.folder} {self.problem}; builds of this process are kept apart and are lost when it "
            "ends. Set MLUSIM_CACHE to a folder of your own",
            RuntimeWarning,
            stacklevel=2,
        )
        return _private_folder(os.getpid())


def wanted_folder() -> Path:
    """Where builds are kept if it can be trusted, without symbolic links."""
    given = os.environ.get("MLUSIM_CACHE")
    if given:
        return Path(os.path.realpath(given))
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(os.path.realpath(base), "mlusim")


def _problem(folder: Path) -> str:
    """Why a folder is no cache, "" when it is one; it is made if it does not exist."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = os.stat(folder)
    except OSError as error:
        return f"cannot be made ({error.strerror or error})"
    if found.st_uid not in (os.getuid(), 0):
        return "belongs to another user, who could change what is run from it"
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return f"can be written by others, who could change what is run from it (chmod go-w {folder} and empty it)"
    for above in folder.parents:
        if _is_open(os.stat(above)):
            return f"lies in {above}, where others could put another folder in its place (chmod go-w {above})"
    return ""


def _is_open(folder: os.stat_result) -> bool:
    """Whether others may rename what is in a folder; the group of a user's own name is the user."""
    if folder.st_mode & stat.S_ISVTX:
        return False
    is_own_group = folder.st_gid == os.getgid() == os.getuid()
    return bool(folder.st_mode & (stat.S_IWOTH if is_own_group else stat.S_IWOTH | stat.S_IWGRP))


@lru_cache(maxsize=1)
def _private_folder(process: int) -> Path:
    """A folder of this process that goes with it (a forked child gets its own)."""
    folder = os.path.realpath(tempfile.mkdtemp(prefix="mlusim-"))

    def remove() -> None:
        if os.getpid() == process:
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    return Path(folder)


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode(errors="surrogateescape")).hexdigest()[:24]


def _is_whole(path: Path, digest: str, found: os.stat_result) -> bool:
    """Whether the seal of a file is right; a process reads one again when its state has changed or might have."""
    check = _is_sealed if time.time() - found.st_ctime > _TICK else _is_sealed.__wrapped__
    return check(path, digest, (found.st_ino, found.st_size, found.st_ctime_ns))


@lru_cache(maxsize=1024)
def _is_sealed(path: Path, digest: str, state: tuple[int, ...]) -> bool:
    del state
    data = memoryview(path.read_bytes())
    return len(data) > _SEAL_BYTES and data[-_SEAL_BYTES:] == _seal(data[:-_SEAL_BYTES], digest)


def text_of(path: Path) -> str:
    """The text of a file of the cache, without its seal."""
    return path.read_bytes()[:-_SEAL_BYTES].decode()


def _seal(content: bytes | memoryview, digest: str) -> bytes:
    sealed = hashlib.sha256(digest.encode())
    sealed.update(content)
    return _SEAL + sealed.hexdigest().encode() + b"\n"


def _build(root: Path, digest: str, name: str, make: Callable[[Path], object]) -> Path:
    """Make a file in a scratch folder, and put it into its place whole."""
    root.mkdir(mode=0o700, parents=True, exist_ok=True)  # it may have been deleted
    with _scratch(root) as scratch:
        part = scratch / name
        make(part)
        content = part.read_bytes()
        with part.open("ab") as file:
            file.write(_seal(content, digest))
        folder, target = root / digest, root / digest / name
        if not folder.is_dir() or folder.is_symlink() or target.is_dir() or not os.access(folder, os.W_OK | os.X_OK):
            _remove(folder)
        folder.mkdir(mode=0o700, exist_ok=True)
        os.replace(part, target)
    return target


@contextmanager
def _scratch(root: Path) -> Iterator[Path]:
    """A folder for a build, locked for as long as that goes on: one without a lock was left by a killed one."""
    while True:
        with tempfile.TemporaryDirectory(dir=root, prefix=_SCRATCH, ignore_cleanup_errors=True) as name:
            lock = _locked(name)
            if lock is not None:
                try:
                    yield Path(name)
                finally:
                    os.close(lock)
                return


def _locked(folder: str) -> int | None:
    """The descriptor that holds the lock of a folder; None where another has it, or has swept the folder."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    except OSError:  # a file system without locks
        pass
    if os.path.isdir(folder):
        return descriptor
    os.close(descriptor)
    return None


def _is_left(folder: os.DirEntry[str]) -> bool:
    """Whether the build that has used a scratch folder has been killed."""
    descriptor = os.open(folder.path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    except OSError:
        return time.time() - folder.stat().st_mtime > _FORGOTTEN
    finally:
        os.close(descriptor)


def _is_time(root: Path) -> bool:
    """Whether a cache is to be looked through, which takes longer the more there is."""
    stamp = root / _LOOKED
    with suppress(OSError):
        if 0 <= time.time() - os.stat(stamp).st_mtime < _PAUSE:
            return False
    stamp.touch()
    return True


def _make_room(root: Path, kept: Path) -> None:
    """Remove the builds used longest ago while the cache is larger than it may be, and what killed builds left."""
    found = []
    for folder in os.scandir(root):
        with suppress(OSError):  # another process may tidy up too
            if folder.name.startswith(_SCRATCH):
                if _is_left(folder):
                    _remove(Path(folder))
                continue
            files = [entry.stat(follow_symlinks=False) for entry in os.scandir(folder)]
            last = max((f.st_mtime for f in files), default=folder.stat().st_mtime)  # one that is empty will be filled
            found.append((last, sum(f.st_size for f in files), folder.path))
    total = sum(size for _, size, _ in found)
    for _, size, path in sorted(found):
        if total <= LIMIT:
            return
        if Path(path) != kept.parent:
            _remove(Path(path))
            total -= size


def _remove(path: Path) -> None:
    with suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            os.chmod(path, 0o700)
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink()
