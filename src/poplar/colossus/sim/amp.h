/* The AMP units: matrix-vector and sliding convolution steps (Colossus ISA 10.6). */
#ifndef TW_COLOSSUS_SIM_AMP_H
#define TW_COLOSSUS_SIM_AMP_H

#include "poplar/colossus/sim/sim.h"

/* in, out: bits of a partial sum that comes in and goes out; sets of units, one or two. False: an exception. */
bool tw__sim_amp16(tw__sim_context *w, const tw__sim_op *op, unsigned in, unsigned out, unsigned sets);
bool tw__sim_amp32(tw__sim_context *w, const tw__sim_op *op, unsigned sets);
bool tw__sim_amp8(tw__sim_context *w, const tw__sim_op *op);
bool tw__sim_slic16(tw__sim_context *w, const tw__sim_op *op, unsigned in, unsigned out, unsigned sets);
bool tw__sim_slic32(tw__sim_context *w, const tw__sim_op *op, unsigned sets);
bool tw__sim_slic8(tw__sim_context *w, const tw__sim_op *op);

#endif
