/* SPDX-License-Identifier: MIT */
/* graph: kernels, files and memory at the edge, parameters, and what joins them, with what went through and who
 * waited for it. */
#include "aie/array/profile/profile.h"
#include "core/profile/profile.h"

#include <stdlib.h>
#include <string.h>

enum {
    GRAPH_STREAM_ITEM = 8,   /* bytes in a queue, of a word */
    GRAPH_CASCADE_BYTES = 48 /* 384 bits; in a queue they take 64 */
};

typedef struct graph_nodes {
    uint32_t *kernels, *files;
    const tw_aie_array *array;
} graph_nodes;

/* The part of a path behind its last folder. */
static const char *graph_file_name(const tw__plio *f)
{
    const char *slash = f->path ? strrchr(f->path, '/') : NULL;
    return f->name ? f->name : slash ? slash + 1 : f->path ? f->path : "memory";
}

static void graph_add_kernels(const tw_aie_array *a, tw_profile *p, const graph_nodes *n)
{
    uint64_t *waits = tw__calloc(a->kernel_count + 1, sizeof *waits);
    if (!waits) tw__profile_fail(p, TW_E_NO_MEMORY, "out of memory for the profile");
    for (size_t i = 0; waits && i < a->span_count; i++)
        if (a->spans[i].cause) waits[a->spans[i].kernel] += a->spans[i].to - a->spans[i].from;
    for (size_t i = 0; waits && i < a->kernel_count; i++) {
        const tw__kernel *k = a->kernels[i];
        n->kernels[i] = tw__profile_add_node(p, &(tw__node_desc){ .name = k->name,
                                                                  .kind = "kernel",
                                                                  .group = k->group,
                                                                  .tile = (uint32_t)tw__aie_tile_of(a, k),
                                                                  .runs = k->fired,
                                                                  .cycles = tw__aie_cycles_of(k, k->control.slots),
                                                                  .waits = waits[i] });
    }
    free(waits);
}

static void graph_add_files(const tw_aie_array *a, tw_profile *p, const graph_nodes *n)
{
    for (size_t i = 0; i < a->file_count; i++)
        n->files[i] = tw__profile_add_node(p, &(tw__node_desc){ .name = graph_file_name(a->files[i]),
                                                                .kind = a->files[i]->path ? "PLIO" : "GMIO",
                                                                .tile = TW__NONE });
}

/* The node at an end of a queue or window: kernel `number`, or where it is -1 the file or memory that has it. */
static uint32_t graph_end(const graph_nodes *n, int number, const void *queue)
{
    if (number >= 0) return n->kernels[number];
    for (size_t i = 0; i < n->array->file_count; i++)
        if (n->array->files[i]->fifo == queue || n->array->files[i]->pair == queue) return n->files[i];
    return TW__NONE;
}

static void graph_add_wires(const tw_aie_array *a, tw_profile *p, const graph_nodes *n)
{
    for (size_t i = 0; i < a->pair_count; i++) {
        const tw__pair *w = a->pairs[i];
        tw__profile_add_wire(p, &(tw__wire_desc){ .from = graph_end(n, w->from, w),
                                                  .to = graph_end(n, w->to, w),
                                                  .kind = "window",
                                                  .bytes = w->moved * w->bytes,
                                                  .messages = w->moved,
                                                  .holds = w->bytes,
                                                  .blocks = w->blocks,
                                                  .reader_waits = w->read_waits,
                                                  .writer_waits = w->write_waits });
    }
    for (size_t i = 0; i < a->fifo_count; i++) {
        const tw__fifo *f = a->fifos[i];
        bool is_stream = f->item == GRAPH_STREAM_ITEM;
        unsigned bytes = is_stream ? 4 : GRAPH_CASCADE_BYTES;
        tw__profile_add_wire(p, &(tw__wire_desc){ .from = graph_end(n, f->from, f),
                                                  .to = graph_end(n, f->to, f),
                                                  .kind = is_stream ? "stream" : "cascade",
                                                  .bytes = f->moved * bytes,
                                                  .messages = f->moved,
                                                  .holds = (uint64_t)f->room * bytes,
                                                  .blocks = 1,
                                                  .reader_waits = f->read_waits,
                                                  .writer_waits = f->write_waits });
    }
}

/* The host's are nodes; one kernel's for another is a wire. */
static void graph_add_parameters(const tw_aie_array *a, tw_profile *p, const graph_nodes *n)
{
    for (size_t i = 0; i < a->parameter_count; i++) {
        const tw__parameter *value = a->parameters[i];
        uint32_t ends[2] = { value->from >= 0 ? n->kernels[value->from] : TW__NONE,
                             value->to >= 0 ? n->kernels[value->to] : TW__NONE };
        for (int e = 0; e < 2; e++)
            if ((e ? value->to : value->from) < 0)
                ends[e] = tw__profile_add_node(
                    p, &(tw__node_desc){ .name = value->name, .kind = "parameter", .tile = TW__NONE });
        tw__profile_add_wire(
            p, &(tw__wire_desc){
                   .from = ends[0], .to = ends[1], .kind = "parameter", .holds = value->bytes, .blocks = 1 });
    }
}

void tw__aie_add_graph(const tw_aie_array *a, tw_profile *p)
{
    graph_nodes n = { .kernels = tw__calloc(a->kernel_count + 1, sizeof *n.kernels),
                      .files = tw__calloc(a->file_count + 1, sizeof *n.files),
                      .array = a };
    if (n.kernels && n.files) {
        graph_add_kernels(a, p, &n);
        graph_add_files(a, p, &n);
        graph_add_wires(a, p, &n);
        graph_add_parameters(a, p, &n);
    } else {
        tw__profile_fail(p, TW_E_NO_MEMORY, "out of memory for the profile");
    }
    free(n.kernels), free(n.files);
}
