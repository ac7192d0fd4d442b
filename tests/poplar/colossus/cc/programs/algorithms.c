/* SPDX-License-Identifier: MIT */
/* Small programs as people write them: sorting, sieve, matrices, hashing, parsing, big numbers, a heap, strings. */
#include "program.h"

static volatile u32 seed = 12345;
static u32 next(void)
{
    return seed = seed * 1664525 + 1013904223;
}

static void quicksort(int *a, int low, int high)
{
    while (low < high) {
        int pivot = a[(low + high) / 2], i = low, j = high;
        while (i <= j) {
            while (a[i] < pivot) i++;
            while (a[j] > pivot) j--;
            if (i <= j) {
                int t = a[i];
                a[i++] = a[j], a[j--] = t;
            }
        }
        quicksort(a, low, j);
        low = i;
    }
}
static u32 crc32(const u8 *p, unsigned n)
{
    u32 c = ~0u;
    for (unsigned i = 0; i < n; i++) {
        c ^= p[i];
        for (int k = 0; k < 8; k++) c = c & 1 ? c >> 1 ^ 0xedb88320 : c >> 1;
    }
    return ~c;
}
static unsigned sieve(u8 *composite, unsigned n)
{
    unsigned count = 0;
    for (unsigned i = 2; i < n; i++) {
        if (composite[i]) continue;
        count++;
        for (unsigned k = i * i; k < n; k += i) composite[k] = 1;
    }
    return count;
}
static void multiply(float *c, const float *a, const float *b, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float s = 0;
            for (int k = 0; k < n; k++) s += a[i * n + k] * b[k * n + j];
            c[i * n + j] = s;
        }
}
static int number(const char **at);
static int factor(const char **at)
{
    if (**at == '(') {
        ++*at;
        int x = number(at);
        ++*at;
        return x;
    }
    int x = 0;
    while (**at >= '0' && **at <= '9') x = x * 10 + *(*at)++ - '0';
    return x;
}
static int term(const char **at)
{
    int x = factor(at);
    for (; **at == '*' || **at == '/' || **at == '%';) {
        char op = *(*at)++;
        int y = factor(at);
        x = op == '*' ? x * y : y == 0 ? 0 : op == '/' ? x / y : x % y;
    }
    return x;
}
static int number(const char **at)
{
    int x = term(at);
    while (**at == '+' || **at == '-') {
        char op = *(*at)++;
        int y = term(at);
        x = op == '+' ? x + y : x - y;
    }
    return x;
}
static void factorial(u32 *digits, unsigned n, unsigned of)
{
    for (unsigned i = 0; i < n; i++) digits[i] = i == 0;
    for (unsigned k = 2; k <= of; k++) {
        u64 carry = 0;
        for (unsigned i = 0; i < n; i++) {
            carry += (u64)digits[i] * k;
            digits[i] = (u32)carry, carry >>= 32;
        }
    }
}
static unsigned decimal(char *to, u64 x)
{
    char digits[24];
    unsigned n = 0, k = 0;
    do digits[n++] = (char)('0' + x % 10);
    while (x /= 10);
    while (n) to[k++] = digits[--n];
    return k;
}
static u64 power(u64 base, u64 exponent, u64 modulus)
{
    u64 r = 1;
    for (base %= modulus; exponent; exponent >>= 1, base = base * base % modulus)
        if (exponent & 1) r = r * base % modulus;
    return r;
}
static int queens(int n, int row, u32 columns, u32 left, u32 right)
{
    int count = 0;
    if (row == n) return 1;
    for (u32 free = ~(columns | left | right) & ((1u << n) - 1); free; free &= free - 1) {
        u32 bit = free & (0 - free);
        count += queens(n, row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1);
    }
    return count;
}
static u32 life(u8 (*cells)[16], int rounds)
{
    u8 other[16][16];
    while (rounds--) {
        for (int y = 0; y < 16; y++)
            for (int x = 0; x < 16; x++) {
                int n = 0;
                for (int dy = -1; dy <= 1; dy++)
                    for (int dx = -1; dx <= 1; dx++) n += (dy || dx) && cells[(y + dy) & 15][(x + dx) & 15];
                other[y][x] = (u8)(n == 3 || (n == 2 && cells[y][x]));
            }
        for (int i = 0; i < 256; i++) cells[i / 16][i % 16] = other[i / 16][i % 16];
    }
    return crc32(&cells[0][0], 256);
}

int main(void)
{
    static int list[200];
    static u8 composite[2000], cells[16][16];
    float a[36], b[36], c[36];
    u32 digits[20];
    char text[32];
    for (int i = 0; i < 200; i++) list[i] = (int)next() >> 8;
    quicksort(list, 0, 199);
    for (int i = 0; i < 200; i += 9) out((u32)list[i]);
    out(sieve(composite, 2000)), out(crc32(composite, 2000));
    for (int i = 0; i < 36; i++) a[i] = (float)(next() >> 20), b[i] = (float)(int)(next() >> 22) * 0.125f;
    multiply(c, a, b, 6);
    for (int i = 0; i < 36; i++) out_float(c[i]);
    const char *expression = "2*(3+4)*5-6/(7-4)%5+100*(12-(3-9))";
    out((u32)number(&expression));
    factorial(digits, 20, 100);
    for (int i = 0; i < 20; i++) out(digits[i]);
    unsigned n = decimal(text, 12345678901234567890ull);
    out(n), out(crc32((u8 *)text, n)), out64(power(3, 1000003, 1000000007)), out((u32)queens(6, 0, 0, 0, 0));
    for (int i = 0; i < 256; i++) cells[i / 16][i % 16] = (u8)(next() >> 31);
    out(life(cells, 5));
    return 0;
}
