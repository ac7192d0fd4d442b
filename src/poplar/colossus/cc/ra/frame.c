/* SPDX-License-Identifier: MIT */
/* The stack of a function (guide 10.4), from low to high: arguments for what it calls, what it keeps for its caller,
 * spilled registers, objects; above them its own arguments. What ra made lies low: constant offsets reach it. */
#include "poplar/colossus/cc/ra/ra.h"

typedef struct framing {
    ra *r;
    uint32_t size;     /* of the frame, a multiple of 8 */
    uint32_t outgoing; /* bytes of arguments for calls */
    uint32_t keeps;    /* units that are stored at entry and loaded at the end, in ascending order from `kept` on */
    uint32_t kept;
    bool dynamic;
} framing;

enum { SHORT = 32767, MOST = 1 << 19 };

static uint32_t up(uint32_t value, uint32_t align)
{
    return (value + align - 1) / align * align;
}

/* --- places ----------------------------------------------------------------------------------------------------- */

static uint32_t written_units(const ra *r)
{
    uint32_t set = 0;
    for (uint32_t b = 0; b < r->f->block_count; b++)
        for (const tw__mir_insn *insn = r->f->blocks[b].first; insn; insn = insn->next) {
            if (insn->op == TW__MIR_call) set |= 1u << RA_LR;
            for (unsigned k = 0; k < insn->count; k++) {
                const tw__mir_operand *o = &insn->operands[k];
                if (o->kind == TW__MIR_REG && o->use & TW__MIR_WRITE) set |= ((1u << o->words) - 1) << (o->reg - 1);
            }
        }
    return set;
}

static void place_objects(framing *fr, uint32_t from, uint32_t *at)
{
    tw__mir_function *f = fr->r->f;
    for (uint32_t i = from; i < f->object_count; i++) {
        tw__mir_frame_object *o = &f->objects[i];
        if (o->kind != TW__MIR_LOCAL || o->place != UINT32_MAX) continue;
        *at = up(*at, MAX(MIN(o->align, 8), 1));
        o->place = *at;
        *at += o->size + (o->align > 8 ? o->align - 8 : 0);
    }
}

static void lay_out(framing *fr, uint32_t first_spill)
{
    ra *r = fr->r;
    tw__mir_function *f = r->f;
    for (uint32_t i = 0; i < f->object_count; i++) {
        tw__mir_frame_object *o = &f->objects[i];
        if (o->kind == TW__MIR_OUTGOING) fr->outgoing = MAX(fr->outgoing, o->place + o->size);
        if (o->kind == TW__MIR_LOCAL) o->place = UINT32_MAX;
    }
    fr->outgoing = up(fr->outgoing, 8);
    uint32_t at = fr->outgoing;
    if (f->context != TW__MIR_WORKER) {
        fr->keeps = written_units(r) & (RA_CALLEE_SAVES | 1u << RA_LR);
        if (fr->dynamic) fr->keeps |= 1u << RA_FP;
    }
    fr->kept = at;
    for (uint32_t set = fr->keeps; set; set &= set - 1) at += 4;
    place_objects(fr, first_spill, &at);
    place_objects(fr, 0, &at);
    fr->size = up(at, 8);
}

/* --- base and offset -------------------------------------------------------------------------------------------- */

static int64_t object_place(const framing *fr, const tw__mir_operand *o, tw__mir_reg *base)
{
    const tw__mir_frame_object *object = &fr->r->f->objects[o->index];
    *base = TW__MIR_M0 + (fr->dynamic ? RA_FP : RA_SP);
    switch (object->kind) {
    case TW__MIR_LOCAL: return object->place + o->value;
    case TW__MIR_INCOMING: return (int64_t)fr->size + object->place + o->value;
    case TW__MIR_OUTGOING: *base = TW__MIR_M0 + RA_SP; return object->place + o->value;
    case TW__MIR_DYNAMIC: *base = TW__MIR_M0 + RA_SP; return fr->outgoing + o->value;
    }
    return 0;
}

static void set_base(framing *fr, tw__mir_insn *insn, unsigned k)
{
    const tw_isa_row *row = tw__mir_row(insn);
    tw__mir_operand *o = &insn->operands[k];
    unsigned size = row ? row->accesses[0] & (TW_ISA_STORE - 1u) : 0;
    uint32_t field;
    tw__mir_reg base;
    int64_t place = object_place(fr, o, &base);
    if (!size || k < 2 || place % size || !tw__isa_constant_fits(row->operands[k], place / size, &field)) {
        fr->r->problem = "the stack frame is too large";
        return;
    }
    insn->operands[1].reg = base;
    *o = tw__mir_const(place / size);
}

static tw__mir_insn *main_row(framing *fr, tw__mir_block *block, tw__mir_insn *before, unsigned op, tw__mir_reg to,
                              tw__mir_operand x, tw__mir_operand y)
{
    tw__mir_insn *insn = tw__mir_insert(fr->r->mir, block, before, op, 3);
    insn->operands[0] = tw__mir_write(to, 1);
    insn->operands[1] = x, insn->operands[2] = y;
    return insn;
}

/* to = base + distance; `helper` holds what does not fit an instruction, and may be `to`. */
static tw__mir_insn *add_distance(framing *fr, tw__mir_block *block, tw__mir_insn *before, tw__mir_reg to,
                                  tw__mir_reg base, int64_t distance, tw__mir_reg helper)
{
    if (distance >= -SHORT && distance <= SHORT)
        return main_row(fr, block, before, TW__OP_add_s, to, tw__mir_read(base, 1), tw__mir_const(distance));
    tw__mir_insn *set = tw__mir_insert(fr->r->mir, block, before, TW__OP_setzi_m, 2);
    set->operands[0] = tw__mir_write(helper, 1);
    set->operands[1] = tw__mir_const(distance < 0 ? -distance : distance);
    return main_row(fr, block, before, distance < 0 ? TW__OP_sub_m : TW__OP_add_m, to, tw__mir_read(base, 1),
                    tw__mir_read(helper, 1));
}

static void expand_place(framing *fr, tw__mir_block *block, tw__mir_insn *insn)
{
    const tw__mir_operand *o = &insn->operands[1];
    tw__mir_insn *behind = insn->previous;
    uint32_t align = fr->r->f->objects[o->index].align;
    tw__mir_reg base, to = insn->operands[0].reg;
    unsigned kind = fr->r->f->objects[o->index].kind;
    bool aligns = (kind == TW__MIR_LOCAL || kind == TW__MIR_DYNAMIC) && align > 8;
    int64_t inside = aligns ? o->value : 0, place = object_place(fr, o, &base) - inside;
    if (aligns && align > 4096) fr->r->problem = "an object on the stack is aligned to more than 4096 bytes";
    add_distance(fr, block, insn, to, base, place + (aligns ? align - 1 : 0), to);
    if (aligns)
        main_row(fr, block, insn, TW__OP_andc_mz, to, tw__mir_read(to, 1), tw__mir_const(MIN(align, 4096) - 1));
    if (inside)
        add_distance(fr, block, insn, to, to, inside, to); /* an object's size is far below SHORT, or it fits */
    tw__mir_replace(block, behind, insn);
}

/* --- entry and end ---------------------------------------------------------------------------------------------- */

static void kept_access(framing *fr, tw__mir_block *block, tw__mir_insn *before, bool store)
{
    uint32_t at = fr->kept;
    for (uint32_t set = fr->keeps; set; set &= set - 1, at += 4) {
        unsigned unit = (unsigned)g_bit_nth_lsf(set, -1);
        static const uint16_t ops[2][2] = { { TW__OP_ld32_mz, TW__OP_st32_mz },
                                            { TW__OP_ld32_az, TW__OP_st32_az } };
        tw__mir_insn *insn = tw__mir_insert(fr->r->mir, block, before, ops[unit >= RA_A][store], 4);
        insn->frame = store ? TW__FRAME_KEEP : TW__FRAME_BACK;
        insn->operands[0] = store ? tw__mir_read(unit + 1, 1) : tw__mir_write(unit + 1, 1);
        insn->operands[1] = tw__mir_read(TW__MIR_M0 + RA_SP, 1);
        insn->operands[2] = tw__mir_read(TW__MIR_M0 + RA_ZERO, 1);
        insn->operands[3] = tw__mir_const(at / 4);
        insn->memory = (tw__mir_memory){ .use = store ? TW__MIR_WRITE : TW__MIR_READ, .group = RA_GROUP_STACK };
    }
}

static void frame_enter(framing *fr)
{
    tw__mir_function *f = fr->r->f;
    tw__mir_block *block = &f->blocks[0];
    tw__mir_reg sp = TW__MIR_M0 + RA_SP, helper = TW__MIR_M0 + 4; /* no argument, nothing yet */
    if (f->context == TW__MIR_WORKER) {
        if (fr->r->has_frame)
            add_distance(fr, block, block->first, sp, TW__MIR_M0 + RA_WORKER_BASE, -(int64_t)fr->size, helper);
        return;
    }
    tw__mir_insn *first = block->first;
    if (fr->size) add_distance(fr, block, first, sp, sp, -(int64_t)fr->size, helper)->frame = TW__FRAME_DOWN;
    kept_access(fr, block, first, true);
    if (fr->dynamic) add_distance(fr, block, first, TW__MIR_M0 + RA_FP, sp, 0, helper)->frame = TW__FRAME_BASE;
}

static void frame_leave(framing *fr, tw__mir_block *block, tw__mir_insn *ret)
{
    tw__mir_reg sp = TW__MIR_M0 + RA_SP;
    if (fr->dynamic) add_distance(fr, block, ret, sp, TW__MIR_M0 + RA_FP, 0, sp)->frame = TW__FRAME_LEAVE;
    kept_access(fr, block, ret, false);
    if (fr->size)
        add_distance(fr, block, ret, sp, sp, fr->size, TW__MIR_M0 + 4)->frame =
            TW__FRAME_UP; /* $m4: no result, nothing else alive */
}

void tw__ra_frame(ra *r)
{
    tw__mir_function *f = r->f;
    framing fr = { .r = r, .dynamic = f->has_dynamic_stack };
    lay_out(&fr, f->own_objects);
    f->stack_bytes = fr.size;
    if (fr.size > MOST) r->problem = "the stack frame is larger than a tile's memory";
    for (uint32_t b = 0; b < f->block_count && !r->problem; b++)
        for (tw__mir_insn *insn = f->blocks[b].first, *next; insn; insn = next) {
            next = insn->next;
            if (insn->op == TW__MIR_ret) frame_leave(&fr, &f->blocks[b], insn);
            if (insn->op == TW__MIR_place) {
                expand_place(&fr, &f->blocks[b], insn);
                continue;
            }
            for (unsigned k = 0; k < insn->count; k++)
                if (insn->operands[k].kind == TW__MIR_FRAME) set_base(&fr, insn, k);
        }
    frame_enter(&fr);
}

/* --- far objects, before registers are chosen ------------------------------------------------------------------- */

/* Where offsets may not reach an object, or its address is not known before the function runs, its address is
 * calculated. */
void tw__ra_far_objects(ra *r)
{
    tw__mir_function *f = r->f;
    uint64_t reach = 4096; /* what ra itself may need */
    for (uint32_t i = 0; i < f->object_count; i++) reach += f->objects[i].size + f->objects[i].align;
    for (uint32_t b = 0; b < f->block_count; b++)
        for (tw__mir_insn *insn = f->blocks[b].first; insn; insn = insn->next) {
            const tw_isa_row *row = tw__mir_row(insn);
            if (!row || insn->count != 4 || insn->operands[3].kind != TW__MIR_FRAME) continue;
            tw__mir_operand *o = &insn->operands[3];
            const tw__mir_frame_object *object = &f->objects[o->index];
            unsigned size = row->accesses[0] & (TW_ISA_STORE - 1u);
            bool floats = object->kind == TW__MIR_LOCAL && object->align > 8;
            if (!floats && (reach < 4095u * size || object->kind == TW__MIR_OUTGOING)) continue;
            tw__mir_reg reg = tw__mir_new_reg(r->mir, f, TW__MIR_MAIN, 1);
            tw__mir_insn *place = tw__mir_insert(r->mir, &f->blocks[b], insn, TW__MIR_place, 2);
            place->operands[0] = tw__mir_write(reg, 1);
            place->operands[1] = *o;
            insn->operands[1] = tw__mir_read(reg, 1);
            *o = tw__mir_const(0);
        }
}
