/* SPDX-License-Identifier: MIT */
/* The verifier of program images, rule by rule: the last value that is legal passes, the first one that is not is
 * refused by what the rule says. */
#include "whole_image.h"

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
        { TW__CSL_I_TAIL, 2, "function 3" },
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
    enum { ALL = TW__CSL_SERVICE_LINK + 1 }; /* the last row of the table */
    INSN_GOOD(insn(TW__CSL_I_SYS, REGS - 1, TW__CSL_SERVICE_LAYOUT_X, 0));
    INSN_BAD(insn(TW__CSL_I_SYS, REGS, TW__CSL_SERVICE_LAYOUT_X, 0), "registers");
    INSN_GOOD(insn(TW__CSL_I_SYS, REGS - 2, TW__CSL_SERVICE_POW, 2));
    INSN_BAD(insn(TW__CSL_I_SYS, REGS - 1, TW__CSL_SERVICE_POW, 2), "registers 9 to 10");
    INSN_BAD(insn(TW__CSL_I_SYS, 0, TW__CSL_SERVICE_POW, 1), "with 1 arguments");
    INSN_BAD(insn(TW__CSL_I_SYS, 0, TW__CSL_SERVICE_POW, 3), "with 3 arguments");
    INSN_BAD(insn(TW__CSL_I_SYS, 0, TW__CSL_SERVICE_H2D, 2), "is a declaration");
    INSN_GOOD(insn(TW__CSL_I_SYS, 0, TW__CSL_SERVICE_MESSAGE_RECEIVE, 0));
    INSN_BAD(insn(TW__CSL_I_SYS, 0, ALL - 1, 0), "is a declaration");
    INSN_BAD(insn(TW__CSL_I_SYS, 0, ALL, 0), "service 29, but there are only 29");
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
    };
    return cmocka_run_group_tests_name("csl_verify", tests, NULL, NULL);
}
