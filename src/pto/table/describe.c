/* SPDX-License-Identifier: MIT */
/* describe: what `tilewright pto info` says about an instruction, read from its row. The notes on domain and
 * constraints are those of the family's check; names in brackets are the rules of its messages. */
#include "pto/pto.h"

#include <glib.h>

const tw__pto_letter tw__pto_letters[128] = {
#define LETTER(letter, kind, written, name) [letter] = { TW_PTO_##kind, written, name },
    TW__PTO_LETTERS(LETTER)
#undef LETTER
};

const char *tw__pto_letter_name(char c)
{
    const char *name = tw__pto_letters[c & 127].name;
    return name ? name : "?";
}

/* Domain and constraints by family. */
static const struct note {
    const char *family, *domain, *rules;
} notes[] = {
    // clang-format off
    { "lanes", "dst's valid region", "" },
    { "lanes_relu", "dst's valid region", "" },
    { "relu_convert", "dst's valid region", "f32 to f16, f16 and i16 to i8 [type.pair], saturating" },
    { "dequant_relu", "dst's valid region", "i32 to f16 [type.pair]; the scale is f32 [type.scale]" },
    { "pair_sum", "source's valid region", "as many valid rows [valid.rows]; room for half of the columns [valid.cols]" },
    { "part", "dst's valid region", "one source has dst's valid region [part.full], the other lies within [part.within]" },
    { "part_arg", "dst's valid region", "as TPART...; indexes i16 u16 i32 u32, of f32 values 32 bits wide [type.index, part.index]" },
    { "compare", "source's valid region; the mask tile is cleared first", "mask row-major [mask.layout], u8 or u32 [mask.type], on A2/A3 u8, on A5 u32 [cmp.mask], large enough [mask.cols, mask.rows]; A2/A3: i32 with EQ only [cmp.i32]" },
    { "compare_tile", "source's valid region; the mask tile is cleared first", "as the scalar form; element (0, 0) of src1" },
    { "select", "dst's valid region", "mask as TCMP writes it [mask.layout, mask.type, mask.cols, mask.rows]" },
    { "select_scalar", "dst's valid region", "mask as TCMP writes it" },
    { "convert", "dst's valid region", "pairs of types as listed above [tcvt.pair]; ODD from f32 to f16 only [tcvt.odd]; A2/A3 saturate f32 to i16, f16 to i16, f16 to i8 without tmp" },
    { "concat", "dst's columns from 0 on", "as many valid rows [concat.rows]; A2/A3: columns fit dst, A5: they are dst's valid columns [concat.cols]" },
    { "concat_counts", "columns that the counts say", "a count per row of 16 or 32 bits [type.index, concat.counts] that fits [concat.count]" },
    { "interleave", "dst's valid region", "types and valid regions are equal [valid.same]; an even number of columns [interleave.even]" },
    { "deinterleave", "dst's valid region", "types and valid regions are equal [valid.same]; an even number of columns [interleave.even]" },
    { "deinterleave1", "source's valid region", "dst has half of the columns [interleave.half]; A5: source rows of 512 bytes or more [interleave.row]" },
    { "fill", "valid region in vector memory, whole tile in L1, elements of a ConvTile", "L1 or vector memory [location.fill]; L1 and ConvTiles: 1 to 32767 blocks of 32 bytes [fill.blocks]; no ConvTiles on A2/A3 [conv.fill]" },
    { "triangle", "dst's valid region", "" },
    { "iota", "row 0, valid columns", "Cols != 1 [tci.cols]; element type identical to the scalar's; valid rows are not consulted" },
    { "row_reduce", "source's valid region", "source row-major, not empty [row.empty]; as many valid rows [row.rows]; dst one valid column [row.cols]; sums in index order" },
    { "row_arg", "source's valid region", "indexes i32 or u32 [type.index]; as TROWSUM; the first extreme by strict comparison" },
    { "row_arg2", "source's valid region", "indexes i32 u32, 16 bits for 16-bit values [type.index]; as TROWSUM" },
    { "col_reduce", "source's valid region; empty: nothing happens", "dst one valid row [col.rows] and the source's columns [col.cols]; sums in index order, pairwise with isBinary" },
    { "col_arg", "source's valid region; empty: nothing happens", "indexes i32 or u32 [type.index]; as TCOLMAX" },
    { "col_arg2", "source's valid region; empty: nothing happens", "A2/A3: indexes as wide as the values [arg.width]; as TCOLMAX" },
    { "row_expand", "dst's valid region", "as many valid rows [expand.rows], a column [expand.empty]" },
    { "col_expand", "dst's valid region", "as many valid columns [expand.cols], a row [expand.empty]" },
    { "row_expand_op", "dst's valid region", "one source has a value per row: column-major of one column, or 32 bytes per row [expand.mode]; with tmp the former [expand.tmp-mode]" },
    { "row_expand_exp", "dst's valid region", "as TROWEXPANDSUB, then the exponential" },
    { "col_expand_op", "dst's valid region", "src1 has dst's valid columns and a row [expand.cols]" },
    { "col_expand_exp", "dst's valid region", "as TCOLEXPANDSUB, then the exponential" },
    { "load", "dst's valid region; with a pad value the whole tile", "vector memory or L1 [location.load]; extents [global.extents], element size [global.type], layout [global.layout]; Vec rows <= 4095, L1 <= 16384 [load.rows]; 64-bit: nd, dn [global.wide], A5 pad zero [load.pad]; ConvTiles: the same layout and dimensions [conv.layout, conv.shape]" },
    { "store", "source's valid region", "Vec, Acc, not on A5 Mat [location.store]; as TLOAD; from Acc f32 to f32 f16 bf16, i32 to i32 [store.type], layouts [store.layout], Cols <= 4095, rows <= 8192 or nz 65535 [store.extents, store.nz]; atomic add [store.atomic]" },
    { "store_quant", "source's valid region", "from Acc [location.acc]; A2/A3: f32 to i8 u8, i32 to i8 u8 f16; A5: f32 to i8 u8 f16 bf16 hif8 f8e4m3 f32, i32 to i8 u8 f16 bf16 [acc.type]; scales of 32 or 64 bits [scale.type] in the fixpipe buffer [scale.location], one per column [scale.columns]" },
    { "prefetch", "none: a hint", "" },
    { "gather_global", "dst's valid region", "nd table, rows also from nz but on A5 [global.table]; index i32 u32 [type.index]; a row of indexes, on A5 also a column [index.rows], or one per element [index.same]; outside the table by `gatherOob` [index.bounds]" },
    { "scatter_global", "source's valid region, row-major; the last write stays", "as MGATHER; atomics: A2/A3 add of i8 i16 i32 f16 bf16 f32, A5 add of i32 u32 f32 f16 bf16, max and min of i32 u32 f32 [scatter.atomic, scatter.atomic-type]" },
    { "gather_l1", "dst's valid region", "Nz tile in L1 [gather.l1, gather.nz]; a number of indexes as of rows or elements [index.rows]; elements need scratch of Rows x Cols [gather.scratch]" },
    { "sort_groups", "dst's valid region", "indexes u32 [type.index]; one type and valid region [type.same, valid.same]; groups of 1 to 64 elements, 32 by default [sort.width]" },
    { "gather_masked", "dst's valid region; with a pad value the whole tile", "displacements of 32 or 64 bits [type.index] within a contiguous nd table [global.table, index.bytes, global.null, global.bounds]; mask as TCMP writes it [mask.layout, mask.type, mask.cols, mask.rows]; one valid region [valid.same]; vector memory [location.vec]; dst apart from the others [alias]" },
    { "scatter_masked", "source's valid region; the last of several that meet stays", "as MGATHER_MASK [type.index, global.table, index.bytes, mask.layout, mask.type, mask.cols, mask.rows, valid.same, location.vec]" },
    { "gather_swap", "dst's valid region, row by row; with a pad value the whole tile", "as MGATHER_MASK without a mask [type.index, global.table, index.bytes, valid.same, location.vec, alias]" },
    { "sort32", "source's valid region", "dst row-major with 8 bytes per element [sort.room]; index u32 per column [type.index, index.same]; without tmp whole blocks [sort.block]" },
    { "merge_blocks", "source's valid columns", "one row [merge.rows]; block length a multiple of 64 [merge.block]; 1 to 255 groups of four [merge.groups]; room [merge.room]" },
    { "merge_lists", "valid columns of the lists", "one row [merge.rows]; whole pairs [merge.pairs]; 16-bit counts, four of them [type.index, merge.counts]; room [merge.room]" },
    { "move", "source's valid region; all of the tile from L1 to the cube", "paths between memories [move.path], types [move.type], boxes of the cube [layout.cube]; A2/A3: equal shapes [move.shape], Vec keeps its layout [move.layout]; bias and scales: one row [move.row], multiples of 64 [move.bias] and 128 bytes [move.scaling], A2/A3 64-bit scales [move.scaling-type]; split over vector cores: halves [move.split, move.split-extents], 32 bits by columns: multiples of 32 [move.split-columns], a cube core with two vector cores [move.split-cores]; from a vector core to L1 of its cube core (A5), to a tile that TASSIGN has placed [core.cube], not of 4 bits [move.nibbles]" },
    { "move_quant", "source's valid region", "from Acc [location.acc]; types as TSTORE_FP [acc.type]; no split [move.split-scale]" },
    { "move_zz", "source's valid region", "dst Zz boxes of fractal 32 [zz.dst], source row-major [zz.src], whole boxes [zz.boxes]; axis row: turned over [zz.extents]" },
    { "extract", "dst's valid region", "paths as TMOV, on A2/A3 not from Acc to Vec [move.path]; A2/A3 to the cube: i8 f16 bf16 f32 [extract.type], Nz, Zn or a row [extract.layout]; window inside the source [window.bounds]" },
    { "extract2", "valid region of each destination", "a row-major source in vector memory [extract.nd], two Nz tiles of its type [type.same] in one memory, on A5 also L1 [extract.nz]; windows inside the source [window.bounds]; operands estimated: the documents only name the form" },
    { "extract_quant", "dst's valid region", "from Acc, A2/A3 to Mat alone [move.path]; types as TSTORE_FP; window inside the source [window.bounds]" },
    { "insert", "source's valid region", "Acc to Mat, A5 also Acc to Vec, Vec to Mat and Vec [move.path]; A2/A3: f16 bf16 [insert.type]; window inside dst [window.bounds]; from a vector core to L1 as TMOV [core.cube, move.nibbles]; splitNz: from Nz in Vec to Nz in Mat, 2 or 4 groups of boxes [insert.split], results as without (estimated)" },
    { "insert_quant", "source's valid region", "from Acc, A2/A3 to Mat alone [move.path]; types as TSTORE_FP, i32 to i16 too, A2/A3 not f32 to u8 [acc.type]; window inside dst [window.bounds]" },
    { "reshape", "all bytes", "one memory [reshape.location], equal bytes [reshape.bytes], boxed stays boxed [reshape.boxes], no windows [reshape.window]; chips: dst becomes another name for the memory of the source (A5: estimated); cpu: a copy" },
    { "transpose", "source's valid region", "source row-major; room [trans.extents]; ConvTiles: nchw nhwc gnchw ncdhw to and from c1hwc0 kinds, all of these to fractals [conv.trans, conv.shape]" },
    { "fill_pad", "all of dst", "vector memory or L1 [location.fill]; a pad value [pad.null], in L1 zero [pad.mat] and Nz [pad.nz]; equal extents, TFILLPAD_EXPAND larger ones [pad.extents]" },
    { "gather", "dst's valid region; an index outside gives 0", "index 32 bits, A5 16 too [type.index], dst's valid region [index.same]" },
    { "gather_mask", "packed over dst", "a pattern [mask.pattern]; all of dst's columns valid [gather.cols]; room [gather.room]" },
    { "gather_cmp", "source's valid region", "GT or EQ [cmp.mode]; i32 or u32 indexes and counts [type.index]; a row for each row [gather.rows]" },
    { "gather_bytes", "dst's valid region; an offset outside gives 0", "u32 offsets [type.index]; no window [layout.window], no boxes [layout.boxed]" },
    { "scatter", "all of dst: zero where nothing goes", "indexes as wide as the data, 16 bits for bytes [type.index]; one per element [index.same]; inside dst [index.bounds]" },
    { "scatter_mask", "all of dst: zero where nothing goes", "a pattern [mask.pattern]; room [scatter.room]" },
    { "pack", "dst's valid region", "narrower elements [pack.width]; equal valid regions [valid.same]" },
    { "img2col", "dst's valid region", "NC1HWC0 or NDC1HWC0 map [img2col.map] in L1, dst in L0A or L0B [img2col.location]; window inside the matrix [window.bounds]; map inside its tile [img2col.extents]; manual mode: SETFMATRIX and SET_IMG2COL_PADDING before [img2col.state]; no transposition [img2col.transpose]" },
    { "set_map", "none: state of the core", "NC1HWC0 or NDC1HWC0 map [img2col.map] in L1 [img2col.location]" },
    { "set_padding", "none: state of the core", "NC1HWC0 or NDC1HWC0 map [img2col.map] in L1 [img2col.location]" },
    { "set_repeat", "none: state of the core", "NC1HWC0 or NDC1HWC0 map [img2col.map] in L1 [img2col.location]" },
    { "set_dequant", "none: state of the core", "" },
    { "set_quant", "none: state of the core", "" },
    { "set_quant_vector", "none: state of the core", "32 or 64 bits [scale.type] in the fixpipe buffer [scale.location]" },
    { "scale_address", "none: dst's address", "Left with ScaleLeft, Right with ScaleRight [scale-address.location]; address a multiple of 512 [scale-address.align]" },
    { "matmul", "M = src0's valid rows, K = its valid columns, N = src1's valid columns", "Acc, Left, Right [location.acc, location.left, location.right]; i8 to i32; f16, bf16, f32 to f32; A5 also f8e4m3 f8e5m2 in any mix, hif8 [matmul.types]; extents [matmul.extents, matmul.k], 1 to 4095 [matmul.range]; boxes [layout.cube]; accumulator like dst [matmul.acc]; bias one row [matmul.bias]; TGEMV one row [gemv.rows]; TF32 by the tiles' mode" },
    { "matmul_mx", "as TMATMUL", "f8 with f8, f4 with f4, to f32 [matmul.types]; K a multiple of 64 [mx.k]; f8e8m0 scales in the scale memories, one per 32 [mx.scale]" },
    { "quant", "dst's valid region", "f32 parameters [quant.parameter], one per row [quant.rows]; i8, with an offset u8 [quant.type, quant.offset]" },
    { "quant_mx", "whole groups", "f32 f16 bf16 to f8e4m3, f16 bf16 to f4e2m1 [mx.types]; 16 rows and 32 columns, axis row 32 rows, twice that for Zz exponents [mx.groups]; an output per group [mx.extents, mx.exponents, mx.outputs]" },
    { "quant_hif4", "whole groups of 64 columns", "hif4 [hif4.type], a word of scales per group [hif4.scales, hif4.extents, hif4.groups]; their layout is estimated" },
    { "dequant", "dst's valid region", "f32 dst [quant.type]; f32 parameters per row [quant.parameter, quant.rows]" },
    { "random", "dst's valid region", "7 or 10 rounds [random.rounds]" },
    { "histogram", "source's valid region", "u32 dst of 256 columns [histogram.dst]; a byte of the element [histogram.byte]; u8 index with the higher bytes [type.index, histogram.index]" },
    { "push", "valid region into the slot", "number 0 to 15 [fifo.id], a direction [fifo.direction], 1 to 64 slots [fifo.slots] of a multiple of 32 bytes [fifo.slot-bytes], the same on both sides [fifo.same], from a core that has a part in it [fifo.core]; Acc from the cube core, Vec from vector cores [fifo.location]; one split on both sides [fifo.split]; parts of one shape [fifo.parts] that fit the slot [fifo.slot-size]; a scale needs a FIFO with a type [fifo.type]; settings of accumulators alone [fifo.fixpipe]: channels split with nz2nz of f32 [fifo.channel-split], a clip above 0 without atomic [fifo.clip], one vector core without a split [fifo.sub-block]; whole boxes with nz2nz [fifo.boxes], 4-bit elements in whole bytes [fifo.nibbles]; no slot allocated [fifo.talloc]; else those of TSTORE [fifo.tile]" },
    { "push_slot", "none: the slot is committed", "a slot allocated before [fifo.talloc], of layout nd when it is split [fifo.layout]" },
    { "pop", "dst gets its part of the slot", "into L1 on the cube core, Vec on vector cores [fifo.location]; the type and extents pushed [fifo.tile], the split pushed [fifo.split], the layout pushed [fifo.layout]" },
    { "pop_slot", "none: the tensor becomes a view", "the split pushed [fifo.split]; inside the slot [fifo.slot-size]; layout nd when it is split [fifo.layout]" },
    { "talloc", "none: the tensor becomes a view", "no slot allocated [fifo.talloc]; inside the slot [fifo.slot-size]; layout nd when it is split [fifo.layout]" },
    { "tfree", "none: the oldest popped slot", "a slot popped and not freed [fifo.free]" },
    { "peer_move", "the whole tile, byte by byte; all four blocks of the group meet, whatever the mask says", "a grid with a multiple of four blocks [gmov.group]; peer 0 to 3 [gmov.peer]; mask 0 to 15 [gmov.mask], the same in the four; tiles of the four alike in every respect [gmov.same]; with mask 0 nothing happens" },
    { "sync_all", "none: all cores of the set", "a core of the set [syncall.cores]; 16 or more i32 [syncall.workspace]" },
    { "put", "the whole tensor, piece by piece", "layout nd [comm.layout], equal types [comm.type] and shapes [comm.shape]; row-major staging tiles of the same type in vector memory, the second no smaller [comm.staging]; add or overwrite [store.atomic]; else those of TLOAD and TSTORE [comm.piece]" },
    { "notify", "one signal", "one i32 [signal.one] with memory [global.null, global.bounds]" },
    { "wait_signal", "all elements of the tensor", "eq, ne, lt, le, gt or ge [signal.compare]; memory [global.null, global.bounds]" },
    { "test_signal", "all elements of the tensor", "eq, ne, lt, le, gt or ge [signal.compare]; memory [global.null, global.bounds]" },
    { "broadcast", "the whole tensor, piece by piece", "1 to 64 ranks [comm.ranks], called by the root [comm.root]; layout, types, shapes and staging tiles as TPUT [comm.layout, comm.type, comm.shape, comm.staging]" },
    { "comm_gather", "the tensors one behind the other along dimension 3", "1 to 64 ranks [comm.ranks], called by the root [comm.root]; dimension 3 times the ranks [comm.shape]; else as TPUT [comm.layout, comm.type, comm.staging]" },
    { "comm_scatter", "parts along dimension 3", "1 to 64 ranks [comm.ranks], called by the root [comm.root]; dimension 3 times the ranks [comm.shape]; else as TPUT [comm.layout, comm.type, comm.staging]" },
    { "comm_reduce", "the whole tensor, piece by piece", "sum, max or min [comm.reduce] in order of rank; two tiles of equal extents [comm.staging]; 1 to 64 ranks [comm.ranks], called by the root [comm.root]; else as TPUT [comm.layout, comm.type, comm.shape]" },
    // clang-format on
};

static const struct note *note_of(const tw__pto_row *row)
{
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++)
        if (strcmp(notes[i].family, row->family) == 0) return &notes[i];
    return NULL;
}

/* Text behind a label, in lines of at most WIDTH characters. */
static void print_wrapped(FILE *out, const char *label, const char *text)
{
    enum { WIDTH = 100, LABEL = 11 };
    fprintf(out, "  %-*s", LABEL, label);
    for (size_t used = 0; *text;) {
        size_t n = strcspn(text, " ");
        if (used && used + 1 + n > WIDTH) fprintf(out, "\n  %*s", LABEL, ""), used = 0;
        fprintf(out, "%s%.*s", used ? " " : "", (int)n, text);
        used += n + (used ? 1 : 0);
        text += n + (text[n] == ' ');
    }
    fputc('\n', out);
}

static void print_types(FILE *out, const char *profile, uint64_t types)
{
    fprintf(out, "  %-10s", profile);
    for (int t = 0; t < TW_TYPE_COUNT; t++)
        if (types >> t & 1) fprintf(out, " %s", tw_type_name((tw_type)t, TW_SYSTEM_PTO));
    fprintf(out, types ? "\n" : " not available\n");
}

/* What single operations of family lanes add. */
static const char *lanes_rules(const tw__pto_row *row)
{
    if (strcmp(row->family, "lanes") != 0) return "";
    if (!(row->rules & TW__SAME_TYPE))
        return "source of dst's type, or f16 to f32 [type.axpy]; equal valid regions [valid.same]";
    switch ((tw_vec_op)row->op) {
    case TW_VEC_SHL:
    case TW_VEC_SHR: return "counts below the width [shift.count]";
    case TW_VEC_DIV:
    case TW_VEC_MOD:
    case TW_VEC_REM:
    case TW_VEC_RECIP: return "integers: no division by zero [fault.element]";
    default: return "";
    }
}

static void print_rules(FILE *out, const tw__pto_row *row)
{
    static const struct {
        unsigned char rule;
        const char *text;
    } general[] = {
        { TW__SAME_TYPE, "one element type for tiles, tensors and scalars [type.same]" },
        { TW__SAME_VALID, "equal valid regions [valid.same]" },
        { TW__VEC_ONLY, "tiles in vector memory [location.vec]" },
        { TW__ROW_MAJOR, "chips: row-major, not boxed [layout.row-major]" },
        { TW__NO_ALIAS, "A2/A3: dst overlaps no source [alias]" },
        { TW__CONV, "ConvTiles are taken" },
        { TW__CPU_ONLY, "profile cpu only [profile.absent]" },
    };
    const struct note *note = note_of(row);
    GString *text = g_string_new("");
    for (size_t i = 0; i < sizeof general / sizeof *general; i++)
        if (row->rules & general[i].rule)
            g_string_append_printf(text, "%s%s", text->len ? "; " : "", general[i].text);
    const char *more = lanes_rules(row);
    if (*more) g_string_append_printf(text, "%s%s", text->len ? "; " : "", more);
    if (note && *note->rules) g_string_append_printf(text, "%s%s", text->len ? "; " : "", note->rules);
    if (note) print_wrapped(out, "domain", note->domain);
    print_wrapped(out, "rules", text->len ? text->str : "none but element types");
    g_string_free(text, TRUE);
}

static void print_cost(FILE *out, const tw__pto_row *row)
{
    static const struct {
        const char *name;
        int head, slope, tail;
    } costs[] = {
#define COST(name, head, slope, tail) { #name, head, slope, tail },
        TW__PTO_COST_LIST(COST)
#undef COST
    };
    if (row->rules & TW__MACRO) {
        fprintf(out, "  cost       that of the loads, stores and sums it is made of, and waiting (estimated)\n");
        return;
    }
    switch ((tw__pto_cost)row->cost) {
    case TW__COST_TRANSFER:
        fprintf(out, "  cost       bytes at the bandwidth of the two memories (estimated)\n");
        return;
    case TW__COST_CUBE:
        fprintf(out, "  cost       6 + steps of 16 x 16 x 32 bytes, twice that for f32 (estimated)\n");
        return;
    case TW__COST_SCALAR: fprintf(out, "  cost       a cycle per element (estimated)\n"); return;
    case TW__COST_IOTA:
        fprintf(out, "  cost       150 + one per register of 256 bytes, descending two (estimated)\n");
        return;
    default:
        fprintf(
            out,
            "  cost       %d + %d per 256 bytes + %d cycles, model %s, where no fitted table applies (estimated)\n",
            costs[row->cost].head, costs[row->cost].slope, costs[row->cost].tail, costs[row->cost].name);
    }
}

static void print_tmp(FILE *out, const tw__pto_row *row)
{
    static const char *const texts[] = {
#define TEXT(name, text) text,
        TW__PTO_TMP_LIST(TEXT)
#undef TEXT
    };
    if (!strchr(row->form, 't')) return;
    const char *where = row->tmp == TW__TMP_ZZ                                ? "A5: "
                        : row->tmp == TW__TMP_SORT                            ? "A2/A3, A5: "
                        : row->tmp == TW__TMP_ANY || row->tmp == TW__TMP_NONE ? ""
                                                                              : "A2/A3: ";
    char *text = g_strdup_printf(
        "%s%s%s", where, texts[row->tmp],
        row->tmp > TW__TMP_ANY ? "; elsewhere any [tmp.type, tmp.size, tmp.rows, tmp.same, tmp.overlap]" : "");
    print_wrapped(out, "tmp", text);
    g_free(text);
}

/* Sets and neighbours as the manual orders them; the one chapter at hand (the page on TCI) names these. */
static void print_set(FILE *out, const char *mnemonic)
{
    if (strcmp(mnemonic, "tci") != 0) return;
    fprintf(
        out,
        "  set        Irregular And Complex\n"
        "  previous   pto.tgather\n"
        "  next       pto.ttri\n"
        "  rules      element type identical to the scalar's; Cols != 1; valid columns are the length, valid rows\n"
        "             are not consulted; row 0 only; A2/A3: tmp of a 4-byte type, 768 bytes for 32-bit and 1792\n"
        "             bytes for 16-bit elements, not over dst; A5: tmp is ignored\n"
        "  text       %%dst = tci %%S {descending = false} : !pto.tile<...>\n"
        "             %%dst = pto.tci %%scalar {descending = false} : dtype -> !pto.tile<...>\n"
        "             pto.tci ins(%%scalar {descending = false} : dtype) outs(%%dst : !pto.tile_buf<...>)\n");
}

/* Type pairs of TCVT: they are fewer than the types on either side. */
static void print_conversions(FILE *out)
{
    for (int t = 0; t < TW_PTO_TARGETS; t++)
        for (int from = 1; from < TW_TYPE_COUNT; from++) {
            uint64_t to = tw__pto_conversions((tw_type)from, (tw_pto_target)t);
            if (!to) continue;
            fprintf(out, "  %-10s %s to", tw_pto_target_name((tw_pto_target)t),
                    tw_type_name((tw_type)from, TW_SYSTEM_PTO));
            for (int k = 1; k < TW_TYPE_COUNT; k++)
                if (to >> k & 1) fprintf(out, " %s", tw_type_name((tw_type)k, TW_SYSTEM_PTO));
            fputc('\n', out);
        }
}

static void describe_print_row(FILE *out, const tw__pto_row *row)
{
    fprintf(out, "%s  %s\n  operands  ", row->name, row->summary);
    for (const char *c = row->form; *c; c++)
        fprintf(out, "%s%s", c == row->form ? " " : ", ", tw__pto_letter_name(*c));
    fprintf(out, "\n  pipe       %s%s\n", tw_pto_pipe_name((tw_pto_pipe)row->pipe),
            row->cost == TW__COST_TRANSFER ? ", or that of the memories it connects" : "");
    print_types(out, "a2a3", row->types[TW_PTO_A2A3]);
    print_types(out, "a5", row->types[TW_PTO_A5]);
    print_types(out, "cpu", row->types[TW_PTO_CPU]);
    if (strcmp(row->family, "convert") == 0) print_conversions(out);
    for (unsigned i = 0; i < tw__pto_attr_count(); i++)
        if (row->attrs >> i & 1)
            fprintf(out, "  attribute  %.*s: %s\n", (int)strcspn(tw__pto_attr_names(i), "|"), tw__pto_attr_names(i),
                    *tw__pto_attr_values(i) ? tw__pto_attr_values(i) : "a number");
    print_rules(out, row);
    print_tmp(out, row);
    print_cost(out, row);
    tw__pto_print_text_forms(out, row);
}

tw_status tw_pto_print_info(FILE *out, const char *name)
{
    if (tw__pto_given(out, "stream") != TW_OK || tw__pto_given(name, "name of an instruction") != TW_OK)
        return TW_E_INVALID_ARGUMENT;
    const tw__pto_row *row = tw__pto_row_of(g_str_has_prefix(name, "pto.") ? name + 4 : name);
    size_t count = tw__pto_row_count();
    if (!row) {
        const char **names = g_new(const char *, count);
        for (size_t i = 0; i < count; i++) names[i] = tw__pto_row_at(i)->mnemonic;
        const char *near = tw__nearest(name, names, count);
        g_free(names);
        return tw__fail(TW_E_INVALID_ARGUMENT,
                        near ? "no PTO instruction '%s'; did you mean '%s'?" : "no PTO instruction '%s'", name,
                        near);
    }
    fprintf(out, "pto.%s\n", row->mnemonic);
    print_set(out, row->mnemonic);
    for (; row; row = tw__pto_next_form(row)) describe_print_row(out, row);
    return TW_OK;
}
