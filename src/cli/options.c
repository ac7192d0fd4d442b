/* SPDX-License-Identifier: MIT */
/* options: arguments of a command by its table; JSON on the standard output. */
#include "cli/cli.h"

#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* --- the table ------------------------------------------------------------------------------------------------ */

GPtrArray *tw__cli_option_names(const tw__cli_syntax *s)
{
    GPtrArray *names = g_ptr_array_new();
    for (; s; s = s->more)
        for (size_t i = 0; i < s->count; i++)
            if (!(s->options[i].form & TW__CLI_UNNAMED)) g_ptr_array_add(names, (char *)s->options[i].name);
    return names;
}

int tw__cli_unknown_option(const tw__cli_syntax *s, char *word)
{
    g_autoptr(GPtrArray) names = tw__cli_option_names(s);
    return tw__cli_unknown(s->command, "unknown option", word, (const char *const *)names->pdata, names->len);
}

/* Whether a word is this option; *value is what it brings itself. */
static bool is_meant(const tw__cli_option *o, char *word, bool takes_none, char **value)
{
    *value = NULL;
    if (o->form & TW__CLI_REST) return true;
    for (const char *name = o->name, *end; *name; name = end + (*end == ' ')) {
        end = name + strcspn(name, " ");
        name += (o->form & TW__CLI_ONE_DASH) && word[1] != '-';
        size_t length = (size_t)(end - name);
        if (strncmp(word, name, length) != 0) continue;
        if (!word[length]) return true;
        bool attached = o->form & TW__CLI_ATTACHED,
             equals = word[length] == '=' && !(o->form & TW__CLI_APART) && (o->value || takes_none);
        *value = word + length + !attached;
        if (attached || equals) return true;
    }
    return false;
}

/* "[FILE.json]" only takes a word that ends so, "[=FLAG]" none. */
static bool takes_next(const tw__cli_option *o, const char *next)
{
    if (!o->value || !next || *o->value != '[') return o->value && next;
    g_autofree char *optional = g_strndup(o->value, strlen(o->value) - 1);
    const char *suffix = strrchr(optional, '.');
    return suffix && g_str_has_suffix(next, suffix);
}

static int options_store(void *into, const tw__cli_given *g)
{
    if (g->option->value)
        *TW__CLI_AT(const char *, into, g) = g->value;
    else if (g->option->number)
        *TW__CLI_AT(int, into, g) = g->option->number;
    else
        *TW__CLI_AT(bool, into, g) = true;
    return TW__EXIT_OK;
}

static const tw__cli_option *cli_options_find(const tw__cli_syntax *s, char *word, char **value)
{
    for (size_t i = 0; i < s->count; i++)
        if (is_meant(&s->options[i], word, s->takes_none, value)) return &s->options[i];
    return NULL;
}

int tw__cli_take_option(const tw__cli_syntax *syntax, void *into, char ***at)
{
    tw__cli_given g = { .word = **at, .at = at };
    const tw__cli_syntax *s = syntax;
    while (s && !(g.option = cli_options_find(s, g.word, &g.value))) s = s->more;
    const tw__cli_option *o = g.option;
    if (s && takes_next(o, g.value ? NULL : (*at)[1])) g.apart = true, g.value = *++*at;
    bool lacks = s && o->value && !g.value && *o->value != '[' && !(o->form & TW__CLI_MAY_LACK);
    if (!s || (lacks && !s->lacks))
        return syntax->unknown ? syntax->unknown(syntax, g.word) : tw__cli_unknown_option(syntax, g.word);
    int (*complain)(const char *, const char *, ...) = s->complain ? s->complain : tw__cli_usage_error;
    if (lacks) return complain(s->command, s->lacks, o->name, o->value);
    if (!o->value && g.value && !(o->form & TW__CLI_ATTACHED)) return complain(s->command, s->takes_none, o->name);
    g.command = s->command;
    int status = o->take ? o->take(into, &g) : options_store(into, &g);
    return status != TW__CLI_BAD ? status
                                 : complain(s->command, s->bad ? s->bad : "%s: '%s' is not %s", o->name, g.value,
                                            o->wanted ? o->wanted : o->value);
}

int tw__cli_read(const tw__cli_syntax *s, void *into, int *argc, char **argv)
{
    int status = TW__EXIT_OK;
    bool only_words = false;
    char **words = argv + 1;
    for (char **at = argv + 1; *at && status == TW__EXIT_OK; at++) {
        bool is_option = !only_words && **at == '-' && (*at)[1];
        if (is_option && strcmp(*at, "--") == 0)
            only_words = true;
        else if (is_option)
            status = tw__cli_take_option(s, into, &at);
        else if (s->word)
            status = s->word(into, at, only_words);
        else
            *words++ = *at;
    }
    if (s->word) return status == TW__CLI_STOP ? TW__EXIT_OK : status;
    *words = NULL;
    *argc = (int)(words - argv);
    return status;
}

int tw__cli_parse(const tw__command *c, void *into, int *argc, char **argv)
{
    const tw__cli_syntax syntax = { c->name, c->options, c->option_count, .lacks = "%s needs a value: %s",
                                    .takes_none = "%s takes no value" };
    return tw__cli_read(&syntax, into, argc, argv);
}

/* --- what rows do with their options -------------------------------------------------------------------------- */

int tw__cli_pass(void *into, const tw__cli_given *g)
{
    GPtrArray *list = *TW__CLI_AT(GPtrArray *, into, g);
    g_ptr_array_add(list, g->word);
    if (g->apart) g_ptr_array_add(list, g->value);
    return TW__EXIT_OK;
}

int tw__cli_join(void *into, const tw__cli_given *g)
{
    g_autofree char *whole = g_strconcat(g->word, g->apart ? g->value : NULL, NULL);
    g_ptr_array_add(*TW__CLI_AT(GPtrArray *, into, g), (char *)g_intern_string(whole));
    return TW__EXIT_OK;
}

int tw__cli_add(void *into, const tw__cli_given *g)
{
    g_ptr_array_add(*TW__CLI_AT(GPtrArray *, into, g), g->value);
    return tw__cli_good(*g->value);
}

int tw__cli_choose(void *into, const tw__cli_given *g)
{
    g_auto(GStrv) words = g_strsplit_set(g->option->value, ", ", -1);
    int number = 0;
    for (char **word = words; *word; word++) {
        if (!**word || strcmp(*word, "or") == 0) continue;
        if (strcmp(*word, g->value) == 0) return *TW__CLI_AT(int, into, g) = number, TW__EXIT_OK;
        number++;
    }
    return TW__CLI_BAD;
}

int tw__cli_print_json(json_t *value)
{
    int failed = !value || json_dumpf(value, stdout, JSON_INDENT(2)) != 0;
    json_decref(value);
    if (failed) return fprintf(stderr, "tilewright: the values cannot be written as JSON\n"), TW__EXIT_FAILURE;
    putchar('\n');
    return TW__EXIT_OK;
}
