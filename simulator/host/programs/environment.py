"""What variables of the environment ask of a program that runs by itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from ...launches.repeats import DEEP, NONE, Repeats, splits_of
from ...text import quoted

#: The formats of a file of findings by how its name ends.
_FORMATS = {".sarif": "sarif", ".json": "json", ".xml": "junit", ".txt": "text"}


class Asked(NamedTuple):
    """What is asked of a program.

    ``time_limit`` (seconds) is that of each launch. ``strict``: it fails by its findings. ``report`` is a file for
    them, in whose name %p is the number of the process and %n the name of its program. ``repeats`` is what each launch
    is compared with.
    """

    time_limit: float | None = None
    strict: bool = False
    report: str = ""
    repeats: Repeats = NONE

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> Asked:
        """What the environment says; ValueError for what makes no sense."""
        limit, report = environment.get("MLUSIM_TIME_LIMIT", ""), environment.get("MLUSIM_REPORT", "")
        if report and Path(report).suffix not in _FORMATS:
            raise ValueError(f"MLUSIM_REPORT is {quoted(report)}; the name of the file ends in {', '.join(_FORMATS)}")
        deep, strict = (environment.get(f"MLUSIM_{name}", "") not in ("", "0") for name in ("DEEP", "STRICT"))
        repeats, splits = DEEP if deep else NONE, splits_of(environment.get("MLUSIM_RESPLIT", ""), "MLUSIM_RESPLIT")
        repeats = replace(repeats, resplit=splits) if splits else repeats
        return cls(_seconds(limit) if limit else None, strict, report, repeats)

    def path(self, process: int, program: str) -> Path:
        """The file of findings of a process."""
        path = Path(self.report)
        return path.with_name(path.name.replace("%p", str(process)).replace("%n", Path(program).name))

    @property
    def format(self) -> str:
        """The format of the file of findings."""
        return _FORMATS[Path(self.report).suffix]


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not seconds > 0:
        raise ValueError(f"MLUSIM_TIME_LIMIT is {quoted(text)}; set it to seconds above 0")
    return seconds
