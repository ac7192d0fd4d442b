/* SPDX-License-Identifier: MIT */
/* program: the public side of a compiled program. */
#include "csl/lang/program/program.h"
#include "csl/lang/compile.h"
#include "csl/lang/syntax/ast.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

/* --- life ----------------------------------------------------------------------------------------------------- */

tw_csl_program *tw__csl_program_new(tw__csl_image *image, const tw_csl_binding *params, size_t param_count,
                                    const tw_csl_binding *colors, size_t color_count)
{
    tw_csl_program *program = tw__calloc(1, sizeof *program);
    tw_csl_binding *rows = tw__calloc(param_count + color_count + 1, sizeof *rows);
    if (!program || !rows) {
        free(program);
        free(rows);
        tw__csl_image_free(image);
        tw__fail(TW_E_NO_MEMORY, "no memory for a program");
        return NULL;
    }
    for (size_t i = 0; i < param_count + color_count; i++) {
        const tw_csl_binding *given = i < param_count ? &params[i] : &colors[i - param_count];
        rows[i] = (tw_csl_binding){ g_strdup(given->name), given->value };
    }
    *program = (tw_csl_program){
        .image = image, .params = rows, .param_count = param_count + color_count, .first_color = param_count
    };
    return program;
}

void tw_csl_program_free(tw_csl_program *program)
{
    if (!program) return;
    for (size_t i = 0; i < program->param_count; i++) g_free((char *)program->params[i].name);
    free(program->params);
    tw__csl_image_free(program->image);
    free(program);
}

/* --- compiling ------------------------------------------------------------------------------------------------ */

static tw_status check_options(const tw_csl_options *o)
{
    if (o->channels > 16) return tw__fail(TW_E_INVALID_ARGUMENT, "channels: 1 to 16, not %u", o->channels);
    if (o->fabric_width > 4096 || o->fabric_height > 4096)
        return tw__fail(TW_E_INVALID_ARGUMENT, "fabric dimensions: at most 4096 x 4096 PEs, not %u x %u",
                        o->fabric_width, o->fabric_height);
    return TW_OK;
}

tw__csl_binding *tw__csl_bindings(const tw_csl_binding *from, size_t count)
{
    tw__csl_binding *to = tw__calloc(count + 1, sizeof *to);
    for (size_t i = 0; to && i < count; i++) to[i] = (tw__csl_binding){ from[i].name, from[i].value };
    return to;
}

tw__csl_compile_options tw__csl_inner_options(const char *file, const tw_csl_options *o,
                                              const tw__csl_binding *params, const tw__csl_binding *colors)
{
    static const tw_type fp16[] = { TW_F16, TW_BF16, TW_CB16 };
    return (tw__csl_compile_options){ .file = file,
                                      .wse3 = o->arch == TW_WSE3,
                                      .memcpy = o->memcpy,
                                      .channels = o->channels,
                                      .fabric_width = o->fabric_width,
                                      .fabric_height = o->fabric_height,
                                      .offset_x = o->offset_x,
                                      .offset_y = o->offset_y,
                                      .params = params,
                                      .param_count = o->param_count,
                                      .colors = colors,
                                      .color_count = o->color_count,
                                      .import_paths = o->import_paths,
                                      .import_path_count = o->import_path_count,
                                      .max_comptime_steps = o->max_comptime_steps,
                                      .max_seconds = o->max_seconds,
                                      .max_memory = o->max_memory,
                                      .max_inlined = o->max_inlined,
                                      .optimize = o->level != TW_CSL_O0,
                                      .fp16 = fp16[o->fp16 <= TW_CSL_CB16 ? o->fp16 : 0] };
}

static tw_status compile(tw_csl_program **out, const char *file, const tw_csl_options *options, tw_diags *diags)
{
    tw_csl_options own;
    const tw_csl_options *o = &own;
    *out = NULL;
    tw_status status = TW__TAKE_OPTIONS(&own, options, tw_csl_options);
    if (status == TW_OK) status = check_options(o);
    if (status != TW_OK) return status;
    if (strcmp(file, "-") != 0 && !g_file_test(file, G_FILE_TEST_IS_REGULAR)) /* - is the standard input */
        return tw__fail(
            TW_E_FILE_LOAD,
            g_file_test(file, G_FILE_TEST_EXISTS) ? "'%s' is not a regular file" : "there is no file '%s'", file);
    tw__csl_binding *params = tw__csl_bindings(o->params, o->param_count),
                    *colors = tw__csl_bindings(o->colors, o->color_count);
    tw__csl_compile_options inner = tw__csl_inner_options(file, o, params, colors);
    size_t warnings = tw_diags_count(diags, TW_WARNING);
    tw__csl_image *image = params && colors ? tw__csl_compile(&inner, diags) : NULL;
    free(params);
    free(colors);
    if (!image) {
        size_t errors = tw_diags_count(diags, TW_ERROR);
        return errors ? tw__fail(TW_E_PARSE, "'%s' has %zu error%s", file, errors, errors == 1 ? "" : "s")
                      : tw__fail(TW_E_NO_MEMORY, "no memory to compile '%s'", file);
    }
    if (o->warnings_are_errors && tw_diags_count(diags, TW_WARNING) > warnings) {
        tw__csl_image_free(image);
        return tw__fail(TW_E_PARSE, "'%s' has warnings, which are errors here", file);
    }
    *out = tw__csl_program_new(image, o->params, o->param_count, o->colors, o->color_count);
    return *out ? TW_OK : TW_E_NO_MEMORY;
}

tw_csl_program *tw_csl_compile(const char *file, const tw_csl_options *options, tw_diags *diags)
{
    tw_csl_program *program;
    tw_status status = compile(&program, file, options, diags);
    return tw__made(status, program);
}

char *tw_csl_format(const char *name, const char *text, size_t size, size_t *length, tw_diags *diags)
{
    size_t errors = tw_diags_count(diags, TW_ERROR);
    char *laid = tw__csl_format(name, text, size, length, diags);
    if (laid) return tw__made(TW_OK, laid);
    errors = tw_diags_count(diags, TW_ERROR) - errors;
    return tw__made(errors ? tw__fail(TW_E_PARSE, "'%s' has %zu error%s", name, errors, errors == 1 ? "" : "s")
                           : tw__fail(TW_E_NO_MEMORY, "no memory to format '%s'", name),
                    NULL);
}

/* --- questions ------------------------------------------------------------------------------------------------ */

void tw_csl_get_info(const tw_csl_program *program, tw_csl_info *info)
{
    if (!program) return;
    const tw__csl_image *i = program->image;
    *info = (tw_csl_info){ .arch = i->wse3 ? TW_WSE3 : TW_WSE2,
                           .fabric_width = i->fabric_width,
                           .fabric_height = i->fabric_height,
                           .x = i->offset_x,
                           .y = i->offset_y,
                           .width = i->width,
                           .height = i->height,
                           .programs = (unsigned)i->program_count,
                           .memcpy = i->memcpy,
                           .channels = i->channels };
}

bool tw_csl_param(const tw_csl_program *program, size_t index, tw_csl_binding *binding)
{
    if (!program) return false;
    if (index >= program->param_count) return false;
    *binding = program->params[index];
    return true;
}

bool tw_csl_get_export(const tw_csl_program *program, size_t index, tw_csl_export *out)
{
    if (!program) return false;
    if (index >= program->image->export_count) return false;
    const tw__csl_export_name *e = &program->image->exports[index];
    *out = (tw_csl_export){ .name = e->name,
                            .type = e->type_text,
                            .function = e->is_function,
                            .mutable_ = e->is_mutable,
                            .argument_count = e->param_count,
                            .element_bytes = e->is_function ? 0 : (unsigned)tw_type_size(e->type) };
    return true;
}

/* What there is in place of a name that is not: the nearest one, or the first ones. */
static void fail_unknown_export(const tw__csl_image *image, const char *name)
{
    enum { LISTED = 12 };
    char hint[TW__HINT_BYTES];
    const char **names = tw__calloc(image->export_count + 1, sizeof *names);
    for (size_t i = 0; names && i < image->export_count; i++) names[i] = image->exports[i].name;
    const char *near = names ? tw__nearest(name, names, image->export_count) : NULL;
    g_autoptr(GString) list = g_string_new(near ? tw__did_you_mean(hint, near) : "");
    for (size_t i = 0; names && !near && i < MIN(image->export_count, LISTED); i++)
        g_string_append_printf(list, "%s%s", i ? ", " : "; it exports ", names[i]);
    if (!near && image->export_count > LISTED) g_string_append(list, ", ...");
    tw__fail(TW_E_SYMBOL, "the program exports no '%s'%s", name, list->str);
    free(names);
}

int tw_csl_find_export(const tw_csl_program *program, const char *name)
{
    if (!program) return -1;
    for (size_t i = 0; i < program->image->export_count; i++)
        if (strcmp(program->image->exports[i].name, name) == 0) return (int)i;
    fail_unknown_export(program->image, name);
    return -1;
}

tw_status tw_csl_dump(const tw_csl_program *program, FILE *out)
{
    if (!program) return tw__missing("program");
    for (size_t i = 0; i < program->image->program_count; i++) {
        char *text = tw__csl_listing(program->image, (uint32_t)i);
        if (!text) return tw__fail(TW_E_NO_MEMORY, "no memory for a listing");
        fputs(text, out);
        free(text);
    }
    return ferror(out) ? tw__fail(TW_E_IO, "cannot write the listing") : TW_OK;
}
