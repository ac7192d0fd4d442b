/* poplar_profile_summary, also `tilewright profile`: profile files to text (guide 8.2.2). */
#include "core/profile/profile.h"

#include <stdlib.h>

typedef struct command {
    const char *file, *graph, *execution, *trace; /* file: both parts in one */
    tw_profile_options options;
    bool help, version;
} command;

/* Options of the guide first. `at`: where in `command`; texts take an argument. */
static const struct {
    const char *name;
    enum { TEXT, FLAG } kind;
    size_t at;
    const char *help;
} options[] = {
    { "--graph-profile", TEXT, offsetof(command, graph), "FILE  graph profile (JSON)" },
    { "--execution-profile", TEXT, offsetof(command, execution), "FILE  execution profile (JSON)" },
    { "--show-execution-steps", FLAG, offsetof(command, options.show_execution_steps), "show execution steps" },
    { "--show-optimizations", FLAG, offsetof(command, options.show_optimizations),
      "show optimisation information" },
    { "--show-per-ipu-memory-usage", FLAG, offsetof(command, options.show_per_ipu_memory_usage),
      "report the memory usage for each IPU" },
    { "--show-var-storage", FLAG, offsetof(command, options.show_var_storage),
      "show liveness information for each program" },
    { "--trace", TEXT, offsetof(command, trace), "FILE  write a trace for ui.perfetto.dev instead of a summary" },
    { "--help", FLAG, offsetof(command, help), "print this text" },
    { "--version", FLAG, offsetof(command, version), "print the version" },
};
enum { OPTION_COUNT = sizeof options / sizeof *options };

static void print_help(const char *program)
{
    printf("Usage: %s --graph-profile FILE [--execution-profile FILE] [options]\n"
           "       %s FILE [options]    (both parts in one file)\n"
           "Prints a readable summary of profiling information.\n\n",
           program, program);
    for (int i = 0; i < OPTION_COUNT; i++) printf("  %-30s %s\n", options[i].name, options[i].help);
    printf("\nCLICOLOR_FORCE=1 turns colours on, CLICOLOR=0 turns them off; else a terminal gets colours.\n");
}

/* The option that `arg` names, its value in *value when it is given as --name=value; -1 = none. */
static int find_option(const char *arg, const char **value)
{
    size_t length = strcspn(arg, "=");
    *value = arg[length] ? arg + length + 1 : NULL;
    for (int i = 0; i < OPTION_COUNT; i++)
        if (strlen(options[i].name) == length && !strncmp(arg, options[i].name, length)) return i;
    return -1;
}

static int unknown(const char *program, const char *arg)
{
    const char *names[OPTION_COUNT];
    for (int i = 0; i < OPTION_COUNT; i++) names[i] = options[i].name;
    const char *near = tw__nearest(arg, names, OPTION_COUNT);
    fprintf(stderr, "%s: unknown option '%s'", program, arg);
    fprintf(stderr, near ? ", did you mean '%s'?\n" : "\n", near);
    return 2;
}

static int parse(command *c, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *value;
        if (argv[i][0] != '-' && !c->file) {
            c->file = argv[i];
            continue;
        }
        int option = find_option(argv[i], &value);
        if (option < 0) return unknown(argv[0], argv[i]);
        char *at = (char *)c + options[option].at;
        if (options[option].kind == FLAG) {
            if (value) return fprintf(stderr, "%s: %s takes no value\n", argv[0], options[option].name), 2;
            *(bool *)at = true;
            continue;
        }
        if (!value && i + 1 < argc) value = argv[++i];
        if (!value) return fprintf(stderr, "%s: %s needs a file\n", argv[0], options[option].name), 2;
        memcpy(at, &value, sizeof value);
    }
    return 0;
}

static tw_status write_trace(const tw_profile *profile, const command *c)
{
    FILE *out = fopen(c->trace, "w");
    if (!out) return tw__fail(TW_E_IO, "cannot write %s", c->trace);
    tw_status status = tw_profile_write_trace(profile, out, &c->options);
    if (fclose(out) != 0 && !status) return tw__fail(TW_E_IO, "cannot write %s", c->trace);
    return status;
}

int tw_profile_summary_main(int argc, char **argv)
{
    const char *slash = strrchr(argv[0], '/');
    argv[0] = strcmp(argv[0], "profile") == 0 ? (char *)"tilewright profile" : slash ? (char *)slash + 1 : argv[0];
    command c = { 0 };
    int bad = parse(&c, argc, argv);
    if (bad) return bad;
    if (c.help) return print_help(argv[0]), 0;
    if (c.version) return printf("%s %s\n", argv[0], tw_version()), 0;
    if (c.file && (c.graph || c.execution))
        return fprintf(stderr, "%s: either '%s' or --graph-profile and --execution-profile\n", argv[0], c.file), 2;
    if (!c.file && !c.graph && !c.execution)
        return fprintf(stderr, "%s: --graph-profile is needed; --help lists the options\n", argv[0]), 2;
    tw_profile *profile = NULL;
    tw_status status =
        c.file ? tw_profile_load_file(&profile, c.file) : tw_profile_load_files(&profile, c.graph, c.execution);
    if (!status)
        status = c.trace ? write_trace(profile, &c) : tw_profile_print_summary(profile, stdout, &c.options);
    if (!status && fflush(stdout) != 0) status = tw__fail(TW_E_IO, "cannot write the summary");
    if (status) fprintf(stderr, "%s: %s\n", argv[0], tw_error_message());
    tw_profile_free(profile);
    return status ? 1 : 0;
}
