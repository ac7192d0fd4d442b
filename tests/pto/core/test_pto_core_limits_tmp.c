/* SPDX-License-Identifier: MIT */
/* Sizes of tmp: every row that has a rule for it, on each type it takes on A2/A3, with valid regions around the
 * places where the
 * manual's formulas bend. The smallest tile that holds what the formula says is taken, the next smaller one refused;
 * on the profiles that take any tmp both are. In operands $T is the type, $A a tile of it with the valid region, $R
 * and $C are its valid extents, $W the columns of $A, $N what is tried. */
#include "pto/support/operands.h"

typedef struct shape {
    size_t size, rows, cols, wide; /* bytes of an element; valid region; physical columns */
} shape;

static size_t ceil_by(size_t n, size_t by)
{
    return (n + by - 1) / by;
}
static size_t largest(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Bytes unless the row says another unit. The sentences are those of the manual's tables. */
static size_t none(const shape *s)
{
    (void)s;
    return 0;
}
static size_t rem_columns(const shape *s) /* Cols + 2 ceil(Cols / 64) columns */
{
    return (s->wide + 2 * ceil_by(s->wide, 64)) * s->size;
}
static size_t row_of_dst(const shape *s)
{
    return s->wide * s->size;
}
static size_t valid_columns(const shape *s)
{
    return s->cols * s->size;
}
static size_t valid_columns_of_32_bits(const shape *s)
{
    return s->cols * 4;
}
static size_t valid_rows(const shape *s)
{
    return s->rows;
}
static size_t one_row_more(const shape *s)
{
    return s->rows + 1;
}
static size_t select_words(const shape *s) /* 4 words a row of 16-bit data, 2 of 32-bit data */
{
    return s->rows * 4 * (s->size == 2 ? 4 : 2);
}
static size_t block(const shape *s)
{
    (void)s;
    return 32;
}
static size_t row_integers(const shape *s) /* a row of 32 / size elements */
{
    return 32 / s->size * s->size;
}
static size_t row_floats(const shape *s) /* none up to 256 / size columns; more has no exact formula: some */
{
    return s->cols <= 256 / s->size ? 0 : 32;
}
/* Stages of value and index for each register's worth of columns: to one register, or again. Per row. */
static size_t row_arg_stages(const shape *s)
{
    size_t e = 256 / s->size, first = ceil_by(s->cols, e);
    return (s->cols <= e * e ? 2 * first : 2 * (first + ceil_by(first, e))) * s->size;
}
static size_t row_arg_index(const shape *s)
{
    return s->cols <= 256 / s->size ? 0 : row_arg_stages(s);
}
static size_t col_region(const shape *s)
{
    return s->cols >= 256 / s->size ? 256 : ceil_by(s->cols * s->size, 32) * 32;
}
static size_t col_regions(const shape *s)
{
    return 3 * col_region(s);
}
static size_t half_of_rows(const shape *s)
{
    return ceil_by(s->rows, 2) * s->cols * s->size;
}
static size_t expand(const shape *s)
{
    return s->rows < 256 ? ceil_by(s->rows, 8) * 256 : 7680;
}
static size_t trans(const shape *s)
{
    size_t step = s->size == 1 ? 32 : 16;
    return s->cols * ceil_by(s->rows, step) * step * s->size;
}
static size_t like_indexes(const shape *s)
{
    return s->rows * s->wide * 4;
}
static size_t found(const shape *s) /* Rt Ct + Rs Cs 4 + Rs size, physical extents */
{
    return s->rows * s->wide + s->rows * s->wide * 4 + s->rows * s->size;
}
static size_t sort_row(const shape *s)
{
    return (s->cols <= 8160 ? ceil_by(s->cols, 32) * 32 : 32) * s->size;
}
static size_t sort_row_a5(const shape *s)
{
    return (s->cols * s->size <= 8160 ? ceil_by(s->cols, 32) * 32 : 32) * s->size;
}
static size_t merged(const shape *s)
{
    return 2 * s->cols * s->size;
}
static size_t f32_to_i16(const shape *s)
{
    size_t r = s->rows < 255 ? s->rows : 255, whole = s->cols / 64 < 255 ? s->cols / 64 : 255;
    return largest(256 * whole, s->cols % 64 ? 32 * ((r - 1) * s->wide / 8 + ceil_by(s->cols % 64, 8)) : 0);
}
static size_t f16_to_i16(const shape *s)
{
    return 32 * ceil_by(s->cols < 64 ? s->cols : 64, 8);
}
static size_t f16_to_i8(const shape *s)
{
    return largest(f16_to_i16(s), 128 + 32 * ceil_by(s->cols < 64 ? s->cols : 64, 16));
}
static size_t iota_bytes(const shape *s)
{
    return s->size == 4 ? 768 : 1792;
}
static size_t exponents(const shape *s) /* N = 32 columns for each exponent */
{
    return 2 * (32 + ceil_by(s->rows, 16) * (32 * s->cols) / 64);
}

enum { BYTES, ROWS }; /* what $N counts: elements of tmp's type in whole blocks of 32 bytes, or rows */

static const size_t usual[][2] = { { 1, 1 },   { 3, 31 },  { 4, 32 },  { 4, 33 },  { 5, 63 },
                                   { 5, 64 },  { 5, 65 },  { 9, 127 }, { 9, 128 }, { 16, 129 },
                                   { 17, 96 }, { 2, 255 }, { 2, 256 }, { 2, 257 }, { 0, 0 } };
static const size_t wide[][2] = { { 2, 63 },    { 2, 64 },    { 2, 65 },   { 2, 127 },  { 2, 128 },
                                  { 2, 129 },   { 1, 4095 },  { 1, 4096 }, { 1, 4097 }, { 1, 16383 },
                                  { 1, 16384 }, { 1, 16385 }, { 0, 0 } };
static const size_t tall[][2] = { { 1, 8 },   { 7, 8 },   { 8, 8 },   { 9, 8 },
                                  { 255, 8 }, { 256, 8 }, { 257, 8 }, { 0, 0 } };
static const size_t whole_columns[][2] = { { 1, 64 }, { 3, 64 }, { 4, 128 }, { 7, 192 }, { 0, 0 } };
static const size_t long_rows[][2] = { { 1, 1 },    { 1, 31 },   { 1, 32 },   { 1, 33 },   { 1, 2040 }, { 1, 2041 },
                                       { 1, 4080 }, { 1, 4081 }, { 1, 8159 }, { 1, 8160 }, { 1, 8161 }, { 0, 0 } };
static const size_t converted[][2] = { { 1, 1 },   { 1, 7 },     { 1, 8 },     { 2, 9 },     { 3, 15 }, { 3, 16 },
                                       { 3, 17 },  { 4, 63 },    { 4, 64 },    { 4, 65 },    { 9, 72 }, { 2, 1000 },
                                       { 300, 8 }, { 1, 16319 }, { 1, 16320 }, { 1, 16384 }, { 0, 0 } };
static const size_t boxes[][2] = { { 16, 2 }, { 16, 64 }, { 32, 2 }, { 32, 62 }, { 48, 32 }, { 0, 0 } };

static const struct size_rule {
    const char *row, *types, *rule, *tmp; /* tmp: type, "" = the row's */
    size_t (*need)(const shape *s);
    const size_t (*shapes)[2];
    int unit;
    const char *holds, *free;
    tw_pto_attrs attrs;
    const char *operands[8];
} rules[] = {
    // clang-format off
    { "TREM", "f32 i32", "tmp.size", "", rem_columns, usual, BYTES, "2", "c5", { 0 }, { "$A", "$A", "$A", "vec $T 1x$N" } },
    { "TREMS", "f32 i32", "tmp.size", "", row_of_dst, usual, BYTES, "2", "c5", { 0 }, { "$A", "$A", "#$T 1", "vec $T 1x$N" } },
    { "TPOW", "f32", "tmp.same", "", valid_columns, usual, BYTES, "2", "c5", { 0 }, { "$A", "$A", "$A", "vec $T $Rx$N" } },
    { "TPOW", "f32", "tmp.same", "", valid_rows, usual, ROWS, "2", "c5", { 0 }, { "$A", "$A", "$A", "vec $T $Nx$W" } },
    { "TPOW", "i8 u8 i16 u16 i32 u32", "tmp.same", "", none, usual, BYTES, "2", "c5", { 0 }, { "$A", "$A", "$A", "vec $T 1x$N" } },
    { "TPOWS", "f32", "tmp.same", "", valid_columns, usual, BYTES, "2", "c5", { 0 }, { "$A", "$A", "#$T 1", "vec $T $Rx$N" } },
    { "TXOR", "i8 u8 i16 u16 i32 u32", "tmp.same", "", valid_columns, usual, BYTES, "2", "c5", { 0 }, { "$A", "$A", "$A", "vec $T $Rx$N" } },
    { "TXOR", "i8 u16 i32", "tmp.same", "", valid_rows, usual, ROWS, "2", "c5", { 0 }, { "$A", "$A", "$A", "vec $T $Nx$W" } },
    { "TXORS", "i8 u8 i16 u16 i32 u32", "tmp.same", "", valid_columns, usual, BYTES, "2", "c5", { 0 }, { "$A", "$A", "#$T 1", "vec $T $Rx$N" } },
    { "TXORS", "i8 u16 i32", "tmp.same", "", valid_rows, usual, ROWS, "2", "c5", { 0 }, { "$A", "$A", "#$T 1", "vec $T $Nx$W" } },
    { "TPRELU", "f16 f32", "tmp.rows", "u8", one_row_more, usual, ROWS, "2", "c5", { 0 }, { "$A", "$A", "$A", "vec u8 $Nx32" } },
    { "TADDDEQRELU", "i32", "tmp.same", "i32", valid_columns_of_32_bits, usual, BYTES, "2", "c5", { 0 }, { "vec f16 $B", "$A", "$A", "#f32 1", "vec i32 $Rx$N" } },
    { "TADDDEQRELU", "i32", "tmp.same", "i32", valid_rows, usual, ROWS, "2", "c5", { 0 }, { "vec f16 $B", "$A", "$A", "#f32 1", "vec i32 $Nx$W" } },
    { "TSEL", "i16 u16 i32 u32 f16 bf16 f32", "tmp.size", "u32", select_words, usual, BYTES, "2", "c5", { 0 }, { "$A", "vec u8 $Rx64", "$A", "$A", "vec u32 1x$N" } },
    { "TSELS", "i16 u16 i32 u32 f16 f32", "tmp.type", "", none, usual, BYTES, "2", "c5", { 0 }, { "$A", "vec u8 $Rx64", "$A", "vec $T 1x32", "#$T 1" } },
    { "TRSQRT_TMP", "f16 f32", "tmp.size", "u8", block, usual, BYTES, "2", "c5", { 0 }, { "$A", "$A", "vec u8 1x$N" } },
    { "TCVT_TMP", "f32", "tmp.size", "u8", f32_to_i16, converted, BYTES, "2", "c5", { 0 }, { "vec i16 $B", "$A", "vec u8 1x$N" } },
    { "TCVT_TMP", "f16", "tmp.size", "u8", f16_to_i16, converted, BYTES, "2", "c5", { 0 }, { "vec i16 $B", "$A", "vec u8 1x$N" } },
    { "TCVT_TMP", "f16", "tmp.size", "u8", f16_to_i8, converted, BYTES, "2", "c5", { 0 }, { "vec i8 $B", "$A", "vec u8 1x$N" } },
    { "TCVT_TMP", "f32", "tmp.size", "u8", none, converted, BYTES, "2", "c5", { .saturate = TW_PTO_SATURATE_ON }, { "vec i16 $B", "$A", "vec u8 1x$N" } },
    { "TCVT_TMP", "f32", "tmp.size", "u8", none, converted, BYTES, "2", "c5", { 0 }, { "vec i32 $B", "$A", "vec u8 1x$N" } },
    { "TROWSUM", "i16 i32", "tmp.size", "u8", row_integers, usual, BYTES, "2", "c5", { 0 }, { "vec $T 64x1 v$Rx1 col", "$A", "vec u8 1x$N" } },
    { "TROWSUM", "f16 f32", "tmp.size", "u8", row_floats, usual, BYTES, "2", "c5", { 0 }, { "vec $T 64x1 v$Rx1 col", "$A", "vec u8 1x$N" } },
    { "TROWMAX", "i16 i32", "tmp.size", "u8", row_integers, usual, BYTES, "2", "c5", { 0 }, { "vec $T 64x1 v$Rx1 col", "$A", "vec u8 1x$N" } },
    { "TROWMIN", "f16 f32", "tmp.size", "u8", row_floats, usual, BYTES, "2", "c5", { 0 }, { "vec $T 64x1 v$Rx1 col", "$A", "vec u8 1x$N" } },
    { "TROWPROD", "f16 f32 i16 i32", "tmp.size", "u8", row_integers, usual, BYTES, "2", "c5", { 0 }, { "vec $T 64x1 v$Rx1 col", "$A", "vec u8 1x$N" } },
    { "TROWARGMAX", "f16 f32 i16 i32", "tmp.size", "", row_arg_index, wide, BYTES, "2", "c5", { 0 }, { "vec i32 64x1 v$Rx1 col", "$A", "vec $T $Rx$N" } },
    { "TROWARGMIN", "f16 f32 i16 i32", "tmp.size", "", row_arg_index, wide, BYTES, "2", "c5", { 0 }, { "vec u32 64x1 v$Rx1 col", "$A", "vec $T $Rx$N" } },
    { "TROWARGMAX_V", "f16 f32 i16 i32", "tmp.size", "", row_arg_stages, wide, BYTES, "2", "c5", { 0 }, { "vec $T 64x1 v$Rx1 col", "vec i32 64x1 v$Rx1 col", "$A", "vec $T $Rx$N" } },
    { "TROWARGMIN_V", "f16 f32 i16 i32", "tmp.rows", "", valid_rows, wide, ROWS, "2", "c5", { 0 }, { "vec $T 64x1 v$Rx1 col", "vec i32 64x1 v$Rx1 col", "$A", "vec $T $Nx1024" } },
    { "TCOLSUM_TMP", "f16 f32 i16 i32", "tmp.size", "", half_of_rows, usual, BYTES, "2", "c5", { .binary = 1 }, { "vec $T 1x$W v1x$C", "$A", "vec $T 1x$N" } },
    { "TCOLSUM_TMP", "f16 f32 i16 i32", "tmp.size", "", none, usual, BYTES, "2", "c5", { 0 }, { "vec $T 1x$W v1x$C", "$A", "vec $T 1x$N" } },
    { "TCOLARGMAX", "f16", "tmp.size", "u8", col_regions, usual, BYTES, "2", "c5", { 0 }, { "vec i32 1x$W v1x$C", "$A", "vec u8 1x$N" } },
    { "TCOLARGMIN", "f32 u16 u32", "tmp.size", "u8", col_region, usual, BYTES, "2", "c5", { 0 }, { "vec u32 1x$W v1x$C", "$A", "vec u8 1x$N" } },
    { "TCOLARGMAX_V", "f16 u16", "tmp.size", "u8", col_region, usual, BYTES, "2", "c5", { 0 }, { "vec $T 1x$W v1x$C", "vec i16 1x$W v1x$C", "$A", "vec u8 1x$N" } },
    { "TCOLARGMIN_V", "f32 u32", "tmp.size", "u8", col_region, usual, BYTES, "2", "c5", { 0 }, { "vec $T 1x$W v1x$C", "vec i32 1x$W v1x$C", "$A", "vec u8 1x$N" } },
#define EXPAND(row, types) { row, types, "tmp.size", "u8", expand, tall, BYTES, "2", "c5", { 0 }, { "$A", "$A", "vec $T 512x1 v$Rx1 col", "vec u8 1x$N" } },
    EXPAND("TROWEXPANDSUB_TMP", "f16 f32 i16 i32") EXPAND("TROWEXPANDMUL_TMP", "f16 f32 i16 i32") EXPAND("TROWEXPANDDIV_TMP", "f16 f32")
    EXPAND("TROWEXPANDMAX_TMP", "f16 f32 i16 i32") EXPAND("TROWEXPANDMIN_TMP", "f16 f32 i16 i32") EXPAND("TROWEXPANDEXPDIF_TMP", "f16 f32")
    { "TTRANS", "i8 u8 i16 u16 i32 u32 f16 bf16 f32", "tmp.size", "u8", trans, usual, BYTES, "2", "c5", { 0 }, { "vec $T 257x32", "$A", "vec u8 1x$N" } },
    { "TGATHER", "i16 u16 i32 u32 f16 bf16 f32", "tmp.size", "u8", like_indexes, whole_columns, BYTES, "2", "c5", { 0 }, { "$A", "$A", "vec i32 $Rx$C", "vec u8 1x$N" } },
    { "TGATHER_CMP", "f16 f32 i16 i32", "tmp.size", "u8", found, whole_columns, BYTES, "2", "c5", { .cmp = TW_PTO_CMP_GT }, { "vec i32 $Rx$C", "$A", "vec $T 1x16", "vec i32 1x16", "vec u8 1x$N" } },
    { "TSORT32_TMP", "f16 f32", "tmp.size", "", sort_row, long_rows, BYTES, "2", "c", { 0 }, { "vec $T 1x32768", "$A", "vec u32 1x8192 v1x$C", "vec $T 1x$N" } },
    { "TSORT32_TMP", "f16 f32", "tmp.size", "", sort_row_a5, long_rows, BYTES, "5", "c", { 0 }, { "vec $T 1x32768", "$A", "vec u32 1x8192 v1x$C", "vec $T 1x$N" } },
    { "TMRGSORT2", "f16 f32", "tmp.size", "", merged, whole_columns, BYTES, "25", "c", { 0 }, { "vec $T 1x512", "vec i16 1x16", "vec $T 1x$N", "vec $T 1x$C", "vec $T 1x$C" } },
    { "TCI_TMP", "i16 u16", "tci.tmp-size", "i32", iota_bytes, usual, BYTES, "2", "c5", { 0 }, { "vec $T 1x$W v1x$C", "#$T 1", "vec i32 1x$N" } },
    { "TCI_TMP", "i32 u32", "tci.tmp-size", "f32", iota_bytes, usual, BYTES, "2", "c5", { 0 }, { "vec $T 1x$W v1x$C", "#$T 1", "vec f32 1x$N" } },
    { "TQUANT_TMP", "f32", "tmp.same", "", valid_columns, usual, BYTES, "2", "c5", { 0 }, { "vec i8 $B", "$A", "vec f32 512x1 v$Rx1 col", "vec f32 $Rx$N" } },
    { "TQUANT_ASYM_TMP", "f32", "tmp.same", "", valid_rows, usual, ROWS, "2", "c5", { 0 }, { "vec u8 $B", "$A", "vec f32 512x1 v$Rx1 col", "vec f32 $Nx$W", "vec f32 512x1 v$Rx1 col" } },
    { "TMOV_ZZ", "u8 f8e8m0", "tmp.size", "u8", exponents, boxes, BYTES, "5", "c", { 0 }, { "vec $T $Rx$W zz f32 v$Rx$C", "$A", "vec u8 1x$N" } },
    // clang-format on
};
enum { RULES = sizeof rules / sizeof *rules };

static unsigned bad, tried;

static void replace(char **text, const char *what, const char *format, ...) TW_PRINTF(3, 4);
static void replace(char **text, const char *what, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *by = g_strdup_vprintf(format, args), **parts = g_strsplit(*text, what, -1);
    va_end(args);
    g_free(*text);
    *text = g_strjoinv(by, parts);
    g_free(by);
    g_strfreev(parts);
}

static tw_status check(const struct size_rule *r, const char *type, const shape *s, size_t n, tw_pto_target target)
{
    operand_memory m[8];
    tw_pto_operand operands[8];
    unsigned count = 0, blame;
    for (; count < 8 && r->operands[count]; count++) {
        char *text = g_strdup(r->operands[count]);
        replace(&text, "$A", "vec $T $RRx$W v$Rx$C");
        replace(&text, "$RR", "%zu", s->rows);
        replace(&text, "$B", "%zux%zu v%zux%zu", s->rows, (s->cols + 31) / 32 * 32, s->rows, s->cols);
        replace(&text, "$T", "%s", type);
        replace(&text, "$W", "%zu", s->wide);
        replace(&text, "$R", "%zu", s->rows);
        replace(&text, "$C", "%zu", s->cols);
        replace(&text, "$N", "%zu", n);
        operands[count] = operand_of(NULL, text, &m[count]);
        g_free(text);
    }
    int op = tw_pto_op_by_name(r->row);
    if (op < 0) fail_msg("no row %s", r->row);
    tried++;
    return tw_pto_check(target, op, operands, count, &r->attrs, &blame);
}

static void expect(const struct size_rule *r, const char *type, const shape *s, size_t n, tw_pto_target target,
                   bool legal)
{
    char tail[64];
    tw_status status = check(r, type, s, n, target);
    snprintf(tail, sizeof tail, "[rule %s, profile %s]", r->rule, tw_pto_target_name(target));
    if (legal ? status == TW_OK : status != TW_OK && strstr(tw_error_message(), tail)) return;
    if (bad++ < 20)
        print_error("%s %s %zu x %zu, tmp %zu, %s: %s\n", r->row, type, s->rows, s->cols, n, tail,
                    status == TW_OK ? "is taken" : tw_error_message());
}

static void one_shape(const struct size_rule *r, const char *type, const size_t *extents)
{
    size_t size = tw_type_size(type_of(type)), step = 32 / (*r->tmp ? tw_type_size(type_of(r->tmp)) : size);
    shape s = { size, extents[0], extents[1], (extents[1] * size + 31) / 32 * 32 / size };
    size_t need = r->unit == ROWS ? r->need(&s) : ceil_by(r->need(&s), 32) * step,
           less = r->unit == ROWS ? 1 : step;
    for (int target = 0; target < TW_PTO_TARGETS; target++) {
        char letter = "c25"[target == TW_PTO_CPU ? 0 : target == TW_PTO_A2A3 ? 1 : 2];
        bool holds = strchr(r->holds, letter) != NULL;
        if (!holds && !strchr(r->free, letter)) continue;
        expect(r, type, &s, need ? need : less, (tw_pto_target)target, true);
        if (need > less) expect(r, type, &s, need - less, (tw_pto_target)target, !holds);
    }
}

static void pto_limits_tmp(void **state)
{
    (void)state;
    for (int i = 0; i < RULES; i++) {
        char **types = g_strsplit(rules[i].types, " ", -1);
        for (char **type = types; *type; type++)
            for (const size_t(*s)[2] = rules[i].shapes; (*s)[0]; s++) one_shape(&rules[i], *type, *s);
        g_strfreev(types);
    }
    print_message("%u calls\n", tried);
    assert_int_equal(bad, 0);
}

/* A row of ops.def whose tmp has a rule stands above. */
static void pto_limits_tmp_rows(void **state)
{
    unsigned missing = 0;
    (void)state;
    for (size_t i = 0; i < tw__pto_row_count(); i++) {
        const tw__pto_row *row = tw__pto_row_at(i);
        bool found_row =
            row->tmp == TW__TMP_NONE || row->tmp == TW__TMP_ANY || strncmp(row->name, "TMRGSORT", 8) == 0;
        for (int k = 0; k < RULES; k++) found_row = found_row || strcmp(rules[k].row, row->name) == 0;
        if (!found_row) print_error("no row tries the tmp of %s\n", row->name), missing++;
    }
    assert_int_equal(missing, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(pto_limits_tmp), cmocka_unit_test(pto_limits_tmp_rows) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
