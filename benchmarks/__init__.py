"""How fast the simulator is, beside NumPy on the same machine: ``python -m benchmarks``."""
