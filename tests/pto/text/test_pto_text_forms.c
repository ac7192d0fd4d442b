/* SPDX-License-Identifier: MIT */
/* Tile instructions in DPS: the order of `ins` that the documents give (2.5), and that every row of the instruction
 * table can be written in text. */
#include "pto/support/check.h"
#include "pto/support/text.h"

/* Operands of ins(...) of a row, by their letters. */
static void ins_of(const tw__pto_row *row, char out[TW_PTO_OPERANDS + 1])
{
    size_t n = 0;
    for (const char *c = *row->ins ? row->ins : row->form; *c; c++)
        if (*row->ins || !strchr("dDevwG", *c)) out[n++] = *c;
    out[n] = 0;
}

static void pto_text_forms_order(void **state)
{
    static const struct {
        const char *mnemonic,
            *ins; /* letters of pto.h: sources a b c f h, mask m, indexes x y, tmp t, scalar s, integer i */
    } rows[] = {
        { "tci", "s" },
        { "ttri", "i" },
        { "tcmp", "ab" },
        { "tcmps", "as" },
        { "tcvt", "a" },
        { "tcvt", "at" },
        { "tsel", "mabt" },
        { "tsels", "mats" },
        { "taddsc", "asb" },
        { "tsubsc", "asb" },
        { "tdivs", "as" },
        { "tdivs", "sa" },
        { "trem", "abt" },
        { "tprelu", "abt" },
        { "txor", "abt" },
        { "trems", "ast" },
        { "txors", "ast" },
        { "trowsum", "at" },
        { "trowmax", "at" },
        { "trowmin", "at" },
        { "trowprod", "at" },
        { "trowargmax", "at" },
        { "trowargmin", "at" },
        { "tcolargmax", "at" },
        { "tcolargmin", "at" },
        { "tcolsum", "a" },
        { "tcolsum", "at" },
        { "trowexpandmul", "ab" },
        { "trowexpanddiv", "abt" },
        { "trowexpandsub", "abt" },
        { "trowexpandexpdif", "abt" },
        { "trowexpandadd", "ab" },
        { "tgather", "axt" },
        { "tgather", "a" },
        { "tgather", "abt" },
        { "tgatherb", "ax" },
        { "tscatter", "ax" },
        { "mgather", "gx" },
        { "mscatter", "ax" },
        { "tsort32", "ax" },
        { "tsort32", "axt" },
        { "tmrgsort", "ai" },
        { "tmrgsort", "abt" },
        { "tmrgsort", "abct" },
        { "tmrgsort", "abcft" },
        { "textract", "aij" },
        { "tinsert", "aij" },
        { "tmov", "a" },
        { "tmov", "af" },
        { "tmov", "ai" },
        { "tstore", "a" },
        { "tstore", "ai" },
        { "tstore_fp", "af" },
        { "tload", "g" },
        { "tmatmul", "ab" },
        { "tmatmul.acc", "cab" },
        { "tmatmul.bias", "abf" },
        { "tmatmul.mx", "axby" },
        { "tmatmul.mx.acc", "caxby" },
        { "tmatmul.mx.bias", "axbyf" },
        { "tgemv", "ab" },
        { "tgemv.acc", "cab" },
        { "tgemv.bias", "abf" },
        { "tgemv.mx", "axby" },
        { "tquant", "af" },
        { "tquant", "afh" },
        { "tdequant", "afh" },
        { "trandom", "ijklno" },
        { "thistogram", "ax" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool found = false;
        char ins[TW_PTO_OPERANDS + 1];
        for (size_t r = 0; r < tw__pto_row_count(); r++) {
            const tw__pto_row *row = tw__pto_row_at(r);
            if (strcmp(row->mnemonic, rows[i].mnemonic) != 0) continue;
            ins_of(row, ins);
            found |= strcmp(ins, rows[i].ins) == 0;
        }
        if (!found) fail_msg("no form of %s takes ins(%s)", rows[i].mnemonic, rows[i].ins);
    }
}

/* A program that uses the row: which form is taken is a matter of kinds, so any types do. */
static bool write_row(const tw__pto_row *row, char *text, size_t size)
{
    char ins[TW_PTO_OPERANDS + 1], values[2][600] = { "", "" }, types[2][1200] = { "", "" };
    ins_of(row, ins);
    for (int side = 0; side < 2; side++)
        for (const char *c = side ? row->form : ins; *c; c++) {
            if (side && !strchr("dDevwG", *c)) continue;
            tw_pto_kind kind = tw__kind_of_letter(*c);
            if (kind == TW_PTO_FIFO || kind == TW_PTO_GROUP) return false;
            const char *value = kind == TW_PTO_TILE ? "%t" : kind == TW_PTO_TENSOR ? "%v" : "%s";
            const char *type = kind == TW_PTO_TILE     ? "!pto.tile_buf<vec, 16x16xf32>"
                               : kind == TW_PTO_TENSOR ? "!pto.tensor_view<16x16xf32>"
                                                       : "f32";
            snprintf(values[side] + strlen(values[side]), 600 - strlen(values[side]), "%s%s",
                     *values[side] ? ", " : "", value);
            snprintf(types[side] + strlen(types[side]), 1200 - strlen(types[side]), "%s%s",
                     *types[side] ? ", " : "", type);
        }
    if (!*values[1]) return false; /* nothing is written: an operation with a form of its own */
    snprintf(
        text, size,
        "func.func @f(%%p : !pto.ptr<f32>, %%s : f32, %%n : index) {\n  %%t = pto.alloc_tile : !pto.tile_buf<vec, "
        "16x16xf32>\n"
        "  %%v = pto.make_tensor_view %%p, shape = [%%n, %%n], strides = [%%n, %%n] : !pto.tensor_view<16x16xf32>\n"
        "  pto.%s ins(%s%s%s) outs(%s : %s)\n}\n",
        row->mnemonic, values[0], *types[0] ? " : " : "", types[0], values[1], types[1]);
    return true;
}

static void pto_text_forms_all(void **state)
{
    unsigned written = 0;
    (void)state;
    for (size_t r = 0; r < tw__pto_row_count(); r++) {
        const tw__pto_row *row = tw__pto_row_at(r);
        char text[4000];
        if (!write_row(row, text, sizeof text)) continue;
        session s = start(text, TW_PTO_CPU);
        for (size_t d = 0; d < tw_diags_count(s.diags, TW_NOTE); d++) {
            const tw_diag *diag = tw_diags_get(s.diags, d);
            if (strcmp(diag->code, "pto.verify") != 0) /* types, layouts: not the point here */
                fail_msg("%s: %s [%s]\n%s", row->name, diag->message, diag->code, text);
        }
        stable(r, text);
        end(&s);
        written++;
    }
    assert_true(written > 150);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(pto_text_forms_order),
                                        cmocka_unit_test(pto_text_forms_all) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
