/* SPDX-License-Identifier: MIT */
/* The type table: interning of composite types, sizes, names. */
#include "csl/lang/sema/types.h"
#include <glib.h>
#include <stdlib.h>
#include <string.h>

/* Ids, colors and directions are u16 in PE memory, a bool is one word (CSL reference, types). */
#define MACHINE_OF(kind)                                                     \
    ((kind) == TW__CSL_TY_BOOL                                      ? TW_U16 \
     : (kind) >= TW__CSL_TY_DIRECTION && (kind) <= TW__CSL_TY_UT_ID ? TW_U16 \
                                                                    : TW_TYPE_NONE)
#define DEFINE(k, text, bytes, alignment)                                       \
    const tw__csl_type tw__csl_t_##k = { .kind = TW__CSL_TY_##k,                \
                                         .machine = MACHINE_OF(TW__CSL_TY_##k), \
                                         .size = (bytes),                       \
                                         .align = (alignment),                  \
                                         .name = (text) };
TW__CSL_BASIC_TYPES(DEFINE)
#undef DEFINE

#define ALIGN_OF(bytes) ((bytes) > 4 ? 4 : (bytes))
#define INTEGER(n, sign, width, type)                                    \
    const tw__csl_type tw__csl_t_##n = { .kind = TW__CSL_TY_INT,         \
                                         .is_signed = (sign),            \
                                         .bits = (width),                \
                                         .machine = (type),              \
                                         .size = (width) / 8,            \
                                         .align = ALIGN_OF((width) / 8), \
                                         .name = #n };
INTEGER(i8, true, 8, TW_I8)
INTEGER(i16, true, 16, TW_I16)
INTEGER(i32, true, 32, TW_I32)
INTEGER(i64, true, 64, TW_I64)
INTEGER(u8, false, 8, TW_U8)
INTEGER(u16, false, 16, TW_U16)
INTEGER(u32, false, 32, TW_U32)
INTEGER(u64, false, 64, TW_U64)
#define FLOATING(n, width, type)                                   \
    const tw__csl_type tw__csl_t_##n = { .kind = TW__CSL_TY_FLOAT, \
                                         .is_signed = true,        \
                                         .bits = (width),          \
                                         .machine = (type),        \
                                         .size = (width) / 8,      \
                                         .align = (width) / 8,     \
                                         .name = #n };
FLOATING(f16, 16, TW_F16)
FLOATING(bf16, 16, TW_BF16)
FLOATING(cb16, 16, TW_CB16)
FLOATING(f32, 32, TW_F32)

struct tw__csl_types {
    tw__arena *arena;
    const tw__csl_types *below;
    GHashTable *made;  /* all but the basic types: tw__csl_type -> itself */
    GHashTable *names; /* interned texts */
    bool failed;       /* for want of memory, and not of the arena's */
};

/* Everything that makes a type what it is. */
static guint hash_type(gconstpointer key)
{
    const tw__csl_type *t = key;
    size_t h = (size_t)t->kind * 31 + t->bits + (t->is_signed ? 7 : 0) + (t->is_const ? 3 : 0) + (t->many ? 5 : 0);
    h = h * 1000003u ^ ((size_t)t->base >> 4) ^ ((size_t)t->site >> 3);
    for (size_t i = 0; i < t->count; i++) {
        size_t part = 0;
        switch (t->kind) {
        case TW__CSL_TY_ARRAY: part = t->dims[i]; break;
        case TW__CSL_TY_FN: part = (size_t)t->params[i] >> 4; break;
        case TW__CSL_TY_ENUM: part = (size_t)t->enumerators[i].value; break;
        default: part = ((size_t)t->fields[i].type >> 4) ^ (t->tuple ? 0 : g_str_hash(t->fields[i].name)); break;
        }
        h = h * 1000003u ^ part;
    }
    return (guint)(h ^ (h >> 32));
}

static bool same_parts(const tw__csl_type *a, const tw__csl_type *b, size_t i)
{
    switch (a->kind) {
    case TW__CSL_TY_ARRAY: return a->dims[i] == b->dims[i];
    case TW__CSL_TY_FN: return a->params[i] == b->params[i];
    case TW__CSL_TY_ENUM: return a->enumerators[i].value == b->enumerators[i].value; /* one site: the same names */
    default: break;
    }
    return a->fields[i].type == b->fields[i].type && (a->tuple || !strcmp(a->fields[i].name, b->fields[i].name));
}

static gboolean same_type(gconstpointer left, gconstpointer right)
{
    const tw__csl_type *a = left, *b = right;
    if (a->kind != b->kind || a->base != b->base || a->count != b->count || a->bits != b->bits ||
        a->is_signed != b->is_signed || a->is_const != b->is_const || a->many != b->many || a->tuple != b->tuple ||
        a->is_task != b->is_task || a->site != b->site)
        return FALSE;
    for (size_t i = 0; i < a->count; i++)
        if (!same_parts(a, b, i)) return FALSE;
    return TRUE;
}

tw__csl_types *tw__csl_types_new(tw__arena *arena, const tw__csl_types *below)
{
    tw__csl_types *types = tw__calloc(1, sizeof *types);
    if (!types) return NULL;
    *types = (tw__csl_types){ .arena = arena,
                              .below = below,
                              .made = g_hash_table_new(hash_type, same_type),
                              .names = g_hash_table_new(g_str_hash, g_str_equal) };
    return types;
}

void tw__csl_types_free(tw__csl_types *types)
{
    if (!types) return;
    g_hash_table_destroy(types->made);
    g_hash_table_destroy(types->names);
    free(types);
}

bool tw__csl_types_failed(const tw__csl_types *types)
{
    return !types || types->failed;
}

static const tw__csl_type *types_no_memory(tw__csl_types *types)
{
    types->failed = true;
    return &tw__csl_t_POISON;
}

const char *tw__csl_types_intern(tw__csl_types *types, const char *text)
{
    for (const tw__csl_types *t = types; t; t = t->below) {
        const char *known = g_hash_table_lookup(t->names, text);
        if (known) return known;
    }
    char *copy = tw__arena_strdup(types->arena, text);
    if (!copy) return "";
    g_hash_table_add(types->names, copy);
    return copy;
}

/* The table's own copy of `t`, whose lists may be the caller's. */
static const tw__csl_type *intern(tw__csl_types *types, const tw__csl_type *t, size_t part_bytes)
{
    for (const tw__csl_types *table = types; table; table = table->below) {
        const tw__csl_type *known = g_hash_table_lookup(table->made, t);
        if (known) return known;
    }
    tw__csl_type *copy = TW__NEW(types->arena, tw__csl_type);
    void *parts = tw__arena_alloc(types->arena, t->count * part_bytes + 1, 8);
    if (!copy || !parts) return &tw__csl_t_POISON;
    *copy = *t;
    if (t->count) memcpy(parts, t->dims, t->count * part_bytes); /* dims: of all lists the least aligned */
    copy->fields = parts;                                        /* the lists share one union member's place */
    g_hash_table_add(types->made, copy);
    return copy;
}

const tw__csl_type *tw__csl_type_int(tw__csl_types *types, unsigned bits, bool is_signed)
{
    static const tw__csl_type *const fixed[2][4] = {
        { &tw__csl_t_u8, &tw__csl_t_u16, &tw__csl_t_u32, &tw__csl_t_u64 },
        { &tw__csl_t_i8, &tw__csl_t_i16, &tw__csl_t_i32, &tw__csl_t_i64 }
    };
    for (unsigned i = 0; i < 4; i++)
        if (bits == 8u << i) return fixed[is_signed][i];
    /* Other widths are held in the next of the four. */
    unsigned held = bits <= 8 ? 8 : bits <= 16 ? 16 : bits <= 32 ? 32 : 64;
    const tw__csl_type *as = tw__csl_type_int(types, held, is_signed);
    tw__csl_type t = *as;
    t.bits = bits;
    t.name = NULL;
    return intern(types, &t, 1);
}

const tw__csl_type *tw__csl_type_array(tw__csl_types *types, const tw__csl_type *element, size_t rank,
                                       const uint32_t *dims)
{
    uint64_t bytes = element->size;
    for (size_t i = 0; i < rank; i++) bytes = bytes > UINT32_MAX ? bytes : bytes * dims[i];
    tw__csl_type t = { .kind = TW__CSL_TY_ARRAY,
                       .size = bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)bytes,
                       .align = element->align,
                       .base = element,
                       .count = rank,
                       .dims = dims };
    return intern(types, &t, sizeof *dims);
}

const tw__csl_type *tw__csl_type_pointer(tw__csl_types *types, const tw__csl_type *base, bool is_const, bool many)
{
    tw__csl_type t = { .kind = TW__CSL_TY_POINTER,
                       .is_const = is_const,
                       .many = many,
                       .machine = TW_U16,
                       .size = 2,
                       .align = 2,
                       .base = base };
    return intern(types, &t, 1);
}

const tw__csl_type *tw__csl_type_range(tw__csl_types *types, const tw__csl_type *element)
{
    tw__csl_type t = { .kind = TW__CSL_TY_RANGE, .align = 1, .base = element };
    return intern(types, &t, 1);
}

const tw__csl_type *tw__csl_type_fn(tw__csl_types *types, const tw__csl_type *result, size_t count,
                                    const tw__csl_type *const *params, bool is_task)
{
    tw__csl_type t = {
        .kind = TW__CSL_TY_FN, .is_task = is_task, .align = 1, .base = result, .count = count, .params = params
    };
    return intern(types, &t, sizeof *params);
}

unsigned tw__csl_packed_width(const tw__csl_type *t)
{
    switch (t->kind) {
    case TW__CSL_TY_BOOL: return 1;
    case TW__CSL_TY_INT:
    case TW__CSL_TY_ENUM: return t->bits;
    case TW__CSL_TY_FLOAT: return t->size * 8;
    case TW__CSL_TY_POINTER: return 16;
    case TW__CSL_TY_STRUCT:
    case TW__CSL_TY_UNION: return t->packed ? t->bits : 0;
    default: return 0;
    }
}

/* Bits one after the other, in the integer that holds so many. Beyond 64 there is none: the definition is refused. */
static void pack(tw__csl_type *t, tw__csl_field *fields)
{
    t->bits = 0;
    for (size_t i = 0; i < t->count && t->bits <= 64; i++) {
        unsigned width = tw__csl_packed_width(fields[i].type);
        fields[i].bit = t->kind == TW__CSL_TY_UNION ? 0 : (uint8_t)t->bits;
        t->bits = t->kind == TW__CSL_TY_UNION ? width : t->bits + width;
    }
    const tw__csl_type *as = t->bits <= 8    ? &tw__csl_t_u8
                             : t->bits <= 16 ? &tw__csl_t_u16
                             : t->bits <= 32 ? &tw__csl_t_u32
                                             : &tw__csl_t_u64;
    t->size = t->bits ? as->size : 0;
    t->align = as->align;
}

/* Offsets, size and alignment of a struct (fields one after the other) or a union (all at 0). */
static void lay_out(tw__csl_type *t, tw__csl_field *fields)
{
    uint64_t at = 0;
    t->align = 1;
    bool runtime = true;
    for (size_t i = 0; i < t->count; i++) {
        const tw__csl_type *part = fields[i].type;
        uint32_t align = part->align;
        at = (at + align - 1) / align * align;
        fields[i].offset = t->kind == TW__CSL_TY_UNION ? 0 : (uint32_t)at;
        at = t->kind == TW__CSL_TY_UNION ? (at > part->size ? at : part->size) : at + part->size;
        t->align = t->align > align ? t->align : align;
        runtime = runtime && tw__csl_is_runtime(part);
    }
    at = (at + t->align - 1) / t->align * t->align;
    t->size = !runtime ? 0 : at > UINT32_MAX ? UINT32_MAX : (uint32_t)at;
}

const tw__csl_type *tw__csl_type_anonymous(tw__csl_types *types, size_t count, const char *const *names,
                                           const tw__csl_type *const *parts)
{
    tw__csl_field few[16]; /* the table makes its own copy of a type that it does not have */
    tw__csl_field *fields = count <= 16 ? few : tw__calloc(count, sizeof *fields);
    if (!fields) return types_no_memory(types);
    for (size_t i = 0; i < count; i++) {
        char number[24];
        if (!names) g_snprintf(number, sizeof number, "%zu", i);
        fields[i] = (tw__csl_field){ tw__csl_types_intern(types, names ? names[i] : number), parts[i], 0, NULL, 0 };
    }
    tw__csl_type t = { .kind = TW__CSL_TY_STRUCT, .tuple = !names && count, .count = count, .fields = fields };
    lay_out(&t, fields);
    const tw__csl_type *made = intern(types, &t, sizeof *fields);
    if (fields != few) free(fields);
    return made;
}

const tw__csl_type *tw__csl_type_struct(tw__csl_types *types, tw__csl_tkind kind, const void *site,
                                        const char *name, bool is_extern, bool packed, size_t count,
                                        const tw__csl_field *given)
{
    tw__csl_field *fields = tw__calloc(count + 1, sizeof *fields);
    if (!fields) return types_no_memory(types);
    for (size_t i = 0; i < count; i++)
        fields[i] =
            (tw__csl_field){ tw__csl_types_intern(types, given[i].name), given[i].type, 0, given[i].fallback, 0 };
    tw__csl_type t = { .kind = kind,
                       .is_extern = is_extern,
                       .packed = packed,
                       .name = tw__csl_types_intern(types, name),
                       .site = site,
                       .count = count,
                       .fields = fields };
    if (packed)
        pack(&t, fields);
    else
        lay_out(&t, fields);
    const tw__csl_type *made = intern(types, &t, sizeof *fields);
    free(fields);
    return made;
}

const tw__csl_type *tw__csl_type_enum(tw__csl_types *types, const void *site, const char *name,
                                      const tw__csl_type *base, size_t count, const tw__csl_enumerator *given)
{
    tw__csl_enumerator *rows = tw__calloc(count + 1, sizeof *rows);
    if (!rows) return types_no_memory(types);
    for (size_t i = 0; i < count; i++)
        rows[i] = (tw__csl_enumerator){ tw__csl_types_intern(types, given[i].name), given[i].value };
    tw__csl_type t = { .kind = TW__CSL_TY_ENUM,
                       .is_signed = base->is_signed,
                       .bits = base->bits,
                       .machine = base->machine,
                       .size = base->size,
                       .align = base->align,
                       .name = tw__csl_types_intern(types, name),
                       .site = site,
                       .base = base,
                       .count = count,
                       .enumerators = rows };
    const tw__csl_type *made = intern(types, &t, sizeof *rows);
    free(rows);
    return made;
}

static void write_type(GString *out, const tw__csl_type *t);

static void write_list(GString *out, const tw__csl_type *t)
{
    for (size_t i = 0; i < t->count; i++) {
        if (i) g_string_append(out, ", ");
        if (t->kind == TW__CSL_TY_FN) {
            write_type(out, t->params[i]);
            continue;
        }
        if (!t->tuple) g_string_append_printf(out, ".%s: ", t->fields[i].name);
        write_type(out, t->fields[i].type);
    }
}

static void write_type(GString *out, const tw__csl_type *t)
{
    if (out->len > 2 * TW__CSL_TYPE_TEXT) return; /* it is cut there anyway */
    if (t->name) {
        g_string_append(out, t->name);
        return;
    }
    switch (t->kind) {
    case TW__CSL_TY_INT: g_string_append_printf(out, "%c%u", t->is_signed ? 'i' : 'u', t->bits); break;
    case TW__CSL_TY_RANGE:
        g_string_append(out, "range of ");
        write_type(out, t->base);
        break;
    case TW__CSL_TY_ARRAY:
        for (size_t i = 0; i < t->count; i++) g_string_append_printf(out, "%s%u", i ? "," : "[", t->dims[i]);
        g_string_append_c(out, ']');
        write_type(out, t->base);
        break;
    case TW__CSL_TY_POINTER:
        g_string_append(out, t->many ? "[*]" : "*");
        g_string_append(out, t->is_const && t->base->kind != TW__CSL_TY_FN ? "const " : "");
        write_type(out, t->base);
        break;
    case TW__CSL_TY_FN:
        g_string_append(out, t->is_task ? "task(" : "fn(");
        write_list(out, t);
        g_string_append(out, ") ");
        write_type(out, t->base);
        break;
    default:
        g_string_append(out, ".{");
        write_list(out, t);
        g_string_append_c(out, '}');
        break;
    }
}

char *tw__csl_type_text(char out[TW__CSL_TYPE_TEXT], const tw__csl_type *type)
{
    GString *text = g_string_new(NULL);
    write_type(text, type);
    g_strlcpy(out, text->str, TW__CSL_TYPE_TEXT);
    g_string_free(text, TRUE);
    return out;
}

const tw__csl_type *tw__csl_type_named(tw__csl_types *types, const char *name)
{
#define ROW(k, text, size, align) { text, &tw__csl_t_##k },
#define NUMBER(n)                 { #n, &tw__csl_t_##n },
    static const struct {
        const char *name;
        const tw__csl_type *type;
    } rows[] = { TW__CSL_BASIC_TYPES(ROW) NUMBER(i8) NUMBER(i16) NUMBER(i32) NUMBER(i64) NUMBER(u8) NUMBER(u16)
                     NUMBER(u32) NUMBER(u64) NUMBER(f16) NUMBER(bf16) NUMBER(cb16) NUMBER(f32) };
#undef ROW
#undef NUMBER
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].name, name))
            return rows[i].type->kind == TW__CSL_TY_POISON || rows[i].type->kind == TW__CSL_TY_FIFO ? NULL
                                                                                                    : rows[i].type;
    if ((name[0] != 'i' && name[0] != 'u') || !g_ascii_isdigit(name[1]) || name[1] == '0' || strlen(name) > 3)
        return NULL;
    char *end;
    unsigned long bits = strtoul(name + 1, &end, 10);
    return *end || bits > 64 ? NULL : tw__csl_type_int(types, (unsigned)bits, name[0] == 'i');
}

bool tw__csl_is_runtime(const tw__csl_type *t)
{
    switch (t->kind) {
    case TW__CSL_TY_POISON:
    case TW__CSL_TY_VOID:
    case TW__CSL_TY_ENUM: return true;
    case TW__CSL_TY_ARRAY: return tw__csl_is_runtime(t->base);
    case TW__CSL_TY_STRUCT:
    case TW__CSL_TY_UNION:
        for (size_t i = 0; i < t->count; i++)
            if (!tw__csl_is_runtime(t->fields[i].type)) return false;
        return true;
    default: return t->size > 0;
    }
}

size_t tw__csl_element_count(const tw__csl_type *t)
{
    size_t n = 1;
    for (size_t i = 0; t->kind == TW__CSL_TY_ARRAY && i < t->count; i++)
        n = n && t->dims[i] > SIZE_MAX / n ? SIZE_MAX : n * t->dims[i];
    return n;
}

int tw__csl_field_index(const tw__csl_type *t, const char *name)
{
    for (size_t i = 0; i < t->count; i++)
        if (!strcmp(t->fields[i].name, name)) return (int)i;
    return -1;
}
