/* SPDX-License-Identifier: MIT */
/* profile: what cores did, as text and as the common profile. Cores are its tiles, in order of device, block and
 * number; the whole run is one plan step, in which a core is active while one of its pipes works; pipes are threads
 * of a core and, where a timeline was kept, lanes with an interval for each instruction. Instructions are vertex
 * types. Every cycle is an estimate. */
#include "pto/grid/grid.h"
#include "pto/profile/profile.h"

#include <stdlib.h>

static const struct tw__pto_tally *tally_of(const tw_pto *core, size_t row, unsigned pipe)
{
    return &core->tally[row * TW_PTO_PIPES + pipe];
}

void tw_pto_print_profile(FILE *out, const tw_pto *core)
{
    char cycles[32], band[64];
    tw_band_text(tw_band_find(tw__pto_chip(core->target), NULL), band, sizeof band);
    fprintf(out, "cycles (estimated): %s, %s\n", tw__commas(cycles, sizeof cycles, tw_pto_cycles(core)), band);
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
    uint64_t end; /* cycle at which the last core ended */
} recorder;

static bool add_memories(recorder *r)
{
    static const char *const names[TW_PTO_LOCATIONS][2] = {
#define ROW(name, number, text, memory, cpp) [number] = { memory, "Tiles in " memory },
        TW_PTO_LOCATION_LIST(ROW)
#undef ROW
    };
    uint64_t *total = tw__calloc(r->count, sizeof *total);
    for (int l = 0; l < TW_PTO_LOCATIONS && total; l++) {
        uint64_t sum = 0, size = tw__pto_memory_size(r->cores[0]->target, (tw_pto_location)l);
        for (unsigned i = 0; i < r->count; i++) {
            sum += r->by_core[i] = r->cores[i]->peak[l];
            total[i] += r->by_core[i];
        }
        if (!sum) continue;
        tw__profile_add_memory(r->p, names[l][0], names[l][1], TW__NON_INTERLEAVED, TW__NOT_OVERLAPPED,
                               tw__profile_row(r->p, r->by_core, r->count), TW_FIDELITY_MODELLED);
        if (size) tw__profile_add_memory_limit(r->p, names[l][0], size);
        if (size) tw__profile_add_region(r->p, names[l][0], names[l][0], 0, size);
    }
    if (total) tw__profile_set_placement(r->p, tw__profile_row(r->p, total, r->count), 0, NULL);
    free(total);
    return total != NULL;
}

/* --- instructions ---------------------------------------------------------------------------------------------- */

typedef struct kind { /* forms of one name on one pipe */
    const char *name;
    unsigned pipe;
    uint64_t calls, cycles, worst; /* worst: of one call; 0 = it is made of others */
    uint32_t worst_core;
} kind;

static kind *kind_of(kind *kinds, size_t *count, const char *name, unsigned pipe)
{
    for (size_t k = 0; k < *count; k++)
        if (kinds[k].pipe == pipe && !strcmp(kinds[k].name, name)) return &kinds[k];
    kinds[*count] = (kind){ .name = name, .pipe = pipe };
    return &kinds[(*count)++];
}

static size_t profile_collect(const recorder *r, kind *kinds)
{
    size_t count = 0;
    for (size_t row = 0; row < tw__pto_row_count(); row++)
        for (unsigned pipe = 0; pipe < TW_PTO_PIPES; pipe++)
            for (unsigned i = 0; i < r->count; i++) {
                const struct tw__pto_tally *t = tally_of(r->cores[i], row, pipe);
                if (!t->calls && !t->cycles) continue;
                kind *k = kind_of(kinds, &count, tw__pto_row_at(row)->name, pipe);
                k->calls += t->calls;
                k->cycles += t->cycles;
                if (t->worst > k->worst) k->worst = t->worst, k->worst_core = i;
            }
    return count;
}

/* "TMOV" where one pipe has it, else "TMOV (PIPE_MTE1)". */
static uint32_t add_type(recorder *r, const kind *kinds, size_t count, const kind *k)
{
    char text[96];
    bool several = false;
    for (size_t i = 0; i < count; i++) several |= &kinds[i] != k && !strcmp(kinds[i].name, k->name);
    snprintf(text, sizeof text, several ? "%s (%s)" : "%s", k->name, tw_pto_pipe_name((tw_pto_pipe)k->pipe));
    return tw__profile_add_vertex_type(r->p, text, 0);
}

/* Cycles in which a core works on one pipe at least: pipes run side by side, so this is less than their sum. Without
 * a timeline it is not known how much: then it is that sum, or the core's whole time if that is less. */
static uint64_t active_cycles(tw_pto *core)
{
    uint64_t busy = 0, end = tw_pto_cycles(core);
    if (core->timeline) return tw__timeline_busy(core);
    for (int p = 0; p < TW_PTO_PIPES; p++) busy += core->pipe_busy[p];
    return busy < end ? busy : end;
}

/* The run, and the moment at its end at which all cores have waited for the last. */
static bool add_steps(recorder *r, uint64_t *calls)
{
    size_t room = tw__pto_row_count() * TW_PTO_PIPES;
    kind *kinds = tw__calloc(room, sizeof *kinds);
    r->types = tw__calloc(room, sizeof *r->types);
    size_t count = kinds && r->types ? profile_collect(r, kinds) : 0;
    uint32_t set = tw__profile_add_compute_set(r->p, "run"), used = 0;
    for (size_t k = 0; k < count; k++) {
        uint32_t type = add_type(r, kinds, count, &kinds[k]);
        tw__profile_add_vertices(r->p, set, type, kinds[k].calls);
        r->types[k] = (tw__type_cycles){ .vertex_type = type,
                                         .instances = kinds[k].calls,
                                         .cycles = kinds[k].cycles,
                                         .worst = kinds[k].worst,
                                         .worst_tile = kinds[k].worst_core };
        used |= 1u << kinds[k].pipe;
        *calls += kinds[k].calls;
    }
    tw__profile_set_threads(r->p, (uint32_t)__builtin_popcount(used));
    for (unsigned i = 0; i < r->count; i++) r->by_core[i] = active_cycles(r->cores[i]);
    uint32_t program = tw__profile_add_program(r->p, TW_PROGRAM_ON_TILE_EXECUTE, "run", TW__NONE, set, 0);
    tw__profile_add_step(r->p, &(tw__step_desc){ .type = TW_PROGRAM_ON_TILE_EXECUTE,
                                                 .name = "run",
                                                 .program = program,
                                                 .index = set,
                                                 .cycles = r->end,
                                                 .active = tw__profile_row(r->p, r->by_core, r->count),
                                                 .types = r->types,
                                                 .type_count = count,
                                                 .fidelity = TW_FIDELITY_ESTIMATED });
    tw__profile_add_step(r->p, &(tw__step_desc){ .type = TW_PROGRAM_SYNC,
                                                 .sync = TW_PROFILE_SYNC_INTERNAL,
                                                 .no_program = true,
                                                 .fidelity = TW_FIDELITY_ESTIMATED });
    tw__timeline_record(r->cores, r->count, r->p);
    tw__flow_record(r->cores, r->count, r->p);
    uint64_t global = 0;
    for (unsigned i = 0; i < r->count; i++) global += r->cores[i]->global_bytes;
    tw__profile_add_optimization(r->p, TW__SHARED_MEMORY_BYTES, (double)global);
    free(kinds);
    return kinds && r->types;
}

static tw_profile *record(tw_pto *const *cores, unsigned count, unsigned devices, uint64_t end)
{
    const tw_pto *first = cores[0];
    uint64_t bytes = 0, calls = 0;
    for (int l = 0; l < TW_PTO_LOCATIONS; l++) bytes += tw__pto_memory_size(first->target, (tw_pto_location)l);
    tw__profile_target target = { .type = "ASCEND_PTO",
                                  .arch = tw_pto_target_name(first->target),
                                  .chip = tw__pto_chip(first->target),
                                  .ipus = devices,
                                  .tiles_per_ipu = count / devices,
                                  .replicas = 1,
                                  .bytes_per_tile = bytes,
                                  .clock_hz = tw__pto_clock(first->target) };
    recorder r = { .p = tw__profile_new(&target), .cores = cores, .count = count, .end = end };
    r.by_core = tw__calloc(count, sizeof *r.by_core);
    bool good = r.p && r.by_core;
    if (good) {
        tw__profile_set_program(r.p);
        good = add_memories(&r) && add_steps(&r, &calls);
        tw__profile_set_counts(r.p, calls, 0, 0, 1);
        tw__profile_run_begin(r.p, "");
        for (unsigned s = 0; s < 2; s++) tw__profile_step(r.p, s);
        tw__profile_run_end(r.p, 0);
    }
    good = good && tw__profile_status(r.p) == TW_OK;
    for (unsigned i = 0; i < count; i++) good &= !cores[i]->cost_lost;
    free(r.by_core);
    free(r.types);
    if (good) return r.p;
    tw_profile_free(r.p);
    tw__fail(TW_E_NO_MEMORY, "no memory for a profile");
    return NULL;
}

static tw_profile *profile_missing(void)
{
    tw__fail(TW_E_MISSING_PROFILE, "the cores were made without TW_PTO_PROFILE");
    return NULL;
}

/* What `tilewright run --report` asks for; nothing of cores that did nothing. */
void tw__pto_leave_profile(tw_pto *const *cores, unsigned count, unsigned devices)
{
    uint64_t end = 0;
    for (unsigned i = 0; i < count; i++) {
        if (!cores[i] || !cores[i]->tally) return;
        if (tw_pto_cycles(cores[i]) > end) end = tw_pto_cycles(cores[i]);
    }
    if (!end || !tw__profile_wanted()) return;
    tw_profile *p = record(cores, count, devices, end);
    tw__profile_leave(p);
    tw_profile_free(p);
}

tw_profile *tw_pto_profile(tw_pto *core)
{
    if (tw__pto_given(core, "core") != TW_OK) return NULL;
    return core->tally ? record(&core, 1, 1, tw_pto_cycles(core)) : profile_missing();
}

tw_profile *tw_pto_grid_profile(const tw_pto_grid *grid)
{
    if (tw__pto_given(grid, "grid") != TW_OK) return NULL;
    if (!grid->cores[0]->tally) return profile_missing();
    return record(grid->cores, grid->count, grid->launch.devices, tw_pto_grid_cycles(grid));
}
