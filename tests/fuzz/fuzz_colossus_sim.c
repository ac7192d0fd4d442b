/* SPDX-License-Identifier: MIT */
// needs: colossus
/* Any words as code of a tile, run by six workers or the supervisor: whatever it does ends in time, in a state that
 * can be told. One worker alone does the same in one piece and instruction by instruction. */
#include <tilewright/poplar/colossus/sim.h>

#include <stdlib.h>
#include <string.h>

enum { TURNS = 3000 };

static void check(bool ok)
{
    if (!ok) abort();
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
    if (size < 2 || size > 4096) return 0;
    unsigned which = data[0] % 3, how = data[0] / 3;
    tw_sim_options options = {
        .size = sizeof options, .arch = archs[which], .ignore_clashes = how & 4, .denormals = how & 8
    };
    tw_sim *sims[2] = { tw_sim_new(&options), tw_sim_new(&options) };
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
