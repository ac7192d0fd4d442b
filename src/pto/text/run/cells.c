/* cells: values of a function while it runs. Most are numbers, so what only tiles, views and pointers need lies
 * aside, for the slots that hold them: a program of a million constants takes 32 bytes for each. */
#include "pto/text/as.h"

#include <stdlib.h>

static bool is_number(tw__as_kind kind)
{
    return kind == TW__AS_SCALAR || kind == TW__AS_INDEX || kind == TW__AS_OTHER; /* an event is its number */
}

tw__as_cell *tw__as_cells_new(const tw__as_function *f)
{
    size_t count = (size_t)f->slots + 1, wides = 1, bytes;
    for (uint32_t s = 0; s < f->slots; s++) wides += !is_number(f->slot_type[s]->kind);
    if (!tw__mul_size(wides, sizeof(tw__as_wide), &bytes)) return NULL;
    size_t first = (count * sizeof(tw__as_cell) + sizeof(tw__as_wide) - 1) / sizeof(tw__as_wide);
    tw__as_wide *memory = tw__calloc(first + wides, sizeof *memory);
    if (!memory) return NULL;
    tw__as_cell *cells = (tw__as_cell *)(void *)memory;
    tw__as_wide *next = memory + first;
    for (uint32_t s = 0; s < count; s++)
        cells[s].wide = s >= f->slots || is_number(f->slot_type[s]->kind) ? memory + first : ++next;
    return cells;
}

void tw__as_copy(tw__as_cell *to, const tw__as_cell *from)
{
    to->kind = from->kind;
    to->rank = from->rank;
    to->scalar = from->scalar;
    if (from->kind && !is_number(from->kind)) *to->wide = *from->wide;
}

void tw__as_set_number(tw__as_cell *cell, tw__as_kind kind, tw_pto_scalar value)
{
    cell->kind = kind;
    cell->rank = 0;
    cell->scalar = value;
}

tw__as_wide *tw__as_set_wide(tw__as_cell *cell, tw__as_kind kind, unsigned rank)
{
    cell->kind = kind;
    cell->rank = rank;
    *cell->wide = (tw__as_wide){ 0 };
    return cell->wide;
}

tw_pto_tile *tw__as_set_tile(tw__as_cell *cell, const tw_pto_tile *tile)
{
    tw__as_wide *wide = tw__as_set_wide(cell, TW__AS_TILE, 1);
    wide->tile = *tile;
    return &wide->tile;
}
