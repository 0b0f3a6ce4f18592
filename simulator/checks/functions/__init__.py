"""Functions that kernels are named after, as NumPy computes them: what `softmax_kernel` should leave.

A name says which function; shapes, numbers and the order of the arguments say of what. Where that leaves a choice (an
axis, a layout, the stride of a window) all that the launch allows is tried.
"""

from .libraries import IN_FILE
from .named import Likeness, check_function, likeness
from .problem import Input, Problem
from .words import functions_of, subject_of

__all__ = ["IN_FILE", "Input", "Likeness", "Problem", "check_function", "functions_of", "likeness", "subject_of"]
