/* SPDX-License-Identifier: MIT */
/* Lists of intervals: merged, and cut into even parts. */
#include "poplar/libs/libs.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static int regions_by_begin(const void *a, const void *b)
{
    const tw_interval *x = a, *y = b;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    return x->end < y->end ? -1 : x->end > y->end;
}

size_t tw_poputil_merge_regions(tw_interval *regions, size_t count)
{
    size_t kept = 0;
    if (count && !regions) {
        tw_error_set(TW_E_POPLIBS, "tw_poputil_merge_regions: %zu intervals that are NULL", count);
        return 0;
    }
    if (count > 1) qsort(regions, count, sizeof *regions, regions_by_begin);
    for (size_t i = 0; i < count; i++) {
        if (regions[i].begin >= regions[i].end) continue;
        if (kept && regions[kept - 1].end >= regions[i].begin)
            regions[kept - 1].end = MAX(regions[kept - 1].end, regions[i].end);
        else
            regions[kept++] = regions[i];
    }
    return kept;
}

static uint64_t times_up(uint64_t a, uint64_t b) /* how many b hold a */
{
    return a / b + (a % b != 0);
}

/* How many parts, of which part i has grains [i * grains / parts, (i + 1) * grains / parts). */
static uint64_t part_count(uint64_t grains, const tw_split_limits *limits, unsigned grain)
{
    unsigned parts = limits->parts ? limits->parts : 1;
    uint64_t per = times_up(grains, parts);
    if (limits->max_elements && limits->max_elements != UINT_MAX) {
        uint64_t most = limits->max_elements / grain;
        per = MIN(per, most ? most : 1);
    }
    if (limits->min_elements) { /* wins over the maximum */
        uint64_t most = grains / times_up(limits->min_elements, grain);
        per = MAX(per, times_up(grains, most ? most : 1));
    }
    return times_up(grains, per);
}

/* Appends [begin, end) in pieces of at most `most` elements. */
static void add_pieces(GArray *out, uint64_t begin, uint64_t end, uint64_t most)
{
    while (begin < end) {
        tw_interval piece = { begin, end - begin > most ? begin + most : end };
        g_array_append_val(out, piece);
        begin = piece.end;
    }
}

/* The result as one block of memory, as tw_sorted_regions_free() expects it. */
static tw_sorted_regions *regions_pack(const GArray *first, const GArray *intervals)
{
    size_t runs = first->len - 1, n = intervals->len;
    size_t bytes = sizeof(tw_sorted_regions) + n * sizeof(tw_interval) + (runs + 1) * sizeof(size_t);
    tw_sorted_regions *made = malloc(bytes);
    if (!made) {
        tw_error_set(TW_E_NO_MEMORY, "out of host memory");
        return NULL;
    }
    *made = (tw_sorted_regions){ .run_count = runs, .interval_count = n };
    made->intervals = (tw_interval *)(made + 1);
    made->first = (size_t *)(made->intervals + n);
    if (n) memcpy(made->intervals, intervals->data, n * sizeof(tw_interval));
    memcpy(made->first, first->data, (runs + 1) * sizeof(size_t));
    return made;
}

/* There they are, and the sum of their elements is a number. */
static bool regions_fit(size_t count, const tw_interval *regions)
{
    uint64_t total = 0;
    if (count && !regions) return false;
    for (size_t i = 0; i < count; i++)
        if (regions[i].end < regions[i].begin ||
            __builtin_add_overflow(total, regions[i].end - regions[i].begin, &total))
            return false;
    return true;
}

tw_sorted_regions *tw_poputil_split_regions(size_t count, const tw_interval *regions, const tw_split_limits *limits)
{
    static const tw_split_limits none;
    if (!limits) limits = &none;
    if (!regions_fit(count, regions)) {
        tw_error_set(TW_E_POPLIBS, "tw_poputil_split_regions: of %zu intervals %s", count,
                     regions ? "one ends before it begins, or they have too many elements" : "there is no list");
        return NULL;
    }
    unsigned grain = limits->grain ? limits->grain : 1;
    uint64_t region = limits->max_region ? limits->max_region : UINT_MAX, total = 0;
    uint64_t most = region == UINT_MAX ? UINT64_MAX : MAX(region / grain * grain, grain);
    for (size_t i = 0; i < count; i++) total += regions[i].end - regions[i].begin;
    GArray *first = g_array_new(FALSE, FALSE, sizeof(size_t)),
           *out = g_array_new(FALSE, FALSE, sizeof(tw_interval));
    uint64_t grains = times_up(total, grain), parts = total ? part_count(grains, limits, grain) : 0;
    size_t at = 0, start = 0; /* interval, and how many of its elements are dealt out */
    g_array_append_val(first, start);
    for (uint64_t p = 0; p < parts; p++) {
        uint64_t want =
            tw__libs_part_begin(p + 1, parts, total, grain) - tw__libs_part_begin(p, parts, total, grain);
        while (want) {
            uint64_t begin = regions[at].begin + start, n = MIN(want, regions[at].end - begin);
            add_pieces(out, begin, begin + n, most);
            want -= n, start += n;
            if (begin + n == regions[at].end) at++, start = 0;
        }
        size_t end = out->len;
        g_array_append_val(first, end);
    }
    tw_sorted_regions *made = regions_pack(first, out);
    g_array_unref(first);
    g_array_unref(out);
    return made;
}
