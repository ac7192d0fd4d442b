/* SPDX-License-Identifier: MIT */
/* Options of calls: "name=value" strings against a table of what there is. */
#include "poplar/libs/libs.h"

#include <stdlib.h>
#include <string.h>

static bool one_of(const char *value, const char *list)
{
    size_t n = strlen(value);
    for (const char *at = list; n && (at = strstr(at, value)); at += n)
        if ((at == list || at[-1] == ' ') && (at[n] == ' ' || !at[n])) return true;
    return false;
}

static bool options_store(const tw__libs_option *row, const char *value, void *into)
{
    char *end, *place = (char *)into + row->offset;
    switch (row->kind) {
    case TW__LIBS_BOOL:
        if (!one_of(value, "true false")) return false;
        *(bool *)(void *)place = value[0] == 't';
        return true;
    case TW__LIBS_FRACTION: {
        double number = strtod(value, &end);
        if (!*value || *end || !(number >= 0)) return false;
        *(double *)(void *)place = number;
        return true;
    }
    case TW__LIBS_TYPE:
        if (!one_of(value, "half float")) return false;
        *(tw_type *)(void *)place = value[0] == 'h' ? TW_HALF : TW_FLOAT;
        return true;
    case TW__LIBS_WORD: return one_of(value, row->words);
    case TW__LIBS_TEXT: return true;
    }
    return false;
}

static const char *legal(const tw__libs_option *row)
{
    static const char *const texts[] = { [TW__LIBS_BOOL] = "true, false",
                                         [TW__LIBS_FRACTION] = "numbers from 0 on",
                                         [TW__LIBS_TYPE] = "half, float",
                                         [TW__LIBS_TEXT] = "any text" };
    return row->kind == TW__LIBS_WORD ? row->words : texts[row->kind];
}

static bool options_refuse_unknown(tw_graph *graph, const char *call, const char *name,
                                   const tw__libs_option *table, size_t count)
{
    g_autofree const char **names = g_new(const char *, count + 1);
    for (size_t i = 0; i < count; i++) names[i] = table[i].name;
    const char *near = tw_nearest(name, names, count);
    tw_graph_fail(graph, TW_E_INVALID_OPTION, call,
                  near ? "there is no option '%s'; did you mean '%s'?" : "there is no option '%s'%s", name,
                  near ? near : "");
    return false;
}

bool tw__libs_options(tw_graph *graph, const char *call, const char *const *options, const tw__libs_option *table,
                      size_t count, void *into)
{
    for (; options && *options; options++) {
        const char *equals = strchr(*options, '=');
        g_autofree char *name = equals ? g_strndup(*options, (size_t)(equals - *options)) : g_strdup(*options);
        const tw__libs_option *row = NULL;
        for (size_t i = 0; i < count && !row; i++)
            if (strcmp(table[i].name, name) == 0) row = &table[i];
        if (!row) return options_refuse_unknown(graph, call, name, table, count);
        if (equals && options_store(row, equals + 1, into)) continue;
        tw_graph_fail(graph, TW_E_INVALID_OPTION, call, "option '%s' cannot be '%s'; it can be: %s", name,
                      equals ? equals + 1 : "", legal(row));
        return false;
    }
    return true;
}
