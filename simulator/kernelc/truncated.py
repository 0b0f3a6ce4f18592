"""Whole numbers that take the place of floating-point ones: variables that lose fractions, quotients that are 0."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .bodies import SETTING, bodies
from .tokens import CLOSER, Token, close

_WHOLE = frozenset({
    "int", "long", "short", "unsigned", "size_t", "int8_t", "uint8_t", "int16_t", "uint16_t", "int32_t", "uint32_t",
    "int64_t", "uint64_t",
})  # fmt: skip
#: Also names that sources have for the floating-point type that they are built for.
_FLOATING = frozenset({
    "float", "double", "half", "__half", "bfloat16_t", "__nv_bfloat16", "bfloat16", "REAL", "Real", "real", "scalar_t",
    "Dtype",
})  # fmt: skip
_QUALIFIERS = frozenset({"const", "volatile", "restrict", "__restrict__", "__restrict", "*", "&"})
_BRACKETS = frozenset({*CLOSER.keys(), *CLOSER.values()})
_POINTING = frozenset({"*", "restrict", "__restrict__", "__restrict"})
_FUNCTION = re.compile(
    r"(?:__f?)?(?:exp(?:2|10|m1)?|log(?:2|10|1p)?|sqrt|rsqrt|pow|tanh?|sinh?|cosh?|erfc?|fabs|fdivide|fmax|fmin|fma)f?"
)
#: Where such an operator is, a value is not one of arithmetic.
_COMPARED = frozenset({"<", ">", "<=", ">=", "==", "!=", "&&", "||", "?", ":", "!"})
_BITS = frozenset({"<<", ">>", "%", "&", "|", "^", "~"})
_ARITHMETIC = frozenset({"+", "-", "*", "/"})
_ADDING = frozenset({"+=", "-="})
_NUMBER = re.compile(r"(?:\d*\.\d+|\d+\.\d*|\d+(?=[eE]))(?:[eE][+-]?\d+)?[fFlL]?|\d+\.?[fF]")


class Truncated(NamedTuple):
    """A variable that is named, or a quotient as it is written, at a line; ``sums``: the variable adds them up."""

    name: str
    line: int
    sums: bool


def truncated(text: str, function: str = "") -> list[Truncated]:
    """Where the functions of a text lose fractions: all of them, or one and those of the text that it calls.

    A variable of a whole type adds up floating-point numbers; or one is computed of such, without a cast and without a
    function that rounds, and is nothing but an operand of floating-point arithmetic. A quotient of two numbers that
    are written out is not whole and is one operand of it.
    """
    found, functions = bodies(text, function)
    said = [one for begin, end in functions for one in _Body(found, begin, end).truncated()]
    return [Truncated(name, text.count("\n", 0, found[at].start) + 1, sums) for at, name, sums in sorted(said)]


class _Body:
    """The body of a function, as tokens from one to before another; what its variables are called."""

    def __init__(self, found: Sequence[Token], begin: int, end: int) -> None:
        self._found, self._begin, self._end = found, begin, end
        head = self._parameters()
        named = [*self._declared(_FLOATING, head, end)]
        self._floating = {name for _, name in named}
        self._pointers = {name for at, name in named if found[at - 1].text in _POINTING}
        self._whole = [(at, name) for at, name in self._declared(_WHOLE, begin, end)]

    def truncated(self) -> Iterator[tuple[int, str, bool]]:
        """Place, name, and whether it adds up."""
        names = [name for _, name in self._whole]
        for at, name in self._whole:
            if names.count(name) > 1 or name in self._floating:
                continue
            sums = next((use for use in self._uses(name, at) if self._adds(use)), None)
            if sums is not None:
                yield sums, name, True
            elif self._is_number(at) and self._is_computed(at + 2) and self._is_operand(name, at):
                yield at, name, False
        for at in range(self._begin, self._end):
            if self._is_quotient(at):
                yield at, "".join(token.text for token in self._found[at : at + 3]), False

    def _parameters(self) -> int:
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

    def _adds(self, at: int) -> bool:
        return self._found[at + 1].text in _ADDING and self._is_floating(at + 2)

    def _is_number(self, at: int) -> bool:
        """Whether a variable that is declared has a first value, and is none of a type that counts."""
        types = {self._found[at - 1].text, self._found[at - 2].text}
        return self._found[at + 1].text == "=" and not types & {"size_t", "unsigned"}

    def _is_computed(self, at: int) -> bool:
        """Whether an expression is floating-point arithmetic: not one operand alone, and no rounding by 0.5."""
        inside = range(at, self._behind(at, (",", ";", ")")))
        rounds = any(self._found[k].text.strip("0fF") == ".5" for k in inside)
        computed = any(self._found[k].text in _ARITHMETIC or self._calls(k) for k in inside)
        return computed and not rounds and self._is_floating(at)

    def _is_floating(self, at: int) -> bool:
        """Whether an expression is of floating-point numbers, and says nowhere that it becomes a whole one."""
        end, floating = self._behind(at, (",", ";", ")")), False
        while at < end:
            token = self._found[at]
            if token.text in _COMPARED | _BITS | SETTING | _WHOLE:
                return False
            floating = floating or self._is_value(at)
            called = token.kind == "word" and self._found[at + 1].text == "("  # with whatever arguments
            skipped = at + called if called or token.text == "[" else -1
            at = (close(self._found, skipped) if skipped >= 0 else at) + 1
        return floating

    def _calls(self, at: int) -> bool:
        """Whether a mathematical function is called."""
        return self._found[at + 1].text == "(" and bool(_FUNCTION.fullmatch(self._found[at].text))

    def _is_value(self, at: int) -> bool:
        """Whether a token is, or begins, a floating-point operand."""
        token = self._found[at]
        known = token.text in self._floating and self._found[at - 1].text not in (".", "->")
        known = known and (token.text not in self._pointers or self._found[at + 1].text == "[")
        return known or self._calls(at) or (token.kind == "number" and bool(_NUMBER.fullmatch(token.text)))

    def _is_operand(self, name: str, declared: int) -> bool:
        """Whether all uses of a variable are operands of floating-point arithmetic: no indices, no parts of numbers."""
        words = (self._found[at].text for at in range(declared + 2, self._behind(declared, (",", ";"))))
        taken = {*words} & self._floating
        uses = [self._is_arithmetic(use, taken) for use in self._uses(name, declared)]
        return True in uses and False not in uses

    def _is_arithmetic(self, at: int, taken: set[str]) -> bool | None:
        """Whether a use is one as a floating-point number; None of what is compared, which says nothing."""
        found, begin = self._found, at
        while begin > self._begin and found[begin - 1].text not in ("{", "}", ";"):
            begin -= 1
            if found[begin].text == "[" and close(found, begin) > at:
                return False
        end = self._behind(at, (";", "{"))
        words = [*range(begin, at), *range(at + 1, end)]
        if found[at + 1].text in SETTING | {"="} or any(found[k].text in taken for k in words):
            return False  # what is set again, and the fraction of a number
        if found[at - 1].text in _BITS or found[at + 1].text in _BITS:
            return False
        if found[at - 1].text == "(" and self._calls(at - 2):
            return True
        around = [*self._around(at, begin, end)]
        if any(found[k].text in _COMPARED for k in around):
            return None
        beside = found[at - 1].text in _ARITHMETIC or found[at + 1].text in _ARITHMETIC
        stored = found[at - 1].text in SETTING | {"="} and found[at + 1].text == ";"
        return (beside or stored) and any(map(self._is_value, around))

    def _around(self, at: int, begin: int, end: int) -> Iterator[int]:
        """The other tokens of a statement in the same brackets as one."""
        for step, last, opening in ((-1, begin - 1, CLOSER.values()), (1, end, CLOSER.keys())):
            depth, k = 0, at + step
            while k != last and depth >= 0:
                text = self._found[k].text
                depth += (text in opening) - (text in _BRACKETS and text not in opening)
                if depth == 0:
                    yield k
                k += step

    def _is_quotient(self, at: int) -> bool:
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
        return behind == "*" and self._is_value(at + 4) and before != "("

    def _is_argument(self, at: int) -> bool:
        """Whether a place lies in the arguments of a mathematical function."""
        depth = 0
        while at > self._begin:
            depth += {")": 1, "(": -1}.get(self._found[at].text, 0)
            if depth < 0:
                return self._calls(at - 1)
            at -= 1
        return False
