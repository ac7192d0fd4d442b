/* SPDX-License-Identifier: MIT */
/* Filling .gp archives: compiled sources, and units of other archives. */
#include "poplar/codelet/compile/compile.h"

#include <pthread.h>
#include <string.h>

const char *tw__gp_new_member(tw__gp *gp, const char *extension, const char *data, size_t size)
{
    char *name = g_strdup_printf("%u.%s", gp->counter++, extension), *copy = g_malloc(size + 1);
    while (tw__gp_member_get(gp, name)) {
        g_free(name);
        name = g_strdup_printf("%u.%s", gp->counter++, extension);
    }
    memcpy(copy, data, size);
    copy[size] = 0;
    tw__gp_member_add(gp, name, copy, size);
    return name;
}

/* --- compiling --------------------------------------------------------------------------------------------- */

/* Adds table and object under `name`. */
static tw_status add_built(tw__gp *gp, json_t *unit, const tw__built *built, const char *name)
{
    const char *member = tw__gp_new_member(gp, "json", built->table, strlen(built->table));
    json_object_set_new(json_object_get(unit, "tables"), name, json_string(member));
    char *object;
    size_t size;
    if (!built->object) return TW_OK;
    if (!tw__cache_read(built->object, &object, &size)) return tw__cache_lost(built->object);
    member = tw__gp_new_member(gp, "o", object, size);
    json_object_set_new(json_object_get(unit, "objects"), name, json_string(member));
    g_free(object);
    return TW_OK;
}

static tw_status compile_target(tw__gp *gp, json_t *unit, const tw__source *source, tw__build_target target,
                                const char *name, tw_diags *diags, char ***headers)
{
    tw__built built;
    tw_status status = tw__build(source, target, TW__BUILD_PORTABLE, &built, diags);
    if (status != TW_OK) return status;
    status = add_built(gp, unit, &built, name);
    if (built.object && !*headers) *headers = g_strdupv(built.headers);
    tw__built_clear(&built);
    return status;
}

static void copy_diags(tw_diags *to, const tw_diags *from)
{
    for (size_t i = 0; to && i < tw_diags_count(from, TW_NOTE); i++) tw_diags_add(to, tw_diags_get(from, i));
}

/* The first error of `from` as a warning: for a part of an archive that is left out. */
static void warn_left_out(tw_diags *diags, const tw_diags *from, const char *path, const char *reason,
                          const char *code, const char *what)
{
    size_t at = 0, count = tw_diags_count(from, TW_NOTE);
    while (at < count && tw_diags_get(from, at)->severity != TW_ERROR) at++;
    tw_diag diag = at < count ? *tw_diags_get(from, at) : (tw_diag){ .file = path, .length = 1, .message = reason };
    g_autofree char *text = g_strdup_printf("%s (%s)", what, diag.message);
    diag.severity = TW_WARNING, diag.code = code, diag.message = text;
    if (diags) tw_diags_add(diags, &diag);
}

/* Both forms of half on the host. Code that works on the bits of a half may not compile where it is a float (guide
 * 2.3.2 asks for code that does): it is left out there, with a warning, as long as the 16-bit form compiles. */
static tw_status compile_host(tw__gp *gp, json_t *unit, const tw__source *source, const char *suffix,
                              tw_diags *diags, char ***headers)
{
    g_autofree char *plain = g_strconcat("cpu-float", suffix, NULL);
    g_autofree char *accurate = g_strconcat("cpu-f16", suffix, NULL);
    tw_diags *first = tw_diags_new();
    tw_status status = compile_target(gp, unit, source, TW__BUILD_FLOAT, plain, first, headers);
    if (status != TW_E_COMPILATION || !first) {
        copy_diags(diags, first);
        if (status == TW_OK) status = compile_target(gp, unit, source, TW__BUILD_F16, accurate, NULL, headers);
        tw_diags_free(first);
        return status;
    }
    g_autofree char *reason = g_strdup(tw_error_message());
    if (compile_target(gp, unit, source, TW__BUILD_F16, accurate, NULL, headers) == TW_OK) {
        warn_left_out(diags, first, source->path, reason, "popc.half-form",
                      "compiles with a half of 16 bits only; devices whose half is a float lack it");
        status = TW_OK;
    } else {
        copy_diags(diags, first);
        status = tw__fail(TW_E_COMPILATION, "%s", reason);
    }
    tw_diags_free(first);
    return status;
}

/* A source for one target. Chips are worked on at the same time. */
typedef struct variant {
    const tw__gp_target *target;
    GPtrArray *flags; /* the source's and the target's, borrowed */
    tw__source source;
    tw__build_target build; /* of a chip */
    tw__built built;
    tw_diags *diags;
    tw_status status;
    char *message;
    pthread_t thread;
    bool is_chip, runs;
} variant;

/* Table and code of a chip. Where no code can be made, which simulated tiles need and models do not, a warning says
 * so and the table is there alone. */
static void build_chip(variant *v)
{
    tw_diags *first = tw_diags_new();
    v->status = tw__build(&v->source, v->build, TW__BUILD_CODE, &v->built, first);
    if (v->status == TW_E_COMPILATION || v->status == TW_E_NO_ENVIRONMENT) {
        tw_diags *second = tw_diags_new();
        g_autofree char *reason = g_strdup(tw_error_message());
        g_autofree char *what =
            g_strdup_printf("there is no code for %s: vertices of this file cannot run on ipu-sim",
                            tw__build_target_name(v->build));
        v->status = tw__build(&v->source, v->build, 0, &v->built, second);
        if (v->status == TW_OK)
            warn_left_out(v->diags, first, v->source.path, reason, "popc.chip", what);
        else
            copy_diags(v->diags, second);
        tw_diags_free(second);
    } else {
        copy_diags(v->diags, first);
    }
    tw_diags_free(first);
    if (v->status != TW_OK) v->message = g_strdup(tw_error_message());
}

static void *run_variant(void *data)
{
    build_chip(data);
    return NULL;
}

static tw_status variant_start(variant *v, const tw__source *source, const tw__gp_target *target)
{
    tw__arch arch;
    v->target = target;
    v->flags = g_ptr_array_new();
    v->diags = tw_diags_new();
    for (const char *const *flag = source->flags; flag && *flag; flag++) g_ptr_array_add(v->flags, (char *)*flag);
    for (char **flag = target->flags; flag && *flag; flag++) g_ptr_array_add(v->flags, *flag);
    g_ptr_array_add(v->flags, NULL);
    v->source = *source;
    v->source.flags = (const char *const *)v->flags->pdata;
    v->is_chip = tw__arch_by_name(target->arch, &arch);
    if (!v->is_chip && strcmp(target->arch, "cpu") != 0)
        return tw__fail(TW_E_INVALID_ARGUMENT, "unknown target '%s': expected cpu, ipu1, ipu2 or ipu21",
                        target->arch);
    v->build = (tw__build_target)(TW__BUILD_IPU1 + (int)(v->is_chip ? arch : 0));
    v->runs = v->is_chip && pthread_create(&v->thread, NULL, run_variant, v) == 0;
    return TW_OK;
}

/* What it came to, into the unit; with `wanted` false only waits. */
static tw_status variant_end(variant *v, bool wanted, tw__gp *gp, json_t *unit, tw_diags *diags, char ***headers)
{
    tw_status status = TW_OK;
    if (v->runs) pthread_join(v->thread, NULL);
    if (wanted && v->is_chip) {
        if (!v->runs) build_chip(v); /* no thread was to be had */
        copy_diags(diags, v->diags);
        status = v->status == TW_OK ? add_built(gp, unit, &v->built, v->target->name)
                                    : tw__fail(v->status, "%s", v->message);
    } else if (wanted) {
        const char *suffix = strcmp(v->target->name, "cpu") == 0 ? NULL : strchr(v->target->name, ':');
        status = compile_host(gp, unit, &v->source, suffix ? suffix : "", diags, headers);
    }
    tw__built_clear(&v->built);
    tw_diags_free(v->diags);
    if (v->flags) g_ptr_array_free(v->flags, TRUE);
    g_free(v->message);
    return status;
}

static tw_status compile_variants(tw__gp *gp, json_t *unit, const tw__source *source, const tw__gp_target *targets,
                                  size_t count, tw_diags *diags, char ***headers)
{
    variant *variants = g_new0(variant, count + 1);
    tw_status status = TW_OK;
    for (size_t i = 0; i < count && status == TW_OK; i++) status = variant_start(&variants[i], source, &targets[i]);
    g_autofree char *problem = status == TW_OK ? NULL : g_strdup(tw_error_message());
    for (size_t i = 0; i < count; i++) {
        tw_status one = variant_end(&variants[i], status == TW_OK, gp, unit, diags, headers);
        if (status == TW_OK && one != TW_OK) status = one, problem = g_strdup(tw_error_message());
    }
    g_free(variants);
    return status == TW_OK ? TW_OK : tw__fail(status, "%s", problem);
}

static void keep_headers(tw__gp *gp, json_t *unit, char **headers)
{
    for (char **header = headers; header && *header; header++) {
        char *text;
        size_t size;
        bool foreign = g_str_has_prefix(*header, "/usr/") || g_str_has_prefix(*header, tw__include_dir());
        if (foreign || !g_file_get_contents(*header, &text, &size, NULL)) continue;
        json_array_append_new(json_object_get(unit, "headers"), json_pack("{s:s, s:s}", "path", *header, "member",
                                                                          tw__gp_new_member(gp, "h", text, size)));
        g_free(text);
    }
}

tw_status tw__gp_compile(tw__gp *gp, const tw__source *source, const tw__gp_target *targets, size_t count,
                         tw_diags *diags)
{
    json_t *unit = json_pack("{s:s, s:s, s:[], s:[], s:{}, s:{}}", "source", source->path, "language",
                             source->is_c ? "c" : "c++", "flags", "headers", "tables", "objects");
    if (!unit) return tw__fail(TW_E_INVALID_ARGUMENT, "the name of the source is not UTF-8");
    for (const char *const *flag = source->flags; flag && *flag; flag++)
        json_array_append_new(json_object_get(unit, "flags"), json_string(*flag));
    json_object_set_new(unit, "text",
                        json_string(tw__gp_new_member(gp, "src", source->text, strlen(source->text))));
    char **headers = NULL;
    tw_status status = compile_variants(gp, unit, source, targets, count, diags, &headers);
    if (status == TW_OK) {
        keep_headers(gp, unit, headers);
        json_array_append_new(tw__gp_units(gp), unit);
    } else {
        json_decref(unit);
    }
    g_strfreev(headers);
    return status;
}

/* --- merging ----------------------------------------------------------------------------------------------- */

typedef void (*on_vertex)(void *user, const char *target, const char *vertex, const char *source);

static void each_vertex(const tw__gp *gp, on_vertex call, void *user)
{
    size_t i, k;
    json_t *unit, *vertex, *value;
    const char *target;
    json_array_foreach(tw__gp_units(gp), i, unit)
    {
        json_object_foreach(json_object_get(unit, "tables"), target, value)
        {
            const char *file = json_string_value(json_object_get(unit, "source"));
            g_auto(GStrv) names = tw__gp_names(gp, unit, target);
            for (char **name = names; name && *name; name++) call(user, target, *name, file);
            if (names) continue;
            json_t *table = tw__gp_table(gp, unit, target);
            json_array_foreach(json_object_get(table, "vertices"), k, vertex)
            {
                const char *name = json_string_value(json_object_get(vertex, "name"));
                g_autofree char *canonical = tw__vertex_canonical_name(name ? name : "");
                if (name) call(user, target, canonical, file);
            }
            json_decref(table);
        }
    }
}

typedef struct merge_check {
    GHashTable *known; /* "target vertex" -> source */
    GString *clash;
} merge_check;

static void fill_remember(void *user, const char *target, const char *vertex, const char *source)
{
    merge_check *check = user;
    g_hash_table_insert(check->known, g_strconcat(target, " ", vertex, NULL), g_strdup(source));
}

static void fill_compare(void *user, const char *target, const char *vertex, const char *source)
{
    merge_check *check = user;
    g_autofree char *key = g_strconcat(target, " ", vertex, NULL);
    const char *other = g_hash_table_lookup(check->known, key);
    if (other && check->clash->len == 0)
        g_string_printf(check->clash, "vertex '%s' is defined twice for %s: in '%s' and in '%s'", vertex, target,
                        other, source);
}

static void copy_named(tw__gp *into, const tw__gp *from, json_t *holder, const char *key)
{
    const tw__gp_member *member = tw__gp_member_get(from, json_string_value(json_object_get(holder, key)));
    if (!member) return;
    const char *dot = strrchr(member->name, '.');
    json_object_set_new(holder, key,
                        json_string(tw__gp_new_member(into, dot ? dot + 1 : "bin", member->data, member->size)));
}

tw_status tw__gp_merge(tw__gp *into, const tw__gp *from, const char *from_name)
{
    merge_check check = { g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free), g_string_new(NULL) };
    each_vertex(into, fill_remember, &check);
    each_vertex(from, fill_compare, &check);
    tw_status status = TW_OK;
    if (check.clash->len) status = tw__fail(TW_E_OBJECT_CREATION, "%s: %s", from_name, check.clash->str);
    g_hash_table_destroy(check.known);
    g_string_free(check.clash, TRUE);
    if (status != TW_OK) return status;
    static const char *const maps[] = { "tables", "objects", "names" };
    size_t index, k;
    json_t *unit, *value, *header;
    const char *key;
    json_array_foreach(tw__gp_units(from), index, unit)
    {
        json_t *copy = json_deep_copy(unit);
        copy_named(into, from, copy, "text");
        for (size_t i = 0; i < G_N_ELEMENTS(maps); i++)
            json_object_foreach(json_object_get(unit, maps[i]), key, value)
                copy_named(into, from, json_object_get(copy, maps[i]), key);
        json_array_foreach(json_object_get(copy, "headers"), k, header) copy_named(into, from, header, "member");
        json_array_append_new(tw__gp_units(into), copy);
    }
    return TW_OK;
}
