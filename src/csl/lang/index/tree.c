/* SPDX-License-Identifier: MIT */
/* From trees to an index. Names are looked up as the language does, whether their code was analysed or not; what the
 * analysis said of them is added. */
#include "csl/lang/index/walk.h"

#include <stdlib.h>
#include <string.h>

static void tree_visit(walk *w, const node *n);

static uint32_t offset(const walk *w, tw__csl_loc loc)
{
    return loc - w->file->source.base;
}

/* --- definitions ---------------------------------------------------------------------------------------------- */

/* The text from `from` to the end of a type or a list of parameters, blanks and lines folded. */
static char *written(const walk *w, uint32_t from, uint32_t until)
{
    g_autofree char *text = g_strndup(w->file->source.text + from, until > from ? until - from : 0);
    g_auto(GStrv) words = g_strsplit_set(text, " \t\r\n", -1);
    GString *out = g_string_new(NULL);
    for (char **word = words; *word; word++)
        if (**word) g_string_append_printf(out, "%s%s", out->len ? " " : "", *word);
    return g_string_free(out, FALSE);
}

/* "fn(x: u16) void" as it is written. */
static char *signature(const walk *w, const node *n)
{
    const node *body = n->kid[TW__CSL_FN_BODY];
    const char *text = w->file->source.text;
    uint32_t from = offset(w, n->loc) + n->length,
             until = body ? offset(w, body->loc) : tw__csl_extent_end(w->file, n->loc);
    if (!body && until > from && text[until - 1] == ';') until--;
    g_autofree char *rest = written(w, from, until);
    return g_strconcat(n->op == TW__CSL_T_TASK ? "task" : "fn", rest, NULL);
}

static tw_index_kind kind_of_var(const walk *w, const node *n)
{
    const node *init = n->kid[TW__CSL_VAR_INIT];
    if (n->op == TW__CSL_T_PARAM) return TW_INDEX_PARAM;
    if (n->op == TW__CSL_T_VAR) return TW_INDEX_VARIABLE;
    if (init && (init->kind == TW__CSL_STRUCT || init->kind == TW__CSL_UNION || init->kind == TW__CSL_ENUM))
        return TW_INDEX_TYPE;
    if (init && init->kind == TW__CSL_BUILTIN && !strcmp(tw__csl_text(w->ctx, init->name), "import_module"))
        return TW_INDEX_MODULE;
    return TW_INDEX_CONSTANT;
}

static uint32_t define(walk *w, const node *n, tw_index_symbol row)
{
    const tw__csl_fact *fact = tw__csl_fact_at(w->facts, n->loc);
    row.name = tw__csl_text(w->ctx, n->name);
    row.file = w->file->number;
    row.at = offset(w, n->loc);
    row.length = n->length;
    if (!row.end) row.end = row.at + row.length;
    if (!row.until) row.until = w->until;
    row.parent = w->parent;
    row.members = TW_INDEX_NONE;
    if (fact) {
        bool callable = row.kind == TW_INDEX_FUNCTION || row.kind == TW_INDEX_TASK;
        if (!callable && row.kind != TW_INDEX_TYPE) row.type = tw__csl_fact_text(w->facts, fact->types);
        bool varies = row.kind == TW_INDEX_VARIABLE || fact->unknown || row.kind == TW_INDEX_TYPE;
        if (!varies) row.value = tw__csl_fact_text(w->facts, fact->values);
        row.fields = fact->fields;
        row.path = fact->path;
        if (row.kind == TW_INDEX_CONSTANT && fact->path) row.kind = TW_INDEX_MODULE;
    }
    uint32_t symbol = tw__index_add_symbol(w->index, &row);
    g_hash_table_insert(w->definitions, GUINT_TO_POINTER(n->loc), GUINT_TO_POINTER(symbol + 1));
    return symbol;
}

static void bring_into_scope(walk *w, tw__csl_name name, uint32_t symbol)
{
    const local_name row = { name, symbol };
    if (name) g_array_append_val(w->locals, row);
}

static void define_member(walk *w, const node *n)
{
    const node *t = n->kind == TW__CSL_MEMBER ? n->kid[0] : NULL;
    uint32_t end = tw__csl_extent_end(w->file, n->loc);
    g_autofree char *text =
        t ? written(w,
                    offset(w, n->loc) + n->length +
                        (uint32_t)strspn(w->file->source.text + offset(w, n->loc) + n->length, " :"),
                    end)
          : NULL;
    define(w, n,
           (tw_index_symbol){ .kind = t ? TW_INDEX_FIELD : TW_INDEX_ENUMERATOR,
                              .first = offset(w, n->loc),
                              .end = end,
                              .from = 1,
                              .until = 1,
                              .type = text });
}

static uint32_t define_var(walk *w, const node *n, bool top)
{
    const node *init = n->kid[TW__CSL_VAR_INIT], *t = n->kid[TW__CSL_VAR_TYPE];
    tw_index_symbol row = { .kind = kind_of_var(w, n),
                            .first = tw__csl_extent_first(w->file, n->loc),
                            .end = tw__csl_extent_end(w->file, n->loc),
                            .inferred = !t };
    row.from = top ? 0 : row.end;
    g_autofree char *path = NULL;
    if (row.kind == TW_INDEX_MODULE) {
        const indexed_file *target = tw__csl_walk_named_file(w, init);
        path = target ? g_strdup(target->source.path) : NULL;
        row.path = path;
    }
    uint32_t symbol = define(w, n, row);
    tw_index_symbol *made = tw__index_symbol(w->index, symbol);
    if (made && path && !*made->path) made->path = tw__index_text(w->index, path);
    if (made && row.kind == TW_INDEX_TYPE) {
        uint32_t parent = w->parent;
        made->members = w->parent = symbol;
        g_hash_table_insert(w->definitions, GUINT_TO_POINTER(init->loc), GUINT_TO_POINTER(symbol + 1));
        for (uint32_t i = init->kind == TW__CSL_ENUM; i < init->count; i++)
            if (init->kid[i]) define_member(w, init->kid[i]);
        w->parent = parent;
    }
    return symbol;
}

static uint32_t define_fn(walk *w, const node *n)
{
    g_autofree char *type = signature(w, n);
    return define(w, n,
                  (tw_index_symbol){ .kind = n->op == TW__CSL_T_TASK ? TW_INDEX_TASK : TW_INDEX_FUNCTION,
                                     .first = tw__csl_extent_first(w->file, n->loc),
                                     .end = tw__csl_extent_end(w->file, n->loc),
                                     .type = type });
}

/* All of a file is in scope everywhere in it, and other files may name it. */
static void define_top(walk *w, indexed_file *file)
{
    const node *tree = file->source.tree;
    w->file = file;
    w->parent = TW_INDEX_NONE;
    w->until = (uint32_t)file->source.size + 1;
    for (uint32_t i = 0; tree && i < tree->count; i++) {
        const node *n = tree->kid[i];
        if (n->kind != TW__CSL_VAR && n->kind != TW__CSL_FN) continue;
        uint32_t symbol = n->kind == TW__CSL_VAR ? define_var(w, n, true) : define_fn(w, n);
        if (!g_hash_table_contains(file->names, GUINT_TO_POINTER(n->name)))
            g_hash_table_insert(file->names, GUINT_TO_POINTER(n->name), GUINT_TO_POINTER(symbol + 1));
    }
}

/* --- uses ----------------------------------------------------------------------------------------------------- */

static void use(walk *w, const node *n, uint32_t symbol, bool writes)
{
    const tw__csl_fact *fact = tw__csl_fact_at(w->facts, n->loc);
    if (symbol == TW_INDEX_NONE && fact) symbol = tw__csl_walk_find(w, fact->definition);
    if (symbol == TW_INDEX_NONE && !fact) return;
    tw__index_add_use(
        w->index,
        &(tw_index_use){ .file = w->file->number,
                         .at = offset(w, n->loc),
                         .length = n->length,
                         .symbol = symbol,
                         .writes = writes,
                         .type = fact ? tw__csl_fact_text(w->facts, fact->types) : NULL,
                         .value = fact && !fact->unknown ? tw__csl_fact_text(w->facts, fact->values) : NULL });
}

static uint32_t tree_look_up(const walk *w, tw__csl_name name)
{
    for (guint i = w->locals->len; i-- > 0;) {
        const local_name *row = &g_array_index(w->locals, local_name, i);
        if (row->name == name) return row->symbol;
    }
    return GPOINTER_TO_UINT(g_hash_table_lookup(w->file->names, GUINT_TO_POINTER(name))) - 1;
}

/* m.f: a name of the module's file, where the analysis did not come by. */
static uint32_t member_of(const walk *w, const node *n)
{
    const tw__csl_fact *fact = tw__csl_fact_at(w->facts, n->loc);
    uint32_t symbol = fact ? tw__csl_walk_find(w, fact->definition) : TW_INDEX_NONE;
    const node *object = n->kid[0];
    if (symbol != TW_INDEX_NONE || object->kind != TW__CSL_NAME) return symbol;
    const tw_index_symbol *of = tw_index_symbol_get(w->index, tree_look_up(w, object->name));
    if (of && of->kind == TW_INDEX_TYPE) {
        const char *name = tw__csl_text(w->ctx, n->name);
        const tw_index_symbol *part;
        for (uint32_t i = of->members; (part = tw_index_symbol_get(w->index, i)) && part->at <= of->end; i++)
            if (part->parent == of->members && !strcmp(part->name, name)) return i;
    }
    const indexed_file *target = of && *of->path ? tw__csl_walk_file(w, of->path) : NULL;
    return target ? GPOINTER_TO_UINT(g_hash_table_lookup(target->names, GUINT_TO_POINTER(n->name))) - 1
                  : TW_INDEX_NONE;
}

/* What an assignment writes: the name at the root of a.b[i]. */
static void visit_target(walk *w, const node *n)
{
    if (n->kind == TW__CSL_NAME)
        use(w, n, tree_look_up(w, n->name), true);
    else if (n->kind == TW__CSL_FIELD) {
        tree_visit(w, n->kid[0]);
        use(w, n, member_of(w, n), true);
    } else if (n->kind == TW__CSL_INDEX) {
        visit_target(w, n->kid[0]);
        for (uint32_t i = 1; i < n->count; i++) tree_visit(w, n->kid[i]);
    } else {
        tree_visit(w, n);
    }
}

/* --- the walk ------------------------------------------------------------------------------------------------- */

static bool has_kids(const node *n)
{
    return n->kind != TW__CSL_INT && n->kind != TW__CSL_FLOAT && n->kind != TW__CSL_BOOL &&
           n->kind != TW__CSL_STRING;
}

static void visit_kids(walk *w, const node *n)
{
    for (uint32_t i = 0; i < n->count; i++)
        if (n->kid[i]) tree_visit(w, n->kid[i]);
}

static void visit_capture(walk *w, const node *n)
{
    if (!n) return;
    uint32_t symbol = define(
        w, n,
        (tw_index_symbol){
            .kind = TW_INDEX_CONSTANT, .first = offset(w, n->loc), .from = offset(w, n->loc), .inferred = true });
    bring_into_scope(w, n->name, symbol);
}

static void visit_fn(walk *w, const node *n, uint32_t symbol)
{
    guint mark = w->locals->len;
    uint32_t parent = w->parent, until = w->until;
    const tw_index_symbol *made = tw_index_symbol_get(w->index, symbol);
    if (!made) return;
    w->until = made->end;
    w->parent = symbol;
    for (uint32_t i = TW__CSL_FN_REST; i < n->count; i++) {
        const node *p = n->kid[i];
        if (p->kid[0]) tree_visit(w, p->kid[0]);
        if (!p->name) continue;
        uint32_t argument = define(w, p,
                                   (tw_index_symbol){ .kind = TW_INDEX_ARGUMENT,
                                                      .first = offset(w, p->loc),
                                                      .end = tw__csl_extent_end(w->file, p->loc),
                                                      .from = offset(w, p->loc) });
        bring_into_scope(w, p->name, argument);
    }
    for (uint32_t i = 0; i < TW__CSL_FN_REST; i++)
        if (n->kid[i]) tree_visit(w, n->kid[i]);
    w->parent = parent;
    w->until = until;
    g_array_set_size(w->locals, mark);
}

/* Everything that declares for itself alone: a block, a loop, a tensor access. */
static void visit_scope(walk *w, const node *n)
{
    guint mark = w->locals->len;
    uint32_t until = w->until;
    if (n->kind == TW__CSL_BLOCK) {
        w->until = tw__csl_extent_close(w->file, n->loc);
        visit_kids(w, n);
    } else if (n->kind == TW__CSL_FOR) {
        const node *body = n->kid[TW__CSL_FOR_BODY];
        tree_visit(w, n->kid[TW__CSL_FOR_SOURCE]);
        if (body->kind == TW__CSL_BLOCK) w->until = tw__csl_extent_close(w->file, body->loc);
        visit_capture(w, n->kid[TW__CSL_FOR_VALUE]);
        visit_capture(w, n->kid[TW__CSL_FOR_INDEX]);
        tree_visit(w, body);
    } else {
        for (uint32_t i = 1 + n->aux; i < n->count; i++) tree_visit(w, n->kid[i]);
        w->until = tw__csl_extent_end(w->file, n->loc);
        for (uint32_t i = 1; i <= n->aux; i++) visit_capture(w, n->kid[i]);
        tree_visit(w, n->kid[0]);
    }
    w->until = until;
    g_array_set_size(w->locals, mark);
}

static void visit_var(walk *w, const node *n)
{
    const node *init = n->kid[TW__CSL_VAR_INIT];
    bool top = w->parent == TW_INDEX_NONE && tw__csl_walk_find(w, n->loc) != TW_INDEX_NONE;
    if (n->kid[TW__CSL_VAR_TYPE]) tree_visit(w, n->kid[TW__CSL_VAR_TYPE]);
    for (uint32_t i = TW__CSL_VAR_ALIGN; i < n->count; i++)
        if (n->kid[i]) tree_visit(w, n->kid[i]);
    if (init) tree_visit(w, init);
    if (!top) bring_into_scope(w, n->name, define_var(w, n, false));
}

static void visit_builtin(walk *w, const node *n)
{
    const char *name = tw__csl_text(w->ctx, n->name);
    bool import = !strcmp(name, "import_module");
    uint32_t given = import ? 1 : 3;
    if ((import || !strcmp(name, "set_tile_code")) && n->count > given) {
        const indexed_file *target = tw__csl_walk_named_file(w, n);
        if (target) tw__csl_walk_given(w, n->kid[given], target);
    }
    visit_kids(w, n);
}

static void tree_visit(walk *w, const node *n)
{
    switch ((tw__csl_kind)n->kind) {
    case TW__CSL_NAME: use(w, n, tree_look_up(w, n->name), false); return;
    case TW__CSL_FIELD:
        tree_visit(w, n->kid[0]);
        use(w, n, member_of(w, n), false);
        return;
    case TW__CSL_FIELD_INIT:
        use(w, n, TW_INDEX_NONE, true);
        visit_kids(w, n);
        return;
    case TW__CSL_ASSIGN:
        visit_target(w, n->kid[0]);
        tree_visit(w, n->kid[1]);
        return;
    case TW__CSL_VAR: visit_var(w, n); return;
    case TW__CSL_FN: visit_fn(w, n, tw__csl_walk_find(w, n->loc)); return;
    case TW__CSL_BLOCK:
    case TW__CSL_FOR:
    case TW__CSL_TENSOR: visit_scope(w, n); return;
    case TW__CSL_BUILTIN: visit_builtin(w, n); return;
    default:
        if (has_kids(n)) visit_kids(w, n);
    }
}

/* --- after the walk ------------------------------------------------------------------------------------------- */

/* Values of a nominal type have its parts. */
static void add_members(walk *w)
{
    GHashTableIter each;
    gpointer loc, fact;
    g_hash_table_iter_init(&each, w->facts->at);
    while (g_hash_table_iter_next(&each, &loc, &fact)) {
        uint32_t type = tw__csl_walk_find(w, ((const tw__csl_fact *)fact)->site);
        tw_index_symbol *row = tw__index_symbol(w->index, tw__csl_walk_find(w, GPOINTER_TO_UINT(loc)));
        if (row && type != TW_INDEX_NONE) row->members = type;
    }
}

/* A param that a call gives without saying so there: the struct comes from elsewhere. */
static void mark_bound(walk *w)
{
    for (guint i = 0; i + 1 < w->facts->bindings->len; i += 2) {
        tw__csl_loc call = g_array_index(w->facts->bindings, tw__csl_loc, i),
                    param = g_array_index(w->facts->bindings, tw__csl_loc, i + 1);
        uint32_t symbol = tw__csl_walk_find(w, param);
        tw_index_symbol *row = tw__index_symbol(w->index, symbol);
        if (!row || row->bound_elsewhere) continue;
        const indexed_file *file = NULL;
        for (guint k = 0; k < w->files->len && !file; k++) {
            const indexed_file *f = &g_array_index(w->files, indexed_file, k);
            if (call >= f->source.base && call - f->source.base <= f->source.size) file = f;
        }
        if (!file) continue;
        uint32_t from = call - file->source.base, until = tw__csl_extent_close(file, call);
        bool seen = false;
        const tw_index_use *u;
        for (size_t k = 0; !seen && (u = tw_index_use_get(w->index, k)); k++)
            seen = u->symbol == symbol && u->file == file->number && u->at >= from && u->at < until;
        row->bound_elsewhere = !seen;
    }
}

void tw__csl_index_trees(tw_index *index, const tw__csl_ctx *ctx, const tw__csl_facts *facts)
{
    walk w = { .index = index,
               .ctx = ctx,
               .facts = facts,
               .files = g_array_new(FALSE, TRUE, sizeof(indexed_file)),
               .definitions = g_hash_table_new(NULL, NULL),
               .by_path = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
               .locals = g_array_new(FALSE, FALSE, sizeof(local_name)) };
    indexed_file f = { .names = NULL };
    for (size_t i = 0; tw__csl_source_get(ctx, i, &f.source); i++) {
        f.number = tw__index_add_file(index, f.source.path);
        f.names = g_hash_table_new(NULL, NULL);
        g_array_append_val(w.files, f);
        tw__csl_walk_add_path(&w, f.source.path, f.number);
    }
    for (guint i = 0; i < w.files->len; i++) define_top(&w, &g_array_index(w.files, indexed_file, i));
    for (guint i = 0; i < w.files->len; i++) {
        w.file = &g_array_index(w.files, indexed_file, i);
        w.parent = TW_INDEX_NONE;
        w.until = (uint32_t)w.file->source.size + 1;
        if (w.file->source.tree) visit_kids(&w, w.file->source.tree);
    }
    add_members(&w);
    mark_bound(&w);
    for (guint i = 0; i < w.files->len; i++) g_hash_table_destroy(g_array_index(w.files, indexed_file, i).names);
    g_array_free(w.files, TRUE);
    g_array_free(w.locals, TRUE);
    g_hash_table_destroy(w.definitions);
    g_hash_table_destroy(w.by_path);
}
