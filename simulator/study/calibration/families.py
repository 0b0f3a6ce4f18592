"""Families of devices in a table of measured times: what is free of each, and what a fit says of its device files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ...chip.device_file import read_device_file
from ...chip.edit import with_numbers
from ...launches.device import Device
from .correlation import Correlation, Simulated
from .fit import Fit, begins, calibrate
from .measured import Cases, Free, Skipped


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
        known = {(number.family, number.number): number.begin for number in cases.free}
        for name in chosen:
            begin = known.get((name, path)) or begins(path, devices[name].rates)
            free.append(Free(family=name, number=path, begin=begin, why="named by the user"))
    return free


def with_left_out(
    found: Correlation, simulated: Sequence[Simulated], skipped: Sequence[Skipped], cases: Cases
) -> tuple[Correlation, Fit | None]:
    """The same, and what rates fitted to all other cases of its family predict for each; and that fit to all."""
    families = families_of(simulated)
    fittable = [
        number
        for number in cases.free
        if sum(family == number.family for family in (families[row.device.name] for row in simulated))
        >= sum(other.family == number.family for other in cases.free)
    ]
    if not any(number.family in families.values() for number in fittable):
        return found, None
    fit = calibrate(simulated, skipped, families, fittable)
    seen = zip(found.cases, fit.after.cases, strict=True)
    return replace(found, cases=tuple(replace(case, left_out_us=other.left_out_us) for case, other in seen)), fit


def fitted_files(fit: Fit, families: Mapping[str, str], table: str) -> Iterator[tuple[str, str]]:
    """Name and text of the device files with the numbers that a fit to a ``table`` has found."""
    fitted = {p.family for p in fit.parameters}
    for name in Device.names("bang"):
        file = Device.file(name)
        family = read_device_file(file).family or name
        if family in fitted:
            yield f"{name}.toml", with_numbers(file.read_text(encoding="utf-8"), fit.facts(family, table))
