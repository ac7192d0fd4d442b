/* reduce: folds of runs of any type and stride to one element, and the place of an extreme. f16 and bf16 accumulate in
 * f32 and narrow once at the end; a fold that rounds at every step is an elementwise operation in sequential order
 * whose destination has stride 0. */
#include "vec/vec.h"

#include <string.h>

enum { TREE_BLOCK = 1024 };

/* n <= TREE_BLOCK contiguous elements of the compute type, from element `at` on. */
typedef struct room {
    uint64_t raw[TREE_BLOCK + 1], middle[TREE_BLOCK], wide[TREE_BLOCK + 1];
} room;

static const void *load(const tw_vec_kernel *k, const tw_run *arg, size_t at, size_t n, room *r)
{
    const void *x = (const char *)((uintptr_t)arg->at + at * (size_t)arg->stride);
    if (k->own.bits[1]) {
        tw__unpack_fields(n, r->raw, (const char *)arg->at + at / 2, 4,
                          tw_type_get(k->types[1])->kind == TW_KIND_INT);
        x = r->raw;
    } else if (arg->stride != (ptrdiff_t)k->size[1]) {
        tw__pack(n, r->raw, x, arg->stride, k->size[1]);
        x = r->raw;
    }
    if (k->mode.flush) {
        if (x != r->raw) memcpy(r->raw, x, n * k->size[1]);
        tw__flush(n, r->raw, k->types[1]);
        x = r->raw;
    }
    if (k->own.step[1][0]) {
        tw__how how = { k->own.type[1], k->types[1], { TW_ROUND_NEAREST_EVEN, TW_SAT_NONE }, NULL };
        tw__convert_steps(n, r->wide, x, r->middle, k->own.step[1], &how);
        x = r->wide;
    }
    return x;
}

static void join(const tw_vec_kernel *k, void *left, const void *right)
{
    ((tw__core *)k->own.join)(1, left, left, right, NULL);
}

/* level[i] holds 2^i blocks when bit i of `blocks` is set: a binary counter whose carry joins two neighbours. */
static void fold_tree(const tw_vec_kernel *k, size_t n, const tw_run *arg, void *acc, bool has_acc, room *r)
{
    uint64_t level[64], value, right;
    size_t blocks = 0, width = k->own.width[0];
    for (size_t at = 0; at < n; at += TREE_BLOCK, blocks++) {
        size_t count = n - at < TREE_BLOCK ? n - at : TREE_BLOCK;
        unsigned i = 0;
        ((tw__fold *)k->own.core)(count, &value, load(k, arg, at, count, r));
        for (; blocks >> i & 1; i++) {
            right = value;
            value = level[i];
            join(k, &value, &right);
        }
        level[i] = value;
    }
    bool any = false;
    for (unsigned i = 0; blocks >> i; i++) {
        if (!(blocks >> i & 1)) continue;
        if (any) {
            right = value;
            value = level[i];
            join(k, &value, &right);
        } else {
            value = level[i];
        }
        any = true;
    }
    if (!any) return;
    if (has_acc)
        join(k, acc, &value);
    else
        memcpy(acc, &value, width);
}

/* The accumulator before the first element: the old destination, the neutral element, or, for extremes, the first
 * element itself. Returns how many elements it has taken. */
static size_t start(const tw_vec_kernel *k, const tw_run *args, void *acc, room *r)
{
    if (k->mode.accumulate) {
        if (k->own.step[0][0]) {
            void (*steps[2])(void);
            tw__how how = { k->own.type[0], k->types[0], { TW_ROUND_NEAREST_EVEN, TW_SAT_NONE }, NULL };
            tw__find_conversion(tw__best_level(), k->own.type[0], k->types[0], how.mode, steps);
            tw__convert_steps(1, acc, args[0].at, r->middle, steps, &how);
        } else {
            memcpy(acc, args[0].at, k->size[0]);
        }
        return 0;
    }
    memset(acc, 0, 8);
    if (k->op == TW_VEC_LOWEST || k->op == TW_VEC_HIGHEST) {
        memcpy(acc, load(k, &args[1], 0, 1, r), k->own.width[0]);
        if (k->compute == TW_F32 || k->compute == TW_F64) /* so that one NaN alone is the canonical one */
            return 0;
        return 1;
    }
    if (k->op == TW_VEC_PROD || k->op == TW_VEC_ALL) {
        uint64_t one = 1;
        if (k->compute == TW_F32) one = 0x3f800000u;
        if (k->compute == TW_F64) one = UINT64_C(0x3ff0000000000000);
        memcpy(acc, &one, k->own.width[0]);
    }
    return 0;
}

size_t tw__drive_fold(const tw_vec_kernel *k, size_t n, const tw_run *args)
{
    room r;
    uint64_t acc[2] = { 0 };
    bool extreme = k->op == TW_VEC_LOWEST || k->op == TW_VEC_HIGHEST;
    if (n == 0 && (k->mode.accumulate || extreme)) return 0;
    size_t at = start(k, args, acc, &r);
    bool dense = args[1].stride == (ptrdiff_t)k->size[1] && !k->own.step[1][0] && !k->own.bits[1] && !k->mode.flush;
    if (k->own.join) {
        fold_tree(k, n, &args[1], acc, k->mode.accumulate, &r);
    } else if (dense) {
        ((tw__fold *)k->own.core)(n - at, acc, (const char *)args[1].at + at * k->size[1]);
    } else {
        for (size_t count; at < n; at += count) {
            /* An odd start (one element taken) is brought back to a multiple of the block, for packed nibbles. */
            count = TREE_BLOCK - at % TREE_BLOCK < n - at ? TREE_BLOCK - at % TREE_BLOCK : n - at;
            ((tw__fold *)k->own.core)(count, acc, load(k, &args[1], at, count, &r));
        }
    }
    if (k->mode.flush) tw__flush(1, acc, k->own.type[0]);
    if (k->own.step[0][0]) {
        uint64_t narrow;
        tw__how how = { k->types[0], k->own.type[0], { k->mode.rounding, k->mode.saturation }, NULL };
        tw__convert_steps(1, &narrow, acc, r.middle, k->own.step[0], &how);
        if (k->mode.flush) tw__flush(1, &narrow, k->types[0]);
        memcpy(args[0].at, &narrow, k->size[0]);
    } else {
        memcpy(args[0].at, acc, k->size[0]);
    }
    return n;
}

/* In blocks the best element so far goes in front of the next block: the first of equals stays the first. */
static size_t place_of_extreme(const tw_vec_kernel *k, size_t n, const tw_run *arg)
{
    room r;
    tw__arg *find = (tw__arg *)k->own.core;
    size_t width = k->own.width[1], best = n;
    if (arg->stride == (ptrdiff_t)k->size[1] && !k->own.step[1][0] && !k->own.bits[1] && !k->mode.flush)
        return find(n, arg->at);
    uint64_t block[TREE_BLOCK + 1];
    for (size_t at = 0; at < n; at += TREE_BLOCK) {
        size_t count = n - at < TREE_BLOCK ? n - at : TREE_BLOCK, lead = best < n;
        char *elements = (char *)block;
        memcpy(elements + lead * width, load(k, arg, at, count, &r), count * width);
        size_t place = find(count + lead, elements);
        if (place == count + lead || (lead && place == 0)) continue;
        best = at + place - lead;
        memmove(elements, elements + place * width, width);
    }
    return best;
}

size_t tw__drive_arg(const tw_vec_kernel *k, size_t n, const tw_run *args)
{
    if (n == 0) return 0;
    uint64_t place = place_of_extreme(k, n, &args[1]);
    if (place == n) place = 0; /* all NaN, which the rule ignores */
    memcpy(args[0].at, &place, k->size[0]);
    return n;
}
