/* SPDX-License-Identifier: MIT */
/* move: elements of any size from run to run, and numbers in a row. Moves keep every bit, NaN payloads included. */
#include "core/vec/vec.h"

#include <string.h>

/* Sizes known to the compiler become single moves; the loop is in index order, so overlap shows as written. */
#define BY_SIZE(size, ACTION)     \
    switch (size) {               \
    case 1: ACTION(1); break;     \
    case 2: ACTION(2); break;     \
    case 4: ACTION(4); break;     \
    case 8: ACTION(8); break;     \
    case 16: ACTION(16); break;   \
    default: ACTION(size); break; \
    }

static void move_strided(size_t n, char *d, ptrdiff_t ds, const char *s, ptrdiff_t ss, size_t size)
{
#define MOVE(bytes)                \
    for (size_t i = 0; i < n; i++) \
    memmove((char *)((uintptr_t)d + i * (size_t)ds), (const char *)((uintptr_t)s + i * (size_t)ss), bytes)
    BY_SIZE(size, MOVE)
#undef MOVE
}

void tw__move(size_t n, void *d, ptrdiff_t ds, const void *s, ptrdiff_t ss, size_t size)
{
    if (ds == (ptrdiff_t)size && ss == ds)
        memmove(d, s, n * size);
    else
        move_strided(n, d, ds, s, ss, size);
}

/* The contiguous side has the constant stride, which leaves one address to calculate. */
void tw__pack(size_t n, void *d, const void *s, ptrdiff_t stride, unsigned size)
{
    char *to = d;
    const char *from = s;
    if (stride == 0) {
        tw__fill(n, d, s, size);
        return;
    }
    /* every other element, and complex numbers' halves: with the stride known, compilers use wide moves */
#define PACK_TWO(bytes) \
    for (size_t i = 0; i < n; i++) memcpy(to + i * bytes, from + 2 * i * bytes, bytes)
    if (stride == 2 * (ptrdiff_t)size) {
        if (size == 4)
            tw__thin_of()->pack(n, d, s);
        else
            BY_SIZE(size, PACK_TWO)
        return;
    }
#undef PACK_TWO
#define PACK(bytes)                                                                            \
    for (size_t i = 0; i < n; i++, from = (const char *)((uintptr_t)from + (uintptr_t)stride)) \
    memcpy(to + i * bytes, from, bytes)
    BY_SIZE(size, PACK)
#undef PACK
}

void tw__unpack(size_t n, void *d, ptrdiff_t stride, const void *s, unsigned size)
{
    char *to = d;
    const char *from = s;
#define UNPACK_TWO(bytes) \
    for (size_t i = 0; i < n; i++) memcpy(to + 2 * i * bytes, from + i * bytes, bytes)
    if (stride == 2 * (ptrdiff_t)size) {
        if (size == 4)
            tw__thin_of()->unpack(n, d, s);
        else
            BY_SIZE(size, UNPACK_TWO)
        return;
    }
#undef UNPACK_TWO
#define UNPACK(bytes)                                                                \
    for (size_t i = 0; i < n; i++, to = (char *)((uintptr_t)to + (uintptr_t)stride)) \
    memcpy(to, from + i * bytes, bytes)
    BY_SIZE(size, UNPACK)
#undef UNPACK
}

void tw__fill(size_t n, void *d, const void *value, unsigned size)
{
    char copy[32];
    memcpy(copy, value, size);
#define FILL(bytes) \
    for (size_t i = 0; i < n; i++) memcpy((char *)d + i * bytes, copy, bytes);
    BY_SIZE(size, FILL)
#undef FILL
}

size_t tw__drive_copy(const tw_vec_kernel *k, size_t n, const tw_run *args)
{
    size_t size = k->size[0];
    ptrdiff_t dense = (ptrdiff_t)size, ds = args[0].stride, ss = args[1].stride;
    bool in_order = k->mode.order == TW_ORDER_SEQUENTIAL && tw__order_matters(k, n, args, 1);
    if (n == 0) return 0;
    if (n == 1 || (ds == dense && ss == dense && !in_order))
        memmove(args[0].at, args[1].at, n * size);
    else if (ds == dense && ss == 0 && !in_order)
        tw__fill(n, args[0].at, args[1].at, (unsigned)size);
    else
        move_strided(n, args[0].at, ds, args[1].at, ss, size);
    return n;
}

size_t tw__drive_iota(const tw_vec_kernel *k, size_t n, const tw_run *args)
{
    uint64_t wide[TW__BLOCK], narrow[TW__BLOCK], middle[TW__BLOCK], scalar[3][2], from = 0;
    tw__core *core = (tw__core *)k->own.core;
    for (unsigned i = 1; i <= 2; i++) {
        tw__how how = { k->own.type[i], k->types[i], { TW_ROUND_NEAREST_EVEN, TW_SAT_NONE }, NULL };
        memset(scalar[i], 0, sizeof scalar[i]);
        if (k->own.step[i][0])
            tw__convert_steps(1, scalar[i], args[i].at, middle, k->own.step[i], &how);
        else
            memcpy(scalar[i], args[i].at, k->own.width[i]); /* the destination may lie on top of it */
    }
    if (!k->own.step[0][0] && (args[0].stride == (ptrdiff_t)k->size[0] || n == 1)) {
        core(n, args[0].at, scalar[1], scalar[2], &from);
        return n;
    }
    for (; from < n; from += TW__BLOCK) {
        size_t count = n - from < TW__BLOCK ? n - from : TW__BLOCK;
        const void *out = wide;
        core(count, wide, scalar[1], scalar[2], &from);
        if (k->own.step[0][0]) {
            tw__how how = { k->types[0], k->own.type[0], { k->mode.rounding, k->mode.saturation }, NULL };
            tw__convert_steps(count, narrow, wide, middle, k->own.step[0], &how);
            out = narrow;
        }
        tw__move(count, (char *)((uintptr_t)args[0].at + from * (size_t)args[0].stride), args[0].stride, out,
                 (ptrdiff_t)k->size[0], k->size[0]);
    }
    return n;
}

size_t tw__drive_compress(const tw_vec_kernel *k, size_t n, const tw_run *args)
{
    uint64_t values[TW__BLOCK], kept[TW__BLOCK];
    uint8_t flags[TW__BLOCK];
    size_t size = k->size[0], room = args[0].count, total = 0;
    tw__keep *core = (tw__keep *)k->own.core;
    ptrdiff_t ds = args[0].stride, vs = args[1].stride, fs = args[2].stride;
    for (size_t at = 0; at < n; at += TW__BLOCK) {
        size_t count = n - at < TW__BLOCK ? n - at : TW__BLOCK, left = total < room ? room - total : 0;
        const char *x = (const char *)((uintptr_t)args[1].at + at * (size_t)vs);
        const uint8_t *f = (const uint8_t *)((uintptr_t)args[2].at + at * (size_t)fs);
        if (vs != (ptrdiff_t)size) tw__pack(count, values, x, vs, (unsigned)size);
        if (fs != 1) tw__pack(count, flags, f, fs, 1);
        size_t set = core(count, kept, vs != (ptrdiff_t)size ? (const void *)values : x, fs != 1 ? flags : f);
        tw__move(set < left ? set : left, (char *)((uintptr_t)args[0].at + total * (size_t)ds), ds, kept,
                 (ptrdiff_t)size, size);
        total += set;
    }
    return total;
}
