"""Falsifies declared facts of instructions, one at a time, and lists the mutants that no test kills.

`python -m tests.mutate --help`; docs/mutation.md says how to read its output.
"""
