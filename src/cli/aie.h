/* SPDX-License-Identifier: MIT */
/* aie: what the files of `tilewright aie` share. */
#ifndef TW_CLI_AIE_H
#define TW_CLI_AIE_H

#include "cli.h"

#include <glib.h>

/* What a graph program consists of, found in its text: source("fir.cc") and the like in the file and in what it
 * includes. Strings are owned by the struct. */
typedef struct tw__aie_sources {
    GPtrArray *included; /* kernels with templates: part of the graph's translation unit */
    GPtrArray *apart;    /* kernels that are compiled by themselves */
    bool layered;        /* something includes the vendor's layered library (aie_api) */
} tw__aie_sources;

/* --- aie_sources.c -------------------------------------------------------------------------------------------- */

/* folders: of headers and sources, NULL at the end; beside the file that names them they are found anyhow. False
 * after a message. What is named and is nowhere is a warning, because it may stand in code that the preprocessor
 * drops. */
bool tw__aie_find_sources(const char *graph, char **folders, tw__aie_sources *out);
void tw__aie_free_sources(tw__aie_sources *sources);

/* --- aie_run.c ------------------------------------------------------------------------------------------------ */

extern const tw__cli_syntax tw__aie_run_syntax;
int tw__aie_run(int argc, char **argv); /* argv[0] is "run"; returns the exit status */

#endif
