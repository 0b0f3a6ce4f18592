"""Every launch goes one way: what is asked once is asked nowhere else."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.paths import ROOT

#: Who asks whether a chip has blocks of threads: their engine, who reads and describes chips, what declares them, and
#: what tries other blocks, and what reads the logs of threads.
ASK_FOR_THREADS = (
    "simulator/engines/threads/",
    "simulator/chip/",
    "simulator/launches/device.py",
    "simulator/launches/grids.py",
    "simulator/flow/threads.py",
    "isa/",
)
PRODUCT = ("isa", "simulator", "traces", "kernels")


def trees() -> Iterator[tuple[str, ast.AST]]:
    for folder in PRODUCT:
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield path.relative_to(ROOT).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def test_the_kind_of_a_launch_says_what_blocks_of_threads_change() -> None:
    asking = {
        file
        for file, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr == "threads" and not file.startswith(ASK_FOR_THREADS)
    }
    assert not asking


#: Launches of host code are repeated beside the program that waits for them.
HOST = {"in_orders": "simulator/host/programs/repeating.py", "watchers": "simulator/host/programs/launching.py"}


@pytest.mark.parametrize("name", ["examine", "in_orders", "suppressed_in_sources", "watchers"])
def test_one_place_finishes_a_launch(name: str) -> None:
    calls = {
        file
        for file, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name
    }
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
