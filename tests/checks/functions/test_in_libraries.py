"""Forms that libraries give to functions: other arrays, other places of the same."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from mlusim.simulator.checks.functions import IN_FILE, Input, Problem, functions_of, likeness
from mlusim.simulator.launches.repeats import numbers_among

_NEAR = 1e-9
_RANDOM = np.random.default_rng(18)
_WORDS = {"x": _RANDOM.integers(0, 1 << 62, (2, 3, 8)), "c": _RANDOM.integers(0, 1 << 62, (2, 3, 4))}
_LENGTHS = np.array([8, 5])
_BOXES, _SCORES = _RANDOM.integers(0, 12, (2, 9, 4)).astype(np.int16) + np.int16(3), _RANDOM.uniform(0, 1, (2, 9))


def said(name: str, got: np.ndarray, arrays: dict[str, np.ndarray], output: str = "", **numbers: float) -> str | None:
    """Which formula results are exactly; None if they are none."""
    inputs = tuple(Input(title, values) for title, values in arrays.items())
    near = 0.0 if got.dtype.kind in "iub" else _NEAR
    found = likeness(name, Problem(inputs, got.shape, numbers, output=output), got, near)
    return found.formula.text if found and found.exact else None


def is_told(right: np.ndarray, *case: Any, **numbers: float) -> bool:
    """Whether a result is recognized, and the same with one other element is not."""
    name, arrays = case
    wrong = right.copy()
    wrong.flat[-1] += 1
    return bool(said(name, right, arrays, **numbers)) and not said(name, wrong, arrays, **numbers)


def bits(a: int, b: int) -> int:
    return (a ^ b).bit_count()


@pytest.mark.parametrize("what", ["codes", "bits"])
def test_the_nearest_code_of_sequences(what: str) -> None:
    made = np.zeros((2, 3, 8), dtype=np.int32)
    for n, h, at in np.ndindex(2, 3, 8):
        apart = [bits(int(_WORDS["x"][n, h, at]), int(one)) for one in _WORDS["c"][n, h]]
        inside = min(apart) if what == "bits" else apart.index(min(apart))
        made[n, h, at] = inside if at < _LENGTHS[n] else (-1 if what == "bits" else 5)
    assert is_told(made, "assign_clusters_kernel", {**_WORDS, "lengths": _LENGTHS}, n=65)


def overlap(a: list[int], b: list[int]) -> float:
    wide, high = (max(0, min(a[at] + a[at + 2], b[at] + b[at + 2]) - max(a[at], b[at])) for at in (0, 1))
    return wide * high / (a[2] * a[3] + b[2] * b[3] - wide * high)


def test_boxes_of_images_that_no_better_one_overlaps() -> None:
    made = np.zeros((2, 9), dtype=np.uint8)
    for n, at in np.ndindex(2, 9):
        boxes, scores = _BOXES[n].tolist(), _SCORES[n].tolist()
        better = (other for other in range(9) if scores[other] > scores[at] and overlap(boxes[at], boxes[other]) > 0.35)
        made[n, at] = scores[at] >= 0.2 and next(better, None) is None
    arrays = {"boxes": _BOXES, "scores": _SCORES.astype(np.float32)}
    assert is_told(made, "NonMaximumSuppression", arrays, scoreThreshold=0.2, iouThreshold=0.35)


def test_filters_that_go_on_from_what_stands_in_front() -> None:
    x, a, out = _RANDOM.normal(size=(2, 3, 6)), _RANDOM.normal(size=(3, 4)) / 3, _RANDOM.normal(size=(2, 3, 9))
    right = out.copy()
    for n, c, at in np.ndindex(2, 3, 6):
        right[n, c, at + 3] = x[n, c, at] - sum(a[c, j] * right[n, c, at + j] for j in range(3))
    arrays = {"x.data": x, "a.data": a, "out.data": out}
    passed = {"x.sizes": (2, 3, 6), "x.strides": (18, 6, 1), "out.sizes": (2, 3, 9), "out.strides": (27, 9, 1)}
    numbers = {f"{name}[{at}]": n for name, each in passed.items() for at, n in enumerate(each)}
    text = said("iir_kernel", right, arrays, "out.data", **numbers)
    assert text == "x.data filtered by a.data, from the last one on"
    assert said("iir_kernel", right + 1, arrays, "out.data", **numbers) is None


def test_numbers_of_several_structures() -> None:
    """Those that more than one has are named after it."""
    passed = [{"n": 3, "strides": [5, 1]}, {"strides": [7, 1], "scale": 0.5}]
    found = numbers_among(passed, ["x", "y"])
    assert found == {
        "n": 3, "x.strides[0]": 5, "x.strides[1]": 1, "y.strides[0]": 7, "y.strides[1]": 1, "scale": 0.5
    }  # fmt: skip


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize("kind", ["padding", "causal", "sliding causal", "bidirectional"])
def test_masks_by_lengths(packed: bool, kind: str) -> None:
    q, k = [3, 5], [4, 6]
    rows = []
    for own, keys in zip(q, k, strict=True):
        for row in range(own if packed else 6):
            inside = [row < own and col < keys for col in range(7)]
            seen = {
                "padding": inside, "causal": [one and col <= row for col, one in enumerate(inside)],
                "sliding causal": [one and row - 2 < col <= row for col, one in enumerate(inside)],
                "bidirectional": [
                    one and (row == own - 1 or col < keys - 1) for col, one in enumerate(inside)
                ],
            }  # fmt: skip
            rows.append(seen[kind])
    arrays = {"q": np.array(q), "k": np.array(k)}
    numbers = {"columns": 7, "window": 2} | ({} if packed else {"rows": 6})
    text = said("prepareAttentionMask", np.array(rows, float), arrays, **numbers)
    assert text == f"{kind} mask of q and k{', packed' * packed}"


def test_rows_that_do_not_count() -> None:
    x, labels = _RANDOM.normal(size=(4, 5)), np.array([2, -100, 4, 0])
    counted = zip(x.tolist(), labels.tolist(), strict=True)
    right = np.array([math.log(math.fsum(map(math.exp, row))) - row[at] if at >= 0 else 0.0 for row, at in counted])
    assert is_told(right, "cross_entropy_forward", {"x": x, "labels": labels}, ignore_index=-100)
    assert is_told(right.sum(keepdims=True) / 3, "cross_entropy", {"x": x, "labels": labels}, ignore_index=-100)


def test_sums_over_areas_of_rows_with_ends() -> None:
    x, held = _RANDOM.normal(size=(4, 9)), _RANDOM.normal(size=(5, 10))
    right = held.copy()
    for i, j in np.ndindex(5, 8):
        right[i, j] = math.fsum(x[:i, j - 1]) if j else 0.0
    numbers = {"columns": 7, "x_stride": 72, "out_stride": 80}
    assert said("verticalKernel" + IN_FILE + "integral", right, {"x": x, "out": held}, "out", **numbers)
    assert not said("verticalKernel" + IN_FILE + "integral", right + 1, {"x": x, "out": held}, "out", **numbers)


def test_cosines_in_tables() -> None:
    x, table, by = _RANDOM.normal(size=(3, 8)), _RANDOM.normal(size=(5, 8)), _RANDOM.normal(size=6)
    right = np.array([[by[k] * math.fsum(x[f] * table[k]) for k in range(5)] for f in range(3)])
    assert is_told(right, "ApplyDctInner", {"x": x, "table": table, "by": by})


@pytest.mark.parametrize("name", ["dznrm2_kernel", "magmablas_dznrm2_smkernel"])
def test_norms_of_columns_that_lie_apart(name: str) -> None:
    a = _RANDOM.normal(size=(4, 9, 2))
    right = np.array([math.hypot(*column[:7].reshape(-1)) for column in a])
    assert is_told(right, name, {"dA": a}, m=7, n=4, ldda=9)


def test_parts_of_moments() -> None:
    x = _RANDOM.normal(size=(6, 5))
    parts = np.array([(x[at::2] ** 2).sum(axis=0) for at in (0, 1)])
    assert (
        said("layer_norm_moments1_CN", parts, {"x": x}) == "parts of sum of squares(x) along 6 elements, each 5 apart"
    )
    assert said("layer_norm_moments1_CN", parts + np.eye(2, 5), {"x": x}) is None


def test_strides_of_what_is_read_and_written() -> None:
    x = _RANDOM.normal(size=(2, 3, 4))
    strides = {"stride_s": 12, "stride_b": 4, "stride_d": 1, "o_stride_s": 4, "o_stride_b": 8, "o_stride_d": 1}
    assert said("exp_kernel", np.exp(x).swapaxes(0, 1).copy(), {"x": x}, "y", **strides) == "exp(x)"
    assert said("exp_kernel", np.exp(x).swapaxes(0, 1).copy(), {"src": x}, "dst", **strides) == "exp(src)"  # of axis d
    assert said("exp_kernel", np.exp(x).reshape(3, 2, 4), {"x": x}, "y", **strides) is None


def test_places_of_a_rank_and_starts_of_sequences() -> None:
    x, freqs, starts = _RANDOM.normal(size=(4, 2, 2, 4)), _RANDOM.uniform(-3, 3, (12, 4)), np.array([0, 3])
    right = x.copy()
    for s, b, h, at in np.ndindex(4, 2, 2, 2):
        place = (s if s < 2 else s + 4) + int(starts[b]) if s < 2 else s - 2 + 6 + int(starts[b])
        one, other = x[s, b, h, at], x[s, b, h, at + 2]
        right[s, b, h, at] = one * math.cos(freqs[place, at]) - other * math.sin(freqs[place, at])
        right[s, b, h, at + 2] = other * math.cos(freqs[place, at + 2]) + one * math.sin(freqs[place, at + 2])
    arrays = {"x": x, "freqs": freqs, "starts": starts}
    assert is_told(right, "fused_rope_kernel", arrays, cp_size=2, cp_rank=0)


def test_gradients_of_places() -> None:
    image, warp, coming = _RANDOM.normal(size=(1, 3, 4, 2)), np.array([[[1.25, 0.5], [2.5, 1.75]]]), np.ones((1, 2, 2))
    right = np.zeros((1, 2, 2))
    for at, (x, y) in enumerate(warp[0].tolist()):
        i, j = math.floor(y), math.floor(x)
        a, b, c, d = (image[0, i + p, j + q].sum() for p in (0, 1) for q in (0, 1))
        right[0, at] = (1 - y + i) * (b - a) + (y - i) * (d - c), (1 - x + j) * (c - a) + (x - j) * (d - b)
    assert is_told(right, "ResamplerGrad2DKernel", {"image": image, "warp": warp, "coming": coming})


def test_channels_of_bins() -> None:
    rois, maps = np.array([[0, 1.0, 2.0, 9.0, 8.0]]), _RANDOM.normal(size=(1, 8, 6, 7))
    channels = np.arange(8, dtype=np.int32).reshape(1, 2, 2, 2)
    assert is_told(channels, "ps_roi_align_kernel", {"maps": maps, "rois": rois}, scale=0.5)


def test_a_file_says_what_the_name_does_not() -> None:
    (found,) = functions_of("updateOutput" + IN_FILE + "CrossMapNormalization")
    assert (found.function, found.alone, found.step) == ("lrn", True, False)
    assert [one.step for one in functions_of("verticalKernel" + IN_FILE + "integral")] == [True]  # another may follow
    assert [one.function for one in functions_of("exp_kernel" + IN_FILE + "softmax")] == ["exp"]
    assert not functions_of("solve" + IN_FILE + "main")
