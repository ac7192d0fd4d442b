/* SPDX-License-Identifier: MIT */
/* pto: programs of tile instructions (PTO) for Ascend cores, run on this machine. One include for its three parts:
 *   pto/core.h   one core: tiles, tensors, instructions, cycles
 *   pto/grid.h   many cores and devices: FIFOs, flags, collectives
 *   pto/text.h   PTO-AS, the text of such programs: read, verify, run, print
 * C++ programs spelled like the vendor's: <pto/pto-inst.hpp> below tilewright/compat/ascend (docs/pto.md).
 *
 * Threads: as each of these headers says. */
#ifndef TILEWRIGHT_PTO_H
#define TILEWRIGHT_PTO_H

#include <tilewright/pto/core.h>
#include <tilewright/pto/grid.h>
#include <tilewright/pto/text.h>

#endif
