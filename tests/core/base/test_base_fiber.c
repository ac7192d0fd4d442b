/* SPDX-License-Identifier: MIT */
/* Fibers: order, nesting, many at once, deep stacks, an end that stays the end. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>

#include "core/base/base.h"
#include "core/base/fiber.h"

static char order[64];

static void say(void *user)
{
    const char *word = user;
    for (; *word; word++) {
        strncat(order, word, 1);
        tw__fiber_yield();
    }
}

static void base_fiber_order(void **state)
{
    (void)state;
    tw__fiber *a = tw__fiber_new(say, (void *)"ace", 0), *b = tw__fiber_new(say, (void *)"bd", 0);
    assert_null(tw__fiber_current());
    order[0] = 0;
    for (bool more = true; more;) {
        more = tw__fiber_resume(a);
        more |= tw__fiber_resume(b);
    }
    assert_string_equal(order, "abcde");
    assert_false(tw__fiber_resume(a));
    tw__fiber_free(a);
    tw__fiber_free(b);
    tw__fiber_free(NULL);
}

static void nest(void *user)
{
    int depth = *(int *)user - 1;
    assert_non_null(tw__fiber_current());
    if (depth) {
        tw__fiber *inner = tw__fiber_new(nest, &depth, 0);
        assert_true(tw__fiber_resume(inner));
        tw__fiber_yield();
        assert_false(tw__fiber_resume(inner));
        tw__fiber_free(inner);
    } else {
        tw__fiber_yield();
    }
}

static void base_fiber_nested(void **state)
{
    int depth = 5;
    (void)state;
    tw__fiber *f = tw__fiber_new(nest, &depth, 0);
    assert_true(tw__fiber_resume(f));
    assert_null(tw__fiber_current());
    assert_false(tw__fiber_resume(f));
    tw__fiber_free(f);
}

static void deep(void *user)
{
    unsigned char big[200 << 10];
    memset(big, 7, sizeof big);
    tw__fiber_yield();
    *(int *)user += big[sizeof big - 1];
}

static void base_fiber_many(void **state)
{
    enum { COUNT = 200 };
    static tw__fiber *f[COUNT];
    int sum = 0;
    (void)state;
    for (int i = 0; i < COUNT; i++) assert_non_null(f[i] = tw__fiber_new(deep, &sum, 256 << 10));
    for (int i = 0; i < COUNT; i++) assert_true(tw__fiber_resume(f[i]));
    for (int i = 0; i < COUNT; i++) assert_false(tw__fiber_resume(f[i]));
    assert_int_equal(sum, 7 * COUNT);
    for (int i = 0; i < COUNT; i++) tw__fiber_free(f[i]);
}

static void base_fiber_no_memory(void **state)
{
    (void)state;
    tw__fail_allocation(1);
    assert_null(tw__fiber_new(say, NULL, 0));
    tw__fail_allocation(0);
    assert_non_null(strstr(tw_error_message(), "stack"));
    tw__fiber_yield(); /* outside a fiber: nothing */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(base_fiber_order),
        cmocka_unit_test(base_fiber_nested),
        cmocka_unit_test(base_fiber_many),
        cmocka_unit_test(base_fiber_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
