"""The JSON documents that commands write with ``--json``: what they hold, by command, and their schema.

Every document has ``schema``, which names the command that has written it, and ``version``, which grows when a key goes
or means something else; new keys may come without.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Any, NotRequired

from pydantic import ConfigDict, TypeAdapter, with_config
from pydantic.json_schema import GenerateJsonSchema
from typing_extensions import TypedDict  # pydantic takes no other before Python 3.12

from ...isa.docs import InstructionRow
from ...traces import Summary
from ...traces.difference import Difference
from ...traces.why import Why
from ..engines.worker.health import Looked
from ..findings import Finding
from .devices import OnDevice
from .screen import SCHEMA, VERSION, Screen

_EXACT = with_config(ConfigDict(extra="forbid"))


@_EXACT
class _Failed(TypedDict):
    error: str
    finding: Finding | None


class _Written(TypedDict):
    written: list[str]


class _Findings(_Written):
    findings: list[Finding]
    suppressed: list[Finding]


class _Tried(TypedDict):
    checked: str
    tried: str


class _Array(TypedDict):
    dtype: str
    shape: list[int]
    head: list[float]


@_EXACT
class _Run(_Findings):
    results: dict[str, _Array]
    time_us: float
    summary: Summary
    plan: NotRequired[list[str]]
    profile: NotRequired[list[dict[str, Any]]]
    why: NotRequired[Why]


class _Process(TypedDict):
    command: str
    launches: list[dict[str, Any]]
    findings: list[Finding]
    suppressed: list[Finding]
    time_us: float
    copied_bytes: int


@_EXACT
class _Program(_Written):
    exit_code: int
    processes: list[_Process]
    profile: NotRequired[list[dict[str, Any]]]
    why: NotRequired[Why]


@_EXACT
class _Operators(TypedDict):
    operators: list[dict[str, str]]


@_EXACT
class _Check(_Findings):
    checked: list[str]
    tried: NotRequired[list[_Tried]]
    devices: NotRequired[list[OnDevice]]


@_EXACT
class _Build(TypedDict):
    device: str
    kernels: list[str]
    signatures: dict[str, str]
    budget: list[dict[str, str | int]]
    instances: list[str]
    not_compiled: list[str]


@_EXACT
class _Replay(_Written):
    device: str
    changes: dict[str, float]
    time_us: float
    unchanged_time_us: float
    summary: Summary


@_EXACT
class _View(_Written):
    opened: bool


@_EXACT
class _Device(TypedDict):
    name: str
    title: str
    isa: str
    shape: dict[str, Any]
    facts: dict[str, dict[str, Any]]


@_EXACT
class _Devices(TypedDict):
    devices: list[_Device]


@_EXACT
class _Instructions(TypedDict):
    instructions: list[InstructionRow]
    computed: dict[str, str]
    not_modelled: dict[str, str]


@dataclass(frozen=True)
class _Declaration(InstructionRow):
    simulated: dict[str, list[str]]  # how the simulator carries it out, and with which types


@_EXACT
class _Instruction(TypedDict):
    name: str
    modelled: bool
    doc: str
    declarations: list[_Declaration]


class _Rule(TypedDict):
    id: str
    severity: str
    doc: str


@_EXACT
class _Rules(TypedDict):
    rules: list[_Rule]


@_EXACT
class _Explained(_Rule):
    text: str


@_EXACT
class _Doctor(TypedDict):
    checks: list[Looked]


@_EXACT
class _Case(TypedDict):
    case: str
    operator: str
    result: str
    why: str
    time_us: float
    wall_s: float
    diffs: list[dict[str, Any]]
    findings: list[Finding]
    tried: NotRequired[dict[str, str]]


@_EXACT
class _Cases(_Written):
    cases: list[_Case]
    summary: dict[str, int]


@_EXACT
class _Sweep(_Written):
    points: list[dict[str, Any]]
    failed: int


@_EXACT
class _Tune(_Written):
    best: list[dict[str, Any]]
    variants: list[dict[str, Any]]
    there: int
    failed: int
    interrupted: bool


@_EXACT
class _Correlation(TypedDict):
    figures: dict[str, dict[str, Any]]
    correlation: float | None
    cases: list[dict[str, Any]]
    skipped: list[dict[str, Any]]


@_EXACT
class _Fit(_Written):
    parameters: list[dict[str, Any]]
    model_errors: dict[str, float]
    before: _Correlation
    after: _Correlation


_DOCUMENTS: dict[str, tuple[Any, ...]] = {
    "op": (_Run, _Operators), "run": (_Run, _Program), "check": (_Check,), "build": (_Build,), "replay": (_Replay,),
    "view": (_View,), "devices": (_Device, _Devices), "isa": (_Instruction, _Instructions),
    "rules": (_Explained, _Rules), "doctor": (_Doctor,), "examples": (_Written,), "toolkit": (_Written,),
    "cases": (_Cases,), "sweep": (_Sweep,), "tune": (_Tune,), "why": (Why, _Written), "diff": (Difference, _Written),
    "correlate": (_Correlation,), "calibrate": (_Fit,),
}  # fmt: skip
#: Commands whose document has the keys of several.
_JOINED = {"why", "diff"}


class _Generator(GenerateJsonSchema):
    """Floats as documents have them: numbers that JSON lacks are strings."""

    def float_schema(self, schema: Any) -> Any:
        return {"anyOf": [{"type": "number"}, {"enum": ["inf", "-inf", "nan"]}]}


def document_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of all documents."""
    made = {one for several in _DOCUMENTS.values() for one in several} | {_Failed}
    adapters = [(one, "serialization", TypeAdapter(one)) for one in sorted(made, key=lambda one: one.__name__)]
    found, head = TypeAdapter.json_schemas(adapters, schema_generator=_Generator)  # type: ignore[arg-type]
    heads = {one: found[one, "serialization"] for one in made}
    documents: list[dict[str, Any]] = []
    for command, several in _DOCUMENTS.items():
        named = {"schema": {"const": SCHEMA + command}, "version": {"const": VERSION}}
        forms = [{"allOf": [heads[one] for one in several]}] if command in _JOINED else [heads[one] for one in several]
        documents.append({"properties": named, "required": [*named], "anyOf": [*forms, heads[_Failed]]})
    for definition in head["$defs"].values():  # those that take no other keys, these two do
        if definition.get("additionalProperties") is False:
            definition["properties"] |= {"schema": True, "version": True}
    nameless = {
        "schema": {"const": SCHEMA.rstrip("/")},
        "version": {"const": VERSION},
    }  # failed before its command was known
    documents.append({"properties": nameless, "required": [*nameless], **heads[_Failed]})
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Documents of mlusim's commands",
        "oneOf": documents, "$defs": head["$defs"],
    }  # fmt: skip


def show_schema(options: argparse.Namespace, screen: Screen) -> bool:
    """Write the schema."""
    del options
    screen.document(document_schema(), of_its_own=True)
    return True
