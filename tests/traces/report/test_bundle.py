"""The page of reports that is installed is what its sources give, small, and names whose work it contains."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.paths import ROOT

SOURCES, BUNDLE = ROOT / "report", ROOT / "traces" / "report" / "bundle"


def test_it_is_small() -> None:
    packed = sum(len(gzip.compress((BUNDLE / name).read_bytes(), 9)) for name in ("report.js", "report.css"))
    assert packed <= 80_000


def test_it_has_its_licences() -> None:
    text = (BUNDLE / "LICENSES.txt").read_text(encoding="utf-8")
    locked = json.loads((SOURCES / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    for name, version in locked[""]["dependencies"].items():
        assert f"{name} {version}\n" in text
        assert locked[f"node_modules/{name}"]["version"] == version
        assert locked[f"node_modules/{name}"]["license"] == "MIT"
    assert text.count("Permission is hereby granted") == len(locked[""]["dependencies"])


def test_it_asks_the_network_for_nothing() -> None:
    script = (BUNDLE / "report.js").read_text(encoding="utf-8")
    for way in ("fetch(", "XMLHttpRequest", "WebSocket", "import(", "eval(", "new Function", "</script"):
        assert way not in script, way


@pytest.mark.slow
def test_it_is_what_the_sources_give(tmp_path: Path) -> None:
    if not shutil.which("node") or not (SOURCES / "node_modules" / "esbuild").is_dir():
        pytest.skip("needs npm, and once: npm ci --prefix report")
    subprocess.run(["node", "build.mjs", str(tmp_path)], cwd=SOURCES, check=True)
    for path in tmp_path.iterdir():
        same = path.read_bytes() == (BUNDLE / path.name).read_bytes()
        assert same, f"traces/report/bundle/{path.name} is not what report/src gives: make report"
    subprocess.run(["npm", "run", "--silent", "check"], cwd=SOURCES, check=True)
