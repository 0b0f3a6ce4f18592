"""Commands of BDC, GDMA and SDMA: a prototype and members make a family, and what the machine asks of all follows.

The rules are facts of the vendor's checkers: the same start lane, alignment where a stride is null, strides and sizes
within the counters of the hardware, nothing written twice.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

from ..declare import INFERRED, Archs, Completion, Compute, Copy, Instruction, Require, family
from ..prototype import Kind, Parameter, parse
from .cycles import work as cycles
from .tensors import aligned, no_write_twice, same_lane, sizes, strided, used, variable_lanes

FLOATS = "float half bfloat16"
NARROW_FLOATS = "float8e4m3 float8e5m2"
INTEGERS = "int8 uint8 int16 uint16 int32 uint32"
EVERY = f"{FLOATS} {INTEGERS} {NARROW_FLOATS}"
#: Bytes from one element of a row to the next, at most, in commands of the engines that move.
WIDEST_STEP = {"gdma": 128, "sdma": 64}
#: Type variable -> what arguments that bind it are called.
_TYPE_ARGUMENTS = {
    "T": ("dtype", "data_dtype"),
    "D": ("dst_dtype", "output_dtype"),
    "S": ("src_dtype", "src0_src1_dtype", "input_dtype", "left_right_dtype"),
    "A": ("src0_dtype", "left_dtype"),
    "B": ("src1_dtype", "C_dtype", "shift_dtype", "right_dtype", "index_dtype", "mask_dtype", "bias_dtype"),
}
#: Name -> semantics (None where bytes move as they are) and doc line.
Members = Mapping[str, tuple[Callable[..., Any] | None, str]]


def bdc(
    prototype: str, members: Members, *, engine: str = "bdc_ar", rules: tuple[Require, ...] = (),
    elsewhere: Collection[str] = (), **facts: Any,
) -> tuple[Instruction, ...]:  # fmt: skip
    """A family of BDC commands; operands ``elsewhere`` may start in another lane than the others.

    Without ``work`` it is that of elements of the widest operand in the shape of the argument ``shape``.
    """
    parameters = parse(prototype.format(op="op")).parameters
    lanes = [p for p in parameters if p.is_lanes]
    if "work" not in facts:
        widest = {p.type: f"sizeof_{p.name}" for p in reversed(lanes)}.values()
        size = f"max({', '.join(reversed(widest))})" if len(widest) > 1 else f"sizeof_{lanes[0].name}"
        facts["work"] = cycles(engine, shape="shape", size=size)
    effect = Compute(Completion.QUEUED) if next(iter(members.values()))[0] else Copy(Completion.QUEUED)
    return _family(
        prototype, members, facts, pipe="bdc", engine=engine, effect=effect,
        rules=(*_of_shapes(parameters), *_of_lanes(parameters, elsewhere), *rules),
    )  # fmt: skip


def gdma(prototype: str, members: Members, **facts: Any) -> tuple[Instruction, ...]:
    """A family of GDMA commands."""
    return _moving("gdma", Completion.QUEUED, prototype, members, **facts)


def sdma(prototype: str, members: Members, **facts: Any) -> tuple[Instruction, ...]:
    """The same commands of SDMA, from BM1690 on: a queue of its own, which waits alone bring into an order."""
    prototype = prototype.replace("tpu_gdma_", "tpu_sdma_")
    return _moving("sdma", Completion.DEFERRED, prototype, members, archs=">=1690", **facts)


def _moving(
    engine: str, completion: Completion, prototype: str, members: Members, *, rules: tuple[Require, ...] = (),
    **facts: Any,
) -> tuple[Instruction, ...]:  # fmt: skip
    parameters = parse(prototype.format(op="op")).parameters
    effect = Compute(completion) if next(iter(members.values()))[0] else Copy(completion)
    return _family(
        prototype, members, facts, pipe=engine, effect=effect, overlap="any",
        rules=(*_of_shapes(parameters), *_of_steps(parameters, WIDEST_STEP[engine]), *rules),
    )  # fmt: skip


def _family(prototype: str, members: Members, facts: dict[str, Any], **fixed: Any) -> tuple[Instruction, ...]:
    parameters = parse(prototype.format(op="op")).parameters
    values = [p.name for p in parameters if p.type == "data_type"]
    types = facts.get("types", "")
    by_variable: Mapping[str, str]
    if isinstance(types, list):  # one binding after the other
        by_variable = {v: " ".join(binding[v] for binding in types) for v in types[0]}
    else:
        by_variable = types if isinstance(types, Mapping) else {"T": types} if types else {}
    arguments = {v: next(name for name in _TYPE_ARGUMENTS[v] if name in values) for v in by_variable}
    newer = tuple(
        Require(
            f"{arguments[v]} != DT_FP8E4M3 and {arguments[v]} != DT_FP8E5M2", Archs("<1690"), rule="arch", needed=True
        )
        for v, kinds in by_variable.items()
        if set(NARROW_FLOATS.split()) & set(kinds.split())
    )
    # Nothing here is stated by a document unless a family says so.
    facts = {"provenance": INFERRED, "space": "local", "type_arguments": arguments, **fixed, **facts}
    return family(prototype, members, **{**facts, "rules": (*newer, *fixed["rules"])})  # type: ignore[arg-type]


def _of_shapes(parameters: tuple[Parameter, ...]) -> Iterator[Require]:
    for p in parameters:
        if p.kind is Kind.STRUCT and p.name.endswith("shape"):
            yield from sizes(p.name)


def _nullable(parameters: tuple[Parameter, ...]) -> dict[str, str]:
    """Operand -> its stride argument, of those that have one."""
    structures = {p.name for p in parameters if p.kind is Kind.STRUCT}
    return {p.name: p.dims[0].stride for p in parameters if p.is_tensor and p.dims[0].stride in structures}


def _of_lanes(parameters: tuple[Parameter, ...], elsewhere: Collection[str]) -> Iterator[Require]:
    """Lanes, alignment and strides of operands across lanes."""
    tensors = [p for p in parameters if p.kind is Kind.TENSOR]
    variables = [p.name for p in parameters if p.kind is Kind.VARIABLE]
    together = [p.name for p in tensors if p.name not in elsewhere]
    if together:
        for p in tensors:
            if p.name in together[1:]:
                yield from (replace(rule, when=used(p)) for rule in same_lane(together[0], p.name))
        yield from variable_lanes(together[0], *variables)
    strides = _nullable(parameters)
    for p in tensors:
        if p.name in strides:
            yield from strided(**{p.name: strides[p.name]})
        elif not p.dims[0].stride:
            yield from (replace(rule, when=used(p)) for rule in aligned(p.name))
    for name in variables:
        yield Require(f"{name} % sizeof_{name} == 0", rule="alignment", when=f"placed_{name}")
    for p in tensors:
        if p.writes and p.name in strides:
            yield from no_write_twice(strides[p.name], p.dims[0].count)


def _of_steps(parameters: tuple[Parameter, ...], widest: int) -> Iterator[Require]:
    """Rows are read and written in steps that the engine has; alignment and strides of operands across lanes."""
    strides = _nullable(parameters)
    for p in parameters:
        stride = strides.get(p.name)
        if stride:
            yield Require(f"0 < {stride}.w * sizeof_{p.name} <= {widest}", when=stride)
        if stride and p.writes and not p.reads and any(other.reads for other in parameters):
            yield from no_write_twice(stride, p.dims[0].count, "nch", p.name if p.is_lanes else "")
    for p in parameters:
        if p.is_lanes and p.name in strides:
            yield from strided("nch", **{p.name: strides[p.name]})
        elif p.is_lanes:
            yield from aligned(p.name)
