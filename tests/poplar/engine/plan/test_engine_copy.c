/* SPDX-License-Identifier: MIT */
/* Copies as blocks against brute force: random region lists, element by element. Also that large regular copies
 * stay few blocks, whatever their size, and who sends what to whom. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "poplar/engine/engine.h"
#include "poplar/engine/plan/lower.h"

static uint64_t seed = 1;
static uint64_t random_below(uint64_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % n;
}

enum { MAX_REGIONS = 12, MAX_ELEMENTS = 20000 };

typedef struct list {
    tw__regions r;
    tw__region region[MAX_REGIONS];
    uint64_t first[MAX_REGIONS + 1];
} list;

static void finish(list *l, uint32_t n)
{
    l->first[0] = 0;
    for (uint32_t i = 0; i < n; i++) {
        l->region[i].count = 1;
        for (uint32_t k = 0; k < l->region[i].rank; k++) l->region[i].count *= l->region[i].dim[k].count;
        l->first[i + 1] = l->first[i] + l->region[i].count;
    }
    l->r = (tw__regions){ .refs = 1, .n = n, .count = l->first[n], .first = l->first, .region = l->region };
}

/* A view of a fresh range of variable `var`: sliced, subsampled, reversed and shuffled; every element once, unless
 * `broadcast`. *used is moved past the range. */
static tw__region random_region(uint32_t var, uint64_t *used, bool broadcast)
{
    tw__region r = { .var = var, .rank = 1 + (uint32_t)random_below(4) };
    int64_t stride = 1, offset = (int64_t)*used;
    tw__dim dims[4];
    for (uint32_t k = 0; k < r.rank; k++) {
        uint64_t size = 1 + random_below(7), step = 1 + random_below(2), begin = random_below(size);
        uint64_t count = (size - begin + step - 1) / step;
        bool reverse = random_below(3) == 0;
        dims[k] = (tw__dim){ count, reverse ? -stride * (int64_t)step : stride * (int64_t)step };
        offset += stride * (int64_t)(begin + (reverse ? (count - 1) * step : 0));
        if (broadcast && random_below(6) == 0) dims[k] = (tw__dim){ 1 + random_below(5), 0 };
        stride *= (int64_t)size;
    }
    *used += (uint64_t)stride;
    r.offset = (uint64_t)offset;
    for (uint32_t k = 0; k < r.rank; k++) { /* Fisher-Yates */
        uint32_t j = k + (uint32_t)random_below(r.rank - k);
        tw__dim d = dims[k];
        dims[k] = dims[j];
        dims[j] = d;
        r.dim[k] = dims[k];
    }
    return r;
}

static uint64_t count_of(const tw__region *r)
{
    uint64_t n = 1;
    for (uint32_t k = 0; k < r->rank; k++) n *= r->dim[k].count;
    return n;
}

/* A list of exactly `count` elements, or of random length when count is 0. */
static void random_list(list *l, uint32_t var, uint64_t count, bool broadcast, uint64_t *used)
{
    uint32_t n = 0, want = 1 + (uint32_t)random_below(MAX_REGIONS - 2);
    uint64_t total = 0;
    for (; n < want; n++) {
        tw__region r = random_region(var, used, broadcast);
        if (count && total + count_of(&r) > count) break;
        l->region[n] = r;
        total += count_of(&r);
    }
    if (total < count) {
        l->region[n++] = (tw__region){ .var = var, .rank = 1, .offset = *used, .dim = { { count - total, 1 } } };
        *used += count - total;
    }
    finish(l, n);
}

static uint64_t *expand(const tw__regions *l)
{
    uint64_t *out = malloc((l->count + 1) * sizeof *out), at = 0;
    for (uint32_t i = 0; i < l->n; i++) {
        const tw__region *r = &l->region[i];
        for (uint64_t e = 0; e < r->count; e++) {
            uint64_t rest = e;
            int64_t element = (int64_t)r->offset;
            for (uint32_t k = r->rank; k-- > 0;) {
                element += (int64_t)(rest % r->dim[k].count) * r->dim[k].stride;
                rest /= r->dim[k].count;
            }
            out[at++] = (uint64_t)element;
        }
    }
    return out;
}

static void random_copies(void **state)
{
    (void)state;
    static const size_t sizes[] = { 1, 2, 4, 8 };
    for (int round = 0; round < 2000; round++) {
        size_t e = sizes[random_below(4)];
        list dst, src;
        uint64_t dst_used = 0, src_used = 0;
        random_list(&dst, 1, 0, false, &dst_used);
        random_list(&src, 0, dst.r.count, true, &src_used);
        assert_int_equal(src.r.count, dst.r.count);
        /* one block of memory for both, with a guard between and behind */
        uint64_t offset[2] = { 64, 64 + src_used * e + 64 };
        uint8_t size[2] = { (uint8_t)e, (uint8_t)e };
        size_t bytes = offset[1] + dst_used * e + 64;
        unsigned char *memory = malloc(bytes), *expected = malloc(bytes);
        for (size_t i = 0; i < bytes; i++) memory[i] = expected[i] = (unsigned char)random_below(256);
        tw__storage storage = {
            .base = (char *)memory, .bytes = bytes, .offset = offset, .size = size, .variables = 2
        };

        uint64_t *from = expand(&src.r), *to = expand(&dst.r);
        uint64_t begin = random_below(dst.r.count), count = 1 + random_below(dst.r.count - begin);
        for (uint64_t i = begin; i < begin + count; i++)
            memcpy(expected + offset[1] + to[i] * e, memory + offset[0] + from[i] * e, e);
        tw__copy copy = { 0 };
        assert_int_equal(tw__copy_add(&copy, &storage, (tw__side){ .regions = &src.r, .first = begin },
                                      (tw__side){ .regions = &dst.r, .first = begin }, count, e),
                         TW_OK);
        assert_int_equal(tw__copy_finish(&copy), TW_OK);
        assert_int_equal(copy.bytes, count * e);
        tw__copy_run(&copy, (char *)memory, (char *)memory);
        if (memcmp(memory, expected, bytes) != 0) fail_msg("round %d differs", round);
        tw__copy_free(&copy);
        free(memory);
        free(expected);
        free(from);
        free(to);
    }
}

/* To and from memory that is contiguous, and from one repeated element. */
static void contiguous_sides(void **state)
{
    (void)state;
    for (int round = 0; round < 500; round++) {
        list l;
        uint64_t used = 0;
        random_list(&l, 0, 0, false, &used);
        uint64_t offset[1] = { 0 };
        uint8_t size[1] = { 4 };
        uint32_t *memory = calloc(used + 1, 4), *host = malloc(l.r.count * 4);
        tw__storage storage = { .base = (char *)memory, .offset = offset, .size = size, .variables = 1 };
        for (uint64_t i = 0; i < l.r.count; i++) host[i] = (uint32_t)(i + 1);
        tw__copy in = { 0 }, out = { 0 }, fill = { 0 };
        tw__side tensor = { .regions = &l.r }, plain = { 0 };
        assert_int_equal(tw__copy_add(&in, &storage, plain, tensor, l.r.count, 4), TW_OK);
        assert_int_equal(tw__copy_add(&out, &storage, tensor, plain, l.r.count, 4), TW_OK);
        assert_int_equal(tw__copy_add(&fill, &storage, (tw__side){ .repeat = true }, tensor, l.r.count, 4), TW_OK);
        assert_int_equal(tw__copy_finish(&in) | tw__copy_finish(&out) | tw__copy_finish(&fill), TW_OK);
        tw__copy_run(&in, (char *)memory, (char *)host);
        uint64_t *at = expand(&l.r);
        for (uint64_t i = 0; i < l.r.count; i++) assert_int_equal(memory[at[i]], i + 1);
        memset(host, 0, l.r.count * 4);
        tw__copy_run(&out, (char *)host, (char *)memory);
        for (uint64_t i = 0; i < l.r.count; i++) assert_int_equal(host[i], i + 1);
        uint32_t seven = 7;
        tw__copy_run(&fill, (char *)memory, (char *)&seven);
        for (uint64_t i = 0; i < l.r.count; i++) assert_int_equal(memory[at[i]], 7);
        tw__copy_free(&in);
        tw__copy_free(&out);
        tw__copy_free(&fill);
        free(at);
        free(memory);
        free(host);
    }
}

static tw__region region_2d(uint32_t var, uint64_t rows, int64_t row_stride, uint64_t columns,
                            int64_t column_stride)
{
    return (tw__region){
        .var = var, .rank = 2, .count = rows * columns, .dim = { { rows, row_stride }, { columns, column_stride } }
    };
}

/* A large transposed copy is cut for the threads only; columns listed one by one join again. */
static void few_blocks(void **state)
{
    (void)state;
    uint64_t n = 1024, offset[2] = { 0, n * n * 4 };
    uint8_t size[2] = { 4, 4 };
    tw__storage storage = { .base = malloc(2 * n * n * 4), .offset = offset, .size = size, .variables = 2 };
    uint32_t *a = (uint32_t *)(void *)storage.base, *b = a + n * n;
    for (uint64_t i = 0; i < n * n; i++) a[i] = (uint32_t)i;

    list src, dst;
    src.region[0] = region_2d(0, n, 1, n, (int64_t)n);
    dst.region[0] = (tw__region){ .var = 1, .rank = 1, .dim = { { n * n, 1 } } };
    finish(&src, 1);
    finish(&dst, 1);
    tw__copy copy = { 0 };
    assert_int_equal(
        tw__copy_add(&copy, &storage, (tw__side){ .regions = &src.r }, (tw__side){ .regions = &dst.r }, n * n, 4),
        TW_OK);
    assert_int_equal(copy.count, 1);
    assert_int_equal(tw__copy_finish(&copy), TW_OK);
    assert_true(copy.count <= 16);
    assert_int_equal(copy.blocks[0].form, TW__BLOCK_TRANSPOSE);
    tw__copy_run(&copy, storage.base, storage.base);
    for (uint64_t i = 0; i < n * n; i++) assert_int_equal(b[i], (i % n) * n + i / n);
    tw__copy_free(&copy);

    for (uint64_t c = 0; c < n; c++) { /* column c of a to row c of b */
        src.region[0] = (tw__region){ .var = 0, .rank = 1, .offset = c, .dim = { { n, (int64_t)n } } };
        dst.region[0] = (tw__region){ .var = 1, .rank = 1, .offset = c * n, .dim = { { n, 1 } } };
        finish(&src, 1);
        finish(&dst, 1);
        assert_int_equal(
            tw__copy_add(&copy, &storage, (tw__side){ .regions = &src.r }, (tw__side){ .regions = &dst.r }, n, 4),
            TW_OK);
    }
    assert_int_equal(copy.count, 1);
    tw__copy_free(&copy);

    for (uint64_t i = 0; i < n * n; i++) { /* neighbours one by one become one range */
        src.region[0] = (tw__region){ .var = 0, .rank = 1, .offset = i, .dim = { { 1, 1 } } };
        dst.region[0] = (tw__region){ .var = 1, .rank = 1, .offset = i, .dim = { { 1, 1 } } };
        finish(&src, 1);
        finish(&dst, 1);
        assert_int_equal(
            tw__copy_add(&copy, &storage, (tw__side){ .regions = &src.r }, (tw__side){ .regions = &dst.r }, 1, 4),
            TW_OK);
    }
    assert_int_equal(copy.count, 1);
    tw__copy_free(&copy);
    free(storage.base);
}

/* Allocation failure is an ordinary error. */
static void no_memory(void **state)
{
    (void)state;
    uint64_t offset[1] = { 0 };
    uint8_t size[1] = { 4 };
    tw__storage storage = { .offset = offset, .size = size, .variables = 1 };
    list l;
    l.region[0] = (tw__region){ .var = 0, .rank = 1, .dim = { { 10, 1 } } };
    finish(&l, 1);
    tw__copy copy = { 0 };
    tw__fail_allocation(1);
    tw_status s = tw__copy_add(&copy, &storage, (tw__side){ 0 }, (tw__side){ .regions = &l.r }, 10, 4);
    tw__fail_allocation(0);
    assert_int_equal(s, TW_E_NO_MEMORY);
    tw__copy_free(&copy);
}

/* --- sets of intervals ---------------------------------------------------------------------------------------- */

static void spans_against_bitmap(void **state)
{
    (void)state;
    enum { N = 200 };
    for (int round = 0; round < 200; round++) {
        bool map[2][N] = { 0 };
        tw__span_set set = { 0 };
        for (int i = 0; i < 40; i++) {
            uint32_t var = (uint32_t)random_below(2);
            uint64_t begin = random_below(N - 1), count = 1 + random_below(N - begin < 12 ? N - begin : 12);
            list l;
            l.region[0] = (tw__region){ .var = var, .rank = 1, .offset = begin, .dim = { { count, 1 } } };
            if (random_below(2)) { /* the same from its end */
                l.region[0].offset = begin + count - 1;
                l.region[0].dim[0].stride = -1;
            }
            finish(&l, 1);
            bool any = false;
            for (uint64_t k = begin; k < begin + count; k++) any = any || map[var][k];
            assert_int_equal(tw__spans_touch(&set, &l.r), any);
            assert_true(tw__spans_add(&set, &l.r));
            for (uint64_t k = begin; k < begin + count; k++) map[var][k] = true;
            for (size_t k = 1; k < set.count; k++)
                assert_true(set.items[k - 1].var < set.items[k].var || set.items[k - 1].end < set.items[k].begin);
        }
        free(set.items);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_copies), cmocka_unit_test(contiguous_sides),     cmocka_unit_test(few_blocks),
        cmocka_unit_test(no_memory),     cmocka_unit_test(spans_against_bitmap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
