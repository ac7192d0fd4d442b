/* SPDX-License-Identifier: MIT */
/* Virtual registers become physical ones, and copies that happen at once instructions in an order that works. */
#include "poplar/colossus/cc/ra/ra.h"

typedef struct spot { /* a register, or a place of the frame */
    int unit;         /* -1: the frame */
    uint32_t object, offset;
} spot;

typedef struct move {
    spot to, from;
    unsigned words;     /* 1, or 2 of an aux pair */
    tw__mir_reg origin; /* of the operand that is written */
    unsigned origin_sub;
} move;

typedef struct rewriting {
    ra *r;
    uint32_t block;
    int *lane_unit;     /* by lane */
    GArray *moves;      /* of the copy under way */
    uint32_t busy;      /* units that it reads or writes, and those alive behind it */
    uint32_t emergency; /* 1 + frame object for when no register is free; 0: none yet */
} rewriting;

static tw__mir_operand unit_operand(const spot *s, unsigned words, bool write)
{
    tw__mir_reg reg = (tw__mir_reg)s->unit + 1;
    return write ? tw__mir_write(reg, words) : tw__mir_read(reg, words);
}

/* --- memory ----------------------------------------------------------------------------------------------------- */

static void scratch_access(rewriting *w, tw__mir_insn *before, unsigned op, tw__mir_operand reg, unsigned at)
{
    tw__mir_insn *insn = tw__mir_insert(w->r->mir, &w->r->f->blocks[w->block], before, op, 4);
    insn->operands[0] = reg;
    insn->operands[1] = tw__mir_read(TW__MIR_M0 + RA_WORKER_BASE, 1);
    insn->operands[2] = tw__mir_read(TW__MIR_M0 + RA_ZERO, 1);
    insn->operands[3] = tw__mir_const(at);
    insn->memory = (tw__mir_memory){ .use = reg.use == TW__MIR_WRITE ? TW__MIR_READ : TW__MIR_WRITE,
                                     .group = RA_GROUP_SCRATCH };
}

/* --- one move --------------------------------------------------------------------------------------------------- */

static void move_register(rewriting *w, tw__mir_insn *before, const move *m)
{
    bool aux = m->to.unit >= RA_A;
    unsigned op = m->words == 2 ? TW__OP_or64 : aux ? TW__OP_or_az : TW__OP_or_mz;
    tw__mir_insn *insn = tw__mir_insert(w->r->mir, &w->r->f->blocks[w->block], before, op, 3);
    insn->operands[0] = unit_operand(&m->to, m->words, true);
    insn->operands[0].origin = m->origin, insn->operands[0].origin_sub = (uint8_t)m->origin_sub;
    insn->operands[1] = unit_operand(&m->from, m->words, false);
    insn->operands[2] = m->words == 2 ? tw__mir_read(TW__MIR_A0 + 14, 2) : tw__mir_const(0);
}

/* An entry without a stack has the scratch words: two that copies from file to file do not use. */
enum { SCRATCH_OBJECT = UINT32_MAX - 1, SCRATCH_FREE = 16 };

static spot emergency_spot(rewriting *w, uint32_t offset)
{
    if (w->r->f->context == TW__MIR_WORKER) return (spot){ -1, (uint32_t)SCRATCH_OBJECT, SCRATCH_FREE + offset };
    if (!w->emergency) w->emergency = 1 + tw__mir_new_object(w->r->mir, w->r->f, 8, 8);
    return (spot){ -1, w->emergency - 1, offset };
}

static int free_unit(const rewriting *w, bool aux)
{
    uint32_t set = w->r->allocatable & ~w->busy;
    set &= aux ? 0xffffu << RA_A : 0xffffu;
    uint32_t cheap = w->r->f->context == TW__MIR_WORKER ? set : set & (RA_CALLER_SAVES | w->r->used);
    if (cheap) set = cheap;
    return set ? g_bit_nth_lsf(set, -1) : -1;
}

static void move_memory(rewriting *w, tw__mir_insn *before, bool store, const spot *unit, const spot *place,
                        const move *m)
{
    tw__mir_operand reg = unit_operand(unit, m->words, !store);
    reg.origin = m->origin, reg.origin_sub = (uint8_t)m->origin_sub;
    if (place->object != (uint32_t)SCRATCH_OBJECT) {
        tw__ra_frame_access(w->r, &w->r->f->blocks[w->block], before, store, reg, place->object, place->offset);
        return;
    }
    static const uint16_t ops[2][2] = { { TW__OP_ld32_mz, TW__OP_st32_mz }, { TW__OP_ld32_az, TW__OP_st32_az } };
    scratch_access(w, before, ops[unit->unit >= RA_A][store], reg, place->offset / 4);
}

static void move_one(rewriting *w, tw__mir_insn *before, const move *m)
{
    if (m->to.unit >= 0 && m->from.unit >= 0) {
        move_register(w, before, m);
    } else if (m->to.unit >= 0) {
        move_memory(w, before, false, &m->to, &m->from, m);
    } else if (m->from.unit >= 0) {
        move_memory(w, before, true, &m->from, &m->to, m);
    } else { /* from place to place: through a free register, or one that is put aside */
        spot through = { free_unit(w, false), 0, 0 };
        if (through.unit < 0) through.unit = free_unit(w, true);
        bool borrowed = through.unit < 0;
        spot aside = borrowed ? emergency_spot(w, 4) : through;
        if (borrowed) through.unit = RA_M, move_one(w, before, &(move){ aside, through, 1, 0, 0 });
        move_one(w, before, &(move){ through, m->from, 1, 0, 0 });
        move_one(w, before, &(move){ m->to, through, 1, m->origin, m->origin_sub });
        if (borrowed) move_one(w, before, &(move){ through, aside, 1, 0, 0 });
    }
}

/* --- all at once ------------------------------------------------------------------------------------------------ */

static bool spots_meet(const spot *a, unsigned a_words, const spot *b, unsigned b_words)
{
    if (a->unit >= 0 || b->unit >= 0)
        return a->unit >= 0 && b->unit >= 0 && a->unit < b->unit + (int)b_words && b->unit < a->unit + (int)a_words;
    return a->object == b->object && a->offset < b->offset + 4 * b_words && b->offset < a->offset + 4 * a_words;
}

static move *move_at(const rewriting *w, guint i)
{
    return &g_array_index(w->moves, move, i);
}

/* A move that overwrites nothing that another one has still to read, or -1. */
static int find_ready(const rewriting *w)
{
    for (guint i = 0; i < w->moves->len; i++) {
        bool ready = true;
        for (guint k = 0; k < w->moves->len && ready; k++)
            ready = i == k || !spots_meet(&move_at(w, i)->to, move_at(w, i)->words, &move_at(w, k)->from,
                                          move_at(w, k)->words);
        if (ready) return (int)i;
    }
    return -1;
}

static spot next_word(spot s)
{
    return s.unit >= 0 ? (spot){ s.unit + 1, 0, 0 } : (spot){ -1, s.object, s.offset + 4 };
}

static bool same_spot(const spot *a, const spot *b)
{
    return a->unit == b->unit && (a->unit >= 0 || (a->object == b->object && a->offset == b->offset));
}

static void add_move(rewriting *w, const move *added)
{
    if (!same_spot(&added->to, &added->from)) g_array_append_vals(w->moves, added, 1);
}

static bool split_pairs(rewriting *w)
{
    bool any = false;
    for (guint i = w->moves->len; i-- > 0;) {
        move pair = *move_at(w, i);
        if (pair.words == 1) continue;
        any = true;
        g_array_remove_index(w->moves, i);
        add_move(w, &(move){ pair.to, pair.from, 1, pair.origin, pair.origin_sub });
        add_move(w, &(move){ next_word(pair.to), next_word(pair.from), 1, pair.origin, pair.origin_sub + 1 });
    }
    return any;
}

/* Moves in a circle: what the first one reads is put aside. */
static void break_circle(rewriting *w, tw__mir_insn *before)
{
    move *first = move_at(w, 0);
    bool aux = first->from.unit >= 0 ? first->from.unit >= RA_A : first->to.unit >= RA_A;
    spot aside = { free_unit(w, aux), 0, 0 };
    if (aside.unit < 0)
        aside = emergency_spot(w, 0);
    else
        w->busy |= 1u << aside.unit; /* later moves must not go through it */
    move_one(w, before, &(move){ aside, first->from, 1, 0, 0 });
    first->from = aside;
}

static void emit_moves(rewriting *w, tw__mir_insn *before)
{
    while (w->moves->len) {
        int ready = find_ready(w);
        if (ready >= 0) {
            move_one(w, before, move_at(w, (guint)ready));
            g_array_remove_index(w->moves, (guint)ready);
        } else if (!split_pairs(w)) {
            break_circle(w, before);
        }
    }
}

static spot spot_of(const rewriting *w, const tw__mir_operand *o)
{
    if (o->kind == TW__MIR_FRAME) return (spot){ -1, o->index, (uint32_t)o->value };
    return (spot){ w->lane_unit[ra_lane_of(w->r, o)], 0, 0 };
}

/* A copy from a place to itself still says what is there, and one from an argument or a result what that is. */
static void note_hold(rewriting *w, tw__mir_insn *copy, const move *m, const tw__mir_operand *from)
{
    bool is_unit = from->kind == TW__MIR_REG && !ra_is_virtual(from->reg);
    if (!m->origin || (!is_unit && !same_spot(&m->to, &m->from))) return;
    for (unsigned k = 0; k < m->words; k++) {
        ra_hold hold = { .unit = m->from.unit < 0 ? -1 : m->from.unit + (int)k,
                         .object = m->from.object,
                         .offset = m->from.offset + 4 * k,
                         .reg = m->origin,
                         .sub = (uint8_t)(m->origin_sub + k) };
        tw__ra_track_hold(w->r, w->block, copy, &hold, is_unit);
    }
}

static void collect_pair(rewriting *w, tw__mir_insn *copy, const tw__mir_operand *to_operand,
                         const tw__mir_operand *from_operand)
{
    if (to_operand->kind == TW__MIR_CONST) return; /* spill.c has made it another way */
    spot to = spot_of(w, to_operand), from = spot_of(w, from_operand);
    bool aux = to.unit >= RA_A || from.unit >= RA_A;
    unsigned words = aux && to_operand->words > 1 ? 2 : 1;
    for (unsigned k = 0; k < to_operand->words; k += words) {
        move added = { to, from, words, to_operand->origin, to_operand->origin_sub + k };
        add_move(w, &added);
        note_hold(w, copy, &added, from_operand);
        for (unsigned i = 0; i < words; i++) to = next_word(to), from = next_word(from);
    }
}

/* --- from file to file ------------------------------------------------------------------------------------------ */

/* Word `k` of what the operand of a copy gets. */
static void origin_of(tw__mir_operand *written, const tw__mir_operand *to, unsigned k)
{
    if (to->origin) written->origin = to->origin, written->origin_sub = (uint8_t)(to->origin_sub + k);
}

/* `atom` goes from aux to main; the other way leads through the worker's scratch words (guide 7.3). */
static void cross_files(rewriting *w, tw__mir_insn *copy)
{
    spot to = spot_of(w, &copy->operands[0]), from = spot_of(w, &copy->operands[1]);
    unsigned words = copy->operands[0].words;
    for (unsigned k = 0; k < words; k++, from = next_word(from)) {
        if (to.unit >= RA_A) {
            scratch_access(w, copy, TW__OP_st32_mz, unit_operand(&from, 1, false), k);
            continue;
        }
        tw__mir_insn *atom = tw__mir_insert(w->r->mir, &w->r->f->blocks[w->block], copy, TW__OP_atom, 2);
        atom->operands[0] = unit_operand(&to, 1, true);
        origin_of(&atom->operands[0], &copy->operands[0], k);
        atom->operands[1] = unit_operand(&from, 1, false);
        to = next_word(to);
    }
    if (to.unit < RA_A) return;
    unsigned step = words > 1 ? 2 : 1;
    for (unsigned k = 0; k < words; k += step, to.unit += (int)step) {
        tw__mir_operand loaded = unit_operand(&to, step, true);
        origin_of(&loaded, &copy->operands[0], k);
        scratch_access(w, copy, step == 2 ? TW__OP_ld64_z : TW__OP_ld32_az, loaded, k / step);
    }
}

/* --- blocks ----------------------------------------------------------------------------------------------------- */

static uint32_t units_of_operands(const rewriting *w, const tw__mir_insn *insn, unsigned use)
{
    uint32_t set = insn->op == TW__MIR_call && use == TW__MIR_WRITE ? RA_CALLER_SAVES : 0;
    for (unsigned k = 0; k < insn->count; k++) {
        const tw__mir_operand *o = &insn->operands[k];
        if (o->kind != TW__MIR_REG || !(o->use & use)) continue;
        for (unsigned i = 0; i < o->words; i++) set |= 1u << w->lane_unit[ra_lane_of(w->r, o) + i];
    }
    return set;
}

static void rewrite_registers(const rewriting *w, tw__mir_insn *insn)
{
    for (unsigned k = 0; k < insn->count; k++) {
        tw__mir_operand *o = &insn->operands[k];
        if (o->kind != TW__MIR_REG) continue;
        o->reg = (tw__mir_reg)w->lane_unit[ra_lane_of(w->r, o)] + 1;
        o->tied = o->reg, o->sub = 0;
    }
}

static void rewrite_insn(rewriting *w, tw__mir_insn *insn, uint32_t live)
{
    tw__mir_block *block = &w->r->f->blocks[w->block];
    bool crosses = false;
    if (insn->op == TW__MIR_copy)
        crosses = (spot_of(w, &insn->operands[0]).unit >= RA_A) != (spot_of(w, &insn->operands[1]).unit >= RA_A);
    if (insn->op != TW__MIR_moves && insn->op != TW__MIR_copy) {
        rewrite_registers(w, insn);
        return;
    }
    w->busy = live | units_of_operands(w, insn, TW__MIR_READ) | units_of_operands(w, insn, TW__MIR_WRITE);
    if (crosses) {
        cross_files(w, insn);
    } else {
        for (unsigned k = 0; k + 1 < insn->count; k += 2)
            collect_pair(w, insn, &insn->operands[k], &insn->operands[k + 1]);
        emit_moves(w, insn);
    }
    tw__mir_remove(block, insn);
}

static void rewrite_block(rewriting *w)
{
    ra *r = w->r;
    uint32_t live = 0;
    for (uint32_t bit = 0; bit < r->bit_count; bit++)
        if (r->live_out[w->block][bit / 32] >> bit % 32 & 1) live |= 1u << w->lane_unit[r->bit_lane[bit]];
    for (tw__mir_insn *last = r->f->blocks[w->block].last, *first, *before; last; last = before) {
        first = last->is_aux_partner ? last->previous : last;
        before = first->previous;
        uint32_t behind = live, reads = units_of_operands(w, first, TW__MIR_READ),
                 written = units_of_operands(w, first, TW__MIR_WRITE);
        if (first != last) {
            reads |= units_of_operands(w, last, TW__MIR_READ);
            written |= units_of_operands(w, last, TW__MIR_WRITE);
        }
        live = (live & ~written) | reads;
        if (first != last) rewrite_insn(w, last, behind);
        rewrite_insn(w, first, behind);
    }
}

void tw__ra_rewrite(ra *r)
{
    rewriting w = { .r = r, .moves = g_array_new(FALSE, FALSE, sizeof(move)) };
    w.lane_unit = RA_NEW_N(r->arena, int, r->lane_count);
    for (int unit = 0; unit < RA_UNITS; unit++) w.lane_unit[unit] = unit;
    for (uint32_t v = 0; v < r->f->vreg_count; v++)
        for (unsigned i = 0; r->nodes[v].lane && i < r->nodes[v].words; i++)
            w.lane_unit[r->nodes[v].lane + i] = r->nodes[v].unit + (int)i;
    for (w.block = 0; w.block < r->f->block_count; w.block++) rewrite_block(&w);
    g_array_free(w.moves, TRUE);
}
