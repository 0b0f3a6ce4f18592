"""Turn preprocessed BANG C into plain C++17 that compiles against the runtime header's `::mlusim` names.

Four things are rewritten: memory-space qualifiers, kernel declarations, launches and inline assembly. Everything else,
and all code of system headers, passes through unchanged; every line keeps its number.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import count

from .declared import KernelDecl
from .inline_asm import asm_statement
from .launches import (
    c_linkage_removed,
    declared_kernel,
    joined_launches,
    launch,
    overloaded,
    templates_apart,
    told_apart,
)
from .scan import ASM_WORDS, KERNEL_WORDS, LAUNCH, Site, scan
from .source import Edit, RewriteError, apply_edits
from .storage import declaration

__all__ = ["RewriteError", "Rewritten", "rewrite"]


@dataclass(frozen=True)
class Rewritten:
    """Plain C++17 text with the line markers of its input, and the kernels it defines, in the order of the source."""

    text: str
    kernels: tuple[KernelDecl, ...]


def rewrite(preprocessed: str, known_asm: Mapping[str, str]) -> Rewritten:
    """Rewrite one translation unit, the output of `g++ -E` with its line markers.

    `known_asm` maps the mnemonic of an assembly instruction ("index.vvr.f32") to the C function that performs it; other
    instructions become a call of `::mlusim::not_modelled`. Raises `RewriteError` for a construct that is malformed.
    """
    preprocessed = joined_launches(preprocessed)
    source, sites = scan(preprocessed)
    edits: list[Edit] = []
    declared: list[tuple[KernelDecl, Site]] = []
    defined: list[KernelDecl] = []
    serial = count()
    names: set[str] = set()
    done = 0
    for site in sites:
        if site.start < done:
            continue
        if site.word == LAUNCH:
            edits += launch(source, site)
        elif site.word in ASM_WORDS:
            if statement := asm_statement(source, site, known_asm):
                edits.append(statement)
        elif site.word in KERNEL_WORDS:
            edits.append(source.remove_word(site.start, site.end))
            if found := declared_kernel(source, site):
                kernel, is_definition = found
                declared.append((kernel, site))
                if is_definition:
                    defined.append(kernel)
        else:
            changes, done = declaration(source, site, serial, names)
            edits += changes
    others = overloaded(preprocessed, [kernel for kernel, _ in declared])
    edits += c_linkage_removed(source, declared, others)
    undefined = {kernel.name: kernel for kernel, _ in reversed(declared)}  # each by its first declaration
    for kernel in defined:
        undefined.pop(kernel.name, None)
    templates = [kernel for kernel in (*defined, *undefined.values()) if kernel.template]
    plain = [kernel for kernel in defined if not kernel.template]
    named = [kernel.name for kernel, _ in declared]
    launchable = sorted(
        [*templates_apart(templates), *told_apart(plain)], key=lambda kernel: named.index(kernel.plain_name)
    )
    return Rewritten(
        apply_edits(preprocessed, edits),
        tuple(replace(kernel, overloaded=kernel.overloaded or kernel.own_name in others) for kernel in launchable),
    )
