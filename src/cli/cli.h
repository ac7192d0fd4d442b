/* cli: the program `tilewright`, a client of the public headers like any user's. One file per command: it defines a
 * tw__command, and a row of TW__COMMANDS below makes it known. Dispatch, --help, the nearest name after a typing
 * error and shell completion read these.
 *
 * Commands print with stdio. main() closes the standard output behind them: what could not be written is a failure.
 * Exit codes: 0 success, 1 the job failed, 2 the command line was wrong; `run` ends with the status of the
 * program. */
#ifndef TW_CLI_CLI_H
#define TW_CLI_CLI_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <tilewright/base.h>

enum { TW__EXIT_OK, TW__EXIT_FAILURE, TW__EXIT_USAGE };

/* "--name", "--name VALUE" or "--name=VALUE". */
typedef struct tw__cli_option {
    const char *name;
    const char *value; /* what the help calls its value; NULL = a flag */
    size_t at;         /* in the command's struct of options: bool of a flag, const char * of a value */
    const char *help;  /* one line */
} tw__cli_option;

typedef struct tw__command {
    const char *name;
    const char *installed_as; /* the name its users already type; NULL when there is none */
    const char *arguments;    /* after the name, for usage lines */
    const char *summary;      /* one line */
    const char *help;         /* below the summary; lines end in '\n' */
    const char
        *example; /* command lines, of each verb at least one, that work one after the other where examples/ is */
    const tw__cli_option *options; /* for tw__cli_parse, help and completion */
    size_t option_count;           /* 0 when the command reads its arguments itself */
    const char *words;             /* more for completion, separated by blanks: verbs, options it reads itself */
    const char *files;             /* suffixes offered by completion, separated by blanks */
    int (*main)(int argc, char **argv); /* argv[0] is the name it was called by */
    int help_within;                    /* --help behind so many words belongs to somebody else; 0 = never */
    bool colours;                       /* prints some, and makes names harmless itself */
} tw__command;

/* X(name): tw__command_<name>, in the order of the help. */
#define TW__COMMANDS(X) \
    X(run)              \
    X(popc)             \
    X(profile)          \
    X(report)           \
    X(info)             \
    X(aie)              \
    X(layout)           \
    X(asm)              \
    X(objdump)          \
    X(link)             \
    X(sim)              \
    X(pto)              \
    X(cslc)             \
    X(csl)              \
    X(cs_python)        \
    X(help)

#define TW__COMMAND_DECLARE(name) extern const tw__command tw__command_##name;
TW__COMMANDS(TW__COMMAND_DECLARE)
#undef TW__COMMAND_DECLARE

/* --- main.c --------------------------------------------------------------------------------------------------- */

/* "tilewright info", or the name that the command is installed as when it was called by that. */
const char *tw__cli_name(const tw__command *command);
/* Prints "tilewright <command>: <message>" and the usage line; returns TW__EXIT_USAGE. */
int tw__cli_usage_error(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same for a word that should be one of `names`: "<what> '<word>'; did you mean '...'?" */
int tw__cli_unknown(const char *command, const char *what, const char *word, const char *const *names,
                    size_t count);
/* Prints "tilewright <command>: <tw_error_message()>"; returns TW__EXIT_FAILURE. */
int tw__cli_failure(const char *command);
tw_diags *tw__cli_diags(void); /* a list; ends the program when there is no memory for it */
/* Of the environment; ends the program when there is no memory for it. */
void tw__cli_set_variable(const char *name, const char *value);

/* --- library.c ------------------------------------------------------------------------------------------------ */

typedef struct _GPtrArray GPtrArray;
/* Options of a compiler (owned strings) for <tilewright/...>, in the build tree too. */
void tw__cli_add_headers(GPtrArray *command);
/* Options that link a program on the spot, so that it finds the library where this one lies, and looks nowhere else. */
void tw__cli_add_library(GPtrArray *command);
/* Whether there is such an option: a search path cannot hold every name. False with tw_error_message(). */
bool tw__cli_library_can_be_found(void);

/* --- terminal.c ----------------------------------------------------------------------------------------------- */

/* From now on what is printed with stdio is shown by tw_print_text(): names and texts of files are in it. Data goes
 * to the standard output by tw_output_open("-"). */
void tw__cli_escape_output(void);
bool tw__cli_end_output(void); /* writes what is left and closes; false: not all of it could be written */
/* tw_outputs_check() of what a command writes; where one of them is the standard output, everything else that is
 * printed goes to the standard error. The exit status. */
int tw__cli_check_outputs(const char *command, const char *const *outputs, size_t output_count,
                          const char *const *inputs, size_t input_count);
/* False: the standard output is one of them. Programs that are started print to the standard error, too. */
bool tw__cli_has_standard_output(void);
/* Data, such as a preprocessed source: as it is, unless a terminal shows it. TW_OK, or TW_E_IO. */
tw_status tw__cli_print_data(const char *text, size_t size);
/* "report: FILE" on the standard output, unless that is the file. */
void tw__cli_tell_file(const char *what, const char *path);

/* --- report.c ------------------------------------------------------------------------------------------------- */

typedef struct tw_profile tw_profile;
/* What profiles of this process, and of those it starts, call their program: the name of its file. */
void tw__cli_name_program(const char *path);
/* Writes a report to a file and prints its path; `command` is named in messages. The exit status. */
int tw__cli_write_report(const char *command, const tw_profile *profile, const char *path);
/* The same of a profile in a file, which is removed. */
int tw__cli_report_file(const char *command, const char *profile, const char *path);

/* --- options.c ------------------------------------------------------------------------------------------------ */

/* What a word of a command line is: an option, a word (a file, or "-", the standard streams), or the "--" behind
 * which there are only words. *only_words is the caller's, false at first. Every command asks this. */
typedef enum tw__cli_kind { TW__CLI_OPTION, TW__CLI_WORD, TW__CLI_END } tw__cli_kind;
tw__cli_kind tw__cli_kind_of(const char *word, bool *only_words);
/* The name of a source for compilers, to whom "-x.c" is an option: "./-x.c". Kept until the end. */
const char *tw__cli_source(const char *word);
/* Refuses "-" where the name of a file has to say what it is: `what` is "a source of C or C++". TW__EXIT_OK, or
 * TW__EXIT_USAGE after a message. */
int tw__cli_need_name(const char *command, const char *file, const char *what);
/* Reads the options of the command's table into *into; argv[1] to argv[*argc - 1] are then the words that are no
 * options. After "--" everything is a word. TW__EXIT_OK, or TW__EXIT_USAGE after a message. */
int tw__cli_parse(const tw__command *command, void *into, int *argc, char **argv);
/* insn.c: `tilewright info insn NAME`; NULL = all mnemonics. Returns the exit status. */
int tw__cli_print_insn(const char *name, bool json);
int tw__cli_print_insn_page(void); /* docs/colossus-instructions.md */
/* Prints a value with an indentation of 2 and takes it; returns the exit status. */
int tw__cli_print_json(json_t *value);

#endif
