/* live: which variables hold a value that is still needed, entry by entry of the control flow (account.h: `shape`).
 *
 *   live_steps.c  what each step reads and writes; lives for the placement
 *   live_flow.c   backwards over the control flow
 *   ../account/live_report.c  the profile's lists and peaks
 *
 * Nothing here is steps x variables: a variable is followed from one step that touches it to the next, so that programs of
 * a hundred thousand variables and steps are analysed like small ones. */
#ifndef TW_ENGINE_LIVE_H
#define TW_ENGINE_LIVE_H

#include "poplar/engine/account/account.h"

/* Words of bit sets and items of lists touched before the analysis gives up; the report then has no liveness block and
 * everything is taken to be alive always. */
#define TW__LIVE_BUDGET (UINT64_C(1) << 29)

typedef struct tw__live_run { /* `var` is live at the entries lo to hi of the shape */
    uint32_t var, lo, hi;
} tw__live_run;

typedef struct tw__liveness {
    tw__accounting *a;
    size_t words;     /* of a set of variables */
    uint64_t *always; /* [words] */
    /* By plan step, without variables that are always live: read (or partly written), and wholly written only. */
    uint32_t *use, *kill;
    size_t *first_use, *first_kill; /* [plan steps + 1] */
    TW__LIST(tw__live_run) runs;    /* of one variable they may overlap: a body is run from several places */
    uint64_t spent;
    bool failed;
} tw__liveness;

static inline bool tw__live_has(const uint64_t *set, uint32_t i)
{
    return set[i / 64] >> (i % 64) & 1;
}
static inline void tw__live_put(uint64_t *set, uint32_t i)
{
    set[i / 64] |= UINT64_C(1) << (i % 64);
}
static inline void tw__live_drop(uint64_t *set, uint32_t i)
{
    set[i / 64] &= ~(UINT64_C(1) << (i % 64));
}

/* live_flow.c: fills `runs`. `failed`: out of memory or budget. */
void tw__live_flow(tw__liveness *l);
/* account/live_report.c: the liveness block of the profile. */
void tw__live_report(tw__liveness *l);

#endif
