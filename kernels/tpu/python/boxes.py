"""nms.c: HAU sorts the scores, all cores compare pairs of boxes, and the processor of the first one picks."""

from __future__ import annotations

from typing import Any, NamedTuple

from .core import Core, Four, up
from .rows import Steps

_COLUMNS = 1024  # of a tile
_X1, _Y1, _X2, _Y2 = range(4)


class _Pairs(NamedTuple):
    """The tile of a step; ``below`` the diagonal all of its boxes come before those that they would suppress."""

    row: int
    rows: int
    col: int
    cols: int
    below: bool


class _Nms(Steps):
    """A part has the coordinates of the boxes of columns, the same in all lanes, those of rows, and the result."""

    def __init__(self, core: Core, args: Any) -> None:
        super().__init__(core, args)
        self.across = up(args.stride, _COLUMNS)
        self.first, self.steps = core.share(up(args.n, core.lanes) * self.across)
        tiles = [core.work + which * _COLUMNS * 4 for which in range(4)]
        self.both, self.height, self.lower, self.covered = tiles
        self.area, self.other = (tiles[3] + _COLUMNS * 4 + which * core.eu_bytes for which in range(2))

    def pairs(self, step: int) -> _Pairs:
        """What a step is about."""
        row, col = divmod(self.first + step, self.across)
        row, col = row * self.core.lanes, col * _COLUMNS
        rows, cols = min(self.core.lanes, self.args.n - row), min(_COLUMNS, self.args.stride - col)
        return _Pairs(row, rows, col, cols, col + cols <= row)

    def _columns(self, step: int, which: int) -> int:
        return self.core.part(step) + which * _COLUMNS * 4

    def _rows(self, step: int, which: int) -> int:
        return self._columns(step, 4) + which * self.core.eu_bytes

    def load(self, step: int) -> None:
        """Coordinates."""
        t, tpu = self.pairs(step), self.tpu
        for which in () if t.below else range(4):
            of, columns = self.args.ordered + which, (1, self.core.lanes, 1, t.cols)
            to = self._columns(step, which), self._rows(step, which)
            tpu.tpu_gdma_cpy_S2L(to[0], of + t.col * 4, columns, None, (1, 0, 1, 4), tpu.DT_FP32)
            tpu.tpu_gdma_cpy_S2L(to[1], of + t.row * 4, (1, t.rows, 1, 1), None, (1, 4, 1, 1), tpu.DT_FP32)

    def _shared(self, to: int, step: int, low: int, shape: Four) -> None:
        """to = the length that two boxes share along an axis."""
        ends = self._columns(step, low + 2), self._rows(step, low + 2)
        self.apply("min", to, *ends, shape, self.repeated_column)
        begins = self._columns(step, low), self._rows(step, low)
        self.apply("max", self.lower, *begins, shape, self.repeated_column)
        self.apply("fp_sub", to, to, self.lower, shape)
        self.apply_c("max_C", to, to, 0, shape)

    def _area(self, to: int, other: int, box: list[int], shape: Four) -> None:
        self.apply("fp_sub", to, box[_X2], box[_X1], shape)
        self.apply("fp_sub", other, box[_Y2], box[_Y1], shape)
        self.apply("fp_mul", to, to, other, shape)

    def compare(self, step: int) -> None:
        """1 where what two boxes share is more than the threshold times what both cover."""
        t, tpu = self.pairs(step), self.tpu
        if t.below:
            return
        shape, column = (1, t.rows, 1, t.cols), (1, t.rows, 1, 1)
        self._shared(self.both, step, _X1, shape)
        self._shared(self.height, step, _Y1, shape)
        self.apply("fp_mul", self.both, self.both, self.height, shape)
        self._area(self.covered, self.lower, [self._columns(step, which) for which in range(4)], shape)
        self._area(self.area, self.other, [self._rows(step, which) for which in range(4)], column)
        self.apply("fp_add", self.covered, self.covered, self.area, shape, self.repeated_column)
        self.apply("fp_sub", self.covered, self.covered, self.both, shape)
        self.apply_c("fp_mul_C", self.covered, self.covered, self.args.threshold, shape)
        types = tpu.DT_UINT8, tpu.DT_FP32
        tpu.tpu_bdc_greater(self._rows(step, 4), self.both, self.covered, 1, shape, None, None, None, *types)

    def store(self, step: int) -> None:
        """The pairs at their place."""
        t, stride = self.pairs(step), self.args.stride
        if not t.below:
            to = self.args.overlaps + (t.row * stride + t.col)
            shape, strides = (1, t.rows, 1, t.cols), ((1, stride, 1, 1), None)
            # mlusim: allow(unwritten) nothing is read below the diagonal
            self.tpu.tpu_gdma_cpy_L2S(to, self._rows(step, 4), shape, *strides, self.tpu.DT_UINT8)


def _sort(tpu: Any, a: Any) -> None:
    """Boxes in the order of their scores, the highest first."""
    tpu.tpu_hau_sort_natural_index(a.sorted, a.order, a.scores, a.n, a.n, True, tpu.DT_FP32)
    tpu.tpu_hau_poll()
    shape = (1, 1, a.n, 4)
    tpu.tpu_gdma_h_gather_S2S(a.ordered, a.boxes, a.order, False, 0, shape, a.n, None, None, None, tpu.DT_FP32)


def _pick(tpu: Any, a: Any) -> None:
    """The boxes that no better one suppresses; where eight lie in one word, they are looked at together."""
    tpu.tpu_invalidate_cache(a.overlaps, up(a.n * a.stride, 64) * 64)
    tpu.tpu_invalidate_cache(a.order, up(a.n * 4, 64) * 64)
    words, count = a.suppressed.cast("uint64"), 0
    for box in range(a.stride):
        a.suppressed[box] = 0
    for box in range(a.n):
        if a.suppressed[box]:
            continue
        a.output[count] = a.order[box]
        count += 1
        row, other = a.overlaps + box * a.stride, box + 1
        while other < a.n and other % 8:
            a.suppressed[other] = int(a.suppressed[other]) | int(row[other])
            other += 1
        for word in range(other // 8, up(a.n, 8) if other < a.n else 0):
            words[word] = int(words[word]) | int(row.cast("uint64")[word])
    a.count[0] = count
    tpu.tpu_flush_cache(a.output, up(a.n * 4, 64) * 64)
    tpu.tpu_flush_cache(a.count, 64)


def nms(core: Core, args: Any) -> None:
    """Of boxes that overlap by more than a threshold, the one of the highest score stays."""
    tpu = core.tpu
    tpu.tpu_initialize()
    if core.index == 0:
        _sort(tpu, args)
    tpu.tpu_sync_all()
    job = _Nms(core, args)
    core.pipeline(job.load, job.compare, job.store, job.steps)
    tpu.tpu_sync_all()
    if core.index == 0:
        _pick(tpu, args)
