"""Measured times beside simulated ones: how far they are apart, and rates that bring them together."""

from .correlation import Comparison, Correlation, correlate
from .fit import Fit, Parameter, calibrate
from .measured import Case, Cases, Free, Measurement, Skipped, read_cases, read_table

__all__ = [
    "Case",
    "Cases",
    "Comparison",
    "Correlation",
    "Fit",
    "Free",
    "Measurement",
    "Parameter",
    "Skipped",
    "calibrate",
    "correlate",
    "read_cases",
    "read_table",
]
