/* SPDX-License-Identifier: MIT */
/* Functions that the host runs, and code that waits off the chip. A call of a host function is a sequence of
 * stream copies; who connects the streams calls the code between the inputs and the outputs
 * (engine/run/host_functions.c). */
#include "poplar/graph/build.h"

#define NIL ((tw_program){ 0 })

/* --- function buffers ----------------------------------------------------------------------------------------- */

tw_function_buffer tw_graph_add_function_buffer(tw_graph *graph, tw_function function)
{
    const tw_function_buffer nil = { 0 };
    TW__ENTER(graph, nil);
    tw__core *core = graph->core;
    if (!function.id || function.id >= core->function_count) {
        tw__graph_fail(core, TW_E_CONTROL_PROGRAM, "%s",
                       function.id ? "the function is not one of this graph" : "the function is nil");
        return nil;
    }
    if (!tw__grow(&core->function_buffers, &core->function_buffer_room, core->function_buffer_count,
                  sizeof *core->function_buffers)) {
        tw__graph_no_memory(core);
        return nil;
    }
    core->function_buffers[core->function_buffer_count] = function.id;
    return (tw_function_buffer){ (uint32_t)++core->function_buffer_count };
}

tw_program tw_program_copy_function(tw_graph *graph, tw_function_buffer buffer, tw_function function)
{
    TW__ENTER(graph, NIL);
    tw__core *core = graph->core;
    if (!buffer.id || buffer.id > core->function_buffer_count) {
        tw__graph_fail(core, TW_E_CONTROL_PROGRAM, "%s",
                       buffer.id ? "the function buffer is not one of this graph" : "the function buffer is nil");
        return NIL;
    }
    uint32_t held = core->function_buffers[buffer.id - 1];
    if (held == function.id) return tw__program_add(core, (tw__program){ .kind = TW__P_SEQUENCE });
    tw__graph_fail(core, TW_E_CONTROL_PROGRAM, "the buffer holds the code of function %u, not of %u", held,
                   function.id);
    return NIL;
}

/* --- host functions ------------------------------------------------------------------------------------------- */

/* A stream for each argument of one direction; NULL with an error. */
static uint32_t *argument_streams(tw_graph *graph, const char *handle, const char *side, unsigned count,
                                  const tw_host_argument *arguments)
{
    tw__core *core = graph->core;
    uint32_t *streams = TW__NEW_N(core->arena, uint32_t, count + 1);
    if (!streams) tw__graph_no_memory(core);
    for (unsigned i = 0; streams && i < count; i++) {
        char *name = tw__arena_printf(core->arena, TW__HOST_ARGUMENT, handle, side, i);
        if (!name) {
            tw__graph_no_memory(core);
            return NULL;
        }
        tw__call_site_again();
        tw_stream made =
            *side == 'i'
                ? tw_graph_add_device_to_host_fifo(graph, name, arguments[i].type, arguments[i].elements, NULL)
                : tw_graph_add_host_to_device_fifo(graph, name, arguments[i].type, arguments[i].elements,
                                                   TW_STREAM_REPLICATE, NULL);
        if (!(streams[i] = made.id)) return NULL;
    }
    return streams;
}

/* A function without arguments still has to be told that it is called: one word goes to the host. */
static bool add_call_stream(tw_graph *graph, tw__host_function *f)
{
    const uint32_t zero = 0;
    char *name = tw__arena_printf(graph->core->arena, TW__HOST_CALL, f->handle);
    f->in = TW__NEW_N(graph->core->arena, uint32_t, 1);
    if (!name || !f->in) return tw__graph_no_memory(graph->core);
    f->nothing = tw_graph_add_constant(graph, TW_U32, 1, &(size_t){ 1 }, &zero, true, name);
    tw_graph_map(graph, f->nothing, 0);
    *f->in = tw_graph_add_device_to_host_fifo(graph, name, TW_U32, 1, NULL).id;
    return *f->in != 0;
}

tw_host_function tw_graph_add_host_function(tw_graph *graph, const char *handle, unsigned input_count,
                                            const tw_host_argument *inputs, unsigned output_count,
                                            const tw_host_argument *outputs)
{
    const tw_host_function nil = { 0 };
    TW__ENTER(graph, nil);
    tw__core *core = graph->core;
    tw__host_function f = { .in_count = input_count, .out_count = output_count };
    if (!handle || !*handle || (input_count && !inputs) || (output_count && !outputs)) {
        tw__graph_fail(core, TW_E_INVALID_ARGUMENT, "%s",
                       handle && *handle ? "arguments of a host function are NULL"
                                         : "a host function needs a handle");
        return nil;
    }
    if (!(f.handle = tw__arena_strdup(core->arena, handle))) {
        tw__graph_no_memory(core);
        return nil;
    }
    if (input_count + output_count) {
        f.in = argument_streams(graph, handle, "in", input_count, inputs);
        if (f.in) f.out = argument_streams(graph, handle, "out", output_count, outputs);
        if (!f.out) return nil;
    } else if (!add_call_stream(graph, &f)) {
        return nil;
    }
    if (!tw__grow(&core->host_functions, &core->host_function_room, core->host_function_count,
                  sizeof *core->host_functions)) {
        tw__graph_no_memory(core);
        return nil;
    }
    core->host_functions[core->host_function_count] = f;
    return (tw_host_function){ (uint32_t)++core->host_function_count };
}

static bool fitting(const tw__core *core, const tw__host_function *f, const char *side, unsigned wanted,
                    unsigned given, const tw_tensor *tensors)
{
    if (wanted != given)
        return tw__graph_fail(core, TW_E_CONTROL_PROGRAM, "host function '%s' has %u %s, but got %u", f->handle,
                              wanted, side, given);
    return !given || tensors ||
           tw__graph_fail(core, TW_E_INVALID_ARGUMENT, "the %s of host function '%s' are NULL", side, f->handle);
}

tw_program tw_program_call_host(tw_graph *graph, tw_host_function function, unsigned input_count,
                                const tw_tensor *inputs, unsigned output_count, const tw_tensor *outputs)
{
    TW__ENTER(graph, NIL);
    tw__core *core = graph->core;
    if (!function.id || function.id > core->host_function_count) {
        tw__graph_fail(core, TW_E_CONTROL_PROGRAM, "%s",
                       function.id ? "the host function is not one of this graph" : "the host function is nil");
        return NIL;
    }
    const tw__host_function f = core->host_functions[function.id - 1];
    if (!fitting(core, &f, "inputs", f.in_count, input_count, inputs) ||
        !fitting(core, &f, "outputs", f.out_count, output_count, outputs))
        return NIL;
    bool bare = !input_count && !output_count;
    unsigned count = bare ? 1 : input_count + output_count;
    tw_program *steps = TW__NEW_N(core->arena, tw_program, count);
    if (!steps) {
        tw__graph_no_memory(core);
        return NIL;
    }
    for (unsigned i = 0; i < count; i++) {
        tw__call_site_again();
        if (bare || i < input_count)
            steps[i] = tw_program_copy_to_stream(graph, bare ? f.nothing : inputs[i], (tw_stream){ f.in[i] });
        else
            steps[i] =
                tw_program_copy_from_stream(graph, (tw_stream){ f.out[i - input_count] }, outputs[i - input_count]);
        if (!steps[i].id) return NIL;
    }
    tw__call_site_again();
    return tw_program_sequence_of(graph, count, steps);
}
