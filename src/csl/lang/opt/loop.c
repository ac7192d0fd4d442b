/* SPDX-License-Identifier: MIT */
/* loop: loops whose counter is known. The first test goes where it is known to hold, counters of few values take 16
 * bits, short loops are unrolled. A loop is a stretch of code that ends with the jump back to its first instruction;
 * it is entered there, or by a jump right before it to its test. */
#include "csl/lang/opt/local.h"

enum { UNROLLED = 100, MOST_TRIPS = 64, MOST_INSNS = 3000 };

static int64_t constant_of(const opt_finder *x, tw__csl_insn i)
{
    return i.op == TW__CSL_I_LDI ? (int32_t)tw__csl_wide(i) : (int64_t)x->o->p->consts[tw__csl_wide(i)];
}

/* The values that `reg` may have before instruction `at`, from the straight code that leads there. */
static bool range_before(const opt_finder *x, uint32_t reg, uint32_t at, int64_t *low, int64_t *high)
{
    for (unsigned steps = 0; at-- > 0 && steps < 200;
         steps++) { /* what leads to `at` itself is known to the caller */
        tw__csl_insn i = x->f->insns[at].insn;
        if (tw__opt_ends(i)) return false;
        if (tw__opt_takes(x->o, i, reg)) {
            unsigned type;
            enum opt_family family = tw__opt_family(i.op, &type);
            if (i.op == TW__CSL_I_LDI || i.op == TW__CSL_I_LDK) {
                *low = *high = constant_of(x, i);
                return true;
            }
            bool typed = family < OPT_INT_END || family == OPT_LD || family == OPT_LDA || family == OPT_LDX;
            if (typed && type <= TW__CSL_N_I16) {
                *low = type & 1 ? -32768 : 0;
                *high = type & 1 ? 32767 : 65535;
                return true;
            }
            if (i.op != TW__CSL_I_MOV) return false;
            reg = i.b;
        }
        if (x->target[at]) return false;
    }
    return false;
}

/* What the test compares with: a constant right before it, or what nothing in the loop changes. */
static bool loop_limit_of(const opt_finder *x, const opt_loop *l, uint32_t reg, int64_t *low, int64_t *high)
{
    for (uint32_t k = l->end; k-- > l->top;) {
        tw__csl_insn i = x->f->insns[k].insn;
        if (tw__opt_takes(x->o, i, reg)) {
            if (i.op != TW__CSL_I_LDI) return false;
            *low = *high = constant_of(x, i);
            return true;
        }
        if (x->target[k]) break;
    }
    for (uint32_t k = l->top; k < l->end; k++)
        if (tw__opt_takes(x->o, x->f->insns[k].insn, reg)) return false;
    return range_before(x, reg, l->entry >= 0 ? (uint32_t)l->entry : l->top, low, high);
}

static bool test(unsigned op, int64_t a, int64_t b)
{
    switch (op) {
    case TW__CSL_I_JNE: return a != b;
    case TW__CSL_I_JLTS: return a < b;
    case TW__CSL_I_JLES: return a <= b;
    case TW__CSL_I_JLTU: return (uint64_t)a < (uint64_t)b;
    case TW__CSL_I_JLEU: return (uint64_t)a <= (uint64_t)b;
    default: return false;
    }
}

/* The one instruction that changes the counter: what it adds; false = there are others. */
static bool find_add(const opt_finder *x, opt_loop *l, uint16_t reg)
{
    bool found = false;
    for (uint32_t k = l->top; k < l->end; k++) {
        tw__csl_insn i = x->f->insns[k].insn;
        if (!tw__opt_takes(x->o, i, reg)) continue;
        unsigned type;
        if (found || tw__opt_family(i.op, &type) != OPT_ADDI || i.a != reg || i.b != reg || type < TW__CSL_N_U16)
            return false;
        found = true;
        l->counter = reg;
        l->add = k;
        l->step = (int16_t)i.c;
    }
    return found && l->step != 0;
}

/* The counter must be added to in each iteration: no jump of the loop leads around it. */
static bool always_added(const opt_finder *x, const opt_loop *l)
{
    for (uint32_t k = l->top; k < l->add; k++)
        if (x->f->insns[k].to > (int32_t)l->add && x->f->insns[k].to <= (int32_t)l->end) return false;
    for (uint32_t k = l->add + 1; k < l->end; k++)
        if (tw__opt_is_jump(x->f->insns[k].insn) || x->target[k]) {
            if (l->entry >= 0 && x->target[k] == 1 && x->f->insns[l->entry].to == (int32_t)k) continue;
            return false;
        }
    return true;
}

bool tw__opt_counted(const opt_finder *x, opt_loop *l)
{
    tw__csl_insn jump = x->f->insns[l->end].insn;
    int64_t first_low, first_high, limit_low, limit_high;
    if (jump.op < TW__CSL_I_JNE || jump.op > TW__CSL_I_JLEU) return false;
    bool swapped = !find_add(x, l, jump.a);
    if (swapped && !find_add(x, l, jump.b)) return false;
    uint16_t limit = swapped ? jump.a : jump.b;
    uint32_t before = l->entry >= 0 ? (uint32_t)l->entry : l->top;
    if (l->entry >= 0 && x->target[l->entry]) return false;
    if (!always_added(x, l) || !loop_limit_of(x, l, limit, &limit_low, &limit_high) ||
        !range_before(x, l->counter, before, &first_low, &first_high))
        return false;
    unsigned type;
    tw__opt_family(x->f->insns[l->add].insn.op, &type);
    l->known = first_low == first_high && limit_low == limit_high;
    if (!l->known) { /* up by one to a limit of 16 bits: it never gets past that */
        l->low = first_low;
        if (l->entry < 0) first_high++; /* the test comes after it */
        l->high = limit_high > first_high ? limit_high : first_high;
        return l->step == 1 && !swapped &&
               (jump.op == TW__CSL_I_JLTS || (jump.op == TW__CSL_I_JLTU && first_low >= 0));
    }
    l->first = l->low = l->high = first_low;
    l->limit = limit_low;
    int64_t v = l->first;
    bool once = l->entry < 0;
    for (l->trips = 0; l->trips <= 65536; l->trips++) {
        if (!once && !test(jump.op, swapped ? l->limit : v, swapped ? v : l->limit)) break;
        once = false;
        if (v < l->body_low || l->trips == 0) l->body_low = v;
        if (v > l->body_high || l->trips == 0) l->body_high = v;
        v += l->step;
        if ((int64_t)tw__opt_wrap(type, (uint64_t)v) != v) return false;
        if (v < l->low) l->low = v;
        if (v > l->high) l->high = v;
    }
    return l->trips <= 65536;
}

bool tw__opt_find_loop(const opt_finder *x, uint32_t end, opt_loop *l)
{
    const opt_function *f = x->f;
    *l = (opt_loop){ .end = end, .top = (uint32_t)f->insns[end].to, .entry = -1 };
    if (l->top > 0 && f->insns[l->top - 1].insn.op == TW__CSL_I_JMP && f->insns[l->top - 1].to > (int32_t)l->top &&
        f->insns[l->top - 1].to <= (int32_t)end)
        l->entry = (int32_t)l->top - 1;
    else if (l->top > 0 && tw__opt_ends(f->insns[l->top - 1].insn))
        return false;
    for (uint32_t k = 0; k < f->insn_count; k++) {
        int32_t to = f->insns[k].to;
        bool outside = k < l->top || k > end;
        if (to < (int32_t)l->top || to > (int32_t)end) continue;
        if (outside && (int32_t)k != l->entry) return false;
        if (!outside && to == (int32_t)l->top && k != end) return false;
    }
    return true;
}

static bool narrow_counter(opt_finder *x, const opt_loop *l)
{
    tw__csl_insn *i = &x->f->insns[l->add].insn;
    unsigned type;
    tw__opt_family(i->op, &type);
    if (type <= TW__CSL_N_I16) return false;
    if (l->low >= 0 && l->high <= 65535)
        i->op = TW__CSL_I_ADDI_U16;
    else if (l->low >= -32768 && l->high <= 32767)
        i->op = TW__CSL_I_ADDI_I16;
    else
        return false;
    return true;
}

/* Instructions of the body that stay when the counter is a constant. */
static uint32_t body_size(opt_finder *x, const opt_loop *l)
{
    uint8_t *known = tw__calloc(x->f->registers + 1, 1);
    uint32_t n = 0;
    if (!known) return UNROLLED + 1;
    known[l->counter] = 1;
    for (uint32_t k = l->top; k < l->end; k++) {
        tw__csl_insn i = x->f->insns[k].insn;
        if (i.op >= TW__CSL_OPS || k == l->add) continue;
        const char *operands = tw__csl_op_rows[i.op].operands;
        bool constant = i.op == TW__CSL_I_LDI || i.op == TW__CSL_I_LDK;
        bool folds = tw__opt_pure(i) && operands[0] == 'd' && operands[1] == 's' && known[i.b] &&
                     (operands[2] != 's' || known[i.c]) && !tw__opt_is_cmov(i) &&
                     tw__opt_family(i.op, &(unsigned){ 0 }) != OPT_LDX;
        bool moved = i.op == TW__CSL_I_MOV;
        if (tw__opt_writes_a(i)) known[i.a] = constant || folds;
        if (!constant && !folds && !moved && i.op != TW__CSL_I_NOP) n++;
    }
    free(known);
    return n;
}

/* The loop's instructions once for each trip, without tests. */
static void unroll(opt_finder *x, const opt_loop *l)
{
    opt_function *f = x->f, out = { 0 };
    uint32_t length = l->end + 1 - l->top, more = (uint32_t)(l->trips - 1) * length;
    for (uint32_t k = 0; k < l->top; k++) tw__opt_append(x->o, &out, f->insns[k]);
    for (uint64_t trip = 0; trip < l->trips; trip++)
        for (uint32_t k = l->top; k <= l->end; k++) {
            opt_insn one = f->insns[k];
            if (k == l->end) {
                one.insn = (tw__csl_insn){ TW__CSL_I_NOP, 0, 0, 0 };
                one.to = -1;
            } else if (one.to >= (int32_t)l->top && one.to <= (int32_t)l->end) {
                one.to += (int32_t)(trip * length);
            } else if (one.to > (int32_t)l->end) {
                one.to += (int32_t)more;
            }
            tw__opt_append(x->o, &out, one);
        }
    for (size_t k = l->end + 1; k < f->insn_count; k++) tw__opt_append(x->o, &out, f->insns[k]);
    if (x->o->failed) {
        free(out.insns);
        return;
    }
    for (size_t k = 0; k < out.insn_count; k++) {
        bool inside = k >= l->top && k < l->top + length * l->trips;
        if (!inside && out.insns[k].to > (int32_t)l->end) out.insns[k].to += (int32_t)more;
    }
    if (l->entry >= 0) {
        out.insns[l->entry].insn = (tw__csl_insn){ TW__CSL_I_NOP, 0, 0, 0 };
        out.insns[l->entry].to = -1;
    }
    free(f->insns);
    f->insns = out.insns;
    f->insn_count = out.insn_count;
    f->insn_room = out.insn_room;
}

/* Checks of the counter that cannot fail go. */
static bool drop_checks(opt_finder *x, const opt_loop *l)
{
    bool changed = false;
    for (uint32_t k = l->top; k < l->add; k++) {
        tw__csl_insn *i = &x->f->insns[k].insn;
        if (i->op != OPT_INDEX || i->a != l->counter || l->body_low < 0 ||
            l->body_high >= (int64_t)x->o->indices[tw__csl_wide(*i)].limit)
            continue;
        *i = (tw__csl_insn){ TW__CSL_I_NOP, 0, 0, 0 };
        changed = true;
    }
    return changed;
}

static bool improve(opt_finder *x, uint32_t end, bool *unrolled)
{
    opt_loop l;
    if (!tw__opt_find_loop(x, end, &l) || !tw__opt_counted(x, &l)) return false;
    bool changed = narrow_counter(x, &l);
    if (!l.known) return changed;
    changed |= drop_checks(x, &l);
    uint64_t size = body_size(x, &l);
    if (l.trips >= 1 && l.trips <= MOST_TRIPS && l.trips * size <= UNROLLED &&
        x->f->insn_count + l.trips * (l.end + 1 - l.top) <= MOST_INSNS) {
        unroll(x, &l);
        *unrolled = true;
        return true;
    }
    if (l.entry >= 0 && l.trips >= 1) {
        opt_insn *entry = &x->f->insns[l.entry];
        x->target[entry->to]--;
        entry->insn = (tw__csl_insn){ TW__CSL_I_NOP, 0, 0, 0 };
        entry->to = -1;
        changed = true;
    }
    return changed;
}

bool tw__opt_find_targets(opt_finder *x)
{
    const opt_function *f = x->f;
    x->target = tw__calloc(f->insn_count + 1, 1);
    if (!x->target) {
        x->o->failed = true;
        return false;
    }
    for (size_t k = 0; k < f->insn_count; k++)
        if (f->insns[k].to >= 0 && x->target[f->insns[k].to] < 255) x->target[f->insns[k].to]++;
    return true;
}

bool tw__opt_loops(opt *o, opt_function *f)
{
    opt_finder x = { .o = o, .f = f };
    bool changed = false, unrolled = false;
    if (!tw__opt_find_targets(&x)) return false;
    for (uint32_t k = 0; k < f->insn_count && !unrolled && !o->failed; k++) {
        const opt_insn *i = &f->insns[k];
        if (i->to >= 0 && i->to <= (int32_t)k && tw__opt_conditional(i->insn)) changed |= improve(&x, k, &unrolled);
    }
    free(x.target);
    return changed;
}
