/* SPDX-License-Identifier: MIT */
/* ref_tables: the tables of references of rows. */
#ifndef TW_TESTS_PTO_REF_TABLES_H
#define TW_TESTS_PTO_REF_TABLES_H

#include "pto/reference/ref_cross.h"

extern const ref_row ref_lane_rows[], ref_mask_rows[], ref_fold_rows[], ref_convert_rows[], ref_move_rows[];
extern const size_t ref_lane_count, ref_mask_count, ref_fold_count, ref_convert_count, ref_move_count;

#endif
