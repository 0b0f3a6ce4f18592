"""What the functions of a library take, read from its debug information."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

from ...engines.tasks.dwarf import DEEPEST, QUALIFIERS, STRUCTURES, base_code, enumerators, follow, number, text


@dataclass(frozen=True)
class Type:
    """A type: ``kind`` is "scalar" (``code`` of `struct`), "enum" (``values`` of its names), "pointer" (to ``to``, None
    for void), "opaque" (a pointer to a structure, by which host code means a handle) or "other".
    """

    kind: str
    name: str = ""
    code: str = ""
    constant: bool = False
    to: Type | None = None
    values: Mapping[str, int] | None = None

    def __str__(self) -> str:
        if self.kind == "pointer":
            return f"{self.to or 'void'}{'*' if str(self.to or '').endswith('*') else ' *'}"
        return f"{'const ' if self.constant else ''}{self.name}"


@dataclass(frozen=True)
class CParameter:
    """A parameter of a function."""

    name: str
    type: Type


@dataclass(frozen=True)
class Function:
    """A function of a library; ``result`` is None for void."""

    name: str
    symbol: str
    result: Type | None
    parameters: tuple[CParameter, ...]

    def __str__(self) -> str:
        listed = ", ".join(f"{parameter.type} {parameter.name}".replace("* ", "*") for parameter in self.parameters)
        return f"{self.result or 'void'} {self.name}({listed})"


def read_functions(library: Path) -> dict[str, Function]:
    """The functions that a library defines for others, outside of any namespace, by name."""
    from elftools.elf.elffile import ELFFile  # takes longer to import than most calls

    functions: dict[str, Function] = {}
    file = ELFFile(BytesIO(library.read_bytes()))
    table: Any = file.get_section_by_name(".dynsym")
    symbols = {symbol.name for symbol in table.iter_symbols() if symbol["st_shndx"] != "SHN_UNDEF"}
    for unit in file.get_dwarf_info().iter_CUs():
        known: dict[int, Type] = {}
        for entry in unit.get_top_DIE().iter_children():
            if entry.tag == "DW_TAG_subprogram":
                found = _function(entry, known, symbols)
                if found:
                    functions.setdefault(found.name, found)
    return functions


def encode(functions: Mapping[str, Function]) -> str:
    """Functions as text, for a cache."""
    return json.dumps([asdict(function) for function in functions.values()])


def decode(text: str) -> dict[str, Function]:
    """Functions from such a text."""
    return {entry["name"]: _decoded(entry) for entry in json.loads(text)}


def _decoded(entry: dict[str, Any]) -> Function:
    parameters = tuple(CParameter(each["name"], _type_of(each["type"])) for each in entry["parameters"])
    result = None if entry["result"] is None else _type_of(entry["result"])
    return Function(entry["name"], entry["symbol"], result, parameters)


def _type_of(entry: dict[str, Any]) -> Type:
    return Type(**{**entry, "to": None if entry["to"] is None else _type_of(entry["to"])})


def _function(entry: Any, known: dict[int, Type], symbols: set[str]) -> Function | None:
    if "DW_AT_external" not in entry.attributes or "DW_AT_low_pc" not in entry.attributes:
        return None
    described = (
        entry.get_DIE_from_attribute("DW_AT_specification") if "DW_AT_specification" in entry.attributes else entry
    )
    name = text(described)
    symbol = text(described, "DW_AT_linkage_name") or name
    if not name or symbol not in symbols:
        return None
    children = [child for child in entry.iter_children() if child.tag == "DW_TAG_formal_parameter"]
    parameters = tuple(
        CParameter(text(child) or f"argument_{number}", _read(follow(child), known))
        for number, child in enumerate(children)
    )
    result = follow(described)
    return Function(name, symbol, None if result is None else _read(result, known), parameters)


def _read(entry: Any, known: dict[int, Type]) -> Type:
    """The type of an entry; names of types are kept where they are the outermost."""
    name, constant = "", False
    for _ in range(DEEPEST):
        if entry is None:
            return Type("other", "void")
        if entry.tag == "DW_TAG_typedef":
            name = name or text(entry)
        elif entry.tag in QUALIFIERS:
            constant |= entry.tag == "DW_TAG_const_type"
        else:
            break
        entry = follow(entry)
    if entry is None:
        return Type("other", name or "void", constant=constant)
    if entry.tag == "DW_TAG_pointer_type":
        return _pointer(entry, name, constant, known)
    own = name or text(entry)
    if entry.tag == "DW_TAG_base_type":
        code = base_code(entry).strip("ey")  # halves are not passed by value
        return Type("scalar" if code else "other", own, code, constant)
    if entry.tag == "DW_TAG_enumeration_type":
        code = {1: "B", 2: "H", 8: "Q"}.get(number(entry, "DW_AT_byte_size"), "i")
        return Type("enum", own, code, constant, values=enumerators(entry))
    return Type("other", own or entry.tag.removeprefix("DW_TAG_").removesuffix("_type"), constant=constant)


def _pointer(entry: Any, name: str, constant: bool, known: dict[int, Type]) -> Type:
    target = follow(entry)
    bare, target_constant = target, False
    for _ in range(DEEPEST):
        if bare is None or bare.tag not in (*QUALIFIERS, "DW_TAG_typedef"):
            break
        target_constant |= bare.tag == "DW_TAG_const_type"
        bare = follow(bare)
    if bare is None:
        return Type("pointer", name, to=Type("other", "void", constant=True) if target_constant else None)
    if bare.tag in STRUCTURES:
        return Type("opaque", name or f"{text(bare)} *", "P", constant)
    if entry.offset not in known:
        known[entry.offset] = Type("pointer", name)  # until it is known: a pointer to itself is one to nothing
        known[entry.offset] = Type("pointer", name, to=_read(target, known))
    return known[entry.offset]
