"""Broken rules: their ids, findings as data, the exceptions, and what collects them.

Here belongs what a finding says and how it is shown. Not how a broken rule is noticed.
"""

from . import rules
from .collector import Collector, Locate, Squashed
from .errors import BuildError, KernelError, MlusimError
from .finding import Differing, Finding, OtherRun, Step, counted, failed, merged, merged_by, spoiled
from .rule import ADVICE, ERROR, RULES, SEVERITIES, WARNING, declare_rule

__all__ = [
    "ADVICE",
    "ERROR",
    "RULES",
    "SEVERITIES",
    "WARNING",
    "BuildError",
    "Collector",
    "Differing",
    "Finding",
    "KernelError",
    "Locate",
    "MlusimError",
    "OtherRun",
    "Squashed",
    "Step",
    "counted",
    "declare_rule",
    "failed",
    "merged",
    "merged_by",
    "rules",
    "spoiled",
]
