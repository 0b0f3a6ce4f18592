"""Output files: whole or not at all, regular files replaced with their mode, everything else written to or refused."""

from __future__ import annotations

import os
import signal
import socket
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from mlusim.simulator import files
from mlusim.simulator.files import refused, same_file, write_atomically


def write(path: Path, data: bytes = b"new") -> None:
    with write_atomically(path) as file:
        file.write(data)


@pytest.fixture(params=["without a name", "with a name"], autouse=True)
def way(request, monkeypatch):
    """File systems with files that have no name, and those without."""
    if request.param == "with a name":

        def named(folder: int) -> tuple[str, int]:
            return "x.part", os.open("x.part", os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666, dir_fd=folder)

        monkeypatch.setattr(files, "_unnamed", named)


def test_a_new_file_has_the_mode_of_any_other(tmp_path):
    write(tmp_path / "new")
    (tmp_path / "other").write_bytes(b"")
    assert (tmp_path / "new").read_bytes() == b"new"
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "other").stat().st_mode


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_a_replaced_file_keeps_its_mode(tmp_path, mode):
    path = tmp_path / "old"
    path.write_bytes(b"old")
    path.chmod(mode)
    number = path.stat().st_ino
    write(path)
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert path.stat().st_ino != number, "it was written in place"


@pytest.mark.skipif(os.getuid() != 0, reason="only root gives files away")
def test_a_replaced_file_keeps_its_owner(tmp_path):
    path = tmp_path / "old"
    path.write_bytes(b"old")
    os.chown(path, 12345, 54321)
    write(path)
    assert (path.stat().st_uid, path.stat().st_gid) == (12345, 54321)


def test_a_link_stays_and_its_target_is_replaced(tmp_path):
    (tmp_path / "far").mkdir()
    target = tmp_path / "far" / "target"
    for link, name in ((tmp_path / "link", target), (tmp_path / "second", tmp_path / "link")):
        link.symlink_to(name)  # the first leads to nowhere yet
    for data in (b"one", b"two"):
        write(tmp_path / "second", data)
        assert target.read_bytes() == data
        assert (tmp_path / "second").is_symlink()
        assert (tmp_path / "link").is_symlink()
    assert [entry.name for entry in (tmp_path / "far").iterdir()] == ["target"]


def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path):
    (tmp_path / "old").write_bytes(b"old")

    def half() -> None:
        with write_atomically(tmp_path / "old") as file:
            file.write(b"half")
            raise KeyError

    with pytest.raises(KeyError):
        half()
    assert [(entry.name, entry.read_bytes()) for entry in tmp_path.iterdir()] == [("old", b"old")]


def test_streams_get_all_of_it_and_stay(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()), daemon=True)
    reader.start()
    write(pipe, b"x" * 200_000)
    reader.join()
    assert got == [b"x" * 200_000]
    assert pipe.is_fifo()
    write(Path("/dev/null"))
    assert Path("/dev/null").is_char_device()


def test_what_cannot_be_written_is_refused_before(tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    with socket.socket(socket.AF_UNIX) as ear:
        ear.bind(str(tmp_path / "ear"))
    reasons = {
        tmp_path: "it is a folder",
        tmp_path / "ear": "it is a socket",
        tmp_path / "loop": "Too many levels of symbolic links",
        tmp_path / "none" / "file": "does not exist; make it first",
        tmp_path / "ear" / "file": "Not a directory",
        Path("a\0b"): "null",
        Path("/dev/full"): "",
    }
    for path, words in reasons.items():
        assert words in refused(path), path
        if words:
            with pytest.raises(OSError, match="cannot write"):
                write(path)
    with pytest.raises(OSError, match="cannot write /dev/full: No space left on device"):
        write(Path("/dev/full"))


@pytest.mark.skipif(os.getuid() == 0, reason="root may write everywhere")
def test_protected_files_and_folders_are_refused(tmp_path):
    (tmp_path / "kept").write_bytes(b"")
    (tmp_path / "kept").chmod(0o400)
    assert "write-protected" in refused(tmp_path / "kept")
    tmp_path.chmod(0o500)
    assert "cannot be written" in refused(tmp_path / "new")


def test_two_names_of_one_file(tmp_path):
    (tmp_path / "a").write_bytes(b"")
    os.link(tmp_path / "a", tmp_path / "b")
    (tmp_path / "c").symlink_to("a")
    (tmp_path / "folder").symlink_to(tmp_path)
    assert same_file(tmp_path / "a", tmp_path / "b")
    assert same_file(tmp_path / "a", tmp_path / "folder" / "c")
    assert same_file(tmp_path / "new", tmp_path / "folder" / "new")
    assert not same_file(tmp_path / "a", tmp_path / "new")


def test_a_kill_leaves_nothing(tmp_path, request):
    if "without" not in request.node.callspec.id:
        pytest.skip("a file with a name stays when its process is killed")
    program = (
        "import pathlib, sys, time; from mlusim.simulator.files import write_atomically\n"
        "with write_atomically(pathlib.Path('out')) as file: file.write(b'x' * 99999); print('half'); "
        "sys.stdout.flush(); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, cwd=tmp_path) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGKILL)
    assert not list(tmp_path.iterdir())
