"""The process that runs C kernels: how it starts, what it may say, and what a host without a sandbox does."""

import os
import random
import socket
import struct
import subprocess
import sys
import textwrap
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from mlusim.simulator import BuildError, Device, KernelError, Program, frames, load
from mlusim.simulator.chip.launch_kinds import BLOCK, GRID, LaunchKind
from mlusim.simulator.core.execution import Launch
from mlusim.simulator.engines.description import Description, decode_description
from mlusim.simulator.engines.worker import answer, start
from mlusim.simulator.engines.worker import pool as pools
from mlusim.simulator.engines.worker.answer import decode_answer, decode_failure, encode_answer
from mlusim.simulator.engines.worker.messages import PROTOCOL, Answered
from mlusim.simulator.engines.worker.request import LaunchRequest
from mlusim.simulator.frames import BrokenPeer, FrameChannel
from mlusim.simulator.launches.compiled_kernel import target_of

from tests.support.paths import KERNELS_C

pytestmark = pytest.mark.slow

SOURCE = KERNELS_C / "hostile.mlu"
PLAIN = "#include <bang.h>\n__mlu_entry__ void k(float *x) { x[0] = 1; }\n"


def run(
    script: str, folder: Path, *options: str, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a script of ours in a folder."""
    return subprocess.run(
        [sys.executable, *options, "-c", textwrap.dedent(script)], cwd=folder, capture_output=True, text=True,
        timeout=120, check=False,
    )  # fmt: skip


# --- static initialisers ------------------------------------------------------------------------------------------

INITIALISERS = {
    "exits": ("static int n = (exit(3), 1);", r"called exit\(3\)"),
    "ends": ("#include <unistd.h>\nstatic int n = (_exit(3), 1);", r"called _exit\(3\)"),
    "aborts": ("static int n = (abort(), 1);", "crashed: abort"),
    "crashes": ("static int n = *(volatile int *)8;", "segmentation fault at 0x8"),
    "divides": ("static volatile int zero; static int n = 100 / zero;", "division by zero"),
    "throws": ("static int thrower() { throw 1; }\nstatic int n = thrower();", "nothing catches: int"),
    "removes": ('#include <unistd.h>\nstatic int n = unlink("/tmp/none");', r"unlink\('/tmp/none'"),
    "uses the device": ("static const int n = taskId;", "exist in kernels only"),
    "takes on-chip memory": (
        "__nram__ float buffer[64];\nstatic int fill() { __bang_write_zero(buffer, 64); return 1; }\n"
        "static int n = fill();", "exist in kernels only",
    ),
    "recurses": ("static int deep(int n) { volatile int k[64]; k[0] = n; return deep(n + 1) + k[0]; }\n"
                 "static int n = deep(0);", "overflowed its stack"),
}  # fmt: skip


#: Another case ends in the same way.
FURTHER = {"ends", "aborts", "divides", "takes on-chip memory"}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.further] if name in FURTHER else []) for name in INITIALISERS]
)
def test_a_static_initialiser_that_fails_is_a_build_error_at_its_line(name, tmp_path):
    text, message = INITIALISERS[name]
    source = tmp_path / "initialiser.mlu"
    source.write_text(f"#include <bang.h>\n{text}\n__mlu_entry__ void k(float *x) {{ x[0] = n; }}\n")
    with pytest.raises(
        BuildError, match=rf"(?s)initialiser.mlu cannot be loaded: .*static initialiser.*{message}"
    ) as caught:
        load([source], device=Device.load("mlu370-x4"))
    last = source.read_text().split("__mlu_entry__")[0].count("\n")
    lines = range(2, last + 1)
    assert caught.value.finding.location.file == str(source)
    assert caught.value.finding.location.line in lines


def test_a_static_initialiser_that_does_not_end_is_a_build_error(tmp_path, monkeypatch):
    monkeypatch.setattr(pools, "_LOAD_LIMIT", 0.3)
    source = tmp_path / "loop.mlu"
    source.write_text(
        "#include <bang.h>\nstatic int loop() { volatile int n = 0; while (n == 0); return n; }\n"
        "static int n = loop();\n__mlu_entry__ void k(float *x) { x[0] = n; }\n"
    )
    with pytest.raises(BuildError, match="it ran longer than the time limit") as caught:
        load([source], device=Device.load("mlu370-x4"))
    assert caught.value.finding.location.line == 2


def test_static_initialisers_that_only_compute_run(tmp_path):
    source = tmp_path / "computes.mlu"
    source.write_text(
        "#include <bang.h>\n#include <vector>\nstatic std::vector<int> table(1000, 7);\n"
        "__mlu_entry__ void k(int *x) { x[0] = table[999]; }\n"
    )
    x = np.zeros(1, np.int32)
    load([source], device=Device.load("mlu370-x4")).launch("k", args=[x], on_finding="collect")
    assert x[0] == 7


def test_variables_of_the_host_open_no_file_and_print_nothing_in_the_image(tmp_path, capfd):
    source = tmp_path / "opens.mlu"
    source.write_text(
        "#include <bang.h>\n#include <fcntl.h>\n#include <stdio.h>\n#include <fstream>\n"
        f'static std::ofstream stream("{tmp_path}/made");\n'
        'static int file = open("/etc/passwd", O_RDONLY), printed = printf("before any kernel");\n'
        "__mlu_entry__ void k(int *x) { x[0] = file; x[1] = printed; }\n"
    )
    x = np.zeros(2, np.int32)
    load([source], device=Device.load("mlu370-x4")).launch("k", args=[x], on_finding="collect")
    assert x.tolist() == [-1, 17]
    assert not (tmp_path / "made").exists()
    assert capfd.readouterr().out == ""


def test_many_parameters_and_many_variables(tmp_path):
    count, variables = 500, 300
    source = tmp_path / "many.mlu"
    source.write_text(
        "#include <bang.h>\n"
        + "".join(f"__nram__ int v{'x' * 200 if i == 0 else ''}{i};\n" for i in range(variables))
        + f"__mlu_entry__ void k(int *x, {', '.join(f'int p{i}' for i in range(count))}) {{\n"
        + f"  v{variables - 1} = p{count - 1}; x[0] = v{variables - 1} + p0;\n}}\n"
    )
    program = load([source], device=Device.load("mlu370-x4"))
    x = np.zeros(1, np.int32)
    run = program.launch("k", args=[x, *range(1, count + 1)])
    assert not run.errors
    assert x[0] == count + 1


# --- how it starts --------------------------------------------------------------------------------------------------

LAUNCH = """
    import sys, numpy as np
    from pathlib import Path
    from mlusim.simulator import Device, load
    Path("k.mlu").write_text(SOURCE)
    x = np.zeros(4, np.float32)
    load(["k.mlu"], device=Device.load("mlu370-x4")).launch("k", args=[x])
    print(x[0])
"""


@pytest.mark.parametrize("options", [(), ("-P",)])
def test_the_worker_imports_nothing_from_the_current_folder(tmp_path, options):
    """Python itself looks there for `python -c`, but the modules of the trap have been imported before the change."""
    trap = 'from pathlib import Path\nPath(__file__).with_name("executed").touch()\n'
    inside = tmp_path / "inside"
    inside.mkdir()
    for name in ("random", "token", "sitecustomize", "usercustomize", "numpy", "greenlet", "mlusim", "socket"):
        (inside / f"{name}.py").write_text(trap)
    (inside / "trap.pth").write_text(f"import pathlib; pathlib.Path({str(inside / 'executed')!r}).touch()\n")
    moved = (
        f"SOURCE = {PLAIN!r}\nimport numpy, socket, random, os, mlusim.simulator.launches.program\nos.chdir('inside')\n"
    )
    moved += "os.environ['PYTHONPATH'] = os.pathsep + str(os.getcwd())\nos.environ['PYTHONSTARTUP'] = 'random.py'"
    done = run(moved + textwrap.dedent(LAUNCH), tmp_path, *options)
    assert done.stdout == "1.0\n", done.stderr
    assert not (inside / "executed").exists()


def watched(check: str) -> str:
    """The launch on a device that a check watches."""
    return textwrap.dedent(LAUNCH).replace('"mlu370-x4")', f'"mlu370-x4").watched({check})')


def test_checks_of_a_module_that_only_the_parent_finds(tmp_path):
    text = "from mlusim.simulator.core.issue import Check\nclass Silent(Check):\n    pass\n"
    (tmp_path / "mychecks.py").write_text(text)
    done = run(f"SOURCE = {PLAIN!r}\nimport mychecks" + watched("mychecks.Silent"), tmp_path)
    assert done.stdout == "1.0\n", done.stderr


def test_a_check_of_the_running_script_is_refused_with_a_sentence(tmp_path):
    text = "from mlusim.simulator.core.issue import Check\nclass Mine(Check):\n    pass\n"
    done = run(f"SOURCE = {PLAIN!r}\n{text}" + watched("Mine"), tmp_path)
    assert "TypeError: the check Mine is defined in the script that runs; put it into a module" in done.stderr


# --- what it may say ------------------------------------------------------------------------------------------------


def take(data: bytes) -> bytes:
    """The body of a message that comes at the end of a channel, where no more will come."""
    ours, theirs = socket.socketpair()
    with ours:
        theirs.sendall(data)
        theirs.close()
        ours.setblocking(False)
        return bytes(FrameChannel(ours, PROTOCOL, {Answered: 1 << 20}).receive().body)


def head(kind: int, length: int, magic: bytes = b"MLUS", version: int = 1, fields: int = 0) -> bytes:
    return struct.pack("<4sHHQQQ", magic, version, kind, 0, fields, length)


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (head(6, 4) + b"abcd", None),
        (head(6, 5) + b"abcd", EOFError),
        (head(6, 4)[:7], EOFError),
        (b"", EOFError),
        (head(6, 1 << 40), BrokenPeer),
        (head(6, (1 << 64) - 1), BrokenPeer),
        (head(6, 4, magic=b"EVIL") + b"abcd", BrokenPeer),
        (head(6, 4, version=2) + b"abcd", BrokenPeer),
        (head(3, 4) + b"abcd", BrokenPeer),
        (head(999, 4) + b"abcd", BrokenPeer),
        (head(0, 4) + b"abcd", BrokenPeer),
        (head(6, 0, fields=4) + b"abcd", BrokenPeer),
        (head(6, 4, fields=1 << 21) + b"abcd", BrokenPeer),
    ],
)
def test_only_whole_messages_of_a_known_kind_and_size_are_taken(data, error):
    if error is None:
        assert take(data) == b"abcd"
        return
    with pytest.raises(error):
        take(data)


def request(program: Program, kind: LaunchKind = BLOCK) -> LaunchRequest:
    return LaunchRequest(target_of(program.device), Launch("healthy", (1, 1, 1), kind, library=Path("none")))


@pytest.mark.parametrize(("threads", "block"), [(0, 1 << 16), (0, 2), (64, 1 << 16)])
def test_an_answer_survives_the_way_and_no_falsified_one_is_an_error_of_another_kind(
    program, threads, block, monkeypatch
):
    """Every byte of an answer may be wrong: it is refused, or it is an answer whose indices lead somewhere."""
    monkeypatch.setattr(answer, "_BLOCK", block)
    kind = replace(GRID, threads=(threads, 1, 1)) if threads else BLOCK
    program = load([SOURCE.with_suffix(".cu")], device=Device.load("cuda-sm80")) if threads else program
    x = np.arange(64, dtype=np.float32)
    run = program.launch("healthy", args=[x], block=threads or None)
    memory = program.device.memory.memory
    keep = program.device.array(x)
    places = run.log.__class__(
        run.log.records, run.log.operands, run.log.ops, run.log.pipes,
        tuple(type(entry)("", number) for number, entry in enumerate(run.log.locations)),
        run.log.shape, run.log.device, run.log.launch,
    )  # fmt: skip
    good = b"".join(bytes(part) for part in encode_answer(places, [], memory, last=False, spent={"timing": (0.5, 2)}))
    allocations = tuple(memory.allocations())
    decoded = decode_answer(memoryview(good), request(program, kind), allocations)
    assert decoded.log.launch == run.log.launch
    assert decoded.log.records.tobytes() == run.log.records.tobytes()
    assert (decoded.log.ops, decoded.log.pipes, decoded.findings) == (run.log.ops, run.log.pipes, [])
    generator = random.Random(5)
    refused = 0
    for _ in range(600):
        bad = bytearray(good)
        for _ in range(generator.choice([1, 1, 2, 30])):
            bad[generator.randrange(len(bad))] = generator.randrange(256)
        if generator.random() < 0.2:
            del bad[generator.randrange(len(bad)) :]
        try:
            taken = decode_answer(memoryview(bytes(bad)), request(program, kind), allocations).log
        except BrokenPeer:
            refused += 1
            continue
        assert not len(taken) or taken.records["op"].max() < len(taken.ops)
        assert int(taken.operand_counts.sum()) == len(taken.operands)
    assert 300 < refused < 600
    del keep


@pytest.mark.parametrize("body", [b"", b"\x00", b"[" * 100_000, b"{}", b"null", b'{"type": 1, "text": 2}'])
def test_nonsense_for_a_failure_or_a_description(body):
    with pytest.raises(BrokenPeer):
        decode_failure(body)
    with pytest.raises(ValueError, match=r"makes no sense|Expecting|recursion|none"):
        decode_description(body, 1)


IMPOSTOR = """
import socket, struct, sys, os, time
channel = socket.socket(fileno=int(sys.argv[3]))
channel.recv(1 << 20)
def send(kind, nonce, fields=b"", body=b"", length=None):
    length = len(body) if length is None else length
    channel.sendall(struct.pack("<4sHHQQQ", b"MLUS", 1, kind, nonce, len(fields), length) + fields + body)
send(2, 0, bytes(8))
order = channel.recv(1 << 20)
nonce = struct.unpack_from("<Q", order, 8)[0]
ACT
time.sleep(100)
"""


@pytest.mark.parametrize(
    ("act", "message"),
    [
        ("channel.sendall(b'x' * 32)", "sent what is no message"),
        ("send(6, nonce + 1 & (2**64 - 1))", "a request that was not made"),
        ("send(6, nonce, length=1 << 50)", "announced a message"),
        ("send(6, nonce, body=b'aaaa')", "makes no sense"),
        ("send(6, nonce, body=b'a', length=1 << 30)", "in the middle of a message"),
        ("send(7, nonce, body=b'{}')", "answered something else"),
        ("import pickle; send(6, nonce, body=pickle.dumps(print))", "makes no sense"),
        ("send(5, nonce, bytes(15))", "makes no sense"),
        ("send(5, nonce, struct.pack('<QQ', 1, 9))", "told of progress that it was not asked for"),
        ("send(6, nonce, body=struct.pack('<Q', 1 << 25) + b' ' * (1 << 25))", "makes no sense"),
        ("for _ in range(99): socket.send_fds(channel, [b'x'], [0, 1, 2])", "sent what is no message"),
        ("os._exit(7)", "exit code 7"),
        ("os.write(1, b'x' * (200 << 20))", "printed more than 128 MiB"),
    ],
)  # fmt: skip
def test_a_worker_that_forges_its_messages_is_ended_and_replaced(program, tmp_path, monkeypatch, act, message, capfd):
    script = tmp_path / "impostor.py"
    script.write_text(IMPOSTOR.replace("ACT", act))
    for worker in pools.pool(os.getpid())._idle:
        worker.close()
    x = np.zeros(64, np.float32)
    with monkeypatch.context() as patch:
        patch.setattr(start, "_BOOTSTRAP", script)
        patch.setattr(frames, "_STALL", 0.3)
        with pytest.raises(KernelError, match=message) as caught:
            program.launch("healthy", args=[x])
    assert caught.value.finding.rule == "crash"
    assert not x.any()
    x[:] = 1
    assert not program.launch("healthy", args=[x]).findings
    assert (x == 2).all()


FOR_EVER = """
done = 0
while True:
    done += STEP
    send(5, nonce, struct.pack('<QQ', done, 1 << 60))
"""


@pytest.mark.parametrize(
    ("step", "message"), [("1", "took longer than the time limit of"), ("done == 0", "or that is none")]
)
def test_a_worker_that_tells_of_progress_for_ever_is_ended(program, tmp_path, monkeypatch, step, message):
    script = tmp_path / "impostor.py"
    script.write_text(IMPOSTOR.replace("ACT", FOR_EVER.replace("STEP", step)))
    for worker in pools.pool(os.getpid())._idle:
        worker.close()
    monkeypatch.setattr(start, "_BOOTSTRAP", script)
    monkeypatch.setattr(pools, "_GRACE", 0.1)
    told = []
    begin = time.monotonic()
    with pytest.raises(KernelError, match=message):
        program.launch("healthy", args=[np.zeros(64, np.float32)], time_limit=0.3, progress=lambda *at: told.append(at))
    assert told[0] == (1, 1 << 60)
    assert time.monotonic() - begin < 20


def test_what_is_said_after_an_answer_does_not_reach_the_next_launch(program):
    pool = pools.pool(os.getpid())
    x = np.ones(64, np.float32)
    program.launch("healthy", args=[x])
    before = pool._idle[-1]
    kept = before._channel
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(b"MLUS late")
        before._channel = FrameChannel(ours, PROTOCOL, {})
        program.launch("healthy", args=[x])
    assert before not in pool._idle
    assert (x == 4).all()
    kept.socket.close()


def test_a_description_of_another_image_is_refused():
    with pytest.raises(ValueError, match="wrong signatures"):
        decode_description(b'{"variables": [], "signatures": []}', 1)
    assert decode_description(
        b'{"variables": [], "signatures": ["i4,"], "unknown": [], "unset": []}', 1
    ) == Description((), ("i4,",))
