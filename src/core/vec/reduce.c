/* SPDX-License-Identifier: MIT */
/* reduce: folds of runs and views of any type and stride to one element, and the place of an extreme. f16 and bf16
 * accumulate in f32 and narrow once at the end; a fold that rounds at every step is an elementwise operation in
 * sequential order whose destination has stride 0. */
#include "core/vec/vec.h"

#include <string.h>

enum { TREE_BLOCK = 1024 };

/* Where elements come from: a run, or a walk over a view when `run` is NULL. */
typedef struct source {
    const tw_run *run;
    size_t at, count; /* elements taken, in all */
    tw_walk walk;
} source;

/* A block as it lies in memory, in the middle of a conversion, in the compute type. */
typedef struct room {
    uint64_t raw[TREE_BLOCK], middle[TREE_BLOCK], wide[TREE_BLOCK];
} room;

static bool is_dense(const tw_vec_kernel *k, const source *s)
{
    return s->run && s->run->stride == (ptrdiff_t)k->size[1] && !k->own.step[1][0] && !k->own.bits[1] &&
           !k->mode.flush;
}

/* The next n <= TREE_BLOCK elements as they lie in memory, contiguous. */
static const void *reduce_take(const tw_vec_kernel *k, source *s, size_t n, room *r)
{
    if (!s->run) {
        tw_run run;
        for (size_t done = 0; done < n; done += run.count) {
            tw_walk_next(&s->walk, n - done, &run);
            tw__pack(run.count, (char *)r->raw + done * k->size[1], run.at, run.stride, k->size[1]);
        }
        return r->raw;
    }
    const char *x = (const char *)((uintptr_t)s->run->at + s->at * (size_t)s->run->stride);
    if (k->own.bits[1]) {
        bool is_signed = tw_type_get(k->types[1])->kind == TW_KIND_INT;
        tw__unpack_fields(n, r->raw, (const char *)s->run->at + s->at / 2, 4, is_signed);
        return r->raw;
    }
    if (s->run->stride == (ptrdiff_t)k->size[1]) return x;
    tw__pack(n, r->raw, x, s->run->stride, k->size[1]);
    return r->raw;
}

/* The same in the compute type. */
static const void *next_block(const tw_vec_kernel *k, source *s, size_t n, room *r)
{
    const void *x = reduce_take(k, s, n, r);
    s->at += n;
    if (k->mode.flush && k->size[1] > 0) {
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

static size_t block_length(const source *s)
{
    size_t left = s->count - s->at;
    return left < TREE_BLOCK ? left : TREE_BLOCK;
}

/* --- folds ---------------------------------------------------------------------------------------------------- */

static void reduce_join(const tw_vec_kernel *k, uint64_t *left, const uint64_t *right)
{
    ((tw__core *)k->own.join)(1, left, left, right, NULL);
}

/* level[i] holds 2^i blocks when bit i of `blocks` is set: a binary counter whose carry joins two neighbours. */
static void fold_tree(const tw_vec_kernel *k, source *s, uint64_t *acc, bool has_acc, room *r)
{
    uint64_t level[64], value = 0, right;
    size_t blocks = 0;
    for (; s->at < s->count; blocks++) {
        size_t n = block_length(s);
        unsigned i = 0;
        ((tw__fold *)k->own.core)(n, &value, next_block(k, s, n, r));
        for (; blocks >> i & 1; i++) {
            right = value;
            value = level[i];
            reduce_join(k, &value, &right);
        }
        level[i] = value;
    }
    if (blocks == 0) return;
    unsigned i = (unsigned)__builtin_ctzll(blocks);
    for (value = level[i++]; i < 64 && blocks >> i; i++) {
        if (!(blocks >> i & 1)) continue;
        right = value;
        value = level[i];
        reduce_join(k, &value, &right);
    }
    if (has_acc)
        reduce_join(k, acc, &value);
    else
        *acc = value;
}

static bool is_extreme(const tw_vec_kernel *k)
{
    return k->op == TW_VEC_LOWEST || k->op == TW_VEC_HIGHEST;
}

/* The accumulator before the first element: the old destination, or the neutral element. An extreme starts from its
 * first element, which is folded a second time: that also makes a lone NaN the canonical one. */
static void reduce_start(const tw_vec_kernel *k, const void *dst, source *s, uint64_t *acc, room *r)
{
    *acc = 0;
    if (k->mode.accumulate) {
        if (k->own.step[0][0]) {
            void (*steps[2])(void);
            tw__how how = { k->own.type[0], k->types[0], { TW_ROUND_NEAREST_EVEN, TW_SAT_NONE }, NULL };
            tw__find_conversion(tw__best_level(), how.to, how.from, how.mode, steps);
            tw__convert_steps(1, acc, dst, r->middle, steps, &how);
        } else {
            memcpy(acc, dst, k->size[0]);
        }
    } else if (is_extreme(k)) {
        source first = *s;
        memcpy(acc, next_block(k, &first, 1, r), k->own.width[1]);
    } else if (k->op == TW_VEC_PROD || k->op == TW_VEC_ALL) {
        bool f32 = k->compute == TW_F32, f64 = k->compute == TW_F64;
        *acc = f32 ? 0x3f800000u : f64 ? UINT64_C(0x3ff0000000000000) : 1;
    }
}

static void reduce_finish(const tw_vec_kernel *k, void *dst, uint64_t *acc, room *r)
{
    uint64_t narrow = *acc;
    if (k->mode.flush) tw__flush(1, acc, k->own.type[0]);
    if (k->own.step[0][0]) {
        tw__how how = { k->types[0], k->own.type[0], { k->mode.rounding, k->mode.saturation }, NULL };
        tw__convert_steps(1, &narrow, acc, r->middle, k->own.step[0], &how);
        if (k->mode.flush) tw__flush(1, &narrow, k->types[0]);
    } else {
        narrow = *acc;
    }
    memcpy(dst, &narrow, k->size[0]);
}

static void fold(const tw_vec_kernel *k, void *dst, source *s)
{
    room r;
    uint64_t acc;
    if (s->count == 0 && (k->mode.accumulate || is_extreme(k))) return;
    reduce_start(k, dst, s, &acc, &r);
    if (k->own.join) {
        fold_tree(k, s, &acc, k->mode.accumulate, &r);
    } else if (is_dense(k, s)) {
        ((tw__fold *)k->own.core)(s->count, &acc, s->run->at);
    } else {
        while (s->at < s->count) {
            size_t n = block_length(s);
            const void *x = next_block(k, s, n, &r);
            ((tw__fold *)k->own.core)(n, &acc, x);
        }
    }
    reduce_finish(k, dst, &acc, &r);
}

/* --- columns -------------------------------------------------------------------------------------------------- */

static void fold_one_more(const tw_vec_kernel *k, size_t n, void *acc, const void *x)
{
    if (k->op == TW_VEC_SQUARE_ADD)
        ((tw__core *)k->own.across)(n, acc, x, x, acc);
    else
        ((tw__core *)k->own.across)(n, acc, acc, x, NULL);
}

/* Folds the elements of `reduced` for each of the columns: element j of the result folds what lies j * column->stride
 * bytes beside them. Row by row, so that memory is read as it lies; each column still sees its elements in order. */
static void fold_columns(const tw_vec_kernel *k, const tw_run *dst, const tw_view *reduced, const tw_run *column)
{
    room r;
    uint64_t accumulators[TW__BLOCK];
    char *acc = (char *)accumulators;
    size_t width = k->own.width[0];
    for (size_t at = 0; at < column->count; at += TW__BLOCK) {
        size_t n = column->count - at < TW__BLOCK ? column->count - at : TW__BLOCK;
        tw_run row = { (char *)((uintptr_t)reduced->base + at * (size_t)column->stride), column->stride, n }, run;
        if (is_extreme(k) && !k->mode.accumulate) {
            memcpy(acc, next_block(k, &(source){ .run = &row, .count = n }, n, &r), n * width);
        } else {
            for (size_t j = 0; j < n; j++) {
                uint64_t one;
                reduce_start(k, (char *)((uintptr_t)dst->at + (at + j) * (size_t)dst->stride), NULL, &one, &r);
                memcpy(acc + j * width, &one, width);
            }
        }
        tw_walk walk;
        for (tw_walk_begin(&walk, reduced, 1, TW_WALK_STOP); tw_walk_next(&walk, SIZE_MAX, &run) > 0;)
            for (size_t i = 0; i < run.count; i++) {
                row.at = (char *)((uintptr_t)run.at + i * (size_t)run.stride + at * (size_t)column->stride);
                const void *x = next_block(k, &(source){ .run = &row, .count = n }, n, &r);
                fold_one_more(k, n, acc, x);
            }
        for (size_t j = 0; j < n; j++) {
            uint64_t one = 0;
            memcpy(&one, acc + j * width, width);
            reduce_finish(k, (char *)((uintptr_t)dst->at + (at + j) * (size_t)dst->stride), &one, &r);
        }
    }
}

/* --- rows ----------------------------------------------------------------------------------------------------- */

enum { ROWS = 64 }; /* folded at once: vectors go across rows, so that each row keeps its order */

/* What `rows` folds start with, elements of the compute type; the first column is at `first`. */
static void start_rows(const tw_vec_kernel *k, const tw_run *dst, size_t rows, const void *first, char *acc,
                       room *r)
{
    size_t width = k->own.width[0];
    uint64_t one;
    if (is_extreme(k) && !k->mode.accumulate) {
        memcpy(acc, first, rows * width);
        return;
    }
    reduce_start(k, dst->at, NULL, &one, r);
    if (!k->mode.accumulate) {
        tw__fill(rows, acc, &one, (unsigned)width);
        return;
    }
    for (size_t j = 0; j < rows; j++) {
        reduce_start(k, (char *)((uintptr_t)dst->at + j * (size_t)dst->stride), NULL, &one, r);
        memcpy(acc + j * width, &one, width);
    }
}

static void finish_rows(const tw_vec_kernel *k, const tw_run *dst, size_t rows, char *acc, room *r)
{
    size_t width = k->own.width[0];
    if (!k->own.step[0][0] && !k->mode.flush) {
        tw__unpack(rows, dst->at, dst->stride, acc, (unsigned)width);
        return;
    }
    for (size_t j = 0; j < rows; j++) {
        uint64_t one = 0;
        memcpy(&one, acc + j * width, width);
        reduce_finish(k, (char *)((uintptr_t)dst->at + j * (size_t)dst->stride), &one, r);
    }
}

/* Folds `n` contiguous elements for each of the rows: row j of the result folds what lies j * row->stride bytes on. A
 * few columns at a time are turned, which makes them contiguous. */
static void fold_rows(const tw_vec_kernel *k, const tw_run *dst, size_t n, const tw_run *row)
{
    room r;
    uint64_t accumulators[ROWS];
    char *acc = (char *)accumulators;
    size_t size = k->size[1], width = k->own.width[1];
    tw__turn *turn = tw__turn_of(size);
    for (size_t at = 0; at < row->count; at += ROWS) {
        size_t rows = row->count - at < ROWS ? row->count - at : ROWS, most = TREE_BLOCK / rows;
        const char *from = (const char *)((uintptr_t)row->at + at * (size_t)row->stride);
        tw_run to = { (char *)((uintptr_t)dst->at + at * (size_t)dst->stride), dst->stride, rows };
        for (size_t c = 0; c < n; c += most) {
            size_t columns = n - c < most ? n - c : most;
            turn(rows, columns, r.raw, (ptrdiff_t)(rows * size), from + c * size, row->stride);
            tw_run turned = { r.raw, (ptrdiff_t)size, rows * columns };
            const char *x = next_block(k, &(source){ .run = &turned, .count = rows * columns }, rows * columns, &r);
            if (c == 0) start_rows(k, &to, rows, x, acc, &r);
            for (size_t j = 0; j < columns; j++) fold_one_more(k, rows, acc, x + j * rows * width);
        }
        finish_rows(k, &to, rows, acc, &r);
    }
}

/* --- places --------------------------------------------------------------------------------------------------- */

/* In blocks the best element so far goes in front of the next block: the first of equals stays the first. */
static size_t place_of_extreme(const tw_vec_kernel *k, source *s)
{
    room r;
    uint64_t block[TREE_BLOCK + 1];
    char *elements = (char *)block;
    tw__arg *find = (tw__arg *)k->own.core;
    size_t width = k->own.width[1], best = s->count;
    if (is_dense(k, s)) return find(s->count, s->run->at);
    while (s->at < s->count) {
        size_t at = s->at, n = block_length(s), lead = best < s->count;
        memcpy(elements + lead * width, next_block(k, s, n, &r), n * width);
        size_t place = find(n + lead, elements);
        if (place == n + lead || (lead && place == 0)) continue;
        best = at + place - lead;
        memmove(elements, elements + place * width, width);
    }
    return best;
}

static void find_place(const tw_vec_kernel *k, void *dst, source *s)
{
    if (s->count == 0) return;
    uint64_t place = place_of_extreme(k, s);
    if (place == s->count) place = 0; /* all NaN, which the rule ignores */
    memcpy(dst, &place, k->size[0]);
}

/* --- drivers -------------------------------------------------------------------------------------------------- */

size_t tw__drive_fold(const tw_vec_kernel *k, size_t n, const tw_run *args)
{
    source s = { .run = &args[1], .count = n };
    fold(k, args[0].at, &s);
    return n;
}

size_t tw__drive_arg(const tw_vec_kernel *k, size_t n, const tw_run *args)
{
    source s = { .run = &args[1], .count = n };
    find_place(k, args[0].at, &s);
    return n;
}

/* Folds (or finds the extreme of) all elements of src into *dst, whatever dimensions src has. */
static void fold_view(const tw_vec_kernel *k, void *dst, const tw_view *src)
{
    source s = { .count = tw_view_count(src) };
    tw_run run;
    tw_walk_begin(&s.walk, src, 1, TW_WALK_STOP);
    tw_walk first = s.walk;
    if (tw_walk_next(&first, SIZE_MAX, &run) == s.count) s.run = &run;
    if (k->fn == tw__drive_arg)
        find_place(k, dst, &s);
    else
        fold(k, dst, &s);
}

/* The last dimension left is the faster one in memory, and long enough to be worth a vector. */
static bool is_columns(const tw_vec_kernel *k, const tw_view *kept, const tw_view *reduced)
{
    if (!k->own.across || kept->rank == 0 || reduced->rank == 0 || tw_view_count(reduced) == 0) return false;
    ptrdiff_t column = kept->stride[kept->rank - 1], row = reduced->stride[reduced->rank - 1];
    return kept->extent[kept->rank - 1] >= 8 && (column < 0 ? -column : column) < (row < 0 ? -row : row);
}

/* One contiguous dimension is reduced, for rows enough to be worth a vector. */
static bool is_rows(const tw_vec_kernel *k, const tw_view *kept, const tw_view *reduced)
{
    return k->own.across && kept->rank > 0 && kept->extent[kept->rank - 1] >= 8 && reduced->rank == 1 &&
           reduced->extent[0] > 0 && reduced->stride[0] == (ptrdiff_t)k->size[1] && tw__turn_of(k->size[1]);
}

static bool is_reduction(const tw_vec_kernel *k)
{
    return k->fn == tw__drive_fold || k->fn == tw__drive_arg;
}

tw_status tw_vec_reduce(const tw_vec_kernel *k, const tw_view *dst, const tw_view *src, unsigned axes,
                        tw_window window)
{
    tw_view kept = *src, reduced = *src; /* the dimensions of either kind, in order */
    kept.rank = reduced.rank = 0;
    for (unsigned d = 0; d < src->rank; d++) {
        tw_view *side = axes >> d & 1 ? &reduced : &kept;
        side->extent[side->rank] = src->extent[d];
        side->stride[side->rank++] = src->stride[d];
    }
    if (!is_reduction(k)) return tw__fail(TW_E_INVALID_ARGUMENT, "%s is not a reduction", tw_vec_op_name(k->op));
    if (k->own.bits[1] || tw_type_size(src->type) != k->size[1] || tw_type_size(dst->type) != k->size[0])
        return tw__fail(TW_E_TYPE, "the types of the views are not those of the reduction");
    if (axes >> src->rank || dst->rank != kept.rank ||
        memcmp(dst->extent, kept.extent, kept.rank * sizeof *kept.extent) != 0)
        return tw__fail(TW_E_INVALID_ARGUMENT, "a reduction of rank %u does not have the shape left over",
                        dst->rank);
    tw_status status = tw_view_check(dst, window);
    if (status == TW_OK) status = tw_view_check(src, window);
    if (status != TW_OK) return status;
    unsigned outer = kept.rank;
    tw_run to = { dst->base, 0, 1 }, column = { NULL, 0, 1 };
    bool columns = is_columns(k, &kept, &reduced), rows = !columns && is_rows(k, &kept, &reduced);
    if (columns || rows) {
        outer--;
        to.stride = dst->stride[outer];
        column = (tw_run){ NULL, kept.stride[outer], kept.extent[outer] };
    }
    size_t index[TW_VIEW_RANK] = { 0 }, turns = tw_view_count(dst) / column.count;
    for (size_t i = 0; i < turns; i++) {
        if (columns)
            fold_columns(k, &to, &reduced, &column);
        else if (rows)
            fold_rows(k, &to, reduced.extent[0], &(tw_run){ reduced.base, column.stride, column.count });
        else
            fold_view(k, to.at, &reduced);
        for (unsigned d = outer; d-- > 0;) {
            size_t back = ++index[d] < kept.extent[d] ? 0 : index[d];
            to.at = (char *)((uintptr_t)to.at + (1 - back) * (size_t)dst->stride[d]);
            reduced.base = (char *)((uintptr_t)reduced.base + (1 - back) * (size_t)kept.stride[d]);
            if (back == 0) break;
            index[d] = 0;
        }
    }
    return TW_OK;
}
