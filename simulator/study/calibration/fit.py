"""Finds the few free rates of a family of devices that bring simulated times next to measured ones.

A parameter is one number of the device files, equal on all devices of a family; there is no factor for a case. What is
known of it before any row is a centre and a spread, and rows and these take part in one sum of squares, of logarithms:

    sum over rows of ((log simulated - log measured) / error)^2
    + sum over numbers of ((log value - log centre) / log spread)^2

SciPy's least squares find where that is least, within what is physically possible. The derivatives of a time are the
shares of it that rest on each number along its critical path. The covariance is the inverse of J^T J, J being the
derivatives of all terms of the sum, and larger by as much as the rows miss more than their errors say; the standard
error of a number is the root of its place on the diagonal. A number that rows leave nearly as uncertain as it was is
put back to its centre, unless they rule that out, and the others are fitted once more. A fit without some of the rows
is made the same way, with the derivatives at the fit to all rows.

What the model gets wrong though its numbers are right follows from what the rows are missed by. How wide intervals have
to be is found by fits without each operator in turn: by how many standard deviations these miss its rows, the root of
the mean square over operators, the covariance and the model's error are scaled, both alike. Where an operator is left
out to be judged, only the others count for that.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...chip.device_file import Quantity
from ...timing import MODEL_ERROR
from .cases import Free
from .correlation import Correlation, Prediction, Simulated, comparison
from .family_fit import EXPECTED_ERROR, FamilyFit
from .measured import Skipped


@dataclass(frozen=True)
class FittedNumber:
    """A free number of a family, and what a fit says of it; ``paths`` are its places in device files.

    ``error`` and ``spread`` are factors: the value lies within one of ``after`` with the odds of a standard deviation,
    as it lay within the other of ``centre`` before. ``fitted`` is False where the rows say nothing of it, but perhaps
    that it is not ``centre``.
    """

    family: str
    paths: tuple[str, ...]
    centre: float
    spread: float
    why: str
    after: float
    error: float
    fitted: bool
    loadings: tuple[float, ...]  # by which its logarithm moves with the draws that all numbers of the fit share

    @property
    def path(self) -> str:
        """Its name: the first place."""
        return self.paths[0]


@dataclass(frozen=True)
class Fit:
    """What a calibration found."""

    parameters: tuple[FittedNumber, ...]
    model_errors: Mapping[str, float]  # family -> `model.error` of its device files
    before: Correlation
    after: Correlation  # its cases say what rates that were fitted without their operator, or board, predict

    def facts(self, family: str, table: str) -> dict[str, Quantity]:
        """The free numbers of a family as a device file holds them."""
        of = f"{table}, {sum(case.family == family for case in self.after.cases)} rows of this family"
        facts = {
            path: Quantity(
                float(f"{p.after:.4g}"), "fitted" if p.fitted else "assumed", _source(p, of), loadings=p.loadings
            )
            for p in self.parameters
            if p.family == family
            for path in p.paths
        }
        if (error := self.model_errors.get(family)) is not None:
            missed = f"what the fit misses, {percent(EXPECTED_ERROR)} counted as one row"
            source = f"{of}: {missed}, as wide as fits without an operator ask for"
            facts[MODEL_ERROR] = Quantity(float(f"{error:.4g}"), "fitted", source)
        return facts

    def to_dict(self) -> dict[str, Any]:
        """The fit as plain data."""
        return {
            "parameters": [
                {"family": p.family, "name": p.path, "also": p.paths[1:], "centre": p.centre, "spread": p.spread,
                 "after": p.after, "error": p.error, "fitted": p.fitted}
                for p in self.parameters
            ],
            "model_errors": {**self.model_errors},
            "before": self.before.to_dict(),
            "after": self.after.to_dict(),
        }  # fmt: skip


def _source(number: FittedNumber, of: str) -> str:
    """How a number is known after a fit."""
    if number.fitted:
        return f"{of}: standard error {percent(number.error)}"
    if number.after != number.centre:
        return f"{of}: they rule out {number.centre:.4g} and say no more"
    return number.why or "named by the user"


def percent(factor: float) -> str:
    """A factor by which a number may be off, as text."""
    return f"{100 * (factor - 1):.2g} %"


def calibrate(
    found: Sequence[Simulated],
    skipped: Sequence[Skipped],
    families: Mapping[str, str],
    free: Sequence[Free],
    *,
    left_out: bool = True,
) -> Fit:
    """Fit the ``free`` numbers of each family to the rows of its devices, and once more without each of `GROUPS`.

    ``families`` maps names of devices to families; ``left_out`` is False where fits without rows say nothing.
    ValueError when there is nothing to fit, and for a number that no device file can have.
    """
    parameters: list[FittedNumber] = []
    model_errors: dict[str, float] = {}
    after: dict[int, tuple[Prediction, dict[str, Prediction]]] = {}
    for family in dict.fromkeys(families.values()):
        rows = [row for row in found if families[row.device.name] == family]
        own = [number for number in free if number.family == family]
        if not own or not rows:
            continue
        fitted = FamilyFit(own, rows, generic=left_out)
        parameters += _parameters(fitted)
        if left_out:
            model_errors[family] = fitted.found.model_error
        for row, times in zip(rows, fitted.predictions(left_out=left_out), strict=True):
            after[id(row)] = times
    if not parameters:
        raise ValueError("no row of the table has a device of which a number is free; name some with --fit")
    before = [replace(comparison(row), family=families[row.device.name]) for row in found]
    cases = [
        replace(old, predicted=after[id(row)][0], left_out=after[id(row)][1]) if id(row) in after else old
        for row, old in zip(found, before, strict=True)
    ]
    both = (Correlation(tuple(cases), tuple(skipped)) for cases in (before, cases))
    return Fit(tuple(parameters), model_errors, *both)


def _parameters(fit: FamilyFit) -> list[FittedNumber]:
    """The free numbers of a family, fitted to all rows."""
    found = fit.found
    numbers = zip(fit.free, fit.centre, found.at, found.deviation, found.told, found.loadings.tolist(), strict=True)
    return [
        FittedNumber(
            number.family, number.numbers, math.exp(centre), number.spread, number.why, math.exp(at),
            math.exp(deviation), bool(told), _short(loadings),
        )
        for number, centre, at, deviation, told, loadings in numbers
    ]  # fmt: skip


def _short(loadings: Sequence[float]) -> tuple[float, ...]:
    """As a device file has them: three digits, and no zeros at the end."""
    digits = [float(f"{loading:.3g}") for loading in loadings]
    last = max((place for place, loading in enumerate(digits, 1) if loading), default=1)
    return tuple(digits[:last])
