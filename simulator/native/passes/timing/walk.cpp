// The clocked walk through a log.
//
// A core's front end runs ahead on its own until it depends on a channel or on a barrier. Transfers begin and end in
// the order of time, ties by core number and then by record: what follows from an end is never earlier than it, so that
// the order of events is the order of time.
#include "walk.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <new>
#include <numeric>
#include <unordered_map>
#include <vector>

#include "../../entry.h"
#include "channels.h"
#include "core.h"
#include "post.h"

namespace mlusim::timing {
namespace {

constexpr int64_t AHEAD = 16;  // records by which the memory of a core is fetched before it is needed

// The records that have arrived where so many meet.
struct Barrier {
  int64_t members;
  std::vector<int64_t> arrived;
};

class Walk {
 public:
  explicit Walk(const mlusim_walk& given);
  // -1, or the number of a core that waits for ever.
  int64_t run();

 private:
  void front(Core& core);
  void take_up(Core& core);
  bool step(Core& core);
  bool begin_task(Core& core, int64_t task);
  bool join_queues(Core& core, Pipes queues);
  void issue(Core& core, int64_t record);
  bool wait_for(Core& core, int64_t record, Pipes gate);
  void meet(Core& core, int64_t record);
  void begin(Core& core, int64_t record, double time);
  void through(int64_t record, double time);
  void follow(Core& core, int64_t pipe, bool forced = false);
  void settle(Core& core, int64_t record, double from);
  bool release();
  void fetch_ahead(const Core& core) const;

  Core& core_of(int64_t record) { return cores_[w.core_index[w.records[record].core]]; }
  Pipes waits(int64_t op) const { return {w.wait_pipes + w.wait_places[op], w.wait_pipes + w.wait_places[op + 1]}; }
  Pipes queues(int64_t op) const {
    return {w.queue_pipes + w.queue_places[op], w.queue_pipes + w.queue_places[op + 1]};
  }
  // How long a record lasts; one that has to share a channel waits for its latency behind that.
  double length(int64_t record) const { return w.alone[record] + (w.shared[record] ? 0.0 : w.latency[record]); }
  void explain(int64_t record, mlusim_reason why, int64_t who) {
    w.reason[record] = static_cast<uint8_t>(why);
    w.cause[record] = who;
  }

  const mlusim_walk& w;
  Channels channels_;
  std::vector<Core> cores_;
  std::vector<Core*> ready_;      // whose front end can go on
  Events requests_;               // transfers that want to begin
  std::vector<uint16_t> flying_;  // by record: channels that it is on
  std::vector<int64_t> all_pipes_;
  std::unordered_map<uint64_t, Barrier> barriers_;
  Post post_;
  std::vector<int64_t> awaiting_;  // records whose pipes wait for a message
  bool sent_ = false;              // one has been sent since they were looked at
};

Walk::Walk(const mlusim_walk& given) : w(given), flying_(w.count), all_pipes_(w.pipes) {
  std::iota(all_pipes_.begin(), all_pipes_.end(), 0);
  for (int64_t k = 0; k < w.servers; k++) channels_.add(w.rate[k], w.core_rate[k], w.moved[k]);
  for (int64_t k = 0; k < w.barriers; k++) barriers_[w.barrier_numbers[k]].members = w.members[k];
  cores_.reserve(w.cores);
  for (int64_t k = 0; k < w.cores; k++)
    cores_.emplace_back(w.core_numbers[k], w.core_records[k], w.core_records[k + 1],
                        Pipes{w.server_list + w.core_servers[k], w.server_list + w.core_servers[k + 1]}, w.pipes);
  for (Core& core : cores_) ready_.push_back(&core);
}

int64_t Walk::run() {
  for (;;) {
    while (!ready_.empty()) {
      Core& core = *ready_.back();
      ready_.pop_back();
      front(core);
    }
    if (sent_ && release()) continue;
    const double leaves = channels_.next();
    if (!requests_.empty() && requests_.top().time < leaves) {
      const Event request = requests_.top();
      requests_.pop();
      begin(core_of(request.record), request.record, request.time);
    } else if (leaves < std::numeric_limits<double>::infinity()) {
      const Channels::Through transfer = channels_.leave();
      through(transfer.record, transfer.time);
    } else if (awaiting_.empty()) {
      break;
    } else {  // what never comes holds up nothing here
      const int64_t held = awaiting_.front();
      awaiting_.erase(awaiting_.begin());
      follow(core_of(held), w.records[held].pipe, true);
    }
  }
  const auto waiting = [](const Core& core) { return core.stage != Stage::DONE; };
  const auto found = std::find_if(cores_.begin(), cores_.end(), waiting);
  return found == cores_.end() ? -1 : found->number;
}

// Runs the front end of a core until it has to wait.
void Walk::front(Core& core) {
  if (core.stage == Stage::DONE) return;
  if (core.stage != Stage::RUNNING) take_up(core);
  for (; core.at < core.end; core.at++)
    if (!step(core)) return;
  core.stage = Stage::DONE;
}

// The front end goes on behind a barrier or a transfer.
void Walk::take_up(Core& core) {
  const int64_t i = w.order[core.at++];
  const mlusim_record& record = w.records[i];
  if (core.stage == Stage::AT_BARRIER) {
    core.front = core.resume;
  } else {
    core.front = {w.end[i], MLUSIM_WAIT, i};
    if (waits(record.op).empty()) core.occupy(record.pipe, w.end[i], i);
  }
  core.stage = Stage::RUNNING;
}

// The front end takes its next record; false where it has to wait.
bool Walk::step(Core& core) {
  const int64_t i = w.order[core.at];
  fetch_ahead(core);
  const mlusim_record& record = w.records[i];
  const int64_t op = record.op;
  if (record.task != core.running && !begin_task(core, record.task)) return false;
  if (record.flags & MLUSIM_SERIAL && !join_queues(core, queues(op))) return false;
  if (w.mark[op]) {
    w.start[i] = w.end[i] = core.front.now;
    explain(i, core.front.why, core.front.who);
    return true;
  }
  const bool blocking = record.flags & MLUSIM_BLOCKING;
  if (blocking) return wait_for(core, i, {all_pipes_.data(), all_pipes_.data() + all_pipes_.size()});
  if (w.meets[op] || !waits(op).empty()) return wait_for(core, i, waits(op));
  issue(core, i);
  return true;
}

// A task begins: not before it is handed out, nor before the last one has finished, which holds it up then.
bool Walk::begin_task(Core& core, int64_t task) {
  if (core.open) return false;
  const double handed = static_cast<double>(task) * w.task_us;
  if (core.running < 0) {
    core.front.now = handed;
  } else {
    const auto latest = std::max_element(core.free.begin(), core.free.end());
    const double bar = std::max(core.front.now, handed);
    const bool late = *latest > bar;
    const int64_t before = core.front.now > handed ? core.front.who : -1;
    const int64_t who = late ? core.last[latest - core.free.begin()] : before;
    core.front = {late ? *latest : bar, MLUSIM_LAUNCH, who};
  }
  core.running = task;
  return true;
}

// A record comes after everything in its queues; the front end itself goes on.
bool Walk::join_queues(Core& core, Pipes queues) {
  if (core.busy(queues)) return false;
  if (queues.empty()) return true;
  const auto earlier = [&](int64_t one, int64_t other) { return core.free[one] < core.free[other]; };
  const int64_t busiest = *std::max_element(queues.begin(), queues.end(), earlier);
  for (const int64_t pipe : queues)
    if (core.free[pipe] < core.free[busiest]) core.occupy(pipe, core.free[busiest], core.last[busiest]);
  return true;
}

// A record goes to its pipe, and the front end goes on.
void Walk::issue(Core& core, int64_t i) {
  const int64_t own = w.records[i].pipe;
  // What its pipe holds up holds up no front end: the next one came only now because of what came before.
  const bool late = !core.lines[own].empty() || core.free[own] > core.front.now;
  const int64_t who = late && core.front.who >= 0 ? core.front.who : i;
  explain(i, core.front.why, core.front.who);
  if (!core.lines[own].empty()) {
    w.start[i] = core.front.now;
    core.line_up(own, i);
  } else {
    double from = core.front.now;
    if (core.free[own] > from) {
      from = core.free[own];
      explain(i, MLUSIM_PIPE, core.last[own]);
    }
    w.start[i] = from;
    if (w.shared[i]) {
      core.line_up(own, i);
      requests_.push({from, core.number, i});
    } else if (w.message[w.records[i].op] == MLUSIM_AWAITS && !post_.has(w.records[i])) {
      core.line_up(own, i);
      awaiting_.push_back(i);
    } else {
      settle(core, i, from);
    }
  }
  core.front = {core.front.now + w.issue_us, MLUSIM_ISSUE, who};
}

// The front end waits for some pipes, and then for the record; false where it cannot go on at once.
bool Walk::wait_for(Core& core, int64_t i, Pipes gate) {
  if (core.busy(gate)) return false;
  const mlusim_record& record = w.records[i];
  const int64_t own = record.pipe;
  for (const int64_t pipe : gate) {
    if (core.free[pipe] > core.front.now)
      core.front = {core.free[pipe], pipe == own && record.flags & MLUSIM_BLOCKING ? MLUSIM_PIPE : MLUSIM_WAIT,
                    core.last[pipe]};
  }
  w.start[i] = core.front.now;
  explain(i, core.front.why, core.front.who);
  if (w.meets[record.op]) {
    core.stage = Stage::AT_BARRIER;
    meet(core, i);
    return false;
  }
  if (w.shared[i]) {
    core.stage = Stage::HELD;
    core.held = i;
    requests_.push({core.front.now, core.number, i});
    return false;
  }
  w.end[i] = core.front.now + length(i);
  core.front = {w.end[i], MLUSIM_WAIT, i};
  if (waits(record.op).empty()) core.occupy(own, w.end[i], i);
  return true;
}

// A record arrives at its barrier; the last one lets all go on.
void Walk::meet(Core& core, int64_t i) {
  core.held = i;
  Barrier& barrier = barriers_[w.records[i].work];
  barrier.arrived.push_back(i);
  if (static_cast<int64_t>(barrier.arrived.size()) < barrier.members) return;
  int64_t last = i;
  for (const int64_t other : barrier.arrived)
    if (w.start[other] > w.start[last] || (w.start[other] == w.start[last] && other > last)) last = other;
  const double latest = w.start[last], done = latest + length(i);
  for (const int64_t other : barrier.arrived) {
    w.end[other] = done;
    if (w.start[other] < latest) explain(other, MLUSIM_BARRIER, last);
    Core& member = core_of(other);
    member.resume = {done, MLUSIM_BARRIER, last};
    member.held = -1;
    ready_.push_back(&member);
  }
}

// A record begins to move its bytes through its channels.
void Walk::begin(Core& core, int64_t i, double time) {
  w.start[i] = time;
  for (const int64_t server : core.servers) {
    if (channels_[server].moved[i] == 0) continue;
    flying_[i]++;
    channels_.enter(server, core.number, i, time);
  }
}

// A channel has moved all bytes of a record. After the last one the record ends, and its pipe goes on.
void Walk::through(int64_t i, double time) {
  if (--flying_[i]) return;
  Core& core = core_of(i);
  w.end[i] = std::max(w.start[i] + w.alone[i], time) + w.latency[i];
  if (core.held == i) {
    core.held = -1;
    ready_.push_back(&core);
    return;
  }
  const int64_t own = w.records[i].pipe;
  core.occupy(own, w.end[i], i);
  core.leave_line(own);
  follow(core, own);
}

// The records that stand in line for a pipe begin, up to one that has to share a channel or to wait for a message;
// `forced`: the first one waits for none.
void Walk::follow(Core& core, int64_t own, bool forced) {
  for (; !core.lines[own].empty(); forced = false) {
    const int64_t i = core.lines[own].front();
    if (!forced && w.message[w.records[i].op] == MLUSIM_AWAITS && !post_.has(w.records[i])) {
      awaiting_.push_back(i);
      break;
    }
    double from = w.start[i];  // when the front end handed it over
    if (core.free[own] > from) {
      from = core.free[own];
      explain(i, MLUSIM_PIPE, core.last[own]);
    }
    if (w.shared[i]) {
      requests_.push({from, core.number, i});
      break;
    }
    settle(core, i, from);
    core.leave_line(own);
  }
  if (core.held < 0) ready_.push_back(&core);
}

// A record that shares no channel lasts as long as it lasts alone.
void Walk::settle(Core& core, int64_t i, double from) {
  const mlusim_record& record = w.records[i];
  if (w.message[record.op] == MLUSIM_AWAITS) {
    const Post::Arrival arrival = post_.take(record);
    if (arrival.time > from) {
      from = arrival.time;
      explain(i, MLUSIM_WAIT, arrival.sender);
    }
  }
  w.start[i] = from;
  w.end[i] = from + length(i);
  core.occupy(record.pipe, w.end[i], i);
  if (w.message[record.op] == MLUSIM_SENDS) {
    post_.send(record, i, w.end[i]);
    sent_ = true;
  }
}

// Pipes whose message has come go on; whether one has.
bool Walk::release() {
  sent_ = false;
  const auto come = [&](int64_t i) { return post_.has(w.records[i]); };
  const auto found = std::find_if(awaiting_.begin(), awaiting_.end(), come);
  if (found == awaiting_.end()) return false;
  const int64_t i = *found;
  awaiting_.erase(found);
  sent_ = true;  // and it may be that of others
  follow(core_of(i), w.records[i].pipe);
  return true;
}

// The cores take turns, each at its own place of a log that no cache holds.
void Walk::fetch_ahead(const Core& core) const {
  if (core.end - core.at <= AHEAD) return;
  const int64_t i = w.order[core.at + AHEAD];
  __builtin_prefetch(&w.records[i]);
  __builtin_prefetch(&w.alone[i]);
  __builtin_prefetch(&w.latency[i]);
  __builtin_prefetch(&w.start[i], 1);
  __builtin_prefetch(&w.end[i], 1);
  __builtin_prefetch(&w.cause[i], 1);
  for (const int64_t server : core.servers) __builtin_prefetch(&w.moved[server][i]);
}

}  // namespace
}  // namespace mlusim::timing

MLUSIM_ENTRY int64_t mlusim_walk_log(const mlusim_walk* given) {
  try {
    const int64_t stuck = mlusim::timing::Walk(*given).run();
    return stuck < 0 ? 0 : 2 + stuck;
  } catch (const std::bad_alloc&) {
    return 1;
  }
}
