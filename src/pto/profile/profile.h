/* SPDX-License-Identifier: MIT */
/* profile: what cores did, as text, as the common profile and as a trace. */
#ifndef TW_PTO_PROFILE_H
#define TW_PTO_PROFILE_H

#include "pto/pto.h"

/* The profile that TILEWRIGHT_PROFILE asks for, of cores that are about to go. */
void tw__pto_leave_profile(tw_pto *const *cores, unsigned count, unsigned devices);
/* profile/timeline.c: intervals of the pipes of all cores, waits, and what lay where in their memories. */
void tw__timeline_record(tw_pto *const *cores, unsigned count, tw_profile *profile);
uint64_t tw__timeline_busy(tw_pto *core); /* cycles in which one pipe at least worked */
/* profile/uses.c */
void tw__timeline_add_waits(tw_pto *const *cores, unsigned count, unsigned number, tw_profile *profile);
void tw__timeline_add_map(const tw_pto *core, tw_profile *profile, uint32_t tile);

#endif
