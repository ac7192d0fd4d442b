/* SPDX-License-Identifier: MIT */
/* A profile with every member of docs/profile.md: each comes back as it was, each one that is damaged is named with
 * its place, each one that is missing leaves the rest as it is and has the value that the page says. */
#include "core/profile/json.h"
#include "core/profile/profile.h"
#include "everything.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>
#include <glib.h>

/* Each column of the schema has a value in everything.h, or follows from others and is written only. */
static void everything_is_told(void **state)
{
    (void)state;
    static const char *const written[] = { "executions", "cyclesFrom", "cyclesTo", "planStep", NULL };
    for (int t = 0; t < TW__TABLES; t++)
        for (TW__EACH_COLUMN(c, t)) {
            g_autofree char *key = g_strdup_printf("'%s':", c->key ? c->key : "");
            if (c->key && !strstr(graph_text, key) && !strstr(execution_text, key) &&
                !g_strv_contains(written, c->key))
                fail_msg("nothing here has %s", c->key);
        }
}

static json_t *parsed(const char *text)
{
    g_autofree char *copy = g_strdelimit(g_strdup(text), "'", '"');
    json_error_t error;
    json_t *root = json_loads(copy, 0, &error);
    if (!root) fail_msg("%d: %s", error.column, error.text);
    return root;
}

/* Both parts through a profile; NULL with tw_error_message() when they are refused. [0] graph, [1] execution. */
static bool through(json_t *const in[2], json_t *out[2])
{
    char *text[2];
    tw_profile *p;
    for (int i = 0; i < 2; i++) text[i] = json_dumps(in[i], JSON_COMPACT);
    tw_status status = tw_status_of(p = tw_profile_load(text[0], strlen(text[0]), text[1], strlen(text[1])));
    free(text[0]), free(text[1]);
    if (status != TW_OK) return false;
    char *graph = tw_profile_graph_json(p, false), *execution = tw_profile_execution_json(p, false);
    out[0] = parsed(graph), out[1] = parsed(execution);
    free(graph), free(execution);
    tw_profile_free(p);
    return true;
}

/* --- walking over members ------------------------------------------------------------------------------------- */

typedef struct place {
    json_t *parent, *value;
    const char *key; /* NULL: element `index` */
    size_t index;
    const char *path;
} place;
typedef void visitor(const place *at, void *user);

static void walk(json_t *value, const char *path, visitor *visit, void *user)
{
    const char *key;
    size_t i;
    json_t *child;
    void *iterator;
    for (iterator = json_object_iter(value); iterator; iterator = json_object_iter_next(value, iterator)) {
        key = json_object_iter_key(iterator), child = json_object_iter_value(iterator);
        g_autofree char *below = *path ? g_strconcat(path, ".", key, NULL) : g_strdup(key);
        visit(&(place){ value, child, key, 0, below }, user);
        walk(child, below, visit, user);
    }
    json_array_foreach(value, i, child)
    {
        g_autofree char *below = g_strdup_printf("%s[%zu]", path, i);
        visit(&(place){ value, child, NULL, i, below }, user);
        walk(child, below, visit, user);
    }
}

static json_t *find(json_t *root, const char *path)
{
    g_auto(GStrv) parts = g_strsplit_set(path, ".[", -1);
    for (char **part = parts; *part && root; part++)
        root =
            g_str_has_suffix(*part, "]") ? json_array_get(root, (size_t)atoi(*part)) : json_object_get(root, *part);
    return root;
}

/* Only * is special. */
static bool matches(const char *pattern, const char *path)
{
    return g_pattern_match_simple(pattern, path);
}

static bool listed(const char *const *list, size_t count, const char *path)
{
    for (size_t i = 0; i < count; i++)
        if (matches(list[i], path)) return true;
    return false;
}

/* --- what is there comes back --------------------------------------------------------------------------------- */

static void compare(const place *at, void *user)
{
    json_t *back = find(user, at->path);
    if (json_is_object(at->value) || (json_is_array(at->value) && back)) return;
    g_autofree char *want = json_dumps(at->value, JSON_ENCODE_ANY),
                    *got = back ? json_dumps(back, JSON_ENCODE_ANY) : g_strdup("nothing");
    if (!back || !json_equal(at->value, back)) fail_msg("%s is %s, not %s", at->path, got, want);
}

static void everything_comes_back(void **state)
{
    (void)state;
    json_t *in[2] = { parsed(graph_text), parsed(execution_text) }, *out[2], *again[2];
    if (!through(in, out)) fail_msg("%s", tw_error_message());
    for (int i = 0; i < 2; i++) walk(in[i], "", compare, out[i]);
    assert_true(through(out, again));
    for (int i = 0; i < 2; i++) {
        assert_true(json_equal(out[i], again[i]));
        json_decref(in[i]), json_decref(out[i]), json_decref(again[i]);
    }
}

/* --- what is damaged is named --------------------------------------------------------------------------------- */

typedef struct damage {
    json_t *const *whole;
    int part;
    unsigned tried;
} damage;

static void replace(const place *at, json_t *by)
{
    if (at->key)
        json_object_set_new(at->parent, at->key, by);
    else
        json_array_set_new(at->parent, at->index, by);
}

static void break_it(const place *at, void *user)
{
    damage *d = user;
    /* The execution file repeats these for readers of it alone. */
    static const char *const repeated[] = { "target.*", "vertexTypes.*" };
    if (d->part == 1 && listed(repeated, G_N_ELEMENTS(repeated), at->path)) return;
    json_t *kept = json_incref(at->value), *out[2];
    replace(at, json_is_string(at->value) ? json_true() : json_string("broken"));
    bool taken = through(d->whole, out);
    g_autofree char *head = g_strdup_printf("%s profile: %s: ", d->part ? "execution" : "graph", at->path);
    if (taken) fail_msg("%s: a broken %s is taken", d->part ? "execution" : "graph", at->path);
    if (!g_str_has_prefix(tw_error_message(), head)) fail_msg("%s: %s", at->path, tw_error_message());
    replace(at, kept);
    d->tried++;
}

static void everything_damaged_is_named(void **state)
{
    (void)state;
    json_t *in[2] = { parsed(graph_text), parsed(execution_text) };
    for (int i = 0; i < 2; i++) {
        damage d = { in, i, 0 };
        walk(in[i], "", break_it, &d);
        assert_true(d.tried > 100);
    }
    json_decref(in[0]), json_decref(in[1]);
}

/* --- what is missing has a default ---------------------------------------------------------------------------- */

typedef struct absence {
    json_t *const *whole; /* of which one member is gone */
    json_t *const *base;  /* what was written of all of it */
    int part;
    const char *gone;
    json_t *out[2];
    json_t *other; /* of what is being compared with */
    bool reverse;
    unsigned tried;
} absence;

/* Nothing was said: null, 0, "", or lists of such. */
static bool is_nothing(const json_t *value)
{
    size_t i;
    json_t *element;
    if (json_is_array(value)) {
        json_array_foreach(value, i, element) if (!is_nothing(element)) return false;
        return true;
    }
    if (json_is_object(value)) return json_object_size(value) == 0;
    return !value || json_is_null(value) || (json_is_number(value) && json_number_value(value) == 0) ||
           (json_is_string(value) && !*json_string_value(value));
}

/* What a member that is gone changes elsewhere, or has instead: docs/profile.md, or what follows from the steps. */
static const struct {
    const char *gone, *path, *value; /* NULL: gone too */
} changed[] = {
    { "target.numReplicas", "target.numReplicas", "1" },
    { "target.grid.order", "target.grid.order", "\"rows\"" },
    { "computeSets.names", "computeSets.vertex*", NULL },
    { "computeSets.vertex*", "computeSets.vertex*", NULL },
    { "programs[1].type", "programs[1].computeset", NULL },
    { "programs[1].type", "programs[1].exchange", "1" }, /* what has no type is no execution of a compute set */
    { "memory.byCategory.variable.label", "memory.byCategory.variable.label", "\"Variables\"" },
    { "profilerMode", "profilerMode", "\"NONE\"" },
    { "vertexCycles", "vertexComputeSet*", NULL },
    { "vertexCycles", "vertexType*", NULL },
    /* Totals from the steps, each executed four times: 3 + 145 + 160 + 170 cycles, 150 + 151 in computing tiles, 154
     * in vertices; exchanging tiles are busy for 0.5 x 4 x 170. */
    { "simulation.cycles", "simulation.cycles", "1912" },
    { "simulation.tileCycles*", "simulation.tileCycles.compute", "1204" },
    { "simulation.tileCycles*", "simulation.tileCycles.doExchange", "1360" },
    { "simulation.tileCycles*", "simulation.tileCycles.activeCompute", "616" },
    { "simulation.tileCycles*", "simulation.tileCycles.sync", "5084" }, /* (3 + 160) x 4, and what tiles wait */
    { "simulation.cyclesByVertexType", "simulation.cyclesByVertexType[1]", "616" },
    { "simulation.plan[0].type", "simulation.plan[0].computeset", NULL },
    { "simulation.plan[0].type", "simulation.plan[0].exchange", "1" },
    { "simulation.plan[0].type", "simulation.plan[0].totalData", "152" },
    { "simulation.plan[0].cycles", "simulation.plan[0].cycles", "151" }, /* of its slowest tile */
    { "simulation.plan[0].activeCyclesByTile", "simulation.plan[0].activeTiles", "4" },
    { "simulation.plan[0].activeCyclesByVertexType[0].cycles", "simulation.plan[0].activeCyclesByVertexType*",
      NULL },
    { "simulation.plan[1].type", "simulation.plan[1].activeTiles", "4" },
    { "simulation.plan[1].type", "simulation.plan[1].totalData", "0" },
    { "simulation.plan[2].activeTiles", "simulation.plan[2].activeTiles", "4" },
    { "simulation.trace.runs[0].times", "simulation.trace.runs[0].times", "1" },
    { "simulation.trace.runs[1].times", "simulation.trace.runs[1].times", "1" },
    { "motionScale.window", "motionScale.window", "1" },
    { "motionScale.block", "motionScale.block", "1" },
};
/* Written from others: ratios, sums, lists of executed steps. */
static const char *const derived[] = {
    "*Balance",          "*.bytesPerIPU", "*.totalMemory",       "programTrace*",
    "simulation.steps*", "*.executions",  "simulation.fidelity", "simulation.blocks*"
};
/* Without these hardly anything is left of what was executed; variables of a program come in the order of names. */
static const char *const whole[] = { "simulation", "simulation.plan", "simulation.trace*s", "simulation.trace",
                                     "*.vars[1].name" };

static const struct {
    const char *gone, *message;
} needed[] = {
    { "target", "graph profile: top level: there is no target: the number of tiles is not known" },
    { "target.numIPUs", "graph profile: target: 1 IPUs of 2 tiles do not make 4 tiles" },
    { "target.grid.columns", "graph profile: target.grid: 0 columns and 1 rows do not hold the tiles" },
    { "target.grid.rows", "graph profile: target.grid: 2 columns and 0 rows do not hold the tiles" },
    { "vertexTypes", "graph profile: computeSets: compute set 0 names vertex type 0 of 0" },
    { "vertexTypes.names", "graph profile: computeSets: compute set 0 names vertex type 0 of 0" },
    { "programs", "graph profile: memory.liveness.programs[0]: there is no such program" },
    { "memory.liveness.programs[*.program",
      "graph profile: memory.liveness.programs[*]: there is no such program" },
    { "memory.map.names", "graph profile: memory.map.name[0]: 0 is too large" },
    { "memory.map.tile", "graph profile: memory.map.tile: 2 values expected, as in the other columns" },
    { "memory.map.map", "graph profile: memory.map.map: 2 values expected, as in the other columns" },
    { "memory.map.blocks", "graph profile: memory.map.address: 0 values expected, as in the other columns" },
    { "memory.map.*", "graph profile: memory.map.%: 3 values expected, as in the other columns" },
    { "memory.variables.names", "graph profile: memory.variables.name[0]: 0 is too large" },
    { "memory.variables.*", "graph profile: memory.variables.%: 2 values expected, as in the other columns" },
    { "exchangePairs.names", "graph profile: exchangePairs.name[0]: 0 is too large" },
    { "exchangePairs.*", "graph profile: exchangePairs.%: 2 values expected, as in the other columns" },
    { "vertexComputeSet", "execution profile: vertexComputeSet: 2 values expected" },
    { "vertexType", "execution profile: vertexType: 2 values expected" },
    { "*[0].vertexType",
      "execution profile: simulation.plan[0].activeCyclesByVertexType[0]: there is no such vertex type" },
    { "*.worstTile", "execution profile: simulation.plan[0].activeCyclesByVertexType[0]: there is no such tile" },
    { "*.work.*", "execution profile: simulation.plan[*].work.%: * values expected, as in the other columns" },
    { "simulation.trace.rules", "execution profile: simulation.trace.runs[0]: there is no rule 1" },
    { "simulation.trace.rules[0].count",
      "execution profile: simulation.trace.rules[0]: steps are not in a plan of 3 steps" },
    { "simulation.trace.rules[1].items",
      "execution profile: simulation.trace.rules[1]: steps are not in a plan of 3 steps" },
    { "intervals.names", "execution profile: intervals.laneName[0]: 0 is too large" },
    { "intervals.lane", "execution profile: intervals.%: 3 values expected, as in the other columns" },
    { "intervals.lane*", "execution profile: intervals.%: 2 values expected, as in the other columns" },
    { "intervals.wait*", "execution profile: intervals.%: 2 values expected, as in the other columns" },
    { "intervals.*", "execution profile: intervals.%: 3 values expected, as in the other columns" },
    { "motion.names", "execution profile: motion.stuckText[0]: 0 is too large" },
    { "motion.flow*", "execution profile: motion.%: 3 values expected, as in the other columns" },
    { "motion.*", "execution profile: motion.%: 2 values expected, as in the other columns" },
    { "lines.names", "execution profile: lines.lineFile[0]: 0 is too large" },
    { "lines.*", "execution profile: lines.%: 2 values expected, as in the other columns" },
    { "dataflow.names", "execution profile: dataflow.nodeName[0]: 0 is too large" },
    { "dataflow.*", "execution profile: dataflow.%: 2 values expected, as in the other columns" },
};

static void differ(const place *at, void *user)
{
    const absence *d = user;
    if (json_is_object(at->value) || json_is_array(at->value)) return;
    const json_t *other = find(d->other, at->path), *before = d->reverse ? other : at->value,
                 *after = d->reverse ? at->value : other;
    if ((before && after && (json_equal(before, after) || d->reverse)) ||
        listed(derived, G_N_ELEMENTS(derived), at->path))
        return;
    if (g_str_has_prefix(at->path, d->gone) && is_nothing(after)) return;
    g_autofree char *now = after ? json_dumps(after, JSON_ENCODE_ANY) : NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(changed); i++)
        if (matches(changed[i].gone, d->gone) && matches(changed[i].path, at->path) &&
            g_strcmp0(changed[i].value, now) == 0)
            return;
    fail_msg("without %s, %s is %s", d->gone, at->path, now ? now : "gone");
}

/* The message for a member that is needed, with its last part for %; NULL: it is not. */
static char *refusal(const char *gone)
{
    for (size_t i = 0; i < G_N_ELEMENTS(needed); i++) {
        if (!matches(needed[i].gone, gone)) continue;
        g_auto(GStrv) parts = g_strsplit(needed[i].message, "%", 2);
        return parts[1] ? g_strconcat(parts[0], strrchr(gone, '.') + 1, parts[1], NULL) : g_strdup(parts[0]);
    }
    return NULL;
}

static void leave_out(const place *at, void *user)
{
    absence *d = user;
    if (!at->key || listed(whole, G_N_ELEMENTS(whole), at->path)) return;
    /* Members of these are names that the file chooses, not members that may be missing. */
    static const char *const named[] = { "target.memories.*", "facts.*", "optimizationInfo.*",
                                         "memory.byCategory.variable" };
    static const char *const repeated[] = { "target*", "vertexTypes*" };
    if (listed(named, G_N_ELEMENTS(named), at->path) ||
        (d->part && listed(repeated, G_N_ELEMENTS(repeated), at->path)))
        return;
    json_t *kept = json_incref(at->value);
    g_autofree char *key = g_strdup(at->key), *wanted = refusal(at->path);
    static const char *const optional_ones[] = { "*.omitted",          "*.unit",          "*.work.tile",
                                                 "exchangePairs.name", "memory.map.used", "intervals.file",
                                                 "intervals.line",     "lines.lineWaits", "lines.lineText",
                                                 "dataflow.nodeGroup" };
    bool optional = listed(optional_ones, G_N_ELEMENTS(optional_ones), at->path);
    json_object_set_new(at->parent, key, json_null());
    bool taken = through(d->whole, d->out);
    if (taken != (!wanted || optional)) fail_msg("without %s: %s", at->path, taken ? "taken" : tw_error_message());
    if (!taken && !matches(wanted, tw_error_message())) fail_msg("without %s: %s", at->path, tw_error_message());
    d->gone = at->path;
    for (int i = 0; taken && i < 2; i++) {
        d->other = d->out[i], d->reverse = false;
        walk(d->base[i], "", differ, d);
        d->other = d->base[i], d->reverse = true;
        walk(d->out[i], "", differ, d);
        json_decref(d->out[i]);
    }
    json_object_set_new(at->parent, key, kept);
    d->tried++;
}

static void everything_missing_has_a_default(void **state)
{
    (void)state;
    json_t *in[2] = { parsed(graph_text), parsed(execution_text) }, *base[2];
    assert_true(through(in, base));
    for (int i = 0; i < 2; i++) {
        absence d = { .whole = in, .base = base, .part = i };
        walk(in[i], "", leave_out, &d);
        assert_true(d.tried > 40);
    }
    for (int i = 0; i < 2; i++) json_decref(in[i]), json_decref(base[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(everything_is_told),
                                        cmocka_unit_test(everything_comes_back),
                                        cmocka_unit_test(everything_damaged_is_named),
                                        cmocka_unit_test(everything_missing_has_a_default) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
