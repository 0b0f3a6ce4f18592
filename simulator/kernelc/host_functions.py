"""Functions of the host in a source for a device: they stay, and only what kernels use of them is compiled."""

from __future__ import annotations

from collections.abc import Sequence

from .scan import KERNEL_WORDS, bodies
from .source import Edit, apply_edits
from .tokens import Token, close, tokens

_MAIN = "main"
#: A function with one of these words is compiled if it is used, or is one of the device.
_ENOUGH = KERNEL_WORDS | {"__device__", "inline", "static", "constexpr", "consteval", "template", "typedef", "using"}


def only_if_used(preprocessed: str) -> str:
    """The text with functions of the host as inline ones, and with another name for its ``main``."""
    edits: list[Edit] = []
    for body in bodies(preprocessed):
        head = list(tokens(preprocessed, body.statement, body.start))
        if is_function(head) and not _ENOUGH & {token.text for token in head}:
            has_linkage = head[0].text == "extern" and head[1].kind == "string"
            place = head[1].end if has_linkage else head[0].start
            edits.append(Edit(place, place, " inline "))
            edits += [Edit(t.start, t.end, "mlusim_main") for t in head[:3] if t.text == _MAIN]
    return apply_edits(preprocessed, edits)


def is_function(found: Sequence[Token]) -> bool:
    """Whether a declaration is that of a function: its parameters come before anything that only a variable has."""
    depth = end = 0
    for at, token in enumerate(found):
        if at < end:  # the sizes of an array, or an attribute
            continue
        if token.text == "[":
            end = close(found, at) + 1
        elif token.text == "<":
            depth += 1
        elif token.text in (">", ">>", ">>>"):
            depth -= len(token.text)
        elif depth <= 0 and opens_parameters(found, at):
            return True
        elif depth <= 0 and token.text in ("=", ";", "{") and (at == 0 or found[at - 1].text != "operator"):
            return False
    return False


def opens_parameters(found: Sequence[Token], at: int) -> bool:
    """Whether a parenthesis opens the parameters of a function, not an attribute's list."""
    words = ("__attribute__", "__attribute", "alignas", "decltype", "(")
    return found[at].text == "(" and at > 0 and found[at - 1].text not in words


def body_of(found: Sequence[Token]) -> int:
    """Where the body of a function begins, `len(found)` for a declaration alone or one with members to initialise."""
    at = 0
    while at < len(found) and found[at].text not in (";", "{", ":"):
        at = close(found, at) + 1 if found[at].text in ("(", "[") else at + 1
    return at if at < len(found) and found[at].text == "{" else len(found)
