/* SPDX-License-Identifier: MIT */
/* `tilewright run prog.c`: compiles a host program against the library and becomes it. The result is kept in the
 * user's cache (kept.c). */
#define _GNU_SOURCE /* memfd_create */
#include "cli/kept.h"
#include "cli/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <tilewright/poplar/target.h>
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
    bool verbose, debug, serves;         /* serves: --dap */
    bool saves;                          /* checkpoints are written or resumed */
    const char *report, *profile, *save; /* files; NULL = not wanted */
    tw__launch launch;                   /* several ranks */
    char **launcher;                     /* words in front of the program; NULL = one process */
    GPtrArray *again;                    /* this command without -n and --hosts, for other machines */
    GPtrArray *options;                  /* for the compiler; borrowed strings */
    const char *source;
    char **arguments;   /* argv of the program, from the place of the source on */
    const char *before; /* the word before that */
    int language;
} request;

/* What the program gets of tw_device_by_name() and, in C++, of DeviceManager. */
static bool choose_device(const char *name)
{
    tw_device *device = tw_device_by_name(name, 0, 1);
    if (!device) return false;
    tw_device_free(device);
    tw__cli_set_variable("TILEWRIGHT_DEVICE", name);
    if (strcmp(name, "ipu-model") == 0) tw__cli_set_variable("TILEWRIGHT_DEVICES", "model");
    if (strcmp(name, "ipu-sim") == 0) tw__cli_set_variable("TILEWRIGHT_DEVICES", "sim");
    return true;
}

static int take_device(void *into, const tw__cli_given *g)
{
    (void)into;
    if (!g->value) return tw__cli_usage_error("run", "--device needs a name");
    return choose_device(g->value) ? TW__EXIT_OK : tw__cli_usage_error("run", "%s", tw_error_message());
}

static int take_word(void *into, const tw__cli_given *g)
{
    if (!g->value || !*g->value) return tw__cli_usage_error("run", "'%s' needs a value", **g->at);
    *TW__CLI_AT(const char *, into, g) = g->value;
    return TW__EXIT_OK;
}

static int take_file(void *into, const tw__cli_given *g)
{
    if (!g->value || !*g->value) return tw__cli_usage_error("run", "'%s' needs a file", **g->at);
    *TW__CLI_AT(const char *, into, g) = g->value;
    return TW__EXIT_OK;
}

/* What the engine finds in its environment. */
static int take_variable(const tw__cli_given *g, const char *variable)
{
    if (!g->value || !*g->value) return tw__cli_usage_error("run", "'%s' needs a value", **g->at);
    tw__cli_set_variable(variable, g->value);
    return TW__EXIT_OK;
}

static int take_steps(void *into, const tw__cli_given *g)
{
    guint64 steps;
    *TW__CLI_AT(bool, into, g) = true;
    bool once = strcmp(g->option->name, "--save-at") == 0;
    if (g->value && !g_ascii_string_to_unsigned(g->value, 10, !once, UINT64_MAX - 1, &steps, NULL))
        return tw__cli_usage_error("run", "'%s' needs a number of steps, not '%s'", g->option->name, g->value);
    return take_variable(g, once ? "TILEWRIGHT_SAVE_AT" : "TILEWRIGHT_SAVE_EVERY");
}

static int take_checkpoint(void *into, const tw__cli_given *g)
{
    *TW__CLI_AT(bool, into, g) = true;
    bool saves = strcmp(g->option->name, "--save") == 0;
    if (saves) ((request *)into)->save = g->value;
    return take_variable(g, saves ? "TILEWRIGHT_SAVE" : "TILEWRIGHT_RESUME");
}

static int refuse(void *into, const tw__cli_given *g)
{
    (void)into;
    return tw__cli_usage_error("run", "'%s' makes no sense here: the program is run, not kept", g->word);
}

/* The source; the rest is the program's. */
static int take_source(void *into, char **at, bool only_words)
{
    request *r = into;
    (void)only_words;
    r->source = tw__cli_source(*at), r->arguments = at, r->before = at[-1];
    return TW__CLI_STOP;
}

#define AT(field) .at = offsetof(request, field)

static const tw__cli_option rows[] = {
    { "--device", "NAME", .form = TW__CLI_APART | TW__CLI_MAY_LACK, .take = take_device,
      .help = "cpu, ipu-model or ipu-sim, for programs that let the user choose" },
    { "-n", "RANKS", AT(launch.ranks), .form = TW__CLI_APART | TW__CLI_MAY_LACK, .take = take_word,
      .help = "as so many processes, by MPI: each works on a part of the tiles, the\nfirst one prints" },
    { "--hosts", "A,B", AT(launch.hosts), .form = TW__CLI_APART | TW__CLI_MAY_LACK, .take = take_word,
      .help = "with -n: on these machines, which have Tilewright and the source at the\nsame places" },
    { "--all-output", AT(launch.all_output),
      .help = "with -n: the output of all ranks, not of the first one alone" },
    { "-v", AT(verbose), .form = TW__CLI_UNNAMED, .help = "show the compiler command" },
    { "--debug", AT(debug), .help = "stops before steps and in vertices, and reads commands: help tells more" },
    { "--dap", AT(serves), .help = "the same for an editor, by the Debug Adapter Protocol" },
    { "--report", "FILE.html", AT(report), .form = TW__CLI_MAY_LACK, .take = take_file,
      .help = "a report of the run, for a browser (of the engine, the cores or the array\nwith the most cycles)" },
    { "--profile", "FILE.json", AT(profile), .form = TW__CLI_MAY_LACK, .take = take_file,
      .help = "its profile, for tilewright profile and tilewright report" },
    { "--save-at", "STEP", AT(saves), .form = TW__CLI_MAY_LACK, .take = take_steps,
      .help = "a checkpoint before that step of the first engine's runs" },
    { "--save-every", "N", AT(saves), .form = TW__CLI_MAY_LACK, .take = take_steps,
      .help = "one every N steps, of which the last stays" },
    { "--save", "FILE", AT(saves), .form = TW__CLI_MAY_LACK, .take = take_checkpoint,
      .help = "where; default: checkpoint" },
    { "--resume", "FILE", AT(saves), .form = TW__CLI_MAY_LACK, .take = take_checkpoint,
      .help = "goes on there, with the same program and arguments" },
    { "-o", .form = TW__CLI_ATTACHED | TW__CLI_HIDDEN, .take = refuse },
    { "-c", .form = TW__CLI_HIDDEN, .take = refuse },
    { "-D -I -l -L -U -include -isystem -idirafter -Xlinker", "VALUE", AT(options),
      .form = TW__CLI_APART | TW__CLI_MAY_LACK | TW__CLI_HIDDEN, .take = tw__cli_pass },
    { "-g -O3 -DX=1 -I dir -lm ...", AT(options), .form = TW__CLI_REST | TW__CLI_HIDDEN, .take = tw__cli_pass,
      .help = "as for the compiler" },
};

static int run_parse(int argc, char **argv, request *r)
{
    static const tw__cli_syntax syntax = { "run", TW__CLI_ROWS(rows), .word = take_source };
    int status = tw__cli_read(&syntax, r, &argc, argv);
    if (status != TW__EXIT_OK) return status;
    if (!r->source) return tw__cli_usage_error("run", "no source file");
    int unnamed = tw__cli_need_name("run", r->source, "a source in C or C++");
    if (unnamed) return unnamed;
    const char *dot = strrchr(r->source, '.'), *near = NULL;
    for (r->language = 0; r->language < (int)G_N_ELEMENTS(languages); r->language++)
        if (dot && strcmp(dot, languages[r->language].suffix) == 0) return TW__EXIT_OK;
    g_autoptr(GPtrArray) ours = tw__cli_option_names(&syntax);
    if (g_str_has_prefix(r->before, "--")) /* an unknown option, so that its value counts as the source */
        near = tw_nearest(r->before, (const char *const *)ours->pdata, ours->len);
    if (near) return tw__cli_usage_error("run", "unknown option '%s'; did you mean '%s'?", r->before, near);
    const char *meant = tw__cli_command_for(r->source);
    if (g_file_test(r->source, G_FILE_TEST_IS_DIR))
        return tw__cli_usage_error("run", "'%s' is a folder: a program in C or C++ is needed", r->source);
    if (meant)
        return tw__cli_usage_error("run", "'%s' is neither C nor C++; did you mean '%s %s'?", r->source, meant,
                                   r->source);
    return tw__cli_usage_error("run", "'%s' is neither C (.c) nor C++ (.cpp, .cc, .cxx)", r->source);
}

/* Libraries of <popops/...> and its like, <poplar/...>, <pva/...> and <pvti/...>, which stand on libtilewright:
 * linked when the program uses them. A build of single targets may lack some. */
static void add_client_libraries(GPtrArray *command, bool cxx)
{
    static const char *const names[] = { "tilewright_poplibs", "poplar", "pva", "pvti" };
    g_ptr_array_add(command, g_strdup("-Wl,--push-state,--as-needed"));
    for (size_t i = 0; i < (cxx ? G_N_ELEMENTS(names) : 1); i++) {
        g_autofree char *path = g_strconcat(tw_lib_dir(), "/lib", names[i], ".so", NULL);
        if (g_file_test(path, G_FILE_TEST_EXISTS)) g_ptr_array_add(command, g_strconcat("-l", names[i], NULL));
    }
    g_ptr_array_add(command, g_strdup("-Wl,--pop-state"));
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
    tw__cli_add_headers(command);
    if (r->language) { /* <pto/pto-inst.hpp>, after everything that the program brings itself */
        g_ptr_array_add(command, g_strdup("-idirafter"));
        g_ptr_array_add(command, g_build_filename(tw_include_dir(), "tilewright/compat/ascend", NULL));
    }
    g_ptr_array_add(command, g_strdup(r->source));
    tw__cli_add_library(command);
    add_client_libraries(command, r->language);
    g_ptr_array_add(command, g_strdup("-ltilewright"));
    for (guint i = 0; i < r->options->len; i++) /* libraries once more: the program's objects need them first */
        if (g_str_has_prefix(r->options->pdata[i], "-l") || g_str_has_prefix(r->options->pdata[i], "-L"))
            g_ptr_array_add(command, g_strdup(r->options->pdata[i]));
    g_ptr_array_add(command, g_strdup("-lm"));
    return command;
}

/* Becomes the program, or the launcher that starts it as several ranks; on other machines it is compiled there. Comes
 * back with an exit status. */
static int run_become(const request *r, const char *program)
{
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    for (char **word = r->launcher; word && *word; word++) g_ptr_array_add(words, *word);
    if (r->launch.hosts) {
        for (guint i = 0; i < r->again->len; i++) g_ptr_array_add(words, r->again->pdata[i]);
    } else {
        g_ptr_array_add(words, r->launcher ? (char *)(uintptr_t)program : r->arguments[0]);
        for (char **word = r->arguments + 1; *word; word++) g_ptr_array_add(words, *word);
    }
    g_ptr_array_add(words, NULL);
    if (r->launcher) return tw__launch_become("run", (char **)words->pdata);
    execv(program, (char **)words->pdata);
    fprintf(stderr, "tilewright run: cannot start '%s': %s\n", program, g_strerror(errno));
    return TW__EXIT_FAILURE;
}

/* <poplar/...> without its library would end in what the linker says. */
static bool lacks_poplar(const request *r, const char *text)
{
    g_autofree char *path = g_strconcat(tw_lib_dir(), "/libpoplar.so", NULL);
    if (!r->language || g_file_test(path, G_FILE_TEST_EXISTS)) return false;
    if (!g_regex_match_simple("^[ \\t]*#[ \\t]*include[ \\t]*<pop(lar|util|ops|lin|nn|rand)/", text,
                              G_REGEX_MULTILINE, 0))
        return false;
    fprintf(
        stderr,
        "tilewright run: %s includes <poplar/...>, and %s is missing: the package tilewright-poplar has it, and "
        "./dev build makes it\n",
        r->source, path);
    return true;
}

/* Graphs of the AI Engine are built from several sources, by another command. */
static bool is_graph_of_kernels(const request *r, const char *text)
{
    if (!r->language ||
        !g_regex_match_simple("^[ \\t]*#[ \\t]*include[ \\t]*[<\"]adf\\.h[>\"]", text, G_REGEX_MULTILINE, 0))
        return false;
    for (guint i = 0; i < r->options->len; i++)
        if (g_str_has_prefix(r->options->pdata[i], "-I")) return false; /* it may know where that is */
    fprintf(stderr, "tilewright run: %s includes <adf.h>; did you mean 'tilewright aie run %s'?\n", r->source,
            r->source);
    return true;
}

/* Below what the linker says. */
static void tell_no_main(const request *r, const char *text)
{
    if (g_regex_match_simple("\\bmain\\s*\\(", text, 0, 0)) return;
    fprintf(stderr,
            "tilewright run: %s has no main(): it is no host program. Codelets are compiled when a program adds "
            "them, or "
            "by 'tilewright popc'\n",
            r->source);
}

/* Runs the program beside us, with a place for its profile; its exit status, or that of a signal. */
static int run_beside(const request *r, const char *program, const char *profile)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        if (!tw__cli_has_standard_output()) dup2(STDERR_FILENO, STDOUT_FILENO);
        tw__cli_set_variable("TILEWRIGHT_PROFILE", profile);
        tw__cli_set_variable("TILEWRIGHT_PROGRAM", r->arguments[0]);
        _exit(run_become(r, program));
    }
    if (child > 0) status = tw__cli_wait(child);
    if (child < 0) return fprintf(stderr, "tilewright run: cannot fork: %s\n", g_strerror(errno)), TW__EXIT_FAILURE;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int copy_profile(const char *from, const char *to)
{
    char *data = NULL;
    size_t size = 0;
    bool done = (data = tw_read_file(from, (size_t)4 << 30, &size)) != NULL &&
                tw_write_file(to, data, size, NULL, 0) == TW_OK;
    free(data);
    return done ? TW__EXIT_OK : tw__cli_failure("run");
}

/* The program leaves its profile in a file of ours: what stands at the place that the user names may be a device, a
 * link or something that must not go when there is no new profile. */
static int run_for_report(const request *r, const char *program)
{
    g_autofree char *folder = g_dir_make_tmp("tilewright-profile-XXXXXX", NULL); /* where nobody else writes */
    if (!folder) return fprintf(stderr, "tilewright run: no place for a profile\n"), TW__EXIT_FAILURE;
    char *own = g_build_filename(folder, "profile.json", NULL);
    int result = run_beside(r, program, own);
    bool left = g_access(own, R_OK) == 0;
    if (!left && result == TW__EXIT_OK && !tw_interrupted()) {
        fprintf(
            stderr,
            "tilewright run: the program left no profile: no engine, cores or array ran on a model, or profiling "
            "is off\n");
        result = TW__EXIT_FAILURE;
    }
    if (left && r->profile) {
        int written = copy_profile(own, r->profile);
        if (result == TW__EXIT_OK) result = written;
    }
    if (left && r->report) {
        int written = tw__cli_report_file("run", own, r->report);
        if (result == TW__EXIT_OK) result = written;
    }
    if (left) result = tw__cli_interrupted("run", result);
    g_unlink(own);
    g_rmdir(folder);
    g_free(own);
    return result;
}

/* What each machine runs: options of this command before the source, but for those of the launcher. */
static GPtrArray *words_again(char **argv, const request *r)
{
    GPtrArray *words = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(words, g_file_read_link("/proc/self/exe", NULL));
    g_ptr_array_add(words, g_strdup("run"));
    for (char **word = argv + 1; *word; word++) {
        bool ours = word < r->arguments && (strcmp(*word, "-n") == 0 || strcmp(*word, "--hosts") == 0);
        if (ours)
            word++;
        else
            g_ptr_array_add(words, g_strdup(*word));
    }
    return words;
}

/* The protocol keeps the standard streams as others; the program reads nothing and prints into memory until its
 * debugger takes that over. */
static bool serve_client(void)
{
    int in = fcntl(STDIN_FILENO, F_DUPFD, 10), out = fcntl(STDOUT_FILENO, F_DUPFD, 10);
    int none = open("/dev/null", O_RDONLY), printed = memfd_create("tilewright", 0);
    fflush(stdout);
    if (in < 0 || out < 0 || none < 0 || printed < 0 || dup2(none, STDIN_FILENO) < 0 ||
        dup2(printed, STDOUT_FILENO) < 0) {
        fprintf(stderr, "tilewright run: --dap needs the standard streams: %s\n", g_strerror(errno));
        return false;
    }
    close(none), close(printed);
    g_autofree char *wish = g_strdup_printf("dap %d %d", in, out);
    tw__cli_set_variable("TILEWRIGHT_DEBUG", wish);
    return true;
}

static int run(int argc, char **argv)
{
    g_autoptr(GPtrArray) options = g_ptr_array_new();
    request r = { .options = options };
    int status = run_parse(argc, argv, &r);
    if (status != TW__EXIT_OK) return status;
    if (r.launch.hosts && !r.launch.ranks)
        return tw__cli_usage_error("run", "--hosts needs -n, the number of ranks");
    if ((r.debug || r.serves) && r.launch.ranks)
        return tw__cli_usage_error("run", "%s is for one process, without -n", r.debug ? "--debug" : "--dap");
    if (r.saves && r.launch.ranks) return tw__cli_usage_error("run", "checkpoints are of one process, without -n");
    if (r.debug && r.serves) return tw__cli_usage_error("run", "--debug reads commands, --dap serves an editor");
    if (r.debug) tw__cli_set_variable("TILEWRIGHT_DEBUG", "1");
    g_auto(GStrv) launcher = r.launch.ranks ? tw__launch_words("run", &r.launch) : NULL;
    if (r.launch.ranks && !launcher) return TW__EXIT_FAILURE;
    g_autoptr(GPtrArray) again = words_again(argv, &r);
    r.launcher = launcher, r.again = again;
    char *text = NULL; /* a compiler would read a device for ever */
    if (!(text = tw_read_file(r.source, TW_SOURCE_LIMIT, NULL))) return tw__cli_failure("run");
    g_autofree char *source = g_strdup(text);
    free(text);
    if (lacks_poplar(&r, source) || is_graph_of_kernels(&r, source)) return TW__EXIT_FAILURE;
    status =
        tw__cli_check_outputs("run", (const char *[]){ r.report, r.profile, r.save }, 3, &r.source, r.save != NULL);
    if (status != TW__EXIT_OK) return status;
    if (!tw__cli_library_can_be_found()) return tw__cli_failure("run");
    g_autoptr(GPtrArray) command = compiler_command(&r);
    g_autofree char *base = g_path_get_basename(r.source);
    *strrchr(base, '.') = 0;
    const tw__kept kept = {
        .command = "run", .words = command, .name = *base ? base : "program", .is_verbose = r.verbose
    };
    g_autofree char *program = tw__kept_path(&kept);
    if (!program) return TW__EXIT_FAILURE;
    if (!tw__kept_is_fresh(program)) {
        tw_interrupt_on_sigint(); /* so that no half of a file stays */
        bool made = tw__kept_make(&kept, program);
        if (tw_interrupted()) return tw__cli_nothing_ran("run");
        if (!made) return tell_no_main(&r, source), TW__EXIT_FAILURE;
    }
    r.arguments[0] = base;
    if (r.serves && !serve_client()) return TW__EXIT_FAILURE;
    if (r.report || r.profile) return run_for_report(&r, program);
    return run_become(&r, program);
}

const tw__command tw__command_run = {
    .name = "run",
    .arguments = "[-v] [-n RANKS] [--device NAME] [compiler options] prog.c|prog.cpp [arguments]",
    .summary = "compile a host program against the library and run it",
    .help =
        "The program is compiled with $CC (default cc) or $CXX (default c++), linked with libtilewright\n"
        "and with the libraries of <poplar/...> and <popops/...> when it uses them, and replaced only when it, a\n"
        "header it includes or the options change. Options before the source go to the compiler; everything\n"
        "after it goes to the program, whose exit status is that of this command.\n",
    .example = "tilewright run examples/poplar/heat/heat.c heat.ppm\n"
               "tilewright run --profile scale.json -O1 examples/poplar/scale/scale_host.c\n"
               "tilewright run examples/poplar/cxx/adder.cpp\n"
               "tilewright run --debug --device ipu-sim examples/poplar/adder/adder.c\n"
               "tilewright run --device ipu-sim --save-at 2 --save saved examples/poplar/pipeline/pipeline.c\n"
               "tilewright run --device ipu-sim --resume saved examples/poplar/pipeline/pipeline.c",
    .options = TW__CLI_ROWS(rows),
    .words = "-g -O0 -O1 -O2 -O3 -D -I -l",
    .files = ".c .cpp .cc .cxx",
    .main = run,
    .help_within = 1,
};
