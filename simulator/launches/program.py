"""Programs: kernel sources compiled for a device, and their launches."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack

from ..chip.launch_kinds import BLOCK, GRID
from ..text import nearest, quoted
from .arguments import argument_list
from .compiled import CompiledSources, without_ellipsis
from .compiled_kernel import CompiledKernel
from .deduction import instance
from .extent import extent, usual_kind
from .launching import carry_out
from .options import options_of
from .repeats import Repeating, repeats_of
from .run import Run


class Program(CompiledSources):
    """Compiled kernels of one device, to be launched."""

    def launch(
        self,
        kernel: str,
        dim: int | Sequence[int] | None = None,
        type: str | None = None,
        args: Any = (),
        *,
        block: int | Sequence[int] | None = None,
        shared: int = 0,
        on_finding: str = "raise",
        time_limit: float | None = None,
        isolate: bool = True,
        progress: Callable[[int, int], None] | None = None,
        expect: Mapping[str | int, Any] | None = None,
        tolerance: float | None = None,
        **repeats: Unpack[Repeating],
    ) -> Run:
        """Run a kernel.

        ``kernel`` is its C++ name; template arguments that the arguments tell may be left out. ``args`` are in the
        order of the parameters, or a mapping from their names: numbers, ndarrays (copied to the device and, when the
        kernel is done, back), device arrays, addresses, None (null), names of an enumeration, structures (a mapping,
        a value of `structs`, bytes or a ctypes structure); a kernel that takes one structure may be given it alone, and
        one that takes a pointer to all of its arguments the members of theirs by name (members left out are zero).
        Arrays that share memory on the host share it on the device; a launch that raises changes none of them.
        ``dim`` and ``type`` default to what the dialect's kernels expect: one Block task, or one task for every core
        of a TPU. A CUDA kernel needs ``block`` too: it runs on a grid of ``dim`` blocks of ``block`` threads, either of
        them x, (x, y) or (x, y, z), with ``shared`` bytes of dynamic shared memory a block. ``time_limit`` (seconds)
        ends a kernel that does not. ``isolate=False`` runs the kernel in this process, for a debugger; a crash then is
        a crash. ``expect`` says, by the names or numbers of parameters, what arrays hold when all is right, and
        ``tolerance`` how far they may be from it (relative; by default floats may lose half of their digits, and
        integers nothing; what a masked array masks may be anything): what is wrong is a finding that tells how it came
        about. ``repeats`` compare the launch with further runs: ``deep=True`` with all that there are, others are in
        `Repeating`. An error finding raises KernelError; ``on_finding="collect"`` goes on where it can. Raises
        ValueError or TypeError for wrong arguments, before anything runs.
        """
        options = options_of(on_finding, time_limit, isolate, progress, repeats_of(repeats), expect, tolerance)
        kernel = self._meant(without_ellipsis(kernel), args)
        size = extent(self.device, dim, type, block, shared)
        values = self._in_order(kernel, args)
        made = self._kernel(self._instance(kernel, values))
        return carry_out(self.device, made, made.typed(values), size, options)

    def launch_reference(
        self, kernel: str, of: Program, args: Any, *, time_limit: float | None = None, isolate: bool = True
    ) -> Run:
        """Run the function of these sources that takes the arguments of a kernel ``of`` another program.

        It is one of the host, which runs as one task or thread on the memory of the device; ``args`` are those of the
        kernel. ValueError if there is no such function, or several.
        """
        kernel = of._meant(without_ellipsis(kernel), args)
        values, declared = of._in_order(kernel, args), of._declared.get(of._base_name(kernel))
        found = [
            one
            for source in (self._sources if declared else ())
            for one in self._anew_of(source).references(kernel, values, declared)
            if one.host
        ]
        if len(found) > 1:
            found = [one for one in found if one.alike] or found
        if not found:
            known = declared or kernel
            raise ValueError(
                f"no kernel {quoted(kernel)}, and no function for the host that takes the arguments of {known}"
            )
        if len(found) > 1:
            named = ", ".join(one.name for one in found)
            raise ValueError(f"several functions take the arguments of {kernel}: {named}; keep one of them in the file")
        (one,), options = found, options_of("raise", time_limit, isolate, None, repeats_of({}), None, None)
        made = CompiledKernel(one.name, one.declared, one.image, self.device, self._runtime)
        size = (1, 1, 1), GRID if usual_kind(self.device).transactions else BLOCK
        return carry_out(self.device, made, made.typed(one.passed(values)), size, options)

    def parameters(self, kernel: str) -> list[str]:
        """The names of a kernel's parameters, in their order; none of one that takes all arguments in one block."""
        declared = self._declared.get(self._base_name(without_ellipsis(kernel)))
        return [parameter.name for parameter in declared.parameters] if declared else []

    def defines(self, kernel: str) -> bool:
        """Whether a kernel, or a template of kernels, is one of these sources."""
        base = without_ellipsis(kernel).partition("<")[0]
        return base in self._blocks or any(base in (one.name, one.plain_name) for one in self._declared.values())

    def _meant(self, kernel: str, args: Any) -> str:
        """The kernel that is meant among several of a name: the one that takes so many arguments, named with its types.

        ValueError where several of them do, or none.
        """
        if not isinstance(kernel, str) or self._base_name(kernel) in self._declared:
            return kernel
        base, angle, _ = kernel.partition("<")
        named = [one for one in self._declared.values() if one.plain_name == base and (one.template or not angle)]
        if not named:
            return kernel
        count = len(args) if isinstance(args, (list, tuple, Mapping)) else 1
        meant = [one for one in named if len(one.parameters) == count or any(p.pack for p in one.parameters)]
        if len(meant) != 1:
            which = "several of them take" if meant else "none of them takes"
            listed = "; ".join(one.name for one in named)
            raise ValueError(
                f"{len(named)} kernels are called {base}, and {which} {count} arguments; name one: {listed}"
            )
        return meant[0].name + kernel.removeprefix(base)

    def _kernel(self, name: str) -> CompiledKernel:
        """A kernel of an image, built if it is not."""
        image = self._present(self._image(name))
        made = self._made.get(name)
        if made is None or made.image is not image or made.runtime != self._runtime:
            declared = self._declared.get(self._base_name(name))
            anew = self._built_anew(name)
            made = self._made[name] = CompiledKernel(name, declared, image, self.device, self._runtime, anew)
        return made

    def _in_order(self, kernel: str, args: Any) -> Sequence[Any]:
        """The arguments of a launch in the order of the parameters; TypeError for names that are not theirs."""
        if isinstance(kernel, str) and kernel in self._blocks:
            values = argument_list(args)  # its one argument, alone or in a list
            return [self.structs[self._blocks[kernel]](**v) if isinstance(v, Mapping) else v for v in values]
        if not isinstance(args, Mapping):
            return argument_list(args)
        declared = self._declared.get(self._base_name(kernel)) if isinstance(kernel, str) else None
        if declared is None:
            self._image(kernel)  # where there is no such kernel, that is what is wrong
            raise TypeError(
                f"{quoted(kernel)} does not say as which structure it reads its arguments; pass one by its name, as in "
                "program.structs.args_t(n=3)"
            )
        names = [parameter.name for parameter in declared.parameters]
        for name in args:
            if name not in names:
                raise TypeError(f"no parameter {quoted(name)}{nearest(str(name), names)}; the kernel is {declared}")
        if missing := [name for name in names if name not in args]:
            raise TypeError(f"no value for {' and '.join(missing)}; the kernel is {declared}")
        return [args[name] for name in names]

    def _instance(self, kernel: str, values: Sequence[Any]) -> str:
        """The name of the kernel with all template arguments."""
        if not isinstance(kernel, str) or kernel in self._images:
            return kernel
        declared = self._declared.get(self._base_name(kernel))
        return kernel if declared is None or not declared.template else instance(declared, kernel, values)


def checked_instances(instances: Any) -> list[str]:
    """A list of names; TypeError for anything else."""
    if isinstance(instances, (str, bytes)) or not isinstance(instances, Iterable):
        raise TypeError(f"instances is {quoted(instances)}; pass a list of names, such as ['fill<float, 64>']")
    names = list(instances)
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"{quoted(name)} among instances is no name of a kernel")
    return names


def checked_paths(what: str, paths: Any) -> list[Path]:
    """A list of paths; TypeError or ValueError for anything else."""
    if isinstance(paths, (str, bytes, os.PathLike)) or not isinstance(paths, Iterable):
        raise TypeError(f"{what} is {quoted(paths)}; pass a list of paths, such as ['scale.mlu']")
    found = []
    for path in paths:
        if not isinstance(path, (str, os.PathLike)) or isinstance(text := os.fspath(path), bytes):
            raise TypeError(f"{quoted(path)} among {what} is no path; pass strings or Paths")
        if "\0" in text or not text:
            raise ValueError(f"{quoted(text)} among {what} is no path of a file")
        found.append(Path(text))
    return found
