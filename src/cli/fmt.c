/* SPDX-License-Identifier: MIT */
/* The verb `fmt` of the languages that have a canonical layout: printed, written back, or only compared. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

typedef enum mode { PRINT, CHECK, IN_PLACE } mode;

static bool use_result(const char *command, const char *file, mode how, const char *text, size_t length, bool same)
{
    if (how == PRINT && tw__cli_print_data(text, length) != TW_OK) return tw__cli_failure(command) == TW__EXIT_OK;
    if (how == CHECK && !same) printf("%s is not in its canonical form\n", file);
    if (how == IN_PLACE && !same && tw_write_file(file, text, length, NULL, 0) != TW_OK)
        return tw__cli_failure(command) == TW__EXIT_OK;
    return how != CHECK || same;
}

static int format_file(const char *command, tw__cli_layout *layout, const char *file, mode how)
{
    size_t size = 0, length = 0;
    char *source = tw_read_file(file, TW_SOURCE_LIMIT, &size);
    if (!source) return tw__cli_failure(command);
    char *text = layout(strcmp(file, "-") == 0 ? "<stdin>" : file, source, size, &length);
    bool same = text && length == size && memcmp(text, source, size) == 0;
    bool good = text && use_result(command, file, how, text, length, same);
    free(text);
    free(source);
    return good ? TW__EXIT_OK : TW__EXIT_FAILURE;
}

static int take_mode(void *into, const tw__cli_given *g)
{
    mode *how = into;
    if (*how != PRINT && *how != (mode)g->option->number)
        return tw__cli_usage_error(g->command, "%s: fmt either compares or writes", g->word);
    *how = (mode)g->option->number;
    return TW__EXIT_OK;
}

static int fmt_unknown_option(const tw__cli_syntax *s, char *word)
{
    return tw__cli_usage_error(s->command, "fmt has no option '%s': it has --check, -i and --in-place", word);
}

int tw__cli_format(const char *command, tw__cli_layout *layout, int argc, char **argv)
{
    static const tw__cli_option rows[] = { { "--check", .take = take_mode, .number = CHECK },
                                           { "-i", .take = take_mode, .number = IN_PLACE },
                                           { "--in-place", .take = take_mode, .number = IN_PLACE } };
    tw__cli_syntax syntax = { command, TW__CLI_ROWS(rows), .unknown = fmt_unknown_option };
    mode how = PRINT;
    int result = tw__cli_read(&syntax, &how, &argc, argv);
    if (result != TW__EXIT_OK) return result;
    if (how == IN_PLACE) tw_protect_inputs(false);
    if (argc == 1) return tw__cli_usage_error(command, "%s: a file is missing", "fmt");
    for (int i = 1; i < argc; i++) {
        if (how == IN_PLACE && strcmp(argv[i], "-") == 0)
            return tw__cli_usage_error(command, "%s: the standard input cannot be written back", "fmt");
        if (how == PRINT && argc > 2)
            return tw__cli_usage_error(command, "'%s': one file at a time is printed", argv[2]);
    }
    for (int i = 1; i < argc; i++)
        if (format_file(command, layout, argv[i], how) != TW__EXIT_OK) result = TW__EXIT_FAILURE;
    return result;
}
