"""What docs/architecture.md and the first lines of packages say of the code: each name in them is there."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import get_args

import pytest
from mlusim.isa import Effect, Instruction
from mlusim.isa.declare import declare
from mlusim.simulator import Device, launch
from mlusim.simulator.core import memory
from mlusim.simulator.core.memory.view import ArrayView, Footprint, View
from mlusim.traces import write_trace

from tests.support.paths import ROOT

PACKAGES = ("isa", "simulator", "traces", "kernels")
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S))
FILE = re.compile(r"[\w./-]+(?:/|\.(?:py|h|cpp|c|md|svg|toml))")
NAME = re.compile(r"\w+(?:\.\w+)*")


def quoted(text: str) -> list[str]:
    """What a text has in backticks."""
    return re.findall(r"(?<!`)`([^`\n]+)`(?!`)", text)


def rows(section: str) -> list[list[str]]:
    """The rows of the tables of a section, without their heads."""
    tables = re.findall(r"^\|.*\n\|-.*\n((?:\|.*\n)+)", SECTIONS[section], re.M)
    return [row.strip("| ").split(" | ") for table in tables for row in table.splitlines()]


def paths(text: str) -> Iterator[tuple[str, Path | None]]:
    """The files and folders that a text names, each from the root, from the simulator, or beside the one before it."""
    beside = ROOT
    for name in quoted(text):
        if FILE.fullmatch(name):
            found = [folder / name for folder in (ROOT, ROOT / "simulator", beside) if (folder / name).exists()]
            yield name, found[0] if found else None
            if found:
                beside = found[0] if found[0].is_dir() else found[0].parent


@cache
def defined() -> dict[str, set[str]]:
    """The names that the product defines, with those inside of each that is a class."""
    names: dict[str, set[str]] = {}
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            names.setdefault(path.stem if path.stem != "__init__" else path.parent.name, set())
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                for name in _names(node):
                    names.setdefault(name, set())
                if isinstance(node, ast.ClassDef):
                    names[node.name] |= {name for inner in ast.walk(node) for name in _names(inner)}
    for path in (ROOT / "simulator" / "native").rglob("*.h"):
        names |= {name: set() for name in re.findall(r"\bmlusim_\w+", path.read_text(encoding="utf-8"))}
    return names


def _names(node: ast.AST) -> list[str]:
    if isinstance(node, ast.ClassDef | ast.FunctionDef):
        return [node.name]
    if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
        return [node.id if isinstance(node, ast.Name) else node.attr]
    return [node.arg] if isinstance(node, ast.arg) else []


#: Words of the page that are no names of the product: the operands of its example, types of C and Python.
OTHERS = {"a", "src0", "int64_t", "NamedTuple"}


@pytest.mark.parametrize("section", SECTIONS)
def test_files_and_names_of_the_architecture_are_there(section):
    text = SECTIONS[section]
    assert [name for name, path in paths(text) if path is None] == []
    names = {name for name in quoted(text) if NAME.fullmatch(name) and not FILE.fullmatch(name)} - OTHERS
    for name in names:
        outer, _, inner = name.rpartition(".")
        assert inner in (defined().get(outer, set()) if outer else defined()), name


def test_a_missing_file_and_a_missing_name_are_noticed():
    assert dict(paths("`isa/` and `core/nothing.py`")) == {"isa/": ROOT / "isa", "core/nothing.py": None}
    assert dict(paths("`core/memory/view.py`, `tensor.py`"))["tensor.py"] == ROOT / "simulator/core/memory/tensor.py"
    assert "PortSource" in defined()
    assert "PortSauce" not in defined()


def test_folders_of_the_drawing_are_there():
    drawing = (ROOT / "docs" / "architecture.svg").read_text(encoding="utf-8")
    folders = re.findall(r">(?:[^<]*: )?((?:\w+/)+)[< ]", drawing)
    assert len(folders) > 8
    assert [name for name in folders if not any((base / name).is_dir() for base in (ROOT, ROOT / "simulator"))] == []


# --- tables ----------------------------------------------------------------------------------------------------------


def test_the_operand_of_the_example_is_shown_in_a_trace_as_the_page_says(tmp_path):
    def kernel(mlu):
        a, b = mlu.nram("float", 256), mlu.nram("float", 256)
        mlu.__bang_write_value(a, 256, 1.0)
        mlu.__bang_write_value(b, 256, 1.0)
        mlu.__bang_add(a, a, b, 256)

    write_trace(launch(kernel, args=[], device=Device.load("mlu370-x4")).timeline, tmp_path / "trace.json")
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    (added,) = (event for event in events if event["name"] == "__bang_add" and event["ph"] == "X")
    (shown,) = (name for row in rows("The way of an operand") for name in quoted(row[1]) if "nram[0]" in name)
    assert added["args"]["operands"]["src0"]["region"] == shown


def test_each_kind_of_view_and_of_footprint_has_its_row():
    table = [row for row in rows("The way of an operand") if row[0].split(",")[0] in KINDS]
    assert len(table) == len(KINDS)

    def below(kind: type) -> set[type]:
        return {kind}.union(*map(below, kind.__subclasses__()))

    assert {name for row in table for name in quoted(row[2])} == {k.__name__ for k in below(View) - {View, ArrayView}}
    footprints = {kind.__name__ for kind in below(Footprint) - {Footprint}}
    assert {name for row in table for name in quoted(row[1])} == footprints | {"TensorShape"}
    assert memory.Tensor in below(View)


KINDS = (
    "packed", "segments at strides", "weights in the slices of WRAM", "rows wherever an operand says",
    "a tensor across lanes or in system memory",
)  # fmt: skip


def test_what_a_declaration_says_is_what_it_takes():
    table = rows("What a declaration says, and what follows from it")
    effects = {kind.__name__ for kind in get_args(Effect)}
    taken = {*Instruction.__dataclass_fields__, *declare.__annotations__}
    assert {name for row in table for name in quoted(row[0])} - taken == effects


def test_messages_stand_where_the_page_says():
    for row in rows("What processes say to each other"):
        files = list(paths(row[1]))
        assert files
        for name, path in files:
            assert path is not None
            assert re.search(r"^class [A-Z]\w*\(NamedTuple\):", path.read_text(encoding="utf-8"), re.M), name


def test_each_source_of_the_runtime_of_threads_has_its_words():
    text = SECTIONS["Kernels that run as blocks of threads"]
    folder = ROOT / "simulator" / "native" / "threads"
    assert {path.name for path in folder.glob("*.cpp")} <= set(quoted(text))
    sources = "".join(path.read_text(encoding="utf-8") for path in folder.iterdir())
    assert not re.search(r"\bPy\w*\(|python\.h", sources), "it calls nothing of Python's"


def test_only_the_table_of_transactions_asks_a_log_for_threads():
    for folder in ("simulator/timing", "traces"):
        for path in (ROOT / folder).glob("*.py"):
            imported = [
                n for n in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(n, ast.ImportFrom)
            ]
            assert not any("threads" in (node.module or "").split(".") for node in imported), path


# --- first lines of packages -----------------------------------------------------------------------------------------


def docstrings() -> Iterator[tuple[Path, str]]:
    """The modules of the product with their docstrings."""
    for path in (path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))):
        yield path, ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""


def test_files_that_docstrings_name_are_there():
    """Those with a folder that is one of ours: others are the vendors'."""
    own = {*PACKAGES, "native", *(path.parent.name for path in (ROOT / "simulator").glob("*/__init__.py"))}
    missing = []
    for path, text in docstrings():
        for name in re.findall(r"\b\w+/[\w/]*(?:\.(?:py|cpp|h))?", text):
            if name.split("/")[0] in own and not any((base / name).exists() for base in (ROOT, ROOT / "simulator")):
                missing.append(f"{path}: {name}")
    assert missing == []


def test_files_that_comments_of_native_code_name_are_there():
    missing = []
    native = (ROOT / "simulator" / "native").rglob("*")
    for path in (path for path in native if path.suffix in (".h", ".cpp", ".cuh")):
        text = "\n".join(re.findall(r"//.*", path.read_text(encoding="utf-8")))
        named = re.findall(r"(?<![\w/-])(?:simulator|isa|tests|docs)/[\w/]+\.\w+", text)
        missing += [f"{path}: {name}" for name in named if not (ROOT / name).exists()]
    assert missing == []


def test_lists_of_modules_in_docstrings_are_whole():
    lists = 0
    for path, text in docstrings():
        if path.stem == "__init__":
            named = re.findall(r"^ {4}(\w+) {2,}\S", text, re.M) or re.findall(r"(?:^|[,.]\s+)``(\w+)``\s", text)
            found = {module.stem for module in path.parent.glob("*.py")} - {"__init__"}
            if len(named) > 1:
                lists += 1
                assert set(named) == found, path
    assert lists == 5
