"""The checks of instructions and scalar accesses, each by itself; others ask for them in `standard`, and name none."""
