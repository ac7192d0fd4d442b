/* SPDX-License-Identifier: MIT */
/* Semantic analysis: one lazy pass over the tree. An expression yields an operand: a compile-time value, or code
 * appended to the function being generated and the register or memory place that holds the result.
 *
 * A `sema` is one world: the layout, or one tile program (a file with all its parameters bound). Module instances,
 * their variables and functions are made when first named; a world that stands on another one (`below`) sees its
 * types.
 *
 * Errors: reported once where they are found; the expression yields tw__csl_nothing, whose uses are silent. */
#ifndef TW_CSL_SEMA_SEMA_H
#define TW_CSL_SEMA_SEMA_H

#include "csl/lang/compile.h"
#include "csl/lang/sema/value.h"

typedef struct tw__csl_sema tw__csl_sema;
typedef struct tw__csl_gen tw__csl_gen; /* a run-time function under construction: sema/gen.h */

/* --- where code is: at most one of these worlds of rules applies (CSL reference, builtins, column "When") --- */
typedef enum tw__csl_phase {
    TW__CSL_PHASE_LAYOUT,   /* layout block and what it calls */
    TW__CSL_PHASE_COMPTIME, /* top-level comptime block of a tile program and what it calls */
    TW__CSL_PHASE_VALUE,    /* any other comptime evaluation: initialisers, array sizes, comptime functions */
    TW__CSL_PHASE_RUNTIME   /* body of a run-time function: there is a tw__csl_gen */
} tw__csl_phase;

/* A module-level variable, constant or parameter of a module instance. */
struct tw__csl_global {
    tw__csl_module *module;
    const tw__csl_node *node; /* VAR; NULL for one the compiler made */
    const char *name;         /* as the symbol table shows it: "m.x"; the top module's without prefix */
    const tw__csl_type *type; /* NULL before analysis */
    enum { TW__CSL_FRESH, TW__CSL_BUSY, TW__CSL_DONE } state;
    bool is_var;    /* lives in PE memory and may change */
    bool bound;     /* param: `value` was given from outside */
    bool placed;    /* `address` counts */
    bool own_align; /* align(n) was written */
    bool is_extern, is_export;
    bool addressed;        /* its address is known to more than loads and stores by its name */
    uint32_t align;        /* bytes */
    uint32_t address;      /* in PE memory, bytes */
    tw__csl_operand value; /* initial value; NOTHING after an error */
    uint32_t symbol;       /* row of the program's symbols, once it is placed */
    struct tw__csl_global *next_placed;
};

struct tw__csl_function {
    tw__csl_module *module;
    const tw__csl_node *node; /* FN */
    const char *name;         /* qualified */
    bool is_task;
    bool is_inline;
    const tw__csl_type *type; /* NULL until first named */
};

struct tw__csl_module {
    tw__csl_sema *sema;
    const tw__csl_node *file;    /* FILE */
    const char *path;            /* as found */
    const char *prefix;          /* "m." of symbols, "" for the top module */
    bool is_library;             /* found as <...>: may use @__sys */
    void *names;                 /* GHashTable: tw__csl_name -> entry */
    tw__csl_module *next;        /* in order of import */
    const void *trail;           /* site of its import; NULL for the top module */
    const tw__csl_value *params; /* the struct that was given, NULL */
    unsigned depth;              /* of imports above this one */
};

/* --- services for builtins (lang/dsd and sema/builtin_*.c) --- */
tw__csl_ctx *tw__csl_sema_ctx(const tw__csl_sema *s);
tw__arena *tw__csl_sema_arena(const tw__csl_sema *s);   /* may be gone after this statement */
tw__arena *tw__csl_sema_lasting(const tw__csl_sema *s); /* until the program is complete */
tw__csl_types *tw__csl_sema_types(const tw__csl_sema *s);
bool tw__csl_sema_wse3(const tw__csl_sema *s);
tw__csl_phase tw__csl_sema_phase(const tw__csl_sema *s);
tw__csl_image *tw__csl_sema_image(const tw__csl_sema *s);
tw__csl_program *tw__csl_sema_program(const tw__csl_sema *s); /* under construction; NULL in the layout */
tw__csl_gen *tw__csl_sema_gen(const tw__csl_sema *s);         /* NULL unless PHASE_RUNTIME */

static inline tw__csl_operand tw__csl_nothing(void)
{
    return (tw__csl_operand){ .kind = TW__CSL_O_NOTHING, .type = &tw__csl_t_POISON };
}
static inline bool tw__csl_is_nothing(const tw__csl_operand *o)
{
    return o->kind == TW__CSL_O_NOTHING;
}

/* Reports at `at`; returns nothing, so that a check ends in one line. `code` as "csl.type". */
tw__csl_operand tw__csl_error(tw__csl_sema *s, const tw__csl_node *at, const char *code, const char *format, ...)
    TW_PRINTF(4, 5);
void tw__csl_warn(tw__csl_sema *s, const tw__csl_node *at, const char *code, const char *format, ...)
    TW_PRINTF(4, 5);
/* A note to the message before: where something was defined, what would be right. */
void tw__csl_note(tw__csl_sema *s, const tw__csl_node *at, const char *format, ...) TW_PRINTF(3, 4);

/* Has the call of a builtin so many arguments? false after an error. */
bool tw__csl_arguments(tw__csl_sema *s, const tw__csl_node *call, size_t min, size_t max);

/* Analyses an expression. `expected` (may be NULL) steers literals: the operand still has its own type. */
tw__csl_operand tw__csl_expr(tw__csl_sema *s, const tw__csl_node *node, const tw__csl_type *expected);
/* Loads a scalar in memory into a register, reads a comptime variable; aggregates stay places. */
tw__csl_operand tw__csl_rvalue(tw__csl_sema *s, const tw__csl_node *at, tw__csl_operand o);
/* The pointer to an lvalue: &node. A constant of a module is its place in PE memory, not a folded copy. */
tw__csl_operand tw__csl_address_of(tw__csl_sema *s, const tw__csl_node *node);
/* Implicit conversion (CSL reference, coercions) of an operand to `type`; an error names `what` ("argument 2 of
 * @mov16"). */
tw__csl_operand tw__csl_coerce(tw__csl_sema *s, const tw__csl_node *at, tw__csl_operand o, const tw__csl_type *type,
                               const char *what);
/* Evaluates to a compile-time value, of `type` unless NULL; false after an error ("<what> must be known at compile
 * time"). */
bool tw__csl_comptime(tw__csl_sema *s, const tw__csl_node *node, const tw__csl_type *type, const char *what,
                      tw__csl_value *out);
bool tw__csl_comptime_bool(tw__csl_sema *s, const tw__csl_node *node, const char *what, bool *out);
/* An integer within [min, max] known at compile time. */
bool tw__csl_comptime_int_in(tw__csl_sema *s, const tw__csl_node *node, const char *what, int64_t min, int64_t max,
                             int64_t *out);
/* An expression that names a type. NULL after an error. */
const tw__csl_type *tw__csl_type_expr(tw__csl_sema *s, const tw__csl_node *node);

/* Field `name` of a struct operand: false when it has none. Parts of GROUPs, values and places alike. */
bool tw__csl_get_field(const tw__csl_operand *object, const char *name, tw__csl_operand *out);

/* Register with the address of a place in PE memory (run time only). */
uint16_t tw__csl_place_register(tw__csl_sema *s, const tw__csl_node *at, const tw__csl_operand *place);
/* Address in PE memory of a global, placed at the first question. false after "out of PE memory". */
bool tw__csl_address(tw__csl_sema *s, const tw__csl_node *at, tw__csl_global *global, uint32_t *address);

/* The function behind a function value (task or fn name, possibly through a param); NULL when it is none. */
tw__csl_function *tw__csl_function_of(const tw__csl_operand *o);
/* Index in the image of the code of a task or function without comptime parameters; -1 after an error. */
int tw__csl_function_index(tw__csl_sema *s, const tw__csl_node *at, tw__csl_function *function);

/* The operand in a register of the function being generated: constants come from the pool, places are loaded. */
uint16_t tw__csl_to_register(tw__csl_sema *s, const tw__csl_node *at, const tw__csl_operand *o);

/* --- builtins. A row's function gets the BUILTIN node and evaluates the arguments itself. --- */
typedef tw__csl_operand (*tw__csl_builtin_fn)(tw__csl_sema *s, const tw__csl_node *call,
                                              const tw__csl_type *expected);
typedef struct tw__csl_builtin_row {
    const char *name; /* without @ */
    tw__csl_builtin_fn fn;
} tw__csl_builtin_row;
typedef struct tw__csl_builtin_table {
    const tw__csl_builtin_row *rows;
    size_t count;
} tw__csl_builtin_table;
/* The module-level declaration whose initial value is being evaluated, NULL in a function: for @allocate_fifo. */
tw__csl_global *tw__csl_sema_initialising(const tw__csl_sema *s);
/* State of lang/dsd in this world: a pointer of its own, NULL at first. */
void **tw__csl_sema_dsd_slot(tw__csl_sema *s);
/* A comptime DSD value in its run-time form; false after an error. */
bool tw__csl_pack_dsd(tw__csl_sema *s, const tw__csl_node *at, const tw__csl_value *v, tw__csl_dsd *out);

#endif
