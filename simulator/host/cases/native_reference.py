"""A reference in C or C++: a function of a source, called with what a case has by the names in its declaration."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ...kernelc.options import Options
from ...launches.device import Device
from ...text import quoted
from ..operators.build import build_operators
from ..operators.declarations import CParameter, Function, read_functions
from ..operators.process import HostDied, HostProcess
from ..operators.scalars import scalar


class NativeReference:
    """A function that says what is right, compiled and called in a process of its own.

    A pointer to what is ``const`` gets the input of its name, or the next one; another pointer the output of its name,
    or the next one, filled with zeros. Arrays are packed, and of the type that the pointer leads to: halves are
    converted for a ``float *``, bits stay for integers of their size. Numbers go by name; beside those of the case a
    tensor has the number of its elements as ``x_count`` and its shape as ``x_dims`` and ``x_rank``, with its id or the
    name of its parameter for ``x``. What the function returns is not looked at.
    """

    def __init__(
        self, path: Path, name: str, options: Options, device: Device, names: Mapping[str, str], more: Mapping[str, Any]
    ) -> None:
        """``names`` are other names of what a case has, ``more`` numbers that it has not.

        BuildError when the source does not compile, ValueError when it has no such function.
        """
        self._library = build_operators([path], options, device)
        functions = read_functions(self._library)
        if name not in functions:
            listed = ", ".join(sorted(functions)[:8]) or "none"
            raise ValueError(f"{path} has no function {quoted(name)} that others can call; it has {listed}")
        self._function, self._device, self._names, self._more = functions[name], device, names, more
        self._process: HostProcess | None = None

    def __call__(
        self, inputs: Mapping[str, np.ndarray], params: Mapping[str, Any], outputs: Mapping[str, np.ndarray]
    ) -> dict[str, np.ndarray]:
        """The outputs that are right, by id. ValueError or TypeError for arguments that do not fit, RuntimeError when
        the function ends the process.
        """
        bound = self._bound(inputs, outputs, params)
        call = _Call(self._function, inputs, outputs, bound, self._numbers({**inputs, **outputs}, params, bound))
        process = self._process = self._process or HostProcess(self._library, self._device)
        try:
            try:
                process.call(self._function.symbol, "", call.arguments(process))
                return call.results(process)
            finally:
                process.drop(call.places)
        except HostDied as death:
            self._process = None
            raise RuntimeError(f"{self._function.name} {death}") from None

    def _bound(
        self, inputs: Mapping[str, np.ndarray], outputs: Mapping[str, np.ndarray], params: Mapping[str, Any]
    ) -> dict[str, str]:
        """The tensor of each pointer that is for one: that of its name, or the next that is left."""
        parameters = self._function.parameters
        known = {*inputs, *outputs, *self._names.values(), *(parameter.name for parameter in parameters)}
        given = {*params, *self._more, *(self._names.get(name, name) for name in params), *(f"{n}_dims" for n in known)}
        pointers = [each for each in parameters if each.type.kind == "pointer" and each.name not in given]
        called = {name: id for id in (*inputs, *outputs) for name in (id, self._names.get(id, id))}
        found = {each.name: called[each.name] for each in pointers if each.name in called}
        for each in pointers:
            sides = inputs if _constant(each) else outputs
            left = [id for id in sides if id not in found.values()]
            if each.name not in found and not left:
                raise ValueError(f"the case has no tensor left for {each.name}: {self._function}")
            found.setdefault(each.name, left[0] if left else "")
        return found

    def _numbers(
        self, tensors: Mapping[str, np.ndarray], params: Mapping[str, Any], bound: Mapping[str, str]
    ) -> dict[str, Any]:
        """Numbers by name, those of tensors by their ids and by the names of their parameters."""
        shapes: dict[str, Any] = {}
        called = {**{self._names.get(id, id): id for id in tensors}, **{id: id for id in tensors}, **bound}
        for name, id in called.items():
            array = tensors[id]
            shapes |= {f"{name}_count": array.size, f"{name}_rank": array.ndim, f"{name}_dims": list(array.shape)}
        renamed = {self._names.get(name, name): value for name, value in params.items()}
        return {**shapes, **params, **renamed, **self._more}


@dataclass
class _Call:
    """The arguments of one call: host memory that it has, and the outputs in it."""

    function: Function
    inputs: Mapping[str, np.ndarray]
    outputs: Mapping[str, np.ndarray]
    bound: Mapping[str, str]
    numbers: Mapping[str, Any]
    places: list[int] = field(default_factory=list)
    filled: dict[str, tuple[int, np.ndarray]] = field(default_factory=dict)

    def arguments(self, process: HostProcess) -> list[tuple[str, Any]]:
        """The type code and value of each argument."""
        return [self._argument(process, parameter) for parameter in self.function.parameters]

    def _argument(self, process: HostProcess, parameter: CParameter) -> tuple[str, Any]:
        name, type = parameter.name, parameter.type
        if name in self.bound:
            return "P", self._tensor(process, parameter, self.bound[name])
        if type.kind not in ("scalar", "enum", "pointer") or name not in self.numbers:
            raise TypeError(f"the case has no number {name}; --set {name}=VALUE gives one: {self.function}")
        given = self.numbers[name]
        if type.kind != "pointer":
            return type.code, scalar(name, type, given)
        if type.to is None or type.to.kind not in ("scalar", "enum"):
            raise TypeError(f"{name} points to {type.to or 'void'}, and is a number of the case: {self.function}")
        numbers = [scalar(name, type.to, each) for each in (given if isinstance(given, list) else [given])]
        return "P", self._keep(process, struct.pack(f"={len(numbers)}{type.to.code}", *numbers))

    def _tensor(self, process: HostProcess, parameter: CParameter, id: str) -> int:
        if _constant(parameter) and id in self.inputs:
            return self._keep(process, _as(self.inputs[id], parameter).tobytes())
        if id not in self.outputs:
            raise TypeError(f"{parameter.name} is an input, and not const: {self.function}")
        array = _as(np.zeros_like(self.outputs[id]), parameter)
        place = self._keep(process, array.tobytes())
        self.filled[id] = place, array
        return place

    def results(self, process: HostProcess) -> dict[str, np.ndarray]:
        """What the function has put into its outputs. ValueError for one that it has no parameter for."""
        if missing := [id for id in self.outputs if id not in self.filled]:
            raise ValueError(f"no parameter is for the output {missing[0]}: {self.function}")
        found = {}
        for id, (place, array) in self.filled.items():
            filled, own = np.frombuffer(process.read(place, array.nbytes), array.dtype), self.outputs[id]
            found[id] = (filled.view(own.dtype) if _shares_bits(own.dtype, array.dtype) else filled).reshape(own.shape)
        return found

    def _keep(self, process: HostProcess, data: bytes) -> int:
        self.places.append(process.keep(data))
        return self.places[-1]


def _constant(parameter: CParameter) -> bool:
    """Whether a pointer leads to what the function may not change."""
    return parameter.type.to is not None and parameter.type.to.constant


def _as(array: np.ndarray, parameter: CParameter) -> np.ndarray:
    """A packed array of the type that a pointer leads to; its shape may be another one."""
    packed, target = np.ascontiguousarray(array), parameter.type.to
    if target is None or target.name == "void":
        return packed
    if target.kind not in ("scalar", "enum"):
        raise TypeError(f"{parameter.name} points to {target}, which no tensor holds")
    wanted = np.dtype(target.code)
    if _shares_bits(packed.dtype, wanted):
        return packed.view(wanted)
    if packed.dtype.kind != "c" and (wanted.kind == "f" or np.can_cast(packed.dtype, wanted)):
        return packed.astype(wanted)
    raise TypeError(f"{parameter.name} points to {target}, and the case's tensor is of {packed.dtype}")


def _shares_bits(dtype: np.dtype[Any], wanted: np.dtype[Any]) -> bool:
    """Whether memory of one type is taken for the other's: pairs for complex numbers, integers of the same size."""
    if dtype.kind == "c":
        return wanted.kind == "f" and dtype.itemsize == 2 * wanted.itemsize
    return dtype.itemsize == wanted.itemsize and (dtype == wanted or wanted.kind in "biu")
