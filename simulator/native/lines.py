"""Source lines of the code of an image, from its debug information."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from ..log import NOWHERE, Location

#: Stands before the names of files that a source states without a folder, as in `#line 7 "grammar.y"`.
STATED = "/<stated>/"
#: Code that is not the user's: our headers, and what the build adds to a source.
_OURS = (str(Path(__file__).resolve().parent / "csrc"), "<mlusim ", "<launch of ")
_BLOCK = re.compile(r"^0x[0-9a-f]{16}\n", re.M)
_LINE = re.compile(r"(.*?):(\d+|\?)(?: \(discriminator \d+\))?\n", re.S)  # a path may hold anything, line breaks too


def source_lines(library: str, offsets: Sequence[int]) -> list[Location]:
    """The line of the code at each offset of an image, the user's own where an instruction was inlined.

    NOWHERE for what has none, and for all where no tool reads debug information.
    """
    tool = shutil.which("addr2line") or shutil.which("llvm-addr2line")
    if not tool:
        return [NOWHERE] * len(offsets)
    text = "".join(f"{offset:#x}\n" for offset in offsets).encode()
    done = subprocess.run([tool, "-e", library, "-a", "-i"], input=text, capture_output=True, check=False)
    blocks = _BLOCK.split(done.stdout.decode(errors="backslashreplace"))[1:]
    return [_place(block) for block in blocks] if len(blocks) == len(offsets) else [NOWHERE] * len(offsets)


def _place(block: str) -> Location:
    for file, number in _LINE.findall(block):
        file = file.removeprefix(STATED)
        if number not in ("0", "?") and file != "??" and not file.startswith(_OURS):
            return Location(file, int(number))
    return NOWHERE
