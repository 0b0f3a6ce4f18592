"""What is kept of preprocessed text: used while nothing has changed, and made anew at every change that counts."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from mlusim.simulator.kernelc.kept import kept
from mlusim.simulator.native.compiler import Compiler

SOURCE = """
#include "own.h"
#include <near.h>
#include <../b/parent.h>
#if __has_include(<maybe.h>)
int maybe;
#endif
int source;
"""


class Project:
    """A source with headers in two folders, and how often it was preprocessed."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.compiler, self.runs, self.options = folder, Compiler(), 0, [f"-I{folder}/a", f"-I{folder}/b"]
        self.write("k.cpp", SOURCE)
        self.write("own.h", "int own;")
        self.write("b/parent.h", "int parent;")
        self.write("b/near.h", "#pragma once\nint near;")
        (folder / "a").mkdir()

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)

    def text(self) -> str:
        command = ["-E", "-x", "c++", *self.options, str(self.folder / "k.cpp")]

        def make() -> tuple[str, str]:
            self.runs += 1
            text = self.compiler.run(command).output.decode()
            return text, text

        return kept(self.compiler, command, "", make)

    def settle(self) -> str:
        """The text, kept: what was written in the same moment is not."""
        time.sleep(0.03)
        self.text()
        before = self.runs
        text = self.text()
        assert self.runs == before
        return text


@pytest.fixture
def project(tmp_path, monkeypatch) -> Project:
    monkeypatch.setenv("MLUSIM_CACHE", str(tmp_path / "cache"))
    return Project(tmp_path)


def test_a_kept_text_is_that_of_the_preprocessor(project):
    text = project.settle()
    assert all(f"int {name};" in text for name in ("own", "near", "source"))
    assert "int maybe;" not in text
    project.write("unused.h", "int unused;")  # beside the source, by a name that is not mentioned
    before = project.runs
    assert project.text() == text
    assert project.runs == before


CHANGES: dict[str, tuple[Callable[[Project], None], str]] = {
    "source": (lambda p: p.write("k.cpp", SOURCE + "int more;"), "int more;"),
    "header": (lambda p: p.write("b/near.h", "int other;"), "int other;"),
    "header of the same size and time": (lambda p: _disguised(p, "b/near.h"), "int NEAR;"),
    "header earlier on the path": (lambda p: p.write("a/near.h", "int shadow;"), "int shadow;"),
    "header beside": (lambda p: p.write("own.h", "int changed;"), "int changed;"),
    "header that has come": (lambda p: p.write("b/maybe.h", ""), "int maybe;"),
    "option": (lambda p: p.options.insert(0, "-Dsource=renamed"), "int renamed;"),
}


def _disguised(project: Project, name: str) -> None:
    path = project.folder / name
    old = path.stat()
    path.write_text(path.read_text().replace("near", "NEAR"))
    os.utime(path, ns=(old.st_atime_ns, old.st_mtime_ns))


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_noticed(project, name):
    change, words = CHANGES[name]
    assert words not in project.settle()
    change(project)
    assert words in project.text()
    assert words in project.settle()


def test_a_header_that_has_gone_is_noticed(project):
    project.write("b/maybe.h", "")
    assert "int maybe;" in project.settle()
    (project.folder / "b/maybe.h").unlink()
    assert "int maybe;" not in project.text()
    (project.folder / "b/near.h").unlink()
    assert "int near;" not in project.text()


@pytest.mark.parametrize("way", ["variable", "folder"])
def test_other_surroundings_are_noticed(project, monkeypatch, way):
    for name in "cd":
        project.write(f"{name}/near.h", f"int {name};")
    project.options[:] = ["-I."] if way == "folder" else []
    for name in "cdc":
        if way == "folder":
            monkeypatch.chdir(project.folder / name)
        else:
            monkeypatch.setenv("CPATH", f"{project.folder}/{name}")
        assert f"int {name};" in project.settle()
    assert project.runs == 2


def test_another_compiler_is_noticed(project):
    project.settle()
    before = project.runs
    project.compiler.version += " of tomorrow"
    project.text()
    assert project.runs == before + 1


@pytest.mark.parametrize(
    "text",
    [
        "int at = sizeof __TIME__;",
        "#define NEAR <near.h>\n#if __has_include(NEAR)\n#endif",
        "#define OTHER <other.h>\n#include OTHER",  # of which no place is known where one may come before it
    ],
)
def test_what_cannot_be_told_is_not_kept(project, text):
    project.write("b/other.h", "")
    project.write("k.cpp", text)
    time.sleep(0.03)
    for runs in (1, 2):
        project.text()
        assert project.runs == runs


def test_what_an_option_reads_beside_the_text_is_not_told(project):
    project.options += ["-imacros", f"{project.folder}/own.h"]
    time.sleep(0.03)
    for runs in (1, 2):
        project.text()
        assert project.runs == runs


def test_what_was_written_in_the_same_moment_is_not_kept(project, monkeypatch):
    monkeypatch.setattr(time, "time_ns", lambda: (project.folder / "own.h").stat().st_ctime_ns)
    project.text()
    project.text()
    assert project.runs == 2


def test_a_header_behind_a_link_is_kept_and_followed(project):
    """Of the system's headers GCC names the file itself where that is shorter."""
    for name in "cd":
        project.write(f"{name}/near.h", f"int {name};")
    project.options[:] = [f"-I{project.folder}/b", "-isystem", f"{project.folder}/a_link_to_them"]
    (project.folder / "b/near.h").unlink()
    link = project.folder / "a_link_to_them"
    for name in "cd":
        link.unlink(missing_ok=True)
        link.symlink_to(project.folder / name)
        assert f"int {name};" in project.settle()
    assert f'"{project.folder}/d/near.h"' in project.text()
    project.write("d/near.h", "int more;")
    assert "int more;" in project.settle()
