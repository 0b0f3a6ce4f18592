"""Finds the packages: each folder at the root is one of mlusim, and so is each folder in it, even one of data."""

from setuptools import find_namespace_packages, setup

FOLDERS = ("isa", "simulator", "traces", "kernels")


def packages(top: str) -> list[str]:
    """A folder and those in it, with dots between their names."""
    inner = (f"{top}.{name}" for name in find_namespace_packages(top))
    return [top, *(name for name in inner if "__pycache__" not in name)]


#: What commands read: the page of the rules, the examples, measured times and the kernels that stand for them.
DATA = ("docs", "docs.examples", "docs.examples.cpu_reference", "benchmarks.hardware")

found = [name for top in FOLDERS for name in packages(top)]
setup(
    packages=[f"mlusim.{name}" for name in (*found, *DATA)],
    package_dir={f"mlusim.{name}": name.replace(".", "/") for name in (*FOLDERS, *DATA)},
)
