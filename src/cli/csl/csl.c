/* SPDX-License-Identifier: MIT */
/* `tilewright csl`: runs, checks and lists CSL programs; `cs_python` runs a host script with our package. */
#include "cli/csl/csl_actions.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <tilewright/tile.h>
#include <unistd.h>

static const char help_text[] =
    "  run FOLDER|layout.csl [option...]       runs a folder that cslc wrote, or a layout with the options of "
    "cslc\n"
    "  check layout.csl [options of cslc] [--json]   says what is wrong with it\n"
    "  list FOLDER|layout.csl [options of cslc]      its code and tables in readable form\n"
    "  fmt FILE.csl... [--check|-i]            its canonical layout: printed, compared, or written back "
    "(--in-place)\n"
    "  python SCRIPT.py [arguments]            the same as cs_python SCRIPT.py\n"
    "\n"
    "These of run happen in the order given:\n"
    "  --in NAME[@X,Y,W,H]=FILE.npy       the array to an exported variable; [height][width][elements], "
    "as wide as its own;\n"
    "                    or =random, =normal (=random:SEED) or =ramp: values of its type, on all of these PEs\n"
    "  --launch FUNCTION[,ARGUMENT...]    calls an exported function on all PEs\n"
    "  --out NAME[@X,Y,W,H][:N]=FILE.npy  N elements of each PE (default: all) to an array\n"
    "  --send COLOR[@X,Y,W,H]=FILE.npy    wavelets to the ramp of each PE\n"
    "  --receive COLOR[@X,Y,W,H]:N=FILE.npy   N wavelets of each PE on a stream to the host\n"
    "Rectangles are relative to the program's; default all of it.\n"
    "  --nowait          of the --send and --receive after it: later ones do not wait for them\n"
    "  --check=report|error|strict|off    what undefined behaviour does; default report\n"
    "  --order-seed=N    a random order among ready tasks instead of turns by their ids\n"
    "  --max-cycles=N --threads=N\n"
    "  --max-seconds=N   of the run, and of what a layout evaluates at compile time; default: no limit, and 600\n"
    "  --trace FILE.json      tasks, microthreads and wavelets for ui.perfetto.dev\n"
    "  --profile FILE.json    for tilewright profile\n"
    "  --report FILE.html     the same as a page to look at\n"
    "  --memory FILE     the 48 KB of every PE at the end, row by row from the west\n"
    "  --stats           cycles and PEs at the end\n";

int tw__csl_failed(void)
{
    fflush(stdout);
    return tw__cli_failure("csl");
}

static tw_csl_program *open_program(tw__csl_request *r, const char *name)
{
    tw_csl_program *program = NULL;
    if (g_str_has_suffix(name, ".csl") || strcmp(name, "-") == 0)
        return tw__csl_request_compile(r, "tilewright csl", name);
    if (g_file_test(name, G_FILE_TEST_IS_REGULAR)) {
        fprintf(stderr, "tilewright csl: '%s' is neither a layout (.csl) nor a folder that cslc wrote\n", name);
        return NULL;
    }
    if (!(program = tw_csl_load(name))) tw__csl_failed();
    return program;
}

/* --- run ------------------------------------------------------------------------------------------------------ */

typedef struct settings {
    tw__csl_request compile; /* first: tw__csl_syntax reads into it */
    tw_wse_options options;
    const char *trace, *profile, *report, *memory;
    uint64_t threads;
    bool stats;
    GPtrArray *actions; /* pairs: option, value; borrowed */
} settings;

static int take_action(void *into, const tw__cli_given *g)
{
    GPtrArray *actions = *TW__CLI_AT(GPtrArray *, into, g);
    g_ptr_array_add(actions, (char *)g->option->name);
    g_ptr_array_add(actions, g->value ? g->value : g->word);
    return TW__EXIT_OK;
}

static int take_number(void *into, const tw__cli_given *g)
{
    char *end;
    uint64_t *number = TW__CLI_AT(uint64_t, into, g);
    errno = 0;
    *number = strtoull(g->value, &end, 10);
    return tw__cli_good(*g->value && *g->value != '-' && !*end && errno == 0 && *number <= g->option->most);
}

#define AT(field)           .at = offsetof(settings, field)
#define ACTION(name, value) { name, value, AT(actions), .take = take_action }

static const tw__cli_option run_rows[] = {
    ACTION("--in", "NAME=FILE.npy"),
    ACTION("--out", "NAME=FILE.npy"),
    ACTION("--launch", "FUNCTION"),
    ACTION("--send", "COLOR=FILE.npy"),
    ACTION("--receive", "COLOR:N=FILE.npy"),
    ACTION("--nowait", NULL),
    { "--stats", AT(stats) },
    { "--trace", "FILE.json", AT(trace) },
    { "--profile", "FILE.json", AT(profile) },
    { "--report", "FILE.html", AT(report) },
    { "--memory", "FILE", AT(memory) },
    { "--check", "report, error, strict or off", AT(options.check), .take = tw__cli_choose },
    { "--max-cycles", "N", AT(options.max_cycles), .take = take_number, .wanted = "a number", .most = UINT64_MAX },
    { "--threads", "N", AT(threads), .take = take_number, .wanted = "0 to 1024", .most = 1024 },
    { "--order-seed", "N", AT(options.task_order_seed), .take = take_number, .wanted = "a number",
      .most = UINT64_MAX },
};

/* The memory of all PEs at the end, row by row from the west. */
static int write_memory(tw__csl_run *r, const char *path)
{
    enum { BYTES = 48 << 10 };
    static unsigned char bytes[BYTES];
    tw_output *out = tw_output_open(path, NULL, 0);
    if (!out) return tw__csl_failed();
    tw_status status = TW_OK;
    for (unsigned y = 0; y < r->info.height && status == TW_OK; y++)
        for (unsigned x = 0; x < r->info.width && status == TW_OK; x++) {
            status = tw_wse_read(r->w, r->info.x + x, r->info.y + y, 0, bytes, BYTES);
            if (status == TW_OK) fwrite(bytes, 1, BYTES, tw_output_file(out));
        }
    if (status == TW_OK) status = tw_output_commit(out);
    tw_output_free(out);
    return status == TW_OK ? TW__EXIT_OK : tw__csl_failed();
}

static void print_stats(const tw__csl_run *r)
{
    char band[64];
    tw_band_text(tw_band_find(r->info.arch == TW_WSE3 ? "wse3" : "wse2", NULL), band, sizeof band);
    printf("%llu cycles on %u x %u PEs (estimated: %s)\n", (unsigned long long)tw_wse_cycle(r->w), r->info.width,
           r->info.height, band);
}

static int write_results(tw__csl_run *r, const settings *s)
{
    if (s->memory) {
        int result = write_memory(r, s->memory);
        if (result != TW__EXIT_OK) return result;
    }
    if (s->profile && tw_wse_write_profile(r->w, s->profile) != TW_OK) return tw__csl_failed();
    if (s->report) {
        const tw_profile *profile = tw_wse_profile(r->w);
        if (!profile) return tw__csl_failed();
        int result = tw__cli_write_report("csl", profile, s->report);
        if (result != TW__EXIT_OK) return result;
    }
    if (s->trace) {
        tw_output *out = tw_output_open(s->trace, NULL, 0);
        if (!out) return tw__csl_failed();
        tw_status status = tw_wse_write_trace(r->w, tw_output_file(out));
        if (status == TW_OK || status == TW_E_IO) status = tw_output_commit(out);
        tw_output_free(out);
        if (status != TW_OK) return tw__csl_failed();
    }
    if (s->stats) print_stats(r);
    return TW__EXIT_OK;
}

static int run_program(const tw_csl_program *program, settings *s)
{
    tw__csl_run r = { .program = program, .late = g_ptr_array_new_with_free_func(tw__csl_free_late) };
    tw_csl_get_info(program, &r.info);
    s->options.out = stdout;
    int result = (r.w = tw_wse_new(program, &s->options)) != NULL ? TW__EXIT_OK : tw__csl_failed();
    for (guint i = 0; i + 1 < s->actions->len && result == TW__EXIT_OK; i += 2)
        result = tw__csl_act(&r, s->actions->pdata[i], s->actions->pdata[i + 1]);
    if (result == TW__EXIT_OK && tw_wse_stop(r.w) != TW_OK) result = tw__csl_failed();
    if (result == TW__EXIT_OK) result = tw__csl_write_late(&r);
    if (r.w && tw_wse_status(r.w) != TW_E_NO_MEMORY) { /* of another failure they tell how far it came */
        int written = write_results(&r, s);
        if (result == TW__EXIT_OK) result = written;
    }
    tw_wse_free(r.w);
    g_ptr_array_free(r.late, TRUE);
    return result;
}

/* Before the work: no output is a file that is read, none is named twice. Sources and the folder are known by now,
 * what --in and --send read is not. */
static int check_outputs(const settings *s)
{
    const char *const files[] = { s->trace, s->profile, s->report, s->memory };
    GPtrArray *in = g_ptr_array_new(), *out = g_ptr_array_new();
    for (size_t i = 0; i < G_N_ELEMENTS(files); i++)
        if (files[i]) g_ptr_array_add(out, (char *)files[i]);
    for (guint i = 0; i + 1 < s->actions->len; i += 2) {
        const char *action = s->actions->pdata[i], *file = strchr(s->actions->pdata[i + 1], '=');
        bool reads = strcmp(action, "--in") == 0 || strcmp(action, "--send") == 0,
             writes = strcmp(action, "--out") == 0 || strcmp(action, "--receive") == 0;
        if (file && (reads || writes)) g_ptr_array_add(reads ? in : out, (char *)file + 1);
    }
    int result = tw__cli_check_outputs("csl", (const char *const *)out->pdata, out->len,
                                       (const char *const *)in->pdata, in->len);
    g_ptr_array_free(in, TRUE);
    g_ptr_array_free(out, TRUE);
    return result;
}

static int run_main(int argc, char **argv)
{
    settings s = { .options = { .size = sizeof s.options }, .actions = g_ptr_array_new() };
    tw__csl_request_init(&s.compile);
    const tw__cli_syntax own = { "csl", .options = TW__CLI_ROWS(run_rows) };
    tw__cli_syntax syntax = tw__csl_syntax;
    syntax.command = "tilewright csl run", syntax.more = &own;
    int result = tw__cli_read(&syntax, &s, &argc, argv);
    if (result == TW__EXIT_OK && argc != 2)
        result = tw__cli_usage_error("csl", "%s", "run needs one folder or layout");
    if (result == TW__EXIT_OK) {
        tw__cli_name_program(argv[1]);
        tw_csl_program *program = open_program(&s.compile, argv[1]);
        result = program ? tw__csl_check_names(program, s.actions) : TW__EXIT_FAILURE;
        if (result == TW__EXIT_OK) result = check_outputs(&s);
        s.options.max_seconds = s.compile.options.max_seconds;
        s.options.threads = (unsigned)s.threads;
        s.options.trace = s.trace, s.options.profile = s.profile || s.report;
        if (result == TW__EXIT_OK) result = run_program(program, &s);
        tw_csl_program_free(program);
    }
    g_ptr_array_free(s.actions, TRUE);
    tw__csl_request_clear(&s.compile);
    return result;
}

/* --- check, list ---------------------------------------------------------------------------------------------- */

/* For editors: an array of {file, line, column, length, severity, code, message}. */
static int print_json(const tw_diags *diags)
{
    static const char *const severities[] = { "note", "warning", "error" };
    json_t *list = json_array();
    for (size_t i = 0; i < tw_diags_count(diags, TW_NOTE); i++) {
        const tw_diag *d = tw_diags_get(diags, i);
        json_array_append_new(list, json_pack("{s:s, s:i, s:i, s:i, s:s, s:s, s:s}", "file", d->file ? d->file : "",
                                              "line", d->line, "column", d->column, "length", d->length, "severity",
                                              severities[d->severity], "code", d->code ? d->code : "", "message",
                                              d->message));
    }
    int result = json_dumpf(list, stdout, JSON_INDENT(2)) == 0 && putchar('\n') != EOF && fflush(stdout) == 0;
    json_decref(list);
    return result ? TW__EXIT_OK : TW__EXIT_FAILURE;
}

static int check_json(tw__csl_request *r, const char *file)
{
    tw_diags *diags = tw__cli_diags();
    tw_csl_program *program = tw_csl_compile(file, tw__csl_request_options(r), diags);
    tw_status status = tw_status_of(program);
    int result = print_json(diags);
    if (status != TW_OK && status != TW_E_PARSE) fprintf(stderr, "tilewright csl: %s\n", tw_error_message());
    tw_csl_program_free(program);
    tw_diags_free(diags);
    return status == TW_OK ? result : TW__EXIT_FAILURE;
}

static int work_on_program(int argc, char **argv, bool list)
{
    tw__csl_request r;
    tw__csl_request_init(&r);
    tw__cli_syntax syntax = tw__csl_syntax;
    syntax.command = list ? "tilewright csl list" : "tilewright csl check";
    int result = tw__cli_read(&syntax, &r, &argc, argv);
    if (result == TW__EXIT_OK && argc != 2) result = tw__cli_usage_error("csl", "%s needs one file", argv[0]);
    if (result == TW__EXIT_OK && !list && r.json) {
        result = check_json(&r, argv[1]);
    } else if (result == TW__EXIT_OK) {
        tw_csl_program *program = open_program(&r, argv[1]);
        result = program ? TW__EXIT_OK : TW__EXIT_FAILURE;
        if (program && list && tw_csl_dump(program, stdout) != TW_OK) result = tw__csl_failed();
        tw_csl_program_free(program);
    }
    tw__csl_request_clear(&r);
    return result;
}

/* --- fmt ------------------------------------------------------------------------------------------------------ */

static char *csl_layout(const char *name, const char *source, size_t size, size_t *length)
{
    tw_diags *diags = tw__cli_diags();
    char *text = tw_csl_format(name, source, size, length, diags);
    fflush(stdout);
    tw_diags_print(diags, stderr, tw_use_colours(stderr));
    if (!text && tw_diags_count(diags, TW_ERROR) == 0) tw__csl_failed();
    tw_diags_free(diags);
    return text;
}

/* --- python --------------------------------------------------------------------------------------------------- */

/* Where the package lies: the installed tree, else the source tree. */
static char *package_folder(void)
{
    char *roots[] = { g_build_filename(tw_include_dir(), "..", "share", "tilewright", "python", NULL),
                      g_build_filename(tw_include_dir(), "..", "python", NULL) };
    char *found = NULL;
    for (int i = 0; i < 2; i++) {
        char *probe = g_build_filename(roots[i], "cerebras", "__init__.py", NULL);
        if (!found && g_file_test(probe, G_FILE_TEST_EXISTS)) found = g_strdup(roots[i]);
        g_free(probe);
        g_free(roots[i]);
    }
    return found;
}

static bool has_numpy(const char *python)
{
    const char *command[] = { python, "-c",
                              "import importlib.util as u, sys; sys.exit(u.find_spec('numpy') is None)", NULL };
    int status = 1;
    return g_spawn_sync(NULL, (char **)command, NULL,
                        G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL,
                        NULL, NULL, &status, NULL) &&
           status == 0;
}

/* $TILEWRIGHT_PYTHON, or the first interpreter that has numpy. */
static const char *find_python(void)
{
    static const char *const list[] = { "python3", "/usr/bin/python3" };
    const char *named = g_getenv("TILEWRIGHT_PYTHON");
    if (named && *named) return named;
    for (size_t i = 0; i < G_N_ELEMENTS(list); i++)
        if (has_numpy(list[i])) return list[i];
    return NULL;
}

static int cs_python(int argc, char **argv)
{
    char *package = package_folder();
    const char *python = find_python();
    if (!package || !python) {
        fprintf(stderr, !package ? "cs_python: the Python package of Tilewright is not installed\n"
                                 : "cs_python: no python3 with numpy (Debian: apt install python3-numpy)\n");
        g_free(package);
        return TW__EXIT_FAILURE;
    }
    const char *path = g_getenv("PYTHONPATH");
    char *paths = path && *path ? g_strconcat(package, ":", path, NULL) : g_strdup(package);
    char *library = g_build_filename(tw_lib_dir(), "libtilewright.so", NULL);
    if (argc > 1) tw__cli_name_program(argv[1]);
    tw__cli_set_variable("PYTHONPATH", paths);
    tw__cli_set_variable("TILEWRIGHT_LIBRARY", library);
    char *self = g_file_read_link("/proc/self/exe", NULL), *programs = self ? g_path_get_dirname(self) : NULL;
    if (programs) tw__cli_set_variable("TILEWRIGHT_BIN", programs); /* cslc, for cerebras.sdk.client */
    g_free(self);
    g_free(programs);
    if (!g_getenv("PYTHONDONTWRITEBYTECODE")) tw__cli_set_variable("PYTHONDONTWRITEBYTECODE", "1");
    char **words = g_new0(char *, (gsize)argc + 1);
    words[0] = (char *)python;
    for (int i = 1; i < argc; i++) words[i] = argv[i];
    execvp(python, words);
    fprintf(stderr, "cs_python: cannot start '%s': %s\n", python, g_strerror(errno));
    g_free(words);
    g_free(library);
    g_free(paths);
    g_free(package);
    return TW__EXIT_FAILURE;
}

static int csl(int argc, char **argv)
{
    static const char *const verbs[] = { "run", "check", "list", "fmt", "python" };
    const char *verb = argc > 1 ? argv[1] : "";
    if (strcmp(verb, "run") == 0) return run_main(argc - 1, argv + 1);
    if (strcmp(verb, "check") == 0 || strcmp(verb, "list") == 0)
        return work_on_program(argc - 1, argv + 1, strcmp(verb, "list") == 0);
    if (strcmp(verb, "fmt") == 0) return tw__cli_format("csl", csl_layout, argc - 1, argv + 1);
    if (strcmp(verb, "python") == 0) return cs_python(argc - 1, argv + 1);
    if (!*verb) return tw__cli_usage_error("csl", "run, check, list, fmt or python?");
    return tw__cli_unknown("csl", "unknown verb", verb, verbs, G_N_ELEMENTS(verbs));
}

const tw__command tw__command_csl = {
    .name = "csl",
    .arguments = "run|check|list|fmt|python ...",
    .summary = "run CSL programs on a simulated wafer",
    .help = help_text,
    .example =
        "tilewright csl run examples/csl/stencil/layout.csl --arch=wse3 --launch run,200 --out t=t.npy --stats\n"
        "tilewright csl check examples/csl/stencil/layout.csl --arch=wse3 --params=size:9 --json\n"
        "cslc examples/csl/stencil/layout.csl --arch=wse3 --fabric-dims=12,7 \\\n"
        "    --fabric-offsets=4,1 --memcpy --channels=1 -o out\n"
        "tilewright csl list out\n"
        "tilewright csl fmt examples/csl/stencil/layout.csl\n"
        "tilewright csl python examples/csl/stencil/run.py --name out",
    .options = TW__CLI_ROWS(run_rows),
    .words = "run check list fmt python --json --check -i --in-place",
    .files = ".csl .npy .py",
    .main = csl,
    .help_within = 2,
};

const tw__command tw__command_cs_python = {
    .name = "cs_python",
    .installed_as = "cs_python",
    .arguments = "SCRIPT.py [arguments]",
    .summary = "run a host script of a CSL program",
    .help = "A python3 with numpy starts with the modules that host scripts import (cerebras.sdk...) on its path.\n"
            "TILEWRIGHT_PYTHON=PROGRAM             another interpreter\n"
            "TILEWRIGHT_CSL_PROFILE=FILE.json      writes a profile of the run\n"
            "TILEWRIGHT_CSL_TRACE=FILE.json        writes a trace of the run\n"
            "TILEWRIGHT_CSL_CHECK=report|error|strict|off   what undefined behaviour does\n",
    .example = "cslc examples/csl/stencil/layout.csl --arch=wse3 --fabric-dims=12,7 \\\n"
               "    --fabric-offsets=4,1 --memcpy --channels=1 -o out\n"
               "cs_python examples/csl/stencil/run.py --name out",
    .words = "",
    .files = ".py",
    .main = cs_python,
    .help_within = 1,
};
