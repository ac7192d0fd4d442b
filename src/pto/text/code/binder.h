/* SPDX-License-Identifier: MIT */
/* binder: what the passes that turn the tree into code share: names, slots, code, an operation's parts, its
 * attributes and rules (code/op_rules.h). */
#ifndef TW_PTO_AS_BINDER_H
#define TW_PTO_AS_BINDER_H

#include "pto/text/as.h"

#include <glib.h>

enum { TW__AS_OPERANDS = 32, TW__AS_TYPES = 64, TW__AS_NAMED = 8, TW__AS_ERRORS = 20 };

typedef struct tw__as_expect { /* how the block being bound has to end */
    const char *by;            /* operation; NULL = it need not */
    const tw__as_type *types;  /* of its values */
    unsigned count;
    bool met;
} tw__as_expect;

typedef struct tw__as_entry { /* of the table of names */
    uint32_t slot;
    tw__as_place where; /* of the definition; line 0 = of an operation that failed, or not in the text */
} tw__as_entry;

typedef struct tw__as_undo {
    const char *name;
    gpointer old;
} tw__as_undo;

typedef struct tw__as_early { /* an address before its tile */
    const tw__as_line *op;
    tw__as_place where;
    uint64_t address;
    bool taken;
} tw__as_early;

typedef struct tw__as_known { /* of a value before the program runs; NULL = nothing */
    const int64_t *number;    /* of a constant */
    const tw__as_code *maker; /* what made it out of lists of numbers */
} tw__as_known;

typedef struct tw__as_binder {
    tw__as_module *m;
    tw__as_program *program;
    tw__as_function *f;
    tw__as_code **end;   /* where the next code goes */
    GHashTable *names;   /* text -> number in entries + 1 */
    GArray *entries;     /* tw__as_entry, of the function */
    GArray *undo;        /* names of inner scopes: (text, old) */
    GHashTable *pending; /* plain assembly: name -> tw__as_early, from pto.tassign before the definition */
    tw__as_known *known; /* by slot */
    size_t slot_room, type_room, known_room, free_room, where_room;
    const tw__as_type *const *types; /* of the last code that has one */
    tw__as_expect expect;
    size_t errors;         /* of the module before binding began */
    bool expect_condition; /* the block bound last ended in scf.condition */
    bool failed, top;      /* top: plain assembly, outside functions */
    bool too_many;         /* values for one function: said once */
    GHashTable *functions; /* name -> function */
} tw__as_binder;

/* What an operation consists of, by role. Dictionaries and named parts stay items: the operation knows their meaning.
 * */
typedef struct tw__as_parts {
    tw__as_item *in[TW__AS_OPERANDS], *out[TW__AS_OPERANDS], *list[3][TW__AS_OPERANDS];
    const tw__as_type *in_type[TW__AS_TYPES], *out_type[TW__AS_TYPES], *result[TW__AS_TYPES], *to;
    unsigned ins, outs, in_types, out_types, results, lists[3], list_count;
    tw__as_item *dict[4], *named[TW__AS_NAMED];
    unsigned dicts, nameds;
    bool dps;
} tw__as_parts;

/* --- binder.c --------------------------------------------------------------------------------------------------- */

/* An error at an item, or at the operation's name when `where` is NULL; marks the operation as failed. */
void tw__as_refuse(tw__as_binder *b, const tw__as_item *where, const tw__as_op *op, const char *code,
                   const char *format, ...) TW_PRINTF(5, 6);
static inline tw__as_place tw__as_place_of(const tw__as_item *item)
{
    return (tw__as_place){ item->line, item->column, item->length };
}
/* For messages. */
static inline tw__as_item tw__as_item_at(tw__as_place place)
{
    return (tw__as_item){ .line = place.line, .column = place.column, .length = place.length };
}
bool tw__as_go_on(const tw__as_binder *b); /* not too many errors yet */
bool tw__as_find(const tw__as_binder *b, const char *name, uint32_t *slot);
/* A new slot. `where`: a name that is visible there already is an error; NULL: not defined in the text. */
uint32_t tw__as_define(tw__as_binder *b, const char *name, const tw__as_type *type, const tw__as_place *where);
tw__as_place tw__as_result_place(const tw__as_op *op, unsigned i);
uint32_t tw__as_define_result(tw__as_binder *b, const tw__as_op *op, unsigned i, const tw__as_type *type);
/* Another name for a slot, by the same rule. */
void tw__as_rename(tw__as_binder *b, const char *name, uint32_t slot, const tw__as_place *where);
/* A name that plain assembly leaves open. */
bool tw__as_define_free(tw__as_binder *b, const tw__as_item *name, const tw__as_type *type, uint32_t *slot);
guint tw__as_enter(const tw__as_binder *b); /* a scope; leave takes what enter gave */
void tw__as_leave(tw__as_binder *b, guint mark);
/* Code appended to the block; NULL when out of memory (b->failed). */
tw__as_code *tw__as_code_new(tw__as_binder *b, const tw__as_op *op, tw__as_fn fn);
/* Attributes as code keeps them: NULL when they are all zero, or (b->failed) when there is no memory. */
const tw_pto_attrs *tw__as_keep_attrs(tw__as_binder *b, const tw_pto_attrs *attrs);
bool tw__as_set_operands(tw__as_binder *b, tw__as_code *code, const uint32_t *slots, tw__as_item *const *where,
                         unsigned count);
/* Defines the names of the operation's results; their number has to be `count`. */
bool tw__as_set_results(tw__as_binder *b, tw__as_code *code, const tw__as_op *op, const tw__as_type *types,
                        unsigned count);
/* One result without a name of its own (constants, declared tiles). */
bool tw__as_set_result(tw__as_binder *b, tw__as_code *code, const tw__as_type *type, uint32_t slot);
/* A number written where a value stands: a constant of `type` (TW_TYPE_NONE: f32 or i64 by its spelling). */
bool tw__as_constant(tw__as_binder *b, const tw__as_op *op, const tw__as_item *item, tw_type type, uint32_t *slot);
void tw__as_undefined(tw__as_binder *b, const tw__as_item *item, const tw__as_op *op); /* refuses a name */
/* Slots of values that exist; numbers become constants of `type`. */
bool tw__as_slots(tw__as_binder *b, const tw__as_op *op, tw__as_item *const *items, unsigned count, tw_type type,
                  uint32_t *slots);
/* Types as far as they are known; tile and tile_buf are the same. */
bool tw__as_same_type(const tw__as_type *a, const tw__as_type *b);
bool tw__as_is_integer(const tw__as_type *type); /* index, i1 to i64, or not known */

/* --- operand_parts.c -------------------------------------------------------------------------------------------- */

void tw__as_collect(tw__as_binder *b, const tw__as_op *op, tw__as_parts *p);
/* The word that matters in "#pto<cmp lt>", "#pto.pipe<PIPE_V>", "lt", "<lt>". */
void tw__as_attr_word(const char *text, char *buf, size_t size);

/* --- attributes.c ----------------------------------------------------------------------------------------------- */

/* Attributes of a tile instruction, all of them known ones of the row with values that they can have. */
bool tw__as_bind_attrs(tw__as_binder *b, const tw__as_op *op, const tw__pto_row *row, const tw__as_parts *p,
                       tw_pto_attrs *attrs);
/* The word of a value: of an attribute (aliases are followed), in a string, or as it stands. */
void tw__as_value_word(const tw__as_binder *b, const tw__as_item *value, char *buf, size_t size);
/* The value is of one of these enumerations (each followed by a blank), or says none. */
bool tw__as_is_class(const tw__as_binder *b, const tw__as_item *value, const char *classes);
typedef enum tw__as_gives { /* what an operation's result is, by where its type stands */
                            TW__GIVES_NOTHING,
                            TW__GIVES_LAST,  /* after '->', else the last after ':' */
                            TW__GIVES_FIRST, /* the first after ':', else i1 */
                            TW__GIVES_ARROW, /* after '->', else the second after ':' */
                            TW__GIVES_TO,    /* after "to" */
                            TW__GIVES_OUTS,  /* after "outs :", else after '->' */
                            TW__GIVES_WHOLE, /* that of the first operand */
                            TW__GIVES_TRUTH, /* i1 */
                            TW__GIVES_INDEX, /* after '->', else index */
                            TW__GIVES_WIDE   /* after '->' or ':', else i64 */
} tw__as_gives;

/* An operation other than a tile instruction: all that is known of it, in one row of a family's table (text/ops). */
typedef struct tw__as_site tw__as_site;
struct tw__as_host {
    const char *name;
    tw__as_fn fn;
    int64_t number; /* for fn, unless bind sets another (it may set another fn too) */
    tw__as_gives gives;
    unsigned char least, most; /* operands outside lists, after `bind` */
    /* What each operand (then those of lists) has to be, the last letter for all that follow: i integer or index, f
     * float, n number, p pointer, v view, t tile, m memref, * anything, = the type of the one before. NULL =
     * anything. */
    const char *kinds;
    /* How it is written, unless `form` is NULL: `bind` then reads all of it.
     *   lists    in order, between ';': "" = without a name, "shape " = shape = [...] or shape [...]; a digit: how
     *   many
     *   words    names of single values, each followed by a blank; NULL = `bind` reads words and
     *            attributes, "{}" = it reads the attributes, and there are no words
     *   written  operand that each type after ':' is of; '.' = not an operand's */
    const char *lists, *words, *written;
    /* Reads what is special about the operation: may change operands and type, sets code->number. May be NULL. */
    bool (*bind)(tw__as_binder *b, const tw__as_op *op, tw__as_parts *p, tw__as_code *code, tw__as_type *type);
    bool (*rule)(const tw__as_site *c); /* of its operands and its result; may be NULL */
    const char *form;
};
/* The memory of its location, on the program's target, holds a tile of this type. */
bool tw__as_check_size(tw__as_binder *b, const tw__as_op *op, const tw_pto_tile *tile);
/* The rules of TASSIGN for an address that stands in the text. */
bool tw__as_check_address(tw__as_binder *b, const tw__as_op *op, const tw__as_item *item, const tw_pto_tile *tile,
                          uint64_t address);

/* Value of a slot that is a constant, or of a number where a value stands; NULL = not known before the program runs.
 * */
const int64_t *tw__as_known_number(const tw__as_binder *b, uint32_t slot);
void tw__as_set_known(tw__as_binder *b, uint32_t slot, const int64_t *value);
/* What made the value out of lists of numbers, a view of extents and strides for example; NULL = something else. */
const tw__as_code *tw__as_maker(const tw__as_binder *b, uint32_t slot);
void tw__as_set_maker(tw__as_binder *b, uint32_t slot, const tw__as_code *code);

#endif
