"""A plugin of pytest: the fixture ``mlusim`` fails a test whose launches break rules.

    def test_scale(mlusim):
        scale(x)  # launches kernels, wherever
        assert np.allclose(...)

A launch that raises its finding as a KernelError is the test's own affair. Errors and warnings fail, advice does not.
Suppressions: comments in the sources, the files that the option ``mlusim_suppressions`` of pytest's settings names,
and `Watch.allow`. What mlusim does between a test and a finding is left out of the traceback.
``--mlusim-report DIR`` keeps a report of the launches of each test that fails.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import pytest

if TYPE_CHECKING:
    from .findings import Finding
    from .findings.reports import Report, Suppression
    from .launches.repeats import Repeating
    from .launches.run import Run
    from .launches.watchers import Launches

#: The launches of a test, the first ones, for its report.
_RUNS = pytest.StashKey["list[Run]"]()
_MOST_RUNS = 20
_HERE = Path(__file__).resolve().parent


class Watch:
    """What the fixture gives: the launches of one test."""

    def __init__(self, launches: Launches, suppressions: list[Suppression]) -> None:
        self._launches, self._suppressions = launches, suppressions

    def allow(self, rule: str, reason: str, kernel: str = "") -> None:
        """Let findings of a rule be (of kernels whose names match a pattern); ValueError without a reason."""
        from .findings.reports import Suppression
        from .log import NOWHERE

        made = Suppression((rule,), reason.strip(), NOWHERE, kernel=kernel)
        if made.problem:
            raise ValueError(f"this suppression {made.problem}")
        self._suppressions.append(made)

    def repeat(self, **repeats: Unpack[Repeating]) -> None:
        """Compare the launches from here on with themselves, as the keywords of `Program.launch` say."""
        from .launches.repeats import repeats_of

        self._launches.repeats = repeats_of(repeats)

    @property
    def report(self) -> Report:
        """What has been launched so far, and what it broke."""
        from .findings.reports import report_of

        return report_of(self._launches.checked, self._suppressions)

    @property
    def findings(self) -> list[Finding]:
        """The findings so far that are not suppressed."""
        return self.report.findings


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the settings."""
    parser.addoption("--mlusim-report", metavar="DIR", type=Path, help="keep a report of each failed test's launches")
    parser.addini("mlusim_suppressions", "files of findings that may stay, and why", type="paths", default=[])


@pytest.fixture
def mlusim(request: pytest.FixtureRequest) -> Iterator[Watch]:
    """Fails the test when a kernel that it launches breaks a rule; `Watch.findings` are the findings so far."""
    from .findings.reports.suppression_files import read_suppressions
    from .launches.watchers import Launches, watchers

    files: list[Path] = request.config.getini("mlusim_suppressions")
    launches = Launches(raised=False)
    with watchers(os.getpid()).watching(launches):
        yield Watch(launches, [entry for path in files for entry in read_suppressions(path)])


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    """Keep the launches of a test for its report, where one is wanted."""
    if item.config.getoption("mlusim_report") is None:
        return (yield)
    from .launches.watchers import watchers

    runs: list[Run] = []
    item.stash[_RUNS] = runs
    with watchers(os.getpid()).watching(lambda run, raised: runs.append(run) if len(runs) < _MOST_RUNS else None):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Leave mlusim's own frames out of the traceback of a finding, and write the report of a test that has failed."""
    for entry in call.excinfo.traceback if call.excinfo else ():
        if Path(entry.path).is_relative_to(_HERE):
            entry.frame.f_globals.setdefault("__tracebackhide__", _is_finding)
    report = yield
    runs = item.stash.get(_RUNS, [])
    if report.failed and runs:
        from .shown import write_report

        folder: Path = item.config.getoption("mlusim_report")
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / (re.sub(r"[^\w.-]+", "_", item.nodeid).strip("_")[-150:] + ".html")
        findings = [finding for run in runs for finding in run.findings]
        write_report(path, [run.timeline for run in runs if len(run.log)], findings)
        report.sections.append(("mlusim", f"report: {path}"))
        item.stash[_RUNS] = []
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Fail a test by its findings; one that has failed already shows them."""
    watch = getattr(item, "funcargs", {}).get("mlusim")
    failed = True
    try:
        result = yield
        failed = False
    finally:
        if isinstance(watch, Watch) and failed and watch.findings:
            item.add_report_section("call", "mlusim", _text(watch.report))
    if isinstance(watch, Watch) and watch.report.failed:
        pytest.fail(_text(watch.report), pytrace=False)
    return result


def _is_finding(excinfo: pytest.ExceptionInfo[BaseException]) -> bool:
    """Whether an exception is a finding, and not a fault of mlusim."""
    known = sys.modules.get(f"{__package__}.findings")
    return known is not None and isinstance(excinfo.value, known.MlusimError)


def _text(report: Report) -> str:
    from .findings.reports.formats import text

    return text(report)
