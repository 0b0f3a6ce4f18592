"""Puts numbers into the text of a device file; its comments and everything else stay."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from .device_file import Quantity

_TABLE = re.compile(r"^\[([\w.]+)\]\s*(?:#.*)?$")


def with_numbers(text: str, numbers: Mapping[str, Quantity]) -> str:
    """The text of a device file with numbers set, by their dotted paths; a new one comes last in its table.

    ValueError when the file has no such table, or the number stands in another way than on a line of its own.
    """
    lines = text.split("\n")
    for path, quantity in numbers.items():
        table, _, key = path.rpartition(".")
        begin = next((n for n, line in enumerate(lines) if (m := _TABLE.match(line)) and m[1] == table), None)
        if begin is None:
            raise ValueError(f"the device file has no table [{table}]")
        end = next((n for n in range(begin + 1, len(lines)) if _TABLE.match(lines[n])), len(lines))
        held = [n for n in range(begin + 1, end) if re.match(r"\s*[\w.]+\s*=", lines[n])]
        place = next((n for n in held if re.match(rf"\s*{re.escape(key)}\s*=", lines[n])), None)
        new = f"{key} = {_quantity(quantity)}"
        if place is None:
            lines.insert((held[-1] if held else begin) + 1, new)
        elif lines[place].rstrip().endswith("}"):
            lines[place] = new
        else:
            raise ValueError(f"{path} spans several lines of the device file; write it on one")
    return "\n".join(lines)


def _quantity(quantity: Quantity) -> str:
    spread = "" if quantity.spread is None else f"spread = {quantity.spread:.3g}, "
    if quantity.loadings:
        spread = f"loadings = {json.dumps(quantity.loadings)}, "
    source = json.dumps(quantity.source, ensure_ascii=False)
    return f'{{ value = {quantity.value!r}, kind = "{quantity.kind}", {spread}source = {source} }}'
