/* SPDX-License-Identifier: MIT */
/* Vertices of reductions. One order for all forms: 64 elements are a leaf, element e joins lane e mod 8, lanes
 * join as l and l + 4, l and l + 2, l and l + 1; leaves join as 2i and 2i + 1, level by level. A vertex that has
 * an aligned group of 2^k leaves has a subtree. */
#include "poplar/libs/popops/reduce.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *name, *real, *integer; /* how a and b join; NULL: not for these types */
    const char *types;                 /* letters as in expr_ops.h */
    double identity;
} reduce_ops[] = {
    [TW_REDUCE_ADD] = { "add", "a + b", "(unsigned)a + (unsigned)b", "fiu", 0 },
    [TW_REDUCE_MUL] = { "mul", "a * b", "(unsigned)a * (unsigned)b", "fiu", 1 },
    [TW_REDUCE_MIN] = { "min", "tw_least(a, b)", "a < b ? a : b", "fiu", INFINITY },
    [TW_REDUCE_MAX] = { "max", "tw_most(a, b)", "a > b ? a : b", "fiu", -INFINITY },
    [TW_REDUCE_LOGICAL_AND] = { "logical_and", NULL, "a & b", "b", 1 },
    [TW_REDUCE_LOGICAL_OR] = { "logical_or", NULL, "a | b", "b", 0 },
    [TW_REDUCE_SQUARE_ADD] = { "square_add", "a + b", "(unsigned)a + (unsigned)b", "fiu", 0 },
    [TW_REDUCE_LOG_ADD] = { "log_add", "a + b", NULL, "f", 0 },
};

static bool reduce_is_real(tw_type type)
{
    return type == TW_FLOAT || type == TW_HALF;
}

const char *tw__reduce_name(tw_reduce_op op)
{
    return (unsigned)op < G_N_ELEMENTS(reduce_ops) ? reduce_ops[op].name : NULL;
}

tw_type tw__reduce_accumulator(tw_reduce_op op, tw_type type)
{
    const char *types = (unsigned)op < G_N_ELEMENTS(reduce_ops) ? reduce_ops[op].types : "";
    char letter = reduce_is_real(type)      ? 'f'
                  : type == TW_INT          ? 'i'
                  : type == TW_UNSIGNED_INT ? 'u'
                  : type == TW_BOOL         ? 'b'
                                            : '?';
    if (!strchr(types, letter)) return TW_TYPE_NONE;
    return letter == 'f' ? TW_FLOAT : type;
}

double tw__reduce_identity(tw_reduce_op op, tw_type type)
{
    double v = reduce_ops[op].identity;
    if (!isinf(v) || reduce_is_real(type)) return v;
    bool is_signed = type == TW_INT;
    return v < 0 ? (is_signed ? -2147483648.0 : 0) : is_signed ? 2147483647.0 : 4294967295.0;
}

char *tw__reduce_vertex(tw_reduce_op op, tw_type type, tw__reduce_form form)
{
    static const char *const forms[] = { "ReduceRows", "ReduceColumns", "ReduceJoin" };
    char *name = g_strdup_printf("popops::%s<%s,%s>", forms[form], reduce_ops[op].name, tw__expr_type_name(type));
    for (char *c = name; *c; c++)
        if (*c == ' ') *c = '_';
    return name;
}

static const char reduce_prelude[] = "#include <tilewright/codelet.h>\n"
                                     "static inline float %ID%pick(float a, float b, unsigned keep, unsigned set)\n"
                                     "{\n"
                                     "    union { float f; unsigned u; } x = { a }, y = { b };\n"
                                     "    x.u = ((x.u & y.u) & keep) | ((x.u | y.u) & set);\n"
                                     "    return x.f;\n"
                                     "}\n"
                                     "static inline __attribute__((unused)) float %ID%most(float a, float b)\n"
                                     "{\n"
                                     "    return a > b || b != b ? a : a == b ? %ID%pick(a, b, ~0u, 0) : b;\n"
                                     "}\n"
                                     "static inline __attribute__((unused)) float %ID%least(float a, float b)\n"
                                     "{\n"
                                     "    return a < b || b != b ? a : a == b ? %ID%pick(a, b, 0, ~0u) : b;\n"
                                     "}\n"
                                     "#define tw_most %ID%most\n#define tw_least %ID%least\n"
                                     "static inline %ACC% %ID%both(%ACC% a, %ACC% b) { return (%ACC%)(%BOTH%); }\n"
                                     "static inline %ACC% %ID%first(%ACC% x) { return (%ACC%)(%FIRST%); }\n"
                                     "#undef tw_most\n#undef tw_least\n"
                                     "TW_VERTEX_AS(%ID%, \"%NAME%\")\n"
                                     "{\n"
                                     "    TW_INPUT(TW_VECTORS(%IN%)) in;\n"
                                     "    TW_OUTPUT(TW_VECTOR(%ACC%)) out;\n"
                                     "};\n";

static const char rows_code[] =
    "static %ACC% %ID%leaf(const %IN% *x, size_t n)\n"
    "{\n"
    "    %ACC% lane[8];\n"
    "    size_t lanes = n < 8 ? n : 8, e = lanes;\n"
    "    for (size_t l = 0; l < lanes; l++) lane[l] = %ID%first((%ACC%)x[l]);\n"
    "    for (; e + 8 <= n; e += 8)\n"
    "        for (size_t l = 0; l < 8; l++) lane[l] = %ID%both(lane[l], %ID%first((%ACC%)x[e + l]));\n"
    "    for (size_t l = 0; e + l < n; l++) lane[l] = %ID%both(lane[l], %ID%first((%ACC%)x[e + l]));\n"
    "    for (size_t step = 4; step; step /= 2)\n"
    "        for (size_t l = 0; l < step && l + step < lanes; l++) lane[l] = %ID%both(lane[l], lane[l + step]);\n"
    "    return lane[0];\n"
    "}\n"
    "bool %ID%_compute(%ID% *v)\n"
    "{\n"
    "    for (size_t r = 0; r < tw_rows(v->in); r++) {\n"
    "        const %IN% *x = tw_begin(tw_sub(v->in, r));\n"
    "        size_t n = tw_size(tw_sub(v->in, r)), depth = 0, number = 0;\n"
    "        %ACC% stack[64];\n"
    "        for (size_t at = 0; at < n; at += 64, number++) {\n"
    "            %ACC% s = %ID%leaf(x + at, n - at < 64 ? n - at : 64);\n"
    "            for (size_t k = number; k & 1; k >>= 1) s = %ID%both(stack[--depth], s);\n"
    "            stack[depth++] = s;\n"
    "        }\n"
    "        for (; depth > 1; depth--) stack[depth - 2] = %ID%both(stack[depth - 2], stack[depth - 1]);\n"
    "        *tw_at(v->out, r) = stack[0];\n"
    "    }\n"
    "    return true;\n"
    "}\n";

static const char columns_code[] =
    "bool %ID%_compute(%ID% *v)\n"
    "{\n"
    "    size_t rows = tw_rows(v->in), columns = tw_size(v->out);\n"
    "    for (size_t c = 0; c < columns; c += 16) {\n"
    "        size_t w = columns - c < 16 ? columns - c : 16, depth = 0, number = 0;\n"
    "        %ACC% stack[64][16], lane[8][16];\n"
    "        for (size_t at = 0; at < rows; at += 64, number++) {\n"
    "            size_t n = rows - at < 64 ? rows - at : 64, lanes = n < 8 ? n : 8;\n"
    "            for (size_t e = 0; e < n; e++) {\n"
    "                const %IN% *x = tw_begin(tw_sub(v->in, at + e)) + c;\n"
    "                %ACC% *to = lane[e % 8];\n"
    "                if (e < 8)\n"
    "                    for (size_t j = 0; j < w; j++) to[j] = %ID%first((%ACC%)x[j]);\n"
    "                else\n"
    "                    for (size_t j = 0; j < w; j++) to[j] = %ID%both(to[j], %ID%first((%ACC%)x[j]));\n"
    "            }\n"
    "            for (size_t step = 4; step; step /= 2)\n"
    "                for (size_t l = 0; l < step && l + step < lanes; l++)\n"
    "                    for (size_t j = 0; j < w; j++) lane[l][j] = %ID%both(lane[l][j], lane[l + step][j]);\n"
    "            for (size_t k = number; k & 1; k >>= 1, depth--)\n"
    "                for (size_t j = 0; j < w; j++) lane[0][j] = %ID%both(stack[depth - 1][j], lane[0][j]);\n"
    "            for (size_t j = 0; j < w; j++) stack[depth][j] = lane[0][j];\n"
    "            depth++;\n"
    "        }\n"
    "        for (; depth > 1; depth--)\n"
    "            for (size_t j = 0; j < w; j++) stack[depth - 2][j] = %ID%both(stack[depth - 2][j], stack[depth - "
    "1][j]);\n"
    "        for (size_t j = 0; j < w; j++) *tw_at(v->out, c + j) = stack[0][j];\n"
    "    }\n"
    "    return true;\n"
    "}\n";

static const char join_code[] =
    "bool %ID%_compute(%ID% *v)\n"
    "{\n"
    "    for (size_t r = 0; r < tw_rows(v->in); r++) {\n"
    "        const %IN% *x = tw_begin(tw_sub(v->in, r));\n"
    "        size_t depth = 0;\n"
    "        %ACC% stack[64];\n"
    "        for (size_t i = 0; i < tw_size(tw_sub(v->in, r)); i++) {\n"
    "            %ACC% s = x[i];\n"
    "            for (size_t k = i; k & 1; k >>= 1) s = %ID%both(stack[--depth], s);\n"
    "            stack[depth++] = s;\n"
    "        }\n"
    "        for (; depth > 1; depth--) stack[depth - 2] = %ID%both(stack[depth - 2], stack[depth - 1]);\n"
    "        *tw_at(v->out, r) = stack[0];\n"
    "    }\n"
    "    return true;\n"
    "}\n";

char *tw__reduce_code(tw_reduce_op op, tw_type type, tw__reduce_form form)
{
    static const char *const bodies[] = { rows_code, columns_code, join_code };
    tw_type accumulator = tw__reduce_accumulator(op, type);
    g_autofree char *name = tw__reduce_vertex(op, type, form);
    g_autofree char *id = g_strdup(name);
    for (char *c = id; *c; c++)
        if (!g_ascii_isalnum(*c)) *c = '_';
    bool square = op == TW_REDUCE_SQUARE_ADD && form != TW__REDUCE_JOIN, real = accumulator == TW_FLOAT;
    g_autoptr(GString) out = g_string_new(reduce_prelude);
    g_string_append(out, bodies[form]);
    g_string_replace(out, "%ACC%", tw__expr_c_type(accumulator), 0);
    g_string_replace(out, "%IN%", tw__expr_c_type(type), 0);
    g_string_replace(out, "%BOTH%", real ? reduce_ops[op].real : reduce_ops[op].integer, 0);
    g_string_replace(out, "%FIRST%", !square ? "x" : real ? "x * x" : "(unsigned)x * (unsigned)x", 0);
    g_string_replace(out, "%NAME%", name, 0);
    g_string_replace(out, "%ID%", id, 0);
    return g_string_free(g_steal_pointer(&out), FALSE);
}
