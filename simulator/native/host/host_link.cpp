#include "host_link.h"
#include "host_lock.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <map>

#include "host_faults.h"

extern char** environ;

namespace mlusim {
namespace {

struct Head {
  uint32_t kind, count;
  uint64_t bytes;
};

struct Link {
  Lock mutex;
  int socket = -1;
  pid_t process = 0;  // whose connection it is
  bool begun = false;
  bool launched = false;  // kernels may be running
  uint64_t devices = 0;
  std::string lost;
  std::map<std::string, uint64_t> modules;
};

// Never destroyed: threads may call while the process ends.
Link& link() {
  static Link& made = *new Link;
  return made;
}

void lose(Link& link, const std::string& why) {
  if (link.socket >= 0) close(link.socket);
  link.socket = -1;
  if (!link.lost.empty()) return;
  link.lost = why;
  fprintf(stderr, "mlusim: %s\n", why.c_str());
}

bool write_all(Link& link, struct iovec* parts, int count) {
  while (count) {
    struct msghdr message = {};
    message.msg_iov = parts;
    message.msg_iovlen = (size_t)count;
    ssize_t sent = sendmsg(link.socket, &message, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return false;
    while (count && (size_t)sent >= parts->iov_len) sent -= (ssize_t)parts->iov_len, parts++, count--;
    if (count) parts->iov_base = (char*)parts->iov_base + sent, parts->iov_len -= (size_t)sent;
  }
  return true;
}

bool read_all(Link& link, void* to, size_t bytes, int* descriptor) {
  for (size_t got = 0; got < bytes;) {
    struct iovec part = {(char*)to + got, bytes - got};
    alignas(struct cmsghdr) char room[CMSG_SPACE(sizeof(int))];
    struct msghdr message = {};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = room;
    message.msg_controllen = sizeof room;
    ssize_t now = recvmsg(link.socket, &message, MSG_CMSG_CLOEXEC);
    if (now < 0 && errno == EINTR) continue;
    if (now <= 0) return false;
    for (struct cmsghdr* entry = CMSG_FIRSTHDR(&message); entry; entry = CMSG_NXTHDR(&message, entry))
      if (entry->cmsg_type == SCM_RIGHTS && descriptor) memcpy(descriptor, CMSG_DATA(entry), sizeof(int));
    got += (size_t)now;
  }
  return true;
}

void send_message(Link& link, Kind kind, const uint64_t* numbers, size_t count, const void* bytes, size_t size) {
  if (link.socket < 0) return;
  Head head = {kind, (uint32_t)count, size};
  struct iovec parts[3] = {
      {&head, sizeof head}, {const_cast<uint64_t*>(numbers), count * 8}, {const_cast<void*>(bytes), size}};
  if (!write_all(link, parts, 3)) lose(link, "the device process has gone; see above why");
}

Reply receive(Link& link) {
  Reply reply;
  Head head = {};
  if (link.socket >= 0 && read_all(link, &head, sizeof head, &reply.descriptor) && head.kind == REPLY) {
    reply.numbers.resize(head.count);
    reply.bytes.resize(head.bytes);
    if (read_all(link, reply.numbers.data(), head.count * 8, &reply.descriptor) &&
        read_all(link, &reply.bytes[0], head.bytes, nullptr))
      return reply;
  }
  if (link.socket >= 0) lose(link, "the device process has gone; see above why");
  reply.lost = true;
  return reply;
}

// A device process of this program's own, as lib64/mlusim.conf beside this library says.
int start_process(std::string& problem) {
  Dl_info own = {};
  dladdr((void*)&start_process, &own);
  std::string folder = own.dli_fname ? own.dli_fname : "";
  folder = folder.substr(0, folder.rfind('/') + 1);
  std::ifstream conf(folder + "mlusim.conf");
  std::string python, device, module;
  if (!std::getline(conf, python) || !std::getline(conf, module) || !std::getline(conf, device)) {
    problem = "no device to run on: start the program with `mlusim run`, or link it with the libcnrt.so that "
              "`mlusim toolkit` writes";
    return -1;
  }
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) {
    problem = std::string("cannot reach a device process: ") + strerror(errno);
    return -1;
  }
  if (const char* wanted = getenv("MLUSIM_DEVICE")) device = wanted;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 3);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
#if __GLIBC__ > 2 || (__GLIBC__ == 2 && __GLIBC_MINOR__ >= 34)
  posix_spawn_file_actions_addclosefrom_np(&actions, 4);
#endif
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  const char* words[] = {python.c_str(), "-I", "-m", module.c_str(), device.c_str(), nullptr};
  pid_t child = 0;
  int error = posix_spawn(&child, words[0], &actions, &attributes, const_cast<char**>(words), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  close(ends[1]);
  if (error) {
    problem = "cannot start the device process " + python + ": " + strerror(error) + "; write the toolkit again";
    close(ends[0]);
    return -1;
  }
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }  // it goes on as a process of its own, which nobody's wait() meets
  return ends[0];
}

int join_process(const char* path, std::string& problem) {
  int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  struct sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  if (made >= 0 && !::connect(made, (struct sockaddr*)&address, sizeof address)) return made;
  problem = std::string("cannot reach the device process at ") + path + ": " + strerror(errno);
  if (made >= 0) close(made);
  return -1;
}

std::string command() {
  std::ifstream file("/proc/self/cmdline");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  return text;
}

void end();

void begin(Link& link) {
  link.begun = true;
  link.process = getpid();
  std::string problem;
  const char* path = getenv("MLUSIM_SOCKET");
  link.socket = path ? join_process(path, problem) : start_process(problem);
  if (link.socket < 0) return lose(link, problem);
  std::string words = command();
  uint64_t numbers[] = {VERSION, (uint64_t)getpid()};
  send_message(link, HELLO, numbers, 2, words.data(), words.size());
  Reply reply = receive(link);
  link.devices = reply[0];
  if (!reply.lost && !link.devices) lose(link, reply.bytes);
  watch_faults();
  atexit(end);
}

// The connection of this process, begun if need be.
Link& ready() {
  Link& made = link();
  if (made.begun && made.process != getpid()) {
    if (made.socket >= 0) close(made.socket);
    made.socket = -1;
    if (made.process) lose(made, "a child that was forked after its parent's first call of CNRT cannot use the device; "
                                 "fork before that, or start another program");
    made.process = 0;
  }
  if (!made.begun) begin(made);
  return made;
}

void end() {
  Link& made = link();
  Locked lock(made.mutex);
  if (made.process != getpid() || made.socket < 0) return;
  fflush(stdout);
  send_message(made, BYE, nullptr, 0, nullptr, 0);
  receive(made);
  close(made.socket);
  made.socket = -1;
  made.lost = "the program has ended its use of the device";
}

Reply exchange(Kind kind, const uint64_t* numbers, size_t count, const void* bytes, size_t size, bool wait) {
  Link& made = link();
  Locked lock(made.mutex);
  ready();
  Reply reply;
  send_message(made, kind, numbers, count, bytes, size);
  if (wait || kind == LAUNCH) made.launched = !wait;
  if (wait) return receive(made);
  reply.lost = made.socket < 0;
  return reply;
}

}  // namespace

bool connected() {
  Locked lock(link().mutex);
  return ready().socket >= 0;
}

int device_count() { return connected() ? (int)link().devices : 0; }

const char* why_lost() { return link().lost.c_str(); }

void post(Kind kind, std::initializer_list<uint64_t> numbers, const void* bytes, size_t size) {
  exchange(kind, numbers.begin(), numbers.size(), bytes, size, false);
}

void post(Kind kind, const std::vector<uint64_t>& numbers, const void* bytes, size_t size) {
  exchange(kind, numbers.data(), numbers.size(), bytes, size, false);
}

Reply call(Kind kind, std::initializer_list<uint64_t> numbers, const void* bytes, size_t size) {
  return exchange(kind, numbers.begin(), numbers.size(), bytes, size, true);
}

void settle() {
  Locked lock(link().mutex);
  if (link().launched) call(SETTLE, {});
}

thread_local const void* on_behalf = nullptr;

Place place_of(const void* return_address) {
  if (on_behalf) return_address = on_behalf, on_behalf = nullptr;
  struct dl_find_object found;
  if (_dl_find_object(const_cast<void*>(return_address), &found)) return {};
  Link& made = link();
  Locked lock(made.mutex);
  std::string name = found.dlfo_link_map->l_name;
  if (name.empty()) {
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    name.assign(path, length > 0 ? (size_t)length : 0);
  }
  uint64_t& number = made.modules[name];
  if (!number) {
    number = made.modules.size();
    post(MODULE, {number}, name.data(), name.size());
  }
  return {number, (uint64_t)return_address - found.dlfo_link_map->l_addr};
}

bool in_program(const void* address) {
  struct dl_find_object found, own;
  if (_dl_find_object(const_cast<void*>(address), &found) || _dl_find_object((void*)&in_program, &own)) return false;
  std::string name = found.dlfo_link_map->l_name;
  bool system = name.find("/libc.so") != name.npos || name.find("/libstdc++.so") != name.npos ||
                name.find("/libm.so") != name.npos || name.find("/ld-linux") != name.npos ||
                name.find("/libasan.so") != name.npos || name.find("vdso") != name.npos;
  return found.dlfo_link_map != own.dlfo_link_map && !system;
}

void finding(const char* rule, const std::string& text, const char* advice, Place where, Place related,
             uint64_t address, uint64_t bytes) {
  std::string all = rule + std::string(1, '\0') + text + std::string(1, '\0') + advice;
  post(FINDING, {where.module, where.offset, related.module, related.offset, address, bytes}, all.data(), all.size());
}

}  // namespace mlusim

MLUSIM_API void mlusim_called_from(const void* return_address) { mlusim::on_behalf = return_address; }
