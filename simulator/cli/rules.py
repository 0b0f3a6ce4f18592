"""The command that explains the rules: the sections of docs/findings.md."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from ..findings import RULES
from ..text import nearest, quoted
from .screen import Screen

#: Lies beside the packages, in a checkout as where they are installed.
PAGE = Path(__file__).resolve().parents[2] / "docs" / "findings.md"
_SECTION = re.compile(r"^## ([\w-]+)\n(.*?)(?=^## |\Z)", re.M | re.S)


def show_rules(options: argparse.Namespace, screen: Screen) -> bool:
    """List the rules; with a name, explain one."""
    rules = dict(sorted(RULES.items()))
    if options.name is None:
        if screen.json:
            screen.document({"rules": [{"id": r.id, "severity": r.severity, "doc": r.doc} for r in rules.values()]})
            return True
        screen.table(
            [("RULE", False), ("severity", False), ("says that", False)],
            ((rule.id, rule.severity, rule.doc) for rule in rules.values()),
        )
        return True
    if options.name not in rules:
        known = ", ".join(rules)
        raise ValueError(
            f"there is no rule {quoted(options.name)}{nearest(options.name, rules)}; the rules are {known}"
        )
    rule = rules[options.name]
    text = sections().get(rule.id, "")
    if screen.json:
        screen.document({"id": rule.id, "severity": rule.severity, "doc": rule.doc, "text": text})
        return True
    screen.line(f"{rule.id} ({rule.severity}): {rule.doc}", "bold")
    screen.line()
    screen.write(text + "\n")
    return True


def sections() -> dict[str, str]:
    """What the page says of each rule, as Markdown."""
    return {rule: text.strip() for rule, text in _SECTION.findall(PAGE.read_text(encoding="utf-8"))}
