"""movement.c: axes in another order, lines of a table by index."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from .core import Core, up

_PAGE = 65535  # lines of a table that a command reaches


class _Patch(NamedTuple):
    """The tile of a step: elements at which it begins on both sides, and its size."""

    source: int
    target: int
    rows: int
    cols: int


class _Transpose:
    """Matrices, one for each index of the outer axes; ``turned``: rows lie side by side in the result."""

    def __init__(self, core: Core, args: Any) -> None:
        self.core, self.args, self.tpu = core, args, core.tpu
        size, half = args.input.type.size, core.part_bytes // 2
        self.cols = min(args.cols, 8 * core.lanes if args.turned else half // size)
        deep = 8 if args.turned else half // core.aligned(self.cols, size)
        self.rows = min(args.rows, max(deep, 1) * core.lanes, 65535)
        matrices = math.prod(args.counts)
        while (
            self.rows > core.lanes and matrices * up(args.rows, self.rows) * up(args.cols, self.cols) < 2 * core.cores
        ):
            self.rows = up(self.rows // 2, core.lanes) * core.lanes
        self.down, self.across = up(args.rows, self.rows), up(args.cols, self.cols)
        self.first, self.steps = core.share(matrices * self.down * self.across)

    def patch(self, step: int) -> _Patch:
        """What a step is about."""
        a = self.args
        left, inside = divmod(self.first + step, self.down * self.across)
        row, col = inside // self.across * self.rows, inside % self.across * self.cols
        source, target = row * a.row_from + col, row * a.row_to + col * a.col_to
        for axis in range(len(a.counts) - 1, -1, -1):
            left, index = divmod(left, a.counts[axis])
            source, target = source + index * a.sources[axis], target + index * a.to[axis]
        return _Patch(source, target, min(self.rows, a.rows - row), min(self.cols, a.cols - col))

    def _turned(self, step: int) -> int:
        return self.core.part(step) + self.core.part_bytes // 2

    def load(self, step: int) -> None:
        """A tile."""
        a, p = self.args, self.patch(step)
        shape, system = (1, p.rows, 1, p.cols), (1, a.row_from, 1, 1)
        self.tpu.tpu_gdma_cpy_S2L(self.core.part(step), a.input + p.source, shape, None, system, a.dtype)

    def turn(self, step: int) -> None:
        """Its rows and columns change places."""
        p = self.patch(step)
        if self.args.turned:
            shape = (1, p.cols, 1, p.rows)
            self.tpu.tpu_bdc_cw_trans(self._turned(step), self.core.part(step), shape, self.args.dtype)

    def store(self, step: int) -> None:
        """The tile, at its place."""
        a, p = self.args, self.patch(step)
        shape, step_ = ((1, p.cols, 1, p.rows), a.col_to) if a.turned else ((1, p.rows, 1, p.cols), a.row_to)
        of = self._turned(step) if a.turned else self.core.part(step)
        self.tpu.tpu_gdma_cpy_L2S(a.output + p.target, of, shape, (1, step_, 1, 1), None, a.dtype)


def transpose(core: Core, args: Any) -> None:
    """The axes of an array in another order."""
    core.tpu.tpu_initialize()
    job = _Transpose(core, args)
    core.pipeline(job.load, job.turn, job.store, job.steps)
    core.tpu.tpu_poll()


class _Lines(NamedTuple):
    """The tile of a step: its first line and column, its size, and the lines of the table that it reaches."""

    line: int
    column: int
    lines: int
    width: int
    page: int
    reach: int


class _Gather:
    """Lines in tiles; of a table in pages, a step for each of them."""

    def __init__(self, core: Core, args: Any) -> None:
        self.core, self.args, self.tpu = core, args, core.tpu
        size, half = args.table.type.size, core.part_bytes // 2
        self.pages, self.width = up(args.lines, _PAGE), min(args.length, half // size)
        deep = half // core.aligned(self.width, size)
        self.lines = min(up(args.count, core.cores), deep * core.lanes, _PAGE)
        self.across = up(args.length, self.width)
        self.first, count = core.share(up(args.count, self.lines) * self.across)
        self.steps = count * self.pages

    def tile(self, step: int) -> _Lines:
        """What a step is about."""
        a, (tile, page) = self.args, divmod(step, self.pages)
        row, column = divmod(self.first + tile, self.across)
        line, column = row * self.lines, column * self.width
        sizes = min(self.lines, a.count - line), min(self.width, a.length - column)
        return _Lines(line, column, *sizes, page, min(_PAGE, a.lines - page * _PAGE))

    def _result(self, step: int) -> int:
        return self.core.part(step) + (self.core.part_bytes // 2 if self.pages > 1 else 0)

    def load(self, step: int) -> None:
        """Lines of a page; indices of other pages are past its end, and give zeros."""
        a, t = self.args, self.tile(step)
        table, index = a.table + (t.page * _PAGE * a.length + t.column), a.indices + (t.page * a.count + t.line)
        shape, strides = (1, t.lines, 1, t.width), (None, (1, 0, a.length, 1), (1, 1, 1, 1))
        self.tpu.tpu_gdma_h_gather_S2L(
            self.core.part(step), table, index, False, 0, shape, t.reach, *strides, a.dtype
        )  # fmt: skip

    def join(self, step: int) -> None:
        """The lines of all pages together."""
        t, fresh, kept = self.tile(step), self.core.part(step), self.core.work
        if self.pages == 1:
            return
        shape, to = (1, t.lines, 1, t.width), self._result(step) if t.page == self.pages - 1 else kept
        if t.page:
            self.tpu.tpu_bdc_or(to, kept, fresh, shape, None, None, None, self.args.dtype)
        else:
            self.tpu.tpu_bdc_cpy(to, fresh, shape, None, None, self.args.dtype)

    def store(self, step: int) -> None:
        """The lines at their place."""
        a, t = self.args, self.tile(step)
        if t.page == self.pages - 1:
            shape, to = (1, t.lines, 1, t.width), a.output + (t.line * a.length + t.column)
            self.tpu.tpu_gdma_cpy_L2S(to, self._result(step), shape, (1, a.length, 1, 1), None, a.dtype)


def gather(core: Core, args: Any) -> None:
    """output[i] = table[indices[i]], lines of ``length`` elements."""
    core.tpu.tpu_initialize()
    job = _Gather(core, args)
    core.pipeline(job.load, job.join, job.store, job.steps)
    core.tpu.tpu_poll()
