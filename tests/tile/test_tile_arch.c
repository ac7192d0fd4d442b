/* The architecture table against the figures of the guide (7.2, 8.2.3) and what follows from them. */
#include "tile/tile.h"

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

static void tile_arch_figures(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        unsigned tiles, workers, elements, interleaved;
        unsigned long long bytes;
        uint32_t base, end, r0, r1;
    } rows[] = {
        { "ipu1", 1216, 6, 12, 8, 262144, 0x40000, 0x7FFFF, 131072, 131072 },
        { "ipu2", 1472, 6, 26, 13, 638976, 0x4C000, 0xE7FFF, 212992, 425984 },
        { "ipu21", 1472, 6, 26, 13, 638976, 0x4C000, 0xE7FFF, 212992, 425984 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const tw_tile_arch *a = tw_tile_arch_by_name(rows[i].name);
        assert_int_equal(a->tiles, rows[i].tiles);
        assert_int_equal(a->workers, rows[i].workers);
        assert_int_equal(a->element_count, rows[i].elements);
        assert_int_equal(a->interleaved_element, rows[i].interleaved);
        assert_int_equal(a->bytes_per_tile, rows[i].bytes);
        assert_int_equal(a->base_address, rows[i].base);
        assert_int_equal(a->regions[0].bytes, rows[i].r0);
        assert_int_equal(a->regions[1].bytes, rows[i].r1);
        assert_true(a->regions[0].executable && !a->regions[1].executable && a->regions[1].interleaved);
        assert_int_equal(a->regions[1].start + a->regions[1].bytes - 1, rows[i].end);
        assert_ptr_equal(tw_tile_region_at(a, rows[i].end), &a->regions[1]);
        assert_null(tw_tile_region_at(a, rows[i].end + 1));
        assert_null(tw_tile_region_at(a, rows[i].base - 1));
        assert_int_equal(tw_tile_element_at(a, rows[i].base - 1), -1);
        assert_int_equal(tw_tile_element_at(a, rows[i].base), 0);
        assert_int_equal(tw_tile_element_at(a, a->regions[1].start), rows[i].interleaved);
        assert_int_equal(tw_tile_element_at(a, rows[i].end), rows[i].elements - 1);
        assert_int_equal(a->element_offsets[a->interleaved_element], rows[i].r0);
        assert_int_equal(a->exchange_bytes_per_cycle, 4);
    }
    static const uint32_t mk1[] = { 0,     16384,  32768,  49152,  65536,  81920,
                                    98304, 114688, 131072, 163840, 196608, 229376 };
    assert_memory_equal(tw_tile_arch_by_name("mk1")->element_offsets, mk1, sizeof mk1);
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
        cmocka_unit_test(tile_arch_names),
        cmocka_unit_test(tile_arch_figures),
        cmocka_unit_test(tile_arch_consistent),
        cmocka_unit_test(tile_arch_queries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
