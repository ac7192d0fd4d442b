/* SPDX-License-Identifier: MIT */
/* Which functions of a cmocka program run. Linked into each of them, in place of cmocka's own entry (ld --wrap):
 *   TW_TEST=regex   only the functions whose name matches (POSIX extended, anywhere in the name)
 *   TW_TEST_LIST=1  prints the names, one a line, and runs nothing
 * A program in which nothing matches passes. `./dev test T=name` and `./dev tests` use both. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>

int __real__cmocka_run_group_tests(const char *group, const struct CMUnitTest *tests, size_t count,
                                   CMFixtureFunction setup, CMFixtureFunction teardown);
int __wrap__cmocka_run_group_tests(const char *group, const struct CMUnitTest *tests, size_t count,
                                   CMFixtureFunction setup, CMFixtureFunction teardown);

int __wrap__cmocka_run_group_tests(const char *group, const struct CMUnitTest *tests, size_t count,
                                   CMFixtureFunction setup, CMFixtureFunction teardown)
{
    const char *wanted = getenv("TW_TEST"), *list = getenv("TW_TEST_LIST");
    regex_t pattern;
    if (!list && !wanted) return __real__cmocka_run_group_tests(group, tests, count, setup, teardown);
    if (wanted && regcomp(&pattern, wanted, REG_EXTENDED | REG_NOSUB) != 0)
        return fprintf(stderr, "TW_TEST: '%s' is no regular expression\n", wanted), 1;
    struct CMUnitTest *chosen = calloc(count + 1, sizeof *chosen);
    size_t chosen_count = 0;
    for (size_t i = 0; chosen && i < count; i++)
        if (!wanted || regexec(&pattern, tests[i].name, 0, NULL, 0) == 0) chosen[chosen_count++] = tests[i];
    if (wanted) regfree(&pattern);
    if (!chosen) return 1;
    int failed = 0;
    for (size_t i = 0; list && i < chosen_count; i++) puts(chosen[i].name);
    if (!list && chosen_count)
        failed = __real__cmocka_run_group_tests(group, chosen, chosen_count, setup, teardown);
    free(chosen);
    return failed;
}
