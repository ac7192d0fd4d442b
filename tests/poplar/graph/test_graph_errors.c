/* SPDX-License-Identifier: MIT */
/* Every error of the graph: its status, what its message names, where it says the call was, and that a failing call
 * changes nothing. The table is also the list in docs/graph.md. */
#include "poplar/graph/fake_codelets.h"
#include "poplar/graph/build.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

typedef struct fixture {
    tw_target *target;
    tw_graph *g, *v;            /* 16 tiles, tiles 4 to 7 of them */
    tw_tensor x, y, i, c, flag; /* float[8][16] twice, int[16], constant float[16], bool scalar */
    tw_tensor stale;
    tw_compute_set cs;
    tw_vertex scale, copy, all, sum;
    tw_stream in, out;
    tw_remote_buffer remote;
    tw_program exec, seq, sw;
    tw_function fn;
} fixture;

static fixture open_graph(void)
{
    fixture f = { .target = tw_target_new_ipu_model(
                      &(tw_ipu_model){ .size = sizeof(tw_ipu_model), .tiles_per_ipu = 16 }) };
    tw_graph *g = f.g = tw_graph_new(f.target);
    f.v = tw_graph_virtual_range(g, 4, 8);
    f.x = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 8, 16 }, "x");
    f.y = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 8, 16 }, "y");
    f.i = tw_graph_add_variable(g, TW_INT, 1, (size_t[]){ 16 }, "i");
    f.c = tw_graph_add_constant_double(g, TW_FLOAT, 1, (size_t[]){ 16 }, 1.5, "c");
    f.flag = tw_graph_add_variable(g, TW_BOOL, 0, NULL, "flag");
    f.stale = tw_tensor_slice(g, f.x, 0, 1, 2);
    tw_tensor_free(g, f.stale);
    f.cs = tw_graph_add_compute_set(g, "cs");
    f.scale = tw_graph_add_vertex(g, f.cs, "Scale", 7);
    f.copy = tw_graph_add_vertex(g, f.cs, "Copy<float>", 3);
    f.all = tw_graph_add_vertex(g, f.cs, "All", TW_UNMAPPED);
    f.sum = tw_graph_add_vertex(g, f.cs, "Sum", 2);
    tw_graph_connect(g, f.scale, "data", tw_tensor_slice(g, f.x, 0, 0, 1));
    tw_graph_set_field_size(g, f.all, "rows", 3);
    tw_graph_set_field_size(g, f.all, "short_span", 5);
    f.in = tw_graph_add_host_to_device_fifo(g, "in", TW_FLOAT, 16, TW_STREAM_REPLICATE, NULL);
    f.out = tw_graph_add_device_to_host_fifo(g, "out", TW_FLOAT, 16, "bufferingDepth=2");
    f.remote = tw_graph_add_remote_buffer(g, "remote", TW_FLOAT, 16, 10, false, false);
    tw_graph_create_host_write(g, "xw", f.x);
    f.exec = tw_program_execute(g, f.cs);
    f.seq = tw_program_sequence(g, "seq");
    f.sw = tw_program_switch(g, tw_tensor_index(g, f.i, 0), (tw_program){ 0 });
    tw_program_switch_add(g, f.sw, 4, f.exec);
    f.fn = tw_graph_add_function(g, f.exec, "fn");
    tw_graph_map(g, f.y, 1);
    assert_int_equal(tw_graph_status(g), TW_OK);
    return f;
}

static void close_graph(fixture *f)
{
    tw_graph_free(f->v);
    tw_graph_free(f->g);
    tw_target_free(f->target);
}

/* Everything an engine could read, as one number. */
static uint64_t add_bytes(uint64_t h, const void *data, size_t bytes)
{
    const uint8_t *p = data;
    for (size_t i = 0; i < bytes; i++) h = (h ^ p[i]) * 1099511628211u;
    return (h ^ bytes) * 1099511628211u;
}

static uint64_t fingerprint(tw_graph *g)
{
    tw__core *c = tw__graph_core(g);
    uint64_t h = 14695981039346656037u;
#define ADD(array, count) h = add_bytes(h, c->array, c->count * sizeof *c->array)
    ADD(vertices, vertex_count);
    ADD(edges, edge_count);
    ADD(values, value_count);
    ADD(types, type_count);
    ADD(compute_sets, compute_set_count);
    ADD(estimates, estimate_count);
    ADD(programs, program_count);
    ADD(functions, function_count);
    ADD(streams, stream_count);
    ADD(remotes, remote_count);
    ADD(accesses, access_count);
#undef ADD
    for (size_t i = 0; i < c->var_count; i++) {
        tw__variable *v = &c->vars[i];
        assert_true(tw__mapping_settle(v));
        h = add_bytes(h, v->mapped, v->mapped_count * sizeof *v->mapped);
        h = add_bytes(h, &v->initial, sizeof v->initial);
        h = add_bytes(h, &v->count, sizeof v->count);
    }
    for (uint32_t v = 1; v < c->vertex_count; v++)
        for (unsigned k = 0; k < 16; k++) {
            uint64_t size = 0;
            tw__field_size_find(c, v, k, &size);
            h = add_bytes(h, &size, sizeof size);
        }
    return h;
}

#define V(f)  ((f)->g)
#define NIL_T ((tw_tensor){ 0, 0 })
/* clang-format off */
/* X(name, status, phrase, the failing call on fixture *f) */
#define CASES(X)                                                                                                   \
    X(add_variable_type, TYPE, "element type acc48 is not one of the graph's types", tw_graph_add_variable(f->g, TW_ACC48, 1, (size_t[]){ 2 }, "a")) \
    X(add_variable_double, TYPE, "double is not supported by IPU targets", tw_graph_add_variable(f->g, TW_DOUBLE, 1, (size_t[]){ 2 }, "a")) \
    X(add_variable_huge, TENSOR_CREATION, "too many elements", tw_graph_add_variable(f->g, TW_FLOAT, 2, (size_t[]){ SIZE_MAX, 2 }, "a")) \
    X(add_variable_empty_huge, TENSOR_CREATION, "too many elements", tw_graph_add_variable(f->g, TW_FLOAT, 3, (size_t[]){ 0, UINT32_MAX, UINT32_MAX }, "a")) \
    X(add_variable_rank, TENSOR_CREATION, "at most 32 are possible", tw_graph_add_variable(f->g, TW_FLOAT, 33, (size_t[33]){ 1 }, "a")) \
    X(add_variable_null, INVALID_ARGUMENT, "the shape is NULL", tw_graph_add_variable(f->g, TW_FLOAT, 1, NULL, "a")) \
    X(add_constant_null, INVALID_ARGUMENT, "values of constant k are NULL", tw_graph_add_constant(f->g, TW_FLOAT, 1, (size_t[]){ 2 }, NULL, false, "k")) \
    X(initial_constant, TENSOR_CREATION, "c[16], which holds constants", tw_graph_set_initial_value(f->g, f->c, &(float){ 1 }, true)) \
    X(initial_null, INVALID_ARGUMENT, "initial values of x[8][16] are NULL", tw_graph_set_initial_value(f->g, f->x, NULL, true)) \
    X(clone_type, TYPE, "not one of the graph's types", tw_graph_clone(f->g, TW_U4, f->x, TW_CLONE_CREATE_NEW_ORDER, "n")) \
    X(nil_tensor, INVALID_ARGUMENT, "the tensor to slice is a nil tensor", tw_tensor_slice(f->g, NIL_T, 0, 0, 1)) \
    X(stale_tensor, INVALID_ARGUMENT, "released tensor", tw_tensor_slice(f->g, f->stale, 0, 0, 1)) \
    X(stale_getter, INVALID_ARGUMENT, "released tensor", tw_tensor_elements(f->g, f->stale)) \
    X(release_twice, INVALID_ARGUMENT, "released tensor", tw_tensor_free(f->g, f->stale)) \
    X(made_up_tensor, INVALID_ARGUMENT, "released tensor", tw_tensor_flatten(f->g, ((tw_tensor){ 999999, 1 }))) \
    X(dim, INDEX, "dimension 2 is out of range: x[8][16] has 2", tw_tensor_dim(f->g, f->x, 2)) \
    X(slice_dim, INDEX, "dimension 2 is out of range", tw_tensor_slice(f->g, f->x, 2, 0, 1)) \
    X(slice_end, INDEX, "slice [3, 9) is out of range: dimension 0 of x[8][16] has 8", tw_tensor_slice(f->g, f->x, 0, 3, 9)) \
    X(slice_backwards, INDEX, "slice [5, 3) is out of range", tw_tensor_slice(f->g, f->x, 0, 5, 3)) \
    X(slice_of_slice, INDEX, "of slice of x[8][16] has 2", tw_tensor_slice(f->g, tw_tensor_slice(f->g, f->x, 0, 0, 2), 0, 0, 3)) \
    X(slice_nd, INDEX, "slice [0, 17) is out of range: dimension 1", tw_tensor_slice_nd(f->g, f->x, (size_t[]){ 0, 0 }, (size_t[]){ 1, 17 })) \
    X(index, INDEX, "index 8 is out of range", tw_tensor_index(f->g, f->x, 8)) \
    X(index_scalar, INDEX, "dimension 0 is out of range", tw_tensor_index(f->g, f->flag, 0)) \
    X(element, INDEX, "index 16 is out of range: dimension 1 of x[8][16]", tw_tensor_element(f->g, f->x, (size_t[]){ 0, 16 })) \
    X(pick_range, INDEX, "interval 1, [100, 129), is out of range: x[8][16] has 128", tw_tensor_pick(f->g, f->x, 2, (tw_interval[]){ { 0, 1 }, { 100, 129 } })) \
    X(concat_none, INVALID_ARGUMENT, "concat of no tensors", tw_tensor_concat(f->g, 0, NULL, 0)) \
    X(concat_type, TYPE, "different element types: tensor 0 (x[8][16]) is float, tensor 1 (i[16]) is int", tw_tensor_concat(f->g, 2, (tw_tensor[]){ f->x, f->i }, 0)) \
    X(concat_shape, INVALID_ARGUMENT, "tensor 1 (c[16]) has shape [16]; all other dimensions", tw_tensor_concat(f->g, 2, (tw_tensor[]){ f->x, f->c }, 0)) \
    X(append_shape, INVALID_ARGUMENT, "append to x[8][16] along dimension 0", tw_tensor_append(f->g, f->x, f->x, 0)) \
    X(reshape_count, INVALID_ARGUMENT, "reshape of x[8][16] with 128 elements to [3][5] with 15", tw_tensor_reshape(f->g, f->x, 2, (size_t[]){ 3, 5 })) \
    X(reshape_partial, INDEX, "dimensions [1, 3) are out of range", tw_tensor_reshape_partial(f->g, f->x, 1, 3, 1, (size_t[]){ 16 })) \
    X(reshape_partial_count, INVALID_ARGUMENT, "16 elements, to [3]", tw_tensor_reshape_partial(f->g, f->x, 1, 2, 1, (size_t[]){ 3 })) \
    X(flatten_dims, INDEX, "dimensions [2, 1) are out of range", tw_tensor_flatten_dims(f->g, f->x, 2, 1)) \
    X(expand, INDEX, "expand before dimension 3", tw_tensor_expand(f->g, f->x, 1, (size_t[]){ 3 })) \
    X(squeeze, INVALID_ARGUMENT, "squeeze of dimension 1 of x[8][16], which has 16", tw_tensor_squeeze(f->g, f->x, 1, (size_t[]){ 1 })) \
    X(shuffle_twice, INVALID_ARGUMENT, "appears twice", tw_tensor_dim_shuffle(f->g, f->x, (unsigned[]){ 1, 1 })) \
    X(shuffle_range, INDEX, "dimension 2 is out of range", tw_tensor_dim_shuffle(f->g, f->x, (unsigned[]){ 0, 2 })) \
    X(shuffle_partial, INVALID_ARGUMENT, "moves twice", tw_tensor_dim_shuffle_partial(f->g, f->x, 2, (unsigned[]){ 0, 0 }, (unsigned[]){ 0, 1 })) \
    X(roll, INDEX, "dimension 5 is out of range", tw_tensor_dim_roll(f->g, f->x, 0, 5)) \
    X(transpose, INVALID_ARGUMENT, "which has 1 dimensions, not 2", tw_tensor_transpose(f->g, f->i)) \
    X(broadcast_huge, TENSOR_CREATION, "too many elements", tw_tensor_broadcast(f->g, tw_tensor_broadcast(f->g, f->x, 4000000000u, 0), 4000000000u, 0)) \
    X(broadcast_empty_huge, TENSOR_CREATION, "too many elements", tw_tensor_broadcast(f->g, tw_tensor_broadcast(f->g, tw_tensor_slice(f->g, f->x, 0, 3, 3), 4000000000u, 1), 4000000000u, 1)) \
    X(reshape_empty_huge, TENSOR_CREATION, "too many elements", tw_tensor_reshape(f->g, tw_tensor_slice(f->g, f->x, 0, 3, 3), 3, (size_t[]){ UINT32_MAX, 0, UINT32_MAX })) \
    X(broadcast_pieces, TENSOR_CREATION, "4000000000 times the 16 pieces of tensor", tw_tensor_broadcast(f->g, tw_tensor_concat(f->g, 2, (tw_tensor[]){ f->x, f->y }, 1), 4000000000u, 0)) \
    X(sub_sample, INVALID_ARGUMENT, "stride 0", tw_tensor_sub_sample(f->g, f->x, 0, 0)) \
    X(reinterpret, TYPE, "reinterpret of x[8][16] from float (4 bytes) to half (2 bytes)", tw_tensor_reinterpret(f->g, f->x, TW_HALF)) \
    X(pop_scope, ERROR, "without a tw_graph_push_scope()", tw_graph_pop_scope(f->g)) \
    X(map_tile, TILE_MAPPING, "x[8][16] cannot be on tile 16: the target has 16 tiles, 0 to 15", tw_graph_map(f->g, f->x, 16)) \
    X(map_virtual, TILE_MAPPING, "the virtual graph has 4 tiles", tw_graph_map(f->v, f->x, 4)) \
    X(map_range, INDEX, "mapping of 100 elements from 50 is out of range: x[8][16] has 128", tw_graph_map_range(f->g, f->x, 50, 100, 0)) \
    X(map_grain, INVALID_ARGUMENT, "grains of 0", tw_graph_map_linearly_with(f->g, f->x, 1, 0, 0)) \
    X(virtual_first, TILE_MAPPING, "first 17 tiles of each IPU: an IPU has 16", tw_graph_free(tw_graph_virtual_first(f->g, 17))) \
    X(virtual_range, TILE_MAPPING, "tiles [9, 3)", tw_graph_free(tw_graph_virtual_range(f->g, 9, 3))) \
    X(virtual_twice, TILE_MAPPING, "tile 3 twice", tw_graph_free(tw_graph_virtual_tiles(f->g, 2, (unsigned[]){ 3, 3 }))) \
    X(replicated, REPLICATION, "replication factor 7 does not divide the", tw_graph_free(tw_graph_replicated(f->g, 7))) \
    X(codelet_missing, FILE_LOAD, "missing.cpp", tw_graph_add_codelets(f->g, "missing.cpp", NULL)) \
    X(codelet_bad, COMPILATION, "bad.cpp:3:7: error: expected ';'", tw_graph_add_codelets(f->g, "bad.cpp", NULL)) \
    X(codelet_language, INVALID_ARGUMENT, "must be \"c\" or \"c++\"", tw_graph_add_codelets_source(f->g, "", "pascal", NULL, NULL)) \
    X(vertex_type, UNKNOWN_VERTEX_TYPE, "unknown vertex type 'Scales'; did you mean 'Scale'?", tw_graph_add_vertex(f->g, f->cs, "Scales", 0)) \
    X(vertex_tile, TILE_MAPPING, "a vertex of type Scale cannot be on tile 99", tw_graph_add_vertex(f->g, f->cs, "Scale", 99)) \
    X(vertex_cs, INVALID_ARGUMENT, "the compute set is nil", tw_graph_add_vertex(f->g, (tw_compute_set){ 0 }, "Scale", 0)) \
    X(map_vertex, TILE_MAPPING, "vertex 3 of type All cannot be on tile 16", tw_graph_map_vertex(f->g, f->all, 16)) \
    X(map_vertex_nil, INVALID_ARGUMENT, "the vertex is nil", tw_graph_map_vertex(f->g, (tw_vertex){ 0 }, 1)) \
    X(field_name, UNKNOWN_FIELD, "unknown field 'dato' of vertex 1 of type Scale on tile 7; did you mean 'data'?", tw_graph_connect(f->g, f->scale, "dato", f->x)) \
    X(connect_type, CONNECTION, "element type mismatch: field 'in' of vertex 2 of type Copy<float> on tile 3 is float, tensor i[16] is int", tw_graph_connect(f->g, f->copy, "in", f->i)) \
    X(connect_twice, CONNECTION, "field 'data' of vertex 1 of type Scale on tile 7 is already connected", tw_graph_connect(f->g, f->scale, "data", f->x)) \
    X(connect_constant_out, CONNECTION, "output field 'out' of vertex 2 of type Copy<float> on tile 3 cannot be connected to c[16], which holds constants", tw_graph_connect(f->g, f->copy, "out", f->c)) \
    X(connect_alias_out, CONNECTION, "which names an element twice", tw_graph_connect(f->g, f->copy, "out", tw_tensor_broadcast(f->g, f->x, 2, 0))) \
    X(connect_state, CONNECTION, "field 'factor' of vertex 1 of type Scale on tile 7 is state, not an edge", tw_graph_connect(f->g, f->scale, "factor", f->x)) \
    X(connect_scalar_size, CONNECTION, "wrong size: field 'scalar' of vertex 3 of type All takes 1 element, tensor i[16] has 16", tw_graph_connect(f->g, f->all, "scalar", f->i)) \
    X(connect_size, CONNECTION, "takes 5 elements as set by tw_graph_set_field_size(), tensor x[8][16] has 128", tw_graph_connect(f->g, f->all, "short_span", f->x)) \
    X(connect_rows, CONNECTION, "takes 3 sub-vectors", tw_graph_connect(f->g, f->all, "rows", f->x)) \
    X(connect_rank, CONNECTION, "is a list of vectors", tw_graph_connect(f->g, f->all, "list", f->c)) \
    X(connect_index_large, INDEX, "is out of range", tw_graph_connect(f->g, f->all, "list[16777216]", f->c)) \
    X(connect_index_range, INDEX, "'rows[3]' of vertex 3 of type All is out of range: the field has 3", tw_graph_connect(f->g, f->all, "rows[3]", f->c)) \
    X(connect_index_vector, CONNECTION, "is not a list", tw_graph_connect(f->g, f->copy, "in[0]", f->c)) \
    X(connect_index_bad, UNKNOWN_FIELD, "unknown field 'rows[x]'", tw_graph_connect(f->g, f->all, "rows[x]", f->c)) \
    X(connect_nil, INVALID_ARGUMENT, "the tensor to connect is a nil tensor", tw_graph_connect(f->g, f->copy, "in", NIL_T)) \
    X(connect_list_count, CONNECTION, "takes 3 sub-vectors", tw_graph_connect_list(f->g, f->all, "rows", 2, (tw_tensor[]){ f->c, f->c })) \
    X(connect_list_vector, CONNECTION, "is not a list: connect one tensor", tw_graph_connect_list(f->g, f->copy, "in", 1, &f->c)) \
    X(connect_list_scalar, CONNECTION, "takes 1 element for each edge", tw_graph_connect_list(f->g, f->sum, "edges", 1, &f->c)) \
    X(connect_list_alias, CONNECTION, "name an element twice", tw_graph_connect_list(f->g, f->all, "outs", 2, (tw_tensor[]){ f->x, tw_tensor_index(f->g, f->x, 0) })) \
    X(constant_state, CONNECTION, "is state, not an edge", tw_graph_connect_constant(f->g, f->all, "n", 1)) \
    X(constant_output, CONNECTION, "output field 'out'", tw_graph_connect_constant(f->g, f->sum, "out", 1)) \
    X(constant_fraction, OVERFLOW, "value 1.5 does not fit int field 'scalar' of vertex 3 of type All: it must be a whole number", tw_graph_connect_constant(f->g, f->all, "scalar", 1.5)) \
    X(set_edge, CONNECTION, "field 'in' of vertex 2 of type Copy<float> on tile 3 is an edge", tw_graph_set_field(f->g, f->copy, "in", 1)) \
    X(set_negative, OVERFLOW, "value -1 does not fit unsigned int field 'n'", tw_graph_set_field(f->g, f->all, "n", -1)) \
    X(set_large, OVERFLOW, "value 4294967296 does not fit", tw_graph_set_field_int(f->g, f->all, "n", INT64_C(1) << 32)) \
    X(set_int_large, OVERFLOW, "value 2147483648 does not fit int field 'i'", tw_graph_set_field_int(f->g, f->all, "i", INT64_C(1) << 31)) \
    X(set_bool, OVERFLOW, "it must be 0 or 1", tw_graph_set_field(f->g, f->all, "flag", 2)) \
    X(set_half, OVERFLOW, "value 70000 does not fit half field 'k'", tw_graph_set_field(f->g, f->all, "k", 70000)) \
    X(set_float, OVERFLOW, "does not fit float field 'factor'", tw_graph_set_field(f->g, f->scale, "factor", 1e39)) \
    X(set_array, TYPE, "has several elements", tw_graph_set_field(f->g, f->all, "s", 1)) \
    X(set_blob, TYPE, "set its 12 bytes", tw_graph_set_field(f->g, f->all, "blob", 1)) \
    X(set_unknown, UNKNOWN_FIELD, "did you mean 'factor'", tw_graph_set_field(f->g, f->scale, "facto", 1)) \
    X(set_indexed, INVALID_ARGUMENT, "elements of state are set together", tw_graph_set_field(f->g, f->all, "s[1]", 1)) \
    X(values_count, NO_SIZE, "wrong size: field 's' of vertex 3 of type All has 4 elements, 3 are given", tw_graph_set_field_values(f->g, f->all, "s", TW_INT, 3, (int[]){ 1, 2, 3 })) \
    X(values_fit, OVERFLOW, "value 40000 does not fit short field 's'", tw_graph_set_field_values(f->g, f->all, "s", TW_INT, 4, (int[]){ 1, 2, 3, 40000 })) \
    X(values_blob, TYPE, "cannot be set from elements of type float", tw_graph_set_field_values(f->g, f->all, "blob", TW_FLOAT, 3, (float[3]){ 0 })) \
    X(values_null, INVALID_ARGUMENT, "are NULL", tw_graph_set_field_values(f->g, f->all, "table", TW_INT, 4, NULL)) \
    X(size_fixed, INVALID_ARGUMENT, "its size is fixed", tw_graph_set_field_size(f->g, f->all, "n", 3)) \
    X(size_connected, CONNECTION, "already connected", tw_graph_set_field_size(f->g, f->scale, "data", 3)) \
    X(size_unknown, NO_SIZE, "has no size", tw_graph_get_field_size(f->g, f->copy, "in")) \
    X(max_dim_field, UNKNOWN_FIELD, "unknown field 'dat' of vertex type Scale; did you mean 'data'?", tw_graph_max_field_dim(f->g, "Scale", "dat", 0)) \
    X(max_dim_dim, INDEX, "dimension 1 of field 'data'", tw_graph_max_field_dim(f->g, "Scale", "data", 1)) \
    X(estimate_nil, INVALID_ARGUMENT, "vertex 77 is not a vertex of this graph", tw_graph_set_perf_estimate(f->g, (tw_vertex){ 77 }, 1, 1)) \
    X(estimator_type, UNKNOWN_VERTEX_TYPE, "unknown vertex type 'Nope'", tw_graph_register_perf_estimator(f->g, "Nope", NULL, NULL, NULL)) \
    X(stream_twice, STREAM_CONNECTION, "the handle 'in' of a stream is taken", tw_graph_add_device_to_host_fifo(f->g, "in", TW_FLOAT, 1, NULL)) \
    X(remote_twice, STREAM_CONNECTION, "the handle 'out' of a remote buffer is taken", tw_graph_add_remote_buffer(f->g, "out", TW_FLOAT, 1, 1, false, false)) \
    X(stream_unnamed, INVALID_ARGUMENT, "a stream needs a handle", tw_graph_add_device_to_host_fifo(f->g, "", TW_FLOAT, 1, NULL)) \
    X(stream_option, INVALID_OPTION, "bufferingDepth", tw_graph_add_device_to_host_fifo(f->g, "s", TW_FLOAT, 1, "bufferingDept=1")) \
    X(stream_option_value, INVALID_OPTION, "stream 's'", tw_graph_add_device_to_host_fifo(f->g, "s", TW_FLOAT, 1, "bufferingDepth=many")) \
    X(stream_option_form, INVALID_OPTION, "key=value is expected", tw_graph_add_device_to_host_fifo(f->g, "s", TW_FLOAT, 1, "bufferingDepth")) \
    X(stream_huge, STREAM_MEMORY, "too large", tw_graph_add_device_to_host_fifo(f->g, "s", TW_FLOAT, UINT64_MAX, NULL)) \
    X(remote_huge, STREAM_MEMORY, "too large", tw_graph_add_remote_buffer(f->g, "r", TW_FLOAT, UINT64_MAX / 2, 3, false, false)) \
    X(access_twice, TENSOR_IO, "the handle 'xw' is taken", tw_graph_create_host_access(f->g, "xw", f->y)) \
    X(access_constant, TENSOR_IO, "host write to c[16], which holds constants", tw_graph_create_host_write(f->g, "cw", f->c)) \
    X(access_unnamed, INVALID_ARGUMENT, "needs a handle", tw_graph_create_host_read(f->g, NULL, f->x)) \
    X(execute_nil, CONTROL_PROGRAM, "the compute set is nil", tw_program_execute(f->g, (tw_compute_set){ 0 })) \
    X(execute_result, CONTROL_PROGRAM, "the result tensor must be bool, int or unsigned int", tw_program_execute_all_true(f->g, f->cs, tw_tensor_element(f->g, f->x, (size_t[]){ 0, 0 }))) \
    X(copy_type, TYPE, "source i[16] is int, destination c[16] is float", tw_program_copy(f->g, f->i, f->c)) \
    X(copy_count, CONTROL_PROGRAM, "source x[8][16] has 128 ([8][16]), destination c[16] has 16 ([16])", tw_program_copy(f->g, f->x, f->c)) \
    X(copy_constant, CONTROL_PROGRAM, "the destination c[16] holds constants", tw_program_copy(f->g, tw_tensor_index(f->g, f->x, 0), f->c)) \
    X(copy_overlap, CONTROL_PROGRAM, "copy of overlapping tensors", tw_program_copy(f->g, tw_tensor_slice(f->g, f->x, 0, 0, 4), tw_tensor_slice(f->g, f->x, 0, 3, 7))) \
    X(copy_alias, CONTROL_PROGRAM, "names an element twice", tw_program_copy(f->g, f->x, tw_tensor_broadcast(f->g, tw_tensor_slice(f->g, f->y, 0, 0, 1), 8, 0))) \
    X(stream_count, CONTROL_PROGRAM, "stream 'in' moves 16 elements at a time, x[8][16] has 128", tw_program_copy_from_stream(f->g, f->in, f->x)) \
    X(stream_type, TYPE, "stream 'in' is float, i[16] is int", tw_program_copy_from_stream(f->g, f->in, f->i)) \
    X(stream_direction, CONTROL_PROGRAM, "goes from host to device", tw_program_copy_to_stream(f->g, f->c, f->in)) \
    X(stream_constant, CONTROL_PROGRAM, "holds constants", tw_program_copy_from_stream(f->g, f->in, f->c)) \
    X(stream_nil, CONTROL_PROGRAM, "the stream is nil", tw_program_copy_from_stream(f->g, (tw_stream){ 0 }, f->c)) \
    X(remote_count, CONTROL_PROGRAM, "remote buffer 'remote' has rows of 16 elements", tw_program_copy_from_remote(f->g, f->remote, f->x, NIL_T)) \
    X(remote_offsets, CONTROL_PROGRAM, "must be a vector of unsigned int or int", tw_program_copy_to_remote(f->g, f->x, f->remote, f->x)) \
    X(remote_type, TYPE, "remote buffer 'remote' is float, i[16] is int", tw_program_copy_to_remote(f->g, f->i, f->remote, NIL_T)) \
    X(repeat_nil, CONTROL_PROGRAM, "the body is a nil program", tw_program_repeat(f->g, 3, (tw_program){ 0 })) \
    X(repeat_foreign, CONTROL_PROGRAM, "the body is not a program of this graph", tw_program_repeat(f->g, 3, (tw_program){ 9999 })) \
    X(sequence_add, CONTROL_PROGRAM, "this is a program of kind Execute", tw_program_sequence_add(f->g, f->exec, f->seq)) \
    X(sequence_of, CONTROL_PROGRAM, "a program of the sequence is a nil program", tw_program_sequence_of(f->g, 2, (tw_program[]){ f->exec, { 0 } })) \
    X(block_nil, CONTROL_PROGRAM, "a program of the sequence is a nil program", tw_program_block(f->g, (tw_program){ 0 }, "b")) \
    X(if_vector, CONTROL_PROGRAM, "the predicate must have one element, i[16] has 16", tw_program_if(f->g, f->i, f->exec, f->exec)) \
    X(if_float, CONTROL_PROGRAM, "must be bool, int or unsigned int", tw_program_if(f->g, tw_tensor_index(f->g, f->c, 0), f->exec, f->exec)) \
    X(while_nil, CONTROL_PROGRAM, "the condition is a nil program", tw_program_repeat_while_true(f->g, (tw_program){ 0 }, f->flag, f->exec)) \
    X(while_tensor, INVALID_ARGUMENT, "the predicate is a nil tensor", tw_program_repeat_while_false(f->g, f->seq, NIL_T, f->exec)) \
    X(switch_bool, CONTROL_PROGRAM, "the control tensor must be int or unsigned int", tw_program_switch(f->g, f->flag, f->exec)) \
    X(switch_twice, CONTROL_PROGRAM, "already has a case 4", tw_program_switch_add(f->g, f->sw, 4, f->exec)) \
    X(switch_kind, CONTROL_PROGRAM, "cases can be added to a switch only", tw_program_switch_add(f->g, f->seq, 4, f->exec)) \
    X(call_nil, CONTROL_PROGRAM, "the function is nil", tw_program_call(f->g, (tw_function){ 0 })) \
    X(function_nil, CONTROL_PROGRAM, "the body is a nil program", tw_graph_add_function(f->g, (tw_program){ 0 }, "f")) \
    X(abort_if, CONTROL_PROGRAM, "the predicate must have one element", tw_program_abort_on_condition(f->g, f->i, "no")) \
    X(undef_constant, CONTROL_PROGRAM, "holds constants", tw_program_write_undef(f->g, f->c)) \
    X(print_nil, INVALID_ARGUMENT, "the tensor to print is a nil tensor", tw_program_print_tensor(f->g, "t", NIL_T, NULL)) \
    X(loop_step, CONTROL_PROGRAM, "a step of at least 1, not 0", tw_program_counted_for_loop(f->g, tw_tensor_index(f->g, f->i, 0), 0, 3, 0, f->exec)) \
    X(loop_range, OVERFLOW, "does not fit the counter's type int", tw_program_counted_for_loop(f->g, tw_tensor_index(f->g, f->i, 0), 0, INT64_C(1) << 40, 1, f->exec)) \
    X(loop_counter, CONTROL_PROGRAM, "the loop counter must be int", tw_program_counted_for_loop(f->g, f->flag, 0, 3, 1, f->exec)) \
    X(loop_limit, CONTROL_PROGRAM, "the loop limit must be int", tw_program_counted_for_loop_dynamic(f->g, tw_tensor_index(f->g, f->i, 0), 0, f->flag, 1, f->exec)) \
    X(name_nil, CONTROL_PROGRAM, "the program is a nil program", tw_program_name(f->g, (tw_program){ 0 }, "n"))
/* clang-format on */

#define DEFINE(name, status, phrase, ...) \
    static void case_##name(fixture *f)   \
    {                                     \
        (void)(__VA_ARGS__);              \
    }
CASES(DEFINE)

static const struct {
    const char *name;
    tw_status status;
    const char *phrase;
    void (*call)(fixture *f);
} rows[] = {
#define ROW(name, code, text, ...) { #name, TW_E_##code, text, case_##name },
    CASES(ROW)
#undef ROW
};

static void graph_errors_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        fixture f = open_graph();
        uint64_t before = fingerprint(f.g);
        rows[i].call(&f);
        const tw_error *e = tw_graph_error(f.g);
        if (e->status != rows[i].status || !strstr(e->message, rows[i].phrase))
            fail_msg("%s: %s: %s", rows[i].name, tw_status_name(e->status), e->message);
        if (!e->file || !strstr(e->file, "test_graph_errors.c") || e->line <= 0 || strncmp(e->function, "tw_", 3))
            fail_msg("%s: call site %s:%d in %s", rows[i].name, e->file, e->line, e->function);
        if (fingerprint(f.g) != before) fail_msg("%s: the failing call changed the graph", rows[i].name);
        /* Sticky: the next call does nothing. Then taken: the graph goes on as if nothing had been. */
        assert_int_equal(tw_graph_add_compute_set(f.g, "later").id, 0);
        assert_int_equal(fingerprint(f.g) != before, 0);
        tw_error taken;
        assert_int_equal(tw_graph_take_error(f.g, &taken), rows[i].status);
        assert_non_null(strstr(taken.message, rows[i].phrase));
        assert_int_equal(tw_graph_status(f.g), TW_OK);
        assert_int_not_equal(tw_graph_add_compute_set(f.g, "later").id, 0);
        tw_graph_connect(f.g, f.copy, "in", f.x);
        assert_int_equal(tw_graph_status(f.g), TW_OK);
        close_graph(&f);
    }
}

/* --- what the check finds ------------------------------------------------------------------------------------- */

typedef void (*build_fn)(fixture *f, tw_compute_set cs);
static void unmapped_variable(fixture *f, tw_compute_set cs)
{
    tw_graph_connect(f->g, tw_graph_add_vertex(f->g, cs, "Scale", 5), "data", f->x);
}
static void partly_unmapped(fixture *f, tw_compute_set cs)
{
    tw_graph_map_range(f->g, f->x, 0, 100, 1);
    tw_graph_connect(f->g, tw_graph_add_vertex(f->g, cs, "Scale", 5), "data", tw_tensor_transpose(f->g, f->x));
}
static void unmapped_vertex(fixture *f, tw_compute_set cs)
{
    tw_graph_connect(f->g, tw_graph_add_vertex(f->g, cs, "Scale", TW_UNMAPPED), "data", f->y);
}
static void unconnected(fixture *f, tw_compute_set cs)
{
    tw_graph_connect(f->g, tw_graph_add_vertex(f->g, cs, "Copy<float>", 1), "in", f->y);
}
static void unconnected_element(fixture *f, tw_compute_set cs)
{
    tw_vertex v = tw_graph_add_vertex(f->g, cs, "Rows", 1);
    tw_graph_set_field_size(f->g, v, "rows", 3);
    tw_graph_connect(f->g, v, "rows[0]", tw_tensor_index(f->g, f->y, 0));
    tw_graph_connect(f->g, v, "rows[2]", tw_tensor_index(f->g, f->y, 2));
}

static void unconnected_scalar(fixture *f, tw_compute_set cs)
{
    tw_vertex v = tw_graph_add_vertex(f->g, cs, "Sum", 1);
    tw_graph_set_field_size(f->g, v, "edges", 3);
    tw_graph_connect(f->g, v, "edges[0]", tw_tensor_element(f->g, f->y, (size_t[]){ 0, 0 }));
}

static void graph_errors_of_the_check(void **state)
{
    (void)state;
    static const struct {
        build_fn build;
        tw_status status;
        const char *phrases[2];
    } checks[] = {
        { unmapped_variable,
          TW_E_TILE_MAPPING,
          { "unmapped variable: x[8][16] is on no tile", "field 'data' of vertex 5 of type Scale on tile 5" } },
        { partly_unmapped, TW_E_TILE_MAPPING, { "unmapped variable: element 112 of x[8][16]", "field 'data'" } },
        { unmapped_vertex,
          TW_E_TILE_MAPPING,
          { "unmapped vertex: vertex 5 of type Scale in compute set 'own'", "tw_graph_map_vertex" } },
        { unconnected,
          TW_E_CONNECTION,
          { "unconnected field: 'out' of vertex 5 of type Copy<float> on tile 1", "not connected" } },
        { unconnected_element,
          TW_E_CONNECTION,
          { "unconnected field: 'rows'", "2 of 3 elements connected: the first missing is element 1" } },
        { unconnected_scalar,
          TW_E_CONNECTION,
          { "unconnected field: 'edges'", "1 of 3 elements connected: the first missing is element 1" } },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(checks); i++) {
        fixture f = open_graph();
        tw_compute_set cs = tw_graph_add_compute_set(f.g, "own");
        tw__graph_core(f.g)->access_count = 0; /* host access to x, which is unmapped, is another error */
        tw__operand_drop(&tw__graph_core(f.g)->accesses[0].tensor);
        checks[i].build(&f, cs);
        tw_program p = tw_program_execute(f.g, cs);
        assert_int_equal(tw_graph_status(f.g), TW_OK);
        tw_status status = tw__graph_check(tw__graph_core(f.g), &p.id, 1);
        if (status != checks[i].status || !strstr(tw_error_message(), checks[i].phrases[0]) ||
            !strstr(tw_error_message(), checks[i].phrases[1]))
            fail_msg("row %zu: %s", i, tw_error_message());
        close_graph(&f);
    }
}

static void graph_errors_host_access_unmapped(void **state)
{
    (void)state;
    fixture f = open_graph();
    tw_program p = tw_program_copy(f.g, f.y, f.x);
    assert_int_equal(tw__graph_check(tw__graph_core(f.g), &p.id, 1), TW_E_TILE_MAPPING);
    assert_non_null(strstr(tw_error_message(), "used by a Copy program"));
    p = tw_program_sequence(f.g, NULL);
    assert_int_equal(tw__graph_check(tw__graph_core(f.g), &p.id, 1), TW_E_TILE_MAPPING);
    assert_non_null(strstr(tw_error_message(), "the host access 'xw'"));
    close_graph(&f);
}

/* The check hands on the sticky error with its call site. */
static void graph_errors_check_reports_sticky(void **state)
{
    (void)state;
    fixture f = open_graph();
    tw_program p = f.exec;
    tw_tensor_index(f.g, f.x, 8);
    assert_int_equal(tw__graph_check(tw__graph_core(f.g), &p.id, 1), TW_E_INDEX);
    assert_non_null(strstr(tw_error_message(), "test_graph_errors.c:"));
    assert_non_null(strstr(tw_error_message(), "tw_tensor_index: index 8 is out of range"));
    close_graph(&f);
}

static tw_tensor helper(tw_graph *g, tw_tensor x)
{
    return tw_tensor_slice(g, x, 0, 0, 4);
}

static void graph_errors_call_site_of_nested_calls(void **state)
{
    (void)state;
    fixture f = open_graph();
    int line = __LINE__ + 1;
    tw_tensor_slice(f.g, helper(f.g, f.x), 1, 0, 17);
    assert_int_equal(tw_graph_error(f.g)->line, line);
    assert_string_equal(tw_graph_error(f.g)->function, "tw_tensor_slice");
    tw_graph_take_error(f.g, NULL);
    line = __LINE__ + 1;
    tw_program_sequence_add(f.g, f.seq, tw_program_execute(f.g, (tw_compute_set){ 0 }));
    assert_int_equal(tw_graph_error(f.g)->line, line);
    assert_string_equal(tw_graph_error(f.g)->function, "tw_program_execute");
    tw_graph_take_error(f.g, NULL);
    (tw_tensor_slice)(f.g, f.x, 0, 0, 17); /* without the macro */
    assert_null(tw_graph_error(f.g)->file);
    close_graph(&f);
}

static void graph_errors_first_one_is_kept(void **state)
{
    (void)state;
    fixture f = open_graph();
    tw_tensor nil = tw_tensor_index(f.g, f.x, 8);
    assert_int_equal(nil.id, 0);
    tw_graph_map(f.g, nil, 99); /* a nil handle on a graph in error is not another error */
    tw_graph_connect(f.g, (tw_vertex){ 0 }, "data", nil);
    assert_int_equal(tw_graph_status(f.g), TW_E_INDEX);
    assert_int_equal(tw_graph_status(f.v), TW_E_INDEX);
    tw_error e;
    assert_int_equal(tw_graph_take_error(f.g, &e), TW_E_INDEX);
    assert_int_equal(e.status, TW_E_INDEX);
    assert_int_equal(tw_graph_take_error(f.g, &e), TW_OK);
    assert_int_equal(e.status, TW_OK);
    close_graph(&f);
}

/* Handles of one graph are not handles of another. */
static void graph_errors_foreign_handles(void **state)
{
    (void)state;
    fixture f = open_graph(), other = open_graph();
    assert_true(tw_tensor_valid(f.g, f.x));
    assert_false(tw_tensor_valid(other.g, f.x));
    tw_graph_map(other.g, f.x, 0);
    assert_int_equal(tw_graph_status(other.g), TW_E_INVALID_ARGUMENT);
    close_graph(&f);
    close_graph(&other);
}

static void graph_errors_null_graph(void **state)
{
    (void)state;
    assert_int_equal(tw_tensor_slice(NULL, NIL_T, 0, 0, 1).id, 0);
    assert_int_equal(tw_graph_status(NULL), TW_E_INVALID_ARGUMENT);
    assert_int_equal(tw_graph_error(NULL)->status, TW_E_INVALID_ARGUMENT);
    assert_int_equal(tw_graph_take_error(NULL, NULL), TW_E_INVALID_ARGUMENT);
    assert_false(tw_tensor_valid(NULL, NIL_T));
    tw_graph_free(NULL);
    tw_graph *g = tw_graph_new(NULL);
    assert_null(g);
    assert_int_equal(tw_graph_status(g), TW_E_INVALID_ARGUMENT);
    assert_string_equal(tw_graph_error(g)->function, "tw_graph_new");
    assert_int_equal(tw_graph_error(g)->line, __LINE__ - 4);
}

/* What libraries on top of graphs say of their own calls. */
static void graph_errors_of_libraries(void **state)
{
    (void)state;
    fixture f = open_graph();
    assert_int_equal(tw_graph_fail(f.v, TW_E_POPLIBS, "tw_some_call", "%zu rows", (size_t)3), TW_E_POPLIBS);
    assert_string_equal(tw_graph_error(f.g)->function, "tw_some_call");
    assert_string_equal(tw_graph_error(f.g)->message, "3 rows");
    assert_string_equal(tw_error_message(), "3 rows");
    assert_string_equal(tw_status_exception(TW_E_POPLIBS), "poplibs_error");
    assert_int_equal(tw_graph_fail(f.g, TW_E_TYPE, "tw_other", "later"), TW_E_POPLIBS);
    assert_string_equal(tw_graph_error(f.g)->message, "3 rows");
    assert_int_equal(tw_graph_take_error(f.g, NULL), TW_E_POPLIBS);
    assert_int_equal(tw_graph_fail(f.g, TW_OK, "tw_other", "nothing"), TW_E_ERROR);
    assert_int_equal(tw_graph_take_error(f.g, NULL), TW_E_ERROR);
    tw_graph_fail(f.g, TW_E_POPLIBS, "tw_some_call", "%s", tw_error_message());
    assert_string_equal(tw_graph_error(f.g)->message, "nothing");
    close_graph(&f);
}

/* Guide 2.5.2: not on the IPU Model; factor 1 is a graph like any other. */
static void graph_errors_replication(void **state)
{
    (void)state;
    fixture f = open_graph();
    tw_graph *two = tw_graph_new_replicated(f.target, 2), *one = tw_graph_new_replicated(f.target, 1);
    assert_int_equal(tw_graph_status(two), TW_E_REPLICATION);
    assert_int_equal(tw_graph_error(two)->line, __LINE__ - 2);
    assert_int_equal(tw_graph_status(one), TW_OK);
    tw_graph *same = tw_graph_replicated(f.g, 1);
    tw_tensor t = tw_graph_get_non_replicated_tensor(same, f.x);
    assert_int_equal(tw_tensor_rank(f.g, t), 3);
    assert_int_equal(tw_tensor_dim(f.g, t, 0), 1);
    assert_int_equal(tw_graph_status(f.g), TW_OK);
    tw_graph_free(same);
    tw_graph_free(two);
    tw_graph_free(one);
    close_graph(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(graph_errors_table),
        cmocka_unit_test(graph_errors_of_the_check),
        cmocka_unit_test(graph_errors_host_access_unmapped),
        cmocka_unit_test(graph_errors_check_reports_sticky),
        cmocka_unit_test(graph_errors_call_site_of_nested_calls),
        cmocka_unit_test(graph_errors_first_one_is_kept),
        cmocka_unit_test(graph_errors_foreign_handles),
        cmocka_unit_test(graph_errors_null_graph),
        cmocka_unit_test(graph_errors_of_libraries),
        cmocka_unit_test(graph_errors_replication),
    };
    return cmocka_run_group_tests_name("graph_errors", tests, NULL, NULL);
}
