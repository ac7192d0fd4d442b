/* SPDX-License-Identifier: MIT */
/* Shared by the tests of the assembler: text in, words or diagnostics out. */
#ifndef ASM_TEST_H
#define ASM_TEST_H

#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "poplar/colossus/isa/isa.h"

#include <glib.h>
#include <string.h>
#include <tilewright/poplar/colossus/asm.h>

/* The object of a text; fails the test with the messages when it has errors. */
__attribute__((unused)) static tw_object *assemble_for(tw_isa_arch arch, const char *text)
{
    tw_asm_options options = { .size = sizeof options, .arch = arch };
    tw_diags *diags = tw_diags_new();
    tw_object *object = tw_asm_text(text, strlen(text), "test.S", &options, diags);
    tw_status status = tw_status_of(object);
    if (status != TW_OK) tw_diags_print(diags, stderr, false);
    tw_diags_free(diags);
    if (status != TW_OK) fail_msg("%s\nin: %s", tw_error_message(), text);
    return object;
}

__attribute__((unused)) static tw_object *assemble(const char *text)
{
    return assemble_for(TW_ISA_IPU2, text);
}

__attribute__((unused)) static const tw_section *section_of(const tw_object *object, const char *name)
{
    const tw_section *s;
    for (size_t i = 0; (s = tw_object_get_section(object, i)); i++)
        if (strcmp(s->name, name) == 0) return s;
    fail_msg("there is no section %s", name);
    return NULL;
}

__attribute__((unused)) static uint32_t word_of(const tw_section *s, uint32_t index)
{
    const uint8_t *p = s->data + 4 * index;
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Bytes of a section as text: "01020304". */
__attribute__((unused)) static char *hex_of(const tw_section *s)
{
    GString *out = g_string_new(NULL);
    for (uint32_t i = 0; i < s->size; i++) g_string_append_printf(out, "%02x", s->data[i]);
    return g_string_free(out, FALSE);
}

/* The text must be refused with a message that holds `phrase`, at line and column. */
__attribute__((unused)) static void check_refused(tw_isa_arch arch, const char *text, const char *phrase, int line,
                                                  int column)
{
    tw_asm_options options = { .size = sizeof options, .arch = arch };
    tw_diags *diags = tw_diags_new();
    tw_object *object = tw_asm_text(text, strlen(text), "test.S", &options, diags);
    tw_status status = tw_status_of(object);
    const tw_diag *found = NULL, *d;
    for (size_t i = 0; (d = tw_diags_get(diags, i)) && !found; i++)
        if (d->severity == TW_ERROR && strstr(d->message, phrase)) found = d;
    if (!found) tw_diags_print(diags, stderr, false);
    if (status != TW_E_PARSE || !found) fail_msg("not refused with '%s': %s", phrase, text);
    if (found->line != line || found->column != column)
        fail_msg("'%s' at %d:%d, not %d:%d: %s", phrase, found->line, found->column, line, column, text);
    assert_string_equal(found->file, "test.S");
    assert_non_null(found->source);
    assert_null(object);
    tw_diags_free(diags);
}

#endif
