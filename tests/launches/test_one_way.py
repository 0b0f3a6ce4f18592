"""Every launch goes one way: what is asked once is asked nowhere else."""

from __future__ import annotations

import ast
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

from tests.support.paths import ROOT

#: Who asks whether a chip has blocks of threads: their engine, who reads and describes chips, also to host code, what
#: declares them, what tries other blocks, and what reads the logs of threads.
ASK_FOR_THREADS = (
    "simulator/engines/threads/",
    "simulator/chip/",
    "simulator/launches/device.py",
    "simulator/launches/grids.py",
    "simulator/flow/threads.py",
    "simulator/host/programs/facts.py",
    "isa/",
)
PRODUCT = ("isa", "simulator", "traces", "kernels")


@cache
def named() -> dict[tuple[type, str], set[str]]:
    """The files that call a function by its name, or ask an object for an attribute."""
    found = defaultdict[tuple[type, str], set[str]](set)
    for path in (path for folder in PRODUCT for path in (ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute):
                found[ast.Attribute, node.attr].add(path.relative_to(ROOT).as_posix())
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                found[ast.Call, node.func.id].add(path.relative_to(ROOT).as_posix())
    return found


def test_the_kind_of_a_launch_says_what_blocks_of_threads_change() -> None:
    assert not {file for file in named()[ast.Attribute, "threads"] if not file.startswith(ASK_FOR_THREADS)}


#: Launches of host code are repeated beside the program that waits for them.
HOST = {"in_orders": "simulator/host/programs/repeating.py", "watchers": "simulator/host/programs/launching.py"}


@pytest.mark.parametrize("name", ["examine", "in_orders", "suppressed_in_sources", "watchers"])
def test_one_place_finishes_a_launch(name: str) -> None:
    calls = named()[ast.Call, name]
    assert {file for file in calls if file.startswith(("simulator/launches", "simulator/host"))} <= {
        "simulator/launches/launching.py",
        *filter(None, [HOST.get(name)]),
    }


@pytest.mark.parametrize("file", ["tasks.py", "current.py", "launch.py"])
def test_what_a_task_holds_has_types(file: str) -> None:
    path = Path(ROOT / "simulator" / "core" / "execution" / file)
    held = [
        node
        for kind in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(kind, ast.ClassDef)
        for node in kind.body
        if isinstance(node, ast.AnnAssign)
    ]
    assert held
    assert not [ast.unparse(node) for node in held if "Any" in ast.unparse(node.annotation)]
