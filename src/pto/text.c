/* text: the public side of PTO-AS (tilewright/pto_text.h): a program with its diagnostics, and runs of its functions. */
#include "pto/as.h"

#include <errno.h>
#include <glib.h>
#include <stdlib.h>
#include <tilewright/pto_text.h>

struct tw_pto_text {
    tw_diags *diags;
    tw_pto_report report;
    void *user;
    size_t reported; /* diagnostics that `report` has seen */
    tw__as_module *module;
    tw__as_program *program[TW_PTO_TARGETS]; /* NULL = not verified, or refused */
    bool syntax_errors;
};

struct tw_pto_run {
    tw_pto_text *text;
    const tw__as_function *function;
    tw__as_cell *cell;
    bool *bound; /* by parameter, then by free name */
    tw__as_run run;
};

/* Tells the user what is new; the message of the thread is the first error of it. */
static tw_status tell(tw_pto_text *text, tw_status status)
{
    const tw_diag *d, *first = NULL;
    for (; (d = tw_diags_get(text->diags, text->reported)); text->reported++) {
        if (!first && d->severity == TW_ERROR) first = d;
        if (text->report) text->report(text->user, d);
    }
    if (first) tw__fail(status, "%s:%d:%d: %s", first->file, first->line, first->column, first->message);
    return first ? status : TW_OK;
}

tw_pto_text *tw_pto_text_parse(const char *name, const char *source, size_t size, tw_pto_report report, void *user)
{
    tw_pto_text *text = tw__calloc(1, sizeof *text);
    tw_diags *diags = text ? tw_diags_new() : NULL;
    tw__as_module *module = diags ? tw__as_parse(name, source, size, diags) : NULL;
    if (!module) {
        tw_diags_free(diags);
        free(text);
        tw__fail(TW_E_NO_MEMORY, "%s: no memory for the program", name);
        return NULL;
    }
    *text = (tw_pto_text){ .diags = diags, .report = report, .user = user, .module = module };
    text->syntax_errors = tell(text, TW_E_PARSE) != TW_OK;
    return text;
}

tw_pto_text *tw_pto_text_load(const char *path, tw_pto_report report, void *user)
{
    char *source = NULL;
    gsize size = 0;
    GError *error = NULL;
    if (!g_file_get_contents(path, &source, &size, &error)) {
        tw__fail(TW_E_FILE_LOAD, "%s", error->message);
        g_error_free(error);
        return NULL;
    }
    tw_pto_text *text = tw_pto_text_parse(path, source, size, report, user);
    g_free(source);
    return text;
}

void tw_pto_text_free(tw_pto_text *text)
{
    if (!text) return;
    tw__as_free(text->module);
    tw_diags_free(text->diags);
    free(text);
}

const tw_diags *tw_pto_text_diags(const tw_pto_text *text)
{
    return text->diags;
}

char *tw_pto_text_print(const tw_pto_text *text)
{
    char *printed = text->syntax_errors ? NULL : tw__as_print(text->module);
    if (!printed)
        tw__fail(text->syntax_errors ? TW_E_PARSE : TW_E_NO_MEMORY, "%s: %s", text->module->file,
                 text->syntax_errors ? "the program has syntax errors" : "no memory for the text");
    return printed;
}

bool tw_pto_text_target(const tw_pto_text *text, tw_pto_target *target)
{
    tw__set_error_message("");
    for (const tw__as_op *op = text->module->top.first; op; op = op->next)
        for (const tw__as_item *i = op->items; i; i = i->next)
            for (const tw__as_item *d = i->kind == TW__AS_DICT ? i->child : NULL; d; d = d->next) {
                char name[32];
                if (!d->text || !d->has_value || !d->child->text || strcmp(d->text, "pto.target_arch") != 0)
                    continue;
                g_strlcpy(name, d->child->text + (*d->child->text == '"'), sizeof name);
                name[strcspn(name, "\"")] = 0;
                return tw_pto_target_by_name(name, target);
            }
    return false;
}

tw_status tw_pto_text_verify(tw_pto_text *text, tw_pto_target target)
{
    if ((unsigned)target >= TW_PTO_TARGETS)
        return tw__fail(TW_E_INVALID_ARGUMENT, "there is no target %d", (int)target);
    if (text->syntax_errors) return tw__fail(TW_E_PARSE, "%s: the program has syntax errors", text->module->file);
    if (text->program[target]) return TW_OK;
    text->program[target] = tw__as_bind(text->module, target);
    tw_status status = tell(text, TW_E_PARSE);
    return status == TW_OK && !text->program[target] ? tw__fail(TW_E_NO_MEMORY, "no memory to verify the program")
                                                     : status;
}

/* --- functions ------------------------------------------------------------------------------------------------------------ */

static const tw__as_program *any_program(const tw_pto_text *text)
{
    for (int t = 0; t < TW_PTO_TARGETS; t++)
        if (text->program[t]) return text->program[t];
    return NULL;
}

static const tw__as_function *function_of(const tw__as_program *program, const char *name)
{
    const tw__as_function *f = program ? program->functions : NULL;
    while (f && (name ? strcmp(f->name, name) != 0 : f->declared)) f = f->next;
    return f && !f->declared ? f : NULL;
}

const char *tw_pto_text_function(const tw_pto_text *text, size_t index)
{
    const tw__as_program *program = any_program(text);
    for (const tw__as_function *f = program ? program->functions : NULL; f; f = f->next)
        if (!f->declared && index-- == 0) return f->name;
    return NULL;
}

static unsigned param_count(const tw__as_function *f)
{
    return f->params + f->free_count;
}
static uint32_t param_slot(const tw__as_function *f, size_t index)
{
    return index < f->params ? f->param_slot[index] : f->free_name[index - f->params];
}
static const char *param_name(const tw__as_function *f, size_t index)
{
    return index < f->params ? f->param[index] : f->slot_name[param_slot(f, index)];
}
static const tw__as_type *param_type(const tw__as_function *f, size_t index)
{
    return index < f->params ? &f->param_type[index] : &f->slot_type[param_slot(f, index)];
}

static tw_pto_param_kind kind_of(const tw__as_type *t)
{
    bool memory = (t->kind == TW__AS_PTR && !t->on_chip) || t->kind == TW__AS_MEMREF;
    return t->kind == TW__AS_SCALAR || t->kind == TW__AS_INDEX ? TW_PTO_PARAM_NUMBER
           : memory                                            ? TW_PTO_PARAM_MEMORY
           : t->kind == TW__AS_TILE                            ? TW_PTO_PARAM_TILE
                                                               : TW_PTO_PARAM_OTHER;
}

bool tw_pto_text_param(const tw_pto_text *text, const char *function, size_t index, tw_pto_param *param)
{
    const tw__as_function *f = function_of(any_program(text), function);
    if (!f || index >= param_count(f)) return false;
    const tw__as_type *t = param_type(f, index);
    *param = (tw_pto_param){ .name = param_name(f, index), .kind = kind_of(t), .element = t->element };
    param->type = t->text ? t->text : tw_type_name(t->element, TW_SYSTEM_PTO);
    if (t->kind == TW__AS_MEMREF) param->rank = t->rank;
    for (unsigned i = 0; i < param->rank; i++) param->extents[i] = t->dims[i];
    if (t->kind != TW__AS_TILE) return true;
    param->rank = 2;
    param->extents[0] = t->tile.valid_rows == TW_PTO_DYNAMIC ? -1 : (int64_t)t->tile.valid_rows;
    param->extents[1] = t->tile.valid_cols == TW_PTO_DYNAMIC ? -1 : (int64_t)t->tile.valid_cols;
    return true;
}

/* --- runs -------------------------------------------------------------------------------------------------------------- */

tw_pto_run *tw_pto_run_new(tw_pto_text *text, const char *function, tw_pto *core)
{
    const tw__as_program *program = text->program[tw_pto_get_target(core)];
    if (!program) {
        tw__fail(TW_E_INVALID_ARGUMENT, "%s has not been verified for %s", text->module->file,
                 tw_pto_target_name(tw_pto_get_target(core)));
        return NULL;
    }
    const tw__as_function *f = function_of(program, function);
    if (!f) {
        const char *names[64], *near;
        size_t count = 0;
        for (const tw__as_function *g = program->functions; g && count < 64; g = g->next) names[count++] = g->name;
        near = function ? tw__nearest(function, names, count) : NULL;
        tw__fail(TW_E_SYMBOL,
                 !function ? "%s%.0s is empty"
                 : near    ? "%s: there is no function @%s; did you mean '@%s'?"
                           : "%s: there is no function @%s",
                 text->module->file, function ? function : "", near);
        return NULL;
    }
    tw_pto_run *run = tw__calloc(1, sizeof *run);
    if (run) {
        run->cell = tw__calloc(f->slots + 1, sizeof *run->cell);
        run->bound = tw__calloc(param_count(f) + 1, sizeof *run->bound);
    }
    if (!run || !run->cell || !run->bound) {
        tw_pto_run_free(run);
        tw__fail(TW_E_NO_MEMORY, "no memory to run @%s", f->name);
        return NULL;
    }
    run->text = text;
    run->function = f;
    run->run = (tw__as_run){ .core = core, .program = program, .cell = run->cell };
    return run;
}

const tw_pto_text *tw_pto_run_text(const tw_pto_run *run)
{
    return run->text;
}

void tw_pto_run_free(tw_pto_run *run)
{
    if (!run) return;
    for (uint32_t s = 0; run->function && s < run->function->slots; s++)
        if (run->cell[s].kind == TW__AS_TILE && run->cell[s].rank)
            tw_pto_release(run->run.core, &run->cell[s].tile);
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
    for (unsigned i = 0; i < param_count(f); i++) {
        if (strcmp(param_name(f, i), name) == 0) return (int)i;
        if (count < 256) names[count++] = param_name(f, i);
    }
    const char *near = tw__nearest(name, names, count), *of = *f->name ? f->name : "the program";
    tw__fail(TW_E_SYMBOL, near ? "%s has no argument '%s'; did you mean '%s'?" : "%s has no argument '%s'", of,
             name, near);
    return -1;
}

static tw_status set_scalar(tw_pto_run *run, int index, uint64_t bits)
{
    const tw__as_type *t = param_type(run->function, (size_t)index);
    tw__as_cell *cell = &run->cell[param_slot(run->function, (size_t)index)];
    *cell = (tw__as_cell){ .kind = t->kind, .scalar = tw_pto_bits(t->element, bits) };
    cell->scalar.bits = tw__as_natural(cell);
    run->bound[index] = true;
    return TW_OK;
}

static tw_status not_a_number(const tw_pto_run *run, int index)
{
    return tw__fail(TW_E_TYPE, "%%%s is %s, not a number", param_name(run->function, (size_t)index),
                    tw__as_type_text(param_type(run->function, (size_t)index)));
}

tw_status tw_pto_run_number(tw_pto_run *run, const char *name, const char *value)
{
    int64_t bits;
    int index = find_param(run, name);
    if (index < 0) return TW_E_SYMBOL;
    const tw__as_type *t = param_type(run->function, (size_t)index);
    if (kind_of(t) != TW_PTO_PARAM_NUMBER) return not_a_number(run, index);
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
    int index = find_param(run, name);
    if (index < 0) return TW_E_SYMBOL;
    const tw__as_type *t = param_type(run->function, (size_t)index);
    if (kind_of(t) != TW_PTO_PARAM_NUMBER) return not_a_number(run, index);
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
    int index = find_param(run, name);
    if (index < 0) return TW_E_SYMBOL;
    const tw__as_type *t = param_type(run->function, (size_t)index);
    tw__as_cell *cell = &run->cell[param_slot(run->function, (size_t)index)];
    tw_pto_param_kind kind = kind_of(t);
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
        *cell = (tw__as_cell){ .kind = TW__AS_TILE, .tile = t->tile, .rank = 1 };
        if (rank > 0) cell->tile.valid_rows = (uint32_t)extents[0];
        if (rank > 1) cell->tile.valid_cols = (uint32_t)extents[1];
        status = tw_pto_write(run->run.core, &cell->tile, data, bytes);
    } else if (t->kind == TW__AS_MEMREF) {
        status = tw__as_memref_view(cell, t, dims, data, bytes);
    } else {
        *cell = (tw__as_cell){ .kind = TW__AS_PTR };
        cell->ptr.base = data;
        cell->ptr.bytes = bytes;
        cell->ptr.type = t->element;
    }
    run->bound[index] = status == TW_OK;
    return status;
}

tw_status tw_pto_run_start(tw_pto_run *run, const tw_pto_run_options *options)
{
    static const tw_pto_run_options defaults = { 0 };
    if (!options) options = &defaults;
    for (unsigned i = 0; i < param_count(run->function); i++)
        if (!run->bound[i])
            return tw__fail(TW_E_INVALID_ARGUMENT, "%%%s, %s, has no value", param_name(run->function, i),
                            tw__as_type_text(param_type(run->function, i)));
    run->run.max_steps = options->max_steps ? options->max_steps : UINT64_C(1) << 40;
    run->run.steps = 0;
    run->run.out = options->out;
    run->run.block = options->block;
    run->run.blocks = options->blocks ? options->blocks : 1;
    tw_status status = tw__as_execute(&run->run, run->function);
    if (status != TW_OK) tell(run->text, status);
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
    *cell = &run->cell[param_slot(run->function, (size_t)index)];
    return TW_OK;
}

const tw__as_program *tw__pto_text_program(const tw_pto_text *text)
{
    return any_program(text);
}

tw_pto_tile *tw_pto_run_tile(tw_pto_run *run, const char *name)
{
    const tw__as_function *f = run->function;
    const char *names[256];
    size_t count = 0;
    for (uint32_t s = f->slots; s-- > 0;) {
        if (run->cell[s].kind != TW__AS_TILE || !*f->slot_name[s]) continue;
        if (strcmp(f->slot_name[s], name) == 0) return &run->cell[s].tile;
        if (count < 256) names[count++] = f->slot_name[s];
    }
    const char *near = tw__nearest(name, names, count);
    tw__fail(TW_E_SYMBOL,
             near ? "no tile '%s' exists at the end; did you mean '%s'?" : "no tile '%s' exists at the end", name,
             near);
    return NULL;
}
