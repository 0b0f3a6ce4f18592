"""Expressions of declarations as steps on whole numbers, which native code takes one after the other."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from functools import partial, reduce
from typing import Any, NamedTuple

from ....isa import FUNCTIONS
from ...structures import header

_STEP = header("runtime/ports.h").enumeration("mlusim_step_kind", "MLUSIM_")
#: What a step computes of two numbers, and which one.
_BINARY: Mapping[type[ast.AST], tuple[Any, Callable[[Any, Any], Any]]] = {
    ast.Add: (_STEP.ADD, operator.add),
    ast.Sub: (_STEP.SUBTRACT, operator.sub),
    ast.Mult: (_STEP.MULTIPLY, operator.mul),
    ast.FloorDiv: (_STEP.DIVIDE, operator.floordiv),
    ast.Mod: (_STEP.REMAINDER, operator.mod),
    ast.BitAnd: (_STEP.MASK, operator.and_),
    ast.Lt: (_STEP.LESS, operator.lt),
    ast.LtE: (_STEP.LESS_EQUAL, operator.le),
    ast.Eq: (_STEP.EQUAL, operator.eq),
    ast.NotEq: (_STEP.UNEQUAL, operator.ne),
}
#: Those that are others with their numbers exchanged.
_TURNED = {ast.Gt: ast.Lt, ast.GtE: ast.LtE}
_TRUTHS = (ast.Compare, ast.BoolOp, ast.UnaryOp)


class NotNativeError(Exception):
    """An instruction needs Python, and why."""


class StepNumber(NamedTuple):
    """Where a number lies that is known when the instruction is issued."""

    at: int


class StepWriter:
    """The numbers of a port, and the steps that compute some of others."""

    def __init__(self, arguments: Sequence[str], known: Mapping[str, object]) -> None:
        """``arguments`` come first, "" for one that no expression may name; ``known`` ones are put in now."""
        self.numbers = [0] * len(arguments)
        self.rows: list[tuple[int, int, int, int]] = []
        self._names: dict[str, object] = {
            **{name: StepNumber(at) for at, name in enumerate(arguments) if name},
            **known,
        }
        self._made: dict[tuple[int, ...], StepNumber] = {}

    def name(self, name: str, text: str) -> StepNumber:
        """Let expressions name the value of one."""
        self._names[name] = place = self.place(text)
        return place

    def place(self, text: str) -> StepNumber:
        """Where the value of an expression lies."""
        return self._stored(self._value(ast.parse(text, mode="eval").body))

    def constant(self, value: int) -> StepNumber:
        """Where a number lies that is known now."""
        return self._stored(value)

    def require(self, text: str) -> None:
        """The port ends where a condition does not hold."""
        value = self._value(ast.parse(text, mode="eval").body)
        if isinstance(value, StepNumber):
            self.rows.append((_STEP.HOLDS, 0, value.at, 0))
        elif not value:
            raise NotNativeError("it always breaks a rule")

    def _stored(self, value: object) -> StepNumber:
        if isinstance(value, StepNumber):
            return value
        if not isinstance(value, int) or not -(1 << 63) <= value < 1 << 63:
            raise NotNativeError(f"{value!r} is no whole number")
        key = (-1, int(value))
        if key not in self._made:
            self._made[key] = self._new(int(value))
        return self._made[key]

    def _new(self, value: int = 0) -> StepNumber:
        self.numbers.append(value)
        return StepNumber(len(self.numbers) - 1)

    def _step(self, kind: int, left: object, right: object = 0) -> StepNumber:
        key = (kind, self._stored(left).at, self._stored(right).at)
        if key not in self._made:
            self._made[key] = made = self._new()
            self.rows.append((kind, made.at, *key[1:]))
        return self._made[key]

    def _value(self, node: ast.expr) -> Any:
        """A `StepNumber`, or what is known now."""
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name) and node.id in self._names:
            return self._names[node.id]
        if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
            return self._binary(type(node.op), self._value(node.left), self._value(node.right))
        if isinstance(node, ast.UnaryOp):
            return self._unary(node)
        if isinstance(node, ast.Compare):
            return self._comparison(node)
        if isinstance(node, ast.BoolOp):
            return self._truths(node)
        if isinstance(node, ast.Call):
            return self._call(node)
        raise NotNativeError(f"{ast.unparse(node)} needs more than whole numbers")

    def _binary(self, kind: type[ast.AST], left: Any, right: Any) -> Any:
        if kind in _TURNED:
            kind, left, right = _TURNED[kind], right, left
        if kind not in _BINARY:
            raise NotNativeError(f"there is no step for {kind.__name__}")
        step, function = _BINARY[kind]
        if isinstance(left, StepNumber) or isinstance(right, StepNumber):
            return self._step(step, left, right)
        return function(left, right)

    def _unary(self, node: ast.UnaryOp) -> Any:
        value = self._value(node.operand)
        if isinstance(node.op, ast.Not):
            return self._step(_STEP.NOT, value) if isinstance(value, StepNumber) else not value
        if isinstance(node.op, ast.USub):
            return self._binary(ast.Sub, 0, value)
        raise NotNativeError(f"there is no step for {ast.unparse(node)}")

    def _comparison(self, node: ast.Compare) -> Any:
        values = [self._value(one) for one in (node.left, *node.comparators)]
        found = [self._binary(type(op), *values[at : at + 2]) for at, op in enumerate(node.ops)]
        return self._combined(_STEP.BOTH, found)

    def _truths(self, node: ast.BoolOp) -> Any:
        if not all(isinstance(value, _TRUTHS) for value in node.values):
            raise NotNativeError(f"{ast.unparse(node)} is no condition of conditions")
        step = _STEP.BOTH if isinstance(node.op, ast.And) else _STEP.EITHER
        return self._combined(step, [self._value(value) for value in node.values])

    def _combined(self, step: int, found: Sequence[Any]) -> Any:
        """Conditions of which all hold, or any."""
        decides = step == _STEP.EITHER
        known = [bool(value) for value in found if not isinstance(value, StepNumber)]
        if decides in known:
            return decides
        places = [value for value in found if isinstance(value, StepNumber)]
        if not places:
            return not decides
        whole = places[0]
        for place in places[1:]:
            whole = self._step(step, whole, place)
        return whole

    def _call(self, node: ast.Call) -> Any:
        name, values = ast.unparse(node.func), [self._value(value) for value in node.args]
        if name in FUNCTIONS and not any(isinstance(value, StepNumber) for value in values):
            return FUNCTIONS[name](*values)
        if name == "abs":
            return self._step(_STEP.LARGER, values[0], self._binary(ast.Sub, 0, values[0]))
        if name in ("max", "min") and len(values) > 1:
            return reduce(partial(self._step, _STEP.LARGER if name == "max" else _STEP.SMALLER), values)
        raise NotNativeError(f"there is no step for {name}")
