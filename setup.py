"""Finds the packages: each folder at the root is one of mlusim, and so is each folder in it, even one of data."""

from setuptools import find_namespace_packages, setup

FOLDERS = ("isa", "simulator", "traces", "kernels")


def packages(top: str) -> list[str]:
    """A folder and those in it, with dots between their names."""
    inner = (f"{top}.{name}" for name in find_namespace_packages(top))
    return [top, *(name for name in inner if "__pycache__" not in name)]


found = [name for top in FOLDERS for name in packages(top)]
setup(
    packages=[f"mlusim.{name}" for name in (*found, "docs")],  # docs has the page that `mlusim rules` shows
    package_dir={f"mlusim.{top}": top for top in (*FOLDERS, "docs")},
)
