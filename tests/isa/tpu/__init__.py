"""Functions of BDC and GDMA on tensors, by families: `rows` and `moves` state what each does."""

from tests.isa.tpu.moves import MOVES
from tests.isa.tpu.rows import ELEMENTARY, ROWS

#: Commands of messages, which have no operands: test_messages.py.
MESSAGES = frozenset(f"tpu_{e}_{verb}_msg" for e in ("bdc", "gdma", "hau", "sdma") for verb in ("send", "wait"))
#: All of them.
NAMES = frozenset({f"tpu_bdc_{row.name}" for row in (*ROWS, *ELEMENTARY)} | {f"tpu_{name}" for name in MOVES})
