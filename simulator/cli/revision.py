"""The sources of a command line as a commit has them."""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def at_revision(options: argparse.Namespace, revision: str) -> Iterator[argparse.Namespace]:
    """The options with their files, headers and folders of these as they are in a commit.

    What lies outside of the repository of the first file stays as it is. ValueError for what is no commit of it, and
    for a file that the commit does not have.
    """
    folder = options.files[0].resolve().parent
    root = Path(_git(folder, "rev-parse", "--show-toplevel"))
    commit = _git(root, "rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}")
    with tempfile.TemporaryDirectory(prefix="mlusim-") as made:
        there = Path(made).resolve() / "tree"
        index = {"GIT_INDEX_FILE": str(there.with_name("index"))}
        _git(root, "read-tree", commit, env=index)
        _git(root, "checkout-index", "--all", f"--prefix={there}/", env=index)

        def moved(path: Path) -> Path:
            whole = path.resolve()
            return there / whole.relative_to(root) if whole.is_relative_to(root) else path

        if missing := [path for path in options.files if not moved(path).exists()]:
            raise ValueError(f"commit {commit[:10]} has no {missing[0]}")
        headers = [moved(path) if path.is_file() else path for path in options.headers]
        paths = {"files": [*map(moved, options.files)], "include": [*map(moved, options.include)], "headers": headers}
        yield argparse.Namespace(**{**vars(options), **paths})


def _git(folder: Path, *arguments: str, env: Mapping[str, str] | None = None) -> str:
    """What git prints; ValueError if it fails or is not installed."""
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments], capture_output=True, text=True, env={**os.environ, **(env or {})}
        )
    except FileNotFoundError:
        raise ValueError("git is not installed; pass the files of the other version") from None
    if done.returncode:
        raise ValueError(done.stderr.strip().removeprefix("fatal: ") or f"git {arguments[0]} failed")
    return done.stdout.strip()
