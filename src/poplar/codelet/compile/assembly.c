/* SPDX-License-Identifier: MIT */
/* Assembly beside codelets in C and C++: code for the chip, and the stack sizes that it states. */
#include "poplar/codelet/compile/compile.h"

#include <string.h>

/* The preprocessor's share of a codelet's flags; the rest, such as -O2, means nothing to an assembler. */
static GPtrArray *preprocessor_flags(const char *const *flags)
{
    GPtrArray *kept = g_ptr_array_new();
    for (; flags && *flags; flags++) {
        if ((*flags)[0] != '-' || !(*flags)[1] || !strchr("IDU", (*flags)[1])) continue;
        g_ptr_array_add(kept, (char *)*flags);
        if (!(*flags)[2] && flags[1]) g_ptr_array_add(kept, (char *)*++flags); /* "-I folder" */
    }
    g_ptr_array_add(kept, NULL);
    return kept;
}

tw_status tw__assemble(const char *path, const char *const *flags, tw__arch arch, tw_object **object,
                       tw_diags *diags)
{
    GPtrArray *kept = preprocessor_flags(flags);
    tw_asm_options options = { .size = sizeof options,
                               .arch = tw_isa_arch_by_name(tw__arch_name(arch)),
                               .cpp_flags = (const char *const *)kept->pdata };
    tw_status status = tw_status_of(*object = tw_asm_file(path, &options, diags));
    if (status == TW_E_PARSE) {
        g_autofree char *why = g_strdup(tw_error_message());
        status = tw__fail(TW_E_COMPILATION, "%s", why);
    }
    g_ptr_array_free(kept, TRUE);
    return status;
}

void tw__stack_read_object(const tw_object *object, GArray *notes)
{
    static const tw__stack_kind kinds[] = {
        [TW_STACK_TOTAL] = TW__STACK_TOTAL, [TW_STACK_OWN] = TW__STACK_OWN, [TW_STACK_CALLS] = TW__STACK_CALLS
    };
    const tw_stack_note *note;
    for (size_t i = 0; (note = tw_object_get_stack_note(object, i)); i++) {
        tw__stack_note added = { .kind = kinds[note->kind],
                                 .bytes = note->bytes,
                                 .function = g_strdup(note->name),
                                 .targets = g_strdup(note->targets) };
        g_array_append_val(notes, added);
    }
}
