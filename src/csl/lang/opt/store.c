/* SPDX-License-Identifier: MIT */
/* store: stores that nobody sees before the next one to the same variable. Only variables that are the program's own
 * are looked at: what an operation in the background or the host may read is written each time. What waits, may
 * stop the PE on purpose or runs other code sees all. */
#include "csl/lang/opt/local.h"

enum { SLOTS = 64 };

typedef struct stores {
    opt *o;
    opt_function *f;
    opt_bytes slot[SLOTS]; /* that are stored to as a whole */
    unsigned count;
    uint64_t all;
} stores;

static bool is_fixed_store(tw__csl_insn i)
{
    return tw__opt_family(i.op, &(unsigned){ 0 }) == OPT_STA;
}

/* Slots that an access to these bytes may meet. */
static uint64_t met(const stores *s, opt_bytes bytes)
{
    uint64_t found = 0;
    for (unsigned k = 0; k < s->count; k++)
        if (tw__opt_may_meet(s->slot[k], bytes)) found |= 1ull << k;
    return found;
}

static void find_slots(stores *s)
{
    for (size_t k = 0; k < s->f->insn_count; k++) {
        opt_bytes bytes = tw__opt_touches(&s->f->insns[k]);
        if (is_fixed_store(s->f->insns[k].insn) && s->count < SLOTS && tw__opt_is_own(s->o, bytes) &&
            !met(s, bytes))
            s->slot[s->count++] = bytes;
    }
    s->all = s->count == SLOTS ? UINT64_MAX : (1ull << s->count) - 1;
}

/* The slot that a store writes, all of it; 0 = none. */
static uint64_t written_slot(const stores *s, const opt_insn *x)
{
    opt_bytes bytes = tw__opt_touches(x);
    uint64_t which = met(s, bytes);
    if (!which || (which & (which - 1))) return 0;
    const opt_bytes *slot = &s->slot[__builtin_ctzll(which)];
    return bytes.low <= slot->low && bytes.high >= slot->high ? which : 0;
}

/* From the slots that are read behind an instruction to those that are before it. */
static uint64_t store_back(const stores *s, const opt_insn *x, uint64_t seen)
{
    tw__csl_insn i = x->insn;
    switch (tw__opt_family(i.op, &(unsigned){ 0 })) {
    case OPT_STA: return seen & ~written_slot(s, x);
    case OPT_ST:
    case OPT_STX: return seen;
    case OPT_LD:
    case OPT_LDA:
    case OPT_LDX: return seen | met(s, tw__opt_touches(x));
    case OPT_PLAIN: break;
    default: return seen;
    }
    switch (i.op) {
    case OPT_INDEX:
    case OPT_NONE:
    case TW__CSL_I_STDSD:
    case TW__CSL_I_STDSDA:
    case TW__CSL_I_ACTIVATE:
    case TW__CSL_I_BLOCK:
    case TW__CSL_I_UNBLOCK: return seen;
    case TW__CSL_I_LDDSD:
    case TW__CSL_I_LDDSDA: return seen | met(s, tw__opt_touches(x));
    default: return tw__opt_pure(i) || tw__opt_is_jump(i) ? seen : s->all;
    }
}

static uint64_t store_sweep(const stores *s, const opt_block *b, uint64_t seen, bool remove, bool *changed)
{
    for (uint32_t at = b->first + b->count; at-- > b->first;) {
        opt_insn *x = &s->f->insns[at];
        uint64_t slot = is_fixed_store(x->insn) ? written_slot(s, x) : 0;
        if (remove && slot && !(seen & slot)) {
            x->insn = (tw__csl_insn){ OPT_NONE, 0, 0, 0 };
            *changed = true;
            continue;
        }
        seen = store_back(s, x, seen);
    }
    return seen;
}

bool tw__opt_stores(opt *o, opt_function *f)
{
    stores s = { .o = o, .f = f };
    opt_blocks b;
    bool changed = false;
    find_slots(&s);
    if (!s.count) return false;
    uint64_t *in = tw__opt_find_blocks(o, f, &b) ? tw__calloc(b.count + 1, sizeof *in) : NULL;
    if (!in) o->failed = true;
    /* grows until nothing changes; the last time what is not seen goes */
    for (unsigned last = 0; in && last < 2; last++)
        for (bool again = true; again;) {
            again = false;
            for (size_t k = b.count; k-- > 0;) {
                uint64_t out = b.blocks[k].next[0] < 0 && b.blocks[k].next[1] < 0 ? s.all : 0;
                for (unsigned e = 0; e < 2; e++) out |= b.blocks[k].next[e] >= 0 ? in[b.blocks[k].next[e]] : 0;
                uint64_t before = store_sweep(&s, &b.blocks[k], out, last == 1, &changed);
                again |= !last && before != in[k];
                in[k] = last ? in[k] : before;
            }
        }
    tw__opt_free_blocks(&b);
    free(in);
    if (changed) tw__opt_compact(o, f);
    return changed;
}
