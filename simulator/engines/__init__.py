"""What runs kernels: tasks in C, tasks in Python, blocks of threads; the worker process. Imports: kernelc and below."""
