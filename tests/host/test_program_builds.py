"""How programs with host code are built: by which options, when again, and what is said where they cannot be."""

import re

import pytest
from mlusim.simulator import BuildError
from mlusim.simulator.cli import main
from mlusim.simulator.host.programs.program import build_program, run_program
from mlusim.simulator.kernelc.options import Options

NO_OPTIONS = Options.of([], [], [], None)


def test_sources_that_make_no_program(tmp_path, device):
    empty = tmp_path / "empty.cpp"
    empty.write_text("int f() { return 1; }\n")
    with pytest.raises(ValueError, match=r"empty.cpp has no main\(\); name a kernel to launch with --kernel"):
        build_program([empty], NO_OPTIONS, device)
    broken = tmp_path / "broken.cpp"
    broken.write_text("int main() { return f(); }\n")
    with pytest.raises(BuildError, match=re.escape(f"{broken} does not compile")) as caught:
        build_program([broken], NO_OPTIONS, device)
    assert caught.value.finding.message == "'f' was not declared in this scope"
    assert str(caught.value.finding.location) == f"{broken}:1"
    open_end = tmp_path / "open.cpp"
    open_end.write_text("int f();\nint main() { return f(); }\n")
    with pytest.raises(BuildError, match=r"open.cpp does not link:(?s:.*)undefined reference to `f\(\)'"):
        build_program([open_end], NO_OPTIONS, device)
    with pytest.raises(BuildError, match=r"none\.cpp"):
        build_program([open_end, tmp_path / "none.cpp"], NO_OPTIONS, device)


def test_the_command_line_builds_a_program(tmp_path, capfd):
    (tmp_path / "headers").mkdir()
    (tmp_path / "headers" / "one.h").write_text("#define ONE 1\n")
    (tmp_path / "two.h").write_text("#include <stdio.h>\n#define TWO 20\n")
    source = tmp_path / "main.cpp"
    source.write_text('#include "one.h"\nint main() { printf("%d\\n", ONE + TWO + N); }\n')
    words = ["-I", str(tmp_path / "headers"), "-include", str(tmp_path / "two.h"), "-D", "N=300"]
    assert main(["run", str(source), *words]) == 0
    assert capfd.readouterr().out == "321\n"


def test_host_code_is_compiled_as_projects_do(tmp_path, capfd):
    """Without optimization unless asked, which is what hides that a function does not return its value."""
    source = tmp_path / "main.mlu"
    source.write_text(
        "#include <stdio.h>\n#ifdef __OPTIMIZE__\n#define LEVEL 1\n#else\n#define LEVEL 0\n#endif\n"
        'int show(float* p) { printf("%g\\n", p[0]); }\n'
        'int main() { float v[4] = {1}; if (!LEVEL) show(v); printf("%d\\n", LEVEL); }\n'
    )
    assert main(["run", str(source)]) == 0
    assert capfd.readouterr().out == "1\n0\n"
    assert main(["run", "-O2", str(source)]) == 0
    assert capfd.readouterr().out == "1\n"
    assert main(["run", "-O1", str(source), "--kernel", "k"]) == 2
    assert "-O is of host code; leave it out, or name no kernel" in capfd.readouterr().err


def test_a_death_by_a_signal_is_a_sentence(tmp_path, capfd):
    """Before the first call of the runtime too."""
    source = tmp_path / "main.cpp"
    source.write_text("#include <signal.h>\nint main() { return raise(SIGFPE); }\n")
    assert main(["run", str(source)]) == 128 + 8
    said = (
        "mlusim run: the program was ended by SIGFPE (floating point exception): a whole number was divided by zero\n"
    )
    assert capfd.readouterr().err == said


def test_a_program_is_kept_and_follows_its_sources(tmp_path, device):
    header, source = tmp_path / "code.h", tmp_path / "main.cpp"
    source.write_text('#include "code.h"\nint main() { return CODE; }\n')
    codes = []
    for code in (3, 3, 4):
        header.write_text(f"#define CODE {code}\n")
        codes.append((build_program([source], NO_OPTIONS, device), code))
    (first, _), (second, _), (third, _) = codes
    assert first == second != third
    assert [run_program(path, [], [device])[0] for path, _ in codes] == [3, 3, 4]
