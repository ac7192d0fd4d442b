/* SPDX-License-Identifier: MIT */
/* Libraries of graph programs: what models are made of, on top of tw_graph (docs/libraries.md says how far each
 * is).
 *
 *   poplibs/poputil.h   tile mapping, lists of intervals, broadcasting, copies
 *   poplibs/popops.h    expressions on all elements, casts, fills, scaled sums, reductions
 *   poplibs/popops_order.h  sorts, top-k, labels, sums along a dimension, counts, padding, images
 *   poplibs/popops_slice.h  slices at offsets that a run computes, gather, scatter
 *   poplibs/popnn.h     activations, losses
 *   poplibs/norms.h     normalisations
 *   poplibs/recurrent.h LSTM, GRU, the plain recurrent layer
 *   poplibs/pooling.h   pooling
 *   poplibs/poplin.h    matrix products
 *   poplibs/collectives.h  reductions and gathers between IPUs and replicas
 *   poplibs/solve.h     triangular systems, Cholesky's factors, QR, LU
 *   poplibs/ctc.h       losses of labels that are not aligned
 *   poplibs/conv.h      convolutions
 *   poplibs/poprand.h   random numbers
 *   poplibs/popsparse.h products with sparse matrices
 *
 * They are a library of their own: cc prog.c $(pkg-config --cflags --libs tilewright_poplibs).
 * Threads: as each of these headers says. */
#ifndef TILEWRIGHT_POPLIBS_H
#define TILEWRIGHT_POPLIBS_H

#include <tilewright/poplibs/conv.h>
#include <tilewright/poplibs/collectives.h>
#include <tilewright/poplibs/ctc.h>
#include <tilewright/poplibs/norms.h>
#include <tilewright/poplibs/pooling.h>
#include <tilewright/poplibs/poplin.h>
#include <tilewright/poplibs/popnn.h>
#include <tilewright/poplibs/popops.h>
#include <tilewright/poplibs/popops_order.h>
#include <tilewright/poplibs/popops_slice.h>
#include <tilewright/poplibs/popops_spline.h>
#include <tilewright/poplibs/poprand.h>
#include <tilewright/poplibs/popsparse.h>
#include <tilewright/poplibs/poputil.h>
#include <tilewright/poplibs/recurrent.h>
#include <tilewright/poplibs/solve.h>

#endif
