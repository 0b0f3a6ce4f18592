// The way from a host program to its device process: one socket, and the messages of host_messages.h.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include <string>
#include <type_traits>

#include "host_messages.h"
#include "host_wire.h"

namespace mlusim {

// An answer, and the descriptor that has come with it. Lost: there is no device process, or it has gone.
template <class Answer>
struct Answered : Answer {
  bool lost = true;
  int descriptor = -1;
};

// Connects at the first use in a process. A forked child begins anew if its parent had not begun.
bool connected();
int device_count();
// Why there is no connection, in a sentence.
const char* why_lost();

// A message as bytes, and an answer; what `post` and `call` are made of.
struct Question {
  uint16_t kind;
  std::string fields;
  Body body;
};
void tell(const Question& question);
bool ask(const Question& question, uint16_t answer, std::string& fields, int& descriptor);

template <class Message>
Question question(const Message& message, Body body) {
  Packer packer;
  Message::each(message, packer);
  return {Message::KIND, packer.bytes(), body};
}

// Send without waiting; what the device process finds is told by the next call that waits.
template <class Message>
void post(const Message& message, Body body = {}) {
  static_assert(std::is_void<typename Message::Answer>::value, "the device process answers: call it");
  tell(question(message, body));
}

// Send and wait for the answer.
template <class Message>
Answered<typename Message::Answer> call(const Message& message, Body body = {}) {
  Answered<typename Message::Answer> answer;
  std::string fields;
  if (!ask(question(message, body), Message::Answer::KIND, fields, answer.descriptor)) return answer;
  Unpacker unpacker(fields);
  Message::Answer::each(answer, unpacker);
  answer.lost = !unpacker.whole();
  return answer;
}

// Wait until no kernel that was launched is running.
void settle();
// Whether a kernel of a queue has failed, as far as the program has heard: the queue takes nothing more.
bool has_failed(uint64_t queue);
void set_failed(uint64_t queue, bool failed);

// The program ends without a goodbye. Tell why, unless the signal is 0, with the path of the module in which that was;
// kernels end now, and this returns when the device process has said what it has found. For handlers of signals: takes
// no lock and no memory.
void depart(const ProgramDies& why, Body module);

}  // namespace mlusim

#define MLUSIM_API extern "C" __attribute__((visibility("default")))
