"""The pages as a site: it is built without a network, no link in it is broken, nothing in it is fetched."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT
from tests.traces.report.browser import chromium


def test_every_page_is_in_the_order_of_the_site():
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    pages = {path.name for path in (ROOT / "docs").glob("*.md")}
    listed = re.findall(r"([\w.]+\.md)$", text, re.M)
    assert set(listed) - {"index.md"} == pages
    wanted = """first_kernel wrong slow python_kernels programs operators ci report findings index timing accuracy faq
        glossary architecture reliability mutation"""
    order = [listed.index(f"{name}.md") for name in wanted.split()]
    assert order == sorted(order)


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """The folder that it is built into."""
    pytest.importorskip("material")
    folder = tmp_path_factory.mktemp("built") / "site"
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1", "http_proxy": "http://127.0.0.1:9", "https_proxy": ""}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.mark.slow
def test_the_site_is_built_and_fetches_nothing(site):
    page = (site / "first_kernel.html").read_text(encoding="utf-8")
    assert "</code></pre>" in page
    assert '<a href="isa/index.html" class="md-nav__link">' in page
    fetched = r'<(?:script|img)[^>]* src="https?:|<link[^>]* rel="(?:stylesheet|preload)"[^>]* href="https?:'
    for path in site.rglob("*.html"):
        assert not re.search(fetched, path.read_text(encoding="utf-8")), path.name
    assert (site / "search" / "search_index.json").stat().st_size > 100_000


@pytest.mark.slow
def test_the_site_is_searched_where_it_is_read_from_the_disk(site):
    """From its folder alone: no server, no network. A part of a name finds the instruction."""
    driver, browser = chromium()
    try:
        page = browser.new_page()
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto((site / "index.html").as_uri())
        page.wait_for_url("**/first_kernel.html")
        page.keyboard.press("/")
        page.type("input[name=query]", "pow2")
        found = page.wait_for_selector("a.md-search-result__link >> text=Functions of one vector", state="attached")
        assert found is not None
        assert errors == []
    finally:
        browser.close()
        driver.stop()
