/* SPDX-License-Identifier: MIT */
/* interrupt: the first Ctrl-C ends a run, whose profile is then written; the second one ends the command. */
#include "cli/cli.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t child; /* that a signal is passed on to */

/* A terminal has sent it to the child, too. */
static void pass_on(int number, siginfo_t *info, void *context)
{
    (void)context;
    if (tw_interrupted()) {
        kill((pid_t)child, SIGKILL);
        signal(number, SIG_DFL);
        raise(number);
        return;
    }
    tw_interrupt(true);
    if (info->si_code <= 0) kill((pid_t)child, number);
}

int tw__cli_wait(pid_t pid)
{
    struct sigaction action = { .sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART }, before;
    int status = 0;
    child = (sig_atomic_t)pid;
    sigaction(SIGINT, NULL, &before);
    bool ignored = !(before.sa_flags & SA_SIGINFO) && before.sa_handler == SIG_IGN;
    if (!ignored) sigaction(SIGINT, &action, NULL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    sigaction(SIGINT, &before, NULL);
    return status;
}

int tw__cli_nothing_ran(const char *command)
{
    fprintf(stderr, "tilewright %s: interrupted while it was compiled; nothing ran\n", command);
    return 128 + SIGINT;
}

int tw__cli_interrupted(const char *command, int status)
{
    if (!tw_interrupted()) return status;
    fprintf(stderr, "tilewright %s: interrupted; what was to be written is of what ran until then\n", command);
    return 128 + SIGINT;
}
