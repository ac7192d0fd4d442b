/* main: what the files of `tilewright pto` share. */
#ifndef TW_PTO_MAIN_H
#define TW_PTO_MAIN_H

#include "base/npy.h"

#include <glib.h>
#include <tilewright/pto_text.h>

typedef struct tw__argument {
    const char *name, *value;
    tw__npy array; /* data NULL: a number */
    tw_type type;  /* of the array's elements */
} tw__argument;

typedef struct tw__request {
    const char *file, *function, *target;
    GArray *args, *outs;
    bool manual, trace, profile;
    const char *profile_file;
    unsigned long long blocks, vectors, max_steps;
} tw__request;

/* --- main_args.c: arguments from the command line ---------------------------------------------------------------- */

/* Reads @file.npy or makes the zeros of f32[16x16]; a number is left as it is. */
tw_status tw__load_argument(tw__argument *argument);
tw__argument *tw__argument_of(GArray *list, const char *name); /* NULL when there is none */
tw_status tw__bind_argument(tw_pto_run *run, const tw__argument *argument);
/* --out: memory of arguments, else tiles of the run. */
tw_status tw__write_outputs(tw_pto *core, tw_pto_run *run, const tw__request *request);

#endif
