/* Entry of `tilewright`: finds the command and hands over. The same program answers to the names of the tools it stands
 * for (popc, poplar_profile_summary): links with those names call it. */
#include "cli.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <tilewright/poplar/popc.h>
#include <tilewright/profile.h>
#include <tilewright/pto.h>

static int help_main(int argc, char **argv);
static int complete_main(int argc, char **argv);

// clang-format off
static const tw__command commands[] = {
    { "run", "", "[-v] [compiler options] prog.c|prog.cpp [arguments]",
      "compile a host program against the library and run it",
      "\n"
      "The program is compiled with $CC (default cc) or $CXX (default c++), linked with libtilewright and replaced\n"
      "only when it, a header it includes or the options change. Options before the source go to the compiler;\n"
      "everything after it goes to the program, whose exit status is that of this command.\n"
      "\n"
      "  -v        show the compiler command\n"
      "  -g -O3 -DX=1 -I dir -lm ...   as for the compiler\n",
      "-v -g -O0 -O1 -O2 -O3 -D -I -l --help", ".c .cpp .cc .cxx", tw__cli_run, false },
    { "popc", "popc", "[options] input... -o output.gp", "compile codelets to a graph program file (.gp)", NULL,
      "-o -D -I -g -O0 -O1 -O2 -O3 --help", ".c .cpp .cc .cxx .gp", tw_popc_main, false },
    { "profile", "poplar_profile_summary", "[options]", "print the summary of profile files", NULL,
      "--graph-profile --execution-profile --show-execution-steps --show-optimizations --show-per-ipu-memory-usage "
      "--show-var-storage --help", ".json", tw_profile_summary_main, false },
    { "info", "", "targets|types|options [--json]", "list targets, element types or engine options",
      "\n"
      "  targets   the chips, with the figures that a target starts from; '~' marks an estimate\n"
      "  types     element types and the name each system gives them\n"
      "  options   options of an engine: default, state and meaning\n"
      "  --json    the same for programs\n",
      "targets types options --json --help", "", tw__cli_info, true },
    { "aie", "", "type NAME... | types [--json] [--extra]", "explain a type name of the AI Engine, list its types", NULL,
      "type types --json --extra --help", "", tw__cli_aie, false },
    { "layout", "", "encode|decode|vertex|struct [options]", "show vectors, vertex state and structs as bits in a tile",
      "\n"
      "  encode --arch mk1|mk2|ipu21 --layout NAME --type T [--align N] --address A --count N\n"
      "            words of a vector in hex; of a VectorList its base structure with --table T, or one row with\n"
      "            --base B; --rows A:N,A:N,... --table T [--outer NAME] gives a whole two-dimensional field\n"
      "  decode --arch CHIP --layout NAME --type T [--align N] [--base B] WORD...\n"
      "            the reverse; WORDs in hex\n"
      "  vertex FILE.cpp|FILE.c|FILE.gp --arch CHIP [--flags FLAGS]\n"
      "            state of each vertex: offset, size, field, encoding\n"
      "  struct FILE.c [--flags FLAGS]\n"
      "            structs and unions of a C file by the rules of the ABI\n"
      "  --json    the same for programs\n"
      "\n"
      "layouts: SPAN SHORT_SPAN ONE_PTR SCALED_PTR32 SCALED_PTR64 SCALED_PTR128 COMPACT_PTR, of lists DELTAN\n"
      "DELTANELEMENTS COMPACT_DELTAN\n",
      "encode decode vertex struct --arch --layout --type --align --address --count --base --table --rows --outer "
      "--flags --json --help", ".c .cpp .cc .cxx .gp", tw__cli_layout, true },
    { "pto", "", "run|check|fmt|info ...", "run and check programs of tile instructions (PTO-AS)", NULL,
      "run check fmt info list --target --manual --function --arg --out --blocks --devices --vectors --trace --profile "
      "--max-steps --check --in-place --help", ".pto .npy", tw_pto_main, false },
    { "help", "", "[command]", "this text, or that of a command", "", "run popc profile info aie layout pto", "", help_main, false },
};
// clang-format on
enum { COMMANDS = sizeof commands / sizeof *commands };

static const tw__command *find_command(const char *name)
{
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(name, commands[i].name) == 0) return &commands[i];
    return NULL;
}

static const tw__command *find_installed_name(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (int i = 0; i < COMMANDS; i++)
        if (*commands[i].installed_as && strcmp(name, commands[i].installed_as) == 0) return &commands[i];
    return NULL;
}

static void print_usage(FILE *out)
{
    fprintf(out, "usage: tilewright COMMAND [ARGUMENTS]\n"
                 "Programs for tile processors: compile, run and profile them on this machine.\n\n");
    for (int i = 0; i < COMMANDS; i++) fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].summary);
    fprintf(out, "\n  --version  version of the library\n"
                 "  --help     this text; `tilewright COMMAND --help` tells more\n");
}

static int print_command_help(const tw__command *command)
{
    if (!command->help) {
        char *arguments[] = { (char *)command->name, (char *)"--help", NULL };
        return command->main(2, arguments);
    }
    printf("usage: tilewright %s %s\n%s\n%s", command->name, command->arguments, command->summary, command->help);
    return TW__EXIT_OK;
}

int tw__cli_usage_error(const char *name, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "tilewright %s: ", name);
    vfprintf(stderr, format, args);
    va_end(args);
    const tw__command *command = find_command(name);
    fprintf(stderr, "\nusage: tilewright %s %s\n", name, command ? command->arguments : "");
    return TW__EXIT_USAGE;
}

static int unknown_command(const char *name)
{
    const char *names[COMMANDS];
    for (int i = 0; i < COMMANDS; i++) names[i] = commands[i].name;
    const char *nearest = tw_nearest(name, names, COMMANDS);
    fprintf(stderr, "tilewright: there is no command '%s'", name);
    if (nearest) fprintf(stderr, "; did you mean '%s'?", nearest);
    fprintf(stderr, "\nTry `tilewright --help`.\n");
    return TW__EXIT_USAGE;
}

static int help_main(int argc, char **argv)
{
    if (argc < 2) return print_usage(stdout), TW__EXIT_OK;
    const tw__command *command = find_command(argv[1]);
    return command ? print_command_help(command) : unknown_command(argv[1]);
}

/* `tilewright complete WORD...`: what may stand in the place of the last word, for completions/tilewright.bash.
 * One candidate a line; "*.c" stands for files with that suffix. */
static int complete_main(int argc, char **argv)
{
    const tw__command *command = argc > 2 ? find_command(argv[1]) : NULL;
    if (!command) {
        for (int i = 0; argc <= 2 && i < COMMANDS; i++) puts(commands[i].name);
        if (argc <= 2) puts("--version\n--help");
        return TW__EXIT_OK;
    }
    const char *lists[] = { command->words, command->files };
    for (int l = 0; l < 2; l++)
        for (const char *word = lists[l]; *word;) {
            int length = (int)strcspn(word, " ");
            printf("%s%.*s\n", l ? "*" : "", length, word);
            word += length + (word[length] == ' ');
        }
    return TW__EXIT_OK;
}

static bool asks_for_help(int argc, char **argv)
{
    return argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0);
}

int main(int argc, char **argv)
{
    const tw__command *command = argc ? find_installed_name(argv[0]) : NULL;
    if (command) return command->main(argc, argv);
    if (argc < 2) return print_usage(stderr), TW__EXIT_USAGE;
    if (asks_for_help(argc, argv)) return print_usage(stdout), TW__EXIT_OK;
    if (strcmp(argv[1], "--version") == 0) return printf("tilewright %s\n", tw_version()), TW__EXIT_OK;
    if (strcmp(argv[1], "complete") == 0) return complete_main(argc - 1, argv + 1);
    command = find_command(argv[1]);
    if (!command) return unknown_command(argv[1]);
    if (asks_for_help(argc - 1, argv + 1) || (command->has_verbs && asks_for_help(argc - 2, argv + 2)))
        return print_command_help(command);
    return command->main(argc - 1, argv + 1);
}
