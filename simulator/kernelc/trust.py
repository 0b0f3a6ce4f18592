"""What a kernel may not be made of: names of the runtime, code that runs before it is guarded, memory without end."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import numpy as np

from ..native import INCLUDE, RUNTIME
from ..native.elf import Elf, Symbol

#: Bytes of the variables and the code of an image: as many as a kernel may take from the heap.
_MOST_MEMORY = 1 << 30
#: Names of the runtimes. An image has some of its own, which are none of these.
_RESERVED = re.compile(r"mlusim_|simt_|_ZNK?4simt|__tsan_|__sanitizer_|__wrap_|__real_")
#: What the compiler wants of every library, if it is there.
_USUAL = ("_ITM_", "__gmon_start__", "__cxa_finalize", "__cxa_pure_virtual", "__cxa_deleted_virtual")
_GROUP = re.compile(r"^(\w+) \{\n  global:\n(.*?)\};", re.M | re.S)
_EXPORT = re.compile(r"^    (\w+\*?);$", re.M)
#: What switches checks off: a word in it that is quickly found, what stands before that, and what follows.
_SANITIZE = re.compile(r"sanitize(?:(?<=no_sanitize)|(?<=disable_sanitize)r_instrumentation)")
_NOT = re.compile(r"(?<!\w)_*(?:no|disable)_\Z")
_OPERANDS = re.compile(r"\w*(?:\s*\([^()]*\))?")
_LINE = re.compile(r"^# (\d+) \"(.*)\".*\n", re.M)


def always_checked(text: str) -> str:
    """Preprocessed text without the attributes that switch checks off, but for those of our own headers."""
    parts, done = [], 0
    for found in _SANITIZE.finditer(text):
        if found.start() < done:
            continue
        begin = _NOT.search(text, text.rfind("\n", 0, found.start()) + 1, found.start())
        marker = _LINE.match(text, text.rfind("\n# ", 0, found.start()) + 1)
        if begin and not (marker and marker[2].startswith(f"{INCLUDE.parent}/")):
            parts += [text[done : begin.start()], "unused"]
            done = _OPERANDS.match(text, found.end()).end()  # type: ignore[union-attr]
    return "".join([*parts, text[done:]])


def problem_of_object(path: Path, threads: Path | None) -> tuple[str, str]:
    """Why a compiled source may not be part of an image, and the name that is to blame; ("", "") if it may.

    ``threads`` is the runtime that images of blocks of threads have in them.
    """
    doors = _doors(threads) if threads else _exports("mlusim_images")
    ours = [doors, _exports()]
    for name, defined, indirect, _ in Elf(path).symbols():
        if indirect:
            return f"{name} is an ifunc: what chooses it would run before anything is checked; call it directly", name
        if not _RESERVED.match(name):
            continue
        if defined and any(names.fullmatch(name) for names in ours):
            return f"{name} is a name of the simulator's own; call what you define otherwise", name
        if not defined and not doors.fullmatch(name):
            return f"{name} is a name of the simulator's own, which kernels may not use", name
    return "", ""


def problem_of_image(path: Path, ports: int) -> str:
    """Why an image may not be loaded, "" if it may; ``ports`` is the number of issue ports that there are."""
    image = Elf(path)
    if image.memory > _MOST_MEMORY:
        taken, most = image.memory / (1 << 30), _MOST_MEMORY >> 30
        return f"its variables take {taken:.1f} GiB, more than the {most} GiB of a kernel; use memory of the device"
    numbers, slots = image.section("mlusim_ports"), image.section("mlusim_slots")
    if len(numbers) % 4 or len(slots) % 8 or (np.frombuffer(numbers, np.uint32) >= max(ports, 1)).any():
        return "the sections mlusim_ports and mlusim_slots are the simulator's own; name yours otherwise"
    wanted = next(_nowhere(image.dynamic_symbols()), "")
    return f"{wanted} is defined nowhere; define it in the same source, or include it" if wanted else ""


def line_of(text: str, name: str) -> tuple[str, int]:
    """The file and the line of preprocessed text in which a name stands first; ("", 0) if in none."""
    found = re.search(rf"\b{re.escape(name)}\b", text)
    marks = list(_LINE.finditer(text, 0, found.start())) if found else []
    if not found or not marks:
        return "", 0
    return marks[-1][2], int(marks[-1][1]) + text.count("\n", marks[-1].end(), found.start())


def _nowhere(symbols: list[Symbol]) -> Iterator[str]:
    """The names that an image needs and no library offers; where symbols have no versions, that cannot be told."""
    if any(symbol.versioned for symbol in symbols):
        for name, defined, _, versioned in symbols:
            if not (defined or versioned or name.startswith(_USUAL) or _exports().fullmatch(name)):
                yield name


@lru_cache(maxsize=4)
def _exports(group: str = "") -> re.Pattern[str]:
    """The names that the runtime of tasks exports, or those of one group of them."""
    text = (RUNTIME / "exports.map").read_text(encoding="utf-8")
    names = [name for of, names in _GROUP.findall(text) if group in ("", of) for name in _EXPORT.findall(names)]
    return re.compile("|".join(name.replace("*", r"\w+") for name in names))


@lru_cache(maxsize=4)
def _doors(threads: Path) -> re.Pattern[str]:
    """What kernels call of the runtime of blocks of threads."""
    names = [symbol.name for symbol in Elf(threads).symbols() if symbol.defined and _RESERVED.match(symbol.name)]
    ours = [name for name in names if not name.startswith(("simt_", "_Z"))]
    return re.compile("|".join(map(re.escape, [*ours, "mlusim_begin_image"])))
