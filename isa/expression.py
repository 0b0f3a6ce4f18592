"""The expressions of a declaration: compiled when it is imported, checked for their names, and said in words.

They are Python over the names of the instruction: arithmetic, comparisons, ``and or not``, ``x if y else z``,
fields of structures, tuples, and the functions `FUNCTIONS`.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Mapping
from functools import lru_cache

#: Functions that an expression may call.
FUNCTIONS: Mapping[str, Callable[..., int]] = {"max": max, "min": min, "abs": abs}

_ALLOWED = (
    ast.Expression, ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.Not, ast.USub, ast.BinOp, ast.Add, ast.Sub, ast.Mult,
    ast.FloorDiv, ast.Mod, ast.Compare, ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Call, ast.Name,
    ast.Load, ast.Constant, ast.Attribute, ast.IfExp, ast.Tuple,
)  # fmt: skip
_SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//", ast.Mod: "%"}
_RELATIONS = {
    ast.Eq: "equals", ast.NotEq: "is not", ast.Lt: "is below", ast.LtE: "is at most", ast.Gt: "is above",
    ast.GtE: "is at least",
}  # fmt: skip


class ExpressionError(Exception):
    """The text is no expression of this little language."""


def names_of(text: str) -> frozenset[str]:
    """The names that an expression uses, functions not among them; `ExpressionError` when it is malformed."""
    return _parsed(text)[1]


def words(text: str, spelled: Mapping[str, str]) -> str:
    """A condition as a sentence; ``spelled`` says how names are shown where that is not the name itself."""
    return _say(_tree(text).body, spelled)


def is_multiple(text: str) -> bool:
    """Whether a condition asks for a multiple of something."""
    return any(isinstance(node, ast.Mod) for node in ast.walk(_tree(text)))


def folded(text: str, constants: Mapping[str, int]) -> str:
    """The expression with constants in place of their names, and what follows from constants alone computed."""
    return _folded(text, tuple((name, constants[name]) for name in sorted(names_of(text)) if name in constants))


@lru_cache(maxsize=4096)
def _folded(text: str, constants: tuple[tuple[str, int], ...]) -> str:
    if not constants:
        return text
    return ast.unparse(_Folder(dict(constants)).visit(copy.deepcopy(_tree(text))))


class _Folder(ast.NodeTransformer):
    def __init__(self, constants: Mapping[str, int]) -> None:
        self._constants = constants

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Constant(self._constants[node.id]) if node.id in self._constants else node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        arguments = [self.visit(argument) for argument in node.args]
        if all(isinstance(argument, ast.Constant) for argument in arguments):
            return ast.Constant(FUNCTIONS[ast.unparse(node.func)](*(argument.value for argument in arguments)))
        return ast.Call(node.func, arguments, [])


def _tree(text: str) -> ast.Expression:
    return _parsed(text)[0]


@lru_cache(maxsize=4096)
def _parsed(text: str) -> tuple[ast.Expression, frozenset[str]]:
    """The tree of an expression and its names, from one walk: an import of the declarations makes hundreds."""
    try:
        tree = ast.parse(" ".join(text.split()), mode="eval")
    except SyntaxError as error:
        raise ExpressionError(f"{text!r} is no expression: {error.msg}") from None
    found: set[str] = set()
    nodes: list[ast.AST] = [tree]
    for node in nodes:  # which grows meanwhile
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif not isinstance(node, _ALLOWED) or (isinstance(node, ast.Call) and not isinstance(node.func, ast.Name)):
            raise ExpressionError(f"{text!r} uses {type(node).__name__}, which an expression here cannot")
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id not in FUNCTIONS:
            raise ExpressionError(f"{text!r} calls {node.func.id}; the functions are {', '.join(FUNCTIONS)}")
        else:
            for name in node._fields:
                child = getattr(node, name)
                if isinstance(child, ast.AST):
                    nodes.append(child)
                elif isinstance(child, list):
                    nodes += child
    return tree, frozenset(found - FUNCTIONS.keys())


def _say(node: ast.expr, spelled: Mapping[str, str]) -> str:
    if isinstance(node, ast.BoolOp):
        return (" and " if isinstance(node.op, ast.And) else ", or ").join(_say(part, spelled) for part in node.values)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return f"{_term(node.operand, spelled)} is not given"
    if isinstance(node, ast.Compare):
        return _relation(node, spelled)
    if isinstance(node, (ast.Name, ast.Attribute)):
        return f"{_term(node, spelled)} is given"
    return _term(node, spelled)


def _relation(node: ast.Compare, spelled: Mapping[str, str]) -> str:
    if len(node.ops) == 2:
        low, middle, high = node.left, *node.comparators
        ends = _bound(low, node.ops[0], 1, spelled), _bound(high, node.ops[1], -1, spelled)
        return f"{_term(middle, spelled)} is between {ends[0]} and {ends[1]}"
    left, op, right = node.left, node.ops[0], node.comparators[0]
    zero = isinstance(right, ast.Constant) and right.value == 0
    if zero and isinstance(op, ast.Eq) and isinstance(left, ast.BinOp) and isinstance(left.op, ast.Mod):
        return f"{_term(left.left, spelled)} is a multiple of {_term(left.right, spelled)}"
    if zero and isinstance(op, ast.Gt):
        return f"{_term(left, spelled)} is greater than 0"
    if zero and isinstance(op, ast.GtE):
        return f"{_term(left, spelled)} is not negative"
    label = (isinstance(right, ast.Name) and right.id.isupper()) or (
        isinstance(right, ast.Constant) and right.value == str(right.value)
    )
    relation = "is" if label and isinstance(op, ast.Eq) else _RELATIONS[type(op)]
    return f"{_term(left, spelled)} {relation} {_term(right, spelled)}"


def _bound(node: ast.expr, op: ast.cmpop, inward: int, spelled: Mapping[str, str]) -> str:
    """The end of a range, said inclusively where it is a number."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int) and isinstance(op, ast.Lt):
        return str(node.value + inward)
    return _term(node, spelled)


def _term(node: ast.expr, spelled: Mapping[str, str], inner: bool = False) -> str:
    if isinstance(node, ast.Name):
        return spelled.get(node.id, node.id)
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.Attribute):
        return f"{_term(node.value, spelled)}.{node.attr}"
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return f"-{_term(node.operand, spelled, True)}"
    if isinstance(node, ast.BinOp):
        tight = isinstance(node.op, (ast.Mult, ast.FloorDiv, ast.Mod))
        parts = (_term(part, spelled, tight) for part in (node.left, node.right))
        text = f" {_SIGNS[type(node.op)]} ".join(parts)
        return f"({text})" if inner and not tight else text
    if isinstance(node, ast.Call):
        return f"{ast.unparse(node.func)}({', '.join(_term(part, spelled) for part in node.args)})"
    return f"({_say(node, spelled)})" if isinstance(node, (ast.BoolOp, ast.Compare)) else ast.unparse(node)
