"""Variables with a memory-space qualifier (`__nram__ float a[10];`) become references into simulated memory.

A qualifier anywhere else (pointee, parameter, cast, template argument, member, typedef) describes a type that plain C++
cannot tell apart, so there only the word is removed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import partial
from typing import NamedTuple

from .declarators import Declarator, read_declarators
from .scan import KERNEL_WORDS, SPACES, Site
from .source import Edit, SourceText, layout
from .specifiers import Specifiers, read_specifiers
from .tokens import spell, statement, tokens

# Marks each reference, so that the build finds them all in one section of the image.
_SLOT = '__attribute__((section("mlusim_slots"), used))'
#: Behind these a declarator with a star is a pointer that is a variable; other words are of what it points to.
_OF_CUDA = frozenset({"__device__", "__constant__", "__managed__", "__shared__"})
#: The space in which `extern` declares a part whose size the launch gives.
_SHARED = "shared"

# A reference that begins with the name of another variable: `&r = a`, `(&r)[4] = a`.
_ALIAS = re.compile(r"(?:&\s*\w+|\(\s*&\s*\w+\s*\)\s*[^=]*)\s*=\s*(\w+)\s*")


class _Form(NamedTuple):
    """How a declarator is written: the text before it, its name, the text after it; `ends` a statement of its own."""

    before: str
    name: str
    after: str
    ends: bool


def declaration(
    source: SourceText, site: Site, serial: Iterator[int], names: set[str], storage: str = ""
) -> tuple[list[Edit], int]:
    """The edits for the memory-space qualifier at `site`, and the position up to which they deal with the text.

    `serial` numbers the helper variables, `names` are the variables so far, `storage` is the storage class of variables
    at file scope that have none. When the qualifier declares no variable, the one edit removes the word.
    """
    word = source.remove_word(site.start, site.end)
    dropped = [word], word.end
    if site.parentheses or site.scope.kind == "class" or (site.word == "__device__" and _is_function(source, site)):
        return dropped
    found = statement(source.text, site.statement)
    specifiers = read_specifiers(found)
    if specifiers is None or all(token.start != site.start for token in specifiers.qualifiers):
        return dropped
    if found[min(specifiers.end, len(found) - 1)].text == ";" and not specifiers.name:
        return dropped  # the definition of a type
    declarators = read_declarators(source, found, specifiers, site.word in _OF_CUDA)
    names.update(spell(declarator.name) for declarator in declarators)
    if site.word == "__shared__" and not all(declarator.name for declarator in declarators):
        raise source.error("a __shared__ pointer to an array or a function is not modelled; keep an index", site.start)
    if not any(declarator.name for declarator in declarators):
        if site.scope.kind == "namespace" and len(declarators) == 1 and _is_alias(source, declarators[0], names):
            return [Edit(site.start, site.end, _SLOT)], word.end
        return dropped
    words = {token.text for token in specifiers.qualifiers}
    if len(words) > 1 and "__device__" in words:  # beside another one it says nothing
        words.remove("__device__")
        if site.word not in words:
            return [], word.end  # the edits for the other one take it out
    if len(words) > 1:
        raise source.error("a variable lives in one memory space, this declaration names several", site.start)
    named = next(declarator.name[0] for declarator in declarators if declarator.name)
    if any(token.text in KERNEL_WORDS for token in found if token.start < named.start):
        raise source.error(f"'{named.text}' is a variable; only functions are kernels", named.start)
    write = _block_form if site.scope.kind == "block" else partial(_namespace_form, internal=storage)
    start = found[specifiers.begin].start
    place = Edit(start, declarators[0].first.start, "")
    edits: list[Edit] = []
    previous: _Form | None = None
    for declarator in declarators:
        form = write(source, SPACES[site.word], specifiers, declarator, serial)
        if not declarator.name and site.scope.kind == "namespace" and _is_alias(source, declarator, names):
            form = form._replace(before=f"{_SLOT} {form.before}")
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


def _is_function(source: SourceText, site: Site) -> bool:
    """Whether a parenthesis comes before anything that only a variable has."""
    return next((t.text for t in tokens(source.text, site.end) if t.text in ("(", "=", ";", "[", "{", ",")), "") == "("


def _dynamic_form(specifiers: Specifiers, declarator: Declarator, storage: str) -> _Form:
    """The memory that a launch asks for: a reference to its beginning, under the type that stands here."""
    name = spell(declarator.name)
    before = _words(specifiers.lead, storage, specifiers.kind)
    return _Form(before, _reference(name, declarator), " = ::mlusim::Dynamic{}", False)


def _reference(name: str, declarator: Declarator) -> str:
    """A reference in the place of the variable's name."""
    return f"(&{name})" if declarator.array or declarator.pointer else f"&{name}"


def _namespace_form(
    source: SourceText, space: str, specifiers: Specifiers, declarator: Declarator, serial: Iterator[int],
    internal: str = "",
) -> _Form:  # fmt: skip
    if space == _SHARED and specifiers.has("extern") and declarator.name:
        return _dynamic_form(specifiers, declarator, "static")
    lead, kind = specifiers.lead, specifiers.kind
    storage = spell([token for token in specifiers.storage if token.text != "extern" and token.kind == "word"])
    storage = storage or ("" if specifiers.has("extern") else internal)
    outside = _words(lead, spell(specifiers.storage), kind)
    if not declarator.name:
        return _Form(outside, "", "", False)
    name = spell(declarator.name)
    reference = _reference(name, declarator)
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


def _is_alias(source: SourceText, declarator: Declarator, names: Collection[str]) -> bool:
    """Whether it is another name of a variable, which then moves with it from core to core."""
    match = _ALIAS.fullmatch(source.text, declarator.first.start, declarator.end.start)
    return match is not None and match[1] in names


def _block_form(
    source: SourceText, space: str, specifiers: Specifiers, declarator: Declarator, serial: Iterator[int]
) -> _Form:
    if space == _SHARED and specifiers.has("extern") and declarator.name:
        return _dynamic_form(specifiers, declarator, "")
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
    return _Form(f"{place} {kind}", _reference(name, declarator), f" = {local}", True)


def _place(source: SourceText, space: str, declarator: Declarator) -> str:
    """The first constructor arguments of a Slot or Local: name, space, line, file."""
    file, line = source.locate(declarator.name[0].start)
    name = spell(declarator.name)
    if declarator.unsized and not declarator.initialised:
        raise source.error(f"'{name}' needs an array size or an initialiser", declarator.name[0].start)
    return f'"{name}", "{space}", {line}, "{file}"'


def _words(*words: str) -> str:
    return " ".join(filter(None, words))
