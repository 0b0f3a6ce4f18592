"""attention.c: softmax(q x k transposed * scale) x v, a tile of queries at a time over all tiles of keys."""

from __future__ import annotations

from typing import Any, NamedTuple

from .core import LOWEST, Core, Four, bits, up
from .rows import Online, Steps

_TENSOR, _SCALAR, _VECTOR = 0, 1, 2


class _Span(NamedTuple):
    """The tile of a step; ``hidden``: no query of it sees a key of it."""

    batch: int
    query: int
    queries: int
    key: int
    keys: int
    first: bool
    last: bool
    hidden: bool


class _Attention(Steps):
    """How a core goes about its queries, and where it keeps what only BDC uses."""

    def __init__(self, core: Core, args: Any) -> None:
        super().__init__(core, args)
        self.bank = core.bank_bytes
        self.tiles = up(args.queries, core.lanes)
        self.keys = min(args.keys, (1 if args.depth + args.values > 512 else 4) * core.lanes)
        self.pieces = up(args.keys, self.keys)
        self.first, count = core.share(args.batch * self.tiles)
        self.steps = count * self.pieces
        at = core.work + 2 * self.bank
        of_keys, of_values = core.aligned(self.keys, 4), core.aligned(args.values, 4)
        self.scores, self.columns, *works = (at + n * of_keys for n in range(4))
        at += 4 * of_keys
        self.weights = self.scores if self.whole else at
        at += 0 if self.whole else of_keys
        self.sums, self.products, at = at, at + of_values, at + 2 * of_values
        *columns, self.rows = (at + n * core.eu_bytes for n in range(5))
        largest, total, following, factor = columns
        self.turned = at + 5 * core.eu_bytes
        self.online = Online(self, [largest, total, following, factor], works)

    def span(self, step: int) -> _Span:
        """What a step is about."""
        a, (tile, piece) = self.args, divmod(step, self.pieces)
        batch, tile = divmod(self.first + tile, self.tiles)
        query, key = tile * self.core.lanes, piece * self.keys
        queries, keys = min(self.core.lanes, a.queries - query), min(self.keys, a.keys - key)
        hidden = bool(a.causal and key >= query + queries)
        return _Span(batch, query, queries, key, keys, key == 0, key + keys == a.keys, hidden)

    def _places(self, step: int) -> tuple[int, int, int, int]:
        """Of queries, which stay while keys come and go, of keys, values and the output."""
        part, size = self.core.part(step), self.core.part_bytes
        return self.core.work + step // self.pieces % 2 * self.bank, part, part + size * 3 // 8, part + size * 3 // 4

    def _lines(self, to: int, of: Any, line: int, lines: int, length: int) -> None:
        self.tpu.tpu_gdma_cpy_S2L(to, of + line * length, (1, lines, 1, length), None, None, self.args.dtype)

    def load(self, step: int) -> None:
        """Keys and values, and queries once for all of them."""
        a, s, (queries, keys, values, _) = self.args, self.span(step), self._places(step)
        if s.hidden:
            return
        if s.first:
            self._lines(queries, a.q, s.batch * a.queries + s.query, s.queries, a.depth)
        for to, of, length in ((keys, a.k, a.depth), (values, a.v, a.values)):
            self._lines(to, of, s.batch * a.keys + s.key, s.keys, length)

    def _hide(self, s: _Span, shape: Four) -> None:
        """Scores of keys behind the query's own number become the lowest float."""
        tpu = self.tpu
        tpu.tpu_bdc_arithmetic_sequence_bcast(self.columns, s.queries, s.key, 1, s.keys)
        tpu.tpu_bdc_arithmetic_sequence_distribute(self.rows, s.query, 1, s.queries)
        places = (_TENSOR, self.columns), (_VECTOR, self.rows), (_SCALAR, bits(LOWEST)), (_TENSOR, self.scores)
        tpu.tpu_bdc_greater_select(self.scores, *places, shape, tpu.DT_INT32, tpu.DT_FP32)

    def compute(self, step: int) -> None:
        """A tile of keys, and behind the last one the result."""
        a, s = self.args, self.span(step)
        if not s.hidden:
            self._take(s, step)
        if not s.last:
            return
        result, column = (1, s.queries, 1, a.values), (1, s.queries, 1, 1)
        output, o = self._places(step)[3], self.online
        self.tpu.tpu_bdc_fp32_reciprocal(o.next, o.sum, column, None, None)
        self.apply("fp_mul", output if self.whole else self.sums, self.sums, o.next, result, self.repeated_column)
        if not self.whole:
            self.cast(output, self.sums, result, a.dtype, self.tpu.DT_FP32)

    def _take(self, s: _Span, step: int) -> None:
        a, tpu, (queries, keys, values, _) = self.args, self.tpu, self._places(step)
        scores, result = (1, s.queries, 1, s.keys), (1, s.queries, 1, a.values)
        sizes = s.queries, a.depth, s.keys
        tpu.tpu_bdc_fp_mm_R_trans(self.scores, queries, keys, *sizes, tpu.DT_FP32, a.dtype)
        self.apply_c("fp_mul_C", self.scores, self.scores, a.scale, scores)
        if a.causal and s.key + s.keys - 1 > s.query:
            self._hide(s, scores)
        self.online.take(self.scores, self.scores, scores, s.first)
        if not self.whole:
            self.cast(self.weights, self.scores, scores, a.dtype, tpu.DT_FP32)
        tpu.tpu_bdc_cw_trans(self.turned, values, (1, a.values, 1, s.keys), a.dtype)
        sums, sizes = self.sums if s.first else self.products, (s.queries, s.keys, a.values)
        tpu.tpu_bdc_fp_mm_R_trans(sums, self.weights, self.turned, *sizes, tpu.DT_FP32, a.dtype)
        if not s.first:
            self.apply("fp_mul", self.sums, self.sums, self.online.factor, result, self.repeated_column)
            self.apply("fp_add", self.sums, self.sums, self.products, result)

    def store(self, step: int) -> None:
        """The result of a tile of queries."""
        a, s = self.args, self.span(step)
        if s.last:
            to = a.output + (s.batch * a.queries + s.query) * a.values
            shape = (1, s.queries, 1, a.values)
            self.tpu.tpu_gdma_cpy_L2S(to, self._places(step)[3], shape, None, None, a.dtype)


def attention(core: Core, args: Any) -> None:
    """What a query may not see of a causal attention, the keys behind its own number, is left out."""
    core.tpu.tpu_initialize()
    job = _Attention(core, args)
    core.pipeline(job.load, job.compute, job.store, job.steps)
    core.tpu.tpu_poll()
