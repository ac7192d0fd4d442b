/* SPDX-License-Identifier: MIT */
/* `tilewright report`: a profile as one HTML file; of two profiles what differs. */
#include "cli/cli.h"

#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tilewright/report.h>
#include <unistd.h>

typedef struct request {
    const char *out, *title, *graph, *execution;
    bool open;
} request;

#define AT(field) .at = offsetof(request, field)
static const tw__cli_option table[] = {
    { "-o", "FILE", AT(out), "the file to write (report.html)" },
    { "--open", NULL, AT(open), "show it in the browser" },
    { "--title", "TEXT", AT(title), "title of the page" },
    { "--graph-profile", "FILE", AT(graph), "a graph profile of its own file (JSON)" },
    { "--execution-profile", "FILE", AT(execution), "an execution profile of its own file (JSON)" },
};

/* Starts the desktop's opener and leaves it alone. */
static void open_page(const char *path)
{
    const char *chosen = g_getenv("BROWSER");
    char *full = g_canonicalize_filename(path, NULL);
    char *argv[] = { (char *)(uintptr_t)(chosen && *chosen ? chosen : "xdg-open"), full, NULL };
    GError *error = NULL;
    if (!g_spawn_async(NULL, argv, NULL,
                       G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL,
                       NULL, &error)) {
        fprintf(stderr, "tilewright report: cannot open it: %s (set BROWSER to a program)\n", error->message);
        g_error_free(error);
    }
    g_free(full);
}

static tw_status write_page(const request *r, const tw_profile *a, const tw_profile *b, char **files)
{
    const char *inputs[] = { files[0], files[0] ? files[1] : NULL, r->graph, r->execution };
    char *name_a = g_path_get_basename(files[0] ? files[0] : r->graph ? r->graph : r->execution);
    char *name_b = b ? g_path_get_basename(files[1]) : NULL;
    tw_report_options options = {
        .size = sizeof options, .title = r->title, .name_a = b ? name_a : NULL, .name_b = name_b, .unnamed = name_a
    };
    char *title = b ? g_strdup_printf("%s → %s", name_a, name_b) : NULL;
    if (!options.title) options.title = title;
    tw_output *out = tw_output_open(r->out, inputs, 4);
    tw_status status = tw_status_of(out);
    if (out) {
        status = b ? tw_profile_write_comparison(a, b, tw_output_file(out), &options)
                   : tw_profile_write_report(a, tw_output_file(out), &options);
        if (status == TW_OK || status == TW_E_IO) status = tw_output_commit(out);
        tw_output_free(out);
    }
    g_free(name_a), g_free(name_b), g_free(title);
    return status;
}

int tw__cli_write_report(const char *command, const tw_profile *profile, const char *path)
{
    tw_output *out = tw_output_open(path, NULL, 0);
    tw_status status = tw_status_of(out);
    if (out) {
        char *name = g_path_get_basename(path);
        tw_report_options options = { .size = sizeof options, .unnamed = name };
        status = tw_profile_write_report(profile, tw_output_file(out), &options);
        g_free(name);
        if (status == TW_OK || status == TW_E_IO) status = tw_output_commit(out);
        tw_output_free(out);
    }
    if (status) return tw__cli_failure(command);
    tw__cli_tell_file("report: ", path);
    return TW__EXIT_OK;
}

/* "heat" of heat.c; a name that says nothing gets its folder's: "stencil/layout". */
void tw__cli_name_program(const char *path)
{
    static const char *const plain[] = { "layout", "graph", "main", "program", "out" };
    char *full = g_canonicalize_filename(path, NULL), *base = g_path_get_basename(full);
    char *folder = g_path_get_dirname(full), *parent = g_path_get_basename(folder), *dot = strrchr(base, '.');
    if (dot && dot != base) *dot = 0;
    bool says_little = false;
    for (size_t i = 0; i < G_N_ELEMENTS(plain); i++) says_little |= strcmp(base, plain[i]) == 0;
    char *name = says_little && !strchr(parent, '/') ? g_build_filename(parent, base, NULL) : g_strdup(base);
    tw__cli_set_variable("TILEWRIGHT_PROGRAM", name);
    g_free(full), g_free(base), g_free(folder), g_free(parent), g_free(name);
}

int tw__cli_report_file(const char *command, const char *file, const char *path)
{
    tw_profile *profile = tw_profile_load_file(file);
    int result = profile ? tw__cli_write_report(command, profile, path) : tw__cli_failure(command);
    tw_profile_free(profile);
    return result;
}

static int report(int argc, char **argv)
{
    request r = { .out = "report.html" };
    int bad = tw__cli_parse(&tw__command_report, &r, &argc, argv);
    if (bad) return bad;
    char *files[] = { argc > 1 ? argv[1] : NULL, argc > 2 ? argv[2] : NULL };
    if (argc > 3) return tw__cli_usage_error("report", "'%s': two profiles are compared at most", argv[3]);
    if (files[0] && (r.graph || r.execution))
        return tw__cli_usage_error("report", "either '%s' or --graph-profile and --execution-profile", files[0]);
    if (!files[0] && !r.graph && !r.execution) return tw__cli_usage_error("report", "no profile is given");
    if (r.open && strcmp(r.out, "-") == 0)
        return tw__cli_usage_error("report", "--open shows a file, not the standard output");
    tw_profile *a = files[0] ? tw_profile_load_file(files[0]) : tw_profile_load_files(r.graph, r.execution),
               *b = NULL;
    tw_status status = tw_status_of(a);
    if (!status && files[1]) status = tw_status_of(b = tw_profile_load_file(files[1]));
    if (!status) status = write_page(&r, a, b, files);
    tw_profile_free(a);
    tw_profile_free(b);
    if (status) return tw__cli_failure("report");
    tw__cli_tell_file("", r.out);
    if (r.open) open_page(r.out);
    return TW__EXIT_OK;
}

const tw__command tw__command_report = {
    .name = "report",
    .arguments = "PROFILE.json [PROFILE.json] [-o report.html] [--open]",
    .summary = "write a profile as a page to look at, or two as a comparison",
    .help =
        "One HTML file that opens anywhere, offline. Profiles are those of `tilewright profile`, of any machine.\n",
    .example = "tilewright run --profile before.json examples/poplar/scale/scale_host.c\n"
               "tilewright report before.json -o report.html\n"
               "tilewright run --profile after.json -O1 examples/poplar/scale/scale_host.c\n"
               "tilewright report before.json after.json -o changes.html",
    .options = TW__CLI_ROWS(table),
    .words = "",
    .files = ".json",
    .main = report,
};
