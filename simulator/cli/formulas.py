"""What a launch is expected to leave, as a NumPy expression of its arguments: ``out=maximum(x, 0) * scale``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from keyword import iskeyword
from typing import Any

import numpy as np

from ..text import nearest, quoted


class _Names(dict[str, Any]):
    """Arguments by name, then what NumPy calls so; NameError for anything else."""

    def __missing__(self, name: str) -> Any:
        if name == "np":
            return np
        if name.startswith("_") or not hasattr(np, name):
            raise NameError(f"{quoted(name)} is no argument{nearest(name, self)}, nor a function of NumPy")
        return getattr(np, name)


def value_of(text: str, name: str, arguments: Mapping[str, Any]) -> np.ndarray:
    """The value of an expression for the argument with a name or number, in its shape.

    Floating-point arrays are taken in double precision. ValueError for what is no expression of ``arguments``, or has
    another size.
    """
    known = _Names({_spelled(title): _precise(value) for title, value in arguments.items()})
    plain = re.sub(r"\w+", lambda word: _spelled(word[0]) if word[0] in arguments else word[0], text)
    try:
        with np.errstate(all="ignore"):
            found = np.asarray(eval(compile(plain, "--expect", "eval"), {"__builtins__": {}}, known))
        target = [*arguments.values()][int(name)] if name.isdecimal() else arguments.get(name)
        if isinstance(target, np.ndarray):
            same = found.size == target.size
            found = found.reshape(target.shape) if same else np.broadcast_to(found, target.shape)
        if found.dtype.kind not in "biufc":
            raise TypeError(f"it is {quoted(found.tolist())}")
    except Exception as error:
        listed = ", ".join(arguments)
        raise ValueError(
            f"--expect {name}={text}: {error}; pass a file such as right.npy, or a NumPy expression of {listed}"
        ) from None
    return found


def _spelled(name: str) -> str:
    """An argument's name in Python, of which ``in`` is a keyword."""
    return f"{name}_" if iskeyword(name) else name


def _precise(value: Any) -> Any:
    if isinstance(value, np.ndarray) and value.dtype.kind not in "biuc":
        return value.astype(np.float64)
    return value
