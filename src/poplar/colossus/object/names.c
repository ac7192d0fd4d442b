/* SPDX-License-Identifier: MIT */
/* Rows of an object found by name (open addressing over a table whose rows begin with their name) or by section. */
#include "poplar/colossus/object/object.h"

#include <stdlib.h>
#include <string.h>

static const char *name_at(const void *rows, size_t stride, size_t index)
{
    return *(const char *const *)((const char *)rows + index * stride);
}

static uint32_t hash(const char *text, size_t length)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < length; i++) h = (h ^ (uint8_t)text[i]) * 16777619u;
    return h;
}

uint32_t *tw__names_slot(const tw__names *names, const void *rows, size_t stride, const char *name, size_t length)
{
    for (size_t at = hash(name, length) & (names->count - 1);; at = (at + 1) & (names->count - 1)) {
        uint32_t found = names->slots[at];
        if (!found) return &names->slots[at];
        const char *other = name_at(rows, stride, found - 1);
        if (strncmp(other, name, length) == 0 && !other[length]) return &names->slots[at];
    }
}

bool tw__names_widen(tw__names *names, const void *rows, size_t stride, size_t row_count)
{
    if (names->count && row_count * 2 < names->count) return true;
    tw__names wide = { .count = names->count ? names->count * 2 : 256 };
    wide.slots = tw__calloc(wide.count, sizeof *wide.slots);
    if (!wide.slots) return false;
    for (size_t i = 0; i < names->count; i++) { /* those alone: another row of a name must not take its place */
        if (!names->slots[i]) continue;
        const char *name = name_at(rows, stride, names->slots[i] - 1);
        *tw__names_slot(&wide, rows, stride, name, strlen(name)) = names->slots[i];
    }
    free(names->slots);
    *names = wide;
    return true;
}

/* --- by section ----------------------------------------------------------------------------------------------- */

int tw__section_of_relocation(const tw_object *object, size_t row)
{
    return object->relocations[row].section;
}

int tw__section_of_symbol(const tw_object *object, size_t row)
{
    return object->symbols[row].section;
}

bool tw__by_section_new(const tw_object *object, size_t rows, tw__section_of_row *section_of, tw__by_section *out)
{
    size_t sections = object->section_count;
    out->first = tw__calloc(sections + 2, sizeof *out->first);
    out->order = tw__calloc(rows + 1, sizeof *out->order);
    if (!out->first || !out->order) return tw__by_section_free(out), false;
    for (size_t i = 0; i < rows; i++) {
        int s = section_of(object, i);
        if (s >= 0) out->first[s + 2]++;
    }
    for (size_t s = 2; s < sections + 2; s++) out->first[s] += out->first[s - 1];
    for (size_t i = 0; i < rows; i++) { /* first[s + 1] walks from the start of s to its end */
        int s = section_of(object, i);
        if (s >= 0) out->order[out->first[s + 1]++] = (uint32_t)i;
    }
    return true;
}

void tw__by_section_free(tw__by_section *rows)
{
    free(rows->first);
    free(rows->order);
    *rows = (tw__by_section){ 0 };
}
