/* move: elements of any size from run to run, and numbers in a row. Moves keep every bit, NaN payloads included. */
#include "vec/vec.h"

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

/* start + k * step. Integers wrap; floats calculate in the compute type, one rounding per operation, so an element's
 * value depends on k alone. */
static void iota_block(const tw_vec_kernel *k, size_t first, size_t n, const void *start, const void *step,
                       void *out)
{
    if (k->own.type[0] == TW_F32) {
        float begin, by, *x = out;
        memcpy(&begin, start, sizeof begin);
        memcpy(&by, step, sizeof by);
        for (size_t i = 0; i < n; i++) {
            float value = begin + (float)(first + i) * by;
            x[i] = value == value ? value : __builtin_nanf("");
        }
        return;
    }
    if (k->own.type[0] == TW_F64) {
        double begin, by, *x = out;
        memcpy(&begin, start, sizeof begin);
        memcpy(&by, step, sizeof by);
        for (size_t i = 0; i < n; i++) {
            double value = begin + (double)(first + i) * by;
            x[i] = value == value ? value : __builtin_nan("");
        }
        return;
    }
    uint64_t begin = 0, by = 0;
    size_t width = k->own.width[0];
    memcpy(&begin, start, width); /* low bytes: little endian, as all of Tilewright's memory images */
    memcpy(&by, step, width);
    begin += first * by;
#define IOTA(T)                                       \
    do {                                              \
        typedef T __attribute__((may_alias)) element; \
        element *x = out;                             \
        T next = (T)begin, add = (T)by;               \
        for (size_t i = 0; i < n; i++) {              \
            x[i] = next;                              \
            next = (T)(next + add);                   \
        }                                             \
    } while (0)
    switch (width) { /* a width known to the compiler: vectors */
    case 1: IOTA(uint8_t); break;
    case 2: IOTA(uint16_t); break;
    case 4: IOTA(uint32_t); break;
    default: IOTA(uint64_t); break;
    }
#undef IOTA
}

size_t tw__drive_iota(const tw_vec_kernel *k, size_t n, const tw_run *args)
{
    uint64_t wide[TW__BLOCK], narrow[TW__BLOCK], middle[TW__BLOCK], scalar[3][2];
    const void *source[3] = { NULL };
    for (unsigned i = 1; i <= 2; i++) {
        tw__how how = { k->own.type[i], k->types[i], { TW_ROUND_NEAREST_EVEN, TW_SAT_NONE }, NULL };
        memset(scalar[i], 0, sizeof scalar[i]);
        source[i] = args[i].at;
        if (k->own.step[i][0]) {
            tw__convert_steps(1, scalar[i], args[i].at, middle, k->own.step[i], &how);
            source[i] = scalar[i];
        } else {
            memcpy(scalar[i], args[i].at, k->own.width[i]); /* the destination may lie on top of it */
            source[i] = scalar[i];
        }
    }
    for (size_t at = 0; at < n; at += TW__BLOCK) {
        size_t count = n - at < TW__BLOCK ? n - at : TW__BLOCK;
        const void *out = wide;
        iota_block(k, at, count, source[1], source[2], wide);
        if (k->own.step[0][0]) {
            tw__how how = { k->types[0], k->own.type[0], { k->mode.rounding, k->mode.saturation }, NULL };
            tw__convert_steps(count, narrow, wide, middle, k->own.step[0], &how);
            out = narrow;
        }
        tw__move(count, (char *)((uintptr_t)args[0].at + at * (size_t)args[0].stride), args[0].stride, out,
                 (ptrdiff_t)k->size[0], k->size[0]);
    }
    return n;
}
