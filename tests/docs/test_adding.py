"""The examples of docs/adding.md: each is applied to a copy of the tree, and its commands print what is shown."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from mlusim.simulator import Check, declare_rule
from mlusim.simulator.findings import RULES
from mlusim.simulator.native.compiler import Compiler

from tests.docs.test_architecture import paths
from tests.docs.test_docs import shown_in, steps
from tests.support.paths import ROOT

pytestmark = pytest.mark.slow

PAGE = ROOT / "docs" / "adding.md"
EXAMPLES = ROOT / "docs" / "adding"
COPIED = ("isa", "simulator", "traces", "kernels", "tests", "docs", "pyproject.toml")
#: The device that one_cluster.toml is a part of.
CHIP = ROOT / "simulator" / "chip" / "chips" / "mlu370-x4.toml"
SECTIONS = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", PAGE.read_text(encoding="utf-8"), re.M | re.S))
PROGRAMS = {"python": [sys.executable], "mlusim": [sys.executable, "-m", "mlusim.simulator"], "git": ["git"]}


@pytest.fixture
def tree(tmp_path):
    """A copy of the tree, called as the package is, so that what runs with `tmp_path` on its path imports the copy.

    With the modules that are compiled already: each command would compile all that it imports.
    """
    folder = tmp_path / "mlusim"
    folder.mkdir()
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name)
        else:
            shutil.copy(ROOT / name, folder)
    return folder


def run(tree: Path, command: str) -> subprocess.CompletedProcess[str]:
    """Run a command of the page in a copy of the tree."""
    program, *arguments = shlex.split(command)
    # git must not take the copy for a part of a repository above it.
    environment = os.environ | {"PYTHONPATH": str(tree.parent), "GIT_CEILING_DIRECTORIES": str(tree.parent)}
    environment.pop("COLUMNS", None)  # pytest-xdist sets it, and lines are wrapped then
    return subprocess.run(
        [*PROGRAMS[program], *arguments], cwd=tree, env=environment, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip


def session(section: str) -> list[tuple[str, list[str]]]:
    """The commands of a section with the lines that they print."""
    return steps("".join(re.findall(r"```console\n(.*?)```", SECTIONS[section], re.S)))


#: What the example of a section says without the patch.
WITHOUT = {
    "An instruction": "not-modelled: __bang_fabsmax is known but not modelled yet",
    "An instruction of BDC": "not-modelled: tpu_bdc_fp_diff_abs is known but not modelled yet",
    "A function of CNRT": "not-modelled: cnrtTaskTopoDebugDotPrint is declared but not modelled",
    "A dialect": "isa is 'toy'; the dialects are",
}


def case(section):
    """A section as a parameter. One changes the header of CNRT, and all libraries of host programs are built again."""
    return pytest.param(section, marks=[pytest.mark.further] if section == "A function of CNRT" else [])


@pytest.mark.parametrize("section", [case(name) for name in SECTIONS if name != "And others"])
def test_the_commands_of_a_section_print_what_is_shown(section, tree):
    """And the example fails without its patch."""
    commands = session(section)
    assert commands
    assert (section in WITHOUT) == commands[0][0].startswith("git apply")
    if section in WITHOUT:
        assert WITHOUT[section] in run(tree, commands[1][0]).stdout
    for command, expected in commands:
        printed = run(tree, command).stdout
        lines = [" ".join(line.split()) for line in printed.splitlines() if line.strip()]
        assert shown_in(expected, lines), f"{command} prints\n{printed}"


def test_the_function_of_cnrt_compiles(tree):
    """With its patch, in its source alone: what the example of the section needs, without a build."""
    (apply, _), (example, _) = session("A function of CNRT")
    assert WITHOUT["A function of CNRT"] in run(tree, example).stdout
    assert run(tree, apply).returncode == 0
    native = tree / "simulator" / "native"
    folders = [f"-I{folder}" for folder in (native / "include" / "bang", native / "runtime")]
    done = Compiler().run(["-std=c++17", *folders, "-fsyntax-only", str(native / "host" / "host_topology_calls.cpp")])
    assert done.returncode == 0, done.messages


def test_a_rule_is_declared_once():
    before = dict(RULES)
    assert declare_rule("bounds", RULES["bounds"].doc) == "bounds"
    with pytest.raises(ValueError, match="another rule 'bounds'"):
        declare_rule("bounds", "something else")
    with pytest.raises(ValueError, match="severity is 'fatal'; it is one of error, warning, advice"):
        declare_rule("new", "something new", "fatal")
    assert before == RULES


def test_what_is_shown_is_in_the_examples():
    sources = "\n".join(path.read_text(encoding="utf-8") for path in EXAMPLES.iterdir() if path.is_file())
    patched = "\n".join(line.removeprefix("+") for line in sources.splitlines())
    shown = re.findall(r"```(?:python|toml|c\+\+)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    assert len(shown) == 7
    for block in shown:
        assert block in patched or block.replace("device = ", "DEVICE = ") in patched, block


def places(patch: str) -> set[str]:
    """The files that a patch changes or makes."""
    return set(re.findall(r"^\+\+\+ b/(.*)$", (EXAMPLES / patch).read_text(encoding="utf-8"), re.M))


@pytest.mark.parametrize(
    ("section", "patch"),
    [
        ("An instruction", "instruction.patch"),
        ("An instruction of BDC", "tpu.patch"),
        ("A function of CNRT", "cnrt.patch"),
    ],
)
def test_no_example_needs_more_places_than_it_says(section, patch):
    rows = re.findall(r"^\| `([\w/]+\.\w+)` \|", SECTIONS[section], re.M)
    assert len(rows) <= 4
    assert places(patch) == set(rows)


def test_a_dialect_needs_two_places():
    assert places("dialect.patch") == {"isa/toy.py", "isa/dialects.py"}
    assert {path.name for path in EXAMPLES.glob("*.patch")} == {
        "instruction.patch", "tpu.patch", "cnrt.patch", "dialect.patch",
    }  # fmt: skip


def test_the_table_of_hooks_is_whole():
    table = "".join(re.findall(r"^\|.*\n", SECTIONS["A check"], re.M))
    hooks = {name for name in vars(Check) if not name.startswith("_")}
    assert set(re.findall(r"`([a-z_]+)`", table)) == hooks


def test_the_device_is_another_one_but_for_its_name_and_a_number():
    first, second = (path.read_text(encoding="utf-8").splitlines() for path in (CHIP, EXAMPLES / "one_cluster.toml"))
    theirs = {line.split(" = ")[0] for line in set(first) - set(second) if not line.startswith("#")}
    ours = {line.split(" = ")[0] for line in set(second) - set(first) if not line.startswith("#")}
    assert ours == {"name", "title", "clusters"}
    assert theirs - ours == {"family"}


def test_files_that_the_page_names_are_there():
    text = re.sub(r"```.*?```", "", PAGE.read_text(encoding="utf-8"), flags=re.S)
    made = places("dialect.patch")
    assert [name for name, path in paths(text) if path is None and name not in made] == []
