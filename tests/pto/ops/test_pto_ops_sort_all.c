/* SPDX-License-Identifier: MIT */
/* TSORT32 and all forms of TMRGSORT against insertion and merging, one element at a time: ties, NaN, signed zeros and
 * infinities, rows that end within a block, lists that end early. What lies behind the pairs keeps its bytes. */
#define COUNT_ROWS
#include "pto/support/check.h"
#include "pto/reference/ref_cube.h"
#include "pto/reference/ref_sort.h"

#include <stdio.h>

static uint64_t state = 22;

static uint32_t pick(uint32_t n)
{
    return (uint32_t)(ref_next(&state) % n);
}

/* Few different values, so that ties are common, and special ones. */
static uint64_t crowded(tw_type type, uint64_t random)
{
    return random % 4 ? ref_small(type, random / 4) : ref_any(type, random / 4);
}
static uint64_t any(tw_type type, uint64_t random)
{
    return ref_any(type, random);
}
static uint64_t ascending(tw_type type, uint64_t random) /* of a tile of one row of indexes */
{
    (void)type;
    return random >> 40;
}

static void put(const ref_image *image, uint32_t row, uint32_t pair, uint64_t bits)
{
    unsigned wide = 64 / ref_bits(image->tile->type);
    for (unsigned i = 0; i < wide; i++)
        ref_set(image, row, pair * wide + i, bits >> i * ref_bits(image->tile->type));
}

static void one_sort(tw_pto_target target, tw_type type, bool with_tmp)
{
    enum { BLOCK = 32 };
    tw_pto *core = tw_pto_new(target, 0);
    uint32_t rows = 1 + pick(4), cols = 32 * (1 + pick(4)), wide = 64 / ref_bits(type);
    static const int edges[] = { 0, 1, 31, 32, 33 };
    tw_pto_tile a = vec_tile(type, rows, cols), x = vec_tile(TW_U32, pick(2) ? rows : 1, cols),
                d = vec_tile(type, rows + pick(2), cols * wide + 32), tmp = vec_tile(type, 1, cols);
    a.valid_rows = 1 + pick(rows);
    a.valid_cols = with_tmp ? (pick(2) ? 1 + pick(cols) : (uint32_t)edges[pick(5)]) : 32 * (1 + pick(cols / 32));
    d.valid_rows = a.valid_rows;
    d.valid_cols = a.valid_cols * wide;
    if (a.valid_cols > cols) a.valid_cols = cols, d.valid_cols = cols * wide;
    if (target == TW_PTO_CPU) {
        ref_any_layout(&a, ref_next(&state));
        ref_any_layout(&x, ref_next(&state));
    }
    ref_image va = ref_fill(core, &a, crowded, &state), vx = ref_fill(core, &x, ascending, &state),
              want = ref_fill(core, &d, any, &state);
    if (with_tmp)
        OK(CALL(core, "tsort32", NULL, TILE(&d), TILE(&a), TILE(&x), TILE(&tmp)));
    else
        OK(CALL(core, "tsort32", NULL, TILE(&d), TILE(&a), TILE(&x)));
    for (uint32_t r = 0; r < a.valid_rows; r++)
        for (uint32_t first = 0; first < a.valid_cols; first += BLOCK) {
            ref_pair pairs[BLOCK];
            uint32_t n = a.valid_cols - first < BLOCK ? a.valid_cols - first : BLOCK;
            for (uint32_t i = 0; i < n; i++)
                pairs[i] = (ref_pair){ ref_get(&va, r, first + i),
                                       (uint32_t)ref_get(&vx, x.rows == 1 ? 0 : r, first + i) };
            ref_sort(type, pairs, n);
            for (uint32_t i = 0; i < n; i++) put(&want, r, first + i, ref_pair_bits(pairs[i]));
        }
    if (!ref_equal(core, &d, &want, "tsort32"))
        fail_msg("%s %s: %u x %u, tmp %d", tw_pto_target_name(target), tw_type_name(type, TW_SYSTEM_PTO),
                 a.valid_rows, a.valid_cols, with_tmp);
    assert_true(ref_equal(core, &a, &va, "source") && ref_equal(core, &x, &vx, "indexes"));
    ref_drop(&va);
    ref_drop(&vx);
    ref_drop(&want);
    tw_pto_free(core);
}

static void pto_ref_sort_blocks(void **unused)
{
    static const tw_type types[] = { TW_F16, TW_F32 };
    (void)unused;
    for (int target = 0; target < TW_PTO_TARGETS; target++)
        for (int t = 0; t < 2; t++)
            for (int i = 0; i < 200; i++) one_sort((tw_pto_target)target, types[t], i & 1);
}

/* A tile of one row that holds `count` sorted pairs from `first` on, and those pairs. */
static void sorted_pairs(const ref_image *image, uint32_t first, ref_pair *pairs, size_t count)
{
    tw_type type = image->tile->type;
    for (size_t i = 0; i < count; i++)
        pairs[i] = (ref_pair){ crowded(type, ref_next(&state)), (uint32_t)ref_next(&state) };
    ref_sort(type, pairs, count);
    for (size_t i = 0; i < count; i++) put(image, 0, first + (uint32_t)i, ref_pair_bits(pairs[i]));
}

static void load_image(tw_pto *core, tw_pto_tile *t, const ref_image *image)
{
    memcpy(tw_pto_data(core, t), image->bytes, image->size);
}

static void one_merge_of_blocks(tw_pto_target target, tw_type type)
{
    enum { MOST = 64 * 3 };
    tw_pto *core = tw_pto_new(target, 0);
    uint32_t block = 64 * (1 + pick(3)), groups = 1 + pick(3), wide = 64 / ref_bits(type),
             cols = groups * 4 * block;
    size_t pairs = block / wide;
    tw_pto_tile a = vec_tile(type, 1, cols + 64), d = vec_tile(type, 1, cols + 64 + 32 * pick(2));
    a.valid_cols = d.valid_cols = cols;
    ref_image va = ref_fill(core, &a, any, &state), want = ref_fill(core, &d, any, &state);
    for (uint32_t g = 0; g < groups; g++) {
        ref_pair lists[4][MOST], merged[4 * MOST];
        const ref_pair *from[4] = { lists[0], lists[1], lists[2], lists[3] };
        size_t counts[4] = { pairs, pairs, pairs, pairs }, used[4];
        for (unsigned l = 0; l < 4; l++) sorted_pairs(&va, (g * 4 + l) * (uint32_t)pairs, lists[l], pairs);
        size_t n = ref_merge(type, 4, from, counts, false, merged, used);
        for (size_t i = 0; i < n; i++)
            put(&want, 0, g * 4 * (uint32_t)pairs + (uint32_t)i, ref_pair_bits(merged[i]));
    }
    load_image(core, &a, &va);
    OK(CALL(core, "tmrgsort", NULL, TILE(&d), TILE(&a), SCALAR(tw_pto_i32((int32_t)block))));
    if (!ref_equal(core, &d, &want, "tmrgsort of blocks")) fail_msg("%u groups of blocks of %u", groups, block);
    ref_drop(&va);
    ref_drop(&want);
    tw_pto_free(core);
}

static void one_merge_of_lists(tw_pto_target target, tw_type type, unsigned lists, bool exhausted)
{
    enum { MOST = 48 };
    tw_pto *core = tw_pto_new(target, 0);
    uint32_t wide = 64 / ref_bits(type), cols = MOST * wide;
    tw_pto_tile d = vec_tile(type, 1, 4 * cols + 32), tmp = d, e = vec_tile(pick(2) ? TW_U16 : TW_I16, 1, 16),
                from[4];
    ref_pair pairs[4][MOST], merged[4 * MOST];
    const ref_pair *list[4] = { pairs[0], pairs[1], pairs[2], pairs[3] };
    size_t counts[4], used[4];
    e.valid_cols = 4;
    tw_pto_operand o[7] = { TILE(&d), TILE(&e), TILE(&tmp) };
    ref_image want = ref_fill(core, &d, any, &state), executed = ref_fill(core, &e, any, &state);
    for (unsigned l = 0; l < lists; l++) {
        from[l] = vec_tile(type, 1, cols);
        counts[l] = pick(8) ? 1 + pick(MOST) : pick(3) * 16;
        from[l].valid_cols = (uint32_t)counts[l] * wide;
        ref_image image = ref_fill(core, &from[l], any, &state);
        sorted_pairs(&image, 0, pairs[l], counts[l]);
        load_image(core, &from[l], &image);
        ref_drop(&image);
        o[3 + l] = TILE(&from[l]);
    }
    OK(tw_pto_call(core, "tmrgsort", o, 3 + lists, &(tw_pto_attrs){ .exhausted = exhausted }));
    size_t n = ref_merge(type, lists, list, counts, exhausted, merged, used);
    for (size_t i = 0; i < n; i++) put(&want, 0, (uint32_t)i, ref_pair_bits(merged[i]));
    for (uint32_t l = 0; l < 4; l++) ref_set(&executed, 0, l, l < lists ? used[l] : 0);
    if (!ref_equal(core, &e, &executed, "counts") || !ref_equal(core, &d, &want, "tmrgsort of lists"))
        fail_msg("%s %s: %u lists, exhausted %d, %zu %zu pairs", tw_pto_target_name(target),
                 tw_type_name(type, TW_SYSTEM_PTO), lists, exhausted, counts[0], counts[1]);
    ref_drop(&want);
    ref_drop(&executed);
    tw_pto_free(core);
}

static void pto_ref_sort_merges(void **unused)
{
    static const tw_type types[] = { TW_F16, TW_F32 };
    (void)unused;
    for (int target = 0; target < TW_PTO_TARGETS; target++)
        for (int i = 0; i < 240; i++) {
            one_merge_of_lists((tw_pto_target)target, types[i & 1], 2 + (unsigned)i % 3, i / 2 % 2);
            if (i % 4 == 0) one_merge_of_blocks((tw_pto_target)target, types[i / 4 % 2]);
        }
}

/* What just fits and what does not. */
static void pto_ref_sort_constraints(void **unused)
{
    static const struct {
        tw_type type, dst, index;
        uint32_t cols, room; /* valid columns; columns of dst */
        bool tmp;
        const char *rule; /* NULL = taken */
    } sorts[] = {
        { TW_F32, TW_F32, TW_U32, 64, 128, false, NULL },
        { TW_F32, TW_F32, TW_U32, 64, 120, false, "sort.room" },
        { TW_F16, TW_F16, TW_U32, 64, 256, false, NULL },
        { TW_F16, TW_F16, TW_U32, 64, 240, false, "sort.room" },
        { TW_F32, TW_F32, TW_U32, 63, 128, false, "sort.block" },
        { TW_F32, TW_F32, TW_U32, 63, 128, true, NULL },
        { TW_F32, TW_F32, TW_I32, 64, 128, false, "type.index" },
        { TW_F32, TW_F16, TW_U32, 64, 256, false, "type.same" },
        { TW_I32, TW_I32, TW_U32, 64, 128, false, "type.set" },
        { TW_BF16, TW_BF16, TW_U32, 64, 256, false, "type.set" },
    };
    static const struct {
        uint32_t cols;
        int32_t block;
        const char *rule;
    } merges[] = {
        { 256, 64, NULL },
        { 256, 32, "merge.block" },
        { 256, 0, "merge.block" },
        { 256, -64, "merge" },
        { 320, 64, "merge.groups" },
        { 512, 128, NULL },
        { 512, 192, "merge.groups" },
    };
    (void)unused;
    for (int target = 0; target < TW_PTO_TARGETS; target++) {
        for (size_t i = 0; i < sizeof sorts / sizeof *sorts; i++) {
            tw_pto *core = tw_pto_new((tw_pto_target)target, 0);
            tw_pto_tile a = vec_tile(sorts[i].type, 1, 64), x = vec_tile(sorts[i].index, 1, 64),
                        d = vec_tile(sorts[i].dst, 1, sorts[i].room), t = a;
            a.valid_cols = sorts[i].cols;
            tw_pto_operand o[] = { TILE(&d), TILE(&a), TILE(&x), TILE(&t) };
            bool taken = tw_pto_call(core, "tsort32", o, sorts[i].tmp ? 4 : 3, NULL) == TW_OK;
            if (taken != !sorts[i].rule || (!taken && !strstr(tw_error_message(), sorts[i].rule)))
                fail_msg("sort %zu: %s", i, taken ? "taken" : tw_error_message());
            (tw_pto_free)(core);
        }
        for (size_t i = 0; i < sizeof merges / sizeof *merges; i++) {
            tw_pto *core = tw_pto_new((tw_pto_target)target, 0);
            tw_pto_tile a = vec_tile(TW_F32, 1, 512), d = a;
            a.valid_cols = d.valid_cols = merges[i].cols;
            tw_pto_operand o[] = { TILE(&d), TILE(&a), SCALAR(tw_pto_i32(merges[i].block)) };
            bool taken = tw_pto_call(core, "tmrgsort", o, 3, NULL) == TW_OK;
            if (taken != !merges[i].rule || (!taken && !strstr(tw_error_message(), merges[i].rule)))
                fail_msg("merge %zu: %s", i, taken ? "taken" : tw_error_message());
            (tw_pto_free)(core);
        }
    }
}

static void every_row(void **unused)
{
    (void)unused;
    check_rows_reached("ref_sort");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pto_ref_sort_blocks),
        cmocka_unit_test(pto_ref_sort_merges),
        cmocka_unit_test(pto_ref_sort_constraints),
        cmocka_unit_test(every_row),
    };
    return cmocka_run_group_tests_name("pto_ref_sort", tests, NULL, NULL);
}
