/* SPDX-License-Identifier: MIT */
/* Life of an engine: compile, load, run. Compiling keeps its first error, which load returns; everything after that
 * returns its status. */
#include "poplar/engine/engine.h"
#include "core/base/interrupt.h"
#include "poplar/engine/run/checkpoint.h"
#include "poplar/engine/tiles/tiles.h"

#include <stdlib.h>
#include <string.h>

/* --- compiling ------------------------------------------------------------------------------------------------ */

/* X(function, what it is called in the log): the stages of compiling, in order; each is a step of the progress. */
#define STAGES(X)                                    \
    X(tw__owners_new, "ranks")                       \
    X(check_graph, "check the graph")                \
    X(tw__remotes_new, "remote buffers")             \
    X(tw__lower, "lower programs and compute sets")  \
    X(tw__streams_new, "streams")                    \
    X(tw__host_access_new, "host access")            \
    X(tw__images_new, "initial values")              \
    X(chip_code, "code of the chip")                 \
    X(account, "memory and cycles")                  \
    X(tw__late_values, "values that need addresses") \
    X(tile_memories, "memories of tiles")            \
    X(tw__bind_entries, "code of the vertices")      \
    X(tw__replicas_new, "replicas")

static tw_status check_graph(tw_engine *engine)
{
    return tw__graph_check(engine->core, engine->programs, engine->program_count);
}

static tw_status chip_code(tw_engine *engine)
{
    return tw__chip_code_new(engine, &engine->chip);
}

static tw_status account(tw_engine *engine)
{
    return engine->target->kind == TW_TARGET_CPU ? TW_OK : tw__account_new(engine);
}

static void free_handles(tw_engine *engine)
{
    for (size_t i = 0; i < engine->handles.count; i++) {
        tw__copy_free(&engine->handles.items[i].in);
        tw__copy_free(&engine->handles.items[i].out);
    }
    engine->handles.count = 0;
}

tw_status tw__engine_lower_again(tw_engine *engine)
{
    free_handles(engine);
    tw__plan_free(&engine->plan);
    tw_status s = tw__lower(engine);
    return s ? s : tw__host_access_new(engine);
}

/* Addresses are known once everything is placed, and what is placed follows from the plan: the same plan is made once
 * more, with the memories of tiles as its storage. */
static tw_status tile_memories(tw_engine *engine)
{
    if (!tw__tiles_wanted(engine)) return TW_OK;
    tw_status s = tw__tile_map_new(engine, &engine->tiles);
    if (!s && engine->chip) s = tw__chip_code_link(engine->chip, engine->core, engine->placement);
    if (s) return s;
    s = tw__engine_lower_again(engine);
    if (!s) s = tw__tile_states_new(engine);
    if (!s) s = tw__tile_vertices_new(engine);
    return s ? s : tw__tile_sims_new(engine);
}

typedef tw_status (*stage_func)(tw_engine *engine);
static const struct {
    stage_func run;
    const char *name;
} stages[] = {
#define STAGE_ROW(function, name) { function, name },
    STAGES(STAGE_ROW)
#undef STAGE_ROW
};
enum { STAGE_COUNT = sizeof stages / sizeof *stages };

/* Vertices of each active tile of each compute set. */
static void log_tiles(const tw_engine *engine)
{
    for (size_t i = 0; i < engine->plan.execs.count; i++) {
        const tw__exec *x = &engine->plan.execs.items[i];
        for (size_t g = 0; g < x->group_count; g++)
            TW__LOG(ENGINE, TRACE, "compute set '%s': tile %u, %u vertices of type '%s', states of %u bytes",
                    engine->core->compute_sets[x->cs].name, x->groups[g].tile, x->groups[g].count,
                    engine->core->types[x->groups[g].type].info->name, x->groups[g].stride);
    }
}

static void log_plan(const tw_engine *engine)
{
    const tw__plan *plan = &engine->plan;
    if (tw__log_on(TW__LOG_ENGINE, TW__TRACE)) log_tiles(engine);
    TW__LOG(ENGINE, INFO,
            "plan: %zu instructions, %zu steps, %zu compute sets, %zu copies, %zu stream transfers, %zu bytes of "
            "variables, %llu bytes of message buffers",
            plan->code.count, plan->steps.count, plan->execs.count, plan->copies.count, plan->transfers.count,
            plan->storage.buffers, (unsigned long long)plan->buffer_bytes);
    if (!tw__log_on(TW__LOG_PROGRAM, TW__DEBUG)) return;
    for (size_t i = 0; i < plan->code.count; i++) {
        const tw__instr *in = &plan->code.items[i];
        TW__LOG(PROGRAM, DEBUG, "%5zu %-12s a=%u to=%u imm=%lld step=%d", i, tw__opcode_names[in->op], in->a,
                in->to, (long long)in->imm, (int)in->step);
    }
}

static tw_status engine_compile(tw_engine *engine, tw_graph *graph, unsigned count, const tw_program *programs,
                                const char *const *options, tw_progress_func progress, void *user)
{
    engine->threads = 1;
    engine->arena = tw__arena_new(0);
    if (!engine->arena) return tw__fail(TW_E_NO_MEMORY, "out of host memory");
    tw_status s = tw__options_read(engine, options);
    if (!s) s = tw__take_debugger(engine);
    if (s) return s;
    engine->core = tw__core_ref(tw__graph_core(graph));
    engine->target = engine->core->target;
    engine->codelets = tw__codelets_ref(engine->core->codelets);
    if ((s = tw__syncs_check(engine))) return s;
    engine->verifies = tw__options_bool(engine->options, "debug.runtimeVerify");
    if (count == 0 || !programs) return tw__fail(TW_E_CONTROL_PROGRAM, "an engine needs at least one program");
    engine->programs = TW__NEW_N(engine->arena, uint32_t, count);
    if (!engine->programs) return tw__fail(TW_E_NO_MEMORY, "out of host memory");
    for (unsigned i = 0; i < count; i++) {
        engine->programs[i] = programs[i].id;
        if (programs[i].id == 0 || programs[i].id >= engine->core->program_count)
            return tw__fail(TW_E_CONTROL_PROGRAM, "program %u of the engine is not a program of this graph", i);
    }
    engine->program_count = count;
    for (int i = 0; i < STAGE_COUNT; i++) {
        TW__LOG(ENGINE, DEBUG, "compile: %s", stages[i].name);
        if (progress) progress(i, STAGE_COUNT, user);
        s = stages[i].run(engine);
        if (s) return s;
    }
    if (progress) progress(STAGE_COUNT, STAGE_COUNT, user);
    log_plan(engine);
    return TW_OK;
}

static void engine_leave_profile(void *engine)
{
    if (tw__profile_wanted() && tw__wire_rank() == 0)
        tw__profile_leave((tw_profile *)(uintptr_t)tw_engine_profile(engine));
}

static void engine_drop(tw_engine *engine)
{
    if (!engine) return;
    tw__replicas_free(engine);
    tw__streams_free(engine);
    tw__saves_free(engine->saves);
    tw__account_free(engine->account);
    tw__tile_sims_free(engine->sims);
    tw__chip_code_free(engine->chip);
    free(engine->loads.items);
    tw__remotes_free(engine);
    tw__plan_free(&engine->plan);
    free_handles(engine);
    free(engine->handles.items);
    for (size_t i = 0; i < engine->images.count; i++)
        if (engine->images.items[i].regions) tw__regions_unref(engine->images.items[i].regions);
    free(engine->images.items);
    free(engine->scratch);
    tw__codelets_free(engine->codelets);
    g_free(engine->fault);
    g_free(engine->misused);
    if (engine->core) tw__core_unref(engine->core);
    tw__options_free(engine->options);
    tw__arena_free(engine->arena);
    free(engine);
}

static tw_engine *make(const char *function, tw_graph *graph, unsigned count, const tw_program *programs,
                       const char *const *options, tw_progress_func progress, void *user)
{
    tw_error error = { .function = function };
    tw__call_site_take(function, &error.file, &error.line);
    const tw_error *broken = tw_graph_error(graph);
    if (broken->status) return tw__nothing_made(broken); /* where that was made */
    tw_engine *engine = tw__calloc(1, sizeof *engine);
    error.status = engine ? engine_compile(engine, graph, count, programs, options, progress, user)
                          : tw__fail(TW_E_NO_MEMORY, "out of host memory");
    if (error.status) {
        error.message = tw_error_message();
        TW__LOG(ENGINE, ERR, "%s: %s", function, error.message);
        void *none = tw__nothing_made(&error);
        engine_drop(engine);
        return none;
    }
    tw__profile_expect(engine, engine_leave_profile);
    return engine;
}

tw_engine *tw_engine_new(tw_graph *graph, tw_program program, const char *const *options)
{
    return make(__func__, graph, 1, &program, options, NULL, NULL);
}

tw_engine *tw_engine_new_programs(tw_graph *graph, unsigned count, const tw_program *programs,
                                  const char *const *options)
{
    return make(__func__, graph, count, programs, options, NULL, NULL);
}

tw_engine *tw_engine_new_with_progress(tw_graph *graph, unsigned count, const tw_program *programs,
                                       const char *const *options, tw_progress_func progress, void *user)
{
    return make(__func__, graph, count, programs, options, progress, user);
}

void tw_engine_free(tw_engine *engine)
{
    if (!engine) return;
    tw__profile_forget(engine);
    engine_leave_profile(engine);
    engine_drop(engine);
}

/* --- errors --------------------------------------------------------------------------------------------------- */

tw_status tw_engine_status(const tw_engine *engine)
{
    return tw_engine_error(engine)->status;
}

const tw_error *tw_engine_error(const tw_engine *engine)
{
    static const tw_error none = { TW_OK, "", "", NULL, 0 };
    if (!engine) return tw__why_null("engine");
    return engine->misuse.status ? &engine->misuse : &none;
}

tw_status tw_engine_take_error(tw_engine *engine, tw_error *error)
{
    const tw_error *kept = tw_engine_error(engine);
    tw_status status = kept->status;
    if (error) *error = *kept;
    if (engine) engine->misuse.status = TW_OK;
    return status;
}

tw_status tw_engine_report_error(FILE *out, const tw_engine *engine)
{
    const tw_error *error = tw_engine_error(engine);
    if (error->status == TW_OK) { /* compiled: the last failing action of this thread */
        if (*tw_error_message()) fprintf(out, "error: %s\n", tw_error_message());
        return TW_OK;
    }
    if (error->file) fprintf(out, "%s:%d: ", error->file, error->line);
    int line = (int)strcspn(error->message, "\n"); /* more lines: what the compiler of codelets says */
    fprintf(out, "error: %.*s", line, error->message);
    if (*error->function) fprintf(out, " (in %s)", error->function);
    fprintf(out, "%s\n", error->message + line);
    return error->status;
}

/* --- loading -------------------------------------------------------------------------------------------------- */

/* Whether the graph can run on the device: it has the target of the graph, or of all replicas of it. */
static tw_status same_target(const tw_engine *engine, const tw_target *device, bool *same)
{
    unsigned created = engine->core->created;
    tw_target *one = created ? tw__replica_target(device, created) : tw_target_ref(device);
    *same = one && tw_target_equal(one, engine->target);
    tw_target_free(one);
    return one ? TW_OK : tw_error_status();
}

tw_status tw_engine_prepare(tw_engine *engine, tw_device *device)
{
    tw_status s = tw__engine_usable(engine);
    if (s) return s;
    if (!device) return tw__fail(TW_E_INVALID_ARGUMENT, "the device is NULL");
    if (tw_target_get_kind(tw_device_target(device)) != engine->target->kind)
        return tw__fail(TW_E_ERROR,
                        "the device is of another kind than the target of the graph: make the graph with the "
                        "device's own target");
    bool same = false;
    if ((s = same_target(engine, tw_device_target(device), &same))) return s;
    if (!same)
        return tw__fail(TW_E_ERROR, "the device (%s, %u tiles) has another target than the graph (%s, %u tiles)",
                        tw_target_arch(tw_device_target(device)), tw_target_tiles(tw_device_target(device)),
                        tw_target_arch(engine->target), tw_target_tiles(engine->target));
    engine->prepared = engine->loaded = false;
    s = engine->replicas ? tw__replicas_prepare(engine) : tw__storage_commit(&engine->plan.storage);
    if (!s) s = tw__remotes_reset(engine);
    engine->prepared = s == TW_OK;
    return s;
}

tw_status tw_engine_deploy(tw_engine *engine)
{
    tw_status s = tw__engine_usable(engine);
    if (s) return s;
    if (!engine->prepared) return tw__fail(TW_E_NOT_LOADED, "prepare the engine for a device before deploying it");
    s = tw__ranks_same_graph(engine);
    if (!s && engine->replicas) s = tw__replicas_load(engine);
    if (!s && !engine->replicas) tw__states_begin(engine);
    if (!s && !engine->replicas) s = tw__images_write(engine);
    if (!s && !engine->replicas && engine->tiles) tw__tile_load(engine);
    engine->loaded = s == TW_OK;
    if (engine->loaded) tw__saves_loaded(engine->saves);
    TW__LOG(ENGINE, INFO, "loaded: %zu bytes of variables", engine->plan.storage.buffers);
    return s;
}

tw_status tw_engine_load(tw_engine *engine, tw_device *device)
{
    tw_status s = tw_engine_prepare(engine, device);
    return s ? s : tw_engine_deploy(engine);
}

/* --- running -------------------------------------------------------------------------------------------------- */

tw_status tw_engine_run_named(tw_engine *engine, unsigned program, const char *run_name)
{
    tw_status s = tw__engine_usable(engine);
    if (s) return s;
    if (!engine->loaded) return tw__fail(TW_E_NOT_LOADED, "load the engine on a device before running it");
    if (program >= engine->program_count)
        return tw__fail(TW_E_INDEX, "program %u of an engine with %zu programs", program, engine->program_count);
    s = tw__streams_check(engine, program);
    if (!s) s = tw__saves_asked(engine);
    if (!s) s = tw__checkpoint_fits(engine, program);
    if (s) return s;
    engine->runs++;
    TW__LOG(ENGINE, DEBUG, "run program %u%s%s", program, run_name ? " " : "", run_name ? run_name : "");
    tw__wire_mark(TW__WIRE_HERE("tw_engine_run of a program"), program);
    double start = engine->account ? tw__seconds() : 0;
    if (engine->account) tw__account_run_begin(engine, run_name ? run_name : "");
    tw__streams_begin(engine, program);
    s = tw__execute(engine, program);
    tw__streams_end(engine);
    if (!s && !engine->replicas) s = tw__ranks_verify(engine);
    for (unsigned i = 0; engine->replicas && i < engine->core->created && !s; i++)
        s = tw__ranks_verify(&engine->replicas[i]);
    s = tw__wire_agree(s);
    if (engine->account) tw__account_run_end(engine, (tw__seconds() - start) * 1e6);
    tw__interrupt_end();
    return s;
}

tw_status tw_engine_run(tw_engine *engine, unsigned program)
{
    return tw_engine_run_named(engine, program, NULL);
}

void tw_engine_set_print_tensor_stream(tw_engine *engine, FILE *out)
{
    if (engine) engine->print_out = out;
    for (unsigned i = 0; engine && engine->replicas && i < engine->core->created; i++)
        engine->replicas[i].print_out = out;
}

/* --- profile -------------------------------------------------------------------------------------------------- */

const tw_profile *tw_engine_profile(tw_engine *engine)
{
    if (tw__engine_usable(engine)) return NULL;
    if (engine->account) return tw__account_profile(engine);
    tw__fail(TW_E_PROFILING_DISABLED, "profiling is not available on the CPU device: use the IPU Model");
    return NULL;
}

void tw_engine_reset_execution_profile(tw_engine *engine)
{
    if (engine && engine->account) tw__account_reset(engine);
}

void tw_engine_enable_execution_profiling(tw_engine *engine, bool on)
{
    if (engine && engine->account) tw__account_enable(engine, on);
}
