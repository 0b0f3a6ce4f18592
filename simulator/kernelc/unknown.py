"""Unknown functions: they are declared, so that the source compiles and calling one is a finding."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..log import Location
from ..native import STATED
from .language import VISIBLE
from .source import escape

#: Unknown functions, with where each is called first.
Found = dict[str, Location]
#: Where `mlu.h` has them declared, after preprocessing.
_PLACE = re.compile(r"^#pragma mlusim unknown$", re.M)
_ERROR = re.compile(r"^(\S.*?):(\d+):\d+: error: (.*)$", re.M)
_UNDECLARED = re.compile(
    r"'(\w+)' was not declared in this scope"
    r"|no arguments to '(\w+)' that depend on a template"
    r"|(?:undeclared identifier|declaration of function) '(\w+)'"
)
#: Names that are the vendor's and not the user's: instructions, and functions of its host libraries.
_VENDORS = re.compile(r"__\w+|cn(?:rt|nl|cl|px|pe)?[A-Z]\w*")


def undeclared(messages: str) -> Found:
    """The names that a compiler does not find, with where it says so first."""
    found: Found = {}
    for file, line, text in _ERROR.findall(messages):
        for groups in _UNDECLARED.findall(text):
            found.setdefault(next(filter(None, groups)), Location(file.replace(STATED, ""), int(line)))
    return found


def unknown_functions(messages: str, text: str) -> Found:
    """Those of the undeclared names that a declaration can help: the vendor's, called as functions."""
    if not _PLACE.search(text):
        return {}
    return {
        name: place
        for name, place in undeclared(messages).items()
        if _VENDORS.fullmatch(name) and re.search(rf"(?<![\w.]){name}\s*[(<]", text)
    }


def declare(text: str, names: Iterable[str]) -> str:
    """The preprocessed text with a function for each name: any arguments, a result that ends the task that uses it."""
    lines = "".join(
        'template <class... T, class... A> static __attribute__((noinline, unused, no_sanitize("thread"))) '
        f"::mlusim::Unmodelled {name}(A&&... given) "
        "{ (::mlusim::perhaps_set(__builtin_addressof(given)), ...); "
        f'mlusim_not_modelled("{name}", (int64_t)__builtin_return_address(0)); return {{}}; }} '
        for name in names
    )
    return _PLACE.sub(lambda _: lines, text, count=1)


def note(found: Found) -> str:
    """A variable of the image that says which they are; see `LoadedImage.describe`."""
    rows = "".join(f'"{name}\\t{place.line}\\t" "{escape(place.file)}\\n" ' for name, place in found.items())
    return f'extern "C" {{ extern {VISIBLE} const char mlusim_unknown[] = {rows}; }}\n'
