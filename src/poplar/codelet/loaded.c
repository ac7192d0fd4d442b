/* SPDX-License-Identifier: MIT */
/* A set of loaded codelets: vertex types by name, and for each file or archive ("unit") its native code. */
#include "poplar/codelet/compile/compile.h"

#include <dlfcn.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What was added at once: a source, or an archive. */
typedef struct unit {
    char *identity; /* adding the same again does nothing */
    char *name;     /* in messages */
    char *shared;   /* shared object with the entries, NULL until linked */
    void *handle;
    /* sources */
    char *text;
    bool is_c;
    char **flags;
    /* archives */
    tw__gp *gp;
    bool is_assembly;
    json_t *tables[TW__ARCH_COUNT]; /* of chips, for sources */
    json_t *last_table;             /* of a chip, of an archive: item_table() */
    const json_t *last_item;
    tw__arch last_arch;
} unit;

struct tw__codelets {
    gint references;
    tw__half_variant variant;
    tw__arena *arena;
    GPtrArray *types;  /* tw__vertex_type * */
    GPtrArray *owners; /* unit * of each */
    GPtrArray *items;  /* json_t * of each: where an archive's manifest names the table that holds it; NULL */
    GPtrArray *units;
    GHashTable *by_name, *by_symbol;
    GHashTable *devices; /* "arch index" -> tw__device_vertex * */
    GArray *stacks;      /* tw__stack_note of assembly files */
    bool draws;          /* random numbers, in some loaded unit */
};

static void free_unit(gpointer data)
{
    unit *u = data;
    if (u->handle) dlclose(u->handle);
    for (int i = 0; i < TW__ARCH_COUNT; i++) json_decref(u->tables[i]);
    json_decref(u->last_table);
    tw__gp_free(u->gp);
    g_strfreev(u->flags);
    g_free(u->text);
    g_free(u->shared);
    g_free(u->name);
    g_free(u->identity);
    g_free(u);
}

tw__codelets *tw__codelets_new(tw__half_variant variant)
{
    tw__arena *arena = tw__arena_new(0);
    if (!arena) return tw__fail(TW_E_NO_MEMORY, "out of memory"), NULL;
    tw__codelets *set = g_new0(tw__codelets, 1);
    *set = (tw__codelets){ .references = 1,
                           .variant = variant,
                           .arena = arena,
                           .types = g_ptr_array_new(),
                           .owners = g_ptr_array_new(),
                           .items = g_ptr_array_new(),
                           .units = g_ptr_array_new_with_free_func(free_unit),
                           .by_name = g_hash_table_new(g_str_hash, g_str_equal),
                           .by_symbol = g_hash_table_new(g_str_hash, g_str_equal),
                           .devices = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
                           .stacks = tw__stack_notes_new() };
    return set;
}

tw__codelets *tw__codelets_ref(tw__codelets *set)
{
    if (set) g_atomic_int_inc(&set->references);
    return set;
}

void tw__codelets_free(tw__codelets *set)
{
    if (!set || !g_atomic_int_dec_and_test(&set->references)) return;
    g_array_free(set->stacks, TRUE);
    g_hash_table_destroy(set->devices);
    g_hash_table_destroy(set->by_symbol);
    g_hash_table_destroy(set->by_name);
    g_ptr_array_free(set->items, TRUE);
    g_ptr_array_free(set->owners, TRUE);
    g_ptr_array_free(set->types, TRUE);
    g_ptr_array_free(set->units, TRUE);
    tw__arena_free(set->arena);
    g_free(set);
}

tw__half_variant tw__codelets_variant(const tw__codelets *set)
{
    return set->variant;
}

bool tw__codelets_draw(const tw__codelets *set)
{
    return set->draws;
}

/* --- adding ------------------------------------------------------------------------------------------------ */

static bool has_unit(const tw__codelets *set, const char *identity)
{
    for (guint i = 0; i < set->units->len; i++)
        if (strcmp(((unit *)set->units->pdata[i])->identity, identity) == 0) return true;
    return false;
}

static char *identity_of(const char *kind, const char *name, char *const *flags, const char *data, size_t size)
{
    g_autofree char *joined = flags ? g_strjoinv("\n", (char **)flags) : g_strdup("");
    GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
    const char *parts[] = { kind, name, joined };
    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++)
        g_checksum_update(sum, (const guchar *)parts[i], (gssize)strlen(parts[i]) + 1);
    g_checksum_update(sum, (const guchar *)data, (gssize)size);
    char *identity = g_strdup(g_checksum_get_string(sum));
    g_checksum_free(sum);
    return identity;
}

/* Two vertices of one name, or of names that mangle alike (docs/decisions.md, M4), would share a symbol. */
static tw_status check_new(GHashTable *by_name, GHashTable *by_symbol, const tw__vertex_type *vt)
{
    const tw__vertex_type *other = g_hash_table_lookup(by_name, vt->name);
    if (other && strcmp(other->origin, vt->origin) == 0)
        return tw__fail(TW_E_OBJECT_CREATION,
                        "vertex '%s' is defined twice: '%s' was added before with other flags or contents",
                        vt->name, vt->origin);
    if (other)
        return tw__fail(TW_E_OBJECT_CREATION, "vertex '%s' is defined twice: in '%s' and in '%s'", vt->name,
                        other->origin, vt->origin);
    other = g_hash_table_lookup(by_symbol, vt->symbol);
    if (other)
        return tw__fail(TW_E_OBJECT_CREATION,
                        "vertices '%s' ('%s') and '%s' ('%s') have the same symbol %s: rename one", other->name,
                        other->origin, vt->name, vt->origin, vt->symbol);
    return TW_OK;
}

static void log_type(const tw__vertex_type *vt)
{
    TW__LOG(CODELETS, DEBUG, "vertex '%s': entry %s, %u fields, state of %zu bytes on the host", vt->name,
            vt->symbol, vt->num_fields, vt->host_size);
    for (unsigned f = 0; f < vt->num_fields; f++)
        TW__LOG(CODELETS, TRACE, "vertex '%s': field '%s' of type %s at %zu, %zu bytes", vt->name,
                vt->fields[f].name, tw_type_name(vt->fields[f].type, TW_SYSTEM_POPLAR), vt->fields[f].host_offset,
                vt->fields[f].host_size);
}

/* Takes `u` over when all of its vertices are new; else the set stays as it was. `items` of the types, or NULL. */
static tw_status adopt(tw__codelets *set, unit *u, GPtrArray *types, const GPtrArray *items)
{
    tw_status status = TW_OK;
    GHashTable *names = g_hash_table_new(g_str_hash, g_str_equal),
               *symbols = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint i = 0; i < types->len && status == TW_OK; i++) {
        tw__vertex_type *vt = types->pdata[i];
        status = check_new(set->by_name, set->by_symbol, vt);
        if (status == TW_OK) status = check_new(names, symbols, vt);
        g_hash_table_insert(names, (char *)vt->name, vt);
        g_hash_table_insert(symbols, (char *)vt->symbol, vt);
    }
    g_hash_table_destroy(names);
    g_hash_table_destroy(symbols);
    if (status != TW_OK) return status;
    g_ptr_array_add(set->units, u);
    for (guint i = 0; i < types->len; i++) {
        tw__vertex_type *vt = types->pdata[i];
        vt->index = set->types->len;
        g_ptr_array_add(set->types, vt);
        g_ptr_array_add(set->owners, u);
        g_ptr_array_add(set->items, items ? items->pdata[i] : NULL);
        g_hash_table_insert(set->by_name, (char *)vt->name, vt);
        g_hash_table_insert(set->by_symbol, (char *)vt->symbol, vt);
    }
    TW__LOG(CODELETS, INFO, "%s: %u vertex types", u->name, types->len);
    for (guint i = 0; tw__log_on(TW__LOG_CODELETS, TW__DEBUG) && i < types->len; i++) log_type(types->pdata[i]);
    return TW_OK;
}

static tw_status add_text(tw__codelets *set, const char *text, bool is_c, const char *name, char **flags,
                          tw_diags *diags)
{
    g_autofree char *identity = identity_of(is_c ? "c" : "c++", name, flags, text, strlen(text));
    if (has_unit(set, identity)) return TW_OK;
    tw__source source = { name, text, is_c, (const char *const *)flags };
    tw__built built;
    tw_status status = tw__build(&source, (tw__build_target)set->variant, TW__BUILD_SHARED, &built, diags);
    if (status != TW_OK) return status;
    GPtrArray *types = g_ptr_array_new();
    json_t *table = json_loads(built.table, 0, NULL);
    unit *u = g_new0(unit, 1);
    *u = (unit){ .identity = g_strdup(identity),
                 .name = g_strdup(name),
                 .shared = g_strdup(built.shared),
                 .text = g_strdup(text),
                 .is_c = is_c,
                 .flags = g_strdupv(flags) };
    status = tw__table_read(set->arena, table, set->variant, name, types);
    if (status == TW_OK) status = adopt(set, u, types, NULL);
    if (status != TW_OK) {
        if (diags && tw_diags_count(diags, TW_ERROR) == 0) {
            tw_diag diag = { .file = name,
                             .length = 1,
                             .severity = TW_ERROR,
                             .code = "popc.vertex",
                             .message = tw_error_message() };
            tw_diags_add(diags, &diag);
        }
        free_unit(u);
    }
    json_decref(table);
    g_ptr_array_free(types, TRUE);
    tw__built_clear(&built);
    return status;
}

/* An archive for chips alone runs all the same: its sources are in it, and compiled here for the host. */
static tw_status add_sources(tw__codelets *set, const tw__gp *gp, const char *path)
{
    tw_status status = TW_OK;
    size_t i;
    json_t *item;
    json_array_foreach(tw__gp_units(gp), i, item)
    {
        g_auto(GStrv) flags = NULL;
        bool is_c;
        g_autofree char *text = tw__gp_text(gp, item, &flags, &is_c);
        const char *source = json_string_value(json_object_get(item, "source"));
        if (!text || !source) continue;
        status = add_text(set, text, is_c, source, flags, NULL);
        if (status == TW_OK) continue;
        g_autofree char *reason = g_strdup(tw_error_message());
        return tw__fail(status, "%s holds no code for the host, and its source does not compile here: %s", path,
                        reason);
    }
    return status;
}

/* A vertex of which the name alone is known: tw__table_read_one() reads the rest. */
static tw__vertex_type *unread_type(tw__arena *arena, const char *name, const char *origin)
{
    tw__vertex_type *vt = TW__NEW(arena, tw__vertex_type);
    g_autofree char *symbol = tw__mangle(name);
    if (!vt) return NULL;
    *vt = (tw__vertex_type){ .name = tw__arena_strdup(arena, name),
                             .symbol = tw__arena_strdup(arena, symbol),
                             .origin = tw__arena_strdup(arena, origin) };
    return vt->name && vt->symbol && vt->origin ? vt : NULL;
}

/* The vertices of a unit, by the archive's index where it has one; *found: there is a table. */
static tw_status read_unit(tw__codelets *set, const unit *u, const json_t *item, GPtrArray *types, bool *found)
{
    const char *target = tw__build_target_name((tw__build_target)set->variant);
    if (!json_object_get(json_object_get(item, "tables"), target)) return TW_OK;
    *found = true;
    g_auto(GStrv) names = tw__gp_names(u->gp, item, target);
    for (char **name = names; name && *name; name++) {
        tw__vertex_type *vt = unread_type(set->arena, *name, u->name);
        if (!vt) return tw__fail(TW_E_NO_MEMORY, "out of memory");
        g_ptr_array_add(types, vt);
    }
    if (names) return TW_OK;
    json_t *table = tw__gp_table(u->gp, item, target);
    tw_status status = tw__table_read(set->arena, table, set->variant, u->name, types);
    json_decref(table);
    return status;
}

/* Takes over the archive; NULL: the error says why. */
static tw_status add_archive(tw__codelets *set, const char *path, const char *identity, tw__gp *gp)
{
    if (gp && has_unit(set, identity)) {
        tw__gp_free(gp);
        return TW_OK;
    }
    unit *u = g_new0(unit, 1);
    *u = (unit){ .identity = g_strdup(identity), .name = g_strdup(path), .gp = gp };
    tw_status status = TW_OK;
    if (!u->gp) {
        g_autofree char *reason = g_strdup(tw_error_message());
        status = tw__fail(TW_E_OBJECT_LOAD, "%s: %s", path, reason);
    }
    GPtrArray *types = g_ptr_array_new(), *items = g_ptr_array_new();
    size_t i;
    json_t *item;
    bool has_host = false, has_half = false, has_assembly = false;
    json_array_foreach(u->gp ? tw__gp_units(u->gp) : NULL, i, item)
    {
        if (status == TW_OK && tw__gp_is_assembly(item)) {
            has_assembly = true;
            status = tw__gp_stacks(u->gp, item, set->stacks);
            continue;
        }
        has_half |= json_object_get(json_object_get(item, "tables"), tw__build_target_name(TW__BUILD_F16)) != NULL;
        if (status == TW_OK) status = read_unit(set, u, item, types, &has_host);
        while (items->len < types->len) g_ptr_array_add(items, item);
    }
    if (status == TW_OK && !has_host && has_half)
        status = tw__fail(TW_E_OBJECT_LOAD,
                          "%s compiles with a half of 16 bits only: use a device that has one, the IPU Model "
                          "or the CPU with accurate half",
                          path);
    else if (status == TW_OK && !has_host)
        status = add_sources(set, u->gp, path);
    if (has_assembly && status == TW_E_COMPILATION) status = TW_OK; /* for the chip alone, then */
    if (status == TW_OK) status = adopt(set, u, types, items);
    if (status != TW_OK) free_unit(u);
    g_ptr_array_free(items, TRUE);
    g_ptr_array_free(types, TRUE);
    return status;
}

/* Takes over the data. */
static tw_status add_archive_data(tw__codelets *set, const char *path, char *data, size_t size)
{
    g_autofree char *identity = tw__identity_of_bytes(path, data, size);
    return add_archive(set, path, identity, tw__gp_take_file(path, data, size));
}

static tw_status add_open_archive(tw__codelets *set, const char *path, tw__gp *gp)
{
    const tw__gp_member *manifest = tw__gp_identity(gp); /* its digest stands for all members */
    g_autofree char *identity = tw__identity_of_bytes(path, manifest->data, manifest->size);
    return add_archive(set, path, identity, gp);
}

tw_status tw__codelets_add_source(tw__codelets *set, const char *text, tw__codelet_type type, const char *name,
                                  const char *flags, tw_diags *diags)
{
    if (type != TW__CODELET_C && type != TW__CODELET_CPP)
        return tw__fail(TW_E_INVALID_ARGUMENT, "a codelet source is C or C++");
    char **words;
    tw_status status = tw__split_flags(flags, &words);
    if (status == TW_OK)
        status = add_text(set, text, type == TW__CODELET_C, name ? name : "<codelets>", words, diags);
    g_strfreev(words);
    return status;
}

/* The host has no use for it, but it states the stacks of its functions. */
static tw_status add_assembly(tw__codelets *set, const char *path, const char *text, size_t size, char **flags,
                              tw_diags *diags)
{
    g_autofree char *identity = identity_of("assembly", path, flags, text, size);
    if (has_unit(set, identity)) return TW_OK;
    tw_status status = tw__stack_read_assembly(path, text, set->stacks, diags);
    if (status != TW_OK) return status;
    unit *u = g_new0(unit, 1);
    *u = (unit){
        .identity = g_strdup(identity), .name = g_strdup(path), .is_assembly = true, .flags = g_strdupv(flags)
    };
    g_ptr_array_add(set->units, u);
    g_hash_table_remove_all(set->devices); /* read again, with the new stack sizes */
    TW__LOG(CODELETS, INFO, "%s: assembly, of no use on the host", path);
    return TW_OK;
}

tw_status tw__codelets_add_file(tw__codelets *set, const char *path, tw__codelet_type type, const char *flags,
                                tw_diags *diags)
{
    char *data;
    size_t size;
    bool is_assembly;
    tw__codelet_type by_name = tw__codelet_type_of(path, &is_assembly);
    if (type == TW__CODELET_AUTO) type = by_name;
    tw__gp *gp = type == TW__CODELET_OBJECT ? tw__gp_open(path) : NULL;
    if (gp) return add_open_archive(set, path, gp);
    tw_status status = tw__read_file(path, &data, &size);
    if (status != TW_OK) return status;
    if (type == TW__CODELET_AUTO &&
        is_assembly) { /* code for the chip alone: the host runs the vertex's compute() */
        char **words;
        status = tw__split_flags(flags, &words);
        if (status == TW_OK) status = add_assembly(set, path, data, size, words, diags);
        g_strfreev(words);
    } else if (type == TW__CODELET_AUTO)
        status = tw__fail(TW_E_FILE_LOAD,
                          "%s: unknown kind of codelet file: expected .c, .cpp, .cc, .cxx, .S, .o or .gp", path);
    else if (type == TW__CODELET_OBJECT)
        return add_archive_data(set, path, data, size);
    else if (strlen(data) != size)
        status = tw__fail(TW_E_FILE_LOAD, "%s is not a text file", path);
    else
        status = tw__codelets_add_source(set, data, type, path, flags, diags);
    free(data);
    return status;
}

/* --- as archives (store.c) ------------------------------------------------------------------------------ */

tw_status tw__codelets_add_archive(tw__codelets *set, const char *name, const char *data, size_t size)
{
    char *copy = tw__realloc(NULL, size ? size : 1);
    if (!copy) return tw__fail(TW_E_NO_MEMORY, "out of memory");
    if (size) memcpy(copy, data, size);
    return add_archive_data(set, name, copy, size);
}

size_t tw__codelets_units(const tw__codelets *set)
{
    return set->units->len;
}

static tw__source source_of(const unit *u)
{
    return (tw__source){ u->name, u->text, u->is_c, (const char *const *)u->flags };
}

static tw_status fill_archive(const unit *u, const tw__gp_target *targets, size_t count, tw__gp *gp)
{
    tw__source source = source_of(u);
    if (!u->is_assembly) return tw__gp_compile(gp, &source, targets, count, NULL);
    char *text = NULL;
    tw_status status = tw__read_file(u->name, &text, NULL);
    source.text = text;
    if (status == TW_OK) status = tw__gp_assemble(gp, &source, targets, count, NULL);
    free(text);
    return status;
}

tw_status tw__codelets_unit(const tw__codelets *set, size_t index, const tw__gp_target *targets, size_t count,
                            GString **data, const char **name)
{
    const unit *u = set->units->pdata[index];
    tw__gp *made = u->gp ? NULL : tw__gp_new();
    tw_status status = u->gp ? TW_OK : fill_archive(u, targets, count, made);
    *name = u->name;
    *data = tw__gp_write(u->gp ? u->gp : made);
    tw__gp_free(made);
    return status;
}

/* --- looking up -------------------------------------------------------------------------------------------- */

static tw__vertex_type *loaded_named(const tw__codelets *set, const char *name)
{
    tw__vertex_type *vt = g_hash_table_lookup(set->by_name, name);
    if (vt) return vt;
    g_autofree char *canonical = tw__vertex_canonical_name(name);
    return g_hash_table_lookup(set->by_name, canonical);
}

/* Reads what is known by its name alone, and the others of its table, which are next to it. NULL with an error. */
static const tw__vertex_type *loaded_whole(const tw__codelets *set, tw__vertex_type *vt)
{
    if (!vt || vt->host_align) return vt;
    const unit *u = set->owners->pdata[vt->index];
    const json_t *item = set->items->pdata[vt->index];
    json_t *table = tw__gp_table(u->gp, item, tw__build_target_name((tw__build_target)set->variant));
    unsigned first = vt->index;
    tw_status status = TW_OK;
    while (first > 0 && set->items->pdata[first - 1] == item) first--;
    for (unsigned i = first; i < set->types->len && set->items->pdata[i] == item && status == TW_OK; i++)
        status = tw__table_read_one(set->arena, table, i - first, set->variant, set->types->pdata[i]);
    json_decref(table);
    return status == TW_OK ? vt : NULL;
}

const tw__vertex_type *tw__codelets_find(const tw__codelets *set, const char *name)
{
    return loaded_whole(set, loaded_named(set, name));
}

bool tw__codelets_has(const tw__codelets *set, const char *name)
{
    return loaded_named(set, name) != NULL;
}

const tw__vertex_type *tw__codelets_demangle(const tw__codelets *set, const char *symbol)
{
    return loaded_whole(set, g_hash_table_lookup(set->by_symbol, symbol));
}

size_t tw__codelets_count(const tw__codelets *set)
{
    return set->types->len;
}

const tw__vertex_type *tw__codelets_get(const tw__codelets *set, size_t index)
{
    return index < set->types->len ? loaded_whole(set, set->types->pdata[index]) : NULL;
}

const char *tw__codelets_suggest(const tw__codelets *set, const char *name)
{
    const char **names = g_new(const char *, set->types->len + 1);
    for (guint i = 0; i < set->types->len; i++) names[i] = ((tw__vertex_type *)set->types->pdata[i])->name;
    const char *nearest = tw__nearest(name, names, set->types->len);
    g_free(names);
    return nearest;
}

/* --- native code ------------------------------------------------------------------------------------------- */

/* Links the host objects of an archive into a shared object in the cache, once per contents of the archive and level
 * of the CPU. */
static tw_status link_archive(const tw__codelets *set, unit *u)
{
    const char *target = tw__build_target_name((tw__build_target)set->variant);
    g_autofree char *key = g_strdup_printf("%s-%s-cpu%d", u->identity, target, (int)tw__cpu_best());
    g_autofree char *shared = tw__cache_path(key, ".so");
    if (!shared) return TW_E_IO;
    GPtrArray *objects = g_ptr_array_new_with_free_func(g_free);
    tw_status status = TW_OK;
    size_t i;
    json_t *item;
    bool made = tw__cache_read(shared, NULL, NULL);
    json_array_foreach(made ? NULL : tw__gp_units(u->gp), i, item)
    {
        const char *name = json_string_value(json_object_get(json_object_get(item, "objects"), target));
        const tw__gp_member *member = tw__gp_member_get(u->gp, name);
        if (!member || status != TW_OK) continue;
        char *path = tw__cache_temporary(".o");
        status = path ? tw__cache_write(path, member->data, member->size) : TW_E_IO;
        if (path) g_ptr_array_add(objects, path);
    }
    g_ptr_array_add(objects, NULL);
    if (status == TW_OK && !made)
        status = tw__link((char *const *)objects->pdata, TW__BUILD_PORTABLE, shared, NULL);
    for (guint k = 0; k + 1 < objects->len; k++) g_unlink(objects->pdata[k]);
    g_ptr_array_free(objects, TRUE);
    if (status == TW_OK) u->shared = g_strdup(shared);
    return status;
}

tw__entry tw__codelets_entry(tw__codelets *set, const tw__vertex_type *vt)
{
    unit *u = set->owners->pdata[vt->index];
    if (!vt->has_entry) {
        tw__fail(TW_E_SYMBOL, "vertex '%s' of '%s' has no compute() that the host could run", vt->name, vt->origin);
        return NULL;
    }
    if (!u->shared && link_archive(set, u) != TW_OK) return NULL;
    if (!u->handle) {
        if (!(u->handle = dlopen(u->shared, RTLD_NOW | RTLD_LOCAL))) {
            tw__fail(TW_E_LINK, "cannot load the code of '%s': %s", u->name, dlerror());
            return NULL;
        }
        set->draws |= tw__random_connect(u->handle);
        tw__math_connect(u->handle);
    }
    void *entry = dlsym(u->handle, vt->symbol);
    if (!entry) tw__fail(TW_E_SYMBOL, "'%s' does not define %s of vertex '%s'", u->name, vt->symbol, vt->name);
    return (tw__entry)(uintptr_t)entry;
}

/* --- chips ------------------------------------------------------------------------------------------------- */

/* An item's table for a chip, borrowed: the last one stays parsed, as vertices of one are asked for together. */
static const json_t *item_table(unit *u, const json_t *item, tw__arch arch)
{
    if (u->last_item != item || u->last_arch != arch) {
        json_decref(u->last_table);
        u->last_table = tw__gp_table(u->gp, item, tw__arch_name(arch));
        u->last_item = item, u->last_arch = arch;
    }
    return u->last_table;
}

static bool holds(unit *u, const json_t *item, tw__arch arch, const char *vertex_name)
{
    g_auto(GStrv) names = tw__gp_names(u->gp, item, tw__arch_name(arch));
    if (names && !g_strv_contains((const char *const *)names, vertex_name)) return false;
    const json_t *table = item_table(u, item, arch);
    size_t k;
    json_t *vertex;
    json_array_foreach(json_object_get(table, "vertices"), k, vertex)
    {
        const char *name = json_string_value(json_object_get(vertex, "name"));
        g_autofree char *canonical = tw__vertex_canonical_name(name ? name : "");
        if (strcmp(canonical, vertex_name) == 0) return true;
    }
    return false;
}

/* Table of a chip that holds `vt`, borrowed. */
static const json_t *device_table(unit *u, const tw__vertex_type *vt, tw__arch arch)
{
    if (!u->gp) {
        if (!u->tables[arch]) {
            tw__source source = source_of(u);
            tw__built built;
            if (tw__build(&source, (tw__build_target)(TW__BUILD_IPU1 + (int)arch), 0, &built, NULL) != TW_OK)
                return NULL;
            u->tables[arch] = json_loads(built.table, 0, NULL);
            tw__built_clear(&built);
        }
        return u->tables[arch];
    }
    size_t i;
    json_t *item;
    json_array_foreach(tw__gp_units(u->gp), i, item)
    {
        if (holds(u, item, arch, vt->name)) return item_table(u, item, arch);
    }
    tw__fail(TW_E_OBJECT_LOAD, "'%s' says nothing about vertex '%s' on %s: compile it with that target too",
             u->name, vt->name, tw__arch_name(arch));
    return NULL;
}

const tw__device_vertex *tw__codelets_device(tw__codelets *set, const tw__vertex_type *vt, tw__arch arch)
{
    if ((unsigned)arch >= TW__ARCH_COUNT) return tw__fail(TW_E_INVALID_ARGUMENT, "unknown chip"), NULL;
    g_autofree char *key = g_strdup_printf("%d %u", (int)arch, vt->index);
    tw__device_vertex *known = g_hash_table_lookup(set->devices, key);
    if (known) return known;
    const json_t *table = device_table(set->owners->pdata[vt->index], vt, arch);
    if (!table) return NULL;
    tw__device_vertex *made = tw__table_read_device(set->arena, table, vt, arch);
    if (made && made->stack_bytes < 0) made->stack_bytes = tw__stack_bytes_of(set->stacks, vt->symbol);
    if (made) g_hash_table_insert(set->devices, g_steal_pointer(&key), made);
    return made;
}

const tw__device_vertex *tw__codelets_device_poplibs(tw__codelets *set, const tw__vertex_type *vt, tw__arch arch)
{
    g_autofree char *key = g_strdup_printf("%d %u as PopLibs", (int)arch, vt->index);
    tw__device_vertex *known = g_hash_table_lookup(set->devices, key);
    if (known) return known;
    const tw__device_vertex *device = tw__codelets_device(set, vt, arch);
    tw__device_vertex *made = device ? tw__device_as_poplibs(set->arena, device, vt->num_fields, arch) : NULL;
    if (made) g_hash_table_insert(set->devices, g_steal_pointer(&key), made);
    return made;
}

bool tw__codelets_no_memory(const tw__codelets *set)
{
    return tw__arena_failed(set->arena);
}

/* --- objects of a chip ---------------------------------------------------------------------------------------- */

/* As -g in the user's flags. */
static tw_status debugged_object(tw__source source, tw__arch arch, tw_object **object, tw_diags *diags)
{
    g_autoptr(GPtrArray) flags = g_ptr_array_new();
    for (size_t i = 0; source.flags && source.flags[i]; i++)
        g_ptr_array_add(flags, (char *)(uintptr_t)source.flags[i]);
    g_ptr_array_add(flags, (char *)(uintptr_t)"-g");
    g_ptr_array_add(flags, NULL);
    source.flags = (const char *const *)flags->pdata;
    return tw__chip_object(&source, arch, object, diags);
}

static tw_status add_objects(const unit *u, tw__arch arch, bool compiled, bool debug, GPtrArray *objects,
                             tw_diags *diags)
{
    tw_object *object = NULL;
    tw_status status = TW_OK;
    if (u->is_assembly) {
        status = tw__assemble(u->name, (const char *const *)u->flags, arch, &object, diags);
    } else if (compiled && u->text) {
        tw__source source = source_of(u);
        status =
            debug ? debugged_object(source, arch, &object, diags) : tw__chip_object(&source, arch, &object, diags);
        if (status == TW_E_COMPILATION || status == TW_E_NO_ENVIRONMENT) status = TW_OK;
    }
    if (object) g_ptr_array_add(objects, object);
    size_t i;
    json_t *item;
    json_array_foreach(u->gp ? tw__gp_units(u->gp) : NULL, i, item)
    {
        if (status != TW_OK || !(compiled || tw__gp_is_assembly(item))) continue;
        status = tw__gp_object(u->gp, item, tw__arch_name(arch), &object);
        if (!object) continue;
        g_ptr_array_add(objects, object);
        if (strcmp(u->name, tw_object_name(object)) == 0) continue; /* it was the object itself */
        g_autofree char *member = g_strdup_printf("%s(%s)", u->name, tw_object_name(object));
        status = tw_object_set_name(object, member);
    }
    return status;
}

tw_status tw__codelets_objects(const tw__codelets *set, tw__arch arch, bool compiled, bool debug,
                               tw_object ***objects, size_t *count, tw_diags *diags)
{
    if ((unsigned)arch >= TW__ARCH_COUNT) return tw__fail(TW_E_INVALID_ARGUMENT, "unknown chip");
    GPtrArray *made = g_ptr_array_new_with_free_func((GDestroyNotify)tw_object_free);
    tw_status status = TW_OK;
    for (guint k = 0; k < set->units->len && status == TW_OK; k++)
        status = add_objects(set->units->pdata[k], arch, compiled, debug, made, diags);
    *count = status == TW_OK ? made->len : 0, *objects = NULL;
    if (status == TW_OK) g_ptr_array_set_free_func(made, NULL);
    if (status == TW_OK)
        *objects = (tw_object **)g_ptr_array_free(made, FALSE);
    else
        g_ptr_array_free(made, TRUE);
    return status;
}
