#include "host_transfers.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <list>
#include <memory>
#include <vector>

#include "host_faults.h"
#include "host_lock.h"
#include "host_memory.h"
#include "host_order.h"
#include "host_watchpoints.h"

namespace mlusim {
namespace {

// What memory holds that is still to get its bytes, as in the memories of a device: no number, or -1.
constexpr int POISON = 0xFF;
// Sources from this size on are watched page by page, smaller ones are compared.
constexpr size_t WATCHED = 65536;

struct Transfer {
  char *start, *end;                       // memory of the host
  char *first = nullptr, *last = nullptr;  // its pages that are watched
  bool arrives;                            // in this memory; else it leaves it
  bool is_checked = true;                  // not if others use the same memory
  bool is_told = false;                    // an early use of it has been told of
  const char* device = nullptr;            // what arrives, for as long as it stays there
  std::unique_ptr<char[]> kept = {};       // what arrives, or what has left where no pages are watched
  std::vector<uint64_t> queues;  // whose later work comes after it: its own, and those that have waited for it
  uint64_t serial;
  int of;
  Place where;
  pthread_t thread = pthread_self();  // that has queued it

  size_t size() const { return (size_t)(end - start); }
  bool before(uint64_t queue) const { return std::find(queues.begin(), queues.end(), queue) != queues.end(); }
  bool meets(const char* from, const char* to) const { return start < to && from < end; }
  void protect(int access) const {
    if (first < last) mprotect(first, (size_t)(last - first), access);
  }
};

struct Transfers {
  Lock mutex;
  std::list<Transfer> all;  // in the order of their serial numbers
  uint64_t serial = 0;
};

std::atomic<int> unwaited{0};  // transfers without a wait so far

// Never destroyed: faults may come while the process ends.
Transfers& transfers() {
  static Transfers& made = *new Transfers;
  return made;
}

// What is told when the lock is open again: the device process may be waited for then.
struct Told {
  const char* fault;
  Used used;
  Place where, related;
};

void tell_all(const std::vector<Told>& found) {
  for (auto& each : found) tell(each.fault, each.used, each.where, each.related);
}

// Whether memory is on the stack of this thread, whose pages signals and other functions need.
bool on_stack(const char* start) {
  static thread_local char* top = [] {
    pthread_attr_t attributes;
    void* lowest = nullptr;
    size_t bytes = 0;
    if (pthread_getattr_np(pthread_self(), &attributes)) return (char*)nullptr;
    pthread_attr_getstack(&attributes, &lowest, &bytes);
    pthread_attr_destroy(&attributes);
    return (char*)lowest + bytes;
  }();
  char here;
  return start >= &here - 65536 && start < top;
}

// Whether memory is what malloc has got from the system for one allocation, which the words before it say.
bool is_mapped_alone(const Transfer& transfer, uint64_t page) {
#ifdef __GLIBC__
  uint64_t before[2];
  if ((uint64_t)transfer.start % page != sizeof before) return false;
  memcpy(before, transfer.start - sizeof before, sizeof before);
  uint64_t bytes = before[1] & ~7ull;
  return !before[0] && (before[1] & 7) == 2 && bytes % page == 0 && bytes - sizeof before - transfer.size() < page;
#else
  return false;
#endif
}

// Whether a transfer reaches the end of pinned memory.
bool ends_pinned(const Transfer& transfer) {
  uint64_t start = 0;
  Allocation found;
  return known(transfer.start, start, found) && found.device == PINNED && (uint64_t)transfer.end == start + found.bytes;
}

// Watch the pages that belong to a transfer as a whole; of pinned memory to its end, which belongs to it alone.
void watch(Transfer& transfer, bool to_end_of_pinned) {
  static const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  bool alone = is_mapped_alone(transfer, page);
  bool to_end = alone || to_end_of_pinned;
  char* first = (char*)(((uint64_t)transfer.start + (alone ? 0 : page - 1)) / page * page);
  char* last = (char*)(((uint64_t)transfer.end + (to_end ? page - 1 : 0)) / page * page);
  if (first >= last || on_stack(transfer.start) || !are_faults_watched()) return;
  if (!is_writable(first) || !is_writable(last - 1)) return;
  if (mprotect(first, (size_t)(last - first), transfer.arrives ? PROT_NONE : PROT_READ)) return;
  transfer.first = first, transfer.last = last;
}

// The bytes of a transfer that no watched page has: before, and behind.
template <class Act>
bool at_edges(const Transfer& transfer, Act act) {
  char* middle = transfer.first < transfer.last ? std::max(transfer.first, transfer.start) : transfer.end;
  char* behind = transfer.first < transfer.last ? std::min(transfer.last, transfer.end) : transfer.end;
  return act(transfer.start, (size_t)(middle - transfer.start)) && act(behind, (size_t)(transfer.end - behind));
}

// The bytes before its first page that is watched.
Words beginning(const Transfer& transfer) {
  char* end = transfer.first < transfer.last ? std::max(transfer.first, transfer.start) : transfer.end;
  return {transfer.start, end, !transfer.arrives};
}

void look(char* at, uint64_t bytes, const void* place);

// Watch the beginnings of the last targets and sources that have no pages of their own there.
void aim_at_last(Transfers& made) {
  constexpr size_t MOST = 4, LOOKED_AT = 16;
  std::vector<Words> words;
  size_t seen = 0;
  if (on_lane()) return;  // another thread will use them
  for (auto each = made.all.rbegin(); each != made.all.rend() && words.size() < MOST && seen < LOOKED_AT; each++) {
    Words begins = beginning(*each);
    bool is_wanted = each->is_checked && !each->is_told && begins.start < begins.end;
    if (is_wanted && pthread_equal(each->thread, pthread_self())) words.push_back(begins);
    seen++;
  }
  aim(words, look);
}

// The program has used bytes that are watched so. What it has written to a target is told at the next wait.
void look(char* at, uint64_t bytes, const void* place) {
  Transfers& made = transfers();
  std::vector<Told> found;
  {
    Locked lock(made.mutex);
    for (auto& each : made.all) {
      if (!each.is_checked || each.is_told || !each.meets(at, at + 1)) continue;
      bool is_source = !each.arrives,
           changed = is_source && memcmp(at, each.kept.get() + (at - each.start), bytes) != 0;
      if (is_source ? changed : (unsigned char)*at == POISON)
        found.push_back({is_source ? "source written" : "target used", {(uint64_t)at}, place_of(place), each.where});
      each.is_told = each.arrives || changed;
    }
    aim_at_last(made);
  }
  tell_all(found);
}

// Pages are still those that were watched: the system may have given them to others.
bool is_watched(const Transfer& transfer) { return !are_faults_watched() || !is_writable(transfer.first); }

// Stop watching; false when the pages are not those that were watched.
bool release(Transfer& transfer) {
  bool good = transfer.first >= transfer.last || is_watched(transfer);
  if (good) transfer.protect(PROT_READ | PROT_WRITE);
  transfer.first = transfer.last = nullptr;
  return good;
}

const char* bytes_of(const Transfer& transfer) { return transfer.kept ? transfer.kept.get() : transfer.device; }

void keep(Transfer& transfer) {
  transfer.kept.reset(new char[transfer.size()]);
  memcpy(transfer.kept.get(), transfer.device, transfer.size());
  transfer.device = nullptr;
}

// Bring bytes where the memory waits for them. Where it was written meanwhile, perhaps by
// the next owner of the memory, nothing arrives.
bool deliver(Transfer& transfer, char* to, size_t bytes) {
  const char* from = bytes_of(transfer) + (to - transfer.start);
  bool same = true;
  bool there = carefully([&] {
    same = !transfer.is_checked || !bytes || ((unsigned char)to[0] == POISON && !memcmp(to, to + 1, bytes - 1));
    if (same) memcpy(to, from, bytes);
  });
  return same && there;
}

// A transfer has come to its end; what is to be said of it.
void finish(Transfer& transfer, Place waited, std::vector<Told>& found) {
  Used used = {(uint64_t)transfer.start, "", transfer.size()};
  bool good = true;
  if (transfer.arrives) {
    char *first = std::max(transfer.first, transfer.start), *last = std::min(transfer.last, transfer.end);
    good = at_edges(transfer, [&](char* to, size_t bytes) { return deliver(transfer, to, bytes); });
    if (first < last && (good = release(transfer) && good))
      memcpy(first, bytes_of(transfer) + (first - transfer.start), (size_t)(last - first));
    if (!good && transfer.is_checked) found.push_back({"target changed", used, waited, transfer.where});
    return;
  }
  const char* before = transfer.kept.get();
  if (transfer.is_checked && !transfer.is_told)
    carefully([&] {
      at_edges(transfer, [&](char* at, size_t bytes) {
        for (size_t i = 0, end = memcmp(at, before, bytes) ? bytes : 0; i < end; i++)
          if (at[i] != before[i] && !used.whole++) used.distance = (uint64_t)(at + i - transfer.start);
        before += bytes;
        return true;
      });
    });
  if (!release(transfer) || used.whole) found.push_back({"source changed", used, waited, transfer.where});
}

// Other transfers that use the same memory: those that this one comes after are done with a source.
bool is_shared(Transfers& made, const Transfer& transfer, std::vector<Told>& found) {
  bool shared = false;
  for (auto entry = made.all.begin(); entry != made.all.end();) {
    auto now = entry++;
    if (!now->meets(transfer.start, transfer.end)) continue;
    if (!now->arrives && transfer.arrives && now->before(transfer.queues[0])) {
      finish(*now, transfer.where, found);
      made.all.erase(now), unwaited--;
    } else {
      shared = true;
    }
  }
  return shared;
}

void add(Transfer transfer) {
  Transfers& made = transfers();
  std::vector<Told> found;
  bool to_end = ends_pinned(transfer);  // before the lock: whoever has that of allocations waits for this one
  {
    Locked lock(made.mutex);
    transfer.serial = ++made.serial;
    transfer.is_checked = !is_shared(made, transfer, found);
    if (transfer.is_checked && (transfer.arrives || transfer.size() >= WATCHED)) watch(transfer, to_end);
    if (transfer.is_checked && transfer.arrives)
      at_edges(transfer, [](char* at, size_t bytes) { return memset(at, POISON, bytes); });
    if (transfer.is_checked && !transfer.arrives) {
      size_t all = 0;
      at_edges(transfer, [&](char*, size_t bytes) { return all += bytes, true; });
      transfer.kept.reset(new char[all + 1]);
      char* to = transfer.kept.get();
      at_edges(transfer, [&](char* at, size_t bytes) { return to = (char*)memcpy(to, at, bytes) + bytes; });
    }
    if (transfer.arrives || transfer.is_checked) made.all.push_back(std::move(transfer)), unwaited++;
    aim_at_last(made);
  }
  tell_all(found);
}

}  // namespace

bool any_transfer() { return unwaited.load(std::memory_order_relaxed) > 0; }

void expect(void* target, const void* device, size_t bytes, uint64_t queue, int of, Place where) {
  Transfer made = {(char*)target, (char*)target + bytes};
  made.arrives = true, made.device = (const char*)device, made.queues = {queue}, made.of = of, made.where = where;
  add(std::move(made));
}

void lend(const void* source, size_t bytes, uint64_t queue, int of, Place where) {
  Transfer made = {(char*)source, (char*)source + bytes};
  made.arrives = false, made.queues = {queue}, made.of = of, made.where = where;
  add(std::move(made));
}

void read_host(void* to, const void* from, size_t bytes, uint64_t queue) {
  if (!any_transfer()) {
    memmove(to, from, bytes);
    return;
  }
  Transfers& made = transfers();
  const char *start = (const char*)from, *end = start + bytes;
  auto comes = [&](const Transfer& each) { return each.arrives && each.meets(start, end) && each.before(queue); };
  {
    Locked lock(made.mutex);
    for (auto& each : made.all)
      if (comes(each)) each.protect(PROT_READ | PROT_WRITE);
  }
  memmove(to, from, bytes);
  Locked lock(made.mutex);
  for (auto& each : made.all) {
    if (!comes(each)) continue;
    each.protect(PROT_NONE);
    const char *first = std::max(start, (const char*)each.start), *last = std::min(end, (const char*)each.end);
    memcpy((char*)to + (first - start), bytes_of(each) + (first - each.start), (size_t)(last - first));
  }
}

void keep(const void* device, size_t bytes) {
  if (!any_transfer()) return;
  Locked lock(transfers().mutex);
  for (auto& each : transfers().all)
    if (each.device && each.device < (const char*)device + bytes && (const char*)device < each.device + each.size())
      keep(each);
}

void keep_all() {
  if (!any_transfer()) return;
  Locked lock(transfers().mutex);
  for (auto& each : transfers().all)
    if (each.device) keep(each);
}

uint64_t last_transfer() {
  Locked lock(transfers().mutex);
  return transfers().serial;
}

void order(uint64_t queue, uint64_t until, uint64_t waiting) {
  Locked lock(transfers().mutex);
  for (auto& each : transfers().all)
    if (each.serial <= until && each.before(queue) && !each.before(waiting)) each.queues.push_back(waiting);
}

void arrive(uint64_t queue, int device, Place waited, uint64_t until) {
  if (!any_transfer()) return;
  Transfers& made = transfers();
  std::vector<Told> found;
  {
    Locked lock(made.mutex);
    aim({}, look);  // the bytes are brought
    for (auto entry = made.all.begin(); entry != made.all.end();) {
      auto now = entry++;
      if (!(queue ? now->before(queue) : now->of == device) || now->serial > until) continue;
      finish(*now, waited, found);
      made.all.erase(now), unwaited--;
    }
    aim_at_last(made);
  }
  tell_all(found);
}

void give_back(const void* start, size_t bytes) {
  Transfers& made = transfers();
  std::vector<Told> found;
  {
    Locked lock(made.mutex);
    for (auto entry = made.all.begin(); entry != made.all.end();) {
      auto now = entry++;
      if (!now->meets((const char*)start, (const char*)start + bytes)) continue;
      const char* what = now->arrives ? "target freed" : "source freed";
      found.push_back({what, {(uint64_t)now->start, "", now->size()}, {}, now->where});
      release(*now);
      made.all.erase(now), unwaited--;
    }
    if (!found.empty()) aim_at_last(made);
  }
  for (auto& each : found) each.where = called().where;
  tell_all(found);
}

bool touch(const void* start, size_t bytes, bool writes, Place (*where)(const void*), const void* context) {
  Transfers& made = transfers();
  std::vector<Told> found;
  const char *from = (const char*)start, *to = from + bytes;
  {
    Locked lock(made.mutex);
    for (auto& each : made.all) {
      bool in_pages = each.first < each.last && each.first < to && from < each.last;
      if (!in_pages && !context && writes != each.arrives && each.is_checked && !each.is_told && each.meets(from, to)) {
        auto first = (uint64_t)std::max(from, (const char*)each.start);
        found.push_back({writes ? "source written" : "target used", {first}, {}, each.where});
        each.is_told = true;
      }
      if (!in_pages || !(each.arrives || writes)) continue;
      char *first = std::max(each.first, each.start), *last = std::min(each.last, each.end);
      if (!release(each)) continue;
      if (each.arrives) memset(first, POISON, (size_t)(last - first));
      each.is_checked = each.is_told = each.arrives;
      found.push_back({each.arrives ? "target used" : "source written", {(uint64_t)start}, {}, each.where});
    }
  }
  for (auto& each : found) each.where = where(context);
  tell_all(found);
  return !found.empty();
}

}  // namespace mlusim
