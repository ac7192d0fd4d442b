/* SPDX-License-Identifier: MIT */
/* index: gather and scatter by element numbers. The table's length is its run's count; what an index outside it does
 * is the mode's. Elements go in index order, so the last of two writes to one place stays. */
#include "core/vec/vec.h"

#include <string.h>

/* Element i of an index operand as an unsigned number: negative ones become huge, outside of every table. */
static uint64_t load_index(const tw_run *run, size_t i, unsigned size, bool is_signed)
{
    const void *at = (const char *)((uintptr_t)run->at + i * (size_t)run->stride);
    uint64_t raw = 0;
    memcpy(&raw, at, size);
    unsigned unused = 64 - 8 * size;
    return is_signed ? (uint64_t)((int64_t)(raw << unused) >> unused) : raw;
}

typedef enum verdict { TAKE, LEAVE, FAULT } verdict;

static verdict index_place(const tw_vec_kernel *k, uint64_t *index, size_t length, bool is_signed)
{
    if (*index < length) return TAKE;
    if (k->mode.bounds == TW_BOUNDS_FAULT) return FAULT;
    if (k->mode.bounds == TW_BOUNDS_SKIP || length == 0) return LEAVE;
    bool negative = is_signed && (int64_t)*index < 0;
    if (k->mode.bounds == TW_BOUNDS_CLAMP) {
        *index = negative ? 0 : length - 1;
    } else {
        uint64_t below = negative ? (0 - *index) % length : 0;
        *index = negative ? (below ? length - below : 0) : *index % length;
    }
    return TAKE;
}

static char *in_table(const tw_run *table, uint64_t index)
{
    return (char *)((uintptr_t)table->at + index * (size_t)table->stride);
}

size_t tw__drive_gather(const tw_vec_kernel *k, size_t n, const tw_run *args)
{
    bool is_signed = tw_type_get(k->types[1])->is_signed;
    size_t size = k->size[0];
    for (size_t i = 0; i < n; i++) {
        uint64_t index = load_index(&args[1], i, k->size[1], is_signed);
        char *to = (char *)((uintptr_t)args[0].at + i * (size_t)args[0].stride);
        verdict v = index_place(k, &index, args[2].count, is_signed);
        if (v == FAULT) return i;
        if (v == LEAVE)
            memset(to, 0, size);
        else if (size == 4)
            memmove(to, in_table(&args[2], index), 4);
        else
            memmove(to, in_table(&args[2], index), size);
    }
    return n;
}

/* One element through the core of the accumulating forms: cell op= value, in the compute type. Table and values have
 * the same type, so one conversion serves both. */
static void combine(const tw_vec_kernel *k, char *cell, const char *value)
{
    tw__core *core = (tw__core *)k->own.core;
    if (!k->own.step[0][0]) {
        core(1, cell, cell, value, NULL);
        return;
    }
    uint64_t left, right, middle;
    tw__how widen = { k->own.type[0], k->types[0], { TW_ROUND_NEAREST_EVEN, TW_SAT_NONE }, NULL };
    tw__how narrow = { k->types[0], k->own.type[0], { k->mode.rounding, k->mode.saturation }, NULL };
    tw__convert_steps(1, &left, cell, &middle, k->own.step[2], &widen);
    tw__convert_steps(1, &right, value, &middle, k->own.step[2], &widen);
    core(1, &left, &left, &right, NULL);
    tw__convert_steps(1, cell, &left, &middle, k->own.step[0], &narrow);
}

size_t tw__drive_scatter(const tw_vec_kernel *k, size_t n, const tw_run *args)
{
    bool is_signed = tw_type_get(k->types[1])->is_signed;
    size_t size = k->size[0];
    for (size_t i = 0; i < n; i++) {
        uint64_t index = load_index(&args[1], i, k->size[1], is_signed);
        const char *from = (const char *)((uintptr_t)args[2].at + i * (size_t)args[2].stride);
        verdict v = index_place(k, &index, args[0].count, is_signed);
        if (v == FAULT) return i;
        if (v == LEAVE) continue;
        if (k->own.core)
            combine(k, in_table(&args[0], index), from);
        else
            memmove(in_table(&args[0], index), from, size);
    }
    return n;
}
