/* SPDX-License-Identifier: MIT */
/* A million random round trips per layout and chip, compared with bit-fields drawn from the guide's prose, and whole
 * two-dimensional fields as bytes. The reference shares nothing with the code under test. */
#include <tilewright/tile/layout.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define ROUNDS 1000000

static uint64_t seed = 0x9E3779B97F4A7C15;

static uint32_t draw(uint32_t below) /* xorshift */
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return below ? (uint32_t)(seed >> 16) % below : 0;
}

/* Fields in the order of the figures, least significant first: as gcc and clang lay them out on a little-endian
 * host. */
typedef union word {
    uint32_t bits;
    struct {
        uint32_t pointer : 20, reserved : 1, count : 11;
    } short_span;
    struct {
        uint32_t base : 20, count : 12;
    } deltan;
    struct {
        uint32_t offset : 18, count : 14;
    } deltan_row;
    struct {
        uint32_t address : 21, reserved : 3, half : 8;
    } elements;
} word;
_Static_assert(sizeof(word) == 4, "reference words");

static void reference_vector(tw_layout layout, uint32_t address, uint32_t count, uint32_t words[2])
{
    words[1] = 0;
    switch (layout) {
    case TW_LAYOUT_SPAN: words[0] = address, words[1] = count; break;
    case TW_LAYOUT_SHORT_SPAN: {
        word w = { .short_span = { address, 0, count } };
        words[0] = w.bits;
        break;
    }
    case TW_LAYOUT_ONE_PTR: words[0] = address; break;
    case TW_LAYOUT_SCALED_PTR32:
        words[0] = (uint16_t)((address & ~UINT32_C(0x40000)) >> 2);
        break; /* as in 4.2.1 */
    case TW_LAYOUT_SCALED_PTR64: words[0] = (uint16_t)(address >> 3); break;
    case TW_LAYOUT_SCALED_PTR128: words[0] = (uint16_t)(address >> 4); break;
    default: abort();
    }
}

static void round_trips(const char *chip, tw_layout layout)
{
    const tw_tile_arch *arch = tw_tile_arch_by_name(chip);
    uint32_t memory = (uint32_t)arch->bytes_per_tile, words[2], want[2], address, count;
    for (int i = 0; i < ROUNDS; i++) {
        unsigned element = 1u << draw(5);
        tw_vector_form form = { layout, element, tw_layout_get(layout)->default_min_align << draw(3), false };
        unsigned align = form.min_align > element ? form.min_align : element;
        uint32_t offset = draw(memory) & ~(align - 1), room = (memory - offset) / element;
        uint32_t n = draw((layout == TW_LAYOUT_SHORT_SPAN && room > 2047 ? 2047 : room) + 1);
        if (tw_vector_encode(arch, &form, arch->base_address + offset, n, words))
            fail_msg("%s", tw_error_message());
        reference_vector(layout, arch->base_address + offset, n, want);
        if (words[0] != want[0] || words[1] != want[1]) fail_msg("0x%X, %u: %08X", offset, n, words[0]);
        uint8_t bytes[8];
        tw_layout_store(layout, words, bytes);
        memset(words, 0, sizeof words);
        tw_layout_load(layout, bytes, words);
        if (tw_vector_decode(arch, &form, words, &address, &count)) fail_msg("%s", tw_error_message());
        if (address != arch->base_address + offset || (tw_layout_get(layout)->has_count && count != n))
            fail_msg("0x%X, %u -> 0x%X, %u", arch->base_address + offset, n, address, count);
    }
}

static void tile_layout_random_vectors(void **state)
{
    (void)state;
    static const char *const chips[] = { "mk1", "mk2" };
    for (int chip = 0; chip < 2; chip++)
        for (int layout = TW_LAYOUT_SPAN; layout <= TW_LAYOUT_SCALED_PTR128; layout++)
            if (tw_layout_available(tw_tile_arch_by_name(chips[chip]), (tw_layout)layout))
                round_trips(chips[chip], (tw_layout)layout);
}

static void reference_row(bool deltan, unsigned align, uint32_t offset, uint32_t count, uint32_t *out)
{
    word w = { .deltan_row = { offset, count } };
    unsigned log = 0;
    while (1u << log < align) log++;
    *out = deltan ? w.bits : offset / align | count << (21 - log);
}

static void list_round_trips(const char *chip, tw_layout layout)
{
    const tw_tile_arch *arch = tw_tile_arch_by_name(chip);
    bool deltan = layout == TW_LAYOUT_DELTAN;
    uint32_t memory = (uint32_t)arch->bytes_per_tile, first = arch->base_address, words[2], row, got, a, b, c;
    for (int i = 0; i < ROUNDS; i++) {
        unsigned element = 1u << draw(5), align = element << draw(2);
        tw_vector_form form = { layout, element, align, false }, out;
        if (tw_layout_resolve(arch, &form, &out)) fail_msg("%s", tw_error_message());
        uint32_t base = draw(memory) & ~(align - 1), at = base + (draw(memory - base) & ~(align - 1));
        uint32_t rows = 1 + draw(deltan ? 4095 : 65535), room = (memory - at) / element,
                 most = tw_layout_max_row(&out);
        uint32_t n = 1 + draw(room > most ? most : room);
        if (n * element > memory - at) n = 1;
        if (rows * 4 > memory) rows = 1;
        uint32_t table = first + (draw(memory - rows * 4 + 1) & ~3u);
        if (tw_list_encode(arch, &form, first + base, rows, table, words)) fail_msg("%s", tw_error_message());
        word w0 = { .elements = { first + base, 0, rows & 255 } }, w1 = { .elements = { table, 0, rows >> 8 } };
        if (deltan)
            w0.bits = 0, w0.deltan.base = first + base, w0.deltan.count = rows, w1.bits = (table & 0x3FFFF) >> 2;
        if (words[0] != w0.bits || words[1] != w1.bits) fail_msg("%08X %08X", words[0], words[1]);
        if (!deltan) words[draw(2)] ^= draw(8) << 21; /* reserved */
        if (tw_list_decode(arch, &form, words, &a, &b, &c) || a != first + base || b != rows || c != table)
            fail_msg("0x%X %u 0x%X -> 0x%X %u 0x%X", first + base, rows, table, a, b, c);
        if (tw_list_encode_row(arch, &form, first + base, first + at, n, &row)) fail_msg("%s", tw_error_message());
        reference_row(deltan, align, at - base, n, &got);
        if (row != got) fail_msg("%08X for %08X", row, got);
        if (tw_list_decode_row(arch, &form, first + base, row, &a, &b) || a != first + at || b != n)
            fail_msg("0x%X %u -> 0x%X %u", first + at, n, a, b);
    }
}

static void tile_layout_random_lists(void **state)
{
    (void)state;
    list_round_trips("mk1", TW_LAYOUT_DELTAN);
    list_round_trips("mk1", TW_LAYOUT_DELTANELEMENTS);
    list_round_trips("mk2", TW_LAYOUT_DELTANELEMENTS);
}

/* Jagged fields of every pair of layouts, a row at a time from the bytes. */
static void tile_layout_4_2_3_jagged(void **state)
{
    (void)state;
    enum { MAX = 20 };
    for (int i = 0; i < 100000; i++) {
        const tw_tile_arch *arch = tw_tile_arch_by_name(i % 2 ? "mk1" : "mk2");
        bool list = draw(3) == 0;
        tw_layout outer = list ? TW_LAYOUT_NOT_A_VECTOR : (tw_layout)(TW_LAYOUT_SPAN + draw(7));
        tw_vector_form form = { (tw_layout)(list ? TW_LAYOUT_DELTAN + draw(3) : TW_LAYOUT_SPAN + draw(7)),
                                1u << draw(4), 16, false };
        if (!tw_layout_available(arch, form.layout) || (!list && !tw_layout_available(arch, outer))) continue;
        tw_row rows[MAX], row;
        uint32_t count = draw(MAX), words[2], first = arch->base_address;
        uint8_t bytes[MAX * 8];
        for (uint32_t r = 0; r < count; r++) {
            rows[r].count = draw(60);
            rows[r].address = first + 16 * (draw(((uint32_t)arch->bytes_per_tile - 2048) / 16));
        }
        size_t size;
        unsigned align;
        if (tw_rows_table_bytes(arch, outer, &form, count, &size, &align)) fail_msg("%s", tw_error_message());
        assert_true(size <= sizeof bytes && align <= 16);
        memset(bytes, 0xAA, sizeof bytes);
        if (tw_rows_encode(arch, outer, &form, rows, count, first + 32, words, bytes))
            fail_msg("%d of %d: %s", form.layout, outer, tw_error_message());
        for (size_t k = size; k < sizeof bytes; k++) assert_int_equal(bytes[k], 0xAA);
        for (uint32_t r = 0; r < count; r++) {
            tw_vector_form resolved;
            if (tw_rows_decode(arch, outer, &form, words, bytes, r, &row)) fail_msg("%s", tw_error_message());
            assert_int_equal(tw_layout_resolve(arch, &form, &resolved), TW_OK);
            if (rows[r].count || !list) assert_int_equal(row.address, rows[r].address);
            if (tw_layout_get(resolved.layout)->has_count) assert_int_equal(row.count, rows[r].count);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tile_layout_random_vectors),
        cmocka_unit_test(tile_layout_random_lists),
        cmocka_unit_test(tile_layout_4_2_3_jagged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
