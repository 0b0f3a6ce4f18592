"""What stands before the first declarator of a C++ declaration, sorted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .scan import SPACES
from .tokens import GROUP_WORDS, Token, close, close_angle, skip_item, spell

_STORAGE = frozenset({"static", "extern", "inline", "thread_local", "register"})
BUILTIN_TYPES = frozenset({
    "void", "bool", "char", "wchar_t", "char8_t", "char16_t", "char32_t", "short", "int", "long", "float", "double",
    "signed", "unsigned", "auto",
})  # fmt: skip
_NOT_A_TYPE = frozenset({"const", "volatile", "constexpr", "typename", "struct", "class", "union", "enum", "template"})
_DEFINED = frozenset({"struct", "class", "union", "enum"})
_NO_VARIABLE = frozenset(
    {"typedef", "using", "friend", "return", "throw", "new", "delete", "goto", "static_assert", "operator"}
)


@dataclass(frozen=True)
class Specifiers:
    """What stands before the first declarator, sorted into header, storage classes, and the type.

    `header` is what must stay in front of everything: template header and standard attributes. `qualifiers` are the
    memory-space words; `begin` and `end` are the indices of the first token and of the first declarator; `name` is the
    index range of a declared name there, empty when the declarator begins with `*`, `&` or `(`.
    """

    begin: int
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


def read_specifiers(found: Sequence[Token]) -> Specifiers | None:
    """The specifiers of the declaration in a statement, after its labels; None when it is no declaration."""
    return _specifiers(found, _after_labels(found))


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


def _specifiers(found: Sequence[Token], begin: int) -> Specifiers | None:
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
            elif token.text == "{" and units and _DEFINED.intersection(t.text for t in found[begin:at]):
                end = close(found, at) + 1  # the body of the type
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
        if last not in BUILTIN_TYPES:
            name = units[-1]
            kind = kind[: len(kind) - len(name)]
    return Specifiers(begin, header, storage, kind, qualifiers, name.start, name)
