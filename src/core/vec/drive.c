/* SPDX-License-Identifier: MIT */
/* drive: what a resolved kernel runs. Feeds a core, which knows contiguous elements of one type only, from operands
 * that are strided, repeated, packed or of another type, in blocks that stay in the first-level cache; finds out
 * where the order of elements can be seen and falls back on one element at a time there. */
#include "core/vec/vec.h"

#include <string.h>

/* --- the fast way: nothing to adapt --------------------------------------------------------------------------- */

static bool is_dense(const tw_vec_kernel *k, size_t n, const tw_run *args)
{
    if (n == 1) return true;
    for (unsigned i = 0; i < k->args; i++)
        if (args[i].stride != (ptrdiff_t)k->size[i]) return false;
    return true;
}

/* Operands of the compute type with strides of their own: packed into blocks, a repeated element only once, or not at
 * all where the kernel has a core for it. */
static void plain_blocks(const tw_vec_kernel *k, size_t n, const tw_run *args)
{
    uint64_t buffer[4][TW__BLOCK];
    const void *source[4] = { NULL };
    unsigned operands = k->args;
    bool dense = args[0].stride == (ptrdiff_t)k->size[0], repeat = k->own.repeat && args[2].stride == 0;
    tw__core *core = (tw__core *)(repeat ? k->own.repeat : k->own.core);
    for (size_t at = 0; at < n; at += TW__BLOCK) {
        size_t count = n - at < TW__BLOCK ? n - at : TW__BLOCK;
        for (unsigned i = 1; i < operands; i++) {
            ptrdiff_t stride = args[i].stride;
            const char *x = (const char *)((uintptr_t)args[i].at + at * (size_t)stride);
            if (stride == (ptrdiff_t)k->size[i]) {
                source[i] = x;
            } else if (stride != 0 || at == 0) {
                tw__pack(repeat && i == 2 ? 1 : count, buffer[i], x, stride, k->size[i]);
                source[i] = buffer[i];
            }
        }
        void *to = (void *)((uintptr_t)args[0].at + at * (size_t)args[0].stride), *out = dense ? to : buffer[0];
        core(count, out, source[1], source[2], source[3]);
        if (!dense) tw__unpack(count, to, args[0].stride, out, k->size[0]);
    }
}

/* The second source is one element, all others are dense. */
static bool repeats(const tw_vec_kernel *k, const tw_run *args)
{
    return k->own.repeat && args[2].stride == 0 && args[0].stride == (ptrdiff_t)k->size[0] &&
           args[1].stride == (ptrdiff_t)k->size[1] && (k->args < 4 || args[3].stride == (ptrdiff_t)k->size[3]);
}

static size_t plain_dense(const tw_vec_kernel *k, size_t n, const tw_run *args)
{
    ((tw__core *)k->own.core)(n, args[0].at, args[1].at, k->args > 2 ? args[2].at : NULL,
                              k->args > 3 ? args[3].at : NULL);
    return n;
}

static size_t plain_repeated(const tw_vec_kernel *k, size_t n, const tw_run *args)
{
    ((tw__core *)k->own.repeat)(n, args[0].at, args[1].at, args[2].at, k->args > 3 ? args[3].at : NULL);
    return n;
}

size_t tw__drive_plain(const tw_vec_kernel *k, size_t n, const tw_run *args)
{
    if (is_dense(k, n, args)) return plain_dense(k, n, args);
    if (repeats(k, args)) return plain_repeated(k, n, args);
    plain_blocks(k, n, args);
    return n;
}

/* --- blocks --------------------------------------------------------------------------------------------------- */

/* Room for one operand: as it lies in memory, the middle of a conversion, as the core wants it. 8 bytes are the
 * widest compute type; wider elements are only moved (move.c). */
typedef struct room {
    uint64_t raw[TW__BLOCK], middle[TW__BLOCK], wide[TW__BLOCK];
} room;

static const void *drive_element(const tw_vec_kernel *k, unsigned i, const tw_run *arg, size_t at)
{
    if (k->own.bits[i]) return (const char *)arg->at + at * k->own.bits[i] / 8;
    return (const char *)((uintptr_t)arg->at + at * (size_t)arg->stride);
}

/* n contiguous elements of own.type[i], starting with element `at` of the operand. */
static const void *drive_load(const tw_vec_kernel *k, unsigned i, const tw_run *arg, size_t at, size_t n,
                              const uint32_t *random, room *r)
{
    const void *x = drive_element(k, i, arg, at);
    if (k->own.bits[i]) {
        tw__unpack_fields(n, r->raw, x, k->own.bits[i], tw_type_get(k->types[i])->kind == TW_KIND_INT);
        x = r->raw;
    } else if (arg->stride != (ptrdiff_t)k->size[i] && n > 1) {
        tw__pack(n, r->raw, x, arg->stride, k->size[i]);
        x = r->raw;
    }
    if (k->mode.flush && tw_type_get(k->types[i])->kind == TW_KIND_FLOAT) {
        if (x != r->raw) memcpy(r->raw, x, n * k->size[i]);
        tw__flush(n, r->raw, k->types[i]);
        x = r->raw;
    }
    if (k->own.step[i][0]) {
        tw__how how = { k->own.type[i], k->types[i], { TW_ROUND_NEAREST_EVEN, TW_SAT_NONE }, random };
        if (k->own.saturate[i]) how.mode.saturation = TW_SAT_ON;
        if (k->op == TW_VEC_CONVERT) how.mode = (tw_convert_mode){ k->mode.rounding, k->mode.saturation };
        tw__convert_steps(n, r->wide, x, r->middle, k->own.step[i], &how);
        x = r->wide;
    }
    return x;
}

/* Where the core may write n results: straight into the destination when they lie there as it makes them. */
static void *result_room(const tw_vec_kernel *k, const tw_run *arg, size_t at, size_t n, room *r)
{
    bool direct = !k->own.bits[0] && !k->own.step[0][0] && (arg->stride == (ptrdiff_t)k->size[0] || n == 1);
    return direct ? (void *)(uintptr_t)drive_element(k, 0, arg, at) : r->wide;
}

static void drive_store(const tw_vec_kernel *k, const tw_run *arg, size_t at, size_t n, const uint32_t *random,
                        void *x, room *r)
{
    void *to = (void *)(uintptr_t)drive_element(k, 0, arg, at);
    bool dense = !k->own.bits[0] && (arg->stride == (ptrdiff_t)k->size[0] || n == 1);
    if (k->own.step[0][0]) {
        tw__how how = { k->types[0], k->own.type[0], { k->mode.rounding, k->mode.saturation }, random };
        void *narrow = dense ? to : r->raw;
        if (k->mode.flush) tw__flush(n, x, k->own.type[0]);
        tw__convert_steps(n, narrow, x, r->middle, k->own.step[0], &how);
        x = narrow;
    }
    if (k->mode.flush) tw__flush(n, x, k->types[0]);
    if (k->own.bits[0])
        tw__pack_fields(n, to, x, k->own.bits[0]);
    else if (x != to && dense)
        memcpy(to, x, n * k->size[0]);
    else if (x != to)
        tw__unpack(n, to, arg->stride, x, k->size[0]);
}

/* --- faults --------------------------------------------------------------------------------------------------- */

#define FIND_ZERO(U)                                             \
    {                                                            \
        typedef U __attribute__((aligned(1), may_alias)) memory; \
        const memory *x = divisors;                              \
        unsigned any = 0;                                        \
        for (size_t i = 0; i < n; i++) any |= x[i] == 0;         \
        if (!any) return n;                                      \
        size_t first = 0;                                        \
        while (x[first] != 0) first++;                           \
        return first;                                            \
    }

static size_t first_zero(size_t n, const void *divisors, unsigned size)
{
    if (size == 1) FIND_ZERO(uint8_t);
    if (size == 2) FIND_ZERO(uint16_t);
    if (size == 4) FIND_ZERO(uint32_t);
    FIND_ZERO(uint64_t);
}

size_t tw__drive_blocks(const tw_vec_kernel *k, size_t n, const tw_run *args)
{
    room rooms[TW_VEC_ARGS];
    const void *source[TW_VEC_ARGS] = { NULL };
    unsigned sources = k->own.random ? k->args - 1 : k->args;
    for (size_t at = 0; at < n;) {
        size_t count = n - at < TW__BLOCK ? n - at : TW__BLOCK, good = count;
        const uint32_t *random = NULL;
        if (k->own.random)
            random = drive_load(k, k->own.random, &args[k->own.random], at, count, NULL, &rooms[TW_VEC_ARGS - 1]);
        for (unsigned i = 1; i < sources; i++) {
            bool repeated = args[i].stride == 0 && !k->own.bits[i] && !random;
            if (!repeated || at == 0) source[i] = drive_load(k, i, &args[i], at, count, random, &rooms[i]);
        }
        if (k->can_fault) good = first_zero(count, source[2], k->own.width[2]);
        void *out = result_room(k, &args[0], at, good, &rooms[0]);
        if (k->own.core)
            ((tw__core *)k->own.core)(good, out, source[1], source[2], source[3]);
        else
            memmove(out, source[1], good * k->own.width[0]);
        if (good > 0) drive_store(k, &args[0], at, good, random, out, &rooms[0]);
        if (good < count) return at + good;
        at += count;
    }
    return n;
}

/* A dense destination, and sources that are dense or one element repeated. */
static bool is_dense_or_repeated(const tw_vec_kernel *k, size_t n, const tw_run *args)
{
    if (n == 1) return true;
    if (args[0].stride != (ptrdiff_t)k->size[0]) return false;
    for (unsigned i = 1; i < k->args; i++)
        if (args[i].stride != (ptrdiff_t)k->size[i] && args[i].stride != 0) return false;
    return true;
}

/* Contiguous or repeated operands of which some take one step of conversion: halves, for the most part. */
size_t tw__drive_widened(const tw_vec_kernel *k, size_t n, const tw_run *args)
{
    uint64_t wide[4][TW__BLOCK], repeated[TW__BLOCK];
    const void *source[4] = { NULL };
    if (!is_dense_or_repeated(k, n, args)) return tw__drive_blocks(k, n, args);
    tw__how in = { k->compute, k->types[1], { TW_ROUND_NEAREST_EVEN, TW_SAT_NONE }, NULL };
    tw__how out = { k->types[0], k->own.type[0], { k->mode.rounding, k->mode.saturation }, NULL };
    for (size_t at = 0; at < n; at += TW__BLOCK) {
        size_t count = n - at < TW__BLOCK ? n - at : TW__BLOCK;
        char *to = (char *)args[0].at + at * k->size[0];
        for (unsigned i = 1; i < k->args; i++) {
            bool one = args[i].stride == 0 && n > 1, converted = k->own.step[i][0] != NULL;
            if (one && at > 0) continue; /* as it is from the first block */
            source[i] = (const char *)args[i].at + (one ? 0 : at * k->size[i]);
            if (one) {
                tw__pack(count, converted ? repeated : wide[i], args[i].at, 0, k->size[i]);
                source[i] = converted ? repeated : wide[i];
            }
            if (!converted) continue;
            in.from = k->types[i];
            ((tw__cvt *)k->own.step[i][0])(count, wide[i], source[i], &in);
            source[i] = wide[i];
        }
        ((tw__core *)k->own.core)(count, k->own.step[0][0] ? (void *)wide[0] : to, source[1], source[2], source[3]);
        if (k->own.step[0][0]) ((tw__cvt *)k->own.step[0][0])(count, to, wide[0], &out);
    }
    return n;
}

/* A conversion of contiguous elements in one step needs no blocks. */
size_t tw__drive_convert(const tw_vec_kernel *k, size_t n, const tw_run *args)
{
    if (!is_dense(k, n, args)) return tw__drive_blocks(k, n, args);
    tw__how how = { k->types[0], k->types[1], { k->mode.rounding, k->mode.saturation }, NULL };
    if (k->own.random) how.random = args[k->own.random].at;
    ((tw__cvt *)k->own.step[1][0])(n, args[0].at, args[1].at, &how);
    return n;
}

/* --- order of elements ---------------------------------------------------------------------------------------- */

/* Floor of a / b for b > 0. */
static ptrdiff_t floor_div(ptrdiff_t a, ptrdiff_t b)
{
    return a / b - (a % b != 0 && a < 0);
}

/* Element j of the source and k of the destination, strides equal, are `gap + (j - k) * stride` bytes apart: they
 * overlap for m = j - k inside an open interval of that line. A write is seen when some such m is 1 .. n - 1. */
static bool seen_later(ptrdiff_t gap, ptrdiff_t stride, ptrdiff_t dst_size, ptrdiff_t src_size, size_t n)
{
    if (stride < 0) {
        /* Mirror both operands. */
        ptrdiff_t mirrored = -gap - src_size + dst_size;
        return seen_later(mirrored, -stride, dst_size, src_size, n);
    }
    /* Overlap: -src_size < gap + m * stride < dst_size. */
    if (stride == 0) return gap > -src_size && gap < dst_size;
    ptrdiff_t least = floor_div(-src_size - gap, stride) + 1;
    ptrdiff_t most = floor_div(dst_size - gap - 1, stride);
    if (least < 1) least = 1;
    return least <= most && (size_t)least < n;
}

/* The bytes that n elements of a run touch. */
typedef struct span {
    uintptr_t low, high;
} span;

static inline span span_of(const tw_run *run, size_t n, size_t size)
{
    uintptr_t at = (uintptr_t)run->at;
    ptrdiff_t reach = run->stride * (ptrdiff_t)(n - 1);
    return reach < 0 ? (span){ at + (uintptr_t)reach, at + size } : (span){ at, at + (uintptr_t)reach + size };
}

/* For n >= 2 elements; `written`: what the destination touches. */
static inline bool is_seen(const tw_vec_kernel *k, size_t n, const tw_run *args, unsigned source, span written)
{
    const tw_run *d = &args[0], *s = &args[source];
    span read = span_of(s, n, k->size[source]);
    if (read.high <= written.low || written.high <= read.low) return false;
    return d->stride != s->stride || seen_later((ptrdiff_t)((uintptr_t)s->at - (uintptr_t)d->at), d->stride,
                                                (ptrdiff_t)k->size[0], (ptrdiff_t)k->size[source], n);
}

bool tw__order_matters(const tw_vec_kernel *k, size_t n, const tw_run *args, unsigned source)
{
    return n > 1 && is_seen(k, n, args, source, span_of(&args[0], n, k->size[0]));
}

static size_t one_by_one(const tw_vec_kernel *k, size_t n, const tw_run *args)
{
    tw_run step[TW_VEC_ARGS];
    memcpy(step, args, k->args * sizeof *step);
    for (size_t at = 0; at < n; at++) {
        if (k->own.free(k, 1, step) != 1) return at;
        for (unsigned i = 0; i < k->args; i++)
            step[i].at = (void *)((uintptr_t)step[i].at + (uintptr_t)args[i].stride);
    }
    return n;
}

/* In place: an element is read before it is written, and no other one is there. */
static inline bool in_place(const tw_vec_kernel *k, const tw_run *args, unsigned source)
{
    return args[source].at == args[0].at && args[source].stride == args[0].stride &&
           args[0].stride == (ptrdiff_t)k->size[0] && k->size[source] == k->size[0];
}

static bool order_shows(const tw_vec_kernel *k, size_t n, const tw_run *args)
{
    if (n <= 1) return false;
    span written = span_of(&args[0], n, k->size[0]);
    for (unsigned i = 1; i < k->args; i++)
        if (!in_place(k, args, i) && is_seen(k, n, args, i, written)) return true;
    return false;
}

size_t tw__drive_sequential(const tw_vec_kernel *k, size_t n, const tw_run *args)
{
    return (order_shows(k, n, args) ? one_by_one : k->own.free)(k, n, args);
}

tw_vec_fn tw__drive_settled(const tw_vec_kernel *k, size_t n, const tw_run *args)
{
    tw_vec_fn fn = k->fn;
    if (fn == tw__drive_sequential) fn = order_shows(k, n, args) ? one_by_one : k->own.free;
    if (fn == tw__drive_plain && is_dense(k, n, args)) return plain_dense;
    if (fn == tw__drive_plain && repeats(k, args)) return plain_repeated;
    return fn;
}
