/* SPDX-License-Identifier: MIT */
// needs: graph
/* Bytes as calls of the graph API: each takes a few handles and numbers, valid or not. Whatever they are, the graph
 * stays safe to check, print and free. */
#include "../poplar/graph/fake_codelets.h"
#include "poplar/graph/graph.h"

enum { HANDLES = 16, MOST_ELEMENTS = 1 << 16 };

typedef struct input {
    const uint8_t *at, *end;
} input;

static unsigned byte(input *in)
{
    return in->at < in->end ? *in->at++ : 0;
}

/* Mostly small; now and then enormous. */
static size_t number(input *in)
{
    unsigned b = byte(in);
    return b < 250 ? b % 20 : b == 250 ? SIZE_MAX : b == 251 ? UINT32_MAX : (size_t)byte(in) * 7;
}

typedef struct machine {
    tw_graph *top, *g;
    input in;
    tw_tensor t[HANDLES];
    tw_program p[HANDLES];
    tw_vertex v[HANDLES];
    tw_compute_set cs;
    tw_stream stream;
    tw_remote_buffer remote;
    tw_function fn;
} machine;

static tw_tensor tensor(machine *m)
{
    return m->t[byte(&m->in) % HANDLES];
}

static tw_program program(machine *m)
{
    return m->p[byte(&m->in) % HANDLES];
}

static tw_vertex vertex(machine *m)
{
    return m->v[byte(&m->in) % HANDLES];
}

static unsigned small(machine *m)
{
    return (unsigned)number(&m->in);
}

static tw_type type(machine *m)
{
    static const tw_type types[] = { TW_FLOAT, TW_FLOAT, TW_FLOAT,        TW_INT,
                                     TW_BOOL,  TW_HALF,  TW_UNSIGNED_INT, TW_ACC48 };
    return types[byte(&m->in) % 8];
}

static const char *field(machine *m)
{
    static const char *const names[] = { "in",     "out",        "data", "factor", "a",        "b",
                                         "rows",   "rows[1]",    "list", "edges",  "edges[0]", "outs",
                                         "n",      "flag",       "k",    "s",      "table",    "blob",
                                         "scalar", "short_span", "nope", "rows[",  "]",        "" };
    return names[byte(&m->in) % 24];
}

static const size_t *sizes(machine *m, size_t *out, unsigned n)
{
    for (unsigned i = 0; i < n; i++) out[i] = number(&m->in);
    return out;
}

/* Large tensors are legal but would make walking element by element slow. */
static tw_tensor limited(machine *m, tw_tensor t)
{
    if (t.id && tw_tensor_elements(m->g, t) > MOST_ELEMENTS) {
        tw_tensor_free(m->g, t);
        return (tw_tensor){ 0, 0 };
    }
    return t;
}

static tw_tensor view(machine *m)
{
    size_t s[8], r[8];
    unsigned u[8];
    tw_graph *g = m->g;
    tw_tensor t = tensor(m), pair[2] = { t, tensor(m) };
    for (int i = 0; i < 8; i++) u[i] = byte(&m->in) % 4;
    switch (byte(&m->in) % 20) {
    case 0: return tw_tensor_slice(g, t, u[0], number(&m->in), number(&m->in));
    case 1: return tw_tensor_index(g, t, number(&m->in));
    case 2: return tw_tensor_concat(g, 2, pair, u[0]);
    case 3: return tw_tensor_reshape(g, t, u[0], sizes(m, s, u[0]));
    case 4: return tw_tensor_flatten(g, t);
    case 5: return tw_tensor_flatten_dims(g, t, u[0], u[1]);
    case 6: return tw_tensor_dim_shuffle_partial(g, t, u[0], u + 1, u + 4);
    case 7: return tw_tensor_dim_roll(g, t, u[0], u[1]);
    case 8: return tw_tensor_transpose(g, t);
    case 9: return tw_tensor_expand(g, t, u[0], sizes(m, s, u[0]));
    case 10: return tw_tensor_squeeze(g, t, u[0], sizes(m, s, u[0]));
    case 11: return tw_tensor_broadcast(g, t, small(m), u[0]);
    case 12: return tw_tensor_upsample(g, t, small(m), u[0]);
    case 13: return tw_tensor_sub_sample(g, t, small(m), u[0]);
    case 14: return tw_tensor_reverse(g, t, u[0]);
    case 15: return tw_tensor_reinterpret(g, t, type(m));
    case 16:
        return tw_tensor_pick(
            g, t, 2, (tw_interval[]){ { number(&m->in), number(&m->in) }, { number(&m->in), number(&m->in) } });
    case 17: return tw_tensor_append(g, t, pair[1], u[0]);
    case 18: return tw_tensor_rank(g, t) <= 8 ? tw_tensor_slice_nd(g, t, sizes(m, s, 8), sizes(m, r, 8)) : t;
    default: return tw_graph_clone(g, type(m), t, (tw_clone_method)u[0], NULL);
    }
}

static tw_program control(machine *m)
{
    tw_graph *g = m->g;
    tw_program a = program(m), b = program(m);
    tw_tensor t = tensor(m), u = tensor(m);
    switch (byte(&m->in) % 20) {
    case 0: return tw_program_sequence(g, "s");
    case 1: return tw_program_sequence_of(g, 2, (tw_program[]){ a, b });
    case 2: return tw_program_execute(g, m->cs);
    case 3: return tw_program_execute_all_true(g, m->cs, t);
    case 4: return tw_program_copy(g, t, u);
    case 5: return tw_program_copy_from_stream(g, m->stream, t);
    case 6: return tw_program_copy_to_stream(g, t, m->stream);
    case 7: return tw_program_copy_from_remote(g, m->remote, t, u);
    case 8: return tw_program_copy_to_remote(g, t, m->remote, u);
    case 9: return tw_program_repeat(g, small(m), a);
    case 10: return tw_program_repeat_while_true(g, a, t, b);
    case 11: return tw_program_if(g, t, a, b);
    case 12: return tw_program_switch(g, t, a);
    case 13: return tw_program_call(g, m->fn);
    case 14: return tw_program_write_undef(g, t);
    case 15: return tw_program_abort_on_condition(g, t, "stop");
    case 16: return tw_program_print_tensor(g, NULL, t, NULL);
    case 17: return tw_program_counted_for_loop(g, t, (int)byte(&m->in) - 10, byte(&m->in), byte(&m->in), a);
    case 18: return tw_program_counted_for_loop_dynamic(g, t, 0, u, 1, a);
    default: return tw_program_switch_with_bounds_checking(g, t);
    }
}

static void change(machine *m)
{
    static const char *const types[] = { "Scale", "Add", "Copy<float>", "All", "Sum", "Rows", "None" };
    tw_graph *g = m->g;
    unsigned slot = byte(&m->in) % HANDLES;
    uint64_t data[64] = { 1 };
    switch (byte(&m->in) % 22) {
    case 0: tw_graph_map(g, tensor(m), small(m)); break;
    case 1: tw_graph_map_range(g, tensor(m), number(&m->in), number(&m->in), small(m)); break;
    case 2: tw_graph_map_linearly(g, tensor(m)); break;
    case 3: tw_graph_map_linearly_with(g, tensor(m), small(m), small(m), small(m)); break;
    case 4:
    case 5: m->v[slot] = tw_graph_add_vertex(g, m->cs, types[byte(&m->in) % 7], small(m)); break;
    case 6:
    case 7:
    case 8: tw_graph_connect(g, vertex(m), field(m), tensor(m)); break;
    case 9: tw_graph_connect_list(g, vertex(m), field(m), 2, (tw_tensor[]){ tensor(m), tensor(m) }); break;
    case 10: tw_graph_connect_constant(g, vertex(m), field(m), byte(&m->in)); break;
    case 11: tw_graph_set_field(g, vertex(m), field(m), byte(&m->in) * 0.5); break;
    case 12: tw_graph_set_field_size(g, vertex(m), field(m), byte(&m->in)); break;
    case 13: tw_graph_set_field_values(g, vertex(m), field(m), type(m), byte(&m->in) % 16, data); break;
    case 14: tw_tensor_free(g, tensor(m)); break;
    case 15: tw_program_sequence_add(g, program(m), program(m)); break;
    case 16: tw_program_switch_add(g, program(m), byte(&m->in), program(m)); break;
    case 17: m->fn = tw_graph_add_function(g, program(m), "f"); break;
    case 18: tw_graph_create_host_access(g, &"abcdefgh"[byte(&m->in) % 8], tensor(m)); break;
    case 19: tw_graph_set_initial_value(g, tensor(m), data, true); break;
    case 20: byte(&m->in) % 2 ? tw_graph_push_scope(g) : tw_graph_pop_scope(g); break;
    default: tw_graph_get_field_size(g, vertex(m), field(m));
    }
}

static void ask(machine *m, FILE *out)
{
    tw_tensor t = tensor(m), u = tensor(m);
    tw_tensor_is_contiguous(m->g, t);
    tw_tensor_contains_aliases(m->g, t);
    tw_tensor_intersects(m->g, t, u);
    tw_tensor_equal(m->g, t, u);
    tw_tensor_contiguous_regions(m->g, t, NULL, 0);
    tw_graph_get_mapping(m->g, t, NULL, 0);
    tw_tensor_print(m->g, t, out);
    tw_program p = program(m);
    tw_program_print(m->g, p, out);
    if (tw_graph_status(m->g) == TW_OK) tw__graph_check(tw__graph_core(m->g), &p.id, 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    machine m = { .in = { data, data + (size < 2000 ? size : 2000) } };
    size_t shape[4];
    tw_target *target = tw_target_new_ipu_model(
        &(tw_ipu_model){ .size = sizeof(tw_ipu_model), .tiles_per_ipu = 1 + byte(&m.in) % 8 });
    FILE *out = fopen("/dev/null", "w");
    tw__fail_allocation(byte(&m.in) % 4 ? 0 : 20 + number(&m.in) % 1000);
    m.top = m.g = tw_graph_new(target);
    tw_graph *virtual_graph = tw_graph_virtual_first(m.top, 1);
    m.cs = tw_graph_add_compute_set(m.g, "cs");
    m.stream = tw_graph_add_host_to_device_fifo(m.g, "in", TW_FLOAT, 4, TW_STREAM_REPLICATE, NULL);
    m.remote = tw_graph_add_remote_buffer(m.g, "r", TW_FLOAT, 4, 2, false, false);
    static const char *const first[] = { "Scale", "Add", "Copy<float>", "All", "Sum", "Rows" };
    for (unsigned i = 0; i < HANDLES; i++) {
        m.t[i] = tw_graph_add_variable(m.g, i % 5 ? TW_FLOAT : TW_INT, i % 4,
                                       (size_t[]){ 1 + i % 3 * 3, 4, 2 + i % 5 }, "v");
        m.v[i] = tw_graph_add_vertex(m.g, m.cs, first[i % 6], 0);
        m.p[i] = i % 3 ? tw_program_execute(m.g, m.cs) : tw_program_sequence(m.g, NULL);
    }
    tw_graph_take_error(m.g, NULL);
    while (m.in.at < m.in.end) {
        unsigned slot = byte(&m.in) % HANDLES, rank = byte(&m.in) % 4;
        m.g = byte(&m.in) % 8 ? m.top : virtual_graph;
        switch (byte(&m.in) % 8) {
        case 0:
            m.t[slot] = limited(&m, tw_graph_add_variable(m.g, type(&m), rank, sizes(&m, shape, rank), "var"));
            break;
        case 1:
        case 2:
        case 3: {
            tw_tensor t = limited(&m, view(&m));
            if (t.id) m.t[slot] = t;
            break;
        }
        case 4: {
            tw_program p = control(&m);
            if (p.id) m.p[slot] = p;
            break;
        }
        case 5:
        case 6: change(&m); break;
        default: ask(&m, out);
        }
        tw_graph_take_error(m.g, NULL);
    }
    tw__fail_allocation(0);
    fclose(out);
    tw_graph_free(virtual_graph);
    tw_graph_free(m.top);
    tw_target_free(target);
    return 0;
}
