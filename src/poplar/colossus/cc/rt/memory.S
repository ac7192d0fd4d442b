/* SPDX-License-Identifier: MIT */
/* memcpy, memmove, memset and stores of less than a word. The chip stores 32 and 64 bits only: a byte or half is put
 * into its word, whose other bytes are written back as they were, so two workers must not store into one word at a
 * time (guide 3.3.1). Loads never touch a word that holds nothing of the source.
 *
 * Everywhere: $m0 the destination's next byte, $m1 the source's, $m2 bytes left. Supervisors have the main file only
 * and no repeat loops, so the macros take `kind`: worker or supervisor. */

/* The low byte of $m3, all else of it zero, to $m0. Spoils $m3 to $m6. */
.macro PUT_BYTE
  and $m4, $m0, 3
  shl $m4, $m4, 3
  shl $m3, $m3, $m4
  setzi $m5, 255
  shl $m5, $m5, $m4
  andc $m4, $m0, 3
  ld32 $m6, $m4, $mzero, 0
  andc $m6, $m6, $m5
  or $m6, $m6, $m3
  st32 $m6, $m4, $mzero, 0
.endm
.macro COPY_BYTE
  ldz8step $m3, $mzero, $m1+=, 1
  PUT_BYTE
  add $m0, $m0, 1
  add $m2, $m2, -1
.endm

/* $m3 times, at least once, the two or four main instructions; spoils $m3, of workers the loop's own register too. */
.macro REPEAT_TWO kind spoiled one:req two:req
  .ifc \kind, worker
1:  min \spoiled, $m3, 4095
  sub $m3, $m3, \spoiled
  .align 8
  { rpt \spoiled, 1
    fnop }
  { \one
    fnop }
  { \two
    fnop }
  brnz $m3, 1b
  .else
  add $m3, $m3, -1
1:  \one
  \two
  brnzdec $m3, 1b
  .endif
.endm

/* Words from a source that is off by one to three bytes: \combine makes a word of two that lie side by side. $m1 is
 * the address of the word that holds the next byte; \step 1 goes up, -1 down; $m4 is the word behind or before. */
.macro SHIFTED kind step combine first:req second:req
  add $m3, $m3, -1
1:  ld32step $m5, $mzero, $m1+=, \step
  \combine $m6, \first, \second
  st32step $m6, $mzero, $m0+=, \step
  mov $m4, $m5
  brnzdec $m3, 1b
.endm

.macro MEMCPY kind
1:  and $m3, $m0, 3                   /* bytes until the destination is a word's start */
  brz $m3, 2f
  brz $m2, 9f
  COPY_BYTE
  bri 1b
2:  shr $m3, $m2, 2
  brz $m3, 8f
  and $m4, $m1, 3
  brnz $m4, 5f
  .ifc \kind, worker
  xor $m4, $m0, $m1
  and $m4, $m4, 4
  brnz $m4, 4f
  and $m4, $m0, 4
  brz $m4, 3f
  ld32step $m4, $mzero, $m1+=, 1
  st32step $m4, $mzero, $m0+=, 1
  add $m2, $m2, -4
3:  shr $m3, $m2, 3
  brz $m3, 3f
  REPEAT_TWO worker, $m4, "ld64step $a0:1, $mzero, $m1+=, 1", "st64step $a0:1, $mzero, $m0+=, 1"
3:  and $m3, $m2, 4
  and $m2, $m2, 3
  brz $m3, 8f
  ld32step $m4, $mzero, $m1+=, 1
  st32step $m4, $mzero, $m0+=, 1
  bri 8f
4:
  .endif
  and $m2, $m2, 3
  REPEAT_TWO \kind, $m4, "ld32step $m5, $mzero, $m1+=, 1", "st32step $m5, $mzero, $m0+=, 1"
  bri 8f
5:  sub $m1, $m1, $m4
  and $m2, $m2, 3
  add $m5, $m4, -2
  ld32step $m4, $mzero, $m1+=, 1
  brz $m5, 6f
  brpos $m5, 7f
  SHIFTED \kind, 1, roll8r, $m4, $m5
  add $m1, $m1, -3
  bri 8f
6:  SHIFTED \kind, 1, roll16, $m4, $m5
  add $m1, $m1, -2
  bri 8f
7:  SHIFTED \kind, 1, roll8l, $m4, $m5
  add $m1, $m1, -1
8:  brz $m2, 9f
  COPY_BYTE
  bri 8b
9:
.endm

.worker
FUNCTION memcpy
  st32 $m0, $mworker_base, $mzero, 2
  MEMCPY worker
  ld32 $m0, $mworker_base, $mzero, 2
  br $lr
END memcpy

.supervisor
FUNCTION __supervisor_memcpy 8
  add $sp, $sp, -8
  st32 $m0, $sp, $mzero, 0
  MEMCPY supervisor
  ld32 $m0, $sp, $mzero, 0
  add $sp, $sp, 8
  br $lr
END __supervisor_memcpy

/* Down from the ends; $m0 comes to the destination's start. */
.macro MEMMOVE kind copy
  sub $m3, $m0, $m1
  cmpult $m3, $m3, $m2
  brz $m3, \copy                      /* the destination's start is not inside the source */
  add $m0, $m0, $m2
  add $m1, $m1, $m2
1:  and $m3, $m0, 3
  brz $m3, 2f
  brz $m2, 9f
  add $m0, $m0, -1
  add $m1, $m1, -1
  add $m2, $m2, -1
  ldz8 $m3, $m1, $mzero, 0
  PUT_BYTE
  bri 1b
2:  shr $m3, $m2, 2
  brz $m3, 8f
  and $m2, $m2, 3
  add $m0, $m0, -4
  and $m4, $m1, 3
  sub $m1, $m1, $m4
  brnz $m4, 5f
  add $m1, $m1, -4
  REPEAT_TWO \kind, $m4, "ld32step $m5, $mzero, $m1+=, -1", "st32step $m5, $mzero, $m0+=, -1"
  add $m1, $m1, 4
  bri 7f
5:  add $m5, $m4, -2
  ld32step $m4, $mzero, $m1+=, -1
  brz $m5, 6f
  brpos $m5, 3f
  SHIFTED \kind, -1, roll8r, $m5, $m4
  add $m1, $m1, 5
  bri 7f
6:  SHIFTED \kind, -1, roll16, $m5, $m4
  add $m1, $m1, 6
  bri 7f
3:  SHIFTED \kind, -1, roll8l, $m5, $m4
  add $m1, $m1, 7
7:  add $m0, $m0, 4
8:  brz $m2, 9f
  add $m0, $m0, -1
  add $m1, $m1, -1
  add $m2, $m2, -1
  ldz8 $m3, $m1, $mzero, 0
  PUT_BYTE
  bri 8b
9:  br $lr
.endm

.worker
FUNCTION memmove
  MEMMOVE worker, memcpy
END memmove

.supervisor
FUNCTION __supervisor_memmove 8
  MEMMOVE supervisor, __supervisor_memcpy
END __supervisor_memmove

/* $m1: the byte, four times */
.macro MEMSET kind
  and $m1, $m1, 255
  setzi $m3, 0x10101
  or $m3, $m3, 0x01000000
  mul $m1, $m1, $m3
1:  and $m3, $m0, 3
  brz $m3, 2f
  brz $m2, 9f
  and $m3, $m1, 255
  PUT_BYTE
  add $m0, $m0, 1
  add $m2, $m2, -1
  bri 1b
2:  shr $m3, $m2, 2
  brz $m3, 8f
  .ifc \kind, worker
  and $m4, $m0, 4
  brz $m4, 3f
  st32step $m1, $mzero, $m0+=, 1
  add $m2, $m2, -4
3:  shr $m3, $m2, 3
  brz $m3, 5f
  st32 $m1, $mworker_base, $mzero, 0
  ld32 $a0, $mworker_base, $mzero, 0
  mov $a1, $a0
4:  min $m4, $m3, 4095
  sub $m3, $m3, $m4
  .align 8
  { rpt $m4, 0
    fnop }
  { st64step $a0:1, $mzero, $m0+=, 1
    fnop }
  brnz $m3, 4b
5:  and $m3, $m2, 4
  brz $m3, 7f
  st32step $m1, $mzero, $m0+=, 1
  .else
  add $m3, $m3, -1
4:  st32step $m1, $mzero, $m0+=, 1
  brnzdec $m3, 4b
  .endif
7:  and $m2, $m2, 3
8:  brz $m2, 9f
  and $m3, $m1, 255
  PUT_BYTE
  add $m0, $m0, 1
  add $m2, $m2, -1
  bri 8b
9:
.endm

.worker
FUNCTION memset
  st32 $m0, $mworker_base, $mzero, 2
  MEMSET worker
  ld32 $m0, $mworker_base, $mzero, 2
  br $lr
END memset

.supervisor
FUNCTION __supervisor_memset 8
  add $sp, $sp, -8
  st32 $m0, $sp, $mzero, 0
  MEMSET supervisor
  ld32 $m0, $sp, $mzero, 0
  add $sp, $sp, 8
  br $lr
END __supervisor_memset

/* The rest needs neither file nor context. $m0 address, $m1 value; $m0 stays. */
FUNCTION __st8
  and $m3, $m1, 255
  PUT_BYTE
  br $lr
END __st8

/* The address is even. */
FUNCTION __st16
  andc $m4, $m0, 3
  ld32 $m5, $m4, $mzero, 0
  sub $m3, $m0, $m4
  sort4x16lo $m6, $m5, $m1            /* the upper half is the new one */
  brnz $m3, 1f
  roll16 $m6, $m5, $m1                /* [upper half, new one] */
  swap16 $m6, $m6
1:  st32 $m6, $m4, $mzero, 0
  br $lr
END __st16

FUNCTION memcmp
  or $m3, $m0, $m1
  and $m3, $m3, 3
  brnz $m3, 2f
1:  cmpult $m3, $m2, 4                /* words while they are equal */
  brnz $m3, 2f
  ld32 $m3, $m0, $mzero, 0
  ld32 $m4, $m1, $mzero, 0
  cmpeq $m3, $m3, $m4
  brz $m3, 2f
  add $m0, $m0, 4
  add $m1, $m1, 4
  add $m2, $m2, -4
  bri 1b
2:  brz $m2, 3f
  ldz8step $m3, $mzero, $m0+=, 1
  ldz8step $m4, $mzero, $m1+=, 1
  add $m2, $m2, -1
  sub $m5, $m3, $m4
  brz $m5, 2b
  mov $m0, $m5
  br $lr
3:  setzi $m0, 0
  br $lr
END memcmp

FUNCTION strlen
  mov $m1, $m0
  bri 2f
1:  ldz8step $m3, $mzero, $m1+=, 1
  brz $m3, 4f
2:  and $m3, $m1, 3
  brnz $m3, 1b
  setzi $m4, 0x10101
  or $m4, $m4, 0x01000000
  shl $m5, $m4, 7
3:  ld32step $m3, $mzero, $m1+=, 1    /* (w - 0x01010101) & ~w & 0x80808080 is not 0 where a byte is */
  sub $m6, $m3, $m4
  andc $m6, $m6, $m3
  and $m6, $m6, $m5
  brz $m6, 3b
  add $m1, $m1, -4
1:  ldz8step $m3, $mzero, $m1+=, 1
  brnz $m3, 1b
4:  sub $m0, $m1, $m0
  add $m0, $m0, -1
  br $lr
END strlen

/* What supervisors call it, without the function's own underscores. */
.macro SUPERVISOR_TOO name function
  .weak __supervisor_\name
  .type __supervisor_\name, @function
  .stack_total __supervisor_\name, 0
  __supervisor_\name = \function
.endm
SUPERVISOR_TOO st8, __st8
SUPERVISOR_TOO st16, __st16
SUPERVISOR_TOO memcmp, memcmp
SUPERVISOR_TOO strlen, strlen
