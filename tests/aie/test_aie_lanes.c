/* SPDX-License-Identifier: MIT */
/* shuffle, select, add, sub, abs, max, min, maxdiff and compares against the two schemes of docs/aie.md, written lane
 * by lane; worked example and identities of that section. */
#define TW__AIE static __attribute__((noinline, unused))
#include <tilewright/aie/lanes.h>
#include "aie/aie_cases.h"

typedef enum kind { I32, C16, F32, I16, C32, CF, C16_SUM } kind;
static const unsigned lane_bytes[] = { 4, 4, 4, 2, 8, 8, 4 };
static uint8_t xb[128], yb[128], want[64];
static struct {
    int xs, ys;
    unsigned xo, xh, xq, yo, yh, yq, sel;
} p;
static unsigned repeats;

/* Source element of lane l. */
static unsigned source(kind k, int start, unsigned low, unsigned high, unsigned square, unsigned l, unsigned n)
{
    unsigned words[2] = { low, high };
#define NIB(i) (words[(i) / 8] >> (4 * ((i) % 8)) & 15)
    if (k == C16_SUM) return ((unsigned)start + (l % 2 ? NIB(l - 1) + NIB(l) + 1 : NIB(l))) % n;
    if (k != I16) return ((unsigned)start + NIB(l)) % n;
    unsigned pair = l / 4, e = NIB(2 * pair), o = NIB(2 * pair + 1), s = square >> (4 * (l % 4)) & 3;
    unsigned h[4] = { 2 * e, 2 * e + 1, 2 * (e + o + 1), 2 * (e + o + 1) + 1 };
#undef NIB
    return ((unsigned)(start & ~1) + h[s]) % n;
}

/* What a family does with one lane. Integer lanes of complex types count component by component. */
typedef enum op { COPY, SELECT, ADD, SUB, ABS, MAX, MIN, MAXDIFF, LT, LE, GT, GE, EQ, NE, NEGATIVE } op;

static int64_t component(const uint8_t *at, unsigned bytes)
{
    int16_t h;
    int32_t w;
    memcpy(&h, at, 2);
    if (bytes == 2) return h;
    memcpy(&w, at, 4);
    return w;
}

static int64_t apply(op o, int64_t a, int64_t b)
{
    switch (o) {
    case ADD: return a + b;
    case SUB: return a - b;
    case ABS: return a < 0 ? -a : a;
    case MAX: return a > b ? a : b;
    case MIN: return a < b ? a : b;
    case MAXDIFF: return a - b > 0 ? a - b : 0;
    case LT: return a < b;
    case LE: return a <= b;
    case GT: return a > b;
    case GE: return a >= b;
    case EQ: return a == b;
    case NE: return a != b;
    case NEGATIVE: return a < 0;
    case COPY:
    case SELECT: break;
    }
    return a;
}

static void draw(kind k)
{
    fill(xb, sizeof xb, k == I16 || k == C16 || k == C16_SUM ? 16 : 32);
    fill(yb, sizeof yb, k == I16 || k == C16 || k == C16_SUM ? 16 : 32);
    if (rnd() % 2) memcpy(yb, xb, 32); /* equal lanes */
    p.xs = (int)(rnd() % 64), p.ys = (int)(rnd() % 64), p.sel = rnd();
    p.xo = rnd(), p.xh = rnd(), p.yo = rnd(), p.yh = rnd(), p.xq = rnd() & 0x3333, p.yq = rnd() & 0x3333;
}

/* form: 0 x alone of n elements, 1 x and y in one buffer, 2 separate buffers, 3 short. Bits of compares are
 * returned. */
static __attribute__((noinline)) unsigned expect(kind k, op o, unsigned n, int form)
{
    unsigned bytes = lane_bytes[k], lanes = 64 / bytes, bits = 0,
             part = k == C16 || k == C16_SUM || k == I16 ? 2 : 4;
    for (unsigned l = 0; l < lanes; l++) {
        unsigned i = form == 3 ? l : source(k, p.xs, p.xo, p.xh, p.xq, l, n);
        unsigned j = form == 3 ? l : source(k, p.ys, p.yo, p.yh, p.yq, l, n);
        const uint8_t *a = xb + i * bytes, *b = (form >= 2 ? yb : xb) + j * bytes;
        for (unsigned c = 0; c < bytes; c += part) {
            int64_t r = apply(o, component(a + c, part), component(b + c, part));
            if (o == SELECT && (p.sel >> l & 1)) r = component(b + c, part);
            memcpy(want + l * bytes + c, &r, part);
            if (o >= LT && r) bits |= 1u << l;
        }
    }
    return bits;
}

static __attribute__((noinline)) void same(const char *name, const void *got, unsigned lanes, int form)
{
    if (memcmp(got, want, 64) == 0) return;
    for (unsigned i = 0; i < 64; i++)
        if (((const uint8_t *)got)[i] != want[i])
            fail_msg(
                "%s form %d, byte %u of %u lanes: %02x, expected %02x (xs %d xo %x,%x xq %x ys %d yo %x,%x yq %x)",
                name, form, i, lanes, ((const uint8_t *)got)[i], want[i], p.xs, p.xo, p.xh, p.xq, p.ys, p.yo, p.yh,
                p.yq);
}
static void same_bits(const char *name, unsigned got, unsigned bits, int form)
{
    if (got != bits) fail_msg("%s form %d: %08x, expected %08x", name, form, got, bits);
}

#define BEGIN(k, small, large)                  \
    for (unsigned n_ = 0; n_ < repeats; n_++) { \
        small x, y, r;                          \
        large L;                                \
        draw(k);                                \
        memcpy(&x, xb, sizeof x);               \
        memcpy(&y, yb, sizeof y);               \
        memcpy(&L, xb, sizeof L);               \
        (void)y, (void)r;
#define END  }
#define N(k) (64 / lane_bytes[k])
#define ONE(f, k, o, ...)                                                             \
    r = f(x, __VA_ARGS__), expect(k, o, N(k), 0), same(#f, &r, N(k), 0);              \
    r = f(L, __VA_ARGS__), expect(k, o, 2 * N(k), 0), same(#f " large", &r, N(k), 0); \
    r = f(x), expect(k, o, N(k), 3), same(#f " short", &r, N(k), 3);
#define OPEN(...) __VA_ARGS__
#define TWO(f, k, o, X, Y)                                                               \
    r = f(x, OPEN X, OPEN Y), expect(k, o, N(k), 1), same(#f, &r, N(k), 1);              \
    r = f(L, OPEN X, OPEN Y), expect(k, o, 2 * N(k), 1), same(#f " large", &r, N(k), 1); \
    r = f(x, OPEN X, y, OPEN Y), expect(k, o, N(k), 2), same(#f " with y", &r, N(k), 2); \
    r = f(x, y), expect(k, o, N(k), 3), same(#f " short", &r, N(k), 3);
#define SEL(f, k, X, Y)                                                                              \
    r = f(p.sel, x, OPEN X, OPEN Y), expect(k, SELECT, N(k), 1), same(#f, &r, N(k), 1);              \
    r = f(p.sel, L, OPEN X, OPEN Y), expect(k, SELECT, 2 * N(k), 1), same(#f " large", &r, N(k), 1); \
    r = f(p.sel, x, OPEN X, y, OPEN Y), expect(k, SELECT, N(k), 2), same(#f " with y", &r, N(k), 2); \
    r = f(p.sel, x, y), expect(k, SELECT, N(k), 3), same(#f " short", &r, N(k), 3);
#define BITS(f, k, o, X, Y)                                                     \
    same_bits(#f, f(x, OPEN X, OPEN Y), expect(k, o, N(k), 1), 1);              \
    same_bits(#f " large", f(L, OPEN X, OPEN Y), expect(k, o, 2 * N(k), 1), 1); \
    same_bits(#f " with y", f(x, OPEN X, y, OPEN Y), expect(k, o, N(k), 2), 2); \
    same_bits(#f " short", f(x, y), expect(k, o, N(k), 3), 3);
/* Results and bits of one form: call leaves r and m. */
#define BOTH(f, k, o, c, n, form, call)       \
    m = ~0u, r = call, expect(k, o, n, form); \
    same(#f, &r, N(k), form);                 \
    same_bits(#f " cmp", m, expect(k, c, n, form), form);
#define CMP(f, k, o, c, X, Y)                                  \
    {                                                          \
        unsigned m;                                            \
        BOTH(f, k, o, c, N(k), 1, f(x, OPEN X, OPEN Y, m))     \
        BOTH(f, k, o, c, 2 * N(k), 1, f(L, OPEN X, OPEN Y, m)) \
        BOTH(f, k, o, c, N(k), 2, f(x, OPEN X, y, OPEN Y, m))  \
        BOTH(f, k, o, c, N(k), 3, f(x, y, m))                  \
    }
#define ABSCMP(f, k, ...)                                            \
    {                                                                \
        unsigned m;                                                  \
        BOTH(f, k, ABS, NEGATIVE, N(k), 0, f(x, __VA_ARGS__, m))     \
        BOTH(f, k, ABS, NEGATIVE, 2 * N(k), 0, f(L, __VA_ARGS__, m)) \
        BOTH(f, k, ABS, NEGATIVE, N(k), 3, f(x, m))                  \
    }

#define X8    (p.xs, p.xo)
#define Y8    (p.ys, p.yo)
#define X16   (p.xs, p.xo, p.xh)
#define Y16   (p.ys, p.yo, p.yh)
#define X32   (p.xs, p.xo, p.xh, p.xq)
#define Y32   (p.ys, p.yo, p.yh, p.yq)
#define SETUP (void)state, repeats = case_count(5000)

static void aie_lanes_shuffle_select(void **state)
{
    SETUP;
    // clang-format off
    BEGIN(I32, v16int32, v32int32)
    ONE(shuffle16, I32, COPY, p.xs, p.xo, p.xh)
    SEL(select16, I32, X16, Y16)
    END
    BEGIN(C16, v16cint16, v32cint16)
    ONE(shuffle16, C16, COPY, p.xs, p.xo, p.xh)
    SEL(select16, C16, X16, Y16)
    END
    BEGIN(F32, v16float, v32float)
    ONE(fpshuffle16, F32, COPY, p.xs, p.xo, p.xh)
    SEL(fpselect16, F32, X16, Y16)
    END
    BEGIN(I16, v32int16, v64int16)
    ONE(shuffle32, I16, COPY, p.xs, p.xo, p.xh, p.xq)
    SEL(select32, I16, X32, Y32)
    END
    BEGIN(C32, v8cint32, v16cint32)
    ONE(shuffle8, C32, COPY, p.xs, p.xo)
    SEL(select8, C32, X8, Y8)
    END
    BEGIN(CF, v8cfloat, v16cfloat)
    ONE(fpshuffle8, CF, COPY, p.xs, p.xo)
    SEL(fpselect8, CF, X8, Y8)
    END
    // clang-format on
}

static void aie_lanes_add_sub_abs(void **state)
{
    SETUP;
    // clang-format off
    BEGIN(I32, v16int32, v32int32)
    TWO(add16, I32, ADD, X16, Y16)
    TWO(sub16, I32, SUB, X16, Y16)
    ONE(abs16, I32, ABS, p.xs, p.xo, p.xh)
    ABSCMP(abscmp16, I32, p.xs, p.xo, p.xh)
    END
    BEGIN(C16_SUM, v16cint16, v32cint16)
    TWO(add16, C16_SUM, ADD, X16, Y16)
    TWO(sub16, C16_SUM, SUB, X16, Y16)
    END
    BEGIN(I16, v32int16, v64int16)
    TWO(add32, I16, ADD, X32, Y32)
    TWO(sub32, I16, SUB, X32, Y32)
    ONE(abs32, I16, ABS, p.xs, p.xo, p.xh, p.xq)
    ABSCMP(abscmp32, I16, p.xs, p.xo, p.xh, p.xq)
    END
    BEGIN(C32, v8cint32, v16cint32)
    TWO(add8, C32, ADD, X8, Y8)
    TWO(sub8, C32, SUB, X8, Y8)
    END
    // clang-format on
}

static void aie_lanes_compare(void **state)
{
    SETUP;
    // clang-format off
    BEGIN(I32, v16int32, v32int32)
    TWO(max16, I32, MAX, X16, Y16)
    TWO(min16, I32, MIN, X16, Y16)
    TWO(maxdiff16, I32, MAXDIFF, X16, Y16)
    BITS(lt16, I32, LT, X16, Y16)
    BITS(le16, I32, LE, X16, Y16)
    BITS(gt16, I32, GT, X16, Y16)
    BITS(ge16, I32, GE, X16, Y16)
    BITS(eq16, I32, EQ, X16, Y16)
    BITS(ne16, I32, NE, X16, Y16)
    CMP(maxcmp16, I32, MAX, LT, X16, Y16)
    CMP(mincmp16, I32, MIN, GE, X16, Y16)
    CMP(maxdiffcmp16, I32, MAXDIFF, LT, X16, Y16)
    CMP(subcmp16, I32, SUB, LT, X16, Y16)
    END
    BEGIN(I16, v32int16, v64int16)
    TWO(max32, I16, MAX, X32, Y32)
    TWO(min32, I16, MIN, X32, Y32)
    TWO(maxdiff32, I16, MAXDIFF, X32, Y32)
    BITS(lt32, I16, LT, X32, Y32)
    BITS(le32, I16, LE, X32, Y32)
    BITS(gt32, I16, GT, X32, Y32)
    BITS(ge32, I16, GE, X32, Y32)
    BITS(eq32, I16, EQ, X32, Y32)
    BITS(ne32, I16, NE, X32, Y32)
    CMP(maxcmp32, I16, MAX, LT, X32, Y32)
    CMP(mincmp32, I16, MIN, GE, X32, Y32)
    CMP(maxdiffcmp32, I16, MAXDIFF, LT, X32, Y32)
    CMP(subcmp32, I16, SUB, LT, X32, Y32)
    END
    // clang-format on
}

/* docs/aie.md: interleaving two vectors, identity offsets, broadcast of element k. */
static void aie_lanes_worked_examples(void **state)
{
    (void)state;
    v64int16 ab;
    for (int i = 0; i < 64; i++) ab[i] = (int16)(i < 32 ? 100 + i : 200 + i - 32); /* A then B */
    v32int16 r = shuffle32(ab, 0, 0xF3F2F1F0, 0xF7F6F5F4, 0x3120);
    for (int i = 0; i < 16; i++) {
        assert_int_equal(r[2 * i], 100 + i);
        assert_int_equal(r[2 * i + 1], 200 + i);
    }
    r = shuffle32(ab, 0, 0x06040200, 0x0e0c0a08, 0x3210);
    for (int i = 0; i < 32; i++) assert_int_equal(r[i], 100 + i);
    for (int k = 0; k < 32; k++) {
        r = shuffle32(ab, k & ~1, 0, 0, 0x1111 * (k & 1));
        for (int i = 0; i < 32; i++) assert_int_equal(r[i], 100 + k);
    }
    v16int32 w;
    for (int i = 0; i < 16; i++) w[i] = i;
    v16int32 s = shuffle16(w, 0, 0x76543210, 0xfedcba98);
    for (int i = 0; i < 16; i++) assert_int_equal(s[i], i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aie_lanes_shuffle_select),
        cmocka_unit_test(aie_lanes_add_sub_abs),
        cmocka_unit_test(aie_lanes_compare),
        cmocka_unit_test(aie_lanes_worked_examples),
    };
    return cmocka_run_group_tests_name("aie.lanes", tests, NULL, NULL);
}
