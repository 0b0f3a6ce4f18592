#include "untaken.h"

namespace mlusim {
namespace {

// How often a result is unused before that is said: it may be the last of a loop.
constexpr int64_t OFTEN = 2;
// Of one byte in so many that is read, of results of so many bytes at least, the others are made in vain: fewer
// may be what the vector units make at once.
constexpr uint64_t SHARE = 8, LONG = 1024;
// Operands that are so many times as long as their result: it is of bits, and the last byte of it may be there for a
// whole one.
constexpr uint64_t BITS = 4;

}  // namespace

void Untaken::overwrites(Ranges::At at, int64_t operand) {
  lose_load(*at, operand);
  retire(at);
}

void Untaken::reads(const Piece& piece, const Parts& parts) {
  if (scene_.log.way(*scene_.record) != LANES || piece.on_device) return;
  uint64_t written = 0;
  for (auto part : parts)
    if (part->written()) written += part->bytes();
  if (2 * written <= piece.end - piece.start) line_of(*scene_.record).is_hollow = true;
}

// A load overwrites all that a load has brought, and none of it was read.
void Untaken::lose_load(const Range& range, int64_t operand) const {
  if (!range.tile || !scene_.far || !range.others.empty() || range.changed) return;
  const Record& load = scene_.log.record(range.tile - 1);
  const Operand &made = scene_.log.result(load), *far = scene_.log.far_operand(load);
  if (!far || far == &made || load.flags & MLUSIM_ATOMIC || made.key != range.start || end_of(made) != range.end)
    return;
  if (load.task == scene_.record->task) scene_.note(UNUSED, range.tile - 1, made.key, made.bytes, operand);
}

// A range is gone: how it has fared, where it is an end of a result, or all of it.
void Untaken::retire(Ranges::At at) {
  const Range& range = *at;
  if (!range.written()) return;
  const Record& r = scene_.log.record(range.write.record);
  const Way way = scene_.log.way(r);
  if (way >= SCALAR) return;
  const Operand& made = scene_.log.result(r);
  if (made.lanes) return;
  bool head = range.start == made.key, tail = range.end == end_of(made);
  bool taken = range.was_read() || is_read_now(range);
  Line& line = line_of(r);
  line.all.taken |= taken;
  // Of results that lie apart, such as sums of 128 bytes each, one alone may be read.
  if ((way == LANES || (way == NO_WAY && scene_.log.is_scattered(r, made))) && range.write.is_tile) {
    if (!taken && !range.vague) line.most.lose(range.write.record, range.write.record, range.start, range.bytes());
    line.count(range, made.bytes, taken || range.vague);
  }
  if (!(head || tail)) return;
  line.results += head;
  if (head && tail)
    retire_whole(line, range, taken);
  else
    retire_end(line, at, r, taken);
}

void Untaken::retire_whole(Line& line, const Range& range, bool taken) const {
  if (taken) {
    line.head.taken = line.tail.taken = true;
  } else if ((range.write.is_tile || is_filled_again(range)) && !range.write.is_atomic) {
    int64_t by = scene_.record ? scene_.index : range.write.record;
    line.all.lose(by, range.write.record, range.start, range.bytes());
    if (is_made_again(range)) line.again.lose(by, range.write.record, range.start, range.bytes());
  }
}

// Whether the instruction that made a range overwrites it in the same task.
bool Untaken::is_made_again(const Range& range) const {
  const Record& r = scene_.log.record(range.write.record);
  return scene_.record && same_line(*scene_.record, r) && scene_.record->task == r.task;
}

// Whether a load has brought bytes, more of them than rounding up to whole lines explains. What is computed may be a
// whole tile of which less is needed; a load has no reason to bring twice as much.
bool Untaken::is_loaded_in_vain(const Range& range, const Record& r) const {
  const Operand* far = scene_.log.far_operand(r);
  return far && far != &scene_.log.result(r) && range.bytes() >= LINE;
}

// Whether a fill is overwritten by one of another line: what comes over it is no data that it was to surround.
bool Untaken::is_filled_again(const Range& range) const {
  const Log& log = scene_.log;
  const Record& filled = log.record(range.write.record);
  return scene_.record && log.is_fill(*scene_.record) && log.is_fill(filled) && !same_line(*scene_.record, filled);
}

void Untaken::retire_end(Line& line, Ranges::At at, const Record& r, bool taken) const {
  const Range& range = *at;
  const Operand& made = scene_.log.result(r);
  bool head = range.start == made.key;
  Fate& fate = head ? line.head : line.tail;
  if (taken) {
    fate.taken = true;
    return;
  }
  if (range.bytes() > FEW && 2 * range.bytes() != made.bytes) return;
  auto other = head ? std::next(at) : scene_.ranges.before(at);
  if (other == scene_.ranges.none() || other->write.record != range.write.record) return;
  if (other->start != range.end && other->end != range.start) return;
  if (!range.write.is_tile) return;
  if (!head && (packs(r, made) || (made.bytes % ROUND == 0 && !is_loaded_in_vain(range, r)))) return;  // rounded up
  int64_t reader = reader_of(*other);
  if (reader >= 0 && !takes_more(reader, made)) fate.lose(reader, range.write.record, range.start, range.bytes());
}

void Untaken::Line::count(const Range& range, uint64_t result, bool taken) {
  is_short |= result < LONG;
  made += range.bytes();
  if (!taken) lost += range.bytes();
}

// Whether hardly anything is read of long results, again and again; or, where little went in (the rest may be padding),
// just half or a quarter: a count in elements where the copy before and the one behind have bytes.
bool Untaken::Line::is_wasted() const {
  if (!all.taken || is_short) return false;
  if (is_hollow) return 2 * lost == made || 4 * (made - lost) == made;
  return most.lost >= OFTEN && lost > made / SHARE * (SHARE - 1);
}

void Untaken::Fate::lose(int64_t by, int64_t maker, uint64_t start, uint64_t count) {
  if (lost++) return;
  later = by;
  earlier = maker;
  key = start;
  bytes = count;
}

// Whether the record that overwrites a range takes it itself.
bool Untaken::is_read_now(const Range& range) const {
  if (!scene_.record) return false;
  for (uint32_t n = 0; n < scene_.operands.count; n++) {
    const Operand& o = scene_.operands[n];
    if (!scene_.operands.writes(n) && o.key < range.end && range.start < end_of(o)) return true;
  }
  return false;
}

// Whether a record makes bits of elements.
bool Untaken::packs(const Record& r, const Operand& made) const {
  for (const Operand& operand : scene_.log.operands(r))
    if (operand.bytes > BITS * made.bytes) return true;
  return false;
}

// The last instruction but the scalar unit's that has taken a range, -1 for none.
int64_t Untaken::reader_of(const Range& range) const {
  for (const Access* other = range.others.end(); other-- != range.others.begin();)
    if (other->record != range.write.record && !scene_.log.is_scalar(scene_.log.record(other->record)))
      return other->record;
  return -1;
}

// Whether a record takes what lies beside a result with it: a window that moves over several.
bool Untaken::takes_more(int64_t reader, const Operand& made) const {
  const Operands all = scene_.log.operands(scene_.log.record(reader));
  for (uint32_t n = 0; n < all.count; n++) {
    const Operand& o = all[n];
    if (all.writes(n) || o.key >= end_of(made) || end_of(o) <= made.key) continue;
    if (o.key + FEW < made.key || end_of(o) > end_of(made) + FEW) return true;
  }
  return false;
}

// What is known of the results of an instruction at a line.
Untaken::Line& Untaken::line_of(const Record& r) {
  if (r.loc >= lines_.size()) lines_.resize(r.loc + 1);
  auto& lines = lines_[r.loc];
  for (Line& line : lines)
    if (line.op == r.op) return line;
  lines.push_back({r.op, {}, {}, {}, {}, {}});
  return lines.back();
}

// Notes the lines of whose results an end, or all, was never used.
void Untaken::finish() {
  for (auto at = scene_.ranges.begin(); at != scene_.ranges.none();) {
    if (!scene_.log.on_device(at->start))
      retire(at++);
    else
      at = scene_.ranges.from(Log::last_of_space(at->start));  // there may be millions of them
  }
  for (const auto& lines : lines_)
    for (const Line& line : lines) {
      if (line.is_wasted())
        scene_.causes.note(WASTED, line.most.later, line.most.earlier, line.most.key, line.most.bytes, 0);
      if (line.all.taken && line.again.lost >= OFTEN && 2 * line.again.lost > line.results)
        scene_.causes.note(AGAIN, line.again.later, line.again.earlier, line.again.key, line.again.bytes, 0);
      for (const Fate* fate : {&line.all, &line.head, &line.tail}) {
        bool whole = fate == &line.all;
        if (fate->taken || fate->lost < (whole ? OFTEN : 1)) continue;
        scene_.causes.note(whole ? DEAD : UNTAKEN, fate->later, fate->earlier, fate->key, fate->bytes, 0);
      }
    }
}

}  // namespace mlusim
