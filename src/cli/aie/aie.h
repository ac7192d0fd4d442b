/* SPDX-License-Identifier: MIT */
/* aie: what the files of `tilewright aie` share. */
#ifndef TW_CLI_AIE_H
#define TW_CLI_AIE_H

#include "cli/kept.h"

#include <time.h>

/* What `tilewright aie run` is asked for. */
typedef struct tw__aie_request {
    const char *graph, *input, *output, *profile, *report;
    GPtrArray *flags;   /* for the compiler, borrowed */
    GPtrArray *folders; /* of -I, owned; NULL at the end once it is read */
    char **arguments;   /* of the program; NULL at the end */
    bool timestamps, hardware, verbose;
    bool listing;  /* `cycles`: what kernels take, block by block, in place of a run */
    char *work;    /* folder for what a run leaves, owned */
    char *program; /* built, owned */
    time_t began;  /* the program */
} tw__aie_request;

/* What a graph program consists of, found in its text: source("fir.cc") and the like in the file and in what it
 * includes. Strings are owned by the struct. */
typedef struct tw__aie_sources {
    GPtrArray *included; /* kernels with templates: part of the graph's translation unit */
    GPtrArray *apart;    /* kernels that are compiled by themselves */
    tw_diags *missing;   /* warnings: sources that are named and nowhere, for when the build fails */
    bool layered;        /* something includes the vendor's layered library (aie_api) */
    bool has_adf;        /* something includes <adf.h> */
    bool is_set_up;      /* something sets what our headers ask for (TW_AIE_...) */
} tw__aie_sources;

/* --- aie_sources.c -------------------------------------------------------------------------------------------- */

/* folders: of headers and sources, NULL at the end; beside the file that names them they are found anyhow. False
 * after a message. What is named and is nowhere is no error: it may stand in code that the preprocessor drops,
 * or the program may include it under another name. */
bool tw__aie_find_sources(const char *graph, char **folders, tw__aie_sources *out);
void tw__aie_free_sources(tw__aie_sources *sources);

/* --- aie_build.c ---------------------------------------------------------------------------------------------- */

/* Folders of the layered library: of the command line, else of TILEWRIGHT_AIE_API. False after a message. */
bool tw__aie_find_library(tw__aie_request *request);
/* Compiles and links what has changed since it was kept; sets request->program. The exit status. */
int tw__aie_build(tw__aie_request *request, const tw__aie_sources *sources);

/* --- aie_run.c ------------------------------------------------------------------------------------------------ */

extern const tw__cli_syntax tw__aie_run_syntax;
int tw__aie_run(int argc, char **argv); /* argv[0] is "run" or "cycles"; returns the exit status */

#endif
