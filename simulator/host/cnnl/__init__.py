"""The closed operator library that host code calls: what its functions compute, and how long that is taken to last.

``cost`` how long, ``functions`` what they compute, ``operation`` one call of one.
"""
