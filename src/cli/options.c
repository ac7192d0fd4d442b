/* options: arguments of a command by its table; JSON on the standard output. */
#include "cli.h"

#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int unknown(const tw__command *command, const char *word)
{
    const char **names = calloc(command->option_count, sizeof *names);
    for (size_t i = 0; names && i < command->option_count; i++) names[i] = command->options[i].name;
    int status = tw__cli_unknown(command->name, "unknown option", word, names, names ? command->option_count : 0);
    free(names);
    return status;
}

tw__cli_kind tw__cli_kind_of(const char *word, bool *only_words)
{
    if (*only_words || word[0] != '-' || !word[1]) return TW__CLI_WORD;
    *only_words = strcmp(word, "--") == 0;
    return *only_words ? TW__CLI_END : TW__CLI_OPTION;
}

const char *tw__cli_source(const char *word)
{
    if (word[0] != '-' || !word[1]) return word;
    g_autofree char *path = g_strconcat("./", word, NULL);
    return g_intern_string(path);
}

int tw__cli_need_name(const char *command, const char *file, const char *what)
{
    return strcmp(file, "-") != 0
               ? TW__EXIT_OK
               : tw__cli_usage_error(command, "'-': %s, whose name says what it is, is needed here", what);
}

int tw__cli_parse(const tw__command *command, void *into, int *argc, char **argv)
{
    int words = 1;
    bool only_words = false;
    for (int i = 1; i < *argc; i++) {
        size_t length = strcspn(argv[i], "="), k = 0;
        tw__cli_kind kind = tw__cli_kind_of(argv[i], &only_words);
        if (kind == TW__CLI_WORD) argv[words++] = argv[i];
        if (kind != TW__CLI_OPTION) continue;
        const tw__cli_option *o = command->options;
        while (k < command->option_count && (strlen(o[k].name) != length || strncmp(argv[i], o[k].name, length)))
            k++;
        if (k == command->option_count) return unknown(command, argv[i]);
        const char *value = argv[i][length] ? argv[i] + length + 1 : NULL;
        char *at = (char *)into + o[k].at;
        if (!o[k].value) {
            if (value) return tw__cli_usage_error(command->name, "%s takes no value", o[k].name);
            memcpy(at, &(bool){ true }, sizeof(bool));
            continue;
        }
        if (!value && i + 1 < *argc) value = argv[++i];
        if (!value) return tw__cli_usage_error(command->name, "%s needs a value: %s", o[k].name, o[k].value);
        memcpy(at, &value, sizeof value);
    }
    *argc = words;
    argv[words] = NULL;
    return TW__EXIT_OK;
}

int tw__cli_print_json(json_t *value)
{
    int failed = !value || json_dumpf(value, stdout, JSON_INDENT(2)) != 0;
    json_decref(value);
    if (failed) return fprintf(stderr, "tilewright: the values cannot be written as JSON\n"), TW__EXIT_FAILURE;
    putchar('\n');
    return TW__EXIT_OK;
}
