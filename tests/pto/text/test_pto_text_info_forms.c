/* SPDX-License-Identifier: MIT */
/* What `tilewright pto info` says about text is text: every row's forms are written as printed, with types put in for
 * "...", and bound; they mean the row. */
#include "pto/support/check.h"
#include "pto/support/text.h"
#include <glib.h>

static char *forms_of(const tw__pto_row *row)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    tw__pto_print_text_forms(out, row);
    fclose(out);
    return text;
}

static const struct {
    const char *printed, *type;
} examples[] = { { "!pto.tile_buf<...>", "!pto.tile_buf<vec, 16x16xf32>" },
                 { "!pto.conv_tile<...>", "!pto.conv_tile<mat, nc1hwc0, 1x1x4x4x8xf32>" },
                 { "!pto.tensor_view<...>", "!pto.tensor_view<16x16xf32>" },
                 { "!pto.partition_tensor_view<...>", "!pto.partition_tensor_view<16x16xf32>" },
                 { "dtype", "f32" } };

static char *with_types(const char *line)
{
    char *text = g_strdup(line);
    for (size_t i = 0; i < G_N_ELEMENTS(examples); i++) {
        char **parts = g_strsplit(text, examples[i].printed, -1);
        g_free(text);
        text = g_strjoinv(examples[i].type, parts);
        g_strfreev(parts);
    }
    return text;
}

/* "(%a, %b {..} : T, U)" wherever it stands: parameters "%a : T, %b : U" of the function. */
static void add_params(GString *params, const char *line)
{
    for (const char *open = line; (open = strchr(open, '(')); open++) {
        const char *close = strchr(open, ')'), *colon = strstr(open, " : ");
        if (open[1] != '%' || !close || !colon || colon > close) continue;
        char *names = g_strndup(open + 1, (size_t)(colon - open - 1)),
             *types = g_strndup(colon + 3, (size_t)(close - colon - 3));
        names[strcspn(names, "{")] = 0;
        char **name = g_strsplit(names, ", ", -1), *at = types;
        for (unsigned i = 0; name[i]; i++) {
            int depth = 0;
            char *end = at;
            for (; *end && (depth || *end != ','); end++) depth += (*end == '<') - (*end == '>');
            char *one = g_strndup(at, (size_t)(end - at)), *bare = g_strconcat(g_strstrip(name[i]), " : ", NULL);
            if (!strstr(params->str, bare))
                g_string_append_printf(params, "%s%s%s", params->len ? ", " : "", bare, g_strstrip(one));
            g_free(one);
            g_free(bare);
            at = *end ? end + 1 : end;
        }
        g_strfreev(name);
        g_free(names);
        g_free(types);
    }
}

static const tw__pto_row *row_of(const session *s)
{
    const tw__pto_row *row = NULL;
    for (const tw__as_code *c = s->program ? s->program->functions->body : NULL; c; c = c->next)
        if (c->more->row) row = c->more->row;
    return row;
}

/* Kinds alone do not tell these from the form before them: pto_forms_chosen. */
static bool is_ambiguous(const tw__pto_row *row)
{
    return strcmp(row->name, "TQUANT_ASYM") == 0;
}

static void pto_forms_bind(void **state)
{
    unsigned lines = 0, bound = 0;
    (void)state;
    for (size_t r = 0; r < tw__pto_row_count(); r++) {
        const tw__pto_row *row = tw__pto_row_at(r);
        char *text = forms_of(row), **line = g_strsplit(text, "\n", -1);
        bool only_c = strstr(text, "C and C++ only") != NULL;
        assert_int_equal(only_c, strcmp(row->name, "TCI_TMP") == 0);
        for (unsigned i = 0; line[i] && *line[i] && !only_c; i++, lines++) {
            assert_true(g_str_has_prefix(line[i], "  text       "));
            char *form = with_types(line[i] + strlen("  text       "));
            GString *params = g_string_new("");
            add_params(params, form);
            bool flat = strstr(form, "syncall %tensor") != NULL;
            char *program = g_strdup_printf("func.func @f(%s%s) {\n%s\nreturn\n}\n", params->str,
                                            flat ? "%tensor : !pto.partition_tensor_view<16x16xf32>" : "", form);
            session s = start(program, TW_PTO_CPU);
            for (size_t d = 0; d < tw_diags_count(s.diags, TW_NOTE); d++) {
                const tw_diag *diag = tw_diags_get(s.diags, d);
                if (strcmp(diag->code, "pto.verify") != 0) /* types, layouts: not the point here */
                    fail_msg("%s: %d:%d: %s [%s]\n%s", row->name, diag->line, diag->column, diag->message,
                             diag->code, program);
            }
            stable(r, program);
            if (row_of(&s) && !is_ambiguous(row)) {
                if (row_of(&s) != row) fail_msg("%s is bound as %s\n%s", row->name, row_of(&s)->name, program);
                bound++;
            }
            end(&s);
            g_free(program);
            g_free(form);
            g_string_free(params, TRUE);
        }
        g_strfreev(line);
        free(text);
    }
    assert_true(lines >= tw__pto_row_count() && bound > 80);
}

/* The pairs of types that `info tcvt` lists for a target are those that it takes. */
static void pto_info_conversions(void **state)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    (void)state;
    assert_int_equal(tw_pto_print_info(out, "tcvt"), TW_OK);
    fclose(out);
    assert_non_null(strstr(text, "\n  a2a3       i16 to f16 f32\n")); /* the manual's table */
    assert_non_null(strstr(text, "\n  a5         bf16 to i32 f16 f32 f4e2m1 f4e1m2\n"));
    unsigned listed = 0;
    for (int target = 0; target < TW_PTO_TARGETS; target++)
        for (int from = 1; from < TW_TYPE_COUNT; from++) {
            const char *name = tw_type_name((tw_type)from, TW_SYSTEM_PTO);
            if (!name) continue;
            char *start = g_strdup_printf("\n  %-10s %s to ", tw_pto_target_name((tw_pto_target)target), name);
            const char *line = strstr(text, start);
            char *rest = line ? g_strndup(line + strlen(start), strcspn(line + strlen(start), "\n")) : g_strdup("");
            char **to = g_strsplit(rest, " ", -1);
            for (int type = 1; type < TW_TYPE_COUNT; type++) {
                const char *other = tw_type_name((tw_type)type, TW_SYSTEM_PTO);
                if (!other) continue;
                tw_pto_tile a = vec_tile((tw_type)from, 1, 64), d = vec_tile((tw_type)type, 1, 64);
                bool is_listed = g_strv_contains((const char *const *)to, other);
                tw_status status = tw_pto_check((tw_pto_target)target, tw_pto_op_by_name("TCVT"),
                                                (tw_pto_operand[]){ TILE(&d), TILE(&a) }, 2, NULL, NULL);
                if ((status == TW_OK) != is_listed) fail_msg("%s%s: %s", start + 1, other, tw_error_message());
                listed += is_listed;
            }
            g_strfreev(to);
            g_free(rest);
            g_free(start);
        }
    assert_true(listed > 60);
    free(text);
}

/* Forms of one mnemonic with operands of the same kinds: types and attributes choose. */
#define A "!pto.tile_buf<vec, 4x64xf32>"
#define F "!pto.tile_buf<vec, 32x1xf32, valid=4x1, blayout=col_major>"
static void pto_forms_chosen(void **state)
{
    static const struct {
        const char *text, *row;
        tw_pto_target target;
    } rows[] = {
        { "pto.tquant ins(%a, %f, %t : " A ", " F ", " A ") outs(%q : !pto.tile_buf<vec, 4x64xi8>)", "TQUANT_TMP",
          TW_PTO_A2A3 },
        { "pto.tquant ins(%a, %f, %f {quant_type = int8_asym} : " A ", " F ", " F
          ") outs(%u : !pto.tile_buf<vec, 4x64xui8>)",
          "TQUANT_ASYM", TW_PTO_A2A3 },
        { "pto.tquant ins(%a, %f, %f {quant_type = int8_asym} : " A ", " F ", " F
          ") outs(%u : !pto.tile_buf<vec, 4x64xui8>)",
          "TQUANT_ASYM", TW_PTO_CPU },
        { "pto.tquant ins(%a, %f, %t, %f {quant_type = int8_asym} : " A ", " F ", " A ", " F
          ") outs(%u : !pto.tile_buf<vec, 4x64xui8>)",
          "TQUANT_ASYM_TMP", TW_PTO_A2A3 },
        { "pto.tquant ins(%a, %f : " A ", " F ") outs(%q : !pto.tile_buf<vec, 4x64xi8>)", "TQUANT", TW_PTO_A5 },
        { "pto.tdivs ins(%a, %s : " A ", f32) outs(%t : " A ")", "TDIVS", TW_PTO_A5 },
        { "pto.tdivs ins(%s, %a : f32, " A ") outs(%t : " A ")", "TDIVS_S", TW_PTO_A5 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *program =
            g_strdup_printf("func.func @f(%%s : f32) {\n%%a = pto.alloc_tile : " A "\n%%t = "
                            "pto.alloc_tile : " A "\n%%f = pto.alloc_tile : " F "\n%%q = pto.alloc_tile : "
                            "!pto.tile_buf<vec, 4x64xi8>\n%%u = pto.alloc_tile : !pto.tile_buf<vec, "
                            "4x64xui8>\n%s\nreturn\n}\n",
                            rows[i].text);
        session s = start(program, rows[i].target);
        if (!s.program) {
            tw_diags_print(s.diags, stderr, false);
            fail_msg("row %zu\n%s", i, program);
        }
        if (strcmp(row_of(&s)->name, rows[i].row) != 0) fail_msg("row %zu is bound as %s", i, row_of(&s)->name);
        end(&s);
        g_free(program);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(pto_forms_bind), cmocka_unit_test(pto_info_conversions),
                                        cmocka_unit_test(pto_forms_chosen) };
    return cmocka_run_group_tests_name("pto_feat_forms", tests, NULL, NULL);
}
