"""Every instruction form that has a reference, by name and argument kinds.

To add an instruction, add a `Form` to FORMS of the module that fits, `vector(...)` where it does the same to every
element; `python -m pytest tests/isa -k <name>` then runs every declared type of it. What waits goes to `waits`.
"""

from __future__ import annotations

from collections.abc import Iterable

from . import (
    active,
    arithmetic,
    atomics,
    conv,
    convert,
    copy,
    fusion,
    hau,
    layout,
    library,
    lut,
    pooling,
    reductions,
    registers,
    select,
    weights,
)
from .form import Form


def _index(forms: Iterable[Form]) -> dict[tuple[str, str], Form]:
    found: dict[tuple[str, str], Form] = {}
    for form in forms:
        if (form.name, form.shape) in found:
            raise ValueError(f"{form.name} {form.shape} has two references")
        found[form.name, form.shape] = form
    return found


_MODULES = (
    active, arithmetic, atomics, conv, convert, copy, fusion, hau, layout, library, lut, pooling, reductions,
    registers, select, weights,
)  # fmt: skip
#: (name, shape) -> form; see `Form.shape`.
REFERENCES = _index(form for module in _MODULES for form in module.FORMS)
