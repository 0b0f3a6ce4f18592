"""What a kernel may choose where the launch does not say it: sizes, factors, what each result is of."""

from __future__ import annotations

import numpy as np
from mlusim.simulator.checks.functions import Input, Problem, likeness

from .elements import PART, RANDOM, SIGNED
from .test_functions import like, with_one_wrong


def test_a_pool_of_a_size_that_is_not_passed() -> None:
    image = RANDOM.normal(size=(2, 3, 14, 12))
    windows = np.lib.stride_tricks.sliding_window_view(image, (5, 5), axis=(2, 3))[:, :, ::3, ::3]
    right = windows.max(axis=(4, 5))
    assert like("maxpool", right, image) == (True, "max_pool(a), window 5, stride 3")
    assert like("maxpool", with_one_wrong(right), image)[0] is False


def test_a_sum_with_a_factor() -> None:
    assert like("vectorAdd", SIGNED + 0.75 * PART, PART, SIGNED, alpha=0.75) == (True, "add(0.75 * a, b)")
    assert like("vectorAdd", SIGNED + 0.75 * PART, SIGNED, PART, alpha=0.75) == (True, "add(a, 0.75 * b)")
    assert like("vectorAdd", SIGNED + 0.5 * PART, PART, SIGNED, alpha=0.75)[0] is False


def test_a_factor_that_is_a_constant_of_the_kernel() -> None:
    """Any may be it; one that is passed is."""
    assert like("scale_rows", 1.7 * SIGNED, SIGNED) is None
    assert like("scale_rows", 1.7 * SIGNED, SIGNED, factor=1.6)[0] is False


def test_a_deviation_that_is_passed_as_such() -> None:
    mean, spread = SIGNED.mean(axis=1), SIGNED.std(axis=1) + 0.5
    off = SIGNED - mean[:, None]
    for right, how in ((off / spread[:, None], "c**2"), (off * spread[:, None], "c**-2")):
        text = f"batch_norm(a, b, {how})"
        assert like("layer_norm", right, SIGNED, mean, spread, channels=3) == (True, text)
    assert like("layer_norm", off * spread[:, None] ** 2, SIGNED, mean, spread, channels=3)[0] is False


def test_results_of_parts() -> None:
    """Nothing says what each result is of: together they are that of all."""
    a, b = RANDOM.normal(size=50), RANDOM.normal(size=50)
    parts = np.array([(a * b)[:20].sum(), (a * b)[20:].sum()])
    assert like("dot_kernel", parts, a, b, n=50) == (True, "parts of dot(a, b)")
    assert like("dot_kernel", parts, a, b, n=50, batch=2)[0] is False  # of two products
    assert like("dot_kernel", parts + np.array([0.5, 0]), a, b, n=50)[0] is False


def test_axes_of_flat_images_are_what_is_passed() -> None:
    """Columns may be passed before rows; weights are a square, and their order may be that of a convolution."""
    image, weights = RANDOM.normal(size=(6, 9)), RANDOM.normal(size=(3, 3))
    sizes = {"width": 9, "height": 6, "k": 3}
    for mode, said in (("constant", "padding 1"), ("edge", "padding 1 of the border")):
        padded = np.pad(image, 1, mode=mode)
        right = np.array([[(padded[i : i + 3, j : j + 3] * weights).sum() for j in range(9)] for i in range(6)])
        for table, side in ((weights, ""), (weights[::-1, ::-1], "flipped, ")):
            found = like("conv2d", right.reshape(-1), image.reshape(-1), table.reshape(-1).copy(), **sizes)
            assert found == (True, f"conv(a, b), {side}stride 1, {said}")
        wrong = with_one_wrong(right.reshape(-1))
        assert like("conv2d", wrong, image.reshape(-1), weights.reshape(-1), **sizes)[0] is False


def test_a_pool_of_a_flat_array() -> None:
    image = RANDOM.normal(size=(2, 3, 8, 6))
    right = image.reshape(2, 3, 4, 2, 3, 2).max(axis=(3, 5)).reshape(-1)
    sizes = {"n": 2, "c": 3, "h": 8, "w": 6, "kernel": 2, "stride": 2}
    assert like("maxpool", right, image.reshape(-1), **sizes) == (True, "max_pool(a), window 2, stride 2")
    assert like("maxpool", with_one_wrong(right), image.reshape(-1), **sizes)[0] is False


def test_axes_that_are_constants_of_the_kernel() -> None:
    x = RANDOM.normal(size=(4, 6))
    powers = np.exp(x)
    right = (powers / powers.sum(axis=0)).reshape(-1)
    assert like("softmax", right, x.reshape(-1)) == (True, "softmax(a) along 4 elements, each 6 apart")
    assert like("softmax", right, x.reshape(-1), n=24)[0] is False


def test_a_norm_with_constants_of_the_kernel() -> None:
    """A weight and a bias of all may be constants of the kernel; those of each row may not."""
    unit = (SIGNED - SIGNED.mean(axis=1, keepdims=True)) / SIGNED.std(axis=1, keepdims=True)
    assert like("layer_norm", 1.9 * unit + 0.5, SIGNED) is None
    assert like("layer_norm", 1.9173 * unit + 0.5, SIGNED)[0] is False  # which has more digits than one writes
    assert like("layer_norm", 1.9 * unit + np.arange(3)[:, None], SIGNED)[0] is False


def test_a_row_that_a_table_does_not_have_is_0() -> None:
    right = SIGNED[[2, 0, 1, 2]]
    right[1] = 0
    found = like("token_embedding", right, np.array([2, 7, 1, 2]), SIGNED)
    assert found == (True, "b[a] along 3 elements, each 5 apart, 0 where there is none")


def test_products_of_fixed_point_numbers() -> None:
    """The place of the point may be passed."""
    a, b = (RANDOM.integers(-99, 99, size).astype(np.int8) for size in ((3, 5), (5, 4)))
    right = a.astype(float) @ b / 64
    assert like("gemm16Kernel", right, a, b, pos=-6) == (True, "0.015625 * a @ b")
    assert like("gemm16Kernel", with_one_wrong(right), a, b, pos=-6)[0] is False


def test_a_table_of_angles_for_places_that_are_passed() -> None:
    x, angles, at = RANDOM.normal(size=(3, 8)), RANDOM.normal(size=(9, 4)), np.array([7, 0, 4])
    pairs = (x[:, :4] + 1j * x[:, 4:]) * np.exp(1j * angles[at])
    right = np.concatenate([pairs.real, pairs.imag], axis=1)
    assert like("rope_kernel", right, x, at, np.cos(angles), np.sin(angles)) == (True, "rope(a), place b, halves")
    assert like("rope_kernel", with_one_wrong(right), x, at, np.cos(angles), np.sin(angles))[0] is False


def test_angles_by_a_base() -> None:
    x = RANDOM.normal(size=(5, 6))
    angles = np.array([[at * 500.0 ** (-k / 3) for k in range(3)] for at in range(5)])
    pairs = (x[:, ::2] + 1j * x[:, 1::2]) * np.exp(1j * angles)
    right = np.stack([pairs.real, pairs.imag], axis=2).reshape(5, 6)
    assert like("rope", right, x, theta=500.0) == (True, "rope(a), base 500, pairs")


def test_forms_that_are_not_tried_say_nothing() -> None:
    """A filter with weights of its own is no finding; one that is right but for an element is."""
    image = RANDOM.normal(size=(8, 9))
    problem = Problem((Input("a", image),), image.shape, {})
    other = likeness("blur", problem, image @ RANDOM.normal(size=(9, 9)), 1e-9)
    assert other is not None
    assert not other.telling
    padded = np.pad(image, 1, mode="edge")
    right = np.array([[padded[i : i + 3, j : j + 3].mean() for j in range(9)] for i in range(8)])
    found = likeness("blur", problem, with_one_wrong(right), 1e-9)
    assert found is not None
    assert found.telling
    assert found.near


def test_an_image_without_an_inside_has_no_border() -> None:
    """Results that are all zero are not those of windows that fit nowhere."""
    image = RANDOM.normal(size=(9, 2))
    for name in ("box_filter", "sobel", "erode", "jacobi", "heat"):
        found = like(name, np.zeros((9, 2)), image, n=3, alpha=0.1)
        assert found is None or not found[0]


def test_sections_of_blocks() -> None:
    """Each block scans or sums a section of its own; the last one is shorter."""
    x = RANDOM.normal(size=150)
    sections = [x[at : at + 64] for at in (0, 64, 128)]
    sums = np.array([part.sum() for part in sections])
    running = np.concatenate([np.cumsum(part) for part in sections])
    assert like("block_scan", running, x, n=150) == (True, "cumsum(a) of each 64 elements")
    assert like("block_scan", sums, x, n=150) == (True, "sum(a) of each 64 elements")
    assert like("reduce_kernel", sums, x, n=150) == (True, "sum(a) of each 64 elements")
    forties = np.concatenate([np.cumsum(x[at : at + 40]) for at in range(0, 150, 40)])
    assert like("block_scan", forties, x, section=40) == (True, "cumsum(a) of each 40 elements")
    assert like("block_scan", forties, x)[0] is False  # where nothing says how long they are


def test_a_function_in_part() -> None:
    """More elements than chance explains say which function it is; of one in steps, half of them."""
    image, weights = RANDOM.normal(size=(12, 12)), RANDOM.normal(size=(3, 3))
    windows = np.lib.stride_tricks.sliding_window_view(image, (3, 3))
    right, noise = (windows * weights).sum(axis=(2, 3)).reshape(-1), RANDOM.normal(size=100)
    flat, numbers = (image.reshape(-1), weights.reshape(-1)), {"h": 12, "w": 12, "kernel": 3, "stride": 1, "pad": 0}

    def told(name: str, share: int, right: np.ndarray, *sources: np.ndarray, **numbers: int) -> bool:
        got = np.where(np.arange(100) < share, right, noise)
        inputs = tuple(Input(chr(ord("a") + at), one) for at, one in enumerate(sources))
        found = likeness(name, Problem(inputs, got.shape, numbers), got, 1e-9)
        return found is not None and found.telling

    assert told("conv2d", 20, right, *flat, **numbers)
    assert not told("conv2d", 0, right, *flat, **numbers)  # arrays of a convolution lie in many ways
    assert not told("conv2d_add_noise", 20, right, *flat, **numbers)
    x = RANDOM.normal(size=100)
    assert told("scan", 70, np.cumsum(x), x)
    assert told("scan", 0, np.cumsum(x), x)  # all of its forms are tried
    assert not told("scan_step", 40, np.cumsum(x), x)
    assert told("cummax", 0, np.maximum.accumulate(x), x)


def test_what_chance_explains_says_nothing() -> None:
    """Of a function with few results, other numbers agree here and there."""
    x, y = RANDOM.integers(0, 3, 900), RANDOM.integers(0, 3, 900)
    found = likeness("sort", Problem((Input("a", x),), (900,), {}), y, 0.0)
    assert found is not None
    assert not found.in_part


def test_operands_of_other_axes_by_the_numbers() -> None:
    """Axes of length 1 are passed, too."""
    x, a, b = RANDOM.normal(size=(3, 1, 4)), RANDOM.normal(size=(3, 5, 4)), RANDOM.normal(size=(3, 5, 1))
    shapes = {f"{name}[{at}]": n for name, one in (("x", x), ("a", a), ("b", b)) for at, n in enumerate(one.shape)}
    flat = [one.reshape(-1) for one in (x, a, b)]
    right = (x + 0.5 * a * b).reshape(-1)
    assert like("addcmul", right, *flat, **shapes, value=0.5) == (True, "a + 0.5 * b * c")
    assert like("addcmul", with_one_wrong(right), *flat, **shapes, value=0.5)[0] is False
    chosen = np.where(x > 0, a, b)
    flat[0] = (flat[0] > 0).astype(np.float64)
    assert like("where", chosen.reshape(-1), *flat, **shapes) == (True, "where(a, b, c)")


def test_how_many_images_there_are_need_not_be_passed() -> None:
    image = RANDOM.normal(size=(5, 3, 8, 6))
    right = image.reshape(5, 3, 4, 2, 3, 2).max(axis=(3, 5)).reshape(-1)
    sizes = {"channels": 3, "height": 8, "width": 6, "kernel": 2, "stride": 2}
    assert like("maxpool", right, image.reshape(-1), **sizes) == (True, "max_pool(a), window 2, stride 2")
    assert like("maxpool", with_one_wrong(right), image.reshape(-1), **sizes)[0] is False


def test_each_name_has_its_own_forms() -> None:
    """What is right for one is not for its neighbour."""
    back, rows = RANDOM.normal(size=(2, 3, 5))
    y = np.exp(rows) / np.exp(rows).sum(axis=1, keepdims=True)
    of_softmax = y * (back - (y * back).sum(axis=1, keepdims=True))
    assert like("softmax_backward", of_softmax, y, back)[0] is True
    assert like("log_softmax_backward", of_softmax, y, back)[0] is False
    assert like("zeros_kernel", np.ones((3, 5)), value=1)[0] is False
    assert like("fill", np.ones((3, 5)), value=1)[0] is True


def test_increments() -> None:
    x = RANDOM.normal(size=60)
    assert like("asum", np.abs(x[::3]).sum(keepdims=True), x, n=20, incx=3) == (True, "asum(a[::3])")
    x[15] = 1e-9  # the least of all lies elsewhere
    at = np.abs(x[::3]).argmin(keepdims=True) + 1
    assert like("amin", at, x, n=20, incx=3) == (True, "first of the smallest(a[::3])")
    assert like("amin", at + 1, x, n=20, incx=3)[0] is False


def test_a_sparse_product_may_be_added() -> None:
    starts, places, held = np.array([0, 2, 2, 5]), np.array([1, 4, 0, 2, 3]), RANDOM.normal(size=5)
    x, y = RANDOM.normal(size=5), RANDOM.normal(size=3)
    made = [sum(held[k] * x[places[k]] for k in range(a, b)) for a, b in ((0, 2), (2, 2), (2, 5))]
    assert like("spmv", made + y, starts, places, held, x, y) == (True, "sparse(a, b, c) @ d + e")
    assert like("spmv", with_one_wrong(made + y), starts, places, held, x, y)[0] is False


def test_the_elements_of_a_head_need_not_be_passed() -> None:
    q, k, v = RANDOM.normal(size=(3, 2, 5, 64))
    scores = np.exp(q @ k.transpose(0, 2, 1))
    right = (scores / scores.sum(axis=2, keepdims=True) @ v).reshape(-1)
    flat = [one.reshape(-1) for one in (q, k, v)]
    assert like("attention", right, *flat, heads=2, n=5) == (True, "attention, scale 1, of 2 heads of 64")


def test_a_similarity_is_repeated_along_an_axis_only() -> None:
    x, y = RANDOM.normal(size=(4, 6)), RANDOM.normal(size=(4, 6))
    each = (x * y).sum(axis=0) / np.sqrt((x * x).sum(axis=0) * (y * y).sum(axis=0))
    assert like("cosine_similarity", np.tile(each, (4, 1)), x, y)[0] is True
    whole = (x * y).sum() / np.sqrt((x * x).sum() * (y * y).sum())
    assert like("cosine_similarity", np.full((4, 6), whole), x, y)[0] is False


def test_rows_that_lie_further_apart_than_they_are_long() -> None:
    """What lies behind them counts nowhere; the length of a row and the stride have to be passed."""
    numbers = {"stride_x": 7, "stride_y": 5, "rows": 3, "n": 5}
    powers = np.exp(SIGNED)
    right = (powers / powers.sum(axis=1, keepdims=True)).reshape(-1)
    padded = np.pad(SIGNED, ((0, 0), (0, 2)), constant_values=9.0).reshape(-1)
    assert like("softmax", right, padded, **numbers) == (True, "softmax(a) along 5 elements")
    assert like("softmax", with_one_wrong(right), padded, **numbers)[0] is False
    left = np.pad(right.reshape(3, 5), ((0, 0), (0, 2)), constant_values=-1.0).reshape(-1)
    problem = Problem((Input("a", SIGNED.reshape(-1)),), left.shape, numbers | {"stride_x": 5, "stride_y": 7})
    found = likeness("softmax", problem, with_one_wrong(left), 1e-9)
    assert found is not None
    assert found.wrong.tolist() == [0]
    assert found.formula.values[5] == -1  # behind the first row, as it was left


def test_a_stride_inside_of_an_array_leaves_no_gaps() -> None:
    x = RANDOM.normal(size=(2, 5, 3))
    powers = np.exp(x)
    right = (powers / powers.sum(axis=1, keepdims=True)).reshape(-1)
    problem = Problem((Input("a", x.reshape(-1)),), right.shape, {"outer": 6, "n": 5, "stride": 3})
    found = likeness("softmax", problem, np.roll(right, 1), 1e-9)
    assert found is not None
    assert found.certain


def test_windows_have_the_sizes_that_are_passed_as_such() -> None:
    image = RANDOM.normal(size=(6, 8))
    seen = image.reshape(3, 2, 4, 2).max(axis=(1, 3))
    sizes = {"h": 6, "w": 8, "stride": 2}
    assert like("maxpool", seen.reshape(-1), image.reshape(-1), **sizes, pool_h=2, pool_w=2)[0] is True
    assert like("maxpool", seen.reshape(-1), image.reshape(-1), **sizes, pool_h=3, pool_w=2)[0] is False


def test_a_bias_for_each_channel() -> None:
    image, bias = RANDOM.normal(size=(2, 3, 4)), RANDOM.normal(size=3)
    right = (image + bias[:, None]).reshape(-1)
    assert like("add_bias", right, image.reshape(-1), bias, n=2, c=3, hw=4) == (True, "add(a, b)")
    assert like("add_bias", with_one_wrong(right), image.reshape(-1), bias, n=2, c=3, hw=4)[0] is False


def test_a_factor_for_each_row_of_a_square() -> None:
    x, y = RANDOM.normal(size=(4, 4)), RANDOM.normal(size=4)
    for right in (x * y, x * y[:, None]):
        assert like("mul", right, x, y) == (True, "mul(a, b)")
        assert like("mul", with_one_wrong(right), x, y)[0] is False
    assert like("mul", x * y[::-1], x, y)[0] is False


def test_operands_that_are_repeated_along_different_axes() -> None:
    x, y = RANDOM.normal(size=(4, 1)), RANDOM.normal(size=(1, 3))
    assert like("add", x + 0.5 * y, x, y, alpha=0.5) == (True, "add(a, 0.5 * b)")


def test_a_sum_of_each_block_of_a_scan() -> None:
    """Blocks are as long as a power of two, and the last one is shorter."""
    x, sums = RANDOM.normal(size=70), RANDOM.normal(size=3)
    right = x + np.repeat(sums, 32)[:70]
    assert like("add", right, x, sums, n=70) == (True, "add(a, b)")
    assert like("add", with_one_wrong(right), x, sums, n=70)[0] is False
    assert like("add", x + np.repeat(sums, 30)[:70], x, sums, n=70)[0] is False


def test_cosines_and_sines_in_one_table() -> None:
    """Of rows of which the first elements alone are turned."""
    x, angles, at = RANDOM.normal(size=(3, 10)), RANDOM.normal(size=(9, 4)), np.array([7, 0, 4])
    pairs = (x[:, :4] + 1j * x[:, 4:8]) * np.exp(1j * angles[at])
    right = np.concatenate([pairs.real, pairs.imag, x[:, 8:]], axis=1)
    table = np.concatenate([np.cos(angles), np.sin(angles)], axis=1)
    assert like("rope", right, x, at, table, turned=8) == (True, "rope(a), one table, place b, halves")
    assert like("rope", with_one_wrong(right), x, at, table, turned=8)[0] is False


def test_values_of_another_depth_than_keys() -> None:
    q, k, v = (RANDOM.normal(size=size) for size in ((4, 3), (6, 3), (6, 5)))
    powers = np.exp(q @ k.T)
    right = powers / powers.sum(axis=1, keepdims=True) @ v
    assert like("attention", right, q, k, v, scale=1.0)[0] is True
    assert like("attention", with_one_wrong(right), q, k, v, scale=1.0)[0] is False


def test_sections_that_are_sorted_or_merged() -> None:
    x = RANDOM.normal(size=20)
    right = np.concatenate([np.sort(x[:8]), np.sort(x[8:16]), np.sort(x[16:])])
    assert like("bitonic_sort_shared", right, x, n=20) == (True, "sort(a) of each 8 elements")
    assert like("merge_kernel", right, x, n=20, width=4) == (True, "sections of 8 of a, sorted")
    assert like("merge_kernel", with_one_wrong(right), x, n=20, width=4)[0] is False


def test_a_step_of_a_scan() -> None:
    x = RANDOM.normal(size=20)
    right = x.copy()
    right[4:] += x[:-4]
    assert like("hillis_steele_scan", right, x, n=20, offset=4) == (True, "a + a of 4 before, along 20 elements")
    assert like("hillis_steele_scan", right, x, n=20, offset=5)[0] is False


def test_letters_of_a_text() -> None:
    text = np.frombuffer(b"what it is, and what it is not", np.uint8)
    letters = [chr(c) for c in text if chr(c).isalpha()]
    right = np.array([sum((ord(c) - 97) // 4 == n for c in letters) for n in range(7)])
    assert like("histo_private_kernel", right, text, n=30) == (True, "histogram(a) of each 4 letters")


def test_the_loss_of_probabilities() -> None:
    x, right = RANDOM.normal(size=(3, 4)), RANDOM.uniform(size=(3, 4))
    logs = x - np.log(np.exp(x).sum(axis=1, keepdims=True))
    each = -(right * logs).sum(axis=1)
    assert like("softmax_cross_entropy", each, x, right) == (True, "-sum(b * log_softmax(a)) along 4 elements")
    assert like("softmax_cross_entropy", with_one_wrong(each), x, right)[0] is False


def test_weights_that_lie_as_in_wram() -> None:
    """Rows r, r + 64, ... are behind each other, in any shape."""
    left, weights = RANDOM.normal(size=(3, 5)), RANDOM.normal(size=(128, 5))
    lying = np.stack([weights[row] for first in range(64) for row in (first, first + 64)])
    said = "a @ b.T, of which b lies as in WRAM"
    assert like("matmul", left @ weights.T, left, lying.reshape(5, 128)) == (True, said)
    assert like("matmul", left @ weights.T, left, weights) == (True, "a @ b.T")
    assert like("matmul", left @ (weights + 1).T, left, lying.reshape(5, 128))[0] is False
