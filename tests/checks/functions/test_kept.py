"""Results that keep what an array held or are added to it, and what is passed, counted or laid out in other ways."""

from __future__ import annotations

import math

import numpy as np
from mlusim.simulator.checks.functions import Input, Problem, likeness

from .test_strides import said

_RANDOM = np.random.default_rng(17)
_ROWS = _RANDOM.normal(size=(6, 4))


def test_rows_that_no_token_is_sent_to() -> None:
    gates, held = _RANDOM.normal(size=3), _RANDOM.normal(size=(4, 4))
    experts, places = np.array([1, 0, 1], np.int32), np.array([0, 1, 5], np.int32)
    right = held.copy()
    right[2], right[1] = gates[0] * _ROWS[0], gates[1] * _ROWS[1]
    arrays = {"gates": gates, "x": _ROWS[:3], "experts": experts, "places": places, "y": held}
    text = "y with gates * x sent to row experts * 2 + places"
    assert said("moe_dispatch_forward", "y", right, arrays, capacity=2, num_experts=2) == text
    right[1] += held[1]
    assert said("moe_dispatch_forward", "y", right, arrays, capacity=2, num_experts=2) is None


def test_a_ball_without_points() -> None:
    points, middles = _RANDOM.uniform(size=(1, 8, 3)), np.array([[[0.5, 0.5, 0.5], [9, 9, 9]]])
    held = np.array([[[0, 0, 0], [5, 3, 4]]], np.int32)
    near = [at for at, point in enumerate(points[0]) if math.dist(point, (0.5, 0.5, 0.5)) < 0.6]
    right = held.copy()
    right[0, 0] = (near[:3] + near[:1] * 3)[:3]
    arrays, numbers = {"new_xyz": middles, "xyz": points, "idx": held}, {"min_radius": 0.0, "max_radius": 0.6}
    assert said("ball_query", "idx", right, arrays, **numbers) == "idx with numbers of xyz within 0..0.6 of new_xyz"
    assert said("ball_query", "idx", right + 1, arrays, **numbers) is None


def test_gradients_that_are_added_to_an_array() -> None:
    held, back, at = _RANDOM.normal(size=(1, 2, 5)), _RANDOM.normal(size=(1, 2, 3)), np.array([[4, 0, 4]], np.int32)
    right = held.copy()
    for channel, n in np.ndindex(2, 3):
        right[0, channel, at[0, n]] += back[0, channel, n]
    arrays, numbers = {"grad": back, "at": at, "dx": held}, {"b": 1, "c": 2, "n": 5, "m": 3}
    assert said("gather_points_backward", "dx", right, arrays, **numbers) == "dx + grad of 2 channels added up at at"
    assert said("gather_points_backward", "dx", right - held, arrays, **numbers) == "grad of 2 channels added up at at"
    assert said("gather_points_backward", "dx", right + held, arrays, **numbers) is None


def test_indices_that_are_stored_as_floats() -> None:
    """Below 0 they count from the end; there is no number where they are outside."""
    at = np.array([2.0, -1.0, 9.0])
    right = np.stack([_ROWS[2], _ROWS[5], np.full(4, np.nan)])
    text = "x[at] along 6 elements, each 4 apart, from the end where below 0, nan where there is none"
    assert said("kSelectRows", "y", right, {"x": _ROWS, "at": at}, n=6, width=4) == text
    assert said("kSelectRows", "y", right, {"x": _ROWS, "at": at + 1}, n=6, width=4) is None


def test_bags_that_are_counted_from_1_on() -> None:
    at, starts = np.array([6, 1, 3, 3]), np.array([1, 2])
    right = np.stack([_ROWS[5], (_ROWS[0] + 2 * _ROWS[2]) / 3])
    arrays = {"at": at, "starts": starts, "table": _ROWS}
    text = "mean of table at at by starts starts, from 1 on"
    assert said("LookupTableBag_updateOutputKernel", "y", right, arrays) == text
    assert said("LookupTableBag_updateOutputKernel", "y", right, {**arrays, "at": at - 1}) is None
    bags = said("LookupTableBag_updateOutputKernel", "bag", np.array([1, 2, 2, 2]), arrays)
    assert bags == "bags by starts starts, from 1 on"
    assert said("LookupTableBag_updateOutputKernel", "n", np.array([1, 3]), arrays) == "sizes of bags by starts starts"
    assert said("LookupTableBag_updateOutputKernel", "n", np.array([2, 3]), arrays) is None


def test_tokens_in_the_blocks_of_their_sequences() -> None:
    lengths, table = np.array([3, 1], np.int32), np.array([[2, 0], [1, -1]], np.int32)
    keys, held = _RANDOM.normal(size=(4, 2, 4)), _RANDOM.normal(size=(3, 2, 2, 4))  # [block, head, slot, depth]
    right = held.copy()
    for token, (block, slot) in enumerate([(2, 0), (2, 1), (0, 0), (1, 0)]):
        right[block, :, slot] = keys[token]
    arrays = {"key": keys, "cache": held, "lengths": lengths, "table": table}
    numbers = {"heads": 2, "depth": 4, "block_size": 2}
    text = "cache with key at table, lengths, 2 heads of 2 slots"
    assert said("context_kv_cache_memcpy", "cache", right, arrays, **numbers) == text
    assert said("context_kv_cache_memcpy", "cache", right[::-1].copy(), arrays, **numbers) is None


def test_boxes_of_all_rows_or_columns() -> None:
    corner = _RANDOM.uniform(0, 5, (3, 2))
    boxes, shares = np.concatenate([corner, corner + 2], axis=1), _RANDOM.normal(size=(2, 3, 4))
    spread = _RANDOM.uniform(size=(3, 4))
    right = np.empty((2, 3, 4))
    for row, column in np.ndindex(2, 3):
        x, y, w, h = shares[row, column] * spread[column]
        middle, half = corner[column] + 1 + 2 * np.array([x, y]), np.exp([w, h])
        right[row, column] = [*(middle - half), *(middle + half)]
    arrays = {"boxes": boxes, "spread": spread, "shares": shares}
    assert said("DecodeCenterSize", "y", right, arrays, row=2, col=3) == "boxes of columns by shares * spread, 0 added"
    by_rows = said("DecodeCenterSize", "y", right[:, [0, 2, 1]], arrays, row=2, col=3)
    assert by_rows is None
    turned = {**arrays, "shares": shares.transpose(1, 0, 2).copy()}
    text = "boxes of rows by shares * spread, 0 added"
    assert said("DecodeCenterSize", "y", right.transpose(1, 0, 2).copy(), turned, row=3, col=2) == text


def test_margins_by_all_scores() -> None:
    scores, target, by = _RANDOM.normal(size=(3, 5)), np.array([4, 0, 2]), _RANDOM.uniform(size=5)
    right = np.array([
        sum(max(0.0, 0.7 - row[at] + x) ** 2 * by[at] for n, x in enumerate(row) if n != at) / 15
        for row, at in zip(scores, target, strict=True)
    ])  # fmt: skip
    arrays = {"x": scores, "target": target, "by": by}
    assert said("multi_margin_loss", "y", right, arrays, margin=0.7) == "multi_margin(x, target, 0.7, 2) by by / 3"
    assert said("multi_margin_loss", "y", right / 3, arrays, margin=0.7) is None


def test_turned_heads_that_lie_before_tokens() -> None:
    x, places = _RANDOM.normal(size=(2, 3, 2, 4)), np.array([[1, 0], [2, 2]])  # [batch, head, token, depth]
    cos, sin = _RANDOM.normal(size=(3, 2)), _RANDOM.normal(size=(3, 2))
    c, s = (table[places][:, None] for table in (cos, sin))
    right = np.concatenate([x[..., :2] * c - x[..., 2:] * s, x[..., :2] * s + x[..., 2:] * c], axis=-1)
    arrays = {"x": x, "cos": cos, "sin": sin, "places": places}
    assert said("RotaryEmbeddingBNSH", "y", right, arrays) == "rope(x), place places, halves"
    assert said("RotaryEmbeddingBNSH", "y", right[:, ::-1], arrays) is None


def test_weights_in_pairs_of_channels() -> None:
    image, weights = _RANDOM.normal(size=(2, 3, 4, 4)), _RANDOM.normal(size=(5, 3, 3, 3))
    right = np.zeros((2, 5, 2, 2))
    for n, o, i, j in np.ndindex(right.shape):
        right[n, o, i, j] = (image[n, :, i : i + 3, j : j + 3] * weights[o]).sum()
    pairs = np.concatenate([weights, _RANDOM.normal(size=(5, 1, 3, 3))], axis=1)
    laid = pairs.reshape(5, 2, 2, 3, 3).transpose(1, 0, 3, 4, 2).reshape(2, 5, 3, 6)
    numbers = {"kernel_h": 3, "kernel_w": 3, "stride_h": 1, "stride_w": 1, "pad_h": 0, "pad_w": 0}
    found = said("conv2d", "y", right, {"x": image, "w": laid}, **numbers)
    assert found == "conv(x, w), stride 1, padding 0"
    assert said("conv2d", "y", right, {"x": image, "w": laid[::-1].copy()}, **numbers) is None


def test_a_step_of_momentum_with_all_that_may_be_passed() -> None:
    x, g, v = _RANDOM.normal(size=(3, 7))
    numbers = {"weight_decay": 0.1, "momentum": 0.9, "dampening": 0.2, "lr": 0.05, "scale": 0.5}
    for after in (False, True):
        grad = 0.5 * g + (0 if after else 0.1 * x)
        kept = 0.9 * v + 0.8 * grad
        right = x - 0.05 * (grad + 0.9 * kept + (0.1 * x if after else 0))
        arrays = {"g": g, "x": x, "v": v}
        assert said("MultiTensorSGD", "v", kept, arrays, **numbers) is not None
        assert said("MultiTensorSGD", "x", right, arrays, **numbers) is not None
        assert said("MultiTensorSGD", "x", right + 0.05 * x, arrays, **numbers) is None


def test_parts_of_a_list_of_arrays() -> None:
    """Of all arrays, each part that of a task; or of each of them."""
    arrays = {f"tensors.addresses[{at}]": _RANDOM.normal(size=size) for at, size in enumerate((5, 9, 4))}
    sums = np.array([math.fsum(x * x for x in one) for one in arrays.values()])
    parts = np.stack([sums * 0.25, sums * 0.75], axis=1)
    held, of_each = _RANDOM.normal(size=2), _RANDOM.normal(size=(3, 2))
    arrays |= {"total": held, "each": of_each}
    found = said("MultiTensorL2Norm", "total", held + parts.sum(axis=0), arrays)
    assert found == "total + parts of sum of squares, all of tensors.addresses"
    assert said("MultiTensorL2Norm", "each", parts, arrays) == "parts of sum of squares, each of tensors.addresses"
    assert said("MultiTensorL2Norm", "each", 1.5 * parts, arrays) is None
    assert said("MultiTensorL2Norm", "total", held + parts.sum(axis=0) * 1.5, arrays) is None


def test_what_is_overwritten_is_no_operand() -> None:
    """So that there is nothing for other forms."""
    inputs = Input("at", np.array([5, 0, 2, 2])), Input("starts", np.array([0, 1])), Input("table", _ROWS)
    inputs, got = (*inputs, Input("size", np.array([7, 9]))), _ROWS[:2] + 1
    for overwritten, complete in ((frozenset({"size"}), True), (frozenset[str](), False)):
        problem = Problem(inputs, got.shape, {}, output="y", overwritten=overwritten)
        found = likeness("embedding_bag", problem, got, 1e-9)
        assert found
        assert found.complete is complete


def test_sums_of_squares_that_a_norm_has_in_parts() -> None:
    x, held = _RANDOM.normal(size=40), _RANDOM.normal(size=3)
    parts = np.array([part @ part for part in np.split(x, [10, 25])])
    arrays = {"x": x, "buffer": held}
    assert said("norm2_multi_core", "buffer", parts, arrays, n=40) == "parts of sum of squares(x) along 40 elements"
    assert said("norm2_multi_core", "buffer", parts * [1, 1, 2], arrays, n=40) is None
