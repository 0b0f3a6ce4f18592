"""Inputs made at random, by a seed: each gives a right answer or a clear error, nothing else."""
