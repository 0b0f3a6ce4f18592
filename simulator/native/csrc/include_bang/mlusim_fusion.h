// Names that go with `__bang_fusion`: what it does first, and then. Their numbers are ours (inferred).
#pragma once

// F, then one letter for each operation: A adds, S subtracts, M multiplies.
typedef enum {
  FUSION_FAA,
  FUSION_FAM,
  FUSION_FAS,
  FUSION_FMA,
  FUSION_FMM,
  FUSION_FMS,
  FUSION_FSA,
  FUSION_FSM,
  FUSION_FSS,
} mluFusionOpCode_t;
