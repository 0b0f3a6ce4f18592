#include "host_link.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <set>

#include "host_faults.h"
#include "host_lock.h"
#include "host_order.h"

extern char** environ;

namespace mlusim {
namespace {

struct Link {
  Lock mutex;
  int socket = -1;
  pid_t process = 0;  // whose connection it is
  bool begun = false;
  bool launched = false;  // kernels may be running
  uint64_t devices = 0;
  std::set<uint64_t> failed;  // queues
  std::string lost;
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

void drop(Link& link) {
  if (link.socket >= 0) lose(link, "the device process has gone; see above why");
}

bool ask(Link& link, const Question& question, uint16_t answer, std::string& fields, int& descriptor) {
  bool good = link.socket >= 0 && send_frame(link.socket, question.kind, question.fields, question.body) &&
              receive_frame(link.socket, answer, fields, descriptor);
  if (!good) drop(link);
  return good;
}

// What lib64/mlusim.conf beside this library says: the Python, the module and the devices of a device process.
bool configured(std::string& python, std::string& module, std::string& device) {
  Dl_info own = {};
  dladdr((void*)&configured, &own);
  std::string folder = own.dli_fname ? own.dli_fname : "";
  std::ifstream conf(folder.substr(0, folder.rfind('/') + 1) + "mlusim.conf");
  if (!std::getline(conf, python) || !std::getline(conf, module) || !std::getline(conf, device)) return false;
  if (const char* wanted = getenv("MLUSIM_DEVICE")) device = wanted;
  return true;
}

// Start a process with a socket as descriptor 3 and no other but the standard ones; 0, or why not.
int spawn(const char* const* words, int end) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, end, 3);
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
  pid_t child = 0;
  int error = posix_spawn(&child, words[0], &actions, &attributes, const_cast<char**>(words), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  while (!error && waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }  // it goes on as a process of its own, which nobody's wait() meets
  return error;
}

// A device process of this program's own.
int start_process(std::string& problem) {
  std::string python, device, module;
  if (!configured(python, module, device)) {
    problem =
        "no device to run on: start the program with `mlusim run`, or link it with the libcnrt.so that "
        "`mlusim toolkit` writes";
    return -1;
  }
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) {
    problem = std::string("cannot reach a device process: ") + strerror(errno);
    return -1;
  }
  const char* words[] = {python.c_str(), "-I", "-m", module.c_str(), device.c_str(), nullptr};
  int error = spawn(words, ends[1]);
  close(ends[1]);
  if (!error) return ends[0];
  problem = "cannot start the device process " + python + ": " + strerror(error) + "; write the toolkit again";
  close(ends[0]);
  return -1;
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
  std::string words = command(), fields;
  int descriptor = -1;
  Welcome welcome;
  if (!ask(link, question(Hello{VERSION}, {words.data(), words.size()}), Welcome::KIND, fields, descriptor)) return;
  Unpacker unpacker(fields);
  Welcome::each(welcome, unpacker);
  link.devices = welcome.devices;
  if (!link.devices) lose(link, welcome.problem);
  watch_faults();
  atexit(end);
}

// The connection of this process, begun if need be.
Link& ready() {
  Link& made = link();
  if (made.begun && made.process != getpid()) {
    if (made.socket >= 0) close(made.socket);
    made.socket = -1;
    if (made.process)
      lose(made,
           "a child that was forked after its parent's first call of CNRT cannot use the device; "
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
  std::string fields;
  int descriptor = -1;
  if (!ask(made, question(Goodbye{}, {}), Done::KIND, fields, descriptor)) return;
  close(made.socket);
  made.socket = -1;
  made.lost = "the program has ended its use of the device";
}

}  // namespace

bool connected() {
  Locked lock(link().mutex);
  return !in_host_function() && ready().socket >= 0;
}

int device_count() { return connected() ? (int)link().devices : 0; }

const char* why_lost() { return link().lost.c_str(); }

void tell(const Question& question) {
  Locked lock(link().mutex);
  Link& made = ready();
  if (made.socket >= 0 && !send_frame(made.socket, question.kind, question.fields, question.body)) drop(made);
  if (question.kind == LaunchKernel::KIND) made.launched = true;
}

bool ask(const Question& question, uint16_t answer, std::string& fields, int& descriptor) {
  Locked lock(link().mutex);
  Link& made = ready();
  made.launched = false;
  return ask(made, question, answer, fields, descriptor);
}

void settle() {
  Locked lock(link().mutex);
  if (!link().launched) return;
  auto settled = call(Settle{});
  link().failed.insert(settled.failed.begin(), settled.failed.end());
}

bool has_failed(uint64_t queue) {
  Locked lock(link().mutex);
  return link().failed.count(queue);
}

void set_failed(uint64_t queue, bool failed) {
  Locked lock(link().mutex);
  link().failed.erase(queue);
  if (failed) link().failed.insert(queue);
}

}  // namespace mlusim
