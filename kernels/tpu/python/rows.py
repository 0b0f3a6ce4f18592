"""softmax.c and norms.c: operators on rows, each in a lane, as many side by side as fit; long ones in pieces."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .core import LOWEST, NONE, ONE, Core, Four, bits, up

_TABLES, _COLUMNS = 2048, 8  # bytes at the end of a lane; columns of one float a row


class Tile(NamedTuple):
    """The tile of a step; ``begin`` counts elements, ``input`` and ``output`` are places in a lane."""

    number: int  # of its pass
    last: bool  # pass
    piece: int
    width: int
    rows: int
    begin: int
    input: int
    output: int

    @property
    def shape(self) -> Four:
        """Of the tile."""
        return (1, self.rows, 1, self.width)

    @property
    def column(self) -> Four:
        """Of one element a row."""
        return (1, self.rows, 1, 1)


class Steps:
    """A core's steps with rows of elements: commands on 32-bit floats, and what lies where."""

    def __init__(self, core: Core, args: Any) -> None:
        self.core, self.args, self.tpu = core, args, core.tpu
        self.whole = getattr(args, "dtype", core.tpu.DT_FP32) == core.tpu.DT_FP32  # some know floats alone
        self.tables = core.lane_bytes - _TABLES
        #: A column repeats along its row, and a row that all lanes read along the rows of lanes.
        self.repeated_column, self.repeated_row = (0, core.eu_bytes // 4, 0, 0), (0, 0, 0, 1)

    def cast(self, to: int, of: int, shape: Four, to_type: int, of_type: int) -> None:
        """Elements as another type."""
        self.tpu.tpu_bdc_cast(to, of, shape, None, None, to_type, of_type, self.tpu.RM_HALF_TO_EVEN)

    def apply(self, op: str, to: int, a: int, b: int, shape: Four, stride: Four | None = None) -> None:
        """to = a op b, in 32-bit floats."""
        getattr(self.tpu, f"tpu_bdc_{op}")(to, a, b, shape, None, None, stride, self.tpu.DT_FP32)

    def apply_c(self, op: str, to: int, a: int, value: float | np.float32, shape: Four) -> None:
        """to = a op value."""
        getattr(self.tpu, f"tpu_bdc_{op}")(to, a, bits(value), shape, None, None, self.tpu.DT_FP32)

    def sum_rows(self, column: int, values: int, shape: Four, factor: float | np.float32 = 1) -> None:
        """column = the sum of every row, times a number."""
        window = (column, values, shape, (1, shape[3]), NONE, ONE, ONE)
        self.tpu.tpu_bdc_fp_avg_pool2d(*window, self.tpu.DT_FP32, bits(factor))


class RowTiles(Steps):
    """How a core goes about its rows: ``wide`` tiles of floats and ``shared`` rows that all lanes read."""

    def __init__(self, core: Core, args: Any, wide: int, shared: int) -> None:
        super().__init__(core, args)
        self.size = args.input.type.size
        lanes, aligned, part = core.lanes, core.aligned, core.part_bytes
        work = core.lane_bytes - core.work - _TABLES
        columns = _COLUMNS * aligned(1, 4)
        room = min(part // ((2 + shared) * self.size), (work - columns) // (4 * (wide + shared)))
        self.pieces = up(args.length, min(args.length, 65535, room // 64 * 64))
        self.width = up(args.length, self.pieces)
        self.passes = 2 if self.pieces > 1 else 1
        row, floats = aligned(self.width, self.size), aligned(self.width, 4)
        fit = min((part - shared * row) // (2 * row), (work - shared * floats) // (wide * floats + columns))
        share = up(args.groups * args.rows, core.cores)
        few = share if share <= lanes else up(up(share, 4), lanes) * lanes
        self.tile_rows = min(few, fit * lanes, args.rows, 4095)
        self.tiles = up(args.rows, self.tile_rows)
        self.first, count = core.share(args.groups * self.tiles)
        self.steps = count * self.passes * self.pieces
        self.deep = up(self.tile_rows, lanes)
        self.result = self.deep * row
        self.wide = [core.work + n * self.deep * floats for n in range(wide)]
        self.columns = core.work + wide * self.deep * floats
        self.shared = core.lane_bytes - _TABLES - shared * floats

    def column(self, number: int) -> int:
        """Where a column of floats lies."""
        return self.columns + number * self.deep * self.core.aligned(1, 4)

    def tile(self, step: int) -> Tile:
        """What a step is about."""
        a = self.args
        index, piece = self.first + step // (self.passes * self.pieces), step % self.pieces
        group, row = index // self.tiles, index % self.tiles * self.tile_rows
        number = step // self.pieces % self.passes
        begin = group * a.length * a.inner + row * (a.length if a.inner == 1 else 1) + piece * self.width * a.inner
        place = self.core.part(step)
        width, count = min(self.width, a.length - piece * self.width), min(self.tile_rows, a.rows - row)
        return Tile(number, number == self.passes - 1, piece, width, count, begin, place, place + self.result)

    def _beyond(self, t: Tile) -> tuple[Four, Four]:
        """Shape and strides of a tile in system memory."""
        if self.args.inner == 1:
            return t.shape, (0, self.args.length, 0, 1)
        return (1, t.rows, t.width, 1), (0, 1, self.args.inner, 1)

    def load(self, t: Tile) -> None:
        """A tile of the input."""
        shape, stride = self._beyond(t)
        self.tpu.tpu_gdma_cpy_S2L(t.input, self.args.input + t.begin, shape, None, stride, self.args.dtype)

    def store(self, step: int) -> None:
        """A tile of the result."""
        t = self.tile(step)
        if t.last:
            shape, stride = self._beyond(t)
            self.tpu.tpu_gdma_cpy_L2S(self.args.output + t.begin, t.output, shape, stride, None, self.args.dtype)

    def floats(self, t: Tile) -> int:
        """The elements as 32-bit floats: where they are, or else in the first wide tile."""
        if self.whole:
            return t.input
        self.cast(self.wide[0], t.input, t.shape, self.tpu.DT_FP32, self.args.dtype)
        return self.wide[0]

    def place(self, t: Tile) -> int:
        """Where the result is computed."""
        return t.output if self.whole else self.wide[0]

    def finish(self, t: Tile) -> None:
        """What has been computed becomes the tile's output."""
        if not self.whole:
            self.cast(t.output, self.wide[0], t.shape, self.args.dtype, self.tpu.DT_FP32)

    def run(self, load: Any, compute: Any) -> None:
        """All steps."""
        self.core.pipeline(load, compute, self.store, self.steps)
        self.tpu.tpu_poll()


class Online:
    """Softmax of rows that come in pieces: the largest element so far, and the sum of the powers so far (online.h)."""

    def __init__(self, rows: Steps, columns: list[int], works: list[int]) -> None:
        self.rows, self.tpu, self.works = rows, rows.tpu, works
        self.largest, self.sum, self.next, self.factor = columns
        self._tables = rows.tables, rows.tables + 256
        self.tpu.tpu_bdc_load_fp32_exp_coeff(self._tables[0])
        self.tpu.tpu_bdc_load_fp32_exp_table(self._tables[1])

    def exponential(self, values: int, shape: Four) -> None:
        """values = e ** values"""
        self.tpu.tpu_bdc_fp32_exp(values, values, *self.works, *self._tables, shape)

    def powers(self, powers: int, values: int, shape: Four) -> None:
        """powers = e ** (values - largest)"""
        self.rows.apply("fp_sub", powers, values, self.largest, shape, self.rows.repeated_column)
        self.exponential(powers, shape)

    def take(self, powers: int, values: int, shape: Four, first: bool) -> None:
        """A piece: the sum so far is ``factor`` times what it was."""
        r, column, fp32 = self.rows, (1, shape[1], 1, 1), self.tpu.DT_FP32
        window = (self.next, values, shape, (1, shape[3]), NONE, ONE, ONE)
        self.tpu.tpu_bdc_fp_max_pool2d(*window, fp32, bits(0))
        r.apply_c("max_C", self.next, self.next, LOWEST, column)
        if not first:
            r.apply("max", self.next, self.next, self.largest, column)
            r.apply("fp_sub", self.factor, self.largest, self.next, column)
            self.exponential(self.factor, column)
            r.apply("fp_mul", self.sum, self.sum, self.factor, column)
        self.tpu.tpu_bdc_cpy(self.largest, self.next, column, None, None, fp32)
        self.powers(powers, values, shape)
        r.sum_rows(self.sum if first else self.next, powers, shape)
        if not first:
            r.apply("fp_add", self.sum, self.sum, self.next, column)


def softmax(core: Core, args: Any) -> None:
    """e ** (x - m) / sum(e ** (x - m)) along rows, where m is the largest element of a row."""
    core.tpu.tpu_initialize()
    r = RowTiles(core, args, 3, 0)
    online = Online(r, [r.column(n) for n in range(4)], r.wide[1:])

    def compute(step: int) -> None:
        t = r.tile(step)
        x, powers = r.floats(t), r.wide[0]
        if t.number == 0:
            online.take(powers, x, t.shape, t.piece == 0)
        else:
            online.powers(powers, x, t.shape)
        if t.last:
            core.tpu.tpu_bdc_fp32_reciprocal(online.next, online.sum, t.column, None, None)
            r.apply("fp_mul", r.place(t), powers, online.next, t.shape, r.repeated_column)
            r.finish(t)

    r.run(lambda step: r.load(r.tile(step)), compute)


class _Norm:
    """What both norms do; ``shared`` is 1 for gamma alone, 2 for gamma and beta."""

    def __init__(self, core: Core, args: Any, shared: int) -> None:
        core.tpu.tpu_initialize()
        self.r, self.core, self.shared = RowTiles(core, args, 2, shared), core, shared
        self.mean, self.squares, self.part, self.delta, self.scale = (self.r.column(n) for n in range(5))
        self.r.run(self._load, self._compute)

    def _given(self, number: int, step: int) -> int:
        """Where gamma or beta lies in the part of a step."""
        r = self.r
        return self.core.part(step) + 2 * r.result + number * self.core.aligned(r.width, r.size)

    def _row(self, number: int, step: int, t: Tile) -> int:
        """The same as floats."""
        r = self.r
        if r.whole:
            return self._given(number, step)
        wide = r.shared + number * self.core.aligned(r.width, 4)
        shape = (1, self.core.lanes, 1, t.width)
        r.cast(wide, self._given(number, step), shape, r.tpu.DT_FP32, r.args.dtype)
        return wide

    def _load(self, step: int) -> None:
        r, t = self.r, self.r.tile(step)
        r.load(t)
        if not t.last if r.pieces > 1 else step > 1:
            return
        shape = (1, self.core.lanes, 1, t.width)
        for number, row in enumerate([r.args.gamma, r.args.beta] if self.shared > 1 else [r.args.gamma]):
            to, here = self._given(number, step), row + t.piece * r.width
            r.tpu.tpu_gdma_cpy_S2L(to, here, shape, None, (0, 0, 0, 1), r.args.dtype)

    def _sum_squares(self, t: Tile, to: int, values: int) -> None:
        self.r.apply("fp_mul", self.r.wide[1], values, values, t.shape)
        self.r.sum_rows(to, self.r.wide[1], t.shape)

    def _take_moments(self, t: Tile, x: int) -> None:
        """Mean and squares of this piece, taken together with those of the pieces before."""
        r, column, f = self.r, t.column, np.float32
        to_mean = self.delta if t.piece else self.mean
        r.sum_rows(to_mean, x, t.shape, f(1) / f(t.width))
        r.apply("fp_sub", r.wide[1], x, to_mean, t.shape, r.repeated_column)
        self._sum_squares(t, self.part if t.piece else self.squares, r.wide[1])
        if not t.piece:
            return
        before = f(t.piece) * f(r.width)
        r.apply("fp_sub", self.delta, self.delta, self.mean, column)
        r.apply("fp_add", self.squares, self.squares, self.part, column)
        r.apply_c("fp_mul_C", self.part, self.delta, f(t.width) / (before + f(t.width)), column)
        r.apply("fp_add", self.mean, self.mean, self.part, column)
        r.apply("fp_mul", self.part, self.part, self.delta, column)
        r.apply_c("fp_mul_C", self.part, self.part, before, column)
        r.apply("fp_add", self.squares, self.squares, self.part, column)

    def _take_squares(self, t: Tile, x: int) -> None:
        self._sum_squares(t, self.part if t.piece else self.squares, x)
        if t.piece:
            self.r.apply("fp_add", self.squares, self.squares, self.part, t.column)

    def _compute(self, step: int) -> None:
        r, t, centred = self.r, self.r.tile(step), self.shared > 1
        x, result = r.floats(t), r.place(t)
        if t.number == 0:
            (self._take_moments if centred else self._take_squares)(t, x)
        if not t.last:
            return
        if t.piece == 0:  # scale = 1 / sqrt(squares / length + eps)
            r.apply_c("fp_mul_C", self.scale, self.squares, np.float32(1) / np.float32(r.args.length), t.column)
            r.apply_c("fp_add_C", self.scale, self.scale, r.args.eps, t.column)
            r.tpu.tpu_bdc_fp32_rsqrt(self.scale, self.scale, t.column)
        if centred:
            r.apply("fp_sub", result, x, self.mean, t.shape, r.repeated_column)
            x = result
        r.apply("fp_mul", result, x, self.scale, t.shape, r.repeated_column)
        r.apply("fp_mul", result, result, self._row(0, step, t), t.shape, r.repeated_row)
        if centred:
            r.apply("fp_add", result, result, self._row(1, step, t), t.shape, r.repeated_row)
        r.finish(t)


def rms_norm(core: Core, args: Any) -> None:
    """x / sqrt(mean(x ** 2) + eps) * gamma"""
    _Norm(core, args, 1)


def layer_norm(core: Core, args: Any) -> None:
    """(x - mean) / sqrt(mean((x - mean) ** 2) + eps) * gamma + beta"""
    _Norm(core, args, 2)
