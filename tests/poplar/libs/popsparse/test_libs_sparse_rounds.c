/* SPDX-License-Identifier: MIT */
/* Rounds of buckets: blocks in any bucket, moved there by the test, are found by as many steps as it is away from
 * their region, and not by fewer; on all replicas by as many as the one needs that needs most. Products, gradients
 * and rows of random shapes and mappings, against loops in double. */
#include "poplar/libs/libs_run.h"

enum { ROUNDS_MOST = 1 << 12, REPLICAS_MOST = 4, PICKS = 5 };

/* What a replica has: blocks with their places in buckets, numbers of its own, and what it got. */
typedef struct rounds_replica {
    size_t blocks, row[ROUNDS_MOST], column[ROUNDS_MOST], slot[ROUNDS_MOST], distance[ROUNDS_MOST];
    uint16_t meta[4 * ROUNDS_MOST];
    float values[ROUNDS_MOST], x[ROUNDS_MOST], dy[ROUNDS_MOST], y[ROUNDS_MOST], dx[ROUNDS_MOST], dw[ROUNDS_MOST],
        rows[ROUNDS_MOST];
    uint32_t pick[PICKS];
    size_t steps;
} rounds_replica;
typedef struct rounds_case {
    tw_sparse_params p;
    tw_sparse_layout l;
    unsigned replicas;
    rounds_replica of[REPLICAS_MOST];
    double w[ROUNDS_MOST]; /* blocks of the replica that is looked at and that steps find, dense */
} rounds_case;

static void rounds_numbers(float *to, size_t n, lcg *r)
{
    assert_true(n <= ROUNDS_MOST);
    for (size_t i = 0; i < n; i++) to[i] = (float)draw_real(r, -1, 1);
}

static void draw_rounds(rounds_case *c, unsigned i, lcg *r)
{
    size_t high = 1 + draw(r, 3), wide = 1 + draw(r, 3), lines = 1 + draw(r, 9), across = 1 + draw(r, 9);
    c->p = (tw_sparse_params){ .groups = 1 + draw(r, i % 3 == 2 ? 3 : 1),
                               .rows = lines * high,
                               .columns = across * wide,
                               .batch = 1 + draw(r, 9),
                               .block_rows = high,
                               .block_columns = wide };
    c->replicas = 1u << i % 3;
    for (unsigned k = 0; k < c->replicas; k++) {
        rounds_replica *o = &c->of[k];
        unsigned percent = 10 + draw(r, 60);
        o->blocks = 0;
        for (size_t at = 0; at < c->p.groups * lines * across; at++)
            if (draw(r, 100) < percent)
                o->row[o->blocks] = at / across * high, o->column[o->blocks++] = at % across * wide;
        if (o->blocks * high * wide > c->p.values) c->p.values = o->blocks * high * wide;
    }
}

/* Buckets of one replica in another order. Steps: sometimes too few, sometimes more than there are buckets. */
static void move_buckets(rounds_case *c, rounds_replica *o, lcg *r)
{
    size_t n = c->l.buckets, own = c->l.bucket_meta, area = c->p.block_rows * c->p.block_columns, furthest = 0;
    size_t to[ROUNDS_MOST];
    static uint16_t old[4 * ROUNDS_MOST];
    memcpy(old, o->meta, c->l.meta * sizeof *old);
    for (size_t b = 0; b < n; b++) to[b] = b;
    for (size_t b = n; b-- > 1;) {
        size_t k = draw(r, (uint32_t)(b + 1)), was = to[b];
        to[b] = to[k], to[k] = was;
    }
    for (size_t b = 0; b < n; b++) memcpy(o->meta + to[b] * own, old + b * own, own * sizeof *old);
    for (size_t b = 0; b < o->blocks; b++) {
        size_t bucket = o->slot[b] / c->l.capacity, in = o->slot[b] % c->l.capacity;
        size_t region = old[bucket * own + 1 + 3 * in];
        o->distance[b] = (to[bucket] + n - region) % n;
        o->slot[b] = to[bucket] * c->l.capacity + in;
        if (o->distance[b] > furthest) furthest = o->distance[b];
    }
    size_t word = draw(r, 3) ? furthest : draw(r, 3) ? draw(r, (uint32_t)furthest + 1) : n + draw(r, 50000);
    o->meta[c->l.meta - 1] = (uint16_t)word;
    o->steps = word < n ? word : n - 1;
    for (size_t i = 0; i < c->l.values; i++) o->values[i] = NAN; /* what no block has is not read */
    for (size_t b = 0; b < o->blocks; b++) rounds_numbers(o->values + o->slot[b] * area, area, r);
}

static void fill_rounds(rounds_case *c, tw_graph *g, lcg *r)
{
    c->l = tw_popsparse_layout(g, TW_FLOAT, &c->p, NULL);
    assert_true(c->l.meta <= 4 * ROUNDS_MOST && c->l.values <= ROUNDS_MOST && c->l.buckets <= ROUNDS_MOST);
    for (unsigned k = 0; k < c->replicas; k++) {
        rounds_replica *o = &c->of[k];
        assert_true(
            tw_popsparse_partition(g, TW_FLOAT, &c->p, o->blocks, o->row, o->column, o->meta, o->slot, NULL));
        move_buckets(c, o, r);
        rounds_numbers(o->x, c->p.groups * c->p.columns * c->p.batch, r);
        rounds_numbers(o->dy, c->p.groups * c->p.rows * c->p.batch, r);
        for (unsigned i = 0; i < PICKS; i++) o->pick[i] = draw(r, (uint32_t)c->p.rows);
    }
}

/* One buffer of all replicas, filled from their fields or read into them. */
static void *gathered(rounds_case *c, size_t offset, size_t bytes, char *to, bool back)
{
    for (unsigned k = 0; k < c->replicas; k++) {
        char *own = (char *)&c->of[k] + offset;
        memcpy(back ? own : to + k * bytes, back ? to + k * bytes : own, bytes);
    }
    return to;
}

enum { ROUNDS_IO = 8 };
static void run_rounds(rounds_case *c, unsigned i, lcg *r)
{
    static char buffer[ROUNDS_IO][REPLICAS_MOST * 4 * ROUNDS_MOST * sizeof(float)];
    tw_device *dev = model_device(i % 2 ? 8 : 21, c->replicas);
    tw_graph *top = tw_graph_new(tw_device_target(dev)), *g = tw_graph_replicated(top, c->replicas);
    const tw_sparse_params *p = &c->p;
    size_t x_shape[] = { p->groups, p->columns, p->batch }, y_shape[] = { p->groups, p->rows, p->batch },
           picks = PICKS;
    tw_sparse_tensor t = tw_popsparse_create_weights(g, TW_FLOAT, p, "w", NULL);
    tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, 3, x_shape, "x"),
              dy = tw_graph_add_variable(g, TW_FLOAT, 3, y_shape, "dy"),
              pick = tw_graph_add_variable(g, TW_UNSIGNED_INT, 1, &picks, "pick");
    map_somehow(g, x, (int)i % MAPPINGS, r), map_somehow(g, dy, (int)(i / 2) % MAPPINGS, r);
    map_somehow(g, pick, 0, r);
    if (i % 4 == 1) map_somehow(g, t.meta, 2, r), map_somehow(g, t.values, 3, r);
    tw_program s = tw_program_sequence(g, NULL);
    tw_tensor y = tw_popsparse_matmul(g, p, t, x, false, s, "y", NULL),
              dx = tw_popsparse_matmul(g, p, t, dy, true, s, "dx", NULL),
              dw = tw_popsparse_matmul_gradient(g, p, t.meta, dy, x, s, "dw", NULL),
              rows = p->groups == 1 ? tw_popsparse_slice(g, p, t, pick, s, "rows", NULL) : (tw_tensor){ 0, 0 };
    if (tw_graph_status(g)) fail_msg("%s", tw_graph_error(g)->message);
    fill_rounds(c, g, r);
    tw_tensor all[] = { t.meta, t.values, x, dy, pick, y, dx, dw, rows };
    static const size_t fields[] = { offsetof(rounds_replica, meta), offsetof(rounds_replica, values),
                                     offsetof(rounds_replica, x),    offsetof(rounds_replica, dy),
                                     offsetof(rounds_replica, pick), offsetof(rounds_replica, y),
                                     offsetof(rounds_replica, dx),   offsetof(rounds_replica, dw),
                                     offsetof(rounds_replica, rows) };
    io list[sizeof fields / sizeof *fields];
    static char last[REPLICAS_MOST * ROUNDS_MOST * sizeof(float)];
    size_t count = p->groups == 1 ? 9 : 8;
    for (size_t k = 0; k < count; k++) {
        size_t bytes = io_bytes(g, all[k]);
        tw_tensor whole = c->replicas > 1 ? tw_graph_get_non_replicated_tensor(top, all[k]) : all[k];
        char *data = k < ROUNDS_IO ? buffer[k] : last;
        list[k] = (io){ whole, gathered(c, fields[k], bytes, data, false), k > 4 };
    }
    run_once(top, dev, s, count, list);
    for (size_t k = 5; k < count; k++) gathered(c, fields[k], io_bytes(g, all[k]), list[k].data, true);
    tw_graph_free(g);
    tw_graph_free(top);
    tw_device_free(dev);
}

static void rounds_near(const char *what, const rounds_case *c, size_t i, float is, double want, double size)
{
    if (!(fabs((double)is - want) <= size * 2e-6 + 1e-30))
        fail_msg("%s [%zu] of %u replicas, %zu buckets: %.9g, not %.9g", what, i, c->replicas, c->l.buckets,
                 (double)is, want);
}

/* Lines of one product: of y, or of dx where `transposed`. */
static void rounds_product(const rounds_case *c, const rounds_replica *o, bool transposed)
{
    const tw_sparse_params *p = &c->p;
    size_t lines = transposed ? p->columns : p->rows, sum = transposed ? p->rows : p->columns;
    for (size_t i = 0; i < p->groups * lines * p->batch; i++) {
        size_t line = i / p->batch, group = line / lines, j = i % p->batch;
        double want = 0, size = 0;
        for (size_t k = 0; k < sum; k++) {
            size_t row = transposed ? k : line % lines, column = transposed ? line % lines : k;
            double v = c->w[(group * p->rows + row) * p->columns + column] *
                       (double)(transposed ? o->dy : o->x)[(group * sum + k) * p->batch + j];
            want += v, size += fabs(v);
        }
        rounds_near(transposed ? "dx" : "y", c, i, (transposed ? o->dx : o->y)[i], want, size);
    }
}

static void rounds_gradient(const rounds_case *c, const rounds_replica *o, size_t b, bool found)
{
    const tw_sparse_params *p = &c->p;
    size_t area = p->block_rows * p->block_columns;
    for (size_t k = 0; k < area; k++) {
        size_t row = o->row[b] + k / p->block_columns, column = o->column[b] + k % p->block_columns;
        double want = 0, size = 0;
        for (size_t j = 0; j < p->batch && found; j++) {
            double v = (double)o->dy[row * p->batch + j] *
                       (double)o->x[(row / p->rows * p->columns + column) * p->batch + j];
            want += v, size += fabs(v);
        }
        rounds_near("dw", c, b, o->dw[o->slot[b] * area + k], want, size);
    }
}

static void check_rounds(rounds_case *c, unsigned k, size_t steps, unsigned missing[1])
{
    const rounds_replica *o = &c->of[k];
    const tw_sparse_params *p = &c->p;
    size_t area = p->block_rows * p->block_columns;
    memset(c->w, 0, sizeof c->w);
    for (size_t b = 0; b < o->blocks; b++) {
        bool found = o->distance[b] <= steps;
        *missing += !found;
        rounds_gradient(c, o, b, found);
        for (size_t i = 0; i < area && found; i++)
            c->w[(o->row[b] + i / p->block_columns) * p->columns + o->column[b] + i % p->block_columns] =
                (double)o->values[o->slot[b] * area + i];
    }
    rounds_product(c, o, false), rounds_product(c, o, true);
    for (size_t i = 0; p->groups == 1 && i < PICKS * p->columns; i++)
        rounds_near("rows", c, i, o->rows[i], c->w[o->pick[i / p->columns] * p->columns + i % p->columns], 0);
}

static void libs_sparse_rounds_moved(void **state)
{
    (void)state;
    static rounds_case c;
    lcg r = { 47 };
    unsigned missing = 0, turned = 0, uneven = 0;
    for (unsigned i = 0; i < 24; i++) {
        draw_rounds(&c, i, &r);
        run_rounds(&c, i, &r);
        size_t steps = 0;
        for (unsigned k = 0; k < c.replicas; k++) {
            uneven += k > 0 && c.of[k].steps > c.of[0].steps;
            if (c.of[k].steps > steps) steps = c.of[k].steps;
        }
        for (unsigned k = 0; k < c.replicas; k++) check_rounds(&c, k, steps, &missing);
        turned += steps > 1;
    }
    assert_true(missing > 3 && turned > 8 && uneven > 3); /* there are cases of all kinds */
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(libs_sparse_rounds_moved) };
    return cmocka_run_group_tests_name("libs_sparse_rounds", tests, NULL, NULL);
}
