"""A launch compared with itself in smaller tiles: which constants are tiles, and what differs in them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from mlusim.simulator import Program, load
from mlusim.simulator.kernelc.tiles import constants

from tests.support.devices import device

SOURCE = """
#include <bang.h>
#include "tile.h"
#define TILE (2 * LINE)  // elements
const int LINE = 128;
#define PER_TASK 256

__mlu_func__ void add(float *y, const float *x, int count, float what) {
  __nram__ float a[TILE];
  __memcpy(a, x, count * sizeof(float), GDRAM2NRAM);
  __bang_add_scalar(a, a, what, count);
  __memcpy(y, a, count * sizeof(float), NRAM2GDRAM);
}

__mlu_entry__ void in_tiles(float *y, const float *x, int n, int first) {
  for (int i = 0; i < n; i += TILE) add(y + i, x + i, n - i < TILE ? n - i : TILE, i || !first ? TWO : 1.0f);
}

__mlu_entry__ void means(float *y, const float *x, int n) {
  for (int i = 0; i < n; i += TILE) add(y + i, x + i, n - i < TILE ? n - i : TILE, 1.0f / TILE);
}

__mlu_entry__ void in_parts(float *y, const float *x) {
  __nram__ float a[PER_TASK];
  __memcpy(a, x + taskId * PER_TASK, sizeof(a), GDRAM2NRAM);
  __bang_mul_scalar(a, a, (float)PER_TASK, PER_TASK);
  __memcpy(y + taskId * PER_TASK, a, sizeof(a), NRAM2GDRAM);
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    folder = tmp_path_factory.mktemp("tiles")
    (folder / "tile.h").write_text("#define TWO 2.0f\n")
    (folder / "tiles.mlu").write_text(SOURCE)
    return load([folder / "tiles.mlu"], device=device())


@pytest.mark.parametrize(
    ("n", "first", "said"),
    [
        (1000, 1, ["warning tile-dependent"]),
        (1024, 1, ["advice tile-dependent"]),  # 256 may be the length of a row
        (1000, 0, []),
        (100, 1, []),  # less than a tile
    ],
)
def test_a_first_tile_that_is_treated_otherwise(program: Program, n: int, first: int, said: list[str]) -> None:
    y, x = np.zeros(n, np.float32), np.ones(n, np.float32)
    run = program.launch("in_tiles", args=[y, x, n, first], retile=True, on_finding="collect")
    assert [f"{f.severity} {f.rule}" for f in run.findings] == said
    assert y.tolist() == [2.0 if first and i < 256 else 3.0 for i in range(n)]
    for found in run.findings:
        assert found.message.startswith(
            f"128 of the {n} elements of y differ with TILE = 128: y[128] is 2 with TILE = 256"
        )
        places = [found.location, *(step.location for step in found.trail)]
        assert {Path(place.file).name for place in places} == {"tiles.mlu"}
        assert [SOURCE.splitlines()[place.line - 1].split("(")[0].strip() for place in places] == [
            "__memcpy", "__bang_add_scalar", "__memcpy",
        ]  # fmt: skip
    assert run.variants.tried == "run again with TILE = 128, with LINE = 64"


def test_a_constant_that_is_the_part_of_a_task_is_no_tile(program: Program) -> None:
    x = np.ones(1024, np.float32)
    run = program.launch("in_parts", (4, 1, 1), args=[np.zeros(1024, np.float32), x], retile=True, on_finding="collect")
    assert (run.findings, run.variants.tried.count("PER_TASK = 128")) == ([], 1)


def test_a_constant_that_is_the_size_of_the_problem_is_no_tile(program: Program) -> None:
    """All elements differ: it is a number of the formula."""
    y, x = np.zeros(1024, np.float32), np.zeros(1024, np.float32)
    assert program.launch("means", args=[y, x, 1024], retile=True, on_finding="collect").findings == []


def test_what_the_compiler_says_of_the_size_of_the_neural_memory_is_halved(tmp_path: Path) -> None:
    path = tmp_path / "all.mlu"
    path.write_text("""
        #include <bang.h>
        __nram__ float a[__MLU_NRAM_SIZE__ * 128];
        __mlu_entry__ void doubled(float *y, const float *x, int n) {
          __memcpy(a, x, n * sizeof(float), GDRAM2NRAM);
          __bang_add(a, a, a, n);
          __memcpy(y, a, n * sizeof(float), NRAM2GDRAM);
        }
    """)
    y, x = np.zeros(64, np.float32), np.ones(64, np.float32)
    run = load([path], device=device()).launch("doubled", args=[y, x, 64], retile=True, on_finding="collect")
    assert (run.findings, run.variants.tried, y.tolist()) == ([], "run again with __MLU_NRAM_SIZE__ = 384", [2.0] * 64)


def test_a_size_that_a_smaller_constant_makes_too_large_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "rest.mlu"
    path.write_text("""
        #include <bang.h>
        #define SIZE 1536
        #define REST (SIZE - 1024u)
        __nram__ char rest[REST];
        __mlu_entry__ void filled(float *y) {
          __bang_write_value((float *)rest, 64, 2.0f);
          __memcpy(y, rest, 64 * sizeof(float), NRAM2GDRAM);
        }
    """)
    y = np.zeros(64, np.float32)
    run = load([path], device=device()).launch("filled", args=[y], retile=True)
    assert (run.findings, run.variants.tried, y.tolist()) == ([], "run once", [2.0] * 64)


def test_a_constant_that_the_compiler_is_told_of(tmp_path: Path) -> None:
    """All tiles but the first get another factor."""
    path = tmp_path / "told.mlu"
    path.write_text("""
        #include <bang.h>
        __nram__ float a[TILE];
        __mlu_entry__ void doubled(float *y, const float *x, int n, int slip) {
          for (int i = 0; i < n; i += TILE) {
            __memcpy(a, x + i, TILE * sizeof(float), GDRAM2NRAM);
            __bang_mul_scalar(a, a, i && slip ? 3.0f : 2.0f, TILE);
            __memcpy(y + i, a, TILE * sizeof(float), NRAM2GDRAM);
          }
        }
    """)
    program = load([path], device=device(), define={"TILE": 256})

    def launched(slip: int) -> tuple[list[str], str]:
        y, x = np.zeros(1024, np.float32), np.ones(1024, np.float32)
        run = program.launch("doubled", args=[y, x, 1024, slip], retile=True, on_finding="collect")
        return [f.rule for f in run.findings], run.variants.tried

    assert launched(0) == ([], "run again with TILE = 128")
    assert launched(1) == (["tile-dependent"], "run again with TILE = 128")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("#define N 256\n__nram__ float a[N];", ["N 128"]),
        ("#define N 256 // of a row\n__nram__ float a[4][N * 2], b[8];", ["N 128"]),
        ("constexpr int N = 2 * M;\nconst size_t M = 256;\n__mlu_shared__ half a[N];", ["N 256", "M 128"]),
        ("#define BYTES (1024 / sizeof(half))\n__nram__ half a[BYTES];", ["BYTES 256"]),
        # near misses
        ("#define N 32\n__nram__ float a[N];", []),  # a line
        ("#define NFU_ALIGN_SIZE 128\n__nram__ char a[NFU_ALIGN_SIZE];", []),
        ("#define N 256\nfloat a[N];\n// __nram__ float b[N];", []),
        ("#ifdef A\n#define N 256\n#else\n#define N 512\n#endif\n__nram__ float a[N];", []),
        ("#define N SIZE_OF_SOMETHING\n__nram__ float a[N];", []),
        ("#define N 256\n__mlu_entry__ void other(float *x) { { __nram__ float a[N]; } }", []),
        ("#define N N\n__nram__ float a[N];", []),
        ("#define N 9 / 0\n__nram__ float a[N];", []),
    ],
)
def test_constants_that_size_arrays_on_the_chip(text: str, found: list[str]) -> None:
    assert [f"{one.name} {one.less}" for one in constants(text, "kernel")] == found
    for one in constants(text, "kernel"):
        assert one.text.count("\n") == text.count("\n")
        assert f"(({one.name}" not in one.text
