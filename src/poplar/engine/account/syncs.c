/* SPDX-License-Identifier: MIT */
/* Who waits for whom at a sync, and how long (guide 2.7.2 and 2.7.3).
 *
 *   configuration      GS1                                        GS2
 *   intraReplicaAnd*   IPUs of a replica: exchanges, remote       all IPUs: exchanges between replicas, host
 *                      buffers; with syncReplicasIndependently
 *                      also the host
 *   ipuAndAll          each IPU: remote buffers; with             all IPUs: exchanges, host
 *                      syncReplicasIndependently also the host
 *
 * In intraReplicaAndLadder GS2 belongs to two independent sets of IPUs. The guide does not say which; here they are
 * the two sides of the ladder (assumed), and a host exchange of one side waits for that side alone. Software syncs
 * take the place of what follows a host exchange: each IPU goes on as soon as its own transfer is done.
 *
 * Cost: the slowest tile of an IPU, and with several IPUs what the signal takes between them on top (estimates). */
#include "poplar/engine/account/account.h"

#include <string.h>

typedef enum scope { SCOPE_IPU, SCOPE_REPLICA, SCOPE_SIDE, SCOPE_ALL } sync_scope;

typedef struct who {
    const char *group;
    sync_scope scope;
} who;

static who who_waits(const tw_engine *engine, tw__sync_purpose purpose, int side)
{
    tw_sync_configuration configuration = tw_target_sync_configuration(engine->target);
    bool by_ipu = configuration == TW_SYNC_IPU_AND_ALL;
    bool independent = tw__options_bool(engine->options, "target.syncReplicasIndependently");
    who first = { "GS1", by_ipu ? SCOPE_IPU : SCOPE_REPLICA }, second = { "GS2", SCOPE_ALL };
    switch (purpose) {
    case TW__SYNC_IN_IPU: break;
    case TW__SYNC_BETWEEN_IPUS: return by_ipu ? second : first;
    case TW__SYNC_REMOTE: return first;
    case TW__SYNC_HOST:
        if (independent) return first;
        if (configuration == TW_SYNC_INTRA_REPLICA_AND_LADDER && side >= 0) second.scope = SCOPE_SIDE;
        return second;
    case TW__SYNC_BETWEEN_REPLICAS:
    case TW__SYNC_ALL: return second;
    }
    return (who){ "", SCOPE_IPU };
}

static unsigned members(const tw_engine *engine, sync_scope scope)
{
    unsigned ipus = tw_target_ipus(engine->target), replicas = engine->core->replicas;
    if (scope == SCOPE_IPU) return 1;
    if (engine->core->created) { /* of which the target is one */
        unsigned all = engine->core->device_ipus;
        return scope == SCOPE_SIDE ? (all + 1) / 2 : scope == SCOPE_ALL ? all : ipus;
    }
    if (scope == SCOPE_SIDE) return (ipus + 1) / 2;
    if (scope == SCOPE_ALL || replicas < 2) return ipus;
    return replicas < ipus ? ipus / replicas : 1;
}

tw__sync_cost tw__sync_cost_of(const tw_engine *engine, tw__sync_purpose purpose, int side, bool after)
{
    const tw_target *target = engine->target;
    unsigned ipus = engine->core->created ? engine->core->device_ipus : tw_target_ipus(target);
    who w = who_waits(engine, purpose, side);
    if (after && purpose == TW__SYNC_HOST && tw__options_bool(engine->options, "opt.enableSwSyncs"))
        w = (who){ "software", SCOPE_IPU };
    unsigned count = members(engine, w.scope);
    tw__sync_cost cost = { tw_target_max_sync_delay(target), "" };
    if (target->no_sync_delay) cost.cycles = 0;
    if (count > 1 && !target->no_sync_delay) cost.cycles += tw_tile_global_sync_cycles(&target->arch, count);
    bool software = w.group[0] == 's';
    if (ipus == 1 ? !software : !w.group[0]) return cost;
    static const char *const whom[] = { [SCOPE_IPU] = "each IPU", [SCOPE_SIDE] = " on one side", [SCOPE_ALL] = "" };
    if (count == 1 && w.scope != SCOPE_ALL)
        cost.group = tw__arena_printf(engine->arena, "%s, %s", w.group, whom[SCOPE_IPU]);
    else
        cost.group = tw__arena_printf(engine->arena, "%s, %u IPUs%s", w.group, count,
                                      w.scope != SCOPE_REPLICA                              ? whom[w.scope]
                                      : engine->core->replicas > 1 || engine->core->created ? " of each replica"
                                                                                            : "");
    if (!cost.group) cost.group = "";
    return cost;
}

tw_status tw__syncs_check(const tw_engine *engine)
{
    if (!tw__options_bool(engine->options, "opt.enableSwSyncs")) return TW_OK;
    if (tw__options_bool(engine->options, "target.syncReplicasIndependently"))
        return tw__fail(TW_E_INVALID_OPTION,
                        "opt.enableSwSyncs and target.syncReplicasIndependently exclude each other: software syncs "
                        "need the default use of the sync groups");
    if (tw_target_get_kind(engine->target) != TW_TARGET_CPU &&
        tw_target_sync_configuration(engine->target) != TW_SYNC_INTRA_REPLICA_AND_ALL)
        return tw__fail(
            TW_E_INVALID_OPTION,
            "opt.enableSwSyncs needs the target's syncConfiguration to be intraReplicaAndAll, the default");
    return TW_OK;
}
