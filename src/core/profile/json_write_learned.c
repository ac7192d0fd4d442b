/* SPDX-License-Identifier: MIT */
/* Writing what a report shows beside sums (docs/profile.md): facts, limits, the grid, maps of tiles, variables, pairs
 * of exchanges; intervals and waits. Long lists are columns: one array for each member. */
#include "core/profile/json.h"

#include <stdlib.h>

/* Local numbers of names: texts are written once, columns refer to them. */
typedef struct naming {
    tw__json *j;
    const tw_profile *p;
    uint32_t *number; /* [names] local number + 1; 0 = not met yet */
    uint32_t count;
} naming;

static bool naming_new(naming *n, tw__json *j, const tw_profile *p)
{
    *n = (naming){ j, p, tw__calloc(p->names.count + 1, sizeof *n->number), 0 };
    if (!n->number) j->failed = true;
    return n->number != NULL;
}

static void meet(naming *n, tw__name name)
{
    if (!n->number[name]) n->number[name] = ++n->count;
}

/* In the order of their numbers. */
static void write_names(naming *n)
{
    uint32_t *at = tw__calloc((size_t)n->count + 1, sizeof *at);
    if (!at) n->j->failed = true;
    for (uint32_t i = 0; at && i < n->p->names.count; i++)
        if (n->number[i]) at[n->number[i] - 1] = i;
    tw__json_open(n->j, "names", '[');
    for (uint32_t k = 0; at && k < n->count; k++) tw__json_text(n->j, NULL, n->p->names.items[at[k]]);
    tw__json_close(n->j, ']');
    free(at);
}

#define COLUMN(j, key, many, value)                                         \
    do {                                                                    \
        tw__json_open(j, key, '[');                                         \
        for (size_t i = 0; i < (many); i++) tw__json_count(j, NULL, value); \
        tw__json_close(j, ']');                                             \
    } while (0)
/* Ids: 0 = none, else the number + 1. */
#define PLUS1(id) ((id) == TW__NONE ? 0 : (uint64_t)(id) + 1)

void tw__write_facts(tw__json *j, const tw_profile *p)
{
    if (!p->facts.count) return;
    tw__json_open(j, "facts", '{');
    for (size_t i = 0; i < p->facts.count; i++)
        tw__json_text(j, p->names.items[p->facts.items[i].key], p->names.items[p->facts.items[i].value]);
    tw__json_close(j, '}');
}

void tw__write_floor(tw__json *j, const tw_profile *p)
{
    if (p->grid.columns) {
        tw__json_open(j, "grid", '{');
        tw__json_count(j, "columns", p->grid.columns);
        tw__json_count(j, "rows", p->grid.rows);
        tw__json_text(j, "order", p->grid.column_major ? "columns" : "rows");
        tw__json_close(j, '}');
    }
    if (p->limits.count) {
        tw__json_open(j, "memories", '{');
        for (size_t i = 0; i < p->limits.count; i++)
            tw__json_count(j, p->names.items[p->limits.items[i].category], p->limits.items[i].bytes);
        tw__json_close(j, '}');
    }
    if (!p->regions.count) return;
    tw__json_open(j, "regions", '[');
    for (size_t i = 0; i < p->regions.count; i++) {
        const tw__profile_area *at = &p->regions.items[i];
        tw__json_open(j, NULL, '{');
        tw__json_text(j, "name", p->names.items[at->name]);
        if (at->category) tw__json_text(j, "category", p->names.items[at->category]);
        tw__json_count(j, "address", at->address);
        tw__json_count(j, "bytes", at->bytes);
        tw__json_close(j, '}');
    }
    tw__json_close(j, ']');
}

/* What of an exchange is the same as in another. */
void tw__write_contents(tw__json *j, const tw_profile *p, tw__exchange_kind kind)
{
    const tw__exchange *at = p->exchanges[kind].items;
    bool any = false;
    for (size_t i = 0; i < p->exchanges[kind].count; i++) any |= at[i].content != 0;
    if (any) COLUMN(j, "content", p->exchanges[kind].count, at[i].content);
}

void tw__write_work(tw__json *j, const tw_profile *p, const tw__step *step)
{
    if (!step->work_count) return;
    const tw__work *at = p->work.items + step->work_first;
    tw__json_open(j, "work", '{');
    tw__json_count(j, "tile", step->work_tile);
    COLUMN(j, "worker", step->work_count, PLUS1(at[i].worker));
    COLUMN(j, "vertexType", step->work_count, at[i].vertex_type);
    COLUMN(j, "from", step->work_count, at[i].from);
    COLUMN(j, "to", step->work_count, at[i].to);
    tw__json_close(j, '}');
}

void tw__write_maps(tw__json *j, const tw_profile *p)
{
    naming n;
    const tw__profile_block *b = p->blocks.items;
    size_t blocks = p->blocks.count;
    if ((!p->maps.count && !p->maps_omitted) || !naming_new(&n, j, p)) return;
    for (size_t i = 0; i < blocks; i++) meet(&n, b[i].name), meet(&n, b[i].category);
    tw__json_open(j, "map", '{');
    if (p->map_in_cycles) tw__json_text(j, "unit", "cycles");
    write_names(&n);
    COLUMN(j, "tile", p->tile_maps.count, p->tile_maps.items[i].tile);
    COLUMN(j, "map", p->tile_maps.count, p->tile_maps.items[i].map);
    COLUMN(j, "blocks", p->maps.count, p->maps.items[i].count);
    COLUMN(j, "address", blocks, b[i].address);
    COLUMN(j, "bytes", blocks, b[i].bytes);
    COLUMN(j, "name", blocks, n.number[b[i].name] - 1);
    COLUMN(j, "category", blocks, n.number[b[i].category] - 1);
    COLUMN(j, "from", blocks, PLUS1(b[i].from));
    COLUMN(j, "to", blocks, PLUS1(b[i].to));
    bool used = false;
    for (size_t i = 0; i < blocks; i++) used |= b[i].used != TW__NONE;
    if (used) COLUMN(j, "used", blocks, PLUS1(b[i].used));
    if (p->maps_omitted) tw__json_count(j, "omitted", p->maps_omitted);
    tw__json_close(j, '}');
    free(n.number);
}

void tw__write_variables(tw__json *j, const tw_profile *p)
{
    naming n;
    const tw__profile_variable *v = p->variable_list.items;
    size_t many = p->variable_list.count;
    if ((!many && !p->variables_omitted) || !naming_new(&n, j, p)) return;
    for (size_t i = 0; i < many; i++) meet(&n, v[i].name), meet(&n, v[i].type);
    tw__json_open(j, "variables", '{');
    write_names(&n);
    COLUMN(j, "name", many, n.number[v[i].name] - 1);
    COLUMN(j, "type", many, n.number[v[i].type] - 1);
    COLUMN(j, "bytes", many, v[i].bytes);
    COLUMN(j, "elements", many, v[i].elements);
    COLUMN(j, "tiles", many, v[i].tiles);
    COLUMN(j, "firstTile", many, v[i].first_tile);
    COLUMN(j, "alwaysLive", many, v[i].always_live);
    if (p->variables_omitted) tw__json_count(j, "omitted", p->variables_omitted);
    tw__json_close(j, '}');
    free(n.number);
}

void tw__write_pairs(tw__json *j, const tw_profile *p)
{
    naming n;
    const tw__profile_pair *at = p->pairs.items;
    bool named = false;
    if ((!p->pairs.count && !p->pairs_omitted) || !naming_new(&n, j, p)) return;
    for (size_t i = 0; i < p->pairs.count; i++) named |= at[i].name != 0;
    for (size_t i = 0; named && i < p->pairs.count; i++) meet(&n, at[i].name);
    tw__json_open(j, "exchangePairs", '{');
    if (named) write_names(&n);
    COLUMN(j, "kind", p->pairs.count, at[i].kind);
    COLUMN(j, "exchange", p->pairs.count, PLUS1(at[i].exchange));
    COLUMN(j, "from", p->pairs.count, at[i].from);
    COLUMN(j, "to", p->pairs.count, at[i].to);
    COLUMN(j, "bytes", p->pairs.count, at[i].bytes);
    COLUMN(j, "messages", p->pairs.count, at[i].messages);
    if (named) COLUMN(j, "name", p->pairs.count, n.number[at[i].name] - 1);
    if (p->pairs_omitted) tw__json_count(j, "omitted", p->pairs_omitted);
    tw__json_close(j, '}');
    free(n.number);
}

void tw__write_intervals(tw__json *j, const tw_profile *p)
{
    naming n;
    const tw__profile_interval *v = p->intervals.items;
    size_t many = p->intervals.count;
    if ((!many && !p->intervals_omitted && !p->lanes.count && !p->waits.count) || !naming_new(&n, j, p)) return;
    for (size_t i = 0; i < p->lanes.count; i++) meet(&n, p->lanes.items[i].name);
    for (size_t i = 0; i < many; i++) meet(&n, v[i].name), meet(&n, v[i].cause);
    for (size_t i = 0; i < p->waits.count; i++) meet(&n, p->waits.items[i].cause);
    tw__json_open(j, "intervals", '{');
    write_names(&n);
    COLUMN(j, "laneTile", p->lanes.count, p->lanes.items[i].tile);
    COLUMN(j, "laneName", p->lanes.count, n.number[p->lanes.items[i].name] - 1);
    COLUMN(j, "lane", many, v[i].lane);
    COLUMN(j, "from", many, v[i].from);
    COLUMN(j, "to", many, v[i].to);
    COLUMN(j, "name", many, n.number[v[i].name] - 1);
    COLUMN(j, "cause", many, n.number[v[i].cause] - 1);
    COLUMN(j, "partner", many, PLUS1(v[i].partner));
    COLUMN(j, "waitTile", p->waits.count, p->waits.items[i].tile);
    COLUMN(j, "waitCause", p->waits.count, n.number[p->waits.items[i].cause] - 1);
    COLUMN(j, "waitPartner", p->waits.count, PLUS1(p->waits.items[i].partner));
    COLUMN(j, "waitCycles", p->waits.count, p->waits.items[i].cycles);
    if (p->intervals_omitted) tw__json_count(j, "omitted", p->intervals_omitted);
    tw__json_close(j, '}');
    free(n.number);
}
