/* SPDX-License-Identifier: MIT */
/* `tilewright csl`: runs, checks and lists CSL programs; `cs_python` runs a host script with our package. */
#include "cli/csl/csl_run.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <tilewright/tile.h>
#include <unistd.h>

static const char help_text[] =
    "  run FOLDER|layout.csl [option...]       runs a folder that cslc wrote, or a layout with the options of "
    "cslc\n"
    "  debug FOLDER|layout.csl [option...]     the same, stopped and stepped by commands: 'help' lists them\n"
    "  debug --dap                             the same for an editor, by the Debug Adapter Protocol\n"
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
    "  --receive COLOR[@X,Y,W,H]:N=FILE.npy   N wavelets of each PE on a stream to the host,\n"
    "                    as u32, [height][width][N]\n"
    "Rectangles are relative to the program's; default all of it.\n"
    "  --nowait          of the --send and --receive after it: later ones do not wait for them\n"
    "  --check=report|error|strict|off    what undefined behaviour does; default report\n"
    "  --order-seed=N    a random order among ready tasks instead of turns by their ids\n"
    "  --max-cycles=N --threads=N\n"
    "  --save-at CYCLE,...    a checkpoint at the last pause at or before that cycle\n"
    "  --save-every N[,KEEP]  one every N cycles, FILE.CYCLE, of which the last KEEP stay; default 2\n"
    "  --save FILE            where; default checkpoint; FILE.CYCLE when there are several cycles\n"
    "  --resume FILE          goes on there, with the same actions; also of debug\n"
    "  -n RANKS          as so many processes, by MPI: each has rows of PEs, the first one prints and writes "
    "files\n"
    "  --hosts A,B       with -n: on these machines, which have Tilewright and the program at the same places\n"
    "  --all-output      with -n: the output of all ranks, not of the first one alone\n"
    "  --max-seconds=N   of the run, and of what a layout evaluates at compile time; default: no limit, and 600\n"
    "  --trace FILE.json      tasks, microthreads and wavelets for ui.perfetto.dev\n"
    "  --profile FILE.json    for tilewright profile\n"
    "  --report FILE.html     the same as a page to look at\n"
    "  --memory FILE     the 48 KB of every PE at the end, row by row from the west\n"
    "  --stats           cycles and PEs at the end\n";

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
        tw_csl_program *program = tw__csl_open(&r, argv[1]);
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

/* Options before the script: as several ranks. True: *status is that of them, or of a failure; else it is for this
 * process to run. */
static bool python_ranks(int *argc, char ***argv, int *status)
{
    tw__launch launch = { 0 };
    char **at = *argv + 1;
    *status = tw__launch_read("csl", &launch, &at);
    if (*status != TW__EXIT_OK) return true;
    if (!launch.ranks) { /* what says how ranks print says nothing about one process */
        *argc -= (int)(at - (*argv + 1));
        *argv = at - 1;
        return false;
    }
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    g_ptr_array_add(words, (char *)"csl");
    g_ptr_array_add(words, (char *)"python");
    while (*at) g_ptr_array_add(words, *at++);
    g_ptr_array_add(words, NULL);
    *status = tw__launch_self("csl", &launch, (const char *const *)words->pdata);
    return true;
}

static int cs_python(int argc, char **argv)
{
    int status;
    if (python_ranks(&argc, &argv, &status)) return status;
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
    static const char *const verbs[] = { "run", "debug", "check", "list", "fmt", "python" };
    const char *verb = argc > 1 ? argv[1] : "";
    if (strcmp(verb, "run") == 0) return tw__csl_run_main(argc - 1, argv + 1);
    if (strcmp(verb, "debug") == 0) return tw__csl_debug_main(argc - 1, argv + 1);
    if (strcmp(verb, "check") == 0 || strcmp(verb, "list") == 0)
        return work_on_program(argc - 1, argv + 1, strcmp(verb, "list") == 0);
    if (strcmp(verb, "fmt") == 0) return tw__cli_format("csl", csl_layout, argc - 1, argv + 1);
    if (strcmp(verb, "python") == 0) return cs_python(argc - 1, argv + 1);
    if (!*verb) return tw__cli_usage_error("csl", "run, debug, check, list, fmt or python?");
    return tw__cli_not_a_file("csl", "unknown verb", verb, verbs, G_N_ELEMENTS(verbs));
}

const tw__command tw__command_csl = {
    .name = "csl",
    .arguments = "run|debug|check|list|fmt|python ...",
    .summary = "run CSL programs on a simulated wafer",
    .help = help_text,
    .example =
        "tilewright csl run examples/csl/stencil/layout.csl --arch=wse3 --launch run,200 --out t=t.npy --stats\n"
        "tilewright csl run examples/csl/stencil/layout.csl --arch=wse3 --launch run,200 --save-at 5000 --save "
        "saved\n"
        "tilewright csl run examples/csl/stencil/layout.csl --arch=wse3 --launch run,200 --resume saved --stats\n"
        "printf 'break step at 2,2 if steps == 2\\nrun\\nbacktrace\\nprint t\\nwhy 1,1\\n' | \\\n"
        "    tilewright csl debug examples/csl/stencil/layout.csl --arch=wse3 --launch run,3\n"
        "tilewright csl check examples/csl/stencil/layout.csl --arch=wse3 --params=size:9 --json\n"
        "cslc examples/csl/stencil/layout.csl --arch=wse3 --fabric-dims=12,7 \\\n"
        "    --fabric-offsets=4,1 --memcpy --channels=1 -o out\n"
        "tilewright csl list out\n"
        "tilewright csl fmt examples/csl/stencil/layout.csl\n"
        "tilewright csl python examples/csl/stencil/run.py --name out",
    .options = tw__csl_run_rows,
    .option_count = TW__CSL_RUN_ROWS,
    .words = "run debug check list fmt python --dap --json --check -i --in-place",
    .files = ".csl .npy .py",
    .main = csl,
    .help_within = 2,
    .help_verb = "python",
};

const tw__command tw__command_cs_python = {
    .name = "cs_python",
    .installed_as = "cs_python",
    .arguments = "SCRIPT.py [arguments]",
    .summary = "run a host script of a CSL program",
    .help =
        "A python3 with numpy starts with the modules that host scripts import (cerebras.sdk...) on its path.\n"
        "TILEWRIGHT_PYTHON=PROGRAM             another interpreter\n"
        "TILEWRIGHT_CSL_PROFILE=FILE.json      writes a profile of the run\n"
        "TILEWRIGHT_CSL_TRACE=FILE.json        writes a trace of the run\n"
        "TILEWRIGHT_CSL_SAVE_AT, _SAVE_EVERY, _SAVE, _RESUME   checkpoints, as the options of tilewright csl run;\n"
        "                                      the script that is resumed makes the same calls again\n"
        "-n RANKS, --hosts A,B, --all-output   before the script: as several processes, as for tilewright csl run\n"
        "TILEWRIGHT_CSL_CHECK=report|error|strict|off   what undefined behaviour does\n",
    .example = "cslc examples/csl/stencil/layout.csl --arch=wse3 --fabric-dims=12,7 \\\n"
               "    --fabric-offsets=4,1 --memcpy --channels=1 -o out\n"
               "cs_python examples/csl/stencil/run.py --name out",
    .options = tw__launch_rows,
    .option_count = TW__LAUNCH_ROWS,
    .words = "",
    .files = ".py",
    .main = cs_python,
    .help_within = 1,
};
