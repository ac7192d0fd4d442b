/* SPDX-License-Identifier: MIT */
/* docs/profile.schema.json, for readers of profiles in other languages: what is written holds to it, it tells each
 * column. With names of files: says whether these do (tests/cli/profile/profiles_test.sh, all machines). */
#include "core/profile/json.h"
#include "core/profile/profile.h"
#include "everything.h"
#include "json_schema.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static json_t *schema_read(void)
{
    json_error_t error;
    json_t *root = json_load_file(TW_SOURCE_DIR "/docs/profile.schema.json", JSON_REJECT_DUPLICATES, &error);
    if (!root) g_error("profile.schema.json:%d:%d: %s", error.line, error.column, error.text);
    return root;
}

/* NULL: it holds; else what does not. To be freed. */
static char *broken_rule(json_t *schema, const json_t *file)
{
    json_check c = { schema, g_string_new(NULL) };
    bool fine = json_holds(&c, schema, file, "");
    return g_string_free(c.why, fine);
}

static tw_profile *everything(void)
{
    g_autofree char *graph = g_strdelimit(g_strdup(graph_text), "'", '"'),
                    *execution = g_strdelimit(g_strdup(execution_text), "'", '"');
    tw_profile *p = tw_profile_load(graph, strlen(graph), execution, strlen(execution));
    if (!p) fail_msg("%s", tw_error_message());
    return p;
}

static json_t *written(const tw_profile *p)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_int_equal(tw_profile_write_json(p, out, true), TW_OK);
    fclose(out);
    json_error_t error;
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!root) fail_msg("line %d: %s", error.line, error.text);
    free(text);
    return root;
}

/* --- the schema itself ------------------------------------------------------------------------------------------ */

static void collect(const json_t *rule, GHashTable *properties)
{
    static const char *const keywords[] = {
        "$schema", "title",    "description", "oneOf",    "$defs",
        "$ref",    "type",     "properties",  "required", "additionalProperties",
        "items",   "minItems", "maxItems",    "enum",     "const",
        "minimum", NULL
    };
    static const char *const below[] = { "additionalProperties", "items" }, *const members[] = { "properties",
                                                                                                 "$defs" };
    const char *key;
    json_t *child, *one;
    size_t i;
    json_object_foreach((json_t *)rule, key, child)
    {
        if (!g_strv_contains(keywords, key)) fail_msg("the test knows no keyword %s", key);
    }
    for (i = 0; i < G_N_ELEMENTS(below); i++)
        if (json_is_object(json_object_get(rule, below[i]))) collect(json_object_get(rule, below[i]), properties);
    for (i = 0; i < G_N_ELEMENTS(members); i++) json_object_foreach(json_object_get(rule, members[i]), key, child)
        {
            if (!i) g_hash_table_add(properties, g_strdup(key));
            collect(child, properties);
        }
    json_array_foreach(json_object_get(rule, "oneOf"), i, one) collect(one, properties);
}

static void published_columns(void **state)
{
    (void)state;
    json_t *schema = schema_read();
    g_autoptr(GHashTable) properties = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    collect(schema, properties);
    for (int t = 0; t < TW__TABLES; t++)
        for (TW__EACH_COLUMN(c, t))
            if (c->key && !g_hash_table_contains(properties, c->key))
                fail_msg("the schema does not tell %s", c->key);
    json_decref(schema);
}

/* --- what is written -------------------------------------------------------------------------------------------- */

static void published_everything(void **state)
{
    (void)state;
    json_t *schema = schema_read();
    tw_profile *p = everything();
    assert_string_equal(tw_profile_architecture(p), "ipu2");
    assert_string_equal(tw_profile_band(p), "± 3 %");
    json_t *file = written(p);
    const char *parts[] = { "graph", "execution" };
    g_autofree char *why = broken_rule(schema, file);
    if (why) fail_msg("%s", why);
    for (int i = 0; i < 2; i++) { /* each part is a file by itself too */
        g_autofree char *alone = broken_rule(schema, json_object_get(file, parts[i]));
        if (alone) fail_msg("%s", alone);
    }
    json_decref(file);
    json_decref(schema);
    tw_profile_free(p);
}

/* A schema that everything holds to would be none. */
static void published_refused(void **state)
{
    (void)state;
    static const struct {
        const char *part, *key, *value, *why;
    } rows[] = {
        { "graph", "target", NULL, "graph: lacks target" },
        { "graph", "target", "[]", "graph.target: is no object" },
        { "graph", "unknown", "1", "graph: may not have unknown" },
        { "graph", "programs", "[{\"type\":\"Sequence\",\"name\":\"\"}]", "graph.programs[0]: lacks children" },
        { "execution", "vertexCycles", "[1,-2]", "execution.vertexCycles[1]: is too small" },
        { "execution", "vertexCycles", "[1,2.5]", "execution.vertexCycles[1]: is no integer" },
        { "tilewright", "schema", "2", "tilewright.schema: is another" },
        { "tilewright", "part", "\"all\"", "tilewright.part: is none of those listed" },
        { "summary", "PEs", "4", "summary: may not have PEs" },
        { "summary", "machine", "\"WSE\"", NULL }, /* a machine that nobody here knows may have any name */
        { "summary", "fullest", "{\"tile\":[1],\"bytes\":2}", "summary.fullest.tile: is no integer" },
    };
    json_t *schema = schema_read();
    tw_profile *p = everything();
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        json_t *file = written(p), *part = json_object_get(file, rows[i].part);
        if (rows[i].value)
            json_object_set_new(part, rows[i].key, json_loads(rows[i].value, JSON_DECODE_ANY, NULL));
        else
            json_object_del(part, rows[i].key);
        g_autofree char *why = broken_rule(schema, file);
        if (!why != !rows[i].why || (why && !strstr(why, rows[i].why)))
            fail_msg("row %zu: %s", i, why ? why : "holds");
        json_decref(file);
    }
    tw_profile_free(p);
    json_decref(schema);
}

/* --- the summary, in the machine's own words -------------------------------------------------------------------- */

static void published_words(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        const char *tiles, *bytes, *kernels, *place; /* keys; where the fullest is */
        bool chips;
    } rows[] = {
        { "WSE", "PEs", "bytesPerPE", "operations", "{\"PE\":[1,2],\"bytes\":64}", false },
        { "AI_ENGINE", "tiles", "bytesPerTile", "kernels", "{\"tile\":[1,2],\"bytes\":64}", true },
        { "ASCEND_PTO", "cores", "bytesPerCore", "instructions", "{\"core\":[1,2],\"bytes\":64}", true },
        { "IPU_MODEL", "tiles", "bytesPerTile", "vertices", "{\"tile\":5,\"bytes\":64}", true },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        tw_profile *p = tw__profile_new(&(tw__profile_target){ .type = rows[i].type,
                                                               .ipus = 1,
                                                               .tiles_per_ipu = 6,
                                                               .replicas = 1,
                                                               .bytes_per_tile = 512,
                                                               .clock_hz = 1e9 });
        tw__profile_set_grid(p, 2, 3, false); /* tile 5 is in column 1 of row 2 */
        tw__memory *m = tw__memory_new(6);
        tw__memory_count(m, 5, TW_STORAGE_VARIABLE, 64);
        tw__profile_set_memory(p, m, TW_FIDELITY_EXACT);
        tw__memory_free(m);
        p->has_execution = true; /* nothing ran */
        json_t *file = written(p), *summary = json_object_get(file, "summary"), *schema = schema_read(),
               *place = json_loads(rows[i].place, 0, NULL);
        assert_int_equal(json_integer_value(json_object_get(summary, rows[i].tiles)), 6);
        assert_int_equal(json_integer_value(json_object_get(summary, rows[i].bytes)), 512);
        assert_true(json_is_array(json_object_get(summary, rows[i].kernels)));
        assert_true(json_equal(json_object_get(summary, "fullest"), place));
        assert_int_equal(json_object_get(summary, "IPUs") != NULL, !strcmp(rows[i].type, "IPU_MODEL"));
        g_autofree char *why = broken_rule(schema, file);
        if (why) fail_msg("%s", why);
        json_decref(file), json_decref(schema), json_decref(place);
        tw_profile_free(p);
    }
}

/* Two of 400 tiles, one for all of the time and one for half of it. */
static void published_use(void **state)
{
    (void)state;
    tw_profile *p = tw__profile_new(&(tw__profile_target){ .type = "AI_ENGINE",
                                                           .ipus = 1,
                                                           .tiles_per_ipu = 400,
                                                           .replicas = 1,
                                                           .bytes_per_tile = 512,
                                                           .clock_hz = 1e9 });
    uint64_t busy[400] = { [7] = 100, [11] = 50 };
    uint32_t step = tw__profile_add_step(p, &(tw__step_desc){ .type = TW_PROGRAM_ON_TILE_EXECUTE,
                                                              .name = "array",
                                                              .no_program = true,
                                                              .index = tw__profile_add_compute_set(p, "array"),
                                                              .active = tw__profile_row(p, busy, 400) });
    tw__profile_run_begin(p, "");
    tw__profile_range(p, step, 1, 1);
    tw__profile_run_end(p, 0);
    json_t *file = written(p), *summary = json_object_get(file, "summary"), *schema = schema_read();
    assert_int_equal(json_integer_value(json_object_get(summary, "inUse")), 2);
    assert_true(json_real_value(json_object_get(summary, "balanceInUse")) == 0.75);
    assert_true(json_real_value(json_object_get(summary, "balance")) == 0.00375);
    g_autofree char *why = broken_rule(schema, file);
    if (why) fail_msg("%s", why);
    json_decref(file), json_decref(schema);
    tw_profile_free(p);
}

static int check_files(int count, char **paths)
{
    json_t *schema = schema_read();
    int failed = 0;
    for (int i = 0; i < count; i++) {
        json_error_t error;
        json_t *file = json_load_file(paths[i], JSON_REJECT_DUPLICATES, &error);
        g_autofree char *why = file ? broken_rule(schema, file) : g_strdup(error.text);
        if (why) fprintf(stderr, "%s: %s\n", paths[i], why), failed = 1;
        json_decref(file);
    }
    json_decref(schema);
    return failed;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(published_columns), cmocka_unit_test(published_everything),
                                        cmocka_unit_test(published_refused), cmocka_unit_test(published_words),
                                        cmocka_unit_test(published_use) };
    return argc > 1 ? check_files(argc - 1, argv + 1) : cmocka_run_group_tests(tests, NULL, NULL);
}
