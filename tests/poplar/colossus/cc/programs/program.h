/* SPDX-License-Identifier: MIT */
/* What the programs share: words to compare, values that no compiler knows beforehand. */
#ifndef PROGRAM_H
#define PROGRAM_H
#ifdef __cplusplus
extern "C" {
#endif
void out(unsigned word);
#ifdef __cplusplus
}
#endif

typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;

#define NOINLINE     __attribute__((noinline))
#define COUNT(array) (sizeof(array) / sizeof *(array))

static inline void out64(u64 x)
{
    out((u32)x);
    out((u32)(x >> 32));
}
/* NaNs are one value: which bits they have is each machine's own. */
static inline void out_float(float x)
{
    union {
        float f;
        u32 u;
    } bits;
    bits.f = x;
    out(x != x ? 0x7fc00000 : bits.u);
}
static inline void out_double(double x)
{
    union {
        double d;
        u64 u;
    } bits;
    bits.d = x;
    out64(x != x ? 0x7ff8000000000000ull : bits.u);
}
/* A sum in which the place counts, for what would be too many words. */
static inline u32 mix(u32 sum, u32 word)
{
    return (sum << 5 | sum >> 27) ^ (word * 0x9e3779b1u);
}
#endif
