/* SPDX-License-Identifier: MIT */
/* diff: two profiles, figure by figure. Steps meet by type and name, kernels, categories and variables by name: what
 * several of one name do is added up, so that the order of steps does not matter. Steps whose names only one of the
 * two has meet by their place among the others (align.c). A line's weight is the share of the whole that changed. */
#include "report/report.h"

#include <math.h>

const char *const tw__diff_group_names[TW__DIFF_GROUPS] = { "figure", "step", "kernel", "category", "variable" };

typedef struct pair_of_sums {
    const char *name, *kind;
    double a, b;
    bool in_a, in_b;
    const char *renamed; /* what it is called in B; NULL = the same */
} pair_of_sums;

typedef struct gatherer {
    GHashTable *at; /* "kind\x1fname" -> index + 1 */
    GArray *sums;
    GHashTable *renamed; /* of steps; NULL = nothing else is */
    bool second;
} gatherer;

static void gather(gatherer *g, const char *kind, const char *name, double value)
{
    char *key = g_strconcat(kind, "\x1f", name, NULL);
    const char *before = g->second && g->renamed ? g_hash_table_lookup(g->renamed, key) : NULL;
    if (before) g_free(key), key = g_strdup(before);
    gpointer found = g_hash_table_lookup(g->at, key);
    if (!found) {
        pair_of_sums fresh = { .name = name, .kind = kind };
        g_array_append_val(g->sums, fresh);
        found = GUINT_TO_POINTER(g->sums->len);
        g_hash_table_insert(g->at, key, found);
    } else {
        g_free(key);
    }
    pair_of_sums *sum = &g_array_index(g->sums, pair_of_sums, GPOINTER_TO_UINT(found) - 1);
    *(g->second ? &sum->b : &sum->a) += value;
    *(g->second ? &sum->in_b : &sum->in_a) = true;
    if (before) sum->renamed = name;
}

static void gather_steps(gatherer *g, const tw__stats *s)
{
    for (uint32_t i = 0; i < s->p->steps.count; i++) {
        const tw__step *at = &s->p->steps.items[i];
        if (s->counts[i])
            gather(g, s->p->names.items[at->type_name], s->p->names.items[at->name],
                   tw__stats_step_cycles(s, i) - (double)s->counts[i] * (double)at->overlapped);
    }
}

static void gather_kernels(gatherer *g, const tw__stats *s)
{
    for (size_t i = 0; i < s->p->types.count; i++)
        if (s->types[i].cycles)
            gather(g, "", s->p->names.items[s->p->types.items[i].name], (double)s->types[i].cycles);
}

static void gather_categories(gatherer *g, const tw__stats *s)
{
    for (size_t i = 0; i < s->p->categories.count; i++) {
        const tw__category *c = &s->p->categories.items[i];
        double sum = 0;
        for (unsigned region = 0; region < TW__MEMORY_REGIONS; region++)
            for (unsigned overlap = 0; overlap < TW__MEMORY_OVERLAPS; overlap++)
                sum += (double)s->p->rows.items[c->bytes[region][overlap]].sum;
        if (sum > 0) gather(g, "", s->p->names.items[c->label], sum);
    }
}

static void gather_variables(gatherer *g, const tw__stats *s)
{
    const tw_profile *p = s->p;
    for (size_t i = 0; i < p->variable_list.count; i++)
        gather(g, "", p->names.items[p->variable_list.items[i].name], (double)p->variable_list.items[i].bytes);
    for (size_t i = 0; i < p->always_live.count && !p->variable_list.count; i++)
        gather(g, "", p->names.items[p->always_live.items[i].name], (double)p->always_live.items[i].bytes);
}

/* Shares of the larger of the two wholes; 0 where nothing is known. */
static void add_line(tw__diff *d, tw__diff_group group, const char *kind, const char *name, const char *unit,
                     double a, double b, double whole)
{
    double from = a > 0 ? a : 0, to = b > 0 ? b : 0;
    tw__diff_line line = { group, name, kind, unit, a, b, whole > 0 ? fabs(to - from) / whole : 0 };
    g_array_append_val(d->lines, line);
}

static void add_group(tw__diff *d, tw__diff_group group, void (*fill)(gatherer *, const tw__stats *),
                      const tw__stats *a, const tw__stats *b, const char *unit, double whole)
{
    gatherer g = { .at = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
                   .sums = g_array_new(FALSE, TRUE, sizeof(pair_of_sums)) };
    if (group == TW__DIFF_STEP) g.renamed = tw__renamed_steps(a, b);
    fill(&g, a);
    g.second = true;
    fill(&g, b);
    for (guint i = 0; i < g.sums->len; i++) {
        const pair_of_sums *sum = &g_array_index(g.sums, pair_of_sums, i);
        const char *name = sum->name;
        if (sum->renamed) {
            char *both = g_strconcat(name, " → ", sum->renamed, NULL);
            name = g_string_chunk_insert(d->texts, both);
            g_free(both);
        }
        add_line(d, group, sum->kind, name, unit, sum->in_a ? sum->a : -1, sum->in_b ? sum->b : -1, whole);
    }
    g_array_free(g.sums, TRUE);
    g_hash_table_destroy(g.at);
    if (g.renamed) g_hash_table_destroy(g.renamed);
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* Largest and sum of the bytes of a tile; -1 = not known. */
static void memory_of(const tw__stats *s, double *max, double *sum)
{
    *max = *sum = s->memory ? 0 : -1;
    for (uint32_t t = 0; s->memory && t < s->tiles; t++) {
        *sum += (double)s->memory[t];
        *max = larger(*max, (double)s->memory[t]);
    }
}

static double exchanged(const tw__stats *s)
{
    double sum = 0;
    for (size_t i = 0; i < s->p->steps.count; i++)
        sum += (double)s->counts[i] * (double)s->p->steps.items[i].total_data;
    return s->has_totals ? sum : -1;
}

static void add_figures(tw__diff *d, const tw__stats *a, const tw__stats *b)
{
    double max[2], sum[2];
    memory_of(a, &max[0], &sum[0]), memory_of(b, &max[1], &sum[1]);
    const tw_profile_totals *x = &a->totals, *y = &b->totals;
    bool both = a->has_totals && b->has_totals;
    double limit = larger((double)a->limit, (double)b->limit);
    if (both) {
        add_line(d, TW__DIFF_FIGURE, "", "cycles", "cycles", (double)x->cycles, (double)y->cycles,
                 larger((double)x->cycles, (double)y->cycles));
        add_line(d, TW__DIFF_FIGURE, "", "time", "seconds", x->seconds, y->seconds, larger(x->seconds, y->seconds));
        add_line(d, TW__DIFF_FIGURE, "", "tile balance", "ratio", x->tile_balance, y->tile_balance, 1);
        double threads[] = { tw__stats_thread_balance(a), tw__stats_thread_balance(b) };
        if (threads[0] >= 0 || threads[1] >= 0)
            add_line(d, TW__DIFF_FIGURE, "", "thread balance", "ratio", threads[0], threads[1], 1);
        add_line(d, TW__DIFF_FIGURE, "", "steps executed", "count", (double)x->steps, (double)y->steps,
                 larger((double)x->steps, (double)y->steps));
        add_line(d, TW__DIFF_FIGURE, "", "bytes exchanged and copied", "bytes", exchanged(a), exchanged(b),
                 larger(exchanged(a), exchanged(b)));
    }
    if (max[0] >= 0 && max[1] >= 0) {
        add_line(d, TW__DIFF_FIGURE, "", "memory of the fullest tile", "bytes", max[0], max[1],
                 limit > 0 ? limit : larger(max[0], max[1]));
        add_line(d, TW__DIFF_FIGURE, "", "memory of all tiles", "bytes", sum[0], sum[1], larger(sum[0], sum[1]));
    }
    add_line(d, TW__DIFF_FIGURE, "", "tiles", "count", a->tiles, b->tiles, larger(a->tiles, b->tiles));
    if (a->p->has_graph && b->p->has_graph) {
        add_line(d, TW__DIFF_FIGURE, "", "vertices", "count", (double)a->p->vertices, (double)b->p->vertices,
                 larger((double)a->p->vertices, (double)b->p->vertices));
        add_line(d, TW__DIFF_FIGURE, "", "variables", "count", (double)a->p->variables, (double)b->p->variables,
                 larger((double)a->p->variables, (double)b->p->variables));
    }
}

static gint by_weight(gconstpointer a, gconstpointer b)
{
    const tw__diff_line *x = a, *y = b;
    if (x->weight != y->weight) return x->weight < y->weight ? 1 : -1;
    if (x->group != y->group) return x->group < y->group ? -1 : 1;
    int names = strcmp(x->name, y->name);
    return names ? names : strcmp(x->kind, y->kind);
}

tw_status tw__diff_new(tw__diff *d, const tw__stats *a, const tw__stats *b)
{
    double max[2], sum[2];
    d->lines = g_array_new(FALSE, TRUE, sizeof(tw__diff_line));
    d->texts = g_string_chunk_new(256);
    memory_of(a, &max[0], &sum[0]), memory_of(b, &max[1], &sum[1]);
    add_figures(d, a, b);
    if (a->has_totals && b->has_totals) {
        double cycles = larger((double)a->totals.cycles, (double)b->totals.cycles);
        double active = larger((double)a->totals.compute_active, (double)b->totals.compute_active);
        add_group(d, TW__DIFF_STEP, gather_steps, a, b, "cycles", cycles);
        add_group(d, TW__DIFF_KERNEL, gather_kernels, a, b, "cycles", active);
    }
    if (a->p->has_graph && b->p->has_graph) {
        double whole = larger(sum[0], sum[1]);
        add_group(d, TW__DIFF_CATEGORY, gather_categories, a, b, "bytes", whole);
        add_group(d, TW__DIFF_VARIABLE, gather_variables, a, b, "bytes", whole);
    }
    g_array_sort(d->lines, by_weight);
    return TW_OK;
}

void tw__diff_free(tw__diff *d)
{
    if (d->lines) g_array_free(d->lines, TRUE);
    if (d->texts) g_string_chunk_free(d->texts);
    *d = (tw__diff){ 0 };
}
