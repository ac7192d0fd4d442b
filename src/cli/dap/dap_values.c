/* SPDX-License-Identifier: MIT */
/* dap_values: variables. A value is the text that `print` shows; "{1, 2}" and "{.a = 1, .b = {2, 3}}" have parts,
 * so have tensors, "float[2, 2] [\n  [1 2]\n  [3 4]\n]", and a text of several lines. */
#include "cli/dap/dap_inner.h"

#include <stdlib.h>
#include <string.h>

static void free_reference(void *data)
{
    tw__dap_reference *r = data;
    g_free(r->value);
    g_free(r->expression);
}

static json_int_t add_reference(tw__dap *dap, tw__dap_reference r)
{
    if (!dap->references) {
        dap->references = g_array_new(FALSE, TRUE, sizeof(tw__dap_reference));
        g_array_set_clear_func(dap->references, free_reference);
    }
    g_array_append_val(dap->references, r);
    return (json_int_t)dap->references->len;
}

void tw__dap_forget(tw__dap *dap)
{
    if (dap->references) g_array_set_size(dap->references, 0);
    g_array_set_size(dap->frames, 0);
}

/* "[1 2]" of "float[2] [1 2]" and of a row of it; NULL: it is no tensor. */
static const char *tensor_body(const char *value)
{
    size_t name = strspn(value, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_ "), length = strlen(value);
    if (value[name] != '[' || value[length - 1] != ']') return NULL;
    if (name == 0) return value;
    size_t shape = name + 1 + strspn(value + name + 1, G_CSET_DIGITS ", ");
    return strncmp(value + shape, "] [", 3) == 0 ? value + shape + 2 : NULL;
}

json_int_t tw__dap_refer(tw__dap *dap, tw__dap_location at, const char *value, const char *expression)
{
    const char *line = strchr(value, '\n');
    bool has_parts = (*value == '{' && value[1] != '}' && value[strlen(value) - 1] == '}') || (line && line[1]) ||
                     tensor_body(value);
    if (!has_parts) return 0;
    return add_reference(dap, (tw__dap_reference){ .thread = at.thread,
                                                   .frame = at.frame,
                                                   .value = g_strdup(value),
                                                   .expression = g_strdup(expression) });
}

/* --- parts of a text ------------------------------------------------------------------------------------------- */

/* Length of the part at `text`, up to a comma or the end that is in no bracket and no string. */
static size_t part_length(const char *text, const char *end)
{
    unsigned depth = 0;
    bool quoted = false;
    const char *at = text;
    for (; at < end; at++) {
        if (quoted && *at == '\\' && at + 1 < end)
            at++;
        else if (!quoted && *at == '\'' && end - at > 2 && at[2] == '\'') /* a character */
            at += 2;
        else if (*at == '"')
            quoted = !quoted;
        else if (!quoted && strchr("{[(<", *at))
            depth++;
        else if (!quoted && strchr("}])>", *at))
            depth -= depth > 0;
        else if (!quoted && !depth && *at == ',')
            break;
    }
    return (size_t)(at - text);
}

#define LEFT_OUT "..." /* elements that are not shown, and what comes behind them */

/* "a" of ".a = 1" and "a = 1", "<B>" of "<B> = {...}", a base class; the value moves behind it. NULL: it is an
 * element. */
static char *member_name(const char **part)
{
    const char *close = **part == '<' ? strstr(*part, "> = ") : NULL;
    if (close) {
        char *base = g_strndup(*part, (gsize)(close + 1 - *part));
        *part = close + 4;
        return base;
    }
    const char *name = **part == '.' ? *part + 1 : *part;
    size_t n = strspn(name, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_");
    if (!n || g_ascii_isdigit(*name) || strncmp(name + n, " = ", 3) != 0) return NULL;
    *part = name + n + 3;
    return g_strndup(name, n);
}

/* The expression of an element; "a[1, 2]" where a language writes that for "a[1][2]". NULL: a part of an array, such
 * as "a[0..1]", "a[0:2]" or "a@4", has none. */
static char *element_of(bool commas, const char *whole, unsigned i)
{
    size_t length = strlen(whole);
    if (strstr(whole, "..") || strchr(whole, '@') || (commas && strchr(whole, ':'))) return NULL;
    if (commas && length && whole[length - 1] == ']')
        return g_strdup_printf("%.*s, %u]", (int)length - 1, whole, i);
    return g_strdup_printf("%s[%u]", whole, i);
}

#define REPEATS " <repeats " /* of "0 <repeats 12 times>", one part for so many elements */

static void add_parts(const tw__dap *dap, const tw__dap_reference *r, json_t *list)
{
    const char *at = r->value + 1, *end = r->value + strlen(r->value) - 1;
    for (unsigned i = 0, run; at < end; i += run) {
        while (at < end && *at == ' ') at++;
        size_t length = part_length(at, end);
        g_autofree char *text = g_strchomp(g_strndup(at, length));
        const char *value = text, *again = *text == '{' ? NULL : strstr(text, REPEATS);
        run = again ? MAX(1, (unsigned)strtoul(again + strlen(REPEATS), NULL, 10)) : 1;
        g_autofree char *member = member_name(&value), *element = g_strdup_printf("[%u]", i), *whole = NULL;
        if (r->expression)
            whole = !member          ? element_of(dap->target->commas, r->expression, i)
                    : *member == '<' ? g_strdup(r->expression)
                                     : g_strdup_printf("%s.%s", r->expression, member);
        tw__dap_add(list, member ? member : element, value, strcmp(text, LEFT_OUT) == 0 ? NULL : whole);
        at += length + 1;
    }
}

/* Elements or rows of a tensor, as far as they are shown: behind "..." nothing has a number. */
static void add_tensor_rows(const tw__dap *dap, const tw__dap_reference *r, json_t *list)
{
    (void)dap;
    const char *at = tensor_body(r->value) + 1, *end = r->value + strlen(r->value) - 1;
    for (unsigned i = 0;; i++) {
        unsigned depth = 0;
        GString *text = g_string_new(NULL);
        while (at < end && g_ascii_isspace(*at)) at++;
        for (; at < end && (depth || !g_ascii_isspace(*at)); at++) {
            depth += *at == '[', depth -= *at == ']' && depth;
            bool blank = g_ascii_isspace(*at);
            if (!blank || !g_ascii_isspace(at[1])) g_string_append_c(text, blank ? ' ' : *at);
        }
        g_autofree char *one = g_string_free(text, FALSE), *name = g_strdup_printf("[%u]", i);
        if (!*one) return;
        if (strcmp(one, LEFT_OUT) == 0) {
            g_autofree char *rest = g_strstrip(g_strndup(at, (gsize)(end - at)));
            tw__dap_add(list, one, rest, NULL);
            return;
        }
        g_autofree char *whole = r->expression ? element_of(true, r->expression, i) : NULL;
        tw__dap_add(list, name, one, whole);
    }
}

static void add_text_lines(const tw__dap *dap, const tw__dap_reference *r, json_t *list)
{
    (void)dap;
    g_auto(GStrv) lines = g_strsplit(r->value, "\n", -1);
    for (unsigned i = 0; lines[i]; i++) {
        g_autofree char *name = g_strdup_printf("%u", i);
        if (*lines[i]) tw__dap_add(list, name, lines[i], NULL);
    }
}

/* --- requests -------------------------------------------------------------------------------------------------- */

void tw__dap_add(json_t *list, const char *name, const char *value, const char *expression)
{
    g_autofree char *valid = g_utf8_make_valid(value, -1);
    json_t *one = json_pack("{ssss}", "name", name, "value", valid);
    if (one && expression) json_object_set_new(one, "evaluateName", json_string(expression));
    if (one) json_array_append_new(list, one);
}

json_t *tw__dap_scopes(tw__dap *dap, const json_t *arguments, char **error)
{
    json_int_t number = json_integer_value(json_object_get(arguments, "frameId"));
    if (number < 1 || number > dap->frames->len) {
        *error = g_strdup("there is no such frame");
        return NULL;
    }
    tw__dap_location at = g_array_index(dap->frames, tw__dap_location, number - 1);
    json_t *list = json_array();
    for (unsigned i = 0; dap->target->scopes[i]; i++) {
        json_int_t reference =
            add_reference(dap, (tw__dap_reference){ .thread = at.thread, .frame = at.frame, .scope = i });
        json_t *one = json_pack("{sssIsb}", "name", dap->target->scopes[i], "variablesReference", reference,
                                "expensive", i > 0);
        if (i == 0) json_object_set_new(one, "presentationHint", json_string("locals"));
        json_array_append_new(list, one);
    }
    return json_pack("{so}", "scopes", list);
}

/* Those that have parts get a reference; the client may ask for some of them only. */
static json_t *some_of(tw__dap *dap, tw__dap_location at, const json_t *list, const json_t *arguments)
{
    json_int_t start = json_integer_value(json_object_get(arguments, "start")),
               count = json_integer_value(json_object_get(arguments, "count"));
    json_t *some = json_array();
    size_t first = start > 0 ? (size_t)start : 0, most = count > 0 ? (size_t)count : SIZE_MAX;
    for (size_t i = first; i < json_array_size(list) && i - first < most; i++) {
        json_t *one = json_array_get(list, i);
        const char *value = json_string_value(json_object_get(one, "value")),
                   *expression = json_string_value(json_object_get(one, "evaluateName"));
        bool left_out = g_strcmp0(json_string_value(json_object_get(one, "name")), LEFT_OUT) == 0;
        json_int_t reference = left_out ? 0 : tw__dap_refer(dap, at, value, expression);
        json_object_set_new(one, "variablesReference", json_integer(reference));
        if (expression) tw__dap_put_memory(dap, at, one, expression);
        json_array_append(some, one);
    }
    return some;
}

/* All variables of a reference of the client; NULL with *error: there is no such reference. */
static json_t *list_variables(tw__dap *dap, const json_t *arguments, tw__dap_reference *r, char **error)
{
    json_int_t number = json_integer_value(json_object_get(arguments, "variablesReference"));
    if (number < 1 || !dap->references || number > dap->references->len) {
        *error = g_strdup("there are no such variables");
        return NULL;
    }
    *r = g_array_index(dap->references, tw__dap_reference, number - 1);
    json_t *list = json_array();
    if (!r->value)
        dap->target->scope(dap->debugger, r->thread, r->frame, r->scope, list);
    else
        (*r->value == '{' ? add_parts : tensor_body(r->value) ? add_tensor_rows : add_text_lines)(dap, r, list);
    return list;
}

json_t *tw__dap_variables(tw__dap *dap, const json_t *arguments, char **error)
{
    tw__dap_reference r;
    json_t *list = list_variables(dap, arguments, &r, error);
    if (!list) return NULL;
    json_t *some = some_of(dap, (tw__dap_location){ r.thread, r.frame }, list, arguments);
    json_decref(list);
    return json_pack("{so}", "variables", some);
}

/* The expression of a variable by its name in the list; g_free(). */
static char *expression_of(const json_t *list, const char *name)
{
    const json_t *one;
    size_t i;
    json_array_foreach(list, i, one)
    {
        if (g_strcmp0(json_string_value(json_object_get(one, "name")), name) == 0)
            return g_strdup(json_string_value(json_object_get(one, "evaluateName")));
    }
    return NULL;
}

json_t *tw__dap_set_variable(tw__dap *dap, const json_t *arguments, char **error)
{
    const char *name = json_string_value(json_object_get(arguments, "name"));
    const char *value = json_string_value(json_object_get(arguments, "value"));
    tw__dap_reference r;
    json_t *list = list_variables(dap, arguments, &r, error);
    if (!list) return NULL;
    g_autofree char *expression = name && value ? expression_of(list, name) : NULL;
    json_decref(list);
    if (!expression || !dap->target->assign) {
        *error = g_strdup(expression ? "values are not set here" : "there is no such variable that can be set");
        return NULL;
    }
    if (!dap->target->assign(dap->debugger, r.thread, r.frame, expression, value, error)) return NULL;
    char *now = dap->target->evaluate(dap->debugger, r.thread, r.frame, expression, error);
    if (!now) return NULL;
    g_autofree char *valid = g_utf8_make_valid(now, -1);
    json_t *body = json_pack("{sssI}", "value", valid, "variablesReference",
                             tw__dap_refer(dap, (tw__dap_location){ r.thread, r.frame }, now, expression));
    free(now);
    return body;
}
