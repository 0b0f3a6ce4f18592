"""What is known of a kernel from its declaration: its names and its parameters, as the source writes them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass


@dataclass(frozen=True)
class Declared:
    """A parameter of a kernel: as it is written, its type, its name ("" without one); ``pack``: any number of such."""

    text: str
    type: str
    name: str
    pack: bool = False


@dataclass(frozen=True)
class TemplateParameter:
    """A parameter of a template. ``kind`` is "type", or what stands before the name; ``default`` is "" for none."""

    kind: str
    name: str
    pack: bool = False
    default: str = ""

    def __str__(self) -> str:
        kind = f"{'typename' if self.kind == 'type' else self.kind}{'...' if self.pack else ''}"
        return f"{kind} {self.name}" + (f" = {self.default}" if self.default else "")


@dataclass(frozen=True)
class KernelDecl:
    """A kernel of the source: its name with namespaces ("ns::K"), whether it is a template, and where its name stands.

    One of several kernels of a name has its parameters in it: "ns::K(int, float *)". `file` and `line` are those of the
    definition, or of the first declaration when the source defines it nowhere. `overloaded`: the source has another
    template of that name, or a function that is no kernel, or may have one. `c_linkage`: it is, or was before it was
    rewritten, `extern "C"`.
    """

    name: str
    template: bool
    file: str
    line: int
    parameters: tuple[Declared, ...] = ()
    template_parameters: tuple[TemplateParameter, ...] = ()
    overloaded: bool = False
    c_linkage: bool = False

    @property
    def home(self) -> str:
        """The namespace that it stands in, "" for the outermost."""
        return self.plain_name.rpartition("::")[0]

    @property
    def own_name(self) -> str:
        """Its name without namespaces."""
        return self.plain_name.rpartition("::")[2]

    @property
    def plain_name(self) -> str:
        """Its name without parameters."""
        return self.name.partition("(")[0]

    @property
    def with_parameters(self) -> str:
        """Its name among several kernels that are called so: with the types of its parameters."""
        return f"{self.plain_name}({', '.join(p.type for p in self.parameters)})"

    def __str__(self) -> str:
        shown = ", ".join(map(str, self.template_parameters))
        return f"{self.plain_name}{f'<{shown}>' if self.template else ''}({', '.join(p.text for p in self.parameters)})"


def declared_as(kernel: str, names: Collection[str]) -> str:
    """The name among ``names`` that a kernel is declared by, without the arguments of an instance of a template.

    A name with parameters may have angles of its own.
    """
    if kernel not in names and "(" in kernel:
        known = [name for name in names if kernel.startswith(f"{name}<")]
        return max(known, key=len, default=kernel)
    return kernel if kernel in names else kernel.partition("<")[0]
