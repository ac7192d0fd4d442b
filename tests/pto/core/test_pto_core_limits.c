/* SPDX-License-Identifier: MIT */
/* Limits from both sides. A row says in words what the manual asks, and gives one call with `{legal|illegal}` numbers
 * in its operands (words of operands.h): with the first ones it is taken, with the second ones refused by the rule,
 * on the profiles where the rule holds (c cpu, 2 a2a3, 5 a5); on the profiles of `free` both are taken. Sizes of tmp
 * are in test_pto_core_limits_tmp.c. */
#include "pto/support/operands.h"

#include <tilewright/pto/grid.h>

#define F32   "vec f32 4x64"
#define I32   "vec i32 4x64"
#define ACC   "acc f32 32x64 nz f1024"
#define ACC16 "acc f32 16x16 nz f1024"
#define LEFT5 "left f8e4m3 32x64 nz"
#define R8    "right f8e4m3 64x64 zn"
#define SL    "sl f8e8m0 32x2 zz f32"
#define SR    "sr f8e8m0 2x64 nn f32"
#define MX(columns, rows) \
    { "vec f8e4m3 " columns, "vec f32 " columns, "vec u8 " rows, "vec f32 " rows, "vec f32 " rows }
enum { WITHOUT_CORE = 1 }; /* larger than the memories of the chips: judged by tw_pto_check, nothing is executed */

static const struct limit {
    const char *says, *rule, *holds, *free, *row;
    tw_pto_attrs attrs, worse; /* worse: of the illegal call, when no operand has two numbers */
    const char *operands[8];
    int how;
} limits[] = {
    // clang-format off
    /* tiles, 1.1 */
    { "valid rows at most the tile's", "tile.shape", "c25", "", "TADD", { 0 }, { 0 }, { "vec f32 4x64 v{4|5}x64", F32, F32 }, 0 },
    { "valid columns at most the tile's", "tile.shape", "c25", "", "TADD", { 0 }, { 0 }, { "vec f32 4x64 v4x{64|65}", F32, F32 }, 0 },
    { "at least one row", "tile.shape", "c25", "", "TADD", { 0 }, { 0 }, { "vec f32 {1|0}x64 v1x64", "vec f32 1x64", "vec f32 1x64" }, 0 },
    /* elementwise, 3.1 and 3.2 */
    { "a shift by less than the width", "shift.count", "c25", "", "TSHLS", { 0 }, { 0 }, { I32, I32, "#i32 {31|32}" }, 0 },
    { "a shift by at least 0", "shift.count", "c25", "", "TSHRS", { 0 }, { 0 }, { I32, I32, "#i32 {0|-1}" }, 0 },
    { "a shift by less than the width, 16 bits", "shift.count", "c25", "", "TSHRS", { 0 }, { 0 }, { "vec u16 4x64", "vec u16 4x64", "#u16 {15|16}" }, 0 },
    { "a shift by less than the width, 8 bits", "shift.count", "c5", "", "TSHLS", { 0 }, { 0 }, { "vec i8 4x64", "vec i8 4x64", "#i8 {7|8}" }, 0 },
    { "a shift by less than the width, 64 bits", "shift.count", "c5", "", "TSHLS", { 0 }, { 0 }, { "vec u64 4x64", "vec u64 4x64", "#u64 {63|64}" }, 0 },
    { "room for half of the columns, rounded up", "valid.cols", "c25", "", "TPAIRREDUCESUM", { 0 }, { 0 }, { "vec f32 4x{32|24} v4x24", F32 }, 0 },
    { "the odd column takes room too", "valid.cols", "c25", "", "TPAIRREDUCESUM", { 0 }, { 0 }, { "vec f32 4x8", "vec f32 4x24 v4x{16|17}" }, 0 },
    { "one source has dst's valid region", "part.full", "c25", "", "TPARTADD", { 0 }, { 0 }, { F32, "vec f32 4x64 v{4|3}x64", "vec f32 4x64 v4x63" }, 0 },
    { "the other one lies within it", "part.within", "c25", "", "TPARTMIN", { 0 }, { 0 }, { "vec f32 4x64 v3x60", "vec f32 4x64 v3x60", "vec f32 4x64 v3x{60|61}" }, 0 },
    { "a bit for each column", "mask.cols", "c2", "", "TCMP", { 0 }, { 0 }, { "vec u8 4x32", "vec f32 4x264 v4x{256|257}", "vec f32 4x264 v4x{256|257}" }, 0 },
    { "a bit for each column, words", "mask.cols", "c5", "", "TCMP", { 0 }, { 0 }, { "vec u32 4x8", "vec f32 4x264 v4x{256|257}", "vec f32 4x264 v4x{256|257}" }, 0 },
    { "a row of bits for each row", "mask.rows", "c2", "", "TCMPS", { 0 }, { 0 }, { "vec u8 {4|3}x32", F32, "#f32 1" }, 0 },
    { "columns of both sources fit dst", "concat.cols", "c2", "", "TCONCAT", { 0 }, { 0 }, { F32, "vec f32 4x32", "vec f32 4x40 v4x{32|33}" }, 0 },
    { "columns of both sources are dst's", "concat.cols", "5", "c2", "TCONCAT", { 0 }, { 0 }, { F32, "vec f32 4x32", "vec f32 4x32 v4x{32|31}" }, 0 },
    { "an even number of columns", "interleave.even", "c5", "", "TINTERLEAVE", { 0 }, { 0 }, { "vec f32 4x64 v4x{62|63}", "vec f32 4x64 v4x{62|63}", "vec f32 4x64 v4x{62|63}", "vec f32 4x64 v4x{62|63}" }, 0 },
    { "an even number of columns, one source", "interleave.even", "c5", "", "TDEINTERLEAVE1", { 0 }, { 0 }, { "vec f32 4x64 v4x31", "vec f32 4x64 v4x31", "vec f32 4x128 v4x{62|63}" }, 0 },
    { "dst half as wide as the one source", "interleave.half", "c5", "", "TDEINTERLEAVE1", { 0 }, { 0 }, { F32, "vec f32 4x64 v4x{64|63}", "vec f32 4x128" }, 0 },
    { "512 bytes in a row of the one source", "interleave.row", "5", "c", "TDEINTERLEAVE1", { 0 }, { 0 }, { "vec f32 4x64 v4x{64|60}", "vec f32 4x64 v4x{64|60}", "vec f32 4x{128|120}" }, 0 },
    { "narrower elements", "pack.width", "c5", "", "TPACK", { 0 }, { 0 }, { "vec {u16|u32} 4x64", "vec u32 4x64" }, 0 },
    /* generated, 3.2 and 4 */
    { "more than one column", "tci.cols", "c25", "", "TCI", { 0 }, { 0 }, { "vec i32 8x{2|1} col", "#i32 1" }, 0 },
    { "at least 1 block of 32 bytes", "fill.blocks", "c5", "", "TEXPANDS", { 0 }, { 0 }, { "conv mat f16 nchw 1,1,1,{16|15}", "#f16 1" }, 0 },
    { "at most 32767 blocks of 32 bytes", "fill.blocks", "c5", "", "TEXPANDS", { 0 }, { 0 }, { "conv mat f16 nchw 1,1,{32767|32768},16", "#f16 1" }, WITHOUT_CORE },
    { "at most 32767 blocks of 32 bytes of a matrix", "fill.blocks", "c25", "", "TEXPANDS", { 0 }, { 0 }, { "mat f32 {32767|32768}x8", "#f32 1" }, WITHOUT_CORE },
    { "7 or 10 rounds", "random.rounds", "c5", "", "TRANDOM", { .rounds = 7 }, { .rounds = 6 }, { "vec u32 1x256", "#u32 1", "#u32 1", "#u32 1", "#u32 1", "#u32 1", "#u32 1" }, 0 },
    { "7 or 10 rounds", "random.rounds", "c5", "", "TRANDOM", { .rounds = 10 }, { .rounds = 11 }, { "vec u32 1x256", "#u32 1", "#u32 1", "#u32 1", "#u32 1", "#u32 1", "#u32 1" }, 0 },
    /* tmp, where its shape matters beside its bytes */
    { "tmp of TREM in one row", "tmp.size", "2", "c5", "TREM", { 0 }, { 0 }, { F32, F32, F32, "vec f32 {1x72|2x64}" }, 0 },
    { "tmp of TREMS in one row", "tmp.size", "2", "c5", "TREMS", { 0 }, { 0 }, { F32, F32, "#f32 2", "vec f32 {1x64|2x56}" }, 0 },
    { "tmp of TREMS of dst's type", "tmp.type", "2", "c5", "TREMS", { 0 }, { 0 }, { F32, F32, "#f32 2", "vec {f32|i32} 1x64" }, 0 },
    { "tmp of TROWARGMAX row by row", "tmp.size", "2", "c5", "TROWARGMAX", { 0 }, { 0 }, { "vec i32 32x1 v4x1 col", "vec f32 4x2048", "vec f32 {4x64|8x32}" }, 0 },
    { "tmp of TPRELU of bytes", "tmp.type", "2", "c5", "TPRELU", { 0 }, { 0 }, { F32, F32, F32, "vec {u8|i8} 5x64" }, 0 },
    { "tmp of TSEL of words", "tmp.type", "2", "c5", "TSEL", { 0 }, { 0 }, { F32, "vec u8 4x32", F32, F32, "vec {u32|i32} 4x8" }, 0 },
    { "tmp of TCI of 4-byte elements", "tci.tmp-type", "2", "c5", "TCI_TMP", { 0 }, { 0 }, { "vec i32 1x64", "#i32 1", "vec {u32|u16} 1x512" }, 0 },
    { "tmp of TSORT32 of the source's type", "tmp.type", "25", "c", "TSORT32_TMP", { 0 }, { 0 }, { "vec f32 1x128", "vec f32 1x64", "vec u32 1x64", "vec {f32|f16} 1x256" }, 0 },
    /* reductions, expansions, 3.4 */
    { "rows that are not empty", "row.empty", "c25", "", "TROWSUM", { 0 }, { 0 }, { "vec f32 32x1 v4x1 col", "vec f32 4x64 v4x{1|0}", F32 }, 0 },
    { "a result for each row", "row.rows", "c25", "", "TROWMAX", { 0 }, { 0 }, { "vec f32 32x1 v{4|5}x1 col", F32, F32 }, 0 },
    { "one valid column in dst", "row.cols", "c25", "", "TROWMIN", { 0 }, { 0 }, { "vec f32 4x8 v4x{1|2}", F32, F32 }, 0 },
    { "one valid row in dst", "col.rows", "c25", "", "TCOLSUM", { 0 }, { 0 }, { "vec f32 2x64 v{1|2}x64", F32 }, 0 },
    { "a result for each column", "col.cols", "c25", "", "TCOLMIN", { 0 }, { 0 }, { "vec f32 1x64 v1x{60|61}", "vec f32 4x64 v4x60" }, 0 },
    { "a value for each row", "expand.rows", "c25", "", "TROWEXPAND", { 0 }, { 0 }, { F32, "vec f32 32x1 v{4|5}x1 col" }, 0 },
    { "at least one value in a row", "expand.empty", "c25", "", "TROWEXPAND", { 0 }, { 0 }, { F32, "vec f32 4x8 v4x{1|0}" }, 0 },
    { "at least one row of values", "expand.empty", "c25", "", "TCOLEXPAND", { 0 }, { 0 }, { F32, "vec f32 4x64 v{1|0}x64" }, 0 },
    { "a value for each column", "expand.cols", "c25", "", "TCOLEXPANDMUL", { 0 }, { 0 }, { F32, F32, "vec f32 1x64 v1x{64|63}" }, 0 },
    { "at least one row of values, as an operand", "expand.cols", "c25", "", "TCOLEXPANDADD", { 0 }, { 0 }, { F32, F32, "vec f32 4x64 v{1|0}x64" }, 0 },
    { "a block of 32 bytes for each row", "expand.mode", "c25", "", "TROWEXPANDMUL", { 0 }, { 0 }, { F32, F32, "vec f32 4x{8|16}" }, 0 },
    { "a block of valid columns for each row", "expand.mode", "c25", "", "TROWEXPANDMUL", { 0 }, { 0 }, { F32, F32, "vec f32 4x16 v4x{8|9}" }, 0 },
    { "such blocks in rows", "expand.mode", "25", "c", "TROWEXPANDMUL", { 0 }, { 0 }, { "vec f32 8x64", "vec f32 8x64", "vec f32 8x8 {v8x8|col}" }, 0 },
    { "a value for each row, as an operand", "expand.rows", "c25", "", "TROWEXPANDMUL", { 0 }, { 0 }, { F32, F32, "vec f32 32x1 v{4|5}x1 col" }, 0 },
    { "256 counts", "histogram.dst", "c5", "", "THISTOGRAM", { .byte = 1 }, { 0 }, { "vec u32 4x{256|248}", "vec u16 4x64", "vec u8 32x1 col" }, 0 },
    { "a byte of u16", "histogram.byte", "c5", "", "THISTOGRAM", { .byte = 1 }, { .byte = 2 }, { "vec u32 4x256", "vec u16 4x64", "vec u8 32x1 col" }, 0 },
    { "a byte of u32", "histogram.byte", "c5", "", "THISTOGRAM", { .byte = 3 }, { .byte = 4 }, { "vec u32 4x256", "vec u32 4x64", "vec u8 3x32" }, 0 },
    { "3 - k rows of filters", "histogram.index", "c5", "", "THISTOGRAM", { .byte = 0 }, { 0 }, { "vec u32 4x256", "vec u32 4x64", "vec u8 {3|2}x32" }, 0 },
    { "a filter for each row of u16", "histogram.index", "c5", "", "THISTOGRAM", { .byte = 0 }, { 0 }, { "vec u32 33x256", "vec u16 {32|33}x64", "vec u8 32x1 col" }, 0 },
    { "a filter for each row of u32", "histogram.index", "c5", "", "THISTOGRAM", { .byte = 2 }, { 0 }, { "vec u32 33x256", "vec u32 {32|33}x64", "vec u8 1x32" }, 0 },
    { "no byte before the first", "histogram.byte", "c5", "", "THISTOGRAM", { .byte = 0 }, { .byte = -1 }, { "vec u32 4x256", "vec u16 4x64", "vec u8 32x1 col" }, 0 },
    { "a row of counts for each row", "histogram.rows", "c5", "", "THISTOGRAM", { .byte = 1 }, { 0 }, { "vec u32 4x256", "vec u16 5x64 v{4|5}x64", "vec u8 32x1 col" }, 0 },
    /* global memory, 3.6 */
    { "loads of at most 4095 rows to vector memory", "load.rows", "25", "c", "TLOAD", { 0 }, { 0 }, { "vec f32 {4095|4096}x8", "g f32 {4095|4096}x8 nd" }, 0 },
    { "loads of at most 16384 rows to L1", "load.rows", "25", "c", "TLOAD", { 0 }, { 0 }, { "mat i8 {16384|16385}x32", "g i8 {16384|16385}x32 nd" }, WITHOUT_CORE },
    { "64 bits are padded with zero", "load.pad", "5", "c2", "TLOAD", { 0 }, { 0 }, { "vec i64 4x8 v3x8 pad{1|2}", "g i64 3x8 nd" }, 0 },
    { "the tensor's columns are the tile's", "global.extents", "c25", "", "TLOAD", { 0 }, { 0 }, { F32, "g f32 4x{64|63} nd" }, 0 },
    { "the tensor's rows are the tile's", "global.extents", "c25", "", "TSTORE", { 0 }, { 0 }, { "g f32 {4|5}x64 nd", F32 }, 0 },
    { "scales come in pairs", "global.scales", "c5", "", "TLOAD", { 0 }, { 0 }, { "mat f8e8m0 16x32 zz f32 v16x{30|31}", "g f8e8m0 16x{30|31} scale" }, 0 },
    { "scales in boxes of 16 rows", "global.scales", "5", "c", "TLOAD", { 0 }, { 0 }, { "mat f8e8m0 32x32 zz f32", "g f8e8m0 32x32 {mx_a_zz|mx_a_zz eights}" }, 0 },
    { "scales in boxes of 2 columns", "global.scales", "5", "c", "TLOAD", { 0 }, { 0 }, { "mat f8e8m0 32x32 zz f32", "g f8e8m0 32x32 {mx_a_zz|mx_a_zz fours}" }, 0 },
    { "scales of the right side in boxes of 16 columns", "global.scales", "5", "c", "TLOAD", { 0 }, { 0 }, { "mat f8e8m0 32x32 nn f32", "g f8e8m0 32x32 {mx_b_nn|mx_b_nn eights}" }, 0 },
    { "at most 4095 columns leave an accumulator", "store.extents", "25", "c", "TSTORE", { 0 }, { 0 }, { "g f32 16x16 nd", "acc f32 16x{4080|4096} nz f1024 v16x16" }, WITHOUT_CORE },
    { "at least one column leaves an accumulator", "store.extents", "25", "c", "TSTORE", { 0 }, { 0 }, { "g f32 16x{1|0} nd", "acc f32 16x16 nz f1024 v16x{1|0}" }, 0 },
    { "at most 8192 rows to layout nd", "store.extents", "25", "c", "TSTORE", { 0 }, { 0 }, { "g f32 16x16 nd", "acc f32 {8192|8208}x16 nz f1024 v16x16" }, WITHOUT_CORE },
    { "at most 65535 rows to layout nz", "store.extents", "25", "c", "TSTORE", { 0 }, { 0 }, { "g f32 16x16 nz", "acc f32 {65520|65536}x16 nz f1024 v16x16" }, WITHOUT_CORE },
    { "at most 65535 rows to layout nz, not boxed", "store.extents", "25", "c", "TSTORE", { 0 }, { 0 }, { "g f32 16x16 nz", "acc f32 {65535|65536}x16 v16x16" }, WITHOUT_CORE },
    { "columns in sixteens to layout nz", "store.nz", "25", "c", "TSTORE", { 0 }, { 0 }, { "g f32 16x8 nz", "acc f32 16x{16|24} v16x8" }, 0 },
    { "a scale for each column", "scale.columns", "c25", "", "TSTORE_FP", { 0 }, { 0 }, { "g i8 32x64 nd", ACC, "scal u64 1x{64|60}" }, 0 },
    { "an index for each row", "index.rows", "c25", "", "MGATHER", { 0 }, { 0 }, { F32, "g f32 9x64 nd", "vec i32 1x8 v1x{4|5}" }, 0 },
    { "an index for each element", "index.same", "c25", "", "MGATHER", { .coalesce = 2 }, { 0 }, { F32, "g f32 9x64 nd", "vec i32 4x64 v4x{64|63}" }, 0 },
    { "indexes of rows in one row", "index.rows", "2", "c5", "MSCATTER", { 0 }, { 0 }, { "g f32 9x64 nd", F32, "vec i32 {1x8 v1x4|8x1 v4x1 col}" }, 0 },
    { "scratch for the whole tile", "gather.scratch", "c25", "", "MGATHER_L1_TMP", { .coalesce = 2 }, { 0 }, { "mat f32 16x64 nz", "g f32 9x64 nd", "g i32 16x64 nd", "g f32 {16|15}x64 nd" }, 0 },
    /* sorting, 3.6 */
    { "without tmp whole blocks of 32", "sort.block", "c25", "", "TSORT32", { 0 }, { 0 }, { "vec f32 1x128", "vec f32 1x64 v1x{32|33}", "vec u32 1x64" }, 0 },
    { "with tmp any columns", "sort.block", "", "c25", "TSORT32_TMP", { 0 }, { 0 }, { "vec f32 1x128", "vec f32 1x64 v1x{32|33}", "vec u32 1x64", "vec f32 1x64" }, 0 },
    { "8 bytes for each f32", "sort.room", "c25", "", "TSORT32", { 0 }, { 0 }, { "vec f32 1x{128|120}", "vec f32 1x64", "vec u32 1x64" }, 0 },
    { "8 bytes for each f16", "sort.room", "c25", "", "TSORT32", { 0 }, { 0 }, { "vec f16 1x{256|240}", "vec f16 1x64", "vec u32 1x64" }, 0 },
    { "an index for each column", "index.same", "c25", "", "TSORT32", { 0 }, { 0 }, { "vec f32 1x128", "vec f32 1x64", "vec u32 1x64 v1x{64|63}" }, 0 },
    { "blocks of multiples of 64", "merge.block", "c25", "", "TMRGSORT", { 0 }, { 0 }, { "vec f32 1x256", "vec f32 1x256", "#i32 {64|65}" }, 0 },
    { "blocks of multiples of 64, not of 32", "merge.block", "c25", "", "TMRGSORT", { 0 }, { 0 }, { "vec f32 1x384", "vec f32 1x384 v1x{256|384}", "#i32 {64|96}" }, 0 },
    { "blocks that are not empty", "merge.block", "c25", "", "TMRGSORT", { 0 }, { 0 }, { "vec f32 1x256", "vec f32 1x256", "#i32 {64|0}" }, 0 },
    { "whole groups of four blocks", "merge.groups", "c25", "", "TMRGSORT", { 0 }, { 0 }, { "vec f32 1x512", "vec f32 1x512 v1x{256|320}", "#i32 64" }, 0 },
    { "at most 255 groups", "merge.groups", "c25", "", "TMRGSORT", { 0 }, { 0 }, { "vec f16 1x65536 @0", "vec f16 1x65536 v1x{65280|65536} @0", "#i32 64" }, 0 },
    { "dst as long as the source", "merge.room", "c25", "", "TMRGSORT", { 0 }, { 0 }, { "vec f32 1x{256|248}", "vec f32 1x256", "#i32 64" }, 0 },
    { "one row", "merge.rows", "c25", "", "TMRGSORT", { 0 }, { 0 }, { "vec f32 {1|2}x256", "vec f32 1x256", "#i32 64" }, 0 },
    { "dst as long as all lists", "merge.room", "c25", "", "TMRGSORT3", { 0 }, { 0 }, { "vec f32 1x{48|40}", "vec i16 1x16", "vec f32 1x48", "vec f32 1x16", "vec f32 1x16", "vec f32 1x16" }, 0 },
    { "room for four counts", "merge.counts", "c", "", "TMRGSORT2", { 0 }, { 0 }, { "vec f32 1x32", "vec i16 16x{4|3} col", "vec f32 1x32", "vec f32 1x16", "vec f32 1x16" }, 0 },
    { "room for four counts in a row", "merge.counts", "c25", "", "TMRGSORT2", { 0 }, { 0 }, { "vec f32 1x32", "vec i16 {1x16|16x1 col}", "vec f32 1x32", "vec f32 1x16", "vec f32 1x16" }, 0 },
    { "lists of whole elements", "merge.pairs", "c25", "", "TMRGSORT2", { 0 }, { 0 }, { "vec f16 1x64", "vec i16 1x16", "vec f16 1x64", "vec f16 1x32 v1x{28|29}", "vec f16 1x32" }, 0 },
    { "lists of at most 65535 elements", "merge.pairs", "c25", "", "TMRGSORT2", { 0 }, { 0 }, { "vec f32 1x262144", "vec i16 1x16", "vec f32 1x262144", "vec f32 1x131072 v1x{131070|131072}", "vec f32 1x16" }, WITHOUT_CORE },
    /* moves, 3.7 */
    { "bias in blocks of 64 bytes", "move.bias", "25", "c", "TMOV", { 0 }, { 0 }, { "bias f32 1x{16|24}", "mat f32 1x{16|24}" }, 0 },
    { "at most 4096 bytes of bias", "move.bias", "5", "c2", "TMOV", { 0 }, { 0 }, { "bias f32 1x{1024|1040}", "mat f32 1x{1024|1040}" }, WITHOUT_CORE },
    { "scales in blocks of 128 bytes", "move.scaling", "25", "c", "TMOV", { 0 }, { 0 }, { "scal u64 1x{16|20}", "mat u64 1x{16|20}" }, 0 },
    { "one row of bias", "move.row", "25", "c", "TMOV", { 0 }, { 0 }, { "bias f32 {1|2}x64", "mat f32 {1|2}x64" }, 0 },
    { "equal extents", "move.shape", "2", "", "TMOV", { 0 }, { 0 }, { "vec f32 {4|8}x64 v4x64", F32 }, 0 },
    { "half of an even number of rows", "move.split-extents", "c25", "", "TMOV", { .acc_mode = 2 }, { 0 }, { "vec f32 16x64 v{16|15}x64", ACC }, WITHOUT_CORE },
    { "columns of 32 bits in 32s when split", "move.split-columns", "c25", "", "TMOV", { .acc_mode = 3 }, { 0 }, { "vec f32 32x32 v32x{16|24}", "acc f32 32x64 nz f1024 v32x{32|48}" }, WITHOUT_CORE },
    { "columns of 16 bits by any even number when split", "move.split-columns", "", "c25", "TMOV", { .acc_mode = 3 }, { 0 }, { "vec f16 32x32 v32x{16|24}", "acc f32 32x64 nz f1024 v32x{32|48}" }, WITHOUT_CORE },
    { "rows to Zn in blocks of 32 bytes", "move.zn", "5", "c", "TMOV", { 0 }, { 0 }, { "vec f16 {32|24}x64 zn", "vec f16 {32|24}x64" }, 0 },
    { "rows to Zn in blocks of 32 bytes, also fewer", "move.zn", "5", "c", "TMOV", { 0 }, { 0 }, { "vec f16 {16|8}x64 zn", "vec f16 {16|8}x64" }, 0 },
    { "columns to Zn in sixteens", "tile.shape", "c5", "", "TMOV", { 0 }, { 0 }, { "vec f32 16x{32|40} zn", "vec f32 16x{32|40}" }, 0 },
    { "rows of exponents in sixteens", "zz.boxes", "c5", "", "TMOV_ZZ", { 0 }, { 0 }, { "vec u8 32x64 zz f32 v{16|17}x64", "vec u8 32x64 v{16|17}x64", "vec u8 1x512" }, 0 },
    { "columns of exponents in pairs", "zz.boxes", "c5", "", "TMOV_ZZ", { 0 }, { 0 }, { "vec u8 32x64 zz f32 v32x{62|63}", "vec u8 32x64 v32x{62|63}", "vec u8 1x512" }, 0 },
    { "a window inside the source's rows", "window.bounds", "c25", "", "TEXTRACT", { 0 }, { 0 }, { F32, "vec f32 9x64", "#i32 {5|6}", "#i32 0" }, 0 },
    { "a window inside the source's columns", "window.bounds", "c25", "", "TEXTRACT", { 0 }, { 0 }, { F32, "vec f32 4x72", "#i32 0", "#i32 {8|9}" }, 0 },
    { "a window inside dst", "window.bounds", "c5", "", "TINSERT", { 0 }, { 0 }, { "vec f32 9x64", F32, "#i32 {5|6}", "#i32 0" }, 0 },
    { "a window of an accumulator inside L1", "window.bounds", "c25", "", "TINSERT", { 0 }, { 0 }, { "mat f16 64x64 nz", ACC, "#i32 {32|33}", "#i32 0" }, 0 },
    { "a corner that is not negative", "window.bounds", "c25", "", "TEXTRACT", { 0 }, { 0 }, { F32, "vec f32 9x64", "#i32 {0|-1}", "#i32 0" }, 0 },
    { "as many bytes", "reshape.bytes", "c25", "", "TRESHAPE", { 0 }, { 0 }, { "vec f16 4x{128|112}", F32 }, 0 },
    { "dst has a row for each column", "trans.extents", "c25", "", "TTRANS", { 0 }, { 0 }, { "vec f32 {64|63}x8", F32, "vec f32 64x64" }, 0 },
    { "dst has a column for each row", "trans.extents", "c25", "", "TTRANS", { 0 }, { 0 }, { "vec f32 64x8", "vec f32 9x64 v{8|9}x64", "vec f32 64x64" }, 0 },
    { "equal extents", "pad.extents", "c25", "", "TFILLPAD", { 0 }, { 0 }, { "vec f32 {4|5}x64 pad1", F32 }, 0 },
    { "equal extents in place", "pad.extents", "c25", "", "TFILLPAD_INPLACE", { 0 }, { 0 }, { "vec f32 {4|5}x64 pad1", F32 }, 0 },
    { "dst at least as large", "pad.extents", "c25", "", "TFILLPAD_EXPAND", { 0 }, { 0 }, { "vec f32 {4|3}x64 pad1", F32 }, 0 },
    { "L1 is padded with zero", "pad.mat", "c25", "", "TFILLPAD", { 0 }, { 0 }, { "mat f16 16x32 nz pad{1|2}", "mat f16 16x32 nz" }, 0 },
    { "room for what the pattern keeps", "gather.room", "c25", "", "TGATHER_MASK", { .mask = 1 }, { 0 }, { "vec f32 4x32", "vec f32 4x72 v4x{64|65}" }, 0 },
    { "room for what the pattern keeps of rows", "gather.room", "c25", "", "TGATHER_MASK", { .mask = 6, .axis = 1 }, { 0 }, { "vec f32 2x32", "vec f32 12x32 v{11|12}x32" }, 0 },
    { "seven patterns", "mask.pattern", "c25", "", "TGATHER_MASK", { .mask = 7 }, { .mask = 8 }, { F32, F32 }, 0 },
    { "patterns count from 1", "mask.pattern", "c25", "", "TSCATTER_MASK", { .mask = 7 }, { .mask = 0 }, { F32, F32 }, 0 },
    { "room for what is spread out", "scatter.room", "c25", "", "TSCATTER_MASK", { .mask = 1 }, { 0 }, { F32, "vec f32 4x40 v4x{32|33}" }, 0 },
    { "room for a row of indexes", "gather.rows", "c25", "", "TGATHER_CMP", { .cmp = TW_PTO_CMP_GT }, { 0 }, { "vec i32 {4|3}x64", F32, "vec f32 1x8", "vec i32 1x8", "vec f32 32x64" }, 0 },
    { "room for a count of each row", "gather.rows", "c25", "", "TGATHER_CMP", { .cmp = TW_PTO_CMP_GT }, { 0 }, { "vec i32 9x64", "vec f32 9x64 v{8|9}x64", "vec f32 1x8", "vec i32 1x8", "vec f32 64x64" }, 0 },
    { "a scale address of whole blocks", "scale-address.align", "5", "", "TGET_SCALE_ADDR", { 0 }, { 0 }, { SL, LEFT5 " @{200|20}" }, 0 },
    /* the cube, 3.8 */
    { "rows of dst are those of a", "matmul.extents", "25", "c", "TMATMUL", { 0 }, { 0 }, { "acc f32 {16|32}x16 nz f1024", "left bf16 16x16 zz", "right bf16 16x16 zn" }, 0 },
    { "k is the same on both sides", "matmul.k", "c25", "", "TMATMUL", { 0 }, { 0 }, { ACC16, "left f16 16x32 zz v16x{31|32}", "right f16 32x16 zn v31x16" }, 0 },
    { "k at most 4095", "matmul.range", "25", "c", "TMATMUL", { 0 }, { 0 }, { ACC16, "left f16 16x4096 zz v16x{4095|4096}", "right f16 4096x16 zn v{4095|4096}x16" }, WITHOUT_CORE },
    { "m at most 4095", "matmul.range", "25", "c", "TMATMUL", { 0 }, { 0 }, { "acc f32 4096x16 nz f1024", "left f16 4096x16 zz v{4095|4096}x16", "right f16 16x16 zn" }, WITHOUT_CORE },
    { "n at most 4095", "matmul.range", "25", "c", "TMATMUL", { 0 }, { 0 }, { "acc f32 16x4096 nz f1024", "left f16 16x16 zz", "right f16 16x4096 zn v16x{4095|4096}" }, WITHOUT_CORE },
    { "m at least 1", "matmul.range", "25", "c", "TMATMUL", { 0 }, { 0 }, { ACC16, "left f16 16x16 zz v{1|0}x16", "right f16 16x16 zn" }, 0 },
    { "n at least 1", "matmul.range", "25", "c", "TMATMUL", { 0 }, { 0 }, { ACC16, "left f16 16x16 zz", "right f16 16x16 zn v16x{1|0}" }, 0 },
    { "k at least 1", "matmul.range", "25", "c", "TMATMUL", { 0 }, { 0 }, { ACC16, "left f16 16x16 zz v16x{1|0}", "right f16 16x16 zn v{1|0}x16" }, 0 },
    { "a bias for each column", "matmul.bias", "c25", "", "TMATMUL_BIAS", { 0 }, { 0 }, { ACC16, "left f16 16x16 zz", "right f16 16x16 zn", "bias f32 1x{16|8}" }, 0 },
    { "one row of bias", "matmul.bias", "c25", "", "TMATMUL_BIAS", { 0 }, { 0 }, { ACC16, "left f16 16x16 zz", "right f16 16x16 zn", "bias f32 {1|2}x16" }, 0 },
    { "the accumulator read is as large", "matmul.acc", "c25", "", "TMATMUL_ACC", { 0 }, { 0 }, { ACC16, "acc f32 {16|32}x16 nz f1024", "left f16 16x16 zz", "right f16 16x16 zn" }, 0 },
    { "a vector of one row", "gemv.rows", "c25", "", "TGEMV", { 0 }, { 0 }, { ACC16, "left f16 16x16 zz v{1|2}x16", "right f16 16x16 zn" }, 0 },
    { "k in multiples of 64", "mx.k", "c5", "", "TMATMUL_MX", { 0 }, { 0 }, { "acc f32 32x64 nz f1024", "left f8e4m3 32x128 nz v32x{64|96}", "sl f8e8m0 32x4 zz f32", "right f8e4m3 128x64 zn v{64|96}x64", "sr f8e8m0 4x64 nn f32" }, 0 },
    { "a scale for each row of a", "mx.scale", "c5", "", "TMATMUL_MX", { 0 }, { 0 }, { ACC, LEFT5, "sl f8e8m0 {32|16}x2 zz f32", R8, SR }, 0 },
    { "a scale for each 32 columns of a", "mx.scale", "c5", "", "TMATMUL_MX", { 0 }, { 0 }, { ACC, "left f8e4m3 32x128 nz", "sl f8e8m0 32x{4|2} zz f32", "right f8e4m3 128x64 zn", "sr f8e8m0 4x64 nn f32" }, 0 },
    { "a scale for each 32 rows of b", "mx.scale", "c5", "", "TMATMUL_MX", { 0 }, { 0 }, { ACC, "left f8e4m3 32x128 nz", "sl f8e8m0 32x4 zz f32", "right f8e4m3 128x64 zn", "sr f8e8m0 {4|2}x64 nn f32" }, 0 },
    { "a scale for each column of b", "mx.scale", "c5", "", "TMATMUL_MX", { 0 }, { 0 }, { ACC, LEFT5, SL, R8, "sr f8e8m0 2x{64|48} nn f32" }, 0 },
    /* quantisation, 3.9 */
    { "a parameter for each row", "quant.rows", "c25", "", "TQUANT", { 0 }, { 0 }, { "vec i8 9x64 v{8|9}x64", "vec f32 9x64 v{8|9}x64", "vec f32 8x1 col" }, 0 },
    { "an offset for each row", "quant.rows", "c25", "", "TDEQUANT", { 0 }, { 0 }, { "vec f32 9x64 v{8|9}x64", "vec i8 9x64 v{8|9}x64", "vec f32 16x1 col", "vec f32 8x1 col" }, 0 },
    { "rows in sixteens", "mx.groups", "c5", "", "TQUANT_MX", { 0 }, { 0 }, MX("32x64 v{16|17}x64", "32x32 v{16|17}x2"), 0 },
    { "columns in groups of 32", "mx.groups", "c5", "", "TQUANT_MX", { 0 }, { 0 }, MX("16x64 v16x{32|48}", "16x32 v16x1"), 0 },
    { "columns in groups of 64 for Zz", "mx.groups", "c5", "", "TQUANT_MX", { 0 }, { 0 }, { "vec f8e4m3 16x128 v16x{64|96}", "vec f32 16x128 v16x{64|96}", "vec u8 16x4 zz f32 v16x{2|3}", "vec f32 16x8 v16x{2|3}", "vec f32 16x8 v16x{2|3}" }, 0 },
    { "rows in groups of 32", "mx.groups", "c5", "", "TQUANT_MX", { .axis = 1 }, { 0 }, MX("64x64 v{32|48}x64", "1x64"), 0 },
    { "rows in groups of 64 for boxes", "mx.groups", "c5", "", "TQUANT_MX", { .axis = 1 }, { 0 }, { "vec f8e4m3 128x64 v{64|96}x64", "vec f32 128x64 v{64|96}x64", "vec u8 4x64 nn f32 v{2|3}x64", "vec f32 4x64 v{2|3}x64", "vec f32 4x64 v{2|3}x64" }, 0 },
    { "one exponent for each group", "mx.extents", "c5", "", "TQUANT_MX", { 0 }, { 0 }, { "vec f8e4m3 16x64", "vec f32 16x64", "vec u8 16x32 v16x{2|3}", "vec f32 16x8 v16x2", "vec f32 16x8 v16x2" }, 0 },
    { "columns in groups of 64", "hif4.groups", "c", "", "TQUANT_HIF4", { 0 }, { 0 }, { "vec hif4 4x128 v4x{64|96}", "vec f32 4x128 v4x{64|96}", "vec u32 4x8 v4x1" }, 0 },
    { "a word for each group", "hif4.extents", "c", "", "TQUANT_HIF4", { 0 }, { 0 }, { "vec hif4 4x128", "vec f32 4x128", "vec u32 4x8 v4x{2|3}" }, 0 },
    // clang-format on
};
enum { LIMITS = sizeof limits / sizeof *limits };

/* "{legal|illegal}" as one of them; whether there was one. */
static bool choose(const char *text, bool legal, char *out, size_t size)
{
    bool found = false;
    size_t n = 0;
    for (const char *at = text; *at && n + 1 < size;) {
        const char *bar = *at == '{' ? strchr(at, '|') : NULL, *end = bar ? strchr(bar, '}') : NULL;
        if (!end) {
            out[n++] = *at++;
            continue;
        }
        const char *from = legal ? at + 1 : bar + 1, *to = legal ? bar : end;
        memcpy(out + n, from, (size_t)(to - from));
        n += (size_t)(to - from);
        at = end + 1;
        found = true;
    }
    out[n] = 0;
    return found;
}

static tw_status call(const struct limit *l, tw_pto_target target, bool legal)
{
    operand_memory m[8];
    tw_pto_operand operands[8];
    unsigned count = 0, blame;
    bool numbers = false;
    char text[120];
    tw_pto *core = tw_pto_new(target, 0);
    int op = tw_pto_op_by_name(l->row);
    assert_non_null(core);
    if (op < 0) fail_msg("no row %s", l->row);
    for (; count < 8 && l->operands[count]; count++) {
        numbers = choose(l->operands[count], legal, text, sizeof text) || numbers;
        operands[count] = operand_of(core, text, &m[count]);
    }
    const tw_pto_attrs *attrs = legal || numbers ? &l->attrs : &l->worse;
    tw_status status = l->how & WITHOUT_CORE ? tw_pto_check(target, op, operands, count, attrs, &blame)
                                             : tw_pto_exec(core, op, operands, count, attrs);
    tw_pto_free(core);
    return status;
}

static unsigned try_limit(const struct limit *l, tw_pto_target target, bool holds)
{
    char tail[64];
    const char *name = tw_pto_target_name(target);
    snprintf(tail, sizeof tail, "[rule %s, profile %s]", l->rule, name);
    if (call(l, target, true) != TW_OK) {
        print_error("%s, %s: %s: the legal call is refused: %s\n", l->row, name, l->says, tw_error_message());
        return 1;
    }
    tw_status status = call(l, target, false);
    if (!holds && status == TW_OK) return 0;
    if (!holds)
        print_error("%s, %s: %s: not a rule here, but: %s\n", l->row, name, l->says, tw_error_message());
    else if (status == TW_OK)
        print_error("%s, %s: %s: not refused (%s)\n", l->row, name, l->says, l->rule);
    else if (!strstr(tw_error_message(), tail))
        print_error("%s: %s: \"%s\" lacks \"%s\"\n", l->row, l->says, tw_error_message(), tail);
    else
        return 0;
    return 1;
}

static void pto_limits_calls(void **state)
{
    unsigned bad = 0;
    (void)state;
    for (int i = 0; i < LIMITS; i++)
        for (int target = 0; target < TW_PTO_TARGETS; target++) {
            char letter = target == TW_PTO_CPU ? 'c' : target == TW_PTO_A2A3 ? '2' : '5';
            bool holds = strchr(limits[i].holds, letter) != NULL;
            if (holds || strchr(limits[i].free, letter)) bad += try_limit(&limits[i], (tw_pto_target)target, holds);
        }
    assert_int_equal(bad, 0);
}

/* --- tiles: every extent from 1 to 130, every type, layout and location, against the sentences of the manual
 * (1.1) */

typedef struct boxes {
    unsigned char base, inner;
    uint32_t fractal, rows, cols; /* rows or columns 0: 32 bytes of them */
} boxes;

static bool legal_shape(const boxes *b, unsigned bits, tw_pto_location location, uint32_t rows, uint32_t cols)
{
    uint32_t block = 256 / bits, ir = b->rows ? b->rows : block, ic = b->cols ? b->cols : block;
    if (b->inner == TW_PTO_NONE_BOX) return (b->base == TW_PTO_ROW_MAJOR ? cols : rows) % block == 0;
    bool free_rows = location == TW_PTO_VEC || b->fractal == 32 || rows == 1;
    return cols % ic == 0 && (free_rows || rows % ir == 0);
}

static void pto_limits_shapes(void **state)
{
    enum { MOST = 130 };
    static const boxes all[] = {
        { TW_PTO_ROW_MAJOR, TW_PTO_NONE_BOX, 512, 1, 1 },   { TW_PTO_COL_MAJOR, TW_PTO_NONE_BOX, 512, 1, 1 },
        { TW_PTO_COL_MAJOR, TW_PTO_BOX_ROW, 512, 16, 0 },   { TW_PTO_ROW_MAJOR, TW_PTO_BOX_COL, 512, 0, 16 },
        { TW_PTO_ROW_MAJOR, TW_PTO_BOX_ROW, 512, 16, 0 },   { TW_PTO_COL_MAJOR, TW_PTO_BOX_COL, 512, 0, 16 },
        { TW_PTO_COL_MAJOR, TW_PTO_BOX_ROW, 1024, 16, 16 }, { TW_PTO_ROW_MAJOR, TW_PTO_BOX_COL, 1024, 16, 16 },
        { TW_PTO_ROW_MAJOR, TW_PTO_BOX_ROW, 32, 16, 2 },    { TW_PTO_COL_MAJOR, TW_PTO_BOX_COL, 32, 2, 16 }
    };
    static const tw_pto_location locations[] = { TW_PTO_VEC, TW_PTO_MAT, TW_PTO_ACC };
    static const tw_type types[] = { TW_F4E2M1, TW_U8, TW_F16, TW_F32, TW_I64 };
    (void)state;
    for (size_t b = 0; b < sizeof all / sizeof *all; b++)
        for (size_t k = 0; k < 3 * sizeof types / sizeof *types; k++)
            for (uint32_t rows = 1; rows <= MOST; rows++)
                for (uint32_t cols = 1; cols <= MOST; cols++) {
                    tw_type type = types[k / 3];
                    tw_pto_location location = locations[k % 3];
                    tw_pto_tile t = tw_pto_tile_of(location, type, rows, cols);
                    t.blayout = all[b].base, t.slayout = all[b].inner, t.fractal = all[b].fractal;
                    unsigned bits = tw_type_get(type)->bits;
                    bool legal = legal_shape(&all[b], bits, location, rows, cols);
                    if ((tw_pto_tile_check(&t) == TW_OK) != legal)
                        fail_msg("%u x %u of %u bits, boxes %zu, location %d: %s", rows, cols, bits, b, location,
                                 legal ? tw_error_message() : "not refused");
                }
}

/* Compact modes: the manual names four and says nothing of what they do. They change no address and no value; a fifth
 * is refused. */
static void pto_limits_compact(void **state)
{
    enum { N = 32, MODES = 4 };
    static float products[MODES][N * N];
    (void)state;
    for (unsigned mode = 0; mode < MODES; mode++) {
        tw_pto *core = tw_pto_new(TW_PTO_A2A3, 0);
        operand_memory m[5];
        const char *const texts[] = { "acc f32 32x32 nz f1024 v19x21", "left f16 32x32 zz v19x32",
                                      "right f16 32x32 zn v32x21", "mat f16 32x32 nz", "mat f16 32x32 zn" };
        for (int i = 0; i < 5; i++) {
            operand_of(core, texts[i], &m[i]);
            tw_pto_tile plain = m[i].tile;
            m[i].tile.compact = (unsigned char)mode;
            assert_int_equal(tw_pto_tile_bytes(&plain), tw_pto_tile_bytes(&m[i].tile));
            for (uint32_t r = 0; r < N; r++)
                assert_int_equal(tw_pto_element(&plain, r, N - 1 - r), tw_pto_element(&m[i].tile, r, N - 1 - r));
        }
        for (uint32_t r = 0; r < N; r++)
            for (uint32_t c = 0; c < N; c++)
                for (int i = 3; i < 5; i++)
                    set(core, &m[i].tile, r, c, (double)((r * 5 + c * (uint32_t)i) % 17) - 8);
        OK(CALL(core, "tmov", NULL, TILE(&m[1].tile), TILE(&m[3].tile)));
        OK(CALL(core, "tmov", NULL, TILE(&m[2].tile), TILE(&m[4].tile)));
        OK(CALL(core, "tmatmul", NULL, TILE(&m[0].tile), TILE(&m[1].tile), TILE(&m[2].tile)));
        tw_pto_tensor g = tw_pto_tensor_of(products[mode], TW_F32, 19, 21, TW_PTO_ND);
        OK(CALL(core, "tstore", NULL, TENSOR(&g), TILE(&m[0].tile)));
        assert_memory_equal(products[mode], products[0], sizeof products[0]);
        m[0].tile.compact = MODES;
        REFUSED(CALL(core, "tstore", NULL, TENSOR(&g), TILE(&m[0].tile)), "tile.shape", "compact mode 4");
        tw_pto_free(core);
    }
    assert_true(products[0][0] != 0 || products[0][1] != 0);
}

/* --- memories and addresses, 1.4 and 1.5 ------------------------------------------------------------------------ */

static void try_memory(tw_pto_target target, tw_pto_location location, uint32_t bytes)
{
    tw_pto *core = tw_pto_new(target, 0);
    const char *name = tw_pto_target_name(target);
    tw_pto_tile one = tw_pto_tile_of(location, TW_U8, 1, 32), all = tw_pto_tile_of(location, TW_U8, bytes / 32, 32),
                more = tw_pto_tile_of(location, TW_U8, bytes / 32 + 1, 32);
    assert_non_null(core);
    if (bytes == 0) {
        REFUSED(tw_pto_assign(core, &one, 0), "SA-0351", name);
    } else {
        OK(tw_pto_assign(core, &one, bytes - 32));
        REFUSED(tw_pto_assign(core, &one, bytes), "SA-0353", name);
        OK(tw_pto_assign(core, &all, 0));
        REFUSED(tw_pto_assign(core, &all, 32), "SA-0353", name);
        REFUSED(tw_pto_assign(core, &more, 0), "SA-0352", name);
        OK(tw_pto_assign(core, &one, 32));
        REFUSED(tw_pto_assign(core, &one, 31), "SA-0354", name);
        REFUSED(tw_pto_assign(core, &one, 16), "SA-0354", name);
        REFUSED(tw_pto_assign(core, &one, UINT64_MAX - 31), "SA-0353", name);
    }
    tw_pto_free(core);
}

static void pto_limits_memories(void **state)
{
    static const struct { /* KiB: the table of the manual; profile cpu has the larger ones, 512 of vector memory */
        tw_pto_location location;
        uint32_t a2a3, a5, cpu;
    } sizes[] = { { TW_PTO_VEC, 192, 256, 512 }, { TW_PTO_MAT, 512, 512, 512 },  { TW_PTO_LEFT, 64, 64, 64 },
                  { TW_PTO_RIGHT, 64, 64, 64 },  { TW_PTO_ACC, 128, 256, 256 },  { TW_PTO_BIAS, 1, 4, 4 },
                  { TW_PTO_SCALING, 2, 4, 4 },   { TW_PTO_SCALE_LEFT, 0, 4, 4 }, { TW_PTO_SCALE_RIGHT, 0, 4, 4 } };
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        try_memory(TW_PTO_A2A3, sizes[i].location, sizes[i].a2a3 << 10);
        try_memory(TW_PTO_A5, sizes[i].location, sizes[i].a5 << 10);
        try_memory(TW_PTO_CPU, sizes[i].location, sizes[i].cpu << 10);
    }
}

/* --- flags and FIFOs, 1.6 and 3.10 ------------------------------------------------------------------------------ */

static void pto_limits_flags(void **state)
{
    (void)state;
    for (int target = 0; target < TW_PTO_TARGETS; target++) {
        tw_pto *core = tw_pto_new((tw_pto_target)target, 0);
        assert_non_null(core);
        for (unsigned id = 0; id < 8; id++) OK(tw_pto_set_flag(core, TW_PTO_PIPE_MTE2, TW_PTO_PIPE_V, id));
        assert_int_not_equal(tw_pto_set_flag(core, TW_PTO_PIPE_MTE2, TW_PTO_PIPE_V, 8), TW_OK);
        assert_int_not_equal(tw_pto_set_flag(core, TW_PTO_PIPE_MTE2, TW_PTO_PIPE_V, 7),
                             TW_OK); /* twice without a wait */
        OK(tw_pto_wait_flag(core, TW_PTO_PIPE_MTE2, TW_PTO_PIPE_V, 7));
        assert_int_not_equal(tw_pto_wait_flag(core, TW_PTO_PIPE_MTE2, TW_PTO_PIPE_V, 8), TW_OK);
        assert_int_not_equal(tw_pto_wait_flag(core, TW_PTO_PIPE_MTE2, TW_PTO_PIPE_V, 7),
                             TW_OK); /* nothing to wait for */
        OK(tw_pto_set_flag(core, TW_PTO_PIPE_MTE2, TW_PTO_PIPE_V, 7));
        OK(tw_pto_set_flag(core, TW_PTO_PIPE_V, TW_PTO_PIPE_MTE2, 7)); /* each ordered pair has eight */
        tw_pto_free(core);
    }
}

static void pto_limits_fifos(void **state)
{
    static const struct {
        const char *rule;
        tw_pto_fifo good, bad;
    } pairs[] = {
        { "fifo.id", { .id = 15, .slots = 2, .slot_bytes = 1024 }, { .id = 16, .slots = 2, .slot_bytes = 1024 } },
        { "fifo.slots", { .slots = 1, .slot_bytes = 1024 }, { .slots = 0, .slot_bytes = 1024 } },
        { "fifo.slots", { .slots = 64, .slot_bytes = 1024 }, { .slots = 65, .slot_bytes = 1024 } },
        { "fifo.slot-bytes", { .slots = 2, .slot_bytes = 1056 }, { .slots = 2, .slot_bytes = 1055 } },
        { "fifo.slot-bytes", { .slots = 2, .slot_bytes = 32 }, { .slots = 2, .slot_bytes = 0 } },
        { "fifo.slot-bytes", { .slots = 2, .slot_bytes = 1 << 20 }, { .slots = 2, .slot_bytes = (1 << 20) + 32 } },
    };
    int op = tw_pto_op_by_name("TPUSH");
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (int target = 0; target < TW_PTO_TARGETS; target++)
            for (int side = 0; side < 2; side++) {
                tw_pto_fifo f = side ? pairs[i].bad : pairs[i].good;
                tw_pto_tile t = vec_tile(TW_F32, 1, 8);
                unsigned blame;
                f.direction = TW_PTO_VECTOR_TO_CUBE;
                tw_pto_operand operands[] = { tw_pto_fifo_operand(&f), TILE(&t) };
                tw_status status = tw_pto_check((tw_pto_target)target, op, operands, 2, NULL, &blame);
                if (side == 0 && status != TW_OK) fail_msg("%s: %s", pairs[i].rule, tw_error_message());
                if (side == 1 && (status == TW_OK || !strstr(tw_error_message(), pairs[i].rule)))
                    fail_msg("%s: %s", pairs[i].rule, status == TW_OK ? "not refused" : tw_error_message());
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(pto_limits_calls),   cmocka_unit_test(pto_limits_shapes),
                                        cmocka_unit_test(pto_limits_compact), cmocka_unit_test(pto_limits_memories),
                                        cmocka_unit_test(pto_limits_flags),   cmocka_unit_test(pto_limits_fifos) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
