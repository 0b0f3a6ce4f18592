#include "host_operation.h"

#include <string>

#include "host_memory.h"
#include "host_order.h"
#include "host_queues.h"
#include "host_status.h"
#include "host_topology.h"
#include "host_transfers.h"

using namespace mlusim;

MLUSIM_API cnrtRet_t mlusim_operation(cnrtQueue_t handle, const char* text, size_t length, const mlusim_range* ranges,
                                      size_t count, const void* caller) {
  if (!connected()) return no_device();
  Place where = place_of(caller);
  Queue queue;
  if (!queue_of(handle, queue)) return last_status(false);
  if (!device(queue.device)) return no_device();
  for (size_t i = 0; i < count; i++) {
    Found found;
    if (ranges[i].bytes && !look_up(ranges[i].start, ranges[i].bytes, ranges[i].what, where, found))
      return refused(cnrtErrorArgsInvalid);
  }
  auto work = [where, said = std::string(text, length)](uint64_t queue) {
    keep_all();
    return status_of(call(CallOperation{queue, where}, {said.data(), said.size()}));
  };
  if (!is_left(queue.number) && !is_captured(queue.number)) return work(queue.number);
  in_order(queue.number, {KernelNode(), work});
  return cnrtSuccess;
}

MLUSIM_API void mlusim_not_modelled(const char* function) { not_modelled(function); }
MLUSIM_API cnrtRet_t mlusim_call_failed(cnrtRet_t status, const char* why) { return failed(status, why); }
