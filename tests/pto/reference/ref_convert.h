/* SPDX-License-Identifier: MIT */
/* ref_convert: TCVT element by element. */
#ifndef TW_TESTS_PTO_REF_CONVERT_H
#define TW_TESTS_PTO_REF_CONVERT_H

#include "pto/reference/ref_tables.h"

bool ref_converts(tw_pto_target target, tw_type from, tw_type to);
/* mode: tw_pto_attrs.saturate */
bool ref_saturates(tw_pto_target target, bool tmp, tw_type from, tw_type to, int32_t mode);
/* mode: tw_pto_attrs.round */
uint64_t ref_converted(tw_type from, tw_type to, uint64_t code, int32_t mode, bool saturate);

#endif
