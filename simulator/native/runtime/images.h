// The kernel images in this process, and what they announce while they are loaded.
#pragma once
#include <vector>

#include "mlusim_rt.h"

namespace [[gnu::visibility("hidden")]] mlusim {

struct Images {
  std::vector<mlusim_range> loaded;    // code and data of each
  std::vector<mlusim_variable> slots;  // file-scope variables that were announced since the last were taken
  std::vector<mlusim_variable> taken;  // those that Python looks at

  // The image that runs, most often, which holds the addresses of variables.
  bool newest_holds(uint64_t address) const {
    return !loaded.empty() && address >= loaded.back().start && address < loaded.back().end;
  }
  bool hold(uint64_t address) const {
    for (const mlusim_range& image : loaded)
      if (address >= image.start && address < image.end) return true;
    return false;
  }
};
extern Images images;

}  // namespace mlusim
