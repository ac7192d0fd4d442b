/* SPDX-License-Identifier: MIT */
/* popc as a library (guide 2.8.2); src/cli/poplar/popc.c is the command. */
#include "poplar/codelet/compile/compile.h"

#include <stdlib.h>
#include <string.h>
#include <tilewright/poplar/popc.h>

#define ALL_TARGETS "cpu,ipu1,ipu2,ipu21"

const char *tw_popc_targets(void)
{
    return ALL_TARGETS;
}

size_t tw_popc_mangle(const char *vertex_name, char *buffer, size_t size)
{
    g_autofree char *symbol = tw__mangle(vertex_name);
    size_t length = strlen(symbol);
    if (size) g_strlcpy(buffer, symbol, size);
    return length;
}

/* --- targets ----------------------------------------------------------------------------------------------- */

static void clear_target(gpointer data)
{
    tw__gp_target *target = data;
    g_free(target->name);
    g_free(target->arch);
    g_strfreev(target->flags);
}

/* "ipu2" or "mk2" -> "ipu2"; NULL when unknown. */
static const char *canonical_arch(const char *name)
{
    tw__arch arch;
    if (strcmp(name, "cpu") == 0) return "cpu";
    return tw__arch_by_name(name, &arch) ? tw__arch_name(arch) : NULL;
}

static tw_status add_target(GArray *targets, const char *name, const char *arch, char **flags)
{
    const char *canonical = canonical_arch(arch);
    if (!canonical) {
        g_strfreev(flags);
        return tw__fail(TW_E_INVALID_ARGUMENT, "unknown target '%s': expected one of " ALL_TARGETS, arch);
    }
    bool plain = strcmp(name, arch) == 0;
    tw__gp_target target = { g_strdup(plain ? canonical : name), g_strdup(canonical), flags };
    g_array_append_val(targets, target);
    return TW_OK;
}

/* {"name": "ipu2:cpp", "arch": "ipu2", "compile-flags": ["-DX"]}, or "ipu2". */
static tw_status add_json_target(GArray *targets, const json_t *item)
{
    const char *name = json_string_value(item);
    if (name) return add_target(targets, name, name, NULL);
    name = json_string_value(json_object_get(item, "name"));
    const char *arch = json_string_value(json_object_get(item, "arch"));
    if (!name || !arch)
        return tw__fail(TW_E_INVALID_ARGUMENT,
                        "a target is a name or {\"name\": ..., \"arch\": ..., \"compile-flags\": [...]}");
    GPtrArray *flags = g_ptr_array_new();
    size_t index;
    json_t *flag;
    tw_status status = TW_OK;
    json_array_foreach(json_object_get(item, "compile-flags"), index, flag)
    {
        const char *text = json_string_value(flag);
        if (status == TW_OK)
            status = text ? tw__check_flag(text) : tw__fail(TW_E_INVALID_ARGUMENT, "a flag is a text");
        if (status == TW_OK) g_ptr_array_add(flags, g_strdup(text));
    }
    g_ptr_array_add(flags, NULL);
    char **list = (char **)g_ptr_array_free(flags, FALSE);
    if (status == TW_OK) return add_target(targets, name, arch, list);
    g_strfreev(list);
    return status;
}

static tw_status parse_targets(const char *text, GArray *targets)
{
    tw_status status = TW_OK;
    if (*text == '[' || *text == '"' || *text == '{') {
        json_error_t error;
        json_t *list = json_loads(text, JSON_DECODE_ANY, &error), *item;
        size_t index;
        if (!list) return tw__fail(TW_E_INVALID_ARGUMENT, "targets '%s': %s", text, error.text);
        if (!json_is_array(list)) status = add_json_target(targets, list);
        json_array_foreach(list, index, item)
        {
            if (status == TW_OK) status = add_json_target(targets, item);
        }
        json_decref(list);
    } else {
        g_auto(GStrv) names = g_strsplit(text, ",", -1);
        for (char **name = names; *name && status == TW_OK; name++)
            status = add_target(targets, g_strstrip(*name), *name, NULL);
    }
    if (status == TW_OK && targets->len == 0)
        status = tw__fail(TW_E_INVALID_ARGUMENT, "the list of targets is empty");
    return status;
}

/* --- files ------------------------------------------------------------------------------------------------- */

static tw_status write_gp(tw__gp *gp, const char *path, const char *const *inputs, size_t count)
{
    tw__gp_make_index(gp);
    GString *data = tw__gp_write(gp);
    tw_status status = tw_write_file(path, data->str, data->len, inputs, count);
    g_string_free(data, TRUE);
    return status;
}

static tw_status merge_file(tw__gp *gp, const char *path)
{
    char *data;
    size_t size;
    tw_status status = tw__read_file(path, &data, &size);
    if (status != TW_OK) return status;
    tw__gp *other = tw__gp_take_file(path, data, size);
    if (!other) {
        g_autofree char *reason = g_strdup(tw_error_message());
        return tw__fail(TW_E_OBJECT_LOAD, "%s: %s", path, reason);
    }
    status = tw__gp_merge(gp, other, path);
    tw__gp_free(other);
    return status;
}

/* As make reads names. */
static void add_name(GString *rule, const char *name)
{
    for (; *name; name++) {
        if (*name == '$') g_string_append_c(rule, '$');
        if (*name == ' ' || *name == '#') g_string_append_c(rule, '\\');
        g_string_append_c(rule, *name);
    }
}

static void add_dependency(GString *rule, const char *name)
{
    g_string_append(rule, " \\\n  ");
    add_name(rule, name);
}

static void add_headers(GString *rule, const tw__gp *gp)
{
    size_t i, k;
    json_t *unit, *header;
    json_array_foreach(tw__gp_units(gp), i, unit)
    {
        json_array_foreach(json_object_get(unit, "headers"), k, header)
            add_dependency(rule, json_string_value(json_object_get(header, "path")));
    }
}

static tw_status compile_file(tw__gp *gp, const char *path, char **flags, const GArray *targets, GString *rule,
                              tw_diags *diags)
{
    char *text;
    size_t size;
    bool is_assembly;
    tw__codelet_type type = tw__codelet_type_of(path, &is_assembly);
    add_dependency(rule, path);
    if (type == TW__CODELET_OBJECT) return merge_file(gp, path);
    tw_status status = tw__read_file(path, &text, &size);
    if (status != TW_OK) return status;
    if (!is_assembly && type == TW__CODELET_AUTO)
        status =
            tw__fail(TW_E_FILE_LOAD, "%s: unknown kind of file: expected .c, .cpp, .cc, .cxx, .S, .o or .gp", path);
    else if (strlen(text) != size)
        status = tw__fail(TW_E_FILE_LOAD, "%s is not a text file", path);
    if (status == TW_OK) {
        tw__source source = { path, text, type == TW__CODELET_C, (const char *const *)flags };
        tw__gp *one = tw__gp_new();
        const tw__gp_target *list = (const tw__gp_target *)(void *)targets->data;
        status = (is_assembly ? tw__gp_assemble : tw__gp_compile)(one, &source, list, targets->len, diags);
        if (status == TW_OK) add_headers(rule, one);
        if (status == TW_OK) status = tw__gp_merge(gp, one, path);
        tw__gp_free(one);
    }
    free(text);
    return status;
}

tw_status tw_popc_build(const char *const *inputs, size_t count, const tw_popc_options *given, tw_diags *diags)
{
    tw_popc_options own;
    const tw_popc_options *options = &own;
    tw_status status = TW__TAKE_OPTIONS(&own, given, tw_popc_options);
    if (status != TW_OK) return status;
    if (!options->output) return tw__fail(TW_E_INVALID_ARGUMENT, "popc: an output is required");
    GArray *targets = g_array_new(FALSE, FALSE, sizeof(tw__gp_target));
    g_array_set_clear_func(targets, clear_target);
    char **flags = NULL;
    tw__gp *gp = tw__gp_new();
    GString *rule = g_string_new(NULL);
    add_name(rule, options->rule ? options->rule : options->output);
    g_string_append_c(rule, ':');
    status = parse_targets(options->targets ? options->targets : ALL_TARGETS, targets);
    if (status == TW_OK) status = tw__split_flags(options->flags, &flags);
    for (size_t i = 0; i < count && status == TW_OK; i++)
        status = inputs[i] ? compile_file(gp, inputs[i], flags, targets, rule, diags)
                           : tw__fail(TW_E_INVALID_ARGUMENT, "popc: input %zu is NULL", i);
    if (status == TW_OK) status = write_gp(gp, options->output, inputs, count);
    g_string_append_c(rule, '\n');
    if (status == TW_OK && options->depfile)
        status = tw_write_file(options->depfile, rule->str, rule->len, inputs, count);
    g_string_free(rule, TRUE);
    tw__gp_free(gp);
    g_strfreev(flags);
    g_array_free(targets, TRUE);
    return status;
}

tw_status tw_popc_compile(const char *source, const tw_popc_options *options, tw_diags *diags)
{
    return tw_popc_build(&source, 1, options, diags);
}

tw_status tw_popc_merge(const char *const *files, size_t count, const char *output)
{
    tw__gp *gp = tw__gp_new();
    tw_status status = TW_OK;
    for (size_t i = 0; i < count && status == TW_OK; i++) status = merge_file(gp, files[i]);
    if (status == TW_OK) status = write_gp(gp, output, files, count);
    tw__gp_free(gp);
    return status;
}

/* --- clang's own output for the host ----------------------------------------------------------------------- */

static tw_status run_clang(const tw__source *source, bool assembly, char **output)
{
    const tw__toolchain *toolchain;
    tw_status status = tw__toolchain_get(&toolchain);
    if (status != TW_OK) return status;
    GPtrArray *args = tw__toolchain_args(toolchain, source, TW__BUILD_FLOAT, 0);
    g_ptr_array_insert(args, 0, g_strdup(toolchain->clang));
    g_ptr_array_remove_index(args, args->len - 1);
    const char *more[] = { assembly ? "-S" : "-E", "-", "-o", "-" };
    for (size_t i = 0; i < G_N_ELEMENTS(more); i++) g_ptr_array_add(args, g_strdup(more[i]));
    g_ptr_array_add(args, NULL);
    GString *input = g_string_new(NULL);
    tw__add_line_marker(input, source->path);
    g_string_append(input, source->text);
    char *messages = NULL;
    int exit_status = 1;
    status = tw__run((char **)args->pdata, input->str, input->len, output, &messages, &exit_status);
    if (status == TW_OK && exit_status != 0) status = tw__fail(TW_E_COMPILATION, "%s", messages);
    g_free(messages);
    g_string_free(input, TRUE);
    g_ptr_array_free(args, TRUE);
    return status;
}

char *tw_popc_translate(const char *path, bool assembly, const tw_popc_options *options)
{
    char **flags = NULL, *read = NULL, *output = NULL, *text = NULL;
    tw_popc_options own;
    tw_status status = TW__TAKE_OPTIONS(&own, options, tw_popc_options);
    if (status == TW_OK) status = tw__split_flags(own.flags, &flags);
    if (status == TW_OK) status = tw__read_file(path, &read, NULL);
    char *rewritten = status == TW_OK ? tw__rewrite_constraints(read, strlen(read)) : NULL;
    tw__source source = { path, rewritten ? rewritten : read, tw__codelet_type_of(path, NULL) == TW__CODELET_C,
                          (const char *const *)flags };
    if (status == TW_OK) status = run_clang(&source, assembly, &output);
    if (status == TW_OK && !(text = strdup(output))) status = tw__fail(TW_E_NO_MEMORY, "no memory for it");
    g_free(output);
    free(rewritten);
    free(read);
    g_strfreev(flags);
    return tw__made(status, text);
}

tw_status tw_popc_translate_file(const char *path, bool assembly, const tw_popc_options *options)
{
    tw_popc_options own;
    tw_status status = TW__TAKE_OPTIONS(&own, options, tw_popc_options);
    if (status != TW_OK) return status;
    if (!own.output) return tw__fail(TW_E_INVALID_ARGUMENT, "no output file is given");
    char *text = tw_popc_translate(path, assembly, options);
    status = text ? tw_write_file(own.output, text, strlen(text), &path, 1) : tw_error_status();
    free(text);
    return status;
}

/* --- code of a chip -------------------------------------------------------------------------------------------- */

/* Of assembly the object alone. */
static tw_status assembled_code(const tw__source *source, tw__arch arch, GByteArray *code, tw_diags *diags)
{
    tw_object *object;
    size_t size = 0;
    tw_status status = tw__assemble(source->path, source->flags, arch, &object, diags);
    uint8_t *bytes = status == TW_OK ? tw_object_to_elf(object, &size) : NULL;
    if (status == TW_OK && !bytes) status = tw_error_status();
    if (bytes) g_byte_array_append(code, bytes, (guint)size);
    free(bytes);
    tw_object_free(object);
    return status;
}

static tw_status compiled_code(const tw__source *source, tw__arch arch, bool assembly, GByteArray *code,
                               tw_diags *diags)
{
    char *bytes = NULL;
    size_t size = 0;
    tw_status status = tw__chip_bytes(source, arch, assembly, &bytes, &size, diags);
    if (status == TW_OK) g_byte_array_append(code, (const guint8 *)bytes, (guint)size);
    g_free(bytes);
    return status;
}

static tw_status code_of(const char *path, bool assembly, const tw_popc_options *own, GByteArray *code,
                         tw_diags *diags)
{
    tw__arch arch;
    const char *target = own->targets ? own->targets : "ipu2";
    char **flags = NULL, *text = NULL;
    size_t size = 0;
    bool is_assembly;
    tw__codelet_type type = tw__codelet_type_of(path, &is_assembly);
    if (!tw__arch_by_name(target, &arch))
        return tw__fail(TW_E_INVALID_ARGUMENT, "'%s' is not one chip: expected ipu1, ipu2 or ipu21", target);
    if (is_assembly ? assembly : type != TW__CODELET_C && type != TW__CODELET_CPP)
        return tw__fail(TW_E_INVALID_ARGUMENT, "%s: expected a source in C or C++%s", path,
                        is_assembly ? "; this is assembly" : "");
    tw_status status = tw__split_flags(own->flags, &flags);
    if (status == TW_OK) status = tw__read_file(path, &text, &size);
    if (status == TW_OK && strlen(text) != size) status = tw__fail(TW_E_FILE_LOAD, "%s is not a text file", path);
    tw__source source = { path, text, type == TW__CODELET_C, (const char *const *)flags };
    if (status == TW_OK)
        status = is_assembly ? assembled_code(&source, arch, code, diags)
                             : compiled_code(&source, arch, assembly, code, diags);
    free(text);
    g_strfreev(flags);
    return status;
}

char *tw_popc_code(const char *path, bool assembly, const tw_popc_options *options, size_t *size, tw_diags *diags)
{
    tw_popc_options own;
    *size = 0;
    tw_status status = TW__TAKE_OPTIONS(&own, options, tw_popc_options);
    GByteArray *code = g_byte_array_new();
    if (status == TW_OK) status = code_of(path, assembly, &own, code, diags);
    char *out = status == TW_OK ? malloc(code->len + (size_t)1) : NULL;
    if (status == TW_OK && !out) status = tw__fail(TW_E_NO_MEMORY, "no memory for it");
    if (out) {
        memcpy(out, code->data, code->len);
        out[code->len] = 0;
        *size = code->len;
    }
    g_byte_array_free(code, TRUE);
    return tw__made(status, out);
}
