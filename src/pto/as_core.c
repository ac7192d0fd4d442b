/* as_core: text of what cores do together (spec pto.md 1.6, 2.4): FIFOs between cube and vector cores, flags between
 * cores. A pipe is described by initialize_pipe on each side and used by number (`id`, 0 when it is not written). */
#include "pto/as_bind.h"
#include <tilewright/pto_grid.h>

#include <inttypes.h>

enum { SLOTS_ONE_WAY = 8, SLOTS_BOTH_WAYS = 4 }; /* estimated: the text form does not say how many */

const tw__as_item *tw__as_member(const tw__as_parts *p, const char *name)
{
    for (unsigned d = 0; d < p->dicts; d++)
        for (const tw__as_item *i = p->dict[d]->child; i; i = i->next)
            if (i->text && strcmp(i->text, name) == 0) return i->has_value && i->child ? i->child : i;
    return NULL;
}

bool tw__as_number_member(tw__as_binder *b, const tw__as_op *op, const tw__as_parts *p, const char *name,
                          int64_t most, int64_t *value)
{
    const tw__as_item *i = tw__as_member(p, name);
    char *end;
    if (!i) return true;
    gint64 n = i->kind == TW__AS_NUMBER ? g_ascii_strtoll(i->text, &end, 0) : -1;
    if (n < 0 || n > most)
        return tw__as_refuse(b, i, op, "pto.attribute", "%s: %s is a number from 0 to %" PRId64, op->name, name,
                             most),
               false;
    *value = n;
    return true;
}

bool tw__as_known_members(tw__as_binder *b, const tw__as_op *op, const tw__as_parts *p, const char *const *names,
                          size_t count)
{
    for (unsigned d = 0; d < p->dicts; d++)
        for (const tw__as_item *i = p->dict[d]->child; i; i = i->next) {
            bool known = false;
            for (size_t n = 0; i->text && n < count; n++) known |= strcmp(i->text, names[n]) == 0;
            if (known || !i->text) continue;
            const char *near = tw__nearest(i->text, names, count);
            return tw__as_refuse(b, i, op, "pto.attribute",
                                 near ? "%s has no attribute '%s'; did you mean '%s'?" : "%s has no attribute '%s'",
                                 op->name, i->text, near),
                   false;
        }
    return true;
}

/* --- FIFOs: number = id << 8, split << 16; of initialize_pipe id, nosplit << 8, mask << 16, slots << 20, slot bytes << 32,
 * type << 57 --------------------------------------------------------------------------------------------------------------- */

/* The type of what lies in slots, when accumulators change to it on the way (an addition: the documents name no spelling). */
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
        if (c->kind == TW__AS_PTR && c->ptr.base) {
            if (c->ptr.at < 0 || (uint64_t)c->ptr.at + (uint64_t)slots * bytes > c->ptr.bytes)
                return tw__fail(TW_E_INDEX,
                                "%s: %u slots of %u bytes do not fit the %zu bytes behind gm_slot_buffer",
                                code->op->name, slots, bytes, c->ptr.bytes);
            memory = c->ptr.base + c->ptr.at;
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

typedef enum fifo_op { PUSH = 0, POP = 1, FREE = 2, TO_CUBE = 4 } fifo_op; /* TO_CUBE: direction 2 */

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

/* Scales of an accumulator: a tile with one per column, or the bits of an f32 in an integer, as for TSTORE. */
static bool check_scale(tw__as_binder *b, const tw__as_op *op, const tw__as_item *item)
{
    uint32_t slot;
    if (item->kind == TW__AS_NUMBER) return true;
    if (item->kind != TW__AS_VALUE || !tw__as_find(b, item->text, &slot)) return true; /* refused as a name */
    const tw__as_type *t = &b->f->slot_type[slot];
    bool wide =
        t->kind == TW__AS_INDEX || (t->kind == TW__AS_SCALAR && (t->element == TW_I64 || t->element == TW_U64));
    if (!t->kind || t->kind == TW__AS_TILE || wide) return true;
    return tw__as_refuse(b, item, op, "pto.type", "%s: a tile of scales or an i64 is wanted here, not %s", op->name,
                         tw__as_type_text(t)),
           false;
}

static bool bind_fifo(tw__as_binder *b, const tw__as_op *op, tw__as_parts *p, tw__as_code *code, tw__as_type *type)
{
    static const char *const names[] = { "id",         "split",    "relu",     "reluPreMode",
                                         "phase",      "stPhase",  "atomic",   "atomicType",
                                         "layoutMode", "subBlock", "clipRelu", "channelSplit" };
    int64_t id = 0, split = 0;
    bool push = (code->number & 3) == PUSH;
    if (!tw__as_known_members(b, op, p, names, push ? G_N_ELEMENTS(names) : 2) ||
        (push && !push_attrs(b, op, p, &code->attrs)) || !tw__as_number_member(b, op, p, "id", 15, &id) ||
        !tw__as_number_member(b, op, p, "split", 2, &split))
        return false;
    bool pop = (code->number & 3) == POP;
    if (pop && type->kind != TW__AS_TILE)
        return tw__as_refuse(b, NULL, op, "pto.type", "%s gives a tile: '-> !pto.tile_buf<...>' is missing",
                             op->name),
               false;
    bool fits = push ? p->ins == 1 || p->ins == 2 : pop ? p->ins == 0 || p->ins == 2 : p->ins == 0;
    if (!fits)
        return tw__as_refuse(b, NULL, op, "pto.operands", "%s takes %s", op->name,
                             push  ? "a tile, or a tile and its scales: a tile, or an i64 for all columns"
                             : pop ? "nothing, or the valid rows and columns"
                                   : "no operand"),
               false;
    code->number |= id << 8 | split << 16;
    return !push || p->ins < 2 || check_scale(b, op, p->in[1]);
}

static tw_status run_push(tw__as_run *run, const tw__as_code *code, const tw_pto_fifo *fifo,
                          const tw_pto_attrs *how)
{
    tw_pto_operand operands[3] = { tw_pto_fifo_operand(fifo),
                                   tw_pto_tile_operand(&tw__as_operand(run, code, 0)->tile) };
    tw__as_cell *scale = code->count > 1 ? tw__as_operand(run, code, 1) : NULL;
    if (scale)
        operands[2] = scale->kind == TW__AS_TILE ? tw_pto_tile_operand(&scale->tile)
                                                 : tw_pto_scalar_operand(tw_pto_bits(TW_I64, scale->scalar.bits));
    tw_status status = tw_pto_call(run->core, "tpush", operands, scale ? 3 : 2, how);
    if (status != TW_OK && run->core->blame > 0) run->blame = run->core->blame - 1; /* operand 0 is the FIFO */
    return status;
}

static tw_status run_fifo(tw__as_run *run, const tw__as_code *code)
{
    unsigned id = code->number >> 8 & 15, d = code->number & TO_CUBE ? 1 : 0;
    tw_pto_split split = (tw_pto_split)(code->number >> 16 & 3);
    const tw_pto_fifo *fifo = &run->fifo[d][id];
    if (!fifo->slots)
        return tw__fail(
            TW_E_INVALID_ARGUMENT,
            "%s: pipe %u of this direction is not initialised (aic_initialize_pipe, aiv_initialize_pipe)",
            code->op->name, id);
    if ((code->number & 3) == FREE) return tw_pto_free_slot(run->core, fifo);
    if ((code->number & 3) == PUSH) {
        tw_pto_attrs how = code->attrs;
        how.split = (int32_t)split;
        return run_push(run, code, fifo, &how);
    }
    tw__as_cell *cell = &run->cell[code->result[0]];
    if (cell->kind == TW__AS_TILE && cell->rank) tw_pto_release(run->core, &cell->tile);
    *cell = (tw__as_cell){ .kind = TW__AS_TILE, .tile = code->types[0].tile, .rank = 1 };
    uint32_t *valid[] = { &cell->tile.valid_rows, &cell->tile.valid_cols };
    const uint32_t most[] = { cell->tile.rows, cell->tile.cols };
    for (unsigned i = 0; i < 2; i++) {
        int64_t extent = code->count ? tw__as_integer(tw__as_operand(run, code, i)) : *valid[i];
        if (*valid[i] == TW_PTO_DYNAMIC && !code->count) extent = most[i];
        if (extent < 0 || extent > most[i])
            return tw__fail(TW_E_INVALID_ARGUMENT, "%s: a valid extent of %" PRId64 " in %u", code->op->name,
                            extent, most[i]);
        *valid[i] = (uint32_t)extent;
    }
    return tw_pto_pop(run->core, fifo, &cell->tile, split);
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

/* --- flags between cores: number = pipe, mode << 16, core_flag << 24 ------------------------------------------------------- */

typedef enum core_flag { SET, WAIT, INTRA_SET, INTRA_WAIT } core_flag;

static bool bind_core_flag(tw__as_binder *b, const tw__as_op *op, tw__as_parts *p, tw__as_code *code,
                           tw__as_type *type)
{
    static const char *const names[] = { "mode" };
    int64_t mode = TW_PTO_SYNC_CUBE_VECTOR;
    int pipe = -1;
    (void)type;
    if (!tw__as_known_members(b, op, p, names, code->number >= INTRA_SET ? 0 : 1) ||
        !tw__as_number_member(b, op, p, "mode", 2, &mode))
        return false;
    for (unsigned n = 0; n < p->nameds; n++) {
        char word[48];
        tw__as_value_word(b, p->named[n], word, sizeof word);
        for (int i = 0; i < TW_PTO_PIPES; i++)
            if (strcmp(word, tw_pto_pipe_name((tw_pto_pipe)i)) == 0) pipe = i;
    }
    if (pipe < 0 || p->ins != 1)
        return tw__as_refuse(b, NULL, op, "pto.pipe", "%s takes a pipe and a flag, such as #pto.pipe<PIPE_FIX>, 3",
                             op->name),
               false;
    code->number = code->number << 24 | mode << 16 | pipe;
    return true;
}

static tw_status run_core_flag(tw__as_run *run, const tw__as_code *code)
{
    int64_t id = tw__as_integer(tw__as_operand(run, code, 0));
    tw_pto_pipe pipe = (tw_pto_pipe)(code->number & 255);
    tw_pto_sync_mode mode = (tw_pto_sync_mode)(code->number >> 16 & 3);
    unsigned flag = id < 0 || id > 255 ? 255 : (unsigned)id;
    switch ((core_flag)(code->number >> 24)) {
    case SET: return tw_pto_sync_set(run->core, pipe, flag, mode);
    case WAIT: return tw_pto_sync_wait(run->core, pipe, flag, mode);
    case INTRA_SET: return tw_pto_intra_set(run->core, pipe, flag);
    case INTRA_WAIT: break;
    }
    return tw_pto_intra_wait(run->core, pipe, flag);
}

const tw__as_host tw__as_core_ops[] = {
    // clang-format off
    { "pto.aic_initialize_pipe", run_pipe, 0, -1, 0, bind_pipe, "*" },
    { "pto.aiv_initialize_pipe", run_pipe, 0, -1, 0, bind_pipe, "*" },
    { "pto.reserve_buffer", run_reserve, 'i', 0, 0, bind_reserve, NULL },
    { "pto.import_reserved_buffer", run_reserve, 'i', 0, 0, bind_reserve, NULL },
    { "pto.tpush_to_aiv", run_fifo, 0, -1, PUSH, bind_fifo, "t*" },
    { "pto.tpush_to_aic", run_fifo, 0, -1, PUSH | TO_CUBE, bind_fifo, "t*" },
    { "pto.tpop_from_aic", run_fifo, 'c', -1, POP, bind_fifo, "i" },
    { "pto.tpop_from_aiv", run_fifo, 'c', -1, POP | TO_CUBE, bind_fifo, "i" },
    { "pto.tfree_from_aic", run_fifo, 0, -1, FREE, bind_fifo, "i" },
    { "pto.tfree_from_aiv", run_fifo, 0, -1, FREE | TO_CUBE, bind_fifo, "i" },
    { "pto.sync.set", run_core_flag, 0, -1, SET, bind_core_flag, "i" },
    { "pto.sync.wait", run_core_flag, 0, -1, WAIT, bind_core_flag, "i" },
    { "pto.set_intra_block", run_core_flag, 0, -1, INTRA_SET, bind_core_flag, "i" },
    { "pto.wait_intra_block", run_core_flag, 0, -1, INTRA_WAIT, bind_core_flag, "i" },
    { 0 }
    // clang-format on
};
