/* SPDX-License-Identifier: MIT */
/* The chapter on TCI, section by section, in text: every form with the attribute, without it, and with it
 * false; every type; what each rule refuses, on every profile. */
#include "pto/support/check.h"
#include "pto/support/text.h"

/* "Syntax": synchronous form, AS and IR level 1, AS and IR level 2; "PTO Assembly Form" repeats the first and the
 * last. */
static const char *const forms[] = {
    "%dst = tci %S@3 : !pto.tile<@2>",
    "%dst = pto.tci %S@3 : @1 -> !pto.tile<@2>",
    "%dst = pto.alloc_tile : !pto.tile_buf<@2>\npto.tci ins(%S@3 : @1) outs(%dst : !pto.tile_buf<@2>)",
};

static void build(char *out, size_t size, const char *form, const char *scalar, const char *tile, const char *attrs)
{
    const char *const parts[] = { scalar, tile, attrs };
    size_t n = 0;
    for (const char *c = form; *c && n + 1 < size; c++)
        if (*c == '@')
            n += (size_t)snprintf(out + n, size - n, "%s", parts[*++c - '1']);
        else
            out[n++] = *c;
    out[n] = 0;
}

/* dst[k] = S + k or S - k modulo the width, for k < valid columns; nothing else changes. */
static void pto_text_tci_every_form(void **state)
{
    static const struct {
        const char *scalar, *tile;
        tw_type type;
        int64_t start;
    } types[] = {
        { "i32", "vec, 1x16xi32", TW_I32, INT32_MAX - 3 },
        { "i16", "vec, 1x16xi16", TW_I16, INT16_MAX - 3 },
        { "ui32", "vec, 1x16xui32", TW_U32, 5 },
        { "u16", "vec, 1x16xu16", TW_U16, 3 },
        { "ui16", "vec, 1x16xui16", TW_U16, UINT16_MAX - 2 },
        { "i32", "vec, 1x16xi32, valid=1x5", TW_I32, -2 },
        { "i32", "vec, 4x16xi32, valid=3x7", TW_I32, 0 },
        { "u32", "loc=vec, u32, 1, 16, RowMajor, NoneBox, None, Zero", TW_U32, 9 },
        { "i32",
          "loc=vec, dtype=i32, rows=1, cols=16, v_row=1, v_col=1, blayout=row_major, slayout=none_box, "
          "fractal=512, pad=0",
          TW_I32, 4 },
    };
    static const struct {
        const char *text;
        bool down;
    } attrs[] = { { " {descending = false}", false },
                  { " {descending = true}", true },
                  { "", false },
                  { " {}", false },
                  { " {descending}", true } };
    (void)state;
    unsigned runs = 0;
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
        for (size_t t = 0; t < sizeof types / sizeof *types; t++)
            for (size_t a = 0; a < sizeof attrs / sizeof *attrs; a++)
                for (int target = 0; target < TW_PTO_TARGETS; target++, runs++) {
                    char text[1000];
                    build(text, sizeof text, forms[f], types[t].scalar, types[t].tile, attrs[a].text);
                    session s = start(text, (tw_pto_target)target);
                    if (!s.program) run(&s);
                    uint32_t free_slot = s.function->free_name[0]; /* %S is bound from outside */
                    assert_int_equal(s.function->free_count, 1);
                    tw__as_set_number(&s.cells[free_slot], TW__AS_SCALAR,
                                      tw_pto_bits(types[t].type, (uint64_t)types[t].start));
                    unsigned size = (unsigned)tw_type_size(types[t].type);
                    s.cells[free_slot].scalar.bits &= UINT64_MAX >> (64 - 8 * size);
                    OK(run(&s));
                    tw_pto_tile *dst = &cell(&s, "dst")->wide->tile;
                    const unsigned char *data = tw_pto_data(s.core, dst);
                    for (uint32_t r = 0; r < dst->rows; r++)
                        for (uint32_t k = 0; k < dst->cols; k++) {
                            uint64_t want = 0, got = 0;
                            uint64_t sum = (uint64_t)types[t].start + (attrs[a].down ? 0 - (uint64_t)k : k);
                            if (r == 0 && k < dst->valid_cols) memcpy(&want, &sum, size);
                            memcpy(&got, data + ((size_t)r * dst->cols + k) * size, size);
                            if (got != want)
                                fail_msg("form %zu type %zu attribute %zu element %u,%u: %llx instead of %llx", f,
                                         t, a, r, k, (unsigned long long)got, (unsigned long long)want);
                        }
                    stable(f, text);
                    end(&s);
                }
    assert_int_equal(runs, 3 * 9 * 5 * 3);
}

/* "Constraints", "Exceptions", "Target-Profile Restrictions": refused on every profile with the same rule. */
static void pto_text_tci_refused(void **state)
{
    static const struct {
        const char *scalar, *tile, *attrs, *rule;
    } rows[] = {
        { "f32", "vec, 1x16xf32", "", "type.set" },
        { "f16", "vec, 1x16xf16", "", "type.set" },
        { "bf16", "vec, 1x16xbf16", "", "type.set" },
        { "i8", "vec, 1x32xi8", "", "type.set" },
        { "i64", "vec, 1x16xi64", "", "type.set" },
        { "i16", "vec, 1x16xi32", "", "type.same" },
        { "i32", "vec, 1x16xui32", "", "type.same" },
        { "index", "vec, 1x16xi32", "", "type.same" },
        { "i32", "vec, 8x1xi32, blayout=col_major", "", "tci.cols" },
        { "i32", "mat, 1x16xi32", "", "location" },
        { "i32", "vec, 1x16xi32", " {ascending = true}", "no attribute 'ascending'" },
        { "i32", "vec, 1x16xi32", " {descending = 2}", "'2' is not a value of 'descending'" },
        { "i32", "vec, 1x16xi32", " {descending = \"maybe\"}", "'maybe' is not a value" },
        { "i32", "vec, 1x6xi32", "", "multiple of 32" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t f = 1; f < sizeof forms / sizeof *forms;
             f++) /* the plain form has no type of its own to differ */
            for (int target = 0; target < TW_PTO_TARGETS; target++) {
                char text[1000], profile[40];
                build(text, sizeof text, forms[f], rows[i].scalar, rows[i].tile, rows[i].attrs);
                session s = start(text, (tw_pto_target)target);
                const tw_diag *d = tw_diags_get(s.diags, 0);
                if (s.program || !d) fail_msg("row %zu form %zu was accepted", i, f);
                snprintf(profile, sizeof profile, "profile %s", tw_pto_target_name((tw_pto_target)target));
                bool rule = strchr(rows[i].rule, '.') || strcmp(rows[i].rule, "location") == 0;
                if (!strstr(d->message, rows[i].rule) || (rule && !strstr(d->message, profile)) || d->line < 1 ||
                    d->column < 1)
                    fail_msg("row %zu form %zu: %d:%d %s", i, f, d->line, d->column, d->message);
                end(&s);
            }
}

/* There is no textual form with tmp, and none with two scalars or without one. */
static void pto_text_tci_operands(void **state)
{
    static const char *const rows[] = {
        "%t = pto.alloc_tile : !pto.tile_buf<vec, 1x512xf32>\n%d = pto.alloc_tile : !pto.tile_buf<vec, 1x16xi32>\n"
        "pto.tci ins(%d, %t : !pto.tile_buf<vec, 1x16xi32>, !pto.tile_buf<vec, 1x512xf32>) outs(%d : "
        "!pto.tile_buf<vec, 1x16xi32>)",
        "%d = pto.alloc_tile : !pto.tile_buf<vec, 1x16xi32>\npto.tci ins(1, 2 : i32, i32) outs(%d : "
        "!pto.tile_buf<vec, "
        "1x16xi32>)",
        "%d = pto.alloc_tile : !pto.tile_buf<vec, 1x16xi32>\npto.tci ins() outs(%d : !pto.tile_buf<vec, 1x16xi32>)",
        "%d = pto.alloc_tile : !pto.tile_buf<vec, 1x16xi32>\npto.tci ins(1 : i32) outs()",
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        session s = start(rows[i], TW_PTO_A5);
        const tw_diag *d = tw_diags_get(s.diags, 0);
        if (s.program || !d || strcmp(d->code, "pto.operands") != 0 || !strstr(d->message, "tci "))
            fail_msg("row %zu: %s", i, d ? d->message : "accepted");
        end(&s);
    }
}

/* "Examples": auto and manual mode; resources bound before and after the definition; zero and one valid columns. */
static void pto_text_tci_modes(void **state)
{
    static const struct {
        const char *text;
        unsigned flags;
        const char *error;
        int64_t address;
    } rows[] = {
        { "%dst = pto.tci 7 {descending = false} : i32 -> !pto.tile<1x16xi32>", 0, NULL, -1 },
        { "%dst = pto.tci 7 {descending = false} : i32 -> !pto.tile<1x16xi32>", TW_PTO_MANUAL, "no address", -1 },
        { "pto.tassign %dst, @tile(0x1000)\n%dst = pto.tci 7 {descending = false} : i32 -> !pto.tile<1x16xi32>",
          TW_PTO_MANUAL, NULL, 0x1000 },
        { "%dst = pto.alloc_tile addr = 0x2000 : !pto.tile_buf<vec, 1x16xi32>\npto.tci ins(7 : i32) outs(%dst : "
          "!pto.tile_buf<vec, 1x16xi32>)",
          TW_PTO_MANUAL, NULL, 0x2000 },
        { "%dst = pto.alloc_tile : !pto.tile_buf<vec, 1x16xi32>\npto.tassign %dst, @tile(4096)\npto.tci ins(7 : "
          "i32) "
          "outs(%dst : !pto.tile_buf<vec, 1x16xi32>)",
          TW_PTO_MANUAL, NULL, 4096 },
        { "%z = arith.constant 0 : index\n%dst = pto.alloc_tile valid_col = %z : !pto.tile_buf<vec, 1x16xi32, "
          "valid=1x?>\npto.tci ins(7 : i32) outs(%dst : !pto.tile_buf<vec, 1x16xi32, valid=1x?>)",
          0, NULL, -1 },
        { "pto.tassign %dst, @tile(0x10)\n%dst = pto.tci 7 : i32 -> !pto.tile<1x16xi32>", 0, "SA-0354", -1 },
        { "pto.tassign %dst, @tile(0x40000)\n%dst = pto.tci 7 : i32 -> !pto.tile<1x16xi32>", 0, "SA-0353", -1 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        session s = start(rows[i].text, TW_PTO_A2A3);
        tw_pto_free(s.core);
        s.core = tw_pto_new(TW_PTO_A2A3, rows[i].flags);
        bool good = s.program && run(&s) == TW_OK;
        const tw_diag *first = tw_diags_get(s.diags, 0);
        if (good != (rows[i].error == NULL)) fail_msg("row %zu: %s", i, first ? first->message : "no error");
        if (rows[i].error) {
            if (!first || !strstr(first->message, rows[i].error)) fail_msg("row %zu: %s", i, first->message);
        } else if (rows[i].address >= 0) {
            assert_int_equal(tw_pto_address(s.core, &cell(&s, "dst")->wide->tile), rows[i].address);
        }
        end(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pto_text_tci_every_form),
        cmocka_unit_test(pto_text_tci_refused),
        cmocka_unit_test(pto_text_tci_operands),
        cmocka_unit_test(pto_text_tci_modes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
