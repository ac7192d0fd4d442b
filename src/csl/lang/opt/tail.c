/* SPDX-License-Identifier: MIT */
/* tail: a call behind which a function has nothing to do but return what the call gave. A function that ends so in
 * itself becomes a loop; in another one, a jump there that takes over the frame. Either way recursion needs no stack.
 * Functions with variables on the stack keep their calls: whoever is called may have a pointer to one. */
#include "csl/lang/opt/local.h"

enum { LONGEST_WAY = 16 };

/* From behind the call to a return, with nothing but moves on the way: is what lies in `from` returned? */
static bool returns_it(const opt_function *f, uint32_t at, uint32_t from, bool any)
{
    for (unsigned steps = 0; steps < LONGEST_WAY && at < f->insn_count; steps++) {
        const opt_insn *x = &f->insns[at];
        switch (x->insn.op) {
        case TW__CSL_I_RET: return !any || from == 0;
        case TW__CSL_I_JMP: at = (uint32_t)x->to; continue;
        case TW__CSL_I_MOV:
            if (x->insn.b == from)
                from = x->insn.a;
            else if (x->insn.a == from)
                return false;
            break;
        case TW__CSL_I_NOP:
        case OPT_NONE: break;
        default: return false;
        }
        at++;
    }
    return false;
}

static bool ends_in_call(const opt *o, const opt_function *f, uint32_t at)
{
    const opt_insn *x = &f->insns[at];
    if (x->insn.op != TW__CSL_I_CALL || f->stack_bytes) return false;
    const opt_function *callee = &o->functions[tw__csl_wide(x->insn)];
    return callee->results == f->results && f->results <= 1 && returns_it(f, at + 1, x->insn.a, f->results == 1);
}

static bool keep_lists(opt *o, opt_function *f, opt_function *out, const uint32_t *place)
{
    for (size_t k = 0; !o->failed && k < out->insn_count; k++)
        if (out->insns[k].to >= 0) out->insns[k].to = (int32_t)place[out->insns[k].to];
    if (o->failed) {
        free(out->insns);
        return false;
    }
    free(f->insns);
    f->insns = out->insns;
    f->insn_count = out->insn_count;
    f->insn_room = out->insn_room;
    return true;
}

bool tw__opt_recursion(opt *o, uint32_t number)
{
    opt_function *f = &o->functions[number], out = { 0 };
    bool any = false;
    for (uint32_t k = 0; k < f->insn_count; k++)
        any |= tw__csl_wide(f->insns[k].insn) == number && ends_in_call(o, f, k);
    uint32_t *place = any ? tw__calloc(f->insn_count + 1, sizeof *place) : NULL;
    if (!any) return false;
    if (!place) {
        o->failed = true;
        return false;
    }
    for (uint32_t k = 0; k < f->insn_count; k++) {
        opt_insn x = f->insns[k];
        place[k] = (uint32_t)out.insn_count;
        if (tw__csl_wide(x.insn) != number || !ends_in_call(o, f, k)) {
            tw__opt_append(o, &out, x);
            continue;
        }
        /* a parameter lies below the argument for it: none is overwritten before it is read */
        uint16_t window = x.insn.a;
        x.origin = 0;
        for (uint16_t p = 0; window && p < f->params; p++) {
            x.insn = (tw__csl_insn){ TW__CSL_I_MOV, p, (uint16_t)(window + p), 0 };
            tw__opt_append(o, &out, x);
        }
        x.insn = (tw__csl_insn){ TW__CSL_I_JMP, 0, 0, 0 };
        x.to = 0;
        tw__opt_append(o, &out, x);
        f->calls--;
    }
    bool good = keep_lists(o, f, &out, place);
    free(place);
    return good;
}

void tw__opt_tail(opt *o, opt_function *f)
{
    bool any = false;
    for (uint32_t k = 0; k < f->insn_count; k++)
        if (ends_in_call(o, f, k)) f->insns[k].insn.op = TW__CSL_I_TAIL, any = true;
    if (any) tw__opt_flow(o, f); /* what stood behind it */
}
