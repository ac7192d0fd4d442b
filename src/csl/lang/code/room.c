/* SPDX-License-Identifier: MIT */
/* room: bytes of a PE's memory, by function and by array. */
#include "csl/lang/code/room.h"
#include "csl/lang/code/cost.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

static bool of_library(const tw__csl_image *image, const tw__csl_function_code *f)
{
    return tw__csl_file_name(image, f->file)[0] == '<';
}

bool tw__csl_pe_room_of(const tw__csl_image *image, const tw__csl_program *p, uint32_t *by_function,
                        tw__csl_pe_room *room)
{
    tw__csl_cost *cost = tw__calloc(p->code_count + 1, sizeof *cost);
    bool good = cost && tw__csl_costs(p, image->wse3, cost);
    *room = (tw__csl_pe_room){ .stack = p->stack_bytes };
    for (size_t k = 0; good && k < p->function_count; k++) {
        const tw__csl_function_code *f = &p->functions[k];
        uint32_t halves = 0;
        for (uint32_t at = f->entry; at < f->entry + f->count; at++) halves += cost[at].halves;
        by_function[k] = halves * TW__CSL_INSN_BYTES / 2;
        *(of_library(image, f) ? &room->imported : &room->code) += by_function[k];
    }
    for (size_t k = 0; k < p->symbol_count; k++) room->data += p->symbols[k].bytes;
    for (size_t k = 0; k < p->declaration_count; k++)
        if (p->declarations[k].service == TW__CSL_SERVICE_LINK) room->link = TW__CSL_LINK_BYTES;
    free(cost);
    return good;
}

typedef struct piece {
    const char *name, *type; /* type: NULL = code */
    uint32_t bytes;
} piece;

static int room_by_bytes(const void *a, const void *b)
{
    const piece *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
    return strcmp(x->name, y->name);
}

char *tw__csl_pe_room_largest(const tw__csl_program *p, const uint32_t *by_function, const tw__csl_pe_room *room,
                              unsigned most)
{
    char digits[32];
    size_t count = 0;
    piece *all = g_new0(piece, p->symbol_count + p->function_count + 1);
    for (size_t k = 0; k < p->symbol_count; k++)
        all[count++] = (piece){ p->symbols[k].name, p->symbols[k].type_text, p->symbols[k].bytes };
    for (size_t k = 0; k < p->function_count; k++)
        all[count++] = (piece){ p->functions[k].name, NULL, by_function[k] };
    if (room->link) all[count++] = (piece){ "<memcpy>", NULL, room->link };
    qsort(all, count, sizeof *all, room_by_bytes);
    GString *text = g_string_new(NULL);
    for (size_t k = 0; k < count && k < most && all[k].bytes; k++) {
        tw__commas(digits, sizeof digits, all[k].bytes);
        g_string_append_printf(text, "%s'%s' %s%s bytes", k ? ", " : "", all[k].name, all[k].type ? "" : "about ",
                               digits);
        if (!all[k].type || *all[k].type) g_string_append_printf(text, " (%s)", all[k].type ? all[k].type : "code");
    }
    if (count > most) g_string_append(text, ", ...");
    g_free(all);
    return g_string_free(text, FALSE);
}
