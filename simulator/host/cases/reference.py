"""References and makers of arguments, by the names that users give them: FILE:FUNCTION."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ...kernelc.inputs import HOST
from ...kernelc.options import Options
from ...launches.device import Device
from .native_reference import NativeReference


def reference(
    text: str | None, options: Options, device: Device, names: dict[str, str], more: Mapping[str, Any]
) -> Callable[..., Any] | None:
    """The function of Python, C or C++ that FILE:NAME names; ValueError when there is none."""
    file, _, name = (text or "").rpartition(":")
    if Path(file).suffix not in HOST:
        return python_function(text)
    return NativeReference(Path(file), name, options, device, names, dict(more))


def python_function(text: str | None) -> Callable[..., Any] | None:
    """The Python function that FILE.py:NAME names."""
    if text is None:
        return None
    file, _, name = text.rpartition(":")
    path = Path(file)
    if not name:
        raise ValueError(f"{text} is no FILE.py:FUNCTION")
    if not path.is_file():
        raise ValueError(f"{path}: no such file")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ValueError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    function = getattr(module, name, None)
    if not callable(function):
        raise ValueError(f"{path} has no function {name}")
    return function  # type: ignore[no-any-return]
