/* SPDX-License-Identifier: MIT */
/* Entry of `tilewright`: finds the command and hands over. The same program answers to the names of the tools it
 * stands for (popc, poplar_profile_summary): links with those names call it. */
#include "cli/cli.h"

#include <errno.h>
#include <glib.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POINTER(name) &tw__command_##name,
static const tw__command *const commands[] = { TW__COMMANDS(POINTER) };
#undef POINTER
enum { COMMANDS = sizeof commands / sizeof *commands };

static const tw__command *called_as; /* by the name it is installed as; NULL = tilewright COMMAND */

static const tw__command *find_command(const char *name)
{
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(name, commands[i]->name) == 0) return commands[i];
    return NULL;
}

static const tw__command *find_installed_name(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (int i = 0; i < COMMANDS; i++)
        if (commands[i]->installed_as && strcmp(name, commands[i]->installed_as) == 0) return commands[i];
    return NULL;
}

/* --- texts ---------------------------------------------------------------------------------------------------- */

const char *tw__cli_name(const tw__command *command)
{
    static char name[64];
    if (called_as == command && command) return command->installed_as;
    snprintf(name, sizeof name, "tilewright %s", command->name);
    return name;
}

static void print_usage(FILE *out)
{
    fprintf(out, "usage: tilewright COMMAND [ARGUMENTS]\n"
                 "Programs for tile processors: compile, run and profile them on this machine.\n\n");
    for (int i = 0; i < COMMANDS; i++) fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    fprintf(out, "\n  --version  version, and the commit it was built from\n"
                 "  --help     this text; `tilewright COMMAND --help` tells more\n"
                 "\n"
                 "example:\n"
                 "  tilewright run examples/poplar/heat/heat.c heat.ppm\n"
                 "\n"
                 "exit status: 0 success, 1 the job failed, 2 the command line was wrong\n");
}

/* Below a text that announces them without a blank line. */
static void print_options(const tw__command *c)
{
    int width = c->option_width ? c->option_width : 28;
    bool first = !g_str_has_suffix(c->help, ":\n");
    for (size_t i = 0; i < c->option_count; i++) {
        const tw__cli_option *o = &c->options[i];
        if (!o->help) continue;
        char left[64];
        snprintf(left, sizeof left, "%s%s%s", o->name, o->value ? " " : "", o->value ? o->value : "");
        printf("%s  %-*s ", first ? "\n" : "", width, left);
        for (const char *at = o->help; *at; at++) *at == '\n' ? printf("\n%*s", width + 3, "") : putchar(*at);
        putchar('\n');
        first = false;
    }
}

static void print_command_help(const tw__command *c)
{
    printf("usage: %s %s\n%s\n", tw__cli_name(c), c->arguments, c->summary);
    if (*c->help) printf("\n%s", c->help);
    print_options(c);
    printf("\nexample:\n");
    for (const char *line = c->example; *line;) {
        int length = (int)strcspn(line, "\n");
        printf("  %.*s\n", length, line);
        line += length + (line[length] == '\n');
    }
}

/* --- mistakes ------------------------------------------------------------------------------------------------- */

static int usage_error(const char *name, const char *format, va_list args)
{
    const tw__command *command = find_command(name);
    fprintf(stderr, "%s: ", command ? tw__cli_name(command) : name);
    vfprintf(stderr, format, args);
    if (command) fprintf(stderr, "\nusage: %s %s", tw__cli_name(command), command->arguments);
    fprintf(stderr, "\nTry `%s --help`.\n", command ? tw__cli_name(command) : name);
    return TW__EXIT_USAGE;
}

int tw__cli_usage_error(const char *command, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int status = usage_error(command, format, args);
    va_end(args);
    return status;
}

int tw__cli_unknown(const char *command, const char *what, const char *word, const char *const *names, size_t count)
{
    const char *near = tw_nearest(word, names, count);
    return tw__cli_usage_error(command, "%s '%.80s'%s%s%s", what, word, near ? "; did you mean '" : "",
                               near ? near : "", near ? "'?" : "");
}

const char *tw__cli_command_for(const char *file)
{
    static const struct {
        const char *suffix, *command;
    } rows[] = { { ".csl", "csl run" }, { ".pto", "pto run" },  { ".c", "run" },        { ".cpp", "run" },
                 { ".cc", "run" },      { ".cxx", "run" },      { ".json", "profile" }, { ".S", "sim" },
                 { ".s", "sim" },       { ".o", "objdump -d" }, { ".py", "csl python" } };
    static char text[64];
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        if (g_str_has_suffix(file, rows[i].suffix))
            return snprintf(text, sizeof text, "tilewright %s", rows[i].command), text;
    return NULL;
}

int tw__cli_not_a_file(const char *command, const char *what, const char *word, const char *const *names,
                       size_t count)
{
    const char *meant = g_file_test(word, G_FILE_TEST_IS_REGULAR) ? tw__cli_command_for(word) : NULL;
    return meant ? tw__cli_usage_error(command, "%s '%.80s'; did you mean '%s %.80s'?", what, word, meant, word)
                 : tw__cli_unknown(command, what, word, names, count);
}

int tw__cli_failure_of(const char *who, const char *name)
{
    fprintf(stderr, "%s%s: %s\n", who, tw__cli_name(find_command(name)), tw_error_message());
    return TW__EXIT_FAILURE;
}

int tw__cli_failure(const char *name)
{
    return tw__cli_failure_of("", name);
}

tw_diags *tw__cli_diags(void)
{
    tw_diags *diags = tw_diags_new();
    if (diags) return diags;
    fprintf(stderr, "tilewright: no memory for messages\n");
    exit(TW__EXIT_FAILURE);
}

void tw__cli_set_variable(const char *name, const char *value)
{
    if (setenv(name, value, 1) == 0) return;
    fprintf(stderr, "tilewright: cannot set %s: %s\n", name, strerror(errno));
    exit(TW__EXIT_FAILURE);
}

static int unknown_command(const char *name)
{
    const char *names[COMMANDS];
    for (int i = 0; i < COMMANDS; i++) names[i] = commands[i]->name;
    return tw__cli_not_a_file("tilewright", "there is no command", name, names, COMMANDS);
}

/* --- the commands that speak about commands ------------------------------------------------------------------- */

static int help(int argc, char **argv)
{
    int bad = tw__cli_parse(&tw__command_help, NULL, &argc, argv);
    if (bad) return bad;
    if (argc < 2) return print_usage(stdout), TW__EXIT_OK;
    const tw__command *command = find_command(argv[1]);
    return command ? (print_command_help(command), TW__EXIT_OK) : unknown_command(argv[1]);
}

const tw__command tw__command_help = {
    .name = "help",
    .arguments = "[command]",
    .summary = "this text, or that of a command",
    .help = "",
    .example = "tilewright help popc",
    .words = "",
    .files = "",
    .main = help,
};

static void print_words(const char *words, const char *before)
{
    while (*words) {
        int length = (int)strcspn(words, " ");
        printf("%s%.*s\n", before, length, words);
        words += length + (words[length] == ' ');
    }
}

static void main_offer(const tw__cli_option *options, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!(options[i].form & TW__CLI_UNOFFERED)) puts(options[i].name);
}

/* `tilewright complete WORD...`: what may stand in the place of the last word, for completions/tilewright.bash.
 * One candidate a line; "*.c" stands for files with that suffix. */
static int complete(int argc, char **argv)
{
    const tw__command *command = argc > 2 ? find_command(argv[1]) : NULL;
    if (!command && argc > 2) command = find_installed_name(argv[1]);
    if (!command || command == &tw__command_help) {
        for (int i = 0; argc <= (command ? 3 : 2) && i < COMMANDS; i++) puts(commands[i]->name);
        if (argc <= 2) puts("--version\n--help");
        return TW__EXIT_OK;
    }
    print_words(command->words, "");
    main_offer(command->options, command->option_count);
    if (command->verb) main_offer(command->verb->options, command->verb->count);
    puts("--help");
    print_words(command->files, "*");
    return TW__EXIT_OK;
}

/* `tilewright man [COMMAND]`: a page for man, as the build makes them. */
static int man(int argc, char **argv)
{
    if (argc < 2) return tw__cli_print_man_of_all(commands, COMMANDS), TW__EXIT_OK;
    const tw__command *command = find_command(argv[1]);
    return command ? (tw__cli_print_man(command), TW__EXIT_OK) : unknown_command(argv[1]);
}

/* --- dispatch ------------------------------------------------------------------------------------------------- */

static bool is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* -h is the command's own where its table has it, as of objdump. */
static bool is_help_of(const tw__command *command, const char *word)
{
    for (size_t k = 0; k < command->option_count; k++)
        if (strcmp(command->options[k].name, "-h") == 0) return strcmp(word, "--help") == 0;
    return is_help(word);
}

static int run_command(const tw__command *command, int argc, char **argv)
{
    bool is_others = !command->help_verb || (argc > 1 && strcmp(argv[1], command->help_verb) == 0);
    int within = command->help_within && is_others ? command->help_within : argc;
    for (int i = 1; i < argc && i <= within && strcmp(argv[i], "--") != 0; i++)
        if (is_help_of(command, argv[i])) return print_command_help(command), TW__EXIT_OK;
    if (!command->colours) tw__cli_escape_output();
    return command->main(argc, argv);
}

static int dispatch(int argc, char **argv)
{
    called_as = argc ? find_installed_name(argv[0]) : NULL;
    if (called_as) return run_command(called_as, argc, argv);
    if (argc < 2) return print_usage(stderr), TW__EXIT_USAGE;
    if (is_help(argv[1])) return print_usage(stdout), TW__EXIT_OK;
    if (strcmp(argv[1], "--version") == 0) return tw__cli_print_version("tilewright"), TW__EXIT_OK;
    if (strcmp(argv[1], "complete") == 0) return complete(argc - 1, argv + 1);
    if (strcmp(argv[1], "man") == 0) return man(argc - 1, argv + 1);
    const tw__command *command = find_command(argv[1]);
    return command ? run_command(command, argc - 1, argv + 1) : unknown_command(argv[1]);
}

int main(int argc, char **argv)
{
    tw_protect_inputs(true);
    setenv("TILEWRIGHT_PROGRESS", "2",
           0); /* for the programs that are started, too; without memory there is none */
    int status = dispatch(argc, argv);
    tw_protect_inputs(false);
    errno = 0; /* of an earlier write nobody kept why it failed */
    if (!tw__cli_end_output()) {
        fprintf(stderr, "tilewright: cannot write the output: %s\n",
                errno ? strerror(errno) : "is there space left?");
        if (status == TW__EXIT_OK) status = TW__EXIT_FAILURE;
    }
    return status;
}
