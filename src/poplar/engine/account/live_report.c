/* SPDX-License-Identifier: MIT */
/* The liveness block of a profile (guide 8.2.3): what is always live, what is live while each leaf of the program
 * tree runs, peaks by tile. One sweep over the control flow, from the runs that live_flow.c found. */
#include "poplar/engine/account/live.h"

#include <stdlib.h>
#include <string.h>

/* Entries of the lists of live variables in one profile, 4 to 5 bytes each: beyond it the lists of the later steps
 * are left out, sums and peaks are not. */
#define LIST_BUDGET (UINT64_C(1) << 25)
/* Values of bytes by tile at each step, in the same way: files write them out. */
#define TILE_BUDGET (UINT64_C(1) << 21)

static uint64_t var_bytes(const tw__accounting *a, uint32_t var)
{
    const tw__variable *v = &a->core->vars[var];
    uint64_t elements = 0;
    for (size_t i = 0; i < v->mapped_count; i++) elements += v->mapped[i].end - v->mapped[i].begin;
    return elements * tw_target_type_size(a->target, v->type);
}

static const char *var_name(const tw__variable *var)
{
    return var->is_constant ? "<const>" : *var->name ? var->name : "<anon>";
}

/* Every variable, and on how many tiles it lies. */
static void list_variables(const tw__liveness *l)
{
    tw__accounting *a = l->a;
    uint32_t *seen = tw__calloc(a->tiles + (size_t)1, sizeof *seen);
    for (uint32_t var = 0; seen && var < a->core->var_count; var++) {
        const tw__variable *v = &a->core->vars[var];
        tw__variable_desc d = { .name = var_name(v),
                                .type = tw_type_name(v->type, TW_SYSTEM_POPLAR),
                                .bytes = var_bytes(a, var),
                                .always_live = tw__live_has(l->always, l->first_unit[var]) };
        d.elements = d.bytes / tw_target_type_size(a->target, v->type);
        d.first_tile = v->mapped_count ? v->mapped[0].tile : 0;
        for (size_t i = 0; i < v->mapped_count; i++) {
            d.tiles += seen[v->mapped[i].tile] != var + 1;
            seen[v->mapped[i].tile] = var + 1;
            if (v->mapped[i].tile < d.first_tile) d.first_tile = v->mapped[i].tile;
        }
        tw__profile_add_variable(a->profile, &d);
    }
    free(seen);
}

/* Variables; then what a tile keeps for the whole run, by the key of its storage: vertex states, code, stacks, ... */
static void always_live(const tw__liveness *l, uint64_t *by_tile)
{
    tw__accounting *a = l->a;
    const tw__placement *p = a->placement;
    uint64_t sums[TW_STORAGE_COUNT] = { 0 };
    list_variables(l);
    for (uint32_t var = 0; var < a->core->var_count; var++) {
        const tw__variable *v = &a->core->vars[var];
        if (!tw__live_has(l->always, l->first_unit[var])) continue;
        tw__profile_add_always_live(a->profile, var_name(v), var_bytes(a, var));
        size_t esize = tw_target_type_size(a->target, v->type);
        for (size_t i = 0; i < v->mapped_count; i++)
            by_tile[v->mapped[i].tile] += (v->mapped[i].end - v->mapped[i].begin) * esize;
    }
    for (size_t g = 0; g < p->groups.count; g++) {
        const tw__state_group *group = &p->groups.items[g];
        const tw__vertex_type *info = a->core->types[group->type].info;
        uint32_t item = group->item;
        sums[p->items.items[item].storage] += p->items.items[item].bytes;
        by_tile[group->tile] += p->items.items[item].bytes;
        for (unsigned field = 0; field < info->num_fields; field++) {
            if (!tw__placement_has_table(&info->fields[field])) continue;
            const tw__place_item *table = &p->items.items[++item];
            sums[table->storage] += table->bytes, by_tile[group->tile] += table->bytes;
        }
    }
    for (unsigned s = 0; s < TW_STORAGE_COUNT; s++) {
        const uint64_t *row = a->memory->rows[tw__memory_row(s, TW__NON_INTERLEAVED, TW__NOT_OVERLAPPED)];
        for (unsigned tile = 0; row && tile < a->tiles; tile++) sums[s] += row[tile], by_tile[tile] += row[tile];
        if (sums[s]) tw__profile_add_always_live(a->profile, tw_storage_key(s), sums[s]);
    }
}

/* --- the sweep ------------------------------------------------------------------------------------------------ */

/* A step that the lowering shares between several places has several entries: what is live at any of them is
 * shown. */
typedef struct earlier {
    uint32_t unit, next; /* next: index + 1 */
} earlier;

typedef struct sweep {
    tw__liveness *l;
    uint32_t *begins, *ends;           /* [runs] sorted by first, by last entry */
    uint32_t *first_leaf, *leaf_count; /* [plan steps] in `leaves` */
    uint32_t *last_entry;              /* [plan steps] of its entries in the shape */
    bool *border;                      /* [entries] a body begins or ends before it */
    uint32_t *runs;                    /* [units] that hold it live */
    uint32_t *active, *place;          /* live units; [units] where in there */
    size_t active_count;
    TW__LIST(uint32_t) raised; /* begun since the last leaf */
    tw__name *name;            /* [variables] */
    uint64_t *bytes;           /* [units] */
    uint32_t *listed_at;       /* [variables] where in the list */
    uint32_t *list_var;        /* of each line of the list */
    uint64_t *now, *peak;      /* [tiles] */
    tw__live_var *list;
    TW__LIST(earlier) earlier;     /* live at entries of a step before its last one */
    uint32_t *first_earlier;       /* [plan steps] index + 1; 0 = none */
    uint32_t *shown;               /* [units] plan step + 1 that it was added to last */
    uint64_t total, worst, listed; /* bytes live, most of them, entries of lists so far */
    uint64_t tiled;                /* values by tile so far */
} sweep;

/* The bytes of a unit on the tiles of its variable, one after the other. */
typedef struct on_tiles {
    const tw__live_unit *unit;
    const tw__variable *var;
    size_t at, esize;
    uint32_t tile;
    uint64_t bytes;
} on_tiles;

static on_tiles tiles_of(const tw__liveness *l, uint32_t unit)
{
    const tw__variable *var = &l->a->core->vars[l->units[unit].var];
    return (on_tiles){ .unit = &l->units[unit],
                       .var = var,
                       .at = tw__mapped_find(var, l->units[unit].begin),
                       .esize = tw_target_type_size(l->a->target, var->type) };
}

static bool next_tile(on_tiles *t)
{
    if (t->at >= t->var->mapped_count || t->var->mapped[t->at].begin >= t->unit->end) return false;
    const tw__mapped *m = &t->var->mapped[t->at++];
    uint64_t begin = m->begin > t->unit->begin ? m->begin : t->unit->begin;
    t->tile = m->tile;
    t->bytes = ((m->end < t->unit->end ? m->end : t->unit->end) - begin) * t->esize;
    return true;
}

static uint64_t unit_bytes(const tw__liveness *l, uint32_t unit)
{
    uint64_t sum = 0;
    for (on_tiles t = tiles_of(l, unit); next_tile(&t);) sum += t.bytes;
    return sum;
}

static void count_tiles(const sweep *w, uint32_t unit, bool begins)
{
    for (on_tiles t = tiles_of(w->l, unit); next_tile(&t);)
        w->now[t.tile] += begins ? t.bytes : (uint64_t)0 - t.bytes;
}

static void begin_unit(sweep *w, uint32_t unit)
{
    if (w->runs[unit]++) return;
    w->place[unit] = (uint32_t)w->active_count;
    w->active[w->active_count++] = unit;
    w->total += w->bytes[unit];
    count_tiles(w, unit, true);
    TW__APPEND(w->raised, w->l->failed = true, unit);
}

static void end_unit(sweep *w, uint32_t unit)
{
    if (--w->runs[unit]) return;
    uint32_t moved = w->active[--w->active_count];
    w->active[w->place[unit]] = moved, w->place[moved] = w->place[unit];
    w->total -= w->bytes[unit];
    count_tiles(w, unit, false);
}

static void raise_peak(sweep *w, uint32_t tile)
{
    if (w->now[tile] > w->peak[tile]) w->peak[tile] = w->now[tile];
}

/* Tiles on which something began since the last leaf. */
static void raise_peaks(sweep *w)
{
    for (size_t i = 0; i < w->raised.count; i++)
        for (on_tiles t = tiles_of(w->l, w->raised.items[i]); next_tile(&t);) raise_peak(w, t.tile);
    w->raised.count = 0;
}

/* Units of one variable are one line of a list, with the bytes of those that are live. */
static void add_listed(sweep *w, uint32_t unit, size_t *count)
{
    uint32_t var = w->l->units[unit].var, at = w->listed_at[var];
    bool split = w->l->first_unit[var + 1] - w->l->first_unit[var] > 1;
    if (split && at < *count && w->list[at].name == w->name[var] && w->list_var[at] == var) {
        w->list[at].bytes += w->bytes[unit];
        return;
    }
    w->listed_at[var] = (uint32_t)*count, w->list_var[*count] = var;
    w->list[(*count)++] = (tw__live_var){ w->name[var], w->bytes[unit] };
}

static void count_buffers(sweep *w, uint32_t exec, bool begins)
{
    const tw__placement *p = w->l->a->placement;
    for (uint32_t i = p->exec_item[exec]; i < p->exec_item_end[exec]; i++) {
        uint64_t bytes = p->items.items[i].bytes;
        w->now[p->items.items[i].tile] += begins ? bytes : (uint64_t)0 - bytes;
        if (begins) raise_peak(w, p->items.items[i].tile);
    }
}

/* The bytes of each tile now, for the leaves of a step; 0 = beyond the budget. */
static tw__row tiles_now(sweep *w, uint32_t s)
{
    tw__accounting *a = w->l->a;
    w->tiled += (uint64_t)a->tiles * w->leaf_count[s];
    return w->tiled <= TILE_BUDGET ? tw__profile_row(a->profile, w->now, a->tiles) : 0;
}

/* Buffers of a compute set as they are listed: "<message:name>", "<rearrangement:name>", "<outputEdge:name>". */
static uint64_t list_buffers(const tw__accounting *a, uint32_t exec, tw__live_var *list, size_t *count)
{
    const char *name = a->core->compute_sets[a->engine->plan.execs.items[exec].cs].name;
    uint64_t total = 0;
    for (unsigned kind = 0; kind < TW__BUFFER_KINDS; kind++) {
        uint64_t bytes = a->placement->exec_bytes[exec][kind];
        char text[256];
        if (!bytes) continue;
        snprintf(text, sizeof text, "<%s:%s>", tw_storage_key(tw__buffer_storage[kind]), *name ? name : "anon");
        list[(*count)++] = (tw__live_var){ tw__profile_name(a->profile, text), bytes };
        total += bytes;
    }
    return total;
}

static void live_report_remember(sweep *w, uint32_t s)
{
    w->listed += w->active_count;
    for (size_t i = 0; i < w->active_count && w->listed <= LIST_BUDGET; i++) {
        if (!tw__grow(&w->earlier.items, &w->earlier.room, w->earlier.count, sizeof *w->earlier.items)) {
            w->l->failed = true;
            return;
        }
        w->earlier.items[w->earlier.count++] = (earlier){ w->active[i], w->first_earlier[s] };
        w->first_earlier[s] = (uint32_t)w->earlier.count;
    }
}

/* Appends to the list what was live at earlier entries of the step and is not now; their tiles are counted for the
 * peaks. */
static uint64_t recall(sweep *w, uint32_t s, size_t *count, bool begins)
{
    uint64_t total = 0;
    for (uint32_t e = w->first_earlier[s]; e; e = w->earlier.items[e - 1].next) {
        uint32_t unit = w->earlier.items[e - 1].unit;
        if (w->runs[unit] || (w->shown[unit] == s + 1) == begins) continue;
        w->shown[unit] = begins ? s + 1 : 0;
        count_tiles(w, unit, begins);
        if (!begins) continue;
        for (on_tiles t = tiles_of(w->l, unit); next_tile(&t);) raise_peak(w, t.tile);
        add_listed(w, unit, count);
        total += w->bytes[unit];
    }
    return total;
}

/* The last entry of a step. */
static void visit_step(sweep *w, uint32_t s)
{
    tw__accounting *a = w->l->a;
    const tw__plan_step *step = &a->engine->plan.steps.items[s];
    bool executes = step->kind == TW__S_EXECUTE;
    uint64_t total = w->total;
    size_t count = 0;
    if (!w->leaf_count[s]) return;
    raise_peaks(w);
    total += recall(w, s, &count, true);
    if (executes) count_buffers(w, step->payload, true);
    tw__row by_tile = tiles_now(w, s);
    if (executes) count_buffers(w, step->payload, false);
    recall(w, s, &count, false);
    if (executes) total += list_buffers(a, step->payload, w->list, &count);
    if (total > w->worst) w->worst = total;
    w->listed += w->active_count * w->leaf_count[s];
    if (w->listed > LIST_BUDGET) return;
    for (size_t i = 0; i < w->active_count; i++) add_listed(w, w->active[i], &count);
    for (uint32_t i = 0; i < w->leaf_count[s]; i++)
        tw__profile_set_live(a->profile, a->leaves.items[w->first_leaf[s] + i].node, w->list, count),
            tw__profile_set_live_tiles(a->profile, a->leaves.items[w->first_leaf[s] + i].node, by_tile);
}

/* Entries of a step that stand side by side in one body (copies that were merged) are one: the last sees what the
 * others see. */
static void visit_entry(sweep *w, uint32_t e)
{
    const tw__accounting *a = w->l->a;
    const tw__shape *at = &a->shape.items[e];
    bool goes_on = e + 1 < a->shape.count && !w->border[e + 1] && at[1].kind == TW__SHAPE_STEP;
    if (at->kind != TW__SHAPE_STEP || (goes_on && at[1].value == at->value)) return;
    w->last_entry[at->value] == e ? visit_step(w, at->value) : live_report_remember(w, at->value);
}

/* A unit that is live in one phase of a step is listed for the step. */
static uint32_t entry_of(const tw__liveness *l, uint32_t run, bool end)
{
    return (end ? l->runs.items[run].hi : l->runs.items[run].lo) / TW__PHASES;
}

/* Numbers of the runs by their first (or last) entry; NULL: out of memory. */
static uint32_t *sorted(const tw__liveness *l, bool by_end)
{
    size_t entries = l->a->shape.count;
    uint32_t *at = tw__calloc(entries + 2, sizeof *at), *list = tw__calloc(l->runs.count + 1, sizeof *list);
    for (size_t i = 0; i < l->runs.count && at; i++) at[entry_of(l, (uint32_t)i, by_end) + 1]++;
    for (size_t e = 0; e < entries && at; e++) at[e + 1] += at[e];
    for (size_t i = 0; i < l->runs.count && at && list; i++)
        list[at[entry_of(l, (uint32_t)i, by_end)]++] = (uint32_t)i;
    if (!at) free(list), list = NULL;
    free(at);
    return list;
}

static bool sweep_new(sweep *w)
{
    const tw__accounting *a = w->l->a;
    size_t vars = a->core->var_count, units = w->l->unit_count, steps = a->engine->plan.steps.count;
    w->begins = sorted(w->l, false), w->ends = sorted(w->l, true);
    w->first_leaf = tw__calloc(steps + 1, sizeof *w->first_leaf);
    w->leaf_count = tw__calloc(steps + 1, sizeof *w->leaf_count);
    w->last_entry = tw__calloc(steps + 1, sizeof *w->last_entry);
    w->first_earlier = tw__calloc(steps + 1, sizeof *w->first_earlier);
    w->shown = tw__calloc(units + 1, sizeof *w->shown);
    w->border = tw__calloc(a->shape.count + 1, sizeof *w->border);
    w->runs = tw__calloc(units + 1, sizeof *w->runs);
    w->active = tw__calloc(units + 1, sizeof *w->active);
    w->place = tw__calloc(units + 1, sizeof *w->place);
    w->name = tw__calloc(vars + 1, sizeof *w->name);
    w->bytes = tw__calloc(units + 1, sizeof *w->bytes);
    w->now = tw__calloc(a->tiles, sizeof *w->now);
    w->peak = tw__calloc(a->tiles, sizeof *w->peak);
    w->list = tw__calloc(units + TW__BUFFER_KINDS + 1, sizeof *w->list);
    w->listed_at = tw__calloc(vars + 1, sizeof *w->listed_at);
    w->list_var = tw__calloc(units + TW__BUFFER_KINDS + 1, sizeof *w->list_var);
    return w->begins && w->ends && w->first_leaf && w->leaf_count && w->last_entry && w->first_earlier &&
           w->shown && w->border && w->runs && w->active && w->place && w->name && w->bytes && w->now && w->peak &&
           w->list && w->listed_at && w->list_var;
}

static void sweep_free(sweep *w)
{
    free(w->begins), free(w->ends), free(w->first_leaf), free(w->leaf_count), free(w->last_entry), free(w->runs);
    free(w->active), free(w->place), free(w->name), free(w->bytes), free(w->now), free(w->peak), free(w->list);
    free(w->raised.items), free(w->earlier.items), free(w->first_earlier), free(w->shown), free(w->border);
    free(w->listed_at), free(w->list_var);
}

static void prepare(sweep *w)
{
    tw__accounting *a = w->l->a;
    for (uint32_t var = 0; var < a->core->var_count; var++) {
        if (tw__live_has(w->l->always, w->l->first_unit[var])) continue;
        w->name[var] = tw__profile_name(a->profile, var_name(&a->core->vars[var]));
        for (uint32_t u = w->l->first_unit[var]; u < w->l->first_unit[var + 1]; u++)
            w->bytes[u] = unit_bytes(w->l, u);
    }
    for (size_t i = a->leaves.count; i-- > 0;) /* those of a step stand side by side */
        w->first_leaf[a->leaves.items[i].step] = (uint32_t)i, w->leaf_count[a->leaves.items[i].step]++;
    for (size_t b = 0; b < a->bodies.count; b++)
        w->border[a->bodies.items[b].begin] = w->border[a->bodies.items[b].end] = true;
    for (uint32_t e = 0; e < a->shape.count; e++)
        if (a->shape.items[e].kind == TW__SHAPE_STEP) w->last_entry[a->shape.items[e].value] = e;
}

void tw__live_report(tw__liveness *l)
{
    tw__accounting *a = l->a;
    sweep w = { .l = l };
    uint64_t *always = tw__calloc(a->tiles, sizeof *always);
    size_t begin = 0, end = 0;
    if (!sweep_new(&w) || !always) l->failed = true;
    if (!l->failed) always_live(l, always), prepare(&w);
    for (uint32_t e = 0; e < a->shape.count && !l->failed; e++) {
        for (; begin < l->runs.count && entry_of(l, w.begins[begin], false) == e; begin++)
            begin_unit(&w, l->runs.items[w.begins[begin]].unit);
        visit_entry(&w, e);
        for (; end < l->runs.count && entry_of(l, w.ends[end], true) == e; end++)
            end_unit(&w, l->runs.items[w.ends[end]].unit);
    }
    if (!l->failed)
        tw__profile_set_liveness(a->profile, tw__profile_row(a->profile, always, a->tiles),
                                 tw__profile_row(a->profile, w.peak, a->tiles), w.worst);
    if (w.listed > LIST_BUDGET)
        TW__LOG(PROFILER, WARN, "lists of live variables left out after %llu entries; sums and peaks are complete",
                (unsigned long long)LIST_BUDGET);
    sweep_free(&w), free(always);
}
