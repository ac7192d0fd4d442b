/* SPDX-License-Identifier: MIT */
/* Liveness against an independent reference: random programs, and the textbook fixed point on their control flow
 * graph with every call expanded. Steps touch a variable as a whole, its first element or the others; the parts have
 * lives of their own. A part is shown at a step when it is live after it, or used or written by it. Addresses are
 * checked against the same reference: parts that are live together in one place never share a byte. */
#include "poplar/engine/engine_test.h"

#include "core/profile/profile.h"

enum { VARS = 15, PREDICATES = 2, MAX_STEPS = 60, MAX_NODES = 60000, MAX_FUNCTIONS = 3, MAX_MADE = 400 };

static uint64_t seed;
static unsigned below(unsigned n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(seed >> 33) % n;
}

/* --- the reference: one node for each executed place ---------------------------------------------------------- */

typedef struct node {
    unsigned use, kill; /* bit sets of parts: 2 * variable, + 1 for the elements from the second on */
    int step;           /* -1: a predicate, a join */
    int next[2];
    unsigned live_in, live_out;
} node;

static node nodes[MAX_NODES];
static int node_count;

static int add_node(int step, unsigned use, unsigned kill)
{
    assert_true(node_count < MAX_NODES);
    nodes[node_count] = (node){ .use = use, .kill = kill, .step = step, .next = { -1, -1 } };
    return node_count++;
}

static void solve(void)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = node_count; i-- > 0;) {
            node *n = &nodes[i];
            unsigned out = 0;
            for (int k = 0; k < 2; k++)
                if (n->next[k] >= 0) out |= nodes[n->next[k]].live_in;
            unsigned in = n->use | (out & ~n->kill);
            changed |= out != n->live_out || in != n->live_in;
            n->live_out = out, n->live_in = in;
        }
    }
}

/* --- random programs ------------------------------------------------------------------------------------------ */

typedef struct tree { /* what was generated, to be walked once for each call */
    enum { STEP, SEQUENCE, REPEAT, WHILE, IF, CALL } kind;
    int step, predicate, function, children;
    struct tree *child[4];
} tree;

static struct {
    unsigned use, kill;
} steps[MAX_STEPS];
static int step_count, function_count;
static tree *bodies[MAX_FUNCTIONS];
static tw_function functions[MAX_FUNCTIONS];
static tw_graph *graph;
static tw_tensor vars[VARS], predicates[PREDICATES];

static struct {
    tree *tree;
    tw_program program;
} made
    [MAX_MADE]; /* of this round; some are used at several places, as loops and branches of generated programs are */
static int made_count;

static tree *make(unsigned depth, int callable, tw_program *out);
static tree *make_new(unsigned depth, int callable, tw_program *out);

static tree *make_step(tw_program *out)
{
    tree *t = calloc(1, sizeof *t);
    unsigned a = below(VARS), b = below(VARS), c;
    do c = below(VARS);
    while (c == a || c == b); /* reading and writing one variable in two fields of a vertex would alias */
    unsigned part = below(5); /* 1: the first element, 2: the others, else all */
    unsigned bits = part == 1 ? 1 : part == 2 ? 2 : 3;
    char name[16];
    t->kind = STEP, t->step = step_count++;
    steps[t->step].use = bits << 2 * a | bits << 2 * b;
    steps[t->step].kill = bits << 2 * c;
    snprintf(name, sizeof name, "s%d", t->step);
    tw_compute_set cs = tw_graph_add_compute_set(graph, name);
    tw_vertex v = tw_graph_add_vertex(graph, cs, "AddVectors", 0);
    size_t begin = part == 2, end = part == 1 ? 1 : 4;
    tw_graph_connect(graph, v, "a", tw_tensor_slice(graph, vars[a], 0, begin, end));
    tw_graph_connect(graph, v, "b", tw_tensor_slice(graph, vars[b], 0, begin, end));
    tw_graph_connect(graph, v, "c", tw_tensor_slice(graph, vars[c], 0, begin, end));
    *out = tw_program_execute(graph, cs);
    return t;
}

static tree *make(unsigned depth, int callable, tw_program *out)
{
    if (made_count && below(8) == 0) {
        int i = (int)below((unsigned)made_count);
        *out = made[i].program;
        return made[i].tree;
    }
    tree *t = make_new(depth, callable, out);
    assert_true(made_count < MAX_MADE);
    made[made_count].tree = t, made[made_count++].program = *out;
    return t;
}

static tree *make_new(unsigned depth, int callable, tw_program *out)
{
    unsigned pick = depth == 0 || step_count > MAX_STEPS - 12 ? 0 : below(8);
    if (pick < 2) return make_step(out);
    tree *t = calloc(1, sizeof *t);
    tw_program child[4];
    t->predicate = (int)below(PREDICATES);
    t->kind = pick < 4 ? SEQUENCE : pick == 4 ? REPEAT : pick == 5 ? WHILE : pick == 6 ? IF : CALL;
    if (t->kind == CALL && callable == 0) t->kind = SEQUENCE;
    t->children = t->kind == SEQUENCE ? 2 + (int)below(3) : t->kind == REPEAT ? 1 : t->kind == CALL ? 0 : 2;
    for (int i = 0; i < t->children; i++) t->child[i] = make(depth - 1, callable, &child[i]);
    switch (t->kind) {
    case STEP: break;
    case SEQUENCE: *out = tw_program_sequence_of(graph, (unsigned)t->children, child); break;
    case REPEAT: *out = tw_program_repeat(graph, 1 + below(3), child[0]); break;
    case WHILE: *out = tw_program_repeat_while_true(graph, child[0], predicates[t->predicate], child[1]); break;
    case IF: *out = tw_program_if(graph, predicates[t->predicate], child[0], child[1]); break;
    case CALL:
        t->function = (int)below((unsigned)callable);
        *out = tw_program_call(graph, functions[t->function]);
        break;
    }
    return t;
}

/* Appends the nodes of `t` behind node `from` (whose free edge leads here); the last node is returned. */
static int expand(const tree *t, int from)
{
    int first, last;
    switch (t->kind) {
    case STEP:
        first = add_node(t->step, steps[t->step].use, steps[t->step].kill);
        nodes[from].next[nodes[from].next[0] >= 0] = first;
        return first;
    case SEQUENCE:
        for (int i = 0; i < t->children; i++) from = expand(t->child[i], from);
        return from;
    case CALL: return expand(bodies[t->function], from);
    case REPEAT:
        first = add_node(-1, 0, 0);
        nodes[from].next[nodes[from].next[0] >= 0] = first;
        last = expand(t->child[0], first);
        from = add_node(-1, 0, 0); /* round again, or on */
        nodes[last].next[nodes[last].next[0] >= 0] = from;
        nodes[from].next[0] = first;
        return from;
    case WHILE:
        first = add_node(-1, 0, 0);
        nodes[from].next[nodes[from].next[0] >= 0] = first;
        last = expand(t->child[0], first);
        from = add_node(-1, 0, 0); /* the predicate: body, or on */
        nodes[last].next[nodes[last].next[0] >= 0] = from;
        last = expand(t->child[1], from);
        nodes[last].next[nodes[last].next[0] >= 0] = first;
        return from;
    case IF:
        first = add_node(-1, 0, 0);
        nodes[from].next[nodes[from].next[0] >= 0] = first;
        last = add_node(-1, 0, 0);
        for (int i = 0; i < 2; i++) {
            int end = expand(t->child[i], first);
            nodes[end].next[nodes[end].next[0] >= 0] = last;
        }
        return last;
    }
    return from;
}

/* --- comparison ----------------------------------------------------------------------------------------------- */

/* Parts shown at a program, which the bytes of a variable tell; false when nothing was recorded for it. */
static bool shown(const tw_profile *p, size_t program, unsigned *set)
{
    tw__live_var *live = NULL;
    size_t count = 0;
    if (tw__profile_live(p, (uint32_t)program, &live, &count) || !live) return false;
    *set = 0;
    for (size_t i = 0; i < count; i++)
        if (p->names.items[live[i].name][0] == 'v') {
            unsigned bits = live[i].bytes == 4 ? 1 : live[i].bytes == 12 ? 2 : live[i].bytes == 16 ? 3 : 0;
            if (!bits)
                fail_msg("%llu bytes of %s", (unsigned long long)live[i].bytes, p->names.items[live[i].name]);
            *set |= bits << 2 * atoi(p->names.items[live[i].name] + 1);
        }
    free(live);
    return true;
}

static void compare(const tw_profile *p, unsigned round)
{
    unsigned expected[MAX_STEPS] = { 0 };
    bool reached[MAX_STEPS] = { false };
    for (int i = 0; i < node_count; i++)
        if (nodes[i].step >= 0) {
            expected[nodes[i].step] |= nodes[i].live_out | nodes[i].use | nodes[i].kill;
            reached[nodes[i].step] = true;
        }
    unsigned found[MAX_STEPS] = { 0 }; /* a program used at several places may have been lowered more than once */
    bool listed[MAX_STEPS] = { false };
    for (size_t i = 0; i < p->programs.count; i++) {
        const tw__profile_program *program = &p->programs.items[i];
        const char *name = p->names.items[program->name];
        if (program->type != TW_PROGRAM_ON_TILE_EXECUTE || name[0] != 's') continue;
        unsigned set = 0;
        if (shown(p, i, &set)) found[atoi(name + 1)] |= set, listed[atoi(name + 1)] = true;
    }
    for (int step = 0; step < step_count; step++) /* not: in a function that nobody calls */
        if (reached[step] && (!listed[step] || found[step] != expected[step]))
            fail_msg("program %u, step %d: 0x%x, not 0x%x", round, step, found[step], expected[step]);
}

/* Everything lies on tile 0 and is touched where it lies, so what is live after a step, or used or written by it, is
 * in memory at one time. */
static void compare_addresses(tw_engine *e, unsigned round)
{
    uint64_t at[VARS];
    unsigned tile;
    for (int v = 0; v < VARS; v++) test_ok(tw_engine_address(e, vars[v], 0, &tile, &at[v]));
    for (int i = 0; i < node_count; i++) {
        unsigned live = nodes[i].live_out | nodes[i].use | nodes[i].kill;
        for (int a = 0; a < 2 * VARS; a++)
            for (int b = 0; b < a; b++) {
                if (nodes[i].step < 0 || !(live >> a & 1) || !(live >> b & 1)) continue;
                uint64_t x = at[a / 2] + (a % 2 ? 4 : 0), x_end = at[a / 2] + (a % 2 ? 16 : 4);
                uint64_t y = at[b / 2] + (b % 2 ? 4 : 0), y_end = at[b / 2] + (b % 2 ? 16 : 4);
                if (x < y_end && y < x_end)
                    fail_msg("program %u, step %d: v%d and v%d at 0x%llx and 0x%llx", round, nodes[i].step, a / 2,
                             b / 2, (unsigned long long)x, (unsigned long long)y);
            }
    }
}

static unsigned shared; /* pairs of variables, in all programs, whose memory overlaps */

static void count_shared(tw_engine *e)
{
    uint64_t at[VARS];
    unsigned tile;
    for (int v = 0; v < VARS; v++) test_ok(tw_engine_address(e, vars[v], 0, &tile, &at[v]));
    for (int a = 0; a < VARS; a++)
        for (int b = 0; b < a; b++) shared += at[a] < at[b] + 16 && at[b] < at[a] + 16;
}

static void random_programs(void **state)
{
    (void)state;
    tw_ipu_model model = { .size = sizeof model, .tiles_per_ipu = 1 };
    tw_device *device = tw_device_ipu_model_with(&model);
    for (unsigned round = 0; round < 150; round++) {
        seed = round + 1;
        step_count = node_count = made_count = 0;
        graph = test_graph_new(device);
        for (int i = 0; i < VARS; i++) {
            char name[8];
            snprintf(name, sizeof name, "v%d", i);
            vars[i] = tw_graph_add_variable(graph, TW_FLOAT, SHAPE(4), name);
            tw_graph_map(graph, vars[i], 0);
        }
        for (int i = 0; i < PREDICATES; i++) {
            predicates[i] = tw_graph_add_variable(graph, TW_INT, 0, NULL, "predicate");
            tw_graph_map(graph, predicates[i], 0);
        }
        tree *programs[2];
        tw_program list[2], body;
        for (function_count = 0; function_count < MAX_FUNCTIONS; function_count++) {
            bodies[function_count] = make(2, function_count, &body);
            functions[function_count] = tw_graph_add_function(graph, body, "f");
        }
        int hub = add_node(-1, 0, 0), choice = add_node(-1, 0, 0); /* any program, any number of times */
        nodes[hub].next[0] = choice;
        for (int i = 0; i < 2; i++) {
            programs[i] = make(4, MAX_FUNCTIONS, &list[i]);
            int end = expand(programs[i], choice);
            nodes[end].next[nodes[end].next[0] >= 0] = hub;
        }
        solve();
        tw_engine *e = tw_engine_new_programs(graph, 2, list, NULL);
        test_ok(tw_engine_load(e, device));
        compare(tw_engine_profile(e), round);
        compare_addresses(e, round);
        count_shared(e);
        tw_engine_free(e), tw_graph_free(graph);
        for (int i = 0; i < made_count; i++) free(made[i].tree);
    }
    if (shared < 100) fail_msg("only %u pairs share memory: nothing was tried", shared);
    tw_device_free(device);
}

/* --- guide 8.2.3: programs of any size ------------------------------------------------------------------------ */

/* v0 -> v1 -> ... -> v(n-1) on one tile, 16 bytes each. v0 is never written, so its value is needed in every run;
 * while step i runs, v0, v(i) and v(i+1) are live. */
static void engine_liveness_8_2_3_long_program(void **state)
{
    enum { N = 40000 };
    (void)state;
    tw_ipu_model model = { .size = sizeof model, .tiles_per_ipu = 1 };
    tw_device *device = tw_device_ipu_model_with(&model);
    tw_graph *g = tw_graph_new(tw_device_target(device));
    tw_program *copies = calloc(N, sizeof *copies);
    tw_tensor before = { 0 };
    assert_non_null(copies);
    for (int i = 0; i < N; i++) {
        char name[16];
        snprintf(name, sizeof name, "v%d", i);
        tw_tensor v = tw_graph_add_variable(g, TW_FLOAT, SHAPE(4), name);
        tw_graph_map(g, v, 0);
        if (i) copies[i - 1] = tw_program_copy(g, before, v);
        before = v;
    }
    const char *options[] = { "debug.allowOutOfMemory=true", NULL };
    tw_engine *e = tw_engine_new(g, tw_program_sequence_of(g, N - 1, copies), options);
    test_ok(tw_engine_load(e, device));
    const tw_profile *p = tw_engine_profile(e);
    assert_non_null(p);
    assert_true(p->has_liveness);
    assert_int_equal(p->max_live, 3 * 16);
    unsigned leaves = 0;
    for (size_t i = 0; i < p->programs.count; i++) {
        tw__live_var *live = NULL;
        size_t count = 0;
        uint64_t bytes = 0;
        if (tw__profile_live(p, (uint32_t)i, &live, &count) || !live) continue;
        for (size_t k = 0; k < count; k++) bytes += live[k].bytes;
        assert_int_equal(bytes, leaves++ == 0 ? 32 : 48);
        free(live);
    }
    assert_int_equal(leaves, N - 1);
    tw_engine_free(e), tw_graph_free(g), tw_device_free(device), free(copies);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(random_programs),
                                        cmocka_unit_test(engine_liveness_8_2_3_long_program) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
