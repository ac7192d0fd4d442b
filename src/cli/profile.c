/* `tilewright profile`, also poplar_profile_summary: profile files to text (guide 8.2.2), or to a trace. */
#include "cli.h"

#include <stdio.h>
#include <tilewright/profile.h>

typedef struct request {
    const char *graph, *execution, *trace;
    bool version;
    tw_profile_options options;
} request;

/* Options of the guide first. */
static const tw__cli_option table[] = {
    { "--graph-profile", "FILE", offsetof(request, graph), "graph profile (JSON)" },
    { "--execution-profile", "FILE", offsetof(request, execution), "execution profile (JSON)" },
    { "--show-execution-steps", NULL, offsetof(request, options.show_execution_steps), "show execution steps" },
    { "--show-optimizations", NULL, offsetof(request, options.show_optimizations),
      "show optimisation information" },
    { "--show-per-ipu-memory-usage", NULL, offsetof(request, options.show_per_ipu_memory_usage),
      "report the memory usage for each IPU" },
    { "--show-var-storage", NULL, offsetof(request, options.show_var_storage),
      "show liveness information for each program" },
    { "--trace", "FILE", offsetof(request, trace), "write a trace for ui.perfetto.dev instead of a summary" },
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

static int summarise(int argc, char **argv)
{
    request r = { 0 };
    const tw__command *self = &tw__command_profile;
    int bad = tw__cli_parse(self, &r, &argc, argv);
    const char *file = argc > 1 ? argv[1] : NULL; /* both parts in one */
    if (bad) return bad;
    if (r.version) return printf("%s %s\n", tw__cli_name(self), tw_version()), TW__EXIT_OK;
    if (argc > 2) return tw__cli_usage_error("profile", "'%s': one file with both parts at a time", argv[2]);
    if (file && (r.graph || r.execution))
        return tw__cli_usage_error("profile", "either '%s' or --graph-profile and --execution-profile", file);
    if (!file && !r.graph && !r.execution) return tw__cli_usage_error("profile", "--graph-profile is needed");
    tw_profile *profile = NULL;
    tw_status status =
        file ? tw_profile_load_file(&profile, file) : tw_profile_load_files(&profile, r.graph, r.execution);
    if (!status)
        status = r.trace ? write_trace(profile, &r, file) : tw_profile_print_summary(profile, stdout, &r.options);
    tw_profile_free(profile);
    return status ? tw__cli_failure("profile") : TW__EXIT_OK;
}

const tw__command tw__command_profile = {
    .name = "profile",
    .installed_as = "poplar_profile_summary",
    .arguments = "--graph-profile FILE [--execution-profile FILE] [options] | FILE [options]",
    .summary = "print the summary of profile files",
    .help = "FILE holds both parts. CLICOLOR_FORCE=1 turns colours on, CLICOLOR=0 turns them off; else a terminal "
            "gets\n"
            "colours.\n",
    .example =
        "tilewright profile --graph-profile graph.json --execution-profile execution.json --show-execution-steps",
    .options = table,
    .option_count = sizeof table / sizeof *table,
    .words = "",
    .files = ".json",
    .main = summarise,
};
