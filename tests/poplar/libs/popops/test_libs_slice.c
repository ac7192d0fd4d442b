/* SPDX-License-Identifier: MIT */
/* Slices at offsets of a run, gather and scatter, against loops over indices; the same bits wherever elements lie. */
#include "poplar/libs/libs_run.h"

enum { MOST = 4096, RANK = 4 };
static const tw_type types[] = { TW_FLOAT, TW_HALF, TW_INT, TW_UNSIGNED_INT, TW_BOOL, TW_U8 };

/* A shape, dimensions of it that are sliced, and its elements in row-major order. */
typedef struct slice_case {
    tw_type type;
    unsigned rank, count;
    size_t shape[RANK], dims[RANK], sizes[RANK], lookups;
    char tensor[MOST * 4], slices[MOST * 4], want[MOST * 4];
    uint32_t offsets[64 * RANK];
} slice_case;

static size_t size_along(const slice_case *c, unsigned d)
{
    for (unsigned i = 0; i < c->count; i++)
        if (c->dims[i] == d) return c->sizes[i];
    return c->shape[d];
}

static size_t elements_of(const slice_case *c, bool slice)
{
    size_t n = 1;
    for (unsigned d = 0; d < c->rank; d++) n *= slice ? size_along(c, d) : c->shape[d];
    return n;
}

/* Element of the tensor that element i of slice `lookup` is; SIZE_MAX: the slice is left out. */
static size_t place_in(const slice_case *c, size_t lookup, size_t i, bool many)
{
    size_t index[RANK], place = 0;
    for (unsigned d = c->rank; d-- > 0; i /= size_along(c, d)) index[d] = i % size_along(c, d);
    for (unsigned k = 0; k < c->count; k++) {
        size_t extent = c->shape[c->dims[k]], offset = c->offsets[lookup * c->count + k];
        if (offset >= extent && many) return SIZE_MAX;
        if (offset >= extent) offset = 0;
        index[c->dims[k]] = (index[c->dims[k]] + offset) % extent;
    }
    for (unsigned d = 0; d < c->rank; d++) place = place * c->shape[d] + index[d];
    return place;
}

static void random_case(slice_case *c, lcg *r, tw_type type, bool many)
{
    static const unsigned most[] = { 0, 300, 40, 11, 6 };
    memset(c, 0, sizeof *c);
    c->type = type, c->rank = 1 + draw(r, RANK), c->lookups = many ? draw(r, 9) : 1;
    for (unsigned d = 0; d < c->rank; d++) c->shape[d] = 1 + draw(r, most[c->rank]);
    for (unsigned d = c->rank; d-- > 0;)
        if (draw(r, 2) || (d == 0 && !c->count)) {
            c->dims[c->count] = d, c->sizes[c->count] = 1 + draw(r, (uint32_t)c->shape[d]);
            if (many && draw(r, 3)) c->sizes[c->count] = 1;
            c->count++;
        }
    for (size_t i = 0; i < c->lookups * c->count; i++)
        c->offsets[i] = draw(r, (uint32_t)c->shape[c->dims[i % c->count]] + 1);
    while (c->lookups * elements_of(c, true) > MOST) c->lookups /= 2;
    size_t width = tw_type_size(type);
    for (size_t i = 0; i < elements_of(c, false); i++)
        tw_type_store(type, c->tensor + i * width, type == TW_BOOL ? draw(r, 2) : draw(r, 200));
    for (size_t i = 0; i < c->lookups * elements_of(c, true); i++)
        tw_type_store(type, c->slices + i * width, type == TW_BOOL ? draw(r, 2) : draw(r, 50));
}

enum { READ, UPDATE, ADD, MAX, MUL };
/* The result of a call in c->want: slices, or the tensor after an update with 2 * slice. */
static void slice_reference(slice_case *c, int what, bool many)
{
    size_t n = elements_of(c, true), width = tw_type_size(c->type);
    if (what != READ) memcpy(c->want, c->tensor, elements_of(c, false) * width);
    for (size_t q = 0; q < c->lookups * n; q++) {
        size_t place = place_in(c, q / n, q % n, many);
        char *slice = (what == READ ? c->want : c->slices) + q * width;
        char *to = c->want + (place == SIZE_MAX ? 0 : place) * width;
        if (what == READ && place == SIZE_MAX)
            memset(slice, 0, width);
        else if (what == READ)
            memcpy(slice, c->tensor + place * width, width);
        else if (place != SIZE_MAX) {
            double old = tw_type_load(c->type, to), with = tw_type_load(c->type, slice);
            tw_type_store(c->type, to,
                          what == UPDATE ? with
                          : what == ADD  ? old + 2 * with
                          : what == MAX  ? fmax(old, with)
                                         : old * with);
        }
    }
}

static size_t slice_dims(const slice_case *c, bool many, size_t *shape)
{
    shape[0] = c->lookups;
    for (unsigned d = 0; d < c->rank; d++) shape[d + many] = size_along(c, d);
    return c->rank + many;
}

/* One call on one device; way MAPPINGS: variables made for it. */
static void slice_run(tw_device *dev, slice_case *c, int what, bool many, int way, char *out)
{
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    lcg r = { 77 + (uint64_t)way };
    size_t shape[RANK + 1], rank = slice_dims(c, many, shape), pair[] = { c->lookups, c->count };
    tw_tensor t, s, o;
    if (way == MAPPINGS) {
        t = tw_popops_create_sliceable(g, c->type, c->rank, c->shape, c->count, c->dims, c->sizes, 0, "t");
        s = tw_popops_create_slices(g, t, c->count, c->dims, c->sizes, c->lookups, "s");
        if (!many) s = tw_tensor_index(g, s, 0);
        o = tw_popops_create_indices(g, c->count, c->lookups, "o");
        if (!many) o = tw_tensor_index(g, o, 0);
    } else {
        t = tw_graph_add_variable(g, c->type, c->rank, c->shape, "t");
        s = tw_graph_add_variable(g, c->type, (unsigned)rank, shape, "s");
        o = tw_graph_add_variable(g, TW_UNSIGNED_INT, 1u + many, many ? pair : pair + 1, "o");
        map_somehow(g, t, way, &r), map_somehow(g, s, (way + 1) % MAPPINGS, &r), map_somehow(g, o, way, &r);
    }
    tw_type factor = c->type == TW_INT || c->type == TW_UNSIGNED_INT ? c->type : TW_FLOAT;
    tw_tensor scale = tw_graph_add_constant_double(g, factor, 0, NULL, 2, NULL);
    tw_graph_map(g, scale, 0);
    tw_program p = tw_program_sequence(g, NULL);
    if (what == READ)
        s = many ? tw_popops_multi_slice(g, t, o, c->count, c->dims, c->sizes, p, "y", NULL)
                 : tw_popops_dynamic_slice(g, t, o, c->count, c->dims, c->sizes, p, "y");
    else if (what == UPDATE && many)
        tw_popops_multi_update(g, t, s, o, c->count, c->dims, c->sizes, p, "y", NULL);
    else if (what == UPDATE)
        tw_popops_dynamic_update(g, t, s, o, c->count, c->dims, c->sizes, p, "y");
    else if (what == ADD)
        tw_popops_multi_update_add(g, t, s, o, scale, c->count, c->dims, c->sizes, p, "y", NULL);
    else if (what == MAX)
        tw_popops_multi_update_max(g, t, s, o, c->count, c->dims, c->sizes, p, "y", NULL);
    else
        tw_popops_multi_update_mul(g, t, s, o, c->count, c->dims, c->sizes, p, "y", NULL);
    if (tw_graph_status(g)) fail_msg("%s", tw_graph_error(g)->message);
    assert_int_equal(tw_tensor_rank(g, s), rank);
    for (size_t d = 0; d < rank; d++) assert_int_equal(tw_tensor_dim(g, s, (unsigned)d), shape[d]);
    assert_true(tw_graph_mapping_complete(g, s));
    io list[] = { { t, c->tensor, false },
                  { o, c->offsets, false },
                  { what == READ ? s : t, out, true },
                  { s, c->slices, false } };
    run_once(g, dev, p, what == READ ? 3 : 4, list);
    tw_graph_free(g);
}

static void slice_check_case(slice_case *c, int what, bool many, unsigned k)
{
    static char out[MOST * 4];
    slice_reference(c, what, many);
    size_t n = what == READ ? c->lookups * elements_of(c, true) : elements_of(c, false);
    tw_device *dev[] = { tw_device_cpu_accurate_half(), model_device(7, 1) };
    for (int way = 0; way <= MAPPINGS; way++) {
        if (way == (int)(k % 4)) continue; /* three of four, and those of the create calls */
        memset(out, 0x55, sizeof out);
        slice_run(dev[way && way != 2], c, what, many, way, out);
        if (memcmp(out, c->want, n * tw_type_size(c->type)) != 0) {
            size_t i = 0, w = tw_type_size(c->type);
            while (memcmp(out + i * w, c->want + i * w, w) == 0) i++;
            fail_msg("case %u, call %d, mapping %d, element %zu of %zu: %g, not %g", k, what, way, i, n,
                     tw_type_load(c->type, out + i * w), tw_type_load(c->type, c->want + i * w));
        }
    }
    tw_device_free(dev[0]), tw_device_free(dev[1]);
}

static void libs_slice_dynamic(void **state)
{
    (void)state;
    static slice_case c;
    lcg r = { 3 };
    for (unsigned k = 0; k < 24; k++) {
        random_case(&c, &r, types[k % 6], false);
        slice_check_case(&c, k / 6 % 2 ? UPDATE : READ, false, k);
    }
}

static void libs_slice_many(void **state)
{
    (void)state;
    static slice_case c;
    lcg r = { 4 };
    for (unsigned k = 0; k < 42; k++) {
        int what = k < 36 ? (int)(k / 6 % 4) : MUL;
        tw_type type = types[k % (what == MUL ? 2 : what == ADD || what == MAX ? 4 : 6)];
        random_case(&c, &r, type, true);
        for (size_t i = 0; what == MUL && i < c.lookups * elements_of(&c, true); i++) /* stays below 65504 */
            tw_type_store(type, c.slices + i * tw_type_size(type), draw(&r, 3));
        slice_check_case(&c, what, true, k);
    }
}

/* A half of four bytes, on a CPU that is not told to be accurate. */
static void libs_slice_wide_half(void **state)
{
    (void)state;
    tw_device *dev = tw_device_cpu();
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    size_t zero = 0, one = 1;
    tw_tensor t = tw_graph_add_variable(g, TW_HALF, 2, (size_t[]){ 5, 3 }, "t"),
              o = tw_graph_add_variable(g, TW_UNSIGNED_INT, 1, &one, "o");
    tw_poputil_map_linearly(g, t), tw_graph_map(g, o, 0);
    tw_program p = tw_program_sequence(g, NULL);
    tw_tensor y = tw_popops_cast(g, tw_popops_dynamic_slice(g, t, o, 1, &zero, &one, p, "y"), TW_FLOAT, p, "f");
    tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 5, 3 }, "x");
    tw_poputil_map_linearly(g, x);
    tw_program all = tw_program_sequence(g, NULL);
    tw_popops_cast_to(g, x, t, all, NULL);
    tw_program_sequence_add(g, all, p);
    float in[15], out[3];
    for (int i = 0; i < 15; i++) in[i] = (float)i / 4;
    run_once(g, dev, all, 3, (io[]){ { x, in, false }, { o, (uint32_t[]){ 3 }, false }, { y, out, true } });
    for (int i = 0; i < 3; i++) assert_true(out[i] == in[9 + i]);
    tw_graph_free(g);
    tw_device_free(dev);
}

/* A loop that takes a row, adds to it and puts it back. */
static void libs_slice_in_loop(void **state)
{
    (void)state;
    enum { N = 12, W = 10 };
    tw_device *dev = model_device(4, 1);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    size_t zero = 0, one = 1;
    tw_tensor t = tw_popops_create_sliceable(g, TW_FLOAT, 2, (size_t[]){ N, W }, 1, &zero, &one, 0, "t");
    tw_tensor count = tw_graph_add_variable(g, TW_UNSIGNED_INT, 0, NULL, "count");
    tw_graph_map(g, count, 0);
    tw_tensor at = tw_tensor_reshape(g, count, 1, &one);
    tw_program body = tw_program_sequence(g, NULL);
    tw_tensor row = tw_popops_dynamic_slice(g, t, at, 1, &zero, &one, body, "row");
    tw_popops_map_in_place(g, "_1 + cast(_2, float)", 2, (tw_tensor[]){ row, count }, body, NULL, NULL);
    tw_popops_dynamic_update(g, t, row, at, 1, &zero, &one, body, "put");
    float in[N * W], out[N * W];
    for (int i = 0; i < N * W; i++) in[i] = (float)i;
    run_once(g, dev, tw_program_counted_for_loop(g, count, 0, N, 1, body), 2,
             (io[]){ { t, in, false }, { t, out, true } });
    for (int i = 0; i < N * W; i++) assert_true(out[i] == in[i] + (float)(i / W));
    tw_graph_free(g);
    tw_device_free(dev);
}

/* --- gather and scatter --------------------------------------------------------------------------------------- */

static void libs_slice_gather(void **state)
{
    (void)state;
    lcg r = { 9 };
    for (unsigned axis = 0; axis < 3; axis++)
        for (int way = 0; way < MAPPINGS; way++) {
            tw_device *dev = way ? model_device(5, 1) : tw_device_cpu_accurate_half();
            tw_graph *g = tw_graph_new(tw_device_target(dev));
            size_t shape[] = { 4, 5, 6 }, of_indices[] = { 2, 3 };
            tw_tensor t = tw_graph_add_variable(g, TW_INT, 3, shape, "t"),
                      i = tw_graph_add_variable(g, way % 2 ? TW_INT : TW_UNSIGNED_INT, 2, of_indices, "i");
            map_somehow(g, t, way, &r), map_somehow(g, i, way, &r);
            tw_program p = tw_program_sequence(g, NULL);
            tw_tensor y = tw_popops_gather(g, t, i, axis, p, "y");
            if (tw_graph_status(g)) fail_msg("%s", tw_graph_error(g)->message);
            int32_t in[120], out[6 * 30], index[6];
            for (int k = 0; k < 120; k++) in[k] = k * 7;
            for (int k = 0; k < 6; k++) index[k] = (int32_t)draw(&r, (uint32_t)shape[axis]);
            run_once(g, dev, p, 3, (io[]){ { t, in, false }, { i, index, false }, { y, out, true } });
            assert_int_equal(tw_tensor_rank(g, y), 4);
            size_t inner = axis == 2 ? 1 : axis == 1 ? 6 : 30, outer = 120 / inner / shape[axis];
            for (size_t a = 0; a < outer; a++)
                for (size_t k = 0; k < 6; k++)
                    for (size_t b = 0; b < inner; b++)
                        assert_int_equal(out[(a * 6 + k) * inner + b],
                                         in[(a * shape[axis] + (size_t)index[k]) * inner + b]);
            tw_graph_free(g);
            tw_device_free(dev);
        }
}

/* Slices [2][1][3] of [4][5][6], at vectors of numbers for dimensions 2 and 0; dimension 1 is left out. */
static void libs_slice_gather_slices(void **state)
{
    (void)state;
    for (int way = 0; way < MAPPINGS; way++) {
        tw_device *dev = model_device(5, 1);
        tw_graph *g = tw_graph_new(tw_device_target(dev));
        lcg r = { 10 };
        tw_tensor t = tw_graph_add_variable(g, TW_FLOAT, 3, (size_t[]){ 4, 5, 6 }, "t"),
                  i = tw_graph_add_variable(g, TW_INT, 2, (size_t[]){ 2, 7 }, "i"); /* vectors along dimension 0 */
        map_somehow(g, t, way, &r), map_somehow(g, i, way, &r);
        tw_program p = tw_program_sequence(g, NULL);
        tw_gather of = { .index_vector_dim = 0,
                         .offset_count = 2,
                         .offset_dims = (size_t[]){ 0, 2 },
                         .slice_sizes = (size_t[]){ 2, 1, 3 },
                         .collapsed_count = 1,
                         .collapsed_dims = (size_t[]){ 1 },
                         .map_count = 2,
                         .start_index_map = (unsigned[]){ 2, 0 } };
        tw_tensor y = tw_popops_gather_slices(g, t, i, &of, p, "y"); /* [2][7][3] */
        if (tw_graph_status(g)) fail_msg("%s", tw_graph_error(g)->message);
        float in[120], out[2 * 7 * 3];
        int32_t index[14] = { 0, 3, 2, 5, -4, 1, 0, 0, 2, 1, 3, 0, 2, 9 };
        for (int k = 0; k < 120; k++) in[k] = (float)k;
        run_once(g, dev, p, 3, (io[]){ { t, in, false }, { i, index, false }, { y, out, true } });
        for (int a = 0; a < 2; a++)
            for (int k = 0; k < 7; k++)
                for (int b = 0; b < 3; b++) {
                    int last = index[k], first = index[7 + k];
                    last = last < 0 ? 0 : last > 3 ? 3 : last, first = first < 0 ? 0 : first > 2 ? 2 : first;
                    assert_true(out[(a * 7 + k) * 3 + b] == in[(first + a) * 30 + last + b]);
                }
        tw_graph_free(g);
        tw_device_free(dev);
    }
}

static tw_tensor add_them(tw_graph *g, tw_tensor old, tw_tensor update, tw_program sequence, void *user)
{
    assert_string_equal(user, "user");
    return tw_popops_add(g, old, update, sequence, "sum", NULL);
}

/* Windows [3] of rows of [4][6]: updates [3][5], at [5][2] vectors; two of them are out of range. */
static void libs_slice_scatter(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * MAPPINGS; k++) {
        tw_device *dev = model_device(5, 1);
        tw_graph *g = tw_graph_new(tw_device_target(dev));
        lcg r = { 11 };
        int way = k % MAPPINGS, add = k / MAPPINGS;
        tw_tensor t = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 4, 6 }, "t"),
                  i = tw_graph_add_variable(g, TW_INT, 2, (size_t[]){ 5, 2 }, "i"),
                  u = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 3, 5 }, "u");
        map_somehow(g, t, way, &r), map_somehow(g, i, way, &r), map_somehow(g, u, (way + 1) % MAPPINGS, &r);
        tw_program p = tw_program_sequence(g, NULL);
        tw_scatter at = { .index_vector_dim = 1,
                          .window_count = 1,
                          .window_dims = (unsigned[]){ 0 },
                          .inserted_count = 1,
                          .inserted_dims = (size_t[]){ 0 },
                          .map_count = 2,
                          .to_operand = (unsigned[]){ 0, 1 } };
        tw_popops_scatter(g, t, i, u, &at, add ? add_them : NULL, "user", p, "y");
        if (tw_graph_status(g)) fail_msg("%s", tw_graph_error(g)->message);
        float in[24], out[24], want[24], up[15];
        int32_t index[10] = { 1, 2, 3, 4, 1, 3, -1, 0, 0, 0 }; /* {3, 4} runs over the end of its row */
        for (int n = 0; n < 24; n++) want[n] = in[n] = (float)n;
        for (int n = 0; n < 15; n++) up[n] = (float)(100 + n);
        for (int n = 0; n < 5; n++) {
            if (n == 1 || n == 3) continue;
            for (int b = 0; b < 3; b++) {
                float *to = &want[index[2 * n] * 6 + index[2 * n + 1] + b];
                *to = add ? *to + up[b * 5 + n] : up[b * 5 + n];
            }
        }
        run_once(g, dev, p, 4, (io[]){ { t, in, false }, { i, index, false }, { u, up, false }, { t, out, true } });
        for (int n = 0; n < 24; n++) assert_true(out[n] == want[n]);
        tw_graph_free(g);
        tw_device_free(dev);
    }
}

/* --- errors --------------------------------------------------------------------------------------------------- */

#define REFUSED(call, ...) \
    (assert_int_equal(graph_hash((refused_with(g, TW_E_POPLIBS, call, __VA_ARGS__, NULL), g)), before))

static void libs_slice_refused(void **state)
{
    (void)state;
    tw_device *dev = model_device(4, 1);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    size_t zero = 0, one = 1, two = 2, twice[] = { 0, 0 }, ones[] = { 1, 1 }, many = 9;
    tw_tensor t = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 4, 6 }, "table"),
              o = tw_graph_add_variable(g, TW_UNSIGNED_INT, 1, &one, "offset"),
              m = tw_graph_add_variable(g, TW_UNSIGNED_INT, 2, (size_t[]){ 3, 1 }, "offsets"),
              s = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 4, 1 }, "slice"),
              b = tw_graph_add_variable(g, TW_BOOL, 2, (size_t[]){ 4, 6 }, "flags"),
              bs = tw_graph_add_variable(g, TW_BOOL, 3, (size_t[]){ 3, 1, 6 }, "flags"),
              loose = tw_graph_add_variable(g, TW_FLOAT, 1, &two, "loose");
    tw_graph_map(g, t, 0), tw_graph_map(g, o, 0), tw_graph_map(g, m, 0), tw_graph_map(g, s, 0);
    tw_graph_map(g, b, 0), tw_graph_map(g, bs, 0);
    tw_program p = tw_program_sequence(g, NULL);
    uint64_t before = graph_hash(g);
    tw_popops_dynamic_slice(g, t, o, 1, &two, &one, p, NULL);
    REFUSED("tw_popops_dynamic_slice", "'table' float[4, 6]", "no dimension 2");
    tw_popops_dynamic_slice(g, t, o, 1, &zero, &many, p, NULL);
    REFUSED("tw_popops_dynamic_slice", "dimension 0", "9 elements");
    tw_popops_dynamic_slice(g, t, o, 2, twice, ones, p, NULL);
    REFUSED("tw_popops_dynamic_slice", "twice");
    tw_popops_dynamic_slice(g, t, m, 1, &zero, &one, p, NULL);
    REFUSED("tw_popops_dynamic_slice", "unsigned int[1]", "'offsets' unsigned int[3, 1]");
    tw_popops_dynamic_slice(g, t, loose, 1, &zero, &one, p, NULL);
    REFUSED("tw_popops_dynamic_slice", "unsigned int[1]", "'loose' float[2]");
    tw_popops_dynamic_slice(g, loose, o, 1, &zero, &one, p, NULL);
    REFUSED("tw_popops_dynamic_slice", "'loose' float[2]", "no tile");
    tw_popops_multi_slice(g, t, o, 1, &zero, &one, p, NULL, NULL);
    REFUSED("tw_popops_multi_slice", "unsigned int[n, 1]", "'offset' unsigned int[1]");
    tw_popops_dynamic_update(g, t, s, o, 1, &zero, &one, p, NULL);
    REFUSED("tw_popops_dynamic_update", "[1, 6]", "'slice' float[4, 1]");
    assert_false(tw_popops_update_fits(g, t, s, o, false, 1, &zero, &one, NULL));
    REFUSED("tw_popops_update_fits", "[1, 6]", "'slice' float[4, 1]");
    assert_false(tw_popops_update_fits(g, b, bs, o, true, 1, &zero, &one, NULL));
    REFUSED("tw_popops_update_fits", "unsigned int[n, 1]", "'offset' unsigned int[1]");
    assert_true(tw_popops_update_fits(g, b, bs, m, true, 1, &zero, &one, NULL));
    tw_popops_multi_update_add(g, b, bs, m, t, 1, &zero, &one, p, NULL, NULL);
    REFUSED("tw_popops_multi_update_add", "'flags' bool[4, 6]");
    tw_popops_gather(g, t, s, 0, p, NULL);
    REFUSED("tw_popops_gather", "indices", "'slice' float[4, 1]");
    tw_popops_gather(g, t, o, 2, p, NULL);
    REFUSED("tw_popops_gather", "no dimension 2");
    tw_gather of = { .index_vector_dim = 1,
                     .offset_count = 1,
                     .offset_dims = &one,
                     .slice_sizes = (size_t[]){ 2, 6 },
                     .collapsed_count = 1,
                     .collapsed_dims = &zero,
                     .map_count = 1,
                     .start_index_map = (unsigned[]){ 0 } };
    tw_popops_gather_slices(g, t, m, &of, p, NULL);
    REFUSED("tw_popops_gather_slices", "'table' float[4, 6]", "[2, 6]");
    of.index_vector_dim = 0;
    tw_popops_gather_slices(g, t, m, &of, p, NULL);
    REFUSED("tw_popops_gather_slices", "'offsets' unsigned int[3, 1]", "1 numbers along dimension 0");
    tw_scatter at = { .index_vector_dim = 1,
                      .window_count = 1,
                      .window_dims = (unsigned[]){ 1 },
                      .inserted_count = 1,
                      .inserted_dims = &zero,
                      .map_count = 1,
                      .to_operand = (unsigned[]){ 0 } };
    tw_popops_scatter(g, t, m, s, &at, NULL, NULL, p, NULL);
    REFUSED("tw_popops_scatter", "'slice' float[4, 1]", "[3]");
    size_t window[2];
    assert_false(tw_popops_scatter_window(g, t, m, s, &at, window));
    REFUSED("tw_popops_scatter_window", "'slice' float[4, 1]", "[3]");
    assert_true(tw_popops_scatter_window(g, t, m, tw_tensor_slice(g, t, 0, 0, 3), &at, window));
    assert_true(window[0] == 1 && window[1] == 6);
    tw_scatter too_many = at; /* numbers for the dimensions of the updates */
    too_many.window_count = 3, too_many.window_dims = (unsigned[]){ 0, 1, 2 };
    tw_popops_scatter(g, t, m, s, &too_many, NULL, NULL, p, NULL);
    REFUSED("tw_popops_scatter", "window_dims has more numbers than 'slice' float[4, 1] has dimensions");
    too_many.window_count = 1000; /* are not read */
    assert_false(tw_popops_scatter_window(g, t, m, s, &too_many, window));
    REFUSED("tw_popops_scatter_window", "window_dims has more numbers");
    tw_popops_scatter(g, t, m, s, NULL, NULL, NULL, p, NULL);
    REFUSED("tw_popops_scatter", "where");
    tw_popops_multi_slice(g, t, m, 1, &zero, &one, p, NULL, (const char *const[]){ "usedForUpdates=true", NULL });
    refused_with(g, TW_E_INVALID_OPTION, "tw_popops_multi_slice", "did you mean 'usedForUpdate'", NULL);
    tw_popops_multi_slice(g, t, m, 1, &zero, &one, p, NULL,
                          (const char *const[]){ "usedForUpdate=false", "usedForSlice=false", NULL });
    refused_with(g, TW_E_INVALID_OPTION, "tw_popops_multi_slice", "'usedForSlice'", "both false", NULL);
    assert_int_equal(graph_hash(g), before);
    char *plan = tw_popops_slice_plan(g, TW_FLOAT, 100, 8, 10, NULL);
    assert_string_equal(plan, "100 rows of 8 float, 10 lookups\n"
                              "columns on 4 tiles, at most 2 on each: 800 bytes of the table, 80 of the result\n");
    free(plan);
    tw_graph_free(g);
    tw_device_free(dev);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(libs_slice_dynamic),   cmocka_unit_test(libs_slice_many),
        cmocka_unit_test(libs_slice_wide_half), cmocka_unit_test(libs_slice_in_loop),
        cmocka_unit_test(libs_slice_gather),    cmocka_unit_test(libs_slice_gather_slices),
        cmocka_unit_test(libs_slice_scatter),   cmocka_unit_test(libs_slice_refused),
    };
    return cmocka_run_group_tests_name("libs_slice", tests, NULL, NULL);
}
