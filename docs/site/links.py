"""Hooks of MkDocs: links to sources, which lie beside docs in a clone, lead to the repository if it has an address; the
address of the site itself leads to its first page.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parents[2]
_DOCS = _ROOT / "docs"
_PROJECT = tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
_HOME = _PROJECT.get("urls", {}).get("Source", "")
#: What is no part of the site, see mkdocs.yml.
_LEFT_OUT = ("adding", "site")
_LINK = re.compile(r"(?<!!)\[((?:[^]`]|`[^`]*`)*)\]\((?!\w+:|#)([^)#\s]+)(#[^)\s]*)?\)")


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """The text of a page; without an address, links to files that the site lacks are plain text."""
    folder = (_DOCS / page.file.src_uri).parent

    def shown(link: re.Match[str]) -> str:
        path = (folder / link[2]).resolve()
        if not path.exists() or (path.is_file() and _is_shown(path)):
            return link[0]
        return f"[{link[1]}]({_HOME}/blob/main/{path.relative_to(_ROOT)})" if _HOME else link[1]

    return _LINK.sub(shown, markdown)


def _is_shown(path: Path) -> bool:
    return path.is_relative_to(_DOCS) and path.relative_to(_DOCS).parts[0] not in _LEFT_OUT


def on_post_build(*, config: Any, **_: Any) -> None:
    """Writes the page that is shown where only the folder is named."""
    page = (
        f'<!doctype html><title>mlusim</title><meta http-equiv="refresh" content="0; url={config.extra["homepage"]}">\n'
    )
    (Path(config.site_dir) / "index.html").write_text(page, encoding="utf-8")
