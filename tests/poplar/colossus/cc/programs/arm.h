/* SPDX-License-Identifier: MIT */
/* A program for armv7 without a library, run by qemu-user: the same sizes and layouts of types as the tile has.
 * Included in front of the program; out() writes words to the standard output when main() has ended. */
static unsigned arm_words[16384], arm_count;
void out(unsigned word)
{
    if (arm_count < 16383) arm_words[arm_count++] = word;
}
static int arm_call(int number, int a, const void *b, unsigned c)
{
    register int r7 __asm__("r7") = number, r0 __asm__("r0") = a;
    register const void *r1 __asm__("r1") = b;
    register unsigned r2 __asm__("r2") = c;
    __asm__ volatile("svc 0" : "+r"(r0) : "r"(r7), "r"(r1), "r"(r2) : "memory");
    return r0;
}
int main();
__attribute__((used)) void arm_main(void)
{
    main(0, 0);
    const char *at = (const char *)arm_words;
    for (unsigned left = 4 * arm_count; left;) {
        int n = arm_call(4, 1, at, left);
        if (n <= 0) break;
        at += n, left -= (unsigned)n;
    }
    arm_call(1, 0, 0, 0);
}
__attribute__((naked)) void _start(void)
{
    __asm__("bic sp, sp, #7\n bl arm_main\n");
}
/* What the compiler calls: bit by bit. */
typedef unsigned long long arm_u64;
__attribute__((used)) arm_u64 arm_divide(arm_u64 n, arm_u64 d, arm_u64 *rest)
{
    arm_u64 q = 0, r = 0;
    for (int i = 63; i >= 0; i--) {
        unsigned over = (unsigned)(r >> 63);
        r = r << 1 | (n >> i & 1);
        if (over || r >= d) r -= d, q |= 1ull << i;
    }
    *rest = r;
    return q;
}
__attribute__((used)) arm_u64 arm_divide_signed(long long n, long long d, arm_u64 *rest)
{
    arm_u64 r, q = arm_divide(n < 0 ? 0 - (arm_u64)n : (arm_u64)n, d < 0 ? 0 - (arm_u64)d : (arm_u64)d, &r);
    *rest = n < 0 ? 0 - r : r;
    return (n ^ d) < 0 ? 0 - q : q;
}
#define ARM_DIVIDE(name, function)                                                                  \
    __attribute__((naked)) void name(void)                                                          \
    {                                                                                               \
        __asm__("push {r4, lr}\n sub sp, sp, #16\n add r12, sp, #8\n str r12, [sp]\n bl " #function \
                "\n ldrd r2, r3, [sp, #8]\n add sp, sp, #16\n pop {r4, pc}\n");                     \
    }
ARM_DIVIDE(__aeabi_uldivmod, arm_divide)
ARM_DIVIDE(__aeabi_ldivmod, arm_divide_signed)
void *memcpy(void *to, const void *from, unsigned n)
{
    for (unsigned i = 0; i < n; i++) ((volatile char *)to)[i] = ((const char *)from)[i];
    return to;
}
void *memmove(void *to, const void *from, unsigned n)
{
    volatile char *a = to;
    const char *b = from;
    if (a < b)
        for (unsigned i = 0; i < n; i++) a[i] = b[i];
    else
        while (n--) a[n] = b[n];
    return to;
}
void *memset(void *to, int c, unsigned n)
{
    for (unsigned i = 0; i < n; i++) ((volatile char *)to)[i] = (char)c;
    return to;
}
int memcmp(const void *a, const void *b, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (((const unsigned char *)a)[i] != ((const unsigned char *)b)[i])
            return ((const unsigned char *)a)[i] - ((const unsigned char *)b)[i];
    return 0;
}
int strcmp(const char *a, const char *b)
{
    for (; *a && *a == *b; a++, b++) {
    }
    return (unsigned char)*a - (unsigned char)*b;
}
void __aeabi_memcpy(void *t, const void *f, unsigned n)
{
    memcpy(t, f, n);
}
void __aeabi_memcpy4(void *t, const void *f, unsigned n)
{
    memcpy(t, f, n);
}
void __aeabi_memcpy8(void *t, const void *f, unsigned n)
{
    memcpy(t, f, n);
}
void __aeabi_memmove(void *t, const void *f, unsigned n)
{
    memmove(t, f, n);
}
void __aeabi_memmove4(void *t, const void *f, unsigned n)
{
    memmove(t, f, n);
}
void __aeabi_memset(void *t, unsigned n, int c)
{
    memset(t, c, n);
}
void __aeabi_memset4(void *t, unsigned n, int c)
{
    memset(t, c, n);
}
void __aeabi_memset8(void *t, unsigned n, int c)
{
    memset(t, c, n);
}
void __aeabi_memclr(void *t, unsigned n)
{
    memset(t, 0, n);
}
void __aeabi_memclr4(void *t, unsigned n)
{
    memset(t, 0, n);
}
void __aeabi_memclr8(void *t, unsigned n)
{
    memset(t, 0, n);
}
