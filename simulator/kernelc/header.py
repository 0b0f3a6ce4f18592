"""The C and C++ headers that kernels compile against, from the declarations: enumerations, and every overload.

A source only gets the overloads that it names, see `overloads`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from ...isa import TYPES, Dialect, Kind, Overload, Parameter, Section, result_type, wires
from .overloads import END, MARK, NAME

_WIDE = "int64_t"


def enumerations(dialect: Dialect) -> str:
    """The text of ``mlusim_types.h``: the vendor's enumerations of values that instructions take."""
    used = {p.type for entry in dialect.instructions for p in entry.prototype.parameters if p.kind is Kind.VALUE}
    lines = ["// Generated from the declarations in isa/.", "#pragma once", ""]
    for element in (TYPES[name] for name in sorted(used & set(TYPES))):
        if element.values:
            values = ", ".join(f"{name} = {value}" for name, value in element.values.items())
            lines += [f"typedef enum {{ {values} }} {element.spellings[0]};", ""]
    named: dict[str, dict[str, int]] = {}  # by enumeration; an instruction takes some of its values
    for select in filter(None, (entry.select for entry in dialect.instructions)):
        named.setdefault(select.c_type, {}).update({case.label: value for value, case in select.cases.items()})
    for c_type, labels in named.items():
        values = ", ".join(f"{label} = {value}" for label, value in sorted(labels.items(), key=lambda item: item[1]))
        lines += [f"typedef enum {{ {values} }} {c_type};", ""]
    return "\n".join(lines)


def operations(dialect: Dialect) -> str:
    """The text of ``mlusim_ops.h``: one function per overload and spelling, then the names that are only known.

    A mark with its name stands before each. `DeclarationError` for a declaration that contradicts itself.
    """
    from ...isa.check import check_dialect  # a header is made once

    check_dialect(dialect)
    lines = [
        "// Generated from the declarations in isa/. Every function enters the issue port of its number.",
        "#pragma once",
        MARK,
    ]
    seen: set[tuple[str, tuple[str, ...]]] = set()
    for number, overload in enumerate(dialect.overloads):
        if not overload.name.startswith(dialect.prefix):
            continue
        if overload.instruction.type_arguments:  # one function; the argument's value tells the types apart
            signature = tuple(_type(dialect, overload, p, {}) for p in overload.parameters)
            if (overload.name, ()) not in seen:
                seen.add((overload.name, ()))
                lines.append(NAME + overload.name)
                lines.append(_function(number, overload, signature))
            continue
        for types in _spellings(dialect, overload):
            if (overload.name, types) not in seen:
                seen.add((overload.name, types))
                lines.append(NAME + overload.name)
                lines.append(_function(number, overload, types))
    if dialect.language == "bang-c":
        lines += _accepted_besides(dialect)
    for name in filter(str.isidentifier, dialect.known):  # others are stated in the headers beside
        lines += [NAME + name, f"MLUSIM_KNOWN{'_VALUE' if name in dialect.giving else ''}({name})"]
    return "\n".join([*lines, END, ""])


def _accepted_besides(dialect: Dialect) -> Iterator[str]:
    """Forms for pointers of other types than instructions have: see mlusim_storage.h."""
    typed = (entry for entry in dialect.instructions if entry.written and entry.select is None)
    fills = (
        entry
        for entry in dialect.instructions
        if any(p.passed for p in entry.written) and any(p.name == "value" for p in entry.prototype.parameters)
    )
    for macro, entries in (("MLUSIM_FILL", fills), ("MLUSIM_ROWS", typed)):  # rows become elements first
        for name in dict.fromkeys(entry.name for entry in entries):
            yield from (NAME + name, f"{macro}({name})")


def asm_functions(dialect: Dialect) -> dict[str, str]:
    """Mnemonic of inline assembly -> name of its function."""
    return {entry.asm: entry.name for entry in dialect.instructions if entry.asm}


def _spellings(dialect: Dialect, overload: Overload) -> Iterator[tuple[str, ...]]:
    """Every list of C parameter types that means this overload."""
    bound: dict[str, tuple[str, ...]] = {}
    value_typed = any(p.passed == "void" and p.type in overload.binding for p in overload.parameters)
    for variable, name in overload.binding.items():
        element = TYPES[name]
        bound[variable] = (element.scalar_spellings or element.spellings) if value_typed else element.spellings
    for row in itertools.product(*bound.values()):
        chosen = dict(zip(bound, row, strict=True))
        yield tuple(_type(dialect, overload, p, chosen) for p in overload.parameters)


def _type(dialect: Dialect, overload: Overload, p: Parameter, chosen: dict[str, str]) -> str:
    if p.kind is Kind.STRUCT:
        return dialect.c_type(overload, p, "")
    shown = p.passed or p.type
    spelled = chosen.get(shown) or TYPES[overload.binding.get(shown, shown)].spellings[0]
    return dialect.c_type(overload, p, spelled)


def _function(number: int, overload: Overload, types: tuple[str, ...]) -> str:
    parameters = ", ".join(f"{t} {p.name}" for t, p in zip(types, overload.parameters, strict=True))
    numbers = wires(overload)
    # The numbers are read while the kernel is still the one that may be at fault: a pointer to a structure can be wild.
    structures = [p.name for p in overload.parameters if p.kind is Kind.STRUCT and p.pointer]
    reads = "".join(f"mlusim_structure({name}, sizeof *{name}, MLUSIM_PC); " for name in structures)
    reads += "".join(f"{'double' if n.is_float else _WIDE} mlusim_{i} = {n.c}; " for i, n in enumerate(numbers))
    wire = [_WIDE, *("double" if n.is_float else _WIDE for n in numbers)]
    passed = [f"MLUSIM_CALL({number})", *(f"mlusim_{i}" for i in range(len(numbers)))]
    prototype, effect = overload.instruction.prototype, overload.instruction.effect
    gives = prototype.returns != "void"
    result = result_type(overload) if gives else None
    back = "double" if result is not None and result.is_float else _WIDE
    returns = (result.scalar_spellings or result.spellings)[0] if result is not None else "void"
    call = f"(({back}(*)({', '.join(wire)}))mlusim_issue)({', '.join(passed)})"
    keep, give = (f"{back} mlusim_result = ", f" return ({returns})mlusim_result;") if gives else ("", "")
    note = f" mlusim_current->section = {int(effect.opens)};" if isinstance(effect, Section) else ""
    body = f"MLUSIM_PORT({number}); {reads}{keep}{call};{note}{give}"
    return f"MLUSIM_OP {returns} {overload.name}({parameters}) {{ {body} }}"
