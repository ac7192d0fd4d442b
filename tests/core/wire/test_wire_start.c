/* SPDX-License-Identifier: MIT */
/* Which launcher started a process is read off its environment. Nothing of MPI is loaded here. */
#include "core/base/checkpoint.h"
#include "core/wire/wire.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void forget(void)
{
    for (size_t i = 0; i < tw__wire_launcher_count; i++) {
        unsetenv(tw__wire_launchers[i].size);
        unsetenv(tw__wire_launchers[i].rank);
    }
    unsetenv("TILEWRIGHT_MPI");
}

static const tw__wire_launcher *detect(unsigned want_rank, unsigned want_size)
{
    unsigned rank = 99, size = 99;
    const tw__wire_launcher *found = tw__wire_detect(&rank, &size);
    assert_int_equal(rank, want_rank);
    assert_int_equal(size, want_size);
    return found;
}

static void launchers(void **state)
{
    (void)state;
    forget();
    assert_null(detect(0, 0));
    setenv("OMPI_COMM_WORLD_SIZE", "4", 1);
    setenv("OMPI_COMM_WORLD_RANK", "3", 1);
    setenv("PMIX_RANK", "3", 1); /* Open MPI sets that too */
    assert_string_equal(detect(3, 4)->name, "Open MPI");
    setenv("TILEWRIGHT_MPI", "OFF", 1);
    assert_null(detect(0, 0));
    forget();
    setenv("PMI_SIZE", "2", 1);
    setenv("PMI_RANK", "1", 1);
    assert_string_equal(detect(1, 2)->module, "wire-mpich");
    forget();
    setenv("PMIX_RANK", "5", 1); /* how many there are is not known before MPI says so */
    assert_string_equal(detect(5, 0)->module, "wire-openmpi");
    forget();
}

static void one_rank_is_alone(void **state)
{
    (void)state;
    forget();
    setenv("OMPI_COMM_WORLD_SIZE", "1", 1);
    setenv("OMPI_COMM_WORLD_RANK", "0", 1);
    assert_int_equal(tw__wire_start(), TW_OK);
    assert_int_equal(tw__wire_size(), 1);
    assert_string_equal(tw__wire.row->name, "self");
    bool value = false;
    assert_int_equal(tw__wire_all_and(TW__WIRE_HERE("and"), &value), TW_OK);
    assert_false(value);
    assert_false(tw__wire_stopped());
    assert_int_equal(tw__wire_agree(TW_E_INDEX), TW_E_INDEX);
    forget();
}

static void builds(void **state)
{
    (void)state;
    assert_int_equal(strncmp(tw__build_name(), tw_version(), strlen(tw_version())), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(launchers),
        cmocka_unit_test(one_rank_is_alone),
        cmocka_unit_test(builds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
