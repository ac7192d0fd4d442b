/* SPDX-License-Identifier: MIT */
/* Debuggers of programs. The one of `tilewright run --debug` is a module that works in the user's process, where the
 * engine, the simulators and the program's own values are: nothing has to be copied, and a run without it pays for
 * a pointer that is NULL. */
#include <tilewright/poplar/debugger.h>

#include "poplar/engine/engine.h"
#include "poplar/engine/tiles/tiles.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static tw_debugger present; /* size 0: none */

tw_status tw_debugger_set(const tw_debugger *debugger)
{
    tw_debugger mine = { 0 };
    tw_status status = debugger ? TW__TAKE_OPTIONS(&mine, debugger, tw_debugger) : TW_OK;
    if (status != TW_OK) return status;
    present = mine;
    return TW_OK;
}

/* The module calls tw_debugger_set(). */
static void load_debugger(void)
{
    g_autofree char *path = g_build_filename(tw__lib_dir(), "tilewright", "debugger.so", NULL);
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    bool (*open)(const char *) = NULL;
    if (handle) *(void **)&open = dlsym(handle, "tw_debugger_open");
    if (!open || !open(g_getenv("TILEWRIGHT_DEBUG")))
        fprintf(stderr, "tilewright: the debugger cannot be loaded: %s\n", open ? path : dlerror());
}

tw_status tw__take_debugger(tw_engine *engine)
{
    static gsize once;
    const char *wish = g_getenv("TILEWRIGHT_DEBUG");
    if (g_once_init_enter(&once)) {
        if (wish && *wish) load_debugger();
        g_once_init_leave(&once, 1);
    }
    tw_debugger *own = present.size ? TW__NEW(engine->arena, tw_debugger) : NULL;
    if (own) *own = present;
    engine->debugger = own;
    return own || !present.size ? TW_OK : tw__fail(TW_E_NO_MEMORY, "out of host memory");
}

/* --- what an engine consists of --------------------------------------------------------------------------------- */

static const char *transfer_name(const tw_engine *engine, const tw__instr *in)
{
    const tw__transfer *t = &engine->plan.transfers.items[in->a];
    return t->count ? engine->core->streams[t->parts[0].stream].handle : "";
}

/* Of the first program that the step stands for. */
static const char *program_name(const tw_engine *engine, const tw__instr *in)
{
    const tw__plan_step *s = in->step == TW__NO_STEP ? NULL : &engine->plan.steps.items[in->step];
    if (!s || !s->programs) return "";
    const char *name = engine->core->programs[engine->plan.step_programs.items[s->first_program]].name;
    return name ? name : "";
}

/* Of the rest: what a run does there besides computing and copying. */
static const char *kind_text(tw__opcode op)
{
    switch (op) {
    case TW__I_CROSS: return "copy between replicas";
    case TW__I_SYNC: return "sync";
    case TW__I_STAMP: return "clock";
    case TW__I_NOTHING: return "nothing to do";
    case TW__I_ABORT:
    case TW__I_ABORT_IF: return "abort";
    case TW__I_ERROR: return "error";
    default: return "decision";
    }
}

tw_status tw_engine_get_step(tw_engine *engine, size_t index, tw_engine_step *step)
{
    tw_status status = tw__engine_usable(engine);
    if (status) return status;
    if (!step) return tw__fail(TW_E_INVALID_ARGUMENT, "there is no place for the step");
    tw_engine_step mine = { 0 };
    if ((status = TW__TAKE_OPTIONS(&mine, step, tw_engine_step)) != TW_OK) return status;
    if (index >= engine->plan.code.count) return tw__fail(TW_E_INDEX, "there is no step %zu", index);
    const tw__instr *in = &engine->plan.code.items[index];
    const tw__exec *x;
    mine = (tw_engine_step){ .size = mine.size, .name = "" };
    mine.replica = engine->replica, mine.replicas = engine->core->created;
    switch ((tw__opcode)in->op) {
    case TW__I_EXECUTE:
    case TW__I_EXECUTE_ALL:
        x = &engine->plan.execs.items[in->a];
        mine.what = "compute set", mine.name = engine->core->compute_sets[x->cs].name;
        mine.vertices = x->vertices, mine.tiles = (unsigned)x->tile_count, mine.simulated = x->on_tiles != NULL;
        break;
    case TW__I_COPY: mine.what = "copy", mine.name = program_name(engine, in); break;
    case TW__I_TRANSFER: mine.what = "stream", mine.name = transfer_name(engine, in); break;
    case TW__I_REMOTE:
        mine.what = "remote buffer";
        mine.name = engine->core->remotes[engine->plan.remote_copies.items[in->a].remote].handle;
        break;
    case TW__I_PRINT: mine.what = "print", mine.name = engine->plan.prints.items[in->a].title; break;
    default:
        if (in->step != TW__NO_STEP)
            mine.what = kind_text((tw__opcode)in->op), mine.name = program_name(engine, in);
        break;
    }
    tw__give_options(step, &mine);
    return TW_OK;
}

const tw_object *tw_engine_code(const tw_engine *engine, size_t index)
{
    if (tw__engine_usable(engine) || !engine->chip || index >= engine->chip->placed->len) return NULL;
    return g_array_index(engine->chip->placed, tw__placed_link, index).image;
}

const char *tw_engine_variable(const tw_engine *engine, size_t index)
{
    if (tw__engine_usable(engine) || index >= engine->core->var_count) return NULL;
    return engine->core->vars[index].name;
}

/* --- vertices -------------------------------------------------------------------------------------------------- */

static void put_run(GString *out, const tw__core *core, const tw__elems *run)
{
    const tw__variable *v = &core->vars[run->var];
    if (*v->name)
        g_string_append_printf(out, " %s", v->name);
    else
        g_string_append_printf(out, " %s %u", v->is_anonymous_const ? "constant" : "variable", run->var);
    if (run->count == v->count && run->offset == 0 && (run->stride == 1 || run->count < 2)) return; /* all of it */
    if (run->count == 1)
        g_string_append_printf(out, "[%llu]", (unsigned long long)run->offset);
    else if (run->stride == 1)
        g_string_append_printf(out, "[%llu..%llu]", (unsigned long long)run->offset,
                               (unsigned long long)(run->offset + run->count));
    else
        g_string_append_printf(out, "[%llu, each %lld, %llu times]", (unsigned long long)run->offset,
                               (long long)run->stride, (unsigned long long)run->count);
}

enum { MOST_RUNS = 16 }; /* that are shown of a field */

/* The runs of one connection; *shown counts those of the field. */
static void put_edge(GString *out, const tw__core *core, const tw__edge *e, unsigned *shown)
{
    tw__elems run = { e->var, e->offset, 1, e->count };
    tw__region_walk walk = { 0 };
    if (e->regions) walk = tw__region_walk_begin(e->regions, 0, e->regions->count);
    while (e->regions ? tw__region_walk_next(&walk, &run) : run.count > 0) {
        if (++*shown == MOST_RUNS + 1) g_string_append(out, " ...");
        if (*shown <= MOST_RUNS) put_run(out, core, &run);
        if (!e->regions) return;
    }
}

static void put_field(GString *out, const tw__core *core, const tw__vertex *v, unsigned number)
{
    static const char *const directions[] = {
        [TW__INPUT] = "Input", [TW__OUTPUT] = "Output", [TW__INOUT] = "InOut"
    };
    const tw__field *f = &core->types[v->type].info->fields[number];
    unsigned shown = 0;
    uint64_t parts = 0, count = 0;
    g_autoptr(GString) runs = g_string_new(NULL);
    for (uint32_t i = v->first_edge; i; i = core->edges[i].next) {
        if (core->edges[i].field != number) continue;
        parts++, count += core->edges[i].count;
        put_edge(runs, core, &core->edges[i], &shown);
    }
    const char *direction = f->direction < G_N_ELEMENTS(directions) ? directions[f->direction] : NULL;
    const char *type = f->type_text              ? f->type_text
                       : f->type != TW_TYPE_NONE ? tw_type_name(f->type, TW_SYSTEM_POPLAR)
                                                 : "";
    g_string_append_printf(out, "  %-12s %-6s %s", f->name, parts && direction ? direction : "state", type);
    if (parts > 1) g_string_append_printf(out, ", %llu parts", (unsigned long long)parts);
    if (parts && (f->rank || parts > 1)) g_string_append_printf(out, "[%llu]", (unsigned long long)count);
    g_string_append_printf(out, "%s%s\n", runs->len ? " :" : "", runs->str);
}

tw_status tw_engine_get_vertex(tw_engine *engine, tw_vertex vertex, tw_debug_vertex *v)
{
    tw_debug_vertex mine = { 0 };
    tw_status status = tw__engine_usable(engine);
    if (!status && !v) status = tw__fail(TW_E_INVALID_ARGUMENT, "there is no place for the vertex");
    if (!status) status = TW__TAKE_OPTIONS(&mine, v, tw_debug_vertex);
    if (status) return status;
    const tw__core *core = engine->core;
    if (vertex.id == 0 || vertex.id >= core->vertex_count)
        return tw__fail(TW_E_INDEX, "there is no vertex %u", vertex.id);
    const tw__vertex *of = &core->vertices[vertex.id];
    mine = (tw_debug_vertex){ .size = mine.size, .engine = engine, .vertex = vertex, .tile = of->tile };
    mine.type = core->types[of->type].info->name, mine.compute_set = core->compute_sets[of->cs].name;
    tw__give_options(v, &mine);
    return TW_OK;
}

char *tw_engine_vertex_text(tw_engine *engine, tw_vertex vertex)
{
    if (tw__engine_usable(engine)) return NULL;
    const tw__core *core = engine->core;
    if (vertex.id == 0 || vertex.id >= core->vertex_count)
        return tw__fail(TW_E_INDEX, "there is no vertex %u", vertex.id), NULL;
    const tw__vertex *v = &core->vertices[vertex.id];
    const tw__vertex_type *info = core->types[v->type].info;
    g_autoptr(GString) out = g_string_new(NULL);
    g_string_append_printf(out, "vertex %u of type '%s' (%s)\ncompute set '%s', tile %u\n", vertex.id, info->name,
                           info->origin, core->compute_sets[v->cs].name, v->tile);
    for (unsigned i = 0; i < info->num_fields; i++) put_field(out, core, v, i);
    char *text = strdup(out->str);
    return tw__made(text ? TW_OK : tw__fail(TW_E_NO_MEMORY, "out of memory"), text);
}
