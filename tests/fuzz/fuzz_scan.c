/* SPDX-License-Identifier: MIT */
// needs: codelet
/* The scan of a codelet source with libclang: whatever the bytes, it gives a table that the reader of tables takes,
 * or an error that says something. The first byte says whether the source is C. A machine without libclang has
 * nothing to scan with. */
#include "poplar/codelet/compile/compile.h"

#include <stdlib.h>
#include <string.h>

static void check(bool ok) /* in every build, also where assert is off */
{
    if (!ok) abort();
}

static unsigned errors;

static void count(void *user, const tw__scan_diag *diag)
{
    (void)user;
    check(diag->message && *diag->message && diag->file);
    errors += diag->severity == 2;
}

static void read_table(const char *text)
{
    json_t *table = json_loads(text, 0, NULL);
    check(table != NULL);
    tw__arena *arena = tw__arena_new(0);
    GPtrArray *types = g_ptr_array_new();
    tw_status status = tw__table_read(arena, table, TW__HALF_FLOAT, "fuzz", types);
    check(status == TW_OK || *tw_error_message());
    g_ptr_array_free(types, TRUE);
    tw__arena_free(arena);
    json_decref(table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const tw__toolchain *toolchain;
    tw__scan_function scan;
    if (!size || size > 4096 || tw__toolchain_get(&toolchain) || tw__module_load(&scan)) return 0;
    bool is_c = data[0] & 1;
    g_autofree char *text = g_strndup((const char *)data + 1, size - 1);
    if (strstr(text, "include")) { /* what lies on this machine is not the text's business */
        const char *at = text;
        while ((at = strstr(at, "include")) && g_str_has_prefix(at, "include <poplar/Vertex.hpp>")) at++;
        if (at) return 0;
    }
    tw__source source = { is_c ? "fuzz.c" : "fuzz.cpp", text, is_c, NULL };
    GPtrArray *args = tw__toolchain_args(toolchain, &source, TW__BUILD_FLOAT, TW__BUILD_PORTABLE);
    char *rewritten = tw__rewrite_constraints(text, strlen(text));
    tw__scan request = { .version = TW__SCAN_VERSION,
                         .path = source.path,
                         .text = rewritten ? rewritten : text,
                         .length = strlen(text),
                         .is_c = is_c,
                         .args = (const char *const *)args->pdata,
                         .num_args = (int)args->len - 1,
                         .rewrite = tw__rewrite_constraints,
                         .report = count };
    errors = 0;
    char *table = scan(&request);
    if (table) read_table(table);
    free(table);
    free(rewritten);
    g_ptr_array_free(args, TRUE);
    return 0;
}
