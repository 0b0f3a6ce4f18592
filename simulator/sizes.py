"""How sizes and shares are written for people."""

from __future__ import annotations


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
