"""Code in an image that no compiler has made: assembly at file scope, and data among code.

Checks and the dispatch of system calls hold for what the compiler has made. Where there is other code, a process that
has run it runs nothing else: see `marked`.
"""

from __future__ import annotations

import re

from ..native import FOREIGN

_BLOCK = re.compile(rb"^#APP\n(.*?)(?:^#NO_APP\n|\Z)", re.M | re.S)
_STATEMENT = re.compile(rb"[;\n]")
_LABEL = re.compile(rb"\s*[\w.$]+:")
_SECTION = re.compile(rb"\.(?:push)?section\s+\"?([\w.]+)\"?(?:\s*,\s*\"(\w*)\")?")
_PLACES = {b".text": True, b".previous": True, b".popsection": True, b".data": False, b".bss": False}
_DATA = re.compile(
    rb"\.(?:byte|[248]?byte|short|hword|word|int|long|quad|octa|ascii|asciz|string|zero|skip|space|incbin)\b"
)
_QUIET = re.compile(
    rb"\.(?:globl|global|local|weak|hidden|type|size|align|balign|p2align|ident|loc|file|cfi_\w+)\b|#|$"
)
#: What the compiler itself says: which section begins, and that a variable lies in it.
_COMPILED = re.compile(rb"^\t(\.text|\.data|\.bss|\.section\t\S.*)$|^\t\.type\t\S+, [@%]object$", re.M)


def marked(assembly: bytes) -> bytes:
    """The assembly with a section that says so where it has foreign code."""
    if not any(_is_code(block) for block in _BLOCK.findall(assembly)) and not _has_data_among_code(assembly):
        return assembly
    return assembly + b'\t.section\t%s,"",@progbits\n\t.byte\t1\n' % FOREIGN.encode()


def _is_code(block: bytes) -> bool:
    """Whether a block of assembly is more than data in sections of data."""
    executable = True
    for statement in _STATEMENT.split(block):
        text = _LABEL.sub(b"", statement).strip()
        section = _SECTION.match(text)
        if section:
            executable = _runs(section[1], section[2] or b"")
        elif text in _PLACES:
            executable = _PLACES[text]
        elif not _QUIET.match(text) and (executable or not _DATA.match(text)):
            return True
    return False


def _has_data_among_code(assembly: bytes) -> bool:
    executable = True
    for found in _COMPILED.finditer(assembly):
        name = found[1]
        if name is None:
            if executable:
                return True
        elif section := _SECTION.match(name):
            executable = _runs(section[1], section[2] or b"")
        else:
            executable = name == b".text"
    return False


def _runs(section: bytes, flags: bytes) -> bool:
    return b"x" in flags or section.startswith((b".text", b".init.", b".fini.")) or section in (b".init", b".fini")
