"""Small examples, worked by hand, of the references that are more than a line."""

from __future__ import annotations

import math
from typing import Any

import pytest

from tests.isa.references import atomics, pooling, reductions, weights
from tests.isa.references import tensors as tpu
from tests.isa.references.lanes import Local, Tensor, continuous, system_put, system_raw
from tests.isa.references.memory import Memory, Pointer
from tests.isa.references.numbers import decode, encode

DST, SRC, MORE = 0, 8192, 49152


def memory(kind: str, *pieces: list[Any]) -> tuple[Memory, list[Pointer]]:
    """Pieces of one type at SRC and MORE, and the pointers to them after that to DST."""
    made = Memory({"nram": bytes(98304)})
    places = [Pointer("nram", offset, kind) for offset in (DST, SRC, MORE)]
    for place, values in zip(places[1:], pieces, strict=False):
        made.put(place, encode(kind, values))
    return made, places


@pytest.mark.parametrize("kind", ["half", "bfloat16", "float"])
def test_count_takes_nan_and_not_zeros(kind: str) -> None:
    made, (dst, src, _) = memory(kind, [0.0, -0.0, 1.0, -2.0, math.nan, math.inf, 0.0, 3.0])
    assert [reductions.count(made, src, n) for n in (8, 7, 3, 2)] == [5, 4, 1, 0]
    reductions.count_into(made, dst, src, 8)
    assert made.read(Pointer("nram", DST, "uint32"), 2) == [5, 0]


def test_windows_that_stick_out_are_discarded_or_clipped() -> None:
    assert pooling.windows(5, 2, 2) == [range(0, 2), range(2, 4)]
    assert pooling.windows(5, 2, 2, clipped=True) == [range(0, 2), range(2, 4), range(4, 5)]
    assert pooling.windows(5, 3, 1) == [range(0, 3), range(1, 4), range(2, 5)]
    assert pooling.windows(5, 3, 1, clipped=True) == pooling.windows(5, 3, 1)
    assert pooling.windows(2, 3, 1) == []
    assert pooling.windows(2, 3, 1, clipped=True) == [range(0, 2)]
    assert pooling.windows(5, 1, 3, clipped=True) == [range(0, 1), range(3, 4)]


def test_maxpool_is_by_channel_and_knows_height_from_width() -> None:
    # height 2, width 3, channel 2: the second channel is the first one negated.
    rows = [[1, 5, 2], [9, 3, 4]]
    made, (dst, src, _) = memory("float", [v for row in rows for x in row for v in (float(x), -float(x))])
    pooling.maxpool(made, dst, src, 2, 2, 3, 2, 1, 1, 1)  # 2 x 1 windows at stride 1: 1 x 3
    assert made.read(dst, 6) == [9, -1, 5, -3, 4, -2]
    pooling.maxpool(made, dst, src, 2, 2, 3, 1, 2, 1, 2)  # 1 x 2 windows, width by 1, height by 2: 1 x 2
    assert made.read(dst, 4) == [5, -1, 5, -2]
    pooling.maxpool(made, dst, src, 2, 2, 3, 2, 2)  # strides of the kernel: the third column is discarded
    assert made.read(dst, 2) == [9, -1]


def test_pool_may_sum_and_clip() -> None:
    assert pooling.pool([1, 2, 3, 4, 5], 1, 1, 5, (1, 2), (1, 2), sum) == [3, 7]
    assert pooling.pool([1, 2, 3, 4, 5], 1, 1, 5, (1, 2), (1, 2), sum, clipped=True) == [3, 7, 5]


def test_rows_of_one_slice_come_together() -> None:
    assert [weights.slot(row, 128) for row in (0, 64, 1, 65, 63, 127)] == [0, 1, 2, 3, 126, 127]
    assert [weights.slot(row, 64) for row in range(64)] == list(range(64))
    made, (dst, src, _) = memory("int16", [row * 10 + i for row in range(128) for i in range(2)])
    weights.reshape_filter(made, dst, src, 128, 1, 1, 2)
    assert made.read(dst, 8) == [0, 1, 640, 641, 10, 11, 650, 651]
    with pytest.raises(ValueError, match="not a multiple of 64"):
        weights.reshape_filter(made, dst, src, 65, 1, 1, 2)


def test_matmul_reads_its_right_side_in_wram_order() -> None:
    right = [float(row == i) for row in range(128) for i in range(2)]  # rows 0 and 1 are unit vectors
    right[2 * 64] = 7.0  # row 64 is (7, 0)
    made, (dst, src, wram) = memory("float", right)
    weights.reshape_filter(made, wram, src, 128, 1, 1, 2)
    made.put(src, encode("float", [2.0, 3.0, 5.0, 11.0]))
    weights.matmul(made, dst, src, wram, 2, 2, 128)
    first, second = made.read(dst, 128), made.read(dst + 128, 128)
    assert (first[0], first[1], first[64], sum(first)) == (2.0, 3.0, 14.0, 19.0)
    assert (second[0], second[1], second[64], sum(second)) == (5.0, 11.0, 35.0, 51.0)


def test_atomics_add_to_what_is_there() -> None:
    made, (dst, src, _) = memory("int16", [1, -1, 1])
    made.put(dst, encode("int16", [32767, -32768, 5, 9]))
    atomics.reduce_add(made, dst, src, 3)
    assert made.read(dst, 4) == [-32768, 32767, 6, 9]
    atomics.reduce_add(made, dst, 4, 1)
    assert made.read(dst, 2) == [-32764, 32767]


# --- tensors across lanes --------------------------------------------------------------------------------------------

SMALL = {"lanes": 4, "lane_bytes": 1024, "eu_bytes": 16}


def test_channels_go_round_the_lanes() -> None:
    local = Local(**SMALL)
    tensor = Tensor(2 * 1024 + 32, (2, 5, 1, 3), "float")  # from lane 2 on, 16 bytes a channel
    assert local.aligned(tensor) == (8, 4, 3, 1)  # lane 2 holds channels 0 and 4
    places = {index: local.place(tensor, index) for index in tensor.indices()}
    assert places[0, 0, 0, 0] == (2, 32)
    assert places[0, 1, 0, 2] == (3, 40)
    assert places[0, 2, 0, 0] == (0, 32 + 16)  # the lanes below the first one begin in the second row
    assert places[0, 4, 0, 1] == (2, 32 + 16 + 4)
    assert places[1, 0, 0, 0] == (2, 32 + 32)
    assert places[1, 4, 0, 2] == (2, 32 + 32 + 16 + 8)


def test_sizes_of_the_default_layout() -> None:
    assert Local().aligned(Tensor(0, (2, 64, 3, 7), "half")) == (32, 32, 7, 1)
    assert Local().aligned(Tensor(0, (2, 65, 3, 11), "half")) == (128, 64, 11, 1)
    narrow = Local(lanes=32, lane_bytes=131072, eu_bytes=16)
    assert narrow.aligned(Tensor(131072, (1, 32, 1, 5), "float")) == (16, 8, 5, 1)
    assert continuous((2, 3, 4, 5)) == (60, 20, 5, 1)


def test_what_is_written_is_read_and_gaps_stay() -> None:
    local = Local(**SMALL)
    tensor = Tensor(1024 + 8, (1, 4, 2, 3), "int16", (99, 16, 5, 2))
    before = {lane: bytes(local.held[lane]) for lane in range(4)}
    local.write(tensor, range(24))
    assert local.read(tensor) == list(range(24))
    touched = {local.place(tensor, index) for index in tensor.indices()}
    cells = {(lane, byte + i) for lane, byte in touched for i in (0, 1)}
    changed = {(lane, i) for lane in range(4) for i in range(1024) if local.held[lane][i] != before[lane][i]}
    assert len(touched) == 24
    assert changed <= cells
    with pytest.raises(ValueError, match="leaves lane 1"):
        local.read(Tensor(1024 + 1016, (1, 1, 1, 3), "float"))


def test_fp_add_broadcasts_and_rounds_once() -> None:
    local = Local(**SMALL)
    shape = (1, 3, 2, 2)
    dst, one = Tensor(2 * 1024, shape, "half"), Tensor(2 * 1024 + 64, shape, "half")
    row = Tensor(2 * 1024 + 256, (1, 1, 1, 2), "half")
    local.write(one, [2048.0] * 4 + [1.0, 2.0, 3.0, 4.0] + [math.inf, math.nan, -0.0, 65504.0])
    local.write(row, [1.0, 65504.0])
    local.held[3][256:260] = encode("half", [10.0, 20.0])  # a channel stride of 0 stays in the lane of its channel
    local.held[0][256:260] = encode("half", [-math.inf, 0.0])
    wide = Tensor(row.address, shape, "half", (0, 0, 0, 1))
    tpu.binary(local, "tpu_bdc_fp_add", dst, one, wide)
    found = local.read(dst)
    assert found[:4] == [2048.0, math.inf, 2048.0, math.inf]  # 2049 is a tie, 67552 too much
    assert found[4:8] == [11.0, 22.0, 13.0, 24.0]
    assert math.isnan(found[8])
    assert math.isnan(found[9])
    assert found[10:] == [-math.inf, 65504.0]


@pytest.mark.parametrize(
    ("mode", "wanted"),
    [
        (0, [2, 2, -2, -2, 3]), (1, [2, 3, -2, -3, 3]), (2, [1, 2, -1, -2, 2]), (3, [1, 2, -2, -3, 2]),
        (4, [2, 3, -1, -2, 3]), (5, [2, 3, -1, -2, 3]), (6, [1, 2, -2, -3, 3]),
    ],
)  # fmt: skip
def test_cast_rounds_as_the_mode_says(mode: int, wanted: list[int]) -> None:
    assert [tpu.cast_value(x, "int8", mode) for x in (1.5, 2.5, -1.5, -2.5, 2.75)] == wanted


def test_cast_clamps_and_has_two_layouts() -> None:
    local = Local(**SMALL)
    values = [300.0, -300.0, math.nan, -math.inf, 7.0]
    src, dst = Tensor(0, (1, 5, 1, 1), "float"), Tensor(64, (1, 5, 1, 1), "uint8")
    local.write(src, values)
    tpu.cast(local, dst, src, 0)
    assert local.read(dst) == [255, 0, 255, 0, 7]
    assert local.place(src, (0, 4, 0, 0)) == (0, 16)
    assert local.place(dst, (0, 4, 0, 0)) == (0, 64 + 16)
    assert [tpu.cast_value(1e6, "half", mode) for mode in (0, 2, 3, 4)] == [math.inf, 65504.0, 65504.0, math.inf]
    assert tpu.cast_value(2049, "half", 4) == 2050.0
    assert tpu.cast_value(-129, "int8", 0) == -128


def test_power_is_the_exponential_of_a_logarithm() -> None:
    assert tpu.power(2.0, 10.0) == pytest.approx(1024.0)
    assert tpu.power(9.0, -0.5) == pytest.approx(1 / 3)
    assert (tpu.power(0.0, 2.0), tpu.power(5.0, 0.0), tpu.power(math.inf, 1.0)) == (0.0, 1.0, math.inf)
    assert math.isnan(tpu.power(-2.0, 2.0))
    local = Local(**SMALL)
    tensors = [Tensor(address, (1, 2, 1, 2), "float") for address in (0, 64, 128)]
    local.write(tensors[1], [1.0, 2.0, 3.0, 4.0])
    local.write(tensors[2], [9.0, 3.0, 2.0, 0.5])
    exact = tpu.fp32_pow(local, *tensors)
    assert exact == pytest.approx([1.0, 8.0, 9.0, 2.0])
    assert local.read(tensors[0]) == [1.0, 8.0, 9.0, 2.0]


def test_copies_keep_bits_between_system_and_lanes() -> None:
    local, shape = Local(**SMALL), (2, 3, 1, 2)
    system = bytearray(encode("float", range(24)))
    whole, column = Tensor(0, shape, "float"), Tensor(4, shape, "float", (12, 4, 0, 2))
    there = Tensor(3 * 1024 + 16, shape, "float")
    tpu.cpy_s2l(local, system, there, whole)
    assert local.read(there) == list(range(12))
    assert bytes(local.held[0][16 + 16 : 16 + 24]) == encode("float", [2.0, 3.0])  # channel 1: lane 0, second row
    tpu.cpy_s2l(local, system, there, column)
    assert local.read(there) == [1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23]
    tpu.cpy_l2s(system, local, Tensor(0, shape, "float", (12, 4, 0, 2)), there)
    assert decode("float", bytes(system))[:6] == [1, 1, 3, 3, 5, 5]
    assert system_raw(system, Tensor(4, (1, 1, 1, 1), "float")) == [encode("float", [1.0])]
    system_put(system, Tensor(8, (1, 1, 1, 1), "int8"), [b"\x05"])
    assert system[8] == 5
