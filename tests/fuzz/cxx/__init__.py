"""Random kernels in C++ as people write it, compared with the same text compiled for the host.

    python -m tests.fuzz.cxx [--seconds N] [--seed S]

`generate` draws sources, `compare` runs each on four cores and on the host.
"""
