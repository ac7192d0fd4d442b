/* SPDX-License-Identifier: MIT */
/* A function under work is a list of instructions whose jumps name their targets; blocks are found when they are
 * wanted. Instructions that passes take out become OPT_NONE until tw__opt_compact(). The checks of an index are
 * instructions of their own here, OPT_INDEX, that read the register in `a`: passes move and rename them like any. */
#ifndef TW_CSL_LANG_OPT_LOCAL_H
#define TW_CSL_LANG_OPT_LOCAL_H

#include "csl/lang/opt/opt.h"

#include <stdlib.h>
#include <string.h>

enum { OPT_INDEX = TW__CSL_OPS, OPT_NONE };
#define OPT_MOVED (1u << 31) /* in `origin`: it has gone in front of a loop */

/* Families of typed instructions, in the order of TW__CSL_CODE_INT, TW__CSL_CODE_FLOAT, TW__CSL_CODE_MEM. */
enum opt_family {
#define OPT_FAMILY(name, operands, cycles) OPT_##name,
    TW__CSL_CODE_INT(OPT_FAMILY) OPT_INT_END,
    OPT_FLOAT_BEGIN = OPT_INT_END - 1,
    TW__CSL_CODE_FLOAT(OPT_FAMILY) OPT_FLOAT_END,
    OPT_MEM_BEGIN = OPT_FLOAT_END - 1,
    TW__CSL_CODE_MEM(OPT_FAMILY) OPT_MEM_END,
    OPT_PLAIN /* none of these */
#undef OPT_FAMILY
};

typedef struct opt_insn {
    tw__csl_insn insn;
    int32_t to; /* jumps: the target, an instruction of the list; else -1 */
    uint32_t file, line, column, frame;
    uint32_t origin;    /* instruction of the code as it was written that it comes from, + 1; 0 = none */
    uint32_t low, high; /* loads and stores with a register: bytes that they stay in; high 0 = it is not known */
} opt_insn;

typedef struct opt_function {
    opt_insn *insns;
    size_t insn_count, insn_room;
    uint32_t registers, params, results, stack_bytes;
    uint32_t pool;  /* registers from here on are of the optimiser's own: values of one block */
    uint32_t calls; /* CALLs of it in the program */
    uint8_t kept;   /* the machine or another table calls it */
    uint8_t state;  /* 0 not seen, 1 under way, 2 done */
    uint8_t large;  /* left as it is */
    uint8_t reached;
} opt_function;

typedef struct opt {
    tw__csl_image *image;
    tw__csl_program *p;
    opt_function *functions;        /* as many as the program has */
    tw__csl_index_use *indices;     /* rows that OPT_INDEX names */
    uint64_t *own;                  /* by byte of memory: of a variable that is reached by its name alone */
    tw__csl_insn *code;             /* as it was written */
    tw__csl_function_code *written; /* ... its functions */
    size_t code_count, written_count;
    uint32_t *origin; /* by instruction of the new code */
    bool indirect;    /* functions are called by value */
    bool failed;      /* out of memory */
} opt;

/* Registers: sets of bits. */
static inline bool tw__opt_has(const uint64_t *set, uint32_t r)
{
    return set[r / 64] >> (r % 64) & 1;
}
static inline void tw__opt_add(uint64_t *set, uint32_t r)
{
    set[r / 64] |= 1ull << (r % 64);
}
static inline void tw__opt_remove(uint64_t *set, uint32_t r)
{
    set[r / 64] &= ~(1ull << (r % 64));
}

/* --- info.c: what an instruction does ------------------------------------------------------------------------- */

typedef void tw__opt_visit(void *user, uint32_t first, uint32_t count);
/* Every register that is read, also by way of tables. */
void tw__opt_reads(const opt *o, const opt_function *f, tw__csl_insn i, tw__opt_visit *visit, void *user);
/* Those that an instruction writes for certain. */
void tw__opt_writes(const opt *o, tw__csl_insn i, tw__opt_visit *visit, void *user);
/* The register from which on everything is lost but what is written; UINT32_MAX = nothing is. */
uint32_t tw__opt_lost_from(tw__csl_insn i);
bool tw__opt_asks(const opt *o, const opt_function *f, tw__csl_insn i, uint32_t reg); /* reads register `reg` */
bool tw__opt_takes(const opt *o, tw__csl_insn i, uint32_t reg); /* behind it `reg` does not hold what it held */
/* Without effect but its register; it may go when nobody wants that. */
bool tw__opt_pure(tw__csl_insn i);
/* Reads operand k (0 .. 2) as one register by name, so that the name may be changed. */
bool tw__opt_reads_operand(tw__csl_insn i, unsigned k);
/* Writes exactly one register, operand a, and has no window. */
bool tw__opt_writes_a(tw__csl_insn i);
bool tw__opt_is_jump(tw__csl_insn i);     /* with a target */
bool tw__opt_conditional(tw__csl_insn i); /* a jump that may fall through */
bool tw__opt_ends(tw__csl_insn i);        /* nothing falls through it */
/* The jump that is taken when this one is not; operands may change places. */
tw__csl_insn tw__opt_opposite(tw__csl_insn i);
enum opt_family tw__opt_family(unsigned op, unsigned *type); /* type: TW__CSL_N_* */
unsigned tw__opt_op(enum opt_family family, unsigned type);
unsigned tw__opt_bits(unsigned type);                 /* of an integer type */
uint64_t tw__opt_wrap(unsigned type, uint64_t value); /* the canonical value of its low bits */
/* What an instruction without memory gives for these operands; false = it cannot be said now. */
bool tw__opt_fold(tw__csl_insn i, uint64_t b, uint64_t c, uint64_t *out);

static inline bool tw__opt_is_cmov(tw__csl_insn i)
{
    return i.op == TW__CSL_I_CMOV || i.op == TW__CSL_I_CMOVN;
}

/* --- memory.c: who may touch what ----------------------------------------------------------------------------- */

/* Bytes that an instruction may touch. Variables that are reached by their names alone are the program's own: neither
 * operations in the background nor the host get there, and no task interrupts another. */
typedef struct opt_bytes {
    uint32_t low, high; /* high 0: any */
} opt_bytes;
bool tw__opt_find_own(opt *o);
bool tw__opt_is_own(const opt *o, opt_bytes bytes); /* all of them */
bool tw__opt_may_meet(opt_bytes a, opt_bytes b);
opt_bytes tw__opt_touches(const opt_insn *x); /* of a load or store */
bool tw__opt_is_store(tw__csl_insn i);        /* to an address that it names */
bool tw__opt_may_mask(const opt_insn *x);     /* may change which exceptions of floating point stop the PE */
bool tw__opt_may_raise(tw__csl_insn i);       /* one of these */
/* What an instruction that is no load or store of these families does to memory: nothing, changes bytes that are not
 * own, or hands over to code that may change any. */
typedef enum opt_effect { OPT_KEEPS, OPT_CHANGES, OPT_CALLS } opt_effect;
opt_effect tw__opt_effect(tw__csl_insn i);

/* --- lift.c --------------------------------------------------------------------------------------------------- */
bool tw__opt_lift(opt *o);  /* all functions of o->p */
bool tw__opt_lower(opt *o); /* back into o->p */
void tw__opt_compact(opt *o, opt_function *f);
opt_insn *tw__opt_append(opt *o, opt_function *f, opt_insn insn); /* NULL = out of memory */

/* --- names.c: what debuggers are told ------------------------------------------------------------------------- */
bool tw__opt_keep_code(opt *o); /* before lift */
void tw__opt_names(opt *o);     /* after lower: names get the places that the new code has for them, or none */

/* --- flow.c --------------------------------------------------------------------------------------------------- */

typedef struct opt_block {
    uint32_t first, count;
    int32_t next[2]; /* where the last instruction falls through, where it jumps to; -1 = none */
    uint32_t from;   /* blocks that lead here; the function's start counts as one */
    int32_t only;    /* the one block that does, -1 = none or more */
} opt_block;
typedef struct opt_blocks {
    opt_block *blocks;
    size_t count;
    uint32_t words; /* of a set of registers */
    /* by block, a set each; high: more than the low 16 bits are wanted */
    uint64_t *live_in, *live_out, *high_out;
    uint64_t *work; /* two sets for whoever goes through the blocks */
} opt_blocks;
bool tw__opt_find_blocks(opt *o, const opt_function *f, opt_blocks *b);
bool tw__opt_liveness(opt *o, const opt_function *f, opt_blocks *b); /* after find_blocks */
/* Goes one instruction back: from what is live behind it to what is live before it. */
void tw__opt_step_back(const opt *o, const opt_function *f, tw__csl_insn i, uint64_t *live, uint64_t *high);
void tw__opt_free_blocks(opt_blocks *b);
bool tw__opt_flow(opt *o, opt_function *f); /* true: something changed */

/* --- loop.c --------------------------------------------------------------------------------------------------- */

/* A loop is a stretch of code that ends with the jump back to its first instruction; it is entered there, or by a
 * jump right before it to its test. */
typedef struct opt_loop {
    uint32_t top, end; /* first instruction; the jump back */
    int32_t entry;     /* the jump to the test, right before top; -1 = none */
    uint32_t add;      /* the instruction that counts */
    uint16_t counter;
    bool known;                       /* first, limit are constants */
    int64_t first, step, limit, last; /* last: when the test fails */
    int64_t low, high;                /* the counter's values, also the last one */
    int64_t body_low, body_high;      /* those before it is added to; when `known` */
    uint64_t trips;
} opt_loop;
typedef struct opt_finder {
    opt *o;
    opt_function *f;
    uint8_t *target; /* jumps that lead here, at most 255 */
} opt_finder;
bool tw__opt_find_targets(opt_finder *x); /* of f, into x->target, which whoever called frees */
/* The loop that the jump at `end` closes, when it is entered from nowhere but its beginning, or its test. */
bool tw__opt_find_loop(const opt_finder *x, uint32_t end, opt_loop *l);
/* How often it turns hangs on nothing but a counter and what is known before it begins; after find_targets. */
bool tw__opt_counted(const opt_finder *x, opt_loop *l);

/* --- passes: true = something changed ------------------------------------------------------------------------- */
bool tw__opt_number(opt *o, opt_function *f);
bool tw__opt_dead(opt *o, opt_function *f);
bool tw__opt_stores(opt *o, opt_function *f);
bool tw__opt_split(opt *o, opt_function *f); /* compacted */
bool tw__opt_inline(opt *o, opt_function *f);
bool tw__opt_loops(opt *o, opt_function *f); /* compacted, as the next one */
bool tw__opt_predicate(opt *o, opt_function *f);
bool tw__opt_recursion(opt *o, uint32_t function); /* compacted; once it has a form that lasts */
bool tw__opt_invariant(opt *o, opt_function *f);   /* compacted; once the passes above have come to an end */
/* Last of all, since the passes above want constants where they are used. */
void tw__opt_hoist(opt *o, opt_function *f);
void tw__opt_tail(opt *o, opt_function *f);

#endif
