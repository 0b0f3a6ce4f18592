"""Which points are measured, in which order: all of them, or those that look best by what is known."""

from __future__ import annotations

import math
import random
from collections.abc import Generator, Mapping, Sequence
from typing import Any

from .runners import Result
from .table import Column

#: Gives numbers of points, some at a time, and is sent their results.
Search = Generator[Sequence[int], Mapping[int, Result], None]

#: Points that are chosen at a time, whatever the number of workers: results come in any order, and the choices must not
#: depend on that.
_BATCH = 8
#: After so many proposals that are known already, points are drawn at random.
_KNOWN = 64


def every_point(count: int) -> Search:
    """All points."""
    yield range(count)


def best_points(columns: Sequence[Column], trials: int, seed: int) -> Search:
    """Up to so many points, chosen for the least ``us`` by Optuna; ValueError when it is not there.

    The same results in the same order lead to the same points. Points that fail count as the worst.
    """
    try:
        import optuna
    except ImportError:
        raise ValueError("to choose among many variants takes Optuna: pip install optuna") from None
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed, n_startup_trials=2 * _BATCH))
    space = {name: _distribution(optuna, values) for name, values in columns}
    known: dict[int, Result] = {}
    order = list(range(math.prod(len(values) for _, values in columns)))
    random.Random(seed).shuffle(order)
    while len(known) < min(trials, len(order)):
        asked: dict[int, Any] = {}
        repeated = 0
        while len(asked) < min(_BATCH, trials - len(known), len(order) - len(known)) and repeated < _KNOWN:
            trial = study.ask(space)
            number = _number(columns, [trial.params[name] for name, _ in columns])
            if number in known or number in asked:
                _tell(optuna, study, trial, known.get(number, {}))
                repeated += 1
            else:
                asked[number] = trial
        fresh = iter(number for number in order if number not in known and number not in asked)
        while not asked:
            asked[next(fresh)] = None
        known |= yield list(asked)
        for number, trial in asked.items():
            if trial is not None:
                _tell(optuna, study, trial, known[number])


def _distribution(optuna: Any, values: Sequence[Any]) -> Any:
    """The places of a list of values: in order for numbers, in none for others."""
    if all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values):
        return optuna.distributions.IntDistribution(0, len(values) - 1)
    return optuna.distributions.CategoricalDistribution(range(len(values)))


def _number(columns: Sequence[Column], places: Sequence[int]) -> int:
    """The number of a point, as `points_of` counts them."""
    number = 0
    for (_, values), place in zip(columns, places, strict=True):
        number = number * len(values) + place
    return number


def _tell(optuna: Any, study: Any, trial: Any, result: Result) -> None:
    if "us" in result:
        study.tell(trial, math.log(max(result["us"], 1e-12)))
    else:
        study.tell(trial, state=optuna.trial.TrialState.PRUNED)
