/* SPDX-License-Identifier: MIT */
/* From LLVM's code to assembly: selection, registers, text. */
#include "poplar/colossus/cc/sel/generate.h"

#include "poplar/colossus/cc/emit/emit.h"
#include "poplar/colossus/cc/ra/ra.h"
#include "poplar/colossus/cc/sel/sel.h"

/* At the function's first line that the source has: what it inlined, in an entry. */
static bool generate_wrong(const tw__cc_request *request, const tw__mir *mir, const tw__mir_function *f,
                           const char *what)
{
    tw_diag diag = {
        .file = request->path, .length = 1, .severity = TW_ERROR, .code = "cc.internal", .message = what
    };
    for (uint32_t b = 0; b < f->block_count && !diag.line; b++)
        for (const tw__mir_insn *i = f->blocks[b].first; i && !diag.line; i = i->next)
            if (i->line && !g_str_has_suffix(mir->files[i->file], "<popc>"))
                diag.file = mir->files[i->file], diag.line = (int)i->line, diag.column = (int)i->column;
    request->report(request->user, &diag);
    return false;
}

/* Functions whose stack the source states, in what it says to the assembler (StackSizeDefs.hpp). */
static GHashTable *generate_stated(LLVMModuleRef module)
{
    static const char *const words[] = { ".stack_total", ".stack_own" };
    GHashTable *names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    size_t length = 0;
    g_auto(GStrv) lines = g_strsplit_set(LLVMGetModuleInlineAsm(module, &length), "\n;", -1);
    for (char **line = lines; *line; line++) {
        const char *at = g_strchug(*line);
        for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
            const char *name = at + strlen(words[i]);
            if (!g_str_has_prefix(at, words[i]) || !g_ascii_isspace(*name)) continue;
            name += strspn(name, " \t\"");
            g_hash_table_add(names, g_strndup(name, strcspn(name, ", \t\"")));
        }
    }
    return names;
}

bool tw__cc_generate(const tw__cc_request *request, LLVMModuleRef module, GString *assembly)
{
    tw__arena *arena = tw__arena_new(0);
    tw__mir *mir = tw__sel_module(module, request->arch, arena, request->report, request->user);
    const tw__ra_options options = { 0 };
    g_autoptr(GHashTable) stated = generate_stated(module);
    const char *problem = NULL;
    for (uint32_t i = 0; mir && i < mir->function_count && !problem; i++) {
        mir->functions[i]->states_stack = g_hash_table_contains(stated, mir->functions[i]->name);
        problem = tw__mir_check(mir, mir->functions[i]);
        if (!problem) problem = tw__ra_function(mir, mir->functions[i], &options);
        if (problem) generate_wrong(request, mir, mir->functions[i], problem);
    }
    bool is_fine = mir && !problem;
    if (is_fine) tw__mir_emit(mir, assembly);
    tw__arena_free(arena);
    return is_fine;
}
