// Stands in for the test frame's header of this name: what the CPU functions of its classes read, and nothing of devices.
#pragma once
#include <cstddef>
#include <vector>

#define CHECK(call)  // what a class does on the device is left out

struct Parser {
  size_t elements = 0;
  float factor_given = 0;
  size_t count(int) const { return elements; }
  float factor() const { return factor_given; }
};

class Executor {
 public:
  virtual ~Executor() = default;
  virtual void compute() = 0;
  virtual void cpuCompute() = 0;

  Parser parser_;
  std::vector<float *> cpu_input_, cpu_output_;
};
