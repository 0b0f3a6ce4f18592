"""Random instruction sequences, run from C and from Python and compared with an interpreter written apart.

    python -m tests.fuzz.sequences [--seconds N] [--seed S] [--device D]

`program` draws sequences, `interpret` says what each has to do, `execute` runs it as a kernel.
"""
