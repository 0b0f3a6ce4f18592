"""Kernel declarations, and kernel launches `name<<<dim, type, queue>>>(args)`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from .declared import KernelDecl
from .parameters import read_parameters, read_template
from .scan import SPACES, Site
from .source import Edit, RewriteError, SourceText, layout, unescape
from .tokens import GROUP_WORDS, Token, close, close_angle, skip_item, spell, statement, tokens

_CLOSING, _OPENING = frozenset(")]}"), frozenset("([{")
_CLOSING_ANGLES = {">": 1, ">>": 2, ">>>": 3}
_CALLED, _NO_WORD = re.compile(r"\s*\("), re.compile(r"\W")
_C = '"C"'  # the literal of a linkage
#: A launch as some formatters leave it: `kernel << <grid, block >> > (a)`.
_APART = re.compile(r"<<(\s*)<([^;{}]*?)>>(\s*)>(?=\s*\()")
_NOT_A_NAME = frozenset({"return", "else", "do", "case", "throw", "co_return", "co_yield", "and", "or", "not"})


def joined_launches(text: str) -> str:
    """The text with the signs of a launch side by side, as compilers read them; every line keeps its number."""
    if "<< <" not in text and ">> >" not in text:
        return text
    return _APART.sub(r"<<<\1\2>>>\3", text)


def declared_kernel(source: SourceText, site: Site) -> tuple[KernelDecl, bool] | None:
    """The kernel that `__mlu_global__` or `__mlu_entry__` at `site` declares, and whether this is its definition.

    None for what declares no kernel of its own: a specialisation, an explicit instantiation, a type, a pointer
    to a function, a local declaration.
    """
    if site.scope.kind != "namespace" or site.parentheses:
        return None
    heading = list(tokens(source.text, site.statement, site.start))
    head = [token.text for token in heading]
    if "typedef" in head or "using" in head:
        return None
    template = "template" in head
    if template:
        after = head[head.index("template") + 1 :]
        if after[:1] != ["<"] or after[:2] == ["<", ">"]:
            return None
    found = statement(source.text, site.end)
    name: list[Token] = []
    at = 0
    while at < len(found) and found[at].text != "(":
        token = found[at]
        if token.text == "template":
            raise source.error(f"{site.word} must stand behind the parameters of the template", site.start)
        if token.text in GROUP_WORDS and found[at + 1 : at + 2] and found[at + 1].text == "(":
            at = close(found, at + 1) + 1
            continue
        if token.text == "<":
            at = close_angle(found, at) + 1
            continue
        if name and token.kind == "word" and name[-1].text != "::":
            name = []
        if token.kind == "word" or token.text == "::":
            name.append(token)
        at += 1
    if at + 1 >= len(found) or not name:
        raise source.error(f"{site.word} must be followed by a function: its type, name and parameters", site.start)
    if found[at + 1].text in "*&":
        return None
    end = close(found, at) + 1
    file, line = source.locate(name[-1].start)
    path = (*site.scope.path, *(token.text for token in name if token.text != "::"))
    defined = end < len(found) and found[end].text != ";"
    return KernelDecl(
        "::".join(path), template, unescape(file), line, read_parameters(found[at + 1 : end - 1]),
        read_template(heading[head.index("template") + 1 :]) if template else (),
        c_linkage=_C in (site.scope.linkage, *head[1:2]),
    ), defined  # fmt: skip


def overloaded(text: str, declared: Iterable[KernelDecl]) -> set[str]:
    """The names of kernels that are also, or may be, names of other functions that a text declares or calls.

    ``declared`` has a kernel as often as it is declared; a launch names its kernel otherwise.
    """
    times = Counter(kernel.own_name for kernel in declared)
    return {name for name, count in times.items() if _calls(text, name) > count}


def _calls(text: str, name: str) -> int:
    """How often a word stands before a parenthesis."""
    parts = pairwise(f" {text}".split(name))  # a pattern would take ten times as long for megabytes of text
    return sum(bool(_CALLED.match(behind) and _NO_WORD.match(before[-1:])) for before, behind in parts)


def told_apart(defined: Sequence[KernelDecl]) -> list[KernelDecl]:
    """Kernels that are no templates, those that share a name with other parameters named with theirs.

    `RewriteError` for two that are one function.
    """
    times = Counter(kernel.name for kernel in defined)
    found: dict[str, KernelDecl] = {}
    for kernel in defined:
        own = replace(kernel, name=kernel.with_parameters) if times[kernel.name] > 1 else kernel
        if first := found.get(own.name):
            problem = f"kernel {kernel.name} is defined on line {first.line} of {first.file} too"
            raise RewriteError(f"{problem}; give each a name of its own", kernel.file, kernel.line)
        found[own.name] = own
    return list(found.values())


def templates_apart(defined: Iterable[KernelDecl]) -> Iterator[KernelDecl]:
    """Templates, those that share a name with other parameters named with theirs; a specialization is no other."""
    forms: dict[str, dict[str, KernelDecl]] = {}
    for kernel in sorted(defined, key=lambda kernel: not kernel.template_parameters):
        known = forms.setdefault(kernel.name, {})
        if kernel.template_parameters or not known:
            known.setdefault(kernel.with_parameters, kernel)
    for known in forms.values():
        for name, kernel in known.items():
            yield replace(kernel, name=name, overloaded=True) if len(known) > 1 else kernel


def c_linkage_removed(
    source: SourceText, declared: Iterable[tuple[KernelDecl, Site]], names: Collection[str]
) -> Iterator[Edit]:
    """The edits by which kernels of these names are C++ functions: the C library may have one of the name."""
    for kernel, site in declared:
        if not kernel.c_linkage or kernel.own_name not in names:
            continue
        head = list(tokens(source.text, site.statement, site.start))
        if len(head) > 1 and head[1].text == _C:
            yield Edit(head[1].start, head[1].end, '"C++"')
        elif "static" not in [token.text for token in head]:
            start = head[0].start if head else site.start
            yield Edit(start, start, 'extern "C++" ')


def launch(source: SourceText, site: Site) -> list[Edit]:
    """The edits that turn the launch whose `<<<` is at `site` into a call of `::mlusim::launch`.

    Launch arguments and kernel arguments stay where they are, so that each keeps its line.
    """
    before = list(tokens(source.text, site.statement, site.start))
    first = _name_start(before)
    if first is None:
        raise source.error(
            "'<<<' must follow the name of a kernel, as in kernel<<<dim, type, queue>>>(args)", site.start
        )
    found = statement(source.text, site.start)
    arguments, at = 1, 1
    while at < len(found) and found[at].text != ">>>":
        arguments += found[at].text == ","
        at = skip_item(found, at)
    if at + 1 >= len(found) or found[at + 1].text != "(":
        raise source.error("the launch has no '>>>(' that closes its '<<<'", site.start)
    if not 2 <= arguments <= 4:
        raise source.error(
            f"a launch takes 2 to 4 arguments between '<<<' and '>>>', here {arguments}: dim, type and queue are usual",
            site.start,
        )
    last = close(found, at + 1)
    if last == len(found):
        raise source.error("the kernel's arguments have no closing ')'", found[at + 1].start)
    start = before[first].start
    name = source.text[start : site.start]
    return [
        Edit(start, site.end, "::mlusim::launch(" + layout(name)),
        Edit(found[at].start, found[at].end, f", [&]() {{ {spell(before[first:], without=SPACES)}"),
        Edit(found[last].end, found[last].end, "; })"),
    ]


def _name_start(before: Sequence[Token]) -> int | None:
    """The index at which what ends these tokens begins: a qualified name, an element or a member, or parentheses."""
    at = len(before) - 1
    while at >= 0 and before[at].text in (")", "]"):
        at = _open_bracket(before, at) - 1
    grouped = at + 1 if at < len(before) - 1 else None
    first = _own_name_start(before, at)
    if first is None:
        return grouped
    if first and before[first - 1].text in (".", "->"):
        return _name_start(before[: first - 1])
    return first


def _own_name_start(before: Sequence[Token], at: int) -> int | None:
    """The index at which the qualified name, with template arguments, that ends at ``at`` begins."""
    first: int | None = None
    while at >= 0:
        if before[at].text in _CLOSING_ANGLES:
            at = _open_angle(before, at) - 1
        if at < 0 or before[at].kind != "word" or before[at].text in _NOT_A_NAME:
            break
        first = at
        if at and before[at - 1].text == "template":
            at -= 1
        if at == 0 or before[at - 1].text != "::":
            break
        first = at - 1
        at -= 2
    return first


def _open_bracket(before: Sequence[Token], index: int) -> int:
    """The index of the bracket that the closing one at `index` belongs to, or 0."""
    depth = 0
    for at in range(index, -1, -1):
        depth += (before[at].text in _CLOSING) - (before[at].text in _OPENING)
        if not depth:
            return at
    return 0


def _open_angle(before: Sequence[Token], index: int) -> int:
    """The index of the `<` that the closing angle at `index` belongs to, or -1."""
    depth = 0
    at = index
    while at >= 0:
        text = before[at].text if before[at].kind == "op" else ""
        if text in _CLOSING_ANGLES:
            depth += _CLOSING_ANGLES[text]
        elif text == "<":
            depth -= 1
            if depth == 0:
                return at
        elif text in _CLOSING:
            at = _open_bracket(before, at)
        elif text == ";" or text in _OPENING:
            return -1
        at -= 1
    return -1
