/* SPDX-License-Identifier: MIT */
/* ref_fold: reductions, places of extremes, and one value per row or column spread over a tile, as plain loops over
 * matrices of codes. Sums and products go in index order; those of f16 and bf16 are held in f32 and
 * rounded once.  */
#include "pto/reference/ref_tables.h"

#include <math.h>
#include <string.h>

typedef enum fold { SUM, PROD, MAX, MIN, DIFFERENCE, QUOTIENT, EXPONENTIAL } fold;

/* What a row's name ends in, or has before its form. */
static fold fold_of(const ref_call *call)
{
    static const struct {
        const char *part;
        fold op;
    } names[] = {
        { "EXPDIF", EXPONENTIAL }, { "SUM", SUM },         { "PROD", PROD }, { "MAX", MAX },      { "MIN", MIN },
        { "DADD", SUM },           { "DSUB", DIFFERENCE }, { "DMUL", PROD }, { "DDIV", QUOTIENT }
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strstr(call->row->name, names[i].part)) return names[i].op;
    return SUM;
}

static bool less(tw_type type, uint64_t a, uint64_t b)
{
    if (ref_is_float(type)) return ref_real(type, a) < ref_real(type, b);
    return ref_is_signed(type) ? ref_integer(type, a) < ref_integer(type, b) : a < b;
}

/* a op b where both are codes of `type`. */
static uint64_t combine(tw_type type, fold op, uint64_t a, uint64_t b)
{
    uint64_t code;
    if (op == MAX) return less(type, a, b) ? b : a;
    if (op == MIN) return less(type, b, a) ? b : a;
    if (ref_is_float(type)) {
        double x = ref_real(type, a), y = ref_real(type, b);
        return ref_code(type, op == SUM ? x + y : x * y);
    }
    ref_put_whole(type, &code, op == SUM ? a + b : a * b);
    return code;
}

/* Element i of `n` that lie `step` apart. */
typedef struct line {
    const uint64_t *at;
    size_t step, n;
    tw_type type;
} line;

static line row_of(const ref_matrix *m, uint32_t r)
{
    return (line){ m->at + (size_t)r * m->cols, 1, m->valid_cols, m->type };
}
static line column_of(const ref_matrix *m, uint32_t c)
{
    return (line){ m->at + c, m->cols, m->valid_rows, m->type };
}

static uint64_t widened(tw_type type, uint64_t code)
{
    return ref_is_float(type) ? ref_code(TW_F32, ref_real(type, code)) : code;
}

/* One after the other. Sums of a row begin with +0, those of a column with its first element: the documents do not
 * say what becomes of nothing but -0. */
static uint64_t folded(line l, fold op)
{
    bool zero = op == SUM && l.step == 1;
    tw_type wide = ref_is_float(l.type) ? TW_F32 : l.type;
    uint64_t result = zero ? 0 : widened(l.type, l.at[0]);
    for (size_t i = !zero; i < l.n; i++) result = combine(wide, op, result, widened(l.type, l.at[i * l.step]));
    return ref_is_float(l.type) ? ref_code(l.type, ref_real(TW_F32, result)) : result;
}

/* Neighbours first, then their sums, and so on; an odd last one waits (isBinary). */
static uint64_t paired(line l, fold op)
{
    enum { MOST = 256 };
    tw_type wide = ref_is_float(l.type) ? TW_F32 : l.type;
    uint64_t v[MOST];
    size_t n = l.n;
    for (size_t i = 0; i < n; i++) v[i] = widened(l.type, l.at[i * l.step]);
    for (; n > 1; n = (n + 1) / 2)
        for (size_t i = 0; i < (n + 1) / 2; i++)
            v[i] = 2 * i + 1 < n ? combine(wide, op, v[2 * i], v[2 * i + 1]) : v[2 * i];
    return ref_is_float(l.type) ? ref_code(l.type, ref_real(TW_F32, v[0])) : v[0];
}

/* The first that no other exceeds, by strict comparison. */
static size_t place_of(line l, bool largest)
{
    size_t best = 0;
    for (size_t i = 1; i < l.n; i++) {
        uint64_t x = l.at[i * l.step], y = l.at[best * l.step];
        if (largest ? less(l.type, y, x) : less(l.type, x, y)) best = i;
    }
    return best;
}

/* --- rows ------------------------------------------------------------------------------------------------------- */

/* Variants: 0 dst a row-major tile with one valid column, 1 a column, 2 two valid columns, 3 other rows. */
static void per_row(ref_call *call, ref_matrix *m)
{
    m->valid_cols = 1;
    if (call->variant == 1) m->cols = 1, m->layouts = 1u << REF_COL; /* rows: whole blocks of any type */
    if (call->variant == 1 && m->rows < 32) m->rows = 32;
    if (call->variant == 2) m->valid_cols = 2;
    if (call->variant == 3 && m->valid_rows) m->valid_rows--;
    if (call->variant == 0) m->layouts = 1u << REF_ROW | 1u << REF_ZN | 1u << REF_ZZ; /* column-major: Cols == 1 */
}
static void plan_rows(ref_call *call)
{
    ref_matrix *a = ref_of(call, 'a');
    per_row(call, ref_of(call, 'd'));
    call->illegal = a->valid_rows == 0 || a->valid_cols == 0 || call->variant > 1;
}
static void rows(ref_call *call)
{
    fold op = fold_of(call);
    ref_matrix *d = ref_of(call, 'd'), *a = ref_of(call, 'a');
    for (uint32_t r = 0; r < a->valid_rows; r++) REF_AT(d, r, 0) = folded(row_of(a, r), op);
}

/* Places: variants as above, from 4 on with u32 indexes, from 8 on i16, from 12 on u16, from 16 on f32. */
static const tw_type index_types[] = { TW_I32, TW_U32, TW_I16, TW_U16, TW_F32 };
static void plan_row_places(ref_call *call)
{
    ref_matrix *a = ref_of(call, 'a'), *d = ref_of(call, 'd'), *e = ref_of(call, 'e');
    unsigned kind = call->variant / 4;
    bool wide = kind < 2, narrow = kind == 2 || kind == 3;
    call->variant %= 4;
    e->type = index_types[kind];
    per_row(call, e);
    if (d) per_row(call, d);
    if (d && call->variant == 3) e->valid_rows = a->valid_rows; /* the values alone are wrong */
    call->illegal = a->valid_rows == 0 || a->valid_cols == 0 || call->variant > 1 ||
                    !(wide || (narrow && d && ref_bits(a->type) == 16));
}
static void row_places(ref_call *call)
{
    bool largest = fold_of(call) == MAX;
    ref_matrix *a = ref_of(call, 'a'), *d = ref_of(call, 'd'), *e = ref_of(call, 'e');
    for (uint32_t r = 0; r < a->valid_rows; r++) {
        size_t at = place_of(row_of(a, r), largest);
        REF_AT(e, r, 0) = at;
        if (d) REF_AT(d, r, 0) = REF_AT(a, r, at);
    }
}

/* --- columns ---------------------------------------------------------------------------------------------------- */

/* Variants: 0 dst of one row, 1 two valid rows, 2 other columns; with tmp 3: isBinary. */
static void per_column(ref_call *call, ref_matrix *m)
{
    m->valid_rows = call->variant == 1 ? 2 : 1;
    if (call->variant == 2) m->valid_cols += m->valid_cols ? -1u : 1;
}
static void plan_columns(ref_call *call)
{
    per_column(call, ref_of(call, 'd'));
    call->illegal = call->variant == 1 || call->variant == 2;
    call->attrs.binary = call->variant == 3;
}
static void columns(ref_call *call)
{
    fold op = fold_of(call);
    ref_matrix *d = ref_of(call, 'd'), *a = ref_of(call, 'a');
    for (uint32_t c = 0; a->valid_rows && c < a->valid_cols; c++) {
        line l = column_of(a, c);
        REF_AT(d, 0, c) = call->attrs.binary ? paired(l, op) : folded(l, op);
    }
}

/* Places: variants 0 to 2 as above, three for each type of indexes. */
static void plan_column_places(ref_call *call)
{
    ref_matrix *a = ref_of(call, 'a'), *d = ref_of(call, 'd'), *e = ref_of(call, 'e');
    unsigned kind = call->variant / 3;
    call->variant %= 3;
    bool wide = kind < 2, narrow = kind == 2 || kind == 3;
    e->type = index_types[kind];
    per_column(call, e);
    if (d) per_column(call, d);
    if (d && call->variant == 2) e->valid_cols = a->valid_cols;
    call->illegal = call->variant > 0 || !(wide || (narrow && d && ref_bits(a->type) == 16));
    /* value and index are equally wide (A2/A3) */
    if (d && call->target == TW_PTO_A2A3 && ref_bits(e->type) != ref_bits(a->type)) call->illegal = true;
    ref_of(call, 't')->rows *= 2, ref_of(call, 't')->valid_rows *= 2;
}
static void column_places(ref_call *call)
{
    bool largest = fold_of(call) == MAX;
    ref_matrix *a = ref_of(call, 'a'), *d = ref_of(call, 'd'), *e = ref_of(call, 'e');
    for (uint32_t c = 0; a->valid_rows && c < a->valid_cols; c++) {
        size_t at = place_of(column_of(a, c), largest);
        REF_AT(e, 0, c) = at;
        if (d) REF_AT(d, 0, c) = REF_AT(a, at, c);
    }
}

/* --- spreading -------------------------------------------------------------------------------------------------- */

/* Variants: 0 as many valid columns, 1 a column, 2 no valid column, 3 other rows. */
static void plan_row_expand(ref_call *call)
{
    ref_matrix *a = ref_of(call, 'a'), *d = ref_of(call, 'd');
    if (call->variant) per_row(call, a);
    if (call->variant == 2) a->valid_cols = 0, a->layouts = REF_ANY_LAYOUT;
    call->illegal = a->valid_cols == 0 || a->valid_rows != d->valid_rows;
}
static void row_expand(ref_call *call)
{
    ref_matrix *a = ref_of(call, 'a'), *d = ref_of(call, 'd');
    for (uint32_t r = 0; r < d->valid_rows; r++)
        for (uint32_t c = 0; c < d->valid_cols; c++) REF_AT(d, r, c) = REF_AT(a, r, 0);
}

/* Variants: 0 as many valid rows, 1 one, 2 none, 3 other columns. */
static void plan_col_expand(ref_call *call)
{
    ref_matrix *a = ref_of(call, 'a'), *d = ref_of(call, 'd');
    if (call->variant) a->valid_rows = call->variant != 2;
    if (call->variant == 3) a->valid_cols += a->valid_cols ? -1u : 1;
    call->illegal = a->valid_rows == 0 || a->valid_cols != d->valid_cols;
}
static void col_expand(ref_call *call)
{
    ref_matrix *a = ref_of(call, 'a'), *d = ref_of(call, 'd');
    for (uint32_t r = 0; r < d->valid_rows; r++)
        for (uint32_t c = 0; c < d->valid_cols; c++) REF_AT(d, r, c) = REF_AT(a, 0, c);
}

static uint64_t quotient(tw_type type, uint64_t a, uint64_t b)
{
    int64_t x = ref_integer(type, a), y = ref_integer(type, b);
    if (!ref_is_signed(type)) return a / b;
    return y == -1 ? 0 - (uint64_t)x : (uint64_t)(x / y);
}

/* The difference that EXPDIF takes is rounded. */
static uint64_t operated(tw_type t, fold op, uint64_t a, uint64_t b)
{
    uint64_t code;
    if (op <= MIN) return combine(t, op, a, b);
    if (ref_is_float(t)) {
        double x = ref_real(t, a), y = ref_real(t, b);
        if (op == QUOTIENT) return ref_code(t, x / y);
        code = ref_code(t, x - y);
        return op == EXPONENTIAL ? ref_code(t, exp(ref_real(t, code))) : code;
    }
    ref_put_whole(t, &code, op == QUOTIENT ? quotient(t, a, b) : a - b);
    return code;
}

static void no_zeros(ref_call *call)
{
    if (ref_is_float(call->type) || !strstr(call->row->name, "DIV")) return;
    ref_matrix *b = ref_of(call, 'b');
    for (size_t i = 0; i < (size_t)b->rows * b->cols; i++)
        if (b->at[i] == 0) b->at[i] = 7;
}

/* One operand has a value per row: variant % 2 says which (0: the second), variant / 2 how: 0 column-major with one
 * column, 1 row-major with a block of 32 bytes per row, 2 column-major of several columns with one valid, 3 neither,
 * 4 other rows. */
static void plan_row_operand(ref_call *call)
{
    ref_matrix *d = ref_of(call, 'd'), *m = ref_of(call, call->variant % 2 ? 'a' : 'b'),
               *full = ref_of(call, call->variant % 2 ? 'b' : 'a');
    uint32_t block = 256 / ref_bits(call->type), mode = call->variant / 2;
    bool tmp = ref_of(call, 't') != NULL;
    if (mode == 1) {
        m->cols = call->region % 2 ? 2 * block : block, m->valid_cols = block, m->layouts = REF_ROWS_ONLY;
        call->illegal = tmp;
    } else if (mode == 3) {
        m->valid_cols = d->valid_cols > 1 ? d->valid_cols - 1 : 2;
        call->illegal = true;
    } else {
        m->cols = mode == 2 ? 2 * block : 1, m->valid_cols = 1, m->layouts = 1u << REF_COL;
        if (mode == 2 && m->cols < 16) m->cols = 16;
        m->rows = 64;
        if (mode == 4) m->valid_rows += m->valid_rows ? -1u : 1, call->illegal = true;
    }
    /* chips: the full ones are row-major; the other as its mode says */
    if (call->target != TW_PTO_CPU) full->layouts = d->layouts = REF_ROWS_ONLY, call->any_layout = true;
}
static void row_operand(ref_call *call)
{
    ref_matrix *d = ref_of(call, 'd'), *a = ref_of(call, 'a'), *b = ref_of(call, 'b');
    uint32_t block = 256 / ref_bits(call->type);
    bool blocks = call->variant / 2 == 1, first = call->variant % 2;
    fold op = fold_of(call);
    for (uint32_t r = 0; r < d->valid_rows; r++)
        for (uint32_t c = 0; c < d->valid_cols; c++) {
            uint32_t k = blocks ? c % block : 0;
            REF_AT(d, r, c) = operated(call->type, op, REF_AT(a, r, first ? k : c), REF_AT(b, r, first ? c : k));
        }
}

/* Variants: 0 one row, 1 as many as dst, 2 none, 3 other columns, 4 the full one differs. */
static void plan_col_operand(ref_call *call)
{
    ref_matrix *a = ref_of(call, 'a'), *b = ref_of(call, 'b'), *d = ref_of(call, 'd');
    if (call->variant != 1) b->valid_rows = call->variant != 2;
    if (call->variant == 3) b->valid_cols += b->valid_cols ? -1u : 1;
    if (call->variant == 4) a->valid_rows += a->valid_rows ? -1u : 1;
    call->illegal = b->valid_rows == 0 || b->valid_cols != d->valid_cols || a->valid_rows != d->valid_rows;
}
static void col_operand(ref_call *call)
{
    ref_matrix *d = ref_of(call, 'd'), *a = ref_of(call, 'a'), *b = ref_of(call, 'b');
    fold op = fold_of(call);
    for (uint32_t r = 0; r < d->valid_rows; r++)
        for (uint32_t c = 0; c < d->valid_cols; c++)
            REF_AT(d, r, c) = operated(call->type, op, REF_AT(a, r, c), REF_AT(b, 0, c));
}

#define ROWS          .variants = 4, .plan = plan_rows, .reference = rows
#define ROW_PLACES    .variants = 20, .thin = 4, .plan = plan_row_places, .reference = row_places
#define COLUMNS       .variants = 3, .plan = plan_columns, .reference = columns
#define COLUMN_PLACES .variants = 15, .thin = 4, .plan = plan_column_places, .reference = column_places
#define BY_ROW(a3, a5_)                                                                           \
    .a2a3 = a3, .a5 = a5_, .in_place = true, .variants = 10, .thin = 3, .plan = plan_row_operand, \
    .prepare = no_zeros, .reference = row_operand
#define BY_COL(a3, a5_)                                                                                    \
    .a2a3 = a3, .a5 = a5_, .in_place = true, .variants = 5, .plan = plan_col_operand, .prepare = no_zeros, \
    .reference = col_operand

// clang-format off
const ref_row ref_fold_rows[] = {
    { .name = "TROWSUM", .a2a3 = A3, .a5 = A3 | I64U64, ROWS },
    { .name = "TROWMAX", .a2a3 = A3, .a5 = A3 | I64U64 | I8U8, ROWS },
    { .name = "TROWMIN", .a2a3 = A3, .a5 = A3 | I64U64 | I8U8, ROWS },
    { .name = "TROWPROD", .a2a3 = A3, .a5 = A3, ROWS },
    { .name = "TROWARGMAX", .a2a3 = A3, .a5 = W24, ROW_PLACES },
    { .name = "TROWARGMAX_V", .a2a3 = A3, .a5 = W24, ROW_PLACES },
    { .name = "TROWARGMIN", .a2a3 = A3, .a5 = W24, ROW_PLACES },
    { .name = "TROWARGMIN_V", .a2a3 = A3, .a5 = W24, ROW_PLACES },
    { .name = "TCOLSUM", .a2a3 = A3, .a5 = A5, COLUMNS },
    { .name = "TCOLSUM_TMP", .a2a3 = A3, .a5 = A5, .variants = 4, .plan = plan_columns, .reference = columns },
    { .name = "TCOLMAX", .a2a3 = A3, .a5 = A5, COLUMNS },
    { .name = "TCOLMIN", .a2a3 = A3, .a5 = A5, COLUMNS },
    { .name = "TCOLPROD", .a2a3 = A3, .a5 = A5_ & ~I64U64, COLUMNS },
    { .name = "TCOLARGMAX", .a2a3 = F | T(U16) | T(U32), .a5 = B124, COLUMN_PLACES },
    { .name = "TCOLARGMAX_V", .a2a3 = F | T(U16) | T(U32), .a5 = W24, COLUMN_PLACES },
    { .name = "TCOLARGMIN", .a2a3 = F | T(U16) | T(U32), .a5 = B124, COLUMN_PLACES },
    { .name = "TCOLARGMIN_V", .a2a3 = F | T(U16) | T(U32), .a5 = W24, COLUMN_PLACES },
    { .name = "TROWEXPAND", .a2a3 = B124, .a5 = A5, .variants = 4, .in_place = true, .plan = plan_row_expand, .reference = row_expand },
    { .name = "TCOLEXPAND", .a2a3 = B124, .a5 = A5, .variants = 4, .in_place = true, .plan = plan_col_expand, .reference = col_expand },
    { .name = "TROWEXPANDADD", BY_ROW(A3, B124) },
    { .name = "TROWEXPANDSUB", BY_ROW(A3, B124) },
    { .name = "TROWEXPANDSUB_TMP", BY_ROW(A3, B124) },
    { .name = "TROWEXPANDMUL", BY_ROW(A3, B124) },
    { .name = "TROWEXPANDMUL_TMP", BY_ROW(A3, B124) },
    { .name = "TROWEXPANDDIV", BY_ROW(F, B124) },
    { .name = "TROWEXPANDDIV_TMP", BY_ROW(F, B124) },
    { .name = "TROWEXPANDMAX", BY_ROW(A3, B124) },
    { .name = "TROWEXPANDMAX_TMP", BY_ROW(A3, B124) },
    { .name = "TROWEXPANDMIN", BY_ROW(A3, B124) },
    { .name = "TROWEXPANDMIN_TMP", BY_ROW(A3, B124) },
    { .name = "TROWEXPANDEXPDIF", BY_ROW(F, F), .ulps = 1 },
    { .name = "TROWEXPANDEXPDIF_TMP", BY_ROW(F, F), .ulps = 1 },
    { .name = "TCOLEXPANDADD", BY_COL(A3, B124) },
    { .name = "TCOLEXPANDSUB", BY_COL(A3, B124) },
    { .name = "TCOLEXPANDMUL", BY_COL(A3, B124) },
    { .name = "TCOLEXPANDDIV", BY_COL(F, B124) },
    { .name = "TCOLEXPANDMAX", BY_COL(A3, B124) },
    { .name = "TCOLEXPANDMIN", BY_COL(A3, B124) },
    { .name = "TCOLEXPANDEXPDIF", BY_COL(F, F), .ulps = 1 },
};
// clang-format on
const size_t ref_fold_count = sizeof ref_fold_rows / sizeof *ref_fold_rows;
