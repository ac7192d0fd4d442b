/* SPDX-License-Identifier: MIT */
/* instructions: tile instructions in text. The form of a row gives its operands in C++ order, `ins` those of text;
 * the first form
 * whose operands fit is taken. Tiles that a result names are declared here; what is known before the program runs is
 * put to the same checks as when it runs. */
#include "pto/text/bind/bind.h"
#include "pto/exec/exec.h"

static bool is_destination(char c)
{
    return tw__is_dst_letter(c) || c == 'G';
}

static tw_pto_kind kind_of(char c)
{
    return tw__kind_of_letter(c);
}

static tw_pto_kind kind_of_type(const tw__as_type *t)
{
    if (!t) return TW_PTO_NOTHING;
    if (t->kind == TW__AS_TILE) return TW_PTO_TILE;
    if (t->kind == TW__AS_VIEW || t->kind == TW__AS_PART || t->kind == TW__AS_MEMREF) return TW_PTO_TENSOR;
    return t->kind == TW__AS_SCALAR || t->kind == TW__AS_INDEX ? TW_PTO_SCALAR : TW_PTO_NOTHING;
}

/* Inputs and destinations of a row in text order, as positions in its form. */
static void text_order(const tw__pto_row *row, unsigned *ins, unsigned *in_count, unsigned *outs,
                       unsigned *out_count)
{
    *in_count = *out_count = 0;
    for (const char *c = row->form; *c; c++)
        if (is_destination(*c)) outs[(*out_count)++] = (unsigned)(c - row->form);
    if (*row->ins) {
        for (const char *c = row->ins; *c; c++) ins[(*in_count)++] = (unsigned)tw__letter(row, *c);
        return;
    }
    for (const char *c = row->form; *c; c++)
        if (!is_destination(*c)) ins[(*in_count)++] = (unsigned)(c - row->form);
}

/* Type of an operand: of the value when it is known, else as written. */
static const tw__as_type *known_type(const tw__as_binder *b, const tw__as_item *item, const tw__as_type *written)
{
    uint32_t slot;
    if (item->kind == TW__AS_VALUE && tw__as_find(b, item->text, &slot) && b->f->slot_type[slot]->kind)
        return b->f->slot_type[slot];
    return written;
}

/* A value of unknown type may be anything; a pointer or a session is no operand of a tile instruction. */
static bool may_be(const tw__as_item *item, const tw__as_type *t, tw_pto_kind want)
{
    if (item->kind == TW__AS_NUMBER) return want == TW_PTO_SCALAR;
    return !t || !t->kind || kind_of_type(t) == want;
}

static bool row_fits(const tw__as_binder *b, const tw__pto_row *row, const tw__as_parts *p, unsigned ins,
                     unsigned outs, const unsigned *in_at)
{
    unsigned in_order[TW_PTO_OPERANDS], out_order[TW_PTO_OPERANDS], in_count, out_count;
    text_order(row, in_order, &in_count, out_order, &out_count);
    if (in_count != ins || out_count != outs) return false;
    for (unsigned i = 0; i < ins; i++) {
        const tw__as_item *item = p->in[in_at[i]];
        const tw__as_type *t =
            known_type(b, item, (p->dps || p->results) && p->in_types == ins ? p->in_type[i] : NULL);
        if (!may_be(item, t, kind_of(row->form[in_order[i]]))) return false;
    }
    return true;
}

/* vector<4xi16> is a value, not a tile: it has a place of its own in manual mode too. */
static tw_status place_counts(tw__as_run *run, const tw__as_code *code)
{
    unsigned flags = run->core->flags;
    run->core->flags &= ~TW_PTO_MANUAL;
    tw_status status = tw__pto_place(run->core, &run->cell[code->operand[1]].wide->tile);
    run->core->flags = flags;
    return status;
}

static tw_status run_row(tw__as_run *run, const tw__as_code *code)
{
    tw_pto_operand operands[TW_PTO_OPERANDS];
    for (unsigned i = 0; i < code->count; i++) {
        tw__as_cell *cell = &run->cell[code->operand[i]];
        if (cell->kind == TW__AS_TILE && tw__is_tile_letter(code->more->row->form[i])) { /* most operands */
            operands[i].kind = TW_PTO_TILE;
            operands[i].tile = &cell->wide->tile;
            continue;
        }
        switch (kind_of(code->more->row->form[i])) {
        case TW_PTO_TILE: operands[i] = tw_pto_tile_operand(&cell->wide->tile); break;
        case TW_PTO_TENSOR: operands[i] = tw_pto_tensor_operand(&cell->wide->tensor); break;
        case TW_PTO_SCALAR:
        case TW_PTO_FIFO: /* FIFOs and groups have operations of their own in text */
        case TW_PTO_GROUP:
        case TW_PTO_NOTHING: operands[i] = tw_pto_scalar_operand(cell->scalar); break;
        }
        bool known = kind_of(code->more->row->form[i]) == TW_PTO_TILE ? cell->kind == TW__AS_TILE
                     : kind_of(code->more->row->form[i]) == TW_PTO_TENSOR
                         ? cell->kind == TW__AS_VIEW || cell->kind == TW__AS_PART || cell->kind == TW__AS_MEMREF
                         : cell->kind == TW__AS_SCALAR || cell->kind == TW__AS_INDEX;
        if (!known) {
            run->blame = i;
            return tw__fail(TW_E_INVALID_ARGUMENT, "%s: operand %u has no value: bind it with --arg",
                            code->more->row->mnemonic, i + 1);
        }
        /* Leaky relu alone takes its factor as f32 whatever the tile's type. */
        if (operands[i].kind == TW_PTO_SCALAR && code->number && cell->scalar.type == TW_F32) {
            tw_pto_scalar narrow = { .type = (tw_type)code->number };
            tw_convert(narrow.type, &narrow.bits, TW_F32, &cell->scalar.bits,
                       (tw_convert_mode){ TW_ROUND_NEAREST_EVEN, TW_SAT_NONE }, 0);
            operands[i].scalar = narrow;
        }
    }
    tw_status status = code->more->counts ? place_counts(run, code) : TW_OK;
    if (status != TW_OK) return status;
    run->core->line = (uint32_t)code->op->line;
    status = tw__pto_exec_row(run->core, code->more->row, operands, code->count, code->more->attrs);
    if (status != TW_OK) run->blame = run->core->blame;
    if (status == TW_OK && code->more->row->rules & TW__NAMES) tw__as_changed(run, &run->cell[code->operand[0]]);
    return status;
}

/* A tile that an operation defines: its storage is found when it is used. */
static tw_status run_declare(tw__as_run *run, const tw__as_code *code)
{
    tw__as_cell *cell = &run->cell[code->result[0]];
    if (cell->kind == TW__AS_TILE && cell->rank) tw_pto_tile_free(run->core, &cell->wide->tile);
    tw__as_set_tile(cell, &code->types[0]->tile);
    const tw_pto_tile *like = code->count ? &run->cell[code->operand[0]].wide->tile : &cell->wide->tile;
    if (cell->wide->tile.valid_rows == TW_PTO_DYNAMIC)
        cell->wide->tile.valid_rows =
            like->valid_rows < cell->wide->tile.rows ? like->valid_rows : cell->wide->tile.rows;
    if (cell->wide->tile.valid_cols == TW_PTO_DYNAMIC)
        cell->wide->tile.valid_cols =
            like->valid_cols < cell->wide->tile.cols ? like->valid_cols : cell->wide->tile.cols;
    return code->number ? tw_pto_assign(run->core, &cell->wide->tile, (uint64_t)code->number - 1) : TW_OK;
}

static uint32_t declare(tw__as_binder *b, const tw__as_op *op, const char *name, const tw__as_place *where,
                        const tw__as_type *type, const uint32_t *like)
{
    tw__as_code *code = tw__as_code_new(b, op, run_declare);
    if (!code) return 0;
    tw__as_early *early = g_hash_table_lookup(b->pending, name);
    if (early) {
        early->taken = true;
        code->number = (int64_t)early->address + 1;
        const tw__as_item at = tw__as_item_at(early->where);
        if (!tw__as_check_address(b, op, &at, &type->tile, early->address)) return 0;
    }
    if (!tw__as_check_size(b, op, &type->tile)) return 0;
    if (like) tw__as_set_operands(b, code, like, NULL, 1);
    uint32_t slot = tw__as_define(b, name, type, where);
    tw__as_set_result(b, code, type, slot);
    return slot;
}

/* Slot of an operand of a tile instruction. An unknown name is a destination to be defined, or (plain assembly) free.
 * */
static bool operand_slot(tw__as_binder *b, const tw__as_op *op, tw__as_item *item, char letter,
                         const tw__as_type *written, const tw__as_type *tile_type, uint32_t *slot)
{
    tw_type scalar = written && kind_of(letter) == TW_PTO_SCALAR ? written->element
                     : letter == 's' && tile_type                ? tile_type->tile.type
                                                                 : TW_I64;
    if (item->kind == TW__AS_NUMBER) return tw__as_constant(b, op, item, scalar, slot);
    if (item->kind != TW__AS_VALUE) return tw__as_refuse(b, item, op, "pto.operand", "expected a value"), false;
    if (tw__as_find(b, item->text, slot)) {
        const tw__as_type *have = b->f->slot_type[*slot];
        if (written && !tw__as_same_type(have, written))
            return tw__as_refuse(b, item, op, "pto.type", "%%%s is %s, not %s", item->text, have->text,
                                 written->text),
                   false;
        return true;
    }
    const tw__as_type *type = written ? written : kind_of(letter) == TW_PTO_TILE ? tile_type : NULL;
    if (!b->top) return tw__as_undefined(b, item, op), false;
    const tw__as_place where = tw__as_place_of(item);
    bool made_here = is_destination(letter) && kind_of(letter) == TW_PTO_TILE && type;
    if (made_here && type->kind != TW__AS_TILE)
        return tw__as_refuse(b, item, op, "pto.type", "%%%s: the type of a tile is wanted here, not %s", item->text,
                             type->text),
               false;
    if (made_here) return *slot = declare(b, op, item->text, &where, type, NULL), !b->failed;
    tw__as_type made = { .kind = TW__AS_SCALAR, .element = scalar };
    if (kind_of(letter) == TW_PTO_TENSOR || (kind_of(letter) == TW_PTO_TILE && !type))
        return tw__as_undefined(b, item, op), false;
    return tw__as_define_free(b, item, kind_of(letter) == TW_PTO_TILE ? type : &made, slot);
}

/* What is known before the program runs, put to the same checks as a call of `row`. */
static tw_status judge(const tw__as_binder *b, const tw__as_code *code, const tw__pto_row *row, unsigned *blame)
{
    tw_pto_operand operands[TW_PTO_OPERANDS];
    tw_pto_tile tiles[TW_PTO_OPERANDS];
    for (unsigned i = 0; i < code->count; i++) {
        const tw__as_type *t = b->f->slot_type[code->operand[i]];
        if (kind_of(row->form[i]) == TW_PTO_TENSOR) return TW_OK; /* judged when strides and layout are known */
        if (!t->kind) return TW_OK;                               /* what defines it has failed, and was told */
        tiles[i] = t->tile;
        tw_type type = t->element;
        if (code->number && type == TW_F32) type = (tw_type)code->number;
        operands[i] =
            t->kind == TW__AS_TILE ? tw_pto_tile_operand(&tiles[i]) : tw_pto_scalar_operand(tw_pto_bits(type, 0));
    }
    return tw_pto_check(b->program->target, (int)tw__pto_row_index(row), operands, code->count, code->more->attrs,
                        blame);
}

/* Another form of the same kinds in the same places, when only that one takes these operands: TQUANT with tmp, with
 * offsets. */
static void prefer_fitting(const tw__as_binder *b, tw__as_code *code)
{
    const tw__pto_row *first = code->more->row;
    unsigned blame;
    for (const tw__pto_row *row = first; (row = tw__pto_next_form(row));) {
        bool same =
            strcmp(row->ins, first->ins) == 0 && row->operands == first->operands && row->attrs == first->attrs;
        for (unsigned i = 0; i < first->operands && same; i++)
            same = kind_of(row->form[i]) == kind_of(first->form[i]) &&
                   is_destination(row->form[i]) == is_destination(first->form[i]);
        if (!same || judge(b, code, code->more->row, &blame) == TW_OK) continue;
        if (judge(b, code, row, &blame) == TW_OK) code->more->row = row;
    }
}

/* What the types alone say of a transfer between a view of two extents and a tile; strides and layout are judged in
 * the run. Accumulators convert, scales of MX lie in pairs. */
static bool check_transfer(tw__as_binder *b, const tw__as_op *op, const tw__as_code *code)
{
    bool load = strcmp(code->more->row->mnemonic, "tload") == 0;
    if ((!load && strcmp(code->more->row->mnemonic, "tstore") != 0) || code->count != 2) return true;
    const tw__as_type *tile = b->f->slot_type[code->operand[!load]], *view = b->f->slot_type[code->operand[load]];
    if (tile->kind != TW__AS_TILE || tile->tile.conv || !tile->text || strchr(tile->text, '?')) return true;
    if (view->kind != TW__AS_VIEW && view->kind != TW__AS_PART) return true;
    const char *name = code->more->row->name, *target = tw_pto_target_name(b->program->target);
    unsigned bits = tw_type_get(view->element)->bits;
    const tw__as_item at = tw__as_item_at(code->more->where[load]);
    if (tile->tile.location != TW_PTO_ACC && bits != tw_type_get(tile->tile.type)->bits)
        return tw__as_refuse(
                   b, &at, op, "pto.verify",
                   "%s: tensor of %s and tile of %s differ in element size [rule global.type, profile %s]", name,
                   tw_type_name(view->element, TW_SYSTEM_PTO), tw_type_name(tile->tile.type, TW_SYSTEM_PTO),
                   target),
               false;
    if (view->rank != 2 || bits < 8 || view->element == TW_F8E8M0) return true;
    const uint32_t valid[2] = { tile->tile.valid_rows, tile->tile.valid_cols };
    for (unsigned d = 0; d < 2; d++)
        if (view->dims[d] >= 0 && view->dims[d] != valid[d])
            return tw__as_refuse(b, &at, op, "pto.verify",
                                 "%s: the tensor has %lld %s, the tile's valid region %u [rule global.extents, "
                                 "profile %s]",
                                 name, (long long)view->dims[d], d ? "columns" : "rows", valid[d], target),
                   false;
    return true;
}

static void refuse_operand(tw__as_binder *b, const tw__as_op *op, const tw__as_code *code, unsigned blame)
{
    const tw__as_item at =
        tw__as_item_at(blame < code->count ? code->more->where[blame] : (tw__as_place){ .line = 0 });
    tw__as_refuse(b, at.line ? &at : NULL, op, "pto.verify", "%s", tw_error_message());
}

/* Tensors that are written, as far as extents and strides are known: an unknown one is empty. */
static tw_status judge_written(const tw__as_binder *b, const tw__as_code *code, unsigned *blame)
{
    tw_pto_operand operands[TW_PTO_OPERANDS] = { 0 };
    tw_pto_tensor tensors[TW_PTO_OPERANDS];
    static const tw_pto_attrs none;
    for (unsigned i = 0; i < code->count; i++) {
        if (kind_of(code->more->row->form[i]) != TW_PTO_TENSOR) continue;
        tensors[i] = tw__as_known_view(b, code->operand[i]);
        operands[i] = tw_pto_tensor_operand(&tensors[i]);
    }
    tw__pto_call call = { .target = b->program->target,
                          .row = code->more->row,
                          .operand = operands,
                          .count = code->count,
                          .attrs = code->more->attrs ? code->more->attrs : &none };
    tw_status status = tw__pto_check_written(&call);
    *blame = call.blame;
    return status;
}

static void check_static(tw__as_binder *b, const tw__as_op *op, tw__as_code *code)
{
    unsigned at;
    if (!check_transfer(b, op, code)) return;
    if (judge_written(b, code, &at) != TW_OK) {
        refuse_operand(b, op, code, at);
        return;
    }
    unsigned blame = code->count;
    prefer_fitting(b, code);
    if (judge(b, code, code->more->row, &blame) != TW_OK) refuse_operand(b, op, code, blame);
}

/* vector<4xi16> stands for the counts of TMRGSORT only. */
static bool check_counts(tw__as_binder *b, const tw__as_op *op, const tw__pto_row *row, const uint32_t *slots,
                         tw__as_item *const *where)
{
    for (unsigned i = 0; i < row->operands; i++)
        if (b->f->slot_type[slots[i]]->counts && (row->form[i] != 'e' || strcmp(row->mnemonic, "tmrgsort") != 0))
            return tw__as_refuse(b, where[i], op, "pto.type", "a tile is wanted here, not %s",
                                 b->f->slot_type[slots[i]]->text),
                   false;
    return true;
}

/* Results of the DPS form are other names of its destinations. */
static bool name_results(tw__as_binder *b, const tw__as_op *op, const tw__as_parts *p, const uint32_t *slots,
                         const unsigned *outs, unsigned count)
{
    if (op->result_count && op->result_count != count)
        return tw__as_refuse(b, NULL, op, "pto.results", "%s has %u destinations, %u results are named", op->name,
                             count, op->result_count),
               false;
    for (unsigned i = 0; i < op->result_count; i++) {
        const tw__as_type *have = b->f->slot_type[slots[outs[i]]];
        if (i < p->results && !tw__as_same_type(have, p->result[i]))
            return tw__as_refuse(b, NULL, op, "pto.type", "result %u is %s, as its destination, not %s", i + 1,
                                 tw__as_type_text(have), p->result[i]->text),
                   false;
        const tw__as_place where = tw__as_result_place(op, i);
        tw__as_rename(b, op->results[i].text, slots[outs[i]], &where);
    }
    return true;
}

/* The first operand that is of the wrong kind for a form with this number of them. */
static bool wrong_kind(tw__as_binder *b, const tw__as_op *op, const tw__pto_row *form, const tw__as_parts *p,
                       unsigned skip)
{
    static const char *const kinds[8] = { "nothing", "a tile", "a tensor", "a number", "a FIFO", "a group" };
    unsigned in_order[TW_PTO_OPERANDS], out_order[TW_PTO_OPERANDS], nin, nout;
    text_order(form, in_order, &nin, out_order, &nout);
    for (unsigned i = 0; i < nin && i + skip < p->ins; i++) {
        const tw__as_type *t = known_type(b, p->in[i + skip], NULL);
        bool number = p->in[i + skip]->kind == TW__AS_NUMBER, pointer = t && t->kind == TW__AS_PTR;
        tw_pto_kind want = kind_of(form->form[in_order[i]]);
        if (!may_be(p->in[i + skip], t, want))
            return tw__as_refuse(b, p->in[i + skip], op, "pto.operands", "%s wants %s here, not %s%s",
                                 form->mnemonic, kinds[want & 7], number ? "a number" : tw__as_type_text(t),
                                 pointer && want == TW_PTO_TENSOR ? "; pto.make_tensor_view makes one of it" : ""),
                   true;
    }
    return false;
}

/* Why no form takes the operands: how many they are, or of which kinds. `flat`: destinations are the first operands.
 * */
static void no_form(tw__as_binder *b, const tw__as_op *op, const tw__pto_row *row, const tw__as_parts *p, bool flat)
{
    unsigned in_order[TW_PTO_OPERANDS], out_order[TW_PTO_OPERANDS], nin, nout, fitting = 0, skip = 0;
    unsigned outs = p->dps ? p->outs : op->result_count;
    const tw__pto_row *fits = NULL;
    char counts[160] = "";
    for (const tw__pto_row *form = row; form; form = tw__pto_next_form(form)) {
        char one[40];
        text_order(form, in_order, &nin, out_order, &nout);
        g_snprintf(one, sizeof one, "%u input%s and %u destination%s", nin, nin == 1 ? "" : "s", nout,
                   nout == 1 ? "" : "s");
        if (!strstr(counts, one))
            g_snprintf(counts + strlen(counts), sizeof counts - strlen(counts), "%s%s", *counts ? ", or " : "",
                       one);
        if (flat ? p->ins != nin + nout : p->ins != nin || outs != nout) continue;
        fits = form;
        skip = flat ? nout : 0;
        fitting++;
    }
    if (fitting == 0)
        return tw__as_refuse(b, NULL, op, "pto.operands",
                             "%s takes %s; here are %u and %u (`tilewright pto info %s`)", row->mnemonic, counts,
                             p->ins, outs, row->mnemonic);
    if (fitting == 1 && wrong_kind(b, op, fits, p, skip)) return;
    tw__as_refuse(b, NULL, op, "pto.operands", "no form of %s takes these operands (`tilewright pto info %s`)",
                  row->mnemonic, row->mnemonic);
}

/* Words, strings and lists that no tile instruction has; a word may be a value without its %. */
static bool has_stray(tw__as_binder *b, const tw__as_op *op, const tw__as_parts *p)
{
    uint32_t slot;
    for (const tw__as_item *i = op->items; i; i = i->next)
        if (i->kind == TW__AS_LIST)
            return tw__as_refuse(b, i, op, "pto.operands", "a list has no meaning in %s", op->name), true;
    for (unsigned n = 0; n < p->nameds; n++) {
        const tw__as_item *i = p->named[n];
        if (i->kind == TW__AS_ATTR && i->has_value) continue;
        bool value = i->kind == TW__AS_WORD && tw__as_find(b, i->text, &slot);
        tw__as_refuse(b, i, op, "pto.operands",
                      value ? "'%s' has no meaning in %s; did you mean '%%%s'?" : "'%s' has no meaning in %s",
                      i->text, op->name, i->text);
        return true;
    }
    return false;
}

void tw__as_bind_row(tw__as_binder *b, const tw__as_op *op, const tw__pto_row *row)
{
    tw__as_parts p;
    unsigned in_at[TW__AS_OPERANDS], in_order[TW_PTO_OPERANDS], out_order[TW_PTO_OPERANDS], ins, outs, nin, nout;
    tw__as_collect(b, op, &p);
    if (b->failed || tw__as_bind_padded_load(b, op, &p) || has_stray(b, op, &p)) return;
    if (p.results && op->result_count && p.results != op->result_count)
        return tw__as_refuse(b, NULL, op, "pto.results", "%u result%s named, %u type%s after '->'",
                             op->result_count, op->result_count == 1 ? " is" : "s are", p.results,
                             p.results == 1 ? "" : "s");
    /* Plain assembly without results: destinations come first among the operands. */
    bool flat = !p.dps && op->result_count == 0;
    outs = p.dps ? p.outs : op->result_count;
    const tw__pto_row *found = NULL;
    for (const tw__pto_row *form = row; form && !found; form = tw__pto_next_form(form)) {
        text_order(form, in_order, &nin, out_order, &nout);
        unsigned skip = flat ? nout : 0;
        if (flat) outs = nout;
        if (skip > p.ins) continue;
        for (ins = 0; ins < p.ins - skip; ins++) in_at[ins] = ins + skip;
        if (row_fits(b, form, &p, ins, outs, in_at)) found = form;
    }
    if (!found) return no_form(b, op, row, &p, flat);
    text_order(found, in_order, &nin, out_order, &nout);
    unsigned skip = flat ? nout : 0;
    const tw__as_type *results[8], *single = p.results     ? p.result[0]
                                             : p.out_types ? p.out_type[0]
                                             : p.in_types == 1 || flat
                                                 ? (p.in_types ? p.in_type[p.in_types - 1] : NULL)
                                                 : NULL;
    if (single && single->kind != TW__AS_TILE) single = NULL;
    uint32_t slots[TW_PTO_OPERANDS] = { 0 };
    tw__as_item *where[TW_PTO_OPERANDS] = { NULL };
    bool listed = (p.dps || p.results) && p.in_types == nin; /* plain: the one type is the destination's */
    for (unsigned i = 0; i < nin && !b->failed; i++) {
        where[in_order[i]] = p.in[i + skip];
        operand_slot(b, op, p.in[i + skip], found->form[in_order[i]], listed ? p.in_type[i] : NULL, single,
                     &slots[in_order[i]]);
    }
    const uint32_t *like = NULL;
    for (unsigned i = 0; i < nin && !like; i++)
        if (kind_of(found->form[in_order[i]]) == TW_PTO_TILE) like = &slots[in_order[i]];
    for (unsigned i = 0; i < nout && !b->failed; i++) {
        if (op->result_count && !p.dps) {
            results[i] = p.results > i ? p.result[i] : single;
            if (!results[i] || results[i]->kind != TW__AS_TILE)
                return tw__as_refuse(b, NULL, op, "pto.type", "the type of result %u is missing", i + 1);
            const tw__as_place at = tw__as_result_place(op, i);
            slots[out_order[i]] = declare(b, op, op->results[i].text, &at, results[i], like);
        } else {
            tw__as_item *item = flat ? p.in[i] : p.out[i];
            where[out_order[i]] = item;
            operand_slot(b, op, item, found->form[out_order[i]], p.dps && p.out_types > i ? p.out_type[i] : NULL,
                         single, &slots[out_order[i]]);
        }
    }
    if (b->failed || !check_counts(b, op, found, slots, where)) return;
    if (p.dps && !name_results(b, op, &p, slots, out_order, nout)) return;
    if (p.dps && (p.in_types && p.in_types != nin))
        return tw__as_refuse(b, NULL, op, "pto.types", "%u types for %u inputs", p.in_types, nin);
    tw__as_code *code = tw__as_code_new(b, op, run_row);
    if (!code || !tw__as_set_operands(b, code, slots, where, found->operands)) return;
    code->more->row = found;
    code->more->counts = found->operands > 1 && b->f->slot_type[slots[1]]->counts;
    if (strcmp(found->mnemonic, "tlrelu") == 0) code->number = b->f->slot_type[slots[0]]->tile.type;
    tw_pto_attrs attrs = { 0 };
    bool bound = tw__as_bind_attrs(b, op, found, &p, &attrs);
    code->more->attrs = tw__as_keep_attrs(b, &attrs);
    if (bound && !b->m->no_memory) check_static(b, op, code);
}
