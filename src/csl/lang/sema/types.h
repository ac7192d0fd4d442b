/* SPDX-License-Identifier: MIT */
/* Types of CSL (CSL reference, types). A type is interned: equal types are the same pointer, so == compares them.
 * Named structs, unions and enums are nominal: a definition makes one type for each list of members, however often
 * and in whatever instance of a module it is evaluated.
 * Types live as long as the table that made them; the basic types are static. */
#ifndef TW_CSL_SEMA_TYPES_H
#define TW_CSL_SEMA_TYPES_H

#include "core/base/base.h"
#include <tilewright/type.h>

/* X(KIND, spelling, bytes in PE memory (0 = exists at compile time only), alignment in bytes).
 * The rows up to the mark are one static type each, tw__csl_t_KIND; the others are made by the functions below.
 * Ids, queues and colors are held as u16 (CSL reference, types); a bool is one word; DSD values take the 16 bytes of
 * the packed form of code/code.h, which a program cannot see. 32- and 64-bit numbers are aligned to 4 bytes (assumed;
 * the hardware needs 2, but 32-bit SIMD wants 4). */
// clang-format off
#define TW__CSL_BASIC_TYPES(X)                                                                                 \
    X(POISON, "<error>", 0, 1)            /* result of an expression in error: accepted everywhere, silently */ \
    X(VOID, "void", 0, 1)                                                                                      \
    X(BOOL, "bool", 2, 2)                                                                                      \
    X(COMPTIME_INT, "comptime_int", 0, 1)                                                                      \
    X(COMPTIME_FLOAT, "comptime_float", 0, 1)                                                                  \
    X(COMPTIME_STRING, "comptime_string", 0, 1)                                                                \
    X(COMPTIME_STRUCT, "comptime_struct", 0, 1) /* accepts any anonymous struct */                             \
    X(TYPE, "type", 0, 1)                                                                                      \
    X(MODULE, "imported_module", 0, 1)                                                                         \
    X(ANYTYPE, "anytype", 0, 1)           /* only as the type of a parameter */                                \
    X(ANYOPAQUE, "anyopaque", 0, 1)       /* only behind a pointer */                                          \
    X(DIRECTION, "direction", 2, 2)                                                                            \
    X(COLOR, "color", 2, 2)                                                                                    \
    X(DATA_TASK_ID, "data_task_id", 2, 2)                                                                      \
    X(LOCAL_TASK_ID, "local_task_id", 2, 2)                                                                    \
    X(CONTROL_TASK_ID, "control_task_id", 2, 2)                                                                \
    X(INPUT_QUEUE, "input_queue", 2, 2)                                                                        \
    X(OUTPUT_QUEUE, "output_queue", 2, 2)                                                                      \
    X(UT_ID, "ut_id", 2, 2)                                                                                    \
    X(MEM1D_DSD, "mem1d_dsd", 16, 4)                                                                           \
    X(MEM4D_DSD, "mem4d_dsd", 16, 4)                                                                           \
    X(CIRCBUF_DSD, "circbuf_dsd", 16, 4)                                                                       \
    X(FABIN_DSD, "fabin_dsd", 16, 4)                                                                           \
    X(FABOUT_DSD, "fabout_dsd", 16, 4)                                                                         \
    X(FIFO, "fifo", 0, 1)                                                                                      \
    X(DSR_DEST, "dsr_dest", 0, 1)                                                                              \
    X(DSR_SRC0, "dsr_src0", 0, 1)                                                                              \
    X(DSR_SRC1, "dsr_src1", 0, 1)                                                                              \
    X(DSR_FIFO_DEST, "dsr_fifo_dest", 0, 1)                                                                    \
    X(DSR_FIFO_SRC1, "dsr_fifo_src1", 0, 1)                                                                    \
    X(XDSR, "xdsr", 0, 1)                                                                                      \
    X(SR, "sr", 0, 1)
// clang-format on

typedef enum tw__csl_tkind {
#define TW__CSL_TKIND(name, text, size, align) TW__CSL_TY_##name,
    TW__CSL_BASIC_TYPES(TW__CSL_TKIND)
#undef TW__CSL_TKIND
        TW__CSL_TY_BASIC_COUNT,
    TW__CSL_TY_INT = TW__CSL_TY_BASIC_COUNT, /* bits, is_signed */
    TW__CSL_TY_FLOAT,                        /* machine = TW_F16, TW_BF16, TW_CB16 or TW_F32 */
    TW__CSL_TY_RANGE,                        /* of integers `base` */
    TW__CSL_TY_ARRAY,                        /* [dims] base, row-major */
    TW__CSL_TY_POINTER,                      /* *base, *const base, [*]base */
    TW__CSL_TY_FN,                           /* params -> base; is_task for tasks */
    TW__CSL_TY_STRUCT,                       /* fields; named or anonymous; a tuple has fields "0", "1", ... */
    TW__CSL_TY_UNION,
    TW__CSL_TY_ENUM /* enumerators over the integer type base */
} tw__csl_tkind;

typedef struct tw__csl_type tw__csl_type;

typedef struct tw__csl_field {
    const char *name; /* interned in the table */
    const tw__csl_type *type;
    uint32_t offset;      /* bytes from the start of the struct, when it has a size; 0 in packed ones */
    const void *fallback; /* tw__csl_node of the default value; NULL = none */
    uint8_t bit;          /* in packed types: number of its lowest bit */
} tw__csl_field;

typedef struct tw__csl_enumerator {
    const char *name;
    int64_t value;
} tw__csl_enumerator;

struct tw__csl_type {
    tw__csl_tkind kind;
    bool is_signed;   /* INT */
    bool is_const;    /* POINTER: *const */
    bool many;        /* POINTER: [*] */
    bool is_task;     /* FN */
    bool tuple;       /* STRUCT without field names */
    bool is_extern;   /* STRUCT, UNION: C layout, may be exported */
    bool packed;      /* STRUCT, UNION */
    unsigned bits;    /* INT: 1 .. 64; packed STRUCT, UNION: of all fields, may be too many */
    tw_type machine;  /* element type of core/type of numbers and bool, TW_U16 for ids; TW_TYPE_NONE otherwise */
    uint32_t size;    /* bytes in PE memory; 0 = only at compile time (or void, or empty) */
    uint32_t align;   /* bytes, at least 1 */
    const char *name; /* basic types and nominal types; NULL otherwise */
    const void *site; /* nominal types: tw__csl_node of the definition */
    const tw__csl_type *base;
    size_t count; /* dimensions, parameters, fields or enumerators */
    union {
        const uint32_t *dims;
        const tw__csl_type *const *params;
        const tw__csl_field *fields;
        const tw__csl_enumerator *enumerators;
    };
};

#define TW__CSL_DECLARE(name, text, size, align) extern const tw__csl_type tw__csl_t_##name;
TW__CSL_BASIC_TYPES(TW__CSL_DECLARE)
#undef TW__CSL_DECLARE
extern const tw__csl_type tw__csl_t_i8, tw__csl_t_i16, tw__csl_t_i32, tw__csl_t_i64;
extern const tw__csl_type tw__csl_t_u8, tw__csl_t_u16, tw__csl_t_u32, tw__csl_t_u64;
extern const tw__csl_type tw__csl_t_f16, tw__csl_t_bf16, tw__csl_t_cb16, tw__csl_t_f32;

/* Makes and interns composite types. A table may stand on another one, which then must not change any more: a tile
 * program sees the types of the layout's table. Every maker returns the poison type when memory runs out. */
typedef struct tw__csl_types tw__csl_types;
tw__csl_types *tw__csl_types_new(tw__arena *arena, const tw__csl_types *below); /* below may be NULL */
void tw__csl_types_free(tw__csl_types *types);                                  /* not the arena; NULL is fine */
bool tw__csl_types_failed(const tw__csl_types *types); /* a type became POISON for want of memory, or is NULL */

const tw__csl_type *tw__csl_type_int(tw__csl_types *types, unsigned bits, bool is_signed); /* 1 .. 64 bits */
const tw__csl_type *tw__csl_type_array(tw__csl_types *types, const tw__csl_type *element, size_t rank,
                                       const uint32_t *dims);
const tw__csl_type *tw__csl_type_pointer(tw__csl_types *types, const tw__csl_type *base, bool is_const, bool many);
const tw__csl_type *tw__csl_type_range(tw__csl_types *types, const tw__csl_type *element);
const tw__csl_type *tw__csl_type_fn(tw__csl_types *types, const tw__csl_type *result, size_t count,
                                    const tw__csl_type *const *params, bool is_task);
/* Anonymous struct or tuple (names NULL); structural. */
const tw__csl_type *tw__csl_type_anonymous(tw__csl_types *types, size_t count, const char *const *names,
                                           const tw__csl_type *const *parts);
/* Bits of a field of this type in a packed struct or union; 0 = none of the types that can be there. */
unsigned tw__csl_packed_width(const tw__csl_type *t);
/* Nominal types: one for each `site` and list of members. Fields get their offsets here. */
const tw__csl_type *tw__csl_type_struct(tw__csl_types *types, tw__csl_tkind kind, const void *site,
                                        const char *name, bool is_extern, bool packed, size_t count,
                                        const tw__csl_field *fields);
const tw__csl_type *tw__csl_type_enum(tw__csl_types *types, const void *site, const char *name,
                                      const tw__csl_type *base, size_t count, const tw__csl_enumerator *rows);
const char *tw__csl_types_intern(tw__csl_types *types, const char *text);

/* "[4,4]f32", "*const fn(u16) void"; into `out` (NUL-terminated, cut when long); returns out. */
#define TW__CSL_TYPE_TEXT 96
char *tw__csl_type_text(char out[TW__CSL_TYPE_TEXT], const tw__csl_type *type);

/* Predefined type called `name` ("u16", "fabin_dsd", "i24"), NULL when it is none. */
const tw__csl_type *tw__csl_type_named(tw__csl_types *types, const char *name);

static inline bool tw__csl_is_int(const tw__csl_type *t)
{
    return t->kind == TW__CSL_TY_INT || t->kind == TW__CSL_TY_COMPTIME_INT;
}
static inline bool tw__csl_is_float(const tw__csl_type *t)
{
    return t->kind == TW__CSL_TY_FLOAT || t->kind == TW__CSL_TY_COMPTIME_FLOAT;
}
static inline bool tw__csl_is_number(const tw__csl_type *t)
{
    return tw__csl_is_int(t) || tw__csl_is_float(t);
}
/* Colors, task ids, queues and microthread ids: small numbers of their own types, read with @get_int. */
static inline bool tw__csl_is_id(const tw__csl_type *t)
{
    return t->kind >= TW__CSL_TY_COLOR && t->kind <= TW__CSL_TY_UT_ID;
}
static inline bool tw__csl_is_dsd(const tw__csl_type *t)
{
    return t->kind >= TW__CSL_TY_MEM1D_DSD && t->kind <= TW__CSL_TY_FABOUT_DSD;
}
static inline bool tw__csl_is_dsr(const tw__csl_type *t)
{
    return t->kind >= TW__CSL_TY_DSR_DEST && t->kind <= TW__CSL_TY_DSR_FIFO_SRC1;
}
static inline bool tw__csl_is_aggregate(const tw__csl_type *t)
{
    return t->kind == TW__CSL_TY_ARRAY || t->kind == TW__CSL_TY_STRUCT || t->kind == TW__CSL_TY_UNION;
}
/* Values of the type can exist at run time (have a size, or are void). */
bool tw__csl_is_runtime(const tw__csl_type *t);
/* Elements of an array, 1 for anything else. */
size_t tw__csl_element_count(const tw__csl_type *t);
/* Index of the field called `name`, -1 when there is none. */
int tw__csl_field_index(const tw__csl_type *t, const char *name);

#endif
