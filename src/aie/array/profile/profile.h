/* SPDX-License-Identifier: MIT */
/* profile: a run of an array as a profile of the core. */
#ifndef TW_AIE_ARRAY_PROFILE_H
#define TW_AIE_ARRAY_PROFILE_H

#include "aie/array/times/times.h"

/* --- profile.c --- */
tw_profile *tw__aie_profile(const tw_aie_array *array); /* of the last run */

/* --- learned.c --- */
void tw__aie_add_learned(const tw_aie_array *array,
                         tw_profile *profile); /* addresses, variables, who sends to whom */
/* Kernels, locks, windows and streams as lanes. */
void tw__aie_add_intervals(const tw_aie_array *array, tw_profile *profile);

/* --- lines.c --- */
void tw__aie_add_lines(const tw_aie_array *array, tw_profile *profile); /* cycles by line of the source */

/* --- graph.c --- */
void tw__aie_add_graph(const tw_aie_array *array, tw_profile *profile); /* kernels and what joins them */

#endif
