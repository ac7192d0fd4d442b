/* SPDX-License-Identifier: MIT */
/* pto, private side: the core, operands as planes, and what the families of instructions share.
 *
 * An instruction runs in this order (exec/execute.c): its row is looked up; core/check.c and its family judge the
 * operands, and the verdict is remembered as long as descriptions stay the same; tiles without a place get one
 * (core/memories.c); every tile becomes a plane (core/planes.c); the family's function runs kernels of the vec box
 * over planes; boxed destinations are put back.
 *
 * Families stand in ops/ and, where cores wait for one another, in grid/; exec/families.c joins them with the rows.
 * Text: text/as.h. */
#ifndef TW_PTO_PTO_H
#define TW_PTO_PTO_H

#include "core/base/base.h"
#include "core/profile/profile.h"
#include "pto/table/instruction.h"
#include "core/tile/tile.h"
#include <tilewright/pto.h>
#include <tilewright/pto/grid.h>
#include <tilewright/vec.h>

#include <string.h>

/* What tw__missing() says when an argument of a public function that `what` names is NULL. */
static inline tw_status tw__pto_given(const void *argument, const char *what)
{
    return argument ? TW_OK : tw__missing(what);
}

/* --- table/targets.c, table/conversions.c ----------------------------------------------------------------------- */

const tw_tile_region *tw__pto_region(tw_pto_target target, tw_pto_location location); /* NULL = no such memory */
uint32_t tw__pto_memory_size(tw_pto_target target, tw_pto_location location); /* bytes, 0 = no such memory */
const char *tw__pto_memory_name(unsigned location);
const char *tw__pto_chip(tw_pto_target target); /* its row of tw_tile_arch */
double tw__pto_clock(tw_pto_target target);     /* Hz; A2/A3's for all: none is published for A5 */
uint64_t tw__pto_conversions(tw_type from, tw_pto_target target); /* types that TCVT makes of it, a bit each */
bool tw__pto_convert_wraps(const tw__pto_call *call);             /* TCVT: out of range wraps */

/* --- core/memories.c -------------------------------------------------------------------------------------------- */

/* Memory of a tile: a range of one on-chip memory. Number in `place` counts from 1; 0 = none. */
typedef struct tw__place {
    unsigned char location;
    bool used, automatic;
    uint32_t address, bytes;
    uint32_t names;                   /* tiles beside the first one that lie here: TRESHAPE on chips */
    uint64_t ready_read, ready_write; /* cycle at which its last reader, writer ends */
    unsigned char reader, writer;     /* their pipes */
    uint32_t block;                   /* of the timeline's map: number + 1; 0 = none yet */
} tw__place;

/* Why a pipe may not start yet, for timelines. */
typedef struct tw__hold {
    const char *cause;   /* static: "flag", "barrier", ...; NULL = nothing holds it */
    struct tw_pto *core; /* that has to come so far; NULL = its own, or not known */
    unsigned char pipe;  /* likewise; TW_PTO_PIPES = not known */
    unsigned char id;    /* of a flag or buffer; TW__NO_ID = none */
} tw__hold;
enum { TW__NO_ID = 255 };

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
/* A call of a row that passed its checks, and what follows from its operands' descriptions. What a call that finds
 * itself here reads comes first, for few cache lines. */
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
    tw__checked *checked;                                     /* TW__CHECKED_WAYS per row */
    unsigned char flag_set[TW_PTO_PIPE_ALL][TW_PTO_PIPE_ALL]; /* bit id: set */
    uint64_t flag_at[TW_PTO_PIPE_ALL][TW_PTO_PIPE_ALL][TW__FLAG_IDS];
    uint64_t pipe_free[TW_PTO_PIPES]; /* cycle from which on an instruction may start, after flags and barriers */
    uint64_t pipe_end[TW_PTO_PIPES];  /* cycle at which the last one ended */
    uint64_t pipe_done[TW_PTO_PIPES]; /* ... and its result is there */
    uint64_t pipe_busy[TW_PTO_PIPES]; /* cycles */
    uint64_t instructions;
    tw_pto_pipe last_pipe;
    tw__registers reg;
    unsigned blame; /* operand at fault in the last call that failed, TW__NO_OPERAND = none of them */
    struct tw__pto_tally {
        uint64_t calls, cycles, worst; /* worst: of one call; 0 = it is made of others */
    } *tally;                          /* [row][pipe], with TW_PTO_PROFILE */
    uint64_t global_bytes;             /* that instructions moved to and from global memory, with TW_PTO_PROFILE */
    tw__hold hold[TW_PTO_PIPES];       /* what set `pipe_free` */
    struct tw__timeline *timeline;     /* with TW_PTO_TIMELINE (cost/timeline.c) */
    uint32_t line;                     /* of the program's text, of the instruction at hand; 0 = not known */
    bool cost_lost;                    /* there was no memory for a part of it, or of the flows */
    tw_pto_pipe charged;               /* pipe of the last charge */
    const tw__pto_row *charge_as;      /* instruction that this one is a part of; NULL = none */
    tw_pto_identity identity;
    tw_pto **mates; /* cores of its block, itself among them, by number; NULL while it has no seat */
    unsigned mate_count;
    struct tw__seat *seat; /* among other cores (grid/grid.h); NULL = none yet */
    /* How instructions that are made of others run these: tw__pto_exec_row (exec/execute.c). */
    tw_status (*exec)(tw_pto *core, const tw__pto_row *row, const tw_pto_operand *operands, unsigned count,
                      const tw_pto_attrs *attrs);
    uint32_t peak[TW_PTO_LOCATIONS]; /* most bytes in use at once */
};

/* core/zero_pages.c: `bytes` of zeros, from a page's first byte on; NULL when there is no memory. Given back with
 * tw__free_pages. */
void *tw__zero_pages(size_t bytes);
void tw__free_pages(void *at, size_t bytes); /* NULL is fine */
tw_status tw__pto_place(tw_pto *core, tw_pto_tile *tile);
tw_status tw__pto_share_place(tw_pto *core, tw_pto_tile *tile,
                              tw_pto_tile *of); /* given back with the last of them */
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

/* --- core/check.c ----------------------------------------------------------------------------------------------- */

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
tw_status tw__pto_check_shared(tw__pto_call *call);  /* all but what the family adds */
tw_status tw__pto_check_written(tw__pto_call *call); /* its part that needs tensors' extents and strides only */
tw_status tw__pto_check_tmp(tw__pto_call *call);     /* core/check_tmp.c */
bool tw__pto_fills_cube(const tw__pto_call *call);   /* a vector core's tile goes to the cube core's L1 */
/* That tile i is row-major and not boxed, or a column; profile cpu takes all layouts. */
tw_status tw__pto_check_row_major(tw__pto_call *call, unsigned i);
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
static inline tw_pto_kind tw__kind_of_letter(char c)
{
    return (tw_pto_kind)tw__pto_letters[c & 127].kind;
}
static inline bool tw__is_tile_letter(char c)
{
    return tw__kind_of_letter(c) == TW_PTO_TILE;
}
static inline bool tw__is_dst_letter(char c) /* tiles that are written */
{
    return tw__is_tile_letter(c) && tw__pto_letters[c & 127].written;
}
/* A cube or vector core of a block, not both in one. */
static inline bool tw__pto_is_part(const tw_pto *core)
{
    return core->identity.kind != TW_PTO_WHOLE;
}
static inline tw_pto *tw__pto_mate(const tw_pto *core, unsigned number) /* NULL past the end */
{
    return number < core->mate_count ? core->mates[number] : NULL;
}
static inline bool tw__is_tensor_letter(char c)
{
    return tw__kind_of_letter(c) == TW_PTO_TENSOR;
}

/* --- what families share ---------------------------------------------------------------------------------------- */

tw_status tw__pto_check_path(tw__pto_call *call); /* ops/move.c: from memory to memory; of windows */
tw_status tw__pto_check_window_path(tw__pto_call *call);
tw_status tw__pto_check_cube_layout(tw__pto_call *call, const tw_pto_tile *tile, unsigned operand);
tw_status tw__pto_check_insert_split(tw__pto_call *call); /* ops/window_parts.c: the attribute splitNz */
/* That `small`'s valid region lies in `large` at the corner in operands `corner`, `corner` + 1. */
tw_status tw__pto_check_window(tw__pto_call *call, unsigned corner, const tw_pto_tile *small,
                               const tw_pto_tile *large);
bool tw__acc_converts(tw_type from, tw_type to);       /* ops/accumulator_out.c: without a scale */
tw_status tw__pto_check_acc_store(tw__pto_call *call); /* ops/load_store.c: extents and layout of TSTORE from L0C */
tw_status tw__pto_put(tw__pto_call *call, const tw__plane *); /* ops/load_store.c: to the tensor in operand 0 */
tw_status tw__pto_split(tw__pto_call *call,
                        const tw__plane *values); /* ops/split_to_vectors.c: to the vector cores of the block */
tw_status tw__pto_to_cube(tw__pto_call *call, const tw__plane *values, uint32_t row, uint32_t col);
bool tw__pto_has_mates(const tw_pto *core); /* ops/split_to_vectors.c: a cube core, its vector cores beside it */
tw_status tw__conv_check_transfer(tw__pto_call *call, unsigned tile, unsigned tensor); /* ops/conv_tiles.c */
tw_status tw__conv_transfer(tw__pto_call *call, unsigned tile, unsigned tensor);
tw_status tw__conv_check_transpose(tw__pto_call *call);
tw_status tw__conv_transpose(tw__pto_call *call);

/* --- core/remembered_calls.c ------------------------------------------------------------------------------------ */

/* True when a call of the row with the same descriptions has kept the rules. If call->bound, tw__pto_run_again does
 * the rest; else tw__pto_bind and so on. Sets call->seen in any case. */
bool tw__pto_recall(tw__pto_call *call, bool no_attrs);
bool tw__pto_run_again(tw__pto_call *call);               /* false = the family has to */
void tw__pto_remember(tw__pto_call *call, bool no_attrs); /* after a check that passed and tw__pto_bind */
/* One kernel of tw__pto_kernel on the planes of the call as they stand; `joined`: tw__planes_joined. */
void tw__pto_remember_kernel(tw__pto_call *call, const tw_vec_kernel *kernel, bool joined);

/* --- core/planes.c ---------------------------------------------------------------------------------------------- */

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
/* The same on call->plane as it stands, every operand; calls that are alike find the kernel again. Nothing comes
 * after. */
tw_status tw__lanes_alone(tw__pto_call *call, tw_vec_op op, const tw_vec_mode *mode);
/* out = max(in, 0), as TRELU has it: NaN and -0 stay. Both of one type; may be the same (ops/elementwise.c). */
tw_status tw__relu(tw__pto_call *call, tw__plane out, tw__plane in);
/* Whether operands i and k may have bytes in common: parts of one tile, or addresses that overlap. */
bool tw__pto_shares(const tw__pto_call *call, unsigned i, unsigned k);
/* *p, of operand i, as a copy in scratch memory if dst shares bytes with it: for what reads after it has written. */
tw_status tw__plane_apart(tw__pto_call *call, unsigned i, tw__plane *p);
tw_status tw__plane_copy(const tw__plane *dst, const tw__plane *src); /* extents of src */
tw_status tw__plane_fill(tw__pto_call *call, const tw__plane *dst, const void *value);
/* The whole physical tile as a plane (unbound from its valid region). */
tw__plane tw__plane_physical(const tw__pto_call *call, unsigned operand);

/* --- core/planes_4bit.c: 4-bit tiles as planes of bytes, an element in each; TCVT alone takes unboxed ones packed */

bool tw__tile_nibbles(const tw_pto_tile *tile); /* two elements per byte */
tw_status tw__nibble_bind(tw__pto_call *call, const tw_pto_tile *tile, tw__plane *out);
void tw__nibble_unbind(tw__pto_call *call, const tw_pto_tile *tile, const tw__plane *plane);
tw__plane tw__nibble_pack(tw__pto_call *call, const tw__plane *bytes, tw_type type); /* at NULL: no memory */
void tw__nibble_unpack(const tw__plane *packed, const tw__plane *bytes);
tw_status tw__nibble_widen(tw__pto_call *call, const tw__plane *bytes, tw_type from, const tw__plane *out);
tw_status tw__nibble_narrow(tw__pto_call *call, const tw__plane *bytes, tw_type to, const tw__plane *from,
                            const tw_vec_mode *mode);
tw_status tw__nibble_transfer(tw__pto_call *call, const tw_pto_tensor *tensor, const tw__plane *plane, bool load);

/* --- core/tile_layout.c, core/tensor_layout.c ------------------------------------------------------------------- */

bool tw__tile_boxed(const tw_pto_tile *tile);
bool tw__tile_dynamic(const tw_pto_tile *tile); /* a valid extent has no value yet */
uint64_t tw__pad_bits(tw_type type, uint64_t pad);
/* The storage as a view of rank 4 (box row, row, box column, column), all physical elements. */
tw_view tw__tile_boxes(const tw_pto_tile *tile, void *storage);
/* Rank 5 views of tile plane and tensor whose elements correspond; valid region `rows` x `cols` of the tensor. */
tw_status tw__tensor_views(tw__pto_call *call, const tw_pto_tensor *tensor, const tw__plane *plane,
                           tw_view *tile_view, tw_view *tensor_view);
tw_window tw__tensor_window(const tw_pto_tensor *tensor);

/* --- core/conv_layout.c ----------------------------------------------------------------------------------------- */

tw_status tw__conv_check(const tw_pto_tile *tile);
const char *tw__conv_order(const tw_pto_conv *v); /* letters of its dimensions, slowest first; NULL = it has none */
uint32_t tw__conv_extent(const tw_pto_conv *v, char dimension); /* 1 when it has none */

#endif
