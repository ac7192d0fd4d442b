/* SPDX-License-Identifier: MIT */
/* Options of an object: text keys and values, checked against a table of known keys (docs/decisions.md, G8).
 *
 * Values are kept as canonical text ("true", "12", the spelling of the table), so that they compare, print
 * and hash the same however they were given. What comes from the environment wins over what the program says,
 * in whatever order the two arrive (guide 9.3). A failing call changes nothing. */
#include "core/base/base.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <glib.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct option_value {
    char *text; /* NULL = default */
    bool from_environment;
} option_value;

struct tw__options {
    const tw__option_desc *table;
    size_t count;
    tw__log_module module;
    option_value values[];
};

static char *copy_text(const char *text, size_t length)
{
    char *copy = tw__realloc(NULL, length + 1);
    if (!copy) return NULL;
    memcpy(copy, text, length);
    copy[length] = 0;
    return copy;
}

static tw_status options_no_memory(void)
{
    return tw__fail(TW_E_NO_MEMORY, "out of memory while setting options");
}

tw__options *tw__options_new(const tw__option_desc *table, size_t count, tw__log_module module)
{
    tw__options *options = tw__calloc(1, sizeof(tw__options) + count * sizeof(option_value));
    if (!options) return NULL;
    options->table = table;
    options->count = count;
    options->module = module;
    return options;
}

void tw__options_free(tw__options *options)
{
    if (!options) return;
    for (size_t i = 0; i < options->count; i++) free(options->values[i].text);
    free(options);
}

tw__options *tw__options_copy(const tw__options *options)
{
    tw__options *copy = tw__options_new(options->table, options->count, options->module);
    for (size_t i = 0; copy && i < options->count; i++) {
        const option_value *from = &options->values[i];
        copy->values[i].from_environment = from->from_environment;
        if (!from->text) continue;
        copy->values[i].text = copy_text(from->text, strlen(from->text));
        if (!copy->values[i].text) {
            tw__options_free(copy);
            return NULL;
        }
    }
    return copy;
}

/* Index of key, or options->count. */
static size_t options_find(const tw__options *options, const char *key)
{
    size_t i = 0;
    while (i < options->count && strcmp(options->table[i].key, key) != 0) i++;
    return i;
}

static tw_status unknown_key(const tw__options *options, const char *key)
{
    const char **keys = tw__realloc(NULL, (options->count + 1) * sizeof *keys);
    if (!keys) return options_no_memory();
    for (size_t i = 0; i < options->count; i++) keys[i] = options->table[i].key;
    const char *nearest = tw__nearest(key, keys, options->count);
    free(keys);
    if (nearest) return tw__fail(TW_E_INVALID_OPTION, "unknown option '%.100s'; did you mean '%s'?", key, nearest);
    return tw__fail(TW_E_INVALID_OPTION, "unknown option '%.100s'", key);
}

/* --- canonical text of a value, one function per option type; NULL = not a value of that type
 * -------------------- */

enum { NUMBER_BYTES = 40 };

static const char *canonical_bool(const char *value)
{
    if (g_ascii_strcasecmp(value, "true") == 0 || strcmp(value, "1") == 0) return "true";
    if (g_ascii_strcasecmp(value, "false") == 0 || strcmp(value, "0") == 0) return "false";
    return NULL;
}

static bool parse_int(const char *value, int64_t *out)
{
    const char *digits = value + (*value == '-' || *value == '+');
    bool hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
    if (!isxdigit((unsigned char)digits[hex ? 2 : 0])) return false;
    char *end;
    errno = 0;
    *out = strtoll(value, &end, hex ? 16 : 10); /* never octal: "010" is ten */
    return *end == 0 && errno == 0;
}

static bool parse_double(const char *value, double *out)
{
    if (!*value || isspace((unsigned char)*value)) return false;
    char *end;
    *out = g_ascii_strtod(value, &end); /* not the locale's decimal comma */
    return *end == 0 && isfinite(*out);
}

static const char *canonical_double(char buf[NUMBER_BYTES], const char *value)
{
    double number, back;
    if (!parse_double(value, &number)) return NULL;
    for (int digits = 15; digits <= 17; digits++) { /* the shortest that reads back */
        char format[8];
        snprintf(format, sizeof format, "%%.%dg", digits);
        g_ascii_formatd(buf, NUMBER_BYTES, format, number);
        if (parse_double(buf, &back) && back == number) break;
    }
    return buf;
}

/* Finds value among "a|b|c" without regard to case; *length is that of the table's spelling. */
static const char *canonical_enum(const char *values, const char *value, size_t *length)
{
    size_t wanted = strlen(value);
    while (*values) {
        *length = strcspn(values, "|");
        if (*length == wanted && g_ascii_strncasecmp(values, value, wanted) == 0) return values;
        values += *length + (values[*length] == '|');
    }
    return NULL;
}

static tw_status bad_value(const tw__option_desc *desc, const char *value)
{
    static const char *const expected[] = { [TW__OPT_BOOL] = "'true' or 'false'",
                                            [TW__OPT_INT] = "an integer of 64 bits",
                                            [TW__OPT_DOUBLE] = "a finite number",
                                            [TW__OPT_STRING] = "text" };
    if (desc->type == TW__OPT_ENUM)
        return tw__fail(TW_E_INVALID_OPTION, "option '%s': '%.100s' is not one of %s", desc->key, value,
                        desc->values);
    return tw__fail(TW_E_INVALID_OPTION, "option '%s': expected %s, got '%.100s'", desc->key, expected[desc->type],
                    value);
}

static tw_status canonical(const tw__option_desc *desc, const char *value, char **out)
{
    char buf[NUMBER_BYTES];
    const char *text = NULL;
    size_t length = 0;
    int64_t number;
    switch (desc->type) {
    case TW__OPT_BOOL: text = canonical_bool(value); break;
    case TW__OPT_INT:
        if (!parse_int(value, &number)) break;
        snprintf(buf, sizeof buf, "%lld", (long long)number);
        text = buf;
        break;
    case TW__OPT_DOUBLE: text = canonical_double(buf, value); break;
    case TW__OPT_STRING: text = value; break;
    case TW__OPT_ENUM: text = canonical_enum(desc->values, value, &length); break;
    }
    if (!text) return bad_value(desc, value);
    *out = copy_text(text, length ? length : strlen(text));
    return *out ? TW_OK : options_no_memory();
}

/* --- setting
 * ------------------------------------------------------------------------------------------------------ */

static tw_status set(tw__options *options, const char *key, const char *value, bool from_environment)
{
    if (!key || !value) return tw__fail(TW_E_INVALID_OPTION, "option '%s' has no value", key ? key : "");
    size_t i = options_find(options, key);
    if (i == options->count) return unknown_key(options, key);
    char *text = NULL;
    tw_status status = canonical(&options->table[i], value, &text);
    if (status != TW_OK) return status;
    option_value *slot = &options->values[i];
    if (slot->from_environment && !from_environment) {
        free(text); /* checked all the same: a bad value is an error whoever wins */
        return TW_OK;
    }
    free(slot->text);
    *slot = (option_value){ text, from_environment };
    if (!options->table[i].implemented && tw__log_on(options->module, TW__INFO))
        tw__log_write(options->module, TW__INFO, "option %s=%s is accepted without effect", key, text);
    return TW_OK;
}

tw_status tw__options_set(tw__options *options, const char *key, const char *value)
{
    return set(options, key, value, false);
}

/* Text of a JSON scalar; buf holds numbers. NULL for arrays, objects and null. */
static const char *json_text(const json_t *value, char buf[NUMBER_BYTES])
{
    switch (json_typeof(value)) {
    case JSON_STRING: return json_string_value(value);
    case JSON_TRUE: return "true";
    case JSON_FALSE: return "false";
    case JSON_INTEGER: snprintf(buf, NUMBER_BYTES, "%lld", (long long)json_integer_value(value)); return buf;
    case JSON_REAL: return g_ascii_dtostr(buf, NUMBER_BYTES, json_real_value(value));
    case JSON_NULL:
    case JSON_ARRAY:
    case JSON_OBJECT: break;
    }
    return NULL;
}

static tw_status set_object(tw__options *options, json_t *object, const char *origin, bool from_environment)
{
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        char buf[NUMBER_BYTES];
        const char *text = json_text(value, buf);
        if (!text)
            return tw__fail(TW_E_INVALID_OPTION,
                            "%s: the value of '%.100s' must be a string, a number, true or false", origin, key);
        tw_status status = set(options, key, text, from_environment);
        if (status == TW_E_INVALID_OPTION) return tw__fail(status, "%s: %s", origin, tw_error_message());
        if (status != TW_OK) return status;
    }
    return TW_OK;
}

static tw_status set_json(tw__options *options, const char *json, const char *origin, bool from_environment)
{
    json_error_t error;
    json_t *object = json_loads(json, JSON_REJECT_DUPLICATES, &error);
    if (!object)
        return tw__fail(TW_E_INVALID_OPTION, "%s: line %d, column %d: %s", origin, error.line, error.column,
                        error.text);
    tw_status status = TW_E_INVALID_OPTION;
    tw__options *changed = NULL;
    if (!json_is_object(object)) {
        tw__fail(status, "%s: expected a JSON object such as {\"debug.instrument\": \"true\"}", origin);
    } else if (!(changed = tw__options_copy(options))) {
        status = options_no_memory();
    } else {
        status = set_object(changed, object, origin, from_environment);
    }
    if (status == TW_OK) /* all or nothing: keep the copy's values, free the old ones with the copy */
        for (size_t i = 0; i < options->count; i++) {
            option_value old = options->values[i];
            options->values[i] = changed->values[i];
            changed->values[i] = old;
        }
    tw__options_free(changed);
    json_decref(object);
    return status;
}

tw_status tw__options_set_json(tw__options *options, const char *json, const char *origin)
{
    return set_json(options, json, origin, false);
}

tw_status tw__options_set_env(tw__options *options, const char *variable)
{
    const char *json = getenv(variable);
    return json && *json ? set_json(options, json, variable, true) : TW_OK;
}

/* --- reading
 * ------------------------------------------------------------------------------------------------------ */

const char *tw__options_get(const tw__options *options, const char *key)
{
    size_t i = options_find(options, key);
    assert(i < options->count); /* keys read by the library are in its own tables */
    if (i == options->count) return "";
    return options->values[i].text ? options->values[i].text : options->table[i].default_value;
}

bool tw__options_bool(const tw__options *options, const char *key)
{
    return strcmp(tw__options_get(options, key), "true") == 0;
}

int64_t tw__options_int(const tw__options *options, const char *key)
{
    int64_t number = 0;
    return parse_int(tw__options_get(options, key), &number) ? number : 0;
}

double tw__options_double(const tw__options *options, const char *key)
{
    double number = 0;
    return parse_double(tw__options_get(options, key), &number) ? number : 0;
}

bool tw__options_is_set(const tw__options *options, const char *key)
{
    size_t i = options_find(options, key);
    return i < options->count && options->values[i].text;
}
