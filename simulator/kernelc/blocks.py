"""Kernels that take one pointer to a block of arguments: which structure they read it as."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from .tokens import Token, close, statement

_QUALIFIERS = frozenset({"const", "volatile", "struct"})
_BETWEEN = frozenset({"(", ")", ">", "const", "volatile"})


def structures_of_blocks(text: str, kernels: Sequence[str]) -> Mapping[str, str]:
    """Kernel -> the name of the structure to which it first turns its parameter, of those that do so themselves."""
    found = {kernel: _structure(text, kernel) for kernel in kernels}
    return {kernel: name for kernel, name in found.items() if name}


def _structure(text: str, kernel: str) -> str:
    for place in re.finditer(rf"\b{re.escape(kernel)}\s*\(", text):
        function = statement(text, place.start())
        end = close(function, 1)
        if end + 1 < len(function) and function[end + 1].text == "{":
            uses = (at for at in range(end + 2, len(function)) if function[at].text == function[end - 1].text)
            return next(filter(None, (_pointed_to(function, at) for at in uses)), "")
    return ""


def _pointed_to(function: Sequence[Token], at: int) -> str:
    """T of ``(const T *)p``, ``static_cast<T *>(p)`` and ``const T *a = p``, where p is the token at a place."""
    at -= 3 if function[at - 1].text == "=" else 1  # behind the name that a declaration has
    while function[at].text in _BETWEEN:
        at -= 1
    if function[at].text != "*":
        return ""
    at -= 1
    while function[at].text in _QUALIFIERS:
        at -= 1
    return function[at].text if function[at].kind == "word" else ""
