"""The command that runs test cases of operators."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from ..files import write_atomically
from ..findings.reports import Checked, report_of
from ..host.cases import CaseOutcome, read_case
from ..host.cases.report import HEADERS, document, junit, row, summary, tried
from ..host.cases.suite import CaseSuite
from ..launches.device import Device
from ..study.suite import run_cases
from ..timing import replay
from .build import compile_options
from .launch import asked_repeats
from .outputs import print_written
from .paths import check_paths
from .report import Seen, write_page
from .screen import Screen


def cases(options: argparse.Namespace, screen: Screen) -> bool:
    """Run cases against an operator and a reference; whether all of them have passed."""
    if options.workers < 1:
        raise ValueError("--workers must be above zero")
    check_paths(options.junit, options.report, read=[*options.files, *options.sources])
    found = [read_case(path) for path in options.files]
    suite = CaseSuite(
        options.device,
        tuple(options.sources),
        compile_options(options),
        options.entry,
        options.reference,
        options.arguments,
        names=tuple(_pair("bind", text) for text in options.bind),
        more=tuple((name, _value(value)) for name, value in (_pair("set", text) for text in options.set)),
        keep_logs=bool(options.report),
        repeats=asked_repeats(options),
        strict=options.strict,
    )
    with screen.busy(f"running {len(found)} cases of {options.entry}"):
        outcomes = run_cases(suite, found, options.workers)
    device = Device.load(options.device)
    if options.junit:
        with write_atomically(options.junit) as file:
            file.write(junit(outcomes).encode())
    written = _report(options, screen, outcomes, device)
    for outcome in outcomes:
        screen.findings(outcome.findings)
    for line in tried(outcomes):
        screen.say(line)
    if screen.json:
        screen.document(document(outcomes) | {"written": written})
    else:
        screen.table([(name, at > 2) for at, name in enumerate(HEADERS)], map(row, outcomes))
        screen.say(f"{device.name}: {summary(outcomes)}")
        print_written(screen, written)
    return all(outcome.result in ("passed", "ran") for outcome in outcomes)


def _report(options: argparse.Namespace, screen: Screen, outcomes: Sequence[CaseOutcome], device: Device) -> list[str]:
    """Write the report that the options ask for: the table, and the launches of each case."""
    seen = [
        Seen(f"{outcome.case.path.stem}: {one.kernel}", replay(one.log, device.rates), one.start)
        for outcome in outcomes for one in outcome.launches if one.log is not None
    ]  # fmt: skip
    checked = [Checked(outcome.case.path.stem, outcome.findings) for outcome in outcomes]
    table = ("Cases", HEADERS, [row(outcome) for outcome in outcomes])
    return write_page(options, screen, f"cases of {options.entry}", seen, report_of(checked), tables=[table])


def _pair(option: str, text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name or not value:
        raise ValueError(f"--{option} {text} is no {'NAME=PARAMETER' if option == 'bind' else 'PARAMETER=VALUE'}")
    return name, value


def _value(text: str) -> bool | int | float | str:
    """A number, true or false, or else a name."""
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
