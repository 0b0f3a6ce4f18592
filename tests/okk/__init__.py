"""OKK on the BM1684: every function against NumPy, every rule broken by itself, kernels in C."""
