/* SPDX-License-Identifier: MIT */
/* Values of variables and of tensors with host access, by name, for debuggers. */
#include <tilewright/poplar/debugger.h>

#include "poplar/engine/engine.h"
#include "core/base/text_file.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ELEMENTS = 1 << 24 }; /* of a tensor that is looked at */

typedef struct shown {
    const char *name;
    tw_type type;
    uint32_t rank;
    const size_t *shape;
    uint64_t count;
    const tw__regions *regions; /* NULL: all of `var` */
    uint32_t var;
} shown;

/* What is asked for of each dimension: `only` drops it. */
typedef struct slice {
    uint64_t from, to;
    bool only;
} slice;

/* --- slices ---------------------------------------------------------------------------------------------------- */

static const char *past_blanks(const char *at)
{
    while (isspace((unsigned char)*at)) at++;
    return at;
}

/* "3", "1..4", "1:4", "..", "2.."; NULL: none of these. */
static const char *read_slice(const char *at, uint64_t size, slice *s)
{
    char *end;
    bool first = isdigit((unsigned char)*(at = past_blanks(at)));
    *s = (slice){ first ? g_ascii_strtoull(at, &end, 10) : 0, size, false };
    at = past_blanks(first ? end : at);
    size_t sign = strncmp(at, "..", 2) == 0 ? 2 : *at == ':';
    if (!sign) {
        s->to = s->from + 1, s->only = true;
        return first && s->from < UINT64_MAX ? at : NULL;
    }
    at = past_blanks(at + sign);
    if (!isdigit((unsigned char)*at)) return at;
    s->to = g_ascii_strtoull(at, &end, 10);
    return past_blanks(end);
}

/* "[1, 0..4]" and "[1][0..4]" behind a name. */
static tw_status read_slices(const char *at, const shown *t, slice *slices)
{
    uint32_t n = 0;
    for (uint32_t d = 0; d < t->rank; d++) slices[d] = (slice){ 0, t->shape[d], false };
    for (at = past_blanks(at); *at == '['; at = past_blanks(at + 1)) {
        do {
            if (n == t->rank) return tw__fail(TW_E_INDEX, "'%s' has %u dimensions", t->name, t->rank);
            at = read_slice(at + 1, t->shape[n], &slices[n]);
            if (!at) break;
            if (slices[n].from > slices[n].to || slices[n].to > t->shape[n])
                return tw__fail(TW_E_INDEX, "dimension %u of '%s' has %zu elements", n, t->name, t->shape[n]);
            n++;
        } while (*at == ',');
        if (!at || *at != ']') return tw__fail(TW_E_INVALID_ARGUMENT, "'[' wants 3, 1..4 or .. for each dimension");
    }
    return *at ? tw__fail(TW_E_INVALID_ARGUMENT, "'%s' behind a name", at) : TW_OK;
}

/* --- elements -------------------------------------------------------------------------------------------------- */

static void fetch_run(const tw_engine *engine, const tw__elems *run, size_t size, char *to)
{
    const tw__storage *storage = &engine->plan.storage;
    for (uint64_t i = 0; i < run->count; i++) {
        uint64_t element = run->offset + (uint64_t)(run->stride * (int64_t)i);
        memcpy(to + i * size, storage->base + tw__storage_at(storage, run->var, element), size);
    }
}

/* All of it in host format; free(). */
static char *fetch_tensor(const tw_engine *engine, const shown *t)
{
    size_t device = tw__device_size(engine, t->type), host = tw__host_size(t->type);
    char *values = tw__realloc(NULL, (size_t)t->count * (device + host) + 1), *to = values;
    tw__elems run = { t->var, 0, 1, t->count };
    tw__region_walk walk = { 0 };
    if (!values) return tw__fail(TW_E_NO_MEMORY, "no memory for '%s'", t->name), NULL;
    if (!t->regions) fetch_run(engine, &run, device, to);
    if (t->regions) walk = tw__region_walk_begin(t->regions, 0, t->regions->count);
    while (t->regions && tw__region_walk_next(&walk, &run)) {
        fetch_run(engine, &run, device, to);
        to += run.count * device;
    }
    char *converted = tw__realloc(NULL, (size_t)t->count * host + 1);
    if (converted)
        tw__device_to_host(engine, t->type, converted, values, t->count);
    else
        tw__fail(TW_E_NO_MEMORY, "no memory for '%s'", t->name);
    free(values);
    return converted;
}

/* Copies the slice of dimension `d` and those within to *to, which moves on. */
static void cut_slice(const shown *t, const slice *slices, uint32_t d, const char *from, size_t size, char **to)
{
    if (d == t->rank) {
        memcpy(*to, from, size), *to += size;
        return;
    }
    size_t step = size;
    for (uint32_t k = d + 1; k < t->rank; k++) step *= t->shape[k];
    for (uint64_t i = slices[d].from; i < slices[d].to; i++) cut_slice(t, slices, d + 1, from + i * step, size, to);
}

static tw_status put_values(tw_engine *engine, const shown *t, const char *rest, FILE *out)
{
    if (t->count > MOST_ELEMENTS)
        return tw__fail(TW_E_INVALID_ARGUMENT, "'%s' has more elements than are looked at", t->name);
    g_autofree slice *slices = g_new0(slice, t->rank + 1);
    g_autofree size_t *shape = g_new0(size_t, t->rank + 1);
    tw_status status = read_slices(rest, t, slices);
    char *all = status ? NULL : fetch_tensor(engine, t), *some = NULL, *to;
    if (!status && !all) status = tw_error_status();
    size_t size = tw__host_size(t->type);
    if (!status && !(to = some = tw__realloc(NULL, (size_t)t->count * size + 1)))
        status = tw__fail(TW_E_NO_MEMORY, "no memory for '%s'", t->name);
    if (!status) {
        uint32_t rank = 0;
        cut_slice(t, slices, 0, all, size, &to);
        fprintf(out, "%s%s = %s", t->name, rest, tw_type_name(t->type, TW_SYSTEM_POPLAR));
        for (uint32_t d = 0; d < t->rank; d++)
            if (!slices[d].only) shape[rank++] = (size_t)(slices[d].to - slices[d].from);
        for (uint32_t d = 0; d < rank; d++) fprintf(out, "%s%zu", d ? ", " : "[", shape[d]);
        fputs(rank ? "] " : " ", out);
        tw__print_values(out, "", t->type, rank, shape, some, NULL);
    }
    free(all), free(some);
    return status;
}

/* --- names ----------------------------------------------------------------------------------------------------- */

static tw_status put_named(tw_engine *engine, const char *name, const char *rest, FILE *out, bool *found)
{
    const tw__core *core = engine->core;
    tw_status status = TW_OK;
    for (uint32_t i = 0; i < core->var_count && !status; i++) {
        const tw__variable *v = &core->vars[i];
        if (strcmp(v->name, name) != 0) continue;
        shown t = { name, v->type, v->rank, v->shape, v->count, NULL, i };
        *found = true;
        status = put_values(engine, &t, rest, out);
    }
    for (size_t i = 0; i < core->access_count && !*found; i++) {
        const tw__host_access *a = &core->accesses[i];
        if (g_strcmp0(a->handle, name) != 0) continue;
        shown t = {
            name, a->tensor.type, a->tensor.rank, a->tensor.shape, a->tensor.regions->count, a->tensor.regions, 0
        };
        *found = true;
        status = put_values(engine, &t, rest, out);
    }
    return status;
}

static tw_status nothing_named(const tw_engine *engine, const char *name)
{
    const char *names[64];
    size_t count = 0;
    for (size_t i = 0; i < engine->core->var_count && count < 64; i++)
        if (*engine->core->vars[i].name) names[count++] = engine->core->vars[i].name;
    char hint[TW__HINT_BYTES];
    const char *near = count ? tw__nearest(name, names, count) : NULL;
    return tw__fail(TW_E_SYMBOL, "no tensor is called '%s'%s", name, tw__did_you_mean(hint, near));
}

char *tw_engine_value_text(tw_engine *engine, const char *text)
{
    if (tw__engine_usable(engine)) return NULL;
    if (!text || !engine->loaded)
        return tw__made(text ? tw__fail(TW_E_NOT_LOADED, "the engine is not loaded")
                             : tw__fail(TW_E_INVALID_ARGUMENT, "the name is NULL"),
                        NULL);
    const char *bracket = strchr(text, '[');
    g_autofree char *name = g_strstrip(bracket ? g_strndup(text, (gsize)(bracket - text)) : g_strdup(text));
    tw__text_file file;
    bool found = false;
    FILE *out = tw__text_open(&file);
    if (!out) return tw__made(tw__fail(TW_E_NO_MEMORY, "out of memory"), NULL);
    tw_status status = put_named(engine, name, bracket ? bracket : "", out, &found);
    if (!status && !found) status = nothing_named(engine, name);
    char *printed = tw__text_close(&file, NULL);
    if (!printed && !status) status = tw__fail(TW_E_NO_MEMORY, "out of memory");
    if (status) free(printed), printed = NULL;
    return tw__made(status, printed);
}
