"""Whether the rates of a device come back from the rows of a suite for cards."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from mlusim.simulator.study.calibration import calibrate, read_cases, read_table
from mlusim.simulator.study.calibration.correlation import simulate
from mlusim.simulator.study.calibration.families import families_of, free_numbers
from mlusim.simulator.study.calibration.numbers import bounds, changed_rates

#: A standard error by which the fit names a number as one that the rows hardly tell.
UNSURE = 1.2
#: What changes no time by more than a fifth of its own change may be named as well, if it is not much.
DECIDES, CHANGE = 0.02, 1.1


def check_rates_come_back(
    table: Path, suite: Path, unseen: Collection[str], most: int, bounded: Collection[str] = ()
) -> None:
    """Times are those of rates up to twice or half of what the device file says, from which the fit begins.

    ``unseen`` are numbers that the rows do not tell and the fit has to name, ``most`` how many others it may. Of those
    that are ``bounded`` by something slower it may find the least that changes no time.
    """
    cases = read_cases(suite)
    found, skipped = simulate(read_table(table), cases)
    assert not skipped
    families, rates = families_of(found), found[0].device.rates
    free = free_numbers([], cases, families)
    generator, truth = np.random.default_rng(1), {}
    for number in free:
        low, high = bounds(number.number, rates)
        truth[number.number] = float(np.clip(number.centre * 2 ** generator.uniform(-1, 1), low, high))

    def times(changes: dict[str, float]) -> np.ndarray:
        changed = changed_rates(rates, truth | changes)
        return np.array([row.us(changed) for row in found])

    us = times({})
    measured = [
        replace(row, measurement=replace(row.measurement, us=value))
        for row, value in zip(found, us.tolist(), strict=True)
    ]
    fit = calibrate(measured, skipped, families, free, left_out=False)
    assert set(truth) == {p.path for p in fit.parameters}
    named = {p.path for p in fit.parameters if not p.fitted or p.error > UNSURE}
    wrong = {p.path: p.after / truth[p.path] for p in fit.parameters if p.path not in named}
    for path in {*bounded} & {*wrong}:
        least = truth[path] * wrong.pop(path)
        assert least < truth[path] * 1.05, path
        assert times({path: least}) == pytest.approx(us, rel=0.01), path
    assert {path: ratio for path, ratio in wrong.items() if abs(ratio - 1) > 0.05} == {}
    assert set(unseen) <= named
    others = named - set(unseen)
    for path in others:
        assert np.abs(times({path: truth[path] * CHANGE}) / us - 1).max() < DECIDES, path
    assert len(others) <= most, others
