/* SPDX-License-Identifier: MIT */
/* Recurrent layers: what the loops over steps (recurrent.c) and the cells (recurrent_cells.c) share. Gates are
 * numbered as in the public enumerations, wherever their weights stand. */
#ifndef TW_LIBS_POPNN_RECURRENT_H
#define TW_LIBS_POPNN_RECURRENT_H

#include "poplar/libs/popops/popops.h"

#include <tilewright/poplibs/recurrent.h>

typedef struct tw__recurrent_cell tw__recurrent_cell;
typedef struct tw__recurrent_call {
    tw_graph *graph;
    const char *call;
    tw_recurrent layer;
    const tw__recurrent_cell *cell;
    tw_program sequence; /* before and behind the loop */
    const char *name;
    tw_type accumulators;   /* of gradients of weights; TW_TYPE_NONE: the layer's */
    const char *product[2]; /* options of matrix products */
    char memory[64];
} tw__recurrent_call;

/* --- recurrent_check.c ---------------------------------------------------------------------------------------- */

/* Fills the call; false with an error. */
bool tw__recurrent_check(tw__recurrent_call *c, tw_graph *graph, const char *call, const tw_recurrent *layer,
                         tw_program sequence, const char *name);
bool tw__recurrent_options(tw__recurrent_call *c, const char *const *options);
/* Whether a tensor has the layer's type and that shape, and is on tiles. */
bool tw__recurrent_wants(const tw__recurrent_call *c, const char *what, tw_tensor t, unsigned rank,
                         const size_t *shape);

/* --- recurrent_cells.c ---------------------------------------------------------------------------------------- */

/* One step; all tensors are of the layer's type where nothing else is said. */
typedef struct tw__recurrent_step {
    const tw__recurrent_call *call;
    tw_program body;
    tw_tensor saved; /* [slots][batch][output]; slot 0 is the output before the step */
    /* forward */
    tw_tensor weighted;  /* float [batch][gates * output]: W x */
    tw_tensor biases;    /* [gates][...][output], gates in their order */
    tw_tensor cell;      /* before the step */
    tw_tensor attention; /* [batch][1], or nil; back as well */
    tw_tensor next, next_cell;
    /* backward: floats [batch][output] */
    tw_tensor gradient, cell_gradient; /* of what comes out of the step */
    tw_tensor back, cell_back;         /* to be set: of what goes in */
    tw_tensor deltas;                  /* [slots][batch][output], to be set */
    tw_tensor weights[2];              /* of outputs, as the cell asked for */
} tw__recurrent_step;

enum { TW__RECURRENT_PRODUCTS = 2 };
struct tw__recurrent_cell {
    const char *name;
    unsigned gates, saved, deltas; /* slots; with attention the last of each is its own */
    bool has_cell, two_biases;
    unsigned element_ops[2]; /* operations on each element, forward and backward */
    /* Gates whose weights each product of a step has, one after the other: [first, end). */
    struct {
        unsigned first, end;
    } product[TW__RECURRENT_PRODUCTS];
    void (*forward)(const tw__recurrent_step *step);
    void (*backward)(const tw__recurrent_step *step);
};
/* The cell of a layer's kind, with attention or without; NULL where there is none. */
const tw__recurrent_cell *tw__recurrent_cell_of(tw_recurrent_kind kind, bool attention);

/* Slots of what LSTM and GRU save behind the gates, which begin at 1. */
enum { TW__LSTM_ACTIVE = 5, TW__LSTM_CELL = 6, TW__GRU_PRODUCT = 4 };
/* Whether the derivative of an activation follows from its value. */
bool tw__recurrent_takes(tw_non_linearity type);

#endif
