/* Constants of the tile as preprocessor macros, for C, C++ and assembly (guide 7.1, spec colossus-isa.md 13.6).
 * Host builds see the figures of Mk2. */
#ifndef POPLAR_TILE_CONSTANTS_HPP
#define POPLAR_TILE_CONSTANTS_HPP

/* Worker contexts */
#define CTXT_WORKERS 6

/* Tile memory, bytes */
#if defined(__IPU_ARCH_VERSION__) && __IPU_ARCH_VERSION__ == 1
#define TMEM_REGION0_BASE_ADDR          0x40000
#define TMEM_REGION0_SIZE               0x20000
#define TMEM_REGION1_BASE_ADDR          0x60000
#define TMEM_REGION1_SIZE               0x20000
#define CSR_W_REPEAT_COUNT__VALUE__MASK 0xFFF
#else
#define TMEM_REGION0_BASE_ADDR          0x4C000
#define TMEM_REGION0_SIZE               0x34000
#define TMEM_REGION1_BASE_ADDR          0x80000
#define TMEM_REGION1_SIZE               0x68000
#define CSR_W_REPEAT_COUNT__VALUE__MASK 0xFFFF
#endif
#define TMEM_ELEMSIZE               0x4000
#define TMEM_BYTE_MAX_ADDRESS_WIDTH 21
#define TMEM_FULL_ADDRESS_MASK      0x1FFFFF

/* Exchange */
#define TEXCH_SYNCZONE_LOCAL 2

/* Worker control and status registers */
#define CSR_W_WSR__INDEX            1
#define CSR_W_WSR__CTXTID_M1__SHIFT 0
#define CSR_W_WSR__CTXTID_M1__MASK  7
#define CSR_W_VERTEX_BASE__INDEX    2
#define CSR_W_WORKER_BASE__INDEX    3
#define CSR_W_REPEAT_COUNT__INDEX   4
#define CSR_W_FP_STS__INDEX         256
#define CSR_W_FP_CLR__INDEX         257
#define CSR_W_FP_CLR__ZAACC__SHIFT  3
#define CSR_W_FP_CLR__ZAACC__MASK   1
#define CSR_W_FP_CTL__INDEX         258
#define CSR_W_PRNG_0_0__INDEX       259
#define CSR_W_PRNG_0_1__INDEX       260
#define CSR_W_PRNG_1_0__INDEX       261
#define CSR_W_PRNG_1_1__INDEX       262
#define CSR_W_PRNG_SEED__INDEX      263
#define CSR_W_TAS__INDEX            264
#define CSR_W_FP_NFMT__INDEX        265
#define CSR_W_FP_SCL__INDEX         266
/* Indices from here on are "upper": reached by uput and uget with the low bits only. */
#define CSR_UPPER_MASK 0xFF

/* Supervisor control and status registers */
#define CSR_S_TILE_ID__INDEX        3
#define CSR_S_FP_ICTL__INDEX        0x20
#define CSR_S_FP_ICTL__INV__SHIFT   0
#define CSR_S_FP_ICTL__INV__MASK    1
#define CSR_S_FP_ICTL__DIV0__SHIFT  1
#define CSR_S_FP_ICTL__DIV0__MASK   1
#define CSR_S_FP_ICTL__OFLO__SHIFT  2
#define CSR_S_FP_ICTL__OFLO__MASK   1
#define CSR_S_FP_ICTL__ESR__SHIFT   19
#define CSR_S_FP_ICTL__ESR__MASK    1
#define CSR_S_FP_ICTL__NANOO__SHIFT 20
#define CSR_S_FP_ICTL__NANOO__MASK  1
#define CSR_S_FP_INFMT__INDEX       0x31
#define CSR_S_FP_ISCL__INDEX        0x33
#define CSR_S_CCCSLOAD__INDEX       0x50

/* Results of compare instructions */
#define TFPU_FP32_TRUE  0xFFFFFFFF
#define TFPU_FP32_FALSE 0
#define TFPU_FP16_TRUE  0xFFFF
#define TFPU_FP16_FALSE 0

/* Rounding modes, FP_CTL.RND */
#define TFPU_ROUND_NEAREST    0
#define TFPU_ROUND_ZERO       1
#define TFPU_ROUND_POSINF     2
#define TFPU_ROUND_NEGINF     3
#define TFPU_ROUND_STOCHASTIC 4

#endif
