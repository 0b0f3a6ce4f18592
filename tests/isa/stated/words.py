"""The notation of the tables: a function's arguments in the vendor's order, and the limits that follow from them.

    dst:T        a tensor across lanes, whose strides ``&dst`` says, null for the aligned layout
    dst=T dst;T  an aligned one; one whose strides follow ``^``
    dst/T w*T    one in system memory; an aligned one that is clobbered
    t@32         a table of so many elements in every lane, from lane 0 on; ``x?T`` a tensor, a vector or a value
    +dst:T       an operand that is read as well
    src=T(n,1,h,w)   its shape, of names as in Python; that of ``shape`` where none is given; ``^(..)`` its strides
    &dst  #T     strides of an operand, the code of a type; C~T a value in a union; anything else is a value by its name

A limit is ``rule: condition``, ``rule!: condition`` where nothing can be done without it,
``rule~: condition`` where no document states it.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from mlusim.isa import Instruction, Kind

from tests.isa.stated.calls import Broken, Call, chips_of, struct
from tests.support.expressions import compiled

_WORD = re.compile(r"(\+?)(\w*)([:=;/*@?~&#]?)(\w*/?\w*)((?:\([^^]*\))?)(\^.*)?")
_OPERANDS = ":=;/*@?"
FLOATS, NARROW = "float half bfloat16", "float8e4m3 float8e5m2"
WHOLE = "int8 uint8 int16 uint16 int32 uint32"
EVERY = f"{FLOATS} {WHOLE} {NARROW}"
SIZES = {"float": 4, "half": 2, "bfloat16": 2, "int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "int32": 4, "uint32": 4,
         "float8e4m3": 1, "float8e5m2": 1, "float2": 8}  # fmt: skip
CODES = {"uint8": 0, "int8": 1, "half": 3, "float": 5, "uint16": 6, "int16": 7, "uint32": 8, "int32": 9, "bfloat16": 11,
         "float8e5m2": 15, "float8e4m3": 47}  # fmt: skip
_FUNCTIONS = {"max": max, "min": min, "ceil": lambda a, b: -(-a // b)}
#: Structures that kernels pass, as the vendor's header has them; all others are dim4.
_STRUCTS = {"kernel": "dim2", "padding": "padding_t", "stride": "dim2", "dilation": "dim2"}
#: What is tried of structures, by what their names end with, and of values.
_TRIED = {
    "shape": (0, 1, 61, 62, 70, 4095, 4096, 65535, 65536),
    "stride": (0, 1, 32, 33, 64, 65, 128, 129, (1 << 18) - 1, 1 << 18, -1),
}
_VALUES = (-33, -32, -1, 0, 1, 2, 3, 4, 6, 7, 15, 16, 31, 32, 33, 63, 64, 65, 128, 129, 4095, 4096, 65535, 65536, 47, 5)


@dataclass(frozen=True)
class Row:
    """One function; ``types`` by variable, or one text for each combination, such as ``float/half``."""

    name: str
    words: str
    types: Mapping[str, str] | tuple[str, ...] = field(default_factory=dict)
    engine: str = ""
    work: str = ""
    limits: tuple[str, ...] = ()
    apart: str = ""  # operands that may start in another lane than the others
    overlap: str = "same"
    wider: str = "RUNS"
    facts: Mapping[str, str] = field(
        default_factory=dict
    )  # moves, looks_up, adds, divisor, counts, provenance, defined
    call: Mapping[str, Any] = field(default_factory=dict)  # legal arguments
    bases: tuple[Mapping[str, Any], ...] = ()  # changes to make legal calls around which all is tried again
    sizes: tuple[int, int, int, int] = (65535,) * 4  # of shapes


@dataclass(frozen=True)
class Word:
    """One argument: its name in the table and in the declaration."""

    name: str
    declared: str
    mark: str
    kind: str
    inout: bool
    shape: str
    strides: str


class Stated:
    """A row held against a declaration."""

    def __init__(self, row: Row, entry: Instruction) -> None:
        self.row, self.entry = row, entry
        self.okk, self.sdma = entry.name.startswith("okk_"), "_sdma_" in entry.name
        texts = row.words.split()
        names = [p.name for p in entry.prototype.parameters]
        assert len(texts) == len(names), f"{entry.name}: {names}"
        table = "T" if row.types else "float"
        self.words = [_word(text, name, table) for text, name in zip(texts, names, strict=True)]

    @cached_property
    def operands(self) -> list[Word]:
        return [word for word in self.words if word.mark and word.mark in _OPERANDS]

    @cached_property
    def strides(self) -> dict[str, str]:
        """Operand -> the argument that says its strides."""
        return {word.kind: word.declared for word in self.words if word.mark == "&"}

    # --- types -------------------------------------------------------------------------------------------------------

    @cached_property
    def variables(self) -> dict[str, str]:
        """Type variable of the table -> that of the declaration."""
        given = {word.declared: word.kind for word in self.words if word.kind in tuple("TDSAB")}
        parameters = {p.name: p for p in self.entry.prototype.parameters}
        return {kind: parameters[name].type for name, kind in given.items() if not name.endswith("dtype")}

    @cached_property
    def bindings(self) -> list[dict[str, str]]:
        """Every combination of types, by the variables of the table."""
        types = self.row.types
        if isinstance(types, Mapping):
            rows = itertools.product(*(text.split() for text in types.values()))
            return [dict(zip(types, row, strict=True)) for row in rows]
        variables = list(self.variables)
        return [dict(zip(variables, text.split("/"), strict=True)) for text in types]

    # --- calls -------------------------------------------------------------------------------------------------------

    def call(self, arch: int, binding: Mapping[str, str], given: bool = False, lane: int = 3) -> Call:
        """A legal call, with null structures or with strides."""
        lanes, lane_bytes, eu_bytes = chips_of(self.entry)[arch]
        values: dict[str, Any] = {}
        place = itertools.count(1)
        for word in self.words:
            if word.mark == "/":
                values[word.declared] = next(place) * 4096
            elif word.mark in _OPERANDS and word.mark:
                at = 0 if word.mark == "@" or word.name in self.row.apart.split() else lane % lanes
                values[word.declared] = at * lane_bytes + next(place) * 16 * eu_bytes
            elif word.mark == "#":
                values[word.declared] = CODES[binding[word.kind]]
            elif word.mark == "&":
                step = 1 if self.okk and "gdma" in self.entry.name else 2  # rows of these lie together
                values[word.declared] = struct("dim4", 120, 40, 12, step) if given else None
            elif word.mark == "~":
                values[word.declared] = 1
            else:
                values[word.declared] = self._value(word.declared)
        bound = {self.variables[v]: kind for v, kind in binding.items()}
        return Call(self.entry, arch, bound, values)

    def _value(self, name: str) -> Any:
        value = self.row.call.get(name, (2, 3, 2, 5) if name.endswith("shape") else 1)
        if isinstance(value, tuple):
            kind = next(p.type for p in self.entry.prototype.parameters if p.name == name)
            return struct(kind, *value)
        return value

    def bases(self, arch: int, binding: Mapping[str, str], all_of_them: bool = True) -> list[Call]:
        """Legal calls: with null strides and others, in the last lane, of one element, and further ones of the row."""
        plain, given = self.call(arch, binding), self.call(arch, binding, True)
        found = [plain, given] if self.strides else [plain]
        if all_of_them:
            found += [plain.having(**changes) for changes in self.row.bases]
            found += [replace_shapes(given, (1, 1, 1, 1)), self.call(arch, binding, lane=-1)]
            # Of OKK, a stride of 0 as long as no lane has two channels.
            found += [given.having(dst_stride_c=0), given.having(dst_stride_c=1, shape_c=70)]
        return [call for call in found if not self.broken(call)]

    def sizes(self, arch: int, binding: Mapping[str, str]) -> list[Call]:
        """Legal calls of several sizes."""
        plain = self.call(arch, binding)
        found = [replace_shapes(plain, shape) for shape in ((1, 70, 9, 31), (3, 130, 1, 17))]
        return [*self.bases(arch, binding), *(call for call in found if not self.broken(call))]

    def probes(self, call: Call) -> Iterator[tuple[str, Call]]:
        """Calls that differ in one argument, and its name."""
        lane_bytes, eu_bytes = chips_of(self.entry)[call.arch][1:]
        for p in self.entry.prototype.parameters:
            value = call.values[p.name]
            if p.is_memory:
                others = [call.values[q.name] for q in self.entry.prototype.memory if q is not p]
                steps = (1, 2, 4, 8, eu_bytes // 2, lane_bytes, 2 * lane_bytes, -lane_bytes)
                for new in [*(value + step for step in steps), *others, value % lane_bytes]:
                    if new >= 0:
                        yield p.name, call.having(**{p.name: new})
                if p.kind is Kind.VARIABLE:
                    yield p.name, replace(call, values={**call.values, p.name: value + 1, f"placed_{p.name}": False})
            elif p.kind is Kind.STRUCT:
                if value is None:
                    continue
                tried = _TRIED["shape" if p.name.endswith("shape") else "stride"]
                tried = (0, 1, 15, 16, -1, 65535, 65536) if p.name in _STRUCTS else tried
                for axis in value._fields:
                    for new in tried:
                        yield p.name, call.having(**{p.name: value._replace(**{axis: new})})
            else:
                tried = (0, 1) if p.type == "bool" else (47, 15, 5, 8, 9) if p.type == "data_type" else _VALUES
                for new in tried:
                    yield p.name, call.having(**{p.name: new})

    # --- limits ------------------------------------------------------------------------------------------------------

    @cached_property
    def limits(self) -> list[tuple[Broken, str]]:
        """What a broken limit is called, and its condition."""
        made = []
        for text in [*self._derived(), *self.row.limits]:
            rule, _, condition = text.partition(": ")
            made.append(((rule.strip("!~"), "~" in rule, "!" in rule), condition))
        return made

    def _derived(self) -> Iterator[str]:
        """The limits of all functions: tpu_api.md, section 5."""
        together = [w for w in self.operands if w.mark in ":=;*?" and w.name not in self.row.apart.split()]
        gdma = "bdc" not in self.entry.name
        for word in self.words:
            if word.declared.endswith("shape"):
                for axis, most in zip("nchw", self.row.sizes, strict=True):
                    yield f"length: 1 <= {word.declared}.{axis} <= {most}"
            if word.mark == "#" and not self.sdma and self._kinds(word.kind) & {*NARROW.split()}:
                yield f"arch!: arch >= 1690 or {word.declared} not in (15, 47)"
        if not gdma:
            for word in together[1:]:
                placed = f"not placed_{word.name} or " if word.mark == "?" else ""
                yield self._if_used(word, f"lane: {placed}lane_{word.name} == lane_{together[0].name}")
        for word in self.operands:
            stride = self.strides.get(word.name, "")
            if word.mark == "@":
                yield f"lane: lane_{word.name} == 0"
                yield f"alignment: {word.name} % eu_bytes == 0"
            elif word.mark == "?":
                size = "eu_bytes" if self.okk else f"sizeof_{word.name}"
                yield f"alignment: not placed_{word.name} or {word.name} % {size} == 0"
            elif word.mark in "=*":
                yield self._if_used(word, f"alignment: {word.name} % eu_bytes == 0")
            elif word.mark == ":":
                yield from self._of_strides(word.name, stride, gdma)
            if stride and gdma and not self.okk:
                yield f"argument: {stride} is None or 0 < {stride}.w * sizeof_{word.name} <= {self._step}"
            if stride and word is self.operands[0] and not (gdma and (self.okk or word.inout)):
                yield from self._written_once(word, stride, gdma)

    @property
    def _step(self) -> int:
        return 64 if self.sdma else 128

    def _of_strides(self, name: str, stride: str, gdma: bool) -> Iterator[str]:
        if self.okk:
            yield from () if gdma else (f"alignment: {name} % 4 == 0",)
            return
        yield f"alignment: {name} % (eu_bytes if {stride} is None else sizeof_{name}) == 0"
        for axis in "nch" if gdma else "nchw":
            yield f"argument: {stride} is None or 0 <= {stride}.{axis} < 1 << 18"

    def _written_once(self, word: Word, stride: str, gdma: bool) -> Iterator[str]:
        if (self.okk or gdma) and not any(w.mark in ":=?/" for w in self.operands[1:]):
            return
        sizes = "dst_shape" if "dst_shape" in [w.declared for w in self.words] else "shape"
        for axis in "nch" if gdma else "nchw":
            one = f"{sizes}.{axis} == 1"
            if (self.okk or gdma) and axis == "c" and word.mark != "/":
                one = f"lane_{word.name} + {sizes}.c <= lanes"
            yield f"argument: {stride} is None or {stride}.{axis} > 0 or {one}"

    def _if_used(self, word: Word, limit: str) -> str:
        flag = next((name for name in ("has_bias", "using_bias") if name in word.shape), "")
        rule, _, condition = limit.partition(": ")
        return f"{rule}: not {flag} or {condition}" if flag else limit

    def _kinds(self, variable: str) -> set[str]:
        return {binding[variable] for binding in self.bindings}

    def names(self, call: Call) -> dict[str, Any]:
        """What limits, shapes and work of the table may name."""
        chip = dict(zip(("lanes", "lane_bytes", "eu_bytes"), chips_of(self.entry)[call.arch], strict=True))
        found: dict[str, Any] = {**chip, "arch": call.arch, "found": 11, **_FUNCTIONS, **call.values}
        for word in self.operands:
            parameter = next(p for p in self.entry.prototype.memory if p.name == word.declared)
            found[word.name] = call.values[word.declared]
            found[f"placed_{word.name}"] = call.values.get(f"placed_{word.declared}", True)
            found[f"lane_{word.name}"] = call.values[word.declared] // chip["lane_bytes"]
            found[f"sizeof_{word.name}"] = SIZES[call.binding.get(parameter.type, parameter.type)]
        shape = call.values.get("shape", call.values.get("input_shape", call.values.get("dst_shape")))
        if shape:
            found |= dict(zip("nchw", shape, strict=True))
        return found | _window(call.values)

    def broken(self, call: Call, changed: str = "") -> Counter[Broken]:
        """The limits of the table that a call breaks; with ``changed``, of those that this argument decides."""
        names, found = self.names(call), Counter[Broken]()
        for of, condition, *_ in self._deciding.get(changed, ()) if changed else self.limits:
            if not eval(compiled(condition), {}, names):
                found[of] += 1
        return found

    @cached_property
    def _deciding(self) -> dict[str, list[tuple[Broken, str]]]:
        """Argument -> the limits that name it, or what follows from it."""
        found: dict[str, list[tuple[Broken, str]]] = {}
        of_operands = {name: word.declared for word in self.operands for name in (word.name, f"lane_{word.name}")}
        for limit in self.limits:
            named = set(re.findall(r"[A-Za-z_]\w*", limit[1]))
            for p in self.entry.prototype.parameters:
                follows = {p.name, *(name for name, declared in of_operands.items() if declared == p.name)}
                if p.kind is Kind.STRUCT and (p.name.endswith("shape") or p.name in _STRUCTS):
                    follows |= {*"nchw", "padded_h", "padded_w", "reach_h", "reach_w"}
                if follows & named or p.name.startswith("kernel_"):
                    found.setdefault(p.name, []).append(limit)
        return found

    def extents(self, call: Call) -> dict[str, tuple[Any, ...]]:
        """Shape and strides of every operand, and the work, as the table has them."""
        names, found = self.names(call), {}
        for word in self.operands:
            strides = self.strides.get(word.name, "")
            given = eval(compiled(word.strides), {}, names) if word.strides else names[strides] if strides else ()
            found[word.declared] = tuple(eval(compiled(word.shape), {}, names)), tuple(given or ())
        found["work"] = (eval(compiled(self.row.work), {}, names),)
        return found


def _window(values: Mapping[str, Any]) -> dict[str, int]:
    """Of convolution and pooling: padded height and width, what a window reaches over, and the size of the output."""
    if "kernel" not in values and "kernel_h" not in values:
        return {}
    source, around = values["input_shape"], values.get("padding") or (0, 0, 0, 0)
    kernel = values.get("kernel") or (values.get("kernel_h"), values.get("kernel_w"))
    steps, apart = values.get("stride") or (1, 1), values.get("dilation") or (1, 1)
    found: dict[str, int] = {"kh": kernel[0], "kw": kernel[1]}
    for axis, name in enumerate("hw"):
        padded = source[2 + axis] + around[2 * axis] + around[2 * axis + 1]
        reach = (kernel[axis] - 1) * apart[axis] + 1
        found |= {f"padded_{name}": padded, f"reach_{name}": reach}
        found[f"o{name}"] = max((padded - reach) // max(steps[axis], 1) + 1, 0)
    return found


def replace_shapes(call: Call, shape: tuple[int, int, int, int]) -> Call:
    """The call with another shape, and nothing else."""
    return call.having(**{name: struct("dim4", *shape) for name in call.values if name.endswith("shape")})


def _word(text: str, declared: str, table: str) -> Word:
    match = _WORD.fullmatch(text)
    assert match, text
    inout, name, mark, kind, shape, strides = match.groups()
    strides = (strides or "").removeprefix("^")
    if mark == "@":
        long, _, short = kind.partition("/")
        shape, kind = (
            f"(1,lanes,1,{long})" if not short else f"(1,lanes,1,{long} if sizeof_{name}==4 else {short})",
            table,
        )
    return Word(name if mark else declared, declared, mark, kind, bool(inout), shape or "shape", strides)
