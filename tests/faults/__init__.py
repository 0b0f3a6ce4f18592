"""The fault corpus: plausible mistakes, each with the rule that finds it and the same kernel without the mistake."""
