"""Weights in the slices of WRAM: a row where a copy has put it, or where dealing rows out has brought it."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from mlusim.simulator import Device, Program, launch

from tests.support.paths import KERNELS_C

SOURCE = KERNELS_C / "slices.mlu"


@pytest.fixture(scope="module", params=["mlu370-x4", "mlu590"])
def device(request: pytest.FixtureRequest) -> Device:
    return Device.load(request.param)


def matrices(m: int, k: int, n: int) -> tuple[list[list[int]], list[list[int]], list[list[int]]]:
    """Left [m][k], weights [n][k] and their product [m][n]: whole numbers, whose sums no order of additions rounds."""
    chance = random.Random(f"{m} {k} {n}")
    left, weights = ([[chance.randrange(-9, 10) for _ in range(k)] for _ in range(count)] for count in (m, n))
    return left, weights, [[sum(map(int.__mul__, row, weight)) for weight in weights] for row in left]


@pytest.mark.parametrize(
    ("m", "k", "n", "first"),
    [
        (3, 4, 64, 0),
        (2, 16, 192, 64),
        (4, 8, 40, 192),
        (1, 20, 100, 0),
        (2, 36, 129, 128),
        (3, 4, 1, 0),
        (1, 20, 63, 0),
    ],
    ids=str,
)
def test_rows_lie_where_copies_have_put_them(program: Program, m: int, k: int, n: int, first: int) -> None:
    left, weights, product = matrices(m, k, n)
    out = np.zeros((2, m, n), np.float32)
    run = program.launch("by_slice", args=[out, np.float32(left), np.float32(weights), m, k, n, first, 0])
    assert out.tolist() == [product, product]
    assert run.findings == []


@pytest.mark.parametrize(("m", "k", "n"), [(3, 16, 1), (2, 16, 63), (5, 32, 100)], ids=str)
def test_the_last_rows_of_what_is_dealt_may_be_no_weights(program: Program, m: int, k: int, n: int) -> None:
    left, weights, product = matrices(m, k, n)
    out = np.zeros((m, n), np.float32)
    args = [out, np.float32(left), np.float32(weights), m, k, n]
    run = program.launch("padded", args=args, on_finding="collect")
    assert out.tolist() == product
    assert [finding.rule for finding in run.findings if finding.severity != "advice"] == []


def test_a_row_that_was_not_copied_is_uninitialized(program: Program) -> None:
    m, k, n = 2, 20, 70
    left, weights, product = matrices(m, k, n)
    out = np.zeros((2, m, n), np.float32)
    args = [out, np.float32(left), np.float32(weights), m, k, n, 0, 1]
    run = program.launch("by_slice", args=args, on_finding="collect")
    assert [(f.rule, f.instruction, f.operand) for f in run.findings if f.rule == "uninitialized"] == [
        ("uninitialized", "__bang_conv", "kernel")  # and said once
    ]
    assert out[..., :-1].tolist() == [[row[:-1] for row in product]] * 2


def test_what_is_dealt_out_at_an_address_is_no_longer_sliced(program: Program) -> None:
    left, weights, product = matrices(2, 12, 128)
    out = np.zeros((2, 128), np.float32)
    run = program.launch("dealt_over", args=[out, np.float32(left), np.float32(weights), 2, 12, 128])
    assert out.tolist() == product
    assert run.findings == []


def test_a_second_launch_knows_nothing_of_the_slices_of_the_first(program: Program) -> None:
    left, weights, _ = matrices(2, 12, 128)
    given = np.zeros((2, 2, 128), np.float32), np.float32(left), np.float32(weights), 2, 12, 128
    first = program.launch("unordered", args=[given[0][0], *given[1:]])
    program.launch("by_slice", args=[*given, 0, 0])
    again = np.zeros((2, 128), np.float32)
    assert program.launch("unordered", args=[again, *given[1:]]).findings == first.findings == []


def test_weights_that_were_never_put_in_order_give_another_product(program: Program) -> None:
    m, k, n = 3, 6, 128
    left, weights, product = matrices(m, k, n)
    out = np.zeros((m, n), np.float32)
    program.launch("unordered", args=[out, np.float32(left), np.float32(weights).T.copy(), m, k, n])
    assert out.tolist() != product
    # the row that slice s reads as its j-th: dealt out, every slice has a 64th of the elements
    dealt = np.array(weights).T.reshape(64, n // 64, k)
    seen = [[sum(map(int.__mul__, row, dealt[c % 64, c // 64].tolist())) for c in range(n)] for row in left]
    assert out.tolist() == seen


def test_weights_of_one_core_are_not_those_of_the_others(program: Program) -> None:
    left, weights, _ = matrices(2, 16, 64)
    out = np.zeros((4, 2, 64), np.float32)
    args = [out, np.float32(left), np.float32(weights), 2, 16, 64]
    run = program.launch("one_core_loads", (4, 1, 1), "union1", args, on_finding="collect")
    (found,) = [f for f in run.findings if f.rule == "uninitialized"]
    assert (found.instruction, found.operand, found.count) == ("__bang_matmul", "right", 3)
    assert "core 0" in found.suggestion


_PAIRS = (("int8", "int8"), ("int16", "int8"), ("int16", "int16"))
_FLOATS = (("half", "half", "half"), ("float", "float", "float"))


def forms_of_conv() -> list[tuple[str, str, bool, tuple[str, str, str]]]:
    """Name, operand that is added, whether there is a dilation, types of dst, src and kernel."""
    added = [("__bang_conv", "", "int16"), ("__bang_conv", "bias", "int16"), ("__bang_conv_partial", "partial", "half")]
    whole = [
        (name, extra, dilated, (target, *pair))
        for name, extra, most in added
        for dilated in (False, True)
        for target in dict.fromkeys(("half", "float", most))
        for pair in _PAIRS
    ]
    return whole + [
        (name, extra, False, types) for name, extra, most in added[::2] for types in _FLOATS if most != types[0]
    ]


@pytest.mark.parametrize("by_slice", [True, False], ids=["by slice", "dealt"])
@pytest.mark.parametrize(("name", "extra", "dilated", "types"), forms_of_conv(), ids=str)
def test_channels_fill_no_line_and_rows_not_all_slices_where_each_row_has_its_own(
    name: str, extra: str, dilated: bool, types: tuple[str, str, str], by_slice: bool
) -> None:
    device = Device.load("mlu370-x4")
    size, wram = {"int8": 1, "int16": 2, "half": 2, "float": 4}[types[2]], device.shape.spaces["wram"].bytes

    def kernel(mlu: Any, given: Any) -> None:
        dst, bias = (mlu.nram(types[0], 256) for _ in range(2))
        src, held, weights = mlu.nram(types[1], 16), mlu.nram("int8", 1024), mlu.wram(types[2], wram // size)
        for target, count in ((bias, 256), (src, 16), (held, 1024)):
            mlu.__memcpy(target, given, count, mlu.GDRAM2NRAM)
        if by_slice:
            mlu.__memcpy(weights, held, 16, mlu.NRAM2WRAM, wram // 64, 16, 63)
        else:
            mlu.__memcpy(weights, held, 1024, mlu.NRAM2WRAM)
        position = () if types in _FLOATS else (0,)
        more = (bias,) if extra else ()
        getattr(mlu, name)(
            dst,
            src,
            weights,
            *more,
            8 // size,
            1,
            1,
            1,
            1,
            1,
            1,
            40 if by_slice else 64,
            *position,
            *(2 * dilated * (1,)),
        )

    run = launch(kernel, args=[np.zeros(1024, np.int8)], device=device, on_finding="collect")
    # In memory the channels of a weight are padded: rows without padding are too short.
    assert [(f.rule, f.instruction) for f in run.findings] == ([] if by_slice else [("uninitialized", name)])


@pytest.mark.parametrize(("chip", "padded"), [("mlu370-x4", 16), ("mlu590", 3)])
@pytest.mark.parametrize(("rows", "count"), [(1, 1), (2, 5), (1, 64), (2, 130)])
def test_the_channels_of_a_weight_are_padded_in_memory(chip: str, padded: int, rows: int, count: int) -> None:
    """On 3xx to 64 bytes; three floats of image and weights have no padding between them."""
    chance = np.random.default_rng(count)
    image = chance.integers(-9, 9, (rows + 1, 4, 3)).astype(np.float32)
    weights = chance.integers(-9, 9, (count, rows, 2, 3)).astype(np.float32)
    lying = np.full((-(-count // 64) * 64, rows, 2, padded), 100, np.float32)
    lying[:count, ..., :3] = weights
    # As `__bang_reshape_filter` leaves them: the rows of one slice after the other.
    lying = np.ascontiguousarray(lying.reshape(-1, 64, rows * 2 * padded).swapaxes(0, 1))
    out = np.zeros((2, 3, count), np.float32)

    def kernel(mlu: Any, to: Any, source: Any, given: Any) -> None:
        dst, src, held = mlu.nram("float", out.size), mlu.nram("float", image.size), mlu.wram("float", lying.size)
        mlu.__memcpy(src, source, image.nbytes, mlu.GDRAM2NRAM)
        mlu.__memcpy(held, given, lying.nbytes, mlu.GDRAM2WRAM)
        mlu.__bang_conv(dst, src, held, 3, rows + 1, 4, rows, 2, 1, 1, count)
        mlu.__sync_compute()
        mlu.__memcpy(to, dst, out.nbytes, mlu.NRAM2GDRAM)

    run = launch(kernel, args=[out, image, lying], device=Device.load(chip), on_finding="collect")
    assert run.findings == []
    for y in range(2):
        for x in range(3):
            assert out[y, x].tolist() == (image[None, y : y + rows, x : x + 2] * weights).sum((1, 2, 3)).tolist()


@pytest.mark.parametrize(("copied", "width", "found"), [(16, 1, []), (80, 2, []), (64, 2, ["uninitialized"])])
def test_padding_between_the_channels_of_weights_need_not_be_written(copied: int, width: int, found: list[str]) -> None:
    """A weight of three channels takes 64 bytes; behind those of the last one nothing is copied."""
    image, weights = np.float32([[1, 2, 3], [4, 5, 6]]), np.zeros((2, 16), np.float32)
    weights[:, :3] = [7, 8, 9]
    out = np.zeros(3 - width, np.float32)

    def kernel(mlu: Any, to: Any, source: Any, given: Any) -> None:
        dst, src, held = mlu.nram("float", 2), mlu.nram("float", 6), mlu.wram("float", 64 * 32)
        mlu.__memcpy(src, source, image.nbytes, mlu.GDRAM2NRAM)
        mlu.__memcpy(held, given, copied, mlu.GDRAM2WRAM)
        mlu.__bang_conv(dst, src, held, 3, 1, 2, 1, width, 1, 1, 1)
        mlu.__sync_compute()
        mlu.__memcpy(to, dst, out.nbytes, mlu.NRAM2GDRAM)

    run = launch(kernel, args=[out, image, weights], device=Device.load("mlu370-x4"), on_finding="collect")
    assert [finding.rule for finding in run.findings if finding.severity != "advice"] == found
    assert found or out.tolist() == [[50, 122], [172]][width - 1]
