"""What README and docs show still holds: links, commands with their output, findings, tables of facts, examples."""

from __future__ import annotations

import ast
import ctypes
import importlib.util
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from mlusim.simulator import Device, load
from mlusim.simulator.cli import main
from mlusim.simulator.cli.commands import COMMANDS
from mlusim.simulator.findings import RULES

from tests.docs import generated
from tests.engines import test_hostile as hostile
from tests.engines import test_hostile_threads as hostile_threads
from tests.support.paths import ROOT

EXAMPLES = ROOT / "docs" / "examples"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
#: A block of commands with their output; those of a page are one session.
BLOCK = re.compile(r"<!-- run -->\n```console\n(.*?)```", re.S)
SESSIONS = {page.name: "".join(BLOCK.findall(page.read_text(encoding="utf-8"))) for page in PAGES}


def headings(page: Path) -> set[str]:
    """The anchors that a page's headings make."""
    found = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in found}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), f"{page.name} links to {target}"
        assert not anchor or anchor in headings(file), f"{page.name} links to {target}"


def test_promises_name_tests_that_exist():
    page = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")
    named = re.compile(r"`([\w/]+\.py)::(\w+)`")
    rows = [row for row in re.findall(r"^\| (.*) \| (.*) \|$", page, re.M) if row != ("promise", "test")]
    assert len(rows) > 40
    assert [promise for promise, tests in rows if not named.search(tests)] == []
    # A paragraph says what is not promised, whence a table comes, or names its tests as well.
    told = ("What is promised", "**Not contained.**", "C kernels run in a process of their own", "Searches that go on")
    for paragraph in page.split("\n\n"):
        assert paragraph.startswith(("#", "|", *told)) or named.search(paragraph), paragraph
    for file, name in named.findall(page):
        text = (ROOT / "tests" / file).read_text(encoding="utf-8")
        assert f"\ndef {name}(" in text, f"{file} has no {name}"


def test_the_searches_that_go_on_are_there():
    page = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")
    modules = re.findall(r"`python -m (tests[\w.]+)", page)
    assert len(modules) > 7
    assert [name for name in modules if importlib.util.find_spec(name) is None] == []


def test_hostile_kernels_are_counted():
    tasks, threads = len(hostile.ATTACKS), len(hostile_threads.ATTACKS)
    readme, page = ((ROOT / path).read_text(encoding="utf-8") for path in ("README.md", "docs/reliability.md"))
    assert f" {tasks + threads} hostile kernels are contained" in readme
    assert f" {tasks} hostile kernels are contained" in page
    assert f" {threads} hostile ones are contained" in page


def test_the_tour_says_of_the_vector_unit_what_its_table_says():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (said,) = re.findall(r"The vector unit \(pipe (\w+)\) is busy for (\d+) % of the time", readme)
    (shown,) = re.findall(rf"^{said[0]} +[\d.]+ +([\d.]+) % ", readme, re.M)
    assert round(float(shown)) == int(said[1])


# --- sessions --------------------------------------------------------------------------------------------------------


def steps(text: str) -> list[tuple[str, list[str]]]:
    """The commands of a session, each with the lines shown after it, as `normal` has them."""
    found: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        else:
            found[-1][1].extend(normal(line))
    return found


def normal(text: str) -> list[str]:
    """The lines of a text that are not blank, without their spacing.

    A replay is deterministic: numbers stay. Elements of arrays, which are shown in full, keep six digits: NumPy rounds
    the last one by the vector unit that the host has.
    """
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    return [re.sub(r"-?\d+\.\d{7,}", lambda number: f"{float(number[0]):.6g}", line) for line in lines]


def shown_in(expected: list[str], output: list[str]) -> bool:
    """Whether the lines are those of an output; ``...`` stands for any number of lines."""
    if not expected:
        return not output
    if expected[0] == "...":
        return any(shown_in(expected[1:], output[at:]) for at in range(len(output) + 1))
    return bool(output) and expected[0] == output[0] and shown_in(expected[1:], output[1:])


#: A page for each session: two languages run the same.
RUN = [*{session: name for name, session in reversed(SESSIONS.items()) if session}.values()][::-1]


@pytest.mark.parametrize("page", RUN)
def test_commands_print_what_is_shown(page, tmp_path, monkeypatch, capfd):
    """From an empty folder: a page that runs an example copies it first, as one must who has no clone."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)  # pytest-xdist sets it, and lines are wrapped then
    for command, expected in steps(SESSIONS[page]):
        program, *arguments = shlex.split(command)
        if program == "mlusim":
            main(arguments)
        elif program == "python" and arguments[0] == "-c":
            exec(arguments[1], {})
        elif program == "python":
            monkeypatch.setattr(sys, "argv", arguments)
            runpy.run_path(arguments[0], run_name="__main__")
        else:
            assert program == "cd"
            monkeypatch.chdir(*arguments)
        out, err = capfd.readouterr()
        orders = (err + out, out + err)  # what a program says itself comes first
        shown = any(shown_in(expected, normal(one.replace(f"{Path.cwd()}/", ""))) for one in orders)
        assert shown, f"{command} prints\n{err}{out}"


def test_the_python_kernel_is_that_of_the_examples():
    (shown,) = re.findall(
        r"^```python\n(def .*?)```", (ROOT / "docs" / "python_kernels.md").read_text(encoding="utf-8"), re.M | re.S
    )
    assert shown in (EXAMPLES / "silu.py").read_text(encoding="utf-8")


def test_what_ci_runs_works(tmp_path, monkeypatch, capsys):
    """The commands of the job, in a folder that has its kernel."""
    monkeypatch.chdir(shutil.copytree(EXAMPLES, tmp_path / "examples"))
    page = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    commands = re.findall(r"^      - run: mlusim (.*)$", page, re.M)
    assert [main(shlex.split(command)) for command in commands] == [0]
    assert "wrote kernels.sarif" in capsys.readouterr().out


def test_both_languages_run_the_same():
    assert SESSIONS["first_kernel.zh.md"] == SESSIONS["first_kernel.md"]


@pytest.mark.parametrize("page", ["first_kernel.md", "first_kernel.zh.md"])
def test_the_first_kernel_is_that_of_the_examples(page):
    (shown,) = re.findall(r"^```c\+\+\n(.*?)```", (ROOT / "docs" / page).read_text(encoding="utf-8"), re.M | re.S)
    assert shown == (EXAMPLES / "first.mlu").read_text(encoding="utf-8")


# --- findings --------------------------------------------------------------------------------------------------------


def example(name: str) -> ModuleType:
    """A Python example as a module."""
    spec = importlib.util.spec_from_file_location(f"docs_examples_{name}", EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def section() -> dict[str, str]:
    """What the page says of each rule."""
    page = (ROOT / "docs" / "findings.md").read_text(encoding="utf-8")
    return dict(re.findall(r"^## ([\w-]+)\n(.*?)(?=^## |\Z)", page, re.M | re.S))


@pytest.mark.slow
def test_every_finding_is_as_documented(section):
    documented = {rule: re.findall(r"^```text\n(.*?)\n```", text, re.M | re.S)[-1] for rule, text in section.items()}
    found = {}
    for rule, finding in example("findings").findings().items():
        assert finding.rule == rule
        found[rule] = re.sub(r"0x[0-9a-f]{9,}", "0x...", str(finding).replace(f"{EXAMPLES}/", ""))
    for texts in (found, documented):  # the first line quotes the compiler, and each says it in its own words
        texts["build"] = texts["build"].partition("\n")[2]
    assert found == documented


def test_every_fixed_kernel_is_silent():
    """But for work that leads to nothing: most of them compute something of an array and keep it to themselves."""
    idle = ("unwritten", "unread", "unused")
    said = {
        rule: [str(finding) for finding in found if finding.rule not in idle or rule == finding.rule]
        for rule, found in example("findings").all_findings("fixed").items()
    }
    assert {rule: texts for rule, texts in said.items() if texts} == {}


def test_every_rule_of_the_simulator_is_documented_and_shown(section):
    assert sorted(section) == sorted(RULES)
    assert sorted(example("findings").rules()) == sorted(RULES)


def test_every_rule_says_what_a_card_does_and_shows_the_kernels_broken_and_fixed(section):
    for rule, text in section.items():
        assert re.search(r"^On a card: \w", text, re.M), rule
        broken, fixed = re.findall(r"^```c(?:\+\+)?\n(.*?)```", text, re.M | re.S)
        for code, stems in (
            (broken, ("faults", "faults_in_tiles", "host_faults", "misfit")),
            (fixed, ("fixed", "fixed_in_tiles", "host_fixed")),
        ):
            files = [path.read_text(encoding="utf-8") for stem in stems for path in EXAMPLES.glob(f"{stem}.*")]
            assert any(code in file for file in files), f"{rule} shows another kernel than {stems[0]}.* has"


def test_rules_are_shown_on_the_command_line(section, capsys):
    assert main(["rules", "order"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("order (error): memory is not used while")
    assert section["order"].strip() in out
    assert main(["rules"]) == 0
    listed = capsys.readouterr().out
    assert all(re.search(rf"^{rule} +(error|warning|advice) ", listed, re.M) for rule in RULES)


def test_every_command_has_its_row():
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `mlusim (\w+)", page, re.M)) == set(COMMANDS)


# --- architecture ----------------------------------------------------------------------------------------------------


def test_the_table_of_rooms_has_their_own_words():
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[([\w.]+)\]\(\.\./simulator/\1\) \| (.*) \| [\w., ]* \|$", page, re.M)
    assert rows
    for room, words in rows:
        path = ROOT / "simulator" / room
        source = (path if path.is_file() else path / "__init__.py").read_text(encoding="utf-8")
        assert " ".join((ast.get_docstring(ast.parse(source)) or "").split()).startswith(words), room


# --- facts and examples ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", generated.PAGES)
def test_what_is_taken_from_the_code_is_up_to_date(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    assert generated.PAGES[page](text) == text, "write it anew with: make docs"


def test_the_pages_of_instructions_are_up_to_date():
    there = {path.name: path.read_text(encoding="utf-8") for path in generated.FOLDER.iterdir()}
    assert there.keys() == generated.isa().keys()
    assert [name for name, text in generated.isa().items() if there[name] != text] == [], "write them anew: make docs"


@pytest.mark.parametrize("name", ["scale", "launch_scale"])
def test_examples_give_the_right_result(name):
    done = subprocess.run([sys.executable, str(EXAMPLES / f"{name}.py")], capture_output=True, text=True, check=True)
    assert "equal: True" in done.stdout


def test_the_kernel_of_the_hau_page_takes_the_time_that_is_shown(tmp_path, monkeypatch):
    page = (ROOT / "docs" / "hau.md").read_text(encoding="utf-8").partition("## A kernel in C")[2]
    (kernel,), (call,) = (re.findall(rf"```{language}\n(.*?)```", page, re.S) for language in ("c", "python"))
    (values, shown), *_ = re.findall(r"With `(values = .*?)` it prints .* `run.time_us` is ([\d.]+)\.", page)
    (tmp_path / "best.c").write_text(kernel, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    names = {"ctypes": ctypes, "np": np, "Device": Device, "load": load}
    exec(f"{values}\n{call}", names)
    assert f"{names['run'].time_us:.3f}" == shown


def test_the_tpu_page_shows_its_examples_and_the_numbers_of_the_chips():
    page = (ROOT / "docs" / "tpu.md").read_text(encoding="utf-8")
    for language, suffix in (("c", "c"), ("python", "py")):
        shown = re.findall(rf"```{language}\n(  .*?)```", page, re.S)
        assert len(shown) == 1
        assert shown[0] in (EXAMPLES / f"double_buffer.{suffix}").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| ([^|]+?) \|(.*)\|$", page, re.M))
    for number, name in enumerate(("bm1684", "bm1684x", "bm1688", "bm1690")):
        shape = Device.load(name).shape
        lane = shape.spaces["local"].bytes // shape.lanes // 1024
        for row, value in (("cores", shape.cores), ("lanes of a core", shape.lanes),
                           ("bytes that a lane computes at once", shape.eu_bytes),
                           ("local memory of a lane, in banks", f"{lane} KB, {shape.banks}")):  # fmt: skip
            assert rows[row].split(" | ")[number].strip() == str(value)
