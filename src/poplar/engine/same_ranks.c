/* SPDX-License-Identifier: MIT */
/* Whether all ranks do the same: they have made the same graph and engine, which is compared when it is loaded, and
 * with mpi.verify they have the same values after each run. */
#include "poplar/engine/engine.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

#define HASH_OF(hash, value) tw__fnv1a((hash), &(value), sizeof(value))

static uint64_t hash_text(uint64_t hash, const char *text)
{
    return text ? tw__fnv1a(hash, text, strlen(text) + 1) : hash + 1;
}

static uint64_t hash_regions(uint64_t hash, const tw__regions *list)
{
    for (uint32_t i = 0; list && i < list->n; i++) {
        const tw__region *r = &list->region[i];
        hash = HASH_OF(hash, r->var), hash = HASH_OF(hash, r->offset), hash = HASH_OF(hash, r->count);
        for (uint32_t k = 0; k < r->rank; k++)
            hash = HASH_OF(hash, r->dim[k].count), hash = HASH_OF(hash, r->dim[k].stride);
    }
    return hash;
}

static uint64_t hash_variable(const tw_engine *engine, size_t i)
{
    const tw__variable *v = &engine->core->vars[i];
    uint64_t hash = hash_text(TW__FNV, v->name);
    hash = HASH_OF(hash, v->type), hash = HASH_OF(hash, v->count);
    for (size_t k = 0; k < v->mapped_count; k++) {
        hash = HASH_OF(hash, v->mapped[k].begin), hash = HASH_OF(hash, v->mapped[k].end);
        hash = HASH_OF(hash, v->mapped[k].tile);
    }
    for (const tw__initial *in = v->initial; in; in = in->next) {
        uint64_t count = in->broadcast ? 1 : in->regions ? in->regions->count : v->count;
        hash = HASH_OF(hash_regions(hash, in->regions), in->replica);
        hash = tw__fnv1a(hash, in->values, count * tw__host_size(in->type));
    }
    return hash;
}

static uint64_t hash_compute_set(const tw_engine *engine, size_t i)
{
    const tw__core *core = engine->core;
    uint64_t hash = hash_text(TW__FNV, core->compute_sets[i].name);
    size_t count;
    const uint32_t *list = tw__compute_set_vertices(engine->core, (uint32_t)i, &count);
    for (size_t k = 0; k < count; k++) {
        const tw__vertex *v = &core->vertices[list[k]];
        hash = hash_text(hash, core->types[v->type].info->name), hash = HASH_OF(hash, v->tile);
        for (uint32_t e = v->first_edge; e; e = core->edges[e].next) {
            const tw__edge *edge = &core->edges[e];
            tw__edge_list room;
            hash = HASH_OF(hash, edge->field), hash = HASH_OF(hash, edge->index);
            hash = hash_regions(hash, tw__edge_regions(edge, &room));
        }
        for (uint32_t n = v->first_value; n; n = core->values[n].next) {
            const tw__field_value *value = &core->values[n];
            const void *data = value->bytes > sizeof value->u.inline_bytes ? value->u.data : value->u.inline_bytes;
            hash = tw__fnv1a(HASH_OF(hash, value->field), data, value->bytes);
        }
    }
    return hash;
}

static uint64_t hash_program(const tw_engine *engine, size_t i)
{
    const tw__program *p = &engine->core->programs[i];
    uint64_t hash = HASH_OF(TW__FNV, p->kind);
    hash = HASH_OF(hash, p->id), hash = HASH_OF(hash, p->begin), hash = HASH_OF(hash, p->limit),
    hash = HASH_OF(hash, p->step);
    hash = hash_text(hash, p->text), hash = hash_regions(hash, p->a.regions),
    hash = hash_regions(hash, p->b.regions);
    for (uint32_t k = 0; k < p->child_count; k++) hash = HASH_OF(hash, p->children[k]);
    for (uint32_t k = 0; k < p->case_count; k++)
        hash = HASH_OF(hash, p->cases[k].value), hash = HASH_OF(hash, p->cases[k].body);
    return hash;
}

static uint64_t hash_option(const tw_engine *engine, size_t i)
{
    return hash_text(TW__FNV, tw__options_get(engine->options, tw__engine_options[i].key));
}

static uint64_t hash_handle(const tw_engine *engine, size_t i)
{
    const tw__handle *h = &engine->handles.items[i];
    return HASH_OF(hash_text(TW__FNV, h->name), h->count);
}

static const char *variable_name(const tw_engine *engine, size_t i)
{
    return engine->core->vars[i].name;
}

static const char *compute_set_name(const tw_engine *engine, size_t i)
{
    return engine->core->compute_sets[i].name ? engine->core->compute_sets[i].name : "";
}

static const char *program_name(const tw_engine *engine, size_t i)
{
    const char *text = engine->core->programs[i].text;
    return text ? text : "";
}

static const char *option_name(const tw_engine *engine, size_t i)
{
    (void)engine;
    return tw__engine_options[i].key;
}

static const char *handle_name(const tw_engine *engine, size_t i)
{
    return engine->handles.items[i].name;
}

typedef struct kind_of_object {
    const char *what;
    uint64_t (*hash)(const tw_engine *engine, size_t i);
    const char *(*name)(const tw_engine *engine, size_t i);
} kind_of_object;

static const kind_of_object kinds[] = {
    { "engine option", hash_option, option_name },         { "variable", hash_variable, variable_name },
    { "compute set", hash_compute_set, compute_set_name }, { "program", hash_program, program_name },
    { "host access", hash_handle, handle_name },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static size_t count_of(const tw_engine *engine, size_t kind)
{
    const size_t counts[KINDS] = { tw__engine_option_count, engine->core->var_count,
                                   engine->core->compute_set_count, engine->core->program_count,
                                   engine->handles.count };
    return counts[kind];
}

/* What this rank has otherwise than rank 0, the hashes of whose `theirs` objects these are. */
static tw_status own_difference(const tw_engine *engine, size_t kind, const uint64_t *hashes, uint64_t theirs)
{
    const char *must = "all ranks have to make the same graph and the same engine", *what = kinds[kind].what;
    uint64_t count = count_of(engine, kind), i = 0;
    while (i < theirs && i < count && hashes[i] == kinds[kind].hash(engine, i)) i++;
    if (i < theirs && i < count)
        return tw__fail(TW_E_SYSTEM, "%s '%s' (number %llu) of rank %u is not that of rank 0: %s", what,
                        kinds[kind].name(engine, i), (unsigned long long)i, tw__wire_rank(), must);
    if (count == theirs) return TW_OK;
    return tw__fail(TW_E_SYSTEM, "%s: rank %u has %llu of them, rank 0 has %llu: %s", what, tw__wire_rank(),
                    (unsigned long long)count, (unsigned long long)theirs, must);
}

/* The objects of one kind differ from those of rank 0 on some rank: all ranks say which is the first, since the
 * launcher may end that rank before it has said anything. */
static tw_status name_difference(const tw_engine *engine, size_t kind)
{
    uint64_t count = count_of(engine, kind), theirs = count;
    tw_status s = tw__wire_broadcast(TW__WIRE_HERE("what differs"), 0, &theirs, sizeof theirs);
    uint64_t *hashes = tw__calloc(theirs + 1, sizeof *hashes);
    if (!hashes) return tw__fail(TW_E_NO_MEMORY, "out of host memory");
    for (uint64_t i = 0; i < theirs && i < count; i++) hashes[i] = kinds[kind].hash(engine, i);
    if (!s) s = tw__wire_broadcast(TW__WIRE_HERE("hashes of what differs"), 0, hashes, theirs * sizeof *hashes);
    if (!s) s = tw__wire_agree(own_difference(engine, kind, hashes, theirs));
    free(hashes);
    tw__wire_break();
    return s;
}

static uint64_t hash_kind(const tw_engine *engine, size_t kind)
{
    uint64_t all = TW__FNV;
    for (size_t i = 0; i < count_of(engine, kind); i++) {
        uint64_t hash = kinds[kind].hash(engine, i);
        all = HASH_OF(all, hash);
    }
    return all;
}

/* Options count as far as they change what is where; code of the chip is among the loads. */
uint64_t tw__graph_hash(const tw_engine *engine)
{
    const tw__plan *plan = &engine->plan;
    uint64_t hash = HASH_OF(TW__FNV, plan->storage.bytes);
    for (size_t kind = 1; kind < KINDS; kind++) {
        uint64_t one = hash_kind(engine, kind);
        hash = HASH_OF(hash, one);
    }
    for (size_t i = 0; i < engine->core->var_count; i++) {
        uint64_t at = engine->core->vars[i].count ? tw__storage_at(&plan->storage, (uint32_t)i, 0) : 0;
        hash = HASH_OF(hash, at);
    }
    for (size_t i = 0; i < plan->code.count; i++) hash = HASH_OF(hash, plan->code.items[i].op);
    for (size_t i = 0; i < engine->loads.count; i++)
        hash = tw__fnv1a(hash, engine->loads.items[i].bytes, engine->loads.items[i].size);
    return HASH_OF(hash, engine->target->chip);
}

tw_status tw__ranks_same_graph(const tw_engine *engine)
{
    if (tw__wire_size() < 2) return TW_OK;
    uint64_t mine[KINDS], theirs[KINDS];
    for (size_t k = 0; k < KINDS; k++) mine[k] = hash_kind(engine, k);
    memcpy(theirs, mine, sizeof mine);
    tw_status s = tw__wire_broadcast(TW__WIRE_HERE("tw_engine_load"), 0, theirs, sizeof theirs);
    uint64_t first = 0;
    while (first < KINDS && mine[first] == theirs[first]) first++;
    if (!s) s = tw__wire_all_min(TW__WIRE_HERE("whether graphs are equal"), &first);
    return s || first == KINDS ? s : name_difference(engine, first);
}

/* --- mpi.verify ------------------------------------------------------------------------------------------------- */

static tw_status hash_values(const tw_engine *engine, uint32_t var, uint64_t *hash)
{
    const tw__storage *storage = &engine->plan.storage;
    uint64_t count = engine->core->vars[var].count;
    size_t size = storage->size[var];
    tw__edge all = { .var = var, .count = count };
    tw__edge_list room;
    tw__copy copy = { 0 };
    char *values = tw__realloc(NULL, count * size + 1);
    tw_status s = values ? tw__copy_add(&copy, storage, (tw__side){ .regions = tw__edge_regions(&all, &room) },
                                        (tw__side){ 0 }, count, size)
                         : tw__fail(TW_E_NO_MEMORY, "no memory to compare variables");
    if (!s) s = tw__copy_finish(&copy);
    if (!s) tw__copy_run(&copy, values, storage->base);
    if (!s) *hash = tw__fnv1a(TW__FNV, values, count * size);
    free(values);
    tw__copy_free(&copy);
    return s;
}

tw_status tw__ranks_verify(const tw_engine *engine)
{
    if (!engine->ranks.verifies) return TW_OK;
    size_t count = engine->core->var_count, bad = 0;
    uint64_t *mine = tw__calloc(count + 1, 2 * sizeof *mine), *theirs = mine + count;
    if (!mine) return tw__fail(TW_E_NO_MEMORY, "no memory to compare variables");
    tw_status s = TW_OK;
    for (size_t i = 0; i < count && !s; i++) s = hash_values(engine, (uint32_t)i, &mine[i]);
    if (!s) memcpy(theirs, mine, count * sizeof *mine);
    if (!s) s = tw__wire_broadcast(TW__WIRE_HERE("values that are compared"), 0, theirs, count * sizeof *mine);
    while (bad < count && mine[bad] == theirs[bad]) bad++;
    uint64_t least = bad;
    if (!s) s = tw__wire_all_min(TW__WIRE_HERE("whether values are equal"), &least);
    if (!s && least < count && bad == least) /* others learn it where the run ends */
        s = tw__fail(TW_E_SYSTEM,
                     "mpi.verify: after this run variable '%s' has other values on rank %u than on rank 0",
                     engine->core->vars[least].name, tw__wire_rank());
    free(mine);
    return s;
}

/* --- what programs ask ------------------------------------------------------------------------------------------ */

unsigned tw_world_rank(void)
{
    return tw__wire_start() == TW_OK ? tw__wire_rank() : 0;
}

unsigned tw_world_size(void)
{
    return tw__wire_start() == TW_OK ? tw__wire_size() : 1;
}

unsigned tw_world_alike(const char *text)
{
    if (!text || tw_world_size() < 2) return 1;
    g_autofree char *kept = g_strdup(tw_error_message());
    tw_status status = tw_error_status();
    uint64_t hash = tw__fnv1a(TW__FNV, text, strlen(text)), least = hash, rest = ~hash; /* of the greatest */
    tw_status s = tw__wire_all_min(TW__WIRE_HERE("what a rank says"), &least);
    if (!s) s = tw__wire_all_min(TW__WIRE_HERE("whether all say so"), &rest);
    tw_error_set(status, "%s", kept);
    return !s && least == ~rest ? tw_world_size() : 1;
}
