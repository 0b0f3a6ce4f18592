// Bandwidth that several cores share: everyone who draws from it at a moment gets the same share of it.
//
// A server is one channel of one unit (the DRAM, the port of a cluster). Its users are served side by side at one
// speed, an even share of all, at most what one core can draw. So it is enough to know how many bytes each user has had
// since the beginning (`served`): a transfer is through when that has grown by its bytes. A free share is not passed on
// from one channel to the other: who waits for the DRAM still counts at the port of its cluster.
#pragma once
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

namespace mlusim::timing {

// In the order of time, ties by core and then by record.
struct Event {
  double time;
  int64_t core, record;

  bool operator>(const Event& other) const {
    if (time != other.time) return time > other.time;
    return core != other.core ? core > other.core : record > other.record;
  }
};
using Events = std::priority_queue<Event, std::vector<Event>, std::greater<Event>>;

struct Server {
  double rate, core_rate;     // bytes a microsecond
  const double* moved;        // bytes of every record
  double at = 0, served = 0;  // bytes that a user has got in all, up to a time
  Events users{};             // by what has been served when they are through
  int64_t version = 0;        // of what was last said about the next departure
};

// All servers that may have to be shared, and when the next transfer is through.
class Channels {
 public:
  struct Through {
    int64_t record;
    double time;
  };

  void add(double rate, double core_rate, const double* moved) { servers_.push_back({rate, core_rate, moved}); }
  const Server& operator[](int64_t number) const { return servers_[number]; }
  // When the next transfer is through, infinity if none is under way.
  double next();
  void enter(int64_t number, int64_t core, int64_t record, double time);
  // The transfer that is through first, leaves.
  Through leave();

 private:
  void announce(int64_t number);

  std::vector<Server> servers_;
  Events departures_;  // of a server: its number, and its version in place of a record
};

}  // namespace mlusim::timing
