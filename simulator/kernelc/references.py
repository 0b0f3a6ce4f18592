"""Functions of a source with the parameters of one of its kernels: references on the host, and other versions of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from .declared import Declared, KernelDecl
from .parameters import read_parameters, read_template
from .scan import LAUNCH
from .tokens import Token, close, close_angle, tokens

#: What may stand before the "void" of a function of the host.
_BEFORE = frozenset({"static", "inline", "extern", "constexpr", "__host__", "__inline__", "__inline"})
_QUALIFIERS = re.compile(r"\b(?:const|volatile|struct|restrict|__restrict__|__restrict)\b|\s")
_EXTENT = re.compile(r"\[[^\]]*\]")
_NUMBERS = re.compile(
    r"(?:std::)?(?:u?int(?:8|16|32|64)_t|size_t|ssize_t|ptrdiff_t)|(?:unsigned|signed)?(?:int|long|short|char)+|"
    r"unsigned|signed|bool"
)
_FRACTIONS = re.compile(r"float|double|half|__half")


class Reference(NamedTuple):
    """A function that may compute what a kernel does, on the ``host`` or as another kernel.

    ``order`` has, for each of its parameters, the number of the kernel's that it stands for.
    """

    declared: KernelDecl
    host: bool
    order: tuple[int, ...]


def references(text: str, file: str, kernel: KernelDecl, kernels: Iterable[KernelDecl]) -> Iterator[Reference]:
    """The functions of the ``text`` of a source, and of its ``kernels``, that a kernel's arguments suit."""
    others = [(one, True) for one in host_functions(text, file)]
    others += [(one, False) for one in kernels if one.plain_name != kernel.plain_name]
    for other, host in others:
        if (order := _order(kernel, other)) is not None:
            yield Reference(other, host, order)


def host_functions(text: str, file: str) -> Iterator[KernelDecl]:
    """The functions that a source defines for the host, launch no kernel, and leave their results in arrays."""
    found = list(tokens(text, 0))
    outer: list[tuple[int, str]] = []  # where namespaces end, and their names
    at = begin = 0
    while at < len(found):
        mark = found[at].text
        if mark == "(":
            at = close(found, at)
        elif mark == "{":
            head, end = found[begin:at], close(found, at)
            words = [token.text for token in head]
            if "namespace" in words[:2]:
                outer.append((end, "".join(words[words.index("namespace") + 1 :])))
            elif words[:1] == ["extern"] and len(words) == 2:
                outer.append((end, ""))
            else:
                if all(token.text != LAUNCH for token in found[at:end]):
                    line = text.count("\n", 0, found[begin].start) + 1
                    yield from _function(head, [name for _, name in outer if name], file, line)
                at = end
            begin = at + 1
        elif mark in (";", "}"):
            if outer and outer[-1][0] == at:
                outer.pop()
            begin = at + 1
        at += 1


def _function(head: Sequence[Token], path: Sequence[str], file: str, line: int) -> Iterator[KernelDecl]:
    """The function that the head of a definition names, if it is one of the host that returns nothing."""
    words = [token.text for token in head]
    start = close_angle(head, 1) + 1 if words[:1] == ["template"] else 0
    void = words.index("void") if "void" in words else len(words)
    is_plain = _BEFORE.issuperset(words[start:void]) and words[void + 2 : void + 3] == ["("]
    if not is_plain or head[void + 1].kind != "word":
        return
    parameters = read_parameters(head[void + 3 : close(head, void + 2)])
    of_template = read_template(head[1:start]) if start else ()
    yield KernelDecl("::".join([*path, words[void + 1]]), bool(start), file, line, parameters, of_template)


def _order(kernel: KernelDecl, other: KernelDecl) -> tuple[int, ...] | None:
    """Which parameter of a kernel each of another function stands for; None if it has others.

    They are told by their names if both have the same ones, or else by their order.
    """
    mine, theirs = kernel.parameters, other.parameters
    if len(mine) != len(theirs) or not any("*" in one.type for one in mine):
        return None
    names, wanted = ([one.name.lower() for one in parameters] for parameters in (mine, theirs))
    order = tuple(map(names.index, wanted)) if sorted(names) == sorted(wanted) and all(names) else range(len(mine))
    free = {one.name for decl in (kernel, other) for one in decl.template_parameters}
    suits = (_suits(mine[at], own, free) for at, own in zip(order, theirs, strict=True))
    return tuple(order) if len(set(order)) == len(mine) and all(suits) else None


def structures_of(kernel: KernelDecl) -> set[str]:
    """The types of what is passed to a kernel by value and is no number."""
    kinds = {_QUALIFIERS.sub("", one.type) for one in kernel.parameters if "*" not in one.type}
    return {kind for kind in kinds if not _NUMBERS.fullmatch(kind) and not _FRACTIONS.fullmatch(kind)}


def _suits(one: Declared, other: Declared, free: set[str]) -> bool:
    """Whether a function takes what a kernel is passed for a parameter; ``free`` are parameters of templates."""
    mine, theirs = (_EXTENT.sub("*", _QUALIFIERS.sub("", declared.type)) for declared in (one, other))
    if mine == theirs:
        return "&" not in mine and not one.pack
    bases = {mine.rstrip("*"), theirs.rstrip("*")}
    if mine.count("*") != theirs.count("*"):
        return False
    if bases & free:
        return True
    alike = (all(kind.fullmatch(base) for base in bases) for kind in (_NUMBERS, _FRACTIONS))
    return "*" not in mine and any(alike)
