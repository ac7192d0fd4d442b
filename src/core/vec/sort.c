/* SPDX-License-Identifier: MIT */
/* sort: stable, along the last dimension. Keys of any real type become unsigned numbers in the same order, so one
 * merge sort of (number, place) pairs serves all types and both directions. */
#include "core/vec/vec.h"

#include <stdlib.h>
#include <string.h>

typedef struct item {
    uint64_t key;
    size_t place;
} item;

/* Order of the f64 values, -0 as +0 and NaN above everything. */
static uint64_t float_key(double value, bool descending)
{
    uint64_t bits;
    if (value != value) return UINT64_MAX;
    if (value == 0) value = 0;
    memcpy(&bits, &value, sizeof bits);
    uint64_t key = bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
    return descending ? ~key : key; /* never UINT64_MAX: that would be the bits of a NaN */
}

static uint64_t sort_key_of(tw_type type, const void *at, bool descending)
{
    const tw_type_info *info = tw_type_get(type);
    if (info->kind == TW_KIND_FLOAT) return float_key(tw_type_load(type, at), descending);
    uint64_t raw = 0;
    memcpy(&raw, at, info->size);
    if (info->is_signed) raw = (raw ^ UINT64_C(1) << (8 * info->size - 1));
    return descending ? ~raw : raw;
}

/* Merges [0, half) and [half, n) of `from` into `to`; of equal keys the left one goes first. */
static void merge(const item *from, size_t half, size_t n, item *to)
{
    size_t left = 0, right = half;
    for (size_t i = 0; i < n; i++) {
        bool take_right = left == half || (right < n && from[right].key < from[left].key);
        to[i] = take_right ? from[right++] : from[left++];
    }
}

/* Bottom-up; returns the array that holds the result. */
static item *merge_sort(item *items, item *spare, size_t n)
{
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t at = 0; at < n; at += 2 * width) {
            size_t count = n - at < 2 * width ? n - at : 2 * width;
            merge(items + at, count < width ? count : width, count, spare + at);
        }
        item *sorted = spare;
        spare = items;
        items = sorted;
    }
    return items;
}

static char *sort_element(char *row, size_t i, ptrdiff_t stride)
{
    return (char *)((uintptr_t)row + i * (size_t)stride);
}

static void reorder(char *row, ptrdiff_t stride, size_t size, const item *sorted, size_t n, char *copy)
{
    tw__pack(n, copy, row, stride, (unsigned)size);
    for (size_t i = 0; i < n; i++) memcpy(sort_element(row, i, stride), copy + sorted[i].place * size, size);
}

static tw_status sort_check(const tw_view *keys, const tw_view *values, tw_window window)
{
    tw_type_kind kind = tw_type_get(keys->type)->kind;
    if (kind < TW_KIND_BOOL || kind > TW_KIND_FLOAT || tw_type_get(keys->type)->bits == 4)
        return tw__fail(TW_E_TYPE, "%s has no order to sort by", tw_type_name(keys->type, TW_SYSTEM_TILEWRIGHT));
    if (keys->rank == 0) return tw__fail(TW_E_INVALID_ARGUMENT, "sorting needs a dimension");
    if (values && (values->rank != keys->rank ||
                   memcmp(values->extent, keys->extent, keys->rank * sizeof *keys->extent) != 0))
        return tw__fail(TW_E_INVALID_ARGUMENT, "keys and values differ in shape");
    tw_status status = tw_view_check(keys, window);
    return status == TW_OK && values ? tw_view_check(values, window) : status;
}

tw_status tw_vec_sort(const tw_view *keys, const tw_view *values, bool descending, tw_window window)
{
    tw_status status = sort_check(keys, values, window);
    if (status != TW_OK) return status;
    unsigned last = keys->rank - 1;
    size_t n = keys->extent[last], rows = n ? tw_view_count(keys) / n : 0, index[TW_VIEW_RANK] = { 0 }, bytes;
    size_t key_size = tw_type_size(keys->type), value_size = values ? tw_type_size(values->type) : 0;
    size_t widest = key_size > value_size ? key_size : value_size;
    if (n < 2 || rows == 0) return TW_OK;
    item *items = tw__mul_size(n, 2 * sizeof(item) + widest, &bytes) ? malloc(bytes) : NULL;
    if (!items) return tw__fail(TW_E_NO_MEMORY, "no memory to sort %zu elements", n);
    char *copy = (char *)(items + 2 * n);
    for (size_t r = 0; r < rows; r++) {
        char *key_row = keys->base, *value_row = values ? values->base : NULL;
        for (unsigned d = 0; d < last; d++) {
            key_row = sort_element(key_row, index[d], keys->stride[d]);
            if (values) value_row = sort_element(value_row, index[d], values->stride[d]);
        }
        for (size_t i = 0; i < n; i++)
            items[i] =
                (item){ sort_key_of(keys->type, sort_element(key_row, i, keys->stride[last]), descending), i };
        const item *sorted = merge_sort(items, items + n, n);
        reorder(key_row, keys->stride[last], key_size, sorted, n, copy);
        if (values) reorder(value_row, values->stride[last], value_size, sorted, n, copy);
        for (unsigned d = last; d-- > 0;) {
            if (++index[d] < keys->extent[d]) break;
            index[d] = 0;
        }
    }
    free(items);
    return TW_OK;
}
