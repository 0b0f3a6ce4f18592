"""A reference in C or C++: a function of a source, called with what a case has by the names in its declaration."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..device import Device
from ..frontend.options import Options
from ..operators.build import build_operators
from ..operators.declarations import Function, Parameter, Type, read_functions
from ..operators.process import HostDied, HostProcess
from ..operators.scalars import scalar
from ..text import quoted


class NativeReference:
    """A function that says what is right, compiled and called in a process of its own.

    A pointer to what is ``const`` gets the input of its name, or the next one; another pointer the output of its name,
    or the next one, filled with zeros. Arrays are packed, and of the type that the pointer leads to: halves are
    converted for a ``float *``, bits stay for integers of their size. Numbers go by name; beside those of the case a
    tensor ``x`` has the number of its elements as ``x_count`` and its shape as ``x_dims`` and ``x_rank``. What the
    function returns is not looked at.
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
        process = self._process = self._process or HostProcess(self._library, self._device)
        call = _Call(self._function, self._numbers({**inputs, **outputs}, params), self._names)
        try:
            try:
                values = [call.argument(process, parameter, inputs, outputs) for parameter in self._function.parameters]
                process.call(self._function.symbol, "", values)
                return call.results(process, outputs)
            finally:
                process.drop(call.places)
        except HostDied as death:
            self._process = None
            raise RuntimeError(f"{self._function.name} {death}") from None

    def _numbers(self, tensors: Mapping[str, np.ndarray], params: Mapping[str, Any]) -> dict[str, Any]:
        found = {**params, **{self._names.get(name, name): value for name, value in params.items()}, **self._more}
        for id, array in tensors.items():
            for name in {id, self._names.get(id, id)}:
                found |= {f"{name}_count": array.size, f"{name}_rank": array.ndim, f"{name}_dims": list(array.shape)}
        return found


@dataclass
class _Call:
    """The arguments of one call: host memory that it has, and the outputs in it."""

    function: Function
    numbers: Mapping[str, Any]
    names: Mapping[str, str]
    places: list[int] = field(default_factory=list)
    filled: dict[str, tuple[int, np.ndarray]] = field(default_factory=dict)
    bound: set[str] = field(default_factory=set)

    def argument(
        self, process: HostProcess, parameter: Parameter, inputs: Mapping[str, np.ndarray],
        outputs: Mapping[str, np.ndarray],
    ) -> tuple[str, Any]:  # fmt: skip
        """The type code and value of an argument."""
        name, type = parameter.name, parameter.type
        target = type.to if type.kind == "pointer" else None
        if type.kind in ("scalar", "enum") and name in self.numbers:
            return type.code, scalar(name, type, self.numbers[name])
        if type.kind != "pointer":
            raise TypeError(f"the case has no number {name}; --set {name}=VALUE gives one: {self.function}")
        if target is not None and name in self.numbers:
            given = self.numbers[name]
            numbers = [scalar(name, target, each) for each in (given if isinstance(given, list) else [given])]
            return "P", self._keep(process, struct.pack(f"={len(numbers)}{target.code}", *numbers))
        constant = target is not None and target.constant
        id = self._tensor(name, inputs if constant else outputs)
        if constant:
            return "P", self._keep(process, _as(inputs[id], target, name).tobytes())
        array = _as(np.zeros_like(outputs[id]), target, name)
        place = self._keep(process, array.tobytes())
        self.filled[id] = place, array
        return "P", place

    def results(self, process: HostProcess, outputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """What the function has put into its outputs. ValueError for one that it has no parameter for."""
        if missing := [id for id in outputs if id not in self.filled]:
            raise ValueError(f"no parameter is for the output {missing[0]}: {self.function}")
        found = {}
        for id, (place, array) in self.filled.items():
            filled, own = np.frombuffer(process.read(place, array.nbytes), array.dtype), outputs[id]
            found[id] = (filled.view(own.dtype) if _shares_bits(own.dtype, array.dtype) else filled).reshape(own.shape)
        return found

    def _tensor(self, name: str, tensors: Mapping[str, np.ndarray]) -> str:
        """The tensor that a pointer is for."""
        left = [id for id in tensors if id not in self.bound]
        found = next((id for id in left if name in (id, self.names.get(id))), None) or next(iter(left), None)
        if found is None:
            raise ValueError(f"the case has no tensor left for {name}: {self.function}")
        self.bound.add(found)
        return found

    def _keep(self, process: HostProcess, data: bytes) -> int:
        self.places.append(process.keep(data))
        return self.places[-1]


def _as(array: np.ndarray, target: Type | None, name: str) -> np.ndarray:
    """A packed array of the type that a pointer leads to; its shape may be another one."""
    packed = np.ascontiguousarray(array)
    if target is None or target.name == "void":
        return packed
    if target.kind not in ("scalar", "enum"):
        raise TypeError(f"{name} points to {target}, which no tensor holds")
    wanted = np.dtype(target.code)
    if _shares_bits(packed.dtype, wanted):
        return packed.view(wanted)
    if packed.dtype.kind != "c" and (wanted.kind == "f" or np.can_cast(packed.dtype, wanted)):
        return packed.astype(wanted)
    raise TypeError(f"{name} points to {target}, and the case's tensor is of {packed.dtype}")


def _shares_bits(dtype: np.dtype[Any], wanted: np.dtype[Any]) -> bool:
    """Whether memory of one type is taken for the other's: pairs for complex numbers, integers of the same size."""
    if dtype.kind == "c":
        return wanted.kind == "f" and dtype.itemsize == 2 * wanted.itemsize
    return dtype.itemsize == wanted.itemsize and (dtype == wanted or wanted.kind in "biu")
