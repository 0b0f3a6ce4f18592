"""The way of every launch, whatever it is of: arrays there, the engine, checks, results, arrays back."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from itertools import chain
from time import monotonic
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..checks.after_run import Given, came_to_end, examine, with_origins, without_known_meanings
from ..checks.at_issue.checking import Checking
from ..checks.consequences import without_consequences
from ..checks.results import Expectations, Follow, TileSize, wrong_results
from ..chip.launch_kinds import LaunchKind, Three
from ..core.execution import Launch, log_limit
from ..core.memory import Allocation
from ..core.memory.global_memory import DeviceArray
from ..engines.engine import Outcome
from ..findings import ADVICE, ERROR, Finding, KernelError, rules, spoiled
from ..findings.reports import suppressed_in_sources
from ..log import Log
from ..spent import phase
from .anew import BuiltReference
from .arguments import device_arrays
from .contents import Contents, Reruns
from .copies import ArrayCopies
from .device import Device
from .host_memory import read_only_writes, sourced
from .options import LaunchOptions
from .orders import in_orders, may_agree
from .repeatable import RepeatableLaunch
from .repeats import Repeats, counts_among, further, numbers_among, passes_zero
from .run import Run
from .variants import IN_TILES, NO_VARIANTS, Variant, Variants, by_references, in_tiles, poisoned, variants_of
from .watchers import watchers

#: Errors that are found in the log of a launch, which has come to its end.
_AFTERWARDS = (rules.waits.ORDER, rules.race.RACE, rules.results.WRONG_RESULT)


class Named(NamedTuple):
    """What is known of a parameter: ``declared`` by the source, as a pointer to what is ``constant`` or not."""

    name: str
    constant: bool = False
    declared: bool = False


class Kernel(Protocol):
    """What can be launched."""

    name: str
    #: Why it is not built anew, for smaller tiles; "" if it is.
    unbuilt: str

    def parameters(self) -> Sequence[Named]:
        """Its parameters in order, as far as they are known."""

    def arrays(self, values: Sequence[Any]) -> list[tuple[str, np.ndarray]]:
        """The host's arrays among its arguments, each with its place, such as "0" or "2.data"."""

    def in_tiles(self) -> Iterable[tuple[TileSize, Kernel]]:
        """The kernel in smaller tiles than its source has, as far as one can tell."""

    def sizes(self) -> Collection[int]:
        """The whole numbers that its source defines: it may be written for so many threads of a block."""

    def may_leave(self, member: str) -> bool:
        """Whether it may have no use for a member of a structure, which other kernels of its source have."""

    def lacks(self, word: str) -> bool:
        """Whether its body is known, and does not have a word."""

    def suspicious(self) -> Sequence[Finding]:
        """What of its scalar code cannot be meant, as far as its text is known."""

    def references(self, values: Sequence[Any]) -> Iterable[tuple[BuiltReference, Kernel]]:
        """Other functions of its source that may compute the same of these arguments, with their names as kernels."""

    def poisoned(self) -> Kernel | None:
        """The kernel with other bytes in local variables that nothing sets, if it has such."""

    def ready(
        self, values: Sequence[Any], copies: ArrayCopies, options: LaunchOptions
    ) -> AbstractContextManager[Callable[[Launch], Outcome]]:
        """What carries out launches with these arguments, lines located, with arrays where ``copies`` has them."""


def carry_out(
    device: Device, kernel: Kernel, values: Sequence[Any], extent: tuple[Three, LaunchKind], options: LaunchOptions
) -> Run:
    """Launch a kernel with these arguments when it is its turn; KernelError where an error is to be raised."""
    repeats = options.repeats or watchers(os.getpid()).repeats()
    exact = bool(repeats or options.expected)
    launch = Launch(kernel.name, *extent, options.on_finding, options.time_limit, log_limit=log_limit(), exact=exact)

    def in_turn() -> Run:
        arrays, itself = kernel.arrays(values), partial(Variant, "", "", launch, values)
        with ArrayCopies(device.memory, kernel.name, arrays) as copies:
            given = partial(_given, device, kernel, values, arrays, copies)

            def again(launch: Launch) -> Launch:
                return further(launch, took) if options.isolate else launch

            def execute(variant: Variant) -> Outcome:
                with (variant.kernel or kernel).ready(variant.values, copies, options) as run:
                    return run(again(variant.launch))

            with kernel.ready(values, copies, options) as run:
                options.expected.matched(given())
                variants = _variants(device, kernel, values, launch, repeats, given)
                if options.repeats and variants.refused and not repeats.deep:
                    raise ValueError(_refusal(variants.refused[0]))

                def checked(launch: Launch) -> Outcome:
                    log, findings = run(launch)
                    with phase("checks of the log"):
                        return log, examined(device.checking, launch, log, findings, given, copies.read_only)

                def in_order(order: int) -> Outcome:
                    return checked(again(launch)._replace(order=order))

                anew = repeats.orders or variants or (options.expected and launch.kind.transactions)
                before, begun = Contents(device.memory) if anew else None, monotonic()
                log, findings = checked(launch._replace(stored=exact))
                took = monotonic() - begun
                reruns = Reruns(before, log) if before and may_agree(findings, log) else None
                if reruns and repeats.orders:
                    findings = in_orders(in_order, reruns, given(), repeats.orders, log, findings)
                    variants = replace(variants, ordered=True)
            with phase("comparison of results"):
                follow = _follow(execute, before, log, itself()) if before and options.expected else None
                wrong = compared([log], findings, options.on_finding, given, options.expected, follow)
            findings = [*findings, *wrong]
            if reruns and variants and not spoiled(findings):
                from .comparing import in_variants  # most launches are compared with nothing

                with phase("variants"):
                    launched = RepeatableLaunch(itself(), log, findings, list(given()), reruns, execute)
                    findings, variants = in_variants(launched, variants.completed())
            if wrong or variants.done:
                findings = _advice_last(without_consequences(findings))
            made = _finished(device, launch, log, findings, variants)
            with phase("arrays to the host"):
                copies.copy_back()
            return made

    return device.in_turn(in_turn)


def _refusal(text: str) -> str:
    """What is said of a comparison that a launch asks for and that cannot be made."""
    return f"{'retile' if text.startswith(IN_TILES) else 'resplit'}: {text}"


def _follow(execute: Callable[[Variant], Outcome], before: Contents, log: Log, itself: Variant) -> Follow | None:
    """What runs blocks of threads again, to log what single threads do; None for tasks, of which the log says it."""
    if not itself.launch.kind.transactions:
        return None

    def follow(key: int) -> Log:
        launched = RepeatableLaunch(itself, log, (), (), Reruns(before, log), execute)
        with launched.reruns:
            return launched.followed(itself, key)

    return follow


def _variants(
    device: Device, kernel: Kernel, values: Sequence[Any], launch: Launch, repeats: Repeats,
    given: Callable[[], Iterable[Given]],
) -> Variants:  # fmt: skip
    """What a launch of these arrays is compared with; nothing of one that is not to be."""
    if not repeats.with_changes:
        return Variants(orders=repeats.orders) if repeats.orders else NO_VARIANTS
    names = [parameter.name for parameter in kernel.parameters()]
    shapes = [array.shape for array in given()]
    sizes = kernel.sizes() if launch.kind.transactions else ()
    found = variants_of(repeats, device.shape, launch, values, names, shapes, sizes)
    retile = repeats.retile and not launch.kind.transactions
    if repeats.vary:
        found = replace(
            found, static=(*_unnamed(kernel, zip(names, values, strict=False), shapes), *kernel.suspicious())
        )
    if kernel.unbuilt:
        return replace(found, refused=(*found.refused, f"{IN_TILES}: {kernel.unbuilt}")) if retile else found
    if not retile and not repeats.poison and not repeats.references:
        return found

    makes: list[Callable[[], Iterable[Variant]]] = []
    if repeats.references:
        makes.append(lambda: by_references(launch, values, kernel.references(values)))
    if retile:
        makes.append(lambda: in_tiles(launch, values, kernel.in_tiles()))
    if repeats.poison:
        makes.append(lambda: poisoned(launch, values, kernel.poisoned()))

    def built() -> Iterator[Variant]:
        from concurrent.futures import ThreadPoolExecutor  # few launches have such variants

        with ThreadPoolExecutor(len(makes)) as threads:  # each waits for a compiler
            yield from chain.from_iterable(threads.map(lambda make: [*make()], makes))

    return replace(found, built=built)


def _unnamed(kernel: Kernel, passed: Iterable[tuple[str, Any]], shapes: Iterable[tuple[int, ...]]) -> Iterator[Finding]:
    """The whole numbers that a kernel is passed and does not name; the grid may say what is the length of an array."""
    lengths = {length for shape in shapes for length in (*shape, math.prod(shape))}
    for name, value in passed:
        if isinstance(value, (int, np.integer)) and value not in lengths and kernel.lacks(name):
            yield replace(rules.results.unnamed(f"{name} = {value}"), kernel=kernel.name)


def _given(
    device: Device, kernel: Kernel, values: Sequence[Any], of_host: Sequence[tuple[str, np.ndarray]],
    copies: ArrayCopies,
) -> Iterator[Given]:  # fmt: skip
    """The arrays of a launch that is ready or has run."""
    arrays: list[tuple[str, np.ndarray | DeviceArray]] = [*of_host, *device_arrays(values)]
    if not arrays:
        return
    memory, parameters, counts = device.memory.memory, kernel.parameters(), counts_among(values)
    passed = tuple(number for number in numbers_among(values).values() if isinstance(number, int))
    optional = passes_zero(values) or "false" in kernel.name
    for title, array in arrays:
        place, _, member = title.partition(".")
        if place.isdigit() and int(place) < len(parameters):
            own = parameters[int(place)]
            name, constant, declared = Named(f"{own.name}.{member}") if member else own
        else:  # of a kernel that takes its arguments in one block
            name, constant, declared = Named(member if member and not parameters else f"argument {title}")
        if isinstance(array, DeviceArray):
            address, output, contents = array.address, not constant, array.held
        elif not copies.placed(array):
            continue
        else:
            address, output = copies.address(array), not constant and array.flags.writeable
            contents = partial(copies.contents, array)
        key, shared = memory.key(address), bool(member) and kernel.may_leave(member.rpartition(".")[2])
        yield Given(
            name, title, key, array.shape, array.dtype, bool(output), declared, contents, counts, optional, passed,
            shared=shared,
        )  # fmt: skip


def examined(
    checking: Checking, launch: Launch, log: Log, findings: list[Finding],
    given: Callable[[], Iterable[Given]] = tuple, read_only: Callable[[], Sequence[Allocation]] = tuple,
) -> list[Finding]:  # fmt: skip
    """The findings of a launch with those of its log, which come first: the others may follow from them.

    Advice comes last. ``given`` are its arrays, ``read_only`` those that the host cannot write.
    """
    if not checking.of_logs:
        return findings
    found = examine(log, findings, launch.on_finding, given)
    told = without_known_meanings(log.shape.isa, findings)
    said = [*found, *with_origins(log, told), *read_only_writes(log, read_only())]
    return _advice_last(without_consequences(said))


def compared(
    logs: Sequence[Log], findings: Iterable[Finding], on_finding: str, given: Callable[[], Iterable[Given]],
    expected: Expectations, follow: Follow | None = None,
) -> list[Finding]:  # fmt: skip
    """What is wrong with the results of launches that have come to their end; ``findings`` are those of all.

    ``follow`` runs a launch of blocks of threads again, for what they do access by access.
    """
    if not expected or not logs or not came_to_end(findings, on_finding):
        return []
    return wrong_results(logs, list(given()), expected, follow=follow)


def _advice_last(findings: Sequence[Finding]) -> list[Finding]:
    """Findings in their order, but for advice."""
    return sorted(findings, key=lambda finding: finding.severity == ADVICE) if findings else []


def _finished(device: Device, launch: Launch, log: Log, findings: list[Finding], variants: Variants) -> Run:
    """The run of a launch that has ended, told to those who watch; KernelError where an error is to be raised.

    Comments suppress nothing if an error has ended the launch: what it would have done after that is missing.
    """
    raises, afterwards = launch.on_finding == "raise", () if launch.kind.transactions else _AFTERWARDS
    ended = raises and any(finding.severity == ERROR and finding.rule not in afterwards for finding in findings)
    known = suppressed_in_sources(sourced(findings, device.memory)) if findings else findings
    kept = [finding for finding in known if ended or not finding.reason]
    suppressed = [finding for finding in known if finding.reason and not ended]
    run = Run(kept, log, device.rates, suppressed=suppressed, variants=variants)
    raised = raises and bool(run.errors)
    watchers(os.getpid()).tell(run, raised)
    if raised:
        raise KernelError(run.errors[0], run)
    return run
