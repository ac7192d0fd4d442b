/* `tilewright profile`, also poplar_profile_summary: profile files to text (guide 8.2.2), or to a trace. */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tilewright/report.h>

typedef struct request {
    const char *graph, *execution, *trace;
    bool version, diff, top, tiles, memory;
    const char *rows;
    tw_profile_options options;
} request;

/* Options of the guide first. */
static const tw__cli_option table[] = {
    { "--graph-profile", "FILE", offsetof(request, graph), "graph profile (JSON)" },
    { "--execution-profile", "FILE", offsetof(request, execution), "execution profile (JSON)" },
    { "--show-execution-steps", NULL, offsetof(request, options.show_execution_steps),
      "each step that ran, with its cycles" },
    { "--show-optimizations", NULL, offsetof(request, options.show_optimizations), "what was optimised" },
    { "--show-per-ipu-memory-usage", NULL, offsetof(request, options.show_per_ipu_memory_usage),
      "memory of each IPU by itself" },
    { "--show-var-storage", NULL, offsetof(request, options.show_var_storage), "what is live when, by program" },
    { "--trace", "FILE", offsetof(request, trace), "write a trace for ui.perfetto.dev instead of a summary" },
    { "--top", NULL, offsetof(request, top), "findings; kernels and steps with the most cycles" },
    { "--tiles", NULL, offsetof(request, tiles), "busiest and fullest tiles" },
    { "--memory", NULL, offsetof(request, memory), "memory by category, what is always live, fullest tiles" },
    { "--rows", "N", offsetof(request, rows), "most lines of these tables (20)" },
    { "--diff", NULL, offsetof(request, diff), "FILE FILE: what changed, the largest change first" },
    { "--fail-if", "CONDITION", 0,
      "with --diff: exit status 1 when it holds, as cycles>+2%; several are possible" },
    { "--version", NULL, offsetof(request, version), "print the version" },
};

static tw_status write_trace(const tw_profile *profile, const request *r, const char *file)
{
    const char *inputs[] = { file, r->graph, r->execution };
    tw_output *out;
    tw_status status = tw_output_open(&out, r->trace, inputs, 3), closed;
    if (status != TW_OK) return status;
    status = tw_profile_write_trace(profile, tw_output_file(out), &r->options);
    closed =
        tw_output_close(out, status == TW_OK || status == TW_E_IO); /* which says what went wrong with the file */
    return closed ? closed : status;
}

/* --- differences ------------------------------------------------------------------------------------------------ */

/* Takes the conditions out of the command line: there may be several. Their number, or -1 after a message. */
static int take_conditions(int *argc, char **argv, const char **conditions)
{
    static const char name[] = "--fail-if";
    int count = 0, words = 1;
    for (int i = 1; i < *argc; i++) {
        const char *value = NULL;
        if (strncmp(argv[i], name, sizeof name - 1) == 0 && argv[i][sizeof name - 1] == '=')
            value = argv[i] + sizeof name;
        else if (strcmp(argv[i], name) == 0)
            value = i + 1 < *argc ? argv[++i] : "";
        if (value && !*value) return tw__cli_usage_error("profile", "--fail-if needs a condition"), -1;
        if (value)
            conditions[count++] = value;
        else
            argv[words++] = argv[i];
    }
    *argc = words;
    argv[words] = NULL;
    return count;
}

static int compare(const request *r, unsigned rows, const char *const *files, const char *const *conditions,
                   int count)
{
    tw_profile *a = NULL, *b = NULL;
    char line[256];
    int result = TW__EXIT_OK;
    tw_status status = tw_profile_load_file(&a, files[0]);
    if (!status) status = tw_profile_load_file(&b, files[1]);
    if (!status) status = tw_profile_print_diff(a, b, stdout, r->options.colours, rows);
    /* Unreadable files are a mistake of the caller: 1 says that a condition holds. */
    if (status) result = tw__cli_failure("profile"), result = TW__EXIT_USAGE;
    for (int i = 0; i < count && result != TW__EXIT_USAGE; i++) {
        bool holds;
        if (tw_profile_judge(a, b, conditions[i], &holds, line) != TW_OK) {
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
    if (!r->top && !r->tiles && !r->memory) return tw_profile_print_summary(profile, stdout, &r->options);
    if (r->top) status = tw_profile_print_top(profile, stdout, r->options.colours, rows);
    if (!status && r->tiles) status = tw_profile_print_tiles(profile, stdout, r->options.colours, rows);
    if (!status && r->memory) status = tw_profile_print_memory(profile, stdout, r->options.colours, rows);
    return status;
}

static int summarise(int argc, char **argv)
{
    request r = { 0 };
    const tw__command *self = &tw__command_profile;
    const char **conditions = calloc((size_t)argc + 1, sizeof *conditions), *files[2];
    if (!conditions) return perror("tilewright profile"), TW__EXIT_FAILURE;
    int count = take_conditions(&argc, argv, conditions);
    int bad = count < 0 ? TW__EXIT_USAGE : tw__cli_parse(self, &r, &argc, argv);
    char *end = NULL;
    unsigned long rows = !bad && r.rows ? strtoul(r.rows, &end, 10) : 0;
    files[0] = argc > 1 ? argv[1] : NULL; /* both parts in one */
    files[1] = argc > 2 ? argv[2] : NULL;
    if (!bad && r.version) {
        printf("%s %s\n", tw__cli_name(self), tw_version());
        free(conditions);
        return TW__EXIT_OK;
    }
    if (!bad && end && (*end || !rows || rows > 1000000 || *r.rows == '-'))
        bad = tw__cli_usage_error("profile", "--rows %s: expected a number from 1 to 1000000", r.rows);
    if (!bad && count && !r.diff) bad = tw__cli_usage_error("profile", "--fail-if needs --diff and two profiles");
    if (!bad && r.diff && (argc != 3 || r.graph || r.execution))
        bad = tw__cli_usage_error("profile", "--diff needs two files, each with what is known of a run");
    if (bad || r.diff) {
        if (!bad) bad = compare(&r, (unsigned)rows, files, conditions, count);
        free(conditions);
        return bad;
    }
    free(conditions);
    if (argc > 2) return tw__cli_usage_error("profile", "'%s': one file with both parts at a time", argv[2]);
    if (files[0] && (r.graph || r.execution))
        return tw__cli_usage_error("profile", "either '%s' or --graph-profile and --execution-profile", files[0]);
    if (!files[0] && !r.graph && !r.execution) return tw__cli_usage_error("profile", "--graph-profile is needed");
    tw_profile *profile = NULL;
    tw_status status =
        files[0] ? tw_profile_load_file(&profile, files[0]) : tw_profile_load_files(&profile, r.graph, r.execution);
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
    .options = table,
    .option_count = sizeof table / sizeof *table,
    .words = "",
    .files = ".json",
    .main = summarise,
    .colours = true,
};
