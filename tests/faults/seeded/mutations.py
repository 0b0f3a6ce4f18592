"""The faults that are seeded, by kind: each turns one place of a source into what a tired author may have written.

The kinds are those of mistakes that were seen in commits and reviews of kernels. Nothing here knows what mlusim finds.
A wrong formula is not among them: another constant, a sum for a difference.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise, permutations

from .source import Call, Source, Span

#: A change: a piece of the text and what stands in its place.
Change = tuple[Span, str]
Mutation = Callable[[Source], Iterator[Change]]
KINDS: dict[str, Mutation] = {}

_WAIT = re.compile(r"__sync(_\w+|threads|warp)?$|tpu_(poll|parallel_start|parallel_end|sync_all|sync_core)$")
_BARRIER = re.compile(r"__sync_(cluster|all\w*)$|__syncthreads$|tpu_sync_all$")
_COPY = re.compile(r"__memcpy(_async)?$|__mlvm_memcpy\w*$|__bang_move$|tpu_\w*dma_cpy_\w+$")
_COMPUTE = re.compile(r"__(bang|gather|scatter|mluop)_?\w*$")
_COMMAND = re.compile(r"tpu_(bdc|hau|\w*dma)_\w+$")
_OTHER_TYPE = {
    "float": "half",
    "half": "float",
    "int32_t": "int16_t",
    "int": "short",
    "int16_t": "int32_t",
    "int8_t": "int16_t",
}


@dataclass(frozen=True)
class Mutant:
    """A source with one fault: its kind, the lines of its statement, what stood there and what stands there now."""

    kind: str
    line: int
    last_line: int
    before: str
    after: str
    text: str

    def __str__(self) -> str:
        def short(text: str) -> str:
            return " ".join(text.split())

        return f"{self.kind} at line {self.line}: {short(self.before)} -> {short(self.after) or 'nothing'}"


def mutants(source: Source) -> dict[str, list[Mutant]]:
    """All that can be seeded into a source, by kind; each keeps the number of its lines."""
    found: dict[str, list[Mutant]] = {}
    for kind, mutation in KINDS.items():
        for span, after in mutation(source):
            before = source.of(span)
            after += "\n" * (before.count("\n") - after.count("\n"))
            if source.within.start <= span.start and span.end <= source.within.end and after != before:
                whole = next((call for call in source.calls if call.start <= span.start and span.end <= call.end), span)
                lines = source.line(whole.start), source.line(max(whole.start, whole.end - 1))
                text = source.text[: span.start] + after + source.text[span.end :]
                found.setdefault(kind, []).append(Mutant(kind, *lines, before, after, text))
    return found


def _kind(name: str) -> Callable[[Mutation], Mutation]:
    def added(mutation: Mutation) -> Mutation:
        KINDS[name] = mutation
        return mutation

    return added


def _dropped(calls: Iterator[Call]) -> Iterator[Change]:
    for call in calls:
        yield call, ";"


@_kind("sync")
def _sync(source: Source) -> Iterator[Change]:
    return _dropped(c for c in source.calls if _WAIT.match(c.name) and not _BARRIER.match(c.name))


@_kind("barrier")
def _barrier(source: Source) -> Iterator[Change]:
    return _dropped(c for c in source.calls if _BARRIER.match(c.name))


@_kind("step dropped")
def _step(source: Source) -> Iterator[Change]:
    yield from _dropped(c for c in source.calls if not _WAIT.match(c.name) and not _COPY.match(c.name))
    for store in source.stores:
        if "[" in source.of(store).split("=")[0]:
            yield store, ";"


@_kind("copy dropped")
def _copy(source: Source) -> Iterator[Change]:
    return _dropped(c for c in source.calls if _COPY.match(c.name))


@_kind("neighbours swapped")
def _swapped(source: Source) -> Iterator[Change]:
    statements = sorted([*(c for c in source.calls if c.alone), *source.stores], key=lambda span: span.start)
    for first, second in pairwise(statements):
        between = source.text[first.end : second.start]
        if first.end <= second.start and not source.code[first.end : second.start].strip():
            yield Span(first.start, second.end), source.of(second) + between + source.of(first)


def _operands(source: Source) -> Iterator[tuple[Call, int, Span, str]]:
    """Arguments of instructions that are pointers: the call, their number, their place, the name they begin with."""
    for call in source.calls:
        for number, argument in enumerate(call.arguments):
            match = re.match(r"[(\s]*(?:\([\w\s]+\*\)\s*)?[(&\s]*([A-Za-z_]\w*)", source.of(argument))
            if match and match[1] in source.pointers:
                yield call, number, argument, match[1]


def _addresses(source: Source) -> Iterator[list[Span]]:
    """The addresses of each command of a TPU: what stands before its shape, or before a constant."""
    for call in source.calls:
        if _COMMAND.match(call.name):
            ends = (
                n for n, argument in enumerate(call.arguments) if source.of(argument).startswith(("&", "(scalar_t)"))
            )
            yield list(call.arguments[: next(ends, 0)])


@_kind("address")
def _address(source: Source) -> Iterator[Change]:
    for _, _, argument, _ in _operands(source):
        yield argument, f"{source.of(argument)} + 1"
    for addresses in _addresses(source):
        for argument in addresses:
            yield argument, f"{source.of(argument)} + 64"


@_kind("offset")
def _offset(source: Source) -> Iterator[Change]:
    for _, _, argument, _ in _operands(source):
        terms = source.parts(argument, "+")
        for i in range(1, len(terms)):
            yield argument, " + ".join(source.of(term) for j, term in enumerate(terms) if j != i)


@_kind("count")
def _count(source: Source) -> Iterator[Change]:
    for call in source.calls:
        if _COMPUTE.match(call.name) and len(call.arguments) > 1 and not _COPY.match(call.name):
            count = source.of(call.arguments[-1])
            for after in (f"({count}) - 1", f"({count}) + 1", f"({count}) / 2"):
                yield call.arguments[-1], after
    for match in source.found(r"\bdim4 \w+ = \{([^{}]*)\}"):
        for size in source.parts(Span(*match.span(1)), ","):
            if not source.of(size).isdigit():
                yield size, f"({source.of(size)}) - 1"
                yield size, f"({source.of(size)}) / 2"


@_kind("size")
def _size(source: Source) -> Iterator[Change]:
    for call in source.calls:
        if _COPY.match(call.name) and len(call.arguments) > 2:
            size = source.of(call.arguments[2])
            for after in (f"({size}) - sizeof(float)", f"({size}) + sizeof(float)", f"({size}) / 2"):
                yield call.arguments[2], after


@_kind("element size")
def _element_size(source: Source) -> Iterator[Change]:
    for match in source.found(r"sizeof\((\w+)\)"):
        if match[1] in _OTHER_TYPE:
            yield Span(*match.span()), f"sizeof({_OTHER_TYPE[match[1]]})"
    for match in source.found(r"\s*\*\s*sizeof\(\w+\)|sizeof\(\w+\)\s*\*\s*"):
        yield Span(*match.span()), ""
    for call in source.calls:
        if _COPY.match(call.name):
            for argument in call.arguments[2:3]:
                for match in re.finditer(r"\*\s*([42])$", source.of(argument)):
                    yield Span(argument.start + match.start(), argument.end), f"* {6 - int(match[1])}"


@_kind("tail")
def _tail(source: Source) -> Iterator[Change]:
    for match in source.found(r"(?<=[=(,])\s*[\w\s+*()-]*?<=?[^=?;,{}<]*\?([^:;?]*):([^;,?]*?)(?=[;,])"):
        if match[0].count("(") == match[0].count(")"):
            yield Span(*match.span()), match[1]
            yield Span(*match.span()), match[2]
    for match in source.found(r"\b(?:std::)?(min|MIN|__min|max|MAX|LESS)\s*\("):
        close = source.closing(match.end() - 1)
        for part in source.parts(Span(match.end(), close), ","):
            yield Span(match.start(), close + 1), f"({source.of(part)})"
    for match in source.found(r"\(([^()]+)\+([^()]+)-\s*1\s*\)(?=\s*/)"):
        yield Span(*match.span()), f"({match[1].strip()})"
    for match in source.found(r"%\s*(taskDim|coreDim|[A-Z][A-Z_]+)\b"):
        if not re.search(r"\[[^\]]*$", source.code[: match.start()].splitlines()[-1]):
            yield Span(*match.span()), "* 0"


@_kind("split")
def _split(source: Source) -> Iterator[Change]:
    for match in source.found(r"\b(taskDim|coreDim|clusterDim)\b"):
        yield Span(*match.span()), f"({match[1]} - 1)"
        yield Span(*match.span()), f"({match[1]} + 1)"
    for match in source.found(r"\btaskId\b(?!\s*[=!<>]=)"):
        yield Span(*match.span()), "(taskId + 1)"
        yield Span(*match.span()), "coreId"
    for match in source.found(r"\btpu_core_num\(\)|\b(?:gridDim|blockDim)\.[xy]"):
        yield Span(*match.span()), f"({match[0]} - 1)"
        yield Span(*match.span()), f"({match[0]} + 1)"
    for match in source.found(r"\btpu_core_index\(\)|\b(?:blockIdx|threadIdx)\.[xy]"):
        yield Span(*match.span()), f"({match[0]} + 1)"
        yield Span(*match.span()), "0"


@_kind("part of a core")
def _part(source: Source) -> Iterator[Change]:
    for match in source.found(r"\b(taskId|coreId|clusterId)\s*([=!])=\s*(\w+)"):
        yield Span(*match.span()), f"{match[1]} {match[2]}= {match[3]} + 1"
    for match in source.found(r"\b(coreId|clusterId)\b(?!\s*[=!]=)"):
        yield Span(*match.span()), "0"
        yield Span(*match.span()), "taskId"


@_kind("buffer")
def _buffer(source: Source) -> Iterator[Change]:
    kinds = [(kind, name, len(sizes)) for kind, name, sizes in source.arrays]
    for _, _, argument, name in _operands(source):
        mine = next(((kind, rank) for kind, known, rank in kinds if known == name), None)
        for kind, other, rank in kinds:
            if (kind, rank) == mine and other != name:
                yield argument, re.sub(rf"\b{name}\b", other, source.of(argument), count=1)
    for addresses in _addresses(source):
        for argument, other in permutations(addresses, 2):
            if ("->" in source.of(argument)) == ("->" in source.of(other)):  # in one memory
                yield argument, source.of(other)


@_kind("guard")
def _guard(source: Source) -> Iterator[Change]:
    for word, condition, body in source.heads:
        if word == "if":
            leaves = re.match(r"\s*\{?\s*(return|continue|break)\b", source.code[body:])
            yield condition, "false" if leaves else "true"


@_kind("comparison")
def _comparison(source: Source) -> Iterator[Change]:
    other = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&"}
    for word, condition, _ in source.heads:
        if word == "if":
            for match in re.finditer(r"<=|>=|==|!=|&&|\|\||<|>(?!>)", source.code[condition.start : condition.end]):
                yield Span(condition.start + match.start(), condition.start + match.end()), other[match[0]]


@_kind("loop bound")
def _loop(source: Source) -> Iterator[Change]:
    for word, head, _ in source.heads:
        parts = source.parts(head, ";") if word == "for" else ()
        if len(parts) == 3:
            match = re.match(r"(.*?)(<=?)(.*)", source.of(parts[1]), re.DOTALL)
            if match:
                yield parts[1], f"{match[1]}{'<' if match[2] == '<=' else '<='}{match[3]}"
                yield parts[1], f"{match[1]}{match[2]}{match[3]} - 1"
            start = re.match(r"(.*=)(.*)", source.of(parts[0]), re.DOTALL)
            if start:
                yield parts[0], f"{start[1]}{start[2]} + 1"


@_kind("direction")
def _direction(source: Source) -> Iterator[Change]:
    for match in source.found(r"\b([NGSLW]D?RAM)2([NGSLW]D?RAM)\b"):
        yield Span(*match.span()), f"{match[2]}2{match[1]}"


@_kind("array size")
def _array_size(source: Source) -> Iterator[Change]:
    for _, _, sizes in source.arrays:
        yield sizes[-1], f"({source.of(sizes[-1])}) / 2"
        yield sizes[-1], f"({source.of(sizes[-1])}) - 1"


@_kind("stride")
def _stride(source: Source) -> Iterator[Change]:
    for call in source.calls:
        if _COPY.match(call.name) and len(call.arguments) > 5:
            for argument in call.arguments[4:]:
                text = source.of(argument)
                after = f"({text}) + sizeof(float)" if argument is not call.arguments[-1] else f"({text}) - 1"
                yield argument, after


@_kind("asynchronous")
def _asynchronous(source: Source) -> Iterator[Change]:
    for call in source.calls:
        if call.name == "__memcpy":
            yield Span(call.start, call.start + len(call.name)), "__memcpy_async"


@_kind("turn")
def _turn(source: Source) -> Iterator[Change]:
    for match in source.found(r"[\w)]+\s*%\s*2\b"):
        yield Span(*match.span()), "0"
    for match in source.found(r"\b1\s*-\s*(\w+)\b"):
        yield Span(*match.span()), match[1]
    for match in source.found(r"(\w+)\s*\^\s*1\b"):
        yield Span(*match.span()), match[1]


@_kind("index")
def _index(source: Source) -> Iterator[Change]:
    declared = {(size.start, size.end) for _, _, sizes in source.arrays for size in sizes}
    for match in source.found(r"\b(\w+)\[([^\[\]]+)\]"):
        if match[1] in source.pointers and match.span(2) not in declared:
            yield Span(*match.span(2)), f"({match[2]}) + 1"
