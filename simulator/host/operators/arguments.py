"""The arguments of one call: what is given by name, put where the declaration wants it."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ...checks.after_run import Given
from ...frames import Buffer
from ...text import quoted
from .declarations import CParameter, Function, Type
from .process import HostProcess
from .scalars import scalar
from .tensors import Extent, HostTensor, as_tensor, is_tensor, numbers, prefix, setter

_TO_DEVICE, _TO_HOST = 0, 2  # cnrtMemTransDir_t
_HANDLE = "Handle_t"
_DESCRIPTOR = "Descriptor_t"
_WORKSPACE = "workspace"


@dataclass(frozen=True)
class Opaque:
    """Something of the library's that Python only passes on: a descriptor, a plan."""

    type: str
    address: int


class _Lent(NamedTuple):
    """Memory that an array has for a call: on the device, and on the host beside the library."""

    address: int
    place: int
    extent: Extent
    written: bool


class Host:
    """A library in its process: its functions, and the handles and the queue that all calls share."""

    def __init__(self, process: HostProcess, functions: Mapping[str, Function]) -> None:
        self.process, self.functions = process, functions
        self._handles: dict[str, int] = {}
        self._queue = 0

    def ask(self, name: str, *arguments: tuple[str, Any]) -> int:
        """Call a function of the runtime or the library that says how it went; ValueError when it did not."""
        function = self.functions.get(name)
        status = self.process.call(function.symbol if function else name, "i", arguments)
        if status:
            raise ValueError(f"{name} has failed with {status}; see what it printed")
        return int(status)

    def made(self, name: str, *arguments: tuple[str, Any]) -> int:
        """What a function puts where its first argument points to: an address."""
        place = self.process.keep(bytes(8))
        self.ask(name, ("P", place), *arguments)
        address = int.from_bytes(self.process.read(place, 8), "little")
        self.process.drop([place])
        return address

    def queue(self) -> int:
        """The queue that all calls use."""
        self._queue = self._queue or self.made("cnrtQueueCreate")
        return self._queue

    def handle(self, type: Type) -> int:
        """The handle of a library, with the queue in it."""
        if type.name not in self._handles:
            start = prefix(type, _HANDLE)
            handle = self._handles[type.name] = self.made(f"{start}Create")
            self.ask(f"{start}SetQueue", ("P", handle), ("P", self.queue()))
        return self._handles[type.name]


class HostCall:
    """The arguments of a call. What it takes goes with `release`."""

    def __init__(self, host: Host, function: Function, given: Mapping[str, Any]) -> None:
        """TypeError or ValueError for what does not fit; what has been taken by then is released."""
        self._host, self._function, self._given = host, function, given
        self._blocks: list[int] = []
        self._memory: dict[int, _Lent] = {}  # by array
        self._scratch: list[int] = []
        self._descriptors: list[tuple[str, int]] = []
        self._back: list[tuple[CParameter, int, np.ndarray | None]] = []
        self.used: set[str] = set()
        self.values: list[tuple[str, Any]] = []
        try:
            for at, parameter in enumerate(function.parameters):
                self.values.append(self._argument(at, parameter))
        except BaseException:
            self.release()
            raise

    def results(self) -> dict[str, Any]:
        """Copy results into the arrays; what the function has put where other pointers of it lead."""
        process = self._host.process
        for address, place, extent, written in self._memory.values():
            if written and extent.size:
                self._host.ask("cnrtMemcpy", ("P", place), ("P", address), ("Q", extent.size), ("i", _TO_HOST))
                extent.store(process.read(place, extent.size))
        found: dict[str, Any] = {}
        for parameter, place, array in self._back:
            if array is not None:
                np.copyto(array, np.frombuffer(process.read(place, array.nbytes), array.dtype).reshape(array.shape))
                continue
            target = parameter.type.to
            assert target is not None
            code = "P" if target.kind == "opaque" else target.code
            value = struct.unpack(f"={code}" if code != "P" else "=Q", process.read(place, _size(code)))[0]
            found[parameter.name] = Opaque(target.name, value) if target.kind == "opaque" else value
        return found

    def arrays(self) -> Iterator[Given]:
        """The arrays that lie in device memory in the order of their elements, as they are on the host."""
        for name, value in self._given.items():
            tensor = as_tensor(value)
            if tensor is None or id(tensor.array) not in self._memory:
                continue
            address, _, extent, written = self._memory[id(tensor.array)]
            array = tensor.array
            if extent.packed:
                key = self._host.process.key(address)
                yield Given(name, name, key, array.shape, array.dtype, written, False, partial(np.asarray, array))

    def release(self) -> None:
        """Free what the call has taken."""
        for address, *_ in self._memory.values():
            self._host.ask("cnrtFree", ("P", address))
        for address in self._scratch:
            self._host.ask("cnrtFree", ("P", address))
        for name, address in self._descriptors:
            self._host.ask(name, ("P", address))
        self._host.process.drop(self._blocks)
        self._memory, self._scratch, self._descriptors, self._blocks = {}, [], [], []

    def _argument(self, at: int, parameter: CParameter) -> tuple[str, Any]:
        name, type = parameter.name, parameter.type
        if is_tensor(type):
            return "P", self._described(at, parameter)
        if name in self._given:
            self.used.add(name)
            return self._value(parameter, self._given[name])
        if type.kind == "opaque" and type.name.endswith(_HANDLE):
            return "P", self._host.handle(type)
        if type.kind == "opaque" and type.name.endswith(_DESCRIPTOR):
            return "P", self._set_up(parameter)
        if type.kind == "pointer" and type.to is not None and is_tensor(type.to):
            return "P", self._described_list(parameter)
        if (
            type.kind == "pointer"
            and type.to is not None
            and not type.to.constant
            and type.to.kind in ("scalar", "enum", "opaque")
        ):
            place = self._keep(bytes(8))
            self._back.append((parameter, place, None))
            return "P", place
        if _is_size(parameter) or (_WORKSPACE in name and type.kind == "pointer"):
            return self._workspace(parameter)
        raise TypeError(f"{self._function.name} needs {name}: {self._function}")

    def _value(self, parameter: CParameter, value: Any) -> tuple[str, Any]:
        name, type = parameter.name, parameter.type
        if type.kind in ("scalar", "enum"):
            return type.code, scalar(name, type, value)
        if value is None:
            return "P", None
        if isinstance(value, Opaque):
            if type.kind == "opaque" and type.name != value.type:
                raise TypeError(f"{name} is a {value.type}; pass a {type.name}")
            return "P", value.address
        tensor = as_tensor(value)
        typed = type.kind == "pointer" and type.to is not None and type.to.kind in ("scalar", "enum")
        if typed and not self._is_described(name):
            return "P", self._host_memory(parameter, value if tensor is None else tensor.array)
        if type.kind != "pointer":
            raise TypeError(
                f"{name} is {quoted(value)}; pass a {type.name} that a function of the library has returned"
            )
        if type.to is not None and type.to.kind == "pointer" and isinstance(value, (list, tuple)):
            entries = [as_tensor(each) for each in value]
            addresses = [self._device(name, entry.array, not _constant(type.to)) if entry else 0 for entry in entries]
            return "P", self._keep(struct.pack(f"={len(addresses)}Q", *addresses))
        if isinstance(value, (np.generic, bytes)):
            return "P", self._keep(value if isinstance(value, bytes) else value.tobytes())
        if tensor is None:
            raise TypeError(f"{name} is {quoted(value)}; pass an array, a NumPy scalar for host memory, or None")
        return "P", self._device(name, tensor.array, not _constant(type))

    def _described(self, at: int, parameter: CParameter) -> int | None:
        """A tensor descriptor for the array that goes with it: the one of its name, or of the next parameter's."""
        names = [parameter.name, *_stems(parameter.name)]
        following = self._function.parameters[at + 1 : at + 2]
        names += [each.name for each in following if each.type.kind == "pointer" and each.type.to in (None, _VOID)]
        found = next((name for name in names if name in self._given), None)
        if found is None:
            raise TypeError(f"{self._function.name} needs {names[1] if len(names) > 1 else names[0]}: {self._function}")
        self.used.add(found)
        value = self._given[found]
        if value is None:
            return None
        if isinstance(value, Opaque):
            return value.address
        tensor = as_tensor(value)
        if tensor is None:
            raise TypeError(f"{found} is {quoted(value)}; pass an array")
        return self._descriptor(parameter.type, tensor)

    def _is_described(self, name: str) -> bool:
        """Whether a parameter is a tensor, which lies on the device: another one is its descriptor."""
        return any(is_tensor(each.type) and name in _stems(each.name) for each in self._function.parameters)

    def _described_list(self, parameter: CParameter) -> int:
        names = [parameter.name, *_stems(parameter.name)]
        found = next((name for name in names if isinstance(self._given.get(name), (list, tuple))), None)
        if found is None:
            raise TypeError(f"{self._function.name} needs a list of arrays {names[-1]}: {self._function}")
        self.used.add(found)
        entries = [as_tensor(each) for each in self._given[found]]
        assert parameter.type.to is not None
        made = [self._descriptor(parameter.type.to, entry) if entry else 0 for entry in entries]
        return self._keep(struct.pack(f"={len(made)}Q", *made))

    def _descriptor(self, type: Type, tensor: HostTensor) -> int:
        start = prefix(type)
        function = setter(self._host.functions, start)
        layout, dtype = numbers(tensor, function)
        extent = Extent.of(tensor.array)
        address = self._host.made(f"{start}CreateTensorDescriptor")
        self._descriptors.append((f"{start}DestroyTensorDescriptor", address))
        lists: list[Sequence[int]] = [tensor.array.shape, extent.strides]
        if len(function.parameters) < 6 and not extent.packed:
            raise ValueError(f"{function.name} takes no strides; pass a contiguous array")
        code = function.parameters[4].type.to.code if function.parameters[4].type.to else "i"
        places = [
            self._keep(struct.pack(f"={len(each)}{code}", *each)) for each in lists[: len(function.parameters) - 4]
        ]
        self._host.ask(
            function.name, ("P", address), ("i", layout), ("i", dtype), ("i", tensor.array.ndim),
            *(("P", place) for place in places),
        )  # fmt: skip
        return address

    def _set_up(self, parameter: CParameter) -> int:
        """A descriptor of the operator's own, made and set by the library's functions for it with what is given."""
        own, functions = parameter.type.name.removesuffix(_DESCRIPTOR), self._host.functions
        # Of mluOpNmsDescriptor_t the functions are mluOpCreateNmsDescriptor and so on: find where the verb stands.
        verbs = {
            verb: [f"{own[:at]}{verb}{own[at:]}Descriptor" for at in range(len(own))]
            for verb in ("Create", "Set", "Destroy")
        }
        found = {verb: next((name for name in names if name in functions), None) for verb, names in verbs.items()}
        if not found["Create"] or not found["Set"]:
            raise TypeError(f"{self._function.name} needs {parameter.name}: {self._function}")
        address = self._host.made(found["Create"])
        if found["Destroy"]:
            self._descriptors.append((found["Destroy"], address))
        setting = functions[found["Set"]]
        call = HostCall(
            self._host, setting, {**self._given, setting.parameters[0].name: Opaque(parameter.type.name, address)}
        )
        try:
            self._host.ask(setting.name, *call.values)
        finally:
            call.release()
        self.used |= call.used
        return address

    def _device(self, name: str, array: np.ndarray, written: bool) -> int:
        """The device memory of an array; one that is passed twice has it once."""
        if written and not array.flags.writeable:
            raise ValueError(f"{name} is read-only, and {self._function.name} may write it; pass a copy")
        if id(array) in self._memory:
            lent = self._memory[id(array)]
            self._memory[id(array)] = lent._replace(written=lent.written or written)
            return lent.address
        extent = Extent.of(array)
        address = self._host.made("cnrtMalloc", ("Q", max(extent.size, 1)))
        place = self._keep(extent.data()) if extent.size else 0
        self._memory[id(array)] = _Lent(address, place, extent, written)
        if extent.size:
            self._host.ask("cnrtMemcpy", ("P", address), ("P", place), ("Q", extent.size), ("i", _TO_DEVICE))
        return address

    def _host_memory(self, parameter: CParameter, value: Any) -> int:
        """Numbers in host memory, from a list or an array; those of an array come back."""
        type = parameter.type.to
        assert type is not None
        if isinstance(value, str) and type.code == "b":
            return self._keep(value.encode() + b"\0")
        if isinstance(value, np.ndarray):
            if not type.constant:
                place = self._keep(np.ascontiguousarray(value).tobytes())
                self._back.append((parameter, place, value))
                return place
            value = value.reshape(-1).tolist()
        entries = list(value) if isinstance(value, (list, tuple)) else [value]
        packed = [scalar(f"{parameter.name}[{at}]", type, each) for at, each in enumerate(entries)]
        return self._keep(struct.pack(f"={len(packed)}{type.code}", *packed))

    def _workspace(self, parameter: CParameter) -> tuple[str, Any]:
        """The workspace, and its bytes: those that are given, or else what the library says it needs."""
        if not hasattr(self, "_bytes"):
            sizes = (each for each in self._function.parameters if each.name in self._given and _is_size(each))
            given = next(sizes, None)
            self._bytes = (
                scalar(given.name, given.type, self._given[given.name]) if given else self._workspace_bytes(parameter)
            )
        if parameter.type.kind != "pointer":
            return parameter.type.code, self._bytes
        if not self._bytes:
            return "P", None
        address = self._host.made("cnrtMalloc", ("Q", self._bytes))
        self._scratch.append(address)
        return "P", address

    def _workspace_bytes(self, parameter: CParameter) -> int:
        name = self._function.name
        handle = next((each.type for each in self._function.parameters if each.type.name.endswith(_HANDLE)), None)
        start = prefix(handle, _HANDLE) if handle else ""
        own, _, version = name.removeprefix(start).partition("_v")
        wanted = [f"{start}Get{own}WorkspaceSize{end}" for end in (f"_v{version}" if version else "", "", "_v2")]
        function = next((self._host.functions[each] for each in wanted if each in self._host.functions), None)
        if function is None:
            raise TypeError(f"{name} needs {parameter.name}, and no source defines {wanted[0]}; pass an array of bytes")
        call = HostCall(self._host, function, self._given)
        try:
            self._host.ask(function.name, *call.values)
            return int(next(iter(call.results().values())))
        finally:
            call.release()

    def _keep(self, data: Buffer) -> int:
        place = self._host.process.keep(data)
        self._blocks.append(place)
        return place


_VOID = Type("other", "void", constant=True)


def _is_size(parameter: CParameter) -> bool:
    """Whether a parameter is the number of bytes of a workspace."""
    return _WORKSPACE in parameter.name and parameter.type.kind != "pointer" and parameter.type.code in ("Q", "q")


def _constant(type: Type) -> bool:
    return type.to is not None and type.to.constant


def _size(code: str) -> int:
    return struct.calcsize("=Q" if code == "P" else f"={code}")


def _stems(name: str) -> list[str]:
    """What a descriptor's parameter is of, by its name."""
    for mark in ("_descs", "_desc", "_descriptor", "Desc"):
        if name.endswith(mark):
            return [name.removesuffix(mark)]
    return [name.removeprefix("desc_")] if name.startswith("desc_") else []
