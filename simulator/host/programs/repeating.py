"""A launch of a host program that is compared with itself: from the same bytes, in other orders, splits and tiles."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import Any, NamedTuple

import numpy as np

from ....isa.types import TYPES
from ...checks.after_run import Given
from ...checks.consequences import without_consequences
from ...core.execution import Launch
from ...core.memory.global_memory import GlobalMemory
from ...engines.engine import Outcome
from ...findings import Finding, spoiled
from ...launches.anew import BuiltAnew, BuiltReference
from ...launches.arguments import KernelParameter, element_type, parse_signature
from ...launches.comparing import in_variants
from ...launches.contents import Contents, Reruns
from ...launches.device import Device
from ...launches.image import LaunchableImage
from ...launches.orders import in_orders, may_agree
from ...launches.repeatable import RepeatableLaunch
from ...launches.repeats import Repeats, further
from ...launches.variants import IN_TILES, Variant, Variants, by_references, in_tiles, poisoned, variants_of
from ...log import Log
from .images import Built, ProgramImage

_BYTE, _ADDRESS = np.dtype(np.uint8), np.dtype(np.uint64)
_WORD = re.compile(r"\w+")
#: Why a launch is not compared with a kernel that would have to be built for it.
_NOT_BUILT = f"{IN_TILES}, or with other bytes in locals: the sources that it was built of have changed"


class Repeated(NamedTuple):
    """What came of a launch, the findings of its repeats beside its own, and what these were."""

    outcome: Outcome
    found: list[Finding]
    tried: str

    def told(self) -> Outcome:
        """Its log, and the findings of all."""
        return self.outcome[0], self.found


def repeated(
    device: Device, launch: Launch, image: ProgramImage, repeats: Repeats, run: Callable[[Launch, Built], Outcome]
) -> Repeated:
    """Run a launch, and run it again; the memory of the device ends as the launch itself has left it.

    ``image`` has its kernel, ``run`` carries out a launch of this or of another image, checks of its log included.
    """
    signature = image.signatures[launch.entry]
    values = [_value(*pair) for pair in _arguments(launch, signature)]
    before = Contents(device.memory)
    begun = monotonic()
    log, findings = run(launch, image)
    took = monotonic() - begun
    arrays = list(_arrays(device.memory, launch, signature, log))
    variants = variants_of(repeats, device.shape, launch, values, (), [array.shape for array in arrays])
    if repeats.retile or repeats.poison or repeats.references:
        variants = _with_built(variants, launch, values, image.anew, repeats)
    if launch.each and _part(launch) is None:
        own = "otherwise: each task has an argument of its own"
        variants = replace(variants, chosen=(), varied=(), built=None, refused=(*variants.refused, own))

    def execute(variant: Variant) -> Outcome:
        own, built = variant.launch, variant.kernel or image
        changed = launch._replace(dim=own.dim, kind=own.kind, time_limit=own.time_limit, poison=own.poison)
        changed = changed._replace(arguments=_bytes_of(launch, changed, signature, values, variant.values))
        changed = changed._replace(library=built.library, entry=built.kernels.index(own.kernel))
        return run(further(changed, took), built)

    def in_order(order: int) -> Outcome:
        return run(further(launch, took)._replace(order=order), image)

    found = [*findings]
    if may_agree(found, log):
        reruns = Reruns(before, log)
        if repeats.orders:
            found = in_orders(in_order, reruns, arrays, repeats.orders, log, findings)
            variants = replace(variants, ordered=True)
        if variants and not spoiled(found):
            launched = RepeatableLaunch(Variant("", "", launch, values), log, found, arrays, reruns, execute)
            found, variants = in_variants(launched, variants.completed())
    return Repeated((log, findings), without_consequences(found), variants.tried)


def _with_built(
    variants: Variants, launch: Launch, values: Sequence[Any], anew: BuiltAnew | None, repeats: Repeats
) -> Variants:
    """With those whose kernels are built anew."""
    if anew is None:
        return replace(variants, refused=(*variants.refused, _NOT_BUILT))

    def built() -> Iterator[Variant]:
        if repeats.references:
            yield from by_references(launch, values, _references(launch, values, anew))
        if repeats.retile:
            yield from in_tiles(launch, values, anew.in_tiles(launch.kernel))
        if repeats.poison:
            yield from poisoned(launch, values, anew.poisoned(launch.kernel))

    return replace(variants, built=built)


def _references(
    launch: Launch, values: Sequence[Any], anew: BuiltAnew
) -> Iterator[tuple[BuiltReference, LaunchableImage]]:
    """The functions of a kernel's source that take the very bytes which a launch passes."""
    for one in anew.references(launch.kernel, values):
        signatures = dict(zip(one.image.kernels, one.image.description.signatures, strict=True))
        if signatures[one.name] == signatures[launch.kernel] and one.passed(values) == values:
            yield one, one.image


def _arguments(launch: Launch, signature: str) -> Iterator[tuple[KernelParameter, bytes]]:
    """The parameters of a kernel, each with what a launch passes for it."""
    return zip(parse_signature(signature), launch.arguments, strict=False)


def _value(parameter: KernelParameter, passed: bytes) -> Any:
    """A number that is passed by value; any other argument as its bytes."""
    dtype = element_type(parameter)
    if parameter.pointer or dtype is None or len(passed) != dtype.itemsize:
        return passed
    return np.frombuffer(passed, dtype)[0].item()


def _bytes_of(
    launch: Launch, other: Launch, signature: str, values: Sequence[Any], changed: Sequence[Any]
) -> tuple[bytes, ...]:
    """The arguments of a launch, for another one with other numbers or tasks."""
    part = _part(launch)
    if part is not None:
        return (part * math.prod(other.dim),)
    passed = list(launch.arguments)
    for number, (parameter, _) in enumerate(_arguments(launch, signature)):
        if changed[number] is not values[number]:
            passed[number] = np.array(changed[number]).astype(element_type(parameter)).tobytes()
    return tuple(passed)


def _part(launch: Launch) -> bytes | None:
    """What every task has of the one argument, where they have parts of it that are all alike."""
    if not launch.each:
        return None
    whole, tasks = launch.arguments[0], math.prod(launch.dim)
    part = whole[: len(whole) // tasks]
    return part if part * tasks == whole else None


def _arrays(memory: GlobalMemory, launch: Launch, signature: str, log: Log) -> Iterator[Given]:
    """The arrays that arguments point to, or that blocks of arguments hold addresses of, each once.

    What pointers do not say of the type of their elements the instructions do, if all are of one.
    """
    seen = set()
    values = [_value(*pair) for pair in _arguments(launch, signature)]
    whole_numbers = tuple(value for value in values if isinstance(value, int))
    for number, (parameter, passed) in enumerate(_arguments(launch, signature)):
        addresses = np.frombuffer(passed[: len(passed) // 8 * 8], _ADDRESS).tolist()
        for address in addresses if len(passed) % 8 == 0 else ():
            entry = memory.memory.find(address)
            known = element_type(parameter) if parameter.pointer else None
            dtype = known if known and known.itemsize > 1 else _type_of(log)  # a pointer to bytes is one to anything
            if entry is None or not entry.start <= address < entry.end or entry.start in seen or dtype is None:
                continue
            seen.add(entry.start)
            count = (entry.end - address) // dtype.itemsize
            name = f"argument {number}" if len(addresses) == 1 else entry.name
            held = entry.view(_BYTE)[address - entry.start :][: count * dtype.itemsize]
            key, contents = memory.memory.key(address), partial(held.view, dtype)
            yield Given(name, str(address), key, (count,), dtype, True, False, contents, passed=whole_numbers)


def _type_of(log: Log) -> np.dtype | None:
    """The floating-point type of a launch's instructions; bytes where they have none, None where they have several."""
    names = {word for op in log.ops for word in _WORD.findall(op.dtypes)} & TYPES.keys()
    floating = {TYPES[name].dtype for name in names if TYPES[name].dtype.kind in "fV"}
    return next(iter(floating), _BYTE) if len(floating) < 2 else None
