"""What runs kernels: tasks in C, tasks in Python, blocks of threads; the worker process.

Here belongs how the code of a kernel gets to run, and the sandbox around it. Not what an instruction does (`core`), and
not what a launch is given (`launches`).
"""
