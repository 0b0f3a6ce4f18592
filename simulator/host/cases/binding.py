"""Which parameter of a function a tensor or a number of a case is for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..operators.declarations import Function
from ..operators.tensors import HostTensor, is_tensor
from .case import OperatorCase, TensorSpec


def bind(
    case: OperatorCase, function: Function, inputs: Sequence[HostTensor], outputs: Sequence[HostTensor]
) -> dict[str, Any]:
    """Arguments by name. Tensors go by their ids, the others in order: inputs to what is read, outputs to what is
    written; numbers go by name. What the function changes in place is an input and an output of one parameter.
    ValueError when there are more tensors than parameters for them.
    """
    read, written = _data_parameters(function)
    both = list(written)
    given: dict[str, Any] = {}
    waiting = _by_id(case.inputs, inputs, read, written, given)
    for id, tensor in _by_id(case.outputs, outputs, written, read, given):
        same = None if written else _alike(tensor, both, given)
        if same is None:
            _put(id, tensor, written, given)
        else:
            tensor.array[...], given[same] = given[same].array, tensor
            both.remove(same)
    for id, tensor in waiting:
        same = None if read or written else _alike(tensor, both, given)
        if same is not None:
            given[same].array[...] = tensor.array
            both.remove(same)
        # Some cases have an input without elements where the function reads nothing.
        elif read or written or tensor.array.size:
            _put(id, tensor, read or written, given)
    wanted = {parameter.name for parameter in function.parameters}
    for name, value in case.params.items():
        given.setdefault(name, str(value) if not isinstance(value, (int, float, list)) else value)
    return {name: value for name, value in given.items() if name in wanted or not isinstance(value, HostTensor)}


def _by_id(
    specs: Sequence[TensorSpec], tensors: Sequence[HostTensor], first: list[str], then: list[str], given: dict[str, Any]
) -> list[tuple[str, HostTensor]]:
    """Put tensors where their ids say; the others."""
    waiting: list[tuple[str, HostTensor]] = []
    for spec, tensor in zip(specs, tensors, strict=True):
        place = first if spec.id in first else then if spec.id in then else None
        if place is None:
            waiting.append((spec.id, tensor))
        else:
            place.remove(spec.id)
            given[spec.id] = tensor
    return waiting


def _alike(tensor: HostTensor, names: list[str], given: Mapping[str, Any]) -> str | None:
    """The first parameter that has been given a tensor of the same shape and dtype."""
    about = tensor.array.shape, tensor.array.dtype
    return next((n for n in names if n in given and (given[n].array.shape, given[n].array.dtype) == about), None)


def _put(id: str, tensor: HostTensor, place: list[str], given: dict[str, Any]) -> None:
    """Put a tensor where the next of its kind is wanted."""
    if not place:
        raise ValueError(f"the case has a tensor {id} and the function no parameter left for it; see --arguments")
    given[place.pop(0)] = tensor


def _data_parameters(function: Function) -> tuple[list[str], list[str]]:
    """The parameters that are the memory of tensors: those that are read, those that are written.

    Last come those without a descriptor, such as the place of a count of results.
    """
    found: dict[tuple[bool, bool], list[str]] = {(d, c): [] for d in (True, False) for c in (True, False)}
    stems = [each.name for each in function.parameters if is_tensor(each.type)]
    for at, parameter in enumerate(function.parameters):
        if parameter.type.kind != "pointer" or "workspace" in parameter.name:
            continue
        target = parameter.type.to
        if target is not None and target.name != "void":
            continue
        before = function.parameters[at - 1] if at else None
        described = any(parameter.name in stem for stem in stems) or (before is not None and is_tensor(before.type))
        found[described, target is not None and target.constant].append(parameter.name)
    return found[True, True] + found[False, True], found[True, False] + found[False, False]


def renamed(given: dict[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Arguments under other names."""
    return {names.get(name, name): value for name, value in given.items()}
