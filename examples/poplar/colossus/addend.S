// Adds a pair of floats to every pair of a vector (Poplar user guide, 7.4), in four ways: one load, add and store after
// the other; the three stages at once with the load two or three pairs ahead of the store; the same with the
// accumulator as one of the stages, and with pipelines that are filled and drained for every length.

#include "poplar/StackSizeDefs.hpp"
#include "poplar/TileConstants.hpp"

.allow_optimizations             // pairs an rpt with fnop where its body would not lie on 8 bytes

#define acts    m0              /* pairs, in memory */
#define count   m1              /* of them that are left */
#define repeats m2
#define ahead   m3              /* where the next pair is loaded from */
#define packed  m4:5            /* both addresses */
#define scratch m6
#define tmp0    a0:1
#define tmp1    a2:3
#define tmp2    a4:5
#define addend  a6:7

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
  ld32 $acts, $mvertex_base, $mzero, 0
  ld32 $count, $mvertex_base, $mzero, 1
  ld32 $a6, $mvertex_base, $mzero, 2
  ld32 $a7, $mvertex_base, $mzero, 3
  shr $count, $count, 1
.endm

.macro LEAVE name
.size __runCodelet_\name\()___false, . - __runCodelet_\name\()___false
.size __runCodelet_\name\()___true, . - __runCodelet_\name\()___true
.endm

// $count pairs from $acts on, one after the other.
.macro ONE_BY_ONE
  rpt $count, (2f - 1f)/8 - 1
1:
  {
    ld64 $tmp0, $mzero, $acts, 0
    fnop
  }
  {
    nop
    f32v2add $tmp0, $tmp0, $addend
  }
  {
    st64step $tmp0, $mzero, $acts+=, 1
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
  ld64 $tmp0, $acts, $mzero, 0
  {
    ld64 $tmp1, $acts, $mzero, 1
    f32v2add $tmp0, $tmp0, $addend
  }
  add $ahead, $acts, 16
  tapack $packed, $ahead, $mzero, $acts
  shr $repeats, $count, 1
  add $repeats, $repeats, -1
  rpt $repeats, (2f - 1f)/8 - 1
1:
  {
    ldst64pace $tmp0, $tmp0, $packed+=, $mzero, 0
    f32v2add $tmp1, $tmp1, $addend
  }
  {
    ldst64pace $tmp1, $tmp1, $packed+=, $mzero, 0
    f32v2add $tmp0, $tmp0, $addend
  }
2:
  {
    st64pace $tmp0, $packed+=, $mzero, 0
    f32v2add $tmp1, $tmp1, $addend
  }
  st64pace $tmp1, $packed+=, $mzero, 0
  exitz $mzero
LEAVE AddPace16

// Three registers: the load is 24 bytes ahead, which interleaved memory serves at once. Three pairs a round; up to two
// that are left go one by one.
ENTRY AddPace24
  cmpult $scratch, $count, 3
  brnz $scratch, 3f
  ld64step $tmp0, $mzero, $acts+=, 1
  {
    ld64step $tmp1, $mzero, $acts+=, 1
    f32v2add $tmp0, $tmp0, $addend
  }
  {
    ld64step $tmp2, $mzero, $acts+=, 1
    f32v2add $tmp1, $tmp1, $addend
  }
  add $ahead, $acts, -24
  tapack $packed, $acts, $mzero, $ahead
  setzi $repeats, 0x5556              // count / 3, below 32,768
  mul $repeats, $repeats, $count
  shr $repeats, $repeats, 16
  mul $scratch, $repeats, 3
  sub $count, $count, $scratch        // those that are left
  add $repeats, $repeats, -1
  mul $scratch, $repeats, 24
  add $acts, $acts, $scratch          // the first of them
  rpt $repeats, (2f - 1f)/8 - 1
1:
  {
    ldst64pace $tmp0, $tmp0, $packed+=, $mzero, 0
    f32v2add $tmp2, $tmp2, $addend
  }
  {
    ldst64pace $tmp1, $tmp1, $packed+=, $mzero, 0
    f32v2add $tmp0, $tmp0, $addend
  }
  {
    ldst64pace $tmp2, $tmp2, $packed+=, $mzero, 0
    f32v2add $tmp1, $tmp1, $addend
  }
2:
  {
    st64pace $tmp0, $packed+=, $mzero, 0
    f32v2add $tmp2, $tmp2, $addend
  }
  st64pace $tmp1, $packed+=, $mzero, 0
  st64pace $tmp2, $packed+=, $mzero, 0
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
  mov $ahead, $acts
  ld64step $tmp0, $mzero, $ahead+=, 1
  {
    ld64step $tmp1, $mzero, $ahead+=, 1
    f32v2axpy $azeros, $tmp0, $addend
  }
  {
    ld64step $tmp0, $mzero, $ahead+=, 1 // reads on behind a vector of two pairs, and leaves that alone
    f32v2axpy $tmp1, $tmp1, $addend
  }
  tapack $packed, $ahead, $mzero, $acts
  add $repeats, $count, -2
  shr $repeats, $repeats, 1
  rpt $repeats, (2f - 1f)/8 - 1
1:
  {
    ldst64pace $tmp1, $tmp1, $packed+=, $mzero, 0
    f32v2axpy $tmp0, $tmp0, $addend
  }
  {
    ldst64pace $tmp0, $tmp0, $packed+=, $mzero, 0
    f32v2axpy $tmp1, $tmp1, $addend
  }
2:
  and $scratch, $count, 1
  brnz $scratch, 1f
  {
    st64pace $tmp1, $packed+=, $mzero, 0
    f32v2axpy $tmp0, $azeros, $azeros
  }
  st64pace $tmp0, $packed+=, $mzero, 0
  exitz $mzero
1:
  {
    st64pace $tmp1, $packed+=, $mzero, 0
    f32v2axpy $tmp0, $tmp0, $addend
  }
  {
    st64pace $tmp0, $packed+=, $mzero, 0
    f32v2axpy $tmp1, $azeros, $azeros
  }
  st64pace $tmp1, $packed+=, $mzero, 0
  exitz $mzero
3:
  ONE_BY_ONE
  exitz $mzero
LEAVE AddAxpy
