/* SPDX-License-Identifier: MIT */
/* Module instances: files, their names, and the variables, constants and parameters behind them. */
#include "csl/lang/sema/gen.h"
#include "csl/lang/sema/local.h"

saved tw__csl_enter_module(sema *s, tw__csl_module *m, tw__csl_phase phase)
{
    saved old = { s->phase, s->gen, s->module, s->frame, s->trail, s->locals, s->block, s->depth };
    s->phase = phase;
    s->gen = NULL;
    s->module = m;
    s->frame = NULL;
    s->locals = NULL;
    s->block = ++s->blocks;
    s->depth = 0;
    return old;
}

void tw__csl_leave_module(sema *s, saved old)
{
    s->phase = old.phase;
    s->gen = old.gen;
    s->module = old.module;
    s->frame = old.frame;
    s->trail = old.trail;
    s->locals = old.locals;
    s->block = old.block;
    s->depth = old.depth;
}

/* --- files --- */

static char *module_read_file(sema *s, const char *path, size_t *size)
{
    const tw__csl_shared *shared = s->shared;
    const tw__csl_watch *w = shared->options->watch;
    char *open = w && w->open ? w->open(w->user, path, size) : NULL;
    if (open) return open;
    if (shared->options->read) return shared->options->read(shared->options->read_user, path, size);
    char *text = NULL;
    if (tw_status_of(text = tw_read_file(path, TW_SOURCE_LIMIT, size)) == TW_E_NO_MEMORY) tw__csl_out_of_memory(s);
    return text;
}

static const node *module_parse(sema *s, const char *path, const char *text, size_t size)
{
    const node *file = tw__csl_parse(s->ctx, path, text, size);
    char *key = tw__arena_strdup(tw__csl_arena(s->ctx), path);
    if (!key) return tw__csl_out_of_memory(s), NULL;
    g_hash_table_insert(s->shared->files, key, (gpointer)file);
    return file;
}

/* The tree of the file at `path`; *found false when there is none. */
static const node *load_path(sema *s, const char *path, bool *found)
{
    gpointer known;
    *found = true;
    if (g_hash_table_lookup_extended(s->shared->files, path, NULL, &known)) return known;
    size_t size = 0;
    char *text = module_read_file(s, path, &size);
    *found = text != NULL;
    const node *file = text ? module_parse(s, path, text, size) : NULL;
    free(text);
    return file;
}

const char *tw__csl_tile_path(sema *s, const char *name)
{
    if (name[0] == '<' || g_path_is_absolute(name)) return name;
    if (s->module->path[0] == '<') { /* a library places its own tile code */
        char *folder = g_path_get_dirname(s->module->path + 1);
        char *bare = g_str_has_suffix(name, ".csl") ? g_strndup(name, strlen(name) - 4) : g_strdup(name);
        const char *path = strcmp(folder, ".") ? tw__arena_printf(s->arena, "<%s/%s>", folder, bare)
                                               : tw__arena_printf(s->arena, "<%s>", bare);
        g_free(folder);
        g_free(bare);
        if (!path) tw__csl_out_of_memory(s);
        return path;
    }
    char *folder = g_path_get_dirname(s->module->path);
    const char *path = strcmp(folder, ".") ? tw__arena_printf(s->arena, "%s/%s", folder, name) : name;
    g_free(folder);
    if (!path) tw__csl_out_of_memory(s);
    return path;
}

char *tw__csl_read_near(sema *s, const tw__csl_module *m, const char *name, size_t *size)
{
    char *folder = g_path_get_dirname(m->path);
    char *full =
        g_path_is_absolute(name) || !strcmp(folder, ".") ? g_strdup(name) : g_build_filename(folder, name, NULL);
    char *text = module_read_file(s, full, size);
    g_free(full);
    g_free(folder);
    return text;
}

static const node *load_in(sema *s, const char *folder, const char *name, const char **path, bool *found)
{
    char *file_name = g_str_has_suffix(name, ".csl") ? g_strdup(name) : g_strconcat(name, ".csl", NULL);
    char *full = g_path_is_absolute(file_name) || !strcmp(folder, ".") ? g_strdup(file_name)
                                                                       : g_build_filename(folder, file_name, NULL);
    *path = tw__arena_strdup(s->arena, full);
    const node *file = *path ? load_path(s, full, found) : NULL;
    if (!*path) *found = true, tw__csl_out_of_memory(s);
    g_free(full);
    g_free(file_name);
    return file;
}

static const node *load_library(sema *s, const char *name, const char **path, bool *found)
{
    const tw__csl_compile_options *o = s->shared->options;
    for (size_t i = 0; i < o->import_path_count; i++) {
        const node *file = load_in(s, o->import_paths[i], name, path, found);
        if (*found) return file;
    }
    const char *env = o->read ? NULL : g_getenv("CSL_IMPORT_PATH");
    char **folders = g_strsplit(env ? env : "", ":", -1);
    const node *file = NULL;
    *found = false;
    for (char **f = folders; *f && !*found; f++)
        if (**f) file = load_in(s, *f, name, path, found);
    g_strfreev(folders);
    if (*found) return file;
    *path = tw__arena_printf(s->arena, "<%s>", name);
    gpointer known;
    *found = true;
    if (!*path) return tw__csl_out_of_memory(s), NULL;
    if (g_hash_table_lookup_extended(s->shared->files, *path, NULL, &known)) return known;
    size_t size;
    const char *text = tw__csl_library(name, &size);
    *found = text != NULL;
    return text ? module_parse(s, *path, text, size) : NULL;
}

/* --- instances --- */

static void add_name(sema *s, tw__csl_module *m, const node *n, entry e)
{
    entry *row = TW__NEW(s->arena, entry);
    if (!row) {
        tw__csl_out_of_memory(s);
        return;
    }
    *row = e;
    const entry *old = g_hash_table_lookup(m->names, GUINT_TO_POINTER(n->name));
    if (old) {
        tw__csl_error(s, n, "csl.redefinition", "'%s' is already declared in this file",
                      tw__csl_name_text(s, n->name));
        tw__csl_note(s, old->global ? old->global->node : old->function->node, "the other declaration is here");
        return;
    }
    g_hash_table_insert(m->names, GUINT_TO_POINTER(n->name), row);
}

static void add_declaration(sema *s, tw__csl_module *m, const node *n)
{
    const char *name = tw__arena_printf(s->arena, "%s%s", m->prefix, tw__csl_name_text(s, n->name));
    if (!name) {
        tw__csl_out_of_memory(s);
        return;
    }
    if (n->kind == TW__CSL_VAR) {
        tw__csl_global *g = TW__NEW(s->arena, tw__csl_global);
        if (!g) return;
        *g = (tw__csl_global){ .module = m,
                               .node = n,
                               .name = name,
                               .is_var = n->op == TW__CSL_T_VAR,
                               .is_export = (n->flags & TW__CSL_F_EXPORT) != 0,
                               .is_extern = (n->flags & TW__CSL_F_EXTERN) != 0,
                               .value = tw__csl_nothing() };
        add_name(s, m, n, (entry){ .global = g });
    } else if (n->kind == TW__CSL_FN) {
        tw__csl_function *f = TW__NEW(s->arena, tw__csl_function);
        if (!f) return;
        *f = (tw__csl_function){ .module = m,
                                 .node = n,
                                 .name = name,
                                 .is_task = n->op == TW__CSL_T_TASK,
                                 .is_inline = (n->flags & TW__CSL_F_INLINE) != 0 };
        add_name(s, m, n, (entry){ .function = f });
    }
}

static void bind_param(sema *s, const node *at, tw__csl_module *m, const char *name, operand v)
{
    tw__csl_name id = tw__csl_intern(s->ctx, name, strlen(name));
    const entry *e = tw__csl_member(m, id);
    if (!e || !e->global || e->global->node->op != TW__CSL_T_PARAM) {
        tw__csl_warn(s, at, "csl.param", "%s has no param '%s': the value is not used", m->path, name);
        return;
    }
    e->global->bound = true;
    e->global->value = v;
    const tw__csl_watch *w = s->shared->options->watch;
    if (w && w->bound && at) w->bound(w->user, at, e->global->node);
}

static void bind_params(sema *s, const node *at, tw__csl_module *m, const value *params)
{
    if (!params || params->type->kind != TW__CSL_TY_STRUCT) return;
    const operand given = tw__csl_known(*params);
    for (size_t i = 0; i < params->type->count; i++)
        bind_param(s, at, m, params->type->fields[i].name, tw__csl_part_of(&given, i));
}

enum { MAX_IMPORTS = 200 }; /* inside one another: a module may import itself with other parameters */

static tw__csl_module *instantiate(sema *s, const node *at, const node *file, const char *path, bool is_library,
                                   const value *params, const char *prefix, unsigned depth)
{
    if (depth > MAX_IMPORTS) {
        if (!tw__csl_stop(s))
            tw__csl_error(s, at, "csl.limit",
                          "more than %d modules import one another here: does '%s' import itself?", MAX_IMPORTS,
                          path);
        s->shared->out_of_steps = true;
        return NULL;
    }
    for (uint32_t i = 0; i <= file->count; i++) /* an instance costs what it declares */
        if (!tw__csl_step(s, at)) return NULL;
    tw__csl_module *m = TW__NEW(s->arena, tw__csl_module);
    if (!m) {
        tw__csl_out_of_memory(s);
        return NULL;
    }
    *m = (tw__csl_module){ .sema = s,
                           .file = file,
                           .path = path,
                           .prefix = prefix,
                           .is_library = is_library,
                           .names = g_hash_table_new(NULL, NULL),
                           .trail = s->module ? tw__csl_lasting_trail(s, at, NULL, false) : NULL,
                           .params = params,
                           .depth = depth };
    *s->last_module = m;
    s->last_module = &m->next;
    for (uint32_t i = 0; i < file->count; i++) add_declaration(s, m, file->kid[i]);
    bind_params(s, at, m, params);
    return m;
}

static void no_library(sema *s, const node *at, const char *name)
{
    char hint[TW__HINT_BYTES];
    char *inner = g_strndup(name + 1, strlen(name) - 2);
    tw__csl_error(s, at, "csl.import", "there is no library %s%s", name,
                  tw__did_you_mean(hint, tw__csl_library_nearest(inner)));
    g_free(inner);
}

tw__csl_module *tw__csl_load_module(sema *s, const node *at, const char *name, const tw__csl_module *importer,
                                    const value *params, const char *prefix)
{
    const char *path = name;
    bool found;
    const node *file;
    size_t length = strlen(name);
    bool library = length > 2 && name[0] == '<' && name[length - 1] == '>';
    bool inside = false; /* our own libraries import each other by relative names too */
    if (library) {
        char *inner = g_strndup(name + 1, length - 2);
        file = load_library(s, inner, &path, &found);
        g_free(inner);
    } else if (importer && importer->path[0] == '<') {
        char *folder = g_path_get_dirname(importer->path + 1);
        char *bare = g_str_has_suffix(name, ".csl") ? g_strndup(name, length - 4) : g_strdup(name);
        char *inner = strcmp(folder, ".") ? g_strconcat(folder, "/", bare, NULL) : g_strdup(bare);
        file = load_library(s, inner, &path, &found);
        inside = true;
        g_free(inner);
        g_free(bare);
        g_free(folder);
    } else if (!importer &&
               strcmp(name, "-") == 0) { /* the standard input; it imports from the current folder on */
        file = load_path(s, path = name, &found);
    } else if (!importer && strcmp(name, s->shared->options->file) == 0 &&
               (file = load_path(s, name, &found), found)) {
        path = name; /* what is compiled, by its whole name: what an editor has not saved yet has no suffix */
    } else {
        char *folder = importer ? g_path_get_dirname(importer->path) : g_strdup(".");
        file = load_in(s, folder, name, &path, &found);
        g_free(folder);
        if (!found) { /* programs of older compilers name files from the folder of the layout on */
            const char *other = name;
            folder = g_path_get_dirname(s->shared->options->file);
            file = load_in(s, folder, name, &other, &found);
            if (found) path = other;
            g_free(folder);
        }
    }
    if (!found) {
        if (library)
            no_library(s, at, name);
        else
            tw__csl_error(s, at, "csl.import", "cannot read '%s'", path);
        return NULL;
    }
    if (!file) return NULL; /* its syntax errors are reported */
    return instantiate(s, at, file, path, library || inside, params, prefix, importer ? importer->depth + 1 : 0);
}

void tw__csl_bind_top_params(sema *s, tw__csl_module *m)
{
    const tw__csl_compile_options *o = s->shared->options;
    for (size_t i = 0; i < o->param_count; i++)
        bind_param(s, NULL, m, o->params[i].name,
                   tw__csl_known(tw__csl_of_int(&tw__csl_t_COMPTIME_INT, o->params[i].value)));
    for (size_t i = 0; i < o->color_count; i++) {
        if (o->colors[i].value < 0 || o->colors[i].value >= TW__CSL_COLORS)
            tw__csl_error(s, NULL, "csl.range", "color '%s' must be 0 to %u, not %lld", o->colors[i].name,
                          TW__CSL_COLORS - 1, (long long)o->colors[i].value);
        bind_param(s, NULL, m, o->colors[i].name,
                   tw__csl_known(tw__csl_of_int(&tw__csl_t_COLOR, o->colors[i].value)));
    }
}

const entry *tw__csl_member(const tw__csl_module *m, tw__csl_name name)
{
    return g_hash_table_lookup(m->names, GUINT_TO_POINTER(name));
}

/* --- variables, constants, parameters --- */

static bool own_alignment(sema *s, tw__csl_global *g)
{
    const node *written = g->node->kid[TW__CSL_VAR_ALIGN];
    int64_t align;
    if (!written) return true;
    if (!tw__csl_comptime_int_in(s, written, "the alignment", 1, 32768, &align)) return false;
    if (align & (align - 1)) {
        tw__csl_error(s, written, "csl.align", "the alignment must be a power of two, got %lld", (long long)align);
        return false;
    }
    g->align = (uint32_t)align;
    g->own_align = true;
    return true;
}

static operand initial_value(sema *s, tw__csl_global *g)
{
    const node *n = g->node, *init = n->kid[TW__CSL_VAR_INIT];
    if (g->bound) {
        const char *what = tw__arena_printf(s->arena, "param '%s'", g->name);
        return g->type ? tw__csl_coerce_init(s, n, g->value, g->type, what ? what : "the param") : g->value;
    }
    if (init) {
        operand o = tw__csl_expr_rvalue(s, init, g->type);
        return g->type ? tw__csl_coerce_init(s, init, o, g->type, "the initial value") : o;
    }
    value zero;
    if (n->op == TW__CSL_T_PARAM)
        return tw__csl_error(s, n, "csl.param", "param '%s' is used but has no value", g->name);
    if (g->is_extern)
        return tw__csl_error(s, n, "csl.link", "extern '%s' is defined nowhere in this program", g->name);
    if (n->op == TW__CSL_T_CONST)
        return tw__csl_error(s, n, "csl.init", "constant '%s' needs an initial value", g->name);
    if (!g->type) return tw__csl_error(s, n, "csl.init", "variable '%s' needs a type or an initial value", g->name);
    if (tw__csl_zero(s->arena, g->type, &zero)) return tw__csl_known(zero);
    if (tw__csl_is_runtime(g->type)) /* a DSD variable without a value: all zero, a DSD of no kind */
        return tw__csl_known((value){ .type = g->type });
    return tw__csl_error(s, n, "csl.init", "variable '%s' of type %s needs an initial value", g->name,
                         TYPE_TEXT(g->type));
}

static void analyse(sema *s, tw__csl_global *g)
{
    const node *n = g->node;
    g->state = TW__CSL_BUSY;
    saved old = tw__csl_enter_module(s, g->module, TW__CSL_PHASE_VALUE);
    s->trail = g->module->trail; /* who asked first for its value does not matter */
    turn last = tw__csl_last_begin(s);
    tw__csl_global *outer = s->initialising;
    s->initialising = g;
    bool good = own_alignment(s, g);
    if (n->kid[TW__CSL_VAR_TYPE]) {
        g->type = tw__csl_type_expr(s, n->kid[TW__CSL_VAR_TYPE]);
        good = good && g->type;
    }
    if (g->is_extern && n->kid[TW__CSL_VAR_INIT]) {
        tw__csl_error(s, n, "csl.link", "extern '%s' cannot have an initial value", g->name);
        good = false;
    }
    g->value = good ? initial_value(s, g) : tw__csl_nothing();
    s->initialising = outer;
    if (good && !tw__csl_is_nothing(&g->value)) {
        g->type = g->type && g->type->kind != TW__CSL_TY_COMPTIME_STRUCT ? g->type : g->value.type;
        if (g->value.kind != TW__CSL_O_VALUE)
            g->value = tw__csl_error(s, n, "csl.comptime",
                                     "the initial value of '%s' must be known at compile time", g->name);
        else if (g->is_var && (!tw__csl_is_runtime(g->type) || g->type->kind == TW__CSL_TY_VOID))
            g->value =
                tw__csl_error(s, n, "csl.type", "variable '%s' has type %s, which exists only at compile time%s",
                              g->name, TYPE_TEXT(g->type),
                              !tw__csl_is_number(g->type) ? ": declare it const"
                              : n->kid[TW__CSL_VAR_TYPE]  ? ""
                                                          : ": give it a type");
        else if (tw__csl_is_aggregate(g->type) && g->value.value.parts)
            g->value.value.parts->shared = true;
    }
    if (tw__csl_watched(s) && g->type) {
        const operand place = { .kind = TW__CSL_O_PLACE, .type = g->type };
        tw__csl_tell(s, n, g->is_var ? &place : &g->value, n);
    }
    tw__csl_last_end(s, last);
    tw__csl_leave_module(s, old);
    g->state = TW__CSL_DONE;
}

/* The exported variable that an extern one stands for. */
static tw__csl_global *definition_of(sema *s, const tw__csl_global *g)
{
    for (tw__csl_module *m = s->modules; m; m = m->next) {
        const entry *e = tw__csl_member(m, g->node->name);
        if (e && e->global && e->global->is_export) return e->global;
    }
    return NULL;
}

/* Constants whose address is taken somewhere in their file are memory that may change (docs/decisions.md, C2). */
static bool is_memory(sema *s, const tw__csl_global *g)
{
    if (g->node->op != TW__CSL_T_CONST || !g->type->size ||
        (g->type->kind != TW__CSL_TY_ARRAY && !tw__csl_is_number(g->type)))
        return false;
    GHashTable *names = g_hash_table_lookup(s->shared->addressed, g->module->file);
    if (!names) {
        names = tw__csl_addressed_names(g->module->file);
        g_hash_table_insert(s->shared->addressed, (gpointer)g->module->file, names);
    }
    return g_hash_table_contains(names, GUINT_TO_POINTER(g->node->name));
}

operand tw__csl_global_operand(sema *s, const node *at, tw__csl_global *g)
{
    if (g->is_extern && !g->is_export) {
        tw__csl_global *definition = definition_of(s, g);
        if (definition) return tw__csl_global_operand(s, at, definition);
    }
    if (g->state == TW__CSL_BUSY)
        return tw__csl_error(s, at, "csl.cycle", "the value of '%s' depends on itself", g->name);
    if (g->state == TW__CSL_FRESH) analyse(s, g);
    if (tw__csl_is_nothing(&g->value)) return g->value;
    operand place = { .kind = TW__CSL_O_PLACE, .type = g->type, .place = { .global = g }, .is_const = !g->is_var };
    if (g->is_var || (s->gen && is_memory(s, g))) return place;
    return g->value;
}

/* A function with comptime parameters has no type of its own; this one stands for it. */
static const type *generic_type(sema *s)
{
    return tw__csl_type_fn(s->types, &tw__csl_t_ANYTYPE, 0, NULL, false);
}

operand tw__csl_entry_operand(sema *s, const node *at, const entry *e)
{
    if (e->global) return tw__csl_global_operand(s, at, e->global);
    tw__csl_function *f = e->function;
    if ((f->node->flags & TW__CSL_F_EXTERN) && !f->node->kid[TW__CSL_FN_BODY])
        for (tw__csl_module *m = s->modules; m; m = m->next) {
            const entry *d = tw__csl_member(m, f->node->name);
            if (d && d->function && d->function->node->kid[TW__CSL_FN_BODY]) f = d->function;
        }
    if (!f->type) {
        f->type = generic_type(s); /* while its own types are looked at */
        const type *t = tw__csl_function_type(s, f);
        if (t) f->type = t;
    }
    return tw__csl_known((value){ .type = f->type, .function = f });
}

/* --- PE memory --- */

/* A FIFO raises the alignment of its buffer: it is made before the buffer gets its place. */
static void make_fifo(sema *s, const tw__csl_global *g)
{
    const node *file = g->module->file;
    for (uint32_t i = 0; i < file->count; i++) {
        const node *n = file->kid[i];
        const node *init = n->kind == TW__CSL_VAR ? n->kid[TW__CSL_VAR_INIT] : NULL;
        if (!init || init->kind != TW__CSL_BUILTIN || !init->count ||
            strcmp(tw__csl_name_text(s, init->name), "allocate_fifo"))
            continue;
        const node *buffer = init->kid[0];
        if (buffer->kind == TW__CSL_UNARY) buffer = buffer->kid[0];
        const entry *e = buffer->kind == TW__CSL_NAME && buffer->name == g->node->name
                             ? tw__csl_member(g->module, n->name)
                             : NULL;
        if (e && e->global && e->global->state == TW__CSL_FRESH) tw__csl_global_operand(s, n, e->global);
    }
}

/* An array that starts with one value everywhere, as @zeros gives. */
static bool is_even(const tw__csl_global *g)
{
    return g->node && g->is_var && g->type->kind == TW__CSL_TY_ARRAY && g->value.kind == TW__CSL_O_VALUE &&
           g->value.value.parts && !g->value.value.parts->items;
}

/* Arrays without data of their own from the bottom of memory, one behind the other with nothing between them, as
 * sections of a linker keep them: which banks of memory two of them share hangs on how far apart they lie. All else
 * from the top, a little below the end: a program that writes some elements behind an array, as published ones do,
 * does not change constants that happen to be used next to it. */
enum { TOP_GAP = 64 };
static bool find_room(sema *s, const node *at, tw__csl_global *g)
{
    bool even = is_even(g);
    if (!even && s->memory_end == TW__CSL_PE_BYTES) s->memory_end -= TOP_GAP;
    uint32_t align = g->align > g->type->align ? g->align : g->type->align;
    uint64_t bytes = g->type->size ? g->type->size : 1;
    uint64_t address = ((uint64_t)s->memory_top + align - 1) / align * align;
    if (address + bytes > s->memory_end) {
        if (!s->memory_full)
            tw__csl_error(s, g->node ? g->node : at, "csl.memory",
                          "out of PE memory: '%s' needs %llu bytes and %u of %u are left", g->name,
                          (unsigned long long)bytes, s->memory_end - s->memory_top, TW__CSL_PE_BYTES);
        s->memory_full = true;
        return false;
    }
    if (even)
        s->memory_top = (uint32_t)(address + bytes);
    else
        s->memory_end = (uint32_t)(address = (s->memory_end - bytes) / align * align);
    g->address = (uint32_t)address;
    return true;
}

/* A variable of the file begins with the address of this one: a pointer that is exported, or goes from array to
 * array. */
static bool pointed_at(const node *file, tw__csl_name name)
{
    for (uint32_t i = 0; i < file->count; i++) {
        const node *n = file->kid[i], *init = n->kind == TW__CSL_VAR ? n->kid[TW__CSL_VAR_INIT] : NULL;
        if (init && init->kind == TW__CSL_UNARY && init->op == TW__CSL_T_AMPERSAND &&
            init->kid[0]->kind == TW__CSL_NAME && init->kid[0]->name == name)
            return true;
    }
    return false;
}

/* Arrays lie in the order of their declarations, whoever is asked for first. Those before this one in its file that a
 * variable points at come first: they are used in any case. */
static bool place_earlier(sema *s, const node *at, const tw__csl_global *g)
{
    const node *file = g->module ? g->module->file : NULL;
    for (uint32_t i = 0; file && i < file->count && file->kid[i] != g->node; i++) {
        const node *n = file->kid[i];
        const entry *e =
            n->kind == TW__CSL_VAR && n->op == TW__CSL_T_VAR ? tw__csl_member(g->module, n->name) : NULL;
        tw__csl_global *other = e ? e->global : NULL;
        if (!other || other->node != n || other->placed || other->is_extern || !pointed_at(file, n->name)) continue;
        if (other->state == TW__CSL_FRESH) tw__csl_global_operand(s, n, other);
        if (other->type && is_even(other) && !tw__csl_place_global(s, at, other)) return false;
    }
    return true;
}

bool tw__csl_place_global(sema *s, const node *at, tw__csl_global *g)
{
    if (g->node && !g->placed) make_fifo(s, g);
    if (g->placed) return true;
    if (g->state == TW__CSL_FRESH && g->node) tw__csl_global_operand(s, at, g);
    if (!g->type || tw__csl_is_nothing(&g->value)) return false;
    if (s->program < 0) {
        tw__csl_error(s, at, "csl.layout", "'%s' has no address in the layout", g->name);
        return false;
    }
    /* What an exported pointer points at comes in the order of the pointers, as people write their arrays. */
    bool points = g->value.kind == TW__CSL_O_VALUE && g->type->kind == TW__CSL_TY_POINTER &&
                  g->type->base->kind != TW__CSL_TY_FN;
    tw__csl_global *aim = points ? g->value.value.pointer.global : NULL;
    if (aim && aim != g && !aim->placed && !tw__csl_place_global(s, at, aim)) return false;
    if (is_even(g) && (!place_earlier(s, at, g) || g->placed)) return g->placed;
    if (!find_room(s, at, g)) return false;
    g->placed = true;
    *s->last_placed = g;
    s->last_placed = &g->next_placed;
    if (g->node) g->symbol = s->symbols++; /* as tw__csl_emit_memory will number them */
    if (tw__csl_is_aggregate(g->type) && g->value.kind == TW__CSL_O_VALUE && !g->is_var)
        g_hash_table_insert(s->tables, g->value.value.parts, g);
    return true;
}

bool tw__csl_address(sema *s, const node *at, tw__csl_global *g, uint32_t *address)
{
    if (!tw__csl_place_global(s, at, g)) return false;
    g->addressed = true;
    *address = g->address;
    return true;
}

tw__csl_global *tw__csl_hidden(sema *s, const node *at, const char *name, const type *t, operand init)
{
    bool shared = init.kind == TW__CSL_O_VALUE && tw__csl_is_aggregate(t);
    tw__csl_global *g = shared ? g_hash_table_lookup(s->tables, init.value.parts) : NULL;
    if (g && g->type == t) return g;
    g = TW__NEW(s->lasting, tw__csl_global);
    if (!g) {
        tw__csl_out_of_memory(s);
        return NULL;
    }
    *g = (tw__csl_global){
        .module = s->module, .name = name, .type = t, .state = TW__CSL_DONE, .value = init, .align = t->align
    };
    return tw__csl_place_global(s, at, g) ? g : NULL;
}

/* Bytes of initial memory and the symbols of all that has an address. */
bool tw__csl_emit_memory(sema *s)
{
    tw__csl_program *p = tw__csl_sema_program(s);
    if (!s->emitted) s->emitted = &s->placed;
    for (; *s->emitted; s->emitted = &(*s->emitted)->next_placed) {
        tw__csl_global *g = *s->emitted;
        value v = g->value.value;
        uint8_t *bytes = tw__calloc(1, (size_t)g->type->size + 1);
        bool unset = tw__csl_is_dsd(g->type) && !v.dsd;
        if (!bytes || (!unset && !tw__csl_bytes(s, g->node, &v, bytes))) {
            free(bytes);
            return false;
        }
        bool zero = true;
        for (uint32_t i = 0; i < g->type->size && zero; i++) zero = bytes[i] == 0;
        p = tw__csl_sema_program(s);
        if (!zero) tw__csl_program_data(p, g->address, bytes, g->type->size);
        free(bytes);
        if (!g->node) continue;
        tw__csl_symbol *symbol = TW__CSL_PUSH(p, symbols, symbol);
        if (!symbol) return false;
        const type *element = g->type->kind == TW__CSL_TY_ARRAY ? g->type->base : g->type;
        tw__csl_place where = tw__csl_where(s->ctx, g->node->loc);
        *symbol = (tw__csl_symbol){ .name = tw__csl_image_string(s->image, g->name),
                                    .address = g->address,
                                    .bytes = g->type->size,
                                    .type = element->machine,
                                    .count = (uint32_t)tw__csl_element_count(g->type),
                                    .type_text = tw__csl_image_string(s->image, TYPE_TEXT(g->type)),
                                    .file = tw__csl_image_file(s->image, where.file),
                                    .line = (uint32_t)where.line };
        if (g->type->kind == TW__CSL_TY_ARRAY)
            for (symbol->rank = 0; symbol->rank < g->type->count && symbol->rank < 8; symbol->rank++)
                symbol->dims[symbol->rank] = g->type->dims[symbol->rank];
    }
    return true;
}
