"""Test cases of operators: read, run against a reference, measured.

``textformat`` the text of messages, ``case`` a case and its arrays, ``measures`` how far results are apart,
``binding`` which parameter a tensor or a number of a case is for, ``reference`` the function that says what is right,
``native_reference`` one in C or C++, ``run`` one case, ``suite`` what all are
run with, ``report`` what has come of them.
"""

from .case import OperatorCase, read_case
from .run import CaseOutcome, run_case

__all__ = ["CaseOutcome", "OperatorCase", "read_case", "run_case"]
