// Messages between queues: when each has been sent as often as a wait asks for. A number is used again when as many
// have waited as its senders say.
#pragma once
#include <cstdint>
#include <unordered_map>

#include "walk.h"

namespace mlusim::timing {

class Post {
 public:
  // A record sends a message, at a time.
  void send(const mlusim_record& record, int64_t i, double time) {
    Box& box = boxes_[record.work % MLUSIM_MESSAGES];
    box.sent++;
    box.readers = record.work / MLUSIM_MESSAGES;
    if (box.last >= 0 && time <= box.time) return;
    box.last = i;
    box.time = time;
  }
  // Whether a message has been sent as often as a record waits for.
  bool has(const mlusim_record& record) const {
    const auto box = boxes_.find(record.work % MLUSIM_MESSAGES);
    return box != boxes_.end() && box->second.sent >= record.work / MLUSIM_MESSAGES;
  }
  struct Arrival {
    double time = 0;
    int64_t sender = -1;
  };
  // The record goes on: when the last sender had sent, and which that was; none for a message that never comes.
  Arrival take(const mlusim_record& record) {
    const auto found = boxes_.find(record.work % MLUSIM_MESSAGES);
    if (found == boxes_.end()) return {};
    Box& box = found->second;
    const Arrival arrival{box.time, box.last};
    if (++box.passed == box.readers) boxes_.erase(found);
    return arrival;
  }

 private:
  struct Box {
    uint64_t sent = 0, readers = 0, passed = 0;
    double time = 0;
    int64_t last = -1;
  };
  std::unordered_map<uint64_t, Box> boxes_;
};

}  // namespace mlusim::timing
