// SPDX-License-Identifier: MIT
// Adds a pair of floats to every pair of a vector (Poplar user guide, 7.4), in four ways: one load, add and store after
// the other; the three stages at once with the load two or three pairs ahead of the store; the same with the
// accumulator as one of the stages, and with pipelines that are filled and drained for every length.

#include "poplar/StackSizeDefs.hpp"
#include "poplar/TileConstants.hpp"

.allow_optimizations             // pairs an rpt with fnop where its body would not lie on 8 bytes

#define data    m0              /* pairs, in memory */
#define count   m1              /* of them that are left */
#define repeats m2
#define ahead   m3              /* where the next pair is loaded from */
#define both    m4:5            /* both addresses */
#define scratch m6
#define low     a0:1
#define mid     a2:3
#define top     a4:5
#define bias    a6:7

// The entry of both instances of a class template, and what all of them begin with: five instructions.
.macro ENTRY name
.section .text.\name
.align 8
.globl __runCodelet_\name\()___false
.globl __runCodelet_\name\()___true
.type __runCodelet_\name\()___false, @function
.type __runCodelet_\name\()___true, @function
DEF_STACK_USAGE 0 .text.\name
.worker
__runCodelet_\name\()___false:
__runCodelet_\name\()___true:
  ld32 $data, $mvertex_base, $mzero, 0
  ld32 $count, $mvertex_base, $mzero, 1
  ld32 $a6, $mvertex_base, $mzero, 2
  ld32 $a7, $mvertex_base, $mzero, 3
  shr $count, $count, 1
.endm

.macro LEAVE name
.size __runCodelet_\name\()___false, . - __runCodelet_\name\()___false
.size __runCodelet_\name\()___true, . - __runCodelet_\name\()___true
.endm

// $count pairs from $data on, one after the other.
.macro ONE_BY_ONE
  rpt $count, (2f - 1f)/8 - 1
1:
  {
    ld64 $low, $mzero, $data, 0
    fnop
  }
  {
    nop
    f32v2add $low, $low, $bias
  }
  {
    st64step $low, $mzero, $data+=, 1
    fnop
  }
2:
.endm

ENTRY AddPlain
  ONE_BY_ONE
  exitz $mzero
LEAVE AddPlain

// The loop of the guide whose load is 16 bytes ahead of its store: both are in one bank, in either region.
ENTRY AddPace16
  ld64 $low, $data, $mzero, 0
  {
    ld64 $mid, $data, $mzero, 1
    f32v2add $low, $low, $bias
  }
  add $ahead, $data, 16
  tapack $both, $ahead, $mzero, $data
  shr $repeats, $count, 1
  add $repeats, $repeats, -1
  rpt $repeats, (2f - 1f)/8 - 1
1:
  {
    ldst64pace $low, $low, $both+=, $mzero, 0
    f32v2add $mid, $mid, $bias
  }
  {
    ldst64pace $mid, $mid, $both+=, $mzero, 0
    f32v2add $low, $low, $bias
  }
2:
  {
    st64pace $low, $both+=, $mzero, 0
    f32v2add $mid, $mid, $bias
  }
  st64pace $mid, $both+=, $mzero, 0
  exitz $mzero
LEAVE AddPace16

// Three registers: the load is 24 bytes ahead, which interleaved memory serves at once. Three pairs a round; up to two
// that are left go one by one.
ENTRY AddPace24
  cmpult $scratch, $count, 3
  brnz $scratch, 3f
  ld64step $low, $mzero, $data+=, 1
  {
    ld64step $mid, $mzero, $data+=, 1
    f32v2add $low, $low, $bias
  }
  {
    ld64step $top, $mzero, $data+=, 1
    f32v2add $mid, $mid, $bias
  }
  add $ahead, $data, -24
  tapack $both, $data, $mzero, $ahead
  setzi $repeats, 0x5556              // count / 3, below 32,768
  mul $repeats, $repeats, $count
  shr $repeats, $repeats, 16
  mul $scratch, $repeats, 3
  sub $count, $count, $scratch        // those that are left
  add $repeats, $repeats, -1
  mul $scratch, $repeats, 24
  add $data, $data, $scratch          // the first of them
  rpt $repeats, (2f - 1f)/8 - 1
1:
  {
    ldst64pace $low, $low, $both+=, $mzero, 0
    f32v2add $top, $top, $bias
  }
  {
    ldst64pace $mid, $mid, $both+=, $mzero, 0
    f32v2add $low, $low, $bias
  }
  {
    ldst64pace $top, $top, $both+=, $mzero, 0
    f32v2add $mid, $mid, $bias
  }
2:
  {
    st64pace $low, $both+=, $mzero, 0
    f32v2add $top, $top, $bias
  }
  st64pace $mid, $both+=, $mzero, 0
  st64pace $top, $both+=, $mzero, 0
3:
  ONE_BY_ONE
  exitz $mzero
LEAVE AddPace24

// f32v2axpy gives the sum of the turn before: the accumulator is a stage, and two registers are enough. Two pairs a
// round. The repeat count is (count - 2) / 2: one more would write two pairs behind the end.
ENTRY AddAxpy
  cmpult $scratch, $count, 2
  brnz $scratch, 3f
  or $a0, $azero, 0x3f800000          // 1.0f
  uput $TAS, $a0
  mov $ahead, $data
  ld64step $low, $mzero, $ahead+=, 1
  {
    ld64step $mid, $mzero, $ahead+=, 1
    f32v2axpy $azeros, $low, $bias
  }
  {
    ld64step $low, $mzero, $ahead+=, 1 // reads on behind a vector of two pairs, and leaves that alone
    f32v2axpy $mid, $mid, $bias
  }
  tapack $both, $ahead, $mzero, $data
  add $repeats, $count, -2
  shr $repeats, $repeats, 1
  rpt $repeats, (2f - 1f)/8 - 1
1:
  {
    ldst64pace $mid, $mid, $both+=, $mzero, 0
    f32v2axpy $low, $low, $bias
  }
  {
    ldst64pace $low, $low, $both+=, $mzero, 0
    f32v2axpy $mid, $mid, $bias
  }
2:
  and $scratch, $count, 1
  brnz $scratch, 1f
  {
    st64pace $mid, $both+=, $mzero, 0
    f32v2axpy $low, $azeros, $azeros
  }
  st64pace $low, $both+=, $mzero, 0
  exitz $mzero
1:
  {
    st64pace $mid, $both+=, $mzero, 0
    f32v2axpy $low, $low, $bias
  }
  {
    st64pace $low, $both+=, $mzero, 0
    f32v2axpy $mid, $azeros, $azeros
  }
  st64pace $mid, $both+=, $mzero, 0
  exitz $mzero
3:
  ONE_BY_ONE
  exitz $mzero
LEAVE AddAxpy
