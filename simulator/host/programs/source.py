"""The host's part of a source with kernels: functions of the device are gone, the body of a kernel launches it."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import count

from ...kernelc.declared import KernelDecl
from ...kernelc.host_functions import body_of, is_function, opens_parameters
from ...kernelc.launches import c_linkage_removed, declared_kernel, joined_launches, launch, overloaded, told_apart
from ...kernelc.scan import ASM_WORDS, KERNEL_WORDS, LAUNCH, SPACES, Site, scan
from ...kernelc.source import Edit, SourceText, apply_edits, layout
from ...kernelc.storage import declaration
from ...kernelc.tokens import Token, close, statement, tokens

#: What stands before functions of the device, in BANG C by the macros of mlusim_host.h, and before those of the host.
_DEVICE, _HOST_WORDS = "__device__", frozenset({"__mlu_host__", "__host__"})
_HOST = re.compile(rf"\b(?:{'|'.join(_HOST_WORDS)})\b")
#: Functions that are compiled only if they are used, and those of the device whose bodies the host needs.
_ENOUGH, _KEPT = frozenset({"inline", "static", "constexpr", "template"}), frozenset({"constexpr", "auto", "decltype"})
#: What stands before variables that do not change.
_FIXED = frozenset({"const", "constexpr"})
#: Several sources may define a variable of one name, each for its kernels.
_SHARED = '__attribute__((weak, visibility("hidden")))'
_KERNEL = "__attribute__((noinline, noclone))"
_NO_FUNCTION = frozenset({"typedef", "using", "friend"})
_LABELS = frozenset({"public", "private", "protected"})


def host_part(preprocessed: str, variable_words: Collection[str] = frozenset()) -> tuple[str, tuple[KernelDecl, ...]]:
    """The text as plain C++ that compiles against the headers of the host's part, and the kernels that it defines.

    ``variable_words`` stand before variables of the device that host code may name. Every line keeps its number. Raises
    `RewriteError` for a construct that is malformed.
    """
    preprocessed = joined_launches(preprocessed)
    source, sites = scan(preprocessed)
    serial, names = count(), set[str]()
    edits: list[Edit] = []
    templates: dict[str, KernelDecl] = {}
    plain: list[KernelDecl] = []
    declared: list[tuple[KernelDecl, Site]] = []
    done = 0
    for site in sites:
        if site.start < done:
            continue
        if site.word == LAUNCH:
            edits += launch(source, site)
        elif site.word in KERNEL_WORDS:
            edits.append(Edit(site.start, site.end, _KERNEL))
            if found := declared_kernel(source, site):
                declared.append((found[0], site))
                if found[1]:
                    if found[0].template:
                        templates[found[0].name] = found[0]
                    else:
                        plain.append(found[0])
                    edits += _launching(source, site)
            elif _is_specialization(source, site):
                edits += _launching(source, site)
        elif site.word in variable_words and _is_variable(source, site):
            changes, done = declaration(source, site, serial, names, "static")
            edits += changes
        elif site.word == _DEVICE:
            changes, done = (_hollowed if variable_words else _without_function)(source, site)
            edits += changes
        elif site.word in SPACES:
            edits.append(_in_host_memory(source, site))
        elif site.word in ASM_WORDS:
            continue
    others = overloaded(preprocessed, [kernel for kernel, _ in declared])
    edits += c_linkage_removed(source, declared, others)
    return _HOST.sub("", apply_edits(preprocessed, edits)), (*templates.values(), *told_apart(plain))


def _launching(source: SourceText, site: Site) -> list[Edit]:
    """A kernel's body becomes the call that launches it; parameters without a name get one."""
    found = statement(source.text, site.end)
    opening = next(at for at in range(len(found)) if opens_parameters(found, at))
    last = close(found, opening)
    body = next(at for at in range(last, len(found)) if found[at].text == "{")
    edits: list[Edit] = []
    listed: list[str] = []
    counts: list[str] = []
    for part in _parts(found[opening + 1 : last]):
        if [token.text for token in part] == ["void"]:
            continue
        name = _parameter_name(part)
        if not name:
            name = f"mlusim_unnamed_{len(listed)}"
            edits.append(Edit(part[-1].end, part[-1].end, f" {name}"))
        pack = any(token.text == "..." for token in part)
        listed.append(f"{{&{name}, sizeof({name})}}{'...' if pack else ''}, ")
        counts.append(f"sizeof...({name})" if pack else "1")
    table = f"::mlusim_argument mlusim_list[] = {{{''.join(listed)}{{}}}};"
    call = f"::mlusim_enter_kernel(mlusim_list, {' + '.join(counts) or '0'});"
    start, end = found[body].start, found[-1].end
    # The assembly keeps the call from being the last thing: its return address lies in this function.
    edits.append(Edit(start, end, f'{{ {table} {call} __asm__ volatile(""); }}{layout(source.text[start:end])}'))
    return edits


def _parts(inside: Sequence[Token]) -> list[list[Token]]:
    """The parameters between parentheses, without what they default to."""
    parts: list[list[Token]] = [[]]
    depth = 0
    default = False
    for token in inside:
        depth += (token.text in "([{<") - (token.text in ")]}>")
        if token.text == "," and not depth:
            parts.append([])
            default = False
        elif token.text == "=" and not depth:
            default = True
        elif not default:
            parts[-1].append(token)
    return [part for part in parts if part]


def _parameter_name(part: Sequence[Token]) -> str:
    """The name that a parameter declares, "" for none."""
    for at, token in enumerate(part[:-2]):  # a pointer to a function or to an array
        if token.text == "(" and part[at + 1].text in ("*", "&") and part[at + 2].kind == "word":
            return part[at + 2].text
    end = next((at for at, token in enumerate(part) if token.text == "[" and at), len(part))
    words = [token for token in part[:end] if token.kind == "word" and token.text not in ("const", "volatile")]
    words = [token for token in words if token.text not in SPACES and token.text != "__restrict__"]
    last = part[end - 1]
    single = len(words) < 2 and not any(token.text in "*&>" for token in part[:end])
    before = part[end - 2].text if end > 1 else ""
    is_type = single or last.kind != "word" or before == "::" or last.text in _TYPE_WORDS
    return "" if is_type else last.text


_TYPE_WORDS = frozenset(
    {"int", "char", "short", "long", "unsigned", "signed", "float", "double", "bool", "const", "half", "__restrict__"}
)


def _without_function(source: SourceText, site: Site) -> tuple[list[Edit], int]:
    """The edits for a word that stands before a function of the device, and the position up to which they reach."""
    word = Edit(site.start, site.end, "")
    head = list(tokens(source.text, site.statement, site.start))
    texts = [token.text for token in head]
    found = statement(source.text, site.statement)
    if site.parentheses or not found or _NO_FUNCTION & set(texts) or site.scope.kind == "block":
        return [word], site.end
    if _HOST_WORDS & {token.text for token in _specifiers(found)}:
        return [word], site.end
    first = 0
    while first + 1 < len(found) and found[first].text in _LABELS and found[first + 1].text == ":":
        first += 2
    if not is_function(found[first:]):
        return [word], site.end
    start, end = found[first].start, _function_end(source, found)
    return [Edit(start, end, layout(source.text[start:end]))], end


def _hollowed(source: SourceText, site: Site) -> tuple[list[Edit], int]:
    """As `_without_function`, but the function stays, so that host code can name it: its body is a trap."""
    edits, done = _without_function(source, site)
    found = statement(source.text, site.statement)
    body, words = body_of(found), {token.text for token in _specifiers(found)}
    if done == site.end or not found or (body == len(found) and found[-1].text != ";"):
        return edits, done  # it stays as it is, or is a constructor that initialises members
    is_own = site.scope.kind == "class" or words & _ENOUGH
    word = Edit(site.start, site.end, "" if is_own else "inline")
    if body == len(found) or words & _KEPT:
        return [word], site.end
    start, end = found[body].start, found[close(found, body)].end
    return [word, Edit(start, end, f"{{ __builtin_trap(); {layout(source.text[start:end])}}}")], end


def _specifiers(found: Sequence[Token]) -> Sequence[Token]:
    """What stands before the parameters of a function."""
    end = (at for at, token in enumerate(found) if token.text in ("{", ";") or opens_parameters(found, at))
    return found[: next(end, len(found))]


def _is_specialization(source: SourceText, site: Site) -> bool:
    """Whether a kernel's word stands in the definition of a specialization of a template."""
    head = [token.text for token in tokens(source.text, site.statement, site.start)]
    if site.parentheses or site.scope.kind != "namespace" or head[:3] != ["template", "<", ">"]:
        return False
    return statement(source.text, site.end)[-1].text == "}"


def _is_variable(source: SourceText, site: Site) -> bool:
    """Whether a word stands before a variable at file scope that kernels and host code may change."""
    found = statement(source.text, site.statement)
    texts = {token.text for token in _before_value(found)}
    is_other = site.parentheses or site.scope.kind != "namespace" or texts & (_NO_FUNCTION | _FIXED)
    return bool(found) and not is_other and not is_function(found)


def _before_value(found: Sequence[Token]) -> Sequence[Token]:
    """The tokens of a declaration up to its first initialiser."""
    return found[: next((at for at, token in enumerate(found) if token.text in ("=", "{")), len(found))]


def _function_end(source: SourceText, found: Sequence[Token]) -> int:
    """Where a function ends: after its body, or after the semicolon of its declaration.

    The initialisers of a constructor end at what a statement would take for a body.
    """
    at = 0
    while at < len(found) and found[at].text not in (";", "{"):
        at = close(found, at) + 1 if found[at].text in ("(", "[") else at + 1
    if at < len(found) and found[at].text == "{":
        at = close(found, at)
    return found[min(at, len(found) - 1)].end


def _in_host_memory(source: SourceText, site: Site) -> Edit:
    """A variable of an on-chip memory at file scope becomes an ordinary one; elsewhere the word goes."""
    gone = Edit(site.start, site.end, "")
    if site.scope.kind != "namespace" or site.parentheses:
        return gone
    found = [token.text for token in statement(source.text, site.statement)]
    own = {"const", "constexpr", "static", "extern", "typedef", "using", "template", "inline", "thread_local"}
    first = next((at for at, text in enumerate(found) if text in SPACES), 0)
    if own & set(found[: first + 2]) or found[:first].count("<") != found[:first].count(">"):
        return gone
    return gone._replace(new=_SHARED)
