/* SPDX-License-Identifier: MIT */
/* live: which elements hold a value that is still needed, phase by phase of the control flow (account.h: `shape`).
 *
 *   live_touches.c  what each step reads and writes; variables cut into units that are touched as a whole
 *   live_flow.c     backwards over the control flow
 *   lives.c         the lives of objects, for the placement
 *   live_report.c  the profile's lists and peaks
 *
 * Nothing here is steps x variables: a unit is followed from one step that touches it to the next, so that programs
 * of a hundred thousand variables and steps are analysed like small ones. */
#ifndef TW_ENGINE_LIVE_H
#define TW_ENGINE_LIVE_H

#include "poplar/engine/account/account.h"

/* Words of bit sets and items of lists touched before the analysis gives up; the report then has no liveness block
 * and everything is taken to be alive always. */
#define TW__LIVE_BUDGET (UINT64_C(1) << 29)

static inline uint32_t tw__live_time(uint32_t entry, unsigned phase)
{
    return entry * TW__PHASES + phase;
}

/* Elements [begin, end) of a variable: every step touches all of them in one way, or none. */
typedef struct tw__live_unit {
    uint64_t begin, end;
    uint32_t var;
} tw__live_unit;

typedef struct tw__live_touch { /* of a step: phases in which the unit is read or written, both included */
    uint32_t unit;
    uint8_t from, to;
} tw__live_touch;

typedef struct tw__live_run { /* `unit` is live at the times lo to hi */
    uint32_t unit, lo, hi;
} tw__live_run;

typedef struct tw__liveness {
    tw__accounting *a;
    tw__live_unit *units;
    uint32_t *first_unit; /* [variables + 1] */
    size_t unit_count;
    size_t words;     /* of a set of units */
    uint64_t *always; /* [words] */
    /* By plan step, without units that are always live: read (or partly written), and wholly written only. */
    tw__live_touch *use, *kill;
    size_t *first_use, *first_kill; /* [plan steps + 1] */
    TW__LIST(tw__live_run) runs;    /* of one unit they may overlap: a body is run from several places */
    bool too_large;                 /* the control flow: `failed` for this, not for want of memory */
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

/* live_touches.c: units, the always live ones, and the lists by step. `failed`: out of memory. */
void tw__live_touches(tw__liveness *l);
/* live_flow.c: fills `runs`. `failed`: out of memory or budget. */
void tw__live_flow(tw__liveness *l);
/* live_report.c: the liveness block of the profile. */
void tw__live_report(tw__liveness *l);

#endif
