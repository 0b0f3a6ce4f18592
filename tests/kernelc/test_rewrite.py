"""The rewriter: small inputs with their exact outputs, the pitfalls, and one mixed sample that g++ must accept."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from mlusim.simulator.kernelc.declared import Declared, KernelDecl, TemplateParameter
from mlusim.simulator.kernelc.rewrite import RewriteError, rewrite

KNOWN = {"index.vvr.f32": "mlusim_asm_index", "sync": "mlusim_asm_sync", "fuse.nram.s32": "mlusim_asm_fuse"}
SLOT = '__attribute__((section("mlusim_slots"), used))'
HEAD = '# 1 "k.mlu"\n'


def plain(source: str) -> str:
    """The rewritten text of a source that begins on line 1 of k.mlu, without its line marker."""
    text = rewrite(HEAD + source, KNOWN).text
    assert text.startswith(HEAD)
    return text.removeprefix(HEAD)


def in_block(statements: str) -> str:
    text = plain(f"void f() {{ {statements} }}")
    return text.removeprefix("void f() { ").removesuffix(" }")


NAMESPACE = {
    "several declarators": (
        "static __nram__ float a[10], b;",
        'static MLUSIM_SLOT float (&a)[10] = ::mlusim::Slot{"a", "nram", 1, "k.mlu"}, '
        '&b = ::mlusim::Slot{"b", "nram", 1, "k.mlu"};',
    ),
    "qualifier first": (
        "__mlu_shared__ static float a[2][3];",
        'static MLUSIM_SLOT float (&a)[2][3] = ::mlusim::Slot{"a", "sram", 1, "k.mlu"};',
    ),
    "qualifier after the type": (
        "unsigned char __wram__ w[8];",
        'MLUSIM_SLOT unsigned char (&w)[8] = ::mlusim::Slot{"w", "wram", 1, "k.mlu"};',
    ),
    "size with > and calls": (
        "__nram__ ns::V<3, (4 > 2)> a[N > 3 ? f<T, 1>(2) : g(1, 2)];",
        'MLUSIM_SLOT ns::V<3, (4 > 2)> (&a)[N > 3 ? f<T, 1>(2) : g(1, 2)] = ::mlusim::Slot{"a", "nram", 1, "k.mlu"};',
    ),
    "initialiser with braces and strings": (
        "static __nram__ S a[] = {{1, \"},;\"}, {2, '}'}};",
        "static S mlusim_init_0[] = {{1, \"},;\"}, {2, '}'}}; static MLUSIM_SLOT decltype(mlusim_init_0) &a = "
        '::mlusim::Slot{"a", "nram", 1, "k.mlu", &mlusim_init_0};',
    ),
    "constant keeps internal linkage": (
        "const __nram__ int a[2]{1, 2}, b = f<1, 2>(3);",
        "static const int mlusim_init_0[2]{1, 2}; static MLUSIM_SLOT decltype(mlusim_init_0) &a = "
        '::mlusim::Slot{"a", "nram", 1, "k.mlu", &mlusim_init_0}; '
        "static const int mlusim_init_1 = f<1, 2>(3); static MLUSIM_SLOT decltype(mlusim_init_1) &b = "
        '::mlusim::Slot{"b", "nram", 1, "k.mlu", &mlusim_init_1};',
    ),
    "extern": ("extern __nram__ char buf[N], c;", "extern char (&buf)[N], &c;"),
    "extern of unknown size": ("extern __wram__ char buf[];", "extern char (&buf)[];"),
    "extern with initialiser": (
        "extern __nram__ int a = 1;",
        "static int mlusim_init_0 = 1; MLUSIM_SLOT decltype(mlusim_init_0) &a = "
        '::mlusim::Slot{"a", "nram", 1, "k.mlu", &mlusim_init_0};',
    ),
    "pointer beside an array": (
        "__nram__ float *p = nullptr, a[3];",
        'float *p = nullptr; MLUSIM_SLOT float (&a)[3] = ::mlusim::Slot{"a", "nram", 1, "k.mlu"};',
    ),
    "variable template": (
        "template <typename T> __nram__ T a[4];",
        'template <typename T> MLUSIM_SLOT T (&a)[4] = ::mlusim::Slot{"a", "nram", 1, "k.mlu"};',
    ),
}


@pytest.mark.parametrize(("source", "expected"), NAMESPACE.values(), ids=NAMESPACE)
def test_variable_at_namespace_scope_becomes_a_slot(source: str, expected: str) -> None:
    assert plain(source) == expected.replace("MLUSIM_SLOT", SLOT)


BLOCK = {
    "no initialiser": (
        "static __nram__ float a[10];",
        '::mlusim::Local mlusim_local_0{"a", "nram", 1, "k.mlu"}; float (&a)[10] = mlusim_local_0;',
    ),
    "initialiser": (
        "__ldram__ const float a[] = {1, 2};",
        'const float mlusim_init_0[] = {1, 2}; ::mlusim::Local mlusim_local_0{"a", "ldram", 1, "k.mlu"}; '
        "decltype(mlusim_init_0) &a = mlusim_local_0.init(mlusim_init_0);",
    ),
    "several declarators": (
        "__nram__ T a[N],b = x < y, *p = (__nram__ T *)a;",
        '::mlusim::Local mlusim_local_0{"a", "nram", 1, "k.mlu"}; T (&a)[N] = mlusim_local_0; '
        'T mlusim_init_1 = x < y; ::mlusim::Local mlusim_local_1{"b", "nram", 1, "k.mlu"}; '
        "decltype(mlusim_init_1) &b = mlusim_local_1.init(mlusim_init_1); T *p = (T *)a;",
    ),
    "lambda and nested blocks": (
        "auto g = [&](__nram__ float *q) { if (q) { __nram__ float a; } };",
        'auto g = [&](float *q) { if (q) { ::mlusim::Local mlusim_local_0{"a", "nram", 1, "k.mlu"}; '
        "float &a = mlusim_local_0; } };",
    ),
    "after a label": (
        "case 1: __nram__ char a[2];",
        'case 1: ::mlusim::Local mlusim_local_0{"a", "nram", 1, "k.mlu"}; char (&a)[2] = mlusim_local_0;',
    ),
    "initialised by a lambda": (
        "__nram__ int a = [] { return 1; }(); done();",
        'int mlusim_init_0 = [] { return 1; }(); ::mlusim::Local mlusim_local_0{"a", "nram", 1, "k.mlu"}; '
        "decltype(mlusim_init_0) &a = mlusim_local_0.init(mlusim_init_0); done();",
    ),
    "extern": ("extern __nram__ char a[4];", "extern char (&a)[4];"),
}


@pytest.mark.parametrize(("source", "expected"), BLOCK.values(), ids=BLOCK)
def test_variable_in_a_function_becomes_a_local(source: str, expected: str) -> None:
    assert in_block(source) == expected


@pytest.mark.parametrize(
    "function",
    ["template <class T> struct S : B<(1 > 2)> { void m() const { %s } };", "namespace a::b { S::S() : x{1} { %s } }"],
)
def test_member_function_is_a_function(function: str) -> None:
    assert "::mlusim::Local mlusim_local_0" in plain(function % "__nram__ float a[3];")


@pytest.mark.parametrize(
    "source",
    [
        "void f(__nram__ float *p, const __nram__ T a[]);",
        "typedef __nram__ float T;",
        "using P = __nram__ float *;",
        "struct S { __nram__ float *p; int n; } s;",
        "__nram__ float *p;",
        "__nram__ float (*p)[4];",
        "__nram__ float *f(int n) { return 0; }",
        "Vec<__nram__ float> v;",
        "auto p = reinterpret_cast<__nram__ float *>(q);",
        "float * __nram__ p;",
    ],
)
def test_qualifier_that_declares_no_variable_is_only_removed(source: str) -> None:
    assert plain(source) == source.replace("__nram__ ", "")


def test_strings_and_comments_and_longer_words_stay() -> None:
    source = (
        'auto s = "k<<<1>>>() __nram__ \\" {"; auto r = R"x(" { asm("sync;") )x"; // __nram__ {\nint my__nram__ = 1\'0;'
    )
    assert plain(source) == source


LAUNCHES = {
    "simple": ("K<<<d, t, q>>>(a, b);", "::mlusim::launch(d, t, q, [&]() { K(a, b); });"),
    "inside a call": (
        "CHECK((ns::K<A<B<int>>, (x > y)><<<d(1, 2), t>>>(a)));",
        "CHECK((::mlusim::launch(d(1, 2), t, [&]() { ns::K<A<B<int>>, (x > y)>(a); })));",
    ),
    "over several lines": (
        "::n::K<float,\n int>\n<<<d,\n max<int, 2>(u, v), q, 0>>>\n(a,\nb);",
        "::mlusim::launch(\n\nd,\n max<int, 2>(u, v), q, 0, [&]() { ::n::K<float, int>\n(a,\nb); });",
    ),
    "arguments with a qualifier": (
        "K<__nram__ T><<<d, t, q>>>((__nram__ T *)p);",
        "::mlusim::launch(d, t, q, [&]() { K<T>((T *)p); });",
    ),
}


@pytest.mark.parametrize(("source", "expected"), LAUNCHES.values(), ids=LAUNCHES)
def test_launch_becomes_a_call(source: str, expected: str) -> None:
    assert in_block(source) == expected


ASM = {
    "named operands": (
        'asm volatile("index.vvr.f32 %[dst], %[base], 1;\\n\\t" : [dst] "+r"(r_out) : [base] "r"(start));',
        "mlusim_asm_index(r_out, start, 1);",
    ),
    "not to be moved": (
        'asm volatile(".volatile{sync; ld.new [%0], 3;}\\n\\t" :: "r"(p));',
        'mlusim_asm_sync(), ::mlusim::not_modelled("asm: ld.new", (p));',
    ),
    "no operands": ('__asm__ __volatile__("sync;");', "mlusim_asm_sync();"),
    "methods, brackets, joined strings": (
        '__asm("fuse.nram.s32 [%[d]], %1, [%2],"\n".and(%[c]), .mul([%2]);" :: [d] "r"((int *)d), "r"(n), "r"(f(s, 1)),'
        ' [c] "r"(0x7f) : "memory");',
        'mlusim_asm_fuse((int *)d, n, f(s, 1), "and", 0x7f, "mul", f(s, 1))\n;',
    ),
    "two instructions in an if": (
        'if (x) asm("sync; sync"); else y();',
        "if (x) mlusim_asm_sync(), mlusim_asm_sync(); else y();",
    ),
    "unknown instruction": (
        'asm("fuse.nram.u32 [%0], %1;" : "+r"((__nram__ T *)p) : "r"(n + 1));',
        '::mlusim::not_modelled("asm: fuse.nram.u32", ((T *)p), (n + 1));',
    ),
    "unknown form of operand": (
        'asm("index.vvr.f32 [%0 + 4]" :: "r"(p));',
        '::mlusim::not_modelled("asm: index.vvr.f32", (p));',
    ),
    "compiler barrier": ('asm volatile("" ::: "memory");', 'asm volatile("" ::: "memory");'),
    "asm label": ('extern int g() __asm__("h");', 'extern int g() __asm__("h");'),
}


@pytest.mark.parametrize(("source", "expected"), ASM.values(), ids=ASM)
def test_asm_statement_becomes_calls(source: str, expected: str) -> None:
    assert in_block(source) == expected


def test_asm_at_file_scope_stays() -> None:
    assert plain('asm(".globl x"); int f() asm("g");') == 'asm(".globl x"); int f() asm("g");'


def test_system_header_passes_through_and_the_user_file_goes_on() -> None:
    system = (
        '# 1 "/usr/include/s.h" 1 3\nnamespace x {\n__nram__ int a; inline void f() { asm("sync;"); } int g\n'
        # A user's macro expanded in a system header: a marker without flag 3 that still belongs to the header.
        '# 3 "/usr/include/s.h"\n (\n# 3 "/usr/include/s.h" 3\n int ); __nram__ int b; }\n# 2 "k.mlu" 2\n'
    )
    result = rewrite(HEAD + system + "__mlu_global__ void K() {}\n", KNOWN)
    assert result.text == HEAD + system + "void K() {}\n"
    assert result.kernels == (KernelDecl("K", False, "k.mlu", 2),)


def test_system_macro_inside_user_code_keeps_its_markers() -> None:
    """g++ marks the expansion of INFINITY or assert with flag 3 in the middle of a user's statement."""
    value = '\n# 1 "k.mlu" 3\n(__builtin_inff ())\n# 1 "k.mlu"\n'
    assert plain(f'void f() {{ __nram__ float a[1] = {{{value}}}, b; asm("x" :: "r"({value})); }}') == (
        f"void f() {{ float mlusim_init_0[1] = {{{value}}}; "
        '::mlusim::Local mlusim_local_0{"a", "nram", 1, "k.mlu"}; '
        "decltype(mlusim_init_0) &a = mlusim_local_0.init(mlusim_init_0); "
        '::mlusim::Local mlusim_local_1{"b", "nram", 1, "k.mlu"}; float &b = mlusim_local_1; '
        '::mlusim::not_modelled("asm: x", ((__builtin_inff ())))\n# 1 "k.mlu" 3\n\n# 1 "k.mlu"\n; }'
    )


def test_kernels_are_found_once_with_their_definition() -> None:
    source = """\
__mlu_global__ void A(int n);
namespace n { namespace {
template <typename T, int N = (3 > 2)>
__mlu_entry__ void B(T *p);
template <> __mlu_global__ void B<float>(float *p) {}
template __mlu_global__ void B<int>(int *p);
} }
extern "C" {
__mlu_global__ __attribute__((used)) void
A(int n) {}
}
"""
    result = rewrite(HEAD + source, {})
    assert result.kernels == (
        KernelDecl("A", False, "k.mlu", 10, (Declared("int n", "int", "n"),), c_linkage=True),
        KernelDecl(
            "n::B", True, "k.mlu", 4, (Declared("T *p", "T *", "p"),),
            (TemplateParameter("type", "T"), TemplateParameter("int", "N", default="(3 > 2)")),
        ),
    )  # fmt: skip
    assert [str(kernel) for kernel in result.kernels] == ["A(int n)", "n::B<typename T, int N = (3 > 2)>(T *p)"]
    assert result.text == HEAD + source.replace("__mlu_global__ ", "").replace("__mlu_entry__ ", "")


@pytest.mark.parametrize(
    ("source", "line", "message"),
    [
        ("void f() {\n K<<<1>>>(); }", 2, "2 to 4 arguments"),
        ("void f() {\n <<<1, 2>>>(); }", 2, "name of a kernel"),
        ("void f() {\n K<<<1, 2, 3>>>; }", 2, "no '>>>\\('"),
        ("\n\n__nram__ float a[];", 3, "'a' needs an array size or an initialiser"),
        ("\n__nram__ __wram__ float a[2];", 2, "one memory space"),
        ("\n__nram__ float a[2] float b;", 2, "expected ',' or ';'"),
        ('void f() {\n asm("sync %[x];"); }', 2, r"operand %\[x\]"),
        ("void f() {\n asm(text); }", 2, "string literals"),
        ("\n__mlu_global__ int x;", 2, "followed by a function"),
    ],
)
def test_malformed_input_names_file_line_and_what_is_expected(source: str, line: int, message: str) -> None:
    with pytest.raises(RewriteError, match=message) as caught:
        rewrite(HEAD + source, KNOWN)
    assert (caught.value.file, caught.value.line) == ("k.mlu", line)
    assert str(caught.value).startswith(f"k.mlu:{line}: ")


STUB = """\
#include <cstddef>
namespace mlusim {
struct Slot {
  const char *name, *space; int line; const char *file; const void *init = nullptr;
  template <class T> operator T &() const;
};
struct Local {
  const char *name, *space; int line; const char *file;
  template <class T> operator T &() const;
  template <class T> T &init(T &value);
};
template <class... A> void launch(A &&...) {}
template <class... A> void not_modelled(const char *, A &&...) {}
}
void mlusim_asm_index(float &, int, int);
void mlusim_asm_sync();
"""

SAMPLE = """\
extern __nram__ char pool[64];
__nram__ char pool[64];
static const __nram__ int table[4] = {1, 2}, other[] = {3};
alignas(64) __wram__ static float weights[2][3], bias;
namespace ns {
template <typename T, int N>
__mlu_global__ void K(T *out, int n) {
  static __nram__ T a[N > 3 ? N : 3], b[2] = {T(1), T(2)};
  const __nram__ int c[] = {1,
    2}, d = 3;
  static_assert(sizeof(a) == sizeof(T) * (N > 3 ? N : 3) && sizeof(c) == 8, "sizes stay");
  auto g = [&](__nram__ T *p) { __nram__ T e; e = *p; return e; };
  float v = 0;
  if (n) asm volatile("index.vvr.f32 %[d], %1, 1;\\n\\tsync;"
      : [d] "+r"(v)
      : "r"(n));
  asm("fuse.nram.u32 [%0];" :: "r"(a));
  out[0] = g(a) + b[d] + c[0] + T(table[1]) + T(weights[1][2]) + T(bias) + T(pool[0]) + T(other[0]) + T(__LINE__);
}
}
template __mlu_global__ void ns::K<float, 8>(float *, int);
void host(float *p, void *queue) {
  (ns::K<float, (8 > 3 ? 8 : 3)>
      <<<1, 2,
         queue>>>(p,
                  4));
}
"""


def test_mixed_sample_compiles_and_keeps_its_lines() -> None:
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip("needs g++")
    result = rewrite(STUB + '# 1 "k.mlu"\n' + SAMPLE, KNOWN)
    assert result.text.count("\n") == (STUB + SAMPLE).count("\n") + 1
    (kernel,) = result.kernels
    assert (kernel.name, kernel.template, kernel.file, kernel.line) == ("ns::K", True, "k.mlu", 7)
    command = [compiler, "-std=c++17", "-fsyntax-only", "-Wall", "-x", "c++", "-"]
    done = subprocess.run(command, input=result.text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    # A mistake in the last line of the sample is reported there.
    broken = subprocess.run(command, input=result.text + "int x = y;\n", capture_output=True, text=True, check=False)
    assert f"k.mlu:{SAMPLE.count(chr(10)) + 1}:" in broken.stderr
