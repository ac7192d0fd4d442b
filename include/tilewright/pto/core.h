/* SPDX-License-Identifier: MIT */
/* PTO, the tile instructions of Ascend AI cores: tiles in on-chip memories, tensors in global memory, instructions
 * that move and compute whole tiles, and PTO-AS, their text.
 *
 *     tw_pto *core = tw_pto_new(TW_PTO_A2A3, 0);
 *     tw_pto_tile dst = tw_pto_tile_of(TW_PTO_VEC, TW_I32, 1, 16);
 *     tw_pto_tci(core, &dst, tw_pto_i32(100), true, NULL);         // 100, 99, ... 85
 *     tw_pto_free(core);
 *
 * Every instruction is checked against its rules for the core's target before it touches anything: one that is
 * refused has no effect, and tw_error_message() names instruction, rule and profile. Only what depends on values,
 * integer division by zero and indexes outside a table, shows while it runs; what lies before the element in the
 * message is then written. NULL for an argument that has to be there is TW_E_INVALID_ARGUMENT. docs/pto.md lists
 * instructions and rules.
 *
 * Threads: a core and its tiles are used by one thread at a time, two cores by two. Tables and operands are plain
 * values. What two cores do to one tensor is the caller's to order. */
#ifndef TILEWRIGHT_PTO_CORE_H
#define TILEWRIGHT_PTO_CORE_H

#include <tilewright/profile.h>
#include <tilewright/pto/detail/attributes.h>
#include <tilewright/vec.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sets of rules and memory sizes. CPU: what both chips share and layouts that neither has, with the memories of the
 * larger one and at least 512 KiB of vector memory. */
typedef enum tw_pto_target { TW_PTO_CPU = 0, TW_PTO_A2A3 = 1, TW_PTO_A5 = 2, TW_PTO_TARGETS = 3 } tw_pto_target;
TW_API const char *tw_pto_target_name(tw_pto_target target); /* "cpu", "a2a3", "a5" */
/* Name or alias (a2, a3, a2a3, a5, cpu, cpu_sim) without regard to case; false (and a message) when unknown. */
TW_API bool tw_pto_target_by_name(const char *name, tw_pto_target *target);

/* --- tiles ------------------------------------------------------------------------------------------------------ */

typedef enum tw_pto_location { /* X(enum, number, text, memory of the tile table, C++ name) */
#define TW_PTO_LOCATION_LIST(X)                              \
    X(VEC, 0, "vec", "UB", "Vec")                            \
    X(MAT, 1, "mat", "L1", "Mat")                            \
    X(LEFT, 2, "left", "L0A", "Left")                        \
    X(RIGHT, 3, "right", "L0B", "Right")                     \
    X(ACC, 4, "acc", "L0C", "Acc")                           \
    X(BIAS, 5, "bias", "Bias", "Bias")                       \
    X(SCALING, 6, "scaling", "Scaling", "Scaling")           \
    X(SCALE_LEFT, 7, "scale_left", "ScaleLeft", "ScaleLeft") \
    X(SCALE_RIGHT, 8, "scale_right", "ScaleRight", "ScaleRight")
#define TW_PTO_LOCATION_ENUM(name, number, text, memory, cpp) TW_PTO_##name = number,
                               TW_PTO_LOCATION_LIST(TW_PTO_LOCATION_ENUM)
#undef TW_PTO_LOCATION_ENUM
                                   TW_PTO_LOCATIONS = 9
} tw_pto_location;

typedef enum tw_pto_blayout { TW_PTO_ROW_MAJOR = 0, TW_PTO_COL_MAJOR = 1 } tw_pto_blayout;
typedef enum tw_pto_slayout { TW_PTO_NONE_BOX = 0, TW_PTO_BOX_ROW = 1, TW_PTO_BOX_COL = 2 } tw_pto_slayout;
typedef enum tw_pto_tf32 {
    TW_PTO_TF32_OFF = 0,
    TW_PTO_TF32_RINT = 1,
    TW_PTO_TF32_ROUND = 2
} tw_pto_tf32; /* ties even, away */
typedef enum tw_pto_pad {
    TW_PTO_PAD_NULL = 0,
    TW_PTO_PAD_ZERO = 1,
    TW_PTO_PAD_MAX = 2,
    TW_PTO_PAD_MIN = 3
} tw_pto_pad;
#define TW_PTO_DYNAMIC  UINT32_MAX          /* a valid extent that is known at run time only */
#define TW_PTO_PAD_BITS (UINT64_C(1) << 32) /* a custom pad value: this plus the element's bits */

/* A two-dimensional typed array in one on-chip memory. The description is the caller's to fill; the second part
 * belongs to the library. Copying the struct makes a second name for the same memory. */
typedef struct tw_pto_tile {
    unsigned char location, blayout, slayout; /* tw_pto_location, tw_pto_blayout, tw_pto_slayout */
    unsigned char compact; /* 0 null, 1 normal, 2 row_plus_one, 3 row_aligned_padding: kept, changes nothing */
    tw_type type;
    uint32_t fractal;    /* bytes of a box: 512, 1024 or 32; 0 = 512 */
    uint32_t rows, cols; /* physical extents, in elements */
    uint32_t valid_rows, valid_cols;
    uint32_t base_rows, base_cols;  /* extents of the tile this one is a window of; 0 = rows, cols */
    uint32_t tf32;                  /* tw_pto_tf32: how f32 operands of a matrix product are rounded first */
    uint64_t pad;                   /* tw_pto_pad, or TW_PTO_PAD_BITS + bits */
    const struct tw_pto_conv *conv; /* of a ConvTile, the caller's; NULL otherwise */

    uint32_t place;  /* library: memory of the tile, 0 = none yet */
    uint32_t offset; /* library: bytes from the start of that memory, of a window */
} tw_pto_tile;

/* Row-major, not boxed, all of it valid. */
TW_API tw_pto_tile tw_pto_tile_of(tw_pto_location location, tw_type type, uint32_t rows, uint32_t cols);
TW_API size_t tw_pto_tile_bytes(const tw_pto_tile *tile); /* of its storage */
/* Rows and columns of a box; 1 x 1 when the tile is not boxed. */
TW_API void tw_pto_box(const tw_pto_tile *tile, uint32_t *rows, uint32_t *cols);
/* The shape rules of a tile type (extents, alignment, boxes). */
TW_API tw_status tw_pto_tile_check(const tw_pto_tile *tile);
/* Byte offset of element (row, column) from the start of the tile's storage; 4-bit types: of its byte. */
TW_API size_t tw_pto_element(const tw_pto_tile *tile, uint32_t row, uint32_t col);

/* --- tensors in global memory ----------------------------------------------------------------------------------- */

// clang-format off
#define TW_PTO_LAYOUT_LIST(X) /* X(enum, number, text) */ \
    X(ND, 0, "nd") \
    X(DN, 1, "dn") \
    X(NZ, 2, "nz") \
    X(NC1HWC0, 3, "nc1hwc0") \
    X(MX_A_ZZ, 4, "mx_a_zz") \
    X(MX_B_NN, 5, "mx_b_nn") \
    X(MX_A_ND, 6, "mx_a_nd") \
    X(MX_A_DN, 7, "mx_a_dn") \
    X(MX_B_ND, 8, "mx_b_nd") \
    X(MX_B_DN, 9, "mx_b_dn") \
    X(GNC1HWC0, 10, "gnc1hwc0") \
    X(NDC1HWC0, 11, "ndc1hwc0") \
    X(NCHW, 12, "nchw") \
    X(GNCHW, 13, "gnchw") \
    X(NHWC, 14, "nhwc") \
    X(NCDHW, 15, "ncdhw") \
    X(FRACTAL_Z, 16, "fractal_z") \
    X(FRACTAL_Z_S16S8, 17, "fractal_z_s16s8") \
    X(FRACTAL_Z_3D, 18, "fractal_z_3d") \
    X(SCALE, 19, "scale") \
    X(HIF4_A_ZZ, 20, "hif4_a_zz") \
    X(HIF4_B_NN, 21, "hif4_b_nn")
// clang-format on
typedef enum tw_pto_layout {
#define TW_PTO_LAYOUT_ENUM(name, number, text) TW_PTO_##name = number,
    TW_PTO_LAYOUT_LIST(TW_PTO_LAYOUT_ENUM)
#undef TW_PTO_LAYOUT_ENUM
        TW_PTO_LAYOUTS = 22
} tw_pto_layout;

TW_API const char *tw_pto_layout_name(tw_pto_layout layout); /* "nd"; "unknown" past the end */

/* A strided view of rank 5 on memory of the caller. */
typedef struct tw_pto_tensor {
    void *data;
    tw_type type;
    tw_pto_layout layout;
    size_t shape[5];
    ptrdiff_t stride[5]; /* in elements */
    tw_window window;    /* what it may touch; bytes 0 = exactly what shape and strides describe */
} tw_pto_tensor;

/* A contiguous matrix, in the shape that the layout gives it. */
TW_API tw_pto_tensor tw_pto_tensor_of(void *data, tw_type type, size_t rows, size_t cols, tw_pto_layout layout);
/* Extents of the tile that fits the tensor. */
TW_API void tw_pto_tensor_extents(const tw_pto_tensor *tensor, size_t *rows, size_t *cols);

/* --- ConvTiles: feature maps and filters ------------------------------------------------------------------------ */

/* Shape of a ConvTile, slowest dimension first, and what TIMG2COL needs to know. Shapes by layout: NCHW (n c h w),
 * NHWC, GNCHW (g n c h w), NCDHW, NC1HWC0 (n c1 h w c0), GNC1HWC0, NDC1HWC0 (n d c1 h w c0), FRACTAL_Z and
 * FRACTAL_Z_3D (c1 h w, n / 16, 16, c0; with g first: five; of 3D the first is d c1 h w). c0 elements fill 32 bytes.
 * */
typedef struct tw_pto_conv {
    tw_pto_layout layout;
    unsigned rank; /* 4 to 6 */
    uint32_t shape[6];
    uint32_t fmap_h, fmap_w;     /* of the feature map; 0 = from the shape */
    uint32_t filter_h, filter_w; /* the rest: at least 1; 0 counts as 1 */
    uint32_t dilation_h, dilation_w, stride_h, stride_w;
    uint32_t pad[4];                                  /* left, right, top, bottom, in pixels */
    uint64_t pad_value;                               /* bits of an element */
    uint32_t channels;                                /* that hold data; 0 = c1 c0 */
    uint32_t repeat_stride, repeat_time, repeat_mode; /* kept for SET_IMG2COL_RPT; results do not depend on them */
    uint32_t transpose; /* of the window: not supported by TIMG2COL (as in the formal model) */
} tw_pto_conv;
/* A tile of one row that holds conv->shape; `bytes` of storage, 0 = what the shape needs, rounded up to 32. The
 * description stays the caller's and must live as long as the tile is used. */
TW_API tw_pto_tile tw_pto_conv_tile(tw_pto_location location, tw_type type, const tw_pto_conv *conv, size_t bytes);
/* Output pixels of the convolution that a feature map's description gives. TW_E_INVALID_ARGUMENT: not a feature map,
 * or a filter larger than the padded map. */
TW_API tw_status tw_pto_conv_output(const tw_pto_conv *conv, uint32_t *height, uint32_t *width);

/* --- scalars and operands --------------------------------------------------------------------------------------- */

typedef struct tw_pto_scalar {
    tw_type type;
    uint64_t bits; /* of the value, low bytes first */
} tw_pto_scalar;
TW_API tw_pto_scalar tw_pto_scalar_of(tw_type type, double value); /* nearest even, saturating */
TW_API tw_pto_scalar tw_pto_i32(int32_t value);
TW_API tw_pto_scalar tw_pto_f32(float value);
TW_API tw_pto_scalar tw_pto_bits(tw_type type, uint64_t bits);

typedef enum tw_pto_kind {
    TW_PTO_NOTHING = 0,
    TW_PTO_TILE = 1,
    TW_PTO_TENSOR = 2,
    TW_PTO_SCALAR = 3,
    TW_PTO_FIFO = 4, /* between cores: pto/grid.h */
    TW_PTO_GROUP = 5 /* a tensor on each of several devices: pto/grid.h */
} tw_pto_kind;
typedef struct tw_pto_operand {
    tw_pto_kind kind;
    tw_pto_tile *tile;
    tw_pto_tensor *tensor;
    tw_pto_scalar scalar;
    const void *object; /* tw_pto_fifo, tw_pto_group */
} tw_pto_operand;
TW_API tw_pto_operand tw_pto_tile_operand(tw_pto_tile *tile);
TW_API tw_pto_operand tw_pto_tensor_operand(tw_pto_tensor *tensor);
TW_API tw_pto_operand tw_pto_scalar_operand(tw_pto_scalar scalar);

/* --- instructions ----------------------------------------------------------------------------------------------- */

typedef enum tw_pto_pipe {
    TW_PTO_PIPE_S = 0,
    TW_PTO_PIPE_V = 1,
    TW_PTO_PIPE_M = 2,
    TW_PTO_PIPE_MTE1 = 3,
    TW_PTO_PIPE_MTE2 = 4,
    TW_PTO_PIPE_MTE3 = 5,
    TW_PTO_PIPE_FIX = 6,
    TW_PTO_PIPE_MTE4 =
        7, /* names of the documents, for flags and barriers: no instruction of the targets runs on these */
    TW_PTO_PIPE_MTE5 = 8,
    TW_PTO_PIPE_V2 = 9,
    TW_PTO_PIPE_ALL = 10,
    TW_PTO_PIPES = 11
} tw_pto_pipe;
TW_API const char *tw_pto_pipe_name(tw_pto_pipe pipe); /* "PIPE_MTE2" */

/* One form of an instruction; forms of one name differ in their operands. `index` counts all rows of the table. */
typedef struct tw_pto_info {
    const char *name;     /* "TADD"; unique per form: "TCI_TMP" */
    const char *mnemonic; /* "tadd" */
    const char *form;     /* operands in the order of tw_pto_exec, one letter each (docs/pto.md) */
    const char *ins;      /* operands of `ins` in text, by their letters */
    const char *summary;
    tw_pto_pipe pipe;
    uint64_t types[TW_PTO_TARGETS]; /* bit 1 << tw_type */
    unsigned operands;
} tw_pto_info;
TW_API bool tw_pto_info_get(size_t index, tw_pto_info *info);
TW_API int tw_pto_op_by_name(const char *name); /* "TADD", or -1 */
/* Prints all about an instruction and its forms: operands, types by target, rules, cost, text. `name` is a mnemonic,
 * with or without "pto.". TW_E_INVALID_ARGUMENT: there is none; the message suggests one. */
TW_API tw_status tw_pto_print_info(FILE *out, const char *name);

#define TW_PTO_OPERANDS 12

/* Checks only: rules that depend on dynamic extents are taken as kept. `blame` (may be NULL) gets the operand at
 * fault, or the number of operands. */
TW_API tw_status tw_pto_check(tw_pto_target target, int op, const tw_pto_operand *operands, unsigned count,
                              const tw_pto_attrs *attrs, unsigned *blame);

/* --- cores ------------------------------------------------------------------------------------------------------ */

typedef struct tw_pto tw_pto; /* one core: its memories, flags and clock. One thread at a time. */

#define TW_PTO_MANUAL   1u /* a tile without an address is an error; without, it is placed automatically */
#define TW_PTO_PROFILE  2u /* count cycles */
#define TW_PTO_TIMELINE 4u /* ... and keep when each instruction began and ended, of the first 2^20 of a core */

TW_API tw_pto *tw_pto_new(tw_pto_target target, unsigned flags); /* NULL when out of memory */
TW_API void tw_pto_free(tw_pto *core);                           /* NULL is fine */
TW_API tw_pto_target tw_pto_get_target(const tw_pto *core);
/* Prints every instruction with the valid region of its destinations to `out`; NULL turns it off. */
TW_API void tw_pto_trace(tw_pto *core, FILE *out);

/* TASSIGN: the tile lies at `address` of the memory of its location. TW_E_TILE_MEMORY: memory exists (SA-0351), tile
 * fits it (SA-0352), also from the address on (SA-0353), and the address is a multiple of 32 (SA-0354). Tiles may
 * overlap on purpose; tiles placed automatically make room. */
TW_API tw_status tw_pto_assign(tw_pto *core, tw_pto_tile *tile, uint64_t address);
/* Gives the tile's memory back; the tile is unassigned again. Windows of it must not be used any more. */
TW_API void tw_pto_tile_free(tw_pto *core, tw_pto_tile *tile);
/* Places the tile if it has no place yet and returns its storage; NULL with a message. Valid until the next call that
 * places or assigns a tile. */
TW_API void *tw_pto_data(tw_pto *core, tw_pto_tile *tile);
/* Address in its memory, -1 when it has no place. */
TW_API int64_t tw_pto_address(const tw_pto *core, const tw_pto_tile *tile);
/* Copies the valid region, row-major and contiguous. */
TW_API tw_status tw_pto_read(tw_pto *core, tw_pto_tile *tile, void *to, size_t bytes);
TW_API tw_status tw_pto_write(tw_pto *core, tw_pto_tile *tile, const void *from, size_t bytes);
/* TSUBVIEW: *window is a name for the part of `tile` from (row, col) on that window->rows x cols describe. */
TW_API tw_status tw_pto_window(tw_pto *core, tw_pto_tile *window, tw_pto_tile *tile, uint32_t row, uint32_t col);

/* One instruction: `op` from tw_pto_op_by_name, operands in the order of its form, attrs NULL = defaults. */
TW_API tw_status tw_pto_exec(tw_pto *core, int op, const tw_pto_operand *operands, unsigned count,
                             const tw_pto_attrs *attrs);
/* The same by mnemonic: the first form whose operands fit. */
TW_API tw_status tw_pto_call(tw_pto *core, const char *mnemonic, const tw_pto_operand *operands, unsigned count,
                             const tw_pto_attrs *attrs);

/* TCI: element k of row 0 of dst = start + k, or start - k, modulo its width, k < valid columns. tmp may be NULL. */
TW_API tw_status tw_pto_tci(tw_pto *core, tw_pto_tile *dst, tw_pto_scalar start, bool descending, tw_pto_tile *tmp);
TW_API tw_status tw_pto_load(tw_pto *core, tw_pto_tile *dst, tw_pto_tensor *src);  /* TLOAD */
TW_API tw_status tw_pto_store(tw_pto *core, tw_pto_tensor *dst, tw_pto_tile *src); /* TSTORE */

/* Flags order pipes: wait_flag continues when set_flag of the same pair and id has been reached by `from`. A double
 * set and a wait without set are errors (the latter would hang the chip). Pipes of one core run in program order
 * here. */
TW_API tw_status tw_pto_set_flag(tw_pto *core, tw_pto_pipe from, tw_pto_pipe to, unsigned id);
TW_API tw_status tw_pto_wait_flag(tw_pto *core, tw_pto_pipe from, tw_pto_pipe to, unsigned id);
TW_API tw_status tw_pto_barrier(tw_pto *core, tw_pto_pipe pipe);
TW_API tw_pto_pipe tw_pto_last_pipe(const tw_pto *core); /* of the last instruction */

/* Estimated cycles since the start; 0 without TW_PTO_PROFILE. */
TW_API uint64_t tw_pto_cycles(const tw_pto *core);
TW_API uint64_t tw_pto_pipe_cycles(const tw_pto *core, tw_pto_pipe pipe); /* busy */

/* Prints cycles by pipe and instruction, which are estimates; with TW_PTO_PROFILE. */
TW_API void tw_pto_print_profile(FILE *out, const tw_pto *core);
/* When each instruction began and ended on its pipe, as JSON for ui.perfetto.dev: a track per pipe. Estimated cycles
 * stand in "args". TW_E_MISSING_PROFILE: the core was made without TW_PTO_TIMELINE; TW_E_IO. */
TW_API tw_status tw_pto_write_timeline(const tw_pto *core, FILE *out);

#ifdef __cplusplus
}
#endif
#endif
