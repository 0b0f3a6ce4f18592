"""The command that runs test cases of operators."""

from __future__ import annotations

import argparse

from ..files import write_atomically
from ..host.cases import read_case, run_case
from ..host.cases.reference import python_function, reference
from ..host.cases.report import HEADERS, document, junit, row, summary
from ..host.cases.run import CasePlan
from ..host.operators.loading import load
from ..host.operators.program import OperatorProgram
from ..kernelc.options import Options
from ..launches.device import Device
from .paths import check_paths
from .screen import Screen


def cases(options: argparse.Namespace, screen: Screen) -> bool:
    """Run cases against an operator and a reference; whether all of them have passed."""
    device = Device.load(options.device)
    check_paths(options.junit, read=[*options.files, *options.sources])
    found = [read_case(path) for path in options.files]
    names = dict(_pair("bind", text) for text in options.bind)
    more = {name: _value(value) for name, value in (_pair("set", text) for text in options.set)}
    with screen.busy(f"building {options.entry}"):
        given = Options.of(options.include, options.define, options.headers, options.std)
        right = reference(options.reference, given, device, names, more)
        plan = CasePlan(options.entry, right, names, python_function(options.arguments), more)
        program = load(
            options.sources,
            options.include,
            device=device,
            define=options.define,
            headers=options.headers,
            std=options.std,
        )
    if not isinstance(program, OperatorProgram):
        raise ValueError("the sources have no host code; name the C++ sources of the operator with --sources, too")
    with program:
        if options.entry not in program.functions:
            raise ValueError(f"no source defines {options.entry}; name the source that does with --sources")
        with screen.busy(f"running {len(found)} cases"):
            outcomes = [run_case(program, case, plan) for case in found]
    if options.junit:
        with write_atomically(options.junit) as file:
            file.write(junit(outcomes).encode())
    for outcome in outcomes:
        screen.findings(outcome.findings)
    if screen.json:
        screen.document(document(outcomes))
    else:
        screen.table([(name, at > 2) for at, name in enumerate(HEADERS)], map(row, outcomes))
        screen.say(f"{device.name}: {summary(outcomes)}")
    return all(outcome.result in ("passed", "ran") for outcome in outcomes)


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
