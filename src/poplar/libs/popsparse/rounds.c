/* SPDX-License-Identifier: MIT */
/* Rounds of buckets: every region works on its own bucket, and where blocks lie in other buckets, these go round as
 * far as the meta data say. Buckets of sums that are made travel with them, and back. */
#include "poplar/libs/popsparse/codes.h"
#include "poplar/libs/popsparse/sparse.h"

/* The last word of the meta data as a number that a loop can have. */
const tw__libs_code tw__sparse_steps_code = {
    "popsparse::Steps", "2",
    "TW_VERTEX_AS(%ID%, \"%NAME%\")\n{\n"
    "    TW_INPUT(%T%) word;\n    TW_OUTPUT(unsigned) steps;\n    unsigned most;\n};\n"
    "bool %ID%_compute(%ID% *v)\n{\n"
    "    *v->steps = *v->word < v->most ? *v->word : v->most;\n    return true;\n}\n"
};

static bool rounds_vector(const tw__sparse_work *w, const char *what, tw_tensor t, tw_type type, size_t elements)
{
    tw_graph *g = w->graph;
    tw_type own = tw_tensor_type(g, t);
    uint64_t n = tw_tensor_elements(g, t);
    unsigned rank = tw_tensor_rank(g, t);
    if (!tw__libs_ready(g)) return false;
    if (own == type && n == elements && rank == 1 && tw_graph_mapping_complete(g, t)) return true;
    tw_graph_fail(g, TW_E_POPLIBS, w->call, "%s: %s[%zu] on tiles, not %s", what,
                  tw_type_name(type, TW_SYSTEM_POPLAR), elements, tw__libs_describe(g, t).text);
    return false;
}

bool tw__sparse_check(const tw__sparse_work *work)
{
    const tw__sparse_plan *p = &work->plan;
    return rounds_vector(work, "meta data", work->meta, TW_U16, p->regions * p->words + 1) &&
           (!work->values.id ||
            rounds_vector(work, "values", work->values, p->type, p->regions * p->capacity * p->area));
}

/* --- buckets of sums ------------------------------------------------------------------------------------------- */

void tw__sparse_map_values(tw_graph *graph, const tw__sparse_plan *plan, tw_tensor values, size_t z)
{
    size_t own = plan->capacity * plan->area;
    for (size_t r = 0; r < plan->regions; r++)
        tw_graph_map_range(graph, values, r * own, own, tw__sparse_tile(plan, r, z));
}

void tw__sparse_add_sums(tw__sparse_work *work)
{
    tw_graph *g = work->graph;
    const tw__sparse_plan *p = &work->plan;
    size_t shape[2] = { work->batches, p->regions * p->capacity * p->area };
    work->sums = tw_graph_add_variable(g, TW_FLOAT, 2, shape, tw__libs_path(work->name, "sums").text);
    for (size_t z = 0; z < work->batches; z++) tw__sparse_map_values(g, p, tw_tensor_index(g, work->sums, z), z);
    tw_popops_zero(g, work->sums, work->sequence, work->name);
}

tw_tensor tw__sparse_finish_sums(const tw__sparse_work *work)
{
    tw_graph *g = work->graph;
    const tw__sparse_plan *p = &work->plan;
    tw_tensor sum = tw_tensor_index(g, work->sums, 0);
    if (work->batches > 1) {
        sum = tw_graph_clone(g, TW_FLOAT, sum, TW_CLONE_CREATE_NEW_ORDER, work->name);
        tw_popops_reduce_with_output(g, work->sums, sum, 1, (size_t[]){ 0 }, NULL, work->sequence, work->name,
                                     NULL);
    }
    if (p->type == TW_FLOAT) return sum;
    return tw_popops_cast(g, sum, p->type, work->sequence, tw__libs_path(work->name, "Cast").text);
}

/* --- rounds ---------------------------------------------------------------------------------------------------- */

/* One vertex for each region and part of the batch. */
static void round_execute(const tw__sparse_work *w, tw_tensor meta, tw_tensor values, bool first,
                          tw_program sequence)
{
    tw_graph *g = w->graph;
    const tw__sparse_plan *p = &w->plan;
    size_t own = p->capacity * p->area;
    tw_compute_set cs = tw_graph_add_compute_set(g, tw__libs_path(w->name, first ? "sparse" : "sparseSpill").text);
    for (size_t i = 0; i < p->regions * w->batches; i++) {
        size_t r = i / w->batches, z = i % w->batches;
        tw_graph_push_scope(g);
        tw_vertex v = tw_graph_add_vertex(g, cs, w->vertex, tw__sparse_tile(p, r, z));
        tw_graph_connect(g, v, "meta", tw_tensor_slice(g, meta, 0, r * p->words, (r + 1) * p->words));
        if (values.id) tw_graph_connect(g, v, "values", tw_tensor_slice(g, values, 0, r * own, (r + 1) * own));
        if (w->sums.id)
            tw_graph_connect(g, v, "sums",
                             tw_tensor_slice(g, tw_tensor_index(g, w->sums, z), 0, r * own, (r + 1) * own));
        tw_graph_set_field_int(g, v, "region", (int64_t)r);
        tw_graph_set_field_int(g, v, "height", (int64_t)p->p.block_rows);
        tw_graph_set_field_int(g, v, "width", (int64_t)p->p.block_columns);
        w->connect(w, v, r, z);
        tw_graph_pop_scope(g);
    }
    tw_program_sequence_add(g, sequence, tw_program_execute(g, cs));
}

/* Bucket r becomes bucket r + 1, or r - 1; of a tensor [..][buckets * own], by way of another. */
static void round_turn(const tw__sparse_work *w, tw_tensor t, tw_tensor other, size_t own, bool back,
                       tw_program sequence)
{
    tw_graph *g = w->graph;
    unsigned d = tw_tensor_rank(g, t) - 1;
    size_t all = tw_tensor_dim(g, t, d), at = back ? all - own : own;
    tw_tensor parts[2] = { tw_tensor_slice(g, t, d, at, all), tw_tensor_slice(g, t, d, 0, at) };
    tw_program_sequence_add(g, sequence, tw_program_copy(g, tw_tensor_concat(g, 2, parts, d), other));
    tw_program_sequence_add(g, sequence, tw_program_copy(g, other, t));
}

static tw_tensor round_like(const tw__sparse_work *w, tw_tensor t)
{
    return tw_graph_clone(w->graph, TW_TYPE_NONE, t, TW_CLONE_CREATE_NEW_ORDER,
                          tw__libs_path(w->name, "visit").text);
}

static tw_tensor round_number(const tw__sparse_work *w, const char *name)
{
    tw_tensor t = tw_graph_add_variable(w->graph, TW_UNSIGNED_INT, 0, NULL, tw__libs_path(w->name, name).text);
    tw_graph_map(w->graph, t, 0);
    return t;
}

/* Whether one loop runs on several replicas; those of a graph that has no parent go their own ways. */
static bool rounds_in_step(tw_graph *graph)
{
    if (tw_graph_status(graph) || tw_graph_replication_factor(graph) == 1) return false;
    tw_graph_top_level(graph);
    return tw_graph_take_error(graph, NULL) == TW_OK;
}

/* How many further steps there are. */
static tw_tensor round_steps(const tw__sparse_work *w, const char *vertex)
{
    tw_graph *g = w->graph;
    size_t last = w->plan.regions * w->plan.words;
    tw_tensor steps = round_number(w, "steps");
    tw_compute_set cs = tw_graph_add_compute_set(g, tw__libs_path(w->name, "steps").text);
    tw_vertex v = tw_graph_add_vertex(g, cs, vertex, 0);
    tw_graph_connect(g, v, "word", tw_tensor_index(g, w->meta, last));
    tw_graph_connect(g, v, "steps", steps);
    tw_graph_set_field_int(g, v, "most", (int64_t)(w->plan.regions - 1)); /* then all buckets have been seen */
    tw_program_sequence_add(g, w->sequence, tw_program_execute(g, cs));
    if (rounds_in_step(g)) /* all take as many as the one that needs most */
        steps = tw_gcl_all_reduce_cross_replica(g, steps, TW_COLLECTIVE_MAX, w->sequence,
                                                tw__libs_path(w->name, "steps").text);
    return steps;
}

/* The further steps, which begin with copies of what goes round. */
static tw_program round_spills(const tw__sparse_work *w, tw_tensor steps)
{
    tw_graph *g = w->graph;
    const tw__sparse_plan *p = &w->plan;
    size_t own = p->capacity * p->area;
    tw_program all = tw_program_sequence(g, w->name), body = tw_program_sequence(g, w->name),
               home = tw_program_sequence(g, w->name);
    tw_tensor counter = round_number(w, "counter"),
              buckets = tw_tensor_slice(g, w->meta, 0, 0, p->regions * p->words);
    tw_tensor meta = round_like(w, buckets), values = w->values, sums = TW__LIBS_NIL;
    tw_program_sequence_add(g, all, tw_program_copy(g, buckets, meta));
    round_turn(w, meta, round_like(w, buckets), p->words, false, body);
    if (w->values.id) {
        values = round_like(w, w->values);
        tw_program_sequence_add(g, all, tw_program_copy(g, w->values, values));
        round_turn(w, values, round_like(w, values), own, false, body);
    }
    if (w->sums.id) {
        sums = round_like(w, w->sums);
        round_turn(w, w->sums, sums, own, false, body);
        round_turn(w, w->sums, sums, own, true, home);
    }
    round_execute(w, meta, values, false, body);
    tw_program_sequence_add(g, all, tw_program_counted_for_loop_dynamic(g, counter, 0, steps, 1, body));
    if (w->sums.id)
        tw_program_sequence_add(g, all, tw_program_counted_for_loop_dynamic(g, counter, 0, steps, 1, home));
    return all;
}

void tw__sparse_rounds(tw__sparse_work *work)
{
    tw_graph *g = work->graph;
    const char *vertex = work->plan.regions == 1 ? "" : tw__libs_code_vertex(g, &tw__sparse_steps_code, TW_U16);
    if (!vertex) return;
    round_execute(work, work->meta, work->values, true, work->sequence);
    if (work->plan.regions == 1) return;
    tw_tensor steps = round_steps(work, vertex);
    tw_program spills = round_spills(work, steps), none = tw_program_sequence(g, NULL);
    tw_program_sequence_add(g, work->sequence, tw_program_if(g, steps, spills, none));
}
