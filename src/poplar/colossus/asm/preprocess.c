/* SPDX-License-Identifier: MIT */
/* The C preprocessor, which .S files go through first. */
#include "poplar/colossus/asm/asm.h"

#include <stdlib.h>
#include <string.h>

/* "file:3:10: error: text" of the compiler as a diagnostic. */
static void add_message(tw_diags *diags, const char *line)
{
    static const struct {
        const char *text;
        tw_severity severity;
    } kinds[] = { { "fatal error: ", TW_ERROR }, { "error: ", TW_ERROR }, { "warning: ", TW_WARNING } };
    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
        const char *found = strstr(line, kinds[i].text);
        if (!found) continue;
        g_auto(GStrv) parts = g_strsplit(line, ":", 4);
        tw_diag diag = { .file = parts[0],
                         .length = 1,
                         .severity = kinds[i].severity,
                         .code = "asm.cpp",
                         .message = found + strlen(kinds[i].text) };
        if (g_strv_length(parts) == 4)
            diag.line = (int)strtol(parts[1], NULL, 10), diag.column = (int)strtol(parts[2], NULL, 10);
        tw_diags_add(diags, &diag);
        return;
    }
}

static char *find_clang(void)
{
    static const char *const names[] = { "clang-19", "clang" };
    const char *wanted = g_getenv("TILEWRIGHT_CLANG");
    if (wanted && *wanted) return g_find_program_in_path(wanted);
    char *found = NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(names) && !found; i++) found = g_find_program_in_path(names[i]);
    return found;
}

static void preprocess_add(GPtrArray *args, const char *text)
{
    g_ptr_array_add(args, g_strdup(text));
}

static GPtrArray *arguments(const char *clang, const char *path, const tw_asm_options *options, tw_isa_arch arch)
{
    static const char *const fixed[] = { "-E",        "-x",          "assembler-with-cpp", "-undef",
                                         "-nostdinc", "-D__IPU__=1", "-D__ASSEMBLER__=1",  "-D__POPC__=1" };
    GPtrArray *args = g_ptr_array_new_with_free_func(g_free);
    preprocess_add(args, clang);
    for (size_t i = 0; i < G_N_ELEMENTS(fixed); i++) preprocess_add(args, fixed[i]);
    g_ptr_array_add(args, g_strdup_printf("-D__IPU_ARCH_VERSION__=%s", tw_isa_arch_name(arch) + strlen("ipu")));
    for (const char *const *flag = options->cpp_flags; flag && *flag; flag++) preprocess_add(args, *flag);
    g_ptr_array_add(args, g_strdup_printf("-I%s", tw__include_dir()));
    g_ptr_array_add(args, g_strdup_printf("-I%s/poplar/device", tw__include_dir()));
    preprocess_add(args, "--");
    preprocess_add(args, path);
    g_ptr_array_add(args, NULL);
    return args;
}

tw_status tw__asm_preprocess(const char *path, const tw_asm_options *options, tw_isa_arch arch, char **text,
                             tw_diags *diags)
{
    g_autofree char *clang = find_clang(), *messages = NULL, *output = NULL;
    g_autoptr(GError) error = NULL;
    if (!clang)
        return tw__fail(TW_E_NO_ENVIRONMENT,
                        "'%s' needs the C preprocessor of clang, which is not installed (Debian: apt "
                        "install clang-19)",
                        path);
    g_autoptr(GPtrArray) args = arguments(clang, path, options, arch);
    int status = 0;
    if (!g_spawn_sync(NULL, (char **)args->pdata, NULL, G_SPAWN_DEFAULT, NULL, NULL, &output, &messages, &status,
                      &error))
        return tw__fail(TW_E_NO_ENVIRONMENT, "cannot run '%s': %s", clang, error->message);
    g_auto(GStrv) lines = g_strsplit(messages, "\n", -1);
    for (char **line = lines; *line; line++) add_message(diags, *line);
    if (!g_spawn_check_wait_status(status, NULL)) {
        if (!tw_diags_count(diags, TW_ERROR)) {
            tw_diag diag = {
                .file = path, .length = 1, .severity = TW_ERROR, .code = "asm.cpp", .message = messages
            };
            tw_diags_add(diags, &diag);
        }
        return tw__fail(TW_E_PARSE, "'%s' cannot be preprocessed", path);
    }
    *text = g_steal_pointer(&output);
    return TW_OK;
}
