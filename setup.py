"""Finds the packages: each typed folder at the root is one of mlusim, and so is each folder in it, even one of data.

The README's links lead to files beside it; where it is shown without them, they lead to those of the source's home.
"""

import re
import tomllib
from pathlib import Path

from setuptools import find_namespace_packages, setup

ROOT = Path(__file__).parent
HOME = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]["Source"]


def packages(top: str) -> list[str]:
    """A folder and those in it, with dots between their names."""
    inner = (f"{top}.{name}" for name in find_namespace_packages(top))
    return [top, *(name for name in inner if "__pycache__" not in name)]


#: What commands read: the page of the rules, the examples, measured times and the kernels that stand for them.
DATA = ("docs", "docs.examples", "docs.examples.cpu_reference", "benchmarks.hardware")


def readme() -> str:
    """The README with links that lead somewhere from anywhere."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    text = re.sub(r"(!\[[^]]*\]\()(?!\w+:|#)", rf"\g<1>{HOME}/raw/main/", text)
    return re.sub(r"((?<!!)\[[^]]*\]\()(?!\w+:|#)", rf"\g<1>{HOME}/blob/main/", text)


tops = sorted(path.parent.name for path in ROOT.glob("*/py.typed"))
found = {"mlusim" if top == "mlusim" else f"mlusim.{name}": name for top in tops for name in packages(top)}
found |= {f"mlusim.{name}": name for name in DATA}
setup(
    packages=list(found),
    package_dir={name: folder.replace(".", "/") for name, folder in found.items() if folder in (*tops, *DATA)},
    long_description=readme(),
    long_description_content_type="text/markdown",
)
