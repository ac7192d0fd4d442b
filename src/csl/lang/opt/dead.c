/* SPDX-License-Identifier: MIT */
/* dead: instructions whose results nobody wants, moves that their producer can do, 32-bit arithmetic of which only
 * the low word is wanted, and fields of bits that are scaled. */
#include "csl/lang/opt/local.h"

/* The same on 16 bits; false = there is no such instruction. */
static bool dead_narrow(tw__csl_insn *i)
{
    unsigned type;
    enum opt_family family = tw__opt_family(i->op, &type);
    unsigned half = type & 1 ? TW__CSL_N_I16 : TW__CSL_N_U16;
    if (type <= TW__CSL_N_I16) return false;
    switch (family) {
    case OPT_ADD:
    case OPT_SUB:
    case OPT_MUL:
    case OPT_SHL:
    case OPT_ADDI:
    case OPT_MULI:
    case OPT_SHLI:
    case OPT_NEG:
    case OPT_NOT:
    case OPT_WRAP:
    case OPT_LD:
    case OPT_LDA: i->op = (uint16_t)tw__opt_op(family, half); return true; /* memory: the low word comes first */
    default: return false;
    }
}

static bool reads_by_name(tw__csl_insn i, uint32_t reg)
{
    const uint16_t at[3] = { i.a, i.b, i.c };
    for (unsigned k = 0; k < 3; k++)
        if (tw__opt_reads_operand(i, k) && at[k] == reg) return true;
    return false;
}

static void rename_reads(tw__csl_insn *i, uint32_t from, uint32_t to)
{
    uint16_t *const at[3] = { &i->a, &i->b, &i->c };
    for (unsigned k = 0; k < 3; k++)
        if (tw__opt_reads_operand(*i, k) && *at[k] == from) *at[k] = (uint16_t)to;
}

/* All reads of `reg` in i are by name. */
static bool renameable(const opt *o, const opt_function *f, tw__csl_insn i, uint32_t reg)
{
    if (!tw__opt_asks(o, f, i, reg)) return true;
    tw__csl_insn probe = i;
    rename_reads(&probe, reg, reg + 1);
    return reads_by_name(i, reg) && !tw__opt_asks(o, f, probe, reg);
}

/* `mov to, from` at `at`: the instruction before it that makes `from` makes `to` instead, and those between and
 * behind read `to`. The block ends before `end`; `live` is what is live behind it. */
static bool coalesce(const opt *o, opt_function *f, uint32_t first, uint32_t at, uint32_t end, const uint64_t *live)
{
    opt_insn *list = f->insns;
    uint32_t to = list[at].insn.a, from = list[at].insn.b, made = at;
    if (to == from) return false;
    for (;;) {
        if (made-- == first) return false;
        tw__csl_insn i = list[made].insn;
        if (tw__opt_takes(o, i, from)) break;
        if (tw__opt_asks(o, f, i, to) || tw__opt_takes(o, i, to) || !renameable(o, f, i, from)) return false;
    }
    tw__csl_insn maker = list[made].insn;
    if (!tw__opt_writes_a(maker) || maker.a != from || tw__opt_is_cmov(maker)) return false;
    uint32_t last = at + 1;
    bool over = false; /* `from` gets another value before the block ends */
    for (; last < end; last++) {
        tw__csl_insn i = list[last].insn;
        if (!renameable(o, f, i, from)) return false;
        over = tw__opt_takes(o, i, from);
        if (over) {
            last++;
            break;
        }
        if (tw__opt_takes(o, i, to)) { /* nobody may want `from` from here on */
            for (uint32_t k = last + 1; k < end && !over; k++) {
                if (tw__opt_asks(o, f, list[k].insn, from)) return false;
                over = tw__opt_takes(o, list[k].insn, from);
            }
            if (tw__opt_is_cmov(i) && tw__opt_asks(o, f, i, from)) return false;
            if (!over && tw__opt_has(live, from)) return false;
            over = true;
            last++;
            break;
        }
    }
    if (!over && tw__opt_has(live, from)) return false;
    list[made].insn.a = (uint16_t)to;
    for (uint32_t k = made + 1; k < last; k++) rename_reads(&list[k].insn, from, to);
    list[at].insn.op = OPT_NONE;
    return true;
}

/* The one instruction that reads what `at` makes; 0 = there is none, or more, or not in this block. */
static uint32_t only_reader(const opt *o, const opt_function *f, uint32_t at, uint32_t end, const uint64_t *live)
{
    uint32_t reg = f->insns[at].insn.a, found = 0;
    for (uint32_t k = at + 1; k < end; k++) {
        tw__csl_insn i = f->insns[k].insn;
        if (tw__opt_asks(o, f, i, reg)) {
            if (found || !renameable(o, f, i, reg)) return 0;
            found = k;
        }
        if (tw__opt_takes(o, i, reg)) return found;
    }
    return tw__opt_has(live, reg) ? 0 : found;
}

/* A field of bits that becomes an index: (x >> s & m) << b is x >> s - b & m << b. */
static bool scale_field(const opt *o, opt_function *f, uint32_t at, uint32_t end, const uint64_t *live)
{
    unsigned type;
    uint32_t and = only_reader(o, f, at, end, live), scale = and ? only_reader(o, f, and, end, live) : 0;
    if (!scale) return false;
    tw__csl_insn *shift = &f->insns[at].insn, *mask = &f->insns[and].insn, *last = &f->insns[scale].insn;
    if (mask->op != TW__CSL_I_ANDI || tw__opt_family(last->op, &type) != OPT_SHLI || type < TW__CSL_N_U16)
        return false;
    uint64_t field = (uint64_t)mask->c << (last->c & 31);
    if (last->c == 0 || last->c > shift->c || field > UINT16_MAX || tw__opt_wrap(type, field) != field)
        return false;
    shift->c = (uint16_t)(shift->c - last->c);
    mask->c = (uint16_t)field;
    *last = (tw__csl_insn){ TW__CSL_I_MOV, last->a, last->b, 0 };
    return true;
}

typedef struct any {
    const uint64_t *live;
    bool wanted;
} any;

static void is_live(void *user, uint32_t first, uint32_t count)
{
    any *a = user;
    for (uint32_t r = first; r < first + count; r++) a->wanted |= tw__opt_has(a->live, r);
}

static bool sweep(opt *o, opt_function *f, const opt_blocks *b, const opt_block *block, size_t number)
{
    bool changed = false;
    uint64_t *live = b->work, *high = b->work + b->words;
    memcpy(live, b->live_out + number * b->words, b->words * sizeof *live);
    memcpy(high, b->high_out + number * b->words, b->words * sizeof *high);
    for (uint32_t at = block->first + block->count; at-- > block->first;) {
        tw__csl_insn *i = &f->insns[at].insn;
        if (i->op == OPT_NONE) continue;
        any a = { live, false };
        tw__opt_writes(o, *i, is_live, &a);
        bool itself = i->op == TW__CSL_I_MOV && i->a == i->b;
        if ((tw__opt_pure(*i) && !a.wanted) || itself) {
            i->op = OPT_NONE;
            changed = true;
            continue;
        }
        if (tw__opt_writes_a(*i) && a.wanted && !tw__opt_has(high, i->a)) changed |= dead_narrow(i);
        tw__opt_step_back(o, f, *i, live, high);
    }
    return changed;
}

bool tw__opt_dead(opt *o, opt_function *f)
{
    opt_blocks b;
    bool changed = false, good = tw__opt_find_blocks(o, f, &b) && tw__opt_liveness(o, f, &b);
    for (size_t k = 0; good && k < b.count; k++) changed |= sweep(o, f, &b, &b.blocks[k], k);
    for (size_t k = 0; good && k < b.count; k++) {
        uint32_t first = b.blocks[k].first, end = first + b.blocks[k].count;
        for (uint32_t at = first; at < end; at++)
            if (f->insns[at].insn.op == TW__CSL_I_MOV)
                changed |= coalesce(o, f, first, at, end, b.live_out + k * b.words);
            else if (f->insns[at].insn.op == TW__CSL_I_SHRI || f->insns[at].insn.op == TW__CSL_I_SARI)
                changed |= scale_field(o, f, at, end, b.live_out + k * b.words);
    }
    tw__opt_free_blocks(&b);
    tw__opt_compact(o, f);
    return changed;
}

/* --- registers of their own ----------------------------------------------------------------------------------- */

enum { POOL = 48 };

/* The instruction from which on the value that `at` makes is not in its register any more; 0 = it outlives the block,
 * or is read in a way that does not let the register change. Windows of calls lie above: no value may cross one. */
static uint32_t overwritten(const opt *o, const opt_function *f, uint32_t at, uint32_t end)
{
    uint32_t reg = f->insns[at].insn.a;
    bool window = false, used = false;
    for (uint32_t k = at + 1; k < end; k++) {
        tw__csl_insn i = f->insns[k].insn;
        if (!renameable(o, f, i, reg) || (tw__opt_is_cmov(i) && i.a == reg)) return 0;
        bool here = reads_by_name(i, reg);
        if (here && window) return 0;
        used |= here;
        if (tw__opt_takes(o, i, reg)) return used ? k : 0;
        window |= tw__opt_lost_from(i) != UINT32_MAX;
    }
    return 0;
}

typedef struct pool {
    uint32_t first;
    bool used[POOL];
} pool;

static void mark_used(void *user, uint32_t first, uint32_t count)
{
    pool *p = user;
    for (uint32_t r = first; r < first + count; r++)
        if (r >= p->first && r - p->first < POOL) p->used[r - p->first] = true;
}

static bool split_block(const opt *o, opt_function *f, const opt_blocks *b, size_t number)
{
    pool p = { .first = f->pool };
    uint32_t first = b->blocks[number].first, end = first + b->blocks[number].count;
    const uint64_t *in = b->live_in + number * b->words, *out = b->live_out + number * b->words;
    for (uint32_t r = f->pool; r < f->registers && r - f->pool < POOL && r / 64 < b->words; r++)
        p.used[r - f->pool] = tw__opt_has(in, r) || tw__opt_has(out, r);
    for (uint32_t at = first; at < end; at++) {
        tw__opt_reads(o, f, f->insns[at].insn, mark_used, &p);
        tw__opt_writes(o, f->insns[at].insn, mark_used, &p);
    }
    bool changed = false;
    unsigned next = 0;
    for (uint32_t at = first; at < end; at++) {
        tw__csl_insn *i = &f->insns[at].insn;
        if (!tw__opt_writes_a(*i) || tw__opt_is_cmov(*i) || i->a >= f->pool) continue;
        uint32_t last = overwritten(o, f, at, end);
        while (next < POOL && p.used[next]) next++;
        if (!last || next == POOL) continue;
        uint32_t to = f->pool + next++;
        for (uint32_t k = at + 1; k <= last; k++) rename_reads(&f->insns[k].insn, i->a, to);
        i->a = (uint16_t)to;
        if (f->registers <= to) f->registers = to + 1;
        changed = true;
    }
    return changed;
}

/* A register that is used for several values in a block gets a name for each, so that a value may be wanted again
 * later. */
bool tw__opt_split(opt *o, opt_function *f)
{
    opt_blocks b;
    bool changed = false, good = tw__opt_find_blocks(o, f, &b) && tw__opt_liveness(o, f, &b);
    for (size_t k = 0; good && k < b.count; k++) changed |= split_block(o, f, &b, k);
    tw__opt_free_blocks(&b);
    return changed;
}
