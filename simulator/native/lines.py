"""Source lines of program counters in kernel images."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from ..log import NOWHERE, Location
from .image import LoadedImage

#: What lies here is the simulator's own, and no line of a user's.
_OWN = str(Path(__file__).resolve().parent.parent)


class SourceLines:
    """Lines that have been asked for, by program counter."""

    def __init__(self) -> None:
        self._places: dict[int, Location] = {}

    def locate(self, image: LoadedImage, counters: list[int]) -> list[Location]:
        """Source lines of program counters (return addresses), the user's own where an instruction was inlined."""
        missing = [pc for pc in dict.fromkeys(counters) if pc >= 0 and pc not in self._places]
        inside = [pc for pc in missing if image.low <= pc < image.high]
        self._places.update(dict.fromkeys(missing, NOWHERE))
        tool = inside and (shutil.which("addr2line") or shutil.which("llvm-addr2line"))
        if tool:
            library = str(image.library._name)
            addresses = "".join(f"{pc - 1 - image.low:#x}\n" for pc in inside)
            done = subprocess.run(
                [tool, "-e", library, "-a", "-i"], input=addresses, capture_output=True, text=True, check=False
            )
            blocks = re.split(r"^0x[0-9a-f]+\n", done.stdout, flags=re.M)[1:]
            for pc, block in zip(inside, blocks, strict=False):
                self._places[pc] = _place(block.splitlines())
        return [self._places[pc] if pc >= 0 else image.variables[-1 - pc].location for pc in counters]


def _place(lines: list[str]) -> Location:
    for line in lines:
        file, _, number = line.split(" (")[0].rpartition(":")
        if number.isdigit() and not file.startswith((_OWN, "<", "?")):
            return Location(file, int(number))
    return NOWHERE
