/* SPDX-License-Identifier: MIT */
/* Every rule has a call that it refuses, on the profiles where it holds. A row names the rule, the profiles (c cpu, 2
 * a2a3, 5 a5),
 * the instruction and its operands in the words of operands.h; the last test reads the sources and asks that no rule
 * was left out. */
#include "pto/support/operands.h"

#include <glob.h>

#include <tilewright/pto/grid.h>

#define F32    "vec f32 4x64"
#define F16    "vec f16 4x64"
#define I32    "vec i32 4x64"
#define ROW8   "vec f32 1x8"
#define COL    "vec f32 32x1 v4x1 col"
#define ACC    "acc f32 32x64 nz f1024"
#define LEFT2  "left f16 32x64 zz"
#define RIGHT  "right f16 64x64 zn"
#define MAP    "conv mat f16 nc1hwc0 1,1,3,3,16"
#define CONV16 "conv vec f16 nchw 1,16,2,2"

static const struct rule {
    const char *rule, *profiles, *row;
    tw_pto_attrs attrs;
    const char *operands[8];
} rules[] = {
    // clang-format off
    /* what instructions share */
    { "operands", "c25", "TADD", { 0 }, { F32, F32 } },
    { "operands", "c25", "TADD", { 0 }, { F32, F32, "#f32 1" } },
    { "tile.shape", "c25", "TADD", { 0 }, { F32, F32, "vec f32 4x7" } },
    { "tile.shape", "c25", "TADD", { 0 }, { F32, F32, "vec f32 4x64 v5x64" } },
    { "tile.shape", "c25", "TMOV", { 0 }, { "mat f16 24x32 nz", "mat f16 16x32 nz" } },
    { "tile.shape", "c25", "TMOV", { 0 }, { "mat f16 16x32 nz f64", "mat f16 16x32 nz" } },
    { "global.layout", "c25", "TLOAD", { 0 }, { F32, "g f32 4x64 nd bad" } },
    { "profile.absent", "2", "TPACK", { 0 }, { "vec u8 1x32", "vec u16 1x32" } },
    { "profile.absent", "2", "TMATMUL_MX", { 0 }, { ACC, LEFT2, "sl f8e8m0 32x2 zz f32", RIGHT, "sr f8e8m0 2x64 nn f32" } },
    { "profile.absent", "5", "SET_DEQSCALE", { 0 }, { "#f32 1" } },
    { "type.set", "c25", "TAND", { 0 }, { F32, F32, F32 } },
    { "type.set", "2", "TLOAD", { 0 }, { "vec f8e4m3 4x32", "g f8e4m3 4x32 nd" } }, /* A5 alone has 8-bit floats */
    { "type.set", "5", "TMOV", { 0 }, { "vec hif4 4x64", "vec hif4 4x64" } },
    { "type.set", "2", "TADD", { 0 }, { "vec i8 4x32", "vec i8 4x32", "vec i8 4x32" } },
    { "type.same", "c25", "TADD", { 0 }, { F32, F32, F16 } },
    { "type.same", "c25", "TADDS", { 0 }, { F32, F32, "#i32 1" } },
    { "type.same", "c25", "TAXPY", { 0 }, { F32, F16, "#f32 1" } },
    { "type.same", "c25", "TCMP", { 0 }, { "vec u8 4x32", F32, F16 } },
    { "type.same", "c25", "TSEL", { 0 }, { F32, "vec u8 4x32", F16, F32, "vec u32 4x8" } },
    { "type.same", "c25", "TSORT32", { 0 }, { "vec f16 1x256", "vec f32 1x32", "vec u32 1x32" } },
    { "type.same", "c25", "TADDDEQRELU", { 0 }, { F16, I32, F32, "#f32 1", I32 } },
    { "conv.tile", "c25", "TMOV", { 0 }, { "mat f16 1x144", MAP } },
    { "location.vec", "c25", "TADD", { 0 }, { F32, F32, "mat f32 4x64" } },
    { "location.vec", "c25", "MGATHER", { 0 }, { "mat f32 4x64", "g f32 9x64 nd", "vec i32 1x8 v1x4" } },
    { "layout.row-major", "25", "TADD", { 0 }, { "vec f32 8x64", "vec f32 8x64", "vec f32 8x64 col" } },
    { "layout.row-major", "25", "TPARTADD", { 0 }, { "vec f32 8x64", "vec f32 8x64", "vec f32 8x64 col" } },
    { "layout.row-major", "25", "TEXPANDS", { 0 }, { "vec f32 8x64 col", "#f32 1" } },
    { "layout.row-major", "25", "TFILLPAD", { 0 }, { "vec f32 16x64 nz pad1", "vec f32 16x64 nz" } },
    { "layout.row-major", "25", "TROWEXPANDADD", { 0 }, { "vec f32 8x64 col", "vec f32 8x64", "vec f32 8x1 col" } },
    { "layout.row-major", "25", "TROWSUM", { 0 }, { COL, "vec f32 8x64 v4x64 col", F32 } },
    { "layout.row-major", "25", "TTRANS", { 0 }, { "vec f32 64x64", "vec f32 8x64 col", "vec f32 64x64" } },
    { "layout.row-major", "c25", "TSORT32", { 0 }, { "vec f32 64x8 col", "vec f32 1x32", "vec u32 1x32" } },
    { "valid.same", "c25", "TADD", { 0 }, { F32, F32, "vec f32 4x64 v4x63" } },
    { "valid.same", "c25", "TADD", { 0 }, { F32, "vec f32 4x64 v4x63", F32 } },
    { "valid.same", "c25", "TAXPY", { 0 }, { F32, "vec f32 4x64 v3x64", "#f32 1" } },
    { "valid.same", "c25", "TCVT", { 0 }, { F32, "vec f16 4x64 v4x60" } },
    { "valid.same", "c25", "TCMP", { 0 }, { "vec u8 4x32", F32, "vec f32 4x64 v4x60" } },
    { "valid.same", "c25", "TQUANT", { 0 }, { "vec i8 4x64", "vec f32 4x64 v4x32", COL } },
    { "valid.same", "5", "TPACK", { 0 }, { "vec u16 4x64", "vec u32 4x64 v4x60" } },
    { "valid.same", "c25", "TCOLEXPANDADD", { 0 }, { F32, "vec f32 4x64 v4x60", "vec f32 1x64" } },
    { "tmp.type", "2", "TREM", { 0 }, { F32, F32, F32, "vec i32 4x96" } },
    { "tmp.type", "2", "TSEL", { 0 }, { F32, "vec u8 4x32", F32, F32, "vec f32 4x8" } },
    { "tmp.type", "2", "TPRELU", { 0 }, { F32, F32, F32, "vec i8 8x64" } },
    { "tmp.type", "2", "TSELS", { 0 }, { F32, "vec u8 4x32", F32, "vec u32 4x8", "#f32 1" } },
    { "tmp.type", "25", "TSORT32_TMP", { 0 }, { "vec f32 1x64", "vec f32 1x32", "vec u32 1x32", "vec f16 1x64" } },
    { "tmp.rows", "2", "TPRELU", { 0 }, { F32, F32, F32, "vec u8 4x64" } },
    { "tmp.rows", "2", "TROWARGMAX_V", { 0 }, { COL, "vec i32 32x1 v4x1 col", F32, "vec f32 3x64" } },
    { "tmp.same", "2", "TXOR", { 0 }, { I32, I32, I32, "vec i32 3x64" } },
    { "tmp.same", "2", "TXOR", { 0 }, { I32, I32, I32, "vec u32 4x64" } },
    { "tmp.same", "2", "TPOW", { 0 }, { F32, F32, F32, "vec f32 4x32" } },
    { "tmp.same", "2", "TADDDEQRELU", { 0 }, { F16, I32, I32, "#f32 1", "vec i32 4x32" } },
    { "tmp.same", "2", "TQUANT_TMP", { 0 }, { "vec i8 4x64", F32, COL, "vec f32 4x32" } },
    { "tmp.size", "2", "TREM", { 0 }, { F32, F32, F32, "vec f32 1x64" } },
    { "tmp.size", "2", "TREMS", { 0 }, { F32, F32, "#f32 2", "vec f32 1x56" } },
    { "tmp.size", "2", "TSEL", { 0 }, { "vec f16 9x64", "vec u8 9x32", "vec f16 9x64", "vec f16 9x64", "vec u32 4x8" } },
    { "tmp.size", "2", "TROWARGMIN", { 0 }, { "vec i32 32x1 v4x1 col", "vec f32 4x2048", "vec f32 4x8" } },
    { "tmp.size", "2", "TROWARGMIN_V", { 0 }, { COL, "vec i32 32x1 v4x1 col", "vec f32 4x2048", "vec f32 8x8" } },
    { "tmp.size", "2", "TCOLARGMAX", { 0 }, { "vec i32 1x128", "vec f16 4x128", "vec f16 1x128" } },
    { "tmp.size", "2", "TCOLSUM_TMP", { .binary = 1 }, { "vec f32 1x64", "vec f32 5x64", "vec f32 2x64" } },
    { "tmp.size", "2", "TROWEXPANDSUB_TMP", { 0 }, { "vec f32 9x64", "vec f32 9x64", "vec f32 16x1 v9x1 col", "vec f32 1x64" } },
    { "tmp.size", "2", "TTRANS", { 0 }, { "vec f32 64x8", "vec f32 8x64", "vec f32 15x64" } },
    { "tmp.size", "2", "TGATHER", { 0 }, { F32, F32, I32, "vec f32 3x64" } },
    { "tmp.size", "2", "TGATHER_CMP", { .cmp = TW_PTO_CMP_GT }, { I32, F32, ROW8, "vec i32 1x8", "vec u8 1x32" } },
    { "tmp.size", "25", "TSORT32_TMP", { 0 }, { "vec f32 1x128", "vec f32 1x64 v1x33", "vec u32 1x64", "vec f32 1x32" } },
    { "tmp.size", "2", "TMRGSORT2", { 0 }, { "vec f32 1x32", "vec i16 1x16", "vec f32 1x16", "vec f32 1x16", "vec f32 1x16" } },
    { "tmp.size", "2", "TCVT_TMP", { 0 }, { "vec i16 4x64", F32, "vec u8 1x224" } },
    { "tmp.size", "5", "TMOV_ZZ", { 0 }, { "vec u8 32x64 zz f32", "vec u8 32x64", "vec u8 1x128" } },
    { "tmp.overlap", "2", "TXOR", { 0 }, { "vec i32 4x64 @0", I32, I32, "vec i32 4x64 @20" } },
    { "tmp.overlap", "2", "TCI_TMP", { 0 }, { "vec i32 1x64 @0", "#i32 1", "vec f32 1x512 @0" } },
    { "alias", "2", "TRECIP", { 0 }, { "vec f32 4x64 @0", "vec f32 4x64 @0" } },
    { "core.vector", "", "", { 0 }, { 0 } }, /* elsewhere[] */
    /* elementwise */
    { "shift.count", "c25", "TSHLS", { 0 }, { I32, I32, "#i32 32" } },
    { "shift.count", "c25", "TSHLS", { 0 }, { I32, I32, "#i32 -1" } },
    { "fault.element", "5", "TDIV", { 0 }, { I32, I32, I32 } },
    { "type.axpy", "c25", "TAXPY", { 0 }, { F16, F32, "#f32 1" } },
    { "type.pair", "c25", "TADDRELUCONV", { 0 }, { "vec i8 4x64", F32, F32 } },
    { "type.pair", "c25", "TADDDEQRELU", { 0 }, { F32, I32, I32, "#f32 1", I32 } },
    { "type.scale", "c25", "TADDDEQRELU", { 0 }, { F16, I32, I32, "#f16 1", I32 } },
    { "valid.rows", "c25", "TPAIRREDUCESUM", { 0 }, { "vec f32 4x32 v3x32", F32 } },
    { "valid.cols", "c25", "TPAIRREDUCESUM", { 0 }, { "vec f32 4x24", F32 } },
    { "sort.width", "c", "TSORT", { .width = 65 }, { F32, "vec u32 4x64", F32 } },
    { "type.index", "c", "TSORT", { 0 }, { F32, I32, F32 } },
    { "valid.same", "c", "TSORT", { 0 }, { F32, "vec u32 4x64", "vec f32 4x64 v4x60" } },
    { "profile.absent", "25", "TSORT", { 0 }, { F32, "vec u32 4x64", F32 } },
    { "type.index", "c", "MGATHER_MASK", { 0 }, { F32, "g f32 4x64 nd", "vec i16 4x64", "vec u8 4x32" } },
    { "global.table", "c", "MGATHER_MASK", { 0 }, { F32, "g f32 4x64 dn", I32, "vec u8 4x32" } },
    { "mask.cols", "c", "MSCATTER_MASK", { 0 }, { "g f32 4x512 nd", "vec f32 4x512", "vec i32 4x512", "vec u8 4x32" } },
    { "mask.type", "c", "MSCATTER_MASK", { 0 }, { "g f32 4x64 nd", F32, I32, F32 } },
    { "valid.same", "c", "MGATHER_CAS", { 0 }, { F32, "g f32 4x64 nd", I32, F32, "vec f32 4x64 v4x60" } },
    { "part.full", "c25", "TPARTADD", { 0 }, { F32, "vec f32 4x64 v3x64", "vec f32 4x64 v4x60" } },
    { "part.within", "c25", "TPARTMAX", { 0 }, { "vec f32 4x64 v3x60", "vec f32 4x64 v3x60", F32 } },
    { "part.index", "c25", "TPARTARGMAX", { 0 }, { F32, F32, F32, I32, I32, "vec i32 4x64 v3x64" } },
    { "type.index", "c25", "TPARTARGMAX", { 0 }, { F32, F32, F32, "vec i16 4x64", "vec i16 4x64", "vec i16 4x64" } },
    { "cmp.mode", "c25", "TCMP", { .cmp = 6 }, { "vec u8 4x32", F32, F32 } },
    { "cmp.mode", "c25", "TGATHER_CMP", { .cmp = TW_PTO_CMP_LT }, { I32, F32, ROW8, "vec i32 1x8", "vec f32 16x64" } },
    { "cmp.i32", "2", "TCMP", { .cmp = TW_PTO_CMP_LT }, { "vec u8 4x32", I32, I32 } },
    { "cmp.i32", "2", "TCMPS", { .cmp = TW_PTO_CMP_NE }, { "vec u8 4x32", I32, "#i32 1" } },
    { "cmp.mask", "2", "TCMP", { 0 }, { "vec u32 4x8", F32, F32 } },
    { "cmp.mask", "5", "TCMPS", { 0 }, { "vec u8 4x32", F32, "#f32 1" } },
    { "mask.layout", "c", "TCMP", { 0 }, { "vec u8 32x8 col", F32, F32 } },
    { "mask.type", "c25", "TCMP", { 0 }, { "vec u16 4x32", F32, F32 } },
    { "mask.cols", "c25", "TSEL", { 0 }, { "vec f32 4x512", "vec u8 4x32", "vec f32 4x512", "vec f32 4x512", "vec u32 4x8" } },
    { "mask.rows", "c25", "TCMP", { 0 }, { "vec u8 3x32", F32, F32 } },
    { "tcvt.pair", "c25", "TCVT", { 0 }, { "vec u64 4x64", F32 } },
    { "tcvt.pair", "2", "TCVT", { 0 }, { "vec f8e4m3 4x64", F32 } },
    { "tcvt.round", "c25", "TCVT", { .round = 8 }, { F16, F32 } },
    { "tcvt.odd", "c25", "TCVT", { .round = TW_PTO_ROUND_ODD }, { I32, F32 } },
    { "concat.rows", "c25", "TCONCAT", { 0 }, { F32, "vec f32 4x32 v3x32", "vec f32 4x32" } },
    { "concat.cols", "c25", "TCONCAT", { 0 }, { F32, "vec f32 4x40", "vec f32 4x32" } },
    { "concat.cols", "5", "TCONCAT", { 0 }, { F32, "vec f32 4x24", "vec f32 4x32" } },
    { "concat.counts", "c25", "TCONCAT_N", { 0 }, { F32, F32, F32, "vec i32 3x8", "vec i32 4x8" } },
    { "concat.count", "", "", { 0 }, { 0 } }, /* pto_values_concat: at run time */
    { "type.index", "c25", "TCONCAT_N", { 0 }, { F32, F32, F32, F32, I32 } },
    { "interleave.even", "5", "TINTERLEAVE", { 0 }, { "vec f32 4x64 v4x63", "vec f32 4x64 v4x63", "vec f32 4x64 v4x63", "vec f32 4x64 v4x63" } },
    { "interleave.half", "5", "TDEINTERLEAVE1", { 0 }, { "vec f32 4x64", "vec f32 4x64 v4x60", "vec f32 4x128" } },
    { "interleave.row", "5", "TDEINTERLEAVE1", { 0 }, { "vec f32 4x32", "vec f32 4x32", F32 } },
    { "pack.width", "5", "TPACK", { 0 }, { I32, I32 } },
    /* generated */
    { "tci.cols", "c25", "TCI", { 0 }, { "vec i32 8x1 col", "#i32 1" } },
    { "tci.tmp-type", "2", "TCI_TMP", { 0 }, { "vec i32 1x64", "#i32 1", "vec f16 1x1024" } },
    { "tci.tmp-size", "2", "TCI_TMP", { 0 }, { "vec i32 1x64", "#i32 1", "vec f32 1x184" } },
    { "tci.tmp-size", "2", "TCI_TMP", { 0 }, { "vec i16 1x64", "#i16 1", "vec f32 1x440" } },
    { "random.rounds", "5", "TRANDOM", { .rounds = 8 }, { "vec u32 1x256", "#u32 1", "#u32 1", "#u32 1", "#u32 1", "#u32 1", "#u32 1" } },
    { "location.fill", "c25", "TEXPANDS", { 0 }, { "left f32 16x16 zz", "#f32 1" } },
    { "fill.blocks", "c5", "TEXPANDS", { 0 }, { "conv mat f16 nchw 1,1,1,15", "#f16 1" } },
    { "conv.fill", "2", "TEXPANDS", { 0 }, { "conv mat f16 nchw 1,1,1,16", "#f16 1" } },
    /* reductions, expansions */
    { "row.empty", "c25", "TROWSUM", { 0 }, { COL, "vec f32 4x64 v4x0", F32 } },
    { "row.rows", "c25", "TROWMAX", { 0 }, { "vec f32 32x1 v3x1 col", F32, F32 } },
    { "row.cols", "c25", "TROWMIN", { 0 }, { "vec f32 4x8 v4x2", F32, F32 } },
    { "row.cols", "c", "TROWPROD", { 0 }, { "vec f32 8x2 v4x1 col", F32, F32 } },
    { "layout.row-major", "25", "TROWPROD", { 0 }, { "vec f32 8x2 v4x1 col", F32, F32 } },
    { "type.index", "c25", "TROWARGMAX", { 0 }, { COL, F32, F32 } },
    { "col.rows", "c25", "TCOLSUM", { 0 }, { "vec f32 2x64", F32 } },
    { "col.cols", "c25", "TCOLMAX", { 0 }, { "vec f32 1x64 v1x63", F32 } },
    { "type.index", "c25", "TCOLARGMIN", { 0 }, { "vec f32 1x64", F32, F32 } },
    { "arg.width", "2", "TCOLARGMAX_V", { 0 }, { "vec f16 1x64", "vec i32 1x64", F16, "vec f16 3x128" } },
    { "expand.rows", "c25", "TROWEXPAND", { 0 }, { F32, "vec f32 32x1 v3x1 col" } },
    { "expand.rows", "c25", "TROWEXPANDADD", { 0 }, { F32, F32, "vec f32 32x1 v3x1 col" } },
    { "expand.empty", "c25", "TROWEXPAND", { 0 }, { F32, "vec f32 4x8 v4x0" } },
    { "expand.empty", "c25", "TCOLEXPAND", { 0 }, { F32, "vec f32 4x64 v0x64" } },
    { "expand.cols", "c25", "TCOLEXPAND", { 0 }, { F32, "vec f32 1x64 v1x63" } },
    { "expand.mode", "c25", "TROWEXPANDADD", { 0 }, { F32, F32, F32 } },
    { "expand.tmp-mode", "c25", "TROWEXPANDSUB_TMP", { 0 }, { F32, F32, "vec f32 4x8", "vec f32 32x64" } },
    { "histogram.dst", "5", "THISTOGRAM", { 0 }, { "vec i32 4x256", "vec u16 4x64", "vec u8 32x1 col" } },
    { "histogram.byte", "5", "THISTOGRAM", { .byte = 2 }, { "vec u32 4x256", "vec u16 4x64", "vec u8 32x1 col" } },
    { "histogram.rows", "5", "THISTOGRAM", { .byte = 1 }, { "vec u32 3x256", "vec u16 4x64", "vec u8 32x1 col" } },
    { "histogram.index", "5", "THISTOGRAM", { .byte = 0 }, { "vec u32 4x256", "vec u32 4x64", "vec u8 2x32" } },
    { "type.index", "5", "THISTOGRAM", { 0 }, { "vec u32 4x256", "vec u16 4x64", "vec i8 32x1 col" } },
    /* global memory */
    { "location.load", "c25", "TLOAD", { 0 }, { "left f32 16x16 zz", "g f32 16x16 nd" } },
    { "load.rows", "25", "TLOAD", { 0 }, { "vec f32 4096x8", "g f32 4096x8 nd" } },
    { "load.rows", "25", "TLOAD", { 0 }, { "mat i8 16400x32", "g i8 16400x32 nd" } },
    { "load.pad", "5", "TLOAD", { 0 }, { "vec i64 4x8 v3x8 pad2", "g i64 3x8 nd" } },
    { "global.extents", "c25", "TLOAD", { 0 }, { F32, "g f32 4x63 nd" } },
    { "global.type", "c25", "TLOAD", { 0 }, { F32, "g f16 4x64 nd" } },
    { "global.overlap", "c25", "TSTORE", { 0 }, { "g f32 4x64 nd repeat", F32 } },
    { "global.layout", "25", "TLOAD", { 0 }, { "vec f32 8x64", "g f32 8x64 dn" } },
    { "global.layout", "25", "TLOAD", { 0 }, { "mat f16 32x32 nz", "g f16 32x32 nd outer" } },
    { "global.layout", "25", "TLOAD", { 0 }, { "mat f16 32x32 zn", "g f16 32x32 nd" } },
    { "global.layout", "2", "TSTORE", { 0 }, { "g f16 32x32 nd", "mat f16 32x32 nz" } }, /* loads alone change layouts */
    { "global.wide", "25", "TLOAD", { 0 }, { "mat i64 16x4 nz", "g i64 16x4 nz" } },
    { "global.scales", "c5", "TLOAD", { 0 }, { "mat f8e8m0 16x32 zz f32 v16x31", "g f8e8m0 16x32 mx_a_nd odd" } },
    { "global.scales", "c", "TLOAD", { 0 }, { "mat u32 32x64 nn f32 v31x31", "g u32 62x16 hif4_b_nn odd" } },
    { "global.scales", "c5", "TLOAD", { 0 }, { "mat f8e8m0 16x32 zz f32 v16x31", "g f8e8m0 16x31 scale" } },
    { "global.scales", "c5", "TLOAD", { 0 }, { "mat f8e8m0 32x16 nn f32 v31x16", "g f8e8m0 31x16 scale" } },
    { "global.absent", "25", "TLOAD", { 0 }, { "mat u32 16x32 zz f32", "g u32 16x32 hif4_a_zz" } },
    { "global.absent", "25", "TSTORE", { 0 }, { "g u32 32x16 hif4_b_nn", "vec u32 32x16 nn f32" } },
    { "global.absent", "2", "TLOAD", { 0 }, { "mat u8 16x32 zz f32", "g u8 16x32 mx_a_zz" } },
    { "global.absent", "2", "TLOAD", { 0 }, { "vec u8 16x32", "g u8 16x32 scale" } },
    { "global.layout", "5", "TLOAD", { 0 }, { "mat f8e8m0 32x32 nz", "g f8e8m0 32x32 scale" } },
    { "global.null", "c25", "TLOAD", { 0 }, { F32, "g f32 4x64 nd null" } },
    { "global.bounds", "c25", "TLOAD", { 0 }, { F32, "g f32 4x64 nd w1020" } },
    { "global.bounds", "c25", "TSTORE", { 0 }, { "g f32 4x64 nd w1020", F32 } },
    { "global.nibbles", "c5", "TLOAD", { 0 }, { "vec f4e2m1 4x64", "g f4e2m1 4x64 nd neg" } },
    { "location.store", "c25", "TSTORE", { 0 }, { "g f16 32x64 nd", LEFT2 } },
    { "location.store", "5", "TSTORE", { 0 }, { "g f16 32x64 nd", "mat f16 32x64" } },
    { "store.relu", "c25", "TSTORE", { .relu = 1 }, { "g f32 4x64 nd", F32 } },
    { "store.atomic", "c25", "TSTORE", { .atomic = 2 }, { "g f32 4x64 nd", F32 } },
    { "store.type", "c25", "TSTORE", { 0 }, { "g i32 32x64 nd", ACC } },
    { "store.layout", "5", "TSTORE", { 0 }, { "g f32 32x64 nc1hwc0", ACC } },
    { "store.layout", "2", "TSTORE", { 0 }, { "g f32 32x64 nhwc", ACC } },
    { "store.extents", "25", "TSTORE", { 0 }, { "g f32 32x0 nd", "acc f32 32x64 nz f1024 v32x0" } },
    { "store.extents", "25", "TSTORE", { 0 }, { "g f32 8208x16 nd", "acc f32 8208x16 nz f1024" } },
    { "store.nz", "", "", { 0 }, { 0 } }, /* boxes of accumulators are 16 wide: reached by a tile that is not boxed, below */
    { "store.nz", "25", "TSTORE", { 0 }, { "g f32 16x8 nz", "acc f32 16x8" } },
    { "acc.type", "2", "TSTORE_QUANT", { 0 }, { "g f16 32x64 nd", ACC, "#u64 1" } },
    { "acc.type", "5", "TSTORE_QUANT", { 0 }, { "g i16 32x64 nd", ACC, "#u64 1" } },
    { "location.acc", "c25", "TSTORE_QUANT", { 0 }, { "g i8 4x64 nd", F32, "#u64 1" } },
    { "location.acc", "c25", "TMATMUL", { 0 }, { "mat f32 32x64 nz", LEFT2, RIGHT } },
    { "scale.type", "c25", "TSTORE_FP", { 0 }, { "g i8 32x64 nd", ACC, "scal f16 1x64" } },
    { "scale.location", "25", "TSTORE_FP", { 0 }, { "g i8 32x64 nd", ACC, "vec u64 1x64" } },
    { "scale.location", "c25", "SET_QUANT_VECTOR", { 0 }, { "vec u64 1x64" } },
    { "scale.columns", "c25", "TSTORE_FP", { 0 }, { "g i8 32x64 nd", ACC, "scal u64 1x32" } },
    { "global.table", "c25", "MGATHER", { 0 }, { F32, "g f32 9x64 dn", "vec i32 1x8 v1x4" } },
    { "global.table", "c25", "MGATHER", { 0 }, { F32, "g f32 9x64 nd neg", "vec i32 1x8 v1x4" } },
    { "index.rule", "c25", "MGATHER", { .bounds = 5 }, { F32, "g f32 9x64 nd", "vec i32 1x8 v1x4" } },
    { "index.rows", "c25", "MGATHER", { 0 }, { F32, "g f32 9x64 nd", "vec i32 1x8 v1x3" } },
    { "index.rows", "2", "MGATHER", { 0 }, { F32, "g f32 9x64 nd", "vec i32 8x1 v4x1 col" } },
    { "index.same", "c25", "MGATHER", { .coalesce = 2 }, { F32, "g f32 9x64 nd", "vec i32 4x64 v4x63" } },
    { "index.bounds", "", "", { 0 }, { 0 } }, /* pto_data_tables: at run time */
    { "type.index", "c25", "MGATHER", { 0 }, { F32, "g f32 9x64 nd", "vec i16 1x16 v1x4" } },
    { "scatter.atomic", "2", "MSCATTER", { .atomic = 2 }, { "g f32 9x64 nd", F32, "vec i32 1x8 v1x4" } },
    { "scatter.atomic-type", "2", "MSCATTER", { .atomic = 1 }, { "g u32 9x64 nd", "vec u32 4x64", "vec i32 1x8 v1x4" } },
    { "scatter.atomic-type", "5", "MSCATTER", { .atomic = 1 }, { "g i16 9x64 nd", "vec i16 4x64", "vec i32 1x8 v1x4" } },
    { "scatter.atomic-type", "c5", "MSCATTER", { .atomic = 3 }, { "g f16 9x64 nd", F16, "vec i32 1x8 v1x4" } },
    { "gather.l1", "c25", "MGATHER_L1", { 0 }, { F32, "g f32 9x64 nd", "g i32 1x4 nd" } },
    { "gather.nz", "25", "MGATHER_L1", { 0 }, { "mat f32 4x64", "g f32 9x64 nd", "g i32 1x4 nd" } },
    { "gather.scratch", "c25", "MGATHER_L1", { .coalesce = 2 }, { "mat f32 16x64 nz", "g f32 9x64 nd", "g i32 16x64 nd" } },
    { "gather.scratch", "c25", "MGATHER_L1_TMP", { .coalesce = 2 }, { "mat f32 16x64 nz", "g f32 9x64 nd", "g i32 16x64 nd", "g f32 15x64 nd" } },
    { "index.rows", "c25", "MGATHER_L1", { 0 }, { "mat f32 16x64 nz", "g f32 9x64 nd", "g i32 1x15 nd" } },
    /* sorting */
    { "sort.block", "c25", "TSORT32", { 0 }, { "vec f32 1x128", "vec f32 1x64 v1x33", "vec u32 1x64" } },
    { "sort.room", "c25", "TSORT32", { 0 }, { "vec f32 1x64", "vec f32 1x64", "vec u32 1x64" } },
    { "index.same", "c25", "TSORT32", { 0 }, { "vec f32 1x64", "vec f32 1x32", "vec u32 1x32 v1x31" } },
    { "type.index", "c25", "TSORT32", { 0 }, { "vec f32 1x64", "vec f32 1x32", "vec i32 1x32" } },
    { "merge.rows", "c25", "TMRGSORT", { 0 }, { "vec f32 2x256", "vec f32 2x256", "#i32 64" } },
    { "merge.room", "c25", "TMRGSORT", { 0 }, { "vec f32 1x248", "vec f32 1x256", "#i32 64" } },
    { "merge.block", "c25", "TMRGSORT", { 0 }, { "vec f32 1x256", "vec f32 1x256", "#i32 32" } },
    { "merge.groups", "c25", "TMRGSORT", { 0 }, { "vec f32 1x384", "vec f32 1x384", "#i32 64" } },
    { "merge.groups", "c25", "TMRGSORT", { 0 }, { "vec f16 1x65536", "vec f16 1x65536", "#i32 64" } },
    { "merge.counts", "c25", "TMRGSORT2", { 0 }, { "vec f32 1x32", "vec i16 16x1 col", "vec f32 1x32", "vec f32 1x16", "vec f32 1x16" } },
    { "merge.pairs", "c25", "TMRGSORT2", { 0 }, { "vec f32 1x32", "vec i16 1x16", "vec f32 1x32", "vec f32 1x16 v1x15", "vec f32 1x16" } },
    { "merge.room", "c25", "TMRGSORT2", { 0 }, { "vec f32 1x24", "vec i16 1x16", "vec f32 1x32", "vec f32 1x16", "vec f32 1x16" } },
    /* moves */
    { "move.path", "c25", "TMOV", { 0 }, { LEFT2, "vec f16 32x64 nz" } },
    { "move.path", "2", "TMOV", { 0 }, { "mat f16 32x64 nz", "vec f16 32x64 nz" } },
    { "move.path", "2", "TINSERT", { 0 }, { "vec f32 8x64", F32, "#i32 0", "#i32 0" } },
    { "move.relu", "c25", "TMOV", { .relu = 1 }, { F32, F32 } },
    { "move.type", "c25", "TMOV", { 0 }, { F16, F32 } },
    { "move.type", "2", "TMOV", { 0 }, { "bias f32 1x64", "mat bf16 1x64" } },
    { "move.type", "c25", "TMOV", { 0 }, { "bias i16 1x64", "mat i16 1x64" } },
    { "move.shape", "2", "TMOV", { 0 }, { "vec f32 8x64", F32 } },
    { "move.layout", "2", "TMOV", { 0 }, { "vec f32 8x8 col", "vec f32 8x8" } },
    { "move.extents", "c5", "TMOV", { 0 }, { "vec f32 8x64", F32 } },
    { "move.extents", "5", "TMOV_QUANT", { 0 }, { "vec f16 16x64", ACC, "#u64 1" } },
    { "move.row", "25", "TMOV", { 0 }, { "bias f32 2x64", "mat f32 2x64" } },
    { "move.bias", "25", "TMOV", { 0 }, { "bias f32 1x8", "mat f32 1x8" } },
    { "move.bias", "5", "TMOV", { 0 }, { "bias f32 1x1040", "mat f32 1x1040" } },
    { "move.scaling", "25", "TMOV", { 0 }, { "scal u64 1x12", "mat u64 1x12" } },
    { "move.scaling-type", "2", "TMOV", { 0 }, { "scal f32 1x64", "mat f32 1x64" } },
    { "layout.cube", "2", "TMOV", { 0 }, { "left f16 32x64 nz", "mat f16 32x64 nz" } },
    { "layout.cube", "5", "TMOV", { 0 }, { LEFT2, "mat f16 32x64 nz" } },
    { "layout.cube", "25", "TMOV", { 0 }, { "right f16 32x64 nz", "mat f16 32x64 nz" } },
    { "move.split", "c25", "TMOV", { .acc_mode = 2 }, { F32, F32 } },
    { "move.split-extents", "c25", "TMOV", { .acc_mode = 2 }, { "vec f32 32x64", ACC } },
    { "move.split-columns", "c25", "TMOV", { .acc_mode = 3 }, { "vec f32 32x24", "acc f32 32x48 nz f1024" } },
    { "move.split-cores", "c25", "TMOV", { .acc_mode = 2 }, { "vec f32 16x64", ACC } },
    { "move.split-scale", "5", "TMOV_QUANT", { .acc_mode = 2 }, { "vec f16 32x64", ACC, "#u64 1" } },
    { "window.bounds", "c25", "TEXTRACT", { 0 }, { F32, F32, "#i32 1", "#i32 0" } },
    { "window.bounds", "5", "TINSERT", { 0 }, { F32, F32, "#i32 0", "#i32 1" } },
    { "window.bounds", "c25", "TIMG2COL", { 0 }, { "left f16 16x16", MAP, "#i32 0", "#i32 0" } },
    { "extract.type", "2", "TEXTRACT", { 0 }, { "left i32 16x8 zz", "mat i32 16x8 nz", "#i32 0", "#i32 0" } },
    { "extract.type", "c25", "TEXTRACT", { 0 }, { F16, F32, "#i32 0", "#i32 0" } },
    { "extract.layout", "2", "TEXTRACT", { 0 }, { LEFT2, "mat f16 32x64 zz", "#i32 0", "#i32 0" } },
    { "extract.nd", "c25", "TEXTRACT2", { 0 }, { "vec f16 16x32 nz", "vec f16 16x32 nz", "vec f16 32x64 nz", "#i32 0", "#i32 0", "#i32 0", "#i32 0" } },
    { "extract.nd", "c25", "TEXTRACT2", { 0 }, { "vec f16 16x32 nz", "vec f16 16x32 nz", "mat f16 32x64", "#i32 0", "#i32 0", "#i32 0", "#i32 0" } },
    { "extract.nz", "c25", "TEXTRACT2", { 0 }, { "vec f16 16x32 nz", "vec f16 16x32", "vec f16 32x64", "#i32 0", "#i32 0", "#i32 0", "#i32 0" } },
    { "extract.nz", "c25", "TEXTRACT2", { 0 }, { "vec f16 16x32 nz", "mat f16 16x32 nz", "vec f16 32x64", "#i32 0", "#i32 0", "#i32 0", "#i32 0" } },
    { "extract.nz", "2", "TEXTRACT2", { 0 }, { "mat f16 16x32 nz", "mat f16 16x32 nz", "vec f16 32x64", "#i32 0", "#i32 0", "#i32 0", "#i32 0" } },
    { "type.same", "c25", "TEXTRACT2", { 0 }, { "vec f16 16x32 nz", "vec bf16 16x32 nz", "vec f16 32x64", "#i32 0", "#i32 0", "#i32 0", "#i32 0" } },
    { "window.bounds", "c25", "TEXTRACT2", { 0 }, { "vec f16 16x32 nz", "vec f16 16x32 nz", "vec f16 32x64", "#i32 17", "#i32 0", "#i32 0", "#i32 0" } },
    { "window.bounds", "c25", "TEXTRACT2", { 0 }, { "vec f16 16x32 nz", "vec f16 16x32 nz", "vec f16 32x64", "#i32 16", "#i32 32", "#i32 0", "#i32 33" } },
    { "insert.split", "c5", "TINSERT", { .insert_split = 1 }, { "mat f16 32x64 nz", "vec f16 32x64", "#i32 0", "#i32 0" } },
    { "insert.split", "c5", "TINSERT", { .insert_split = 1 }, { "vec f16 32x64 nz", "vec f16 32x64 nz", "#i32 0", "#i32 0" } },
    { "insert.split", "c5", "TINSERT", { .insert_split = 1 }, { "mat f16 32x64 nz", "vec f16 32x16 nz", "#i32 0", "#i32 0" } },
    { "insert.split", "c5", "TINSERT", { .insert_split = 2 }, { "mat f16 32x64 nz", "vec f16 32x32 nz", "#i32 0", "#i32 0" } },
    { "move.path", "2", "TINSERT", { .insert_split = 2 }, { "mat f16 32x64 nz", "vec f16 32x64 nz", "#i32 0", "#i32 0" } },
    { "insert.type", "2", "TINSERT", { 0 }, { "mat f32 32x64 nz", ACC, "#i32 0", "#i32 0" } },
    { "insert.type", "5", "TINSERT", { 0 }, { F16, F32, "#i32 0", "#i32 0" } },
    { "reshape.location", "c25", "TRESHAPE", { 0 }, { F32, "mat f32 4x64" } },
    { "reshape.bytes", "c25", "TRESHAPE", { 0 }, { F32, F16 } },
    { "reshape.boxes", "c25", "TRESHAPE", { 0 }, { "vec f32 16x8 nz", "vec f32 16x8" } },
    { "reshape.window", "c25", "TRESHAPE", { 0 }, { F32, "vec f32 4x64 base" } },
    { "trans.extents", "c25", "TTRANS", { 0 }, { "vec f32 32x8", F32, "vec f32 64x64" } },
    { "location.fill", "c25", "TFILLPAD", { 0 }, { "mat f32 4x64", F32 } },
    { "pad.null", "c25", "TFILLPAD", { 0 }, { F32, F32 } },
    { "pad.mat", "c25", "TFILLPAD", { 0 }, { "mat f16 16x32 nz pad2", "mat f16 16x32 nz" } },
    { "pad.nz", "25", "TFILLPAD", { 0 }, { "mat f32 4x64", "mat f32 4x64" } },
    { "pad.extents", "c25", "TFILLPAD", { 0 }, { "vec f32 8x64 pad1", F32 } },
    { "pad.extents", "c25", "TFILLPAD_EXPAND", { 0 }, { "vec f32 3x64 pad1", F32 } },
    { "mask.pattern", "c25", "TGATHER_MASK", { 0 }, { F32, F32 } },
    { "mask.pattern", "c25", "TSCATTER_MASK", { .mask = 8 }, { F32, F32 } },
    { "gather.cols", "c25", "TGATHER_MASK", { .mask = 1 }, { "vec f32 4x64 v4x60", F32 } },
    { "gather.room", "c25", "TGATHER_MASK", { .mask = 7 }, { "vec f32 4x32", F32 } },
    { "gather.rows", "c25", "TGATHER_CMP", { .cmp = TW_PTO_CMP_GT }, { "vec i32 3x64", F32, ROW8, "vec i32 1x8", "vec f32 16x64" } },
    { "index.same", "c25", "TGATHER", { 0 }, { F32, F32, "vec i32 4x64 v3x64", F32 } },
    { "type.index", "2", "TGATHER", { 0 }, { F32, F32, "vec i16 4x64", F32 } },
    { "type.index", "c25", "TGATHERB", { 0 }, { F32, F32, I32 } },
    { "layout.boxed", "c", "TGATHERB", { 0 }, { "vec f32 16x8", "vec f32 16x8 nz", "vec u32 16x8" } },
    { "layout.window", "", "", { 0 }, { 0 } }, /* test below */
    { "type.index", "c25", "TSCATTER", { 0 }, { F32, F32, "vec i16 4x64" } },
    { "index.same", "c25", "TSCATTER", { 0 }, { F32, F32, "vec i32 4x64 v3x64" } },
    { "scatter.room", "c25", "TSCATTER_MASK", { .mask = 1 }, { F32, F32 } },
    { "move.zn", "5", "TMOV", { 0 }, { "vec f16 24x64 zn", "vec f16 24x64" } },
    { "zz.dst", "5", "TMOV_ZZ", { 0 }, { "vec u8 32x64", "vec u8 32x64", "vec u8 1x512" } },
    { "zz.src", "5", "TMOV_ZZ", { 0 }, { "vec u8 32x64 zz f32", "vec u8 32x64 zz f32", "vec u8 1x512" } },
    { "zz.extents", "5", "TMOV_ZZ", { 0 }, { "vec u8 32x64 zz f32", "vec u8 16x64", "vec u8 1x512" } },
    { "zz.extents", "5", "TMOV_ZZ", { .axis = 1 }, { "vec u8 32x64 zz f32", "vec u8 32x64", "vec u8 1x512" } },
    { "zz.boxes", "5", "TMOV_ZZ", { 0 }, { "vec u8 32x64 zz f32 v24x64", "vec u8 32x64 v24x64", "vec u8 1x512" } },
    { "scale-address.location", "5", "TGET_SCALE_ADDR", { 0 }, { "sr f8e8m0 2x64 nn f32", "left f8e4m3 32x64 nz" } },
    { "scale-address.align", "5", "TGET_SCALE_ADDR", { 0 }, { "sl f8e8m0 32x2 zz f32", "left f8e4m3 32x64 nz @20" } },
    /* convolutions */
    { "conv.layout", "c25", "TLOAD", { 0 }, { CONV16, "g f16 4x16 nd" } },
    { "conv.shape", "c25", "TLOAD", { 0 }, { CONV16, "g f16 8x16 nchw" } },
    { "global.type", "c25", "TLOAD", { 0 }, { CONV16, "g bf16 4x16 nchw" } },
    { "conv.location", "c25", "TLOAD", { 0 }, { "conv left f16 nchw 1,16,2,2", "g f16 4x16 nchw" } },
    { "conv.trans", "c25", "TTRANS", { 0 }, { F16, CONV16, F16 } },
    { "conv.trans", "c25", "TTRANS", { 0 }, { CONV16, CONV16, F16 } },
    { "conv.trans", "c25", "TTRANS", { 0 }, { CONV16, "conv vec f16 fractal_z 4,1,16,16", F16 } },
    { "conv.shape", "c25", "TTRANS", { 0 }, { "conv vec f16 nc1hwc0 1,1,2,3,16", CONV16, F16 } },
    { "conv.shape", "c25", "TTRANS", { 0 }, { "conv vec f16 fractal_z 5,1,16,16", CONV16, F16 } },
    { "img2col.map", "c25", "SETFMATRIX", { 0 }, { "conv mat f16 nchw 1,16,2,2" } },
    { "img2col.map", "c25", "TIMG2COL", { 0 }, { LEFT2, "mat f16 1x144", "#i32 0", "#i32 0" } },
    { "img2col.location", "c25", "SET_IMG2COL_RPT", { 0 }, { "conv vec f16 nc1hwc0 1,1,3,3,16" } },
    { "img2col.location", "c25", "TIMG2COL", { 0 }, { "mat f16 16x16 nz", MAP, "#i32 0", "#i32 0" } },
    { "img2col.transpose", "2", "TIMG2COL", { 0 }, { "left f16 16x16 zz", MAP " t", "#i32 0", "#i32 0" } },
    { "img2col.filter", "2", "TIMG2COL", { 0 }, { "left f16 16x16 zz", MAP " k4x1", "#i32 0", "#i32 0" } },
    { "img2col.extents", "2", "TIMG2COL", { 0 }, { "left f16 16x16 zz v9x16", MAP " h4", "#i32 0", "#i32 0" } },
    { "img2col.extents", "2", "TIMG2COL", { 0 }, { "left f16 16x16 zz v9x16", MAP " x17", "#i32 0", "#i32 0" } },
    { "img2col.state", "", "", { 0 }, { 0 } }, /* pto_conv_product: manual mode */
    { "layout.cube", "5", "TIMG2COL", { 0 }, { "left f16 16x16 zz v9x16", MAP, "#i32 0", "#i32 0" } },
    /* the cube */
    { "location.left", "c25", "TMATMUL", { 0 }, { ACC, "mat f16 32x64 nz", RIGHT } },
    { "location.right", "c25", "TMATMUL", { 0 }, { ACC, LEFT2, "mat f16 64x64 nz" } },
    { "matmul.extents", "c25", "TMATMUL", { 0 }, { ACC, LEFT2, "right f16 32x64 zn" } },
    { "matmul.extents", "25", "TMATMUL", { 0 }, { "acc f32 48x64 nz f1024", LEFT2, RIGHT } },
    { "matmul.k", "c25", "TMATMUL", { 0 }, { ACC, "left f16 32x64 zz v32x63", RIGHT } },
    { "matmul.range", "25", "TMATMUL", { 0 }, { ACC, "left f16 32x64 zz v0x64", RIGHT } },
    { "matmul.types", "c2", "TMATMUL", { 0 }, { "acc i32 32x64 nz f1024", LEFT2, RIGHT } },
    { "matmul.types", "2", "TMATMUL", { 0 }, { ACC, LEFT2, "right bf16 64x64 zn" } },
    { "matmul.acc", "2", "TMATMUL_ACC", { 0 }, { ACC, "acc f32 32x48 nz f1024", LEFT2, RIGHT } },
    { "matmul.bias", "2", "TMATMUL_BIAS", { 0 }, { ACC, LEFT2, RIGHT, "bias f32 1x48" } },
    { "gemv.rows", "2", "TGEMV", { 0 }, { ACC, LEFT2, RIGHT } },
    { "mx.k", "5", "TMATMUL_MX", { 0 }, { ACC, "left f8e4m3 32x96 nz", "sl f8e8m0 32x4 zz f32", "right f8e4m3 96x64 zn", "sr f8e8m0 4x64 nn f32" } },
    { "mx.scale", "5", "TMATMUL_MX", { 0 }, { ACC, "left f8e4m3 32x64 nz", "sl f8e8m0 16x2 zz f32", "right f8e4m3 64x64 zn", "sr f8e8m0 2x64 nn f32" } },
    { "matmul.types", "5", "TMATMUL_MX", { 0 }, { ACC, "left f4e2m1 32x64 nz", "sl f8e8m0 32x2 zz f32", "right f8e4m3 64x64 zn", "sr f8e8m0 2x64 nn f32" } },
    /* quantisation */
    { "quant.parameter", "c25", "TQUANT", { 0 }, { "vec i8 4x64", F32, "vec f16 32x1 v4x1 col" } },
    { "quant.rows", "c25", "TQUANT", { 0 }, { "vec i8 16x64", "vec f32 16x64", "vec f32 8x1 col" } },
    { "quant.type", "c25", "TQUANT", { 0 }, { "vec u8 4x64", F32, COL } },
    { "quant.offset", "c25", "TQUANT", { .quant = 1 }, { "vec i8 4x64", F32, COL } },
    { "quant.type", "c25", "TDEQUANT", { 0 }, { F16, "vec i8 4x64", COL, COL } },
    { "mx.types", "c5", "TQUANT_MX", { 0 }, { "vec f4e2m1 16x64", "vec f32 16x64", "vec u8 16x32 v16x2", "vec f32 16x8 v16x2", "vec f32 16x8 v16x2" } },
    { "mx.exponents", "c5", "TQUANT_MX", { 0 }, { "vec f8e4m3 16x64", "vec f32 16x64", "vec i8 16x32 v16x2", "vec f32 16x8 v16x2", "vec f32 16x8 v16x2" } },
    { "mx.outputs", "c5", "TQUANT_MX", { 0 }, { "vec f8e4m3 16x64", "vec f32 16x64", "vec u8 16x32 v16x2", "vec f16 16x16 v16x2", "vec f32 16x8 v16x2" } },
    { "mx.groups", "c5", "TQUANT_MX", { 0 }, { "vec f8e4m3 16x64 v16x40", "vec f32 16x64 v16x40", "vec u8 16x32 v16x2", "vec f32 16x8 v16x2", "vec f32 16x8 v16x2" } },
    { "mx.groups", "c5", "TQUANT_MX", { .axis = 1 }, { "vec f8e4m3 16x64", "vec f32 16x64", "vec u8 1x64", "vec f32 1x64", "vec f32 1x64" } },
    { "mx.extents", "c5", "TQUANT_MX", { 0 }, { "vec f8e4m3 16x64", "vec f32 16x64", "vec u8 16x32 v16x2", "vec f32 16x8 v16x1", "vec f32 16x8 v16x2" } },
    { "valid.same", "c5", "TQUANT_MX", { 0 }, { "vec f8e4m3 16x64 v16x32", "vec f32 16x64", "vec u8 16x32 v16x2", "vec f32 16x8 v16x2", "vec f32 16x8 v16x2" } },
    { "hif4.type", "c", "TQUANT_HIF4", { 0 }, { "vec f4e1m2 4x64", F32, "vec u32 4x8 v4x1" } },
    { "hif4.scales", "c", "TQUANT_HIF4", { 0 }, { "vec hif4 4x64", F32, "vec i32 4x8 v4x1" } },
    { "hif4.groups", "c", "TQUANT_HIF4", { 0 }, { "vec hif4 4x64 v4x32", "vec f32 4x64 v4x32", "vec u32 4x8 v4x1" } },
    { "hif4.extents", "c", "TQUANT_HIF4", { 0 }, { "vec hif4 4x64", F32, "vec u32 4x8 v4x2" } },
    // clang-format on
};
enum { RULES = sizeof rules / sizeof *rules };

static unsigned bad;
static GString *told; /* one line for each refusal: instruction, rule, profile, operand to blame, message */

static void refuse(const struct rule *rule, tw_pto_target target)
{
    operand_memory m[8];
    tw_pto_operand operands[8];
    char tail[64];
    unsigned count = 0;
    tw_pto *core = tw_pto_new(target, 0);
    int op = tw_pto_op_by_name(rule->row);
    assert_true(op >= 0);
    for (; count < 8 && rule->operands[count] && *rule->operands[count]; count++)
        operands[count] = operand_of(core, rule->operands[count], &m[count]);
    tw_status status = tw_pto_exec(core, op, operands, count, &rule->attrs);
    snprintf(tail, sizeof tail, "[rule %s, profile %s]", rule->rule, tw_pto_target_name(target));
    if (status == TW_OK)
        print_error("row %d: %s of %s (%s) is not refused\n", (int)(rule - rules), rule->row, rule->rule, tail);
    else if (!strstr(tw_error_message(), tail))
        print_error("row %d: %s: \"%s\" lacks \"%s\"\n", (int)(rule - rules), rule->row, tw_error_message(), tail);
    else
        bad--;
    bad++;
    unsigned blame = 99;
    tw_status checked = tw_pto_check(target, op, operands, count, &rule->attrs, &blame);
    g_string_append_printf(told, "%s %s %s ", rule->row, rule->rule, tw_pto_target_name(target));
    if (checked == TW_OK)
        g_string_append(told, "at run time"); /* where tiles lie is not known before */
    else
        g_string_append_printf(told, blame < count ? "operand %u" : "all", blame + 1);
    if (status != TW_OK) tw_pto_exec(core, op, operands, count, &rule->attrs);
    g_string_append_printf(told, ": %s\n", tw_error_message());
    tw_pto_free(core);
}

/* The messages as somebody has read them; TW_GOLDEN=1 writes the file again, to be read again. */
static void compare_messages(void)
{
    static const char file[] = TW_SOURCE_DIR "/tests/pto/core/rule_messages.txt";
    g_autofree char *known = NULL;
    if (getenv("TW_GOLDEN")) assert_true(g_file_set_contents(file, told->str, (gssize)told->len, NULL));
    assert_true(g_file_get_contents(file, &known, NULL, NULL));
    g_auto(GStrv) want = g_strsplit(known, "\n", -1), got = g_strsplit(told->str, "\n", -1);
    for (size_t i = 0; want[i] || got[i]; i++)
        if (!want[i] || !got[i] || strcmp(want[i], got[i]) != 0)
            fail_msg("%s:%zu: '%s', now '%s'", file, i + 1, want[i] ? want[i] : "", got[i] ? got[i] : "");
}

static void pto_rules_refusals(void **state)
{
    (void)state;
    told = g_string_new(NULL);
    for (int i = 0; i < RULES; i++)
        for (const char *p = rules[i].profiles; *p; p++)
            refuse(&rules[i], *p == 'c' ? TW_PTO_CPU : *p == '2' ? TW_PTO_A2A3 : TW_PTO_A5);
    assert_int_equal(bad, 0);
    compare_messages();
    g_string_free(told, TRUE);
}

static void pto_rules_windows(void **state)
{
    (void)state;
    tw_pto *core = tw_pto_new(TW_PTO_A5, 0);
    tw_pto_tile t = vec_tile(TW_F32, 8, 64), w = vec_tile(TW_F32, 4, 32), d = w, x = vec_tile(TW_U32, 4, 32);
    OK(tw_pto_window(core, &w, &t, 2, 16));
    REFUSED(CALL(core, "tgatherb", NULL, TILE(&d), TILE(&w), TILE(&x)), "layout.window", "a5");
    tw_pto_free(core);
}

/* Cores of a block have part of the memories: TASSIGN names tiles in all of them, instructions use those that are
 * there. */
static tw_status use_tiles_elsewhere(tw_pto *core, void *user)
{
    bool cube = tw_pto_identity_of(core).kind == TW_PTO_CUBE;
    tw_pto_tile vec = vec_tile(TW_F32, 16, 16), acc = tw_pto_tile_of(TW_PTO_ACC, TW_F32, 16, 16), mat = acc,
                big = acc;
    acc.blayout = TW_PTO_COL_MAJOR, acc.slayout = TW_PTO_BOX_ROW, acc.fractal = 1024;
    mat.location = big.location = cube ? TW_PTO_VEC : TW_PTO_MAT;
    big.rows = big.valid_rows = 16384;
    OK(tw_pto_assign(core, &vec, 0));
    OK(tw_pto_assign(core, &acc, 0));
    OK(tw_pto_assign(core, &mat, 64));
    REFUSED(tw_pto_assign(core, &big, 0), "SA-0352", "a2a3");
    if (cube) {
        REFUSED(CALL(core, "tadd", NULL, TILE(&vec), TILE(&vec), TILE(&vec)), "core.vector", "a2a3");
        assert_null(tw_pto_data(core, &vec));
        assert_non_null(tw_pto_data(core, &acc));
    } else {
        REFUSED(CALL(core, "tmov", NULL, TILE(&vec), TILE(&acc)), "core.cube", "a2a3");
        REFUSED(CALL(core, "tload", NULL, TILE(&mat), TENSOR(&(tw_pto_tensor){ 0 })), "", "a2a3");
        assert_null(tw_pto_data(core, &acc));
        assert_null(tw_pto_data(core, &mat));
        OK(CALL(core, "tadd", NULL, TILE(&vec), TILE(&vec), TILE(&vec)));
    }
    ++*(int *)user;
    return TW_OK;
}

static void pto_rules_cores(void **state)
{
    int cores = 0;
    (void)state;
    tw_pto_grid *g = tw_pto_grid_new(&(tw_pto_launch){
        .size = sizeof(tw_pto_launch), .target = TW_PTO_A2A3, .flags = TW_PTO_MANUAL, .vectors = 2 });
    assert_non_null(g);
    OK(tw_pto_grid_run(g, use_tiles_elsewhere, &cores));
    assert_int_equal(cores, 3);
    tw_pto_grid_free(g);
}

/* The tests that reach the rules which have no row above. */
static const char *const elsewhere[][2] = {
    { "index.bounds", "pto_data_tables" },
    { "concat.count", "pto_values_concat" },
    { "index.bytes", "pto_formal_refused" },
    { "img2col.state", "pto_conv_product" },
    { "layout.window", "pto_rules_windows" },
    { "core.vector", "pto_grid_core_vector" },
    { "core.cube", "pto_rules_cores" },
    { "move.nibbles", "pto_intra_fills_l1" },
    { "type.kernel", "" }, /* a table that names a type without a kernel */
};

static bool has_rule(const char *name)
{
    for (int i = 0; i < RULES; i++)
        if (*rules[i].profiles && strcmp(rules[i].rule, name) == 0) return true;
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
        if (strcmp(elsewhere[i][0], name) == 0) return true;
    return false;
}

/* Names of rules in a source: whole strings of the shape word.word. */
static unsigned check_source(const char *file, GHashTable *seen)
{
    char *text = NULL;
    unsigned missing = 0;
    if (!g_file_get_contents(file, &text, NULL, NULL)) fail_msg("no file %s", file);
    for (char *at = text; (at = strchr(at, '"')); at++) {
        size_t n = strspn(at + 1, "abcdefghijklmnopqrstuvwxyz0123456789-.");
        if (n < 3 || at[n + 1] != '"' || !memchr(at + 1, '.', n)) continue;
        char *name = g_strndup(at + 1, n);
        g_hash_table_add(seen, g_strdup(name));
        if (!has_rule(name)) print_error("%s: no test refuses by %s\n", file, name), missing++;
        g_free(name);
    }
    g_free(text);
    return missing;
}

static void pto_rules_complete(void **state)
{
    (void)state;
    unsigned missing = 0;
    GHashTable *seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    glob_t found = { 0 };
    assert_int_equal(glob(TW_SOURCE_DIR "/src/pto/core/*.c", 0, NULL, &found), 0);
    assert_int_equal(glob(TW_SOURCE_DIR "/src/pto/ops/*.c", GLOB_APPEND, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) missing += check_source(found.gl_pathv[i], seen);
    globfree(&found);
    for (int i = 0; i < RULES; i++)
        if (strchr(rules[i].rule, '.') && !g_hash_table_contains(seen, rules[i].rule))
            print_error("no source has rule %s\n", rules[i].rule), missing++;
    g_hash_table_destroy(seen);
    assert_int_equal(missing, 0);
}

/* Rules of what cores do together have their refusals in test_pto_fifo, test_pto_comm and test_pto_grid. */
static bool is_elsewhere(const char *rule)
{
    static const char *const prefixes[] = { "fifo.", "comm.", "signal.", "syncall.", "gmov." };
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(rule, prefixes[i], strlen(prefixes[i])) == 0) return true;
    return false;
}

/* `tilewright pto info` says all about every form: operands, types on each profile, domain, rules, tmp, cost, text; a
 * rule that it names exists. */
static void pto_rules_info(void **state)
{
    (void)state;
    for (size_t i = 0; i < tw__pto_row_count(); i++) {
        const tw__pto_row *row = tw__pto_row_at(i);
        static const char *const labels[] = { "operands", "pipe       PIPE_", "a2a3", "a5", "cpu", "rules",
                                              "cost",     "estimated" };
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        OK(tw_pto_print_info(out, row->mnemonic));
        fclose(out);
        const char *at = strstr(text, row->summary);
        assert_non_null(at);
        for (size_t l = 0; l < sizeof labels / sizeof *labels; l++)
            if (!(at = strstr(at, labels[l]))) fail_msg("info of %s lacks '%s' in its place", row->name, labels[l]);
        if (!strpbrk(row->form, "qr") && !(row->rules & TW__MACRO) && strncmp(row->name, "SYNC", 4) != 0) {
            if (!strstr(text, "  domain ")) fail_msg("info of %s has no domain", row->name);
            if (!strstr(text, "  text ")) fail_msg("info of %s has no text form", row->name);
        }
        if (strchr(row->form, 't') && !strstr(text, "  tmp "))
            fail_msg("info of %s does not say what tmp is", row->name);
        for (char *open = text; (open = strchr(open, '[')); open++) {
            char *close = strchr(open, ']'), **names = NULL;
            if (!close || strchr("0123456789i-", open[1])) continue; /* an index in a formula */
            char *list = g_strndup(open + 1, (size_t)(close - open - 1));
            for (char *c = list; *c; c++)
                if (*c == '\n') *c = ' ';
            names = g_strsplit(list, ",", -1);
            for (char **n = names; *n; n++)
                if (strchr(g_strstrip(*n), '.') && !is_elsewhere(*n) && !has_rule(*n))
                    fail_msg("info of %s names rule %s", row->name, *n);
            g_strfreev(names);
            g_free(list);
        }
        free(text);
    }
    REFUSED(tw_pto_print_info(stdout, "tadf"), "did you mean", "tadd");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(pto_rules_refusals), cmocka_unit_test(pto_rules_windows),
                                        cmocka_unit_test(pto_rules_cores), cmocka_unit_test(pto_rules_complete),
                                        cmocka_unit_test(pto_rules_info) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
