"""One fast pass over preprocessed text: where the device constructs are, and in which scope each stands."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, NamedTuple

from .source import Marker, SourceText
from .tokens import COMMENT, GROUP_WORDS, STRING, Token, close, close_angle, tokens

SPACES = {
    "__nram__": "nram", "__wram__": "wram", "__mlu_shared__": "sram", "__ldram__": "ldram",
    "__shared__": "shared", "__constant__": "constant", "__device__": "device", "__managed__": "managed",
}  # fmt: skip
"""Memory-space qualifier -> name of the space: those of BANG C, then those of CUDA."""
KERNEL_WORDS = frozenset({"__mlu_global__", "__mlu_entry__", "__global__"})
ASM_WORDS = frozenset({"asm", "__asm__", "__asm"})
LAUNCH = "<<<"

_DEVICE_SYNTAX = re.compile("|".join((*SPACES, *KERNEL_WORDS, LAUNCH, "asm")))
# Every alternative begins with a literal character: the search then skips other characters at full speed.
# A character literal holds exactly one character here, so that the digit separators of 1'000 open none.
_LANDMARK = re.compile(
    rf"""[{{}}();]|{STRING}|'(?:[^'\\\n]|\\.[^'\n]{{0,8}})'|{COMMENT}|\n[ \t]*\#[^\n]*|<<<"""
    r"""|__(?:nram|wram|mlu_shared|ldram|mlu_global|mlu_entry|asm|shared|constant|device|managed|global)__(?![\w$])|__asm(?![\w$])|asm(?![\w$])"""
)
_MARKER = re.compile(r'\n?[ \t]*#(?:line)? (\d+) "((?:[^"\\]|\\.)*)"((?: \d)*)')
_USER_MARKER = re.compile(r'^# \d+ "((?:[^"\\\n]|\\.)*)"((?: [124])*)$', re.MULTILINE)
_ENUMERATION = re.compile(r"(?:\s|#[^\n]*\n)*(?:typedef\s+)?enum\b[^()]*")
_NO_CODE = re.compile(r"(?:\s|#[^\n]*)*")
_MAYBE_CLASS = re.compile(r"\b(?:struct|class|union)\b")
_CLASS_WORDS = frozenset({"struct", "class", "union"})
_BEFORE_CLASS = frozenset({"typedef", "static", "const", "volatile", "extern", "inline", "constexpr", "thread_local"})


@dataclass(frozen=True)
class Scope:
    """A pair of braces: a namespace (or the whole file), a class, or anything else that holds code ("block").

    `path` is the qualified name of the enclosing namespaces, without unnamed ones; `linkage` is the literal of the
    `extern "C"` around it, "" without one.
    """

    kind: Literal["namespace", "class", "block"]
    path: tuple[str, ...]
    linkage: str = ""


@dataclass(frozen=True)
class Site:
    """One device word (or `<<<`) at `start`, in the statement that begins at `statement`.

    `parentheses` counts the open ones since the scope's brace; `system` marks the expansion of a system header's macro.
    """

    word: str
    start: int
    statement: int
    scope: Scope
    parentheses: int
    system: bool

    @property
    def end(self) -> int:
        return self.start + len(self.word)


def scan(text: str) -> tuple[SourceText, list[Site]]:
    """The text with its line map, and all sites outside strings, comments and system headers, in order."""
    scanner = _Scanner(text)
    if _DEVICE_SYNTAX.search(text):
        scanner.run()
    return SourceText(text, scanner.markers), scanner.sites


class Body(NamedTuple):
    """Braces of code at file scope or in a namespace: where the statement begins that has them, and where they do."""

    statement: int
    start: int


def bodies(text: str) -> list[Body]:
    """The braces of code that stand in namespaces, not in the system's headers, in order."""
    scanner = _Scanner(text)
    scanner.run()
    return scanner.bodies


class HeaderSpan(NamedTuple):
    """A header of the system: where its marker begins and the text behind that, and where the marker after it does."""

    marker: int
    start: int
    end: int


def headers(text: str) -> list[HeaderSpan]:
    """The system's headers that stand at file scope before any code; none behind one elsewhere that is not empty."""
    scanner = _Scanner(text)
    scanner.run()
    return scanner.headers


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.headers: list[HeaderSpan] = []
        self.bodies: list[Body] = []
        self._code = False
        self.sites: list[Site] = []
        self.markers = [Marker(0, "<source>", 1)]
        self._user_files = {"<source>"}
        self._system = False

    def run(self) -> None:
        text = self.text
        scope = Scope("namespace", ())
        outer: list[tuple[Scope, int, int]] = []
        parentheses = statement = 0
        # A line marker on the very first line has no line break before it, which the landmarks need.
        begin: int | None = self._directive(0, text.partition("\n")[0]) if text.startswith("#") else 0
        while begin is not None:
            matches = _LANDMARK.finditer(text, begin)
            begin = None
            for match in matches:
                mark = match[0]
                if mark == "(":
                    parentheses += 1
                elif mark == ")":
                    parentheses -= 1
                elif mark == ";":
                    if not parentheses:
                        statement = match.end()
                elif mark == "{":
                    outer.append((scope, parentheses, statement))
                    head = text[statement : match.start()]
                    scope = _opened(scope, head, parentheses)
                    if scope.kind == "block" and outer[-1][0].kind == "namespace":
                        self.bodies.append(Body(statement, match.start()))
                    self._code |= scope.kind == "block" and not _ENUMERATION.fullmatch(head)
                    parentheses, statement = 0, match.end()
                elif mark == "}":
                    if outer:
                        scope, parentheses, statement = outer.pop()
                    if not parentheses:
                        statement = match.end()
                elif mark[0] == "\n":
                    begin = self._directive(match.start(), mark)
                    if begin != match.end():
                        inside = bool(outer or parentheses or not _NO_CODE.fullmatch(text, statement, match.start()))
                        self._note_header(HeaderSpan(match.start() + 1, match.end() + 1, begin + 1), inside)
                        if not parentheses:
                            statement = begin
                        break
                    begin = None
                elif mark[0] in "_a<" and not (mark != LAUNCH and _in_word(text, match.start())):
                    self.sites.append(Site(mark, match.start(), statement, scope, parentheses, self._system))

    def _directive(self, start: int, line: str) -> int:
        """Note a line marker; return where to go on: after the line, or after the system header that it opens."""
        end = start + len(line)
        marker = _MARKER.match(line)
        if marker is None:
            return end
        file = marker[2]
        self._system = "3" in marker[3]
        if self._system and file not in self._user_files:
            return self._after_system_header(end)
        self._user_files.add(file)
        self.markers.append(Marker(end + 1, file, int(marker[1])))
        return end

    def _note_header(self, span: HeaderSpan, inside: bool) -> None:
        if not (inside or self._code):
            self.headers.append(span)
        elif not _NO_CODE.fullmatch(self.text, span.start, span.end):
            self._code = True

    def _after_system_header(self, start: int) -> int:
        """Where the user's text goes on: the line break before the next marker of a user's file.

        A marker without any flag that names a system header belongs to a user's macro expanded there.
        """
        for marker in _USER_MARKER.finditer(self.text, start):
            if marker[2] or marker[1] in self._user_files:
                return marker.start() - 1
        return len(self.text)


def _in_word(text: str, start: int) -> bool:
    return start > 0 and (text[start - 1].isalnum() or text[start - 1] in "_$")


def _opened(outer: Scope, head: str, parentheses: int) -> Scope:
    """The scope of a `{` that follows the text `head` of its statement."""
    if parentheses or (outer.kind == "block" and not _MAYBE_CLASS.search(head)):
        return Scope("block", outer.path)
    words = _without_attributes(list(tokens(head, 0)))
    texts = [token.text for token in words]
    if outer.kind == "namespace":
        if "namespace" in texts[:2]:
            name = texts[texts.index("namespace") + 1 :]
            path = (*outer.path, *(part for part in name if part not in ("::", "inline")))
            return Scope("namespace", path, outer.linkage)
        if len(texts) == 2 and texts[0] == "extern" and words[1].kind == "string":
            return Scope("namespace", outer.path, texts[1])
    while texts and texts[0] in _BEFORE_CLASS:
        del texts[0]
    # `struct A f() {` is a function and `struct A a = {` a variable; a base clause may hold anything.
    declared = texts[: texts.index(":")] if ":" in texts else texts
    if texts and texts[0] in _CLASS_WORDS and "(" not in declared and "=" not in declared:
        return Scope("class", outer.path)
    return Scope("block", outer.path)


def _without_attributes(words: list[Token]) -> list[Token]:
    """The tokens of a declaration's head without template headers and attributes."""
    kept: list[Token] = []
    at = 0
    while at < len(words):
        word = words[at].text
        following = words[at + 1].text if at + 1 < len(words) else ""
        if word == "template" and following == "<":
            at = close_angle(words, at + 1) + 1
        elif word in GROUP_WORDS and following == "(":
            at = close(words, at + 1) + 1
        elif word == "[" and following == "[":
            at = close(words, at) + 1
        else:
            kept.append(words[at])
            at += 1
    return kept
