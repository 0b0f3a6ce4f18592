"""Sources of kernels on four cores: structures returned, library calls, algorithms, templates, atomics, barriers.

A kernel is a list of phases with a barrier after each. In a phase a task changes its own slice of the array, of the
memory of the cluster and its own structure; of the others it reads what they left in the cluster's memory one phase
before. Sums that all add to are atomic. What a phase does is so the same in any order of the tasks.
"""

from __future__ import annotations

import random

TASKS, SLICE, SUMS = 4, 32, 8

PROLOGUE = f"""
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#define SLICE {SLICE}
struct Big {{ uint32_t a[12]; float f[3]; }};
struct Pair {{ int64_t a; uint32_t b; }};
struct Own {{ uint32_t a[SLICE]; char text[SLICE]; Big big, other; Pair pair; float f[8]; }};
struct Shared {{ uint32_t a[2][{TASKS}][SLICE]; }};
__attribute__((noinline)) static Big big(uint32_t seed) {{
  Big made;
  for (int i = 0; i < 12; i++) made.a[i] = seed * (i + 3) + (seed >> 5);
  for (int i = 0; i < 3; i++) made.f[i] = (float)((int)(seed % 97) - i) * 0.5f;
  return made;
}}
__attribute__((noinline)) static Pair pair(uint32_t a, uint32_t b) {{ return {{(int64_t)a * 3 - b, a ^ b}}; }}
__attribute__((noinline)) static uint32_t total(Big b) {{
  return std::accumulate(b.a, b.a + 12, 7u) + (uint32_t)(int)(b.f[1] * 2);
}}
template <class T, int N>
struct Window {{
  T *first;
  T &operator[](int i) {{ return first[(unsigned)i % N]; }}
  T sum() {{ return std::accumulate(first, first + N, T()); }}
}};
template <int N, class F>
static void each(uint32_t *p, F f) {{
  for (int i = 0; i < N; i++) p[i] = f(p[i], i);
}}
"""
KERNEL = """
__nram__ Own own_{n};
__mlu_shared__ Shared shared_{n};
__mlu_entry__ void k{n}(uint32_t *x, uint32_t *sums) {{
{calls}
}}
"""
HOST = """
extern "C" void k{n}(uint32_t *x, uint32_t *sums) {{
  static Own own[{tasks}];
  static Shared shared;
{calls}
}}
"""
CAS = """for (uint32_t seen = __atomic_load_n(&sums[{s}], 0), next; next = seen + {v},
         !__atomic_compare_exchange_n(&sums[{s}], &seen, next, false, 5, 5);) {{}}"""


def source(rng: random.Random, kernels: int, host: bool) -> str:
    """The text of so many kernels, or of what does the same on the host."""
    parts = [PROLOGUE]
    for n in range(kernels):
        phases = rng.randrange(2, 5)
        for number in range(phases):
            parts.append(_phase(rng, n, number))
        if host:
            calls = "\n".join(
                f"  for (int t = 0; t < {TASKS}; t++) phase_{n}_{p}(t, x + t * SLICE, sums, own[t], shared);"
                for p in range(phases)
            )
            parts.append(HOST.format(n=n, calls=calls, tasks=TASKS))
        else:
            calls = "\n".join(
                f"  if (coreId != 0x80) phase_{n}_{p}(taskId, x + taskId * SLICE, sums, own_{n}, shared_{n});"
                "\n  __sync_cluster();"
                for p in range(phases)
            )
            parts.append(KERNEL.format(n=n, calls=calls))
    return "\n".join(parts)


def _phase(rng: random.Random, kernel: int, number: int) -> str:
    lines = [_statement(rng, number) for _ in range(rng.randrange(4, 14))]
    if number == 0:  # all of it has a value before it is read
        lines = [
            "for (int i = 0; i < SLICE; i++) own.a[i] = x[i] + t;", "own.big = big(t + 1); own.other = own.big;",
            "std::fill(own.text, own.text + SLICE, 'a'); own.text[SLICE - 1] = 0;", "own.pair = pair(x[0], t);",
            "for (int i = 0; i < 8; i++) own.f[i] = (float)(x[i] % 100);", *lines,
        ]  # fmt: skip
    lines.append(f"for (int i = 0; i < SLICE; i++) shared.a[{number % 2}][t][i] = own.a[i] + x[i];")
    body = "\n".join(f"  {{ {line} }}" for line in lines)
    head = f"static void phase_{kernel}_{number}(int t, uint32_t *x, uint32_t *sums, Own &own, Shared &shared)"
    return f"{head} {{\n  (void)sums;\n{body}\n}}"


def _statement(rng: random.Random, phase: int) -> str:
    i, j = rng.randrange(SLICE), rng.randrange(SLICE)
    low = rng.randrange(SLICE - 8)
    high = low + rng.randrange(1, SLICE - low)
    c, s, k = rng.randrange(1, 1 << 16), rng.randrange(SUMS), rng.randrange(12)
    value = rng.choice(
        (f"x[{i}]", f"own.a[{j}]", f"own.big.a[{k}]", f"{c}u", "(uint32_t)own.pair.a", "total(own.other)")
    )
    index = rng.choice((f"{value} % SLICE", f"({value} + {i}) % SLICE", str(i)))
    choices = [
        f"x[{index}] = {value} * 5 + t;", f"own.a[{index}] ^= {value};", f"own.big = big({value});",
        f"own.other = own.big; own.other.a[{k}] = {value};", "std::swap(own.big, own.other);",
        f"own.pair = pair({value}, own.pair.b);", f"x[{i}] = own.pair.b + (uint32_t)own.pair.a;",
        f"*(Big *)(x + {rng.randrange(SLICE - 15)}) = big({value}); for (int q = 0; q < SLICE; q++) x[q] &= 0xffffff;",
        f"std::sort(x + {low}, x + {high});", f"std::reverse(own.a + {low}, own.a + {high});",
        f"std::copy(x + {low}, x + {high}, own.a + {low});", f"std::fill(x + {low}, x + {high}, {value});",
        f"std::rotate(x + {low}, x + {(low + high) // 2}, x + {high});",
        f"std::fill(own.text, own.text + {min(high, SLICE - 1)}, (char)('b' + {c % 20}));",
        f"std::transform(x + {low}, x + {high}, own.a + {low}, [&](uint32_t v) {{ return v * 3 + {value}; }});",
        f"x[{i}] = *std::max_element(own.a + {low}, own.a + {high});",
        f"__builtin_memset(own.text + {low}, 'c', {min(high, SLICE - 1) - low});",
        f"memcpy(own.a + {low}, x + {low}, {4 * (high - low)});", f"memmove(x + 1, x, {4 * (high - 1)});",
        f"__builtin_memcpy(x, own.a, {4 * rng.randrange(1, SLICE)});",
        f"x[{i}] = (uint32_t)strlen(own.text) + (uint32_t)(memcmp(own.a, x, 16) > 0);",
        f"snprintf(own.text, SLICE, \"%u-%d\", {value}, t); x[{i}] = (uint32_t)strtol(own.text, nullptr, 10);",
        f"char *end; x[{i}] = (uint32_t)strtoul(\"{c}x\", &end, 10) + *end;",
        f"int e; own.f[{i % 8}] = frexpf(own.f[{j % 8}], &e); x[{j}] += e;",
        f"own.f[{j % 8}] = modff(own.f[{i % 8}] * 1.5f, &own.f[{(i + 3) % 8}]);",
        f"float sums_of[4] = {{}}; for (int q = 0; q < 20; q++) sums_of[(own.a[q] + q) % 4] += own.f[q % 8] * 0.5f;"
        f" x[{i}] += (uint32_t)(int)std::min(std::max(sums_of[{c % 4}], -1e6f), 1e6f);",
        f"uint32_t counts[7] = {{}}; for (int q = 0; q < SLICE; q++) counts[x[q] % 7] += own.a[q];"
        f" x[{j}] = counts[{value} % 7];",
        f"Window<uint32_t, {high - low}> w{{x + {low}}}; w[(int)({value} % 1000)] = {c}; own.a[{i}] = w.sum();",
        f"each<{high - low}>(own.a + {low}, [&](uint32_t v, int q) {{ return v ^ (x[q] + {c}); }});",
        f"std::array<Big, 2> both = {{big({value}), own.other}}; own.big = both[x[{i}] % 2]; x[{j}] = total(both[1]);",
        f"__sync_fetch_and_add(&sums[{s}], {value});", f"__atomic_fetch_add(&sums[{s}], {c}u, __ATOMIC_RELAXED);",
        f"__sync_synchronize(); __sync_fetch_and_sub(&sums[{s}], {c}u);", CAS.format(s=s, v=value),
    ]  # fmt: skip
    if phase:
        choices += [f"own.a[{i}] += shared.a[{(phase + 1) % 2}][(t + {1 + c % 3}) % {TASKS}][{j}];"] * 4
    return rng.choice(choices)
