"""Integers that take the place of floating-point numbers: variables that lose fractions, quotients that are 0."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .bodies import SETTING, bodies
from .conversions import Conversions
from .tokens import CLOSER, Token, close

_INTEGERS = frozenset({
    "int", "long", "short", "unsigned", "size_t", "int8_t", "uint8_t", "int16_t", "uint16_t", "int32_t", "uint32_t",
    "int64_t", "uint64_t",
})  # fmt: skip
#: Also names that sources have for the floating-point type that they are built for.
_FLOATING = frozenset({
    "float", "double", "half", "__half", "bfloat16_t", "__nv_bfloat16", "bfloat16", "REAL", "Real", "real", "scalar_t",
    "Dtype",
})  # fmt: skip
#: Types of numbers that count.
_COUNTS = frozenset({"size_t", "unsigned"})
_QUALIFIERS = frozenset({"const", "volatile", "restrict", "__restrict__", "__restrict", "*", "&"})
_POINTING = frozenset({"*", "restrict", "__restrict__", "__restrict"})
_ENDS = frozenset({"{", "}", ";"})
_FUNCTION = re.compile(
    r"(?:__f?)?(?:exp(?:2|10|m1)?|log(?:2|10|1p)?|sqrt|rsqrt|pow|tanh?|sinh?|cosh?|erfc?|fabs|fdivide|fmax|fmin|fma)f?"
)
#: What rounds, in whatever spelling; and 0.5, which is added before fractions are cut off.
_ROUNDS = re.compile(r"\w*(?:floor|ceil|round|trunc|rint|nearbyint|2int)\w*")
_HALF = re.compile(r"0?\.5[fF]?")
_BITS = frozenset({"<<", ">>", "%", "&", "|", "^", "~"})
_COMPARED = frozenset({"<", ">", "<=", ">=", "==", "!="})
_ADDING = frozenset({"+=", "-="})
_ARITHMETIC = frozenset({"+", "-", "*", "/"})
_NUMBER = re.compile(r"(?:\d*\.\d+|\d+\.\d*|\d+(?=[eE]))(?:[eE][+-]?\d+)?[fFlL]?|\d+\.?[fF]")
_LOOPS = frozenset({"for", "while"})


class Truncated(NamedTuple):
    """A variable that is named, or a quotient as it is written, at a line; ``sums``: the variable adds them up.

    ``sure``: fractions are lost of what is computed there. What a variable takes as it is may have none.
    """

    name: str
    line: int
    sums: bool = False
    sure: bool = True


def truncated(text: str, converted: Conversions, function: str = "") -> list[Truncated]:
    """Where the functions of a text lose fractions: all of them, or one and those of the text that it calls.

    An integer variable takes floating-point numbers, without a cast and without a function that rounds, and it adds
    them up, or is used as a floating-point number only. A quotient of two numbers that are written out is not whole and
    is an operand of floating-point arithmetic.
    """
    found, functions = bodies(text, function)
    lines = [at for at, letter in enumerate(text) if letter == "\n"]
    said = [one for begin, end in functions for one in _Body(found, (begin, end), lines, converted).truncated()]
    return sorted(said, key=lambda one: one.line)


class _Body:
    """The body of a function, as tokens from one to before another."""

    def __init__(
        self, found: Sequence[Token], body: tuple[int, int], lines: Sequence[int], converted: Conversions
    ) -> None:
        """``lines``: where the lines of the text end."""
        self._found, (self._begin, self._end), self._lines, self._converted = found, body, lines, converted

    def truncated(self) -> Iterator[Truncated]:
        """Each place."""
        if self._converted.to_integer:
            names = [name for _, name in self._declared(_INTEGERS, self._begin, self._end)]
            for at, name in self._declared(_INTEGERS, self._begin, self._end):
                if names.count(name) == 1 and (said := self._lost(name, at)):
                    yield said
        if any(token.text == "/" for token in self._found[self._begin : self._end]):
            named = [*self._declared(_FLOATING, self._head(), self._end)]
            floats = {name for _, name in named}
            pointers = {name for at, name in named if self._found[at - 1].text in _POINTING}
            for at in range(self._begin, self._end):
                if self._is_quotient(at, floats, pointers):
                    yield Truncated("".join(token.text for token in self._found[at : at + 3]), self._line(at))

    def _lost(self, name: str, declared: int) -> Truncated | None:
        """What a variable loses, unless it is used as an integer somewhere."""
        found, uses = self._found, [*self._uses(name, declared)]
        setting = [at for at in (declared, *uses) if found[at + 1].text in {"=", *_ADDING} and self._loses(at)]
        if not setting:
            return None
        first = setting[0]
        if found[first + 1].text in _ADDING:
            return Truncated(name, self._line(first), sums=True)
        if {found[declared - 1].text, found[declared - 2].text} & _COUNTS:
            return None
        words = {word for at in setting for word in self._operands(self._expression(at + 2))} - {name}
        as_floating = [self._is_floating(at, words) for at in uses]
        if True not in as_floating or False in as_floating:
            return None
        computed = any(found[k].text in _ARITHMETIC or found[k + 1].text == "(" for k in self._expression(first + 2))
        return Truncated(name, self._line(first), sure=computed)

    def _loses(self, at: int) -> bool:
        """Whether the compiler says so of what a variable is set to, and nothing in it rounds."""
        inside = self._expression(at + 2)
        lines = range(self._line(at), self._line(inside.stop) + 1)
        return not any(map(self._rounds, inside)) and not self._converted.to_integer.isdisjoint(lines)

    def _rounds(self, at: int) -> bool:
        """Whether a token rounds, and what it rounds is not subtracted: what that leaves is a fraction."""
        text = self._found[at].text
        return bool(_HALF.fullmatch(text) or (_ROUNDS.fullmatch(text) and self._found[at - 1].text != "-"))

    def _operands(self, part: range) -> Iterator[str]:
        """The names in an expression, without those of functions and in indices."""
        at = part.start
        while at < part.stop:
            token, behind = self._found[at : at + 2]
            if token.kind == "word" and behind.text not in ("(", "::"):
                yield token.text
            at = (close(self._found, at) if token.text == "[" else at) + 1

    def _is_floating(self, at: int, taken: set[str]) -> bool | None:
        """Whether a variable is used as a floating-point number; None of a use that says nothing.

        It is an integer as an index, a bound of a loop, an operand of bits, in what another integer is set to, and
        where the fraction of what it was ``taken`` from is computed. Numbers of any type are compared.
        """
        found, (begin, end) = self._found, self._statement(at)
        if found[at + 1].text in {"=", *SETTING}:
            return False if found[at + 1].text in ("++", "--") else None
        called = []
        for opened in self._around(at):
            if found[opened].text == "[" or found[opened - 1].text in _LOOPS:
                return False
            called.append(found[opened - 1])
        made = any(line in self._converted.to_floating for line in range(self._line(begin), self._line(end) + 1))
        beside, texts = {found[at - 1].text, found[at + 1].text}, {found[k].text for k in range(begin, end)}
        if beside & _COMPARED:
            return made or None
        if beside & {*_BITS, "++", "--"} or texts & _INTEGERS:
            return False
        if texts & {"-", "-="} and not taken.isdisjoint(self._operands(range(begin, end))):
            return False
        if made or any(map(_NUMBER.fullmatch, texts)):
            return True
        if any(_FUNCTION.fullmatch(one.text) or one.text in _FLOATING for one in called):
            return True
        return False if any(one.kind == "word" and one.text not in ("if", "return") for one in called) else None

    def _around(self, at: int) -> Iterator[int]:
        """The brackets that are open at a token, up to those of its block, from the inside on."""
        depth = 0
        while at > self._begin:
            at -= 1
            text = self._found[at].text
            depth += (text in CLOSER) - (text in CLOSER.values())
            if depth > 0:
                if text == "{":
                    return
                depth = 0
                yield at

    def _statement(self, at: int) -> tuple[int, int]:
        """The tokens of a statement."""
        begin = end = at
        while begin > self._begin and self._found[begin - 1].text not in _ENDS:
            begin -= 1
        while end < self._end and self._found[end].text not in _ENDS:
            end += 1
        return begin, end

    def _expression(self, at: int) -> range:
        return range(at, self._behind(at, (",", ";", ")")))

    def _line(self, at: int) -> int:
        return bisect_right(self._lines, self._found[at].start) + 1

    def _head(self) -> int:
        """Where the parameters begin."""
        depth, at = 0, self._begin - 2
        while at > 0:
            depth += {")": 1, "(": -1}.get(self._found[at].text, 0)
            if not depth:
                return at
            at -= 1
        return self._begin

    def _declared(self, types: frozenset[str], begin: int, end: int) -> Iterator[tuple[int, str]]:
        """The variables of some types: where each is declared, and its name."""
        found, at = self._found, begin
        while at < end:
            start, at = at, at + 1
            if found[start].text not in types or found[start - 1].text in (".", "->"):
                continue
            while found[at].text in types or found[at].text in _QUALIFIERS:
                at += 1
            while found[at].kind == "word" and found[at + 1].text in ("=", ";", ",", "[", ")", ":"):
                yield at, found[at].text
                at = self._behind(at + 1, (",", ";", ")"))
                if found[at].text != "," or found[at + 1].text in types | _QUALIFIERS:
                    break
                at += 1
                while found[at].text == "*":
                    at += 1

    def _behind(self, at: int, ends: Sequence[str]) -> int:
        """The first of some tokens outside of brackets."""
        while at < self._end and self._found[at].text not in ends:
            at = close(self._found, at) + 1 if self._found[at].text in CLOSER else at + 1
        return at

    def _uses(self, name: str, declared: int) -> Iterator[int]:
        for at in range(declared + 1, self._end):
            if self._found[at].text == name and self._found[at - 1].text not in (".", "->", "::"):
                yield at

    def _is_quotient(self, at: int, floats: set[str], pointers: set[str]) -> bool:
        """Whether two written numbers are divided, not evenly, as an operand of floating-point arithmetic."""
        first, divided, second = self._found[at : at + 3]
        before, behind = self._found[at - 1].text, self._found[at + 3].text
        if divided.text != "/" or not (first.text.isdigit() and second.text.isdigit()) or not int(second.text):
            return False
        if int(first.text) % int(second.text) == 0 or before in ("*", "/", "%", "[", "<<", ">>", "<"):
            return False
        if before == "-" and self._found[at - 2].text in ("(", ","):
            return behind in (")", ",") and self._is_argument(at)
        if behind == ")" and before in ("(", ","):
            return self._is_argument(at)
        return behind == "*" and before != "(" and self._is_value(at + 4, floats, pointers)

    def _is_value(self, at: int, floats: set[str], pointers: set[str]) -> bool:
        """Whether a token is, or begins, a floating-point operand."""
        token, behind = self._found[at : at + 2]
        known = token.text in floats and (token.text not in pointers or behind.text == "[")
        called = behind.text == "(" and bool(_FUNCTION.fullmatch(token.text))
        return known or called or (token.kind == "number" and bool(_NUMBER.fullmatch(token.text)))

    def _is_argument(self, at: int) -> bool:
        """Whether a place lies in the arguments of a mathematical function."""
        opened = next(self._around(at), 0)
        return bool(opened and _FUNCTION.fullmatch(self._found[opened - 1].text))
