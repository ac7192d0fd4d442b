/* SPDX-License-Identifier: MIT */
/* Checkpoints of an engine: what its device holds, and within a run where that stands. */
#ifndef TW_ENGINE_CHECKPOINT_H
#define TW_ENGINE_CHECKPOINT_H

#include "core/base/checkpoint.h"
#include "poplar/engine/run/machine.h"
#include "poplar/engine/run/streams.h"

#include <glib.h>

struct tw__saves {
    uint64_t graph;       /* hash of what the engine runs */
    uint64_t steps;       /* done since it was loaded, or since the first call that asked for checkpoints */
    char *path;           /* NULL: nothing is saved */
    uint64_t next, every; /* before this step; then every so many, 0 = no more */
    bool written;         /* one of those */
    unsigned program;     /* of the run */
    GByteArray *log;      /* what the run has done with streams: what resumes it does that again */
    bool too_long;        /* more than it can hold */
    /* Where the next run goes on, once a checkpoint of the middle of one has been read. */
    bool inside;
    tw__machine at;
    GByteArray *again;
    char *resume; /* to be read before run number `resume_run`; NULL: none */
    uint64_t resume_run;
    bool asked; /* by the environment, which nobody tells of failures but the standard error */
};

extern const tw__ck_table tw__engine_tables[]; /* for a test */
/* Between two runs `machine` is NULL. */
tw_status tw__checkpoint_write(tw_engine *engine, const tw__machine *machine, const char *path);
/* On failure the engine has to be loaded again. */
tw_status tw__checkpoint_read(tw_engine *engine, const char *path);
/* How many runs had begun before it; the engine stays as it is. */
tw_status tw__checkpoint_runs(tw_engine *engine, const char *path, uint64_t *runs);
/* Before a run: whether it can go on where a checkpoint of the middle of one was taken. */
tw_status tw__checkpoint_fits(const tw_engine *engine, unsigned program);
/* At its start: goes there. */
tw_status tw__checkpoint_enter(tw__machine *machine, unsigned program);
/* Before an instruction. */
tw_status tw__checkpoint_step(tw__machine *machine, const tw__instr *in);
/* A transfer of a stream is over; `host`: what it gave to the host, in host format. */
void tw__checkpoint_note(tw_engine *engine, const tw__stream_state *st, const char *host);
/* NULL is fine for both. Of a load: what was resumed is gone, and steps count from there. */
void tw__saves_loaded(struct tw__saves *saves);
void tw__saves_free(struct tw__saves *saves);

#endif
