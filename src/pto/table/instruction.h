/* SPDX-License-Identifier: MIT */
/* instruction: the table of instructions (ops.def, table/table.c): one row per form of an instruction. */
#ifndef TW_PTO_ROW_H
#define TW_PTO_ROW_H

#include <stdio.h>
#include <tilewright/pto.h>

/* Letters of a form, one per operand: X(letter, kind of operand, written, name in listings). 's' is a scalar of the
 * element type. docs/pto.md and `tilewright pto info` use the names. */
// clang-format off
#define TW__PTO_LETTERS(X) \
    X('d', TILE, true, "dst")      X('D', TILE, true, "dst (read and written)") \
    X('e', TILE, true, "dst2")     X('v', TILE, true, "dst3")      X('w', TILE, true, "dst4") \
    X('a', TILE, false, "src0")    X('b', TILE, false, "src1")     X('c', TILE, false, "src2") \
    X('f', TILE, false, "src3")    X('h', TILE, false, "src4")     X('m', TILE, false, "mask") \
    X('x', TILE, false, "index")   X('y', TILE, false, "index2")   X('t', TILE, false, "tmp") \
    X('s', SCALAR, false, "scalar")  X('i', SCALAR, false, "integer") X('j', SCALAR, false, "integer") \
    X('k', SCALAR, false, "integer") X('l', SCALAR, false, "integer") X('n', SCALAR, false, "integer") \
    X('o', SCALAR, false, "integer") \
    X('g', TENSOR, false, "tensor")  X('G', TENSOR, true, "tensor (written)") \
    X('p', TENSOR, false, "tensor of indexes") X('P', TENSOR, true, "scratch tensor") \
    X('q', FIFO, false, "FIFO")      X('r', GROUP, false, "tensor on each device")
// clang-format on
typedef struct tw__pto_letter {
    unsigned char kind; /* tw_pto_kind */
    bool written;
    const char *name;
} tw__pto_letter;
extern const tw__pto_letter tw__pto_letters[128]; /* by character (table/describe.c) */
enum {                                            /* general rules of a row; the rest is its family's */
       TW__SAME_TYPE = 1,                         /* d, D, a, b, c and s have one element type */
       TW__SAME_VALID = 2,                        /* valid regions of d, D, a, b, c are equal */
       TW__VEC_ONLY = 4,                          /* all tiles lie in vector memory */
       TW__ROW_MAJOR = 8,                         /* on chips: row-major, not boxed */
       TW__NO_ALIAS = 16,                         /* A2/A3: destinations share no byte with sources or tmp */
       TW__MACRO = 128,                           /* made of other instructions, which bind and charge themselves */
       TW__CONV = 32,                             /* tiles may be ConvTiles */
       TW__CPU_ONLY = 64,     /* no chip among the targets has it: types are those of profile cpu */
       TW__TO_VECTOR = 256,   /* an accumulator of a cube core may go to a tile of its vector cores */
       TW__TO_CUBE = 512,     /* a tile of a vector core may go to the cube core's L1 (A5) */
       TW__WRITES_ALL = 1024, /* a d as large as the product is written as a whole, and so not fetched */
       TW__PACKED = 2048,     /* rows of 4-bit elements stay packed, two per byte */
       TW__NAMES = 4096,      /* on chips dst becomes another name for the memory of its source */
       TW__INSERTS = 8192,    /* types are those of an insertion */
       TW__LANES = 1 | 2 | 4 | 8
};

// clang-format off
typedef enum tw__pto_tmp { /* X(name, what tmp must be): checked on A2/A3 (ZZ, MERGE, SORT on A5 too); core/check_tmp.c */
#define TW__PTO_TMP_LIST(X) \
    X(NONE, "no tmp") X(ANY, "any") X(SAME, "dst's type, at least its valid region") \
    X(POW, "floats: dst's type and valid region") X(ROW, "dst's type, one row of dst's columns") \
    X(REM, "dst's type, one row of Cols + 2 ceil(Cols / 64)") X(CI, "4-byte type, 768 B (32-bit) or 1792 B (16-bit)") \
    X(SEL, "u32, 4 words (16-bit data) or 2 words per row") X(BYTES, "u8, row-major, more valid rows than dst") \
    X(BLOCK, "32 bytes") X(I32, "i32, at least dst's valid region") X(ONE, "the source's type, one element") \
    X(CVT, "f32 to i16, f16 to i16 and f16 to i8 without saturation: see docs/pto.md") \
    X(ROWRED, "32 bytes; floats of at most 256 bytes a row need none") \
    X(ROWARG, "source's rows; value and index for each 256 bytes of a row, again for each 256 of these") \
    X(COLARG, "one to three regions of 256 bytes or a row") X(COLSUM, "with isBinary: half of the rows, dst's type") \
    X(EXPAND, "256 bytes for 8 rows; 7680 from 256 rows on") X(TRANS, "columns x rows rounded up to 16 (1-byte: 32)") \
    X(INDEX, "as large as the indexes") X(FIND, "dst's elements + 4 bytes and an element per source element") \
    X(SORT, "the source's type, a row rounded up to 32 elements; 32 above 8160") \
    X(MERGE, "the columns of all lists") X(QUANT, "f32, at least dst's valid region") \
    X(ZZ, "2 (32 + ceil(M / 16) N / 64) bytes")
#define TW__PTO_TMP_ENUM(name, text) TW__TMP_##name,
                           TW__PTO_TMP_LIST(TW__PTO_TMP_ENUM)
#undef TW__PTO_TMP_ENUM
} tw__pto_tmp;
// clang-format on

typedef enum tw__pto_cost { /* X(name, head, slope, tail): cycles = head + slope per 256 bytes + tail */
// clang-format off
#define TW__PTO_COST_LIST(X) \
    X(ADD, 10, 2, 14) X(MUL, 10, 2, 15) X(DIV, 11, 4, 19) X(ADDS, 13, 1, 18) X(MULS, 11, 1, 15) \
    X(MAXS, 10, 1, 13) X(AND, 8, 2, 12) X(SELECT, 13, 2, 14) X(GROUP_ADD, 14, 1, 24) X(GROUP_MAX, 14, 1, 17) \
    X(CONVERT, 14, 2, 18) X(SPREAD, 11, 2, 18) X(GATHER, 24, 2, 0) X(SORT, 20, 78, 0) X(EXP, 13, 2, 18) \
    X(LN, 13, 2, 20) X(SQRT, 14, 2, 25) X(RSQRT, 10, 1, 14) X(ABS, 13, 1, 16) X(RELU, 10, 1, 13) \
    X(COPY, 11, 1, 13) X(CMP, 14, 2, 22) X(OTHER, 6, 2, 0) X(TRANSFER, 0, 0, 0) X(CUBE, 6, 0, 0) \
    X(SCALAR, 0, 0, 0) X(IOTA, 150, 1, 0) X(NONE, 1, 0, 0)
// clang-format on
#define TW__PTO_COST_ENUM(name, head, slope, tail) TW__COST_##name,
                            TW__PTO_COST_LIST(TW__PTO_COST_ENUM)
#undef TW__PTO_COST_ENUM
} tw__pto_cost;

typedef struct tw__pto_call tw__pto_call;
typedef struct tw__pto_row {
    const char *name, *mnemonic, *form, *ins, *order, *family;
    unsigned char pipe, op, tmp, cost, operands, family_number; /* of TW__FAMILY_LIST */
    uint16_t rules;
    uint64_t types[TW_PTO_TARGETS];
    uint32_t attrs; /* bit i: attribute i of TW_PTO_ATTR_LIST is taken */
    const char *summary;
} tw__pto_row;

size_t tw__pto_row_count(void);
const tw__pto_row *tw__pto_row_at(size_t index); /* NULL past the end */
/* First row of a mnemonic ("tadd", also "TADD" and with '_' for '.'), NULL when there is none; its forms follow it.
 * */
const tw__pto_row *tw__pto_row_of(const char *mnemonic);
size_t tw__pto_row_index(const tw__pto_row *row);
const tw__pto_row *tw__pto_next_form(const tw__pto_row *row); /* of the same mnemonic; NULL when it is the last */
/* How a row is written in text, for tw_pto_print_info (table/describe_text.c). */
void tw__pto_print_text_forms(FILE *out, const tw__pto_row *row);
const char *tw__pto_letter_name(char letter);                      /* "?" for what is none */
const char *tw__pto_attr_value_name(unsigned attr, int32_t value); /* "lt"; NULL = a number */
int tw__pto_attr_by_name(const char *name);                        /* -1 */
unsigned tw__pto_attr_count(void);
const char *tw__pto_attr_names(unsigned attr);  /* "cmpMode|cmp": the first is the canonical one */
const char *tw__pto_attr_values(unsigned attr); /* "eq|ne"; "" = a number */
bool tw__pto_attr_value(unsigned attr, const char *text, int32_t *value);

/* Families: X(name) has a check and a run function. */
// clang-format off
#define TW__FAMILY_LIST(X) \
    X(lanes) X(lanes_relu) X(relu_convert) X(dequant_relu) X(pair_sum) X(part) X(part_arg) X(compare) \
    X(compare_tile) X(select) X(select_scalar) X(convert) X(concat) X(interleave) X(deinterleave) \
    X(deinterleave1) X(fill) X(triangle) X(iota) X(row_reduce) X(row_arg) X(row_arg2) X(col_reduce) X(col_arg) \
    X(col_arg2) X(row_expand) X(col_expand) X(row_expand_op) X(col_expand_op) X(row_expand_exp) \
    X(col_expand_exp) X(load) X(store) X(store_quant) X(prefetch) X(gather_global) X(scatter_global) X(sort32) \
    X(merge_blocks) X(merge_lists) X(move) X(move_quant) X(extract) X(insert) X(reshape) X(transpose) \
    X(fill_pad) X(gather) X(gather_mask) X(gather_cmp) X(gather_bytes) X(scatter) X(scatter_mask) X(pack) \
    X(matmul) X(matmul_mx) X(quant) X(dequant) X(random) X(histogram) X(push) X(push_slot) X(pop) X(pop_slot) \
    X(talloc) X(tfree) X(sync_all) X(put) X(notify) X(wait_signal) X(test_signal) X(broadcast) X(comm_gather) \
    X(comm_scatter) X(comm_reduce) X(set_map) X(set_padding) X(set_repeat) \
    X(img2col) X(set_dequant) X(set_quant) X(set_quant_vector) X(concat_counts) X(quant_mx) X(quant_hif4) \
    X(move_zz) X(scale_address) X(gather_l1) X(extract_quant) X(extract2) X(insert_quant) X(sort_groups) \
    X(gather_masked) X(scatter_masked) X(gather_swap) X(peer_move)
// clang-format on
enum {
#define TW__FAMILY(name) TW__FAMILY_##name,
    TW__FAMILY_LIST(TW__FAMILY)
#undef TW__FAMILY
};
#define TW__FAMILY(name)                                \
    tw_status tw__pto_check_##name(tw__pto_call *call); \
    tw_status tw__pto_run_##name(tw__pto_call *call);
TW__FAMILY_LIST(TW__FAMILY)
#undef TW__FAMILY

#endif
