"""Inline assembly statements become calls, one for each instruction in the template."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .scan import SPACES, Site
from .source import Edit, SourceText, layout
from .tokens import Token, close, skip_item, spell, split, statement, tokens

_QUALIFIERS = frozenset({"volatile", "__volatile__", "__volatile", "inline", "__inline__", "__inline"})
_STATEMENT_WORDS = frozenset({"if", "for", "while", "switch"})
_STRING = re.compile(r'(?:u8|[uUL])?(?:R"([^(]*)\((?P<raw>(?s:.*))\)\1"|"(?P<plain>.*)")')
_ESCAPE = re.compile(r"\\(.)")
_INSTRUCTION_END = re.compile(r"[;\n]")
#: Instructions that the assembler may not move; nothing moves here.
_VOLATILE = re.compile(r"\.volatile\s*\{([^{}]*)\}")
_NUMBER = re.compile(r"[-+]?(?:\d|\.\d)[\w.]*")
# One piece between commas: an operand `%[name]` or `%0`, or a literal, in brackets or not, or `.op(operand)`.
_PIECE = re.compile(
    r"\s*(?:\.(?P<method>\w+)\s*\()?[\[\s]*"
    r"(?:%\[(?P<name>\w+)\]|%(?P<number>\d+)|(?P<literal>%{0,2}[\w.+-]+))"
    r"[\]\s]*\)?\s*"
)


class _Operand(NamedTuple):
    name: str
    expression: str


def asm_statement(source: SourceText, site: Site, known: Mapping[str, str]) -> Edit | None:
    """The edit for the `asm` at `site`; None when it is to stay as it is.

    It stays when it is no statement of the user (the asm label of a declaration, file scope, a system header's
    macro), or holds no instruction (`asm volatile("" ::: "memory")`).
    """
    if site.scope.kind != "block" or site.parentheses or site.system or not _begins_statement(source, site):
        return None
    found = statement(source.text, site.start)
    opening = 1
    while opening < len(found) and found[opening].text in _QUALIFIERS:
        opening += 1
    if opening == len(found) or found[opening].text != "(":
        return None
    closing = close(found, opening)
    if closing == len(found):
        raise source.error(f"{site.word} has no closing ')'", site.start)
    sections = _sections(found[opening + 1 : closing])
    template = _template(source, site, sections[0])
    operands = [_operand(source, part) for section in sections[1:3] for part in split(section, ",")]
    instructions = [part.strip() for part in _INSTRUCTION_END.split(_VOLATILE.sub(r"\1", template))]
    calls = [_call(source, site, text, operands, known) for text in instructions if text]
    if not calls:
        return None
    end = found[closing].end
    # A comma keeps several calls one statement, also after an `if` without braces.
    return Edit(site.start, end, ", ".join(calls) + layout(source.text[site.start : end]))


def _begins_statement(source: SourceText, site: Site) -> bool:
    before = [token.text for token in tokens(source.text, site.statement, site.start)]
    if not before or before[-1] in (":", "else", "do"):
        return True
    if before[0] == "else":
        del before[0]
    return before[-1] == ")" and before[0] in _STATEMENT_WORDS


def _sections(inside: Sequence[Token]) -> list[list[Token]]:
    """Template, outputs, inputs, clobbers: the stretches between colons, where `::` is two of them."""
    sections: list[list[Token]] = [[]]
    at = 0
    while at < len(inside):
        colons = {":": 1, "::": 2}.get(inside[at].text, 0)
        sections += ([] for _ in range(colons))
        end = skip_item(inside, at)
        if not colons:
            sections[-1] += inside[at:end]
        at = end
    return sections


def _template(source: SourceText, site: Site, literals: Sequence[Token]) -> str:
    """The characters of the adjacent string literals; every escape but a line break is a blank to an assembler."""
    if not literals or any(token.kind != "string" for token in literals):
        raise source.error(f'{site.word} needs a template of string literals, as in asm("sync;")', site.start)
    text = ""
    for token in literals:
        match = _STRING.fullmatch(token.text)
        assert match is not None  # It is a string token.
        plain = match["plain"]
        if plain is None:
            text += match["raw"]
        else:
            text += _ESCAPE.sub(lambda escape: {"n": "\n", "t": "\t"}.get(escape[1], escape[1]), plain)
    return text


def _operand(source: SourceText, part: Sequence[Token]) -> _Operand:
    """`[name] "constraint" (expression)`, where the name may be missing."""
    name = ""
    at = 0
    if len(part) > 3 and part[0].text == "[" and part[2].text == "]":
        name = part[1].text
        at = 3
    opening = at
    while opening < len(part) and part[opening].kind == "string":
        opening += 1
    if opening == at or opening >= len(part) or part[opening].text != "(" or close(part, opening) != len(part) - 1:
        where = part[0].start if part else 0
        raise source.error('an asm operand is written [name] "constraint" (expression)', where)
    inside = part[opening + 1 : -1]
    expression = spell(inside, without=SPACES)
    return _Operand(name, f"({expression})" if len(split(inside, ",")) > 1 else expression)


def _call(source: SourceText, site: Site, text: str, operands: Sequence[_Operand], known: Mapping[str, str]) -> str:
    """The call for one instruction, or `not_modelled` when its mnemonic or the form of its operands is unknown."""
    mnemonic, _, rest = text.partition(" ")
    arguments = _arguments(source, site, rest, operands) if mnemonic in known else None
    if arguments is None:
        label = f"asm: {mnemonic}".replace("\\", "\\\\").replace('"', '\\"')
        used = [f", ({operand.expression})" for operand in operands]
        return f'::mlusim::not_modelled("{label}"{"".join(used)})'
    return f"{known[mnemonic]}({', '.join(arguments)})"


def _arguments(source: SourceText, site: Site, text: str, operands: Sequence[_Operand]) -> list[str] | None:
    """The C arguments for the operands of an instruction, None when one has another form.

    A number stays a number; any other literal (a register) becomes a string; `.op(x)` becomes two arguments, "op"
    and x.
    """
    arguments: list[str] = []
    for piece in text.split(",") if text.strip() else ():
        match = _PIECE.fullmatch(piece)
        if match is None:
            return None
        if match["method"]:
            arguments.append(f'"{match["method"]}"')
        literal = match["literal"]
        if literal:
            arguments.append(literal if _NUMBER.fullmatch(literal) else '"' + literal.replace("%%", "%") + '"')
        else:
            arguments.append(_expression(source, site, match["name"], match["number"], operands))
    return arguments


def _expression(
    source: SourceText, site: Site, name: str | None, number: str | None, operands: Sequence[_Operand]
) -> str:
    """The C expression of `%[name]` or `%number`."""
    if number is not None and int(number) < len(operands):
        return operands[int(number)].expression
    for operand in operands:
        if name is not None and operand.name == name:
            return operand.expression
    raise source.error(
        f"the asm template names operand %{number or f'[{name}]'}, which is not among its {len(operands)} operands",
        site.start,
    )
