// Copies of queues from and to ordinary memory of the host, which has no part in them until it has waited: their
// targets get their bytes then and hold others before, their sources have to stay as they are.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "host_places.h"

namespace mlusim {

// A queue copies device memory, seen at `bytes_of_device`, to the host.
void expect(void* target, const void* bytes_of_device, size_t bytes, uint64_t queue, int device, Place where);
// A queue has copied from the host.
void lend(const void* source, size_t bytes, uint64_t queue, int device, Place where);
// Copy from memory of the host as a queue finds it: with what its own copies have brought there.
void read_host(void* to, const void* from, size_t bytes, uint64_t queue);
// Device memory is about to change: what queues have copied from it is kept.
void keep(const void* bytes_of_device, size_t bytes);
void keep_all();
// The serial number of the last copy.
uint64_t last_transfer();
// A queue waits for what another has copied up to a serial number.
void order(uint64_t queue, uint64_t until, uint64_t waiting);
// The host has waited: for a queue (or, for 0, all of a device), up to a serial number.
void arrive(uint64_t queue, int device, Place waited, uint64_t until = UINT64_MAX);
// The program gives memory of the host back.
void give_back(const void* start, size_t bytes);
// Whether there are copies without a wait so far.
bool any_transfer();
// The host touches memory that is watched; tells of it, and lets it be touched. False for other memory.
bool touch(const void* start, size_t bytes, bool writes, Place (*where)(const void*), const void* context);

}  // namespace mlusim
