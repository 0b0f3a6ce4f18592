"""Searches by chance, each a command with a seed: `python -m tests.fuzz.launches`, `.logs`, `.devices`, ...

What they hold is one sentence each: whatever is given, the answer is a right one or one of the errors that the
documentation names, within bounds of time and memory. The suite runs a short form of each.
"""
