// Made by `python -m mlusim.simulator.host.programs.header` of the messages that a session declares. Do not edit.
#pragma once
#include <stdint.h>

#include <string>
#include <vector>

namespace mlusim {

// What tells these messages from those of another version.
constexpr uint64_t VERSION = 0xd22bac9ec06e50bf;
constexpr char MAGIC[] = "MLUS";
constexpr uint16_t FRAMING = 1;
constexpr uint64_t MOST_FIELDS = 1048576;  // bytes
// What every message begins with.
struct Head {
  char magic[4];
  uint16_t version;
  uint16_t kind;
  uint64_t nonce;
  uint64_t fields;
  uint64_t body;
};

// The number of devices, or 0 and why.
struct Welcome {
  static constexpr uint16_t KIND = 33;
  uint64_t devices{};
  std::string problem{};
  template <class Self, class Fields> static void each(Self& self, Fields& fields) { fields(self.devices,
      self.problem); }
};
// All is done; the numbers of the queues in which a kernel has failed.
struct Settled {
  static constexpr uint16_t KIND = 34;
  std::vector<uint64_t> failed{};
  template <class Self, class Fields> static void each(Self& self, Fields& fields) { fields(self.failed); }
};
// The report has been written; whether the program fails by it.
struct Farewell {
  static constexpr uint16_t KIND = 35;
  bool fails{};
  template <class Self, class Fields> static void each(Self& self, Fields& fields) { fields(self.fails); }
};
// A cnrtRet_t, 1 for what is still under way; and what went wrong.
struct Status {
  static constexpr uint16_t KIND = 36;
  uint64_t status{};
  std::string problem{};
  template <class Self, class Fields> static void each(Self& self, Fields& fields) { fields(self.status,
      self.problem); }
};
// It is done.
struct Done {
  static constexpr uint16_t KIND = 37;
  template <class Self, class Fields> static void each(Self&, Fields&) {}
};
// A cnrtRet_t and what went wrong, as in `Status`; the time between two notifiers.
struct Elapsed {
  static constexpr uint16_t KIND = 38;
  uint64_t status{};
  std::string problem{};
  int64_t nanoseconds{};
  template <class Self, class Fields> static void each(Self& self, Fields& fields) { fields(self.status, self.problem,
      self.nanoseconds); }
};
// The limits of a device whose kernels run as blocks of threads; zeros for another one.
struct ThreadFacts {
  uint64_t warp{}, block{}, block_x{}, block_y{}, block_z{}, multiprocessor{}, grid_x{}, grid_y{}, grid_z{},
      declared{}, shared{}, shared_multiprocessor{};
  template <class Self, class Fields> static void each(Self& self, Fields& fields) { fields(self.warp, self.block,
      self.block_x, self.block_y, self.block_z, self.multiprocessor, self.grid_x, self.grid_y, self.grid_z,
      self.declared, self.shared, self.shared_multiprocessor); }
};
// The numbers of a device; 0 for what its file does not say.
struct DeviceFacts {
  uint64_t arch{}, clusters{}, cores_per_cluster{}, nram{}, wram{}, sram{}, largest_union{}, clock_khz{},
      memory_khz{}, bus_bits{}, l2{}, largest_dim{};
  ThreadFacts threads{};
  template <class Self, class Fields> static void each(Self& self, Fields& fields) { fields(self.arch, self.clusters,
      self.cores_per_cluster, self.nram, self.wram, self.sram, self.largest_union, self.clock_khz, self.memory_khz,
      self.bus_bits, self.l2, self.largest_dim, self.threads); }
};
// A device: where its memory lies, bytes that are mapped, bytes that it has. The memory comes as a descriptor.
struct DeviceOpened {
  static constexpr uint16_t KIND = 39;
  uint64_t address{}, reach{}, capacity{};
  std::string name{};
  DeviceFacts facts{};
  template <class Self, class Fields> static void each(Self& self, Fields& fields) { fields(self.address, self.reach,
      self.capacity, self.name, self.facts); }
};
// Bytes of a device's memory.
struct MemoryLeft {
  static constexpr uint16_t KIND = 40;
  uint64_t free{}, total{};
  template <class Self, class Fields> static void each(Self& self, Fields& fields) { fields(self.free, self.total); }
};
// The address of an array, or 0 and why.
struct ArrayAllocated {
  static constexpr uint16_t KIND = 41;
  uint64_t address{};
  std::string problem{};
  template <class Self, class Fields> static void each(Self& self, Fields& fields) { fields(self.address,
      self.problem); }
};
// A handle.
struct ArrayShared {
  static constexpr uint16_t KIND = 42;
  uint64_t handle{};
  template <class Self, class Fields> static void each(Self& self, Fields& fields) { fields(self.handle); }
};
// Where it lies, its bytes, and the pages that its file, which comes as a descriptor, backs from `offset` on.  Address
// 0: why it cannot be had.
struct ArrayBorrowed {
  static constexpr uint16_t KIND = 43;
  uint64_t address{}, bytes{}, pages{}, pages_bytes{}, offset{};
  std::string problem{};
  template <class Self, class Fields> static void each(Self& self, Fields& fields) { fields(self.address, self.bytes,
      self.pages, self.pages_bytes, self.offset, self.problem); }
};
// The file of the device's own memory, which backs these addresses again, comes as a descriptor.
struct ArrayReturned {
  static constexpr uint16_t KIND = 44;
  uint64_t device{};
  template <class Self, class Fields> static void each(Self& self, Fields& fields) { fields(self.device); }
};
// Whether the bytes of an image are wanted.
struct ImageAnnounced {
  static constexpr uint16_t KIND = 45;
  bool wanted{};
  template <class Self, class Fields> static void each(Self& self, Fields& fields) { fields(self.wanted); }
};
// The program begins to use devices; the body is its command, with zeros between the words.
struct Hello {
  static constexpr uint16_t KIND = 1; using Answer = Welcome;
  uint64_t version{};
  template <class Self, class Fields> static void each(Self& self, Fields& fields) { fields(self.version); }
};
// Answered when all before it is done.
struct Settle {
  static constexpr uint16_t KIND = 2; using Answer = Settled;
  template <class Self, class Fields> static void each(Self&, Fields&) {}
};
// A module of the program that places name by its number; the body is its path.
struct NameModule {
  static constexpr uint16_t KIND = 3; using Answer = void;
  uint64_t module{};
  template <class Self, class Fields> static void each(Self& self, Fields& fields) { fields(self.module); }
};
// A place in the program: a return address in one of its modules, counted from 1; 0 is nowhere.
struct Place {
  uint64_t module{}, offset{};
  template <class Self, class Fields> static void each(Self& self, Fields& fields) { fields(self.module, self.offset);
      }
};
// The runtime in the program has found a `fault`, one of `FAULTS`: what is used, where, how much of how much.
struct TellFault {
  static constexpr uint16_t KIND = 4; using Answer = void;
  std::string fault{}, what{};
  uint64_t address{}, size{}, distance{}, whole{};
  Place place{}, related{};
  template <class Self, class Fields> static void each(Self& self, Fields& fields) { fields(self.fault, self.what,
      self.address, self.size, self.distance, self.whole, self.place, self.related); }
};
// A signal ends the program. Of a fault: the address that was used, 2**64 - 1 if it is unknown; so far into the module
// that is the body.
struct ProgramDies {
  static constexpr uint16_t KIND = 5; using Answer = void;
  uint64_t signal{}, address{}, offset{};
  template <class Self, class Fields> static void each(Self& self, Fields& fields) { fields(self.signal, self.address,
      self.offset); }
};
// The program ends by itself; answered when its report has been written.
struct Goodbye {
  static constexpr uint16_t KIND = 6; using Answer = Farewell;
  template <class Self, class Fields> static void each(Self&, Fields&) {}
};
// A queue of a device; `own` is the default queue of a thread.
struct MakeQueue {
  static constexpr uint16_t KIND = 7; using Answer = void;
  uint64_t queue{}, device{};
  bool own{};
  template <class Self, class Fields> static void each(Self& self, Fields& fields) { fields(self.queue, self.device,
      self.own); }
};
// The host waits for all that is in a queue.
struct WaitForQueue {
  static constexpr uint16_t KIND = 8; using Answer = Status;
  uint64_t queue{};
  Place place{};
  template <class Self, class Fields> static void each(Self& self, Fields& fields) { fields(self.queue, self.place); }
};
// The host waits for all queues of a device.
struct WaitForDevice {
  static constexpr uint16_t KIND = 9; using Answer = Status;
  uint64_t device{};
  Place place{};
  template <class Self, class Fields> static void each(Self& self, Fields& fields) { fields(self.device, self.place);
      }
};
// The host waits for what came before a notifier.
struct WaitForNotifier {
  static constexpr uint16_t KIND = 10; using Answer = Status;
  uint64_t notifier{};
  Place place{};
  template <class Self, class Fields> static void each(Self& self, Fields& fields) { fields(self.notifier,
      self.place); }
};
// Is all done that is in a queue?
struct AskQueue {
  static constexpr uint16_t KIND = 11; using Answer = Status;
  uint64_t queue{};
  template <class Self, class Fields> static void each(Self& self, Fields& fields) { fields(self.queue); }
};
// Is all done that came before a notifier?
struct AskNotifier {
  static constexpr uint16_t KIND = 12; using Answer = Status;
  uint64_t notifier{};
  template <class Self, class Fields> static void each(Self& self, Fields& fields) { fields(self.notifier); }
};
// A notifier records where a queue has come to.
struct PlaceNotifier {
  static constexpr uint16_t KIND = 13; using Answer = void;
  uint64_t queue{}, notifier{};
  template <class Self, class Fields> static void each(Self& self, Fields& fields) { fields(self.queue,
      self.notifier); }
};
// A notifier goes.
struct DropNotifier {
  static constexpr uint16_t KIND = 14; using Answer = void;
  uint64_t notifier{};
  template <class Self, class Fields> static void each(Self& self, Fields& fields) { fields(self.notifier); }
};
// A function of the host is called in a queue.
struct CallHost {
  static constexpr uint16_t KIND = 15; using Answer = void;
  uint64_t queue{};
  Place place{};
  template <class Self, class Fields> static void each(Self& self, Fields& fields) { fields(self.queue, self.place); }
};
// A device begins anew: nothing is in its queues any more, and nothing has failed.
struct ResetDevice {
  static constexpr uint16_t KIND = 16; using Answer = Done;
  uint64_t device{};
  template <class Self, class Fields> static void each(Self& self, Fields& fields) { fields(self.device); }
};
// What comes into a queue from now on waits for a notifier.
struct OrderQueue {
  static constexpr uint16_t KIND = 17; using Answer = void;
  uint64_t queue{}, notifier{};
  template <class Self, class Fields> static void each(Self& self, Fields& fields) { fields(self.queue,
      self.notifier); }
};
// How much time has gone by between two notifiers?
struct AskElapsed {
  static constexpr uint16_t KIND = 18; using Answer = Elapsed;
  uint64_t start{}, end{};
  template <class Self, class Fields> static void each(Self& self, Fields& fields) { fields(self.start, self.end); }
};
// The program wants to use a device.
struct OpenDevice {
  static constexpr uint16_t KIND = 19; using Answer = DeviceOpened;
  uint64_t device{};
  template <class Self, class Fields> static void each(Self& self, Fields& fields) { fields(self.device); }
};
// How much memory does a device have?
struct AskMemory {
  static constexpr uint16_t KIND = 20; using Answer = MemoryLeft;
  uint64_t device{};
  template <class Self, class Fields> static void each(Self& self, Fields& fields) { fields(self.device); }
};
// Allocate so many bytes on a device.  `managed`: the host uses them as its own, in pages that no other array has.
struct AllocateArray {
  static constexpr uint16_t KIND = 21; using Answer = ArrayAllocated;
  uint64_t device{}, size{};
  bool managed{};
  Place place{};
  template <class Self, class Fields> static void each(Self& self, Fields& fields) { fields(self.device, self.size,
      self.managed, self.place); }
};
// Give a variable of kernels its place on a device; the body is its name behind its file and line, as in `Launch`.
// `managed`: as of an array; `functions`: it holds pointers to functions.
struct PlaceVariable {
  static constexpr uint16_t KIND = 22; using Answer = ArrayAllocated;
  uint64_t device{}, size{};
  bool managed{}, functions{};
  template <class Self, class Fields> static void each(Self& self, Fields& fields) { fields(self.device, self.size,
      self.managed, self.functions); }
};
// An array is not needed any more, queue 0 as in a copy.
struct FreeArray {
  static constexpr uint16_t KIND = 23; using Answer = void;
  uint64_t address{}, queue{};
  Place place{};
  template <class Self, class Fields> static void each(Self& self, Fields& fields) { fields(self.address, self.queue,
      self.place); }
};
// Copy; `direction` is a cnrtMemTransDir_t, queue 0 is the host's own, which waits until it is done.
struct CopyBytes {
  static constexpr uint16_t KIND = 24; using Answer = void;
  uint64_t queue{}, to{}, source{}, size{}, direction{};
  Place place{};
  template <class Self, class Fields> static void each(Self& self, Fields& fields) { fields(self.queue, self.to,
      self.source, self.size, self.direction, self.place); }
};
// Fill device memory; queue 0 as in a copy.
struct FillBytes {
  static constexpr uint16_t KIND = 25; using Answer = void;
  uint64_t queue{}, to{}, size{};
  Place place{};
  template <class Self, class Fields> static void each(Self& self, Fields& fields) { fields(self.queue, self.to,
      self.size, self.place); }
};
// A handle of the array at an address, for another program.
struct ShareArray {
  static constexpr uint16_t KIND = 26; using Answer = ArrayShared;
  uint64_t address{};
  template <class Self, class Fields> static void each(Self& self, Fields& fields) { fields(self.address); }
};
// Map the array of another program's handle on a device.
struct BorrowArray {
  static constexpr uint16_t KIND = 27; using Answer = ArrayBorrowed;
  uint64_t device{}, handle{};
  Place place{};
  template <class Self, class Fields> static void each(Self& self, Fields& fields) { fields(self.device, self.handle,
      self.place); }
};
// A borrowed array is not needed any more.
struct ReturnArray {
  static constexpr uint16_t KIND = 28; using Answer = ArrayReturned;
  uint64_t address{};
  Place place{};
  template <class Self, class Fields> static void each(Self& self, Fields& fields) { fields(self.address, self.place);
      }
};
// The program has an image; the body is its digest, a line, and what is said of it.
struct AnnounceImage {
  static constexpr uint16_t KIND = 29; using Answer = ImageAnnounced;
  uint64_t image{};
  template <class Self, class Fields> static void each(Self& self, Fields& fields) { fields(self.image); }
};
// The body is an image that has been announced.
struct BringImage {
  static constexpr uint16_t KIND = 30; using Answer = Done;
  uint64_t image{};
  template <class Self, class Fields> static void each(Self& self, Fields& fields) { fields(self.image); }
};
// Launch a kernel of an image, `type` being a key of `_KINDS`; the body are the arguments, of these sizes.  `block` and
// `shared` are of a grid: threads of a block, and bytes of shared memory besides its own.
struct LaunchKernel {
  static constexpr uint16_t KIND = 31; using Answer = void;
  uint64_t queue{}, image{}, kernel{}, x{}, y{}, z{}, type{}, block_x{}, block_y{}, block_z{}, shared{};
  Place place{};
  std::vector<uint64_t> sizes{};
  template <class Self, class Fields> static void each(Self& self, Fields& fields) { fields(self.queue, self.image,
      self.kernel, self.x, self.y, self.z, self.type, self.block_x, self.block_y, self.block_z, self.shared,
      self.place, self.sizes); }
};
// Carry out a function of the operator library; the body says which, in JSON.
struct CallOperation {
  static constexpr uint16_t KIND = 32; using Answer = Status;
  uint64_t queue{};
  Place place{};
  template <class Self, class Fields> static void each(Self& self, Fields& fields) { fields(self.queue, self.place); }
};

}  // namespace mlusim
