"""NumPy numbers of every type are counts, indices, offsets and values in Python kernels."""

import ml_dtypes
import numpy as np
import pytest
from mlusim.simulator import Device, launch

WHOLE = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64]


@pytest.mark.parametrize("kind", WHOLE, ids=lambda kind: kind.__name__)
def test_whole_numbers(device, kind):
    n, one = kind(64), kind(1)

    def kernel(mlu, out, counts, given):
        loaded = counts[kind(0)] if kind is not np.uint64 else given  # a kernel has no pointers to uint64
        for count in (n, given, loaded):
            tile = mlu.nram("float", count)
            mlu.__bang_write_value(tile, count, 1.0)
            mlu.__bang_write_value(tile + one, count - one, kind(3))
            mlu.__bang_add_scalar(tile, tile, one, count)
            (tile + count)[-int(one)] = 9
            mlu.__memcpy(out, tile, int(count) * 4, mlu.NRAM2GDRAM)
            assert (tile + count - count).address == tile.address

    out = np.zeros(64, np.float32)
    counts = np.array([64], kind if kind is not np.uint64 else np.int64)
    launch(kernel, args=[out, counts, n], device=device)
    assert out.tolist() == [2.0, *[4.0] * 62, 9.0]


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64, np.bool_, ml_dtypes.bfloat16])
def test_values(device, kind):
    def kernel(mlu, out):
        tile = mlu.nram("half", 64)
        mlu.__bang_write_value(tile, 64, kind(1))
        mlu.__bang_add_scalar(tile, tile, kind(1), 64)
        mlu.__memcpy(out, tile, 128, mlu.NRAM2GDRAM)

    out = np.zeros(64, np.float16)
    launch(kernel, args=[out], device=device)
    assert out.tolist() == [2.0] * 64


def test_a_value_is_rounded_to_the_element_type_as_in_c(device):
    """A float32 of 1e-4 added to half ones: in half, not in float32."""

    def kernel(mlu, out):
        tile = mlu.nram("half", 64)
        mlu.__bang_write_value(tile, 64, np.float32(2048))
        mlu.__bang_add_scalar(tile, tile, np.float32(1.0005), 64)
        mlu.__memcpy(out, tile, 128, mlu.NRAM2GDRAM)

    out = np.zeros(64, np.float16)
    launch(kernel, args=[out], device=device)
    assert out[0] == np.float16(2048) + np.float16(1.0005)


def test_structures(device):
    """The fields of dim4, and plain addresses in local memory."""
    tpu = Device.load("bm1690")

    def kernel(tpu, x, shape):
        tpu.tpu_gdma_cpy_S2L(np.int32(0), x, shape, None, None, tpu.DT_FP32)
        tpu.tpu_gdma_cpy_L2S(x + np.int16(64), np.uint32(0), shape, None, None, tpu.DT_FP32)
        tpu.tpu_poll()

    x = np.arange(128, dtype=np.float32)
    launch(kernel, (1, 1, 1), args=[x, tuple(np.int32(n) for n in (1, 4, 4, 4))], device=tpu)
    assert x[64:].tolist() == list(range(64))


def test_what_is_no_whole_number_is_no_offset(device):
    for use in (lambda x: x + 1.5, lambda x: x[np.float32(1)], lambda x: x - None):
        with pytest.raises(TypeError):
            launch(lambda mlu, x, use=use: use(x), args=[np.zeros(4, np.float32)], device=device)
