/* SPDX-License-Identifier: MIT */
/* Bytecode of run-time CSL: a register machine with 64-bit instructions.
 *
 *     63      48 47      32 31      16 15       0
 *    +----------+----------+----------+----------+
 *    |    c     |    b     |    a     |    op    |      32-bit operands lie in b (low) and c (high)
 *    +----------+----------+----------+----------+
 *
 * Registers hold 64 bits. Integers and bools are kept in canonical form: the value of their type, sign- or
 * zero-extended to 64 bits; pointers are zero-extended byte addresses; floats are their bits, zero-extended; a DSD
 * takes a pair (n, n+1) as packed in tw__csl_dsd. An instruction of type T leaves a canonical T; operands must be
 * canonical.
 *
 * Calls: registers n, n+1, ... of the caller become 0, 1, ... of the callee, which leaves its results there: a
 * window, no copying. Everything from n on is lost to the caller but the results. A task starts with its arguments in
 * 0 and 1. */
#ifndef TW_CSL_CODE_CODE_H
#define TW_CSL_CODE_CODE_H

#include "core/base/base.h"

/* --- DSD values ----------------------------------------------------------------------------------------------- */

typedef enum tw__csl_dsd_kind {
    TW__CSL_DSD_NONE,
    TW__CSL_DSD_MEM1D,
    TW__CSL_DSD_MEM4D,
    TW__CSL_DSD_FABIN,
    TW__CSL_DSD_FABOUT,
    TW__CSL_DSD_CIRCBUF,
    TW__CSL_DSD_KINDS
} tw__csl_dsd_kind;

enum {                                /* flags of a DSD */
       TW__CSL_DSD_INDEXED = 1,       /* wavelet_index_offset */
       TW__CSL_DSD_CONTROL = 2,       /* fabout: control wavelets */
       TW__CSL_DSD_TRANSFORM = 4,     /* control_transform */
       TW__CSL_DSD_ADVANCE = 8,       /* advance_switch */
       TW__CSL_DSD_ZERO_FIRST = 16,   /* zero.first_source */
       TW__CSL_DSD_ZERO_SECOND = 32,  /* zero.second_source */
       TW__CSL_DSD_SAVE_ADDRESS = 64, /* in a DSR only */
       TW__CSL_DSD_SINGLE_STEP = 128  /* in a DSR only */
};
typedef enum tw__csl_simd {
    TW__CSL_SIMD_OFF,
    TW__CSL_SIMD_32,
    TW__CSL_SIMD_64,
    TW__CSL_SIMD_32_OR_64
} tw__csl_simd;
typedef enum tw__csl_priority { /* of microthreads; 0 = not given */
                                TW__CSL_PRIORITY_DEFAULT,
                                TW__CSL_PRIORITY_LOW,
                                TW__CSL_PRIORITY_MEDIUM,
                                TW__CSL_PRIORITY_HIGH
} tw__csl_priority;
#define TW__CSL_NO_ID     0xffu   /* no color, no queue, no microthread */
#define TW__CSL_UNBOUNDED 0x7fffu /* length without end */

/* A DSD at run time, 16 bytes, also its form in PE memory. Memory DSDs: base is the byte address of the first element
 * (offset included), stride in elements of the operation's width. Unused fields are 0. */
typedef struct tw__csl_dsd {
    uint8_t kind, flags, simd, priority;
    uint16_t length; /* elements or wavelets; circbuf: extent */
    uint16_t base;
    int16_t stride;       /* mem1d; circbuf: elements until wrap-around */
    uint8_t color, queue; /* fabric DSDs; TW__CSL_NO_ID = not given */
    uint16_t shape;       /* mem4d: row of tw__csl_program.shapes; circbuf in a DSR: elements from the start */
    uint16_t object;      /* symbol + 1 of the array that held the base, for strict checks; 0 = unknown */
} tw__csl_dsd;
_Static_assert(sizeof(tw__csl_dsd) == 16, "a DSD is two registers");

/* Steps of a mem4d DSD. extent[0] is the slowest dimension; stride[0] belongs to the fastest one and is what is
 * added, in elements, when that dimension advances, the return of all faster ones included (CSL reference, DSD
 * kinds). */
typedef struct tw__csl_shape {
    uint16_t rank, extent[4];
    int16_t stride[4];
} tw__csl_shape;

/* --- DSD operations: an instruction names one of these rows of the program ------------------------------------ */

enum { /* operand lists: D destination, S source (DSD, DSR, FIFO), V value, P pointer to scalar, I i16 value */
       TW__CSL_F_S = 1,
       TW__CSL_F_DS = 2,
       TW__CSL_F_DV = 4,
       TW__CSL_F_PS = 8,
       TW__CSL_F_DSS = 16,
       TW__CSL_F_DVS = 32,
       TW__CSL_F_DSV = 64,
       TW__CSL_F_PVS = 128,
       TW__CSL_F_PV = 256,
       TW__CSL_F_PVI = 512,
       TW__CSL_F_DSSV = 1024
};
typedef enum tw__csl_elem {
    TW__CSL_E_NONE,
    TW__CSL_E_I16,
    TW__CSL_E_I32,
    TW__CSL_E_F16,
    TW__CSL_E_F32
} tw__csl_elem;

typedef enum tw__csl_dsd_op {
#define X(name, builtin, dst, src0, src1, src2, forms) TW__CSL_OP_##name,
#include "csl/lang/code/dsd_ops.def"
    TW__CSL_DSD_OPS
} tw__csl_dsd_op;

typedef struct tw__csl_dsd_op_row {
    const char *builtin; /* without @ */
    uint8_t type[4];     /* tw__csl_elem: destination, src0, src1, src2 */
    uint16_t forms;
} tw__csl_dsd_op_row;
extern const tw__csl_dsd_op_row tw__csl_dsd_op_rows[TW__CSL_DSD_OPS];
int tw__csl_dsd_op_named(const char *builtin); /* -1 = none */

typedef enum tw__csl_operand_kind {
    TW__CSL_ARG_NONE,
    TW__CSL_ARG_DSD,     /* register pair */
    TW__CSL_ARG_DSR,     /* `at` = register number in file `file` */
    TW__CSL_ARG_FIFO,    /* `at` = row of tw__csl_program.fifos */
    TW__CSL_ARG_SCALAR,  /* register */
    TW__CSL_ARG_POINTER, /* register with the byte address of a scalar */
    TW__CSL_ARG_KINDS
} tw__csl_operand_kind;
typedef enum tw__csl_dsr_file {
    TW__CSL_DSR_DEST,
    TW__CSL_DSR_SRC0,
    TW__CSL_DSR_SRC1,
    TW__CSL_DSR_FILES
} tw__csl_dsr_file;
#define TW__CSL_DSRS 32 /* registers per file; the architecture's own limit is checked by analysis */
typedef struct tw__csl_arg {
    uint8_t kind, file; /* file: of a DSR; of a @map operand: its tw__csl_elem */
    uint16_t at;
} tw__csl_arg;

typedef enum tw__csl_action_kind {
    TW__CSL_ACT_NONE,
    TW__CSL_ACT_ACTIVATE,      /* local task id */
    TW__CSL_ACT_UNBLOCK,       /* task table id: local task, data task; WSE-2: also a color */
    TW__CSL_ACT_UNBLOCK_QUEUE, /* WSE-3: input queue */
    TW__CSL_ACT_TERMINATE,     /* on_control only */
    TW__CSL_ACT_KINDS
} tw__csl_action_kind;
typedef struct tw__csl_action {
    uint8_t kind, in_register;
    uint16_t at; /* id, or the register that holds it */
} tw__csl_action;

enum { /* flags of a use */
       TW__CSL_USE_ASYNC = 1,
       TW__CSL_USE_INDEX = 2, /* `index` register counts */
       TW__CSL_USE_FOLD = 4   /* `from` counts: where it is the destination's address, src0 is read per element */
};
typedef struct tw__csl_dsd_use {
    uint8_t op, flags, priority;
    uint8_t ut;          /* microthread asked for, TW__CSL_NO_ID = none */
    tw__csl_arg arg[4];  /* destination, src0, src1, src2 */
    tw__csl_action done; /* asynchronous: when complete */
    tw__csl_action on_control;
    uint16_t index; /* register */
    uint16_t from;  /* register with the address that the value in src0 was read at */
} tw__csl_dsd_use;

typedef struct tw__csl_dsr_load { /* @load_to_dsr: a row for LOAD_DSR, or for the start of the program */
    uint8_t file, id, flags;      /* TW__CSL_USE_ASYNC, and TW__CSL_DSD_SAVE_ADDRESS / _SINGLE_STEP */
    uint8_t ut;
    uint16_t pair; /* register pair with the DSD; unused at the start */
    uint16_t spare;
    tw__csl_action done, on_control;
    tw__csl_dsd dsd; /* at the start of the program: the value */
} tw__csl_dsr_load;

#define TW__CSL_MAP_INPUTS 8
typedef struct tw__csl_map { /* @map */
    uint32_t function;
    uint8_t input_count, has_output;
    uint16_t spare;
    tw__csl_arg
        input[TW__CSL_MAP_INPUTS]; /* DSD, DSR: element of type `file`; SCALAR, POINTER: passed as they are */
    tw__csl_arg output;            /* DSD, DSR, POINTER */
    uint8_t is_signed[TW__CSL_MAP_INPUTS];  /* I16 / I32 elements: canonical form of the callback's parameter */
    uint8_t output_file, spare8[3];         /* tw__csl_dsr_file of a DSR output (its element type is output.file) */
    uint8_t input_file[TW__CSL_MAP_INPUTS]; /* tw__csl_dsr_file of DSR inputs */
} tw__csl_map;

/* --- instructions --------------------------------------------------------------------------------------------- */

typedef struct tw__csl_insn {
    uint16_t op, a, b, c;
} tw__csl_insn;
_Static_assert(sizeof(tw__csl_insn) == 8, "instructions are 64 bits");

static inline uint32_t tw__csl_wide(tw__csl_insn i)
{
    return (uint32_t)i.b | (uint32_t)i.c << 16;
}

#define TW__CSL_INT_TYPES(X)   X(U8) X(I8) X(U16) X(I16) X(U32) X(I32) X(U64) X(I64)
#define TW__CSL_FLOAT_TYPES(X) X(F32) X(F16) X(BF16) X(CB16)
#define TW__CSL_MEM_TYPES(X) \
    X(U8) X(I8) X(U16) X(I16) X(U32) X(I32) X(U64) /* as moved between memory and register */

/* X(name, operands, cycles). Operands of a, b, c: d register written, s register read, D / S pair written / read,
 * i signed 16 bits, u unsigned 16 bits, j jump relative to the next instruction (16 bits), w first register of a
 * window; over b and c, 32 bits: I signed, U unsigned, J jump, A memory address, K constant of the program, L two of
 * them, P constant of the PE, Q two of them, F function, X DSD use, M map, R DSR load; '.' follows them; '-' unused.
 * Cycles: issue, estimated (CSL reference, cycles); taken branches cost more. */
// clang-format off
#define TW__CSL_CODE_PLAIN(X)                                                                                  \
    X(NOP, "---", 1) X(MOV, "ds-", 1) X(MOV2, "DS-", 1)                                                        \
    X(LDI, "dI.", 1) X(LDK, "dK.", 1) X(LDK2, "DL.", 2) X(LDP, "dP.", 1) X(LDP2, "DQ.", 2)                     \
    X(AND, "dss", 1) X(OR, "dss", 1) X(XOR, "dss", 1) X(SHR, "dss", 1) X(SAR, "dss", 1)                        \
    X(ANDI, "dsu", 1) X(SHRI, "dsu", 1) X(SARI, "dsu", 1) X(LNOT, "ds-", 1)                                    \
    X(UDIVC, "dsu", 16) X(UREMC, "dsu", 16) X(SDIVC, "dsu", 16) X(SREMC, "dsu", 16) /* by c > 0, of any type */ \
    X(CMOV, "dss", 1) X(CMOVN, "dss", 1) /* a = b where c is not 0, is 0; else a stays */                      \
    X(EQ, "dss", 1) X(NE, "dss", 1) X(LTS, "dss", 1) X(LES, "dss", 1) X(LTU, "dss", 1) X(LEU, "dss", 1)        \
    X(JMP, "-J.", 3) X(JT, "sJ.", 3) X(JF, "sJ.", 3)                                                           \
    X(JEQ, "ssj", 3) X(JNE, "ssj", 3) X(JLTS, "ssj", 3) X(JLES, "ssj", 3) X(JLTU, "ssj", 3) X(JLEU, "ssj", 3)  \
    X(LDDSD, "Dsi", 4) X(STDSD, "Ssi", 4) X(LDDSDA, "DA.", 4) X(STDSDA, "SA.", 4)                              \
    X(COPY, "ssu", 4)  /* memory at a = memory at b, c bytes; may overlap */                                   \
    X(FILL, "ssu", 4)  /* c 16-bit words at a become the low half of b */                                      \
    X(LEA, "dU.", 1)   /* address of byte U of the function's stack area */                                    \
    X(CALL, "wF.", 6)                                                                                          \
    X(CALLI, "wsu", 6) /* function number in b; c = registers its parameters take */                           \
    X(TAIL, "wF.", 3)  /* a call that takes over the frame: what it returns goes to the caller of this function */ \
    X(RET, "---", 6)                                                                                           \
    X(DSD_BASE, "DSs", 1)     /* @set_dsd_base_addr: c = byte address */                                       \
    X(DSD_OFFSET16, "DSs", 1) X(DSD_OFFSET32, "DSs", 1) /* @increment_dsd_offset: c elements of 2 or 4 bytes */ \
    X(DSD_LENGTH, "DSs", 1) X(DSD_STRIDE, "DSs", 1)                                                            \
    X(DSD_COLOR, "DSs", 1) X(DSD_QUEUE, "DSs", 1) /* run-time color, queue of a fabric DSD */                  \
    X(DSDOP, "dX.", 1)        /* a = 1, or 0 when a FIFO stopped a synchronous operation */                    \
    X(MAP, "wM.", 1)          /* the callback's window starts at a */                                          \
    X(LOAD_DSR, "-R.", 1)                                                                                      \
    X(FIFO_READ_LENGTH, "us-", 1) X(FIFO_WRITE_LENGTH, "us-", 1) /* FIFO number, length */                     \
    X(ACTIVATE, "s--", 1)                                                                                      \
    X(BLOCK, "su-", 1) X(UNBLOCK, "su-", 1) /* id in a; b = tw__csl_id_kind */                                 \
    X(GET_CONFIG, "ds-", 1) X(SET_CONFIG, "ss-", 1) /* word address in b; in a */                              \
    X(SYS, "wuu", 1)          /* service b with c registers of arguments from a on; results from a on */       \
    X(ASSERT, "s--", 1) X(RANDOM16, "d--", 1) X(SET_PRNG, "s--", 1) X(QUEUE_FLUSH, "su-", 1)                   \
    X(TRAP, "-U.", 1)         /* tw__csl_trap */
/* One of each integer type. DIV, REM: division by zero is a fault. TRUNC: from f32 towards zero, saturating, NaN =
 * 0. */
#define TW__CSL_CODE_INT(X)                                                                                    \
    X(ADD, "dss", 1) X(SUB, "dss", 1) X(MUL, "dss", 1) X(DIV, "dss", 16) X(REM, "dss", 16) X(SHL, "dss", 1)    \
    X(ADDI, "dsi", 1) X(MULI, "dsi", 1) X(SHLI, "dsu", 1) X(NEG, "ds-", 1) X(NOT, "ds-", 1)                    \
    X(WRAP, "ds-", 1)  /* the low bits of b as this type */                                                    \
    X(TRUNC, "ds-", 1)
/* One of each float type. FROM_INT / FROM_UINT: from a canonical integer; U only for u64. TO32, FROM32: f32 <->
 * type. */
#define TW__CSL_CODE_FLOAT(X)                                                                                  \
    X(FADD, "dss", 1) X(FSUB, "dss", 1) X(FMUL, "dss", 1) X(FDIV, "dss", 16) X(FNEG, "ds-", 1)                 \
    X(FEQ, "dss", 1) X(FNE, "dss", 1) X(FLT, "dss", 1) X(FLE, "dss", 1)                                        \
    X(FROM_INT, "ds-", 1) X(FROM_UINT, "ds-", 1) X(TO32, "ds-", 1) X(FROM32, "ds-", 1)
/* One of each memory type: base register and byte offset; fixed address; base register and element number. */
#define TW__CSL_CODE_MEM(X)                                                                                    \
    X(LD, "dsi", 1) X(ST, "ssi", 1) X(LDA, "dA.", 1) X(STA, "sA.", 1) X(LDX, "dss", 1) X(STX, "sss", 1)
// clang-format on

typedef enum tw__csl_op { /* TW__CSL_I_MOV, TW__CSL_I_ADD_U16, TW__CSL_I_FADD_F32, TW__CSL_I_LD_I16, ... */
#define TW__CSL_PLAIN(name, operands, cycles) TW__CSL_I_##name,
                          TW__CSL_CODE_PLAIN(TW__CSL_PLAIN)
#undef TW__CSL_PLAIN
#define TW__CSL_TYPED(name, operands, cycles)                                                     \
    TW__CSL_I_##name##_U8, TW__CSL_I_##name##_I8, TW__CSL_I_##name##_U16, TW__CSL_I_##name##_I16, \
        TW__CSL_I_##name##_U32, TW__CSL_I_##name##_I32, TW__CSL_I_##name##_U64, TW__CSL_I_##name##_I64,
                              TW__CSL_CODE_INT(TW__CSL_TYPED)
#undef TW__CSL_TYPED
#define TW__CSL_TYPED(name, operands, cycles) \
    TW__CSL_I_##name##_F32, TW__CSL_I_##name##_F16, TW__CSL_I_##name##_BF16, TW__CSL_I_##name##_CB16,
                                  TW__CSL_CODE_FLOAT(TW__CSL_TYPED)
#undef TW__CSL_TYPED
#define TW__CSL_TYPED(name, operands, cycles)                                                     \
    TW__CSL_I_##name##_U8, TW__CSL_I_##name##_I8, TW__CSL_I_##name##_U16, TW__CSL_I_##name##_I16, \
        TW__CSL_I_##name##_U32, TW__CSL_I_##name##_I32, TW__CSL_I_##name##_U64,
                                      TW__CSL_CODE_MEM(TW__CSL_TYPED)
#undef TW__CSL_TYPED
                                          TW__CSL_OPS
} tw__csl_op;

/* Offsets for computing a typed opcode: TW__CSL_I_ADD_U8 + TW__CSL_N_I16. */
enum {
    TW__CSL_N_U8,
    TW__CSL_N_I8,
    TW__CSL_N_U16,
    TW__CSL_N_I16,
    TW__CSL_N_U32,
    TW__CSL_N_I32,
    TW__CSL_N_U64,
    TW__CSL_N_I64
};
enum { TW__CSL_N_F32, TW__CSL_N_F16, TW__CSL_N_BF16, TW__CSL_N_CB16 };

typedef struct tw__csl_op_row {
    const char *name;       /* "add.u16" */
    const char operands[4]; /* as above */
    uint8_t cycles;
} tw__csl_op_row;
extern const tw__csl_op_row tw__csl_op_rows[TW__CSL_OPS];

typedef enum tw__csl_id_kind {                   /* what @block and @unblock name */
                               TW__CSL_ID_TASK,  /* local or data task id; WSE-2: also a color */
                               TW__CSL_ID_QUEUE, /* WSE-3: input queue */
                               TW__CSL_ID_UT,    /* WSE-3: microthread */
                               TW__CSL_ID_KINDS
} tw__csl_id_kind;

typedef enum tw__csl_trap {
    TW__CSL_TRAP_UNREACHABLE, /* code that analysis showed to be dead */
    TW__CSL_TRAP_NO_RETURN,   /* end of a function that should have returned a value */
    TW__CSL_TRAP_SWITCH,      /* no prong of a switch fits */
    TW__CSL_TRAPS
} tw__csl_trap;

/* One instruction as text, "add.u16 r4, r1, r2"; returns out. For listings and run-time errors. */
#define TW__CSL_INSN_TEXT 96
char *tw__csl_insn_text(char out[TW__CSL_INSN_TEXT], tw__csl_insn insn);

#endif
