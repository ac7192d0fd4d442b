/* SPDX-License-Identifier: MIT */
/* Convolutions: blocks of a plan, a vertex for each; sums of parts of the channels join on the tree of reductions. */
#include "poplar/libs/poplin/conv.h"

#include <string.h>

/* --- checks and views ----------------------------------------------------------------------------------------- */

static tw__extents conv_shape(const tw__conv *c, tw__conv_role role)
{
    const tw_conv_params *p = &c->p;
    unsigned first = TW_CONV_DIMS - c->dims, lead = role == TW__CONV_WEIGHTS ? 3 : 2;
    tw__extents s = { .rank = lead + c->dims };
    if (role == TW__CONV_WEIGHTS)
        s.dim[0] = p->groups, s.dim[1] = p->out_channels, s.dim[2] = p->in_channels;
    else
        s.dim[0] = p->batch, s.dim[1] = p->groups * (role == TW__CONV_INPUT ? p->in_channels : p->out_channels);
    for (unsigned d = 0; d < c->dims; d++)
        s.dim[lead + d] = role == TW__CONV_INPUT    ? p->field[first + d]
                          : role == TW__CONV_OUTPUT ? tw__conv_out(&c->axis[first + d])
                                                    : p->kernel[first + d];
    return s;
}

bool tw__conv_sound(tw_graph *graph, const char *call, const tw__conv *c, tw__conv_role role, tw_tensor tensor,
                    tw_type type)
{
    static const char *const roles[] = { "the input", "the output's gradient", "the weights" };
    tw__extents want = conv_shape(c, role), own = tw__libs_shape(graph, tensor);
    tw_type of = tw_tensor_type(graph, tensor);
    if (!tw__libs_ready(graph)) return false;
    bool fits = own.rank == want.rank && !memcmp(own.dim, want.dim, own.rank * sizeof *own.dim) && of == type;
    if (!fits)
        tw_graph_fail(graph, TW_E_POPLIBS, call, "%s of this convolution: %s%s, not %s", roles[role],
                      tw_type_name(type, TW_SYSTEM_POPLAR), tw__libs_shape_text(want.rank, want.dim).text,
                      tw__libs_describe(graph, tensor).text);
    else if (!tw_graph_mapping_complete(graph, tensor))
        tw_graph_fail(graph, TW_E_POPLIBS, call, "%s has elements that are on no tile",
                      tw__libs_describe(graph, tensor).text);
    return tw__libs_ready(graph);
}

/* Dimensions of one element in front of a field that has fewer than three. */
static tw_tensor conv_three(tw_graph *graph, tw_tensor tensor, unsigned lead, unsigned dims)
{
    size_t at[TW_CONV_DIMS] = { lead, lead, lead };
    return dims == TW_CONV_DIMS ? tensor : tw_tensor_expand(graph, tensor, TW_CONV_DIMS - dims, at);
}

static tw_tensor conv_given(tw_graph *graph, tw_tensor tensor, unsigned lead, unsigned dims)
{
    size_t at[TW_CONV_DIMS] = { lead, lead + 1, lead + 2 };
    return dims == TW_CONV_DIMS ? tensor : tw_tensor_squeeze(graph, tensor, TW_CONV_DIMS - dims, at);
}

tw_tensor tw__conv_view(tw_graph *graph, tw_tensor tensor, size_t groups, unsigned dims)
{
    tw_tensor t = conv_three(graph, tensor, 2, dims);
    size_t split[] = { groups, tw_tensor_dim(graph, t, 1) / groups };
    t = tw_tensor_reshape_partial(graph, t, 1, 2, 2, split);
    return tw_tensor_dim_shuffle(graph, t, (unsigned[]){ 1, 0, 3, 4, 5, 2 });
}

tw_tensor tw__conv_unview(tw_graph *graph, tw_tensor view, unsigned dims)
{
    tw_tensor t = tw_tensor_dim_shuffle(graph, view, (unsigned[]){ 1, 0, 5, 2, 3, 4 });
    return conv_given(graph, tw_tensor_flatten_dims(graph, t, 1, 3), 2, dims);
}

tw_tensor tw__conv_weights_view(tw_graph *graph, tw_tensor weights, unsigned dims)
{
    tw_tensor t = conv_three(graph, weights, 3, dims);
    return tw_tensor_dim_shuffle(graph, t, (unsigned[]){ 0, 3, 4, 5, 2, 1 });
}

/* --- layouts -------------------------------------------------------------------------------------------------- */

typedef struct convolution {
    tw_graph *graph;
    const tw__conv *c;
    tw__conv_plan plan;
    tw_tensor input, weights; /* of elements that are not cut off */
    tw_tensor *sums;          /* [parts of the input channels] */
    tw_tensor *windows;       /* likewise: of blocks that differ in output channels alone */
    const char *vertex;
    bool across;
} convolution;

static size_t conv_begin(const tw__conv_plan *p, tw__conv_cut cut, size_t part, size_t extent)
{
    return MIN(part * p->block[cut], extent);
}

/* A variable of `rank` dimensions after the groups, split[] of them along each and as many blocks; cut[d] says whose
 * parts those are (or -1), which gives the tile. */
static tw_tensor conv_blocks(tw_graph *graph, const tw__conv *c, const tw__conv_plan *plan, tw_type type,
                             const size_t *shape, const size_t *split, const int *cut, size_t sum, const char *name)
{
    enum { RANK = 6 };
    tw_tensor t = tw_poputil_create_partitionable(graph, type, RANK, shape, split, name);
    size_t count = 1, at[RANK], begin[RANK], end[RANK];
    for (int d = 0; d < RANK; d++) count *= split[d];
    for (size_t i = 0; i < count; i++) {
        size_t place[TW__CONV_CUTS] = { [TW__CONV_IN] = sum }, rest = i;
        bool empty = false;
        for (int d = RANK; d-- > 0; rest /= split[d]) {
            size_t block = shape[d] / split[d] + (shape[d] % split[d] != 0);
            at[d] = rest % split[d];
            begin[d] = MIN(at[d] * block, shape[d]), end[d] = MIN(begin[d] + block, shape[d]);
            empty |= begin[d] == end[d];
            if (cut[d] >= 0) place[cut[d]] = cut[d] == TW__CONV_IN ? at[d] % plan->parts[TW__CONV_IN] : at[d];
        }
        if (empty) continue;
        tw_tensor block = tw_tensor_slice_nd(graph, t, begin, end);
        tw_graph_map(graph, block, tw__conv_tile(graph, c, plan, at[0], place));
        tw_tensor_free(graph, block);
    }
    return t;
}

/* Parts of the channels that the plan names, all with something in them. */
static size_t conv_parts_in(const tw__conv *c, const tw__conv_plan *p)
{
    size_t most = p->parts[TW__CONV_IN] * p->steps, block = MAX(p->block[TW__CONV_IN], 1);
    return MAX(1, MIN(most, c->p.in_channels / block + (c->p.in_channels % block != 0)));
}

tw_tensor tw__conv_create_output(tw_graph *g, const tw__conv *c, const tw__conv_plan *p, tw_type type, size_t sum,
                                 const char *name)
{
    size_t shape[] = { c->p.groups,
                       c->p.batch,
                       (size_t)c->axis[0].out,
                       (size_t)c->axis[1].out,
                       (size_t)c->axis[2].out,
                       c->p.out_channels },
           split[] = { c->p.groups, p->parts[0], p->parts[1], p->parts[2], p->parts[3], p->parts[TW__CONV_OUT] };
    return conv_blocks(g, c, p, type, shape, split, (int[]){ -1, 0, 1, 2, 3, TW__CONV_OUT }, sum, name);
}

static tw_tensor conv_create_input(tw_graph *g, const tw__conv *c, const tw__conv_plan *p, const char *name)
{
    size_t shape[6] = { c->p.groups, c->p.batch, 0, 0, 0, c->p.in_channels },
           split[6] = { c->p.groups, p->parts[0], 1, 1, 1, conv_parts_in(c, p) };
    for (int d = 0; d < TW_CONV_DIMS; d++) {
        shape[2 + d] = c->p.field[d];
        split[2 + d] = MAX(1, MIN(p->parts[TW__CONV_FIELD + d], c->p.field[d]));
    }
    return conv_blocks(g, c, p, c->p.input_type, shape, split, (int[]){ -1, 0, 1, 2, 3, TW__CONV_IN }, 0, name);
}

static tw_tensor conv_create_weights(tw_graph *g, const tw__conv *c, const tw__conv_plan *p, const char *name)
{
    size_t shape[] = { c->p.groups,    c->p.kernel[0],   c->p.kernel[1],
                       c->p.kernel[2], c->p.in_channels, c->p.out_channels },
           split[] = { c->p.groups, 1, 1, 1, conv_parts_in(c, p), p->parts[TW__CONV_OUT] };
    return conv_blocks(g, c, p, c->p.input_type, shape, split, (int[]){ -1, -1, -1, -1, TW__CONV_IN, TW__CONV_OUT },
                       0, name);
}

unsigned tw__conv_innermost(tw_graph *g, tw_tensor view)
{
    static const unsigned dims[] = { 5, 4, 1 };
    unsigned best = 5;
    double most = 1;
    tw__extents s = tw__libs_shape(g, view);
    for (size_t i = 0; i < G_N_ELEMENTS(dims); i++) {
        size_t begin[6] = { 0 }, end[6] = { 1, 1, 1, 1, 1, 1 };
        end[dims[i]] = s.dim[dims[i]];
        tw_tensor line = tw_tensor_flatten(g, tw_tensor_slice_nd(g, view, begin, end));
        double run = (double)s.dim[dims[i]] / (double)MAX(1, tw_tensor_contiguous_regions(g, line, NULL, 0));
        if (run > most) best = dims[i], most = run;
    }
    return best;
}

/* Weights in the order of the vertex: as they are where the first block is one run, else a copy. */
static tw_tensor conv_arranged(const convolution *v, tw_tensor weights, tw_program sequence, const char *name)
{
    tw_graph *g = v->graph;
    const tw_conv_params *p = &v->c->p;
    size_t begin[6] = { 0 }, end[6] = { 1,
                                        p->kernel[0],
                                        p->kernel[1],
                                        p->kernel[2],
                                        MIN(v->plan.block[TW__CONV_IN], p->in_channels),
                                        MIN(v->plan.block[TW__CONV_OUT], p->out_channels) };
    tw_tensor block = tw_tensor_flatten(g, tw_tensor_slice_nd(g, weights, begin, end));
    if (tw_tensor_contiguous_regions(g, block, NULL, 0) == 1) return weights;
    tw_tensor made = conv_create_weights(g, v->c, &v->plan, tw__libs_path(name, "weights").text);
    tw_program_sequence_add(g, sequence, tw_program_copy(g, weights, made));
    return made;
}

/* --- building ------------------------------------------------------------------------------------------------- */

void tw__conv_connect(tw_graph *g, const tw__conv *c, tw_vertex vertex, const char *field, tw_tensor input,
                      const size_t begin[6], const size_t end[6], const size_t channels[2], unsigned inner,
                      tw_tensor *window)
{
    size_t from[6] = { begin[0], begin[1], 0, 0, 0, channels[0] }, to[6] = { end[0], end[1], 0, 0, 0, channels[1] };
    int32_t axis[TW_CONV_DIMS * 7], stride[6], *f = axis;
    for (int d = 0; d < TW_CONV_DIMS; d++, f += 7) {
        const tw__conv_axis *a = &c->axis[d];
        int64_t first, last, out = (int64_t)begin[2 + d];
        tw__conv_window(a, out, (int64_t)end[2 + d], &first, &last);
        from[2 + d] = (size_t)first, to[2 + d] = (size_t)last;
        const int64_t fields[] = { (int64_t)end[2 + d] - out,
                                   a->taps,
                                   last - first,
                                   a->out_step,
                                   a->tap_step,
                                   a->start + a->out_step * out - a->dilation * first,
                                   a->dilation };
        for (int i = 0; i < 7; i++) f[i] = (int32_t)fields[i];
    }
    unsigned order[6] = { 0, 1, 2, 3, 4, 5 };
    if (inner == 4) order[2] = 5, order[3] = 2, order[4] = 3, order[5] = 4;
    if (inner == 1) order[1] = 5, order[5] = 1;
    size_t elements = 1;
    for (int i = 5; i > 0; i--) stride[order[i]] = (int32_t)elements, elements *= to[order[i]] - from[order[i]];
    if (!window->id) {
        tw_tensor turned = tw_tensor_dim_shuffle(g, tw_tensor_slice_nd(g, input, from, to), order);
        *window = tw_tensor_keep(g, tw_tensor_flatten(g, turned));
    }
    tw_graph_connect(g, vertex, field, *window);
    const int32_t strides[] = { stride[1], stride[5], stride[2], stride[3], stride[4] };
    tw_graph_set_field_values(g, vertex, "stride", TW_INT, 5, strides);
    tw_graph_set_field_values(g, vertex, "axis", TW_INT, TW_CONV_DIMS * 7, axis);
}

bool tw__conv_block(const tw__conv *c, const tw__conv_plan *p, size_t i, size_t place[TW__CONV_CUTS],
                    size_t begin[6], size_t end[6])
{
    size_t extent[] = { c->p.batch, (size_t)c->axis[0].out, (size_t)c->axis[1].out, (size_t)c->axis[2].out,
                        c->p.out_channels };
    bool empty = false;
    for (int d = TW__CONV_OUT; d >= 0; i /= p->parts[d], d--) {
        place[d] = i % p->parts[d];
        begin[d + 1] = conv_begin(p, (tw__conv_cut)d, place[d], extent[d]);
        end[d + 1] = conv_begin(p, (tw__conv_cut)d, place[d] + 1, extent[d]);
        empty |= begin[d + 1] == end[d + 1];
    }
    begin[0] = i, end[0] = i + 1; /* what is left: the group */
    return !empty;
}

size_t tw__conv_block_count(const tw__conv *c, const tw__conv_plan *p)
{
    size_t blocks = c->p.groups;
    for (int d = 0; d <= TW__CONV_OUT; d++) blocks *= p->parts[d];
    return blocks;
}

/* The vertex of a block of the outputs, for part `sum` of the input channels. */
static void conv_vertex(const convolution *v, tw_compute_set cs, size_t i, size_t sum, size_t step, unsigned inner)
{
    tw_graph *g = v->graph;
    const tw__conv_plan *p = &v->plan;
    size_t part = step * p->parts[TW__CONV_IN] + sum, place[TW__CONV_CUTS] = { [TW__CONV_IN] = sum };
    size_t begin[6], end[6],
        channels[] = { conv_begin(p, TW__CONV_IN, part, v->c->p.in_channels),
                       conv_begin(p, TW__CONV_IN, part + 1, v->c->p.in_channels) };
    if (!tw__conv_block(v->c, p, i, place, begin, end) || channels[0] == channels[1]) return;
    size_t group = begin[0];
    tw_graph_push_scope(g);
    tw_vertex vertex = tw_graph_add_vertex(g, cs, v->vertex, tw__conv_tile(g, v->c, p, group, place));
    tw__conv_connect(g, v->c, vertex, "in", v->input, begin, end, channels, inner, &v->windows[sum]);
    size_t from[] = { group, 0, 0, 0, channels[0], begin[5] }, to[] = {
        group + 1, (size_t)v->c->axis[0].taps, (size_t)v->c->axis[1].taps, (size_t)v->c->axis[2].taps, channels[1],
        end[5]
    };
    tw_graph_connect(g, vertex, "weights", tw_tensor_flatten(g, tw_tensor_slice_nd(g, v->weights, from, to)));
    tw_graph_connect(g, vertex, "out", tw_tensor_flatten(g, tw_tensor_slice_nd(g, v->sums[sum], begin, end)));
    tw_graph_set_field_int(g, vertex, "batch", (int64_t)(end[1] - begin[1]));
    tw_graph_set_field_int(g, vertex, "ci", (int64_t)(channels[1] - channels[0]));
    tw_graph_set_field_int(g, vertex, "co", (int64_t)(end[5] - begin[5]));
    tw_graph_set_field_int(g, vertex, "first", step == 0);
    tw_graph_set_field_int(g, vertex, "across", end[1] - begin[1] >= 12 || end[1] - begin[1] > end[4] - begin[4]);
    tw_graph_pop_scope(g);
}

static void conv_steps(const convolution *v, tw_program sequence, const char *name)
{
    tw_graph *g = v->graph;
    size_t blocks = tw__conv_block_count(v->c, &v->plan), outs = v->plan.parts[TW__CONV_OUT];
    size_t parts = v->plan.parts[TW__CONV_IN];
    unsigned inner = tw__conv_innermost(g, v->input);
    for (size_t step = 0; step < v->plan.steps; step++) {
        tw_compute_set cs = tw_graph_add_compute_set(g, tw__libs_path(name, "Convolve").text);
        for (size_t first = 0; first < blocks; first += outs) {
            tw_graph_push_scope(g);
            memset(v->windows, 0, parts * sizeof *v->windows);
            for (size_t i = first; i < first + outs; i++)
                for (size_t sum = 0; sum < parts; sum++) conv_vertex(v, cs, i, sum, step, inner);
            tw_graph_pop_scope(g);
        }
        tw_program_sequence_add(g, sequence, tw_program_execute(g, cs));
    }
}

tw_tensor tw__conv_without_cut(tw_graph *graph, const tw__conv *c, tw_tensor view, unsigned dim, bool taps)
{
    for (unsigned d = 0; d < TW_CONV_DIMS; d++) {
        const tw__conv_axis *a = &c->axis[d];
        size_t first = taps ? a->tap_first : a->in_first, count = (size_t)(taps ? a->taps : a->in);
        view = tw_tensor_slice(graph, view, dim + d, first, first + count);
    }
    return view;
}

/* The sums as the result: joined, and of its type. */
static tw_tensor conv_joined(const convolution *v, tw_program sequence, const char *name)
{
    tw_graph *g = v->graph;
    size_t parts = v->plan.parts[TW__CONV_IN];
    tw_type type = v->c->p.output_type;
    tw_tensor sum = v->sums[0];
    if (parts > 1) {
        for (size_t l = 0; l < parts; l++) v->sums[l] = tw_tensor_expand(g, v->sums[l], 1, (size_t[]){ 0 });
        tw_tensor all = tw_tensor_concat(g, (unsigned)parts, v->sums, 0);
        sum = tw__conv_create_output(g, v->c, &v->plan, TW_FLOAT, 0, name);
        tw_popops_reduce_with_output(g, all, sum, 1, (size_t[]){ 0 }, NULL, sequence, name, NULL);
    }
    if (type == TW_FLOAT) return sum;
    tw_tensor cast = tw__conv_create_output(g, v->c, &v->plan, type, 0, name);
    tw_popops_cast_to(g, sum, cast, sequence, tw__libs_path(name, "Cast").text);
    return cast;
}

static tw_tensor conv_zeros(tw_graph *g, const tw__conv *c, const size_t field[TW_CONV_DIMS], tw_program sequence,
                            const char *name)
{
    size_t shape[] = { c->p.groups, c->p.batch, field[0], field[1], field[2], c->p.out_channels };
    tw_tensor made = tw_graph_add_variable(g, c->p.output_type, 6, shape, name);
    tw_poputil_map_linearly(g, made);
    tw_popops_zero(g, made, sequence, name);
    return made;
}

tw_tensor tw__conv_build(tw_graph *g, const tw__conv *c, const tw__conv_options *options, tw_tensor input,
                         tw_tensor weights, tw_program sequence, const char *name)
{
    convolution v = { .graph = g, .c = c };
    size_t field[TW_CONV_DIMS], begin[6] = { 0 }, end[6] = { c->p.groups, c->p.batch, 0, 0, 0, c->p.out_channels };
    uint64_t work = c->p.batch * c->p.in_channels * c->p.out_channels;
    bool padded = false;
    for (unsigned d = 0; d < TW_CONV_DIMS; d++) {
        const tw__conv_axis *a = &c->axis[d];
        field[d] = tw__conv_out(a), begin[2 + d] = a->pad_lower, end[2 + d] = a->pad_lower + (size_t)a->out;
        padded |= a->pad_lower || a->pad_upper;
        if (!a->in || !a->taps || !a->out) work = 0;
    }
    if (!work) return conv_zeros(g, c, field, sequence, name);
    if (!(v.vertex = tw__conv_vertex(g, c->p.input_type))) return TW__LIBS_NIL;
    tw__conv_make_plan(g, c, options, &v.plan);
    v.plan.parts[TW__CONV_IN] = MIN(v.plan.parts[TW__CONV_IN], conv_parts_in(c, &v.plan));
    v.weights = tw__conv_without_cut(g, c, conv_arranged(&v, weights, sequence, name), 1, true);
    v.input = tw__conv_without_cut(g, c, input, 2, false);
    g_autofree tw_tensor *sums = g_new(tw_tensor, 2 * v.plan.parts[TW__CONV_IN]);
    v.sums = sums, v.windows = sums + v.plan.parts[TW__CONV_IN];
    for (size_t l = 0; l < v.plan.parts[TW__CONV_IN]; l++)
        sums[l] =
            tw__conv_create_output(g, c, &v.plan, TW_FLOAT, l, l ? tw__libs_path(name, "partials").text : name);
    conv_steps(&v, sequence, name);
    tw_tensor made = conv_joined(&v, sequence, name);
    if (!padded) return made;
    tw_tensor whole = conv_zeros(g, c, field, sequence, name);
    tw_program_sequence_add(g, sequence, tw_program_copy(g, made, tw_tensor_slice_nd(g, whole, begin, end)));
    return whole;
}

/* --- calls ---------------------------------------------------------------------------------------------------- */

static tw_tensor conv_create(tw_graph *graph, const char *call, tw__conv_role role, const tw_conv_params *params,
                             const char *name, const char *const *options)
{
    tw__conv c;
    tw__conv_options read;
    tw__conv_plan plan;
    bool quarters = params && params->input_type == TW_QUARTER; /* they are multiplied as floats */
    tw_conv_params floats = params ? *params : (tw_conv_params){ 0 };
    if (quarters) floats.input_type = TW_FLOAT;
    if (!tw__conv_read(graph, call, params ? &floats : NULL, &c) ||
        !tw__conv_read_options(graph, call, options, &read))
        return TW__LIBS_NIL;
    tw__conv_make_plan(graph, &c, &read, &plan);
    if (quarters) c.p.input_type = TW_QUARTER;
    tw_graph_push_scope(graph);
    tw_tensor made;
    if (role == TW__CONV_WEIGHTS) {
        made = tw_tensor_dim_shuffle(graph, conv_create_weights(graph, &c, &plan, name),
                                     (unsigned[]){ 0, 5, 4, 1, 2, 3 });
        made = conv_given(graph, made, 3, c.dims);
    } else {
        made = tw__conv_unview(graph, conv_create_input(graph, &c, &plan, name), c.dims);
    }
    made = tw_tensor_keep(graph, made);
    tw_graph_pop_scope(graph);
    return made;
}

tw_tensor tw_poplin_create_conv_input(tw_graph *graph, const tw_conv_params *params, const char *name,
                                      const char *const *options)
{
    return conv_create(graph, __func__, TW__CONV_INPUT, params, name, options);
}

tw_tensor tw_poplin_create_conv_weights(tw_graph *graph, const tw_conv_params *params, const char *name,
                                        const char *const *options)
{
    return conv_create(graph, __func__, TW__CONV_WEIGHTS, params, name, options);
}

/* Channels exchanged and kernels flipped: a view. */
static tw_tensor conv_turned(tw_graph *graph, tw_tensor weights, unsigned dims)
{
    static const unsigned order[] = { 0, 2, 1, 3, 4, 5 }; /* as many of them as there are dimensions */
    tw_tensor t = tw_tensor_dim_shuffle(graph, weights, order);
    for (unsigned d = 0; d < dims; d++) t = tw_tensor_reverse(graph, t, 3 + d);
    return t;
}

tw_tensor tw_poplin_convolution(tw_graph *graph, tw_tensor input, tw_tensor weights, const tw_conv_params *params,
                                bool transpose_and_flip, tw_program sequence, const char *name,
                                const char *const *options)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return TW__LIBS_NIL;
    tw__conv c, w;
    tw__conv_options read;
    if (!tw__conv_read(graph, __func__, params, &c) || !tw__conv_read_options(graph, __func__, options, &read))
        return TW__LIBS_NIL;
    w = c;
    if (transpose_and_flip) w.p.in_channels = c.p.out_channels, w.p.out_channels = c.p.in_channels;
    if (!tw__conv_sound(graph, __func__, &c, TW__CONV_INPUT, input, c.p.input_type) ||
        !tw__conv_sound(graph, __func__, &w, TW__CONV_WEIGHTS, weights, c.p.input_type))
        return TW__LIBS_NIL;
    tw_graph_push_scope(graph);
    if (transpose_and_flip) weights = conv_turned(graph, weights, c.dims);
    tw_tensor made = tw__conv_build(graph, &c, &read, tw__conv_view(graph, input, c.p.groups, c.dims),
                                    tw__conv_weights_view(graph, weights, c.dims), sequence, name);
    made = tw_tensor_keep(graph, tw__conv_unview(graph, made, c.dims));
    tw_graph_pop_scope(graph);
    return made;
}

void tw_poplin_weights_transpose_flip(tw_graph *graph, tw_tensor weights, tw_tensor out, tw_program sequence,
                                      const char *name)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return;
    (void)name; /* copies have none */
    if (!tw__libs_ready(graph)) return;
    tw__extents from = tw__libs_shape(graph, weights), to = tw__libs_shape(graph, out);
    tw_type type = tw_tensor_type(graph, weights), of = tw_tensor_type(graph, out);
    if (!tw__libs_ready(graph)) return;
    bool fits = from.rank == to.rank && from.rank > 3 && from.rank <= 3 + TW_CONV_DIMS && type == of &&
                from.dim[0] == to.dim[0] && from.dim[1] == to.dim[2] && from.dim[2] == to.dim[1] &&
                !memcmp(from.dim + 3, to.dim + 3, (from.rank - 3) * sizeof *from.dim);
    if (!fits) {
        TW__LIBS_REFUSE(graph,
                        "%s cannot become %s: [groups, out, in, kernel ...] and [groups, in, out, kernel ...]",
                        tw__libs_describe(graph, weights).text, tw__libs_describe(graph, out).text);
        return;
    }
    if (!tw__libs_writeable(graph, __func__, out)) return;
    tw_graph_push_scope(graph);
    tw_program_sequence_add(graph, sequence,
                            tw_program_copy(graph, conv_turned(graph, weights, from.rank - 3), out));
    tw_graph_pop_scope(graph);
}
