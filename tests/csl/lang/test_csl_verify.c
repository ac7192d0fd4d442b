/* SPDX-License-Identifier: MIT */
/* The verifier of program images, rule by rule: the last value that is legal passes, the first one that is not is
 * refused by what the rule says. */
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

/* --- both sides of a rule --------------------------------------------------------------------------------------- */

/* The first error, NULL = none; it lives until the next call. */
static const char *verdict(void)
{
    static char *message;
    free(message);
    message = NULL;
    tw_diags *diags = tw_diags_new();
    tw_status status = tw__csl_verify(image, diags);
    assert_int_equal(status == TW_OK, tw_diags_count(diags, TW_ERROR) == 0);
    if (status != TW_OK) message = strdup(tw_diags_get(diags, 0)->message);
    tw_diags_free(diags);
    return message;
}

static void accepted(const char *what)
{
    const char *message = verdict();
    if (message) fail_msg("%s: %s", what, message);
}

static void refused(const char *what, const char *says)
{
    const char *message = verdict();
    if (!message) fail_msg("%s: accepted", what);
    if (!strstr(message, says)) fail_msg("%s: \"%s\" does not say \"%s\"", what, message, says);
}

#define TRY(place, value, judge, ...)              \
    do {                                           \
        __typeof__(place) before_ = (place);       \
        (place) = (__typeof__(place))(value);      \
        judge(#place " = " #value, ##__VA_ARGS__); \
        (place) = before_;                         \
    } while (0)
#define GOOD(place, value)      TRY(place, value, accepted)
#define BAD(place, value, says) TRY(place, value, refused, says)
#define BOUND(place, last, says)      \
    do {                              \
        GOOD(place, last);            \
        BAD(place, (last) + 1, says); \
    } while (0)

static void good_image(void **state)
{
    (void)state;
    accepted("the image");
}

/* --- instructions ----------------------------------------------------------------------------------------------- */

static tw__csl_insn *main_code(unsigned at)
{
    return &p->code[p->functions[0].entry + at];
}

static tw__csl_insn insn(unsigned op, unsigned a, unsigned b, unsigned c)
{
    return (tw__csl_insn){ (uint16_t)op, (uint16_t)a, (uint16_t)b, (uint16_t)c };
}

static tw__csl_insn wide(unsigned op, unsigned a, int64_t bc)
{
    return insn(op, a, (uint32_t)bc & 0xffff, (uint32_t)bc >> 16);
}

#define INSN_GOOD(x)      GOOD(*main_code(3), x)
#define INSN_BAD(x, says) BAD(*main_code(3), x, says)

static void registers_of_instructions(void **state)
{
    (void)state;
    const unsigned add = TW__CSL_I_ADD_U16, last = REGS - 1;
    INSN_GOOD(insn(add, last, last, last));
    INSN_BAD(insn(add, last + 1, 0, 0), "registers 10 to 10 of a frame of 10");
    INSN_BAD(insn(add, 0, last + 1, 0), "registers 10 to 10");
    INSN_BAD(insn(add, 0, 0, last + 1), "registers 10 to 10");
    INSN_GOOD(insn(TW__CSL_I_MOV2, last - 1, last - 1, 60000)); /* c is not used */
    INSN_BAD(insn(TW__CSL_I_MOV2, last, 0, 0), "registers 9 to 10");
    INSN_BAD(insn(TW__CSL_I_MOV2, 0, last, 0), "registers 9 to 10");
    INSN_GOOD(insn(TW__CSL_I_CALLI, last, last, 60000));
    INSN_BAD(insn(TW__CSL_I_CALLI, last + 1, last, 0), "registers");
    INSN_BAD(insn(TW__CSL_I_CALLI, last, last + 1, 0), "registers");
}

static void jumps(void **state)
{
    (void)state;
    INSN_GOOD(wide(TW__CSL_I_JMP, 0, -4)); /* from 3, counted from the next one */
    INSN_BAD(wide(TW__CSL_I_JMP, 0, -5), "jump to -1");
    INSN_GOOD(wide(TW__CSL_I_JT, 0, CODE - 1 - 4));
    INSN_BAD(wide(TW__CSL_I_JT, 0, CODE - 4), "jump to 8 of a function of 8");
    INSN_GOOD(insn(TW__CSL_I_JEQ, 0, 0, (unsigned)-4));
    INSN_BAD(insn(TW__CSL_I_JEQ, 0, 0, (unsigned)-5), "jump to -1");
    INSN_GOOD(insn(TW__CSL_I_JEQ, 0, 0, CODE - 1 - 4));
    INSN_BAD(insn(TW__CSL_I_JEQ, 0, 0, CODE - 4), "jump to 8");
}

static void wide_operands(void **state)
{
    (void)state;
    static const struct {
        unsigned op;
        uint32_t last;
        const char *says;
    } rows[] = {
        { TW__CSL_I_LDA_U16, 0xffff, "address 65536" },
        { TW__CSL_I_STDSDA, 0xffff, "address 65536" },
        { TW__CSL_I_LEA, 0xffff, "offset 65536" },
        { TW__CSL_I_LDK, 1, "constant 2, but there are only 2" },
        { TW__CSL_I_LDK2, 0, "constant 2" },
        { TW__CSL_I_LDP, 1, "constant of the PE 2" },
        { TW__CSL_I_LDP2, 0, "constant of the PE 2" },
        { TW__CSL_I_CALL, 2, "function 3" },
        { TW__CSL_I_DSDOP, 0, "DSD use 1" },
        { TW__CSL_I_MAP, 0, "map 1" },
        { TW__CSL_I_LOAD_DSR, 1, "DSR load 2" },
        { TW__CSL_I_TRAP, TW__CSL_TRAPS - 1, "trap 3" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        INSN_GOOD(wide(rows[i].op, 0, rows[i].last));
        INSN_BAD(wide(rows[i].op, 0, (int64_t)rows[i].last + 1), rows[i].says);
        INSN_BAD(wide(rows[i].op, 0, UINT32_MAX), rows[i].op == TW__CSL_I_TRAP ? "offset" : ", but there are only");
    }
}

static void plain_operands(void **state)
{
    (void)state;
    INSN_GOOD(insn(TW__CSL_I_FIFO_READ_LENGTH, 0, 0, 0));
    INSN_BAD(insn(TW__CSL_I_FIFO_READ_LENGTH, 1, 0, 0), "FIFO 1");
    INSN_GOOD(insn(TW__CSL_I_FIFO_WRITE_LENGTH, 0, 0, 0));
    INSN_BAD(insn(TW__CSL_I_FIFO_WRITE_LENGTH, 1, 0, 0), "FIFO 1");
    INSN_GOOD(insn(TW__CSL_I_BLOCK, 0, TW__CSL_ID_KINDS - 1, 0));
    INSN_BAD(insn(TW__CSL_I_BLOCK, 0, TW__CSL_ID_KINDS, 0), "kind of id 3");
    INSN_GOOD(insn(TW__CSL_I_UNBLOCK, 0, TW__CSL_ID_KINDS - 1, 0));
    INSN_BAD(insn(TW__CSL_I_UNBLOCK, 0, TW__CSL_ID_KINDS, 0), "kind of id 3");
    INSN_GOOD(insn(TW__CSL_OPS - 1, 0, 0, 0));
    INSN_BAD(insn(TW__CSL_OPS, 0, 0, 0), "does not exist");
}

/* A service takes its arguments in registers and leaves its result in the first of them. */
static void services(void **state)
{
    (void)state;
    enum { ALL = TW__CSL_SERVICE_MESSAGE_RECEIVE + 1 }; /* the last row of the table */
    INSN_GOOD(insn(TW__CSL_I_SYS, REGS - 1, TW__CSL_SERVICE_LAYOUT_X, 0));
    INSN_BAD(insn(TW__CSL_I_SYS, REGS, TW__CSL_SERVICE_LAYOUT_X, 0), "registers");
    INSN_GOOD(insn(TW__CSL_I_SYS, REGS - 2, TW__CSL_SERVICE_POW, 2));
    INSN_BAD(insn(TW__CSL_I_SYS, REGS - 1, TW__CSL_SERVICE_POW, 2), "registers 9 to 10");
    INSN_BAD(insn(TW__CSL_I_SYS, 0, TW__CSL_SERVICE_POW, 1), "with 1 arguments");
    INSN_BAD(insn(TW__CSL_I_SYS, 0, TW__CSL_SERVICE_POW, 3), "with 3 arguments");
    INSN_BAD(insn(TW__CSL_I_SYS, 0, TW__CSL_SERVICE_H2D, 2), "is a declaration");
    INSN_GOOD(insn(TW__CSL_I_SYS, 0, ALL - 1, 0));
    INSN_BAD(insn(TW__CSL_I_SYS, 0, ALL, 0), "service 28, but there are only 28");
}

static void functions(void **state)
{
    (void)state;
    tw__csl_function_code *f = &p->functions[SPARE];
    BAD(f->count, 0, "code 16 to 16");
    BOUND(f->count, CODE, "code 16 to 25 of 24 instructions");
    BAD(f->entry, UINT32_MAX, "code");
    BOUND(f->registers, UINT16_MAX, "65536 registers");
    BOUND(f->params, REGS, "11 parameters");
    BOUND(f->results, REGS, "11 results");
    tw__csl_insn *last = &p->code[f->entry + CODE - 1];
    BAD(*last, insn(TW__CSL_I_NOP, 0, 0, 0), "runs past the end");
    BAD(*last, wide(TW__CSL_I_JT, 0, -1), "runs past the end");
    GOOD(*last, wide(TW__CSL_I_JMP, 0, -1));
    GOOD(*last, wide(TW__CSL_I_TRAP, 0, 0));
    f->count = CODE - 1; /* what lies between functions is decoded, too */
    p->code[f->entry + CODE - 2] = insn(TW__CSL_I_RET, 0, 0, 0);
    GOOD(*last, insn(TW__CSL_OPS - 1, 60000, 60000, 60000));
    BAD(*last, insn(TW__CSL_OPS, 0, 0, 0), "does not exist");
}

/* --- rows that instructions name -------------------------------------------------------------------------------- */

static void operands_of_dsd_operations(void **state)
{
    (void)state;
    *main_code(0) = wide(TW__CSL_I_DSDOP, 0, 0);
    tw__csl_arg *dst = &p->uses[0].arg[0], *src = &p->uses[0].arg[1], *value = &p->uses[0].arg[3];
    BOUND(dst->at, REGS - 2, "DSD operand: registers 9 to 10");
    BOUND(value->at, REGS - 1, "operand: registers 10 to 10");
    BAD(dst->kind, TW__CSL_ARG_KINDS, "operand kind 6");
    BAD(dst->kind, TW__CSL_ARG_NONE, "operand 0 is missing");
    BAD(dst->kind, TW__CSL_ARG_SCALAR, "operand 0 is of a kind it cannot be");
    BAD(src->kind, TW__CSL_ARG_POINTER, "operand 1 is of a kind it cannot be");
    BAD(value->kind, TW__CSL_ARG_DSD, "operand 3 is of a kind it cannot be");
    BAD(value->kind, TW__CSL_ARG_NONE, "operand 3 is missing");
    BAD(p->uses[0].op, TW__CSL_OP_FADDS, "operand 3 is one too many");
    GOOD(*src, ((tw__csl_arg){ TW__CSL_ARG_SCALAR, 0, REGS - 1 }));
    GOOD(*dst, ((tw__csl_arg){ TW__CSL_ARG_POINTER, 0, REGS - 1 }));
    BAD(*dst, ((tw__csl_arg){ TW__CSL_ARG_POINTER, 0, REGS }), "operand: registers 10 to 10");
    GOOD(*src, ((tw__csl_arg){ TW__CSL_ARG_FIFO, 0, 0 }));
    BAD(*src, ((tw__csl_arg){ TW__CSL_ARG_FIFO, 0, 1 }), "FIFO 1, but there are only 1");
    GOOD(*src, ((tw__csl_arg){ TW__CSL_ARG_DSR, TW__CSL_DSR_FILES - 1, TW__CSL_DSRS - 1 }));
    BAD(*src, ((tw__csl_arg){ TW__CSL_ARG_DSR, 0, TW__CSL_DSRS }), "DSR 32");
    BAD(*src, ((tw__csl_arg){ TW__CSL_ARG_DSR, TW__CSL_DSR_FILES, 0 }), "DSR file 3");
}

static void dsd_operations(void **state)
{
    (void)state;
    tw__csl_dsd_use *use = &p->uses[0];
    BAD(use->op, TW__CSL_DSD_OPS, "DSD operation"); /* also where no instruction names the row */
    *main_code(0) = wide(TW__CSL_I_DSDOP, 0, 0);
    BAD(use->op, TW__CSL_DSD_OPS, "does not exist");
    BOUND(use->priority, 3, "priority 4");
    BOUND(use->ut, TW__CSL_UTS - 1, "microthread 8");
    GOOD(use->ut, TW__CSL_NO_ID);
    BAD(use->ut, TW__CSL_NO_ID - 1, "microthread 254");
    GOOD(use->index, 60000);
    use->flags = TW__CSL_USE_INDEX;
    BOUND(use->index, REGS - 1, "index: registers 10 to 10");
}

static void actions_of(tw__csl_action *a, bool at_start)
{
    BAD(a->kind, TW__CSL_ACT_KINDS, "action kind 5");
    for (int k = 0; k < 2; k++) {
        a->kind = k ? TW__CSL_ACT_TERMINATE : TW__CSL_ACT_NONE;
        GOOD(a->at, 60000);
        BAD(a->in_register, 1, "an action without an id names a register");
    }
    a->kind = TW__CSL_ACT_ACTIVATE;
    BOUND(a->at, TW__CSL_TASK_IDS - 1, "task or queue id 64");
    a->kind = TW__CSL_ACT_UNBLOCK;
    BOUND(a->at, TW__CSL_TASK_IDS - 1, "task or queue id 64");
    if (at_start)
        BAD(a->in_register, 1, "an action at the start of the program names a register");
    else
        GOOD(a->in_register, 1);
    a->kind = TW__CSL_ACT_UNBLOCK_QUEUE;
    BOUND(a->at, TW__CSL_QUEUES - 1, "task or queue id 8");
    if (!at_start) {
        a->in_register = 1;
        BOUND(a->at, REGS - 1, "task id: registers 10 to 10");
    }
    *a = (tw__csl_action){ 0 };
}

static void actions(void **state)
{
    (void)state;
    *main_code(0) = wide(TW__CSL_I_DSDOP, 0, 0);
    *main_code(1) = wide(TW__CSL_I_LOAD_DSR, 0, 1);
    actions_of(&p->uses[0].done, false);
    actions_of(&p->uses[0].on_control, false);
    actions_of(&p->dsr_loads[1].done, false);
    actions_of(&p->dsr_loads[1].on_control, false);
    actions_of(&p->dsr_init[1].done, true);
    actions_of(&p->dsr_init[1].on_control, true);
}

static void dsr_loads(void **state)
{
    (void)state;
    *main_code(0) = wide(TW__CSL_I_LOAD_DSR, 0, 1);
    for (int start = 0; start < 2; start++) {
        tw__csl_dsr_load *load = start ? &p->dsr_init[1] : &p->dsr_loads[1];
        BOUND(load->file, TW__CSL_DSR_FILES - 1, "DSR file 3");
        BOUND(load->id, TW__CSL_DSRS - 1, "DSR 32");
        BOUND(load->ut, TW__CSL_UTS - 1, "microthread 8");
        GOOD(load->pair, REGS - 2);
        if (start)
            GOOD(load->pair, 60000);
        else
            BAD(load->pair, REGS - 1, "DSD: registers 9 to 10");
    }
}

static void maps(void **state)
{
    (void)state;
    *main_code(0) = wide(TW__CSL_I_MAP, 0, 0);
    tw__csl_map *map = &p->maps[0];
    tw__csl_function_code *f = &p->functions[CALLBACK];
    BAD(map->function, p->function_count, "function 3");
    BAD(map->function, 0, "@map of a function with 0 parameters");
    BAD(f->params, 3, "@map of a function with 3 parameters");
    BAD(f->params, 1, "@map of a function with 1 parameters");
    BAD(f->results, 0, "and 0 results");
    BAD(f->results, 2, "and 2 results");
    BOUND(map->input[0].at, REGS - 2, "@map operand: registers 9 to 10");
    BOUND(map->input[1].at, REGS - 1, "@map operand: registers 10 to 10");
    BOUND(map->output.at, REGS - 2, "@map operand: registers 9 to 10");
    GOOD(map->input[1].kind, TW__CSL_ARG_POINTER);
    BAD(map->input[1].kind, TW__CSL_ARG_FIFO, "@map input 1 of kind 3");
    BAD(map->input[1].kind, TW__CSL_ARG_NONE, "@map input 1 of kind 0");
    GOOD(map->output.kind, TW__CSL_ARG_POINTER);
    BAD(map->output.kind, TW__CSL_ARG_SCALAR, "@map output is neither DSD nor pointer");
    BAD(map->output.kind, TW__CSL_ARG_FIFO, "@map output is neither DSD nor pointer");
    BAD(map->input[0].file, TW__CSL_E_NONE, "@map element of type 0");
    BOUND(map->input[0].file, TW__CSL_E_F32, "@map element of type 5");
    BOUND(map->output.file, TW__CSL_E_F32, "@map element of type 5");
    map->input[0].kind = TW__CSL_ARG_DSR;
    BOUND(map->input[0].at, TW__CSL_DSRS - 1, "DSR 32");
    BOUND(map->input_file[0], TW__CSL_DSR_FILES - 1, "DSR file 3");
    map->output.kind = TW__CSL_ARG_DSR;
    BOUND(map->output.at, TW__CSL_DSRS - 1, "DSR 32");
    BOUND(map->output_file, TW__CSL_DSR_FILES - 1, "DSR file 3");
    map->output = (tw__csl_arg){ TW__CSL_ARG_KINDS, 99, 60000 };
    f->results = 3;
    GOOD(map->has_output, 0); /* then its row says nothing */
}

static void inputs_of_maps(void **state)
{
    (void)state;
    *main_code(0) = wide(TW__CSL_I_MAP, 0, 0);
    tw__csl_map *map = &p->maps[0];
    for (int i = 0; i < TW__CSL_MAP_INPUTS; i++) map->input[i] = (tw__csl_arg){ TW__CSL_ARG_SCALAR, 0, 0 };
    map->input_count = TW__CSL_MAP_INPUTS;
    p->functions[CALLBACK].params = TW__CSL_MAP_INPUTS;
    accepted("eight inputs");
    BAD(map->input[TW__CSL_MAP_INPUTS - 1].kind, TW__CSL_ARG_NONE, "@map input 7");
    map->input_count = p->functions[CALLBACK].params = TW__CSL_MAP_INPUTS + 1;
    refused("nine inputs", "@map with 9 inputs");
}

/* --- tables ----------------------------------------------------------------------------------------------------- */

static void task_rows(void **state)
{
    (void)state;
    BOUND(p->tasks[0].kind, TW__CSL_TASK_KINDS - 1, "task kind 3");
    BOUND(p->tasks[0].id, TW__CSL_TASK_IDS - 1, "task id 64");
    BOUND(p->tasks[0].function, 2, "function 3");
    BOUND(p->tasks[0].args, 2, "arguments of a task 3");
    while (p->task_count < 254) TW__CSL_PUSH(p, tasks, task);
    accepted("254 tasks");
    TW__CSL_PUSH(p, tasks, task);
    refused("255 tasks", "number of tasks 255");
}

static void handlers(void **state)
{
    (void)state;
    tw__csl_handler *h = &p->handlers[0];
    BOUND(h->function, 2, "function 3");
    BOUND(h->is_queue, 2, "kind of handler 3");
    BOUND(h->id, TW__CSL_COLORS - 1, "handler id 24");
    for (h->is_queue = 1; h->is_queue <= 2; h->is_queue++) BOUND(h->id, TW__CSL_QUEUES - 1, "handler id 8");
    h->is_queue = 0;
    BOUND(p->rotations[0].id, TW__CSL_TASK_IDS - 1, "task id 64");
    BOUND(p->rotations[0].main, 2, "function 3");
    BOUND(p->rotations[0].alternative, 2, "function 3");
    BOUND(p->inits[0].id_kind, TW__CSL_ID_KINDS - 1, "kind of id 3");
    BOUND(p->inits[0].id, TW__CSL_TASK_IDS - 1, "id 64");
    BOUND(p->inits[0].what, TW__CSL_INIT_UNBLOCK, "kind of initial state 3");
}

static void fifos(void **state)
{
    (void)state;
    tw__csl_fifo *f = &p->fifos[0];
    BOUND(f->address, TW__CSL_PE_BYTES - 8, "FIFO buffer: bytes 49145 to 49153");
    BOUND(f->bytes, TW__CSL_PE_BYTES - 200, "FIFO buffer");
    BAD(f->bytes, UINT32_MAX, "FIFO buffer");
    BAD(f->bytes, 0, "FIFO of 0 bytes");
    GOOD(f->elem_bytes, 4);
    BAD(f->elem_bytes, 0, "FIFO of 8 bytes");
    BAD(f->elem_bytes, 1, "FIFO of 8 bytes");
    BAD(f->elem_bytes, 3, "FIFO of 8 bytes");
    BAD(f->elem_bytes, 8, "FIFO of 8 bytes");
    BOUND(f->push_task, TW__CSL_TASK_IDS - 1, "task id 64");
    BOUND(f->pop_task, TW__CSL_TASK_IDS - 1, "task id 64");
    BAD(f->push_task, TW__CSL_NO_ID - 1, "task id 254");
    BOUND(f->simd, TW__CSL_SIMD_32_OR_64, "SIMD mode 4");
    BOUND(f->priority, TW__CSL_PRIORITY_HIGH, "priority 4");
    BOUND(f->empty_action, TW__CSL_FIFO_FAULT, "action of a FIFO 4");
    BOUND(f->full_action, TW__CSL_FIFO_FAULT, "action of a FIFO 4");
}

static void memory(void **state)
{
    (void)state;
    BAD(p->shapes[0].rank, 0, "mem4d DSD of rank 0");
    GOOD(p->shapes[0].rank, 1);
    BOUND(p->shapes[0].rank, 4, "mem4d DSD of rank 5");
    BOUND(p->segments[0].address, TW__CSL_PE_BYTES - 4, "data: bytes 49149 to 49153");
    BOUND(p->symbols[0].address, TW__CSL_PE_BYTES - 4, "symbol: bytes 49149 to 49153");
    BAD(p->symbols[0].bytes, UINT32_MAX, "symbol");
    BOUND(p->stack_address, TW__CSL_PE_BYTES - 1000, "stack: bytes 48153 to 49153");
    BOUND(p->stack_bytes, TW__CSL_PE_BYTES - 40000, "stack");
}

static void exports(void **state)
{
    (void)state;
    tw__csl_export *e = &p->exports[0];
    BOUND(e->name, 0, "exported name 1");
    BOUND(e->target, 0, "symbol 1");
    e->is_function = 1;
    BOUND(e->target, 2, "function 3");
    BAD(e->target, UINT32_MAX, "function");
    e->is_function = 0;
    e->target = UINT32_MAX;
    BOUND(e->pointer, TW__CSL_PE_BYTES - 2, "exported pointer: bytes 49151 to 49153");
}

static void queues(void **state)
{
    (void)state;
    tw__csl_queue *q = &p->queues[0];
    BOUND(q->id, TW__CSL_QUEUES - 1, "queue 8");
    BOUND(q->is_output, 1, "direction of a queue 2");
    BOUND(q->color, TW__CSL_COLORS - 1, "color 24");
    GOOD(q->color, TW__CSL_NO_ID);
    BAD(q->color, TW__CSL_NO_ID - 1, "color 254");
    BOUND(q->priority, 3, "priority 4");
    BOUND(q->control_base, TW__CSL_TASK_IDS - 1, "control table 64");
}

static void routes(void **state)
{
    (void)state;
    tw__csl_route *r = &image->routes[1];
    BOUND(r->color, TW__CSL_COLORS - 1, "color 24");
    BOUND(r->current, 3, "switch position 4");
    BOUND(r->pop, TW__CSL_POP_ON_ADVANCE_NOP, "pop mode 4");
    BOUND(r->filter.kind, TW__CSL_FILTER_SPARSE, "filter 4");
    BOUND(r->rx, 31, "directions 0x20");
    BOUND(r->tx, 31, "directions 0x20");
    for (int k = 0; k < 3; k++) {
        BOUND(r->pos_rx[k], 31, "directions 0x20");
        BOUND(r->pos_tx[k], 31, "directions 0x20");
    }
}

static void processing_elements(void **state)
{
    (void)state;
    tw__csl_pe *pe = &image->pes[1];
    BOUND(pe->program, 0, "program 1");
    GOOD(pe->program, UINT32_MAX);
    BOUND(pe->pool, 2, "constants of PE 1");
    BAD(pe->pool, UINT32_MAX, "constants of PE 1");
    BOUND(pe->route, 1, "routes of PE 1");
    BAD(pe->route_count, 2, "routes of PE 1");
    BAD(pe->route_count, UINT32_MAX, "routes of PE 1");
    image->routes[1].color = 1;
    pe->route = 0;
    pe->route_count = 2;
    accepted("two colors");
    BAD(image->routes[0].color, 1, "PE 1 has two routes for color 1");
}

/* --- the image -------------------------------------------------------------------------------------------------- */

static void resize(uint32_t width, uint32_t height, size_t count)
{
    tw__csl_pe none = { .program = UINT32_MAX };
    image->width = width;
    image->height = height;
    free(image->pes);
    image->pes = malloc(count * sizeof none);
    assert_non_null(image->pes);
    for (size_t i = 0; i < count; i++) image->pes[i] = none;
    image->pe_count = image->pe_room = count;
}

static void rectangle(void **state)
{
    (void)state;
    BAD(image->width, 0, "a rectangle of 0 x 1");
    BAD(image->height, 0, "a rectangle of 2 x 0");
    BAD(image->width, 3, "a rectangle of 3 x 1 with 2 PEs");
    BAD(image->width, 1, "a rectangle of 1 x 1 with 2 PEs");
    static const struct {
        uint32_t width, height;
        bool good;
    } rows[] = { { 8192, 1, true },  { 8193, 1, false },  { 1, 8192, true },
                 { 1, 8193, false }, { 8192, 512, true }, { 8192, 513, false } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        resize(rows[i].width, rows[i].height, (size_t)rows[i].width * rows[i].height);
        if (rows[i].good)
            accepted("a large rectangle");
        else
            refused("a larger rectangle", "a rectangle of");
    }
}

static void incomplete(void **state)
{
    (void)state;
    BAD(image->no_memory, 1, "incomplete");
    BAD(p->no_memory, 1, "program 'pe.csl': it is incomplete");
}

/* Twenty errors are named; all are counted. */
/* Lines are for people: one of a file that is not in the table is shown without it. */
static void lines_of_no_file(void **state)
{
    (void)state;
    *(tw__csl_line *)TW__CSL_PUSH(p, lines, line) = (tw__csl_line){ .at = 0, .file = 99, .line = 7, .column = 1 };
    accepted("a line of file 99");
    char *text = tw__csl_listing(image, 0);
    assert_non_null(strstr(text, "  ; :7\n"));
    free(text);
}

static void many_errors(void **state)
{
    (void)state;
    for (int i = 0; i < CODE - 1; i++) {
        p->code[i] = insn(TW__CSL_I_ADD_U16, REGS, REGS, REGS);
        p->code[CODE + i] = insn(TW__CSL_I_ADD_U16, REGS, REGS, REGS);
    }
    tw_diags *diags = tw_diags_new();
    assert_int_equal(tw__csl_verify(image, diags), TW_E_INVALID_ARGUMENT);
    assert_int_equal(tw_diags_count(diags, TW_ERROR), 20);
    assert_non_null(strstr(tw_error_message(), "42 errors"));
    assert_non_null(strstr(tw_diags_get(diags, 0)->message, "program 'pe.csl', function 'main', instruction 0: "));
    assert_non_null(strstr(tw_diags_get(diags, 19)->message, "instruction 6"));
    tw_diags_free(diags);
}

/* --- bytes ------------------------------------------------------------------------------------------------------ */

static unsigned char *bytes;
static size_t size;

static void encode(void)
{
    free(bytes);
    bytes = tw__csl_image_encode(image, &size);
    assert_non_null(bytes);
}

/* Where the value of a byte is stored: what differs when it is another one. */
#define OFFSET_OF(place, other)                \
    (__extension__({                           \
        encode();                              \
        unsigned char *one_ = bytes;           \
        bytes = NULL;                          \
        __typeof__(place) before_ = (place);   \
        (place) = (__typeof__(place))(other);  \
        encode();                              \
        (place) = before_;                     \
        size_t at_ = 0;                        \
        while (one_[at_] == bytes[at_]) at_++; \
        free(one_);                            \
        encode();                              \
        at_;                                   \
    }))

static void decodes(size_t length, const char *says)
{
    tw__csl_image *read = tw__csl_image_decode(bytes, length, "here");
    if (says && read) fail_msg("accepted, although %s", says);
    if (!says && !read) fail_msg("%s", tw_error_message());
    if (says) assert_non_null(strstr(tw_error_message(), says));
    tw__csl_image_free(read);
}

static void byte_is(size_t at, unsigned value, const char *says)
{
    unsigned char before = bytes[at];
    bytes[at] = (unsigned char)value;
    decodes(size, says);
    bytes[at] = before;
}

static void numbers_in_files(void **state)
{
    (void)state;
    size_t type = OFFSET_OF(p->symbols[0].type, TW_I32);
    byte_is(type, TW_TYPE_COUNT - 1, NULL);
    byte_is(type, TW_TYPE_COUNT, "it names an element type that does not exist");
    byte_is(type + 5, 9, "an array has more than eight dimensions");
    p->symbols[0].rank = 8;
    encode();
    decodes(size, NULL);
    size_t params = OFFSET_OF(image->exports[0].is_mutable, 1) + 5;
    byte_is(params, 16, "a function has more than 15 parameters");
    image->exports[0].param_count = 15;
    encode();
    decodes(size, NULL);
    size_t name = OFFSET_OF(p->symbols[0].name, "y");
    byte_is(name, 0, "a text has a zero in it");
    byte_is(name - 1, 0x10, "a text is longer than the file"); /* its length's highest byte */
    free(bytes);
    bytes = NULL;
}

/* The last table of a file is that of routes. */
static void ends_of_files(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) image->pes[i].route_count = image->pes[i].route = 0;
    image->route_count = 0;
    encode();
    decodes(size, NULL);
    decodes(size - 1, "it ends too early");
    bytes = realloc(bytes, size + 4);
    memset(bytes + size, 0, 4);
    decodes(size + 1, "it goes on after its end");
    bytes[size - 8] = 4; /* rows have a byte at least */
    decodes(size + 4, "it ends too early");
    bytes[size - 8] = 5;
    decodes(size + 4, "a table is longer than the file");
    free(bytes);
    bytes = NULL;
}

static void data_in_files(void **state)
{
    (void)state;
    tw__csl_segment *s = &p->segments[0];
    free(s->data);
    s->data = calloc(1, TW__CSL_PE_BYTES + 1);
    s->address = 0;
    s->bytes = TW__CSL_PE_BYTES;
    encode();
    decodes(size, NULL);
    s->bytes++;
    encode();
    decodes(size, "initial data is longer than the file or a PE");
    free(bytes);
    bytes = NULL;
}

/* Fields that share a byte keep their largest values. */
static void packed_fields(void **state)
{
    (void)state;
    tw__csl_fifo *f = &p->fifos[0];
    tw__csl_queue *q = &p->queues[0];
    for (int k = 0; k < 5; k++) {
        f->simd = k == 0 ? 3 : 0;
        f->empty_action = k == 1 ? 3 : 0;
        f->full_action = k == 2 ? 3 : 0;
        q->priority = k == 3 ? 3 : 0;
        q->control_base = k == 4 ? 63 : 0;
        tw__csl_queue queue = *q; /* writing changes nothing */
        tw__csl_fifo fifo = *f;
        encode();
        tw__csl_image *read = tw__csl_image_decode(bytes, size, "here");
        assert_non_null(read);
        assert_memory_equal(&read->programs[0].queues[0], &queue, sizeof queue);
        assert_int_equal(read->programs[0].fifos[0].simd, fifo.simd);
        assert_int_equal(read->programs[0].fifos[0].empty_action, fifo.empty_action);
        assert_int_equal(read->programs[0].fifos[0].full_action, fifo.full_action);
        tw__csl_image_free(read);
    }
    free(bytes);
    bytes = NULL;
}

/* Bytes of `length` from `at` on that a file does not hold: it is the same when they change. */
static unsigned lost(void *at, size_t length)
{
    unsigned count = 0;
    encode();
    unsigned char *whole = bytes;
    size_t whole_size = size;
    for (size_t i = 0; i < length; i++) {
        unsigned char *byte = (unsigned char *)at + i;
        *byte ^= 1;
        bytes = tw__csl_image_encode(image, &size); /* NULL: a value that no file may hold */
        *byte ^= 1;
        if (bytes && size == whole_size && memcmp(bytes, whole, size) == 0) count++;
        free(bytes);
    }
    bytes = whole;
    size = whole_size;
    return count;
}

/* Every number of every row is in the file; what is not is what rows have to spare. */
static void files_hold_all(void **state)
{
    (void)state;
    enum { TYPE = 3 }; /* an element type is a byte of its four */
    p->symbols[0].rank = 8;
    image->exports[0].param_count = 15;
    tw__csl_image_file(image, "file.csl");
#define LOST(row, spare) assert_int_equal(lost((row), sizeof *(row)), spare)
#define FROM(row, first, last, spare) \
    assert_int_equal(                 \
        lost(&(row)->first, offsetof(__typeof__(*(row)), last) - offsetof(__typeof__(*(row)), first)), spare)
    FROM(image, wse3, programs, 0);
    LOST(&image->pes[1], 0);
    LOST(&image->pool[3], 0);
    LOST(&image->routes[1], 1 + 2); /* of the filter */
    FROM(&image->exports[0], is_function, param_names, 16 * TYPE + 4);
    LOST(&p->code[0], 0);
    FROM(&p->functions[2], entry, line, 0);
    assert_int_equal(lost(&p->functions[2].line, 4), 0);
    LOST(&p->lines[0], 0);
    LOST(&p->consts[1], 0);
    LOST(&p->uses[0], 0);
    LOST(&p->maps[0], 3);
    LOST(&p->dsr_loads[1], 0);
    LOST(&p->dsr_init[1], 0);
    LOST(&p->shapes[0], 0);
    FROM(&p->symbols[0], address, type_text, TYPE + 4);
    FROM(&p->symbols[0], file, line, 0);
    assert_int_equal(lost(&p->symbols[0].line, 4), 0);
    LOST(&p->exports[0], 0);
    LOST(&p->tasks[0], 0);
    FROM(&p->fifos[0], address, spare, 0);
    LOST(&p->queues[0], 0);
    LOST(&p->declarations[0], 0);
    LOST(&p->configs[0], 0);
    LOST(&p->inits[0], 1);
    LOST(&p->rotations[0], 3);
    LOST(&p->handlers[0], 2);
    FROM(p, stack_address, pool_count, 0);
    assert_int_equal(lost(&p->pool_count, 4), 0);
    assert_int_equal(lost(p->segments[0].data, 4), 0);
    free(bytes);
    bytes = NULL;
}

/* Texts too, and that one of them is missing. */
static void files_hold_texts(void **state)
{
    (void)state;
    image->exports[0].param_names[0] = "n";
    tw__csl_image_file(image, "file.csl");
    const char **texts[] = {
        &p->name,          &p->functions[0].name,   &p->symbols[0].name,          &p->symbols[0].type_text,
        &p->fifos[0].name, &image->exports[0].name, &image->exports[0].type_text, &image->exports[0].param_names[0],
        &image->files[1]
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *before = *texts[i];
        *texts[i] = "another";
        encode();
        tw__csl_image *read = tw__csl_image_decode(bytes, size, "here");
        assert_non_null(read);
        const tw__csl_program *q = &read->programs[0];
        const char *const got[] = {
            q->name,          q->functions[0].name,  q->symbols[0].name,         q->symbols[0].type_text,
            q->fifos[0].name, read->exports[0].name, read->exports[0].type_text, read->exports[0].param_names[0],
            read->files[1]
        };
        assert_string_equal(got[i], "another");
        tw__csl_image_free(read);
        *texts[i] = before;
    }
    image->exports[0].param_names[0] = NULL;
    encode();
    tw__csl_image *read = tw__csl_image_decode(bytes, size, "here");
    assert_non_null(read);
    assert_null(read->exports[0].param_names[0]);
    tw__csl_image_free(read);
    free(bytes);
    bytes = NULL;
}

/* Each allocation that can fail while a file is read: it is refused and says why. */
static void no_memory_to_read(void **state)
{
    (void)state;
    encode();
    unsigned failed = 0;
    for (uint64_t n = 1; n < 500; n++) {
        tw__fail_allocation(n);
        tw__csl_image *read = tw__csl_image_decode(bytes, size, "here");
        bool reached = tw__fail_allocation(0) == 0;
        if (reached && !read) {
            failed++;
            assert_non_null(strstr(tw_error_message(), "memory"));
        }
        if (!reached) assert_non_null(read);
        tw__csl_image_free(read);
        if (!reached) break;
    }
    assert_true(failed > 20); /* a table each, and the data */
    free(bytes);
    bytes = NULL;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(good_image),
        TEST(registers_of_instructions),
        TEST(jumps),
        TEST(wide_operands),
        TEST(plain_operands),
        TEST(services),
        TEST(functions),
        TEST(operands_of_dsd_operations),
        TEST(dsd_operations),
        TEST(actions),
        TEST(dsr_loads),
        TEST(maps),
        TEST(inputs_of_maps),
        TEST(task_rows),
        TEST(handlers),
        TEST(fifos),
        TEST(memory),
        TEST(exports),
        TEST(queues),
        TEST(routes),
        TEST(processing_elements),
        TEST(rectangle),
        TEST(incomplete),
        TEST(lines_of_no_file),
        TEST(many_errors),
        TEST(numbers_in_files),
        TEST(ends_of_files),
        TEST(data_in_files),
        TEST(packed_fields),
        TEST(files_hold_all),
        TEST(files_hold_texts),
        TEST(no_memory_to_read),
    };
    return cmocka_run_group_tests_name("csl_verify", tests, NULL, NULL);
}
