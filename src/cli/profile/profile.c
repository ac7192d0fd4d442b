/* SPDX-License-Identifier: MIT */
/* `tilewright profile`, also poplar_profile_summary: profile files to text (guide 8.2.2), or to a trace. */
#include "cli/cli.h"

#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tilewright/report.h>

typedef struct request {
    const char *graph, *execution, *trace;
    bool version, diff, top, tiles, memory, lines, names;
    const char *rows;
    GPtrArray *conditions; /* borrowed */
    tw_profile_options options;
} request;

static int take_condition(void *into, const tw__cli_given *g)
{
    if (g->value && *g->value) return tw__cli_add(into, g);
    return tw__cli_usage_error("profile", "--fail-if needs a condition");
}

/* Options of the guide first. */
#define AT(field) .at = offsetof(request, field)
static const tw__cli_option table[] = {
    { "--graph-profile", "FILE", AT(graph), "graph profile (JSON)" },
    { "--execution-profile", "FILE", AT(execution), "execution profile (JSON)" },
    { "--show-execution-steps", NULL, AT(options.show_execution_steps), "each step that ran, with its cycles" },
    { "--show-optimizations", NULL, AT(options.show_optimizations), "what was optimised" },
    { "--show-per-ipu-memory-usage", NULL, AT(options.show_per_ipu_memory_usage), "memory of each IPU by itself" },
    { "--show-var-storage", NULL, AT(options.show_var_storage), "what is live when, by program" },
    { "--trace", "FILE", AT(trace), "write a trace for ui.perfetto.dev instead of a summary" },
    { "--top", NULL, AT(top), "findings; kernels and steps with the most cycles" },
    { "--tiles", NULL, AT(tiles), "busiest and fullest tiles" },
    { "--memory", NULL, AT(memory), "memory by category, what is always live, fullest tiles" },
    { "--names", NULL, AT(names), "steps by the program's own names, Layer1/Fwd/..., with sums" },
    { "--lines", NULL, AT(lines), "lines of the sources with the most cycles" },
    { "--rows", "N", AT(rows), "most lines of these tables (20)" },
    { "--diff", NULL, AT(diff), "FILE FILE: what changed, the largest change first" },
    { "--fail-if", "CONDITION", AT(conditions),
      .help = "with --diff: exit status 1 when it holds, as cycles>+2%; several are possible",
      .form = TW__CLI_MAY_LACK, .take = take_condition },
    { "--version", NULL, AT(version), "print the version" },
};

static tw_status write_trace(const tw_profile *profile, const request *r, const char *file)
{
    const char *inputs[] = { file, r->graph, r->execution };
    tw_output *out = tw_output_open(r->trace, inputs, 3);
    if (!out) return tw_error_status();
    tw_status status = tw_profile_write_trace(profile, tw_output_file(out), &r->options);
    if (status == TW_OK || status == TW_E_IO) status = tw_output_commit(out); /* it says what went wrong */
    tw_output_free(out);
    return status;
}

/* --- differences ------------------------------------------------------------------------------------------------ */

static int compare(const request *r, unsigned rows, const char *const *files)
{
    tw_profile *a = tw_profile_load_file(files[0]), *b = NULL;
    char line[256];
    int result = TW__EXIT_OK;
    tw_status status = tw_status_of(a);
    if (!status) status = tw_status_of(b = tw_profile_load_file(files[1]));
    if (!status) status = tw_profile_print_diff(a, b, stdout, r->options.colours, rows);
    /* Unreadable files are a mistake of the caller: 1 says that a condition holds. */
    if (status) result = tw__cli_failure("profile"), result = TW__EXIT_USAGE;
    for (guint i = 0; i < r->conditions->len && result != TW__EXIT_USAGE; i++) {
        bool holds;
        if (tw_profile_judge(a, b, r->conditions->pdata[i], &holds, line) != TW_OK) {
            tw__cli_failure("profile");
            result = TW__EXIT_USAGE;
            break;
        }
        printf("%s\n", line);
        if (holds) result = TW__EXIT_FAILURE;
    }
    tw_profile_free(a);
    tw_profile_free(b);
    return result;
}

static tw_status print(const request *r, unsigned rows, const tw_profile *profile, const char *file)
{
    tw_status status = TW_OK;
    if (r->trace) return write_trace(profile, r, file);
    if (!r->top && !r->tiles && !r->memory && !r->names && !r->lines)
        return tw_profile_print_summary(profile, stdout, &r->options);
    if (r->top) status = tw_profile_print_top(profile, stdout, r->options.colours, rows);
    if (!status && r->tiles) status = tw_profile_print_tiles(profile, stdout, r->options.colours, rows);
    if (!status && r->memory) status = tw_profile_print_memory(profile, stdout, r->options.colours, rows);
    if (!status && r->names) status = tw_profile_print_names(profile, stdout, r->options.colours, rows);
    if (!status && r->lines) status = tw_profile_print_lines(profile, stdout, r->options.colours, rows);
    return status;
}

static int summarise(int argc, char **argv)
{
    g_autoptr(GPtrArray) conditions = g_ptr_array_new();
    request r = { .options = { .size = sizeof r.options }, .conditions = conditions };
    int bad = tw__cli_parse(&tw__command_profile, &r, &argc, argv);
    if (bad) return bad;
    if (r.version) return tw__cli_print_version(tw__cli_name(&tw__command_profile)), TW__EXIT_OK;
    char *end = NULL;
    unsigned long rows = r.rows ? strtoul(r.rows, &end, 10) : 0;
    const char *files[] = { argc > 1 ? argv[1] : NULL /* both parts in one */, argc > 2 ? argv[2] : NULL };
    if (end && (*end || !rows || rows > 1000000 || *r.rows == '-'))
        return tw__cli_usage_error("profile", "--rows %s: expected a number from 1 to 1000000", r.rows);
    if (conditions->len && !r.diff)
        return tw__cli_usage_error("profile", "--fail-if needs --diff and two profiles");
    if (r.diff && (argc != 3 || r.graph || r.execution))
        return tw__cli_usage_error("profile", "--diff needs two files, each with what is known of a run");
    if (r.diff) return compare(&r, (unsigned)rows, files);
    if (argc > 2) return tw__cli_usage_error("profile", "'%s': one file with both parts at a time", argv[2]);
    if (files[0] && (r.graph || r.execution))
        return tw__cli_usage_error("profile", "either '%s' or --graph-profile and --execution-profile", files[0]);
    if (!files[0] && !r.graph && !r.execution)
        return tw__cli_usage_error("profile",
                                   "--graph-profile is needed, or one FILE that --profile of a run wrote");
    tw_profile *profile = files[0] ? tw_profile_load_file(files[0]) : tw_profile_load_files(r.graph, r.execution);
    tw_status status = tw_status_of(profile);
    if (!status) status = print(&r, (unsigned)rows, profile, files[0]);
    tw_profile_free(profile);
    return status ? tw__cli_failure("profile") : TW__EXIT_OK;
}

const tw__command tw__command_profile = {
    .name = "profile",
    .installed_as = "poplar_profile_summary",
    .arguments = "--graph-profile FILE [--execution-profile FILE] [options] | FILE [options] | --diff A B",
    .summary = "print the summary of profile files",
    .help =
        "FILE holds both parts. CLICOLOR_FORCE=1 turns colours on, else NO_COLOR=1 or CLICOLOR=0 off; else a "
        "terminal\n"
        "gets colours. --diff ends with 0, with 1 when a condition of --fail-if holds, with 2 when it cannot be "
        "judged:\n"
        "METRIC>VALUE or METRIC<VALUE; +VALUE and -VALUE are changes from A, with % relative to it. Metrics: "
        "cycles,\n"
        "time, memory.max, memory.total, exchange.bytes, tileBalance, threadBalance, findings.\n",
    .example =
        "tilewright run --profile before.json examples/poplar/scale/scale_host.c\n"
        "tilewright profile before.json --top --tiles\n"
        "tilewright run --profile after.json -O1 examples/poplar/scale/scale_host.c\n"
        "tilewright profile --diff before.json after.json --fail-if 'cycles>+2%'\n"
        "POPLAR_ENGINE_OPTIONS='{\"autoReport.all\":\"true\"}' tilewright run examples/poplar/scale/scale_host.c\n"
        "tilewright profile --graph-profile graph_profile.json --execution-profile execution_profile.json",
    .options = TW__CLI_ROWS(table),
    .words = "",
    .files = ".json",
    .main = summarise,
    .colours = true,
};
