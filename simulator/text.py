"""How values are written for people: sizes, and text that others chose, with what a terminal would obey spelled out."""

from __future__ import annotations

import difflib
import math
import reprlib
import sys
from collections.abc import Iterable, Sequence

#: Characters of a value that a message quotes.
_LONGEST = 160
#: Characters of a name that is compared with the known ones.
_SENSIBLE = 100
#: Elements of an array that it quotes.
_FEW = 64


def printable(text: str, keep: str = "\n\t") -> str:
    """The text with every character that is not for reading as its Python escape, but for those in ``keep``.

    Escape sequences, other control characters, marks that turn the direction of writing and bytes that are no text
    (surrogates) cannot reach a terminal so.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in keep else c.encode("unicode_escape").decode() for c in text)


def quoted(value: object) -> str:
    """A value as a message quotes it: its ``repr`` on one line, shortened where it is long."""
    if isinstance(value, int) and value.bit_length() > 512:  # Python refuses to write the longest
        return f"a number of {value.bit_length()} bits"
    numpy = sys.modules.get("numpy")  # where it is not imported, there are no arrays
    if numpy and isinstance(value, numpy.ndarray) and value.size > _FEW:  # NumPy takes seconds for many dimensions
        return f"an array of {value.dtype} with shape {list(value.shape)}"
    short = reprlib.Repr()
    short.maxstring = short.maxother = short.maxlong = _LONGEST
    try:
        return printable(short.repr(value), keep="")
    except Exception:  # whatever the repr of a stranger's class raises
        return f"a {type(value).__name__}"


def nearest(name: str, names: Iterable[str]) -> str:
    """A phrase with the name most like a misspelt one; "" when none is."""
    near = difflib.get_close_matches(name[:_SENSIBLE], list(names), 1)
    return f" (did you mean {near[0]!r}?)" if near else ""


def listed(parts: Sequence[str]) -> str:
    """Some words or phrases as a list: "a, b and c"; "" for none."""
    return " and ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))


def between(low: float, high: float) -> str:
    """From where to where a number lies, to three digits of the larger one."""
    digits = max(0, 2 - math.floor(math.log10(max(abs(low), abs(high), 1e-3))))
    return f"{low:,.{digits}f} to {high:,.{digits}f}"


def size(count: float) -> str:
    """Bytes in the largest binary unit that loses nothing worth seeing."""
    value = float(count)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if value < 1024 or unit == "GiB":
            break
        value /= 1024
    return f"{value:,.0f} {unit}" if value == int(value) else f"{value:,.1f} {unit}"


def percent(share: float) -> str:
    """A share of 0..1 in percent."""
    return f"{100 * share:.0f} %" if share == 0 or share >= 0.1 else f"{100 * share:.1f} %"
