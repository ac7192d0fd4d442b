/* SPDX-License-Identifier: MIT */
/* tiles: tiles as values: allocation, addresses, windows, extents, single elements. */
#include "pto/text/ops/ops.h"
#include "pto/text/types/types.h"

#include <inttypes.h>

tw_status tw__as_need_tile(tw__as_run *run, const tw__as_code *code, unsigned i)
{
    if (tw__as_operand(run, code, i)->kind == TW__AS_TILE) return TW_OK;
    run->blame = i;
    return tw__fail(TW_E_TYPE, "%s: operand %u is not a tile", code->op->name, i + 1);
}

static tw_status set_extent(uint32_t *valid, uint32_t most, int64_t value, const char *name)
{
    if (value < 0 || value > most)
        return tw__fail(TW_E_INVALID_ARGUMENT, "%s: a valid extent of %" PRId64 " in a tile that has %u", name,
                        value, most);
    *valid = (uint32_t)value;
    return TW_OK;
}

tw_status tw__as_alloc_tile(tw__as_run *run, const tw__as_code *code)
{
    tw__as_cell *cell = &run->cell[code->result[0]];
    if (code->types[0]->kind != TW__AS_TILE) return tw__fail(TW_E_TYPE, "%s: not a tile type", code->op->name);
    if (cell->kind == TW__AS_TILE && cell->rank) tw_pto_tile_free(run->core, &cell->wide->tile);
    tw__as_set_tile(cell, &code->types[0]->tile);
    unsigned i = (code->number & 1) != 0;
    tw_status status = TW_OK;
    if (code->number & 2)
        status = set_extent(&cell->wide->tile.valid_rows, cell->wide->tile.rows,
                            tw__as_integer(tw__as_operand(run, code, i++)), code->op->name);
    if (code->number & 4 && status == TW_OK)
        status = set_extent(&cell->wide->tile.valid_cols, cell->wide->tile.cols,
                            tw__as_integer(tw__as_operand(run, code, i)), code->op->name);
    if (code->number & 1 && status == TW_OK)
        status =
            tw_pto_assign(run->core, &cell->wide->tile, (uint64_t)tw__as_integer(tw__as_operand(run, code, 0)));
    return status;
}

static tw_status run_assign(tw__as_run *run, const tw__as_code *code)
{
    tw_status status = tw__as_need_tile(run, code, 0);
    if (status != TW_OK) return status;
    uint64_t address = code->number      ? (uint64_t)code->number - 1
                       : code->count > 1 ? tw__as_natural(tw__as_operand(run, code, 1))
                                         : 0;
    tw__as_cell *tile = tw__as_operand(run, code, 0);
    status = tw_pto_assign(run->core, &tile->wide->tile, address);
    if (status == TW_OK && code->result_count) {
        tw__as_lend(run, code->operand[0], &run->cell[code->result[0]]);
    }
    if (status == TW_OK) tw__as_changed(run, tile);
    return status;
}

static tw_status run_subset(tw__as_run *run, const tw__as_code *code)
{
    tw_status status = tw__as_need_tile(run, code, 0);
    if (status != TW_OK) return status;
    if (code->more->parts[1] != 2)
        return tw__fail(TW_E_INVALID_ARGUMENT, "%s: a corner of two numbers is needed", code->op->name);
    tw_pto_tile window = code->types[0]->tile;
    int64_t row = tw__as_integer(tw__as_operand(run, code, 1)), col = tw__as_integer(tw__as_operand(run, code, 2));
    if (row < 0 || col < 0 || row > UINT32_MAX || col > UINT32_MAX)
        return tw__fail(TW_E_INDEX, "%s: corner (%" PRId64 ", %" PRId64 ")", code->op->name, row, col);
    window.place = window.offset = 0;
    status =
        tw_pto_window(run->core, &window, &tw__as_operand(run, code, 0)->wide->tile, (uint32_t)row, (uint32_t)col);
    tw__as_cell *cell = &run->cell[code->result[0]];
    tw__as_set_tile(cell, &window);
    cell->rank = 0; /* the memory is another tile's */
    return status;
}

/* The same bytes under another type. */
static tw_status run_bitcast(tw__as_run *run, const tw__as_code *code)
{
    tw_status status = tw__as_need_tile(run, code, 0);
    if (status != TW_OK) return status;
    tw__as_cell *from = tw__as_operand(run, code, 0), *cell = &run->cell[code->result[0]];
    if (!tw_pto_data(run->core, &from->wide->tile)) return TW_E_TILE_MEMORY;
    tw_pto_tile to = code->types[0]->tile;
    to.place = from->wide->tile.place;
    to.offset = from->wide->tile.offset;
    if (to.valid_rows == TW_PTO_DYNAMIC) to.valid_rows = to.rows;
    if (to.valid_cols == TW_PTO_DYNAMIC) to.valid_cols = to.cols;
    tw__as_set_tile(cell, &to);
    cell->rank = 0;
    return TW_OK;
}

static tw_status run_set_valid(tw__as_run *run, const tw__as_code *code)
{
    tw_status status = tw__as_need_tile(run, code, 0);
    if (status != TW_OK) return status;
    tw__as_cell *cell = tw__as_operand(run, code, 0);
    uint32_t rows = 0, cols = 0; /* none is changed when one of them is wrong */
    status = set_extent(&rows, cell->wide->tile.rows, tw__as_integer(tw__as_operand(run, code, 1)), code->op->name);
    if (status == TW_OK)
        status =
            set_extent(&cols, cell->wide->tile.cols, tw__as_integer(tw__as_operand(run, code, 2)), code->op->name);
    if (status != TW_OK) return status;
    cell->wide->tile.valid_rows = rows;
    cell->wide->tile.valid_cols = cols;
    tw__as_changed(run, cell);
    return TW_OK;
}

/* Linear index into the storage of a tile in vector memory. */
static unsigned char *tile_element(tw__as_run *run, const tw__as_code *code, tw_pto_tile *t, int64_t index)
{
    unsigned char *storage = tw_pto_data(run->core, t);
    size_t size = tw_type_size(t->type);
    if (!storage) return NULL;
    if (t->location == TW_PTO_VEC && tw_type_get(t->type)->bits >= 8 && index >= 0 && t->base_rows == 0 &&
        (uint64_t)index < tw_pto_tile_bytes(t) / size)
        return storage + (size_t)index * size;
    if (t->location != TW_PTO_VEC)
        tw__fail(TW_E_INVALID_ARGUMENT, "%s: elements are reached in vector memory alone; this tile is %s",
                 code->op->name, tw__type_location_text((tw_pto_location)t->location));
    else if (tw_type_get(t->type)->bits < 8 || t->base_rows)
        tw__fail(TW_E_INVALID_ARGUMENT, "%s: elements of %s are not reached", code->op->name,
                 t->base_rows ? "a window" : "4 bits");
    else
        tw__fail(TW_E_INDEX, "%s: element %" PRId64 " of a tile that has %zu", code->op->name, index,
                 tw_pto_tile_bytes(t) / size);
    return NULL;
}

static tw_status run_getval(tw__as_run *run, const tw__as_code *code)
{
    tw_status status = tw__as_need_tile(run, code, 0);
    if (status != TW_OK) return status;
    tw_pto_tile *t = &tw__as_operand(run, code, 0)->wide->tile;
    const unsigned char *at = tile_element(run, code, t, tw__as_integer(tw__as_operand(run, code, 1)));
    tw__as_cell *out = &run->cell[code->result[0]];
    if (!at) return TW_E_INDEX;
    if (tw_type_size(code->types[0]->element) != tw_type_size(t->type))
        return tw__fail(TW_E_TYPE, "%s: the types differ in size", code->op->name);
    tw_pto_scalar value = { .type = code->types[0]->element };
    memcpy(&value.bits, at, tw_type_size(t->type));
    out->kind = TW__AS_SCALAR;
    out->scalar = value;
    return TW_OK;
}

static tw_status run_setval(tw__as_run *run, const tw__as_code *code)
{
    tw_status status = tw__as_need_tile(run, code, 2);
    if (status != TW_OK) return status;
    tw_pto_tile *t = &tw__as_operand(run, code, 2)->wide->tile;
    unsigned char *at = tile_element(run, code, t, tw__as_integer(tw__as_operand(run, code, 0)));
    if (!at) return TW_E_INDEX;
    memcpy(at, &tw__as_operand(run, code, 1)->scalar.bits, tw_type_size(t->type));
    return TW_OK;
}

/* --- reading ---------- */

/* @tile(0x1000), or the number itself. */
static bool address_of(const tw__as_item *item, uint64_t *address)
{
    bool symbol = item->kind == TW__AS_SYMBOL;
    const tw__as_item *number = symbol && item->child ? item->child->child : item;
    int64_t bits;
    if (!number || (symbol && strcmp(item->text, "@tile") != 0) || number->kind != TW__AS_NUMBER ||
        !tw__as_number(number->text, TW_I64, &bits) || bits < 0 || bits > UINT32_MAX)
        return false;
    return *address = (uint64_t)bits, true;
}

/* pto.tassign %tile, @tile(0x1000): also before the tile is defined, in plain assembly. */
bool tw__as_bind_early_assign(tw__as_binder *b, const tw__as_op *op, const tw__as_parts *p)
{
    uint32_t slot;
    uint64_t address;
    if (strcmp(op->name, "pto.tassign") != 0 && strcmp(op->name, "tassign") != 0) return false;
    if (p->ins != 2 || p->in[0]->kind != TW__AS_VALUE || tw__as_find(b, p->in[0]->text, &slot) || !b->top)
        return false;
    if (!address_of(p->in[1], &address)) {
        tw__as_refuse(b, p->in[1], op, "pto.address", "expected an address, such as @tile(0x1000)");
        return true;
    }
    tw__as_early *early = TW__NEW(b->m->arena, tw__as_early);
    if (!early) return b->failed = b->m->no_memory = true;
    *early = (tw__as_early){ .op = op->self, .where = tw__as_place_of(p->in[1]), .address = address };
    char *name = tw__arena_strdup(b->m->arena, p->in[0]->text);
    if (!name) return b->failed = b->m->no_memory = true;
    g_hash_table_insert(b->pending, name, early);
    return true;
}

/* The element that comes out is of the tile's type; integers go by their width. */
static bool bind_getval(tw__as_binder *b, const tw__as_op *op, tw__as_parts *p, tw__as_code *code,
                        tw__as_type *type)
{
    uint32_t slot;
    (void)code;
    if (p->ins < 1 || p->in[0]->kind != TW__AS_VALUE || !tw__as_find(b, p->in[0]->text, &slot)) return true;
    const tw__as_type *tile = b->f->slot_type[slot];
    if (tile->kind != TW__AS_TILE || !type->element || tile->element == type->element) return true;
    if (!tw__is_float(tile->element) && !tw__is_float(type->element) &&
        tw_type_size(tile->element) == tw_type_size(type->element))
        return true;
    return tw__as_refuse(b, NULL, op, "pto.type", "%s: the elements are %s, not %s", op->name,
                         tw_type_name(tile->element, TW_SYSTEM_PTO), type->text),
           false;
}

/* A window has the type of the whole, with the extents that the sizes say. */
static bool bind_subset(tw__as_binder *b, const tw__as_op *op, tw__as_parts *p, tw__as_code *code,
                        tw__as_type *type)
{
    (void)code;
    if (type->kind == TW__AS_TILE && type->tile.conv)
        return tw__as_refuse(b, p->ins ? p->in[0] : NULL, op, "pto.subset", "a ConvTile has no windows"), false;
    if (p->lists[1] != 2 || type->kind != TW__AS_TILE)
        return tw__as_refuse(b, NULL, op, "pto.subset", "a tile, its corner and two sizes are needed"), false;
    int64_t sizes[2];
    for (int d = 0; d < 2; d++)
        if (p->list[1][d]->kind != TW__AS_NUMBER || !tw__as_number(p->list[1][d]->text, TW_I64, &sizes[d]) ||
            sizes[d] < 1 || sizes[d] > 1 << 20)
            return tw__as_refuse(b, p->list[1][d], op, "pto.subset", "sizes are numbers from 1 on"), false;
    type->tile.base_rows = type->tile.base_rows ? type->tile.base_rows : type->tile.rows;
    type->tile.base_cols = type->tile.base_cols ? type->tile.base_cols : type->tile.cols;
    type->tile.rows = type->tile.valid_rows = (uint32_t)sizes[0];
    type->tile.cols = type->tile.valid_cols = (uint32_t)sizes[1];
    type->text = NULL;
    p->lists[1] = 0;
    return true;
}

static bool bind_alloc(tw__as_binder *b, const tw__as_op *op, tw__as_parts *p, tw__as_code *code, tw__as_type *type)
{
    static const char *const words[] = { "addr", "valid_row", "valid_col" }; /* bits 1, 2, 4 of the number */
    if (p->ins)
        return tw__as_refuse(b, p->in[0], op, "pto.operands",
                             "operands are named: addr = %%a, valid_row = %%r, valid_col = %%c"),
               false;
    for (int w = 0; w < 3; w++)
        for (unsigned i = 0; i < p->nameds; i++)
            if (p->named[i]->has_value && p->ins < TW__AS_OPERANDS && strcmp(p->named[i]->text, words[w]) == 0) {
                p->in[p->ins++] = p->named[i]->child;
                code->number |= 1 << w;
            }
    bool rows = type->tile.valid_rows == TW_PTO_DYNAMIC, cols = type->tile.valid_cols == TW_PTO_DYNAMIC;
    if (type->kind != TW__AS_TILE)
        return tw__as_refuse(b, NULL, op, "pto.type", "a tile is allocated, not %s", type->text), false;
    if (rows != !!(code->number & 2) || cols != !!(code->number & 4)) {
        bool row = rows != !!(code->number & 2), missing = row ? rows : cols;
        return tw__as_refuse(b, NULL, op, "pto.dynamic",
                             "valid_%s %s: valid_row and valid_col are given for extents written '?', and only for "
                             "these",
                             row ? "row" : "col", missing ? "is missing" : "has no '?' in the type"),
               false;
    }
    for (unsigned i = 0; i < p->nameds; i++) {
        const tw__as_item *item = p->named[i]->child;
        uint64_t address;
        if (p->named[i]->has_value && strcmp(p->named[i]->text, "addr") == 0 && item->kind == TW__AS_NUMBER &&
            address_of(item, &address) && !tw__as_check_address(b, op, item, &type->tile, address))
            return false;
    }
    return true;
}

/* Extents that are not known are those of the whole tile until a pop fills it. */
static bool bind_declare(tw__as_binder *b, const tw__as_op *op, tw__as_parts *p, tw__as_code *code,
                         tw__as_type *type)
{
    (void)p;
    (void)code;
    if (type->kind != TW__AS_TILE)
        return tw__as_refuse(b, NULL, op, "pto.type", "a tile is declared, not %s", type->text), false;
    if (type->tile.valid_rows == TW_PTO_DYNAMIC) type->tile.valid_rows = type->tile.rows;
    if (type->tile.valid_cols == TW_PTO_DYNAMIC) type->tile.valid_cols = type->tile.cols;
    return true;
}

static bool bind_bitcast(tw__as_binder *b, const tw__as_op *op, tw__as_parts *p, tw__as_code *code,
                         tw__as_type *type)
{
    uint32_t slot;
    (void)code;
    if (p->ins != 1 || p->in[0]->kind != TW__AS_VALUE || !tw__as_find(b, p->in[0]->text, &slot))
        return tw__as_refuse(b, NULL, op, "pto.operands", "%s takes one tile", op->name), false;
    const tw__as_type *from = b->f->slot_type[slot];
    if (type->kind != TW__AS_TILE)
        return tw__as_refuse(b, NULL, op, "pto.type", "%s gives a tile, not %s", op->name, type->text), false;
    if (from->kind != TW__AS_TILE) return true;
    if (tw_pto_tile_bytes(&from->tile) == tw_pto_tile_bytes(&type->tile) &&
        from->tile.location == type->tile.location && !from->tile.base_rows)
        return true;
    return tw__as_refuse(b, p->in[0], op, "pto.type", "%s: the same memory, and %zu bytes are not %zu", op->name,
                         tw_pto_tile_bytes(&from->tile), tw_pto_tile_bytes(&type->tile)),
           false;
}

static bool bind_assign(tw__as_binder *b, const tw__as_op *op, tw__as_parts *p, tw__as_code *code,
                        tw__as_type *type)
{
    uint64_t address;
    (void)type;
    if (p->ins != 2)
        return tw__as_refuse(b, NULL, op, "pto.operands", "%s takes a tile and an address", op->name), false;
    if (p->in[1]->kind == TW__AS_VALUE) return true;
    if (!address_of(p->in[1], &address))
        return tw__as_refuse(b, p->in[1], op, "pto.address", "expected an address, such as @tile(0x1000)"), false;
    uint32_t slot;
    bool known = p->in[0]->kind == TW__AS_VALUE && tw__as_find(b, p->in[0]->text, &slot) &&
                 b->f->slot_type[slot]->kind == TW__AS_TILE;
    if (known && !tw__as_check_address(b, op, p->in[1], &b->f->slot_type[slot]->tile, address)) return false;
    code->number = (int64_t)address + 1;
    p->ins = 1;
    return true;
}

const tw__as_host tw__as_tile_ops[] = {
    // clang-format off
    { "pto.alloc_tile", tw__as_alloc_tile, 0, TW__GIVES_LAST, 0, 3, "i", NULL, "addr valid_row valid_col ", ".", bind_alloc, tw__as_rule_alloc,
      "%t = pto.alloc_tile [addr = %a] [valid_row = %r] [valid_col = %c] : tile" },
    { "pto.declare_tile", tw__as_alloc_tile, 0, TW__GIVES_LAST, 0, 0, NULL, NULL, "", ".", bind_declare, NULL,
      "%t = pto.declare_tile -> tile" },
    { "pto.bitcast", run_bitcast, 0, TW__GIVES_ARROW, 1, 1, "t", NULL, "", "0", bind_bitcast, NULL,
      "%u = pto.bitcast %t : tile -> tile" },
    { "pto.tassign", run_assign, 0, TW__GIVES_NOTHING, 1, 2, "ti", NULL, NULL, NULL, bind_assign, NULL, NULL },
    { "pto.subset", run_subset, 0, TW__GIVES_WHOLE, 1, 1, "ti", "2;sizes 2", "", "0", bind_subset, tw__as_rule_window,
      "%s = pto.subset %t[%row, %col] sizes [rows, cols] : tile" },
    { "pto.set_validshape", run_set_valid, 0, TW__GIVES_NOTHING, 3, 3, "ti", NULL, "", "0", NULL, tw__as_rule_valid,
      "pto.set_validshape %t, %rows, %cols : tile" },
    { "pto.tgetval", run_getval, 0, TW__GIVES_OUTS, 2, 2, "ti", NULL, "", "01", bind_getval, NULL,
      "%x = pto.tgetval ins(%t, %i : tile, index) outs : type" },
    { "pto.tsetval", run_setval, 0, TW__GIVES_NOTHING, 3, 3, "int", NULL, "", "01", NULL, tw__as_rule_set_element,
      "pto.tsetval ins(%i, %x : index, type) outs(%t : tile)" },
    { 0 }
    // clang-format on
};
