"""Devices that tests share."""

from __future__ import annotations

from functools import cache

from mlusim.simulator import Device

#: Eight clusters of four cores, and no rules of alignment.
USUAL = "mlu370-x4"


@cache
def device(name: str = USUAL) -> Device:
    """A device, loaded once a process."""
    return Device.load(name)
