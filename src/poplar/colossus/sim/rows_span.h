/* SPDX-License-Identifier: MIT */
/* Spans, a part of rows.c: many iterations of a repeat body whose addresses are known beforehand.
 *
 * Pointers of inner loops move by constants, so the addresses of a span of iterations are two numbers for each
 * access, a start and a step. A span ends where one of them leaves its 16 KB: within, one look at the start says for
 * all of it that addresses are populated and aligned, that no bundle has a clash, and that no code is overwritten.
 * What is left of a bundle is the work itself. Everything else - bodies with other instructions, faults, ends of
 * spans - is done bundle by bundle as always; the results are the same bit by bit. */
#ifndef TW_COLOSSUS_SIM_ROWS_SPAN_H
#define TW_COLOSSUS_SIM_ROWS_SPAN_H

#include "poplar/colossus/sim/sim.h"

enum { SPAN_BUNDLES = 16, SPAN_POINTERS = 6, SPAN_LEAST = 8, SPAN_BLOCK = 0x4000 };

typedef struct slot slot;
typedef bool span_slot(tw__sim_context *w, const slot *s, ptrdiff_t i);
struct slot { /* a bundle of the body */
    const tw__sim_op *op;
    span_slot *run;
    uint8_t *host[3]; /* of the first iteration */
    ptrdiff_t step[3];
    uint32_t start[3];
    uint8_t pointer[3], field[3]; /* where they come from */
    int32_t by[3];                /* how far the bundle moves them */
    uint8_t count, stores;        /* accesses; bit k: access k is a store */
};

typedef struct span_pointer { /* registers that hold addresses */
    uint8_t reg;
    bool packed; /* three in a pair; else one, added to a base */
    uint32_t start[3];
    int32_t moved[3]; /* by the part of the body that has been looked at */
} span_pointer;

typedef struct span {
    tw__sim_context *w;
    uint32_t size;
    slot slots[SPAN_BUNDLES];
    span_pointer pointers[SPAN_POINTERS];
    unsigned pointer_count;
    uint32_t written, constant; /* sets of $m registers that the body writes, and that it must not write */
} span;

/* --- the work of a bundle --------------------------------------------------------------------------------------- */

static inline uint8_t *span_at(const slot *s, unsigned k, ptrdiff_t i)
{
    return s->host[k] + i * s->step[k];
}

/* Loads, then what the other half does, then stores and writes, as the functions of the rows. */
#define SPAN_ldst64pace                                                       \
    uint64_t v = load64(span_at(s, 0, i)), value = get_pair(&w->a[op->r[1]]); \
    HALF;                                                                     \
    store_words(span_at(s, 1, i), value, 8);                                  \
    put_pair(&w->a[op->d[0]], v);
#define SPAN_ld2x64pace                                                  \
    uint64_t v = load64(span_at(s, 0, i)), u = load64(span_at(s, 1, i)); \
    HALF;                                                                \
    put_pair(&w->a[op->d[0]], v), put_pair(&w->a[op->d[1]], u);
#define SPAN_ld2xst64pace                                                \
    uint64_t v = load64(span_at(s, 0, i)), u = load64(span_at(s, 1, i)); \
    uint64_t value = get_pair(&w->a[op->r[1]]);                          \
    HALF;                                                                \
    store_words(span_at(s, 2, i), value, 8);                             \
    put_pair(&w->a[op->d[0]], v), put_pair(&w->a[op->d[0] + 2], u);
#define SPAN_st64pace                           \
    uint64_t value = get_pair(&w->a[op->r[0]]); \
    HALF;                                       \
    store_words(span_at(s, 0, i), value, 8);
#define SPAN_ld64step_s                    \
    uint64_t v = load64(span_at(s, 0, i)); \
    HALF;                                  \
    put_pair(&w->a[op->d[0]], v);
#define SPAN_st64step_s SPAN_st64pace
#define SPAN_setzi_m \
    (void)i;         \
    HALF;

#define SPAN_MAINS(X) \
    X(ldst64pace)     \
    X(ld2x64pace)     \
    X(ld2xst64pace)   \
    X(st64pace)       \
    X(ld64step_s)     \
    X(st64step_s)     \
    X(setzi_m)

#define HALF \
    if (UNLIKELY(!half(w, op))) return false
#define X(main)                                                                                            \
    static inline __attribute__((always_inline)) bool span_main_##main(tw__sim_context *w, const slot *s,  \
                                                                       ptrdiff_t i, tw__sim_run_aux *half) \
    {                                                                                                      \
        const tw__sim_op *op = s->op;                                                                      \
        SPAN_##main return true;                                                                           \
    }                                                                                                      \
    static bool span_any_##main(tw__sim_context *w, const slot *s, ptrdiff_t i)                            \
    {                                                                                                      \
        return span_main_##main(w, s, i, s->op->aux);                                                      \
    }
SPAN_MAINS(X)
#undef X
#undef HALF

/* Bundles of inner loops with both halves in one function. */
#define SPAN_PAIRS(X)           \
    X(ldst64pace, f32v2axpy)    \
    X(ldst64pace, f32v2add)     \
    X(ldst64pace, f32v2mul)     \
    X(ld2x64pace, f32v2add)     \
    X(ld2x64pace, f32v2mul)     \
    X(ld2x64pace, f32v2mac)     \
    X(ld2xst64pace, f32v2add)   \
    X(ld2xst64pace, f32v2axpy)  \
    X(ld64step_s, f32v2add)     \
    X(ld64step_s, f32v2axpy)    \
    X(ld64step_s, f16v4sisoamp) \
    X(ld64step_s, f16v4hihoamp) \
    X(st64step_s, f32v2mul)
#define X(main, aux)                                                                \
    static bool span_##main##_##aux(tw__sim_context *w, const slot *s, ptrdiff_t i) \
    {                                                                               \
        return span_main_##main(w, s, i, half_##aux);                               \
    }
SPAN_PAIRS(X)
#undef X

static span_slot *span_function(unsigned main, unsigned aux)
{
#define X(m, a) \
    if (main == TW__OP_##m && aux == TW__OP_##a) return span_##m##_##a;
    SPAN_PAIRS(X)
#undef X
#define X(m) \
    if (main == TW__OP_##m) return span_any_##m;
    SPAN_MAINS(X)
#undef X
    return NULL;
}

/* --- looking at a body ------------------------------------------------------------------------------------------ */

/* The pointer in these registers, made when it is new; NULL: no room, or it overlaps another one. */
static span_pointer *span_find(span *p, uint8_t reg, bool packed)
{
    uint32_t mask = (packed ? 3u : 1u) << reg;
    for (unsigned i = 0; i < p->pointer_count; i++)
        if (p->pointers[i].reg == reg && p->pointers[i].packed == packed) return &p->pointers[i];
    if (p->pointer_count == SPAN_POINTERS || (p->written & mask)) return NULL;
    span_pointer *made = &p->pointers[p->pointer_count++];
    *made = (span_pointer){ .reg = reg, .packed = packed };
    p->written |= mask;
    uint64_t q = get_pair(&p->w->m[packed ? reg : reg & ~1]);
    if (packed)
        made->start[0] = pointer0(q), made->start[1] = pointer1(q), made->start[2] = pointer2(q);
    else
        made->start[0] = p->w->m[reg];
    return made;
}

static void span_access(span *p, slot *s, span_pointer *from, unsigned field, int32_t by, uint32_t base, bool store)
{
    unsigned k = s->count++;
    s->pointer[k] = (uint8_t)(from - p->pointers), s->field[k] = (uint8_t)field, s->by[k] = by;
    s->start[k] = base + from->start[field] + (uint32_t)from->moved[field];
    s->stores |= (uint8_t)(store << k);
}

/* Fields of a packed pointer that are used, in the order of the selectors; bit 4: a store. */
static bool span_paced(span *p, slot *s, unsigned operand, const uint8_t *fields, unsigned count)
{
    const tw__sim_op *op = s->op;
    if (op->d[operand] == TW__SIM_SINK) return false;
    span_pointer *from = span_find(p, op->r[operand], true);
    for (unsigned n = 0; n < count && from; n++) {
        if (op->imm >> 2 * n & 3) p->constant |= 1u << op->r[operand + 1];
        int32_t by = (int32_t)pace(p->w->m[op->r[operand + 1]], op->imm >> 2 * n, 8);
        span_access(p, s, from, fields[n] & 3, by, 0, fields[n] & 4);
    }
    return from != NULL;
}

static bool span_step(span *p, slot *s, bool store)
{
    const tw__sim_op *op = s->op;
    if (op->d[2] == TW__SIM_SINK) return false;
    span_pointer *from = span_find(p, op->r[2], false);
    if (!from) return false;
    p->constant |= 1u << op->r[1];
    span_access(p, s, from, 0, (int32_t)op->imm * 8, p->w->m[op->r[1]], store);
    return true;
}

static bool span_bundle(span *p, slot *s)
{
    static const uint8_t load_store[] = { 0, 2 | 4 }, loads[] = { 0, 1 }, all[] = { 0, 1, 2 | 4 },
                         one[] = { 2 | 4 };
    const tw__sim_op *op = s->op;
    const tw__sim_functions *functions = &tw__sim_main_rows[op->row];
    bool plain = op->run == functions->bundled || op->run == functions->lone || op->run == tw__sim_aux_only ||
                 op->run == tw__sim_fused(op->row, op->aux_row); /* else it raises an exception */
    s->run = plain ? span_function(op->row, op->aux_row) : NULL;
    if (!s->run || tw__isa_rows[op->aux_row].cycles != 1) return false;
    switch (op->row) {
    case TW__OP_ldst64pace: return span_paced(p, s, 2, load_store, 2);
    case TW__OP_ld2x64pace: return span_paced(p, s, 2, loads, 2);
    case TW__OP_ld2xst64pace: return span_paced(p, s, 2, all, 3);
    case TW__OP_st64pace: return span_paced(p, s, 1, one, 1);
    case TW__OP_ld64step_s: return span_step(p, s, false);
    case TW__OP_st64step_s: return span_step(p, s, true);
    default: return op->d[0] == TW__SIM_SINK; /* nop */
    }
}

/* False: the body cannot run in spans. They begin with its bundle `from`. */
static bool span_of_body(span *p, tw__sim_context *w, uint32_t first, uint32_t size, uint32_t from)
{
    if (size > SPAN_BUNDLES) return false;
    p->w = w, p->size = size, p->pointer_count = 0, p->written = p->constant = 0;
    for (uint32_t j = 0; j < size; j++) {
        slot *s = &p->slots[j];
        *s = (slot){ .op = tw__sim_at(w, first + 8 * ((j + from) % size)) };
        if (s->op->run == NULL || s->op->row >= TW__OP_COUNT || s->op->aux_row >= TW__OP_COUNT ||
            !span_bundle(p, s))
            return false;
        for (unsigned k = 0; k < s->count; k++) p->pointers[s->pointer[k]].moved[s->field[k]] += s->by[k];
    }
    return !(p->written & p->constant);
}

/* --- how long a span may be ------------------------------------------------------------------------------------- */

/* Iterations until an access leaves its block of 16 KB. */
static uint64_t span_inside(uint32_t start, int64_t step)
{
    uint32_t in = start % SPAN_BLOCK;
    return step > 0 ? (SPAN_BLOCK - 8 - in) / (uint64_t)step + 1 : step < 0 ? in / (uint64_t)-step + 1 : UINT64_MAX;
}

/* Within their blocks: can these two ever hit one bank? */
static bool span_may_clash(const tw__sim_context *w, uint32_t a, int64_t step_a, uint32_t b, int64_t step_b)
{
    bool interleaved = a >= w->region1;
    if (!w->clashes || ((a ^ b) & (interleaved ? 0x1f8000u : 0x1fc000u))) return false;
    return !interleaved || !((a ^ b) & 8) || ((step_a ^ step_b) & 8);
}

static bool span_hits_code(const tw__sim_context *w, uint32_t start, int64_t step, uint64_t count)
{
    uint32_t last = start + (uint32_t)(step * (int64_t)(count - 1)), low = MIN(start, last),
             high = MAX(start, last);
    for (uint32_t page = (low - w->base) >> TW__SIM_PAGE_BITS; page <= (high + 7 - w->base) >> TW__SIM_PAGE_BITS;
         page++)
        if (w->code_map[page]) return true;
    return false;
}

/* How many of `count` iterations can run as a span; 0: a fault may be among them. */
static uint64_t span_length(span *p, uint64_t count)
{
    const tw__sim_context *w = p->w;
    for (uint32_t j = 0; j < p->size; j++) {
        slot *s = &p->slots[j];
        for (unsigned k = 0; k < s->count; k++) {
            uint32_t at = s->start[k];
            s->step[k] = p->pointers[s->pointer[k]].moved[s->field[k]];
            if (at - w->base >= w->size || at & 7 || s->step[k] & 7) return 0;
            count = MIN(count, span_inside(at, s->step[k]));
            s->host[k] = w->memory + (at - w->base);
            for (unsigned n = 0; n < k; n++)
                if (span_may_clash(w, s->start[n], s->step[n], at, s->step[k])) return 0;
        }
    }
    for (uint32_t j = 0; j < p->size; j++)
        for (unsigned k = 0; k < p->slots[j].count; k++)
            if ((p->slots[j].stores >> k & 1) &&
                span_hits_code(w, p->slots[j].start[k], p->slots[j].step[k], count))
                return 0;
    return count;
}

/* --- running ---------------------------------------------------------------------------------------------------- */

#if defined(__SSE2__)
/* The guide's loop (7.4.3): one or two bundles { ldst64pace ; f32v2axpy }. Registers are in an array of this
 * function, which no store to the tile's memory can change. Stops before a bundle whose result is an infinity or a
 * NaN. */
static inline __attribute__((always_inline)) ptrdiff_t span_axpy(const span *p, ptrdiff_t count, unsigned size,
                                                                 unsigned *bundle)
{
    tw__sim_context *w = p->w;
    uint32_t a[TW__SIM_REGISTERS];
    uint8_t *from[2], *to[2];
    ptrdiff_t i;
    unsigned j = 0;
    memcpy(a, w->a, sizeof a);
    for (unsigned k = 0; k < size; k++) from[k] = p->slots[k].host[0], to[k] = p->slots[k].host[1];
    ptrdiff_t load = p->slots[0].step[0], store = p->slots[0].step[1]; /* one pair of registers: equal steps */
    const __m128d scale = _mm_set1_pd((double)tw__fp_float(w->tas));
    const __m128i top = _mm_set1_epi32(0x7f800000);
    __m128i e = _mm_loadl_epi64((const __m128i *)(const void *)w->e);
    uint8_t rs[2], rd[2], rx[2], ry[2], out[2];
    for (unsigned k = 0; k < size; k++) {
        const tw__sim_op *op = p->slots[k].op;
        rs[k] = op->r[1], rd[k] = op->d[0], rx[k] = op->ar[1], ry[k] = op->ar[2], out[k] = op->ad;
    }
    for (i = 0; i < count; i++) {
        for (j = 0; j < size; j++) {
            __m128d x = _mm_cvtps_pd(_mm_castsi128_ps(_mm_loadl_epi64((const __m128i *)(const void *)&a[rx[j]])));
            __m128d y = _mm_cvtps_pd(_mm_castsi128_ps(_mm_loadl_epi64((const __m128i *)(const void *)&a[ry[j]])));
            __m128i t = _mm_castps_si128(_mm_cvtpd_ps(_mm_add_pd(_mm_mul_pd(x, scale), y)));
            if (UNLIKELY(_mm_movemask_epi8(_mm_cmpeq_epi32(_mm_and_si128(t, top), top)))) goto out;
            uint64_t v = load64(from[j]), value = get_pair(&a[rs[j]]);
            store_words(to[j], value, 8);
            put_pair(&a[rd[j]], v);
            _mm_storel_epi64((__m128i *)(void *)&a[out[j]], e);
            e = t, from[j] += load, to[j] += store;
        }
        j = 0;
    }
out:
    memcpy(w->a, a, sizeof a);
    _mm_storel_epi64((__m128i *)(void *)w->e, e);
    *bundle = j;
    return i;
}

static ptrdiff_t span_hot(const span *p, ptrdiff_t count, unsigned *bundle)
{
    bool fits = TW__FP_HOST_FLUSHES && p->size <= 2 && p->pointer_count == 1 && !p->w->fp_slow;
    for (uint32_t j = 0; j < p->size && fits; j++)
        fits = p->slots[j].op->row == TW__OP_ldst64pace && p->slots[j].op->aux_row == TW__OP_f32v2axpy;
    if (!fits) return 0;
    return p->size == 1 ? span_axpy(p, count, 1, bundle) : span_axpy(p, count, 2, bundle);
}
#else
static ptrdiff_t span_hot(const span *p, ptrdiff_t count, unsigned *bundle)
{
    (void)p, (void)count, (void)bundle;
    return 0;
}
#endif

/* Pointers as they are behind `count` iterations and `bundles` bundles. */
static void span_move(span *p, ptrdiff_t count, unsigned bundles)
{
    uint32_t *m = p->w->m;
    for (unsigned n = 0; n < p->pointer_count; n++) {
        span_pointer *at = &p->pointers[n];
        int64_t by[3];
        for (unsigned f = 0; f < 3; f++) by[f] = (int64_t)at->moved[f] * count;
        for (unsigned j = 0; j < bundles; j++)
            for (unsigned k = 0; k < p->slots[j].count; k++)
                if (p->slots[j].pointer[k] == n) by[p->slots[j].field[k]] += p->slots[j].by[k];
        if (!at->packed) {
            m[at->reg] += (uint32_t)by[0];
            continue;
        }
        uint64_t q = move1(move0(get_pair(&m[at->reg]), (uint32_t)by[0]), (uint32_t)by[1]);
        put_pair(&m[at->reg], move2(q, (uint32_t)by[2]));
    }
}

/* Runs `length` iterations; returns how many. *bundles: of one more that have run before one that raised an exception
 * (*fault). */
static uint64_t span_go(span *p, ptrdiff_t length, unsigned *bundles, bool *fault)
{
    unsigned j = 0;
    ptrdiff_t i = span_hot(p, length, &j);
    for (; i < length; i++, j = 0)
        for (; j < p->size; j++)
            if (UNLIKELY(!p->slots[j].run(p->w, &p->slots[j], i))) {
                *fault = true;
                goto out;
            }
out:
    span_move(p, i, j);
    *bundles = j;
    return (uint64_t)i;
}

/* Runs at most `count` iterations of the body at `first`, from its start; returns how many, and as span_go().
 * *again: after so many iterations it is worth another try; UINT64_MAX: never. */
static uint64_t span_run(tw__sim_context *w, uint32_t first, uint32_t size, uint64_t count, unsigned *bundles,
                         bool *fault, uint64_t *again)
{
    span p;
    *fault = false, *bundles = 0, *again = UINT64_MAX;
    if (!span_of_body(&p, w, first, size, 0)) return 0;
    uint64_t length = span_length(&p, count);
    *again = length < SPAN_LEAST ? MAX(length, 1) + SPAN_LEAST : 0;
    return length < SPAN_LEAST ? 0 : span_go(&p, (ptrdiff_t)length, bundles, fault);
}

#endif
