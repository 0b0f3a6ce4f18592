"""Mutated kernel sources: each is built, or refused in the words of a compiler, as a compiler without us would.

    python -m tests.fuzz.sources --count 2000 --seed 1

A mutant is preprocessed, rewritten and given to the compiler to check (code is not generated). The reference is the
same preprocessed text with the qualifiers taken out, which the compiler gets without the rewriter: both accept it, or
both refuse it at the same line. Where only one refuses, it has to be the rewriter, and with a sentence of its own.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from mlusim.simulator import BuildError, Device
from mlusim.simulator.kernelc.build import Builder, Source
from mlusim.simulator.kernelc.header import operations
from mlusim.simulator.kernelc.options import Options

from tests.support.paths import KERNELS_C, ROOT

SEEDS = sorted([*KERNELS_C.glob("*.mlu"), *KERNELS_C.glob("*.c"), *ROOT.glob("docs/examples/*.mlu")])
#: Seconds in which the front end deals with any of these.
PATIENCE = 20.0
_QUALIFIERS = re.compile(rb"\b__(?:nram|wram|mlu_shared|ldram|mlu_global|mlu_entry)__\b")
#: Syntax that a compiler without the rewriter does not know, and declarations whose meaning the rewriter changes.
_BEYOND = re.compile(rb"<<<|\basm\b|__asm|\bextern\b|\[\s*\]")
#: Memory of the device may be const without an initialiser: nothing lies in it before the kernel runs.
_ERROR = re.compile(r"^(\S.*?):(\d+):\d+: (?:fatal )?error: (?!uninitialized 'const)", re.M)


@dataclass(frozen=True)
class Outcome:
    """What became of a mutant: "built", "refused", or what is wrong with it."""

    seed: str
    mutation: str
    verdict: str

    @property
    def wrong(self) -> bool:
        return self.verdict not in ("built", "refused", "refused by us")


def _flip(rng: random.Random, data: bytes) -> bytes:
    found = bytearray(data)
    for _ in range(rng.randint(1, 3)):
        found[rng.randrange(len(found))] ^= 1 << rng.randrange(8)
    return bytes(found)


def _without_token(rng: random.Random, data: bytes) -> bytes:
    tokens = list(re.finditer(rb"\w+|[^\w\s]", data))
    token = rng.choice(tokens)
    return data[: token.start()] + data[token.end() :]


def _swapped_tokens(rng: random.Random, data: bytes) -> bytes:
    tokens = list(re.finditer(rb"\w+|[^\w\s]", data))
    one, other = sorted(rng.sample(tokens, 2), key=lambda token: token.start())
    return data[: one.start()] + other[0] + data[one.end() : other.start()] + one[0] + data[other.end() :]


def _doubled_line(rng: random.Random, data: bytes) -> bytes:
    lines = data.splitlines(keepends=True)
    lines.insert(rng.randrange(len(lines)), rng.choice(lines))
    return b"".join(lines)


def _without_line(rng: random.Random, data: bytes) -> bytes:
    lines = data.splitlines(keepends=True)
    del lines[rng.randrange(len(lines))]
    return b"".join(lines)


def _bracket(rng: random.Random, data: bytes) -> bytes:
    at = rng.randrange(len(data))
    return (
        data[:at] + rng.choice([b"{", b"}", b"(", b")", b"[", b"]", b"<", b">", b'"', b"'", b"/*", b"*/"]) + data[at:]
    )


def _unicode(rng: random.Random, data: bytes) -> bytes:
    at = rng.randrange(len(data))
    text = "".join(chr(rng.choice([rng.randrange(0xA0, 0xD7FF), rng.randrange(0x10000, 0x10FFFF)])) for _ in range(3))
    return data[:at] + rng.choice([text.encode(), text.encode("gb18030"), bytes([rng.randrange(256)])]) + data[at:]


def _cut(rng: random.Random, data: bytes) -> bytes:
    return data[: rng.randrange(len(data))]


def _device_word(rng: random.Random, data: bytes) -> bytes:
    words = ["__nram__ ", "__mlu_shared__ ", "__mlu_entry__ ", "extern ", "static ", "const ", "template ", "<<<",
             ">>>", "::", "asm ", '\n#line 7 "a.y"\n', "\n#pragma x\n", 'R"(', "= {", ";"]  # fmt: skip
    spaces = list(re.finditer(rb"\s", data))
    at = rng.choice(spaces).end()
    return data[:at] + rng.choice(words).encode() + data[at:]


MUTATIONS: dict[str, Callable[[random.Random, bytes], bytes]] = {
    "flipped bits": _flip, "a token less": _without_token, "two tokens swapped": _swapped_tokens,
    "a line twice": _doubled_line, "a line less": _without_line, "a bracket more": _bracket,
    "other characters": _unicode, "cut off": _cut, "a word more": _device_word,
}  # fmt: skip


def mutant(number: int, seed: int) -> tuple[Path, str, bytes]:
    """The file, the mutation and the bytes of a mutant, the same for the same numbers."""
    rng = random.Random(f"{seed}/{number}")
    path, mutation = SEEDS[number % len(SEEDS)], list(MUTATIONS)[number // len(SEEDS) % len(MUTATIONS)]
    return path, mutation, MUTATIONS[mutation](rng, path.read_bytes())


class Judge:
    """Judges mutants, one after the other, in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.builders = {
            ".mlu": Builder(Device.load("mlu370-x4").shape, Options((str(KERNELS_C),))),
            ".c": Builder(Device.load("bm1684x").shape, Options((str(KERNELS_C),))),
        }

    def __call__(self, seed: Path, mutation: str, data: bytes) -> Outcome:
        """The outcome of a mutant."""
        path = self.folder / seed.name
        path.write_bytes(data)
        begin = time.monotonic()
        try:
            verdict = self._verdict(path)
        except Exception as error:
            verdict = f"{type(error).__name__}: {error}"
        if time.monotonic() - begin > PATIENCE:
            verdict = f"took {time.monotonic() - begin:.0f} s"
        return Outcome(seed.name, mutation, verdict)

    def _verdict(self, path: Path) -> str:
        builder = self.builders[path.suffix]
        try:
            source = builder.read(path)
        except BuildError as error:
            return _refusal(error, path)
        text = source.text.encode(errors="surrogateescape")
        ours = self._check(builder, source, text + source.language.entries(source.kernels, source).encode())
        ours = (self._check(builder, source, text) or ours) if ours else ours  # as the build does
        if path.suffix == ".c":
            return "refused" if ours else "built"
        plain, preprocessed = self._plain(builder, source)
        if ours == plain:
            return "refused" if ours else "built"
        if _BEYOND.search(preprocessed):
            return "refused by us" if ours else "built"
        return f"the compiler says {plain or 'nothing'}, with the rewriter {ours or 'nothing'}"

    def _plain(self, builder: Builder, source: Source) -> tuple[str, bytes]:
        """The first error without the rewriter, and the user's part of the preprocessed text."""
        language = source.language
        header = builder._header("mlusim_ops.h", builder._key, lambda: operations(builder.dialect))
        command = builder._command(source.path, language, header, builder.options)
        text = builder._preprocessed(source.path, command).output
        user = text[text.rfind(f'# 1 "{source.path}"\n'.encode()) :]
        return self._check(builder, source, _QUALIFIERS.sub(b"", text)), user

    def _check(self, builder: Builder, source: Source, text: bytes) -> str:
        """File and line of the first error, "" without one."""
        language = source.language
        unit = self.folder / "unit.ii"
        unit.write_bytes(text)
        output = "c++-cpp-output" if language.kind == "c++" else "cpp-output"
        step = ["-x", output, *language.compile(), *builder.flags, "-fsyntax-only", str(unit)]
        result = builder.compiler.run(step)
        found = _ERROR.search(result.messages)
        if result.returncode and not found:
            return result.messages[:200] or f"exit code {result.returncode}"
        return f"{Path(found[1]).name}:{found[2]}" if found else ""


def _refusal(error: BuildError, path: Path) -> str:
    """Whether a refusal is one: a message that names the source, and a finding with a place."""
    if error.finding is None or error.finding.location is None or str(path) not in str(error):
        return f"refused without a place: {error}"
    return "refused by us" if "cannot be read" in str(error) else "refused"


def run(numbers: range, seed: int) -> list[tuple[int, Outcome]]:
    """The outcomes of the mutants with these numbers."""
    with tempfile.TemporaryDirectory() as folder:
        judge = Judge(Path(folder))
        return [(number, judge(*mutant(number, seed))) for number in numbers]


def main() -> int:
    """The command; exit code 1 when a mutant has another outcome."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--show", type=int, metavar="NUMBER", help="print one mutant instead")
    options = parser.parse_args()
    if options.show is not None:
        sys.stdout.buffer.write(mutant(options.show, options.seed)[2])
        return 0
    parts = [range(start, options.count, options.processes * 4) for start in range(options.processes * 4)]
    with ProcessPoolExecutor(options.processes) as pool:
        found = pool.map(run, parts, [options.seed] * len(parts))
        outcomes = sorted((pair for part in found for pair in part), key=lambda pair: pair[0])
    for number, outcome in outcomes:
        if outcome.wrong:
            print(f"{number}: {outcome.seed}, {outcome.mutation}: {outcome.verdict}")
    counts = Counter("wrong" if outcome.wrong else outcome.verdict for _, outcome in outcomes)
    print(", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())))
    return 1 if counts["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
