/* SPDX-License-Identifier: MIT */
/* Options: every type of value, errors and their suggestions, JSON, the environment, copies, failing memory. */
#include "core/base/base.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
// clang-format on

static const tw__option_desc table[] = {
    { "debug.instrument", TW__OPT_BOOL, "false", NULL, true, "measure" },
    { "debug.instrumentCompute", TW__OPT_BOOL, "false", NULL, true, "measure compute" },
    { "debug.computeInstrumentationLevel", TW__OPT_ENUM, "tile", "tile|vertex|ipu", true, "grain" },
    { "target.workerStackSizeInBytes", TW__OPT_INT, "1024", NULL, true, "stack" },
    { "opt.scale", TW__OPT_DOUBLE, "1", NULL, true, "factor" },
    { "autoReport.directory", TW__OPT_STRING, ".", NULL, true, "folder" },
    { "target.deterministicWorkers", TW__OPT_BOOL, "true", NULL, false, "accepted" },
};
enum { COUNT = sizeof table / sizeof *table };

static tw__options *options;

static int setup(void **state)
{
    (void)state;
    options = tw__options_new(table, COUNT, TW__LOG_ENGINE);
    return options ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    tw__options_free(options);
    unsetenv("TW_TEST_OPTIONS");
    return 0;
}

static void base_options_values(void **state)
{
    (void)state;
    static const struct {
        const char *key, *value, *canonical; /* NULL = error */
    } rows[] = {
        { "debug.instrument", "true", "true" },
        { "debug.instrument", "TRUE", "true" },
        { "debug.instrument", "1", "true" },
        { "debug.instrument", "False", "false" },
        { "debug.instrument", "0", "false" },
        { "debug.instrument", "yes", NULL },
        { "debug.instrument", "", NULL },
        { "debug.computeInstrumentationLevel", "Vertex", "vertex" },
        { "debug.computeInstrumentationLevel", "vert", NULL },
        { "debug.computeInstrumentationLevel", "tile|vertex", NULL },
        { "debug.computeInstrumentationLevel", "", NULL },
        { "target.workerStackSizeInBytes", "0x40", "64" },
        { "target.workerStackSizeInBytes", "-12", "-12" },
        { "target.workerStackSizeInBytes", "010", "10" },
        { "target.workerStackSizeInBytes", "9223372036854775807", "9223372036854775807" },
        { "target.workerStackSizeInBytes", "9223372036854775808", NULL },
        { "target.workerStackSizeInBytes", " 12", NULL },
        { "target.workerStackSizeInBytes", "12k", NULL },
        { "target.workerStackSizeInBytes", "0x", NULL },
        { "target.workerStackSizeInBytes", "-", NULL },
        { "opt.scale", "0.1", "0.1" },
        { "opt.scale", "1e3", "1000" },
        { "opt.scale", "2.5x", NULL },
        { "opt.scale", "nan", NULL },
        { "opt.scale", "1e999", NULL },
        { "opt.scale", "", NULL },
        { "autoReport.directory", "", "" },
        { "autoReport.directory", "a b", "a b" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tw_status status = tw__options_set(options, rows[i].key, rows[i].value);
        if ((status == TW_OK) != (rows[i].canonical != NULL)) fail_msg("row %zu: %s", i, tw_error_message());
        if (rows[i].canonical)
            assert_string_equal(tw__options_get(options, rows[i].key), rows[i].canonical);
        else
            assert_int_equal(status, TW_E_INVALID_OPTION);
        if (!rows[i].canonical) assert_non_null(strstr(tw_error_message(), rows[i].key));
    }
}

static void base_options_defaults_and_getters(void **state)
{
    (void)state;
    assert_false(tw__options_is_set(options, "opt.scale"));
    assert_int_equal(tw__options_int(options, "target.workerStackSizeInBytes"), 1024);
    assert_false(tw__options_bool(options, "debug.instrument"));
    assert_true(tw__options_double(options, "opt.scale") == 1);
    assert_string_equal(tw__options_get(options, "autoReport.directory"), ".");
    assert_int_equal(tw__options_set(options, "opt.scale", "0.3"), TW_OK);
    assert_true(tw__options_is_set(options, "opt.scale"));
    assert_true(tw__options_double(options, "opt.scale") == 0.3);
    assert_int_equal(tw__options_set(options, "opt.scale", "oops"), TW_E_INVALID_OPTION);
    assert_true(tw__options_double(options, "opt.scale") == 0.3); /* a failing call has no effect */
}

static void base_options_suggestion(void **state)
{
    (void)state;
    assert_int_equal(tw__options_set(options, "debug.instrumnet", "true"), TW_E_INVALID_OPTION);
    assert_non_null(strstr(tw_error_message(), "did you mean 'debug.instrument'?"));
    assert_int_equal(tw__options_set(options, "Debug.instrumentcompute", "true"), TW_E_INVALID_OPTION);
    assert_non_null(strstr(tw_error_message(), "'debug.instrumentCompute'"));
    assert_int_equal(tw__options_set(options, "opt.scale", NULL), TW_E_INVALID_OPTION); /* a list of odd length */
    assert_non_null(strstr(tw_error_message(), "'opt.scale' has no value"));
    assert_int_equal(tw__options_set(options, NULL, NULL), TW_E_INVALID_OPTION);
    assert_int_equal(tw__options_set(options, "zebra", "true"), TW_E_INVALID_OPTION);
    assert_null(strstr(tw_error_message(), "did you mean"));
    assert_int_equal(tw__options_set(options, "debug.computeInstrumentationLevel", "x"), TW_E_INVALID_OPTION);
    assert_non_null(strstr(tw_error_message(), "tile|vertex|ipu"));
}

static void base_options_json(void **state)
{
    (void)state;
    static const struct {
        const char *json, *error; /* NULL = fine */
    } rows[] = {
        { "{}", NULL },
        { "{\"debug.instrument\": \"true\", \"opt.scale\": 2.5, \"target.workerStackSizeInBytes\": 77}", NULL },
        { "{\"debug.instrument\": true}", NULL },
        { "{\"debug.instrument\": null}", "'debug.instrument'" },
        { "{\"debug.instrument\": [true]}", "must be a string" },
        { "{\"debug.instrument\": {}}", "must be a string" },
        { "[]", "expected a JSON object" },
        { "{\"debug.instrument\": \"true\"", "line 1" },
        { "{\"debug.instrument\": \"true\", \"debug.instrument\": \"false\"}", "duplicate" },
        { "", "line 1" },
        { "{\"debug.instrument\": \"maybe\"}", "maybe" },
        { "{\"debug.instrumentt\": \"true\"}", "did you mean" },
        { "{\"target.workerStackSizeInBytes\": 1.5}", "integer" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tw_status status = tw__options_set_json(options, rows[i].json, "--options");
        assert_int_equal(status, rows[i].error ? TW_E_INVALID_OPTION : TW_OK);
        if (!rows[i].error) continue;
        if (!strstr(tw_error_message(), rows[i].error)) fail_msg("row %zu: %s", i, tw_error_message());
        assert_ptr_equal(strstr(tw_error_message(), "--options"), tw_error_message());
    }
    assert_true(tw__options_bool(options, "debug.instrument"));
    assert_true(tw__options_double(options, "opt.scale") == 2.5);
    assert_int_equal(tw__options_int(options, "target.workerStackSizeInBytes"), 77);
    /* All or nothing: the good key before the bad one is not set. */
    assert_int_equal(tw__options_set_json(options, "{\"opt.scale\": 9, \"bad\": 1}", "x"), TW_E_INVALID_OPTION);
    assert_true(tw__options_double(options, "opt.scale") == 2.5);
}

static void base_options_environment_wins(void **state)
{
    (void)state;
    assert_int_equal(tw__options_set_env(options, "TW_TEST_OPTIONS"), TW_OK); /* unset */
    setenv("TW_TEST_OPTIONS", "", 1);
    assert_int_equal(tw__options_set_env(options, "TW_TEST_OPTIONS"), TW_OK);
    setenv("TW_TEST_OPTIONS", "{\"debug.instrument\": \"true\"}", 1);
    assert_int_equal(tw__options_set(options, "debug.instrument", "false"), TW_OK);
    assert_int_equal(tw__options_set_env(options, "TW_TEST_OPTIONS"), TW_OK);
    assert_true(tw__options_bool(options, "debug.instrument"));
    assert_int_equal(tw__options_set(options, "debug.instrument", "false"), TW_OK); /* accepted, without effect */
    assert_true(tw__options_bool(options, "debug.instrument"));
    assert_int_equal(tw__options_set(options, "debug.instrument", "junk"), TW_E_INVALID_OPTION);
    assert_int_equal(tw__options_set_json(options, "{\"debug.instrument\": false}", "x"), TW_OK);
    assert_true(tw__options_bool(options, "debug.instrument"));
    setenv("TW_TEST_OPTIONS", "{\"debug.instrument\": \"false\"}", 1);
    assert_int_equal(tw__options_set_env(options, "TW_TEST_OPTIONS"),
                     TW_OK); /* but the environment may change it */
    assert_false(tw__options_bool(options, "debug.instrument"));
    setenv("TW_TEST_OPTIONS", "{oops", 1);
    assert_int_equal(tw__options_set_env(options, "TW_TEST_OPTIONS"), TW_E_INVALID_OPTION);
    assert_non_null(strstr(tw_error_message(), "TW_TEST_OPTIONS: line 1"));
}

static void base_options_copy(void **state)
{
    (void)state;
    tw__options_set(options, "autoReport.directory", "a");
    tw__options *copy = tw__options_copy(options);
    tw__options_set(copy, "autoReport.directory", "b");
    assert_string_equal(tw__options_get(options, "autoReport.directory"), "a");
    assert_string_equal(tw__options_get(copy, "autoReport.directory"), "b");
    assert_false(tw__options_is_set(copy, "opt.scale"));
    tw__options_free(copy);
    tw__options_free(NULL);
}

/* Fails each allocation in turn: every call reports it and leaves the options as they were. */
static void base_options_without_memory(void **state)
{
    (void)state;
    tw__fail_allocation(1);
    assert_null(tw__options_new(table, COUNT, TW__LOG_ENGINE));
    tw__options_set(options, "autoReport.directory", "kept");
    bool failed_once = false;
    for (unsigned long nth = 1; nth < 20; nth++) {
        tw__fail_allocation(nth);
        tw_status status =
            tw__options_set_json(options, "{\"autoReport.directory\": \"new\", \"opt.scale\": 3}", "x");
        tw__fail_allocation(0);
        if (status == TW_OK) break;
        failed_once = true;
        assert_int_equal(status, TW_E_NO_MEMORY);
        assert_string_equal(tw__options_get(options, "autoReport.directory"), "kept");
    }
    assert_true(failed_once);
    assert_string_equal(tw__options_get(options, "autoReport.directory"), "new");
    for (unsigned long nth = 1; nth < 4; nth++) {
        tw__fail_allocation(nth);
        tw__options *copy = tw__options_copy(options);
        tw__fail_allocation(0);
        assert_true(!copy || nth > 2);
        tw__options_free(copy);
    }
    tw__fail_allocation(1);
    assert_int_equal(tw__options_set(options, "nonsense", "1"), TW_E_NO_MEMORY);
    tw__fail_allocation(0);
}

/* Options of callers with older and newer headers, and of those who forgot the size. */
static void base_options_sizes(void **state)
{
    typedef struct known {
        size_t size;
        int a;
        int b;
    } known;
    struct longer {
        known first;
        unsigned char more[8];
    } longer = { { sizeof longer, 1, 2 }, { 0 } };
    known mine = { 9, 9, 9 }, given = { sizeof given, 1, 2 };
    (void)state;
    assert_int_equal(TW__TAKE_OPTIONS(&mine, NULL, known), TW_OK);
    assert_true(mine.size == sizeof mine && mine.a == 0 && mine.b == 0);
    assert_int_equal(TW__TAKE_OPTIONS(&mine, &given, known), TW_OK);
    assert_true(mine.size == sizeof mine && mine.a == 1 && mine.b == 2);
    given.size = offsetof(known, b); /* of a header that had no b: what lies there is not read */
    assert_int_equal(TW__TAKE_OPTIONS(&mine, &given, known), TW_OK);
    assert_true(mine.size == sizeof mine && mine.a == 1 && mine.b == 0);
    mine.a = 5, mine.b = 6;
    tw__give_options(&given, &mine);
    assert_true(given.size == offsetof(known, b) && given.a == 5 && given.b == 2);
    assert_int_equal(TW__TAKE_OPTIONS(&mine, &longer, known), TW_OK);
    assert_true(mine.size == sizeof mine && mine.a == 1 && mine.b == 2);
    longer.more[7] = 1;
    assert_int_equal(TW__TAKE_OPTIONS(&mine, &longer, known), TW_E_INVALID_ARGUMENT);
    assert_non_null(strstr(tw_error_message(), "known: byte 23 is set, but this library knows 16 bytes"));
    const size_t wrong[] = { 0, sizeof(size_t) - 1, (1 << 16) + 1, SIZE_MAX };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        given.size = wrong[i];
        assert_int_equal(TW__TAKE_OPTIONS(&mine, &given, known), TW_E_INVALID_ARGUMENT);
        assert_non_null(strstr(tw_error_message(), "it has to be sizeof(known)"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(base_options_values, setup, teardown),
        cmocka_unit_test_setup_teardown(base_options_defaults_and_getters, setup, teardown),
        cmocka_unit_test_setup_teardown(base_options_suggestion, setup, teardown),
        cmocka_unit_test_setup_teardown(base_options_json, setup, teardown),
        cmocka_unit_test_setup_teardown(base_options_environment_wins, setup, teardown),
        cmocka_unit_test_setup_teardown(base_options_copy, setup, teardown),
        cmocka_unit_test_setup_teardown(base_options_without_memory, setup, teardown),
        cmocka_unit_test(base_options_sizes),
    };
    return cmocka_run_group_tests_name("base options", tests, NULL, NULL);
}
