"""Findings are made by the modules of their rules alone, each rule by one, and no room names a check of another."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from mlusim.isa import DIALECTS, Require
from mlusim.simulator.checks.at_issue import standard
from mlusim.simulator.findings import ADVICE, ERROR, RULES, WARNING, rules

from tests.support.paths import ROOT

HOME = ROOT / "simulator" / "findings" / "rules"
MODULES = sorted(path for path in HOME.glob("*.py") if path.name != "__init__.py")
PRODUCT = [path for name in ("isa", "simulator", "traces", "kernels") for path in sorted((ROOT / name).rglob("*.py"))]


def has(path: Path, pattern: str) -> bool:
    """Whether the text of a module has a pattern: it takes long to parse them all."""
    return bool(re.search(pattern, path.read_text(encoding="utf-8")))


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def made(path: Path) -> Iterator[ast.expr]:
    """The rules of the findings that a module makes, or makes of others, as expressions."""
    if not has(path, r"\b(Finding|replace)\("):
        return
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            rule = next((keyword.value for keyword in node.keywords if keyword.arg == "rule"), None)
            if name == "Finding":
                yield rule or node.args[0]
            elif name == "replace" and rule is not None:
                yield rule


def declared(path: Path) -> dict[str, str]:
    """The rules that a module declares: names of constants -> ids."""
    return {
        node.targets[0].id: node.value.args[0].value
        for node in tree(path).body
        if isinstance(node, ast.Assign) and getattr(getattr(node.value, "func", None), "id", "") == "declare_rule"
    }


def test_no_finding_is_made_outside_of_the_home_of_the_rules():
    strangers = [str(path.relative_to(ROOT)) for path in PRODUCT if path.parent != HOME and any(made(path))]
    assert strangers == []


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_a_module_makes_findings_of_the_rules_that_it_declares_and_of_no_others(path):
    own, said = declared(path), set()
    for rule in made(path):
        names = {node.id for node in ast.walk(rule) if isinstance(node, ast.Name)}
        if path.stem == "declared" and names == {"rule"}:  # which one it is, a declaration says
            said |= {name for name, id in own.items() if id in REQUIRED}
            continue
        said |= {name for name in names if name.isupper()}
    assert said == set(own)


#: The rules that declarations of instructions state over arguments.
REQUIRED = {
    rule.rule
    for dialect in DIALECTS.values()
    for entry in dialect.instructions
    for rule in entry.rules
    if isinstance(rule, Require)
}


def test_every_rule_is_declared_by_one_module():
    ids = [id for path in MODULES for id in declared(path).values()]
    assert sorted(ids) == sorted(set(ids))
    assert set(ids) <= set(RULES)  # tests may have declared others
    assert set(declared(HOME / "declared.py").values()) >= REQUIRED
    assert [path.stem for path in MODULES if not hasattr(rules, path.stem)] == []


def test_no_module_of_a_rule_imports_another():
    for path in MODULES:
        for node in ast.walk(tree(path)):
            assert not (isinstance(node, ast.ImportFrom) and node.level == 1), f"{path.name}:{node.lineno}"


def test_rules_have_an_id_a_severity_and_a_line():
    for id, rule in RULES.items():
        assert id == rule.id
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", id)
        assert rule.severity in (ERROR, WARNING, ADVICE)
        assert rule.doc
        assert not rule.doc.endswith(".")


@pytest.mark.slow
def test_nothing_outside_of_the_checks_names_one():
    """But for the public names, which a user watches a device by."""
    checks = {kind.__name__ for kind in (*standard.STANDARD, *standard.OPTIONAL.values())}
    assert len(checks) > 8
    for path in (path for path in PRODUCT if has(path, r"\bchecks\b")):
        if path != ROOT / "simulator" / "__init__.py" and not path.is_relative_to(ROOT / "simulator" / "checks"):
            found = [node for node in ast.walk(tree(path)) if isinstance(node, ast.ImportFrom)]
            named = {a.name for node in found if "checks" in (node.module or "").split(".") for a in node.names}
            assert not named & checks, f"{path.relative_to(ROOT)} names {named & checks}"


def test_the_page_shows_each_rule_broken_and_kept() -> None:
    """Each section has a kernel that breaks the rule, what is said of it, and the kernel that keeps it."""
    page = (ROOT / "docs" / "findings.md").read_text(encoding="utf-8")
    sections = dict(re.findall(r"^## ([\w-]+)\n(.*?)(?=^## |\Z)", page, re.M | re.S))
    assert set(RULES) <= sections.keys()
    for rule in RULES:
        broken, fixed, kept = sections[rule].partition("\nFixed")
        assert fixed, rule
        assert re.search(rf"^(error|warning|advice): {rule}: ", broken, re.M), rule
        assert "```" in kept, rule
