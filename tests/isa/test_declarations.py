"""Declarations: what contradicts itself is refused, and what is derived from them compiles."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mlusim.isa import DIALECTS, DOCUMENTED, INFERRED, Align, Archs, DeclarationError, Overload, Require
from mlusim.isa.declare import alias, declare, family, instruction
from mlusim.isa.dialect import collect
from mlusim.isa.prototype import VECTOR_REGISTER_BYTES, Dim, parse
from mlusim.simulator.frontend.compiler import INCLUDE
from mlusim.simulator.frontend.header import operations

BANG = DIALECTS["bang"]
VECTORS = "void f(T dst[n], const T src[n], int32 n)"


def test_a_prototype_is_read() -> None:
    made = parse("void f(void<T> dst[a + 1 @ s][b], const gdram half src[b], uint16 &v, const T &w, float x, int32 b)")
    dst, src, v, w, x, b = made.parameters
    assert (made.name, made.returns, made.memory) == ("f", "void", (dst, src, v, w))
    assert (dst.dims, dst.reads, dst.writes, dst.opaque) == ((Dim("a + 1", "s"), Dim("b")), False, True, True)
    assert (src.dims, src.space, src.reads, src.writes) == ((Dim("b"),), "gdram", True, False)
    assert (v.space, v.register, v.writes, w.reads, w.writes) == ("vreg", True, True, True, False)
    assert v.dims == (Dim(f"({VECTOR_REGISTER_BYTES} // sizeof_v)"),)
    assert not x.is_memory
    assert not b.is_memory


def test_inout_is_read_and_written() -> None:
    operand = parse("void f(inout float acc[n], int32 n)").memory[0]
    assert (operand.reads, operand.writes) == (True, True)


@pytest.mark.parametrize(
    "text",
    ["", "f(int32 n)", "void f", "void f(int32)", "void f(int32 n", "void f(wrong space x[n])", "void f(float a[])"],
)
def test_a_malformed_prototype_is_refused(text: str) -> None:
    with pytest.raises(DeclarationError, match="not a p"):
        parse(text)


@pytest.mark.parametrize(
    ("prototype", "types", "doc", "message"),
    [
        ("void f(T dst[n], int32 n)", "float quad", "x", "unknown type 'T' of 'dst'"),
        ("void f(flout dst[n], int32 n)", "", "x", "unknown type 'flout'"),
        ("void f(float a[1], float b[1], float c[1], float d[1], float e[1])", "", "x", "more than 4 memory operands"),
        ("void f(float dst[n], int32 n)", "", "", "no doc line"),
    ],
)
def test_a_contradiction_is_refused(prototype: str, types: str, doc: str, message: str) -> None:
    with pytest.raises(DeclarationError, match=message):
        declare(prototype, types=types, doc=doc)


def test_a_body_that_asks_for_what_the_prototype_lacks_is_refused() -> None:
    with pytest.raises(DeclarationError, match=r"\['count_n', 'source'\], which the prototype lacks"):

        @instruction(VECTORS, types="float")
        def body(source: np.ndarray, count_n: int) -> np.ndarray:
            """Reads an operand under another name."""
            return source


def test_a_body_may_ask_for_operands_scalars_and_counts() -> None:
    @instruction(VECTORS, types="float")
    def body(src: np.ndarray, count_dst: int, n: int) -> np.ndarray:
        """The first line is the doc.

        Not the others.
        """
        return src

    assert body.doc == "The first line is the doc."


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("", (270, 372, 592), ()),
        (">=322 !=372", (322, 592), (270, 372)),
        ("<300", (220, 270), (300, 592)),
        (">520 <=592", (592,), (520, 613)),
        ("==372", (372,), (270, 592)),
    ],
)
def test_sets_of_architectures(text: str, inside: tuple[int, ...], outside: tuple[int, ...]) -> None:
    archs = Archs(text)
    assert all(arch in archs for arch in inside)
    assert not any(arch in archs for arch in outside)


@pytest.mark.parametrize("text", ["372", ">=", "=372", ">=300 and <500"])
def test_a_malformed_set_of_architectures_is_refused(text: str) -> None:
    with pytest.raises(DeclarationError, match="not a set of architectures"):
        Archs(text)


def test_overloads_are_all_combinations() -> None:
    prototype = "void f(T dst[n], const I src[n], int32 n)"
    product = declare(prototype, types={"T": "half float", "I": "int8 int16"}, doc="x")
    assert [tuple(o.binding.values()) for o in product.overloads()] == [
        ("half", "int8"), ("half", "int16"), ("float", "int8"), ("float", "int16"),
    ]  # fmt: skip
    listed = declare(prototype, types=({"T": "half", "I": "int8"}, {"T": "float", "I": "int16"}), doc="x")
    assert [o.dtypes for o in listed.overloads()] == ["half,int8", "float,int16"]


def test_inferred_types_mark_only_their_overloads() -> None:
    made = declare(VECTORS, types="half", inferred_types="int32", doc="x")
    assert [(o.dtypes, o.provenance) for o in made.overloads()] == [("half", DOCUMENTED), ("int32", INFERRED)]


def test_a_family_and_an_alias_differ_only_in_what_they_state() -> None:
    rule = Align(64, archs=Archs("<300"))
    one, two = family(
        "void {op}(T dst[n], const T src[n], int32 n)",
        {"a": (np.sin, "A"), "b": (np.cos, "B")},
        types="half",
        rules=(rule,),
    )
    assert [(e.name, e.doc, e.ufunc) for e in (one, two)] == [("a", "A", np.sin), ("b", "B", np.cos)]
    assert one.rules_for(270) == (rule,)
    assert one.rules_for(372) == ()
    other = alias(one, "c", provenance=INFERRED)
    assert (other.name, other.provenance, other.ufunc) == ("c", INFERRED, one.ufunc)


def test_collect_keeps_the_order_of_definition() -> None:
    class Module:
        pass

    module: Any = Module()
    first, second = declare("void a()", doc="x"), declare("void b()", doc="x")
    module.pair, module.other, module.number = (first, (second,)), second, 3
    assert collect(module) == (first, second, second)


def test_every_instruction_says_what_it_does_and_how_that_is_known() -> None:
    for entry in BANG.instructions:
        assert entry.doc, entry.name
        assert "\n" not in entry.doc, entry.name
        assert entry.provenance in (DOCUMENTED, INFERRED), entry.name
        for rule in entry.rules:
            assert rule.provenance in (DOCUMENTED, INFERRED), entry.name
            assert not isinstance(rule, Require) or rule.text, entry.name


def test_no_two_declarations_have_one_signature() -> None:
    signatures = [(o.name, tuple((o.element(p).name, p.is_memory) for p in o.parameters)) for o in BANG.overloads]
    assert len(signatures) == len(set(signatures))


def test_what_is_modelled_is_not_listed_as_only_known() -> None:
    assert not set(BANG.known) & set(BANG.by_name)


def test_nearest_names() -> None:
    assert BANG.nearest("__bang_addd")[0] == "__bang_add"
    assert BANG.nearest("nothing like it at all") == []


def _calls(overload: Overload) -> Iterator[str]:
    """C statements that call an overload, with every spelling of the types that it is overloaded on."""
    select = overload.instruction.select
    for number in range(2):
        arguments = []
        for p in overload.parameters:
            element = overload.element(p)
            spelling = element.spellings[-number if p.type in overload.binding else 0]
            if select and p.name == select.argument:
                arguments.append(next(iter(select.cases.values())).label)
            elif p.register:
                arguments.append(f"make<vv_{element.name}>()")
            elif p.is_memory:
                arguments.append(f"({'void' if p.opaque else spelling} *)0")
            else:
                arguments.append(f"({spelling})1")
        yield f"  {overload.name}({', '.join(arguments)});"


def test_the_generated_header_compiles_and_takes_every_spelling(tmp_path: Path) -> None:
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip("no g++ on this machine")
    calls = [line for o in BANG.overloads if o.name.startswith("__") for line in _calls(o)]
    assert "  __bang_band((char *)0, (char *)0, (char *)0, (int32_t)1);" in calls
    assert "  __bang_band((int8_t *)0, (int8_t *)0, (int8_t *)0, (int32_t)1);" in calls
    (tmp_path / "mlusim_ops.h").write_text(operations(BANG))
    source = tmp_path / "calls.cpp"
    source.write_text(
        "#include <bang.h>\ntemplate <class T> T &make() { static T value; return value; }\nvoid every() {\n"
        + "\n".join(dict.fromkeys(calls))
        + "\n}\n"
    )
    command = [compiler, "-std=c++17", "-fsyntax-only", "-w", f"-I{INCLUDE}", f"-I{tmp_path}", str(source)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr[:3000]
