/* pto_fmt: `tilewright pto fmt`: the canonical form of programs: printed, written back, or only compared. */
#include "pto.h"

#include <stdlib.h>
#include <string.h>

typedef enum mode { PRINT, CHECK, IN_PLACE } mode;

static int format(const char *file, mode how)
{
    char *source = NULL, *printed = NULL;
    size_t size = 0;
    tw_pto_text *text = NULL;
    if (tw_read_file(file, TW_SOURCE_LIMIT, &source, &size) != TW_OK ||
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

int tw__pto_format(int argc, char **argv)
{
    mode how = PRINT;
    int result = TW__EXIT_OK, files = 0;
    bool only_words = false;
    for (int i = 0; i < argc; i++) {
        bool check = strcmp(argv[i], "--check") == 0,
             write = strcmp(argv[i], "-i") == 0 || strcmp(argv[i], "--in-place") == 0;
        tw__cli_kind kind = tw__cli_kind_of(argv[i], &only_words);
        if (kind == TW__CLI_WORD) argv[files++] = argv[i];
        if (kind != TW__CLI_OPTION) continue;
        if (!check && !write)
            return tw__cli_usage_error("pto", "fmt has no option '%s': it has --check, -i and --in-place", argv[i]);
        if (how != PRINT && how != (check ? CHECK : IN_PLACE))
            return tw__cli_usage_error("pto", "%s: fmt either compares or writes", argv[i]);
        how = check ? CHECK : IN_PLACE;
    }
    if (how == IN_PLACE) tw_protect_inputs(false);
    if (files == 0) return tw__cli_usage_error("pto", "%s: a file is missing", "fmt");
    for (int i = 0; i < files; i++) {
        if (how == IN_PLACE && strcmp(argv[i], "-") == 0)
            return tw__cli_usage_error("pto", "%s: the standard input cannot be written back", "fmt");
        if (how == PRINT && files > 1)
            return tw__cli_usage_error("pto", "'%s': one file at a time is printed", argv[1]);
    }
    for (int i = 0; i < files; i++)
        if (format(argv[i], how) != TW__EXIT_OK) result = TW__EXIT_FAILURE;
    return result;
}
