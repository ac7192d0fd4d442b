/* SPDX-License-Identifier: MIT */
/* Gradients and updates of the parameters of convolutions. */
#include "poplar/libs/poplin/conv.h"
#include "poplar/libs/popops/popops.h"

#include <string.h>

/* --- weights -------------------------------------------------------------------------------------------------- */

/* The gradient of the weights as a convolution of the input with the gradient of the output, where batch and input
 * channels have exchanged their roles. */
static tw_tensor deltas_build(tw_graph *graph, const tw__conv *c, const tw__conv *update,
                              const tw__conv_options *options, tw_tensor gradient, tw_tensor input,
                              tw_program sequence, const char *name)
{
    static const unsigned exchanged[] = { 0, 5, 2, 3, 4, 1 }, kernel[] = { 0, 2, 3, 4, 1, 5 },
                          weights[] = { 0, 5, 1, 2, 3, 4 };
    tw_tensor x = tw__conv_view(graph, input, c->p.groups, c->dims);
    tw_tensor dy = tw__conv_view(graph, gradient, c->p.groups, c->dims);
    tw_tensor made = tw__conv_build(graph, update, options, tw_tensor_dim_shuffle(graph, x, exchanged),
                                    tw_tensor_dim_shuffle(graph, dy, kernel), sequence, name);
    made = tw_tensor_dim_shuffle(graph, made, weights); /* [groups][out][in][z][y][x] */
    size_t gone[] = { 3, 4 };
    return c->dims < TW_CONV_DIMS ? tw_tensor_squeeze(graph, made, TW_CONV_DIMS - c->dims, gone) : made;
}

/* A convolution, that of its weights' gradient, and options; the gradient and the input are checked. */
static bool deltas_check(tw_graph *graph, const char *call, const tw_conv_params *params, tw_tensor gradient,
                         tw_tensor input, const char *const *options, tw__conv *c, tw__conv *update,
                         tw__conv_options *read)
{
    if (!tw__conv_read(graph, call, params, c) || !tw__conv_read_options(graph, call, options, read)) return false;
    tw_conv_params of_update = tw_poplin_conv_weight_update_params(params);
    return tw__conv_read(graph, call, &of_update, update) &&
           tw__conv_sound(graph, call, c, TW__CONV_OUTPUT, gradient, c->p.input_type) &&
           tw__conv_sound(graph, call, c, TW__CONV_INPUT, input, c->p.input_type);
}

tw_tensor tw_poplin_conv_weight_deltas(tw_graph *graph, tw_tensor gradient, tw_tensor input,
                                       const tw_conv_params *params, tw_program sequence, const char *name,
                                       const char *const *options)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return TW__LIBS_NIL;
    tw__conv c, update;
    tw__conv_options read;
    if (!deltas_check(graph, __func__, params, gradient, input, options, &c, &update, &read)) return TW__LIBS_NIL;
    tw_graph_push_scope(graph);
    tw_tensor made = deltas_build(graph, &c, &update, &read, gradient, input, sequence, name);
    made = tw_tensor_keep(graph, made);
    tw_graph_pop_scope(graph);
    return made;
}

void tw_poplin_conv_weight_update(tw_graph *graph, tw_tensor gradient, tw_tensor weights, tw_tensor input,
                                  const tw_conv_params *params, tw_scale scale, tw_program sequence,
                                  const char *name, const char *const *options)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return;
    tw__conv c, update;
    tw__conv_options read;
    if (!deltas_check(graph, __func__, params, gradient, input, options, &c, &update, &read)) return;
    tw_type type = tw_tensor_type(graph, weights);
    if (!tw__libs_ready(graph)) return;
    if (!tw__conv_sound(graph, __func__, &c, TW__CONV_WEIGHTS, weights, type == TW_HALF ? TW_HALF : TW_FLOAT) ||
        !tw__libs_writeable(graph, __func__, weights) || !tw__popops_each_once(graph, __func__, weights) ||
        !tw__popops_scale_fits(graph, __func__, &scale))
        return;
    update.p.output_type = TW_FLOAT; /* rounded once, when it is added */
    tw_graph_push_scope(graph);
    tw_tensor deltas = deltas_build(graph, &c, &update, &read, gradient, input, sequence, name);
    tw_popops_scaled_add(graph, weights, (tw_scale){ 1, TW__LIBS_NIL }, deltas, scale, sequence,
                         tw__libs_path(name, "Update").text, NULL);
    tw_graph_pop_scope(graph);
}

/* --- biases --------------------------------------------------------------------------------------------------- */

/* `biases` has one element for each channel (dimension 1) of `tensor`. */
static bool bias_check(tw_graph *graph, const char *call, tw_tensor tensor, tw_tensor biases)
{
    if (!tw__libs_ready(graph)) return false;
    tw__extents own = tw__libs_shape(graph, tensor), few = tw__libs_shape(graph, biases);
    tw_type type = tw_tensor_type(graph, tensor), of = tw_tensor_type(graph, biases);
    if (!tw__libs_ready(graph)) return false;
    bool real = (type == TW_FLOAT || type == TW_HALF) && type == of;
    if (real && own.rank >= 2 && few.rank == 1 && few.dim[0] == own.dim[1]) return true;
    tw_graph_fail(graph, TW_E_POPLIBS, call, "%s has no biases %s: one for each channel, which is dimension 1",
                  tw__libs_describe(graph, tensor).text, tw__libs_describe(graph, biases).text);
    return false;
}

tw_tensor tw_poplin_create_biases(tw_graph *graph, tw_tensor activations, const char *name)
{
    if (!tw__libs_ready(graph)) return TW__LIBS_NIL;
    unsigned rank = tw_tensor_rank(graph, activations);
    tw_type type = tw_tensor_type(graph, activations);
    if (!tw__libs_ready(graph)) return TW__LIBS_NIL;
    if (rank >= 2 && tw_graph_mapping_complete(graph, activations))
        return tw_poputil_create_broadcast_operand(graph, activations, type, 1, false, name);
    TW__LIBS_REFUSE(graph, "%s has no channels, dimension 1, on tiles", tw__libs_describe(graph, activations).text);
    return TW__LIBS_NIL;
}

void tw_poplin_add_bias(tw_graph *graph, tw_tensor tensor, tw_tensor biases, tw_program sequence, const char *name)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return;
    if (!bias_check(graph, __func__, tensor, biases) || !tw__libs_writeable(graph, __func__, tensor) ||
        !tw__popops_each_once(graph, __func__, tensor))
        return;
    if (!tw_graph_mapping_complete(graph, biases)) {
        TW__LIBS_REFUSE(graph, "%s has elements that are on no tile", tw__libs_describe(graph, biases).text);
        return;
    }
    tw_graph_push_scope(graph);
    tw__extents shape = { .rank = tw_tensor_rank(graph, tensor) - 1, .dim = { tw_tensor_dim(graph, biases, 0) } };
    for (unsigned d = 1; d < shape.rank; d++) shape.dim[d] = 1;
    tw_tensor column = tw_tensor_reshape(graph, biases, shape.rank, shape.dim);
    tw_popops_add_in_place(graph, tensor, column, sequence, name, NULL);
    tw_graph_pop_scope(graph);
}

void tw_poplin_conv_bias_update(tw_graph *graph, tw_tensor gradient, tw_tensor biases, tw_scale scale,
                                tw_program sequence, const char *name, const char *const *options)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return;
    tw__conv_options ignored;
    if (!bias_check(graph, __func__, gradient, biases) || !tw__libs_writeable(graph, __func__, biases) ||
        !tw__popops_each_once(graph, __func__, biases) || !tw__popops_scale_fits(graph, __func__, &scale) ||
        !tw__conv_read_options(graph, __func__, options, &ignored))
        return;
    if (!tw_graph_mapping_complete(graph, gradient)) {
        TW__LIBS_REFUSE(graph, "%s has elements that are on no tile", tw__libs_describe(graph, gradient).text);
        return;
    }
    size_t dims[TW__LIBS_RANK] = { 0 };
    unsigned rank = tw_tensor_rank(graph, gradient);
    for (unsigned d = 2; d < rank; d++) dims[d - 1] = d;
    tw_graph_push_scope(graph);
    tw_tensor sum = tw_popops_reduce(graph, gradient, TW_FLOAT, rank - 1, dims, NULL, sequence, name, NULL);
    tw_popops_scaled_add(graph, biases, (tw_scale){ 1, TW__LIBS_NIL }, sum, scale, sequence,
                         tw__libs_path(name, "Update").text, NULL);
    tw_graph_pop_scope(graph);
}

/* --- fully connected layers ----------------------------------------------------------------------------------- */

tw_tensor tw_poplin_fully_connected_weight_transpose(tw_graph *graph, tw_tensor weights,
                                                     const tw_conv_params *params, tw_program sequence,
                                                     const char *name, const char *const *options)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return TW__LIBS_NIL;
    tw__conv c;
    tw__conv_options read;
    if (!tw__conv_read(graph, __func__, params, &c) || !tw__conv_read_options(graph, __func__, options, &read))
        return TW__LIBS_NIL;
    tw__extents own = tw__libs_shape(graph, weights);
    tw_type type = tw_tensor_type(graph, weights);
    if (!tw__libs_ready(graph)) return TW__LIBS_NIL;
    if (c.dims != 1 || own.rank != 3 || own.dim[1] % c.p.groups || type != c.p.input_type ||
        !tw_graph_mapping_complete(graph, weights)) {
        TW__LIBS_REFUSE(graph,
                        "%s is no %s[batch][%zu * rows][columns] on tiles, for a field of one dimension (here: %u)",
                        tw__libs_describe(graph, weights).text, tw_type_name(c.p.input_type, TW_SYSTEM_POPLAR),
                        c.p.groups, c.dims);
        return TW__LIBS_NIL;
    }
    size_t split[] = { c.p.groups, own.dim[1] / c.p.groups };
    size_t turned[] = { own.dim[0], c.p.groups * own.dim[2], split[1] };
    tw_graph_push_scope(graph);
    tw_tensor view = tw_tensor_reshape_partial(graph, weights, 1, 2, 2, split);
    view = tw_tensor_dim_shuffle(graph, view, (unsigned[]){ 0, 1, 3, 2 });
    tw_tensor made = tw_graph_add_variable(graph, type, 3, turned, name);
    tw_poputil_map_linearly(graph, made);
    tw_program_sequence_add(graph, sequence, tw_program_copy(graph, view, made));
    made = tw_tensor_keep(graph, made);
    tw_graph_pop_scope(graph);
    return made;
}
