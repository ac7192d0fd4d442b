/* SPDX-License-Identifier: MIT */
/* pto_fmt: `tilewright pto fmt`: the canonical form of programs: printed, written back, or only compared. */
#include "cli/pto/pto.h"

#include <stdlib.h>
#include <string.h>

typedef enum mode { PRINT, CHECK, IN_PLACE } mode;

static int format(const char *file, mode how)
{
    char *source = NULL, *printed = NULL;
    size_t size = 0;
    tw_pto_text *text = NULL;
    if (!(source = tw_read_file(file, TW_SOURCE_LIMIT, &size)) ||
        !(text = tw_pto_text_parse(strcmp(file, "-") == 0 ? "<stdin>" : file, source, size, NULL, NULL))) {
        free(source);
        return tw__cli_failure("pto");
    }
    bool good = tw_diags_count(tw_pto_text_diags(text), TW_ERROR) == 0;
    if (good && !(printed = tw_pto_text_print(text))) good = tw__cli_failure("pto") == TW__EXIT_OK;
    bool same = good && strlen(printed) == size && memcmp(printed, source, size) == 0;
    if (good && how == PRINT && tw__cli_print_data(printed, strlen(printed)) != TW_OK) {
        tw__cli_failure("pto");
        good = false;
    }
    if (good && how == CHECK && !same) {
        printf("%s is not in its canonical form\n", file);
        good = false;
    }
    if (good && how == IN_PLACE && !same && tw_write_file(file, printed, strlen(printed), NULL, 0) != TW_OK) {
        tw__cli_failure("pto");
        good = false;
    }
    fflush(stdout);
    tw_diags_print(tw_pto_text_diags(text), stderr, tw_use_colours(stderr));
    tw_pto_text_free(text);
    free(printed);
    free(source);
    return good ? TW__EXIT_OK : TW__EXIT_FAILURE;
}

static int take_mode(void *into, const tw__cli_given *g)
{
    mode *how = into;
    if (*how != PRINT && *how != (mode)g->option->number)
        return tw__cli_usage_error("pto", "%s: fmt either compares or writes", g->word);
    *how = (mode)g->option->number;
    return TW__EXIT_OK;
}

static int pto_fmt_unknown_option(const tw__cli_syntax *s, char *word)
{
    return tw__cli_usage_error(s->command, "fmt has no option '%s': it has --check, -i and --in-place", word);
}

int tw__pto_format(int argc, char **argv)
{
    static const tw__cli_option rows[] = { { "--check", .take = take_mode, .number = CHECK },
                                           { "-i", .take = take_mode, .number = IN_PLACE },
                                           { "--in-place", .take = take_mode, .number = IN_PLACE } };
    static const tw__cli_syntax syntax = { "pto", TW__CLI_ROWS(rows), .unknown = pto_fmt_unknown_option };
    mode how = PRINT;
    int result = tw__cli_read(&syntax, &how, &argc, argv);
    if (result != TW__EXIT_OK) return result;
    if (how == IN_PLACE) tw_protect_inputs(false);
    if (argc == 1) return tw__cli_usage_error("pto", "%s: a file is missing", "fmt");
    for (int i = 1; i < argc; i++) {
        if (how == IN_PLACE && strcmp(argv[i], "-") == 0)
            return tw__cli_usage_error("pto", "%s: the standard input cannot be written back", "fmt");
        if (how == PRINT && argc > 2)
            return tw__cli_usage_error("pto", "'%s': one file at a time is printed", argv[2]);
    }
    for (int i = 1; i < argc; i++)
        if (format(argv[i], how) != TW__EXIT_OK) result = TW__EXIT_FAILURE;
    return result;
}
