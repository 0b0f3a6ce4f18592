"""The machine that kernels run on: memories, the running task, the issue port, cores. Imports: native and below."""
