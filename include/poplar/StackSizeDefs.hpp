// SPDX-License-Identifier: MIT
/* Stack usage of functions whose stack the compiler cannot compute (guide 2.8.1 and 7.3.1).
 *
 *     DEF_STACK_USAGE(256, "fibonacci")           C and C++: total, the function and all it calls
 *     DEF_STACK_SIZE_OWN(32, "helper")            the function alone
 *     DEF_FUNC_CALL_PTRS("apply", "twice,thrice") functions that apply may call through pointers
 *
 * The host records them as strings in the section .stack_sizes_ipu, which is not loaded. In assembly they are macros
 * of the same names with `size name` as operands, where the name may be that of a section. */
#ifndef POPLAR_STACK_SIZE_DEFS_HPP
#define POPLAR_STACK_SIZE_DEFS_HPP

#ifdef __ASSEMBLER__
// clang-format off
.macro DEF_STACK_USAGE size name
  .stack_total \name, \size
.endm
.macro DEF_STACK_SIZE_OWN size name
  .stack_own \name, \size
.endm
.macro DEF_FUNC_CALL_PTRS name targets:vararg
  .stack_calls \name, \targets
.endm
#define FUNCTION_IS_WORKER "ax",@progbits
// clang-format on
#elif defined(TW__STACK_SCAN)
/* popc reads the notes out of the preprocessed source. */
// clang-format off
#define DEF_STACK_USAGE(size, name)       TW__stack_note total size , name ;
#define DEF_STACK_SIZE_OWN(size, name)    TW__stack_note own size , name ;
#define DEF_FUNC_CALL_PTRS(name, targets) TW__stack_note calls 0 , name , targets ;
// clang-format on
#elif defined(__IPU__)
/* The assembler's own directives. */
#define TW__STACK_TEXT_(x)                #x
#define TW__STACK_TEXT(x)                 TW__STACK_TEXT_(x)
#define DEF_STACK_USAGE(size, name)       __asm__(".stack_total " name ", " TW__STACK_TEXT(size) "\n");
#define DEF_STACK_SIZE_OWN(size, name)    __asm__(".stack_own " name ", " TW__STACK_TEXT(size) "\n");
#define DEF_FUNC_CALL_PTRS(name, targets) __asm__(".stack_calls " name ", " targets "\n");
#else
#define TW__STACK_TEXT_(x) #x
#define TW__STACK_TEXT(x)  TW__STACK_TEXT_(x)
#define TW__STACK_NOTE(text) \
    __asm__(".pushsection .stack_sizes_ipu,\"\",@progbits\n.asciz \"" text "\"\n.popsection\n");
#define DEF_STACK_USAGE(size, name)       TW__STACK_NOTE("total " name " " TW__STACK_TEXT(size))
#define DEF_STACK_SIZE_OWN(size, name)    TW__STACK_NOTE("own " name " " TW__STACK_TEXT(size))
#define DEF_FUNC_CALL_PTRS(name, targets) TW__STACK_NOTE("calls " name " " targets)
#endif

#endif
