"""Families of devices in a table of measured times: what is free of each, and what a fit says of its device files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ...chip.device_file import read_device_file
from ...chip.edit import with_numbers
from ...launches.device import Device
from .cases import Cases, Free
from .correlation import Correlation, Simulated
from .fit import Fit, calibrate, centre_of
from .measured import Skipped


def families_of(found: Sequence[Simulated]) -> dict[str, str]:
    """Device -> family, its own name where its file names none."""
    names = {row.device.name for row in found}
    return {name: read_device_file(Device.file(name)).family or name for name in sorted(names)}


def free_numbers(given: Sequence[str], cases: Cases, families: Mapping[str, str]) -> list[Free]:
    """The free numbers: the ``given`` ones (for one family as FAMILY:NAME), else those of the cases.

    ValueError for a family that the table has not.
    """
    if not given:
        return list(cases.free)
    devices = {family: Device.load(name) for name, family in families.items()}
    free = []
    for text in given:
        family, colon, path = text.rpartition(":")
        if colon and family not in devices:
            raise ValueError(f"{family} is no family of the table; there are {', '.join(devices)}")
        chosen = [family] if colon else list(devices)
        known = {(number.family, number.number): number for number in cases.free}
        for name in chosen:
            centre = centre_of(path, devices[name].rates)
            free.append(known.get((name, path)) or Free(family=name, number=path, centre=centre))
    return free


def with_left_out(
    found: Correlation, simulated: Sequence[Simulated], skipped: Sequence[Skipped], cases: Cases
) -> tuple[Correlation, Fit | None]:
    """The same, and what rates fitted without its operator, and its board, predict for each case; the fit to all."""
    families = families_of(simulated)
    if not any(number.family in families.values() for number in cases.free):
        return found, None
    fit = calibrate(simulated, skipped, families, cases.free)
    seen = zip(found.cases, fit.after.cases, strict=True)
    return replace(found, cases=tuple(replace(case, left_out=other.left_out) for case, other in seen)), fit


def fitted_files(fit: Fit, families: Mapping[str, str], table: str) -> Iterator[tuple[str, str]]:
    """Name and text of the device files with the numbers that a fit to a ``table`` has found."""
    fitted = {p.family for p in fit.parameters}
    for name in Device.names():
        file = Device.file(name)
        family = read_device_file(file).family or name
        if family in fitted:
            yield f"{name}.toml", with_numbers(file.read_text(encoding="utf-8"), fit.facts(family, table))
