// SPDX-License-Identifier: MIT
// Numbers of the aux pipeline, two hundred times: functions, sums, conversions, random bits; some results are subnormal.
.worker
.section .text.numbers
.globl numbers
.align 4
numbers:
  setzi $m0, 199
again:
  f32exp $a2, $a6
  f32mul $a3, $a2, $a1
  f32tanh $a4, $a3
  f32add $a0, $a4, $a0
  f32ln $a5, $a0
  f32sigm $a2, $a5
  f32oox $a3, $a0
  f32v2axpy $a2:3, $a0:1, $a2:3
  f32v2mul $a4:5, $a2:3, $a6:7
  f32v2add $a0:1, $a4:5, $a0:1
  f32mul $a7, $a7, $a1
  f32sub $a6, $a1, $a6
  f32v2tof16 $a4, $a2:3
  f16v2exp $a5, $a4
  f16v2add $a5, $a5, $a4
  f16v2mul $a5, $a5, $a4
  f16v2tof32 $a2:3, $a5
  urand32 $a4
  brnzdec $m0, again
  exitz $mzero
