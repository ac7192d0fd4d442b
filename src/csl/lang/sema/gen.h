/* SPDX-License-Identifier: MIT */
/* A run-time function under construction: registers, labels, instructions, stack area. */
#ifndef TW_CSL_SEMA_GEN_H
#define TW_CSL_SEMA_GEN_H

#include "csl/lang/code/image.h"
#include "csl/lang/sema/sema.h"

typedef tw__csl_label tw__gen_label; /* 0 = none */

struct tw__csl_gen {
    tw__csl_sema *sema;
    tw__csl_emitter e;
    uint32_t next;    /* register that is free, as all above it */
    uint32_t stack;   /* bytes of the stack area */
    uint32_t barrier; /* the peephole does not look at instructions before this one: a label is bound there */
    bool failed;      /* too many registers: reported */
    uint32_t since;   /* first instruction of the statement under work, of the outermost that declares a name */
};

/* For the code of `function` (its number in the program under construction). */
void tw__gen_begin(tw__csl_gen *g, tw__csl_sema *s, uint32_t function);
bool tw__gen_end(tw__csl_gen *g); /* hands the code to the program; false after an error (reported) */

/* What @type_of analyses is taken back: everything emitted since the mark. */
typedef struct tw__gen_point {
    size_t code, lines, indices, objects, labels, uses, locals;
    uint32_t next, stack, barrier;
} tw__gen_point;
tw__gen_point tw__gen_mark(const tw__csl_gen *g);
void tw__gen_rewind(tw__csl_gen *g, tw__gen_point point);

/* A fresh register (pair, for DSDs) for a value of the type. Registers are given and taken back as a stack: mark and
 * release around a statement. */
uint16_t tw__gen_register(tw__csl_gen *g, const tw__csl_type *t);
static inline uint32_t tw__gen_hold(const tw__csl_gen *g)
{
    return g->next;
}
static inline void tw__gen_release(tw__csl_gen *g, uint32_t mark)
{
    g->next = mark;
}

/* Appends one instruction; the forms for 32-bit operands put them over b and c. Returns its index. */
uint32_t tw__gen_emit(tw__csl_gen *g, unsigned op, unsigned a, unsigned b, unsigned c);
uint32_t tw__gen_emit_wide(tw__csl_gen *g, unsigned op, unsigned a, uint32_t wide);
void tw__gen_at(tw__csl_gen *g, const tw__csl_node *n); /* what follows belongs to this place of the source */

/* The number in `reg` is used as an index of `limit` elements, written at `n`: the machine may check that. */
void tw__gen_index(tw__csl_gen *g, const tw__csl_node *n, uint16_t reg, const tw__csl_type *t, uint32_t limit);

tw__gen_label tw__gen_label_new(tw__csl_gen *g);
void tw__gen_bind(tw__csl_gen *g, tw__gen_label l);
void tw__gen_jump(tw__csl_gen *g, tw__gen_label l);
void tw__gen_branch(tw__csl_gen *g, uint16_t condition, bool when, tw__gen_label l);

void tw__gen_load_int(tw__csl_gen *g, uint16_t reg, uint64_t bits); /* canonical form */
void tw__gen_move(tw__csl_gen *g, uint16_t to, uint16_t from, const tw__csl_type *t);
/* Between register and PE memory: [base + offset] or, without base, the fixed address `offset`. */
void tw__gen_load(tw__csl_gen *g, uint16_t to, const tw__csl_type *t, bool has_base, uint16_t base, int64_t offset);
void tw__gen_store(tw__csl_gen *g, uint16_t from, const tw__csl_type *t, bool has_base, uint16_t base,
                   int64_t offset);
/* `bytes` of PE memory at the stack area; returns a register with the address. */
uint16_t tw__gen_local(tw__csl_gen *g, uint32_t bytes, uint32_t align);
void tw__gen_copy(tw__csl_gen *g, uint16_t to_address, uint16_t from_address, uint32_t bytes);

/* a OP b of number type t. false: the type has no such operation. */
bool tw__gen_binary(tw__csl_gen *g, tw__csl_token_kind op, const tw__csl_type *t, uint16_t to, uint16_t a,
                    uint16_t b);
/* a OP constant in one instruction; false: there is no such form, nothing was emitted. */
bool tw__gen_immediate(tw__csl_gen *g, tw__csl_token_kind op, const tw__csl_type *t, uint16_t to, uint16_t a,
                       tw__csl_int constant);
bool tw__gen_unary(tw__csl_gen *g, tw__csl_token_kind op, const tw__csl_type *t, uint16_t to, uint16_t a);
/* The numeric conversion of @as; `at` for messages. */
void tw__gen_convert(tw__csl_gen *g, const tw__csl_node *at, uint16_t to, const tw__csl_type *to_type,
                     uint16_t from, const tw__csl_type *from_type);

#endif
