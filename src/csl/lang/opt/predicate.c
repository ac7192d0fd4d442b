/* SPDX-License-Identifier: MIT */
/* predicate: one or two moves that a jump leads around become conditional moves. */
#include "csl/lang/opt/local.h"

enum { MOST_MOVES = 2 };

static bool is_move(tw__csl_insn i)
{
    return i.op == TW__CSL_I_MOV || i.op == TW__CSL_I_LDI || i.op == TW__CSL_I_LDK || i.op == TW__CSL_I_LDP;
}

/* Moves from `at` on, up to a label or something else; OPT_NONE does not occur. */
static unsigned moves(const opt_function *f, const uint8_t *target, size_t at)
{
    unsigned n = 0;
    while (n <= MOST_MOVES && at + n < f->insn_count && is_move(f->insns[at + n].insn) &&
           (n == 0 || !target[at + n]))
        n++;
    return n;
}

/* Puts the condition under which `jump` is not taken into a register; `inverse`: it is the opposite one that lies
 * there. Code goes to the end of `out`. */
static uint16_t condition(opt *o, opt_function *out, const opt_insn *jump, uint32_t fresh, bool *inverse)
{
    tw__csl_insn i = jump->insn;
    *inverse = i.op == TW__CSL_I_JT;
    if (i.op == TW__CSL_I_JT || i.op == TW__CSL_I_JF) return i.a;
    tw__csl_insn not_taken = tw__opt_opposite(i);
    opt_insn x = *jump;
    x.to = -1;
    x.insn = (tw__csl_insn){ (uint16_t)(TW__CSL_I_EQ + (not_taken.op - TW__CSL_I_JEQ)), (uint16_t)fresh,
                             not_taken.a, not_taken.b };
    tw__opt_append(o, out, x);
    return (uint16_t)fresh;
}

/* A move, done only under the condition. Constants go to a register of their own first. */
static void predicated(opt *o, opt_function *out, opt_insn x, uint16_t c, bool inverse, uint32_t spare)
{
    uint16_t from = x.insn.b;
    if (x.insn.op != TW__CSL_I_MOV) {
        opt_insn load = x;
        load.insn.a = from = (uint16_t)spare;
        tw__opt_append(o, out, load);
    }
    x.insn = (tw__csl_insn){ inverse ? TW__CSL_I_CMOVN : TW__CSL_I_CMOV, x.insn.a, from, c };
    tw__opt_append(o, out, x);
}

static bool touches(const opt_insn *list, unsigned n, uint16_t reg)
{
    for (unsigned k = 0; k < n; k++)
        if (list[k].insn.a == reg) return true;
    return false;
}

/* A jump, its moves, and perhaps the moves of the other branch: 0 = not of this form, else instructions taken. */
typedef struct shape {
    const opt_insn *then, *other; /* done when the jump is not taken; when it is */
    unsigned then_count, other_count;
    size_t length;
} shape;

static bool predicate_find(const opt_function *f, const uint8_t *target, size_t at, shape *s)
{
    const opt_insn *jump = &f->insns[at];
    if (!tw__opt_conditional(jump->insn) || target[at + 1]) return false;
    unsigned n = moves(f, target, at + 1);
    if (n == 0 || n > MOST_MOVES) return false;
    size_t behind = at + 1 + n;
    *s = (shape){ .then = jump + 1, .then_count = n, .length = n + 1 };
    if (jump->to == (int32_t)behind) return true;
    if (behind + 1 >= f->insn_count || target[behind] || f->insns[behind].insn.op != TW__CSL_I_JMP ||
        jump->to != (int32_t)behind + 1 || target[behind + 1] != 1)
        return false;
    unsigned m = moves(f, target, behind + 1);
    if (m == 0 || m > MOST_MOVES || f->insns[behind].to != (int32_t)(behind + 1 + m)) return false;
    s->other = &f->insns[behind + 1];
    s->other_count = m;
    s->length = n + 2 + m;
    return true;
}

/* What the jump compares, and what is moved, must not change on the way. */
static bool safe(const opt_insn *jump, const shape *s)
{
    bool test = jump->insn.op == TW__CSL_I_JT || jump->insn.op == TW__CSL_I_JF;
    if (test && (touches(s->then, s->then_count, jump->insn.a) || touches(s->other, s->other_count, jump->insn.a)))
        return false;
    if (s->other_count && !test &&
        (touches(s->other, s->other_count, jump->insn.a) || touches(s->other, s->other_count, jump->insn.b)))
        return false;
    for (unsigned k = 0; k < s->then_count; k++) /* the other branch's moves come first */
        if (s->then[k].insn.op == TW__CSL_I_MOV && touches(s->other, s->other_count, s->then[k].insn.b))
            return false;
    for (unsigned k = 0; k < s->other_count; k++) {
        uint16_t to = s->other[k].insn.a;
        if (!touches(s->then, s->then_count, to)) return false; /* it would be done on both ways */
    }
    return true;
}

bool tw__opt_predicate(opt *o, opt_function *f)
{
    uint8_t *target = tw__calloc(f->insn_count + 2, 1); /* jumps that lead there, at most 2 counted */
    uint32_t *place = tw__calloc(f->insn_count + 1, sizeof *place);
    opt_function out = { 0 };
    bool changed = false;
    if (!target || !place) o->failed = true;
    for (size_t k = 0; !o->failed && k < f->insn_count; k++)
        if (f->insns[k].to >= 0 && target[f->insns[k].to] < 2) target[f->insns[k].to]++;
    uint32_t fresh = f->registers;
    for (size_t k = 0; !o->failed && k < f->insn_count;) {
        shape s;
        place[k] = (uint32_t)out.insn_count;
        const opt_insn *jump = &f->insns[k];
        if (fresh + 2 > 4000 || !predicate_find(f, target, k, &s) || !safe(jump, &s)) {
            tw__opt_append(o, &out, *jump);
            k++;
            continue;
        }
        bool inverse;
        uint16_t c = condition(o, &out, jump, fresh, &inverse);
        for (unsigned m = 0; m < s.other_count; m++) tw__opt_append(o, &out, s.other[m]);
        for (unsigned m = 0; m < s.then_count; m++) predicated(o, &out, s.then[m], c, inverse, fresh + 1);
        if (f->registers < fresh + 2) f->registers = fresh + 2;
        k += s.length;
        changed = true;
    }
    for (size_t k = 0; !o->failed && k < out.insn_count; k++)
        if (out.insns[k].to >= 0) out.insns[k].to = (int32_t)place[out.insns[k].to];
    free(target);
    free(place);
    free(f->insns);
    f->insns = out.insns;
    f->insn_count = out.insn_count;
    f->insn_room = out.insn_room;
    return changed;
}
