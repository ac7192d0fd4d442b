/* SPDX-License-Identifier: MIT */
/* For the programs of this folder: stop with a message when something is not as the guide says. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <tilewright/tilewright.h>

#define CHECK(condition)                                                                                      \
    do {                                                                                                      \
        if (!(condition)) {                                                                                   \
            fprintf(stderr, "%s:%d: not true: %s\n%s\n", __FILE__, __LINE__, #condition, tw_error_message()); \
            exit(1);                                                                                          \
        }                                                                                                     \
    } while (0)

/* For what goes on in an engine: prints the engine's error as well. */
#define CHECK_ENGINE(engine, status)                \
    do {                                            \
        if ((status) != TW_OK) {                    \
            tw_engine_report_error(stderr, engine); \
            CHECK(!#status);                        \
        }                                           \
    } while (0)

#endif
