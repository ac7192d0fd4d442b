/* SPDX-License-Identifier: MIT */
/* The table of directives, and those that fit nowhere else. */
#include "poplar/colossus/asm/asm.h"

#include <string.h>

static void do_mode(tw__asm *as, const char *name, place where)
{
    (void)where;
    as->mode = *name == 'w' ? TW_ISA_WORKER : TW_ISA_SUPERVISOR;
}

/* Debug tables of other tools: accepted, without effect. */
static void do_ignore(tw__asm *as, const char *name, place where)
{
    (void)name, (void)where;
    tw__asm_skip_statement(as);
}

static void do_say(tw__asm *as, const char *name, place where)
{
    g_autoptr(GString) text = g_string_new(NULL);
    if (strcmp(name, "err") == 0)
        g_string_assign(text, ".err stands here");
    else if (tw__asm_at_end_of_statement(as))
        g_string_printf(text, ".%s stands here", name);
    else if (!tw__asm_read_string(as, text))
        return;
    if (strcmp(name, "print") == 0)
        tw__asm_say(as, where, text->str);
    else
        tw__asm_report(as, where, *name == 'w' ? TW_WARNING : TW_ERROR, "%s", text->str);
}

static void do_end(tw__asm *as, const char *name, place where)
{
    (void)name, (void)where;
    as->ended = true;
}

static void do_macro(tw__asm *as, const char *name, place where)
{
    (void)name;
    tw__asm_define_macro(as, where);
}

static void do_purge(tw__asm *as, const char *name, place where)
{
    (void)name, (void)where;
    tw__asm_purge_macro(as);
}

static void do_exitm(tw__asm *as, const char *name, place where)
{
    (void)name;
    tw__asm_exit_macro(as, where);
}

static void do_stray_end(tw__asm *as, const char *name, place where)
{
    fail_at(as, where, "there is nothing that .%s could end", name);
}

/* .allow_X and .error_on_invalid_X turn checks off and on. */
static void do_checks(tw__asm *as, const char *name, place where)
{
    (void)where;
    if (strcmp(name, "allow_optimizations") == 0)
        as->optimise = true;
    else if (strcmp(name, "warn_on_invalid_bundles") == 0)
        as->allow_bundles = true;
    else if (strcmp(name, "error_on_invalid_bundles") == 0)
        as->allow_bundles = false;
    else if (strcmp(name, "allow_invalid_operands") == 0)
        as->allow_operands = true;
    else if (strcmp(name, "error_on_invalid_operands") == 0)
        as->allow_operands = false;
    else if (strcmp(name, "allow_invalid_execution_mode") == 0)
        as->allow_mode = true;
    else if (strcmp(name, "error_on_invalid_execution_mode") == 0)
        as->allow_mode = false;
    else
        as->allow_repeat = true;
}

static void do_include(tw__asm *as, const char *name, place where)
{
    (void)name;
    g_autoptr(GString) path = g_string_new(NULL);
    g_autofree char *text = NULL; /* GLib's memory is malloc's */
    if (!tw__asm_read_string(as, path)) return;
    g_autofree char *folder = g_path_get_dirname(as->top->file),
                    *beside = g_build_filename(folder, path->str, NULL);
    bool there = g_file_test(beside, G_FILE_TEST_EXISTS);
    size_t length;
    if (tw__read_regular_file(there ? beside : path->str, TW_SOURCE_LIMIT, &text, &length) != TW_OK) {
        fail_at(as, where, "%s", tw_error_message());
        return;
    }
    if (strlen(text) != length) {
        fail_at(as, where, "%s holds a byte 0", path->str);
        return;
    }
    tw__asm_skip_statement(as); /* the rest of the line, before the new text comes on top */
    frame *f = TW__NEW(as->arena, frame);
    char *copy = f ? tw__asm_copy_text(as, text, strlen(text)) : NULL;
    if (!copy) {
        as->stopped = true, as->status = TW_E_NO_MEMORY;
        return;
    }
    *f = (frame){ .text = copy,
                  .at = copy,
                  .end = copy + strlen(copy),
                  .file = tw__asm_copy_text(as, path->str, path->len),
                  .line = 1,
                  .called_at = where.at };
    if (f->file) tw__asm_push_frame(as, f);
}

static void do_repeat(tw__asm *as, const char *name, place where)
{
    tw__asm_repeat_text(as, name, where);
}

static const struct {
    const char *name;
    directive_function *run;
} directives[] = {
    { "2byte", tw__asm_do_data },
    { "4byte", tw__asm_do_data },
    { "8byte", tw__asm_do_data },
    { "addrsig", do_ignore },
    { "addrsig_sym", do_ignore },
    { "align", tw__asm_do_align },
    { "allow_invalid_execution_mode", do_checks },
    { "allow_invalid_operands", do_checks },
    { "allow_invalid_repeat", do_checks },
    { "allow_optimizations", do_checks },
    { "altmacro", do_ignore },
    { "ascii", tw__asm_do_string },
    { "asciz", tw__asm_do_string },
    { "balign", tw__asm_do_align },
    { "bss", tw__asm_do_named_section },
    { "byte", tw__asm_do_data },
    { "comm", tw__asm_do_comm },
    { "data", tw__asm_do_named_section },
    { "double", tw__asm_do_float },
    { "end", do_end },
    { "endm", do_stray_end },
    { "endmacro", do_stray_end },
    { "endr", do_stray_end },
    { "equ", tw__asm_do_set },
    { "equiv", tw__asm_do_set },
    { "err", do_say },
    { "error", do_say },
    { "error_on_invalid_bundles", do_checks },
    { "error_on_invalid_execution_mode", do_checks },
    { "error_on_invalid_operands", do_checks },
    { "exitm", do_exitm },
    { "extern", do_ignore },
    { "file", tw__asm_do_file },
    { "fill", tw__asm_do_fill },
    { "float", tw__asm_do_float },
    { "global", tw__asm_do_binding },
    { "globl", tw__asm_do_binding },
    { "half", tw__asm_do_data },
    { "hidden", tw__asm_do_visibility },
    { "hword", tw__asm_do_data },
    { "ident", do_ignore },
    { "incbin", tw__asm_do_incbin },
    { "include", do_include },
    { "int", tw__asm_do_data },
    { "internal", tw__asm_do_visibility },
    { "irp", do_repeat },
    { "irpc", do_repeat },
    { "lcomm", tw__asm_do_comm },
    { "line", do_ignore },
    { "loc", tw__asm_do_loc },
    { "local", tw__asm_do_binding },
    { "long", tw__asm_do_data },
    { "macro", do_macro },
    { "noaltmacro", do_ignore },
    { "org", tw__asm_do_org },
    { "p2align", tw__asm_do_align },
    { "popsection", tw__asm_do_pop_section },
    { "previous", tw__asm_do_previous },
    { "print", do_say },
    { "protected", tw__asm_do_visibility },
    { "purgem", do_purge },
    { "pushsection", tw__asm_do_push_section },
    { "quad", tw__asm_do_data },
    { "reloc", tw__asm_do_reloc },
    { "rep", do_repeat },
    { "rept", do_repeat },
    { "rodata", tw__asm_do_named_section },
    { "section", tw__asm_do_section },
    { "set", tw__asm_do_set },
    { "short", tw__asm_do_data },
    { "single", tw__asm_do_float },
    { "size", tw__asm_do_size },
    { "skip", tw__asm_do_space },
    { "space", tw__asm_do_space },
    { "stack_calls", tw__asm_do_stack_calls },
    { "stack_own", tw__asm_do_stack_size },
    { "stack_total", tw__asm_do_stack_size },
    { "string", tw__asm_do_string },
    { "supervisor", do_mode },
    { "text", tw__asm_do_named_section },
    { "title", do_ignore },
    { "type", tw__asm_do_type },
    { "value", tw__asm_do_data },
    { "warn_on_invalid_bundles", do_checks },
    { "warning", do_say },
    { "weak", tw__asm_do_binding },
    { "word", tw__asm_do_data },
    { "worker", do_mode },
    { "zero", tw__asm_do_space },
};

static const char *nearest_directive(const char *name)
{
    const char *names[G_N_ELEMENTS(directives)];
    for (size_t i = 0; i < G_N_ELEMENTS(directives); i++) names[i] = directives[i].name;
    return tw__nearest(name, names, G_N_ELEMENTS(directives));
}

/* name: behind the dot. The table is in order of names. */
void tw__asm_run_directive(tw__asm *as, const char *at, size_t length)
{
    place where = tw__asm_place_at(as, at - 1, length + 1);
    if (tw__asm_condition_directive(as, at, length, where)) return;
    char name[64];
    size_t n = MIN(length, sizeof name - 1);
    for (size_t i = 0; i < n; i++) name[i] = g_ascii_tolower(at[i]);
    name[n] = 0;
    size_t low = 0, high = G_N_ELEMENTS(directives);
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strcmp(directives[middle].name, name);
        if (order == 0) {
            directives[middle].run(as, directives[middle].name, where);
            return;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (tw__asm_cfi_directive(as, name, where)) return;
    tw__asm_skip_statement(as);
    char hint[TW__HINT_BYTES];
    fail_at(as, where, "unknown directive '.%s'%s", name, tw__did_you_mean(hint, nearest_directive(name)));
}
