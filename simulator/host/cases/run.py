"""One test case: the operator is called, its results are measured against a reference."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...checks.results import Expectations
from ...findings import ERROR, WARNING, Finding, KernelError, MlusimError, rules
from ...launches.repeats import NONE, Repeats
from ..operators.program import CallError, OperatorProgram
from ..operators.tensors import Extent, HostTensor, as_tensor
from ..programs.report import Launched
from .binding import bind, renamed
from .case import OperatorCase
from .measures import measure

#: From a case's inputs and numbers by name, and its outputs to fill: the outputs that are right.
Reference = Callable[..., Any]
#: Arguments of the call by name, from a case's inputs, outputs and numbers by name.
Arguments = Callable[[dict[str, np.ndarray], dict[str, np.ndarray], Mapping[str, Any]], dict[str, Any]]


@dataclass(frozen=True)
class OutputDifference:
    """A measure of one output, and how large it may be."""

    output: str
    measure: str
    value: float
    limit: float

    @property
    def passed(self) -> bool:
        """Whether it is within the limit."""
        return self.value <= self.limit


@dataclass(frozen=True)
class CaseOutcome:
    """What has come of a case: "passed", "failed" (``why``) or "error" when it could not be run."""

    case: OperatorCase
    result: str
    why: str = ""
    differences: tuple[OutputDifference, ...] = ()
    findings: tuple[Finding, ...] = ()
    time_us: float = 0.0
    wall_s: float = 0.0
    outputs: Mapping[str, np.ndarray] = field(default_factory=dict, repr=False)
    launches: tuple[Launched, ...] = field(default=(), repr=False)
    tried: Mapping[str, str] = field(default_factory=dict)  # by kernels, what launches were compared with


@dataclass(frozen=True)
class CasePlan:
    """How cases are run: which function, what its parameters are called in cases, what is right."""

    entry: str
    reference: Reference | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    arguments: Arguments | None = None
    more: Mapping[str, Any] = field(default_factory=dict)  # numbers and names that the cases do not give
    keep_logs: bool = False  # whether outcomes hold the logs of launches
    repeats: Repeats = NONE  # what each launch is compared with
    strict: bool = False  # whether warnings fail a case


def run_case(program: OperatorProgram, case: OperatorCase, plan: CasePlan) -> CaseOutcome:
    """Run a case. What is wrong with it or with the operator is in the outcome."""
    began = time.perf_counter()

    def outcome(result: str, why: str = "", **more: Any) -> CaseOutcome:
        return CaseOutcome(case, result, why, wall_s=time.perf_counter() - began, **more)

    try:
        inputs = _arrays(case.inputs, case, 0)
        outputs = _arrays(case.outputs, case, len(case.inputs))
        given = _given(program, case, plan, inputs, outputs)
        before = {spec.id: array.copy() for spec, array in zip(case.inputs, inputs, strict=True) if plan.reference}
        called = program.invoke(
            plan.entry, given, "collect", strict=plan.arguments is not None, keep_logs=plan.keep_logs,
            repeats=plan.repeats,
        )  # fmt: skip
    except KernelError as error:
        return outcome("failed", str(error), findings=tuple(error.run.findings) if error.run else (error.finding,))
    except CallError as error:
        return outcome("failed", str(error), findings=error.called.findings if error.called else ())
    except (ValueError, TypeError, OSError, MemoryError) as error:
        return outcome("error", str(error))
    results = {spec.id: array for spec, array in zip(case.outputs, outputs, strict=True)}
    done: dict[str, Any] = {
        "findings": called.findings, "time_us": called.time_us, "outputs": results, "launches": called.launches,
        "tried": called.tried,
    }  # fmt: skip
    failing = (ERROR, WARNING) if plan.strict else (ERROR,)
    broken = next((finding for of in failing for finding in called.findings if finding.severity == of), None)
    if broken is not None:
        return outcome("failed", f"{broken.rule}: {broken.message}", **done)
    if plan.reference is None:
        return outcome("ran", "no reference was named", **done)
    try:
        right = _right(case, plan.reference, before, results)
        differences = _compared(case, right, results)
    except Exception as error:  # the user's own function
        return outcome("error", f"the reference failed: {type(error).__name__}: {error}", **done)
    if not differences:
        return outcome("error", "the case names no measure for its outputs", **done)
    worst = next((entry for entry in differences if not entry.passed), None)
    why = (
        "" if worst is None else f"{worst.measure} of {worst.output} is {worst.value:.3g}, the limit {worst.limit:.3g}"
    )
    if worst is not None:
        done["findings"] += _traced(program, case, plan, right, worst.limit)
    return outcome("failed" if why else "passed", why, differences=differences, **done)


def _arrays(specs: Sequence[Any], case: OperatorCase, first: int) -> list[np.ndarray]:
    return [spec.array(case.path.parent, first + number) for number, spec in enumerate(specs)]


def _given(
    program: OperatorProgram, case: OperatorCase, plan: CasePlan, inputs: list[np.ndarray], outputs: list[np.ndarray]
) -> dict[str, Any]:
    if plan.entry not in program.functions:
        raise ValueError(f"no source defines {plan.entry}")
    if plan.arguments is not None:
        return plan.arguments(_by_id(case.inputs, inputs), _by_id(case.outputs, outputs), case.params)
    sides = [
        [HostTensor(array, spec.layout) for spec, array in zip(specs, arrays, strict=True)]
        for specs, arrays in ((case.inputs, inputs), (case.outputs, outputs))
    ]
    function = program.functions[plan.entry]
    return {**renamed(bind(case, function, *sides), plan.names), **plan.more}


def _by_id(specs: Sequence[Any], arrays: Sequence[np.ndarray]) -> dict[str, np.ndarray]:
    return {spec.id: array for spec, array in zip(specs, arrays, strict=True)}


def _traced(
    program: OperatorProgram, case: OperatorCase, plan: CasePlan, right: Mapping[str, np.ndarray], limit: float
) -> tuple[Finding, ...]:
    """How the wrong elements of a case that has failed came about, from another run of it."""
    for tolerance in (None, limit):  # a sum of small differences may be too large where each of them is none
        inputs = _arrays(case.inputs, case, 0)
        outputs = _arrays(case.outputs, case, len(case.inputs))
        given = _given(program, case, plan, inputs, outputs)
        names = {id(tensor.array): name for name, value in given.items() if (tensor := as_tensor(value)) is not None}
        expect = {
            names[id(array)]: right[spec.id]
            for spec, array in zip(case.outputs, outputs, strict=True)
            if id(array) in names and Extent.of(array).packed
        }  # fmt: skip
        if not expect:
            return ()
        expected = Expectations(expect, tolerance)
        try:
            called = program.invoke(plan.entry, given, "collect", strict=plan.arguments is not None, expected=expected)
        except (MlusimError, ValueError, TypeError, OSError):
            return ()  # the operator does something else each time
        found = tuple(finding for finding in called.findings if finding.rule == rules.results.WRONG_RESULT)
        if found:
            return found
    return ()


def _right(
    case: OperatorCase, reference: Reference, inputs: dict[str, np.ndarray], results: dict[str, np.ndarray]
) -> dict[str, np.ndarray]:
    """What the reference says of each output."""
    right = reference(inputs, case.params, {name: np.zeros_like(array) for name, array in results.items()})
    if not isinstance(right, Mapping):
        arrays = right if isinstance(right, (list, tuple)) else [right]
        if len(arrays) != len(results):
            raise ValueError(f"it returned {len(arrays)} arrays for {len(results)} outputs")
        right = dict(zip(results, arrays, strict=True))
    return {name: np.asarray(right[name]) for name in results}


def _compared(
    case: OperatorCase, right: Mapping[str, np.ndarray], results: dict[str, np.ndarray]
) -> tuple[OutputDifference, ...]:
    found: list[OutputDifference] = []
    for (name, array), criteria in zip(results.items(), case.criteria, strict=True):
        for criterion in criteria:
            for part, limit in _parts(array, criterion.limit, criterion.limit_imag):
                value = measure(criterion.measure, part(array), part(right[name]))
                found.append(OutputDifference(name, criterion.measure, value, limit))
    return tuple(found)


def _parts(array: np.ndarray, limit: float, limit_imag: float | None) -> list[tuple[Callable[..., np.ndarray], float]]:
    if array.dtype.kind != "c":
        return [(lambda each: each, limit)]
    return [(np.real, limit), (np.imag, limit if limit_imag is None else limit_imag)]
