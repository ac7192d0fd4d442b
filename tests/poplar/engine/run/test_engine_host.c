/* SPDX-License-Identifier: MIT */
/* Host access, initial values, storage of half; copies between views through the public interface against brute
 * force. No codelets here. */
#include <tilewright/type.h>

#include "poplar/engine/engine_test.h"

static void views_by_handle(void **state)
{
    (void)state;
    for (test_device kind = CPU; kind < TEST_DEVICES; kind++) {
        tw_device *device = test_device_new(kind);
        tw_graph *g = tw_graph_new(tw_device_target(device));
        tw_tensor x = test_variable(g, TW_SHORT, SHAPE(3, 4), "x");
        tw_graph_create_host_write(g, "back", tw_tensor_reverse(g, tw_tensor_transpose(g, x), 0));
        tw_graph_create_host_read(
            g, "twice",
            tw_tensor_concat(g, 2, (tw_tensor[]){ tw_tensor_index(g, x, 2), tw_tensor_index(g, x, 0) }, 0));
        tw_engine *e = test_engine_new(g, device, tw_program_sequence(g, NULL), NULL);
        int16_t in[12], out[12];
        for (int i = 0; i < 12; i++) in[i] = (int16_t)i;
        test_ok(tw_engine_write(e, "back", in, sizeof in)); /* in[c][r] is x[r][3 - c] */
        test_ok(tw_engine_read(e, "x", out, sizeof out));
        assert_memory_equal(out, ((int16_t[]){ 9, 6, 3, 0, 10, 7, 4, 1, 11, 8, 5, 2 }), sizeof out);
        test_ok(tw_engine_read(e, "twice", out, 16));
        assert_memory_equal(out, ((int16_t[]){ 11, 8, 5, 2, 9, 6, 3, 0 }), 16);

        assert_int_equal(tw_engine_write(e, "x", in, 22), TW_E_INVALID_ARGUMENT);
        ASSERT_MESSAGE("24");
        assert_int_equal(tw_engine_write(e, "xx", in, 24), TW_E_TENSOR_IO);
        ASSERT_MESSAGE("'x'");
        assert_int_equal(tw_engine_read(e, "back", in, 24), TW_E_TENSOR_IO);
        assert_int_equal(tw_engine_write(e, "twice", in, 16), TW_E_TENSOR_IO);
        assert_int_equal(tw_engine_write(e, "x", NULL, 24), TW_E_INVALID_ARGUMENT);
        tw_engine_free(e);
        tw_graph_free(g);
        tw_device_free(device);
    }
}

/* Written at every load; elements without one start as zero. */
static void initial_values(void **state)
{
    (void)state;
    for (test_device kind = CPU; kind < TEST_DEVICES; kind++) {
        tw_device *device = test_device_new(kind);
        tw_graph *g = tw_graph_new(tw_device_target(device));
        tw_tensor x = test_variable(g, TW_INT, SHAPE(2, 3), "x"), y = test_variable(g, TW_INT, SHAPE(6), "y");
        tw_tensor h = test_variable(g, TW_HALF, SHAPE(4), "h");
        int32_t nine = 9, pair[2] = { 1, 2 };
        tw_graph_set_initial_value(g, tw_tensor_index(g, x, 1), &nine, true);
        tw_graph_set_initial_value(g, tw_tensor_index(g, tw_tensor_transpose(g, x), 2), pair,
                                   false); /* column 2: over the nine */
        uint16_t halves[4] = { 0x3c00, 0x4000, 0x4200, 0x4400 }, one = 0x3c00;
        tw_graph_set_initial_value(g, tw_tensor_reverse(g, h, 0), halves, false);
        tw_tensor c = tw_graph_add_constant(g, TW_INT, SHAPE(6), (int32_t[]){ 6, 5, 4, 3, 2, 1 }, false, "c");
        tw_tensor d = tw_graph_add_constant(g, TW_HALF, SHAPE(4), &one, true, "d");
        tw_graph_map(g, c, 0);
        tw_graph_map(g, d, 0);
        tw_graph_create_host_read(g, "d", d);
        tw_engine *e = test_engine_new(g, device, tw_program_copy(g, c, y), NULL);
        for (int load = 0; load < 2; load++) {
            int32_t v[6];
            uint16_t b[4];
            test_ok(tw_engine_read(e, "x", v, sizeof v));
            assert_memory_equal(v, ((int32_t[]){ 0, 0, 1, 9, 9, 2 }), sizeof v);
            test_ok(tw_engine_read(e, "y", v, sizeof v));
            assert_int_equal(v[0], 0);
            test_ok(tw_engine_read(e, "h", b, sizeof b));
            assert_memory_equal(b, ((uint16_t[]){ 0x4400, 0x4200, 0x4000, 0x3c00 }), sizeof b);
            test_ok(tw_engine_read(e, "d", b, sizeof b));
            assert_memory_equal(b, ((uint16_t[]){ one, one, one, one }), sizeof b);
            test_ok(tw_engine_run(e, 0));
            test_ok(tw_engine_read(e, "y", v, sizeof v));
            assert_int_equal(v[0], 6);
            memset(v, 77, sizeof v);
            test_ok(tw_engine_write(e, "x", v, sizeof v));
            test_ok(tw_engine_load(e, device));
        }
        tw_engine_free(e);
        tw_graph_free(g);
        tw_device_free(device);
    }
}

/* Every half comes back as it was, NaN payloads aside, on devices of both sizes (docs/decisions.md, G3). */
static void all_halves(void **state)
{
    (void)state;
    static const size_t size[] = { [CPU] = 4, [CPU_ACCURATE] = 2, [MODEL] = 2, [SIM] = 2 };
    for (test_device kind = CPU; kind < TEST_DEVICES; kind++) {
        tw_device *device = test_device_new(kind);
        assert_int_equal(tw_target_type_size(tw_device_target(device), TW_HALF), size[kind]);
        tw_graph *g = tw_graph_new(tw_device_target(device));
        tw_tensor a = test_variable(g, TW_HALF, SHAPE(65536), "a"),
                  b = test_variable(g, TW_HALF, SHAPE(65536), "b");
        tw_engine *e = test_engine_new(g, device, tw_program_copy(g, tw_tensor_reverse(g, a, 0), b), NULL);
        uint16_t *in = malloc(131072), *out = malloc(131072);
        for (int i = 0; i < 65536; i++) in[i] = (uint16_t)i;
        test_ok(tw_engine_write(e, "a", in, 131072));
        test_ok(tw_engine_run(e, 0));
        test_ok(tw_engine_read(e, "b", out, 131072));
        for (int i = 0; i < 65536; i++) {
            bool nan = (i & 0x7c00) == 0x7c00 && (i & 0x3ff);
            if (!nan)
                assert_int_equal(out[65535 - i], i);
            else
                assert_true((out[65535 - i] & 0x7c00) == 0x7c00 && (out[65535 - i] & 0x3ff));
        }
        free(in);
        free(out);
        tw_engine_free(e);
        tw_graph_free(g);
        tw_device_free(device);
    }
}

/* --- random views --------------------------------------------------------------------------------------------- */

enum { BIG = 4096, MAX_VIEW = 4096 };
typedef struct view { /* a tensor and the elements of the variable that it names, in order */
    tw_tensor t;
    uint32_t rank;
    size_t shape[4];
    uint64_t count;
    uint16_t at[MAX_VIEW];
} view;

static uint64_t seed = 7;
static uint64_t below(uint64_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % n;
}

/* Element of the old view for each index of the new shape, by a function of the old index. */
static void remap(view *v, const view *old,
                  void (*index)(const view *v, const size_t *at, size_t *old_at, size_t k), size_t k)
{
    v->count = 1;
    for (uint32_t d = 0; d < v->rank; d++) v->count *= v->shape[d];
    for (uint64_t i = 0; i < v->count; i++) {
        size_t at[4], old_at[4], flat = 0;
        uint64_t rest = i;
        for (uint32_t d = v->rank; d-- > 0;) at[d] = rest % v->shape[d], rest /= v->shape[d];
        index(old, at, old_at, k);
        for (uint32_t d = 0; d < old->rank; d++) flat = flat * old->shape[d] + old_at[d];
        v->at[i] = old->at[flat];
    }
}
static void at_transposed(const view *old, const size_t *at, size_t *old_at, size_t k)
{
    for (uint32_t d = 0; d < old->rank; d++) old_at[(d + k) % old->rank] = at[d];
}
static void at_reversed(const view *old, const size_t *at, size_t *old_at, size_t k)
{
    for (uint32_t d = 0; d < old->rank; d++) old_at[d] = d == k ? old->shape[d] - 1 - at[d] : at[d];
}
static void at_stepped(const view *old, const size_t *at, size_t *old_at, size_t k)
{
    for (uint32_t d = 0; d < old->rank; d++) old_at[d] = d == k ? 2 * at[d] : at[d];
}
static void at_shifted(const view *old, const size_t *at, size_t *old_at, size_t k)
{
    for (uint32_t d = 0; d < old->rank; d++) old_at[d] = d == 0 ? at[d] + k : at[d];
}

static void random_view(tw_graph *g, tw_tensor x, view *v)
{
    view *old = malloc(sizeof *old);
    *v = (view){ .t = x, .rank = 1, .shape = { BIG }, .count = BIG };
    for (int i = 0; i < BIG; i++) v->at[i] = (uint16_t)i;
    for (uint64_t steps = 2 + below(6); steps > 0; steps--) {
        *old = *v;
        size_t k = below(v->rank);
        switch (below(5)) {
        case 0: { /* reshape: split a dimension by a factor */
            if (v->rank == 4) break;
            size_t factor = 1;
            for (size_t f = 2; f < 12; f++)
                if (v->shape[k] % f == 0 && below(2)) factor = f;
            for (uint32_t d = v->rank; d > k; d--) v->shape[d] = v->shape[d - 1];
            v->shape[k] /= factor;
            v->shape[k + 1] = factor;
            v->rank++;
            v->t = tw_tensor_reshape(g, v->t, v->rank, v->shape);
            break;
        }
        case 1: {
            unsigned p[4];
            for (uint32_t d = 0; d < v->rank; d++)
                p[d] = (unsigned)((d + k) % v->rank), v->shape[d] = old->shape[p[d]];
            v->t = tw_tensor_dim_shuffle(g, v->t, p);
            remap(v, old, at_transposed, k);
            break;
        }
        case 2:
            v->t = tw_tensor_reverse(g, v->t, (unsigned)k);
            remap(v, old, at_reversed, k);
            break;
        case 3:
            v->shape[k] = (v->shape[k] + 1) / 2;
            v->t = tw_tensor_sub_sample(g, v->t, 2, (unsigned)k);
            remap(v, old, at_stepped, k);
            break;
        case 4: {
            size_t begin = below(v->shape[0]), end = begin + 1 + below(v->shape[0] - begin);
            v->shape[0] = end - begin;
            v->t = tw_tensor_slice(g, v->t, 0, begin, end);
            remap(v, old, at_shifted, begin);
            break;
        }
        }
    }
    free(old);
    assert_int_equal(tw_tensor_elements(g, v->t), v->count);
}

static void random_copies(void **state)
{
    (void)state;
    view *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    int32_t *x = malloc(BIG * sizeof *x), *y = malloc(BIG * sizeof *y);
    for (int round = 0; round < 300; round++) {
        tw_device *device = test_device_new(round % 2 ? MODEL : CPU);
        tw_graph *g = tw_graph_new(tw_device_target(device));
        tw_tensor source = test_variable(g, TW_INT, SHAPE(BIG), "a"),
                  target = test_variable(g, TW_INT, SHAPE(BIG), "b");
        random_view(g, source, a);
        random_view(g, target, b);
        uint64_t n = a->count < b->count ? a->count : b->count;
        tw_tensor from = tw_tensor_slice(g, tw_tensor_flatten(g, a->t), 0, 0, n),
                  to = tw_tensor_slice(g, tw_tensor_flatten(g, b->t), 0, 0, n);
        tw_engine *e = test_engine_new(g, device, tw_program_copy(g, from, to), NULL);
        for (int i = 0; i < BIG; i++) x[i] = i + 1;
        test_ok(tw_engine_write(e, "a", x, BIG * sizeof *x));
        test_ok(tw_engine_run(e, 0));
        test_ok(tw_engine_read(e, "b", y, BIG * sizeof *y));
        for (uint64_t i = 0; i < n; i++)
            if (y[b->at[i]] != a->at[i] + 1) fail_msg("round %d, element %d", round, (int)i);
        uint64_t written = 0;
        for (int i = 0; i < BIG; i++) written += y[i] != 0;
        assert_int_equal(written, n);
        tw_engine_free(e);
        tw_graph_free(g);
        tw_device_free(device);
    }
    free(a);
    free(b);
    free(x);
    free(y);
}

/* Moves at once on two IPUs, transposed, in every element size. */
static void transposed(void **state)
{
    (void)state;
    enum { ROWS = 300, COLUMNS = 517 };
    static const tw_type types[] = { TW_CHAR, TW_SHORT, TW_INT, TW_LONGLONG };
    for (int k = 0; k < 4; k++) {
        size_t size = tw_type_size(types[k]), bytes = ROWS * COLUMNS * size;
        tw_device *device = test_device_new(MODEL);
        tw_graph *g = tw_graph_new(tw_device_target(device));
        tw_tensor a = test_variable(g, types[k], SHAPE(ROWS, COLUMNS), "a");
        tw_tensor b = test_variable(g, types[k], SHAPE(COLUMNS, ROWS), "b");
        tw_engine *e = test_engine_new(g, device, tw_program_copy(g, tw_tensor_transpose(g, a), b), NULL);
        unsigned char *x = malloc(bytes), *y = malloc(bytes);
        for (size_t i = 0; i < bytes; i++) x[i] = (unsigned char)below(256);
        test_ok(tw_engine_write(e, "a", x, bytes));
        test_ok(tw_engine_run(e, 0));
        test_ok(tw_engine_read(e, "b", y, bytes));
        for (size_t r = 0; r < ROWS; r++)
            for (size_t c = 0; c < COLUMNS; c++)
                if (memcmp(y + (c * ROWS + r) * size, x + (r * COLUMNS + c) * size, size) != 0)
                    fail_msg("size %zu, element %zu, %zu", size, r, c);
        free(x);
        free(y);
        tw_engine_free(e);
        tw_graph_free(g);
        tw_device_free(device);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_by_handle), cmocka_unit_test(initial_values), cmocka_unit_test(all_halves),
        cmocka_unit_test(random_copies),   cmocka_unit_test(transposed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
