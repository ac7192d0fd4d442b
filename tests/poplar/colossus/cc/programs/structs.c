/* SPDX-License-Identifier: MIT */
/* Structures, unions, bit-fields: copied, passed and returned by value, nested, in arrays, packed; one member,
 * none. */
#include "program.h"

struct one {
    float f;
};
struct nested_one {
    struct one o[1];
};
struct int_one {
    int i;
};
struct pair {
    int a, b;
};
struct odd {
    u8 c;
    u16 s;
    u8 d;
    u32 w;
    u8 e;
};
struct big {
    int n[9];
    u8 tail;
};
struct deep {
    struct odd o[3];
    struct pair p;
    struct one f;
    u64 l;
};
struct fields {
    unsigned a : 3;
    int b : 5;
    unsigned c : 12;
    unsigned d : 1;
    int e : 11;
    unsigned f : 17;
    u8 g : 7;
};
struct split {
    u8 x;
    int : 0;
    u8 y : 3, z : 5;
    u16 w : 9;
    u64 v : 37;
};
struct wide_field {
    signed a : 3;
    unsigned b : 13;
    u64 c : 40;
    i16 d : 9;
};
struct long_one {
    u32 words[50];
    u8 tail[3];
};
union both {
    u32 word;
    u8 bytes[4];
    u16 halves[2];
    float f;
};
struct __attribute__((packed)) tight {
    u8 a;
    u32 b;
    u16 c;
    u64 d;
};

static volatile int seed = 5;

static NOINLINE struct one add_one(struct one x, struct nested_one y)
{
    x.f += y.o[0].f;
    return x;
}
static NOINLINE struct int_one twice(struct int_one x)
{
    x.i *= 2;
    return x;
}
static NOINLINE struct pair swap(struct pair p)
{
    int t = p.a;
    p.a = p.b, p.b = t;
    return p;
}
static NOINLINE struct odd odd_of(u8 c, u16 s, u8 d, u32 w, u8 e)
{
    struct odd o = { c, s, d, w, e };
    return o;
}
static NOINLINE struct big big_of(int k)
{
    struct big b;
    for (int i = 0; i < 9; i++) b.n[i] = i * k;
    b.tail = (u8)k;
    return b;
}
static NOINLINE u32 sum_big(struct big b, struct pair p, struct big c)
{
    u32 s = b.tail;
    b.n[3] = 77; /* the callee's own copy */
    for (int i = 0; i < 9; i++) s = mix(s, (u32)(b.n[i] + c.n[8 - i] * p.a));
    return s + (u32)p.b;
}
static NOINLINE struct deep change(struct deep d)
{
    d.o[1].s++, d.p = swap(d.p), d.l ^= d.o[2].w, d.f.f *= 2;
    return d;
}
static NOINLINE union both both_of(union both x)
{
    x.bytes[1] = 0x5a;
    return x;
}
static NOINLINE u32 sum_odd(struct odd o)
{
    return mix(mix(mix(mix(o.c, o.s), o.d), o.w), o.e);
}

static NOINLINE void bits(struct fields *f, struct split *s, int k)
{
    f->a = (unsigned)k, f->b = k - 9, f->c = (unsigned)k * 99u, f->d = (unsigned)k & 1, f->e = -k,
    f->f = (unsigned)k * 1001u, f->g = (u8)(k * 3);
    s->x = (u8)k, s->y = (u8)(k & 7), s->z = (u8)(k & 31), s->w = (u16)(k * 5 & 511), s->v = (u64)k * 0x123456789;
}
/* The record of a wide bit-field lies on 8 bytes, also as an argument; a long one is copied by a call. */
static NOINLINE struct wide_field later(struct wide_field w, u32 by)
{
    w.a++, w.b ^= by, w.c = w.c * 3 + by, w.d = (i16)-w.d;
    return w;
}
static NOINLINE struct long_one widen(int a, struct long_one x, struct long_one *y)
{
    for (unsigned i = 0; i < COUNT(x.words); i++) x.words[i] += y->words[COUNT(x.words) - 1 - i] * (u32)a;
    y->tail[2] = x.tail[1]++;
    return x;
}
static void show(const struct fields *f, const struct split *s)
{
    out(f->a), out((u32)f->b), out(f->c), out(f->d), out((u32)f->e), out(f->f), out(f->g);
    out(s->x), out(s->y), out(s->z), out(s->w), out64(s->v);
}

int main(void)
{
    struct one a = { 1.5f };
    struct nested_one b = { { { (float)seed } } };
    union both u = { 0x11223344 };
    out_float(add_one(a, b).f);
    out((u32)twice((struct int_one){ seed }).i);
    struct pair p = swap((struct pair){ seed, 9 });
    out((u32)p.a), out((u32)p.b);
    struct big x = big_of(seed), y = x;
    out(sum_big(x, p, y)), out((u32)x.n[3]), out((u32)y.n[8]);
    struct odd o = odd_of((u8)seed, 0x1234, 0xfe, 0xdeadbeef, 7);
    out(sum_odd(o)), out(sizeof o), out(sizeof(struct deep)), out(sizeof(struct fields)), out(sizeof(struct split)),
        out(sizeof(struct tight));
    struct deep d = { { o, odd_of(1, 2, 3, 4, 5), o }, p, a, 0x1122334455667788 }, e = change(d),
                copies[3] = { d, e, d };
    out(sum_odd(e.o[1])), out((u32)e.p.a), out64(e.l), out_float(e.f.f), out(sum_odd(d.o[1]));
    for (int i = 0; i < 3; i++) out(sum_odd(copies[i].o[(i + seed) % 3]));
    u = both_of(u);
    out(u.word), out(u.halves[0]), out(u.bytes[3]);
    struct fields f = { 0 };
    struct split s = { 0 };
    for (int k = -3; k < 40; k += 4) bits(&f, &s, k * seed), show(&f, &s);
    struct wide_field w = { .c = (u64)1 << 39 | 55, .d = -100 };
    for (int k = 0; k < 3; k++) {
        w = later(later(w, 3000000000), (u32)seed);
        out((u32)w.a), out(w.b), out64(w.c), out((u32)w.d);
    }
    struct long_one l = { .words = { [3] = 5, [49] = 11 }, .tail = { 1, 2, 3 } }, m = widen(seed, l, &l);
    m = widen(3, m, &m), l = widen(seed, m, &l);
    for (unsigned i = 0; i < COUNT(l.words); i++) out(l.words[i] ^ m.words[i] << 9);
    for (int i = 0; i < 3; i++) out(l.tail[i]), out(m.tail[i]);
    f.b += 3, f.c ^= 0xfff, f.e--, show(&f, &s);
    struct tight t[2] = { { 1, 0x12345678, 0x9abc, 0x1122334455667788 } };
    t[1] = t[0], t[1].b += (u32)seed, t[1].d -= 1, t[0].c = (u16)seed;
    for (int i = 0; i < 2; i++) out(t[i].a), out(t[i].b), out(t[i].c), out64(t[i].d);
    return 0;
}
