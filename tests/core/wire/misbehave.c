/* SPDX-License-Identifier: MIT */
/* Ranks that go wrong, for failures.sh: the argument says how. Ends with 3 when a call told it, having printed
 * what. */
#include "core/wire/inside.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <glib.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int told(tw_status status)
{
    if (status) fprintf(stderr, "[rank %u] told: %s\n", tw__wire_rank(), tw_error_message());
    return status ? 3 : 0;
}

static tw_status rounds(int count)
{
    for (int i = 0; i < count; i++) {
        tw_status s = tw__wire_barrier(TW__WIRE_HERE("a round"));
        if (s) return s;
    }
    return TW_OK;
}

/* The last rank broadcasts where the others meet. */
static int diverge(bool last)
{
    char byte = 0;
    tw_status s = rounds(10);
    if (!s)
        s = last ? tw__wire_broadcast(TW__WIRE_HERE("tw_engine_read 'y'"), 0, &byte, 1)
                 : tw__wire_barrier(TW__WIRE_HERE("tw_engine_run"));
    return told(s ? s : rounds(3));
}

/* Both wait for each other: no message ever comes that would show the difference. */
static int deadlock(bool last)
{
    char byte = 0;
    unsigned root = last ? 0 : tw__wire_size() - 1;
    return told(tw__wire_broadcast(TW__WIRE_HERE(last ? "from the first" : "from the last"), root, &byte, 1));
}

/* A call that the last rank leaves out is seen at the next message. */
static int skip(bool last)
{
    if (!last) tw__wire_mark(TW__WIRE_HERE("tw_engine_write 'x'"), 4);
    return told(rounds(2));
}

static int killed(bool last)
{
    tw_status s = rounds(2);
    if (last && !s) kill(getpid(), SIGKILL);
    return told(s ? s : rounds(1));
}

static int leave(bool last)
{
    tw_status s = rounds(2);
    if (last) exit(s ? 1 : 0);
    return told(s ? s : rounds(1));
}

/* The last rank ends where the others send more than the end of a program has. */
static int leave_longer(bool last)
{
    char bytes[256] = { 0 };
    tw_status s = rounds(2);
    if (last) exit(s ? 1 : 0);
    return told(s ? s : tw__wire_broadcast(TW__WIRE_HERE("a value"), 0, bytes, sizeof bytes));
}

static int late(bool last)
{
    tw__wire_timeout(1.5);
    if (last) sleep(6);
    return told(rounds(1));
}

/* The last rank is at the end of a run, or of the program, where the others fail or only end their run. */
static int end_of_run(tw_status mine, bool last)
{
    tw_status s = rounds(2);
    if (last) exit(s ? 1 : 0);
    tw__wire_at(5);
    if (mine) tw__fail(mine, "a vertex has failed");
    return told(s ? s : tw__wire_agree(mine));
}

static int leave_run(bool last)
{
    return end_of_run(TW_OK, last);
}

static int leave_failed(bool last)
{
    return end_of_run(TW_E_APPLICATION, last);
}

/* The last rank reads where the others fail in a run. */
static int read_failed(bool last)
{
    char byte = 0;
    tw_status s = rounds(2);
    if (!s && last) return told(tw__wire_broadcast(TW__WIRE_HERE("tw_engine_read 'y'"), 0, &byte, 1));
    tw__wire_mark(TW__WIRE_HERE("tw_engine_run of a program"), 0);
    tw__wire_at(5);
    return told(s ? s : tw__wire_agree(tw__fail(TW_E_APPLICATION, "a vertex has failed")));
}

/* Killed where the others wait for it at the end of a run. */
static int killed_at_end(bool last)
{
    tw_status s = rounds(2);
    if (last && !s) kill(getpid(), SIGKILL);
    return told(s ? s : tw__wire_agree(TW_OK));
}

/* What the others have seen of it in one wait says nothing in the next. */
static int killed_before(bool last)
{
    tw_status s = rounds(2);
    if (last && !s) kill(getpid(), SIGKILL);
    unsigned missing = TW__WIRE_NONE_MISSING, next = TW__WIRE_NONE_MISSING;
    while (!s && missing == TW__WIRE_NONE_MISSING) {
        s = tw__wire_look_for_others(&missing);
        usleep(1000);
    }
    if (!s) s = tw__wire_look_for_others(&next);
    if (!s) fputs("next wait: nothing yet\n", stderr);
    return told(s ? s : tw__wire_look_for_others(&missing));
}

/* The last rank comes to the end when another one has asked what it does; how many notices are sent and received is
 * printed before MPI ends. */
static const tw__wire_row *counted;
static unsigned asked, heard;

static void *count_send(int peer, int tag, const void *bytes, size_t size)
{
    void *request = counted->send(peer, tag, bytes, size);
    if (tag != TW__WIRE_TAG_CONTROL) return request;
    close(open(getenv("TW_ASKED"), O_CREAT | O_WRONLY, 0600));
    asked++;
    return request;
}

static size_t count_poll(int tag, int *peer, void *bytes, size_t room)
{
    size_t size = counted->poll(tag, peer, bytes, room);
    heard += size && tag == TW__WIRE_TAG_CONTROL;
    return size;
}

static void count_finish(void)
{
    fprintf(stderr, "asked %u heard %u\n", asked, heard);
    counted->finish();
}

static int asked_at_end(bool last)
{
    static tw__wire_row counting;
    counted = tw__wire.row;
    counting = *counted;
    counting.send = count_send, counting.poll = count_poll, counting.finish = count_finish;
    tw__wire.row = &counting;
    while (last && access(getenv("TW_ASKED"), F_OK) != 0) usleep(10000);
    return 0;
}

/* The program starts MPI, and ends it. */
static void *mpi_symbol(const char *name)
{
    g_autofree char *path = g_build_filename(tw__lib_dir(), "tilewright", "wire-openmpi.so", NULL);
    return dlsym(dlopen(path, RTLD_NOW | RTLD_LOCAL), name);
}

static void start_mpi(void)
{
    int (*init)(int *, char ***);
    *(void **)&init = mpi_symbol("MPI_Init");
    init(NULL, NULL);
}

static int own_mpi(bool last)
{
    int (*finalize)(void);
    *(void **)&finalize = mpi_symbol("MPI_Finalize");
    (void)last;
    tw_status s = rounds(2);
    finalize();
    return told(s) || rounds(1) == TW_OK;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(bool last);
    } ways[] = { { "diverge", diverge },
                 { "deadlock", deadlock },
                 { "skip", skip },
                 { "killed", killed },
                 { "leave", leave },
                 { "leave_longer", leave_longer },
                 { "late", late },
                 { "leave_run", leave_run },
                 { "leave_failed", leave_failed },
                 { "read_failed", read_failed },
                 { "killed_at_end", killed_at_end },
                 { "killed_before", killed_before },
                 { "asked_at_end", asked_at_end },
                 { "own_mpi", own_mpi } };
    if (argc == 2 && strcmp(argv[1], "own_mpi") == 0) start_mpi();
    if (tw__wire_start() != TW_OK) return told(tw_error_status());
    for (size_t i = 0; argc == 2 && i < sizeof ways / sizeof *ways; i++)
        if (strcmp(argv[1], ways[i].name) == 0) return ways[i].run(tw__wire_rank() + 1 == tw__wire_size());
    return 2;
}
