/* SPDX-License-Identifier: MIT */
/* Whether other ranks are still there. Launchers end all ranks when one is killed, but not all of them always do
 * so: ranks of this machine are asked for at its system, those of others over their line, by who has waited for a
 * while. */
#include "core/wire/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct process {
    uint64_t machine; /* and its space of process numbers; 0 = not known */
    uint64_t number;
} process;

static process *processes; /* [size]; NULL: nobody is asked for */

/* The boot of a system, its name, and the space of process numbers in it: in containers a number may be another
 * process, and virtual machines that were resumed from one picture of a running one differ in their names alone. */
static uint64_t this_machine(void)
{
    char boot[64], space[64], name[256] = "";
    int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    ssize_t size = file < 0 ? -1 : read(file, boot, sizeof boot), length;
    if (file >= 0) close(file);
    length = readlink("/proc/self/ns/pid", space, sizeof space);
    if (size <= 0 || length <= 0 || gethostname(name, sizeof name - 1) != 0) return 0;
    uint64_t hash = tw__fnv1a(tw__fnv1a(TW__FNV, boot, (size_t)size), space, (size_t)length);
    hash = tw__fnv1a(hash, name, strlen(name));
    return hash ? hash : 1;
}

static void take_process(void *mine, const void *theirs)
{
    process *a = mine;
    const process *b = theirs;
    for (unsigned i = 0; i < tw__wire.size; i++)
        if (!a[i].number) a[i] = b[i];
}

tw_status tw__wire_introduce(void)
{
    if (tw__wire.size > TW__WIRE_MOST_KNOWN) return TW_OK;
    processes = tw__calloc(tw__wire.size, sizeof *processes);
    if (!processes) return tw__fail(TW_E_NO_MEMORY, "no memory for ranks");
    processes[tw__wire.rank] = (process){ this_machine(), (uint64_t)getpid() };
    tw_status s = tw__wire_combine(TW__WIRE_HERE("processes of ranks"), processes,
                                   tw__wire.size * sizeof *processes, take_process);
    if (s) return s;
    bool far[TW__WIRE_MOST_KNOWN];
    for (unsigned k = 0; k < tw__wire.size; k++)
        far[k] = processes[k].machine == 0 || processes[k].machine != processes[0].machine;
    far[0] = false;
    return tw__wire_make_lines(far);
}

static bool rank_is_gone(unsigned rank)
{
    const process *me = &processes[tw__wire.rank], *other = &processes[rank];
    bool near = me->machine && other->machine == me->machine;
    return near ? kill((pid_t)other->number, 0) != 0 && errno == ESRCH : tw__wire_line_ended(rank);
}

/* A rank that has just ended as it should may be gone while its last message is still to be read: it has to be gone
 * twice. */
tw_status tw__wire_look_for_others(unsigned *missing)
{
    unsigned gone = 0, size = processes ? tw__wire.size : 0;
    while (gone < size && !rank_is_gone(gone)) gone++;
    if (gone == size || gone != *missing) {
        *missing = gone == size ? TW__WIRE_NONE_MISSING : gone;
        return TW_OK;
    }
    tw__wire_break();
    return tw__fail(TW_E_SYSTEM, "rank %u waits in %s, but rank %u (process %llu%s) is gone", tw__wire.rank,
                    tw__wire_now()->what, gone, (unsigned long long)processes[gone].number,
                    processes[gone].machine == processes[tw__wire.rank].machine ? "" : " of another machine");
}
