/* SPDX-License-Identifier: MIT */
/* interrupt: the flag of <tilewright/interrupt.h> for runs, and processes that were started for their profile. */
#ifndef TW_BASE_INTERRUPT_H
#define TW_BASE_INTERRUPT_H

#include <signal.h>
#include <tilewright/interrupt.h>

/* Not 0: the run ends before its next step. For loops, which have no time for tw_interrupted(). */
extern volatile sig_atomic_t tw__interrupt_flag;
/* This process was started for the profile that it leaves: SIGINT sets the flag, unless the program has a handler. */
void tw__interrupt_ends(void);
/* At the end of a run, when its profile can be asked for: ends such a process if it was interrupted. */
bool tw__interrupt_is_end(void);
void tw__interrupt_end(void);

#endif
