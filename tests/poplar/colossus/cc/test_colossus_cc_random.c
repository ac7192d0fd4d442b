/* SPDX-License-Identifier: MIT */
/* Random functions in SSA, through register allocation, text, assembler, linker and simulator: the words they
 * leave in memory are those of the interpreter (mir_run.h), registers that the convention keeps are kept, with and
 * without bundles and loops, and with ties broken at random. */
#include "mir_run.h"

#include <stdlib.h>

enum { KINDS = 4, SEEDS = 150 };
static const unsigned kind_words[KINDS] = { 1, 1, 2, 4 }; /* main, aux, pair, quad */

typedef struct maker {
    tw__mir *mir;
    tw__mir_function *f;
    GRand *random;
    uint32_t block;        /* under way */
    GArray *values[KINDS]; /* tw__mir_reg: what may be read here */
    tw__mir_reg base;      /* address of the memory */
    uint32_t objects;      /* frame objects 0 to objects - 1, 64 bytes each */
    unsigned budget;
    unsigned most; /* values of a kind that are read; small: little is alive at once */
    bool main_only, calls;
} maker;

static unsigned below(maker *m, unsigned n)
{
    return (unsigned)g_rand_int_range(m->random, 0, (gint32)n);
}

static tw__mir_insn *add(maker *m, unsigned op, unsigned count)
{
    return tw__mir_append(m->mir, &m->f->blocks[m->block], op, count);
}

static tw__mir_reg fresh(maker *m, unsigned kind)
{
    return tw__mir_new_reg(m->mir, m->f, kind ? TW__MIR_AUX : TW__MIR_MAIN, kind_words[kind]);
}

static void keep(maker *m, unsigned kind, tw__mir_reg reg)
{
    g_array_append_val(m->values[kind], reg);
}

static tw__mir_reg constant(maker *m, unsigned kind)
{
    static const uint32_t edges[] = { 0,          1,          7,          0xfffff,    0x100000,
                                      0x3f800000, 0xffffffff, 0xffff8000, 0x12345678, 0x7ff };
    tw__mir_reg reg = fresh(m, kind);
    tw__mir_insn *insn = add(m, TW__MIR_value, 2);
    insn->operands[0] = tw__mir_write(reg, 1);
    insn->operands[1] = tw__mir_const(below(m, 2) ? edges[below(m, G_N_ELEMENTS(edges))] : g_rand_int(m->random));
    return reg;
}

static tw__mir_reg any(maker *m, unsigned kind);

static tw__mir_reg join(maker *m, unsigned kind)
{
    bool pairs = kind == 3 && below(m, 2);
    unsigned part = pairs ? 2 : 1, n = kind_words[kind] / part;
    tw__mir_reg parts[4], reg = fresh(m, kind);
    for (unsigned k = 0; k < n; k++) parts[k] = any(m, part);
    tw__mir_insn *insn = add(m, TW__MIR_join, n + 1);
    insn->operands[0] = tw__mir_write(reg, kind_words[kind]);
    for (unsigned k = 0; k < n; k++) insn->operands[k + 1] = tw__mir_read(parts[k], part);
    return reg;
}

static tw__mir_reg any(maker *m, unsigned kind)
{
    guint n = m->values[kind]->len, window = MIN(n, m->most);
    if (n && below(m, 12)) return g_array_index(m->values[kind], tw__mir_reg, n - 1 - below(m, window));
    tw__mir_reg reg = kind < 2 ? constant(m, kind) : join(m, kind);
    keep(m, kind, reg);
    return reg;
}

/* An operand of one kind, now and then a part of a wider register. */
static tw__mir_operand source(maker *m, unsigned kind)
{
    if (kind == 1 && !below(m, 3)) {
        tw__mir_operand o = tw__mir_read(any(m, 2), 1);
        o.sub = (uint8_t)below(m, 2);
        return o;
    }
    if (kind == 2 && !below(m, 4)) {
        tw__mir_operand o = tw__mir_read(any(m, 3), 2);
        o.sub = (uint8_t)(2 * below(m, 2));
        return o;
    }
    return tw__mir_read(any(m, kind), kind_words[kind]);
}

static void make_arithmetic(maker *m)
{
    static const struct {
        uint16_t op;
        uint8_t kind, sources;
    } rows[] = { { TW__OP_add_m, 0, 2 },      { TW__OP_sub_m, 0, 2 },  { TW__OP_mul_m, 0, 2 },
                 { TW__OP_xor, 0, 2 },        { TW__OP_and_m, 0, 2 },  { TW__OP_cmpult_m, 0, 2 },
                 { TW__OP_and_a, 1, 2 },      { TW__OP_or_a, 1, 2 },   { TW__OP_not, 1, 1 },
                 { TW__OP_roll16_a, 1, 2 },   { TW__OP_and64, 2, 2 },  { TW__OP_or64, 2, 2 },
                 { TW__OP_andc64, 2, 2 },     { TW__OP_not64, 2, 1 },  { TW__OP_roll32, 2, 2 },
                 { TW__OP_sort4x32lo, 2, 2 }, { TW__OP_andc_a, 1, 2 }, { TW__OP_or_m, 0, 2 } };
    unsigned k = m->main_only ? below(m, 6) : below(m, G_N_ELEMENTS(rows)), kind = rows[k].kind;
    tw__mir_operand x = source(m, kind), y = source(m, kind);
    tw__mir_insn *insn = add(m, rows[k].op, 1u + rows[k].sources);
    tw__mir_reg reg = fresh(m, kind);
    insn->operands[0] = tw__mir_write(reg, kind_words[kind]);
    insn->operands[1] = x;
    if (rows[k].sources == 2) insn->operands[2] = y;
    keep(m, kind, reg);
}

static void make_tied(maker *m)
{
    tw__mir_operand x = source(m, 0), y = source(m, 0);
    tw__mir_reg tied = any(m, 0), reg = fresh(m, 0);
    tw__mir_insn *insn = add(m, TW__OP_movz, 3);
    insn->operands[0] = tw__mir_change(reg, tied, 1);
    insn->operands[1] = x, insn->operands[2] = y;
    keep(m, 0, reg);
}

static void make_copy(maker *m)
{
    unsigned to = below(m, 2), from = m->main_only ? 0 : !to;
    if (m->main_only) to = 0;
    if (!m->main_only && !below(m, 3)) to = from = 1 + below(m, 3);
    tw__mir_operand x = source(m, from);
    tw__mir_reg reg = fresh(m, to);
    tw__mir_insn *insn = add(m, TW__MIR_copy, 2);
    insn->operands[0] = tw__mir_write(reg, kind_words[to]);
    insn->operands[1] = x;
    keep(m, to, reg);
}

static void finish_access(maker *m, tw__mir_insn *insn, bool store, unsigned words)
{
    insn->memory = (tw__mir_memory){ .use = store ? TW__MIR_WRITE : TW__MIR_READ };
    insn->operands[2] = tw__mir_read(16, 1); /* $m15 */
    if (m->objects && below(m, 2)) {
        insn->operands[1] = tw__mir_read(12, 1); /* $m11 */
        insn->operands[3] = tw__mir_frame(below(m, m->objects), 4 * words * below(m, 16 / words));
    } else {
        insn->operands[1] = tw__mir_read(m->base, 1);
        insn->operands[3] = tw__mir_const(below(m, 32));
    }
}

static void make_access(maker *m)
{
    static const uint16_t ops[3][2] = { { TW__OP_ld32_mz, TW__OP_st32_mz },
                                        { TW__OP_ld32_az, TW__OP_st32_az },
                                        { TW__OP_ld64_z, TW__OP_st64_z } };
    unsigned kind = m->main_only ? 0 : below(m, 3), store = below(m, 2);
    tw__mir_operand x = source(m, kind);
    tw__mir_insn *insn = add(m, ops[kind][store], 4);
    finish_access(m, insn, store, kind_words[kind]);
    insn->operands[0] = x;
    if (store) return;
    tw__mir_reg reg = fresh(m, kind);
    insn->operands[0] = tw__mir_write(reg, kind_words[kind]);
    keep(m, kind, reg);
}

/* A pointer that moves on: a load with two results. */
static void make_step(maker *m)
{
    tw__mir_reg copy = fresh(m, 0), reg = fresh(m, 0), to = fresh(m, 0);
    tw__mir_insn *insn = add(m, TW__OP_add_s, 3);
    insn->operands[0] = tw__mir_write(copy, 1);
    insn->operands[1] = tw__mir_read(m->base, 1);
    insn->operands[2] = tw__mir_const(4 * below(m, 32));
    insn = add(m, TW__OP_ld32step_ms, 4);
    insn->operands[0] = tw__mir_write(to, 1);
    insn->operands[1] = tw__mir_read(16, 1);
    insn->operands[2] = tw__mir_change(reg, copy, 1);
    insn->operands[3] = tw__mir_const((int)below(m, 9) - 4);
    insn->memory = (tw__mir_memory){ .use = TW__MIR_READ };
    tw__mir_insn *back =
        add(m, TW__OP_sub_m, 3); /* no address, which the simulator and the interpreter have apart */
    tw__mir_reg distance = fresh(m, 0);
    back->operands[0] = tw__mir_write(distance, 1);
    back->operands[1] = tw__mir_read(reg, 1), back->operands[2] = tw__mir_read(m->base, 1);
    keep(m, 0, to);
    keep(m, 0, distance);
}

static void make_place(maker *m)
{
    if (!m->objects) return;
    tw__mir_reg at = fresh(m, 0), to = fresh(m, 0);
    tw__mir_insn *insn = add(m, TW__MIR_place, 2);
    insn->operands[0] = tw__mir_write(at, 1);
    insn->operands[1] = tw__mir_frame(below(m, m->objects), 4 * below(m, 16));
    insn = add(m, TW__OP_ld32_mz, 4);
    insn->operands[0] = tw__mir_write(to, 1);
    insn->operands[1] = tw__mir_read(at, 1), insn->operands[2] = tw__mir_read(16, 1);
    insn->operands[3] = tw__mir_const(0);
    insn->memory = (tw__mir_memory){ .use = TW__MIR_READ };
    keep(m, 0, to);
}

static void copy_physical(maker *m, tw__mir_operand to, tw__mir_operand from)
{
    tw__mir_insn *insn = add(m, TW__MIR_copy, 2);
    insn->operands[0] = to, insn->operands[1] = from;
}

static void make_call(maker *m)
{
    if (!m->calls) return;
    tw__mir_reg x = any(m, 0), y = any(m, 0), z = any(m, 1), result = fresh(m, 0), other = fresh(m, 1);
    copy_physical(m, tw__mir_write(1, 1), tw__mir_read(x, 1));
    copy_physical(m, tw__mir_write(2, 1), tw__mir_read(y, 1));
    copy_physical(m, tw__mir_write(18, 1), tw__mir_read(z, 1));
    tw__mir_insn *insn = add(m, TW__MIR_call, 6);
    insn->operands[0] = tw__mir_symbol("helper", 0);
    insn->operands[1] = tw__mir_read(1, 1), insn->operands[2] = tw__mir_read(2, 1);
    insn->operands[3] = tw__mir_read(18, 1);
    insn->operands[4] = tw__mir_write(1, 1), insn->operands[5] = tw__mir_write(17, 1);
    copy_physical(m, tw__mir_write(result, 1), tw__mir_read(1, 1));
    copy_physical(m, tw__mir_write(other, 1), tw__mir_read(17, 1));
    keep(m, 0, result);
    keep(m, 1, other);
}

static void make_text(maker *m)
{
    tw__mir_operand x = source(m, 0);
    tw__mir_reg reg = fresh(m, 0);
    tw__mir_insn *insn = add(m, TW__MIR_text, 2);
    insn->text = "add %0, %1, 5";
    insn->has_effect = true;
    insn->operands[0] = tw__mir_write(reg, 1);
    insn->operands[1] = x;
    keep(m, 0, reg);
}

/* --- flow ------------------------------------------------------------------------------------------------------- */

static void make_region(maker *m, unsigned depth);

static void go(maker *m, uint32_t to)
{
    add(m, TW__OP_bri, 1)->operands[0] = tw__mir_to(to);
    tw__mir_add_successor(m->mir, &m->f->blocks[m->block], to);
}

static void go_if(maker *m, unsigned op, tw__mir_operand on, uint32_t to)
{
    tw__mir_insn *insn = add(m, op, 2);
    insn->operands[0] = on, insn->operands[1] = tw__mir_to(to);
    tw__mir_add_successor(m->mir, &m->f->blocks[m->block], to);
}

static void mark(const maker *m, guint sizes[KINDS])
{
    for (unsigned k = 0; k < KINDS; k++) sizes[k] = m->values[k]->len;
}

static void release(maker *m, const guint sizes[KINDS])
{
    for (unsigned k = 0; k < KINDS; k++) g_array_set_size(m->values[k], sizes[k]);
}

typedef struct phi {
    unsigned kind;
    tw__mir_reg result, first, second;
} phi;

static unsigned phi_kinds(maker *m)
{
    return m->main_only ? 1 : KINDS;
}

static void put_phi(maker *m, const phi *p, uint32_t from_first, uint32_t from_second)
{
    tw__mir_insn *insn = add(m, TW__MIR_phi, 5);
    unsigned words = kind_words[p->kind];
    insn->operands[0] = tw__mir_write(p->result, words);
    insn->operands[1] = tw__mir_to(from_first), insn->operands[2] = tw__mir_read(p->first, words);
    insn->operands[3] = tw__mir_to(from_second), insn->operands[4] = tw__mir_read(p->second, words);
}

static void make_diamond(maker *m, unsigned depth)
{
    static const uint16_t ops[] = { TW__OP_brz, TW__OP_brnz, TW__OP_brneg };
    phi phis[6];
    unsigned n = 1 + below(m, 6);
    guint sizes[KINDS];
    for (unsigned i = 0; i < n; i++) phis[i].kind = below(m, phi_kinds(m));
    uint32_t one = tw__mir_new_block(m->mir, m->f), two = tw__mir_new_block(m->mir, m->f),
             end = tw__mir_new_block(m->mir, m->f), ends[2];
    go_if(m, ops[below(m, 3)], tw__mir_read(any(m, 0), 1), one);
    go(m, two);
    for (unsigned side = 0; side < 2; side++) {
        mark(m, sizes);
        m->block = side ? two : one;
        make_region(m, depth + 1);
        for (unsigned i = 0; i < n; i++) *(side ? &phis[i].second : &phis[i].first) = any(m, phis[i].kind);
        ends[side] = m->block;
        go(m, end);
        release(m, sizes);
    }
    m->block = end;
    for (unsigned i = 0; i < n; i++)
        phis[i].result = fresh(m, phis[i].kind), put_phi(m, &phis[i], ends[0], ends[1]);
    for (unsigned i = 0; i < n; i++) keep(m, phis[i].kind, phis[i].result);
}

/* A table of jumps: arms that several of its entries lead to, and the end itself. */
static void make_jump(maker *m, unsigned depth)
{
    enum { ENTRIES = 4, ARMS = 3 };
    tw__mir_reg ones = fresh(m, 0), index = fresh(m, 0), table = fresh(m, 0), to = fresh(m, 0),
                result = fresh(m, 0);
    uint32_t before = m->block, from[ARMS + 1] = { before }, end = tw__mir_new_block(m->mir, m->f),
             arms[ARMS + 1] = { end };
    tw__mir_reg values[ARMS + 1] = { any(m, 0) }, of = any(m, 0);
    tw__mir_insn *insn = add(m, TW__MIR_value, 2);
    insn->operands[0] = tw__mir_write(ones, 1), insn->operands[1] = tw__mir_const(ENTRIES - 1);
    insn = add(m, TW__OP_and_m, 3);
    insn->operands[0] = tw__mir_write(index, 1), insn->operands[1] = tw__mir_read(of, 1);
    insn->operands[2] = tw__mir_read(ones, 1);
    const char *name = tw__arena_printf(m->mir->arena, ".Lt%u", before);
    insn = add(m, TW__MIR_value, 2);
    insn->operands[0] = tw__mir_write(table, 1), insn->operands[1] = tw__mir_symbol(name, 0);
    insn = add(m, TW__OP_ld32_m, 4);
    insn->operands[0] = tw__mir_write(to, 1), insn->operands[1] = tw__mir_read(table, 1);
    insn->operands[2] = tw__mir_read(16, 1), insn->operands[3] = tw__mir_read(index, 1);
    insn->memory = (tw__mir_memory){ .use = TW__MIR_READ };
    for (unsigned i = 1; i <= ARMS; i++) arms[i] = tw__mir_new_block(m->mir, m->f);
    insn = add(m, TW__MIR_jump, ENTRIES + 1);
    insn->text = name;
    insn->operands[0] = tw__mir_read(to, 1);
    unsigned direct = below(m, ENTRIES);
    for (unsigned i = 0; i < ENTRIES; i++) {
        insn->operands[i + 1] = tw__mir_to(arms[i == direct ? 0 : 1 + below(m, ARMS)]);
        tw__mir_add_successor(m->mir, &m->f->blocks[before], insn->operands[i + 1].index);
    }
    guint sizes[KINDS];
    for (unsigned i = 1; i <= ARMS; i++) {
        mark(m, sizes);
        m->block = arms[i];
        make_region(m, depth + 1);
        values[i] = any(m, 0), from[i] = m->block;
        go(m, end);
        release(m, sizes);
    }
    m->block = end;
    insn = add(m, TW__MIR_phi, 2 * ARMS + 3);
    insn->operands[0] = tw__mir_write(result, 1);
    for (unsigned i = 0; i <= ARMS; i++) {
        insn->operands[2 * i + 1] = tw__mir_to(from[i]);
        insn->operands[2 * i + 2] = tw__mir_read(values[i], 1);
    }
    keep(m, 0, result);
}

/* Phis may read each other: some loops turn their values round. */
static void make_loop(maker *m, unsigned depth)
{
    phi phis[7];
    unsigned n = 1 + below(m, 6);
    guint sizes[KINDS];
    for (unsigned i = 0; i < n; i++) {
        phis[i].kind = below(m, phi_kinds(m));
        phis[i].first = any(m, phis[i].kind);
        phis[i].result = fresh(m, phis[i].kind);
    }
    tw__mir_reg start = fresh(m, 0), counter = fresh(m, 0), left = fresh(m, 0);
    tw__mir_insn *insn = add(m, TW__MIR_value, 2);
    insn->operands[0] = tw__mir_write(start, 1), insn->operands[1] = tw__mir_const(below(m, 5));
    uint32_t before = m->block, head = tw__mir_new_block(m->mir, m->f), behind = tw__mir_new_block(m->mir, m->f);
    go(m, head);
    mark(m, sizes);
    m->block = head;
    uint32_t first_phi = head;
    for (unsigned i = 0; i < n; i++) keep(m, phis[i].kind, phis[i].result);
    /* the phis are put in when the end of the loop is known: body first, in the same block */
    make_region(m, depth + 1);
    for (unsigned i = 0; i < n; i++) phis[i].second = any(m, phis[i].kind);
    uint32_t end = m->block;
    bool reads_later = below(m, 4) == 0;
    go_if(m, TW__OP_brnzdec, tw__mir_change(left, counter, 1), head);
    go(m, behind);
    phi count = { 0, counter, start, left };
    for (unsigned i = 0; i <= n; i++) {
        const phi *p = i < n ? &phis[i] : &count;
        tw__mir_insn *at = m->f->blocks[first_phi].first;
        tw__mir_insn *put = tw__mir_insert(m->mir, &m->f->blocks[first_phi], at, TW__MIR_phi, 5);
        unsigned words = kind_words[p->kind];
        put->operands[0] = tw__mir_write(p->result, words);
        put->operands[1] = tw__mir_to(before), put->operands[2] = tw__mir_read(p->first, words);
        put->operands[3] = tw__mir_to(end), put->operands[4] = tw__mir_read(p->second, words);
    }
    release(m, sizes);
    m->block = behind;
    for (unsigned i = 0; i < n; i++) keep(m, phis[i].kind, below(m, 2) ? phis[i].second : phis[i].result);
    if (reads_later) keep(m, 0, left);
}

static void make_region(maker *m, unsigned depth)
{
    for (unsigned n = 1 + below(m, 12); n-- && m->budget;) {
        m->budget--;
        unsigned what = below(m, 25);
        if (what == 0 && depth < 4)
            make_diamond(m, depth);
        else if (what == 1 && depth < 3)
            make_loop(m, depth);
        else if (what == 24 && depth < 3)
            make_jump(m, depth);
        else if (what == 2)
            make_call(m);
        else if (what == 3)
            make_step(m);
        else if (what == 4)
            make_place(m);
        else if (what == 5)
            make_text(m);
        else if (what < 8)
            make_tied(m);
        else if (what < 10)
            make_copy(m);
        else if (what < 14)
            make_access(m);
        else
            make_arithmetic(m);
    }
}

/* What is left to read goes to memory. */
static void store_values(maker *m)
{
    uint32_t at = 64;
    for (unsigned kind = 0; kind < 3; kind++) {
        guint n = m->values[kind]->len, window = MIN(n, 24);
        for (guint i = 0; i < window; i++) {
            unsigned words = kind_words[kind];
            at = (at + words - 1) / words * words;
            tw__mir_insn *insn = add(m, kind == 0 ? TW__OP_st32_mz : kind == 1 ? TW__OP_st32_az : TW__OP_st64_z, 4);
            insn->operands[0] = tw__mir_read(g_array_index(m->values[kind], tw__mir_reg, n - 1 - i), words);
            insn->operands[1] = tw__mir_read(m->base, 1), insn->operands[2] = tw__mir_read(16, 1);
            insn->operands[3] = tw__mir_const(at / words);
            insn->memory = (tw__mir_memory){ .use = TW__MIR_WRITE };
            at += words;
        }
    }
}

static tw__mir *make(uint32_t seed, tw__arena *arena)
{
    maker m = { .mir = tw__mir_new(arena, TW_ISA_IPU2), .random = g_rand_new_with_seed(seed) };
    m.f = tw__mir_add_function(m.mir, "f");
    m.f->context = seed % 3 == 0 ? TW__MIR_WORKER : TW__MIR_FUNCTION;
    m.main_only = seed % 7 == 1;
    m.calls = seed % 4 == 1 && !m.main_only;
    m.most = 1 + below(&m, 30);
    m.budget = 20 + below(&m, 150);
    for (unsigned k = 0; k < KINDS; k++) m.values[k] = g_array_new(FALSE, FALSE, sizeof(tw__mir_reg));
    for (m.objects = below(&m, 4); m.f->object_count < m.objects;)
        tw__mir_new_object(m.mir, m.f, below(&m, 6) ? 64 : 20000, below(&m, 4) ? 8 : 32);
    m.block = tw__mir_new_block(m.mir, m.f);
    m.base = fresh(&m, 0);
    copy_physical(&m, tw__mir_write(m.base, 1), tw__mir_read(m.f->context == TW__MIR_WORKER ? 14 : 1, 1));
    for (uint32_t i = 0; i < m.objects; i++) /* objects are zero, as the interpreter's */
        for (unsigned k = 0; k < 16; k++) {
            tw__mir_insn *insn = add(&m, TW__OP_st32_mz, 4);
            insn->operands[0] = tw__mir_read(16, 1);
            insn->operands[1] = tw__mir_read(12, 1), insn->operands[2] = tw__mir_read(16, 1);
            insn->operands[3] = tw__mir_frame(i, 4 * k);
            insn->memory = (tw__mir_memory){ .use = TW__MIR_WRITE };
        }
    while (m.budget) make_region(&m, 0);
    store_values(&m);
    if (m.f->context == TW__MIR_WORKER)
        add(&m, TW__OP_exitz, 1)->operands[0] = tw__mir_read(16, 1);
    else
        add(&m, TW__MIR_ret, 0);
    tw__mir_link(m.mir, m.f);
    for (unsigned k = 0; k < KINDS; k++) g_array_free(m.values[k], TRUE);
    g_rand_free(m.random);
    return m.mir;
}

/* --- both sides ------------------------------------------------------------------------------------------------- */

static const char start_text[] =
    "\t.section .text.start, \"ax\"\n\t.worker\n\t.globl start\nstart:\n"
    "\tsetzi $m7, 7777\n\tsetzi $m8, 8888\n\tsetzi $m9, 9999\n\tsetzi $a6, 6666\n"
    "\tsetzi $a7, 5555\n\tadd $m11, $mworker_base, -64\n\tmov $m0, $mvertex_base\n"
    "\tcall $m10, f\n\tst32 $m7, $mvertex_base, 300\n\tst32 $m8, $mvertex_base, 301\n"
    "\tst32 $m9, $mvertex_base, 302\n\tst32 $a6, $mvertex_base, 303\n"
    "\tst32 $a7, $mvertex_base, 304\n\tsub $m11, $mworker_base, $m11\n"
    "\tst32 $m11, $mvertex_base, 305\n\texitz $mzero\n"
    "\t.section .text.helper, \"ax\"\n\t.globl helper\nhelper:\n"
    "\tmul $m2, $m1, 7\n\tadd $m0, $m0, $m2\n\tnot $a0, $a1\n\tsetzi $m1, 11\n"
    "\tsetzi $m2, 12\n\tsetzi $m3, 13\n\tsetzi $m4, 14\n\tsetzi $m5, 15\n\tsetzi $m6, 16\n"
    "\tsetzi $a1, 21\n\tsetzi $a2, 22\n\tsetzi $a3, 23\n\tsetzi $a4, 24\n\tsetzi $a5, 25\n"
    "\tbr $m10\n";

static void interpret(const tw__mir *mir, uint32_t memory[MIR_WORDS])
{
    const tw__mir_function *f = mir->functions[0];
    mir_state s = { .f = f,
                    .values = g_malloc0((f->vreg_count + 1) * sizeof *s.values),
                    .frame = g_new0(uint32_t, 64 * (f->object_count + 1)) };
    for (unsigned i = 0; i < MIR_WORDS; i++) s.memory[i] = i * 0x9e3779b9u;
    s.physical[f->context == TW__MIR_WORKER ? 14 : 1] = MIR_OUT;
    mir_interpret(&s);
    memcpy(memory, s.memory, sizeof s.memory);
    g_free(s.values);
    g_free(s.frame);
}

static void simulate(uint32_t seed, const char *text, bool entry, const uint32_t expected[MIR_WORDS])
{
    static const uint32_t kept[] = { 7777, 8888, 9999, 6666, 5555, 64 };
    tw_sim *sim = tw_sim_new(NULL);
    tw_object *object = assemble_for(TW_ISA_IPU2, text);
    const tw_object *objects[] = { object };
    tw_link_options options = { .size = sizeof options, .entry = entry ? "f" : "start" };
    tw_object *image = tw_link(objects, 1, &options, NULL);
    if (!image) fail_msg("seed %u: %s\n%s", seed, tw_error_message(), text);
    assert_int_equal(tw_sim_load(sim, image), TW_OK);
    machine m = { .sim = sim, .image = image, .entry = tw_object_entry(image) };
    for (unsigned i = 0; i < MIR_WORDS; i++) poke(&m, MIR_OUT + 4 * i, i * 0x9e3779b9u);
    tw_sim_launch launch = { .entry = m.entry, .vertex_base = MIR_OUT, .worker_base = 0xd0000 };
    assert_int_equal(tw_sim_start(sim, 0, &launch), TW_OK);
    if (getenv("TW_TRACE")) tw_sim_set_trace(sim, stderr);
    tw_sim_stop stop = tw_sim_run(sim, 10000000);
    if (stop != TW_SIM_DONE)
        fail_msg("seed %u stops: %s\n%s", seed, stop == TW_SIM_FAULT ? tw_sim_get_exception(sim)->message : "limit",
                 text);
    for (unsigned i = 0; i < MIR_WORDS; i++)
        if (peek(&m, MIR_OUT + 4 * i) != expected[i])
            fail_msg("seed %u: word %u is 0x%x, not 0x%x\n%s", seed, i, peek(&m, MIR_OUT + 4 * i), expected[i],
                     text);
    for (unsigned i = 0; !entry && i < G_N_ELEMENTS(kept); i++)
        if (peek(&m, MIR_OUT + 4 * (300 + i)) != kept[i])
            fail_msg("seed %u: register %u is not kept\n%s", seed, i, text);
    machine_free(&m);
    tw_object_free(object);
}

static void check_seed(uint32_t seed, const tw__ra_options *options)
{
    uint32_t expected[MIR_WORDS];
    tw__arena *arena = tw__arena_new(0);
    tw__mir *mir = make(seed, arena);
    g_autoptr(GString) before = g_string_new(NULL);
    tw__mir_print(mir, mir->functions[0], before);
    if (tw__mir_check(mir, mir->functions[0]))
        fail_msg("seed %u: %s\n%s", seed, tw__mir_check(mir, mir->functions[0]), before->str);
    interpret(mir, expected);
    const char *problem = tw__ra_function(mir, mir->functions[0], options);
    if (problem) fail_msg("seed %u: %s\n%s", seed, problem, before->str);
    g_autoptr(GString) text = g_string_new(NULL);
    bool entry = mir->functions[0]->context == TW__MIR_WORKER;
    tw__mir_emit(mir, text);
    g_string_append(text, start_text);
    if (getenv("TW_SHOW")) fprintf(stderr, "%s\n%s\n", before->str, text->str);
    simulate(seed, text->str, entry, expected);
    tw__arena_free(arena);
}

/* TW_SEEDS: how many, for long runs by hand. */
static uint32_t seed_count(void)
{
    const char *text = getenv("TW_SEEDS");
    return text ? (uint32_t)atoi(text) : SEEDS;
}

static void run_seeds(const tw__ra_options *options)
{
    const char *one = getenv("TW_SEED");
    if (one) {
        check_seed((uint32_t)atoi(one), options);
        return;
    }
    for (uint32_t seed = 1; seed <= seed_count(); seed++) check_seed(seed, options);
}

static void one_after_the_other(void **state)
{
    (void)state;
    run_seeds(&(tw__ra_options){ .no_bundles = true, .no_loops = true });
}

static void in_bundles(void **state)
{
    (void)state;
    run_seeds(&(tw__ra_options){ .no_loops = true });
}

static void with_everything(void **state)
{
    (void)state;
    run_seeds(NULL);
}

static void ties_at_random(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= seed_count(); seed++) check_seed(seed, &(tw__ra_options){ .seed = seed });
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_after_the_other),
        cmocka_unit_test(in_bundles),
        cmocka_unit_test(with_everything),
        cmocka_unit_test(ties_at_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
