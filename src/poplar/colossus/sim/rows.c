/* SPDX-License-Identifier: MIT */
/* The main pipeline: a function of every row, alone and as half of a bundle. What the rows say in their column `sem`
 * is a macro here, SEM_...; in it V(k) is the value of operand k. All read first, then check their addresses, then
 * READY runs the other half of a bundle, then they write. */
#include "poplar/colossus/sim/sim.h"

#include "poplar/colossus/sim/rows_aux.h"

#include <glib.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#define LIKELY(x)   __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define READY                                            \
    do {                                                 \
        if (half && UNLIKELY(!half(w, op))) return NULL; \
    } while (0)
#define V(k) ((int)F##k < 0 ? 0 : IS_IN(k, MRF) ? w->m[op->r[k]] : IS_IN(k, ARF) ? w->a[op->r[k]] : op->imm)

/* --- memory ----------------------------------------------------------------------------------------------------- */

static __attribute__((noinline, cold)) const tw__sim_op *
bad_access(tw__sim_context *w, const tw__sim_op *op, unsigned count, const uint32_t *at, const uint8_t *bytes)
{
    for (unsigned i = 0; i < count; i++) {
        tw_sim_cause cause = at[i] - w->base >= w->size             ? TW_SIM_CAUSE_INVALID_ADDRESS
                             : at[i] & (bytes[i] - 1u)              ? TW_SIM_CAUSE_MISALIGNED
                             : bytes[i] == 16 && at[i] < w->region1 ? TW_SIM_CAUSE_INVALID_REGION
                                                                    : TW_SIM_CAUSE_NONE;
        if (cause == TW_SIM_CAUSE_NONE) continue;
        tw__sim_fault(w, op->address, cause, count, at);
        return NULL;
    }
    tw__sim_fault(w, op->address, TW_SIM_CAUSE_CONFLICT, count, at);
    return NULL;
}

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

static inline uint8_t *at_host(const tw__sim_context *w, uint32_t at)
{
    return w->memory + (at - w->base);
}

/* Tells the decoded code that a store hit it; the record that runs now may be emptied by this. */
static inline void stored(tw__sim_context *w, uint32_t at, unsigned bytes)
{
    if (UNLIKELY(w->code_map[(at - w->base) >> TW__SIM_PAGE_BITS])) tw__sim_drop_code(w->sim, at, bytes);
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
    words v = load_##type(at_host(w, at));                                                       \
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
    store_words(at_host(w, at), value, SIZE_##type);                                            \
    if (STEP1) w->m[op->d[1]] = base + second * SIZE_##type;                                    \
    if (STEP2) w->m[op->d[2]] = second + third * SIZE_##type;                                   \
    stored(w, at, SIZE_##type);                                                                 \
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
    words v = load_PAIR(at_host(w, one)), u = load_##type(at_host(w, two));       \
    READY;                                                                        \
    put_pair(&w->m[op->d[2]], move1(move0(q, PACE(2, 0, 8)), PACE(2, 1, bytes))); \
    put_words(&w->a[op->d[0]], &v, 8), put_words(&w->a[op->d[1]], &u, bytes);

#define SEM_LOAD_STORE_PACED                                                  \
    uint64_t q = get_pair(&w->m[op->r[2]]);                                   \
    uint32_t one = pointer0(q), two = pointer2(q);                            \
    REACH2(one, 8, two, 8);                                                   \
    words v = load_PAIR(at_host(w, one));                                     \
    uint64_t value = get_pair(&w->a[op->r[1]]);                               \
    READY;                                                                    \
    store_words(at_host(w, two), value, 8);                                   \
    put_pair(&w->m[op->d[2]], move2(move0(q, PACE(2, 0, 8)), PACE(2, 1, 8))); \
    put_words(&w->a[op->d[0]], &v, 8);                                        \
    stored(w, two, 8);                                                        \
    return next;

#define SEM_LOAD2_STORE_PACED                                                                             \
    uint64_t q = get_pair(&w->m[op->r[2]]);                                                               \
    uint32_t one = pointer0(q), two = pointer1(q), three = pointer2(q);                                   \
    if (UNLIKELY(!reachable(w, one, 8) || !reachable(w, two, 8) || !reachable(w, three, 8) ||             \
                 clash(w, one, two) || clash(w, one, three) || clash(w, two, three)))                     \
        return bad_access(w, op, 3, (const uint32_t[]){ one, two, three }, (const uint8_t[]){ 8, 8, 8 }); \
    words v = load_PAIR(at_host(w, one)), u = load_PAIR(at_host(w, two));                                 \
    uint64_t value = get_pair(&w->a[op->r[1]]);                                                           \
    READY;                                                                                                \
    store_words(at_host(w, three), value, 8);                                                             \
    q = move1(move0(q, PACE(2, 0, 8)), PACE(2, 1, 8));                                                    \
    put_pair(&w->m[op->d[2]], move2(q, PACE(2, 2, 8)));                                                   \
    put_words(&w->a[op->d[0]], &v, 8), put_words(&w->a[op->d[0] + 2], &u, 8);                             \
    stored(w, three, 8);                                                                                  \
    return next;

#define SEM_STORE_PACED                                 \
    uint64_t q = get_pair(&w->m[op->r[1]]);             \
    uint32_t at = pointer2(q);                          \
    REACH(at, 8);                                       \
    uint64_t value = get_pair(&w->a[op->r[0]]);         \
    READY;                                              \
    store_words(at_host(w, at), value, 8);              \
    put_pair(&w->m[op->d[1]], move2(q, PACE(1, 0, 8))); \
    stored(w, at, 8);                                   \
    return next;

#define SEM_PACK                                       \
    uint64_t q = join(V(1) & ADDRESS, V(2) & ADDRESS); \
    uint32_t third = V(3);                             \
    READY;                                             \
    put_pair(&w->m[op->d[0]], set_pointer2(q, third));

/* --- deltas from memory (8.2) ----------------------------------------------------------------------------------- */

#define SEM_LOAD_DENSE_SPARSE                                             \
    uint32_t one = V(1), two = V(2) + (V(3) & 0xffff);                    \
    REACH2(one, 8, two, 4);                                               \
    words v = load_PAIR(at_host(w, one)), u = load_WORD(at_host(w, two)); \
    READY;                                                                \
    w->m[op->d[1]] = one + 8;                                             \
    w->a[op->d[0] + 1] = (uint32_t)u.low, put_pair(&w->a[op->d[0] + 2], v.low);

#define SEM_LOAD_SPARSE(type)                          \
    uint32_t one = V(1), two = V(2) + (V(3) & 0xffff); \
    REACH2(one, 2, two, SIZE_##type);                  \
    uint32_t delta = load16(at_host(w, one));          \
    words v = load_##type(at_host(w, two));            \
    READY;                                             \
    w->m[op->d[3]] = delta, w->m[op->d[1]] = one + 2;  \
    put_words(&w->a[op->d[0]], &v, SIZE_##type);

#define SEM_LOAD_SPARSE2                              \
    uint32_t one = V(1), two = V(2) + (V(3) >> 16);   \
    REACH2(one, 4, two, 4);                           \
    uint32_t delta = load32(at_host(w, one));         \
    words v = load_WORD(at_host(w, two));             \
    READY;                                            \
    w->m[op->d[3]] = delta, w->m[op->d[1]] = one + 4; \
    put_words(&w->a[op->d[0]], &v, 4);

/* Which half of delta moves by what is modelled: the lower by 2, the upper by twice the low bits of mini. */
#define SEM_LOAD_TWO_HALVES                                                                 \
    uint32_t delta = V(2), mini = V(3);                                                     \
    uint32_t one = V(1) + (delta & 0xffff), two = V(1) + (delta >> 16);                     \
    REACH2(one, 2, two, 2);                                                                 \
    words v = load_HALVES(at_host(w, one)), u = load_HALVES(at_host(w, two));               \
    READY;                                                                                  \
    w->m[op->d[3]] = mini >> 4;                                                             \
    w->m[op->d[2]] = ((delta + 2) & 0xffff) | ((delta & 0xffff0000) + ((mini & 15) << 17)); \
    put_pair(&w->a[op->d[0]], join((uint32_t)v.low, (uint32_t)u.low));

/* --- integers --------------------------------------------------------------------------------------------------- */

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

#define SEM_CALL                        \
    READY;                              \
    w->m[op->d[0]] = next->address;     \
    return jump(w, op);

#define SEM_EXIT(status)                                                          \
    uint32_t x = V(0);                                                            \
    w->state = TW_SIM_IDLE, w->exit_status = (status), w->pc = next->address;     \
    return NULL;

static const tw__sim_op *trap(tw__sim_context *w, const tw__sim_op *op)
{
    tw__sim_fault(w, op->address, op->imm & 1 ? TW_SIM_CAUSE_TRAP1 : TW_SIM_CAUSE_TRAP0, 0, NULL);
    return NULL;
}
#define SEM_TRAP return trap(w, op);

/* --- repeat loops ----------------------------------------------------------------------------------------------- */

bool tw__sim_body_fits(tw__sim_context *w, const tw__sim_op *op)
{
    if (op->run == tw__sim_first) tw__sim_decode(w->sim, (tw__sim_op *)op);
    return op->row < TW__OP_COUNT && op->aux_row < TW__OP_COUNT &&
           !((tw__isa_rows[op->row].flags | tw__isa_rows[op->aux_row].flags) & (TW_ISA_CONTROL | TW_ISA_SYSTEM));
}

bool tw__sim_body_checked(tw__sim_context *w)
{
    for (uint32_t address = w->repeat_first; address < w->repeat_end; address += 8) {
        if (address - w->base >= w->region1 - w->base) return false; /* the loop finds out when it comes there */
        if (!tw__sim_body_fits(w, tw__sim_at(w, address))) return false;
    }
    return true;
}

static const tw__sim_op *begin_repeat(tw__sim_context *w, const tw__sim_op *op, uint32_t count, uint32_t size)
{
    uint32_t first = op->next->address, mask = w->sim->arch == TW_ISA_IPU1 ? 0xfff : 0xffff;
    if (w->repeat_count) {
        tw__sim_fault(w, op->address, TW_SIM_CAUSE_INSTRUCTION_IN_REPEAT, 0, NULL);
        return NULL;
    }
    if (first & 7) {
        tw__sim_fault(w, op->address, TW_SIM_CAUSE_REPEAT_MISALIGNED, 1, &first);
        return NULL;
    }
    count &= mask;
    if (!count) return tw__sim_at(w, first + 8 * size);
    w->repeat_count = count, w->repeat_first = first, w->repeat_end = first + 8 * size;
    if (w->stepping) {
        w->sim->loops++, w->odd = true;
        return op->next;
    }
    const tw__sim_op *body = tw__sim_at(w, first), *after = body ? tw__sim_repeat(w, body) : NULL;
    if (!after) w->extra++; /* rpt itself has retired, what stopped is in its body */
    return after;
}
#define SEM_REPEAT                                                    \
    uint32_t count = V(0), size = IS_KIND(0, M) ? op->imm : op->r[3]; \
    READY;                                                            \
    w->extra++; /* rpt itself, before the turns of its body */        \
    const tw__sim_op *after = begin_repeat(w, op, count, size + 1);   \
    w->extra--;                                                       \
    return after;

/* --- system ----------------------------------------------------------------------------------------------------- */

static const tw__sim_op *rows_bad(tw__sim_context *w, const tw__sim_op *op, tw_sim_cause cause)
{
    tw__sim_fault(w, op->address, cause, 0, NULL);
    return NULL;
}

#define SEM_GET                                                                                 \
    uint32_t value;                                                                             \
    w->pc = op->address;                                                                        \
    if (!tw__sim_csr_get(w, op->imm, &value)) return rows_bad(w, op, TW_SIM_CAUSE_INVALID_CSR); \
    READY;                                                                                      \
    w->m[op->d[0]] = value;

#define SEM_PUT                                                                               \
    uint32_t value = V(1), old;                                                               \
    if (!tw__sim_csr_get(w, op->imm, &old)) return rows_bad(w, op, TW_SIM_CAUSE_INVALID_CSR); \
    READY;                                                                                    \
    tw__sim_csr_put(w, op->imm, value);

static const tw__sim_op *load_weights(tw__sim_context *w, const tw__sim_op *op, unsigned count)
{
    uint32_t *load = &w->csr[0x50], at = *load, limit = w->sim->arch == TW_ISA_IPU1 ? 32 : 64;
    if (op->imm + count > limit) return rows_bad(w, op, TW_SIM_CAUSE_INVALID_WEIGHT);
    REACH(at, 8);
    if (count == 2 && (at & 15 || at < w->region1)) return bad_access(w, op, 1, &at, (const uint8_t[]){ 16 });
    for (unsigned i = 0; i < count; i++) {
        const uint8_t *p = at_host(w, at) + 8 * i;
        tw__sim_set_weight(w->sim, op->imm + i, load64(p));
    }
    *load = at + 8 * count;
    return op->next;
}
#define SEM_LOAD_WEIGHTS(count) \
    READY;                      \
    return load_weights(w, op, count);

static bool can_start(const tw__sim_context *w, const tw__sim_op *op, uint32_t entry, uint32_t base)
{
    tw_sim_cause cause = entry & 3 || entry - w->base >= w->region1 - w->base ? TW_SIM_CAUSE_INVALID_WORKER_PC
                         : base & 3 ? TW_SIM_CAUSE_INVALID_WORKER_VERTEX_BASE
                                    : TW_SIM_CAUSE_NONE;
    if (cause != TW_SIM_CAUSE_NONE) rows_bad((tw__sim_context *)w, op, cause);
    return cause == TW_SIM_CAUSE_NONE;
}

static const tw__sim_op *run_one(tw__sim_context *w, const tw__sim_op *op, uint32_t entry, uint32_t base)
{
    tw_sim *sim = w->sim;
    base += 4 * op->imm + w->base;
    if (!can_start(w, op, entry, base)) return NULL;
    for (unsigned i = 0; i < TW_SIM_WORKERS; i++) {
        if (sim->contexts[i].state != TW_SIM_IDLE) continue;
        tw__sim_begin(&sim->contexts[i], entry, base, tw__sim_cycle_now(w) + 1);
        return op->next;
    }
    return rows_bad(w, op, TW_SIM_CAUSE_WORKER_ACTIVE);
}
#define SEM_RUN                         \
    uint32_t entry = V(0), base = V(1); \
    return run_one(w, op, entry, base);

static const tw__sim_op *run_all(tw__sim_context *w, const tw__sim_op *op, uint32_t entry, uint32_t base)
{
    tw_sim *sim = w->sim;
    bool active = false;
    for (unsigned i = 0; i < TW_SIM_WORKERS; i++) active |= sim->contexts[i].state != TW_SIM_IDLE;
    if (active) {
        w->csr[1] |= 8; /* SSR.RAERR */
        for (unsigned i = 0; i < TW_SIM_WORKERS; i++)
            if (sim->contexts[i].state == TW_SIM_ACTIVE)
                tw__sim_fault(&sim->contexts[i], sim->contexts[i].pc, TW_SIM_CAUSE_WORKER_ACTIVE, 0, NULL);
        return rows_bad(w, op, TW_SIM_CAUSE_WORKER_ACTIVE);
    }
    for (unsigned i = 0; i < TW_SIM_WORKERS; i++)
        if (!can_start(w, op, entry, base + 4 * op->imm * i)) return NULL;
    for (unsigned i = 0; i < TW_SIM_WORKERS; i++)
        tw__sim_begin(&sim->contexts[i], entry, base + 4 * op->imm * i, tw__sim_cycle_now(w) + 1 + i);
    return op->next;
}
#define SEM_RUN_ALL                     \
    uint32_t entry = V(0), base = V(1); \
    return run_all(w, op, entry, base);

/* Zone 2 waits for the workers of this tile: the supervisor stays here. All else is between tiles. */
static const tw__sim_op *wait_outside(tw__sim_context *w, const tw__sim_op *op)
{
    w->sim->waiting = true;
    return op->next;
}
#define SEM_SYNC                                  \
    if (op->imm != 2) return wait_outside(w, op); \
    if (tw__sim_active_workers(w->sim)) {         \
        w->blocked = true;                        \
        return op;                                \
    }
#define SEM_EXCHANGE return wait_outside(w, op);

/* --- the functions of the rows ---------------------------------------------------------------------------------- */

#define X_AUX(id, ops, sem)
#define X_MAIN(id, ops, sem)                                                                           \
    static inline __attribute__((always_inline))                                                       \
    const tw__sim_op *main_##id(tw__sim_context *w, const tw__sim_op *op, tw__sim_run_aux *const half, \
                                const tw__sim_op *next)                                                \
    {                                                                                                  \
        ENUM_##ops(void) half;                                                                         \
        SEM_##sem return next;                                                                         \
    }                                                                                                  \
    static const tw__sim_op *main_solo_##id(tw__sim_context *w, const tw__sim_op *op)                  \
    {                                                                                                  \
        return main_##id(w, op, NULL, op + 1);                                                         \
    }                                                                                                  \
    static const tw__sim_op *main_lone_##id(tw__sim_context *w, const tw__sim_op *op)                  \
    {                                                                                                  \
        return main_##id(w, op, NULL, op + 2);                                                         \
    }                                                                                                  \
    static const tw__sim_op *main_both_##id(tw__sim_context *w, const tw__sim_op *op)                  \
    {                                                                                                  \
        return main_##id(w, op, op->aux, op + 2);                                                      \
    }
#define X(id, name, pipe, context, archs, form, bits, ops, accesses, cycles, flags, sem, doc) X_##pipe(id, ops, sem)
#include "poplar/colossus/isa/isa.def"
#undef X
#undef X_MAIN
#undef X_AUX

#define X_MAIN(id) [TW__OP_##id] = { main_solo_##id, main_lone_##id, main_both_##id, NULL },
#define X_AUX(id)
#define X(id, name, pipe, ...) X_##pipe(id)
const tw__sim_functions tw__sim_main_rows[TW__OP_COUNT] = {
#include "poplar/colossus/isa/isa.def"
};
#undef X
#undef X_MAIN
#undef X_AUX

const tw__sim_op *tw__sim_aux_only(tw__sim_context *w, const tw__sim_op *op)
{
    return op->aux(w, op) ? op + 2 : NULL;
}

/* --- fused pairs ------------------------------------------------------------------------------------------------ */

/* Bundles of inner loops get a function with both halves in it; it does the same as the function of the main half
 * that calls the other one. */
#define PAIRS(X)                \
    X(ldst64pace, f32v2axpy)    \
    X(ldst64pace, f32v2add)     \
    X(ldst64pace, f32v2mul)     \
    X(ldst64pace, f16v4add)     \
    X(ldst64pace, f16v4mul)     \
    X(ld2x64pace, f32v2add)     \
    X(ld2x64pace, f32v2mul)     \
    X(ld2x64pace, f32v2mac)     \
    X(ld2x64pace, f16v4sisoamp) \
    X(ld64step_s, f32v2add)     \
    X(ld64step_s, f32v2mul)     \
    X(ld64step_s, f32v2axpy)    \
    X(ld64step_s, f16v4sisoamp) \
    X(ld64step_s, f16v4hihoamp) \
    X(st64step_s, f32v2add)     \
    X(st64step_s, f32v2mul)     \
    X(st64pace, f32v2axpy)
#define FUSE(main, aux)                                                                     \
    static const tw__sim_op *fused_##main##_##aux(tw__sim_context *w, const tw__sim_op *op) \
    {                                                                                       \
        return main_##main(w, op, half_##aux, op + 2);                                      \
    }
PAIRS(FUSE)
#undef FUSE

tw__sim_run_op *tw__sim_fused(unsigned main, unsigned aux)
{
#define FUSE(m, a) \
    if (main == TW__OP_##m && aux == TW__OP_##a) return fused_##m##_##a;
    PAIRS(FUSE)
#undef FUSE
    return NULL;
}

/* --- the loop --------------------------------------------------------------------------------------------------- */

#include "poplar/colossus/sim/rows_span.h"

/* Turns that one iteration takes at most. */
static uint64_t body_turns(tw__sim_context *w)
{
    uint64_t turns = 0;
    for (uint32_t address = w->repeat_first; address < w->repeat_end; address += 8) {
        const tw__sim_op *op = tw__sim_at(w, address);
        turns += MAX(tw__isa_rows[op->row].cycles, tw__isa_rows[op->aux_row].cycles);
    }
    return turns;
}

/* As many iterations as can run at once. NULL: an exception, else where to go on. */
static const tw__sim_op *run_spans(tw__sim_context *w, const tw__sim_op *first, uint32_t size, uint64_t *done,
                                   uint64_t *again)
{
    while (*again == 0) {
        uint64_t used = *done + w->turn + w->extra, count = MIN(w->repeat_count, (w->left - used) / size);
        unsigned bundles;
        bool fault;
        if (count < SPAN_LEAST) break;
        uint64_t ran = span_run(w, w->repeat_first, size, count, &bundles, &fault, again);
        *done += ran * size + bundles, w->repeat_count -= (uint32_t)ran;
        if (fault) return NULL;
        if (!w->repeat_count) return tw__sim_at(w, w->repeat_end - 8)->next;
    }
    return first;
}

const tw__sim_op *tw__sim_repeat(tw__sim_context *w, const tw__sim_op *op)
{
    const tw__sim_op *next;
    const tw__sim_op *first = op->address == w->repeat_first ? op : tw__sim_at(w, w->repeat_first);
    if (!first) return NULL;
    uint32_t size = (w->repeat_end - w->repeat_first) / 8, k = (op->address - w->repeat_first) / 8;
    if (!tw__sim_body_checked(w)) {
        w->pc = op->address;
        return NULL;
    }
    uint64_t done = 0, again = 0, most = body_turns(w); /* again: iterations until spans are tried */
    for (;;) {
        if (!again && !k) {
            op = run_spans(w, first, size, &done, &again);
            if (!op || !w->repeat_count) break;
        }
        if (UNLIKELY(done + w->turn + w->extra + most > w->left)) {
            w->pc = op->address, op = NULL;
            break;
        }
        uint32_t rest = size - k;
        for (; LIKELY(rest) && LIKELY((next = op->run(w, op)) != NULL); op = next) rest--;
        done += size - k - rest;
        if (UNLIKELY(rest)) {
            op = NULL;
            break;
        }
        if (!--w->repeat_count) break;
        op = first, k = 0;
        if (again != UINT64_MAX && again) again--;
    }
    w->extra += done;
    return op;
}

#include "poplar/colossus/sim/rows_lanes.h"
