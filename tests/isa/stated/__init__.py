"""Facts of functions on tensors across lanes, stated by hand and held against the declarations without a launch.

`words` is the notation, `tpu` and `okk` are the tables, `calls` evaluates a declaration for given arguments. That a run
follows its declaration is for tests/isa/facts, of one function of each form, and for tests/isa/tpu and tests/okk.
"""
