"""Commands run in this process."""

from __future__ import annotations

import json
from typing import Any

import pytest
from mlusim.simulator.cli import main


def call(captured: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of a command.

    With ``capfd`` these are also of processes that it starts, with ``capsys`` of this one.
    """
    captured.readouterr()
    try:
        code = main(arguments)
    except SystemExit as end:
        code = int(end.code or 0)
    out, err = captured.readouterr()
    return code, out, err


def document(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, Any]:
    """Exit code and the JSON document, which must be all there is on standard output and strict JSON."""

    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is no JSON")

    code, out, _ = call(capsys, *arguments, "--json")
    return code, json.loads(out, parse_constant=refuse)
