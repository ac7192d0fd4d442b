/* SPDX-License-Identifier: MIT */
/* Convolutions: geometry, plans, and the one that all others are made of. */
#ifndef TW_LIBS_POPLIN_CONV_H
#define TW_LIBS_POPLIN_CONV_H

#include "poplar/libs/libs.h"

/* --- conv_params.c -------------------------------------------------------------------------------------------- */

/* One dimension: output element `o` and tap `t` meet input element q / dilation, q = out_step * o + tap_step * t +
 * start, if that is whole and within 0 to `in` - 1. Elements that are cut off at either end have no number. */
typedef struct tw__conv_axis {
    int64_t out, taps, in;
    int64_t out_step, tap_step, start, dilation;
    size_t in_first, tap_first;  /* cut off in front */
    size_t pad_lower, pad_upper; /* zeros around the outputs */
} tw__conv_axis;
/* The element, or -1. */
int64_t tw__conv_source(const tw__conv_axis *a, int64_t out, int64_t tap);
/* Elements [*begin, *end) that outputs [out, out_end) read: one at least. */
void tw__conv_window(const tw__conv_axis *a, int64_t out, int64_t out_end, int64_t *begin, int64_t *end);

/* Parameters without defaults that are left out; always three dimensions, the first ones may be of one element. */
typedef struct tw__conv {
    tw_conv_params p;
    unsigned dims; /* as they were given */
    tw__conv_axis axis[TW_CONV_DIMS];
} tw__conv;
/* False with an error of `call`. */
bool tw__conv_read(tw_graph *graph, const char *call, const tw_conv_params *params, tw__conv *into);
size_t tw__conv_out(const tw__conv_axis *a); /* with its padding */

/* --- conv_plan.c ---------------------------------------------------------------------------------------------- */

typedef struct tw__conv_options {
    double memory, ignored_number;
    bool ignored;
    tw_type ignored_type;
} tw__conv_options;
bool tw__conv_read_options(tw_graph *graph, const char *call, const char *const *options, tw__conv_options *into);

/* Blocks of outputs, one for each place of a group; parts of input channels are sums of their own, joined at the
 * end, or in serial steps added to the same sums. */
typedef enum tw__conv_cut {
    TW__CONV_BATCH = 0,
    TW__CONV_FIELD = 1, /* and the two after it */
    TW__CONV_OUT = 4,   /* channels, as the last */
    TW__CONV_IN = 5,
    TW__CONV_CUTS = 6
} tw__conv_cut;
typedef struct tw__conv_plan {
    size_t parts[TW__CONV_CUTS], block[TW__CONV_CUTS];
    size_t steps;                              /* a block of input channels is one of parts * steps */
    double cycles, product, exchange, joining; /* estimated */
    uint64_t bytes;                            /* of blocks on a tile */
} tw__conv_plan;
void tw__conv_make_plan(const tw_graph *graph, const tw__conv *c, const tw__conv_options *options,
                        tw__conv_plan *plan);
/* Tile of a place: at[] are numbers of parts. */
unsigned tw__conv_tile(const tw_graph *graph, const tw__conv *c, const tw__conv_plan *plan, size_t group,
                       const size_t at[TW__CONV_CUTS]);
/* Name of the vertex for elements of a type, when the graph has it. NULL with an error. */
const char *tw__conv_vertex(tw_graph *graph, tw_type type);

/* --- conv.c --------------------------------------------------------------------------------------------------- */

/* input [groups][batch][z][y][x][channels], weights [groups][z][y][x][in channels][out channels], each as a view;
 * returns a view [groups][batch][z][y][x][out channels]. Arguments are checked. */
tw_tensor tw__conv_build(tw_graph *graph, const tw__conv *c, const tw__conv_options *options, tw_tensor input,
                         tw_tensor weights, tw_program sequence, const char *name);
/* Views of tensors as these; and back to [batch][groups * channels][field ...], [groups][out][in][kernel ...]. */
tw_tensor tw__conv_view(tw_graph *graph, tw_tensor tensor, size_t groups, unsigned dims);
tw_tensor tw__conv_unview(tw_graph *graph, tw_tensor view, unsigned dims);
tw_tensor tw__conv_weights_view(tw_graph *graph, tw_tensor weights, unsigned dims);
/* What is not cut off of a view, along three dimensions from `dim` on. */
tw_tensor tw__conv_without_cut(tw_graph *graph, const tw__conv *c, tw_tensor view, unsigned dim, bool taps);
/* A variable for results, [groups][batch][z][y][x][out channels], or for part `sum` of them. */
tw_tensor tw__conv_create_output(tw_graph *g, const tw__conv *c, const tw__conv_plan *p, tw_type type, size_t sum,
                                 const char *name);
/* Block `i` of the outputs: its place and its elements in that variable; false: it has none. */
bool tw__conv_block(const tw__conv *c, const tw__conv_plan *p, size_t i, size_t place[TW__CONV_CUTS],
                    size_t begin[6], size_t end[6]);
size_t tw__conv_block_count(const tw__conv *c, const tw__conv_plan *p);
/* Along which of dimensions 1 (batch), 4 (x), 5 (channels) of a view neighbours are neighbours in storage. */
unsigned tw__conv_innermost(tw_graph *g, tw_tensor view);
/* Connects the window of the input that the outputs of a block read, in an order with dimension `inner` last, and
 * sets the fields `stride` and `axis` (conv_code.h) by it. A nil window is made, for the scope around this one. */
void tw__conv_connect(tw_graph *g, const tw__conv *c, tw_vertex vertex, const char *field, tw_tensor input,
                      const size_t begin[6], const size_t end[6], const size_t channels[2], unsigned inner,
                      tw_tensor *window);
/* Whether a tensor is the input, output or weights, of these types, on tiles; else an error of `call`. */
typedef enum tw__conv_role { TW__CONV_INPUT, TW__CONV_OUTPUT, TW__CONV_WEIGHTS } tw__conv_role;
bool tw__conv_sound(tw_graph *graph, const char *call, const tw__conv *c, tw__conv_role role, tw_tensor tensor,
                    tw_type type);

#endif
