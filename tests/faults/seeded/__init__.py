"""Faults seeded into right kernels, one at a time: how many are found, how severely, in how many findings."""
