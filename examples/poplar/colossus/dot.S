// SPDX-License-Identifier: MIT
// Eight inner products of sixteen halves at a time (matrix units, AMP): every instruction multiplies four halves of x
// with four weights of each of eight rows and adds. Results of one vector leave the accumulators while the next one
// goes in, so that a last round of zeros pushes out the last of them.

#include "poplar/StackSizeDefs.hpp"
#include "poplar/TileConstants.hpp"

// --- supervisor: $m0 is the vertex state, $lr where to go back to ---------------------------------------------------

#define state   m0
#define weights m1
#define entry   m2

.section .text.__runCodelet_AmpDot
.align 4
.globl __runCodelet_AmpDot
.type __runCodelet_AmpDot, @function
DEF_STACK_USAGE 0 __runCodelet_AmpDot
.supervisor
__runCodelet_AmpDot:
  ld32 $weights, $state, $mzero, 0
  put CSR_S_CCCSLOAD__INDEX, $weights
// Row `unit` of the weights is four words, one for each phase: word 4 * unit + phase.
.irp unit, 0, 1, 2, 3, 4, 5, 6, 7
  ld64putcs 4 * \unit + 0
  ld64putcs 4 * \unit + 1
  ld64putcs 4 * \unit + 2
  ld64putcs 4 * \unit + 3
.endr
  setzi $entry, amp_dot_worker
  runall $entry, $state, 0
  sync TEXCH_SYNCZONE_LOCAL
  br $lr
.size __runCodelet_AmpDot, . - __runCodelet_AmpDot

// --- worker: worker w takes the vectors w, w + 6, ... ---------------------------------------------------------------

#define x       m0
#define y       m1
#define left    m2              /* vectors of this worker */
#define id      m3              /* of the worker */
#define scratch m4
#define halves  a0:1            /* of x */
#define result  a2:3

.section .text.amp_dot_worker
.align 4
.type amp_dot_worker, @function
DEF_STACK_USAGE 0 amp_dot_worker
.worker
amp_dot_worker:
  get $id, $WSR
  and $id, $id, CSR_W_WSR__CTXTID_M1__MASK
  ld32 $x, $mvertex_base, $mzero, 1
  ld32 $y, $mvertex_base, $mzero, 2
  ld32 $left, $mvertex_base, $mzero, 3
  cmpult $scratch, $id, $left
  brz $scratch, 3f
  sub $left, $left, $id
  add $left, $left, 5
  setzi $scratch, 0xaaab
  mul $left, $left, $scratch
  shr $left, $left, 18            // vectors from this one on, a sixth of them, rounded up
  shl $scratch, $id, 5        // 32 bytes of x, 32 of y each
  add $x, $x, $scratch
  add $y, $y, $scratch
  setzi $a0, 1 << CSR_W_FP_CLR__ZAACC__SHIFT
  uput $FP_CLR, $a0

// The first vector: what comes out is what was there before, zeros.
  ld64step $halves, $mzero, $x+=, 1
  {
    ld64step $halves, $mzero, $x+=, 1
    f16v4sisoamp $azeros, $halves, $azeros, TAMP_F16V4_E4_P0
  }
  {
    ld64step $halves, $mzero, $x+=, 1
    f16v4sisoamp $azeros, $halves, $azeros, TAMP_F16V4_E4_P1
  }
  {
    ld64step $halves, $mzero, $x+=, 21 // to the next of its own: 6 * 32 bytes from the first
    f16v4sisoamp $azeros, $halves, $azeros, TAMP_F16V4_E4_P2
  }
  f16v4sisoamp $azeros, $halves, $azeros, TAMP_F16V4_E4_P3
  add $left, $left, -1
  brz $left, 2f
  add $left, $left, -1
1:
  ld64step $halves, $mzero, $x+=, 1
  {
    ld64step $halves, $mzero, $x+=, 1
    f16v4sisoamp $result, $halves, $azeros, TAMP_F16V4_E4_P0
  }
  st64step $result, $mzero, $y+=, 1
  {
    ld64step $halves, $mzero, $x+=, 1
    f16v4sisoamp $result, $halves, $azeros, TAMP_F16V4_E4_P1
  }
  st64step $result, $mzero, $y+=, 1
  {
    ld64step $halves, $mzero, $x+=, 21
    f16v4sisoamp $result, $halves, $azeros, TAMP_F16V4_E4_P2
  }
  st64step $result, $mzero, $y+=, 1
  f16v4sisoamp $result, $halves, $azeros, TAMP_F16V4_E4_P3
  st64step $result, $mzero, $y+=, 21
  brnzdec $left, 1b
2:
.irp phase, TAMP_F16V4_E4_P0, TAMP_F16V4_E4_P1, TAMP_F16V4_E4_P2, TAMP_F16V4_E4_P3
  f16v4sisoamp $result, $azeros, $azeros, \phase
  st64step $result, $mzero, $y+=, 1
.endr
3:
  exitz $mzero
.size amp_dot_worker, . - amp_dot_worker
