/* SPDX-License-Identifier: MIT */
/* Builtins of DSDs, DSRs, FIFOs, tasks, queues and colors (vendor documents "Data Structure Descriptors",
 * "Builtins"): their table, and what is left to do when all of a program is generated. */
#ifndef TW_CSL_DSD_DSD_H
#define TW_CSL_DSD_DSD_H

#include "csl/lang/sema/sema.h"

/* Hardware limits. The vendor's documents give no number of FIFOs; eight is assumed. */
enum {
    TW__CSL_DSR_COUNT = 16,      /* registers of each file */
    TW__CSL_MAX_FIFOS = 8,       /* assumed */
    TW__CSL_FIFO_ALIGNMENT = 16, /* bytes; assumed, decision table of docs/csl.md */
};

extern const tw__csl_builtin_table tw__csl_dsd_builtins;

/* Once per tile program, when all of it is generated: names of tasks become the ids that they are bound to, what DSD
 * operations say is compared with what their DSRs were loaded with, queues of DSDs are bound, FIFOs are counted. */
bool tw__csl_dsd_finish(tw__csl_sema *s);

#endif
