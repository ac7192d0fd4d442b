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

static const char *called(columns *c, const char *name)
{
    g_snprintf(c->name, sizeof c->name, "%s%s", c->prefix, name);
    return c->name;
}

/* One member of each struct of an array as a column, of a type that fits. Written in place: a column may take
 * megabytes. */
#define COLUMN(c, ctype, title, many, expression)                                                \
    do {                                                                                         \
        size_t n_ = (many);                                                                      \
        ctype *room_ = tw__report_pack_room((c)->pack, called((c), (title)), n_, sizeof *room_); \
        for (size_t i = 0; i < n_; i++) room_[i] = (ctype)(expression);                          \
    } while (0)
#define U8(c, title, many, expression)   COLUMN(c, uint8_t, title, many, expression)
#define U32(c, title, many, expression)  COLUMN(c, uint32_t, title, many, expression)
#define REAL(c, title, many, expression) COLUMN(c, double, title, many, expression)
/* Counts that fit take 4 bytes each: most do, and the page reads both. */
#define F64(c, title, many, expression)                                     \
    do {                                                                    \
        uint64_t all_ = 0;                                                  \
        for (size_t i = 0; i < (many); i++) all_ |= (uint64_t)(expression); \
        if (all_ <= UINT32_MAX)                                             \
            U32(c, title, many, expression);                                \
        else                                                                \
            REAL(c, title, many, expression);                               \
    } while (0)

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
    tw__report_pack_u8(c->pack, called(c, "rowData"), packed->data, packed->len);
    tw__report_pack_u8(c->pack, called(c, "rowHeld"), held, p->rows.count);
    tw__report_pack_u32(c->pack, called(c, "rowAt"), at, p->rows.count);
    U32(c, "rowBytes", p->rows.count, p->rows.items[i].bytes);
    U32(c, "rowTiles", p->rows.count, p->rows.items[i].tiles);
    U32(c, "rowActive", p->rows.count, p->rows.items[i].active);
    F64(c, "rowSum", p->rows.count, p->rows.items[i].sum);
    F64(c, "rowMax", p->rows.count, p->rows.items[i].max);
    F64(c, "rowMin", p->rows.count, c->s->rows[i].min);
    F64(c, "rowSecond", p->rows.count, c->s->rows[i].second);
    U32(c, "rowWorst", p->rows.count, c->s->rows[i].argmax);
    if (left_out) tw__json_count(head, "rowsLeftOut", left_out);
    g_byte_array_free(packed, TRUE);
    g_free(held), g_free(at), g_free(order), g_free(weight);
}

/* --- the graph part --------------------------------------------------------------------------------------------- */

static void add_programs(columns *c)
{
    const tw_profile *p = c->p;
    size_t n = p->programs.count;
    const tw__profile_program *at = p->programs.items;
    U32(c, "programType", n, at[i].type_name);
    U8(c, "programKind", n, at[i].type);
    U32(c, "programName", n, at[i].name);
    U32(c, "programParent", n, at[i].parent);
    U32(c, "programIndex", n, at[i].index);
    F64(c, "programCount", n, at[i].count);
    U32(c, "programChild", n, at[i].first_child);
    U32(c, "programNext", n, at[i].next);
    U32(c, "programLiveNames", n, at[i].live_names);
    U32(c, "programLiveBytes", n, at[i].live_bytes);
    U32(c, "programLiveTiles", n, at[i].live_tiles);
}

static void add_types(columns *c)
{
    static const char *const titles[] = { "typeBytes0", "typeBytes1", "typeBytes2",
                                          "typeBytes3", "typeBytes4", "typeBytes5" };
    const tw_profile *p = c->p;
    size_t n = p->types.count;
    U32(c, "typeName", n, p->types.items[i].name);
    F64(c, "typeState", n, p->types.items[i].state_bytes);
    for (unsigned k = 0; k < TW__VERTEX_BYTES_KINDS; k++) U32(c, titles[k], n, p->types.items[i].bytes[k]);
    F64(c, "typeCycles", n, c->s->types[i].cycles);
    F64(c, "typeInstances", n, c->s->types[i].instances);
    F64(c, "typeWorst", n, c->s->worst[i]);
    U32(c, "typeWorstTile", n, c->s->worst_tile[i]);
    U32(c, "typeWorstStep", n, c->s->worst_step[i]);
}

static void add_exchanges(columns *c)
{
    static const char *const titles[][4] = {
        { "exchange0Sent", "exchange0Received", "exchange0Cycles", "exchange0Code" },
        { "exchange1Sent", "exchange1Received", "exchange1Cycles", "exchange1Code" },
        { "exchange2Sent", "exchange2Received", "exchange2Cycles", "exchange2Code" },
    };
    const tw_profile *p = c->p;
    for (unsigned k = 0; k < TW__EXCHANGE_KINDS; k++) {
        size_t n = p->exchanges[k].count;
        const tw__exchange *at = p->exchanges[k].items;
        U32(c, titles[k][0], n, at[i].sent);
        U32(c, titles[k][1], n, at[i].received);
        U32(c, titles[k][2], n, at[i].cycles);
        U32(c, titles[k][3], n, at[i].code);
    }
    U8(c, "pairKind", p->pairs.count, p->pairs.items[i].kind);
    U32(c, "pairExchange", p->pairs.count, p->pairs.items[i].exchange);
    U32(c, "pairFrom", p->pairs.count, p->pairs.items[i].from);
    U32(c, "pairTo", p->pairs.count, p->pairs.items[i].to);
    F64(c, "pairBytes", p->pairs.count, p->pairs.items[i].bytes);
    F64(c, "pairMessages", p->pairs.count, p->pairs.items[i].messages);
    U32(c, "pairName", p->pairs.count, p->pairs.items[i].name);
}

static void add_memory(columns *c, tw__json *head)
{
    const tw_profile *p = c->p;
    tw__json_open(head, "categories", '[');
    for (size_t i = 0; i < p->categories.count; i++) {
        const tw__category *at = &p->categories.items[i];
        tw__json_open(head, NULL, '{');
        tw__json_text(head, "key", p->names.items[at->key]);
        tw__json_text(head, "label", p->names.items[at->label]);
        tw__json_text(head, "fidelity", tw_fidelity_name(at->fidelity));
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
    tw__json_count(head, "total", p->total);
    tw__json_count(head, "gaps", p->total_with_gaps);
    tw__json_open(head, "regions", '[');
    for (unsigned r = 0; r < TW__MEMORY_REGIONS; r++) tw__json_count(head, NULL, p->by_region[r]);
    tw__json_close(head, ']');
    tw__json_count(head, "alwaysLiveRow", p->always_live_by_tile);
    tw__json_count(head, "maxLiveRow", p->max_live_by_tile);
    tw__json_count(head, "maxLive", p->max_live);
    tw__json_count(head, "hasLiveness", p->has_liveness);
    tw__json_text(head, "fidelity", tw_fidelity_name(p->totals_fidelity));
    tw__json_text(head, "liveFidelity", tw_fidelity_name(p->liveness_fidelity));
    tw__json_count(head, "mapInCycles", p->map_in_cycles);
    tw__json_open(head, "areas", '[');
    for (size_t i = 0; i < p->regions.count; i++) {
        const tw__profile_area *at = &p->regions.items[i];
        tw__json_open(head, NULL, '{');
        tw__json_text(head, "name", p->names.items[at->name]);
        tw__json_text(head, "category", p->names.items[at->category]);
        tw__json_count(head, "address", at->address);
        tw__json_count(head, "bytes", at->bytes);
        tw__json_close(head, '}');
    }
    tw__json_close(head, ']');
    tw__json_count(head, "mapsOmitted", p->maps_omitted);
    tw__json_count(head, "variablesOmitted", p->variables_omitted);
    tw__json_close(head, '}');
    if (c->s->memory) tw__report_pack_count(c->pack, called(c, "memory"), c->s->memory, c->s->tiles);
    U32(c, "alwaysName", p->always_live.count, p->always_live.items[i].name);
    F64(c, "alwaysBytes", p->always_live.count, p->always_live.items[i].bytes);
    size_t n = p->variable_list.count;
    const tw__profile_variable *v = p->variable_list.items;
    U32(c, "variableName", n, v[i].name);
    U32(c, "variableType", n, v[i].type);
    F64(c, "variableBytes", n, v[i].bytes);
    F64(c, "variableElements", n, v[i].elements);
    U32(c, "variableTiles", n, v[i].tiles);
    U32(c, "variableFirst", n, v[i].first_tile);
    U8(c, "variableAlways", n, v[i].always_live);
}

static void add_maps(columns *c)
{
    const tw_profile *p = c->p;
    const tw__profile_block *at = p->blocks.items;
    F64(c, "blockAddress", p->blocks.count, at[i].address);
    F64(c, "blockBytes", p->blocks.count, at[i].bytes);
    U32(c, "blockName", p->blocks.count, at[i].name);
    U32(c, "blockCategory", p->blocks.count, at[i].category);
    U32(c, "blockFrom", p->blocks.count, at[i].from);
    U32(c, "blockTo", p->blocks.count, at[i].to);
    U32(c, "blockUsed", p->blocks.count, at[i].used);
    U32(c, "mapFirst", p->maps.count, p->maps.items[i].first);
    U32(c, "mapCount", p->maps.count, p->maps.items[i].count);
    U32(c, "tileMapTile", p->tile_maps.count, p->tile_maps.items[i].tile);
    U32(c, "tileMapMap", p->tile_maps.count, p->tile_maps.items[i].map);
}

/* --- the execution part ----------------------------------------------------------------------------------------- */

static void add_steps(columns *c)
{
    const tw_profile *p = c->p;
    size_t n = p->steps.count;
    const tw__step *at = p->steps.items;
    U8(c, "stepKind", n, at[i].type);
    U8(c, "stepBucket", n, tw__step_bucket(&at[i]));
    U32(c, "stepType", n, at[i].type_name);
    U32(c, "stepName", n, at[i].name);
    U8(c, "stepSync", n, at[i].sync);
    U8(c, "stepFidelity", n, at[i].fidelity);
    U32(c, "stepProgram", n, at[i].program);
    U32(c, "stepIndex", n, at[i].index);
    U32(c, "stepActive", n, at[i].active);
    U32(c, "stepData", n, at[i].data);
    F64(c, "stepCycles", n, at[i].cycles);
    F64(c, "stepSpan", n, at[i].span);
    REAL(c, "stepGap", n, at[i].gap);
    F64(c, "stepOverlapped", n, at[i].overlapped);
    F64(c, "stepTotalData", n, at[i].total_data);
    F64(c, "stepExecutions", n, c->s->counts[i]);
    F64(c, "stepThreadCycles", n, at[i].thread_cycles);
    U32(c, "stepTypesFirst", n, at[i].types_first);
    U32(c, "stepTypesCount", n, at[i].types_count);
    uint32_t *tiles = g_new0(uint32_t, n + 1);
    double *balances = g_new0(double, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        tw_profile_step info;
        tw__profile_step_info(p, i, &info);
        tiles[i] = info.active_tiles;
        balances[i] = info.tile_balance;
    }
    U32(c, "stepWorkFirst", n, at[i].work_first);
    U32(c, "stepWorkCount", n, at[i].work_count);
    U32(c, "stepWorkTile", n, at[i].work_tile);
    U32(c, "workWorker", p->work.count, p->work.items[i].worker);
    U32(c, "workType", p->work.count, p->work.items[i].vertex_type);
    F64(c, "workFrom", p->work.count, p->work.items[i].from);
    F64(c, "workTo", p->work.count, p->work.items[i].to);
    tw__report_pack_u32(c->pack, called(c, "stepActiveTiles"), tiles, n);
    tw__report_pack_f64(c->pack, called(c, "stepBalance"), balances, n);
    g_free(tiles), g_free(balances);
    const tw__type_cycles *tc = p->type_cycles.items;
    U32(c, "partType", p->type_cycles.count, tc[i].vertex_type);
    F64(c, "partInstances", p->type_cycles.count, tc[i].instances);
    F64(c, "partCycles", p->type_cycles.count, tc[i].cycles);
    F64(c, "partWorst", p->type_cycles.count, tc[i].worst);
    U32(c, "partWorstTile", p->type_cycles.count, tc[i].worst_tile);
}

static void add_trace(columns *c)
{
    const tw_profile *p = c->p;
    U32(c, "ruleFirst", p->rules.count, p->rules.items[i].first);
    U32(c, "ruleCount", p->rules.count, p->rules.items[i].count);
    U8(c, "ruleIsRange", p->rules.count, p->rules.items[i].is_range);
    U32(c, "itemRule", p->items.count, p->items.items[i].rule);
    U32(c, "itemTimes", p->items.count, p->items.items[i].times);
    U32(c, "runName", p->runs.count, p->runs.items[i].name);
    U32(c, "runRule", p->runs.count, p->runs.items[i].rule);
    F64(c, "runTimes", p->runs.count, p->runs.items[i].times);
    REAL(c, "runMicroseconds", p->runs.count, p->runs.items[i].microseconds);
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
    U32(c, "laneTile", p->lanes.count, p->lanes.items[i].tile);
    U32(c, "laneName", p->lanes.count, p->lanes.items[i].name);
    U32(c, "intervalLane", n, at[i].lane);
    F64(c, "intervalFrom", n, at[i].from);
    F64(c, "intervalTo", n, at[i].to);
    U32(c, "intervalName", n, at[i].name);
    U32(c, "intervalCause", n, at[i].cause);
    U32(c, "intervalPartner", n, at[i].partner);
    g_free(at);
    U32(c, "waitTile", p->waits.count, p->waits.items[i].tile);
    U32(c, "waitPartner", p->waits.count, p->waits.items[i].partner);
    U32(c, "waitCause", p->waits.count, p->waits.items[i].cause);
    F64(c, "waitCycles", p->waits.count, p->waits.items[i].cycles);
}

static void add_busy(columns *c)
{
    static const char *const titles[TW_CYCLES_BUCKETS] = { "busy0", "busy1", "busy2", "busy3",
                                                           "busy4", "busy5", "busy6" };
    for (unsigned b = 0; b < TW_CYCLES_BUCKETS; b++)
        if (c->s->busy[b]) tw__report_pack_count(c->pack, called(c, titles[b]), c->s->busy[b], c->s->tiles);
}

/* --- the head --------------------------------------------------------------------------------------------------- */

static void add_target(const tw_profile *p, tw__json *head)
{
    tw__json_open(head, "target", '{');
    tw__json_text(head, "type", p->names.items[p->target.type]);
    tw__json_text(head, "architecture", p->names.items[p->target.arch]);
    tw__json_count(head, "chips", p->target.ipus);
    tw__json_count(head, "tilesPerChip", p->target.tiles_per_ipu);
    tw__json_count(head, "tiles", p->target.tiles);
    tw__json_count(head, "replicas", p->target.replicas);
    tw__json_count(head, "bytesPerTile", p->target.bytes_per_tile);
    tw__json_number(head, "clock", p->target.clock_hz);
    tw__json_open(head, "words", '[');
    for (int w = TW__WORD_CHIP; w <= TW__WORD_KERNEL; w++) tw__json_text(head, NULL, tw__word_of(p, (tw__word)w));
    tw__json_close(head, ']');
    if (p->grid.columns) {
        tw__json_open(head, "grid", '{');
        tw__json_count(head, "columns", p->grid.columns);
        tw__json_count(head, "rows", p->grid.rows);
        tw__json_count(head, "columnMajor", p->grid.column_major);
        tw__json_close(head, '}');
    }
    tw__json_close(head, '}');
}

static void add_totals(const tw__stats *s, tw__json *head)
{
    if (!s->has_totals) return;
    const tw_profile_totals *t = &s->totals;
    tw__json_open(head, "totals", '{');
    tw__json_count(head, "cycles", t->cycles);
    tw__json_number(head, "seconds", t->seconds);
    tw__json_open(head, "buckets", '[');
    for (unsigned b = 0; b < TW_CYCLES_BUCKETS; b++) tw__json_count(head, NULL, t->by_bucket[b]);
    tw__json_close(head, ']');
    tw__json_count(head, "computeActive", t->compute_active);
    tw__json_number(head, "tileBalance", t->tile_balance);
    tw__json_number(head, "threadBalance", t->thread_balance);
    tw__json_count(head, "steps", t->steps);
    tw__json_count(head, "runs", t->runs);
    tw__json_text(head, "fidelity", tw_fidelity_name(t->fidelity));
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
    tw__json_count(head, "vertices", p->vertices);
    tw__json_count(head, "edges", p->edges);
    tw__json_count(head, "variables", p->variables);
    tw__json_count(head, "computeSets", p->compute_set_count);
    tw__json_count(head, "intervalsOmitted", p->intervals_omitted);
    tw__json_count(head, "pairsOmitted", p->pairs_omitted);
    tw__json_count(head, "workOmitted", p->work_omitted);
    tw__json_open(head, "facts", '[');
    for (size_t i = 0; i < p->facts.count; i++) {
        tw__json_open(head, NULL, '[');
        tw__json_text(head, NULL, p->names.items[p->facts.items[i].key]);
        tw__json_text(head, NULL, p->names.items[p->facts.items[i].value]);
        tw__json_close(head, ']');
    }
    tw__json_close(head, ']');
    tw__json_open(head, "optimizations", '[');
    for (size_t i = 0; i < p->optimizations.count; i++) {
        tw__json_open(head, NULL, '[');
        tw__json_text(head, NULL, p->names.items[p->optimizations.items[i].name]);
        tw__json_number(head, NULL, p->optimizations.items[i].value);
        tw__json_close(head, ']');
    }
    tw__json_close(head, ']');
    add_totals(s, head);
}

tw_status tw__report_columns(const tw__stats *s, tw__report_pack *pack, const char *prefix, tw__json *head,
                             uint64_t row_bytes)
{
    columns c = { .s = s, .p = s->p, .pack = pack, .prefix = prefix };
    add_head(s, head);
    tw__report_pack_texts(pack, called(&c, "names"), s->p->names.items, s->p->names.count);
    add_rows(&c, head, row_bytes);
    add_programs(&c);
    add_types(&c);
    U32(&c, "setName", s->p->compute_sets.count, s->p->compute_sets.items[i]);
    add_exchanges(&c);
    add_memory(&c, head);
    add_maps(&c);
    add_steps(&c);
    add_trace(&c);
    add_intervals(&c);
    add_busy(&c);
    return head->failed ? tw__fail(TW_E_NO_MEMORY, "out of memory for a report") : TW_OK;
}
