// A class of a test frame: one function calls the operator, the other computes on the host what is right.
#include "executor.h"

class ScaleExecutor : public Executor {
 public:
  void compute() override { CHECK(vecScale(handle_, desc_, input_, desc_, output_, parser_.factor())); }
  void cpuCompute() override;
};

void ScaleExecutor::cpuCompute() {
  for (size_t i = 0; i < parser_.count(0); i++) cpu_output_[0][i] = cpu_input_[0][i] * parser_.factor();
}
