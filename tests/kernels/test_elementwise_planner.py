"""The planner alone: what is padded, merged and dispatched, against a table worked out by hand from the descriptions.

Every row was derived on paper: pad the shorter shape with 1 in front; merge an axis into the one before it where both
inputs are broadcast alike; take the first kernel whose index formula gives the shorter input's elements.
"""

from itertools import pairwise

import numpy as np
import pytest
from mlusim.kernels import elementwise as ew
from mlusim.kernels.elementwise.metadata import Metadata

FLOAT = np.dtype(np.float32)


def of(shape, dtype=FLOAT):
    return np.zeros(shape, dtype)


#: Shapes of a and b; axes after merging; variant; its parameters. Document shapes: N, C, H, W = 2, 3, 4, 5.
TABLE = [
    ((2, 3, 4, 5), (2, 3, 4, 5), (120,), "nobroadcast", {}),
    ((7,), (7,), (7,), "nobroadcast", {}),
    ((), (), (), "nobroadcast", {}),
    ((1, 1), (1,), (), "nobroadcast", {}),
    ((2, 3, 4, 5), (), (120,), "one_scalar", {"first_shorter": 0}),
    ((1, 1, 1), (2, 3), (6,), "one_scalar", {"first_shorter": 1}),
    # index % inner_dim
    ((2, 3, 4, 5), (5,), (24, 5), "one_dimension", {"inner_dim": 5, "first_shorter": 0}),
    ((2, 3, 4, 5), (4, 5), (6, 20), "one_dimension", {"inner_dim": 20, "first_shorter": 0}),
    ((1, 3, 4, 5), (2, 3, 4, 5), (2, 60), "one_dimension", {"inner_dim": 60, "first_shorter": 1}),
    # (index / inner_dim) % axis_lgt: one value for each channel
    ((2, 3, 4, 5), (3, 1, 1), (2, 3, 20), "one_not_broadcast", {"axis_lgt": 3, "inner_dim": 20, "first_shorter": 0}),
    ((1, 3, 1, 1), (2, 3, 4, 5), (2, 3, 20), "one_not_broadcast", {"axis_lgt": 3, "inner_dim": 20, "first_shorter": 1}),
    ((2, 3, 4, 5), (3, 4, 1), (2, 12, 5), "one_not_broadcast", {"axis_lgt": 12, "inner_dim": 5, "first_shorter": 0}),
    ((2, 3, 4, 5), (2, 1, 1, 1), (2, 60), "one_not_broadcast", {"axis_lgt": 2, "inner_dim": 60, "first_shorter": 0}),
    # index / outer_stride * inner_dim + index % inner_dim: one run of axes is broadcast
    ((2, 3, 4, 5), (2, 1, 4, 5), (2, 3, 20), "one_broadcast",
     {"outer_stride": 60, "inner_dim": 20, "first_shorter": 0}),
    ((2, 3, 1, 5), (2, 3, 4, 5), (6, 4, 5), "one_broadcast", {"outer_stride": 20, "inner_dim": 5, "first_shorter": 1}),
    ((2, 3, 4, 5), (2, 1, 1, 5), (2, 12, 5), "one_broadcast", {"outer_stride": 60, "inner_dim": 5, "first_shorter": 0}),
    # none of them: both inputs are broadcast, or one of them twice apart
    ((2, 1, 4, 5), (1, 3, 4, 5), (2, 3, 20), "stride", {"dim_count": 3}),
    ((2, 3, 1), (1, 1, 4), (6, 4), "stride", {"dim_count": 2}),
    ((2, 3, 4, 5), (2, 1, 4, 1), (2, 3, 4, 5), "stride", {"dim_count": 4}),
    ((6, 2, 3, 4, 5), (3, 1, 5), (12, 3, 4, 5), "stride", {"dim_count": 4}),
    # images of one channel or one pixel lie as [N, H, W, C] as they stand
    ((2, 1, 4, 1), (1, 1, 1, 5), (8, 5), "stride", {"dim_count": 2}),
    ((2, 1, 1, 1), (1, 3, 1, 1), (2, 3), "stride", {"dim_count": 2}),
]  # fmt: skip


@pytest.mark.parametrize(("a", "b", "merged", "variant", "parameters"), TABLE)
def test_table(device, a, b, merged, variant, parameters):
    plan = ew.plan(device, "add", of(a), of(b))
    assert (plan.shape, plan.variant, dict(plan.parameters)) == (merged, variant, parameters)
    assert plan.policy == ("contiguous" if variant == "nobroadcast" else "strided")
    assert ew.plan(device, "add", of(a), of(b), variant=variant) == plan or variant == "stride"


@pytest.mark.parametrize(("a", "b", "variant", "parameters"), [
    # More than one formula gives the elements: the later ones can be asked for.
    ((4, 6), (), "one_dimension", {"inner_dim": 1, "first_shorter": 0}),
    ((4, 6), (6,), "one_not_broadcast", {"axis_lgt": 6, "inner_dim": 1, "first_shorter": 0}),
    ((4, 6), (6,), "one_broadcast", {"outer_stride": 24, "inner_dim": 6, "first_shorter": 0}),
    ((4, 6), (4, 1), "one_broadcast", {"outer_stride": 6, "inner_dim": 1, "first_shorter": 0}),
    ((4, 6), (4, 6), "stride", {"dim_count": 2}),
    ((4, 6), (4, 6), "nobroadcast", {}),
    ((4, 6), (4, 6), "one_dimension", {"inner_dim": 24, "first_shorter": 0}),
])  # fmt: skip
def test_forced_variants(device, a, b, variant, parameters):
    plan = ew.plan(device, "add", of(a), of(b), variant=variant)
    assert (plan.variant, dict(plan.parameters)) == (variant, parameters)


@pytest.mark.parametrize(("a", "b", "variant"), [
    ((4, 6), (6,), "nobroadcast"), ((4, 6), (6,), "one_scalar"), ((4, 6), (4, 1), "one_dimension"),
    ((2, 4, 6), (2, 1, 6), "one_not_broadcast"), ((2, 4, 6), (4, 1), "one_broadcast"), ((4, 6), (4, 6), "limit_nhwc"),
    ((4, 6), (4, 6), "half8"), ((2, 1), (1, 3), "one_broadcast"), ((4, 6), (4, 6), "one_scalar"),
])  # fmt: skip
def test_variants_that_do_not_apply(device, a, b, variant):
    with pytest.raises(ValueError, match=f"variant '{variant}' does not apply to add of shapes"):
        ew.plan(device, "add", of(a), of(b), variant=variant)


def test_half8_takes_halfs_in_whole_aligned_vectors(device):
    a = of((6, 4, 16), np.float16)
    assert ew.plan(device, "add", a[::2], a[:3]).variant == "half8"
    assert ew.plan(device, "add", a[::2], a[:3]).vector_width == 8
    assert ew.plan(device, "add", a[::2, :, :8], a[:3, :, 8:]).variant == "half8"
    rows = of((6, 20), np.float16)[:, :16]  # 40 bytes apart: whole vectors, of which every second is not aligned
    for x, y in (
        (a[::2, :, :7], a[:3, :, :7]), (a[::2, :, 1:9], a[:3, :, :8]), (a[..., ::2], a[..., :8]), (rows, rows),
    ):  # fmt: skip
        assert ew.plan(device, "add", x, y).variant == "stride"
    assert ew.plan(device, "add", a[::2], a[:3].astype(np.float32)).variant == "stride"


def test_limit_nhwc_is_chosen_by_the_layout_of_the_output(device):
    a = of((2, 3, 4, 5))
    relaid = np.zeros((2, 4, 5, 3), np.float32).transpose(0, 3, 1, 2)
    plan = ew.plan(device, "add", a, a, out=relaid)
    assert (plan.variant, plan.shape, plan.output.strides) == ("limit_nhwc", (2, 3, 20), (240, 4, 12))
    # All arrays in that order are contiguous again.
    assert ew.plan(device, "add", relaid, relaid, out=relaid).variant == "nobroadcast"
    assert ew.plan(device, "add", a, a, variant="limit_nhwc").output.strides == plan.output.strides


@pytest.mark.parametrize(("a", "b", "out", "policy"), [
    # contiguous or not; cast where an array is of another type than the function
    (of(8), of(8), of(8), "contiguous"),
    (of(8), of(8, np.float16), of(8), "contiguous_cast"),
    (of(8), of(8), of(8, np.float16), "contiguous_cast"),
    (of(16)[::2], of(8), of(8), "strided"),
    (of(8), of(8), of(16)[::2], "strided"),
    (of(16)[::2], of(8, np.float16), of(8), "strided_cast"),
    (of((4, 8)).T, of((4, 8)).T, of((4, 8)).T, "contiguous"),  # in the order of the output
    (of(8)[::-1], of(8)[::-1], of(8)[::-1], "contiguous"),
    (of(8)[::-1], of(8), of(8), "strided"),
    (of(8, np.float16), of(8, np.float16), of(8, np.float16), "contiguous"),
])  # fmt: skip
def test_policies(device, a, b, out, policy):
    assert ew.plan(device, "add", a, b, out=out).policy == policy


@pytest.mark.parametrize(("dtype", "start", "width"), [
    (np.float32, 0, 4), (np.float32, 2, 2), (np.float32, 1, 1), (np.float32, 4, 4),
    (np.float16, 0, 4), (np.float16, 4, 4), (np.float16, 2, 2), (np.float16, 3, 1),
    (np.int8, 0, 4), (np.int8, 4, 4), (np.int8, 6, 2), (np.int8, 7, 1),
])  # fmt: skip
def test_vectors_are_as_wide_as_addresses_are_aligned(device, dtype, start, width):
    base = of(64, dtype)
    for operands in ((base[start : start + 21], base[:21]), (base[:21], base[start : start + 21])):
        plan = ew.plan(device, "add", *operands)
        assert (plan.vector_width, plan.body, plan.remainder) == (width, 21 // width * width, 21 % width)
    # What is walked from its end begins there.
    turned = base[start : start + 22][::-1]
    assert ew.plan(device, "add", turned, base[:22][::-1], out=of(22, dtype)[::-1]).vector_width == width
    # No vectors where a type is cast or an array is not contiguous.
    assert ew.plan(device, "add", of(21), of(21, np.float16)).vector_width == 1
    assert ew.plan(device, "add", of(42)[::2], of(21)).vector_width == 1


@pytest.mark.parametrize("name", ["neg", "zero"])
@pytest.mark.parametrize("count", [1, 1000, 65535, 65536, 1 << 20, (1 << 24) + 3])
def test_slices_are_at_most_65535_elements_and_alike_for_all_cores(device, count, name):
    flat = np.broadcast_to(np.float32(0), (count,))  # as long, and without memory
    plan = ew.plan(device, name, flat, variant="stride")
    rows, cols = plan.slice_shape
    assert rows * cols <= 65535
    assert plan.slices >= -(-count // 65535)
    assert plan.cores == min(32, max(1, count // 2048))
    assert plan.slices % plan.cores == 0
    assert (plan.slices - 1) * cols < count <= plan.slices * cols
    assert plan.tiles * plan.tile_shape[1] >= cols


@pytest.mark.parametrize(("name", "shape", "row", "cores", "slices", "tiles"), [
    # Slices of as many tiles as leave every core the same; tiles by what NRAM holds of all buffers.
    ("add", (1 << 20,), False, 32, (32, (1, 32768)), (1, (1, 32768))),
    ("div", (1 << 20,), False, 32, (32, (1, 32768)), (4, (1, 8192))),
    # Tiles of whole vectors, though 131101 / 32 is less.
    ("add", (131101,), False, 32, (32, (1, 4100)), (1, (1, 4100))),
    # 100 rows: 4 for each of 25 cores are no longer on their way than 3 or 4 for each of 32.
    ("add", (100, 1000), True, 25, (25, (4, 1000)), (1, (4, 1000))),
    # 10 rows for each core, of which NRAM holds 4: 5 tiles of 2 each, and not 80 tiles of 4 over 32 cores.
    ("add", (320, 8000), True, 32, (160, (2, 8000)), (1, (2, 8000))),
])  # fmt: skip
def test_slices_and_tiles(device, name, shape, row, cores, slices, tiles):
    plan = ew.plan(device, name, of(shape), of(shape[-1:] if row else shape))
    assert (plan.cores, (plan.slices, plan.slice_shape)) == (cores, slices)
    assert (plan.tiles, plan.tile_shape) == tiles
    assert plan.tile_shape[1] % plan.vector_width == 0


def test_nram_has_what_a_call_needs(device):
    def names(*call, **more):
        return [buffer.name for buffer in ew.plan(device, *call, **more).nram]

    stages = ["a stage 0", "b stage 0", "a stage 1", "b stage 1"]
    assert names("add", of(9), of(9)) == [*stages, "out stage 0"]
    assert names("div", of(9), of(9)) == [*stages, "out stage 0", "out stage 1", "scratch"]
    assert names("add", of((3, 4)), of(4)) == [*stages, "b repeated", "out stage 0"]
    assert names("add", of(()), of(())) == [*stages, "out stage 0"]  # one element is repeated nowhere
    assert names("neg", of(9, np.float16)) == ["a stage 0", "a stage 1", "a values", "out stage 0", "out values"]


def test_nram_map_has_no_overlap_and_fits(device):
    for name, dtype in (("add", np.float32), ("gelu", np.float16), ("pow", np.int32), ("div", np.float32)):
        arrays = [of((64, 3000), dtype)] * ew_inputs(name)
        plan = ew.plan(device, name, *arrays)
        ends = [buffer.offset + buffer.bytes for buffer in plan.nram]
        assert all(end <= after.offset for end, after in zip(ends, plan.nram[1:], strict=False))
        assert plan.nram_bytes == ends[-1] <= (768 - 128) * 1024
        assert all(buffer.offset % 64 == 0 for buffer in plan.nram)
        assert plan.tile_shape[0] * plan.tile_shape[1] <= plan.room
        assert plan.room * 1.5 > plan.tile_shape[0] * plan.tile_shape[1]


def ew_inputs(name):
    return 1 if name == "gelu" else 2


def test_flat_metadata():
    found = Metadata.create((2, 3), (12, 4), 4, [((2, 3), (12, 4), 4), ((3,), (4,), 4), ((2, 1), (8, 4), 4)])
    assert found.flat == (2, 3, 12, 4, 2, 3, 1, 3, 2, 1, 12, 4, 0, 4, 8, 0, 1, 1, 0, 0, 1, 1)
    assert (found.ndim, found.input_size, found.output_size, found.output_contiguous) == (2, 3, 6, True)
    assert [found.input_shape(n) for n in range(3)] == [(2, 3), (1, 3), (2, 1)]
    assert [found.input_strides(n) for n in range(3)] == [(12, 4), (0, 4), (8, 0)]
    assert [found.input_contiguous(n) for n in range(3)] == [True, True, False]
    assert [found.input_broadcast(n) for n in range(3)] == [False, True, True]


def test_an_array_without_elements_is_contiguous():
    found = Metadata.create((2, 0), (8, 4), 4, [((2, 0), (99, -4), 4), ((0,), (7,), 4)])
    assert found.output_contiguous
    assert [found.input_contiguous(n) for n in range(2)] == [True, True]


def test_a_plan_prints_what_it_decided(device):
    text = str(ew.plan(device, "mul", of((2, 3, 4, 5), np.int8), of((3, 1, 1), np.int8), scales=(1, 1, 2)))
    for part in ("mul on mlu370-x4, 2 x 3 x 4 x 5 int8", "strided, computed in float32",
                 "one_not_broadcast_int8 axis_lgt=3",
                 "2 x 3 x 20 after merging", "strides 0 x 1 x 0 bytes, repeated on chip", "scratch"):  # fmt: skip
        assert part in text
    lines = text.splitlines()
    assert all(first[:16].strip() for first in lines)
    assert all(a != b for a, b in pairwise(lines))
