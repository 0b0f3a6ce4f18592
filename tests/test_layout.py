"""The layout of the repository: imports go one way, files stay small, no path of a developer's machine is left."""

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

import mlusim.simulator
import pytest

from tests.support.paths import ROOT

#: What each package may import of mlusim. ``kernels`` sees the simulator's public names only.
ALLOWED = {
    "isa": {"isa"},
    "simulator": {"isa", "simulator"},
    "traces": {"isa", "simulator", "traces"},
    "kernels": {"simulator", "kernels"},
}
EXEMPT = ("simulator/cli/", "simulator/__main__.py", "simulator/shown.py")
CODE = {".py", ".ts", ".tsx", ".mjs", ".css", ".h", ".hpp", ".cpp", ".c", ".mlu", ".toml", ".sh"}
TEXT = CODE | {".md", ".txt", ".json", ".yml", ".yaml", ".cfg", ""}
MAX_LINES = 400
LONGEST_FUNCTION = 60
MACHINE_PATH = re.compile(r"(?<![\w.\-/])/(?:work|root|home)\b")


def files(suffixes: set[str]) -> Iterator[Path]:
    """The text files of the repository: those at its root and those in its own folders."""
    folders = [*ALLOWED, "report/src", "tests", "benchmarks", "docs", ".ci"]
    paths = [*ROOT.glob("[!.]*"), *(path for folder in folders for path in (ROOT / folder).rglob("*"))]
    for path in sorted(paths):
        if path.is_file() and path.suffix in suffixes and "__pycache__" not in path.parts:
            yield path


@cache
def imports(file: str, source: str) -> list[tuple[str, str | None]]:
    """Absolute module and imported name (None for ``import module``) of every import of mlusim in a file."""
    package, every = ["mlusim", *Path(file).parent.parts], []
    for node in ast.walk(ast.parse(source, file)):
        if isinstance(node, ast.Import):
            found = [(alias.name, None) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            # ``from .. import simulator`` imports a package, not a name of one.
            found = [
                (f"mlusim.{alias.name}", None) if module == "mlusim" else (module, alias.name) for alias in node.names
            ]
        else:
            continue
        every += (entry for entry in found if entry[0].split(".")[0] == "mlusim")
    return every


def faults(file: str, source: str, public: set[str]) -> list[str]:
    """What the imports of one file, named by its path from the root, break of the one-way rule."""
    layer = Path(file).parts[0]
    result = []
    for module, name in imports(file, source):
        target = [*module.split("."), ""][1]
        if target not in ALLOWED[layer]:
            result.append(f"{file}: {layer} must not import {module}")
        elif layer == "kernels" and target == "simulator" and (module != "mlusim.simulator" or name not in public):
            result.append(f"{file}: {module}.{name} is not a public name of mlusim.simulator")
    return result


def test_imports_go_one_way():
    public = set(getattr(mlusim.simulator, "__all__", ()))
    broken = []
    for path in files({".py"}):
        file = path.relative_to(ROOT).as_posix()
        if file.split("/")[0] in ALLOWED and not file.startswith(EXEMPT):
            broken += faults(file, path.read_text(encoding="utf-8"), public)
    assert not broken, "\n".join(broken)


@pytest.mark.parametrize(
    ("file", "source", "legal"),
    [
        ("isa/bang/vector.py", "from ..declare import Operand", True),
        ("isa/declare.py", "from ..simulator import Device", False),
        ("isa/declare.py", "def late():\n    import mlusim.traces.perfetto", False),
        ("simulator/launches.py", "from ..isa import declare", True),
        ("simulator/kernelc/build.py", "from ...isa.declare import Operand", True),
        ("simulator/kernelc/build.py", "from ... import traces", False),
        ("traces/perfetto.py", "from ..simulator.log import Log", True),
        ("traces/perfetto.py", "from ..kernels import logspace", False),
        ("kernels/logspace/case.py", "from mlusim.simulator import Device", True),
        ("kernels/logspace/case.py", "from ...simulator import hidden", False),
        ("kernels/logspace/case.py", "from ...simulator.device import Device", False),
        ("kernels/logspace/case.py", "from ...isa import declare", False),
        ("kernels/logspace/case.py", "import numpy", True),
    ],
)
def test_the_import_rule_itself(file, source, legal):
    assert (faults(file, source, {"Device"}) == []) == legal


#: Modules of the simulator that every room may import, and those that may import every room.
BELOW, ABOVE = {"files", "frames", "structures", "spent", "terminal", "text"}, {"__init__", "__main__"}
#: Rooms of the simulator, the longest way of imports through them, modules beside them, modules of a circle: at most.
MOST_ROOMS, FLOORS, FLAT, CIRCLE = 16, 12, 12, 4
_ROW = re.compile(r"^\| \[([\w.]+)\]\(\.\./simulator/\1\) \| .* \| ([\w., ]*) \|$", re.M)


def rooms() -> dict[str, set[str]]:
    """The rooms of docs/architecture.md from the bottom up, with those that each may import."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    found = {room.removesuffix(".py"): set(filter(None, text.split(", "))) for room, text in _ROW.findall(page)}
    assert found
    return found


def simulator_imports() -> dict[str, set[str]]:
    """Every module of the simulator with the modules of it that it imports, type-only and late imports too."""
    folder = ROOT / "simulator"
    modules = {path.relative_to(folder).with_suffix("").as_posix(): path for path in folder.rglob("*.py")}
    graph: dict[str, set[str]] = {}
    for module, path in modules.items():
        graph[module] = set()
        for target, name in imports(f"simulator/{module}.py", path.read_text(encoding="utf-8")):
            parts = target.split(".")[1:]
            if parts[:1] != ["simulator"]:
                continue
            base = "/".join(parts[1:])
            options = [f"{base}/{name}".strip("/"), f"{base}/__init__".strip("/"), base]
            graph[module].add(next(option for option in options if option in modules))
    return graph


def circles(graph: dict[str, set[str]]) -> list[set[str]]:
    """The groups of modules of which each reaches every other."""
    reach = {module: {module} for module in graph}
    for _ in graph:
        grown = {module: found.union(*(graph[other] for other in found)) for module, found in reach.items()}
        if grown == reach:
            break
        reach = grown
    groups = {frozenset(other for other in reach[module] if module in reach[other]) for module in graph}
    return [set(group) for group in groups if len(group) > 1]


def room_imports() -> dict[str, set[str]]:
    """Every room with those that its modules import."""
    found: dict[str, set[str]] = {}
    for module, targets in simulator_imports().items():
        room = module.split("/")[0]
        found.setdefault(room, set()).update(target.split("/")[0] for target in targets)
        found[room].discard(room)
    return found


def test_a_room_imports_what_its_line_of_the_architecture_says():
    lines = rooms()
    for room, imported in room_imports().items():
        if room in BELOW:
            assert imported <= BELOW, room
        elif room not in ABOVE:
            assert imported - BELOW == lines[room], f"the line of {room} in docs/architecture.md"


def test_rooms_stand_above_those_that_they_import():
    seen: set[str] = set()
    for room, imported in rooms().items():
        assert imported <= seen, room
        seen.add(room)


def test_there_are_few_rooms_and_few_floors():
    lines = rooms()
    floors: dict[str, int] = {}
    for room, imported in lines.items():
        floors[room] = 1 + max((floors[other] for other in imported), default=0)
    assert len(lines) <= MOST_ROOMS
    assert max(floors.values()) <= FLOORS


def test_every_room_has_a_folder_of_tests_with_quick_ones():
    folders = {path.parent.name for path in (ROOT / "simulator").glob("*/__init__.py")}
    for room in folders | {*ALLOWED, "docs"} - {"simulator"}:
        modules = [path.read_text(encoding="utf-8") for path in (ROOT / "tests" / room).rglob("test_*.py")]
        assert any("\npytestmark = pytest.mark.slow\n" not in text for text in modules), room


def test_no_large_circle_of_modules():
    assert [sorted(group) for group in circles(simulator_imports()) if len(group) > CIRCLE] == []


def test_circles_themselves():
    graph = {"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}, "e": {"f"}, "f": {"e"}}
    assert sorted(map(sorted, circles(graph))) == [["a", "b", "c"], ["e", "f"]]


def test_every_room_has_its_line_and_says_what_belongs_there_and_what_does_not():
    folder = ROOT / "simulator"
    assert len(list(folder.glob("*.py"))) <= FLAT
    found = {path.parent.name for path in folder.glob("*/__init__.py")}
    assert found == set(rooms()) - {"testing", "shown"}
    for room in found:
        text = ast.get_docstring(ast.parse((folder / room / "__init__.py").read_text(encoding="utf-8"))) or ""
        assert "Here belongs " in text, room
        assert " Not " in text.partition("Here belongs ")[2], room


LATE = [path for path in files({".py"}) if path.name == "__init__.py" and "late(__name__" in path.read_text("utf-8")]


@pytest.mark.parametrize("path", LATE, ids=lambda path: path.parent.name)
def test_what_is_imported_late_is_what_type_checkers_see(path):
    home = import_module(".".join(("mlusim", *path.parent.relative_to(ROOT).parts)))
    late = {(module, name) for module, names in home._HOMES.items() for name in names.split()}
    lines = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.ImportFrom)]
    seen = {(node.module, alias.name) for node in lines if node.level == 1 for alias in node.names}
    assert late == seen - {("late", "late")}
    assert {name for _, name in late} == set(home.__all__)
    assert all(hasattr(home, name) for _, name in late)


@pytest.mark.parametrize("path", sorted((ROOT / "docs").glob("*/*.py")), ids=lambda path: path.name)
def test_examples_import_public_names_only(path):
    homes = {package: import_module(f"mlusim.{package}") for package in ALLOWED}
    for module, name in imports(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")):
        home = homes[module.split(".")[1]]
        assert module == home.__name__ or (module.startswith(home.__name__ + ".") and home is homes["kernels"]), module
        assert name in home.__all__ or home is homes["kernels"], f"{module}.{name}"


@cache
def definitions() -> list[tuple[type, str, str, int, int]]:
    """Classes and functions of the packages: their kind, file and name, their first line and how many they are."""
    found = []
    for path in (path for package in ALLOWED for path in sorted((ROOT / package).rglob("*.py"))):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                length = (node.end_lineno or 0) - node.lineno + 1
                found.append((type(node), str(path.relative_to(ROOT)), node.name, node.lineno, length))
    return found


def test_a_public_class_name_means_one_thing():
    homes: dict[str, list[str]] = {}
    for kind, file, name, line, _ in definitions():
        if kind is ast.ClassDef and not name.startswith("_"):
            homes.setdefault(name, []).append(f"{file}:{line}")
    assert {name: found for name, found in homes.items() if len(found) > 1} == {}


def test_files_stay_small():
    long = {
        path.relative_to(ROOT).as_posix(): count
        for path in files(CODE)
        if (count := len(path.read_text(encoding="utf-8").splitlines())) > MAX_LINES
    }
    assert not long, f"split these, the limit is {MAX_LINES} lines: {long}"


def test_functions_can_be_read_in_one_sitting():
    long = {
        f"{file}:{name}": length
        for kind, file, name, _, length in definitions()
        if kind is ast.FunctionDef and length > LONGEST_FUNCTION
    }
    assert not long, f"split these, the limit is {LONGEST_FUNCTION} lines: {long}"


def test_every_file_of_the_packages_is_installed():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    patterns = ["*.py", *settings["package-data"]["*"]]
    files = (path for package in ALLOWED for path in (ROOT / package).rglob("*") if "__pycache__" not in path.parts)
    wanted = (path for path in files if path.is_file() and not path.name.startswith("."))  # settings of tools
    left = [path for path in wanted if not any(path.match(pattern) for pattern in patterns)]
    assert not left, f"name these in the package-data of pyproject.toml: {left}"


def test_no_machine_paths():
    found = [
        f"{path.relative_to(ROOT).as_posix()}:{number}: {line.strip()}"
        for path in files(TEXT)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if MACHINE_PATH.search(line)
    ]
    assert not found, "\n".join(found)
