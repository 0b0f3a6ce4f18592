"""The words of the field: README, docs and what commands print do not use the private words that this list has."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.paths import ROOT

#: What is banned, and what one writes for it.
BANNED = {
    r"\bcage\b": "sandbox",
    r"\bmended?\b": "fixed",
    r"\b(?:no|some)body\b": "uninitialized, unused, unknown, nothing, another process",
    r"\brests? to\b": "comes from",
    r"\ba byte, the peaks\b": "op/byte, ridge point",
    r"\b(?:each|this|that|a) room\b|\brooms\b(?! for)": "package",
}
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SOURCES = [path for top in ("simulator", "traces", "kernels", "isa") for path in sorted((ROOT / top).rglob("*.py"))]


def found(text: str) -> list[str]:
    return [
        f"{match[0]!r}: write {better}" for word, better in BANNED.items() for match in re.finditer(word, text, re.I)
    ]


def messages(path: Path) -> Iterator[str]:
    """The texts of a module that are no docstrings: what it may print."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    silent = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in silent:
            yield node.value


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages_use_the_words_of_the_field(page):
    assert not found(page.read_text(encoding="utf-8"))


def test_messages_use_the_words_of_the_field():
    said = {str(path.relative_to(ROOT)): found("\n".join(messages(path))) for path in SOURCES}
    assert {path: words for path, words in said.items() if words} == {}


def test_a_banned_word_is_found():
    assert found("a mended kernel in its cage") == ["'cage': write sandbox", "'mended': write fixed"]
