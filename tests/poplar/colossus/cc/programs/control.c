/* SPDX-License-Identifier: MIT */
/* Loops of all kinds, switches that are dense, sparse, with ranges and fallthrough, jumps, conditions in series. */
#include "program.h"

static volatile int limit = 20;

static NOINLINE int dense(int x)
{
    switch (x) {
    case 0: return 11;
    case 1: return 7;
    case 2: x += 100; /* fallthrough */
    case 3: return x * 2;
    case 4:
    case 5: return 42;
    case 6: return -x;
    case 7: return 1 << x;
    case 8: return x ^ 0x55;
    case 9: return 1000003;
    default: return -1;
    }
}
static NOINLINE int sparse(u32 x)
{
    switch (x) {
    case 1: return 1;
    case 100: return 2;
    case 1000: return 3;
    case 65536: return 4;
    case 0x80000000: return 5;
    case 0xffffffff: return 6;
    }
    return 0;
}
static NOINLINE int wide(i64 x)
{
    switch (x) {
    case 0x100000000: return 1;
    case -1: return 2;
    case 5 ... 9: return 3;
    }
    return 4;
}
static NOINLINE u32 loops(int n)
{
    u32 sum = 0;
    for (int i = 0; i < n; i++) sum = mix(sum, (u32)i);
    for (int i = n; i > 0; i -= 3) sum = mix(sum, (u32)i);
    for (unsigned i = (unsigned)n; i--;) sum = mix(sum, i);
    int k = 0;
    do {
        sum = mix(sum, (u32)k);
        if (k == 13) continue;
        if (k > 17) break;
    } while (++k < n);
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j += 2) {
            if ((i ^ j) % 5 == 0) continue;
            if (i * j > 200) goto next;
            for (int l = 0; l < j; l++) sum += (u32)(i * j * l);
        next:;
        }
    while (n > 1) {
        n = n & 1 ? 3 * n + 1 : n / 2;
        sum = mix(sum, (u32)n);
    }
    return sum;
}
static int calls;
static NOINLINE int called(int x)
{
    calls = calls * 3 + x;
    return x;
}
static NOINLINE u32 shortcuts(int a, int b, int c)
{
    u32 s = 0;
    if (called(a) && called(b) && called(c)) s |= 1;
    if (called(a) || called(b) || called(c)) s |= 2;
    if ((called(a) && !called(b)) || called(c)) s |= 4;
    if (!(called(a) || called(b)) != !called(c)) s |= 8;
    s |= (u32)(a ? b ? 16 : 32 : c ? 64 : 128);
    return s;
}
static NOINLINE u32 machine(const char *text)
{
    u32 sum = 0;
start:
    if (!*text) goto end;
    if (*text >= '0' && *text <= '9') goto digit;
    goto letter;
digit:
    sum = sum * 10 + (u32)(*text++ - '0');
    goto start;
letter:
    sum = mix(sum, (u32)*text++);
    goto start;
end:
    return sum;
}
static NOINLINE u32 duff(u8 *to, const u8 *from, int n)
{
    int rounds = (n + 7) / 8;
    u32 copied = 0;
    switch (n % 8) {
    case 0: do { *to++ = *from++, copied++; /* fallthrough */
        case 7: *to++ = *from++, copied++;  /* fallthrough */
        case 6: *to++ = *from++, copied++;  /* fallthrough */
        case 5: *to++ = *from++, copied++;  /* fallthrough */
        case 4: *to++ = *from++, copied++;  /* fallthrough */
        case 3: *to++ = *from++, copied++;  /* fallthrough */
        case 2: *to++ = *from++, copied++;  /* fallthrough */
        case 1: *to++ = *from++, copied++;
        } while (--rounds > 0);
    }
    return copied;
}

int main(void)
{
    static const u32 keys[] = { 0,     1,     2,          99,         100,        101,       1000,
                                65535, 65536, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff };
    u8 from[40], to[40];
    for (int i = -2; i < 12; i++) out((u32)dense(i)), out((u32)wide(i));
    out((u32)wide(0x100000000)), out((u32)wide(0x100000005));
    for (unsigned i = 0; i < COUNT(keys); i++) out((u32)sparse(keys[i]));
    for (int i = 0; i < limit; i++) out(loops(i));
    for (int i = 0; i < 8; i++) out(shortcuts(i & 1, i & 2, i & 4)), out((u32)calls);
    out(machine("ab12cd345e")), out(machine(""));
    for (int i = 0; i < 40; i++) from[i] = (u8)(i * 7), to[i] = 0;
    for (int n = 1; n < 20; n++) out(duff(to + n % 3, from + n % 5, n)), out(to[n]);
    return 0;
}
