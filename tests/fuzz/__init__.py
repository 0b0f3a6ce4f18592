"""Searches with random cases; each module is a command, and a short form of it is in the suite."""
