/* SPDX-License-Identifier: MIT */
/* TCI: values, wrap-around, length, what it leaves alone, and every restriction of the seed, by profile. */
#include "pto/support/check.h"

static const tw_type types[] = { TW_I16, TW_U16, TW_I32, TW_U32 };
static const tw_pto_target targets[] = { TW_PTO_CPU, TW_PTO_A2A3, TW_PTO_A5 };

/* Independent of the library: one subtraction or addition modulo 2^width. */
static uint64_t expected(tw_type type, uint64_t start, uint32_t k, bool descending)
{
    uint64_t value = descending ? start - k : start + k;
    return tw_type_size(type) == 2 ? value & 0xffff : value & 0xffffffff;
}

static uint64_t bits_at(tw_pto *core, tw_pto_tile *t, uint32_t r, uint32_t c)
{
    uint64_t bits = 0;
    memcpy(&bits, (char *)tw_pto_data(core, t) + tw_pto_element(t, r, c), tw_type_size(t->type));
    return bits;
}

static void check_one(tw_pto_target target, tw_type type, uint32_t rows, uint32_t cols, uint32_t valid,
                      uint64_t start, bool descending, bool with_tmp)
{
    tw_pto *core = tw_pto_new(target, 0);
    tw_pto_tile dst = vec_tile(type, rows, cols), tmp = vec_tile(TW_F32, 1, 512);
    dst.valid_rows = rows > 1 ? rows - 1 : 1;
    dst.valid_cols = valid;
    memset(tw_pto_data(core, &dst), 0xab, tw_pto_tile_bytes(&dst));
    OK(tw_pto_tci(core, &dst, tw_pto_bits(type, start), descending, with_tmp ? &tmp : NULL));
    assert_int_equal(tw_pto_last_pipe(core), with_tmp ? TW_PTO_PIPE_V : TW_PTO_PIPE_S);
    for (uint32_t r = 0; r < rows; r++)
        for (uint32_t c = 0; c < cols; c++) {
            uint64_t want = r == 0 && c < valid ? expected(type, start, c, descending)
                                                : UINT64_C(0xabababababababab) >> (64 - 8 * tw_type_size(type));
            if (bits_at(core, &dst, r, c) != want)
                fail_msg("%s %s %ux%u valid %u start %llu element (%u, %u): %llx instead of %llx",
                         tw_pto_target_name(target), tw_type_name(type, TW_SYSTEM_PTO), rows, cols, valid,
                         (unsigned long long)start, r, c, (unsigned long long)bits_at(core, &dst, r, c),
                         (unsigned long long)want);
        }
    tw_pto_free(core);
}

static void pto_tci_values(void **state)
{
    static const uint64_t starts[] = { 0, 1, 100, 32760, 65530, 0x7ffffff8, 0xfffffff8, 0x8000, 0x80000000 };
    static const uint32_t lengths[] = { 0, 1, 16, 63, 64, 65, 128, 600, 2000 };
    (void)state;
    for (size_t p = 0; p < 3; p++)
        for (size_t t = 0; t < 4; t++)
            for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
                for (size_t s = 0; s < sizeof starts / sizeof *starts; s++) {
                    uint64_t start = tw_type_size(types[t]) == 2 ? starts[s] & 0xffff : starts[s];
                    check_one(targets[p], types[t], 1 + (uint32_t)(l + s) % 3, 2048, lengths[l], start, s % 2,
                              l % 2);
                    check_one(targets[p], types[t], 1, 2048, lengths[l], start, l % 2, s % 2);
                }
}

/* What a core keeps of one call is right for the next: another start, direction, place, length or a tmp. */
static void pto_tci_again(void **state)
{
    (void)state;
    for (size_t p = 0; p < 3; p++) {
        tw_pto *core = tw_pto_new(targets[p], 0);
        tw_pto_tile tile[] = { vec_tile(TW_I32, 1, 64), vec_tile(TW_I32, 1, 64), vec_tile(TW_I32, 2, 64) };
        tw_pto_tile tmp = vec_tile(TW_F32, 1, 512);
        for (uint32_t call = 0; call < 64; call++) {
            tw_pto_tile *t = &tile[call / 4 % 3];
            bool descending = call >> 3 & 1, with_tmp = call % 16 == 7;
            uint32_t was = (uint32_t)bits_at(core, t, 0, 63);
            t->valid_cols = call % 5 == 4 ? 63 : 64;
            OK(tw_pto_tci(core, t, tw_pto_i32((int32_t)(call * 7)), descending, with_tmp ? &tmp : NULL));
            for (uint32_t c = 0; c < 64; c++)
                assert_int_equal(bits_at(core, t, 0, c),
                                 c < t->valid_cols ? expected(TW_I32, call * 7, c, descending) : was);
        }
        tw_pto_free(core);
    }
}

/* The four C++ examples of the page on TCI, in C. */
static void pto_tci_page_examples(void **state)
{
    (void)state;
    tw_pto *core = tw_pto_new(TW_PTO_A2A3, 0);
    tw_pto_tile dst = vec_tile(TW_I32, 1, 16), tmp = vec_tile(TW_F32, 1, 512);
    OK(tw_pto_tci(core, &dst, tw_pto_i32(0), false, NULL));
    for (uint32_t k = 0; k < 16; k++) assert_true(get(core, &dst, 0, k) == k);
    OK(tw_pto_tci(core, &dst, tw_pto_i32(0), false, &tmp));
    OK(tw_pto_assign(core, &dst, 0x1000));
    OK(tw_pto_assign(core, &tmp, 0x2000));
    OK(tw_pto_tci(core, &dst, tw_pto_i32(100), true, NULL));
    assert_int_equal(tw_pto_address(core, &dst), 0x1000);
    OK(tw_pto_tci(core, &dst, tw_pto_i32(100), true, &tmp));
    for (uint32_t k = 0; k < 16; k++) assert_true(get(core, &dst, 0, k) == 100 - (int)k);
    tw_pto_free(core);
}

static void pto_tci_restrictions(void **state)
{
    static const tw_type others[] = { TW_F32, TW_F16, TW_BF16, TW_I8, TW_U8, TW_I64, TW_U64 };
    (void)state;
    for (size_t p = 0; p < 3; p++) {
        const char *profile = tw_pto_target_name(targets[p]);
        tw_pto *core = tw_pto_new(targets[p], 0);
        tw_pto_tile dst = vec_tile(TW_I32, 1, 16), tmp = vec_tile(TW_F32, 1, 512);
        for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
            tw_pto_tile other = vec_tile(others[i], 1, 32);
            for (size_t with = 0; with < 2; with++)
                REFUSED(tw_pto_tci(core, &other, tw_pto_scalar_of(others[i], 0), false, with ? &tmp : NULL),
                        "rule type.set", profile);
        }
        for (size_t with = 0; with < 2; with++) {
            REFUSED(tw_pto_tci(core, &dst, tw_pto_bits(TW_U32, 0), false, with ? &tmp : NULL), "rule type.same",
                    profile);
            REFUSED(tw_pto_tci(core, &dst, tw_pto_bits(TW_I16, 0), false, with ? &tmp : NULL), "rule type.same",
                    profile);
        }
        tw_pto_tile narrow = vec_tile(TW_I32, 16, 1);
        narrow.blayout = TW_PTO_COL_MAJOR;
        REFUSED(tw_pto_tci(core, &narrow, tw_pto_i32(0), false, NULL), "rule tci.cols", profile);
        REFUSED(tw_pto_tci(core, &narrow, tw_pto_i32(0), false, &tmp), "rule tci.cols", profile);
        tw_pto_tile cube = tw_pto_tile_of(TW_PTO_MAT, TW_I32, 1, 16);
        REFUSED(tw_pto_tci(core, &cube, tw_pto_i32(0), false, NULL), "rule location.vec", profile);
        assert_int_equal(tw_pto_address(core, &dst), -1); /* nothing was placed: nothing happened */
        tw_pto_free(core);
    }
}

/* A2/A3 judge tmp by its type and bytes, whatever its shape; the others take any. */
static void pto_tci_tmp(void **state)
{
    static const struct {
        tw_type dst, tmp;
        uint32_t rows, cols;
        const char *rule; /* NULL = accepted on a2a3 */
    } rows[] = {
        { TW_I32, TW_F32, 1, 192, NULL },
        { TW_U32, TW_I32, 24, 8, NULL },
        { TW_I32, TW_U32, 1, 184, "tci.tmp-size" },
        { TW_I16, TW_F32, 1, 448, NULL },
        { TW_I16, TW_F32, 1, 440, "tci.tmp-size" },
        { TW_U16, TW_U32, 1, 192, "tci.tmp-size" },
        { TW_I32, TW_F16, 1, 1024, "tci.tmp-type" },
        { TW_I32, TW_I16, 1, 1024, "tci.tmp-type" },
        { TW_I32, TW_I64, 1, 512, "tci.tmp-type" },
        { TW_I32, TW_F32, 1, 512, NULL },
        { TW_U16, TW_F32, 1, 512, NULL },
        { TW_I32, TW_U8, 1, 2048, "tci.tmp-type" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t p = 0; p < 3; p++) {
            tw_pto *core = tw_pto_new(targets[p], 0);
            tw_pto_tile dst = vec_tile(rows[i].dst, 1, 64), tmp = vec_tile(rows[i].tmp, rows[i].rows, rows[i].cols);
            tw_status status = tw_pto_tci(core, &dst, tw_pto_bits(rows[i].dst, 7), false, &tmp);
            if (targets[p] == TW_PTO_A2A3 && rows[i].rule)
                REFUSED(status, rows[i].rule, "profile a2a3");
            else
                OK(status);
            tw_pto_free(core);
        }
    for (size_t p = 0; p < 3; p++) {
        tw_pto *core = tw_pto_new(targets[p], 0);
        tw_pto_tile dst = vec_tile(TW_I32, 1, 64), tmp = vec_tile(TW_F32, 1, 512);
        OK(tw_pto_assign(core, &dst, 0x1000));
        OK(tw_pto_assign(core, &tmp, 0x10e0));
        tw_status status = tw_pto_tci(core, &dst, tw_pto_i32(0), false, &tmp);
        if (targets[p] == TW_PTO_A2A3)
            REFUSED(status, "tmp.overlap", "profile a2a3");
        else
            OK(status);
        tw_pto_free(core);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pto_tci_values),        cmocka_unit_test(pto_tci_again),
        cmocka_unit_test(pto_tci_page_examples), cmocka_unit_test(pto_tci_restrictions),
        cmocka_unit_test(pto_tci_tmp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
