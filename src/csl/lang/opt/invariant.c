/* SPDX-License-Identifier: MIT */
/* invariant: what every turn of a loop would compute or load again is done before the loop. A loop that may turn
 * zero times is entered by a copy of its test (as compilers rotate loops); where the test is too long for that,
 * only what cannot fail goes in front of it. What can fail, or report an index, goes only where the first turn
 * comes to it before anything else that can, or that has an effect; so that what is said, and of which line, stays
 * as it was. */
#include "csl/lang/opt/local.h"

enum { MOST_REGISTERS = 4000, LONGEST_TEST = 8, STORES = 48 };

typedef enum motion {
    STAYS,
    ALWAYS,      /* nobody notices when it is done in vain */
    WHEN_CERTAIN /* it can fail */
} motion;

typedef struct hoist {
    opt_finder x;
    opt_loop l;
    opt_blocks b;       /* found when it is first wanted */
    uint8_t *writes;    /* by register: instructions of the loop that write it, at most 2 */
    uint32_t *value;    /* by register: where what it holds lies that no turn changes, + 1; 0 = unknown */
    uint32_t *constant; /* by register: the instruction of the loop that made it a constant, + 1 */
    opt_insn *moved;    /* what goes in front of the loop; `to`: the instruction that it was */
    size_t moved_count, moved_room;
    size_t checks; /* of `moved`, how many: behind them are checks of indices that nothing asks for */
    opt_bytes stores[STORES];
    unsigned store_count;
    bool opaque;                     /* the loop has operations or calls, which may change anything */
    bool masks;                      /* it may change which exceptions of floating point stop the PE */
    bool waits;                      /* it may wait for what happens in the background */
    bool windows;                    /* registers of the optimiser's own are lost in it */
    bool counted;                    /* ... nothing but a counter ends it */
    bool guarded;                    /* a copy of the test comes first */
    opt_insn test[LONGEST_TEST + 1]; /* which is this one */
    unsigned test_count;
    bool certain; /* whoever enters the loop comes here before anything that can fail or is seen */
} hoist;

/* --- the loop ------------------------------------------------------------------------------------------------- */

static void count_write(void *user, uint32_t first, uint32_t count)
{
    uint8_t *writes = user;
    for (uint32_t r = first; r < first + count; r++)
        if (writes[r] < 2) writes[r]++;
}

static void note_memory(hoist *h, const opt_insn *x)
{
    enum opt_family family = tw__opt_family(x->insn.op, &(unsigned){ 0 });
    bool store = tw__opt_is_store(x->insn);
    h->opaque |= tw__opt_effect(x->insn) != OPT_KEEPS;
    h->masks |= tw__opt_may_mask(x);
    if (store && h->store_count < STORES)
        h->stores[h->store_count++] = tw__opt_touches(x);
    else if (store)
        h->opaque = true;
    else if (family == OPT_PLAIN && x->insn.op < TW__CSL_OPS && !tw__opt_pure(x->insn) && !tw__opt_is_jump(x->insn))
        h->waits = true;
}

/* A loop that anything else may end could look at what an operation in the background writes. */
static bool ends_by_count(const hoist *h)
{
    opt_loop l = h->l;
    for (uint32_t k = l.top; k < l.end; k++) {
        const opt_insn *x = &h->x.f->insns[k];
        bool leaves = x->to >= 0 && (x->to < (int32_t)l.top || x->to > (int32_t)l.end);
        if (leaves || (tw__opt_ends(x->insn) && x->to < 0)) return false;
    }
    return tw__opt_counted(&h->x, &l);
}

/* Short, straight, with one way in: it may be written twice. */
static bool may_guard(const hoist *h)
{
    const opt_insn *list = h->x.f->insns;
    if (h->l.entry < 0) return false;
    uint32_t first = (uint32_t)list[h->l.entry].to;
    if (h->l.end - first > LONGEST_TEST || !tw__opt_conditional(list[h->l.end].insn)) return false;
    for (uint32_t k = first; k < h->l.end; k++)
        if (tw__opt_is_jump(list[k].insn) || tw__opt_ends(list[k].insn) || h->x.target[k + 1]) return false;
    return true;
}

static void look_at_loop(hoist *h)
{
    const opt_function *f = h->x.f;
    for (uint32_t k = h->l.top; k <= h->l.end; k++) {
        tw__csl_insn i = f->insns[k].insn;
        uint32_t lost = tw__opt_lost_from(i);
        tw__opt_writes(h->x.o, i, count_write, h->writes);
        for (uint32_t r = lost; r < f->registers; r++) h->writes[r] = 2;
        h->windows |= lost != UINT32_MAX;
        note_memory(h, &f->insns[k]);
    }
    h->guarded = may_guard(h);
    for (uint32_t k = h->guarded ? (uint32_t)f->insns[h->l.entry].to : UINT32_MAX; k <= h->l.end; k++)
        h->test[h->test_count++] = f->insns[k];
    h->certain = h->l.entry < 0 || h->guarded;
    h->counted = ends_by_count(h);
}

static bool live_before(hoist *h, uint32_t at, uint32_t reg)
{
    opt *o = h->x.o;
    if (!h->b.live_out &&
        (o->failed || !tw__opt_find_blocks(o, h->x.f, &h->b) || !tw__opt_liveness(o, h->x.f, &h->b)))
        return true;
    for (size_t k = 0; k < h->b.count; k++)
        if (h->b.blocks[k].first == at) return tw__opt_has(h->b.live_in + k * h->b.words, reg);
    return true;
}

/* Nothing else in the loop writes the register, and nobody reads what was in it before. */
static bool may_leave(hoist *h, uint32_t reg)
{
    return h->writes[reg] == 1 && !live_before(h, h->l.top, reg) &&
           (h->l.entry < 0 || h->guarded || !live_before(h, (uint32_t)h->x.f->insns[h->l.entry].to, reg));
}

/* --- what may go ---------------------------------------------------------------------------------------------- */

static bool makes_constant(tw__csl_insn i)
{
    return i.op == TW__CSL_I_LDI || i.op == TW__CSL_I_LDK || i.op == TW__CSL_I_LDP;
}

static bool loads(tw__csl_insn i)
{
    enum opt_family family = tw__opt_family(i.op, &(unsigned){ 0 });
    return family == OPT_LD || family == OPT_LDA || family == OPT_LDX;
}

static motion motion_of(tw__csl_insn i)
{
    enum opt_family family = tw__opt_family(i.op, &(unsigned){ 0 });
    if (!tw__opt_writes_a(i) || tw__opt_is_cmov(i) || i.op == TW__CSL_I_MOV) return STAYS;
    switch (family) {
    case OPT_DIV:
    case OPT_REM:
    case OPT_TRUNC:
    case OPT_LD:
    case OPT_LDX: return WHEN_CERTAIN;
    default: break;
    }
    if (family >= OPT_FADD && family < OPT_FLOAT_END) return WHEN_CERTAIN; /* an exception may stop the PE */
    return tw__opt_pure(i) ? ALWAYS : STAYS;
}

/* What it says depends on the mask of exceptions, which is another one in each turn. */
static bool meets_mask(const hoist *h, tw__csl_insn i)
{
    return h->masks && tw__opt_may_raise(i);
}

static bool harmless(tw__csl_insn i)
{
    return tw__opt_pure(i) && motion_of(i) != WHEN_CERTAIN;
}

/* Each turn would load the same. */
static bool keeps_memory(const hoist *h, const opt_insn *x)
{
    opt_bytes bytes = tw__opt_touches(x);
    if (!bytes.high || bytes.high > TW__CSL_PE_BYTES || h->opaque) return false; /* a pointer: perhaps a register */
    for (unsigned k = 0; k < h->store_count; k++)
        if (tw__opt_may_meet(bytes, h->stores[k])) return false;
    return tw__opt_is_own(h->x.o, bytes) || (h->counted && !h->waits);
}

static bool stays_same(const hoist *h, uint32_t reg)
{
    return h->value[reg] || (h->constant[reg] && !h->windows) || !h->writes[reg];
}

static void take_place(opt_insn *x, const opt_insn *from)
{
    x->file = from->file, x->line = from->line, x->column = from->column, x->frame = from->frame;
}

/* What cannot fail belongs to the line that the loop is entered from. */
static void move_to_entry(const hoist *h, opt_insn *x)
{
    const opt_insn *list = h->x.f->insns;
    const opt_insn *place = &list[h->l.entry >= 0 ? (uint32_t)h->l.entry : h->l.top ? h->l.top - 1 : 0];
    take_place(x, place);
}

static void hoist_move(hoist *h, opt_insn x, uint32_t from)
{
    if (!tw__grow(&h->moved, &h->moved_room, h->moved_count, sizeof *h->moved)) {
        h->x.o->failed = true;
        return;
    }
    x.to = (int32_t)from;
    h->moved[h->moved_count++] = x;
}

/* The register in front of the loop that holds what `reg` does here. */
static uint16_t source(hoist *h, uint32_t reg)
{
    if (!h->value[reg] && h->constant[reg]) {
        opt_insn copy = h->x.f->insns[h->constant[reg] - 1];
        copy.origin = 0;
        copy.insn.a = (uint16_t)h->x.f->registers;
        move_to_entry(h, &copy);
        hoist_move(h, copy, UINT32_MAX);
        h->value[reg] = ++h->x.f->registers;
    }
    return (uint16_t)(h->value[reg] ? h->value[reg] - 1 : reg);
}

/* Its operands hold the same in every turn. */
static bool operands_stay(const hoist *h, tw__csl_insn i)
{
    const uint16_t at[3] = { i.a, i.b, i.c };
    for (unsigned k = 0; k < 3; k++)
        if (tw__opt_reads_operand(i, k) && !stays_same(h, at[k])) return false;
    return true;
}

static void take_sources(hoist *h, tw__csl_insn *i)
{
    uint16_t *const at[3] = { &i->a, &i->b, &i->c };
    for (unsigned k = 0; k < 3; k++)
        if (tw__opt_reads_operand(*i, k)) *at[k] = source(h, *at[k]);
}

static bool has_room(const hoist *h)
{
    return !h->windows && h->x.f->registers + 4 < MOST_REGISTERS;
}

/* Takes an instruction out, or leaves a move from a register of the optimiser's own: false = it stays. */
static bool take_out(hoist *h, uint32_t at, motion how)
{
    opt_insn *x = &h->x.f->insns[at];
    uint32_t reg = x->insn.a;
    bool leaves = may_leave(h, reg);
    if ((!leaves && !has_room(h)) || !operands_stay(h, x->insn)) return false;
    opt_insn copy = *x;
    take_sources(h, &copy.insn);
    if (how == ALWAYS) move_to_entry(h, &copy);
    if (leaves) {
        if (copy.origin) copy.origin |= OPT_MOVED;
        h->writes[reg] = 0;
        x->insn = (tw__csl_insn){ OPT_NONE, 0, 0, 0 };
    } else {
        copy.insn.a = (uint16_t)h->x.f->registers++;
        copy.origin = 0;
        x->insn = (tw__csl_insn){ TW__CSL_I_MOV, (uint16_t)reg, copy.insn.a, 0 };
    }
    hoist_move(h, copy, UINT32_MAX);
    h->value[reg] = leaves ? 0 : copy.insn.a + 1u;
    h->constant[reg] = 0;
    if (how == WHEN_CERTAIN) h->checks = h->moved_count;
    return true;
}

static void forget_values(void *user, uint32_t first, uint32_t count)
{
    hoist *h = user;
    for (uint32_t r = first; r < first + count; r++) h->value[r] = h->constant[r] = 0;
}

/* What stays: which registers it gives constants or copies of what no turn changes. */
static void hoist_pass(hoist *h, uint32_t at)
{
    tw__csl_insn i = h->x.f->insns[at].insn;
    uint32_t lost = tw__opt_lost_from(i), value = 0, constant = 0;
    if (makes_constant(i) || i.op == TW__CSL_I_LEA) constant = at + 1;
    if (i.op == TW__CSL_I_MOV) {
        constant = h->constant[i.b];
        value = h->value[i.b] ? h->value[i.b] : h->writes[i.b] ? 0 : i.b + 1u;
    }
    if (lost < h->x.f->registers) forget_values(h, lost, h->x.f->registers - lost);
    tw__opt_writes(h->x.o, i, forget_values, h);
    if (value || constant) h->value[i.a] = value, h->constant[i.a] = constant;
}

/* Nothing that stays and can fail, or is seen, may come behind something that can fail and did not. */
static bool unseen(const opt_insn *x)
{
    if (x->insn.op == OPT_NONE || harmless(x->insn)) return true;
    opt_bytes bytes = tw__opt_touches(x);
    return loads(x->insn) && bytes.high && bytes.high <= TW__CSL_PE_BYTES;
}

static void hoist_look(hoist *h, uint32_t at)
{
    opt_insn *x = &h->x.f->insns[at];
    if (x->insn.op == OPT_INDEX && h->certain && operands_stay(h, x->insn)) {
        opt_insn copy = *x;
        take_sources(h, &copy.insn);
        hoist_move(h, copy, at); /* it goes when something goes for which it has to */
        return;
    }
    motion how = motion_of(x->insn);
    bool may = how == ALWAYS || (how == WHEN_CERTAIN && h->certain && !meets_mask(h, x->insn));
    bool constant = makes_constant(x->insn) || x->insn.op == TW__CSL_I_LEA;
    if (may && !constant && (!loads(x->insn) || keeps_memory(h, x)) && take_out(h, at, how)) return;
    h->certain &= unseen(x);
    hoist_pass(h, at);
}

static void look_at_all(hoist *h)
{
    uint32_t registers = h->x.f->registers;
    for (uint32_t k = h->l.top; k < h->l.end && !h->x.o->failed; k++) {
        if (k != h->l.top && h->x.target[k]) forget_values(h, 0, registers);
        hoist_look(h, k);
    }
    size_t n = 0;
    for (size_t k = 0; k < h->moved_count; k++) { /* checks: those that go leave the loop, the others stay there */
        bool check = h->moved[k].insn.op == OPT_INDEX;
        if (check && k >= h->checks) continue;
        if (check) h->x.f->insns[h->moved[k].to].insn = (tw__csl_insn){ OPT_NONE, 0, 0, 0 };
        h->moved[k].to = -1;
        h->moved[n++] = h->moved[k];
        if (!check && n > 1 && h->moved[n - 2].insn.op == OPT_INDEX) take_place(&h->moved[n - 1], &h->moved[n - 2]);
    }
    h->moved_count = n;
}

/* --- the new list --------------------------------------------------------------------------------------------- */

typedef struct list {
    opt_insn *insns;
    size_t count;
} list;

static void put_all(list *to, const opt_insn *from, size_t count)
{
    if (count) memcpy(to->insns + to->count, from, count * sizeof *from);
    to->count += count;
}

/* The test, in front of the loop: where it fails the loop is passed by. */
static void put_guard(const hoist *h, list *to)
{
    put_all(to, h->test, h->test_count);
    opt_insn *test = &to->insns[to->count - h->test_count], *jump = &to->insns[to->count - 1];
    for (opt_insn *x = test; x <= jump; x++) {
        if (x != jump && !harmless(x->insn)) continue;
        move_to_entry(h, x);
        x->origin = h->x.f->insns[h->l.entry].origin;
    }
    jump->insn = tw__opt_opposite(jump->insn);
    jump->to = (int32_t)h->l.end + 1;
}

/* Puts what has moved where the loop is entered; *end becomes the place of the jump that closes it. */
static void rebuild(hoist *h, uint32_t *end)
{
    opt_function *f = h->x.f;
    size_t room = f->insn_count + h->moved_count + LONGEST_TEST + 2;
    list out = { tw__calloc(room, sizeof *out.insns), 0 };
    uint32_t *place = tw__calloc(f->insn_count + 1, sizeof *place);
    if (!out.insns || !place) {
        h->x.o->failed = true;
        free(out.insns);
        free(place);
        return;
    }
    uint32_t entry = h->l.entry < 0 ? UINT32_MAX : (uint32_t)h->l.entry;
    uint32_t before = h->l.entry < 0 || h->guarded ? h->l.top : entry;
    for (uint32_t k = 0; k < f->insn_count; k++) {
        place[k] = (uint32_t)out.count;
        if (k == before) put_all(&out, h->moved, h->moved_count);
        if (k == h->l.top) place[k] = (uint32_t)out.count; /* the jump back passes by */
        if (k == entry && h->guarded)
            put_guard(h, &out);
        else
            put_all(&out, &f->insns[k], 1);
    }
    for (size_t k = 0; k < out.count; k++)
        if (out.insns[k].to >= 0) out.insns[k].to = (int32_t)place[out.insns[k].to];
    *end = place[*end];
    free(place);
    free(f->insns);
    f->insns = out.insns;
    f->insn_count = out.count;
    f->insn_room = room;
}

/* --- all loops, from the inner ones to the outer ones ---------------------------------------------------------- */

static void each_loop(opt *o, opt_function *f, void (*look)(hoist *h), bool *changed)
{
    for (uint32_t k = 0; k < f->insn_count && !o->failed; k++) {
        if (f->insns[k].to < 0 || f->insns[k].to > (int32_t)k) continue;
        hoist h = { .x = { .o = o, .f = f } };
        size_t registers = f->registers + 1;
        h.writes = tw__calloc(registers, sizeof *h.writes);
        h.value = tw__calloc(registers, sizeof *h.value);
        h.constant = tw__calloc(registers, sizeof *h.constant);
        if (!h.writes || !h.value || !h.constant)
            o->failed = true;
        else if (tw__opt_find_targets(&h.x) && tw__opt_find_loop(&h.x, k, &h.l)) {
            look_at_loop(&h);
            look(&h);
            if (h.moved_count && !o->failed) rebuild(&h, &k), *changed = true;
        }
        tw__opt_free_blocks(&h.b);
        free(h.x.target);
        free(h.writes);
        free(h.value);
        free(h.constant);
        free(h.moved);
    }
}

bool tw__opt_invariant(opt *o, opt_function *f)
{
    bool changed = false;
    each_loop(o, f, look_at_all, &changed);
    if (changed && !o->failed) tw__opt_compact(o, f);
    return changed;
}

/* Constants that each turn makes again: they cost the core nothing, but the simulator time. */
static void look_at_constants(hoist *h)
{
    h->guarded = false;
    for (uint32_t k = h->l.top; k < h->l.end && !h->x.o->failed; k++) {
        opt_insn *x = &h->x.f->insns[k];
        if (!makes_constant(x->insn) || !may_leave(h, x->insn.a)) continue;
        opt_insn copy = *x;
        if (copy.origin) copy.origin |= OPT_MOVED;
        move_to_entry(h, &copy);
        hoist_move(h, copy, UINT32_MAX);
        x->insn = (tw__csl_insn){ OPT_NONE, 0, 0, 0 };
    }
}

void tw__opt_hoist(opt *o, opt_function *f)
{
    bool changed = false;
    each_loop(o, f, look_at_constants, &changed);
    if (changed && !o->failed) tw__opt_compact(o, f);
}
