/* SPDX-License-Identifier: MIT */
/* The architecture table against the figures of the guide (7.2, 8.2.3) and what follows from them. */
#include "core/tile/tile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static void tile_arch_names(void **state)
{
    (void)state;
    static const struct {
        const char *name, *want;
    } rows[] = {
        { "mk1", "ipu1" },    { "ipu1", "ipu1" }, { "MK2", "ipu2" },  { "ipu2", "ipu2" },
        { "ipu21", "ipu21" }, { "cpu", "cpu" },   { "wse2", "wse2" }, { "wse3", "wse3" },
        { "aie", "aie1" },    { "a3", "a2" },     { "A5", "a5" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const tw_tile_arch *arch = tw_tile_arch_by_name(rows[i].name);
        assert_non_null(arch);
        assert_string_equal(arch->name, rows[i].want);
    }
    assert_null(tw_tile_arch_by_name("ipu3"));
    assert_non_null(strstr(tw_error_message(), "ipu3"));
    assert_null(tw_tile_arch_by_name(NULL));
}

/* Every chip that has cycles says how near they are, or that nobody could compare. */
static void tile_arch_bands(void **state)
{
    (void)state;
    char text[64], few[4];
    const tw_tile_arch *arch;
    for (size_t i = 0; (arch = tw_tile_arch_get(i)); i++)
        assert_int_equal(tw_band_find(arch->name, NULL) != NULL, strcmp(arch->system, "cpu") != 0);
    for (size_t i = 0; tw_band_get(i); i++) {
        const tw_band *band = tw_band_get(i);
        if (band->rows) assert_true(band->error >= 1 && band->worst >= band->error && band->source);
        assert_true(*tw_band_text(band, text, sizeof text) && *band->compared);
        assert_int_equal(strcmp(text, "not validated") == 0, band->rows == 0);
    }
    assert_null(tw_band_find("ipu", NULL)); /* no part of a name */
    assert_null(tw_band_find(NULL, NULL));
    assert_null(tw_band_find("aie1", "guess"));
    assert_string_equal(tw_band_find("aie1", NULL)->model, "code");
    assert_string_equal(tw_band_find("aie1", "slots")->model, "slots");
    assert_string_equal(tw_band_text(NULL, text, sizeof text), "");
    const tw_band wide = { .rows = 3, .error = 2.83, .worst = 112 },
                  narrow = { .rows = 5, .error = 1.16, .worst = 1.4 };
    assert_string_equal(tw_band_text(&wide, text, sizeof text),
                        "a factor of 2.8 (worst a factor of 112) over 3 programs");
    assert_string_equal(tw_band_text(&narrow, text, sizeof text), "± 16 % (worst 40 %) over 5 programs");
    assert_string_equal(tw_band_text(&narrow, few, sizeof few), "± ");
}

/* What a chip's section says: tiles, addresses, regions with their banks and elements. */
typedef struct chip_section {
    const char *name;
    uint32_t tiles, first, last, bytes[2], banks[2], elements[2];
    unsigned region_bit; /* of an address: 0 in region 0 */
} chip_section;

static void check_section(const chip_section *want)
{
    const tw_tile_arch *a = tw_tile_arch_by_name(want->name);
    assert_int_equal(a->tiles, want->tiles);
    assert_int_equal(a->workers, 6);
    assert_int_equal(a->base_address, want->first);
    assert_int_equal(a->bytes_per_tile, want->bytes[0] + want->bytes[1]);
    assert_int_equal(a->region_count, 2);
    uint32_t start = want->first;
    for (unsigned r = 0; r < 2; r++) {
        const tw_tile_region *region = &a->regions[r];
        assert_int_equal(region->start, start);
        assert_int_equal(region->bytes, want->bytes[r]);
        assert_int_equal(region->bank_bytes, 16 * 1024);
        assert_int_equal(region->banks, want->banks[r]);
        assert_int_equal(region->banks / region->bank_group, want->elements[r]);
        assert_int_equal(region->interleaved, r == 1);
        assert_int_equal(region->executable, r == 0);
        start += want->bytes[r];
    }
    assert_int_equal(start - 1, want->last);
    /* from both sides of each border */
    assert_null(tw_tile_region_at(a, want->first - 1));
    assert_ptr_equal(tw_tile_region_at(a, want->first), &a->regions[0]);
    assert_ptr_equal(tw_tile_region_at(a, a->regions[1].start - 1), &a->regions[0]);
    assert_ptr_equal(tw_tile_region_at(a, a->regions[1].start), &a->regions[1]);
    assert_ptr_equal(tw_tile_region_at(a, want->last), &a->regions[1]);
    assert_null(tw_tile_region_at(a, want->last + 1));
    assert_int_equal(tw_tile_element_at(a, want->first - 1), -1);
    assert_int_equal(tw_tile_element_at(a, want->last + 1), -1);
    assert_int_equal(tw_tile_element_at(a, want->last), want->elements[0] + want->elements[1] - 1);
    for (uint32_t at = want->first; at <= want->last; at += 8) {
        bool second = at >> want->region_bit & 1;
        uint32_t element =
            second ? want->elements[0] + (at - a->regions[1].start) / 32768 : (at - want->first) / 16384;
        if (tw_tile_region_at(a, at) != &a->regions[second] || tw_tile_element_at(a, at) != (int)element)
            fail_msg("0x%X: region %d, element %d", at, tw_tile_region_at(a, at) == &a->regions[1],
                     tw_tile_element_at(a, at));
    }
}

static void tile_arch_7_2_2_mk1(void **state)
{
    (void)state;
    static const chip_section mk1 = { "mk1", 1216, 0x40000, 0x7FFFF, { 131072, 131072 }, { 8, 8 }, { 8, 4 }, 17 };
    check_section(&mk1);
    for (uint32_t at = 0x40000; at < 0x60000; at += 4096) /* bits [16:14] select the element */
        assert_int_equal(tw_tile_element_at(tw_tile_arch_by_name("mk1"), at), at >> 14 & 7);
    assert_in_range(1216ull * 262144, 300u << 20, 320u << 20); /* "about 300 MB in total" */
}

/* 416 KB for region 1, where the guide prints 406: 26 banks of 16 KB, and 0xE7FFF is the last address. */
static void tile_arch_7_2_3_mk2(void **state)
{
    (void)state;
    static const chip_section mk2 = { "mk2",      1472,       0x4C000, 0xE7FFF, { 208 << 10, 416 << 10 },
                                      { 13, 26 }, { 13, 13 }, 19 };
    chip_section bow = mk2;
    bow.name = "ipu21";
    check_section(&mk2);
    check_section(&bow);
    assert_int_equal(tw_tile_arch_by_name("mk2")->bytes_per_tile, 624 << 10);
    assert_in_range(1472ull * (624u << 10), 890u << 20, 900u << 20); /* "just under 900 MB" */
}

static void tile_arch_7_2_1_elements(void **state)
{
    (void)state;
    const tw_tile_arch *mk1 = tw_tile_arch_by_name("mk1"), *mk2 = tw_tile_arch_by_name("mk2");
    static const uint32_t want[] = { 0,     16384,  32768,  49152,  65536,  81920,
                                     98304, 114688, 131072, 163840, 196608, 229376 };
    assert_int_equal(mk1->element_count, 12);
    assert_memory_equal(mk1->element_offsets, want, sizeof want);
    assert_int_equal(mk1->interleaved_element, 8);
    assert_int_equal(mk2->element_count, 26);
    assert_int_equal(mk2->interleaved_element, 13);
    for (unsigned e = 0; e < 26; e++)
        assert_int_equal(mk2->element_offsets[e], e < 13 ? e * 16384 : 208 * 1024 + (e - 13) * 32768);
}

/* 21 address bits; the first address is not zero; stores are 32 or 64 bits, so that nothing narrower is atomic. */
static void tile_arch_7_2_4_accesses(void **state)
{
    (void)state;
    static const char *const chips[] = { "mk1", "mk2", "ipu21" };
    for (size_t i = 0; i < sizeof chips / sizeof *chips; i++) {
        const tw_tile_arch *a = tw_tile_arch_by_name(chips[i]);
        assert_true(a->base_address > 0);
        assert_true(a->base_address + a->bytes_per_tile <= 1u << 21);
        assert_null(tw_tile_region_at(a, 0));
        assert_int_equal(a->atomic_store_granularity, 4);
        assert_int_equal(tw_tile_arch_fidelity(a, "atomic_store_granularity"), TW_FIDELITY_ESTIMATED);
        assert_int_equal(a->data_path_width, 64);
        assert_int_equal(a->exchange_bytes_per_cycle, 4);
        assert_int_equal(a->fetch_overread_bytes, 32); /* 7.5.2: eight words */
    }
}

/* Every row of the table is consistent in itself: sizes add up, banks fill their region, uncertain names exist. */
static void tile_arch_consistent(void **state)
{
    (void)state;
    size_t count = 0;
    for (const tw_tile_arch *a; (a = tw_tile_arch_get(count)); count++) {
        unsigned long long sum = 0;
        for (unsigned r = 0; r < a->region_count; r++) {
            const tw_tile_region *region = &a->regions[r];
            if (strcmp(region->name, "program")) sum += region->bytes;
            if (region->bank_bytes) assert_int_equal(region->bank_bytes * region->banks, region->bytes);
            if (region->bank_bytes) assert_int_equal(region->banks % region->bank_group, 0);
        }
        assert_int_equal(sum, a->bytes_per_tile);
        assert_true(a->tiles > 0 && a->workers > 0 && a->clock_hz > 0);
        char names[1024], buf[64], *save = NULL;
        strcpy(names, a->estimated ? a->estimated : "");
        for (char *n = strtok_r(names, " ", &save); n; n = strtok_r(NULL, " ", &save)) {
            assert_int_equal(tw_tile_arch_fidelity(a, n), TW_FIDELITY_ESTIMATED);
            assert_true(tw_tile_arch_format(a, n, buf, sizeof buf)[0] != 0);
        }
        assert_int_equal(tw_tile_arch_fidelity(a, "base_address"), TW_FIDELITY_EXACT);
    }
    assert_true(count >= 9);
    char buf[64];
    assert_string_equal(tw_tile_arch_format(tw_tile_arch_by_name("ipu1"), "clock_hz", buf, sizeof buf),
                        "1600000000 Hz");
    assert_string_equal(tw_tile_arch_format(tw_tile_arch_by_name("ipu1"), "nothing", buf, sizeof buf), "");
    assert_int_equal(tw_tile_arch_fidelity(tw_tile_arch_by_name("ipu1"), "sync_delay"), TW_FIDELITY_EXACT);
}

static void tile_arch_queries(void **state)
{
    (void)state;
    const tw_tile_arch *mk1 = tw_tile_arch_by_name("mk1"), *mk2 = tw_tile_arch_by_name("mk2");
    assert_int_equal(tw_tile_vector_width(mk2, TW_FLOAT), 2);
    assert_int_equal(tw_tile_vector_width(mk2, TW_HALF), 4);
    assert_int_equal(tw_tile_vector_width(mk2, TW_INT), 2);
    assert_int_equal(tw_tile_vector_width(mk2, TW_CHAR), 8);
    assert_int_equal(tw_tile_conv_units(mk2, TW_HALF, TW_HALF), 16);
    assert_int_equal(tw_tile_conv_units(mk2, TW_HALF, TW_FLOAT), 8);
    assert_int_equal(tw_tile_conv_units(mk1, TW_HALF, TW_HALF), 8);
    assert_int_equal(tw_tile_conv_units(mk2, TW_INT, TW_FLOAT), 0);
    assert_int_equal(tw_tile_weights_per_conv_unit(mk2, TW_HALF), 16);
    assert_int_equal(tw_tile_weights_per_conv_unit(mk2, TW_FLOAT), 8);
    assert_int_equal(tw_tile_global_sync_cycles(mk1, 1), 48); /* ceil(15e-9 * 1.6e9 * 1 * 2) */
    assert_int_equal(tw_tile_global_sync_cycles(mk1, 4), 96);
    assert_int_equal(tw_tile_global_sync_cycles(tw_tile_arch_by_name("ipu21"), 4), 600);
    assert_int_equal(tw_tile_region_by_name(tw_tile_arch_by_name("a3"), "ub")->bytes, 192 * 1024);
    assert_null(tw_tile_region_by_name(mk1, "UB"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tile_arch_names),          cmocka_unit_test(tile_arch_bands),
        cmocka_unit_test(tile_arch_7_2_1_elements), cmocka_unit_test(tile_arch_7_2_2_mk1),
        cmocka_unit_test(tile_arch_7_2_3_mk2),      cmocka_unit_test(tile_arch_7_2_4_accesses),
        cmocka_unit_test(tile_arch_consistent),     cmocka_unit_test(tile_arch_queries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
