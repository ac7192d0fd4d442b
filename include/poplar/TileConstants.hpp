// SPDX-License-Identifier: MIT
/* Constants of the tile as preprocessor macros, for C, C++ and assembly (guide 7.1, Colossus ISA, headers).
 * Host builds see the figures of Mk2. */
#ifndef POPLAR_TILE_CONSTANTS_HPP
#define POPLAR_TILE_CONSTANTS_HPP

/* Worker contexts */
#define CTXT_WORKERS 6

/* Elements that a convolution unit loads in a cycle, by their type */
#define CONV_UNIT_INPUT_LOAD_ELEMS_FLOAT 2
#define CONV_UNIT_INPUT_LOAD_ELEMS_HALF  4
#if defined(__IPU_ARCH_VERSION__) && __IPU_ARCH_VERSION__ == 21
#define CONV_UNIT_INPUT_LOAD_ELEMS_QUARTER 8
#endif

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

#define TMEM_REGION0_END_ADDR (TMEM_REGION0_BASE_ADDR + TMEM_REGION0_SIZE)
#define TMEM_REGION1_END_ADDR (TMEM_REGION1_BASE_ADDR + TMEM_REGION1_SIZE)

/* Sync zones */
#define TEXCH_SYNCZONE_RECV     0
#define TEXCH_SYNCZONE_ANS      1
#define TEXCH_SYNCZONE_LOCAL    2
#define TEXCH_SYNCZONE_INTERNAL 3
#define TEXCH_SYNCZONE_GS1      4
#define TEXCH_SYNCZONE_GS1H     5
#define TEXCH_SYNCZONE_GS2      6
#define TEXCH_SYNCZONE_GS2H     7

/* Control and status registers of both contexts */
#define CSR_C_PC__INDEX         0x00
#define CSR_C_DBG_DATA__INDEX   0x70
#define CSR_C_DBG_BRK_ID__INDEX 0x71

/* Worker registers. Indices from 256 on are reached by uget and uput, with the low eight bits. */
#define CSR_W_WSR__INDEX            1
#define CSR_W_WSR__CTXTID_M1__SHIFT 0
#define CSR_W_WSR__CTXTID_M1__MASK  7
#define CSR_W_WSR__ETYPE__SHIFT     4
#define CSR_W_WSR__ETYPE__MASK      0xF
#define CSR_W_WSR__ERPT__SHIFT      9
#define CSR_W_WSR__ERPT__MASK       1
#define CSR_W_VERTEX_BASE__INDEX    2
#define CSR_W_WORKER_BASE__INDEX    3
#define CSR_W_REPEAT_COUNT__INDEX   4
#define CSR_W_REPEAT_FIRST__INDEX   5
#define CSR_W_REPEAT_END__INDEX     6
#define CSR_W_COUNT_L__INDEX        0x60
#define CSR_W_COUNT_U__INDEX        0x61
#define CSR_W_FP_STS__INDEX         256
#define CSR_W_FP_CLR__INDEX         257
#define CSR_W_FP_CLR__INV__SHIFT    0
#define CSR_W_FP_CLR__INV__MASK     1
#define CSR_W_FP_CLR__DIV0__SHIFT   1
#define CSR_W_FP_CLR__DIV0__MASK    1
#define CSR_W_FP_CLR__OFLO__SHIFT   2
#define CSR_W_FP_CLR__OFLO__MASK    1
#define CSR_W_FP_CLR__ZAACC__SHIFT  3
#define CSR_W_FP_CLR__ZAACC__MASK   1
#define CSR_W_FP_CTL__INDEX         258
#define CSR_W_FP_CTL__INV__SHIFT    0
#define CSR_W_FP_CTL__INV__MASK     1
#define CSR_W_FP_CTL__DIV0__SHIFT   1
#define CSR_W_FP_CTL__DIV0__MASK    1
#define CSR_W_FP_CTL__OFLO__SHIFT   2
#define CSR_W_FP_CTL__OFLO__MASK    1
#define CSR_W_FP_CTL__RND__SHIFT    16
#define CSR_W_FP_CTL__RND__MASK     7
#define CSR_W_FP_CTL__ESR__SHIFT    19
#define CSR_W_FP_CTL__ESR__MASK     1
#define CSR_W_FP_CTL__NANOO__SHIFT  20
#define CSR_W_FP_CTL__NANOO__MASK   1
#define CSR_W_PRNG_0_0__INDEX       259
#define CSR_W_PRNG_0_1__INDEX       260
#define CSR_W_PRNG_1_0__INDEX       261
#define CSR_W_PRNG_1_1__INDEX       262
#define CSR_W_PRNG_SEED__INDEX      263
#define CSR_W_TAS__INDEX            264
#define CSR_W_FP_NFMT__INDEX        265
#define CSR_W_FP_SCL__INDEX         266
#define CSR_UPPER_MASK              0xFF

/* Supervisor registers */
#define CSR_S_SSR__INDEX            1
#define CSR_S_CR__INDEX             2
#define CSR_S_CR__LC_CLR__SHIFT     0
#define CSR_S_CR__LC_CLR__MASK      1
#define CSR_S_CR__LC_SET__SHIFT     1
#define CSR_S_CR__LC_SET__MASK      1
#define CSR_S_CR__ZCWEI__SHIFT      2
#define CSR_S_CR__ZCWEI__MASK       1
#define CSR_S_TILE_ID__INDEX        3
#define CSR_S_FP_ICTL__INDEX        0x20
#define CSR_S_FP_ICTL__INV__SHIFT   0
#define CSR_S_FP_ICTL__INV__MASK    1
#define CSR_S_FP_ICTL__DIV0__SHIFT  1
#define CSR_S_FP_ICTL__DIV0__MASK   1
#define CSR_S_FP_ICTL__OFLO__SHIFT  2
#define CSR_S_FP_ICTL__OFLO__MASK   1
#define CSR_S_FP_ICTL__RND__SHIFT   16
#define CSR_S_FP_ICTL__RND__MASK    7
#define CSR_S_FP_ICTL__ESR__SHIFT   19
#define CSR_S_FP_ICTL__ESR__MASK    1
#define CSR_S_FP_ICTL__NANOO__SHIFT 20
#define CSR_S_FP_ICTL__NANOO__MASK  1
#define CSR_S_WORKER0_BASE__INDEX   0x21
#define CSR_S_FP_INFMT__INDEX       0x31
#define CSR_S_FP_ISCL__INDEX        0x33
#define CSR_S_CCCSLOAD__INDEX       0x50
#define CSR_S_SCOUNT_L__INDEX       0x60
#define CSR_S_SCOUNT_U__INDEX       0x61
#define CSR_S_CTXT_STS__INDEX       0x72

/* Results of compare instructions */
#define TFPU_FP32_TRUE  0xFFFFFFFF
#define TFPU_FP32_FALSE 0
#define TFPU_FP16_TRUE  0xFFFF
#define TFPU_FP16_FALSE 0

/* Rounding modes: FP_CTL.RND, last operand of f32int */
#define TFPU_ROUND_NEAREST      0
#define TFPU_ROUND_POSINF       1
#define TFPU_ROUND_NEGINF       2
#define TFPU_ROUND_ZERO         3
#define TFPU_ROUND_NEAREST_AWAY 4

/* Last operand of the AMP instructions. The vendor's numbers are not public; these are the project's: phase in bits
 * 2:0, engines in bits 4:3 (0 four, 1 two, 2 one). */
#define TAMP_PHASE_MASK    7
#define TAMP_ENGINES_SHIFT 3
#define TAMP_F16V4_E4_P0   0
#define TAMP_F16V4_E4_P1   1
#define TAMP_F16V4_E4_P2   2
#define TAMP_F16V4_E4_P3   3
#define TAMP_F16V4_E2_P0   8
#define TAMP_F16V4_E2_P1   9
#define TAMP_F16V4_E1_P0   16
#define TAMP_F8V8_E4_P0    0
#define TAMP_F8V8_E4_P1    1
#define TAMP_F8V8_E4_P2    2
#define TAMP_F8V8_E4_P3    3
#define TAMP_F32_E4_P0     0
#define TAMP_F32_E4_P1     1
#define TAMP_F32_E4_P2     2
#define TAMP_F32_E4_P3     3
#define TAMP_F32_E4_P4     4
#define TAMP_F32_E4_P5     5
#define TAMP_F32_E4_P6     6
#define TAMP_F32_E4_P7     7
#define TAMP_F32_E2_P0     8
#define TAMP_F32_E2_P1     9
#define TAMP_F32_E2_P2     10
#define TAMP_F32_E2_P3     11
#define TAMP_F32_E1_P0     16
#define TAMP_F32_E1_P1     17
#define TAMP_F32_E1_P2     18

/* Last operand of the SLIC instructions, numbers of the project too: weight bank in bits 1:0, bit 2 = 1x3. */
#define TSLIC_F16V4_1x4_W0 0
#define TSLIC_F16V4_1x4_W1 1
#define TSLIC_F16V4_1x4_W2 2
#define TSLIC_F16V4_1x4_W3 3
#define TSLIC_F16V4_1x3_W0 4
#define TSLIC_F16V4_1x3_W1 5
#define TSLIC_F16V4_1x3_W2 6
#define TSLIC_F16V4_1x3_W3 7

/* Last operand of f16v4stacc and f16v4istacc */
#define TSTACC_P0  0
#define TSTACC_P1  1
#define TISTACC_P0 0
#define TISTACC_P1 1

#endif
