"""Expressions of declarations, and of what tests state of them, as Python evaluates them again and again."""

from __future__ import annotations

from functools import cache
from types import CodeType


@cache
def compiled(text: str) -> CodeType:
    """An expression, compiled once: that takes Python far longer than to evaluate it."""
    return compile(text, "<expression>", "eval")
