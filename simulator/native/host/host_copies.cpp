// Copies and fills of device memory, by the host itself or in the order of a queue.
#include <string.h>

#include "host_link.h"
#include "host_memory.h"
#include "host_order.h"
#include "host_queues.h"
#include "host_status.h"
#include "host_targets.h"
#include "host_transfers.h"

namespace mlusim {
namespace {

// A copy whose sides have been looked at; null for a side that is the host's.
struct Copy {
  void* to;
  const void* from;
  size_t bytes;
  cnrtMemTransDir_t direction;
  Place where;
  Found source, target;

  void carry_out(uint64_t queue) const;
};

void Copy::carry_out(uint64_t queue) const {
  settle();
  if (queue && has_failed(queue)) return;
  post(CopyBytes{queue, (uint64_t)to, (uint64_t)from, bytes, (uint64_t)direction, where});
  if (target.alias) keep(target.alias, bytes);
  if (queue && source.alias && !target.alias) {
    expect(to, source.alias, bytes, queue, source.device->ordinal, where);
  } else if (queue && !source.alias) {
    read_host(target.alias ? target.alias : to, from, bytes, queue);
    if (target.alias) lend(from, bytes, queue, target.device->ordinal, where);
  } else {
    memmove(target.alias ? target.alias : to, source.alias ? source.alias : from, bytes);
  }
}

// A copy as the parameters of a node.
cnrtMemcpy3dParam_t row_of(const Copy& copy) {
  cnrtMemcpy3dParam_t row = {};
  row.dst = copy.to, row.src = const_cast<void*>(copy.from), row.dir = copy.direction;
  row.dstPtr.pitch = row.srcPtr.pitch = row.extent.width = copy.bytes;
  row.dstPtr.ysize = row.srcPtr.ysize = row.extent.height = row.extent.depth = 1;
  return row;
}

// Whether a queue has failed, as far as its work has been carried out.
bool takes_nothing(uint64_t queue) {
  if (!is_left(queue)) settle();
  return has_failed(queue);
}

// What the host does by itself comes behind the work of its default queue.
void after_default(Place where) {
  uint64_t own = default_queue();
  if (!own) return;
  drain(own);
  arrive(own, current_device(), where);
}

}  // namespace

cnrtRet_t copy(void* to, const void* from, size_t bytes, cnrtMemTransDir_t direction, uint64_t queue, Place where) {
  if (!connected()) return no_device();
  if ((unsigned)direction > cnrtMemcpyNoDirection)
    return failed(cnrtErrorMemcpyDirectionInvalid, "the direction is none of cnrtMemTransDir_t");
  if (direction == cnrtMemcpyNoDirection)
    direction = on_device(from) ? (on_device(to) ? cnrtMemcpyDevToDev : cnrtMemcpyDevToHost)
                                : (on_device(to) ? cnrtMemcpyHostToDev : cnrtMemcpyHostToHost);
  if (!bytes) return cnrtSuccess;
  bool reads = direction != cnrtMemcpyHostToDev && direction != cnrtMemcpyHostToHost;
  bool writes = direction != cnrtMemcpyDevToHost && direction != cnrtMemcpyHostToHost;
  Copy made = {to, from, bytes, direction, where, {}, {}};
  if (reads && !look_up(from, bytes, "the source of a copy", where, made.source)) return refused(cnrtErrorArgsInvalid);
  if (writes && !look_up(to, bytes, "the target of a copy", where, made.target)) return refused(cnrtErrorArgsInvalid);
  if ((!reads && (!from || on_device(from))) || (!writes && (!to || on_device(to)))) {
    const void* wrong = !reads && (!from || on_device(from)) ? from : to;
    tell("not on host", {(uint64_t)wrong}, where);
    return refused(cnrtErrorArgsInvalid);
  }
  if (!writes && !fits(to, bytes, where)) return refused(cnrtErrorArgsInvalid);
  if (queue && takes_nothing(queue)) return refused(cnrtErrorCndrvFuncCall);
  if (queue)
    in_order(queue, {row_of(made), [made](uint64_t queue) { made.carry_out(queue); }});
  else
    after_default(where), made.carry_out(0);
  return cnrtSuccess;
}

cnrtRet_t fill(void* to, uint64_t value, size_t count, size_t width, uint64_t queue, Place where) {
  if (!connected()) return no_device();
  if (!count) return cnrtSuccess;
  Found target;
  uint64_t bytes;
  if (__builtin_mul_overflow(count, width, &bytes)) bytes = UINT64_MAX;
  if (!look_up(to, bytes, "the memory to set", where, target)) return refused(cnrtErrorArgsInvalid);
  if (queue && takes_nothing(queue)) return refused(cnrtErrorCndrvFuncCall);
  auto work = [=](uint64_t queue) {
    settle();
    if (queue && has_failed(queue)) return;
    post(FillBytes{queue, (uint64_t)to, bytes, where});
    keep(target.alias, bytes);
    if (width == 1) memset(target.alias, (int)value, count);
    for (size_t i = 0; width > 1 && i < count; i++) memcpy(target.alias + i * width, &value, width);
  };
  if (queue)
    in_order(queue, {cnrtMemsetParams_t{to, 0, (unsigned int)value, (unsigned int)width, count, 1}, work});
  else
    after_default(where), work(0);
  return cnrtSuccess;
}

}  // namespace mlusim
