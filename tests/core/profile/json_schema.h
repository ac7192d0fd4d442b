/* SPDX-License-Identifier: MIT */
/* As much of JSON Schema (draft 2020-12) as docs/profile.schema.json uses; another keyword in it is an error. */
#ifndef TEST_PROFILE_JSON_SCHEMA_H
#define TEST_PROFILE_JSON_SCHEMA_H

#include <glib.h>
#include <jansson.h>
#include <stdbool.h>
#include <string.h>

typedef struct json_check {
    json_t *schema; /* the whole of it */
    GString *why;   /* what does not hold, and where; NULL: not wanted */
} json_check;

static bool json_holds(const json_check *c, const json_t *rule, const json_t *value, const char *path);

static bool json_broken(const json_check *c, const char *path, const char *what, const char *word)
{
    if (c->why) g_string_append_printf(c->why, "%s: %s %s\n", *path ? path : "(root)", what, word);
    return false;
}

static bool json_is(const char *type, const json_t *v)
{
    return !strcmp(type, "object")    ? json_is_object(v)
           : !strcmp(type, "array")   ? json_is_array(v)
           : !strcmp(type, "string")  ? json_is_string(v)
           : !strcmp(type, "integer") ? json_is_integer(v)
           : !strcmp(type, "number")  ? json_is_number(v)
                                      : !strcmp(type, "null") && json_is_null(v);
}

static bool json_object_holds(const json_check *c, const json_t *rule, const json_t *value, const char *path)
{
    const json_t *known = json_object_get(rule, "properties"),
                 *other = json_object_get(rule, "additionalProperties"),
                 *required = json_object_get(rule, "required");
    const char *key;
    json_t *child;
    for (size_t i = 0; i < json_array_size(required); i++) {
        const char *name = json_string_value(json_array_get(required, i));
        if (!json_object_get(value, name)) return json_broken(c, path, "lacks", name);
    }
    json_object_foreach((json_t *)value, key, child)
    {
        g_autofree char *below = g_strconcat(path, *path ? "." : "", key, NULL);
        const json_t *of = json_object_get(known, key);
        if (!of) of = other;
        if (json_is_false(of)) return json_broken(c, path, "may not have", key);
        if (of && !json_holds(c, of, child, below)) return false;
    }
    return true;
}

static bool json_array_holds(const json_check *c, const json_t *rule, const json_t *value, const char *path)
{
    const json_t *of = json_object_get(rule, "items"), *least = json_object_get(rule, "minItems"),
                 *most = json_object_get(rule, "maxItems");
    json_int_t size = (json_int_t)json_array_size(value);
    if (least && size < json_integer_value(least)) return json_broken(c, path, "has too few", "elements");
    if (most && size > json_integer_value(most)) return json_broken(c, path, "has too many", "elements");
    for (size_t i = 0; of && i < (size_t)size; i++) {
        g_autofree char *below = g_strdup_printf("%s[%zu]", path, i);
        if (!json_holds(c, of, json_array_get(value, i), below)) return false;
    }
    return true;
}

static const json_t *json_target_of(const json_check *c, const char *reference)
{
    g_assert_true(g_str_has_prefix(reference, "#/$defs/"));
    const json_t *rule = json_object_get(json_object_get(c->schema, "$defs"), reference + strlen("#/$defs/"));
    if (!rule) g_error("the schema has no %s", reference);
    return rule;
}

static bool json_holds(const json_check *c, const json_t *rule, const json_t *value, const char *path)
{
    const json_t *type = json_object_get(rule, "type"), *one = json_object_get(rule, "oneOf"), *same, *list, *least;
    const json_t *reference = json_object_get(rule, "$ref");
    const json_check silent = { c->schema, NULL };
    if (reference && !json_holds(c, json_target_of(c, json_string_value(reference)), value, path)) return false;
    if (type && !json_is(json_string_value(type), value))
        return json_broken(c, path, "is no", json_string_value(type));
    if ((same = json_object_get(rule, "const")) && !json_equal(same, value))
        return json_broken(c, path, "is", "another");
    if ((list = json_object_get(rule, "enum"))) {
        size_t i = 0;
        while (i < json_array_size(list) && !json_equal(json_array_get(list, i), value)) i++;
        if (i == json_array_size(list)) return json_broken(c, path, "is none of", "those listed");
    }
    if ((least = json_object_get(rule, "minimum")) && json_number_value(value) < json_number_value(least))
        return json_broken(c, path, "is too", "small");
    if (one) {
        size_t many = 0;
        for (size_t i = 0; i < json_array_size(one); i++)
            many += json_holds(&silent, json_array_get(one, i), value, path);
        if (!many) /* say why, of the nearest that one can guess: all of them */
            for (size_t i = 0; c->why && i < json_array_size(one); i++)
                json_holds(c, json_array_get(one, i), value, path);
        if (many != 1) return json_broken(c, path, many ? "is of several forms of" : "is of no form of", "oneOf");
    }
    if (json_is_object(value)) return json_object_holds(c, rule, value, path);
    return !json_is_array(value) || json_array_holds(c, rule, value, path);
}

#endif
