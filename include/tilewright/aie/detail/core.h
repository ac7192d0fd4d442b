/* SPDX-License-Identifier: MIT */
/* What every AI Engine intrinsic stands on: inlining, the control state of the core, counting and checks.
 *
 *   TW_AIE_PROFILE  each intrinsic counts the issue slots it takes
 *   TW_AIE_CHECK    each intrinsic checks its operands and reports with file and line of the call
 * Without them an intrinsic costs nothing but its work. C sees the intrinsics as macros that choose a function by the
 * number and types of the arguments, C++ as overloaded functions of the same names. */
#ifndef TILEWRIGHT_AIE_CORE_H
#define TILEWRIGHT_AIE_CORE_H

#include <tilewright/aie/types.h>
#include <tilewright/base.h>

#ifdef TW_AIE_COST /* kept whole for tw_aie_cost() (aie/cost.h), which finds them by their section and inlines them then */
#define TW__AIE static __attribute__((noinline, unused, section("tw_aie")))
#endif
#ifndef TW__AIE /* tests of all overloads compile them as functions, which is quicker */
#define TW__AIE static inline __attribute__((always_inline, unused))
#define TW__AIE_INLINED
#endif
#define TW__APART static __attribute__((noinline, unused)) /* rare work of many callers */

/* No product of floats may be fused with the sum that uses it. Clang listens to a pragma; gcc contracts by default
 * (-ffp-contract=fast), so products are hidden from sums where the processor can fuse. */
#ifdef __clang__
#define TW__NO_CONTRACT _Pragma("clang fp contract(off)")
#else
#define TW__NO_CONTRACT
#endif
#if !defined(__clang__) && defined(__FMA__)
#define TW__REGISTER "+x"
#elif !defined(__clang__) && defined(__aarch64__)
#define TW__REGISTER "+w"
#endif
#ifdef TW__REGISTER
#define TW__HIDE(v)         __asm__("" : TW__REGISTER(v))
#define TW__HIDE_BOTH(a, b) __asm__("" : TW__REGISTER(a), TW__REGISTER(b))
#else
#define TW__HIDE(v)         ((void)0)
#define TW__HIDE_BOTH(a, b) ((void)0)
#endif

/* The name of a function: in C one of its own, behind a macro; in C++ the public one, which with TW_AIE_CHECK is a
 * template in front of it that knows where the call stands (aie/detail/check_calls.h). */
#ifdef __cplusplus
#ifdef TW_AIE_CHECK
#define TW__N(cxx, c) tw__raw_##cxx
#else
#define TW__N(cxx, c) cxx
#endif
#define TW__TLS __thread
#else
#define TW__N(cxx, c) c
#define TW__TLS       _Thread_local
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Rounding modes of set_rnd() (UG1079; docs/aie.md). AIE-ML numbers them differently. */
enum {
    rnd_floor = 0,
    rnd_ceil = 1,
    rnd_pos_inf = 2,
    rnd_neg_inf = 3,
    rnd_sym_inf = 4,
    rnd_sym_zero = 5,
    rnd_conv_even = 6,
    rnd_conv_odd = 7
};

/* Issue slots of a VLIW word: at most one vector, two loads, one store, one scalar, two moves a cycle. */
typedef enum tw_aie_slot {
    TW_AIE_SLOT_VECTOR = 0, /* multiply, compare, select, float */
    TW_AIE_SLOT_LOAD = 1,   /* 256 bits */
    TW_AIE_SLOT_STORE = 2,  /* 256 bits; SRS shares its path */
    TW_AIE_SLOT_SCALAR = 3,
    TW_AIE_SLOT_MOVE = 4,
    TW_AIE_SLOT_STREAM_IN = 5, /* 32-bit words of the busier port */
    TW_AIE_SLOT_STREAM_OUT = 6,
    TW_AIE_SLOT_CASCADE = 7,
    TW_AIE_SLOT_BLOCKS = 8, /* no slot: cycles of the blocks that ran, in code that tw_aie_cost() has counted */
    TW_AIE_SLOTS = 9
} tw_aie_slot;

/* Control registers of the core that runs now, one set per kernel of an array (tilewright/aie/array.h). All zero at
 * reset: floor, no saturation (UG1079; UG1078 leaves it open). */
typedef struct tw_aie_control {
    uint8_t rnd, sat, symsat, radix;
    uint8_t mode_set; /* with TW_AIE_CHECK: rounding or saturation has been set, or its absence reported */
    uint8_t checked;  /* code compiled with TW_AIE_CHECK has run */
    uint32_t status;  /* bit 0: a srs has saturated since the bit was cleared */
    uint64_t clipped; /* lanes that srs saturated; counted with TW_AIE_CHECK */
    uint64_t slots[TW_AIE_SLOTS]; /* counted with TW_AIE_PROFILE */
    const char *file;             /* of the call in progress, with TW_AIE_CHECK */
    int line;
    unsigned component; /* of the srs in progress, with TW_AIE_CHECK: real and imaginary parts count */
} tw_aie_control;

extern TW_API TW__TLS tw_aie_control tw_aie_core;

/* Code that tw_aie_cost() has counted calls this: so many cycles more. */
TW_API void tw_aie_spend(uint64_t cycles);
/* ... and this, for the lines of the source: the block at this place ran `times` more times. */
typedef struct tw_aie_place {
    uint32_t number;  /* of the process; 0: it has not run */
    const char *text; /* the function, then "cycles / 1000 line file" a line */
} tw_aie_place;
TW_API void tw_aie_ran(uint64_t times, tw_aie_place *place);
/* Called by checks, with the place of the call in front where it is known. */
TW_API void tw__aie_report(const char *intrinsic, const char *format, ...) TW_PRINTF(2, 3);
/* `hook` sees each report of this thread, "file:line: intrinsic: text"; NULL: reports go to stderr. */
TW_API void tw_aie_on_report(void (*hook)(void *user, const char *text), void *user);

#ifdef __cplusplus
}
#endif

#ifdef TW_AIE_PROFILE
#define TW__COUNT(slot, n) ((void)(tw_aie_core.slots[TW_AIE_SLOT_##slot] += (n)))
#else
#define TW__COUNT(slot, n) ((void)0)
#endif

#ifdef TW_AIE_CHECK
#include <tilewright/aie/detail/check_lanes.h>
#else
#define TW__CHECK(condition, ...)                 ((void)0)
#define TW__DEFINED(name, p, bytes)               ((void)0)
#define TW__READ(name, pick, p, ...)              ((void)0)
#define TW__LANE_DEFINED(name, vector, at, bytes) ((void)0)
#define TW__PUT_LANE(vector, at, lane)            __builtin_memcpy((char *)&(vector) + (at), &(lane), sizeof(lane))
#define TW__SELECTED(r, choose, sel, a, b)        ((void)0)
#define TW__SHIFTED_UP(r, b, bytes)               ((void)0)
#define TW__CALLED(...)                           (__VA_ARGS__)
#define TW__DO_HERE(...)                          (__VA_ARGS__)
#define TW__AT
#define TW__AT_ONLY void
#define TW__PASS
#define TW__PLACE
#define TW__HERE              ((void)0)
#define TW__MODE_SET          ((void)0)
#define TW__MODE_NEEDED(name) ((void)0)
#endif

/* Names without operands stand for themselves in C++. */
#ifdef __cplusplus
#define TW__PLAIN(cxx, c) cxx
#else
#define TW__PLAIN(cxx, c) c
#endif

TW__AIE void TW__N(set_rnd, tw_set_rnd)(int mode)
{
    TW__CHECK(mode >= 0 && mode <= 7, "set_rnd", "rounding mode %d is not 0 to 7", mode);
    TW__MODE_SET;
    tw_aie_core.rnd = (uint8_t)(mode & 7);
}
TW__AIE int TW__PLAIN(get_rnd, tw_get_rnd)(void)
{
    return tw_aie_core.rnd;
}
TW__AIE void TW__PLAIN(set_sat, tw_set_sat)(void)
{
    TW__MODE_SET;
    tw_aie_core.sat = 1;
}
TW__AIE void TW__PLAIN(clr_sat, tw_clr_sat)(void)
{
    TW__MODE_SET;
    tw_aie_core.sat = 0;
}
TW__AIE int TW__PLAIN(get_sat, tw_get_sat)(void)
{
    return tw_aie_core.sat;
}
TW__AIE void TW__PLAIN(set_symsat, tw_set_symsat)(void)
{
    TW__MODE_SET;
    tw_aie_core.symsat = 1;
}
TW__AIE void TW__PLAIN(clr_symsat, tw_clr_symsat)(void)
{
    TW__MODE_SET;
    tw_aie_core.symsat = 0;
}
TW__AIE int TW__PLAIN(get_symsat, tw_get_symsat)(void)
{
    return tw_aie_core.symsat;
}
TW__AIE void TW__N(set_rdx, tw_set_rdx)(int radix)
{
    TW__CHECK(radix >= 2 && radix <= 5, "set_rdx", "radix %d is not 2 to 5", radix);
    tw_aie_core.radix = (uint8_t)radix;
}

#ifndef __cplusplus
#define set_rnd(mode)  TW__DO_HERE(tw_set_rnd(mode))
#define get_rnd()      tw_get_rnd()
#define set_sat()      tw_set_sat()
#define clr_sat()      tw_clr_sat()
#define get_sat()      tw_get_sat()
#define set_symsat()   tw_set_symsat()
#define clr_symsat()   tw_clr_symsat()
#define get_symsat()   tw_get_symsat()
#define set_rdx(radix) TW__DO_HERE(tw_set_rdx(radix))
#endif

#endif
