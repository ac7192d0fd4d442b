/* SPDX-License-Identifier: MIT */
/* memory: which loads, stores and operations may meet in memory. */
#include "csl/lang/opt/local.h"

/* Whose address was asked for, by pointers, descriptors or exports, was marked while the code was made (sema). */
bool tw__opt_find_own(opt *o)
{
    const tw__csl_program *p = o->p;
    o->own = tw__calloc(TW__CSL_PE_BYTES / 64, sizeof *o->own);
    if (!o->own) return false;
    for (size_t k = 0; k < p->symbol_count; k++) {
        const tw__csl_symbol *s = &p->symbols[k];
        uint32_t end = s->address + s->bytes < TW__CSL_PE_BYTES ? s->address + s->bytes : TW__CSL_PE_BYTES;
        for (uint32_t at = s->address; !s->addressed && at < end; at++) tw__opt_add(o->own, at);
    }
    return true;
}

bool tw__opt_is_own(const opt *o, opt_bytes bytes)
{
    if (bytes.high == 0 || bytes.high > TW__CSL_PE_BYTES) return false;
    for (uint32_t at = bytes.low; at < bytes.high; at++)
        if (!tw__opt_has(o->own, at)) return false;
    return true;
}

/* A pointer may lead to any variable, also to one whose address nobody took: published programs load such a variable
 * again behind each store by a pointer (docs/wse.md), so the vendor's compiler takes that for granted, too. */
bool tw__opt_may_meet(opt_bytes a, opt_bytes b)
{
    return !a.high || !b.high || (a.low < b.high && b.low < a.high);
}

opt_bytes tw__opt_touches(const opt_insn *x)
{
    unsigned type;
    enum opt_family family = tw__opt_family(x->insn.op, &type);
    uint32_t at = tw__csl_wide(x->insn);
    if (family == OPT_LDA || family == OPT_STA) return (opt_bytes){ at, at + tw__opt_bits(type) / 8 };
    if (x->insn.op == TW__CSL_I_LDDSDA || x->insn.op == TW__CSL_I_STDSDA)
        return (opt_bytes){ at, at + (uint32_t)sizeof(tw__csl_dsd) };
    return (opt_bytes){ x->low, x->high };
}

opt_effect tw__opt_effect(tw__csl_insn i)
{
    switch (i.op) {
    case TW__CSL_I_CALL:
    case TW__CSL_I_CALLI:
    case TW__CSL_I_MAP: return OPT_CALLS;
    case TW__CSL_I_DSDOP:
    case TW__CSL_I_SYS:
    case TW__CSL_I_COPY:
    case TW__CSL_I_FILL:
    case TW__CSL_I_SET_CONFIG: return OPT_CHANGES;
    default: return OPT_KEEPS;
    }
}

bool tw__opt_may_mask(const opt_insn *x)
{
    if (tw__opt_effect(x->insn) != OPT_KEEPS) return x->insn.op != TW__CSL_I_DSDOP;
    if (!tw__opt_is_store(x->insn)) return false;
    opt_bytes bytes = tw__opt_touches(x);
    return bytes.high == 0 || bytes.high > TW__CSL_PE_BYTES; /* a pointer: perhaps the register */
}

bool tw__opt_is_store(tw__csl_insn i)
{
    enum opt_family family = tw__opt_family(i.op, &(unsigned){ 0 });
    return family == OPT_ST || family == OPT_STA || family == OPT_STX || i.op == TW__CSL_I_STDSD ||
           i.op == TW__CSL_I_STDSDA;
}

bool tw__opt_may_raise(tw__csl_insn i)
{
    enum opt_family family = tw__opt_family(i.op, &(unsigned){ 0 });
    return family == OPT_TRUNC || (family >= OPT_FADD && family < OPT_FLOAT_END);
}
