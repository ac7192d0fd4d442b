/* SPDX-License-Identifier: MIT */
/* types: types of PTO-AS. All spellings of a tile type give one canonical, compact spelling. */
#include "pto/text/types/types.h"

#include <glib.h>
#include <stdlib.h>

bool tw__type_bad(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tw__vfail(TW_E_PARSE, format, args);
    va_end(args);
    return false;
}

/* Element types: ours, unsigned ones as ui8, MLIR's names of the 8-bit floats. */
tw_type tw__type_element(const char *name)
{
    static const struct {
        const char *name;
        tw_type type;
    } others[] = { { "ui8", TW_U8 },         { "ui16", TW_U16 },         { "ui32", TW_U32 },
                   { "ui64", TW_U64 },       { "si8", TW_I8 },           { "si16", TW_I16 },
                   { "si32", TW_I32 },       { "si64", TW_I64 },         { "f8E4M3FN", TW_F8E4M3 },
                   { "f8E5M2", TW_F8E5M2 },  { "f8E8M0FNU", TW_F8E8M0 }, { "i1", TW_BOOL },
                   { "f4E2M1FN", TW_F4E2M1 } };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(name, others[i].name) == 0) return others[i].type;
    for (int t = 1; t < TW_TYPE_COUNT; t++)
        if (strcmp(name, tw_type_get((tw_type)t)->names[TW_SYSTEM_PTO]) == 0 && *name) return (tw_type)t;
    return TW_TYPE_NONE;
}

/* Says that `text` is none; "dtype" is how manuals write that one stands here. */
bool tw__type_no_element(const char *text, const char *what)
{
    const char *names[TW_TYPE_COUNT + 1] = { "index" };
    size_t count = 1;
    if (!*text) return tw__type_bad("an element type is missing, such as i32");
    if (strcmp(text, "dtype") == 0) return tw__type_bad("'dtype' stands for an element type, such as i32");
    for (int t = 1; t < TW_TYPE_COUNT; t++)
        if (*tw_type_get((tw_type)t)->names[TW_SYSTEM_PTO])
            names[count++] = tw_type_get((tw_type)t)->names[TW_SYSTEM_PTO];
    if (strspn(text, "0123456789?") == strlen(text))
        return tw__type_bad("'%.100s' is an extent: an element type has to follow, such as %.100sxf32", text, text);
    if (strcmp(text, "index") == 0 || tw__type_element(text)) /* a type, but not of elements here */
        return tw__type_bad("'%.100s' is not %s", text, what);
    const char *near = tw__nearest(text, names, count);
    return tw__type_bad(near ? "'%.100s' is not %s; did you mean '%s'?" : "'%.100s' is not %s", text, what, near);
}

/* "?", "-1" or a count. */
bool tw__type_extent(const char *text, int64_t *out)
{
    char *end;
    if (strcmp(text, "?") == 0 || strcmp(text, "-1") == 0) return *out = -1, true;
    unsigned long long value = g_ascii_strtoull(text, &end, 10);
    if (end == text || *end || value > INT32_MAX) return tw__type_bad("'%s' is not an extent", text);
    return *out = (int64_t)value, true;
}

/* "16x?xf32": extents, then an element type. */
bool tw__type_shaped(char *text, unsigned max_rank, int64_t *dims, unsigned *rank, tw_type *element)
{
    *rank = 0;
    for (char *at = text;;) {
        char *x = strchr(at, 'x');
        if (!x || !(g_ascii_isdigit(*at) || *at == '?')) {
            *element = tw__type_element(at);
            return *element ? true : tw__type_no_element(at, "an element type");
        }
        if (*rank == max_rank) return tw__type_bad("more than %u extents", max_rank);
        *x = 0;
        if (!tw__type_extent(at, &dims[(*rank)++])) return false;
        at = x + 1;
    }
}

/* Signless integers are spelled i32, unsigned ones ui32. */
const char *tw__type_element_text(tw_type type)
{
    static const char *const names[] = {
        [TW_U8] = "ui8", [TW_U16] = "ui16", [TW_U32] = "ui32", [TW_U64] = "ui64", [TW_BOOL] = "i1"
    };
    if (type < sizeof names / sizeof *names && names[type]) return names[type];
    return tw_type_name(type, TW_SYSTEM_PTO);
}

static void print_shape(GString *s, const char *name, const tw__as_type *t)
{
    g_string_append_printf(s, "%s<", name);
    for (unsigned d = 0; d < t->rank; d++) {
        if (t->dims[d] < 0)
            g_string_append(s, "?x");
        else
            g_string_append_printf(s, "%lldx", (long long)t->dims[d]);
    }
    g_string_append(s, tw__type_element_text(t->element));
}

/* What stands between the outer < and >. */
bool tw__type_inside(const char *text, char *buf, size_t size)
{
    const char *open = strchr(text, '<'), *close = strrchr(text, '>');
    if (!open || !close || close < open || (size_t)(close - open) > size)
        return tw__type_bad("'%s' lacks its < >", text);
    memcpy(buf, open + 1, (size_t)(close - open - 1));
    buf[close - open - 1] = 0;
    return true;
}

/* --- one function for each kind of type ------------------------------------------------------------------------- */

static bool view_type(const char *text, tw__as_type *type, GString *s)
{
    char buf[512];
    type->kind = text[5] == 't' ? TW__AS_VIEW : TW__AS_PART;
    if (!tw__type_inside(text, buf, sizeof buf) ||
        !tw__type_shaped(g_strstrip(buf), 5, type->dims, &type->rank, &type->element))
        return false;
    if (type->rank == 0) return tw__type_bad("a view has 1 to 5 extents");
    print_shape(s, type->kind == TW__AS_VIEW ? "!pto.tensor_view" : "!pto.partition_tensor_view", type);
    g_string_append_c(s, '>');
    return true;
}

static bool pointer_type(const char *text, tw__as_type *type, GString *s)
{
    char buf[512];
    type->kind = TW__AS_PTR;
    if (!tw__type_inside(text, buf, sizeof buf)) return false;
    char *comma = strchr(buf, ','), *space = comma ? g_strstrip(comma + 1) : NULL;
    if (comma) *comma = 0;
    type->element = tw__type_element(g_strstrip(buf));
    if (!type->element) return tw__type_no_element(buf, "an element type");
    if (space && strcmp(space, "gm") != 0 && strcmp(space, "ub") != 0)
        return tw__type_bad("'%s' is not a memory of a pointer: gm or ub", space);
    type->on_chip = space && *space == 'u';
    g_string_append_printf(s, "!pto.ptr<%s%s>", tw__type_element_text(type->element), type->on_chip ? ", ub" : "");
    return true;
}

/* vector<4xi16>, the counts of TMRGSORT, is kept as a tile; other vectors only exist as names. */
static bool vector_type(const char *text, tw__as_type *type, GString *s)
{
    char buf[64];
    int64_t dims[5];
    unsigned rank;
    tw_type element;
    if (!tw__type_inside(text, buf, sizeof buf)) return false;
    g_string_append_printf(s, "vector<%s>", g_strstrip(buf));
    if (!tw__type_shaped(g_strstrip(buf), 5, dims, &rank, &element)) return false;
    if (rank != 1 || dims[0] != 4 || tw_type_size(element) != 2) return type->kind = TW__AS_OTHER, true;
    type->kind = TW__AS_TILE;
    type->counts = true;
    type->element = element;
    type->tile = tw_pto_tile_of(TW_PTO_VEC, element, 1, 16);
    type->tile.valid_cols = 4;
    return true;
}

/* "memref<" shape ["," "strided<[...], offset: n>"] ["," "#pto.address_space<space>"] ">". On chip it is a tile. */
static bool strided(char *text, tw__as_type *type)
{
    char *open = strchr(text, '['), *close = open ? strchr(open, ']') : NULL, *offset;
    if (!open || !close) return tw__type_bad("expected strided<[strides], offset: n>");
    *close = 0;
    char **parts = g_strsplit(open + 1, ",", 8);
    unsigned count = g_strv_length(parts);
    bool good = count == type->rank || tw__type_bad("%u strides for %u extents", count, type->rank);
    for (unsigned i = 0; i < count && good; i++) good = tw__type_extent(g_strstrip(parts[i]), &type->strides[i]);
    g_strfreev(parts);
    type->strided = true;
    offset = strstr(close + 1, "offset:");
    const char *rest = close + 1 + strspn(close + 1, " ,");
    if (good && *rest != '>' && rest != offset) return tw__type_bad("expected strided<[strides], offset: n>");
    char *end = offset ? strchr(offset, '>') : NULL;
    if (end) *end = 0;
    return good && (!offset || tw__type_extent(g_strstrip(offset + 7), &type->offset));
}

static bool memref_tile(const char *space, tw__as_type *type)
{
    tw_pto_location location;
    if (!tw__type_location(space, &location)) {
        const char *near = tw__type_near_location(space);
        return tw__type_bad(
            near ? "'%s' is not an address space; did you mean '%s'?"
                 : "'%s' is not an address space: gm, zero, vec, mat, left, right, acc, bias or scaling",
            space, near);
    }
    if (type->rank < 1 || type->rank > 2 || type->dims[0] < 1 || type->dims[type->rank - 1] < 1 || type->strided)
        return tw__type_bad("a memref on chip has one or two known extents and no strides");
    type->kind = TW__AS_TILE;
    type->tile = tw_pto_tile_of(location, type->element, type->rank == 2 ? (uint32_t)type->dims[0] : 1,
                                (uint32_t)type->dims[type->rank - 1]);
    return tw_pto_tile_check(&type->tile) == TW_OK;
}

static void print_memref(GString *s, const tw__as_type *type, const char *space)
{
    print_shape(s, "memref", type);
    if (type->strided) {
        g_string_append(s, ", strided<[");
        for (unsigned i = 0; i < type->rank; i++) {
            g_string_append(s, i ? ", " : "");
            if (type->strides[i] < 0)
                g_string_append_c(s, '?');
            else
                g_string_append_printf(s, "%lld", (long long)type->strides[i]);
        }
        g_string_append_c(s, ']');
        if (type->offset < 0)
            g_string_append(s, ", offset: ?");
        else if (type->offset)
            g_string_append_printf(s, ", offset: %lld", (long long)type->offset);
        g_string_append_c(s, '>');
    }
    if (*space) g_string_append_printf(s, ", #pto.address_space<%s>", space);
    g_string_append_c(s, '>');
}

static bool memref_type(const char *text, tw__as_type *type, GString *s)
{
    char buf[512], space[32] = "", *at = buf, *end;
    type->kind = TW__AS_MEMREF;
    type->memref = true;
    if (!tw__type_inside(text, buf, sizeof buf)) return false;
    if ((end = strchr(at, ','))) *end = 0;
    if (!tw__type_shaped(g_strstrip(at), 5, type->dims, &type->rank, &type->element)) return false;
    at = end ? end + 1 : at + strlen(at);
    if (strstr(at, "strided<")) {
        char *after = strstr(at, "#pto");
        if (after) g_strlcpy(space, after, sizeof space);
        if (after) *after = 0;
        if (!strided(at, type)) return false;
        at = space;
    }
    if (strstr(at, "address_space") && strchr(at, '<')) {
        char name[32], *open = strchr(at, '<') + 1, *word = strrchr(open, ' ') ? strrchr(open, ' ') + 1 : open;
        g_strlcpy(name, word, sizeof name); /* `word` may lie in `space` */
        g_strlcpy(space, name, sizeof space);
        space[strcspn(space, ">")] = 0;
    } else if (*g_strstrip(at)) {
        return tw__type_bad("'%s' has no meaning in a memref", at);
    }
    bool global = !*space || strcmp(space, "gm") == 0 || strcmp(space, "zero") == 0;
    if (!global && !memref_tile(space, type)) return false;
    print_memref(s, type, space);
    return true;
}

static bool scalar_type(const char *text, tw__as_type *type, GString *s)
{
    bool index = strcmp(text, "index") == 0;
    type->kind = index ? TW__AS_INDEX : TW__AS_SCALAR;
    type->element = index ? TW_I64 : tw__type_element(text);
    if (!type->element) return tw__type_no_element(text, "a type");
    g_string_append(s, index ? text : tw__type_element_text(type->element));
    return true;
}

/* Types whose values nothing here computes with: known by name, operations refuse them. */
static bool other_type(const char *text, tw__as_type *type, GString *s)
{
    const char *count = g_str_has_prefix(text, "!pto.eventid_array<") ? strchr(text, '<') + 1 : NULL;
    if (count && (!g_ascii_isdigit(*count) || strcmp(count + strspn(count, "0123456789"), ">") != 0))
        return tw__type_bad("'%s': expected a number in !pto.eventid_array<n>", text);
    type->kind = TW__AS_OTHER;
    g_string_append(s, text);
    return true;
}

static const char conv_prefix[] = "!pto.conv_tile<";

static const struct {
    const char *prefix; /* ends in '<', or is the whole name */
    bool (*parse)(const char *text, tw__as_type *type, GString *s);
} type_kinds[] = {
    { "!pto.tile<", tw__type_tile },
    { "!pto.tile_buf<", tw__type_tile },
    { conv_prefix, NULL }, /* tw__type_conv */
    { "!pto.tensor_view<", view_type },
    { "!pto.partition_tensor_view<", view_type },
    { "!pto.ptr<", pointer_type },
    { "memref<", memref_type },
    { "vector<", vector_type },
    { "!pto.pipe", other_type },
    { "!pto.eventid_array<", other_type },
    { "!pto.async_session", other_type },
    { "!pto.async_event", other_type },
    { "!pto.event", other_type },
    { "!pto.vreg<", other_type },
    { "!pto.mask<", other_type },
};

static bool unknown_type(const char *text)
{
    char name[64];
    const char *names[G_N_ELEMENTS(type_kinds)];
    g_snprintf(name, sizeof name, "%.*s", (int)strcspn(text, "<") + 1, text);
    for (size_t i = 0; i < G_N_ELEMENTS(type_kinds); i++) names[i] = type_kinds[i].prefix;
    const char *near = tw__nearest(name, names, G_N_ELEMENTS(names));
    return tw__type_bad(near ? "unknown type '%.100s'; did you mean '%s'?" : "unknown type '%.100s'", text, near);
}

bool tw__as_type_parse(tw__as_module *m, const char *text, tw__as_type *type)
{
    GString *s = g_string_new(NULL);
    bool (*parse)(const char *, tw__as_type *, GString *) = NULL;
    *type = (tw__as_type){ .kind = TW__AS_NONE };
    for (size_t i = 0; i < G_N_ELEMENTS(type_kinds) && !parse; i++) {
        const char *prefix = type_kinds[i].prefix;
        bool open = prefix[strlen(prefix) - 1] == '<';
        if (open ? g_str_has_prefix(text, prefix) : strcmp(text, prefix) == 0) parse = type_kinds[i].parse;
    }
    bool good = parse                                 ? parse(text, type, s)
                : g_str_has_prefix(text, conv_prefix) ? tw__type_conv(m->arena, text, type, s)
                : *text == '!' || strchr(text, '<')   ? unknown_type(text)
                                                      : scalar_type(text, type, s);
    if (good) type->text = tw__arena_strdup(m->arena, s->str);
    if (good && !type->text) m->no_memory = true;
    g_string_free(s, TRUE);
    return good && type->text;
}

const tw__as_type *tw__as_intern(tw__as_module *m, const tw__as_type *type)
{
    /* Bytes between fields count: where they differ, a type is kept twice.
     * NOLINTBEGIN(bugprone-suspicious-memory-comparison) */
    if (m->last && memcmp(m->last, type, sizeof *type) == 0) return m->last;
    const tw__as_type *known = type->text ? g_hash_table_lookup(m->types, type->text) : NULL;
    if (known && memcmp(known, type, sizeof *type) == 0) return m->last = known;
    /* NOLINTEND(bugprone-suspicious-memory-comparison) */
    tw__as_type *copy = TW__NEW(m->arena, tw__as_type);
    if (!copy) return m->no_memory = true, NULL;
    memcpy(copy, type, sizeof *copy);
    if (type->text && !known) g_hash_table_insert(m->types, (gpointer)(uintptr_t)copy->text, copy);
    return m->last = copy;
}

const char *tw__as_type_text(const tw__as_type *type)
{
    if (type->text) return type->text;
    if (type->kind == TW__AS_SCALAR) return tw_type_name(type->element, TW_SYSTEM_PTO);
    return type->kind == TW__AS_TILE ? "a window of a tile" : "a value of no known type";
}
