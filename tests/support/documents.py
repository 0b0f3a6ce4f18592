"""What commands write with ``--json``, held to the schema that is published."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator
from mlusim.simulator.cli.documents import document_schema


@cache
def _validator() -> Draft202012Validator:
    schema = document_schema()
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def document(text: str, command: str) -> dict[str, Any]:
    """The document that a command has written, of its own form, or that of what fails before a command is known."""

    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is no JSON")

    found: dict[str, Any] = json.loads(text, parse_constant=refuse)
    assert found["schema"] in (f"mlusim/{command}", "mlusim")
    _validator().validate(found)
    return found
