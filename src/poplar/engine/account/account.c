/* SPDX-License-Identifier: MIT */
/* Life of an account: made after lowering, fed by the executor, read as a profile, written as reports.
 *
 * On the IPU Model the execution is always traced: cycles belong to the plan, so a step that runs costs one addition.
 * tw_engine_enable_execution_profiling(e, false) takes even that away. */
#include "poplar/engine/account/account.h"
#include "poplar/engine/tiles/tiles.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

static void accounting_free(tw__accounting *a)
{
    tw__traffic_free(&a->before), tw__traffic_free(&a->after);
    tw__local_free(&a->local_before), tw__local_free(&a->local_after);
    tw__workers_free(&a->workers);
    tw__memory_free(a->memory);
    for (size_t type = 0; a->types && type < a->core->type_count; type++)
        for (unsigned kind = 0; kind < TW__VERTEX_BYTES_KINDS; kind++) free(a->types[type].bytes[kind]);
    for (unsigned type = 0; type < TW__COPY_TYPES; type++)
        for (unsigned kind = 0; kind < TW__VERTEX_BYTES_KINDS; kind++) free(a->copies[type].bytes[kind]);
    free(a->row), free(a->types), free(a->sets), free(a->set_counted), free(a->type_cycles), free(a->type_count),
        free(a->type_worst), free(a->type_worst_tile), free(a->used_types);
    free(a->versions.of), free(a->work.items);
    free(a->step_of), free(a->next_of), free(a->shape.items), free(a->leaves.items);
    free(a->bodies.items), free(a->body_of), free(a->first_leaf), free(a->last_of);
}

static bool accounting_init(tw__accounting *a)
{
    const tw__core *core = a->core;
    bool ok = true;
#define TAKE(pointer, count) ok &= ((pointer) = tw__calloc((count) + 1, sizeof *(pointer))) != NULL
    TAKE(a->row, a->tiles);
    TAKE(a->types, core->type_count);
    TAKE(a->sets, core->compute_set_count);
    TAKE(a->set_counted, core->compute_set_count);
    TAKE(a->type_cycles, core->type_count);
    TAKE(a->type_count, core->type_count);
    TAKE(a->type_worst, core->type_count);
    TAKE(a->type_worst_tile, core->type_count);
    TAKE(a->used_types, core->type_count + TW__COPY_TYPES);
    TAKE(a->versions.of, core->var_count);
    TAKE(a->body_of, core->program_count);
    TAKE(a->first_leaf, core->program_count);
#undef TAKE
    ok = ok && tw__traffic_init(&a->before, a->target) && tw__traffic_init(&a->after, a->target) &&
         tw__local_init(&a->local_before, a->target) && tw__local_init(&a->local_after, a->target) &&
         tw__workers_init(&a->workers, a->target) && (a->memory = tw__memory_new(a->tiles)) != NULL;
    if (!ok) return false;
    for (size_t i = 0; i < core->type_count; i++) a->types[i].id = TW__NONE;
    for (unsigned i = 0; i < TW__COPY_TYPES; i++) a->copies[i].id = TW__NONE;
    for (size_t i = 0; i < core->compute_set_count; i++) a->sets[i] = TW__NONE;
    return true;
}

static void set_counts(tw__accounting *a)
{
    const tw__core *core = a->core;
    tw__profile_set_counts(a->profile, core->vertex_count ? core->vertex_count - 1 : 0,
                           core->edge_count ? core->edge_count - 1 : 0, core->var_count,
                           core->compute_set_count ? core->compute_set_count - 1 : 0);
    const tw__plan *plan = &a->engine->plan;
    tw__profile_add_optimization(a->profile, "planSteps", (double)plan->steps.count);
    tw__profile_add_optimization(a->profile, "copyBlocks", (double)plan->copy_blocks);
    tw__profile_add_optimization(a->profile, "controlInstructions", (double)plan->code.count);
}

/* --- reports (guide 9.2, docs/decisions.md, G9) --------------------------------------------------------------- */

static tw_status report_file(const tw_engine *engine, const char *name, char **path)
{
    const char *folder = tw__options_get(engine->options, "autoReport.directory");
    if (g_mkdir_with_parents(folder, 0777) != 0)
        return tw__fail(TW_E_IO, "cannot create the folder %s of option autoReport.directory", folder);
    *path = g_build_filename(folder, name, NULL);
    return TW_OK;
}

static tw_status write_report(const tw_profile *profile, const char *path, bool graph)
{
    tw_output *out = tw_output_open(path, NULL, 0);
    if (!out) return tw_error_status();
    tw_status status = graph ? tw_profile_write_graph_json(profile, tw_output_file(out), false)
                             : tw_profile_write_execution_json(profile, tw_output_file(out), false);
    if (status == TW_OK || status == TW_E_IO) status = tw_output_commit(out); /* it says what went wrong */
    tw_output_free(out);
    return status;
}

/* An option that was not set itself follows autoReport.all. */
static bool wanted(const tw__options *options, const char *key)
{
    return tw__options_is_set(options, key) ? tw__options_bool(options, key)
                                            : tw__options_bool(options, "autoReport.all");
}

bool tw__account_instruments(const tw_engine *engine, const char *key)
{
    const tw__options *options = engine->options;
    if (tw__options_is_set(options, key)) return tw__options_bool(options, key);
    return wanted(options, "debug.instrument");
}

/* Addresses and the report that stands on them are made when somebody looks at the profile. */
static tw_status report_memory(tw__account *account)
{
    if (account->reported) return TW_OK;
    tw_status status =
        tw__account_memory_report(account->placement, account->profile, account->entry_node, account->entries);
    account->reported = status == TW_OK;
    return status;
}

static tw_status start_reports(tw_engine *engine)
{
    tw__account *account = engine->account;
    tw_status status = TW_OK;
    if (tw__wire_rank() != 0) return TW_OK; /* one file, whatever the number of ranks */
    if (wanted(engine->options, "autoReport.outputGraphProfile")) {
        char *path = NULL;
        if ((status = report_memory(account))) return status;
        status = report_file(engine, "graph_profile.json", &path);
        if (!status) status = write_report(account->profile, path, true);
        g_free(path);
    }
    if (!status && wanted(engine->options, "autoReport.outputExecutionProfile")) {
        account->stream_each_run = tw__options_bool(engine->options, "autoReport.streamAtEachRun");
        status = report_file(engine, "execution_profile.json", &account->execution_file);
        int64_t keep = tw__options_int(engine->options, "autoReport.executionProfileProgramRunCount");
        if (!status) tw__profile_keep_runs(account->profile, keep > 0 && keep < UINT32_MAX ? (uint32_t)keep : 0);
    }
    return status;
}

static void flush_report(tw__account *account)
{
    if (!account->execution_file || !account->dirty) return;
    account->dirty = false;
    tw__account_lines(account->engine);
    if (write_report(account->profile, account->execution_file, false))
        TW__LOG(PROFILER, ERR, "%s", tw_error_message());
}

/* --- life ----------------------------------------------------------------------------------------------------- */

/* With vertex instrumentation the profile also has the cycles of each vertex in its last execution. */
static void set_mode(tw__accounting *a)
{
    const tw__options *options = a->engine->options;
    bool compute = tw__account_instruments(a->engine, "debug.instrumentCompute");
    const char *level = tw__options_get(options, "debug.computeInstrumentationLevel");
    static const struct {
        const char *level, *mode;
    } modes[] = {
        { "vertex", "VERTICES" },
        { "tile", "COMPUTE_SETS" },
        { "ipu", "SINGLE_TILE_COMPUTE_SETS" },
        { "device", "SINGLE_TILE_COMPUTE_SETS" },
    };
    tw__profile_set_mode(a->profile, "IPU_MODEL");
    for (size_t i = 0; compute && i < sizeof modes / sizeof *modes; i++)
        if (!strcmp(level, modes[i].level)) tw__profile_set_mode(a->profile, modes[i].mode);
    if (!compute || strcmp(level, "vertex") || a->core->vertex_count < 2) return;
    size_t count = a->core->vertex_count - 1;
    uint32_t *columns = tw__calloc(count * 3, sizeof *columns);
    if (!columns) {
        a->failed = true;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const tw__vertex *v = &a->core->vertices[i + 1];
        bool guess, used = a->set_counted[v->cs];
        columns[i] = used ? (uint32_t)tw__vertex_cycles(a->core, (uint32_t)i + 1, &guess).cycles : 0;
        columns[count + i] = a->sets[v->cs];
        columns[2 * count + i] = used ? tw__account_type(a, v->type) : TW__NONE;
    }
    tw__profile_set_vertex_cycles(a->profile, columns, columns + count, columns + 2 * count, count);
    free(columns);
}

/* Placement counts time in entries of the control flow; profiles name programs. */
static bool name_entries(tw__accounting *a)
{
    tw__account *account = a->account;
    size_t entries = account->entries = a->shape.count, steps = a->engine->plan.steps.count;
    uint32_t *node = tw__realloc(NULL, (steps + 1) * sizeof *node), next = TW__NONE;
    account->entry_node = tw__calloc(entries + 1, sizeof *account->entry_node);
    if (!node || !account->entry_node) return free(node), false;
    for (size_t s = 0; s < steps; s++) node[s] = TW__NONE;
    for (size_t i = a->leaves.count; i-- > 0;) node[a->leaves.items[i].step] = a->leaves.items[i].node;
    for (size_t e = entries; e-- > 0;) {
        const tw__shape *at = &a->shape.items[e];
        if (at->kind == TW__SHAPE_STEP && node[at->value] != TW__NONE) next = node[at->value];
        account->entry_node[e] = next;
    }
    free(node);
    return true;
}

static tw_status fill(tw__accounting *a)
{
    tw_status status;
    set_counts(a);
    if ((status = tw__account_tree(a)) || (status = tw__account_memory(a)) || (status = tw__account_liveness(a)) ||
        (status = tw__account_judge(a)))
        return status;
    set_mode(a);
    if (!name_entries(a)) a->failed = true;
    for (size_t t = 0; t < a->core->type_count; t++) a->account->type_ids[t] = a->types[t].id;
    if (a->failed || tw__codelets_no_memory(a->engine->codelets) || a->before.failed || a->after.failed)
        return tw__fail(TW_E_NO_MEMORY, "out of memory for the profile");
    return tw__profile_status(a->profile);
}

tw_status tw__account_new(tw_engine *engine)
{
    const tw_target *target = engine->target;
    tw__profile_target facts = { .type = target->kind == TW_TARGET_IPU ? "IPU" : "IPU_MODEL",
                                 .arch = tw_target_arch(target),
                                 .ipus = target->ipus,
                                 .tiles_per_ipu = target->tiles_per_ipu,
                                 .replicas = engine->core->replicas ? engine->core->replicas : 1,
                                 .copies = engine->core->created,
                                 .bytes_per_tile = tw_target_bytes_per_tile(target),
                                 .clock_hz = tw_target_clock_hz(target),
                                 .min_sync_delay = tw_target_min_sync_delay(target) };
    size_t steps = engine->plan.steps.count;
    tw__account *account = tw__calloc(1, sizeof *account);
    if (!account) return tw__fail(TW_E_NO_MEMORY, "out of memory for the profile");
    engine->account = account;
    account->engine = engine;
    account->enabled = true;
    account->profile = tw__profile_new(&facts);
    account->first_step = tw__calloc(steps + 1, sizeof *account->first_step);
    account->step_count = tw__calloc(steps + 1, sizeof *account->step_count);
    account->compute_step = tw__calloc(steps + 1, sizeof *account->compute_step);
    account->type_ids = tw__calloc(engine->core->type_count + 1, sizeof *account->type_ids);
    tw__accounting a = { .engine = engine,
                         .core = engine->core,
                         .target = target,
                         .account = account,
                         .profile = account->profile,
                         .tiles = target->tiles,
                         .strict = tw__options_bool(engine->options, "profiler.strictEstimates") };
    a.placement = account->placement = engine->placement = tw__placement_new(engine);
    bool ready = account->profile && account->first_step && account->step_count && account->compute_step &&
                 account->type_ids && account->placement && accounting_init(&a);
    tw_status status = ready ? fill(&a) : tw__fail(TW_E_NO_MEMORY, "out of memory for the profile");
    accounting_free(&a);
    if (!status) status = start_reports(engine);
    if (status) {
        engine->account = NULL, engine->placement = NULL;
        tw__account_free(account);
    }
    return status;
}

void tw__account_free(tw__account *account)
{
    if (!account) return;
    flush_report(account);
    tw_profile_free(account->profile);
    tw__placement_free(account->placement);
    free(account->first_step), free(account->step_count), free(account->compute_step), free(account->type_ids);
    free(account->outcomes.items), free(account->entry_node);
    if (account->outcome_index) g_hash_table_destroy(account->outcome_index);
    g_free(account->execution_file);
    free(account);
}

/* --- hooks ---------------------------------------------------------------------------------------------------- */

void tw__account_run_begin(tw_engine *engine, const char *name)
{
    tw__account *account = engine->account;
    engine->tracing = account && (account->enabled || engine->plan.stamped);
    if (engine->tracing && account->enabled) tw__profile_run_begin(account->profile, name);
}

void tw__account_run_end(tw_engine *engine, double microseconds)
{
    tw__account *account = engine->account;
    if (!engine->tracing) return;
    engine->tracing = false;
    if (!account->enabled) return;
    tw__profile_run_end(account->profile, microseconds);
    account->dirty = true;
    if (account->stream_each_run) flush_report(account);
}

/* Profile steps [first, first + count) were executed in a row, `times` times. */
static void executed(const tw_engine *engine, uint32_t first, uint32_t count, uint64_t times)
{
    tw__account *account = engine->account;
    for (uint32_t i = 0; engine->plan.stamped && i < count; i++) {
        const tw__step *s = &account->profile->steps.items[first + i];
        account->clock += times * (s->span + (uint64_t)s->gap);
    }
    if (!account->enabled) return;
    if (times > 1)
        tw__profile_range(account->profile, first, count, times);
    else
        for (uint32_t i = 0; i < count; i++) tw__profile_step(account->profile, first + i);
}

uint64_t tw__account_clock(const tw_engine *engine)
{
    return engine->account->clock;
}

void tw__account_step(tw_engine *engine, uint32_t step)
{
    executed(engine, engine->account->first_step[step], engine->account->step_count[step], 1);
}

/* Vertices of each type and what they took, into types[]; returns how many types. */
static size_t sum_types(const tw_engine *engine, const tw__exec *exec, tw__type_cycles *types)
{
    const tw__account *account = engine->account;
    size_t count = 0;
    for (size_t i = 0; i < exec->on_tiles->count; i++) {
        const tw__tile_vertex *v = &exec->on_tiles->vertices[i];
        size_t t = 0;
        while (t < count && types[t].vertex_type != account->type_ids[v->type]) t++;
        if (t == count) types[count++] = (tw__type_cycles){ .vertex_type = account->type_ids[v->type] };
        types[t].instances++, types[t].cycles += v->cycles;
    }
    return count;
}

static bool same_outcome(const tw_profile *p, uint32_t step, tw__row active, const tw__type_cycles *types,
                         size_t count)
{
    const tw__step *s = &p->steps.items[step];
    if (s->active != active || s->types_count != count) return false;
    return !count || !memcmp(&p->type_cycles.items[s->types_first], types, count * sizeof *types);
}

/* The profile's step for this outcome of a compute set: one that was seen before, or a new one. */
static uint32_t outcome_of(tw_engine *engine, uint32_t step, const tw__exec *exec)
{
    tw__account *account = engine->account;
    tw_profile *p = account->profile;
    uint32_t planned = account->compute_step[step];
    tw__type_cycles *types = tw__calloc(exec->group_count + 1, sizeof *types);
    if (!types) return planned;
    size_t count = sum_types(engine, exec, types);
    tw__row active = tw__profile_row(p, exec->on_tiles->cycles, tw_target_tiles(engine->target));
    if (!account->outcome_index)
        account->outcome_index = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    gint64 key = (gint64)((uint64_t)step << 32 | active);
    guint known = GPOINTER_TO_UINT(g_hash_table_lookup(account->outcome_index, &key));
    if (known && same_outcome(p, account->outcomes.items[known - 1].step, active, types, count)) {
        free(types);
        return account->outcomes.items[known - 1].step;
    }
    const tw__step *model = &p->steps.items[planned];
    tw__step_desc desc = { .type = model->type,
                           .name = p->names.items[model->name],
                           .program = model->program,
                           .index = model->index,
                           .active = active,
                           .types = types,
                           .type_count = count,
                           .fidelity = exec->on_tiles->fidelity };
    uint32_t made = tw__profile_add_step(p, &desc);
    free(types);
    if (made == TW__NONE || !tw__grow(&account->outcomes.items, &account->outcomes.room, account->outcomes.count,
                                      sizeof *account->outcomes.items))
        return planned;
    account->outcomes.items[account->outcomes.count++] = (tw__outcome){ step, made };
    g_hash_table_insert(account->outcome_index, g_memdup2(&key, sizeof key),
                        GUINT_TO_POINTER((guint)account->outcomes.count));
    return made;
}

void tw__account_measured(tw_engine *engine, uint32_t step, const tw__exec *exec)
{
    const tw__account *account = engine->account;
    uint32_t first = account->first_step[step], made = outcome_of(engine, step, exec);
    for (uint32_t i = 0; i < account->step_count[step]; i++)
        executed(engine, first + i == account->compute_step[step] ? made : first + i, 1, 1);
}

/* A straight body whose profile steps are consecutive is one range; nested loops are unrolled one level at a time. */
static void trace_body(tw_engine *engine, uint32_t first, uint32_t last);

void tw__account_loop(tw_engine *engine, uint32_t first, uint32_t last, uint64_t times)
{
    const tw__account *account = engine->account;
    const tw__instr *code = engine->plan.code.items;
    uint32_t begin = TW__NONE, end = 0;
    bool simple = true;
    for (uint32_t i = first; i < last && simple; i++) {
        if (code[i].op == TW__I_LOOP) simple = false;
        uint32_t step = code[i].step;
        if (step == TW__NO_STEP || !account->step_count[step]) continue;
        if (begin == TW__NONE) begin = end = account->first_step[step];
        simple &= account->first_step[step] == end;
        end += account->step_count[step];
    }
    if (simple) {
        if (begin != TW__NONE) executed(engine, begin, end - begin, times);
        return;
    }
    for (uint64_t i = 0; i < times; i++) trace_body(engine, first, last);
}

static void trace_body(tw_engine *engine, uint32_t first, uint32_t last)
{
    const tw__instr *code = engine->plan.code.items;
    for (uint32_t i = first; i < last; i++) {
        if (code[i].step != TW__NO_STEP) tw__account_step(engine, code[i].step);
        if (code[i].op != TW__I_LOOP) continue;
        /* LOOP jumps behind its NEXT when the count is 0 */
        uint32_t behind = code[i].to;
        if (code[i].imm > 0) tw__account_loop(engine, i + 1, behind - 1, (uint64_t)code[i].imm);
        i = behind - 1;
    }
}

void tw__account_cut(tw_engine *engine, uint32_t loop, uint64_t rounds, uint32_t stop)
{
    const tw__instr *code = engine->plan.code.items;
    uint64_t done = rounds - engine->plan.counters[code[loop].a];
    if (done) tw__account_loop(engine, loop + 1, code[loop].to - 1, done);
    for (uint32_t i = loop + 1; i < stop; i++) { /* the round that was cut */
        if (code[i].step != TW__NO_STEP) tw__account_step(engine, code[i].step);
        if (code[i].op != TW__I_LOOP) continue;
        uint32_t behind = code[i].to;
        if (behind > stop) {
            tw__account_cut(engine, i, (uint64_t)code[i].imm, stop);
            return;
        }
        if (code[i].imm > 0) tw__account_loop(engine, i + 1, behind - 1, (uint64_t)code[i].imm);
        i = behind - 1;
    }
}

const tw_profile *tw__account_profile(tw_engine *engine)
{
    if (!engine->account || report_memory(engine->account)) return NULL;
    tw__account_lines(engine);
    return engine->account->profile;
}

void tw__account_reset(tw_engine *engine)
{
    if (!engine->account) return;
    tw__profile_reset_execution(engine->account->profile);
    tw__tile_lines_reset(engine->sims ? engine->sims->lines : NULL);
}

void tw__account_enable(tw_engine *engine, bool on)
{
    if (engine->account) engine->account->enabled = on;
}
