/* SPDX-License-Identifier: MIT */
/* The vertices of splines, for the archive and the calls that use them. */
#ifndef TW_LIBS_POPOPS_SPLINE_H
#define TW_LIBS_POPOPS_SPLINE_H

#include "poplar/libs/popops/code.h"

enum { TW__SPLINE_BASIS, TW__SPLINE_WEIGHTING, TW__SPLINE_CODES };
extern const tw__libs_code tw__spline_codes[TW__SPLINE_CODES];

#endif
