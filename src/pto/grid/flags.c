/* SPDX-License-Identifier: MIT */
/* flags: flags and barriers between cores. A flag is a pair of counters per core: what it has set and what it has
 * waited for; a core goes on when everybody it waits for has set more often than it has waited. Modes are those of
 * the chip (same kind over all blocks; vector cores of a block; cube and vector cores of a block). */
#include "pto/grid/grid.h"

static bool in_group(const tw_pto *core, const tw_pto *other, tw_pto_sync_mode mode)
{
    const tw_pto_identity *a = &core->identity, *b = &other->identity;
    if (a->device != b->device) return false;
    if (mode == TW_PTO_SYNC_SAME_KIND) return a->kind == b->kind;
    if (core->seat->block != other->seat->block) return false;
    if (a->kind == TW_PTO_WHOLE) return true;
    if (mode == TW_PTO_SYNC_VECTORS) return b->kind == TW_PTO_VECTOR;
    return a->kind != b->kind;
}

typedef struct flag {
    tw_pto_sync_mode mode;
    unsigned id;
} flag;

/* The n-th core of the group whose sets `core` waits for, NULL past the end. */
static tw_pto *member(const tw_pto *core, tw_pto_sync_mode mode, unsigned *from)
{
    const tw_pto_grid *grid = core->seat->grid;
    while (*from < grid->count) {
        tw_pto *other = grid->cores[(*from)++];
        if (in_group(core, other, mode)) return other;
    }
    return NULL;
}

static bool all_set(const tw_pto *core, const void *what)
{
    const flag *f = what;
    uint64_t waited = core->seat->sync[f->mode][f->id].waited;
    unsigned from = 0;
    for (const tw_pto *other; (other = member(core, f->mode, &from));)
        if (other->seat->sync[f->mode][f->id].sent <= waited) return false;
    return true;
}

static void tell_flag(const tw_pto *core, const void *what, GString *text)
{
    char name[64];
    const flag *f = what;
    uint64_t waited = core->seat->sync[f->mode][f->id].waited;
    unsigned from = 0;
    g_string_append_printf(text, "in sync.wait for flag %u (mode %d), which has not been set by", f->id,
                           (int)f->mode);
    const char *comma = " ";
    for (const tw_pto *other; (other = member(core, f->mode, &from));)
        if (other->seat->sync[f->mode][f->id].sent <= waited) {
            g_string_append_printf(text, "%s%s%s", comma, tw_pto_core_name(other, name),
                                   other->seat->ended ? ", which has ended" : "");
            comma = "; ";
        }
}

static tw_status check_flag(const tw_pto *core, const char *what, tw_pto_pipe pipe, flag f)
{
    const char *profile = tw_pto_target_name(core->target);
    if ((unsigned)pipe >= TW_PTO_PIPES)
        return tw__fail(TW_E_INVALID_ARGUMENT, "%s: unknown pipe %d [rule sync.pipe, profile %s]", what, (int)pipe,
                        profile);
    if (f.id >= TW__SYNC_IDS)
        return tw__fail(TW_E_INVALID_ARGUMENT, "%s: flag %u; there are %d [rule sync.id, profile %s]", what, f.id,
                        TW__SYNC_IDS, profile);
    if ((unsigned)f.mode >= TW_PTO_SYNC_MODES)
        return tw__fail(TW_E_INVALID_ARGUMENT, "%s: mode %d; there are 0 to 2 [rule sync.mode, profile %s]", what,
                        (int)f.mode, profile);
    if (f.mode == TW_PTO_SYNC_VECTORS && core->identity.kind == TW_PTO_CUBE)
        return tw__fail(TW_E_INVALID_ARGUMENT,
                        "%s: mode 1 is between vector cores, this is a cube core [rule sync.mode, profile %s]",
                        what, profile);
    return TW_OK;
}

/* The fewest waits among the cores that wait for this one's sets. */
static uint64_t fewest_waits(const tw_pto *core, flag f)
{
    const tw_pto_grid *grid = core->seat->grid;
    uint64_t least = UINT64_MAX;
    for (unsigned i = 0; i < grid->count; i++) {
        const tw_pto *other = grid->cores[i];
        if (in_group(other, core, f.mode) && other->seat->sync[f.mode][f.id].waited < least)
            least = other->seat->sync[f.mode][f.id].waited;
    }
    return least;
}

tw_status tw_pto_sync_set(tw_pto *core, tw_pto_pipe pipe, unsigned id, tw_pto_sync_mode mode)
{
    if (!core) return tw__pto_given(core, "core");
    flag f = { mode, id };
    if (!tw__pto_seat(core)) return TW_E_NO_MEMORY;
    tw_status status = check_flag(core, "sync.set", pipe, f);
    if (status != TW_OK) return status;
    tw__sync *s = &core->seat->sync[mode][id];
    uint64_t waited = fewest_waits(core, f);
    if (waited != UINT64_MAX && s->sent >= waited + TW__SYNC_COUNT)
        return tw__fail(TW_E_INVALID_ARGUMENT,
                        "sync.set: flag %u has been set %d times and nobody has waited for it "
                        "[rule sync.overflow, profile %s]",
                        id, TW__SYNC_COUNT, tw_pto_target_name(core->target));
    s->at[s->sent % (TW__SYNC_COUNT + 1)] =
        pipe == TW_PTO_PIPE_ALL ? tw_pto_cycles(core) : tw__pto_done(core, pipe);
    s->sent++;
    return TW_OK;
}

tw_status tw_pto_sync_wait(tw_pto *core, tw_pto_pipe pipe, unsigned id, tw_pto_sync_mode mode)
{
    if (!core) return tw__pto_given(core, "core");
    flag f = { mode, id };
    if (!tw__pto_seat(core)) return TW_E_NO_MEMORY;
    tw_status status = check_flag(core, "sync.wait", pipe, f);
    if (status == TW_OK) status = tw__pto_wait(core, (tw__wait){ all_set, tell_flag, &f });
    if (status != TW_OK) return status;
    uint64_t waited = core->seat->sync[mode][id].waited++;
    unsigned from = 0;
    for (const tw_pto *other; (other = member(core, mode, &from));)
        tw__pto_delay(core, pipe, other->seat->sync[mode][id].at[waited % (TW__SYNC_COUNT + 1)], "flag of a core",
                      other, id);
    return TW_OK;
}

/* --- SYNCALL ---------------------------------------------------------------------------------------------------- */

static bool takes_part(const tw_pto *core, tw_pto_core_set set)
{
    tw_pto_core_kind kind = core->identity.kind;
    return set == TW_PTO_CORES_MIX || kind == TW_PTO_WHOLE ||
           kind == (set == TW_PTO_CORES_AIV_ONLY ? TW_PTO_VECTOR : TW_PTO_CUBE);
}

static bool is_member(const tw_pto *core, const tw_pto *other, tw_pto_core_set set)
{
    return other->identity.device == core->identity.device && takes_part(other, set);
}

static tw__barrier *barrier_of(const tw_pto *core, tw_pto_core_set set)
{
    return &core->seat->grid->barriers[core->identity.device * TW__CORE_SETS + (unsigned)set];
}

typedef struct meeting {
    tw_pto_core_set set;
    uint64_t turn;
} meeting;

static bool turn_over(const tw_pto *core, const void *what)
{
    const meeting *m = what;
    return barrier_of(core, m->set)->turn > m->turn;
}

static void tell_meeting(const tw_pto *core, const void *what, GString *text)
{
    char name[64];
    const meeting *m = what;
    const tw_pto_grid *grid = core->seat->grid;
    unsigned missing = 0;
    g_string_append(text, "in SYNCALL for");
    for (unsigned i = 0; i < grid->count; i++) {
        const tw_pto *other = grid->cores[i];
        const tw__seat *seat = other->seat;
        if (!is_member(core, other, m->set)) continue;
        if (seat->wait.ready == turn_over && ((const meeting *)seat->wait.what)->set == m->set) continue;
        if (other == core) continue;
        if (missing++ < 4)
            g_string_append_printf(text, "%s %s%s", missing > 1 ? ";" : "", tw_pto_core_name(other, name),
                                   seat->ended ? ", which has ended" : "");
    }
    if (missing > 4) g_string_append_printf(text, "; and %u more", missing - 4);
}

static tw_status meet(tw_pto *core, tw_pto_core_set set)
{
    const tw_pto_grid *grid = core->seat->grid;
    tw__barrier *b = barrier_of(core, set);
    unsigned counted = 0;
    uint64_t now = tw_pto_cycles(core);
    for (unsigned i = 0; b->expected == 0 && i < grid->count; i++) counted += is_member(core, grid->cores[i], set);
    if (b->expected == 0) b->expected = counted;
    meeting m = { set, b->turn };
    if (now > b->latest) b->latest = now;
    if (++b->arrived == b->expected) {
        b->completed_at = b->latest;
        b->arrived = 0;
        b->latest = 0;
        b->turn++;
    }
    tw_status status = tw__pto_wait(core, (tw__wait){ turn_over, tell_meeting, &m });
    if (status == TW_OK) tw__pto_delay(core, TW_PTO_PIPE_ALL, b->completed_at, "all cores", NULL, TW__NO_ID);
    return status;
}

tw_status tw__pto_check_sync_all(tw__pto_call *call)
{
    enum { WORKSPACE = 16 };
    if ((unsigned)call->attrs->cores >= TW__CORE_SETS)
        return tw__pto_refuse(call, TW__NO_OPERAND, "syncall.cores", "cores are mix, aiv_only or aic_only");
    if (call->count) {
        const tw_pto_tensor *g = call->operand[0].tensor;
        size_t rows, cols;
        tw_pto_tensor_extents(g, &rows, &cols);
        if (g->type != TW_I32 || rows * cols < WORKSPACE)
            return tw__pto_refuse(call, 0, "syncall.workspace", "the workspace is %d or more i32", WORKSPACE);
    }
    if (call->core && tw__pto_seat(call->core) && !takes_part(call->core, (tw_pto_core_set)call->attrs->cores))
        return tw__pto_refuse(call, TW__NO_OPERAND, "syncall.cores", "a %s is not among the cores that meet",
                              tw__pto_kind_name(call->core->identity.kind));
    return TW_OK;
}

tw_status tw__pto_run_sync_all(tw__pto_call *call)
{
    if (!tw__pto_seat(call->core)) return TW_E_NO_MEMORY;
    return meet(call->core, (tw_pto_core_set)call->attrs->cores);
}
