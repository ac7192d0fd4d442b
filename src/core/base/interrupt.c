/* SPDX-License-Identifier: MIT */
/* interrupt: a flag that runs look at between two steps, and who sets it. */
#include "core/base/interrupt.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

volatile sig_atomic_t tw__interrupt_flag;
static bool ends; /* this process was started for its profile: it ends when it is interrupted */

void tw_interrupt(bool on)
{
    tw__interrupt_flag = on;
}

bool tw_interrupted(void)
{
    return tw__interrupt_flag != 0;
}

/* A signal for a group of processes reaches this one twice when its parent, `tilewright run`, passes it on. */
static void on_sigint(int number, siginfo_t *info, void *context)
{
    (void)context;
    if (!tw__interrupt_flag) {
        tw__interrupt_flag = 1;
    } else if (!(ends && info->si_code == SI_USER && info->si_pid == getppid())) {
        signal(number, SIG_DFL);
        raise(number);
    }
}

bool tw_interrupt_on_sigint(void)
{
    struct sigaction action = { .sa_sigaction = on_sigint, .sa_flags = SA_SIGINFO | SA_RESTART }, before;
    if (sigaction(SIGINT, NULL, &before) != 0) return false;
    bool ours = (before.sa_flags & SA_SIGINFO) && before.sa_sigaction == on_sigint;
    if (!ours && ((before.sa_flags & SA_SIGINFO) || before.sa_handler != SIG_DFL)) return false;
    return ours || sigaction(SIGINT, &action, NULL) == 0;
}

void tw__interrupt_ends(void)
{
    ends = tw_interrupt_on_sigint();
}

bool tw__interrupt_is_end(void)
{
    return tw__interrupt_flag && ends;
}

void tw__interrupt_end(void)
{
    if (tw__interrupt_is_end()) exit(128 + SIGINT);
}
