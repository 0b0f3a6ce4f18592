"""How near the results of a kernel are to the function that it is named after."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np

from ...text import nearest, quoted
from .. import SHAPE_ENTRIES
from ..deviation import deviation
from . import (  # noqa: F401  (which enter their functions)
    alignments,
    along,
    backward,
    bags,
    bins,
    blas,
    blocks,
    caches,
    cells,
    channels,
    chosen,
    classes,
    clouds,
    colours,
    columns,
    detected,
    distances,
    encodings,
    experts,
    factors,
    fields,
    gated,
    gradients,
    graphs,
    heads,
    images,
    integers,
    lattices,
    losses,
    margins,
    masked,
    masks,
    meshes,
    models,
    motion,
    moves,
    norms,
    of_libraries,
    optimizers,
    packed,
    padding,
    paged,
    partitions,
    placed,
    points,
    pointwise,
    positions,
    products,
    proximity,
    quantized,
    rays,
    resized,
    roi,
    rope,
    rotations,
    routing,
    sampled,
    scattered,
    scores,
    searched,
    segments,
    sequences,
    signals,
    squares,
    stencils,
    steps,
    streams,
    suites,
    transforms,
    turned,
    units,
    updates,
    vectors,
    voxels,
    warps,
    windows,
)
from .lists import parts_of_lists
from .problem import FUNCTIONS, MOST_ELEMENTS, MOST_TRIED, OF_ALL_RESULTS, VAGUE, Formula, Input, Problem
from .raw import of_bytes, of_elements
from .strided import STRIDED, dense_of
from .words import Said, functions_of

#: Of so many elements one may be wrong where a name says more than a function, so that it may well be another one.
_FEW = 10
#: Elements that a formula is compared at first; all are where these agree, and those of the nearest.
_SAMPLE = 4096
#: Shares of the elements that are what a formula says, at least, and how many: many of a function of other forms, or of
#: what a step leaves.
_SOME, _MANY, _LEAST = 1 / 64, 1 / 2, 8
#: Functions whose arrays may lie in other ways than are tried, where they have no axes.
_LAID_OUT = {"conv", "batch norm"}
#: Functions of windows whose size may be a constant of the kernel.
_OF_SIZES = {"mean filter"}
#: How far off the elementary functions of chips may be.
_ROUGH = 1e-2
#: Digits of the constants of a kernel.
_DIGITS = 3
#: What numbers are compared with where all are smaller.
_TINY = 1e-30
#: What stands for nothing is such a number, at least, and so many times the largest of the others.
_NOTHING, _ABOVE = 1e9, 1e5
#: Functions of complex numbers.
_OF_COMPLEX = (
    products.OF_MATRICES | pointwise.OF_PAIRS | transforms.OF_COMPLEX | {*suites.PRODUCTS}
    | {"add", "sub", "mul", "div", "neg", "copy", "sum", "norm"}
)  # fmt: skip
#: Functions of which each task may leave a part, and what puts the parts together.
_OF_PARTS: Mapping[str, Callable[..., Any]] = {
    **dict.fromkeys(("sum", "dot", "asum", "sum of squares", "norm", "moments"), np.sum),
    "prod": np.prod, "max": np.max, "min": np.min,
}  # fmt: skip
#: Functions of which a single result is no part of another one, and has one definition.
_OF_ALL = {"dot", "asum", "nrm2"}
#: Functions of gradients that many results are added to, so that these may be added to what is there.
_ADDED = {
    f"{name} backward"
    for name in (
        "border align", "roi align", "roi pool", "ps roi pool", "roi crop", "rotated feature align", "deform roi pool",
        "group points", "gather points", "three interpolate", "carafe", "roiaware avg pool", "roiaware max pool",
        "resampler",
    )
}  # fmt: skip
#: Formulas that are tried of one function, at most.
_MOST = 2000


@dataclass(frozen=True)
class Likeness:
    """The nearest that was found: a formula, and the numbers of the elements that are not what it says.

    ``sure``: the name says nothing besides the function; ``far``: some are further off than approximations make them.
    ``asked``: it is not the name of the kernel that says the function. ``takes_all``: a form takes all arrays and
    factors that are passed, so that there is nothing for another one. ``complete``: the name says nothing besides the
    function, of which all forms are tried. ``in_part``: of a function of other forms, too, more elements are what this
    one says than chance explains.
    """

    function: str
    formula: Formula
    wrong: np.ndarray
    sure: bool
    far: bool
    asked: bool = False
    takes_all: bool = False
    complete: bool = False
    in_part: bool = False

    @property
    def exact(self) -> bool:
        """Whether all elements are what it says."""
        return not len(self.wrong)

    @property
    def near(self) -> bool:
        """Whether nearly all elements are what it says, so that it is hardly another function."""
        return _FEW * len(self.wrong) <= self.formula.values.size

    @property
    def certain(self) -> bool:
        """Whether something has to be wrong: nothing else may be meant."""
        return self.far and ((self.sure and (self.asked or self.near)) or (self.complete and self.takes_all))

    @property
    def of_all_results(self) -> bool:
        """Whether a kernel of this name leaves nothing else, so that each of its results is one of the function."""
        return self.function in OF_ALL_RESULTS

    @property
    def telling(self) -> bool:
        """Whether elements that are not what it says have to mean something."""
        return self.asked or (self.far and (self.sure or self.near or self.complete or self.in_part))


def likeness(name: str, problem: Problem, got: np.ndarray, limit: float, asked: bool = False) -> Likeness | None:
    """What the results of a kernel are most like, of what a name says; None if there is nothing to compare.

    ``limit`` is how far elements may be off, as `deviation` counts; ``asked``: the name is not that of the kernel.
    """
    got = got.reshape(-1)
    if wide := of_elements(problem, got):
        found = likeness(name, *wide, limit, asked)
        return found and _with_values(found, *of_bytes(found.formula.values, got))
    if dense := dense_of({said.function for said in functions_of(name)}, problem):
        found = likeness(name, dense.problem, got[dense.kept], limit, asked)
        return found and _with_gaps(found, dense.kept, got)
    some = np.unique(np.linspace(0, max(got.size - 1, 0), min(got.size, _SAMPLE)).astype(np.int64))
    scaled = takes_all = False
    best: tuple[tuple[int, float], Said, bool, Formula] | None = None
    for said in functions_of(name):
        sure = _is_sure(said, problem) and not _has_gaps(said, problem)
        for formula in _formulas(said, problem, whole=got.dtype.kind in "iub"):
            off = _deviation(got[some], formula.values[some])
            far = int((off > limit).sum()), float(np.minimum(off, 1).sum())
            if far[0] == 0 and (found := _compared(said.function, formula, got, limit, sure)).exact:
                return found
            if best is None or far < best[0]:
                best = far, said, sure, formula
            takes_all = takes_all or _takes_all(said, formula, problem)
            scaled = scaled or _is_scaled(said.function, problem, got[some], formula.values[some], limit)
        if parts := _in_parts(said, problem, got, limit):
            return parts
    if best is None or ((scaled or _is_switched(name, problem)) and not asked):
        return None
    _, most, sure, formula = best
    found = _compared(most.function, formula, got, limit, sure)
    complete = most.alone and _has_all_forms(most, problem)
    in_part = complete or (most.alone and _agrees_in_part(most, found))
    return replace(found, asked=asked, takes_all=takes_all, complete=complete and not most.step, in_part=in_part)


def _is_switched(name: str, problem: Problem) -> bool:
    """Whether a flag that is set is named after another function of each element, such as ``use_relu``."""
    others = pointwise.OF_ONE.keys() - {said.function for said in functions_of(name)}
    return any(said.function in others for flag in problem.flags for said in functions_of(flag))


def _with_gaps(found: Likeness, kept: np.ndarray, got: np.ndarray) -> Likeness:
    """What was found of the elements of rows without gaps, which hold what they hold."""
    values = got.astype(np.result_type(got.dtype, found.formula.values.dtype))
    values[kept] = found.formula.values
    return _with_values(found, values, kept[found.wrong])


def _with_values(found: Likeness, values: np.ndarray, wrong: np.ndarray) -> Likeness:
    return replace(found, formula=replace(found.formula, values=values), wrong=wrong)


def _has_all_forms(said: Said, problem: Problem) -> bool:
    """Whether what a function may be is tried, of arrays without gaps; a single element may be of a part of them."""
    if problem.size == 1 and said.function not in _OF_ALL:
        return False
    is_step = said.step and said.function != "scan"
    known = all(len(one.axes) > 1 for one in (*problem.inputs, Input("", np.empty(problem.shape))))
    laid_out = said.function in _LAID_OUT and not known
    return not (is_step or laid_out or _is_vague(said, problem) or _has_gaps(said, problem))


def _is_vague(said: Said, problem: Problem) -> bool:
    """Whether a function may have other forms, or windows of another size, than are tried."""
    function = said.function
    return (function in VAGUE and not VAGUE[function](problem)) or (function in _OF_SIZES and not problem.windows)


def _has_gaps(said: Said, problem: Problem) -> bool:
    """Whether strides are passed that are those of arrays with gaps, and none of windows."""
    return problem.strided and said.function not in STRIDED


def _agrees_in_part(said: Said, found: Likeness) -> bool:
    """Whether a share of the elements, and more than chance explains, are what a formula says.

    The most frequent number of the formula says nothing.
    """
    right = found.formula.values
    numbers, which, counts = np.unique(right, return_inverse=True, return_counts=True)
    telling = which.reshape(-1) != np.argmax(counts) if len(numbers) < right.size else np.ones(right.size, bool)
    agree = telling.copy()
    agree[found.wrong] = False
    chance = float(((counts / right.size) ** 2).sum())
    least = _MANY if said.step or said.function in VAGUE else _SOME
    return bool(agree.sum() >= _LEAST and agree.sum() >= (least + 2 * chance) * telling.sum())


def _takes_all(said: Said, formula: Formula, problem: Problem) -> bool:
    """Whether a formula takes all arrays and factors; whole numbers and arrays of them may be shapes.

    It takes no array that is written before it is read, which is passed for what it gets: the output, and others that
    results of the same function go to.
    """
    made = problem.overwritten
    passed_over = made if said.function in OF_ALL_RESULTS else made & {problem.output}
    arrays = [one.name for one in problem.inputs if one.values.dtype.kind not in "iu" or one.size > SHAPE_ENTRIES]
    taken = {name for name in {*arrays, *made} if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", formula.text)}
    all_arrays = taken.issuperset({*arrays} - passed_over) and taken.isdisjoint(made)
    return all_arrays and all(f"{factor:g}" in formula.text for factor in problem.factors)


def check_function(name: str) -> None:
    """ValueError unless a name says one of the functions, and nothing else."""
    said = functions_of(name)
    if len(said) != 1 or not said[0].alone:
        raise ValueError(
            f"no function is called {quoted(name)}{nearest(name, FUNCTIONS)}; "
            "`mlusim rules unlike-name` says which are known"
        )


def _in_parts(said: Said, problem: Problem, got: np.ndarray, limit: float) -> Likeness | None:
    """Results that together are what the function makes of all, if nothing says what each of them is of."""
    for text, parts, right in parts_of_lists(said.function, problem, got):
        if not (_deviation(parts, right) > limit).any():
            return Likeness(said.function, Formula(text, got), np.zeros(0, np.int64), True, False)
    together = _OF_PARTS.get(said.function)
    others = [one for one in problem.inputs if one not in problem.held]
    lengths = {*problem.whole, *(length for one in others for length in (one.size, *one.axes))}
    if together is None or problem.size < 2 or problem.size in lengths or got.dtype.kind == "c":
        return None
    rows = got.astype(np.float64).reshape(problem.shape)
    with np.errstate(all="ignore"):
        sums = [together(rows, axis=0)] if rows.ndim > 1 else []
        sums.append(np.array([together(rows)]))
    tried = ((whole, replace(problem, shape=whole.shape)) for whole in sums)
    for whole, formula in ((w, f) for w, each in tried for f in _formulas(said, each, whole=got.dtype.kind in "iub")):
        if not (_deviation(whole.reshape(-1), formula.values) > limit).any():
            return Likeness(said.function, Formula(f"parts of {formula.text}", got), np.zeros(0, np.int64), True, False)
    return None


def _is_sure(said: Said, problem: Problem) -> bool:
    """Whether results have to be those of a function: its name says nothing else, it has one form, arrays say enough.

    They say their axes, or have as many elements as the function takes. Of a function that is computed in steps a
    single element is the result of the last one.
    """
    function, one = said.function, problem.size == 1
    alike = all(array.size in (1, problem.size) for array in problem.inputs)
    clear = (
        problem.has_axes or function in products.OF_MATRICES or (function in pointwise.NAMES | gated.NAMES and alike)
    )
    return said.alone and not _is_vague(said, problem) and (clear or (said.step and one)) and (one or not said.step)


def _compared(function: str, formula: Formula, got: np.ndarray, limit: float, sure: bool) -> Likeness:
    """All elements beside a formula."""
    with np.errstate(all="ignore"):
        if formula.values.dtype.kind != "c" and np.array_equal(formula.values.astype(got.dtype), got):
            return Likeness(function, formula, np.zeros(0, np.int64), sure, far=False)
    off = _deviation(got, formula.values)
    return Likeness(function, formula, np.flatnonzero(off > limit), sure, bool((off > max(limit, _ROUGH)).any()))


def _formulas(said: Said, problem: Problem, whole: bool) -> Iterator[Formula]:
    """What the function may be, of as many elements as there are; whole numbers alone where these are left."""
    if problem.size == 0 or any(one.size > MOST_ELEMENTS for one in problem.inputs):
        return
    most = min(_MOST, max(1, MOST_TRIED // problem.size))
    with np.errstate(all="ignore"):
        of_numbers = problem.of_numbers(said.function in _OF_COMPLEX)
        for formula in islice(FUNCTIONS[said.function](of_numbers), most):
            values = formula.values
            if values.size == problem.size and not (whole and (values != np.round(values)).any()):
                yield formula
                for before in problem.held if said.function in _ADDED else ():
                    yield Formula(f"{before.name} + {formula.text}", values + before.flat)


def _is_scaled(function: str, problem: Problem, got: np.ndarray, right: np.ndarray, limit: float) -> bool:
    """Whether elements are what they should be times a power of two, or by a weight and a bias of all of a norm.

    The first is that of fixed-point numbers; the others are constants of the kernel, which have a few digits.
    """
    if got.dtype.kind != "f" or right.dtype.kind == "c":
        return False
    number = got.astype(np.float64)
    with np.errstate(all="ignore"):
        ratio = number / right
    usual = ratio[np.isfinite(ratio) & (right != 0)]
    middle = float(np.median(usual)) if len(usual) > 1 else 0.0
    scale = 2.0 ** round(math.log2(middle)) if middle > 0 and problem.fixed_point else 1.0
    if scale != 1 and not (_deviation(got, scale * right) > limit).any():
        return True
    if function not in norms.NAMES or len(got) <= _FEW or not np.isfinite(number + right).all():
        return False
    off = right - right.mean()
    weight = float(f"{off @ number / max(off @ off, _TINY):.{_DIGITS}g}")
    bias = float(f"{number.mean() - weight * right.mean():.{_DIGITS}g}")
    return weight > 0 and not (_deviation(got, weight * right + bias) > limit).any()


def _deviation(got: np.ndarray, right: np.ndarray) -> np.ndarray:
    """How far each element is off. What stands for nothing, far above all others, does not count in their mean."""
    number = np.complex128 if "c" in (got.dtype.kind, right.dtype.kind) else np.float64
    got, right = got.astype(number), right.astype(number)
    size = np.abs(right)
    most = size.max(initial=0, where=np.isfinite(size))
    others = size < most
    if most < _NOTHING or not others.any() or _ABOVE * size[others].max() > most:
        return deviation(got, right, _TINY)
    off = np.empty(right.shape)
    for part in (others, ~others):
        off[part] = deviation(got[part], right[part], _TINY)
    return off
