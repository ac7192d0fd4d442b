/* SPDX-License-Identifier: MIT */
/* The interpreter: one pass over a flat instruction array. Compute sets and copies share their work between
 * threads; everything else is done in order by the calling thread. */
#include "poplar/engine/engine.h"
#include "core/base/interrupt.h"
#include "core/base/kept_error.h"
#include "poplar/engine/run/checkpoint.h"

#include <omp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <tilewright/poplar/debugger.h>
#include <tilewright/progress.h>
#include <time.h>

const char *const tw__opcode_names[] = {
#define OPCODE_NAME(name, text) #name,
    TW__OPCODES(OPCODE_NAME)
#undef OPCODE_NAME
};

/* --- compute sets --------------------------------------------------------------------------------------------- */

/* Whether every vertex of active tile `t` of the set returned true, whatever runs them. */
static bool run_active(tw_engine *engine, const tw__exec *x, size_t t)
{
    const tw__group *first = x->groups + x->tile_first[t];
    if (engine->random) tw__random_use(&engine->random[first->tile]); /* the tile's own */
    return x->on_tiles ? tw__tile_run(engine, x, t)
                       : tw__guarded_run(engine, x->cs, first, x->groups + x->tile_first[t + 1]);
}

static bool run_serial(tw_engine *engine, const tw__exec *x)
{
    bool all = true;
    for (size_t t = x->own_first; t < x->own_end; t++) all = run_active(engine, x, t) && all;
    return all;
}

typedef struct compute {
    tw_engine *engine;
    const tw__exec *exec;
    atomic_bool failed; /* a vertex returned false */
} compute;

static void run_tiles(void *arg, size_t begin, size_t end)
{
    compute *c = arg;
    const tw__exec *x = c->exec;
    for (size_t t = x->own_first + begin; t < x->own_first + end; t++)
        if (!run_active(c->engine, x, t)) atomic_store_explicit(&c->failed, true, memory_order_relaxed);
}

static bool run_parallel(tw_engine *engine, const tw__exec *x, int threads)
{
    compute c = { .engine = engine, .exec = x };
    size_t count = x->own_end - x->own_first;
    tw__parallel((unsigned)threads, count, count / ((size_t)threads * 8), run_tiles, &c);
    return !atomic_load(&c.failed);
}

enum { UNKNOWN, SERIAL, PARALLEL };

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Waking threads takes some microseconds. Large sets use them at once; a small one runs alone the first time and is
 * shared from then on if that took longer than 30 us. */
static bool run_compute(tw_engine *engine, tw__exec *x, int threads)
{
    if (threads < 2 || x->own_end - x->own_first < 2 || x->parallel == SERIAL) return run_serial(engine, x);
    if (x->parallel == UNKNOWN && x->vertices >= 2048) x->parallel = PARALLEL;
    if (x->parallel == PARALLEL) return run_parallel(engine, x, threads);
    int64_t start = now_ns();
    bool all = run_serial(engine, x);
    x->parallel = now_ns() - start > 30000 ? PARALLEL : SERIAL;
    return all;
}

static tw_status run_exec(tw_engine *engine, tw__exec *x, bool *all)
{
    char *base = engine->plan.storage.base;
    const char *name = engine->core->compute_sets[x->cs].name;
    tw_status s = x->fetch.links ? tw__copy_move(&x->fetch, base, base, name, x->cs) : TW_OK;
    if (s) return s;
    if (x->before.count) tw__copy_run(&x->before, base, base);
    *all = run_compute(engine, x, engine->threads);
    if (x->after.count) tw__copy_run(&x->after, base, base);
    if (x->bring.links) s = tw__copy_move(&x->bring, base, base, name, x->cs);
    return s || !x->on_tiles ? s : tw__ranks_measured(engine, x);
}

static tw_status run_exec_all(tw_engine *engine, const tw__instr *in)
{
    bool all = true;
    tw__exec *x = &engine->plan.execs.items[in->a];
    tw_status s = run_exec(engine, x, &all);
    if (!s && engine->ranks.size > 1) s = tw__wire_all_and(TW__WIRE_HERE("results of vertices"), &all);
    if (!s) tw__scalar_set((tw_type)in->type, engine->plan.storage.base + in->u.at, all);
    return s;
}

/* --- control -------------------------------------------------------------------------------------------------- */

static uint32_t switch_target(const tw__switch *table, int32_t value)
{
    uint32_t lo = 0, hi = table->count;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (table->cases[mid].value < value)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < table->count && table->cases[lo].value == value ? table->cases[lo].to : table->otherwise;
}

/* Texts print what the user gave them; an empty one gets the status's own. */
static tw_status stop(const char *what, const char *text)
{
    return *text ? tw__fail(TW_E_APPLICATION, "%s", text) : tw__fail(TW_E_APPLICATION, "%s", what);
}

static tw_status run_error(tw_engine *engine, const tw__instr *in)
{
    const char *text = engine->plan.texts.items[in->a];
    FILE *out = engine->print_out ? engine->print_out : stderr;
    tw_progress_clear();
    if (tw__wire_rank() == 0 || engine->core->created || (out != stderr && out != stdout))
        fprintf(out, "%s\n", text);
    if (in->imm >= 0) {
        tw_status s = tw__print_run(engine, &engine->plan.prints.items[in->imm]);
        if (s) return s;
    }
    return stop("the program reached an error program", text);
}

typedef tw__machine machine;

static int64_t scalar_at(const machine *m, const tw__instr *in)
{
    return tw__scalar_get((tw_type)in->type, m->base + in->u.at);
}

/* What decides where the program goes on: its owner's value. */
static tw_status decide(const machine *m, const tw__instr *in, int64_t *value)
{
    *value = scalar_at(m, in);
    return m->ranks ? tw__ranks_scalar(m->engine, in->owner, value) : TW_OK;
}

/* Rounds of a straight loop begin; those that are left are reported as a whole. */
static void begin_rounds(machine *m, uint32_t loop, uint64_t left)
{
    if (!m->trace || !m->code[loop].straight) return;
    m->trace = false;
    m->loop = loop, m->rounds = left;
}

void tw__machine_settle(tw__machine *m, uint32_t stop)
{
    if (m->loop == UINT32_MAX) return;
    tw__account_cut(m->engine, m->loop, m->rounds, stop);
    m->loop = UINT32_MAX;
    m->trace = true;
}

/* Start of a counted loop; returns the next instruction. */
static uint32_t enter_loop(machine *m, uint32_t pc)
{
    const tw__instr *in = &m->code[pc];
    if (in->imm == 0) return in->to;
    m->engine->plan.counters[in->a] = (uint64_t)in->imm;
    if (m->outer == UINT32_MAX) m->outer = pc;
    begin_rounds(m, pc, (uint64_t)in->imm);
    return pc + 1;
}

static uint32_t next_round(machine *m, uint32_t pc)
{
    const tw__instr *in = &m->code[pc];
    uint64_t left = --m->engine->plan.counters[in->a];
    if (left) {
        begin_rounds(m, in->to - 1, left); /* behind a round that a checkpoint has cut */
        return in->to;
    }
    if (m->outer == in->to - 1) m->outer = UINT32_MAX;
    if (m->loop == in->to - 1) { /* leaves the outermost straight loop */
        tw__account_loop(m->engine, in->to, pc, m->rounds);
        m->loop = UINT32_MAX;
        m->trace = true;
    }
    return pc + 1;
}

static tw_status for_goes_on(const machine *m, const tw__instr *in, int64_t counter, bool *on)
{
    const tw__for *f = &m->engine->plan.fors.items[in->a];
    int64_t limit = tw__scalar_get((tw_type)f->limit_type, m->base + f->limit_at);
    tw_status s = m->ranks ? tw__ranks_scalar(m->engine, f->limit_owner, &limit) : TW_OK;
    *on = counter < limit;
    return s;
}

static tw_status no_case(const machine *m, const tw__instr *in, int64_t value)
{
    const tw__switch *table = &m->engine->plan.switches.items[in->a];
    const tw__core *core = m->engine->core;
    const tw__operand *control = &core->programs[table->program].a;
    return tw__fail(TW_E_APPLICATION, "the bounds checked switch on '%s' has no case for %lld",
                    core->vars[control->regions->region[0].var].name, (long long)value);
}

/* 0 on machines without an account: CPUs. */
static void stamp(const machine *m, const tw__instr *in)
{
    char *low = m->base + in->u.at, *high = m->base + in->imm;
    uint32_t words[2];
    memcpy(&words[0], low, sizeof *words), memcpy(&words[1], high, sizeof *words);
    uint64_t since = in->a ? (uint64_t)words[1] << 32 | words[0] : 0,
             now = m->engine->account ? tw__account_clock(m->engine) - since : 0;
    words[0] = (uint32_t)now, words[1] = (uint32_t)(now >> 32);
    memcpy(low, &words[0], sizeof *words), memcpy(high, &words[1], sizeof *words);
}

static void log_instruction(const machine *m, const tw__instr *in)
{
    TW__LOG(PROGRAM, TRACE, "%5td %-12s a=%u", in - m->code, tw__opcode_names[in->op], in->a);
}

/* The exec of an instruction whose cycles are known only when it has run; NULL for others. */
static const tw__exec *measured_by(const tw__plan *plan, const tw__instr *in)
{
    if (in->op != TW__I_EXECUTE && in->op != TW__I_EXECUTE_ALL) return NULL;
    return plan->execs.items[in->a].on_tiles ? &plan->execs.items[in->a] : NULL;
}

/* Only a checkpoint brings a machine to where its calls do not lead. */
static tw_status nowhere(void)
{
    return tw__fail(TW_E_FILE_LOAD, "the checkpoint's run is at a place to which no calls lead");
}

static tw_status tell_debugger(const machine *m, const tw__instr *in)
{
    const tw_debugger *d = m->engine->debugger;
    m->engine->debugged = (size_t)(in - m->code);
    if (!d->step || in->step == TW__NO_STEP) return TW_OK;
    tw__kept_error *kept = tw__error_keep();
    tw_status s = d->step(d->user, m->engine, m->engine->debugged);
    if (s)
        free(kept); /* the run ends with what the debugger says */
    else
        tw__error_put_back(kept);
    return s;
}

/* Whether this is where a replica waits for all others. */
static bool meets(const machine *m, const tw__instr *in)
{
    if (!m->engine->core->created) return false;
    if (in->op == TW__I_TRANSFER) return m->engine->plan.transfers.items[in->a].meets;
    return in->op == TW__I_CROSS || (in->op == TW__I_SYNC && in->a == TW_SYNC_GLOBAL);
}

static void tell_rounds(const machine *m)
{
    if (m->outer == UINT32_MAX) {
        tw_progress_tell("graph", "steps", m->done, 0);
    } else {
        uint64_t all = (uint64_t)m->code[m->outer].imm;
        tw_progress_tell("graph", "rounds", all - m->engine->plan.counters[m->code[m->outer].a], all);
    }
}

/* What failed in vertices of this rank comes before what another one says at the same place, so that all agree on the
 * first of both; and none of it is left for the next run. */
static tw_status own_fault(tw_engine *engine, const tw__exec *measured, tw_status s)
{
    tw_status fault = measured ? tw__tile_fault(engine) : TW_OK;
    if (!fault) fault = tw__vertex_fault(engine);
    g_clear_pointer(&engine->fault, g_free);
    return fault ? fault : s;
}

static tw_status instructions_run(machine *m)
{
    tw_engine *engine = m->engine;
    tw__plan *plan = &engine->plan;
    tw_status s = TW_OK;
    uint32_t pc = m->pc;
    for (;;) {
        const tw__instr *in = &m->code[pc++];
        if (m->log) log_instruction(m, in);
        m->pc = pc - 1;
        if (engine->saves && (s = tw__checkpoint_step(m, in)) != TW_OK) return s;
        if (tw__interrupt_flag) return tw__fail(TW_E_SYSTEM, "interrupted before a step of the program");
        const tw__exec *measured = measured_by(plan, in);
        if (m->trace && in->step != TW__NO_STEP && !measured) tw__account_step(engine, in->step);
        int64_t value = 0;
        bool flag = true;
        if (engine->debugger && (s = tell_debugger(m, in)) != TW_OK) return s;
        if (m->done++) tell_rounds(m); /* the first instruction enters the loop of most programs that take long */
        if (m->ranks) {
            tw__wire_at(m->done);
            if (tw__wire_stopped() && (s = tw__wire_notices()) != TW_OK) return s;
        }
        m->pc = pc;
        switch ((tw__opcode)in->op) {
        case TW__I_END: m->ended = true; return TW_OK;
        case TW__I_EXECUTE: s = run_exec(engine, &plan->execs.items[in->a], &flag); break;
        case TW__I_EXECUTE_ALL: s = run_exec_all(engine, in); break;
        case TW__I_COPY: s = tw__copy_move(&plan->copies.items[in->a], m->base, m->base, "a copy", in->a); break;
        case TW__I_CROSS: return TW_OK;
        case TW__I_TRANSFER:
            if (meets(m, in)) return TW_OK;
            s = tw__transfer_run(engine, &plan->transfers.items[in->a]);
            break;
        case TW__I_REMOTE: s = tw__remote_run(engine, &plan->remote_copies.items[in->a]); break;
        case TW__I_SYNC:
            if (meets(m, in)) return TW_OK;
            break;
        case TW__I_NOTHING: break;
        case TW__I_LOOP: pc = enter_loop(m, pc - 1); break;
        case TW__I_NEXT: pc = next_round(m, pc - 1); break;
        case TW__I_JUMP: pc = in->to; break;
        case TW__I_JUMP_TRUE:
            s = decide(m, in, &value);
            pc = value ? in->to : pc;
            break;
        case TW__I_JUMP_FALSE:
            s = decide(m, in, &value);
            pc = value ? pc : in->to;
            break;
        case TW__I_SWITCH:
            s = decide(m, in, &value);
            pc = switch_target(&plan->switches.items[in->a], (int32_t)value);
            if (!s && pc == TW__NO_STEP) return no_case(m, in, value);
            break;
        case TW__I_CALL:
            if (m->depth >= plan->call_depth) return nowhere();
            plan->calls[m->depth++] = pc;
            pc = in->to;
            break;
        case TW__I_RETURN:
            if (m->depth == 0) return nowhere();
            pc = plan->calls[--m->depth];
            break;
        case TW__I_FOR_SET: tw__scalar_set((tw_type)in->type, m->base + in->u.at, in->imm); break;
        case TW__I_FOR_ADD:
            tw__scalar_set((tw_type)in->type, m->base + in->u.at,
                           (int64_t)((uint64_t)scalar_at(m, in) + (uint64_t)in->imm));
            break;
        case TW__I_FOR_TEST:
            s = decide(m, in, &value);
            if (!s) s = for_goes_on(m, in, value, &flag);
            pc = flag ? pc : in->to;
            break;
        case TW__I_PRINT: s = tw__print_run(engine, &plan->prints.items[in->a]); break;
        case TW__I_ABORT: return stop("the program reached an Abort", plan->texts.items[in->a]);
        case TW__I_ABORT_IF:
            s = decide(m, in, &value);
            if (!s && value) return stop("the condition of an AbortOnCondition is true", plan->texts.items[in->a]);
            break;
        case TW__I_ERROR: return run_error(engine, in);
        case TW__I_STAMP: stamp(m, in); break;
        case TW__I_COUNT: break;
        }
        if (measured || engine->fault) s = own_fault(engine, measured, s);
        if (s) return s;
        if (measured && m->trace && in->step != TW__NO_STEP) tw__account_measured(engine, in->step, measured);
    }
}

tw_status tw__machine_go(machine *m)
{
    tw_status s = instructions_run(m);
    if (s) tw__machine_settle(m, m->pc);
    return s;
}

/* Every run starts from the same seed on every tile (docs/decisions.md, G6). */
static tw_status seed_tiles(tw_engine *engine)
{
    unsigned tiles = engine->target->tiles;
    if (!tw__codelets_draw(engine->codelets)) return TW_OK;
    if (!engine->random) engine->random = TW__NEW_N(engine->arena, tw__random, tiles);
    if (!engine->random) return tw__fail(TW_E_NO_MEMORY, "no memory for the random number generators");
    for (unsigned tile = 0; tile < tiles; tile++) tw__random_seed(&engine->random[tile]);
    return TW_OK;
}

tw_status tw__machine_start(tw__machine *m, tw_engine *engine, unsigned program)
{
    *m = (tw__machine){ .engine = engine,
                        .code = engine->plan.code.items,
                        .base = engine->plan.storage.base,
                        .trace = engine->tracing,
                        .log = tw__log_on(TW__LOG_PROGRAM, TW__TRACE),
                        .ranks = tw__wire_size() > 1 && (!engine->core->created || engine->ranks.verifies),
                        .loop = UINT32_MAX,
                        .outer = UINT32_MAX,
                        .pc = engine->plan.entries.items[program] };
    engine->threads = omp_in_parallel() || engine->debugger ? 1 : omp_get_max_threads();
    return seed_tiles(engine);
}

tw_status tw__execute(tw_engine *engine, unsigned program)
{
    tw__faults_begin();
    machine m;
    tw_status s = engine->replicas ? tw__replicas_execute(engine, program) : tw__machine_start(&m, engine, program);
    if (!s && !engine->replicas && engine->saves) s = tw__checkpoint_enter(&m, program);
    if (!s && !engine->replicas) s = tw__machine_go(&m);
    tw_progress_end();
    return s;
}
