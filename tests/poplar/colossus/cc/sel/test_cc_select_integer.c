/* SPDX-License-Identifier: MIT */
/* Integers: each operation of LLVM for each type, scalars and vectors, from memory of each alignment, against what
 * the language of LLVM says, computed here with 64 bits. */
#include "select_test.h"

#include <stdlib.h>

static const uint64_t edges[] = {
    0,
    1,
    2,
    3,
    7,
    13,
    31,
    32,
    0x7f,
    0x80,
    0xff,
    0x100,
    0x7fff,
    0x8000,
    0xffff,
    0x10000,
    0x7fffffff,
    0x80000000u,
    0xffffffffu,
    0x12345678,
    0x100000000,
    0x7fffffffffffffff,
    0x8000000000000000u,
    0xffffffffffffffffu,
    0xdeadbeef01234567u,
};
enum { EDGES = G_N_ELEMENTS(edges), ITEMS = 128 };

static uint64_t mask_of(unsigned bits)
{
    return bits == 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
}

static int64_t sign_of(uint64_t x, unsigned bits)
{
    return (int64_t)(x << (64 - bits)) >> (64 - bits);
}

static unsigned popcount(uint64_t x)
{
    return (unsigned)__builtin_popcountll(x);
}

static unsigned leading(uint64_t x, unsigned bits)
{
    unsigned n = 0;
    while (n < bits && !(x >> (bits - 1 - n) & 1)) n++;
    return n;
}

static unsigned trailing(uint64_t x, unsigned bits)
{
    unsigned n = 0;
    while (n < bits && !(x >> n & 1)) n++;
    return n;
}

static uint64_t reversed(uint64_t x, unsigned bits, unsigned unit)
{
    uint64_t r = 0;
    for (unsigned i = 0; i < bits; i += unit) r |= (x >> i & mask_of(unit)) << (bits - unit - i);
    return r;
}

static uint64_t rotated(uint64_t x, uint64_t y, uint64_t n, unsigned bits) /* upper bits of x:y << n */
{
    n %= bits;
    return n ? x << n | (y & mask_of(bits)) >> (bits - n) : x;
}

/* Whether a signed sum (difference, product) fits; the result modulo 2^64. */
static bool fits(char op, bool is_signed, uint64_t x, uint64_t y, unsigned bits)
{
    if (op == '*' && !is_signed) return x == 0 || y <= mask_of(bits) / x;
    __int128 a = is_signed ? sign_of(x, bits) : (__int128)x, b = is_signed ? sign_of(y, bits) : (__int128)y;
    __int128 r = op == '+' ? a + b : op == '-' ? a - b : a * b;
    __int128 low = is_signed ? -((__int128)1 << (bits - 1)) : 0;
    __int128 high = is_signed ? ((__int128)1 << (bits - 1)) - 1 : (__int128)mask_of(bits);
    return r >= low && r <= high;
}

static uint64_t saturated(char op, bool is_signed, uint64_t x, uint64_t y, unsigned bits)
{
    uint64_t r = op == '+' ? x + y : x - y;
    if (fits(op, is_signed, x, y, bits)) return r;
    if (!is_signed) return op == '+' ? mask_of(bits) : 0;
    return sign_of(x, bits) < 0 ? UINT64_C(1) << (bits - 1) : mask_of(bits - 1);
}

#define SX sign_of(x, bits)
#define SY sign_of(y, bits)

/* X(name, kind, text of LLVM, what it is): O an instruction of two operands, C a compare, 1 and 2 an intrinsic
 * with so many operands, F one with a flag as last one, R one whose first operand comes twice, V one with an
 * overflow flag. D: only where y is no divisor of 0 and does not overflow; S: only where y is less than the width. */
// clang-format off
#define OPERATIONS(X) \
    X(add, O, "add", x + y) \
    X(sub, O, "sub", x - y) \
    X(mul, O, "mul", x * y) \
    X(udiv, D, "udiv", x / y) \
    X(urem, D, "urem", x % y) \
    X(sdiv, D, "sdiv", (uint64_t)(SX / SY)) \
    X(srem, D, "srem", (uint64_t)(SX % SY)) \
    X(and, O, "and", x & y) \
    X(or, O, "or", x | y) \
    X(xor, O, "xor", x ^ y) \
    X(shl, S, "shl", x << y) \
    X(lshr, S, "lshr", x >> y) \
    X(ashr, S, "ashr", (uint64_t)(SX >> y)) \
    X(eq, C, "eq", x == y) \
    X(ne, C, "ne", x != y) \
    X(ugt, C, "ugt", x > y) \
    X(uge, C, "uge", x >= y) \
    X(ult, C, "ult", x < y) \
    X(ule, C, "ule", x <= y) \
    X(sgt, C, "sgt", SX > SY) \
    X(sge, C, "sge", SX >= SY) \
    X(slt, C, "slt", SX < SY) \
    X(sle, C, "sle", SX <= SY) \
    X(smin, 2, "smin", SX < SY ? x : y) \
    X(smax, 2, "smax", SX > SY ? x : y) \
    X(umin, 2, "umin", x < y ? x : y) \
    X(umax, 2, "umax", x > y ? x : y) \
    X(abs, F, "abs", SX < 0 ? 0 - x : x) \
    X(ctlz, F, "ctlz", leading(x, bits)) \
    X(cttz, F, "cttz", trailing(x, bits)) \
    X(ctpop, 1, "ctpop", popcount(x)) \
    X(bitreverse, 1, "bitreverse", reversed(x, bits, 1)) \
    X(bswap, B, "bswap", reversed(x, bits, 8)) \
    X(fshl, R, "fshl", rotated(x, x, y, bits)) \
    X(fshr, R, "fshr", rotated(x, x, bits - y % bits, bits)) \
    X(uadd_sat, 2, "uadd.sat", saturated('+', false, x, y, bits)) \
    X(usub_sat, 2, "usub.sat", saturated('-', false, x, y, bits)) \
    X(sadd_sat, 2, "sadd.sat", saturated('+', true, x, y, bits)) \
    X(ssub_sat, 2, "ssub.sat", saturated('-', true, x, y, bits)) \
    X(uadd_over, V, "uadd", !fits('+', false, x, y, bits)) \
    X(usub_over, V, "usub", !fits('-', false, x, y, bits)) \
    X(sadd_over, V, "sadd", !fits('+', true, x, y, bits)) \
    X(ssub_over, V, "ssub", !fits('-', true, x, y, bits)) \
    X(umul_over, V, "umul", !fits('*', false, x, y, bits)) \
    X(smul_over, V, "smul", !fits('*', true, x, y, bits)) \
    X(select, Q, "select", SX < SY ? y : x)
// clang-format on

#define FUNCTION(name, kind, text, what)                               \
    static uint64_t host_##name(uint64_t x, uint64_t y, unsigned bits) \
    {                                                                  \
        (void)x, (void)y, (void)bits;                                  \
        return what;                                                   \
    }
OPERATIONS(FUNCTION)

static const struct operation {
    const char *name;
    char kind;
    const char *text;
    uint64_t (*host)(uint64_t, uint64_t, unsigned);
} operations[] = {
#define ROW(name, kind, text, what) { #name, #kind[0], text, host_##name },
    OPERATIONS(ROW)
};

static const struct type {
    unsigned bits, lanes; /* 0: a scalar */
} types[] = { { 8, 0 },  { 16, 0 }, { 32, 0 }, { 64, 0 }, { 8, 4 },  { 16, 2 },
              { 16, 4 }, { 32, 2 }, { 32, 4 }, { 64, 2 }, { 24, 0 }, { 48, 0 } };

static char *type_text(const struct type *t, unsigned bits)
{
    return t->lanes ? g_strdup_printf("<%u x i%u>", t->lanes, bits) : g_strdup_printf("i%u", bits);
}

static char *type_suffix(const struct type *t)
{
    return t->lanes ? g_strdup_printf("v%ui%u", t->lanes, t->bits) : g_strdup_printf("i%u", t->bits);
}

/* The instructions that make %r of %x and %y, and what they declare. */
static void operation_text(GString *ir, GString *declared, const struct operation *o, const struct type *t)
{
    g_autofree char *type = type_text(t, t->bits), *bit = type_text(t, 1), *suffix = type_suffix(t);
    switch (o->kind) {
    case 'C':
        g_string_append_printf(ir, "%%c = icmp %s %s %%x, %%y\n%%r = zext %s %%c to %s\n", o->text, type, bit,
                               type);
        break;
    case 'Q':
        g_string_append_printf(ir, "%%c = icmp slt %s %%x, %%y\n%%r = select %s %%c, %s %%y, %s %%x\n", type, bit,
                               type, type);
        break;
    case '1':
    case 'B':
        g_string_append_printf(ir, "%%r = call %s @llvm.%s.%s(%s %%x)\n", type, o->text, suffix, type);
        g_string_append_printf(declared, "declare %s @llvm.%s.%s(%s)\n", type, o->text, suffix, type);
        break;
    case 'F':
        g_string_append_printf(ir, "%%r = call %s @llvm.%s.%s(%s %%x, i1 false)\n", type, o->text, suffix, type);
        g_string_append_printf(declared, "declare %s @llvm.%s.%s(%s, i1)\n", type, o->text, suffix, type);
        break;
    case '2':
        g_string_append_printf(ir, "%%r = call %s @llvm.%s.%s(%s %%x, %s %%y)\n", type, o->text, suffix, type,
                               type);
        g_string_append_printf(declared, "declare %s @llvm.%s.%s(%s, %s)\n", type, o->text, suffix, type, type);
        break;
    case 'R':
        g_string_append_printf(ir, "%%r = call %s @llvm.%s.%s(%s %%x, %s %%x, %s %%y)\n", type, o->text, suffix,
                               type, type, type);
        g_string_append_printf(declared, "declare %s @llvm.%s.%s(%s, %s, %s)\n", type, o->text, suffix, type, type,
                               type);
        break;
    case 'V':
        g_string_append_printf(ir,
                               "%%s = call {%s, %s} @llvm.%s.with.overflow.%s(%s %%x, %s %%y)\n"
                               "%%c = extractvalue {%s, %s} %%s, 1\n%%r = zext %s %%c to %s\n",
                               type, bit, o->text, suffix, type, type, type, bit, bit, type);
        g_string_append_printf(declared, "declare {%s, %s} @llvm.%s.with.overflow.%s(%s, %s)\n", type, bit, o->text,
                               suffix, type, type);
        break;
    default: g_string_append_printf(ir, "%%r = %s %s %%x, %%y\n", o->text, type); break;
    }
}

static char *operation_module(const struct operation *o, const struct type *t, unsigned align, unsigned size,
                              const char *constant)
{
    GString *ir = g_string_new(SELECT_LAYOUT), *declared = g_string_new(NULL);
    g_autofree char *type = type_text(t, t->bits);
    g_string_append_printf(ir, "define void @f(ptr %%in, ptr %%out) {\n%%x = load %s, ptr %%in, align %u\n", type,
                           align);
    if (constant)
        g_string_append_printf(ir, "%%y = add %s %s, 0\n", type, constant);
    else
        g_string_append_printf(ir, "%%p = getelementptr i8, ptr %%in, i32 %u\n%%y = load %s, ptr %%p, align %u\n",
                               size, type, align);
    operation_text(ir, declared, o, t);
    g_string_append_printf(ir, "store %s %%r, ptr %%out, align %u\nret void\n}\n%s", type, align, declared->str);
    g_string_free(declared, TRUE);
    return g_string_free(ir, FALSE);
}

/* Operands of lane `lane` of item `item`, that the operation is defined for. */
static void operands_of(const struct operation *o, unsigned bits, unsigned item, unsigned lane, uint64_t *x,
                        uint64_t *y)
{
    unsigned at = item * 5 + lane * 37;
    *x = edges[at % EDGES] & mask_of(bits);
    *y = edges[(at / EDGES + at) % EDGES] & mask_of(bits);
    if (o->kind == 'S' || o->kind == 'R') *y %= bits;
    if (o->kind == 'D' && (!*y || (*y == mask_of(bits) && *x == UINT64_C(1) << (bits - 1)))) *y = 3;
}

static void put(uint8_t *to, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) to[i] = (uint8_t)(value >> 8 * i);
}

static uint64_t get(const uint8_t *from, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++) value |= (uint64_t)from[i] << 8 * i;
    return value;
}

static void check_operation(const struct operation *o, const struct type *t, unsigned align)
{
    unsigned lanes = t->lanes ? t->lanes : 1, bytes = t->bits / 8, size = (lanes * bytes + 15) / 16 * 16;
    uint8_t *in = g_malloc0(ITEMS * 2 * size), *out = g_malloc0(ITEMS * size);
    for (unsigned i = 0; i < ITEMS; i++)
        for (unsigned lane = 0; lane < lanes; lane++) {
            uint64_t x, y;
            operands_of(o, t->bits, i, lane, &x, &y);
            put(in + i * 2 * size + lane * bytes, x, bytes);
            put(in + i * 2 * size + size + lane * bytes, y, bytes);
        }
    g_autofree char *ir = operation_module(o, t, align, size, NULL);
    select_run(ir, TW_ISA_IPU2, ITEMS, in, 2 * size, out, size, align % 16);
    for (unsigned i = 0; i < ITEMS; i++)
        for (unsigned lane = 0; lane < lanes; lane++) {
            uint64_t x, y, got = get(out + i * size + lane * bytes, bytes);
            operands_of(o, t->bits, i, lane, &x, &y);
            uint64_t want = o->host(x, y, t->bits) & mask_of(t->bits);
            if (got != want)
                fail_msg("%s of %u bits, lane %u of %u, align %u: %#" G_GINT64_MODIFIER "x and %#" G_GINT64_MODIFIER
                         "x gave %#" G_GINT64_MODIFIER "x, not %#" G_GINT64_MODIFIER "x",
                         o->name, t->bits, lane, lanes, align, x, y, got, want);
        }
    g_free(in);
    g_free(out);
}

static bool has_form(const struct operation *o, const struct type *t)
{
    bool is_whole = t->bits % 16 == 0 && t->bits != 48;
    if (o->kind == 'B') return is_whole;
    return is_whole || t->bits == 8 || strchr("OCDSQ", o->kind);
}

static void integer_operations(void **state)
{
    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(operations); i++)
        for (size_t k = 0; k < G_N_ELEMENTS(types); k++)
            if (has_form(&operations[i], &types[k])) check_operation(&operations[i], &types[k], 8);
}

static void integer_alignments(void **state)
{
    (void)state;
    for (size_t k = 0; k < G_N_ELEMENTS(types); k++)
        for (unsigned align = 1; align < 8; align *= 2) check_operation(&operations[0], &types[k], align);
}

/* The right operand is a constant: forms with numbers in the instruction. */
static void integer_constants(void **state)
{
    (void)state;
    static const unsigned widths[] = { 8, 16, 32, 64 };
    for (size_t i = 0; i < G_N_ELEMENTS(operations); i++)
        for (size_t w = 0; w < G_N_ELEMENTS(widths); w++)
            for (size_t c = 0; c < EDGES; c++) {
                const struct operation *o = &operations[i];
                const struct type t = { widths[w], 0 };
                uint64_t y = edges[c] & mask_of(t.bits), x, unused;
                if (!strchr("OCDSQ", o->kind) || y != edges[c]) continue;
                if ((o->kind == 'S' && y >= t.bits) || (o->kind == 'D' && (!y || y == mask_of(t.bits)))) continue;
                unsigned bytes = t.bits / 8;
                uint8_t in[EDGES * 16] = { 0 }, out[EDGES * 16];
                for (unsigned k = 0; k < EDGES; k++) put(in + 16 * k, edges[k] & mask_of(t.bits), bytes);
                g_autofree char *number = g_strdup_printf("%" G_GINT64_FORMAT, sign_of(y, t.bits));
                g_autofree char *ir = operation_module(o, &t, 8, 16, number);
                char *use = strstr(ir, "%y = add"), *end = strchr(use, '\n');
                memset(use, ' ', (size_t)(end - use)); /* the number itself, not a sum */
                GString *with = g_string_new(ir);
                g_string_replace(with, "%y", number, 0);
                select_run(with->str, TW_ISA_IPU2, EDGES, in, 16, out, 16, 0);
                g_string_free(with, TRUE);
                for (unsigned k = 0; k < EDGES; k++) {
                    x = edges[k] & mask_of(t.bits);
                    unused = get(out + 16 * k, bytes);
                    if (unused != (o->host(x, y, t.bits) & mask_of(t.bits)))
                        fail_msg("%s of %u bits: %#" G_GINT64_MODIFIER
                                 "x and the constant %s gave %#" G_GINT64_MODIFIER "x, not %#" G_GINT64_MODIFIER
                                 "x",
                                 o->name, t.bits, x, number, unused, o->host(x, y, t.bits) & mask_of(t.bits));
                }
            }
}

/* --- conversions ------------------------------------------------------------------------------------------------ */

static void check_resize(const char *op, const struct type *from, const struct type *to)
{
    unsigned lanes = from->lanes ? from->lanes : 1, in_bytes = from->bits / 8, out_bytes = to->bits / 8;
    unsigned in_size = (lanes * in_bytes + 15) / 16 * 16, out_size = (lanes * out_bytes + 15) / 16 * 16;
    g_autofree char *from_text = type_text(from, from->bits), *to_text = type_text(to, to->bits);
    g_autofree char *ir = g_strdup_printf(
        SELECT_LAYOUT "define void @f(ptr %%in, ptr %%out) {\n%%x = load %s, ptr %%in, "
                      "align 8\n%%r = %s %s %%x to %s\nstore %s %%r, ptr %%out, align 8\nret void\n}\n",
        from_text, op, from_text, to_text, to_text);
    uint8_t *in = g_malloc0(EDGES * in_size), *out = g_malloc0(EDGES * out_size);
    for (unsigned i = 0; i < EDGES; i++)
        for (unsigned lane = 0; lane < lanes; lane++)
            put(in + i * in_size + lane * in_bytes, edges[(i + lane * 11) % EDGES], in_bytes);
    select_run(ir, TW_ISA_IPU2, EDGES, in, in_size, out, out_size, 0);
    for (unsigned i = 0; i < EDGES; i++)
        for (unsigned lane = 0; lane < lanes; lane++) {
            uint64_t x = edges[(i + lane * 11) % EDGES] & mask_of(from->bits),
                     got = get(out + i * out_size + lane * out_bytes, out_bytes);
            uint64_t want = (strcmp(op, "sext") == 0 ? (uint64_t)sign_of(x, from->bits) : x) & mask_of(to->bits);
            if (got != want)
                fail_msg("%s %s to %s, lane %u: %#" G_GINT64_MODIFIER "x gave %#" G_GINT64_MODIFIER "x", op,
                         from_text, to_text, lane, x, got);
        }
    g_free(in);
    g_free(out);
}

static void integer_conversions(void **state)
{
    (void)state;
    static const unsigned widths[] = { 8, 16, 24, 32, 48, 64 }, lanes[] = { 0, 2, 4 };
    for (size_t i = 0; i < G_N_ELEMENTS(widths); i++)
        for (size_t k = 0; k < G_N_ELEMENTS(widths); k++)
            for (size_t l = 0; l < G_N_ELEMENTS(lanes); l++) {
                if (lanes[l] && (widths[i] % 16 == 8 || widths[k] % 16 == 8 || widths[i] == 48 || widths[k] == 48))
                    continue;
                const struct type from = { widths[i], lanes[l] }, to = { widths[k], lanes[l] };
                if (from.bits < to.bits) check_resize("zext", &from, &to);
                if (from.bits < to.bits) check_resize("sext", &from, &to);
                if (from.bits > to.bits) check_resize("trunc", &from, &to);
            }
}

/* Conditions: a compare as branch, as value, through i1 arithmetic, as status. */
static void integer_conditions(void **state)
{
    (void)state;
    static const char ir[] =
        SELECT_LAYOUT "define void @f(ptr %in, ptr %out) {\n"
                      "%x = load i32, ptr %in\n%p = getelementptr i32, ptr %in, i32 1\n%y = load i32, ptr %p\n"
                      "%a = icmp slt i32 %x, %y\n%b = icmp eq i32 %x, 0\n%c = xor i1 %a, true\n%d = and i1 %c, "
                      "%b\n%e = or i1 %d, %a\n"
                      "%s = sext i1 %e to i32\n%n = icmp ne i1 %a, %b\n"
                      "br i1 %c, label %yes, label %no\n"
                      "yes:\n%neg = icmp slt i32 %x, 0\nbr i1 %neg, label %end, label %no\n"
                      "no:\nbr label %end\n"
                      "end:\n%r = phi i32 [ 7, %yes ], [ %s, %no ]\n%z = zext i1 %n to i32\n%t = add i32 %r, %z\n"
                      "store i32 %t, ptr %out\nret void\n}\n";
    uint8_t in[49 * 16] = { 0 }, out[49 * 16];
    static const int32_t values[] = { 0, 1, -1, 5, -7, INT32_MAX, INT32_MIN };
    for (unsigned i = 0; i < 49; i++) {
        put(in + 16 * i, (uint32_t)values[i % 7], 4);
        put(in + 16 * i + 4, (uint32_t)values[i / 7], 4);
    }
    select_run(ir, TW_ISA_IPU2, 49, in, 16, out, 16, 0);
    for (unsigned i = 0; i < 49; i++) {
        int32_t x = values[i % 7], y = values[i / 7];
        bool a = x < y, b = x == 0, c = !a, e = (c && b) || a;
        int32_t want = (c && x < 0 ? 7 : -(int32_t)e) + (a != b);
        assert_int_equal((int32_t)get(out + 16 * i, 4), want);
    }
}

/* A variable array, while a call has arguments on the stack. */
static void integer_variable_array(void **state)
{
    (void)state;
    static const char ir[] = SELECT_LAYOUT
        "declare ptr @llvm.stacksave()\ndeclare void @llvm.stackrestore(ptr)\n"
        "define i32 @sum(i32 %a, i32 %b, i32 %c, i32 %d, i32 %e, ptr %p) noinline {\n%v = load i32, ptr %p\n"
        "%s = add i32 %v, %e\nret i32 %s\n}\n"
        "define void @f(ptr %in, ptr %out) {\n%n = load i32, ptr %in\n%s = call ptr @llvm.stacksave()\n"
        "%x = alloca i32, i32 %n, align 4\n%y = alloca i32, i32 %n, align 4\n%l = sub i32 %n, 1\n"
        "%px = getelementptr i32, ptr %x, i32 %l\nstore i32 40, ptr %px\n"
        "%py = getelementptr i32, ptr %y, i32 %l\nstore i32 7, ptr %py\nstore i32 3, ptr %y\n"
        "%r = call i32 @sum(i32 0, i32 0, i32 0, i32 0, i32 2, ptr %px)\n%q = load i32, ptr %y\n"
        "call void @llvm.stackrestore(ptr %s)\n%t = mul i32 %r, %q\nstore i32 %t, ptr %out\nret void\n}\n";
    static const uint32_t counts[] = { 2, 3, 10, 17 };
    uint8_t in[4 * 16] = { 0 }, out[4 * 16];
    for (unsigned i = 0; i < 4; i++) put(in + 16 * i, counts[i], 4);
    select_run(ir, TW_ISA_IPU2, 4, in, 16, out, 16, 0);
    for (unsigned i = 0; i < 4; i++) assert_int_equal(get(out + 16 * i, 4), 42 * 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integer_operations), cmocka_unit_test(integer_alignments),
        cmocka_unit_test(integer_constants),  cmocka_unit_test(integer_conversions),
        cmocka_unit_test(integer_conditions), cmocka_unit_test(integer_variable_array),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
