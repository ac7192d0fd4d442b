/* SPDX-License-Identifier: MIT */
/* Libraries of graph programs: what models are made of, on top of tw_graph (docs/libraries.md says how far each
 * is).
 *
 *   poplibs/poputil.h   tile mapping, lists of intervals, broadcasting, copies
 *   poplibs/popops.h    expressions on all elements, casts, fills, scaled sums, reductions
 *   poplibs/poplin.h    matrix products
 *
 * They are a library of their own: cc prog.c $(pkg-config --cflags --libs tilewright_poplibs).
 * Threads: as each of these headers says. */
#ifndef TILEWRIGHT_POPLIBS_H
#define TILEWRIGHT_POPLIBS_H

#include <tilewright/poplibs/poplin.h>
#include <tilewright/poplibs/popops.h>
#include <tilewright/poplibs/poputil.h>

#endif
