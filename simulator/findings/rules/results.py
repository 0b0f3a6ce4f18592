"""What a launch leaves behind: results as they were expected, whatever the order of tasks, in arrays that take them."""

from collections.abc import Sequence

from ..finding import Differing, Finding
from ..rule import ADVICE, WARNING, declare_rule

ORDER_DEPENDENT = declare_rule("order-dependent", "a result does not depend on the order of tasks", WARNING)
IGNORED = declare_rule("ignored", "each number that is passed affects the results", ADVICE)
READ_ONLY = declare_rule("read-only", "no kernel writes an array that is read-only on the host", WARNING)
SPLIT_DEPENDENT = declare_rule("split-dependent", "a result does not depend on the number of tasks")
COUNT_DEPENDENT = declare_rule("count-dependent", "a smaller count does not change the remaining elements", WARNING)
TILE_DEPENDENT = declare_rule("tile-dependent", "a result does not depend on the size of tiles", WARNING)
PLACE_DEPENDENT = declare_rule(
    "place-dependent", "a result does not depend on where along an axis a value lies", WARNING
)
UNLIKE_NAME = declare_rule("unlike-name", "a kernel computes the function that it is named after", ADVICE)
UNLIKE_REFERENCE = declare_rule(
    "unlike-reference", "a kernel computes what a reference for it in its source computes", WARNING
)
WRONG_RESULT = declare_rule("wrong-result", "an array holds what was expected of it")

#: Places that a message names.
_LISTED = 4


def order_dependent(array: str, changed: int, size: int, order: int, rounded: bool) -> Finding:
    """So many bytes of an array of a ``size`` differ in another order of tasks, by its number.

    It is advice where no more differs than rounding explains.
    """
    how = ", by no more than rounding explains" if rounded else ""
    return Finding(
        ORDER_DEPENDENT,
        f"the contents of {array} depend on the order of tasks: {changed} of its {size} bytes {_differ(changed)}{how}",
        operand=array,
        limit=f"order {order}",
        suggestion="add in a fixed order if the last bits matter" if rounded else "check who writes last",
        severity=ADVICE if rounded else "",
    )


def split_dependent(differing: Differing, said: tuple[str, str]) -> Finding:
    """Elements of an array differ in another split; ``said`` is how both launches were split."""
    return Finding(
        SPLIT_DEPENDENT,
        _different(differing, said),
        operand=differing.array,
        suggestion="check which of the two trails of this element is wrong; if the kernel leaves one result for each "
        "task, leave this number out of resplit",
    )


def count_dependent(differing: Differing, said: tuple[str, str]) -> Finding:
    """Elements of an array differ with a smaller count, and nearly all others do not."""
    return Finding(
        COUNT_DEPENDENT,
        f"{_different(differing, said)}; nearly all others agree",
        operand=differing.array,
        suggestion="check which of the two trails of this element is wrong",
    )


def tile_dependent(differing: Differing, said: tuple[str, str]) -> Finding:
    """Elements of an array differ in smaller tiles, in which the launch touches the same bytes."""
    return Finding(
        TILE_DEPENDENT,
        _different(differing, said),
        operand=differing.array,
        suggestion="check which of the two trails of this element is wrong; the difference is intended if the constant "
        "is the length of a row",
    )


def place_dependent(differing: Differing, places: tuple[int, int, Sequence[int]]) -> Finding:
    """Elements of an array differ with two places of an axis exchanged, as others may be.

    ``places`` are how many places the axis has, a usual one and the odd ones.
    """
    (array, different, size, name, here, there), (length, usual, odd) = differing, places
    listed = ", ".join(str(place) for place in odd[:_LISTED]) + (", ..." if len(odd) > _LISTED else "")
    which = f"place {listed}" if len(odd) == 1 else f"{len(odd)} places ({listed})"
    return Finding(
        PLACE_DEPENDENT,
        f"{which} of the {length} along an axis {'is' if len(odd) == 1 else 'are'} treated unlike all others: with "
        f"{odd[0]} and {usual} exchanged in all arrays, {different} of the {size} elements of {array} "
        f"{_differ(different)}: {name} is {here}, and {there} with the two exchanged",
        operand=array,
        suggestion="check the index, the bounds and the stride of the loops along this axis",
    )


def _different(differing: Differing, said: tuple[str, str]) -> str:
    (array, different, size, name, here, there), (mine, theirs) = differing, said
    return (
        f"{different} of the {size} elements of {array} {_differ(different)} {theirs}: {name} is {here} {mine} and "
        f"{there} {theirs}"
    )


def _differ(count: int) -> str:
    return "differs" if count == 1 else "differ"


def split_unwritten(array: str, counts: tuple[int, int], element: str, said: tuple[str, str]) -> Finding:
    """So many elements of an array of so many are written in another split only; ``element`` is the first of them."""
    (missing, size), (mine, theirs) = counts, said
    return Finding(
        SPLIT_DEPENDENT,
        f"{missing} of the {size} elements of {array}, the first {element}, {'is' if missing == 1 else 'are'} written "
        f"{theirs} and not {mine}",
        operand=array,
        suggestion="check which elements each task takes, and its stride",
        slip=f"{missing} of {size} {theirs} and not {mine}",
    )


def unlike_name(function: str, formula: str, differing: Differing, certain: bool, asked: bool) -> Finding:
    """Elements of an array differ from the function that a kernel is named after.

    ``formula`` comes nearest, and says what the elements should be. ``certain``: nothing else may be meant; ``asked``:
    it is not the name that says the function.
    """
    array, wrong, size, name, got, right = differing
    if 2 * wrong < size:
        said = f"{array} is {formula} but for {wrong} of its {size} elements"
        advice = "check the line that writes this element"
    else:
        named = "" if asked else f"the kernel is named {function}, and "
        said = f"{named}{array} is not {formula}, nor any other {function} of its arrays"
        advice = "check the formula; if it is another function, compare with --expect"
    return Finding(
        UNLIKE_NAME,
        f"{said}: {name} is {got}, not {right}",
        operand=array,
        suggestion=advice,
        severity=WARNING if certain else "",
    )


def unlike_reference(differing: Differing, function: str, committed: bool) -> Finding:
    """Elements of an array are not what another function of the source leaves of the same arguments.

    ``committed``: it is the kernel itself, as the last commit has it.
    """
    array, wrong, size, name, here, there = differing
    return Finding(
        UNLIKE_REFERENCE,
        f"{wrong} of the {size} elements of {array} {_differ(wrong)} from those of {function}"
        f"{'' if committed else ' in the same source'}: {name} is {here}, and {there} by {function}",
        operand=array,
        suggestion="check which of the two trails of this element is wrong; if the two are meant to differ, "
        + ("commit the source" if committed else "leave out --references"),
    )


def ignored(passed: str, *others: str) -> Finding:
    """What an argument passes makes no difference to what a launch leaves, nor do other numbers."""
    return Finding(
        IGNORED,
        f"{passed} makes no difference: the results are the same with {' and with '.join(others)}",
        suggestion="check that a step uses it, and that the result of this step is used",
    )


def unnamed(passed: str) -> Finding:
    """A whole number that is passed, and that the kernel does not name."""
    return Finding(
        IGNORED,
        f"{passed} is passed, and the kernel does not use it",
        suggestion="check whether a step, an offset or a bound is to use it",
    )


def ignored_input(array: str, told: bool, others: bool) -> Finding:
    """An input is read, and makes no difference to what a launch leaves.

    ``told``: no 0 that is passed may say so; ``others``: other inputs make one.
    """
    return Finding(
        IGNORED,
        f"{array} is read and makes no difference: with other numbers in all of it the results are the same"
        + (", unlike with other inputs" if others else ""),
        operand=array,
        suggestion="check that what is loaded from it is used, and not overwritten first",
        severity=WARNING if told and others else "",
    )


def ignored_elements(array: str, count: int, first: Sequence[str], sure: bool) -> Finding:
    """Elements of an input are read, and make no difference to what a launch leaves; ``first`` are some of them.

    ``sure``: they are none that a kernel may have no use for, such as a component of each vector.
    """
    return Finding(
        IGNORED,
        f"{count} elements of {array} are read and make no difference, the first of them {', '.join(first)}: with "
        "larger and with smaller numbers in them the results are the same, unlike with other elements of it",
        suggestion="check that each loaded value is used, also in shared memory, and no other one twice",
        severity=WARNING if sure else "",
    )


def overwritten(array: str) -> Finding:
    """All elements of an array that was filled with numbers are overwritten, and none is read."""
    return Finding(
        IGNORED,
        f"the numbers that {array} held make no difference: all are overwritten, and none is read",
        operand=array,
        suggestion="check whether the results are to be added to them; if not, pass zeros",
    )


def without_part(array: str, count: int, tried: int, first: Sequence[str]) -> Finding:
    """Elements of an input, of those that were tried, are read, and each makes no difference whatever the inputs hold.

    ``first`` are some of them.
    """
    return Finding(
        IGNORED,
        f"{count} of {tried} elements of {array} that were tried are read and make no difference, among them "
        f"{', '.join(first)}: the results are the same with larger and with smaller numbers in each of them, whatever "
        "the inputs hold",
        operand=array,
        suggestion="check that each loaded value is used: no count is too small, and no sum is overwritten",
    )


def uneven(array: str, elements: Sequence[str], changed: tuple[int, int], sure: bool) -> Finding:
    """An element of an input changes fewer results than another of its row; both are named, with how many."""
    (less, more), (one, other) = changed, elements
    return Finding(
        IGNORED,
        f"elements of {array} have an uneven part in the results: another number in {one} changes {less} of them, in "
        f"{other} it changes {more}, and so in other rows",
        operand=array,
        suggestion="check that each element is added to what the row has in common, and none overwrites the others",
        severity=WARNING if sure else "",
    )


def read_only(instruction: str, array: str) -> Finding:
    """An instruction writes an array that is read-only on the host."""
    return Finding(
        READ_ONLY,
        f"{instruction} writes to {array!r}, which is read-only on the host: nothing is copied back",
        instruction=instruction,
        suggestion="pass a writable array, or write elsewhere",
    )


def wrong(
    wrong: tuple[int, int, int], array: str, first: tuple[str, str, str], pattern: str, limit: float, written: bool
) -> Finding:
    """Elements of an array are not what was expected.

    ``wrong`` counts those of this cause, all wrong ones, and all there are; ``first`` is the first of them, what it is
    and what it should be; ``pattern`` what they have in common, if anything.
    """
    mine, every, size = wrong
    several = f" of {every}" if mine < every else ""
    name, got, right = first
    return Finding(
        WRONG_RESULT,
        f"{mine}{several} wrong element{'s' * (every > 1)} among the {size} of {array}: {name} is {got}, not {right}"
        + (f"; {pattern}" if pattern else ""),
        limit=f"{limit:.2g} of the number or, if larger, of the mean of all" if limit else "",
        suggestion="" if written else "check the last tile and the share of each task",
    )
