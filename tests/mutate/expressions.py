"""Small changes to the Python expressions of declarations, and whether such a change can be told from the original."""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

_FLIPPED = {
    ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
_FUNCTIONS = {"max": max, "min": min, "abs": abs}
_POINTS = 1000
_VALUES = (*range(-2, 33), 48, 63, 64, 65, 96, 127, 128, 129, 192, 254, 255, 256, 257, 512, 1000, 1 << 20)


def quantities(text: str) -> Iterator[str]:
    """Changes to an expression that counts something: those of its parts, and the double of it."""
    yield from conditions(text)
    yield _normal(f"2 * ({text})")


@cache  # many instructions state the same
def conditions(text: str) -> tuple[str, ...]:
    """The expression with one number, comparison, term, factor, argument or alternative changed or dropped."""
    tree = ast.parse(text, mode="eval")
    listed = {id(entry) for node in ast.walk(tree) if isinstance(node, ast.Tuple) for entry in node.elts}
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.expr) and id(node) not in listed:
            before, after = text[: node.col_offset], text[node.end_col_offset :]
            found += [_normal(f"{before}({new}){after}") for new in _replacements(node)]
    return tuple(dict.fromkeys(new for new in found if new != _normal(text)))


@cache
def _normal(text: str) -> str:
    return ast.unparse(ast.parse(text, mode="eval"))


def _replacements(node: ast.expr) -> Iterator[str]:
    """What could stand in the place of a part of an expression."""
    match node:
        case ast.Constant(value=int(number)) if not isinstance(number, bool):
            yield from map(str, (number // 2, number * 2, number + 1) if number > 1 else (number + 1,))
        case ast.Compare(ops=operators):
            for at, operator in enumerate(operators):
                if type(operator) in _FLIPPED:
                    changed = [*operators[:at], _FLIPPED[type(operator)](), *operators[at + 1 :]]
                    yield ast.unparse(ast.Compare(node.left, changed, node.comparators))
        case ast.BoolOp(op, values):
            for rest in _without_one(values):
                yield ast.unparse(ast.BoolOp(op, rest) if len(rest) > 1 else rest[0])
        case ast.BinOp(left, ast.Mult() | ast.Add(), right):
            yield from map(ast.unparse, (left, right))
        case ast.BinOp(left, ast.Sub() | ast.FloorDiv()) | ast.UnaryOp(ast.Not(), left):
            yield ast.unparse(left)
        case ast.Tuple(entries) if len(entries) > 1:
            yield from (ast.unparse(ast.Tuple(rest, ast.Load())) for rest in _without_one(entries))
        case ast.Call(ast.Name("max" | "min") as function, arguments):
            for rest in _without_one(arguments):
                yield ast.unparse(ast.Call(function, rest, []) if len(rest) > 1 else rest[0])
        case ast.Call(ast.Name("abs"), [argument]):
            yield ast.unparse(argument)
        case ast.IfExp(_, body, orelse):
            yield from map(ast.unparse, (body, orelse))


def _without_one(nodes: list[ast.expr]) -> Iterator[list[ast.expr]]:
    yield from ([*nodes[:at], *nodes[at + 1 :]] for at in range(len(nodes)))


def differ(old: str, new: str, sizes: Sequence[Mapping[str, int]]) -> bool:
    """Whether two expressions differ for some arguments, given the element sizes (`sizeof_...`) of each overload.

    ``max(sizeof_dst, 2)`` and ``sizeof_dst`` do not where no overload has elements of one byte. What cannot be
    evaluated here differs.
    """
    named = {name for fixed in sizes for name in fixed if name in old or name in new}  # overloads differ in others, too
    told = {tuple((name, fixed[name]) for name in sorted(named)) for fixed in sizes}
    return any(_differ(old, new, fixed) for fixed in sorted(told))


@cache
def _differ(old: str, new: str, fixed: tuple[tuple[str, int], ...]) -> bool:
    trees = [_Leaves().visit(ast.parse(text, mode="eval")) for text in (old, new)]
    choices = _choices([node for tree in trees for node in ast.walk(tree)])
    free = {name: values for name, values in sorted(choices.items()) if name not in dict(fixed)}
    both = ", ".join(map(ast.unparse, trees))
    known = {"__builtins__": {}, **_FUNCTIONS, **dict(fixed)}
    values_of = eval(f"lambda {', '.join(free)}: ({both})", known)
    chance = random.Random(0).random
    evaluated = False
    for _ in range(_POINTS if free else 1):
        try:
            first, second = values_of(*(values[int(chance() * len(values))] for values in free.values()))
        except Exception:  # outside the domain of the expression, or it calls what is not known here
            continue
        evaluated = True
        if first != second:
            return True
    return not evaluated


def _choices(nodes: Sequence[ast.AST]) -> dict[str, list[Any]]:
    """Values to try for each name: words where it is compared with a word, else numbers, those nearby among them."""
    constants = [node.value for node in nodes if isinstance(node, ast.Constant)]
    numbers = sorted({n for c in constants if isinstance(c, int) for n in (c - 1, c, c + 1, 2 * c, c // 2)})
    words = [c for c in constants if isinstance(c, str)]
    spelled = {
        node.left.id
        for node in nodes
        if isinstance(node, ast.Compare) and isinstance(node.left, ast.Name)
        for leaf in ast.walk(node)
        if isinstance(leaf, ast.Constant) and isinstance(leaf.value, str)
    }
    names = {node.id for node in nodes if isinstance(node, ast.Name)} - set(_FUNCTIONS)
    return {name: [*words, "none of them"] if name in spelled else [*_VALUES, *numbers] for name in names}


class _Leaves(ast.NodeTransformer):
    """Makes every ``shape.n`` a variable of its own."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.Name:
        return ast.copy_location(ast.Name(ast.unparse(node).replace(".", "_"), ast.Load()), node)
