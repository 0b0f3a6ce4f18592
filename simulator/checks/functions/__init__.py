"""Functions that kernels are named after, as NumPy computes them: what `softmax_kernel` should leave.

A name says which function; shapes, numbers and the order of the arguments say of what. Where that leaves a choice (an
axis, a layout, the stride of a window) all that the launch allows is tried.
"""

from .named import Likeness, check_function, likeness
from .problem import Input, Problem
from .words import subject_of

__all__ = ["Input", "Likeness", "Problem", "check_function", "likeness", "subject_of"]
