"""bmlib: what host code does to the arrays of a launch that it has not waited for, and arrays that are too short."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from mlusim.simulator.host.programs.toolkit import write_toolkit

from tests.host.test_bmlib import BEGIN, HERE

LAUNCH = '  okkernel_launch_async(handle, "scale", &param, sizeof param);  // launched\n'
WAIT = "  bm_thread_sync(handle);\n"
END = "  bm_dev_free(handle);\n}\n"
BOTH = "  bm_free_device(handle, from), bm_free_device(handle, to);\n"
#: What comes between the launch and the wait, and what frees the arrays after it.
EARLY = {
    "a copy of 4096 bytes from device to host": ("bm_memcpy_d2s(handle, back, to);", BOTH),
    "a copy of 4096 bytes from host to device": ("bm_memcpy_s2d(handle, from, host);", BOTH),
    "a copy of 2048 bytes from device to device": ("bm_memcpy_d2d_byte(handle, from, 0, to, 2048, 2048);", BOTH),
    "a fill of 4096 bytes": ("bm_memset_device(handle, 0, to);", BOTH),
    "the free": ("bm_free_device(handle, to);", "  bm_free_device(handle, from);\n"),
}
SHARES = "shares memory with the launch of scale in queue 1, which the host has not waited for"


@pytest.fixture(scope="module")
def sdk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("toolkit")
    write_toolkit(folder / "sdk", ["bm1684"])
    subprocess.run([folder / "sdk/bin/cc", "-O2", "-c", HERE / "scale_okk.c", "-o", folder / "scale.o"], check=True)
    return folder


def told(sdk: Path, folder: Path, body: str) -> list[str]:
    """The findings of a program, each with all its lines; its own are named by the marks at their ends."""
    text = BEGIN + "  bm_memcpy_s2d(handle, from, host);\n" + body + END
    (folder / "host.cpp").write_text(text)
    words = [sdk / "sdk/bin/c++", "-g", folder / "host.cpp", sdk / "scale.o", "-o", folder / "program", "-lbmlib"]
    subprocess.run(words, check=True)
    said = subprocess.run([folder / "program"], capture_output=True, text=True, check=False).stderr
    for number, line in reversed(list(enumerate(text.splitlines(), 1))):
        said = said.replace(f"{folder}/host.cpp:{number}", line.rpartition("// ")[2].strip())
    return re.findall(r"^(?:error|warning): .*(?:\n  .*)*\n", said, re.M)


@pytest.mark.slow
@pytest.mark.parametrize("what", EARLY)
def test_what_the_host_does_before_it_waits(sdk: Path, tmp_path: Path, what: str) -> None:
    act, frees = EARLY[what]
    (found,) = told(sdk, tmp_path, f"{LAUNCH}  {act}  // early\n{WAIT}{frees}")
    assert found.startswith(f"error: queue-order: {what} {SHARES}\n  allocated at ")
    assert "\n  at early, with launched\n" in found
    assert "bm_thread_sync" in found
    assert told(sdk, tmp_path, f"{LAUNCH}{WAIT}  {act}\n{frees}") == []


@pytest.mark.slow
def test_a_launch_has_its_own_copy_of_its_parameters(sdk: Path, tmp_path: Path) -> None:
    again = LAUNCH.replace("param,", "other,")
    body = f"  param_t other = param;\n{LAUNCH}  param.count = 0;\n{again}{WAIT}  bm_memcpy_d2s(handle, back, to);\n"
    assert told(sdk, tmp_path, body + BOTH) == []


@pytest.mark.slow
def test_arguments_of_another_size_than_the_kernel_reads_are_refused(sdk: Path, tmp_path: Path) -> None:
    of_pointer = LAUNCH.replace("sizeof param", "sizeof &param")
    (found,) = told(sdk, tmp_path, of_pointer + WAIT + BOTH)
    assert found.startswith("error: argument: scale reads its arguments as 24 bytes, and 8 are passed\n")
    assert "\n  at launched\n" in found


@pytest.mark.slow
def test_an_array_that_is_too_short_is_named(sdk: Path, tmp_path: Path) -> None:
    short = (
        "  bm_device_mem_t few;\n  bm_malloc_device_byte(handle, &few, 2048);  // the short one\n"
        f"  param.to = bm_mem_get_device_addr(few);\n{LAUNCH}{WAIT}"
    )
    copies = "  bm_memcpy_d2s_partial(handle, back, few, 4096);  // copied\n  bm_memset_device(handle, 0, few);\n"
    frees = "  bm_free_device(handle, few);\n" + BOTH
    copy, launch = sorted(told(sdk, tmp_path, short + copies + frees))
    assert launch.startswith("error: bounds: write of 4096 bytes at byte 0 of 'array 3' passes its end by 2048\n")
    assert "\n  allocated at the short one\n" in launch
    assert "2048 bytes past the end of 2048 bytes of device memory\n  at copied, with the short one" in copy
    assert told(sdk, tmp_path, (short + copies + frees).replace("2048", "4096")) == []


@pytest.mark.slow
def test_what_has_been_freed_is_named(sdk: Path, tmp_path: Path) -> None:
    body, frees = "  bm_free_device(handle, to);  // freed\n", "  bm_free_device(handle, from);\n"
    (launch,) = told(sdk, tmp_path, f"{body}{LAUNCH}{WAIT}{frees}")
    assert launch.startswith("error: use-after-free: access to byte 0 of 'array 2', which has been freed\n")
    assert ", with freed\n" in launch
    (copy,) = told(sdk, tmp_path, f"{body}  bm_memcpy_d2s(handle, back, to);  // used\n{frees}")
    assert "the source of a copy at 0x" in copy
    assert "has been freed\n  at used, with freed\n" in copy


@pytest.mark.slow
def test_a_program_that_ends_without_a_wait(sdk: Path, tmp_path: Path) -> None:
    found = told(sdk, tmp_path, f"{LAUNCH}  return 0;\n")
    assert found[0].startswith(
        "error: queue-order: the program ends and has not waited for the launch of scale\n  at launched"
    )
    assert [one.partition(": 2")[0] for one in found[1:]] == ["warning: leak"]
