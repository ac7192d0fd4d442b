/* SPDX-License-Identifier: MIT */
/* aie_run: `tilewright aie run graph.cpp` builds a graph with its kernels and runs it, as aiecompiler and
 * x86simulator do. The program lies in a folder of its own that is gone afterwards; what it is told goes by the
 * environment (src/aie/array/model/environment.c). */
#include "cli/aie/aie.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int take_folder(void *into, const tw__cli_given *g)
{
    g_ptr_array_add(((tw__aie_request *)into)->folders, g_canonicalize_filename(g->value, NULL));
    return TW__EXIT_OK;
}

static int take_target(void *into, const tw__cli_given *g)
{
    bool hardware = *TW__CLI_AT(bool, into, g) = strcmp(g->value, "hw") == 0;
    if (hardware || strcmp(g->value, "x86sim") == 0) return TW__EXIT_OK;
    return tw__cli_usage_error("aie", "--target is x86sim or hw, not '%s'", g->value);
}

static int take_graph(void *into, char **at, bool only_words)
{
    tw__aie_request *r = into;
    if (r->graph && only_words) return r->arguments = at, TW__CLI_STOP; /* behind --, those of the program */
    if (r->graph) return tw__cli_usage_error("aie", "run takes one graph, not '%s' too", *at);
    r->graph = *at;
    return TW__EXIT_OK;
}

#define AT(field) .at = offsetof(tw__aie_request, field)

static const tw__cli_option compiler_rows[] = {
    { "-I", "DIR", .form = TW__CLI_ATTACHED, .take = take_folder },
    { "-D -U", "NAME", AT(flags), .form = TW__CLI_ATTACHED | TW__CLI_MAY_LACK | TW__CLI_HIDDEN,
      .take = tw__cli_pass },
    { "-O -g -std= -f -m -W -w", AT(flags), .form = TW__CLI_ATTACHED | TW__CLI_HIDDEN, .take = tw__cli_pass },
};

static int unknown_option(const tw__cli_syntax *s, char *word)
{
    (void)s;
    return tw__cli_unknown_option(&tw__aie_run_syntax, word);
}

static const tw__cli_syntax compiler_syntax = { "aie", TW__CLI_ROWS(compiler_rows), .unknown = unknown_option,
                                                .lacks = "option %s needs a value" };

/* --Xpreproc=FLAG: one of the compiler. */
static int take_preprocessor(void *into, const tw__cli_given *g)
{
    if (!g->value) return unknown_option(NULL, g->word);
    **g->at = g->value;
    return tw__cli_take_option(&compiler_syntax, into, g->at);
}

static const tw__cli_option rows[] = {
    { "-i", "DIR", AT(input) },
    { "-o", "DIR", AT(output) },
    { "--input-dir", "DIR", AT(input) },
    { "--output-dir", "DIR", AT(output) },
    { "--profile", "FILE", AT(profile) },
    { "--report", "FILE.html", AT(report) },
    { "--include", "DIR", .form = TW__CLI_UNOFFERED, .take = take_folder },
    { "-include", "DIR", .form = TW__CLI_HIDDEN, .take = take_folder },
    { "--timestamps", AT(timestamps) },
    { "--target", "x86sim|hw", AT(hardware), .take = take_target },
    { "--Xpreproc", "[=FLAG]", .form = TW__CLI_UNOFFERED, .take = take_preprocessor },
    { "-v", AT(verbose) },
};

const tw__cli_syntax tw__aie_run_syntax = { "aie", TW__CLI_ROWS(rows), &compiler_syntax, .word = take_graph,
                                            .lacks = "option %s needs a value" };

static int aie_run_parse(tw__aie_request *r, int argc, char **argv)
{
    r->arguments = argv + argc;
    int status = tw__cli_read(&tw__aie_run_syntax, r, &argc, argv);
    if (status != TW__EXIT_OK) return status;
    if (!r->graph)
        return tw__cli_usage_error("aie", "%s: expected the file of a graph", r->listing ? "cycles" : "run");
    if (r->listing && (r->profile || r->report || r->timestamps || r->output || r->input))
        return tw__cli_usage_error("aie",
                                   "cycles runs nothing: --profile, --report, --timestamps, -i and -o are for run");
    if (r->output && strcmp(r->output, "-") == 0)
        return tw__cli_usage_error("aie", "the standard output is no folder");
    return tw__cli_need_name("aie", r->graph, "the source of a graph");
}

/* --- running ---------------------------------------------------------------------------------------------------- */

/* What a command prints stays off the standard output when that is a file that was asked for. */
static void aside(gpointer data)
{
    (void)data;
    if (!tw__cli_has_standard_output()) dup2(STDERR_FILENO, STDOUT_FILENO);
}

/* The exit status of a command, or TW__EXIT_FAILURE after a message. */
static int spawn(const tw__aie_request *r, GPtrArray *command, char **environment)
{
    GError *error = NULL;
    g_ptr_array_add(command, NULL);
    if (r->verbose) {
        char *line = g_strjoinv(" ", (char **)command->pdata);
        fprintf(stderr, "%s\n", line);
        g_free(line);
    }
    fflush(stdout);
    GSpawnFlags flags = G_SPAWN_SEARCH_PATH | G_SPAWN_CHILD_INHERITS_STDIN | G_SPAWN_DO_NOT_REAP_CHILD;
    GPid child;
    if (!g_spawn_async(NULL, (char **)command->pdata, environment, flags, aside, NULL, &child, &error)) {
        fprintf(stderr, "tilewright aie: %s\n", error->message);
        g_error_free(error);
        return TW__EXIT_FAILURE;
    }
    int status = tw__cli_wait(child);
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    if (tw_interrupted()) return 128 + WTERMSIG(status);
    fprintf(stderr, "tilewright aie: '%s' ended by signal %d\n", (char *)command->pdata[0], WTERMSIG(status));
    return TW__EXIT_FAILURE;
}

static bool goes_out(const char *file)
{
    return file && strcmp(file, "-") == 0;
}

/* Where the program writes its profile; NULL: nowhere. For the standard output it is kept first: the program
 * prints, too. */
static char *profile_file(const tw__aie_request *r)
{
    if (r->profile && !goes_out(r->profile)) return g_strdup(r->profile);
    return r->profile || r->report ? g_build_filename(r->work, "profile.json", NULL) : NULL;
}

/* The profile of the first graph to the standard output. */
static int print_profile(const tw__aie_request *r)
{
    char *file = profile_file(r), *text = NULL;
    size_t size = 0;
    bool done = (text = tw_read_file(file, (size_t)4 << 30, &size)) != NULL &&
                tw_write_file("-", text, size, NULL, 0) == TW_OK;
    free(text), g_free(file);
    return done ? TW__EXIT_OK : tw__cli_failure("aie");
}

/* A page for each graph that ran: FILE.html, FILE.2.html ... */
static int write_reports(const tw__aie_request *r)
{
    char *profile = profile_file(r), *end = g_str_has_suffix(r->report, ".html") ? strrchr(r->report, '.') : NULL;
    int status = tw__cli_report_file("aie", profile, r->report), length = (int)strlen(r->report);
    for (int number = 2; status == TW__EXIT_OK; number++) {
        char *next = g_strdup_printf("%s.%d", profile, number);
        GStatBuf written;
        bool there = g_stat(next, &written) == 0 && written.st_mtime >= r->began; /* not of an earlier run */
        char *page =
            g_strdup_printf("%.*s.%d%s", end ? (int)(end - r->report) : length, r->report, number, end ? end : "");
        if (there) status = tw__cli_report_file("aie", next, page);
        g_free(next), g_free(page);
        if (!there) break;
    }
    g_free(profile);
    return status;
}

static int run_program(const tw__aie_request *r)
{
    tw__cli_name_program(r->graph);
    char **environment = g_get_environ(), *errors = g_build_filename(r->work, "errors", NULL);
    const char *output = r->output ? r->output : "x86simulator_output";
    if (g_mkdir_with_parents(output, 0777) != 0) {
        fprintf(stderr, "tilewright aie: %s: this folder cannot be made\n", output);
        g_strfreev(environment), g_free(errors);
        return TW__EXIT_FAILURE;
    }
    environment = g_environ_setenv(environment, "TW_AIE_OUTPUT_DIR", output, TRUE);
    environment = g_environ_setenv(environment, "TW_AIE_ERRORS", errors, TRUE);
    if (r->input) environment = g_environ_setenv(environment, "TW_AIE_INPUT_DIR", r->input, TRUE);
    if (r->timestamps) environment = g_environ_setenv(environment, "TW_AIE_TIMESTAMPS", "1", TRUE);
    char *profile = profile_file(r);
    if (profile) environment = g_environ_setenv(environment, "TW_AIE_PROFILE_FILE", profile, TRUE);
    g_free(profile);
    GPtrArray *command = g_ptr_array_new();
    g_ptr_array_add(command, r->program);
    for (char **argument = r->arguments; *argument; argument++) g_ptr_array_add(command, *argument);
    int status = spawn(r, command, environment);
    if (status == TW__EXIT_OK && g_file_test(errors, G_FILE_TEST_EXISTS)) status = TW__EXIT_FAILURE;
    g_ptr_array_free(command, TRUE);
    g_strfreev(environment), g_free(errors);
    return status;
}

/* In time to leave a profile. */
static bool was_interrupted(const tw__aie_request *r)
{
    char *file = tw_interrupted() ? profile_file(r) : NULL;
    GStatBuf written;
    bool left = file && g_stat(file, &written) == 0 && written.st_mtime >= r->began; /* not of an earlier run */
    g_free(file);
    return left;
}

static void remove_work(const char *work)
{
    GDir *folder = g_dir_open(work, 0, NULL);
    for (const char *name; folder && (name = g_dir_read_name(folder));) {
        char *path = g_build_filename(work, name, NULL);
        g_unlink(path);
        g_free(path);
    }
    if (folder) g_dir_close(folder);
    g_rmdir(work);
}

int tw__aie_run(int argc, char **argv)
{
    tw__aie_request r = { .flags = g_ptr_array_new(), .folders = g_ptr_array_new_with_free_func(g_free) };
    tw__aie_sources sources = { 0 };
    r.listing = strcmp(argv[0], "cycles") == 0;
    int status = aie_run_parse(&r, argc, argv);
    if (status == TW__EXIT_OK) {
        g_ptr_array_add(r.folders, NULL);
        bool found = tw__aie_find_sources(r.graph, (char **)r.folders->pdata, &sources);
        g_ptr_array_remove_index(r.folders, r.folders->len - 1);
        if (!found || (sources.layered && !tw__aie_find_library(&r))) status = TW__EXIT_FAILURE;
        if (found && !tw__cli_library_can_be_found()) status = tw__cli_failure("aie");
        if (found && status == TW__EXIT_OK)
            status = tw__cli_check_outputs("aie", (const char *[]){ r.profile, r.report }, 2, NULL, 0);
    }
    if (status == TW__EXIT_OK && !(r.work = g_dir_make_tmp("tilewright_aie_XXXXXX", NULL))) {
        fprintf(stderr, "tilewright aie: no folder for the program in %s\n", g_get_tmp_dir());
        status = TW__EXIT_FAILURE;
    }
    if (status == TW__EXIT_OK) {
        tw_interrupt_on_sigint(); /* so that no half of a file stays */
        status = tw__aie_build(&r, &sources);
    }
    r.began = time(NULL);
    bool runs = status == TW__EXIT_OK && !r.listing && !tw_interrupted();
    if (runs) status = run_program(&r);
    if (!runs && tw_interrupted()) {
        status = tw__cli_nothing_ran("aie");
    } else if (!r.listing && (status == TW__EXIT_OK || was_interrupted(&r))) {
        int written = goes_out(r.profile) ? print_profile(&r) : TW__EXIT_OK;
        if (written == TW__EXIT_OK && r.report) written = write_reports(&r);
        status = tw__cli_interrupted("aie", status == TW__EXIT_OK ? written : status);
    }
    if (r.work) remove_work(r.work), g_free(r.work);
    g_free(r.program);
    tw__aie_free_sources(&sources);
    g_ptr_array_free(r.flags, TRUE), g_ptr_array_free(r.folders, TRUE);
    return status;
}
