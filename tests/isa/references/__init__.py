"""What every instruction does, in plain Python: the other side of the differential tests.

Nothing here reads a declaration, calls mlusim or computes with NumPy. `registry` lists the instructions.
"""
