/* options: arguments of a command by its table; JSON on the standard output. */
#include "cli.h"

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

int tw__cli_parse(const tw__command *command, void *into, int *argc, char **argv)
{
    int words = 1;
    bool only_words = false;
    for (int i = 1; i < *argc; i++) {
        size_t length = strcspn(argv[i], "="), k = 0;
        if (only_words || argv[i][0] != '-' || !argv[i][1]) {
            argv[words++] = argv[i];
            continue;
        }
        if ((only_words = strcmp(argv[i], "--") == 0)) continue;
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
