/* SPDX-License-Identifier: MIT */
/* What the tests hold the simulator against: instructions written again from the specification, by mnemonic, on
 * numbers that are exact (an integer of 128 bits and a power of two) until they are rounded bit by bit. */
#ifndef REF_SIM_H
#define REF_SIM_H

#include <stdbool.h>
#include <stdint.h>
#include <tilewright/poplar/colossus/isa.h>

enum { REF_WINDOW = 0x81000, REF_WINDOW_BYTES = 4096 };

typedef struct ref_state {
    uint32_t m[16], a[16];
    float e[16], o[16]; /* accumulators */
    uint64_t weights[64], prng[2];
    uint32_t tas, fp_ctl, fp_sts, nfmt, scl, infmt, iscl;
    bool denormals;
    uint8_t memory[REF_WINDOW_BYTES];
} ref_state;

/* Runs one instruction; false when it has no reference. */
bool ref_execute(ref_state *s, const tw_insn *insn);

typedef struct ref_number {
    __int128 m;
    int e;
} ref_number;
ref_number ref_of(double v);
ref_number ref_add(ref_number x, ref_number y);
ref_number ref_mul(ref_number x, ref_number y);
/* To `bits` of significand, with a last place of at least 2^least; mode as FP_CTL.RND. */
double ref_round(ref_number n, int bits, int least, unsigned mode);
uint64_t ref_random(uint64_t prng[2]);
double ref_half(uint32_t h);
float ref_float(uint32_t bits);

#endif
