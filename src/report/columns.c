/* SPDX-License-Identifier: MIT */
/* columns: a profile as the page reads it. Small things are members of the head, everything that there is many of is
 * a column of numbers; names are numbers of one list of texts; per-tile values stay the packed rows of the
 * profile. */
#include "report/report.h"

#include <stdlib.h>

enum { DEFAULT_ROW_BYTES = 8 << 20 };

typedef struct columns {
    const tw__stats *s;
    const tw_profile *p;
    tw__report_pack *pack;
    const char *prefix;
    char name[64];
} columns;

static const char *called(columns *c, const char *table, const char *name)
{
    g_snprintf(c->name, sizeof c->name, "%s%s%s", c->prefix, table, name);
    return c->name;
}

/* A column of numbers of `size` bytes that stand `stride` bytes apart. Written in place: it may take megabytes.
 * Counts of 8 bytes that fit take 4 each: most do, and the page reads both. */
static void put(columns *c, const char *name, tw__kind kind, const void *first, size_t stride, size_t size,
                size_t n)
{
    const tw__column whole = { .size = (uint8_t)size };
    bool real = kind == TW__KIND_REAL || kind == TW__KIND_RATIO, is_signed = kind == TW__KIND_SIGNED;
    uint64_t all = 0;
    for (size_t i = 0; i < n && size == 8 && !real; i++)
        all |= tw__column_get(&whole, (const char *)first + i * stride);
    size_t width = size == 1 || kind == TW__KIND_SMALL ? 1 : real || is_signed || all > UINT32_MAX ? 8 : 4;
    void *room = tw__report_pack_room(c->pack, name, n, width);
    for (size_t i = 0; i < n; i++) {
        const void *at = (const char *)first + i * stride;
        uint64_t value = real ? 0 : tw__column_get(&whole, at);
        if (width == 1)
            ((uint8_t *)room)[i] = (uint8_t)value;
        else if (width == 4)
            ((uint32_t *)room)[i] = (uint32_t)value;
        else
            ((double *)room)[i] = real        ? tw__column_real(&whole, at)
                                  : is_signed ? (double)(int64_t)value
                                              : (double)value;
    }
}
/* A member of the structs of an array that is no column of the profile. */
#define PUT(c, name, items, member, n)                                                          \
    put(c, called(c, "", name), TW__KIND_COUNT, (n) ? &(items)->member : NULL, sizeof *(items), \
        sizeof(items)->member, n)

/* The columns of a table. */
static void add_table(columns *c, const char *prefix, tw__table table, tw__items items)
{
    for (TW__EACH_COLUMN(column, table))
        if (column->page)
            put(c, called(c, prefix, column->page), (tw__kind)column->kind,
                items.count ? (const char *)items.at + column->at : NULL, tw__tables[table].size, column->size,
                items.count);
}

/* Likewise, a value in the head; `key` NULL: in an array. */
static void add_value(tw__json *head, const char *key, const tw__column *c, const void *item)
{
    if (c->kind == TW__KIND_ROW)
        tw__json_count(head, key, tw__column_get(c, item));
    else
        tw__json_value(head, c, key, item);
}

static void add_members(tw__json *head, tw__table table, const void *item)
{
    for (TW__EACH_COLUMN(c, table))
        if (c->page) add_value(head, c->page, c, item);
}

/* An array of arrays: the columns of each struct of a list. */
static void add_named(tw__json *head, const char *key, tw__table table)
{
    tw__items items = tw__table_items(head->p, table);
    tw__json_open(head, key, '[');
    for (size_t i = 0; i < items.count; i++) {
        tw__json_open(head, NULL, '[');
        for (TW__EACH_COLUMN(c, table))
            add_value(head, NULL, c, (const char *)items.at + i * tw__tables[table].size);
        tw__json_close(head, ']');
    }
    tw__json_close(head, ']');
}

/* --- rows ------------------------------------------------------------------------------------------------------- */

typedef struct candidate {
    double weight;
    uint32_t row;
} candidate;

static int by_weight(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    if (x->weight != y->weight) return x->weight < y->weight ? 1 : -1;
    return x->row < y->row ? -1 : x->row > y->row;
}

static void want(double *weight, tw__row row, double value)
{
    if (weight[row] < value) weight[row] = value;
}

/* Rows that no step names (memory, liveness, exchanges) weigh most; those of steps by the cycles that are lost
 * there. */
static double *row_weights(const tw__stats *s)
{
    const tw_profile *p = s->p;
    double *weight = g_new(double, p->rows.count + 1);
    for (size_t r = 0; r < p->rows.count; r++) weight[r] = G_MAXDOUBLE;
    for (size_t i = 0; i < p->steps.count; i++)
        weight[p->steps.items[i].active] = weight[p->steps.items[i].data] = 0;
    for (uint32_t i = 0; i < p->steps.count; i++) {
        const tw__step *step = &p->steps.items[i];
        double lost = tw__stats_step_cycles(s, i) * s->tiles - tw__stats_step_active(s, i);
        want(weight, step->active, lost + 1);
        want(weight, step->data, (double)step->total_data * (double)s->counts[i]);
    }
    for (size_t i = 0; i < p->categories.count; i++) /* a row may be both a step's and a category's */
        for (unsigned k = 0; k < TW__MEMORY_REGIONS * TW__MEMORY_OVERLAPS; k++)
            want(weight, p->categories.items[i].bytes[k / TW__MEMORY_OVERLAPS][k % TW__MEMORY_OVERLAPS],
                 G_MAXDOUBLE);
    return weight;
}

static void add_rows(columns *c, tw__json *head, uint64_t row_bytes)
{
    const tw_profile *p = c->p;
    double *weight = row_weights(c->s);
    candidate *order = g_new(candidate, p->rows.count + 1);
    uint32_t *at = g_new0(uint32_t, p->rows.count + 1);
    uint8_t *held = g_new0(uint8_t, p->rows.count + 1);
    GByteArray *packed = g_byte_array_new();
    uint64_t left_out = 0, room = row_bytes ? row_bytes : DEFAULT_ROW_BYTES;
    for (uint32_t r = 0; r < p->rows.count; r++) order[r] = (candidate){ weight[r], r };
    qsort(order, p->rows.count, sizeof *order, by_weight);
    for (size_t i = 0; i < p->rows.count; i++) {
        const tw__row_info *row = &p->rows.items[order[i].row];
        if (!order[i].row || packed->len + row->bytes > room) {
            left_out += order[i].row != 0;
            continue;
        }
        at[order[i].row] = packed->len;
        held[order[i].row] = 1;
        if (row->bytes) g_byte_array_append(packed, p->packed.items + row->at, row->bytes);
    }
    size_t n = p->rows.count;
    tw__report_pack_u8(c->pack, called(c, "", "rowData"), packed->data, packed->len);
    tw__report_pack_u8(c->pack, called(c, "", "rowHeld"), held, n);
    tw__report_pack_u32(c->pack, called(c, "", "rowAt"), at, n);
    PUT(c, "rowBytes", p->rows.items, bytes, n);
    PUT(c, "rowTiles", p->rows.items, tiles, n);
    PUT(c, "rowActive", p->rows.items, active, n);
    PUT(c, "rowSum", p->rows.items, sum, n);
    PUT(c, "rowMax", p->rows.items, max, n);
    PUT(c, "rowMin", c->s->rows, min, n);
    PUT(c, "rowSecond", c->s->rows, second, n);
    PUT(c, "rowWorst", c->s->rows, argmax, n);
    if (left_out) tw__json_count(head, "rowsLeftOut", left_out);
    g_byte_array_free(packed, TRUE);
    g_free(held), g_free(at), g_free(order), g_free(weight);
}

/* --- the profile's lists ---------------------------------------------------------------------------------------- */

/* What follows from a type's steps. */
static void add_types(columns *c)
{
    size_t n = c->p->types.count;
    PUT(c, "typeCycles", c->s->types, cycles, n);
    PUT(c, "typeInstances", c->s->types, instances, n);
    tw__report_pack_count(c->pack, called(c, "", "typeWorst"), c->s->worst, n);
    tw__report_pack_u32(c->pack, called(c, "", "typeWorstTile"), c->s->worst_tile, n);
    tw__report_pack_u32(c->pack, called(c, "", "typeWorstStep"), c->s->worst_step, n);
}

static void add_exchanges(columns *c)
{
    const tw_profile *p = c->p;
    for (unsigned k = 0; k < TW__EXCHANGE_KINDS; k++) {
        char prefix[32];
        g_snprintf(prefix, sizeof prefix, "%s%u", tw__tables[TW__TABLE_exchange].page, k);
        add_table(c, prefix, TW__TABLE_exchange, (tw__items){ p->exchanges[k].items, p->exchanges[k].count });
    }
}

static void add_memory(columns *c, tw__json *head)
{
    const tw_profile *p = c->p;
    tw__json_open(head, "categories", '[');
    for (size_t i = 0; i < p->categories.count; i++) {
        const tw__category *at = &p->categories.items[i];
        tw__json_open(head, NULL, '{');
        add_members(head, TW__TABLE_category, at);
        for (size_t k = 0; k < p->limits.count; k++)
            if (p->limits.items[k].category == at->key) tw__json_count(head, "limit", p->limits.items[k].bytes);
        tw__json_open(head, "rows", '['); /* non-interleaved, interleaved, overflowed: alone, shared */
        for (unsigned k = 0; k < TW__MEMORY_REGIONS * TW__MEMORY_OVERLAPS; k++)
            tw__json_count(head, NULL, at->bytes[k / TW__MEMORY_OVERLAPS][k % TW__MEMORY_OVERLAPS]);
        tw__json_close(head, ']');
        tw__json_close(head, '}');
    }
    tw__json_close(head, ']');
    tw__json_open(head, "memory", '{');
    add_members(head, TW__TABLE_placement, p);
    tw__json_open(head, "regions", '[');
    for (unsigned r = 0; r < TW__MEMORY_REGIONS; r++) tw__json_count(head, NULL, p->by_region[r]);
    tw__json_close(head, ']');
    tw__json_count(head, "hasLiveness", p->has_liveness);
    tw__json_count(head, "mapInCycles", p->map_in_cycles);
    tw__json_open(head, "areas", '[');
    for (size_t i = 0; i < p->regions.count; i++) {
        tw__json_open(head, NULL, '{');
        add_members(head, TW__TABLE_region, &p->regions.items[i]);
        tw__json_close(head, '}');
    }
    tw__json_close(head, ']');
    tw__json_count(head, "mapsOmitted", p->maps_omitted);
    tw__json_count(head, "variablesOmitted", p->variables_omitted);
    tw__json_close(head, '}');
    if (c->s->memory) tw__report_pack_count(c->pack, called(c, "", "memory"), c->s->memory, c->s->tiles);
}

static void add_steps(columns *c)
{
    size_t n = c->p->steps.count;
    tw__step_line *lines = g_new0(tw__step_line, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        lines[i] = (tw__step_line){ .stored = c->p->steps.items[i], .executions = c->s->counts[i] };
        lines[i].bucket = (uint8_t)tw__step_bucket(&lines[i].stored);
        tw__profile_step_info(c->p, i, &lines[i].info);
    }
    add_table(c, tw__tables[TW__TABLE_step].page, TW__TABLE_step, (tw__items){ lines, n });
    g_free(lines);
}

static int by_lane_and_time(const void *a, const void *b)
{
    const tw__profile_interval *x = a, *y = b;
    if (x->lane != y->lane) return x->lane < y->lane ? -1 : 1;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

/* Sorted by lane and begin, so that the page finds what is visible by halving. */
static void add_intervals(columns *c)
{
    const tw_profile *p = c->p;
    size_t n = p->intervals.count;
    tw__profile_interval *at = g_new(tw__profile_interval, n + 1);
    if (n) memcpy(at, p->intervals.items, n * sizeof *at);
    qsort(at, n, sizeof *at, by_lane_and_time);
    add_table(c, tw__tables[TW__TABLE_interval].page, TW__TABLE_interval, (tw__items){ at, n });
    g_free(at);
}

static void add_busy(columns *c)
{
    char title[16];
    for (unsigned b = 0; b < TW_CYCLES_BUCKETS; b++) {
        g_snprintf(title, sizeof title, "%u", b);
        if (c->s->busy[b]) tw__report_pack_count(c->pack, called(c, "busy", title), c->s->busy[b], c->s->tiles);
    }
}

/* --- the head --------------------------------------------------------------------------------------------------- */

static void add_target(const tw_profile *p, tw__json *head)
{
    tw__json_open(head, "target", '{');
    add_members(head, TW__TABLE_target, p);
    tw__json_open(head, "words", '[');
    for (int w = TW__WORD_CHIP; w <= TW__WORD_KERNEL; w++) tw__json_text(head, NULL, tw__word_of(p, (tw__word)w));
    tw__json_close(head, ']');
    if (p->grid.columns) {
        tw__json_open(head, "grid", '{');
        add_members(head, TW__TABLE_grid, p);
        tw__json_count(head, "columnMajor", p->grid.column_major);
        tw__json_close(head, '}');
    }
    tw__json_close(head, '}');
}

static void add_totals(const tw__stats *s, tw__json *head)
{
    if (!s->has_totals) return;
    tw__json_open(head, "totals", '{');
    add_members(head, TW__TABLE_totals, &s->totals);
    tw__json_open(head, "buckets", '[');
    for (unsigned b = 0; b < TW_CYCLES_BUCKETS; b++) tw__json_count(head, NULL, s->totals.by_bucket[b]);
    tw__json_close(head, ']');
    tw__json_close(head, '}');
}

static void add_head(const tw__stats *s, tw__json *head)
{
    const tw_profile *p = s->p;
    add_target(p, head);
    tw__json_count(head, "hasGraph", p->has_graph);
    tw__json_count(head, "hasExecution", p->has_execution);
    tw__json_count(head, "memoryHasGaps", s->memory_has_gaps);
    tw__json_text(head, "mode", p->names.items[p->mode]);
    add_members(head, TW__TABLE_graph, p);
    tw__json_count(head, "intervalsOmitted", p->intervals_omitted);
    tw__json_count(head, "linesOmitted", p->lines_omitted);
    tw__json_count(head, "nodesOmitted", p->nodes_omitted);
    tw__json_open(head, "motion", '{');
    add_members(head, TW__TABLE_flowing, p);
    tw__json_count(head, "omitted", p->routes_omitted + p->flows_omitted + p->stuck_omitted);
    tw__json_close(head, '}');
    tw__json_count(head, "pairsOmitted", p->pairs_omitted);
    tw__json_count(head, "workOmitted", p->work_omitted);
    add_named(head, "facts", TW__TABLE_fact);
    add_named(head, "optimizations", TW__TABLE_optimization);
    add_totals(s, head);
}

tw_status tw__report_columns(const tw__stats *s, tw__report_pack *pack, const char *prefix, tw__json *head,
                             uint64_t row_bytes)
{
    columns c = { .s = s, .p = s->p, .pack = pack, .prefix = prefix };
    head->p = s->p;
    add_head(s, head);
    tw__report_pack_texts(pack, called(&c, "", "names"), s->p->names.items, s->p->names.count);
    add_rows(&c, head, row_bytes);
    for (int t = 0; t < TW__TABLES; t++) {
        tw__table table = (tw__table)t;
        const char *page = tw__tables[table].page;
        if (*page && table != TW__TABLE_interval && table != TW__TABLE_exchange && table != TW__TABLE_step)
            add_table(&c, page, table, tw__table_items(s->p, table));
    }
    tw__report_pack_u32(pack, called(&c, "", "setName"), s->p->compute_sets.items, s->p->compute_sets.count);
    add_types(&c);
    add_exchanges(&c);
    add_memory(&c, head);
    add_steps(&c);
    add_intervals(&c);
    add_busy(&c);
    return head->failed ? tw__fail(TW_E_NO_MEMORY, "out of memory for a report") : TW_OK;
}
