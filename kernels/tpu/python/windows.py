"""conv2d.c: convolutions of images, with sums in 32 bits; input channels without room are added in later steps."""

from __future__ import annotations

from typing import Any, NamedTuple

from .core import Core, Four, up

_MOST_SIDE = 65000  # of the input of a tile


class _Axis(NamedTuple):
    """What windows of an axis need of the input: a place, how much, and padding before and behind it."""

    begin: int
    size: int
    before: int
    behind: int


class _Window(NamedTuple):
    """The tile of a step: places and sizes of the output, channels of the input, and what it needs of both axes."""

    image: int
    start: int  # channels of the input
    ins: int
    out: int
    outs: int
    row: int
    rows: int
    col: int
    cols: int
    down: _Axis
    across: _Axis
    last: bool  # of the input's channels


class _Conv:
    """How a core goes about its images."""

    def __init__(self, core: Core, args: Any) -> None:
        a, self.core, self.args, self.tpu = args, core, args, core.tpu
        self.size, self.biased = a.input.type.size, a.bias != 0
        self.block = 1 if self.size == 4 else core.lanes // self.size
        self.reach = ((a.kernel_h - 1) * a.dilation_h + 1, (a.kernel_w - 1) * a.dilation_w + 1)
        quarter, half = core.part_bytes // 4 - 256, core.part_bytes // 2 - core.eu_bytes
        kernel = a.kernel_h * a.kernel_w * self.size
        weights = quarter // (kernel * self.block) * self.block
        images = half // (self.reach[0] * self.reach[1] * self.size) * core.lanes
        self.ins = min(a.c, weights, min(images, 4095) // self.block * self.block)
        taps = self.taps(self.ins) * self.size
        deep = min(up(a.oc, core.lanes), 4, quarter // taps)
        self.outs = min(a.oc, deep * core.lanes)
        self._tiles(half // (up(self.ins, core.lanes) * self.size), quarter // (deep * 4) // 32 * 32)

    def taps(self, channels: int) -> int:
        """Weights of an output channel."""
        return int(up(channels, self.block) * self.block * self.args.kernel_h * self.args.kernel_w)

    def _tiles(self, given: int, made: int) -> None:
        """Whole rows of the output where an input of so many elements holds them."""
        a, (high, wide) = self.args, self.reach
        self.cols = min(a.ow, made, (min(given // high, _MOST_SIDE) - wide) // a.stride_w + 1)
        line = (self.cols - 1) * a.stride_w + wide
        self.rows = min(a.oh, made // self.cols, (min(given // line, _MOST_SIDE) - high) // a.stride_h + 1)
        self.deep, self.blocks = up(a.c, self.ins), up(a.oc, self.outs)
        self.down, self.across = up(a.oh, self.rows), up(a.ow, self.cols)
        self.first, count = self.core.share(self.blocks * a.images * self.down * self.across)
        self.steps = count * self.deep

    def window(self, step: int) -> _Window:
        """What a step is about."""
        a, (tile, piece) = self.args, divmod(step, self.deep)
        tile, col = divmod(self.first + tile, self.across)
        tile, row = divmod(tile, self.down)
        out, image = divmod(tile, a.images)
        start, col, row, out = piece * self.ins, col * self.cols, row * self.rows, out * self.outs
        ins, outs = min(self.ins, a.c - start), min(self.outs, a.oc - out)
        rows, cols = min(self.rows, a.oh - row), min(self.cols, a.ow - col)
        down = _needed(row, rows, a.stride_h, self.reach[0], a.top, a.h)
        across = _needed(col, cols, a.stride_w, self.reach[1], a.left, a.w)
        return _Window(image, start, ins, out, outs, row, rows, col, cols, down, across, start + ins == a.c)

    def _places(self, step: int) -> tuple[int, int, int, int]:
        """Of input, weights, bias and output."""
        part, size = self.core.part(step), self.core.part_bytes
        return part, part + size // 2, part + size // 4 * 3 - 256, part + size // 4 * 3

    def load(self, step: int) -> None:
        """The input, and weights and bias unless the part has them from its step before."""
        a, t, tpu, (to, _, bias, _) = self.args, self.window(step), self.tpu, self._places(step)
        of = a.input + (((t.image * a.c + t.start) * a.h + t.down.begin) * a.w + t.across.begin)
        shape = (1, t.ins, t.down.size, t.across.size)
        # mlusim: allow(unread) steps of windows pass over rows and columns
        tpu.tpu_gdma_cpy_S2L(to, of, shape, None, (1, a.h * a.w, a.w, 1), a.dtype)
        if self.deep == 1 and step >= 2 and t.out == self.window(step - 2).out:
            return
        self._load_weights(t, step)
        if self.biased and t.start == 0:
            compact = (up(t.outs, self.core.lanes), 1, 1, 1)
            tpu.tpu_gdma_cpy_S2L(bias, a.bias + t.out, (1, t.outs, 1, 1), compact, None, tpu.DT_FP32)

    def _load_weights(self, t: _Window, step: int) -> None:
        a, tpu, block, to = self.args, self.tpu, self.block, self._places(step)[1]
        kernel, taps, blocks = a.kernel_h * a.kernel_w, self.taps(t.ins), up(t.ins, block)
        channel, of = a.c * kernel, a.weight + (t.out * a.c * kernel + t.start * kernel)
        if block == 1:
            strides = (1, taps, taps, 1), (1, channel, 1, 1)
            tpu.tpu_gdma_cpy_S2L(to, of, (1, t.outs, 1, taps), *strides, a.dtype)
            return
        if t.ins % block:  # what the last block lacks
            whole: Four = (1, min(t.outs, self.core.lanes), 1, up(t.outs, self.core.lanes) * taps)
            tpu.tpu_gdma_set_C_local(to, 0, whole, None, a.dtype)
        by_block = blocks < block  # a command for each block, or for each channel of all blocks
        for n in range(blocks if by_block else min(block, t.ins)):
            count = min(block, t.ins - n * block) if by_block else up(t.ins - n, block)
            system = (kernel if by_block else block * kernel, channel, 1, 1)
            local = (1 if by_block else block * kernel, taps, block, 1)
            place = to + (n * block * kernel if by_block else n) * self.size
            here = of + n * (block if by_block else 1) * kernel
            tpu.tpu_gdma_cpy_S2L(place, here, (count, t.outs, kernel, 1), local, system, a.dtype)

    def compute(self, step: int) -> None:
        """The windows; sums of several steps are kept in 32 bits."""
        a, t, tpu, (source, weight, bias, output) = self.args, self.window(step), self.tpu, self._places(step)
        several, begins = self.deep > 1, t.start == 0
        to = self.core.work if several else output
        windows = (
            (a.kernel_h, a.kernel_w), (t.down.before, t.down.behind, t.across.before, t.across.behind),
            (a.stride_h, a.stride_w), (a.dilation_h, a.dilation_w),
        )  # fmt: skip
        shape, types = (1, t.ins, t.down.size, t.across.size), (tpu.DT_FP32 if several else a.dtype, a.dtype)
        added = self.biased and begins, not begins
        tpu.tpu_bdc_fp_conv2d(to, source, weight, bias, shape, None, t.outs, *windows, *types, *added)
        made = (1, t.outs, t.rows, t.cols)
        if several and t.last and a.dtype == tpu.DT_FP32:
            tpu.tpu_bdc_cpy(output, to, made, None, None, tpu.DT_FP32)
        elif several and t.last:
            tpu.tpu_bdc_cast(output, to, made, None, None, a.dtype, tpu.DT_FP32, tpu.RM_HALF_TO_EVEN)

    def store(self, step: int) -> None:
        """The result, once it is whole."""
        a, t = self.args, self.window(step)
        if t.last:
            to = a.output + (((t.image * a.oc + t.out) * a.oh + t.row) * a.ow + t.col)
            shape, system = (1, t.outs, t.rows, t.cols), (1, a.oh * a.ow, a.ow, 1)
            self.tpu.tpu_gdma_cpy_L2S(to, self._places(step)[3], shape, system, None, a.dtype)


def _needed(at: int, count: int, stride: int, reach: int, before: int, length: int) -> _Axis:
    """What windows [at, at + count) of an axis need of ``length`` elements."""
    begin = at * stride - before
    end = begin + (count - 1) * stride + reach
    inside, behind = max(begin, 0), max(end - length, 0)
    return _Axis(inside, end - behind - inside, inside - begin, behind)


def conv2d(core: Core, args: Any) -> None:
    """The convolution of images."""
    core.tpu.tpu_initialize()
    job = _Conv(core, args)
    core.pipeline(job.load, job.compute, job.store, job.steps)
    core.tpu.tpu_poll()
