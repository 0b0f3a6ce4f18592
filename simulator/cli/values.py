"""What users type for values: literals, arrays in files, ``name=value`` pairs, dimensions."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np

from ..text import nearest, quoted
from .arrays import made_array, read_array

#: Arguments of an operator that options set.
_BY_OPTION = {"device": "--device", "out": "--out", "on_finding": "--collect"}
_NAMED = {"true": True, "false": False, "none": None}
_NAME = re.compile(r"\w+=")
_ENUMERATOR = re.compile(r"[A-Za-z_]\w*(?:::\w+)*")


def literal(text: str) -> Any:
    """A number, several with commas, true, false or none (in any case), the array in a .npy file, or else the text."""
    if text.lower() in _NAMED:
        return _NAMED[text.lower()]
    if text.endswith(".npy"):
        return read_array(Path(text))
    for read in (lambda: int(text, 0), lambda: float(text)):
        try:
            return read()
        except ValueError:
            continue
    if "," in text:
        parts = [literal(part.strip()) for part in text.split(",")]
        if all(isinstance(part, (int, float)) for part in parts):
            return tuple(parts)
    return text


def kernel_argument(text: str, seeds: Iterator[int] | None = None) -> Any:
    """A launch argument: a literal, the array in a .npy file, one such as ``zeros:float32:64x1024``, or a name.

    A name is text; the kernel says which it knows. ``[2,4,8]`` is an array of a structure, ``{n=4,shape=[2,4]}`` a
    structure by its members. ValueError for any other text. ``seeds`` are those of random arrays.
    """
    seeds = seeds or count()
    if text[:1] + text[-1:] == "[]":
        return [kernel_argument(part, seeds) for part in _parts(text[1:-1])]
    if text[:1] + text[-1:] == "{}":
        return {name: kernel_argument(value, seeds) for name, value in pairs(_parts(text[1:-1]), "{n=8192}").items()}
    made = made_array(text, seeds)
    if made is not None:
        return made
    value = literal(text)
    if isinstance(value, tuple) or (isinstance(value, str) and not _ENUMERATOR.fullmatch(text)):
        raise ValueError(
            f"{quoted(text)} is no kernel argument; pass a number, none, a file such as x.npy, zeros:float32:1024, "
            "random:float32:1024, a name of the parameter's enumeration, or of a structure {n=8,shape=[2,4]}"
        )
    return value


def _parts(text: str) -> list[str]:
    """A text cut at its commas, but for those within brackets and braces."""
    cuts, depth = [-1], 0
    for at, sign in enumerate(text):
        depth += (sign in "[{") - (sign in "]}")
        if sign == "," and not depth:
            cuts.append(at)
    parts = [text[low + 1 : high].strip() for low, high in zip(cuts, [*cuts[1:], len(text)], strict=True)]
    return parts if any(parts) else []


def kernel_arguments(texts: Sequence[str]) -> list[Any] | dict[str, Any]:
    """The arguments of a launch: all in order, or all as ``name=value``; the same random numbers each time."""
    seeds = count()
    if any(_NAME.match(text) for text in texts):
        return {name: kernel_argument(value, seeds) for name, value in pairs(texts, "n=8192").items()}
    return [kernel_argument(text, seeds) for text in texts]


def expected_arrays(texts: Sequence[str], arguments: Mapping[str, Any] | None = None) -> dict[str | int, np.ndarray]:
    """The arrays of ``name=file.npy`` texts by name; ValueError for anything else.

    With the ``arguments`` of a launch by name, a text may be a NumPy expression of them, too.
    """
    found: dict[str | int, np.ndarray] = {}
    for name, text in pairs(texts, "out=right.npy").items():
        value = read_array(Path(text)) if text.endswith(".npy") else made_array(text, count())
        if value is None and arguments is not None:
            from .formulas import value_of  # few launches have any

            value = value_of(text, name, arguments)
        if not isinstance(value, np.ndarray):
            raise ValueError(f"--expect {name}={text}: pass a file such as right.npy")
        found[name] = value
    return found


def array_files(texts: Iterable[str]) -> list[str]:
    """The files of arrays that values name."""
    return [_NAME.sub("", text) for text in texts if text.endswith(".npy")]


def pairs(texts: Iterable[str], example: str) -> dict[str, str]:
    """``name=value`` texts by name; ValueError for another form and for a name given twice."""
    found: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise ValueError(f"{quoted(text)} is not of the form name=value; write for example {example}")
        if name in found:
            raise ValueError(f"{name} is given twice")
        found[name] = value
    return found


def is_number(value: Any) -> TypeGuard[int | float]:
    """Whether a literal is a number; a truth value is none."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def numbers(texts: Iterable[str]) -> dict[str, float]:
    """``name=number`` texts by name; ValueError for anything else."""
    found = {}
    for name, value in pairs(texts, "channels.dram.gb_per_s=600").items():
        number = literal(value)
        if not is_number(number):
            raise ValueError(f"{name} is {quoted(value)}; pass a number")
        found[name] = number
    return found


def dimensions(text: str, option: str = "--dim") -> tuple[int, int, int]:
    """``X``, ``X,Y`` or ``X,Y,Z``; missing ones are 1. ValueError for anything else."""
    parts = text.split(",")
    if len(parts) > 3 or not all(part.strip().isdecimal() and len(part) < 20 for part in parts):
        raise ValueError(f"{option} is {quoted(text)}; write one to three whole numbers such as 4,8 or 4,8,1")
    x, y, z = [*(int(part) for part in parts), 1, 1][:3]
    return x, y, z


def operator_signature(name: str, function: Callable[..., Any]) -> str:
    """How to call an operator from the command line."""
    return " ".join(["mlusim op", name, *(
        f"{p.name}=..." if p.default is p.empty else f"[{p.name}={p.default}]" for p in _parameters(function).values()
    )])  # fmt: skip


def operator_arguments(name: str, function: Callable[..., Any], texts: Iterable[str]) -> dict[str, Any]:
    """The arguments that ``name=value`` texts give an operator; ValueError for unknown and missing ones."""
    parameters = _parameters(function)
    usage = f"\nusage: {operator_signature(name, function)}"
    given = pairs(texts, "steps=1024")
    for argument in given:
        if argument in _BY_OPTION:
            raise ValueError(f"{argument} is set with {_BY_OPTION[argument]}, not as an argument{usage}")
        if argument not in parameters:
            raise ValueError(f"{name} has no argument {argument!r}{nearest(argument, parameters)}{usage}")
    missing = [p.name for p in parameters.values() if p.default is p.empty and p.name not in given]
    if missing:
        raise ValueError(f"{name} needs {' and '.join(missing)}{usage}")
    return {argument: literal(value) for argument, value in given.items()}


def _parameters(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    found = inspect.signature(function).parameters
    return {name: parameter for name, parameter in found.items() if name not in _BY_OPTION}
