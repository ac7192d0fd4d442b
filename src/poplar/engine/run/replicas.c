/* SPDX-License-Identifier: MIT */
/* Graphs that exist as replicas only (guide 2.5.2): one plan, and for each replica an engine beside it that shares
 * the plan and has storage, vertex states, streams, buffers and a program counter of its own. A rank has some.
 *
 * Replicas may go different ways. They wait for each other in copies between them, in global syncs and, unless
 * target.syncReplicasIndependently is set, in transfers from and to the host (guide 2.7.2): each runs until it gets
 * there, then what all of them do is done here. Replicas that wait in different places would wait for ever: an error
 * that names both. */
#include "poplar/engine/account/account.h"
#include "poplar/engine/run/machine.h"
#include "poplar/engine/tiles/tiles.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* --- who has which ---------------------------------------------------------------------------------------------- */

static bool divided(const tw_engine *engine)
{
    return tw__wire_size() > 1 && !engine->ranks.verifies;
}

unsigned tw__replica_rank(const tw_engine *engine, unsigned replica)
{
    unsigned size = tw__wire_size(), n = engine->core->created;
    return divided(engine) ? (unsigned)((((uint64_t)replica + 1) * size - 1) / n) : tw__wire_rank();
}

void tw__replicas_own(const tw_engine *engine, unsigned *begin, unsigned *end)
{
    unsigned rank = tw__wire_rank(), n = tw__replica_count(engine);
    *begin = 0, *end = n;
    if (!engine->core->created || !divided(engine)) return;
    while (*begin < n && tw__replica_rank(engine, *begin) < rank) ++*begin;
    for (*end = *begin; *end < n && tw__replica_rank(engine, *end) == rank;) ++*end;
}

tw_status tw__replica_share(const tw_engine *engine, unsigned replica, const char *what, void *bytes, size_t size)
{
    if (!divided(engine)) return TW_OK;
    return tw__wire_broadcast((tw__wire_site){ .what = what }, tw__replica_rank(engine, replica), bytes, size);
}

/* --- life ------------------------------------------------------------------------------------------------------- */

/* The cycles that a program of this replica asks for, without a profile. */
static tw_status own_clock(tw_engine *one, const tw__account *from)
{
    tw__account *own = TW__NEW(one->arena, tw__account);
    if (!own) return tw__fail(TW_E_NO_MEMORY, "no memory for a replica");
    *own = *from;
    own->enabled = false, own->clock = 0, own->outcome_index = NULL;
    memset(&own->outcomes, 0, sizeof own->outcomes);
    one->account = own;
    return TW_OK;
}

/* States of its own: they have pointers into its storage. Copies have none, and stay those of all. */
static tw_status own_states(tw_engine *one, const tw__plan *shared)
{
    size_t count = shared->execs.count;
    tw__exec *execs = one->plan.execs.items = TW__NEW_N(one->arena, tw__exec, count ? count : 1);
    if (!execs) return tw__fail(TW_E_NO_MEMORY, "no memory for a replica");
    for (size_t i = 0; i < count; i++) {
        tw_status s = tw__exec_again(one, &shared->execs.items[i], shared->storage.base, &execs[i]);
        if (s) return s;
    }
    tw_status s = tw__tile_vertices_new(one);
    if (!s && one->sims) s = tw__tile_sims_new(one);
    return s ? s : tw__bind_entries(one);
}

static tw_status replica_new(tw_engine *engine, unsigned index, unsigned first)
{
    tw_engine *one = &engine->replicas[index];
    *one = *engine;
    one->replica = index;
    one->elsewhere = tw__replica_rank(engine, index) != tw__wire_rank();
    one->replicas = NULL, one->scratch = NULL, one->scratch_bytes = 0;
    one->streams = tw__streams_of(engine, index);
    one->remotes = engine->remotes + index * engine->remote_count;
    one->plan.counters = TW__NEW_N(engine->arena, uint64_t, engine->plan.slots + 1);
    one->plan.calls = TW__NEW_N(engine->arena, uint32_t, engine->plan.call_depth + 1);
    if (!one->plan.counters || !one->plan.calls) return tw__fail(TW_E_NO_MEMORY, "no memory for a replica");
    if (one->elsewhere || index == first) return TW_OK; /* the first one has what the plan was made with */
    one->plan.storage.base = NULL;
    tw_status s = tw__storage_again(&one->plan.storage);
    if (!s && engine->account) s = own_clock(one, engine->account);
    return s ? s : own_states(one, &engine->plan);
}

tw_status tw__replicas_new(tw_engine *engine)
{
    unsigned n = engine->core->created, begin, end;
    if (!n) return TW_OK;
    engine->replicas = tw__calloc(n, sizeof *engine->replicas);
    if (!engine->replicas) return tw__fail(TW_E_NO_MEMORY, "no memory for replicas");
    tw__replicas_own(engine, &begin, &end);
    TW__LOG(ENGINE, INFO, "replicas %u to %u of %u are here", begin, end - 1, n);
    for (unsigned i = 0; i < n; i++) {
        tw_status s = replica_new(engine, i, begin);
        if (s) return s;
    }
    return TW_OK;
}

void tw__replicas_free(tw_engine *engine)
{
    for (unsigned i = 0; engine->replicas && i < engine->core->created; i++) {
        tw_engine *one = &engine->replicas[i];
        free(one->scratch);
        g_free(one->fault);
        if (!one->core || one->elsewhere) continue;
        if (one->account && one->account != engine->account) {
            free(one->account->outcomes.items);
            if (one->account->outcome_index) g_hash_table_destroy(one->account->outcome_index);
        }
        if (one->sims != engine->sims) tw__tile_sims_free(one->sims);
        if (one->plan.storage.base && one->plan.storage.base != engine->plan.storage.base)
            munmap(one->plan.storage.base, one->plan.storage.reserved);
    }
    free(engine->replicas);
    engine->replicas = NULL;
}

tw_status tw__replicas_prepare(tw_engine *engine)
{
    unsigned begin, end;
    tw__replicas_own(engine, &begin, &end);
    tw_status s = begin < end ? tw__storage_fits(&engine->plan.storage, end - begin) : TW_OK;
    for (unsigned i = begin; i < end && !s; i++) s = tw__storage_commit(&engine->replicas[i].plan.storage);
    for (unsigned i = 0; i < engine->core->created; i++)
        engine->replicas[i].prepared = s == TW_OK, engine->replicas[i].loaded = false;
    return s;
}

tw_status tw__replicas_load(tw_engine *engine)
{
    for (unsigned i = 0; i < engine->core->created; i++) {
        tw_engine *one = &engine->replicas[i];
        if (!one->elsewhere) tw__states_begin(one);
        tw_status s = one->elsewhere ? TW_OK : tw__images_write(one);
        one->loaded = s == TW_OK && !one->elsewhere; /* debuggers get these engines */
        if (s) return s;
        if (one->tiles && !one->elsewhere) tw__tile_load(one);
    }
    return TW_OK;
}

/* --- where they are --------------------------------------------------------------------------------------------- */

/* Instruction at which a replica waits, or one of these. */
enum { ENDED = UINT32_MAX, FAILED = UINT32_MAX - 1, NOT_KNOWN = UINT32_MAX - 2 };

typedef struct meeting {
    tw_engine *engine;
    unsigned begin, end;   /* replicas that are here */
    tw__machine *machines; /* [created] those of them are used */
    uint32_t *places;      /* [created] of all */
} meeting;

static tw_status replica_failed(unsigned replica, tw_status status)
{
    g_autofree char *text = g_strdup(tw_error_message());
    return tw__fail(status, "replica %u: %s", replica, text);
}

/* Each that is here goes on as far as it can alone. */
static tw_status go_on(meeting *m)
{
    for (unsigned i = m->begin; i < m->end; i++) {
        tw__machine *one = &m->machines[i];
        if (one->ended) continue;
        tw_status s = tw__machine_go(one);
        if (s) return replica_failed(i, s);
    }
    return TW_OK;
}

static void take_known(void *mine, const void *theirs)
{
    uint32_t *a = mine, count = *a;
    const uint32_t *b = theirs;
    for (uint32_t i = 1; i <= count; i++)
        if (a[i] == NOT_KNOWN || b[i] == FAILED) a[i] = b[i];
}

/* Places of all replicas, wherever they are; those of a rank that has failed say so. */
static tw_status gather_places(meeting *m, tw_status failed)
{
    unsigned n = m->engine->core->created;
    for (unsigned i = 0; i < n; i++) m->places[i + 1] = NOT_KNOWN;
    for (unsigned i = m->begin; i < m->end; i++)
        m->places[i + 1] = failed ? FAILED : m->machines[i].ended ? ENDED : m->machines[i].pc - 1;
    m->places[0] = n;
    if (!divided(m->engine)) return TW_OK;
    return tw__wire_combine(TW__WIRE_HERE("a meeting of replicas"), m->places, (n + 1) * sizeof *m->places,
                            take_known);
}

static const char *first_variable(const tw__core *core, const tw__operand *operand)
{
    return core->vars[operand->regions->region[0].var].name;
}

/* "waits in CrossReplicaCopy 'ring' of x to y (instruction 12)" */
static char *describe_place(const tw_engine *engine, uint32_t place)
{
    const tw__core *core = engine->core;
    const tw__plan *plan = &engine->plan;
    if (place == ENDED) return g_strdup("has ended");
    const tw__instr *in = &plan->code.items[place];
    const tw__program *p = &core->programs[plan->step_programs.items[plan->steps.items[in->step].first_program]];
    g_autofree char *name = *p->name ? g_strdup_printf(" '%s'", p->name) : g_strdup("");
    g_autofree char *what =
        in->op == TW__I_CROSS  ? g_strdup_printf("CrossReplicaCopy%s of '%s' to '%s'", name,
                                                 first_variable(core, &p->a), first_variable(core, &p->b))
        : in->op == TW__I_SYNC ? g_strdup_printf("a global Sync%s", name)
                               : g_strdup_printf("Copy%s of stream '%s'", name, core->streams[p->id].handle);
    return g_strdup_printf("waits in %s (instruction %u)", what, place);
}

/* The same copy, transfer or sync, also where the program names it in two places. */
static bool same_place(const tw_engine *engine, uint32_t a, uint32_t b)
{
    const tw__instr *code = engine->plan.code.items;
    if (a == b || a == ENDED || b == ENDED) return a == b;
    return code[a].op == code[b].op && code[a].a == code[b].a;
}

static tw_status check_places(const meeting *m)
{
    const uint32_t *places = m->places + 1;
    unsigned other = 1;
    while (other < m->engine->core->created && same_place(m->engine, places[0], places[other])) other++;
    if (other == m->engine->core->created) return TW_OK;
    g_autofree char *a = describe_place(m->engine, places[0]), *b = describe_place(m->engine, places[other]);
    return tw__fail(
        TW_E_APPLICATION,
        "replicas 0 and %u do not meet: replica 0 %s, replica %u %s; each would wait for the other for ever", other,
        a, other, b);
}

/* --- what they do together -------------------------------------------------------------------------------------- */

typedef struct crossing {
    char *rows; /* what each replica sends */
    size_t bytes;
} crossing;

static void row_pack(void *user, uint32_t index, char *room)
{
    const crossing *c = user;
    memcpy(room, c->rows + index * c->bytes, c->bytes);
}

static void row_unpack(void *user, uint32_t index, const char *bytes)
{
    const crossing *c = user;
    memcpy(c->rows + index * c->bytes, bytes, c->bytes);
}

/* Rows that cross between ranks: of one pair of ranks in the order of the replicas that send. */
static tw_status exchange_rows(const tw_engine *engine, const tw__cross *cross, crossing *c)
{
    unsigned n = engine->core->created, me = tw__wire_rank(), outs = 0, ins = 0;
    if (!divided(engine)) return TW_OK;
    tw__wire_part *out = tw__calloc(2 * (size_t)n, sizeof *out), *in = out + n;
    if (!out) return tw__fail(TW_E_NO_MEMORY, "no memory for a copy between replicas");
    for (unsigned i = 0; i < n; i++) {
        if (cross->to[i].value == TW__TO_NOBODY) continue;
        unsigned from = tw__replica_rank(engine, i), to = tw__replica_rank(engine, (unsigned)cross->to[i].value);
        if (from == me && to != me) out[outs++] = (tw__wire_part){ to, i, c->bytes };
        if (from != me && to == me) in[ins++] = (tw__wire_part){ from, i, c->bytes };
    }
    tw_status s = tw__wire_exchange(TW__WIRE_HERE("a copy between replicas"), c->bytes, out, outs, in, ins,
                                    row_pack, row_unpack, c);
    free(out);
    return s;
}

static tw_status run_cross(tw_engine *engine, const tw__cross *cross)
{
    unsigned n = engine->core->created;
    size_t bytes;
    crossing c = { .bytes = (size_t)cross->bytes };
    if (!tw__mul_size(c.bytes, n, &bytes)) return tw__fail(TW_E_NO_MEMORY, "a copy between replicas is too large");
    if (!(c.rows = tw__scratch(engine, bytes))) return TW_E_NO_MEMORY;
    for (unsigned i = 0; i < n; i++)
        if (cross->to[i].value != TW__TO_NOBODY && !engine->replicas[i].elsewhere)
            tw__copy_run(&cross->out, c.rows + i * c.bytes, engine->replicas[i].plan.storage.base);
    tw_status s = exchange_rows(engine, cross, &c);
    for (unsigned i = 0; i < n && !s; i++) {
        if (cross->to[i].value == TW__TO_NOBODY) continue;
        const tw_engine *to = &engine->replicas[cross->to[i].value];
        if (!to->elsewhere) tw__copy_run(&cross->in, to->plan.storage.base, c.rows + i * c.bytes);
    }
    return s;
}

/* Who waited goes on when the last one has come. */
static tw_status meet_clocks(const meeting *m)
{
    const tw_engine *engine = m->engine;
    uint64_t least = UINT64_MAX; /* of the complements */
    if (!engine->plan.stamped || !engine->account) return TW_OK;
    for (unsigned i = m->begin; i < m->end; i++)
        if (~engine->replicas[i].account->clock < least) least = ~engine->replicas[i].account->clock;
    tw_status s = divided(engine) ? tw__wire_all_min(TW__WIRE_HERE("clocks of replicas"), &least) : TW_OK;
    for (unsigned i = m->begin; i < m->end; i++) engine->replicas[i].account->clock = ~least;
    return s;
}

static tw_status hold_meeting(const meeting *m)
{
    tw__plan *plan = &m->engine->plan;
    const tw__instr *in = &plan->code.items[m->places[1]];
    tw_status s = meet_clocks(m);
    if (!s && in->op == TW__I_CROSS) s = run_cross(m->engine, &plan->crosses.items[in->a]);
    if (!s && in->op == TW__I_TRANSFER) s = tw__transfer_run_all(m->engine, &plan->transfers.items[in->a]);
    return s;
}

static bool any_failed(const meeting *m)
{
    for (unsigned i = 0; i < m->engine->core->created; i++)
        if (m->places[i + 1] == FAILED) return true;
    return false;
}

static tw_status begin_all(meeting *m, unsigned program)
{
    tw_status s = TW_OK;
    for (unsigned i = m->begin; i < m->end && !s; i++) {
        tw_engine *one = &m->engine->replicas[i];
        bool first = one->account == m->engine->account; /* whose profile it is */
        one->tracing = m->engine->tracing && (first || m->engine->plan.stamped);
        s = tw__machine_start(&m->machines[i], one, program);
    }
    return s;
}

/* Of a run that failed: the loops in which those stand that wait for the one that did. */
static void account_waiting(const meeting *m)
{
    for (unsigned i = m->begin; m->machines && i < m->end; i++) {
        tw__machine *one = &m->machines[i];
        if (one->engine && !one->ended) tw__machine_settle(one, one->pc - 1);
    }
}

tw_status tw__replicas_execute(tw_engine *engine, unsigned program)
{
    size_t n = engine->core->created;
    meeting m = { .engine = engine,
                  .machines = tw__calloc(n, sizeof *m.machines),
                  .places = tw__calloc(n + 1, sizeof *m.places) };
    tw__replicas_own(engine, &m.begin, &m.end);
    tw_status s = m.machines && m.places ? begin_all(&m, program) : tw__fail(TW_E_NO_MEMORY, "no memory for a run");
    for (uint64_t number = 1; m.places; number++) {
        tw__wire_at(number);
        if (!s) s = go_on(&m);
        tw_status known = gather_places(&m, s);
        if (known || any_failed(&m)) { /* whoever has failed says why, at the end of the run */
            s = s ? s : known;
            break;
        }
        s = check_places(&m);
        if (s || m.places[1] == ENDED) break;
        s = hold_meeting(&m);
    }
    if (s) account_waiting(&m);
    free(m.machines);
    free(m.places);
    return s;
}
