"""Many simulations: rates fitted to measured times, and sweeps. Imports: host and below."""
