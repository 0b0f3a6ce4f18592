"""Devices, kernels compiled for them, and launches.

Here belongs the way from a user's arrays to a run and back. Not how kernels are run: that is `engines`'.
Nothing is imported here: a command that only builds needs neither timing nor checks of logs.
"""
