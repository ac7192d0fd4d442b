/* SPDX-License-Identifier: MIT */
/* Compute sets with simulated vertices: what runs on which tile, in creation order, with the addresses that the
 * simulator starts from. */
#include "poplar/engine/tiles/tiles.h"

#include <string.h>

static bool is_simulated(const tw_engine *engine, const tw__exec *x)
{
    for (size_t g = 0; g < x->group_count; g++)
        if (engine->chip->simulated[x->groups[g].type]) return true;
    return false;
}

/* Active tile of the exec that has this number. */
static size_t tile_index(const tw__exec *x, uint32_t tile)
{
    size_t low = 0, high = x->tile_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (x->groups[x->tile_first[middle]].tile <= tile)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static uint32_t vertices_group_of(const tw__exec *x, size_t t, uint32_t type)
{
    uint32_t g = x->tile_first[t];
    while (g + 1 < x->tile_first[t + 1] && x->groups[g].type != type) g++;
    return g;
}

static uint32_t vertices_entry_of(const tw_engine *engine, uint32_t tile, uint32_t type)
{
    const tw__chip_code *code = engine->chip;
    const tw_object *image = g_array_index(code->placed, tw__placed_link, code->placed_of[tile] - 1).image;
    int symbol = tw_object_find_symbol(image, engine->core->types[type].info->symbol);
    return symbol < 0 ? 0 : tw_object_get_symbol(image, (size_t)symbol)->value;
}

/* Vertices of each active tile: x->first[t] gets where the next one goes. */
static void count_vertices(const tw_engine *engine, tw__exec *x, const uint32_t *list, size_t count)
{
    struct tw__tile_exec *run = x->on_tiles;
    for (size_t i = 0; i < count; i++) {
        size_t t = tile_index(x, engine->core->vertices[list[i]].tile);
        if (t + 2 <= x->tile_count) run->first[t + 2]++;
    }
    for (size_t t = 2; t <= x->tile_count; t++) run->first[t] += run->first[t - 1];
}

static void vertices_fill(const tw_engine *engine, tw__exec *x, const uint32_t *list, size_t count, uint32_t *index)
{
    struct tw__tile_exec *run = x->on_tiles;
    for (size_t i = 0; i < count; i++) {
        const tw__vertex *v = &engine->core->vertices[list[i]];
        size_t t = tile_index(x, v->tile);
        uint32_t g = vertices_group_of(x, t, v->type), n = index[g]++;
        bool guess, simulated = engine->chip->simulated[v->type], measured = engine->chip->measured[v->type];
        uint64_t estimate = tw__vertex_cycles(engine->core, list[i], &guess).cycles;
        if (measured && !guess) simulated = measured = false; /* somebody has said what it takes */
        tw__tile_vertex *out = &run->vertices[run->first[t + 1]++];
        *out = (tw__tile_vertex){ .vertex = list[i],
                                  .type = v->type,
                                  .group = g,
                                  .is_native = !simulated || measured,
                                  .is_measured = measured,
                                  .state = x->groups[g].states };
        if (out->state) out->state += (size_t)n * x->groups[g].stride; /* else another rank runs it */
        if (simulated) {
            out->entry = vertices_entry_of(engine, v->tile, v->type), out->address = engine->state_at[list[i]];
            bool modelled = engine->core->types[v->type].info->kind != TW__VERTEX ||
                            tw__chip_code_modelled(engine->chip, v->tile);
            if (modelled && run->fidelity < TW_FIDELITY_MODELLED) run->fidelity = TW_FIDELITY_MODELLED;
        } else {
            out->cycles = estimate;
            run->fidelity = TW_FIDELITY_ESTIMATED;
        }
    }
}

static tw_status vertices_make(tw_engine *engine, tw__exec *x)
{
    size_t count;
    const uint32_t *list = tw__compute_set_vertices(engine->core, x->cs, &count);
    struct tw__tile_exec *run = x->on_tiles = TW__NEW(engine->arena, struct tw__tile_exec);
    uint32_t *index = tw__calloc(x->group_count + 1, sizeof *index);
    if (run) {
        run->vertices = TW__NEW_N(engine->arena, tw__tile_vertex, count + 1);
        run->first = TW__NEW_N(engine->arena, uint32_t, x->tile_count + 2);
        run->cycles = TW__NEW_N(engine->arena, uint64_t, tw_target_tiles(engine->target) + (size_t)1);
        run->count = count;
    }
    bool ok = run && index && run->vertices && run->first && run->cycles;
    if (ok) count_vertices(engine, x, list, count), vertices_fill(engine, x, list, count, index);
    free(index);
    return ok ? TW_OK : tw__fail(TW_E_NO_MEMORY, "out of memory for the vertices of tiles");
}

/* Loops over what is simulated are followed step by step: what a step takes is known when it has run. */
static void follow_loops(tw__plan *plan)
{
    for (size_t i = 0; i < plan->code.count; i++) {
        tw__instr *loop = &plan->code.items[i];
        if (loop->op != TW__I_LOOP || !loop->straight) continue;
        for (size_t k = i + 1; k < loop->to && loop->straight; k++) {
            const tw__instr *in = &plan->code.items[k];
            bool executes = in->op == TW__I_EXECUTE || in->op == TW__I_EXECUTE_ALL;
            if (executes && plan->execs.items[in->a].on_tiles) loop->straight = 0;
        }
    }
}

tw_status tw__tile_vertices_new(tw_engine *engine)
{
    tw_status status = TW_OK;
    if (!engine->chip) return TW_OK;
    for (size_t i = 0; i < engine->plan.execs.count && !status; i++)
        if (is_simulated(engine, &engine->plan.execs.items[i]))
            status = vertices_make(engine, &engine->plan.execs.items[i]);
    follow_loops(&engine->plan);
    return status;
}

tw_status tw__bind_entries(tw_engine *engine)
{
    tw__core *core = engine->core;
    size_t types = core->type_count;
    tw__entry *entry = tw__calloc(types + 1, sizeof *entry);
    if (!entry) return tw__fail(TW_E_NO_MEMORY, "no memory for the code of vertices");
    tw__offer_math();
    tw_status s = TW_OK;
    for (size_t i = 0; i < engine->plan.execs.count && !s; i++) {
        tw__exec *x = &engine->plan.execs.items[i];
        for (size_t g = 0; g < x->group_count && !s; g++) {
            uint32_t type = x->groups[g].type;
            if (engine->chip && engine->chip->simulated[type] && !engine->chip->measured[type]) continue;
            if (!entry[type]) entry[type] = tw__codelets_entry(engine->codelets, core->types[type].info);
            x->groups[g].run = entry[type];
            if (!entry[type])
                s = tw__fail(TW_E_LINK, "vertex type '%s' has no code for the host: %s",
                             core->types[type].info->name, tw_error_message());
        }
    }
    free(entry);
    return s;
}
