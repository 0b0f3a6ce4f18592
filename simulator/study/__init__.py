"""Many simulations: rates fitted to measured times, and sweeps.

Here belongs what compares runs with measurements or with each other. Not one run's own figures (`mlusim.traces`).
"""
