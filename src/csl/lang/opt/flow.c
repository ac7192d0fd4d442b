/* SPDX-License-Identifier: MIT */
/* flow: blocks, what is live at their ends, and jumps that may go. */
#include "csl/lang/opt/local.h"

/* --- blocks --------------------------------------------------------------------------------------------------- */

static void count_edges(opt_blocks *b)
{
    for (size_t k = 0; k < b->count; k++) b->blocks[k].only = -1;
    if (b->count) b->blocks[0].from = 1;
    for (size_t k = 0; k < b->count; k++)
        for (unsigned e = 0; e < 2; e++) {
            int32_t to = b->blocks[k].next[e];
            if (to < 0) continue;
            b->blocks[to].only = b->blocks[to].from++ == 0 ? (int32_t)k : -1;
        }
}

bool tw__opt_find_blocks(opt *o, const opt_function *f, opt_blocks *b)
{
    *b = (opt_blocks){ .words = f->registers / 64 + 1 };
    uint32_t *starts = tw__calloc(f->insn_count + 1, sizeof *starts); /* then: block + 1 that starts here */
    size_t n = 0;
    if (starts) {
        starts[0] = 1;
        for (size_t k = 0; k < f->insn_count; k++) {
            if (f->insns[k].to >= 0) starts[f->insns[k].to] = 1;
            if (tw__opt_is_jump(f->insns[k].insn) || tw__opt_ends(f->insns[k].insn)) starts[k + 1] = 1;
        }
        for (size_t k = 0; k < f->insn_count; k++)
            if (starts[k]) starts[k] = (uint32_t)++n;
    }
    b->blocks = tw__calloc(n + 1, sizeof *b->blocks);
    if (!starts || !b->blocks) {
        o->failed = true;
        free(starts);
        free(b->blocks);
        b->blocks = NULL;
        return false;
    }
    b->count = n;
    for (size_t k = 0; k < f->insn_count; k++) {
        if (starts[k]) b->blocks[starts[k] - 1].first = (uint32_t)k;
        if (k + 1 < f->insn_count && !starts[k + 1]) continue;
        size_t at = k;
        while (!starts[at]) at--;
        opt_block *block = &b->blocks[starts[at] - 1];
        block->count = (uint32_t)(k + 1 - at);
        block->next[0] = tw__opt_ends(f->insns[k].insn) || k + 1 == f->insn_count ? -1 : (int32_t)starts[k + 1] - 1;
        block->next[1] = f->insns[k].to >= 0 ? (int32_t)starts[f->insns[k].to] - 1 : -1;
    }
    count_edges(b);
    free(starts);
    return true;
}

void tw__opt_free_blocks(opt_blocks *b)
{
    free(b->blocks);
    free(b->live_in);
    free(b->work);
}

/* --- liveness ------------------------------------------------------------------------------------------------- */

typedef struct marks {
    uint64_t *live, *high;
    bool low_only;
} marks;

static void mark_live(void *user, uint32_t first, uint32_t count)
{
    marks *m = user;
    for (uint32_t r = first; r < first + count; r++) {
        tw__opt_add(m->live, r);
        if (!m->low_only) tw__opt_add(m->high, r);
    }
}

static void unmark(void *user, uint32_t first, uint32_t count)
{
    marks *m = user;
    for (uint32_t r = first; r < first + count; r++) {
        tw__opt_remove(m->live, r);
        tw__opt_remove(m->high, r);
    }
}

/* The low 16 bits of the result hang on nothing but those of operand k (1 or 2, 0 of stores and checks). */
static bool low_from_low(tw__csl_insn i, unsigned k, bool result_low)
{
    unsigned type;
    switch (tw__opt_family(i.op, &type)) {
    case OPT_ADD:
    case OPT_SUB:
    case OPT_MUL:
    case OPT_ADDI:
    case OPT_MULI:
    case OPT_NEG:
    case OPT_NOT: return type == TW__CSL_N_U16 || type == TW__CSL_N_I16 || (type > TW__CSL_N_I16 && result_low);
    case OPT_WRAP: return type == TW__CSL_N_U16 || type == TW__CSL_N_I16 || (type > TW__CSL_N_I16 && result_low);
    case OPT_SHL:
    case OPT_SHLI:
        return k == 1 && (type == TW__CSL_N_U16 || type == TW__CSL_N_I16 || (type > TW__CSL_N_I16 && result_low));
    case OPT_LD:
    case OPT_LDX: return true; /* addresses have 16 bits */
    case OPT_ST: return k == 1 || type <= TW__CSL_N_I16;
    case OPT_STA: return type <= TW__CSL_N_I16;
    case OPT_STX: return k >= 1 || type <= TW__CSL_N_I16;
    default: break;
    }
    switch (i.op) {
    case TW__CSL_I_ANDI: return true;
    case TW__CSL_I_MOV:
    case TW__CSL_I_AND:
    case TW__CSL_I_OR:
    case TW__CSL_I_XOR: return result_low;
    case TW__CSL_I_CMOV:
    case TW__CSL_I_CMOVN: return k <= 1 && result_low;
    case TW__CSL_I_DSD_BASE: return k == 2;
    default: return false;
    }
}

void tw__opt_step_back(const opt *o, const opt_function *f, tw__csl_insn i, uint64_t *live, uint64_t *high)
{
    marks m = { live, high, false };
    if (i.op == OPT_NONE) return;
    bool result_low = tw__opt_writes_a(i) && !tw__opt_has(high, i.a);
    tw__opt_writes(o, i, unmark, &m);
    if (i.op == OPT_INDEX) m.low_only = true; /* an index has 16 bits: no array has more elements */
    if (i.op < TW__CSL_OPS) {
        /* what is read whole by any operand is wanted whole: those go last */
        const uint16_t at[3] = { i.a, i.b, i.c };
        const char *operands = tw__csl_op_rows[i.op].operands;
        bool plain = true;
        for (unsigned k = 0; k < 3; k++)
            plain &= operands[k] != 'S' && operands[k] != 'w' && operands[k] != 'X' && operands[k] != 'M' &&
                     operands[k] != 'R';
        if (plain && i.op != TW__CSL_I_RET) {
            for (unsigned k = 0; k < 3; k++) {
                bool reads = operands[k] == 's' || (tw__opt_is_cmov(i) && k == 0);
                m.low_only = low_from_low(i, k, result_low);
                if (reads) mark_live(&m, at[k], 1);
            }
            return;
        }
    }
    if (i.op != OPT_INDEX) m.low_only = false;
    tw__opt_reads(o, f, i, mark_live, &m);
}

/* Adds what is live before a block to a set; block < 0: nothing. */
static void flow_join(uint64_t *to, const uint64_t *from, int32_t block, size_t words)
{
    for (size_t k = 0; block >= 0 && k < words; k++) to[k] |= from[(size_t)block * words + k];
}

bool tw__opt_liveness(opt *o, const opt_function *f, opt_blocks *b)
{
    size_t words = b->words, bytes = words * sizeof(uint64_t);
    b->live_in = tw__calloc(4 * b->count * words + 1, sizeof *b->live_in); /* in, high in, out, high out */
    b->work = tw__calloc(2 * words, sizeof *b->work);
    if (!b->live_in || !b->work) {
        o->failed = true;
        return false;
    }
    uint64_t *in = b->live_in, *high_in = in + b->count * words, *out = high_in + b->count * words,
             *high_out = out + b->count * words;
    /* The sets grow until nothing changes: the more is wanted whole, the fewer results stay low. */
    for (bool again = true; again;) {
        again = false;
        for (size_t k = b->count; k-- > 0;) {
            const opt_block *block = &b->blocks[k];
            uint64_t *live = out + k * words, *high = high_out + k * words;
            for (unsigned e = 0; e < 2; e++) {
                flow_join(live, in, block->next[e], words);
                flow_join(high, high_in, block->next[e], words);
            }
            uint64_t *before = b->work, *high_before = b->work + words;
            memcpy(before, live, bytes);
            memcpy(high_before, high, bytes);
            for (uint32_t at = block->first + block->count; at-- > block->first;)
                tw__opt_step_back(o, f, f->insns[at].insn, before, high_before);
            if (memcmp(in + k * words, before, bytes) || memcmp(high_in + k * words, high_before, bytes))
                again = true;
            memcpy(in + k * words, before, bytes);
            memcpy(high_in + k * words, high_before, bytes);
        }
    }
    b->live_out = out;
    b->high_out = high_out;
    return true;
}

/* --- jumps ---------------------------------------------------------------------------------------------------- */

/* Where a jump to `at` ends up. */
static int32_t thread(const opt_function *f, int32_t at)
{
    for (unsigned k = 0; k < 16 && f->insns[at].insn.op == TW__CSL_I_JMP && f->insns[at].to != at; k++)
        at = f->insns[at].to;
    return at;
}

static bool remove_unreachable(opt *o, opt_function *f)
{
    uint8_t *seen = tw__calloc(f->insn_count + 1, 1);
    uint32_t *stack = tw__calloc(f->insn_count + 2, sizeof *stack);
    size_t n = 0;
    bool changed = false;
    if (!seen || !stack) {
        o->failed = true;
    } else {
        stack[n++] = 0;
        seen[0] = 1;
        while (n) {
            uint32_t at = stack[--n];
            const opt_insn *x = &f->insns[at];
            if (!tw__opt_ends(x->insn) && at + 1 < f->insn_count && !seen[at + 1])
                seen[at + 1] = 1, stack[n++] = at + 1;
            if (x->to >= 0 && !seen[x->to]) seen[x->to] = 1, stack[n++] = (uint32_t)x->to;
        }
        for (size_t k = 0; k < f->insn_count; k++)
            if (!seen[k]) f->insns[k].insn.op = OPT_NONE, f->insns[k].to = -1, changed = true;
    }
    free(seen);
    free(stack);
    return changed;
}

static void no_operation(opt_insn *x)
{
    x->insn = (tw__csl_insn){ TW__CSL_I_NOP, 0, 0, 0 };
    x->to = -1;
}

/* Straight to where it ends up; a jump to a return is one. */
static bool thread_all(opt_function *f)
{
    bool changed = false;
    for (size_t k = 0; k < f->insn_count; k++) {
        opt_insn *x = &f->insns[k];
        if (x->to < 0) continue;
        int32_t to = thread(f, x->to);
        changed |= to != x->to;
        x->to = to;
        if (x->insn.op != TW__CSL_I_JMP || f->insns[to].insn.op != TW__CSL_I_RET) continue;
        x->insn = f->insns[to].insn;
        x->to = -1;
        changed = true;
    }
    return changed;
}

/* A conditional jump around a jump: the other way round. */
static bool turn_around(opt *o, opt_function *f)
{
    bool changed = false;
    uint8_t *target = tw__calloc(f->insn_count + 1, 1);
    if (!target) {
        o->failed = true;
        return false;
    }
    for (size_t k = 0; k < f->insn_count; k++)
        if (f->insns[k].to >= 0) target[f->insns[k].to] = 1;
    for (size_t k = 0; k + 2 < f->insn_count; k++) {
        opt_insn *x = &f->insns[k];
        if (!tw__opt_conditional(x->insn) || x->to != (int32_t)k + 2 || x[1].insn.op != TW__CSL_I_JMP ||
            target[k + 1])
            continue;
        x->insn = tw__opt_opposite(x->insn);
        x->to = x[1].to;
        no_operation(&x[1]);
        changed = true;
    }
    free(target);
    return changed;
}

bool tw__opt_flow(opt *o, opt_function *f)
{
    bool changed = thread_all(f);
    changed |= turn_around(o, f);
    changed |= remove_unreachable(o, f);
    if (changed) tw__opt_compact(o, f);
    for (size_t k = 0; k < f->insn_count; k++) { /* to where it goes anyway */
        if (f->insns[k].to != (int32_t)k + 1) continue;
        no_operation(&f->insns[k]);
        changed = true;
    }
    return changed;
}
