"""Host code: whole programs, operators called from Python, the closed operator library, and test cases.

Imports: launches and below.
"""
