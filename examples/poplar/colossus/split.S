// SPDX-License-Identifier: MIT
// Squares of integers by six workers (Poplar user guide, 7.1.1 and 7.5.3): each works out which run of elements is
// its own. The number of the worker is added, so that a result shows who wrote it.

#include "poplar/StackSizeDefs.hpp"
#include "poplar/TileConstants.hpp"

#define in        m0
#define out       m1
#define count     m2            /* of all, then of this worker */
#define id        m3            /* of the worker */
#define remainder m4
#define begin     m5
#define scratch   m6
#define value     m7

.macro ENTRY name
.section .text.__runCodelet_\name
.align 4
.globl __runCodelet_\name
.type __runCodelet_\name, @function
DEF_STACK_USAGE 0 __runCodelet_\name
.worker
__runCodelet_\name:
  get $id, $WSR
  and $id, $id, CSR_W_WSR__CTXTID_M1__MASK
.endm

// From quotient ($count) and $remainder: elements and first element of this worker; the first `remainder` workers have
// one more than the others.
.macro OWN_SHARE
  mul $begin, $count, $id
  min $scratch, $id, $remainder
  add $begin, $begin, $scratch
  cmpult $scratch, $id, $remainder
  add $count, $count, $scratch
.endm

// The elements from $begin on.
.macro SQUARES name
  shl $begin, $begin, 2
  add $in, $in, $begin
  add $out, $out, $begin
  brz $count, 2f
  add $count, $count, -1          // brnzdec looks before it counts
1:
  ld32step $value, $mzero, $in+=, 1
  mul $value, $value, $value
  add $value, $value, $id
  st32step $value, $mzero, $out+=, 1
  brnzdec $count, 1b
2:
  exitz $mzero
.size __runCodelet_\name, . - __runCodelet_\name
.endm

ENTRY SquareByTile
  ld32 $in, $mvertex_base, $mzero, 0
  ld32 $out, $mvertex_base, $mzero, 1
  ld32 $count, $mvertex_base, $mzero, 2
  setzi $scratch, 0xaaab          // n / 6 = n * 0xaaab >> 18, below 98,304
  mul $scratch, $scratch, $count
  shr $scratch, $scratch, 18
  mul $remainder, $scratch, 6
  sub $remainder, $count, $remainder
  mov $count, $scratch
  OWN_SHARE
  SQUARES SquareByTile

ENTRY SquareByHost
  ld32 $in, $mvertex_base, $mzero, 0
  ld32 $out, $mvertex_base, $mzero, 1
  ldz16 $count, $mvertex_base, $mzero, 4
  and $remainder, $count, 0x7
  shr $count, $count, 3
  OWN_SHARE
  SQUARES SquareByHost
