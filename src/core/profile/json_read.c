/* SPDX-License-Identifier: MIT */
/* Reading profile files: the walk over members with a path for messages, and what both files have in common. */
#define _GNU_SOURCE /* memmem */
#include "core/profile/json.h"

#include <glib.h>
#include <math.h>
#include <stdlib.h>

size_t tw__reader_enter(tw__reader *r, const char *key)
{
    size_t mark = r->path_length, room = sizeof r->path - mark;
    g_snprintf(r->path + mark, (gulong)room, mark ? ".%s" : "%s", key);
    r->path_length = mark + strlen(r->path + mark);
    return mark;
}

size_t tw__reader_enter_index(tw__reader *r, size_t index)
{
    size_t mark = r->path_length;
    g_snprintf(r->path + mark, (gulong)(sizeof r->path - mark), "[%zu]", index);
    r->path_length = mark + strlen(r->path + mark);
    return mark;
}

void tw__reader_leave(tw__reader *r, size_t mark)
{
    r->path[mark] = 0;
    r->path_length = mark;
}

tw_status tw__bad(tw__reader *r, const char *format, ...)
{
    if (r->status) return r->status;
    va_list args;
    va_start(args, format);
    char *text = g_strdup_vprintf(format, args);
    va_end(args);
    r->status = tw__fail(TW_E_PARSE, "%s: %s: %s", r->file, r->path_length ? r->path : "top level", text);
    free(text);
    return r->status;
}

/* What is looked at: a member of what the path names, an element of it (i < SIZE_MAX), or with no key that itself.
 * The path is lengthened where something is wrong with it: that costs more than a value. */
typedef struct place {
    tw__reader *r;
    const char *key;
    size_t i;
    tw__list_reader *list; /* that the element is of; NULL = none */
} place;

static size_t json_read_enter(const place *at)
{
    size_t mark = at->r->path_length;
    if (at->key) tw__reader_enter(at->r, at->key);
    if (at->i != SIZE_MAX) tw__reader_enter_index(at->r, at->i);
    return mark;
}

static void TW_PRINTF(2, 3) bad_at(const place *at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = g_strdup_vprintf(format, args);
    va_end(args);
    size_t mark = json_read_enter(at);
    tw__bad(at->r, "%s", text);
    tw__reader_leave(at->r, mark);
    free(text);
}

/* The member, or NULL when absent or null; `expected` describes its type. */
static json_t *member(tw__reader *r, json_t *from, const char *key, int type, const char *expected)
{
    json_t *value = json_object_get(from, key);
    if (r->status || !value || json_is_null(value)) return NULL;
    bool fits = type == JSON_REAL ? json_is_number(value) : (int)json_typeof(value) == type;
    if (!fits) bad_at(&(place){ r, key, SIZE_MAX, NULL }, "%s expected", expected);
    return fits ? value : NULL;
}

json_t *tw__object(tw__reader *r, json_t *from, const char *key)
{
    return member(r, from, key, JSON_OBJECT, "an object");
}

json_t *tw__array(tw__reader *r, json_t *from, const char *key)
{
    return member(r, from, key, JSON_ARRAY, "an array");
}

const char *tw__text(tw__reader *r, json_t *from, const char *key, const char *otherwise)
{
    json_t *value = member(r, from, key, JSON_STRING, "a text");
    return value ? json_string_value(value) : otherwise;
}

double tw__number(tw__reader *r, json_t *from, const char *key, double otherwise)
{
    json_t *value = member(r, from, key, JSON_REAL, "a number");
    if (!value || json_number_value(value) >= 0) return value ? json_number_value(value) : otherwise;
    bad_at(&(place){ r, key, SIZE_MAX, NULL }, "a number that is not negative expected");
    return otherwise;
}

static uint64_t value_below(const place *at, json_t *number, uint64_t below)
{
    bool whole = json_is_integer(number) && json_integer_value(number) >= 0;
    double real = json_is_real(number) ? json_real_value(number) : -1;
    uint64_t value = whole ? (uint64_t)json_integer_value(number) : 0;
    if (!whole && real >= 0 && real < 9e18)
        value = (uint64_t)(real + 0.5);
    else if (!whole)
        bad_at(at, "a number that is not negative expected");
    if (value < below) return value;
    bad_at(at, "%llu is too large", (unsigned long long)value);
    return 0;
}

uint64_t tw__value(tw__reader *r, json_t *number)
{
    return value_below(&(place){ r, NULL, SIZE_MAX, NULL }, number, UINT64_MAX);
}

uint64_t tw__value_at(tw__reader *r, json_t *array, const char *key, size_t i)
{
    return value_below(&(place){ r, key, i, NULL }, json_array_get(array, i), UINT64_MAX);
}

const char *tw__text_at(tw__reader *r, json_t *array, const char *key, size_t i)
{
    const char *text = json_string_value(json_array_get(array, i));
    if (!text) bad_at(&(place){ r, key, i, NULL }, "a text expected");
    return text ? text : "";
}

json_t *tw__object_at(tw__reader *r, json_t *array, const char *key, size_t i)
{
    json_t *object = json_array_get(array, i);
    if (json_is_object(object)) return object;
    bad_at(&(place){ r, key, i, NULL }, "an object expected");
    return NULL;
}

uint64_t tw__count(tw__reader *r, json_t *from, const char *key, uint64_t otherwise)
{
    json_t *value = member(r, from, key, JSON_REAL, "a number");
    return value ? value_below(&(place){ r, key, SIZE_MAX, NULL }, value, UINT64_MAX) : otherwise;
}

tw__row tw__tiles_value(tw__reader *r, json_t *array)
{
    if (r->status || !array || json_is_null(array)) return 0;
    tw__profile_row_begin(r->p);
    if (json_is_number(array)) {
        tw__profile_row_add(r->p, 1, tw__value(r, array));
    } else if (!json_is_array(array)) {
        tw__bad(r, "an array with a number for each tile expected");
    } else if (json_array_size(array) > r->p->target.tiles) {
        tw__bad(r, "%zu values for %u tiles", json_array_size(array), r->p->target.tiles);
    } else {
        for (size_t t = 0; !r->status && t < json_array_size(array); t++)
            tw__profile_row_add(r->p, 1, tw__value_at(r, array, NULL, t));
    }
    return r->status ? 0 : tw__profile_row_end(r->p);
}

/* --- columns ---------------------------------------------------------------------------------------------------- */

static uint64_t json_read_limit_of(const tw_profile *p, const tw__column *c)
{
#define LIMIT(name, limit) limit,
    const uint64_t limits[] = { TW__BELOW_LIST(LIMIT) };
#undef LIMIT
    return limits[c->below];
}

/* A text of the list's own, or the number of one in its "names". */
static tw__name json_read_name_of(const place *at, json_t *value, uint64_t below)
{
    tw__reader *r = at->r;
    if (at->list && !at->list->loose) {
        uint64_t number = value_below(at, value, below);
        tw__name *known = r->status ? NULL : &at->list->known[number];
        if (known && !*known) *known = tw__profile_name(r->p, tw__text_at(r, at->list->names, "names", number));
        return known ? *known : 0;
    }
    if (!json_is_string(value)) bad_at(at, "a text expected");
    return tw__profile_name(r->p, json_string_value(value));
}

static tw__row json_read_row_of(const place *at, json_t *value)
{
    size_t mark = json_read_enter(at);
    tw__row row = tw__tiles_value(at->r, value);
    tw__reader_leave(at->r, mark);
    return row;
}

/* One of the words of a column. What kind of sync there is, other machines' files may say in other words. */
static unsigned word_of(const place *at, const tw__column *c, json_t *value)
{
    const char *text = json_string_value(value), *known;
    for (unsigned w = 0; text && (known = tw__column_word(c, w)); w++)
        if (!strcmp(text, known)) return w;
    if (!text)
        bad_at(at, "a text expected");
    else if (c->kind == TW__KIND_FIDELITY)
        bad_at(at, "'%s' is none of exact, modelled, estimated, absent", text);
    return 0;
}

static double real_of(const place *at, const tw__column *c, json_t *value)
{
    double real = json_number_value(value);
    if (!json_is_number(value))
        bad_at(at, "a number expected");
    else if (real < 0 && c->kind != TW__KIND_FIGURE)
        bad_at(at, "a number that is not negative expected");
    return real;
}

static void set_value(const place *at, const tw__column *c, uint64_t below, json_t *value, void *item)
{
    bool listed = at->i != SIZE_MAX;
    uint64_t number = 0;
    switch ((tw__kind)c->kind) {
    case TW__KIND_REAL:
    case TW__KIND_RATIO:
    case TW__KIND_FIGURE: tw__column_set_real(c, item, real_of(at, c, value)); return;
    case TW__KIND_TEXT: number = json_read_name_of(at, value, below); break;
    case TW__KIND_ROW: number = json_read_row_of(at, value); break;
    case TW__KIND_SUM:
        number = json_read_row_of(at, value);
        number = at->r->p->rows.items[number].sum;
        break;
    case TW__KIND_FIDELITY:
    case TW__KIND_SYNC: number = word_of(at, c, value); break;
    case TW__KIND_SIGNED:
        if (!json_is_integer(value)) bad_at(at, "a whole number expected");
        number = (uint64_t)json_integer_value(value);
        break;
    case TW__KIND_ID:
    case TW__KIND_COUNT:
    case TW__KIND_SMALL:
        if (!listed && !json_is_number(value))
            bad_at(at, "a number expected");
        else
            number = value_below(at, value, c->kind == TW__KIND_ID ? listed ? below + 1 : UINT64_MAX : below);
        if (c->kind == TW__KIND_ID) number = listed ? number - 1 : number < TW__NONE ? number : TW__NONE;
        break;
    }
    tw__column_set(c, item, number);
}

void tw__read_members(tw__reader *r, json_t *from, tw__table table, void *item, unsigned parts)
{
    for (TW__EACH_COLUMN(c, table)) {
        json_t *value = c->key && tw__column_in(c, parts) ? json_object_get(from, c->key) : NULL;
        if (value && !json_is_null(value))
            set_value(&(place){ r, c->key, SIZE_MAX, NULL }, c, json_read_limit_of(r->p, c), value, item);
    }
}

void tw__read_object_at(tw__reader *r, json_t *array, const char *key, size_t i, tw__table table, void *item)
{
    json_t *object = tw__object_at(r, array, key, i);
    size_t mark = json_read_enter(&(place){ r, key, i, NULL });
    tw__read_members(r, object, table, item, 0);
    tw__reader_leave(r, mark);
}

void tw__read_named(tw__reader *r, json_t *from, const char *key, tw__table table)
{
    const tw__column *c = &tw__schema[tw__tables[table].first];
    json_t *object = tw__object(r, from, key), *value;
    size_t mark = tw__reader_enter(r, key);
    const char *name;
    json_object_foreach(object, name, value)
    {
        void *item = r->status ? NULL : tw__table_push(r->p, table);
        if (!item) break;
        tw__column_set(&c[0], item, tw__profile_name(r->p, name));
        set_value(&(place){ r, name, SIZE_MAX, NULL }, &c[1], json_read_limit_of(r->p, &c[1]), value, item);
    }
    tw__reader_leave(r, mark);
}

/* As many as the first column that is there; where they may differ, as names, or the longest column of rows. */
static size_t longest(const tw__list_reader *l, tw__table table)
{
    size_t count = SIZE_MAX;
    for (TW__EACH_COLUMN(c, table)) {
        const json_t *array = c->key && tw__column_in(c, l->parts) ? json_object_get(l->from, c->key) : NULL;
        bool longer = count == SIZE_MAX || (l->loose && c->kind == TW__KIND_ROW && json_array_size(array) > count);
        if (json_is_array(array) && longer) count = json_array_size(array);
        if (l->loose && c->kind == TW__KIND_TEXT) break;
    }
    return count == SIZE_MAX ? 0 : count;
}

bool tw__list_begin(tw__list_reader *l, tw__table table, size_t count)
{
    l->used = 0;
    l->count = count == SIZE_MAX ? longest(l, table) : count;
    for (TW__EACH_COLUMN(c, table)) {
        if (!c->key || !tw__column_in(c, l->parts)) continue;
        json_t *array = tw__array(l->r, l->from, c->key);
        if (json_array_size(array) != l->count && !l->loose && (array || !(c->when & TW__WHEN_IF)))
            bad_at(&(place){ l->r, c->key, SIZE_MAX, NULL }, "%zu values expected, as in the other columns",
                   l->count);
        if (l->r->status) return false;
        bool number = c->kind == TW__KIND_TEXT && !l->loose;
        uint64_t below = number ? json_array_size(l->names) : json_read_limit_of(l->r->p, c);
        l->columns[l->used++] = (struct tw__list_column){ c, array, below };
    }
    return true;
}

bool tw__list_at(tw__list_reader *l, size_t i, void *item)
{
    uint64_t before = 0;
    tw__reader *r = l->r;
    for (size_t k = 0; k < l->used && !r->status && !r->p->status; k++) {
        const tw__column *c = l->columns[k].column;
        const place at = { r, c->key, i, l };
        json_t *value = json_array_get(l->columns[k].array, i);
        if (value)
            set_value(&at, c, l->columns[k].below, value, item);
        else
            tw__column_set(c, item, c->kind == TW__KIND_ID ? TW__NONE : 0); /* not known */
        if (c->below == TW__BELOW_AFTER && tw__column_get(c, item) < before)
            bad_at(&at, "it ends before it begins");
        before = tw__column_get(c, item);
    }
    return !r->status && !r->p->status;
}

/* What a list has no more room for is counted. */
static bool read_list(tw__list_reader *l, tw__table table)
{
    if (!tw__list_begin(l, table, SIZE_MAX)) return false;
    for (size_t i = 0; i < l->count; i++) {
        void *item = tw__table_push(l->r->p, table);
        if (item && !tw__list_at(l, i, item)) return false;
    }
    return true;
}

void tw__read_lists(tw__reader *r, json_t *from, const char *key, const tw__table *tables, size_t count,
                    tw__list_read *read, uint64_t *omitted)
{
    json_t *object = tw__object(r, from, key);
    size_t mark = tw__reader_enter(r, key);
    tw__list_reader l = { .r = r, .from = object, .names = tw__array(r, object, "names") };
    l.known = tw__calloc(json_array_size(l.names) + 1, sizeof *l.known);
    if (!l.known) tw__profile_fail(r->p, TW_E_NO_MEMORY, "out of memory for the profile");
    bool good = object && l.known && !r->status;
    for (size_t k = 0; k < count && good; k++) good = (read ? read : read_list)(&l, tables[k]);
    *omitted += good ? tw__count(r, object, "omitted", 0) : 0;
    free(l.known);
    tw__reader_leave(r, mark);
}

tw_program_type tw__program_type(const char *name)
{
    int type = 0;
    while (type < TW_PROGRAM_OTHER && strcmp(name, tw_program_type_name((tw_program_type)type))) type++;
    return (tw_program_type)type;
}

/* --- what both files have ------------------------------------------------------------------------------------- */

/* The tiles of the machine: of three numbers two say enough. */
static void read_size(tw__reader *r, json_t *target)
{
    tw_profile *p = r->p;
    p->target.ipus = p->target.replicas = 1;
    tw__read_members(r, target, TW__TABLE_target, p, TW__WHEN_SIZE);
    uint64_t ipus = p->target.ipus, tiles = p->target.tiles, each = p->target.tiles_per_ipu;
    uint32_t replicas = p->target.replicas;
    if (!each) each = ipus ? tiles / ipus : 0;
    if (!tiles && ipus <= TW__MAX_TILES && each <= TW__MAX_TILES) tiles = ipus * each;
    if (!ipus || !tiles || tiles > TW__MAX_TILES || each > tiles || ipus * each != tiles)
        tw__bad(r, "%llu IPUs of %llu tiles do not make %llu tiles", (unsigned long long)ipus,
                (unsigned long long)each, (unsigned long long)tiles);
    else if (!replicas || replicas > tiles) /* an IPU may hold several */
        tw__bad(r, "%u replicas do not fit %llu tiles", replicas, (unsigned long long)tiles);
    p->target.tiles = (uint32_t)tiles;
    p->target.tiles_per_ipu = (uint32_t)each;
}

static void read_floor(tw__reader *r, json_t *target)
{
    tw_profile *p = r->p;
    json_t *grid = tw__object(r, target, "grid");
    size_t mark = tw__reader_enter(r, "grid");
    tw__read_members(r, grid, TW__TABLE_grid, p, 0);
    uint64_t across = p->grid.columns, rows = p->grid.rows;
    if (grid && (!across || !rows || across > TW__MAX_TILES || rows > TW__MAX_TILES ||
                 across * rows < p->target.tiles_per_ipu))
        tw__bad(r, "%llu columns and %llu rows do not hold the tiles", (unsigned long long)across,
                (unsigned long long)rows);
    p->grid.column_major = strcmp(tw__text(r, grid, "order", "rows"), "columns") == 0;
    tw__reader_leave(r, mark);
    tw__read_named(r, target, "memories", TW__TABLE_limit);
    json_t *regions = tw__array(r, target, "regions");
    for (size_t i = 0; i < json_array_size(regions) && !r->status && !p->status; i++) {
        tw__profile_area area = { 0 };
        tw__read_object_at(r, regions, "regions", i, TW__TABLE_region, &area);
        tw__profile_add_region(p, p->names.items[area.name], p->names.items[area.category], area.address,
                               area.bytes);
    }
}

void tw__read_target(tw__reader *r, json_t *root)
{
    json_t *target = tw__object(r, root, "target");
    if (!target || r->p->target.tiles) return; /* the execution file repeats the target of the graph file */
    size_t mark = tw__reader_enter(r, "target");
    read_size(r, target);
    if (!r->status) {
        tw__read_members(r, target, TW__TABLE_target, r->p, TW__WHEN_MAIN | TW__WHEN_CLOCK | TW__WHEN_THREADS);
        read_floor(r, target);
    }
    tw__reader_leave(r, mark);
}

void tw__read_vertex_types(tw__reader *r, json_t *root)
{
    json_t *types = tw__object(r, root, "vertexTypes");
    if (!types || r->p->types.count) return;
    size_t mark = tw__reader_enter(r, "vertexTypes");
    tw__list_reader l = { .r = r, .from = types, .loose = true, .parts = TW__WHEN_MAIN };
    read_list(&l, TW__TABLE_type);
    tw__reader_leave(r, mark);
}

static void check_schema(tw__reader *r, json_t *root, const char *part)
{
    json_t *own = tw__object(r, root, "tilewright");
    size_t mark = tw__reader_enter(r, "tilewright");
    uint64_t schema = tw__count(r, own, "schema", TW_PROFILE_SCHEMA);
    if (schema > TW_PROFILE_SCHEMA)
        tw__bad(r, "schema %llu is newer than the %d known here", (unsigned long long)schema, TW_PROFILE_SCHEMA);
    const char *name = tw__text(r, own, "part", part);
    if (strcmp(name, part)) tw__bad(r, "this is the %s part, the %s part is expected", name, part);
    tw__reader_leave(r, mark);
}

/* --- what is not read: the steps one by one ------------------------------------------------------------------- */

enum { LARGE = 1 << 20 }; /* of a list that is worth it */

/* Behind the bracket that closes the one at `at`; NULL: it stays open, another kind of bracket closes one, a text has
 * what none may have, or there are more brackets in brackets than steps have. */
static const char *behind_list(const char *at, const char *end)
{
    uint64_t is_object = 0; /* a bit for each bracket that is open, the innermost lowest */
    unsigned depth = 0;
    for (bool is_text = false; at < end; at++) {
        const char c = *at;
        if (is_text) {
            if ((unsigned char)c < ' ' || (c == '\\' && ++at == end)) return NULL;
            is_text = c != '"';
        } else if (c == '"') {
            is_text = true;
        } else if (c == '[' || c == '{') {
            if (++depth > 64) return NULL;
            is_object = is_object << 1 | (c == '{');
        } else if (c == ']' || c == '}') {
            if ((is_object & 1) != (c == '}')) return NULL;
            is_object >>= 1;
            if (--depth == 0) return at + 1;
        }
    }
    return NULL;
}

/* A text in two pieces, without what stands between them. */
typedef struct pieces {
    const char *at[2], *end[2];
    unsigned now;
} pieces;

static bool without_steps(const char *text, size_t bytes, pieces *out)
{
    static const char key[] = "\"steps\":";
    const char *end = text + bytes, *at = memmem(text, bytes, key, sizeof key - 1);
    if (!at || at == text || !strchr(",{ \n", at[-1])) return false; /* the quote may be a part of a text */
    at += sizeof key - 1;
    while (at < end && *at == ' ') at++;
    const char *behind = at < end && *at == '[' ? behind_list(at, end) : NULL;
    *out = (pieces){ { text, behind ? behind - 1 : NULL }, { at + 1, end }, 0 };
    return behind && behind - at > LARGE;
}

static size_t next_piece(void *buffer, size_t room, void *data)
{
    pieces *p = data;
    if (p->now == 0 && p->at[0] == p->end[0]) p->now = 1;
    const size_t left = (size_t)(p->end[p->now] - p->at[p->now]), count = left < room ? left : room;
    memcpy(buffer, p->at[p->now], count);
    p->at[p->now] += count;
    return count;
}

/* Steps one by one are most of a large file, for other readers: who finds a plan does not look at them. NULL:
 * there is none, or something is wrong, which is then said of the whole text. */
static json_t *parse_without_steps(const char *text, size_t bytes)
{
    json_error_t error;
    pieces p;
    json_t *root = without_steps(text, bytes, &p) ? json_load_callback(next_piece, &p, 0, &error) : NULL;
    json_t *execution = json_object_get(root, "execution");
    json_t *simulation = json_object_get(execution ? execution : root, "simulation");
    if (json_is_array(json_object_get(simulation, "plan"))) return root;
    json_decref(root);
    return NULL;
}

static json_t *parse(const char *file, const char *text, size_t bytes)
{
    json_error_t error;
    json_t *root = parse_without_steps(text, bytes);
    if (!root) root = json_loadb(text, bytes, 0, &error);
    if (!root) tw__fail(TW_E_PARSE, "%s:%d:%d: %s", file, error.line, error.column, error.text);
    return root;
}

static tw_status read_root(tw_profile *p, const char *file, json_t *root, bool graph)
{
    tw__reader r = { .p = p, .file = file };
    if (!json_is_object(root)) tw__bad(&r, "an object expected");
    check_schema(&r, root, graph ? "graph" : "execution");
    tw__read_target(&r, root);
    if (!r.status && !p->target.tiles) tw__bad(&r, "there is no target: the number of tiles is not known");
    tw__read_vertex_types(&r, root);
    if (graph)
        tw__read_graph(&r, root);
    else
        tw__read_execution(&r, root);
    if (!r.status && tw__profile_status(p)) return tw__fail(p->status, "%s: %s", file, tw_error_message());
    return r.status;
}

static tw_status read_part(tw_profile *p, const char *file, const char *text, size_t bytes, bool graph)
{
    json_t *root = parse(file, text, bytes);
    tw_status status = root ? read_root(p, file, root, graph) : TW_E_PARSE;
    json_decref(root);
    return status;
}

static tw_profile *empty_profile(void)
{
    tw_profile *p = tw__profile_new(&(tw__profile_target){ .replicas = 1 });
    if (p)
        p->has_graph = false;
    else
        tw__fail(TW_E_NO_MEMORY, "out of memory for a profile");
    return p;
}

static tw_status load(tw_profile **out, const char *graph_name, const char *graph, size_t graph_bytes,
                      const char *execution_name, const char *execution, size_t execution_bytes)
{
    *out = NULL;
    if (!graph && !execution)
        return tw__fail(TW_E_INVALID_ARGUMENT, "neither a graph nor an execution profile is given");
    tw_profile *p = empty_profile();
    if (!p) return TW_E_NO_MEMORY;
    tw_status status = graph ? read_part(p, graph_name, graph, graph_bytes, true) : TW_OK;
    if (!status && execution) status = read_part(p, execution_name, execution, execution_bytes, false);
    if (status) return tw_profile_free(p), status;
    *out = p;
    return TW_OK;
}

tw_profile *tw_profile_load(const char *graph_json, size_t graph_bytes, const char *execution_json,
                            size_t execution_bytes)
{
    tw_profile *profile;
    tw_status status = load(&profile, "graph profile", graph_json, graph_bytes, "execution profile", execution_json,
                            execution_bytes);
    return tw__made(status, profile);
}

enum { FILE_LIMIT = 512 << 20 }; /* bytes */

tw_profile *tw_profile_load_files(const char *graph_path, const char *execution_path)
{
    size_t graph_bytes = 0, execution_bytes = 0;
    char *graph = NULL, *execution = NULL;
    tw_profile *profile = NULL;
    tw_status status = TW_OK;
    if (graph_path) status = tw_status_of(graph = tw_read_file(graph_path, FILE_LIMIT, &graph_bytes));
    if (!status && execution_path)
        status = tw_status_of(execution = tw_read_file(execution_path, FILE_LIMIT, &execution_bytes));
    if (!status)
        status = load(&profile, graph_path, graph, graph_bytes, execution_path, execution, execution_bytes);
    free(graph);
    free(execution);
    return tw__made(status, profile);
}

/* One part by itself, or both as members "graph" and "execution": then "part" is "both". */
static tw_status read_either(tw_profile *p, const char *path, json_t *root)
{
    tw__reader r = { .p = p, .file = path };
    const char *part = json_string_value(json_object_get(json_object_get(root, "tilewright"), "part"));
    bool run = json_object_get(root, "programTrace") || json_object_get(root, "simulation");
    if (!part || strcmp(part, "both") != 0)
        return read_root(p, path, root, part ? strcmp(part, "graph") == 0 : !run);
    check_schema(&r, root, "both");
    json_t *graph = tw__object(&r, root, "graph"), *execution = tw__object(&r, root, "execution");
    if (r.status) return r.status;
    if (!graph && !execution) return tw__bad(&r, "neither \"graph\" nor \"execution\"");
    tw_status status = graph ? read_root(p, path, graph, true) : TW_OK;
    return !status && execution ? read_root(p, path, execution, false) : status;
}

tw_profile *tw_profile_load_file(const char *path)
{
    size_t bytes = 0;
    char *text = tw_read_file(path, FILE_LIMIT, &bytes);
    if (!text) return NULL;
    json_t *root = parse(path, text, bytes);
    free(text);
    tw_profile *p = root ? empty_profile() : NULL;
    tw_status status = !root ? TW_E_PARSE : !p ? TW_E_NO_MEMORY : read_either(p, path, root);
    json_decref(root);
    if (status) tw_profile_free(p);
    return tw__made(status, p);
}
