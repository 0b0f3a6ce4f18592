"""What a launch leaves, beside the function that its kernel is named after."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import ml_dtypes
import numpy as np

from ..checks.after_run import Given, holds_numbers, touched_arrays
from ..checks.functions import IN_FILE, Input, Likeness, Problem, functions_of, likeness
from ..checks.results import Expectations, differing, limit_of, offset_of, wrong_results
from ..findings import ADVICE, Finding, rules
from ..log import Log
from .repeatable import RepeatableLaunch
from .variants import Meant

_Named = list[tuple[Given, Likeness]]
#: Rules that suspect a tile of being used at a wrong address, or with a wrong count.
_OF_TILES = (rules.tiles.PARTIAL, rules.tiles.SHIFTED, rules.tiles.LEFTOVER, rules.tiles.OVERRUN)


@dataclass(frozen=True)
class Refuted:
    """The findings that are refuted by arrays with the ``right`` results; ``whole``: the kernel writes no others."""

    right: Sequence[Given]
    whole: bool

    def __contains__(self, finding: Finding) -> bool:
        if finding.rule in _OF_TILES:
            return self.whole and finding.severity == ADVICE
        at = finding.region.offset if finding.rule == rules.left_out.UNWRITTEN and finding.region else -1
        return any(offset_of(array) <= at < offset_of(array) + array.bytes for array in self.right)


def as_named(launched: RepeatableLaunch, meant: Meant) -> tuple[list[Finding], tuple[str, ...], Refuted]:
    """The findings of results that are not what is meant; which arrays are, in words; and what these refute."""
    log, before = launched.log, launched.reruns.before
    arrays = [one for one in launched.arrays if one.dtype.kind in "fiubc" or one.dtype == ml_dtypes.bfloat16]
    touched = [*touched_arrays(log, arrays)]
    written = [one.array for one in touched if one.writes(one.array)]
    overwritten = frozenset(one.array.name for one in touched if one.is_made and not one.is_added_to)
    held = [(array, before.of(array)) for array in arrays]
    inputs = [Input(array.name, values) for array, values in held if array not in written or holds_numbers(values)]
    found: _Named = []
    failed: dict[str, str] = {}
    name = meant.function or _called(log)

    def like_of(array: Given, limit: float) -> Likeness | None:
        problem = Problem(tuple(inputs), array.shape, meant.numbers, meant.flags, array.name, overwritten)
        try:
            return likeness(name, problem, array.contents(), limit, asked=bool(meant.function))
        except (ArithmeticError, LookupError, MemoryError, TypeError, ValueError) as error:  # what numbers do not allow
            failed[array.name] = f"{array.name} is not compared with what {name} says: {error}"
            return None

    limits = {array.name: limit_of(array, arrays, log) for array in written}
    for array in written:
        if like := like_of(array, limits[array.name]):
            found.append((array, like))
    found = _as_precise(found, limits, like_of)
    right = [array for array, like in found if like.exact]
    equal = (*(f"{array.name} is {like.formula.text}" for array, like in found if like.exact), *failed.values())
    if meant.function and not equal and not found:
        equal = (f"not compared with {meant.function}: no form of it has as many elements as an array that is written",)
    refuted = Refuted(right, whole=len(right) == len(written) > 0)
    return [_finding(log, *one) for one in _unlike(found)], equal, refuted


def _as_precise(
    found: _Named, limits: Mapping[str, float], like_of: Callable[[Given, float], Likeness | None]
) -> _Named:
    """The same, each as precise as its type is, if another result of this type is: all are computed alike.

    A launch with arrays of a less precise type may compute in that: ``limits`` are how far results may be off then.
    """
    own = {array.name: Expectations({}).limit(array.dtype) for array, _ in found}
    exact = [
        array for array, like in found
        if like.exact and array.dtype.kind == "f" and array.dtype.itemsize > 2 and own[array.name] < limits[array.name]
    ]  # fmt: skip
    if len(exact) < 2:
        return found
    closer = {array.name: like_of(array, own[array.name]) for array in exact}
    types = {array.dtype for array in exact if (one := closer[array.name]) and one.exact}
    return [(array, closer.get(array.name) or like) if array.dtype in types else (array, like) for array, like in found]


def _called(log: Log) -> str:
    """What a kernel is called: also after the file that most of its lines are in, if its own name says no function."""
    lines = Counter(one.file for one in log.locations if one.line)
    if functions_of(log.kernel) or not lines:
        return log.kernel
    return f"{log.kernel}{IN_FILE}{Path(lines.most_common(1)[0][0]).name.partition('.')[0]}"


def _unlike(found: _Named) -> Iterator[tuple[Given, Likeness]]:
    """The results that are nearest to a function, of those that have to be like it.

    Beside right ones these are larger than they: what a kernel computes besides is smaller than its result, unless
    kernels of this name compute nothing besides.
    """
    right = max((array.count for array, like in found if like.exact), default=0)
    telling = [(array, like) for array, like in found if like.telling and (array.count > right or like.of_all_results)]
    if telling:
        yield min(telling, key=lambda one: len(one[1].wrong) / one[0].count)


def _finding(log: Log, array: Given, like: Likeness) -> Finding:
    right = like.formula.values.reshape(array.shape)
    found = differing(array, like.wrong, array.contents(), right.real.astype(np.float64))
    by_another = like.asked or not functions_of(log.kernel)
    said = rules.results.unlike_name(like.function, like.formula.text, found, like.certain, by_another)
    where = wrong_results([log], [array], Expectations({array.title: right}))
    if not where:
        return replace(said, kernel=log.kernel)
    one = where[0]
    return replace(
        said, kernel=log.kernel, location=one.location, instruction=one.instruction, core=one.core, task=one.task,
        region=one.region, trail=one.trail if like.near else (),
    )  # fmt: skip
