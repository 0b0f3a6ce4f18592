"""The machine that kernels run on: memories, the running task, the issue port, cores.

Here belongs what an instruction meets on its way to memory and log. Not who sends it (`engines`), and no check by name.
"""
