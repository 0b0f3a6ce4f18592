"""The process that runs C kernels: its two sides, and the messages between them."""
