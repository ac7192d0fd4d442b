/* SPDX-License-Identifier: MIT */
/* The module that alone is linked with MPI: one for each MPI library that the build found (cmake/wire.cmake). It
 * moves bytes with plain non-blocking messages and nothing else; ../start.c loads it with local symbols. */
#include "core/wire/wire.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static MPI_Comm world = MPI_COMM_NULL; /* a duplicate: the program's own messages stay apart */
static bool started;                   /* by us, not by the program */
static char text[MPI_MAX_ERROR_STRING];

static bool good(int status)
{
    int length = 0;
    if (status == MPI_SUCCESS) return true;
    if (MPI_Error_string(status, text, &length) != MPI_SUCCESS) strcpy(text, "unknown error of MPI");
    return false;
}

static void (*at_end)(void);

static int before_end(MPI_Comm comm, int key, void *value, void *user)
{
    (void)comm, (void)key, (void)value, (void)user;
    if (at_end) at_end();
    return MPI_SUCCESS;
}

static const char *mpi_start(int *rank, int *size, void (*end)(void))
{
    int running = 0, over = 0, level = MPI_THREAD_SINGLE, key;
    if (!good(MPI_Initialized(&running)) || !good(MPI_Finalized(&over))) return text;
    if (over) return "MPI has been finalised";
    if (!running) {
        if (!good(MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level))) return text;
        started = true;
    }
    if (!good(MPI_Comm_dup(MPI_COMM_WORLD, &world)) || !good(MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN)) ||
        !good(MPI_Comm_rank(world, rank)) || !good(MPI_Comm_size(world, size)) ||
        !good(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, before_end, &key, NULL)) ||
        !good(MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL))) /* what it has is deleted before anything else ends */
        return text;
    if (*size > 1) at_end = end;
    return NULL;
}

/* A count of MPI is an int: what is larger goes as several messages, which keep their order. */
enum { PIECE = 1 << 30, PIECES = 64 };

typedef struct transfer {
    int count;
    MPI_Request requests[PIECES];
} transfer;

static void *move(int peer, int tag, char *bytes, size_t size, bool out)
{
    if (size > (size_t)PIECE * PIECES) {
        strcpy(text, "a message of more than 64 GiB");
        return NULL;
    }
    transfer *t = malloc(sizeof *t);
    if (!t) {
        strcpy(text, "no memory for a message");
        return NULL;
    }
    t->count = 0;
    do {
        int piece = size > PIECE ? PIECE : (int)size;
        MPI_Request *r = &t->requests[t->count];
        if (!good(out ? MPI_Isend(bytes, piece, MPI_BYTE, peer, tag, world, r)
                      : MPI_Irecv(bytes, piece, MPI_BYTE, peer, tag, world, r))) {
            free(t);
            return NULL;
        }
        t->count++;
        bytes += piece;
        size -= (size_t)piece;
    } while (size);
    return t;
}

static void *mpi_send(int peer, int tag, const void *bytes, size_t size)
{
    return move(peer, tag, (char *)(uintptr_t)bytes, size, true);
}

static void *mpi_receive(int peer, int tag, void *bytes, size_t size)
{
    return move(peer, tag, bytes, size, false);
}

static int mpi_done(void *request)
{
    transfer *t = request;
    int done = 0;
    MPI_Status statuses[PIECES]; /* gcc takes MPICH's MPI_STATUSES_IGNORE for an array that is too short */
    if (!good(MPI_Testall(t->count, t->requests, &done, statuses))) {
        free(t);
        return -1;
    }
    if (done) free(t);
    return done;
}

static void mpi_drop(void *request)
{
    transfer *t = request;
    for (int i = 0; i < t->count; i++) {
        if (t->requests[i] == MPI_REQUEST_NULL) continue;
        MPI_Cancel(&t->requests[i]);
        MPI_Request_free(&t->requests[i]);
    }
    free(t);
}

static size_t mpi_poll(int tag, int *peer, void *bytes, size_t room)
{
    int there = 0, size = 0;
    MPI_Status status;
    if (!good(MPI_Iprobe(MPI_ANY_SOURCE, tag, world, &there, &status)) || !there) return 0;
    if (!good(MPI_Get_count(&status, MPI_BYTE, &size)) || (size_t)size > room) return 0;
    *peer = status.MPI_SOURCE;
    if (!good(MPI_Recv(bytes, size, MPI_BYTE, *peer, tag, world, MPI_STATUS_IGNORE))) return 0;
    return (size_t)size;
}

static const char *mpi_problem(void)
{
    return text;
}

static void mpi_abort(int code)
{
    MPI_Abort(MPI_COMM_WORLD, code);
}

static void mpi_finish(void)
{
    int over = 0;
    if (!good(MPI_Finalized(&over)) || over) return;
    if (world != MPI_COMM_NULL) MPI_Comm_free(&world);
    if (started) MPI_Finalize();
}

TW_API const tw__wire_row tw__wire_module;
const tw__wire_row tw__wire_module = { .version = TW__WIRE_VERSION,
                                       .name = TW_MPI_NAME,
                                       .start = mpi_start,
                                       .send = mpi_send,
                                       .receive = mpi_receive,
                                       .done = mpi_done,
                                       .drop = mpi_drop,
                                       .poll = mpi_poll,
                                       .problem = mpi_problem,
                                       .abort = mpi_abort,
                                       .finish = mpi_finish };
