"""How structures and enumerations of an image are laid out, as its debug information says."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from io import BytesIO
from pathlib import Path
from typing import Any

from ....isa.cached import cached_property
from .dwarf import DEEPEST, QUALIFIERS, STRUCTURES, base_code, enumerators, follow, number, text

_ALIASES = ("DW_TAG_typedef", *QUALIFIERS, "DW_TAG_reference_type", "DW_TAG_rvalue_reference_type")


@dataclass(frozen=True)
class Scalar:
    """A number: its type code of `struct` ("y": bfloat16) and its bytes."""

    code: str
    bytes: int


@dataclass(frozen=True)
class Enumeration:
    """An enumeration and the values of its names."""

    name: str
    bytes: int
    values: Mapping[str, int]


@dataclass(frozen=True)
class PointerType:
    """A pointer to elements of a type code ("v": void, "s": a structure, which ``target`` gives)."""

    code: str
    target: Callable[[], Type | None] = field(compare=False, repr=False)
    bytes: int = 8


@dataclass(frozen=True)
class Array:
    """An array inside a structure."""

    element: Type
    count: int

    @property
    def bytes(self) -> int:
        """Its bytes."""
        return self.element.bytes * self.count


@dataclass(frozen=True)
class Field:
    """A member of a structure, at a byte offset."""

    name: str
    offset: int
    type: Type


@dataclass(frozen=True)
class Structure:
    """A structure or union; members of what it inherits from, and of unnamed members, are among its own.

    ``others`` are members that cannot be set by name: bit-fields, and members of types that are not described.
    """

    name: str
    bytes: int
    fields: tuple[Field, ...]
    others: tuple[str, ...] = ()


Type = Scalar | Enumeration | PointerType | Array | Structure


class Layouts:
    """The types of an image: those of its kernels' parameters, and its structures by name.

    Debug information that cannot be read describes nothing: a source may put what it likes into its image.
    """

    def __init__(self, library: Path) -> None:
        self._library = library
        self._types: dict[int, Type | None] = {}

    def parameters(self, number: int) -> tuple[Type | None, ...]:
        """The types of a kernel's parameters, None for one that is not described; () where nothing is known."""
        try:
            return self._parameters(number)
        except Exception:  # whatever a stranger's debug information makes of the library that reads it
            return ()

    def _parameters(self, number: int) -> tuple[Type | None, ...]:
        entry = self._variables.get(f"mlusim_signature_{number}")
        kind = _stripped(follow(entry)) if entry is not None else None
        if kind is None:
            return ()
        packs = (child for child in kind.iter_children() if child.tag == "DW_TAG_GNU_template_parameter_pack")
        return tuple(self._type(follow(child)) for pack in packs for child in pack.iter_children())

    @cached_property
    def structures(self) -> dict[str, Structure]:
        """All structures of the source by their qualified names."""
        try:
            types = {name: self._type(entry) for name, entry in self._named}
        except Exception:  # as above
            return {}
        return {name: kind for name, kind in types.items() if isinstance(kind, Structure)}

    @cached_property
    def _top(self) -> list[Any]:
        from elftools.elf.elffile import ELFFile  # takes longer to import than most launches

        info = ELFFile(BytesIO(self._library.read_bytes())).get_dwarf_info()
        return [child for unit in info.iter_CUs() for child in unit.get_top_DIE().iter_children()]

    @cached_property
    def _variables(self) -> dict[str, Any]:
        return {text(entry): entry for entry in self._top if entry.tag == "DW_TAG_variable"}

    @cached_property
    def enumerators(self) -> dict[str, int]:
        """The values of the names of all enumerations that the source uses; without names that have two."""
        found: dict[str, set[int]] = {}
        with suppress(Exception):  # as above
            for _, entry in self._entries:
                if entry.tag == "DW_TAG_enumeration_type":
                    for name, value in enumerators(entry).items():
                        found.setdefault(name, set()).add(value)
        return {name: values.pop() for name, values in found.items() if len(values) == 1}

    @property
    def _named(self) -> Iterator[tuple[str, Any]]:
        """Structures, and other names of structures, with their namespaces."""
        for name, entry in self._entries:
            named = text(entry) and entry.tag in (*STRUCTURES, "DW_TAG_typedef")
            if named and "DW_AT_declaration" not in entry.attributes:
                yield name, entry

    @property
    def _entries(self) -> Iterator[tuple[str, Any]]:
        """What stands at the top or in a namespace of the source, with its name."""
        waiting = [("", entry) for entry in self._top]
        while waiting:
            home, entry = waiting.pop(0)
            name = text(entry)
            full = f"{home}::{name}" if home else name
            if entry.tag == "DW_TAG_namespace" and name not in ("std", "mlusim", "__gnu_cxx", "__cxxabiv1"):
                waiting += [(full, child) for child in entry.iter_children()]
            else:
                yield full, entry

    def _type(self, entry: Any) -> Type | None:
        """The type of an entry, None for one that cannot be set from Python."""
        alias, entry = text(entry) if entry is not None else "", _stripped(entry)
        if entry is None:
            return None
        if entry.offset not in self._types:
            self._types[entry.offset] = None  # until it is known: a structure that contains itself is none
            self._types[entry.offset] = self._read(entry)
        kind = self._types[entry.offset]
        return replace(kind, name=alias) if isinstance(kind, (Structure, Enumeration)) and not kind.name else kind

    def _read(self, entry: Any) -> Type | None:
        size = number(entry, "DW_AT_byte_size")
        if entry.tag == "DW_TAG_base_type":
            code = base_code(entry)
            return Scalar(code, size) if code else None
        if entry.tag == "DW_TAG_enumeration_type":
            return Enumeration(text(entry), size, enumerators(entry))
        if entry.tag == "DW_TAG_pointer_type":
            return self._pointer(follow(entry))
        if entry.tag == "DW_TAG_array_type":
            return self._array(entry)
        if entry.tag in STRUCTURES:
            if text(entry).startswith("Narrow<"):  # our own half and bfloat16, where the compiler has none
                return Scalar("y" if "Bfloat16" in text(entry) else "e", size)
            return self._structure(entry, size)
        return None

    def _pointer(self, to: Any) -> PointerType:
        target = _stripped(to)
        code = "v"
        if target is not None:
            code = "s"
            if target.tag in ("DW_TAG_base_type", *STRUCTURES) and isinstance(kind := self._basic(target), Scalar):
                code = kind.code
        return PointerType(code, lambda: self._type(to))

    def _basic(self, entry: Any) -> Type | None:
        """The type of a number; a structure is not looked into: it may be the one that is being read."""
        return self._type(entry) if entry.tag == "DW_TAG_base_type" or text(entry).startswith("Narrow<") else None

    def _array(self, entry: Any) -> Type | None:
        kind = self._type(follow(entry))
        for child in reversed([child for child in entry.iter_children() if child.tag == "DW_TAG_subrange_type"]):
            count = number(child, "DW_AT_count") or number(child, "DW_AT_upper_bound", -1) + 1
            kind = Array(kind, count) if kind is not None else None
        return kind

    def _structure(self, entry: Any, size: int) -> Structure:
        fields: list[Field] = []
        others: list[str] = []
        for child in entry.iter_children():
            if child.tag not in ("DW_TAG_member", "DW_TAG_inheritance") or "DW_AT_external" in child.attributes:
                continue
            name, offset, kind = text(child), number(child, "DW_AT_data_member_location"), self._type(follow(child))
            if "DW_AT_bit_size" in child.attributes or (kind is None and name):
                others.append(name)
            elif isinstance(kind, Structure) and not name:
                fields += [Field(inner.name, offset + inner.offset, inner.type) for inner in kind.fields]
                others += kind.others
            elif kind is not None and not name.startswith("_vptr"):
                fields.append(Field(name, offset, kind))
        return Structure(text(entry), size, tuple(fields), tuple(others))


def _stripped(entry: Any) -> Any:
    """A type without other names for it, qualifiers and references; None for void."""
    for _ in range(DEEPEST):
        if entry is None or entry.tag not in _ALIASES:
            return entry
        entry = follow(entry)
    return None
