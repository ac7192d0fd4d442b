/* SPDX-License-Identifier: MIT */
/* In front of the runtime library's assembly, all of which becomes one text without a preprocessor: a section for
 * each function, so that the linker takes what is called, and weak symbols, so that a program may have its own
 * memcpy. Arguments and results as in chapter 10.3 of the guide; what is spoiled beyond them is $m3 to $m6 and $a0
 * to $a5. */
.macro FUNCTION name stack=0
  .weak \name
  .type \name, @function
  .section .text.\name, "ax", @progbits
  .align 8
  .stack_total \name, \stack
\name:
.endm
.macro END name
  .size \name, . - \name
.endm
