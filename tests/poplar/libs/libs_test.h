/* SPDX-License-Identifier: MIT */
/* What tests of the libraries share: graphs, random numbers that are the same in each run, tensors whose views,
 * types and mappings are chosen by them, and runs that write, execute and read. */
#ifndef TW_LIBS_TEST_H
#define TW_LIBS_TEST_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define TW_NO_CALL_SITES
#include <tilewright/poplar.h>
#include <tilewright/poplibs.h>

typedef struct lcg {
    uint64_t state;
} lcg;
static inline uint32_t draw(lcg *r, uint32_t below)
{
    r->state = r->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((r->state >> 33) % below);
}
static inline double draw_real(lcg *r, double low, double high)
{
    return low + (high - low) * draw(r, 1u << 30) / (double)(1u << 30);
}

static inline tw_device *model_device(unsigned tiles, unsigned ipus)
{
    return tw_device_ipu_model_with(
        &(tw_ipu_model){ .size = sizeof(tw_ipu_model), .tiles_per_ipu = tiles, .num_ipus = ipus });
}

/* Variable and element of it of element i of the flattened tensor. */
static inline tw_variable_region place_of(tw_graph *g, tw_tensor t, uint64_t i)
{
    tw_tensor flat = tw_tensor_flatten(g, t), one = tw_tensor_slice(g, flat, 0, i, i + 1);
    tw_variable_region r = { { 0, 0 }, 0, 0 };
    assert_int_equal(tw_tensor_variable_regions(g, one, &r, 1), 1);
    tw_tensor_free(g, one);
    tw_tensor_free(g, flat);
    return r;
}

enum { NOWHERE = 0xffffffffu };
/* Tile of each element; NOWHERE where there is none. */
static inline unsigned *tiles_of(tw_graph *g, tw_tensor t)
{
    uint64_t n = tw_tensor_elements(g, t);
    unsigned *tile = malloc((n + 1) * sizeof *tile);
    size_t count = tw_graph_get_mapping(g, t, NULL, 0);
    tw_mapped_interval *m = malloc((count + 1) * sizeof *m);
    tw_graph_get_mapping(g, t, m, count);
    for (uint64_t i = 0; i < n; i++) tile[i] = NOWHERE;
    for (size_t k = 0; k < count; k++)
        for (uint64_t i = m[k].interval.begin; i < m[k].interval.end; i++) tile[i] = m[k].tile;
    free(m);
    return tile;
}

/* The error that the graph has, which is forgotten: its text holds each of `words` (NULL ends). */
static inline void refused_with(tw_graph *g, tw_status status, const char *call, ...)
{
    tw_error e;
    tw_status seen = tw_graph_take_error(g, &e);
    if (seen != status) fail_msg("%s: %s: %s", call, tw_status_name(seen), e.message);
    assert_string_equal(e.function, call);
    va_list words;
    va_start(words, call);
    for (const char *w; (w = va_arg(words, const char *));)
        if (!strstr(e.message, w)) fail_msg("'%s' lacks '%s'", e.message, w);
    va_end(words);
}

/* All that there is of a graph, as one number. */
static inline uint64_t graph_hash(tw_graph *g)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(tw_graph_serialize(g, out), TW_OK);
    fclose(out);
    uint64_t h = 1469598103934665603u;
    for (size_t i = 0; i < size; i++) h = (h ^ (uint8_t)text[i]) * 1099511628211u;
    free(text);
    return h;
}

#endif
