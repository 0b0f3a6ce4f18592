"""Writes a report: one HTML file with its script, its style and its data, which may load nothing."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

from ...simulator.files import write_atomically
from ...simulator.findings import Finding
from ...simulator.timing import Timeline
from .columns import Columns
from .facts import launch_facts
from .sources import sources

FORMAT = 1
#: Bytes of a whole file by the records in it, and of the page around the columns: script, style, facts.
_SIZES = ((100_000, 1_500_000), (1_000_000, 5_000_000))
_LARGEST, _PAGE = 20_000_000, 450_000


@dataclass(frozen=True)
class LaunchShown:
    """A launch in a report; ``start_us`` is when it began in the program that launched it.

    ``fixed``: its times come from a trace, which says too little to time it again.
    """

    name: str
    timeline: Timeline
    start_us: float = 0.0
    fixed: bool = False


@dataclass(frozen=True)
class ReportPage:
    """What a report holds. ``folders`` are where sources may be read; ``compare``: two launches are set side by side.

    ``tables`` are further ones: title, heads, rows.
    """

    title: str
    launches: Sequence[LaunchShown] = ()
    findings: Sequence[Finding] = ()
    suppressed: Sequence[Finding] = ()
    checked: bool = True  # whether anything looked for broken rules
    compare: dict[str, Any] | None = None
    tables: Sequence[tuple[str, Sequence[str], Sequence[Sequence[str]]]] = ()
    left_out: int = 0  # launches
    folders: Sequence[Path] = field(default_factory=lambda: (Path(),))


def write_report(page: ReportPage, path: str | Path) -> None:
    """Write a report to ``path``: all of it, or nothing and the old file stays.

    Raises OSError when the folder is missing or cannot be written, OverflowError for times that are not finite.
    """
    with write_atomically(Path(path)) as file:
        for part in _parts(page):
            file.write(part)


def _parts(page: ReportPage) -> Iterator[bytes]:
    script, style = _asset("report.js"), _asset("report.css")
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; base-uri 'none'; form-action 'none'"
    )
    yield (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width,initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{html.escape(page.title)}</title>\n<style>"
    ).encode("utf-8", "replace")
    yield style
    yield (
        b'</style>\n</head>\n<body>\n<div id="app"></div>\n'
        b"<noscript>This report draws itself with a script, which this browser keeps from running.</noscript>\n"
        b'<script type="application/octet-stream" id="data">'
    )
    yield base64.b64encode(_data(page))
    yield b"</script>\n<script>"
    yield script
    yield b"</script>\n</body>\n</html>\n"


def _asset(name: str) -> bytes:
    """A file of the page, as it was built."""
    return resources.files(__package__).joinpath("bundle", name).read_bytes()


def _hash(content: bytes) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(content).digest()).decode()}'"


def _data(page: ReportPage) -> bytes:
    """The bytes of the head, packed JSON with its own length before it, then those of all columns."""
    records = sum(len(launch.timeline.log) for launch in page.launches)
    limit = next((size for most, size in _SIZES if records <= most), _LARGEST)
    room = max(int((limit - _PAGE) * 0.75) // max(len(page.launches), 1), 50_000)
    launches, packed = [], list[bytes]()
    at = 0
    for launch in page.launches:
        facts, columns = launch_facts(launch.timeline, room, fixed=launch.fixed)
        directory, at = _directory(columns, at, packed)
        launches.append(facts | {"name": launch.name, "start_us": launch.start_us, "columns": directory})
    head = {
        "format": FORMAT, "title": page.title, "checked": page.checked, "launches": launches,
        "findings": [_finding(finding) for finding in page.findings],
        "suppressed": [_finding(finding) for finding in page.suppressed],
        "compare": page.compare, "left_out": page.left_out, "tables": [list(table) for table in page.tables],
        "sources": sources(_files(page), page.folders),
    }  # fmt: skip
    text = zlib.compress(json.dumps(head, separators=(",", ":"), allow_nan=False, default=str).encode(), 6)
    return b"".join([len(text).to_bytes(4, "little"), text, *packed])


def _directory(columns: Columns, at: int, packed: list[bytes]) -> tuple[dict[str, Any], int]:
    """Where each column stands behind the head, and where the next one will."""
    found = {}
    for name, planes in columns.planes.items():
        found[name] = columns.described[name] | {"at": at, "packed": len(planes)}
        packed.append(planes)
        at += len(planes)
    return found, at


def _finding(finding: Finding) -> dict[str, Any]:
    return finding.to_dict() | {"text": str(finding)}


def _files(page: ReportPage) -> Iterator[str]:
    """The sources that something in the report is at, those of findings first."""
    for finding in (*page.findings, *page.suppressed):
        yield from (place.file for place in (finding.location, finding.related) if place and place.line)
    for launch in page.launches:
        yield from (place.file for place in launch.timeline.log.locations if place.line)
