/* SPDX-License-Identifier: MIT */
/* fifos: text of FIFOs between cube and vector cores. A pipe is described by initialize_pipe
 * on each side and used by number (`id`, 0 when it is not written). */
#include "pto/text/ops/ops.h"
#include <tilewright/pto/grid.h>

#include <inttypes.h>

enum { SLOTS_ONE_WAY = 8, SLOTS_BOTH_WAYS = 4 }; /* estimated: the text form does not say how many */

/* --- FIFOs: number = id << 8, split << 16; of initialize_pipe id, nosplit << 8, mask << 16, slots << 20, slot bytes
 * << 32, type << 57
 * --------------------------------------------------------------------------------------------------------------- */

/* The type of what lies in slots, when accumulators change to it on the way (an addition: the documents name no
 * spelling). */
static bool slot_type(tw__as_binder *b, const tw__as_op *op, const tw__as_parts *p, int64_t *type)
{
    const tw__as_item *i = tw__as_member(p, "slot_type");
    tw__as_type t = { 0 };
    char text[32] = "";
    if (!i) return true;
    tw__as_value_word(b, i, text, sizeof text);
    if (!tw__as_type_parse(b->m, text, &t) || t.kind != TW__AS_SCALAR)
        return tw__as_refuse(b, i, op, "pto.attribute", "%s: slot_type is an element type, not '%s'", op->name,
                             text),
               false;
    *type = t.element;
    return true;
}

static bool bind_pipe(tw__as_binder *b, const tw__as_op *op, tw__as_parts *p, tw__as_code *code, tw__as_type *type)
{
    static const char *const names[] = { "id",      "dir_mask", "slot_size", "slot_num", "local_slot_num",
                                         "nosplit", "slot_type" };
    int64_t id = 0, mask = 0, bytes = 0, slots = 0, element = 0;
    (void)type;
    if (!tw__as_known_members(b, op, p, names, G_N_ELEMENTS(names)) ||
        !tw__as_number_member(b, op, p, "id", 15, &id) || !tw__as_number_member(b, op, p, "dir_mask", 3, &mask) ||
        !tw__as_number_member(b, op, p, "slot_size", 1 << 24, &bytes) ||
        !tw__as_number_member(b, op, p, "slot_num", 64, &slots) || !slot_type(b, op, p, &element))
        return false;
    if (!mask || !bytes)
        return tw__as_refuse(b, NULL, op, "pto.attribute",
                             "%s needs dir_mask (1 to vector, 2 to cube, 3 both) and slot_size", op->name),
               false;
    if (!slots) slots = mask == 3 ? SLOTS_BOTH_WAYS : SLOTS_ONE_WAY;
    p->ins = 0;
    for (unsigned n = 0; n < p->nameds;
         n++) /* the buffers of consumers are places; slots are kept by the library */
        if (p->named[n]->has_value && strcmp(p->named[n]->text, "gm_slot_buffer") == 0)
            p->in[p->ins++] = p->named[n]->child;
    code->number = id | (int64_t)(tw__as_member(p, "nosplit") != NULL) << 8 | mask << 16 | slots << 20 |
                   bytes << 32 | (int64_t)((uint64_t)element << 57);
    return true;
}

static tw_status run_pipe(tw__as_run *run, const tw__as_code *code)
{
    unsigned id = code->number & 15, mask = code->number >> 16 & 3, slots = code->number >> 20 & 127;
    uint32_t bytes = (uint32_t)(code->number >> 32) & 0x1ffffff; /* 2^24 at most */
    tw_type type = (tw_type)((uint64_t)code->number >> 57);
    void *memory = NULL;
    if (code->count && mask != 3) {
        const tw__as_cell *c = tw__as_operand(run, code, 0);
        if (c->kind == TW__AS_PTR && c->wide->ptr.base) {
            if (c->wide->ptr.at < 0 || (uint64_t)c->wide->ptr.at + (uint64_t)slots * bytes > c->wide->ptr.bytes)
                return tw__fail(TW_E_INDEX,
                                "%s: %u slots of %u bytes do not fit the %zu bytes behind gm_slot_buffer",
                                code->op->name, slots, bytes, c->wide->ptr.bytes);
            memory = c->wide->ptr.base + c->wide->ptr.at;
        }
    }
    for (unsigned d = 1; d <= 2; d++)
        if (mask & d)
            run->fifo[d - 1][id] = (tw_pto_fifo){ .id = id,
                                                  .direction = (tw_pto_direction)d,
                                                  .slot_bytes = bytes,
                                                  .slots = slots,
                                                  .type = d == TW_PTO_CUBE_TO_VECTOR ? type : TW_TYPE_NONE,
                                                  .first_vector_only = code->number >> 8 & 1,
                                                  .memory = memory };
    return TW_OK;
}

typedef enum fifo_op { PUSH, POP, FREE, ALLOC, TO_CUBE = 4 } fifo_op; /* TO_CUBE: direction 2 */
#define OP(code) ((fifo_op)((code)->number & 3))

/* How a push goes through the fixed pipe: attributes of TPUSH by their own names. */
static bool push_attrs(tw__as_binder *b, const tw__as_op *op, const tw__as_parts *p, tw_pto_attrs *attrs)
{
    int32_t *values = (int32_t *)(void *)attrs;
    const tw__pto_row *row = tw__pto_row_of("tpush");
    for (unsigned d = 0; d < p->dicts; d++)
        for (const tw__as_item *i = p->dict[d]->child; i; i = i->next) {
            int attr = i->text ? tw__pto_attr_by_name(i->text) : -1;
            char word[64] = "true";
            if (attr < 0 || !(row->attrs >> attr & 1) || strcmp(i->text, "split") == 0) continue;
            if (i->has_value) tw__as_value_word(b, i->child, word, sizeof word);
            if (!tw__pto_attr_value((unsigned)attr, word, &values[attr]))
                return tw__as_refuse(b, i, op, "pto.attribute", "'%s' is not a value of '%s': %s", word, i->text,
                                     *tw__pto_attr_values((unsigned)attr) ? tw__pto_attr_values((unsigned)attr)
                                                                          : "a number"),
                       false;
        }
    return true;
}

static bool is_view(tw__as_kind kind)
{
    return kind == TW__AS_VIEW || kind == TW__AS_PART;
}

static const tw__as_type *known(const tw__as_binder *b, const tw__as_item *item)
{
    static const tw__as_type unknown = { .kind = TW__AS_NONE }; /* a name that does not exist is refused later */
    uint32_t slot;
    return item->kind == TW__AS_VALUE && tw__as_find(b, item->text, &slot) ? b->f->slot_type[slot] : &unknown;
}

/* What is pushed: a tile, or the slot that talloc gave; then its scales: a tile with one per column, or the bits of
 * an f32 in
 * an integer, as for TSTORE. A slot may be named when it is given back. */
static bool check_operands(tw__as_binder *b, const tw__as_op *op, const tw__as_parts *p, fifo_op kind)
{
    for (unsigned i = 0; i < p->ins; i++) {
        const tw__as_type *t = known(b, p->in[i]);
        bool wide =
            t->kind == TW__AS_INDEX || (t->kind == TW__AS_SCALAR && (t->element == TW_I64 || t->element == TW_U64));
        bool good = kind == POP                       ? tw__as_is_integer(t)
                    : kind == FREE                    ? is_view(t->kind)
                    : i == 0                          ? t->kind == TW__AS_TILE || (is_view(t->kind) && p->ins == 1)
                    : p->in[i]->kind == TW__AS_NUMBER ? true
                                                      : t->kind == TW__AS_TILE || wide;
        if (good || (!t->kind && p->in[i]->kind == TW__AS_VALUE)) continue;
        return tw__as_refuse(b, p->in[i], op, "pto.type", "%s: %s is wanted here, not %s", op->name,
                             kind == POP    ? "an integer or index"
                             : kind == FREE ? "the slot"
                             : i == 0       ? "a tile"
                                            : "a tile of scales or an i64",
                             tw__as_type_text(t)),
               false;
    }
    return true;
}

/* A slot as a tensor: an addition of ours, as the documents have TALLOC in C++ only. Its extents are known. */
static bool check_result(tw__as_binder *b, const tw__as_op *op, fifo_op kind, const tw__as_type *type)
{
    bool fixed = is_view(type->kind);
    for (unsigned d = 0; d < type->rank && fixed; d++) fixed = type->dims[d] >= 0;
    if (fixed || (kind == POP && type->kind == TW__AS_TILE)) return true;
    return tw__as_refuse(b, NULL, op, "pto.type",
                         kind == POP
                             ? "%s gives a tile, or a view of known extents: '-> !pto.tile_buf<...>' is missing"
                             : "%s gives a view of known extents: '-> !pto.tensor_view<16x16xf16>'",
                         op->name),
           false;
}

static bool bind_fifo(tw__as_binder *b, const tw__as_op *op, tw__as_parts *p, tw__as_code *code, tw__as_type *type)
{
    static const char *const names[] = { "id",         "split",    "relu",     "reluPreMode",
                                         "phase",      "stPhase",  "atomic",   "atomicType",
                                         "layoutMode", "subBlock", "clipRelu", "channelSplit" };
    static const char *const takes[] = { [PUSH] =
                                             "a tile, or a tile and its scales: a tile, or an i64 for all columns",
                                         [POP] = "nothing, or the valid rows and columns",
                                         [FREE] = "nothing, or the slot",
                                         [ALLOC] = "no operand" };
    int64_t id = 0, split = 0;
    fifo_op kind = OP(code);
    if (!tw__as_known_members(b, op, p, names, kind == PUSH ? G_N_ELEMENTS(names) : 2) ||
        (kind == PUSH && !push_attrs(b, op, p, (tw_pto_attrs *)(uintptr_t)code->more->attrs)) ||
        !tw__as_number_member(b, op, p, "id", 15, &id) || !tw__as_number_member(b, op, p, "split", 2, &split) ||
        ((kind == POP || kind == ALLOC) && !check_result(b, op, kind, type)))
        return false;
    bool fits = kind == PUSH   ? p->ins == 1 || p->ins == 2
                : kind == POP  ? p->ins == 0 || (p->ins == 2 && type->kind == TW__AS_TILE)
                : kind == FREE ? p->ins <= 1
                               : p->ins == 0;
    if (!fits) return tw__as_refuse(b, NULL, op, "pto.operands", "%s takes %s", op->name, takes[kind]), false;
    code->number |= id << 8 | split << 16;
    return check_operands(b, op, p, kind);
}

static tw_status run_push(tw__as_run *run, const tw__as_code *code, const tw_pto_fifo *fifo,
                          const tw_pto_attrs *how)
{
    tw__as_cell *what = tw__as_operand(run, code, 0),
                *scale = code->count > 1 ? tw__as_operand(run, code, 1) : NULL;
    tw_pto_operand operands[3] = { tw_pto_fifo_operand(fifo), what->kind == TW__AS_TILE
                                                                  ? tw_pto_tile_operand(&what->wide->tile)
                                                                  : tw_pto_tensor_operand(&what->wide->tensor) };
    if (scale)
        operands[2] = scale->kind == TW__AS_TILE ? tw_pto_tile_operand(&scale->wide->tile)
                                                 : tw_pto_scalar_operand(tw_pto_bits(TW_I64, scale->scalar.bits));
    tw_status status = tw_pto_call(run->core, "tpush", operands, scale ? 3 : 2, how);
    if (status != TW_OK && run->core->blame > 0) run->blame = run->core->blame - 1; /* operand 0 is the FIFO */
    return status;
}

/* A view that TALLOC, TPOP lays over this core's part of a slot. Rows of a part that has half of the columns are as
 * far from each other as those of the whole. */
static tw_status run_slot(tw__as_run *run, const tw__as_code *code, const tw_pto_fifo *fifo,
                          const tw_pto_attrs *how)
{
    const tw__as_type *type = code->types[0];
    tw_pto_identity me = tw_pto_identity_of(run->core);
    bool halves = how->split == TW_PTO_SPLIT_LEFT_RIGHT && me.kind == TW_PTO_VECTOR && !fifo->first_vector_only;
    tw__as_cell *cell = &run->cell[code->result[0]];
    int64_t stride = 1;
    tw__as_set_wide(cell, type->kind, type->rank);
    cell->wide->tensor.type = type->element;
    for (int d = 4; d >= 0; d--) {
        int i = d - (5 - (int)type->rank);
        int64_t extent = i < 0 ? 1 : type->dims[i];
        cell->wide->tensor.shape[d] = (size_t)extent;
        cell->wide->tensor.stride[d] = (ptrdiff_t)stride;
        if (__builtin_mul_overflow(stride, extent * (d == 4 && halves ? me.sub_blocks : 1), &stride) ||
            stride > INT32_MAX)
            return tw__fail(TW_E_INVALID_ARGUMENT, "%s: a slot is smaller than %s", code->op->name, type->text);
    }
    tw_pto_operand operands[] = { tw_pto_fifo_operand(fifo), tw_pto_tensor_operand(&cell->wide->tensor) };
    return tw_pto_call(run->core, OP(code) == ALLOC ? "talloc" : "tpop", operands, 2, how);
}

static tw_status run_pop_tile(tw__as_run *run, const tw__as_code *code, const tw_pto_fifo *fifo, tw_pto_split split)
{
    tw__as_cell *cell = &run->cell[code->result[0]];
    if (cell->kind == TW__AS_TILE && cell->rank) tw_pto_tile_free(run->core, &cell->wide->tile);
    tw__as_set_tile(cell, &code->types[0]->tile);
    uint32_t *valid[] = { &cell->wide->tile.valid_rows, &cell->wide->tile.valid_cols };
    const uint32_t most[] = { cell->wide->tile.rows, cell->wide->tile.cols };
    for (unsigned i = 0; i < 2; i++) {
        int64_t extent = code->count ? tw__as_integer(tw__as_operand(run, code, i)) : *valid[i];
        if (*valid[i] == TW_PTO_DYNAMIC && !code->count) extent = most[i];
        if (extent < 0 || extent > most[i])
            return tw__fail(TW_E_INVALID_ARGUMENT, "%s: a valid extent of %" PRId64 " in %u", code->op->name,
                            extent, most[i]);
        *valid[i] = (uint32_t)extent;
    }
    return tw_pto_pop(run->core, fifo, &cell->wide->tile, split);
}

static tw_status run_fifo(tw__as_run *run, const tw__as_code *code)
{
    unsigned id = code->number >> 8 & 15, d = code->number & TO_CUBE ? 1 : 0;
    const tw_pto_fifo *fifo = &run->fifo[d][id];
    tw_pto_attrs how = code->more->attrs ? *code->more->attrs : (tw_pto_attrs){ 0 };
    how.split = (int32_t)(code->number >> 16 & 3);
    if (!fifo->slots)
        return tw__fail(
            TW_E_INVALID_ARGUMENT,
            "%s: pipe %u of this direction is not initialised (aic_initialize_pipe, aiv_initialize_pipe)",
            code->op->name, id);
    switch (OP(code)) {
    case PUSH: return run_push(run, code, fifo, &how);
    case FREE: return tw_pto_free_slot(run->core, fifo);
    case POP:
        if (code->types[0]->kind == TW__AS_TILE) return run_pop_tile(run, code, fifo, (tw_pto_split)how.split);
        break;
    case ALLOC:
    case TO_CUBE: break;
    }
    return run_slot(run, code, fifo, &how);
}

/* A place for the slots of a pipe: slots are kept by the library, so the address is only handed on. */
static bool bind_reserve(tw__as_binder *b, const tw__as_op *op, tw__as_parts *p, tw__as_code *code,
                         tw__as_type *type)
{
    (void)type;
    code->number = 0;
    return tw__as_number_member(b, op, p, "base", INT32_MAX, &code->number);
}

static tw_status run_reserve(tw__as_run *run, const tw__as_code *code)
{
    return tw__as_set_integer(run, code, code->number);
}

const tw__as_host tw__as_fifo_ops[] = {
    // clang-format off
    { "pto.aic_initialize_pipe", run_pipe, 0, TW__GIVES_NOTHING, 0, 1, "*", NULL, NULL, NULL, bind_pipe, NULL, NULL },
    { "pto.aiv_initialize_pipe", run_pipe, 0, TW__GIVES_NOTHING, 0, 1, "*", NULL, NULL, NULL, bind_pipe, NULL, NULL },
    { "pto.reserve_buffer", run_reserve, 0, TW__GIVES_INDEX, 0, 0, NULL, NULL, NULL, NULL, bind_reserve, NULL, NULL },
    { "pto.import_reserved_buffer", run_reserve, 0, TW__GIVES_INDEX, 0, 0, NULL, NULL, NULL, NULL, bind_reserve, NULL, NULL },
    { "pto.tpush_to_aiv", run_fifo, PUSH, TW__GIVES_NOTHING, 1, 2, NULL, NULL, NULL, NULL, bind_fifo, NULL, NULL },
    { "pto.tpush_to_aic", run_fifo, PUSH | TO_CUBE, TW__GIVES_NOTHING, 1, 2, NULL, NULL, NULL, NULL, bind_fifo, NULL, NULL },
    { "pto.talloc_to_aiv", run_fifo, ALLOC, TW__GIVES_LAST, 0, 0, NULL, NULL, NULL, NULL, bind_fifo, NULL, NULL },
    { "pto.talloc_to_aic", run_fifo, ALLOC | TO_CUBE, TW__GIVES_LAST, 0, 0, NULL, NULL, NULL, NULL, bind_fifo, NULL, NULL },
    { "pto.tpop_from_aic", run_fifo, POP, TW__GIVES_LAST, 0, 2, "i", NULL, NULL, NULL, bind_fifo, NULL, NULL },
    { "pto.tpop_from_aiv", run_fifo, POP | TO_CUBE, TW__GIVES_LAST, 0, 2, "i", NULL, NULL, NULL, bind_fifo, NULL, NULL },
    { "pto.tfree_from_aic", run_fifo, FREE, TW__GIVES_NOTHING, 0, 1, NULL, NULL, NULL, NULL, bind_fifo, NULL, NULL },
    { "pto.tfree_from_aiv", run_fifo, FREE | TO_CUBE, TW__GIVES_NOTHING, 0, 1, NULL, NULL, NULL, NULL, bind_fifo, NULL, NULL },
    { 0 }
    // clang-format on
};
