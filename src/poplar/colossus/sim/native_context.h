/* SPDX-License-Identifier: MIT */
/* The context as translated code has it: the first part of the text in front of each translation (native_text.c), and
 * compiled there only. Its registers are a variable of one function that never leaves it, so that the compiler keeps
 * them in registers of the host; what a tile never changes is a constant. */
#include <math.h>
#include <string.h>

#define G_LITTLE_ENDIAN    1234
#define G_BYTE_ORDER       G_LITTLE_ENDIAN
#define GUINT16_FROM_LE(x) (x)
#define GUINT32_FROM_LE(x) (x)
#define GUINT64_FROM_LE(x) (x)
#define GUINT32_TO_LE(x)   (x)
#define GUINT64_TO_LE(x)   (x)
#define TW__SIM_COLD       inline __attribute__((always_inline))
enum { TW__SIM_PAGE_BITS = 10 };

struct tw__sim_context {
    uint32_t m[TW__SIM_REGISTERS], a[TW__SIM_REGISTERS];
    float *e, *o;
    uint32_t tas, fp_ctl;
    uint8_t *memory;
    const uint8_t *code_map;
    uint32_t base, size, region1;
    bool clashes, flush, fp_slow;
    uint64_t prng[2];
    uint32_t *loads, load_step;
    tw__sim_undo *stores;
    uint32_t pc, repeat_count, repeat_first, repeat_end, extra;
    tw__sim_native_call *call;
};

/* Where a branch goes on: behind itself, at its target, at w->pc. Numbers that the compiler can tell apart. */
#define behind    ((const tw__sim_op *)64)
#define taken     ((const tw__sim_op *)128)
#define elsewhere ((const tw__sim_op *)192)
static inline const tw__sim_op *tw__sim_at(tw__sim_context *w, uint32_t address)
{
    w->pc = address;
    return elsewhere;
}
/* A flag is for the interpreter: it may be an exception, and it stays in FP_STS. */
static inline bool tw__sim_fp_flags(tw__sim_context *w, const tw__sim_op *op, unsigned flags)
{
    (void)w, (void)op, (void)flags;
    return false;
}
/* An instruction of the aux pipeline that the simulator's own function executes. */
static inline __attribute__((always_inline)) bool called(tw__sim_context *w, const tw__sim_op *op, unsigned row)
{
    tw__sim_native_call *c = w->call;
    memcpy(c->a, w->a, sizeof w->a);
    if (!c->aux(c, row, op)) return false;
    memcpy(w->a, c->a, sizeof w->a);
    w->tas = *c->tas, w->extra = c->extra;
    return true;
}
