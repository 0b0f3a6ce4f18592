#include "channels.h"

#include <algorithm>
#include <limits>

namespace mlusim::timing {
namespace {

// Bytes a microsecond that each user gets.
double speed(const Server& server) {
  return std::min(server.core_rate, server.rate / static_cast<double>(server.users.size()));
}

}  // namespace

double Channels::next() {
  for (; !departures_.empty(); departures_.pop()) {
    const Event& first = departures_.top();
    if (first.record == (*this)[first.core].version) return first.time;
  }
  return std::numeric_limits<double>::infinity();
}

void Channels::enter(int64_t number, int64_t core, int64_t record, double time) {
  Server& server = servers_[number];
  if (server.users.empty())
    server.served = 0;  // a fresh count keeps the sums exact
  else
    server.served += (time - server.at) * speed(server);
  server.at = time;
  server.users.push({server.served + server.moved[record], core, record});
  announce(number);
}

Channels::Through Channels::leave() {
  const Event leaving = departures_.top();
  departures_.pop();
  Server& server = servers_[leaving.core];
  const Event user = server.users.top();
  server.users.pop();
  server.served = user.time;
  server.at = leaving.time;
  announce(leaving.core);
  return {user.record, leaving.time};
}

void Channels::announce(int64_t number) {
  Server& server = servers_[number];
  server.version++;
  if (server.users.empty()) return;
  const double wait = std::max(server.users.top().time - server.served, 0.0) / speed(server);
  departures_.push({server.at + wait, number, server.version});
}

}  // namespace mlusim::timing
