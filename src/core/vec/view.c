/* SPDX-License-Identifier: MIT */
/* Views: construction, slicing, and the span of memory they touch. All size arithmetic is checked here once, so that
 * a view made by these functions can be walked without overflow. */
#include "core/vec/vec.h"

tw_view tw_view_scalar(void *at, tw_type type)
{
    tw_view view = { .base = at, .type = type };
    return view;
}

tw_view tw_view_1d(void *base, tw_type type, size_t count, ptrdiff_t stride)
{
    tw_view view = { .base = base, .type = type, .rank = 1, .extent = { count }, .stride = { stride } };
    return view;
}

static tw_status check_shape(const tw_view *view)
{
    size_t count = 1;
    for (unsigned d = 0; d < view->rank; d++)
        if (!tw__mul_size(count, view->extent[d], &count))
            return tw__fail(TW_E_INVALID_ARGUMENT, "view of more than 2^64 elements");
    ptrdiff_t low, high;
    if (!tw_view_span(view, &low, &high)) return tw__fail(TW_E_INVALID_ARGUMENT, "view spans more than 2^63 bytes");
    return TW_OK;
}

tw_status tw_view_init_strided(tw_view *view, void *base, tw_type type, unsigned rank, const size_t *extents,
                               const ptrdiff_t *strides)
{
    if (rank > TW_VIEW_RANK)
        return tw__fail(TW_E_INVALID_ARGUMENT, "view of rank %u, the limit is %d", rank, TW_VIEW_RANK);
    tw_view made = { .base = base, .type = type, .rank = rank };
    for (unsigned d = 0; d < rank; d++) {
        made.extent[d] = extents[d];
        made.stride[d] = strides[d];
    }
    tw_status status = check_shape(&made);
    if (status == TW_OK) *view = made;
    return status;
}

/* Row-major strides; false when one does not fit. */
static bool dense_strides(unsigned rank, const size_t *extents, size_t size, ptrdiff_t *strides)
{
    for (unsigned d = rank; d-- > 0;) {
        if (size > PTRDIFF_MAX) return false;
        strides[d] = (ptrdiff_t)size;
        if (!tw__mul_size(size, extents[d] ? extents[d] : 1, &size)) return false;
    }
    return true;
}

tw_status tw_view_init(tw_view *view, void *base, tw_type type, unsigned rank, const size_t *extents)
{
    ptrdiff_t strides[TW_VIEW_RANK];
    if (rank > TW_VIEW_RANK)
        return tw__fail(TW_E_INVALID_ARGUMENT, "view of rank %u, the limit is %d", rank, TW_VIEW_RANK);
    if (!dense_strides(rank, extents, tw_type_size(type), strides))
        return tw__fail(TW_E_INVALID_ARGUMENT, "view spans more than 2^63 bytes");
    return tw_view_init_strided(view, base, type, rank, extents, strides);
}

static tw_status check_dim(const tw_view *view, unsigned dim)
{
    return dim < view->rank ? TW_OK : tw__fail(TW_E_INDEX, "dimension %u of a view of rank %u", dim, view->rank);
}

/* Strides of dimensions that are never stepped over may be too large to multiply: unsigned arithmetic wraps, and the
 * address of an element that exists is right modulo 2^64. */
static char *step(const void *from, size_t times, ptrdiff_t stride)
{
    return (char *)((uintptr_t)from + times * (size_t)stride);
}

tw_status tw_view_slice(tw_view *view, unsigned dim, size_t begin, size_t end)
{
    tw_status status = check_dim(view, dim);
    if (status != TW_OK) return status;
    if (begin > end || end > view->extent[dim])
        return tw__fail(TW_E_INDEX, "slice [%zu, %zu) of dimension %u with %zu elements", begin, end, dim,
                        view->extent[dim]);
    if (begin < end) view->base = step(view->base, begin, view->stride[dim]);
    view->extent[dim] = end - begin;
    return TW_OK;
}

tw_status tw_view_subsample(tw_view *view, unsigned dim, size_t every)
{
    tw_status status = check_dim(view, dim);
    if (status != TW_OK) return status;
    if (every == 0) return tw__fail(TW_E_INVALID_ARGUMENT, "subsampling step of 0");
    size_t count = view->extent[dim];
    view->extent[dim] = count / every + (count % every != 0);
    view->stride[dim] = view->extent[dim] > 1 ? view->stride[dim] * (ptrdiff_t)every : view->stride[dim];
    return TW_OK;
}

static void drop_dim(tw_view *view, unsigned dim)
{
    view->rank--;
    for (unsigned d = dim; d < view->rank; d++) {
        view->extent[d] = view->extent[d + 1];
        view->stride[d] = view->stride[d + 1];
    }
}

tw_status tw_view_index(tw_view *view, unsigned dim, size_t index)
{
    tw_status status = check_dim(view, dim);
    if (status != TW_OK) return status;
    if (index >= view->extent[dim])
        return tw__fail(TW_E_INDEX, "index %zu of dimension %u with %zu elements", index, dim, view->extent[dim]);
    view->base = step(view->base, index, view->stride[dim]);
    drop_dim(view, dim);
    return TW_OK;
}

tw_status tw_view_reverse(tw_view *view, unsigned dim)
{
    tw_status status = check_dim(view, dim);
    if (status != TW_OK) return status;
    if (view->extent[dim] == 0) return TW_OK;
    view->base = step(view->base, view->extent[dim] - 1, view->stride[dim]);
    if (view->stride[dim] != PTRDIFF_MIN) view->stride[dim] = -view->stride[dim];
    return TW_OK;
}

tw_status tw_view_permute(tw_view *view, const unsigned *order)
{
    tw_view old = *view;
    unsigned seen = 0;
    for (unsigned d = 0; d < old.rank; d++) {
        if (order[d] >= old.rank || (seen & 1u << order[d]))
            return tw__fail(TW_E_INVALID_ARGUMENT, "not a permutation of %u dimensions", old.rank);
        seen |= 1u << order[d];
    }
    for (unsigned d = 0; d < old.rank; d++) {
        view->extent[d] = old.extent[order[d]];
        view->stride[d] = old.stride[order[d]];
    }
    return TW_OK;
}

tw_status tw_view_broadcast(tw_view *view, unsigned dim, size_t count)
{
    if (dim > view->rank || view->rank == TW_VIEW_RANK)
        return tw__fail(TW_E_INVALID_ARGUMENT, "cannot insert dimension %u in a view of rank %u", dim, view->rank);
    size_t total;
    if (!tw__mul_size(tw_view_count(view), count, &total))
        return tw__fail(TW_E_INVALID_ARGUMENT, "view of more than 2^64 elements");
    for (unsigned d = view->rank; d > dim; d--) {
        view->extent[d] = view->extent[d - 1];
        view->stride[d] = view->stride[d - 1];
    }
    view->extent[dim] = count;
    view->stride[dim] = 0;
    view->rank++;
    return TW_OK;
}

/* Splits and joins the coalesced dimensions; every new dimension has to fall into one of them. */
tw_status tw_view_reshape(tw_view *view, unsigned rank, const size_t *extents)
{
    if (rank > TW_VIEW_RANK)
        return tw__fail(TW_E_INVALID_ARGUMENT, "view of rank %u, the limit is %d", rank, TW_VIEW_RANK);
    size_t count = 1;
    for (unsigned d = 0; d < rank; d++)
        if (!tw__mul_size(count, extents[d], &count)) count = SIZE_MAX;
    if (count != tw_view_count(view))
        return tw__fail(TW_E_INVALID_ARGUMENT, "reshape of %zu elements to %zu", tw_view_count(view), count);
    tw_view from = tw_view_coalesce(view), made = { .base = view->base, .type = view->type, .rank = rank };
    if (count == 0) {
        for (unsigned d = 0; d < rank; d++) made.extent[d] = extents[d];
        *view = made;
        return TW_OK;
    }
    unsigned source = from.rank; /* walks down the dimensions of `from`, which has `left` elements to give */
    size_t left = 1, stride = 0;
    for (unsigned d = rank; d-- > 0;) {
        while (left == 1 && source > 0 && extents[d] > 1) {
            source--;
            left = from.extent[source];
            stride = (size_t)from.stride[source];
        }
        if (left % extents[d] != 0)
            return tw__fail(TW_E_INVALID_ARGUMENT, "the strides do not allow this reshape without a copy");
        made.extent[d] = extents[d];
        made.stride[d] = (ptrdiff_t)stride;
        stride *= extents[d];
        left /= extents[d];
    }
    *view = made;
    return TW_OK;
}

size_t tw_view_count(const tw_view *view)
{
    size_t count = 1;
    bool fits = true;
    for (unsigned d = 0; d < view->rank; d++) {
        if (view->extent[d] == 0) return 0;
        if (!tw__mul_size(count, view->extent[d], &count)) fits = false;
    }
    return fits ? count : SIZE_MAX;
}

bool tw_view_span(const tw_view *view, ptrdiff_t *low, ptrdiff_t *high)
{
    *low = 0;
    *high = 0;
    if (tw_view_count(view) == 0) return true;
    *high = (ptrdiff_t)tw_type_size(view->type);
    for (unsigned d = 0; d < view->rank; d++) {
        ptrdiff_t reach, *end = view->stride[d] < 0 ? low : high;
        if (__builtin_mul_overflow(view->stride[d], view->extent[d] - 1, &reach)) return false;
        if (__builtin_add_overflow(*end, reach, end)) return false;
    }
    return true;
}

/* [at + low, at + high) inside the window, without forming an address outside the address space. */
static bool view_inside(const void *at, ptrdiff_t low, ptrdiff_t high, tw_window window)
{
    if (low == high || (window.base == NULL && window.bytes == SIZE_MAX)) return true;
    uintptr_t begin, end, base = (uintptr_t)window.base;
    if (__builtin_add_overflow((uintptr_t)at, low, &begin)) return false;
    if (__builtin_add_overflow((uintptr_t)at, high, &end)) return false;
    return begin >= base && begin - base <= window.bytes && end - base <= window.bytes;
}

tw_status tw_view_check(const tw_view *view, tw_window window)
{
    ptrdiff_t low, high;
    if (tw_view_span(view, &low, &high) && view_inside(view->base, low, high, window)) return TW_OK;
    return tw__fail(TW_E_INDEX, "view of %zu %s reaches outside its %zu bytes of memory", tw_view_count(view),
                    tw_type_name(view->type, TW_SYSTEM_TILEWRIGHT), window.bytes);
}

bool tw_run_inside(const tw_run *run, size_t size, tw_window window)
{
    ptrdiff_t reach, low = 0, high = (ptrdiff_t)size;
    if (run->count == 0) return true;
    if (__builtin_mul_overflow(run->stride, run->count - 1, &reach)) return false;
    if (__builtin_add_overflow(reach < 0 ? low : high, reach, reach < 0 ? &low : &high)) return false;
    return view_inside(run->at, low, high, window);
}

/* Two neighbours join when a step of the outer one is what a full row of the inner one covers. */
tw_view tw_view_coalesce(const tw_view *view)
{
    tw_view out = { .base = view->base, .type = view->type };
    for (unsigned d = 0; d < view->rank; d++) {
        size_t extent = view->extent[d];
        if (extent == 1) continue;
        unsigned last = out.rank - 1;
        ptrdiff_t row;
        size_t joined;
        if (out.rank > 0 && !__builtin_mul_overflow(view->stride[d], extent, &row) && out.stride[last] == row &&
            tw__mul_size(out.extent[last], extent, &joined)) {
            out.extent[last] = joined;
            out.stride[last] = view->stride[d];
            continue;
        }
        out.extent[out.rank] = extent;
        out.stride[out.rank++] = view->stride[d];
    }
    if (out.rank == 0) {
        out.rank = 1;
        out.extent[0] = 1;
        out.stride[0] = view->rank ? view->stride[view->rank - 1] : (ptrdiff_t)tw_type_size(view->type);
    }
    return out;
}
