/* pto, private side: the row of an instruction, operands as planes, and what the families of instructions share.
 *
 * An instruction runs in this order (exec.c): its row is looked up; check.c judges the operands, and the verdict is
 * remembered as long as descriptions stay the same; tiles without a place get one (core.c); every tile becomes a plane
 * (plane.c); the family's function runs kernels of the vec box over planes; boxed destinations are put back.
 *
 * Family files: lanes.c elementwise, compare.c, reduce.c, expand.c, convert.c, generate.c (TCI, TTRI, ...), memory.c,
 * gather.c, move.c, sort.c, matrix.c, quant.c. Text: as_*.c. */
#ifndef TW_PTO_PTO_H
#define TW_PTO_PTO_H

#include "base/base.h"
#include "profile/profile.h"
#include "tile/tile.h"
#include <tilewright/pto.h>
#include <tilewright/vec.h>

#include <string.h>

/* --- table.c: one row per form of an instruction -------------------------------------------------------------- */

/* Letters of a form: d destination, D destination that is read too, e v w further destinations, a b c f h sources, m
 * mask, x y indexes, t tmp, s scalar of the element type, i j k l integers, g tensor read, G tensor written, p tensor of
 * indexes, P scratch tensor, q FIFO between cores, r a tensor on each of several devices. */
enum {                     /* general rules of a row; the rest is its family's */
       TW__SAME_TYPE = 1,  /* d, D, a, b, c and s have one element type */
       TW__SAME_VALID = 2, /* valid regions of d, D, a, b, c are equal */
       TW__VEC_ONLY = 4,   /* all tiles lie in vector memory */
       TW__ROW_MAJOR = 8,  /* on chips: row-major, not boxed */
       TW__NO_ALIAS = 16,  /* A2/A3: destinations share no byte with sources or tmp */
       TW__MACRO = 128,    /* made of other instructions, which bind and charge themselves */
       TW__CONV = 32,      /* tiles may be ConvTiles */
       TW__CPU_ONLY = 64,  /* no chip among the targets has it: types are those of profile cpu */
       TW__LANES = 1 | 2 | 4 | 8
};

// clang-format off
typedef enum tw__pto_tmp { /* X(name, what tmp must be): checked on A2/A3 (ZZ, MERGE, SORT on A5 too); tmp.c */
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

typedef enum tw__pto_cost { /* X(name, head, slope, tail): cycles = head + slope per 256 bytes + tail. pto.md 5.2 */
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
    unsigned char pipe, rules, op, tmp, cost, operands;
    uint64_t types[TW_PTO_TARGETS];
    uint32_t attrs; /* bit i: attribute i of TW_PTO_ATTR_LIST is taken */
    tw_status (*check)(tw__pto_call *call);
    tw_status (*run)(tw__pto_call *call);
    const char *summary;
} tw__pto_row;

size_t tw__pto_row_count(void);
const tw__pto_row *tw__pto_row_at(size_t index); /* NULL past the end */
/* First row of a mnemonic ("tadd", also "TADD" and with '_' for '.'), NULL when there is none; its forms follow it. */
const tw__pto_row *tw__pto_row_of(const char *mnemonic);
size_t tw__pto_row_index(const tw__pto_row *row);
/* The form of a mnemonic that operands mean: the first whose kinds fit and whose checks pass, else the first whose kinds
 * fit; NULL when none does. `core` NULL while checking text. */
const tw__pto_row *tw__pto_form_of(tw_pto *core, tw_pto_target target, const tw__pto_row *first,
                                   const tw_pto_operand *operands, unsigned count, const tw_pto_attrs *attrs);
/* What `tilewright pto info` prints about an instruction (info.c). */
bool tw__pto_print_info(FILE *out, const char *name);
const char *tw__pto_attr_value_name(unsigned attr, int32_t value); /* "lt"; NULL = a number */
int tw__pto_attr_by_name(const char *name);                        /* -1 */
unsigned tw__pto_attr_count(void);
const char *tw__pto_attr_names(unsigned attr);  /* "cmpMode|cmp": the first is the canonical one */
const char *tw__pto_attr_values(unsigned attr); /* "eq|ne"; "" = a number */
bool tw__pto_attr_value(unsigned attr, const char *text, int32_t *value);

/* --- core.c ------------------------------------------------------------------------------------------------------ */

/* Memory of a tile: a range of one on-chip memory. Number in `place` counts from 1; 0 = none. */
typedef struct tw__place {
    unsigned char location;
    bool used, automatic;
    uint32_t address, bytes;
    uint64_t ready_read, ready_write; /* cycle at which its last reader, writer ends */
} tw__place;

enum { TW__FLAG_IDS = 8, TW__KERNELS = 512, TW__CHECKED = 1024 };
typedef struct tw__kernel_slot {
    uint64_t key; /* 0 = empty */
    tw_vec_kernel kernel;
} tw__kernel_slot;
enum { TW__TILE_DESCRIPTION = offsetof(tw_pto_tile, place) };
/* A rectangle of elements: a tile, unboxed, or a scalar repeated (both strides 0). Strides in bytes. */
typedef struct tw__plane {
    unsigned char *at;
    ptrdiff_t row, col;
    uint32_t rows, cols; /* valid extents */
    tw_type type;
    bool packed; /* two 4-bit elements per byte: `col` is meaningless */
} tw__plane;

enum {
    TW__CHECKED_OPERANDS = 4,
    TW__CHECKED_WAYS = 4,
    TW__TILE_WORDS = sizeof(tw_pto_tile) / sizeof(uint64_t),
    TW__DESCRIPTION_WORDS = TW__TILE_DESCRIPTION / sizeof(uint64_t)
};
/* A call of a row that passed its checks, and what follows from its operands' descriptions. What a call that finds itself
 * here reads comes first, for few cache lines. */
typedef struct tw__checked {
    unsigned count; /* operands and one more; 0 = nothing is remembered */
    tw_type scalar;
    bool no_attrs, direct;  /* direct: no tile is boxed, so `plane` is right but for its address */
    unsigned char tiles;    /* bit i: operand i is a tile */
    uint64_t kernel, moves; /* key of the slot's kernel; core->moves + 1 when `run` had the addresses of `tile` */
    const tw__kernel_slot *slot; /* family lanes: the kernel, while the slot has the key */
    size_t elements;             /* of one call of that kernel that does it all; 0 = it takes more */
    uint64_t tile[TW__CHECKED_OPERANDS][TW__TILE_WORDS];
    tw_run run[TW__CHECKED_OPERANDS];
    size_t span[TW__CHECKED_OPERANDS]; /* bytes of its memory that a tile reaches */
    tw__plane plane[TW__CHECKED_OPERANDS];
    tw_pto_attrs attrs;
} tw__checked;

typedef struct tw__registers { /* what SET... instructions leave behind */
    bool has_map, has_padding, has_repeat;
    tw_pto_conv map;
    uint64_t quant_scalar;
    tw_pto_tile quant_vector;
    float dequant; /* 0 = 1 */
} tw__registers;

struct tw_pto {
    tw_pto_target target;
    unsigned flags;
    FILE *trace;
    struct {
        unsigned char *bytes; /* NULL = no tile has lain in it yet */
        size_t room;          /* bytes behind it */
        uint32_t size;
    } memory[TW_PTO_LOCATIONS];
    tw__place *places;
    size_t place_count, place_room;
    uint64_t moves;     /* how often a tile gave its memory back or moved */
    tw__arena *scratch; /* planes of boxed tiles and intermediate values of one instruction */
    tw__arena_mark scratch_start;
    bool scratch_used;
    tw__kernel_slot *kernels;
    tw__checked *checked; /* TW__CHECKED_WAYS per row */
    struct {
        bool set;
        uint64_t at;
    } flag[TW_PTO_PIPES][TW_PTO_PIPES][TW__FLAG_IDS];
    uint64_t pipe_free[TW_PTO_PIPES], pipe_busy[TW_PTO_PIPES];
    uint64_t pipe_done[TW_PTO_PIPES]; /* cycles; done: the last result is there */
    uint64_t instructions;
    tw_pto_pipe last_pipe;
    tw__registers reg;
    unsigned blame; /* operand at fault in the last call that failed, TW__NO_OPERAND = none of them */
    struct tw__pto_tally {
        uint64_t calls, cycles;
    } *tally;                        /* [row][pipe], with TW_PTO_PROFILE */
    tw_pto_pipe charged;             /* pipe of the last charge */
    const tw__pto_row *charge_as;    /* instruction that this one is a part of; NULL = none */
    struct tw__seat *seat;           /* among other cores (blocks.h); NULL = none yet */
    uint32_t peak[TW_PTO_LOCATIONS]; /* most bytes in use at once */
};

/* pages.c: `bytes` of zeros, from a page's first byte on; NULL when there is no memory. Given back with tw__free_pages. */
void *tw__zero_pages(size_t bytes);
void tw__free_pages(void *at, size_t bytes);                                  /* NULL is fine */
uint32_t tw__pto_memory_size(tw_pto_target target, tw_pto_location location); /* bytes, 0 = no such memory */
tw_status tw__pto_place(tw_pto *core, tw_pto_tile *tile);
/* The rules of TASSIGN, SA-0351 to SA-0354, for a memory of `size` bytes. */
tw_status tw__pto_check_address(tw_pto_target target, const tw_pto_tile *tile, uint32_t size, uint64_t address);
unsigned char *tw__pto_storage(const tw_pto *core, const tw_pto_tile *tile); /* of a tile with a place */
/* Zero-filled memory until the end of the instruction; NULL with a message when there is none. */
void *tw__pto_scratch(tw_pto *core, size_t bytes);
void *tw__pto_scratch_raw(tw_pto *core, size_t bytes); /* the same, not filled */
void tw__pto_drop_scratch(tw_pto *core);
/* A kernel of the vec box, resolved once per core. NULL with a message. */
const tw_vec_kernel *tw__pto_kernel(tw_pto *core, tw_vec_op op, const tw_type *types, const tw_vec_mode *mode);
/* Bytes from the tile's first to past its last element. */
size_t tw__pto_span(const tw_pto_tile *tile);

/* --- check.c ----------------------------------------------------------------------------------------------------- */

struct tw__pto_call {
    tw_pto *core; /* NULL while checking text */
    tw_pto_target target;
    const tw__pto_row *row;
    const tw_pto_operand *operand;
    const tw_pto_attrs *attrs;
    tw__checked *seen; /* what is remembered of calls like this one; NULL = nothing */
    unsigned count, blame;
    bool bound; /* by tw__pto_recall: no tile is boxed, nothing to put back */
    bool again; /* the kernel and the addresses of the last time are right */
    tw__plane plane[TW_PTO_OPERANDS];
};

/* "TADD: <text> [rule <rule>, profile a5]"; `blame` is the operand, TW__NO_OPERAND = the instruction. */
enum { TW__NO_OPERAND = 255 };
tw_status tw__pto_refuse(tw__pto_call *call, unsigned blame, const char *rule, const char *format, ...)
    TW_PRINTF(4, 5);
tw_status tw__pto_check_call(tw__pto_call *call);
tw_status tw__pto_check_tmp(tw__pto_call *call);      /* tmp.c */
bool tw__pto_convert_wraps(const tw__pto_call *call); /* TCVT: out of range wraps (convert.c) */
/* Tile of operand i; the row's form says that it is one. */
static inline const tw_pto_tile *tw__tile(const tw__pto_call *call, unsigned i)
{
    return call->operand[i].tile;
}
/* Equal, or one of them not known before the program runs. */
static inline bool tw__same(uint32_t a, uint32_t b)
{
    return a == b || a == TW_PTO_DYNAMIC || b == TW_PTO_DYNAMIC;
}
static inline bool tw__at_most(uint32_t a, uint32_t b)
{
    return a <= b || a == TW_PTO_DYNAMIC || b == TW_PTO_DYNAMIC;
}
static inline bool tw__is_float(tw_type type)
{
    return tw_type_get(type)->kind == TW_KIND_FLOAT;
}
/* Position of a letter in the row's form, -1 when it has none. */
static inline int tw__letter(const tw__pto_row *row, char letter)
{
    const char *at = strchr(row->form, letter);
    return at ? (int)(at - row->form) : -1;
}
static inline bool tw__is_tile_letter(char c)
{
    static const bool tiles[128] = {
        ['d'] = true, ['D'] = true, ['e'] = true, ['a'] = true, ['b'] = true, ['c'] = true, ['f'] = true,
        ['h'] = true, ['m'] = true, ['x'] = true, ['y'] = true, ['t'] = true, ['v'] = true, ['w'] = true
    };
    return tiles[c & 127];
}
static inline bool tw__is_dst_letter(char c) /* tiles that are written */
{
    return c && strchr("dDevw", c);
}
static inline bool tw__is_tensor_letter(char c)
{
    return c && strchr("gGpP", c);
}
static inline tw_pto_kind tw__kind_of_letter(char c)
{
    return tw__is_tile_letter(c)     ? TW_PTO_TILE
           : tw__is_tensor_letter(c) ? TW_PTO_TENSOR
           : c == 'q'                ? TW_PTO_FIFO
           : c == 'r'                ? TW_PTO_GROUP
                                     : TW_PTO_SCALAR;
}

/* --- what families share ------------------------------------------------------------------------------------------- */

tw_status tw__pto_check_path(tw__pto_call *call); /* move.c */
tw_status tw__pto_check_cube_layout(tw__pto_call *call, const tw_pto_tile *tile, unsigned operand);
/* That `small`'s valid region lies in `large` at the corner in operands `corner`, `corner` + 1. */
tw_status tw__pto_check_window(tw__pto_call *call, unsigned corner, const tw_pto_tile *small,
                               const tw_pto_tile *large);
bool tw__acc_converts(tw_type from, tw_type to);              /* acc.c: without a scale */
tw_status tw__pto_check_acc_store(tw__pto_call *call);        /* memory.c: extents and layout of TSTORE from L0C */
tw_status tw__pto_put(tw__pto_call *call, const tw__plane *); /* memory.c: to the tensor in operand 0 */
tw_status tw__pto_split(tw__pto_call *call,
                        const tw__plane *values);  /* split.c: to the vector cores of the block */
bool tw__pto_has_mates(const tw_pto *core);        /* split.c: a cube core, its vector cores beside it */
bool tw__pto_is_part(const tw_pto *core);          /* split.c: a cube or vector core of a block, not both in one */
tw_status tw__conv_check(const tw_pto_tile *tile); /* conv.c */
tw_status tw__conv_check_transfer(tw__pto_call *call, unsigned tile, unsigned tensor);
tw_status tw__conv_transfer(tw__pto_call *call, unsigned tile, unsigned tensor);
tw_status tw__conv_check_transpose(tw__pto_call *call);
tw_status tw__conv_transpose(tw__pto_call *call);

/* --- remember.c -------------------------------------------------------------------------------------------------- */

/* True when a call of the row with the same descriptions has kept the rules. If call->bound, tw__pto_run_again does the
 * rest; else tw__pto_bind and so on. Sets call->seen in any case. */
bool tw__pto_recall(tw__pto_call *call, bool no_attrs);
tw_status tw__pto_run_again(tw__pto_call *call);
void tw__pto_remember(tw__pto_call *call, bool no_attrs); /* after a check that passed and tw__pto_bind */
/* One kernel of tw__pto_kernel on the planes of the call as they stand; `joined`: tw__planes_joined. */
void tw__pto_remember_kernel(tw__pto_call *call, const tw_vec_kernel *kernel, bool joined);

/* --- plane.c ----------------------------------------------------------------------------------------------------- */

tw_status tw__pto_bind(tw__pto_call *call);     /* operands to planes */
tw_status tw__pto_unbind(tw__pto_call *call);   /* boxed destinations back to their storage */
tw_view tw__plane_view(const tw__plane *plane); /* rank 2, valid region */
tw__plane tw__plane_scalar(tw_pto_scalar *scalar);
/* Contiguous scratch plane; at NULL with a message when there is no memory. */
tw__plane tw__plane_new(tw_pto *core, tw_type type, uint32_t rows, uint32_t cols);
tw__plane tw__plane_part(tw__plane plane, uint32_t row, uint32_t rows, uint32_t col, uint32_t cols);
/* kernel over rows x cols of planes, destination first; planes with one row or column repeat where strides are 0. */
tw_status tw__planes(tw__pto_call *call, const tw_vec_kernel *kernel, uint32_t rows, uint32_t cols,
                     const tw__plane *planes, unsigned count);
/* One call of the kernel does all rows. */
bool tw__planes_joined(const tw_vec_kernel *kernel, uint32_t rows, uint32_t cols, const tw__plane *planes,
                       unsigned count);
/* Resolves and runs; planes[0] is the destination. */
tw_status tw__lanes(tw__pto_call *call, tw_vec_op op, const tw_vec_mode *mode, uint32_t rows, uint32_t cols,
                    const tw__plane *planes, unsigned count);
/* The same on call->plane as it stands, every operand; calls that are alike find the kernel again. Nothing comes after. */
tw_status tw__lanes_alone(tw__pto_call *call, tw_vec_op op, const tw_vec_mode *mode);
tw_status tw__plane_copy(tw__pto_call *call, const tw__plane *dst, const tw__plane *src); /* extents of src */
tw_status tw__plane_fill(tw__pto_call *call, const tw__plane *dst, const void *value);
/* The whole physical tile as a plane (unbound from its valid region). */
tw__plane tw__plane_physical(const tw__pto_call *call, unsigned operand);

/* --- nibble.c: 4-bit tiles as planes of bytes, an element in each; TCVT alone takes unboxed ones packed --------------- */

bool tw__tile_nibbles(const tw_pto_tile *tile); /* two elements per byte */
tw_status tw__nibble_bind(tw__pto_call *call, const tw_pto_tile *tile, tw__plane *out);
void tw__nibble_unbind(tw__pto_call *call, const tw_pto_tile *tile, const tw__plane *plane);
tw__plane tw__nibble_pack(tw__pto_call *call, const tw__plane *bytes, tw_type type); /* at NULL: no memory */
void tw__nibble_unpack(const tw__plane *packed, const tw__plane *bytes);
tw_status tw__nibble_widen(tw__pto_call *call, const tw__plane *bytes, tw_type from, const tw__plane *out);
tw_status tw__nibble_narrow(tw__pto_call *call, const tw__plane *bytes, tw_type to, const tw__plane *from,
                            const tw_vec_mode *mode);
tw_status tw__nibble_transfer(tw__pto_call *call, const tw_pto_tensor *tensor, const tw__plane *plane, bool load);

/* --- tile.c, tensor.c ------------------------------------------------------------------------------------------- */

bool tw__tile_boxed(const tw_pto_tile *tile);
uint64_t tw__pad_bits(tw_type type, uint64_t pad);
/* The storage as a view of rank 4 (box row, row, box column, column), all physical elements. */
tw_view tw__tile_boxes(const tw_pto_tile *tile, void *storage);
/* Rank 5 views of tile plane and tensor whose elements correspond; valid region `rows` x `cols` of the tensor. */
tw_status tw__tensor_views(tw__pto_call *call, const tw_pto_tensor *tensor, const tw__plane *plane,
                           tw_view *tile_view, tw_view *tensor_view);
tw_window tw__tensor_window(const tw_pto_tensor *tensor);

/* --- exec.c, cost.c ---------------------------------------------------------------------------------------------- */

tw_status tw__pto_exec_row(tw_pto *core, const tw__pto_row *row, const tw_pto_operand *operands, unsigned count,
                           const tw_pto_attrs *attrs);
void tw__pto_charge(tw__pto_call *call); /* advances the clock of the instruction's pipe */
tw_pto_pipe tw__pto_pipe_of(const tw__pto_call *call);
uint64_t tw__pto_done(const tw_pto *core, tw_pto_pipe pipe); /* cycle at which all its results are there */
/* A core made by itself gives back the grid of one that holds its queues (blocks.c). */
void tw__pto_leave_seat(tw_pto *core);
bool tw__pto_is_stopped(const tw_pto *core); /* not by itself: another core failed */
/* async.c: transfers of this core that were not waited for take place, or (not `good`) never will. */
tw_status tw__pto_end_transfers(tw_pto *core, bool good);
/* profile.c: bytes in use at once, for the report; what an instruction cost; both with TW_PTO_PROFILE. */
void tw__pto_note_use(tw_pto *core, tw_pto_location location);
void tw__pto_print_profile(FILE *out, const tw_pto *core);
void tw__pto_print_tile(FILE *out, const tw_pto *core, const tw_pto_tile *tile, unsigned max_rows,
                        unsigned max_cols);

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
    X(move_zz) X(scale_address) X(gather_l1) X(extract_quant) X(insert_quant)
// clang-format on
#define TW__FAMILY(name)                                \
    tw_status tw__pto_check_##name(tw__pto_call *call); \
    tw_status tw__pto_run_##name(tw__pto_call *call);
TW__FAMILY_LIST(TW__FAMILY)
#undef TW__FAMILY

#endif
