/* SPDX-License-Identifier: MIT */
/* 32-bit division. The chip has none: a quotient of floats is the estimate.
 *
 * With R = C / (float)d and C = 1 - 2^-20, (float)n R is below n / d whatever the four roundings do, and by less
 * than 1.6e-6 n / d. Its integer part q is therefore at most the quotient, and the rest n - q d is below d + 6600
 * and not negative. The same step on the rest leaves less than 2 d, a comparison the rest.
 *
 * Quotient in $m0 and remainder in $m1 from all four worker functions but the remainder's own, which have it in $m0.
 * A divisor of 0 is a division of floats by zero: an exception where those are on, else any result. */
.worker

/* $m2 = $m0 / $m1, $m0 = $m0 % $m1, unsigned. Spoils $m3 and $a0 to $a2. */
.macro DIVIDE
  st32 $m1, $mworker_base, $mzero, 0
  { ld32 $a1, $mworker_base, $mzero, 0
    setzi $a2, 0xffff0 }
  { st32 $m0, $mworker_base, $mzero, 0
    f32fromui32 $a1, $a1 }
  { ld32 $a0, $mworker_base, $mzero, 0
    or $a2, $a2, 0x3f700000 }
  f32div $a2, $a2, $a1
  f32fromui32 $a0, $a0
  f32mul $a0, $a0, $a2
  f32int $a0, $a0, 3
  f32toui32 $a0, $a0
  atom $m2, $a0
  mul $m3, $m2, $m1
  sub $m0, $m0, $m3
  cmpult $m3, $m0, $m1
  brnz $m3, 1f
  st32 $m0, $mworker_base, $mzero, 0
  ld32 $a0, $mworker_base, $mzero, 0
  f32fromui32 $a0, $a0
  f32mul $a0, $a0, $a2
  f32int $a0, $a0, 3
  f32toui32 $a0, $a0
  atom $m3, $a0
  add $m2, $m2, $m3
  mul $m3, $m3, $m1
  sub $m0, $m0, $m3
  cmpult $m3, $m0, $m1
  brnz $m3, 1f
  add $m2, $m2, 1
  sub $m0, $m0, $m1
1:
.endm

/* $m0 and $m1 to their magnitudes; $m4 and $m5 become -1 for negative ones, else 0. */
.macro MAGNITUDES
  shrs $m4, $m0, 31
  shrs $m5, $m1, 31
  xor $m0, $m0, $m4
  xor $m1, $m1, $m5
  sub $m0, $m0, $m4
  sub $m1, $m1, $m5
.endm
/* \value = -\value where \sign is -1 */
.macro SIGNED value sign
  xor \value, \value, \sign
  sub \value, \value, \sign
.endm

FUNCTION __udivsi3
  DIVIDE
  mov $m1, $m0
  mov $m0, $m2
  br $lr
END __udivsi3

FUNCTION __umodsi3
  DIVIDE
  br $lr
END __umodsi3

FUNCTION __divsi3
  MAGNITUDES
  DIVIDE
  mov $m1, $m0
  SIGNED $m1, $m4
  xor $m4, $m4, $m5
  mov $m0, $m2
  SIGNED $m0, $m4
  br $lr
END __divsi3

FUNCTION __modsi3
  MAGNITUDES
  DIVIDE
  SIGNED $m0, $m4
  br $lr
END __modsi3

/* The supervisor has no floats: shift and subtract, as many rounds as the quotient has bits. $m2 = $m0 / $m1, $m0 =
 * $m0 % $m1; spoils $m1, $m3 and $m6. A divisor of 0 gives the quotient 0. */
.supervisor
.macro SUPERVISOR_DIVIDE
  setzi $m2, 0
  brz $m1, 2f
  cmpult $m3, $m0, $m1
  brnz $m3, 2f
  clz $m3, $m1
  clz $m6, $m0
  sub $m6, $m3, $m6
  shl $m1, $m1, $m6
1:
  cmpult $m3, $m0, $m1
  add $m2, $m2, $m2
  add $m2, $m2, 1
  sub $m2, $m2, $m3
  add $m3, $m3, -1
  and $m3, $m3, $m1
  sub $m0, $m0, $m3
  shr $m1, $m1, 1
  brnzdec $m6, 1b
2:
.endm

FUNCTION __supervisor_udivsi3
  SUPERVISOR_DIVIDE
  mov $m1, $m0
  mov $m0, $m2
  br $lr
END __supervisor_udivsi3

FUNCTION __supervisor_umodsi3
  SUPERVISOR_DIVIDE
  br $lr
END __supervisor_umodsi3

FUNCTION __supervisor_divsi3
  MAGNITUDES
  SUPERVISOR_DIVIDE
  mov $m1, $m0
  SIGNED $m1, $m4
  xor $m4, $m4, $m5
  mov $m0, $m2
  SIGNED $m0, $m4
  br $lr
END __supervisor_divsi3

FUNCTION __supervisor_modsi3
  MAGNITUDES
  SUPERVISOR_DIVIDE
  SIGNED $m0, $m4
  br $lr
END __supervisor_modsi3
