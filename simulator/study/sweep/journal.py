"""The results of a sweep that is under way, in a file beside its table: an interrupted one goes on from there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from ...files import open_regular


class Journal:
    """One line of JSON for the sweep, then one for every result; ``done`` has those of an earlier run."""

    def __init__(self, table: Path, sweep: Mapping[str, Any]) -> None:
        """``sweep`` says what is swept; ValueError when the file is there and is of another sweep."""
        self.path = table.with_name(f"{table.name}.part")
        self.sweep, self.done = json.loads(json.dumps(sweep)), dict[int, dict[str, Any]]()
        self._file: IO[str] | None = None

    def __enter__(self) -> Journal:
        found = self._read()
        if found and found[0] != self.sweep:
            raise ValueError(f"{self.path} holds results of another sweep; finish that one, or delete the file")
        self.done = {int(entry["point"]): entry["result"] for entry in found[1:]}
        # Written anew: the last line of an interrupted sweep may be half a line.
        self._file = self.path.open("w", encoding="utf-8")
        self._write(self.sweep)
        for number, result in self.done.items():
            self.add(number, result)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file:
            self._file.close()

    def add(self, number: int, result: Mapping[str, Any]) -> None:
        """Keep the result of a point."""
        self._write({"point": number, "result": dict(result)})

    def finish(self) -> None:
        """The table is written: the file goes."""
        if self._file:
            self._file.close()
        self.path.unlink(missing_ok=True)

    def _write(self, entry: object) -> None:
        assert self._file is not None
        self._file.write(json.dumps(entry) + "\n")
        self._file.flush()

    def _read(self) -> list[Any]:
        if not self.path.exists():
            return []
        with open_regular(self.path) as file:
            lines = file.read().decode("utf-8", "replace").split("\n")
        found = []
        for line in lines:
            try:
                found.append(json.loads(line))
            except ValueError:
                break
        return found
