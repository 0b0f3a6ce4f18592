"""Members of a family: functions of two operands, and what a doc line says of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

#: Name -> a function of two arguments, and how a doc line says it of {a} and {b}.
Members = Mapping[str, tuple[Callable[..., Any], str]]


def formed(
    members: Members, form: str, words: tuple[str, str, str], named: Callable[[Callable[..., Any]], Callable[..., Any]]
) -> Members:
    """The members with names by ``form`` and doc lines in ``words`` for the result and both arguments.

    ``named`` gives a function arguments by whose names it gets its operands; a ufunc gets them in order.
    """
    result, a, b = words
    return {
        form.format(op=op): (
            function if isinstance(function, np.ufunc) else named(function),
            f"{result} = {text.format(a=a, b=b)}",
        )
        for op, (function, text) in members.items()
    }
