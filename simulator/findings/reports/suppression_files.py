"""Files of suppressions: TOML, a table ``[[allow]]`` for each."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from ...log import Location
from ...text import quoted
from .suppressions import Suppression

_HEAD = re.compile(r"\s*\[\[\s*allow\s*\]\]")


class _Entry(BaseModel):
    """One table of a file of suppressions."""

    model_config = ConfigDict(extra="forbid", strict=True)

    rule: str | list[str]
    reason: str
    file: str = ""
    line: int = 0
    kernel: str = ""


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    allow: list[_Entry] = []


def read_suppressions(path: Path) -> list[Suppression]:
    """The suppressions of a file of tables ``[[allow]]``; ValueError when there are none that make sense."""
    try:
        text = path.read_text(encoding="utf-8")
        entries = _File.model_validate(tomllib.loads(text)).allow
    except FileNotFoundError:
        raise ValueError(f"{path} does not exist; pass a file of suppressions") from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise ValueError(
            f"{path}: {where}: {first['msg']}; an entry has rule, reason, and file, line, kernel"
        ) from None
    except (OSError, ValueError) as error:
        raise ValueError(f"{path} cannot be read as a file of suppressions: {quoted(str(error))[1:-1]}") from None
    heads = [number for number, line in enumerate(text.splitlines(), 1) if _HEAD.match(line)]
    found = []
    for number, entry in enumerate(entries):
        place = Location(str(path), heads[number] if number < len(heads) else 1)
        names = (entry.rule,) if isinstance(entry.rule, str) else tuple(entry.rule)
        made = Suppression(names, entry.reason.strip(), place, entry.file, entry.line, entry.kernel)
        if made.problem:
            raise ValueError(f"{place}: this suppression {made.problem}")
        found.append(made)
    return found
