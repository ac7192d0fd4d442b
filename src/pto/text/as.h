/* SPDX-License-Identifier: MIT */
/* as: PTO-AS, the text of tile programs, from characters to a run:
 *   types/    what a type's or a number's spelling means, and the canonical one
 *   syntax/   characters to a tree of operations whose parts keep their spelling (grammar: the manual), and the tree
 *             back to text; printing what was parsed from printed text changes nothing
 *   run/      values of functions while they run, and blocks, loops, branches and calls
 *   code/     what binding works with: names and slots, code, an operation's parts, attributes and rules
 *   ops/      operations other than tile instructions
 *   bind/     the tree to code: names to slots, operations to rows; the checks of a profile
 *   program/  programs and runs as objects
 * Text is untrusted: nesting, steps and memory have limits, every access is checked. */
#ifndef TW_PTO_AS_H
#define TW_PTO_AS_H

#include "pto/pto.h"
#include <tilewright/pto/grid.h>

typedef enum tw__as_kind { /* of a type */
                           TW__AS_NONE,
                           TW__AS_INDEX,
                           TW__AS_SCALAR, /* integers and floats */
                           TW__AS_PTR,
                           TW__AS_VIEW,   /* tensor_view */
                           TW__AS_PART,   /* partition_tensor_view */
                           TW__AS_TILE,   /* tile and tile_buf */
                           TW__AS_MEMREF, /* in global memory; on chip it is a tile */
                           TW__AS_OTHER
} tw__as_kind;

typedef struct tw__as_type {
    tw__as_kind kind;
    bool buffer;  /* spelled tile_buf */
    bool memref;  /* spelled memref */
    bool on_chip; /* PTR: of vector memory */
    bool strided; /* MEMREF: strides are written, -1 = not known */
    int64_t strides[5], offset;
    bool counts; /* vector<4xi16>: what TMRGSORT reports; kept as a tile */
    tw_type element;
    unsigned rank;
    int64_t dims[5]; /* -1 = not known */
    tw_pto_tile tile;
    const char *text; /* canonical */
} tw__as_type;

typedef enum tw__as_item_kind {
    TW__AS_VALUE,  /* %name */
    TW__AS_NUMBER, /* -1, 0x10, 1.5e3 */
    TW__AS_WORD,   /* ins, shape; with `has_value`: word = child */
    TW__AS_STRING,
    TW__AS_SYMBOL, /* @name, @tile(0x1000): argument as child */
    TW__AS_ATTR,   /* #pto<cmp lt>, <lt> */
    TW__AS_LIST,   /* [ ... ] */
    TW__AS_PARENS, /* ( ... ) */
    TW__AS_DICT,   /* { ... } */
    TW__AS_COLON,  /* : types */
    TW__AS_ARROW,  /* -> types */
    TW__AS_FROM,   /* from type */
    TW__AS_TO      /* to type */
} tw__as_item_kind;

typedef struct tw__as_item {
    tw__as_item_kind kind;
    const char *text;
    bool comma, has_value, parens; /* comma before it; types in parentheses */
    bool colon;                    /* value after ':' instead of '=' */
    struct tw__as_item *child, *next;
    const tw__as_type *types;
    unsigned type_count;
    int line, column, length;
} tw__as_item;

typedef struct tw__as_name {
    const char *text; /* without %; "r#1" of a group */
    int line, column;
    unsigned group; /* how many the group has, at its first name */
    bool grouped;
} tw__as_name;

typedef struct tw__as_comment {
    const char *text; /* "// ..." or "# ..." as written, without blanks at its end */
    const char *at;   /* place in the source */
    bool own_line;    /* nothing but blanks before it on its line */
    bool blank;       /* an empty line before it */
    struct tw__as_comment *next;
} tw__as_comment;

typedef struct tw__as_op tw__as_op;
typedef struct tw__as_block {
    struct tw__as_line *first, *last;
    tw__as_comment *before, *opening,
        *closing;                      /* lines before its word; after '{' on that line; lines before '}' */
    const char *word, *number, *label; /* else, do, case 3, default; ^label */
    tw__as_item *params;               /* of the label, in parentheses */
    struct tw__as_block *next;         /* of the same operation */
    int line, column;                  /* of the word */
} tw__as_block;

/* A statement as its module keeps it. One that holds no blocks is read again where it is needed, by tw__as_op_of(): a
 * tree of all that a long program says would take more memory than anything else does. */
typedef struct tw__as_line {
    const char *name; /* as written; one copy for all that have it */
    struct tw__as_line *next;
    union {
        const tw__as_op *whole;
        const char *at; /* leaf: where it begins in the source */
    };
    int line, column;                /* of the name, and its length */
    unsigned length : 20, lead : 11; /* lead: lines from its beginning to the name */
    unsigned leaf : 1;
} tw__as_line;

struct tw__as_op {
    const char *name; /* as written */
    const tw__as_line *self;
    int line, column, length;
    tw__as_name *results;
    unsigned result_count;
    tw__as_item *items;
    tw__as_block *blocks;             /* one after the other: if: then, else; while: before, do */
    bool alias;                       /* "#name = value", "!name = type" */
    bool blank;                       /* an empty line before it, after its comments */
    tw__as_comment *comments, *after; /* lines before it; at the end of its last line */
};

typedef struct tw__as_module {
    tw__arena *arena, *scratch; /* scratch: of statements read again */
    const char *file;
    char *source; /* copy, 0-terminated */
    size_t size;
    tw_diags *diags;
    tw__as_block top;
    struct _GHashTable *aliases; /* "#name", "!name": the item that it stands for */
    struct _GHashTable *words;   /* names of operations */
    struct _GHashTable *types;   /* canonical text: the first interned type of it */
    struct _GHashTable *spelled; /* text: the interned type */
    const tw__as_type *last;     /* given by tw__as_intern */
    bool tree;                   /* all statements are whole, with their comments */
    bool no_memory;
    unsigned warnings; /* of the passes since parsing; no more than TW__AS_WARNINGS are told */
} tw__as_module;

/* Parses; NULL only when out of memory. Errors are in `diags`, which the module keeps a pointer to. */
tw__as_module *tw__as_parse(const char *file, const char *source, size_t size, tw_diags *diags);
/* The same with a tree of everything, as printing needs it. */
tw__as_module *tw__as_parse_tree(const char *file, const char *source, size_t size, tw_diags *diags);
/* All of a statement. What is not whole lies in m->scratch, until the caller takes it back (tw__arena_restore); NULL:
 * no memory (m->no_memory). */
const tw__as_op *tw__as_op_of(tw__as_module *m, const tw__as_line *line);
void tw__as_free(tw__as_module *module);
char *tw__as_print(const tw__as_module *module); /* malloc'ed; NULL when out of memory */
void tw__as_error(tw__as_module *m, int line, int column, int length, const char *code, const char *format, ...)
    TW_PRINTF(6, 7);
void tw__as_warn(tw__as_module *m, const tw__as_item *where, const char *code, const char *format, ...)
    TW_PRINTF(4, 5);
void tw__as_note(tw__as_module *m, const tw__as_item *where, const char *code, const char *format, ...)
    TW_PRINTF(4, 5);
/* From the spelling; false with tw_error_message(). */
bool tw__as_type_parse(tw__as_module *m, const char *text, tw__as_type *type);

/* A copy that lives as long as the module, the same one for types that come again at once; NULL: no memory. */
const tw__as_type *tw__as_intern(tw__as_module *m, const tw__as_type *type);
const char *tw__as_type_text(const tw__as_type *type); /* for messages */
/* Bits of a number of `type`; false, with tw_error_message(), when the text is none or does not fit. */
bool tw__as_number(const char *text, tw_type type, int64_t *bits);

/* --- code ------------------------------------------------------------------------------------------------------- */

enum { TW__AS_WARNINGS = 20, TW__AS_MAX_DEPTH = 48, TW__AS_MAX_SLOTS = 1 << 20, TW__AS_MAX_ARGS = 32 };

typedef struct tw__as_wide { /* of a value that is no number */
    struct {
        unsigned char *base; /* PTR: memory and position in it, in bytes */
        size_t bytes;
        int64_t at;
        tw_type type;
    } ptr;
    tw_pto_tensor tensor; /* VIEW, PART, MEMREF */
    tw_pto_tile tile;
    uint64_t identity; /* TILE: the same in all cells that name one tile; 0 = only this one does */
} tw__as_wide;

typedef struct tw__as_cell { /* a value while running */
    tw__as_kind kind;
    unsigned rank;        /* of a view; TILE: 1 = the cell owns it */
    tw_pto_scalar scalar; /* SCALAR, INDEX (type i64) */
    tw__as_wide *wide;    /* the cell's own, so cells are copied by tw__as_copy() alone; of slots that hold numbers
                             one for all, which stays zero */
} tw__as_cell;

/* Value of a number, with the sign of its highest bit. */
static inline int64_t tw__as_integer(const tw__as_cell *c)
{
    unsigned size = (unsigned)tw_type_size(c->scalar.type), unused = size && size < 8 ? 64 - 8 * size : 0;
    return (int64_t)(c->scalar.bits << unused) >> unused;
}

static inline uint64_t tw__as_natural(const tw__as_cell *c)
{
    unsigned size = (unsigned)tw_type_size(c->scalar.type), unused = size && size < 8 ? 64 - 8 * size : 0;
    return c->scalar.bits << unused >> unused;
}

typedef struct tw__as_code tw__as_code;
typedef struct tw__as_run tw__as_run;
typedef tw_status (*tw__as_fn)(tw__as_run *run, const tw__as_code *code);

typedef struct tw__as_place { /* in the text */
    int line, column, length;
} tw__as_place;

typedef struct tw__as_more { /* what constants do not have */
    const tw__pto_row *row;
    const tw_pto_attrs *attrs; /* NULL = all of them are zero */
    bool counts;               /* operand 1 is a vector<4xi16> */
    uint32_t parts[4];         /* how many operands stand outside lists and in each list */
    tw__as_place *where;       /* of operands; line 0 = not in the text */
    const char *format;        /* the format of a print */
    const tw__as_type *second; /* while binding: type of another result */
    const struct tw__as_function *callee;
    tw__as_code *body[2];
    uint32_t first_tile, tile_end; /* slots of tiles that the body's block owns */
} tw__as_more;

struct tw__as_code {
    tw__as_fn fn;
    const tw__as_line *op;
    tw__as_code *next;
    int64_t number; /* immediate: predicate, layout, constant's bits, pipes and id */
    tw__as_more *more;
    uint32_t *operand; /* slots, in the order of the row or of the host operation */
    uint32_t *result;
    const tw__as_type *const *types; /* of results */
    unsigned count, result_count;
};

typedef struct tw__as_function {
    const char *name; /* "" = what stands outside functions */
    const tw__as_op *op;
    bool declared;         /* has no body */
    tw_pto_core_kind kind; /* pto.kernel_kind; WHOLE = not said, for all cores */
    const tw__as_type *result_type;
    unsigned results;
    const char **param; /* [params] each, as what follows */
    tw__as_type *param_type;
    uint32_t *param_slot;
    tw__as_place *param_where;
    unsigned params;
    tw__as_code *body;
    uint32_t slots;
    const char **slot_name;
    const tw__as_type **slot_type; /* interned: what is alike in a row is one */
    uint32_t *free_name;           /* slots of undefined names, to be bound by --arg */
    tw__as_place *free_where;      /* their first use */
    unsigned free_count;
    struct tw__as_function *next;
} tw__as_function;

typedef struct tw__as_program {
    tw__as_module *module;
    tw_pto_target target;
    tw__as_function *functions;
} tw__as_program;

/* Binds and checks for a target. NULL when there were errors (module's diags). Lives as long as the module. */
tw__as_program *tw__as_bind(tw__as_module *module, tw_pto_target target);
typedef struct tw__as_host tw__as_host;

/* text/run/cells.c: a cell for each slot of a function; free() frees them. NULL: no memory. */
tw__as_cell *tw__as_cells_new(const tw__as_function *function);
void tw__as_copy(tw__as_cell *to, const tw__as_cell *from);
void tw__as_set_number(tw__as_cell *cell, tw__as_kind kind, tw_pto_scalar value);
/* A value of another kind, all zero. */
tw__as_wide *tw__as_set_wide(tw__as_cell *cell, tw__as_kind kind, unsigned rank);
/* A tile that this cell owns. */
tw_pto_tile *tw__as_set_tile(tw__as_cell *cell, const tw_pto_tile *tile);

struct tw__as_frame { /* values of a function being run */
    tw__as_cell *cell;
    uint32_t slots;
    const struct tw__as_frame *outer; /* of the caller */
};

enum { TW__AS_BUFFERS = 32 };
struct tw__as_run {
    tw_pto *core;
    const tw__as_program *program;
    tw__as_cell *cell; /* slots of the function being run */
    const struct tw__as_frame *frame;
    uint64_t identities; /* given so far */
    uint64_t steps, max_steps;
    struct {
        uint64_t done, all; /* turns; all = 0: none is told of */
        uint64_t open;      /* loops under way of which nobody knows how many turns there are */
    } loop;                 /* the outermost one of several turns, for a line of progress */
    uint64_t look;          /* at more steps than these it is asked whether the run goes on */
    uint64_t max_ns;        /* of processor time; 0 = no limit */
    uint64_t until;         /* thread's processor time in ns at which the run is stopped; 0 = never */
    unsigned depth;
    int64_t block, blocks;
    FILE *out;             /* of print operations; NULL = nowhere */
    const tw__as_code *at; /* operation that failed */
    unsigned blame;
    struct {
        unsigned held; /* bit p: by pipe p */
        uint64_t at;   /* cycle at which it was last released */
    } buffer[TW__AS_BUFFERS];
    tw_pto_fifo fifo[2][16];      /* to vector, to cube; by id; no slots = not initialised */
    struct tw__as_memory *memory; /* what memref.alloc gave; freed by tw__as_run_end */
    struct tw__as_peer {          /* the memory of the same argument here and on another device */
        const unsigned char *own;
        unsigned char *base;
        size_t bytes;
        unsigned device;
    } *peers; /* freed by tw__as_run_end */
    size_t peer_count, peer_room;
    struct tw__as_region { /* memory that pointers reach, and where integers made from them say that it lies */
        unsigned char *base;
        size_t bytes;
        int64_t address;
    } *regions; /* freed by tw__as_run_end */
    size_t region_count, region_room;
    size_t memory_bytes;
    unsigned nesting; /* blocks being run, one in another */
    bool stop;        /* return was met */
    bool condition;   /* of the last scf.condition */
};
static inline tw__as_cell *tw__as_operand(const tw__as_run *run, const tw__as_code *code, unsigned i)
{
    return &run->cell[code->operand[i]];
}
tw_status tw__as_set_integer(tw__as_run *run, const tw__as_code *code, int64_t value); /* the only result */
tw_status tw__as_need_numbers(tw__as_run *run, const tw__as_code *code);
tw_status tw__as_constant_run(tw__as_run *run, const tw__as_code *code);
uint64_t tw__as_processor_time(void); /* of the thread, in ns */
/* Runs one function with its parameters and free names already in cell[]. Failures are added to the module's diags.
 * */
tw_status tw__as_execute(tw__as_run *run, const tw__as_function *function);
void tw__as_run_end(tw__as_run *run);
/* text/ops/castptr.c: gives the memories behind the arguments of `function` and behind peers their simulated
 * addresses. */
tw_status tw__as_add_regions(tw__as_run *run, const tw__as_function *function);
/* *sum += count * step; false, and nothing said of *sum, when 64 bits do not hold it. */
static inline bool tw__as_add_steps(int64_t *sum, int64_t count, int64_t step)
{
    return !__builtin_mul_overflow(count, step, &step) && !__builtin_add_overflow(*sum, step, sum);
}
/* A memref argument: `base` holds `bytes`, extents are the type's with every '?' filled in. */
tw_status tw__as_memref_view(tw__as_cell *cell, const tw__as_type *type, const int64_t *extents, void *base,
                             size_t bytes);
/* The value of a slot under another name, which does not own a tile. A tile gets its place first, so that both names
 * mean the same memory; what is done to its description (extents, address) is seen under both. */
void tw__as_lend(tw__as_run *run, uint32_t slot, tw__as_cell *copy);
/* The tile of this cell has another valid region or address: so for all that name it. */
void tw__as_changed(tw__as_run *run, const tw__as_cell *cell);
tw_status tw__as_block_run(tw__as_run *run, const tw__as_code *code);
tw_status tw__as_for(tw__as_run *run, const tw__as_code *code);
tw_status tw__as_if(tw__as_run *run, const tw__as_code *code);
tw_status tw__as_while(tw__as_run *run, const tw__as_code *code);
tw_status tw__as_condition(tw__as_run *run, const tw__as_code *code);
tw_status tw__as_region(tw__as_run *run, const tw__as_code *code);
tw_status tw__as_switch(tw__as_run *run, const tw__as_code *code);
tw_status tw__as_section(tw__as_run *run, const tw__as_code *code);
tw_status tw__as_yield(tw__as_run *run, const tw__as_code *code);
tw_status tw__as_return(tw__as_run *run, const tw__as_code *code);
tw_status tw__as_call(tw__as_run *run, const tw__as_code *code);

/* --- text/program/: the inside of public objects ---------------------------------------------------------------- */

struct tw_pto_run;
struct tw_pto_text;
tw__as_run *tw__pto_text_run(struct tw_pto_run *run);
/* Value of a parameter that is bound. */
tw_status tw__pto_text_argument(const struct tw_pto_run *run, const char *name, const tw__as_cell **cell);
const tw__as_program *tw__pto_text_program(const struct tw_pto_text *text); /* of any target; NULL = not verified */

#endif
