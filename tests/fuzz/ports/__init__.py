"""Random instructions on both kinds of issue ports, native and Python's, which have to do the same.

    python -m tests.fuzz.ports [--seconds N] [--seed S] [--device D] [--every K]

`source` is one kernel with a call of each overload whose operands are packed, `draw` says what it is to call, and
`compare` runs that twice and compares what is in memory, in the log and in the findings.
"""
