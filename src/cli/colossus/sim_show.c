/* SPDX-License-Identifier: MIT */
/* What the interactive mode shows of a tile: places with their source, registers, memory, instructions. */
#include "cli/colossus/sim.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <tilewright/type.h>

const char *tw__sim_context_name(unsigned context)
{
    static char name[32];
    if (context == TW_SIM_SUPERVISOR) return "the supervisor";
    snprintf(name, sizeof name, "worker %u", context);
    return name;
}

/* --- sources ---------------------------------------------------------------------------------------------------- */

static char **source(tw__sim_session *s, const char *file)
{
    gpointer known;
    if (g_hash_table_lookup_extended(s->sources, file, NULL, &known)) return known;
    g_autofree char *text = NULL;
    char **lines = g_file_get_contents(file, &text, NULL, NULL) ? g_strsplit(text, "\n", -1) : NULL;
    g_hash_table_insert(s->sources, g_strdup(file), lines);
    return lines;
}

const char *tw__sim_source_line(tw__sim_session *s, const char *file, uint32_t line)
{
    char **lines = source(s, file);
    return lines && line && line <= g_strv_length(lines) ? lines[line - 1] : NULL;
}

/* "<f+4>", or nothing. */
static void sim_show_name_of(const tw__sim_session *s, uint32_t at, char *buf, size_t size)
{
    const char *name;
    uint32_t offset;
    *buf = 0;
    if (!tw_sim_symbol_at(s->sim, at, &name, &offset)) return;
    if (offset)
        snprintf(buf, size, " <%.80s+%u>", name, offset);
    else
        snprintf(buf, size, " <%.80s>", name);
}

void tw__sim_show_address(tw__sim_session *s, unsigned context, uint32_t at)
{
    const char *name = NULL, *text;
    char buf[200];
    const tw_object_line *l = tw_sim_place_at(s->sim, at);
    if (context) printf("[%s] ", tw__sim_context_name(context));
    name = tw__source_function(s, at, buf, sizeof buf);
    if (!name && !tw_sim_symbol_at(s->sim, at, &name, NULL)) name = "??";
    printf("0x%05x in %s ()", at, name);
    if (l) printf(" at %s:%u", l->file, l->line);
    if (l && l->column) printf(":%u", l->column);
    putchar('\n');
    if (l && (text = tw__sim_source_line(s, l->file, l->line))) printf("%u\t%s\n", l->line, text);
    tw__sim_show_code(s, at, at + 1, tw_sim_get_pc(s->sim, context));
}

void tw__sim_show_place(tw__sim_session *s, unsigned context)
{
    tw__sim_show_address(s, context, tw_sim_get_pc(s->sim, context));
}

void tw__sim_show_code(tw__sim_session *s, uint32_t at, uint32_t end, uint32_t pc)
{
    char text[2 * TW_INSN_TEXT], name[100];
    while (at < end) {
        sim_show_name_of(s, at, name, sizeof name);
        tw_sim_text_at(s->sim, at, text);
        uint32_t word = 0;
        if (!*text && tw_sim_read(s->sim, at, &word, 4) != TW_OK) break;
        if (!*text) snprintf(text, sizeof text, ".long 0x%08x", GUINT32_FROM_LE(word));
        printf("%s 0x%05x%s:\t%s\n", at == pc ? "=>" : "  ", at, name, text);
        at += *text == '{' ? 8 : 4;
    }
}

/* --- values ----------------------------------------------------------------------------------------------------- */

static float single_of(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, 4);
    return f;
}

static double half_of(uint32_t bits)
{
    return (double)tw_f16_to_f32((uint16_t)bits);
}

/* Digits that give the same number again. */
static void show_single(double v)
{
    for (int digits = 6; digits <= 9; digits++) {
        char text[40];
        snprintf(text, sizeof text, "%.*g", digits, v);
        if (digits < 9 && (float)g_ascii_strtod(text, NULL) != (float)v && v == v) continue;
        fputs(text, stdout);
        return;
    }
}

static void show_binary(uint64_t v, unsigned bits)
{
    int top = (int)bits - 1;
    while (top > 0 && !(v >> top & 1)) top--;
    for (; top >= 0; top--) putchar('0' + (int)(v >> top & 1));
}

static void show_char(uint32_t v)
{
    int c = (int)(v & 0xff);
    if (c == '\'' || c == '\\')
        printf("%d '\\%c'", c, c);
    else if (isprint(c))
        printf("%d '%c'", c, c);
    else
        printf("%d '\\%03o'", c, (unsigned)c);
}

/* `bytes` bytes of a value in one of gdb's formats. */
static void show_bits(const tw__sim_session *s, uint64_t v, unsigned bytes, char format)
{
    unsigned bits = 8 * bytes;
    char name[100];
    double d;
    switch (format) {
    case 'd': printf("%" PRId64, (int64_t)(v << (64 - bits)) >> (64 - bits)); break;
    case 'u': printf("%" PRIu64, v); break;
    case 'o': printf(v ? "0%" PRIo64 : "%" PRIo64, v); break;
    case 't': show_binary(v, bits); break;
    case 'c': show_char((uint32_t)v); break;
    case 'a':
        sim_show_name_of(s, (uint32_t)v, name, sizeof name);
        printf("0x%" PRIx64 "%s", v, name);
        break;
    case 'h': printf("{%g, %g}", half_of((uint32_t)v & 0xffff), half_of((uint32_t)v >> 16)); break;
    case 'f':
        memcpy(&d, &v, 8);
        if (bytes == 8)
            printf("%.17g", d);
        else if (bytes == 2)
            printf("%g", half_of((uint32_t)v));
        else if (bytes == 4)
            show_single((double)single_of((uint32_t)v));
        else
            printf("%" PRId64, (int64_t)(int8_t)v);
        break;
    default: printf("0x%0*" PRIx64, (int)(2 * bytes), v); break;
    }
}

void tw__sim_show_value(const tw__sim_session *s, const tw__sim_value *value, char format)
{
    if (value->count > 1) putchar('{');
    for (unsigned i = 0; i < value->count; i++) {
        if (i) printf(", ");
        uint32_t word = value->words[i];
        if (format == 'x')
            printf("0x%x", word);
        else if (format)
            show_bits(s, word, 4, format);
        else if (value->is_float)
            printf("0x%08x (", word), show_bits(s, word, 4, 'f'), putchar(')');
        else
            printf("%d (0x%x)", (int32_t)word, word);
    }
    if (value->count > 1) putchar('}');
    putchar('\n');
}

void tw__sim_show_registers(const tw__sim_session *s, unsigned context)
{
    static const char *const names[] = { [8] = "bp", "fp", "lr", "sp", "mworker_base", "mvertex_base" };
    for (unsigned i = 0; i < 14; i++) {
        uint32_t v = tw_sim_get_m(s->sim, context, i);
        char name[100];
        sim_show_name_of(s, v, name, sizeof name);
        printf("m%-3u %-13s 0x%-10x %d%s\n", i, i >= 8 ? names[i] : "", v, (int32_t)v, name);
    }
    for (unsigned i = 0; i < 8 && context != TW_SIM_SUPERVISOR; i++) {
        uint32_t v = tw_sim_get_a(s->sim, context, i);
        printf("a%-3u %-13s 0x%-10x ", i, "", v);
        show_bits(s, v, 4, 'f'), putchar(' '), show_bits(s, v, 4, 'h'), putchar('\n');
    }
    char name[100];
    uint32_t pc = tw_sim_get_pc(s->sim, context);
    sim_show_name_of(s, pc, name, sizeof name);
    printf("pc   %-13s 0x%-10x%s\n", "", pc, name);
}

/* --- memory ----------------------------------------------------------------------------------------------------- */

static unsigned sim_show_bytes_of(char size)
{
    return size == 'b' ? 1 : size == 'h' ? 2 : size == 'g' ? 8 : 4;
}

static bool show_text(tw__sim_session *s, uint32_t *at)
{
    char c;
    putchar('"');
    for (unsigned n = 0; n < 200; n++) {
        if (tw_sim_read(s->sim, (*at)++, &c, 1) != TW_OK) return false;
        if (!c) break;
        if (isprint((unsigned char)c) && c != '"' && c != '\\')
            putchar(c);
        else
            printf("\\%03o", (unsigned char)c);
    }
    puts("\"");
    return true;
}

bool tw__sim_show_memory(tw__sim_session *s, unsigned context, unsigned count, char format, char size, uint32_t *at,
                         char **error)
{
    unsigned bytes = format == 'c' ? 1 : sim_show_bytes_of(size), row = bytes == 8 ? 2 : bytes == 4 ? 4 : 8;
    char name[100], text[2 * TW_INSN_TEXT];
    for (unsigned i = 0; i < count; i++) {
        bool alone = format == 'i' || format == 's', good = true;
        if (format == 'i') {
            tw__sim_show_code(s, *at, *at + 1, tw_sim_get_pc(s->sim, context));
            *at += *tw_sim_text_at(s->sim, *at, text) == '{' ? 8 : 4;
            continue;
        }
        if (alone || i % row == 0) {
            sim_show_name_of(s, *at, name, sizeof name);
            printf("%s0x%05x%s:", i && !alone ? "\n" : "", *at, name);
        }
        putchar('\t');
        uint64_t v = 0;
        if (format == 's')
            good = show_text(s, at);
        else
            good = tw_sim_read(s->sim, *at, &v, bytes) == TW_OK;
        if (!good) {
            putchar('\n');
            *error = g_strdup(tw_error_message());
            return false;
        }
        if (format != 's') show_bits(s, GUINT64_FROM_LE(v), bytes, format), *at += bytes;
    }
    if (format != 'i' && format != 's' && count) putchar('\n');
    return true;
}
