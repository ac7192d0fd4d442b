/* SPDX-License-Identifier: MIT */
/* Lines of the source that a compiler made the text from: .file NUMBER "folder" "name", .loc NUMBER LINE COLUMN. */
#include "poplar/colossus/asm/asm.h"

enum { MAX_FILES = 1 << 16 };

/* A .file without a number names the text itself: accepted, without effect. */
void tw__asm_do_file(tw__asm *as, const char *name, place where)
{
    (void)name;
    int64_t number;
    tw__asm_skip_blanks(as);
    if (*as->top->at == '"') {
        tw__asm_skip_statement(as);
        return;
    }
    if (!tw__asm_read_constant(as, &number, "the number of a file")) return;
    if (number < 0 || number >= MAX_FILES) {
        fail_at(as, where, "the number of a file has to be 0 to %d", MAX_FILES - 1);
        return;
    }
    g_autoptr(GString) path = g_string_new(NULL);
    if (!tw__asm_read_string(as, path)) return;
    tw__asm_skip_blanks(as);
    if (*as->top->at == '"') {
        g_autoptr(GString) base = g_string_new(NULL);
        if (!tw__asm_read_string(as, base)) return;
        g_autofree char *whole =
            g_path_is_absolute(base->str) ? g_strdup(base->str) : g_build_filename(path->str, base->str, NULL);
        g_string_assign(path, whole);
    }
    tw__asm_skip_statement(as); /* checksums */
    const char *kept = tw__asm_copy_text(as, path->str, path->len);
    if (as->files->len <= number) g_ptr_array_set_size(as->files, (gint)number + 1);
    as->files->pdata[number] = (gpointer)kept;
}

/* From here on instructions come from this line and column; .loc 0, or a file without a name, ends it. What may
 * follow (is_stmt, discriminator ...) has no effect. */
void tw__asm_do_loc(tw__asm *as, const char *name, place where)
{
    (void)name, (void)where;
    int64_t number, line = 0, column = 0;
    if (!tw__asm_read_constant(as, &number, "the number of a file")) return;
    if (!tw__asm_at_end_of_statement(as) && !tw__asm_read_constant(as, &line, "the number of a line")) return;
    tw__asm_skip_blanks(as);
    if (g_ascii_isdigit(*as->top->at) && !tw__asm_read_constant(as, &column, "the number of a column")) return;
    tw__asm_skip_statement(as);
    bool known = number >= 0 && number < as->files->len && as->files->pdata[number];
    bool here = known && line > 0 && line <= UINT32_MAX; /* line 0: no place in the source */
    as->loc_file = here ? as->files->pdata[number] : NULL;
    as->loc_line = here ? (uint32_t)line : 0;
    as->loc_column = here && column > 0 && column <= UINT16_MAX ? (uint32_t)column : 0;
}
