/* SPDX-License-Identifier: MIT */
/* Shared by the tests of the simulator: assembly text in, a tile that can run it. */
#ifndef SIM_TEST_H
#define SIM_TEST_H

#include "asm_test.h"

#include <tilewright/poplar/colossus/link.h>
#include <tilewright/poplar/colossus/sim.h>

/* A tile with a program and its image. */
typedef struct machine {
    tw_sim *sim;
    tw_object *image;
    uint32_t entry;
} machine;

__attribute__((unused)) static machine machine_with(const tw_sim_options *options, const char *text)
{
    machine m = { .sim = tw_sim_new(options) };
    assert_non_null(m.sim);
    tw_object *object = assemble_for(options && options->arch ? options->arch : TW_ISA_IPU2, text);
    const tw_object *objects[] = { object };
    if (!(m.image = tw_link(objects, 1, NULL, NULL))) fail_msg("%s\nin: %s", tw_error_message(), text);
    tw_object_free(object);
    assert_int_equal(tw_sim_load(m.sim, m.image), TW_OK);
    m.entry = tw_object_entry(m.image);
    return m;
}

__attribute__((unused)) static machine machine_of(const char *text)
{
    return machine_with(NULL, text);
}

__attribute__((unused)) static void machine_free(machine *m)
{
    tw_sim_free(m->sim);
    tw_object_free(m->image);
}

enum { VERTEX = 0x81000, SCRATCH = 0x90000, TURN_LIMIT = 1000000 };

/* Runs worker 0 from the start of the program. */
__attribute__((unused)) static tw_sim_stop run_worker_from(machine *m, uint32_t vertex)
{
    tw_sim_launch launch = { .entry = m->entry, .vertex_base = vertex, .worker_base = SCRATCH };
    assert_int_equal(tw_sim_start(m->sim, 0, &launch), TW_OK);
    return tw_sim_run(m->sim, TURN_LIMIT);
}

__attribute__((unused)) static void run_to_exit(machine *m)
{
    tw_sim_stop stop = run_worker_from(m, VERTEX);
    if (stop == TW_SIM_FAULT) fail_msg("%s", tw_sim_get_exception(m->sim)->message);
    assert_int_equal(stop, TW_SIM_DONE);
}

__attribute__((unused)) static uint32_t peek(machine *m, uint32_t address)
{
    uint8_t b[4];
    assert_int_equal(tw_sim_read(m->sim, address, b, 4), TW_OK);
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

__attribute__((unused)) static void poke(machine *m, uint32_t address, uint32_t value)
{
    uint8_t b[] = { (uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16), (uint8_t)(value >> 24) };
    assert_int_equal(tw_sim_write(m->sim, address, b, 4), TW_OK);
}

__attribute__((unused)) static uint32_t bits_of(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, 4);
    return bits;
}

__attribute__((unused)) static float float_of(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, 4);
    return f;
}

#endif
