"""Operators with host code of their own, called from Python: built into a library, loaded by a process of its own.

``build`` the library, ``declarations`` what its functions take, ``server`` the process, ``process`` its other end,
``arguments`` how values become arguments, ``tensors`` arrays as tensor descriptors, ``program`` what users call.
Imports: host, launches and below.
"""

from .program import Called, CallError, OperatorProgram, load

__all__ = ["CallError", "Called", "OperatorProgram", "load"]
