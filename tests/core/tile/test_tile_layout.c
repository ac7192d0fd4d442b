/* SPDX-License-Identifier: MIT */
/* Vector layouts against the guide's chapter 4: known words, every limit from both sides, tables 4.1 to 4.4. The
 * reference encoders below are C bit-fields drawn from the guide's prose, apart from the code under test. */
#include <tilewright/tile/layout.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static const tw_tile_arch *mk1, *mk2;

static int setup(void **state)
{
    (void)state;
    mk1 = tw_tile_arch_by_name("mk1"), mk2 = tw_tile_arch_by_name("mk2");
    return 0;
}

static tw_vector_form form_of(tw_layout layout, unsigned element, unsigned align)
{
    return (tw_vector_form){ layout, element, align, false };
}

/* --- known words ----------------------------------------------------------------------------------------------- */

static void tile_layout_known_words(void **state)
{
    (void)state;
    static const struct {
        const char *arch;
        tw_layout layout;
        unsigned element;
        uint32_t address, count, words[2];
    } rows[] = {
        { "mk2", TW_LAYOUT_SPAN, 4, 0x4C010, 100000, { 0x4C010, 100000 } },
        { "mk2", TW_LAYOUT_SHORT_SPAN, 4, 0x4C010, 2047, { 0xFFE4C010, 0 } },
        { "mk2", TW_LAYOUT_SHORT_SPAN, 1, 0xE7FFF, 1, { 0x002E7FFF, 0 } },
        { "mk2", TW_LAYOUT_ONE_PTR, 2, 0x4C002, 9, { 0x4C002, 0 } },
        { "mk1", TW_LAYOUT_SCALED_PTR32, 4, 0x40000, 1, { 0, 0 } },
        { "mk1", TW_LAYOUT_SCALED_PTR32, 4, 0x7FFFC, 1, { 0xFFFF, 0 } },
        { "mk1", TW_LAYOUT_SCALED_PTR64, 4, 0x40000, 1, { 0x8000, 0 } },
        { "mk1", TW_LAYOUT_SCALED_PTR64, 4, 0x7FFF8, 2, { 0xFFFF, 0 } },
        { "mk1", TW_LAYOUT_SCALED_PTR128, 4, 0x40000, 1, { 0x4000, 0 } },
        { "mk2", TW_LAYOUT_SCALED_PTR128, 4, 0xE7FF0, 4, { 0xE7FF, 0 } },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t words[2], address, count;
        const tw_tile_arch *arch = tw_tile_arch_by_name(rows[i].arch);
        tw_vector_form form = form_of(rows[i].layout, rows[i].element, 0);
        assert_int_equal(tw_vector_encode(arch, &form, rows[i].address, rows[i].count, words), TW_OK);
        assert_int_equal(words[0], rows[i].words[0]);
        assert_int_equal(words[1], rows[i].words[1]);
        assert_int_equal(tw_vector_decode(arch, &form, words, &address, &count), TW_OK);
        assert_int_equal(address, rows[i].address);
        assert_int_equal(count, tw_layout_get(rows[i].layout)->has_count ? rows[i].count : 0);
    }
    uint32_t words[2], word;
    tw_vector_form deltan = form_of(TW_LAYOUT_DELTAN, 1, 0), delta = form_of(TW_LAYOUT_DELTANELEMENTS, 4, 0);
    assert_int_equal(tw_list_encode(mk1, &deltan, 0x40010, 4095, 0x50000, words), TW_OK);
    assert_int_equal(words[0], 0xFFF40010);
    assert_int_equal(words[1], 0x10000 >> 2);
    assert_int_equal(tw_list_encode_row(mk1, &deltan, 0x40010, 0x40013, 16383, &word), TW_OK);
    assert_int_equal(word, 0xFFFC0003);
    assert_int_equal(tw_list_encode(mk2, &delta, 0x4C010, 0x1234, 0x60000, words), TW_OK);
    assert_int_equal(words[0], 0x3404C010);
    assert_int_equal(words[1], 0x12060000);
    assert_int_equal(tw_list_encode_row(mk2, &delta, 0x4C010, 0x4C020, 8191, &word), TW_OK);
    assert_int_equal(word, 0xFFF80004); /* 19 bits of offset in words of four bytes, 13 bits of count */
}

/* --- 4.1: tables ------------------------------------------------------------------------------------------------ */

static void tile_layout_4_1_2_platform_support(void **state)
{
    (void)state;
    static const struct {
        tw_layout layout;
        bool mk1, mk2, size;
    } rows[] = {
        { TW_LAYOUT_SPAN, true, true, true },
        { TW_LAYOUT_SHORT_SPAN, true, true, true },
        { TW_LAYOUT_ONE_PTR, true, true, false },
        { TW_LAYOUT_SCALED_PTR32, true, false, false },
        { TW_LAYOUT_SCALED_PTR64, true, false, false },
        { TW_LAYOUT_SCALED_PTR128, true, true, false },
        { TW_LAYOUT_COMPACT_PTR, true, true, false },
        { TW_LAYOUT_DELTAN, true, false, false },
        { TW_LAYOUT_DELTANELEMENTS, true, true, false },
        { TW_LAYOUT_COMPACT_DELTAN, true, true, false },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tw_vector_form out, form = form_of(rows[i].layout, 1, 16);
        assert_int_equal(tw_layout_available(mk1, rows[i].layout), rows[i].mk1);
        assert_int_equal(tw_layout_available(mk2, rows[i].layout), rows[i].mk2);
        assert_int_equal(tw_layout_available(tw_tile_arch_by_name("ipu21"), rows[i].layout), rows[i].mk2);
        assert_false(tw_layout_available(tw_tile_arch_by_name("cpu"), rows[i].layout));
        assert_int_equal(tw_layout_get(rows[i].layout)->has_size, rows[i].size);
        assert_int_equal(tw_layout_resolve(mk2, &form, &out), rows[i].mk2 ? TW_OK : TW_E_INVALID_ARGUMENT);
        if (rows[i].mk2) continue;
        assert_non_null(strstr(tw_error_message(), tw_layout_get(rows[i].layout)->name));
        assert_non_null(strstr(tw_error_message(), "ipu2"));
        assert_non_null(strstr(tw_error_message(), "Mk1 only"));
    }
    for (int i = TW_LAYOUT_NOT_A_VECTOR + 1; i < TW_LAYOUT_COUNT; i++)
        assert_int_equal(tw_layout_by_name(tw_layout_get((tw_layout)i)->name), i);
    assert_false(tw_layout_available(mk2, TW_LAYOUT_COUNT)); /* no layout at all */
    assert_int_equal(tw_layout_by_name("one_ptr"), TW_LAYOUT_ONE_PTR);
    assert_int_equal(tw_layout_by_name("SCALED_PTR65"), TW_LAYOUT_NOT_A_VECTOR);
    assert_non_null(strstr(tw_error_message(), "SCALED_PTR64"));
    assert_int_equal(tw_layout_by_name(NULL), TW_LAYOUT_NOT_A_VECTOR);
}

static void tile_layout_table_4_2_compact_resolution(void **state)
{
    (void)state;
    static const struct {
        unsigned align;
        tw_layout mk1, mk2;
    } rows[] = {
        { 1, TW_LAYOUT_ONE_PTR, TW_LAYOUT_ONE_PTR },
        { 2, TW_LAYOUT_ONE_PTR, TW_LAYOUT_ONE_PTR },
        { 4, TW_LAYOUT_SCALED_PTR32, TW_LAYOUT_ONE_PTR },
        { 8, TW_LAYOUT_SCALED_PTR64, TW_LAYOUT_ONE_PTR },
        { 16, TW_LAYOUT_SCALED_PTR128, TW_LAYOUT_SCALED_PTR128 },
        { 32, TW_LAYOUT_SCALED_PTR128, TW_LAYOUT_SCALED_PTR128 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tw_vector_form out, form = form_of(TW_LAYOUT_COMPACT_PTR, 1, rows[i].align);
        assert_int_equal(tw_layout_resolve(mk1, &form, &out), TW_OK);
        assert_int_equal(out.layout, rows[i].mk1);
        assert_int_equal(out.min_align, rows[i].align);
        assert_int_equal(tw_layout_resolve(mk2, &form, &out), TW_OK);
        assert_int_equal(out.layout, rows[i].mk2);
    }
    /* The element's own alignment counts: Vector<float, COMPACT_PTR> on Mk1. */
    tw_vector_form out, form = form_of(TW_LAYOUT_COMPACT_PTR, 4, 0);
    assert_int_equal(tw_layout_resolve(mk1, &form, &out), TW_OK);
    assert_int_equal(out.layout, TW_LAYOUT_SCALED_PTR32);
    form = form_of(TW_LAYOUT_COMPACT_DELTAN, 4, 0);
    assert_int_equal(tw_layout_resolve(mk1, &form, &out), TW_OK);
    assert_int_equal(out.layout, TW_LAYOUT_DELTAN);
    assert_int_equal(tw_layout_resolve(mk2, &form, &out), TW_OK);
    assert_int_equal(out.layout, TW_LAYOUT_DELTANELEMENTS);
}

static void tile_layout_4_1_3_min_align(void **state)
{
    (void)state;
    static const struct {
        tw_layout layout;
        unsigned element, align, want; /* 0 = refused */
    } rows[] = {
        { TW_LAYOUT_SPAN, 1, 0, 1 },
        { TW_LAYOUT_SHORT_SPAN, 1, 0, 1 },
        { TW_LAYOUT_ONE_PTR, 1, 0, 1 },
        { TW_LAYOUT_SCALED_PTR32, 1, 0, 4 },
        { TW_LAYOUT_SCALED_PTR64, 1, 0, 8 },
        { TW_LAYOUT_SCALED_PTR128, 1, 0, 16 },
        { TW_LAYOUT_SPAN, 4, 0, 4 },
        { TW_LAYOUT_SPAN, 8, 4, 8 },
        { TW_LAYOUT_ONE_PTR, 2, 8, 8 },
        { TW_LAYOUT_SCALED_PTR32, 8, 0, 8 },
        { TW_LAYOUT_SCALED_PTR64, 1, 4, 0 },
        { TW_LAYOUT_SCALED_PTR64, 8, 4, 8 },
        { TW_LAYOUT_SCALED_PTR128, 1, 8, 0 },
        { TW_LAYOUT_SPAN, 1, 3, 0 },
        { TW_LAYOUT_SPAN, 3, 0, 0 },
        { TW_LAYOUT_SPAN, 0, 0, 0 },
        { TW_LAYOUT_SPAN, 32, 0, 0 },
        { TW_LAYOUT_DELTAN, 2, 0, 2 },
        { TW_LAYOUT_SPAN, 1, 1u << 31, 0 },
        { TW_LAYOUT_NOT_A_VECTOR, 4, 0, 0 },
        { TW_LAYOUT_SPAN, 1, 1u << 18, 1u << 18 }, /* all of the tile's 256 KB, and no more */
        { TW_LAYOUT_SPAN, 1, 1u << 19, 0 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tw_vector_form out = { 0 }, form = form_of(rows[i].layout, rows[i].element, rows[i].align);
        tw_status status = tw_layout_resolve(mk1, &form, &out);
        assert_int_equal(status, rows[i].want ? TW_OK : TW_E_INVALID_ARGUMENT);
        if (rows[i].want)
            assert_int_equal(out.min_align, rows[i].want);
        else
            assert_true(*tw_error_message() != 0);
    }
}

static void tile_layout_4_1_4_interleaved(void **state)
{
    (void)state;
    uint32_t words[2];
    tw_vector_form form = { TW_LAYOUT_ONE_PTR, 4, 0, true };
    assert_int_equal(tw_vector_encode(mk2, &form, 0x80000, 4, words), TW_OK);
    assert_int_equal(tw_vector_encode(mk2, &form, 0x7FFFC, 1, words), TW_E_INDEX);
    assert_non_null(strstr(tw_error_message(), "interleaved"));
    assert_int_equal(tw_vector_encode(mk1, &form, 0x60000, 4, words), TW_OK);
    assert_int_equal(tw_vector_encode(mk1, &form, 0x5FFFC, 2, words), TW_E_INDEX);
    form.interleaved = false;
    assert_int_equal(tw_vector_encode(mk2, &form, 0x7FFFC, 2, words), TW_OK);
}

/* --- 4.2: limits ---------------------------------------------------------------------------------------------- */

static void tile_layout_4_2_2_limits(void **state)
{
    (void)state;
    static const struct {
        const char *arch;
        tw_layout layout;
        unsigned element, align;
        uint32_t address, count;
        tw_status want;
        const char *says;
    } rows[] = {
        { "mk2", TW_LAYOUT_SHORT_SPAN, 4, 0, 0x4C010, 2047, TW_OK, "" },
        { "mk2", TW_LAYOUT_SHORT_SPAN, 4, 0, 0x4C010, 2048, TW_E_OVERFLOW, "2,048 elements, at most 2,047" },
        { "mk2", TW_LAYOUT_SPAN, 1, 0, 0x4C000, 638976, TW_OK, "" },
        { "mk2", TW_LAYOUT_SPAN, 1, 0, 0x4C000, 638977, TW_E_INDEX, "638,977 elements" },
        { "mk2", TW_LAYOUT_SPAN, 4, 0, 0x4C000, 0xFFFFFFFF, TW_E_INDEX, "not in the memory" },
        { "mk2", TW_LAYOUT_SPAN, 1, 0, 0x4BFFF, 1, TW_E_INDEX, "0x4C000 to 0xE7FFF" },
        { "mk2", TW_LAYOUT_SPAN, 1, 0, 0xE7FFF, 1, TW_OK, "" },
        { "mk2", TW_LAYOUT_SPAN, 1, 0, 0xE8000, 1, TW_E_INDEX, "0xE8000" },
        { "mk2", TW_LAYOUT_SPAN, 1, 0, 0xE8000, 0, TW_E_INDEX, "0xE8000" },
        { "mk1", TW_LAYOUT_SPAN, 1, 0, 0x3FFFF, 1, TW_E_INDEX, "0x40000 to 0x7FFFF" },
        { "mk1", TW_LAYOUT_SPAN, 1, 0, 0x80000, 1, TW_E_INDEX, "0x80000" },
        { "mk1", TW_LAYOUT_SPAN, 1, 0, 0, 0, TW_OK, "" }, /* nothing */
        { "mk1", TW_LAYOUT_SPAN, 1, 0, 0, 1, TW_E_INDEX, "0x0" },
        { "mk1", TW_LAYOUT_SPAN, 2, 0, 0x40001, 1, TW_E_INDEX, "multiple of 2" },
        { "mk1", TW_LAYOUT_ONE_PTR, 4, 0, 0x40002, 1, TW_E_INDEX, "multiple of 4" },
        { "mk1", TW_LAYOUT_SCALED_PTR32, 1, 0, 0x40002, 1, TW_E_INDEX, "SCALED_PTR32" },
        { "mk1", TW_LAYOUT_SCALED_PTR64, 1, 0, 0x40004, 1, TW_E_INDEX, "multiple of 8" },
        { "mk1", TW_LAYOUT_SCALED_PTR128, 1, 0, 0x40008, 1, TW_E_INDEX, "multiple of 16" },
        { "mk2", TW_LAYOUT_SCALED_PTR128, 1, 0, 0x4C010, 1, TW_OK, "" },
        { "mk2", TW_LAYOUT_SCALED_PTR64, 1, 0, 0x4C010, 1, TW_E_INVALID_ARGUMENT, "not available on ipu2" },
        { "mk2", TW_LAYOUT_DELTANELEMENTS, 1, 0, 0x4C010, 1, TW_E_INVALID_ARGUMENT, "VectorList" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t words[2];
        tw_vector_form form = form_of(rows[i].layout, rows[i].element, rows[i].align);
        tw_status status =
            tw_vector_encode(tw_tile_arch_by_name(rows[i].arch), &form, rows[i].address, rows[i].count, words);
        if (status != rows[i].want) fail_msg("row %zu: %d, %s", i, status, tw_error_message());
        if (status != TW_OK && !strstr(tw_error_message(), rows[i].says))
            fail_msg("row %zu: '%s' does not say '%s'", i, tw_error_message(), rows[i].says);
    }
}

/* A tile with more memory than the pointers reach: the layouts disappear one after the other. */
static void tile_layout_4_2_1_address_space(void **state)
{
    (void)state;
    static const struct {
        uint32_t base;
        unsigned bytes;
        bool short_span, p32, p64, p128, deltan, elements;
    } rows[] = {
        { 0x40000, 0x40000, true, true, true, true, true, true },
        { 0x40000, 0x40004, true, false, false, true, false, true },
        { 0x44000, 0x3C000, true, false, true, true, false, true },
        { 0x80000, 0x40000, true, true, false, true, true, true },
        { 0x40000, 0xC0000, true, false, false, true, false, true },
        { 0x40000, 0xC0010, false, false, false, false, false, true },
        { 0x40000, 0x1C0000, false, false, false, false, false, true },
        { 0x40000, 0x1C0010, false, false, false, false, false, false },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tw_tile_arch arch = *mk1;
        arch.base_address = rows[i].base, arch.bytes_per_tile = rows[i].bytes;
        assert_int_equal(tw_layout_available(&arch, TW_LAYOUT_SHORT_SPAN), rows[i].short_span);
        assert_int_equal(tw_layout_available(&arch, TW_LAYOUT_SCALED_PTR32), rows[i].p32);
        assert_int_equal(tw_layout_available(&arch, TW_LAYOUT_SCALED_PTR64), rows[i].p64);
        assert_int_equal(tw_layout_available(&arch, TW_LAYOUT_SCALED_PTR128), rows[i].p128);
        assert_int_equal(tw_layout_available(&arch, TW_LAYOUT_DELTAN), rows[i].deltan);
        assert_int_equal(tw_layout_available(&arch, TW_LAYOUT_DELTANELEMENTS), rows[i].elements);
        assert_true(tw_layout_available(&arch, TW_LAYOUT_SPAN));
    }
}

static void tile_layout_table_4_4_delta_elements(void **state)
{
    (void)state;
    static const struct {
        unsigned element, align, offset_bits, count_bits;
    } rows[] = { { 1, 0, 21, 11 },  { 2, 0, 20, 12 }, { 4, 0, 19, 13 },  { 8, 0, 18, 14 },
                 { 16, 0, 17, 15 }, { 1, 4, 19, 13 }, { 2, 16, 17, 15 }, { 4, 32, 16, 16 } };
    tw_tile_arch wide = *mk2; /* all 2 MB that 21 bits can address */
    wide.base_address = 0, wide.bytes_per_tile = 0x200000;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tw_vector_form form = form_of(TW_LAYOUT_DELTANELEMENTS, rows[i].element, rows[i].align), out;
        uint32_t word, address, count, most = (1u << rows[i].count_bits) - 1;
        unsigned unit = rows[i].align ? rows[i].align : rows[i].element;
        assert_int_equal(21 - __builtin_ctz(unit), rows[i].offset_bits);
        assert_int_equal(tw_layout_resolve(mk2, &form, &out), TW_OK);
        assert_int_equal(tw_layout_max_row(&out), most);
        assert_int_equal(tw_list_encode_row(mk2, &form, 0x80000, 0x80000 + 3 * unit, 5, &word), TW_OK);
        assert_int_equal(word, 3 | 5u << rows[i].offset_bits);
        assert_int_equal(tw_list_encode_row(&wide, &form, 0, unit, most, &word), TW_OK);
        assert_int_equal(word, 1 | most << rows[i].offset_bits);
        assert_int_equal(tw_list_encode_row(&wide, &form, 0, unit, most + 1, &word), TW_E_OVERFLOW);
        assert_non_null(strstr(tw_error_message(), "DELTANELEMENTS"));
        /* the last unit of the address space is the largest offset */
        assert_int_equal(tw_list_encode_row(&wide, &form, 0, 0x200000 - unit, 1, &word), TW_OK);
        assert_int_equal(word & ((1u << rows[i].offset_bits) - 1), (1u << rows[i].offset_bits) - 1);
        assert_int_equal(tw_list_decode_row(&wide, &form, 0, word, &address, &count), TW_OK);
        assert_int_equal(address, 0x200000 - unit);
        assert_int_equal(count, 1);
    }
    /* reserved bits are not assumed to be zero (figure 4.5) */
    tw_vector_form form = form_of(TW_LAYOUT_DELTANELEMENTS, 4, 0);
    uint32_t words[2] = { 0x3404C010 | 0xE00000, 0x12060000 | 0xE00000 }, base, rows_read, table;
    assert_int_equal(tw_list_decode(mk2, &form, words, &base, &rows_read, &table), TW_OK);
    assert_int_equal(base, 0x4C010);
    assert_int_equal(rows_read, 0x1234);
    assert_int_equal(table, 0x60000);
    uint32_t full[2] = { 0xFFE4C010 | 1u << 20, 0 }, address, count;
    tw_vector_form span = form_of(TW_LAYOUT_SHORT_SPAN, 4, 0);
    assert_int_equal(tw_vector_decode(mk2, &span, full, &address, &count), TW_OK);
    assert_int_equal(address, 0x4C010);
    assert_int_equal(count, 2047);
}

static void tile_layout_4_2_4_list_limits(void **state)
{
    (void)state;
    uint32_t words[2], word, address, count;
    tw_vector_form deltan = form_of(TW_LAYOUT_DELTAN, 1, 0), delta = form_of(TW_LAYOUT_DELTANELEMENTS, 1, 0);
    assert_int_equal(tw_list_encode(mk1, &deltan, 0x40000, 4095, 0x50000, words), TW_OK);
    assert_int_equal(tw_list_encode(mk1, &deltan, 0x40000, 4096, 0x50000, words), TW_E_OVERFLOW);
    assert_non_null(strstr(tw_error_message(), "4,096 sub-vectors, at most 4,095"));
    assert_int_equal(tw_list_encode_row(mk1, &deltan, 0x40000, 0x40000, 16383, &word), TW_OK);
    assert_int_equal(tw_list_encode_row(mk1, &deltan, 0x40000, 0x40000, 16384, &word), TW_E_OVERFLOW);
    assert_non_null(strstr(tw_error_message(), "at most 16,383"));
    assert_int_equal(tw_list_encode_row(mk1, &deltan, 0x40000, 0x7FFFF, 1, &word), TW_OK);
    assert_int_equal(word, 1u << 18 | 0x3FFFF);
    assert_int_equal(tw_list_encode_row(mk1, &deltan, 0x40001, 0x40000, 1, &word), TW_E_INDEX);
    assert_int_equal(tw_list_encode(mk2, &delta, 0x4C000, 65535, 0x80000, words), TW_OK);
    assert_int_equal(tw_list_encode(mk2, &delta, 0x4C000, 65536, 0x80000, words), TW_E_OVERFLOW);
    assert_non_null(strstr(tw_error_message(), "at most 65,535"));
    assert_int_equal(tw_list_encode(mk2, &delta, 0x4C000, 2, 0x80002, words), TW_E_INDEX);
    assert_int_equal(tw_list_encode(mk2, &delta, 0x4C000, 2, 0xE7FFC, words), TW_E_INDEX);
    assert_int_equal(tw_list_encode(mk2, &delta, 0x4C000, 1, 0xE7FFC, words), TW_OK);
    assert_int_equal(tw_list_encode(mk2, &deltan, 0x4C000, 1, 0xE7FFC, words), TW_E_INVALID_ARGUMENT);
    assert_int_equal(tw_list_encode(mk2, &delta, 0, 0, 0, words), TW_OK);
    assert_int_equal(words[0] | words[1], 0);
    /* a row without elements */
    assert_int_equal(tw_list_encode_row(mk2, &delta, 0x4C000, 0, 0, &word), TW_OK);
    assert_int_equal(word, 0);
    assert_int_equal(tw_list_decode_row(mk2, &delta, 0x4C000, 0, &address, &count), TW_OK);
    assert_int_equal(count, 0);
}

static void tile_layout_7_5_3_division_by_six(void **state)
{
    (void)state;
    uint32_t quotient;
    uint16_t packed;
    for (uint32_t n = 0; n < 98304; n++) {
        assert_int_equal(tw_div6(n, &quotient), TW_OK);
        if (quotient != n / 6) fail_msg("%u", n);
    }
    assert_int_equal(tw_div6(98304, &quotient), TW_E_OVERFLOW);
    assert_true(UINT32_C(98304) * 0xAAAB >> 18 != 98304 / 6); /* the limit is a real one */
    for (uint32_t n = 0; n <= 49151; n++) {
        uint32_t next = 0;
        assert_int_equal(tw_div6_pack(n, &packed), TW_OK);
        if (packed >> 3 != n / 6 || (packed & 7) != n % 6) fail_msg("%u", n);
        for (unsigned worker = 0; worker < 6; worker++) {
            uint32_t begin, count;
            tw_div6_share(packed, worker, &begin, &count);
            if (begin != next || count > n / 6 + 1 || count < n / 6) fail_msg("%u, worker %u", n, worker);
            next = begin + count;
        }
        if (next != n) fail_msg("%u", n);
    }
    assert_int_equal(tw_div6_pack(49152, &packed), TW_E_OVERFLOW);
}

static uint64_t bits_of(uint64_t word, unsigned high, unsigned low)
{
    return word >> low & (high - low == 63 ? UINT64_MAX : (UINT64_C(1) << (high - low + 1)) - 1);
}

/* Where the description says that a part lies, there it is. */
static void tile_layout_described(void **state)
{
    (void)state;
    static const tw_layout layouts[] = { TW_LAYOUT_SPAN,         TW_LAYOUT_SHORT_SPAN,   TW_LAYOUT_ONE_PTR,
                                         TW_LAYOUT_SCALED_PTR32, TW_LAYOUT_SCALED_PTR64, TW_LAYOUT_SCALED_PTR128 };
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        tw_vector_form form = { layouts[i], 4, 16, false };
        uint32_t address = 0x40000 + 0x1230 + 16 * (uint32_t)i, words[2];
        uint32_t count = layouts[i] == TW_LAYOUT_SPAN || layouts[i] == TW_LAYOUT_SHORT_SPAN ? 77 : 1;
        char text[256];
        unsigned ph, pl, ch, cl, fh, fl;
        assert_int_equal(tw_vector_encode(mk1, &form, address, count, words), TW_OK);
        uint64_t word = words[0] | (uint64_t)words[1] << 32;
        tw_layout_describe(&form, text, sizeof text);
        if (sscanf(text, "pointer bits [%u:%u] in [%u:%u]", &fh, &fl, &ph, &pl) == 4) {
            assert_int_equal(bits_of(word, ph, pl), bits_of(address, fh, fl));
        } else {
            assert_int_equal(sscanf(text, "pointer [%u:%u]", &ph, &pl), 2);
            assert_int_equal(bits_of(word, ph, pl), address);
            const char *part = strstr(text, "count [");
            assert_int_equal(part != NULL, count != 1); /* the others hold no count */
            if (part) assert_int_equal(sscanf(part, "count [%u:%u]", &ch, &cl), 2);
            if (part) assert_int_equal(bits_of(word, ch, cl), count);
        }
    }
    /* Rows of lists: 18 bits of bytes on Mk1; 21 bits of the address less those that the alignment fixes. */
    static const struct {
        tw_layout layout;
        unsigned align, high;
        const char *unit;
    } lists[] = {
        { TW_LAYOUT_DELTANELEMENTS, 1, 20, "1 byte," },
        { TW_LAYOUT_DELTANELEMENTS, 4, 18, "4 bytes," },
        { TW_LAYOUT_DELTANELEMENTS, 8, 17, "8 bytes," },
    };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        tw_vector_form form = { lists[i].layout, lists[i].align, lists[i].align, false };
        char text[256];
        unsigned high, low, from;
        tw_layout_describe(&form, text, sizeof text);
        const char *offset = strstr(text, "offset ["), *count = strstr(text, "count [31:");
        assert_true(offset && count && strstr(text, lists[i].unit));
        assert_int_equal(sscanf(offset, "offset [%u:%u]", &high, &low), 2);
        assert_int_equal(sscanf(count, "count [31:%u]", &from), 1);
        assert_int_equal(high, lists[i].high);
        assert_int_equal(low, 0);
        assert_int_equal(from, high + 1);
        uint32_t word;
        assert_int_equal(tw_list_encode_row(mk1, &form, 0x50000, 0x50000 + 24, 5, &word), TW_OK);
        assert_int_equal(bits_of(word, high, 0), 24 / lists[i].align);
        assert_int_equal(bits_of(word, 31, from), 5);
    }
}

/* Messages of lists say how many, how many bits there are and in which unit. */
static void tile_layout_list_messages(void **state)
{
    (void)state;
    tw_vector_form delta = { TW_LAYOUT_DELTAN, 4, 4, false }, elements = { TW_LAYOUT_DELTANELEMENTS, 4, 4, false };
    uint32_t words[2], word;
    assert_int_equal(tw_list_encode(mk1, &elements, 0x50000, 65536, 0x60000, words), TW_E_OVERFLOW);
    assert_non_null(strstr(tw_error_message(), "65,536 sub-vectors, at most 65,535 fit into 16 bits"));
    assert_int_equal(tw_list_encode(mk1, &delta, 0x50000, 4096, 0x60000, words), TW_E_OVERFLOW);
    assert_non_null(strstr(tw_error_message(), "4,096 sub-vectors, at most 4,095 fit into 12 bits"));
    assert_int_equal(tw_list_encode_row(mk1, &delta, 0x40000, 0x7fff0 + 12, 1, &word), TW_OK);
    /* Rows before the base, and between two multiples. */
    assert_int_equal(tw_list_encode_row(mk1, &elements, 0x50000, 0x4fffc, 1, &word), TW_E_INDEX);
    assert_int_equal(tw_list_encode_row(mk1, &elements, 0x50002, 0x50004, 1, &word), TW_E_INDEX);
    assert_non_null(strstr(tw_error_message(), "not a multiple of 4 bytes after the base 0x50002"));
    /* A form that is none is refused in both directions. */
    tw_vector_form wrong = { TW_LAYOUT_DELTANELEMENTS, 4, 3, false };
    tw_row row = { 0x50000, 4 };
    uint8_t bytes[8] = { 0 };
    assert_int_not_equal(tw_rows_encode(mk1, TW_LAYOUT_NOT_A_VECTOR, &wrong, &row, 1, 0x60000, words, bytes),
                         TW_OK);
    assert_int_not_equal(tw_rows_decode(mk1, TW_LAYOUT_NOT_A_VECTOR, &wrong, words, bytes, 0, &row), TW_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tile_layout_known_words),
        cmocka_unit_test(tile_layout_4_1_2_platform_support),
        cmocka_unit_test(tile_layout_table_4_2_compact_resolution),
        cmocka_unit_test(tile_layout_4_1_3_min_align),
        cmocka_unit_test(tile_layout_4_1_4_interleaved),
        cmocka_unit_test(tile_layout_4_2_1_address_space),
        cmocka_unit_test(tile_layout_4_2_2_limits),
        cmocka_unit_test(tile_layout_table_4_4_delta_elements),
        cmocka_unit_test(tile_layout_4_2_4_list_limits),
        cmocka_unit_test(tile_layout_7_5_3_division_by_six),
        cmocka_unit_test(tile_layout_described),
        cmocka_unit_test(tile_layout_list_messages),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
