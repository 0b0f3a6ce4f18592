"""Results beside those of the kernel as the last commit has it."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mlusim.simulator import HostProgram, Run, load

from tests.support.devices import device

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

TASKS = """
#include <bang.h>
typedef struct { float factor; int n; } Part;
__nram__ float tile[64];
#ifdef CPU
void scale_cpu(float *x, Part part) { for (int i = 0; i < part.n; i++) x[i] *= 2; }
#endif
__mlu_entry__ void scale(float *x, Part part) {
  __memcpy(tile, x, part.n * sizeof(float), GDRAM2NRAM);
  __bang_mul_scalar(tile, tile, part.factor, 64);
  __memcpy(x, tile, part.n * sizeof(float), NRAM2GDRAM);
}
"""
TPU = """
#include "tpu_kernel.h"
typedef struct { global_addr_t out, in; } arguments_t;
int largest(const void *arguments) {
  const arguments_t *a = arguments;
  tpu_initialize();
  tpu_hau_sort(a->out, a->in, 64, 8, true, DT_FP32);
  tpu_hau_poll();
  return 0;
}
TPUKERNEL_FUNC_REGISTER(largest);
"""


class Source:
    """A file that a commit has."""

    def __init__(self, path: Path, text: str) -> None:
        self.path, self._text = path, text
        path.write_text(text)
        for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "first"]):
            git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", *words]
            subprocess.run(git, cwd=path.parent, check=True, capture_output=True)

    def changed(self, before: str, now: str) -> None:
        """The file as it is committed, with one change."""
        assert self._text.count(before) == 1
        self.path.write_text(self._text.replace(before, now))


@pytest.fixture
def tasks(tmp_path: Path) -> Source:
    return Source(tmp_path / "scale.mlu", TASKS)


def numbers() -> np.ndarray:
    return np.random.default_rng(8).uniform(1, 2, 64).astype(np.float32)


def launched(source: Source, factor: float = 2, define: Sequence[str] = (), **options: Any) -> Run:
    program = load([source.path], device=device("mlu370-x4"), define=define)
    part = {"factor": factor, "n": 64}
    return program.launch("scale", args=[numbers(), part], on_finding="collect", references=True, **options)


def said(run: Run) -> list[tuple[str, str]]:
    """Severity and message of what there is to say of references."""
    return [(one.severity, one.message) for one in run.findings if one.rule == "unlike-reference"]


def test_what_differs_is_advice_with_both_trails(tasks: Source) -> None:
    tasks.changed("  __bang_mul_scalar(tile, tile, part.factor, 64);\n", "\n\n\n")
    run = launched(tasks, 3)
    (found,) = [one for one in run.findings if one.rule == "unlike-reference"]
    x = numbers()
    assert found.severity == "advice"
    assert found.message == (
        "64 of the 64 elements of x differ from those of scale() of the last commit: "
        f"x[0] is {x[0]:.9g}, and {3 * x[0]:.9g} by scale() of the last commit"
    )
    assert (
        found.location.line == TASKS.splitlines().index("  __memcpy(x, tile, part.n * sizeof(float), NRAM2GDRAM);") + 3
    )
    assert found.other
    places = [step.location for step in found.other.steps]
    assert {place.file for place in places} == {f"{tasks.path}@HEAD"}
    lines = [TASKS.splitlines()[place.line - 1].partition("(")[0].strip() for place in places]
    assert lines == ["__memcpy", "__bang_mul_scalar", "__memcpy"]


@pytest.mark.parametrize(("scaled", "severity"), [(48, "warning"), (16, "advice")])
def test_a_change_of_the_smaller_part_is_a_warning(tasks: Source, scaled: int, severity: str) -> None:
    """A change that is meant is one of all elements, as a rule."""
    tasks.changed("part.factor, 64", f"part.factor, {scaled}")
    ((found, message),) = said(launched(tasks, 3))
    assert (found, message.partition(" of ")[0]) == (severity, f"{64 - scaled}")


def test_what_agrees_is_told_of(tasks: Source) -> None:
    assert "commit" not in launched(tasks).variants.tried  # nothing has been changed
    tasks.changed("part.factor, 64", "part.factor, part.n")
    run = launched(tasks, 3)
    assert "x is what scale() of the last commit computes" in run.variants.tried


def test_the_last_commit_is_no_reference(tasks: Source) -> None:
    """What it leaves may be wrong: other functions and the name say so, nevertheless."""
    tasks.changed("part.factor, 64", "part.factor, part.n")
    assert [severity for severity, _ in said(launched(tasks, 3, define=["CPU"]))] == ["warning"]
    assert said(launched(tasks, 3)) == []
    run = launched(tasks, 3, named="neg")
    assert [one.rule for one in run.findings] == ["unlike-name"]


def test_a_change_that_agrees_with_a_reference_is_a_repair(tasks: Source) -> None:
    tasks.changed("part.factor, 64", "2, 64")
    run = launched(tasks, 3, define=["CPU"])
    assert said(run) == []
    assert "x is what scale_cpu() computes" in run.variants.tried


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("float factor; int n;", "int n; float factor;"),
        ("#include <bang.h>", "#include <bang.h>\n#define scale scale_it"),
    ],
)  # fmt: skip
def test_other_arguments_and_other_names_are_not_compared(tasks: Source, before: str, now: str) -> None:
    tasks.changed(before, now)
    program = load([tasks.path], device=device("mlu370-x4"))
    (kernel,) = program.kernels
    run = program.launch(kernel, args=[numbers(), {"factor": 2.0, "n": 64}], references=True)
    assert "last commit" not in run.variants.tried


def test_a_commit_that_does_not_build_says_nothing(tasks: Source) -> None:
    tasks.changed("#include <bang.h>", "#include <bang.h>")
    broken = Source(tasks.path, TASKS.replace("part.factor, 64", "part.factr, 64"))
    broken.path.write_text(TASKS)
    run = launched(broken)
    assert "last commit" not in run.variants.tried


def test_no_repository(tmp_path: Path, tasks: Source) -> None:
    tasks.changed("part.factor, 64", "2, 64")
    shutil.rmtree(tmp_path / ".git")
    assert "last commit" not in launched(tasks).variants.tried


def test_kernels_of_a_tpu(tmp_path: Path) -> None:
    source = Source(tmp_path / "largest.c", TPU)
    source.changed("64, 8, true", "64, 8, false")
    program = load([source.path], device=device("bm1690"))
    made, x = np.zeros(64, np.float32), numbers()
    run = program.launch("largest", 1, args={"out": made, "in": x}, on_finding="collect", references=True)
    (found,) = said(run)
    assert found[0] == "warning"  # most are as they were
    assert f"[0] is {x.min():.9g}, and {x.max():.9g} by largest() of the last commit" in found[1]


def test_programs_with_host_code(tmp_path: Path) -> None:
    text = (Path(__file__).with_name("references.mlu")).read_text()
    source = Source(tmp_path / "program.mlu", text.replace("void soft_clip_cpu(", "static void other("))
    source.path.write_text(source.path.read_text().replace("LIMIT, N)", "LIMIT / 2, N)"))
    program = HostProgram([source.path], device=device("mlu370-x4"), define=["LIMIT=1", "WITH_MAIN"])
    (found,) = [one for one in program.run(references=True).findings if "last commit" in one.message]
    assert (found.rule, found.severity) == ("unlike-reference", "advice")


def test_what_one_of_the_two_does_not_write(tasks: Source) -> None:
    """Each element that is written by either counts; to write none is no reason to compare nothing."""
    store = "  __memcpy(x, tile, part.n * sizeof(float), NRAM2GDRAM);\n"
    tasks.changed(store, "\n")
    assert [message.partition(" differ")[0] for _, message in said(launched(tasks, 3))] == [
        "64 of the 64 elements of x"
    ]
    tasks.changed(store, store.replace("part.n", "(part.n - 8)"))
    assert [message.partition(" differ")[0] for _, message in said(launched(tasks, 3))] == ["8 of the 64 elements of x"]


def test_what_the_last_commit_did_not_write(tmp_path: Path) -> None:
    source = Source(tmp_path / "scale.mlu", TASKS.replace("__memcpy(x, tile, part.n", "__memcpy(x, tile, 32"))
    source.changed("__memcpy(x, tile, 32", "__memcpy(x, tile, part.n")
    ((severity, message),) = said(launched(source, 3))
    assert (severity, message.partition(" differ")[0]) == ("warning", "32 of the 64 elements of x")
