"""Random programs of TPU-KERNEL: sections, copies, computation and waits, against memory that changes step by step."""
