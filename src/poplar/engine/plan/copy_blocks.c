/* SPDX-License-Identifier: MIT */
/* Copies as blocks. Two region lists are walked side by side; where both agree on a shape the common part
 * becomes one three-dimensional strided block, whatever its size: a transposed 4096 x 4096 copy is one block.
 * Blocks of one shape at equal distances are joined, and finishing a copy picks the loop order and cuts large
 * blocks for the threads. */
#include "poplar/engine/engine.h"

#include <stdlib.h>

#define MAX_DIMS 8 /* of a common refinement: up to 4 + 4 - 1 */
#define MAX_N    0x40000000u

/* A box of elements in row-major order; offsets and strides in bytes. */
typedef struct box {
    int64_t at;
    unsigned rank;
    uint64_t n[4];
    int64_t stride[4];
} box;

typedef struct cursor { /* a place in one side */
    const tw__storage *storage;
    const tw__regions *list; /* NULL = contiguous */
    uint32_t index;          /* region */
    uint64_t local;          /* element within it */
    uint64_t pos;            /* contiguous: element */
    size_t esize;
    bool repeat;
} cursor;

static cursor cursor_at(const tw__storage *storage, tw__side side, size_t esize)
{
    cursor c = {
        .storage = storage, .list = side.regions, .pos = side.first, .esize = esize, .repeat = side.repeat
    };
    if (side.regions && side.first) {
        uint32_t lo = 0, hi = side.regions->n;
        while (lo + 1 < hi) {
            uint32_t mid = lo + (hi - lo) / 2;
            if (side.regions->first[mid] <= side.first)
                lo = mid;
            else
                hi = mid;
        }
        c.index = lo;
        c.local = side.first - side.regions->first[lo];
    }
    return c;
}

static void advance(cursor *c, uint64_t count)
{
    c->pos += count;
    if (!c->list) return;
    c->local += count;
    while (c->index < c->list->n && c->local >= c->list->region[c->index].count) {
        c->local -= c->list->region[c->index].count;
        c->index++;
    }
}

/* Cuts a box of elements that begins at element `first` to what lies side by side in one tile's memory; returns its
 * size. Strides in elements. */
static uint64_t clip(const tw__tile_map *map, uint32_t var, int64_t first, box *b)
{
    uint64_t begin, end;
    tw__tile_map_span(map, var, (uint64_t)first, &begin, &end);
    for (;;) {
        int64_t low = first, high = first; /* of the rows that one step of the outermost dimension has */
        uint64_t inner = 1;
        for (unsigned k = 1; k < b->rank; k++) {
            int64_t reach = (int64_t)(b->n[k] - 1) * b->stride[k];
            *(reach < 0 ? &low : &high) += reach;
            inner *= b->n[k];
        }
        bool fits = low >= 0 && (uint64_t)low >= begin && (uint64_t)high < end;
        if (fits || b->rank == 1) {
            int64_t s = b->stride[0];
            uint64_t most = s > 0   ? (end - 1 - (uint64_t)high) / (uint64_t)s + 1
                            : s < 0 ? ((uint64_t)low - begin) / (uint64_t)-s + 1
                                    : b->n[0];
            if (b->n[0] > most) b->n[0] = most;
            return b->n[0] * inner;
        }
        for (unsigned k = 1; k < b->rank; k++) b->n[k - 1] = b->n[k], b->stride[k - 1] = b->stride[k];
        b->rank--;
    }
}

/* The largest box of at most `limit` elements that starts at the cursor; returns its size. */
static uint64_t take(const cursor *c, uint64_t limit, box *out)
{
    int64_t e = (int64_t)c->esize;
    if (!c->list) {
        *out = (box){ .at = c->repeat ? 0 : (int64_t)(c->pos * c->esize),
                      .rank = 1,
                      .n = { limit },
                      .stride = { c->repeat ? 0 : e } };
        return limit;
    }
    const tw__region *r = &c->list->region[c->index];
    uint64_t inner = r->count, index[4], rest = c->local;
    unsigned level = r->rank;
    uint64_t level_inner = 1, level_count = 1;
    for (unsigned k = 0; k < r->rank; k++) {
        inner /= r->dim[k].count;
        index[k] = rest / inner;
        rest %= inner;
        if (level == r->rank && rest == 0 && limit >= inner) { /* whole slices of this dimension fit */
            level = k;
            level_inner = inner;
            level_count = r->dim[k].count - index[k];
            if (level_count > limit / inner) level_count = limit / inner;
        }
    }
    int64_t first = (int64_t)r->offset;
    for (unsigned k = 0; k < r->rank; k++) first += (int64_t)index[k] * r->dim[k].stride;
    *out = (box){ .rank = r->rank - level };
    for (unsigned k = level; k < r->rank; k++) {
        out->n[k - level] = k == level ? level_count : r->dim[k].count;
        out->stride[k - level] = r->dim[k].stride;
    }
    uint64_t count = level_count * level_inner;
    if (c->storage->map) count = clip(c->storage->map, r->var, first, out);
    out->at = (int64_t)tw__storage_at(c->storage, r->var, (uint64_t)first);
    for (unsigned k = 0; k < out->rank; k++) out->stride[k] *= e;
    return count;
}

/* --- pairs of boxes ------------------------------------------------------------------------------------------- */

typedef struct pair { /* innermost dimension first */
    int64_t src, dst;
    unsigned rank;
    uint64_t n[MAX_DIMS];
    int64_t ss[MAX_DIMS], ds[MAX_DIMS];
} pair;

/* Common refinement of two shapes of equal size; false when their dimensions do not divide one another. Dimensions
 * that continue the previous one on both sides are joined to it. */
static bool refine(const box *src, const box *dst, pair *out)
{
    *out = (pair){ .src = src->at, .dst = dst->at };
    unsigned i = src->rank - 1, j = dst->rank - 1;
    uint64_t a = src->n[i], b = dst->n[j];
    int64_t sa = src->stride[i], sb = dst->stride[j];
    for (;;) {
        uint64_t n = a < b ? a : b;
        if (a % n || b % n) return false;
        unsigned r = out->rank;
        if (n > 1 && r && out->ss[r - 1] * (int64_t)out->n[r - 1] == sa &&
            out->ds[r - 1] * (int64_t)out->n[r - 1] == sb) {
            out->n[r - 1] *= n;
        } else if (n > 1) {
            out->n[r] = n;
            out->ss[r] = sa;
            out->ds[r] = sb;
            out->rank++;
        }
        a /= n, sa *= (int64_t)n;
        b /= n, sb *= (int64_t)n;
        if (a == 1 && b == 1 && i == 0 && j == 0) return true;
        if (a == 1 && i > 0) i--, a = src->n[i], sa = src->stride[i];
        if (b == 1 && j > 0) j--, b = dst->n[j], sb = dst->stride[j];
    }
}

static tw_status copy_blocks_no_memory(size_t count)
{
    return tw__fail(TW_E_NO_MEMORY, "no memory for %zu copy blocks", count);
}

/* Whether `b` has the shape of `last` without its dimension d, and lies where row n[d] of it would. */
static bool continues(const tw__block *last, const tw__block *b, unsigned d)
{
    for (unsigned k = 0; k < 3; k++) {
        if (k == d) continue;
        if (last->n[k] != b->n[k] || (last->n[k] > 1 && (last->ss[k] != b->ss[k] || last->ds[k] != b->ds[k])))
            return false;
    }
    if (b->n[d] != 1 || last->esize != b->esize || last->n[d] >= MAX_N) return false;
    return last->n[d] == 1 || (b->src == last->src + (int64_t)last->n[d] * last->ss[d] &&
                               b->dst == last->dst + (int64_t)last->n[d] * last->ds[d]);
}

/* Joins `b` to `last` along the innermost free dimension. */
static bool copy_blocks_join(tw__block *last, const tw__block *b)
{
    for (unsigned d = 3; d-- > 0;) {
        if (!continues(last, b, d)) continue;
        if (last->n[d] == 1) {
            last->ss[d] = b->src - last->src;
            last->ds[d] = b->dst - last->dst;
        }
        last->n[d]++;
        return true;
    }
    return false;
}

static tw_status push(tw__copy *copy, const tw__block *b)
{
    copy->bytes += (uint64_t)b->n[0] * b->n[1] * b->n[2] * b->esize;
    if (copy->count && copy_blocks_join(&copy->blocks[copy->count - 1], b)) return TW_OK;
    if (!tw__grow(&copy->blocks, &copy->room, copy->count, sizeof *copy->blocks))
        return copy_blocks_no_memory(copy->count);
    copy->blocks[copy->count++] = *b;
    return TW_OK;
}

/* Order of loops: the destination's small strides inside. A short inner row of 2, 4, 8 or 16 bytes becomes one
 * wider element; a short strided inner dimension gives way to a long one. */
static void arrange(pair *p, size_t *esize)
{
    for (unsigned i = 1; i < p->rank; i++)
        for (unsigned j = i; j > 0 && llabs(p->ds[j]) < llabs(p->ds[j - 1]); j--) {
            uint64_t n = p->n[j];
            int64_t ss = p->ss[j], ds = p->ds[j];
            p->n[j] = p->n[j - 1], p->ss[j] = p->ss[j - 1], p->ds[j] = p->ds[j - 1];
            p->n[j - 1] = n, p->ss[j - 1] = ss, p->ds[j - 1] = ds;
        }
    int64_t e = (int64_t)*esize;
    if (p->rank > 1 && p->ss[0] == e && p->ds[0] == e) {
        uint64_t row = p->n[0] * *esize;
        if (row > 16 || (row & (row - 1)) != 0) return;
        *esize = (size_t)row;
        for (unsigned k = 0; k + 1 < p->rank; k++)
            p->n[k] = p->n[k + 1], p->ss[k] = p->ss[k + 1], p->ds[k] = p->ds[k + 1];
        p->rank--;
    }
    unsigned best = 0;
    for (unsigned k = 1; k < p->rank; k++)
        if (p->n[k] > p->n[best]) best = k;
    if (best && p->n[0] < 8 && p->n[best] >= 32 && !(p->ss[0] == (int64_t)*esize && p->ds[0] == (int64_t)*esize)) {
        uint64_t n = p->n[0];
        int64_t ss = p->ss[0], ds = p->ds[0];
        p->n[0] = p->n[best], p->ss[0] = p->ss[best], p->ds[0] = p->ds[best];
        p->n[best] = n, p->ss[best] = ss, p->ds[best] = ds;
    }
}

/* Blocks have three dimensions with 32-bit counts: outer dimensions beyond become blocks of their own. */
static tw_status copy_blocks_emit(tw__copy *copy, const pair *p, unsigned rank, int64_t src, int64_t dst,
                                  size_t esize)
{
    unsigned k = rank > 3 ? rank - 1 : 0;
    while (rank <= 3 && k < rank && p->n[k] <= MAX_N) k++;
    if (rank <= 3 && k == rank) {
        tw__block b = { .src = src, .dst = dst, .n = { 1, 1, 1 }, .esize = (uint16_t)esize };
        for (unsigned d = 0; d < rank; d++) {
            b.n[2 - d] = (uint32_t)p->n[d];
            b.ss[2 - d] = p->ss[d];
            b.ds[2 - d] = p->ds[d];
        }
        return push(copy, &b);
    }
    pair part = *p;
    uint64_t step = rank > 3 ? 1 : MAX_N; /* one row of the outermost dimension, or as much as a count can hold */
    for (uint64_t i = 0; i < p->n[k]; i += step) {
        part.n[k] = p->n[k] - i < step ? p->n[k] - i : step;
        tw_status s = copy_blocks_emit(copy, &part, rank > 3 ? rank - 1 : rank, src + (int64_t)i * p->ss[k],
                                       dst + (int64_t)i * p->ds[k], esize);
        if (s) return s;
    }
    return TW_OK;
}

tw_status tw__copy_add(tw__copy *copy, const tw__storage *storage, tw__side src, tw__side dst, uint64_t count,
                       size_t esize)
{
    cursor from = cursor_at(storage, src, esize), to = cursor_at(storage, dst, esize);
    while (count > 0) {
        box a, b;
        uint64_t n = count, m;
        for (;;) { /* a box that both sides can give */
            n = take(&from, n, &a);
            m = take(&to, n, &b);
            if (m == n) break;
            n = m;
        }
        pair p;
        if (!refine(&a, &b, &p)) { /* shapes that do not divide: a row of the finer one at a time */
            uint64_t row_a = a.n[a.rank - 1], row_b = b.n[b.rank - 1];
            n = row_a < row_b ? row_a : row_b;
            while ((m = take(&from, n, &a)) != n || (m = take(&to, n, &b)) != n) n = m;
            if (!refine(&a, &b, &p)) return tw__fail(TW_E_ERROR, "copy shapes cannot be matched");
        }
        size_t e = esize;
        arrange(&p, &e);
        tw_status s = copy_blocks_emit(copy, &p, p.rank, p.src, p.dst, e);
        if (s) return s;
        advance(&from, n);
        advance(&to, n);
        count -= n;
    }
    return TW_OK;
}

/* --- finishing ------------------------------------------------------------------------------------------------ */

static void swap_dims(tw__block *b, unsigned i, unsigned j)
{
    uint32_t n = b->n[i];
    int64_t ss = b->ss[i], ds = b->ds[i];
    b->n[i] = b->n[j], b->ss[i] = b->ss[j], b->ds[i] = b->ds[j];
    b->n[j] = n, b->ss[j] = ss, b->ds[j] = ds;
}

/* The dimension along which a side is contiguous; 3 = none. */
static unsigned dense_dim(const tw__block *b, const int64_t *stride)
{
    for (unsigned k = 0; k < 3; k++)
        if (b->n[k] > 1 && stride[k] == b->esize) return k;
    return 3;
}

/* Sides that are contiguous along different dimensions: the destination's goes last, the source's next to it. */
static bool turn(tw__block *b)
{
    unsigned from = dense_dim(b, b->ss), to = dense_dim(b, b->ds);
    if (from == 3 || to == 3 || from == to) return false;
    swap_dims(b, to, 2);
    swap_dims(b, dense_dim(b, b->ss), 1);
    return true;
}

static tw__block_form form_of(const tw__block *b)
{
    int64_t e = b->esize;
    if (b->n[2] == 1 || (b->ss[2] == e && b->ds[2] == e))
        return b->n[0] * (uint64_t)b->n[1] == 1 ? TW__BLOCK_BYTES : TW__BLOCK_ROWS;
    bool fill = true;
    for (unsigned k = 0; k < 3; k++) fill = fill && (b->n[k] == 1 || b->ss[k] == 0);
    return fill ? TW__BLOCK_FILL : TW__BLOCK_STRIDED;
}

/* Pieces small enough to share between threads and to stay in the second level cache. */
#define PIECE_BYTES ((uint64_t)512 << 10)

static tw_status cut(tw__copy *copy, size_t at)
{
    tw__block whole = copy->blocks[at];
    uint64_t bytes = (uint64_t)whole.n[0] * whole.n[1] * whole.n[2] * whole.esize;
    unsigned d = whole.n[0] > 1 ? 0 : whole.n[1] > 1 ? 1 : 2;
    uint64_t step = (uint64_t)((double)whole.n[d] * PIECE_BYTES / (double)bytes);
    if (bytes <= 2 * PIECE_BYTES || step >= whole.n[d]) return TW_OK;
    if (step == 0) step = 1;
    if (d > 0 && step > 64) step &= ~(uint64_t)63; /* whole cache lines, also of a transposed source */
    for (uint64_t i = step; i < whole.n[d]; i += step) {
        tw__block b = whole;
        b.n[d] = (uint32_t)(whole.n[d] - i < step ? whole.n[d] - i : step);
        b.src += (int64_t)i * whole.ss[d];
        b.dst += (int64_t)i * whole.ds[d];
        if (!tw__grow(&copy->blocks, &copy->room, copy->count, sizeof b)) return copy_blocks_no_memory(copy->count);
        copy->blocks[copy->count++] = b;
    }
    copy->blocks[at].n[d] = (uint32_t)step;
    return TW_OK;
}

/* Joined rows may continue one another: fewest dimensions, the last one innermost. */
static void collapse(tw__block *b)
{
    tw__block out = *b;
    unsigned d = 2;
    for (unsigned k = 0; k < 3; k++) out.n[k] = 1;
    for (unsigned k = 3; k-- > 0;) {
        if (b->n[k] == 1) continue;
        if (out.n[d] > 1 && b->ss[k] == out.ss[d] * (int64_t)out.n[d] &&
            b->ds[k] == out.ds[d] * (int64_t)out.n[d] && (uint64_t)out.n[d] * b->n[k] <= MAX_N) {
            out.n[d] *= b->n[k];
            continue;
        }
        if (out.n[d] > 1) d--;
        out.n[d] = b->n[k], out.ss[d] = b->ss[k], out.ds[d] = b->ds[k];
    }
    *b = out;
}

tw_status tw__copy_finish(tw__copy *copy)
{
    size_t kept = 0;
    for (size_t i = 0; i < copy->count; i++) { /* rows that push() joined may themselves form planes */
        tw__block b = copy->blocks[i];
        collapse(&b);
        if (!kept || !copy_blocks_join(&copy->blocks[kept - 1], &b)) copy->blocks[kept++] = b;
    }
    copy->count = kept;
    for (size_t i = 0; i < copy->count; i++) {
        collapse(&copy->blocks[i]);
        tw__block *b = &copy->blocks[i];
        b->form = (uint16_t)(turn(b) ? TW__BLOCK_TRANSPOSE : form_of(b));
        tw_status s = cut(copy, i);
        if (s) return s;
    }
    tw_status linked = tw__links_finish(copy->links);
    if (linked) return linked;
    if (copy->room > copy->count + copy->count / 4) {
        size_t n = copy->count ? copy->count : 1;
        void *exact = tw__realloc(copy->blocks, n * sizeof *copy->blocks);
        if (exact) copy->blocks = exact, copy->room = n;
    }
    return TW_OK;
}

void tw__copy_free(tw__copy *copy)
{
    free(copy->blocks);
    tw__links_free(copy->links);
    *copy = (tw__copy){ 0 };
}
