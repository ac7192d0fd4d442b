/* SPDX-License-Identifier: MIT */
/* The assembler's main loop: statements of the top frame, one after the other, and what is left to do at the end. */
#include "poplar/colossus/asm/asm.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* --- statements ----------------------------------------------------------------------------------------------- */

/* "12:" at the cursor. */
static bool read_numeric_label(tw__asm *as)
{
    const char *start = as->top->at, *p = start;
    unsigned number = 0;
    for (; isdigit((unsigned char)*p); p++)
        if (number < 100000) number = number * 10 + (unsigned)(*p - '0');
    if (*p != ':' || number >= 100000) return false;
    as->top->at = p + 1;
    if (as->in_bundle)
        fail_at(as, tw__asm_place_at(as, start, 1), "a label cannot stand in a bundle: write it before the brace");
    else
        tw__asm_define_numeric_label(as, number);
    return true;
}

static void read_assignment(tw__asm *as, const char *at, size_t n)
{
    const char *name = tw__asm_copy_text(as, at, n);
    value v;
    if (name && tw__asm_read_value(as, &v)) tw__asm_set_symbol(as, name, tw__asm_place_at(as, at, n), v, false);
}

/* A label whose name is in quotes, as compilers write names that are no words of the language. */
static bool read_quoted_label(tw__asm *as)
{
    const char *start = as->top->at + 1, *end = start + strcspn(start, "\"\n");
    const char *next = end + 1 + strspn(*end ? end + 1 : end, " \t");
    if (*end != '"' || end == start || *next != ':') return false;
    as->top->at = next + 1;
    if (as->in_bundle)
        fail_at(as, tw__asm_place_at(as, start, 1), "a label cannot stand in a bundle: write it before the brace");
    else
        tw__asm_define_label(as, start, (size_t)(end - start));
    return true;
}

/* A statement that begins with a name. False when more may follow on the same line: it was a label. */
static bool named_statement(tw__asm *as, const char *at, size_t n)
{
    const char *next = at + n + strspn(at + n, " \t");
    if (*next == ':') {
        as->top->at = next + 1;
        if (as->in_bundle)
            fail_at(as, tw__asm_place_at(as, at, n), "a label cannot stand in a bundle: write it before the brace");
        else
            tw__asm_define_label(as, at, n);
        return false;
    }
    as->top->at = next;
    if (*next == '=' && next[1] != '=') {
        as->top->at = next + 1;
        read_assignment(as, at, n);
    } else if (tw__asm_expand_macro(as, at, n)) {
        return false;
    } else if (*at == '.' && n > 1) {
        frame *before = as->top;
        tw__asm_run_directive(as, at + 1, n - 1);
        return as->top == before; /* else new text lies on top, and this line is done with */
    } else {
        tw__asm_read_instruction(as, at, n);
    }
    return true;
}

/* errors: before the statement. What follows a mistake is not told as another one. */
static void check_end(tw__asm *as, unsigned errors)
{
    if (as->errors != errors) tw__asm_skip_statement(as);
    if (tw__asm_at_end_of_statement(as)) return;
    const char *at = as->top->at;
    size_t n = tw__asm_identifier_length(at);
    fail_at(as, tw__asm_place_at(as, at, MAX(n, 1)), "this is not expected here, at the end of the statement");
    tw__asm_skip_statement(as);
}

/* Text behind a condition that does not hold. */
static void skipped_statement(tw__asm *as)
{
    const char *at = as->top->at;
    size_t n = tw__asm_identifier_length(at);
    if (n > 1 && *at == '.') {
        as->top->at = at + n;
        place where = tw__asm_place_at(as, at, n);
        unsigned errors = as->errors;
        if (tw__asm_condition_directive(as, at + 1, n - 1, where)) {
            check_end(as, errors);
            return;
        }
    }
    tw__asm_skip_statement(as);
    if (*as->top->at == '}') as->top->at++;
}

static void statement(tw__asm *as)
{
    tw__asm_skip_blanks(as);
    const char *at = as->top->at;
    if (at == as->top->end) {
        tw__asm_pop_frame(as);
        return;
    }
    if (*at == '\n' || *at == ';') {
        as->top->at++;
        return;
    }
    if (!tw__asm_is_active(as)) {
        skipped_statement(as);
        return;
    }
    if (*at == '{' || *at == '}') {
        if (*at == '{')
            tw__asm_open_bundle(as);
        else
            tw__asm_close_bundle(as);
        as->top->at++;
        return;
    }
    size_t n = tw__asm_identifier_length(at);
    unsigned errors = as->errors;
    if (n) {
        if (named_statement(as, at, n)) check_end(as, errors);
    } else if ((isdigit((unsigned char)*at) && read_numeric_label(as)) || (*at == '"' && read_quoted_label(as))) {
        return;
    } else {
        fail_at(as, tw__asm_place_at(as, at, 1), "expected a label, an instruction or a directive");
        as->top->at++;
        tw__asm_skip_statement(as);
    }
}

/* --- the whole ------------------------------------------------------------------------------------------------ */

static bool assemble_begin(tw__asm *as, const char *text, size_t length, const char *file)
{
    as->arena = tw__arena_new(0);
    as->object = as->arena ? tw_object_new(as->arch) : NULL;
    as->section = as->object ? tw_object_section(as->object, ".text", TW_SECTION_CODE) : -1;
    as->previous = as->section;
    as->notes = g_array_new(FALSE, TRUE, sizeof(symbol_note));
    as->numeric = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    as->fixups = g_array_new(FALSE, FALSE, sizeof(fixup));
    as->repeats = g_array_new(FALSE, FALSE, sizeof(repeat));
    as->conditions = g_array_new(FALSE, FALSE, sizeof(condition));
    as->stack_sizes = g_array_new(FALSE, FALSE, sizeof(stack_size));
    as->files = g_ptr_array_new();
    as->cfi = g_ptr_array_new_with_free_func(tw__asm_free_cfi);
    as->stated = g_hash_table_new(g_str_hash, g_str_equal);
    as->section_stack = g_array_new(FALSE, FALSE, sizeof(int));
    as->macros = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, tw__asm_free_macro);
    g_array_set_size(as->notes, 64);
    frame *f = as->arena ? TW__NEW(as->arena, frame) : NULL;
    char *copy = f ? tw__asm_copy_text(as, text, length) : NULL;
    if (as->section < 0 || !copy) return false;
    *f = (frame){ .text = copy, .at = copy, .end = copy + length, .file = file, .line = 1 };
    if (strncmp(copy, "\xef\xbb\xbf", 3) == 0) f->at += 3; /* the mark that some editors put before UTF-8 */
    const char *zero = memchr(copy, 0, length);
    as->top = f;
    if (zero) {
        fail_at(as, tw__asm_place_at(as, zero, 1), "the text holds a byte 0 here");
        f->end = zero;
    }
    return true;
}

static void finish(tw__asm *as)
{
    if (as->in_bundle) fail_at(as, as->bundle_place, "the bundle has no closing brace");
    as->in_bundle = false;
    tw__asm_check_symbols(as);
    tw__asm_finish_stack(as);
    tw__asm_apply_fixups(as);
    if (!as->errors) tw__asm_check_repeats(as);
    tw__asm_finish_lines(as);
    tw__asm_finish_cfi(as);
}

static void clean_up(tw__asm *as)
{
    g_array_free(as->notes, TRUE);
    g_hash_table_destroy(as->numeric);
    g_array_free(as->fixups, TRUE);
    g_array_free(as->repeats, TRUE);
    g_array_free(as->conditions, TRUE);
    g_array_free(as->stack_sizes, TRUE);
    g_ptr_array_free(as->files, TRUE);
    g_ptr_array_free(as->cfi, TRUE);
    g_hash_table_destroy(as->stated);
    g_array_free(as->section_stack, TRUE);
    g_hash_table_destroy(as->macros);
    tw__arena_free(as->arena);
}

static tw_status assemble(const char *text, size_t length, const char *file, const tw_asm_options *given,
                          tw_diags *diags, tw_object **object)
{
    tw_asm_options chosen;
    const tw_asm_options *options = &chosen;
    *object = NULL;
    tw_status status = TW__TAKE_OPTIONS(&chosen, given, tw_asm_options);
    if (status != TW_OK) return status;
    tw_diags *own = diags ? NULL : tw_diags_new();
    tw__asm as = { .options = options,
                   .arch = options->arch ? options->arch : TW_ISA_IPU2,
                   .diags = diags ? diags : own,
                   .max_errors = options->max_errors ? options->max_errors : 20,
                   .max_expanded = options->max_expanded ? options->max_expanded : 64 << 20 };
    *object = NULL;
    if (!*tw_isa_arch_name(as.arch)) {
        tw_diags_free(own);
        return tw__fail(TW_E_INVALID_ARGUMENT, "assembly is for one chip, not a set");
    }
    bool begun = assemble_begin(&as, text, length, file) && tw_object_set_name(as.object, file) == TW_OK;
    while (begun && as.top && !as.stopped && !as.ended) statement(&as);
    if (begun && !as.stopped) finish(&as);
    if (!begun || as.status != TW_OK || tw__arena_failed(as.arena))
        as.status = tw__fail(TW_E_NO_MEMORY, "out of memory while assembling '%s'", file);
    else if (as.errors)
        as.status = tw__fail(TW_E_PARSE, "'%s' has %u error%s%s", file, as.errors, as.errors == 1 ? "" : "s",
                             as.stopped ? " or more" : "");
    if (as.status == TW_OK)
        *object = as.object;
    else
        tw_object_free(as.object);
    clean_up(&as);
    tw_diags_free(own);
    return as.status;
}

tw_object *tw_asm_text(const char *text, size_t length, const char *file, const tw_asm_options *options,
                       tw_diags *diags)
{
    tw_object *object;
    tw_status status = assemble(text, length, file, options, diags, &object);
    return tw__made(status, object);
}

tw_object *tw_asm_file(const char *path, const tw_asm_options *given, tw_diags *diags)
{
    tw_asm_options chosen;
    const tw_asm_options *options = &chosen;
    tw_status status = TW__TAKE_OPTIONS(&chosen, given, tw_asm_options);
    if (status != TW_OK) return tw__made(status, NULL);
    tw_object *object = NULL;
    char *text = NULL;
    size_t length = 0;
    if (!options->preprocessed && g_str_has_suffix(path, ".S")) {
        /* clang would read a device for ever, or not at all */
        if (!(text = tw_read_file(path, TW_SOURCE_LIMIT, NULL))) return NULL;
        free(text), text = NULL;
        tw_diags *own = diags ? NULL : tw_diags_new();
        tw_isa_arch arch = options->arch ? options->arch : TW_ISA_IPU2;
        status = tw__asm_preprocess(path, options, arch, &text, diags ? diags : own);
        tw_diags_free(own);
        length = text ? strlen(text) : 0;
    } else {
        status = tw_status_of(text = tw_read_file(path, TW_SOURCE_LIMIT, &length));
    }
    if (status == TW_OK) status = assemble(text, length, path, options, diags, &object);
    free(text);
    return tw__made(status, object);
}
