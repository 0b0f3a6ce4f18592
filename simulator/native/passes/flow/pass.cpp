// The pass over a log: every record is put in order, and shown with the bytes that it touches to those who look for
// something. `simulator/flow` fills in `Work`. What is not in a record has happened in the order of the log.
#include <exception>
#include <optional>

#include "../../entry.h"
#include "lost.h"
#include "tracking.h"
#include "waits.h"
#include "written.h"

namespace mlusim {
namespace {

// Pieces of an operand that are looked at one by one: of more its first and its last byte are.
constexpr double MOST_PIECES = 1 << 16;

class Pass {
 public:
  explicit Pass(Work& work)
      : work_(work),
        log_(work),
        causes_(work),
        scene_{log_, ranges_, causes_},
        order_(log_),
        hazards_(scene_, order_),
        waits_(work, log_, order_, causes_),
        advices_(scene_),
        tracking_(scene_, hazards_, advices_, order_) {}

  Outcome run() {
    if (order_.is_nonsense()) return NONSENSE;
    for (int64_t i = 0; i < work_.count; i++) step(i);
    waits_.end_group();
    scene_.record = nullptr;
    if (work_.whole && !work_.faults) advices_.finish();
    if (work_.whole && !work_.faults && work_.advice >> LOST & 1) Lost(log_, lanes_, causes_).find();
    return DONE;
  }

 private:
  void step(int64_t index) {
    const Record& r = log_.record(index);
    if (int64_t group = order_.group_of(r); group != order_.group()) {
      waits_.end_group();
      order_.begin_group(group);
    }
    size_t slot = order_.enter(r.core);
    if (log_.step(r) == SILENT) return skip_runs(r.first + log_.instruction(r).operands);
    scene_.set(index);
    waits_.look_at(r, index, slot);
    order_.issue(r, slot);
    now_ = access(r);
    advices_.begin();
    touch_operands(r);
    advices_.end();
    order_.finish(r);
    waits_.keep(r, index);
  }

  void skip_runs(uint32_t end) {
    while (run_ < no_runs_ && run_->operand < end) ++run_;
  }

  void touch_operands(const Record& r) {
    if (work_.idle && work_.idle[scene_.index]) return skip_runs(r.first + scene_.operands.count);
    const bool mute = work_.mute && r.core >= work_.plain_cores && log_.waits(r);
    for (uint32_t n = 0; n < scene_.operands.count; n++) {
      const Run* runs = run_;
      skip_runs(r.first + n + 1);
      touch(n, runs, mute);
    }
  }

  // An operand; `mute`: what it writes to the device has no effect. `runs` up to the next operand are its own.
  void touch(uint32_t number, const Run* runs, bool mute) {
    const Operand& operand = scene_.operands[number];
    uint64_t space = Log::space(operand.key);
    bool on_device = work_.on_device[space], writes = scene_.operands.writes(number);
    if (!operand.bytes || (mute && on_device && writes)) return;
    if (on_device && !writes && !is_written(operand)) return;
    Piece piece{operand.key, operand.key + operand.bytes, on_device, number, now_};
    piece.now.manner = !writes ? READ : piece.now.is_atomic && on_device ? ATOMIC_UPDATE : WRITE;
    if (writes && !on_device) note_inputs(operand, piece.now);
    if (!operand.lanes) return touch_runs(piece, runs);
    const std::vector<bool>& first = lanes_.first(operand);
    for (uint16_t number = 0; number < operand.lanes; number++) {
      size_t lane = (operand.lane + number) % work_.lanes;
      if (!first[lane]) continue;
      piece.start = operand.key + lane * work_.lane_bytes[space];
      piece.end = piece.start + operand.bytes;
      touch_runs(piece, runs, lane);
    }
  }

  // Whether anything in the log may write what an operand reads on the device: else nothing is to be said of it.
  bool is_written(const Operand& read) {
    if (!written_) written_.emplace(log_);
    return written_->meets(read.key, read.key + read.bytes);
  }

  // What all accesses of a record have in common.
  Access access(const Record& r) const {
    Access now{};
    now.record = static_cast<uint32_t>(scene_.index);
    now.group = static_cast<uint32_t>(order_.group());
    now.seq = order_.sequence();
    now.slot = static_cast<uint16_t>(order_.slot());
    now.pipe = r.pipe;
    now.is_async = (r.flags & MLUSIM_ASYNC) != 0;
    now.is_atomic = (r.flags & MLUSIM_ATOMIC) != 0;
    return now;
  }

  // Whether a result is made of something, and of what lay there.
  void note_inputs(const Operand& result, Access& now) const {
    for (uint32_t n = 0; n < scene_.operands.count; n++) {
      if (scene_.operands.writes(n)) continue;
      const Operand& other = scene_.operands[n];
      now.is_tile = 1;
      if (other.key == result.key && other.bytes == result.bytes && !other.lanes) now.in_place = 1;
    }
  }

  // An operand, or what of it is in a lane.
  void touch_runs(const Piece& all, const Run* runs, size_t lane = 0) {
    if (runs == run_) return tracking_.touch(all);
    touch_pieces(all, runs, lane);
  }

  [[gnu::noinline]] void touch_pieces(const Piece& all, const Run* runs, size_t lane) {
    Piece piece = all;
    auto touch = [&](uint64_t start, uint64_t end) {
      piece.start = start;
      piece.end = end;
      tracking_.touch(piece);
    };
    for (const Run* run = runs; run < run_; run++) {
      if (run->lanes && (lane + work_.lanes - run->lane) % work_.lanes >= run->lanes) continue;
      double pieces = 1.0 * run->count[0] * run->count[1] * run->count[2];
      if (!run->run || pieces > MOST_PIECES) {
        if (!all.on_device) advices_.picks(all.start, all.end);
        touch(all.start, all.start + 1);
        if (all.end - all.start > 1) touch(all.end - 1, all.end);
        continue;
      }
      for (uint32_t i = 0; i < run->count[2]; i++)
        for (uint32_t j = 0; j < run->count[1]; j++)
          for (uint32_t k = 0; k < run->count[0]; k++) {
            uint64_t at = all.start + run->start + i * run->stride[2] + j * run->stride[1] + k * run->stride[0];
            touch(at, at + run->run);
          }
    }
  }

  Work& work_;
  const Log log_;
  const Lanes lanes_{work_};
  Ranges ranges_;
  Causes causes_;
  Scene scene_;
  Order order_;
  Hazards hazards_;
  Waits waits_;
  Advices advices_;
  Tracking tracking_;
  std::optional<Written> written_;  // once an operand is read on the device
  Access now_{};                    // of the record that the pass is at
  const Run* run_ = work_.run;      // the first of the operands that come
  const Run* const no_runs_ = work_.run + work_.runs;
};

}  // namespace
}  // namespace mlusim

// No exception leaves: memory that is not there is an outcome.
extern "C" MLUSIM_ENTRY int64_t mlusim_flow(Work* work) {
  try {
    return mlusim::Pass(*work).run();
  } catch (const std::exception&) {
    return NO_MEMORY;
  }
}
