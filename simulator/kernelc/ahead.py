"""Compiles headers once for all sources that begin with them: they take most of a compiler's time.

A preprocessed source begins with our headers. System headers that it includes itself are moved up to ours where that
changes nothing: at file scope, in their order, and only those before any code, since what a header declares could
change what code before it means.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from pathlib import Path

from ..findings import BuildError
from ..native import INCLUDE, STATED
from ..native.compiler import Compiler
from ..native.process import LimitReached
from .overloads import MARK
from .scan import headers

#: GCC takes what it has compiled from a file that the first line of a preprocessed text names; clang has no such line.
_TAKEN = '#pragma GCC pch_preprocess "{}"\n'
#: The first line of a text, which names its source, and one in its place that is the same for all sources.
_NAMED, _NAMELESS = re.compile(r'\A# \d+ ".*"\n'), f'# 0 "{STATED}<headers>"\n'
#: A file in the cache of at most so many bytes stands for headers that could not be compiled.
_EMPTY = 256


def with_headers_ahead(compiler: Compiler, kind: str, flags: Sequence[str], text: str) -> str | None:
    """The text of a source with a line that names compiled headers in their place; None if there are none.

    Headers are compiled when they are met with the same flags for the second time. ``kind`` is the language, as in -x.
    """
    if "clang" in compiler.says:
        return None
    for begun, rest in _splits(text):
        made = _compiled(compiler, kind, flags, begun)
        if made is not None:
            return _TAKEN.format(made) + rest
    return None


def _splits(text: str) -> Iterator[tuple[str, str]]:
    """Ways to cut a text into headers and the rest: the system's headers with ours, then ours alone."""
    ours, mark, rest = text.partition(f"{MARK}\n")
    if not mark:
        return
    begin = len(text) - len(rest)
    place = re.findall(r'^# \d+ (".*")', ours, re.M)[-1]
    here = f"# 1 {place}\n"  # what comes behind the compiled headers is still in ours
    ours = _NAMED.sub(_NAMELESS, ours, count=1)
    later = (span for span in headers(text) if span.marker >= begin)
    spans = [*takewhile(lambda span: str(INCLUDE.parent) not in text[span.marker : span.end], later)]
    if spans:
        moved = [f"{text[span.marker : span.end]}# 1 {place} 2 3\n" for span in spans]
        ends = [begin, *(span.end for span in spans)]
        kept = [text[end:start] for end, start in zip(ends, [*(span.start for span in spans), len(text)], strict=True)]
        yield "".join([ours, *moved]), "".join([here, *kept])
    yield ours, here + rest


def _compiled(compiler: Compiler, kind: str, flags: Sequence[str], text: str) -> Path | None:
    """The file of compiled headers; None the first time that they are met, and if the compiler cannot compile them."""
    cache, key = compiler.cache, "\0".join([compiler.version, kind, *flags, text])

    def make(path: Path) -> None:
        source = path.with_suffix(".h")
        source.write_text(text, encoding="utf-8", errors="surrogateescape")
        words = ["-x", f"{kind}-header", "-fpreprocessed", *flags, "-o", str(path), str(source)]
        if compiler.run(words, path.parent).returncode:
            path.write_bytes(b"")

    try:
        made = cache.find("headers.gch", key)
        if made is None and cache.find("met", key):
            made = cache.put("headers.gch", key, make)
        elif made is None:
            cache.put("met", key, lambda path: path.write_bytes(b"once"))
        return made if made and made.stat().st_size > _EMPTY else None
    except (BuildError, LimitReached):
        return None
