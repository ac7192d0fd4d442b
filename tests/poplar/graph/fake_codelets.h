/* SPDX-License-Identifier: MIT */
/* Vertex types for tests of the graph, without a compiler: stands in for the codelet box. Include once a program. */
#ifndef TESTS_GRAPH_FAKE_CODELETS_H
#define TESTS_GRAPH_FAKE_CODELETS_H

#include "poplar/codelet/codelet.h"
#include <glib.h>
#include <stdlib.h>
#include <string.h>

struct tw__codelets {
    int refs;
    tw__half_variant variant;
};

/* clang-format off */
#define FIELD(n, dir, frm, t, r, ...) { .name = n, .direction = TW__##dir, .form = TW__##frm, .type = t, .rank = r, .min_align = 4, ##__VA_ARGS__ }
#define SPAN .layout = { TW__LAYOUT_SPAN }
static const tw__field scale_fields[] = {
    FIELD("data", INOUT, EDGE_VECTOR, TW_FLOAT, 1, SPAN, .count = 1),
    FIELD("factor", STATE, STATE_PLAIN, TW_FLOAT, 0, .host_size = 4, .count = 1),
};
static const tw__field add_fields[] = {
    FIELD("a", INPUT, EDGE_VECTOR, TW_FLOAT, 1, SPAN, .count = 1),
    FIELD("b", INPUT, EDGE_VECTOR, TW_FLOAT, 1, SPAN, .count = 1),
    FIELD("out", OUTPUT, EDGE_VECTOR, TW_FLOAT, 1, SPAN, .count = 1),
};
static const tw__field copy_fields[] = {
    FIELD("in", INPUT, EDGE_VECTOR, TW_FLOAT, 1, SPAN, .count = 1),
    FIELD("out", OUTPUT, EDGE_VECTOR, TW_FLOAT, 1, SPAN, .count = 1),
};
static const tw__field all_fields[] = {
    FIELD("scalar", INPUT, EDGE_SCALAR, TW_INT, 0, .count = 1),
    FIELD("rows", INPUT, EDGE_VECTORS, TW_FLOAT, 2, .layout = { TW__LAYOUT_SPAN, TW__LAYOUT_SHORT_SPAN }, .count = 1),
    FIELD("list", INPUT, EDGE_VECTORS, TW_FLOAT, 2, .layout = { TW__LAYOUT_COMPACT_DELTAN }, .is_list = true, .count = 1),
    FIELD("edges", INPUT, EDGE_SCALARS, TW_FLOAT, 1, SPAN, .count = 1),
    FIELD("outs", OUTPUT, EDGE_VECTORS, TW_FLOAT, 2, .layout = { TW__LAYOUT_SPAN, TW__LAYOUT_ONE_PTR }, .count = 1),
    FIELD("n", STATE, STATE_PLAIN, TW_UNSIGNED_INT, 0, .host_size = 4, .count = 1),
    FIELD("flag", STATE, STATE_PLAIN, TW_BOOL, 0, .host_size = 1, .count = 1),
    FIELD("k", STATE, STATE_PLAIN, TW_HALF, 0, .host_size = 4, .count = 1),
    FIELD("s", STATE, STATE_PLAIN, TW_SHORT, 0, .count = 4, .host_size = 8),
    FIELD("table", STATE, STATE_VECTOR, TW_UNSIGNED_SHORT, 1, SPAN, .count = 1),
    FIELD("blob", STATE, STATE_OPAQUE, TW_TYPE_NONE, 0, .host_size = 12, .count = 1),
    FIELD("short_span", INPUT, EDGE_VECTOR, TW_FLOAT, 1, .layout = { TW__LAYOUT_SHORT_SPAN }, .count = 1),
    FIELD("compact", INPUT, EDGE_VECTOR, TW_FLOAT, 1, .layout = { TW__LAYOUT_COMPACT_PTR }, .count = 1),
    FIELD("i", STATE, STATE_PLAIN, TW_INT, 0, .host_size = 4, .count = 1),
};
static const tw__field sum_fields[] = {
    FIELD("edges", INPUT, EDGE_SCALARS, TW_FLOAT, 1, SPAN, .count = 1),
    FIELD("out", OUTPUT, EDGE_SCALAR, TW_FLOAT, 0, .count = 1),
};
static const tw__field rows_fields[] = {
    FIELD("rows", INPUT, EDGE_VECTORS, TW_FLOAT, 2, .layout = { TW__LAYOUT_SPAN, TW__LAYOUT_SPAN }, .count = 1),
};
#define TYPE(n, f, i) { .name = n, .fields = f, .num_fields = G_N_ELEMENTS(f), .has_entry = true, .origin = "test", .index = i }
static const tw__vertex_type fake_types[] = {
    TYPE("Scale", scale_fields, 0), TYPE("Add", add_fields, 1), TYPE("Copy<float>", copy_fields, 2),
    TYPE("All", all_fields, 3), TYPE("Sum", sum_fields, 4), TYPE("Rows", rows_fields, 5),
};
/* clang-format on */

tw__codelets *tw__codelets_new(tw__half_variant variant)
{
    tw__codelets *set = malloc(sizeof *set);
    if (set) *set = (tw__codelets){ 1, variant };
    return set;
}

void tw__codelets_free(tw__codelets *set)
{
    if (set && --set->refs == 0) free(set);
}

tw__half_variant tw__codelets_variant(const tw__codelets *set)
{
    return set->variant;
}

tw_status tw__codelets_add_file(tw__codelets *set, const char *path, tw__codelet_type type, const char *flags,
                                tw_diags *diags)
{
    (void)set, (void)type, (void)flags;
    if (!strcmp(path, "bad.cpp")) {
        tw_diags_add(
            diags,
            &(tw_diag){ .file = path, .line = 3, .column = 7, .severity = TW_ERROR, .message = "expected ';'" });
        return tw__fail(TW_E_COMPILATION, "cannot compile bad.cpp");
    }
    if (!strcmp(path, "missing.cpp")) return tw__fail(TW_E_FILE_LOAD, "cannot read missing.cpp");
    return TW_OK;
}

tw_status tw__codelets_add_source(tw__codelets *set, const char *text, tw__codelet_type type, const char *name,
                                  const char *flags, tw_diags *diags)
{
    (void)text;
    return tw__codelets_add_file(set, name, type, flags, diags);
}

const tw__vertex_type *tw__codelets_find(const tw__codelets *set, const char *name)
{
    (void)set;
    char plain[64];
    size_t n = 0;
    for (; *name && n < sizeof plain - 1; name++)
        if (*name != ' ') plain[n++] = *name;
    plain[n] = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(fake_types); i++)
        if (!strcmp(fake_types[i].name, plain)) return &fake_types[i];
    return NULL;
}

bool tw__codelets_has(const tw__codelets *set, const char *name)
{
    return tw__codelets_find(set, name) != NULL;
}

size_t tw__codelets_count(const tw__codelets *set)
{
    (void)set;
    return G_N_ELEMENTS(fake_types);
}

const char *tw__codelets_suggest(const tw__codelets *set, const char *name)
{
    (void)set;
    const char *names[G_N_ELEMENTS(fake_types)];
    for (size_t i = 0; i < G_N_ELEMENTS(fake_types); i++) names[i] = fake_types[i].name;
    return tw__nearest(name, names, G_N_ELEMENTS(fake_types));
}

const tw__field *tw__vertex_field(const tw__vertex_type *vt, const char *name)
{
    for (unsigned i = 0; i < vt->num_fields; i++)
        if (!strcmp(vt->fields[i].name, name)) return &vt->fields[i];
    return NULL;
}

const char *tw__vertex_suggest_field(const tw__vertex_type *vt, const char *name)
{
    const char *names[32];
    for (unsigned i = 0; i < vt->num_fields; i++) names[i] = vt->fields[i].name;
    return tw__nearest(name, names, vt->num_fields);
}

#endif
