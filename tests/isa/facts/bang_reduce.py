"""Facts of BANG: reductions of vectors, searches in them, and atomic updates of device memory.

Source: bang_isa.md (b), and of the names that mlu-ops does not use the vendor's header, from which its rows come.
"""

from __future__ import annotations

from tests.isa.facts.bang_vector import PER_ELEMENT, POSITIVE, VECTOR_2XX
from tests.isa.facts.fact import Aligned, Fact, Holds, Limit, Within

_FLOATS = "half bfloat16 float"
_VECTOR = "in T src[elem_count], elem_count"


def _row(name: str, arguments: str, types: str = _FLOATS, archs: str = "", **facts: object) -> Fact:
    given = {"limits": VECTOR_2XX, "work": PER_ELEMENT, **facts}
    return Fact(f"__bang_{name}", arguments, types, archs, **given)  # type: ignore[arg-type]


#: "returns uint32 number of non-zero elements; legacy void form writes it to dst[0] (uint32)"; "ret form newer".
SEARCHES = tuple(
    row
    for name in ("count", "findfirst1", "findlast1")
    for row in (
        _row(name, _VECTOR, returns="uint32", inferred=True),
        _row(name, f"out uint32 dst[1], {_VECTOR}"),
    )
)
#: Value and index: "needs 12 B (float)/10 B (half) of dst".
_PAIR = f"out T dst[1 + 8 // sizeof], {_VECTOR}"
REDUCTIONS = (
    _row("sum", _VECTOR, f"{_FLOATS}, inferred int32", ">=300", limits=(POSITIVE,), returns="T"),
    # The first element of every 128 bytes; "the others will not be changed on 3xx". Kernels call it in place.
    _row(
        "reduce_sum",
        f"out T dst{{sizeof, (elem_count * sizeof - 1) // 128 x 128}}, {_VECTOR}",
        "half float, inferred bfloat16",
        ">=200",
    ),
    _row("argmax", _PAIR, archs=">=300", limits=(POSITIVE,)),
    _row("argmin", _PAIR, archs=">=300", limits=(POSITIVE,)),
    _row("max", _PAIR, overlap="apart"),
    _row("min", _PAIR, overlap="apart"),
)

#: "GDRAM dst[i] += nram src[i] atomically per element", "dst sizeof-aligned"; the header has the types of the others.
#: Pipe IO, which is paid by the bytes that it moves. Kernels wait for it or do not, so that later instructions see it.
_INTEGERS = "uint16 int16 uint32 int32"
_ALL = f"{_FLOATS} {_INTEGERS}"
_UPDATES = {
    "add": (f"{_FLOATS} int16 int32", _ALL),
    "max": (_ALL, _ALL),
    "min": (_ALL, _ALL),
    "inc": (_INTEGERS, _INTEGERS),
    "dec": (_INTEGERS, _INTEGERS),
    "and": ("int16 int32", _INTEGERS),
    "or": ("int16 int32", _INTEGERS),
    "xor": ("int16 int32", _INTEGERS),
    "exch": (f"{_FLOATS} int16 int32", _ALL),
}


def _atomic(name: str, arguments: str, types: str, archs: str, target: str, sized: bool) -> Fact:
    limits: tuple[Limit, ...] = (Aligned("sizeof", target),)
    # Zeros beside zeros would show no change.
    lowers = name.removeprefix("reduce_") in ("min", "and")
    return Fact(
        f"__bang_atomic_{name}", arguments, types, archs, (Within("size", 1), *limits) if sized else limits,
        pipe="io", work="size * sizeof" if sized else "sizeof", probes=({"size": 3},) if sized else (),
        call={"compare": 0, "value": 0 if lowers else 1}, holds={target: 0x3C, "src": 0} if lowers else {},
    )  # fmt: skip


def _updates(name: str, reduced: str, fetched: str) -> tuple[Fact, ...]:
    rows = []
    for source in ("in T src[size], size", "T value, size", "T value"):
        sized = "size" in source
        n = "size" if sized else "1"
        rows += [
            _atomic(f"reduce_{name}", f"inout gdram T dst[{n}], {source}", reduced, ">=300", "dst", sized),
            _atomic(name, f"out T dst[{n}], inout gdram T held[{n}], {source}", fetched, ">=200", "held", sized),
        ]
    return tuple(rows)


_SWAP = "T compare, T value"
#: "9 arguments: (dst, src, size, 1, 1, dst strides, src strides)" of one public kernel, whose counts are of further
#: segments and whose strides are in bytes (inferred).
_SEGMENTS = Fact(
    "__bang_atomic_reduce_add",
    "inout gdram T dst{size * sizeof, segnum1 x dst_stride1, segnum2 x dst_stride2},"
    " in T src{size * sizeof, segnum1 x src_stride1, segnum2 x src_stride2},"
    " size, segnum1, segnum2, dst_stride1, dst_stride2, src_stride1, src_stride2",
    f"{_FLOATS} int16 int32",
    ">=592",
    (
        Within("size", 1), Within("segnum1", 0), Within("segnum2", 0), Aligned("sizeof", "dst"),
        *(
            Holds(f"segnum{n} == 0 or abs(dst_stride{n}) >= size * sizeof", ({f"dst_stride{n}": 0},))
            for n in (1, 2)
        ),
    ),
    pipe="io",
    work="size * sizeof * (segnum1 + 1) * (segnum2 + 1)",
    call={
        "size": 16, "segnum1": 2, "segnum2": 1, "dst_stride1": 256, "dst_stride2": 1024, "src_stride1": 128,
        "src_stride2": 512,
    },
    probes=({"segnum1": 0}, {"dst_stride1": -256}, {"src_stride2": -512}, {"src_stride1": 0}),
    inferred=True,
)  # fmt: skip
ATOMICS = (
    _SEGMENTS,
    *(row for name, types in _UPDATES.items() for row in _updates(name, *types)),
    _atomic("reduce_cas", f"inout gdram T dst[1], {_SWAP}", f"{_FLOATS} int16 int32", ">=300", "dst", False),
    _atomic("cas", f"out T dst[1], inout gdram T held[1], {_SWAP}", _ALL, ">=200", "held", False),
)
ROWS = (*SEARCHES, *REDUCTIONS, *ATOMICS)
