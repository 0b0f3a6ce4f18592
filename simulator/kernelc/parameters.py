"""The parameters of kernels and of their templates, as the source writes them."""

from __future__ import annotations

from collections.abc import Sequence

from .declared import Declared, TemplateParameter
from .scan import SPACES
from .specifiers import BUILTIN_TYPES
from .tokens import Token, close, close_angle, spell

_QUALIFIERS = frozenset({"const", "volatile", "struct", "class", "enum", "union", "typename", "unsigned", "signed"})


def read_parameters(inside: Sequence[Token]) -> tuple[Declared, ...]:
    """The parameters between the parentheses of a function."""
    parts = _between_commas(inside)
    if len(parts) == 1 and [token.text for token in parts[0]] == ["void"]:
        return ()
    return tuple(_declared(part) for part in parts)


def read_template(found: Sequence[Token]) -> tuple[TemplateParameter, ...]:
    """The parameters of a template header, whose first token is the `<`."""
    inside = found[1 : close_angle(found, 0)]
    return tuple(_template_parameter(part) for part in _between_commas(inside))


def _declared(part: Sequence[Token]) -> Declared:
    part = _without_default(part)
    at = _name(part)
    name = part[at].text if at is not None else ""
    kind = spell([token for i, token in enumerate(part) if i != at and token.text != "..."], without=SPACES)
    return Declared(spell(part, without=SPACES), kind, name, any(token.text == "..." for token in part))


def _name(part: Sequence[Token]) -> int | None:
    """The index of the declared name, None without one."""
    for i, token in enumerate(part[:-2]):  # of a pointer to a function, of a reference to an array
        if token.text == "(" and part[i + 1].text in ("*", "&"):
            return i + 2 if part[i + 2].kind == "word" else None
    end = next((i for i, token in enumerate(part) if token.text == "["), len(part))
    last = end - 1
    if last < 1 or part[last].kind != "word" or part[last].text in BUILTIN_TYPES | _QUALIFIERS:
        return None
    no_type = _QUALIFIERS - {"unsigned", "signed"} | SPACES.keys()
    before = [token.text for token in part[:last] if token.text not in no_type]
    return last if before and before[-1] != "::" else None


def _template_parameter(part: Sequence[Token]) -> TemplateParameter:
    head = _without_default(part)
    default = spell(part[len(head) + 1 :])
    pack = any(token.text == "..." for token in head)
    words = [token for token in head if token.text != "..."]
    name = words[-1].text if len(words) > 1 and words[-1].kind == "word" else ""
    if words and words[0].text in ("typename", "class") and len(words) <= 2:
        return TemplateParameter("type", name, pack, default)
    return TemplateParameter(spell(words[:-1] if name else words), name, pack, default)


def _without_default(part: Sequence[Token]) -> Sequence[Token]:
    """What stands before the first `=` outside all brackets."""
    depth = 0
    for i, token in enumerate(part):
        depth += (token.text in "([{") - (token.text in ")]}") if token.kind == "op" else 0
        if token.text == "=" and not depth:
            return part[:i]
    return part


def _between_commas(inside: Sequence[Token]) -> list[Sequence[Token]]:
    """The stretches between commas outside all brackets; where types stand, `<` opens one."""
    parts: list[Sequence[Token]] = []
    begin = at = 0
    while at < len(inside):
        text = inside[at].text if inside[at].kind == "op" else ""
        if text == ",":
            parts.append(inside[begin:at])
            begin = at + 1
        at = (close_angle(inside, at) if text == "<" else close(inside, at) if text in ("(", "[", "{") else at) + 1
    return [*parts, inside[begin:]] if inside else []
