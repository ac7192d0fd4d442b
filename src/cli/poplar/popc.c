/* SPDX-License-Identifier: MIT */
/* `tilewright popc`, also popc: codelets to a graph program file (guide 2.8.2). Options of one word may have one
 * dash, too, as makefiles write them: -target=ipu2 is --target=ipu2. */
#include "cli/cli.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>
#include <tilewright/poplar/popc.h>

typedef enum mode { ARCHIVE, PREPROCESS, ASSEMBLE, OBJECT, VERSION, LIST } mode;

typedef struct request {
    GPtrArray *flags; /* for the compiler, borrowed */
    const char *output, *targets, *depfile, *rule;
    mode mode;
    bool verbose, depends;
} request;

#define AT(field)           .at = offsetof(request, field)
#define JOINED(name, value) { name, value, AT(flags), .form = TW__CLI_ATTACHED, .take = tw__cli_join }
#define PASSED(name, value) { name, value, AT(flags), .form = TW__CLI_APART, .take = tw__cli_pass }

static const tw__cli_option rows[] = {
    { "--version", AT(mode), .form = TW__CLI_ONE_DASH, .number = VERSION },
    { "--list-targets", AT(mode), .form = TW__CLI_ONE_DASH, .number = LIST },
    { "-E", AT(mode), .number = PREPROCESS },
    { "-S", AT(mode), .number = ASSEMBLE },
    { "-c", AT(mode), .number = OBJECT },
    { "-v", AT(verbose), .form = TW__CLI_UNNAMED },
    { "-MD", AT(depends), .form = TW__CLI_UNNAMED },
    { "-MMD", AT(depends), .form = TW__CLI_HIDDEN },
    { "-o", "FILE", AT(output), .form = TW__CLI_ATTACHED },
    { "--target", "LIST", AT(targets), .form = TW__CLI_ONE_DASH },
    { "-MF", "FILE", AT(depfile), .form = TW__CLI_APART },
    { "-MT", "NAME", AT(rule), .form = TW__CLI_APART },
    JOINED("-D", "MACRO[=VALUE]"),
    JOINED("-U", "MACRO"),
    JOINED("-I", "PATH"),
    PASSED("-isystem", "PATH"),
    PASSED("-include", "FILE"),
    { "--help", .form = TW__CLI_UNOFFERED }, /* main.c answers it */
    { "-g -O -std= -W -f -m -pedantic", AT(flags), .form = TW__CLI_ATTACHED | TW__CLI_HIDDEN,
      .take = tw__cli_pass },
};

/* Quoted for a shell. */
static char *join_flags(const GPtrArray *flags)
{
    GString *joined = g_string_new(NULL);
    for (guint i = 0; i < flags->len; i++) {
        g_autofree char *quoted = g_shell_quote(flags->pdata[i]);
        g_string_append_printf(joined, "%s%s", i ? " " : "", quoted);
    }
    return g_string_free(joined, FALSE);
}

/* "dir/x.gp" -> "dir/x.d", as for compilers. */
static char *depfile_of(const char *output)
{
    const char *dot = strrchr(output, '.');
    return g_strdup_printf("%.*s.d", dot && !strchr(dot, '/') ? (int)(dot - output) : (int)strlen(output), output);
}

/* -c, and -S for a chip. */
static tw_status chip_code(const request *r, const char *input, const tw_popc_options *options, tw_diags *diags)
{
    size_t size;
    char *code = tw_popc_code(input, r->mode == ASSEMBLE, options, &size, diags);
    tw_status status = tw_status_of(code);
    if (status == TW_OK && r->output)
        status = tw_write_file(r->output, code, size, &input, 1);
    else if (status == TW_OK)
        status = tw__cli_print_data(code, size);
    free(code);
    return status;
}

static bool is_for_chip(const request *r)
{
    return r->mode == OBJECT || (r->mode == ASSEMBLE && r->targets && strcmp(r->targets, "cpu") != 0);
}

static int compile(const request *r, const char *const *inputs, size_t count)
{
    g_autofree char *flags = join_flags(r->flags);
    g_autofree char *beside = r->depends && r->output ? depfile_of(r->output) : NULL;
    tw_popc_options options = { .size = sizeof options,
                                .output = r->output,
                                .flags = flags,
                                .targets = r->targets,
                                .depfile = r->depends && r->depfile ? r->depfile : beside,
                                .rule = r->rule };
    if (count == 0) return tw__cli_usage_error("popc", "no input file");
    if (r->mode == ARCHIVE && !r->output)
        return tw__cli_usage_error("popc", "no output file: expected -o <file>.gp");
    if (r->mode == OBJECT && !r->output) return tw__cli_usage_error("popc", "no output file: expected -o <file>.o");
    if (r->mode != ARCHIVE && count > 1)
        return tw__cli_usage_error("popc", "'%s': -E, -S and -c take one source", inputs[1]);
    for (size_t i = 0; i < count; i++)
        if (tw__cli_need_name("popc", inputs[i], "a source or an archive")) return TW__EXIT_USAGE;
    if (tw__cli_check_outputs("popc", (const char *[]){ r->output, options.depfile }, 2, inputs, count))
        return TW__EXIT_FAILURE;
    tw_diags *diags = tw__cli_diags();
    char *text = NULL;
    tw_status status;
    for (size_t i = 0; r->verbose && i < count; i++) printf("popc: %s\n", inputs[i]);
    if (r->mode == ARCHIVE)
        status = tw_popc_build(inputs, count, &options, diags);
    else if (is_for_chip(r))
        status = chip_code(r, inputs[0], &options, diags);
    else if (r->output)
        status = tw_popc_translate_file(inputs[0], r->mode == ASSEMBLE, &options);
    else
        status = tw_status_of(text = tw_popc_translate(inputs[0], r->mode == ASSEMBLE, &options));
    if (status == TW_OK && text) status = tw__cli_print_data(text, strlen(text));
    fflush(stdout);
    tw_diags_print(diags, stderr, tw_use_colours(stderr));
    if (status != TW_OK && tw_diags_count(diags, TW_ERROR) == 0)
        fprintf(stderr, "popc: error: %s\n", tw_error_message());
    free(text);
    tw_diags_free(diags);
    return status == TW_OK ? TW__EXIT_OK : TW__EXIT_FAILURE;
}

static int popc(int argc, char **argv)
{
    static const tw__cli_syntax syntax = { "popc", TW__CLI_ROWS(rows), .lacks = "option %s needs a value" };
    g_autoptr(GPtrArray) flags = g_ptr_array_new();
    request r = { .flags = flags };
    int status = tw__cli_read(&syntax, &r, &argc, argv);
    if (status != TW__EXIT_OK) return status;
    for (int i = 1; i < argc; i++) argv[i] = (char *)tw__cli_source(argv[i]);
    if (r.mode == VERSION) return printf("popc version %s (tilewright)\n", tw_version()), TW__EXIT_OK;
    if (r.mode == LIST) return puts(tw_popc_targets()), TW__EXIT_OK;
    return compile(&r, (const char *const *)argv + 1, (size_t)argc - 1);
}

const tw__command tw__command_popc = {
    .name = "popc",
    .installed_as = "popc",
    .arguments = "[options] input... -o output.gp",
    .summary = "compile codelets to a graph program file (.gp)",
    .help =
        "Compiles vertex classes to a graph program object that a graph loads like a source. Inputs are C (.c) and "
        "C++\n"
        "(.cpp, .cc, .cxx) sources, assembly (.S) and ELF objects (.o) of chips, and .gp files, which are merged.\n"
        "\n"
        "  -o FILE           write the object to FILE\n"
        "  -D MACRO[=VALUE]  define a macro              -U MACRO   undefine it\n"
        "  -I PATH           search PATH for headers     -g         debug information\n"
        "  -O0 -O1 -O2 -O3   optimisation (default -O2)  -std=STD   language standard (default c++17, gnu17)\n"
        "  -W... -Werror -f... -m...                     as for clang\n"
        "  --target LIST     comma list of targets, or a JSON list of names and of named variants like\n"
        "                    {\"name\":\"ipu2:cpp\",\"arch\":\"ipu2\",\"compile-flags\":[\"-DX\"]}; default: all\n"
        "  --list-targets    print the targets\n"
        "  -E, -S            print the preprocessed source, or the host's assembly, to the output or stdout; -S "
        "with\n"
        "                    --target ipu1, ipu2 or ipu21 the chip's\n"
        "  -c                write the chip's object (ELF; --target, default ipu2) instead of an archive\n"
        "  -MD, -MMD         write a rule for make: the object depends on the inputs and the headers they "
        "include;\n"
        "  -MF FILE          to FILE instead of the object's name with .d\n"
        "  -MT NAME          for NAME instead of the object\n"
        "  -isystem PATH, -include FILE   as for clang\n"
        "  -v                say what is compiled\n"
        "  --version, --help\n"
        "\n"
        "The target cpu gives native code, with half as a float and as a 16-bit half; ipu1, ipu2 and ipu21 give "
        "code "
        "of the\n"
        "chip and the layout of every vertex's state. Macros: __POPC__ always, __IPU__ and __IPU_ARCH_VERSION__ "
        "for "
        "the\n"
        "chips. Results are kept in the cache folder ($XDG_CACHE_HOME/tilewright). TILEWRIGHT_CLANG names the "
        "compiler "
        "to\n"
        "use instead of clang-19.\n",
    .example = "popc -O3 -DFACTOR=2 examples/poplar/scale/scale.c -o scale.gp\n"
               "popc scale.gp examples/poplar/vector_add/vector_add_codelets.cpp -o both.gp\n"
               "popc -S --target ipu2 examples/poplar/scale/scale.c",
    .options = TW__CLI_ROWS(rows),
    .words = "-g -O0 -O1 -O2 -O3",
    .files = ".c .cpp .cc .cxx .S .o .gp",
    .main = popc,
};
