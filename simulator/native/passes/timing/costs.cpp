#include "costs.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <new>
#include <unordered_set>

#include "../../entry.h"
#include "dependence.h"

namespace mlusim::timing {
namespace {

constexpr int64_t TERMS = MLUSIM_WORK + 1;
constexpr uint64_t OFFSETS = (uint64_t{1} << MLUSIM_OFFSET_BITS) - 1;

uint64_t rounded_up(uint64_t bytes, uint64_t unit) { return (bytes + unit - 1) / unit; }

class Pass {
 public:
  explicit Pass(const mlusim_costs& given) : w(given), dependence_(given) {}

  void run() {
    for (int64_t i = 0; i < w.count; i++) cost(i);
    if (w.last) wait_for_last();
  }

 private:
  // How a record uses channels: whether it does, it reads what they bring, and how often its work counts.
  struct Traffic {
    bool any = false, reads = false;
    double repeats = 1.0;
  };

  void cost(int64_t i);
  Traffic move(const mlusim_record& record, int64_t i);
  void wait(int64_t channel, int64_t i, bool reads);
  void wait_for_last();

  double& moved(int64_t channel, int64_t i) { return w.moved[channel * w.count + i]; }

  const mlusim_costs& w;
  Dependence dependence_;
};

void Pass::cost(int64_t i) {
  const mlusim_record& record = w.records[i];
  const mlusim_price& price = w.prices[record.op];
  const Traffic traffic = move(record, i);
  const double work = static_cast<double>(record.work) * traffic.repeats, gaps = record.gaps;
  // A scalar store to a memory on the chip is posted; one to a channel comes twice, as it reads its granule first.
  const double waited = price.posted && traffic.repeats == 1.0 ? 0.0 : std::max(work - gaps, 0.0);
  const double us[TERMS] = {
      price.startup_us,
      dependence_.follows(record) ? price.dependent_us : 0.0,
      price.part_cycles * (price.within ? waited : gaps) * w.cycle_us,
      std::ceil(work / price.quantum) * price.quantum / price.rate * price.paid * w.cycle_us,
  };
  double alone = us[MLUSIM_STARTUP] + us[MLUSIM_DEPENDENT] + us[MLUSIM_PARTS] + us[MLUSIM_WORK];
  int64_t slower = -1;  // the channel that takes longer than the engine
  for (int64_t c = 0; traffic.any && c < w.channels; c++) {
    const double through = moved(c, i) / w.draws[c].core_rate;
    if (through > alone) {
      alone = through;
      slower = c;
    }
  }
  w.alone[i] = alone;
  const double weight = w.weight ? w.weight[i] : 1.0;
  if (slower >= 0) {
    w.drawn[slower] += alone * weight;
  } else {
    for (int64_t term = 0; term < TERMS; term++) w.terms[record.op * TERMS + term] += us[term] * weight;
  }
  if (!w.last)
    for (int64_t c = 0; traffic.any && c < w.channels; c++)
      if (moved(c, i) > 0) wait(c, i, traffic.reads);
}

// Puts the bytes of a record on the channels.
Pass::Traffic Pass::move(const mlusim_record& record, int64_t i) {
  const mlusim_price& price = w.prices[record.op];
  Traffic traffic;
  const mlusim_operand* operand = w.operands + record.first;
  for (int64_t place = w.places[record.op]; place < w.places[record.op + 1]; place++, operand++) {
    const uint8_t* on = w.on + (operand->key >> (MLUSIM_OFFSET_BITS + MLUSIM_OWNER_BITS)) * w.channels;
    if (!std::any_of(on, on + w.channels, [](uint8_t used) { return used; })) continue;
    const bool written = w.writes[place];
    if (written && price.within) traffic.repeats = 2.0;
    traffic.any = true;
    traffic.reads |= !written;
    // Of a strided operand, not the gaps between its parts.
    const uint64_t limit = record.work * price.most, parts = uint64_t{record.gaps} + 1;
    const uint64_t bytes = limit ? std::min(operand->bytes, limit) : operand->bytes, each = rounded_up(bytes, parts);
    const uint64_t granules = rounded_up((operand->key & OFFSETS) % w.granule + each, w.granule);
    const bool is_short = written && each < w.granule && bytes && (price.within || !price.single);
    const auto whole = static_cast<double>(price.single ? bytes : parts * granules * w.granule);
    for (int64_t c = 0; c < w.channels; c++)
      if (on[c]) moved(c, i) += is_short ? 2 * whole : whole;
  }
  return traffic;
}

void Pass::wait(int64_t channel, int64_t i, bool reads) {
  const mlusim_draw& draw = w.draws[channel];
  w.latency[i] += reads ? draw.read_us : draw.write_us;
  w.waited[2 * channel + !reads] += w.waits ? w.waits[i] : 1.0;
}

// Of each task the last record that uses a channel waits for its latency.
void Pass::wait_for_last() {
  for (int64_t c = 0; c < w.channels; c++) {
    std::unordered_set<uint32_t> done;
    for (int64_t i = w.count - 1; i >= 0; i--)
      if (moved(c, i) > 0 && done.insert(w.records[i].task).second) wait(c, i, true);
  }
}

}  // namespace
}  // namespace mlusim::timing

MLUSIM_ENTRY int64_t mlusim_find_costs(const mlusim_costs* given) {
  try {
    mlusim::timing::Pass(*given).run();
    return 0;
  } catch (const std::bad_alloc&) {
    return 1;
  }
}
