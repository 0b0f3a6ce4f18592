"""Finds the packages: each folder at the root is one of the package mlusim, and so are the folders in it."""

from setuptools import find_packages, setup

FOLDERS = ("isa", "simulator", "traces", "kernels", "docs")
FOUND = [name for top in FOLDERS for name in (top, *(f"{top}.{inner}" for inner in find_packages(top)))]

setup(packages=[f"mlusim.{name}" for name in FOUND], package_dir={f"mlusim.{top}": top for top in FOLDERS})
