/* SPDX-License-Identifier: MIT */
/* output: what a program tells its user: tprint, print, trap. */
#include "pto/text/ops/ops.h"
#include "core/base/text_file.h"
#include "pto/exec/exec.h"

#include <inttypes.h>
#include <stdlib.h>

static tw_status run_print_tile(tw__as_run *run, const tw__as_code *code)
{
    tw_status status = tw__as_need_tile(run, code, 0);
    if (status != TW_OK) return status;
    tw_pto_tile *t = &tw__as_operand(run, code, 0)->wide->tile;
    if (!tw_pto_data(run->core, t)) return TW_E_TILE_MEMORY;
    if (run->out) tw__pto_print_tile(run->out, run->core, t, 64, 64);
    return TW_OK;
}

/* `spec` ends in ll and the letter, or in c. */
static void print_integer(FILE *out, const char *spec, char letter, long long value)
{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    letter == 'c' ? fprintf(out, spec, (int)value) : fprintf(out, spec, value);
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
    const char *dot = strchr(spec, '.');
    long width = strtol(spec + strspn(spec, "%-+ #0"), NULL, 10), precision = dot ? strtol(dot + 1, NULL, 10) : 0;
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

/* What a format and its values say; values that are left over follow, as does a line end. */
static void print_all(FILE *out, const char *format, tw__as_run *run, const tw__as_code *code)
{
    unsigned next = 0;
    char last = 0;
    const char *end = format ? format + strlen(format) - 1 : NULL;
    for (const char *c = format ? format + 1 : NULL; c && c < end;) {
        last = *c;
        if (*c == '\\' && c + 1 < end) {
            last = (char)(c[1] == 'n' ? '\n' : c[1] == 't' ? '\t' : c[1]);
            fputc(last, out);
            c += 2;
        } else if (*c == '%' && c[1] == '%') {
            fputc('%', out);
            c += 2;
        } else if (*c == '%' && next < code->count) {
            const char *after = print_one(out, c, tw__as_operand(run, code, next));
            next += after != NULL;
            c = after ? after : c + 1;
        } else {
            fputc(*c, out);
            c++;
        }
    }
    bool rest = next < code->count;
    for (bool first = format == NULL; next < code->count; next++, first = false) {
        if (!first && last != ' ' && last) fputc(' ', out);
        print_plain(out, tw__as_operand(run, code, next));
        last = '0';
    }
    if (rest || last != '\n') fputc('\n', out);
}

/* pto.print ins("format", values). Programs are untrusted: a terminal shows what they print and obeys none of it. */
static tw_status run_print(tw__as_run *run, const tw__as_code *code)
{
    tw__text_file file;
    size_t size = 0;
    if (!run->out) return TW_OK;
    FILE *memory = tw__text_open(&file);
    if (!memory) return tw__fail(TW_E_NO_MEMORY, "no memory for what pto.print says");
    print_all(memory, code->more->format, run, code);
    char *text = tw__text_close(&file, &size);
    if (text) tw_print_text(run->out, text, size, "\n\t");
    bool good = text != NULL;
    free(text);
    return good ? TW_OK : tw__fail(TW_E_NO_MEMORY, "no memory for what pto.print says");
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
