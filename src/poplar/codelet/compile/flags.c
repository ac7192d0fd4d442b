/* SPDX-License-Identifier: MIT */
/* What a source file is, and the flags it may be compiled with. */
#include "poplar/codelet/compile/compile.h"

#include <string.h>

tw__codelet_type tw__codelet_type_of(const char *path, bool *is_assembly)
{
    static const struct {
        const char *suffix;
        tw__codelet_type type;
    } suffixes[] = { { ".c", TW__CODELET_C },       { ".cpp", TW__CODELET_CPP }, { ".cc", TW__CODELET_CPP },
                     { ".cxx", TW__CODELET_CPP },   { ".C", TW__CODELET_CPP },   { ".c++", TW__CODELET_CPP },
                     { ".gp", TW__CODELET_OBJECT }, { ".o", TW__CODELET_OBJECT } };
    static const char *const assembly[] = { ".S", ".s", ".asm" };
    if (is_assembly) *is_assembly = false;
    for (size_t i = 0; i < G_N_ELEMENTS(suffixes); i++)
        if (g_str_has_suffix(path, suffixes[i].suffix)) return suffixes[i].type;
    for (size_t i = 0; i < G_N_ELEMENTS(assembly) && is_assembly; i++)
        *is_assembly = *is_assembly || g_str_has_suffix(path, assembly[i]);
    return TW__CODELET_AUTO;
}

tw_status tw__check_flag(const char *flag)
{
    static const char *const refused[] = { "-o",      "-c",       "-S",      "-E",           "-x",
                                           "-shared", "--target", "-target", "-fsyntax-only" };
    for (size_t i = 0; i < G_N_ELEMENTS(refused); i++)
        if (strcmp(flag, refused[i]) == 0 || (g_str_has_prefix(flag, "--target=") && i == 0))
            return tw__fail(TW_E_INVALID_ARGUMENT,
                            "'%s' is not a flag for a codelet: expected -D, -I, -U, -g, -O, -std, -W... "
                            "or -f...",
                            flag);
    return TW_OK;
}

tw_status tw__split_flags(const char *flags, char ***out)
{
    char **words = NULL;
    GError *error = NULL;
    *out = NULL;
    bool empty = !flags || strspn(flags, " \t\n") == strlen(flags);
    if (!empty && !g_shell_parse_argv(flags, NULL, &words, &error)) {
        tw_status status = tw__fail(TW_E_INVALID_ARGUMENT, "flags '%s': %s", flags, error->message);
        g_error_free(error);
        return status;
    }
    for (char **word = words; word && *word; word++) {
        tw_status status = tw__check_flag(*word);
        if (status != TW_OK) {
            g_strfreev(words);
            return status;
        }
    }
    *out = words ? words : g_new0(char *, 1);
    return TW_OK;
}

void tw__add_line_marker(GString *text, const char *path)
{
    g_string_append(text, "# 1 \"");
    for (; *path; path++) {
        if (*path == '"' || *path == '\\') g_string_append_c(text, '\\');
        g_string_append_c(text, *path);
    }
    g_string_append(text, "\"\n");
}

tw_status tw__check_source_name(const char *path)
{
    for (const char *at = path; *at; at++)
        if ((unsigned char)*at < ' ') { /* messages and lists of dependencies are lines of text */
            g_autofree char *shown = g_strescape(path, NULL);
            return tw__fail(TW_E_FILE_LOAD,
                            "the name \"%s\" of a codelet source has a control character: rename it", shown);
        }
    return TW_OK;
}

enum { ARCHIVE_LIMIT = 256 << 20 }; /* bytes of a .gp file */

tw_status tw__read_file(const char *path, char **data, size_t *size)
{
    bool is_archive = tw__codelet_type_of(path, NULL) == TW__CODELET_OBJECT;
    return tw_status_of(*data = tw_read_file(strcmp(path, "-") == 0 ? "./-" : path,
                                             is_archive ? ARCHIVE_LIMIT : TW_SOURCE_LIMIT, size));
}
