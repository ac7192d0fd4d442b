/* SPDX-License-Identifier: MIT */
/* Arrays of all sizes, stores of bytes and halves at all places, copies, strings, aliasing. */
#include "program.h"
#define memcpy  __builtin_memcpy
#define memmove __builtin_memmove
#define memset  __builtin_memset
#define memcmp  __builtin_memcmp
#define strlen  __builtin_strlen

static volatile unsigned size = 37;
static u8 bytes[128];
static u16 halves[64];
static i8 grid[5][7][3];
static const char text[] = "a text of some length, with a zero at its end";

static u32 sum(const void *memory, unsigned n)
{
    const u8 *p = memory;
    u32 s = 0;
    for (unsigned i = 0; i < n; i++) s = mix(s, p[i]);
    return s;
}
static NOINLINE void put(u8 *b, u16 *h, u32 *w, u64 *l, unsigned i, u32 x)
{
    b[i] = (u8)x, h[i] = (u16)x, w[i] = x, l[i] = x;
    b[i + 1] += 3, h[i + 1] ^= 0x1111, w[i + 1]++, l[i + 1] -= 9;
    b[3] = (u8)(x >> 8), h[3] = (u16)(x >> 8), b[2 * i] = b[i], h[i / 2] = h[i];
}
static NOINLINE unsigned length(const char *s)
{
    return (unsigned)strlen(s);
}
static NOINLINE void reverse(char *s, unsigned n)
{
    for (unsigned i = 0; i < n / 2; i++) {
        char t = s[i];
        s[i] = s[n - 1 - i], s[n - 1 - i] = t;
    }
}
static NOINLINE u32 aliased(u32 *a, u32 *b, u16 *c)
{
    *a = 1, *b = 2;
    u32 s = *a;
    c[0] = 7;
    __asm__ volatile("" ::: "memory");
    return s * 100 + c[0] * 10 + c[1];
}

int main(void)
{
    u32 words[20];
    u64 longs[20];
    memset(words, 0xa5, sizeof words), memset(longs, 0x5a, sizeof longs);
    for (unsigned i = 1; i < 18; i++) put(bytes, halves, words, longs, i, i * 0x01234567);
    out(sum(bytes, sizeof bytes)), out(sum(halves, sizeof halves)), out(sum(words, sizeof words)),
        out(sum(longs, sizeof longs));
    for (unsigned i = 0; i < 5; i++)
        for (unsigned j = 0; j < 7; j++)
            for (unsigned k = 0; k < 3; k++) grid[i][j][k] = (i8)(i * 50 - j * k);
    out(sum(grid, sizeof grid)), out((u32)grid[size % 5][size % 7][size % 3]);
    for (unsigned n = 0; n < size; n += 3)
        for (unsigned to = 0; to < 9; to += 2) {
            memcpy(bytes + to, text + n % 7, n), memmove(bytes + to + 3, bytes + to, n);
            memmove(bytes + to, bytes + to + 1, n), memset(bytes + 60 + to, (int)n, n);
            out(sum(bytes, sizeof bytes)), out((u32)(memcmp(bytes + to, bytes + 60, n) > 0));
        }
    char copy[sizeof text];
    memcpy(copy, text, sizeof text), reverse(copy, length(copy)), out(length(text)), out(sum(copy, sizeof copy));
    words[0] = 0x00050006, out(aliased(words + 1, words + 2, (u16 *)(void *)(words + 3))),
    out(aliased(words, words, (u16 *)(void *)(words + 1)));
    const char *ends[] = { text, text + 7, text + size }, **end = ends;
    for (; end < ends + 3; end++) out((u32)length(*end)), out((u32)(*end - text)), out((u32)(*end)[2]);
    return 0;
}
