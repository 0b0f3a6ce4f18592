"""What a function makes of the elements of arrays, as loops: it is called once, with arrays that note what is done.

Where it asks whether something holds for all elements, the loops are those for yes, and that is tested first. One that
looks at elements in another way, at how many there are or at how they lie has none, and needs Python.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from ....isa import Partial
from ...structures import header
from .loops import loop_of
from .steps import NotNativeError

_HEADER = header("runtime/ports.h")
LoopKind = _HEADER.enumeration("mlusim_loop_kind", "MLUSIM_")
#: The types of elements in native code, by their names.
ELEMENTS = {
    name.lower(): int(kind) for name, kind in _HEADER.enumeration("mlusim_element", "MLUSIM_").__members__.items()
}


class Elements(NamedTuple):
    """An operand's, for a function that takes them as an array."""

    dtype: np.dtype


class LoopValue(NamedTuple):
    """Elements that loops take and make: of an operand, of a part that is kept from loop to loop, or one for all."""

    dtype: np.dtype
    operand: str = ""
    number: str = ""  # an argument of the call
    constant: bytes = b""
    part: int = -1


class Loop(NamedTuple):
    """One pass over elements: of NumPy's at an address with its data, a cast, a choice, a look-up, a test, or `exp`.

    A test makes nothing: its output is its input, of which all have to hold.
    """

    kind: int
    inputs: tuple[LoopValue, ...]
    output: LoopValue
    function: int = 0
    data: int = 0


class _Traced(NDArrayOperatorsMixin):
    """An array of which only the type of its elements is known, or a number of the call, whose type is a Python one."""

    def __init__(self, trace: _Trace, said: np.dtype | type, value: Callable[[np.dtype], LoopValue]) -> None:
        self._trace, self._said = trace, said
        self._value: Callable[[np.dtype], LoopValue] = value

    @property
    def dtype(self) -> np.dtype:
        if isinstance(self._said, type):
            raise NotNativeError("its semantics asks for the type of a number")
        return self._said

    def astype(self, dtype: Any) -> _Traced:
        return self._trace.cast(self, np.dtype(dtype))

    @property
    def itemsize(self) -> int:
        return self.dtype.itemsize

    def all(self) -> bool:
        return self._trace.require(self)

    def take(self, positions: Any) -> _Traced:
        return self._trace.look_up(self, positions)

    def view(self, dtype: Any) -> _Traced:
        wanted, value = np.dtype(dtype), self._value(self.dtype)
        if wanted.itemsize != self.dtype.itemsize:
            raise NotNativeError("its semantics asks for parts of elements")
        return _Traced(self._trace, wanted, lambda _: value._replace(dtype=wanted))

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> _Traced:
        if method != "__call__" or options:
            raise NotNativeError(f"its semantics calls {ufunc.__name__}.{method}")
        return self._trace.apply(ufunc, inputs)

    def __array_function__(self, function: Any, types: Any, given: Any, named: Any) -> Any:
        if function is np.where and len(given) == 3:
            return self._trace.choose(*given)
        if function is np.ones_like and len(given) == 1:
            return given[0].dtype.type(1)
        raise NotNativeError(f"its semantics calls {function.__name__}")

    def __getattr__(self, name: str) -> Any:
        raise NotNativeError(f"its semantics asks for {name}")

    def __bool__(self) -> bool:
        raise NotNativeError("its semantics looks at elements")

    def __len__(self) -> int:
        raise NotNativeError("its semantics asks how many elements there are")


class _Trace:
    """The loops of one function."""

    def __init__(self) -> None:
        self.loops: list[Loop] = []
        self.tests: list[Loop] = []

    def argument(self, name: str, given: Any) -> Any:
        """What a function is called with."""
        if isinstance(given, Elements):
            return _Traced(self, given.dtype, lambda wanted: LoopValue(given.dtype, operand=name))
        if isinstance(given, type):
            return _Traced(self, given, lambda wanted: _number(name, given, wanted))
        return given

    def value(self, given: Any, dtype: np.dtype) -> LoopValue:
        """Something as elements of a type."""
        if isinstance(given, _Traced):
            if isinstance(given._said, np.dtype) and given._said != dtype:
                given = self.cast(given, dtype)
            found: LoopValue = given._value(dtype)
            return found
        _said(given)
        return LoopValue(dtype, constant=np.asarray(given).astype(dtype).tobytes())

    def apply(self, ufunc: np.ufunc, inputs: tuple[Any, ...]) -> _Traced:
        """The loop of a ufunc, behind casts of its inputs."""
        found = loop_of(ufunc, [_said(one) for one in inputs])
        if found is None:
            raise NotNativeError(f"NumPy has no loop of its own for {ufunc.__name__}")
        values = tuple(self.value(one, dtype) for one, dtype in zip(inputs, found.inputs, strict=True))
        return self._made(LoopKind.NUMPY, values, found.output, found.function, found.data)

    def cast(self, array: _Traced, dtype: np.dtype) -> _Traced:
        """Elements of another type, by the rules of C."""
        if array.dtype == dtype:
            return array
        _require_casts(array.dtype, dtype)
        return self._made(LoopKind.CAST, (array._value(array.dtype),), dtype)

    def choose(self, condition: _Traced, one: Any, other: Any) -> _Traced:
        """`numpy.where`."""
        if _said(condition) != np.bool_:
            raise NotNativeError("its semantics chooses by what is no condition")
        dtype = np.where(np.ones(1, bool), _example(one), _example(other)).dtype
        values = condition._value(condition.dtype), self.value(one, dtype), self.value(other, dtype)
        return self._made(LoopKind.CHOICE, values, dtype)

    def require(self, condition: _Traced) -> bool:
        """Whether a condition holds for all elements: it does, or there are no loops."""
        value = condition._value(condition.dtype)
        if value.dtype != np.bool_ or value.part < 0:
            raise NotNativeError("its semantics tests what is no condition")
        self.tests.append(Loop(LoopKind.TEST, (value,), value))
        return True

    def look_up(self, table: _Traced, positions: Any) -> _Traced:
        """The elements of an operand at some positions; what is done with one that it lacks, a test has to say."""
        held = table._value(table.dtype)
        if not held.operand or not isinstance(positions, _Traced) or positions.dtype.kind != "u":
            raise NotNativeError("its semantics looks up what is no operand, or by numbers with a sign")
        return self._made(LoopKind.LOOK_UP, (held, positions._value(positions.dtype)), held.dtype)

    def _made(self, kind: int, inputs: tuple[LoopValue, ...], dtype: np.dtype, *loop: int) -> _Traced:
        output = LoopValue(dtype, part=len(self.loops))
        self.loops.append(Loop(kind, inputs, output, *loop))
        return _Traced(self, dtype, lambda wanted: output)


def loops_of(function: Callable[..., Any], given: Mapping[str, Any], target: LoopValue) -> list[Loop]:
    """The loops of a function: tests and what they take, then those of which the last one makes ``target``.

    ``given`` are `Elements` of operands, types of Python for numbers of the call, and anything else as it is; a ufunc
    takes them in order, other functions by name. NotNativeError says why there are none.
    """
    trace = _Trace()
    arguments = {name: trace.argument(name, one) for name, one in given.items()}
    try:
        made = function(*arguments.values()) if isinstance(function, np.ufunc) else function(**arguments)
        if isinstance(made, Partial):
            made = _whole(made, trace.tests)
        found = trace.value(made, target.dtype)
    except (AttributeError, OverflowError, TypeError, ValueError) as error:
        raise NotNativeError(f"its semantics is no chain of loops: {error}") from error
    tested = [*_needed(trace.loops, [test.output for test in trace.tests]), *trace.tests]
    loops = _needed(trace.loops, [found])
    if loops and loops[-1].output == found:
        return _rounded([*tested, *loops[:-1], loops[-1]._replace(output=target)])
    _require_casts(found.dtype, target.dtype)
    return _rounded([*tested, *loops, Loop(LoopKind.CAST, (found,), target)])


def _whole(made: Partial, tests: Sequence[Loop]) -> Any:
    """The new values of a target of which some rows are written: all of them, where that has been tested."""
    rows = made.rows
    if made.doubt or not isinstance(rows, _Traced) or rows._value(rows.dtype) not in [test.output for test in tests]:
        raise NotNativeError("what it reads decides what it writes")
    return made.values


def _rounded(loops: Sequence[Loop]) -> list[Loop]:
    """The loops, with each exponential of doubles that all become floats as one that need only round to the same."""
    exact = loop_of(np.exp, [np.dtype(np.float64)])

    def rounds(value: LoopValue) -> bool:
        takers = [loop for loop in loops if value.part >= 0 and value.part in {one.part for one in loop.inputs}]
        return bool(takers) and all(
            (loop.kind == LoopKind.CAST and loop.output.dtype == np.float32)
            or (loop.kind == LoopKind.CHOICE and rounds(loop.output))
            for loop in takers
        )

    def is_exponential(loop: Loop) -> bool:
        return exact is not None and loop.kind == LoopKind.NUMPY and loop.function == exact.function

    return [
        loop._replace(kind=LoopKind.EXP)
        if is_exponential(loop) and loop.inputs[0].part >= 0 and rounds(loop.output)
        else loop
        for loop in loops
    ]


def _needed(loops: Sequence[Loop], values: Sequence[LoopValue]) -> list[Loop]:
    """Those of the loops that some values are made by."""
    wanted, found = {value.part for value in values}, list[Loop]()
    for loop in reversed(loops):
        if loop.output.part in wanted:
            wanted.update(value.part for value in loop.inputs)
            found.insert(0, loop)
    return found


def shared(loops: Sequence[Loop], most: int) -> list[Loop]:
    """The loops with as few parts as will do: one is free again behind the last loop that takes it."""
    last = {value.part: at for at, loop in enumerate(loops) for value in loop.inputs if value.part >= 0}
    places, free = dict[int, int](), list(range(most))
    made = []
    for at, loop in enumerate(loops):
        inputs = tuple(one._replace(part=places.get(one.part, -1)) for one in loop.inputs)
        output = loop.output
        if loop.kind == LoopKind.TEST:
            (output,) = inputs
        elif output.part >= 0:
            if not free:
                raise NotNativeError("its semantics keeps too many arrays")
            places[output.part] = free.pop(0)
            output = output._replace(part=places[output.part])
        made.append(loop._replace(inputs=inputs, output=output))
        free += [places[part] for part in {one.part for one in loop.inputs} if last.get(part) == at]
    return made


def _number(name: str, said: type, wanted: np.dtype) -> LoopValue:
    """A number of the call as an element; native code has it as a whole number or as a double."""
    if wanted.kind not in ("iub" if said is int else "fV"):
        raise NotNativeError(f"native code does not make {name} a {wanted.name}")
    return LoopValue(wanted, number=name)


def _require_casts(from_: np.dtype, to: np.dtype) -> None:
    """Native code has the types, and C leaves no choice: what a float beyond a wide natural number becomes is open."""
    for dtype in (from_, to):
        if dtype.name not in ELEMENTS:
            raise NotNativeError(f"native code casts no {dtype.name}")
    if to.kind == "u" and to.itemsize > 2 and from_.kind not in "biu":
        raise NotNativeError(f"native code casts no {from_.name} to {to.name}")


def _said(one: Any) -> np.dtype | type:
    """What NumPy's rules of types ask of an input."""
    if isinstance(one, _Traced):
        return one._said
    if isinstance(one, (np.ndarray, np.generic)):
        if one.ndim:
            raise NotNativeError("its semantics makes arrays of its own")
        return one.dtype
    return np.dtype(bool) if isinstance(one, bool) else type(one)


def _example(one: Any) -> Any:
    """An array or number like one."""
    if not isinstance(one, _Traced):
        return one
    return one._said(1) if isinstance(one._said, type) else np.ones(1, one._said)
