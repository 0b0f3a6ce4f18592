"""The numbers that Python kernels pass to instructions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ....isa import Kind, Overload, Parameter, flatten
from ...text import quoted
from .numbers import as_number, whole
from .pointer import Pointer


def check_numbers(name: str, overload: Overload, arguments: Iterable[Any]) -> None:
    """TypeError unless every argument that is no pointer is a number that its parameter takes."""
    list(plain_numbers(name, overload, (a.address if isinstance(a, Pointer) else a for a in arguments)))


def plain_numbers(name: str, overload: Overload, arguments: Iterable[Any]) -> Iterable[int | float]:
    """The arguments of an instruction as numbers of Python's own, structures as their fields, in order."""
    for parameter, value in zip(overload.parameters, arguments, strict=True):
        if _is_float(overload, parameter):
            number = as_number(value)
            if number is None:
                raise TypeError(f"{name}: {parameter.name} is {quoted(value)}; pass a number")
            yield number
            continue
        for field in flatten(parameter, value):
            yield whole(f"{name}: {parameter.name}", field)


def _is_float(overload: Overload, parameter: Parameter) -> bool:
    """Whether a parameter is a bare value of a floating type."""
    return parameter.kind is Kind.VALUE and overload.element(parameter).is_float
