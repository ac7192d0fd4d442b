/* SPDX-License-Identifier: MIT */
/* A program image that has everything: a row in each table. Each test gets a fresh one. */
#ifndef WHOLE_IMAGE_H
#define WHOLE_IMAGE_H

#include "csl/lang/code/codec.h"
#include "csl/lang/code/image.h"
#include "core/base/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { REGS = 10, CODE = 8, SPARE = 2, CALLBACK = 1 }; /* functions: 0 main, 1 what @map calls, 2 nobody calls */

static tw__csl_image *image;
static tw__csl_program *p;

/* --- an image that has everything ------------------------------------------------------------------------------- */

static void add_function(const char *name, uint32_t registers, uint32_t params, uint32_t results)
{
    uint32_t number = tw__csl_program_add_function(image, p, name, params, results);
    tw__csl_function_code *f = &p->functions[number];
    f->entry = (uint32_t)p->code_count;
    f->count = CODE;
    f->registers = registers;
    for (int i = 0; i < CODE; i++) {
        tw__csl_insn *insn = TW__CSL_PUSH(p, code, code);
        insn->op = i == CODE - 1 ? TW__CSL_I_RET : TW__CSL_I_NOP;
    }
}

static void add_rows(void)
{
    tw__csl_dsd_use *use = TW__CSL_PUSH(p, uses, use);
    *use = (tw__csl_dsd_use){ .op = TW__CSL_OP_FMACS,
                              .ut = TW__CSL_NO_ID,
                              .arg = { { TW__CSL_ARG_DSD, 0, 0 },
                                       { TW__CSL_ARG_DSD, 0, 0 },
                                       { TW__CSL_ARG_DSD, 0, 0 },
                                       { TW__CSL_ARG_SCALAR, 0, 0 } } };
    tw__csl_map *map = TW__CSL_PUSH(p, maps, map);
    *map = (tw__csl_map){ .function = CALLBACK, .input_count = 2, .has_output = 1 };
    map->input[0] = (tw__csl_arg){ TW__CSL_ARG_DSD, TW__CSL_E_I16, 0 };
    map->input[1] = (tw__csl_arg){ TW__CSL_ARG_SCALAR, 0, 0 };
    map->output = (tw__csl_arg){ TW__CSL_ARG_DSD, TW__CSL_E_I16, 0 };
    for (int i = 0; i < 2; i++) {
        *(tw__csl_dsr_load *)TW__CSL_PUSH(p, dsr_loads, dsr_load) = (tw__csl_dsr_load){ .ut = TW__CSL_NO_ID };
        *(tw__csl_dsr_load *)TW__CSL_PUSH(p, dsr_init, dsr_init) = (tw__csl_dsr_load){ .ut = TW__CSL_NO_ID };
        tw__csl_program_const(p, (uint64_t)i);
    }
    *(tw__csl_shape *)TW__CSL_PUSH(p, shapes, shape) = (tw__csl_shape){ 2, { 2, 3 }, { 1, 1 } };
    tw__csl_program_data(p, 100, "abcd", 4);
    *(tw__csl_symbol *)TW__CSL_PUSH(p, symbols, symbol) = (tw__csl_symbol){ .name = "x",
                                                                            .address = 100,
                                                                            .bytes = 4,
                                                                            .type = TW_F32,
                                                                            .count = 1,
                                                                            .rank = 1,
                                                                            .dims = { 1 },
                                                                            .type_text = "f32" };
    *(tw__csl_export_name *)TW__CSL_PUSH(image, exports, export) =
        (tw__csl_export_name){ .name = "x", .type_text = "[*]f32", .type = TW_F32, .param_count = 1 };
    *(tw__csl_export *)TW__CSL_PUSH(p, exports, export) = (tw__csl_export){ .target = 0 };
    TW__CSL_PUSH(p, tasks, task);
    *(tw__csl_fifo *)TW__CSL_PUSH(p, fifos, fifo) = (tw__csl_fifo){ .name = "fifo",
                                                                    .address = 200,
                                                                    .bytes = 8,
                                                                    .elem_bytes = 2,
                                                                    .push_task = TW__CSL_NO_ID,
                                                                    .pop_task = TW__CSL_NO_ID };
    TW__CSL_PUSH(p, queues, queue);
    TW__CSL_PUSH(p, inits, init);
    TW__CSL_PUSH(p, rotations, rotation);
    TW__CSL_PUSH(p, handlers, handler);
    TW__CSL_PUSH(p, declarations, declaration);
    TW__CSL_PUSH(p, configs, config);
    TW__CSL_PUSH(p, lines, line);
    *(tw__csl_local *)TW__CSL_PUSH(p, locals, local) =
        (tw__csl_local){ .name = "n", .type_text = "u16", .end = 1, .kind = TW__CSL_LOCAL_REGISTER, .place = 3 };
    *(tw__csl_local *)TW__CSL_PUSH(p, locals, local) =
        (tw__csl_local){ .name = "all", .type_text = "u64", .kind = TW__CSL_LOCAL_CONSTANT, .words = { 5, 7 } };
}

/* Without room behind the last row: whoever looks there is seen. */
#define TIGHT(plural, singular) p->plural = realloc(p->plural, (p->singular##_count) * sizeof *p->plural)

static int setup(void **state)
{
    (void)state;
    image = tw__csl_image_new();
    image->width = 2;
    image->height = 1;
    p = tw__csl_image_add_program(image, "pe.csl");
    p->stack_address = 40000;
    p->stack_bytes = 1000;
    p->pool_count = 2;
    add_function("main", REGS, 0, 0);
    add_function("callback", REGS, 2, 1);
    add_function("spare", REGS, 0, 0);
    add_rows();
    TIGHT(uses, use);
    TIGHT(maps, map);
    TIGHT(dsr_loads, dsr_load);
    p->use_room = p->map_room = p->dsr_load_room = 1;
    for (int i = 0; i < 2; i++) {
        tw__csl_pe *pe = TW__CSL_PUSH(image, pes, pe);
        pe->pool = (uint32_t)i * 2;
        pe->route = (uint32_t)i;
        pe->route_count = 1;
        TW__CSL_PUSH(image, routes, route);
        for (int k = 0; k < 2; k++) TW__CSL_PUSH(image, pool, pool);
    }
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    tw__csl_image_free(image);
    return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
