/* SPDX-License-Identifier: MIT */
/* Values and places as a user of the interactive mode writes them: registers, symbols, numbers, memory. */
#include "cli/colossus/sim.h"

#include <ctype.h>
#include <string.h>
#include <tilewright/type.h>

typedef struct parser {
    const tw__sim_session *s;
    unsigned context;
    const char *at;
    char *error; /* the first one */
} parser;

static void fail(parser *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void fail(parser *p, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!p->error) p->error = g_strdup_vprintf(format, args);
    va_end(args);
}

static void skip(parser *p)
{
    while (isspace((unsigned char)*p->at)) p->at++;
}

static bool accept(parser *p, const char *word)
{
    skip(p);
    size_t length = strlen(word);
    if (strncmp(p->at, word, length) != 0) return false;
    p->at += length;
    return true;
}

/* --- numbers ---------------------------------------------------------------------------------------------------- */

bool tw__sim_number(const char *text, uint32_t *bits, bool *is_float)
{
    char *end;
    size_t length = strlen(text);
    bool hex = g_str_has_prefix(text, "0x") || g_str_has_prefix(text, "-0x");
    *is_float = !hex && (strchr(text, '.') || (length && strchr("fh", text[length - 1])));
    if (*is_float) {
        double v = g_ascii_strtod(text, &end);
        float f = (float)v;
        if (end == text) return false;
        memcpy(bits, &f, 4);
        if (*end == 'h')
            *bits = tw_f64_to_f16(v, TW_ROUND_NEAREST_EVEN, 0), end++;
        else if (*end == 'f')
            end++;
        return !*end;
    }
    gint64 v = g_ascii_strtoll(text, &end, 0);
    *bits = (uint32_t)v;
    return length && !*end && v >= INT32_MIN && v <= UINT32_MAX;
}

/* --- registers -------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    char file;
    unsigned number, count;
} aliases[] = { { "bp", 'm', 8, 1 },
                { "fp", 'm', 9, 1 },
                { "lr", 'm', 10, 1 },
                { "sp", 'm', 11, 1 },
                { "mzero", 'm', 15, 1 },
                { "mworker_base", 'm', 12, 1 },
                { "mvertex_base", 'm', 13, 1 },
                { "azero", 'a', 15, 1 },
                { "azeros", 'a', 14, 2 } };

typedef struct place { /* where a value can be written */
    enum { NOWHERE, IN_M, IN_A, IN_ACCUMULATOR, IN_WEIGHT, IN_CSR, IN_MEMORY } kind;
    unsigned number, count;
    uint32_t address;
} place;

/* One or two digits at *text, which moves behind them. */
static bool two_digits(const char **text, unsigned *value)
{
    const char *at = *text;
    if (!g_ascii_isdigit(*at)) return false;
    *value = (unsigned)(*at++ - '0');
    if (g_ascii_isdigit(*at)) *value = 10 * *value + (unsigned)(*at++ - '0');
    *text = at;
    return true;
}

/* "3" or, with a second number, "2:3", and nothing else. */
static bool numbers(const char *text, unsigned *first, unsigned *last)
{
    if (!two_digits(&text, first)) return false;
    *last = *first;
    if (*text == ':' && (text++, !two_digits(&text, last) || *last <= *first)) return false;
    return !*text;
}

/* Index in a file of `size` registers: the digits behind `prefix`, and nothing else. */
static bool indexed(const char *name, const char *prefix, unsigned size, unsigned *number)
{
    size_t length = strlen(prefix);
    const char *digits = name + length;
    return strncmp(name, prefix, length) == 0 && two_digits(&digits, number) && !*digits && *number < size;
}

/* "m0", "a2:3", "aacc4", "cwei12", "sp", "FP_STS", "pc". */
static bool find_register(parser *p, const char *name, place *to)
{
    unsigned first, last;
    *to = (place){ .count = 1 };
    for (size_t i = 0; i < G_N_ELEMENTS(aliases); i++)
        if (strcmp(name, aliases[i].name) == 0) {
            to->kind = aliases[i].file == 'm' ? IN_M : IN_A;
            to->number = aliases[i].number, to->count = aliases[i].count;
            return true;
        }
    if ((*name == 'm' || *name == 'a') && numbers(name + 1, &first, &last) && last < 16 && last - first <= 3) {
        to->kind = *name == 'm' ? IN_M : IN_A, to->number = first, to->count = last - first + 1;
        return true;
    }
    if (indexed(name, "aacc", 32, &to->number)) {
        to->kind = IN_ACCUMULATOR;
        return true;
    }
    if (indexed(name, "cwei", 64, &to->number)) {
        to->kind = IN_WEIGHT, to->count = 2;
        return true;
    }
    tw_isa_context context = p->context == TW_SIM_SUPERVISOR ? TW_ISA_SUPERVISOR : TW_ISA_WORKER;
    const tw_isa_csr *row;
    for (size_t i = 0; (row = tw_isa_csr_get(i)); i++)
        if (g_ascii_strcasecmp(row->name, name) == 0 && (row->context & context)) {
            to->kind = IN_CSR, to->number = row->index;
            return true;
        }
    return false;
}

static void read_place(parser *p, const place *from, tw__sim_value *v)
{
    tw_sim *sim = p->s->sim;
    uint32_t word = 0;
    v->count = from->count, v->is_float = from->kind == IN_A || from->kind == IN_ACCUMULATOR;
    switch (from->kind) {
    case IN_M:
        for (unsigned i = 0; i < from->count; i++) v->words[i] = tw_sim_get_m(sim, p->context, from->number + i);
        return;
    case IN_A:
        for (unsigned i = 0; i < from->count; i++) v->words[i] = tw_sim_get_a(sim, p->context, from->number + i);
        return;
    case IN_ACCUMULATOR: v->words[0] = tw_sim_get_accumulator(sim, p->context, from->number); return;
    case IN_WEIGHT:
        v->words[0] = (uint32_t)tw_sim_get_weight(sim, from->number);
        v->words[1] = (uint32_t)(tw_sim_get_weight(sim, from->number) >> 32);
        return;
    case IN_CSR:
        if (from->number == 0) /* of the PC: also before the context runs */
            v->words[0] = tw_sim_get_pc(sim, p->context);
        else if (tw_sim_get_csr(sim, p->context, from->number, &v->words[0]) != TW_OK)
            fail(p, "%s", tw_error_message());
        return;
    case IN_MEMORY:
        if (from->address & 3)
            fail(p, "0x%x is not the address of a word: it is not a multiple of 4", from->address);
        else if (tw_sim_read(sim, from->address, &word, 4) != TW_OK)
            fail(p, "%s", tw_error_message());
        v->words[0] = GUINT32_FROM_LE(word);
        return;
    case NOWHERE: return;
    }
}

/* --- expressions ------------------------------------------------------------------------------------------------ */

static tw__sim_value expression(parser *p, unsigned level);

static void read_register(parser *p, tw__sim_value *v)
{
    size_t length = strspn(p->at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    if (length && p->at[length] == ':') length += 1 + strspn(p->at + length + 1, "0123456789");
    g_autofree char *name = g_strndup(p->at, length);
    place from;
    p->at += length;
    if (!find_register(p, name, &from))
        fail(p, "there is no register '$%s' in %s", name, tw__sim_context_name(p->context));
    else
        read_place(p, &from, v);
}

static void sim_expr_read_symbol(parser *p, tw__sim_value *v)
{
    size_t length = strspn(p->at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_."),
           longer = tw__source_length(p->at);
    g_autofree char *variable = g_strndup(p->at, longer), *name = g_strndup(p->at, length);
    if (length && tw__source_word(p->s, p->context, variable, &v->words[0])) {
        p->at += longer;
        return;
    }
    p->at += length;
    int index = tw_object_find_symbol(p->s->image, name);
    const tw_symbol *symbol = index >= 0 ? tw_object_get_symbol(p->s->image, (size_t)index) : NULL;
    if (!length)
        fail(p, *p->at ? "a value is missing before '%s'" : "a value is missing at the end%s", p->at);
    else if (!symbol || symbol->section == TW_SECTION_UNDEFINED)
        fail(p, "there is no symbol '%s'", name);
    else
        v->words[0] = symbol->value;
}

static tw__sim_value primary(parser *p)
{
    tw__sim_value v = { .count = 1 };
    skip(p);
    if (accept(p, "(")) {
        v = expression(p, 0);
        if (!accept(p, ")")) fail(p, "a ')' is missing");
    } else if (accept(p, "$")) {
        read_register(p, &v);
    } else if (isdigit((unsigned char)*p->at)) {
        size_t length = strspn(p->at, "0123456789abcdefxABCDEFX.h");
        g_autofree char *text = g_strndup(p->at, length);
        p->at += length;
        if (!tw__sim_number(text, &v.words[0], &v.is_float)) fail(p, "'%s' is no number", text);
    } else {
        sim_expr_read_symbol(p, &v);
    }
    return v;
}

static tw__sim_value unary(parser *p)
{
    tw__sim_value v = { .count = 1 };
    skip(p);
    char sign = *p->at;
    if (!*p->at || !strchr("-~!*&", sign)) return primary(p);
    p->at++;
    v = unary(p);
    v.count = 1;
    if (sign == '-') v.words[0] = v.is_float ? v.words[0] ^ 0x80000000 : 0u - v.words[0];
    if (sign == '~') v.words[0] = ~v.words[0];
    if (sign == '!') v.words[0] = !v.words[0];
    if (sign == '*' && !p->error)
        read_place(p, &(place){ .kind = IN_MEMORY, .count = 1, .address = v.words[0] }, &v);
    return v;
}

static const char *const levels[][5] = {
    { "||" },       { "&&" },     { "|" },          { "^" }, { "&" }, { "==", "!=" }, { "<=", ">=", "<", ">" },
    { "<<", ">>" }, { "+", "-" }, { "*", "/", "%" }
};

static const char *operator_at(parser *p, unsigned level)
{
    skip(p);
    for (unsigned i = 0; levels[level][i]; i++) {
        const char *text = levels[level][i];
        size_t length = strlen(text);
        if (strncmp(p->at, text, length) != 0) continue;
        if (length == 1 && strchr("<>|&", *text) && p->at[1] == *text) continue; /* the first half of another one */
        p->at += length;
        return text;
    }
    return NULL;
}

static uint32_t calculate(parser *p, const char *op, uint32_t x, uint32_t y)
{
    int32_t a = (int32_t)x, b = (int32_t)y;
    if ((*op == '/' || *op == '%') && !y) fail(p, "division by zero");
    switch (op[0] | op[1] << 8) {
    case '|' | '|' << 8: return x || y;
    case '&' | '&' << 8: return x && y;
    case '=' | '=' << 8: return x == y;
    case '!' | '=' << 8: return x != y;
    case '<' | '=' << 8: return a <= b;
    case '>' | '=' << 8: return a >= b;
    case '<' | '<' << 8: return y < 32 ? x << y : 0;
    case '>' | '>' << 8: return y < 32 ? x >> y : 0;
    case '<': return a < b;
    case '>': return a > b;
    case '|': return x | y;
    case '^': return x ^ y;
    case '&': return x & y;
    case '+': return x + y;
    case '-': return x - y;
    case '*': return x * y;
    case '/': return y ? (uint32_t)((int64_t)a / b) : 0;
    default: return y ? (uint32_t)((int64_t)a % b) : 0;
    }
}

static tw__sim_value expression(parser *p, unsigned level)
{
    if (level == G_N_ELEMENTS(levels)) return unary(p);
    tw__sim_value v = expression(p, level + 1);
    for (const char *op; !p->error && (op = operator_at(p, level));) {
        tw__sim_value w = expression(p, level + 1);
        v = (tw__sim_value){ .words = { calculate(p, op, v.words[0], w.words[0]) }, .count = 1 };
    }
    return v;
}

enum { LONGEST = 400 }; /* characters of an expression: brackets nest by recursion */

static bool whole(parser *p, tw__sim_value *value)
{
    if (strlen(p->at) > LONGEST)
        fail(p, "an expression has at most %d characters", (int)LONGEST);
    else
        *value = expression(p, 0);
    skip(p);
    if (*p->at) fail(p, "'%s' cannot follow here", p->at);
    return !p->error;
}

bool tw__sim_evaluate(const tw__sim_session *s, unsigned context, const char *text, tw__sim_value *value,
                      char **error)
{
    parser p = { .s = s, .context = context, .at = text };
    bool good = whole(&p, value);
    *error = p.error;
    return good;
}

/* --- assignments ------------------------------------------------------------------------------------------------ */

static void write_place(parser *p, const place *to, uint32_t word)
{
    tw_sim *sim = p->s->sim;
    uint32_t bits = GUINT32_TO_LE(word);
    tw_status status = TW_OK;
    switch (to->kind) {
    case IN_M:
        if (to->number > 11)
            fail(p, "$m%u cannot be set", to->number);
        else
            tw_sim_set_m(sim, p->context, to->number, word);
        break;
    case IN_A:
        if (to->number > 7)
            fail(p, "$a%u cannot be set", to->number);
        else
            tw_sim_set_a(sim, p->context, to->number, word);
        break;
    case IN_ACCUMULATOR: tw_sim_set_accumulator(sim, p->context, to->number, word); break;
    case IN_WEIGHT: tw_sim_set_weight(sim, to->number, word); break;
    case IN_CSR: status = tw_sim_set_csr(sim, p->context, to->number, word); break;
    case IN_MEMORY:
        if (to->address & 3) fail(p, "0x%x is not a multiple of 4", to->address);
        status = p->error ? TW_OK : tw_sim_write(sim, to->address, &bits, 4);
        break;
    case NOWHERE: break;
    }
    if (status != TW_OK) fail(p, "%s", tw_error_message());
}

bool tw__sim_assign(tw__sim_session *s, unsigned context, const char *text, char **error)
{
    parser p = { .s = s, .context = context };
    g_autofree char *left = g_strdup(text);
    char *sign = strchr(left, '=');
    tw__sim_value value = { .count = 1 }, at = { .count = 1 };
    place to = { .kind = IN_MEMORY, .count = 1 };
    if (!sign) {
        fail(&p, "set REGISTER = VALUE or set *ADDRESS = VALUE");
    } else {
        *sign = 0;
        g_strstrip(left);
        p.at = sign + 1;
        if (strchr("$*", *left)) whole(&p, &value);
        if (p.error) {
        } else if (*left == '$') {
            if (!find_register(&p, left + 1, &to)) fail(&p, "there is no register '%s'", left);
            if (!p.error && to.count > 1 && to.kind != IN_WEIGHT) fail(&p, "one register at a time");
        } else if (*left == '*') {
            p.at = left + 1;
            if (whole(&p, &at)) to.address = at.words[0];
        } else if (tw__source_assign(s, context, left, g_strstrip(sign + 1), &p.error)) {
            to.kind = NOWHERE;
        } else if (!p.error) {
            fail(&p, "'%s' is neither a register ($m0) nor memory (*0x82000), nor a variable that lies in memory",
                 left);
        }
        if (!p.error) write_place(&p, &to, value.words[0]);
    }
    *error = p.error;
    return !p.error;
}

/* --- places in code --------------------------------------------------------------------------------------------- */

static bool same_file(const char *path, const char *name)
{
    size_t length = strlen(path), tail = strlen(name);
    return length >= tail && strcmp(path + length - tail, name) == 0 &&
           (length == tail || path[length - tail - 1] == '/');
}

/* The first line from `line` on that has code; UINT32_MAX: none. */
static uint32_t find_line(const tw__sim_session *s, const char *file, uint32_t line, uint32_t *address)
{
    const tw_section *section;
    uint32_t best = UINT32_MAX;
    for (size_t i = 0; (section = tw_object_get_section(s->image, i)); i++) {
        if (!(section->flags & TW_SECTION_EXEC) || !(section->flags & TW_SECTION_ALLOC)) continue;
        for (uint32_t at = 0; at < section->size; at += 4) {
            const tw_object_line *l = tw_object_line_at(s->image, (int)i, at);
            if (!l || l->line < line || l->line >= best || !same_file(l->file, file)) continue;
            best = l->line, *address = section->address + at;
        }
    }
    return best;
}

bool tw__sim_line_address(const tw__sim_session *s, const char *file, uint32_t line, uint32_t *address)
{
    return find_line(s, file, line, address) != UINT32_MAX;
}

/* The first code of the line in each section, which is a function where C was compiled. */
static void line_addresses(const tw__sim_session *s, const char *file, uint32_t line, GArray *addresses)
{
    const tw_section *section;
    for (size_t i = 0; (section = tw_object_get_section(s->image, i)); i++) {
        if (!(section->flags & TW_SECTION_EXEC) || !(section->flags & TW_SECTION_ALLOC)) continue;
        for (uint32_t at = 0; at < section->size; at += 4) {
            const tw_object_line *l = tw_object_line_at(s->image, (int)i, at);
            if (!l || l->line != line || !same_file(l->file, file)) continue;
            uint32_t address = section->address + at;
            g_array_append_val(addresses, address);
            break;
        }
    }
}

void tw__sim_image_places(const tw__sim_session *s, const char *text, GArray *addresses)
{
    const char *colon = strrchr(text, ':');
    uint32_t address, line = 0;
    char *end = NULL;
    tw__source_places(s, text, addresses);
    if (addresses->len) return;
    guint64 number = colon && g_ascii_isdigit(colon[1]) ? g_ascii_strtoull(colon + 1, &end, 10) : UINT64_MAX;
    g_autofree char *file = colon ? g_strndup(text, (gsize)(colon - text)) : NULL;
    if (end && !*end && number < UINT32_MAX) line = find_line(s, file, (uint32_t)number, &address);
    if (line && line != UINT32_MAX) line_addresses(s, file, line, addresses);
    int symbol = line ? -1 : tw_object_find_symbol(s->image, text);
    if (symbol < 0) return;
    address = tw_object_get_symbol(s->image, (size_t)symbol)->value;
    g_array_append_val(addresses, address);
}

bool tw__sim_locations(const tw__sim_session *s, unsigned context, const char *text, GArray *addresses,
                       char **error)
{
    uint32_t address;
    *error = NULL;
    tw__source_places(s, text, addresses);
    if (addresses->len) return true;
    if (!tw__sim_locate(s, context, text, &address, error)) return false;
    const tw_object_line *l = tw_sim_place_at(s->sim, address);
    bool is_line = strspn(strrchr(text, ':') ? strrchr(text, ':') + 1 : text, "0123456789") ==
                   strlen(strrchr(text, ':') ? strrchr(text, ':') + 1 : text);
    if (is_line && s->debug && l) line_addresses(s, l->file, l->line, addresses);
    if (!addresses->len) g_array_append_val(addresses, address);
    return true;
}

bool tw__sim_locate(const tw__sim_session *s, unsigned context, const char *text, uint32_t *address, char **error)
{
    const char *colon = strrchr(text, ':'), *digits = colon ? colon + 1 : text, *file = NULL;
    tw__sim_value value;
    bool line = *digits && strspn(digits, "0123456789") == strlen(digits) && *text != '*' && *text != '$';
    *error = NULL;
    if (!line) {
        if (!tw__sim_evaluate(s, context, *text == '*' ? text + 1 : text, &value, error)) return false;
        *address = value.words[0];
        return true;
    }
    g_autofree char *name = colon ? g_strndup(text, (gsize)(colon - text)) : NULL;
    if (!name && !tw_sim_line_at(s->sim, tw_sim_get_pc(s->sim, context), &file, NULL)) {
        *error = g_strdup("the source of this place is not known: say FILE:LINE");
        return false;
    }
    guint64 number = g_ascii_strtoull(digits, NULL, 10);
    if (number <= UINT32_MAX && tw__sim_line_address(s, name ? name : file, (uint32_t)number, address)) return true;
    *error = g_strdup_printf("no code at line %s of %s or behind it", digits, name ? name : file);
    return false;
}
