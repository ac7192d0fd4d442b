/* SPDX-License-Identifier: MIT */
/* The start and the end: which launcher made this process, and the module that talks to its other ranks. */
#include "core/base/checkpoint.h"
#include "core/wire/inside.h"

#include <dlfcn.h>
#include <glib.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* One process: there is nobody to talk to, and no call gets this far. */
static const char *self_start(int *rank, int *size, void (*end)(void))
{
    (void)end;
    *rank = 0, *size = 1;
    return NULL;
}

static void *self_send(int peer, int tag, const void *bytes, size_t size)
{
    (void)peer, (void)tag, (void)bytes, (void)size;
    return NULL;
}

static void *self_receive(int peer, int tag, void *bytes, size_t size)
{
    (void)peer, (void)tag, (void)bytes, (void)size;
    return NULL;
}

static int self_done(void *request)
{
    (void)request;
    return -1;
}

static void self_drop(void *request)
{
    (void)request;
}

static size_t self_poll(int tag, int *peer, void *bytes, size_t room)
{
    (void)tag, (void)peer, (void)bytes, (void)room;
    return 0;
}

static const char *self_problem(void)
{
    return "this process is alone";
}

static const tw__wire_row self = { .version = TW__WIRE_VERSION,
                                   .name = "self",
                                   .start = self_start,
                                   .send = self_send,
                                   .receive = self_receive,
                                   .done = self_done,
                                   .drop = self_drop,
                                   .poll = self_poll,
                                   .problem = self_problem,
                                   .abort = exit,
                                   .finish = NULL };

tw__wire_state tw__wire = { .rank = 0, .size = 1, .row = &self };

/* Open MPI sets PMIX_RANK too: its own variables come first. PMIX_RANK alone is srun or prterun. */
const tw__wire_launcher tw__wire_launchers[] = {
    { "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "Open MPI", "wire-openmpi", "openmpi-bin", "libopenmpi-dev" },
    { "PMI_SIZE", "PMI_RANK", "MPICH", "wire-mpich", "mpich", "libmpich-dev" },
    { "SLURM_NTASKS", "PMIX_RANK", "a launcher with PMIx", "wire-openmpi", "openmpi-bin", "libopenmpi-dev" },
};
const size_t tw__wire_launcher_count = sizeof tw__wire_launchers / sizeof *tw__wire_launchers;

static unsigned number_in(const char *variable)
{
    const char *text = getenv(variable);
    return text ? (unsigned)strtoul(text, NULL, 10) : 0;
}

const tw__wire_launcher *tw__wire_detect(unsigned *rank, unsigned *size)
{
    const char *wish = getenv("TILEWRIGHT_MPI");
    *rank = *size = 0;
    if (wish && strcasecmp(wish, "off") == 0) return NULL;
    for (size_t i = 0; i < tw__wire_launcher_count; i++) {
        const tw__wire_launcher *l = &tw__wire_launchers[i];
        if (!getenv(l->rank)) continue;
        *rank = number_in(l->rank), *size = number_in(l->size);
        return l;
    }
    return NULL;
}

/* --- start ----------------------------------------------------------------------------------------------------- */

static tw_status load_module(const tw__wire_launcher *launcher, unsigned rank, unsigned size,
                             const tw__wire_row **row)
{
    g_autofree char *file = g_strconcat(launcher->module, ".so", NULL);
    g_autofree char *path = g_build_filename(tw__lib_dir(), "tilewright", file, NULL);
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    *row = handle ? dlsym(handle, TW__WIRE_SYMBOL) : NULL;
    if (*row && (*row)->version == TW__WIRE_VERSION) return TW_OK;
    return tw__fail(TW_E_NO_ENVIRONMENT,
                    "this is rank %u of %u that %s started, but the module for it cannot be loaded (%s): build "
                    "Tilewright where its headers are (Debian: apt install %s), or set TILEWRIGHT_MPI=off and each "
                    "rank works alone",
                    rank, size, launcher->name, *row ? "it is of another version" : dlerror(), launcher->needed);
}

/* Every rank sees the build of rank 0. */
static tw_status same_build(void)
{
    char theirs[96] = "";
    g_strlcpy(theirs, tw__build_name(), sizeof theirs);
    tw_status s = tw__wire_broadcast(TW__WIRE_HERE("the start"), 0, theirs, sizeof theirs);
    bool same = strcmp(theirs, tw__build_name()) == 0, all = same;
    if (!s) s = tw__wire_all_and(TW__WIRE_HERE("builds of all ranks"), &all);
    if (s || all) return s;
    tw__wire_break();
    if (same)
        return tw__fail(TW_E_NO_ENVIRONMENT,
                        "rank %u has build %s, as rank 0, but another rank has a different one: "
                        "install one build on all machines",
                        tw__wire.rank, theirs);
    return tw__fail(TW_E_NO_ENVIRONMENT, "rank %u has build %s, rank 0 has %s: install one build on all machines",
                    tw__wire.rank, tw__build_name(), theirs);
}

/* Ranks leave together, before MPI ends: one that ends while others wait for it is found out here. */
static void wire_end(void)
{
    static bool ended;
    if (ended) return;
    ended = true;
    tw__wire_at_end();
    tw_status s = tw__wire_broken() ? TW_E_SYSTEM : tw__wire_barrier(TW__WIRE_HERE("the end of the program"));
    if (!s) s = tw__wire_last_notices();
    tw__wire_break();
    if (!s) return;
    fflush(NULL);
    fprintf(stderr, "[rank %u] error: %s\n", tw__wire.rank, tw_error_message());
    tw__wire.row->abort(1);
}

static void wire_finish(void)
{
    wire_end();
    tw__wire.row->finish();
}

static tw_status start_ranks(void)
{
    unsigned rank, size;
    int got_rank = 0, got_size = 1;
    const tw__wire_launcher *launcher = tw__wire_detect(&rank, &size);
    if (!launcher || size == 1) return TW_OK;
    const tw__wire_row *row = NULL;
    tw_status s = load_module(launcher, rank, size, &row);
    if (s) return s;
    const char *why = row->start(&got_rank, &got_size, wire_end);
    if (why) return tw__fail(TW_E_SYSTEM, "rank %u cannot start %s: %s", rank, row->name, why);
    if (got_size < 2) {
        row->finish();
        return TW_OK;
    }
    tw__wire = (tw__wire_state){ .rank = (unsigned)got_rank, .size = (unsigned)got_size, .row = row };
    tw__wire_calls_reset();
    const char *seconds = getenv("TILEWRIGHT_MPI_TIMEOUT");
    if (seconds) tw__wire_timeout(g_ascii_strtod(seconds, NULL));
    atexit(wire_finish);
    TW__LOG(ENGINE, INFO, "rank %d of %d, by %s", got_rank, got_size, row->name);
    s = same_build();
    return s ? s : tw__wire_introduce();
}

tw_status tw__wire_start(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* engines of one rank are made in any thread */
    static tw_status kept;
    static char *text;
    static bool tried;
    pthread_mutex_lock(&lock);
    if (!tried) {
        tried = true;
        kept = start_ranks();
        if (kept) text = g_strdup(tw_error_message());
    }
    pthread_mutex_unlock(&lock);
    return kept ? tw__fail(kept, "%s", text) : TW_OK;
}
