"""Engines that work side by side have banks of local memory of their own."""

from ..finding import Finding
from ..rule import ADVICE, declare_rule

BANK = declare_rule("bank", "engines that work side by side use different banks of local memory", ADVICE)


def shared(name: str, other: str, bank: int, size: int, cycles: int) -> Finding:
    """Two commands of different engines in one section use a bank of ``size`` bytes, for so many cycles at most."""
    return Finding(
        BANK,
        f"{name} and {other} use bank {bank} of local memory in one section; taking turns costs up to {cycles:,} "
        "cycles, which no time here includes",
        instruction=name,
        suggestion=f"place their data {size:,} bytes apart, in different banks",
        provenance="inferred",
    )
