"""Measured times beside simulated ones: how far they are apart, and rates that bring them together."""

from .cases import Cases, Free, MeasuredCase, read_cases
from .correlation import Comparison, Correlation
from .fit import Fit, FittedNumber, calibrate
from .measured import Measurement, Skipped, read_table

__all__ = [
    "Cases",
    "Comparison",
    "Correlation",
    "Fit",
    "FittedNumber",
    "Free",
    "MeasuredCase",
    "Measurement",
    "Skipped",
    "calibrate",
    "read_cases",
    "read_table",
]
