"""The image of a source's kernels as a part of an object: assembly that lies behind that of the host's part."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from ....isa import declared_in
from ...engines.description import encode_description
from ...findings import BuildError
from ...kernelc.build import Builder
from ...launches.arguments import parse_signature
from ...launches.device import Device
from ...launches.image import LaunchableImage
from ...native.cache import text_of
from ...native.compiler import Compiler
from .origin import Origin

#: What registers the image and forgets it, behind the host's part, which declares the two functions.
REGISTER = """
# 1 "<mlusim image>"
extern "C" const char mlusim_image_record[] __attribute__((visibility("hidden")));
static __attribute__((constructor)) void mlusim_begin_program() { ::mlusim_register_image(mlusim_image_record); }
static __attribute__((destructor)) void mlusim_end_program() { ::mlusim_forget_image(mlusim_image_record); }
"""
_DECLARED = """
extern "C" void mlusim_register_image(const void*);
extern "C" void mlusim_forget_image(const void*);
"""
_NONE: Mapping[str, Any] = {}


def registration(compiler: Compiler) -> str:
    """The assembly of what registers an image that has no host's part."""

    def make(path: Path) -> None:
        source = path.with_suffix(".ii")
        source.write_text(_DECLARED + REGISTER, encoding="utf-8")
        done = compiler.run(["-S", "-O1", "-fPIC", "-x", "c++-cpp-output", "-o", str(path), str(source)], path.parent)
        if done.returncode:
            raise BuildError(f"the C++ compiler does not compile for this machine:\n{done.messages.strip()}")

    return text_of(compiler.cache.file("register.s", "\0".join([compiler.version, _DECLARED, REGISTER]), make))


def image_record(
    builder: Builder, device: Device, image: LaunchableImage, origin: Origin, symbols: Mapping[str, str] = _NONE,
    weak: Collection[str] = (), called: Mapping[str, set[str]] = _NONE, blocks: Mapping[str, int] = _NONE,
) -> str:  # fmt: skip
    """The image of the kernels, laid down for `mlusim_register_image`.

    ``symbols`` are the functions of the host's part that stand for kernels, ``called`` what others may call them,
    ``blocks`` the bytes of the structure that a kernel takes a pointer to.
    """
    digest = hashlib.sha256(image.library.read_bytes()).hexdigest()
    sizes = [
        ",".join(str(parameter.bytes) for parameter in parse_signature(text)) for text in image.description.signatures
    ]
    about = {
        "kernels": image.kernels,
        "blocks": [blocks.get(kernel, 0) for kernel in image.kernels],
        "runtime": builder.runtime().parent.name,
        "declared": declared_in(builder.dialect),
        "shape": device.shape.to_dict(),
        "origin": origin.facts(),
        "description": json.loads(encode_description(image.description)),
    }
    lines = ['\t.section .rodata.mlusim,"a",@progbits', ".Lmlusim_bytes:", f'\t.incbin "{image.library}"']
    lines += [".Lmlusim_end:", ".Lmlusim_digest:", f'\t.asciz "{digest}"', ".Lmlusim_about:"]
    lines += [f'\t.ascii "{_quoted(text)}\\n"' for text in [*sizes, json.dumps(about)]]
    lines.append("\t.byte 0")
    for number, kernel in enumerate(image.kernels):
        lines.append(f'.Lmlusim_name_{number}:\t.asciz "{_quoted(kernel)}"')
    lines += ['\t.section .data.rel.ro.local.mlusim,"aw",@progbits', "\t.balign 8", ".Lmlusim_table:"]
    for number, kernel in enumerate(image.kernels):
        symbol = symbols.get(kernel, "0")
        body = symbol
        if symbol != "0" and symbol not in weak:
            body = f".Lmlusim_body_{number}"
            lines.append(f"\t.set {body}, {symbol}")
        lines.append(f"\t.quad {symbol}, {body}, .Lmlusim_name_{number}")
        for name in sorted(called.get(kernel, set()).difference(symbols.values())):
            lines += [f"\t.weak {name}", f"\t.set {name}, {symbol}"]
    lines += ["\t.balign 8", "mlusim_image_record:", "\t.quad .Lmlusim_digest, .Lmlusim_about, .Lmlusim_bytes"]
    lines += [f"\t.quad .Lmlusim_end - .Lmlusim_bytes, {len(image.kernels)}, .Lmlusim_table", ""]
    return "\n".join(lines)


def _quoted(text: str) -> str:
    """A text as the inside of an assembler's string."""
    plain = (chr(b) if 32 <= b < 127 and chr(b) not in '"\\' else f"\\{b:03o}" for b in text.encode())
    return "".join(plain)
