"""Words of names that say whose a kernel is, along what it works or for whom, and not what it computes."""

from __future__ import annotations

#: What stands between the names of a kernel and of its file, which says what its own name does not.
IN_FILE = "\n"
#: Words of kernels that do all that their file is about, others of which may be steps.
OF_ALL = frozenset(
    ("update", "output", "forward", "backward", "kernel", "run", "compute", "main", "launch", "cuda", "mlu", "float")
)
OF_LIBRARIES = frozenset(
    (
        "thc", "thcunn", "magma", "magmablas", "smkernel", "cn", "innermost", "outermost", "inner",
        "vertical", "horizontal", "vertically", "horizontally", "prepare", "apply",
    )
)  # fmt: skip
