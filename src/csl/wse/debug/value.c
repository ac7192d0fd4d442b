/* SPDX-License-Identifier: MIT */
/* value: expressions of a user over the variables of a PE. The words of CSL, and some of gdb's: `a[2, 3]`, `a[1:4]`,
 * `p.*`, `*p`, `&a`, `a@8`, `x > 3 and y == 0`, `m.x`, `$r4`. */
#include "csl/wse/debug/value.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A number, or memory of a type: a view of `rank` dimensions, whose element is `type`. */
typedef struct val {
    enum { NUMBER, VIEW, WORDS, LOST } kind;
    tw__wse_type type; /* NUMBER: text NULL = of no variable */
    uint64_t bits;
    double real; /* NUMBER without a type */
    bool is_real;
    uint32_t address;
    unsigned rank;
    uint32_t dims[TW__WSE_RANK], strides[TW__WSE_RANK];
    uint64_t words[2];
    uint32_t reg; /* as in tw__wse_name */
} val;

typedef struct reader {
    const tw__wse *w;
    uint32_t pe;
    unsigned frame, depth;
    const char *text, *at;
    char *name; /* of a variable that is gone, for messages */
    bool failed;
} reader;

static val value_wrong(reader *r, tw_status status, const char *format, ...) TW_PRINTF(3, 4);
static val value_wrong(reader *r, tw_status status, const char *format, ...)
{
    if (!r->failed) {
        va_list args;
        va_start(args, format);
        char *text = g_strdup_vprintf(format, args);
        va_end(args);
        tw__fail(status, "%s", text);
        g_free(text);
    }
    r->failed = true;
    return (val){ .kind = NUMBER };
}

static void value_blanks(reader *r)
{
    while (g_ascii_isspace(*r->at)) r->at++;
}

static bool is_word_char(char c)
{
    return g_ascii_isalnum(c) || c == '_';
}

/* Takes an operator; words end where a name would. */
static bool value_takes(reader *r, const char *token)
{
    value_blanks(r);
    size_t n = strlen(token);
    if (strncmp(r->at, token, n) != 0) return false;
    if (g_ascii_isalpha(*token) && is_word_char(r->at[n])) return false;
    r->at += n;
    return true;
}

static val of_int(int64_t i)
{
    return (val){ .kind = NUMBER, .bits = (uint64_t)i, .real = (double)i };
}

static val of_unsigned(uint64_t i)
{
    return (val){ .kind = NUMBER, .bits = i, .real = (double)i };
}

static val of_real(double f)
{
    return (val){ .kind = NUMBER, .real = f, .is_real = true };
}

/* --- memory --------------------------------------------------------------------------------------------------- */

static uint64_t value_load(const reader *r, uint32_t address, uint32_t size)
{
    uint64_t bits = 0;
    memcpy(&bits, r->w->pe[r->pe].memory + address, size);
    return bits;
}

/* Memory of a type at an address, as far as it lies in the PE. */
static val view_of(reader *r, const char *type, uint32_t address)
{
    val v = { .kind = VIEW, .address = address };
    tw__wse_read_type(type, &v.type);
    if (v.type.kind == TW__WSE_T_ARRAY) {
        const tw__wse_type array = v.type;
        tw__wse_read_type(array.base, &v.type);
        v.rank = array.rank;
        uint32_t step = v.type.size;
        for (unsigned d = array.rank; d-- > 0; step *= array.dims[d])
            v.dims[d] = array.dims[d], v.strides[d] = step;
        if (array.size > TW__CSL_PE_BYTES || address > TW__CSL_PE_BYTES - array.size)
            return value_wrong(r, TW_E_INDEX, "bytes %u to %u lie outside the %u bytes of a PE", address,
                               address + array.size, TW__CSL_PE_BYTES);
    }
    if (address > TW__CSL_PE_BYTES - v.type.size)
        return value_wrong(r, TW_E_INDEX, "address 0x%x lies outside the %u bytes of a PE", address,
                           TW__CSL_PE_BYTES);
    return v;
}

static val value_number(reader *r, val v)
{
    if (r->failed) return v;
    if (v.kind == LOST) return value_wrong(r, TW_E_TYPE, "'%s' is <optimised out>", r->name ? r->name : "?");
    if (v.kind == NUMBER && !v.type.text) return v;
    if (v.rank || (v.type.kind != TW__WSE_T_NUMBER && v.type.kind != TW__WSE_T_POINTER))
        return value_wrong(r, TW_E_TYPE, "this is %s, not a number",
                           v.rank        ? "an array"
                           : v.type.text ? v.type.text
                                         : "nothing");
    uint64_t bits = v.kind == VIEW ? value_load(r, v.address, v.type.size) : v.words[0];
    if (tw__wse_is_float(v.type.number)) return of_real(tw__wse_float(v.type.number, bits));
    return v.type.number == TW_U64 ? of_unsigned(bits) : of_int(tw__wse_int(v.type.number, bits));
}

static int64_t value_whole(reader *r, val v)
{
    v = value_number(r, v);
    if (v.is_real) value_wrong(r, TW_E_TYPE, "%g is no whole number", v.real);
    return (int64_t)v.bits;
}

/* --- operands ------------------------------------------------------------------------------------------------- */

static val value_literal(reader *r)
{
    char *end, *end_of_float;
    double f = g_ascii_strtod(r->at, &end_of_float);
    int base = r->at[0] == '0' && (r->at[1] == 'b' || r->at[1] == 'B') ? 2 : 0;
    errno = 0;
    uint64_t i = g_ascii_strtoull(r->at + (base ? 2 : 0), &end, (guint)base);
    bool is_float = end_of_float > end && !g_str_has_prefix(r->at, "0x");
    bool is_large = is_float ? isinf(f) : errno == ERANGE;
    r->at = is_float ? end_of_float : end;
    if (is_word_char(*r->at)) return value_wrong(r, TW_E_PARSE, "'%s' is no number", r->text);
    if (is_large) return value_wrong(r, TW_E_OVERFLOW, "a number of '%s' has more than 64 bits", r->text);
    return is_float ? of_real(f) : of_unsigned(i);
}

static val of_name(reader *r, const tw__wse_name *n, const char *name)
{
    if (n->place == TW__WSE_IN_MEMORY) return view_of(r, n->type, n->address);
    val v = { .kind = n->place == TW__WSE_GONE ? LOST : WORDS,
              .words = { n->words[0], n->words[1] },
              .reg = n->reg };
    tw__wse_read_type(n->type, &v.type);
    if (v.kind == LOST) g_free(r->name), r->name = g_strdup(name);
    return v;
}

static val value_expression(reader *r);

/* $b[address], $h[address], $w[address]: 8, 16, 32 bits of memory. */
static val raw_memory(reader *r, char size)
{
    r->at += 3;
    int64_t address = value_whole(r, value_expression(r));
    if (!value_takes(r, "]")) return value_wrong(r, TW_E_PARSE, "a ']' is missing in '%s'", r->text);
    if (address < 0 || address > TW__CSL_PE_BYTES)
        return value_wrong(r, TW_E_INDEX, "address %lld lies outside the %u bytes of a PE", (long long)address,
                           TW__CSL_PE_BYTES);
    return view_of(r, size == 'b' ? "u8" : size == 'h' ? "u16" : "u32", (uint32_t)address);
}

/* $r4, $pc, $cycle, $x, $y, $w[16] */
static val value_special(reader *r)
{
    if (strchr("bhw", r->at[1]) && r->at[1] && r->at[2] == '[') return raw_memory(r, r->at[1]);
    const tw__pe *pe = &r->w->pe[r->pe];
    tw__wse_frame f = { 0 };
    bool in_task = tw__wse_frame_at(r->w, r->pe, r->frame, &f);
    const char *name = ++r->at;
    while (is_word_char(*r->at)) r->at++;
    g_autofree char *word = g_strndup(name, (gsize)(r->at - name));
    if (strcmp(word, "x") == 0) return of_int(r->pe % r->w->width);
    if (strcmp(word, "y") == 0) return of_int(r->pe / r->w->width);
    if (strcmp(word, "cycle") == 0) return of_int((int64_t)r->w->now);
    if (!in_task) return value_wrong(r, TW_E_SYMBOL, "$%s: the PE is in no task", word);
    if (strcmp(word, "pc") == 0) return of_int(f.at);
    char *end = NULL;
    unsigned long n = *word == 'r' && g_ascii_isdigit(word[1]) ? strtoul(word + 1, &end, 10) : 0;
    if (!end || *end || n >= 60000 || f.base + n >= pe->reg_room)
        return value_wrong(r, TW_E_SYMBOL, "there is no '$%s': $r0 and so on, $pc, $cycle, $x, $y", word);
    val v = of_int((int64_t)pe->regs[f.base + n]);
    v.reg = f.base + (uint32_t)n + 1;
    return v;
}

static val name(reader *r)
{
    const char *start = r->at, *best = NULL;
    tw__wse_name found = { 0 };
    for (const char *end = start;; end++) { /* the longest of a, a.b, a.b.c that there is */
        while (is_word_char(*end)) end++;
        g_autofree char *word = g_strndup(start, (gsize)(end - start));
        tw__wse_name n = tw__wse_find_name(r->w, r->pe, r->frame, word);
        if (n.place != TW__WSE_IN_NOTHING) found = n, best = end;
        if (*end != '.' || !(g_ascii_isalpha(end[1]) || end[1] == '_')) {
            r->at = best ? best : end;
            if (best) {
                g_autofree char *whole_name = g_strndup(start, (gsize)(best - start));
                return of_name(r, &found, whole_name);
            }
            return value_wrong(r, TW_E_SYMBOL, "PE %u,%u has no variable '%s'", r->pe % r->w->width,
                               r->pe / r->w->width, word);
        }
    }
}

static val value_primary(reader *r)
{
    value_blanks(r);
    if (++r->depth > 100) return value_wrong(r, TW_E_PARSE, "the expression is nested too deeply");
    val v;
    if (value_takes(r, "(")) {
        v = value_expression(r);
        if (!value_takes(r, ")")) v = value_wrong(r, TW_E_PARSE, "a ')' is missing in '%s'", r->text);
    } else if (g_ascii_isdigit(*r->at)) {
        v = value_literal(r);
    } else if (*r->at == '$') {
        v = value_special(r);
    } else if (value_takes(r, "true") || value_takes(r, "false")) {
        v = of_int(r->at[-2] == 'u');
    } else if (g_ascii_isalpha(*r->at) || *r->at == '_') {
        v = name(r);
    } else if (*r->at) {
        v = value_wrong(r, TW_E_PARSE, "'%s' stands where a value should be", r->at);
    } else {
        bool begins = r->text[strspn(r->text, " \t")];
        v = value_wrong(r, TW_E_PARSE, begins ? "a value is missing behind '%s'" : "a value is missing%s",
                        begins ? r->text : "");
    }
    r->depth--;
    return v;
}

/* "[i]", "[i, j]", "[i, lo:hi]" behind an array or pointer. */
static val value_indexed(reader *r, val v)
{
    if (!r->failed && v.kind != LOST && v.type.kind == TW__WSE_T_POINTER && v.rank == 0) {
        uint32_t target = (uint32_t)value_whole(r, v) & 0xffff;
        v = view_of(r, v.type.base, target);
        if (v.rank == 0) v.rank = 1, v.strides[0] = v.type.size, v.dims[0] = TW__CSL_PE_BYTES;
    }
    if (r->failed || v.kind == LOST) return value_number(r, v);
    if (v.kind != VIEW || !v.rank)
        return value_wrong(r, TW_E_TYPE, "%s has no elements", v.type.text ? v.type.text : "a number");
    val out = v;
    out.rank = 0;
    unsigned d = 0;
    do {
        if (d >= v.rank) return value_wrong(r, TW_E_INDEX, "more indices than the %u of the array", v.rank);
        int64_t low = value_whole(r, value_expression(r)), high = low + 1;
        bool slice = value_takes(r, ":");
        if (slice) high = value_whole(r, value_expression(r));
        if (r->failed) return v;
        if (low < 0 || high < low || high > v.dims[d])
            return value_wrong(r, TW_E_INDEX, "%lld is outside the %u elements of this dimension",
                               (long long)(low < 0 || low >= v.dims[d] ? low : high), v.dims[d]);
        out.address += (uint32_t)low * v.strides[d];
        if (slice) out.dims[out.rank] = (uint32_t)(high - low), out.strides[out.rank++] = v.strides[d];
        d++;
    } while (value_takes(r, ","));
    if (!value_takes(r, "]")) return value_wrong(r, TW_E_PARSE, "a ']' is missing in '%s'", r->text);
    for (; d < v.rank; d++) out.dims[out.rank] = v.dims[d], out.strides[out.rank++] = v.strides[d];
    uint64_t last = out.address;
    for (unsigned k = 0; k < out.rank; k++) last += (uint64_t)(out.dims[k] ? out.dims[k] - 1 : 0) * out.strides[k];
    if (last + v.type.size > TW__CSL_PE_BYTES)
        return value_wrong(r, TW_E_INDEX, "address 0x%llx lies outside the %u bytes of a PE",
                           (unsigned long long)last, TW__CSL_PE_BYTES);
    return out;
}

/* What a pointer points to; with `decays` also the first element of an array. */
static val value_target(reader *r, val v, bool decays)
{
    if (r->failed || v.kind == LOST) return value_number(r, v);
    if (decays && v.kind == VIEW && v.rank && v.dims[0]) {
        v.rank--;
        memmove(v.dims, v.dims + 1, v.rank * sizeof *v.dims);
        memmove(v.strides, v.strides + 1, v.rank * sizeof *v.strides);
        return v;
    }
    if (v.type.kind != TW__WSE_T_POINTER || v.rank)
        return value_wrong(r, TW_E_TYPE, "%s is no pointer", v.type.text ? v.type.text : "a number");
    return view_of(r, v.type.base, (uint32_t)value_whole(r, v) & 0xffff);
}

static val value_postfix(reader *r)
{
    val v = value_primary(r);
    for (;;) {
        if (r->failed) return v;
        if (value_takes(r, "[")) {
            v = value_indexed(r, v);
        } else if (value_takes(r, ".*")) {
            v = value_target(r, v, false);
        } else {
            return v;
        }
    }
}

static val value_unary(reader *r)
{
    value_blanks(r);
    if (value_takes(r, "&")) {
        if (++r->depth > 100) return value_wrong(r, TW_E_PARSE, "the expression is nested too deeply");
        val v = value_unary(r);
        r->depth--;
        if (r->failed) return v;
        return v.kind == VIEW ? of_int(v.address) : value_wrong(r, TW_E_TYPE, "only memory has an address");
    }
    if (value_takes(r, "*")) {
        if (++r->depth > 100) return value_wrong(r, TW_E_PARSE, "the expression is nested too deeply");
        val v = value_unary(r);
        r->depth--;
        return value_target(r, v, true);
    }
    if (*r->at == '-' || *r->at == '!' || *r->at == '~' || *r->at == '+') {
        char op = *r->at++;
        if (++r->depth > 100) return value_wrong(r, TW_E_PARSE, "the expression is nested too deeply");
        val v = value_number(r, value_unary(r));
        r->depth--;
        if (op == '!') return of_int(v.is_real ? v.real == 0 : v.bits == 0);
        if (op == '~') return of_int((int64_t)~(uint64_t)value_whole(r, v));
        if (op == '+') return (val){ .kind = NUMBER, .bits = v.bits, .real = v.real, .is_real = v.is_real };
        return (val){ .kind = NUMBER, .bits = 0 - v.bits, .real = -v.real, .is_real = v.is_real };
    }
    return value_postfix(r);
}

/* --- operators ------------------------------------------------------------------------------------------------ */

typedef struct op_row {
    const char *token;
    unsigned level;
    char what;
} op_row;

/* Longer ones first where one begins another. */
static const op_row operators[] = {
    { "||", 0, 'o' }, { "or", 0, 'o' }, { "&&", 1, 'a' }, { "and", 1, 'a' }, { "==", 2, '=' },
    { "!=", 2, '!' }, { "<<", 6, 'l' }, { ">>", 6, 'r' }, { "<=", 2, '[' },  { ">=", 2, ']' },
    { "<", 2, '<' },  { ">", 2, '>' },  { "|", 3, '|' },  { "^", 4, '^' },   { "&", 5, '&' },
    { "+", 7, '+' },  { "-", 7, '-' },  { "*", 8, '*' },  { "/", 8, '/' },   { "%", 8, '%' },
};
enum { LEVELS = 9 };

static val compared(val a, val b, char what)
{
    bool real = a.is_real || b.is_real;
    int order = real ? (a.real < b.real ? -1 : a.real > b.real)
                     : ((int64_t)a.bits<(int64_t)b.bits ? -1 : (int64_t)a.bits>(int64_t) b.bits);
    bool unordered = real && (a.real != a.real || b.real != b.real);
    switch (what) {
    case '=': return of_int(!unordered && order == 0);
    case '!': return of_int(unordered || order != 0);
    case '<': return of_int(!unordered && order < 0);
    case '>': return of_int(!unordered && order > 0);
    case '[': return of_int(!unordered && order <= 0);
    default: return of_int(!unordered && order >= 0);
    }
}

static val calculated(reader *r, val a, val b, char what)
{
    uint64_t x = a.bits, y = b.bits;
    bool real = (a.is_real || b.is_real) && strchr("+-*/", what);
    if (!real && (a.is_real || b.is_real)) return value_wrong(r, TW_E_TYPE, "'%c' wants whole numbers", what);
    if ((what == '/' || what == '%') && !real && y == 0) return value_wrong(r, TW_E_PARSE, "division by zero");
    if ((what == '/' || what == '%') && !real && y == UINT64_MAX) return of_int(what == '/' ? (int64_t)(0 - x) : 0);
    switch (what) {
    case '+': return real ? of_real(a.real + b.real) : of_int((int64_t)(x + y));
    case '-': return real ? of_real(a.real - b.real) : of_int((int64_t)(x - y));
    case '*': return real ? of_real(a.real * b.real) : of_int((int64_t)(x * y));
    case '/': return real ? of_real(a.real / b.real) : of_int((int64_t)x / (int64_t)y);
    case '%': return of_int((int64_t)x % (int64_t)y);
    case '|': return of_int((int64_t)(x | y));
    case '^': return of_int((int64_t)(x ^ y));
    case '&': return of_int((int64_t)(x & y));
    case 'l': return of_int(y < 64 ? (int64_t)(x << y) : 0);
    default: return of_int((int64_t)x >> (y < 64 ? y : 63));
    }
}

static bool is_true(val v)
{
    return v.is_real ? v.real != 0 : v.bits != 0;
}

static const op_row *operator_at(reader *r, unsigned level)
{
    const char *before = r->at;
    for (size_t i = 0; i < G_N_ELEMENTS(operators); i++) {
        if (!value_takes(r, operators[i].token)) continue;
        if (operators[i].level == level) return &operators[i];
        break;
    }
    r->at = before;
    return NULL;
}

static val at_level(reader *r, unsigned level)
{
    if (level == LEVELS) return value_unary(r);
    val a = at_level(r, level + 1);
    const op_row *op;
    while (!r->failed && (op = operator_at(r, level))) {
        a = value_number(r, a);
        val b = value_number(r, at_level(r, level + 1));
        if (r->failed) return a;
        if (op->what == 'o' || op->what == 'a')
            a = of_int(op->what == 'o' ? is_true(a) || is_true(b) : is_true(a) && is_true(b));
        else
            a = level == 2 ? compared(a, b, op->what) : calculated(r, a, b, op->what);
    }
    return a;
}

static val value_expression(reader *r)
{
    if (++r->depth > 100) return value_wrong(r, TW_E_PARSE, "the expression is nested too deeply");
    val v = at_level(r, 0);
    r->depth--;
    return v;
}

static val all_of(reader *r)
{
    val v = value_expression(r);
    if (!r->failed && value_takes(r, "@")) {
        int64_t n = value_whole(r, at_level(r, 7));
        if (!r->failed && (v.kind != VIEW || v.rank > 1))
            value_wrong(r, TW_E_TYPE, "'@' wants a variable on its left");
        uint32_t size = v.type.size ? v.type.size : 1;
        if (!r->failed && (n < 1 || n > (TW__CSL_PE_BYTES - v.address) / size))
            value_wrong(r, TW_E_INDEX, "%lld elements from address 0x%x on do not lie in a PE", (long long)n,
                        v.address);
        if (!v.rank) v.strides[0] = size;
        v.rank = 1, v.dims[0] = (uint32_t)n;
    }
    value_blanks(r);
    if (!r->failed && *r->at) return value_wrong(r, TW_E_PARSE, "'%s' stands behind the value", r->at);
    return v;
}

static reader value_begin(const tw__wse *w, uint32_t pe, unsigned frame, const char *text)
{
    return (reader){ .w = w, .pe = pe, .frame = frame, .text = text, .at = text };
}

/* --- assignment ----------------------------------------------------------------------------------------------- */

/* Rounded; infinity is no rounding. */
static uint64_t float_bits_for(reader *r, const tw__wse_type *type, double number)
{
    uint64_t bits = tw__wse_float_bits(type->number, number);
    if (isfinite(number) && !isfinite(tw__wse_float(type->number, bits)))
        value_wrong(r, TW_E_OVERFLOW, "%g is no %s", number, type->text);
    return bits;
}

/* The number as a place of the type holds it. Bit patterns of its width are fine, -1 or 0xffff; more is refused. */
static uint64_t bits_for(reader *r, const tw__wse_type *type, val number)
{
    if (!type->text) return (uint64_t)value_whole(r, number); /* a register by its own name: all of it */
    if (tw__wse_is_float(type->number)) return float_bits_for(r, type, number.real);
    int64_t whole = value_whole(r, number);
    unsigned width = 8 * type->size;
    bool fits =
        type->is_bool ? whole == 0 || whole == 1 : width == 64 || whole >> width == 0 || whole >> (width - 1) == -1;
    if (!r->failed && !fits) value_wrong(r, TW_E_OVERFLOW, "%lld is no %s", (long long)whole, type->text);
    return (uint64_t)tw__wse_int(type->number, (uint64_t)whole);
}

/* What stands on the left: memory, or a register. */
static void check_place(reader *r, const val *v)
{
    if (r->failed) return;
    if (v->kind == LOST)
        value_wrong(r, TW_E_TYPE, "'%s' is <optimised out>", r->name ? r->name : "?");
    else if (v->kind != VIEW && !v->reg)
        value_wrong(r, TW_E_TYPE, "'%s' is a value, and no place for another one", r->text);
    else if (v->rank || (v->type.text && v->type.kind != TW__WSE_T_NUMBER && v->type.kind != TW__WSE_T_POINTER))
        value_wrong(r, TW_E_TYPE, "'%s' is %s: numbers, bools and pointers are set, elements one by one", r->text,
                    v->rank ? "an array" : v->type.text);
}

tw_status tw__wse_assign(tw__wse *w, uint32_t pe, unsigned frame, const char *place, const char *value)
{
    reader left = value_begin(w, pe, frame, place), right = value_begin(w, pe, frame, value);
    val to = all_of(&left);
    check_place(&left, &to);
    val number = { .kind = NUMBER };
    if (!left.failed) number = all_of(&right), number = value_number(&right, number);
    uint64_t bits = left.failed || right.failed ? 0 : bits_for(&right, &to.type, number);
    g_free(left.name), g_free(right.name);
    if (left.failed || right.failed) return tw_error_status();
    if (to.kind == VIEW)
        memcpy(w->pe[pe].memory + to.address, &bits, to.type.size);
    else
        w->pe[pe].regs[to.reg - 1] = bits;
    return TW_OK;
}

/* --- text ----------------------------------------------------------------------------------------------------- */

enum { MOST_SHOWN = 200, REPEATS = 10 };

static void put_element(GString *out, const reader *r, const val *v, uint32_t address, char format)
{
    const uint8_t *at = r->w->pe[r->pe].memory + address;
    uint64_t bits =
        v->type.size <= 8 && address + v->type.size <= TW__CSL_PE_BYTES ? value_load(r, address, v->type.size) : 0;
    tw__csl_dsd dsd;
    switch (v->type.kind) {
    case TW__WSE_T_DSD:
        memcpy(&dsd, at, sizeof dsd);
        tw__wse_put_dsd(out, r->w, r->pe, &dsd);
        return;
    case TW__WSE_T_POINTER: g_string_append_printf(out, "(%s) 0x%04x", v->type.text, (unsigned)bits); return;
    case TW__WSE_T_NUMBER:
        if (v->type.is_bool && !format)
            g_string_append(out, bits ? "true" : "false");
        else
            tw__wse_put_number(out, v->type.number, bits, format);
        return;
    default: g_string_append_printf(out, "(%s) at 0x%04x", v->type.text, address); return;
    }
}

static bool same_bytes(const reader *r, const val *v, uint32_t a, uint32_t b)
{
    const uint8_t *memory = r->w->pe[r->pe].memory;
    return memcmp(memory + a, memory + b, v->type.size) == 0;
}

static void put_view(GString *out, const reader *r, const val *v, unsigned d, uint32_t address, char format,
                     unsigned *shown)
{
    if (d == v->rank) {
        ++*shown;
        put_element(out, r, v, address, format);
        return;
    }
    g_string_append_c(out, '{');
    for (uint32_t i = 0; i < v->dims[d];) {
        uint32_t at = address + i * v->strides[d], run = 1;
        if (i) g_string_append(out, ", ");
        if (*shown >= MOST_SHOWN) {
            g_string_append(out, "...");
            break;
        }
        put_view(out, r, v, d + 1, at, format, shown);
        while (d + 1 == v->rank && i + run < v->dims[d] && same_bytes(r, v, at, at + run * v->strides[d])) run++;
        if (run >= REPEATS) g_string_append_printf(out, " <repeats %u times>", run);
        i += run >= REPEATS ? run : 1;
    }
    g_string_append_c(out, '}');
}

static void put_val(GString *out, reader *r, val v, char format)
{
    unsigned shown = 0;
    tw__csl_dsd dsd;
    if (v.kind == LOST) {
        g_string_append(out, "<optimised out>");
    } else if (v.kind == VIEW) {
        put_view(out, r, &v, 0, v.address, format, &shown);
    } else if (v.kind == WORDS && v.type.kind == TW__WSE_T_DSD) {
        memcpy(&dsd, v.words, sizeof dsd);
        tw__wse_put_dsd(out, r->w, r->pe, &dsd);
    } else if (v.kind == WORDS && v.type.kind == TW__WSE_T_POINTER) {
        g_string_append_printf(out, "(%s) 0x%04x", v.type.text, (unsigned)v.words[0] & 0xffff);
    } else if (v.kind == WORDS && v.type.is_bool && !format) {
        g_string_append(out, v.words[0] ? "true" : "false");
    } else if (v.kind == WORDS) {
        tw__wse_put_number(out, v.type.number ? v.type.number : TW_U64, v.words[0], format);
    } else if (v.is_real) {
        char text[G_ASCII_DTOSTR_BUF_SIZE];
        g_string_append(out, g_ascii_dtostr(text, sizeof text, v.real));
    } else {
        tw__wse_put_number(out, TW_I64, v.bits, format);
    }
}

/* Of everything that belongs to the value, also where its text leaves something out. */
static void value_put_bytes(GString *out, const void *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) g_string_append_printf(out, "%02x", ((const uint8_t *)bytes)[i]);
}

static void put_view_bytes(GString *out, const reader *r, const val *v, unsigned d, uint32_t address)
{
    uint32_t size = MIN(v->type.size, TW__CSL_PE_BYTES - MIN(address, TW__CSL_PE_BYTES));
    for (uint32_t i = 0; d < v->rank && i < v->dims[d]; i++)
        put_view_bytes(out, r, v, d + 1, address + i * v->strides[d]);
    if (d == v->rank) value_put_bytes(out, r->w->pe[r->pe].memory + address, size);
}

static void put_val_bytes(GString *out, const reader *r, const val *v)
{
    if (v->kind == VIEW)
        put_view_bytes(out, r, v, 0, v->address);
    else if (v->kind == WORDS)
        value_put_bytes(out, v->words, v->type.kind == TW__WSE_T_DSD ? sizeof v->words : MIN(v->type.size, 8));
    else if (v->kind == NUMBER && v->is_real)
        value_put_bytes(out, &v->real, sizeof v->real);
    else if (v->kind == NUMBER)
        value_put_bytes(out, &v->bits, sizeof v->bits);
}

char *tw__wse_print_value(const tw__wse *w, uint32_t pe, unsigned frame, const char *text, char format)
{
    reader r = value_begin(w, pe, frame, text);
    val v = all_of(&r);
    GString *out = g_string_new(NULL);
    if (!r.failed && format == 'b')
        put_val_bytes(out, &r, &v);
    else if (!r.failed)
        put_val(out, &r, v, format);
    g_free(r.name);
    return g_string_free(out, r.failed);
}

/* "[2, 3]f32", as CSL writes it. */
static void put_type(GString *out, const val *v)
{
    for (unsigned d = 0; d < v->rank; d++) g_string_append_printf(out, "%s%u", d ? ", " : "[", v->dims[d]);
    if (v->rank) g_string_append_c(out, ']');
    g_string_append(out, v->type.text ? v->type.text : v->is_real ? "comptime_float" : "comptime_int");
}

static bool put_type_of(const tw__wse *w, uint32_t pe, unsigned frame, const char *text, bool in_memory,
                        GString *out)
{
    reader r = value_begin(w, pe, frame, text);
    val v = all_of(&r);
    bool good = !r.failed && (!in_memory || v.kind == VIEW);
    if (good) put_type(out, &v);
    g_free(r.name);
    return good;
}

/* An address has the type of what lies there. */
char *tw__wse_print_type(const tw__wse *w, uint32_t pe, unsigned frame, const char *text)
{
    while (g_ascii_isspace(*text)) text++;
    GString *out = g_string_new(*text == '&' ? "*" : "");
    if (*text == '&' && put_type_of(w, pe, frame, text + 1, true, out)) return g_string_free(out, FALSE);
    g_string_truncate(out, 0);
    return g_string_free(out, !put_type_of(w, pe, frame, text, false, out));
}

void tw__wse_put_name(GString *out, const tw__wse *w, uint32_t pe, const tw__wse_name *n, char format)
{
    reader r = value_begin(w, pe, 0, "");
    val v = of_name(&r, n, "");
    if (!r.failed) put_val(out, &r, v, format);
    g_free(r.name);
}

tw_status tw__wse_condition(const tw__wse *w, uint32_t pe, unsigned frame, const char *text, bool *holds)
{
    reader r = value_begin(w, pe, frame, text);
    val v = all_of(&r);
    v = value_number(&r, v);
    g_free(r.name);
    *holds = !r.failed && is_true(v);
    return r.failed ? tw_error_status() : TW_OK;
}
