/* SPDX-License-Identifier: MIT */
/* dap_complete: what a line of the client's console may go on with: commands of the interactive mode, what they take,
 * names of the program, and the variables and registers of the frame. */
#include "cli/dap/dap_inner.h"

#include <string.h>

enum { MOST_TARGETS = 500 };

typedef struct completion {
    tw__dap *dap;
    const char *before; /* the word so far */
    json_int_t start, length;
    const char *type;
    GHashTable *known;
    json_t *targets;
} completion;

static bool is_clients(const tw__dap *dap, const char *word)
{
    for (const char *const *w = dap->target->clients; *w; w++)
        if (strcmp(*w, word) == 0) return true;
    return false;
}

static void completion_add(void *list, const char *word)
{
    completion *c = list;
    if (!g_str_has_prefix(word, c->before) || !g_utf8_validate(word, -1, NULL)) return;
    if (json_array_size(c->targets) >= MOST_TARGETS || !g_hash_table_add(c->known, g_strdup(word))) return;
    json_array_append_new(c->targets, json_pack("{sssssIsI}", "label", word, "type", c->type, "start", c->start,
                                                "length", c->length));
}

static void completion_add_command(void *list, const char *word)
{
    completion *c = list;
    if (!is_clients(c->dap, word)) completion_add(list, word);
}

static void completion_of_frame(completion *c, tw__dap_location at)
{
    const tw__dap_target *t = c->dap->target;
    for (unsigned i = 0; t->scopes[i]; i++) {
        const json_t *one;
        size_t k;
        json_t *list = json_array();
        t->scope(c->dap->debugger, at.thread, at.frame, i, list);
        json_array_foreach(list, k, one)
        {
            const char *name = json_string_value(json_object_get(one, "evaluateName"));
            if (name) completion_add(c, name);
        }
        json_decref(list);
    }
}

static bool is_of_word(char c)
{
    return g_ascii_isalnum(c) || c == '_' || c == '$' || c == '.';
}

/* Places count as the client does: the protocol has units of UTF-16. */
static unsigned units_at(const char *at)
{
    return g_utf8_get_char(at) > 0xffff ? 2 : 1;
}

static size_t bytes_up_to(const char *line, json_int_t units)
{
    const char *at = line;
    for (; units > 0 && *at && *at != '\n'; at = g_utf8_next_char(at)) units -= units_at(at);
    return (size_t)(at - line);
}

static json_int_t units_of(const char *text)
{
    json_int_t units = 0;
    for (; *text; text = g_utf8_next_char(text)) units += units_at(text);
    return units;
}

/* A place of the client's as one from 0 on. */
static json_int_t client_place(const json_t *arguments, const char *name, bool from_0)
{
    json_int_t place = json_integer_value(json_object_get(arguments, name));
    return CLAMP(place, 1 - from_0, INT32_MAX) - !from_0;
}

json_t *tw__dap_completions(tw__dap *dap, const json_t *arguments, char **error)
{
    const char *text = json_string_value(json_object_get(arguments, "text"));
    json_int_t column = client_place(arguments, "column", dap->columns_from_0),
               line = client_place(arguments, "line", dap->lines_from_0);
    json_int_t number = json_integer_value(json_object_get(arguments, "frameId"));
    if (!text) {
        *error = g_strdup("there is no text");
        return NULL;
    }
    for (const char *next; line > 0 && (next = strchr(text, '\n')); line--) text = next + 1;
    g_autofree char *before = g_strndup(text, bytes_up_to(text, column));
    size_t end = strlen(before), begin = end;
    while (begin && is_of_word(before[begin - 1])) begin--;
    g_autoptr(GHashTable) known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autofree char *word = g_strdup(before + begin), *rest = g_strndup(before, begin);
    completion c = { .dap = dap, .before = word, .length = (json_int_t)(end - begin), .known = known };
    c.start = units_of(rest) + !dap->columns_from_0, c.targets = json_array(), c.type = "keyword";
    tw__dap_location at = { 0, 0 };
    if (number > 0 && number <= dap->frames->len) at = g_array_index(dap->frames, tw__dap_location, number - 1);
    tw__reader *reader = dap->target->reader(dap->debugger);
    bool has_names = tw__reader_complete(reader, g_strchug(rest), completion_add_command, &c);
    if (!has_names && *rest) return json_pack("{so}", "targets", c.targets);
    if (at.thread) c.type = "variable", completion_of_frame(&c, at);
    c.type = "text";
    if (reader->names) reader->names(dap->debugger, completion_add, &c);
    return json_pack("{so}", "targets", c.targets);
}
