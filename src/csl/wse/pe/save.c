/* SPDX-License-Identifier: MIT */
/* save: a processing element as part of a checkpoint. Tables say what of each struct is in the file; the walk below
 * writes it and reads it into a PE as it starts. What stands for something of the program is its number there; what
 * follows from the program, or from other fields, is not in the file. sound.c looks at what was read. */
#include "csl/wse/pe/pe.h"

#include <stdlib.h>

#define ONE(field, most) TW__CK_ONE(THIS, field, most)
#define ALL(field, most) TW__CK_ALL(THIS, field, most)
#define NOT(field)       TW__CK_NOT(THIS, field)
#define ANY              TW__CK_ANY
#define ROWS(rows)       (rows), sizeof(rows) / sizeof *(rows)

enum { MOST_LINE = 4096, MOST_ROOM = 1 << 21, MOST_DEPTH = 4096, MOST_COMMANDS = 1 << 24, CONFIG_WORDS = 512 };
enum { DSRS = TW__CSL_DSR_FILES * TW__CSL_DSRS, QUEUES = TW__WSE_DIRECT + TW__CSL_COLORS };

#define THIS tw__pe
static const tw__ck_field pe_rows[] = {
    ONE(busy, ANY),
    ONE(main_busy, ANY),
    ONE(active, ANY),
    ONE(blocked, ANY),
    ONE(in_busy, ANY),
    ONE(in_taken, ANY),
    ONE(out_full, ANY),
    ONE(teardown_pending, (1u << TW__CSL_COLORS) - 1),
    ONE(op_active, ANY),
    ONE(ut_blocked, ANY),
    ONE(ut_ready, ANY),
    ONE(ut_fresh, ANY),
    ONE(main_state, TW__MAIN_STALL),
    ONE(last_ut, 7),
    ALL(flush_pending, ANY),
    ONE(ut_medium, ANY),
    ONE(ut_high, ANY),
    ONE(main_priority, ANY),
    ONE(task_id, TW__WSE_HOST_TASK),
    ONE(stream_open, 1),
    ONE(host_running, 1),
    ONE(unmasked, ANY),
    ONE(tsc_on, 1),
    NOT(memory),
    NOT(ports),
    ALL(in_of_color, QUEUES),
    ALL(out_of_color, QUEUES),
    NOT(op),
    NOT(program),
    NOT(commands),
    NOT(commands_end),
    NOT(pool),
    NOT(regs),
    NOT(frames),
    ONE(pc, ANY),
    ONE(base, ANY),
    ALL(ut_in, ANY),
    ALL(ut_out, ANY),
    NOT(in_queue),
    NOT(out_queue),
    NOT(reg_room),
    NOT(frame_room),
    NOT(depth),
    ONE(stack, ANY),
    ONE(stack_end, ANY),
    ONE(entered, ANY),
    ONE(said, ANY),
    ONE(transform_mask, ANY),
    ONE(prng, ANY),
    ONE(carry, ANY),
    ALL(flushed, ANY),
    ONE(loaded, 1),
    ALL(rotation, ANY),
    ONE(task_start, ANY),
    ONE(high_priority, ANY),
    ONE(task_function, ANY),
    NOT(map),
    NOT(dsr),
    NOT(fifo),
    ONE(lfsr, ANY),
    ONE(tsc_base, ANY),
    ONE(random, ANY),
    ONE(printing, ANY),
    ONE(print_lines, ANY),
    ONE(print_left, ANY),
    ONE(print_cycle, ANY),
    NOT(line),
    NOT(line_count),
    NOT(line_room),
    NOT(config),
    NOT(mail),
};
#undef THIS
#define THIS tw__queue
static const tw__ck_field queue_rows[] = {
    ONE(color, TW__CSL_COLORS - 1),
    ONE(depth, TW__WSE_RING),
    ONE(head, TW__WSE_RING - 1),
    ONE(count, TW__WSE_RING),
    ONE(op, TW__WSE_MAIN + 1),
    ONE(priority, TW__CSL_PRIORITY_HIGH),
    ONE(control_base, ANY),
    ONE(initialised, 1),
    ALL(payload, ANY),
    ALL(colors, TW__CSL_COLORS - 1),
    ALL(flags, 15),
};
#undef THIS
#define THIS tw__opnd
static const tw__ck_field opnd_rows[] = {
    ONE(kind, TW__O_FIFO),
    ONE(size, 4),
    ONE(flags, ANY),
    ONE(simd, TW__CSL_SIMD_32_OR_64),
    ONE(queue, QUEUES - 1),
    ONE(half, 1),
    ONE(fifo, ANY),
    ONE(index, ANY),
    ONE(held, ANY),
    ONE(length, ANY),
    ONE(dsr, ANY),
    ONE(at, ANY),
    ONE(stride, ANY),
    ONE(low, TW__CSL_PE_BYTES),
    ONE(high, TW__CSL_PE_BYTES),
    ONE(scalar, ANY),
    NOT(walk),
};
#undef THIS
#define THIS tw__op
static const tw__ck_field op_rows[] = {
    ONE(active, 1),
    ONE(slot, TW__WSE_MAIN),
    ONE(code, TW__CSL_DSD_OPS - 1),
    ONE(straight, TW__STRAIGHT_OUT),
    ONE(size, 4),
    ONE(queue, QUEUES - 1),
    ONE(flags, 15),
    ONE(last_flags, 15),
    ONE(length, TW__CSL_UNBOUNDED),
    ONE(done, ANY),
    ONE(at, ANY),
    ONE(stride, ANY),
    ONE(high, ANY),
    ONE(pc, ANY),
    ONE(ready_at, ANY),
    ONE(start, ANY),
    NOT(use),
    ONE(async, 1),
    ONE(priority, TW__CSL_PRIORITY_HIGH),
    ONE(on_kind, TW__CSL_ACT_KINDS - 1),
    ONE(done_kind, TW__CSL_ACT_KINDS - 1),
    ONE(result, 1),
    ONE(zero_which, 2),
    ONE(width, ANY),
    ONE(result_reg, ANY),
    ONE(on_at, ANY),
    ONE(done_at, ANY),
    NOT(arg),
    NOT(zero),
};
#undef THIS
#define THIS tw__dsr
static const tw__ck_field dsr_rows[] = {
    ONE(dsd.kind, ANY),
    ONE(dsd.flags, ANY),
    ONE(dsd.simd, ANY),
    ONE(dsd.priority, ANY),
    ONE(dsd.length, ANY),
    ONE(dsd.base, ANY),
    ONE(dsd.stride, ANY),
    ONE(dsd.color, ANY),
    ONE(dsd.queue, ANY),
    ONE(dsd.shape, ANY),
    ONE(dsd.object, ANY),
    ONE(loaded, 1),
    ONE(async, 1),
    ONE(ut, ANY),
    ONE(flags, ANY),
    ONE(done.kind, TW__CSL_ACT_KINDS - 1),
    ONE(done.in_register, 1),
    ONE(done.at, ANY),
    ONE(on_control.kind, TW__CSL_ACT_KINDS - 1),
    ONE(on_control.in_register, 1),
    ONE(on_control.at, ANY),
};
#undef THIS
#define THIS tw__fifo_state
static const tw__ck_field fifo_rows[] = {
    ONE(head, TW__CSL_PE_BYTES), ONE(count, TW__CSL_PE_BYTES), ONE(need_space, ANY), ONE(need_data, ANY),
    ONE(read_length, ANY),       ONE(write_length, ANY),       ONE(read_set, 1),     ONE(write_set, 1),
};
#undef THIS
#define THIS tw__frame
static const tw__ck_field frame_rows[] = { ONE(pc, ANY), ONE(base, ANY), ONE(stack, ANY) };
#undef THIS
#define THIS tw__map_state
static const tw__ck_field map_rows[] = {
    NOT(outer), NOT(map),    ONE(depth, MOST_DEPTH), ONE(pc, ANY), ONE(called, 1), ALL(scalar, ANY),
    NOT(input), NOT(output),
};
#undef THIS
#define THIS tw__command
static const tw__ck_field command_rows[] = { NOT(next), ONE(function, ANY), ONE(count, 16), ALL(args, ANY) };
#undef THIS
#define THIS tw__port
static const tw__ck_field port_rows[] = {
    NOT(next), ONE(side, TW__WSE_R), ONE(color, TW__CSL_COLORS - 1), ONE(out, 1), NOT(words), NOT(head), NOT(count),
    NOT(room),
};
#undef THIS
/* Pointers into memory, and at a view, are told apart. */
#define THIS tw__walk_state
static const tw__ck_field walk_rows[] = {
    NOT(view.base),
    ONE(view.type, ANY),
    ONE(view.rank, TW_VIEW_RANK),
    ALL(view.extent, ANY),
    ALL(view.stride, ANY),
    NOT(walk.views),
    ONE(walk.view_count, 1),
    ONE(walk.view, 1),
    ONE(walk.end, TW_WALK_RING),
    ONE(walk.position, ANY),
    ONE(walk.rank, TW_VIEW_RANK),
    NOT(walk.at),
    ALL(walk.index, ANY),
    ALL(walk.extent, ANY),
    ALL(walk.stride, ANY),
};
#undef THIS

const tw__ck_table tw__wse_pe_tables[] = {
    { "tw__pe", sizeof(tw__pe), ROWS(pe_rows) },
    { "tw__queue", sizeof(tw__queue), ROWS(queue_rows) },
    { "tw__opnd", sizeof(tw__opnd), ROWS(opnd_rows) },
    { "tw__op", sizeof(tw__op), ROWS(op_rows) },
    { "tw__dsr", sizeof(tw__dsr), ROWS(dsr_rows) },
    { "tw__fifo_state", sizeof(tw__fifo_state), ROWS(fifo_rows) },
    { "tw__frame", sizeof(tw__frame), ROWS(frame_rows) },
    { "tw__map_state", sizeof(tw__map_state), ROWS(map_rows) },
    { "tw__command", sizeof(tw__command), ROWS(command_rows) },
    { "tw__port", sizeof(tw__port), ROWS(port_rows) },
    { "tw__walk_state", sizeof(tw__walk_state), ROWS(walk_rows) },
    { NULL, 0, NULL, 0 },
};

/* --- operations ------------------------------------------------------------------------------------------------- */

static void walk_pointer(tw__ck *k, const tw__pe *pe, const char *what, void *at)
{
    char *pointer;
    memcpy(&pointer, at, sizeof pointer);
    uint64_t offset = tw__ck_whole(k, what, (uint64_t)((uintptr_t)pointer - (uintptr_t)pe->memory), ANY);
    pointer = (char *)((uintptr_t)pe->memory + (uintptr_t)offset);
    memcpy(at, &pointer, sizeof pointer);
}

static void walk_opnd(tw__ck *k, const tw__pe *pe, tw__opnd *o)
{
    tw__ck_fields(k, ROWS(opnd_rows), o);
    if (!tw__ck_flag(k, "walk", o->walk != NULL)) return;
    if (!o->walk && !(o->walk = tw__calloc(1, sizeof *o->walk))) {
        tw__ck_no_memory(k);
        return;
    }
    tw__ck_fields(k, ROWS(walk_rows), o->walk);
    walk_pointer(k, pe, "view.base", &o->walk->view.base);
    walk_pointer(k, pe, "walk.at", &o->walk->walk.at);
    o->walk->walk.views = &o->walk->view;
}

static void walk_op(tw__ck *k, tw__part *part, tw__pe *pe, unsigned slot)
{
    tw__op *op = pe->op[slot];
    if (!op && !(op = pe->op[slot] = tw__wse_piece(part, sizeof *op))) {
        tw__ck_no_memory(k);
        return;
    }
    tw__ck_fields(k, ROWS(op_rows), op);
    uint64_t use = tw__ck_whole(k, "use", op->use ? (uint64_t)(op->use - pe->program->uses) + 1 : 0,
                                pe->program->program->use_count);
    if (tw__ck_reads(k)) op->use = use ? &pe->program->uses[use - 1] : NULL;
    for (unsigned a = 0; a < 4; a++) walk_opnd(k, pe, &op->arg[a]);
    walk_opnd(k, pe, &op->zero);
}

/* Which of some pointers are set. When reading, none may be set that the file lacks: programs begin with what they
 * have for ever. */
static uint64_t walk_which(tw__ck *k, const char *what, void *const *pointers, unsigned count)
{
    uint64_t here = 0;
    for (unsigned i = 0; i < count; i++) here |= (uint64_t)(pointers[i] != NULL) << i;
    uint64_t there = tw__ck_whole(k, what, here, (UINT64_C(1) << count) - 1);
    if (here & ~there) tw__ck_wrong(k, "'%s' lacks what the program begins with", what);
    return there;
}

static void walk_ops(tw__ck *k, tw__part *part, tw__pe *pe)
{
    void *there[TW__WSE_MAIN + 1];
    memcpy(there, pe->op, sizeof there);
    uint64_t which = walk_which(k, "operations", there, TW__WSE_MAIN + 1);
    for (; which && tw__ck_good(k); which &= which - 1) walk_op(k, part, pe, (unsigned)__builtin_ctzll(which));
}

static void walk_queues(tw__ck *k, tw__part *part, tw__queue **queues, const char *what)
{
    void *there[QUEUES];
    memcpy(there, queues, sizeof there);
    uint64_t which = walk_which(k, what, there, QUEUES);
    for (; which && tw__ck_good(k); which &= which - 1) {
        tw__queue **q = &queues[__builtin_ctzll(which)];
        if (*q || (*q = tw__wse_piece(part, sizeof **q)))
            tw__ck_fields(k, ROWS(queue_rows), *q);
        else
            tw__ck_no_memory(k);
    }
}

/* --- the program that runs -------------------------------------------------------------------------------------- */

static void walk_frames(tw__ck *k, tw__pe *pe)
{
    size_t room = tw__ck_count(k, "registers", pe->reg_room, MOST_ROOM, 1);
    size_t depth = tw__ck_count(k, "calls", pe->depth, MOST_DEPTH, 3);
    if (tw__ck_reads(k)) {
        pe->regs = tw__calloc(room + 1, sizeof *pe->regs);
        pe->frames = tw__calloc(depth + 1, sizeof *pe->frames);
        if (!pe->regs || !pe->frames) {
            tw__ck_no_memory(k);
            return;
        }
        pe->reg_room = (uint32_t)room;
        pe->frame_room = (uint32_t)depth + 1, pe->depth = (uint32_t)depth;
    }
    tw__ck_wholes(k, "registers", pe->regs, sizeof *pe->regs, room, ANY);
    for (size_t i = 0; i < depth && tw__ck_good(k); i++) tw__ck_fields(k, ROWS(frame_rows), &pe->frames[i]);
}

static void walk_maps(tw__ck *k, tw__pe *pe)
{
    size_t count = 0;
    const tw__csl_program *p = pe->program->program;
    for (const tw__map_state *m = pe->map; m; m = m->outer) count++;
    count = tw__ck_count(k, "maps", count, MOST_DEPTH, 1);
    tw__map_state **place = &pe->map;
    for (size_t i = 0; i < count && tw__ck_good(k); i++, place = &(*place)->outer) {
        tw__map_state *m = *place;
        if (!m && !(m = *place = tw__calloc(1, sizeof *m))) {
            tw__ck_no_memory(k);
            return;
        }
        tw__ck_fields(k, ROWS(map_rows), m);
        uint64_t row =
            tw__ck_whole(k, "map", m->map ? (uint64_t)(m->map - p->maps) : 0, p->map_count ? p->map_count - 1 : 0);
        if (tw__ck_reads(k)) m->map = p->map_count ? &p->maps[row] : NULL;
        for (unsigned a = 0; a < TW__CSL_MAP_INPUTS; a++) walk_opnd(k, pe, &m->input[a]);
        walk_opnd(k, pe, &m->output);
        if (!m->map) tw__ck_wrong(k, "there is no @map in the program");
    }
}

static void walk_dsrs(tw__ck *k, tw__pe *pe)
{
    size_t count = 0;
    for (size_t i = 0; pe->dsr && !tw__ck_reads(k) && i < DSRS; i++) count += pe->dsr[i].loaded;
    bool any = tw__ck_flag(k, "DSRs", pe->dsr != NULL);
    if (pe->dsr && !any) tw__ck_wrong(k, "'DSRs' lacks what the program begins with");
    if (!any || !tw__ck_good(k)) return;
    if (!pe->dsr && !(pe->dsr = tw__calloc(DSRS, sizeof *pe->dsr))) {
        tw__ck_no_memory(k);
        return;
    }
    count = tw__ck_count(k, "loaded DSRs", count, DSRS, 1);
    if (tw__ck_reads(k)) memset(pe->dsr, 0, DSRS * sizeof *pe->dsr);
    for (size_t i = 0, at = 0; i < count && tw__ck_good(k); i++, at++) {
        while (!tw__ck_reads(k) && !pe->dsr[at].loaded) at++;
        at = (size_t)tw__ck_whole(k, "DSR", at, DSRS - 1);
        tw__ck_fields(k, ROWS(dsr_rows), &pe->dsr[at]);
    }
}

static void walk_commands(tw__ck *k, tw__pe *pe)
{
    size_t count = 0;
    for (const tw__command *c = pe->commands; c; c = c->next) count++;
    count = tw__ck_count(k, "commands", count, MOST_COMMANDS, 2);
    tw__command **place = &pe->commands;
    for (size_t i = 0; i < count && tw__ck_good(k); i++, place = &(*place)->next) {
        if (!*place && !(*place = tw__calloc(1, sizeof **place))) {
            tw__ck_no_memory(k);
            return;
        }
        tw__ck_fields(k, ROWS(command_rows), *place);
        pe->commands_end = *place;
    }
}

static void walk_program(tw__ck *k, tw__part *part, tw__pe *pe)
{
    const tw__csl_program *p = pe->program->program;
    walk_ops(k, part, pe);
    walk_frames(k, pe);
    walk_maps(k, pe);
    walk_dsrs(k, pe);
    for (size_t i = 0; i < p->fifo_count; i++) tw__ck_fields(k, ROWS(fifo_rows), &pe->fifo[i]);
    walk_commands(k, pe);
    size_t length = tw__ck_count(k, "line", pe->line_count, MOST_LINE, 1);
    for (size_t i = 0; i < length && tw__ck_reads(k); i++)
        if (!tw__grow(&pe->line, &pe->line_room, i, 1)) {
            tw__ck_no_memory(k);
            return;
        }
    if (length) tw__ck_bytes(k, pe->line, pe->line_count = length);
    if (!tw__ck_flag(k, "configuration", pe->config != NULL)) return;
    if (pe->config || (pe->config = tw__calloc(CONFIG_WORDS, sizeof *pe->config)))
        tw__ck_wholes(k, "configuration", pe->config, sizeof *pe->config, CONFIG_WORDS, ANY);
    else
        tw__ck_no_memory(k);
}

/* --- streams of the host ---------------------------------------------------------------------------------------- */

static void walk_words(tw__ck *k, tw__port *port)
{
    size_t count = tw__ck_count(k, "words", port->count - port->head, SIZE_MAX / sizeof *port->words, 1);
    if (tw__ck_reads(k) && count) {
        free(port->words);
        port->words = tw__calloc(count, sizeof *port->words);
        if (!port->words) {
            tw__ck_no_memory(k);
            return;
        }
        port->count = port->room = count;
    }
    if (count) tw__ck_wholes(k, "words", port->words + port->head, sizeof *port->words, count, UINT64_MAX >> 31);
}

static void walk_ports(tw__ck *k, tw__part *part, tw__pe *pe)
{
    size_t count = 0;
    for (const tw__port *p = pe->ports; p; p = p->next) count++;
    size_t there = tw__ck_count(k, "streams", count, 2 * TW__WSE_PORTS * TW__CSL_COLORS, 4);
    if (there < count) tw__ck_wrong(k, "'streams' lacks what the program begins with");
    tw__port **place = &pe->ports;
    for (size_t i = 0; i < there && tw__ck_good(k); i++, place = &(*place)->next) {
        if (!*place && !(*place = tw__calloc(1, sizeof **place))) {
            tw__ck_no_memory(k);
            return;
        }
        tw__ck_fields(k, ROWS(port_rows), *place);
        walk_words(k, *place);
        part->w->router[tw__wse_pe_number(part, pe)].has_ports = 1;
    }
}

void tw__wse_pe_walk(tw__ck *k, tw__part *part, tw__pe *pe)
{
    tw__ck_fields(k, ROWS(pe_rows), pe);
    walk_queues(k, part, pe->in_queue, "input queues");
    walk_queues(k, part, pe->out_queue, "output queues");
    walk_ports(k, part, pe);
    if (pe->program) walk_program(k, part, pe);
    tw__ck_sparse(k, "memory", pe->memory, TW__CSL_PE_BYTES);
    if (pe->mail) tw__wse_mail_walk(k, part, pe);
    if (tw__ck_reads(k) && tw__ck_good(k)) tw__wse_pe_sound(k, part, pe);
}
