/* SPDX-License-Identifier: MIT */
/* What fp.h declares, for translated code: infinities, NaNs and roundings other than nearest even end it, by a flag.
 * Part of the text in front of each translation, and compiled there only. */
enum { NATIVE_SLOW = 8 };
uint32_t tw__fp_to32(const tw__sim_context *w, tw__fp *fp, double v)
{
    (void)w, (void)v;
    fp->flags |= NATIVE_SLOW;
    return 0;
}
uint32_t tw__fp_to16(const tw__sim_context *w, tw__fp *fp, double v, unsigned lane)
{
    (void)w, (void)v, (void)lane;
    fp->flags |= NATIVE_SLOW;
    return 0;
}
uint32_t tw__fp_special(tw__fp *fp, uint32_t x, uint32_t y, uint32_t r)
{
    (void)x, (void)y;
    fp->flags |= NATIVE_SLOW;
    return r;
}
double tw__fp_add_odd(double x, double y) /* only behind `fp_slow` */
{
    return x + y;
}
uint64_t tw__fp_next(uint64_t prng[2]) /* only when stochastic */
{
    return prng[0];
}

#define READY                          \
    do {                               \
        if (!HALF(w, op)) return NULL; \
    } while (0)
#define SEM_REPEAT                                                             \
    uint32_t count = (IS_KIND(0, M) ? w->m[op->r[0]] : op->imm) & REPEAT_MASK, \
             size = (IS_KIND(0, M) ? op->imm : op->r[3]) + 1;                  \
    READY;                                                                     \
    w->repeat_count = count;                                                   \
    if (count) w->repeat_first = next->address, w->repeat_end = next->address + 8 * size;
