/* SPDX-License-Identifier: MIT */
/* Interruption: runs of simulated machines end at the next place where nothing is half done, as failures whose
 * message begins with "interrupted"; what they have done so far can be asked for, and their profiles written.
 *
 *     tw_interrupt_on_sigint();
 *     if (tw_engine_run(e, 0) != TW_OK && tw_interrupted())
 *         tw_profile_write_json(tw_engine_profile(e), out, true);
 *
 * It is one flag of the process and stays on until it is turned off: later runs end at once.
 *
 * Threads: any thread may call these at any time. */
#ifndef TILEWRIGHT_INTERRUPT_H
#define TILEWRIGHT_INTERRUPT_H

#include <tilewright/base.h>

#ifdef __cplusplus
extern "C" {
#endif

TW_API void tw_interrupt(bool on); /* a signal handler may call it, too */
TW_API bool tw_interrupted(void);
/* From now on the first SIGINT turns the flag on, the next one ends the process. False: the process handles or
 * ignores SIGINT itself, and goes on doing so. */
TW_API bool tw_interrupt_on_sigint(void);

#ifdef __cplusplus
}
#endif
#endif
