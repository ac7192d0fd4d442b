/* SPDX-License-Identifier: MIT */
/* operands: operands of an instruction in few words, for tables of calls.
 *
 *   tile    location type rows x cols, then: vRxC valid, col column-major, nz zz zn nn boxes, f1024 f32, padN,
 * @address, base =
 *           a window
 *   conv    "conv location type layout a,b,c,.." then kHxW filter, hN map of N rows, t = transposed, xN channels
 *   tensor  "g type rows x cols layout", then wN = window of N bytes, null, neg = negative stride, repeat = stride 0,
 *   outer = two outer
 * planes, odd = 31 single scales,
 *           eights, fours = boxes of scales 8 high, 4 wide
 *   scalar  "#type value" */
#ifndef TW_TESTS_PTO_OPERANDS_H
#define TW_TESTS_PTO_OPERANDS_H

#include "pto/support/check.h"

#include <stdio.h>
#include <glib.h>

static unsigned char memory[1 << 20];

typedef struct operand_memory {
    tw_pto_tile tile;
    tw_pto_conv conv;
    tw_pto_tensor tensor;
} operand_memory;

static inline tw_type type_of(const char *name)
{
    for (int t = 1; t < TW_TYPE_COUNT; t++)
        if (strcmp(tw_type_name((tw_type)t, TW_SYSTEM_PTO), name) == 0) return (tw_type)t;
    fail_msg("no type '%s'", name);
    return TW_TYPE_NONE;
}

static inline tw_pto_location location_of(const char *name)
{
    static const char *const names[] = { "vec", "mat", "left", "right", "acc", "bias", "scal", "sl", "sr" };
    for (int i = 0; i < TW_PTO_LOCATIONS; i++)
        if (strcmp(names[i], name) == 0) return (tw_pto_location)i;
    fail_msg("no location '%s'", name);
    return TW_PTO_VEC;
}

static inline tw_pto_layout layout_of(const char *name)
{
    for (int i = 0; i < TW_PTO_LAYOUTS; i++)
        if (strcmp(tw_pto_layout_name((tw_pto_layout)i), name) == 0) return (tw_pto_layout)i;
    fail_msg("no layout '%s'", name);
    return TW_PTO_ND;
}

static inline void tile_word(tw_pto *core, tw_pto_tile *t, const char *w)
{
    unsigned a, b;
    static const struct {
        const char *name;
        unsigned char b, s;
    } boxes[] = { { "nz", 1, 1 }, { "zz", 0, 1 }, { "zn", 0, 2 }, { "nn", 1, 2 }, { "col", 1, 0 } };
    for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++)
        if (strcmp(w, boxes[i].name) == 0) {
            t->blayout = boxes[i].b, t->slayout = boxes[i].s;
            return;
        }
    if (sscanf(w, "v%ux%u", &a, &b) == 2)
        t->valid_rows = a, t->valid_cols = b;
    else if (sscanf(w, "f%u", &a) == 1)
        t->fractal = a;
    else if (sscanf(w, "pad%u", &a) == 1)
        t->pad = a;
    else if (sscanf(w, "@%x", &a) == 1)
        OK(tw_pto_assign(core, t, a));
    else if (strcmp(w, "base") == 0)
        t->base_rows = t->rows, t->base_cols = t->cols;
    else
        fail_msg("word '%s'", w);
}

static inline tw_pto_operand conv_operand(char **words, operand_memory *m)
{
    tw_pto_conv *v = &m->conv;
    unsigned a, b;
    char **shape = g_strsplit(words[4], ",", 6);
    v->layout = layout_of(words[3]);
    for (v->rank = 0; shape[v->rank]; v->rank++) v->shape[v->rank] = (uint32_t)atoi(shape[v->rank]);
    g_strfreev(shape);
    for (char **w = words + 5; *w; w++)
        if (sscanf(*w, "k%ux%u", &a, &b) == 2)
            v->filter_h = a, v->filter_w = b;
        else if (sscanf(*w, "h%u", &a) == 1)
            v->fmap_h = a;
        else if (sscanf(*w, "x%u", &a) == 1)
            v->channels = a;
        else if (strcmp(*w, "t") == 0)
            v->transpose = 1;
        else
            fail_msg("word '%s'", *w);
    m->tile = tw_pto_conv_tile(location_of(words[1]), type_of(words[2]), v, 0);
    return TILE(&m->tile);
}

static inline tw_pto_operand tensor_operand(char **words, operand_memory *m)
{
    unsigned r, c;
    assert_int_equal(sscanf(words[2], "%ux%u", &r, &c), 2);
    m->tensor = tw_pto_tensor_of(memory, type_of(words[1]), r, c, layout_of(words[3]));
    for (char **w = words + 4; *w; w++)
        if (sscanf(*w, "w%u", &r) == 1)
            m->tensor.window = (tw_window){ memory, r };
        else if (strcmp(*w, "null") == 0)
            m->tensor.data = NULL;
        else if (strcmp(*w, "repeat") == 0)
            m->tensor.stride[3] = 0;
        else if (strcmp(*w, "neg") == 0)
            m->tensor.stride[3] = -m->tensor.stride[3];
        else if (strcmp(*w, "outer") == 0)
            m->tensor.shape[1] = 2, m->tensor.stride[1] = (ptrdiff_t)(m->tensor.shape[3] * m->tensor.shape[4]),
            m->tensor.shape[3] /= 2;
        else if (strcmp(*w, "odd") == 0)
            m->tensor.shape[3] = 31, m->tensor.shape[4] = 1;
        else if (strcmp(*w, "eights") == 0)
            m->tensor.shape[1] *= 2, m->tensor.stride[1] /= 2, m->tensor.shape[3] /= 2;
        else if (strcmp(*w, "fours") == 0)
            m->tensor.shape[2] /= 2, m->tensor.stride[2] *= 2, m->tensor.shape[4] *= 2;
        else if (strcmp(*w, "bad") == 0)
            m->tensor.layout = TW_PTO_LAYOUTS;
        else
            fail_msg("word '%s'", *w);
    return TENSOR(&m->tensor);
}

static inline tw_pto_operand operand_of(tw_pto *core, const char *text, operand_memory *m)
{
    char **words = g_strsplit(text, " ", -1);
    unsigned r, c;
    tw_pto_operand o;
    memset(m, 0, sizeof *m);
    if (*text == '#') {
        o = SCALAR(tw_pto_scalar_of(type_of(words[0] + 1), atof(words[1])));
    } else if (strcmp(words[0], "conv") == 0) {
        o = conv_operand(words, m);
    } else if (strcmp(words[0], "g") == 0) {
        o = tensor_operand(words, m);
    } else {
        assert_int_equal(sscanf(words[2], "%ux%u", &r, &c), 2);
        m->tile = tw_pto_tile_of(location_of(words[0]), type_of(words[1]), r, c);
        for (char **w = words + 3; *w; w++) tile_word(core, &m->tile, *w);
        o = TILE(&m->tile);
    }
    g_strfreev(words);
    return o;
}

#endif
