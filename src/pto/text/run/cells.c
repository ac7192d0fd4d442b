/* SPDX-License-Identifier: MIT */
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

/* --- what the functions of operations share --------------------------------------------------------------------- */

tw_status tw__as_set_integer(tw__as_run *run, const tw__as_code *code, int64_t value)
{
    tw__as_cell *out = &run->cell[code->result[0]];
    tw_type type = code->types[0]->element ? code->types[0]->element : TW_I64;
    unsigned size = (unsigned)tw_type_size(type), unused = size && size < 8 ? 64 - 8 * size : 0;
    out->kind = code->types[0]->kind;
    out->scalar = tw_pto_bits(type, (uint64_t)value << unused >> unused);
    if (type == TW_BOOL) out->scalar.bits = value & 1;
    return TW_OK;
}

tw_status tw__as_need_numbers(tw__as_run *run, const tw__as_code *code)
{
    for (unsigned i = 0; i < code->count; i++) {
        const tw__as_cell *cell = tw__as_operand(run, code, i);
        if (cell->kind == TW__AS_SCALAR || cell->kind == TW__AS_INDEX) continue;
        run->blame = i;
        return tw__fail(TW_E_TYPE, "%s: operand %u is not a number", code->op->name, i + 1);
    }
    return TW_OK;
}

tw_status tw__as_constant_run(tw__as_run *run, const tw__as_code *code)
{
    tw__as_cell *cell = &run->cell[code->result[0]];
    if (code->types[0]->kind != TW__AS_SCALAR && code->types[0]->kind != TW__AS_INDEX)
        return tw__fail(TW_E_TYPE, "a constant is a number");
    cell->kind = code->types[0]->kind;
    cell->scalar = tw_pto_bits(code->types[0]->element, (uint64_t)code->number);
    return TW_OK;
}
