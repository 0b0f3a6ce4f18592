"""The command that copies the examples of the tour."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..files import write_atomically
from .screen import Screen

#: Beside the packages, in a checkout and in an installation.
EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples"
#: How examples end; other files may lie beside those of a checkout.
_SUFFIXES = {".c", ".cpp", ".cu", ".h", ".mlu", ".py", ".sh"}


def copy_examples(options: argparse.Namespace, screen: Screen) -> bool:
    """Copy the examples into a folder, which is made; ValueError where one of them stands already."""
    files = sorted(path.relative_to(EXAMPLES) for path in EXAMPLES.rglob("*") if path.suffix in _SUFFIXES)
    for file in files:
        if (options.folder / file).exists():
            raise ValueError(f"{options.folder / file} exists already; pass the name of a new folder")
    for file in files:
        (options.folder / file).parent.mkdir(parents=True, exist_ok=True)
        with write_atomically(options.folder / file) as copy:
            copy.write((EXAMPLES / file).read_bytes())
    if screen.json:
        screen.document({"written": [str(options.folder / file) for file in files]})
    else:
        screen.line(f"wrote {len(files)} examples into {options.folder}; one with a mistake in it:")
        broken = options.folder / "scale_broken.mlu"
        arrays = "zeros:float32:100000 random:float32:100000"
        screen.line(f"mlusim run {broken} --kernel scale --dim 4 --arg {arrays} 3 100000")
    return True
