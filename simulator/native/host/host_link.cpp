#include "host_link.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <set>

#include "host_deaths.h"
#include "host_faults.h"
#include "host_lock.h"
#include "host_order.h"

extern char** environ;

namespace mlusim {
namespace {

// How long a program that dies waits for what the device process has to say.
constexpr int PATIENCE_MS = 10000;
const char ENDED[] = "the program has ended its use of the device";

struct Link {
  Lock mutex;
  int socket = -1;
  pid_t process = 0;  // whose connection it is
  bool begun = false;
  bool launched = false;  // kernels may be running
  uint64_t devices = 0;
  std::set<uint64_t> failed;  // queues
  std::string lost;
  std::atomic<bool> sending{false};    // a message is on its way
  std::atomic<pthread_t> asking{};     // who waits for an answer
  std::atomic<pthread_t> departing{};  // who ends the program without a goodbye: it alone goes on
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
  if (link.departing == pthread_t{}) fprintf(stderr, "mlusim: %s\n", why.c_str());
}

// What another thread has ended goes on nowhere else.
void stay(const Link& link) {
  while (link.departing != pthread_t{} && !pthread_equal(link.departing, pthread_self())) pause();
}

void drop(Link& link) {
  if (link.socket >= 0) lose(link, "the device process has gone; see above why");
}

bool send(Link& link, const Question& question) {
  link.sending = true;
  bool good = send_frame(link.socket, question.kind, {question.fields.data(), question.fields.size()}, question.body);
  link.sending = false;
  stay(link);
  return good;
}

bool ask(Link& link, const Question& question, uint16_t answer, std::string& fields, int& descriptor) {
  link.asking = pthread_self();
  bool good = link.socket >= 0 && send(link, question) && receive_frame(link.socket, answer, fields, descriptor);
  link.asking = pthread_t{};
  stay(link);
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

// A descriptor that no standard stream has the number of: what the program prints would go there, if it has closed one.
int above_standard(int descriptor) {
  if (descriptor < 0 || descriptor > 2) return descriptor;
  int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
  close(descriptor);
  return moved;
}

// Start a process with a socket as descriptor 3 and no other but the standard ones; 0, or why not.
int spawn(const char* const* words, int end) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, end, 3);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  for (int stream : {1, 2})
    if (fcntl(stream, F_GETFD) < 0) posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_WRONLY, 0);
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
  }  // it goes on as a process of its own, which no wait() meets
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
  for (int& each : ends) each = above_standard(each);
  const char* words[] = {python.c_str(), "-I", "-m", module.c_str(), device.c_str(), nullptr};
  int error = spawn(words, ends[1]);
  close(ends[1]);
  if (!error) return ends[0];
  problem = "cannot start the device process " + python + ": " + strerror(error) + "; write the toolkit again";
  close(ends[0]);
  return -1;
}

// By a name that no file has.
int join_process(const char* name, std::string& problem) {
  int made = above_standard(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  struct sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  size_t length = strnlen(name, sizeof address.sun_path - 1);
  memcpy(address.sun_path + 1, name, length);
  socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
  if (made >= 0 && !::connect(made, (struct sockaddr*)&address, size)) return made;
  problem = std::string("cannot reach the device process ") + name + ": " + strerror(errno);
  if (made >= 0) close(made);
  return -1;
}

std::string command() {
  std::ifstream file("/proc/self/cmdline");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  return text;
}

void end(int status, void*);

// A child has no part of its parent's connection, which ends when the parent does.
void leave_to_parent() {
  Link& made = link();
  if (made.socket >= 0) close(made.socket);
  made.socket = -1;
}

void begin(Link& link) {
  link.begun = true;
  link.process = getpid();
  std::string problem;
  const char* name = getenv("MLUSIM_SOCKET");
  link.socket = name ? join_process(name, problem) : start_process(problem);
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
  watch_deaths();
  pthread_atfork(nullptr, nullptr, leave_to_parent);
  on_exit(end, nullptr);
}

// The connection of this process, begun if need be.
Link& ready() {
  Link& made = link();
  if (made.begun && made.process != getpid()) {
    if (made.process)
      lose(made,
           "a child that was forked after its parent's first call of CNRT cannot use the device; "
           "fork before that, or start another program");
    made.process = 0;
  }
  if (!made.begun) begin(made);
  return made;
}

// A second for calls of other threads that are under way; a thread that waits for a kernel may do so for ever.
bool lock_soon(Lock& mutex) {
  for (int i = 0; i < 1000; i++) {
    if (mutex.try_lock()) return true;
    usleep(1000);
  }
  return false;
}

void end(int status, void*) {
  Link& made = link();
  if (made.process != getpid() || made.socket < 0) return;
  fflush(stdout);
  if (pthread_equal(made.asking, pthread_self()) || !lock_soon(made.mutex)) {
    depart({}, {});
    made.lost = ENDED;
    return;
  }
  std::string fields;
  int descriptor = -1;
  Farewell farewell;
  bool answered = ask(made, question(Goodbye{}, {}), Farewell::KIND, fields, descriptor);
  if (answered) {
    Unpacker unpacker(fields);
    Farewell::each(farewell, unpacker);
    close(made.socket);
    made.socket = -1;
    made.lost = ENDED;
  }
  made.mutex.unlock();
  if (farewell.fails && !status) exit(1);  // what is left to be done at the end goes on
}

}  // namespace

bool connected() {
  if (pthread_equal(link().departing, pthread_self())) return false;  // others may hold the lock for ever
  Locked lock(link().mutex);
  return !in_host_function() && ready().socket >= 0;
}

int device_count() { return connected() ? (int)link().devices : 0; }

const char* why_lost() { return link().lost.c_str(); }

void tell(const Question& question) {
  if (question.kind == LaunchKernel::KIND) fflush(stdout);  // what the kernel prints comes after it
  Locked lock(link().mutex);
  Link& made = ready();
  if (made.socket >= 0 && !send(made, question)) drop(made);
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

namespace {
// The fields of a message that are numbers, on the stack.
struct Numbers {
  uint64_t values[4];
  size_t count = 0;
  template <class... Values>
  void operator()(const Values&... given) {
    ((values[count++] = given), ...);
  }
};

int64_t now_ms() {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}
}  // namespace

void depart(const ProgramDies& why, Body module) {
  Link& made = link();
  pthread_t none{};
  if (made.process != getpid() || made.socket < 0) return;
  if (!made.departing.compare_exchange_strong(none, pthread_self())) return;
  Numbers fields;
  ProgramDies::each(why, fields);
  if (why.signal && !made.sending)
    send_frame(made.socket, ProgramDies::KIND, {fields.values, fields.count * sizeof *fields.values}, module);
  shutdown(made.socket, SHUT_WR);
  char rest[512];  // of answers that are not waited for any more
  struct pollfd waiting = {made.socket, POLLIN, 0};
  for (int64_t end = now_ms() + PATIENCE_MS, left = PATIENCE_MS; left > 0; left = end - now_ms()) {
    if (poll(&waiting, 1, (int)left) < 0) continue;
    ssize_t got = recv(made.socket, rest, sizeof rest, MSG_DONTWAIT);
    if (!got || (got < 0 && errno != EAGAIN && errno != EINTR)) break;
  }
}

}  // namespace mlusim
