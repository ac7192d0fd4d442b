/* SPDX-License-Identifier: MIT */
/* Values known at compile time, and operands: what an expression yields while a function is analysed. */
#ifndef TW_CSL_SEMA_VALUE_H
#define TW_CSL_SEMA_VALUE_H

#include "csl/lang/code/image.h"
#include "csl/lang/sema/types.h"
#include "csl/lang/syntax/ast.h"

/* comptime_int is held in 128 bits; arithmetic that leaves them is an error ("comptime_int needs more than 128
 * bits"). Floats of every format are held as double, already rounded to their format: f16, bf16, cb16 and f32
 * operations round once (double has more than twice their precision, so rounding the double result is exact). */
typedef tw__i128 tw__csl_int;

typedef struct tw__csl_global tw__csl_global;     /* a variable of a module instance: sema.h */
typedef struct tw__csl_cell tw__csl_cell;         /* a comptime variable */
typedef struct tw__csl_function tw__csl_function; /* a function or task of a module instance */
typedef struct tw__csl_module tw__csl_module;     /* a module instance */
typedef struct tw__csl_aggregate tw__csl_aggregate;
typedef struct tw__csl_dsd_value tw__csl_dsd_value; /* a DSD or FIFO */

/* Where a pointer points: into a global (its PE address is known once tw__csl_address() was asked), into a comptime
 * variable, or at a plain byte address (both NULL; configuration registers). */
typedef struct tw__csl_pointer {
    tw__csl_global *global;
    tw__csl_cell *cell;
    int64_t offset; /* bytes */
} tw__csl_pointer;

typedef struct tw__csl_value {
    const tw__csl_type *type;
    union {
        tw__csl_int i; /* INT, COMPTIME_INT, BOOL (0, 1), ids, DIRECTION, ENUM, DSR and XDSR numbers */
        double f;
        struct {
            const char *bytes;
            size_t length;
        } string;
        tw__csl_aggregate *parts;   /* ARRAY, STRUCT, UNION */
        const tw__csl_type *t;      /* TYPE */
        tw__csl_pointer pointer;    /* POINTER to data */
        tw__csl_function *function; /* FN, and POINTER to FN */
        tw__csl_module *module;
        tw__csl_dsd_value *dsd; /* DSDs and FIFO */
        struct {
            int64_t start, stop, step;
        } range;
    };
} tw__csl_value;

/* Parts of an array (row-major), struct (in order of fields) or union (one item; `active` is the field).
 * items NULL: every part equals `fill` (which is how a large @zeros costs nothing). Copied on write: a variable that
 * stores into a `shared` aggregate clones it first, so reading a whole aggregate is cheap. */
struct tw__csl_aggregate {
    size_t count;
    bool shared;
    int active;
    tw__csl_value fill;
    tw__csl_value *items;
};

/* A DSD or FIFO known at compile time; never changes. The address lies apart, since a variable gets its place in
 * memory only when somebody asks. DSRs are plain numbers: value.i. */
struct tw__csl_dsd_value {
    tw__csl_dsd packed;          /* run-time form, without base, object, shape */
    tw__csl_pointer base;        /* memory DSDs: the first element */
    tw__csl_shape shape;         /* mem4d */
    const tw__csl_type *element; /* memory DSDs: of what was given as base, NULL = unknown; for checks only */
    uint32_t fifo;               /* FIFO: row of the program's fifos */
};

/* Directions in the order of the router's ports. */
enum {
    TW__CSL_DIR_NORTH,
    TW__CSL_DIR_EAST,
    TW__CSL_DIR_SOUTH,
    TW__CSL_DIR_WEST,
    TW__CSL_DIR_RAMP,
    TW__CSL_DIR_COUNT
};

/* What an expression yields.
 *   NOTHING  poison: an error was reported, every use is silent
 *   VALUE    known at compile time
 *   REGISTER a scalar or DSD in register `reg` of the function being generated
 *   PLACE    in PE memory at [register `reg` if has_reg] + global + offset; aggregates at run time, and lvalues
 *   GROUP    an anonymous struct, tuple or array literal some of whose parts are not known: parts[0 .. type->count)
 */
typedef enum tw__csl_okind {
    TW__CSL_O_NOTHING,
    TW__CSL_O_VALUE,
    TW__CSL_O_REGISTER,
    TW__CSL_O_PLACE,
    TW__CSL_O_GROUP
} tw__csl_okind;

typedef struct tw__csl_operand tw__csl_operand;
struct tw__csl_operand {
    tw__csl_okind kind;
    bool has_reg;  /* PLACE */
    bool variable; /* REGISTER: the register of a variable, which may change later */
    bool is_const; /* PLACE: stores are errors */
    bool inside;   /* PLACE: all indices that led here were checked against dimensions of the global */
    uint16_t reg;
    const tw__csl_type *type;
    tw__csl_value value;      /* VALUE */
    tw__csl_pointer place;    /* PLACE: global + offset, or a comptime cell */
    const tw__csl_type *unit; /* PLACE of bits: the packed type whose integer lies there, from bit `bit` on */
    uint8_t bit;
    tw__csl_operand *parts; /* GROUP */
};

static inline tw__csl_operand tw__csl_known(tw__csl_value value)
{
    return (tw__csl_operand){ .kind = TW__CSL_O_VALUE, .type = value.type, .value = value };
}
static inline bool tw__csl_is_known(const tw__csl_operand *o)
{
    return o->kind == TW__CSL_O_VALUE;
}
static inline tw__csl_value tw__csl_of_int(const tw__csl_type *type, tw__csl_int i)
{
    return (tw__csl_value){ .type = type, .i = i };
}
static inline tw__csl_value tw__csl_of_float(const tw__csl_type *type, double f)
{
    return (tw__csl_value){ .type = type, .f = f };
}
static inline tw__csl_value tw__csl_of_bool(bool b)
{
    return (tw__csl_value){ .type = &tw__csl_t_BOOL, .i = b };
}
static inline tw__csl_value tw__csl_of_type(const tw__csl_type *t)
{
    return (tw__csl_value){ .type = &tw__csl_t_TYPE, .t = t };
}
static inline tw__csl_value tw__csl_of_void(void)
{
    return (tw__csl_value){ .type = &tw__csl_t_VOID };
}

/* Part `index` of an aggregate. */
static inline tw__csl_value tw__csl_part(const tw__csl_aggregate *a, size_t index)
{
    return a->items ? a->items[index] : a->fill;
}

/* value.c. Memory is the arena's; a NULL result means that it ran out. */
tw__csl_aggregate *tw__csl_parts_new(tw__arena *arena, size_t count);                   /* items set, zeroed */
tw__csl_aggregate *tw__csl_parts_fill(tw__arena *arena, size_t count, tw__csl_value v); /* items NULL */
/* The aggregate in *slot, made private and writable: cloned when it is shared, items filled in. */
tw__csl_aggregate *tw__csl_parts_own(tw__arena *arena, tw__csl_aggregate **slot);
/* Value of all zeros (0, false, empty pointer); false when the type has none (comptime-only types). */
bool tw__csl_zero(tw__arena *arena, const tw__csl_type *type, tw__csl_value *out);
/* Deep equality of values of one type. */
bool tw__csl_equal(const tw__csl_value *a, const tw__csl_value *b);
/* Readable text of a value, as @comptime_print shows it; appended to a GString given as void *. */
void tw__csl_value_print(void *gstring, const tw__csl_value *value);
/* Rounds to the format of FLOAT type `type` (nearest even). */
double tw__csl_round(const tw__csl_type *type, double f);
/* Does i fit the integer type? comptime_int takes everything. */
bool tw__csl_fits(const tw__csl_type *type, tw__csl_int i);
/* The low bits of i as a value of the integer type. */
tw__csl_int tw__csl_wrap(const tw__csl_type *type, tw__csl_int i);
/* "-12" into buf. */
char *tw__csl_int_text(char buf[48], tw__csl_int i);

#endif
