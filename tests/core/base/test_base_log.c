/* SPDX-License-Identifier: MIT */
/* The log of guide chapter 9.1: levels per module with fall-back, destinations, the form of a line. */
#define _GNU_SOURCE
#include "core/base/base.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <pthread.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
// clang-format on

static char path[] = "/tmp/tilewright-log-XXXXXX";
static char text[1 << 20];

static int make_file(void **state)
{
    (void)state;
    int fd = mkstemp(path);
    if (fd >= 0) close(fd);
    return fd < 0;
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

static int setup(void **state)
{
    (void)state;
    static const char *const variables[] = { "POPLAR_LOG_LEVEL", "POPLAR_ENGINE_LOG_LEVEL", "POPLIBS_LOG_LEVEL",
                                             "POPLIBS_POPLIN_LOG_LEVEL", "POPLIBS_LOG_DEST" };
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) unsetenv(variables[i]);
    setenv("POPLAR_LOG_DEST", path, 1);
    return truncate(path, 0);
}

/* Contents of the log file so far. */
static const char *logged(void)
{
    FILE *file = fopen(path, "r");
    size_t n = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[n] = 0;
    return text;
}

static void base_log_is_off_by_default(void **state)
{
    (void)state;
    tw__log_reload();
    int evaluated = 0;
    TW__LOG(ENGINE, ERR, "%d", ++evaluated);
    TW__LOG(POPLIN, ERR, "%d", ++evaluated);
    assert_int_equal(evaluated, 0);
    assert_string_equal(logged(), "");
}

static void base_log_modules_fall_back(void **state)
{
    (void)state;
    setenv("POPLAR_LOG_LEVEL", "INFO", 1);
    setenv("POPLAR_ENGINE_LOG_LEVEL", "trace", 1);
    tw__log_reload();
    assert_true(tw__log_on(TW__LOG_ENGINE, TW__TRACE));
    assert_true(tw__log_on(TW__LOG_GRAPH, TW__INFO));
    assert_false(tw__log_on(TW__LOG_GRAPH, TW__DEBUG));
    assert_false(tw__log_on(TW__LOG_POPLIN, TW__ERR)); /* "and no PopLibs logging" */
    assert_false(tw__log_on(TW__LOG_ENGINE, TW__OFF));
    setenv("POPLAR_ENGINE_LOG_LEVEL", "OFF", 1);
    setenv("POPLIBS_POPLIN_LOG_LEVEL", "DEBUG", 1);
    tw__log_reload();
    assert_false(tw__log_on(TW__LOG_ENGINE, TW__ERR));
    assert_true(tw__log_on(TW__LOG_POPLIN, TW__DEBUG));
    assert_false(tw__log_on(TW__LOG_POPNN, TW__ERR));
}

static void base_log_line(void **state)
{
    (void)state;
    setenv("POPLAR_LOG_LEVEL", "TRACE", 1);
    setenv("POPLIBS_LOG_LEVEL", "WARN", 1);
    setenv("POPLIBS_LOG_DEST", path, 1);
    tw__log_reload();
    TW__LOG(ENGINE, WARN, "tile %d needs %s", 3, "more");
    TW__LOG(GRAPH, TRACE, "t");
    TW__LOG(POPLIN, ERR, "pl");
    TW__LOG(POPLIN, INFO, "not shown");
    regex_t form;
    assert_int_equal(
        regcomp(&form,
                "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{6}Z PO:ENGINE "
                "[0-9]+\\.[0-9]+ W: tile 3 needs more\n.* PO:GRAPH [0-9.]+ T: t\n.* PL:POPLIN [0-9.]+ E: pl\n$",
                REG_EXTENDED | REG_NOSUB),
        0);
    if (regexec(&form, logged(), 0, NULL, 0) != 0) fail_msg("%s", text);
    regfree(&form);
}

static void base_log_unknown_level(void **state)
{
    (void)state;
    setenv("POPLAR_LOG_LEVEL", "LOUD", 1);
    tw__log_reload();
    assert_false(tw__log_on(TW__LOG_ENGINE, TW__ERR));
    assert_non_null(strstr(logged(), "POPLAR_LOG_LEVEL: unknown level 'LOUD'"));
}

static void base_log_long_line_is_cut(void **state)
{
    (void)state;
    setenv("POPLAR_LOG_LEVEL", "ERR", 1);
    tw__log_reload();
    TW__LOG(ENGINE, ERR, "%10000d", 1);
    size_t length = strlen(logged());
    assert_in_range(length, 1000, 5000);
    assert_int_equal(text[length - 1], '\n');
}

static void *write_lines(void *data)
{
    for (int i = 0; i < 200; i++) TW__LOG(TARGET, DEBUG, "thread %s", (const char *)data);
    return NULL;
}

static void base_log_threads_do_not_mix(void **state)
{
    (void)state;
    setenv("POPLAR_LOG_LEVEL", "DEBUG", 1);
    tw__log_reload();
    pthread_t threads[4];
    static char names[4][2] = { "a", "b", "c", "d" };
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, write_lines, names[i]);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    int lines = 0;
    logged();
    for (char *rest = text, *line; (line = strsep(&rest, "\n")) && *line; lines++) {
        char *tail = strstr(line, " D: thread ");
        assert_non_null(tail);
        assert_int_equal(strlen(tail), strlen(" D: thread a"));
    }
    assert_int_equal(lines, 800);
}

static void base_log_to_stdout(void **state)
{
    (void)state;
    setenv("POPLAR_LOG_DEST", "stdout", 1);
    setenv("POPLAR_LOG_LEVEL", "ERR", 1);
    fflush(stdout);
    int saved = dup(STDOUT_FILENO);
    assert_non_null(freopen(path, "w", stdout));
    tw__log_reload();
    TW__LOG(CODELETS, ERR, "to stdout");
    fflush(stdout);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    assert_non_null(strstr(logged(), "PO:CODELETS"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(base_log_is_off_by_default, setup),
        cmocka_unit_test_setup(base_log_modules_fall_back, setup),
        cmocka_unit_test_setup(base_log_line, setup),
        cmocka_unit_test_setup(base_log_unknown_level, setup),
        cmocka_unit_test_setup(base_log_long_line_is_cut, setup),
        cmocka_unit_test_setup(base_log_threads_do_not_mix, setup),
        cmocka_unit_test_setup(base_log_to_stdout, setup),
    };
    return cmocka_run_group_tests_name("base log", tests, make_file, remove_file);
}
