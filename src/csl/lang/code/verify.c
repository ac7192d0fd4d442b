/* SPDX-License-Identifier: MIT */
/* verify: everything the machine relies on, checked once. After this no instruction can reach outside its frame, its
 * tables or its function; addresses, ids and values that programs compute are the machine's own business. */
#include "csl/lang/code/image.h"

#include <glib.h>
#include <string.h>

enum { MOST_ERRORS = 20, MOST_SIDE = 8192, MOST_PES = 1 << 22 };

typedef struct check {
    const tw__csl_image *image;
    tw_diags *diags;
    const tw__csl_program *p; /* NULL: the image itself */
    const tw__csl_function_code *f;
    uint32_t at; /* instruction, from the function's start */
    unsigned errors;
} check;

static void bad(check *c, const char *format, ...) TW_PRINTF(2, 3);
static void bad(check *c, const char *format, ...)
{
    if (c->errors++ >= MOST_ERRORS) return;
    va_list args;
    va_start(args, format);
    char *what = g_strdup_vprintf(format, args);
    va_end(args);
    char *text = c->f   ? g_strdup_printf("faulty image: program '%s', function '%s', instruction %u: %s",
                                        c->p->name ? c->p->name : "", c->f->name ? c->f->name : "", c->at, what)
                 : c->p ? g_strdup_printf("faulty image: program '%s': %s", c->p->name ? c->p->name : "", what)
                        : g_strdup_printf("faulty image: %s", what);
    tw_diag diag = { .file = "", .length = 1, .severity = TW_ERROR, .code = "csl.image", .message = text };
    tw_diags_add(c->diags, &diag);
    g_free(what);
    g_free(text);
}

static void below(check *c, const char *what, uint64_t value, uint64_t limit)
{
    if (value >= limit)
        bad(c, "%s %llu, but there are only %llu", what, (unsigned long long)value, (unsigned long long)limit);
}

/* `count` registers from `first` on lie in the frame. */
static void registers(check *c, const char *what, uint32_t first, uint32_t count)
{
    if ((uint64_t)first + count > c->f->registers)
        bad(c, "%s: registers %u to %u of a frame of %u", what, first, first + count - 1, c->f->registers);
}

static void memory(check *c, const char *what, uint64_t address, uint64_t bytes)
{
    if (address + bytes > TW__CSL_PE_BYTES)
        bad(c, "%s: bytes %llu to %llu of a memory of %u", what, (unsigned long long)address,
            (unsigned long long)(address + bytes), TW__CSL_PE_BYTES);
}

/* --- rows that instructions name ------------------------------------------------------------------------------ */

static void action(check *c, const tw__csl_action *a, bool may_be_register)
{
    below(c, "action kind", a->kind, TW__CSL_ACT_KINDS);
    if (a->kind == TW__CSL_ACT_NONE || a->kind == TW__CSL_ACT_TERMINATE) { /* the machine looks there in any case */
        if (a->in_register) bad(c, "an action without an id names a register");
        return;
    }
    if (!a->in_register)
        below(c, "task or queue id", a->at,
              a->kind == TW__CSL_ACT_UNBLOCK_QUEUE ? TW__CSL_QUEUES : TW__CSL_TASK_IDS);
    else if (!may_be_register)
        bad(c, "an action at the start of the program names a register");
    else
        registers(c, "task id", a->at, 1);
}

static void argument(check *c, tw__csl_arg arg, unsigned k, unsigned type)
{
    bool dst = k == 0, scalar_only = k == 3;
    below(c, "operand kind", arg.kind, TW__CSL_ARG_KINDS);
    bool none = arg.kind == TW__CSL_ARG_NONE;
    if (none != (type == TW__CSL_E_NONE)) bad(c, "operand %u is %s", k, none ? "missing" : "one too many");
    bool scalar = arg.kind == TW__CSL_ARG_SCALAR, pointer = arg.kind == TW__CSL_ARG_POINTER;
    if (!none && ((dst && scalar) || (!dst && pointer) || (scalar_only && !scalar)))
        bad(c, "operand %u is of a kind it cannot be", k);
    switch ((tw__csl_operand_kind)arg.kind) {
    case TW__CSL_ARG_DSD: registers(c, "DSD operand", arg.at, 2); break;
    case TW__CSL_ARG_SCALAR:
    case TW__CSL_ARG_POINTER: registers(c, "operand", arg.at, 1); break;
    case TW__CSL_ARG_FIFO: below(c, "FIFO", arg.at, c->p->fifo_count); break;
    case TW__CSL_ARG_DSR:
        below(c, "DSR", arg.at, TW__CSL_DSRS);
        below(c, "DSR file", arg.file, TW__CSL_DSR_FILES);
        break;
    case TW__CSL_ARG_NONE:
    case TW__CSL_ARG_KINDS: break;
    }
}

static void dsd_use(check *c, const tw__csl_dsd_use *use)
{
    if (use->op >= TW__CSL_DSD_OPS) {
        bad(c, "DSD operation %u does not exist", use->op);
        return;
    }
    for (unsigned k = 0; k < 4; k++) argument(c, use->arg[k], k, tw__csl_dsd_op_rows[use->op].type[k]);
    below(c, "priority", use->priority, 4);
    if (use->ut != TW__CSL_NO_ID) below(c, "microthread", use->ut, TW__CSL_UTS);
    if (use->flags & TW__CSL_USE_INDEX) registers(c, "index", use->index, 1);
    if (use->flags & TW__CSL_USE_FOLD) {
        registers(c, "address of a value", use->from, 1);
        if (use->arg[0].kind != TW__CSL_ARG_POINTER || use->arg[1].kind != TW__CSL_ARG_SCALAR)
            bad(c, "a fold of other operands than a pointer and a value");
    }
    action(c, &use->done, true);
    action(c, &use->on_control, true);
}

static void map_row(check *c, const tw__csl_map *map)
{
    below(c, "function", map->function, c->p->function_count);
    if (map->input_count > TW__CSL_MAP_INPUTS || map->function >= c->p->function_count) {
        bad(c, "@map with %u inputs", map->input_count);
        return;
    }
    const tw__csl_function_code *f = &c->p->functions[map->function];
    if (f->params != map->input_count || (map->has_output && f->results != 1))
        bad(c, "@map of a function with %u parameters and %u results on %u inputs", f->params, f->results,
            map->input_count);
    for (unsigned k = 0; k <= map->input_count; k++) {
        bool output = k == map->input_count;
        if (output && !map->has_output) break;
        tw__csl_arg arg = output ? map->output : map->input[k];
        unsigned file = output ? map->output_file : map->input_file[k];
        bool dsd = arg.kind == TW__CSL_ARG_DSD || arg.kind == TW__CSL_ARG_DSR;
        if (arg.kind == TW__CSL_ARG_DSR) {
            below(c, "DSR", arg.at, TW__CSL_DSRS);
            below(c, "DSR file", file, TW__CSL_DSR_FILES);
        } else {
            registers(c, "@map operand", arg.at, arg.kind == TW__CSL_ARG_DSD ? 2 : 1);
        }
        if (dsd || output) {
            if (arg.file == TW__CSL_E_NONE || arg.file > TW__CSL_E_F32) bad(c, "@map element of type %u", arg.file);
            if (!dsd && arg.kind != TW__CSL_ARG_POINTER) bad(c, "@map output is neither DSD nor pointer");
        } else if (arg.kind != TW__CSL_ARG_SCALAR && arg.kind != TW__CSL_ARG_POINTER) {
            bad(c, "@map input %u of kind %u", k, arg.kind);
        }
    }
}

static void dsr_load(check *c, const tw__csl_dsr_load *load, bool at_start)
{
    below(c, "DSR file", load->file, TW__CSL_DSR_FILES);
    below(c, "DSR", load->id, TW__CSL_DSRS);
    if (load->ut != TW__CSL_NO_ID) below(c, "microthread", load->ut, TW__CSL_UTS);
    if (!at_start) registers(c, "DSD", load->pair, 2);
    action(c, &load->done, !at_start);
    action(c, &load->on_control, !at_start);
}

static void service(check *c, tw__csl_insn i)
{
    static const struct {
        const char *arguments, *when;
    } rows[] = {
#define X(name, text, result, arguments, when, what) { arguments, #when },
#include "csl/lang/code/service.def"
#undef X
    };
    below(c, "service", i.b, sizeof rows / sizeof *rows);
    if (i.b >= sizeof rows / sizeof *rows) return;
    if (rows[i.b].when[0] != 'R') bad(c, "service %u is a declaration, not an instruction", i.b);
    if (strlen(rows[i.b].arguments) != i.c) bad(c, "service %u with %u arguments", i.b, i.c);
    registers(c, "service", i.a, i.c > 1 ? i.c : 1);
}

/* --- instructions --------------------------------------------------------------------------------------------- */

static void jump(check *c, int64_t distance)
{
    int64_t target = (int64_t)c->at + 1 + distance;
    if (target < 0 || target >= (int64_t)c->f->count)
        bad(c, "jump to %lld of a function of %u instructions", (long long)target, c->f->count);
}

static void wide_operand(check *c, char role, uint32_t value)
{
    switch (role) {
    case 'J': jump(c, (int32_t)value); break;
    case 'A': below(c, "address", value, 0x10000); break;
    case 'U': below(c, "offset", value, 0x10000); break;
    case 'K': below(c, "constant", value, c->p->const_count); break;
    case 'L': below(c, "constant", (uint64_t)value + 1, c->p->const_count); break;
    case 'P': below(c, "constant of the PE", value, c->p->pool_count); break;
    case 'Q': below(c, "constant of the PE", (uint64_t)value + 1, c->p->pool_count); break;
    case 'F': below(c, "function", value, c->p->function_count); break;
    case 'X':
        below(c, "DSD use", value, c->p->use_count);
        if (value < c->p->use_count) dsd_use(c, &c->p->uses[value]);
        break;
    case 'M':
        below(c, "map", value, c->p->map_count);
        if (value < c->p->map_count) map_row(c, &c->p->maps[value]);
        break;
    case 'R':
        below(c, "DSR load", value, c->p->dsr_load_count);
        if (value < c->p->dsr_load_count) dsr_load(c, &c->p->dsr_loads[value], false);
        break;
    }
}

static void instruction(check *c, tw__csl_insn i)
{
    if (i.op >= TW__CSL_OPS) return; /* program() says so */
    const tw__csl_op_row *row = &tw__csl_op_rows[i.op];
    const uint16_t values[3] = { i.a, i.b, i.c };
    for (unsigned k = 0; k < 3; k++) {
        char role = row->operands[k];
        if (role == 'd' || role == 's' || role == 'w') registers(c, row->name, values[k], 1);
        if (role == 'D' || role == 'S') registers(c, row->name, values[k], 2);
        if (role == 'j') jump(c, (int16_t)values[k]);
        if (role >= 'A' && role <= 'Z' && role != 'D' && role != 'S') wide_operand(c, role, tw__csl_wide(i));
    }
    if (i.op == TW__CSL_I_FIFO_READ_LENGTH || i.op == TW__CSL_I_FIFO_WRITE_LENGTH)
        below(c, "FIFO", i.a, c->p->fifo_count);
    if (i.op == TW__CSL_I_BLOCK || i.op == TW__CSL_I_UNBLOCK) below(c, "kind of id", i.b, TW__CSL_ID_KINDS);
    if (i.op == TW__CSL_I_TRAP) below(c, "trap", tw__csl_wide(i), TW__CSL_TRAPS);
    if (i.op >= TW__CSL_I_UDIVC && i.op <= TW__CSL_I_SREMC && i.c == 0) bad(c, "%s by 0", row->name);
    if (i.op == TW__CSL_I_SYS) service(c, i);
}

static bool ends_flow(uint16_t op)
{
    return op == TW__CSL_I_RET || op == TW__CSL_I_TAIL || op == TW__CSL_I_JMP || op == TW__CSL_I_TRAP;
}

/* The machine reads the registers of indices before the instructions that they belong to. */
static void indices(check *c)
{
    const tw__csl_program *p = c->p;
    size_t low = 0, high = p->index_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (p->indices[middle].at < c->f->entry)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < p->index_count && p->indices[low].at - c->f->entry < c->f->count; low++) {
        c->at = p->indices[low].at - c->f->entry;
        registers(c, "index", p->indices[low].reg, 1);
    }
}

static void function(check *c)
{
    const tw__csl_function_code *f = c->f;
    c->at = 0;
    if (f->count == 0 || (uint64_t)f->entry + f->count > c->p->code_count) {
        bad(c, "code %u to %llu of %zu instructions", f->entry, (unsigned long long)f->entry + f->count,
            c->p->code_count);
        return;
    }
    if (f->registers > UINT16_MAX || f->params > f->registers || f->results > f->registers)
        bad(c, "%u registers for %u parameters and %u results", f->registers, f->params, f->results);
    for (c->at = 0; c->at < f->count; c->at++) instruction(c, c->p->code[f->entry + c->at]);
    indices(c);
    c->at = f->count - 1;
    if (!ends_flow(c->p->code[f->entry + c->at].op)) bad(c, "the code runs past the end of the function");
}

/* --- tables --------------------------------------------------------------------------------------------------- */

static void tasks(check *c)
{
    const tw__csl_program *p = c->p;
    below(c, "number of tasks", p->task_count, 255);
    for (size_t k = 0; k < p->task_count; k++) {
        const tw__csl_task *t = &p->tasks[k];
        below(c, "task kind", t->kind, TW__CSL_TASK_KINDS);
        below(c, "task id", t->id, TW__CSL_TASK_IDS);
        below(c, "function", t->function, p->function_count);
        below(c, "arguments of a task", t->args, 3);
    }
    for (size_t k = 0; k < p->handler_count; k++) {
        below(c, "kind of handler", p->handlers[k].is_queue, 3);
        below(c, "handler id", p->handlers[k].id, p->handlers[k].is_queue ? TW__CSL_QUEUES : TW__CSL_COLORS);
        below(c, "function", p->handlers[k].function, p->function_count);
    }
    for (size_t k = 0; k < p->rotation_count; k++) {
        below(c, "task id", p->rotations[k].id, TW__CSL_TASK_IDS);
        below(c, "function", p->rotations[k].main, p->function_count);
        below(c, "function", p->rotations[k].alternative, p->function_count);
    }
    for (size_t k = 0; k < p->init_count; k++) {
        below(c, "kind of id", p->inits[k].id_kind, TW__CSL_ID_KINDS);
        below(c, "id", p->inits[k].id, TW__CSL_TASK_IDS);
        below(c, "kind of initial state", p->inits[k].what, TW__CSL_INIT_UNBLOCK + 1);
    }
}

static void fifos(check *c)
{
    for (size_t k = 0; k < c->p->fifo_count; k++) {
        const tw__csl_fifo *f = &c->p->fifos[k];
        memory(c, "FIFO buffer", f->address, f->bytes);
        if ((f->elem_bytes != 2 && f->elem_bytes != 4) || f->bytes == 0) bad(c, "FIFO of %u bytes", f->bytes);
        if (f->push_task != TW__CSL_NO_ID) below(c, "task id", f->push_task, TW__CSL_TASK_IDS);
        if (f->pop_task != TW__CSL_NO_ID) below(c, "task id", f->pop_task, TW__CSL_TASK_IDS);
        below(c, "SIMD mode", f->simd, 4);
        below(c, "priority", f->priority, 4);
        below(c, "action of a FIFO", f->empty_action, TW__CSL_FIFO_FAULT + 1);
        below(c, "action of a FIFO", f->full_action, TW__CSL_FIFO_FAULT + 1);
    }
}

static void program(check *c)
{
    const tw__csl_program *p = c->p;
    for (size_t k = 0; k < p->index_count; k++)
        if (p->indices[k].at >= p->code_count || (k && p->indices[k].at < p->indices[k - 1].at))
            bad(c, "index %zu is out of order", k);
    for (size_t k = 0; k < p->frame_count; k++) below(c, "frame", p->frames[k].outer, k + 1);
    for (size_t k = 0; k < p->line_count; k++) below(c, "frame", p->lines[k].frame, p->frame_count + 1);
    for (size_t k = 0; k < p->code_count; k++) /* all: what lies between functions is decoded, too */
        if (p->code[k].op >= TW__CSL_OPS) bad(c, "instruction %zu: opcode %u does not exist", k, p->code[k].op);
    for (size_t k = 0; k < p->function_count; k++) {
        c->f = &p->functions[k];
        function(c);
    }
    c->f = NULL;
    for (size_t k = 0; k < p->use_count; k++) below(c, "DSD operation", p->uses[k].op, TW__CSL_DSD_OPS);
    for (size_t k = 0; k < p->shape_count; k++)
        if (p->shapes[k].rank < 1 || p->shapes[k].rank > 4) bad(c, "mem4d DSD of rank %u", p->shapes[k].rank);
    for (size_t k = 0; k < p->segment_count; k++) memory(c, "data", p->segments[k].address, p->segments[k].bytes);
    for (size_t k = 0; k < p->symbol_count; k++) memory(c, "symbol", p->symbols[k].address, p->symbols[k].bytes);
    memory(c, "stack", p->stack_address, p->stack_bytes);
    for (size_t k = 0; k < p->export_count; k++) {
        const tw__csl_export *e = &p->exports[k];
        below(c, "exported name", e->name, c->image->export_count);
        if (e->is_function)
            below(c, "function", e->target, p->function_count);
        else if (e->target != UINT32_MAX)
            below(c, "symbol", e->target, p->symbol_count);
        else
            memory(c, "exported pointer", e->pointer, 2);
    }
    for (size_t k = 0; k < p->queue_count; k++) {
        below(c, "queue", p->queues[k].id, TW__CSL_QUEUES);
        below(c, "direction of a queue", p->queues[k].is_output, 2);
        if (p->queues[k].color != TW__CSL_NO_ID) below(c, "color", p->queues[k].color, TW__CSL_COLORS);
        below(c, "priority", p->queues[k].priority, 4);
        below(c, "control table", p->queues[k].control_base, TW__CSL_TASK_IDS);
    }
    for (size_t k = 0; k < p->dsr_init_count; k++) dsr_load(c, &p->dsr_init[k], true);
    tasks(c);
    fifos(c);
}

static void route(check *c, const tw__csl_route *r)
{
    below(c, "color", r->color, TW__CSL_COLORS);
    below(c, "switch position", r->current, 4);
    below(c, "pop mode", r->pop, 4);
    below(c, "filter", r->filter.kind, TW__CSL_FILTER_SPARSE + 1);
    unsigned masks = r->rx | r->tx;
    for (unsigned k = 0; k < 3; k++) masks |= r->pos_rx[k] | r->pos_tx[k];
    if (masks > 31) bad(c, "directions 0x%x of color %u", masks, r->color);
}

static void pes(check *c)
{
    const tw__csl_image *image = c->image;
    for (size_t k = 0; k < image->pe_count; k++) {
        const tw__csl_pe *pe = &image->pes[k];
        if ((uint64_t)pe->route + pe->route_count > image->route_count) bad(c, "routes of PE %zu", k);
        if ((uint64_t)pe->route + pe->route_count <= image->route_count) {
            uint32_t colors = 0;
            for (uint32_t r = 0; r < pe->route_count; r++) {
                uint32_t bit = 1u << (image->routes[pe->route + r].color & 31);
                if (colors & bit)
                    bad(c, "PE %zu has two routes for color %u", k, image->routes[pe->route + r].color);
                colors |= bit;
            }
        }
        if (pe->program == UINT32_MAX) continue;
        below(c, "program", pe->program, image->program_count);
        if (pe->program < image->program_count &&
            (uint64_t)pe->pool + image->programs[pe->program].pool_count > image->pool_count)
            bad(c, "constants of PE %zu", k);
        if (c->errors > MOST_ERRORS) return;
    }
}

tw_status tw__csl_verify(const tw__csl_image *image, tw_diags *diags)
{
    check c = { .image = image, .diags = diags };
    if (image->no_memory) bad(&c, "it is incomplete: memory ran out while it was made");
    if (image->width == 0 || image->height == 0 || image->width > MOST_SIDE || image->height > MOST_SIDE ||
        (uint64_t)image->width * image->height > MOST_PES ||
        image->pe_count != (uint64_t)image->width * image->height)
        bad(&c, "a rectangle of %u x %u with %zu PEs", image->width, image->height, image->pe_count);
    for (size_t k = 0; k < image->route_count; k++) route(&c, &image->routes[k]);
    for (size_t k = 0; k < image->program_count; k++) {
        c.p = &image->programs[k];
        if (c.p->no_memory) bad(&c, "it is incomplete: memory ran out while it was made");
        program(&c);
    }
    c.p = NULL;
    pes(&c);
    return c.errors ? tw__fail(TW_E_INVALID_ARGUMENT, "faulty program image: %u errors", c.errors) : TW_OK;
}
