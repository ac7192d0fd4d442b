/* SPDX-License-Identifier: MIT */
/* emit: the code of one function, with labels, before it is appended to its program. */
#include "csl/lang/code/image.h"

#include <stdlib.h>
#include <string.h>

void tw__csl_emit_begin(tw__csl_emitter *e, tw__csl_image *image, const tw__csl_program *p, uint32_t function)
{
    *e = (tw__csl_emitter){ .image = image, .program = (uint32_t)(p - image->programs), .function = function };
    e->registers = p->functions[function].params > p->functions[function].results ? p->functions[function].params
                                                                                  : p->functions[function].results;
}

void tw__csl_emit_at(tw__csl_emitter *e, uint32_t file, uint32_t line, uint32_t column)
{
    e->file = file;
    e->line = line;
    e->column = column;
}

/* A row of the line table, unless the last one says the same. */
static void note_line(tw__csl_emitter *e)
{
    tw__csl_line *last = e->line_count ? &e->lines[e->line_count - 1] : NULL;
    if (last ? last->file == e->file && last->line == e->line && last->column == e->column : e->line == 0) return;
    tw__csl_line *row = TW__CSL_PUSH(e, lines, line);
    if (row) *row = (tw__csl_line){ (uint32_t)e->code_count, e->file, e->line, e->column, 0 };
}

static void use_register(tw__csl_emitter *e, char role, uint32_t reg)
{
    uint32_t end = role == 'D' || role == 'S' ? reg + 2 : role == 'd' || role == 's' || role == 'w' ? reg + 1 : 0;
    if (end > e->registers) e->registers = end;
}

uint32_t tw__csl_emit(tw__csl_emitter *e, tw__csl_op op, uint32_t a, uint32_t b, uint32_t c)
{
    note_line(e);
    const char *operands = tw__csl_op_rows[op].operands;
    use_register(e, operands[0], a);
    use_register(e, operands[1], b);
    use_register(e, operands[2], c);
    tw__csl_insn *i = TW__CSL_PUSH(e, code, code);
    if (i) *i = (tw__csl_insn){ (uint16_t)op, (uint16_t)a, (uint16_t)b, (uint16_t)c };
    return (uint32_t)e->code_count - 1;
}

uint32_t tw__csl_emit_wide(tw__csl_emitter *e, tw__csl_op op, uint32_t a, uint32_t bc)
{
    return tw__csl_emit(e, op, a, bc & 0xffff, bc >> 16);
}

void tw__csl_emit_const(tw__csl_emitter *e, uint32_t reg, uint64_t value)
{
    if ((int64_t)value == (int32_t)(uint32_t)value)
        tw__csl_emit_wide(e, TW__CSL_I_LDI, reg, (uint32_t)value);
    else
        tw__csl_emit_wide(e, TW__CSL_I_LDK, reg, tw__csl_program_const(&e->image->programs[e->program], value));
}

void tw__csl_emit_index(tw__csl_emitter *e, tw__csl_index_use index)
{
    index.at = (uint32_t)e->code_count;
    tw__csl_index_use *row = TW__CSL_PUSH(e, indices, index);
    if (row) *row = index;
}

void tw__csl_emit_object(tw__csl_emitter *e, uint32_t address, uint32_t bytes)
{
    tw__csl_object *row = e->code_count ? TW__CSL_PUSH(e, objects, object) : NULL;
    if (row) *row = (tw__csl_object){ (uint32_t)e->code_count - 1, address, bytes };
}

void tw__csl_emit_local(tw__csl_emitter *e, tw__csl_local local)
{
    local.at = (uint32_t)e->code_count;
    local.end = local.until = UINT32_MAX;
    tw__csl_local *row = TW__CSL_PUSH(e, locals, local);
    if (row) *row = local;
}

void tw__csl_emit_close(tw__csl_emitter *e, size_t first)
{
    for (size_t k = first; k < e->local_count; k++) {
        if (e->locals[k].end == UINT32_MAX) e->locals[k].end = (uint32_t)e->code_count;
        if (e->locals[k].until == UINT32_MAX) e->locals[k].until = (uint32_t)e->code_count;
    }
}

bool tw__csl_emit_pending(const tw__csl_emitter *e)
{
    return e->index_count && e->indices[e->index_count - 1].at == e->code_count;
}

tw__csl_label tw__csl_emit_label(tw__csl_emitter *e)
{
    uint32_t *at = TW__CSL_PUSH(e, labels, label);
    if (!at) return 0;
    *at = UINT32_MAX;
    return (uint32_t)e->label_count;
}

void tw__csl_emit_bind(tw__csl_emitter *e, tw__csl_label label)
{
    /* what jumps here has not computed the index: an instruction for those that come from above alone */
    if (tw__csl_emit_pending(e)) tw__csl_emit(e, TW__CSL_I_NOP, 0, 0, 0);
    if (label) e->labels[label - 1] = (uint32_t)e->code_count;
}

static void use_label(tw__csl_emitter *e, uint32_t insn, tw__csl_label label)
{
    uint32_t *row = TW__CSL_PUSH(e, uses, use);
    if (row) *row = insn;
    row = TW__CSL_PUSH(e, uses, use);
    if (row) *row = label;
}

void tw__csl_emit_jump(tw__csl_emitter *e, tw__csl_op op, uint32_t a, tw__csl_label label)
{
    use_label(e, tw__csl_emit(e, op, a, 0, 0), label);
}

void tw__csl_emit_compare(tw__csl_emitter *e, tw__csl_op op, uint32_t a, uint32_t b, tw__csl_label label)
{
    use_label(e, tw__csl_emit(e, op, a, b, 0), label);
}

/* Distances into the jumps; false when a label was never bound or does not fit. */
static bool resolve(tw__csl_emitter *e)
{
    for (size_t i = 0; i + 1 < e->use_count; i += 2) {
        tw__csl_insn *insn = &e->code[e->uses[i]];
        tw__csl_label label = e->uses[i + 1];
        if (label == 0 || e->labels[label - 1] == UINT32_MAX) return false;
        int64_t distance = (int64_t)e->labels[label - 1] - (int64_t)e->uses[i] - 1;
        if (tw__csl_op_rows[insn->op].operands[1] == 'J') {
            insn->b = (uint16_t)((uint64_t)distance & 0xffff);
            insn->c = (uint16_t)((uint64_t)distance >> 16 & 0xffff);
        } else {
            if (distance != (int16_t)distance) e->too_far = 1;
            insn->c = (uint16_t)((uint64_t)distance & 0xffff);
        }
    }
    return !e->too_far;
}

bool tw__csl_emit_end(tw__csl_emitter *e)
{
    tw__csl_program *p = &e->image->programs[e->program];
    bool good = !e->no_memory && resolve(e) && e->registers <= UINT16_MAX;
    if (good) {
        tw__csl_function_code *f = &p->functions[e->function];
        f->entry = (uint32_t)p->code_count;
        f->count = (uint32_t)e->code_count;
        f->registers = e->registers;
        f->stack_bytes = e->stack_bytes;
        for (size_t i = 0; i < e->code_count; i++) {
            tw__csl_insn *insn = TW__CSL_PUSH(p, code, code);
            if (insn) *insn = e->code[i];
        }
        for (size_t i = 0; i < e->line_count; i++) {
            tw__csl_line *row = TW__CSL_PUSH(p, lines, line);
            if (!row) continue;
            *row = e->lines[i];
            row->at += f->entry;
        }
        for (size_t i = 0; i < e->index_count && e->indices[i].at < e->code_count; i++) {
            tw__csl_index_use *row = TW__CSL_PUSH(p, indices, index);
            if (!row) continue;
            *row = e->indices[i];
            row->at += f->entry;
        }
        tw__csl_emit_close(e, 0);
        for (size_t i = 0; i < e->local_count; i++) {
            tw__csl_local *row = TW__CSL_PUSH(p, locals, local);
            if (!row) continue;
            *row = e->locals[i];
            row->at += f->entry, row->end += f->entry, row->since += f->entry, row->until += f->entry;
        }
        for (size_t i = 0; i < e->object_count; i++) {
            tw__csl_object *row = TW__CSL_PUSH(p, objects, object);
            if (!row) continue;
            *row = e->objects[i];
            row->at += f->entry;
        }
        good = !p->no_memory;
    }
    e->image->no_memory |= e->no_memory;
    tw__csl_emit_drop(e);
    return good;
}

void tw__csl_emit_drop(tw__csl_emitter *e)
{
    free(e->code);
    free(e->lines);
    free(e->indices);
    free(e->objects);
    free(e->locals);
    free(e->labels);
    free(e->uses);
    e->code = NULL;
    e->lines = NULL;
    e->indices = NULL;
    e->objects = NULL;
    e->locals = NULL;
    e->local_count = e->local_room = 0;
    e->labels = e->uses = NULL;
    e->code_count = e->line_count = e->index_count = e->object_count = e->label_count = e->use_count = 0;
    e->code_room = e->line_room = e->index_room = e->object_room = e->label_room = e->use_room = 0;
}
