/* SPDX-License-Identifier: MIT */
/* Arrays of variable length: several at a time, in loops, beside large frames, with alignments. */
#include "program.h"

static u32 sum;

static NOINLINE void add(const void *from, int n, int a, int b, int c, int d, int e)
{
    const u8 *p = from;
    sum = mix(sum, (u32)(a * b - c * d + e));
    for (int i = 0; i < n; i++) sum = mix(sum, p[i]);
}
static NOINLINE void two(int n) /* more values than registers: addresses of both are needed to the end */
{
    int a[n];
    u8 b[n * 3 + 1];
    for (int i = 0; i < n; i++) a[i] = i ^ n;
    for (int i = 0; i < n * 3 + 1; i++) b[i] = (u8)(i + a[i % n]);
    for (int i = 0; i < n; i++) out((u32)a[i]);
    for (int i = 0; i < n * 3 + 1; i++) sum = mix(sum, (u32)(b[i] + a[i % n]));
}
static NOINLINE void list(int n) /* an element for each round of a loop, all alive */
{
    struct node {
        struct node *next;
        int v;
    } *head = 0;
    for (int i = 0; i < n; i++) {
        struct node *made = __builtin_alloca(sizeof *made);
        made->next = head, made->v = i * i, head = made;
    }
    for (; head; head = head->next) sum = mix(sum, (u32)head->v);
}
static NOINLINE void scoped(int n)
{
    for (int i = 1; i < n; i++) {
        int a[i];
        short b[i * 2 + 1];
        for (int j = 0; j < i; j++) a[j] = j * i;
        for (int j = 0; j < i * 2 + 1; j++) b[j] = (short)(a[j % i] + j);
        add(a, i * 4, 1, 2, 3, 4, i), add(b, i * 4 + 2, i, 5, 6, 7, 8);
    }
}
static NOINLINE void beside(int n)
{
    int big[2000];
    u8 v[n], w[n + 3];
    for (int i = 0; i < 2000; i++) big[i] = i;
    for (int i = 0; i < n; i++) v[i] = (u8)(i * 3);
    for (int i = 0; i < n + 3; i++) w[i] = (u8)(big[i * 7] + 1);
    add(big, sizeof big, 1, 2, 3, 4, 5), add(v, n, 1, 2, 3, 4, 5), add(w, n + 3, 1, 2, 3, 4, 5);
}
static NOINLINE u32 recursive(int n)
{
    int a[n + 1];
    for (int i = 0; i <= n; i++) a[i] = i;
    u32 s = n ? recursive(n - 1) : 0;
    for (int i = 0; i <= n; i++) s = mix(s, (u32)a[i]);
    return s;
}
static NOINLINE void fill(void *p, unsigned n, unsigned align)
{
    out((u32)((unsigned long)p % align));
    for (unsigned i = 0; i < n; i++) ((volatile u8 *)p)[i] = (u8)i;
}
static NOINLINE void aligned(int n)
{
    int a[n] __attribute__((aligned(32))), b[8] __attribute__((aligned(128)));
    i64 *c = __builtin_alloca_with_align((u32)n * 8, 64 * 8);
    fill(a, sizeof a, 32), fill(b, sizeof b, 128), fill(c, (u32)n * 8, 64);
    add(a, (int)sizeof a, 1, 2, 3, 4, 5), add(b, sizeof b, 1, 2, 3, 4, 5), add(c, n * 8, 1, 2, 3, 4, 5);
}

int main(void)
{
    for (int n = 1; n < 12; n += 3) {
        two(n), list(n), out(sum), scoped(n), out(sum), beside(n), out(sum), aligned(n), out(sum);
        out(recursive(n));
    }
    return 0;
}
