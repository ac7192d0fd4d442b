/* `tilewright run prog.c`: compiles a host program against the library and becomes it. The result is kept in the user's
 * cache; as with make, the compiler's list of dependencies (-MMD) tells when it is out of date. */
#include "cli.h"

#include <errno.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Suffix of a source -> compiler. */
static const struct {
    const char *suffix, *variable, *compiler, *standard;
} languages[] = {
    { ".c", "CC", "cc", "-std=gnu17" },      { ".cpp", "CXX", "c++", "-std=gnu++17" },
    { ".cc", "CXX", "c++", "-std=gnu++17" }, { ".cxx", "CXX", "c++", "-std=gnu++17" },
    { ".C", "CXX", "c++", "-std=gnu++17" },
};

typedef struct request {
    bool verbose;
    GPtrArray *options; /* for the compiler; borrowed strings */
    const char *source;
    char **arguments; /* argv of the program, from the place of the source on */
    int language;
} request;

/* Options whose value may be the next word. */
static bool takes_value(const char *option)
{
    static const char *const list[] = { "-I",       "-D",       "-U",         "-L",      "-l",
                                        "-include", "-isystem", "-idirafter", "-Xlinker" };
    for (size_t i = 0; i < G_N_ELEMENTS(list); i++)
        if (strcmp(option, list[i]) == 0) return true;
    return false;
}

static int parse(int argc, char **argv, request *r)
{
    int i = 1;
    for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
        if (strcmp(argv[i], "-v") == 0) {
            r->verbose = true;
            continue;
        }
        if (g_str_has_prefix(argv[i], "-o") || strcmp(argv[i], "-c") == 0)
            return tw__cli_usage_error("run", "'%s' makes no sense here: the program is run, not kept", argv[i]);
        g_ptr_array_add(r->options, argv[i]);
        if (takes_value(argv[i]) && i + 1 < argc) g_ptr_array_add(r->options, argv[++i]);
    }
    if (i == argc) return tw__cli_usage_error("run", "no source file");
    r->source = argv[i];
    r->arguments = argv + i;
    const char *dot = strrchr(r->source, '.');
    for (r->language = 0; r->language < (int)G_N_ELEMENTS(languages); r->language++)
        if (dot && strcmp(dot, languages[r->language].suffix) == 0) return TW__EXIT_OK;
    return tw__cli_usage_error("run", "'%s' is neither C (.c) nor C++ (.cpp, .cc, .cxx)", r->source);
}

/* The whole command but for output files, which are named after it. */
static GPtrArray *compiler_command(const request *r)
{
    GPtrArray *command = g_ptr_array_new_with_free_func(g_free);
    const char *compiler = g_getenv(languages[r->language].variable);
    if (!compiler || !*compiler) compiler = languages[r->language].compiler;
    char **words = g_strsplit_set(compiler, " \t", -1); /* CC="ccache gcc" */
    for (char **word = words; *word; word++)
        if (**word) g_ptr_array_add(command, g_strdup(*word));
    g_strfreev(words);
    g_ptr_array_add(command, g_strdup(languages[r->language].standard));
    g_ptr_array_add(command, g_strdup("-O2"));
    g_ptr_array_add(command, g_strdup("-g"));
    for (guint i = 0; i < r->options->len; i++) g_ptr_array_add(command, g_strdup(r->options->pdata[i]));
    g_ptr_array_add(command, g_strconcat("-I", tw_include_dir(), NULL));
    g_ptr_array_add(command, g_strdup(r->source));
    g_ptr_array_add(command, g_strconcat("-L", tw_lib_dir(), NULL));
    g_ptr_array_add(command, g_strconcat("-Wl,-rpath,", tw_lib_dir(), NULL));
    g_ptr_array_add(command, g_strdup("-ltilewright"));
    for (guint i = 0; i < r->options->len; i++) /* libraries once more: the program's objects need them first */
        if (g_str_has_prefix(r->options->pdata[i], "-l") || g_str_has_prefix(r->options->pdata[i], "-L"))
            g_ptr_array_add(command, g_strdup(r->options->pdata[i]));
    g_ptr_array_add(command, g_strdup("-lm"));
    return command;
}

/* Key of the cache: the command and the place it is given in. */
static char *cache_key(const GPtrArray *command)
{
    GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
    char *folder = g_get_current_dir();
    g_checksum_update(sum, (const guchar *)folder, -1);
    g_free(folder);
    for (guint i = 0; i < command->len; i++)
        g_checksum_update(sum, command->pdata[i], (gssize)strlen(command->pdata[i]) + 1);
    char *key = g_strndup(g_checksum_get_string(sum), 32);
    g_checksum_free(sum);
    return key;
}

static bool newer(const GStatBuf *a, const GStatBuf *b)
{
    return a->st_mtim.tv_sec != b->st_mtim.tv_sec ? a->st_mtim.tv_sec > b->st_mtim.tv_sec
                                                  : a->st_mtim.tv_nsec >= b->st_mtim.tv_nsec;
}

/* True when the program exists and is newer than everything in the make rule `depends`. */
static bool up_to_date(const char *program, const char *depends)
{
    GStatBuf built, input;
    char *rule = NULL;
    if (g_stat(program, &built) != 0 || !g_file_get_contents(depends, &rule, NULL, NULL)) return false;
    bool fresh = true;
    char *colon = strstr(rule, ": "), *in = colon ? colon + 2 : rule, *out = in, *word = in;
    for (bool end = false; fresh && !end; in++) { /* words end at blanks; "\ " is a blank, "\<newline>" is none */
        if (in[0] == '\\' && in[1] == ' ') {
            *out++ = *++in;
        } else if (*in && *in != ' ' && *in != '\n' && *in != '\\') {
            *out++ = *in;
        } else {
            end = !*in;
            *out = 0;
            if (*word) fresh = g_stat(word, &input) == 0 && !newer(&input, &built);
            out = word = in;
        }
    }
    g_free(rule);
    return fresh;
}

static void show(const GPtrArray *command)
{
    for (guint i = 0; i < command->len && command->pdata[i]; i++) {
        char *quoted = g_shell_quote(command->pdata[i]);
        bool plain = !strpbrk(command->pdata[i], " '\"\\$&|;<>()*?");
        fprintf(stderr, "%s%s", i ? " " : "", plain ? (char *)command->pdata[i] : quoted);
        g_free(quoted);
    }
    fputc('\n', stderr);
}

/* Compiles to a name of its own first: two runs at once must not see half a program. */
static bool compile(GPtrArray *command, const char *program, const char *depends, bool verbose)
{
    char *fresh = g_strdup_printf("%s.%d", program, (int)getpid());
    g_ptr_array_add(command, g_strdup("-MMD"));
    g_ptr_array_add(command, g_strdup("-MF"));
    g_ptr_array_add(command, g_strdup(depends));
    g_ptr_array_add(command, g_strdup("-o"));
    g_ptr_array_add(command, g_strdup(fresh));
    g_ptr_array_add(command, NULL);
    if (verbose) show(command);
    GError *error = NULL;
    int status = 0;
    bool ok = g_spawn_sync(NULL, (char **)command->pdata, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_CHILD_INHERITS_STDIN,
                           NULL, NULL, NULL, NULL, &status, &error);
    if (!ok) {
        fprintf(stderr, "tilewright run: cannot start the compiler: %s\n", error->message);
        g_error_free(error);
    } else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        ok = false; /* the compiler has said why */
    } else if (g_rename(fresh, program) != 0) {
        fprintf(stderr, "tilewright run: cannot write '%s': %s\n", program, g_strerror(errno));
        ok = false;
    }
    if (!ok) g_unlink(fresh);
    g_free(fresh);
    return ok;
}

static int run(int argc, char **argv)
{
    request r = { .options = g_ptr_array_new() };
    int status = parse(argc, argv, &r);
    if (status != TW__EXIT_OK) return status;
    if (g_access(r.source, R_OK) != 0) {
        fprintf(stderr, "tilewright run: cannot read '%s': %s\n", r.source, g_strerror(errno));
        return TW__EXIT_FAILURE;
    }
    const char *cache = tw_cache_dir();
    if (!cache) {
        fprintf(stderr, "tilewright run: %s\n", tw_error_message());
        return TW__EXIT_FAILURE;
    }
    GPtrArray *command = compiler_command(&r);
    char *key = cache_key(command), *folder = g_build_filename(cache, "run", key, NULL);
    char *base = g_path_get_basename(r.source);
    *strrchr(base, '.') = 0;
    char *program = g_build_filename(folder, *base ? base : "program", NULL);
    char *depends = g_strconcat(program, ".d", NULL);
    if (!up_to_date(program, depends)) {
        if (g_mkdir_with_parents(folder, 0700) != 0) {
            fprintf(stderr, "tilewright run: cannot create '%s': %s\n", folder, g_strerror(errno));
            return TW__EXIT_FAILURE;
        }
        if (!compile(command, program, depends, r.verbose)) return TW__EXIT_FAILURE;
    }
    r.arguments[0] = base;
    execv(program, r.arguments);
    fprintf(stderr, "tilewright run: cannot start '%s': %s\n", program, g_strerror(errno));
    return TW__EXIT_FAILURE;
}

const tw__command tw__command_run = {
    .name = "run",
    .arguments = "[-v] [compiler options] prog.c|prog.cpp [arguments]",
    .summary = "compile a host program against the library and run it",
    .help =
        "The program is compiled with $CC (default cc) or $CXX (default c++), linked with libtilewright and "
        "replaced\n"
        "only when it, a header it includes or the options change. Options before the source go to the compiler;\n"
        "everything after it goes to the program, whose exit status is that of this command.\n"
        "\n"
        "  -v                           show the compiler command\n"
        "  -g -O3 -DX=1 -I dir -lm ...  as for the compiler\n",
    .example = "tilewright run examples/poplar/heat/heat.c heat.ppm",
    .words = "-v -g -O0 -O1 -O2 -O3 -D -I -l",
    .files = ".c .cpp .cc .cxx",
    .main = run,
    .help_first_only = true,
};
