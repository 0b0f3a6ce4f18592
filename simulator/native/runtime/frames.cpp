#include "frames.h"

#include <unwind.h>

#include "images.h"

namespace mlusim {

sigjmp_buf* volatile probe;

namespace {

struct Search {
  int skip;
  Frame found;
};

_Unwind_Reason_Code look(_Unwind_Context* context, void* given) {
  Search* search = (Search*)given;
  int before = 0;
  uint64_t pc = _Unwind_GetIPInfo(context, &before);
  if (!images.hold(pc) || search->skip-- > 0) return _URC_NO_REASON;
  search->found = {(int64_t)pc + before, (int64_t*)_Unwind_GetCFA(context) - 1};
  return _URC_END_OF_STACK;
}

}  // namespace

Frame find_frame(int skip) {
  static Search search;  // outlives the jump
  sigjmp_buf lost;
  search = {skip, {0, nullptr}};
  probe = &lost;
  if (sigsetjmp(lost, 1) == 0) _Unwind_Backtrace(look, &search);
  probe = nullptr;
  return search.found;
}

void read_text(uint64_t address, char* out, size_t room) {
  volatile size_t length = 0;
  sigjmp_buf lost;
  probe = &lost;
  if (sigsetjmp(lost, 1) == 0)
    while (length + 1 < room && ((volatile char*)address)[length]) {
      out[length] = ((volatile char*)address)[length];
      length = length + 1;
    }
  probe = nullptr;
  out[length] = 0;
}

}  // namespace mlusim
