"""Declarations: what contradicts itself is refused, and what is derived from them compiles."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mlusim.isa import (
    DIALECTS,
    DOCUMENTED,
    INFERRED,
    TYPES,
    Align,
    Archs,
    DeclarationError,
    Overload,
    Require,
    declared_in,
)
from mlusim.isa.check import check, check_dialect
from mlusim.isa.declare import Barrier, Cache, Copy, Wait, alias, declare, family, instruction
from mlusim.isa.dialects import declared as instructions_of
from mlusim.isa.instruction import collect
from mlusim.isa.prototype import Dim, Kind, parse
from mlusim.simulator import Device, launch
from mlusim.simulator.kernelc.bang_c import BangC
from mlusim.simulator.kernelc.header import enumerations, operations
from mlusim.simulator.kernelc.overloads import MARK, by_name, preprocessed_operations, with_operations

BANG = DIALECTS["bang"]
VECTORS = "void f(T dst[n], const T src[n], int32 n)"


def test_a_prototype_is_read() -> None:
    made = parse("void f(void<T> dst[a + 1 @ s][b], const gdram half src[b], uint16 &v, const T &w, float x, int32 b)")
    dst, src, v, w, x, b = made.parameters
    assert (made.name, made.returns, made.memory) == ("f", "void", (dst, src, v, w))
    assert (dst.dims, dst.reads, dst.writes, dst.passed) == ((Dim("a + 1", "s"), Dim("b")), False, True, "void")
    assert (src.dims, src.space, src.reads, src.writes) == ((Dim("b"),), "gdram", True, False)
    assert (v.space, v.register, v.writes, w.reads, w.writes) == ("vreg", True, True, True, False)
    assert v.kind is Kind.REGISTER
    assert not x.is_memory
    assert not b.is_memory


def test_inout_is_read_and_written() -> None:
    operand = parse("void f(inout float acc[n], int32 n)").memory[0]
    assert (operand.reads, operand.writes) == (True, True)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "f(int32 n)",
        "void f",
        "void f(int32)",
        "void f(int32 n",
        "void f(one two space x[n])",
        "void f(const inout float x[n])",
        "void f(dim3 *x)",
        "void f(tensor<T> x)",
        "void f(float a[])",
    ],
)
def test_a_malformed_prototype_is_refused(text: str) -> None:
    with pytest.raises(DeclarationError, match="not a p"):
        parse(text)


_ONE = "void f(T dst[n], const T src[n], int32 n, int32 mode)"
_WIDE = "void f(tensor<T> dst[shape @ st], const tensor<T> src[shape], dim4 *shape, dim4 *st?, data_type dtype)"


@pytest.mark.parametrize(
    ("prototype", "facts", "message"),
    [
        ("void f(T dst[n], int32 n)", {"types": "float quad"}, "unknown type 'T' of 'dst'"),
        ("void f(flout dst[n], int32 n)", {}, "unknown type 'flout'"),
        ("void f(float dst[n], int32 n)", {"doc": ""}, "no doc line"),
        ("flout f(float dst[n], int32 n)", {}, "unknown type 'flout' of the result"),
        ("void f(T dst[n], int32 n, int32 n)", {}, "two parameters are called 'n'"),
        ("void f(float dst[n], int32 n, float from)", {}, "cannot be called 'from'"),
        ("void f(float dst[n], int32 n, float _x)", {}, "cannot be called '_x'"),
        ("void f(float dst[n], int32 n, float max)", {}, "cannot be called 'max'"),
        ("void f(float dst[n], int32 n, float sizeof_dst)", {}, "cannot be called 'sizeof_dst'"),
        ("void f(float dst[n + ], int32 n)", {}, "extent of dst: 'n \\+' is no expression"),
        ("void f(float dst[m], int32 n)", {}, "extent of dst 'm' names m, which the prototype lacks"),
        ("void f(float dst[n.append(1)], int32 n)", {}, "uses Call"),
        ("void f(float dst[n : k], int32 n)", {}, "defined part of dst 'k' names k"),
        ("void f(float dst[n], const float src[n], int32 n)", {"looks_up": "dst"}, "looks_up names 'dst'"),
        ("void f(const float src[n : n], float dst[n], int32 n)", {}, "'src' is not written"),
        ("void f(float dst[n][n] ~ heap, int32 n)", {}, "unknown order 'heap'"),
        ("void f(float dst[n @ n][n] ~ filter, int32 n)", {}, "one of packed rows, and read"),
        ("void f(tensor<float> dst[shape @ n], dim4 *shape, int32 n)", {}, "the stride 'n' of 'dst' is no dim4"),
        (_ONE, {"types": "float", "overlap": "smae"}, "overlap is 'smae'"),
        ("void f(float dst[n][n], const float src[n], int32 n)", {"overlap": "ascending"}, "one of packed operands"),
        (_ONE, {"types": "float", "provenance": "guessed"}, "provenance is 'guessed'"),
        (_ONE, {"types": "float float"}, "a type is listed twice"),
        (_ONE, {"types": {"T": "float", "S": "half"}}, "no parameter has the type 'S'"),
        (_ONE, {"types": "float", "work": "n * sizeof_src2"}, "work .* names sizeof_src2"),
        (_ONE, {"types": "float", "rules": (Require("n > 0 and"),)}, "rule: .* is no expression"),
        (_ONE, {"types": "float", "rules": (Require("count > 0"),)}, "rule 'count > 0' names count"),
        (_ONE, {"types": "float", "rules": (Require("n > 0", when="m"),)}, "rule 'm' names m"),
        (_ONE, {"types": "float", "rules": (Require("n > 0", provenance="hearsay"),)}, "provenance of a rule"),
        (_ONE, {"types": "float", "rules": (Align(48),)}, "no power of two"),
        (_ONE, {"types": "float", "rules": (Align(64, ("mode",)),)}, "Align names \\['mode'\\]"),
        (_ONE, {"types": "float", "let": {"n": "mode"}}, "let cannot define 'n'"),
        (_ONE, {"types": "float", "let": {"a": "b", "b": "n"}}, "let a 'b' names b"),
        (_ONE, {"types": "float", "semantics": None}, "Compute needs semantics"),
        (_ONE, {"types": "float", "effect": Copy()}, "Copy has no semantics of its own"),
        (_ONE, {"types": "float", "semantics": np.add}, "add takes 2 inputs and gives one output; .* 1 and 1"),
        (_ONE, {"types": "float", "effect": Wait(("io",)), "semantics": None}, "Wait has neither operands nor work"),
        ("void f()", {"effect": Barrier("board", ()), "semantics": None}, "unknown barrier 'board'"),
        ("void f()", {"effect": Cache("clean"), "semantics": None}, "unknown cache action 'clean'"),
        ("void f(float a[1])", {"effect": Copy(), "semantics": None}, "Copy has one written and one read operand"),
        ("void f(const float a[1])", {"semantics": lambda a: a}, "nothing is written and nothing is returned"),
        (_WIDE, {"types": "float", "type_arguments": {"S": "dtype"}}, "binds 'S', which no type list mentions"),
        (_WIDE, {"types": "float", "type_arguments": {"T": "kind"}}, "names 'kind', which is no value"),
        (_WIDE, {"types": "int64", "type_arguments": {"T": "dtype"}}, "no value of 'dtype' means 'int64'"),
    ],
)
def test_a_contradiction_is_refused(prototype: str, facts: dict[str, Any], message: str) -> None:
    facts = {"doc": "x", "semantics": lambda: 0, **facts}
    with pytest.raises(DeclarationError, match=message):
        check(declare(prototype, **facts))


def test_a_dialect_has_the_pipes_and_spaces_that_its_instructions_name() -> None:
    elsewhere = declare("void f(nowhere float dst[n], int32 n)", doc="x", semantics=lambda: 0)
    with pytest.raises(DeclarationError, match="f: no space nowhere"):
        check_dialect(replace(BANG, instructions=(elsewhere,)))
    piped = declare("void f(float dst[n], int32 n)", doc="x", semantics=lambda: 0, pipe="water")
    with pytest.raises(DeclarationError, match="f: no pipe water"):
        check_dialect(replace(BANG, instructions=(piped,)))


@pytest.mark.parametrize("name", DIALECTS)
def test_no_declaration_contradicts_itself(name: str) -> None:
    check_dialect(DIALECTS[name])


def test_the_member_of_a_family_that_contradicts_itself_is_refused() -> None:
    members = {"add": (np.add, "Sum"), "neg": (np.negative, "Opposite")}
    made = family("void f_{op}(T dst[n], const T src0[n], const T src1[n], int32 n)", members, types="float")
    check_dialect(replace(BANG, instructions=made[:1]))
    with pytest.raises(DeclarationError, match="f_neg: negative takes 1 inputs"):
        check_dialect(replace(BANG, instructions=made))


def test_a_declaration_that_contradicts_itself_runs_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    made = declare("void f(float dst[n], int32 n)", doc="x", semantics=lambda: 0, work="m")
    dialect = replace(BANG, prefix="", instructions=(made,))
    with pytest.raises(DeclarationError, match="f: work 'm' names m"):
        operations(dialect)
    monkeypatch.setattr("mlusim.simulator.core.execution.state.DIALECTS", {"bang": dialect})
    with pytest.raises(DeclarationError, match="f: work 'm' names m"):
        launch(lambda mlu: mlu.f(mlu.nram("float", 4), 4), device=Device.load("mlu370-x4"))


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (Require("n > 0"), "n is greater than 0"),
        (Require("n >= 0"), "n is not negative"),
        (Require("0 < mode <= n"), "mode is between 1 and n"),
        (Require("0 <= mode < 8"), "mode is between 0 and 7"),
        (Require("n * sizeof_dst % 128 == 0"), "n * sizeof(T) is a multiple of 128"),
        (Require("dst % 64 == 0 and src % 64 == 0"), "dst is a multiple of 64 and src is a multiple of 64"),
        (Require("(n + 1) * mode == n"), "(n + 1) * mode equals n"),
        (Require("abs(mode) >= n", when="n > 1"), "abs(mode) is at least n, where n is above 1"),
        (Require("mode < n or n == 1"), "mode is below n, or n equals 1"),
    ],
)
def test_the_words_of_a_rule_follow_from_its_expression(rule: Require, words: str) -> None:
    made = declare(_ONE, doc="x", types="float", semantics=lambda src: src, rules=(rule,))
    assert made.words(rule) == words


def test_a_body_that_asks_for_what_the_prototype_lacks_is_refused() -> None:
    @instruction(VECTORS, types="float")
    def body(source: np.ndarray, count_n: int) -> np.ndarray:
        """Reads an operand under another name."""
        return source

    with pytest.raises(DeclarationError, match=r"\['count_n', 'source'\], which the prototype lacks"):
        check(body)


def test_a_body_may_ask_for_operands_scalars_and_counts() -> None:
    @instruction(VECTORS, types="float")
    def body(src: np.ndarray, count_dst: int, n: int) -> np.ndarray:
        """The first line is the doc.

        Not the others.
        """
        return src

    check(body)
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
    product = declare(prototype, types={"T": "half float", "I": "int8 int16"}, doc="x", semantics=np.negative)
    assert [tuple(o.binding.values()) for o in product.overloads()] == [
        ("half", "int8"), ("half", "int16"), ("float", "int8"), ("float", "int16"),
    ]  # fmt: skip
    listed = declare(
        prototype, types=({"T": "half", "I": "int8"}, {"T": "float", "I": "int16"}), doc="x", semantics=np.negative
    )
    assert [o.dtypes for o in listed.overloads()] == ["half,int8", "float,int16"]


def test_inferred_types_mark_only_their_overloads() -> None:
    made = declare(VECTORS, types="half", inferred_types="int32", doc="x", semantics=np.negative)
    assert [(o.dtypes, o.provenance) for o in made.overloads()] == [("half", DOCUMENTED), ("int32", INFERRED)]


def test_a_family_and_an_alias_differ_only_in_what_they_state() -> None:
    rule = Align(64, archs=Archs("<300"))
    one, two = family(
        "void {op}(T dst[n], const T src[n], int32 n)",
        {"a": (np.sin, "A"), "b": (np.cos, "B")},
        types="half",
        rules=(rule,),
    )
    assert [(e.name, e.doc, e.semantics) for e in (one, two)] == [("a", "A", np.sin), ("b", "B", np.cos)]
    assert one.rules_for(270) == (rule,)
    assert one.rules_for(372) == ()
    other = alias(one, "c", provenance=INFERRED)
    assert (other.name, other.provenance, other.semantics) == ("c", INFERRED, one.semantics)


def test_collect_keeps_the_order_of_definition() -> None:
    class Module:
        pass

    module: Any = Module()
    first, second = (declare(f"void {n}()", doc="x", effect=Wait(())) for n in "ab")
    module.pair, module.other, module.number = (first, (second,)), second, 3
    assert collect(module) == (first, second, second)


def test_every_instruction_says_what_it_does_and_how_that_is_known() -> None:
    for entry in BANG.instructions:
        assert entry.doc, entry.name
        assert "\n" not in entry.doc, entry.name
        assert entry.provenance in (DOCUMENTED, INFERRED), entry.name
        for rule in entry.rules:
            assert rule.provenance in (DOCUMENTED, INFERRED), entry.name
            assert not isinstance(rule, Require) or entry.words(rule), entry.name


def test_no_two_declarations_have_one_signature() -> None:
    signatures = [(o.name, tuple((o.element(p).name, p.is_memory) for p in o.parameters)) for o in BANG.overloads]
    assert len(signatures) == len(set(signatures))


def test_what_is_modelled_is_not_listed_as_only_known() -> None:
    assert not set(BANG.known) & set(BANG.by_name)


def test_nearest_names() -> None:
    assert BANG.nearest("__bang_addd")[0] == "__bang_add"
    # The meaning counts, not only the letters.
    assert BANG.nearest("__bang_sub_constant")[0].startswith("__bang_sub_")
    assert BANG.nearest("__bang_lt_constant")[0].startswith("__bang_lt_")
    assert BANG.nearest("__bang_short2half")[0].startswith("__bang_int162half")
    assert BANG.nearest("nothing like it at all") == []


def _calls(overload: Overload) -> Iterator[str]:
    """C statements that call an overload, with every spelling of the types that it is overloaded on."""
    select = overload.instruction.select
    for number in range(2):
        arguments = []
        for p in overload.parameters:
            element = overload.element(p)
            passed = TYPES[overload.binding.get(p.passed, p.passed)].spellings[0] if p.passed else ""
            spelling = element.spellings[-number if p.type in overload.binding else 0]
            if select and p.name == select.argument:
                arguments.append(next(iter(select.cases.values())).label)
            elif p.register:
                arguments.append(f"make<vv_{element.name}>()")
            elif p.is_memory:
                arguments.append(f"({passed or spelling} *)0")
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
    (tmp_path / "mlusim_types.h").write_text(enumerations(BANG))
    source = tmp_path / "calls.cpp"
    source.write_text(
        "#include <bang.h>\ntemplate <class T> T &make() { static T value; return value; }\nvoid every() {\n"
        + "\n".join(dict.fromkeys(calls))
        + "\n}\n"
    )
    command = [
        compiler,
        "-std=c++17",
        "-fsyntax-only",
        "-w",
        "-D__BANG__",
        f"-I{BangC.include}",
        f"-I{tmp_path}",
        str(source),
    ]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr[:3000]


def test_a_source_gets_the_functions_that_it_names() -> None:
    """All forms of them, in order, behind the mark, which stays; and nothing for a name in what comes before it."""
    functions = by_name(preprocessed_operations(f"int before;\n{operations(BANG)}int behind;\n"))
    assert {name for name in functions if BANG.named(name)} == {
        o.name for o in BANG.overloads if o.name.startswith(BANG.prefix)
    }
    assert set(functions) >= set(BANG.known)
    source = f'__bang_sub;\n{MARK}\n# 9 "a.mlu"\n__bang_add(); __bang_mul_scalar2(); bang_or __memcpy'
    before, mark, behind = source.partition(f"{MARK}\n")
    wanted = {name: text for name, text in functions.items() if name in ("__bang_add", "__memcpy")}
    assert with_operations(source, functions) == before + mark + "".join(wanted.values()) + behind
    assert wanted["__bang_add"].count(" __bang_add(") > 3
    assert with_operations(source, {}) == source
    assert with_operations("int x;", functions) == "int x;"


def test_a_dialect_that_was_changed_has_no_key_of_files() -> None:
    # Not of `DIALECTS` as they are: in the process of a mutant one was changed, and this test would notice any change.
    keys = {declared_in(replace(DIALECTS[name], instructions=instructions_of(name))) for name in DIALECTS}
    assert len(keys) == len(DIALECTS)
    assert all(keys)
    assert declared_in(replace(BANG, instructions=BANG.instructions[1:])) == ""
