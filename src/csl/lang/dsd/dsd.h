/* Builtins of DSDs, DSRs, FIFOs, tasks, queues and colors (vendor documents "Data Structure Descriptors",
 * "Builtins"): what analysis finds in tw__csl_dsd_builtins, and the value of a DSD at compile time. */
#ifndef TW_CSL_DSD_DSD_H
#define TW_CSL_DSD_DSD_H

#include "csl/lang/code/image.h"
#include "csl/lang/sema/sema.h"

/* A DSD or FIFO known at compile time; never changes. The address lies apart, since a variable gets its place in
 * memory only when somebody asks. DSRs are plain numbers: value.i. */
struct tw__csl_dsd_value {
    tw__csl_dsd packed;          /* run-time form, without base, object, shape */
    tw__csl_pointer base;        /* memory DSDs: the first element */
    tw__csl_shape shape;         /* mem4d */
    const tw__csl_type *element; /* memory DSDs: of what was given as base, NULL = unknown; for checks only */
    uint32_t fifo;               /* FIFO: row of the program's fifos */
};

/* Hardware limits. The vendor's documents give no number of FIFOs; eight is assumed. */
enum {
    TW__CSL_DSR_COUNT = 16,      /* registers of each file */
    TW__CSL_MAX_FIFOS = 8,       /* assumed */
    TW__CSL_FIFO_ALIGNMENT = 16, /* bytes; assumed, decision table of docs/csl.md */
};

bool tw__csl_dsd_equal(const tw__csl_dsd_value *a, const tw__csl_dsd_value *b);

/* Evaluates the configuration argument of @set_color_config and @set_local_color_config: routes, switches, filter,
 * teardown. Fills everything but out->color; false after an error. */
bool tw__csl_route_of(tw__csl_sema *s, const tw__csl_node *config, tw__csl_route *out);

/* Once per tile program, when all of it is generated: names of tasks become the ids that they are bound to, what DSD
 * operations say is compared with what their DSRs were loaded with, queues of DSDs are bound, FIFOs are counted. */
bool tw__csl_dsd_finish(tw__csl_sema *s);

#endif
