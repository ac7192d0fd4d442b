/* SPDX-License-Identifier: MIT */
/* Macros, tags and constants that the vendor's compiler brings along. Hints have no effect on results. */
#ifndef TILEWRIGHT_AIE_VENDOR_MACROS_H
#define TILEWRIGHT_AIE_VENDOR_MACROS_H

#include <tilewright/aie/detail/vendor_adf.h>

/* First generation; a model version from 12500 on says that compound banks and vector float conversions exist. */
#ifndef __AIE_ARCH__
#define __AIE_ARCH__ 10
#endif
#if __AIE_ARCH__ != 10
#error "Tilewright models the first AI Engine generation alone: __AIE_ARCH__ has to be 10"
#endif
#ifndef __AIE_MODEL_VERSION__
#define __AIE_MODEL_VERSION__ 12500
#endif
#define AIE_VECTOR_LDST_ALIGN 16

/* Of the compiler. */
#define chess_manifest(x)  (x)
#define chess_const(x)     (x)
#define chess_copy(x)      (x)
#define chess_dont_care(T) (T())
#define __aie_copy(x)      (x)
#define chess_allocate(...)
/* Hints on loops. With TW_AIE_COST they are marks in the loop's body, for tw_aie_cost(), which takes them away. */
#ifdef TW_AIE_COST
extern "C" {
void tw__aie_hint_pipeline(long) noexcept;
void tw__aie_hint_least(long turns) noexcept;
void tw__aie_hint_flatten(long) noexcept;
void tw__aie_hint_unroll(long copies) noexcept; /* 0: all */
}
/* chess_unroll_loop(4), (*) and (): 4 + an array is a pointer, * + an array its first element. */
__attribute__((unused)) static constexpr char tw__aie_turns[1 << 12] = {};
__attribute__((unused)) static constexpr long tw__aie_copies(const char *end)
{
    return end - tw__aie_turns;
}
__attribute__((unused)) static constexpr long tw__aie_copies(const char &)
{
    return 0;
}
template <long n> struct tw__aie_number {
    static constexpr long value = n;
};
// clang-format off
#define TW__LOOP_HINT(which, number) if (tw__aie_hint_##which(number), 0) {} else
// clang-format on
#define TW__FIRST_OF(first, ...) first
#else
#define TW__LOOP_HINT(which, number)
#endif
#define chess_prepare_for_pipelining TW__LOOP_HINT(pipeline, 0)
#define chess_require_pipelining(...)
#define chess_loop_range(...) TW__LOOP_HINT(least, TW__FIRST_OF(__VA_ARGS__, ) + 0)
#define chess_loop_count(...) TW__LOOP_HINT(least, TW__FIRST_OF(__VA_ARGS__, ) + 0)
#define chess_flatten_loop    TW__LOOP_HINT(flatten, 0)
#define chess_unroll_loop(...) \
    TW__LOOP_HINT(unroll, tw__aie_number<tw__aie_copies(__VA_ARGS__ + tw__aie_turns)>::value)
#define chess_unroll_loop_assuming_multiple(...) chess_unroll_loop(__VA_ARGS__)
#define chess_unroll_loop_preamble
#define chess_no_hw_loop
#define chess_modulo_scheduling_budget_ratio(...)
#define chess_peel_pipelined_loop(...)
#define chess_pipeline_adjust_preamble(...)
#define chess_pipeline_non_leaf_loop_solution(...)
#define chess_keep_sw_loop
#define chess_hw_loop
/* Where a register is asked for, or an alignment: the one that every vector needs. g++ refuses it on parameters, and
 * aligns arrays of 16 bytes and more by itself. */
#ifdef __clang__
#define chess_storage(...) __attribute__((aligned(16)))
#else
#define chess_storage(...)
#endif
#ifndef restrict
#define restrict __restrict
#endif
#define chess_alignof(...)
#define chess_separator(...)
#define chess_separator_scheduler(...)
#define chess_separator_scheduler_local(...)
#define chess_memory_fence(...)
#define chess_error(...)
#define chess_warning(...)
#define chess_report(...)
#define chess_protect_access
#define chess_clobbers(...)
#define chess_output
#define __aie_register(...)
#define __aie_register_keep(...)
#define property(...)
#define __aie_dm_resource_a
#define __aie_dm_resource_b
#define __aie_dm_resource_c
#define __aie_dm_resource_d
#define __aie_dm_resource_ab
#define __aie_dm_resource_ac
#define __aie_dm_resource_ad
#define __aie_dm_resource_bc
#define __aie_dm_resource_bd
#define __aie_dm_resource_cd
#define __aie_dm_resource_stack

template <class TwT> using aie_dm_resource_remove_t = TwT;
template <class TwT, aie_dm_resource> using aie_dm_resource_set_t = TwT;
template <class TwT> constexpr aie_dm_resource aie_dm_resource_get_v = aie_dm_resource::none;

typedef unsigned umod_t;
typedef int addr_t;
struct int4_t;
struct uint4_t;

// clang-format off
#define TW__TAGS(X) \
    X(acc16) X(acc24) X(acc32) X(acc40) X(acc48) X(acc56) X(acc64) X(acc72) X(acc80) X(accfloat) \
    X(cacc16) X(cacc24) X(cacc32) X(cacc40) X(cacc56) X(cacc64) X(cacc72) X(caccfloat)
// clang-format on
#define TW__TAG(name) \
    struct name {};
TW__TAGS(TW__TAG)
#undef TW__TAG
#undef TW__TAGS

alignas(32) static const unsigned char ZERO[128] = {};

#endif
