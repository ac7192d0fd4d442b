/* SPDX-License-Identifier: MIT */
/* arguments: runs of the functions of a PTO-AS program (tilewright/pto/text.h): arguments by name, the run, its
 * tiles. */
#include "pto/text/program/program.h"

#include <glib.h>
#include <stdlib.h>

struct tw_pto_run {
    tw_pto_text *text;
    const tw__as_function *function;
    tw__as_cell *cell;
    bool *bound; /* by parameter, then by free name */
    tw__as_run run;
};

tw_pto_run *tw_pto_run_new(tw_pto_text *text, const char *function, tw_pto *core)
{
    if (tw__pto_given(text, "text") != TW_OK || tw__pto_given(core, "core") != TW_OK)
        return tw__made(tw_error_status(), NULL);
    const tw__as_program *program = text->program[tw_pto_get_target(core)];
    if (!program) {
        return tw__made(tw__fail(TW_E_INVALID_ARGUMENT, "%s has not been verified for %s", text->module->file,
                                 tw_pto_target_name(tw_pto_get_target(core))),
                        NULL);
    }
    const tw__as_function *f = tw__text_function(program, function);
    if (!f) {
        const char *names[64], *near;
        size_t count = 0;
        for (const tw__as_function *g = program->functions; g && count < 64; g = g->next) names[count++] = g->name;
        near = function ? tw__nearest(function, names, count) : NULL;
        return tw__made(tw__fail(TW_E_SYMBOL,
                                 !function ? "%s%.0s is empty"
                                 : near    ? "%s: there is no function @%s; did you mean '@%s'?"
                                           : "%s: there is no function @%s",
                                 text->module->file, function ? function : "", near),
                        NULL);
    }
    tw_pto_run *run = tw__calloc(1, sizeof *run);
    if (run) {
        run->cell = tw__as_cells_new(f);
        run->bound = tw__calloc(tw__text_param_count(f) + 1, sizeof *run->bound);
    }
    if (!run || !run->cell || !run->bound) {
        tw_pto_run_free(run);
        return tw__made(tw__fail(TW_E_NO_MEMORY, "no memory to run @%s", f->name), NULL);
    }
    run->text = text;
    run->function = f;
    run->run = (tw__as_run){ .core = core, .program = program, .cell = run->cell };
    return run;
}

const tw_pto_text *tw_pto_run_text(const tw_pto_run *run)
{
    if (!run) return NULL;
    return run->text;
}

void tw_pto_run_free(tw_pto_run *run)
{
    if (!run) return;
    for (uint32_t s = 0; run->function && s < run->function->slots; s++)
        if (run->cell[s].kind == TW__AS_TILE && run->cell[s].rank)
            tw_pto_tile_free(run->run.core, &run->cell[s].wide->tile);
    tw__as_run_end(&run->run);
    free(run->cell);
    free(run->bound);
    free(run);
}

/* Number of the parameter; -1 with a message. */
static int find_param(const tw_pto_run *run, const char *name)
{
    const tw__as_function *f = run->function;
    const char *names[256];
    size_t count = 0;
    for (unsigned i = 0; i < tw__text_param_count(f); i++) {
        if (strcmp(tw__text_param_name(f, i), name) == 0) return (int)i;
        if (count < 256) names[count++] = tw__text_param_name(f, i);
    }
    const char *near = tw__nearest(name, names, count), *of = *f->name ? f->name : "the program";
    tw__fail(TW_E_SYMBOL, near ? "%s has no argument '%s'; did you mean '%s'?" : "%s has no argument '%s'", of,
             name, near);
    return -1;
}

static tw_status set_scalar(tw_pto_run *run, int index, uint64_t bits)
{
    const tw__as_type *t = tw__text_param_type(run->function, (size_t)index);
    tw__as_cell *cell = &run->cell[tw__text_param_slot(run->function, (size_t)index)];
    tw__as_set_number(cell, t->kind, tw_pto_bits(t->element, bits));
    cell->scalar.bits = tw__as_natural(cell);
    run->bound[index] = true;
    return TW_OK;
}

static tw_status not_a_number(const tw_pto_run *run, int index)
{
    return tw__fail(TW_E_TYPE, "%%%s is %s, not a number", tw__text_param_name(run->function, (size_t)index),
                    tw__as_type_text(tw__text_param_type(run->function, (size_t)index)));
}

tw_status tw_pto_run_number(tw_pto_run *run, const char *name, const char *value)
{
    if (!run || !name || !value) return tw__missing(!run ? "run" : !name ? "name" : "value");
    int64_t bits;
    int index = find_param(run, name);
    if (index < 0) return TW_E_SYMBOL;
    const tw__as_type *t = tw__text_param_type(run->function, (size_t)index);
    if (tw__text_param_kind(t) != TW_PTO_PARAM_NUMBER) return not_a_number(run, index);
    if (t->element == TW_BOOL && (strcmp(value, "true") == 0 || strcmp(value, "false") == 0))
        return set_scalar(run, index, *value == 't');
    if (!tw__as_number(value, t->element, &bits)) {
        char reason[200];
        g_strlcpy(reason, tw_error_message(), sizeof reason);
        return tw__fail(TW_E_INVALID_ARGUMENT, "%%%s: %s", name, reason);
    }
    return set_scalar(run, index, (uint64_t)bits);
}

tw_status tw_pto_run_scalar(tw_pto_run *run, const char *name, tw_pto_scalar value)
{
    if (!run || !name) return tw__missing(run ? "name" : "run");
    int index = find_param(run, name);
    if (index < 0) return TW_E_SYMBOL;
    const tw__as_type *t = tw__text_param_type(run->function, (size_t)index);
    if (tw__text_param_kind(t) != TW_PTO_PARAM_NUMBER) return not_a_number(run, index);
    if (t->element != value.type)
        return tw__fail(TW_E_TYPE, "%%%s is %s, the value is %s", name, tw__as_type_text(t),
                        tw_type_name(value.type, TW_SYSTEM_PTO));
    return set_scalar(run, index, value.bits);
}

/* Integers match by width; a float type that C and numpy lack matches unsigned integers of its width. */
static bool matches(tw_type want, tw_type have)
{
    if (want == have) return true;
    if (!tw_type_get(have)->bits || tw__is_float(have)) return false;
    unsigned bits = tw_type_get(want)->bits < 8 ? 8 : tw_type_get(want)->bits;
    bool in_c = want == TW_F16 || want == TW_F32 || want == TW_F64;
    return bits == tw_type_get(have)->bits && (!tw__is_float(want) || !in_c);
}

static tw_status check_extents(const tw_pto_run *run, const char *name, unsigned rank, const size_t *extents)
{
    tw_pto_param p = { 0 };
    int index = find_param(run, name);
    const char *function = run->function->name;
    tw_pto_text_param(run->text, function, (size_t)index, &p);
    bool good = p.rank == 0 || p.rank == rank;
    for (unsigned i = 0; i < p.rank && good; i++) good = p.extents[i] < 0 || (size_t)p.extents[i] == extents[i];
    if (good) return TW_OK;
    char shape[128] = "";
    for (unsigned i = 0; i < rank && i < 5; i++)
        g_snprintf(shape + strlen(shape), sizeof shape - strlen(shape), "%s%zu", i ? "x" : "", extents[i]);
    return tw__fail(TW_E_INVALID_ARGUMENT, "%%%s is %s, the array is %s", name, p.type,
                    *shape ? shape : "a number");
}

tw_status tw_pto_run_memory(tw_pto_run *run, const char *name, void *data, tw_type type, unsigned rank,
                            const size_t *extents)
{
    bool empty = false;
    if (!run || !name) return tw__missing(run ? "name" : "run");
    for (unsigned i = 0; i < rank; i++) empty |= extents[i] == 0;
    if (!data && !empty) return tw__pto_given(data, "memory");
    int index = find_param(run, name);
    if (index < 0) return TW_E_SYMBOL;
    const tw__as_type *t = tw__text_param_type(run->function, (size_t)index);
    tw__as_cell *cell = &run->cell[tw__text_param_slot(run->function, (size_t)index)];
    tw_pto_param_kind kind = tw__text_param_kind(t);
    int64_t dims[5] = { 0 };
    size_t bytes = tw_type_size(type);
    if (kind != TW_PTO_PARAM_MEMORY && kind != TW_PTO_PARAM_TILE)
        return tw__fail(TW_E_TYPE, "%%%s is %s and takes no array", name, tw__as_type_text(t));
    if (!matches(t->element, type))
        return tw__fail(TW_E_TYPE, "%%%s is %s, the array's elements are %s", name, tw__as_type_text(t),
                        tw_type_name(type, TW_SYSTEM_PTO));
    for (unsigned i = 0; i < rank; i++)
        if (!tw__mul_size(bytes, extents[i], &bytes))
            return tw__fail(TW_E_OVERFLOW, "%%%s: extents overflow", name);
    tw_status status = check_extents(run, name, rank, extents);
    for (unsigned i = 0; i < t->rank && i < rank && status == TW_OK; i++) dims[i] = (int64_t)extents[i];
    if (status != TW_OK) return status;
    if (kind == TW_PTO_PARAM_TILE) {
        tw__as_set_tile(cell, &t->tile);
        if (rank > 0) cell->wide->tile.valid_rows = (uint32_t)extents[0];
        if (rank > 1) cell->wide->tile.valid_cols = (uint32_t)extents[1];
        status = tw_pto_write(run->run.core, &cell->wide->tile, data, bytes);
    } else if (t->kind == TW__AS_MEMREF) {
        status = tw__as_memref_view(cell, t, dims, data, bytes);
    } else {
        tw__as_set_wide(cell, TW__AS_PTR, 0);
        cell->wide->ptr.base = data;
        cell->wide->ptr.bytes = bytes;
        cell->wide->ptr.type = t->element;
    }
    run->bound[index] = status == TW_OK;
    return status;
}

/* Where the name stands, and what would give it a value. */
static tw_status not_bound(tw_pto_run *run, unsigned index)
{
    const tw__as_function *f = run->function;
    const tw__as_type *t = tw__text_param_type(f, index);
    const tw__as_place *where = index < f->params ? &f->param_where[index] : &f->free_where[index - f->params];
    const char *name = tw__text_param_name(f, index);
    char how[200] = "nothing can give it one";
    switch (tw__text_param_kind(t)) {
    case TW_PTO_PARAM_NUMBER: g_snprintf(how, sizeof how, "--arg %s=NUMBER gives it one", name); break;
    case TW_PTO_PARAM_MEMORY:
    case TW_PTO_PARAM_TILE:
        g_snprintf(how, sizeof how, "--arg %s=@file.npy or --arg %s=%s[EXTENTS] gives it one", name, name,
                   tw_type_name(t->element, TW_SYSTEM_PTO));
        break;
    case TW_PTO_PARAM_OTHER: break;
    }
    tw__as_error(run->text->module, where->line, where->column, where->length, "pto.argument",
                 "%%%s, %s, has no value: %s", name, tw__as_type_text(t), how);
    return tw__text_tell(run->text, TW_E_INVALID_ARGUMENT);
}

tw_status tw_pto_run_start(tw_pto_run *run, const tw_pto_run_options *given)
{
    if (!run) return tw__pto_given(run, "run");
    tw_pto_run_options own;
    const tw_pto_run_options *options = &own;
    tw_status status = TW__TAKE_OPTIONS(&own, given, tw_pto_run_options);
    if (status != TW_OK) return status;
    for (unsigned i = 0; i < tw__text_param_count(run->function); i++)
        if (!run->bound[i]) return not_bound(run, i);
    run->run.max_steps = options->max_steps ? options->max_steps : TW_PTO_DEFAULT_STEPS;
    run->run.steps = 0;
    run->run.max_ns = options->max_seconds > 0 ? (uint64_t)(options->max_seconds * 1e9) : 0;
    run->run.until = 0;
    run->run.out = options->out;
    run->run.block = options->block;
    run->run.blocks = options->blocks ? options->blocks : 1;
    status = tw__as_execute(&run->run, run->function);
    if (status != TW_OK) tw__text_tell(run->text, status);
    return status;
}

tw__as_run *tw__pto_text_run(tw_pto_run *run)
{
    return &run->run;
}

tw_status tw__pto_text_argument(const tw_pto_run *run, const char *name, const tw__as_cell **cell)
{
    int index = find_param(run, name);
    if (index < 0) return TW_E_SYMBOL;
    if (!run->bound[index]) return tw__fail(TW_E_INVALID_ARGUMENT, "%%%s has no value yet", name);
    *cell = &run->cell[tw__text_param_slot(run->function, (size_t)index)];
    return TW_OK;
}

tw_pto_tile *tw_pto_run_tile(tw_pto_run *run, const char *name)
{
    if (tw__pto_given(run, "run") != TW_OK || tw__pto_given(name, "name") != TW_OK) return NULL;
    const tw__as_function *f = run->function;
    const char *names[256];
    size_t count = 0;
    for (uint32_t s = f->slots; s-- > 0;) {
        if (run->cell[s].kind != TW__AS_TILE || !*f->slot_name[s]) continue;
        if (strcmp(f->slot_name[s], name) == 0) return &run->cell[s].wide->tile;
        if (count < 256) names[count++] = f->slot_name[s];
    }
    const char *near = tw__nearest(name, names, count);
    tw__fail(TW_E_SYMBOL,
             near ? "no tile '%s' exists at the end; did you mean '%s'?" : "no tile '%s' exists at the end", name,
             near);
    return NULL;
}
