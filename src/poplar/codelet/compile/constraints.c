/* SPDX-License-Identifier: MIT */
/* poplar::constraint texts (guide 3.2.2, table 3.1): parsed, checked against the fields of their vertex, and resolved
 * to pairs of fields.
 *
 *     constraint = operand "!=" operand          the same rule on both sides
 *     operand    = ("elem" | "region") "(" star+ field ")"
 *     star+      = "*"  for one element or a Vector, "**" for the rows of a two-dimensional field
 *
 * Blanks may stand between any two of these. */
#include "poplar/codelet/compile/compile.h"

#include <stdarg.h>
#include <string.h>

typedef struct parser {
    const char *text, *at;
    const tw__vertex_type *vt;
    tw__constraint_problem *problem;
} parser;

static bool problem_at(parser *p, const char *at, size_t length, const char *format, ...) TW_PRINTF(4, 5);

static bool problem_at(parser *p, const char *at, size_t length, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    p->problem->offset = (size_t)(at - p->text);
    p->problem->length = length ? length : 1;
    vsnprintf(p->problem->message, sizeof p->problem->message, format, args);
    va_end(args);
    return false;
}

static void skip_blanks(parser *p)
{
    while (*p->at == ' ' || *p->at == '\t') p->at++;
}

static size_t word_length(const char *at)
{
    size_t n = 0;
    while (g_ascii_isalnum(at[n]) || at[n] == '_') n++;
    return n;
}

/* What stands at `at`, for "found ...". */
static const char *found(const char *at, char buf[48])
{
    size_t n = word_length(at);
    if (!*at) return "the end";
    snprintf(buf, 48, "'%.*s'", (int)(n ? (n < 40 ? n : 40) : 1), at);
    return buf;
}

static bool expect(parser *p, const char *symbol)
{
    char buf[48];
    skip_blanks(p);
    size_t n = strlen(symbol);
    if (strncmp(p->at, symbol, n) != 0)
        return problem_at(p, p->at, word_length(p->at), "expected '%s', found %s", symbol, found(p->at, buf));
    p->at += n;
    return true;
}

static bool parse_rule(parser *p, tw__constraint_rule *rule)
{
    static const char *const names[] = { [TW__CONSTRAINT_ELEM] = "elem", [TW__CONSTRAINT_REGION] = "region" };
    char buf[48];
    skip_blanks(p);
    size_t n = word_length(p->at);
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        if (n == strlen(names[i]) && strncmp(p->at, names[i], n) == 0)
            return *rule = (tw__constraint_rule)i, p->at += n, true;
    return problem_at(p, p->at, n, "expected 'elem' or 'region', found %s", found(p->at, buf));
}

static bool check_field(parser *p, const char *at, size_t length, unsigned stars, const char *first_star,
                        unsigned *index)
{
    g_autofree char *name = g_strndup(at, length);
    const tw__field *field = tw__vertex_field(p->vt, name);
    if (!field) {
        const char *near = tw__vertex_suggest_field(p->vt, name);
        return problem_at(p, at, length, "vertex '%s' has no field '%s'%s%s%s", p->vt->name, name,
                          near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    if (field->form < TW__EDGE_SCALAR)
        return problem_at(
            p, at, length,
            "field '%s' is plain vertex state: only the data of Input, Output and InOut fields can be "
            "constrained",
            name);
    unsigned wanted = field->form == TW__EDGE_VECTORS || field->form == TW__EDGE_SCALARS ? 2 : 1;
    if (stars != wanted)
        return problem_at(p, first_star, (size_t)(at + length - first_star), "field '%s' has %s: write %s%s", name,
                          wanted == 2 ? "two dimensions" : "one dimension or none", wanted == 2 ? "**" : "*", name);
    *index = (unsigned)(field - p->vt->fields);
    return true;
}

static bool parse_operand(parser *p, tw__constraint_rule *rule, unsigned *field)
{
    char buf[48];
    unsigned stars = 0;
    if (!parse_rule(p, rule) || !expect(p, "(")) return false;
    skip_blanks(p);
    const char *first_star = p->at;
    while (*p->at == '*') stars++, p->at++, skip_blanks(p);
    size_t length = word_length(p->at);
    if (!stars)
        return problem_at(p, p->at, length, "expected '*' and the name of a field, found %s", found(p->at, buf));
    if (!length) return problem_at(p, p->at, 1, "expected the name of a field, found %s", found(p->at, buf));
    if (!check_field(p, p->at, length, stars, first_star, field)) return false;
    p->at += length;
    return expect(p, ")");
}

bool tw__constraint_parse(const tw__vertex_type *vt, const char *text, tw__constraint *out,
                          tw__constraint_problem *problem)
{
    static const char *const names[] = { "elem", "region" };
    parser p = { text, text, vt, problem };
    tw__constraint_rule other;
    char buf[48];
    *out = (tw__constraint){ .text = text };
    if (!parse_operand(&p, &out->rule, &out->a) || !expect(&p, "!=")) return false;
    skip_blanks(&p);
    const char *second = p.at;
    if (!parse_operand(&p, &other, &out->b)) return false;
    if (other != out->rule)
        return problem_at(&p, second, strlen(names[other]), "both sides need the same rule: write '%s'",
                          names[out->rule]);
    if (out->a == out->b)
        return problem_at(&p, second, (size_t)(p.at - second), "field '%s' cannot lie apart from itself",
                          vt->fields[out->a].name);
    if (out->rule == TW__CONSTRAINT_REGION && vt->fields[out->a].interleaved && vt->fields[out->b].interleaved)
        return problem_at(&p, text, (size_t)(p.at - text),
                          "both fields are Interleaved, and a tile has one interleaved region: they cannot be in "
                          "different regions");
    skip_blanks(&p);
    if (*p.at)
        return problem_at(&p, p.at, strlen(p.at), "expected the end of the constraint, found %s", found(p.at, buf));
    return true;
}

/* --- of a scanned source -------------------------------------------------------------------------------------- */

/* Fields of a vertex as far as constraints ask about them. */
static void fields_of(const json_t *vertex, GArray *fields)
{
    static const struct {
        const char *form;
        tw__field_form value;
    } forms[] = { { "edge_scalar", TW__EDGE_SCALAR },
                  { "edge_vector", TW__EDGE_VECTOR },
                  { "edge_scalars", TW__EDGE_SCALARS },
                  { "edge_vectors", TW__EDGE_VECTORS } };
    size_t i;
    json_t *item;
    json_array_foreach(json_object_get(vertex, "fields"), i, item)
    {
        tw__field field = { .name = json_string_value(json_object_get(item, "name")),
                            .interleaved = json_is_true(json_object_get(item, "interleaved")) };
        for (size_t k = 0; k < G_N_ELEMENTS(forms); k++)
            if (g_strcmp0(json_string_value(json_object_get(item, "form")), forms[k].form) == 0)
                field.form = forms[k].value;
        if (field.name) g_array_append_val(fields, field);
    }
}

/* Line and column of `text` + `offset` in the source, from `line` on: constraints stand in the head of their class,
 * so the nearest literal is it. False when a macro has put the text together. */
static bool locate(const char *source, unsigned line, const char *text, size_t offset, tw__scan_diag *diag)
{
    const char *from = source, *best = NULL;
    for (unsigned n = 1; n < line && from; n++)
        if ((from = strchr(from, '\n'))) from++;
    if (!from) return false;
    g_autofree char *quoted = g_strdup_printf("\"%s\"", text);
    for (const char *at = source; (at = strstr(at, quoted)); at++)
        if (!best || ABS(at - from) < ABS(best - from)) best = at;
    if (!best) return false;
    diag->line = 1, diag->column = (unsigned)offset + 2;
    for (const char *at = source; at < best; at++)
        if (*at == '\n')
            diag->line++, diag->column = (unsigned)offset + 2;
        else
            diag->column++;
    return true;
}

bool tw__constraints_check(const json_t *table, tw__reporter *reporter)
{
    size_t i, k;
    json_t *vertex, *item;
    bool good = true;
    json_array_foreach(json_object_get(table, "vertices"), i, vertex)
    {
        GArray *fields = g_array_new(FALSE, FALSE, sizeof(tw__field));
        fields_of(vertex, fields);
        tw__vertex_type vt = { .name = json_string_value(json_object_get(vertex, "name")),
                               .fields = (const tw__field *)(void *)fields->data,
                               .num_fields = fields->len };
        unsigned line = (unsigned)json_integer_value(json_object_get(vertex, "line"));
        json_array_foreach(json_object_get(vertex, "constraints"), k, item)
        {
            const char *text = json_string_value(item);
            tw__constraint constraint;
            tw__constraint_problem problem;
            if (!text || tw__constraint_parse(&vt, text, &constraint, &problem)) continue;
            g_autofree char *message =
                g_strdup_printf("constraint \"%s\", character %zu: %s", text, problem.offset + 1, problem.message);
            tw__scan_diag diag = { .file = reporter->source->path,
                                   .line = line,
                                   .column = 1,
                                   .length = (unsigned)problem.length,
                                   .severity = 2,
                                   .code = "popc.constraint",
                                   .message = message };
            locate(reporter->source->text, line, text, problem.offset, &diag);
            tw__report(reporter, &diag);
            good = false;
        }
        g_array_free(fields, TRUE);
    }
    return good;
}
