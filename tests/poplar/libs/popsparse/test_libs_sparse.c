/* SPDX-License-Identifier: MIT */
/* Sparse matrices whose pattern is data, against loops over dense matrices in double: products, gradients, rows; with
 * patterns that fill some buckets only, and words that are no pattern; the host's round trip; the same bits for all
 * mappings of one target; errors. */
#include "poplar/libs/libs_run.h"

enum { SPARSE_MOST = 1 << 14, META_MOST = 1 << 15 };
typedef struct matrix {
    float f[SPARSE_MOST];
    uint16_t h[SPARSE_MOST];
} matrix;
/* By block in the order of the host; dense in, its transpose's in, slices. */
static matrix stored, input, gradient, slices;
static float w[SPARSE_MOST]; /* the sparse matrix, dense: [groups * rows][columns] */

static void *drawn(matrix *m, tw_type type, size_t n, lcg *r)
{
    assert_true(n <= SPARSE_MOST);
    for (size_t i = 0; i < n; i++) {
        m->f[i] = (float)draw_real(r, -1, 1);
        m->h[i] = tw_f32_to_f16(m->f[i], TW_ROUND_NEAREST_EVEN, 0);
        if (type == TW_HALF) m->f[i] = tw_f16_to_f32(m->h[i]);
    }
    return type == TW_HALF ? (void *)m->h : m->f;
}
static double element(const void *data, tw_type type, size_t i)
{
    return type == TW_HALF ? (double)tw_f16_to_f32(((const uint16_t *)data)[i]) : (double)((const float *)data)[i];
}

typedef enum pattern { EVEN, CORNER, ROW } pattern; /* all over, in a corner, in one row of blocks */
typedef struct sparse_case {
    tw_sparse_params p;
    tw_type type;
    const char *option;
    size_t blocks, row[SPARSE_MOST], column[SPARSE_MOST]; /* of elements */
} sparse_case;

static void draw_pattern(sparse_case *c, pattern where, unsigned percent, lcg *r)
{
    const tw_sparse_params *p = &c->p;
    size_t lines = p->groups * p->rows / p->block_rows, across = p->columns / p->block_columns;
    c->blocks = 0;
    for (size_t i = 0; i < lines; i++)
        for (size_t j = 0; j < across; j++) {
            bool in = where == EVEN  ? draw(r, 100) < percent
                      : where == ROW ? i == lines / 2
                                     : i < (lines + 2) / 3 && j < (across + 2) / 3;
            if (!in) continue;
            c->row[c->blocks] = i * p->block_rows, c->column[c->blocks++] = j * p->block_columns;
        }
    for (size_t i = c->blocks; i-- > 1;) { /* in no order */
        size_t k = draw(r, (uint32_t)(i + 1)), row = c->row[i], column = c->column[i];
        c->row[i] = c->row[k], c->column[i] = c->column[k], c->row[k] = row, c->column[k] = column;
    }
    c->p.values = c->blocks * p->block_rows * p->block_columns;
}

static void draw_case(sparse_case *c, int i, lcg *r)
{
    size_t high = i % 2 ? 1 : 1 + draw(r, 4), wide = i % 2 ? 1 : 1 + draw(r, 4);
    c->p = (tw_sparse_params){ .groups = 1 + draw(r, i % 3 == 2 ? 3 : 1),
                               .rows = high * (1 + draw(r, 20)),
                               .columns = wide * (1 + draw(r, 20)),
                               .batch = 1 + draw(r, 12),
                               .block_rows = high,
                               .block_columns = wide };
    c->type = i % 4 > 1 ? TW_HALF : TW_FLOAT;
    c->option = i % 5 == 3   ? "partitioner.forceBucketSpills=true"
                : i % 5 == 4 ? "metaInfoBucketOversizeProportion=0"
                             : NULL;
    draw_pattern(c, (pattern)(i % 3), 5 + draw(r, 60), r);
}

/* Meta data and values for the device, and the dense matrix. */
static void to_buckets(tw_graph *g, const sparse_case *c, uint16_t *meta, size_t *slot, void *values)
{
    const char *const options[] = { c->option, NULL };
    size_t area = c->p.block_rows * c->p.block_columns, size = tw_type_size(c->type);
    tw_sparse_layout l = tw_popsparse_layout(g, c->type, &c->p, options);
    assert_true(l.meta <= META_MOST && l.values <= SPARSE_MOST);
    if (!tw_popsparse_partition(g, c->type, &c->p, c->blocks, c->row, c->column, meta, slot, options))
        fail_msg("%s", tw_graph_error(g)->message);
    memset(values, 0xff, l.values * size); /* NaN: what no block has is not read */
    memset(w, 0, sizeof w);
    for (size_t b = 0; b < c->blocks; b++) {
        assert_true(slot[b] < l.buckets * l.capacity);
        memcpy((char *)values + slot[b] * area * size,
               (c->type == TW_HALF ? (const char *)stored.h : (const char *)stored.f) + b * area * size,
               area * size);
        for (size_t k = 0; k < area; k++)
            w[(c->row[b] + k / c->p.block_columns) * c->p.columns + c->column[b] + k % c->p.block_columns] =
                stored.f[b * area + k];
    }
}

static void near(double is, double want, double size, tw_type type, const char *what, size_t i, size_t j)
{
    double room = type == TW_HALF ? fabs(want) * 0x1p-10 + size * 1e-6 + 1e-7 : size * 2e-6 + 1e-30;
    if (!(fabs(is - want) <= room)) fail_msg("%s [%zu, %zu]: %.9g, not %.9g", what, i, j, is, want);
}

/* --- products and gradients ------------------------------------------------------------------------------------- */

static float forward[2][SPARSE_MOST], back[2][SPARSE_MOST], slope[2][SPARSE_MOST];

static tw_tensor dense_input(tw_graph *g, tw_type type, size_t groups, size_t lines, size_t batch, int way, lcg *r)
{
    tw_tensor t = tw_graph_add_variable(g, type, 3, (size_t[]){ groups, lines, batch }, "dense");
    map_somehow(g, t, way, r);
    return t;
}

static void run_products(tw_device *dev, const sparse_case *c, int way, int into, size_t *slot)
{
    static uint16_t meta[META_MOST];
    static float values[SPARSE_MOST];
    lcg r = { 23 }, places = { (uint64_t)way + 1 };
    const char *const options[] = { c->option, NULL };
    const tw_sparse_params *p = &c->p;
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_sparse_tensor t = tw_popsparse_create_weights(g, c->type, p, "w", options);
    tw_tensor x = way ? dense_input(g, c->type, p->groups, p->columns, p->batch, way % MAPPINGS, &places)
                      : tw_popsparse_create_input(g, c->type, p, "x", options);
    tw_tensor dy = dense_input(g, c->type, p->groups, p->rows, p->batch, (way + 1) % MAPPINGS, &places);
    if (way) map_somehow(g, t.meta, way % MAPPINGS, &places), map_somehow(g, t.values, way % MAPPINGS, &places);
    tw_program s = tw_program_sequence(g, NULL);
    tw_tensor y = tw_popsparse_matmul(g, p, t, x, false, s, "y", options);
    tw_tensor dx = tw_popsparse_matmul(g, p, t, dy, true, s, "dx", options);
    tw_tensor dw = tw_popsparse_matmul_gradient(g, p, t.meta, dy, x, s, "dw", options);
    if (tw_graph_status(g)) fail_msg("%s", tw_graph_error(g)->message);
    drawn(&stored, c->type, p->values, &r);
    void *a = drawn(&input, c->type, p->groups * p->columns * p->batch, &r),
         *b = drawn(&gradient, c->type, p->groups * p->rows * p->batch, &r);
    to_buckets(g, c, meta, slot, values);
    run_once(g, dev, s, 7,
             (io[]){ { t.meta, meta, false },
                     { t.values, values, false },
                     { x, a, false },
                     { dy, b, false },
                     { y, forward[into], true },
                     { dx, back[into], true },
                     { dw, slope[into], true } });
    tw_graph_free(g);
}

/* Elements of y where `transposed` is false, of dx where it is true. */
static void check_product(const sparse_case *c, bool transposed)
{
    const tw_sparse_params *p = &c->p;
    size_t lines = transposed ? p->columns : p->rows, sum = transposed ? p->rows : p->columns;
    const float *in = transposed ? gradient.f : input.f;
    for (size_t i = 0; i < p->groups * lines; i++)
        for (size_t j = 0; j < p->batch; j++) {
            double want = 0, size = 0;
            for (size_t k = 0; k < sum; k++) {
                size_t group = i / lines, row = transposed ? k : i % lines, column = transposed ? i % lines : k;
                double v =
                    (double)w[(group * p->rows + row) * p->columns + column] * in[(group * sum + k) * p->batch + j];
                want += v, size += fabs(v);
            }
            near(element(transposed ? back[0] : forward[0], c->type, i * p->batch + j), want, size, c->type,
                 transposed ? "transposed" : "product", i, j);
        }
}

static void check_gradient(const sparse_case *c, const size_t *slot)
{
    const tw_sparse_params *p = &c->p;
    size_t area = p->block_rows * p->block_columns;
    for (size_t b = 0; b < c->blocks; b++)
        for (size_t k = 0; k < area; k++) {
            size_t row = c->row[b] + k / p->block_columns, column = c->column[b] + k % p->block_columns;
            size_t group = row / p->rows;
            double want = 0, size = 0;
            for (size_t j = 0; j < p->batch; j++) {
                double v =
                    (double)gradient.f[row * p->batch + j] * input.f[(group * p->columns + column) * p->batch + j];
                want += v, size += fabs(v);
            }
            near(element(slope[0], c->type, slot[b] * area + k), want, size, c->type, "gradient", b, k);
        }
}

static void libs_sparse_products(void **state)
{
    (void)state;
    static sparse_case c;
    static size_t slot[SPARSE_MOST];
    lcg r = { 31 };
    for (int i = 0; i < 15; i++) {
        draw_case(&c, i, &r);
        tw_device *dev = i % 4 == 3 ? tw_device_cpu_accurate_half() : model_device(i % 2 ? 8 : 33, 1);
        for (int way = 0; way < 3; way++) {
            run_products(dev, &c, way, way != 0, slot);
            size_t size = tw_type_size(c.type), area = c.p.block_rows * c.p.block_columns;
            for (size_t b = 0; way && b < c.blocks; b++)
                assert_memory_equal((char *)slope[0] + slot[b] * area * size,
                                    (char *)slope[1] + slot[b] * area * size, area * size);
            if (way) assert_memory_equal(forward[0], forward[1], c.p.groups * c.p.rows * c.p.batch * size);
            if (way) assert_memory_equal(back[0], back[1], c.p.groups * c.p.columns * c.p.batch * size);
        }
        check_product(&c, false), check_product(&c, true), check_gradient(&c, slot);
        tw_device_free(dev);
    }
}

/* --- rows ------------------------------------------------------------------------------------------------------- */

enum { LOOKUPS = 9 };

static void check_rows(const sparse_case *c, const uint32_t *index, const void *rows, const void *updated,
                       const size_t *slot)
{
    const tw_sparse_params *p = &c->p;
    size_t area = p->block_rows * p->block_columns;
    for (size_t i = 0; i < LOOKUPS; i++)
        for (size_t j = 0; j < p->columns; j++)
            near(element(rows, c->type, i * p->columns + j),
                 index[i] < p->rows ? (double)w[index[i] * p->columns + j] : 0, 0, c->type, "rows", i, j);
    for (size_t b = 0; b < c->blocks; b++)
        for (size_t k = 0; k < area; k++) {
            size_t row = c->row[b] + k / p->block_columns, column = c->column[b] + k % p->block_columns;
            double want = stored.f[b * area + k], size = fabs(want);
            for (size_t i = 0; i < LOOKUPS; i++) {
                double v = index[i] == row ? 0.5 * (double)slices.f[i * p->columns + column] : 0;
                want += v, size += fabs(v);
            }
            double is = element(updated, c->type, slot[b] * area + k); /* rounded once, at the end */
            double room = size * (c->type == TW_HALF ? 0x1p-11 + 1e-6 : 2e-6);
            if (!(fabs(is - want) <= room)) fail_msg("update [%zu, %zu]: %.9g, not %.9g", b, k, is, want);
        }
}

static void libs_sparse_rows(void **state)
{
    (void)state;
    static sparse_case c;
    static size_t slot[SPARSE_MOST];
    static uint16_t meta[META_MOST];
    static float values[SPARSE_MOST], rows[SPARSE_MOST], updated[SPARSE_MOST];
    lcg r = { 37 };
    for (int i = 0; i < 10; i++) {
        draw_case(&c, i, &r);
        c.p.groups = 1, draw_pattern(&c, (pattern)(i % 3), 40, &r);
        const char *const options[] = { c.option, NULL };
        tw_device *dev = i % 4 == 3 ? tw_device_cpu_accurate_half() : model_device(i % 2 ? 8 : 33, 1);
        tw_graph *g = tw_graph_new(tw_device_target(dev));
        tw_sparse_tensor t = tw_popsparse_create_weights(g, c.type, &c.p, "w", options);
        tw_tensor at = tw_graph_add_variable(g, TW_UNSIGNED_INT, 1, (size_t[]){ LOOKUPS }, "indices");
        tw_tensor more = tw_graph_add_variable(g, c.type, 2, (size_t[]){ LOOKUPS, c.p.columns }, "slices");
        tw_tensor scale = tw_graph_add_constant_double(g, TW_FLOAT, 0, NULL, 0.5, "scale");
        map_somehow(g, at, i % MAPPINGS, &r), map_somehow(g, more, i % MAPPINGS, &r), tw_graph_map(g, scale, 0);
        tw_program s = tw_program_sequence(g, NULL);
        tw_tensor out = tw_popsparse_slice(g, &c.p, t, at, s, "rows", options);
        tw_popsparse_update_add(g, &c.p, t, more, at, scale, s, "update", options);
        if (tw_graph_status(g)) fail_msg("%s", tw_graph_error(g)->message);
        uint32_t index[LOOKUPS];
        for (size_t k = 0; k < LOOKUPS; k++) index[k] = draw(&r, (uint32_t)c.p.rows);
        index[LOOKUPS - 1] = i % 2 ? (uint32_t)c.p.rows : UINT32_MAX; /* there is no such row */
        drawn(&stored, c.type, c.p.values, &r);
        void *a = drawn(&slices, c.type, LOOKUPS * c.p.columns, &r);
        to_buckets(g, &c, meta, slot, values);
        run_once(g, dev, s, 6,
                 (io[]){ { t.meta, meta, false },
                         { t.values, values, false },
                         { at, index, false },
                         { more, a, false },
                         { out, rows, true },
                         { t.values, updated, true } });
        check_rows(&c, index, rows, updated, slot);
        tw_graph_free(g);
        tw_device_free(dev);
    }
}

/* Words that say nothing sensible: blocks that are nowhere are skipped, buckets go round once at most. */
static void libs_sparse_garbage(void **state)
{
    (void)state;
    static uint16_t meta[META_MOST];
    static float values[SPARSE_MOST];
    const tw_sparse_params p = { 1, 24, 18, 5, 2, 3, 120 };
    tw_device *dev = model_device(8, 1);
    lcg r = { 43 };
    for (int i = 0; i < 4; i++) {
        tw_graph *g = tw_graph_new(tw_device_target(dev));
        tw_sparse_layout l = tw_popsparse_layout(g, TW_FLOAT, &p, NULL);
        tw_sparse_tensor t = tw_popsparse_create_weights(g, TW_FLOAT, &p, "w", NULL);
        tw_tensor x = dense_input(g, TW_FLOAT, 1, 18, 5, 0, &r), dy = dense_input(g, TW_FLOAT, 1, 24, 5, 0, &r);
        tw_tensor at = tw_graph_add_variable(g, TW_UNSIGNED_INT, 1, (size_t[]){ LOOKUPS }, "indices");
        map_somehow(g, at, 0, &r);
        tw_program s = tw_program_sequence(g, NULL);
        tw_tensor y = tw_popsparse_matmul(g, &p, t, x, false, s, "y", NULL),
                  dx = tw_popsparse_matmul(g, &p, t, dy, true, s, "dx", NULL),
                  dw = tw_popsparse_matmul_gradient(g, &p, t.meta, dy, x, s, "dw", NULL),
                  rows = tw_popsparse_slice(g, &p, t, at, s, "rows", NULL);
        uint32_t index[LOOKUPS];
        for (size_t k = 0; k < LOOKUPS; k++) index[k] = draw(&r, 30);
        for (size_t k = 0; k < l.meta; k++) meta[k] = (uint16_t)draw(&r, i % 2 ? 65536 : 40);
        for (size_t k = 0; k < l.values; k++) values[k] = 1;
        for (size_t k = 0; k < 24 * 5; k++) input.f[k] = gradient.f[k] = 1;
        run_once(g, dev, s, 9,
                 (io[]){ { t.meta, meta, false },
                         { t.values, values, false },
                         { x, input.f, false },
                         { dy, gradient.f, false },
                         { at, index, false },
                         { y, forward[0], true },
                         { dx, back[0], true },
                         { dw, slope[0], true },
                         { rows, forward[1], true } });
        /* Each block adds its columns' ones to a row once at most: what is there is at most all slots' values. */
        for (size_t k = 0; k < 24 * 5; k++) assert_true(forward[0][k] >= 0 && forward[0][k] <= (float)l.values);
        tw_graph_free(g);
    }
    tw_device_free(dev);
}

/* --- the host --------------------------------------------------------------------------------------------------- */

static void libs_sparse_round_trip(void **state)
{
    (void)state;
    static sparse_case c;
    static uint16_t meta[META_MOST];
    static size_t slot[SPARSE_MOST], row[SPARSE_MOST], column[SPARSE_MOST], at[SPARSE_MOST];
    lcg r = { 41 };
    tw_device *dev = model_device(33, 1);
    unsigned split[3] = { 0 }, spilled = 0; /* the cases above have plans of all kinds */
    for (int i = 0; i < 30; i++) {
        draw_case(&c, i, &r);
        tw_graph *g = tw_graph_new(tw_device_target(dev));
        const char *const options[] = { c.option, NULL };
        tw_sparse_layout l = tw_popsparse_layout(g, c.type, &c.p, options);
        assert_true(l.buckets * l.capacity >= c.blocks && l.meta == l.buckets * l.bucket_meta + 1);
        assert_true(tw_popsparse_partition(g, c.type, &c.p, c.blocks, c.row, c.column, meta, slot, options));
        split[0] += l.row_parts > 1, split[1] += l.column_parts > 1, split[2] += l.batch_parts > 1;
        spilled += meta[l.meta - 1] > 0;
        size_t n = tw_popsparse_unpartition(g, c.type, &c.p, meta, row, column, at, SPARSE_MOST, options);
        assert_int_equal(n, c.blocks);
        for (size_t k = 0; k < n; k++) {
            size_t b = 0;
            while (b < n && (c.row[b] != row[k] || c.column[b] != column[k])) b++;
            assert_true(b < n && slot[b] == at[k]);
            assert_true(!k || row[k] > row[k - 1] || (row[k] == row[k - 1] && column[k] > column[k - 1]));
            if (options[0] && strstr(options[0], "Spills") && l.buckets > 1) assert_true(meta[l.meta - 1] > 0);
        }
        tw_graph_free(g);
    }
    assert_true(split[0] > 3 && split[1] > 3 && split[2] > 3 && spilled > 3 && spilled < 27);
    tw_device_free(dev);
}

/* --- errors ----------------------------------------------------------------------------------------------------- */

static void libs_sparse_refused(void **state)
{
    (void)state;
    const tw_sparse_params p = { 1, 40, 30, 4, 2, 2, 80 }, uneven = { 1, 41, 30, 4, 2, 2, 80 },
                           full = { 1, 40, 30, 4, 2, 2, 1201 }, empty = { 1, 40, 0, 4, 1, 1, 0 },
                           two = { 2, 40, 30, 4, 2, 2, 80 };
    const char *const unknown[] = { "availableMemoryProportions=0.5", NULL };
    static uint16_t meta[META_MOST];
    size_t row[300], column[300], slot[300];
    for (size_t i = 0; i < 300; i++) row[i] = i / 15 * 2, column[i] = i % 15 * 2;
    tw_device *dev = model_device(4, 1);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    lcg r = { 1 };
    tw_sparse_tensor t = tw_popsparse_create_weights(g, TW_FLOAT, &p, "w", NULL);
    tw_tensor x = tw_popsparse_create_input(g, TW_FLOAT, &p, "x", NULL),
              dy = dense_input(g, TW_FLOAT, 1, 40, 4, 0, &r);
    tw_tensor half = dense_input(g, TW_HALF, 1, 30, 4, 0, &r);
    tw_program s = tw_program_sequence(g, NULL);
    uint64_t before = graph_hash(g);
    const char *const create = "tw_popsparse_create_weights", *const product = "tw_popsparse_matmul";
    tw_popsparse_create_weights(g, TW_INT, &p, "w", NULL);
    refused_with(g, TW_E_POPLIBS, create, "float or half", NULL);
    tw_popsparse_create_weights(g, TW_FLOAT, &uneven, "w", NULL);
    refused_with(g, TW_E_POPLIBS, create, "41 x 30", "whole number of blocks", NULL);
    tw_popsparse_create_weights(g, TW_FLOAT, &full, "w", NULL);
    refused_with(g, TW_E_POPLIBS, create, "1201 values", "not as many", NULL);
    tw_popsparse_create_weights(g, TW_FLOAT, &empty, "w", NULL);
    refused_with(g, TW_E_POPLIBS, create, "extent is 0", NULL);
    tw_popsparse_create_weights(g, TW_FLOAT, NULL, "w", NULL);
    refused_with(g, TW_E_POPLIBS, create, "extent is 0", NULL);
    tw_popsparse_create_weights(g, TW_FLOAT, &p, "w", unknown);
    refused_with(g, TW_E_INVALID_OPTION, create, "availableMemoryProportion", NULL);
    tw_popsparse_matmul(g, &p, t, dy, false, s, "y", NULL);
    refused_with(g, TW_E_POPLIBS, product, "float[1, 30, 4]", "float[1, 40, 4]", NULL);
    tw_popsparse_matmul(g, &p, t, half, false, s, "y", NULL);
    refused_with(g, TW_E_POPLIBS, product, "half", NULL);
    tw_popsparse_matmul(g, &p, (tw_sparse_tensor){ t.values, t.values }, x, false, s, "y", NULL);
    refused_with(g, TW_E_POPLIBS, product, "meta data", NULL);
    tw_popsparse_slice(g, &p, t, x, s, "y", NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popsparse_slice", "unsigned int[n]", NULL);
    assert_true(before == graph_hash(g));
    tw_sparse_tensor several = tw_popsparse_create_weights(g, TW_FLOAT, &two, "w", NULL);
    tw_popsparse_slice(g, &two, several, x, s, "y", NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popsparse_slice", "several groups", NULL);
    /* 20 blocks were announced; there is room for some more, and not for all. */
    assert_false(tw_popsparse_partition(g, TW_FLOAT, &p, 300, row, column, meta, slot, NULL));
    refused_with(g, TW_E_POPLIBS, "tw_popsparse_partition", "300 blocks", "do not fit", "80 values", NULL);
    column[3] = 5;
    assert_false(tw_popsparse_partition(g, TW_FLOAT, &p, 4, row, column, meta, slot, NULL));
    refused_with(g, TW_E_POPLIBS, "tw_popsparse_partition", "[0, 5]", NULL);
    column[3] = 30;
    assert_false(tw_popsparse_partition(g, TW_FLOAT, &p, 4, row, column, meta, slot, NULL));
    refused_with(g, TW_E_POPLIBS, "tw_popsparse_partition", "[0, 30]", NULL);
    column[3] = column[1], row[3] = row[1];
    assert_false(tw_popsparse_partition(g, TW_FLOAT, &p, 4, row, column, meta, slot, NULL));
    refused_with(g, TW_E_POPLIBS, "tw_popsparse_partition", "there twice", NULL);
    meta[0] = 60000;
    assert_int_equal(tw_popsparse_unpartition(g, TW_FLOAT, &p, meta, row, column, slot, 300, NULL), 0);
    refused_with(g, TW_E_POPLIBS, "tw_popsparse_unpartition", "bucket 0", NULL);
    assert_false(tw_popsparse_partition(g, TW_FLOAT, &p, 4, NULL, column, meta, slot, NULL));
    refused_with(g, TW_E_POPLIBS, "tw_popsparse_partition", "rows: a list of 4 that is NULL", NULL);
    assert_false(tw_popsparse_partition(g, TW_FLOAT, &p, 0, NULL, NULL, NULL, NULL, NULL));
    refused_with(g, TW_E_POPLIBS, "tw_popsparse_partition", "meta data: a list of", NULL);
    assert_int_equal(tw_popsparse_unpartition(g, TW_FLOAT, &p, meta, row, column, NULL, 300, NULL), 0);
    refused_with(g, TW_E_POPLIBS, "tw_popsparse_unpartition", "slots: a list of 300 that is NULL", NULL);
    tw_graph_free(g);
    tw_device_free(dev);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(libs_sparse_products), cmocka_unit_test(libs_sparse_rows),
        cmocka_unit_test(libs_sparse_garbage),  cmocka_unit_test(libs_sparse_round_trip),
        cmocka_unit_test(libs_sparse_refused),
    };
    return cmocka_run_group_tests_name("libs_sparse", tests, NULL, NULL);
}
