/* SPDX-License-Identifier: MIT */
/* apply: kernels over whole views. A loop over walks: each turn takes the longest run that all operands have in
 * common and checks it against the window before the kernel touches it. */
#include "core/vec/vec.h"

#include <string.h>

/* One row of the operands' walk: what is left of the run each operand is in. */
typedef struct cursor {
    tw_walk walk;
    tw_run run;
    bool repeated; /* one element for all */
} cursor;

static tw_status outside(const tw_vec_kernel *k, unsigned arg, tw_window window)
{
    return tw__fail(TW_E_INDEX, "operand %u of %s reaches outside its %zu bytes of memory", arg,
                    tw_vec_op_name(k->op), window.bytes);
}

static tw_status faulted(const tw_vec_kernel *k, size_t element, size_t *fault)
{
    if (fault) *fault = element;
    bool index = k->op == TW_VEC_GATHER || k->op >= TW_VEC_SCATTER;
    return tw__fail(TW_E_OVERFLOW, "element %zu of %s: %s", element, tw_vec_op_name(k->op),
                    index ? "index outside the table" : "division by zero");
}

static tw_status check_run(const tw_vec_kernel *k, unsigned arg, const tw_run *run, size_t n, tw_window window)
{
    tw_run part = { run->at, run->stride, n };
    return tw_run_inside(&part, k->size[arg], window) ? TW_OK : outside(k, arg, window);
}

static bool is_indexed(tw_vec_op op)
{
    return op == TW_VEC_GATHER || op >= TW_VEC_SCATTER;
}

/* The table of gather and scatter is one run, not walked along. */
static bool is_table(const tw_vec_kernel *k, unsigned arg)
{
    return is_indexed(k->op) && arg == (k->op == TW_VEC_GATHER ? 2 : 0);
}

static bool same_shape(const tw_view *a, const tw_view *b)
{
    return a->rank == b->rank && memcmp(a->extent, b->extent, a->rank * sizeof *a->extent) == 0;
}

static bool is_reduced(const tw_vec_kernel *k)
{
    return k->op >= TW_VEC_SUM && k->op <= TW_VEC_ARGMAX;
}

static tw_status check_counts(const tw_vec_kernel *k, const tw_view *args, size_t count)
{
    for (unsigned i = 0; i < k->args; i++) {
        size_t have = tw_view_count(&args[i]);
        if (is_table(k, i) || have == count || (i > 0 && have == 1)) continue;
        return tw__fail(TW_E_INVALID_ARGUMENT, "operand %u of %s has %zu elements instead of %zu", i,
                        tw_vec_op_name(k->op), have, count);
    }
    return TW_OK;
}

static tw_status table_run(const tw_vec_kernel *k, const tw_view *view, unsigned arg, tw_window window, tw_run *run)
{
    tw_walk walk;
    size_t count = tw_view_count(view);
    tw_walk_begin(&walk, view, 1, TW_WALK_STOP);
    if (tw_walk_next(&walk, SIZE_MAX, run) != count)
        return tw__fail(TW_E_INVALID_ARGUMENT, "the table of %s has more than one stride", tw_vec_op_name(k->op));
    return check_run(k, arg, run, count, window);
}

/* All operands walk together; no bit operand among them. */
static tw_status apply_walks(const tw_vec_kernel *k, const tw_view *args, tw_window window, size_t count,
                             size_t *fault)
{
    cursor cursors[TW_VEC_ARGS];
    tw_run runs[TW_VEC_ARGS];
    tw_status status = TW_OK;
    for (unsigned i = 0; i < k->args && status == TW_OK; i++) {
        cursor *c = &cursors[i];
        *c = (cursor){ .repeated = is_table(k, i) || (i > 0 && tw_view_count(&args[i]) == 1) };
        tw_walk_begin(&c->walk, &args[i], 1, TW_WALK_STOP);
        if (is_table(k, i))
            status = table_run(k, &args[i], i, window, &c->run);
        else if (c->repeated) {
            tw_walk_next(&c->walk, 1, &c->run);
            c->run.stride = 0;
            status = check_run(k, i, &c->run, 1, window);
        }
    }
    if (status != TW_OK) return status;
    for (size_t done = 0, n; done < count; done += n) {
        n = count - done;
        for (unsigned i = 0; i < k->args; i++) {
            cursor *c = &cursors[i];
            if (!c->repeated && c->run.count == 0) tw_walk_next(&c->walk, SIZE_MAX, &c->run);
            if (!c->repeated && c->run.count < n) n = c->run.count;
        }
        for (unsigned i = 0; i < k->args; i++) {
            runs[i] = cursors[i].run;
            if (!cursors[i].repeated && (status = check_run(k, i, &runs[i], n, window)) != TW_OK) return status;
        }
        size_t good = tw_vec_call(k, n, runs);
        if (good != n) return faulted(k, done + good, fault);
        for (unsigned i = 0; i < k->args; i++) {
            tw_run *run = &cursors[i].run;
            if (cursors[i].repeated) continue;
            run->at = (void *)((uintptr_t)run->at + n * (size_t)run->stride);
            run->count -= n;
        }
    }
    return TW_OK;
}

/* Rows of the last dimension: packed operands start a new byte in each of them. The operands that are not packed all
 * have the shape of the first of them; packed ones have the same outer extents. */
static tw_status apply_rows(const tw_vec_kernel *k, const tw_view *args, tw_window window, size_t *fault)
{
    unsigned model = 0;
    while (model < k->args && k->own.bits[model]) model++;
    const tw_view *shape = &args[model];
    if (model == k->args || shape->rank == 0)
        return tw__fail(TW_E_INVALID_ARGUMENT, "%s on packed operands needs one of rank 1 or more that is not",
                        tw_vec_op_name(k->op));
    size_t row = shape->extent[shape->rank - 1], rows = 1, index[TW_VIEW_RANK] = { 0 };
    for (unsigned d = 0; d + 1 < shape->rank; d++) rows *= shape->extent[d];
    for (unsigned i = 0; i < k->args; i++) {
        bool fits = args[i].rank == shape->rank;
        for (unsigned d = 0; fits && d + 1 < shape->rank; d++) fits = args[i].extent[d] == shape->extent[d];
        size_t last = args[i].rank ? args[i].extent[args[i].rank - 1] : 0, bits = k->own.bits[i];
        fits = fits &&
               (bits ? last >= row / 8 * bits + (row % 8 * bits + 7) / 8 && args[i].stride[args[i].rank - 1] == 1
                     : last == row);
        if (!fits && !(i > 0 && !bits && tw_view_count(&args[i]) == 1))
            return tw__fail(TW_E_INVALID_ARGUMENT, "operand %u of %s does not have the shape of operand %u", i,
                            tw_vec_op_name(k->op), model);
    }
    for (size_t r = 0; r < rows && row > 0; r++) {
        tw_run runs[TW_VEC_ARGS];
        for (unsigned i = 0; i < k->args; i++) {
            const tw_view *v = &args[i];
            bool repeated =
                v->rank != shape->rank || (i > 0 && !k->own.bits[i] && tw_view_count(v) == 1 && rows * row > 1);
            uintptr_t at = (uintptr_t)v->base;
            for (unsigned d = 0; !repeated && d + 1 < v->rank; d++) at += index[d] * (size_t)v->stride[d];
            runs[i] = (tw_run){ (void *)at, repeated ? 0 : v->stride[v->rank - 1], row };
            size_t bytes = (row * k->own.bits[i] + 7) / 8;
            tw_run touched = { (void *)at, runs[i].stride, k->own.bits[i] ? bytes : repeated ? 1 : row };
            if (!tw_run_inside(&touched, k->own.bits[i] ? 1 : k->size[i], window)) return outside(k, i, window);
        }
        size_t good = tw_vec_call(k, row, runs);
        if (good != row) return faulted(k, r * row + good, fault);
        for (unsigned d = shape->rank - 1; d-- > 0;) {
            if (++index[d] < shape->extent[d]) break;
            index[d] = 0;
        }
    }
    return TW_OK;
}

tw_status tw_vec_apply(const tw_vec_kernel *k, const tw_view *args, tw_window window, size_t *fault)
{
    bool packed = false;
    if (k->op == TW_VEC_COMPRESS)
        return tw__fail(TW_E_INVALID_ARGUMENT, "%s makes no view: call its kernel on runs", tw_vec_op_name(k->op));
    for (unsigned i = 0; i < k->args; i++) {
        packed |= k->own.bits[i] != 0;
        if (!k->own.bits[i] && tw_type_size(args[i].type) != k->size[i])
            return tw__fail(TW_E_TYPE, "operand %u of %s is %s, the kernel was made for %s", i,
                            tw_vec_op_name(k->op), tw_type_name(args[i].type, TW_SYSTEM_TILEWRIGHT),
                            tw_type_name(k->types[i], TW_SYSTEM_TILEWRIGHT));
    }
    if (is_reduced(k)) return tw_vec_reduce(k, &args[0], &args[1], (1u << args[1].rank) - 1, window);
    if (k->op == TW_VEC_COPY && k->mode.order == TW_ORDER_FREE && same_shape(&args[0], &args[1]))
        return tw_vec_copy_view(&args[0], &args[1], window);
    if (packed) return apply_rows(k, args, window, fault);
    size_t count = tw_view_count(&args[is_table(k, 0) ? 1 : 0]);
    tw_status status = check_counts(k, args, count);
    return status == TW_OK ? apply_walks(k, args, window, count, fault) : status;
}
