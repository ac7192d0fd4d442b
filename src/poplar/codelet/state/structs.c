/* SPDX-License-Identifier: MIT */
/* The structs and unions of a C file, laid out by the rules of the ABI (abi.h). clang reads the file: its syntax tree
 * says which records there are, a second pass over probes appended to the text says how large the named types of
 * members are (scalars, vectors, pointers: docs/decisions.md, M5). The records themselves are laid out by
 * tw_abi_layout(). */
#include "poplar/codelet/compile/compile.h"

#include <stdlib.h>
#include <string.h>
#include <tilewright/tile/abi.h>

struct tw_abi_structs {
    tw__arena *arena;
    GPtrArray *items; /* tw_abi_struct * */
};

typedef struct reader {
    tw__arena *arena;
    const tw__source *source;
    char *marked; /* the text behind a line that names the file in messages */
    size_t mark;  /* length of that line */
    tw_abi_structs *out;
    GHashTable *records;  /* id of the declaration -> tw_abi_record * */
    GHashTable *ranges;   /* name or id of an enum -> int64_t[2] */
    GHashTable *typedefs; /* id of an unnamed record -> its typedef's name */
    GHashTable *sizes;    /* type text -> tw_abi_record * */
    bool probing;         /* first pass: collect type texts only */
} reader;

static const char *text_of(const json_t *node, const char *key)
{
    const char *text = json_string_value(json_object_get(node, key));
    return text ? text : "";
}

static bool is_kind(const json_t *node, const char *kind)
{
    return strcmp(text_of(node, "kind"), kind) == 0;
}

/* Child `i` of a node, NULL past the last. */
static const json_t *child(const json_t *node, size_t i)
{
    return json_array_get(json_object_get(node, "inner"), i);
}

static bool is_unnamed(const char *type)
{
    return strstr(type, "(unnamed") || strstr(type, "(anonymous");
}

/* Line of a declaration in the main file; 0 in an included one. */
static int line_of(const reader *r, const json_t *node)
{
    const json_t *loc = json_object_get(node, "loc"), *expansion = json_object_get(loc, "expansionLoc");
    if (expansion) loc = expansion;
    const json_t *offset = json_object_get(loc, "offset");
    if (!offset || json_object_get(loc, "includedFrom")) return 0;
    size_t end = (size_t)json_integer_value(offset);
    int line = 1;
    for (size_t i = r->mark; i < end && r->marked[i]; i++) line += r->marked[i] == '\n';
    return line;
}

/* Value of the constant below a node: a bit-field's width, an enumerator. Casts may lie between. */
static bool constant_of(const json_t *node, int64_t *value)
{
    const json_t *inner;
    for (size_t i = 0; (inner = child(node, i)); i++) {
        if (is_kind(inner, "ConstantExpr") && *text_of(inner, "value"))
            return *value = g_ascii_strtoll(text_of(inner, "value"), NULL, 10), true;
        if (constant_of(inner, value)) return true;
    }
    return false;
}

static void remember_enum(reader *r, const json_t *node)
{
    int64_t *range = tw__arena_zalloc(r->arena, 2 * sizeof *range, _Alignof(int64_t)), next = 0;
    const json_t *constant;
    bool first = true;
    if (!range) return;
    for (size_t i = 0; (constant = child(node, i)); i++) {
        if (!is_kind(constant, "EnumConstantDecl")) continue;
        constant_of(constant, &next);
        if (first || next < range[0]) range[0] = next;
        if (first || next > range[1]) range[1] = next;
        first = false, next++;
    }
    g_hash_table_insert(r->ranges, (char *)text_of(node, "id"), range);
    if (*text_of(node, "name")) g_hash_table_insert(r->ranges, (char *)text_of(node, "name"), range);
}

/* --- members -------------------------------------------------------------------------------------------------- */

/* Elements of "T[2][3]"; 1 without dimensions, 0 for "T[]". */
static uint64_t elements_of(const char *type)
{
    uint64_t product = 1;
    const char *bracket = strrchr(type, ')'); /* brackets inside of a path do not count */
    for (bracket = strchr(bracket ? bracket : type, '['); bracket; bracket = strchr(bracket + 1, '['))
        product *= g_ascii_strtoull(bracket + 1, NULL, 10);
    return product;
}

/* Size and alignment of a member's type; `tag` is the unnamed record or enum declared just before it. */
static bool measure(reader *r, const char *type, const json_t *tag, tw_abi_record *size)
{
    bool flexible = g_str_has_suffix(type, "[]");
    if (is_unnamed(type)) {
        const tw_abi_record *record = tag ? g_hash_table_lookup(r->records, text_of(tag, "id")) : NULL;
        *size = record && !g_str_has_suffix(type, "*") ? *record : (tw_abi_record){ 4, 4 }; /* enums, pointers */
        size->size *= elements_of(type);
        return true;
    }
    g_autofree char *whole = flexible ? g_strndup(type, strlen(type) - 2) : g_strdup(type);
    const tw_abi_record *known = g_hash_table_lookup(r->sizes, whole);
    if (!known && r->probing) g_hash_table_insert(r->sizes, tw__arena_strdup(r->arena, whole), NULL);
    *size = known ? *known : (tw_abi_record){ 1, 1 };
    if (flexible) size->size = 0;
    return known || r->probing;
}

static bool field_is_signed(const reader *r, const json_t *field, const json_t *tag, unsigned width)
{
    const json_t *type = json_object_get(field, "type");
    const char *plain = text_of(type, *text_of(type, "desugaredQualType") ? "desugaredQualType" : "qualType");
    const int64_t *range = NULL;
    if (strstr(plain, "unsigned") || strstr(plain, "Bool") || strcmp(plain, "bool") == 0) return false;
    if (tag && is_kind(tag, "EnumDecl") && is_unnamed(text_of(type, "qualType")))
        range = g_hash_table_lookup(r->ranges, text_of(tag, "id"));
    else
        range = g_hash_table_lookup(r->ranges, g_str_has_prefix(plain, "enum ") ? plain + 5 : plain);
    return !range || tw_abi_enum_field_is_signed(range[0], range[1], width);
}

/* "struct (unnamed struct at <stdin>:5:59)[3]" -> "struct (unnamed struct)[3]" */
static char *type_name(tw__arena *arena, const char *type)
{
    const char *path = is_unnamed(type) ? strstr(type, " at ") : NULL, *end = path ? strrchr(path, ')') : NULL;
    return end ? tw__arena_printf(arena, "%.*s%s", (int)(path - type), type, end) : tw__arena_strdup(arena, type);
}

static bool changes_layout(const json_t *node)
{
    const json_t *inner;
    for (size_t i = 0; (inner = child(node, i)); i++)
        if (is_kind(inner, "PackedAttr") || is_kind(inner, "AlignedAttr") ||
            is_kind(inner, "MaxFieldAlignmentAttr"))
            return true;
    return false;
}

static uint32_t width_of(const json_t *field)
{
    int64_t value = 0;
    return constant_of(field, &value) ? (uint32_t)value : 0;
}

/* --- records -------------------------------------------------------------------------------------------------- */

static tw_status read_node(reader *r, const json_t *node, const char *outer);

static char *record_name(const reader *r, const json_t *node, const char *outer)
{
    const char *tag = text_of(node, "tagUsed"), *name = text_of(node, "name");
    const char *alias = g_hash_table_lookup(r->typedefs, text_of(node, "id"));
    if (*name) return tw__arena_printf(r->arena, "%s %s", tag, name);
    if (alias) return tw__arena_strdup(r->arena, alias);
    return tw__arena_printf(r->arena, "%s%s<unnamed %s>", outer, *outer ? "::" : "", tag);
}

static tw_status read_record(reader *r, const json_t *node, const char *outer)
{
    size_t count = json_array_size(json_object_get(node, "inner")), used = 0;
    tw_abi_struct *item = TW__NEW(r->arena, tw_abi_struct);
    tw_abi_member *members = TW__NEW_N(r->arena, tw_abi_member, count + 1);
    const char **types = TW__NEW_N(r->arena, const char *, count + 1);
    bool *is_signed = TW__NEW_N(r->arena, bool, count + 1);
    tw_abi_record *record = TW__NEW(r->arena, tw_abi_record);
    char *name = record_name(r, node, outer);
    if (!item || !members || !types || !is_signed || !record || !name)
        return tw__fail(TW_E_NO_MEMORY, "out of memory while reading '%s'", r->source->path);
    const json_t *inner, *tag = NULL;
    for (size_t i = 0; (inner = child(node, i)); i++) {
        tw_status status = read_node(r, inner, name);
        if (status != TW_OK) return status;
        if (is_kind(inner, "RecordDecl") || is_kind(inner, "EnumDecl")) tag = inner;
        if (!is_kind(inner, "FieldDecl")) continue;
        const char *type = text_of(json_object_get(inner, "type"), "qualType");
        tw_abi_record size;
        if (changes_layout(inner) || !measure(r, type, tag, &size))
            return tw__fail(TW_E_NOT_SUPPORTED,
                            "%s:%d: member '%s' of %s: the ABI has no rule for its attributes or type '%s'",
                            r->source->path, line_of(r, node), text_of(inner, "name"), name, type);
        bool bits = json_is_true(json_object_get(inner, "isBitfield"));
        members[used] = (tw_abi_member){ .name = tw__arena_strdup(r->arena, text_of(inner, "name")),
                                         .size = (uint32_t)size.size,
                                         .align = size.align,
                                         .is_bit_field = bits,
                                         .width = bits ? width_of(inner) : 0 };
        types[used] = type_name(r->arena, type);
        is_signed[used] = bits && field_is_signed(r, inner, tag, members[used].width);
        used++;
    }
    if (r->probing) return TW_OK;
    if (changes_layout(node))
        return tw__fail(TW_E_NOT_SUPPORTED, "%s:%d: %s: the ABI has no rule for packed or aligned structs",
                        r->source->path, line_of(r, node), name);
    bool is_union = strcmp(text_of(node, "tagUsed"), "union") == 0;
    tw_status status = tw_abi_layout(members, used, is_union, record);
    if (status != TW_OK) {
        g_autofree char *why = g_strdup(tw_error_message());
        return tw__fail(status, "%s:%d: %s: %s", r->source->path, line_of(r, node), name, why);
    }
    g_hash_table_insert(r->records, (char *)text_of(node, "id"), record);
    *item = (tw_abi_struct){ name, is_union, line_of(r, node), *record, members, types, is_signed, used };
    if (item->line) g_ptr_array_add(r->out->items, item);
    return TW_OK;
}

static tw_status read_node(reader *r, const json_t *node, const char *outer)
{
    if (is_kind(node, "EnumDecl")) remember_enum(r, node);
    bool mine = line_of(r, node) > 0 && !json_is_true(json_object_get(node, "isImplicit"));
    if (is_kind(node, "RecordDecl") && mine && json_is_true(json_object_get(node, "completeDefinition")))
        return read_record(r, node, outer);
    return TW_OK;
}

/* typedef struct { ... } name; */
static void remember_typedefs(reader *r, const json_t *unit)
{
    const json_t *node, *inner;
    for (size_t i = 0; (node = child(unit, i)); i++)
        for (size_t k = 0; is_kind(node, "TypedefDecl") && (inner = child(node, k)); k++) {
            const json_t *tag = json_object_get(inner, "ownedTagDecl");
            if (tag) g_hash_table_insert(r->typedefs, (char *)text_of(tag, "id"), (char *)text_of(node, "name"));
        }
}

static tw_status read_unit(reader *r, const json_t *unit)
{
    const json_t *node;
    tw_status status = TW_OK;
    remember_typedefs(r, unit);
    for (size_t i = 0; status == TW_OK && (node = child(unit, i)); i++) status = read_node(r, node, "");
    return status;
}

/* --- clang ---------------------------------------------------------------------------------------------------- */

static tw_status dump(const tw__source *source, const char *text, tw_diags *diags, json_t **tree)
{
    const tw__toolchain *toolchain;
    tw_status status = tw__toolchain_get(&toolchain);
    if (status != TW_OK) return status;
    GPtrArray *args = tw__toolchain_args(toolchain, source, TW__BUILD_IPU2, 0);
    static const char *const more[] = { "-fsyntax-only",
                                        "-Xclang",
                                        "-ast-dump=json",
                                        "-fno-caret-diagnostics",
                                        "-fdiagnostics-print-source-range-info",
                                        "-fno-color-diagnostics",
                                        "-" };
    g_ptr_array_remove_index(args, args->len - 1);
    g_ptr_array_insert(args, 0, g_strdup(toolchain->clang));
    for (size_t i = 0; i < G_N_ELEMENTS(more); i++) g_ptr_array_add(args, g_strdup(more[i]));
    g_ptr_array_add(args, NULL);
    g_autofree char *out = NULL, *messages = NULL;
    int exit_status = 1;
    status = tw__run((char **)args->pdata, text, strlen(text), &out, &messages, &exit_status);
    g_ptr_array_free(args, TRUE);
    if (status != TW_OK) return status;
    tw__reporter reporter;
    tw__reporter_init(&reporter, source, diags);
    tw__report_text(&reporter, messages);
    if (exit_status != 0)
        status = tw__fail(TW_E_COMPILATION, "%s: %s", source->path,
                          reporter.first_error->len ? reporter.first_error->str : "clang failed");
    tw__reporter_clear(&reporter);
    if (status != TW_OK) return status;
    *tree = json_loads(out, 0, NULL);
    return *tree ? TW_OK : tw__fail(TW_E_COMPILATION, "%s: clang's syntax tree cannot be read", source->path);
}

/* Asks clang for the sizes that the first pass collected: enum tw__probe { tw__0 = sizeof(T), tw__1 = _Alignof(T)...
 * }. */
static tw_status ask_sizes(reader *r)
{
    GPtrArray *texts = g_ptr_array_new();
    GString *probe = g_string_new(r->marked);
    GHashTableIter iter;
    gpointer key;
    g_string_append(probe, "\nenum tw__probe { tw__first = 0");
    g_hash_table_iter_init(&iter, r->sizes);
    while (g_hash_table_iter_next(&iter, &key, NULL)) {
        g_string_append_printf(probe, ", tw__s%u = sizeof(%s), tw__a%u = _Alignof(%s)", texts->len, (char *)key,
                               texts->len, (char *)key);
        g_ptr_array_add(texts, key);
    }
    g_string_append(probe, " };\n");
    json_t *tree = NULL;
    const json_t *node, *constant;
    tw_status status = dump(r->source, probe->str, NULL, &tree);
    for (size_t i = 0; (node = child(tree, i)); i++) {
        if (strcmp(text_of(node, "name"), "tw__probe") != 0) continue;
        for (size_t k = 0; (constant = child(node, k)); k++) {
            const char *name = text_of(constant, "name");
            size_t index = (size_t)g_ascii_strtoull(name[0] && strlen(name) > 5 ? name + 5 : "", NULL, 10);
            if (k == 0 || index >= texts->len) continue;
            tw_abi_record *size = g_hash_table_lookup(r->sizes, texts->pdata[index]);
            if (!size && !(size = TW__NEW(r->arena, tw_abi_record))) continue;
            uint32_t value = width_of(constant); /* the constant's value, as for a bit-field */
            if (name[4] == 's')
                size->size = value;
            else
                size->align = value;
            g_hash_table_insert(r->sizes, texts->pdata[index], size);
        }
    }
    json_decref(tree);
    g_string_free(probe, TRUE);
    g_ptr_array_free(texts, TRUE);
    return status;
}

static tw_status read_all(reader *r, tw_diags *diags)
{
    json_t *tree = NULL;
    GString *marked = g_string_new(NULL);
    tw__add_line_marker(marked, r->source->path);
    g_string_append(marked, r->source->text);
    r->marked = g_string_free(marked, FALSE);
    r->mark = strcspn(r->marked, "\n") + 1;
    tw_status status = dump(r->source, r->marked, diags, &tree);
    r->probing = true;
    if (status == TW_OK) status = read_unit(r, tree);
    r->probing = false;
    if (status == TW_OK) status = ask_sizes(r);
    if (status == TW_OK) status = read_unit(r, tree);
    g_hash_table_remove_all(r->records), g_hash_table_remove_all(r->ranges), g_hash_table_remove_all(r->typedefs);
    json_decref(tree); /* the tables point into it */
    g_free(r->marked);
    return status;
}

/* --- public --------------------------------------------------------------------------------------------------- */

tw_abi_structs *tw_abi_structs_read(const char *path, const char *flags, tw_diags *diags)
{
    char *text = NULL, **words = NULL;
    size_t size;
    tw_status status = tw__read_file(path, &text, &size);
    if (status == TW_OK && strlen(text) != size) status = tw__fail(TW_E_FILE_LOAD, "%s is not a text file", path);
    if (status == TW_OK) status = tw__split_flags(flags, &words);
    tw__source source = { path, text, true, (const char *const *)words };
    tw_abi_structs *made = g_new0(tw_abi_structs, 1);
    *made = (tw_abi_structs){ tw__arena_new(0), g_ptr_array_new() };
    if (!made->arena) status = tw__fail(TW_E_NO_MEMORY, "out of memory");
    if (status == TW_OK) {
        reader r = { .arena = made->arena,
                     .source = &source,
                     .out = made,
                     .records = g_hash_table_new(g_str_hash, g_str_equal),
                     .ranges = g_hash_table_new(g_str_hash, g_str_equal),
                     .typedefs = g_hash_table_new(g_str_hash, g_str_equal),
                     .sizes = g_hash_table_new(g_str_hash, g_str_equal) };
        status = read_all(&r, diags);
        GHashTable *tables[] = { r.records, r.ranges, r.typedefs, r.sizes };
        for (size_t i = 0; i < G_N_ELEMENTS(tables); i++) g_hash_table_destroy(tables[i]);
    }
    if (status != TW_OK) tw_abi_structs_free(made);
    g_strfreev(words);
    free(text);
    return tw__made(status, made);
}

void tw_abi_structs_free(tw_abi_structs *structs)
{
    if (!structs) return;
    g_ptr_array_free(structs->items, TRUE);
    tw__arena_free(structs->arena);
    g_free(structs);
}

size_t tw_abi_structs_count(const tw_abi_structs *structs)
{
    if (!structs) return 0;
    return structs->items->len;
}

const tw_abi_struct *tw_abi_structs_get(const tw_abi_structs *structs, size_t index)
{
    if (!structs) return NULL;
    return index < structs->items->len ? structs->items->pdata[index] : NULL;
}
