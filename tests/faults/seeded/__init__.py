"""Faults seeded into right kernels, one at a time: how many of them are found, how severely, and how many findings each takes."""
