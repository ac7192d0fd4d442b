/* SPDX-License-Identifier: MIT */
/* Variables that exist from the start: numbers, structures with pointers, to functions too, into the middle of
 * others; local static ones, tentative, weak, volatile. */
#include "program.h"

struct node {
    u8 tag;
    const struct node *next;
    int (*call)(int);
    const char *name;
    float f;
    u64 l;
};
static int inc(int x)
{
    return x + 1;
}
static int dec(int x)
{
    return x - 1;
}
static int twice(int x)
{
    return 2 * x;
}
static const struct node third = { 3, 0, twice, "third", 0.5f, 0x123456789abcdef };
static struct node second = { 2, &third, dec, "the second" + 4, -1.5f, 7 };
struct node first = { 1, &second, inc, "first", 3e10f, (u64)-1 };
int tentative;
int tentative;
static int zeros[100];
static u16 halves[] = { 1, 2, 3, 0xffff };
static int *into = &zeros[42], **twice_into = &into;
static const u16 *half_into = halves + 2;
static volatile u32 changing = 7;
__attribute__((weak)) int weak_one = 11;
static double real = 2.25;
static _Float16 half_one = 1.5f16;
static const char *const names[] = { "zero", "one", "two", "three" };
static char buffer[] = { 'a', 'b', 0, 'c' };
static const float table[2][3] = { { 1, 2, 3 }, { 4.5f, -5, 6 } };

static NOINLINE int counter(void)
{
    static int n = 100;
    static u8 wraps = 254;
    wraps++;
    return n++ * 1000 + wraps;
}
static NOINLINE const char *name_of(unsigned i)
{
    return names[i & 3];
}
static NOINLINE u32 walk(const struct node *n, int x)
{
    u32 s = 0;
    for (; n; n = n->next) {
        x = n->call(x);
        s = mix(mix(s, (u32)x), n->tag);
        for (const char *c = n->name; *c; c++) s = mix(s, (u32)*c);
        s = mix(s, (u32)(n->l >> 20) ^ (u32)n->l);
        out_float(n->f);
    }
    return s;
}

int main(void)
{
    out(walk(&first, 5)), second.call = twice, second.next = 0, out(walk(&first, 6));
    *into = 9, **twice_into += 1, out((u32)zeros[42]), out((u32)(into - zeros)), out(*half_into), out(half_into[1]);
    for (int i = 0; i < 4; i++) out((u32)counter());
    changing = changing + changing, out(changing), out((u32)weak_one), out((u32)tentative++), out((u32)tentative);
    out_double(real *= 2), out_float((float)half_one), half_one += 1, out_float((float)half_one);
    for (unsigned i = 0; i < 5; i++) out((u32)name_of(i)[1]);
    buffer[2] = 'x';
    for (unsigned i = 0; i < 4; i++) out((u32)buffer[i]);
    for (unsigned i = 0; i < 6; i++) out_float(table[i % 2][i / 2]);
    return 0;
}
