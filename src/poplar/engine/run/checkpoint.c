/* SPDX-License-Identifier: MIT */
/* Checkpoints of an engine (base/checkpoint.h): one walk over what its device holds, which writes it or reads it.
 *
 * The program around an engine is native code. Between two runs it may save and resume wherever it likes. Within a
 * run it waits: the file then has where the run stands, and what that has done with streams. What resumes it does
 * those transfers once more, with the data of the file for the host and nothing for the device, so that buffers and
 * callbacks of the program have seen the whole run. */
#include "poplar/engine/run/checkpoint.h"
#include "poplar/colossus/sim/sim.h"
#include "poplar/engine/account/account.h"
#include "poplar/engine/tiles/tiles.h"

#include <stdlib.h>
#include <string.h>

#define ANY TW__CK_ANY

/* --- the device ------------------------------------------------------------------------------------------------ */

/* Fields of a vertex that runs natively, but for its pointers: code may keep something in them. */
static void walk_state(tw__ck *k, const tw_engine *one, const tw__vertex_type *type, char *state)
{
    for (unsigned f = 0; f < type->num_fields; f++) {
        const tw__field *field = &type->fields[f];
        tw_host_span *span = (tw_host_span *)(void *)(state + field->host_offset);
        switch (field->form) {
        case TW__STATE_PLAIN:
        case TW__STATE_OPAQUE: tw__ck_bytes(k, span, field->host_size); break;
        case TW__STATE_VECTOR:
            if (span->size) tw__ck_bytes(k, span->data, span->size * tw__device_size(one, field->type));
            break;
        case TW__EDGE_SCALAR:
        case TW__EDGE_VECTOR:
        case TW__EDGE_SCALARS:
        case TW__EDGE_VECTORS: break;
        }
    }
}

static void walk_states(tw__ck *k, const tw_engine *one)
{
    for (size_t i = 0; i < one->plan.execs.count; i++) {
        const tw__exec *x = &one->plan.execs.items[i];
        for (size_t g = 0; g < x->group_count; g++) {
            const tw__group *group = &x->groups[g];
            for (uint32_t n = 0; group->states && n < group->count; n++)
                walk_state(k, one, one->core->types[group->type].info, group->states + (size_t)n * group->stride);
        }
    }
}

/* Simulators are made when their tile first runs; their memory is the storage. */
static void walk_tiles(tw__ck *k, tw_engine *one)
{
    for (size_t tile = 0; one->sims && tile < one->sims->tiles && tw__ck_good(k); tile++) {
        tw__ck_section(k, "simulator", (uint32_t)tile);
        bool is_made = tw__ck_flag(k, "made", one->sims->by_tile[tile] != NULL);
        if (is_made && !(one->chip && one->chip->placed_of[tile]))
            return tw__ck_wrong(k, "a tile without code has run some");
        tw_sim *sim = is_made ? tw__tile_sim(one, (uint32_t)tile) : NULL;
        if (is_made && !sim) return tw__ck_no_memory(k);
        if (sim) tw__sim_walk(k, sim);
    }
}

/* Memories are read last: making a simulator writes code into its tile's. */
static void walk_device(tw__ck *k, tw_engine *one, unsigned number)
{
    tw__storage *storage = &one->plan.storage;
    if (tw__ck_reads(k) && one->tiles) tw__tile_load(one);
    tw__ck_section(k, "vertices", number);
    if (one->account) one->account->clock = tw__ck_whole(k, "clock", one->account->clock, ANY);
    walk_states(k, one);
    walk_tiles(k, one);
    tw__ck_section(k, "memory", number);
    if (tw__ck_reads(k) && tw__storage_commit(storage) != TW_OK) tw__ck_no_memory(k); /* zero again */
    tw__ck_sparse(k, "memory", (uint8_t *)storage->base, storage->bytes);
    for (size_t tile = 0; tw__ck_reads(k) && one->sims && tile < one->sims->tiles; tile++)
        if (one->sims->by_tile[tile]) tw__sim_walked(one->sims->by_tile[tile]);
}

static void walk_host(tw__ck *k, tw_engine *engine)
{
    if (tw__ck_reads(k) && tw__remotes_reset(engine) != TW_OK) tw__ck_no_memory(k);
    size_t remotes = engine->remote_count * tw__replica_count(engine);
    for (size_t i = 1; i < remotes && tw__ck_good(k); i++) {
        tw__remote_state *st = &engine->remotes[i];
        if (!st->rows) continue;
        tw__ck_section(k, "remote buffer", (uint32_t)i);
        tw__ck_sparse(k, "rows", (uint8_t *)st->rows, st->reserved);
    }
    tw__ck_section(k, "streams", 0);
    size_t streams = engine->stream_count * tw__replica_count(engine);
    for (size_t i = 1; i < streams && tw__ck_good(k); i++) {
        tw__stream_state *st = &engine->streams[i];
        bool has_buffer = st->how == BUFFER;
        uint64_t size = tw__ck_whole(k, "buffer", has_buffer ? st->buffer_bytes : 0, SIZE_MAX);
        uint64_t position = tw__ck_whole(k, "position", has_buffer ? st->position : 0, SIZE_MAX);
        if (!tw__ck_reads(k)) continue;
        if (size != (has_buffer ? st->buffer_bytes : 0) ||
            (position && (position >= size || !st->bytes || position % st->bytes)))
            return tw__ck_refuse(k, "was saved with another buffer for stream '%s'", st->handle);
        if (has_buffer) st->position = (size_t)position;
    }
}

/* --- the run --------------------------------------------------------------------------------------------------- */

#define MACHINE(field) TW__CK_ONE(tw__machine, field, UINT32_MAX)
static const tw__ck_field machine_rows[] = {
    TW__CK_NOT(tw__machine, engine),
    TW__CK_NOT(tw__machine, code),
    TW__CK_NOT(tw__machine, base),
    MACHINE(pc),
    MACHINE(depth),
    TW__CK_NOT(tw__machine, trace),
    TW__CK_NOT(tw__machine, log),
    TW__CK_NOT(tw__machine, ranks),
    TW__CK_NOT(tw__machine, ended),
    TW__CK_NOT(tw__machine, loop),
    TW__CK_NOT(tw__machine, rounds),
    MACHINE(outer),
    TW__CK_ONE(tw__machine, done, ANY),
};
const tw__ck_table tw__engine_tables[] = {
    { "tw__machine", sizeof(tw__machine), machine_rows, G_N_ELEMENTS(machine_rows) },
    { NULL, 0, NULL, 0 },
};

static bool loop_sound(const tw__plan *plan, uint32_t loop)
{
    return loop == UINT32_MAX || (loop < plan->code.count && plan->code.items[loop].op == TW__I_LOOP);
}

/* Whether the run is in the loop at `first`: there itself, or in what was called there. */
static bool is_within(const tw__plan *plan, const tw__machine *at, uint32_t first)
{
    uint32_t behind = plan->code.items[first].to;
    bool within = at->pc > first && at->pc < behind;
    for (uint32_t i = 0; !within && i < at->depth; i++) within = plan->calls[i] > first && plan->calls[i] < behind;
    return within;
}

/* A loop has at most all of its rounds before it, and the round it is in. */
static bool counters_sound(const tw__plan *plan, const tw__machine *at)
{
    bool good = true;
    for (uint32_t i = 0; good && i < plan->code.count; i++) {
        const tw__instr *in = &plan->code.items[i];
        if (in->op != TW__I_LOOP) continue;
        uint64_t left = plan->counters[in->a];
        good = left <= (uint64_t)in->imm && (left || !is_within(plan, at, i));
    }
    return good;
}

static bool machine_sound(const tw__plan *plan, const tw__machine *at)
{
    bool good = at->pc < plan->code.count && at->depth <= plan->call_depth && loop_sound(plan, at->outer);
    for (uint32_t i = 0; good && i < at->depth; i++) good = plan->calls[i] < plan->code.count;
    return good && counters_sound(plan, at);
}

static void walk_log(tw__ck *k, GByteArray *log)
{
    size_t size = tw__ck_count(k, "bytes of streams", log->len, UINT32_MAX - 1, 1);
    if (tw__ck_reads(k)) g_byte_array_set_size(log, (guint)size);
    tw__ck_bytes(k, log->data, size);
}

static void walk_machine(tw__ck *k, tw_engine *engine, tw__machine *at, GByteArray *log)
{
    const tw__plan *plan = &engine->plan;
    tw__ck_section(k, "run", 0);
    engine->saves->program =
        (unsigned)tw__ck_whole(k, "program", engine->saves->program, engine->program_count - 1);
    tw__ck_fields(k, machine_rows, G_N_ELEMENTS(machine_rows), at);
    tw__ck_wholes(k, "counters", plan->counters, sizeof *plan->counters, plan->slots, ANY);
    tw__ck_wholes(k, "calls", plan->calls, sizeof *plan->calls, plan->call_depth, UINT32_MAX);
    if (tw__ck_reads(k) && tw__ck_good(k) && !machine_sound(plan, at))
        tw__ck_wrong(k, "the run is at no such place");
    tw__ck_section(k, "random numbers", 0);
    size_t tiles = engine->random ? engine->target->tiles : 0;
    tiles = tw__ck_count(k, "tiles", tiles, tiles, 2);
    for (size_t i = 0; i < tiles; i++)
        for (unsigned w = 0; w < 2; w++)
            engine->random[i].state[w] = tw__ck_whole(k, "state", engine->random[i].state[w], ANY);
    tw__ck_section(k, "transfers", 0);
    walk_log(k, log);
}

/* --- files ----------------------------------------------------------------------------------------------------- */

static tw__ck_head checkpoint_head(const tw_engine *engine)
{
    uint64_t layout = tw__ck_layout(tw__ck_layout(TW__FNV, tw__sim_tables), tw__engine_tables);
    return (tw__ck_head){
        .machine = "graph", .build = tw__build_name(), .layout = layout, .program = engine->saves->graph
    };
}

typedef struct place {
    uint64_t runs, steps; /* begun; done */
    bool inside;
} place;

static void begin_file(tw__ck *k, place *p)
{
    tw__ck_section(k, "engine", 0);
    p->runs = tw__ck_whole(k, "runs", p->runs, ANY);
    p->steps = tw__ck_whole(k, "steps", p->steps, ANY);
    p->inside = tw__ck_flag(k, "inside", p->inside);
}

static void walk_all(tw__ck *k, tw_engine *engine)
{
    walk_host(k, engine);
    if (!engine->replicas) walk_device(k, engine, 0);
    for (unsigned i = 0; engine->replicas && i < engine->core->created; i++)
        walk_device(k, &engine->replicas[i], i);
}

static tw_status no_exceptions(const tw_engine *one)
{
    for (size_t tile = 0; one->sims && tile < one->sims->tiles; tile++) {
        const tw_sim *sim = one->sims->by_tile[tile];
        if (sim && (sim->has_exception || sim->waiting))
            return tw__fail(TW_E_NOT_SUPPORTED, "tile %zu has an exception: a checkpoint is of tiles without",
                            tile);
    }
    return TW_OK;
}

tw_status tw__checkpoint_write(tw_engine *engine, const tw__machine *machine, const char *path)
{
    struct tw__saves *saves = engine->saves;
    tw_status s = no_exceptions(engine);
    for (unsigned i = 0; engine->replicas && i < engine->core->created && !s; i++)
        s = no_exceptions(&engine->replicas[i]);
    tw_output *out = s ? NULL : tw_output_open(path, NULL, 0);
    if (!out) return s ? s : tw_error_status();
    const tw__ck_head head = checkpoint_head(engine);
    tw__ck *k = tw__ck_write(tw_output_file(out), &head);
    tw__machine at = machine ? *machine : (tw__machine){ 0 };
    place p = { engine->runs, saves->steps, machine != NULL };
    if (k) begin_file(k, &p);
    if (k && machine) walk_machine(k, engine, &at, saves->log);
    if (k) walk_all(k, engine);
    s = tw__ck_end(k);
    if (s == TW_OK || s == TW_E_IO) s = tw_output_commit(out); /* which can say why */
    tw_output_free(out);
    return s;
}

tw_status tw__checkpoint_runs(tw_engine *engine, const char *path, uint64_t *runs)
{
    const tw__ck_head head = checkpoint_head(engine);
    tw__ck *k = tw__ck_read(path, &head);
    if (!k) return tw_error_status();
    place p = { 0 };
    begin_file(k, &p);
    *runs = p.runs - (p.inside && p.runs ? 1 : 0);
    tw_status s = tw__ck_good(k) ? TW_OK : TW_E_FILE_LOAD;
    tw_status end = tw__ck_end(k);
    return s ? end : TW_OK; /* it was not read to its end */
}

/* Generators come with the first run. */
static bool generators_ready(tw_engine *engine)
{
    if (!tw__codelets_draw(engine->codelets) || engine->random) return true;
    engine->random = TW__NEW_N(engine->arena, tw__random, engine->target->tiles);
    return engine->random != NULL;
}

tw_status tw__checkpoint_read(tw_engine *engine, const char *path)
{
    struct tw__saves *saves = engine->saves;
    if (!generators_ready(engine)) return tw__fail(TW_E_NO_MEMORY, "no memory for the random number generators");
    const tw__ck_head head = checkpoint_head(engine);
    tw__ck *k = tw__ck_read(path, &head);
    if (!k) return tw_error_status();
    saves->at = (tw__machine){ 0 };
    saves->inside = false;
    place p = { 0 };
    begin_file(k, &p);
    if (p.inside && engine->replicas) tw__ck_wrong(k, "replicas are not saved within a run");
    if (p.inside && tw__ck_good(k)) walk_machine(k, engine, &saves->at, saves->again);
    if (tw__ck_good(k)) walk_all(k, engine);
    tw_status s = tw__ck_end(k);
    engine->loaded = s == TW_OK;
    if (s) return s;
    saves->inside = p.inside, saves->steps = p.steps;
    engine->runs = p.runs - (p.inside && p.runs ? 1 : 0); /* the run that goes on counts itself */
    if (saves->every) saves->next = saves->steps + saves->every;
    return TW_OK;
}

/* --- within a run ---------------------------------------------------------------------------------------------- */

/* Log: number of the stream (8 bytes), and for the host its data. */
void tw__checkpoint_note(tw_engine *engine, const tw__stream_state *st, const char *host)
{
    uint64_t number = (uint64_t)(st - engine->streams);
    struct tw__saves *saves = engine->saves;
    if (!saves || saves->next == UINT64_MAX || saves->too_long || st->how == UNCONNECTED) return;
    size_t more = sizeof number + (st->to_device ? 0 : st->bytes);
    if (more > UINT32_MAX - 1 - saves->log->len) { /* what is not whole is not saved */
        saves->too_long = true;
        return;
    }
    g_byte_array_append(saves->log, (const guint8 *)&number, sizeof number);
    if (!st->to_device) g_byte_array_append(saves->log, (const guint8 *)host, (guint)st->bytes);
}

/* The stream of the next entry, and what it gave to the host. */
static tw_status next_transfer(tw_engine *engine, const GByteArray *log, size_t *at, tw__stream_state **st,
                               const char **host)
{
    uint64_t number = 0;
    size_t left = log->len - *at;
    if (left >= sizeof number) memcpy(&number, log->data + *at, sizeof number);
    bool known = number && number < engine->stream_count;
    *st = &engine->streams[known ? number : 0];
    size_t bytes = sizeof number + ((*st)->to_device ? 0 : (*st)->bytes);
    if (!known || left < bytes)
        return tw__fail(TW_E_FILE_LOAD, "the checkpoint's transfers are not those of this program");
    *host = (const char *)log->data + *at + sizeof number;
    *at += bytes;
    return TW_OK;
}

/* The file has places in buffers as they were behind these transfers. */
static tw_status transfers_again(tw_engine *engine, const GByteArray *log)
{
    tw__stream_state *st = NULL;
    const char *host = NULL;
    tw_status s = TW_OK;
    for (size_t at = 0; at < log->len && !s;) {
        if ((s = next_transfer(engine, log, &at, &st, &host)) || st->how != BUFFER) continue;
        st->position = (st->position ? st->position : st->buffer_bytes) - st->bytes;
    }
    for (size_t at = 0; at < log->len && !s;)
        if ((s = next_transfer(engine, log, &at, &st, &host)) == TW_OK) tw__stream_again(engine, st, host);
    return s;
}

tw_status tw__checkpoint_fits(const tw_engine *engine, unsigned program)
{
    const struct tw__saves *saves = engine->saves;
    if (!saves || !saves->inside || saves->program == program) return TW_OK;
    return tw__fail(TW_E_INVALID_ARGUMENT, "the checkpoint is of a run of program %u, not of program %u",
                    saves->program, program);
}

tw_status tw__checkpoint_enter(tw__machine *m, unsigned program)
{
    tw_engine *engine = m->engine;
    struct tw__saves *saves = engine->saves;
    tw__machine *at = &saves->at;
    g_byte_array_set_size(saves->log, 0);
    saves->too_long = false;
    saves->program = program;
    if (!saves->inside) return TW_OK;
    saves->inside = false;
    tw_status s = transfers_again(engine, saves->again);
    if (saves->next != UINT64_MAX) g_byte_array_append(saves->log, saves->again->data, saves->again->len);
    g_byte_array_set_size(saves->again, 0);
    m->pc = at->pc, m->depth = at->depth, m->outer = at->outer, m->done = at->done;
    return s;
}

tw_status tw__checkpoint_step(tw__machine *m, const tw__instr *in)
{
    struct tw__saves *saves = m->engine->saves;
    if (in->step == TW__NO_STEP) return TW_OK;
    if (!saves->path || saves->steps < saves->next) return saves->steps++, TW_OK;
    if (saves->next == saves->steps) {
        if (saves->too_long)
            return tw__fail(TW_E_NOT_SUPPORTED, "no checkpoint here: this run has moved 4 GB to the host");
        tw__streams_end(m->engine);
        tw__machine_settle(m, m->pc); /* the clock is in the file */
        tw_status s = tw__checkpoint_write(m->engine, m, saves->path);
        if (s) return s;
        saves->written = true;
        saves->next = saves->every ? saves->steps + saves->every : UINT64_MAX;
    }
    saves->steps++;
    return TW_OK;
}

void tw__saves_loaded(struct tw__saves *saves)
{
    if (!saves) return;
    saves->inside = false, saves->steps = 0;
    if (saves->every) saves->next = saves->every;
    g_byte_array_set_size(saves->log, 0);
    g_byte_array_set_size(saves->again, 0);
}

void tw__saves_free(struct tw__saves *saves)
{
    if (!saves) return;
    if (saves->asked && saves->path && !saves->written)
        fprintf(stderr, "tilewright: no checkpoint: the runs had %llu steps\n", (unsigned long long)saves->steps);
    if (saves->asked && saves->resume)
        fprintf(stderr, "tilewright: the checkpoint is of run %llu, which this program did not begin\n",
                (unsigned long long)saves->resume_run);
    g_byte_array_free(saves->log, TRUE);
    g_byte_array_free(saves->again, TRUE);
    g_free(saves->path);
    g_free(saves->resume);
    free(saves);
}
