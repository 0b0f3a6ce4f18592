"""What a program must know of an image before it launches anything; also as bytes, which the cache keeps."""

from __future__ import annotations

import json
from dataclasses import dataclass

from ..core.memory import Variable
from ..frames import Buffer
from ..log import Location
from .plain import count, number, require, text, texts


@dataclass(frozen=True)
class Description:
    """What is in an image."""

    variables: tuple[Variable, ...]  # at file scope, in on-chip memory; without what they begin with
    signatures: tuple[str, ...]  # of its kernels, see `arguments.parse_signature`
    unknown: tuple[tuple[str, Location], ...] = ()  # unknown functions that it calls
    unset: tuple[tuple[str, bool, Location], ...] = ()  # local variables that are read unset, on every way or on some


def encode_description(found: Description) -> bytes:
    """The message that describes an image; also what is kept of it beside a build."""
    rows = [[v.name, v.space, v.size, v.location.file, v.location.line] for v in found.variables]
    unknown = [[name, place.file, place.line] for name, place in found.unknown]
    unset = [[name, int(sure), place.file, place.line] for name, sure, place in found.unset]
    tables = {"variables": rows, "signatures": found.signatures, "unknown": unknown, "unset": unset}
    return json.dumps(tables).encode()


def decode_description(body: Buffer, kernels: int) -> Description:
    """The description of an image of so many kernels; ValueError unless it makes sense."""
    try:
        tables = json.loads(bytes(body))
        variables = tuple(
            Variable(text(name), text(space), count(size), None, Location(text(file), number(line)))
            for name, space, size, file, line in tables["variables"]
        )
        signatures = texts(tables["signatures"])
        require(len(signatures) == kernels, "signatures")
        unknown = ((text(name), Location(text(file), number(line))) for name, file, line in tables["unknown"])
        unset = (
            (text(name), bool(number(sure)), Location(text(file), number(line)))
            for name, sure, file, line in tables["unset"]
        )
        return Description(variables, signatures, tuple(unknown), tuple(unset))
    except (TypeError, KeyError, RecursionError) as error:
        raise ValueError(f"it describes an image in a way that makes no sense ({error})") from None
