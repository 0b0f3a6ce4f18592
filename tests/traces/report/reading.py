"""Reads reports as docs/report.md describes them, without the code that writes them."""

from __future__ import annotations

import base64
import json
import re
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np


@dataclass
class Read:
    """The text of a report, its head, and its columns as they are stored: differences are not added up."""

    text: str
    head: dict[str, Any]
    blob: bytes

    def column(self, launch: int, name: str) -> np.ndarray:
        """The numbers of a column, int64."""
        one = self.head["launches"][launch]["columns"][name]
        planes = zlib.decompress(self.blob[one["at"] : one["at"] + one["packed"]])
        bytes_ = np.frombuffer(planes, np.uint8).reshape(one["width"], one["count"]).astype(np.int64)
        values = sum((plane << (8 * place) for place, plane in enumerate(bytes_)), np.zeros(one["count"], np.int64))
        limit = 1 << (8 * one["width"])
        return np.where(values >= limit // 2, values - limit, values) if one["signed"] else values

    def summed(self, launch: int, name: str, groups: np.ndarray) -> np.ndarray:
        """The numbers of a column of differences, by the group of each."""
        limit = 1 << (8 * self.head["launches"][launch]["columns"][name]["width"])
        last: dict[int, int] = {}
        found = []
        for value, group in zip(self.column(launch, name).tolist(), groups.tolist(), strict=True):
            last[group] = (last.get(group, 0) + value) % limit
            found.append(last[group])
        return np.array(found, np.int64)

    def times(self, launch: int) -> tuple[np.ndarray, np.ndarray]:
        """Start and end of every record that is shown, in ticks."""
        until: dict[int, int] = {}
        found = []
        for lane, gap, long in zip(
            *(self.column(launch, name).tolist() for name in ("lane", "gap", "long")), strict=True
        ):
            start = until.get(lane, 0) + gap
            until[lane] = start + long
            found.append((start, until[lane]))
        return tuple(np.array(found, np.int64).reshape(-1, 2).T)  # type: ignore[return-value]


def read(path: Path) -> Read:
    """The report in a file."""
    text = path.read_text(encoding="utf-8")
    found = re.search(r'<script type="application/octet-stream" id="data">([\w+/=]*)</script>', text)
    assert found, "no data"
    blob = base64.b64decode(found[1])
    length = int.from_bytes(blob[:4], "little")
    return Read(text, json.loads(zlib.decompress(blob[4 : 4 + length])), blob[4 + length :])
