/* SPDX-License-Identifier: MIT */
/* code: places that a user names, and the frames that a PE is in. */
#include "csl/wse/debug/debug.h"
#include "csl/wse/fabric/fabric.h"

#include <stdlib.h>
#include <string.h>

bool tw__wse_pc(const tw__wse *w, uint32_t number, uint32_t *at)
{
    const tw__pe *pe = &w->pe[number];
    if (!pe->program || pe->main_state == TW__MAIN_IDLE) return false;
    *at = pe->main_state == TW__MAIN_OP && pe->op[TW__WSE_MAIN] ? pe->op[TW__WSE_MAIN]->pc : pe->pc;
    return *at < pe->program->program->code_count;
}

/* The function that the instruction is in, with frames of calls that are no more around `*source` still to come. */
static const char *own_function(const tw__csl_program *p, uint32_t at)
{
    int function = tw__csl_program_function_at(p, at);
    return function < 0 ? "?" : p->functions[function].name;
}

/* From the code of a frame to that of the frame it was called in, inside one function; false: it was the last. */
static bool outwards(const tw__csl_program *p, tw__wse_frame *f)
{
    if (!f->source.line || !f->source.frame) return false;
    const tw__csl_frame *frame = &p->frames[f->source.frame - 1];
    f->source = (tw__csl_line){ f->at, frame->file, frame->line, frame->column, frame->outer };
    return true;
}

static void name_frame(const tw__csl_program *p, tw__wse_frame *f)
{
    f->inlined = f->source.line && f->source.frame;
    f->function = f->inlined ? p->frames[f->source.frame - 1].name : own_function(p, f->at);
}

void tw__wse_frame_of_code(const tw__csl_program *p, uint32_t at, tw__wse_frame *out)
{
    *out = (tw__wse_frame){ .at = at };
    if (!tw__csl_program_line(p, at, &out->source)) out->source = (tw__csl_line){ .at = at };
    name_frame(p, out);
}

bool tw__wse_frame_at(const tw__wse *w, uint32_t number, unsigned n, tw__wse_frame *out)
{
    const tw__pe *pe = &w->pe[number];
    uint32_t at, base = pe->base, stack = pe->stack;
    if (!tw__wse_pc(w, number, &at)) return false;
    const tw__csl_program *p = pe->program->program;
    for (uint32_t depth = pe->depth;; depth--) {
        tw__wse_frame_of_code(p, at, out);
        out->base = base, out->stack = stack;
        const tw__frame *frame = depth ? &pe->frames[depth - 1] : NULL;
        int function = tw__csl_program_function_at(p, at);
        bool left_out = frame ? frame->pc && tw__csl_program_left_out(p, frame->pc - 1, at)
                              : function >= 0 && (uint32_t)function != pe->entered;
        do {
            if (n-- == 0) {
                name_frame(p, out);
                out->left_out = left_out && !out->inlined;
                return true;
            }
        } while (outwards(p, out));
        if (!frame) return false;
        at = frame->pc ? frame->pc - 1 : 0, base = frame->base, stack = frame->stack;
    }
}

bool tw__wse_jump(tw__wse *w, uint32_t number, uint32_t at)
{
    tw__pe *pe = &w->pe[number];
    unsigned x = number % w->width, y = number / w->width;
    const tw__csl_program *p = pe->program ? pe->program->program : NULL;
    if (!p || pe->main_state != TW__MAIN_RUN)
        return tw__fail(TW_E_INVALID_ARGUMENT, "PE %u,%u stands before no instruction", x, y), false;
    if (pe->printing)
        return tw__fail(TW_E_INVALID_ARGUMENT, "PE %u,%u prints: behind that it may jump", x, y), false;
    if (pe->map && pe->map->depth == pe->depth && pe->map->pc == pe->pc && at != pe->pc)
        return tw__fail(TW_E_INVALID_ARGUMENT, "PE %u,%u is in an @map: behind that it may jump", x, y), false;
    if (at >= p->code_count) return tw__fail(TW_E_INDEX, "there is no instruction %u", at), false;
    int function = tw__csl_program_function_at(p, pe->pc);
    if (tw__csl_program_function_at(p, at) != function)
        return tw__fail(TW_E_INVALID_ARGUMENT, "'%s' is another function than '%s', with other registers",
                        own_function(p, at), own_function(p, pe->pc)),
               false;
    pe->pc = at;
    return true;
}

/* --- places --------------------------------------------------------------------------------------------------- */

/* Does the file's name end in `name`, at a folder's border? */
static bool is_file(const char *file, const char *name, size_t length)
{
    size_t whole = strlen(file);
    return whole >= length && memcmp(file + whole - length, name, length) == 0 &&
           (whole == length || file[whole - length - 1] == '/');
}

static void code_add(GArray *codes, uint32_t program, uint32_t at)
{
    for (guint i = codes->len; i-- > 0;) {
        const tw__wse_code *c = &g_array_index(codes, tw__wse_code, i);
        if (c->program != program) break;
        if (c->at == at) return;
    }
    tw__wse_code code = { program, at };
    g_array_append_val(codes, code);
}

/* Where the code of a line begins: what comes before it is of another line, or of another call of the same. */
static void code_add_line(const tw__wse *w, uint32_t program, uint32_t file, uint32_t line, GArray *codes)
{
    const tw__csl_program *p = &w->image->programs[program];
    for (size_t k = 0; k < p->line_count; k++) {
        const tw__csl_line *l = &p->lines[k], *before = k ? l - 1 : NULL;
        if (l->file != file || l->line != line || l->at >= p->code_count) continue;
        bool goes_on = before && before->file == file && before->line == line && before->frame == l->frame &&
                       tw__csl_program_function_at(p, before->at) == tw__csl_program_function_at(p, l->at);
        if (!goes_on) code_add(codes, program, l->at);
    }
}

/* The first line from `line` on that has code; 0 = none. */
static uint32_t line_with_code(const tw__wse *w, uint32_t file, uint32_t line)
{
    uint32_t best = 0;
    for (size_t k = 0; k < w->image->program_count; k++)
        for (size_t i = 0; i < w->image->programs[k].line_count; i++) {
            const tw__csl_line *l = &w->image->programs[k].lines[i];
            if (l->file == file && l->line >= line && l->line && (!best || l->line < best)) best = l->line;
        }
    return best;
}

static bool find_line(const tw__wse *w, const char *place, const char *colon, GArray *codes)
{
    char *end;
    unsigned long line = strtoul(colon + 1, &end, 10);
    if (end == colon + 1 || *end || line == 0 || line > UINT32_MAX)
        return tw__fail(TW_E_PARSE, "'%s' is no line of a file: FILE:LINE", place), false;
    bool known = false;
    for (uint32_t file = 1; file < w->image->file_count; file++) {
        if (!is_file(w->image->files[file], place, (size_t)(colon - place))) continue;
        known = true;
        uint32_t first = line_with_code(w, file, (uint32_t)line);
        for (uint32_t k = 0; first && k < w->image->program_count; k++) code_add_line(w, k, file, first, codes);
    }
    if (codes->len) return true;
    if (known)
        tw__fail(TW_E_SYMBOL, "no code comes from %s, or from a line behind it", place);
    else
        tw__fail(TW_E_SYMBOL, "no code comes from a file '%.*s'", (int)(colon - place), place);
    return false;
}

static bool is_inside(const tw__csl_program *p, uint32_t frame, uint32_t of)
{
    while (frame && frame != of) frame = p->frames[frame - 1].outer;
    return frame == of;
}

/* A function's first instruction, and where it went into callers: each place where its code begins with the same
 * line, since loops may have been written out. */
static void add_function(const tw__wse *w, uint32_t program, const char *name, GArray *codes)
{
    const tw__csl_program *p = &w->image->programs[program];
    for (size_t k = 0; k < p->function_count; k++)
        if (strcmp(p->functions[k].name, name) == 0) code_add(codes, program, p->functions[k].entry);
    uint32_t frame = 0, line = 0; /* of the call met last */
    for (size_t k = 0; k < p->line_count; k++) {
        const tw__csl_line *l = &p->lines[k];
        if (!l->frame || strcmp(p->frames[l->frame - 1].name, name) != 0) continue;
        bool goes_on = k && l[-1].frame && is_inside(p, l[-1].frame, l->frame);
        if (l->frame != frame) frame = l->frame, line = l->line;
        if (!goes_on && l->line == line) code_add(codes, program, l->at);
    }
}

static void add_entry(const tw__wse *w, uint32_t program, uint32_t function, GArray *codes)
{
    code_add(codes, program, w->image->programs[program].functions[function].entry);
}

/* "@": where tasks and functions of the host begin. */
static void add_entries(const tw__wse *w, uint32_t program, GArray *codes)
{
    const tw__csl_program *p = &w->image->programs[program];
    for (size_t k = 0; k < p->task_count; k++) add_entry(w, program, p->tasks[k].function, codes);
    for (size_t k = 0; k < p->handler_count; k++) add_entry(w, program, p->handlers[k].function, codes);
    for (size_t k = 0; k < p->rotation_count; k++) add_entry(w, program, p->rotations[k].alternative, codes);
    for (size_t k = 0; k < p->export_count; k++)
        if (p->exports[k].is_function) add_entry(w, program, p->exports[k].target, codes);
}

/* "*": where each line begins. */
static void add_lines(const tw__wse *w, uint32_t program, GArray *codes)
{
    const tw__csl_program *p = &w->image->programs[program];
    for (size_t k = 0; k < p->line_count; k++) {
        const tw__csl_line *l = &p->lines[k], *before = k ? l - 1 : NULL;
        bool goes_on = before && before->file == l->file && before->line == l->line && before->frame == l->frame;
        tw__wse_code code = { program, l->at };
        if (l->line && !goes_on && l->at < p->code_count) g_array_append_val(codes, code);
    }
}

bool tw__wse_find_code(const tw__wse *w, const char *place, GArray *codes)
{
    if (strcmp(place, "@") == 0 || strcmp(place, "*") == 0) {
        for (uint32_t k = 0; k < w->image->program_count; k++)
            (*place == '@' ? add_entries : add_lines)(w, k, codes);
        if (codes->len) return true;
        return tw__fail(TW_E_SYMBOL, "no tile program has code"), false;
    }
    const char *colon = strrchr(place, ':');
    if (colon) return find_line(w, place, colon, codes);
    for (uint32_t k = 0; k < w->image->program_count; k++) add_function(w, k, place, codes);
    if (codes->len) return true;
    tw__fail(TW_E_SYMBOL, "there is no function or task '%s', and no FILE:LINE of that name", place);
    return false;
}
