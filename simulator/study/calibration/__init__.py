"""Measured times beside simulated ones: how far they are apart, and rates that bring them together."""

from .correlation import Comparison, Correlation, correlate
from .fit import Fit, FittedNumber, calibrate
from .measured import Cases, Free, MeasuredCase, Measurement, Skipped, read_cases, read_table

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
    "correlate",
    "read_cases",
    "read_table",
]
