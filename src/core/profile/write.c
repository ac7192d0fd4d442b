/* SPDX-License-Identifier: MIT */
/* The writer: graph part and plan steps. Every call is a no-op after the first failure (profile.h). */
#include "core/profile/profile.h"

#include <stdlib.h>

bool tw__profile_fail(tw_profile *p, tw_status status, const char *format, ...)
{
    if (p->status) return false;
    va_list args;
    va_start(args, format);
    p->status = tw__vfail(status, format, args);
    va_end(args);
    p->detail = tw__arena_strdup(p->arena, tw_error_message()); /* NULL is fine: the status remains */
    return false;
}

tw_status tw__profile_status(const tw_profile *p)
{
    if (p->status) tw__set_error(p->status, p->detail ? p->detail : tw_status_text(p->status));
    return p->status;
}

tw_status tw__profile_has(const tw_profile *p, bool graph, bool execution, const char *verb)
{
    if (!p) return tw__missing("profile");
    if (p->status) return tw__profile_status(p);
    if (graph && !p->has_graph)
        return tw__fail(TW_E_MISSING_GRAPH_PROFILE, "there is no graph profile to %s", verb);
    if (execution && !p->has_execution)
        return tw__fail(TW_E_MISSING_PROFILE, "there is no execution profile to %s", verb);
    return TW_OK;
}

tw_profile *tw__profile_new(const tw__profile_target *target)
{
    tw_profile *p = tw__realloc(NULL, sizeof *p);
    if (!p) return NULL;
    memset(p, 0, sizeof *p);
    p->next = UINT64_MAX;
    p->arena = tw__arena_new(0);
    const char **empty = p->arena ? TW__PROFILE_PUSH(p, p->names) : NULL;
    tw__row_info *none = empty ? TW__PROFILE_PUSH(p, p->rows) : NULL;
    if (!none) return tw_profile_free(p), NULL;
    *empty = "";
    memset(&p->given_totals, 0xff, sizeof p->given_totals);
    p->target.type = tw__profile_name(p, target->type);
    p->target.arch = tw__profile_name(p, target->arch);
    const tw_band *band = tw_band_find(target->chip ? target->chip : target->arch, target->model);
    char text[64];
    p->target.band = tw__profile_name(p, tw_band_text(band, text, sizeof text));
    p->target.compared = tw__profile_name(p, band ? band->compared : NULL);
    p->target.ipus = target->ipus;
    p->target.tiles_per_ipu = target->tiles_per_ipu;
    p->target.replicas = target->replicas ? target->replicas : 1;
    p->target.copies = target->copies;
    p->target.bytes_per_tile = target->bytes_per_tile;
    p->target.clock_hz = target->clock_hz;
    p->target.min_sync_delay = target->min_sync_delay;
    uint64_t tiles = (uint64_t)target->ipus * target->tiles_per_ipu;
    if (tiles > UINT32_MAX)
        tw__profile_fail(p, TW_E_OVERFLOW, "%llu tiles are too many", (unsigned long long)tiles);
    p->target.tiles = (uint32_t)tiles;
    p->mode = tw__profile_name(p, target->type);
    p->has_graph = true;
    return p;
}

void tw_profile_free(tw_profile *p)
{
    if (!p) return;
    free(p->names.items), free(p->rows.items), free(p->packed.items), free(p->open_row.items);
    free(p->name_index.slots), free(p->row_index.slots), free(p->rule_index.slots);
    free(p->optimizations.items), free(p->types.items), free(p->compute_sets.items), free(p->set_counts.items);
    for (unsigned k = 0; k < TW__EXCHANGE_KINDS; k++) free(p->exchanges[k].items);
    free(p->programs.items), free(p->categories.items), free(p->always_live.items), free(p->live_scratch.items);
    free(p->steps.items), free(p->type_cycles.items), free(p->given.items), free(p->given_type_cycles.items);
    free(p->rules.items), free(p->items.items), free(p->open.items), free(p->runs.items);
    free(p->vertices_run.cycles), free(p->vertices_run.compute_set), free(p->vertices_run.vertex_type);
    free(p->facts.items), free(p->limits.items), free(p->lanes.items), free(p->intervals.items);
    free(p->waits.items), free(p->blocks.items), free(p->maps.items), free(p->tile_maps.items);
    free(p->nodes.items), free(p->wires.items);
    free(p->variable_list.items), free(p->pairs.items), free(p->map_index.slots), free(p->regions.items);
    free(p->work.items), free(p->routes.items), free(p->flows.items), free(p->stuck.items), free(p->lines.items);
    free(p->line_index.slots);
    tw__arena_free(p->arena);
    free(p);
}

void tw__profile_set_threads(tw_profile *p, uint32_t threads)
{
    p->target.threads = threads;
}

void tw__profile_set_sync_delays(tw_profile *p, tw__row by_tile_of_one_ipu)
{
    p->target.sync_delays = by_tile_of_one_ipu;
}

void tw__profile_set_counts(tw_profile *p, uint64_t vertices, uint64_t edges, uint64_t variables,
                            uint64_t compute_sets)
{
    p->vertices = vertices;
    p->edges = edges;
    p->variables = variables;
    p->compute_set_count = compute_sets;
}

void tw__profile_add_optimization(tw_profile *p, const char *name, double value)
{
    tw__named *slot = p->status ? NULL : TW__PROFILE_PUSH(p, p->optimizations);
    if (slot) *slot = (tw__named){ tw__profile_name(p, name), value };
}

uint32_t tw__profile_add_vertex_type(tw_profile *p, const char *name, uint64_t state_bytes)
{
    tw__type *slot = p->status ? NULL : TW__PROFILE_PUSH(p, p->types);
    if (!slot) return TW__NONE;
    slot->name = tw__profile_name(p, name);
    slot->state_bytes = state_bytes;
    return (uint32_t)(p->types.count - 1);
}

uint32_t tw__profile_add_compute_set(tw_profile *p, const char *name)
{
    tw__name *slot = p->status ? NULL : TW__PROFILE_PUSH(p, p->compute_sets);
    if (!slot) return TW__NONE;
    *slot = tw__profile_name(p, name);
    return (uint32_t)(p->compute_sets.count - 1);
}

void tw__profile_add_vertices(tw_profile *p, uint32_t compute_set, uint32_t vertex_type, uint64_t count)
{
    if (p->status) return;
    if (compute_set >= p->compute_sets.count || vertex_type >= p->types.count) {
        tw__profile_fail(p, TW_E_INDEX, "vertices of unknown compute set %u or type %u", compute_set, vertex_type);
        return;
    }
    tw__set_count *slot = TW__PROFILE_PUSH(p, p->set_counts), *first = p->set_counts.items;
    if (!slot) return;
    for (; slot > first && slot[-1].compute_set > compute_set; slot--)
        slot[0] = slot[-1]; /* sorted by compute set */
    *slot = (tw__set_count){ compute_set, vertex_type, count };
}

uint32_t tw__profile_add_exchange(tw_profile *p, tw__exchange_kind kind, tw__exchange exchange)
{
    tw__exchange *slot = p->status ? NULL : TW__PROFILE_PUSH(p, p->exchanges[kind]);
    if (!slot) return TW__NONE;
    *slot = exchange;
    return (uint32_t)(p->exchanges[kind].count - 1);
}

/* Each walk halves the way for the next: long chains in a loaded file cost no quadratic time. */
static uint32_t root_of(tw__profile_program *programs, uint32_t at)
{
    while (programs[at].above != TW__NONE) {
        uint32_t up = programs[at].above;
        if (programs[up].above != TW__NONE) programs[at].above = programs[up].above;
        at = up;
    }
    return at;
}

bool tw__profile_adopt(tw_profile *p, uint32_t parent, uint32_t child)
{
    tw__profile_program *programs = p->programs.items, *up = &programs[parent];
    if (programs[child].parent != TW__NONE || root_of(programs, parent) == child) return false;
    programs[child].parent = programs[child].above = parent;
    if (up->last_child == TW__NONE)
        up->first_child = child;
    else
        programs[up->last_child].next = child;
    up->last_child = child;
    return true;
}

static uint32_t next_root(const tw_profile *p, uint32_t from)
{
    while (from < p->programs.count && p->programs.items[from].parent != TW__NONE) from++;
    return from < p->programs.count ? from : TW__NONE;
}

uint32_t tw__profile_next_program(const tw_profile *p, uint32_t at, unsigned *depth)
{
    const tw__profile_program *programs = p->programs.items;
    if (at == TW__NONE) return *depth = 0, next_root(p, 0);
    if (programs[at].first_child != TW__NONE) return ++*depth, programs[at].first_child;
    while (programs[at].parent != TW__NONE && programs[at].next == TW__NONE) at = programs[at].parent, --*depth;
    return programs[at].parent != TW__NONE ? programs[at].next : next_root(p, at + 1);
}

uint32_t tw__profile_add_program(tw_profile *p, tw_program_type type, const char *name, uint32_t parent,
                                 uint32_t index, uint64_t count)
{
    if (p->status) return TW__NONE;
    if (parent != TW__NONE && parent >= p->programs.count) {
        tw__profile_fail(p, TW_E_INDEX, "program '%s' has no parent %u", name ? name : "", parent);
        return TW__NONE;
    }
    tw__profile_program *slot = TW__PROFILE_PUSH(p, p->programs);
    if (!slot) return TW__NONE;
    *slot = (tw__profile_program){ .type = type,
                                   .type_name = tw__profile_name(p, tw_program_type_name(type)),
                                   .name = tw__profile_name(p, name),
                                   .parent = TW__NONE,
                                   .first_child = TW__NONE,
                                   .last_child = TW__NONE,
                                   .next = TW__NONE,
                                   .above = TW__NONE,
                                   .index = index,
                                   .count = count };
    if (parent != TW__NONE) tw__profile_adopt(p, parent, (uint32_t)(p->programs.count - 1));
    return (uint32_t)(p->programs.count - 1);
}

/* --- memory --------------------------------------------------------------------------------------------------- */

enum { MAX_CATEGORIES = 1000 }; /* searched one by one; machines have some tens */

static tw__category *category(tw_profile *p, const char *key, const char *label)
{
    tw__name name = tw__profile_name(p, key);
    for (size_t i = 0; i < p->categories.count; i++)
        if (p->categories.items[i].key == name) return &p->categories.items[i];
    if (p->categories.count >= MAX_CATEGORIES) {
        tw__profile_fail(p, TW_E_OVERFLOW, "more than %d categories of memory", MAX_CATEGORIES);
        return NULL;
    }
    tw__category *slot = p->status ? NULL : TW__PROFILE_PUSH(p, p->categories);
    if (!slot) return NULL;
    slot->key = name;
    for (unsigned s = 0; s < TW_STORAGE_COUNT && !label; s++)
        if (!strcmp(key, tw_storage_key((tw_storage)s))) label = tw_storage_label((tw_storage)s);
    slot->label = tw__profile_name(p, label ? label : key);
    return slot;
}

void tw__profile_add_memory(tw_profile *p, const char *key, const char *label, tw__memory_region region,
                            tw__memory_overlap overlap, tw__row by_tile, tw_fidelity fidelity)
{
    tw__category *slot = category(p, key, label);
    if (!slot) return;
    slot->bytes[region][overlap] = by_tile;
    if (fidelity > slot->fidelity) slot->fidelity = fidelity;
}

void tw__profile_set_category_fidelity(tw_profile *p, const char *key, tw_fidelity fidelity)
{
    tw__category *slot = category(p, key, NULL);
    if (slot) slot->fidelity = fidelity;
}

void tw__profile_set_memory(tw_profile *p, const tw__memory *memory, tw_fidelity fidelity)
{
    if (memory->failed) tw__profile_fail(p, TW_E_NO_MEMORY, "out of memory while counting tile memory");
    for (unsigned s = 0; s < TW_STORAGE_COUNT; s++)
        for (unsigned r = 0; r < TW__MEMORY_REGIONS; r++)
            for (unsigned o = 0; o < TW__MEMORY_OVERLAPS; o++) {
                const uint64_t *by_tile =
                    memory->rows[tw__memory_row((tw_storage)s, (tw__memory_region)r, (tw__memory_overlap)o)];
                if (!by_tile) continue;
                tw__row row = tw__profile_row(p, by_tile, memory->tiles);
                tw__profile_add_memory(p, tw_storage_key((tw_storage)s), NULL, (tw__memory_region)r,
                                       (tw__memory_overlap)o, row, fidelity);
            }
}

void tw__profile_set_placement(tw_profile *p, tw__row total, tw__row total_with_gaps,
                               const tw__row by_region[TW__MEMORY_REGIONS])
{
    p->total = total;
    p->total_with_gaps = total_with_gaps;
    for (unsigned r = 0; r < TW__MEMORY_REGIONS && by_region; r++) p->by_region[r] = by_region[r];
}

void tw__profile_set_vertex_bytes(tw_profile *p, uint32_t vertex_type, tw__vertex_bytes kind, tw__row by_tile)
{
    if (p->status) return;
    if (vertex_type < p->types.count)
        p->types.items[vertex_type].bytes[kind] = by_tile;
    else
        tw__profile_fail(p, TW_E_INDEX, "bytes of unknown vertex type %u", vertex_type);
}

/* --- liveness ------------------------------------------------------------------------------------------------- */

void tw__profile_add_always_live(tw_profile *p, const char *variable, uint64_t bytes)
{
    tw__live_var *slot = p->status ? NULL : TW__PROFILE_PUSH(p, p->always_live);
    if (slot) *slot = (tw__live_var){ tw__profile_name(p, variable), bytes };
    p->has_liveness = true;
}

void tw__profile_set_liveness(tw_profile *p, tw__row always_live_by_tile, tw__row max_by_tile, uint64_t max_bytes)
{
    p->always_live_by_tile = always_live_by_tile;
    p->max_live_by_tile = max_by_tile;
    p->max_live = max_bytes;
    p->has_liveness = true;
}

static int by_name(const void *a, const void *b)
{
    const tw__live_var *x = a, *y = b;
    if (x->name != y->name) return x->name < y->name ? -1 : 1;
    return x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

/* Two rows: names ascending, so that they pack into a byte each, and their bytes. */
void tw__profile_set_live(tw_profile *p, uint32_t program, const tw__live_var *vars, size_t count)
{
    if (p->status) return;
    if (program >= p->programs.count) {
        tw__profile_fail(p, TW_E_INDEX, "liveness of unknown program %u", program);
        return;
    }
    p->live_scratch.count = 0;
    for (size_t i = 0; i < count; i++) {
        tw__live_var *slot = TW__PROFILE_PUSH(p, p->live_scratch);
        if (!slot) return;
        *slot = vars[i];
    }
    const tw__live_var *sorted = p->live_scratch.items;
    if (count) qsort(p->live_scratch.items, count, sizeof *sorted, by_name);
    tw__profile_row_begin(p);
    for (size_t i = 0; i < count; i++) tw__profile_row_add(p, 1, sorted[i].name);
    p->programs.items[program].live_names = tw__profile_row_end(p);
    tw__profile_row_begin(p);
    for (size_t i = 0; i < count; i++) tw__profile_row_add(p, 1, sorted[i].bytes);
    p->programs.items[program].live_bytes = tw__profile_row_end(p);
}

void tw__profile_set_live_tiles(tw_profile *p, uint32_t program, tw__row by_tile)
{
    if (p->status) return;
    if (program < p->programs.count)
        p->programs.items[program].live_tiles = by_tile;
    else
        tw__profile_fail(p, TW_E_INDEX, "liveness of unknown program %u", program);
}

void tw__profile_set_memory_fidelity(tw_profile *p, tw_fidelity totals, tw_fidelity liveness)
{
    p->totals_fidelity = totals;
    p->liveness_fidelity = liveness;
}

tw_status tw__profile_live(const tw_profile *p, uint32_t program, tw__live_var **out, size_t *count)
{
    tw__row names = p->programs.items[program].live_names, bytes = p->programs.items[program].live_bytes;
    *out = NULL;
    *count = 0;
    if (!names) return TW_OK;
    size_t n = p->rows.items[names].tiles;
    tw__live_var *vars = tw__realloc(NULL, (n + 1) * sizeof *vars);
    uint64_t *row = tw__realloc(NULL, (n + 1) * sizeof *row);
    if (!vars || !row) {
        free(vars);
        free(row);
        return tw__fail(TW_E_NO_MEMORY, "out of memory for liveness");
    }
    tw__profile_row_read(p, names, row, (uint32_t)n);
    for (size_t i = 0; i < n; i++) vars[i].name = (tw__name)row[i];
    tw__profile_row_read(p, bytes, row, (uint32_t)n);
    for (size_t i = 0; i < n; i++) vars[i].bytes = row[i];
    free(row);
    *out = vars;
    *count = n;
    return TW_OK;
}

/* --- plan steps ----------------------------------------------------------------------------------------------- */

static bool add_type_cycles(tw_profile *p, tw__step *step, const tw__step_desc *desc)
{
    step->types_first = (uint32_t)p->type_cycles.count;
    step->types_count = (uint32_t)desc->type_count;
    for (size_t i = 0; i < desc->type_count; i++) {
        if (desc->types[i].vertex_type >= p->types.count)
            return tw__profile_fail(p, TW_E_INDEX, "cycles of unknown vertex type %u", desc->types[i].vertex_type);
        tw__type_cycles *slot = TW__PROFILE_PUSH(p, p->type_cycles);
        if (!slot) return false;
        *slot = desc->types[i];
        step->thread_cycles += desc->types[i].cycles;
    }
    return true;
}

/* All of a step, or nothing. */
static bool add_work(tw_profile *p, tw__step *step, const tw__step_desc *desc)
{
    if (!desc->work_count) return true;
    if (desc->work_tile >= p->target.tiles)
        return tw__profile_fail(p, TW_E_INDEX, "work on unknown tile %u", desc->work_tile);
    if (desc->work_count > TW__MOST_WORK - p->work.count) {
        p->work_omitted += desc->work_count;
        return true;
    }
    step->work_first = (uint32_t)p->work.count;
    for (size_t i = 0; i < desc->work_count; i++) {
        const tw__work *w = &desc->work[i];
        if (w->vertex_type >= p->types.count || w->to < w->from)
            return tw__profile_fail(p, TW_E_INDEX, "work of unknown vertex type %u, or it ends before it begins",
                                    w->vertex_type);
        tw__work *slot = TW__PROFILE_PUSH(p, p->work);
        if (!slot) return false;
        *slot = *w;
    }
    step->work_count = (uint32_t)desc->work_count;
    step->work_tile = desc->work_tile;
    return true;
}

uint32_t tw__profile_add_step(tw_profile *p, const tw__step_desc *desc)
{
    if (p->status) return TW__NONE;
    tw__step step = { .type = desc->type,
                      .type_name = tw__profile_name(p, tw_program_type_name(desc->type)),
                      .name = tw__profile_name(p, desc->name),
                      .sync = (uint8_t)desc->sync,
                      .fidelity = (uint8_t)desc->fidelity,
                      .program = desc->no_program ? TW__NONE : desc->program,
                      .index = desc->index,
                      .active = desc->active,
                      .data = desc->data,
                      .cycles = desc->cycles,
                      .overlapped = desc->overlapped,
                      .total_data = desc->total_data };
    if (desc->active >= p->rows.count || desc->data >= p->rows.count) {
        tw__profile_fail(p, TW_E_INDEX, "step '%s' names a row that does not exist", desc->name ? desc->name : "");
        return TW__NONE;
    }
    if (!step.cycles) step.cycles = p->rows.items[step.active].max;
    if (!step.total_data) step.total_data = p->rows.items[step.data].sum;
    if (step.overlapped > step.cycles) step.overlapped = step.cycles;
    step.span = step.cycles - step.overlapped;
    if (!add_type_cycles(p, &step, desc) || !add_work(p, &step, desc)) return TW__NONE;
    tw__step *slot = p->steps.count < TW__NONE ? TW__PROFILE_PUSH(p, p->steps) : NULL;
    if (!slot) return TW__NONE;
    *slot = step;
    return (uint32_t)(p->steps.count - 1);
}

void tw__profile_set_mode(tw_profile *p, const char *mode)
{
    p->mode = tw__profile_name(p, mode);
}

static uint32_t *copy_u32(tw_profile *p, uint32_t *old, const uint32_t *from, size_t count)
{
    size_t bytes;
    uint32_t *to = tw__mul_size(count, sizeof *from, &bytes) ? tw__realloc(old, bytes) : NULL;
    if (!to) return tw__profile_fail(p, TW_E_NO_MEMORY, "out of memory for vertex cycles"), old;
    if (bytes) memcpy(to, from, bytes);
    return to;
}

void tw__profile_set_vertex_cycles(tw_profile *p, const uint32_t *cycles, const uint32_t *compute_set,
                                   const uint32_t *vertex_type, size_t count)
{
    if (p->status) return;
    p->vertices_run.count = 0;
    p->vertices_run.cycles = copy_u32(p, p->vertices_run.cycles, cycles, count);
    p->vertices_run.compute_set = copy_u32(p, p->vertices_run.compute_set, compute_set, count);
    p->vertices_run.vertex_type = copy_u32(p, p->vertices_run.vertex_type, vertex_type, count);
    if (!p->status) p->vertices_run.count = count;
}
