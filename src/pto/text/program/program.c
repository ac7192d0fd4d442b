/* SPDX-License-Identifier: MIT */
/* program: the public side of PTO-AS (tilewright/pto/text.h): a program with its diagnostics, and its functions. */
#include "pto/text/program/program.h"

#include <glib.h>
#include <stdlib.h>

tw_status tw__text_tell(tw_pto_text *text, tw_status status)
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
    if (tw__pto_given(name, "name") != TW_OK || tw__pto_given(source, "source") != TW_OK)
        return tw__made(tw_error_status(), NULL);
    tw_pto_text *text = tw__calloc(1, sizeof *text);
    tw_diags *diags = text ? tw_diags_new() : NULL;
    tw__as_module *module = diags ? tw__as_parse(name, source, size, diags) : NULL;
    if (!module) {
        tw_diags_free(diags);
        free(text);
        return tw__made(tw__fail(TW_E_NO_MEMORY, "%s: no memory for the program", name), NULL);
    }
    *text = (tw_pto_text){ .diags = diags, .report = report, .user = user, .module = module };
    text->syntax_errors = tw__text_tell(text, TW_E_PARSE) != TW_OK;
    return text;
}

tw_pto_text *tw_pto_text_load(const char *path, tw_pto_report report, void *user)
{
    if (tw__pto_given(path, "path") != TW_OK) return tw__made(tw_error_status(), NULL);
    char *source = NULL;
    size_t size = 0;
    if (!(source = tw_read_file(path, TW_SOURCE_LIMIT, &size))) return tw__made(tw_error_status(), NULL);
    tw_pto_text *text = tw_pto_text_parse(path, source, size, report, user);
    free(source);
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
    if (!text) return NULL;
    return text->diags;
}

char *tw_pto_text_print(const tw_pto_text *text)
{
    if (!text) return NULL;
    char *printed = text->syntax_errors ? NULL : tw__as_print(text->module);
    if (!printed)
        tw__fail(text->syntax_errors ? TW_E_PARSE : TW_E_NO_MEMORY, "%s: %s", text->module->file,
                 text->syntax_errors ? "the program has syntax errors" : "no memory for the text");
    return printed;
}

bool tw_pto_text_target(const tw_pto_text *text, tw_pto_target *target)
{
    if (!text) return false;
    tw__set_error(TW_OK, "");
    for (const tw__as_line *line = text->module->top.first; line; line = line->next)
        for (const tw__as_item *i = line->leaf ? NULL : line->whole->items; i; i = i->next)
            for (const tw__as_item *d = i->kind == TW__AS_DICT ? i->child : NULL; d; d = d->next) {
                char name[32];
                if (!d->text || !d->has_value || !d->child->text || strcmp(d->text, "pto.target_arch") != 0)
                    continue;
                g_strlcpy(name, d->child->text + (*d->child->text == '"'), sizeof name);
                name[strcspn(name, "\"")] = 0;
                if (tw_pto_target_by_name(name, target)) return true;
                char reason[200];
                g_strlcpy(reason, tw_error_message(), sizeof reason);
                tw__as_error(text->module, d->child->line, d->child->column, d->child->length, "pto.target", "%s",
                             reason);
                tw__fail(TW_E_PARSE, "%s:%d:%d: %s", text->module->file, d->child->line, d->child->column, reason);
                return false;
            }
    return false;
}

tw_status tw_pto_text_verify(tw_pto_text *text, tw_pto_target target)
{
    if (!text) return tw__missing("text");
    if ((unsigned)target >= TW_PTO_TARGETS)
        return tw__fail(TW_E_INVALID_ARGUMENT, "there is no target %d", (int)target);
    if (text->syntax_errors) return tw__fail(TW_E_PARSE, "%s: the program has syntax errors", text->module->file);
    if (text->program[target]) return TW_OK;
    text->program[target] = tw__as_bind(text->module, target);
    tw_status status = tw__text_tell(text, TW_E_PARSE);
    return status == TW_OK && !text->program[target] ? tw__fail(TW_E_NO_MEMORY, "no memory to verify the program")
                                                     : status;
}

/* --- functions -------------------------------------------------------------------------------------------------- */

static const tw__as_program *any_program(const tw_pto_text *text)
{
    for (int t = 0; t < TW_PTO_TARGETS; t++)
        if (text->program[t]) return text->program[t];
    return NULL;
}

const tw__as_function *tw__text_function(const tw__as_program *program, const char *name)
{
    const tw__as_function *f = program ? program->functions : NULL;
    while (f && (name ? strcmp(f->name, name) != 0 : f->declared)) f = f->next;
    return f && !f->declared ? f : NULL;
}

const char *tw_pto_text_function(const tw_pto_text *text, size_t index)
{
    if (!text) return NULL;
    const tw__as_program *program = any_program(text);
    for (const tw__as_function *f = program ? program->functions : NULL; f; f = f->next)
        if (!f->declared && index-- == 0) return f->name;
    return NULL;
}

unsigned tw__text_param_count(const tw__as_function *f)
{
    return f->params + f->free_count;
}
uint32_t tw__text_param_slot(const tw__as_function *f, size_t index)
{
    return index < f->params ? f->param_slot[index] : f->free_name[index - f->params];
}
const char *tw__text_param_name(const tw__as_function *f, size_t index)
{
    return index < f->params ? f->param[index] : f->slot_name[tw__text_param_slot(f, index)];
}
const tw__as_type *tw__text_param_type(const tw__as_function *f, size_t index)
{
    return index < f->params ? &f->param_type[index] : f->slot_type[tw__text_param_slot(f, index)];
}

tw_pto_param_kind tw__text_param_kind(const tw__as_type *t)
{
    bool memory = (t->kind == TW__AS_PTR && !t->on_chip) || t->kind == TW__AS_MEMREF;
    return t->kind == TW__AS_SCALAR || t->kind == TW__AS_INDEX ? TW_PTO_PARAM_NUMBER
           : memory                                            ? TW_PTO_PARAM_MEMORY
           : t->kind == TW__AS_TILE && !t->tile.conv           ? TW_PTO_PARAM_TILE
                                                               : TW_PTO_PARAM_OTHER;
}

bool tw_pto_text_param(const tw_pto_text *text, const char *function, size_t index, tw_pto_param *param)
{
    if (!text) return false;
    const tw__as_function *f = tw__text_function(any_program(text), function);
    if (!f || index >= tw__text_param_count(f)) return false;
    const tw__as_type *t = tw__text_param_type(f, index);
    *param = (tw_pto_param){ .name = tw__text_param_name(f, index),
                             .kind = tw__text_param_kind(t),
                             .element = t->element };
    param->type = t->text ? t->text : tw_type_name(t->element, TW_SYSTEM_PTO);
    if (t->kind == TW__AS_MEMREF) param->rank = t->rank;
    for (unsigned i = 0; i < param->rank; i++) param->extents[i] = t->dims[i];
    if (t->kind != TW__AS_TILE) return true;
    param->rank = 2;
    param->extents[0] = t->tile.valid_rows == TW_PTO_DYNAMIC ? -1 : (int64_t)t->tile.valid_rows;
    param->extents[1] = t->tile.valid_cols == TW_PTO_DYNAMIC ? -1 : (int64_t)t->tile.valid_cols;
    return true;
}

/* Adds the names of memory and tiles of `f`; true when `name` is among them. */
static bool has_output(const tw__as_function *f, const char *name, GPtrArray *names)
{
    for (unsigned i = 0; i < tw__text_param_count(f); i++) {
        tw_pto_param_kind kind = tw__text_param_kind(tw__text_param_type(f, i));
        if (kind == TW_PTO_PARAM_MEMORY) g_ptr_array_add(names, (char *)tw__text_param_name(f, i));
    }
    for (uint32_t s = 0; s < f->slots; s++)
        if (f->slot_type[s] && f->slot_type[s]->kind == TW__AS_TILE && *f->slot_name[s])
            g_ptr_array_add(names, (char *)f->slot_name[s]);
    for (guint i = 0; i < names->len; i++)
        if (strcmp(names->pdata[i], name) == 0) return true;
    return false;
}

tw_status tw_pto_text_find_output(const tw_pto_text *text, const char *function, const char *name)
{
    if (!text) return tw__missing("text");
    const tw__as_program *program = any_program(text);
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    char hint[TW__HINT_BYTES];
    bool found = false;
    for (const tw__as_function *f = program ? program->functions : NULL; f && !found; f = f->next)
        if (!f->declared && (!function || strcmp(f->name, function) == 0)) found = has_output(f, name, names);
    if (found) return TW_OK;
    const char *near = tw__nearest(name, (const char *const *)names->pdata, names->len);
    return tw__fail(TW_E_SYMBOL, "neither memory nor a tile has the name '%s'%s", name,
                    tw__did_you_mean(hint, near));
}

const tw__as_program *tw__pto_text_program(const tw_pto_text *text)
{
    return any_program(text);
}
