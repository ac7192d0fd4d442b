/* SPDX-License-Identifier: MIT */
/* ref_cube: products in double. */
#include "pto/reference/ref_cube.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

ref_values ref_values_new(uint32_t rows, uint32_t cols)
{
    ref_values v = { rows, cols, calloc((size_t)rows * cols + 1, sizeof(double)) };
    if (!v.at) abort();
    return v;
}

void ref_values_drop(ref_values *v)
{
    free(v->at);
    v->at = NULL;
}

ref_values ref_decoded(const ref_image *image, uint32_t rows, uint32_t cols)
{
    ref_values v = ref_values_new(rows, cols);
    for (uint32_t r = 0; r < rows; r++)
        for (uint32_t c = 0; c < cols; c++) v.at[(size_t)r * cols + c] = ref_value(image, r, c);
    return v;
}

void ref_tf32(ref_values *v, ref_rounding rounding)
{
    for (size_t i = 0; i < (size_t)v->rows * v->cols; i++) {
        int e;
        if (!isfinite(v->at[i]) || v->at[i] == 0) continue;
        frexp(v->at[i], &e); /* the leading bit stands for 2^(e - 1) */
        int last = (e - 1 < -126 ? -126 : e - 1) - 10;
        double x = ldexp(ref_to_integral(ldexp(v->at[i], -last), rounding), last);
        v->at[i] = fabs(x) >= 0x1p128 ? copysign(INFINITY, x) : x;
    }
}

void ref_multiply(ref_values *product, ref_values *bound, const ref_values *a, const ref_values *b)
{
    for (uint32_t i = 0; i < a->rows; i++)
        for (uint32_t j = 0; j < b->cols; j++) {
            double *sum = &product->at[(size_t)i * product->cols + j], size = fabs(*sum);
            for (uint32_t k = 0; k < a->cols; k++) {
                double term = a->at[(size_t)i * a->cols + k] * b->at[(size_t)k * b->cols + j];
                *sum += term;
                size += fabs(term);
            }
            bound->at[(size_t)i * bound->cols + j] += (a->cols + 2) * (size * 0x1p-24 + 0x1p-149);
        }
}

tw_pto_tile ref_cube_tile(tw_pto_location location, tw_type type, uint32_t rows, uint32_t cols,
                          tw_pto_target target)
{
    tw_pto_tile t = tw_pto_tile_of(location, type, rows, cols);
    switch (location) {
    case TW_PTO_LEFT: ref_layout_of(&t, target == TW_PTO_A2A3 ? 4 : 2); break;
    case TW_PTO_RIGHT: ref_layout_of(&t, 3); break;
    case TW_PTO_ACC:
        ref_layout_of(&t, 2);
        t.fractal = 1024;
        break;
    case TW_PTO_SCALE_LEFT:
        ref_layout_of(&t, 4);
        t.fractal = 32;
        break;
    case TW_PTO_SCALE_RIGHT:
        ref_layout_of(&t, 5);
        t.fractal = 32;
        break;
    default: break;
    }
    return t;
}

void ref_layout_of(tw_pto_tile *t, unsigned layout)
{
    static const struct {
        unsigned char blayout, slayout;
    } layouts[] = {
        { TW_PTO_ROW_MAJOR, TW_PTO_NONE_BOX }, { TW_PTO_COL_MAJOR, TW_PTO_NONE_BOX },
        { TW_PTO_COL_MAJOR, TW_PTO_BOX_ROW },  { TW_PTO_ROW_MAJOR, TW_PTO_BOX_COL },
        { TW_PTO_ROW_MAJOR, TW_PTO_BOX_ROW },  { TW_PTO_COL_MAJOR, TW_PTO_BOX_COL },
    };
    t->blayout = layouts[layout].blayout;
    t->slayout = layouts[layout].slayout;
}

void ref_any_layout(tw_pto_tile *t, uint64_t random)
{
    for (unsigned i = 0; i < 6; i++) {
        ref_layout_of(t, (unsigned)((random + i) % 6));
        if (tw_pto_tile_check(t) == TW_OK) return;
    }
}

uint64_t ref_tame(tw_type type, uint64_t random)
{
    size_t count;
    const uint64_t *list = ref_specials(type, &count);
    uint64_t next = random, code = random % 64 ? ref_next(&next) : list[random / 64 % count];
    code &= ref_bits(type) == 64 ? UINT64_MAX : (UINT64_C(1) << ref_bits(type)) - 1;
    double value = ref_decode(type, code);
    bool open = isfinite(value) ? fabs(value) > 0x1p40 : random % 64 != 0;
    return open && ref_is_float(type) ? ref_small(type, ref_next(&next)) : code;
}

bool ref_near(tw_pto *core, tw_pto_tile *tile, const ref_image *before, const ref_values *want,
              const ref_values *bound, const char *what)
{
    ref_image got = ref_take(core, tile);
    bool good = true;
    for (uint32_t r = 0; good && r < want->rows; r++)
        for (uint32_t c = 0; good && c < want->cols; c++) {
            double x = ref_value(&got, r, c), y = want->at[(size_t)r * want->cols + c];
            double room = bound ? bound->at[(size_t)r * bound->cols + c] : 0;
            good = isnan(y) ? isnan(x) : x == y || fabs(x - y) <= room;
            if (!good) fprintf(stderr, "%s: element (%u, %u): %.17g, not %.17g +- %g\n", what, r, c, x, y, room);
            ref_set(before, r, c, ref_get(&got, r, c)); /* judged: the rest must be as before */
        }
    ref_drop(&got);
    return good && ref_equal(core, tile, before, what);
}
