/* SPDX-License-Identifier: MIT */
/* lift: from the program's code to lists of instructions, and back. */
#include "csl/lang/opt/local.h"

enum { MOST_INSNS = 3000, MOST_REGISTERS = 4096 }; /* of a function that is worked on: passes are not linear */

opt_insn *tw__opt_append(opt *o, opt_function *f, opt_insn insn)
{
    if (!tw__grow(&f->insns, &f->insn_room, f->insn_count, sizeof *f->insns)) {
        o->failed = true;
        return NULL;
    }
    f->insns[f->insn_count] = insn;
    return &f->insns[f->insn_count++];
}

static void put_wide(tw__csl_insn *i, uint32_t x)
{
    i->b = (uint16_t)(x & 0xffff);
    i->c = (uint16_t)(x >> 16);
}

/* Targets are instructions of the code at first, then of the list: `place` has where each went. */
static bool lift(opt *o, uint32_t number, size_t *line, size_t *index, size_t *object, uint32_t *place)
{
    const tw__csl_program *p = o->p;
    const tw__csl_function_code *code = &p->functions[number];
    opt_function *f = &o->functions[number];
    *f = (opt_function){ .registers = code->registers,
                         .params = code->params,
                         .results = code->results,
                         .stack_bytes = code->stack_bytes };
    while (*line < p->line_count && p->lines[*line].at < code->entry) ++*line;
    while (*index < p->index_count && p->indices[*index].at < code->entry) ++*index;
    while (*object < p->object_count && p->objects[*object].at < code->entry) ++*object;
    opt_insn from = { .to = -1 };
    for (uint32_t at = 0; at < code->count; at++) {
        for (; *line < p->line_count && p->lines[*line].at <= code->entry + at; ++*line) {
            const tw__csl_line *row = &p->lines[*line];
            from.file = row->file, from.line = row->line, from.column = row->column, from.frame = row->frame;
        }
        place[at] = (uint32_t)f->insn_count;
        for (; *index < p->index_count && p->indices[*index].at == code->entry + at; ++*index) {
            from.insn = (tw__csl_insn){ OPT_INDEX, p->indices[*index].reg, 0, 0 };
            put_wide(&from.insn, (uint32_t)*index);
            tw__opt_append(o, f, from);
        }
        opt_insn one = from;
        if (*object < p->object_count && p->objects[*object].at == code->entry + at) {
            const tw__csl_object *row = &p->objects[(*object)++];
            one.low = row->address, one.high = row->address + row->bytes;
        }
        one.insn = p->code[code->entry + at];
        one.origin = code->entry + at + 1;
        if (tw__opt_is_jump(one.insn)) {
            bool narrow = tw__csl_op_rows[one.insn.op].operands[2] == 'j';
            one.to = (int32_t)at + 1 + (narrow ? (int16_t)one.insn.c : (int32_t)tw__csl_wide(one.insn));
        }
        tw__opt_append(o, f, one);
    }
    for (size_t k = 0; k < f->insn_count; k++)
        if (f->insns[k].to >= 0) f->insns[k].to = (int32_t)place[f->insns[k].to];
    f->large = f->insn_count > MOST_INSNS || f->registers > MOST_REGISTERS;
    return !o->failed;
}

bool tw__opt_lift(opt *o)
{
    const tw__csl_program *p = o->p;
    uint32_t *place = tw__calloc(p->code_count + 1, sizeof *place);
    o->functions = tw__calloc(p->function_count + 1, sizeof *o->functions);
    o->indices = tw__calloc(p->index_count + 1, sizeof *o->indices);
    size_t line = 0, index = 0, object = 0;
    bool good = place && o->functions && o->indices;
    if (good && p->index_count) memcpy(o->indices, p->indices, p->index_count * sizeof *o->indices);
    for (uint32_t k = 0; good && k < p->function_count; k++) good = lift(o, k, &line, &index, &object, place);
    free(place);
    return good;
}

void tw__opt_compact(opt *o, opt_function *f)
{
    uint32_t *place = tw__calloc(f->insn_count + 1, sizeof *place);
    if (!place) {
        o->failed = true;
        return;
    }
    size_t n = 0;
    for (size_t k = 0; k < f->insn_count; k++) {
        place[k] = (uint32_t)n;
        if (f->insns[k].insn.op != OPT_NONE) n++;
    }
    n = 0;
    for (size_t k = 0; k < f->insn_count; k++) {
        if (f->insns[k].insn.op == OPT_NONE) continue;
        f->insns[n] = f->insns[k];
        if (f->insns[n].to >= 0) f->insns[n].to = (int32_t)place[f->insns[n].to];
        n++;
    }
    f->insn_count = n;
    free(place);
}

/* --- back ----------------------------------------------------------------------------------------------------- */

typedef struct writer {
    opt *o;
    tw__csl_program *p;
    uint32_t entry;
    size_t waiting;        /* rows of p->indices from here on wait for the instruction that comes next */
    tw__csl_dsd_use *uses; /* rows as they were: those that are still named go over, in the order of the code */
    tw__csl_map *maps;
    tw__csl_dsr_load *dsr_loads;
    size_t room; /* of o->origin */
} writer;

/* The rows that an instruction names. */
static void put_rows(writer *w, tw__csl_insn *i)
{
    tw__csl_program *p = w->p;
    uint32_t x = tw__csl_wide(*i);
    if (i->op == TW__CSL_I_DSDOP) {
        tw__csl_dsd_use *row = TW__CSL_PUSH(p, uses, use);
        if (row) *row = w->uses[x];
        put_wide(i, (uint32_t)p->use_count - 1);
    } else if (i->op == TW__CSL_I_MAP) {
        tw__csl_map *row = TW__CSL_PUSH(p, maps, map);
        if (row) *row = w->maps[x];
        put_wide(i, (uint32_t)p->map_count - 1);
    } else if (i->op == TW__CSL_I_LOAD_DSR) {
        tw__csl_dsr_load *row = TW__CSL_PUSH(p, dsr_loads, dsr_load);
        if (row) *row = w->dsr_loads[x];
        put_wide(i, (uint32_t)p->dsr_load_count - 1);
    }
}

static void lift_put(writer *w, opt_insn x)
{
    tw__csl_program *p = w->p;
    uint32_t at = (uint32_t)p->code_count;
    for (; w->waiting < p->index_count; w->waiting++) p->indices[w->waiting].at = at;
    const tw__csl_line *last = p->line_count ? &p->lines[p->line_count - 1] : NULL;
    bool first = !last || last->at < w->entry;
    bool same =
        first ? x.line == 0
              : last->file == x.file && last->line == x.line && last->column == x.column && last->frame == x.frame;
    if (!same) {
        tw__csl_line *row = TW__CSL_PUSH(p, lines, line);
        if (row) *row = (tw__csl_line){ at, x.file, x.line, x.column, x.frame };
    }
    put_rows(w, &x.insn);
    tw__csl_insn *i = TW__CSL_PUSH(p, code, code);
    if (i) *i = x.insn;
    if (w->room <= at) {
        size_t room = at + at / 2 + 64;
        uint32_t *grown = tw__realloc(w->o->origin, room * sizeof *grown);
        if (!grown) {
            w->o->failed = true;
            return;
        }
        w->o->origin = grown, w->room = room;
    }
    w->o->origin[at] = x.origin;
}

static bool lower(writer *w, uint32_t number)
{
    opt *o = w->o;
    tw__csl_program *p = w->p;
    const opt_function *f = &o->functions[number];
    uint8_t *target = tw__calloc(f->insn_count + 1, 1);
    uint32_t *place = tw__calloc(f->insn_count + 1, sizeof *place);
    uint32_t *jump = tw__calloc(f->insn_count + 1, sizeof *jump);
    bool good = target && place && jump;
    w->entry = (uint32_t)p->code_count;
    for (size_t k = 0; good && k < f->insn_count; k++)
        if (f->insns[k].to >= 0) target[f->insns[k].to] = 1;
    for (size_t k = 0; good && k < f->insn_count; k++) {
        const opt_insn *x = &f->insns[k];
        if (target[k] && w->waiting < p->index_count) { /* who jumps here has no index to check */
            opt_insn gap = k ? f->insns[k - 1] : *x;
            gap.insn = (tw__csl_insn){ TW__CSL_I_NOP, 0, 0, 0 };
            lift_put(w, gap);
        }
        place[k] = (uint32_t)p->code_count;
        if (x->insn.op == OPT_INDEX) {
            tw__csl_index_use *row = TW__CSL_PUSH(p, indices, index);
            if (!row) break;
            *row = o->indices[tw__csl_wide(x->insn)];
            row->reg = x->insn.a;
            continue;
        }
        jump[k] = (uint32_t)p->code_count + 1;
        lift_put(w, *x);
    }
    good = good && !p->no_memory && !o->failed;
    for (size_t k = 0; good && k < f->insn_count; k++) {
        if (!jump[k] || f->insns[k].to < 0) continue;
        tw__csl_insn *i = &p->code[jump[k] - 1];
        int64_t distance = (int64_t)place[f->insns[k].to] - (int64_t)jump[k];
        if (tw__csl_op_rows[i->op].operands[2] == 'j')
            i->c = (uint16_t)((uint64_t)distance & 0xffff);
        else
            put_wide(i, (uint32_t)((uint64_t)distance & 0xffffffff));
    }
    tw__csl_function_code *code = &p->functions[number];
    code->entry = w->entry;
    code->count = (uint32_t)p->code_count - w->entry;
    code->registers = f->registers;
    code->stack_bytes = f->stack_bytes;
    free(target);
    free(place);
    free(jump);
    return good;
}

bool tw__opt_lower(opt *o)
{
    tw__csl_program *p = o->p;
    writer w = { .o = o, .p = p, .uses = p->uses, .maps = p->maps, .dsr_loads = p->dsr_loads };
    bool good = true;
    p->uses = NULL;
    p->maps = NULL;
    p->dsr_loads = NULL;
    p->code_count = p->line_count = p->index_count = p->object_count = 0;
    p->use_count = p->use_room = p->map_count = p->map_room = p->dsr_load_count = p->dsr_load_room = 0;
    for (uint32_t k = 0; good && k < p->function_count; k++) good = lower(&w, k);
    free(w.uses);
    free(w.maps);
    free(w.dsr_loads);
    return good;
}
