"""Words of names that say whose a kernel is, along what it works or for whom, and not what it computes."""

from __future__ import annotations

from collections.abc import Sequence

#: What stands between the names of a kernel and of its file, which says what its own name does not.
IN_FILE = "\n"
#: Words of kernels that do all that their file is about, others of which may be steps.
_OF_ALL = frozenset(
    ("update", "output", "forward", "backward", "kernel", "run", "compute", "main", "launch", "cuda", "mlu", "float")
)
#: Words for the part of it that a kernel does, beside which others may do the rest.
_OF_PARTS = frozenset(("vertical", "horizontal", "vertically", "horizontally"))
OF_LIBRARIES = frozenset(
    ("thc", "thcunn", "magma", "magmablas", "smkernel", "cn", "innermost", "outermost", "inner", "apply")
)


def beside_file(unknown: Sequence[str], words: Sequence[str]) -> tuple[list[str], bool]:
    """Of a kernel whose file says what it computes: the words that say something else, and whether it may be a step."""
    return [word for word in unknown if word not in _OF_PARTS], not _OF_ALL.issuperset(words)
