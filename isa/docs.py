"""Everything a declaration says, as plain rows: what `mlusim isa` prints and docs/isa holds."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from .dialect import Dialect
from .effects import Barrier
from .instruction import PADDING, Instruction, Overload, collect, result_type
from .prototype import Kind, Parameter
from .rules import INFERRED, Require, Rule

#: Sizes of a tensor; a fifth is that of the last channel of a matrix.
_AXES = 4
_OVERLAP = {
    "same": "operands may coincide, but not overlap in part",
    "none": "operands must not overlap",
    "any": "operands may overlap",
    "ascending": "operands overlap only where the output neither begins nor ends behind the input",
}
_ASIDE = f", padding of less than {PADDING} bytes aside"


@dataclass(frozen=True)
class OperandRow:
    """A memory operand: "in", "out" or "inout"; its space ("" = decided by the selecting argument); what it spans.

    ``layout`` is that of a tensor, "" of others.
    """

    name: str
    direction: str
    space: str
    span: str
    type: str
    layout: str


@dataclass(frozen=True)
class RuleRow:
    """A rule on the arguments, and the architectures it is in force on."""

    rule: str
    text: str
    archs: str
    provenance: str


@dataclass(frozen=True)
class CaseRow:
    """A value of the selecting argument: the space of each operand, the pipe, and whether a memory core executes it."""

    label: str
    spaces: dict[str, str]
    pipe: str
    by_memory_core: bool


@dataclass(frozen=True)
class InstructionRow:
    """One declaration, derived texts included; ``engine`` is the key of the cost in device files ("" = the pipe's)."""

    name: str
    doc: str
    arguments: str  # as declared, with type variables
    prototypes: tuple[str, ...]  # in C, one per overload that differs
    operands: tuple[OperandRow, ...]
    types: tuple[str, ...]
    inferred_types: tuple[str, ...]
    type_arguments: str  # the arguments whose values name the types, where C has no overloads
    archs: str
    rules: tuple[RuleRow, ...]
    overlap: str
    pipe: str
    engine: str
    work: str
    effect: str  # its kind, such as "compute" or "barrier"
    completion: str  # when an effect on memory is complete, see `effects.Completion`; "" for others
    let: tuple[str, ...]  # names that its extents, rules and work share: "out_h = ..."
    waits: tuple[str, ...]
    barrier: str
    selector: str
    cases: tuple[CaseRow, ...]
    asm: str
    provenance: str

    def to_dict(self) -> dict[str, Any]:
        """The row as plain JSON data."""
        return asdict(self)


def _overlap(entry: Instruction) -> str:
    widens = any(o.element(entry.written[0]).size > o.element(p).size for o in entry.overloads() for p in entry.read)
    return _OVERLAP[entry.overlap] + (_ASIDE if widens and entry.overlap == "ascending" else "")


def _layout(entry: Instruction, operand: Parameter) -> str:
    """How the elements of a tensor lie."""
    if not operand.is_tensor:
        return ""
    if operand.kind is Kind.VARIABLE:
        return "aligned; of a vector compact"
    usual = "continuous" if operand.kind is Kind.SYSTEM else "aligned"
    (dim,) = operand.dims
    nullable = {p.name: p.nullable for p in entry.prototype.parameters if p.kind is Kind.STRUCT}
    if dim.stride in nullable:
        return f"at strides; null: {usual}" if nullable[dim.stride] else "at strides"
    shape = ast.parse(dim.count, mode="eval").body
    if isinstance(shape, ast.Tuple) and len(shape.elts) > _AXES:
        return "matrix: columns dealt to channels"
    if dim.stride == "(1, 1, 1, 1)":
        return "compact"
    return "at the strides it spans" if dim.stride else usual


def instruction_row(dialect: Dialect, entry: Instruction, arch: int | None = None) -> InstructionRow:
    """The row of a declaration of ``dialect``; with ``arch``, only the rules in force on that architecture."""
    rules = entry.rules if arch is None else entry.rules_for(arch)
    memory = entry.prototype.memory
    bindings = [(_binding(o), o.provenance == INFERRED and entry.provenance != INFERRED) for o in entry.overloads()]
    return InstructionRow(
        name=entry.name,
        doc=entry.doc.rstrip("."),
        arguments=", ".join(_declared(entry, p) for p in entry.prototype.parameters),
        prototypes=tuple(dict.fromkeys(_c_prototype(dialect, overload) for overload in entry.overloads())),
        operands=tuple(
            OperandRow(p.name, _direction(p), entry.space_of(p), _span(p), p.type, _layout(entry, p)) for p in memory
        ),
        types=tuple(text for text, inferred in bindings if text and not inferred),
        inferred_types=tuple(text for text, inferred in bindings if text and inferred),
        type_arguments=", ".join(given.argument for given in entry.type_arguments.values()),
        archs=str(entry.archs),
        rules=tuple(dict.fromkeys(_rule(entry, rule) for rule in rules)),
        overlap=_overlap(entry) if len(memory) > 1 else "",
        pipe=entry.pipe,
        engine=entry.engine,
        work=entry.work or (f"bytes of {entry.written[0].name}" if entry.written else ""),
        effect=type(entry.effect).__name__.lower(),
        completion=str(getattr(entry.effect, "completion", "")),
        let=tuple(f"{name} = {text}" for name, text in entry.let.items()),
        waits=entry.waits,
        barrier=entry.effect.scope if isinstance(entry.effect, Barrier) else "",
        selector=entry.select.argument if entry.select else "",
        cases=tuple(
            CaseRow(case.label, dict(case.spaces), case.pipe, case.by_memory_core)
            for case in (entry.select.cases.values() if entry.select else ())
        ),
        asm=entry.asm,
        provenance=entry.provenance,
    )


def instruction_rows(dialect: Dialect, arch: int | None = None) -> list[InstructionRow]:
    """The rows of a dialect in the order of declaration; with ``arch``, of what exists there and is in force there."""
    entries = (entry for entry in dialect.instructions if arch is None or arch in entry.archs)
    return [instruction_row(dialect, entry, arch) for entry in entries]


_NOTES = (
    "`documented` facts are published by the vendor; `inferred` ones follow from public kernels.",
    "A rule without architectures holds on all of them.",
    "An operand in another space than NRAM is declared with its space. It spans `[count]` elements,",
    "or `[count @ stride]` with a stride in bytes; of `[count : n]` only the first n get a value.",
)
_HEADS = ("Instruction", "Does", "Arguments", "Types", "Architectures", "Rules", "Pipe", "Source")


def markdown(dialects: Sequence[Dialect]) -> str:
    """All dialects side by side in one table, as a Markdown page."""
    rows = [(dialect, row) for dialect in dialects for row in instruction_rows(dialect)]
    lines = [
        "# The instructions",
        "",
        *(f"- {_counted(dialect)}" for dialect in dialects),
        "",
        *_NOTES,
        "",
        *_table(("ISA", *_HEADS), ((dialect.name, *_cells(row)) for dialect, row in rows)),
        "",
        *_unmodelled(dialects),
    ]
    return "\n".join(lines) + "\n"


def pages(dialects: Sequence[Dialect]) -> dict[str, str]:
    """A Markdown page for each group of instructions by its file's name, and ``index.md``, which leads to them.

    A group is what a module declares; its title is what the module says of itself.
    """
    made: dict[str, str] = {}
    index = ["# Instructions", "", *_NOTES, "", "`mlusim isa NAME` shows the whole declaration of one.", ""]
    for dialect in dialects:
        if not dialect.instructions:
            continue
        index += [f"## {dialect.title}", "", f"{_counted(dialect)}.", ""]
        heads: list[tuple[str, str, str]] = []
        for name, (title, entries) in _groups(dialect).items():
            rows = [instruction_row(dialect, entry) for entry in entries]
            lines = [f"# {dialect.name}: {title}", "", *_table(_HEADS, map(_cells, rows))]
            made[f"{name}.md"] = "\n".join(lines) + "\n"
            shown = ", ".join(f"`{row}`" for row in dict.fromkeys(row.name for row in rows))
            heads.append((f"[{title}]({name}.md)", str(len({row.name for row in rows})), shown))
        index += [*_table(("Group", "Names", "Instructions"), heads), ""]
    return {"index.md": "\n".join([*index, *_unmodelled(dialects)]) + "\n"} | made


def _groups(dialect: Dialect) -> dict[str, tuple[str, list[Instruction]]]:
    """The instructions by the module that declares them: its name, and its first sentence."""
    package = f"{__package__}.{dialect.name}"
    named = (name for name in sys.modules if name.startswith(f"{package}.") and name != f"{package}.instructions")
    innermost_last = sorted(named, key=lambda name: name.count("."))
    homes = {id(entry): name for name in innermost_last for entry in collect(sys.modules[name])}
    found: dict[str, tuple[str, list[Instruction]]] = {}
    for entry in dialect.instructions:
        home = homes[id(entry)]
        title = (sys.modules[home].__doc__ or home).split("\n")[0].rstrip(".")
        name = home.removeprefix(f"{__package__}.").replace(".", "_")
        found.setdefault(name, (title, []))[1].append(entry)
    return found


def _counted(dialect: Dialect) -> str:
    names = {entry.name for entry in dialect.instructions}
    return f"`{dialect.name}`: {dialect.title}, {len(names)} names, {len(dialect.overloads)} overloads"


def _cells(row: InstructionRow) -> tuple[str, ...]:
    return (
        f"`{row.name}`",
        row.doc,
        f"`{row.arguments}`" if row.arguments else "",
        types_text(row),
        row.archs,
        "; ".join([*map(rule_text, row.rules), *([row.overlap] if row.overlap else [])]),
        " or ".join(dict.fromkeys(case.pipe for case in row.cases)) or row.pipe,
        row.provenance,
    )


def _unmodelled(dialects: Sequence[Dialect]) -> list[str]:
    return [
        "## Known, not modelled",
        "",
        "A kernel that names one of these compiles; one that executes it gets a finding.",
        "",
        *_table(
            ("ISA", "Instruction", "Does"),
            ((dialect.name, f"`{name}`", does) for dialect in dialects for name, does in dialect.known.items()),
        ),
    ]


def types_text(row: InstructionRow) -> str:
    """The element types of a row in one line."""
    return "; ".join(
        part
        for part in (" ".join(row.types), f"inferred: {' '.join(row.inferred_types)}" if row.inferred_types else "")
        if part
    )


def rule_text(rule: RuleRow) -> str:
    """A rule in one line, with its architectures and its source where they are not the usual ones."""
    notes = [*([] if rule.archs == "all" else [rule.archs]), *([INFERRED] if rule.provenance == INFERRED else [])]
    return rule.text + (f" ({', '.join(notes)})" if notes else "")


def _table(heads: Sequence[str], lines: Iterable[Sequence[str]]) -> list[str]:
    def line(cells: Sequence[str]) -> str:
        return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"

    return [line(heads), line(["---"] * len(heads)), *map(line, lines)]


def _binding(overload: Overload) -> str:
    """The types of an overload: the type of T, or every variable where there are several."""
    if len(overload.binding) == 1:
        return next(iter(overload.binding.values()))
    return ",".join(f"{variable}={name}" for variable, name in overload.binding.items())


def _direction(parameter: Parameter) -> str:
    if parameter.clobbered:
        return "work"
    return ("in" if parameter.reads else "") + ("out" if parameter.writes else "")


def _span(parameter: Parameter) -> str:
    if parameter.register:
        return "one vector register"
    spans = [f"[{d.count} @ {d.stride}]" if d.stride else f"[{d.count}]" for d in parameter.dims]
    if parameter.defined:
        spans[-1] = f"[{parameter.dims[-1].count} : {parameter.defined}]"
    return "".join(spans) + (f" ~ {parameter.order}" if parameter.order else "")


def _declared(entry: Instruction, parameter: Parameter) -> str:
    """A parameter as its declaration spells it."""
    kind = parameter.type
    if parameter.is_tensor:
        kind = f"{parameter.form or parameter.kind}<{kind}>"
    elif parameter.kind is Kind.BITS:
        kind = f"{parameter.form}<{kind}>"
    elif parameter.passed:
        kind = f"{parameter.passed}<{kind}>"
    if parameter.kind is Kind.STRUCT:
        return f"{kind} {'*' if parameter.pointer else ''}{parameter.name}{'?' if parameter.nullable else ''}"
    if not parameter.is_memory:
        return f"{kind} {parameter.name}"
    const = "work " if parameter.clobbered else "inout " if parameter.reads and parameter.writes else ""
    const = const or ("const " if parameter.reads else "")
    if parameter.register:
        return f"{const}{kind} &{parameter.name}"
    space = entry.space_of(parameter)
    place = "" if parameter.is_tensor or space in ("", "nram") else f"{space} "
    return f"{const}{place}{kind} {parameter.name}{_span(parameter)}"


def _c_prototype(dialect: Dialect, overload: Overload) -> str:
    parameters = ", ".join(_c_parameter(dialect, overload, p) for p in overload.parameters)
    returns = overload.instruction.prototype.returns
    given = returns if returns == "void" else result_type(overload).spellings[0]
    return f"{given} {overload.name}({parameters})"


def _c_parameter(dialect: Dialect, overload: Overload, parameter: Parameter) -> str:
    """A parameter as a kernel's author writes it in C."""
    spelled = ""
    if parameter.kind is not Kind.STRUCT:
        element = overload.element(parameter)
        spelled = ((not parameter.is_memory and element.scalar_spellings) or element.spellings)[0]
    c_type = dialect.c_type(overload, parameter, spelled)
    star = c_type[-1] if c_type[-1] in "*&" else ""
    return f"{c_type.removesuffix(star)} {star}{parameter.name}"


def _rule(entry: Instruction, rule: Rule) -> RuleRow:
    if isinstance(rule, Require):
        return RuleRow(rule.rule, entry.words(rule), str(rule.archs), rule.provenance)
    operands = rule.operands or tuple(p.name for p in entry.prototype.memory)
    whose = "the address of" if len(operands) == 1 else "the addresses of"
    verb = "is a multiple" if len(operands) == 1 else "are multiples"
    text = f"{whose} {', '.join(operands)} {verb} of {rule.multiple}"
    return RuleRow("alignment", text, str(rule.archs), rule.provenance)
