"""What the names of arrays and numbers leave no choice of: strides, windows, steps, bounds; and bytes."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from mlusim.simulator.checks.functions import Input, Likeness, Problem, likeness

from .test_strides import said, wide

_NEAR = 1e-9
_RANDOM = np.random.default_rng(18)
_A, _B = _RANDOM.normal(size=(2, 2, 3, 5))
_WEIGHT = _RANDOM.normal(size=5)


def beside(
    name: str, output: str, got: np.ndarray, arrays: Mapping[str, np.ndarray], flags: str = "", **numbers: float
) -> Likeness | None:
    """What results are like; arrays that are called as the output is are overwritten."""
    inputs = tuple(Input(title, values) for title, values in arrays.items())
    problem = Problem(inputs, got.shape, numbers, frozenset(flags.split()), output, frozenset({output}))
    return likeness(name, problem, got, _NEAR)


def test_strides_by_the_first_word_of_an_array_or_by_its_letter() -> None:
    total = _A + _B
    unit = total / np.sqrt((total**2).mean(axis=2, keepdims=True) + 0.25) * _WEIGHT
    arrays = {"residual_out": _B + 1, "a": _A, "b": wide(_B, 1, 3), "weight": _WEIGHT}
    strides = {"stride_residual_n": 15, "stride_residual_h": 5, "stride_a_n": 15, "stride_a_h": 5, "stride_b_n": 32}
    numbers = {**strides, "stride_b_h": 8, "epsilon": 0.25}
    text = "rms_norm((a + b), 0.25) along 5 elements * weight"
    assert said("add_rms_norm", "y", unit, arrays, **numbers) == text
    assert said("add_rms_norm", "residual_out", total, arrays, **numbers) == "(a + b)"
    assert said("add_rms_norm", "y", unit[::-1].copy(), arrays, **numbers) is None
    x = wide(_A, 0, 2).reshape(-1)
    assert said("exp_kernel", "out", np.exp(_A), {"x": x}, o_stride_n=15, o_stride_h=5, x_s=0) is None
    numbers = {"o_stride_n": 15, "o_stride_h": 5, "x_stride_n": 21, "x_stride_h": 7}
    assert said("exp_kernel", "out", np.exp(_A), {"x": x}, **numbers) == "exp(x)"


def test_bytes_of_elements_and_rows_that_overlap() -> None:
    source = _RANDOM.integers(0, 1 << 30, 40).astype(np.uint32)
    strides = (2, 9, 1)
    right = np.array([source[2 * i + 9 * j + k] for i, j, k in np.ndindex(4, 3, 5)], np.uint32)
    numbers = {"byteSize": 4}
    for name, entries in {"my_shape": (4, 3, 5), "my_strides_dst": (15, 5, 1), "my_strides_src": strides}.items():
        numbers |= {f"{name}[{at}]": n for at, n in enumerate(entries)}
    arrays = {"src": source.view(np.int8)}
    got = right.view(np.int8).copy()
    assert said("rearrange", "dst", got, arrays, **numbers) == "src"
    got[7] += 1
    found = beside("rearrange", "dst", got, arrays, **numbers)
    assert found
    assert found.certain
    assert found.wrong.tolist() == [7]


def test_windows_by_the_names_of_their_axes() -> None:
    """Sizes, strides and paddings differ along both axes."""
    image = _RANDOM.normal(size=(1, 40, 33, 31))
    padded = np.pad(image, ((0, 0), (0, 0), (1, 1), (2, 2)), constant_values=-np.inf)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 5), axis=(2, 3))[:, :, ::2, ::3]
    right = windows.max(axis=(4, 5))
    numbers = {"kernel_h": 3, "kernel_w": 5, "pad_top": 1, "pad_bottom": 1, "pad_left": 2, "pad_right": 2}
    numbers |= {"stride_h": 2, "stride_w": 3}
    assert said("max_pool_0", "y", right, {"x": image}, **numbers) == "max_pool(x), window 3, stride 2"
    assert said("max_pool_0", "y", windows.min(axis=(4, 5)), {"x": image}, **numbers) is None


def test_windows_at_points_leave_what_is_outside() -> None:
    image, held = _RANDOM.normal(size=(4, 5, 2)), _RANDOM.normal(size=(3, 3, 3, 2))
    rows, columns = np.array([0, 3, 2], np.int32), np.array([4, 1, 0], np.int32)
    right = held.copy()
    for n, i, j in np.ndindex(3, 3, 3):
        y, x = rows[n] + i - 1, columns[n] + j - 2
        if 0 <= y < 4 and 0 <= x < 5:
            right[n, i, j] = image[y, x]
    arrays = {"x": image, "rows": rows, "columns": columns, "y": held}
    numbers = {"h": 4, "w": 5, "kernel_h": 3, "kernel_w": 3, "pad_h": 1, "pad_w": 2}
    text = "im2col(x at rows, columns), 3x3, paddings 1, 2, y outside"
    assert said("masked_im2col", "y", right, arrays, **numbers) == text
    swapped = {**numbers, "pad_h": 2, "pad_w": 1}
    assert said("masked_im2col", "y", right, arrays, **swapped) is None


def test_steps_of_adam_by_names() -> None:
    w, g, m = _A, _B, _RANDOM.normal(size=_A.shape)
    v = m * m
    numbers = {"lr": 0.02, "beta1": 0.9, "beta2": 0.98, "bias1": 0.271, "bias2": 0.0588, "epsilon": 1e-3}
    numbers |= {"weight_decay": 0.05, "scale": 3.0}
    arrays = {"param_h": w.astype(np.float16), "grad": g, "param": w, "momentum": m, "velocity": v}
    mean, square = 0.9 * m + 0.1 * g / 3, 0.98 * v + 0.02 * (g / 3) ** 2
    right = w * (1 - 0.02 * 0.05) - 0.02 * mean / 0.271 / (np.sqrt(square / 0.0588) + 1e-3)
    text = "grad / 3, momentum, velocity"
    for output, made, formula in (
        ("param", right, f"adamw of param, {text}, corrected"), ("momentum", mean, f"m of {text}"),
        ("velocity", square, f"v of {text}"),
    ):  # fmt: skip
        assert said("apply_adam_w", output, made, arrays, **numbers) == formula
    assert said("apply_adam_w", "param", right + 0.001 * w, arrays, **numbers) is None
    found = beside("apply_adam_w", "velocity", square + 0.02 * v, arrays, **numbers)
    assert found
    assert found.sure
    assert found.telling


def test_bounds_by_names() -> None:
    numbers = {"n": 30, "min_value": -0.5, "max_value": 0.75}
    assert said("hardtanh", "y", np.clip(_A, -0.5, 0.75), {"x": _A}, **numbers) == "clip(x, -0.5, 0.75)"
    assert said("hardtanh", "y", np.clip(_A, -0.5, 30), {"x": _A}, **numbers) is None


def test_priors_by_names() -> None:
    least, most, ratios = (np.array(one) for one in ((8.0, 20.0), (15.0, 33.0), (1.0, 2.0)))
    boxes = []
    for i, j, (size, large) in ((i, j, one) for i, j in np.ndindex(3, 4) for one in zip(least, most, strict=True)):
        for wide_by, high in ((size, size), (math.sqrt(size * large),) * 2, (size * 2**0.5, size / 2**0.5)):
            x, y = 5.0 * (j + 0.5), 7.0 * (i + 0.5)
            boxes.append([(x - wide_by / 2) / 44, (y - high / 2) / 33, (x + wide_by / 2) / 44, (y + high / 2) / 33])
    arrays = {"min_sizes": least, "aspect_ratios": ratios, "max_sizes": most}
    numbers = {"min_sizes_num": 2, "ratios_num": 2, "max_sizes_num": 2, "height": 3, "width": 4, "im_height": 33}
    numbers |= {"im_width": 44, "step_h": 7.0, "step_w": 5.0, "offset": 0.5, "num_priors": 6}
    right = np.clip(boxes, 0, 1)
    found = beside("prior_box", "y", right, arrays, "clip", **numbers)
    assert found
    assert found.exact
    wrong = beside("prior_box", "y", np.array(boxes), arrays, "clip", **numbers)
    assert wrong
    assert wrong.certain


def test_places_that_are_repeated_for_each_lane() -> None:
    at = np.array([[2, 0]] * 4, np.int32)
    x, source = _A, _B[:, :2]
    right = x.copy()
    right[:, [2, 0]] = source
    arrays = {"x": x, "source": source.copy(), "at": at, "y": _A + 9}
    text = "x with source at at along 3 elements, each 5 apart"
    assert said("slice_scatter", "y", right, arrays) == text
    right[:, 1] = arrays["y"][:, 1]
    assert said("slice_scatter", "y", right, arrays) is None  # x is nowhere in it


def test_points_in_voxels() -> None:
    """The first voxel is that of points outside."""
    x, held = _RANDOM.normal(size=(6, 4)), _RANDOM.normal(size=(6, 4))
    index = np.array([1, 2, 0, 1, 3, 2], np.int32)
    right = held.copy()
    for voxel in range(3):
        inside = [row for row, at in zip(x, index, strict=True) if at == voxel + 1]
        right[voxel] = (held[voxel] + sum(inside)) / len(inside)
    arrays = {"x": x, "index": index, "y": held}
    text = "mean of x in index less 1 with y"
    assert said("dynamic_point_to_voxel", "y", right, arrays) == text
    assert said("dynamic_point_to_voxel", "y", right[::-1].copy(), arrays) is None
    counts = np.array([1, 2, 2, 1, 0, 0], np.int32)
    moved = np.array([2, 2, 1, 1, 0, 0], np.int32)
    text = "3 rows of n without the first"
    assert said("dynamic_point_to_voxel", "n", moved, {**arrays, "n": counts}, rows=3) == text


def test_pages_of_a_sequence_without_tokens() -> None:
    """Slopes that are passed are used; queries lie apart."""
    queries = _RANDOM.normal(size=(2, 11))
    pages, values = _RANDOM.normal(size=(2, 3, 2, 1, 4))
    table, lengths, slopes = np.array([[2, 0], [1, 1]], np.int32), np.array([3, 0], np.int32), np.array([0.5, 0.25])

    def attended(slope: np.ndarray) -> np.ndarray:
        made = np.zeros((2, 8))
        k, v = (one[[2, 0]].reshape(4, 4)[:3] for one in (pages, values))
        for head in range(2):
            scores = 0.3 * k @ queries[0, 4 * head : 4 * head + 4] + slope[head] * np.array([-2, -1, 0])
            powers = np.exp(scores)
            made[0, 4 * head : 4 * head + 4] = powers @ v / powers.sum()
        return made

    arrays = {"q": queries, "k_cache": pages, "v_cache": values, "tables": table, "lengths": lengths, "slopes": slopes}
    numbers = {"heads": 2, "kv_heads": 1, "depth": 4, "page": 2, "scale": 0.3, "q_stride": 11, "o_stride": 8}
    found = said("paged_attention", "out", attended(slopes), arrays, **numbers)
    assert found
    assert found.endswith("scale 0.3 + slopes * distance")
    assert said("paged_attention", "out", attended(0 * slopes), arrays, **numbers) is None
