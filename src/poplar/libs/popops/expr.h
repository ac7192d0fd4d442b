/* SPDX-License-Identifier: MIT */
/* Expressions of popops: text to nodes, their types, code of a vertex. */
#ifndef TW_LIBS_POPOPS_EXPR_H
#define TW_LIBS_POPOPS_EXPR_H

#include "poplar/libs/libs.h"

typedef struct tw__expr_op {
    const char *name, *symbol, *types, *code, *int_code;
    char result;
    unsigned arity;
} tw__expr_op;
extern const tw__expr_op tw__expr_ops[];
extern const size_t tw__expr_op_count;

enum { TW__EXPR_NODES = 256, TW__EXPR_TENSORS = 20 };

typedef enum tw__expr_kind { TW__EXPR_TENSOR, TW__EXPR_NUMBER, TW__EXPR_CAST, TW__EXPR_OP } tw__expr_kind;
typedef struct tw__expr_node {
    tw__expr_kind kind;
    const tw__expr_op *op;
    int child[3];
    unsigned tensor; /* 0 = _1 */
    double value;
    bool is_real;   /* a number with a point or an exponent */
    tw_type stated; /* of a number with a suffix, of a cast */
    tw_type type;
    int stage; /* code: which loop computes it */
} tw__expr_node;

/* Nodes in the order they are computed in, the root last. */
typedef struct tw__expr {
    tw__expr_node node[TW__EXPR_NODES];
    int count;
    unsigned tensors; /* highest placeholder */
    unsigned ops;
    char problem[256]; /* when a call failed: why */
} tw__expr;

bool tw__expr_parse(tw__expr *expr, const char *text);
/* From the types of the tensors. */
bool tw__expr_infer(tw__expr *expr, const tw_type *types, unsigned count);
/* "add(mul(_1,_2),1)"; appended. */
void tw__expr_canonical(const tw__expr *expr, int node, GString *out);
/* For a message and for C. */
const char *tw__expr_type_name(tw_type type);
const char *tw__expr_c_type(tw_type type);

/* What a vertex of an expression is told of its tensors. */
typedef struct tw__expr_form {
    tw_type type[TW__EXPR_TENSORS];
    bool scalar[TW__EXPR_TENSORS];
    bool in_place; /* _1 is the output */
} tw__expr_form;
/* Name of its type, which says all that its code depends on: freed by the caller, as the next. */
char *tw__expr_vertex_name(const tw__expr *expr, const tw__expr_form *form);
/* The vertex in C. With `prelude` also what stands before the first. */
char *tw__expr_code(const tw__expr *expr, const tw__expr_form *form, bool prelude);

#endif
