"""``python -m mlusim.simulator.host.programs.header``: writes native/host/host_messages.h, the messages of a `Session`
as C++ has them.
"""

from __future__ import annotations

import hashlib
import inspect
import textwrap
from collections.abc import Iterator
from itertools import groupby
from typing import Any, get_args, get_origin

from ...frames import HEAD, MAGIC, MOST_FIELDS, VERSION, Signed, fields_of
from .messages import HEADER
from .session import AGREEMENT

_TYPES = {int: "uint64_t", Signed: "int64_t", bool: "bool", str: "std::string", bytes: "std::string"}
_HEAD_TYPES = {"4s": "char {}[4]", "H": "uint16_t {}", "Q": "uint64_t {}"}
_TOP = """\
// Made by `python -m mlusim.simulator.host.programs.header` of the messages that a session declares. Do not edit.
#pragma once
#include <stdint.h>

#include <string>
#include <vector>

namespace mlusim {

"""


def header() -> str:
    """The text of the header."""
    parts = []
    known: set[type] = set()
    numbered = [*enumerate(AGREEMENT.messages, 1)]
    answers = AGREEMENT.answers.values()
    for number, message in sorted(numbered, key=lambda entry: entry[1] not in answers):  # messages name their answers
        parts += [_structure(kind) for kind in _below(message, known)]
        parts.append(_structure(message, number))
    text = _head() + "\n" + "\n".join(parts)
    version = hashlib.sha256(text.encode()).hexdigest()[:16]
    told = f"// What tells these messages from those of another version.\nconstexpr uint64_t VERSION = 0x{version};\n"
    return _TOP + told + text + "\n\n}  // namespace mlusim\n"


def _head() -> str:
    fields = "".join(f"  {_HEAD_TYPES[code].format(name)};\n" for name, code in HEAD)
    return (
        f'constexpr char MAGIC[] = "{MAGIC.decode()}";\nconstexpr uint16_t FRAMING = {VERSION};\n'
        f"constexpr uint64_t MOST_FIELDS = {MOST_FIELDS};  // bytes\n"
        f"// What every message begins with.\nstruct Head {{\n{fields}}};\n"
    )


def _below(kind: type, known: set[type]) -> Iterator[type]:
    """The structures that a message holds, each once."""
    for field in fields_of(kind).values():
        item = get_args(field)[0] if get_origin(field) is tuple else field
        if item not in _TYPES and item not in known:
            known.add(item)
            yield from _below(item, known)
            yield item


def _structure(kind: type, number: int | None = None) -> str:
    fields, first = fields_of(kind), ""
    if number is not None:
        first = f"  static constexpr uint16_t KIND = {number};"
    if number is not None and kind not in AGREEMENT.answers.values():
        answer = AGREEMENT.answers.get(kind)
        first += f" using Answer = {answer.__name__ if answer else 'void'};"
    listed = ", ".join(f"self.{name}" for name in fields)
    each = f"(Self& self, Fields& fields) {{ fields({listed}); }}" if fields else "(Self&, Fields&) {}"
    lines = [f"// {line}" for line in textwrap.wrap((inspect.getdoc(kind) or "").replace("``", "`"), 117)]
    lines += [f"struct {kind.__name__} {{", *([first] if first else [])]
    for declared, alike in groupby(fields, key=lambda name: fields[name]):
        names = ", ".join(f"{name}{{}}" for name in alike)
        lines += _wrapped(f"{_type(declared)} {names};")
    lines += [*_wrapped(f"template <class Self, class Fields> static void each{each}"), "};"]
    return "\n".join(lines)


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, 118, initial_indent="  ", subsequent_indent="      ", break_long_words=False)


def _type(field: Any) -> str:
    if get_origin(field) is tuple:
        return f"std::vector<{_type(get_args(field)[0])}>"
    return _TYPES.get(field) or str(field.__name__)


if __name__ == "__main__":
    HEADER.write_text(header(), encoding="utf-8")
