// needs: colossus
/* Any words as code of a tile, run by six workers or the supervisor: whatever it does ends in time, in a state that
 * can be told. */
#include <tilewright/poplar/colossus/sim.h>

#include <string.h>

static void run(tw_sim *sim, unsigned how, uint32_t entry)
{
    tw_sim_launch launch = { .entry = entry, .vertex_base = entry + 0x40000, .worker_base = entry + 0x41000 };
    if (how & 1)
        tw_sim_start(sim, TW_SIM_SUPERVISOR, &launch);
    else
        tw_sim_start_all(sim, &launch, 64, 0x100);
    for (unsigned i = 0; i < 20; i++) {
        tw_sim_stop stop = how & 2 ? tw_sim_step(sim, how & 1 ? TW_SIM_SUPERVISOR : 0) : tw_sim_run(sim, 500);
        if (stop == TW_SIM_FAULT) (void)strlen(tw_sim_get_exception(sim)->message);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const tw_isa_arch archs[] = { TW_ISA_IPU1, TW_ISA_IPU2, TW_ISA_IPU21 };
    static tw_sim *sims[3]; /* kept: memory and what is decoded of it go through many programs */
    if (size < 2 || size > 4096) return 0;
    unsigned which = data[0] % 3, how = data[0] / 3;
    tw_sim_options options = { .arch = archs[which], .ignore_clashes = how & 4, .denormals = how & 8 };
    if (!sims[which] && !(sims[which] = tw_sim_new(&options))) return 0;
    tw_sim *sim = sims[which];
    tw_sim_reset(sim);
    uint32_t base = tw_sim_memory_base(archs[which]);
    for (unsigned c = 0; c < TW_SIM_CONTEXTS; c++)
        for (unsigned i = 0; i < 12; i++)
            tw_sim_set_m(sim, c, i, i & 1 ? base + 8 * (data[i % size] + 256u * i) : data[i % size]);
    for (unsigned c = 0; c < TW_SIM_WORKERS; c++)
        for (unsigned i = 0; i < 8; i++) tw_sim_set_a(sim, c, i, data[(c + i) % size] * 0x01010101u);
    tw_sim_set_csr(sim, TW_SIM_SUPERVISOR, 0x20, data[1] & 7u ? 0 : (uint32_t)(data[1] >> 3) << 16 | 7);
    tw_sim_write(sim, base, data + 1, (uint32_t)size - 1);
    run(sim, how, base);
    return 0;
}
