/* SPDX-License-Identifier: MIT */
/* What the files of this folder share, and those of layout/, which fill its worlds. Nothing else includes it. */
#ifndef TW_CSL_SEMA_LOCAL_H
#define TW_CSL_SEMA_LOCAL_H

#include "csl/lang/sema/sema.h"
#include <glib.h>
#include <stdlib.h>
#include <string.h>

typedef tw__csl_sema sema;
typedef tw__csl_node node;
typedef tw__csl_value value;
typedef tw__csl_operand operand;
typedef tw__csl_type type;
typedef tw__csl_gen gen;

/* Unsigned places in the code of a function; see gen.h. */
typedef uint32_t label; /* 0 = none yet */

/* A comptime variable. Stores under a condition that is only known at run time, opened after the declaration
 * (`depth` then), are errors. */
struct tw__csl_cell {
    value v;
    unsigned depth;
    unsigned level; /* of the loop iteration that declared it, scratch.c */
};

typedef struct binding {
    struct binding *next;
    tw__csl_name name;
    const node *at;
    bool is_const; /* stores are errors */
    operand o;     /* VALUE, REGISTER (of the variable itself), PLACE or GROUP; unused with a cell */
    tw__csl_cell *cell;
    unsigned block; /* number of the block that declared it: redefinition there is an error */
} binding;

/* Where a statement leaves to. DEAD: code after it cannot be reached, the jump is emitted already. */
typedef enum flow { FLOW_NEXT, FLOW_BREAK, FLOW_CONTINUE, FLOW_RETURN, FLOW_DEAD } flow;

/* A loop or labelled block around the current statement. */
typedef struct target {
    struct target *outer;
    tw__csl_name name;
    bool is_loop;
    bool comptime;               /* the loop itself runs now; jumps under a run-time condition use the labels */
    unsigned depth;              /* run-time conditions open at its start */
    unsigned level;              /* of scratch memory around it */
    label at_break, at_continue; /* made on demand when comptime */
    bool has_result;
    operand result; /* of `break :name value` */
    const type *expected;
} target;

/* The function (or initialiser) being analysed. */
typedef struct frame {
    struct frame *outer;
    const tw__csl_function *function; /* NULL in blocks and initialisers */
    const type *result_type;
    bool inlined; /* into the function of an outer frame: `return` is a jump to `done` at most */
    unsigned depth;
    unsigned level; /* of scratch memory around the call */
    label done;
    bool has_result;
    operand result;  /* of an inlined or comptime call; in a run-time function: where an aggregate result goes */
    operand sink;    /* inlined: where a value returned under a run-time condition goes */
    target *leaving; /* of the FLOW_BREAK or FLOW_CONTINUE on its way */
    target *targets;
    GHashTable *addressed; /* names (tw__csl_name) whose address the body takes; NULL at comptime */
} frame;

/* How what is analysed now was reached, for messages: the call (or import) inside which it lies, and so on. */
typedef struct site {
    const struct site *outer;
    const node *at;
    const tw__csl_function *function; /* called there; NULL: the module is imported there */
    bool told;                        /* as a note behind errors: what is called depends on the call */
    bool lasting;                     /* else it lives as long as the C frame of the call */
} site;

/* A function specialised for its comptime arguments and the types of its anytype arguments. */
enum { TW__CSL_MAX_CALLS = 1000 }; /* inside one another, at compile time */

typedef struct special {
    struct special *next;
    const tw__csl_function *function;
    size_t count;
    value *fixed;       /* comptime arguments; type NULL = passed at run time */
    const type **types; /* of all parameters */
    const type *result;
    const site *trail;       /* of the call that asked for it first */
    int index;               /* in the image */
    struct special *waiting; /* queue of bodies to generate */
} special;

/* Shared by the layout and all tile programs of a compilation. */
typedef struct tw__csl_shared {
    const tw__csl_compile_options *options;
    const tw__csl_builtin_table *const *builtins; /* of all floors; ends with NULL */
    tw__csl_ctx *ctx;
    GHashTable *files; /* path -> const node* of parsed files */
    uint64_t steps_left;
    double seconds, deadline; /* wall clock: how many, and when they are over */
    bool out_of_steps, out_of_memory;
    char *stack_base;
    GHashTable *builtin_rows; /* name of a builtin -> its row */
    GHashTable *addressed;    /* FILE node -> GHashTable of names whose address is taken in the file */
} tw__csl_shared;

struct tw__csl_sema {
    tw__csl_shared *shared;
    tw__csl_ctx *ctx;
    tw__arena *arena;   /* for what is evaluated now: `lasting`, or `scratch` inside a comptime loop */
    tw__arena *lasting; /* what stays until the world is complete */
    tw__arena *scratch; /* given back after each iteration, scratch.c */
    unsigned level, keep_from;
    unsigned slot_level; /* of the variable that the last tw__csl_slot() led into */
    tw__csl_types *types;
    tw__csl_phase phase;
    bool is_layout;
    gen *gen;
    tw__csl_module *module, *modules, **last_module;
    frame *frame;
    const site *trail;
    binding *locals;
    unsigned block, blocks;  /* current and last number */
    unsigned depth;          /* open run-time conditions */
    unsigned imports;        /* nested @import_module */
    unsigned calls;          /* nested comptime and inline calls */
    char *stack_base;        /* address of a local of the driver: limits recursion by what is left of the C stack */
    bool keep;               /* registers of statements are not given back: a value may lie in them */
    bool dry;                /* inside @type_of: nothing may be recorded */
    GHashTable *by_function; /* tw__csl_function -> its specials */
    special *waiting, **last_waiting; /* bodies to generate */
    GHashTable *tables;               /* parts of a constant aggregate -> the global that holds it */
    uint32_t *shape_row;              /* by hash: row of the program's shapes + 1, 0 = free; pack.c */
    uint32_t shape_slots;
    void *dsd_slot;                /* lang/dsd keeps its own state of the world here */
    struct tw__csl_layout *layout; /* rectangle, tile code, exports: layout.h */
    tw__csl_image *image;
    int program;                  /* number of the tile program under construction, -1 in the layout */
    struct tile_binding *binding; /* of the tile program */
    struct pending_export {       /* exported variables: their symbols are numbered at the end */
        struct pending_export *next;
        size_t row;
        tw__csl_global *global;
    } *pending_exports;
    tw__csl_global **emitted;     /* end of the placed globals whose bytes are in the image */
    tw__csl_global *initialising; /* whose initial value is being evaluated */
    struct filter_id {            /* what @get_filter_id said */
        struct filter_id *next;
        uint8_t color, number;
        const node *at;
    } *filter_ids;
    bool memory_full;                /* reported */
    uint32_t memory_top, memory_end; /* the free bytes of PE memory */
    uint32_t symbols;                /* placed variables with a name */
    tw__csl_global *placed, **last_placed;
    const type *soft; /* of a value that operators work on: for alternatives that have no type of their own */
};

/* --- core.c --- */
bool tw__csl_init_world(sema *s, tw__csl_shared *shared, tw__csl_image *image, const tw__csl_types *below);
void tw__csl_free_world(sema *s);
bool tw__csl_step(sema *s, const node *at); /* false: a limit is reached (reported once) */
/* The same for memory: asked where much is taken at once, `more` bytes. */
bool tw__csl_memory(sema *s, const node *at, size_t more);
bool tw__csl_room(sema *s, const node *at); /* C stack left? */
void tw__csl_out_of_memory(sema *s);
const char *tw__csl_name_text(const sema *s, tw__csl_name name);
bool tw__csl_stop(const sema *s); /* too many errors or a limit: give up quickly */
#define TYPE_TEXT(t) tw__csl_type_text((char[TW__CSL_TYPE_TEXT]){ 0 }, (t))

/* --- trail.c --- */
const site *tw__csl_lasting_trail(sema *s, const node *at, const tw__csl_function *f,
                                  bool told); /* one more site */

/* --- watch.c: tells whoever looks on --- */
void tw__csl_tell(sema *s, const node *at, const operand *o, const node *definition);
void tw__csl_tell_field(sema *s, const node *at, operand object, const operand *o);
/* What nothing names, and the language therefore leaves alone: variables, and plain functions of the program's own
 * files. Without messages. */
void tw__csl_tell_rest(sema *s);
static inline bool tw__csl_watched(const sema *s)
{
    return s->shared->options->watch != NULL;
}

/* --- scope.c --- */
binding *tw__csl_bind(sema *s, const node *at, tw__csl_name name, operand o, bool is_const);
binding *tw__csl_bind_cell(sema *s, const node *at, tw__csl_name name, value v);
binding *tw__csl_find_local(const sema *s, tw__csl_name name);
int tw__csl_direction_named(const char *name);         /* NORTH, ... RAMP; -1 = it is none */
GHashTable *tw__csl_addressed_names(const node *body); /* set of names under & or at the base of a tensor access */

/* --- scratch.c: memory of comptime loops, see there --- */
typedef struct turn {
    tw__arena *arena;
    tw__arena_mark mark;
    unsigned keep_from;
} turn;
turn tw__csl_turn_begin(sema *s);
void tw__csl_turn_end(sema *s, turn t);
/* The value now belongs to something made on `level`: memory of deeper iterations stays. */
void tw__csl_escape(sema *s, unsigned level, const value *v);
void tw__csl_escape_all(sema *s, unsigned level);
/* Between these, memory lasts, and what loops make for it stays. */
turn tw__csl_last_begin(sema *s);
void tw__csl_last_end(sema *s, turn t);
/* Deep copy for good; false when it holds a pointer to a comptime variable, or out of memory. */
bool tw__csl_lasting_copy(sema *s, const value *v, value *out);

/* --- module.c --- */
typedef struct entry { /* of a module's names */
    tw__csl_global *global;
    tw__csl_function *function;
} entry;
tw__csl_module *tw__csl_load_module(sema *s, const node *at, const char *name, const tw__csl_module *importer,
                                    const value *params, const char *prefix);
const entry *tw__csl_member(const tw__csl_module *m, tw__csl_name name);
operand tw__csl_global_operand(sema *s, const node *at, tw__csl_global *g);
operand tw__csl_entry_operand(sema *s, const node *at, const entry *e);
bool tw__csl_place_global(sema *s, const node *at, tw__csl_global *g);
/* Path of tile code named in the current module. */
const char *tw__csl_tile_path(sema *s, const char *name); /* NULL: there is no memory, which is said */
/* The global that a name or member access means, without reading it; NULL = none. */
tw__csl_global *tw__csl_named_global(sema *s, const node *n);
/* Text of a file named relative to a module's; malloc'ed, NULL when there is none. */
char *tw__csl_read_near(sema *s, const tw__csl_module *m, const char *name, size_t *size);
void tw__csl_bind_top_params(sema *s, tw__csl_module *m);
bool tw__csl_emit_memory(sema *s);
/* names.c: for debuggers. What a name of the function under construction is bound to; at the end of a program, its
 * constants. */
void tw__csl_note_name(sema *s, tw__csl_name name, const operand *o);
void tw__csl_note_constants(sema *s);
/* A compiler-made variable of PE memory: a local aggregate, a parameter of aggregate type, a constant table. */
tw__csl_global *tw__csl_hidden(sema *s, const node *at, const char *name, const type *t, operand init);
/* Leaves the current function for the top level of module `m`; restore with tw__csl_leave_module(). */
typedef struct saved {
    tw__csl_phase phase;
    gen *gen;
    tw__csl_module *module;
    frame *frame;
    const site *trail;
    binding *locals;
    unsigned block, depth;
} saved;
saved tw__csl_enter_module(sema *s, tw__csl_module *m, tw__csl_phase phase);
void tw__csl_leave_module(sema *s, saved old);

/* --- expr.c, place.c, operator.c, coerce.c, literal.c --- */
operand tw__csl_expr_rvalue(sema *s, const node *n, const type *expected);
operand tw__csl_part_named(sema *s, const node *at, operand object, const char *name);
operand tw__csl_index(sema *s, const node *at, operand object);
operand tw__csl_deref(sema *s, const node *at, operand pointer);
void tw__csl_store(sema *s, const node *at, operand place, operand v);
value *tw__csl_slot(sema *s, const node *at); /* writable place of a comptime lvalue; NULL: not one, or reported */
bool tw__csl_is_comptime_lvalue(sema *s, const node *at);
value *tw__csl_slot_at(sema *s, const node *at, tw__csl_pointer p, const type *t);
operand tw__csl_unary(sema *s, const node *n, const type *expected);
operand tw__csl_binary(sema *s, const node *n, const type *expected);
operand tw__csl_operate(sema *s, const node *n, tw__csl_token_kind op, operand a, operand b);
operand tw__csl_condition(sema *s, const node *n, const char *what); /* bool rvalue */
/* As tw__csl_coerce; besides, an integer literal may become a float. */
operand tw__csl_coerce_init(sema *s, const node *at, operand o, const type *to, const char *what);
operand tw__csl_cast(sema *s, const node *at, const type *to, operand o); /* @as */
operand tw__csl_literal(sema *s, const node *n, const type *expected);
operand tw__csl_switch(sema *s, const node *n, const type *expected, bool statement, flow *out);
operand tw__csl_if_value(sema *s, const node *n, const type *expected);
/* Analyses without leaving a trace in the code: for types and for whether a value is known. */
operand tw__csl_dry(sema *s, const node *n, const type *expected);
/* What stands for a value of run time of type `t` where no code is made (`s->gen` is NULL): an error, except where
 * only its type is asked for. */
operand tw__csl_unknown(sema *s, const node *n, const type *t);
/* A copy of an operand that is the register of a variable. */
operand tw__csl_stable(sema *s, const node *at, operand o);
/* Where alternatives put their value, of a type that exists at run time. */
operand tw__csl_sink(sema *s, const type *t);
bool tw__csl_into_sink(sema *s, const node *at, const operand *sink, operand o);
/* An operand of something that becomes `hint`: its own type counts, x in ~x is not widened before ~ is applied. */
operand tw__csl_hinted(sema *s, const node *n, const type *hint);
bool tw__csl_widens(const type *from, const type *to); /* a number becomes one of a wider type by itself */
const type *tw__csl_meeting_type(sema *s, const node *at, const node *const *bodies, size_t count,
                                 const type *expected);
/* Struct operand from parts: a VALUE if all are known, else a GROUP. */
operand tw__csl_compose(sema *s, const type *t, operand *parts, size_t count);
/* The same for at most 8 parts, which are copied, of a struct with these field names (NULL: a tuple). */
operand tw__csl_compose_named(sema *s, size_t count, const char *const *names, const operand *parts);
/* Parts of a GROUP or aggregate VALUE; the operand of part i. */
operand tw__csl_part_of(const operand *o, size_t i);
/* The operand as a PLACE in PE memory (constants and groups get a hidden variable). */
operand tw__csl_in_memory(sema *s, const node *at, operand o);

/* Bits of a scalar in canonical form; false after an error. */
bool tw__csl_scalar_bits(sema *s, const node *at, const value *v, uint64_t *bits);

/* --- packed.c --- */
bool tw__csl_packed_bits(sema *s, const node *at, const value *v, uint64_t *bits); /* false after an error */
bool tw__csl_packed_value(sema *s, const type *t, uint64_t bits, value *out);      /* false: out of memory */
operand tw__csl_packed_field(operand object, size_t i);                            /* of a PLACE of packed type */
operand tw__csl_packed_read(sema *s, const node *at, const operand *place);
void tw__csl_packed_store(sema *s, const node *at, const operand *place, operand v);
/* The bits of a value that a packed field can have, in a register of type u64 (run time only). */
operand tw__csl_packed_integer(sema *s, const node *at, operand v);

/* The value in its form in PE memory, type->size bytes. */
bool tw__csl_bytes(sema *s, const node *at, const value *v, uint8_t *out);

/* A struct, union, enum, array, pointer or function type node. NULL after an error. */
const type *tw__csl_make_type(sema *s, const node *n);

/* --- arith.c: on compile-time values --- */
operand tw__csl_fold_binary(sema *s, const node *n, tw__csl_token_kind op, const value *a, const value *b);
operand tw__csl_fold_unary(sema *s, const node *n, tw__csl_token_kind op, const value *a);

/* --- stmt.c, loop.c --- */
flow tw__csl_stmt(sema *s, const node *n);
flow tw__csl_block(sema *s, const node *n);
flow tw__csl_for(sema *s, const node *n);
flow tw__csl_while(sema *s, const node *n);
operand tw__csl_block_value(sema *s, const node *n, const type *expected);
target *tw__csl_push_target(sema *s, target *t, const node *n, bool is_loop, bool comptime);
/* Runs `body` of a run-time alternative: conditions are deeper inside. */
flow tw__csl_alternative(sema *s, const node *body);

/* --- call.c --- */
operand tw__csl_call(sema *s, const node *n);
operand tw__csl_call_function(sema *s, const node *at, tw__csl_function *f, operand *args,
                              const node *const *arg_nodes, size_t count, bool force_comptime);
bool tw__csl_generate_waiting(sema *s);
special *tw__csl_special_plain(sema *s, const node *at, tw__csl_function *f); /* without comptime parameters */
const type *tw__csl_function_type(sema *s, const tw__csl_function *f);        /* NULL when generic or in error */

/* --- tensor.c --- */
operand tw__csl_tensor_access(sema *s,
                              const node *n); /* |i|{n} -> a[...]: {base_address, offset, stride, extent} */

/* --- builtins --- */
operand tw__csl_builtin(sema *s, const node *n, const type *expected);
extern const tw__csl_builtin_table tw__csl_lang_builtins, tw__csl_data_builtins;

#endif
