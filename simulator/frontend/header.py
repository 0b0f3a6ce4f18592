"""The C++ header that kernels compile against: every overload of every instruction, from the declarations."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from ...isa import Dialect, Overload, Parameter

_WIDE = "int64_t"


def operations(dialect: Dialect) -> str:
    """The text of ``mlusim_ops.h``: one function per overload and spelling, then the names that are only known."""
    lines = [
        "// Generated from the declarations in isa/. Every function enters the simulator's door of its number.",
        "#pragma once",
        "",
    ]
    selects = {entry.select.c_type: entry.select for entry in dialect.instructions if entry.select is not None}
    for c_type, select in selects.items():
        values = ", ".join(f"{case.label} = {value}" for value, case in select.cases.items())
        lines += [f"typedef enum {{ {values} }} {c_type};", ""]
    seen: set[tuple[str, tuple[str, ...]]] = set()
    for number, overload in enumerate(dialect.overloads):
        if not overload.name.startswith(dialect.prefix):
            continue
        if overload.instruction.type_argument:  # one function; the argument's value tells the types apart
            signature = tuple(_type(dialect, overload, p, {}) for p in overload.parameters)
            if (overload.name, ()) not in seen:
                seen.add((overload.name, ()))
                lines.append(_function(number, overload, signature))
            continue
        for types in _spellings(dialect, overload):
            if (overload.name, types) not in seen:
                seen.add((overload.name, types))
                lines.append(_function(number, overload, types))
    lines.append("")
    lines += [f"MLUSIM_KNOWN({name})" for name in dialect.known]
    return "\n".join(lines) + "\n"


def asm_functions(dialect: Dialect) -> dict[str, str]:
    """Mnemonic of inline assembly -> name of its function."""
    return {entry.asm: entry.name for entry in dialect.instructions if entry.asm}


def _spellings(dialect: Dialect, overload: Overload) -> Iterator[tuple[str, ...]]:
    """Every list of C parameter types that means this overload."""
    bound: dict[str, tuple[str, ...]] = {}
    value_typed = any(p.opaque and p.type in overload.binding for p in overload.parameters)
    for variable, name in overload.binding.items():
        element = next(overload.element(p) for p in overload.parameters if p.type == variable)
        assert element.name == name
        bound[variable] = (element.scalar_spellings or element.spellings) if value_typed else element.spellings
    for row in itertools.product(*bound.values()):
        chosen = dict(zip(bound, row, strict=True))
        yield tuple(_type(dialect, overload, p, chosen) for p in overload.parameters)


def _type(dialect: Dialect, overload: Overload, p: Parameter, chosen: dict[str, str]) -> str:
    return dialect.c_type(overload, p, chosen.get(p.type, overload.element(p).spellings[0]))


def _function(number: int, overload: Overload, types: tuple[str, ...]) -> str:
    parameters = ", ".join(f"{t} {p.name}" for t, p in zip(types, overload.parameters, strict=True))
    passed, wire = ["MLUSIM_PC"], [_WIDE]
    for p in overload.parameters:
        floating = not p.is_memory and overload.element(p).is_float
        wire.append("double" if floating else _WIDE)
        value = f"{p.name}.address" if p.register else f"{p.name}.u32" if p.type == "scalar" else p.name
        passed.append(f"(double){value}" if floating and overload.element(p).name != "bfloat16" else
                      f"(double)(float){value}" if floating else f"({_WIDE}){value}")  # fmt: skip
    returns = overload.instruction.prototype.returns
    call = f"(({_WIDE}(*)({', '.join(wire)}))mlusim_door[{number}])({', '.join(passed)})"
    keep, give = ("", "") if returns == "void" else (f"{_WIDE} result = ", f" return ({returns})result;")
    return (
        f"MLUSIM_OP {returns} {overload.name}({parameters}) {{ "
        f"MLUSIM_DOOR({number}); mlusim_leave(); {keep}{call}; mlusim_back(MLUSIM_PC);{give} }}"
    )
