/* SPDX-License-Identifier: MIT */
/* Two-dimensional fields as bytes (guide 4.2.3, 4.2.4), worked out by hand from the figures, and the messages of
 * every refusal, word by word. test_tile_layout_random.c compares random fields with reference encoders. */
#include <tilewright/tile/layout.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define LIST TW_LAYOUT_NOT_A_VECTOR

/* A field of three rows, one of them empty, with its bytes. */
static void tile_layout_rows_bytes(void **state)
{
    (void)state;
    static const tw_row rows[] = { { 0x60020, 3 }, { 0, 0 }, { 0x60010, 2 } };
    static const struct {
        const char *arch;
        tw_layout outer, layout;
        unsigned element, align, table_align;
        uint32_t words[2];
        size_t bytes;
        uint8_t table[24];
    } fields[] = {
        /* base 0x60010, 3 rows, table 0x70000; offsets in bytes [17:0], counts [31:18] */
        { "mk1",
          LIST,
          TW_LAYOUT_DELTAN,
          4,
          0,
          4,
          { 0x00360010, 0xC000 },
          12,
          { 0x10, 0, 0x0C, 0, 0, 0, 0, 0, 0, 0, 0x08, 0 } },
        /* offsets in elements [18:0], counts [31:19] */
        { "mk2",
          LIST,
          TW_LAYOUT_DELTANELEMENTS,
          4,
          0,
          4,
          { 0x03060010, 0x00070000 },
          12,
          { 0x04, 0, 0x18, 0, 0, 0, 0, 0, 0, 0, 0x10, 0 } },
        { "mk2",
          LIST,
          TW_LAYOUT_DELTANELEMENTS,
          4,
          16,
          4,
          { 0x03060010, 0x00070000 },
          12,
          { 0x01, 0, 0x06, 0, 0, 0, 0, 0, 0, 0, 0x04, 0 } },
        { "mk2", TW_LAYOUT_SPAN, TW_LAYOUT_SPAN, 4, 0, 8, { 0x70000, 3 }, 24, { 0x20, 0, 6, 0, 3, 0, 0, 0,
                                                                                0,    0, 0, 0, 0, 0, 0, 0,
                                                                                0x10, 0, 6, 0, 2, 0, 0, 0 } },
        { "mk2",
          TW_LAYOUT_ONE_PTR,
          TW_LAYOUT_SHORT_SPAN,
          4,
          0,
          4,
          { 0x70000, 0 },
          12,
          { 0x20, 0, 0x66, 0, 0, 0, 0, 0, 0x10, 0, 0x46, 0 } },
        { "mk1",
          TW_LAYOUT_SCALED_PTR64,
          TW_LAYOUT_ONE_PTR,
          4,
          0,
          8,
          { 0xE000, 0 },
          12,
          { 0x20, 0, 6, 0, 0, 0, 0, 0, 0x10, 0, 6, 0 } },
        { "mk1",
          TW_LAYOUT_SPAN,
          TW_LAYOUT_SCALED_PTR32,
          4,
          0,
          2,
          { 0x70000, 3 },
          6,
          { 0x08, 0x80, 0, 0, 0x04, 0x80 } },
    };
    for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) {
        const tw_tile_arch *arch = tw_tile_arch_by_name(fields[k].arch);
        tw_vector_form form = { fields[k].layout, fields[k].element, fields[k].align, false };
        size_t size = 0;
        unsigned align = 0;
        uint32_t words[2] = { 1, 1 };
        if (tw_rows_table_bytes(arch, fields[k].outer, &form, 3, &size, &align))
            fail_msg("field %zu: %s", k, tw_error_message());
        assert_int_equal(size, fields[k].bytes);
        if (align != fields[k].table_align) fail_msg("field %zu: alignment %u", k, align);
        assert_int_equal(tw_rows_table_bytes(arch, fields[k].outer, &form, 3, &size, NULL), TW_OK);
        uint8_t *bytes = malloc(size);
        assert_non_null(bytes);
        if (tw_rows_encode(arch, fields[k].outer, &form, rows, 3, 0x70000, words, bytes))
            fail_msg("field %zu: %s", k, tw_error_message());
        if (words[0] != fields[k].words[0] || words[1] != fields[k].words[1])
            fail_msg("field %zu: words %x %x", k, words[0], words[1]);
        for (size_t i = 0; i < size; i++)
            if (bytes[i] != fields[k].table[i]) fail_msg("field %zu: byte %zu is %x", k, i, bytes[i]);
        for (uint32_t i = 0; i < 3; i++) {
            tw_row row = { 9, 9 };
            if (tw_rows_decode(arch, fields[k].outer, &form, words, bytes, i, &row))
                fail_msg("field %zu: %s", k, tw_error_message());
            bool has_count = fields[k].outer == LIST || fields[k].layout == TW_LAYOUT_SPAN ||
                             fields[k].layout == TW_LAYOUT_SHORT_SPAN;
            if (rows[i].count && row.address != rows[i].address) fail_msg("field %zu: row at %x", k, row.address);
            if (row.count != (has_count ? rows[i].count : 0)) fail_msg("field %zu: %u elements", k, row.count);
        }
        free(bytes);
    }
}

/* The base is the lowest row with elements, wherever it stands; without any it is where the memory begins. */
static void tile_layout_rows_base(void **state)
{
    (void)state;
    static const struct {
        tw_row rows[3];
        uint32_t base;
    } fields[] = { { { { 0x60020, 1 }, { 0x60010, 1 }, { 0x60030, 1 } }, 0x60010 },
                   { { { 0x60010, 1 }, { 0x60020, 1 }, { 0x60030, 1 } }, 0x60010 },
                   { { { 0x60030, 1 }, { 0x60020, 1 }, { 0x60010, 1 } }, 0x60010 },
                   { { { 0x50000, 0 }, { 0x60020, 1 }, { 0, 0 } }, 0x60020 },
                   { { { 0, 0 }, { 0, 0 }, { 0x50000, 0 } }, 0x4C000 } };
    const tw_tile_arch *mk2 = tw_tile_arch_by_name("mk2");
    tw_vector_form form = { TW_LAYOUT_DELTANELEMENTS, 8, 16, false };
    for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) {
        uint32_t words[2], base, count, table;
        uint8_t bytes[12];
        if (tw_rows_encode(mk2, LIST, &form, fields[k].rows, 3, 0x70000, words, bytes))
            fail_msg("field %zu: %s", k, tw_error_message());
        assert_int_equal(tw_list_decode(mk2, &form, words, &base, &count, &table), TW_OK);
        if (base != fields[k].base) fail_msg("field %zu: base %x", k, base);
        assert_int_equal(count, 3);
        assert_int_equal(table, 0x70000);
    }
}

typedef struct refusal {
    const char *arch;
    tw_layout outer;
    tw_vector_form form;
    tw_row rows[2];
    uint32_t table;
    tw_status status;
    const char *message;
} refusal;

static void tile_layout_rows_refused(void **state)
{
    (void)state;
    static const refusal refusals[] = {
        { "mk2",
          LIST,
          { TW_LAYOUT_SPAN, 4, 0, false },
          { { 0 } },
          0x70000,
          TW_E_INVALID_ARGUMENT,
          "SPAN is a layout of Vector, not of VectorList" },
        { "mk2",
          TW_LAYOUT_SPAN,
          { TW_LAYOUT_DELTANELEMENTS, 4, 0, false },
          { { 0 } },
          0x70000,
          TW_E_INVALID_ARGUMENT,
          "DELTANELEMENTS is a layout of VectorList, not of Vector" },
        { "mk2",
          TW_LAYOUT_SCALED_PTR64,
          { TW_LAYOUT_SPAN, 4, 0, false },
          { { 0 } },
          0x70000,
          TW_E_INVALID_ARGUMENT,
          "SCALED_PTR64 is not available on ipu2 (Mk1 only, guide tables 4.1 and 4.3)" },
        { "mk2",
          LIST,
          { TW_LAYOUT_DELTANELEMENTS, 4, 0, false },
          { { 0x60000, 1 }, { 0x60002, 1 } },
          0x70000,
          TW_E_INDEX,
          "DELTANELEMENTS: 1 element of 4 bytes at 0x60002: the address is not a multiple of 4" },
        { "mk2",
          LIST,
          { TW_LAYOUT_DELTANELEMENTS, 4, 16, false },
          { { 0x60008, 2 } },
          0x70000,
          TW_E_INDEX,
          "DELTANELEMENTS: 2 elements of 4 bytes at 0x60008: the address is not a multiple of 16" },
        { "mk2",
          LIST,
          { TW_LAYOUT_DELTANELEMENTS, 1, 0, false },
          { { 0xE8000, 1 } },
          0x70000,
          TW_E_INDEX,
          "DELTANELEMENTS: the base at 0xE8000: not in the memory of ipu2, 0x4C000 to 0xE7FFF" },
        { "mk2",
          LIST,
          { TW_LAYOUT_DELTANELEMENTS, 1, 0, false },
          { { 0xE7FFF, 2 } },
          0x70000,
          TW_E_INDEX,
          "DELTANELEMENTS: 2 elements of 1 byte at 0xE7FFF: not in the memory of ipu2, 0x4C000 to 0xE7FFF" },
        { "mk2",
          LIST,
          { TW_LAYOUT_DELTANELEMENTS, 1, 0, false },
          { { 0x60000, 2048 } },
          0x70000,
          TW_E_OVERFLOW,
          "DELTANELEMENTS: 2,048 elements, at most 2,047 fit into 11 bits" },
        { "mk1",
          LIST,
          { TW_LAYOUT_DELTAN, 1, 0, false },
          { { 0x60000, 16384 } },
          0x70000,
          TW_E_OVERFLOW,
          "DELTAN: 16,384 elements, at most 16,383 fit into 14 bits" },
        { "mk2",
          LIST,
          { TW_LAYOUT_DELTANELEMENTS, 4, 0, true },
          { { 0x7FFFC, 1 } },
          0x70000,
          TW_E_INDEX,
          "DELTANELEMENTS: the base at 0x7FFFC: not in interleaved memory" },
        { "mk2",
          LIST,
          { TW_LAYOUT_DELTANELEMENTS, 4, 0, false },
          { { 0x60000, 1 } },
          0x70002,
          TW_E_INDEX,
          "DELTANELEMENTS: the table of rows at 0x70002: the address is not a multiple of 4" },
        { "mk2",
          LIST,
          { TW_LAYOUT_DELTANELEMENTS, 4, 0, false },
          { { 0x60000, 1 } },
          0xE7FFC,
          TW_E_INDEX,
          "DELTANELEMENTS: the table of rows at 0xE7FFC: not in the memory of ipu2, 0x4C000 to 0xE7FFF" },
        { "mk2",
          TW_LAYOUT_SPAN,
          { TW_LAYOUT_SHORT_SPAN, 4, 0, false },
          { { 0x60000, 2048 } },
          0x70000,
          TW_E_OVERFLOW,
          "SHORT_SPAN: 2,048 elements, at most 2,047 fit into 11 bits" },
        { "mk2",
          TW_LAYOUT_SPAN,
          { TW_LAYOUT_SHORT_SPAN, 4, 0, false },
          { { 0x60000, 1 } },
          0x70002,
          TW_E_INDEX,
          "SPAN: 2 elements of 4 bytes at 0x70002: the address is not a multiple of 4" },
        { "mk2",
          TW_LAYOUT_SPAN,
          { TW_LAYOUT_COUNT, 4, 0, false },
          { { 0 } },
          0x70000,
          TW_E_INVALID_ARGUMENT,
          "layout 11 is not a vector layout" },
        { "mk2",
          LIST,
          { TW_LAYOUT_DELTANELEMENTS, 3, 0, false },
          { { 0 } },
          0x70000,
          TW_E_INVALID_ARGUMENT,
          "DELTANELEMENTS: elements of 3 bytes; 1, 2, 4, 8 and 16 are possible" },
        { "mk2",
          LIST,
          { TW_LAYOUT_DELTANELEMENTS, 32, 0, false },
          { { 0 } },
          0x70000,
          TW_E_INVALID_ARGUMENT,
          "DELTANELEMENTS: elements of 32 bytes; 1, 2, 4, 8 and 16 are possible" },
        { "mk2",
          LIST,
          { TW_LAYOUT_DELTANELEMENTS, 4, 24, false },
          { { 0 } },
          0x70000,
          TW_E_INVALID_ARGUMENT,
          "DELTANELEMENTS: alignment 24 is not a power of two within a tile's 638976 bytes" },
        { "mk2",
          LIST,
          { TW_LAYOUT_DELTANELEMENTS, 4, 1 << 20, false },
          { { 0 } },
          0x70000,
          TW_E_INVALID_ARGUMENT,
          "DELTANELEMENTS: alignment 1048576 is not a power of two within a tile's 638976 bytes" },
    };
    for (size_t k = 0; k < sizeof refusals / sizeof *refusals; k++) {
        const refusal *r = &refusals[k];
        uint32_t words[2];
        uint8_t bytes[16];
        tw_status status =
            tw_rows_encode(tw_tile_arch_by_name(r->arch), r->outer, &r->form, r->rows, 2, r->table, words, bytes);
        if (status != r->status || strcmp(tw_error_message(), r->message) != 0)
            fail_msg("refusal %zu: %d, \"%s\"", k, status, tw_error_message());
    }
}

/* Size of the table: a form that is refused is refused here, too, of the inner and of the outer vector. */
static void tile_layout_rows_table(void **state)
{
    (void)state;
    const tw_tile_arch *mk2 = tw_tile_arch_by_name("mk2");
    tw_vector_form list = { TW_LAYOUT_DELTANELEMENTS, 4, 0, false }, span = { TW_LAYOUT_SPAN, 4, 0, false };
    size_t bytes;
    unsigned align;
    assert_int_equal(tw_rows_table_bytes(mk2, LIST, &span, 1, &bytes, &align), TW_E_INVALID_ARGUMENT);
    assert_int_equal(tw_rows_table_bytes(mk2, TW_LAYOUT_SPAN, &list, 1, &bytes, &align), TW_E_INVALID_ARGUMENT);
    assert_int_equal(tw_rows_table_bytes(mk2, TW_LAYOUT_SCALED_PTR64, &span, 1, &bytes, &align),
                     TW_E_INVALID_ARGUMENT);
    assert_int_equal(tw_rows_table_bytes(mk2, LIST, &list, 0, &bytes, &align), TW_OK);
    assert_int_equal(bytes, 0);
}

/* What does not come from the encoder is checked like everything else. */
static void tile_layout_rows_decode_refused(void **state)
{
    (void)state;
    static const struct {
        const char *arch;
        tw_vector_form form;
        uint32_t words[2], row, index;
        const char *message;
    } rows[] = {
        { "mk2",
          { TW_LAYOUT_DELTANELEMENTS, 4, 0, false },
          { 0x01060000, 0x70000 },
          0,
          1,
          "row 1 of a list of 1 rows" },
        { "mk2",
          { TW_LAYOUT_DELTANELEMENTS, 4, 0, false },
          { 0x010E8000, 0x70000 },
          0,
          0,
          "DELTANELEMENTS: the base at 0xE8000: not in the memory of ipu2, 0x4C000 to 0xE7FFF" },
        { "mk2",
          { TW_LAYOUT_DELTANELEMENTS, 4, 0, false },
          { 0x01060000, 0x10000 },
          0,
          0,
          "DELTANELEMENTS: the table of rows at 0x10000: not in the memory of ipu2, 0x4C000 to 0xE7FFF" },
        { "mk2",
          { TW_LAYOUT_DELTANELEMENTS, 4, 0, false },
          { 0x01060000, 0x70000 },
          1u << 19 | 0x40000,
          0,
          "DELTANELEMENTS: 1 element of 4 bytes at 0x160000: not in the memory of ipu2, 0x4C000 to 0xE7FFF" },
        { "mk1",
          { TW_LAYOUT_DELTAN, 4, 0, false },
          { 0x00160000, 0xC000 },
          1u << 18 | 2,
          0,
          "DELTAN: a row at 0x60002 is not a multiple of 4 bytes after the base 0x60000" },
        { "mk2", { TW_LAYOUT_SPAN, 4, 0, false }, { 0, 0 }, 0, 0, "SPAN is a layout of Vector, not of VectorList" },
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        uint8_t bytes[8] = { (uint8_t)rows[k].row, (uint8_t)(rows[k].row >> 8), (uint8_t)(rows[k].row >> 16),
                             (uint8_t)(rows[k].row >> 24) };
        tw_row row;
        tw_status status = tw_rows_decode(tw_tile_arch_by_name(rows[k].arch), LIST, &rows[k].form, rows[k].words,
                                          bytes, rows[k].index, &row);
        if (status == TW_OK || strcmp(tw_error_message(), rows[k].message) != 0)
            fail_msg("row %zu: %d, \"%s\"", k, status, tw_error_message());
    }
}

/* Forms that no field of the chip has are refused by whatever reads words, before it looks at them. */
static void tile_layout_rows_forms_refused(void **state)
{
    (void)state;
    const tw_tile_arch *mk1 = tw_tile_arch_by_name("mk1"), *mk2 = tw_tile_arch_by_name("mk2");
    const tw_vector_form span = { TW_LAYOUT_SPAN, 4, 0, false }, odd = { TW_LAYOUT_SPAN, 3, 0, false };
    const tw_vector_form delta = { TW_LAYOUT_DELTANELEMENTS, 4, 0, false };
    const uint32_t words[2] = { 0x01060000, 0x70000 };
    uint32_t base, rows, table;
    assert_int_equal(tw_list_decode(mk2, &delta, words, &base, &rows, &table), TW_OK);
    assert_true(base == 0x60000 && rows == 1 && table == 0x70000);
    assert_int_equal(tw_list_decode(mk2, &span, words, &base, &rows, &table), TW_E_INVALID_ARGUMENT);
    assert_int_equal(tw_list_decode(mk1, &delta, words, &base, &rows, &table), TW_OK);
    uint8_t bytes[8] = { 0, 0, 6, 0, 1, 0, 0, 0 };
    tw_row row;
    assert_int_equal(tw_rows_decode(mk2, TW_LAYOUT_ONE_PTR, &span, words, bytes, 0, &row), TW_OK);
    assert_true(row.address == 0x60000 && row.count == 1);
    assert_int_equal(tw_rows_decode(mk2, TW_LAYOUT_ONE_PTR, &odd, words, bytes, 0, &row), TW_E_INVALID_ARGUMENT);
    assert_int_equal(tw_rows_encode(mk2, TW_LAYOUT_ONE_PTR, &odd, &row, 1, 0x70000, (uint32_t[2]){ 0 }, bytes),
                     TW_E_INVALID_ARGUMENT);
}

/* Guide 4.2.4, figures of the layouts: what no field of a structure covers is zero in memory. */
static void tile_layout_rows_padding_is_zero(void **state)
{
    (void)state;
    static const uint8_t delta[8] = { 0x04, 0x03, 0x02, 0x01, 0x14, 0x13, 0, 0 },
                         span[8] = { 0x04, 0x03, 0x02, 0x01, 0x14, 0x13, 0x12, 0x11 };
    const uint32_t words[2] = { 0x01020304, 0x11121314 };
    uint8_t bytes[8];
    memset(bytes, 0xA5, sizeof bytes);
    tw_layout_store(TW_LAYOUT_DELTAN, words, bytes);
    assert_memory_equal(bytes, delta, 8);
    memset(bytes, 0xA5, sizeof bytes);
    tw_layout_store(TW_LAYOUT_SPAN, words, bytes);
    assert_memory_equal(bytes, span, 8);
}

/* A row too far from its base: units of the alignment, of one byte in DELTAN. */
static void tile_layout_rows_too_far(void **state)
{
    (void)state;
    tw_tile_arch wide = *tw_tile_arch_by_name("mk2");
    uint32_t word;
    wide.base_address = 0, wide.bytes_per_tile = 0x300000;
    tw_vector_form form = { TW_LAYOUT_DELTANELEMENTS, 4, 0, false };
    assert_int_equal(tw_list_encode_row(&wide, &form, 0, 0x200000, 1, &word),
                     TW_E_INVALID_ARGUMENT); /* out of reach */
    wide.bytes_per_tile = 0x200000;
    assert_int_equal(tw_list_encode_row(&wide, &form, 0, 0x1FFFFC, 1, &word), TW_OK);
    assert_int_equal(tw_list_encode_row(&wide, &form, 8, 4, 1, &word), TW_E_INDEX);
    assert_string_equal(tw_error_message(),
                        "DELTANELEMENTS: a row at 0x4 is not a multiple of 4 bytes after the base 0x8");
}

static void tile_layout_rows_names(void **state)
{
    (void)state;
    for (int l = TW_LAYOUT_NOT_A_VECTOR + 1; l < TW_LAYOUT_COUNT; l++)
        assert_int_equal(tw_layout_by_name(tw_layout_get((tw_layout)l)->name), l);
    assert_int_equal(tw_layout_by_name("short_span"), TW_LAYOUT_SHORT_SPAN);
    assert_int_equal(tw_layout_by_name("SHORTSPAN"), TW_LAYOUT_NOT_A_VECTOR);
    assert_non_null(
        strstr(tw_error_message(), "there is no vector layout 'SHORTSPAN'; did you mean 'SHORT_SPAN'?"));
    assert_int_equal(tw_layout_by_name(NULL), TW_LAYOUT_NOT_A_VECTOR);
    assert_string_equal(tw_error_message(), "there is no vector layout ''");
    assert_string_equal(tw_layout_get(TW_LAYOUT_COUNT)->name, tw_layout_get(TW_LAYOUT_NOT_A_VECTOR)->name);
    tw_vector_form none = { TW_LAYOUT_NOT_A_VECTOR, 4, 0, false }, out;
    assert_int_equal(tw_layout_resolve(tw_tile_arch_by_name("mk2"), &none, &out), TW_E_INVALID_ARGUMENT);
    assert_string_equal(tw_error_message(), "layout 0 is not a vector layout");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tile_layout_rows_bytes),          cmocka_unit_test(tile_layout_rows_base),
        cmocka_unit_test(tile_layout_rows_refused),        cmocka_unit_test(tile_layout_rows_table),
        cmocka_unit_test(tile_layout_rows_decode_refused), cmocka_unit_test(tile_layout_rows_too_far),
        cmocka_unit_test(tile_layout_rows_forms_refused),  cmocka_unit_test(tile_layout_rows_padding_is_zero),
        cmocka_unit_test(tile_layout_rows_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
