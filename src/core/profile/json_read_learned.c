/* SPDX-License-Identifier: MIT */
/* Reading what json_write_learned.c writes. Files are not trusted: columns of one list have one length, numbers refer
 * to what is there. */
#include "core/profile/json.h"

#include <stdlib.h>

typedef struct columns {
    tw__reader *r;
    json_t *from, *names;
    size_t count; /* of the list at hand */
} columns;

/* A column with `count` values; NULL after an error. */
static json_t *column(columns *c, const char *key)
{
    json_t *array = tw__array(c->r, c->from, key);
    if (c->r->status) return NULL;
    if (json_array_size(array) == c->count) return array ? array : json_null();
    size_t mark = tw__reader_enter(c->r, key);
    tw__bad(c->r, "%zu values expected, as in the other columns", c->count);
    tw__reader_leave(c->r, mark);
    return NULL;
}

static uint64_t value_of(columns *c, json_t *array, const char *key, size_t i, uint64_t below)
{
    json_t *number = json_array_get(array, i);
    if (json_is_integer(number) && json_integer_value(number) >= 0 && (uint64_t)json_integer_value(number) < below)
        return (uint64_t)json_integer_value(number);
    size_t mark = tw__reader_enter(c->r, key), element = tw__reader_enter_index(c->r, i);
    uint64_t value = tw__value(c->r, number);
    if (!c->r->status && value >= below) tw__bad(c->r, "%llu is too large", (unsigned long long)value);
    tw__reader_leave(c->r, element), tw__reader_leave(c->r, mark);
    return c->r->status ? 0 : value;
}

static const char *text_of(columns *c, json_t *array, const char *key, size_t i)
{
    uint64_t name = value_of(c, array, key, i, json_array_size(c->names));
    return c->r->status ? "" : tw__text_at(c->r, c->names, "names", name);
}

static uint32_t id_of(columns *c, json_t *array, const char *key, size_t i, uint64_t most)
{
    uint64_t id = value_of(c, array, key, i, most + 1);
    return id ? (uint32_t)(id - 1) : TW__NONE;
}

#define EXACT (UINT64_C(1) << 53) /* counts that a double holds */

static bool begin(columns *c, tw__reader *r, json_t *from, const char *key, size_t *mark)
{
    *c = (columns){ .r = r, .from = tw__object(r, from, key) };
    *mark = tw__reader_enter(r, key);
    if (c->from) c->names = tw__array(r, c->from, "names");
    return c->from && !r->status;
}

void tw__read_facts(tw__reader *r, json_t *root)
{
    json_t *facts = tw__object(r, root, "facts"), *value;
    const char *key;
    size_t mark = tw__reader_enter(r, "facts");
    json_object_foreach(facts, key, value)
    {
        size_t at = tw__reader_enter(r, key);
        if (json_is_string(value))
            tw__profile_set_fact(r->p, key, json_string_value(value));
        else
            tw__bad(r, "a text expected");
        tw__reader_leave(r, at);
    }
    tw__reader_leave(r, mark);
}

void tw__read_floor(tw__reader *r, json_t *target)
{
    json_t *grid = tw__object(r, target, "grid"), *memories = tw__object(r, target, "memories"), *value;
    const char *key;
    size_t mark = tw__reader_enter(r, "grid");
    uint64_t across = tw__count(r, grid, "columns", 0), rows = tw__count(r, grid, "rows", 0);
    if (grid && (!across || !rows || across > TW__MAX_TILES || rows > TW__MAX_TILES ||
                 across * rows < r->p->target.tiles_per_ipu))
        tw__bad(r, "%llu columns and %llu rows do not hold the tiles", (unsigned long long)across,
                (unsigned long long)rows);
    if (grid && !r->status)
        tw__profile_set_grid(r->p, (uint32_t)across, (uint32_t)rows,
                             strcmp(tw__text(r, grid, "order", "rows"), "columns") == 0);
    tw__reader_leave(r, mark);
    mark = tw__reader_enter(r, "memories");
    json_object_foreach(memories, key, value)
    {
        size_t at = tw__reader_enter(r, key);
        tw__profile_add_memory_limit(r->p, key, tw__value(r, value));
        tw__reader_leave(r, at);
    }
    tw__reader_leave(r, mark);
    json_t *regions = tw__array(r, target, "regions");
    mark = tw__reader_enter(r, "regions");
    for (size_t i = 0; i < json_array_size(regions) && !r->status && !r->p->status; i++) {
        value = tw__object_at(r, regions, NULL, i);
        size_t at = tw__reader_enter_index(r, i);
        tw__profile_add_region(r->p, tw__text(r, value, "name", ""), tw__text(r, value, "category", ""),
                               tw__count(r, value, "address", 0), tw__count(r, value, "bytes", 0));
        tw__reader_leave(r, at);
    }
    tw__reader_leave(r, mark);
}

void tw__read_work(tw__reader *r, json_t *step_from, tw__step *step)
{
    static const char *const keys[] = { "worker", "vertexType", "from", "to" };
    columns c = { .r = r, .from = tw__object(r, step_from, "work") };
    json_t *col[4];
    if (!c.from) return;
    size_t mark = tw__reader_enter(r, "work");
    c.count = json_array_size(tw__array(r, c.from, "worker"));
    for (size_t k = 0; k < 4; k++) col[k] = column(&c, keys[k]);
    uint64_t tile = tw__count(r, c.from, "tile", 0);
    if (tile >= r->p->target.tiles) tw__bad(r, "there is no tile %llu", (unsigned long long)tile);
    if (!r->status && c.count > TW__MOST_WORK - r->p->work.count) {
        r->p->work_omitted += c.count;
        c.count = 0;
    }
    step->work_first = (uint32_t)r->p->work.count;
    step->work_tile = (uint32_t)tile;
    for (size_t i = 0; i < c.count && !r->status && !r->p->status; i++) {
        tw__work w = { .worker = id_of(&c, col[0], keys[0], i, TW__MAX_TILES),
                       .vertex_type = (uint32_t)value_of(&c, col[1], keys[1], i, r->p->types.count),
                       .from = value_of(&c, col[2], keys[2], i, EXACT),
                       .to = value_of(&c, col[3], keys[3], i, EXACT) };
        if (!r->status && w.to < w.from) tw__bad(r, "work %zu ends before it begins", i);
        tw__work *slot = r->status ? NULL : TW__PROFILE_PUSH(r->p, r->p->work);
        if (slot) *slot = w, step->work_count++;
    }
    tw__reader_leave(r, mark);
}

static void read_blocks(columns *c, uint32_t programs)
{
    static const char *const keys[] = { "address", "bytes", "name", "category", "from", "to", "used" };
    tw__reader *r = c->r;
    json_t *tiles = tw__array(r, c->from, "tile"), *counts = tw__array(r, c->from, "blocks"), *col[7] = { NULL };
    bool used = tw__array(r, c->from, "used") != NULL;
    if (strcmp(tw__text(r, c->from, "unit", ""), "cycles") == 0) tw__profile_map_in_cycles(r->p);
    size_t maps = json_array_size(counts), owners = json_array_size(tiles), at = 0;
    c->count = owners;
    json_t *map_of = column(c, "map");
    uint64_t *first = tw__realloc(NULL, (maps + 1) * sizeof *first);
    if (!first) tw__profile_fail(r->p, TW_E_NO_MEMORY, "out of memory for the memory map");
    for (size_t m = 0; first && m < maps && !r->status; m++) {
        first[m] = at;
        at += value_of(c, counts, "blocks", m, TW__MOST_BLOCKS);
    }
    c->count = at;
    for (size_t k = 0; k < (used ? 7 : 6); k++) col[k] = column(c, keys[k]);
    /* Tiles that share a map are read one after the other: the profile finds again that the maps are equal. */
    uint64_t work = 0;
    for (size_t t = 0; first && t < owners && !r->status && !r->p->status; t++) {
        size_t m = value_of(c, map_of, "map", t, maps);
        uint64_t tile = value_of(c, tiles, "tile", t, r->p->target.tiles);
        if (r->status) break;
        uint64_t end = m + 1 < maps ? first[m + 1] : at;
        if ((work += end - first[m]) > (UINT64_C(1) << 24)) {
            r->p->maps_omitted++;
            continue;
        }
        tw__profile_map_begin(r->p, (uint32_t)tile);
        for (size_t i = first[m]; i < end && !r->status; i++) {
            tw__block_desc b = { .address = value_of(c, col[0], keys[0], i, EXACT),
                                 .bytes = value_of(c, col[1], keys[1], i, EXACT),
                                 .name = text_of(c, col[2], keys[2], i),
                                 .category = text_of(c, col[3], keys[3], i),
                                 .from = id_of(c, col[4], keys[4], i, programs),
                                 .to = id_of(c, col[5], keys[5], i, programs),
                                 .used = used ? id_of(c, col[6], keys[6], i, programs) : TW__NONE };
            if (!r->status) tw__profile_map_add(r->p, &b);
        }
        tw__profile_map_end(r->p);
    }
    free(first);
}

void tw__read_maps(tw__reader *r, json_t *memory)
{
    columns c;
    size_t mark;
    if (begin(&c, r, memory, "map", &mark)) {
        read_blocks(&c, UINT32_MAX - 1);
        r->p->maps_omitted += tw__count(r, c.from, "omitted", 0);
    }
    tw__reader_leave(r, mark);
}

void tw__read_variables(tw__reader *r, json_t *memory)
{
    static const char *const keys[] = { "name", "type", "bytes", "elements", "tiles", "firstTile", "alwaysLive" };
    columns c;
    size_t mark;
    json_t *col[7];
    if (begin(&c, r, memory, "variables", &mark)) {
        c.count = json_array_size(tw__array(r, c.from, "name"));
        for (size_t k = 0; k < 7; k++) col[k] = column(&c, keys[k]);
        for (size_t i = 0; i < c.count && !r->status && !r->p->status; i++) {
            tw__variable_desc v = { .name = text_of(&c, col[0], keys[0], i),
                                    .type = text_of(&c, col[1], keys[1], i),
                                    .bytes = value_of(&c, col[2], keys[2], i, EXACT),
                                    .elements = value_of(&c, col[3], keys[3], i, EXACT),
                                    .tiles = (uint32_t)value_of(&c, col[4], keys[4], i, TW__MAX_TILES + 1),
                                    .first_tile = (uint32_t)value_of(&c, col[5], keys[5], i, TW__MAX_TILES),
                                    .always_live = value_of(&c, col[6], keys[6], i, 2) != 0 };
            if (!r->status) tw__profile_add_variable(r->p, &v);
        }
        r->p->variables_omitted += tw__count(r, c.from, "omitted", 0);
    }
    tw__reader_leave(r, mark);
}

void tw__read_pairs(tw__reader *r, json_t *root)
{
    static const char *const keys[] = { "kind", "exchange", "from", "to", "bytes", "messages" };
    columns c;
    size_t mark;
    json_t *col[6];
    if (begin(&c, r, root, "exchangePairs", &mark)) {
        c.count = json_array_size(tw__array(r, c.from, "from"));
        for (size_t k = 0; k < 6; k++) col[k] = column(&c, keys[k]);
        json_t *name = tw__array(r, c.from, "name") ? column(&c, "name") : NULL;
        for (size_t i = 0; i < c.count && !r->status && !r->p->status; i++) {
            uint64_t v[6];
            uint64_t below[] = {
                TW__EXCHANGE_KINDS, TW__NONE, r->p->target.tiles, r->p->target.tiles, EXACT, EXACT
            };
            for (size_t k = 0; k < 6; k++) v[k] = value_of(&c, col[k], keys[k], i, below[k]);
            if (!r->status)
                tw__profile_add_pair(r->p, (tw__exchange_kind)v[0], v[1] ? (uint32_t)(v[1] - 1) : TW__NONE,
                                     (uint32_t)v[2], (uint32_t)v[3], v[4], v[5]);
            const char *what = name ? text_of(&c, name, "name", i) : "";
            if (!r->status && *what && r->p->pairs_omitted == 0) tw__profile_name_pair(r->p, what);
        }
        r->p->pairs_omitted += tw__count(r, c.from, "omitted", 0);
    }
    tw__reader_leave(r, mark);
}

static void read_lanes(columns *c)
{
    c->count = json_array_size(tw__array(c->r, c->from, "laneTile"));
    json_t *tile = column(c, "laneTile"), *name = column(c, "laneName");
    for (size_t i = 0; i < c->count && !c->r->status && !c->r->p->status; i++) {
        uint64_t t = value_of(c, tile, "laneTile", i, c->r->p->target.tiles);
        const char *text = text_of(c, name, "laneName", i);
        if (!c->r->status) tw__profile_add_lane(c->r->p, (uint32_t)t, text);
    }
}

static void read_spans(columns *c)
{
    static const char *const keys[] = { "lane", "from", "to", "name", "cause", "partner" };
    tw__reader *r = c->r;
    json_t *col[6];
    uint64_t lanes = r->p->lanes.count;
    c->count = json_array_size(tw__array(r, c->from, "lane"));
    for (size_t k = 0; k < 6; k++) col[k] = column(c, keys[k]);
    for (size_t i = 0; i < c->count && !r->status && !r->p->status; i++) {
        tw__interval_desc d = { .lane = (uint32_t)value_of(c, col[0], keys[0], i, lanes),
                                .from = value_of(c, col[1], keys[1], i, EXACT),
                                .to = value_of(c, col[2], keys[2], i, EXACT),
                                .name = text_of(c, col[3], keys[3], i),
                                .cause = text_of(c, col[4], keys[4], i),
                                .partner = id_of(c, col[5], keys[5], i, lanes) };
        if (!r->status && d.to < d.from) tw__bad(r, "interval %zu ends before it begins", i);
        if (!r->status) tw__profile_add_interval(r->p, &d);
    }
}

static void read_waits(columns *c)
{
    tw__reader *r = c->r;
    c->count = json_array_size(tw__array(r, c->from, "waitTile"));
    json_t *tile = column(c, "waitTile"), *cause = column(c, "waitCause"), *partner = column(c, "waitPartner"),
           *cycles = column(c, "waitCycles");
    for (size_t i = 0; i < c->count && !r->status && !r->p->status; i++) {
        uint64_t t = value_of(c, tile, "waitTile", i, r->p->target.tiles);
        uint32_t other = id_of(c, partner, "waitPartner", i, r->p->target.tiles);
        const char *text = text_of(c, cause, "waitCause", i);
        uint64_t n = value_of(c, cycles, "waitCycles", i, EXACT);
        if (!r->status) tw__profile_add_wait(r->p, (uint32_t)t, text, other, n);
    }
}

void tw__read_intervals(tw__reader *r, json_t *root)
{
    columns c;
    size_t mark;
    if (begin(&c, r, root, "intervals", &mark)) {
        read_lanes(&c);
        if (!r->status) read_spans(&c);
        if (!r->status) read_waits(&c);
        tw__profile_omit_intervals(r->p, tw__count(r, c.from, "omitted", 0));
    }
    tw__reader_leave(r, mark);
}
