/* main_fmt: `tilewright pto fmt`: the canonical form of programs: printed, written back, or only compared. */
#include "pto/main.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

typedef enum mode { PRINT, CHECK, IN_PLACE } mode;

/* A link stays a link, permissions stay. */
static bool write_back(const char *file, const char *text)
{
    struct stat status;
    GError *error = NULL;
    char *path = realpath(file, NULL);
    bool good = path && stat(path, &status) == 0;
    if (!good)
        fprintf(stderr, "tilewright pto: %s: %s\n", file, g_strerror(errno));
    else if (!g_file_set_contents_full(path, text, -1, G_FILE_SET_CONTENTS_CONSISTENT, (int)status.st_mode & 07777,
                                       &error))
        good = false;
    if (error) fprintf(stderr, "tilewright pto: %s\n", error->message);
    g_clear_error(&error);
    free(path);
    return good;
}

static int format(const char *file, mode how)
{
    char *source = NULL, *printed = NULL;
    size_t size = 0;
    tw_pto_text *text = NULL;
    if (!tw__read_source(file, &source, &size) ||
        !(text = tw_pto_text_parse(strcmp(file, "-") == 0 ? "<stdin>" : file, source, size, NULL, NULL))) {
        g_free(source);
        return tw__command_failed();
    }
    bool good = tw_diags_count(tw_pto_text_diags(text), TW_ERROR) == 0 && (printed = tw_pto_text_print(text));
    bool same = good && strlen(printed) == size && memcmp(printed, source, size) == 0;
    if (good && how == PRINT) fputs(printed, stdout);
    if (good && how == CHECK && !same) {
        printf("%s is not in its canonical form\n", file);
        good = false;
    }
    if (good && how == IN_PLACE && !same) good = write_back(file, printed);
    fflush(stdout);
    tw_diags_print(tw_pto_text_diags(text), stderr, isatty(2) != 0);
    tw_pto_text_free(text);
    free(printed);
    g_free(source);
    return good ? EXIT_OK : EXIT_FAILED;
}

int tw__format_files(int argc, char **argv)
{
    mode how = PRINT;
    int result = EXIT_OK, files = 0;
    for (int i = 0; i < argc; i++) {
        bool check = strcmp(argv[i], "--check") == 0,
             write = strcmp(argv[i], "-i") == 0 || strcmp(argv[i], "--in-place") == 0;
        if (argv[i][0] != '-' || !argv[i][1]) {
            argv[files++] = argv[i];
            continue;
        }
        if (!check && !write)
            return tw__usage_error("fmt has no option '%s': it has --check, -i and --in-place", argv[i]);
        if (how != PRINT && how != (check ? CHECK : IN_PLACE))
            return tw__usage_error("%s: fmt either compares or writes", argv[i]);
        how = check ? CHECK : IN_PLACE;
    }
    if (files == 0) return tw__usage_error("%s: a file is missing", "fmt");
    for (int i = 0; i < files; i++) {
        if (how == IN_PLACE && strcmp(argv[i], "-") == 0)
            return tw__usage_error("%s: the standard input cannot be written back", "fmt");
        if (how == PRINT && files > 1) return tw__usage_error("'%s': one file at a time is printed", argv[1]);
    }
    for (int i = 0; i < files; i++)
        if (format(argv[i], how) != EXIT_OK) result = EXIT_FAILED;
    return result;
}
