"""What the declaration of an instruction, or the interface of a function, asks of its arguments.

Messages of guards are patterns: ``{name}`` stands for the value of an argument, ``{at_name}`` for where an operand
lies, ``{bytes_name}`` for its size.
"""

from collections.abc import Iterable, Mapping

from ...log.region import Region
from ..finding import Finding
from ..rule import WARNING, declare_rule

ALIGNMENT = declare_rule("alignment", "an address is a multiple of what the instruction needs")
ARCH = declare_rule("arch", "the instruction exists on the architecture")
ARGUMENT = declare_rule("argument", "an argument has a value that the instruction accepts")
DTYPE = declare_rule("dtype", "the element type is one that the instruction accepts")
LANE = declare_rule("lane", "operands across lanes start in the lane that the instruction needs")
LENGTH = declare_rule("length", "a count is positive, or a multiple of what the instruction needs")
MEANING = declare_rule("meaning", "the name of an instruction has only one meaning", WARNING)
OVERLAP = declare_rule("overlap", "operands coincide or stay apart as the instruction allows")
#: What breaks them has nevertheless one meaning.
PLAIN = (ALIGNMENT, ARCH, LANE, LENGTH)


def absent(instruction: str, arch: int, archs: object, provenance: str) -> Finding:
    """An architecture does not have an instruction, but others (``archs``)."""
    return Finding(
        ARCH,
        f"{instruction} does not exist on architecture {arch}",
        limit=f"architectures {archs}",
        suggestion="leave the call out for this architecture, or choose another device",
        provenance=provenance,
    )


def mistaken(does: str, other: str) -> Finding:
    """What an instruction does (its doc line), and what else its name may be taken for."""
    message = f"it computes {does}; its name may be mistaken for {other}"
    return Finding(MEANING, message, suggestion="use the instruction whose name is unambiguous")


def unfit(error: Exception, instruction: str) -> Finding:
    """Without its rules being checked, an instruction has got arguments that it cannot be carried out with."""
    return Finding(
        ARGUMENT,
        f"the arguments break a rule, and the instruction cannot be carried out ({type(error).__name__}: {error})",
        instruction=instruction,
        suggestion="run it with checks: they say which rule, and what is allowed",
    )


def _on(archs: str) -> str:
    """Where a limit holds that some architectures have alone; "" stands for all."""
    return f" on architectures {archs}" if archs else ""


def misaligned(operand: str, multiple: int, archs: str, provenance: str) -> Finding:
    """A pattern: an operand does not begin at a multiple of so many bytes."""
    return Finding(
        ALIGNMENT,
        f"{operand} is at {{at_{operand}}}, not a multiple of {multiple}",
        operand=operand,
        limit=f"{multiple} bytes{_on(archs)}",
        suggestion=f"start {operand} at a multiple of {multiple} bytes",
        provenance=provenance,
    )


def misaligned_access(store: bool, size: int, where: str, who: str, region: Region | None) -> Finding:
    """A thread accesses so many bytes at an address that is no multiple of them."""
    what = "store" if store else "load"
    return Finding(
        ALIGNMENT,
        f"{what} of {size} bytes at {where} by {who} is not aligned to its size",
        instruction=what,
        limit=f"a multiple of {size} bytes (CUDA C++ Programming Guide, device memory accesses)",
        region=region,
        suggestion="test the address before it is cast to a vector type, or use a narrower one",
    )


def unmet(
    rule: str, instruction: str, condition: str, named: Mapping[str, bool], operand: str, archs: str, provenance: str
) -> Finding:
    """A pattern: a condition that an instruction states over its arguments does not hold.

    ``named`` are the arguments, and whether each is a pointer.
    """
    shown = ", ".join(
        f"{name} at {{at_{name}}}" if is_pointer else f"{name} = {{{name}}}" for name, is_pointer in named.items()
    )
    return Finding(
        rule,
        f"{instruction} needs that {condition}" + (f"; got {shown}" if shown else ""),
        operand=operand,
        limit=condition + _on(archs),
        provenance=provenance,
    )


def overlapping(
    target: tuple[str, bool], source: tuple[str, bool], kind: str, padding: int, provenance: str
) -> Finding:
    """A pattern: a written operand and a read one share bytes in a way that is not allowed.

    ``target`` and ``source`` are names, and whether the operand is a tensor across lanes; ``kind`` is what would be
    allowed ("same", "ascending", "none"), ``padding`` the bytes that a wider result may lie behind its input.
    """
    (d, in_lanes), (s, _) = target, source
    problem, limit = {
        "same": ("overlap and do not coincide", "operands coincide or stay apart"),
        "ascending": (
            f"overlap, and {d} begins or ends behind {s}",
            "operands stay apart, or the output neither begins nor ends behind the input"
            + (f", less than {padding} bytes of padding aside" if padding else ""),
        ),
        "none": ("overlap", "operands stay apart"),
    }[kind]
    one, other = (
        f"{name} ({'a tensor' if tensor else f'{{bytes_{name}}} bytes'} at {{at_{name}}})"
        for name, tensor in (target, source)
    )
    return Finding(
        OVERLAP,
        f"{one} and {other} {problem}",
        operand=d,
        limit=limit,
        suggestion=f"give {d} {'lanes or bytes' if in_lanes else 'memory'} of its own",
        provenance=provenance,
    )


def null_structure(argument: str, type: str) -> Finding:
    """A pointer to a structure of parameters is null."""
    return Finding(ARGUMENT, f"{argument} is null", limit=f"the address of a {type}")


def no_case(argument: str, labels: Iterable[str]) -> Finding:
    """A pattern: an argument that selects what is done has none of its values."""
    return Finding(ARGUMENT, f"{argument} is {{{argument}}}", limit=f"one of {', '.join(labels)}")


def no_cluster(argument: str) -> Finding:
    """A pattern: an argument names a cluster that the union has not."""
    return Finding(
        ARGUMENT,
        f"{argument} is {{{argument}}}",
        limit="the clusterId of a cluster of the union",
        suggestion="pass less than clusterDim, or launch as a union of more clusters",
    )


def no_kind(operand: str, kinds: Iterable[str]) -> Finding:
    """An operand that may be of several kinds is of none."""
    return Finding(ARGUMENT, f"{operand} is of no known kind", limit=f"one of {', '.join(kinds)}, and not null")


def no_such_types(
    instruction: str, given: Iterable[tuple[str, object]], possible: Iterable[object], moves: bool = False
) -> Finding:
    """Arguments name types that an instruction does not have; without ``possible``, not together.

    ``moves``: it copies elements as they are, and so it can bytes that several share.
    """
    fits = ", ".join(map(str, possible))
    limit = f"one of {fits}" if fits else "a combination of types that the instruction has"
    wrong = " and ".join(f"{argument} is {value}" for argument, value in given)
    suggestion = f"pass {limit}"
    if moves and wrong.endswith("INT4"):
        suggestion = "two of them share a byte: copy half as many columns of DT_UINT8"
    return Finding(DTYPE, wrong, instruction=instruction, limit=limit, suggestion=suggestion)


def misfit(problem: str, kernel: str) -> Finding:
    """Host code launches a kernel in a way that it, or the device, does not take."""
    advice = "launch with dimensions, a type and arguments that the kernel and the device take"
    return Finding(ARGUMENT, problem, kernel=kernel, suggestion=advice)


def called_by_host() -> Finding:
    """Host code calls a kernel as it calls functions of its own."""
    message = "a kernel is called like a function of the host"
    return Finding(ARGUMENT, message, suggestion="launch it with <<<dim, type, queue>>>")


def refused(problem: str) -> Finding:
    """A function of the operator library does not take its arguments."""
    return Finding(ARGUMENT, problem)
