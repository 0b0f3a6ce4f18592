"""A hook of MkDocs: links to sources, which lie beside docs in a clone, lead to the sources' home in the site."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parents[2]
_HOME = tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]["Source"]


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """The text of a page with links out of docs, and to folders and examples, made absolute."""
    folder = (_ROOT / "docs" / page.file.src_uri).parent

    def absolute(link: re.Match[str]) -> str:
        path = (folder / link[1]).resolve()
        if path.suffix in (".md", ".png", ".svg") and path.is_relative_to(_ROOT / "docs"):
            return link[0]
        return f"]({_HOME}/blob/main/{path.relative_to(_ROOT)})" if path.exists() else link[0]

    return re.sub(r"\]\((?!\w+:|#)([^)#\s]+)\)", absolute, markdown)
