/* SPDX-License-Identifier: MIT */
// needs: colossus
/* Any words as code of a tile, run by six workers or the supervisor: whatever it does ends in time, in a state that
 * can be told. One worker alone does the same in one piece and instruction by instruction. The first byte chooses the
 * chip and who runs; mutations know instructions, bundles and loops. */
#include "instructions.h"

#include <tilewright/poplar/colossus/sim.h>

#include <stdlib.h>
#include <string.h>

enum { TURNS = 3000 };

static void check(bool ok)
{
    if (!ok) abort();
}

/* Memories are kept: new ones would be most of the time. */
static tw_sim *sim_over(uint8_t **memory, const tw_sim_options *given)
{
    tw_sim_options options = *given;
    if (!*memory) *memory = malloc(tw_sim_memory_bytes(options.arch));
    check(*memory != NULL);
    options.memory = *memory;
    return tw_sim_new(&options);
}

static void prepare(tw_sim *sim, tw_isa_arch arch, const uint8_t *data, size_t size)
{
    uint32_t base = tw_sim_memory_base(arch), bytes = tw_sim_memory_bytes(arch);
    memset(tw_sim_memory(sim), 0, bytes);
    tw_sim_code_changed(sim, base, bytes);
    tw_sim_reset(sim);
    for (unsigned c = 0; c < TW_SIM_CONTEXTS; c++)
        for (unsigned i = 0; i < 12; i++)
            tw_sim_set_m(sim, c, i, i & 1 ? base + 8 * (data[i % size] + 256u * i) : data[i % size]);
    for (unsigned c = 0; c < TW_SIM_WORKERS; c++)
        for (unsigned i = 0; i < 8; i++) tw_sim_set_a(sim, c, i, data[(c + i) % size] * 0x01010101u);
    tw_sim_set_csr(sim, TW_SIM_SUPERVISOR, 0x20, data[1] & 7u ? 0 : (uint32_t)(data[1] >> 3) << 16 | 7);
    tw_sim_write(sim, base, data + 1, (uint32_t)size - 1);
}

static void run_all(tw_sim *sim, unsigned how, const tw_sim_launch *launch)
{
    if (how & 1)
        tw_sim_start(sim, TW_SIM_SUPERVISOR, launch);
    else
        tw_sim_start_all(sim, launch, 64, 0x100);
    for (unsigned i = 0; i < 20; i++) {
        tw_sim_stop stop = how & 2 ? tw_sim_step(sim, how & 1 ? TW_SIM_SUPERVISOR : 0) : tw_sim_run(sim, 500);
        if (stop == TW_SIM_FAULT) (void)strlen(tw_sim_get_exception(sim)->message);
    }
}

static void same_state(tw_sim *a, tw_sim *b, uint32_t bytes)
{
    const tw_sim_exception *x = tw_sim_get_exception(a), *y = tw_sim_get_exception(b);
    check(tw_sim_get_state(a, 0) == tw_sim_get_state(b, 0));
    check(tw_sim_turns(a, 0) == tw_sim_turns(b, 0));
    check(tw_sim_get_pc(a, 0) == tw_sim_get_pc(b, 0));
    check(tw_sim_exit_status(a, 0) == tw_sim_exit_status(b, 0));
    check(!x == !y && (!x || (x->cause == y->cause && x->pc == y->pc && x->in_repeat == y->in_repeat)));
    for (unsigned i = 0; i < 12; i++) check(tw_sim_get_m(a, 0, i) == tw_sim_get_m(b, 0, i));
    for (unsigned i = 0; i < 8; i++) check(tw_sim_get_a(a, 0, i) == tw_sim_get_a(b, 0, i));
    for (unsigned i = 0; i < 32; i++) check(tw_sim_get_accumulator(a, 0, i) == tw_sim_get_accumulator(b, 0, i));
    for (unsigned i = 0x100; i < 0x109; i++) {
        uint32_t p = 0, q = 0;
        tw_sim_get_csr(a, 0, i, &p), tw_sim_get_csr(b, 0, i, &q);
        check(p == q);
    }
    check(memcmp(tw_sim_memory(a), tw_sim_memory(b), bytes) == 0);
}

/* The limit of a run may end it behind an instruction of several turns; the other one goes as far. */
static void run_both(tw_sim *a, tw_sim *b, const tw_sim_launch *launch, uint32_t bytes)
{
    tw_sim_start(a, 0, launch), tw_sim_start(b, 0, launch);
    tw_sim_stop stop = tw_sim_run(a, TURNS);
    uint64_t turns = tw_sim_turns(a, 0);
    if (stop == TW_SIM_LIMIT)
        while (tw_sim_turns(b, 0) < turns && tw_sim_step(b, 0) == TW_SIM_LIMIT) {
        }
    else
        for (unsigned i = 0; i < 2 * TURNS && tw_sim_step(b, 0) == TW_SIM_LIMIT; i++) {
        }
    same_state(a, b, bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const tw_isa_arch archs[] = { TW_ISA_IPU1, TW_ISA_IPU2, TW_ISA_IPU21 };
    static uint8_t *memories[3][2];
    if (size < 2 || size > 4096) return 0;
    unsigned which = data[0] % 3, how = data[0] / 3;
    tw_sim_options options = {
        .size = sizeof options, .arch = archs[which], .ignore_clashes = how & 4, .denormals = how & 8
    };
    tw_sim *sims[2] = { sim_over(&memories[which][0], &options), NULL };
    if (how & 16) sims[1] = sim_over(&memories[which][1], &options);
    uint32_t base = tw_sim_memory_base(archs[which]);
    tw_sim_launch launch = { .entry = base, .vertex_base = base + 0x40000, .worker_base = base + 0x41000 };
    bool both = how & 16 && sims[1];
    for (unsigned i = 0; i < (both ? 2 : 1) && sims[i]; i++) prepare(sims[i], archs[which], data, size);
    if (both)
        run_both(sims[0], sims[1], &launch, tw_sim_memory_bytes(archs[which]));
    else if (sims[0])
        run_all(sims[0], how, &launch);
    tw_sim_free(sims[0]), tw_sim_free(sims[1]);
    return 0;
}

/* --- mutations ------------------------------------------------------------------------------------------------ */

enum { HEAD = 1, MOST = 4096, WORD = 4, PIECE = 10 };

typedef struct code {
    mutate_chance chance;
    uint8_t *words; /* of WORD bytes each */
    size_t count, most;
    tw_isa_arch arch;
    tw_isa_context context;
} code;

static void insert(code *k, size_t at, const uint32_t *words, size_t count)
{
    if (k->count + count > k->most) return;
    memmove(k->words + (at + count) * WORD, k->words + at * WORD, (k->count - at) * WORD);
    memcpy(k->words + at * WORD, words, count * WORD);
    k->count += count;
}

/* A number of words, 0 when chance found nothing legal. A half of a bundle is one of `pipe`; nobody waits in loops
 * for what else happens. */
static size_t make_word(code *k, bool bundled, tw_isa_pipe pipe, bool in_loop, uint32_t *out)
{
    const instruction_code places = { tw_sim_memory_base(k->arch), (uint32_t)(k->count * WORD) };
    for (unsigned tries = 0; tries < 60; tries++) {
        tw_insn insn = instruction_random(&k->chance, k->arch, &places);
        const tw_isa_row *row = tw_isa_get(insn.row);
        uint64_t word;
        insn.bundled = bundled;
        if (bundled && (row->pipe != pipe || row->flags & (TW_ISA_ALONE | TW_ISA_TWO_WORDS))) continue;
        if (in_loop && row->flags & (TW_ISA_CONTROL | TW_ISA_SYSTEM)) continue;
        if (!(row->context & k->context) && !mutate_one_in(&k->chance, 20)) continue;
        if (tw_insn_encode(k->arch, &insn, &word) != TW_OK) continue;
        memcpy(out, &word, sizeof word);
        return row->flags & TW_ISA_TWO_WORDS ? 2 : 1;
    }
    return 0;
}

static size_t make_bundle(code *k, bool in_loop, uint32_t *out)
{
    size_t main = make_word(k, true, TW_ISA_MAIN, in_loop, out);
    return main && make_word(k, true, TW_ISA_AUX, in_loop, out + 1) ? 2 : 0;
}

/* rpt with a number, and as many bundles as it says. */
static size_t make_loop(code *k, uint32_t *out)
{
    const tw_isa_row *row = tw_isa_find("rpt", NULL);
    size_t bundles = 1 + mutate_below(&k->chance, 3), n = 1;
    while (row && row->operands[0]->registers) row = tw_isa_find("rpt", row);
    if (!row) return 0;
    tw_insn insn = { .operands = { mutate_below(&k->chance, 30), (uint32_t)bundles - 1 } };
    while (tw_isa_get(insn.row) != row) insn.row++;
    uint64_t word;
    if (tw_insn_encode(k->arch, &insn, &word) != TW_OK) return 0;
    out[0] = (uint32_t)word;
    for (size_t i = 0; i < bundles; i++) {
        size_t made = make_bundle(k, true, out + n);
        if (!made) return 0;
        n += made;
    }
    return n;
}

static void change_operand(code *k, size_t at)
{
    const instruction_code places = { tw_sim_memory_base(k->arch), (uint32_t)(k->count * WORD) };
    uint32_t word;
    uint64_t changed;
    tw_insn insn;
    memcpy(&word, k->words + at * WORD, WORD);
    if (!tw_insn_decode(k->arch, word, &insn)) return;
    const tw_isa_row *row = tw_isa_get(insn.row);
    unsigned i = mutate_below(&k->chance, row->count);
    if (!row->count || row->flags & TW_ISA_TWO_WORDS) return;
    insn.operands[i] = instruction_operand(&k->chance, row->operands[i], &places);
    if (tw_insn_encode(k->arch, &insn, &changed) == TW_OK) memcpy(k->words + at * WORD, &changed, WORD);
}

static void change(code *k)
{
    uint32_t piece[PIECE] = { 0 };
    size_t at = mutate_below(&k->chance, k->count + 1), from = mutate_below(&k->chance, k->count);
    size_t some = 1 + mutate_below(&k->chance, 6), left = k->count - at, n = 0;
    switch (mutate_below(&k->chance, 8)) {
    case 0: /* some are gone */
        if (some > left) some = left;
        memmove(k->words + at * WORD, k->words + (at + some) * WORD, (left - some) * WORD);
        k->count -= some;
        return;
    case 1: /* some stand there once more */
        if (some > k->count - from) some = k->count - from;
        memcpy(piece, k->words + from * WORD, some * WORD);
        n = some;
        break;
    case 2:
    case 3:
        if (left) change_operand(k, at);
        return;
    case 4: n = make_loop(k, piece); break;
    case 5: n = make_bundle(k, false, piece); break;
    default:
        for (size_t made = 1; made && n < 4 && some--; n += made)
            made = make_word(k, false, TW_ISA_MAIN, false, piece + n);
    }
    insert(k, at, piece, n);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    static const tw_isa_arch archs[] = { TW_ISA_IPU1, TW_ISA_IPU2, TW_ISA_IPU21 };
    mutate_chance c = mutate_chance_of(seed);
    if (most > MOST) most = MOST;
    if (size < HEAD || size > most || mutate_one_in(&c, 10))
        return LLVMFuzzerMutate ? LLVMFuzzerMutate(data, size, most) : size;
    if (mutate_one_in(&c, 16)) data[0] = (uint8_t)mutate_below(&c, 256);
    tw_isa_context context = data[0] / 3 & 1 && !(data[0] / 3 & 16) ? TW_ISA_SUPERVISOR : TW_ISA_WORKER;
    code k = { c, data + HEAD, (size - HEAD) / WORD, (most - HEAD) / WORD, archs[data[0] % 3], context };
    for (unsigned n = 1 + mutate_below(&c, 4); n; n--) change(&k);
    return HEAD + k.count * WORD;
}
