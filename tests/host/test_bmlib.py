"""bmlib: host programs of Sophgo's chips, built by a makefile that knows two compilers, and their mistakes."""

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from mlusim.simulator import BuildError, Device, HostProgram
from mlusim.simulator.host.programs.cc import main, read_command
from mlusim.simulator.host.programs.toolkit import write_toolkit

HERE = Path(__file__).parent / "programs"
MAKEFILE = """\
program: host.o scale_okk.o
\t$(CXX) -o $@ $^ -Wl,--gc-sections -Wl,-rpath=./lib -L./lib -lbmlib -lm -ldl
%.o: %.c
\t$(CC) -O3 -Wall -Werror -fPIC -ffunction-sections -I./include -DUSING_CMODEL -MMD -c $< -o $@
%.o: %.cpp
\t$(CXX) -O3 -g -Wall -Werror -std=c++11 -I./include -DUSING_CMODEL -MMD -c $< -o $@
"""
BEGIN = """\
#include <stdio.h>
#include "bmlib_runtime.h"
typedef struct { unsigned long long to, from; int count; float factor; } __attribute__((packed)) param_t;
int main() {
  float host[1024], back[1024] = {};
  for (int i = 0; i < 1024; i++) host[i] = i;
  bm_handle_t handle;
  bm_device_mem_t from, to;
  if (bm_dev_request(&handle, 0)) return 1;
  if (bm_malloc_device_byte(handle, &from, sizeof host) || bm_malloc_device_byte(handle, &to, sizeof host)) return 2;
  param_t param = {bm_mem_get_device_addr(to), bm_mem_get_device_addr(from), 1024, 3};
"""
GOOD = """\
  bm_memcpy_s2d(handle, from, host);
  if (okkernel_launch_sync(handle, "scale", &param, sizeof param)) return 3;
  if (bm_memcpy_d2s(handle, back, to)) return 4;
  printf("%g %g\\n", back[1], back[1023]);
  bm_free_device(handle, from);
  bm_free_device(handle, to);
  bm_dev_free(handle);
}
"""
BAD = """\
  printf("%d ", okkernel_launch_sync(handle, "scael", &param, sizeof param));
  printf("%d ", bm_memcpy_d2s_partial(handle, back, to, 8192));
  printf("%d ", bm_dev_request(&handle, 7));
  printf("%d\\n", bm_memcpy_s2d(nullptr, to, host));
  bm_free_device(handle, from);
  bm_free_device(handle, from);
}
"""


@pytest.fixture(scope="module")
def okk(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("toolkit") / "sdk"
    write_toolkit(folder, ["bm1684"])
    return folder


def project(folder: Path, sdk: Path, text: str) -> Path:
    """A project with the vendor's own headers and library in it, which the toolkit's come before; its program."""
    for name in ("include", "lib"):
        (folder / name).mkdir()
    for header in ("bmlib_runtime.h", "okk.h"):
        (folder / "include" / header).write_text("#error the vendor's header\n")
    (folder / "scale_okk.c").write_bytes((HERE / "scale_okk.c").read_bytes())
    (folder / "host.cpp").write_text(BEGIN + text)
    (folder / "Makefile").write_text(MAKEFILE)
    words = ["make", f"CC={sdk}/bin/cc", f"CXX={sdk}/bin/c++"]
    made = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    return folder / "program"


@pytest.mark.slow
def test_a_program_that_a_makefile_builds(okk, tmp_path):
    """Kernels that are linked with the program run on the device; the makefile's options stay as they are."""
    done = subprocess.run([project(tmp_path, okk, GOOD)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "3 3069\n"), done.stderr
    assert done.stderr.startswith("mlusim: scale: 1 launch, ")
    assert done.stderr.endswith("simulated; no findings\n")
    assert "okk.h" in (tmp_path / "scale_okk.d").read_text()


@pytest.mark.slow
def test_mistakes_of_host_code(okk, tmp_path):
    """Status codes are the vendor's, and a finding names each call with its line."""
    done = subprocess.run([project(tmp_path, okk, BAD)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "4 4 4 4\n")
    lines = done.stderr.splitlines()
    said = [line for line in lines if line.startswith(("warning", "error"))]
    assert said == [
        "warning: failed-call: okkernel_launch_sync fails: the program has no kernel scael; there are scale",
        said[1],
        "warning: failed-call: bm_dev_request fails: there is no device 7; there is one",
        "warning: failed-call: bm_memcpy_s2d fails: the handle is none that bm_dev_request has given",
        said[4],
        "warning: leak: an allocation of 4096 bytes of device memory is never freed",
    ]
    assert said[1].endswith("8192 bytes go 4096 bytes past the end of 4096 bytes of device memory")
    assert said[4].startswith("error: double-free: device memory at ")
    places = [int(line.partition("host.cpp:")[2].partition(",")[0]) for line in lines if "host.cpp:" in line]
    first = BEGIN.count("\n") + 1
    assert places == [first, first + 1, first + 2, first + 3, first + 5, 10]


@pytest.mark.slow
@pytest.mark.parametrize("waits", [True, False])
def test_a_copy_does_not_wait_for_a_launch(okk, tmp_path, waits):
    text = GOOD.replace("okkernel_launch_sync", "okkernel_launch_async")
    if waits:
        text = text.replace("  if (bm_memcpy_d2s", "  bm_thread_sync(handle);\n  if (bm_memcpy_d2s")
    done = subprocess.run([project(tmp_path, okk, text)], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    found = [line for line in done.stderr.splitlines() if line.startswith(("warning", "error"))]
    if waits:
        assert (done.stdout, found) == ("3 3069\n", [])
        return
    (order,) = found  # also of memory that is freed then
    shared = "a copy of 4096 bytes from device to host shares memory with the launch of scale"
    assert order.startswith(f"error: queue-order: {shared} ")
    assert f"host.cpp:{BEGIN.count(chr(10)) + 3}" in done.stderr  # the copy, and the launch before it
    assert f"host.cpp:{BEGIN.count(chr(10)) + 2}" in done.stderr
    assert "bm_thread_sync" in done.stderr


def test_words_of_a_command():
    """Sources, and what the preprocessor is told; an option's value is no source."""
    words = [
        "-O3",
        "-I./include",
        "-I",
        "x",
        "-DA",
        "-D",
        "B=2",
        "-include",
        "c.h",
        "-MF",
        "a.c",
        "-o",
        "b.c",
        "-std=gnu11",
        "-c",
        "d.c",
        "e.o",
        "-lbmlib",
        "f.cpp",
    ]
    command = read_command(words)
    assert {words[at]: str(path) for at, path in command.inputs.items()} == {"d.c": "d.c", "f.cpp": "f.cpp"}
    assert (command.include, command.macros, command.headers) == (
        [Path("include"), Path("x")],
        ["A", "B=2"],
        [Path("c.h")],
    )
    assert (command.standard, command.modes) == ("gnu11", {"-c"})
    assert command.preprocessor == ["-I./include", "-I", "x", "-DA", "-D", "B=2", "-include", "c.h", "-std=gnu11"]


def test_what_does_not_compile_says_so(tmp_path, capfd):
    source = tmp_path / "wrong.c"
    source.write_text(
        '#include "okk.h"\nvoid wrong(const void *args) { okk_frobnicate(); }\nOKKERNEL_FUNC_REGISTER(wrong);\n'
    )
    assert main(["cc", "bm1684", "lib64", "-c", str(source), "-o", str(tmp_path / "wrong.o")]) == 1
    assert "okk_frobnicate" in capfd.readouterr().err
    assert main(["cc", "mlu999", "lib64", "-c", str(source)]) == 1
    assert capfd.readouterr().err.startswith("cc: error: unknown device 'mlu999'")
    assert not (tmp_path / "wrong.o").exists()


TPUV7 = """\
#include <stdio.h>
#include "tpuv7_rt.h"
typedef struct { unsigned long long to, from; int count, part; } __attribute__((packed)) param_t;
int main(int count, char **words) {
  float host[64], back[64];
  for (int i = 0; i < 64; i++) host[i] = i;
  void *from, *to;
  tpuRtStream_t stream;
  if (tpuRtInit() || tpuRtSetDevice(0) || tpuRtStreamCreate(&stream)) return 1;
  tpuRtKernelModule_t module = tpuRtKernelLoadModuleFile(words[1], stream);
  if (!module) return 2;
  if (tpuRtMalloc(&from, sizeof host, 0) || tpuRtMalloc(&to, sizeof host, 0)) return 3;
  tpuRtMemcpyS2D(from, host, sizeof host);
  param_t each[8], one = {(unsigned long long)to, (unsigned long long)from, 8, 1};
  for (int i = 0; i < 8; i++) each[i] = one, each[i].part = i;
  printf("%d: ", tpuRtKernelLaunch(module, "scale", each, sizeof each, 1, 8, stream));
  tpuRtMemcpyD2S(back, to, sizeof back);
  for (int i = 0; i < 64; i += 9) printf("%g ", back[i]);
  printf("%d ", tpuRtKernelLaunchAsync(module, "scale", &one, sizeof one, 1, 1, stream));
  printf("%d ", tpuRtStreamSynchronize(stream));
  printf("%d ", tpuRtKernelLoadModule((char *)host, sizeof host, stream) != nullptr);
  printf("%d\\n", tpuRtKernelLaunch(module, "scale", each, sizeof each, 2, 8, stream));
  tpuRtFree(&from, 1), tpuRtFree(&to, 1);
  tpuRtKernelUnloadModule(module, stream), tpuRtStreamDestroy(stream);
}
"""
TOO_MANY = "dim is (16, 1, 1); the tasks of a 'cores' launch run at once, and there are 8 cores"
MODULES = """\
#include <stdio.h>
#include "bmlib_runtime.h"
typedef struct { unsigned long long to, from; int count, part; } __attribute__((packed)) param_t;
int main(int count, char **words) {
  float host[8] = {5}, back[8];
  bm_handle_t handle;
  bm_device_mem_t from, to;
  bm_dev_request(&handle, 0);
  tpu_kernel_module_t module = tpu_kernel_load_module_file(handle, words[1]);
  if (!module) return 2;
  bm_malloc_device_byte(handle, &from, sizeof host), bm_malloc_device_byte(handle, &to, sizeof host);
  bm_memcpy_s2d(handle, from, host);
  param_t param = {bm_mem_get_device_addr(to), bm_mem_get_device_addr(from), 8, 0};
  tpu_kernel_function_t function = tpu_kernel_get_function(handle, module, "scale");
  printf("%d ", tpu_kernel_launch(handle, function, &param, sizeof param));
  printf("%d ", bm_memcpy_d2s(handle, back, to));
  printf("%g %d ", back[0], tpu_kernel_get_function(handle, module, "scael"));
  bm_free_device(handle, from), bm_free_device(handle, to);
  printf("%d ", tpu_kernel_free_module(handle, module));
  printf("%d\\n", tpu_kernel_launch(handle, function, &param, sizeof param));
  bm_dev_free(handle);
}
"""


def modular(
    folder: Path, sdk: Path, text: str, *words: str, kernels: Sequence[Path] = (HERE / "scale_tpu.c",)
) -> subprocess.CompletedProcess:
    """Build a module of the TPU's kernel and a program, by a toolkit's compilers, and run it."""
    (folder / "host.cpp").write_text(text)
    cc = [sdk / "bin" / "cc", "-O2", "-fPIC", "-shared", *kernels, "-o", folder / "libkernel.so"]
    subprocess.run(cc, check=True)
    subprocess.run([sdk / "bin" / "c++", "-g", folder / "host.cpp", "-o", folder / "program"], check=True)
    return started(folder, *words)


def started(folder: Path, *words: str) -> subprocess.CompletedProcess:
    command = [folder / "program", folder / "libkernel.so", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_tpuv7(tmp_path):
    """An array of arguments is one structure for each core, a single one is for all; statuses are the vendor's."""
    write_toolkit(tmp_path / "sdk", ["bm1690"])
    done = modular(tmp_path, tmp_path / "sdk", TPUV7)
    assert (done.returncode, done.stdout) == (0, "0: 0 18 54 108 180 270 378 504 0 0 0 2\n"), done.stderr
    said = [line for line in done.stderr.splitlines() if not line.startswith(" ")]
    assert said[:2] == [
        f"mlusim: tpuRtKernelLaunch: {TOO_MANY}",
        "warning: failed-call: tpuRtKernelLoadModule fails: it is no module that the toolkit's compiler has made",
    ]
    assert said[2] == f"error: argument: {TOO_MANY}"
    assert len(said) == 5


@pytest.mark.slow
def test_modules_of_bmlib(tmp_path):
    write_toolkit(tmp_path / "sdk", ["bm1684x"])
    done = modular(tmp_path, tmp_path / "sdk", MODULES)
    assert (done.returncode, done.stdout) == (0, "0 0 5 -1 0 4\n"), done.stderr
    said = [line for line in done.stderr.splitlines() if line.startswith(("warning", "error"))]
    assert said == [
        "warning: failed-call: tpu_kernel_get_function fails: the module has no kernel scael; there are scale",
        "warning: failed-call: tpu_kernel_launch fails: the function is none of a module that is loaded",
    ]


@pytest.mark.parametrize(
    ("device", "kernel", "text", "printed"),
    [
        ("bm1684", "scale_okk.c", BEGIN + GOOD, "3 3069\n"),
        ("bm1684x", "scale_tpu.c", MODULES, "0 0 5 -1 0 4\n"),
        ("bm1690", "scale_tpu.c", TPUV7, "0: 0 18 54 108 180 270 378 504 0 0 0 2\n"),
    ],
)
@pytest.mark.slow
def test_host_code_and_kernels_in_one_command(tmp_path, device, kernel, text, printed):
    """Kernels are linked with the program, which is the module that it asks for where there is no file."""
    (tmp_path / "host.cpp").write_text(text)
    words = ["run", tmp_path / "host.cpp", HERE / kernel, "--device", device, "--", "no-such-file"]
    given = [sys.executable, "-m", "mlusim.simulator", *words]
    done = subprocess.run(given, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, printed), done.stderr
    assert "mlusim run: scale: " in done.stderr


@pytest.mark.slow
def test_kernels_call_functions_of_other_sources_of_a_command(tmp_path):
    """As where a module is built of several sources, whether for a program or by the toolkit's compiler."""
    call = "tpu_bdc_fp_mul_C(0, 0, factor, &shape, &stride, &stride, DT_FP32)"
    times, scale, host = (tmp_path / name for name in ("times.c", "scale.c", "host.cpp"))
    declared = '#include "tpu_kernel.h"\nvoid times(dim4 shape, dim4 stride, scalar_t factor)'
    times.write_text(f"{declared} {{ {call}; }}\n")
    scale.write_text(f"{declared};\n{(HERE / 'scale_tpu.c').read_text().replace(call, 'times(shape, stride, factor)')}")
    host.write_text(MODULES)
    run = HostProgram([host, scale, times], device=Device.load("bm1684x")).run(["no-such-file"])
    assert (run.exit_code, [finding.rule for finding in run.findings]) == (0, ["failed-call"] * 2)
    write_toolkit(tmp_path / "sdk", ["bm1684x"])
    done = modular(tmp_path, tmp_path / "sdk", MODULES, kernels=[scale, times])
    assert (done.returncode, done.stdout) == (0, "0 0 5 -1 0 4\n"), done.stderr


@pytest.mark.slow
def test_a_function_that_is_not_there_is_named_when_the_program_is_linked(tmp_path):
    source = tmp_path / "host.cpp"
    source.write_text('extern "C" int bm_frobnicate(int);\nint main() { return bm_frobnicate(1); }\n')
    with pytest.raises(BuildError, match=re.escape("undefined reference to `bm_frobnicate'")) as raised:
        HostProgram([source, HERE / "scale_okk.c"], device=Device.load("bm1684"))
    assert str(raised.value).startswith(f"{source} does not link:")


QUEUED = """\
#include <stdlib.h>
#include "tpuv7_rt.h"
typedef struct { unsigned long long to, from; int count, part; } __attribute__((packed)) param_t;
int main(int count, char **words) {
  static float large[65536];
  float *small = (float *)calloc(1024, 4);
  void *from, *to;
  tpuRtStream_t stream;
  if (tpuRtInit() || tpuRtSetDevice(0) || tpuRtStreamCreate(&stream)) return 1;
  tpuRtKernelModule_t module = tpuRtKernelLoadModuleFile(words[1], stream);
  tpuRtMalloc(&from, sizeof large, 0), tpuRtMalloc(&to, sizeof large, 0);
  tpuRtMemcpyS2D(from, large, sizeof large);
  param_t each[8];
  for (int i = 0; i < 8; i++) each[i] = {(unsigned long long)to, (unsigned long long)from, 8, i};
  bool waits = count > 3;
  switch (atoi(words[2])) {
    case 0:
      tpuRtMemcpyD2SAsync(small, from, 4096, stream);
      if (waits) tpuRtStreamSynchronize(stream);
      if (small[0] == 7) return 7;  // 0
      break;
    case 1:
      tpuRtMemcpyS2DAsync(from, large, sizeof large, stream);
      if (waits) tpuRtStreamSynchronize(stream);
      large[9000] = 5;  // 1
      break;
    case 2:
      tpuRtMemcpyS2DAsync(from, small, 4096, stream);
      if (waits) tpuRtStreamSynchronize(stream);
      free(small);  // 2
      break;
    case 3:
      tpuRtKernelLaunchAsync(module, "scale", each, sizeof each, 1, 8, stream);
      if (waits) tpuRtStreamSynchronize(stream);
      small[0] = 5;
      tpuRtMemcpyS2DAsync(from, small, 4096, stream);
      if (waits) tpuRtStreamSynchronize(stream);
      small[900] = 5;
      tpuRtStreamSynchronize(stream);  // 3
      break;
    case 4:
      if (!waits) tpuRtFree(&from, 1);  // 4
      tpuRtKernelLaunchAsync(module, "scale", each, sizeof each, 1, 8, stream);
      tpuRtStreamSynchronize(stream);
      if (!waits) return 0;
      break;
  }
  tpuRtStreamSynchronize(stream);
  tpuRtFree(&from, 1), tpuRtFree(&to, 1);
  tpuRtKernelUnloadModule(module, stream), tpuRtStreamDestroy(stream);
}
"""
SAID = [
    "target of a copy that it has not waited for",
    "the host writes to",
    "the host frees",
    "the source of a queued copy, have changed between the copy and the wait; the first is byte 3602",
    "which has been freed",
]


@pytest.mark.slow
def test_what_a_host_program_does_to_the_arrays_of_queued_work(tmp_path):
    """Each slip is told with its line, or that of the wait; with a wait before, or without the free, nothing is."""
    write_toolkit(tmp_path / "sdk", ["bm1690"])
    modular(tmp_path, tmp_path / "sdk", QUEUED, "9")
    lines = QUEUED.splitlines()
    for number, said in enumerate(SAID):
        done = started(tmp_path, str(number))
        errors = done.stderr[done.stderr.index("error: ") :].splitlines()
        line = next(at for at, text in enumerate(lines, 1) if text.endswith(f"// {number}"))
        assert said in errors[0]
        assert any(re.search(rf"host.cpp:{line}\b", text) for text in errors), done.stderr
        assert "error: " not in started(tmp_path, str(number), "waits").stderr
        assert number == 4 or "tpuRtStreamSynchronize" in done.stderr
