"""Variables with a memory-space qualifier (`__nram__ float a[10];`) become references into simulated memory.

A qualifier anywhere else (pointee, parameter, cast, template argument, member, typedef) describes a type that plain C++
cannot tell apart, so there only the word is removed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .scan import SPACES, Site
from .source import Edit, Source, layout
from .tokens import GROUP_WORDS, Token, close, close_angle, skip_item, spell, statement

# Marks each reference, so that the build finds them all in one section of the image.
_SLOT = '__attribute__((section("mlusim_slots"), used))'
_STORAGE = frozenset({"static", "extern", "inline", "thread_local", "register"})
_BUILTIN_TYPES = frozenset(
    {
        "void",
        "bool",
        "char",
        "wchar_t",
        "char8_t",
        "char16_t",
        "char32_t",
        "short",
        "int",
        "long",
        "float",
        "double",
        "signed",
        "unsigned",
        "auto",
    }
)
_NOT_A_TYPE = frozenset({"const", "volatile", "constexpr", "typename", "struct", "class", "union", "enum", "template"})
_NO_VARIABLE = frozenset(
    {"typedef", "using", "friend", "return", "throw", "new", "delete", "goto", "static_assert", "operator"}
)


@dataclass(frozen=True)
class _Specifiers:
    """What stands before the first declarator, sorted into header, storage classes, and the type.

    `header` is what must stay in front of everything: template header and standard attributes. `qualifiers` are the
    memory-space words; `end` is the index of the first declarator's first token; `name` is the index range of a
    declared name there, empty when the declarator begins with `*`, `&` or `(`.
    """

    header: Sequence[Token]
    storage: Sequence[Token]
    type: Sequence[Token]
    qualifiers: Sequence[Token]
    end: int
    name: range

    @property
    def lead(self) -> str:
        return spell(self.header, without=SPACES)

    @property
    def kind(self) -> str:
        return spell(self.type, without=SPACES)

    def has(self, *words: str) -> bool:
        return any(token.text in words for token in (*self.storage, *self.type))


@dataclass(frozen=True)
class _Declarator:
    """One declared thing. `name` is empty for a pointer or reference; `end` is the `,` or `;` after it."""

    first: Token
    name: Sequence[Token]
    array: bool
    unsized: bool
    initialised: bool
    end: Token


class _Form(NamedTuple):
    """How a declarator is written: the text before it, its name, the text after it; `ends` a statement of its own."""

    before: str
    name: str
    after: str
    ends: bool


def declaration(source: Source, site: Site, serial: Iterator[int]) -> tuple[list[Edit], int]:
    """The edits for the memory-space qualifier at `site`, and the position up to which they deal with the text.

    `serial` numbers the helper variables. When the qualifier declares no variable, the one edit removes the word.
    """
    word = source.remove_word(site.start, site.end)
    dropped = [word], word.end
    if site.parentheses or site.scope.kind == "class":
        return dropped
    found = statement(source.text, site.statement)
    begin = _after_labels(found)
    specifiers = _specifiers(found, begin)
    if specifiers is None or all(token.start != site.start for token in specifiers.qualifiers):
        return dropped
    declarators = _declarators(source, found, specifiers)
    if not any(declarator.name for declarator in declarators):
        return dropped
    if len({token.text for token in specifiers.qualifiers}) > 1:
        raise source.error("a variable lives in one memory space, this declaration names several", site.start)
    write = _block_form if site.scope.kind == "block" else _namespace_form
    start = found[begin].start
    place = Edit(start, declarators[0].first.start, "")
    edits: list[Edit] = []
    previous: _Form | None = None
    for declarator in declarators:
        form = write(source, SPACES[site.word], specifiers, declarator, serial)
        if previous is None:
            edits.append(place._replace(new=f"{form.before} {layout(source.text[place.start : place.end])}"))
        elif previous.ends or previous.before != form.before:
            gap = "" if source.text[place.end].isspace() else " "
            edits.append(place._replace(new=f"; {form.before}{gap}"))
        if declarator.name:
            edits.append(Edit(declarator.name[0].start, declarator.name[-1].end, form.name))
        edits.append(Edit(declarator.end.start, declarator.end.start, form.after))
        place = Edit(declarator.end.start, declarator.end.end, "")
        previous = form
    return edits, declarators[0].first.start


def _namespace_form(
    source: Source, space: str, specifiers: _Specifiers, declarator: _Declarator, serial: Iterator[int]
) -> _Form:
    lead, kind = specifiers.lead, specifiers.kind
    storage = spell([token for token in specifiers.storage if token.text != "extern" and token.kind == "word"])
    outside = _words(lead, spell(specifiers.storage), kind)
    if not declarator.name:
        return _Form(outside, "", "", False)
    name = spell(declarator.name)
    reference = f"(&{name})" if declarator.array else f"&{name}"
    if specifiers.has("extern") and not declarator.initialised:
        return _Form(outside, reference, "", False)
    slot = f"::mlusim::Slot{{{_place(source, space, declarator)}"
    if not declarator.initialised:
        return _Form(_words(lead, storage, _SLOT, kind), reference, f" = {slot}}}", False)
    if specifiers.header and specifiers.header[0].text == "template":
        raise source.error(
            f"'{name}': a variable template in a memory space cannot have an initialiser; assign it in the kernel",
            declarator.first.start,
        )
    if specifiers.has("const", "constexpr") and not storage and not specifiers.has("extern"):
        storage = "static"  # A constant has internal linkage; the reference that stands for it would not.
    init = f"mlusim_init_{next(serial)}"
    variable = _words(storage, _SLOT, f"decltype({init})", f"&{name}")
    return _Form(_words(lead, "static", kind), init, f"; {variable} = {slot}, &{init}}}", True)


def _block_form(
    source: Source, space: str, specifiers: _Specifiers, declarator: _Declarator, serial: Iterator[int]
) -> _Form:
    if specifiers.has("extern") or not declarator.name:
        return _namespace_form(source, space, specifiers, declarator, serial)
    # Storage classes are dropped: the variable is initialised on every entry.
    kind = _words(specifiers.lead, specifiers.kind)
    name = spell(declarator.name)
    number = next(serial)
    init, local = f"mlusim_init_{number}", f"mlusim_local_{number}"
    place = f"::mlusim::Local {local}{{{_place(source, space, declarator)}}};"
    if declarator.initialised:
        return _Form(kind, init, f"; {place} decltype({init}) &{name} = {local}.init({init})", True)
    return _Form(f"{place} {kind}", f"(&{name})" if declarator.array else f"&{name}", f" = {local}", True)


def _place(source: Source, space: str, declarator: _Declarator) -> str:
    """The first constructor arguments of a Slot or Local: name, space, line, file."""
    file, line = source.locate(declarator.name[0].start)
    name = spell(declarator.name)
    if declarator.unsized and not declarator.initialised:
        raise source.error(f"'{name}' needs an array size or an initialiser", declarator.name[0].start)
    return f'"{name}", "{space}", {line}, "{file}"'


def _words(*words: str) -> str:
    return " ".join(filter(None, words))


def _after_labels(found: Sequence[Token]) -> int:
    """The index after `case x:`, `default:` and `label:` at the start of a statement."""
    at = 0
    while at + 1 < len(found):
        if found[at].text == "case":
            while at + 1 < len(found) and found[at].text != ":":
                at = skip_item(found, at)
            at += 1
        elif found[at].kind == "word" and found[at + 1].text == ":":
            at += 2
        else:
            break
    return at


def _specifiers(found: Sequence[Token], begin: int) -> _Specifiers | None:
    """The specifiers of the declaration that begins at index `begin`; None when the statement is no declaration."""
    header: list[Token] = []
    storage: list[Token] = []
    kind: list[Token] = []
    qualifiers: list[Token] = []
    units: list[range] = []  # Types and names, each with its namespaces and template arguments.
    at = begin
    while at < len(found):
        token = found[at]
        following = found[at + 1].text if at + 1 < len(found) else ""
        end = at + 1
        if token.text in _NO_VARIABLE:
            return None
        if token.text in SPACES:
            qualifiers.append(token)
        elif token.text in _STORAGE or token.kind == "string":
            storage.append(token)
        elif token.text == "template" and following == "<":
            end = close_angle(found, at + 1) + 1
            header += found[at:end]
        else:
            if token.text in GROUP_WORDS and following == "(":
                end = close(found, at + 1) + 1
                if token.text in ("decltype", "typeof", "__typeof__"):
                    units.append(range(at, end))
            elif token.text == "[" and following == "[":
                end = close(found, at) + 1
            elif token.kind == "word" or token.text in ("::", "<"):
                end = close_angle(found, at) + 1 if token.text == "<" else end
                if token.text not in _NOT_A_TYPE:
                    continues = at > begin and (token.kind != "word" or found[at - 1].text == "::")
                    units[-1:] = [range(units[-1].start, end)] if continues and units else [*units[-1:], range(at, end)]
            else:
                break
            in_front = token.text in ("[", "alignas") and not kind and not storage
            (header if in_front else kind).extend(found[at:end])
        at = end
    name = range(at, at)
    # The last unit is the declared name when one before it is already the type.
    if len(units) > 1 and units[-1].stop == at and found[at - 1].kind == "word":
        last = found[at - 1].text
        if last not in _BUILTIN_TYPES:
            name = units[-1]
            kind = kind[: len(kind) - len(name)]
    return _Specifiers(header, storage, kind, qualifiers, name.start, name)


def _declarators(source: Source, found: Sequence[Token], specifiers: _Specifiers) -> list[_Declarator]:
    """All declarators of the declaration; an empty list when it declares a function."""
    result: list[_Declarator] = []
    at, name = specifiers.end, specifiers.name
    while True:
        first = at
        at = name.stop
        array = unsized = initialised = False
        if name:
            while at + 1 < len(found) and found[at].text == "[":
                unsized = unsized or (not array and found[at + 1].text == "]")
                array = True
                at = close(found, at) + 1
            while at + 1 < len(found) and found[at].text in GROUP_WORDS:
                at = close(found, at + 1) + 1
            initialised = at < len(found) and found[at].text in ("=", "{", "(")
        elif at < len(found) and found[at].text not in ("*", "&", "&&", "("):
            raise source.error(f"expected the name of a variable before '{found[at].text}'", found[at].start)
        if initialised or not name:
            while at < len(found) and found[at].text not in (",", ";"):
                if found[at].text == "{" and found[at - 1].text in (")", "const", "noexcept", "override"):
                    return []
                at = skip_item(found, at)
        if at >= len(found) or found[at].text not in (",", ";"):
            raise source.error("expected ',' or ';' after the declared variable", found[min(at, len(found)) - 1].start)
        result.append(_Declarator(found[first], [found[i] for i in name], array, unsized, initialised, found[at]))
        if found[at].text == ";":
            return result
        at += 1
        name = range(at, at + (at < len(found) and found[at].kind == "word"))
