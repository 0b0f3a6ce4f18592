"""A test case: the tensors and numbers of one call of an operator, and how near its results have to be."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

from .textformat import Message, Word, parse

_DTYPES: Mapping[str, Any] = {
    "HALF": np.float16, "FLOAT": np.float32, "DOUBLE": np.float64, "BFLOAT16": ml_dtypes.bfloat16, "INT8": np.int8,
    "INT16": np.int16, "INT32": np.int32, "INT64": np.int64, "UINT8": np.uint8, "UINT16": np.uint16,
    "UINT32": np.uint32, "UINT64": np.uint64, "BOOL": np.bool_, "COMPLEX64": np.complex64,
    "COMPLEX_FLOAT": np.complex64,
}  # fmt: skip
#: Random numbers that are drawn at a time: they are wider than what becomes of them.
_PIECE = 1 << 18
_VALUES = ("value_f", "value_i", "value_l", "value_ui", "value_ul", "value_h")
#: What is no tensor and no parameter of the operator.
_AROUND = frozenset(
    ["op_name", "op_type", "input", "output", "test_param", "handle_param", "case_name", "device",
     "supported_mlu_platform", "evaluation_criterion", "evaluation_threshold"]
)  # fmt: skip
_CRITERIA = (("error_func", "error_threshold", "error_threshold_imag"),
             ("evaluation_criterion", "evaluation_threshold", "evaluation_threshold_imag"))  # fmt: skip


@dataclass(frozen=True)
class TensorSpec:
    """A tensor of a case: ``dims`` and ``strides`` in elements (empty: packed), its layout and dtype by name."""

    id: str
    dims: tuple[int, ...]
    strides: tuple[int, ...]
    layout: str
    dtype: str
    message: Message

    def array(self, folder: Path, seed: int) -> np.ndarray:
        """An array with the values of the case. ValueError for what it says that is not known."""
        dtype = np.dtype(self._dtype)
        strides = (
            self.strides or tuple(np.cumprod([1, *self.dims[:0:-1]], dtype=np.int64)[::-1].tolist())[: len(self.dims)]
        )
        count = 0 if 0 in self.dims else 1 + sum((n - 1) * s for n, s in zip(self.dims, strides, strict=True))
        elements = self._elements(count, dtype, folder, seed)
        return np.lib.stride_tricks.as_strided(elements, self.dims, [stride * dtype.itemsize for stride in strides])

    @property
    def _dtype(self) -> Any:
        if self.dtype not in _DTYPES:
            raise ValueError(f"{self.id} is of dtype {self.dtype}, which is not known")
        return _DTYPES[self.dtype]

    def _elements(self, count: int, dtype: np.dtype[Any], folder: Path, seed: int) -> np.ndarray:
        message = self.message
        name = next((name for name in _VALUES if message.all(name)), None)
        if name:
            values = _numbers(message.all(name), dtype, name)
            if values.size < count:
                raise ValueError(f"{self.id} has {values.size} values for {count} elements")
            return values[:count].copy()
        if message.one("path"):
            data = np.fromfile(folder / message.one("path"), dtype)
            if data.size < count:
                raise ValueError(f"{message.one('path')} holds {data.size} elements of {self.id}, which has {count}")
            return data[:count]
        if message.one("random_data") is not None:
            return _random(message.one("random_data"), count, dtype, seed)
        return np.zeros(count, dtype)


@dataclass(frozen=True)
class Criterion:
    """How far a result may be off: a measure, such as "diff1", and the largest value of it."""

    measure: str
    limit: float
    limit_imag: float | None = None


@dataclass(frozen=True)
class OperatorCase:
    """One test case: a file of it."""

    path: Path
    operator: str
    inputs: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]
    params: Mapping[str, Any]
    criteria: tuple[tuple[Criterion, ...], ...]  # of each output


def read_case(path: Path) -> OperatorCase:
    """Read a case in protobuf's text format. ValueError says what in it is not understood."""
    try:
        message = parse(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not text") from None
    except ValueError as error:
        raise ValueError(f"{path}, {error}") from None
    if not message.all("input") and not message.all("output"):
        raise ValueError(f"{path} has neither input nor output: it is no test case")
    inputs, outputs = (_unique([_spec(entry, path) for entry in message.all(name)]) for name in ("input", "output"))
    try:
        criteria = tuple(_criteria(message, output) for output in outputs)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    return OperatorCase(path, str(message.one("op_name", "")), inputs, outputs, _params(message), criteria)


def _spec(entry: Any, path: Path) -> TensorSpec:
    if not isinstance(entry, Message):
        raise ValueError(f"{path}: a tensor is {entry!r}")
    shape = entry.one("shape", Message())
    dims, strides = tuple(shape.all("dims")), tuple(shape.all("dim_stride"))
    if strides and len(strides) != len(dims):
        raise ValueError(f"{path}: {entry.one('id')} has {len(dims)} dims and {len(strides)} strides")
    if not all(isinstance(dim, int) and dim >= 0 for dim in dims):
        raise ValueError(f"{path}: {entry.one('id')} has dims {list(dims)}; they are whole numbers from 0 on")
    layout, dtype = str(entry.one("layout", "LAYOUT_ARRAY")), str(entry.one("dtype", "DTYPE_FLOAT"))
    return TensorSpec(
        str(entry.one("id", "")), dims, strides, layout.removeprefix("LAYOUT_"), dtype.removeprefix("DTYPE_"), entry
    )


def _params(message: Message) -> dict[str, Any]:
    """The numbers of a case by name, those of nested messages too; a repeated field is a list."""
    found: dict[str, Any] = {}
    for name, values in message.items():
        if name in _AROUND:
            continue
        for value in values:
            if isinstance(value, Message):
                found.update(_params(value))
        if not isinstance(values[-1], Message):
            found[name] = values if len(values) > 1 else values[0]
    return found


def _criteria(message: Message, output: TensorSpec) -> tuple[Criterion, ...]:
    """The criteria of an output: measures of the case, with its own thresholds if it has some."""
    for place in (message.one("test_param", Message()), message):
        for names in _CRITERIA:
            measures, limits, imaginary = (place.all(name) for name in names)
            if not measures:
                continue
            if own := output.message.one("thresholds"):
                limits, imaginary = (own.all(f"evaluation_threshold{end}") for end in ("", "_imag"))
            if len(limits) < len(measures):
                raise ValueError(f"{output.id} has {len(limits)} thresholds for {len(measures)} measures")
            each = [*imaginary, *[None] * len(measures)]
            return tuple(
                Criterion(str(measure).lower(), float(limit), None if imag is None else float(imag))
                for measure, limit, imag in zip(measures, limits, each, strict=False)
            )
    return ()


def _unique(specs: list[TensorSpec]) -> tuple[TensorSpec, ...]:
    """Tensors of one id get a number from the second on."""
    seen: dict[str, int] = {}
    found = []
    for spec in specs:
        count = seen[spec.id] = seen.get(spec.id, 0) + 1
        found.append(spec if count == 1 else replace(spec, id=f"{spec.id}_{count}"))
    return tuple(found)


def _numbers(values: list[Any], dtype: np.dtype[Any], name: str) -> np.ndarray:
    """Values as the case writes them; those of value_h are the bits of a number in hexadecimal."""
    if name == "value_h":
        bits = [int(str(value), 16) for value in values]
        unsigned = np.dtype(f"u{dtype.itemsize if dtype.kind != 'c' else dtype.itemsize // 2}")
        return np.array(bits, np.uint64).astype(unsigned).view(dtype)
    if dtype.kind == "c":
        return np.array(values, np.float32).view(np.complex64)
    return np.array(values).astype(dtype)


def _random(message: Message, count: int, dtype: np.dtype[Any], seed: int) -> np.ndarray:
    """Random values of the case's seed: the same ones in each run, not those of another tool's generator."""
    generator = np.random.default_rng([int(message.one("seed", 0)), seed])
    draw: Callable[..., Any]
    distribution = str(message.one("distribution", Word("UNIFORM")))
    if distribution == "UNIFORM":
        bounds = [
            message.one(f"{end}_bound_double", message.one(f"{end}_bound", value))
            for end, value in (("lower", -1.0), ("upper", 1.0))
        ]
        low, high = min(bounds), max(bounds)
        if dtype.kind in "iu":
            draw = partial(generator.integers, int(low), max(int(high), int(low) + 1), dtype=np.int64)
        else:
            draw = partial(generator.uniform, low, high)
    elif distribution == "GAUSSIAN":
        mu, sigma = (
            message.one(f"{name}_double", message.one(name, value)) for name, value in (("mu", 0.0), ("sigma", 1.0))
        )
        draw = partial(generator.normal, mu, sigma)
    elif distribution == "BINOMIAL":
        draw = partial(generator.integers, 0, 2)
    else:
        raise ValueError(f"the distribution {distribution} is not known; it has UNIFORM, GAUSSIAN and BINOMIAL")
    values = np.empty(count, dtype)
    numbers = values.view(np.float32) if dtype.kind == "c" else values
    for at in range(0, len(numbers), _PIECE):
        piece = numbers[at : at + _PIECE]
        piece[...] = draw(size=len(piece))
    return values
