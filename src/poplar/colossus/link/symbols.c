/* SPDX-License-Identifier: MIT */
/* Which definition a name stands for: a strong one before a common one before a weak one. */
#include "poplar/colossus/link/link.h"

#include <string.h>

static int rank(const tw__link_symbol *s)
{
    return s->weak ? 0 : s->common ? 1 : 2;
}

static void add_definition(tw__link *link, const tw__link_symbol *added)
{
    gpointer found = g_hash_table_lookup(link->names, added->name);
    if (!found) {
        g_array_append_vals(link->symbols, added, 1);
        g_hash_table_insert(link->names, (gpointer)added->name, GUINT_TO_POINTER(link->symbols->len));
        return;
    }
    tw__link_symbol *old = &g_array_index(link->symbols, tw__link_symbol, GPOINTER_TO_UINT(found) - 1);
    if (rank(old) == 2 && rank(added) == 2) {
        char a[32], b[32];
        tw__link_error(link, "'%s' is defined in %s and in %s", added->name, tw__link_file(link, old->file, a),
                       tw__link_file(link, added->file, b));
    } else if (rank(old) == 1 && rank(added) == 1) {
        old->value = MAX(old->value, added->value), old->size = MAX(old->size, added->size);
    } else if (rank(added) > rank(old)) {
        *old = *added;
    }
}

void tw__link_collect(tw__link *link)
{
    for (size_t f = 0; f < link->count; f++) {
        const tw_object *object = link->objects[f];
        for (size_t i = 0; i < object->symbol_count; i++) {
            const tw_symbol *s = &object->symbols[i];
            if (s->binding == TW_SYMBOL_LOCAL || s->section == TW_SECTION_UNDEFINED || !*s->name) continue;
            tw__link_symbol added = { .name = s->name,
                                      .file = (uint32_t)f,
                                      .symbol = (int)i,
                                      .out = -1,
                                      .weak = s->binding == TW_SYMBOL_WEAK,
                                      .common = s->section == TW_SECTION_COMMON,
                                      .value = s->value,
                                      .size = s->size };
            add_definition(link, &added);
        }
    }
}

int tw__link_resolve(const tw__link *link, uint32_t file, int symbol)
{
    const tw_symbol *s = &link->objects[file]->symbols[symbol];
    gpointer found = s->binding == TW_SYMBOL_LOCAL ? NULL : g_hash_table_lookup(link->names, s->name);
    return (int)GPOINTER_TO_UINT(found) - 1;
}
