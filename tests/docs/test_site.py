"""The pages as a site: it is built without a network, no link in it is broken, nothing in it is fetched."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from tests.support.paths import ROOT


def test_every_page_is_in_the_order_of_the_site():
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    pages = {path.name for path in (ROOT / "docs").glob("*.md")}
    listed = re.findall(r"([\w.]+\.md)$", text, re.M)
    assert set(listed) - {"index.md"} == pages
    wanted = """first_kernel wrong slow python_kernels programs operators ci report findings index timing accuracy faq
        glossary architecture reliability mutation"""
    order = [listed.index(f"{name}.md") for name in wanted.split()]
    assert order == sorted(order)


@pytest.mark.slow
def test_the_site_is_built_and_fetches_nothing(tmp_path):
    pytest.importorskip("material")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1", "http_proxy": "http://127.0.0.1:9", "https_proxy": ""}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    page = (tmp_path / "site" / "first_kernel.html").read_text(encoding="utf-8")
    assert "</code></pre>" in page
    fetched = r'<(?:script|img)[^>]* src="https?:|<link[^>]* rel="(?:stylesheet|preload)"[^>]* href="https?:'
    for path in (tmp_path / "site").rglob("*.html"):
        assert not re.search(fetched, path.read_text(encoding="utf-8")), path.name
    assert (tmp_path / "site" / "search" / "search_index.json").stat().st_size > 100_000
