/* SPDX-License-Identifier: MIT */
/* Shared by the tests of the compiler's runtime library: a tile with the library's assembly and a driver. */
#ifndef RT_TEST_H
#define RT_TEST_H

#include "poplar/colossus/sim_test.h"

/* Places that every chip has, behind the code. */
enum { BLOCK = 0x5f000, STACK = 0x5e000, ARGUMENTS = 0x60000, ANSWERS = 0x70000, ROOM = 0x10000 };

/* A call of `function` for each of a row of arguments. The words at BLOCK: where the arguments are, how many calls
 * less one, where the results go; each of both `in` and `out` words from and to $m0 up. */
__attribute__((unused)) static char *driver_of(const char *function, bool supervisor, unsigned in, unsigned out)
{
    GString *text = g_string_new(NULL);
    g_string_append_printf(text, ".%s\n.section .text.driver, \"ax\"\n.align 4\n.globl driver\ndriver:\n",
                           supervisor ? "supervisor" : "worker");
    if (!supervisor) g_string_append(text, "  mov $m0, $mvertex_base\n");
    g_string_append(text, "  ld32 $m7, $m0, $mzero, 0\n  ld32 $m8, $m0, $mzero, 1\n  ld32 $m9, $m0, $mzero, 2\n"
                          "  st32 $lr, $m0, $mzero, 3\n");
    if (!supervisor) g_string_append(text, "  mov $sp, $mworker_base\n");
    g_string_append(text, "7:\n");
    for (unsigned i = 0; i < in; i++) g_string_append_printf(text, "  ld32step $m%u, $mzero, $m7+=, 1\n", i);
    g_string_append_printf(text, "  call $lr, %s\n", function);
    for (unsigned i = 0; i < out; i++) g_string_append_printf(text, "  st32step $m%u, $mzero, $m9+=, 1\n", i);
    g_string_append_printf(text, "  brnzdec $m8, 7b\n  setzi $m1, %d\n  ld32 $lr, $m1, $mzero, 3\n", BLOCK);
    g_string_append(text, supervisor ? "  br $lr\n" : "  exitz $mzero\n");
    return g_string_free(text, FALSE);
}

/* function.S of the folder, one of its other files and the driver as one text, linked from `driver` on. */
__attribute__((unused)) static machine machine_with_library(tw_isa_arch arch, const char *folder, const char *file,
                                                            const char *driver)
{
    tw_sim_options options = { .size = sizeof options, .arch = arch };
    machine m = { .sim = tw_sim_new(&options) };
    assert_non_null(m.sim);
    g_autoptr(GString) text = g_string_new(NULL);
    const char *names[] = { "function.S", file };
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *path = g_build_filename(folder, names[i], NULL);
        g_autofree char *content = NULL;
        if (!g_file_get_contents(path, &content, NULL, NULL)) fail_msg("cannot read %s", path);
        g_string_append(text, content);
    }
    g_string_append(text, driver);
    tw_object *object = assemble_for(arch, text->str);
    const tw_object *objects[] = { object };
    tw_link_options link = { .size = sizeof link, .entry = "driver" };
    if (!(m.image = tw_link(objects, 1, &link, NULL))) fail_msg("%s", tw_error_message());
    tw_object_free(object);
    assert_int_equal(tw_sim_load(m.sim, m.image), TW_OK);
    m.entry = tw_object_entry(m.image);
    return m;
}

/* Runs such a driver in a context with the three words. */
__attribute__((unused)) static void run_driver(machine *m, unsigned context, uint32_t calls)
{
    tw_sim_reset(m->sim);
    poke(m, BLOCK, ARGUMENTS), poke(m, BLOCK + 4, calls - 1), poke(m, BLOCK + 8, ANSWERS);
    tw_sim_set_m(m->sim, context, 11, STACK);
    tw_sim_launch launch = { .entry = m->entry, .vertex_base = BLOCK, .worker_base = STACK };
    assert_int_equal(tw_sim_start(m->sim, context, &launch), TW_OK);
    tw_sim_stop stop = tw_sim_run(m->sim, 0);
    if (stop == TW_SIM_FAULT) fail_msg("%s", tw_sim_get_exception(m->sim)->message);
    assert_int_equal(stop, TW_SIM_DONE);
}

__attribute__((unused)) static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint64_t x = *state >> 33 ^ *state;
    return x * UINT64_C(0x9e3779b97f4a7c15) ^ x >> 29;
}

#endif
