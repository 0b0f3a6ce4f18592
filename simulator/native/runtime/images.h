// The kernel images in this process, and what they announce while they are loaded.
#pragma once
#include <vector>

#include "mlusim_rt.h"

namespace [[gnu::visibility("hidden")]] mlusim {

struct Images {
  std::vector<mlusim_range> loaded;    // code and data of each
  std::vector<mlusim_variable> slots;  // file-scope variables that were announced since the last were taken
  std::vector<mlusim_variable> taken;  // those that Python looks at

  bool hold(uint64_t address) const {
    for (size_t i = loaded.size(); i-- > 0;)  // the latest first: it is the one that runs, most often
      if (address >= loaded[i].start && address < loaded[i].end) return true;
    return false;
  }
};
extern Images images;

}  // namespace mlusim
