"""An attribute that is computed when it is first asked for, and kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

Value = TypeVar("Value")


class cached_property(Generic[Value]):  # noqa: N801 - named like its model
    """`functools.cached_property` as it is from Python 3.12 on.

    That of 3.11 takes a lock of the whole class while it computes: threads wait for each other, and a child that is
    forked meanwhile waits for ever.
    """

    def __init__(self, compute: Callable[[Any], Value]) -> None:
        self.func, self.__doc__, self.name = compute, compute.__doc__, ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> cached_property[Value]: ...
    @overload
    def __get__(self, instance: object, owner: type | None = None) -> Value: ...
    def __get__(self, instance: object | None, owner: type | None = None) -> Any:
        """The value, which stands in the object's dictionary from now on."""
        if instance is None:
            return self
        return instance.__dict__.setdefault(self.name, self.value_of(instance))

    def value_of(self, instance: Any) -> Value:
        """The value for an object that has none yet."""
        return self.func(instance)
