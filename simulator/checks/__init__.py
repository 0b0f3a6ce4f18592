"""What is said of a kernel: at each instruction, of its log, and of its results.

Here belongs how a broken rule is noticed. Not its words, which are those of `findings`.
"""

#: Entries of an array that may be a shape, at most.
SHAPE_ENTRIES = 16
