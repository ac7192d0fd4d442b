/* SPDX-License-Identifier: MIT */
/* Writes <tilewright/aie/detail/mul_calls.h>: every overload of the multiply family and every name of it, from the
 * table of type pairs and the rule which optional arguments exist. The build and the install have it.
 *
 * Overloads belong to a class: lanes, accumulator width and shape of the argument list. Names of one class differ
 * only in flags (operation, pre-adder, conjugation), which the overload takes as its first, constant argument. */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct element {
    const char *name, *type; /* "cint16", component type of aie/mul.h */
    unsigned bits;           /* of the whole element */
    bool complex;
} element;

// clang-format off
static const element elements[] = {
    { "int8", "TW__I8", 8, false },   { "uint8", "TW__U8", 8, false },   { "int16", "TW__I16", 16, false },
    { "int32", "TW__I32", 32, false }, { "cint16", "TW__I16", 32, true }, { "cint32", "TW__I32", 64, true },
};
enum { I8, U8, I16, I32, C16, C32, ELEMENTS };
/* Multiplications per cycle, [X][Z]; 0 = no such pair. */
static const unsigned macs[ELEMENTS][ELEMENTS] = {
    [I8] = { [I8] = 128, [U8] = 128 },
    [U8] = { [I8] = 128, [U8] = 128 },
    [I16] = { [I8] = 64, [U8] = 64, [I16] = 32, [I32] = 16, [C16] = 16, [C32] = 8 },
    [I32] = { [I16] = 16, [I32] = 8, [C16] = 8, [C32] = 4 },
    [C16] = { [I16] = 16, [I32] = 8, [C16] = 8, [C32] = 4 },
    [C32] = { [I16] = 8, [I32] = 4, [C16] = 4, [C32] = 2 },
};
static const struct { unsigned lanes, width; bool real, complex; } sizes[] = {
    { 16, 48, true, false }, { 8, 48, true, true }, { 4, 48, false, true },
    { 8, 80, true, false },  { 4, 80, true, true }, { 2, 80, false, true },
};
// clang-format on
typedef enum shape { PLAIN, ABS, PAIR, MAXMIN, CT, UCT, SHAPES } shape;
static const char letters[] = "pbsmtu";

enum { MAX_PARAMS = 20, MAX_OVERLOADS = 4000 };
typedef struct overload {
    char types[MAX_PARAMS][12]; /* "" = an integer */
    unsigned count, id;
    unsigned vectors; /* bit k: parameter k is a vector; the accumulator does not count */
    bool emitted;
} overload;

static overload overloads[MAX_OVERLOADS];
static unsigned overload_count;
static FILE *out;

static void mul_calls_put(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void mul_calls_put(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vfprintf(out, format, args);
    va_end(args);
}

static void vector_name(char *buf, unsigned type, unsigned bits)
{
    snprintf(buf, 12, "v%u%s", bits / elements[type].bits, elements[type].name);
}

/* Which optional arguments a pair of types has. */
typedef struct options {
    bool hi, xstep, square, zstep, zsquare, uct_col;
} options;

static options options_of(unsigned x, unsigned z, unsigned lanes, unsigned columns, shape form)
{
    bool bytes = elements[x].bits == 8, pairs = x == I16 && (z == I16 || elements[z].bits == 8);
    return (options){
        .hi = lanes == 16 && !bytes,
        .xstep = bytes || columns > (pairs || form == CT ? 2 : 1),
        .square = bytes || pairs,
        .zstep = columns > 1,
        .zsquare = elements[z].bits == 8,
        .uct_col = columns > 1,
    };
}

/* One overload being written: its parameter list in `list`, its call in `call`. */
static overload *current;
static char parameters[600];

static void parameter(const char *type, const char *name)
{
    bool vector = type[0] == 'v';
    size_t at = strlen(parameters);
    snprintf(parameters + at, sizeof parameters - at, ", %s %s", type, name);
    if (vector && strcmp(name, "acc") != 0) current->vectors |= 1u << current->count;
    snprintf(current->types[current->count++], 12, "%s", vector ? type : "");
}

typedef struct request {
    unsigned x, z, lanes, width, columns, xbits;
    shape form;
    bool ybuff, self;
} request;

static void accumulator_name(char *buf, const request *r)
{
    bool complex = elements[r->x].complex || elements[r->z].complex;
    snprintf(buf, 12, "v%u%sacc%u", r->lanes * (r->form == UCT ? 2 : 1), complex ? "c" : "", r->width);
}

/* The function of aie/mul.h that computes it: chosen here, not there, because a compiler inlines what it chooses
 * from. */
static void function_name(char *buf, const request *r)
{
    const element *x = &elements[r->x], *z = &elements[r->z];
    const char *form = r->form == PLAIN               ? ""
                       : r->form == PAIR              ? "_pair"
                       : r->form == CT && r->x == C16 ? "_ct"
                                                      : NULL;
    const bool simd = r->width == 48 && form && !r->self;
    if (simd && !x->complex && !z->complex && x->bits <= 16 && z->bits <= 16)
        snprintf(buf, 24, "dot%s", form);
    else if (simd && r->x == C16 && r->z == C16)
        snprintf(buf, 24, "four%s", form);
    else
        snprintf(buf, 24, "%s%u_%u",
                 r->form == UCT   ? "uct"
                 : r->lanes == 16 ? "wide"
                                  : "lanes",
                 r->width, r->columns);
}

/* One line defines the overload without and with an accumulator: see TW__MULTIPLY in the output. */
static void write_overload(const char *class_name, const request *r)
{
    options o = options_of(r->x, r->z, r->lanes, r->columns, r->form);
    if (r->self) o.zstep = o.xstep; /* z is addressed as x is */
    char xtype[12], ztype[12], acc[12], function[24];
    current = &overloads[overload_count];
    *current = (overload){ .id = overload_count };
    overload_count++;
    parameters[0] = 0;
    vector_name(xtype, r->x, r->xbits);
    vector_name(ztype, r->z, 256);
    accumulator_name(acc, r);
    function_name(function, r);
    bool pair = r->form > ABS;
    parameter(xtype, "x"), parameter("int", "xs"), parameter("int", "xo");
    if (o.hi) parameter("int", "xh");
    if (o.xstep) parameter("int", "xt");
    if (o.square) parameter("int", "xq");
    if (r->ybuff) parameter(xtype, "y");
    if (pair) parameter("int", "ys");
    if (pair && o.square) parameter("int", "yq");
    if (r->form == CT) parameter("int", "mt");
    if (r->form == UCT && o.uct_col) parameter("int", "uc");
    if (r->form == UCT) parameter("int", "us");
    if (!r->self) parameter(ztype, "z");
    parameter("int", "zs"), parameter("int", "zo");
    if (o.hi) parameter("int", "zh");
    if (o.zstep) parameter("int", "zt");
    bool zsquare = r->self ? o.square : o.zsquare;
    if (zsquare) parameter("int", "zq");

    mul_calls_put("TW__MULTIPLY(%s, %u, %s, %s, %u, (%s), ", function, r->width == 48 ? 8 : 16, acc, class_name,
                  current->id, parameters + 2);
    mul_calls_put("TW__M(&x, %s, %s, xs, xo, %s, %s, %s, %s, %s, %s, %s, %s, ", r->ybuff ? "&y" : "&x",
                  r->self ? "0" : "&z", o.hi ? "xh" : "0", o.xstep ? "xt" : "0", o.square ? "xq" : "0",
                  pair ? "ys" : "0", pair && o.square ? "yq" : "0", r->form == CT ? "mt" : "0",
                  r->form == UCT && o.uct_col ? "uc" : "0", r->form == UCT ? "us" : "0");
    mul_calls_put("zs, zo, %s, %s, %s), ", o.hi ? "zh" : "0", o.zstep ? "zt" : "0", zsquare ? "zq" : "0");
    static const char *const form_flags[] = { "0",        "TW__ABS",           "TW__PAIR",
                                              "TW__PAIR", "TW__PAIR | TW__CT", "TW__PAIR | TW__UCT" };
    mul_calls_put("TW__S(%s, %d, %u, %s, %d, %u, %u, %u), %s)\n", elements[r->x].type, elements[r->x].complex,
                  r->xbits / elements[r->x].bits, elements[r->z].type, elements[r->z].complex,
                  256 / elements[r->z].bits, r->lanes, r->columns, form_flags[r->form]);
}

/* _Generic chains: overloads of one argument count, grouped by which arguments are vectors, most vectors first. */
static void put_list(const char *prefix, unsigned count)
{
    for (unsigned i = 0; i < count; i++) mul_calls_put("%s%u%s", prefix, i, i + 1 < count ? "," : "");
}

static void write_dispatch(const char *class_name, unsigned first, unsigned count)
{
    mul_calls_put("#define %s_pick%u(P,", class_name, count);
    put_list("a", count);
    mul_calls_put(") ");
    unsigned groups = 0;
    for (int vectors = 3; vectors > 0; vectors--)
        for (unsigned i = first; i < overload_count; i++) {
            overload *o = &overloads[i];
            if (o->emitted || o->count != count || __builtin_popcount(o->vectors) != vectors) continue;
            mul_calls_put("\\\n    _Generic((void (*)(");
            for (unsigned k = 0, n = 0; k < count; k++)
                if (o->vectors >> k & 1) mul_calls_put("%s__typeof__(a%u)", n++ ? ", " : "", k);
            mul_calls_put("))0");
            for (unsigned j = i; j < overload_count; j++) {
                overload *other = &overloads[j];
                if (other->count != count || other->vectors != o->vectors) continue;
                mul_calls_put(", \\\n  void (*)(");
                for (unsigned k = 0, n = 0; k < count; k++)
                    if (o->vectors >> k & 1) mul_calls_put("%s%s", n++ ? ", " : "", other->types[k]);
                mul_calls_put("): P##_form%u", other->id);
                other->emitted = true;
            }
            mul_calls_put(", \\\n  default: ");
            groups++;
        }
    mul_calls_put("TW__RULES_OF(P##_)");
    for (unsigned i = 0; i < groups; i++) mul_calls_put(")");
    mul_calls_put("\n#define %s_%u(f,", class_name, count);
    put_list("a", count);
    mul_calls_put(") %s_pick%u(%s,", class_name, count, class_name);
    put_list("a", count);
    mul_calls_put(")(f,");
    put_list("a", count);
    mul_calls_put(")\n#define %sa_%u(f,acc,", class_name, count + 1);
    put_list("a", count);
    mul_calls_put(") %s_pick%u(%sa,", class_name, count, class_name);
    put_list("a", count);
    mul_calls_put(")(f,acc,");
    put_list("a", count);
    mul_calls_put(")\n");
}

static void write_variants(const char *class_name, unsigned size, shape form)
{
    for (unsigned x = 0; x < ELEMENTS; x++)
        for (unsigned z = 0; z < ELEMENTS; z++) {
            bool complex = elements[x].complex || elements[z].complex;
            request r = { .x = x, .z = z, .lanes = sizes[size].lanes, .width = sizes[size].width, .form = form };
            r.columns = macs[x][z] / r.lanes;
            if (r.columns == 0 || (complex ? !sizes[size].complex : !sizes[size].real)) continue;
            bool mixed = (x == I16 || x == C16) != (z == I16 || z == C16),
                 wide = (x == I32 || x == C32) && (z == I32 || z == C32);
            bool bytes = elements[x].bits == 8;
            if (r.width == 80 ? !(wide || mixed) || elements[z].bits == 8 || bytes : wide) continue;
            if (bytes && form != PLAIN) continue;
            if (form == MAXMIN && elements[x].complex) continue;
            if (form == CT && r.columns < 2) continue;
            if (form == UCT && 2 * r.lanes * (complex ? 2 : 1) * r.width > 768)
                continue; /* twice the lanes fit BM */
            for (r.xbits = 512; r.xbits <= 1024; r.xbits *= 2) {
                r.ybuff = r.self = false;
                write_overload(class_name, &r);
                r.self = form <= ABS && x == z && !bytes;
                if (r.self) write_overload(class_name, &r);
                r.ybuff = r.self && r.xbits == 512;
                if (r.ybuff) write_overload(class_name, &r);
                r.self = false;
                r.ybuff = form > ABS && r.xbits == 512;
                if (r.ybuff) write_overload(class_name, &r);
            }
        }
}

/* Which numbers of arguments a class takes: aie/detail/check_lanes.h makes a template of each. */
static void write_counts(const char *class_name, unsigned first, unsigned acc)
{
    mul_calls_put("#define TW__COUNTS_%s%s(F, ...)", class_name, acc ? "a" : "");
    for (unsigned count = 1; count < MAX_PARAMS; count++)
        for (unsigned i = first; i < overload_count; i++)
            if (overloads[i].count == count) {
                mul_calls_put(" F(%u, __VA_ARGS__)", count + acc);
                break;
            }
    mul_calls_put("\n");
}

/* What mul, mac, msc and negmul of one size and form share. C compilers name it when the operands are wrong, so it
 * has the names of intrinsics in it: tw_mul16_mac16_s. */
static void class_of(char name[40], unsigned size, shape form)
{
    const char *l = sizes[size].width == 80 ? "l" : "";
    unsigned lanes = sizes[size].lanes;
    snprintf(name, 40, "tw_%smul%u_%smac%u_%c", l, lanes, l, lanes, letters[form]);
}

static void write_class(unsigned size, shape form)
{
    char name[40];
    class_of(name, size, form);
    unsigned first = overload_count;
    write_variants(name, size, form);
    mul_calls_put("#ifndef __cplusplus\nTW__NO_SUCH(%s_)\nTW__NO_SUCH(%sa_)\n", name, name);
    for (unsigned count = 1; count < MAX_PARAMS; count++)
        for (unsigned i = first; i < overload_count; i++)
            if (overloads[i].count == count) {
                write_dispatch(name, first, count);
                break;
            }
    mul_calls_put("#else\n");
    write_counts(name, first, 0);
    write_counts(name, first, 1);
    mul_calls_put("#endif\n");
}

/* --- names ---------------------------------------------------------------------------------------------------- */

typedef struct word {
    const char *text, *flags;
} word;
static const word operations[] = {
    { "mul", "0" }, { "mac", "0" }, { "msc", "TW__SUBTRACT" }, { "negmul", "TW__SUBTRACT" }
};
static const word conjugates[] = { { "", "" },
                                   { "_c", "|TW__CONJ" },
                                   { "_cn", "|TW__CONJ_X" },
                                   { "_nc", "|TW__CONJ_Z" },
                                   { "_cc", "|TW__CONJ_X|TW__CONJ_Z" } };
static const struct {
    const char *text, *flags;
    shape form;
} suffixes[] = {
    { "", "", PLAIN },
    { "_abs", "", ABS },
    { "_sym", "", PAIR },
    { "_antisym", "|TW__ANTISYM", PAIR },
    { "_max", "|TW__MAX", MAXMIN },
    { "_min", "|TW__MIN", MAXMIN },
    { "_maxdiff", "|TW__MAXDIFF", MAXMIN },
    { "_sym_ct", "", CT },
    { "_antisym_ct", "|TW__ANTISYM", CT },
    { "_sym_uct", "", UCT },
    { "_antisym_uct", "|TW__ANTISYM", UCT },
};
#define COUNT(table) (sizeof table / sizeof *table)

static void write_names(bool cxx)
{
    for (size_t n = 0; n < COUNT(sizes); n++)
        for (size_t o = 0; o < COUNT(operations); o++)
            for (size_t s = 0; s < COUNT(suffixes); s++)
                for (size_t c = 0; c < (sizes[n].complex ? COUNT(conjugates) : 1); c++) {
                    bool acc = operations[o].text[0] == 'm' && operations[o].text[2] == 'c';
                    char class_name[40], name[40], flags[80];
                    class_of(class_name, (unsigned)n, suffixes[s].form);
                    if (acc) strcat(class_name, "a");
                    snprintf(name, sizeof name, "%s%s%u%s%s", sizes[n].width == 80 ? "l" : "", operations[o].text,
                             sizes[n].lanes, suffixes[s].text, conjugates[c].text);
                    snprintf(flags, sizeof flags, "%s%s%s", operations[o].flags, suffixes[s].flags,
                             conjugates[c].flags);
                    if (cxx)
                        mul_calls_put("TW__NAME(%s, %s, %s)\n", name, class_name, flags);
                    else
                        mul_calls_put("#define %s(...) TW__CALL(%s, %s, __VA_ARGS__)\n", name, class_name, flags);
                }
}

static void mul_calls_write_all(void)
{
    mul_calls_put(
        "/* Overloads and names of the multiply family. Generated by src/aie/gen/mul_calls.c; not edited by hand. "
        "*/\n"
        "#ifndef TILEWRIGHT_AIE_CALLS_MUL_H\n#define TILEWRIGHT_AIE_CALLS_MUL_H\n\n#include "
        "<tilewright/aie/mul.h>\n\n"
        "// clang-format off\n"
        "/* Without and with an accumulator: the operand list, its description, the shape, what the form adds. */\n"
        "#define TW__UNWRAP(...) __VA_ARGS__\n"
        "#define TW__M(x, y, z, xs, xo, xh, xt, xq, ys, yq, mt, uc, us, zs, zo, zh, zt, zq) \\\n"
        "    { x, y, z, (unsigned)(xs), (unsigned)(xo), (unsigned)(xh), (unsigned)(xt), (unsigned)(xq), "
        "(unsigned)(ys), (unsigned)(yq), (unsigned)(mt), "
        "(unsigned)(uc), \\\n"
        "      (unsigned)(us), (unsigned)(zs), (unsigned)(zo), (unsigned)(zh), (unsigned)(zt), (unsigned)(zq) }\n"
        "#define TW__S(...) { __VA_ARGS__ }\n"
        "#define TW__MULTIPLY(function, word, accumulator, name, id, list, operands, size, form) \\\n"
        "    TW__AIE accumulator TW__N(name##a, name##a_form##id)(unsigned flags, accumulator acc, TW__UNWRAP "
        "list) "
        "\\\n"
        "    { \\\n"
        "        const tw__mul a = operands; \\\n"
        "        const tw__shape s = size; \\\n"
        "        TW__CHECK_MUL(&a, &s, flags | (form) | TW__ZSTART(zs), &acc, word); \\\n"
        "        TW__COUNT(VECTOR, 1); \\\n"
        "        tw__mul_##function(&acc, &a, &s, flags | (form)); \\\n"
        "        return acc; \\\n"
        "    } \\\n"
        "    TW__AIE accumulator TW__N(name, name##_form##id)(unsigned flags, TW__UNWRAP list) \\\n"
        "    { \\\n"
        "        accumulator acc = { { { 0 } } }; \\\n"
        "        const tw__mul a = operands; \\\n"
        "        const tw__shape s = size; \\\n"
        "        TW__CHECK_MUL(&a, &s, flags | (form) | TW__ZSTART(zs), &acc, word); \\\n"
        "        TW__COUNT(VECTOR, 1); \\\n"
        "        tw__mul_##function(&acc, &a, &s, flags | (form)); \\\n"
        "        return acc; \\\n"
        "    }\n");
    for (unsigned size = 0; size < COUNT(sizes); size++)
        for (shape form = PLAIN; form < SHAPES; form++) write_class(size, form);
    mul_calls_put("#ifdef __cplusplus\n");
    write_names(true);
    mul_calls_put("#else\n");
    write_names(false);
    mul_calls_put("#endif\n#endif\n");
}

int main(int argc, char **argv)
{
    if (argc != 2) return fprintf(stderr, "usage: aie_mul_calls FILE\n"), 2;
    if (!(out = fopen(argv[1], "w"))) return perror(argv[1]), 1;
    mul_calls_write_all();
    bool failed = ferror(out);
    if (fclose(out) || failed) return perror(argv[1]), 1;
    return 0;
}
