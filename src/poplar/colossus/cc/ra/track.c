/* SPDX-License-Identifier: MIT */
/* Where values of SSA are in finished code, for debuggers. Nothing here changes an instruction: each operand that is
 * written remembers the register of SSA whose value it gets (its origin), from before registers are allocated to the
 * end. Then the code is walked as it will run, with what each register and word of the stack holds; a variable is
 * where the value is that it was last given, and nowhere when that value is gone. */
#include "poplar/colossus/cc/ra/ra.h"

#include <string.h>

enum {
    STACK_WORDS = 64, /* what ra puts on the stack lies low */
    ARGUMENT_WORDS = 16,
    ARGUMENTS = RA_UNITS + STACK_WORDS, /* first cell of those that came on the stack */
    CELLS = ARGUMENTS + ARGUMENT_WORDS
};

/* A word of a value: 0 is none. */
static uint32_t track_word(tw__mir_reg reg, unsigned sub)
{
    return reg * 4 + sub;
}

/* --- arguments on the stack ------------------------------------------------------------------------------------- */

/* Nobody writes there: the values are there from the entry to the end, whether they are loaded or not. */
void tw__ra_track_arguments(ra *r)
{
    tw__mir_function *f = r->f;
    if (!f->debug.variables) return;
    for (uint32_t b = 0; b < f->block_count; b++)
        for (tw__mir_insn *insn = f->blocks[b].first; insn; insn = insn->next) {
            const tw__mir_operand *to = insn->operands, *from = insn->count == 4 ? &insn->operands[3] : NULL;
            bool loads = from && from->kind == TW__MIR_FRAME && insn->memory.use == TW__MIR_READ &&
                         f->objects[from->index].kind == TW__MIR_INCOMING && ra_is_virtual(to->reg);
            const tw_isa_row *row = loads ? tw__mir_row(insn) : NULL;
            if (!row || (row->accesses[0] & (TW_ISA_STORE - 1u)) != 4u * to->words) continue;
            for (unsigned w = 0; w < to->words; w++) {
                ra_hold *hold = tw__mir_room(r->mir, sizeof *hold);
                *hold = (ra_hold){ .next = f->blocks[0].holds, .unit = -1, .object = from->index };
                hold->offset = (uint32_t)from->value + 4 * w, hold->reg = to->reg,
                hold->sub = (uint8_t)(to->sub + w);
                f->blocks[0].holds = hold;
            }
        }
}

/* --- before registers are allocated ----------------------------------------------------------------------------- */

typedef struct aliases { /* of words of virtual registers: those that they are copies of */
    uint32_t *of;
    uint32_t count;
} aliases;

static void alias_add(aliases *a, const tw__mir_operand *to, unsigned at, const tw__mir_operand *from)
{
    for (unsigned w = 0; w < from->words && ra_is_virtual(from->reg); w++) {
        uint32_t word = track_word(to->reg, to->sub + at + w);
        if (word < a->count) a->of[word] = track_word(from->reg, from->sub + w);
    }
}

static uint32_t alias_find(const aliases *a, uint32_t word)
{
    for (uint32_t n = 0; word < a->count && a->of[word] && n < a->count; n++) word = a->of[word];
    return word;
}

static void track_origins(tw__mir_insn *insn, aliases *a)
{
    unsigned at = 0;
    if (insn->op == TW__MIR_join || insn->op == TW__MIR_copy)
        for (unsigned k = 1; k < insn->count; at += insn->operands[k++].words)
            alias_add(a, &insn->operands[0], at, &insn->operands[k]);
    bool copies = at && ra_is_virtual(insn->operands[1].reg);
    for (unsigned k = 0; k < insn->count && !copies; k++) {
        tw__mir_operand *o = &insn->operands[k];
        if (o->kind == TW__MIR_REG && o->use & TW__MIR_WRITE && ra_is_virtual(o->reg)) o->origin = o->reg;
    }
}

/* A copy to the other file goes through memory, or `atom`: it gets what it copies. */
static void track_crossing(const ra *r, tw__mir_insn *copy, const aliases *a)
{
    tw__mir_operand *to = &copy->operands[0];
    if (copy->op != TW__MIR_copy || to->origin || !ra_is_virtual(to->reg)) return;
    const tw__mir_operand *from = &copy->operands[1];
    if (r->f->vregs[to->reg - TW__MIR_VIRTUAL].file == r->f->vregs[from->reg - TW__MIR_VIRTUAL].file) return;
    uint32_t word = alias_find(a, track_word(from->reg, from->sub));
    for (unsigned w = 1; w < to->words; w++)
        if (alias_find(a, track_word(from->reg, from->sub + w)) != word + w) return;
    to->origin = word / 4, to->origin_sub = (uint8_t)(word % 4);
}

void tw__ra_track_begin(ra *r)
{
    tw__mir_function *f = r->f;
    if (!f->debug.variables) return;
    aliases a = { .count = 4 * (TW__MIR_VIRTUAL + f->vreg_count) };
    a.of = g_new0(uint32_t, a.count);
    for (uint32_t b = 0; b < f->block_count; b++)
        for (tw__mir_insn *insn = f->blocks[b].first; insn; insn = insn->next) track_origins(insn, &a);
    for (uint32_t b = 0; b < f->block_count; b++)
        for (tw__mir_insn *insn = f->blocks[b].first; insn; insn = insn->next) {
            track_crossing(r, insn, &a);
            for (tw__mir_bind *bind = insn->binds; bind; bind = bind->next)
                for (uint32_t i = 0; bind->kind == TW__BIND_WORDS && i < bind->count; i++) {
                    uint32_t word = alias_find(&a, track_word(bind->words[i].reg, bind->words[i].sub));
                    bind->words[i].reg = word / 4, bind->words[i].sub = (uint8_t)(word % 4);
                }
        }
    g_free(a.of);
}

/* --- while copies become instructions --------------------------------------------------------------------------- */

/* The instruction in front of `before` that writes a unit, in the same block. */
static tw__mir_operand *track_writer(tw__mir_insn *before, unsigned unit)
{
    for (tw__mir_insn *insn = before->previous; insn; insn = insn->previous)
        for (unsigned k = 0; k < insn->count; k++) {
            tw__mir_operand *o = &insn->operands[k];
            if (o->kind == TW__MIR_REG && o->use & TW__MIR_WRITE && o->reg == unit + 1) return o;
        }
    return NULL;
}

void tw__ra_track_hold(ra *r, uint32_t block, tw__mir_insn *copy, const ra_hold *hold, bool from_unit)
{
    if (!r->f->debug.variables) return;
    tw__mir_operand *writer = from_unit ? track_writer(copy, (unsigned)hold->unit) : NULL;
    if (writer) {
        writer->origin = hold->reg, writer->origin_sub = hold->sub;
        return;
    }
    if (from_unit && block) return; /* arguments come with the first block */
    ra_hold *kept = tw__mir_room(r->mir, sizeof *kept);
    *kept = *hold;
    kept->next = r->f->blocks[block].holds;
    r->f->blocks[block].holds = kept;
}

/* --- finished code ---------------------------------------------------------------------------------------------- */

typedef struct tracking {
    ra *r;
    tw__mir_bind **slots;       /* the first bind of each part of a variable */
    uint32_t slot_count, state; /* state: cells, then by slot 1 + index of the bind that holds */
    GPtrArray *binds;
    uint32_t **entries; /* state of each block, NULL: not reached yet */
    tw__mir_reg base;   /* of the frame */
    tw__mir_insn *mark; /* where open ranges begin */
    struct open_range {
        tw__mir_variable *variable;
        uint32_t first, end; /* its slots */
        tw__mir_insn *from;
        GByteArray *bytes;
    } *open;
    uint32_t open_count;
    uint32_t marks;
} tracking;

static int track_by_variable(const void *x, const void *y)
{
    const tw__mir_bind *a = *(tw__mir_bind *const *)x, *b = *(tw__mir_bind *const *)y;
    if (a->variable != b->variable) return (uintptr_t)a->variable < (uintptr_t)b->variable ? -1 : 1;
    if (a->at != b->at) return a->at < b->at ? -1 : 1;
    return a->bytes < b->bytes ? -1 : a->bytes > b->bytes;
}

/* Parts of variables get numbers, those of one variable in a row. */
static void track_slots(tracking *t)
{
    GPtrArray *sorted = g_ptr_array_new();
    for (guint i = 0; i < t->binds->len; i++) g_ptr_array_add(sorted, t->binds->pdata[i]);
    g_ptr_array_sort(sorted, track_by_variable);
    t->slots = g_new0(tw__mir_bind *, sorted->len + 1);
    t->open = g_new0(struct open_range, sorted->len + 1);
    for (guint i = 0; i < sorted->len; i++) {
        tw__mir_bind *bind = sorted->pdata[i], *last = i ? sorted->pdata[i - 1] : NULL;
        if (!last || track_by_variable(&last, &bind)) t->slots[t->slot_count++] = bind;
        bind->slot = t->slot_count - 1;
        if (!last || last->variable != bind->variable)
            t->open[t->open_count++] =
                (struct open_range){ bind->variable, bind->slot, bind->slot, NULL, g_byte_array_new() };
        t->open[t->open_count - 1].end = bind->slot + 1;
    }
    g_ptr_array_unref(sorted);
    t->state = CELLS + t->slot_count;
}

/* Word of the stack that an access of ra's own is of; -1: another one. */
static int track_cell(const tw__mir_insn *insn)
{
    if (insn->memory.group != RA_GROUP_STACK || insn->count != 4 || insn->operands[3].kind != TW__MIR_CONST)
        return -1;
    unsigned size = insn->operands[0].words * 4;
    int64_t word = insn->operands[3].value * size / 4;
    return word >= 0 && word + insn->operands[0].words <= STACK_WORDS ? RA_UNITS + (int)word : -1;
}

/* Register that an instruction copies as it is; 0: none. */
static tw__mir_reg track_copied(const tw__mir_insn *insn)
{
    bool is_or = insn->op == TW__OP_or_mz || insn->op == TW__OP_or_az;
    if (is_or && insn->operands[2].kind == TW__MIR_CONST && !insn->operands[2].value) return insn->operands[1].reg;
    if (insn->op == TW__OP_or64 && insn->operands[2].reg == TW__MIR_A0 + 14) return insn->operands[1].reg;
    return insn->op == TW__OP_atom ? insn->operands[1].reg : 0;
}

/* What an operand that is written gets: its origin, else what the instruction copies. */
static uint32_t track_result(const uint32_t *old, const tw__mir_insn *insn, const tw__mir_operand *o, unsigned w)
{
    if (o->origin) return track_word(o->origin, o->origin_sub + w);
    tw__mir_reg copied = track_copied(insn);
    int cell = insn->memory.use == TW__MIR_READ ? track_cell(insn) : -1;
    return copied ? old[copied - 1 + w] : cell >= 0 ? old[cell + (int)w] : 0;
}

static void track_insn(const uint32_t *old, uint32_t *state, const tw__mir_insn *insn)
{
    if (insn->op == TW__MIR_call)
        for (unsigned unit = 0; unit < RA_UNITS; unit++)
            if (RA_CALLER_SAVES >> unit & 1) state[unit] = 0;
    int cell = insn->memory.use == TW__MIR_WRITE ? track_cell(insn) : -1;
    for (unsigned k = 0; k < insn->count; k++) {
        const tw__mir_operand *o = &insn->operands[k];
        if (o->kind != TW__MIR_REG) continue;
        for (unsigned w = 0; w < o->words && o->reg + w <= RA_UNITS; w++) {
            if (o->use & TW__MIR_WRITE)
                state[o->reg - 1 + w] = track_result(old, insn, o, w);
            else if (!k && cell >= 0)
                state[cell + (int)w] = o->origin ? track_word(o->origin, o->origin_sub + w) : old[o->reg - 1 + w];
        }
    }
}

/* The whole of a variable ends its parts, and the reverse. */
static void track_bind(const tracking *t, uint32_t *slots, const tw__mir_bind *bind)
{
    uint32_t index = bind->order + 1;
    for (uint32_t i = 0; i < t->open_count; i++) {
        if (t->open[i].variable != bind->variable) continue;
        for (uint32_t k = t->open[i].first; k < t->open[i].end; k++)
            if (k != bind->slot && (!bind->bytes || !t->slots[k]->bytes)) slots[k] = 0;
        break;
    }
    slots[bind->slot] = index;
}

/* Through a bundle or an instruction; `at` is called at its place, with what variables have by then. */
static tw__mir_insn *track_group(tracking *t, uint32_t *state, tw__mir_insn *insn,
                                 void (*at)(tracking *t, const uint32_t *state, tw__mir_insn *insn))
{
    tw__mir_insn *last = ra_group_end(insn);
    for (tw__mir_insn *half = insn;; half = half->next) {
        for (const tw__mir_bind *bind = half->binds; bind; bind = bind->next) track_bind(t, state + CELLS, bind);
        if (half == last) break;
    }
    if (at) at(t, state, insn);
    uint32_t old[CELLS];
    memcpy(old, state, sizeof old);
    track_insn(old, state, insn);
    if (last != insn) track_insn(old, state, last);
    return last->next;
}

static void track_holds(const tracking *t, uint32_t *state, const tw__mir_block *block)
{
    for (const ra_hold *hold = block->holds; hold; hold = hold->next) {
        const tw__mir_frame_object *object = hold->unit < 0 ? &t->r->f->objects[hold->object] : NULL;
        uint32_t word = object ? (object->place + hold->offset) / 4 : 0;
        bool came = object && object->kind == TW__MIR_INCOMING;
        uint32_t cell = object ? (came ? ARGUMENTS : RA_UNITS) + word : (uint32_t)hold->unit;
        if (word < (came ? ARGUMENT_WORDS : STACK_WORDS)) state[cell] = track_word(hold->reg, hold->sub);
    }
}

/* What holds at the beginning of a block is what all ways to it agree on. */
static bool track_meet(const tracking *t, uint32_t block, const uint32_t *state)
{
    bool changed = false;
    if (!t->entries[block]) {
        t->entries[block] = g_memdup2(state, t->state * sizeof *state);
        return true;
    }
    for (uint32_t i = 0; i < t->state; i++)
        if (t->entries[block][i] && t->entries[block][i] != state[i]) t->entries[block][i] = 0, changed = true;
    return changed;
}

/* Parameters have their values from the first instruction on, though LLVM tells so behind the entry only. */
static void track_parameters(const tracking *t, uint32_t *state, const tw__mir_block *block)
{
    enum { TAG_PARAMETER = 0x05 };
    for (const tw__mir_insn *insn = block->first; insn; insn = insn->next)
        for (const tw__mir_bind *bind = insn->binds; bind; bind = bind->next) {
            const tw__mir_variable *v = bind->variable;
            if (v->die->tag != TAG_PARAMETER || v->scope || bind->kind != TW__BIND_WORDS) continue;
            if (!state[CELLS + bind->slot]) track_bind(t, state + CELLS, bind);
        }
}

static void track_flow(tracking *t)
{
    tw__mir_function *f = t->r->f;
    g_autofree uint32_t *state = g_new0(uint32_t, t->state);
    track_parameters(t, state, &f->blocks[f->order[0]]);
    track_meet(t, f->order[0], state);
    memset(state, 0, t->state * sizeof *state);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < f->order_count; i++) {
            const tw__mir_block *block = &f->blocks[f->order[i]];
            if (!t->entries[f->order[i]]) continue;
            memcpy(state, t->entries[f->order[i]], t->state * sizeof *state);
            track_holds(t, state, block);
            for (tw__mir_insn *insn = block->first; insn;) insn = track_group(t, state, insn, NULL);
            for (uint32_t k = 0; k < block->successor_count; k++)
                changed = track_meet(t, block->successors[k], state) || changed;
        }
    }
}

/* --- places as expressions of DWARF ----------------------------------------------------------------------------- */

enum {
    OP_DEREF = 0x06,
    OP_PLUS = 0x23,
    OP_REG0 = 0x50,
    OP_BREG0 = 0x70,
    OP_PIECE = 0x93,
    OP_CFA = 0x9c,
    OP_IMPLICIT = 0x9e,
    OP_VALUE = 0x9f
};

static void track_byte(GByteArray *out, unsigned byte)
{
    guint8 b = (guint8)byte;
    g_byte_array_append(out, &b, 1);
}

static void track_leb(GByteArray *out, int64_t value, bool is_signed)
{
    for (;;) {
        unsigned byte = (unsigned)(value & 0x7f);
        value >>= 7;
        bool ends = is_signed ? (value == 0 && !(byte & 0x40)) || (value == -1 && byte & 0x40) : !value;
        track_byte(out, byte | (ends ? 0 : 0x80));
        if (ends) return;
    }
}

static void track_base(GByteArray *out, tw__mir_reg reg, int64_t offset)
{
    track_byte(out, OP_BREG0 + reg - 1);
    track_leb(out, offset, true);
}

/* An argument of the function itself: behind the end of its frame. */
static void track_above(GByteArray *out, uint32_t place)
{
    track_byte(out, OP_CFA);
    track_byte(out, OP_PLUS);
    track_leb(out, place, false);
}

/* Address of a word of the stack. */
static void track_address(const tracking *t, GByteArray *out, int cell)
{
    if (cell >= ARGUMENTS)
        track_above(out, 4 * (uint32_t)(cell - ARGUMENTS));
    else
        track_base(out, t->base, 4 * (cell - RA_UNITS));
}

static int track_find(const uint32_t *state, const tw__mir_word *word)
{
    if (!ra_is_virtual(word->reg)) return (int)word->reg - 1; /* a base */
    for (int i = 0; i < CELLS; i++)
        if (state[i] == track_word(word->reg, word->sub)) return i;
    return -1;
}

static void track_piece(const tracking *t, GByteArray *out, const uint32_t *state, const tw__mir_word *word)
{
    int cell = track_find(state, word);
    if (cell >= RA_UNITS)
        track_address(t, out, cell);
    else if (cell >= 0)
        track_byte(out, OP_REG0 + (unsigned)cell);
}

static void track_more(GByteArray *out, const tw__mir_bind *bind)
{
    if (bind->more_count) g_byte_array_append(out, bind->more, bind->more_count);
    if (!bind->is_memory) track_byte(out, OP_VALUE);
}

/* Where a part of a variable is; `in_pieces`: it is not all of it. Nothing appended: nowhere. */
static void track_place(const tracking *t, GByteArray *out, const uint32_t *state, const tw__mir_bind *bind,
                        bool in_pieces)
{
    guint start = out->len;
    if (bind->kind == TW__BIND_OBJECT) {
        const tw__mir_frame_object *object = &t->r->f->objects[bind->object];
        if (object->kind == TW__MIR_DYNAMIC || object->align > 8) return;
        if (object->kind == TW__MIR_INCOMING)
            track_above(out, object->place);
        else
            track_base(out, t->base, object->place);
        track_more(out, bind);
    } else if (bind->kind == TW__BIND_CONSTANT && !bind->more_count) {
        unsigned bytes = bind->bytes ? bind->bytes : bind->count;
        if (bytes > 8 || bind->is_memory) return;
        track_byte(out, OP_IMPLICIT);
        track_byte(out, bytes);
        for (unsigned i = 0; i < bytes; i++) track_byte(out, (unsigned)((uint64_t)bind->constant >> 8 * i & 0xff));
    } else if (bind->kind == TW__BIND_WORDS && (bind->more_count || bind->is_memory || bind->is_value)) {
        int cell = bind->count == 1 ? track_find(state, bind->words) : -1;
        if (cell < 0) return;
        if (cell < RA_UNITS)
            track_base(out, (tw__mir_reg)cell + 1, 0);
        else
            track_address(t, out, cell), track_byte(out, OP_DEREF);
        track_more(out, bind);
    } else if (bind->kind == TW__BIND_WORDS && bind->count == 1 && !in_pieces) {
        track_piece(t, out, state, bind->words);
        return;
    } else if (bind->kind == TW__BIND_WORDS) {
        bool any = false;
        for (uint32_t i = 0; i < bind->count; i++) any = any || track_find(state, &bind->words[i]) >= 0;
        for (uint32_t i = 0; any && i < bind->count; i++) {
            track_piece(t, out, state, &bind->words[i]);
            track_byte(out, OP_PIECE);
            track_leb(out, bind->words[i].bytes, false);
        }
        return;
    }
    if (!in_pieces || out->len == start) return;
    track_byte(out, OP_PIECE);
    track_leb(out, bind->bytes, false);
}

static void track_describe(const tracking *t, const struct open_range *o, const uint32_t *state, GByteArray *out)
{
    uint32_t at = 0;
    bool any = false;
    for (uint32_t k = o->first; k < o->end; k++) {
        if (!state[CELLS + k]) continue;
        const tw__mir_bind *bind = t->binds->pdata[state[CELLS + k] - 1];
        if (bind->bytes && bind->at < at) continue; /* parts that overlap */
        if (bind->bytes && bind->at > at) track_byte(out, OP_PIECE), track_leb(out, bind->at - at, false);
        guint before = out->len;
        track_place(t, out, state, bind, bind->bytes != 0);
        any = any || out->len > before;
        if (bind->bytes && out->len == before) track_byte(out, OP_PIECE), track_leb(out, bind->bytes, false);
        at = bind->at + bind->bytes;
        if (!bind->bytes) break;
    }
    if (!any) g_byte_array_set_size(out, 0);
}

/* --- ranges ----------------------------------------------------------------------------------------------------- */

static void track_close(tracking *t, struct open_range *o, tw__mir_insn *to)
{
    if (!o->from || o->from == to) return;
    tw__mir_range *range = tw__mir_room(t->r->mir, sizeof *range), **end = &o->variable->ranges;
    uint8_t *bytes = tw__mir_room(t->r->mir, o->bytes->len + 1);
    memcpy(bytes, o->bytes->data, o->bytes->len);
    *range = (tw__mir_range){ .from = o->from, .to = to, .bytes = bytes, .count = o->bytes->len };
    if (!range->from->mark) range->from->mark = ++t->marks;
    if (to && !to->mark) to->mark = ++t->marks;
    while (*end) end = &(*end)->next;
    *end = range;
}

static void track_at(tracking *t, const uint32_t *state, tw__mir_insn *insn)
{
    for (uint32_t i = 0; i < t->open_count; i++) {
        struct open_range *o = &t->open[i];
        GByteArray *now = g_byte_array_new();
        track_describe(t, o, state, now);
        bool same = o->from && now->len == o->bytes->len && !memcmp(now->data, o->bytes->data, now->len);
        if (same) {
            g_byte_array_unref(now);
            continue;
        }
        track_close(t, o, insn);
        g_byte_array_unref(o->bytes);
        o->bytes = now;
        o->from = now->len ? insn : NULL;
    }
}

static void track_collect(tracking *t)
{
    tw__mir_function *f = t->r->f;
    for (uint32_t b = 0; b < f->block_count; b++)
        for (tw__mir_insn *insn = f->blocks[b].first; insn; insn = insn->next)
            for (tw__mir_bind *bind = insn->binds; bind; bind = bind->next) {
                bind->order = t->binds->len;
                g_ptr_array_add(t->binds, bind);
            }
}

/* Code of an inlined call begins and ends at marked places. */
static void track_scopes(tracking *t)
{
    tw__mir_function *f = t->r->f;
    const tw__mir_scope *last = NULL;
    for (uint32_t i = 0; i < f->order_count; i++)
        for (tw__mir_insn *insn = f->blocks[f->order[i]].first; insn; insn = ra_group_end(insn)->next) {
            if (insn->scope != last && !insn->mark) insn->mark = ++t->marks;
            last = insn->scope;
        }
}

void tw__ra_track_end(ra *r)
{
    tw__mir_function *f = r->f;
    tracking t = { .r = r, .binds = g_ptr_array_new() };
    t.base = TW__MIR_M0 + (f->has_dynamic_stack ? RA_FP : RA_SP);
    if (f->debug.variables && f->order_count) {
        track_collect(&t);
        track_slots(&t);
        t.entries = g_new0(uint32_t *, f->block_count + 1);
        track_flow(&t);
        for (uint32_t i = 0; i < f->order_count; i++) {
            uint32_t *state = t.entries[f->order[i]];
            if (!state) continue;
            track_holds(&t, state, &f->blocks[f->order[i]]);
            for (tw__mir_insn *insn = f->blocks[f->order[i]].first; insn;)
                insn = track_group(&t, state, insn, track_at);
        }
        for (uint32_t i = 0; i < t.open_count; i++) {
            track_close(&t, &t.open[i], NULL);
            g_byte_array_unref(t.open[i].bytes);
        }
        for (uint32_t b = 0; b < f->block_count; b++) g_free(t.entries[b]);
        g_free(t.entries);
        g_free(t.slots);
        g_free(t.open);
    }
    if (f->debug.scopes) track_scopes(&t);
    g_ptr_array_unref(t.binds);
}
