/* SPDX-License-Identifier: MIT */
/* printf on simulated tiles, and what else code asks a host for: functions of the runtime library that begin with
 * `trap 1` (colossus/cc/rt/print.S). Their arguments lie in $m0 to $m3 and, the variable ones, on
 * the stack, in slots of 4 bytes, those of 64 bits on 8 (docs/colossus-compiler.md). */
#include "core/base/kept_error.h"
#include "poplar/colossus/sim/sim.h"

#include <limits.h>
#include <string.h>

enum { PRINT_STACK = 11, PRINT_MOST = 4096 }; /* columns of a width or precision */

typedef struct served {
    tw_sim *sim;
    unsigned context;
    uint32_t slot; /* address of the next variable argument */
    GString *out;
} served;

static uint64_t print_take(served *p, unsigned bytes)
{
    uint64_t value = 0;
    p->slot = (p->slot + bytes - 1) & ~(bytes - 1);
    tw_sim_read(p->sim, p->slot, &value, bytes); /* 0 where there is no memory */
    p->slot += bytes;
    return value;
}

/* A text of the tile, which ends with its memory at the latest; at most so many bytes of it. */
static char *print_text(served *p, uint32_t address, unsigned most)
{
    GString *text = g_string_new(NULL);
    for (char c; text->len < most && tw_sim_read(p->sim, address, &c, 1) == TW_OK && c; address++)
        g_string_append_c(text, c);
    return g_string_free(text, FALSE);
}

/* Digits of a width or precision, or an argument for '*'. */
static const char *print_number(served *p, const char *at, int *number)
{
    if (*at == '*') {
        int given = (int32_t)print_take(p, 4);
        *number = CLAMP(given, -PRINT_MOST, PRINT_MOST);
        return at + 1;
    }
    for (*number = 0; g_ascii_isdigit(*at); at++) *number = MIN(*number * 10 + (*at - '0'), PRINT_MOST);
    return at;
}

/* `form` is a specification of our own making: flags, width, precision; the length that `value` needs. */

static void print_integer(served *p, GString *form, char kind, unsigned bytes)
{
    uint64_t value = print_take(p, bytes > 4 ? 8 : 4);
    unsigned unused = 64 - 8 * bytes;
    bool is_signed = kind == 'd' || kind == 'i';
    if (is_signed)
        value = (uint64_t)((int64_t)(value << unused) >> unused);
    else
        value = value << unused >> unused;
    g_string_append_printf(form, "ll%c", kind);
    g_string_append_printf(p->out, form->str, (long long)value);
}

static void print_other(served *p, GString *form, char kind, int precision)
{
    g_string_append_c(form, kind);
    if (kind == 'c') {
        g_string_append_printf(p->out, form->str, (int)print_take(p, 4));
    } else if (kind == 's') {
        unsigned most = precision >= 0 ? (unsigned)precision : UINT_MAX;
        g_autofree char *text = print_text(p, (uint32_t)print_take(p, 4), most);
        g_string_append_printf(p->out, form->str, text);
    } else {
        uint64_t bits = print_take(p, 8);
        double value;
        memcpy(&value, &bits, sizeof value);
        g_string_append_printf(p->out, form->str, value);
    }
}

/* %n: the tile's integer of so many bytes is how much has been printed. */
static void print_count(served *p, unsigned bytes)
{
    uint64_t count = p->out->len;
    tw_sim_write(p->sim, (uint32_t)print_take(p, 4), &count, bytes); /* nothing where there is no memory */
}

/* From behind a '%'; returns what follows. What is no conversion stays as it is written. */
static const char *print_conversion(served *p, const char *at)
{
    g_autoptr(GString) form = g_string_new("%");
    const char *start = at;
    int width = 0, precision = -1;
    unsigned bytes = 4;
    for (; *at && strchr("-+ #0", *at); at++)
        if (form->len < 8) g_string_append_c(form, *at);
    at = print_number(p, at, &width);
    if (width) g_string_append_printf(form, "%d", width);
    if (*at == '.') {
        at = print_number(p, at + 1, &precision);
        if (precision >= 0) g_string_append_printf(form, ".%d", precision);
    }
    for (; *at && strchr("hlqjztL", *at); at++) {
        if (*at == 'h') bytes /= 2;
        if (*at == 'q' || *at == 'j' || (*at == 'l' && at[1] == 'l')) bytes = 8;
    }
    char kind = *at;
    if (!kind) return g_string_append_c(p->out, '%'), g_string_append(p->out, start), at;
    if (kind == '%')
        g_string_append_c(p->out, '%');
    else if (kind == 'p')
        g_string_append_printf(p->out, "0x%x", (uint32_t)print_take(p, 4));
    else if (strchr("diouxX", kind))
        print_integer(p, form, kind, MAX(bytes, 1));
    else if (strchr("csfFeEgGaA", kind))
        print_other(p, form, kind, precision);
    else if (kind == 'n')
        print_count(p, MAX(bytes, 1));
    else
        g_string_append_c(p->out, '%'), g_string_append_len(p->out, start, at + 1 - start);
    return at + 1;
}

static void print_format(served *p, uint32_t address)
{
    g_autofree char *format = print_text(p, address, UINT_MAX);
    p->slot = tw_sim_get_m(p->sim, p->context, PRINT_STACK);
    for (const char *at = format; *at;) {
        if (*at == '%')
            at = print_conversion(p, at + 1);
        else
            g_string_append_c(p->out, *at++);
    }
}

/* What the function `name` has been called for; false: it is none of ours. */
static bool print_call(served *p, const char *name, uint32_t *result)
{
    uint32_t m[4];
    for (unsigned i = 0; i < 4; i++) m[i] = tw_sim_get_m(p->sim, p->context, i);
    if (strcmp(name, "printf") == 0) {
        print_format(p, m[0]);
    } else if (strcmp(name, "puts") == 0) {
        g_autofree char *text = print_text(p, m[0], UINT_MAX);
        g_string_append_printf(p->out, "%s\n", text);
    } else if (strcmp(name, "putchar") == 0) {
        g_string_append_c(p->out, (char)m[0]);
    } else if (strcmp(name, "__assert_fail") == 0) {
        g_autofree char *what = print_text(p, m[0], UINT_MAX), *file = print_text(p, m[1], UINT_MAX);
        g_string_append_printf(p->out, "%s:%u: assertion '%s' failed\n", file, m[2], what);
    } else {
        return false;
    }
    *result = strcmp(name, "putchar") == 0 ? m[0] & 255 : (uint32_t)p->out->len;
    return true;
}

static bool print_for_context(tw_sim *sim, const tw__sim_context *w, GString *out)
{
    const char *name = "";
    uint32_t offset = 1, result = 0, pc = w->pc;
    if (w->cause != TW_SIM_CAUSE_TRAP1 || !tw_sim_symbol_at(sim, pc, &name, &offset) || offset) return false;
    served p = { .sim = sim, .context = w->number, .out = g_string_new(NULL) };
    bool is_known = print_call(&p, name, &result);
    if (is_known) {
        if (out) g_string_append_len(out, p.out->str, (gssize)p.out->len);
        tw_sim_set_m(sim, p.context, 0, result);
        tw_sim_set_pc(sim, p.context, pc + 4);
    }
    g_string_free(p.out, TRUE);
    return is_known;
}

/* The context that has stopped first of those that have not been looked at; NULL: none. */
static const tw__sim_context *next_stopped(const tw_sim *sim, unsigned looked_at)
{
    const tw__sim_context *next = NULL;
    for (unsigned i = 0; i < TW_SIM_CONTEXTS; i++) {
        const tw__sim_context *c = &sim->contexts[i];
        if (c->state != TW_SIM_EXCEPTED || looked_at >> i & 1) continue;
        if (!next || tw__sim_cycle_now(c) < tw__sim_cycle_now(next)) next = c;
    }
    return next;
}

bool tw__sim_serve(tw_sim *sim, GString *out)
{
    tw__kept_error *kept = tw__error_keep();
    const tw__sim_context *w;
    bool is_done = false;
    for (unsigned looked_at = 0; (w = next_stopped(sim, looked_at)); looked_at |= 1u << w->number)
        if (print_for_context(sim, w, out)) is_done = true;
    tw__error_put_back(kept);
    return is_done && (!sim->has_exception || sim->options.keep_going);
}

bool tw_sim_serve(tw_sim *sim, FILE *out)
{
    if (!sim) return false;
    GString *text = g_string_new(NULL);
    bool is_done = tw__sim_serve(sim, text);
    if (out) fwrite(text->str, 1, text->len, out);
    g_string_free(text, TRUE);
    return is_done;
}
