/* SPDX-License-Identifier: MIT */
/* Walks: a position in a list of views. Every resumable operation (DSD operations, FIFOs, streams) is walks plus
 * kernels: a walk hands out runs, a kernel does the work, and copying the walk is all it takes to stop and go on. */
#include "core/vec/vec.h"

/* An open walk never drops the slowest dimension of its last view: it has to go on with that stride. */
static void load_view(tw_walk *walk)
{
    const tw_view *view = &walk->views[walk->view];
    bool open = walk->end == TW_WALK_OPEN && walk->view + 1 == walk->view_count;
    tw_view joined = tw_view_coalesce(view);
    if (open && view->rank > 1 && view->extent[0] == 1) {
        tw_view inner = *view;
        tw_view_index(&inner, 0, 0);
        joined = tw_view_coalesce(&inner);
        tw_view_broadcast(&joined, 0, 1);
        joined.stride[0] = view->stride[0];
    }
    walk->rank = joined.rank;
    walk->at = joined.base;
    for (unsigned d = 0; d < joined.rank; d++) {
        walk->extent[d] = joined.extent[d];
        walk->stride[d] = joined.stride[d];
        walk->index[d] = 0;
    }
    if (open) walk->extent[0] = SIZE_MAX;
}

/* Elements of one view as the walk sees it: an open last view has no end. */
static uint64_t view_length(const tw_walk *walk, size_t view)
{
    uint64_t count = tw_view_count(&walk->views[view]);
    return count && walk->end == TW_WALK_OPEN && view + 1 == walk->view_count ? UINT64_MAX : count;
}

static uint64_t list_length(const tw_walk *walk)
{
    uint64_t total = 0;
    for (size_t v = 0; v < walk->view_count; v++)
        if (__builtin_add_overflow(total, view_length(walk, v), &total)) return UINT64_MAX;
    return total;
}

/* The first view from walk->view on that has elements; false at the end of the list. */
static bool enter_view(tw_walk *walk)
{
    for (; walk->view < walk->view_count; walk->view++) {
        if (view_length(walk, walk->view) == 0) continue;
        load_view(walk);
        return true;
    }
    walk->rank = 0;
    return false;
}

void tw_walk_begin(tw_walk *walk, const tw_view *views, size_t count, tw_walk_end end)
{
    *walk = (tw_walk){ .views = views, .view_count = count, .end = end };
    enter_view(walk);
}

static char *moved(const char *at, size_t times, ptrdiff_t stride)
{
    return (char *)((uintptr_t)at + times * (size_t)stride);
}

/* After the innermost dimension is used up: step the next slower one, or go to the next view. */
static void carry(tw_walk *walk)
{
    for (unsigned d = walk->rank - 1; walk->index[d] == walk->extent[d]; d--) {
        if (d == 0) {
            walk->view++;
            if (!enter_view(walk) && walk->end == TW_WALK_RING) {
                walk->view = 0;
                enter_view(walk);
            }
            return;
        }
        walk->at = moved(walk->at, 0 - walk->index[d], walk->stride[d]);
        walk->index[d] = 0;
        walk->at = moved(walk->at, 1, walk->stride[d - 1]);
        walk->index[d - 1]++;
    }
}

size_t tw_walk_next(tw_walk *walk, size_t max, tw_run *run)
{
    if (walk->rank == 0 || max == 0) {
        *run = (tw_run){ 0 };
        return 0;
    }
    unsigned inner = walk->rank - 1;
    size_t left = walk->extent[inner] - walk->index[inner], n = left < max ? left : max;
    *run = (tw_run){ walk->at, walk->stride[inner], n };
    walk->at = moved(walk->at, n, walk->stride[inner]);
    walk->position += n;
    walk->index[inner] += n;
    if (n == left) carry(walk);
    return n;
}

tw_status tw_walk_seek(tw_walk *walk, uint64_t position)
{
    uint64_t total = list_length(walk), rest = position;
    bool ring = walk->end == TW_WALK_RING && total > 0;
    if (!ring && position > total)
        return tw__fail(TW_E_INDEX, "element %llu of %llu", (unsigned long long)position,
                        (unsigned long long)total);
    if (ring) rest %= total;
    size_t view = 0;
    while (view < walk->view_count && rest >= view_length(walk, view)) rest -= view_length(walk, view++);
    walk->view = view;
    walk->position = position;
    if (!enter_view(walk)) return TW_OK;
    for (unsigned d = walk->rank; d-- > 0;) {
        size_t index = d == 0 ? (size_t)rest : (size_t)(rest % walk->extent[d]);
        rest /= walk->extent[d];
        walk->index[d] = index;
        walk->at = moved(walk->at, index, walk->stride[d]);
    }
    return TW_OK;
}
