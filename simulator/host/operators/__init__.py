"""Operators with host code of their own, called from Python: built into a library, loaded by a process.

``build`` the library, ``declarations`` what its functions take, ``server`` the process, ``process`` its other end,
``arguments`` how values become arguments, ``tensors`` arrays as tensor descriptors, ``program`` what users call,
``loading`` where they get it.
Imports: host, launches and below.
"""
