/* SPDX-License-Identifier: MIT */
/* Vertices and what they are connected to, as text for Graphviz; compute sets' names. */
#include "poplar/graph/build.h"

#include <string.h>

const char *tw_graph_compute_set_name(const tw_graph *graph, tw_compute_set cs)
{
    TW__ENTER_GETTER(graph, "");
    const tw__core *core = graph->core;
    return cs.id && cs.id < core->compute_set_count ? core->compute_sets[cs.id].name : "";
}

/* A name between double quotes. */
static void print_text(const char *text, FILE *out)
{
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') fputc('\\', out);
        fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
    }
}

static void print_variable(const tw__core *core, uint32_t var, bool *seen, FILE *out)
{
    char text[TW__TEXT_BYTES];
    if (seen[var]) return;
    seen[var] = true;
    fprintf(out, "  var%u [shape=%s,label=\"", var, core->vars[var].is_constant ? "note" : "box");
    print_text(tw__variable_text(core, var, text, sizeof text), out);
    fputs("\"];\n", out);
}

static void print_edge(uint32_t var, uint32_t vertex, const tw__field *field, uint32_t index, FILE *out)
{
    bool in = field->direction == TW__INPUT || field->direction == TW__INOUT;
    bool written = field->direction == TW__OUTPUT || field->direction == TW__INOUT;
    for (int writes = 0; writes < 2; writes++) {
        if (!(writes ? written : in)) continue;
        if (writes)
            fprintf(out, "  v%u -> var%u [label=\"", vertex, var);
        else
            fprintf(out, "  var%u -> v%u [label=\"", var, vertex);
        print_text(field->name, out);
        if (field->rank == 2 || field->form == TW__EDGE_SCALARS) fprintf(out, "[%u]", index);
        fputs("\"];\n", out);
    }
}

static void print_edges(const tw__core *core, uint32_t vertex, bool *seen, FILE *out)
{
    const tw__vertex *v = &core->vertices[vertex];
    const tw__vertex_type *type = tw__vertex_info(core, v);
    for (uint32_t e = v->first_edge; e; e = core->edges[e].next) {
        const tw__edge *edge = &core->edges[e];
        uint32_t regions = edge->regions ? edge->regions->n : 1, last = UINT32_MAX;
        for (uint32_t r = 0; r < regions; r++) {
            uint32_t var = edge->regions ? edge->regions->region[r].var : edge->var;
            if (var == last) continue;
            last = var;
            print_variable(core, var, seen, out);
            print_edge(var, vertex, &type->fields[edge->field], edge->index, out);
        }
    }
}

tw_status tw_graph_print_vertices(tw_graph *graph, FILE *out)
{
    TW__ENTER_GETTER(graph, tw_error_status());
    tw__core *core = graph->core;
    bool *seen = tw__calloc(core->var_count + 1, sizeof *seen);
    if (!seen) return tw__fail(TW_E_NO_MEMORY, "no memory to print a graph");
    fputs("digraph vertices {\n", out);
    for (uint32_t i = 1; i < core->vertex_count; i++) {
        const tw__vertex *v = &core->vertices[i];
        fprintf(out, "  v%u [label=\"", i);
        print_text(tw__vertex_info(core, v)->name, out);
        fputs("\\n", out);
        print_text(core->compute_sets[v->cs].name, out);
        if (v->tile == TW_UNMAPPED)
            fputs("\\non no tile\"];\n", out);
        else
            fprintf(out, "\\ntile %u\"];\n", v->tile);
        print_edges(core, i, seen, out);
    }
    fputs("}\n", out);
    free(seen);
    return ferror(out) ? tw__fail(TW_E_IO, "the graph could not be written") : TW_OK;
}
