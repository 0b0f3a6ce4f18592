"""Where the tests find what they read."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
#: Kernels that several rooms use.
KERNELS_C = ROOT / "tests" / "kernels_c"
CHIPS = ROOT / "simulator" / "chip" / "chips"
