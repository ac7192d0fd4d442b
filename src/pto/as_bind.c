/* as_bind: from the tree to code. Names become slots, operations rows of the instruction table or of the host table;
 * types that are written are compared with those known, and every instruction is checked for the target as far as its
 * extents are known. Names that plain assembly uses and never defines stay free: --arg binds them. */
#include "pto/as.h"

#include <glib.h>
#include <stdlib.h>

enum { MAX_OPERANDS = 32 };

typedef struct binder {
    tw__as_module *m;
    tw__as_program *program;
    tw__as_function *f;
    GHashTable *names;   /* text -> slot + 1 */
    GArray *undo;        /* (text, old) of inner scopes */
    GHashTable *pending; /* plain assembly: name -> address + 1, from pto.tassign before the definition */
    size_t slot_room, type_room, free_room;
    bool failed, top;
} binder;

typedef struct undo {
    const char *name;
    gpointer old;
} undo;

typedef struct parts {
    tw__as_item *in[MAX_OPERANDS], *out[MAX_OPERANDS], *list[2][MAX_OPERANDS];
    const tw__as_type *in_type[64], *out_type[64], *result[64], *to;
    unsigned ins, outs, in_types, out_types, results, lists[2], list_count;
    tw__as_item *dict[4], *named[8], *first;
    unsigned dicts, nameds;
    bool dps;
} parts;

static void fail(binder *b, const tw__as_item *where, const tw__as_op *op, const char *code, const char *format,
                 ...) TW_PRINTF(5, 6);
static void fail(binder *b, const tw__as_item *where, const tw__as_op *op, const char *code, const char *format,
                 ...)
{
    char text[500];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    b->failed = true;
    tw__as_error(b->m, where ? where->line : op->line, where ? where->column : op->column,
                 where ? where->length : op->length, code, "%s", text);
}

/* --- slots ---------------------------------------------------------------------------------------------------------- */

static uint32_t new_slot(binder *b, const char *name, const tw__as_type *type)
{
    tw__as_function *f = b->f;
    if (f->slots >= TW__AS_MAX_SLOTS || !tw__grow(&f->slot_name, &b->slot_room, f->slots, sizeof *f->slot_name) ||
        !tw__grow(&f->slot_type, &b->type_room, f->slots, sizeof *f->slot_type)) {
        b->failed = true;
        b->m->no_memory = true;
        return 0;
    }
    f->slot_name[f->slots] = name;
    f->slot_type[f->slots] = type ? *type : (tw__as_type){ 0 };
    return f->slots++;
}

static uint32_t define(binder *b, const char *name, const tw__as_type *type)
{
    undo u = { name, g_hash_table_lookup(b->names, name) };
    uint32_t slot = new_slot(b, name, type);
    g_array_append_val(b->undo, u);
    g_hash_table_insert(b->names, (gpointer)(uintptr_t)name, GUINT_TO_POINTER(slot + 1));
    return slot;
}

static void leave_scope(binder *b, guint mark)
{
    while (b->undo->len > mark) {
        undo u = g_array_index(b->undo, undo, b->undo->len - 1);
        if (u.old)
            g_hash_table_insert(b->names, (gpointer)(uintptr_t)u.name, u.old);
        else
            g_hash_table_remove(b->names, u.name);
        g_array_set_size(b->undo, b->undo->len - 1);
    }
}

static bool find(const binder *b, const char *name, uint32_t *slot)
{
    gpointer found = g_hash_table_lookup(b->names, name);
    if (found) *slot = GPOINTER_TO_UINT(found) - 1;
    return found != NULL;
}

/* --- code ------------------------------------------------------------------------------------------------------------ */

static tw__as_code *new_code(binder *b, const tw__as_op *op, tw__as_fn fn, tw__as_code ***end)
{
    tw__as_code *code = TW__NEW(b->m->arena, tw__as_code);
    if (!code) {
        b->failed = b->m->no_memory = true;
        return NULL;
    }
    code->op = op;
    code->fn = fn;
    **end = code;
    *end = &code->next;
    return code;
}

static bool set_operands(binder *b, tw__as_code *code, const uint32_t *slots, tw__as_item *const *where,
                         unsigned count)
{
    code->operand = TW__NEW_N(b->m->arena, uint32_t, count + 1);
    code->where = TW__NEW_N(b->m->arena, tw__as_item *, count + 1);
    if (!code->operand || !code->where) return b->failed = b->m->no_memory = true, false;
    memcpy(code->operand, slots, count * sizeof *slots);
    if (where) memcpy(code->where, where, count * sizeof *where);
    code->count = count;
    return true;
}

static bool set_results(binder *b, tw__as_code *code, const tw__as_op *op, const tw__as_type *types, unsigned count)
{
    if (op->result_count != count) {
        fail(b, NULL, op, "pto.results", "%s has %u results, %u are named", op->name, count, op->result_count);
        return false;
    }
    code->result = TW__NEW_N(b->m->arena, uint32_t, count + 1);
    code->types = TW__NEW_N(b->m->arena, tw__as_type, count + 1);
    if (!code->result || !code->types) return b->failed = b->m->no_memory = true, false;
    for (unsigned i = 0; i < count; i++) {
        code->types[i] = types[i];
        code->result[i] = define(b, op->results[i].text, &types[i]);
    }
    code->result_count = count;
    return true;
}

/* A number written where a value stands: a constant of the type wanted. */
static bool number_bits(const char *text, tw_type type, int64_t *bits)
{
    char *end;
    *bits = 0;
    if (tw__is_float(type)) {
        double value = g_ascii_strtod(text, &end);
        bool hex = strlen(text) > 2 && text[1] == 'x';
        if (hex) return *bits = (int64_t)g_ascii_strtoull(text, &end, 16), true;
        tw_type_store(type, bits, value);
        return *end == 0;
    }
    bool negative = *text == '-';
    uint64_t magnitude = g_ascii_strtoull(text + negative, &end, 0);
    *bits = (int64_t)(negative ? 0 - magnitude : magnitude);
    return *end == 0;
}

static bool constant(binder *b, const tw__as_op *op, const tw__as_item *item, tw_type type, tw__as_code ***end,
                     uint32_t *slot)
{
    tw__as_type t = { .kind = TW__AS_SCALAR,
                      .element = type                                                     ? type
                                 : strpbrk(item->text, ".eE") && !strchr(item->text, 'x') ? TW_F32
                                                                                          : TW_I64 };
    int64_t bits;
    if (!number_bits(item->text, t.element, &bits)) {
        fail(b, item, op, "pto.number", "'%s' is not a value of %s", item->text,
             tw_type_name(t.element, TW_SYSTEM_PTO));
        return false;
    }
    tw__as_code *code = new_code(b, op, tw__as_host_of("arith.constant")->fn, end);
    if (!code) return false;
    code->number = bits;
    code->result = TW__NEW_N(b->m->arena, uint32_t, 1);
    code->types = TW__NEW_N(b->m->arena, tw__as_type, 1);
    if (!code->result || !code->types) return b->failed = b->m->no_memory = true, false;
    code->result_count = 1;
    *code->types = t;
    *slot = *code->result = new_slot(b, "", &t);
    return true;
}

/* --- parts of an operation --------------------------------------------------------------------------------------------- */

static void collect(binder *b, const tw__as_op *op, tw__as_item *list, parts *p, bool outs)
{
    for (tw__as_item *i = list; i; i = i->next) {
        switch (i->kind) {
        case TW__AS_VALUE:
        case TW__AS_NUMBER:
        case TW__AS_SYMBOL:
            if ((outs ? p->outs : p->ins) >= MAX_OPERANDS)
                return fail(b, i, op, "pto.operands", "too many operands");
            if (outs)
                p->out[p->outs++] = i;
            else
                p->in[p->ins++] = i;
            break;
        case TW__AS_LIST:
            if (p->list_count >= 2) break;
            for (tw__as_item *e = i->child; e; e = e->next)
                if (p->lists[p->list_count] < MAX_OPERANDS &&
                    (e->kind == TW__AS_VALUE || e->kind == TW__AS_NUMBER || e->kind == TW__AS_ATTR))
                    p->list[p->list_count][p->lists[p->list_count]++] = e;
            p->list_count++;
            break;
        case TW__AS_PARENS: collect(b, op, i->child, p, outs); break;
        case TW__AS_DICT:
            if (p->dicts < 4) p->dict[p->dicts++] = i;
            break;
        case TW__AS_COLON:
            for (unsigned t = 0; t < i->type_count && t < 64; t++)
                if (outs) {
                    if (p->out_types < 64) p->out_type[p->out_types++] = &i->types[t];
                } else if (p->in_types < 64) {
                    p->in_type[p->in_types++] = &i->types[t];
                }
            break;
        case TW__AS_ARROW:
            for (unsigned t = 0; t < i->type_count && p->results < 64; t++) p->result[p->results++] = &i->types[t];
            break;
        case TW__AS_TO: p->to = i->types; break;
        case TW__AS_WORD:
            if (strcmp(i->text, "ins") == 0 || strcmp(i->text, "outs") == 0) {
                outs = i->text[0] == 'o';
                p->dps = true;
            } else if (i->has_value && i->child->kind == TW__AS_LIST) {
                collect(b, op, i->child, p, outs);
            } else if (p->nameds < 8) {
                p->named[p->nameds++] = i;
            }
            break;
        case TW__AS_STRING:
        case TW__AS_ATTR:
            if (p->nameds < 8) p->named[p->nameds++] = i;
            break;
        }
    }
}

/* The word that matters in "#pto<cmp lt>", "#pto.pipe<PIPE_V>", "lt", "<lt>". */
static void attr_word(const char *text, char *buf, size_t size)
{
    const char *end = text + strlen(text);
    while (end > text && (end[-1] == '>' || end[-1] == '"')) end--;
    const char *start = end;
    while (start > text && (g_ascii_isalnum(start[-1]) || start[-1] == '_')) start--;
    g_snprintf(buf, (gulong)size, "%.*s", (int)(end - start), start);
}

static bool bind_attrs(binder *b, const tw__as_op *op, const tw__pto_row *row, const parts *p, tw_pto_attrs *attrs)
{
    memset(attrs, 0, sizeof *attrs);
    for (unsigned d = 0; d < p->dicts; d++)
        for (const tw__as_item *i = p->dict[d]->child; i; i = i->next) {
            char word[64] = "true";
            const char *text = i->has_value && i->child->text ? i->child->text : "true";
            int attr = i->text ? tw__pto_attr_by_name(i->text) : -1;
            if (attr < 0 || !(row->attrs >> attr & 1)) {
                fail(b, i, op, "pto.attribute", "%s has no attribute '%s'", row->mnemonic, i->text ? i->text : "");
                return false;
            }
            if (i->has_value && i->child->kind == TW__AS_ATTR)
                attr_word(text, word, sizeof word);
            else
                g_snprintf(word, sizeof word, "%s",
                           i->has_value && i->child->kind == TW__AS_STRING && strlen(text) > 1 ? text + 1 : text);
            if (*word && word[strlen(word) - 1] == '"') word[strlen(word) - 1] = 0;
            if (!tw__pto_attr_value((unsigned)attr, word, (int32_t *)(void *)attrs + attr)) {
                fail(b, i->has_value ? i->child : i, op, "pto.attribute", "'%s' is not a value of '%s'", word,
                     i->text);
                return false;
            }
        }
    return true;
}

/* --- tile instructions --------------------------------------------------------------------------------------------------- */

static bool is_destination(char c)
{
    return strchr("dDeG", c) != NULL;
}

static tw_pto_kind kind_of(char c)
{
    return tw__is_tile_letter(c) ? TW_PTO_TILE : strchr("gG", c) ? TW_PTO_TENSOR : TW_PTO_SCALAR;
}

static tw_pto_kind kind_of_type(const tw__as_type *t)
{
    if (!t) return TW_PTO_NOTHING;
    if (t->kind == TW__AS_TILE) return TW_PTO_TILE;
    if (t->kind == TW__AS_VIEW || t->kind == TW__AS_PART) return TW_PTO_TENSOR;
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
static const tw__as_type *known_type(const binder *b, const tw__as_item *item, const tw__as_type *written)
{
    uint32_t slot;
    if (item->kind == TW__AS_VALUE && find(b, item->text, &slot) && b->f->slot_type[slot].kind)
        return &b->f->slot_type[slot];
    return written;
}

static bool row_fits(const binder *b, const tw__pto_row *row, const parts *p, unsigned ins, unsigned outs,
                     const unsigned *in_at)
{
    unsigned in_order[TW_PTO_OPERANDS], out_order[TW_PTO_OPERANDS], in_count, out_count;
    text_order(row, in_order, &in_count, out_order, &out_count);
    if (in_count != ins || out_count != outs) return false;
    for (unsigned i = 0; i < ins; i++) {
        const tw__as_item *item = p->in[in_at[i]];
        const tw__as_type *t =
            known_type(b, item, (p->dps || p->results) && p->in_types == ins ? p->in_type[i] : NULL);
        tw_pto_kind want = kind_of(row->form[in_order[i]]),
                    have = item->kind == TW__AS_NUMBER ? TW_PTO_SCALAR : kind_of_type(t);
        if (have != TW_PTO_NOTHING && have != want) return false;
    }
    return true;
}

static tw_status run_row(tw__as_run *run, const tw__as_code *code)
{
    tw_pto_operand operands[TW_PTO_OPERANDS];
    for (unsigned i = 0; i < code->count; i++) {
        tw__as_cell *cell = &run->cell[code->operand[i]];
        switch (kind_of(code->row->form[i])) {
        case TW_PTO_TILE: operands[i] = tw_pto_tile_operand(&cell->tile); break;
        case TW_PTO_TENSOR: operands[i] = tw_pto_tensor_operand(&cell->tensor); break;
        case TW_PTO_SCALAR:
        case TW_PTO_NOTHING: operands[i] = tw_pto_scalar_operand(cell->scalar); break;
        }
        bool known = kind_of(code->row->form[i]) == TW_PTO_TILE ? cell->kind == TW__AS_TILE
                     : kind_of(code->row->form[i]) == TW_PTO_TENSOR
                         ? cell->kind == TW__AS_VIEW || cell->kind == TW__AS_PART
                         : cell->kind == TW__AS_SCALAR || cell->kind == TW__AS_INDEX;
        if (!known) {
            run->blame = i;
            return tw__fail(TW_E_INVALID_ARGUMENT, "%s: operand %u has no value: bind it with --arg",
                            code->row->mnemonic, i + 1);
        }
        /* Leaky relu alone takes its factor as f32 whatever the tile's type (spec pto.md 3.2). */
        if (operands[i].kind == TW_PTO_SCALAR && code->number && cell->scalar.type == TW_F32) {
            tw_pto_scalar narrow = { .type = (tw_type)code->number };
            tw_convert(narrow.type, &narrow.bits, TW_F32, &cell->scalar.bits,
                       (tw_convert_mode){ TW_ROUND_NEAREST_EVEN, TW_SAT_NONE }, 0);
            operands[i].scalar = narrow;
        }
    }
    tw_status status = tw__pto_exec_row(run->core, code->row, operands, code->count, &code->attrs);
    if (status != TW_OK) run->blame = run->core->blame;
    return status;
}

/* A tile that an operation defines: its storage is found when it is used. */
static tw_status run_declare(tw__as_run *run, const tw__as_code *code)
{
    tw__as_cell *cell = &run->cell[code->result[0]];
    if (cell->kind == TW__AS_TILE && cell->rank) tw_pto_release(run->core, &cell->tile);
    *cell = (tw__as_cell){ .kind = TW__AS_TILE, .tile = code->types[0].tile, .rank = 1 };
    const tw_pto_tile *like = code->count ? &run->cell[code->operand[0]].tile : &cell->tile;
    if (cell->tile.valid_rows == TW_PTO_DYNAMIC)
        cell->tile.valid_rows = like->valid_rows < cell->tile.rows ? like->valid_rows : cell->tile.rows;
    if (cell->tile.valid_cols == TW_PTO_DYNAMIC)
        cell->tile.valid_cols = like->valid_cols < cell->tile.cols ? like->valid_cols : cell->tile.cols;
    return code->number ? tw_pto_assign(run->core, &cell->tile, (uint64_t)code->number - 1) : TW_OK;
}

static uint32_t declare(binder *b, const tw__as_op *op, const char *name, const tw__as_type *type,
                        tw__as_code ***end, const uint32_t *like)
{
    tw__as_code *code = new_code(b, op, run_declare, end);
    if (!code) return 0;
    code->result = TW__NEW_N(b->m->arena, uint32_t, 1);
    code->types = TW__NEW_N(b->m->arena, tw__as_type, 1);
    if (!code->result || !code->types) return b->failed = b->m->no_memory = true, 0;
    gpointer address = g_hash_table_lookup(b->pending, name);
    code->number = (int64_t)(uintptr_t)address;
    *code->types = *type;
    if (like) set_operands(b, code, like, NULL, 1);
    return *code->result = define(b, name, type);
}

/* Slot of an operand of a tile instruction. An unknown name is a destination to be defined, or (plain assembly) free. */
static bool operand_slot(binder *b, const tw__as_op *op, tw__as_item *item, char letter, const tw__as_type *written,
                         const tw__as_type *tile_type, tw__as_code ***end, uint32_t *slot)
{
    tw_type scalar = written && kind_of(letter) == TW_PTO_SCALAR ? written->element
                     : letter == 's' && tile_type                ? tile_type->tile.type
                                                                 : TW_I64;
    if (item->kind == TW__AS_NUMBER) return constant(b, op, item, scalar, end, slot);
    if (item->kind != TW__AS_VALUE) return fail(b, item, op, "pto.operand", "expected a value"), false;
    if (find(b, item->text, slot)) {
        const tw__as_type *have = &b->f->slot_type[*slot];
        if (written && have->text && written->text && strcmp(have->text, written->text) != 0 &&
            !(have->kind == TW__AS_TILE && written->kind == TW__AS_TILE &&
              strcmp(strchr(have->text, '<'), strchr(written->text, '<')) == 0)) {
            fail(b, item, op, "pto.type", "%%%s is %s, not %s", item->text, have->text, written->text);
            return false;
        }
        return true;
    }
    const tw__as_type *type = written ? written : kind_of(letter) == TW_PTO_TILE ? tile_type : NULL;
    if (!b->top) return fail(b, item, op, "pto.name", "%%%s is not defined", item->text), false;
    if (is_destination(letter) && kind_of(letter) == TW_PTO_TILE && type)
        return *slot = declare(b, op, item->text, type, end, NULL), !b->failed;
    tw__as_type made = { .kind = TW__AS_SCALAR, .element = scalar };
    if (kind_of(letter) == TW_PTO_TENSOR || (kind_of(letter) == TW_PTO_TILE && !type))
        return fail(b, item, op, "pto.name", "%%%s is not defined", item->text), false;
    *slot = define(b, item->text, kind_of(letter) == TW_PTO_TILE ? type : &made);
    if (!tw__grow(&b->f->free_name, &b->free_room, b->f->free_count, sizeof *b->f->free_name))
        return b->failed = b->m->no_memory = true, false;
    b->f->free_name[b->f->free_count++] = *slot;
    return true;
}

/* What is known before the program runs, put to the same checks. */
static void check_static(binder *b, const tw__as_op *op, const tw__as_code *code)
{
    tw_pto_operand operands[TW_PTO_OPERANDS];
    tw_pto_tile tiles[TW_PTO_OPERANDS];
    unsigned blame = code->count;
    for (unsigned i = 0; i < code->count; i++) {
        const tw__as_type *t = &b->f->slot_type[code->operand[i]];
        if (kind_of(code->row->form[i]) == TW_PTO_TENSOR) return; /* judged when strides and layout are known */
        tiles[i] = t->tile;
        tw_type type = t->element;
        if (code->number && type == TW_F32) type = (tw_type)code->number;
        operands[i] =
            t->kind == TW__AS_TILE ? tw_pto_tile_operand(&tiles[i]) : tw_pto_scalar_operand(tw_pto_bits(type, 0));
    }
    if (tw_pto_check(b->program->target, (int)tw__pto_row_index(code->row), operands, code->count, &code->attrs,
                     &blame) != TW_OK)
        fail(b, blame < code->count ? code->where[blame] : NULL, op, "pto.verify", "%s", tw_error_message());
}

static void bind_row(binder *b, const tw__as_op *op, const tw__pto_row *row, tw__as_code ***end)
{
    parts p = { 0 };
    unsigned in_at[MAX_OPERANDS], in_order[TW_PTO_OPERANDS], out_order[TW_PTO_OPERANDS], ins, outs, nin, nout;
    collect(b, op, op->items, &p, false);
    if (b->failed) return;
    /* Plain assembly without results: destinations come first among the operands. */
    bool flat = !p.dps && op->result_count == 0;
    outs = p.dps ? p.outs : op->result_count;
    const tw__pto_row *found = NULL;
    for (size_t i = tw__pto_row_index(row); !found; i++) {
        const tw__pto_row *form = tw__pto_row_at(i);
        if (!form || strcmp(form->mnemonic, row->mnemonic) != 0) break;
        text_order(form, in_order, &nin, out_order, &nout);
        unsigned skip = flat ? nout : 0;
        if (flat) outs = nout;
        if (skip > p.ins) continue;
        for (ins = 0; ins < p.ins - skip; ins++) in_at[ins] = ins + skip;
        if (row_fits(b, form, &p, ins, outs, in_at)) found = form;
    }
    if (!found)
        return fail(b, NULL, op, "pto.operands", "no form of %s takes these operands (`tilewright pto info %s`)",
                    row->mnemonic, row->mnemonic);
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
        operand_slot(b, op, p.in[i + skip], found->form[in_order[i]], listed ? p.in_type[i] : NULL, single, end,
                     &slots[in_order[i]]);
    }
    const uint32_t *like = NULL;
    for (unsigned i = 0; i < nin && !like; i++)
        if (kind_of(found->form[in_order[i]]) == TW_PTO_TILE) like = &slots[in_order[i]];
    for (unsigned i = 0; i < nout && !b->failed; i++) {
        if (op->result_count) {
            results[i] = p.results > i ? p.result[i] : single;
            if (!results[i] || results[i]->kind != TW__AS_TILE)
                return fail(b, NULL, op, "pto.type", "the type of result %u is missing", i + 1);
            slots[out_order[i]] = declare(b, op, op->results[i].text, results[i], end, like);
        } else {
            tw__as_item *item = flat ? p.in[i] : p.out[i];
            where[out_order[i]] = item;
            operand_slot(b, op, item, found->form[out_order[i]], p.dps && p.out_types > i ? p.out_type[i] : NULL,
                         single, end, &slots[out_order[i]]);
        }
    }
    if (b->failed) return;
    if (p.dps && (p.in_types && p.in_types != nin))
        return fail(b, NULL, op, "pto.types", "%u types for %u inputs", p.in_types, nin);
    tw__as_code *code = new_code(b, op, run_row, end);
    if (!code || !set_operands(b, code, slots, where, found->operands)) return;
    code->row = found;
    if (strcmp(found->mnemonic, "tlrelu") == 0) code->number = b->f->slot_type[slots[0]].tile.type;
    if (bind_attrs(b, op, found, &p, &code->attrs)) check_static(b, op, code);
}

/* --- host operations ------------------------------------------------------------------------------------------------------ */

static tw__as_code *bind_block(binder *b, const tw__as_block *block, tw__as_code *owner);

static bool host_slots(binder *b, const tw__as_op *op, tw__as_item *const *items, unsigned count, tw_type type,
                       tw__as_code ***end, uint32_t *slots)
{
    for (unsigned i = 0; i < count; i++) {
        if (items[i]->kind == TW__AS_NUMBER) {
            if (!constant(b, op, items[i], type, end, &slots[i])) return false;
        } else if (items[i]->kind != TW__AS_VALUE || !find(b, items[i]->text, &slots[i])) {
            fail(b, items[i], op, "pto.name", "'%s' is not defined", items[i]->text ? items[i]->text : "");
            return false;
        }
    }
    return true;
}

/* @tile(0x1000), or the number itself. */
static bool address_of(const tw__as_item *item, uint64_t *address)
{
    const tw__as_item *number = item->kind == TW__AS_SYMBOL && item->child ? item->child->child : item;
    int64_t bits;
    if (!number || number->kind != TW__AS_NUMBER || !number_bits(number->text, TW_I64, &bits) || bits < 0 ||
        bits > UINT32_MAX)
        return false;
    return *address = (uint64_t)bits, true;
}

/* pto.tassign %tile, @tile(0x1000): also before the tile is defined, in plain assembly. */
static bool bind_early_assign(binder *b, const tw__as_op *op, const parts *p)
{
    uint32_t slot;
    uint64_t address;
    if (strcmp(op->name, "pto.tassign") != 0 && strcmp(op->name, "tassign") != 0) return false;
    if (p->ins != 2 || p->in[0]->kind != TW__AS_VALUE || find(b, p->in[0]->text, &slot) || !b->top) return false;
    if (!address_of(p->in[1], &address)) {
        fail(b, p->in[1], op, "pto.address", "expected an address, such as @tile(0x1000)");
        return true;
    }
    g_hash_table_insert(b->pending, (gpointer)(uintptr_t)p->in[0]->text, (gpointer)(uintptr_t)(address + 1));
    return true;
}

static bool result_type(binder *b, const tw__as_op *op, char rule, const parts *p, tw__as_type *type)
{
    static const tw__as_type truth = { .kind = TW__AS_SCALAR, .element = TW_BOOL, .text = "i1" };
    static const tw__as_type index = { .kind = TW__AS_INDEX, .element = TW_I64, .text = "index" };
    static const tw__as_type wide = { .kind = TW__AS_SCALAR, .element = TW_I64, .text = "i64" };
    const tw__as_type *t = NULL;
    uint32_t slot;
    switch (rule) {
    case 'c': t = p->results ? p->result[0] : p->in_types ? p->in_type[p->in_types - 1] : NULL; break;
    case 'a': t = p->results ? p->result[0] : p->in_types > 1 ? p->in_type[1] : NULL; break;
    case 't': t = p->to; break;
    case 'b': t = &truth; break;
    case 'i': t = p->results ? p->result[0] : &index; break;
    case '6': t = p->results ? p->result[0] : p->in_types ? p->in_type[0] : &wide; break;
    case 'o': t = p->out_types ? p->out_type[0] : p->results ? p->result[0] : NULL; break;
    case 'w': /* a window: type as written for the whole, extents as the sizes say */
        if (p->ins && p->in[0]->kind == TW__AS_VALUE && find(b, p->in[0]->text, &slot)) t = &b->f->slot_type[slot];
        break;
    default: break;
    }
    if (!t) {
        fail(b, NULL, op, "pto.type", "%s: the type is missing", op->name);
        return false;
    }
    *type = *t;
    return true;
}

static bool window_type(binder *b, const tw__as_op *op, const parts *p, tw__as_type *type)
{
    if (p->lists[1] != 2 || type->kind != TW__AS_TILE)
        return fail(b, NULL, op, "pto.subset", "a tile, its corner and two sizes are needed"), false;
    int64_t sizes[2];
    for (int d = 0; d < 2; d++)
        if (p->list[1][d]->kind != TW__AS_NUMBER || !number_bits(p->list[1][d]->text, TW_I64, &sizes[d]) ||
            sizes[d] < 1 || sizes[d] > 1 << 20)
            return fail(b, p->list[1][d], op, "pto.subset", "sizes are numbers"), false;
    type->tile.base_rows = type->tile.base_rows ? type->tile.base_rows : type->tile.rows;
    type->tile.base_cols = type->tile.base_cols ? type->tile.base_cols : type->tile.cols;
    type->tile.rows = type->tile.valid_rows = (uint32_t)sizes[0];
    type->tile.cols = type->tile.valid_cols = (uint32_t)sizes[1];
    type->text = NULL;
    return true;
}

/* Pipes and event of "[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_V>, #pto.event<EVENT_ID0>]": number = from, to, id + 1. */
static bool bind_pipes(binder *b, const tw__as_op *op, const parts *p, int64_t *number)
{
    static const struct {
        const char *word;
        tw_pto_pipe pipe;
    } words[] = { { "TLOAD", TW_PTO_PIPE_MTE2 },      { "TSTORE_ACC", TW_PTO_PIPE_FIX },
                  { "TSTORE_VEC", TW_PTO_PIPE_MTE3 }, { "TMOV_M2L", TW_PTO_PIPE_MTE1 },
                  { "TMOV_M2S", TW_PTO_PIPE_FIX },    { "TMOV_M2B", TW_PTO_PIPE_MTE1 },
                  { "TMOV_M2V", TW_PTO_PIPE_V },      { "TMOV_V2M", TW_PTO_PIPE_FIX },
                  { "TMATMUL", TW_PTO_PIPE_M },       { "TVEC", TW_PTO_PIPE_V },
                  { "TVECWAIT_EVENT", TW_PTO_PIPE_V } };
    unsigned values[3] = { 0 }, count = 0;
    const tw__as_item *where = NULL;
    for (unsigned i = 0; i < p->nameds + p->lists[0] && count < 3; i++) {
        const tw__as_item *item = i < p->lists[0] ? p->list[0][i] : p->named[i - p->lists[0]];
        char word[48];
        bool known = false;
        if (item->kind != TW__AS_ATTR) continue;
        where = item;
        attr_word(item->text, word, sizeof word);
        for (int pipe = 0; pipe < TW_PTO_PIPES && !known; pipe++)
            if ((known = strcmp(word, tw_pto_pipe_name((tw_pto_pipe)pipe)) == 0)) values[count++] = (unsigned)pipe;
        for (size_t w = 0; w < sizeof words / sizeof *words && !known; w++)
            if ((known = strcmp(word, words[w].word) == 0)) values[count++] = words[w].pipe;
        if (!known && g_str_has_prefix(word, "EVENT_ID") && (known = g_ascii_isdigit(word[8])))
            values[count++] = (unsigned)atoi(word + 8);
        if (!known) return fail(b, item, op, "pto.pipe", "'%s' is not a pipe or event", word), false;
    }
    if (count == 0) return fail(b, where, op, "pto.pipe", "a pipe is missing"), false;
    *number = values[0] | (int64_t)values[1] << 8 | (int64_t)(count > 2 ? values[2] : 0) << 16;
    return true;
}

static void bind_host(binder *b, const tw__as_op *op, const tw__as_host *host, tw__as_code ***end)
{
    parts p = { 0 };
    uint32_t slots[4 * MAX_OPERANDS];
    tw__as_item *where[4 * MAX_OPERANDS];
    unsigned count = 0;
    collect(b, op, op->items, &p, false);
    if (b->failed || bind_early_assign(b, op, &p)) return;
    tw__as_code local = { .number = host->number };
    const char *shape = host->shape;
    tw__as_type type = { 0 };
    if (*shape != 'n' && !result_type(b, op, *shape, &p, &type)) return;
    if (*shape == 'w' && !window_type(b, op, &p, &type)) return;
    if (shape[1] == 'P' && !bind_pipes(b, op, &p, &local.number)) return;
    if (strcmp(host->name, "pto.tassign") == 0 && p.ins == 2 && p.in[1]->kind == TW__AS_SYMBOL) {
        uint64_t address;
        if (!address_of(p.in[1], &address))
            return fail(b, p.in[1], op, "pto.address", "expected an address, such as @tile(0x1000)");
        local.number = (int64_t)address + 1;
        p.ins = 1;
    }
    if (strcmp(host->name, "arith.constant") == 0) {
        const tw__as_item *value = op->items;
        const char *word = value && value->kind == TW__AS_WORD ? value->text : "";
        bool truth = strcmp(word, "true") == 0 || strcmp(word, "false") == 0;
        if (truth) {
            type = (tw__as_type){ .kind = TW__AS_SCALAR, .element = TW_BOOL, .text = "i1" };
            local.number = *word == 't';
        } else if (!value || value->kind != TW__AS_NUMBER ||
                   !number_bits(value->text, type.element, &local.number)) {
            return fail(b, value, op, "pto.number", "expected a number");
        }
        p.ins = 0;
    } else if (shape[1] == 'p') { /* predicate: first word */
        static const char *const predicates[] = { "eq",  "ne",  "slt", "sle", "sgt", "sge", "ult", "ule", "ugt",
                                                  "uge", "oeq", "one", "olt", "ole", "ogt", "oge", "une" };
        local.number = -1;
        for (size_t i = 0; p.nameds && i < sizeof predicates / sizeof *predicates; i++)
            if (strcmp(p.named[0]->text, predicates[i]) == 0) local.number = (int64_t)i;
        if (local.number < 0) return fail(b, NULL, op, "pto.predicate", "%s: the comparison is missing", op->name);
    } else if (shape[1] == 'V') { /* layout of a view */
        for (unsigned d = 0; d < p.dicts; d++)
            for (const tw__as_item *i = p.dict[d]->child; i; i = i->next) {
                static const char *const layouts[] = { "nd", "dn", "nz", "nc1hwc0", "mx_a_zz", "mx_b_nn" };
                char word[32] = "";
                if (i->has_value && i->child->text) attr_word(i->child->text, word, sizeof word);
                for (int l = 0; l < TW_PTO_LAYOUTS; l++)
                    if (g_ascii_strcasecmp(word, layouts[l]) == 0) local.number = l;
            }
    } else if (shape[1] == 'A') { /* alloc_tile: addr, valid_row, valid_col as bits 1, 2, 4 */
        static const char *const words[] = { "addr", "valid_row", "valid_col" };
        for (int w = 0; w < 3; w++)
            for (unsigned i = 0; i < p.nameds; i++)
                if (p.named[i]->has_value && p.ins < MAX_OPERANDS && strcmp(p.named[i]->text, words[w]) == 0) {
                    p.in[p.ins++] = p.named[i]->child;
                    local.number |= 1 << w;
                }
        bool rows = type.tile.valid_rows == TW_PTO_DYNAMIC, cols = type.tile.valid_cols == TW_PTO_DYNAMIC;
        if (type.kind != TW__AS_TILE)
            return fail(b, NULL, op, "pto.type", "a tile is allocated, not a %s", type.text);
        if (rows != !!(local.number & 2) || cols != !!(local.number & 4))
            return fail(b, NULL, op, "pto.dynamic",
                        "valid_row and valid_col are given for extents written '?', and only for these");
    }
    if (shape[1] >= '0' && shape[1] <= '9' && p.ins + p.outs != (unsigned)(shape[1] - '0'))
        return fail(b, NULL, op, "pto.operands", "%s takes %c operands", op->name, shape[1]);
    tw_type numbers = p.in_types && (p.in_type[0]->kind == TW__AS_SCALAR) ? p.in_type[0]->element : TW_TYPE_NONE;
    memcpy(where, p.in, p.ins * sizeof *where);
    memcpy(where + p.ins, p.out, p.outs * sizeof *where);
    count = p.ins + p.outs;
    if (!host_slots(b, op, where, count, numbers, end, slots)) return;
    for (int l = 0; l < 2; l++) {
        local.parts[1 + l] = shape[1] == 'P' ? 0 : p.lists[l];
        if (shape[1] == 'P' || (*shape == 'w' && l == 1)) continue;
        memcpy(where + count, p.list[l], p.lists[l] * sizeof *where);
        if (!host_slots(b, op, p.list[l], p.lists[l], TW_I64, end, slots + count)) return;
        count += p.lists[l];
    }
    local.parts[0] = p.ins + p.outs;
    tw__as_code *code = new_code(b, op, host->fn, end);
    if (!code) return;
    code->number = local.number;
    memcpy(code->parts, local.parts, sizeof code->parts);
    if (!set_operands(b, code, slots, where, count)) return;
    set_results(b, code, op, &type, *shape == 'n' ? 0 : 1);
}

/* --- control flow ----------------------------------------------------------------------------------------------------------- */

static tw_status run_nothing(tw__as_run *run, const tw__as_code *code)
{
    (void)run;
    (void)code;
    return TW_OK;
}

/* operand: from, to, step, initial values; number: how many are carried; result: induction variable, carried, results. */
static void bind_for(binder *b, const tw__as_op *op, tw__as_code ***end)
{
    tw__as_item *items[3 + MAX_OPERANDS] = { NULL };
    const tw__as_item *variable = op->items, *carried = NULL, *arrow = NULL;
    unsigned count = 3, n = 0;
    uint32_t slots[3 + MAX_OPERANDS], inner[1 + MAX_OPERANDS];
    if (!variable || variable->kind != TW__AS_VALUE || !variable->has_value)
        return fail(b, variable, op, "pto.for", "expected %%i = from to end step step");
    items[0] = variable->child;
    for (tw__as_item *i = variable->next; i; i = i->next) {
        if (i->kind == TW__AS_WORD && strcmp(i->text, "to") == 0 && i->next) items[1] = i->next;
        if (i->kind == TW__AS_WORD && strcmp(i->text, "step") == 0 && i->next) items[2] = i->next;
        if (i->kind == TW__AS_WORD && strcmp(i->text, "iter_args") == 0 && i->next &&
            i->next->kind == TW__AS_PARENS)
            carried = i->next->child;
        if (i->kind == TW__AS_ARROW) arrow = i;
    }
    if (!items[1] || !items[2]) return fail(b, NULL, op, "pto.for", "expected %%i = from to end step step");
    for (const tw__as_item *i = carried; i; i = i->next, n++) {
        if (i->kind != TW__AS_VALUE || !i->has_value || n >= MAX_OPERANDS)
            return fail(b, i, op, "pto.for", "expected %%carried = %%initial");
        items[count++] = i->child;
    }
    if (!host_slots(b, op, items, count, TW_I64, end, slots)) return;
    if (n != op->result_count || (n && (!arrow || arrow->type_count != n)))
        return fail(b, NULL, op, "pto.results", "%u values are carried, %u results are named", n, op->result_count);
    guint mark = b->undo->len;
    tw__as_type index = { .kind = TW__AS_INDEX, .element = TW_I64, .text = "index" };
    inner[0] = define(b, variable->text, &index);
    unsigned k = 1;
    for (const tw__as_item *i = carried; i; i = i->next, k++) inner[k] = define(b, i->text, &arrow->types[k - 1]);
    tw__as_code *code = new_code(b, op, tw__as_for, end);
    if (!code || !set_operands(b, code, slots, items, count)) return;
    code->body[0] = bind_block(b, op->blocks[0], code);
    leave_scope(b, mark);
    code->result = TW__NEW_N(b->m->arena, uint32_t, 2 * n + 2);
    if (!code->result) return (void)(b->failed = b->m->no_memory = true);
    memcpy(code->result, inner, (1 + n) * sizeof *inner);
    for (unsigned i = 0; i < n; i++) code->result[1 + n + i] = define(b, op->results[i].text, &arrow->types[i]);
    code->number = n;
}

static void bind_if(binder *b, const tw__as_op *op, tw__as_code ***end)
{
    uint32_t slot;
    const tw__as_item *arrow = NULL;
    for (const tw__as_item *i = op->items; i; i = i->next)
        if (i->kind == TW__AS_ARROW) arrow = i;
    if (!op->items || !host_slots(b, op, &op->items, 1, TW_BOOL, end, &slot)) return;
    unsigned n = arrow ? arrow->type_count : 0;
    if (n != op->result_count || (n && !op->blocks[1]))
        return fail(b, NULL, op, "pto.results", "%u results are named, both branches must give %u",
                    op->result_count, n);
    tw__as_code *code = new_code(b, op, tw__as_if, end);
    if (!code || !set_operands(b, code, &slot, &op->items, 1)) return;
    for (int i = 0; i < 2; i++)
        if (op->blocks[i]) code->body[i] = bind_block(b, op->blocks[i], code);
    if (!b->failed && n) set_results(b, code, op, arrow->types, n);
}

static void bind_yield(binder *b, const tw__as_op *op, tw__as_fn fn, tw__as_code ***end)
{
    parts p = { 0 };
    uint32_t slots[MAX_OPERANDS];
    collect(b, op, op->items, &p, false);
    if (b->failed || !host_slots(b, op, p.in, p.ins, TW_I64, end, slots)) return;
    tw__as_code *code = new_code(b, op, fn, end);
    if (code) set_operands(b, code, slots, p.in, p.ins);
}

static void bind_call(binder *b, const tw__as_op *op, tw__as_code ***end)
{
    parts p = { 0 };
    uint32_t slots[MAX_OPERANDS];
    collect(b, op, op->items, &p, false);
    if (b->failed || p.ins == 0 || p.in[0]->kind != TW__AS_SYMBOL)
        return fail(b, NULL, op, "pto.call", "expected @function(operands)");
    tw__as_item *args[MAX_OPERANDS];
    unsigned n = 0;
    const tw__as_item *list = p.in[0]->child ? p.in[0]->child->child : NULL;
    for (const tw__as_item *i = list; i && n < MAX_OPERANDS; i = i->next) args[n++] = (tw__as_item *)(uintptr_t)i;
    if (!host_slots(b, op, args, n, TW_I64, end, slots)) return;
    tw__as_code *code = new_code(b, op, tw__as_call, end);
    if (!code || !set_operands(b, code, slots, args, n)) return;
    code->where[0] = p.in[0];
    tw__as_type types[16];
    if (op->result_count > 16 || p.results < op->result_count)
        return fail(b, NULL, op, "pto.results", "the types of the results are missing");
    for (unsigned i = 0; i < op->result_count; i++) types[i] = *p.result[i];
    set_results(b, code, op, types, op->result_count);
}

static void bind_op(binder *b, const tw__as_op *op, tw__as_code ***end)
{
    const char *name = op->name, *bare = g_str_has_prefix(name, "pto.") ? name + 4 : name;
    if (strcmp(name, "scf.for") == 0) return bind_for(b, op, end);
    if (strcmp(name, "scf.if") == 0) return bind_if(b, op, end);
    if (strcmp(name, "scf.yield") == 0) return bind_yield(b, op, tw__as_yield, end);
    if (strcmp(name, "return") == 0 || strcmp(name, "func.return") == 0)
        return bind_yield(b, op, tw__as_return, end);
    if (strcmp(name, "func.call") == 0 || strcmp(name, "call") == 0) return bind_call(b, op, end);
    if (op->blocks[0]) {
        tw__as_code *code =
            new_code(b, op, g_str_has_prefix(name, "pto.section") ? tw__as_section : run_nothing, end);
        if (code && code->fn == run_nothing) return fail(b, NULL, op, "pto.nesting", "%s cannot stand here", name);
        if (code) code->body[0] = bind_block(b, op->blocks[0], code);
        return;
    }
    const tw__pto_row *row =
        strchr(bare, '.') == NULL || g_str_has_prefix(name, "pto.") || g_str_has_prefix(name, "t")
            ? tw__pto_row_of(bare)
            : NULL;
    const tw__as_host *host = row ? NULL : tw__as_host_of(name);
    if (row) return bind_row(b, op, row, end);
    if (host) return bind_host(b, op, host, end);
    const char *names[512];
    size_t count = 0;
    for (size_t i = 0; i < tw__pto_row_count() && count < 512; i++) names[count++] = tw__pto_row_at(i)->mnemonic;
    const char *near = tw__nearest(bare, names, count);
    fail(b, NULL, op, "pto.operation",
         near ? "unknown operation '%s'; did you mean '%s'?" : "unknown operation '%s'", name, near);
}

static tw__as_code *bind_block(binder *b, const tw__as_block *block, tw__as_code *owner)
{
    tw__as_code *first = NULL, **end = &first;
    guint mark = b->undo->len;
    if (owner && owner->tile_end == 0) owner->first_tile = b->f->slots;
    for (const tw__as_op *op = block->first; op && tw_diags_count(b->m->diags, TW_ERROR) < 20; op = op->next) {
        bool failed = b->failed;
        b->failed = false;
        bind_op(b, op, &end);
        for (unsigned r = 0; b->failed && r < op->result_count; r++) { /* later uses are not errors of their own */
            uint32_t slot;
            if (!find(b, op->results[r].text, &slot)) define(b, op->results[r].text, NULL);
        }
        b->failed |= failed;
        if (b->m->no_memory) break;
    }
    leave_scope(b, mark);
    if (owner) owner->tile_end = b->f->slots;
    return first;
}

/* --- functions --------------------------------------------------------------------------------------------------------------- */

static void bind_params(binder *b, const tw__as_op *op)
{
    for (const tw__as_item *i = op->items; i; i = i->next) {
        const tw__as_item *list = i->kind == TW__AS_SYMBOL && i->child ? i->child->child : NULL;
        for (const tw__as_item *v = list; v; v = v->next) {
            const tw__as_item *type = v->next;
            if (v->kind != TW__AS_VALUE) continue;
            if (!type || type->kind != TW__AS_COLON || type->type_count != 1)
                return fail(b, v, op, "pto.param", "expected %%%s: type", v->text);
            if (b->f->params == TW__AS_MAX_ARGS)
                return fail(b, v, op, "pto.param", "more than %d parameters", TW__AS_MAX_ARGS);
            unsigned k = b->f->params++;
            b->f->param[k] = v->text;
            b->f->param_type[k] = type->types[0];
            b->f->param_slot[k] = define(b, v->text, &type->types[0]);
        }
    }
}

static tw__as_function *new_function(binder *b, const char *name, tw__as_function ***end)
{
    tw__as_function *f = TW__NEW(b->m->arena, tw__as_function);
    if (!f) return b->m->no_memory = true, NULL;
    f->name = name;
    b->f = f;
    b->slot_room = b->type_room = b->free_room = 0;
    g_hash_table_remove_all(b->names);
    g_array_set_size(b->undo, 0);
    **end = f;
    *end = &f->next;
    return f;
}

/* Slot tables move to the arena, whose life they share. */
static void settle(binder *b)
{
    tw__as_function *f = b->f;
    const char **names = TW__NEW_N(b->m->arena, const char *, f->slots + 1);
    tw__as_type *types = TW__NEW_N(b->m->arena, tw__as_type, f->slots + 1);
    uint32_t *free_names = TW__NEW_N(b->m->arena, uint32_t, f->free_count + 1);
    if (!names || !types || !free_names) {
        b->m->no_memory = true;
        f->slots = f->free_count = 0;
    }
    if (f->slots) memcpy(names, f->slot_name, f->slots * sizeof *names);
    if (f->slots) memcpy(types, f->slot_type, f->slots * sizeof *types);
    if (f->free_count) memcpy(free_names, f->free_name, f->free_count * sizeof *free_names);
    free(f->slot_name);
    free(f->slot_type);
    free(f->free_name);
    f->slot_name = names;
    f->slot_type = types;
    f->free_name = free_names;
}

static void bind_functions(binder *b, const tw__as_block *block, tw__as_function ***end, bool *plain)
{
    for (const tw__as_op *op = block->first; op; op = op->next) {
        if (strcmp(op->name, "module") == 0 || strcmp(op->name, "builtin.module") == 0) {
            if (op->blocks[0]) bind_functions(b, op->blocks[0], end, plain);
        } else if (strcmp(op->name, "func.func") == 0) {
            const char *name = "";
            for (const tw__as_item *i = op->items; i; i = i->next)
                if (i->kind == TW__AS_SYMBOL) name = i->text + 1;
            if (!op->blocks[0] || !new_function(b, name, end)) continue;
            b->top = false;
            bind_params(b, op);
            b->f->body = bind_block(b, op->blocks[0], NULL);
            settle(b);
        } else {
            *plain = true;
        }
    }
}

static void bind_plain(binder *b, tw__as_function ***end)
{
    tw__as_code *first = NULL, **code_end = &first;
    if (!new_function(b, "", end)) return;
    b->top = true;
    for (const tw__as_op *op = b->m->top.first; op && tw_diags_count(b->m->diags, TW_ERROR) < 20; op = op->next) {
        if (strcmp(op->name, "module") == 0 || strcmp(op->name, "builtin.module") == 0 ||
            strcmp(op->name, "func.func") == 0)
            continue;
        bool failed = b->failed;
        b->failed = false;
        bind_op(b, op, &code_end);
        b->failed |= failed;
    }
    b->f->body = first;
    settle(b);
}

tw__as_program *tw__as_bind(tw__as_module *module, tw_pto_target target)
{
    tw__as_program *program = TW__NEW(module->arena, tw__as_program);
    if (!program || module->no_memory) return NULL;
    binder b = { .m = module, .program = program, .names = g_hash_table_new(g_str_hash, g_str_equal) };
    b.undo = g_array_new(FALSE, FALSE, sizeof(undo));
    b.pending = g_hash_table_new(g_str_hash, g_str_equal);
    *program = (tw__as_program){ .module = module, .target = target };
    tw__as_function **end = &program->functions;
    bool plain = false;
    bind_functions(&b, &module->top, &end, &plain);
    if (plain) bind_plain(&b, &end);
    g_hash_table_destroy(b.names);
    g_hash_table_destroy(b.pending);
    g_array_free(b.undo, TRUE);
    if (module->no_memory) tw__as_error(module, 0, 0, 1, "pto.memory", "out of memory while binding the program");
    return tw_diags_count(module->diags, TW_ERROR) ? NULL : program;
}
