"""matmul.c: products of 16-bit floats on the cube, with sums in 32 bits; of 32-bit floats on the vector unit."""

from __future__ import annotations

from typing import Any, NamedTuple

from .core import Core, Four, up

_MOST_CORES = 8


class _Block(NamedTuple):
    """The tile of a step: elements [row, row + rows) of m, and so on; ``last`` along k."""

    batch: int
    row: int
    mid: int
    col: int
    rows: int
    mids: int
    cols: int
    last: bool


class _Product:
    """How a core goes about its products: tiles of at most so many rows, columns and elements in between."""

    def __init__(self, core: Core, args: Any, rows: int, mid: int, cols: int) -> None:
        self.core, self.args, self.tpu = core, args, core.tpu
        while up(args.m, rows) * up(args.n, cols) * args.batch < _MOST_CORES:
            if cols > core.lanes and cols >= rows:
                cols //= 2
            elif rows > core.lanes:
                rows //= 2
            else:
                break
        self.rows, self.mid, self.cols = rows, mid, cols
        self.down, self.deep, self.across = up(args.m, rows), up(args.k, mid), up(args.n, cols)
        self.first, count = core.share(args.batch * self.down * self.across)
        self.steps = count * self.deep

    def block(self, step: int) -> _Block:
        """What a step is about."""
        a = self.args
        batch, inside = divmod(self.first + step // self.deep, self.down * self.across)
        row, col = inside // self.across * self.rows, inside % self.across * self.cols
        mid = step % self.deep * self.mid
        rows, mids, cols = min(self.rows, a.m - row), min(self.mid, a.k - mid), min(self.cols, a.n - col)
        return _Block(batch, row, mid, col, rows, mids, cols, mid + mids == a.k)

    def left(self, b: _Block) -> Any:
        """Where a block begins in system memory."""
        return self.args.left + ((b.batch * self.args.m + b.row) * self.args.k + b.mid)

    def right(self, b: _Block) -> Any:
        """The same of the right matrix, which may be stored transposed."""
        a = self.args
        row, col, rows, cols = (b.col, b.mid, a.n, a.k) if a.transposed else (b.mid, b.col, a.k, a.n)
        return a.right + ((b.batch * rows + row) * cols + col)

    def output(self, b: _Block) -> Any:
        """The same of the result."""
        return self.args.output + ((b.batch * self.args.m + b.row) * self.args.n + b.col)


class _Cube(_Product):
    """Rows of matrices are channels."""

    def __init__(self, core: Core, args: Any) -> None:
        super().__init__(core, args, 4 * core.lanes, 16 * core.lanes, 16 * core.lanes)
        self.sums, self.part_sums = core.work, core.work + core.part_bytes

    def _places(self, step: int) -> tuple[int, int, int]:
        """Of left, right and output."""
        part, size = self.core.part(step), self.core.part_bytes
        return part, part + size // 4, part + size // 8 * 7

    def load(self, step: int) -> None:
        """Both factors."""
        a, b, (left, right, _) = self.args, self.block(step), self._places(step)
        self._matrix(left, self.left(b), b.rows, b.mids, a.k)
        if a.transposed:
            self._matrix(right, self.right(b), b.cols, b.mids, a.k)
        else:
            self._matrix(right, self.right(b), b.mids, b.cols, a.n)

    def _matrix(self, to: int, of: Any, rows: int, columns: int, stride: int) -> None:
        self.tpu.tpu_gdma_cpy_S2L(to, of, (1, rows, 1, columns), None, (1, stride, 1, 1), self.args.dtype)

    def multiply(self, step: int) -> None:
        """The product, added to those of the steps before along k."""
        tpu, dtype, b, (left, right, output) = self.tpu, self.args.dtype, self.block(step), self._places(step)
        shape: Four = (1, b.rows, 1, b.cols)
        if self.args.transposed:  # which does not add to what is there
            to = self.part_sums if b.mid else self.sums
            tpu.tpu_bdc_fp_mm_R_trans(to, left, right, b.rows, b.mids, b.cols, tpu.DT_FP32, dtype)
            if b.mid:
                tpu.tpu_bdc_fp_add(self.sums, self.sums, to, shape, None, None, None, tpu.DT_FP32)
        else:
            tpu.tpu_bdc_fp_mm(self.sums, left, right, b.rows, b.mids, b.cols, tpu.DT_FP32, dtype, b.mid > 0)
        if b.last:
            tpu.tpu_bdc_cast(output, self.sums, shape, None, None, dtype, tpu.DT_FP32, tpu.RM_HALF_TO_EVEN)

    def store(self, step: int) -> None:
        """The result, once it is whole."""
        b = self.block(step)
        if b.last:
            shape, system = (1, b.rows, 1, b.cols), (1, self.args.n, 1, 1)
            self.tpu.tpu_gdma_cpy_L2S(self.output(b), self._places(step)[2], shape, system, None, self.args.dtype)


class _Channels(NamedTuple):
    """A part of a matrix across lanes: the channels that are full, or the last one where it has fewer columns."""

    shape: Four
    stride: Four
    offset: int
    column: int


class _Floats(_Product):
    """Columns of matrices are dealt to channels, and a row is an image (float_product.h)."""

    def __init__(self, core: Core, args: Any) -> None:
        self.each = max(core.eu_bytes // 4, 16)
        rows = core.part_bytes // 4 // (4 * self.each)
        super().__init__(core, args, rows, rows, core.lanes * self.each)

    def _places(self, step: int) -> tuple[int, int, int]:
        part, size = self.core.part(step), self.core.part_bytes
        return part, part + size // 4, part + size // 2

    def _dealt(self, columns: int) -> int:
        return min(self.each, columns)

    def _channels(self, rows: int, columns: int) -> list[_Channels]:
        each, core = self._dealt(columns), self.core
        full, rest = divmod(columns, each)
        step = core.aligned(each, 4) // 4
        stride = (up(up(columns, each), core.lanes) * step, step, each, 1)
        last = full % core.lanes * core.lane_bytes + full // core.lanes * step * 4
        found = [_Channels((rows, full, 1, each), stride, 0, 0)]
        return [*found, *([_Channels((rows, 1, 1, rest), stride, last, full * each)] if rest else [])]

    def load(self, step: int) -> None:
        """Both factors."""
        a, tpu, b, (left, right, _) = self.args, self.tpu, self.block(step), self._places(step)
        tpu.tpu_gdma_matrix_S2L(left, self.left(b), b.rows, b.mids, self._dealt(b.mids), a.k, tpu.DT_FP32)
        if not a.transposed:
            tpu.tpu_gdma_matrix_S2L(right, self.right(b), b.mids, b.cols, self._dealt(b.cols), a.n, tpu.DT_FP32)
            return
        for part in self._channels(b.mids, b.cols):  # element by element
            each = part.shape[3]
            shape, system = (b.mids, part.shape[1], each, 1), (1, each * a.k, a.k, 1)
            local, of = (part.stride[0], part.stride[1], 1, 1), self.right(b) + part.column * a.k
            tpu.tpu_gdma_cpy_S2L(right + part.offset, of, shape, local, system, tpu.DT_FP32)

    def multiply(self, step: int) -> None:
        """The product, added to those of the steps before along k."""
        tpu, b, (left, right, output) = self.tpu, self.block(step), self._places(step)
        sums, each = self.core.work, (self._dealt(b.mids), self._dealt(b.cols))
        tpu.tpu_bdc_fp32_mm(sums, left, right, 0, b.rows, b.mids, b.cols, *each, False, b.mid > 0)
        for part in self._channels(b.rows, b.cols) if b.last else ():
            places = output + part.offset, sums + part.offset
            tpu.tpu_bdc_cpy(*places, part.shape, part.stride, part.stride, tpu.DT_FP32)

    def store(self, step: int) -> None:
        """The result, once it is whole."""
        b, tpu = self.block(step), self.tpu
        if b.last:
            sizes = b.rows, b.cols, self._dealt(b.cols), self.args.n
            tpu.tpu_gdma_matrix_L2S(self.output(b), self._places(step)[2], *sizes, tpu.DT_FP32)


def matmul(core: Core, args: Any) -> None:
    """output [m, n] = left [m, k] x right [k, n], or right [n, k] transposed."""
    core.tpu.tpu_initialize()
    job = (_Floats if args.dtype == core.tpu.DT_FP32 else _Cube)(core, args)
    core.pipeline(job.load, job.multiply, job.store, job.steps)
    core.tpu.tpu_poll()
