/* SPDX-License-Identifier: MIT */
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
#include <sys/types.h>
#include <tilewright/base.h>
#include <tilewright/interrupt.h>

enum { TW__EXIT_OK, TW__EXIT_FAILURE, TW__EXIT_USAGE };

typedef struct _GPtrArray GPtrArray;
typedef struct tw__cli_option tw__cli_option;
typedef struct tw__cli_syntax tw__cli_syntax;

/* An option as it was met. */
typedef struct tw__cli_given {
    const tw__cli_option *option;
    char *word, *value; /* value NULL: there is none */
    bool apart;         /* the value is the word behind it */
    const char *command;
    char ***at; /* its last word */
} tw__cli_given;

/* What an option does: TW__EXIT_OK, TW__EXIT_USAGE after a message, or TW__CLI_BAD, whereupon the value is told to be
 * none of `wanted`. */
typedef int tw__cli_take(void *into, const tw__cli_given *given);
enum { TW__CLI_BAD = -1, TW__CLI_STOP = -2 };

/* How an option is spelled beside "--name VALUE" and "--name=VALUE", and who tells of it. */
enum {
    TW__CLI_APART = 1,      /* its value is the next word alone */
    TW__CLI_ATTACHED = 2,   /* or the rest of its own: "-oFILE"; without a value: whatever begins like it */
    TW__CLI_ONE_DASH = 4,   /* of "--name" one dash will do */
    TW__CLI_MAY_LACK = 8,   /* without its value it is for `take`, too */
    TW__CLI_REST = 16,      /* every other option; its name is for the help */
    TW__CLI_UNNAMED = 32,   /* no message suggests it */
    TW__CLI_UNOFFERED = 64, /* completion does not, either */
    TW__CLI_HIDDEN = TW__CLI_UNNAMED | TW__CLI_UNOFFERED
};

struct tw__cli_option {
    const char *name; /* of a hidden one there may be several, separated by blanks */
    /* What the help calls its value; NULL = a flag. "[=X]" may be missing; "[X.json]", too: it is the next word when
     * that ends so. */
    const char *value;
    size_t at;          /* where it goes in the command's struct: bool of a flag, const char * of a value */
    const char *help;   /* lines without the last '\n'; NULL: the text above the options tells */
    unsigned form;      /* TW__CLI_... */
    int number;         /* of a flag: what is stored in an int instead of true */
    tw__cli_take *take; /* instead of storing */
    const char *wanted; /* what a good value is; NULL = `value` */
    unsigned long long least, most; /* for `take`: of a number */
};

/* Rows and their number, for two fields. */
#define TW__CLI_ROWS(table) table, sizeof table / sizeof *table

/* The options of a command or verb, and how it speaks of them. */
struct tw__cli_syntax {
    const char *command;           /* as in tw__cli_usage_error() */
    const tw__cli_option *options; /* TW__CLI_ROWS() */
    size_t count;
    const tw__cli_syntax *more; /* what else is looked in, into the same struct */
    /* Of each word that is no option: an exit status, or TW__CLI_STOP, which leaves the rest unread. NULL: they are
     * collected. */
    int (*word)(void *into, char **at, bool only_words);
    int (*unknown)(const tw__cli_syntax *syntax, char *word);      /* NULL = tw__cli_unknown_option() */
    int (*complain)(const char *command, const char *format, ...); /* NULL = tw__cli_usage_error() */
    /* Messages about an option: (name, value) when it lacks one, NULL: it is unknown then; (name) of a flag that was
     * given one, NULL: so is that; (name, value, wanted), NULL = "name: 'value' is not wanted". */
    const char *lacks, *takes_none, *bad;
};

typedef struct tw__command {
    const char *name;
    const char *installed_as; /* the name its users already type; NULL when there is none */
    const char *arguments;    /* after the name, for usage lines */
    const char *summary;      /* one line */
    const char *help;         /* below the summary; lines end in '\n' */
    const char
        *example; /* command lines, of each verb at least one, that work one after the other where examples/ is */
    const tw__cli_option *options; /* TW__CLI_ROWS(): for tw__cli_parse, help and completion */
    size_t option_count;
    int option_width;                   /* columns of names in the help; 0 = 28 */
    const tw__cli_syntax *verb;         /* of a verb with others, for completion */
    const char *words;                  /* more for completion, separated by blanks */
    const char *files;                  /* suffixes offered by completion, separated by blanks */
    int (*main)(int argc, char **argv); /* argv[0] is the name it was called by */
    int help_within;                    /* --help behind so many words belongs to somebody else; 0 = never */
    const char *help_verb;              /* of this verb alone; NULL: of all */
    bool colours;                       /* prints some, and makes names harmless itself */
} tw__command;

/* X(name): tw__command_<name>, in the order of the help. */
#define TW__COMMANDS(X) \
    X(run)              \
    X(popc)             \
    X(profile)          \
    X(report)           \
    X(compare)          \
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
    X(lsp)              \
    X(help)

#define TW__COMMAND_DECLARE(name) extern const tw__command tw__command_##name;
TW__COMMANDS(TW__COMMAND_DECLARE)
#undef TW__COMMAND_DECLARE

/* --- main.c --------------------------------------------------------------------------------------------------- */

/* "tilewright info", or the name that the command is installed as when it was called by that. */
const char *tw__cli_name(const tw__command *command);
/* For --version: "PROGRAM VERSION (COMMIT)" on the standard output. */
void tw__cli_print_version(const char *program);
/* Prints "tilewright <command>: <message>" and the usage line; returns TW__EXIT_USAGE. */
int tw__cli_usage_error(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same for a word that should be one of `names`: "<what> '<word>'; did you mean '...'?" */
int tw__cli_unknown(const char *command, const char *what, const char *word, const char *const *names,
                    size_t count);
/* `word` is no `what` of the command. When it is a file: "...; did you mean 'tilewright csl run FILE'?", else as
 * above. */
int tw__cli_not_a_file(const char *command, const char *what, const char *word, const char *const *names,
                       size_t count);
/* The command that takes files of that name, as "tilewright csl run"; NULL: none does by its name. */
const char *tw__cli_command_for(const char *file);
/* Prints "tilewright <command>: <tw_error_message()>"; returns TW__EXIT_FAILURE. */
int tw__cli_failure(const char *command);
/* Behind "[rank 1] ", in one write: other ranks write to the same place. */
int tw__cli_failure_of(const char *who, const char *name);
tw_diags *tw__cli_diags(void); /* a list; ends the program when there is no memory for it */
/* Of the environment; ends the program when there is no memory for it. */
void tw__cli_set_variable(const char *name, const char *value);

/* --- man.c ---------------------------------------------------------------------------------------------------- */

/* Pages of section 1 in roff, on the standard output: of a command, and of the program. */
void tw__cli_print_man(const tw__command *command);
void tw__cli_print_man_of_all(const tw__command *const *commands, size_t count);

/* --- library.c ------------------------------------------------------------------------------------------------ */

/* Options of a compiler (owned strings) for <tilewright/...>, in the build tree too. */
void tw__cli_add_headers(GPtrArray *command);
/* Options that link a program on the spot, so that it finds the library where this one lies, and looks nowhere
 * else. */
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

/* --- interrupt.c ---------------------------------------------------------------------------------------------- */

/* What waitpid() says of a child. SIGINT is passed on to it, once: it ends with the profile of what ran. A second one
 * kills both. For commands that run in this process: tw_interrupt_on_sigint(). */
int tw__cli_wait(pid_t pid);
/* The exit status of a command whose profile is written by now: `status`, or 130 with a message. */
int tw__cli_interrupted(const char *command, int status);
/* 130 with a message: the signal came while a compiler worked, behind tw_interrupt_on_sigint(). */
int tw__cli_nothing_ran(const char *command);

/* --- fmt.c ---------------------------------------------------------------------------------------------------- */

/* A source in its canonical layout, malloc'ed; NULL when it has errors. Messages go to the standard error. */
typedef char *tw__cli_layout(const char *name, const char *source, size_t size, size_t *length);
/* The verb `fmt` of a command, argv[0], with its options and files. The exit status. */
int tw__cli_format(const char *command, tw__cli_layout *layout, int argc, char **argv);

/* --- report.c ------------------------------------------------------------------------------------------------- */

typedef struct tw_profile tw_profile;
/* What profiles of this process, and of those it starts, call their program: the name of its file. */
void tw__cli_name_program(const char *path);
/* Writes a report to a file and prints its path; `command` is named in messages. The exit status. */
int tw__cli_write_report(const char *command, const tw_profile *profile, const char *path);
/* The same of a profile in a file, which is removed. */
int tw__cli_report_file(const char *command, const char *profile, const char *path);

/* --- options.c ------------------------------------------------------------------------------------------------ */

/* The name of a source for compilers, to whom "-x.c" is an option: "./-x.c". Kept until the end. */
const char *tw__cli_source(const char *word);
/* Refuses "-" where the name of a file has to say what it is: `what` is "a source of C or C++". TW__EXIT_OK, or
 * TW__EXIT_USAGE after a message. */
int tw__cli_need_name(const char *command, const char *file, const char *what);
/* Reads options into *into. A word that begins with '-' is one, but for "-", a standard stream; behind "--" there
 * are only words. argv[1] to argv[*argc - 1] are then the words, where the syntax collects them; argv[*argc] is
 * NULL before and after. TW__EXIT_OK, or TW__EXIT_USAGE after a message. */
int tw__cli_read(const tw__cli_syntax *syntax, void *into, int *argc, char **argv);
/* The same by the command's table. */
int tw__cli_parse(const tw__command *command, void *into, int *argc, char **argv);
/* Takes one option at **at, which ends at its last word. */
int tw__cli_take_option(const tw__cli_syntax *syntax, void *into, char ***at);
int tw__cli_unknown_option(const tw__cli_syntax *syntax, char *word); /* with the nearest name */
GPtrArray *tw__cli_option_names(const tw__cli_syntax *syntax);        /* that messages suggest; borrowed */
/* For rows: to the GPtrArray * at `at` goes the option as it was given, in one word or two; in one word (kept until
 * the end); its value. To an int at `at` goes which of the words of `value`, "a, b or c", was given. */
tw__cli_take tw__cli_pass, tw__cli_join, tw__cli_add, tw__cli_choose;
static inline int tw__cli_good(bool good)
{
    return good ? TW__EXIT_OK : TW__CLI_BAD;
}
/* The field of the command's struct that a row names. */
#define TW__CLI_AT(type, into, given) ((type *)(void *)((char *)(into) + (given)->option->at))
/* insn.c: `tilewright info insn NAME`; NULL = all mnemonics. Returns the exit status. */
int tw__cli_print_insn(const char *name, bool json);
int tw__cli_print_insn_page(void); /* docs/colossus-instructions.md */
/* Prints a value with an indentation of 2 and takes it; returns the exit status. */
int tw__cli_print_json(json_t *value);

#endif
