/* SPDX-License-Identifier: MIT */
/* lsp_asm: assembly of the IPU's tiles for the server. A text with lines for the preprocessor is assembled as a file,
 * which a process of its own reads first: when all else is done. */
#include "cli/lsp/lsp.h"

#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <tilewright/poplar/colossus/asm.h>
#include <tilewright/poplar/colossus/isa.h>
#include <unistd.h>

static bool has_directives(const char *text)
{
    for (const char *at = text; at; at = (at = strchr(at, '\n')) ? at + 1 : NULL) {
        at += strspn(at, " \t");
        if (g_str_has_prefix(at, "#include") || g_str_has_prefix(at, "#define") || g_str_has_prefix(at, "#if") ||
            g_str_has_prefix(at, "#undef"))
            return true;
    }
    return false;
}

/* The text as a file elsewhere; messages name the file that the user knows. */
static void assemble_as_file(const char *root, const char *text, size_t size, const tw_asm_options *given,
                             tw_diags *diags)
{
    g_autofree char *name = NULL, *folder = g_path_get_dirname(root), *include = g_strconcat("-I", folder, NULL);
    int file = g_file_open_tmp("tilewright-XXXXXX.S", &name, NULL);
    if (file < 0) return;
    close(file);
    const char *flags[] = { include, NULL };
    tw_asm_options options = *given;
    options.cpp_flags = flags;
    tw_diags *own = tw__cli_diags();
    if (g_file_set_contents(name, text, (gssize)size, NULL)) tw_object_free(tw_asm_file(name, &options, own));
    const tw_diag *diag;
    for (size_t i = 0; (diag = tw_diags_get(own, i)); i++) {
        tw_diag one = *diag;
        if (one.file && !strcmp(one.file, name)) one.file = root;
        tw_diags_add(diags, &one);
    }
    tw_diags_free(own);
    g_unlink(name);
}

static tw_index *asm_index(tw__lsp *server, const tw__lsp_program *program, bool quick, bool stoppable,
                           tw_diags *diags)
{
    (void)stoppable;
    size_t size = 0;
    char *text = tw__lsp_open(server, program->root, &size);
    if (!text) text = tw_read_file(program->root, TW_SOURCE_LIMIT, &size);
    if (!text) return NULL;
    const char *arch = json_string_value(json_object_get(json_object_get(server->settings, "asm"), "arch"));
    const tw_asm_options options = { .size = sizeof options, .arch = arch ? tw_isa_arch_by_name(arch) : 0 };
    if (!has_directives(text))
        tw_object_free(tw_asm_text(text, size, program->root, &options, diags));
    else if (!quick)
        assemble_as_file(program->root, text, size, &options, diags);
    tw_index *index = tw_asm_index(text, size, program->root);
    free(text);
    return index;
}

/* Instructions, each mnemonic once, then control registers. */
static bool asm_word(size_t i, tw__lsp_word *word)
{
    enum { VARIABLE = 6, FUNCTION = 3 };
    static char *syntax, *text;
    const tw_isa_row *row = tw_isa_get(i);
    char buffer[TW_INSN_TEXT];
    if (!row) {
        const tw_isa_csr *csr = tw_isa_csr_get(i - tw_isa_count());
        if (csr)
            *word = (tw__lsp_word){
                .label = csr->name, .detail = "control register", .doc = csr->doc, .kind = VARIABLE
            };
        return csr != NULL;
    }
    GString *forms = g_string_new(NULL);
    for (const tw_isa_row *r = tw_isa_find(row->name, NULL); r; r = tw_isa_find(row->name, r))
        g_string_append_printf(forms, "%s%s", forms->len ? "\n" : "", tw_isa_syntax(r, buffer));
    g_free(syntax);
    g_free(text);
    syntax = g_string_free(forms, FALSE);
    text =
        g_strdup_printf("%s\n\n%s pipeline, %u turn%s of the worker", row->doc,
                        row->pipe == TW_ISA_MAIN ? "main" : "auxiliary", row->cycles, row->cycles == 1 ? "" : "s");
    *word = (tw__lsp_word){ .label = row->name, .detail = syntax, .doc = text, .kind = FUNCTION };
    return true;
}

static bool asm_is_name(const char *name)
{
    if (!g_ascii_isalpha(*name) && *name != '_' && *name != '.') return false;
    for (const char *c = name; *c; c++)
        if (!g_ascii_isalnum(*c) && !strchr("_.$", *c)) return false;
    return true;
}

const tw__lsp_language tw__lsp_asm = {
    .id = "ipu-asm",
    .suffixes = "|.s|.S|.asm|",
    .comment = "//",
    .name_bytes = "$.",
    .index = asm_index,
    .word = asm_word,
    .is_name = asm_is_name,
};
