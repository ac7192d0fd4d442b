/* SPDX-License-Identifier: MIT */
/* Reading profile files: the walk over members with a path for messages, and what both files have in common. */
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

/* The member, or NULL when absent or null; `expected` and `fits` describe its type. */
static json_t *member(tw__reader *r, json_t *from, const char *key, int type, const char *expected)
{
    json_t *value = json_object_get(from, key);
    if (r->status || !value || json_is_null(value)) return NULL;
    bool fits = type == JSON_REAL ? json_is_number(value) : (int)json_typeof(value) == type;
    if (fits) return value;
    size_t mark = tw__reader_enter(r, key);
    tw__bad(r, "%s expected", expected);
    tw__reader_leave(r, mark);
    return NULL;
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
    if (!value) return otherwise;
    double number = json_number_value(value);
    if (number >= 0) return number;
    size_t mark = tw__reader_enter(r, key);
    tw__bad(r, "a number that is not negative expected");
    tw__reader_leave(r, mark);
    return otherwise;
}

uint64_t tw__value(tw__reader *r, json_t *number)
{
    if (json_is_integer(number) && json_integer_value(number) >= 0) return (uint64_t)json_integer_value(number);
    double value = json_is_real(number) ? json_real_value(number) : -1;
    if (value >= 0 && value < 9e18) return (uint64_t)(value + 0.5);
    tw__bad(r, "a number that is not negative expected");
    return 0;
}

/* Says at element i of `key` that something else is expected there. */
static void bad_element(tw__reader *r, const char *key, size_t i, const char *expected)
{
    size_t mark = r->path_length;
    if (key) tw__reader_enter(r, key);
    tw__reader_enter_index(r, i);
    tw__bad(r, "%s expected", expected);
    tw__reader_leave(r, mark);
}

uint64_t tw__value_at(tw__reader *r, json_t *array, const char *key, size_t i)
{
    json_t *number = json_array_get(array, i);
    bool whole = json_is_integer(number) && json_integer_value(number) >= 0;
    if (whole || (json_is_real(number) && json_real_value(number) >= 0 && json_real_value(number) < 9e18))
        return tw__value(r, number);
    bad_element(r, key, i, "a number that is not negative");
    return 0;
}

const char *tw__text_at(tw__reader *r, json_t *array, const char *key, size_t i)
{
    const char *text = json_string_value(json_array_get(array, i));
    if (!text) bad_element(r, key, i, "a text");
    return text ? text : "";
}

json_t *tw__object_at(tw__reader *r, json_t *array, const char *key, size_t i)
{
    json_t *object = json_array_get(array, i);
    if (json_is_object(object)) return object;
    bad_element(r, key, i, "an object");
    return NULL;
}

uint64_t tw__count(tw__reader *r, json_t *from, const char *key, uint64_t otherwise)
{
    json_t *value = member(r, from, key, JSON_REAL, "a number");
    if (!value) return otherwise;
    size_t mark = tw__reader_enter(r, key);
    uint64_t count = tw__value(r, value);
    tw__reader_leave(r, mark);
    return count;
}

int64_t tw__signed(tw__reader *r, json_t *from, const char *key)
{
    json_t *value = member(r, from, key, JSON_INTEGER, "a whole number");
    return value ? (int64_t)json_integer_value(value) : 0;
}

uint32_t tw__id(tw__reader *r, json_t *from, const char *key)
{
    uint64_t id = tw__count(r, from, key, TW__NONE);
    return id < TW__NONE ? (uint32_t)id : TW__NONE;
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
        for (size_t t = 0; !r->status && t < json_array_size(array); t++) {
            json_t *number = json_array_get(array, t);
            bool plain = json_is_integer(number) && json_integer_value(number) >= 0;
            size_t mark = plain ? 0 : tw__reader_enter_index(r, t); /* the path costs more than the value */
            tw__profile_row_add(r->p, 1, plain ? (uint64_t)json_integer_value(number) : tw__value(r, number));
            if (!plain) tw__reader_leave(r, mark);
        }
    }
    return r->status ? 0 : tw__profile_row_end(r->p);
}

tw__row tw__tiles(tw__reader *r, json_t *from, const char *key)
{
    json_t *array = json_object_get(from, key);
    if (!array) return 0;
    size_t mark = tw__reader_enter(r, key);
    tw__row row = tw__tiles_value(r, array);
    tw__reader_leave(r, mark);
    return row;
}

tw_fidelity tw__fidelity(tw__reader *r, json_t *from, const char *key)
{
    const char *name = tw__text(r, from, key, "exact");
    for (int f = TW_FIDELITY_EXACT; f <= TW_FIDELITY_ABSENT; f++)
        if (!strcmp(name, tw_fidelity_name((tw_fidelity)f))) return (tw_fidelity)f;
    size_t mark = tw__reader_enter(r, key);
    tw__bad(r, "'%s' is none of exact, modelled, estimated, absent", name);
    tw__reader_leave(r, mark);
    return TW_FIDELITY_EXACT;
}

/* --- what both files have ------------------------------------------------------------------------------------- */

void tw__read_target(tw__reader *r, json_t *root)
{
    json_t *target = tw__object(r, root, "target");
    if (!target || r->p->target.tiles) return; /* the execution file repeats the target of the graph file */
    size_t mark = tw__reader_enter(r, "target");
    uint64_t ipus = tw__count(r, target, "numIPUs", 1);
    uint64_t tiles = tw__count(r, target, "numTiles", 0), each = tw__count(r, target, "tilesPerIPU", 0);
    if (!each) each = ipus ? tiles / ipus : 0;
    if (!tiles && ipus <= TW__MAX_TILES && each <= TW__MAX_TILES) tiles = ipus * each;
    uint64_t replicas = tw__count(r, target, "numReplicas", 1);
    if (!ipus || !tiles || tiles > TW__MAX_TILES || each > tiles || ipus * each != tiles)
        tw__bad(r, "%llu IPUs of %llu tiles do not make %llu tiles", (unsigned long long)ipus,
                (unsigned long long)each, (unsigned long long)tiles);
    else if (!replicas || replicas > tiles) /* an IPU may hold several */
        tw__bad(r, "%llu replicas do not fit %llu tiles", (unsigned long long)replicas, (unsigned long long)tiles);
    if (!r->status) {
        r->p->target.ipus = (uint32_t)ipus;
        r->p->target.tiles_per_ipu = (uint32_t)each;
        r->p->target.tiles = (uint32_t)tiles;
        r->p->target.replicas = (uint32_t)replicas;
        r->p->target.type = tw__profile_name(r->p, tw__text(r, target, "type", ""));
        r->p->target.arch = tw__profile_name(r->p, tw__text(r, target, "architecture", ""));
        r->p->target.bytes_per_tile = tw__count(r, target, "bytesPerTile", 0);
        r->p->target.clock_hz = tw__number(r, target, "clockFrequency", 0);
        r->p->target.min_sync_delay = tw__id(r, target, "minSyncDelay");
        if (r->p->target.min_sync_delay == TW__NONE) r->p->target.min_sync_delay = 0;
        r->p->target.sync_delays = tw__tiles(r, target, "relativeSyncDelayByTile");
        r->p->target.threads = tw__id(r, target, "threadsPerTile");
        if (r->p->target.threads == TW__NONE) r->p->target.threads = 0;
        tw__read_floor(r, target);
    }
    tw__reader_leave(r, mark);
}

void tw__read_vertex_types(tw__reader *r, json_t *root)
{
    json_t *types = tw__object(r, root, "vertexTypes");
    if (!types || r->p->types.count) return;
    size_t mark = tw__reader_enter(r, "vertexTypes");
    json_t *names = tw__array(r, types, "names"), *sizes = tw__array(r, types, "sizes");
    for (size_t i = 0; !r->status && i < json_array_size(names); i++) {
        const char *name = tw__text_at(r, names, "names", i);
        uint64_t size = i < json_array_size(sizes) ? tw__value_at(r, sizes, "sizes", i) : 0;
        if (!r->status) tw__profile_add_vertex_type(r->p, name, size);
    }
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

static json_t *parse(const char *file, const char *text, size_t bytes)
{
    json_error_t error;
    json_t *root = json_loadb(text, bytes, 0, &error);
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
