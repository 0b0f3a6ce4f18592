"""What is said of a source that does not compile: the compiler's words, and what would have been right."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ...isa import DIALECTS, Dialect
from ..findings import BuildError, rules
from ..native import STATED
from ..native.process import CommandResult, LimitReached
from .languages import language_class
from .unknown import undeclared

if TYPE_CHECKING:
    from .build import Builder

#: A call that fits no form of an instruction, and what the compiler then says of our generated header.
_MISFIT = re.compile(
    r"no matching function for call to '(\w+)\("
    r"|too (?:few|many) arguments to function '[^'(]*?(\w+)['(]"  # C names it without its parameters
    r"|initializing argument \d+ of '[^'(]*?(\w+)\("
    r"|error: (?:passing|incompatible type for) argument \d+ of '(\w+)'"
    r"|call of overloaded '(\w+)\("
    r"|no matching function for call to '(\w+)'"
)
_OF_HEADER = re.compile(r"^(?:In file included from .*\n(?: +from .*\n)*)?\S*mlusim_ops\.h:.*\n(?: .*\n)*", re.M)
_CANDIDATES = 8
_MISSING = re.compile(r"fatal error: '?([\w./]+\.(?:h|hpp|cuh))'?(?:: No such file| file not found)")
#: How the headers of libraries for CUDA begin that are not modelled.
_LIBRARIES = {
    "thrust/": "Thrust", "cub/": "CUB", "cuda/std": "libcu++", "cublas": "cuBLAS", "curand": "cuRAND", "cufft": "cuFFT",
    "cusparse": "cuSPARSE", "cusolver": "cuSOLVER", "cudnn": "cuDNN", "nccl": "NCCL", "npp": "NPP",
    "cutlass/": "CUTLASS", "cute/": "CUTLASS", "nvtx3/": "NVTX", "nvToolsExt": "NVTX", "cupti": "CUPTI",
}  # fmt: skip
#: What the compiler and the assembler say of a file that they may not read, and what that means here.
_DENIED = re.compile(r"Permission denied|file not found|can't open")
_CONFINED = (
    "where the sandbox is required, the compiler reads the folders of the source and of -I, and no other file of the "
    "user: name the folder by -I if the source may have it"
)
_ERROR = re.compile(r"^(\S.*?):(\d+):\d+: (?:fatal )?error: (.*)$", re.M)
_FAR_CARET = re.compile(r"^ *\| {120,}[ ^~+-]*\n", re.M)


def failed(builder: Builder, path: Path, result: CommandResult) -> BuildError:
    """The compiler's own text, with the nearest instructions for misspelt ones."""
    dialect = builder.dialect
    messages, hints = result.messages.replace(STATED, ""), []
    for name in undeclared(messages):
        if name.startswith(dialect.prefix):
            near = dialect.nearest(name)
            hints.append(
                f"{dialect.title} has no instruction {name}" + (f"; the nearest are {', '.join(near)}" if near else "")
            )
    for name in dict.fromkeys(next(filter(None, found)) for found in _MISFIT.findall(messages)):
        hints += _candidates(dialect, name)
    others = [other for other in DIALECTS.values() if other is not dialect]
    hints += of_others(messages, {other.title: (language_class(other).include,) for other in others})
    if path.suffix == ".cu" and dialect.language != "cuda":
        hints.append(f"{path.name} is named like a source of CUDA: choose a device for CUDA, such as cuda-sm80")
    if builder.is_confined and _DENIED.search(messages):
        hints.append(_CONFINED)
    # The compiler counts columns in the preprocessed text: a caret far right of the line that it prints is noise.
    shown = (
        _FAR_CARET.sub("", _OF_HEADER.sub("", messages)).strip()
        or f"the compiler ended with exit code {result.returncode}"
    )
    message = "\n".join([f"{path} does not compile:", shown, *hints])
    return BuildError(message, rules.build.failed(*first_error(messages, "does not compile", path), hints))


def first_error(messages: str, otherwise: str, path: Path) -> tuple[str, str, int]:
    """The first error of a compiler, its file and its line; where it names none, what is said ``otherwise``."""
    where = _ERROR.search(messages)
    return (where[3], where[1], int(where[2])) if where else (otherwise, str(path), 0)


def of_others(messages: str, folders: Mapping[str, Sequence[Path]]) -> list[str]:
    """For each header that a compiler misses, whose it is; ``folders`` are those of the headers of each dialect."""
    missing = list(dict.fromkeys(_MISSING.findall(messages)))
    devices = [
        f"{header} is a header of {title}: choose one of its devices"
        for header in missing
        for title, places in folders.items()
        if any((place / header).is_file() for place in places)
    ]
    libraries = [
        f"{header} is a header of {library}, which is not modelled"
        for header in missing
        for begins, library in _LIBRARIES.items()
        if header.startswith(begins)
    ]
    return devices + libraries


def _candidates(dialect: Dialect, name: str) -> Iterator[str]:
    """The forms of an instruction, for a call that fits none of them."""
    from ...isa.docs import instruction_row  # for a message alone

    forms = [form for entry in dialect.named(name) for form in instruction_row(dialect, entry).prototypes]
    if forms:
        more = len(forms) - _CANDIDATES
        shown = [*forms[:_CANDIDATES], *([f"and {more} more, see `mlusim isa {name}`"] if more > 0 else [])]
        yield f"the forms of {name} are:\n  " + "\n  ".join(shown)


def stopped(path: Path, error: LimitReached) -> BuildError:
    """That of a compiler that met a limit."""
    return BuildError(f"{path} does not compile: {error}", rules.build.failed(str(error), path))
