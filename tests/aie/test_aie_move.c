/* SPDX-License-Identifier: MIT */
/* Construction and parts, casts, addressing against copies of bytes: the first lane lies lowest, and
 * accumulators are eight slots of 48 bits. Every type, every index. */
#define TW__AIE static __attribute__((noinline, unused))
#include <tilewright/aie/address.h>
#include "aie/aie_cases.h"

__extension__ typedef __int128 i128;
typedef unsigned __int128 u128;

static uint8_t bytes[128] __attribute__((aligned(64))), other[128] __attribute__((aligned(64)));

static __attribute__((noinline)) void same(const char *what, int index, const void *got, const void *want,
                                           size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (((const uint8_t *)got)[i] != ((const uint8_t *)want)[i])
            fail_msg("%s, index %d: byte %zu is %02x, expected %02x", what, index, i, ((const uint8_t *)got)[i],
                     ((const uint8_t *)want)[i]);
}
static void draw(void)
{
    fill(bytes, sizeof bytes, 32), fill(other, sizeof other, 16);
}
#define LOAD(type, name, from) \
    type name;                 \
    memcpy(&name, from, sizeof name)

/* --- sub-vectors: the letters of registers name the widths ---------------------------------------------------- */

#define EXT(name, part, whole)                                                      \
    {                                                                               \
        LOAD(whole, b, bytes);                                                      \
        int i = (int)(rnd() % (sizeof b / sizeof(part)));                           \
        part r = name(b, i);                                                        \
        same(#name " of " #whole, i, &r, bytes + (unsigned)i * sizeof r, sizeof r); \
    }
#define UPD(name, part, whole)                                                                 \
    {                                                                                          \
        LOAD(whole, b, bytes);                                                                 \
        LOAD(part, v, other);                                                                  \
        uint8_t want[sizeof b];                                                                \
        int i = (int)(rnd() % (sizeof b / sizeof v));                                          \
        whole r = name(b, i, v);                                                               \
        memcpy(want, bytes, sizeof b), memcpy(want + (unsigned)i * sizeof v, other, sizeof v); \
        same(#name " of " #whole, i, &r, want, sizeof r);                                      \
    }
#define SET(name, part, whole) /* what it does not set is undefined */                     \
    {                                                                                      \
        LOAD(part, v, other);                                                              \
        int i = (int)(rnd() % (sizeof(whole) / sizeof v));                                 \
        whole r = name(i, v);                                                              \
        same(#name " of " #part, i, (char *)&r + (unsigned)i * sizeof v, other, sizeof v); \
    }
#define CONCAT(part, whole, ...)                                        \
    {                                                                   \
        part p[8];                                                      \
        memcpy(p, bytes, sizeof(whole));                                \
        whole r = concat(__VA_ARGS__);                                  \
        same("concat of " #part " to " #whole, 0, &r, bytes, sizeof r); \
    }
// clang-format off
#define PARTS(V, W, X, Y) \
    EXT(ext_v, V, W) EXT(ext_v, V, X) EXT(ext_v, V, Y) EXT(ext_w, W, X) EXT(ext_w, W, Y) EXT(ext_x, X, Y) \
    UPD(upd_v, V, W) UPD(upd_v, V, X) UPD(upd_v, V, Y) UPD(upd_w, W, X) UPD(upd_w, W, Y) UPD(upd_x, X, Y) \
    SET(wset_v, V, W) SET(xset_v, V, X) SET(yset_v, V, Y) SET(xset_w, W, X) SET(yset_w, W, Y) SET(yset_x, X, Y) \
    CONCAT(V, W, p[0], p[1]) CONCAT(W, X, p[0], p[1]) CONCAT(X, Y, p[0], p[1]) \
    CONCAT(V, X, p[0], p[1], p[2], p[3]) CONCAT(W, Y, p[0], p[1], p[2], p[3]) \
    CONCAT(V, Y, p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7])
// clang-format on

static void aie_move_parts(void **state)
{
    (void)state;
    for (unsigned n = case_count(1000); n > 0; n--) {
        draw();
        PARTS(v16int8, v32int8, v64int8, v128int8)
        PARTS(v16uint8, v32uint8, v64uint8, v128uint8)
        PARTS(v8int16, v16int16, v32int16, v64int16)
        PARTS(v4int32, v8int32, v16int32, v32int32)
        PARTS(v4cint16, v8cint16, v16cint16, v32cint16)
        PARTS(v2cint32, v4cint32, v8cint32, v16cint32)
        PARTS(v4float, v8float, v16float, v32float)
        PARTS(v2cfloat, v4cfloat, v8cfloat, v16cfloat)
    }
}

/* --- elements ------------------------------------------------------------------------------------------------- */

#define ELEMENT(vector, element)                                                               \
    {                                                                                          \
        LOAD(vector, b, bytes);                                                                \
        LOAD(element, v, other);                                                               \
        uint8_t want[sizeof b + sizeof v];                                                     \
        int i = (int)(rnd() % (sizeof b / sizeof v));                                          \
        element e = ext_elem(b, i);                                                            \
        same("ext_elem of " #vector, i, &e, bytes + (unsigned)i * sizeof e, sizeof e);         \
        vector r = upd_elem(b, i, v);                                                          \
        memcpy(want, bytes, sizeof b), memcpy(want + (unsigned)i * sizeof v, other, sizeof v); \
        same("upd_elem of " #vector, i, &r, want, sizeof r);                                   \
        r = shft_elem(b, v);                                                                   \
        memcpy(want, other, sizeof v), memcpy(want + sizeof v, bytes, sizeof b);               \
        same("shft_elem of " #vector, 0, &r, want, sizeof r);                                  \
    }
#define ELEMENTS(V, W, X, Y, element) \
    ELEMENT(V, element) ELEMENT(W, element) ELEMENT(X, element) ELEMENT(Y, element)

static void aie_move_elements(void **state)
{
    (void)state;
    for (unsigned n = case_count(5000); n > 0; n--) {
        draw();
        ELEMENTS(v8int16, v16int16, v32int16, v64int16, int16)
        ELEMENTS(v4int32, v8int32, v16int32, v32int32, int32)
        ELEMENTS(v4cint16, v8cint16, v16cint16, v32cint16, cint16)
        ELEMENTS(v2cint32, v4cint32, v8cint32, v16cint32, cint32)
        ELEMENTS(v4float, v8float, v16float, v32float, float)
        ELEMENTS(v2cfloat, v4cfloat, v8cfloat, v16cfloat, cfloat)
        /* a pair of floats: elements 2i and 2i + 1 */
        LOAD(v8float, f, bytes);
        float pair[2], want[8];
        int i = (int)(rnd() % 4);
        memcpy(pair, other, sizeof pair), memcpy(want, bytes, sizeof want);
        want[2 * i] = pair[0], want[2 * i + 1] = pair[1];
        f = upd_elem(f, i, pair[0], pair[1]);
        same("upd_elem of a pair", i, &f, want, sizeof f);
    }
}

/* --- casts ---------------------------------------------------------------------------------------------------- */

#define CAST(type, from)                                   \
    {                                                      \
        LOAD(from, v, bytes);                              \
        type r = as_##type(v), zero = null_##type();       \
        same("as_" #type, 0, &r, bytes, sizeof r);         \
        static const uint8_t zeros[sizeof r] = { 0 };      \
        same("null_" #type, 0, &zero, zeros, sizeof zero); \
        assert_int_equal(sizeof undef_##type(), sizeof r); \
    }
static void aie_move_casts(void **state)
{
    (void)state;
    for (unsigned n = case_count(500); n > 0; n--) {
        draw();
        // clang-format off
#define VECTORS_128(from) \
        CAST(v16int8, from) CAST(v16uint8, from) CAST(v8int16, from) CAST(v4int32, from) CAST(v4cint16, from) \
        CAST(v2cint32, from) CAST(v4float, from) CAST(v2cfloat, from) CAST(v8cint8, from)
#define VECTORS_256(from) \
        CAST(v32int8, from) CAST(v32uint8, from) CAST(v16int16, from) CAST(v8int32, from) CAST(v4int64, from) \
        CAST(v2int128, from) CAST(v8cint16, from) CAST(v4cint32, from) CAST(v2cint64, from) CAST(v1cint128, from) \
        CAST(v8float, from) CAST(v4cfloat, from) CAST(v16cint8, from)
#define VECTORS_512(from) \
        CAST(v64int8, from) CAST(v64uint8, from) CAST(v32int16, from) CAST(v16int32, from) CAST(v8int64, from) \
        CAST(v16cint16, from) CAST(v8cint32, from) CAST(v4cint64, from) CAST(v16float, from) CAST(v8cfloat, from) \
        CAST(v32cint8, from)
#define VECTORS_1024(from) \
        CAST(v128int8, from) CAST(v128uint8, from) CAST(v64int16, from) CAST(v32int32, from) CAST(v32cint16, from) \
        CAST(v16cint32, from) CAST(v32float, from) CAST(v16cfloat, from) CAST(v64cint8, from)
        // clang-format on
        VECTORS_128(v8int16)
        VECTORS_128(v2cfloat)
        VECTORS_256(v8float)
        VECTORS_256(v4cint32)
        VECTORS_512(v64uint8)
        VECTORS_512(v16cint16)
        VECTORS_1024(v32int32)
        VECTORS_1024(v16cfloat)
    }
}

/* --- accumulators --------------------------------------------------------------------------------------------- */

static i128 wrapped(i128 v, int bits)
{
    return (i128)((u128)v << (128 - bits)) >> (128 - bits);
}
/* Slot k of an accumulator, as an unsigned number of 48 bits; the word that slots stand for. */
static uint64_t slot_of(const i128 *words, int width, int k)
{
    if (width == 48) return (uint64_t)words[k] & 0xffffffffffffu;
    return (uint64_t)(wrapped(words[k / 2], 80) >> (k % 2 ? 48 : 0)) & 0xffffffffffffu;
}
static i128 word_of(const uint64_t *slots, int width, int k)
{
    if (width == 48) return wrapped((i128)slots[k], 48);
    return wrapped((i128)((u128)slots[2 * k + 1] << 48 | slots[2 * k]), 80);
}
#define WORDS(a) (int)(sizeof(a).word / sizeof(a).word[0])
#define DRAW_ACC(a)                       \
    for (int i_ = 0; i_ < WORDS(a); i_++) \
    (a).word[i_] = (__typeof__((a).word[0] + 0))((u128)rnd() << 96 | (u128)rnd() << 64 | (u128)rnd() << 32 | rnd())
#define ACC_CAST(to, to_width, from, from_width)                                                                  \
    {                                                                                                             \
        from a;                                                                                                   \
        i128 words[16];                                                                                           \
        uint64_t slots[16];                                                                                       \
        DRAW_ACC(a);                                                                                              \
        for (int i = 0; i < WORDS(a); i++) words[i] = a.word[i];                                                  \
        for (int i = 0; i < WORDS(a) * (from_width == 80 ? 2 : 1); i++) slots[i] = slot_of(words, from_width, i); \
        to r = as_##to(a);                                                                                        \
        for (int i = 0; i < WORDS(r); i++)                                                                        \
            if (wrapped(r.word[i], to_width) != word_of(slots, to_width, i))                                      \
                fail_msg("as_" #to " of " #from ", word %d", i);                                                  \
    }
#define ACC_HALVES(whole, half)                                                                                    \
    {                                                                                                              \
        half low, high;                                                                                            \
        DRAW_ACC(low);                                                                                             \
        DRAW_ACC(high);                                                                                            \
        whole w = concat(low, high), l = upd_lo(w, high), h = upd_hi(w, low);                                      \
        half w0 = ext_lo(w), w1 = ext_hi(w), l0 = ext_lo(l), l1 = ext_hi(l), h0 = ext_lo(h), h1 = ext_hi(h);       \
        same("ext_lo of " #whole, 0, &w0, &low, sizeof low), same("ext_hi of " #whole, 0, &w1, &high, sizeof low); \
        same("upd_lo of " #whole, 0, &l0, &high, sizeof low),                                                      \
            same("upd_lo of " #whole, 1, &l1, &high, sizeof low);                                                  \
        same("upd_hi of " #whole, 0, &h0, &low, sizeof low), same("upd_hi of " #whole, 1, &h1, &low, sizeof low);  \
        same("concat of " #half, 0, &w, &low, sizeof low);                                                         \
    }
#define ACC_FROM_EACH(to, width)      \
    ACC_CAST(to, width, v8acc48, 48)  \
    ACC_CAST(to, width, v4cacc48, 48) \
    ACC_CAST(to, width, v4acc80, 80)  \
    ACC_CAST(to, width, v2cacc80, 80)
#define ACC_FROM_EACH_WIDE(to, width) \
    ACC_CAST(to, width, v16acc48, 48) \
    ACC_CAST(to, width, v8cacc48, 48) \
    ACC_CAST(to, width, v8acc80, 80)  \
    ACC_CAST(to, width, v4cacc80, 80)

static void aie_move_accumulators(void **state)
{
    (void)state;
    for (unsigned n = case_count(1000); n > 0; n--) {
        ACC_FROM_EACH(v8acc48, 48)
        ACC_FROM_EACH(v4cacc48, 48)
        ACC_FROM_EACH(v4acc80, 80)
        ACC_FROM_EACH(v2cacc80, 80)
        ACC_FROM_EACH_WIDE(v16acc48, 48)
        ACC_FROM_EACH_WIDE(v8cacc48, 48)
        ACC_FROM_EACH_WIDE(v8acc80, 80)
        ACC_FROM_EACH_WIDE(v4cacc80, 80)
        ACC_HALVES(v16acc48, v8acc48)
        ACC_HALVES(v8cacc48, v4cacc48)
        ACC_HALVES(v8acc80, v4acc80)
        ACC_HALVES(v4cacc80, v2cacc80)
        /* The image of a register: slots of six bytes. */
        v4acc80 a;
        uint8_t image[48];
        DRAW_ACC(a);
        i128 words[4] = { a.word[0], a.word[1], a.word[2], a.word[3] };
#ifdef __cplusplus
        tw_aie_pack384(tw__to_slots(a), image);
#else
        tw_aie_pack384(tw__to_slots_v4acc80(a), image);
#endif
        for (int i = 0; i < 48; i++) assert_int_equal(image[i], slot_of(words, 80, i / 6) >> (8 * (i % 6)) & 255);
        v4acc80 back = tw__from_slots_v4acc80(tw_aie_unpack384(image));
        for (int i = 0; i < 4; i++) assert_true(wrapped(back.word[i], 80) == wrapped(a.word[i], 80));
    }
}

/* --- addressing ----------------------------------------------------------------------------------------------- */

#define RING 40 /* units of 16 bytes */
static uint8_t ring[16 * RING + 32] __attribute__((aligned(64)));

/* Steps of `offs` units around `len` of them; what lies at the pointer is read or written first, without wrapping. */
#define STEPS(vector)                                                                          \
    {                                                                                          \
        int len = 1 + (int)(rnd() % RING), at = (int)(rnd() % (unsigned)len);                  \
        vector *const start = (vector *)(void *)ring, *p = (vector *)(void *)(ring + 16 * at); \
        for (int i = 0; i < 4; i++) {                                                          \
            int offs = (int)(rnd() % (2 * (unsigned)len + 1)) - len;                           \
            vector v;                                                                          \
            if (i % 2) {                                                                       \
                memcpy(&v, other + 32 * (rnd() % 3), sizeof v);                                \
                cyclic_add_unaligned_store(p, offs, start, len, v);                            \
            } else                                                                             \
                v = cyclic_add_unaligned_load(p, offs, start, len);                            \
            same("cyclic_add_unaligned on " #vector, i, ring + 16 * at, &v, sizeof v);         \
            at += offs;                                                                        \
            if (at >= len)                                                                     \
                at -= len;                                                                     \
            else if (at < 0)                                                                   \
                at += len;                                                                     \
            assert_ptr_equal(p, ring + 16 * at);                                               \
        }                                                                                      \
    }
static void aie_move_addresses(void **state)
{
    (void)state;
    for (unsigned n = case_count(10000); n > 0; n--) {
        fill(ring, sizeof ring, 32), draw();
        STEPS(v32int8)
        STEPS(v32uint8)
        STEPS(v16int16)
        STEPS(v8cint16)
        STEPS(v8int32)
        STEPS(v4cint32)
        STEPS(v8float)
        STEPS(v4cfloat)
        STEPS(v4int64)
        STEPS(v2cint64)
        STEPS(v2int128)
        int len = 1 + (int)(rnd() % 100), at = (int)(rnd() % (unsigned)len);
        int offs = (int)(rnd() % (2 * (unsigned)len + 1)) - len, want = at + offs;
        if (want >= len)
            want -= len;
        else if (want < 0)
            want += len;
        int16 *p = (int16 *)(void *)ring + at, *start = (int16 *)(void *)ring;
        assert_ptr_equal(cyclic_add(p, offs, start, len), start + want);
        assert_ptr_equal(byte_incr(p, 2 * offs), p + offs);
        v8int16 *w = (v8int16 *)(void *)ring, *first = w + 2;
        w = first + at % 20;
        assert_ptr_equal(byte_incr(w, 16), w + 1), assert_ptr_equal(byte_incr(w, -32), w - 2);
        assert_ptr_equal(cyclic_add(w, 5, first, 20), first + (at % 20 + 5) % 20);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aie_move_parts),     cmocka_unit_test(aie_move_elements),
        cmocka_unit_test(aie_move_casts),     cmocka_unit_test(aie_move_accumulators),
        cmocka_unit_test(aie_move_addresses),
    };
    return cmocka_run_group_tests_name("aie.move", tests, NULL, NULL);
}
