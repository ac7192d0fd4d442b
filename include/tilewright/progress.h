/* SPDX-License-Identifier: MIT */
/* Progress: how far work is that takes more than two seconds, on one line of the terminal that is written again and
 * again, and taken away at the end. Runs of simulated machines and the compiler of CSL tell it themselves, programs
 * may tell of work of their own:
 *
 *     for (size_t i = 0; i < count; i++) {
 *         tw_progress_tell("prepares the inputs", "images", i, count);
 *         prepare(i);
 *     }
 *     tw_progress_end();
 *
 * Nothing is shown unless TILEWRIGHT_PROGRESS is set, as the program `tilewright` does: after how many seconds the
 * line appears (2; 0 = never). The standard error has to be a terminal then, TERM not "dumb", NO_COLOR not set.
 *
 * Threads: any thread may call these at any time; there is one line for all of them. */
#ifndef TILEWRIGHT_PROGRESS_H
#define TILEWRIGHT_PROGRESS_H

#include <stdint.h>
#include <tilewright/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* `done` of `total` are done (0: nobody knows how many there will be). `what` is what goes on, `unit` what is
 * counted, in the plural; both are copied, NULL = nothing is told. The first call, with what was done before,
 * begins. It costs some nanoseconds as long as nothing is due. */
TW_API void tw_progress_tell(const char *what, const char *unit, uint64_t done, uint64_t total);
/* That was all: the line goes away, the next call begins anew. */
TW_API void tw_progress_end(void);
/* Takes the line away until it is due again: before something else is written to the terminal. */
TW_API void tw_progress_clear(void);

#ifdef __cplusplus
}
#endif
#endif
