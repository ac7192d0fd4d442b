/* SPDX-License-Identifier: MIT */
/* Writes the vertices of single operations, in C, for the archive that the build makes: gen_libs PART PARTS FILE,
 * and one of products, whose helpers are not to meet those of another: gen_libs NAME TYPE FILE.
 * What is not there is compiled when it is met, so rows can be left out of it. */
#include "poplar/libs/popnn/codes.h"
#include "poplar/libs/popsparse/codes.h"
#include "poplar/libs/poplin/codes.h"
#include "poplar/libs/popops/encode.h"
#include "poplar/libs/popops/reduce.h"
#include "poplar/libs/popops/slice.h"
#include "poplar/libs/popops/sort.h"
#include "poplar/libs/popops/spline.h"
#include "poplar/libs/poprand/random.h"

#include <stdlib.h>
#include <string.h>

static const tw_type gen_types[] = { TW_FLOAT, TW_HALF, TW_INT, TW_UNSIGNED_INT, TW_I16, TW_U16, TW_BOOL };

static unsigned part, parts, made;

/* One vertex, if its types fit and it is of this part. */
static void vertex(const char *text, const tw__expr_form *form)
{
    static tw__expr e;
    if (!tw__expr_parse(&e, text) || !tw__expr_infer(&e, form->type, e.tensors)) return;
    if (form->in_place && e.node[e.count - 1].type != form->type[0]) return;
    if (made++ % parts != part) return;
    g_autofree char *code = tw__expr_code(&e, form, made <= parts);
    fputs(code, stdout);
}

/* Forms of a row: all operands tensors, one of two a single element, the bounds of clamp. */
static void gen_row(const tw__expr_op *op, tw_type type)
{
    static const unsigned masks[3][3] = { { 0 }, { 0, 1, 2 }, { 0, 6 } }; /* bit i: _i+1 is one element */
    static const unsigned counts[3] = { 1, 3, 2 };
    static const char *const operands[3] = { "(_1)", "(_1,_2)", "(_1,_2,_3)" };
    g_autofree char *text = g_strconcat(op->name, operands[op->arity - 1], NULL);
    bool select = strcmp(op->name, "select") == 0;
    for (unsigned k = 0; k < counts[op->arity - 1]; k++) {
        unsigned mask = masks[op->arity - 1][k];
        if (select && mask) continue;
        tw__expr_form form = { .type = { type, type, select ? TW_BOOL : type } };
        for (unsigned i = 0; i < op->arity; i++) form.scalar[i] = mask >> i & 1;
        vertex(text, &form);
        form.in_place = true;
        if (!form.scalar[0]) vertex(text, &form);
    }
}

/* The float _3 as scaled sums of halves take it by default: as a half where it is that near (add_factor of
 * values.c). */
#define NEAR_HALF \
    "select(cast(cast(_3, half), float), _3, abs(cast(cast(_3, half), float) - _3) <= abs(_3) * 1e-06)"

/* Several operations in one that many programs have: sums with a scaled tensor, of a training step and of rows of a
 * sparse matrix; what is 0 where a condition says so; gradients of relu. Types are f, h, b. */
static void gen_fused(void)
{
    static const struct {
        const char *text, *types;
        unsigned scalars; /* bit i: _i+1 is one element */
        bool in_place;
    } rows[] = {
        { "_1 + _2 * _3", "fff", 4, true },
        { "_1 - _2 * _3", "fff", 4, true },
        { "_1 + _2 * _3", "hhh", 4, true },
        { "_1 - _2 * _3", "hhh", 4, true },
        { "_1 + cast(_2, half) * _3", "hfh", 4, true },
        { "_1 - cast(_2, half) * _3", "hfh", 4, true },
        { "cast(cast(_1, float) + cast(_2, float) * _3, half)", "hhf", 4, true },
        { "cast(cast(_1, float) - cast(_2, float) * _3, half)", "hhf", 4, true },
        { "cast(cast(_1, float) + cast(_2, float) * " NEAR_HALF ", half)", "hhf", 4, true },
        { "cast(cast(_1, float) - cast(_2, float) * " NEAR_HALF ", half)", "hhf", 4, true },
        { "cast(cast(_1, float) + _2 * _3, half)", "hff", 4, true },
        { "cast(cast(_1, float) - _2 * _3, half)", "hff", 4, true },
        { "cast(cast(_1, float) + _2 * cast(_3, float), half)", "hfh", 4, true }, /* rows of sparse matrices */
        { "cast(cast(_1, float) + _2 * " NEAR_HALF ", half)", "hff", 4, true },
        { "cast(cast(_1, float) - _2 * " NEAR_HALF ", half)", "hff", 4, true },
        { "select(_1, _2, _3)", "ffb", 2, false },
        { "select(_1, _2, _3)", "hhb", 2, false },
        { "select(_2, 0, _1 > 0)", "ff", 0, false },
        { "cast(select(cast(_2, float), 0, cast(_1, float) > 0), half)", "hh", 0, false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        tw__expr_form form = { .in_place = rows[i].in_place };
        for (unsigned k = 0; rows[i].types[k]; k++) {
            form.type[k] = rows[i].types[k] == 'f' ? TW_FLOAT : rows[i].types[k] == 'h' ? TW_HALF : TW_BOOL;
            form.scalar[k] = rows[i].scalars >> k & 1;
        }
        vertex(rows[i].text, &form);
    }
}

static void gen_reductions(tw_type type)
{
    for (tw_reduce_op op = TW_REDUCE_ADD; op < TW_REDUCE_LOG_ADD; op++)
        for (int form = 0; form < TW__REDUCE_FORMS && tw__reduce_accumulator(op, type) != TW_TYPE_NONE; form++) {
            if (form == TW__REDUCE_JOIN && tw__reduce_accumulator(op, type) != type) continue;
            g_autofree char *code = tw__reduce_code(op, type, (tw__reduce_form)form);
            if (made++ % parts == part) fputs(code, stdout);
        }
}

/* Vertices that are texts. */
static void gen_codes(const tw__libs_code *codes, size_t count)
{
    static const tw_type types[] = { TW_FLOAT, TW_HALF, TW_INT, TW_UNSIGNED_INT, TW_BOOL, TW_U8, TW_U16 };
    for (size_t i = 0; i < count * G_N_ELEMENTS(types); i++) {
        const tw__libs_code *code = &codes[i / G_N_ELEMENTS(types)];
        tw_type type = types[i % G_N_ELEMENTS(types)];
        if (!tw__libs_code_takes(code, type) || made++ % parts != part) continue;
        g_autofree char *text = tw__libs_code_text(code, type);
        fputs(text, stdout);
    }
}

/* -DTW_LEVEL=n: 1 for avx2, 2 for avx512, as src/core/base/cpu.c has them. Attributes, since options of the host's
 * compiler would go to that of the chip, too; the last one keeps vectors of 64 bytes whole. */
static const char product_level[] =
    "#if TW_LEVEL == 1 && !defined __IPU__\n"
    "#pragma clang attribute push(__attribute__((target(\"avx2,fma,f16c,bmi,bmi2\"))), apply_to = function)\n"
    "#elif TW_LEVEL == 2 && !defined __IPU__\n"
    "#pragma clang attribute push(__attribute__((target(\"avx2,fma,f16c,bmi,bmi2,avx512f,avx512bw,avx512dq,"
    "avx512vl\"))), apply_to = function)\n"
    "#pragma clang attribute push(__attribute__((min_vector_width(512))), apply_to = function)\n"
    "#endif\n";
static const char product_end[] = "#if TW_LEVEL >= 1 && !defined __IPU__\n#pragma clang attribute pop\n#endif\n"
                                  "#if TW_LEVEL == 2 && !defined __IPU__\n#pragma clang attribute pop\n#endif\n";

static int gen_product(const char *name, const char *type)
{
    const tw__libs_code *code = strcmp(name, "matmul") == 0 ? &tw__matmul_code : &tw__conv_code;
    g_autofree char *text = tw__libs_code_text(code, strcmp(type, "half") == 0 ? TW_HALF : TW_FLOAT);
    char *body = strstr(text, "#pragma"); /* behind the headers */
    if (!body) return 1;
    printf("%.*s%s%s%s", (int)(body - text), text, product_level, body, product_end);
    return fclose(stdout) == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc != 4 || !freopen(argv[3], "w", stdout)) return 2;
    if (!g_ascii_isdigit(*argv[1])) return gen_product(argv[1], argv[2]);
    part = (unsigned)strtoul(argv[1], NULL, 10), parts = (unsigned)strtoul(argv[2], NULL, 10);
    for (size_t t = 0; t < G_N_ELEMENTS(gen_types); t++) {
        for (size_t i = 0; i < tw__expr_op_count; i++) gen_row(&tw__expr_ops[i], gen_types[t]);
        for (size_t to = 0; to < G_N_ELEMENTS(gen_types); to++) {
            tw__expr_form form = { .type = { gen_types[t] } };
            g_autofree char *text = g_strdup_printf("cast(_1, %s)", tw__expr_type_name(gen_types[to]));
            if (to != t) vertex(text, &form);
        }
        gen_reductions(gen_types[t]);
        for (int counts = 0; counts < 2; counts++) {
            g_autofree char *name = tw__popops_fill_vertex(gen_types[t], counts);
            g_autofree char *code = tw__popops_fill_code(gen_types[t], counts);
            if (name && made++ % parts == part) fputs(code, stdout);
        }
    }
    gen_fused();
    gen_codes(tw__slice_codes, TW__SLICE_CODES);
    gen_codes(tw__encode_codes, TW__ENCODE_CODES);
    gen_codes(tw__random_codes, TW__RANDOM_CODES);
    gen_codes(tw__sort_codes, TW__SORT_CODES);
    gen_codes(&tw__sequence_code, 1);
    gen_codes(tw__spline_codes, TW__SPLINE_CODES);
    gen_codes(tw__solve_codes, TW__SOLVE_CODES);
    gen_codes(&tw__qr_code, 1);
    gen_codes(&tw__lu_code, 1);
    gen_codes(tw__pool_codes, TW__POOL_CODES);
    gen_codes(&tw__ctc_code, 1);
    gen_codes(&tw__ctc_search_code, 1);
    gen_codes(tw__sparse_softmax_codes, TW__SPARSE_SOFTMAX_CODES);
    gen_codes(&tw__sparse_product_code, 1);
    gen_codes(&tw__sparse_gradient_code, 1);
    gen_codes(&tw__sparse_rows_code, 1);
    gen_codes(&tw__sparse_update_code, 1);
    gen_codes(&tw__sparse_steps_code, 1);
    return fclose(stdout) == 0 ? 0 : 1;
}
