"""Host code: whole programs, operators called from Python, the closed operator library, and test cases.

Here belongs what stands in for the vendor's runtime. Not what kernels do, which is the same wherever they are launched.
"""
