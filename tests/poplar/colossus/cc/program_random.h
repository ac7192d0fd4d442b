/* SPDX-License-Identifier: MIT */
/* Random programs in C that say the same on every machine: no undefined behaviour, no numbers that chips round or
 * flush in their own way, an end after some ten thousand instructions. They have what codelets have: integers of all
 * sizes, floats, halves and their vectors, structures with bit-fields by value, unions, switches, loops of odd
 * counts and steps over arrays, pointers to functions, variable arguments, arrays of variable length. */
#ifndef PROGRAM_RANDOM_H
#define PROGRAM_RANDOM_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct random_program {
    GString *out;
    uint32_t state;
    unsigned functions, loops; /* made so far; that the code stands in */
} random_program;

static unsigned random_of(random_program *p, unsigned count)
{
    p->state = p->state * 1664525u + 1013904223u;
    return (p->state >> 10) % count;
}
#define RANDOM_PICK(p, list) ((list)[random_of(p, G_N_ELEMENTS(list))])
#define PUT(p, ...)          g_string_append_printf((p)->out, __VA_ARGS__)

/* What all have: arrays of powers of two, and helpers that keep floats from what machines differ in. */
static const char random_head[] =
    "#include \"program.h\"\n"
    "typedef _Float16 half;\n"
    "typedef float f2 __attribute__((ext_vector_type(2)));\ntypedef float f4 __attribute__((ext_vector_type(4)));\n"
    "typedef half h2 __attribute__((ext_vector_type(2)));\ntypedef half h4 __attribute__((ext_vector_type(4)));\n"
    "typedef struct { i8 a; u16 b; u32 c : 5; i32 d : 11; u32 e; float f; u64 g : 37; u8 h[3]; } rec;\n"
    "typedef struct { i16 a; u8 b; } small;\ntypedef struct { float f; } one;\n"
    "typedef struct { u32 w[21]; half h; u8 t[5]; } large;\n"
    "typedef union { u32 w; u16 h[2]; u8 b[4]; i8 s[4]; } bits;\n"
    "static u8 A8[64]; static i8 S8[64]; static u16 A16[64]; static i16 S16[64]; static u32 A32[64]; static i32 "
    "S32[64];\n"
    "static u64 A64[32]; static float F32[64] __attribute__((aligned(8))), G32[64] __attribute__((aligned(8)));\n"
    "static half H16[64] __attribute__((aligned(8))), K16[64] __attribute__((aligned(8)));\n"
    "static rec R[8]; static small M[8]; static large L; static bits B;\n"
    "static const i16 T16[16] = { -7, 99, 3, -32768, 32767, 0, 1, 12, -1, 255, -256, 77, 5, -5, 1000, -1000 };\n"
    "static const u32 T32[8] = { 1, 0xffffffff, 0x80000000, 7, 1000003, 0x12345678, 65536, 31 };\n"
    "static float nf(float x) { return !(x < 1e9f && x > -1e9f) ? 1.5f : x < 1e-9f && x > -1e-9f ? 0.0f : x; }\n"
    "static half nh(half x) { return x > (half)24 ? (half)24 : x < (half)-24 ? (half)-24 : "
    "x < (half)0.0625f && x > (half)-0.0625f ? (half)0 : x; }\n"
    "static i32 fi(float x) { return x < 1e6f && x > -1e6f ? (i32)x : 77; }\n"
    "static u32 fb(float x) { union { float f; u32 u; } b = { x }; return b.u; }\n"
    "static NOINLINE u32 many(int n, ...) { __builtin_va_list v; u32 s = (u32)n; __builtin_va_start(v, n);\n"
    "  for (int i = 0; i < n; i++) { s = mix(s, __builtin_va_arg(v, u32)); s = mix(s, (u32)__builtin_va_arg(v, "
    "u64));\n"
    "    s = mix(s, fb((float)__builtin_va_arg(v, double))); small m = __builtin_va_arg(v, small); s = mix(s, "
    "(u32)m.a + m.b); }\n"
    "  __builtin_va_end(v); return s; }\n"
    "static NOINLINE u32 t0(u32 x, u32 y) { return x * 3 + y; }\nstatic NOINLINE u32 t1(u32 x, u32 y) { return x ^ "
    "y >> 3; }\n"
    "static NOINLINE u32 t2(u32 x, u32 y) { return x - y; }\nstatic NOINLINE u32 t3(u32 x, u32 y) { return x / (y "
    "| 1); }\n"
    "static u32 (*const table[4])(u32, u32) = { t0, t1, t2, t3 };\n";

static void random_word(random_program *p, unsigned depth);
static void random_float(random_program *p, unsigned depth);

/* Arguments of a format: %w words of 32 bits, %q of 64, %f floats, %h halves, %d a random number. */
static void random_put(random_program *p, const char *format, unsigned depth);

static void random_long(random_program *p, unsigned depth)
{
    static const char *const leaves[] = { "q",
                                          "(u64)w",
                                          "(u64)(i64)(i32)w",
                                          "A64[%w & 31]",
                                          "0x123456789abcdefull",
                                          "(u64)R[w & 7].g",
                                          "0xffffffff00000001ull" };
    static const char *const forms[] = {
        "(%q + %q)",
        "(%q - %q)",
        "(%q * %q)",
        "(%q & %q)",
        "(%q | %q)",
        "(%q ^ %q)",
        "(%q << (%w & 63))",
        "(%q >> (%w & 63))",
        "(u64)((i64)%q >> (%w & 63))",
        "(%q / (%q | 1))",
        "(%q %% (%q | 3))",
        "(u64)((i64)%q / (i64)(%q >> 33 | 5))",
        "(u64)((i64)%q %% (i64)(%q >> 40 | 9))",
        "((u64)%w << 32 | %w)",
        "((u64)%w * %w)",
        "(u64)((i64)(i32)%w * (i32)%w)",
        "((i64)%q < (i64)%q ? %q : %q)",
        "(%q > %q ? %q : ~%q)",
        "(u64)__builtin_popcountll(%q)",
        "__builtin_bswap64(%q)",
        "(u64)__builtin_clzll(%q | 1)",
        "(u64)(i64)fi(%f)",
    };
    random_put(p, depth ? RANDOM_PICK(p, forms) : RANDOM_PICK(p, leaves), depth);
}

static void random_word(random_program *p, unsigned depth)
{
    static const char *const leaves[] = {
        "w",
        "v",
        "(u32)n",
        "(u32)c",
        "(u32)q",
        "%du",
        "0x%du",
        "%du",
        "A8[%w & 63]",
        "(u32)S8[%w & 63]",
        "A16[%w & 63]",
        "(u32)S16[%w & 63]",
        "A32[%w & 63]",
        "(u32)S32[%w & 63]",
        "(u32)T16[%w & 15]",
        "T32[%w & 7]",
        "R[%w & 7].c",
        "(u32)R[%w & 7].d",
        "R[%w & 7].b",
        "(u32)R[%w & 7].a",
        "(u32)M[%w & 7].a",
        "B.h[1]",
        "(u32)B.s[%w & 3]",
        "L.w[%w & 15]",
    };
    static const char *const forms[] = {
        "(%w + %w)",
        "(%w - %w)",
        "(%w * %w)",
        "(%w & %w)",
        "(%w | %w)",
        "(%w ^ %w)",
        "(%w << (%w & 31))",
        "(%w >> (%w & 31))",
        "(u32)((i32)%w >> (%w & 31))",
        "(%w / (%w | 1))",
        "(%w %% (%w | 1))",
        "(%w / %d9u)",
        "(%w %% %d7u)",
        "(u32)((i32)%w / %d3)",
        "(u32)((i32)%w %% %d1)",
        "(u32)((i32)%w / (i32)(%w >> 9 | 3))",
        "(u32)((i32)%w < (i32)%w)",
        "(u32)(%w <= %w)",
        "(u32)(%w == %w)",
        "((i32)%w > %d ? %w : %w)",
        "(%w ? %w : ~%w)",
        "(u32)(i8)%w",
        "(u32)(u16)%w",
        "(u32)(i16)%w",
        "(u32)(u8)(%w + %w)",
        "(u32)(%q >> 17)",
        "(u32)(%q > %q)",
        "(u32)((i64)%q <= (i64)%q)",
        "(u32)__builtin_popcount(%w)",
        "(u32)__builtin_clz(%w | 1)",
        "(u32)__builtin_ctz(%w | 64)",
        "__builtin_bswap32(%w)",
        "(%w << 7 | %w >> 25)",
        "(u32)(%f < %f)",
        "(u32)fi(%f)",
        "(u32)(%h >= %h)",
        "fb(nf(%f))",
        "(u32)fi((float)%h)",
        "(u32)!%w",
        "(u32)(%w && %w)",
        "(u32)(%w || %f > 1.0f)",
        "table[%w & 3](%w, %w)",
    };
    if (!depth) g_string_append(p->out, "(u32)"); /* products of short ones would be signed */
    random_put(p, depth ? RANDOM_PICK(p, forms) : RANDOM_PICK(p, leaves), depth);
}

static void random_float(random_program *p, unsigned depth)
{
    static const char *const leaves[] = {
        "f", "g", "%d.25f", "-0.5f", "F32[%w & 63]", "G32[%w & 63]", "R[%w & 7].f", "(float)k"
    };
    static const char *const forms[] = {
        "(%f + %f)",
        "(%f - %f)",
        "nf(%f * %f)",
        "(- %f)",
        "(%f / (nf(%f) * nf(%f) + 1.0f))",
        "(%f < %f ? %f : %f)",
        "(float)(i32)(%w & 0xfffff)",
        "(float)(i16)%w",
        "(float)(%w >> 9)",
        "__builtin_fabsf(%f)",
        "((i32)%w > 3 ? %f : %f)",
        "(float)%h",
        "(float)(u8)%w",
        "(%f == %f ? 1.0f : %f)",
        "(float)(%q >> 45)",
        "__builtin_floorf(nf(%f))",
    };
    random_put(p, depth ? RANDOM_PICK(p, forms) : RANDOM_PICK(p, leaves), depth);
}

static void random_half(random_program *p, unsigned depth)
{
    static const char *const leaves[] = { "k", "(half)%d", "(half)-1.5f", "H16[%w & 63]", "K16[%w & 63]", "L.h" };
    static const char *const forms[] = {
        "nh(%h + %h)",
        "nh(%h - %h)",
        "nh(%h * %h)",
        "(- %h)",
        "(%h < %h ? %h : %h)",
        "(half)(i32)(%w & 15)",
        "nh((half)((float)%h * 0.75f))",
        "(%w & 1 ? %h : %h)",
        "nh(%h * (half)0.5f + %h)",
    };
    random_put(p, depth ? RANDOM_PICK(p, forms) : RANDOM_PICK(p, leaves), depth);
}

static void random_put(random_program *p, const char *format, unsigned depth)
{
    if (depth) depth--;
    for (; *format; format++) {
        if (*format != '%') {
            g_string_append_c(p->out, *format);
            continue;
        }
        switch (*++format) {
        case 'w': random_word(p, random_of(p, 4) ? depth : 0); break;
        case 'q': random_long(p, random_of(p, 4) ? depth : 0); break;
        case 'f': random_float(p, random_of(p, 4) ? depth : 0); break;
        case 'h': random_half(p, random_of(p, 4) ? depth : 0); break;
        case 'd': PUT(p, "%u", random_of(p, 9) + 1); break;
        default: g_string_append_c(p->out, '%');
        }
    }
}

/* --- statements ------------------------------------------------------------------------------------------------- */

static void random_block(random_program *p, unsigned depth, unsigned statements);

/* Loops over arrays; i runs as the head says, all indices stay inside. */
static void random_array_loop(random_program *p)
{
    static const char *const heads[] = {
        "for (u32 i = 0; i < 64; i++)",
        "for (u32 i = 0; i < (%w & 63); i++)",
        "for (u32 i = %d; i < 61; i += %d)",
        "for (i32 i = 63; i >= 0; i--)",
        "for (i32 i = 62; i > (i32)(%w & 31); i -= 2)",
        "for (u32 i = (%w & 7); i < %d7 %% 64; i++)",
        "for (u8 i = 1; i && i < 64; i = (u8)(i << 1))",
        "for (u32 i = %w & 63; i--;)",
    };
    static const char *const bodies[] = {
        "A32[i] = A32[i] * %d + A16[i];",
        "A8[i] = (u8)(A8[i] + S8[63 - i]);",
        "A16[i] ^= (u16)(A16[(i + 1) & 63] + v);",
        "F32[i] = F32[i] * 0.5f + G32[i];",
        "G32[i] = F32[i] > G32[i] ? F32[i] * 0.25f : G32[i] - 1.0f;",
        "H16[i] = nh(H16[i] * (half)0.5f + K16[i]);",
        "K16[i] = H16[63 - i];",
        "w = mix(w, A32[i]);",
        "v += A8[i] * (u32)S16[i];",
        "S16[i] = (i16)(S16[i] - S8[i] * 3);",
        "S32[i] = S32[i] > (i32)w ? S32[i] >> 1 : (i32)A32[i];",
        "A64[i & 31] += (u64)A32[i] * w;",
        "{ if (A8[i] & 1) continue; A32[i & 15]++; }",
        "{ if (S16[i] == 77) break; S8[i] = (i8)-S8[i]; }",
        "{ A32[i] = A32[(i * 5) & 63] + A32[i]; v ^= A32[i] >> 7; }",
        "G32[i] = (float)S16[i] * 0.125f;",
        "A16[i] = (u16)fi(F32[i]);",
        "H16[i] = (half)(A8[i] & 15);",
        "F32[i] = (float)K16[i] + 0.5f;",
        "{ R[i & 7].e += A32[i]; R[i & 7].d = (i32)(w + (u32)i); }",
        "for (u32 j = 0; j < %d; j++) A32[(i + j) & 63] += j * v;",
        "{ f = f + G32[i]; g = g < F32[i] ? g : F32[i]; }",
        "{ F32[i] = f; G32[i] = nf(g + f); }",
    };
    random_put(p, RANDOM_PICK(p, heads), 1);
    g_string_append(p->out, " { ");
    for (unsigned i = random_of(p, 2) + 1; i; i--) random_put(p, RANDOM_PICK(p, bodies), 1);
    g_string_append(p->out, " }\nf = nf(f), g = nf(g);\n");
}

/* Dense ones become tables of jumps. */
static void random_switch(random_program *p, unsigned depth)
{
    static const char *const types[] = { "u32", "u32", "i32", "i64", "u64", "i8", "u16" };
    unsigned step = RANDOM_PICK(p, ((const unsigned[]){ 1, 1, 1, 1, 2, 3, 1000 })), count = random_of(p, 14) + 2;
    int first = RANDOM_PICK(p, ((const int[]){ 0, 0, 1, 2, -5, 99 }));
    const char *type = step == 1000 ? "u32" : RANDOM_PICK(p, types);
    PUT(p, "switch ((%s)((i32)(", type);
    random_put(p, "%w %% ", 1);
    PUT(p, "%u) + %d)) {\n", step * count + 4, first - 2);
    for (unsigned i = 0; i < count; i++) {
        PUT(p, "case (%s)%d: ", type, first + (int)(i * step));
        random_block(p, depth, 1);
        if (random_of(p, 4)) g_string_append(p->out, "break;\n");
    }
    g_string_append(p->out, "default: ");
    random_block(p, depth, 1);
    g_string_append(p->out, "}\n");
}

static void random_vectors(random_program *p)
{
    static const char *const forms[] = {
        "{ f4 x = { f, g, %f, 1.0f }, y = { 0.5f, %f, f, g }; x = x * y + x; F32[%d] = nf(x.z), f = nf(x.x), g = "
        "nf(x.yw.x); }",
        "{ f2 *x = (f2 *)F32; const f2 *y = (const f2 *)G32; for (u32 i = 0; i < (%w & 31); i++) x[i] = x[i] * "
        "0.5f + y[i]; }",
        "{ h4 *x = (h4 *)H16; for (u32 i = 0; i < (%w & 15); i++) x[i] = x[i] * (half)0.25f + (half)%d; }",
        "{ h2 x = { %h, k }, y = { k, %h }; x = x.yx + y; k = nh(x.x), H16[%w & 63] = nh(x.y); }",
        "{ f4 x = { f, g, f, 2.0f }; x[%w & 3] = 7.0f; g = nf(x[%w & 3]); }",
        "{ h4 x = { k, k, 1, 2 }; x[%w & 3] = %h; k = x[%w & 3]; }",
    };
    random_put(p, RANDOM_PICK(p, forms), 2);
    g_string_append_c(p->out, '\n');
}

static void random_statement(random_program *p, unsigned depth)
{
    static const char *const plain[] = {
        "w = %w;",
        "v = %w;",
        "w += %w;",
        "v ^= %w;",
        "n = (i16)%w;",
        "c = (u8)%w;",
        "q = %q;",
        "q += %q;",
        "f = nf(%f);",
        "g = nf(%f);",
        "k = %h;",
        "A8[%w & 63] = (u8)%w;",
        "S8[%w & 63] = (i8)%w;",
        "A16[%w & 63] += (u16)%w;",
        "S16[%w & 63] = (i16)%w;",
        "A32[%w & 63] = %w;",
        "S32[%w & 63] ^= (i32)%w;",
        "A64[%w & 31] = %q;",
        "F32[%w & 63] = nf(%f);",
        "H16[%w & 63] = %h;",
        "R[%w & 7].c = %w;",
        "R[%w & 7].d = (i32)%w;",
        "R[%w & 7].g = %q;",
        "R[%w & 7].f = nf(%f);",
        "R[%w & 7].h[%w % 3] = (u8)%w;",
        "R[%w & 7] = R[%w & 7];",
        "M[%w & 7] = (small){ (i16)%w, (u8)%w };",
        "M[%w & 7] = M[%w & 7];",
        "L.w[%w % 21] = %w;",
        "L.h = %h;",
        "B.w = %w;",
        "B.b[%w & 3] = (u8)%w;",
        "B.h[0] += 9;",
        "w = many(%d & 3, %w, %q, (double)%f, M[1], %w, %q, (double)%f, M[2], %w, %q, "
        "(double)%f, M[3]);",
        "__builtin_memcpy(A8 + (%w & 7), S16, %d1 & 31);",
        "__builtin_memset(A16 + (%w & 7), (int)%w & 255, %d5 & 63);",
        "__builtin_memmove(A32 + (%w & 7), A32 + (%w & 7), %d9);",
        "{ u32 r; w += __builtin_add_overflow(%w, %w, &r); v = r; }",
        "{ i32 r; w += __builtin_mul_overflow((i32)%w, (i32)%w, &r); v ^= (u32)r; }",
        "{ i64 r; w += __builtin_mul_overflow((i64)%q, (i64)%q, &r); q = (u64)r; }",
        "{ u32 m = (%w & 7) + 1, a[m]; for (u32 i = 0; i < m; i++) a[i] = %w + i; v = mix(v, a[m - 1] ^ a[m / 2]); "
        "}",
    };
    unsigned kind = random_of(p, depth ? 16 : 8);
    if (kind < 7) {
        random_put(p, RANDOM_PICK(p, plain), 1 + random_of(p, 3));
        g_string_append_c(p->out, '\n');
    } else if (kind == 7) {
        random_vectors(p);
    } else if (kind < 10) {
        random_put(p, random_of(p, 3) ? "if (%w > %w) " : "if (%f < %f) ", 2);
        random_block(p, depth - 1, 2);
        if (random_of(p, 2)) g_string_append(p->out, "else "), random_block(p, depth - 1, 2);
    } else if (kind == 10) {
        random_switch(p, depth - 1);
    } else if (kind < 13 && p->loops < 2) {
        static const struct {
            const char *head, *tail;
        } loops[] = { { "& 7; while (e--) ", "" },
                      { "& 15; for (u32 i = e; i < 17; i += 1 + (e & 3)) ", "" },
                      { "& 3; do ", "while (e-- > 1 && e < 9);" } };
        unsigned which = random_of(p, G_N_ELEMENTS(loops));
        p->loops++;
        random_put(p, "{ u32 e = %w ", 1);
        g_string_append(p->out, loops[which].head);
        random_block(p, depth - 1, 3);
        g_string_append(p->out, loops[which].tail);
        g_string_append(p->out, "}\n");
        p->loops--;
    } else if (kind < 15 && p->loops < 2) {
        random_array_loop(p);
    } else if (p->functions && !p->loops) {
        random_put(p, "w ^= fn", 0);
        PUT(p, "%u", random_of(p, p->functions));
        random_put(p, "(%w, (i16)%w, %q, nf(%f), R[%w & 7], %h, M[%w & 7], (one){ nf(%f) }, L, (u8)%w).e;\n", 1);
    } else {
        random_put(p, "w = table[%w & 3](v, %w);\n", 1);
    }
}

static void random_block(random_program *p, unsigned depth, unsigned statements)
{
    g_string_append(p->out, "{ ");
    for (unsigned i = random_of(p, statements) + 1; i; i--) random_statement(p, depth);
    g_string_append(p->out, "}\n");
}

/* A program, g_free(). */
static char *random_source(uint32_t seed)
{
    random_program all = { .out = g_string_new(random_head), .state = seed * 2654435761u + 1 }, *p = &all;
    enum { FUNCTIONS = 3, STATEMENTS = 9 };
    for (unsigned i = 0; i < FUNCTIONS; i++) {
        PUT(p,
            "static NOINLINE rec fn%u(u32 w, i16 n, u64 q, float f, rec r, half k, small m, one o, large l, u8 c)\n"
            "{ u32 v = r.e ^ (u32)m.a ^ l.w[3]; float g = o.f;\n",
            i);
        for (unsigned s = 0; s < STATEMENTS; s++) random_statement(p, 3);
        PUT(p, "l.w[5] = w, r.e = mix(w, v) ^ (u32)n ^ c ^ l.w[5], r.f = f, r.g = q, r.h[1] = (u8)(k > g); return "
               "r; }\n");
        p->functions++;
    }
    PUT(p, "int main(void)\n{ for (u32 i = 0; i < 64; i++) { A8[i] = (u8)(i * 37), S8[i] = (i8)(i * 91), A16[i] = "
           "(u16)(i * 4099), "
           "S16[i] = (i16)(i * 7001), A32[i] = i * 0x9e3779b1, S32[i] = (i32)(i * 0x85ebca6b), A64[i & 31] = i * "
           "0x9e3779b97f4a7c15ull, "
           "F32[i] = (float)i * 0.5f - 9, G32[i] = 20 - (float)i, H16[i] = (half)(i & 15), K16[i] = "
           "(half)((float)(i & 31) * 0.25f - 3); }\n"
           "for (u32 i = 0; i < 8; i++) R[i] = (rec){ (i8)i, (u16)(i * 999), i, (i32)i - 4, i * 77777, (float)i, i "
           "* 0x123456789, { (u8)i } };\n"
           "for (u32 i = 0; i < 3; i++) {\n");
    for (unsigned i = 0; i < p->functions; i++)
        PUT(p,
            "{ rec r = fn%u(i * 12345, (i16)(i * 777), i * 0x987654321, (float)i + 0.5f, R[i], (half)2, M[i], "
            "(one){ 3 }, L, (u8)(i * 99)); "
            "out(r.e), out_float(r.f), out64(r.g), out(r.h[1]), R[i] = r; }\n",
            i);
    PUT(p, "u32 s = 0; for (u32 j = 0; j < 64; j++) s = mix(mix(mix(mix(mix(mix(s, A8[j]), (u32)S8[j]), A16[j]), "
           "(u32)S16[j]), A32[j]), (u32)S32[j]);\n"
           "out(s); for (u32 j = 0; j < 32; j++) s = mix(mix(s, (u32)A64[j]), (u32)(A64[j] >> 32));\n"
           "out(s); for (u32 j = 0; j < 64; j++) s = mix(mix(mix(mix(s, fb(nf(F32[j]))), fb(nf(G32[j]))), "
           "fb((float)H16[j])), fb((float)K16[j]));\n"
           "out(s); for (u32 j = 0; j < 8; j++) s = mix(mix(mix(mix(s, R[j].c), (u32)R[j].d), R[j].e), (u32)M[j].a "
           "+ M[j].b);\n"
           "out(s), out(B.w), out(mix(L.w[4], L.w[20])); }\nreturn 0; }\n");
    return g_string_free(all.out, FALSE);
}

#endif
