/* SPDX-License-Identifier: MIT */
/* What needs a host: whoever runs the simulator sees trap 1 at the beginning of a function of one of these names, does
 * what it says, and goes on behind the trap (sim/serve.c). $m0 to $m3 and the stack are as at the call. */
.macro HOST name
  FUNCTION \name
    trap 1
    br $lr
  END \name
.endm
HOST printf
HOST puts
HOST putchar

FUNCTION __assert_fail
  trap 1
  trap 0
END __assert_fail
