/* SPDX-License-Identifier: MIT */
/* Names of AI Engine types: the list, and a parser that says which field of a wrong name is wrong.
 *
 * The rows come from the lists of <tilewright/aie/types.h>, so a name parses exactly when the header declares it.
 * Convention and rules: UG1079, vector data types; docs/aie.md. */
#include "aie/type_names.h"
#include <tilewright/aie/types.h>

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct row {
    unsigned lanes;
    const char *element;
    unsigned lane_bits;
    tw_aie_use use;
} row;

#define ARITH(lanes, element, bits)  { lanes, #element, bits, TW_AIE_ARITHMETIC },
#define EXTRA(lanes, element, bits)  { lanes, #element, bits, TW_AIE_EXTRA_ONLY },
#define ACC48(lanes, element, parts) { lanes, #element, 48 * (parts), TW_AIE_ARITHMETIC },
#define ACC80(lanes, element, parts) { lanes, #element, 80 * (parts), TW_AIE_ARITHMETIC },
#define SCALAR(element, bits)        { 0, #element, bits, TW_AIE_ARITHMETIC },
#define ALIAS(lanes, element, bits)  { lanes, #element, bits, TW_AIE_ALIAS },
// clang-format off
static const row rows[] = {
    SCALAR(int8, 8) SCALAR(uint8, 8) SCALAR(int16, 16) SCALAR(uint16, 16) SCALAR(int32, 32) SCALAR(uint32, 32)
    SCALAR(int64, 64) SCALAR(uint64, 64) SCALAR(float, 32) SCALAR(cint16, 32) SCALAR(cint32, 64) SCALAR(cint64, 128)
    SCALAR(cfloat, 64)
    TW_AIE_REAL_LIST(ARITH) TW_AIE_REAL_EXTRA_LIST(EXTRA)
    TW_AIE_STRUCT_LIST(ARITH) TW_AIE_STRUCT_EXTRA_LIST(EXTRA)
    TW_AIE_ACC48_LIST(ACC48) TW_AIE_ACC80_LIST(ACC80)
    ALIAS(4, accfloat, 32) ALIAS(8, accfloat, 32) ALIAS(16, accfloat, 32)
    ALIAS(2, caccfloat, 64) ALIAS(4, caccfloat, 64) ALIAS(8, caccfloat, 64)
};
// clang-format on
enum { ROWS = sizeof rows / sizeof *rows };

static const unsigned widths[] = { 128, 256, 512, 1024 };
static const char *const registers[] = { "V (128 bits)", "W (256 bits)", "X (512 bits)", "Y (1024 bits)" };
#define LEGAL_ACCUMULATORS \
    "v8acc48, v16acc48, v4cacc48, v8cacc48, v4acc80, v8acc80, v2cacc80 and v4cacc80 are the accumulators"

/* What the next generation has and this one has not (UG1603; docs/aie.md). */
#define IS_ML "AIE-ML type; this is AIE, the first generation"

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Elements wider than the arithmetic units, and cint8: load, store and cast only (docs/aie.md, decision on cint8). */
static bool only_stored(const char *element)
{
    static const char *const names[] = { "int64", "int128", "cint64", "cint128", "cint8" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(element, names[i]) == 0) return true;
    return false;
}

static void describe(const row *r, tw_aie_type *t)
{
    memset(t, 0, sizeof *t);
    const char *kind = r->element[0] == 'c' ? r->element + 1 : r->element;
    t->is_scalar = r->lanes == 0;
    t->is_complex = kind != r->element;
    t->lanes = t->is_scalar ? 1 : r->lanes;
    snprintf(t->element, sizeof t->element, "%s", r->element);
    if (t->is_scalar)
        snprintf(t->name, sizeof t->name, "%s", r->element);
    else
        snprintf(t->name, sizeof t->name, "v%u%s", r->lanes, r->element);
    bool accfloat = starts(kind, "accfloat");
    t->kind = starts(kind, "float") || accfloat ? TW_AIE_FLOAT
              : starts(kind, "acc")             ? TW_AIE_ACC
              : starts(kind, "uint")            ? TW_AIE_UINT
                                                : TW_AIE_INT;
    t->use = r->use == TW_AIE_ARITHMETIC && !t->is_scalar && only_stored(r->element) ? TW_AIE_STORAGE : r->use;
    t->lane_bits = r->lane_bits;
    t->component_bits = r->lane_bits / (t->is_complex ? 2 : 1);
    t->payload_bits = t->lanes * t->lane_bits;
    t->register_bits = t->payload_bits;
    if (t->kind == TW_AIE_ACC) {
        t->register_bits = t->payload_bits <= 384 ? 384 : 768;
        t->registers = t->register_bits == 384 ? "AM (384 bits)" : "BM (768 bits, two AM)";
        return;
    }
    t->registers = t->lane_bits > 32 ? "memory or a register pair" : "r (32 bits)";
    for (size_t i = 0; i < 4 && !t->is_scalar; i++)
        if (widths[i] == t->payload_bits) t->registers = registers[i];
}

bool tw_aie_type_get(size_t index, tw_aie_type *out)
{
    if (index >= ROWS) return false;
    describe(&rows[index], out);
    return true;
}

void tw__aie_lanes_of(const char *element, bool extra, char *buf, size_t size)
{
    unsigned lanes[16], count = 0;
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].lanes && strcmp(rows[i].element, element) == 0 && (extra || rows[i].use != TW_AIE_EXTRA_ONLY))
            lanes[count++] = rows[i].lanes;
    size_t at = 0;
    buf[0] = 0;
    for (unsigned i = 0; i < count && at < size; i++)
        at += (size_t)snprintf(buf + at, size - at, "%s%u", i == 0 ? "" : i + 1 == count ? " or " : ", ", lanes[i]);
}

/* --- parser --------------------------------------------------------------------------------------------------- */

typedef struct fields {
    const char *name;
    unsigned long lanes;
    bool c, u;
    char kind[12]; /* letters before the size */
    const char *size_text;
    unsigned long size;
} fields;

static tw_status wrong(const fields *f, const char *field, const char *format, ...) TW_PRINTF(3, 4);
static tw_status wrong(const fields *f, const char *field, const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return tw__fail(TW_E_TYPE, "%.40s: %s: %s", f->name, field, text);
}

static tw_status split(fields *f)
{
    const char *at = f->name;
    if (strcmp(at, "bfloat16") == 0 || strcmp(at, "int4") == 0 || strcmp(at, "uint4") == 0)
        return wrong(f, "kind", IS_ML);
    if (*at != 'v')
        return wrong(f, "kind",
                     "neither a scalar type of the AI Engine nor a name of the form "
                     "v{lanes}[c]{[u]int|float|acc}{size}, which starts with 'v'");
    at++;
    if (!isdigit((unsigned char)*at))
        return wrong(f, "lanes", "the number of lanes must follow 'v', as in v16int32");
    char *end;
    f->lanes = strtoul(at, &end, 10);
    if (*at == '0' || end - at > 3)
        return wrong(f, "lanes", "%.*s is not 2, 4, 8, 16, 32, 64 or 128", (int)(end - at), at);
    at = end;
    /* 'c' and 'u' are prefixes only when a kind follows. */
    if (*at == 'c') f->c = true, at++;
    if (*at == 'u') f->u = true, at++;
    size_t letters = 0;
    while (isalpha((unsigned char)at[letters])) letters++;
    if (letters == 0) return wrong(f, "kind", "int, float or acc must follow the lanes");
    snprintf(f->kind, sizeof f->kind, "%.*s", (int)(letters < 11 ? letters : 11), at);
    f->size_text = at + letters;
    f->size = strtoul(f->size_text, &end, 10);
    if (*end) return wrong(f, "size", "'%.20s' is not a number of bits", f->size_text);
    if (*f->size_text == '0')
        return wrong(f, "size", "'%.20s': a number of bits begins with another digit than 0", f->size_text);
    if (strlen(f->size_text) > 4) return wrong(f, "size", "no element has %.20s bits", f->size_text);
    return TW_OK;
}

/* Kinds that are not int, float or acc. */
static tw_status unknown_kind(const fields *f)
{
    static const char *const known[] = { "int", "float", "acc", "accfloat" };
    if (strcmp(f->kind, "bfloat") == 0) return wrong(f, "kind", IS_ML);
    if (strcmp(f->kind, "facc") == 0 || strcmp(f->kind, "floatacc") == 0)
        return wrong(f, "kind", "floats have no accumulator registers: write v%lu%sfloat", f->lanes,
                     f->c ? "c" : "");
    const char *nearest = tw__nearest(f->kind, known, 4);
    return wrong(f, "kind", "'%s' is not int, float or acc%s%s%s", f->kind, nearest ? "; did you mean '" : "",
                 nearest ? nearest : "", nearest ? "'?" : "");
}

static tw_status check_size(const fields *f)
{
    bool is_float = strcmp(f->kind, "float") == 0, is_accfloat = strcmp(f->kind, "accfloat") == 0;
    if (is_float || is_accfloat) {
        if (*f->size_text)
            return wrong(f, "size", "%s carries no size: write v%lu%s%s%s", f->kind, f->lanes, f->c ? "c" : "",
                         f->kind, f->size == 32 ? "" : " (single precision is the only one)");
        return TW_OK;
    }
    if (!*f->size_text)
        return wrong(f, "size", "the bits of %s must follow, as in v%lu%s%s%s", f->c ? "a component" : "an element",
                     f->lanes, f->c ? "c" : "", f->kind, strcmp(f->kind, "acc") == 0 ? "48" : "16");
    if (strcmp(f->kind, "acc") == 0) {
        if (f->size == 48 || f->size == 80) return TW_OK;
        const char *hint = f->size == 32 || f->size == 64 ? IS_ML "; " : "";
        return wrong(f, "size", "acc%s: %saccumulator lanes have 48 or 80 bits; " LEGAL_ACCUMULATORS, f->size_text,
                     hint);
    }
    if (f->u && f->size != 8 && (f->size == 4 || f->size == 16 || f->size == 32))
        return wrong(f, "u", "unsigned only exists for int8 vectors%s", "; " IS_ML);
    if (f->u && f->size != 8) return wrong(f, "u", "unsigned only exists for int8 vectors");
    if (f->size == 4) return wrong(f, "size", IS_ML ", which has no elements of 4 bits");
    for (unsigned bits = 8; bits <= 128; bits *= 2)
        if (f->size == bits) return TW_OK;
    return wrong(f, "size", "%lu is not 8, 16, 32, 64 or 128 bits", f->size);
}

/* Every field is right by itself; together they name no type. */
static tw_status no_such_type(const fields *f, const char *element)
{
    char lanes[64];
    tw__aie_lanes_of(element, false, lanes, sizeof lanes);
    if (strcmp(f->kind, "acc") == 0) {
        unsigned long bits = f->lanes * f->size * (f->c ? 2 : 1);
        return wrong(
            f, "lanes",
            "%lu lanes of %s would be %lu bits, but an accumulator register holds 384 (320 of 80-bit lanes) or "
            "768 (640): %s has %s lanes; " LEGAL_ACCUMULATORS,
            f->lanes, element, bits, element, lanes);
    }
    unsigned long bits = f->lanes * (*f->size_text ? f->size : 32) * (f->c ? 2 : 1);
    if (strcmp(f->kind, "accfloat") == 0 && !f->c && f->lanes == 32)
        return wrong(f, "lanes", IS_ML "; %s has %s lanes", element, lanes);
    if (f->lanes == 1 && strcmp(element, "cint128") != 0)
        return wrong(f, "lanes", "one lane exists at 256 bits only, as v1cint128; %s has %s lanes", element, lanes);
    return wrong(f, "lanes",
                 "%lu lanes of %s would be %lu bits, and vectors have 128, 256, 512 or 1024: %s has %s lanes",
                 f->lanes, element, bits, element, lanes);
}

static bool find(const char *name, tw_aie_type *out)
{
    for (size_t i = 0; tw_aie_type_get(i, out); i++)
        if (strcmp(out->name, name) == 0) return true;
    return false;
}

tw_status tw_aie_type_by_name(const char *name, unsigned flags, tw_aie_type *out)
{
    tw_aie_type type;
    fields f = { .name = name };
    if (find(name, &type)) {
        if (type.use == TW_AIE_EXTRA_ONLY && !(flags & TW_AIE_WITH_EXTRA)) {
            char lanes[64];
            tw__aie_lanes_of(type.element, false, lanes, sizeof lanes);
            return wrong(
                &f, "lanes",
                "the AI Engine has no %u-bit vector of %s in its element lists (only later lane tables name it); "
                "define TW_AIE_EXTRA to have it as a storage type%s%s%s",
                type.payload_bits, type.element, *lanes ? ", or use " : "", lanes, *lanes ? " lanes" : "");
        }
        *out = type;
        return TW_OK;
    }
    tw_status status = split(&f);
    if (status != TW_OK) return status;
    char element[32];
    snprintf(element, sizeof element, "%s%s%.8s", f.c ? "c" : "", f.kind, f.size_text);
    bool integer = strcmp(f.kind, "int") == 0;
    if (!integer && strcmp(f.kind, "float") && strcmp(f.kind, "acc") && strcmp(f.kind, "accfloat"))
        return unknown_kind(&f);
    if (f.u && !integer)
        return wrong(&f, "u", "%s has no unsigned form; unsigned only exists for int8 vectors", f.kind);
    if (f.u && f.c) return wrong(&f, "u", "complex integers are signed; unsigned only exists for int8 vectors");
    if ((status = check_size(&f)) != TW_OK) return status;
    if (f.u) snprintf(element, sizeof element, "uint%.8s", f.size_text);
    if (f.lanes & (f.lanes - 1) || f.lanes > 128)
        return wrong(&f, "lanes", "%lu is not 2, 4, 8, 16, 32, 64 or 128", f.lanes);
    return no_such_type(&f, element);
}
