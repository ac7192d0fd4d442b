/* SPDX-License-Identifier: MIT */
/* The main pipeline but for repeat loops and what is system: what the rows say in their column `sem` is a macro
 * here, SEM_...; in it V(k) is the value of operand k. All read first, then check their addresses, then READY runs
 * the other half of a bundle, then they write.
 *
 * Who includes this says what READY is, and what an access means: FROM and TO are a load's and a store's address on
 * the host, STORED stands behind a store, bad_access() tells a wrong one. Three do: the interpreter (rows.c), steps
 * that can be taken back (rows_logged.c), and translated code, which has the text of this file in front. */
#ifndef TW_COLOSSUS_SIM_ROWS_MAIN_H
#define TW_COLOSSUS_SIM_ROWS_MAIN_H

#include "poplar/colossus/sim/sim.h"

#include "poplar/colossus/sim/kinds.h"

#define LIKELY(x)   __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define V(k)        ((int)F##k < 0 ? 0 : IS_IN(k, MRF) ? w->m[op->r[k]] : IS_IN(k, ARF) ? w->a[op->r[k]] : op->imm)

/* --- memory ----------------------------------------------------------------------------------------------------- */

/* Populated and aligned: a misaligned offset, rotated, is larger than any size. */
static inline bool reachable(const tw__sim_context *w, uint32_t at, unsigned bytes)
{
    uint32_t offset = at - w->base;
    unsigned bits = (unsigned)__builtin_ctz(bytes);
    uint32_t turned = bits ? offset >> bits | offset << (32 - bits) : offset;
    return turned < w->size >> bits;
}

/* One bank (guide 7.2.2, 7.2.3): region 0, the same 16 KB; region 1, the same 32 KB and the same bit 3. The chips put
 * their regions so that one pair of masks serves them all. */
static inline bool clash(const tw__sim_context *w, uint32_t a, uint32_t b)
{
    return !((a ^ b) & (a >= w->region1 ? 0x001f8008u : 0x001fc000u)) && w->clashes;
}

#define REACH(address, bytes)                                \
    do {                                                     \
        if (UNLIKELY(!reachable(w, address, bytes))) {       \
            const uint8_t sizes_[] = { bytes };              \
            return bad_access(w, op, 1, &(address), sizes_); \
        }                                                    \
    } while (0)
#define REACH2(one, bytes1, two, bytes2)                                                                \
    do {                                                                                                \
        if (UNLIKELY(!reachable(w, one, bytes1) || !reachable(w, two, bytes2) || clash(w, one, two))) { \
            const uint32_t at_[] = { one, two };                                                        \
            const uint8_t sizes_[] = { bytes1, bytes2 };                                                \
            return bad_access(w, op, 2, at_, sizes_);                                                   \
        }                                                                                               \
    } while (0)

/* Kinds of loads: bytes, words that they fill, how. */
enum {
    SIZE_U8 = 1,
    SIZE_I8 = 1,
    SIZE_BYTES = 1,
    SIZE_U16 = 2,
    SIZE_I16 = 2,
    SIZE_HALVES = 2,
    SIZE_WORD = 4,
    SIZE_PAIR = 8,
    SIZE_QUAD = 16
};
typedef struct words {
    uint64_t low, high; /* two registers each */
} words;
static inline uint32_t load16(const uint8_t *p)
{
    uint16_t v;
    memcpy(&v, p, 2);
    return GUINT16_FROM_LE(v);
}
static inline uint32_t load32(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, 4);
    return GUINT32_FROM_LE(v);
}
static inline uint64_t load64(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, 8);
    return GUINT64_FROM_LE(v);
}
#define LOADER(name, one, two)                        \
    static inline words load_##name(const uint8_t *p) \
    {                                                 \
        return (words){ one, two };                   \
    }
LOADER(U8, *p, 0)
LOADER(I8, (uint32_t)(int8_t)*p, 0)
LOADER(BYTES, *p * 0x01010101u, 0)
LOADER(U16, load16(p), 0)
LOADER(I16, (uint32_t)(int16_t)load16(p), 0)
LOADER(HALVES, load16(p) * 0x00010001u, 0)
LOADER(WORD, load32(p), 0)
LOADER(PAIR, load64(p), 0)
LOADER(QUAD, load64(p), load64(p + 8))

static inline void put_words(uint32_t *to, const words *v, unsigned bytes)
{
    if (bytes < 8) {
        to[0] = (uint32_t)v->low;
        return;
    }
    put_pair(to, v->low);
    if (bytes == 16) put_pair(to + 2, v->high);
}
static inline uint64_t get_words(const uint32_t *from, unsigned bytes)
{
    return bytes == 8 ? get_pair(from) : *from;
}
static inline void store_words(uint8_t *p, uint64_t v, unsigned bytes)
{
    uint64_t whole = GUINT64_TO_LE(v);
    uint32_t word = GUINT32_TO_LE((uint32_t)v);
    if (bytes == 8)
        memcpy(p, &whole, 8);
    else
        memcpy(p, &word, 4);
}

#define SEM_LOAD(type)                                                                           \
    enum { STEP = IS_KIND(2, Minc) };                                                            \
    uint32_t delta = V(2), amount = V(3) * SIZE_##type, at = V(1) + delta + (STEP ? 0 : amount); \
    REACH(at, SIZE_##type);                                                                      \
    if (SIZE_##type == 16 && UNLIKELY(at < w->region1))                                          \
        return bad_access(w, op, 1, &at, (const uint8_t[]){ SIZE_##type });                      \
    words v = load_##type(FROM(at, SIZE_##type));                                                \
    READY;                                                                                       \
    if (STEP) w->m[op->d[2]] = delta + amount;                                                   \
    put_words(IS_IN(0, MRF) ? &w->m[op->d[0]] : &w->a[op->d[0]], &v, SIZE_##type);

/* st32 with base, delta and offset; stm32 with base and offset; the steps move delta, stm32step its base. */
#define SEM_STORE(type)                                                                         \
    enum { STEP2 = IS_KIND(2, Minc), STEP1 = IS_KIND(1, Minc), SHORT_FORM = IS_KIND(2, Moff) }; \
    uint32_t base = V(1), second = V(2), third = V(3);                                          \
    uint32_t at = STEP1        ? base                                                           \
                  : SHORT_FORM ? base + second * SIZE_##type                                    \
                               : base + second + (STEP2 ? 0 : third * SIZE_##type);             \
    REACH(at, SIZE_##type);                                                                     \
    uint64_t value = get_words(IS_IN(0, MRF) ? &w->m[op->r[0]] : &w->a[op->r[0]], SIZE_##type); \
    READY;                                                                                      \
    store_words(TO(at, SIZE_##type), value, SIZE_##type);                                       \
    if (STEP1) w->m[op->d[1]] = base + second * SIZE_##type;                                    \
    if (STEP2) w->m[op->d[2]] = second + third * SIZE_##type;                                   \
    STORED(at, SIZE_##type);                                                                    \
    return next;

/* --- packed pointers (Colossus ISA 8.1) ------------------------------------------------------------------------- */

enum { ADDRESS = 0x1fffff };

/* How far selector `select` moves a pointer to accesses of `bytes`: one, or a signed field of the stride register. */
static inline uint32_t pace(uint32_t stride, uint32_t select, unsigned bytes)
{
    if (!(select & 3)) return bytes;
    int32_t field = (int32_t)(stride << (32 - 10 * (select & 3))) >> 22;
    return (uint32_t)field * bytes;
}
/* The three pointers of a pair of registers, as a number of 64 bits. */
static inline uint32_t pointer0(uint64_t q)
{
    return (uint32_t)q & ADDRESS;
}
static inline uint32_t pointer1(uint64_t q)
{
    return (uint32_t)(q >> 32) & ADDRESS;
}
static inline uint32_t pointer2(uint64_t q)
{
    return (uint32_t)(q >> 21 & 0x7ff) | (uint32_t)(q >> 42 & 0x1ff800);
}
static inline uint64_t set_pointer2(uint64_t q, uint32_t at)
{
    return (q & UINT64_C(0x801fffff001fffff)) | (uint64_t)(at & 0x7ff) << 21 | (uint64_t)(at & 0x1ff800) << 42;
}
/* Moves pointers that have just been used: populated addresses are so far from both ends of the 21 bits that no
 * stride carries into a neighbour. */
static inline uint64_t move0(uint64_t q, uint32_t by)
{
    return q + (uint64_t)(int64_t)(int32_t)by;
}
static inline uint64_t move1(uint64_t q, uint32_t by)
{
    return q + ((uint64_t)by << 32);
}
static inline uint64_t move2(uint64_t q, uint32_t by)
{
    return set_pointer2(q, pointer2(q) + by);
}
/* By selector n of an instruction whose packed pointers are operand k; none: the next access of `bytes`. */
#define PACE(k, n, bytes) \
    (LIKELY(!(op->imm >> 2 * (n) & 3)) ? (bytes) : pace(w->m[op->r[(k) + 1]], op->imm >> 2 * (n), bytes))

#define SEM_LOAD_PACED(type, bytes)                                               \
    uint64_t q = get_pair(&w->m[op->r[2]]);                                       \
    uint32_t one = pointer0(q), two = pointer1(q);                                \
    REACH2(one, 8, two, bytes);                                                   \
    words v = load_PAIR(FROM(one, 8)), u = load_##type(FROM(two, SIZE_##type));   \
    READY;                                                                        \
    put_pair(&w->m[op->d[2]], move1(move0(q, PACE(2, 0, 8)), PACE(2, 1, bytes))); \
    put_words(&w->a[op->d[0]], &v, 8), put_words(&w->a[op->d[1]], &u, bytes);

#define SEM_LOAD_STORE_PACED                                                  \
    uint64_t q = get_pair(&w->m[op->r[2]]);                                   \
    uint32_t one = pointer0(q), two = pointer2(q);                            \
    REACH2(one, 8, two, 8);                                                   \
    words v = load_PAIR(FROM(one, 8));                                        \
    uint64_t value = get_pair(&w->a[op->r[1]]);                               \
    READY;                                                                    \
    store_words(TO(two, 8), value, 8);                                        \
    put_pair(&w->m[op->d[2]], move2(move0(q, PACE(2, 0, 8)), PACE(2, 1, 8))); \
    put_words(&w->a[op->d[0]], &v, 8);                                        \
    STORED(two, 8);                                                           \
    return next;

#define SEM_LOAD2_STORE_PACED                                                                             \
    uint64_t q = get_pair(&w->m[op->r[2]]);                                                               \
    uint32_t one = pointer0(q), two = pointer1(q), three = pointer2(q);                                   \
    if (UNLIKELY(!reachable(w, one, 8) || !reachable(w, two, 8) || !reachable(w, three, 8) ||             \
                 clash(w, one, two) || clash(w, one, three) || clash(w, two, three)))                     \
        return bad_access(w, op, 3, (const uint32_t[]){ one, two, three }, (const uint8_t[]){ 8, 8, 8 }); \
    words v = load_PAIR(FROM(one, 8)), u = load_PAIR(FROM(two, 8));                                       \
    uint64_t value = get_pair(&w->a[op->r[1]]);                                                           \
    READY;                                                                                                \
    store_words(TO(three, 8), value, 8);                                                                  \
    q = move1(move0(q, PACE(2, 0, 8)), PACE(2, 1, 8));                                                    \
    put_pair(&w->m[op->d[2]], move2(q, PACE(2, 2, 8)));                                                   \
    put_words(&w->a[op->d[0]], &v, 8), put_words(&w->a[op->d[0] + 2], &u, 8);                             \
    STORED(three, 8);                                                                                     \
    return next;

#define SEM_STORE_PACED                                 \
    uint64_t q = get_pair(&w->m[op->r[1]]);             \
    uint32_t at = pointer2(q);                          \
    REACH(at, 8);                                       \
    uint64_t value = get_pair(&w->a[op->r[0]]);         \
    READY;                                              \
    store_words(TO(at, 8), value, 8);                   \
    put_pair(&w->m[op->d[1]], move2(q, PACE(1, 0, 8))); \
    STORED(at, 8);                                      \
    return next;

#define SEM_PACK                                       \
    uint64_t q = join(V(1) & ADDRESS, V(2) & ADDRESS); \
    uint32_t third = V(3);                             \
    READY;                                             \
    put_pair(&w->m[op->d[0]], set_pointer2(q, third));

/* --- deltas from memory (8.2) ----------------------------------------------------------------------------------- */

#define SEM_LOAD_DENSE_SPARSE                                       \
    uint32_t one = V(1), two = V(2) + (V(3) & 0xffff);              \
    REACH2(one, 8, two, 4);                                         \
    words v = load_PAIR(FROM(one, 8)), u = load_WORD(FROM(two, 4)); \
    READY;                                                          \
    w->m[op->d[1]] = one + 8;                                       \
    w->a[op->d[0] + 1] = (uint32_t)u.low, put_pair(&w->a[op->d[0] + 2], v.low);

#define SEM_LOAD_SPARSE(type)                          \
    uint32_t one = V(1), two = V(2) + (V(3) & 0xffff); \
    REACH2(one, 2, two, SIZE_##type);                  \
    uint32_t delta = load16(FROM(one, 2));             \
    words v = load_##type(FROM(two, SIZE_##type));     \
    READY;                                             \
    w->m[op->d[3]] = delta, w->m[op->d[1]] = one + 2;  \
    put_words(&w->a[op->d[0]], &v, SIZE_##type);

#define SEM_LOAD_SPARSE2                              \
    uint32_t one = V(1), two = V(2) + (V(3) >> 16);   \
    REACH2(one, 4, two, 4);                           \
    uint32_t delta = load32(FROM(one, 4));            \
    words v = load_WORD(FROM(two, 4));                \
    READY;                                            \
    w->m[op->d[3]] = delta, w->m[op->d[1]] = one + 4; \
    put_words(&w->a[op->d[0]], &v, 4);

/* Which half of delta moves by what is modelled: the lower by 2, the upper by twice the low bits of mini. */
#define SEM_LOAD_TWO_HALVES                                                                 \
    uint32_t delta = V(2), mini = V(3);                                                     \
    uint32_t one = V(1) + (delta & 0xffff), two = V(1) + (delta >> 16);                     \
    REACH2(one, 2, two, 2);                                                                 \
    words v = load_HALVES(FROM(one, 2)), u = load_HALVES(FROM(two, 2));                     \
    READY;                                                                                  \
    w->m[op->d[3]] = mini >> 4;                                                             \
    w->m[op->d[2]] = ((delta + 2) & 0xffff) | ((delta & 0xffff0000) + ((mini & 15) << 17)); \
    put_pair(&w->a[op->d[0]], join((uint32_t)v.low, (uint32_t)u.low));

/* --- integers --------------------------------------------------------------------------------------------------- */

#undef SEM_U32 /* of the aux pipeline */
#define SEM_U32(expression)      \
    uint32_t x = V(1), y = V(2); \
    (void)x, (void)y;            \
    READY;                       \
    w->m[op->d[0]] = (uint32_t)(expression);

#define SEM_MOVE_IF              \
    uint32_t x = V(1), y = V(2); \
    READY;                       \
    if (x) w->m[op->d[0]] = y;

/* --- flow ------------------------------------------------------------------------------------------------------- */

static inline const tw__sim_op *jump(tw__sim_context *w, const tw__sim_op *op)
{
    if (LIKELY(op->target != NULL)) return op->target;
    return ((tw__sim_op *)op)->target = tw__sim_at(w, op->imm);
}

#define SEM_BRANCH(condition) \
    uint32_t x = V(0);        \
    (void)x;                  \
    READY;                    \
    if (condition) return jump(w, op);

#define SEM_BRANCH_TO(to) \
    uint32_t x = V(0);    \
    READY;                \
    return tw__sim_at(w, to);

#define SEM_BRANCH_DECREMENT    \
    uint32_t x = V(0);          \
    READY;                      \
    if (x) {                    \
        w->m[op->d[0]] = x - 1; \
        return jump(w, op);     \
    }

#define SEM_CALL                    \
    READY;                          \
    w->m[op->d[0]] = next->address; \
    return jump(w, op);

#endif
