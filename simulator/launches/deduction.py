"""Which instance of a template a launch means: what its name leaves out follows from the arguments, as in C++."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.memory.global_memory import DeviceArray
from ..kernelc.declared import Declared, KernelDecl
from .structures import StructureValue

#: How C++ names element types; whole numbers are called as NumPy calls them, with "_t".
_ELEMENTS = {
    "float16": "half", "bfloat16": "bfloat16_t", "float32": "float", "float64": "double", "bool": "bool",
}  # fmt: skip
_WORDS = re.compile(r"\b(?:const|volatile|typename|__restrict__|__restrict|restrict)\b")


def instance(kernel: KernelDecl, given: str, values: Sequence[Any]) -> str:
    """The name of the instance of a template; ``given`` is its name with some template arguments, or none.

    ValueError for a parameter that the arguments leave open, or give two types.
    """
    wanted = kernel.template_parameters
    explicit = _arguments(given.removeprefix(kernel.name))
    if explicit and (len(explicit) >= len(wanted) or any(parameter.pack for parameter in wanted)):
        return given
    told = _told(kernel, values)
    arguments = [(spelled, False) for spelled in explicit]
    for parameter in wanted[len(explicit) :]:
        types = told.get(parameter.name, [])
        if parameter.pack:
            arguments += [(told_type.spelled, False) for told_type in types]
            continue
        sure = [told_type for told_type in types if told_type.sure]
        if len({told_type.spelled for told_type in sure}) > 1:
            shown = " and ".join(f"{one.spelled} (argument {one.number})" for one in sure)
            raise ValueError(f"{parameter.name} of {kernel} is {shown}; name its template arguments")
        chosen = [told_type.spelled for told_type in sure] or [parameter.default or (types[0].spelled if types else "")]
        if not chosen[0] and explicit:
            return given  # the compiler may know another template of that name
        if not chosen[0]:
            raise ValueError(
                f"{kernel} is a template; name its arguments, as in {example(kernel)}: "
                f"the arguments of the launch do not tell {parameter.name or 'all of them'}"
            )
        arguments.append((chosen[0], not sure and bool(parameter.default)))
    while arguments and arguments[-1][1]:  # C++ fills in what a name leaves out at its end
        arguments.pop()
    return f"{kernel.name}<{', '.join(spelled for spelled, _ in arguments)}>"


def instance_like(other: KernelDecl, name: str, kernel: KernelDecl, values: Sequence[Any]) -> str:
    """The name of another function that is launched as a kernel is, which may be an instance of a template, ``name``.

    A template of the same parameters gets the same arguments. ValueError as from `instance`, for these ``values``.
    """
    kinds, own = ([one.kind for one in declared.template_parameters] for declared in (other, kernel))
    if not other.template:
        return other.name
    return other.name + name.removeprefix(kernel.name) if kinds == own else instance(other, other.name, values)


class _Told(NamedTuple):
    """What an argument tells of a template parameter; a number of Python's is not sure of its type."""

    spelled: str
    number: int
    sure: bool


def _told(kernel: KernelDecl, values: Sequence[Any]) -> dict[str, list[_Told]]:
    """What the arguments of a launch tell, by template parameter."""
    from ..kernelc.tokens import tokens  # kernels that are no templates need none

    types = {parameter.name for parameter in kernel.template_parameters if parameter.kind == "type"}
    found: dict[str, list[_Told]] = {}
    for number, (parameter, value) in enumerate(_paired(kernel.parameters, values)):
        words = [token.text for token in tokens(_WORDS.sub(" ", parameter.type), 0)]
        if words and words[0] in types and words[1:] in ([], ["*"], ["&"], ["&&"]):
            spelled, sure = _pointee(value) if words[1:] == ["*"] else _type(value)
            if spelled:
                found.setdefault(words[0], []).append(_Told(spelled, number, sure))
    return found


def _paired(parameters: Sequence[Declared], values: Sequence[Any]) -> list[tuple[Declared, Any]]:
    """Each value with its parameter; a pack takes all that the others leave."""
    at = next((number for number, parameter in enumerate(parameters) if parameter.pack), None)
    if at is None:
        return list(zip(parameters, values, strict=False))
    after = parameters[at + 1 :]
    count = max(len(values) - at - len(after), 0)
    return list(zip([*parameters[:at], *[parameters[at]] * count, *after], values, strict=False))


def _pointee(value: Any) -> tuple[str, bool]:
    """What a pointer that is given so points to; nothing is known of null and of an address."""
    return (_element(value.dtype), True) if isinstance(value, (np.ndarray, DeviceArray)) else ("", False)


def _type(value: Any) -> tuple[str, bool]:
    """The type of a value, and whether it is sure."""
    if isinstance(value, DeviceArray) or (isinstance(value, np.ndarray) and value.ndim):
        element = _element(value.dtype)
        return (f"{element}*", True) if element else ("", False)
    if isinstance(value, StructureValue):
        return value.kind.name, True
    if isinstance(value, (np.generic, np.ndarray)):
        return _element(value.dtype), True
    kinds: dict[type, str] = {bool: "bool", int: "int", float: "float"}
    return kinds.get(type(value), ""), False


def _element(dtype: np.dtype) -> str:
    return f"{dtype.name}_t" if dtype.kind in "iu" else _ELEMENTS.get(dtype.name, "")


def _arguments(name: str) -> list[str]:
    """The template arguments in a name."""
    inside = name.partition("<")[2].rpartition(">")[0]
    parts, depth, begin = [], 0, 0
    for at, char in enumerate(inside):
        depth += (char in "<([{") - (char in ">)]}")
        if char == "," and not depth:
            parts.append(inside[begin:at].strip())
            begin = at + 1
    last = inside[begin:].strip()
    return [*parts, last] if last else parts


def example(kernel: KernelDecl) -> str:
    """A name with arguments for the parameters of a template that have no default."""
    given = ["float" if p.kind == "type" else "64" for p in kernel.template_parameters if not p.default]
    return f"{kernel.name}<{', '.join(given)}>"
