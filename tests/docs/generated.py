"""What docs and README take from the code: the pages of instructions, and counts.

python -m tests.docs.generated

writes it anew; a test compares.
"""

from __future__ import annotations

import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cache

from mlusim.isa import DIALECTS
from mlusim.isa.docs import pages
from mlusim.simulator import Device
from mlusim.simulator.chip.rates import KINDS

from tests.support.paths import ROOT

#: Where the pages of instructions are.
FOLDER = ROOT / "docs" / "isa"
#: The columns of the README's table.
SHOWN = (DIALECTS["bang"], DIALECTS["tpu"], DIALECTS["okk"])


def replaced(text: str, pattern: str, *values: object) -> str:
    """The text with values in place of the groups of a pattern that is in it once."""
    (found,) = re.finditer(pattern, text)
    for group, value in reversed(list(enumerate(values, 1))):
        text = f"{text[: found.start(group)]}{value}{text[found.end(group) :]}"
    return text


def row(name: str, cells: Iterable[object]) -> str:
    """A row of a table."""
    return f"| {' | '.join(map(str, (name, *cells)))} |"


def numbers(device: str) -> list[int]:
    """How many numbers a device file has: all, and by kind of source."""
    kinds = Counter(fact.kind for fact in Device.load(device).facts.values())
    return [kinds.total(), *(kinds[kind] for kind in KINDS)]


@cache
def isa() -> dict[str, str]:
    """The pages of docs/isa by name; who imports this module seldom needs them, and they take seconds."""
    return pages(list(DIALECTS.values()))


def timing(text: str) -> str:
    """docs/timing.md with the table of sources."""
    names = sorted(Device.names(), key=lambda name: [*DIALECTS].index(Device.load(name).isa))
    rows = "".join(f"{row(name, numbers(name))}\n" for name in names)
    return replaced(text, r"<!-- facts -->\n\|.*\n\|.*\n((?:\|.*\n)+)", rows)


def readme(text: str) -> str:
    """README.md with the table of instructions and devices, and its counts in sentences."""
    modelled = (len({entry.name for entry in dialect.instructions}) for dialect in SHOWN)
    text = replaced(text, r"(?m)^\| instructions modelled \| (\d+) \| (\d+) \| (\d+) \|$", *modelled)
    text = replaced(text, r"(?m)^\| known by name: .* \| (\d+) \| (\d+) \| (\d+) \|$", *(len(d.known) for d in SHOWN))
    devices = (", ".join(name for name in Device.names() if Device.load(name).isa == dialect.name) for dialect in SHOWN)
    text = replaced(text, r"(?m)^\| devices \| (.*?) \| (.*?) \| (.*?) \|$", *devices)
    mistakes = (ROOT / "tests" / "faults" / "mistakes.mlu").read_text(encoding="utf-8").count("__mlu_entry__ void")
    text = replaced(text, r"Each of (\d+) \[kernels with a mistake\]", mistakes)
    sentence = "Of the (\\d+) numbers of the (\\S+), (\\d+) are assumed; of the (\\d+) of the (\\S+), (\\d+) are."
    sentence = sentence.replace(" ", r"\s+")
    (found,) = re.finditer(sentence, text)
    first, second = numbers(found[2]), numbers(found[5])
    return replaced(text, sentence, first[0], found[2], first[-1], second[0], found[5], second[-1])


PAGES: Mapping[str, Callable[[str], str]] = {
    "README.md": readme,
    "docs/timing.md": timing,
}


if __name__ == "__main__":
    shutil.rmtree(FOLDER)
    FOLDER.mkdir()
    for name, written in isa().items():
        (FOLDER / name).write_text(written, encoding="utf-8")
    for page, made in PAGES.items():
        path = ROOT / page
        path.write_text(made(path.read_text(encoding="utf-8")), encoding="utf-8")
