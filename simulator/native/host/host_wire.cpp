#include "host_wire.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "host_messages.h"

namespace mlusim {
namespace {

bool write_all(int socket, struct iovec* parts, int count) {
  while (count) {
    struct msghdr message = {};
    message.msg_iov = parts;
    message.msg_iovlen = (size_t)count;
    ssize_t sent = sendmsg(socket, &message, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return false;
    while (count && (size_t)sent >= parts->iov_len) sent -= (ssize_t)parts->iov_len, parts++, count--;
    if (count) parts->iov_base = (char*)parts->iov_base + sent, parts->iov_len -= (size_t)sent;
  }
  return true;
}

bool read_all(int socket, void* to, size_t bytes, int& descriptor) {
  for (size_t got = 0; got < bytes;) {
    struct iovec part = {(char*)to + got, bytes - got};
    alignas(struct cmsghdr) char room[CMSG_SPACE(sizeof(int))];
    struct msghdr message = {};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = room;
    message.msg_controllen = sizeof room;
    ssize_t now = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    if (now < 0 && errno == EINTR) continue;
    if (now <= 0) return false;
    for (struct cmsghdr* entry = CMSG_FIRSTHDR(&message); entry; entry = CMSG_NXTHDR(&message, entry))
      if (entry->cmsg_type == SCM_RIGHTS) memcpy(&descriptor, CMSG_DATA(entry), sizeof(int));
    got += (size_t)now;
  }
  return true;
}

}  // namespace

bool send_frame(int socket, uint16_t kind, Body fields, Body body) {
  Head head = {};
  memcpy(head.magic, MAGIC, sizeof head.magic);
  head.version = FRAMING, head.kind = kind, head.fields = fields.size, head.body = body.size;
  struct iovec parts[3] = {
      {&head, sizeof head}, {const_cast<void*>(fields.start), fields.size}, {const_cast<void*>(body.start), body.size}};
  return write_all(socket, parts, 3);
}

bool receive_frame(int socket, uint16_t kind, std::string& fields, int& descriptor) {
  Head head = {};
  if (!read_all(socket, &head, sizeof head, descriptor) || memcmp(head.magic, MAGIC, sizeof head.magic) != 0)
    return false;
  if (head.version != FRAMING || head.kind != kind || head.fields > MOST_FIELDS || head.body) return false;
  fields.resize(head.fields);
  return read_all(socket, &fields[0], fields.size(), descriptor);
}

}  // namespace mlusim
