/* profile: what cores did, as text and as the common profile. Cores are its tiles, in order of device, block and
 * number; each pipe is one compute set and one plan step, instructions are its vertex types. Pipes run side by side:
 * of the steps one after the other as much is overlapped as makes them end when the last core does; if the pipes
 * together were busy for less than that, a last step is the time in which all of a core waited. Every cycle is an
 * estimate. */
#include "pto/grid/grid.h"
#include "pto/cost/cost.h"

#include <stdlib.h>

static const struct tw__pto_tally *tally_of(const tw_pto *core, size_t row, unsigned pipe)
{
    return &core->tally[row * TW_PTO_PIPES + pipe];
}

void tw__pto_note_use(tw_pto *core, tw_pto_location location)
{
    uint64_t used = 0, size = core->memory[location].size;
    for (size_t i = 0; i < core->place_count; i++)
        if (core->places[i].used && core->places[i].location == location) used += core->places[i].bytes;
    if (used > size) used = size; /* tiles that share memory on purpose */
    if (used > core->peak[location]) core->peak[location] = (uint32_t)used;
}

void tw_pto_print_profile(FILE *out, const tw_pto *core)
{
    char cycles[32];
    fprintf(out, "cycles (estimated): %s\n", tw__commas(cycles, sizeof cycles, tw_pto_cycles(core)));
    for (int p = 0; p < TW_PTO_PIPES; p++)
        if (core->pipe_busy[p])
            fprintf(out, "  %-10s busy %s\n", tw_pto_pipe_name((tw_pto_pipe)p),
                    tw__commas(cycles, sizeof cycles, core->pipe_busy[p]));
    for (size_t i = 0; core->tally && i < tw__pto_row_count(); i++) {
        uint64_t calls = 0, sum = 0;
        for (unsigned p = 0; p < TW_PTO_PIPES; p++) {
            calls += tally_of(core, i, p)->calls;
            sum += tally_of(core, i, p)->cycles;
        }
        if (calls)
            fprintf(out, "  %-18s %8llu calls %12s cycles\n", tw__pto_row_at(i)->name, (unsigned long long)calls,
                    tw__commas(cycles, sizeof cycles, sum));
    }
}

/* --- the common profile ----------------------------------------------------------------------------------------- */

typedef struct recorder {
    tw_profile *p;
    tw_pto *const *cores;
    unsigned count;
    uint64_t *by_core; /* [count] */
    tw__type_cycles *types;
} recorder;

static void add_memories(recorder *r)
{
    static const char *const names[TW_PTO_LOCATIONS][2] = {
#define ROW(name, text, memory, cpp) { memory, "Tiles in " memory },
        TW_PTO_LOCATION_LIST(ROW)
#undef ROW
    };
    for (int l = 0; l < TW_PTO_LOCATIONS; l++) {
        uint64_t sum = 0;
        for (unsigned i = 0; i < r->count; i++) sum += r->by_core[i] = r->cores[i]->peak[l];
        if (sum)
            tw__profile_add_memory(r->p, names[l][0], names[l][1], TW__NON_INTERLEAVED, TW__NOT_OVERLAPPED,
                                   tw__profile_row(r->p, r->by_core, r->count), TW_FIDELITY_MODELLED);
    }
}

/* Cycles of each instruction on a pipe, over all cores, into r->types; the number of them. */
static size_t types_of(recorder *r, unsigned pipe, uint32_t set)
{
    size_t n = 0;
    for (size_t row = 0; row < tw__pto_row_count(); row++) {
        uint64_t calls = 0, cycles = 0;
        for (unsigned i = 0; i < r->count; i++) {
            calls += tally_of(r->cores[i], row, pipe)->calls;
            cycles += tally_of(r->cores[i], row, pipe)->cycles;
        }
        if (!calls && !cycles) continue;
        uint32_t type = tw__profile_add_vertex_type(r->p, tw__pto_row_at(row)->name, 0);
        tw__profile_add_vertices(r->p, set, type, calls);
        r->types[n++] = (tw__type_cycles){ .vertex_type = type, .instances = calls, .cycles = cycles };
    }
    return n;
}

/* One step per pipe in the order in which data passes them; `end`: cycle at which the last core ended. */
static unsigned add_steps(recorder *r, uint64_t end, uint64_t *calls)
{
    static const unsigned char pipes[] = { TW_PTO_PIPE_MTE2, TW_PTO_PIPE_MTE1, TW_PTO_PIPE_M, TW_PTO_PIPE_V,
                                           TW_PTO_PIPE_FIX,  TW_PTO_PIPE_MTE3, TW_PTO_PIPE_S };
    uint64_t longest[sizeof pipes], sum = 0, before = 0;
    unsigned steps = 0;
    for (size_t k = 0; k < sizeof pipes; k++) {
        longest[k] = 0;
        for (unsigned i = 0; i < r->count; i++)
            if (r->cores[i]->pipe_busy[pipes[k]] > longest[k]) longest[k] = r->cores[i]->pipe_busy[pipes[k]];
        sum += longest[k];
    }
    uint64_t excess = sum > end ? sum - end : 0;
    for (size_t k = 0; k < sizeof pipes; k++) {
        const char *name = tw_pto_pipe_name((tw_pto_pipe)pipes[k]);
        if (!longest[k]) continue;
        for (unsigned i = 0; i < r->count; i++) r->by_core[i] = r->cores[i]->pipe_busy[pipes[k]];
        uint32_t set = tw__profile_add_compute_set(r->p, name);
        size_t types = types_of(r, pipes[k], set);
        for (size_t i = 0; i < types; i++) *calls += r->types[i].instances;
        uint64_t most = before < longest[k] ? before : longest[k], overlapped = excess < most ? excess : most;
        uint32_t program = tw__profile_add_program(r->p, TW_PROGRAM_ON_TILE_EXECUTE, name, TW__NONE, set, 0);
        tw__profile_add_step(r->p, &(tw__step_desc){ .type = TW_PROGRAM_ON_TILE_EXECUTE,
                                                     .name = name,
                                                     .program = program,
                                                     .index = set,
                                                     .overlapped = overlapped,
                                                     .active = tw__profile_row(r->p, r->by_core, r->count),
                                                     .types = r->types,
                                                     .type_count = types,
                                                     .fidelity = TW_FIDELITY_ESTIMATED });
        excess -= overlapped;
        before += longest[k] - overlapped;
        steps++;
    }
    if (sum >= end) return steps;
    tw__profile_add_step(r->p, &(tw__step_desc){ .type = TW_PROGRAM_SYNC,
                                                 .sync = TW_PROFILE_SYNC_INTERNAL,
                                                 .no_program = true,
                                                 .cycles = end - sum,
                                                 .fidelity = TW_FIDELITY_ESTIMATED });
    return steps + 1;
}

static tw_profile *record(tw_pto *const *cores, unsigned count, unsigned devices, uint64_t end)
{
    const tw_pto *first = cores[0];
    uint64_t bytes = 0, calls = 0;
    for (int l = 0; l < TW_PTO_LOCATIONS; l++) bytes += tw__pto_memory_size(first->target, (tw_pto_location)l);
    tw__profile_target target = { .type = "ASCEND_PTO",
                                  .arch = tw_pto_target_name(first->target),
                                  .ipus = devices,
                                  .tiles_per_ipu = count / devices,
                                  .replicas = 1,
                                  .bytes_per_tile = bytes,
                                  .clock_hz = tw__pto_clock(first->target) };
    recorder r = { .p = tw__profile_new(&target), .cores = cores, .count = count };
    r.by_core = tw__calloc(count, sizeof *r.by_core);
    r.types = tw__calloc(tw__pto_row_count(), sizeof *r.types);
    if (r.p && r.by_core && r.types) {
        add_memories(&r);
        unsigned steps = add_steps(&r, end, &calls);
        tw__profile_set_counts(r.p, calls, 0, 0, steps);
        tw__profile_run_begin(r.p, "");
        for (unsigned s = 0; s < steps; s++) tw__profile_step(r.p, s);
        tw__profile_run_end(r.p, 0);
    }
    bool good = r.p && r.by_core && r.types && tw__profile_status(r.p) == TW_OK;
    free(r.by_core);
    free(r.types);
    if (good) return r.p;
    tw_profile_free(r.p);
    tw__fail(TW_E_NO_MEMORY, "no memory for a profile");
    return NULL;
}

static tw_profile *missing(void)
{
    tw__fail(TW_E_MISSING_PROFILE, "the cores were made without TW_PTO_PROFILE");
    return NULL;
}

tw_profile *tw_pto_profile(tw_pto *core)
{
    if (tw__pto_given(core, "core") != TW_OK) return NULL;
    return core->tally ? record(&core, 1, 1, tw_pto_cycles(core)) : missing();
}

tw_profile *tw_pto_grid_profile(const tw_pto_grid *grid)
{
    if (tw__pto_given(grid, "grid") != TW_OK) return NULL;
    if (!grid->cores[0]->tally) return missing();
    return record(grid->cores, grid->count, grid->launch.devices, tw_pto_grid_cycles(grid));
}
