"""Entries of debug information: what they are called, and what leads from one to the next."""

from __future__ import annotations

from typing import Any

QUALIFIERS = ("DW_TAG_const_type", "DW_TAG_volatile_type", "DW_TAG_restrict_type")
STRUCTURES = ("DW_TAG_structure_type", "DW_TAG_class_type", "DW_TAG_union_type")
#: Names of types in a chain, at most: a damaged one may be a circle.
DEEPEST = 64
#: Names of base types that an encoding does not tell.
_NAMED = {"_Float16": "e", "half": "e", "__bf16": "y", "bool": "?", "_Bool": "?"}
#: DW_ATE_* -> type codes of `struct` by size.
_CODES = {2: " ?", 4: "  e f   d", 5: " bh i   q", 6: " bh i   q", 7: " BH I   Q", 8: " BH I   Q", 16: " BH I   Q"}


def follow(entry: Any) -> Any:
    """What an entry's type is; None for void."""
    return entry.get_DIE_from_attribute("DW_AT_type") if "DW_AT_type" in entry.attributes else None


def text(entry: Any, name: str = "DW_AT_name") -> str:
    """A text of an entry, "" where it has none."""
    found = entry.attributes.get(name)
    return str(found.value.decode(errors="backslashreplace")) if found else ""


def number(entry: Any, name: str, default: int = 0) -> int:
    """A number of an entry."""
    found = entry.attributes.get(name)
    return int(found.value) if found and isinstance(found.value, int) else default


def base_code(entry: Any) -> str:
    """The type code of `struct` of a base type ("y": bfloat16), "" for one that has none."""
    size, by_size = number(entry, "DW_AT_byte_size"), _CODES.get(number(entry, "DW_AT_encoding"), "")
    return _NAMED.get(text(entry)) or (by_size[size : size + 1].strip() if size else "")


def enumerators(entry: Any) -> dict[str, int]:
    """The values of an enumeration by their names."""
    return {text(child): number(child, "DW_AT_const_value") for child in entry.iter_children()}
