/* SPDX-License-Identifier: MIT */
/* flags_intra: flags between the cube core of a block and each of its vector cores alone (A5). The cube core names
 * flag n of
 * vector core 0 as n and that of vector core 1 as n + 16; a vector core has 0 to 15. Each direction counts by itself.
 * A core that is cube and vector in one has flags with itself. How programs use them is from published kernels; how
 * often a flag may be set before somebody waits is estimated: as for the flags of grid/flags.c. */
#include "pto/grid/grid.h"

typedef struct intra {
    unsigned vector; /* vector core that shares the flag */
    unsigned id;     /* 0 to 15 */
    bool to_cube;    /* who waits */
} intra;

static tw_status TW_PRINTF(4, 5)
    refuse(const tw_pto *core, const char *what, const char *rule, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *message = g_strdup_vprintf(format, args);
    va_end(args);
    tw_status status = tw__fail(TW_E_INVALID_ARGUMENT, "%s: %s [rule intra.%s, profile %s]", what, message, rule,
                                tw_pto_target_name(core->target));
    g_free(message);
    return status;
}

static tw_status flags_intra_describe(const tw_pto *core, const char *what, tw_pto_pipe pipe, unsigned id,
                                      bool waits, intra *out)
{
    const tw_pto_identity *me = &core->identity;
    bool is_vector = me->kind == TW_PTO_VECTOR;
    unsigned cores = me->kind == TW_PTO_WHOLE ? 1 : core->seat->grid->launch.vectors;
    if (core->target == TW_PTO_A2A3)
        return refuse(core, what, "target", "flag %u: A5 alone has flags to one vector core; sync.set goes to both",
                      id);
    if ((unsigned)pipe >= TW_PTO_PIPES) return refuse(core, what, "pipe", "unknown pipe %u", pipe);
    if (id >= (is_vector ? 1 : TW__INTRA_CORES) * TW__SYNC_IDS)
        return refuse(core, what, "id",
                      is_vector ? "flag %u; a vector core has 0 to 15"
                                : "flag %u; there are 0 to 15 with vector core 0 and 16 to 31 with vector core 1",
                      id);
    *out = (intra){ is_vector ? me->sub_block : id / TW__SYNC_IDS, id % TW__SYNC_IDS,
                    me->kind != TW_PTO_WHOLE && is_vector != waits };
    if (out->vector >= cores)
        return refuse(core, what, "core", "flag %u is one with vector core 1, which this block does not have", id);
    return TW_OK;
}

static tw__sync *flag_of(const tw_pto *core, const intra *f)
{
    return &core->seat->block->intra[(f->to_cube * TW__INTRA_CORES + f->vector) * TW__SYNC_IDS + f->id];
}

static tw_status flags_intra_allocate(tw_pto *core)
{
    if (!tw__pto_seat(core)) return TW_E_NO_MEMORY;
    tw__block *block = core->seat->block;
    if (!block->intra) block->intra = tw__calloc(2 * TW__INTRA_CORES * TW__SYNC_IDS, sizeof *block->intra);
    return block->intra ? TW_OK : tw__fail(TW_E_NO_MEMORY, "no memory for the flags of a block");
}

static bool is_set(const tw_pto *core, const void *what)
{
    const tw__sync *s = flag_of(core, what);
    return s->sent > s->waited;
}

static void flags_intra_tell(const tw_pto *core, const void *what, GString *text)
{
    char name[64];
    const intra *f = what;
    bool whole = core->identity.kind == TW_PTO_WHOLE;
    const tw_pto *other = whole ? core : tw__pto_mate(core, f->to_cube ? 1 + f->vector : 0);
    g_string_append_printf(text, "in wait_intra_block for flag %u, which has not been set by %s%s", f->id,
                           tw_pto_core_name(other, name), other->seat->ended ? ", which has ended" : "");
}

tw_status tw_pto_intra_set(tw_pto *core, tw_pto_pipe pipe, unsigned id)
{
    if (!core) return tw__pto_given(core, "core");
    intra f = { 0 };
    tw_status status = flags_intra_allocate(core);
    if (status == TW_OK) status = flags_intra_describe(core, "set_intra_block", pipe, id, false, &f);
    if (status != TW_OK) return status;
    tw__sync *s = flag_of(core, &f);
    if (s->sent >= s->waited + TW__SYNC_COUNT)
        return refuse(core, "set_intra_block", "overflow",
                      "flag %u has been set 15 times and nobody has waited for it", id);
    s->at[s->sent++ % (TW__SYNC_COUNT + 1)] =
        pipe == TW_PTO_PIPE_ALL ? tw_pto_cycles(core) : tw__pto_done(core, pipe);
    return TW_OK;
}

tw_status tw_pto_intra_wait(tw_pto *core, tw_pto_pipe pipe, unsigned id)
{
    if (!core) return tw__pto_given(core, "core");
    intra f = { 0 };
    tw_status status = flags_intra_allocate(core);
    if (status == TW_OK) status = flags_intra_describe(core, "wait_intra_block", pipe, id, true, &f);
    if (status == TW_OK) status = tw__pto_wait(core, (tw__wait){ is_set, flags_intra_tell, &f });
    if (status != TW_OK) return status;
    tw__sync *s = flag_of(core, &f);
    tw__pto_delay(core, pipe, s->at[s->waited++ % (TW__SYNC_COUNT + 1)], "flag of a core", NULL, id);
    return TW_OK;
}
