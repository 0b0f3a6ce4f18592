"""The host's part of a `.mlu` source: what becomes of kernels, functions of the device, variables and launches."""

import pytest
from mlusim.simulator.host.programs.source import host_part
from mlusim.simulator.kernelc.rewrite import RewriteError

KERNEL = "__attribute__((noinline, noclone))"


def rewritten(text: str) -> str:
    """The text after the pass, spacing aside; the number of lines must stay."""
    done = host_part(text)[0]
    assert done.count("\n") == text.count("\n")
    return " ".join(done.split())


def body(*names: str, pack: str = "") -> str:
    listed = "".join(f"{{&{name}, sizeof({name})}}, " for name in names)
    count = " + ".join("1" for _ in names) or "0"
    if pack:
        listed, count = f"{listed}{{&{pack}, sizeof({pack})}}..., ", f"{count} + sizeof...({pack})"
    call = f"::mlusim_enter_kernel(mlusim_list, {count});"
    return f'{{ ::mlusim_argument mlusim_list[] = {{{listed}{{}}}}; {call} __asm__ volatile(""); }}'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "__mlu_global__ void K(float *a,\n int n) {\n a[n]++; }",
            f"{KERNEL} void K(float *a, int n) {body('a', 'n')}",
        ),
        ("__mlu_global__ void K();", f"{KERNEL} void K();"),
        ("__mlu_entry__ void K(void) { }", f"{KERNEL} void K(void) {body()}"),
        (
            "__mlu_global__ void K(float *, const int, unsigned, ns::T) { }",
            f"{KERNEL} void K(float * mlusim_unnamed_0, const int mlusim_unnamed_1, unsigned mlusim_unnamed_2, "
            f"ns::T mlusim_unnamed_3) {body(*(f'mlusim_unnamed_{n}' for n in range(4)))}",
        ),
        (
            "template <typename T, typename... A> __mlu_global__ void K(T x, A... rest) { f(x); }",
            f"template <typename T, typename... A> {KERNEL} void K(T x, A... rest) {body('x', pack='rest')}",
        ),
        (
            "__mlu_global__ void K(std::map<int, P> m, int (*f)(int), int a[4], int n = g(1, 2)) { }",
            f"{KERNEL} void K(std::map<int, P> m, int (*f)(int), int a[4], int n = g(1, 2)) {body('m', 'f', 'a', 'n')}",
        ),
        ("int a; __device__ void f(float *x) { if (x) { g(); } } int b;", "int a; int b;"),
        ("template <class T> __device__ __nram__ T *f(T x); int b;", "int b;"),
        ("struct S { int a; public: __device__ S() : a(1) { } int b; };", "struct S { int a; public: int b; };"),
        ("struct S { __device__ bool operator()(int x) const { return x; } };", "struct S { };"),
        ("typedef __device__ void (*F)(int);", "typedef void (*F)(int);"),
        ("__mlu_host__ __device__ int f() { return 1; }", "int f() { return 1; }"),
        ("__nram__ char b[4];", '__attribute__((weak, visibility("hidden"))) char b[4];'),
        ("static __nram__ char b[4]; extern __wram__ int c;", "static char b[4]; extern int c;"),
        ("void f(__nram__ float *p);", "void f( float *p);"),
        (
            "void f() { K << <d, t>> > (A<B<C>> >(a)); }",
            "void f() { ::mlusim::launch( d, t, [&]() { K (A<B<C>> >(a)); }); }",
        ),
        ("void f() { K<<<d, t, q>>>(a, b); }", "void f() { ::mlusim::launch(d, t, q, [&]() { K(a, b); }); }"),
    ],
)
def test_rewriting(text, expected):
    assert rewritten(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("__device__ float f(float x) { return g(x); }", "inline float f(float x) { __builtin_trap(); }"),
        ("static __device__ int f(); int a;", "static int f(); int a;"),
        ("constexpr __device__ int f() { return 1; }", "constexpr int f() { return 1; }"),
        ("__host__ __device__ int f() { return 1; }", "int f() { return 1; }"),
        ("struct S { __device__ int f() { return g(); } };", "struct S { int f() { __builtin_trap(); } };"),
        ("template <> __global__ void k<1>(int *a) { *a = 1; }", f"template <> {KERNEL} void k<1>(int *a) {body('a')}"),
        ("__constant__ const int a = 1;", "const int a = 1;"),
        ("__device__ struct S { int a; };", "struct S { int a; };"),
    ],
)
def test_functions_and_variables_of_a_cuda_device(text, expected):
    done = host_part(text, {"__device__", "__constant__", "__managed__"})[0]
    assert " ".join(done.split()) == expected


def test_variables_of_a_cuda_device_are_registered():
    done = host_part("__device__ float *p, a[2];", {"__device__"})[0]
    assert '::mlusim::Slot{"p", "device", 1, "<source>"}' in done
    assert "(&a)[2]" in done
    assert "(&p) =" in done


def test_kernels_that_are_defined_here():
    kernels = host_part("__mlu_global__ void A(); namespace n { template <int N> __mlu_global__ void B(int x) { } }")[1]
    assert [(kernel.name, kernel.template) for kernel in kernels] == [("n::B", True)]


def test_a_malformed_launch_is_told():
    with pytest.raises(RewriteError, match="2 to 4 arguments"):
        host_part("void f() { K<<<1>>>(); }")
