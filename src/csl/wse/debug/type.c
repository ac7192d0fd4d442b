/* SPDX-License-Identifier: MIT */
/* type: a type as the image spells it, and how the bits of one are shown. */
#include "csl/wse/debug/value.h"

#include <stdlib.h>
#include <string.h>

/* The rest behind "const ". */
static const char *without_const(const char *text)
{
    return g_str_has_prefix(text, "const ") ? text + 6 : text;
}

/* "[4,4]" of an array; false: it is not one. */
static bool read_dims(const char *text, tw__wse_type *t)
{
    const char *at = text + 1;
    while (t->rank < TW__WSE_RANK) {
        char *end;
        unsigned long n = g_ascii_isdigit(*at) ? strtoul(at, &end, 10) : 0;
        if (!g_ascii_isdigit(*at) || n > TW__CSL_PE_BYTES || (*end != ',' && *end != ']')) return false;
        t->dims[t->rank++] = (uint32_t)n;
        at = end + 1;
        if (*end == ']') break;
    }
    t->base = at;
    return true;
}

static tw_type int_type(const char *text)
{
    static const tw_type types[2][4] = { { TW_U8, TW_U16, TW_U32, TW_U64 }, { TW_I8, TW_I16, TW_I32, TW_I64 } };
    char *end;
    if ((*text != 'i' && *text != 'u') || !g_ascii_isdigit(text[1])) return TW_TYPE_NONE;
    unsigned long bits = strtoul(text + 1, &end, 10);
    if (*end || bits > 64) return TW_TYPE_NONE;
    return types[*text == 'i'][bits <= 8 ? 0 : bits <= 16 ? 1 : bits <= 32 ? 2 : 3];
}

void tw__wse_read_type(const char *text, tw__wse_type *t)
{
    static const char *const words[] = { "color",           "data_task_id", "local_task_id",
                                         "control_task_id", "input_queue",  "output_queue",
                                         "ut_id",           "direction",    "bool" };
    *t = (tw__wse_type){ .text = text, .kind = TW__WSE_T_RAW };
    tw_type number = tw_type_by_name(text);
    if (!number) number = int_type(text);
    for (size_t i = 0; i < G_N_ELEMENTS(words) && !number; i++)
        if (strcmp(text, words[i]) == 0) number = TW_U16;
    if (strcmp(text, "comptime_int") == 0) number = TW_I64;
    t->is_bool = strcmp(text, "bool") == 0;
    if (number) {
        t->kind = TW__WSE_T_NUMBER, t->number = number, t->size = (uint32_t)tw_type_size(number);
    } else if (*text == '*' || g_str_has_prefix(text, "[*]")) {
        t->kind = TW__WSE_T_POINTER, t->number = TW_U16, t->size = 2;
        t->base = without_const(text + (*text == '*' ? 1 : 3));
        t->many = *text == '[';
    } else if (g_str_has_suffix(text, "_dsd") && !strchr(text, '{')) {
        t->kind = TW__WSE_T_DSD, t->size = sizeof(tw__csl_dsd);
    } else if (*text == '[' && read_dims(text, t)) {
        tw__wse_type element;
        tw__wse_read_type(t->base, &element);
        t->kind = TW__WSE_T_ARRAY;
        t->size = element.size;
        for (unsigned d = 0; d < t->rank; d++) t->size = t->dims[d] ? t->size * t->dims[d] : 0;
    }
}

/* --- text ----------------------------------------------------------------------------------------------------- */

static void put_binary(GString *out, uint64_t bits)
{
    int top = bits ? 63 - __builtin_clzll(bits) : 0;
    for (int k = top; k >= 0; k--) g_string_append_c(out, bits >> k & 1 ? '1' : '0');
}

static void put_float(GString *out, tw_type type, uint64_t bits)
{
    double value = tw__wse_float(type, bits);
    unsigned digits = type == TW_F32 ? 9 : 6;
    for (unsigned d = 6; d <= digits; d++) { /* the shortest that reads back, and no "1e+01" */
        char text[48];
        g_ascii_formatd(text, sizeof text, (char[]){ '%', '.', (char)('0' + d), 'g', 0 }, value);
        if (d < digits && tw__wse_float_bits(type, g_ascii_strtod(text, NULL)) != bits) continue;
        g_string_append(out, text);
        break;
    }
}

bool tw__wse_is_float(tw_type type)
{
    return type == TW_F16 || type == TW_BF16 || type == TW_CB16 || type == TW_F32;
}

double tw__wse_float(tw_type type, uint64_t bits)
{
    double value = 0;
    uint32_t low = (uint32_t)bits;
    uint16_t half = (uint16_t)bits;
    tw_convert(TW_F64, &value, type, type == TW_F32 ? (const void *)&low : &half, (tw_convert_mode){ 0 }, 0);
    return value;
}

uint64_t tw__wse_float_bits(tw_type type, double value)
{
    uint32_t low = 0;
    uint16_t half = 0;
    tw_convert(type, type == TW_F32 ? (void *)&low : &half, TW_F64, &value, (tw_convert_mode){ 0 }, 0);
    return type == TW_F32 ? low : half;
}

int64_t tw__wse_int(tw_type type, uint64_t bits)
{
    unsigned unused = 64 - 8 * (unsigned)tw_type_size(type);
    bool is_signed = type == TW_I8 || type == TW_I16 || type == TW_I32 || type == TW_I64;
    return is_signed ? (int64_t)(bits << unused) >> unused : (int64_t)(bits << unused >> unused);
}

void tw__wse_put_number(GString *out, tw_type type, uint64_t bits, char format)
{
    int64_t value = tw__wse_int(type, bits);
    uint64_t raw = (uint64_t)value & (UINT64_MAX >> (64 - 8 * tw_type_size(type)));
    bool is_float = tw__wse_is_float(type), is_signed = value < 0;
    switch (format) {
    case 'x': g_string_append_printf(out, "0x%llx", (unsigned long long)raw); return;
    case 't': put_binary(out, raw); return;
    case 'u': g_string_append_printf(out, "%llu", (unsigned long long)raw); return;
    case 'c':
        g_string_append_printf(out, "%u '%c'", (unsigned)raw, g_ascii_isprint((int)(raw & 127)) ? (int)raw : '?');
        return;
    case 'd': is_float = false; break;
    case 'f':
        is_float = true, type = tw_type_size(type) == 2 && !tw__wse_is_float(type) ? TW_F16
                                : type == TW_U32 || type == TW_I32                 ? TW_F32
                                                                                   : type;
        break;
    default: break;
    }
    if (is_float && tw__wse_is_float(type))
        put_float(out, type, raw);
    else if (is_signed)
        g_string_append_printf(out, "%lld", (long long)value);
    else
        g_string_append_printf(out, "%llu", (unsigned long long)raw);
}
