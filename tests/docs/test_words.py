"""The words of the field: README, docs, messages and comments do not use the private words that this list has."""

from __future__ import annotations

import re

import pytest

from tests.support.paths import ROOT

#: What is banned, and what one writes for it.
BANNED = {
    r"\bcage\b": "sandbox",
    r"\bmend(?:ed)?\b": "fixed",
    r"\b(?:no|some|any)body\b": "uninitialized, unused, unknown, nothing, another process",
    r"\brests? to\b": "comes from",
    r"\ba byte, the peaks\b": "op/byte, ridge point",
    r"\b(?:each|this|that|a) room\b|\brooms\b(?! for)": "package",
}
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SOURCES = [
    path for top in ("simulator", "traces", "kernels", "isa") for path in sorted((ROOT / top).rglob("*"))
    if path.suffix in (".py", ".h", ".cpp", ".inc", ".c", ".cu", ".mlu")
]  # fmt: skip


def found(text: str) -> list[str]:
    return [
        f"{match[0]!r}: write {better}" for word, better in BANNED.items() for match in re.finditer(word, text, re.I)
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages_use_the_words_of_the_field(page):
    assert not found(page.read_text(encoding="utf-8"))


def test_messages_and_comments_use_the_words_of_the_field():
    said = {str(path.relative_to(ROOT)): found(path.read_text(encoding="utf-8")) for path in SOURCES}
    assert {path: words for path, words in said.items() if words} == {}


def test_a_banned_word_is_found():
    assert found("a mended kernel in its cage") == ["'cage': write sandbox", "'mended': write fixed"]
