/* SPDX-License-Identifier: MIT */
/* lsp_pto: PTO-AS for the server. A file is a program of its own, checked for the target that it names, else a5. */
#include "cli/lsp/lsp.h"

#include <stdlib.h>
#include <string.h>
#include <tilewright/pto.h>

static void pto_report(void *diags, const tw_diag *diag)
{
    tw_diags_add(diags, diag);
}

static tw_index *pto_index(tw__lsp *server, const tw__lsp_program *program, bool quick, bool stoppable,
                           tw_diags *diags)
{
    (void)quick;
    (void)stoppable;
    size_t size = 0;
    char *source = tw__lsp_open(server, program->root, &size);
    if (!source) source = tw_read_file(program->root, TW_SOURCE_LIMIT, &size);
    tw_pto_text *text = source ? tw_pto_text_parse(program->root, source, size, pto_report, diags) : NULL;
    free(source);
    tw_pto_target target = TW_PTO_A5;
    const char *wanted = json_string_value(json_object_get(json_object_get(server->settings, "pto"), "target"));
    if (wanted) tw_pto_target_by_name(wanted, &target);
    if (text) tw_pto_text_target(text, &target);
    if (text) tw_pto_text_verify(text, target);
    tw_index *index = tw_pto_text_index(text);
    tw_pto_text_free(text);
    return index;
}

static char *pto_format(const char *source, size_t size)
{
    tw_pto_text *text = tw_pto_text_parse("text", source, size, NULL, NULL);
    char *printed = text ? tw_pto_text_print(text) : NULL;
    tw_pto_text_free(text);
    return printed;
}

/* Instructions, as `pto info` explains them, and words of control flow. */
static bool pto_word(size_t i, tw__lsp_word *word)
{
    enum { FUNCTION = 3, KEYWORD = 14 };
    static const char *const words[] = { "func.func", "scf.for", "scf.if", "scf.while",
                                         "scf.yield", "return",  "module", "arith.constant",
                                         "ins",       "outs",    "else",   "to",
                                         "step" };
    static char *name, *text;
    tw_pto_info row;
    if (i < G_N_ELEMENTS(words)) return *word = (tw__lsp_word){ .label = words[i], .kind = KEYWORD }, true;
    if (!tw_pto_info_get((i - G_N_ELEMENTS(words)) / 2, &row)) return false;
    g_free(name);
    g_free(text);
    g_autofree char *lower = g_ascii_strdown(row.mnemonic, -1);
    name = (i - G_N_ELEMENTS(words)) % 2 ? g_strconcat("pto.", lower, NULL) : g_strdup(row.mnemonic);
    char *printed = NULL;
    size_t size;
    FILE *out = open_memstream(&printed, &size);
    if (out) {
        tw_pto_print_info(out, row.mnemonic);
        fclose(out);
    }
    text = g_strdup(printed ? printed : "");
    free(printed);
    *word = (tw__lsp_word){ .label = name, .detail = row.mnemonic, .doc = text, .kind = FUNCTION };
    return true;
}

static bool pto_is_name(const char *name)
{
    if ((*name != '%' && *name != '@') || !name[1]) return false;
    for (const char *c = name + 1; *c; c++)
        if (!g_ascii_isalnum(*c) && !strchr("_$.-", *c)) return false;
    return true;
}

const tw__lsp_language tw__lsp_pto = {
    .id = "pto",
    .suffixes = "|.pto|",
    .comment = "//",
    .name_bytes = "%@$.",
    .index = pto_index,
    .word = pto_word,
    .format = pto_format,
    .is_name = pto_is_name,
};
