/* SPDX-License-Identifier: MIT */
/* pto: what the files of `tilewright pto` share. */
#ifndef TW_CLI_PTO_H
#define TW_CLI_PTO_H

#include "cli/cli.h"

#include <glib.h>
#include <tilewright/npy.h>
#include <tilewright/pto.h>

enum { TW__MOST_DEVICES = 64 };

typedef struct tw__argument {
    const char *name, *value;
    int device;   /* NAME@DEVICE; -1 = all of them */
    tw_npy array; /* data NULL: a number */
    tw_type type; /* of the array's elements */
} tw__argument;

typedef struct tw__request {
    const char *file, *function, *target;
    GArray *args, *outs;
    bool manual, trace, profile;
    const char *profile_file, *timeline, *report;
    unsigned long long blocks, devices, max_steps;
    long vectors; /* -1 = as the program needs */
} tw__request;

/* --- pto_fmt.c: `fmt`, which is argv[0], its options and files; returns the exit status ----------------------- */

int tw__pto_format(int argc, char **argv);

/* --- pto_args.c: arguments from the command line -------------------------------------------------------------- */

/* Reads @file.npy or makes the zeros of f32[16x16]; a number is left as it is. */
tw_status tw__pto_load_argument(tw__argument *argument);
/* That no output is one of the files that are read, or another output; the exit status. */
int tw__pto_check_outputs(const tw__request *request);
/* That the program has what --out names. */
int tw__pto_check_names(const tw__request *request, const tw_pto_text *text);
/* What a device gets under a name: the one for this device, else the one for all. NULL when there is none. */
tw__argument *tw__argument_of(GArray *list, const char *name, int device);
tw_status tw__pto_bind_argument(tw_pto_run *run, const tw__argument *argument);
/* The arguments of each device, [devices]: arrays that are for all of them are copied, so that each has its own. NULL
 * with a message. */
GArray **tw__arguments_by_device(GArray *args, unsigned devices);
void tw__free_arguments(GArray **by_device, unsigned devices);
/* --out for one device: memory of its arguments, else tiles of the run. Without @DEVICE it is device 0. */
tw_status tw__pto_write_outputs(tw_pto *core, tw_pto_run *run, const tw__request *request, GArray *args,
                                unsigned device);

/* --- pto_run.c ------------------------------------------------------------------------------------------------ */

/* Runs a program that has been verified for `target`; returns the exit status. */
int tw__pto_run_text(const tw__request *r, tw_pto_text *text, tw_pto_target target);

#endif
