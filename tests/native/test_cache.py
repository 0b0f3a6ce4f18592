"""The cache of builds: what is damaged is built again, what others can write is not used, its size has a bound."""

from __future__ import annotations

import os
import stat
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from mlusim.simulator import BuildError
from mlusim.simulator.native import cache as module
from mlusim.simulator.native.cache import BuildCache


class Maker:
    """Makes a file, and counts how often."""

    def __init__(self, content: bytes = b"built") -> None:
        self.content, self.count = content, 0

    def __call__(self, path: Path) -> None:
        self.count += 1
        path.write_bytes(self.content)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MLUSIM_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def content(path: Path) -> bytes:
    return path.read_bytes().partition(b"\n// sealed ")[0]


def test_what_is_there_is_not_made_again(folder):
    make = Maker()
    first = BuildCache().file("a.so", "key", make)
    assert BuildCache().file("a.so", "key", make) == first
    assert (make.count, content(first)) == (1, b"built")
    BuildCache().file("a.so", "other key", make)
    assert make.count == 2
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_what_is_there_can_be_looked_for_and_replaced(folder):
    assert BuildCache().find("a.so", "key") is None
    first = BuildCache().put("a.so", "key", Maker(b"one"))
    assert BuildCache().find("a.so", "key") == first
    assert BuildCache().put("a.so", "key", Maker(b"two")) == first
    assert content(first) == b"two"


def _cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 1)


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _change(path: Path) -> None:
    path.write_bytes(b"X" + path.read_bytes()[1:])


def _delete(path: Path) -> None:
    path.unlink()


def _folder(path: Path) -> None:
    path.unlink()
    (path / "in").mkdir(parents=True)


def _no_folder(path: Path) -> None:
    path.unlink()
    path.parent.rmdir()
    path.parent.write_bytes(b"")


def _foreign(path: Path) -> None:
    other = BuildCache().file("a.so", "other key", Maker(b"other"))
    path.write_bytes(other.read_bytes())


def _read_only(path: Path) -> None:
    _cut(path)
    path.chmod(0o400)
    path.parent.chmod(0o500)


DAMAGES = [_cut, _empty, _change, _delete, _folder, _no_folder, _foreign, _read_only]


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__.strip("_"))
def test_a_damaged_entry_is_made_again(folder, damage):
    make = Maker()
    damage(BuildCache().file("a.so", "key", make))
    again = BuildCache().file("a.so", "key", make)
    assert (make.count, content(again)) == (2, b"built")
    assert BuildCache().file("a.so", "key", make) == again
    assert make.count == 2


def test_a_build_that_fails_leaves_nothing(folder):
    def make(path: Path) -> None:
        path.write_bytes(b"half")
        raise KeyError

    with pytest.raises(KeyError):
        BuildCache().file("a.so", "key", make)
    assert not list(folder.iterdir())


def test_what_another_is_building_is_awaited(folder, monkeypatch):
    """For a while: one that takes longer may have stopped."""
    make = Maker()

    def slowly(path: Path) -> None:
        time.sleep(0.2)
        make(path)

    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(lambda _: BuildCache().file("a.so", "key", slowly), range(4)))) == 1
        assert make.count == 1
        monkeypatch.setattr(module, "_PATIENCE", 0.0)
        list(pool.map(lambda _: BuildCache().file("b.so", "key", slowly), range(4)))
        assert make.count == 5


def test_several_at_once(folder):
    with ThreadPoolExecutor(8) as pool:
        paths = set(pool.map(lambda _: BuildCache().file("a.so", "key", Maker(os.urandom(9))), range(64)))
    (build,) = filter(Path.is_dir, folder.iterdir())
    (path,) = paths
    assert module._is_whole(path, build.name, path.stat())


@pytest.mark.parametrize("mode", [0o777, 0o720])
def test_a_folder_that_others_can_write_is_not_used(folder, mode):
    make, key = Maker(), f"mode {mode}"
    planted = BuildCache().file("a.so", key, make)
    folder.chmod(mode)
    with pytest.warns(RuntimeWarning, match="can be written by others"):
        path = BuildCache().file("a.so", key, make)
    assert folder not in path.parents
    assert content(path) == b"built"
    assert stat.S_IMODE(path.parents[1].stat().st_mode) == 0o700
    assert (make.count, planted.exists()) == (2, True)


@pytest.mark.skipif(os.getuid() != 0, reason="only root gives files away")
def test_a_folder_of_another_user_is_not_used(folder):
    folder.mkdir()
    os.chown(folder, 12345, -1)
    with pytest.warns(RuntimeWarning, match="belongs to another user"):
        assert folder not in BuildCache().file("a.so", "another", Maker()).parents


def test_a_folder_that_cannot_be_made(tmp_path, monkeypatch):
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setenv("MLUSIM_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.warns(RuntimeWarning, match="cannot be made"):
        assert content(BuildCache().file("a.so", "a third", Maker())) == b"built"


def test_a_folder_behind_links_is_named_without_them(folder, tmp_path, monkeypatch):
    (tmp_path / "link").symlink_to(tmp_path)
    monkeypatch.setenv("MLUSIM_CACHE", str(tmp_path / "link" / "x" / ".." / "cache"))
    assert BuildCache().file("a.so", "key", Maker()).parents[1] == folder


def test_no_room(folder):
    def full(path: Path) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(BuildError, match="No space left on device; set MLUSIM_CACHE"):
        BuildCache().file("a.so", "key", full)


def test_the_builds_used_longest_ago_make_room(folder, monkeypatch):
    monkeypatch.setattr(module, "LIMIT", 5000)
    monkeypatch.setattr(module, "_PAUSE", 0)
    make = Maker(b"x" * 1000)
    paths = [BuildCache().file("a.so", str(number), make) for number in range(4)]
    for age, path in enumerate(paths):
        os.utime(path, (1000 - age, 1000 - age))
    BuildCache().file("a.so", "3", make)  # the oldest is used again
    paths.append(BuildCache().file("a.so", "4", make))
    assert [path.exists() for path in paths] == [True, True, False, True, True]
    left = folder / "building-old"
    left.mkdir()
    os.utime(left, (0, 0))
    BuildCache().file("a.so", "5", make)
    assert not left.exists()


def test_the_folder_that_another_build_is_about_to_fill_stays(folder, monkeypatch):
    monkeypatch.setattr(module, "LIMIT", 500)
    monkeypatch.setattr(module, "_PAUSE", 0)
    paths = [BuildCache().file("a.so", "0", Maker(b"x" * 1000))]
    os.utime(paths[0], (1000, 1000))
    (folder / "about").mkdir()
    BuildCache().file("a.so", "1", Maker(b"y" * 100))
    assert not paths[0].exists()
    assert (folder / "about").is_dir()


def test_a_cache_is_looked_through_now_and_then(folder):
    BuildCache().put("a.so", "1", Maker())
    left = folder / "building-killed"
    left.mkdir()
    BuildCache().put("a.so", "2", Maker())
    assert left.exists()
    for seconds in (11, -11):  # ago; of a clock that was set back
        os.utime(folder / ".looked-through", (time.time() - seconds,) * 2)
        left.mkdir(exist_ok=True)
        BuildCache().put("a.so", str(seconds), Maker())
        assert not left.exists()


def test_the_scratch_of_a_killed_build_is_swept_and_that_of_a_running_one_stays(folder):
    (folder / "building-killed").mkdir(parents=True)
    (folder / "building-killed" / "k.s").write_bytes(b"half")
    running = []

    def make(path: Path) -> None:
        BuildCache().put("b.so", "another", Maker())
        running.append(path.parent.is_dir())
        path.write_bytes(b"built")

    BuildCache().put("a.so", "key", make)
    assert running == [True]
    assert not [entry for entry in folder.iterdir() if entry.name.startswith("building-")]


@pytest.mark.parametrize(("mode", "refused"), [(0o777, True), (0o1777, False), (0o755, False)])
def test_a_cache_that_others_could_put_another_in_the_place_of_is_not_used(tmp_path, monkeypatch, mode, refused):
    above = tmp_path / "above"
    above.mkdir()
    above.chmod(mode)
    monkeypatch.setenv("MLUSIM_CACHE", str(above / "cache"))
    found = BuildCache()
    assert found.problem == (f"lies in {above}, where others could put another folder in its place (chmod go-w {above})"
                             if refused else "")  # fmt: skip
    if refused:
        with pytest.warns(RuntimeWarning, match="builds of this process are kept apart"):
            made = found.put("a.so", "key", Maker())
        assert above not in made.parents
