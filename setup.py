"""Finds the packages: each typed folder at the root is one of mlusim, and so is each folder in it, even one of data.

The README's links lead to files beside it. Where it is shown without them, they lead to those of the repository if
pyproject.toml names one, and are plain text if it does not.
"""

import re
import tomllib
from pathlib import Path

from setuptools import find_namespace_packages, setup

ROOT = Path(__file__).parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
#: What of a link or picture leads to a file: its mark, its text, its target.
TO_FILE = re.compile(r"(!?)\[((?:[^]`]|`[^`]*`)*)\]\((?!\w+:|#)([^)\s]+)\)")


def packages(top: str) -> list[str]:
    """A folder and those in it, with dots between their names."""
    inner = (f"{top}.{name}" for name in find_namespace_packages(top))
    return [top, *(name for name in inner if "__pycache__" not in name)]


#: What commands read: the page of the rules, the examples, measured times and the kernels that stand for them.
DATA = ("docs", "docs.examples", "docs.examples.cpu_reference", "benchmarks.hardware")


def readme(text: str, home: str) -> str:
    """The README as it is shown without the files beside it; ``home`` is where the repository is, or ""."""

    def shown(found: re.Match[str]) -> str:
        mark, words, target = found.groups()
        if home:
            return f"{mark}[{words}]({home}/{'raw' if mark else 'blob'}/main/{target})"
        return "" if mark else words

    text = TO_FILE.sub(shown, text)
    return text if home else f"{text}\nThe files that are named here are in the source distribution.\n"


tops = sorted(path.parent.name for path in ROOT.glob("*/py.typed"))
found = {"mlusim" if top == "mlusim" else f"mlusim.{name}": name for top in tops for name in packages(top)}
found |= {f"mlusim.{name}": name for name in DATA}
setup(
    packages=list(found),
    package_dir={name: folder.replace(".", "/") for name, folder in found.items() if folder in (*tops, *DATA)},
    long_description=readme(
        (ROOT / "README.md").read_text(encoding="utf-8"), PROJECT.get("urls", {}).get("Source", "")
    ),
    long_description_content_type="text/markdown",
)
