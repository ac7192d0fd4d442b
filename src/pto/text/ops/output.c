/* output: what a program tells its user: tprint, print, trap. */
#include "pto/text/bind/op_rules.h"

#include <inttypes.h>

static tw_status run_print_tile(tw__as_run *run, const tw__as_code *code)
{
    tw_status status = tw__as_need_tile(run, code, 0);
    if (status != TW_OK) return status;
    tw_pto_tile *t = &tw__as_operand(run, code, 0)->wide->tile;
    if (!tw_pto_data(run->core, t)) return TW_E_TILE_MEMORY;
    if (run->out) tw__pto_print_tile(run->out, run->core, t, 64, 64);
    return TW_OK;
}

/* Programs are untrusted, and what a terminal takes for a command is one: control characters but line end and tab are
 * printed as \x1b, those of the second set (two bytes in UTF-8, the first is c2) by their second byte. */
static void put(FILE *out, unsigned char c, unsigned char before)
{
    bool control = (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f || (c >= 0x80 && c < 0xa0 && before == 0xc2);
    if (control)
        fprintf(out, "\\x%02x", c);
    else
        fputc(c, out);
}

/* `spec` ends in ll and the letter, or in c. */
static void print_integer(FILE *out, const char *spec, char letter, long long value)
{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    if (letter != 'c')
        fprintf(out, spec, value);
    else if ((unsigned char)value >= 0x80 || !g_ascii_iscntrl((char)value))
        fprintf(out, spec, (int)value);
    else
        put(out, (unsigned char)value, 0);
#pragma GCC diagnostic pop
}

/* One conversion of a format as in C: flags, width and precision are kept, the length is ours. Returns what follows
 * it, NULL when it is none (then a % is printed). */
static const char *print_one(FILE *out, const char *at, const tw__as_cell *cell)
{
    char spec[40] = "%";
    size_t n = 1;
    const tw_pto_scalar *s = &cell->scalar;
    for (at++; *at && strchr("-+ #0123456789.", *at) && n < 20; at++) spec[n++] = *at;
    while (*at && strchr("hlzjt", *at)) at++;
    const char letter = *at;
    int width = 0, precision = -1;
    sscanf(spec + strspn(spec, "%-+ #0"), "%d", &width);
    if (strchr(spec, '.')) sscanf(strchr(spec, '.') + 1, "%d", &precision);
    if (width > 512 || precision > 512 || !letter || !strchr("diouxXeEfFgGc", letter)) return fputc('%', out), NULL;
    if (strchr("eEfFgG", letter)) {
        g_snprintf(spec + n, sizeof spec - n, "%c", letter);
        char text[1200];
        fputs(g_ascii_formatd(text, sizeof text, spec, tw_type_load(s->type, &s->bits)), out);
        return at + 1;
    }
    g_snprintf(spec + n, sizeof spec - n, letter == 'c' ? "c" : "ll%c", letter);
    long long value = tw__is_float(s->type)    ? (long long)tw_type_load(s->type, &s->bits)
                      : strchr("uoxX", letter) ? (long long)tw__as_natural(cell)
                                               : (long long)tw__as_integer(cell);
    print_integer(out, spec, letter, value);
    return at + 1;
}

static void print_plain(FILE *out, const tw__as_cell *cell)
{
    const tw_pto_scalar *s = &cell->scalar;
    if (tw__is_float(s->type))
        fprintf(out, "%.9g", tw_type_load(s->type, &s->bits));
    else if (tw_type_get(s->type)->is_signed)
        fprintf(out, "%" PRId64, tw__as_integer(cell));
    else
        fprintf(out, "%" PRIu64, tw__as_natural(cell));
}

/* pto.print ins("format", values): a value for each conversion; values that are left over follow, as does a line end.
 * */
static tw_status run_print(tw__as_run *run, const tw__as_code *code)
{
    const char *format = code->more->format;
    unsigned next = 0;
    unsigned char last = 0;
    if (!run->out) return TW_OK;
    const char *end = format ? format + strlen(format) - 1 : NULL;
    for (const char *c = format ? format + 1 : NULL; c && c < end;) {
        const unsigned char before = last;
        last = (unsigned char)*c;
        if (*c == '\\' && c + 1 < end) {
            last = c[1] == 'n' ? '\n' : c[1] == 't' ? '\t' : (unsigned char)c[1];
            put(run->out, last, before);
            c += 2;
        } else if (*c == '%' && c[1] == '%') {
            fputc('%', run->out);
            c += 2;
        } else if (*c == '%' && next < code->count) {
            const char *after = print_one(run->out, c, tw__as_operand(run, code, next));
            next += after != NULL;
            c = after ? after : c + 1;
        } else {
            put(run->out, last, before);
            c++;
        }
    }
    bool rest = next < code->count;
    for (bool first = format == NULL; next < code->count; next++, first = false) {
        if (!first && last != ' ' && last) fputc(' ', run->out);
        print_plain(run->out, tw__as_operand(run, code, next));
        last = '0';
    }
    if (rest || last != '\n') fputc('\n', run->out);
    return TW_OK;
}

static bool bind_print(tw__as_binder *b, const tw__as_op *op, tw__as_parts *p, tw__as_code *code, tw__as_type *type)
{
    const tw__as_item *format = NULL;
    (void)type;
    for (unsigned i = 0; i < p->nameds; i++) {
        if (p->named[i]->kind != TW__AS_STRING || format)
            return tw__as_refuse(b, p->named[i], op, "pto.operands", "%s takes one string and numbers", op->name),
                   false;
        format = p->named[i];
        code->more->format = tw__arena_strdup(b->m->arena, format->text);
        if (!code->more->format) return b->failed = b->m->no_memory = true, false;
    }
    unsigned wanted = 0;
    for (const char *c = format ? format->text : NULL; c && *c; c++) {
        if (*c != '%') continue;
        const char *letter = c + 1 + strspn(c + 1, "-+ #0123456789.hlzjt");
        if (*letter && strchr("diouxXeEfFgGc", *letter)) wanted++;
        if (c[1] == '%') c++;
    }
    if (wanted <= p->ins) return true;
    return tw__as_refuse(b, format, op, "pto.operands", "the format wants %u value%s, there %s %u", wanted,
                         wanted == 1 ? "" : "s", p->ins == 1 ? "is" : "are", p->ins),
           false;
}

static tw_status run_trap(tw__as_run *run, const tw__as_code *code)
{
    (void)run;
    return tw__fail(TW_E_APPLICATION, "%s: the program stopped itself", code->op->name);
}

const tw__as_host tw__as_output_ops[] = {
    // clang-format off
    { "pto.tprint", run_print_tile, 0, TW__GIVES_NOTHING, 1, 1, "t", NULL, "", "0", NULL, NULL,
      "pto.tprint ins(%t : tile)" },
    { "pto.print", run_print, 0, TW__GIVES_NOTHING, 0, 32, "n", NULL, NULL, NULL, bind_print, NULL, NULL },
    { "pto.trap", run_trap, 0, TW__GIVES_NOTHING, 0, 0, NULL, NULL, "", "", NULL, NULL,
      "pto.trap" },
    { 0 }
    // clang-format on
};
