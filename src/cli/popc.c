/* `tilewright popc`, also popc: codelets to a graph program file (guide 2.8.2). The compiler's own options go to it
 * as they are, so arguments are read here and not by a table. */
#include "cli.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>
#include <tilewright/poplar/popc.h>

typedef enum mode { OBJECT, PREPROCESS, ASSEMBLE, VERSION, LIST } mode;

typedef struct request {
    GPtrArray *inputs; /* const char *, borrowed */
    GString *flags;    /* quoted for a shell */
    const char *output, *targets, *depfile, *rule;
    mode mode;
    bool verbose, depends;
} request;

static const struct {
    const char *text;
    mode mode;
} modes[] = { { "--version", VERSION }, { "--list-targets", LIST }, { "-E", PREPROCESS }, { "-S", ASSEMBLE } };
/* Options of one word may have one dash, too, as makefiles write them: -target=ipu2 is --target=ipu2. */
/* Options with a value of their own, and beginnings of those that are one word. */
static const char *const valued[] = { "-o", "--target", "-MF", "-MT", "-D", "-U", "-I", "-isystem", "-include" };
static const char *const passed[] = { "-g", "-O", "-std=", "-W", "-f", "-m", "-pedantic" };
enum { OUTPUT, TARGET, DEPFILE, RULE };

/* Which of `valued` argv[*i] is, its value in *value: "-oX", "-o X", or of the long one "--target=X"; -1 = none. A
 * value that is missing is NULL. */
static int find_valued(int argc, char **argv, int *i, const char **value)
{
    const char *arg = argv[*i];
    for (int k = 0; k < (int)G_N_ELEMENTS(valued); k++) {
        const char *name = valued[k];
        if (k == TARGET && arg[0] == '-' && arg[1] != '-') name++;
        size_t n = strlen(name);
        if (strncmp(arg, name, n) != 0) continue;
        bool separate = !arg[n], word = n > 2;
        if (!separate && word && !(k == TARGET && arg[n] == '=')) continue;
        *value = !separate ? arg + n + (arg[n] == '=' && k == TARGET) : *i + 1 < argc ? argv[++*i] : NULL;
        return k;
    }
    return -1;
}

static void add_flag(request *r, const char *flag, const char *value)
{
    char *joined = g_strconcat(flag, value, NULL), *quoted = g_shell_quote(joined);
    g_string_append_printf(r->flags, "%s%s", r->flags->len ? " " : "", quoted);
    g_free(quoted);
    g_free(joined);
}

static int unknown(const char *option)
{
    const char *names[G_N_ELEMENTS(modes) + G_N_ELEMENTS(valued) + 1];
    size_t n = 0;
    for (size_t k = 0; k < G_N_ELEMENTS(modes); k++) names[n++] = modes[k].text;
    for (size_t k = 0; k < G_N_ELEMENTS(valued); k++) names[n++] = valued[k];
    names[n++] = "--help";
    return tw__cli_unknown("popc", "unknown option", option, names, n);
}

static int parse(int argc, char **argv, request *r)
{
    bool only_words = false;
    for (int i = 1; i < argc; i++) {
        const char *value = NULL;
        bool done = false;
        tw__cli_kind kind = tw__cli_kind_of(argv[i], &only_words);
        if (kind == TW__CLI_WORD) g_ptr_array_add(r->inputs, (char *)tw__cli_source(argv[i]));
        if (kind != TW__CLI_OPTION) continue;
        for (size_t k = 0; k < G_N_ELEMENTS(modes) && !done; k++)
            if ((done = strcmp(argv[i], modes[k].text) == 0 ||
                        (modes[k].text[1] == '-' && strcmp(argv[i], modes[k].text + 1) == 0)))
                r->mode = modes[k].mode;
        if (done) continue;
        bool *flag = strcmp(argv[i], "-v") == 0                                    ? &r->verbose
                     : strcmp(argv[i], "-MD") == 0 || strcmp(argv[i], "-MMD") == 0 ? &r->depends
                                                                                   : NULL;
        if (flag) {
            *flag = true;
            continue;
        }
        int which = find_valued(argc, argv, &i, &value);
        if (which >= 0 && !value) return tw__cli_usage_error("popc", "option %s needs a value", valued[which]);
        if (which == OUTPUT)
            r->output = value;
        else if (which == TARGET)
            r->targets = value;
        else if (which == DEPFILE)
            r->depfile = value;
        else if (which == RULE)
            r->rule = value;
        else if (which >= 0 && strlen(valued[which]) > 2)
            add_flag(r, valued[which], ""), add_flag(r, value, "");
        else if (which >= 0)
            add_flag(r, valued[which], value);
        for (size_t k = 0; which < 0 && k < G_N_ELEMENTS(passed) && !done; k++)
            if ((done = g_str_has_prefix(argv[i], passed[k]))) add_flag(r, argv[i], "");
        if (which < 0 && !done) return unknown(argv[i]);
    }
    return TW__EXIT_OK;
}

/* "dir/x.gp" -> "dir/x.d", as for compilers. */
static char *depfile_of(const char *output)
{
    const char *dot = strrchr(output, '.');
    return g_strdup_printf("%.*s.d", dot && !strchr(dot, '/') ? (int)(dot - output) : (int)strlen(output), output);
}

static int compile(const request *r)
{
    g_autofree char *beside = r->depends && r->output ? depfile_of(r->output) : NULL;
    tw_popc_options options = { .output = r->output,
                                .flags = r->flags->str,
                                .targets = r->targets,
                                .depfile = r->depends && r->depfile ? r->depfile : beside,
                                .rule = r->rule };
    const char *const *inputs = (const char *const *)r->inputs->pdata;
    if (r->inputs->len == 0) return tw__cli_usage_error("popc", "no input file");
    if (r->mode == OBJECT && !r->output)
        return tw__cli_usage_error("popc", "no output file: expected -o <file>.gp");
    if (r->mode != OBJECT && r->inputs->len > 1)
        return tw__cli_usage_error("popc", "'%s': -E and -S take one source", inputs[1]);
    for (guint i = 0; i < r->inputs->len; i++)
        if (tw__cli_need_name("popc", inputs[i], "a source or an archive")) return TW__EXIT_USAGE;
    if (tw__cli_check_outputs("popc", (const char *[]){ r->output, options.depfile }, 2, inputs, r->inputs->len))
        return TW__EXIT_FAILURE;
    tw_diags *diags = tw__cli_diags();
    char *text = NULL;
    tw_status status;
    for (guint i = 0; r->verbose && i < r->inputs->len; i++) printf("popc: %s\n", inputs[i]);
    if (r->mode == OBJECT)
        status = tw_popc_build(inputs, r->inputs->len, &options, diags);
    else
        status = tw_popc_translate(inputs[0], r->mode == ASSEMBLE, &options, r->output ? NULL : &text);
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
    request r = { .inputs = g_ptr_array_new(), .flags = g_string_new(NULL) };
    int status = parse(argc, argv, &r);
    if (status != TW__EXIT_OK)
        ; /* it has been said */
    else if (r.mode == VERSION)
        printf("popc version %s (tilewright)\n", tw_version());
    else if (r.mode == LIST)
        puts(tw_popc_targets());
    else
        status = compile(&r);
    g_ptr_array_free(r.inputs, TRUE);
    g_string_free(r.flags, TRUE);
    return status;
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
        "  -E, -S            print the preprocessed source, or the host's assembly, to the output or stdout\n"
        "  -MD, -MMD         write a rule for make: the object depends on the inputs and the headers they "
        "include;\n"
        "  -MF FILE          to FILE instead of the object's name with .d\n"
        "  -MT NAME          for NAME instead of the object\n"
        "  -isystem PATH, -include FILE   as for clang\n"
        "  -v                say what is compiled\n"
        "  --version, --help\n"
        "\n"
        "The target cpu gives native code, with half as a float and as a 16-bit half. For ipu1, ipu2 and ipu21 the "
        "object\n"
        "holds the layout of every vertex's state and the source, and no instructions: there is no code generator "
        "for\n"
        "these chips. Macros: __POPC__ always, __IPU__ and __IPU_ARCH_VERSION__ for the chips. Results are kept in "
        "the\n"
        "cache folder ($XDG_CACHE_HOME/tilewright). TILEWRIGHT_CLANG names the compiler to use instead of "
        "clang-19.\n",
    .example = "popc -O3 -DFACTOR=2 examples/poplar/scale/scale.c -o scale.gp\n"
               "popc scale.gp examples/poplar/vector_add/vector_add_codelets.cpp -o both.gp",
    .words =
        "-o -D -I -U -g -O0 -O1 -O2 -O3 -E -S -v -MD -MF -MT -isystem -include --target --list-targets --version",
    .files = ".c .cpp .cc .cxx .S .o .gp",
    .main = popc,
};
