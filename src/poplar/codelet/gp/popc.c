/* popc as a library and as a command line (guide 2.8.2, spec poplar.md 6.5). */
#include "poplar/codelet/compile/compile.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <tilewright/poplar/popc.h>
#include <unistd.h>

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

static tw_status write_gp(const tw__gp *gp, const char *path)
{
    GString *data = tw__gp_write(gp);
    GError *error = NULL;
    tw_status status = TW_OK;
    if (!g_file_set_contents_full(path, data->str, (gssize)data->len, G_FILE_SET_CONTENTS_CONSISTENT, 0666,
                                  &error)) {
        status = tw__fail(TW_E_IO, "%s", error->message);
        g_error_free(error);
    }
    g_string_free(data, TRUE);
    return status;
}

static tw_status merge_file(tw__gp *gp, const char *path)
{
    char *data;
    size_t size;
    tw_status status = tw__read_file(path, &data, &size);
    if (status != TW_OK) return status;
    tw__gp *other = tw__gp_read(data, size);
    g_free(data);
    if (!other) {
        g_autofree char *reason = g_strdup(tw_error_message());
        return tw__fail(TW_E_OBJECT_LOAD, "%s: %s", path, reason);
    }
    status = tw__gp_merge(gp, other, path);
    tw__gp_free(other);
    return status;
}

static tw_status compile_file(tw__gp *gp, const char *path, char **flags, const GArray *targets, tw_diags *diags)
{
    char *text;
    size_t size;
    bool is_assembly;
    tw__codelet_type type = tw__codelet_type_of(path, &is_assembly);
    if (type == TW__CODELET_OBJECT) return merge_file(gp, path);
    tw_status status = tw__read_file(path, &text, &size);
    if (status != TW_OK) return status;
    if (is_assembly)
        status = tw__fail(TW_E_NOT_SUPPORTED, "%s: assembly needs the assembler of a chip: `tilewright asm`", path);
    else if (type == TW__CODELET_AUTO)
        status = tw__fail(TW_E_FILE_LOAD, "%s: unknown kind of file: expected .c, .cpp, .cc, .cxx or .gp", path);
    else if (strlen(text) != size)
        status = tw__fail(TW_E_FILE_LOAD, "%s is not a text file", path);
    if (status == TW_OK) {
        tw__source source = { path, text, type == TW__CODELET_C, (const char *const *)flags };
        tw__gp *one = tw__gp_new();
        status = tw__gp_compile(one, &source, (const tw__gp_target *)(void *)targets->data, targets->len, diags);
        if (status == TW_OK) status = tw__gp_merge(gp, one, path);
        tw__gp_free(one);
    }
    g_free(text);
    return status;
}

tw_status tw_popc_compile(const char *source, const tw_popc_options *options, tw_diags *diags)
{
    if (!source || !options || !options->output)
        return tw__fail(TW_E_INVALID_ARGUMENT, "popc: source and output are required");
    GArray *targets = g_array_new(FALSE, FALSE, sizeof(tw__gp_target));
    g_array_set_clear_func(targets, clear_target);
    char **flags = NULL;
    tw__gp *gp = tw__gp_new();
    tw_status status = parse_targets(options->targets ? options->targets : ALL_TARGETS, targets);
    if (status == TW_OK) status = tw__split_flags(options->flags, &flags);
    if (status == TW_OK) status = compile_file(gp, source, flags, targets, diags);
    if (status == TW_OK) status = write_gp(gp, options->output);
    tw__gp_free(gp);
    g_strfreev(flags);
    g_array_free(targets, TRUE);
    return status;
}

tw_status tw_popc_merge(const char *const *files, size_t count, const char *output)
{
    tw__gp *gp = tw__gp_new();
    tw_status status = TW_OK;
    for (size_t i = 0; i < count && status == TW_OK; i++) status = merge_file(gp, files[i]);
    if (status == TW_OK) status = write_gp(gp, output);
    tw__gp_free(gp);
    return status;
}

/* --- command line ------------------------------------------------------------------------------------------ */

static const char help[] =
    "usage: popc [options] <input file>... -o <output file>\n"
    "\n"
    "Compiles vertex classes to a graph program object (.gp) that a graph loads like a source. Inputs are C (.c) "
    "and C++\n"
    "(.cpp, .cc, .cxx) sources, and .gp files, which are merged.\n"
    "\n"
    "  -o FILE           write the object to FILE\n"
    "  -D MACRO[=VALUE]  define a macro              -U MACRO   undefine it\n"
    "  -I PATH           search PATH for headers     -g         debug information\n"
    "  -O0 -O1 -O2 -O3   optimisation (default -O2)  -std=STD   language standard (default c++17, gnu17)\n"
    "  -W... -Werror -f...                           as for clang\n"
    "  --target LIST     comma list of targets, or a JSON list of names and of named variants like\n"
    "                    {\"name\":\"ipu2:cpp\",\"arch\":\"ipu2\",\"compile-flags\":[\"-DX\"]}; default: all\n"
    "  --list-targets    print the targets: " ALL_TARGETS "\n"
    "  -E, -S            print the preprocessed source, or the host's assembly, to the output or stdout\n"
    "  -v                say what is run\n"
    "  --version, --help\n"
    "\n"
    "The target cpu gives native code, with half as a float and as a 16-bit half. For ipu1, ipu2 and ipu21 the "
    "object holds\n"
    "the layout of every vertex's state and the source, and no instructions: there is no code generator for these "
    "chips\n"
    "yet. Macros: __POPC__ always, __IPU__ and __IPU_ARCH_VERSION__ for the chips. Results are kept in the cache "
    "folder\n"
    "($XDG_CACHE_HOME/tilewright). TILEWRIGHT_CLANG names the compiler to use instead of clang-19.\n";

typedef struct command {
    GPtrArray *inputs, *flags; /* char *, the flags owned */
    const char *output, *targets;
    char mode; /* 'g' object, 'E', 'S', 'h' help, 'V' version, 'l' list */
    bool verbose;
} command;

/* Option with a value, written "-oX", "-o X" or (long) "--target=X"; NULL when argv[*i] is not it. */
static const char *valued(int argc, char **argv, int *i, const char *option, const char **missing)
{
    size_t n = strlen(option);
    const char *arg = argv[*i];
    if (strncmp(arg, option, n) != 0) return NULL;
    if (option[1] == '-' && arg[n] == '=') return arg + n + 1;
    if (option[1] != '-' && arg[n]) return arg + n;
    if (arg[n]) return NULL;
    if (*i + 1 < argc) return argv[++*i];
    *missing = option;
    return NULL;
}

static tw_status parse_command(int argc, char **argv, command *c)
{
    static const struct {
        const char *text;
        char mode;
    } modes[] = { { "--help", 'h' },         { "-h", 'h' }, { "--version", 'V' },
                  { "--list-targets", 'l' }, { "-E", 'E' }, { "-S", 'S' } };
    static const char *const joined[] = { "-D", "-U", "-I", "-isystem", "-include" };
    static const char *const passed[] = { "-g", "-O", "-std=", "-W", "-f", "-m", "-pedantic" };
    for (int i = 1; i < argc; i++) {
        const char *missing = NULL, *value;
        bool done = false;
        for (size_t k = 0; k < G_N_ELEMENTS(modes) && !done; k++)
            if ((done = strcmp(argv[i], modes[k].text) == 0)) c->mode = modes[k].mode;
        if (done) continue;
        if (strcmp(argv[i], "-v") == 0) {
            c->verbose = true;
        } else if ((value = valued(argc, argv, &i, "-o", &missing))) {
            c->output = value;
        } else if (!missing && (value = valued(argc, argv, &i, "--target", &missing))) {
            c->targets = value;
        } else if (!missing && (argv[i][0] != '-' || !argv[i][1])) {
            g_ptr_array_add(c->inputs, argv[i]);
        } else if (!missing) {
            for (size_t k = 0; k < G_N_ELEMENTS(joined) && !done && !missing; k++)
                if ((value = valued(argc, argv, &i, joined[k], &missing))) {
                    done = true;
                    g_ptr_array_add(c->flags, g_strconcat(joined[k], strlen(joined[k]) > 2 ? "" : value, NULL));
                    if (strlen(joined[k]) > 2) g_ptr_array_add(c->flags, g_strdup(value));
                }
            for (size_t k = 0; k < G_N_ELEMENTS(passed) && !done && !missing; k++)
                if ((done = g_str_has_prefix(argv[i], passed[k]))) g_ptr_array_add(c->flags, g_strdup(argv[i]));
            if (!done && !missing)
                return tw__fail(TW_E_INVALID_ARGUMENT, "unknown option '%s'; see popc --help", argv[i]);
        }
        if (missing) return tw__fail(TW_E_INVALID_ARGUMENT, "option %s needs a value", missing);
    }
    g_ptr_array_add(c->flags, NULL);
    return TW_OK;
}

/* -E and -S: clang's own output for the host. */
static tw_status show(const command *c)
{
    char *text;
    const tw__toolchain *toolchain;
    const char *path = c->inputs->pdata[0];
    tw_status status = tw__toolchain_get(&toolchain);
    if (status == TW_OK) status = tw__read_file(path, &text, NULL);
    if (status != TW_OK) return status;
    char *rewritten = tw__rewrite_constraints(text, strlen(text));
    tw__source source = { path, rewritten ? rewritten : text, tw__codelet_type_of(path, NULL) == TW__CODELET_C,
                          (const char *const *)c->flags->pdata };
    GPtrArray *args = tw__toolchain_args(toolchain, &source, TW__BUILD_FLOAT, 0);
    g_ptr_array_insert(args, 0, g_strdup(toolchain->clang));
    g_ptr_array_remove_index(args, args->len - 1);
    const char *more[] = { c->mode == 'E' ? "-E" : "-S", "-", "-o", c->output ? c->output : "-" };
    for (size_t i = 0; i < G_N_ELEMENTS(more); i++) g_ptr_array_add(args, g_strdup(more[i]));
    g_ptr_array_add(args, NULL);
    GString *input = g_string_new(NULL);
    g_string_append_printf(input, "# 1 \"%s\"\n%s", path, source.text);
    char *output = NULL, *messages = NULL;
    int exit_status = 1;
    status = tw__run((char **)args->pdata, input->str, input->len, &output, &messages, &exit_status);
    if (status == TW_OK && exit_status != 0) status = tw__fail(TW_E_COMPILATION, "%s", messages);
    if (status == TW_OK) fputs(output, stdout);
    g_free(output);
    g_free(messages);
    g_string_free(input, TRUE);
    g_ptr_array_free(args, TRUE);
    free(rewritten);
    g_free(text);
    return status;
}

static tw_status compile_all(const command *c, tw_diags *diags)
{
    GArray *targets = g_array_new(FALSE, FALSE, sizeof(tw__gp_target));
    g_array_set_clear_func(targets, clear_target);
    tw__gp *gp = tw__gp_new();
    tw_status status = parse_targets(c->targets ? c->targets : ALL_TARGETS, targets);
    for (guint i = 0; i < c->inputs->len && status == TW_OK; i++) {
        if (c->verbose) printf("popc: %s\n", (const char *)c->inputs->pdata[i]);
        status = compile_file(gp, c->inputs->pdata[i], (char **)c->flags->pdata, targets, diags);
    }
    if (status == TW_OK) status = write_gp(gp, c->output);
    tw__gp_free(gp);
    g_array_free(targets, TRUE);
    return status;
}

static int run_command(const command *c)
{
    if (c->mode == 'h') return fputs(help, stdout), 0;
    if (c->mode == 'V') return printf("popc version %s (tilewright)\n", TW_VERSION), 0;
    if (c->mode == 'l') return puts(ALL_TARGETS), 0;
    tw_diags *diags = tw_diags_new();
    tw_status status;
    if (c->inputs->len == 0)
        status = tw__fail(TW_E_INVALID_ARGUMENT, "no input file; see popc --help");
    else if (c->mode != 'g')
        status = show(c);
    else if (!c->output)
        status = tw__fail(TW_E_INVALID_ARGUMENT, "no output file: expected -o <file>.gp");
    else
        status = compile_all(c, diags);
    tw_diags_print(diags, stderr, isatty(STDERR_FILENO));
    if (status != TW_OK && tw_diags_count(diags, TW_ERROR) == 0)
        fprintf(stderr, "popc: error: %s\n", tw_error_message());
    tw_diags_free(diags);
    return status == TW_OK ? 0 : 1;
}

int tw_popc_main(int argc, char **argv)
{
    command c = { .inputs = g_ptr_array_new(), .flags = g_ptr_array_new_with_free_func(g_free), .mode = 'g' };
    int exit_status = 1;
    if (parse_command(argc, argv, &c) == TW_OK)
        exit_status = run_command(&c);
    else
        fprintf(stderr, "popc: error: %s\n", tw_error_message());
    g_ptr_array_free(c.inputs, TRUE);
    g_ptr_array_free(c.flags, TRUE);
    return exit_status;
}
