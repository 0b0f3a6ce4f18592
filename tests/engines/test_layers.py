"""What a host without a layer of the sandbox does with kernels."""

import json
import subprocess
import sys
import textwrap

import pytest

from tests.support.paths import KERNELS_C

pytestmark = pytest.mark.slow

SOURCE = KERNELS_C / "hostile.mlu"


REFUSE = """
    import ctypes, struct
    from mlusim.simulator.engines.tasks.syscalls import NUMBERS
    def refuse(*rows):  # (call, first argument or None): these fail as on a host that does not know them
        step = lambda code, k, yes=0, no=0: struct.pack("<HBBI", code, yes, no, k)
        program = b""
        for number, argument in rows:
            block = step(6, 0x00050026)
            if argument is not None:
                block = step(0x20, 16) + step(0x15, argument, 0, 1) + block + step(0x20, 0)
            program += step(0x20, 0) + step(0x15, number, 0, len(block) // 8) + block
        program += step(6, 0x7FFF0000)
        buffer = ctypes.create_string_buffer(program, len(program))
        libc = ctypes.CDLL(None)
        libc.prctl(38, 1, 0, 0, 0)
        assert libc.prctl(22, 2, struct.pack("@HP", len(program) // 8, ctypes.addressof(buffer)), 0, 0) == 0
"""
MISSING = {
    "dispatch": "(157, 59)",
    "landlock": "(444, None)",
    "seccomp": "(317, None)",
    "seccomp and dispatch and landlock": "(317, None), (157, 59), (444, None)",
}


@pytest.mark.parametrize("layers", MISSING)
def test_a_host_without_a_layer_of_the_sandbox_says_so_and_refuses_where_it_is_required(layers, tmp_path):
    script = f"""
        import io, os, sys, warnings
        import numpy as np
        from mlusim.simulator import Device, KernelError, load
        from mlusim.simulator.cli import main
        warnings.showwarning = lambda message, *details, **more: print(message, file=sys.stderr)
        sys.stdout = io.StringIO()
        refuse({MISSING[layers]})
        program = load([{str(SOURCE)!r}], device=Device.load("mlu370-x4"))
        x = np.arange(64, dtype=np.float32)
        program.launch("healthy", args=[x])
        assert x.tolist() == [2.0 * i for i in range(64)]
        for kernel in {() if " and " in layers else ("file_open", "network_tcp", "process_fork")}:
            try:
                program.launch(kernel, args=[np.zeros(4, np.int32)])
                print("not contained", kernel)
            except KernelError as error:
                assert error.finding.rule == "forbidden", error
                assert error.finding.location.line, error
        for arguments in [], ["--require-sandbox"]:
            print(main(["run", {str(SOURCE)!r}, "--kernel", "healthy", "--arg", "zeros:float32:64", *arguments]),
                  file=sys.stderr)
        os.environ["MLUSIM_REQUIRE_SANDBOX"] = "1"
        for options in {{}}, {{"isolate": False}}:
            try:
                program.launch("healthy", args=[x], **options)
                print("not refused", file=sys.stderr)
            except PermissionError as error:
                print(error, file=sys.stderr)
        sys.stdout = sys.__stdout__
        assert main(["doctor", "--json"]) == 0
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(REFUSE) + textwrap.dedent(script)], cwd=tmp_path, capture_output=True,
        text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    said = done.stderr.splitlines()
    assert "UserWarning" not in done.stderr
    assert [line for line in said if "kernels run here with less than the whole sandbox" in line] == said[:1]
    assert all(f"{layer}: " in said[0] for layer in layers.split(" and "))
    codes = [line for line in said if line in ("0", "1")]
    assert codes == ["0", "1"]
    refused = [line for line in said if "no kernel is run: MLUSIM_REQUIRE_SANDBOX is set, and this host lacks" in line]
    assert len(refused) == 2
    assert said[-1] == "isolate=False runs a kernel without the sandbox, and MLUSIM_REQUIRE_SANDBOX is set"
    rows = {row["name"]: row for row in json.loads(done.stdout)["checks"]}
    missing = set(layers.split(" and "))
    assert {name for name in ("seccomp", "dispatch", "landlock") if rows[name]["state"] == "lacking"} == missing
    assert all(rows[name]["state"] == "ok" for name in ("python", "compiler", "cache", "lines", "worker"))
