"""Constants of a source that say how large its arrays on the chip are: most often the tiles that it works in."""

from __future__ import annotations

import ast
import operator
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
_DEFINED = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+([^\n\\]+)$", re.M)
_CONSTANT = re.compile(r"\bconst(?:expr)?\s+(?:static\s+|unsigned\s+|std::)*\w+\s+(\w+)\s*=\s*([^;{}]+);")
_KERNEL = re.compile(r"__mlu_(?:entry|global)__\s[^;{}()]*?(\w+)\s*\([^;{}]*\{")
_BRACE = re.compile(r"[{}]")
_ARRAY = re.compile(r"__(?:nram|wram|mlu_shared|ldram)__\b[^;(){}=]*")
_EXTENT = re.compile(r"\[([^\[\]]*)\]")
_NAME = re.compile(r"[A-Za-z_]\w*")
_SIZES = {"sizeof(float)": "4", "sizeof(half)": "2", "sizeof(int)": "4", "sizeof(int32_t)": "4", "sizeof(char)": "1"}
_ARITHMETIC = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.floordiv}
#: A smaller constant is no size of a tile, but of a line, or the least that an instruction takes; and so many constants
#: of a source are told apart at most.
_LEAST, _MOST = 64, 3


class SizeConstant(NamedTuple):
    """A constant that is defined once: its name, its value, and the source in which it has a smaller one, ``less``.

    ``macro``: the compiler is told the smaller value, and the text is as it was. ``given``: it is a macro of the
    compiler's own, the size of a memory.
    """

    name: str
    value: int
    less: int
    text: str
    given: bool = False
    macro: bool = False


def constants(text: str, kernel: str, macros: Mapping[str, str] = MappingProxyType({})) -> Iterator[SizeConstant]:
    """The constants that the sizes of a kernel's arrays on the chip depend on, those of most arrays first.

    ``macros`` are those that the compiler is told of.
    """
    code, spans, known = _defined(text, macros)
    used: Counter[str] = Counter()
    for array in _ARRAY.findall(_without_other_kernels(code, kernel)):
        used.update(dict.fromkeys(name for extent in _EXTENT.findall(array) for name in _behind(extent, known)).keys())
    found = 0
    for name, _ in used.most_common():
        value = _number(known[name], known)
        if value is None or value < _LEAST or "ALIGN" in name.upper():
            continue
        low, high = spans.get(name, (0, 0))
        smaller = f"{text[:low]}(({known[name]}) / 2){text[high:]}" if high else text
        yield SizeConstant(name, value, value // 2, smaller, macro=not high)
        found += 1
        if found == _MOST:
            return


def sizes(text: str, kernel: str, macros: Mapping[str, str] = MappingProxyType({})) -> Iterator[int]:
    """The values of a source's constants, and of a kernel's template arguments, that are whole numbers."""
    known = _defined(text, macros)[2]
    given = kernel.partition("<")[2].strip(">").split(",")
    for expression in (*known.values(), *given):
        number = _number(expression.strip(), known)
        if number is not None:
            yield number


def _defined(text: str, macros: Mapping[str, str]) -> tuple[str, dict[str, tuple[int, int]], dict[str, str]]:
    """A source without comments, where in it the value of each constant stands, and the values of these and of macros.

    A name that is defined twice has no value that is known.
    """
    code = _COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    spans: dict[str, tuple[int, int]] = {}
    for match in [*_DEFINED.finditer(code), *_CONSTANT.finditer(code)]:
        spans[match[1]] = (0, 0) if match[1] in spans else match.span(2)  # of two one is for another case
    return code, spans, dict(macros) | {name: code[slice(*span)].strip() for name, span in spans.items() if span[1]}


def _without_other_kernels(code: str, kernel: str) -> str:
    """Code without the bodies of all kernels but one, whose name has no namespaces and no template arguments."""
    parts, at = [], 0
    for match in _KERNEL.finditer(code):
        if match[1] == kernel or match.start() < at:
            continue
        parts.append(code[at : match.end()])
        depth, at = 1, match.end()
        for brace in _BRACE.finditer(code, at):
            depth, at = depth + (1 if brace[0] == "{" else -1), brace.end()
            if not depth:
                break
    return "".join([*parts, code[at:]])


def _behind(expression: str, known: Mapping[str, str], depth: int = 0) -> Iterator[str]:
    """The constants that an expression names, and those that their values name."""
    for name in _NAME.findall(expression):
        if name in known and depth < len(known):
            yield name
            yield from _behind(known[name], known, depth + 1)


def _number(expression: str, known: Mapping[str, str]) -> int | None:
    """What an expression of whole numbers and constants is; None for any other."""
    try:
        return _evaluated(_parsed(expression), known, 0)
    except (SyntaxError, ValueError, ZeroDivisionError, RecursionError, MemoryError):
        return None


def _parsed(expression: str) -> ast.expr:
    for size, bytes_ in _SIZES.items():
        expression = expression.replace(size, bytes_)
    return ast.parse(expression, mode="eval").body


def _evaluated(node: ast.expr, known: Mapping[str, str], depth: int) -> int:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    if isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
        return int(_ARITHMETIC[type(node.op)](*(_evaluated(side, known, depth) for side in (node.left, node.right))))
    if isinstance(node, ast.Name) and node.id in known and depth < len(known):
        return _evaluated(_parsed(known[node.id]), known, depth + 1)
    raise ValueError(ast.dump(node))
