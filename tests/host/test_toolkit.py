"""The toolkit: what cncc makes of a command line, and a program that a build of its own makes and runs."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from mlusim.simulator import BuildError, Device, load
from mlusim.simulator.host.programs.cncc import main, read_command
from mlusim.simulator.host.programs.messages import Place, messages_version
from mlusim.simulator.host.programs.report import ProgramReport
from mlusim.simulator.host.programs.toolkit import write_toolkit

HERE = Path(__file__).parent / "programs"
PROJECT = (
    "-O3 -DNDEBUG -g -Werror -Wall -std=c++17 -fPIC -pthread --neuware-path=/opt/sdk --no-neuware-version-check "
    "-mllvm --fmlu-addrspace-warning -Xbang-cnas -O1 -fbang-instrument-kernels --bang-mlu-arch=mtp_372 "
    "--bang-mlu-arch=mtp_592 --target=x86_64-linux-gnu -I. -I /a -isystem /b -D N=4 -DM -include x.h"
)


def test_options_of_public_build_files():
    command = read_command([*PROJECT.split(), "-c", "k.mlu", "-o", "k.o"])
    assert (command.mode, command.inputs, command.output) == ("-c", ["k.mlu"], "k.o")
    assert command.archs == ["372", "592"]
    assert (command.macros, command.headers) == (["NDEBUG", "N=4", "M"], [Path("x.h")])
    assert command.include == [Path(), Path("/a"), Path("/b")]
    assert command.standard == "c++17"
    assert command.host == ["-O3", "-g", "-Werror", "-Wall", "-fPIC", "-pthread"]


def test_options_of_the_devices_side():
    words = ["device-only", "host-only", "fatbin-only", "wram-align64", "stack-on-ldram", "device-only=1"]
    command = read_command([*(f"--bang-{word}" for word in words), "-Xbang-fatbinary", "-v", "k.mlu"])
    assert (command.inputs, command.host, command.asks, command.module) == (["k.mlu"], [], "", True)


def test_options_of_old_build_files():
    command = read_command(["-S", "-O3", "--bang-mlu-arch=MLU270", "--bang-device-only", "./g.mlu", "-o", "./g.s"])
    assert (command.mode, command.inputs, command.output, command.archs) == ("-S", ["./g.mlu"], "./g.s", ["270"])
    command = read_command(
        ["--bang-arch=compute_30", "-O3", "a.mlu", "b.o", "-L/x", "-L", "y", "-lz", "-Wl,-s", "-o", "a"]
    )
    assert command.archs == ["30"]
    assert (command.mode, command.inputs) == ("", ["a.mlu", "b.o"])
    assert command.host == ["-O3", "-L/x", "-Ly", "-lz", "-Wl,-s"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--frobnicate", "k.mlu"], "cncc has no option --frobnicate"),
        (["--versio"], "cncc has no option --versio (did you mean '--version'?)"),
        (
            ["--bang-mlu-arhc=mtp_372", "k.mlu"],
            "cncc has no option --bang-mlu-arhc=mtp_372 (did you mean '--bang-mlu-arch='?)",
        ),
        (["k.mlu", "-o"], "-o needs a value behind it"),
        (["-c"], "no input files"),
        (["-c", "none.mlu"], "none.mlu: no such file"),
        (
            ["-E", __file__, "-x", "bang"],
            f"{__file__} has two parts, for host and device, and -E makes one; leave it out",
        ),
        (["-c", "a.mlu", "b.mlu", "-o", "c.o"], "-o names one file, and -c makes one of each of 2 inputs"),
    ],
)
def test_wrong_use_of_cncc_is_one_sentence(words, said, capfd):
    assert main(["mlu370-x4", "lib64", *words]) == 1
    assert capfd.readouterr().err == f"cncc: error: {said}\n"
    assert main(["mlu999", "lib64", *words]) == 1
    assert capfd.readouterr().err.startswith("cncc: error: unknown device 'mlu999'")


def test_a_folder_that_is_something_else_stays(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(ValueError, match="is there, and no toolkit; name a new folder"):
        write_toolkit(tmp_path, ["mlu370-x4"])
    with pytest.raises(ValueError, match="no toolkit for programs of the CUDA runtime"):
        write_toolkit(tmp_path / "new", ["cuda-sm80"])
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_toolkit_for_devices_of_another_vendor_takes_the_place(tmp_path):
    """What the first one had and the second has not is gone; a user's file stays."""

    def files(folder: Path) -> set[str]:
        return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}

    write_toolkit(tmp_path / "new", ["bm1684"])
    write_toolkit(tmp_path / "old", ["mlu370-x4"])
    assert {"bin/cncc", "include/cnrt.h", "lib64/libcnbin.so"} < files(tmp_path / "old")
    (tmp_path / "old" / "bin" / "mine").write_text("")
    write_toolkit(tmp_path / "old", ["bm1684"])
    assert files(tmp_path / "old") == files(tmp_path / "new") | {"bin/mine"}


@pytest.mark.slow
def test_a_build_of_its_own(sdk, tmp_path):
    """A makefile that knows NEUWARE_HOME only: kernels by cncc, the host by g++, and a program that runs by itself."""
    for name in ("kernels.mlu", "kernels.h"):
        shutil.copy(HERE / name, tmp_path)
    (tmp_path / "main.cpp").write_text(
        "#include <cnrt.h>\n#include <cn_api.h>\n#include <stdio.h>\nvoid AddScalar(float*, float, int);\n"
        "int main() {\n  float *data, host[1024] = {1}, value = 2;\n  int count = 1024, clusters;\n"
        "  CNRT_CHECK(cnrtMalloc((void**)&data, 4096));\n"
        "  CNRT_CHECK(cnrtMemcpy(data, host, 4096, cnrtMemcpyHostToDev));\n"
        "  void* arguments[] = {&data, &value, &count};\n  cnrtDim3_t dim = {1, 1, 1};\n"
        "  CNRT_CHECK(cnrtInvokeKernel((void*)AddScalar, dim, cnrtFuncTypeBlock, arguments, 0, 0));\n"
        "  CNRT_CHECK(cnrtSyncDevice());\n  CNRT_CHECK(cnrtMemcpy(host, data, 4096, cnrtMemcpyDevToHost));\n"
        "  cnDeviceGetAttribute(&clusters, CN_DEVICE_ATTRIBUTE_MAX_CLUSTER_COUNT, 0);\n"
        '  printf("%g %g %d\\n", host[0], host[1023], clusters);\n  return 4;\n}\n'
    )
    (tmp_path / "Makefile").write_text(
        "program: main.o kernels.o\n\tg++ $^ -o $@ -L$(NEUWARE_HOME)/lib64 -lcnrt -lcndrv\n"
        "%.o: %.mlu\n\t$(NEUWARE_HOME)/bin/cncc -Werror -O3 -DNDEBUG --bang-mlu-arch=mtp_372 -MD -MF k.d -c $< -o $@\n"
        "%.o: %.cpp\n\tg++ -g -I$(NEUWARE_HOME)/include -c $< -o $@\n"
    )
    make = subprocess.run(["make", f"NEUWARE_HOME={sdk}"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert make.returncode == 0, make.stderr
    assert "kernels.h" in (tmp_path / "k.d").read_text()
    library = {**os.environ, "LD_LIBRARY_PATH": str(sdk / "lib64")}
    done = subprocess.run([tmp_path / "program"], env=library, capture_output=True, text=True, check=False)
    clusters = Device.load("mlu370-x4").shape.clusters
    assert (done.returncode, done.stdout) == (4, f"3 2 {clusters}\n")
    lines = done.stderr.splitlines()
    assert lines[0].startswith("warning: leak: an allocation of 4096 bytes")
    assert lines[1] == f"  at {tmp_path}/main.cpp:8"
    assert lines[3].startswith("mlusim: AddScalar: 1 launch, ")
    assert lines[4].endswith("simulated; 1 warning")
    missing = subprocess.run([tmp_path / "program"], env=library | {"MLUSIM_DEVICE": "mlu999"}, capture_output=True,
                             text=True, check=False)  # fmt: skip
    assert missing.returncode == 1
    assert "unknown device 'mlu999'" in missing.stderr
    other = subprocess.run([tmp_path / "program"], env=library | {"MLUSIM_DEVICE": "mlu590"}, capture_output=True,
                           text=True, check=False)  # fmt: skip
    assert other.returncode == 1
    assert "built for a device of bang arch 372" in other.stderr

    older = shutil.copytree(sdk / "lib64", tmp_path / "older")
    content = (sdk / "lib64" / "libcnrt.so").read_bytes()
    agreed = messages_version().to_bytes(8, "little")
    assert agreed in content
    (older / "libcnrt.so").write_bytes(content.replace(agreed, b"\1" * 8))
    done = subprocess.run([tmp_path / "program"], env=library | {"LD_LIBRARY_PATH": str(older)}, capture_output=True,
                          text=True, check=False)  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.startswith("mlusim: libcnrt.so is of another version of mlusim; write the toolkit again, or ")
    (older / "mlusim.conf").write_text("/nowhere/python\nmodule\nmlu370-x4\n")
    done = subprocess.run([tmp_path / "program"], env=library | {"LD_LIBRARY_PATH": str(older)}, capture_output=True,
                          text=True, check=False)  # fmt: skip
    assert (
        "cannot start the device process /nowhere/python: No such file or directory; write the toolkit" in done.stderr
    )


@pytest.mark.slow
def test_kernels_of_one_name_in_two_sources(sdk, tmp_path):
    """The linker keeps the first of two templates of one name, whose image runs; a closed library's images go."""
    (tmp_path / "one.mlu").write_text(
        "#include <mlu.h>\ntemplate <class T> __mlu_global__ void Same(T* to) { *to = NUMBER; }\n"
        'extern "C" float RUN(cnrtQueue_t queue, float* place) {\n  cnrtDim3_t dim = {1, 1, 1};\n'
        "  Same<float><<<dim, cnrtFuncTypeBlock, queue>>>(place);\n  float value = 0;\n  cnrtQueueSync(queue);\n"
        "  cnrtMemcpy(&value, place, 4, cnrtMemcpyDevToHost);\n  return value;\n}\n"
    )
    (tmp_path / "main.cpp").write_text(
        "#include <cnrt.h>\n#include <dlfcn.h>\n#include <stdio.h>\ntypedef float (*Run)(cnrtQueue_t, float*);\n"
        "int main(int count, char** words) {\n  cnrtQueue_t queue;\n  float* place;\n  cnrtQueueCreate(&queue);\n"
        "  cnrtMalloc((void**)&place, 4);\n  for (int i = 1; i < count; i += 2) {\n"
        "    void* library = dlopen(words[i], RTLD_NOW);\n"
        '    printf("%g ", ((Run)dlsym(library, words[i + 1]))(queue, place));\n    dlclose(library);\n'
        '    printf("%d ", !dlopen(words[i], RTLD_NOW | RTLD_NOLOAD));\n  }\n}\n'
    )
    (tmp_path / "Makefile").write_text(
        "LINK = -L$(NEUWARE_HOME)/lib64 -lcnrt -ldl\nall: first_second.so first.so third.so\n"
        "\tg++ -I$(NEUWARE_HOME)/include main.cpp -o program $(LINK)\n"
        "first_second.so: first.o second.o\n%.so:\n\tg++ -shared $^ -o $@ $(LINK)\n"
        "first.so: first.o\nthird.so: third.o\n"
        "third.o: RUN = -DRUN=first -DNUMBER=3\nsecond.o: RUN = -DRUN=second -DNUMBER=2\n"
        "first.o: RUN = -DRUN=first -DNUMBER=1\n"
        "%.o: one.mlu\n\t$(NEUWARE_HOME)/bin/cncc -c -fPIC $(RUN) $< -o $@\n"
    )
    make = subprocess.run(
        ["make", "-j2", f"NEUWARE_HOME={sdk}"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert make.returncode == 0, make.stderr
    library = {**os.environ, "LD_LIBRARY_PATH": str(sdk / "lib64")}
    calls = ["./first_second.so", "first", "./first_second.so", "second", "./first.so", "first", "./third.so", "first"]
    done = subprocess.run(["./program", *calls], cwd=tmp_path, env=library, capture_output=True, text=True, check=False)
    assert done.stdout == "1 1 1 1 1 1 3 1 ", done.stderr


def test_kernel_headers_are_refused_in_a_source_of_the_host(sdk, tmp_path):
    """What includes them behind ``#ifdef __BANG__`` compiles, what includes them outright is told why it cannot."""
    source = tmp_path / "host.cpp"
    for guarded in (True, False):
        source.write_text(
            "#include <cnrt.h>\n" + ("#ifdef __BANG__\n" if guarded else "#if 1\n") + "#include <bang.h>\n#endif\n"
        )
        done = subprocess.run(
            ["g++", f"-I{sdk}/include", "-fsyntax-only", source], capture_output=True, text=True, check=False
        )
        assert [line.rpartition("; ")[2] for line in done.stderr.splitlines() if " error: " in line] == (
            [] if guarded else ['C++ of the host includes cnrt.h"']
        )


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("cmake") is None, reason="this machine has no cmake")
def test_a_build_by_cmake(sdk, tmp_path):
    """Kernels in a library and a program with launches by find_package(BANG); a changed header builds kernels anew."""
    for name in ("kernels.mlu", "kernels.h"):
        shutil.copy(HERE / name, tmp_path)
    (tmp_path / "main.mlu").write_text(
        "#include <cnrt.h>\n#include <stdio.h>\n__mlu_global__ void AddScalar(float*, float, int);\n"
        "int main() {\n  float *data, host[1024] = {1};\n  cnrtMalloc((void**)&data, 4096);\n"
        "  cnrtMemcpy(data, host, 4096, cnrtMemcpyHostToDev);\n  cnrtDim3_t dim = {1, 1, 1};\n"
        "  AddScalar<<<dim, cnrtFuncTypeBlock, 0>>>(data, ADDED, 1024);\n"
        "  cnrtMemcpy(host, data, 4096, cnrtMemcpyDevToHost);\n  cnrtFree(data);\n"
        '  printf("%g %g %d\\n", host[0], host[1023], BUILT);\n}\n'
    )
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.5)\nproject(sample CXX)\n"
        "set(CMAKE_MODULE_PATH $ENV{NEUWARE_HOME}/cmake/modules)\nfind_package(BANG REQUIRED)\n"
        "include_directories($ENV{NEUWARE_HOME}/include)\nlink_directories($ENV{NEUWARE_HOME}/lib64)\n"
        'set(BANG_CNCC_FLAGS "${BANG_CNCC_FLAGS} -O2 -DNDEBUG" "--bang-mlu-arch=mtp_372")\n'
        "set(BANG_CNCC_FLAGS_RELEASE -DBUILT=7)\nbang_include_directories(${CMAKE_SOURCE_DIR})\n"
        "bang_add_library(kernels STATIC kernels.mlu)\n"
        "bang_add_executable(program main.mlu OPTIONS -DADDED=2)\n"
        "target_link_libraries(program kernels cnrt cnbin)\n"
    )
    environment = {**os.environ, "NEUWARE_HOME": str(sdk), "LD_LIBRARY_PATH": str(sdk / "lib64")}

    def run(*words: str) -> str:
        done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run("cmake", "-B", "build", "-DCMAKE_BUILD_TYPE=Release")
    assert run("cmake", "--build", "build").count("Building BANG object") == 2
    assert run("build/program") == "3 2 7\n"
    with open(tmp_path / "kernels.h", "a") as header:
        header.write("// changed\n")
    later = (tmp_path / "build" / "program").stat().st_mtime + 2
    os.utime(tmp_path / "kernels.h", (later, later))
    assert "Building BANG object kernels.mlu.o" in run("cmake", "--build", "build")


@pytest.mark.parametrize("space", ["nram", "wram", "sram"])
def test_memory_at_file_scope_is_held_against_the_budget(tmp_path, capfd, space):
    """As `mlusim build` does, with its words."""
    name = "__mlu_shared__" if space == "sram" else f"__{space}__"
    limit = Device.load("mlu370-x4").shape.spaces[space].budget
    source = tmp_path / "k.mlu"
    text = "#include <bang.h>\n{0} char tile[SIZE];\n__mlu_entry__ void k(float* p) {{ p[0] = tile[0]; }}\n"
    source.write_text(text.format(name) + "int main() {}\n")
    words = ["mlu370-x4", "lib64", "-c", str(source), "-o", str(tmp_path / "k.o")]
    assert main([*words, f"-DSIZE={limit}"]) == 0
    assert main([*words, f"-DSIZE={limit + 64}"]) == 1
    err = capfd.readouterr().err
    assert err.startswith(f"error: budget: {space} variables take {limit + 64} bytes with 'tile', ")
    assert f"\n  at {source}:2\n" in err
    with pytest.raises(BuildError) as caught:
        load([source], device=Device.load("mlu370-x4"), define={"SIZE": limit + 64})
    assert err == f"{caught.value}\n"


def test_places_without_lines_are_findings_of_their_own():
    """Leaks of two places in a program without -g; of one line, one."""
    report = ProgramReport(modules={1: "/nowhere/program"})
    report.leaks([(Place(1, 16), 1), (Place(1, 32), 64), (Place(1, 32), 64)])
    assert [(finding.message, finding.count) for finding in report.findings] == [
        ("an allocation of 1 byte of device memory is never freed (program+0x10, built without -g)", 1),
        ("2 allocations, 128 bytes of device memory are never freed (program+0x20, built without -g)", 1),
    ]
