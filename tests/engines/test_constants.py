"""Constants of a kernel's code, which copies read as memory of the device."""

from __future__ import annotations

import numpy as np
import pytest

SOURCE = """#include <bang.h>
#define N 5
__mlu_const__ float weights[N] = {1, 2, 3, 4, 5};
namespace inner { __mlu_const__ int counts[6] = {7, 8, 9, 10, 11, 12}; }
float written[N] = {1, 2, 3, 4, 5};
__nram__ float tile[64];
__nram__ int numbers[64];
__wram__ float kept[64];
__mlu_entry__ void copies(float *out, int n) {
  __memcpy(tile, weights, n * sizeof(float), GDRAM2NRAM);
  __memcpy(out, tile, N * sizeof(float), NRAM2GDRAM);
}
__mlu_entry__ void from_inside(int *out, int first) {
  __memcpy_async(numbers, inner::counts + first, 4 * sizeof(int), GDRAM2NRAM);
  __sync_io();
  __memcpy(out, numbers, 4 * sizeof(int), NRAM2GDRAM);
}
__mlu_entry__ void strided(int *out) {
  __memcpy(numbers, inner::counts, sizeof(int), GDRAM2NRAM, sizeof(int), 2 * sizeof(int), 2);
  __memcpy(out, numbers, 3 * sizeof(int), NRAM2GDRAM);
}
__mlu_entry__ void strided_past(int *out) {
  __memcpy(numbers, inner::counts, 3 * sizeof(int), GDRAM2NRAM, 3 * sizeof(int), 2 * sizeof(int), 2);
  __memcpy(out, numbers, 6 * sizeof(int), NRAM2GDRAM);
}
__mlu_entry__ void both_ways(float *out) {
  __memcpy(kept, weights, 4 * sizeof(float), GDRAM2WRAM);
  __memcpy(tile, kept, 4 * sizeof(float), WRAM2NRAM);
  __memcpy(out, tile, 4 * sizeof(float), NRAM2GDRAM);
  out[0] = weights[N - 1];
}
__mlu_entry__ void host_variable(float *out) {
  __memcpy(tile, written, N * sizeof(float), GDRAM2NRAM);
  __memcpy(out, tile, N * sizeof(float), NRAM2GDRAM);
}
__mlu_entry__ void overwrites(float *out) {
  __memcpy(tile, out, N * sizeof(float), GDRAM2NRAM);
  __memcpy((void *)weights, tile, N * sizeof(float), NRAM2GDRAM);
}
"""


@pytest.mark.parametrize("isolate", [True, False])
@pytest.mark.parametrize(
    ("kernel", "numbers", "expected"),
    [
        ("copies", [5], [1, 2, 3, 4, 5]),
        ("from_inside", [2], [9, 10, 11, 12]),
        ("strided", [], [7, 9, 11]),
        ("both_ways", [], [5, 2, 3, 4]),
    ],
)
def test_copies_read_constants(program, kernel, numbers, expected, isolate):
    out = np.zeros(len(expected), np.float32 if kernel in ("copies", "both_ways") else np.int32)
    assert not program.launch(kernel, args=[out, *numbers], isolate=isolate).findings
    assert out.tolist() == expected


@pytest.mark.parametrize(
    ("kernel", "dtype", "numbers", "read", "expected"),
    [
        ("copies", np.float32, [6], "24 bytes at byte 0 of 'weights'", [1, 2, 3, 4, 5]),
        (
            "from_inside",
            np.int32,
            [3],
            "16 bytes at byte 12 of 'inner::counts'",
            [10, 11, 12],
        ),
        (
            "strided_past",
            np.int32,
            [],
            "28 bytes at byte 0 of 'inner::counts'",
            [7, 8, 9, 9],
        ),
    ],
)
def test_past_the_end_of_a_constant(program, kernel, dtype, numbers, read, expected):
    out = np.zeros(6, dtype)
    found = program.launch(kernel, args=[out, *numbers], on_finding="collect").findings
    assert out[: len(expected)].tolist() == expected  # what lies inside is carried out
    assert [(finding.rule, finding.message) for finding in found if finding.severity == "error"] == [
        ("bounds", f"read of {read} passes its end by 4")
    ]


@pytest.mark.parametrize("kernel", ["host_variable", "overwrites"])
def test_what_is_no_constant_and_what_is_written(program, kernel):
    found = program.launch(kernel, args=[np.zeros(5, np.float32)], on_finding="collect").findings
    errors = [finding for finding in found if finding.severity == "error"]
    assert [finding.rule for finding in errors] == ["bounds"]
    assert errors[0].message.endswith("belongs to no memory of the device")


def test_two_runs_give_equal_logs(program):
    logs = [program.launch("copies", args=[np.zeros(5, np.float32), 5]).log for _ in range(2)]
    assert logs[0].operands.tobytes() == logs[1].operands.tobytes()


def test_a_wrong_result_names_a_constant(program):
    right = {0: np.array([1, 2, 0, 4, 5], np.float32)}
    run = program.launch("copies", args=[np.zeros(5, np.float32), 5], on_finding="collect", expect=right)
    (found,) = run.findings
    assert found.rule == "wrong-result"
    assert [taken for step in found.trail for taken in step.taken] == ["a constant of the code"]
