"""Messages between a program and its session: declared once, in Python; the header of the runtime is made of that."""

import re
import socket
import subprocess
import threading

import pytest
from mlusim.simulator import Device
from mlusim.simulator.frames import BrokenPeer, FrameChannel, pack
from mlusim.simulator.host.programs import session as sessions
from mlusim.simulator.host.programs.header import HEADER, header
from mlusim.simulator.host.programs.messages import Place, messages_version
from mlusim.simulator.host.programs.session import (
    AGREEMENT,
    Farewell,
    Goodbye,
    Hello,
    Session,
    Settle,
    Settled,
    TellFault,
    Welcome,
)
from mlusim.simulator.native.compiler import Compiler

UNPACK = """
#include <cassert>
#include "host_link.h"
using namespace mlusim;
int main() {
  TellFault said = {"freed", "a", 3, 4, 5, 6, {1, 2}, {}};
  Question sent = question(said, {});
  for (size_t length = 0; length <= sent.fields.size(); length++) {
    std::string part = sent.fields.substr(0, length);
    Unpacker unpacker(part);
    TellFault heard;
    TellFault::each(heard, unpacker);
    assert(unpacker.whole() == (length == sent.fields.size()));
    if (!unpacker.whole()) continue;
    assert(heard.fault == "freed" && heard.what == "a" && heard.whole == 6 && heard.place.offset == 2);
  }
  std::string longer = sent.fields + "x";
  Unpacker unpacker(longer);
  TellFault::each(said, unpacker);
  assert(!unpacker.whole());
  fwrite(sent.fields.data(), 1, sent.fields.size(), stdout);
}
"""


def test_the_header_is_that_of_the_declarations():
    assert HEADER.read_text(encoding="utf-8") == header(), "run python -m mlusim.simulator.host.programs.header"


def test_both_languages_write_the_same_bytes_and_refuse_all_others(tmp_path):
    source, program = tmp_path / "unpack.cpp", tmp_path / "unpack"
    source.write_text("#include <stdio.h>\n" + UNPACK)
    words = ["-std=c++17", "-Wall", "-Wextra", "-Werror", f"-I{HEADER.parent}"]
    done = Compiler().run([*words, str(source), "-o", str(program)], tmp_path)
    assert not done.returncode, done.messages
    wrote = subprocess.run([program], capture_output=True, check=True).stdout
    assert wrote == pack(TellFault("freed", "a", 3, 4, 5, 6, Place(1, 2), Place()))


def test_the_session_has_words_for_all_that_the_runtime_tells():
    text = "".join(path.read_text() for path in HEADER.parent.glob("*.cpp"))
    told = re.findall(r'\btell\(\s*"([^"]*)"', text) + re.findall(r'"((?:target|source) \w+)"', text)
    assert set(told) == set(sessions.FAULTS)


@pytest.fixture
def program():
    """The program's end of a session, and what the session came to."""
    ours, theirs = socket.socketpair()
    outcome = []

    def serve():
        with theirs:
            session = Session(theirs, [Device.load("mlu370-x4")])
            try:
                outcome.append(session.serve())
                session.bye()
            except BrokenPeer as error:
                outcome.append(error)

    thread = threading.Thread(target=serve)
    thread.start()
    with ours:
        yield FrameChannel(ours, AGREEMENT.protocol, dict.fromkeys(AGREEMENT.answers.values(), 0)), outcome, thread
    thread.join()


def test_a_conversation(program):
    channel, outcome, thread = program
    channel.send(Hello(messages_version()), b"prog\0-x\0")
    assert channel.receive().message == Welcome(1)
    channel.send(TellFault("freed", "lost", 16, 0, 0, 0, Place(), Place()))
    channel.send(TellFault("no such fault", "lost", 0, 0, 0, 0, Place(), Place()))
    channel.send(Settle())
    assert channel.receive().message == Settled()
    channel.send(Goodbye())
    assert channel.receive().message == Farewell(fails=False)
    thread.join()
    (report,) = outcome
    assert (report.command, report.ended) == ("prog -x", True)
    assert [finding.message for finding in report.findings] == ["lost at 0x10 has been freed"]


def test_another_version_is_told_so(program):
    channel, _, _ = program
    channel.send(Hello(messages_version() ^ 1))
    assert channel.receive().message == Welcome(0, sessions.OTHER_VERSION)


def test_what_is_no_message_ends_the_session(program):
    channel, outcome, thread = program
    channel.socket.sendall(b"\1\0\0\0" * 20)  # how messages began before
    thread.join()
    assert isinstance(outcome[0], BrokenPeer)
