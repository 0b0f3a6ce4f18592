"""Operators with host code of their own, called from Python: built into a library, loaded by a process.

``build`` the library, ``declarations`` what its functions take, ``server`` the process, ``process`` its other end,
``messages`` what they say, ``arguments`` how values become arguments, ``scalars`` numbers among them, ``tensors``
arrays as tensor descriptors, ``program`` what users call, ``loading`` where they get it.
"""
